/* ================================================ SECTION 43: a caller's search of permutations == */
/* Searches: state, tasks and frontier, and the best member, which workers share.

   A task is a beginning of members and the values to try at its next position. A worker gets there
   by calling the caller's `step` for each position, so tasks hold no state, and walks the tree
   below depth first (src/api/searcher.h); what is left at the end becomes a task for each position.

   With goals FIRST, MINIMUM and MAXIMUM the best member is shared: on the CPU in the search's state,
   read every few hundred steps; devices get its key and elements with the tables, and lower a 32-bit
   form of the key in their work memory, the *hint*, as they find better ones. Beginnings as good as
   the best are pruned if they come after it; so the first of the best members is always found. */

#define COMBGPU__PERM_SEARCH_TASKS 8192 /* of the frontier, about */
#define COMBGPU__PERM_SEARCH_DEEP 5     /* positions that the frontier leaves to the workers */
#define COMBGPU__PERM_SEARCH_HINT_BYTES 16

/* Words of combgpu__accumulators(job) after the totals. */
enum {
    COMBGPU__PERM_SEARCH_S_RECORD_HITS =
        COMBGPU__TOTALS, /* as S_HITS and S_HASH, of those listed */
    COMBGPU__PERM_SEARCH_S_RECORD_HASH,
    COMBGPU__PERM_SEARCH_S_WRITTEN,
    COMBGPU__PERM_SEARCH_S_FOUND, /* the next ones are valid */
    COMBGPU__PERM_SEARCH_S_KEY,   /* of the best member; smaller is better */
    COMBGPU__PERM_SEARCH_S_VALUE,
    COMBGPU__PERM_SEARCH_S_BEST, /* its elements, 8 a word */
    COMBGPU__PERM_SEARCH_S_BINS = 32
};

typedef struct combgpu__perm_search_best {
    int found;
    int64_t key, value;
    uint8_t perm[COMBGPU__PERM_MOST];
} combgpu__perm_search_best;

typedef struct combgpu__perm_search_state {
    combgpu_perm_search_desc desc; /* n, bin_width filled in; no pointers to input */
    combgpu__perm_set set;
    combgpu__perm_search_walk root; /* before the first position */
    int best_goal, lists;           /* FIRST, MINIMUM, MAXIMUM; COUNT with records */
    combgpu__perm_search_best best; /* workers read and improve it, one at a time */
    combgpu__lock lock;             /* of `best` */
    uint32_t version, delivered;    /* atomic: improvements; those that sums and tables have */
    const unsigned char *data;      /* desc.data, copied to combgpu__tables(job) */
    char *source;                   /* for OpenCL */
    uint32_t *fetched;              /* HISTOGRAM: for slice_done */
} combgpu__perm_search_state;

COMBGPU__PRIVATE combgpu__perm_search_state *combgpu__perm_search_of(const combgpu_job *job)
{
    return (combgpu__perm_search_state *)combgpu__state(job);
}

/* ---- tasks and records */

COMBGPU__PRIVATE void combgpu__perm_search_put_perm(uint32_t *words, const uint8_t *perm,
                                                    int places, int length)
{
    int i;
    memset(words, 0, (size_t)((length + 3) / 4) * sizeof *words);
    for (i = 0; i < places; i++)
        words[i / 4] |= (uint32_t)perm[i] << i % 4 * 8;
}

COMBGPU__PRIVATE void combgpu__perm_search_get_perm(const uint32_t *words, uint8_t *perm,
                                                    int length)
{
    int i;
    for (i = 0; i < length; i++)
        perm[i] = (uint8_t)(words[i / 4] >> i % 4 * 8);
}

COMBGPU__PRIVATE void combgpu__perm_search_put_task(uint32_t *task, const uint8_t *perm, int place,
                                                    int length, uint64_t todo)
{
    task[COMBGPU__PERM_SEARCH_TASK_PLACE] = (uint32_t)place;
    combgpu__put64(task + COMBGPU__PERM_SEARCH_TASK_TODO, todo);
    combgpu__perm_search_put_perm(task + COMBGPU__PERM_SEARCH_TASK_PERM, perm, place, length);
}

/* Moves a walk to a task; returns 0 if the callbacks would not go there. */
COMBGPU__PRIVATE int combgpu__perm_search_go_to(const combgpu__perm_search_state *state,
                                                combgpu__perm_search_walk *walk,
                                                const uint32_t *task)
{
    uint8_t perm[COMBGPU__PERM_MOST];
    uint32_t place = task[COMBGPU__PERM_SEARCH_TASK_PLACE];
    uint64_t todo = combgpu__get64(task + COMBGPU__PERM_SEARCH_TASK_TODO), allowed = 0;
    int64_t value = 0;
    if (place >= (uint32_t)walk->length) return 0;
    combgpu__perm_search_get_perm(task + COMBGPU__PERM_SEARCH_TASK_PERM, perm, walk->length);
    if (!state->desc.searcher->go(walk, perm, (int)place, &allowed, &value) || todo & ~allowed)
        return 0;
    walk->todo[place] = todo;
    return 1;
}

/* The hash of a hit. combgpu_perm_search_hash (search/solve.cl) is the same for kernels. */
COMBGPU__PRIVATE uint64_t combgpu__perm_search_hash(const uint8_t *perm, int length)
{
    uint64_t hash = (uint64_t)length, word = 0;
    int i;
    for (i = 0; i < length; i++) {
        word |= (uint64_t)perm[i] << i % 8 * 8;
        if (i % 8 == 7 || i == length - 1) {
            hash = combgpu__mix(hash ^ word);
            word = 0;
        }
    }
    return hash;
}

/* ---- the frontier */

/* Breadth first, until enough tasks exist or only DEEP positions are left. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_grow(combgpu_job *job, uint32_t *queue,
                                                          size_t room)
{
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    combgpu__perm_search_walk walk = state->root;
    size_t words = combgpu__desc(job)->task_words, head = 0, tail = 0;
    uint8_t perm[COMBGPU__PERM_MOST];
    int length = walk.length, place;
    uint64_t todo, allowed = 0;
    int64_t value = 0;
    combgpu_status status = COMBGPU_OK;
    memset(perm, 0, sizeof perm);
    (void)state->desc.searcher->go(&walk, perm, 0, &allowed, &value);
    if (allowed) combgpu__perm_search_put_task(queue, perm, 0, length, allowed), tail++;
    for (; head < tail && tail - head + COMBGPU__PERM_MOST < room; head++) {
        const uint32_t *task = queue + head % room * words;
        place = (int)task[COMBGPU__PERM_SEARCH_TASK_PLACE];
        if (place + COMBGPU__PERM_SEARCH_DEEP >= length) break; /* so are all that follow */
        combgpu__perm_search_get_perm(task + COMBGPU__PERM_SEARCH_TASK_PERM, perm, length);
        for (todo = combgpu__get64(task + COMBGPU__PERM_SEARCH_TASK_TODO); todo; todo &= todo - 1) {
            perm[place] = (uint8_t)combgpu__lowest_bit64(todo);
            if (state->desc.searcher->go(&walk, perm, place + 1, &allowed, &value) && allowed)
                combgpu__perm_search_put_task(queue + tail++ % room * words, perm, place + 1,
                                              length, allowed);
        }
    }
    for (; head < tail && !status; head++)
        status = combgpu__push(job, queue + head % room * words);
    return status;
}

/* Takes a better member, or an equally good one that comes first. Returns whether it was. */
COMBGPU__PRIVATE int combgpu__perm_search_improve(combgpu__perm_search_state *state, int64_t key,
                                                  int64_t value, const uint8_t *perm)
{
    combgpu__perm_search_best *best = &state->best;
    int i = 0, better = !best->found || key < best->key;
    if (!better && key == best->key) {
        while (i < state->root.length && perm[i] == best->perm[i])
            i++;
        better =
            i < state->root.length && state->root.rank[perm[i]] < state->root.rank[best->perm[i]];
    }
    if (!better) return 0;
    best->found = 1;
    best->key = key;
    best->value = value;
    memcpy(best->perm, perm, (size_t)state->root.length);
    return 1;
}

COMBGPU__PRIVATE int64_t combgpu__perm_search_key(const combgpu__perm_search_state *state,
                                                  int64_t value)
{
    return state->desc.goal == COMBGPU_SEARCH_FIRST     ? 0
           : state->desc.goal == COMBGPU_SEARCH_MAXIMUM ? ~value
                                                        : value;
}

COMBGPU__PRIVATE void combgpu__perm_search_to_accumulators(const combgpu__perm_search_best *best,
                                                           uint64_t *accumulators)
{
    int i;
    accumulators[COMBGPU__PERM_SEARCH_S_FOUND] = 1;
    accumulators[COMBGPU__PERM_SEARCH_S_KEY] = (uint64_t)best->key;
    accumulators[COMBGPU__PERM_SEARCH_S_VALUE] = (uint64_t)best->value;
    for (i = 0; i < 8; i++)
        accumulators[COMBGPU__PERM_SEARCH_S_BEST + i] = 0;
    for (i = 0; i < COMBGPU__PERM_MOST; i++)
        accumulators[COMBGPU__PERM_SEARCH_S_BEST + i / 8] |= (uint64_t)best->perm[i] << i % 8 * 8;
}

/* Reads the best member from sums, which may come from a file. Returns 0 if the callbacks reject
   it. */
COMBGPU__PRIVATE int combgpu__perm_search_from_accumulators(const combgpu__perm_search_state *state,
                                                            const uint64_t *accumulators,
                                                            combgpu__perm_search_best *best)
{
    combgpu__perm_search_walk walk = state->root;
    uint64_t allowed = 0;
    int64_t value = 0;
    int i;
    memset(best, 0, sizeof *best);
    for (i = 0; i < walk.length; i++)
        best->perm[i] = (uint8_t)(accumulators[COMBGPU__PERM_SEARCH_S_BEST + i / 8] >> i % 8 * 8);
    best->found = 1;
    best->value = (int64_t)accumulators[COMBGPU__PERM_SEARCH_S_VALUE];
    best->key = (int64_t)accumulators[COMBGPU__PERM_SEARCH_S_KEY];
    return state->desc.searcher->go(&walk, best->perm, walk.length, &allowed, &value) &&
           value == best->value && best->key == combgpu__perm_search_key(state, value);
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_search_frontier(combgpu_job *job)
{
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    size_t room = COMBGPU__PERM_SEARCH_TASKS + COMBGPU__PERM_MOST;
    size_t bytes = room * combgpu__desc(job)->task_words * sizeof(uint32_t);
    uint32_t *queue = (uint32_t *)combgpu__allocate(combgpu__context(job), bytes);
    combgpu_status status;
    if (!queue) return combgpu__no_memory(combgpu__context(job), bytes);
    if (state->best.found)
        combgpu__perm_search_to_accumulators(&state->best, combgpu__accumulators(job));
    status = combgpu__perm_search_grow(job, queue, room);
    combgpu__release(combgpu__context(job), queue);
    return status;
}
