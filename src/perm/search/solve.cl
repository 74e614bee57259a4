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
#define COMBGPU__PERM_SEARCH_DEVICE COMBGPU__PERM_SEARCH_PARAMETERS COMBGPU__DEVICE
#define COMBGPU__PERM_SEARCH_FRAME_T struct COMBGPU__PERM_SEARCH_CALL(combgpu_perm_search_frame)
#define COMBGPU__PERM_SEARCH_LANE_T struct COMBGPU__PERM_SEARCH_CALL(combgpu_perm_search_lane)
/* Small states are in registers and in frames. A lane's first frames are in local memory. */
#define COMBGPU__PERM_SEARCH_IS_SMALL (sizeof(COMBGPU__PERM_SEARCH_STATE_T) <= 32)
#define COMBGPU__PERM_SEARCH_FRAMES ((int)(128 / sizeof(COMBGPU__PERM_SEARCH_FRAME_T)))
#define COMBGPU__PERM_SEARCH_LEVELS                                                                \
    (COMBGPU__PERM_SEARCH_FRAMES < PLACES ? COMBGPU__PERM_SEARCH_FRAMES : PLACES)
#define COMBGPU__PERM_SEARCH_IS_WIDE (sizeof(COMBGPU__PERM_SEARCH_MASK_T) > 4)
/* words of a member: odd, so that lanes at the same position do not disturb each other */
#define COMBGPU__PERM_SEARCH_WORDS (PLACES / 4 + 1)
/* alignment of a frame, so that wide loads and stores move it */
#define COMBGPU__PERM_SEARCH_ALIGNED(bytes, least)                                                 \
    COMBGPU__ALIGNED((bytes) % 16 == 0 ? 16 : (bytes) % 8 == 0 ? 8 : (least))
/* steps between two polls of the slice; one where each polls what others have found */
#define COMBGPU__PERM_SEARCH_ROUNDS 32
/* steps after which a lane spills its frames for idle ones: steps are light, and the spilled parts
   soon refill all lanes */
#define COMBGPU__PERM_SEARCH_LEAST 1024

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
COMBGPU__PERM_SEARCH_DEVICE uint32_t combgpu_perm_search_beaten(
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

/* A position that the lane returns to, as values are left to try. */
COMBGPU__PERM_SEARCH_PARAMETERS struct COMBGPU__PERM_SEARCH_ALIGNED(
    2 * sizeof(COMBGPU__PERM_SEARCH_MASK_T) + sizeof(COMBGPU__PERM_SEARCH_STATE_T),
    sizeof(COMBGPU__PERM_SEARCH_MASK_T)) combgpu_perm_search_frame {
    COMBGPU__PERM_SEARCH_MASK_T todo, open;
    COMBGPU__PERM_SEARCH_STATE_T state;
};

/* A lane at work. It points to arrays and to the caller's states, which may contain some: within it,
   an array with a variable index would keep all of it out of registers. */
COMBGPU__PERM_SEARCH_PARAMETERS struct combgpu_perm_search_lane {
    COMBGPU__GLOBAL combgpu__slice *slice;
    COMBGPU__GLOBAL const uint32_t *tables;
    COMBGPU__GLOBAL uint32_t *records, *work;
    combgpu_perm_search_t *t;
    COMBGPU__LOCAL uint8_t *row; /* the member */
    uint8_t *perm;               /* again: callers cannot read OpenCL's local memory */
    uint8_t *best;
    uint8_t *left_of;                  /* copies left of each value: for multisets alone */
    COMBGPU__LOCAL uint32_t *held_row; /* a hit whose hash waits */
    /* the lane's position and the next, if states are small */
    COMBGPU__PERM_SEARCH_STATE_T *state, *next;
    COMBGPU__LOCAL COMBGPU__PERM_SEARCH_FRAME_T *first_frame, *frame; /* frame: the next one */
    COMBGPU__PERM_SEARCH_FRAME_T *frames;         /* more frames, by position; large states */
    COMBGPU__PERM_SEARCH_MASK_T todo, open, live; /* live: positions above with values to try */
    int place, depth;                             /* depth: number of frames */
    uint32_t is_held, full;
};

/* Goes to a task's position. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_go_to(COMBGPU__PERM_SEARCH_LANE_T *lane,
                                                           COMBGPU__GLOBAL const uint32_t *task)
{
    typedef COMBGPU__PERM_SEARCH_MASK_T mask_t;
    const combgpu_perm_search_t *t = lane->t;
    COMBGPU__GLOBAL const uint8_t *repeats =
        (COMBGPU__GLOBAL const uint8_t *)(lane->tables + COMBGPU__PERM_SEARCH_AT_REPEATS);
    COMBGPU__PERM_SEARCH_STATE_T zero = {0}, *state = lane->state;
    uint32_t i; /* nvcc would unroll a loop with a signed one: a quarter more instructions */
    int value;
    lane->place = (int)task[COMBGPU__PERM_SEARCH_TASK_PLACE];
    lane->todo = (mask_t)combgpu_load64(task + COMBGPU__PERM_SEARCH_TASK_TODO);
    lane->open = 0;
    for (value = 0; value < t->n; value++) {
        if (t->multi) lane->left_of[value] = repeats[value];
        if (repeats[value]) lane->open |= (mask_t)1 << value;
    }
    if (!COMBGPU__PERM_SEARCH_IS_SMALL) state = &lane->frames[0].state;
    *state = zero;
    COMBGPU__TREE(begin)(t->n, t->length, state, t->data);
    for (i = 0; (int)i < lane->place; i++) {
        value = (int)(task[COMBGPU__PERM_SEARCH_TASK_PERM + i / 4] >> i % 4 * 8 & 255);
        lane->perm[i] = lane->row[i] = (uint8_t)value;
        if (!COMBGPU__PERM_SEARCH_IS_SMALL) {
            lane->frames[i + 1].state = lane->frames[i].state;
            state = &lane->frames[i + 1].state;
        }
        (void)COMBGPU__TREE(step)(lane->perm, (int)i, value, t->n, t->length, state, t->data);
        if (!t->multi || !--lane->left_of[value]) lane->open &= ~((mask_t)1 << value);
    }
}

COMBGPU__PERM_SEARCH_DEVICE int combgpu_perm_search_next_value(
    const COMBGPU__PERM_SEARCH_LANE_T *lane)
{
    const combgpu_perm_search_t *t = lane->t;
    int i = 0;
    if (!t->ordered) return combgpu_perm_search_lowest(lane->todo, COMBGPU__PERM_SEARCH_IS_WIDE);
    while (!(lane->todo >> t->order[i] & 1))
        i++;
    return t->order[i];
}

/* Adds the hit that waits: many lanes at once take as long as one. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_add_held(COMBGPU__PERM_SEARCH_LANE_T *lane)
{
    lane->t->hits++;
    lane->t->hash += combgpu_perm_search_hash(lane->held_row, lane->t->length);
    lane->is_held = 0;
}

/* Takes a complete member. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_complete(
    COMBGPU__PERM_SEARCH_LANE_T *lane, const COMBGPU__PERM_SEARCH_STATE_T *state)
{
    COMBGPU__LOCAL const uint32_t *row = (COMBGPU__LOCAL const uint32_t *)lane->row;
    combgpu_perm_search_t *t = lane->t;
    int64_t value = COMBGPU__TREE(leaf)(lane->perm, t->n, t->length, state, t->data);
    if (!PLAIN)
        lane->full = !combgpu_perm_search_leaf_of(lane->slice, lane->tables, lane->records,
                                                  lane->work, t, lane->row, lane->best, value);
    else if (value && lane->is_held) {
        t->hits++;
        t->hash += combgpu_perm_search_hash(row, t->length);
    } else if (value) {
        uint32_t copy[COMBGPU__PERM_SEARCH_WORDS - 1], i;
        for (i = 0; i < COMBGPU__PERM_SEARCH_WORDS - 1; i++)
            copy[i] = row[i];
        for (i = 0; i < COMBGPU__PERM_SEARCH_WORDS - 1; i++)
            lane->held_row[i] = copy[i];
        lane->is_held = 1;
    }
}

/* Goes from `value` to the next position, which has values to try. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_descend(COMBGPU__PERM_SEARCH_LANE_T *lane,
                                                             int value,
                                                             COMBGPU__PERM_SEARCH_MASK_T todo,
                                                             COMBGPU__PERM_SEARCH_MASK_T open)
{
    if (lane->todo) {
        lane->live |= (COMBGPU__PERM_SEARCH_MASK_T)1 << lane->place;
        if (COMBGPU__PERM_SEARCH_IS_SMALL && lane->depth < COMBGPU__PERM_SEARCH_LEVELS) {
            const COMBGPU__PERM_SEARCH_FRAME_T here = {lane->todo, lane->open, *lane->state};
            *lane->frame = here;
        } else {
            lane->frames[lane->place].todo = lane->todo;
            lane->frames[lane->place].open = lane->open;
            if (COMBGPU__PERM_SEARCH_IS_SMALL) lane->frames[lane->place].state = *lane->state;
        }
        lane->frame += COMBGPU__PERM_SEARCH_LANES;
        lane->depth++;
    }
    if (lane->t->multi) lane->left_of[value]--;
    lane->place++;
    lane->todo = todo;
    lane->open = open;
    if (COMBGPU__PERM_SEARCH_IS_SMALL) *lane->state = *lane->next;
}

/* Goes back to the last position with values left. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_return(COMBGPU__PERM_SEARCH_LANE_T *lane)
{
    int from = lane->place;
    lane->place = combgpu_perm_search_highest(lane->live, COMBGPU__PERM_SEARCH_IS_WIDE);
    lane->live &= ~((COMBGPU__PERM_SEARCH_MASK_T)1 << lane->place);
    lane->frame -= COMBGPU__PERM_SEARCH_LANES;
    lane->depth--;
    if (COMBGPU__PERM_SEARCH_IS_SMALL && lane->depth < COMBGPU__PERM_SEARCH_LEVELS) {
        const COMBGPU__PERM_SEARCH_FRAME_T here = *lane->frame;
        lane->todo = here.todo;
        lane->open = here.open;
        *lane->state = here.state;
    } else {
        lane->todo = lane->frames[lane->place].todo;
        lane->open = lane->frames[lane->place].open;
        if (COMBGPU__PERM_SEARCH_IS_SMALL) *lane->state = lane->frames[lane->place].state;
    }
    if (lane->t->multi)
        while (from-- > lane->place)
            lane->left_of[lane->row[from]]++;
}

/* Tries the next value and goes to the position after that. If the value's record finds no room, sets
   `full` and stays. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_try(COMBGPU__PERM_SEARCH_LANE_T *lane)
{
    typedef COMBGPU__PERM_SEARCH_MASK_T mask_t;
    const combgpu_perm_search_t *t = lane->t;
    const int place = lane->place, value = combgpu_perm_search_next_value(lane);
    const mask_t bit = (mask_t)1 << value;
    mask_t rest = 0, below = 0; /* left at the next position, to try there */
    COMBGPU__PERM_SEARCH_STATE_T *to =
        COMBGPU__PERM_SEARCH_IS_SMALL ? lane->next : &lane->frames[place + 1].state;
    lane->todo &= ~bit;
    lane->perm[place] = lane->row[place] = (uint8_t)value;
    *to = COMBGPU__PERM_SEARCH_IS_SMALL ? *lane->state : lane->frames[place].state;
    if (COMBGPU__TREE(step)(lane->perm, place, value, t->n, t->length, to, t->data)) {
        if (t->prunes &&
            COMBGPU__PERM_SEARCH_CALL(combgpu_perm_search_beaten)(
                lane->tables, lane->work, t, lane->perm, lane->row, lane->best, place, value, to))
            ;
        else if (place + 1 < t->length) {
            rest = t->multi && lane->left_of[value] > 1 ? lane->open : lane->open & ~bit;
            below =
                (PLAIN ? rest : (mask_t)combgpu_perm_search_open(t, lane->row, place + 1, rest)) &
                (mask_t)COMBGPU__TREE(allowed)(lane->perm, place + 1, t->n, t->length, to, t->data);
        } else
            combgpu_perm_search_complete(lane, to);
    }
    if (lane->full)
        lane->todo |= bit;
    else if (below)
        combgpu_perm_search_descend(lane, value, below, rest);
    else if (!lane->todo && lane->live)
        combgpu_perm_search_return(lane);
}

/* Spills the rest, the deepest position first, which the next slice takes first. If others are idle,
   the largest subtrees first and in parts: as many tasks as fit. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_spill(const COMBGPU__PERM_SEARCH_LANE_T *lane,
                                                           COMBGPU__GLOBAL uint32_t *left)
{
    typedef COMBGPU__PERM_SEARCH_MASK_T mask_t;
    const uint32_t starved = COMBGPU__STOPPED(lane->slice) & COMBGPU__STOP_STARVED;
    const int length = lane->t->length;
    mask_t live = lane->live | (mask_t)1 << lane->place, todo;
    int spare = starved ? length - 1 - lane->depth : 0, depth = starved ? 0 : lane->depth, place;
    while (live) {
        place = starved ? combgpu_perm_search_lowest(live, COMBGPU__PERM_SEARCH_IS_WIDE)
                        : combgpu_perm_search_highest(live, COMBGPU__PERM_SEARCH_IS_WIDE);
        live &= ~((mask_t)1 << place);
        todo = place == lane->place ? lane->todo
               : COMBGPU__PERM_SEARCH_IS_SMALL && depth < COMBGPU__PERM_SEARCH_LEVELS
                   ? lane->first_frame[depth * COMBGPU__PERM_SEARCH_LANES].todo
                   : lane->frames[place].todo;
        depth += starved ? 1 : -1;
        for (; spare && (todo & (todo - 1)); spare--) {
            combgpu_perm_search_give(lane->slice, left, lane->row, place, length,
                                     todo & (~todo + 1));
            todo &= todo - 1;
        }
        combgpu_perm_search_give(lane->slice, left, lane->row, place, length, todo);
    }
}

COMBGPU__PERM_SEARCH_PARAMETERS COMBGPU__KERNEL combgpu_perm_tree(COMBGPU__SLICE_ARGUMENTS)
{
    /* the members; hits whose hashes wait; the first frames */
    COMBGPU__LOCAL_ARRAY uint32_t rows[COMBGPU__PERM_SEARCH_LANES][COMBGPU__PERM_SEARCH_WORDS];
    COMBGPU__LOCAL_ARRAY uint32_t
        held_rows[PLAIN ? COMBGPU__PERM_SEARCH_LANES : 1][COMBGPU__PERM_SEARCH_WORDS];
    COMBGPU__LOCAL_ARRAY COMBGPU__PERM_SEARCH_FRAME_T
        local_frames[COMBGPU__PERM_SEARCH_IS_SMALL
                         ? COMBGPU__PERM_SEARCH_LEVELS * COMBGPU__PERM_SEARCH_LANES
                         : 1];
    COMBGPU__PERM_SEARCH_FRAME_T frames[PLACES + 1];
    COMBGPU__PERM_SEARCH_STATE_T state, next;
    uint8_t best[PLACES + 1], left_of[COMBGPU__PERM_MOST];
#ifndef __CUDACC__
    uint8_t perm[PLACES + 1];
#endif
    combgpu_perm_search_t t;
    COMBGPU__PERM_SEARCH_LANE_T lane;
    uint32_t steps = 0, rounds, i;
    const uint32_t idle = /* a lane beyond the workers, of the last block */
        COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers;
    combgpu_perm_search_read_tables(&t, tables, PLAIN);
    lane.slice = slice;
    lane.tables = tables;
    lane.records = records;
    lane.work = work;
    lane.t = &t;
    lane.row = (COMBGPU__LOCAL uint8_t *)rows[COMBGPU__LANE_ID];
#ifdef __CUDACC__
    lane.perm = lane.row;
#else
    lane.perm = perm;
#endif
    lane.best = best;
    lane.left_of = left_of;
    lane.held_row = held_rows[PLAIN ? COMBGPU__LANE_ID : 0];
    lane.state = &state;
    lane.next = &next;
    lane.first_frame = local_frames + (COMBGPU__PERM_SEARCH_IS_SMALL ? COMBGPU__LANE_ID : 0);
    lane.frame = lane.first_frame;
    lane.frames = frames;
    lane.todo = lane.open = lane.live = 0;
    lane.place = lane.depth = 0;
    lane.is_held = lane.full = 0;
    for (i = 0; i < PLACES; i++)
        lane.perm[i] = lane.row[i] = best[i] = 0;
    while (!lane.full) {
        rounds = idle ? 0
                      : combgpu_perm_search_rounds(slice, steps,
                                                   t.prunes ? 1 : COMBGPU__PERM_SEARCH_ROUNDS);
        if (!rounds) break;
        if (!lane.todo) {
            i = combgpu_take(slice);
            if (i == COMBGPU__NONE) break;
            combgpu_perm_search_go_to(&lane, tasks + (uint64_t)i * slice->task_words);
        }
        steps += rounds;
        for (; rounds && lane.todo; rounds--) {
            combgpu_perm_search_try(&lane);
            if (lane.full) break;
        }
        steps -= rounds;
        if (lane.is_held) combgpu_perm_search_add_held(&lane);
    }
    if (lane.todo) combgpu_perm_search_spill(&lane, left);
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
