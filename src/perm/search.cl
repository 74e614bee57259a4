/* Searches: a lane is a worker with a stack of its own in private memory.

   The searcher: OpenCL puts before this file the caller's functions combgpu_tree_step, ..., whether
   there is a bound, and the number of places, for which the stack is compiled. CUDA instantiates the
   kernel with a type that has step(), ... and for two numbers of places. */
#if defined(COMBGPU_SEARCHER) || defined(__CUDACC__)
#ifdef __CUDACC__
#define COMBGPU__TREEER_PARAMETERS template <class Searcher, int PLACES>
#define COMBGPU__TREE(part) Searcher::part
#define COMBGPU__TREE_STATE_T typename Searcher::state_t
#define COMBGPU__TREE_BOUNDED ((uint32_t)Searcher::has_bound)
#else
#define COMBGPU__TREEER_PARAMETERS
#define COMBGPU__TREE(part) combgpu_tree_##part
#define COMBGPU__TREE_STATE_T combgpu_tree_state
#define COMBGPU__TREE_BOUNDED COMBGPU_SEARCH_HAS_BOUND
#define PLACES COMBGPU_SEARCH_PLACES
#endif
/* combgpu_search_goal for OpenCL, which does not see the API; what prunes (src/api/searcher.h) */
#define COMBGPU__TREE_FIRST 1u
#define COMBGPU__TREE_MINIMUM 2u
#define COMBGPU__TREE_MAXIMUM 3u
#define COMBGPU__TREE_SUM 4u
#define COMBGPU__TREE_HISTOGRAM 5u
#define COMBGPU__TREE_BELOW 2u
#define COMBGPU__TREE_LATER 3u
#define COMBGPU__TREE_NO_KEY ((int64_t)(~(uint64_t)0 >> 1)) /* the largest */
/* The hint as others may just have lowered it; see COMBGPU__STOPPED. */
#ifdef COMBGPU_RACE_CHECK
#define COMBGPU__TREE_HINT(work) COMBGPU__ATOMIC_OR(work, 0)
#else
#define COMBGPU__TREE_HINT(work) (*(volatile COMBGPU__GLOBAL uint32_t *)(work))
#endif

/* What is the same for all tasks of a lane, and its results. */
typedef struct combgpu_tree_t {
    COMBGPU__GLOBAL const uint8_t *data, *order, *rank;
    int n, length;
    uint32_t goal, family, multi, ordered, prunes;
    int64_t key;    /* of the best member this lane knows; smaller is better */
    uint32_t known; /* the member itself: 0 = tables have it, 1 = best[] */
    uint64_t hits, hash, outside, sum[4];
} combgpu_tree_t;

/* As combgpu__tree_open (src/api/searcher.h). */
COMBGPU__DEVICE uint64_t combgpu_tree_open(const combgpu_tree_t *t, const uint8_t *perm, int place,
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

/* As combgpu__tree_hint (search_collect.c). */
COMBGPU__DEVICE uint32_t combgpu_tree_hint(int64_t key)
{
    const int64_t most = 0x7fffffff;
    return key <= -most - 1 ? 0 : key >= most ? 0xffffffffu : (uint32_t)key ^ 0x80000000u;
}

/* As combgpu__tree_hash (search.c). */
COMBGPU__DEVICE uint64_t combgpu_tree_hash(const uint8_t *perm, int length)
{
    uint64_t hash = (uint64_t)length, word = 0;
    int i;
    for (i = 0; i < length; i++) {
        word |= (uint64_t)perm[i] << i % 8 * 8;
        if (i % 8 == 7 || i == length - 1) {
            hash = combgpu_mix(hash ^ word);
            word = 0;
        }
    }
    return hash;
}

/* Nonzero if perm[0 .. place] comes after the best member, in the order of ranks. */
COMBGPU__DEVICE uint32_t combgpu_tree_later(COMBGPU__GLOBAL const uint32_t *tables,
                                            const combgpu_tree_t *t, const uint8_t *perm,
                                            const uint8_t *best, int place)
{
    COMBGPU__GLOBAL const uint8_t *tables_best =
        (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__TREE_AT_BEST);
    int i;
    for (i = 0; i <= place; i++) {
        uint8_t rank = t->rank[perm[i]], other = t->known ? best[i] : tables_best[i];
        if (rank != other) return rank > other;
    }
    return 0;
}

/* A bin's count in global memory: 64 bits by 32-bit atomics. */
COMBGPU__DEVICE void combgpu_tree_bin(COMBGPU__GLOBAL const uint32_t *tables,
                                      COMBGPU__GLOBAL uint32_t *work, combgpu_tree_t *t,
                                      int64_t value)
{
    int64_t first = (int64_t)combgpu_load64(tables + COMBGPU__TREE_AT_FIRST);
    uint64_t bin = (uint64_t)value - (uint64_t)first;
    bin /= combgpu_load64(tables + COMBGPU__TREE_AT_WIDTH);
    if (value < first || bin >= tables[COMBGPU__TREE_AT_BINS])
        t->outside++;
    else if (COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin, 1) == 0xffffffffu)
        COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin + 1, 1);
}

/* Stores a record; returns 0 if there is no room. */
COMBGPU__DEVICE uint32_t combgpu_tree_emit(COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL uint32_t *records, const uint8_t *perm,
                                           int length, int64_t value)
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
COMBGPU__DEVICE uint32_t combgpu_tree_leaf_of(COMBGPU__GLOBAL combgpu__slice *slice,
                                              COMBGPU__GLOBAL const uint32_t *tables,
                                              COMBGPU__GLOBAL uint32_t *records,
                                              COMBGPU__GLOBAL uint32_t *work, combgpu_tree_t *t,
                                              const uint8_t *perm, uint8_t *best, int64_t value)
{
    if (t->goal == COMBGPU__TREE_SUM || t->goal == COMBGPU__TREE_HISTOGRAM) {
        t->hits++;
        if (t->goal == COMBGPU__TREE_HISTOGRAM)
            combgpu_tree_bin(tables, work, t, value);
        else {
            t->sum[0] += (uint64_t)value & 65535;
            t->sum[1] += (uint64_t)value >> 16 & 65535;
            t->sum[2] += (uint64_t)value >> 32 & 65535;
            t->sum[3] += ((uint64_t)value >> 48) - (value < 0 ? 65536u : 0u);
        }
    } else if (t->goal == COMBGPU__TREE_MINIMUM || t->goal == COMBGPU__TREE_MAXIMUM ||
               t->goal == COMBGPU__TREE_FIRST) {
        int64_t key = t->goal == COMBGPU__TREE_MAXIMUM ? ~value : value;
        uint32_t hint;
        int i;
        if (t->goal == COMBGPU__TREE_FIRST) {
            if (!value) return 1;
            key = 0;
        }
        hint = combgpu_tree_hint(key);
        if (key > t->key || hint > COMBGPU__TREE_HINT(work)) return 1;
        if (key == t->key && combgpu_tree_later(tables, t, perm, best, t->length - 1)) return 1;
        if (!combgpu_tree_emit(slice, records, perm, t->length, value)) return 0;
        COMBGPU__ATOMIC_MIN(work, hint);
        t->key = key;
        t->known = 1;
        for (i = 0; i < t->length; i++)
            best[i] = t->rank[perm[i]];
    } else if (value) {
        if (tables[COMBGPU__TREE_AT_LIST])
            return combgpu_tree_emit(slice, records, perm, t->length, value);
        t->hits++;
        t->hash += combgpu_tree_hash(perm, t->length);
    }
    return 1;
}

/* Gives back a task: perm[0 .. place-1] and the values to try next. */
COMBGPU__DEVICE void combgpu_tree_give(COMBGPU__GLOBAL combgpu__slice *slice,
                                       COMBGPU__GLOBAL uint32_t *left, const uint8_t *perm,
                                       int place, int length, uint64_t todo)
{
    COMBGPU__GLOBAL uint32_t *to = left + (uint64_t)combgpu_give(slice) * slice->task_words;
    uint32_t word = 0;
    int i;
    to[COMBGPU__TREE_TASK_PLACE] = (uint32_t)place;
    combgpu_store64(to + COMBGPU__TREE_TASK_TODO, todo);
    for (i = 0; i < length; i++) {
        if (i < place) word |= (uint32_t)perm[i] << i % 4 * 8;
        if (i % 4 == 3 || i == length - 1) {
            to[COMBGPU__TREE_TASK_PERM + i / 4] = word;
            word = 0;
        }
    }
}

COMBGPU__TREEER_PARAMETERS COMBGPU__KERNEL combgpu_perm_tree(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__TREE_STATE_T states[PLACES + 1];
    uint64_t todos[PLACES + 1], available = 0, todo = 0;
    uint8_t perm[PLACES + 1], best[PLACES + 1];
    /* how many of each value are left: of multisets alone */
    uint8_t left_of[COMBGPU__PERM_MOST];
    combgpu_tree_t t;
    uint32_t busy = 0, steps = 0, i;
    const uint32_t idle = /* a lane beyond the workers, of the last block */
        COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers;
    int place = 0, base = 0, value;
    COMBGPU__GLOBAL const uint8_t *repeats =
        (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__TREE_AT_REPEATS);
    t.data = (COMBGPU__GLOBAL const uint8_t *)(tables + tables[COMBGPU__TREE_AT_DATA]);
    t.order = (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__TREE_AT_ORDER);
    t.rank = (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__TREE_AT_RANK);
    t.n = (int)tables[COMBGPU__TREE_AT_N];
    t.length = (int)tables[COMBGPU__TREE_AT_LENGTH];
    t.goal = tables[COMBGPU__TREE_AT_GOAL];
    t.family = tables[COMBGPU__TREE_AT_FAMILY];
    t.multi = tables[COMBGPU__TREE_AT_MULTI];
    t.ordered = tables[COMBGPU__TREE_AT_ORDERED];
    t.prunes = tables[COMBGPU__TREE_AT_PRUNES];
    t.key = (int64_t)combgpu_load64(tables + COMBGPU__TREE_AT_KEY);
    t.known = 0;
    t.hits = t.hash = t.outside = t.sum[0] = t.sum[1] = t.sum[2] = t.sum[3] = 0;
    for (i = 0; i <= PLACES; i++)
        perm[i] = best[i] = 0;
    for (;;) {
        if (!todo && busy) {
            if (place == base)
                busy = 0;
            else {
                place--;
                value = perm[place];
                if (t.multi) left_of[value]++;
                available |= (uint64_t)1 << value;
                todo = todos[place];
            }
        }
        if (!busy) { /* goes to the place of a task */
            COMBGPU__GLOBAL const uint32_t *task;
            i = idle || combgpu_spent(slice, steps) ? COMBGPU__NONE : combgpu_take(slice);
            if (i == COMBGPU__NONE) break;
            task = tasks + (uint64_t)i * slice->task_words;
            busy = 1;
            base = place = (int)task[COMBGPU__TREE_TASK_PLACE];
            todo = combgpu_load64(task + COMBGPU__TREE_TASK_TODO);
            available = 0;
            for (value = 0; value < t.n; value++) {
                if (t.multi) left_of[value] = repeats[value];
                if (repeats[value]) available |= (uint64_t)1 << value;
            }
            {
                COMBGPU__TREE_STATE_T zero = {0};
                states[0] = zero;
            }
            COMBGPU__TREE(begin)(t.n, t.length, &states[0], t.data);
            for (i = 0; (int)i < place; i++) {
                value = (int)(task[COMBGPU__TREE_TASK_PERM + i / 4] >> i % 4 * 8 & 255);
                perm[i] = (uint8_t)value;
                states[i + 1] = states[i];
                (void)COMBGPU__TREE(step)(perm, (int)i, value, t.n, t.length, &states[i + 1],
                                          t.data);
                if (!t.multi || !--left_of[value]) available &= ~((uint64_t)1 << value);
            }
        }
        if (!todo) continue;
        if (combgpu_spent(slice, steps)) break;
        if (t.ordered) {
            i = 0;
            while (!(todo >> t.order[i] & 1))
                i++;
            value = t.order[i];
        } else
            value = (int)combgpu_lowest_bit64(todo);
        todo &= ~((uint64_t)1 << value);
        steps++;
        perm[place] = (uint8_t)value;
        states[place + 1] = states[place];
        if (!COMBGPU__TREE(step)(perm, place, value, t.n, t.length, &states[place + 1], t.data))
            continue;
        if (t.prunes) {
            int64_t bound = 0;
            if (COMBGPU__TREE_BOUNDED && t.prunes != COMBGPU__TREE_LATER) {
                bound =
                    COMBGPU__TREE(bound)(perm, place, value, t.n, t.length, &states[place + 1],
                                         t.data, t.prunes == COMBGPU__TREE_BELOW ? ~t.key : t.key);
                if (t.prunes == COMBGPU__TREE_BELOW) bound = ~bound;
            }
            if (bound > t.key || combgpu_tree_hint(bound) > COMBGPU__TREE_HINT(work)) continue;
            if (bound == t.key && combgpu_tree_later(tables, &t, perm, best, place)) continue;
        }
        if (place + 1 == t.length) {
            if (!combgpu_tree_leaf_of(
                    slice, tables, records, work, &t, perm, best,
                    COMBGPU__TREE(leaf)(perm, t.n, t.length, &states[place + 1], t.data))) {
                todo |= (uint64_t)1 << value;
                steps--;
                break;
            }
            continue;
        }
        todos[place++] = todo;
        if (!t.multi || !--left_of[value]) available &= ~((uint64_t)1 << value);
        todo = combgpu_tree_open(&t, perm, place, available) &
               COMBGPU__TREE(allowed)(perm, place, t.n, t.length, &states[place], t.data);
    }
    if (busy) {
        todos[place] = todo;
        for (; place >= base; place--)
            if (todos[place]) combgpu_tree_give(slice, left, perm, place, t.length, todos[place]);
    }
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, COMBGPU__TREE_S_HITS, t.hits);
    combgpu_add_total(slice, COMBGPU__TREE_S_HASH, t.hash);
    combgpu_add_total(slice, COMBGPU__TREE_S_OUTSIDE, t.outside);
    for (i = 0; i < 4; i++)
        combgpu_add_total(slice, COMBGPU__TREE_S_SUM + i, t.sum[i]);
}
#ifndef __CUDACC__
#undef PLACES
#endif
#endif /* searcher */
