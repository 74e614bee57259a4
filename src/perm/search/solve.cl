/* Searches: a lane is a worker with a stack of its own.

   The callbacks: OpenCL puts before this file the caller's functions combgpu_perm_search_step, ...,
   whether a bound exists, the number of positions, for which the stack is compiled, and other facts
   that the kernel may rely on. CUDA instantiates the kernel with a type that has step(), ... and
   for the three cases of combgpu__perm_search_form (search/begin_end.c).

   Registers hold the state, the values to try and the remaining ones of the lane's position. A
   position with values left keeps them in a frame while the lane is below it, mostly in local
   memory, where lanes at different positions do not disturb each other. Large states stay in
   private memory, one for each position. */
#if defined(COMBGPU_SEARCHER) || defined(__CUDACC__)
#ifdef __CUDACC__
template <int WIDE> struct combgpu_perm_search_masks {
    typedef uint32_t type;
};
template <> struct combgpu_perm_search_masks<1> {
    typedef uint64_t type;
};
#define COMBGPU__PERM_SEARCH_PARAMETERS template <class Searcher, int PLACES, int PLAIN>
#define COMBGPU__TREE(part) Searcher::part
#define COMBGPU__PERM_SEARCH_CALL(function) function<Searcher, PLACES, PLAIN>
#define COMBGPU__PERM_SEARCH_STATE_T typename Searcher::state_t
#define COMBGPU__PERM_SEARCH_MASK_T typename combgpu_perm_search_masks<(PLACES > 32)>::type
#define COMBGPU__ALIGNED(bytes) __align__(bytes)
#define COMBGPU__PERM_SEARCH_BOUNDED ((uint32_t)Searcher::has_bound)
#else
#define COMBGPU__PERM_SEARCH_PARAMETERS
#define COMBGPU__TREE(part) combgpu_perm_search_##part
#define COMBGPU__PERM_SEARCH_CALL(function) function
#define COMBGPU__PERM_SEARCH_STATE_T combgpu_perm_search_state
#define COMBGPU__PERM_SEARCH_BOUNDED COMBGPU_SEARCH_HAS_BOUND
#define PLACES COMBGPU_SEARCH_PLACES
#define PLAIN COMBGPU_SEARCH_PLAIN
#define COMBGPU__ALIGNED(bytes) __attribute__((aligned(bytes)))
#if COMBGPU_SEARCH_WIDE
#define COMBGPU__PERM_SEARCH_MASK_T uint64_t
#else
#define COMBGPU__PERM_SEARCH_MASK_T uint32_t
#endif
#endif
/* Local memory of a lane for frames of `bytes` bytes; states up to SMALL bytes are parts of them. */
#define COMBGPU__PERM_SEARCH_FRAMES 128
#define COMBGPU__PERM_SEARCH_SMALL 32
#define COMBGPU__PERM_SEARCH_LEVELS(bytes)                                                         \
    (COMBGPU__PERM_SEARCH_FRAMES / (bytes) < PLACES ? COMBGPU__PERM_SEARCH_FRAMES / (bytes)        \
                                                    : PLACES)
/* alignment of a frame, so that wide loads and stores move it */
#define COMBGPU__PERM_SEARCH_ALIGNED(bytes, least)                                                 \
    COMBGPU__ALIGNED((bytes) % 16 == 0 ? 16 : (bytes) % 8 == 0 ? 8 : (least))
/* steps between two polls of the slice; one where each polls what others have found */
#define COMBGPU__PERM_SEARCH_ROUNDS 32
/* steps after which a lane spills its frames for idle ones: steps are light, and the spilled parts
   soon refill all lanes */
#define COMBGPU__PERM_SEARCH_LEAST 1024
/* combgpu_search_goal for OpenCL, which lacks the API; what prunes (src/api/searcher.h) */
#define COMBGPU__PERM_SEARCH_FIRST 1u
#define COMBGPU__PERM_SEARCH_MINIMUM 2u
#define COMBGPU__PERM_SEARCH_MAXIMUM 3u
#define COMBGPU__PERM_SEARCH_SUM 4u
#define COMBGPU__PERM_SEARCH_HISTOGRAM 5u
#define COMBGPU__PERM_SEARCH_BELOW 2u
#define COMBGPU__PERM_SEARCH_LATER 3u
#define COMBGPU__PERM_SEARCH_NO_KEY ((int64_t)(~(uint64_t)0 >> 1)) /* the largest */
/* Reads the hint, which others may just have lowered; see COMBGPU__STOPPED. */
#ifdef COMBGPU_RACE_CHECK
#define COMBGPU__PERM_SEARCH_HINT(work) COMBGPU__ATOMIC_OR(work, 0)
#else
#define COMBGPU__PERM_SEARCH_HINT(work) (*(volatile COMBGPU__GLOBAL uint32_t *)(work))
#endif

/* The data common to all tasks of a lane, and its results. */
typedef struct combgpu_perm_search_t {
    COMBGPU__GLOBAL const uint8_t *data, *order, *rank;
    int n, length;
    uint32_t goal, family, multi, ordered, prunes;
    int64_t key;    /* of the best member this lane knows; smaller is better */
    uint32_t known; /* the member itself: 0 = tables have it, 1 = best[] */
    uint64_t hits, hash, outside, sum[4];
} combgpu_perm_search_t;

/* As combgpu__perm_search_open (src/api/searcher.h). */
COMBGPU__DEVICE uint64_t combgpu_perm_search_open(const combgpu_perm_search_t *t,
                                                  COMBGPU__LOCAL const uint8_t *perm, int place,
                                                  uint64_t available)
{
    if (t->family == COMBGPU__SET_COMBINATION) {
        if (place) available &= ~(uint64_t)1 << perm[place - 1];
        return available & ~(uint64_t)0 >> (64 - (t->n - t->length + place + 1));
    }
    if (t->family == COMBGPU__SET_DERANGEMENT) return available & ~((uint64_t)1 << place);
    if (t->family == COMBGPU__SET_CIRCULAR && !place) return 1;
    return available;
}

/* As combgpu__perm_search_hint (search/collect.c). */
COMBGPU__DEVICE uint32_t combgpu_perm_search_hint(int64_t key)
{
    const int64_t most = 0x7fffffff;
    return key <= -most - 1 ? 0 : key >= most ? 0xffffffffu : (uint32_t)key ^ 0x80000000u;
}

#if defined(__CUDACC__) || defined(__ENDIAN_LITTLE__)
#define COMBGPU__PERM_SEARCH_WORD(x) (x)
#else
#define COMBGPU__PERM_SEARCH_WORD(x) as_uint(as_uchar4(x).wzyx)
#endif
/* As combgpu__perm_search_hash (search/state.c). The bytes after the last one are 0. */
COMBGPU__DEVICE uint64_t combgpu_perm_search_hash(COMBGPU__LOCAL const uint32_t *row, int length)
{
    uint64_t hash = (uint64_t)length;
    int i = 0;
    do
        hash = combgpu_mix(hash ^ (COMBGPU__PERM_SEARCH_WORD(row[i]) |
                                   (uint64_t)COMBGPU__PERM_SEARCH_WORD(row[i + 1]) << 32));
    while ((i += 2) * 4 < length);
    return hash;
}

/* Nonzero if perm[0 .. place] comes after the best member, in the order of ranks. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_later(COMBGPU__GLOBAL const uint32_t *tables,
                                                   const combgpu_perm_search_t *t,
                                                   COMBGPU__LOCAL const uint8_t *perm,
                                                   const uint8_t *best, int place)
{
    COMBGPU__GLOBAL const uint8_t *tables_best =
        (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_BEST);
    int i;
    for (i = 0; i <= place; i++) {
        uint8_t rank = t->rank[perm[i]], other = t->known ? best[i] : tables_best[i];
        if (rank != other) return rank > other;
    }
    return 0;
}

/* A bin's count in global memory: 64 bits by 32-bit atomics. */
COMBGPU__DEVICE void combgpu_perm_search_bin(COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL uint32_t *work,
                                             combgpu_perm_search_t *t, int64_t value)
{
    int64_t first = (int64_t)combgpu_load64(tables + COMBGPU__PERM_SEARCH_AT_FIRST);
    uint64_t bin = (uint64_t)value - (uint64_t)first;
    bin /= combgpu_load64(tables + COMBGPU__PERM_SEARCH_AT_WIDTH);
    if (value < first || bin >= tables[COMBGPU__PERM_SEARCH_AT_BINS])
        t->outside++;
    else if (COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin, 1) == 0xffffffffu)
        COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin + 1, 1);
}

/* Stores a record; returns 0 without room. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_emit(COMBGPU__GLOBAL combgpu__slice *slice,
                                                  COMBGPU__GLOBAL uint32_t *records,
                                                  COMBGPU__LOCAL const uint8_t *perm, int length,
                                                  int64_t value)
{
    uint32_t at = combgpu_emit(slice), word = 0;
    int i;
    if (at == COMBGPU__NONE) return 0;
    records += (uint64_t)at * slice->record_words;
    for (i = 0; i < length; i++) {
        word |= (uint32_t)perm[i] << i % 4 * 8;
        if (i % 4 == 3 || i == length - 1) {
            records[i / 4] = word;
            word = 0;
        }
    }
    combgpu_store64(records + (length + 3) / 4, (uint64_t)value);
    return 1;
}

/* Takes a leaf. Returns 0 if its record finds no room. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_leaf_of(
    COMBGPU__GLOBAL combgpu__slice *slice, COMBGPU__GLOBAL const uint32_t *tables,
    COMBGPU__GLOBAL uint32_t *records, COMBGPU__GLOBAL uint32_t *work, combgpu_perm_search_t *t,
    COMBGPU__LOCAL const uint8_t *perm, uint8_t *best, int64_t value)
{
    if (t->goal == COMBGPU__PERM_SEARCH_SUM || t->goal == COMBGPU__PERM_SEARCH_HISTOGRAM) {
        t->hits++;
        if (t->goal == COMBGPU__PERM_SEARCH_HISTOGRAM)
            combgpu_perm_search_bin(tables, work, t, value);
        else {
            t->sum[0] += (uint64_t)value & 65535;
            t->sum[1] += (uint64_t)value >> 16 & 65535;
            t->sum[2] += (uint64_t)value >> 32 & 65535;
            t->sum[3] += ((uint64_t)value >> 48) - (value < 0 ? 65536u : 0u);
        }
    } else if (t->goal == COMBGPU__PERM_SEARCH_MINIMUM || t->goal == COMBGPU__PERM_SEARCH_MAXIMUM ||
               t->goal == COMBGPU__PERM_SEARCH_FIRST) {
        int64_t key = t->goal == COMBGPU__PERM_SEARCH_MAXIMUM ? ~value : value;
        uint32_t hint;
        int i;
        if (t->goal == COMBGPU__PERM_SEARCH_FIRST) {
            if (!value) return 1;
            key = 0;
        }
        hint = combgpu_perm_search_hint(key);
        if (key > t->key || hint > COMBGPU__PERM_SEARCH_HINT(work)) return 1;
        if (key == t->key && combgpu_perm_search_later(tables, t, perm, best, t->length - 1))
            return 1;
        if (!combgpu_perm_search_emit(slice, records, perm, t->length, value)) return 0;
        COMBGPU__ATOMIC_MIN(work, hint);
        t->key = key;
        t->known = 1;
        for (i = 0; i < t->length; i++)
            best[i] = t->rank[perm[i]];
    } else if (value) {
        if (tables[COMBGPU__PERM_SEARCH_AT_LIST])
            return combgpu_perm_search_emit(slice, records, perm, t->length, value);
        t->hits++;
        t->hash += combgpu_perm_search_hash((COMBGPU__LOCAL const uint32_t *)perm, t->length);
    }
    return 1;
}

/* Spills a task: perm[0 .. place-1] and the values to try next. */
COMBGPU__DEVICE void combgpu_perm_search_give(COMBGPU__GLOBAL combgpu__slice *slice,
                                              COMBGPU__GLOBAL uint32_t *left,
                                              COMBGPU__LOCAL const uint8_t *perm, int place,
                                              int length, uint64_t todo)
{
    COMBGPU__GLOBAL uint32_t *to = left + (uint64_t)combgpu_give(slice) * slice->task_words;
    uint32_t word = 0;
    int i;
    to[COMBGPU__PERM_SEARCH_TASK_PLACE] = (uint32_t)place;
    combgpu_store64(to + COMBGPU__PERM_SEARCH_TASK_TODO, todo);
    for (i = 0; i < length; i++) {
        if (i < place) word |= (uint32_t)perm[i] << i % 4 * 8;
        if (i % 4 == 3 || i == length - 1) {
            to[COMBGPU__PERM_SEARCH_TASK_PERM + i / 4] = word;
            word = 0;
        }
    }
}

COMBGPU__DEVICE void combgpu_perm_search_read_tables(combgpu_perm_search_t *t,
                                                     COMBGPU__GLOBAL const uint32_t *tables,
                                                     int plain)
{
    t->data = (COMBGPU__GLOBAL const uint8_t *)(tables + tables[COMBGPU__PERM_SEARCH_AT_DATA]);
    t->order = (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_ORDER);
    t->rank = (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_RANK);
    t->n = (int)tables[COMBGPU__PERM_SEARCH_AT_N];
    t->length = (int)tables[COMBGPU__PERM_SEARCH_AT_LENGTH];
    t->goal = tables[COMBGPU__PERM_SEARCH_AT_GOAL];
    t->family = tables[COMBGPU__PERM_SEARCH_AT_FAMILY];
    t->multi = plain ? 0 : tables[COMBGPU__PERM_SEARCH_AT_MULTI];
    t->ordered = plain ? 0 : tables[COMBGPU__PERM_SEARCH_AT_ORDERED];
    t->prunes = plain ? 0 : tables[COMBGPU__PERM_SEARCH_AT_PRUNES];
    t->key = (int64_t)combgpu_load64(tables + COMBGPU__PERM_SEARCH_AT_KEY);
    t->known = 0;
    t->hits = t->hash = t->outside = t->sum[0] = t->sum[1] = t->sum[2] = t->sum[3] = 0;
}

/* Steps until the next poll of the slice, at most `most`; 0 = spill everything. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_rounds(COMBGPU__GLOBAL combgpu__slice *slice,
                                                    uint32_t steps, uint32_t most)
{
    uint32_t stop = COMBGPU__STOPPED(slice), limit = stop ? slice->least : slice->budget;
    if (stop && limit > COMBGPU__PERM_SEARCH_LEAST) limit = COMBGPU__PERM_SEARCH_LEAST;
    if (steps >= limit || (stop & COMBGPU__STOP_NOW)) return 0;
    return limit - steps < most ? limit - steps : most;
}

COMBGPU__DEVICE int combgpu_perm_search_lowest(uint64_t mask, int wide)
{
    return (int)(wide ? combgpu_lowest_bit64(mask) : COMBGPU__CTZ((uint32_t)mask));
}

COMBGPU__DEVICE int combgpu_perm_search_highest(uint64_t mask, int wide)
{
    const uint32_t high = wide ? (uint32_t)(mask >> 32) : 0;
    return (int)(high ? 63 - COMBGPU__CLZ(high) : 31 - COMBGPU__CLZ((uint32_t)mask));
}

/* Nonzero if no completion of perm[0 .. place] is better than the best, or as good and earlier. */
COMBGPU__PERM_SEARCH_PARAMETERS COMBGPU__DEVICE uint32_t combgpu_perm_search_beaten(
    COMBGPU__GLOBAL const uint32_t *tables, COMBGPU__GLOBAL const uint32_t *work,
    const combgpu_perm_search_t *t, const uint8_t *perm, COMBGPU__LOCAL const uint8_t *row,
    const uint8_t *best, int place, int value, const COMBGPU__PERM_SEARCH_STATE_T *state)
{
    int64_t bound = 0;
    if (COMBGPU__PERM_SEARCH_BOUNDED && t->prunes != COMBGPU__PERM_SEARCH_LATER) {
        const uint32_t below = t->prunes == COMBGPU__PERM_SEARCH_BELOW;
        bound = COMBGPU__TREE(bound)(perm, place, value, t->n, t->length, state, t->data,
                                     below ? ~t->key : t->key);
        if (below) bound = ~bound;
    }
    return bound > t->key || combgpu_perm_search_hint(bound) > COMBGPU__PERM_SEARCH_HINT(work) ||
           (bound == t->key && combgpu_perm_search_later(tables, t, row, best, place));
}

COMBGPU__PERM_SEARCH_PARAMETERS COMBGPU__KERNEL combgpu_perm_tree(COMBGPU__SLICE_ARGUMENTS)
{
    typedef COMBGPU__PERM_SEARCH_MASK_T mask_t;
    typedef COMBGPU__PERM_SEARCH_STATE_T state_t;
    typedef struct COMBGPU__PERM_SEARCH_ALIGNED(2 * sizeof(mask_t) + sizeof(state_t),
                                                sizeof(mask_t)) {
        mask_t todo, open;
        state_t state;
    } frame_t;
    enum {
        small = sizeof(state_t) <= COMBGPU__PERM_SEARCH_SMALL,
        wide = sizeof(mask_t) > 4,
        levels = COMBGPU__PERM_SEARCH_LEVELS(sizeof(frame_t)),
        words = PLACES / 4 + 1 /* odd, so that lanes at the same position do not disturb each
                                  other */
    };
    /* the members; hits whose hashes wait; the first frames */
    COMBGPU__LOCAL_ARRAY uint32_t rows[COMBGPU__PERM_SEARCH_LANES][words];
    COMBGPU__LOCAL_ARRAY uint32_t held_rows[PLAIN ? COMBGPU__PERM_SEARCH_LANES : 1][words];
    COMBGPU__LOCAL_ARRAY frame_t local_frames[small ? levels * COMBGPU__PERM_SEARCH_LANES : 1];
    /* more frames; large states */
    frame_t frames[PLACES + 1];
    state_t state, next;
    mask_t todo = 0, open = 0, live = 0; /* live: positions above with values to try */
    COMBGPU__LOCAL uint8_t *const row = (COMBGPU__LOCAL uint8_t *)rows[COMBGPU__LANE_ID];
    COMBGPU__LOCAL frame_t *const first_frame = local_frames + (small ? COMBGPU__LANE_ID : 0);
    COMBGPU__LOCAL frame_t *frame = first_frame; /* the next one */
#ifdef __CUDACC__
    uint8_t *const perm = row;
#else
    uint8_t perm[PLACES + 1]; /* callers cannot read local memory */
#endif
    uint8_t best[PLACES + 1];
    /* copies left of each value: for multisets alone */
    uint8_t left_of[COMBGPU__PERM_MOST];
    combgpu_perm_search_t t;
    uint32_t steps = 0, is_held = 0, full = 0, rounds, i;
    const uint32_t lane = COMBGPU__LANE_ID;
    const uint32_t idle = /* a lane beyond the workers, of the last block */
        COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers;
    int place = 0, depth = 0, value; /* depth: number of frames */
    COMBGPU__GLOBAL const uint8_t *repeats =
        (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_REPEATS);
    combgpu_perm_search_read_tables(&t, tables, PLAIN);
    for (i = 0; i < PLACES; i++)
        perm[i] = row[i] = best[i] = 0;
    for (;;) {
        rounds = idle ? 0
                      : combgpu_perm_search_rounds(slice, steps,
                                                   t.prunes ? 1 : COMBGPU__PERM_SEARCH_ROUNDS);
        if (!rounds) break;
        if (!todo) { /* goes to a task's position */
            COMBGPU__GLOBAL const uint32_t *task;
            i = combgpu_take(slice);
            if (i == COMBGPU__NONE) break;
            task = tasks + (uint64_t)i * slice->task_words;
            place = (int)task[COMBGPU__PERM_SEARCH_TASK_PLACE];
            todo = (mask_t)combgpu_load64(task + COMBGPU__PERM_SEARCH_TASK_TODO);
            open = 0;
            for (value = 0; value < t.n; value++) {
                if (t.multi) left_of[value] = repeats[value];
                if (repeats[value]) open |= (mask_t)1 << value;
            }
            {
                state_t zero = {0};
                if (small)
                    state = zero;
                else
                    frames[0].state = zero;
            }
            COMBGPU__TREE(begin)(t.n, t.length, small ? &state : &frames[0].state, t.data);
            for (i = 0; (int)i < place; i++) {
                value = (int)(task[COMBGPU__PERM_SEARCH_TASK_PERM + i / 4] >> i % 4 * 8 & 255);
                perm[i] = row[i] = (uint8_t)value;
                if (!small) frames[i + 1].state = frames[i].state;
                (void)COMBGPU__TREE(step)(perm, (int)i, value, t.n, t.length,
                                          small ? &state : &frames[i + 1].state, t.data);
                if (!t.multi || !--left_of[value]) open &= ~((mask_t)1 << value);
            }
        }
        steps += rounds;
        for (; rounds && todo; rounds--) {
            mask_t bit, rest = 0, below = 0; /* rest, below: left at the next position, to try
                                                there */
            state_t *const to = small ? &next : &frames[place + 1].state;
            if (t.ordered) {
                i = 0;
                while (!(todo >> t.order[i] & 1))
                    i++;
                value = t.order[i];
            } else
                value = combgpu_perm_search_lowest(todo, wide);
            bit = (mask_t)1 << value;
            todo &= ~bit;
            perm[place] = row[place] = (uint8_t)value;
            *to = small ? state : frames[place].state;
            if (COMBGPU__TREE(step)(perm, place, value, t.n, t.length, to, t.data)) {
                if (t.prunes && COMBGPU__PERM_SEARCH_CALL(combgpu_perm_search_beaten)(
                                    tables, work, &t, perm, row, best, place, value, to))
                    ;
                else if (place + 1 < t.length) {
                    rest = t.multi && left_of[value] > 1 ? open : open & ~bit;
                    below =
                        (PLAIN ? rest
                               : (mask_t)combgpu_perm_search_open(&t, row, place + 1, rest)) &
                        (mask_t)COMBGPU__TREE(allowed)(perm, place + 1, t.n, t.length, to, t.data);
                } else {
                    int64_t result = COMBGPU__TREE(leaf)(perm, t.n, t.length, to, t.data);
                    if (!PLAIN)
                        full = !combgpu_perm_search_leaf_of(slice, tables, records, work, &t, row,
                                                            best, result);
                    else if (result && is_held) {
                        t.hits++;
                        t.hash += combgpu_perm_search_hash(rows[lane], t.length);
                    } else if (result) {
                        uint32_t copy[words - 1];
                        for (i = 0; i < words - 1; i++)
                            copy[i] = rows[lane][i];
                        for (i = 0; i < words - 1; i++)
                            held_rows[PLAIN ? lane : 0][i] = copy[i];
                        is_held = 1;
                    }
                }
            }
            if (full) {
                todo |= bit;
                break;
            }
            if (below) {
                if (todo) {
                    live |= (mask_t)1 << place;
                    if (small && depth < levels) {
                        const frame_t here = {todo, open, state};
                        *frame = here;
                    } else {
                        frames[place].todo = todo;
                        frames[place].open = open;
                        if (small) frames[place].state = state;
                    }
                    frame += COMBGPU__PERM_SEARCH_LANES;
                    depth++;
                }
                if (t.multi) left_of[value]--;
                place++;
                todo = below;
                open = rest;
                if (small) state = next;
            } else if (!todo && live) { /* back to the last position with values left */
                int from = place;
                place = combgpu_perm_search_highest(live, wide);
                live &= ~((mask_t)1 << place);
                frame -= COMBGPU__PERM_SEARCH_LANES;
                depth--;
                if (small && depth < levels) {
                    const frame_t here = *frame;
                    todo = here.todo;
                    open = here.open;
                    state = here.state;
                } else {
                    todo = frames[place].todo;
                    open = frames[place].open;
                    if (small) state = frames[place].state;
                }
                if (t.multi)
                    while (from-- > place)
                        left_of[row[from]]++;
            }
        }
        steps -= rounds;
        if (is_held) { /* many lanes at once take as long as one */
            t.hits++;
            t.hash += combgpu_perm_search_hash(held_rows[PLAIN ? lane : 0], t.length);
            is_held = 0;
        }
        if (full) break;
    }
    if (todo) { /* spills the rest, the deepest position first, which the next slice takes first */
        const uint32_t starved = COMBGPU__STOPPED(slice) & COMBGPU__STOP_STARVED;
        const mask_t last = todo;
        const int frames_there = depth, last_place = place;
        /* if others are idle, the largest subtrees first and in parts: as many tasks as fit */
        int spare = starved ? t.length - 1 - depth : 0;
        live |= (mask_t)1 << place;
        depth = starved ? 0 : frames_there;
        while (live) {
            place = starved ? combgpu_perm_search_lowest(live, wide)
                            : combgpu_perm_search_highest(live, wide);
            live &= ~((mask_t)1 << place);
            todo = place == last_place       ? last
                   : small && depth < levels ? first_frame[depth * COMBGPU__PERM_SEARCH_LANES].todo
                                             : frames[place].todo;
            depth += starved ? 1 : -1;
            for (; spare && (todo & (todo - 1)); spare--) {
                combgpu_perm_search_give(slice, left, row, place, t.length, todo & (~todo + 1));
                todo &= todo - 1;
            }
            combgpu_perm_search_give(slice, left, row, place, t.length, todo);
        }
    }
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, COMBGPU__PERM_SEARCH_S_HITS, t.hits);
    combgpu_add_total(slice, COMBGPU__PERM_SEARCH_S_HASH, t.hash);
    if (PLAIN) return;
    combgpu_add_total(slice, COMBGPU__PERM_SEARCH_S_OUTSIDE, t.outside);
    for (i = 0; i < 4; i++)
        combgpu_add_total(slice, COMBGPU__PERM_SEARCH_S_SUM + i, t.sum[i]);
}
#ifndef __CUDACC__
#undef PLACES
#undef PLAIN
#endif
#endif /* searcher */
