/* Visits: goals other than WRITE.

   A block processes its range in turns. In a turn each lane has a run of k! ranks that begins at a
   multiple of k!. A turn counts as a whole or, if its hits find no room, not at all.

   For all permutations of 10 to 16 elements a run has 24, 120 or 720 ranks, in blocks of 24. The
   orders of the last three positions are written out, so that perm[] is in registers and the
   compiler computes only once what depends on the other positions alone.

   The visitor: OpenCL puts before this file a caller's combgpu_visit, and COMBGPU_VISIT_N, the n
   for which the blocks are compiled. CUDA instantiates the kernel with a type that has visit(). */
#if defined(COMBGPU_VISITOR) || defined(__CUDACC__)
#define COMBGPU__VISIT_DATA                                                                        \
    ((COMBGPU__GLOBAL const uint8_t *)(tables + tables[COMBGPU__SET_AT_DATA]))
#define COMBGPU__VISIT_BIN_COUNT tables[COMBGPU__SET_AT_BINS]
#define COMBGPU__VISIT_BEST ((COMBGPU__VISIT_GOAL | 1) == COMBGPU__GOAL_MAXIMUM) /* or minimum */
#define COMBGPU__VISIT_FIRST ((int64_t)combgpu_load64(tables + COMBGPU__SET_AT_FIRST))
#define COMBGPU__VISIT_WIDTH combgpu_load64(tables + COMBGPU__SET_AT_WIDTH)
#define COMBGPU__VISIT_LOCAL_BINS 1024 /* more are counted in global memory */
#define COMBGPU__VISIT_LAST_KEY ((int64_t)(~(uint64_t)0 >> 1)) /* the largest */
#ifdef __CUDACC__
/* Specialise it to 0 for a kernel without blocks, which cost ptxas seconds. */
template <class Visitor> struct combgpu_visit_blocks_of {
    enum { value = 1 };
};
#define COMBGPU__VISIT_HAS_BLOCKS (uint32_t) combgpu_visit_blocks_of<Visitor>::value
#define COMBGPU__VISITOR_PARAMETER template <class Visitor>
#define COMBGPU__VISITOR_N_PARAMETER template <class Visitor, int N>
#define COMBGPU__VISIT(perm, n) Visitor::visit(perm, n, COMBGPU__VISIT_DATA)
#define COMBGPU__VISIT_BOUNDS                                                                      \
    __launch_bounds__(COMBGPU__VISIT_LANES, 6) /* at most 80 registers: 1.1 x as fast */
#else
#define COMBGPU__VISITOR_PARAMETER
#define COMBGPU__VISITOR_N_PARAMETER
#define COMBGPU__VISIT(perm, n) combgpu_visit(perm, n, COMBGPU__VISIT_DATA)
#define COMBGPU__VISIT_BOUNDS
#define N COMBGPU_VISIT_N
#endif

/* A lane's findings. The words are, depending on the goal: hits and hash; best key and its rank;
   low and high word of the sum; values outside all bins. */
typedef struct combgpu_visit_found_t {
    uint64_t x, y;
    uint32_t hits; /* of this turn */
    uint32_t at;   /* the next record, when hits are listed */
} combgpu_visit_found_t;

/* Counts of a histogram's values. */
#define COMBGPU__BINS_PARAMETER COMBGPU__GLOBAL uint32_t *work, COMBGPU__LOCAL uint32_t *bins
#define COMBGPU__BINS work, bins

/* The part of a checksum for the hits of a block of 24 ranks; bit i is rank 24 * block + i. */
COMBGPU__DEVICE uint64_t combgpu_visit_hash(uint64_t block, uint32_t hits)
{
    return combgpu_mix(block) * hits;
}

COMBGPU__DEVICE void combgpu_visit_bin(COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__BINS_PARAMETER, combgpu_visit_found_t *found,
                                       int64_t value)
{
    uint64_t bin = (uint64_t)value - (uint64_t)COMBGPU__VISIT_FIRST, width = COMBGPU__VISIT_WIDTH;
    if (width != 1) bin = (bin | width) >> 32 ? bin / width : (uint32_t)bin / (uint32_t)width;
    if (value < COMBGPU__VISIT_FIRST || bin >= COMBGPU__VISIT_BIN_COUNT)
        found->x++;
    else if (COMBGPU__VISIT_BIN_COUNT <= COMBGPU__VISIT_LOCAL_BINS)
        COMBGPU__LOCAL_ATOMIC_ADD(&bins[(uint32_t)bin], 1);
    else if (COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin, 1) == 0xffffffffu)
        COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin + 1, 1);
}

/* Adds one value. In pass 1, hits become records. */
COMBGPU__DEVICE void combgpu_visit_add(COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__GLOBAL uint32_t *records, COMBGPU__BINS_PARAMETER,
                                       combgpu_visit_found_t *found, uint32_t pass, uint64_t rank,
                                       int64_t value)
{
    int64_t key = COMBGPU__VISIT_GOAL == COMBGPU__GOAL_MAXIMUM
                      ? ~value
                      : value; /* the complement reverses the order */
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT) {
        if (!value) return;
        found->hits++;
        if (pass) {
            combgpu_store64(records + 4 * found->at, rank);
            records[4 * found->at + 2] = 1;
            records[4 * found->at + 3] = 0;
            found->at++;
        } else if (!COMBGPU__VISIT_LIST)
            found->y += combgpu_visit_hash(rank / 24, (uint32_t)1 << (uint32_t)(rank % 24));
    } else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM) {
        found->x += (uint64_t)value;
        found->y += (uint64_t)(found->x < (uint64_t)value) - (uint64_t)(value < 0);
    } else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_HISTOGRAM)
        combgpu_visit_bin(tables, COMBGPU__BINS, found, value);
    else if (key < (int64_t)found->x || (key == (int64_t)found->x && rank < found->y)) {
        found->x = (uint64_t)key;
        found->y = rank;
    }
}

#define COMBGPU__EACH_ORDER(X)                                                                     \
    X(0, 0, 1, 2)                                                                                  \
    X(1, 0, 2, 1)                                                                                  \
    X(2, 1, 0, 2)                                                                                  \
    X(3, 1, 2, 0)                                                                                  \
    X(4, 2, 0, 1)                                                                                  \
    X(5, 2, 1, 0)

#if defined(__CUDACC__) || COMBGPU_VISIT_N >= 10 && COMBGPU_VISIT_N <= 16
#ifndef __CUDACC__
#define COMBGPU__VISIT_HAS_BLOCKS 1u
#endif
/* The bytes of x without the one at `shift`. */
COMBGPU__DEVICE uint64_t combgpu_visit_without(uint64_t x, uint32_t shift)
{
    return (x & (((uint64_t)1 << shift) - 1)) | (x >> shift >> 8 << shift);
}

/* Visits ranks from .. to-1 of one group of 720. */
COMBGPU__VISITOR_N_PARAMETER COMBGPU__DEVICE void combgpu_visit_blocks(
    COMBGPU__GLOBAL const uint32_t *tables, COMBGPU__GLOBAL uint32_t *records,
    COMBGPU__BINS_PARAMETER, combgpu_visit_found_t *found, uint32_t pass, uint64_t from,
    uint64_t to)
{
    const uint64_t group = from / 720 * 720;
    uint32_t block = (uint32_t)(from - group) / 24, blocks = (uint32_t)(to - group + 23) / 24;
    uint64_t six = 0;
    uint8_t first[COMBGPU__PERM_MAX], perm[N];
    int i;
    combgpu_unrank(N, group, first);
#ifdef __CUDACC__
#pragma unroll
#endif
    for (i = 0; i < N - 6; i++)
        perm[i] = first[i];
    for (i = 0; i < 6; i++)
        six |= (uint64_t)first[N - 6 + i] << (8 * i);
    for (; block < blocks; block++) {
        const uint64_t rank = group + 24 * block, five = combgpu_visit_without(six, block / 5 * 8);
        const uint32_t four = (uint32_t)combgpu_visit_without(five, block % 5 * 8);
        uint32_t valid = 0xffffff, hits = 0, a;
        perm[N - 6] = (uint8_t)(six >> block / 5 * 8);
        perm[N - 5] = (uint8_t)(five >> block % 5 * 8);
        if (rank < from) valid &= 0xffffff << (uint32_t)(from - rank);
        if (to - rank < 24) valid &= ((uint32_t)1 << (uint32_t)(to - rank)) - 1;
#if defined(__CUDACC__) && !defined(VISIT_FULL)
#pragma unroll 1
#else
#pragma unroll
#endif
        for (a = 0; a < 4; a++) {
            const uint32_t three =
                (four & (((uint32_t)1 << 8 * a) - 1)) | (four >> 8 * a >> 8 << 8 * a);
            const uint8_t last0 = (uint8_t)three, last1 = (uint8_t)(three >> 8),
                          last2 = (uint8_t)(three >> 16);
            const uint64_t rank6 = rank + 6 * a;
            int64_t value[6];
            perm[N - 4] = (uint8_t)(four >> 8 * a);
#define COMBGPU__VISIT_ORDER(at, a, b, c)                                                          \
    perm[N - 3] = last##a;                                                                         \
    perm[N - 2] = last##b;                                                                         \
    perm[N - 1] = last##c;                                                                         \
    value[at] = COMBGPU__VISIT(perm, N);
            COMBGPU__EACH_ORDER(COMBGPU__VISIT_ORDER)
#undef COMBGPU__VISIT_ORDER
            if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT) {
                uint32_t six_hits = 0;
#define COMBGPU__VISIT_ORDER(at, a, b, c) six_hits |= (uint32_t)(value[at] != 0) << at;
                COMBGPU__EACH_ORDER(COMBGPU__VISIT_ORDER)
#undef COMBGPU__VISIT_ORDER
                hits |= six_hits << 6 * a;
            } else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_HISTOGRAM || valid != 0xffffff) {
#define COMBGPU__VISIT_ORDER(at, b, c, d)                                                          \
    if (valid >> (6 * a + at) & 1)                                                                 \
        combgpu_visit_add(tables, records, COMBGPU__BINS, found, 0, rank6 + at, value[at]);
                COMBGPU__EACH_ORDER(COMBGPU__VISIT_ORDER)
#undef COMBGPU__VISIT_ORDER
            } else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM) {
#define COMBGPU__VISIT_ORDER(at, a, b, c)                                                          \
    found->x += (uint64_t)value[at];                                                               \
    found->y += (uint64_t)(found->x < (uint64_t)value[at]) - (uint64_t)(value[at] < 0);
                COMBGPU__EACH_ORDER(COMBGPU__VISIT_ORDER)
#undef COMBGPU__VISIT_ORDER
            } else {
                int64_t best = COMBGPU__VISIT_GOAL == COMBGPU__GOAL_MAXIMUM ? ~value[0] : value[0],
                        key;
                uint32_t where = 0;
#define COMBGPU__VISIT_ORDER(at, a, b, c)                                                          \
    key = COMBGPU__VISIT_GOAL == COMBGPU__GOAL_MAXIMUM ? ~value[at] : value[at];                   \
    if (key < best) {                                                                              \
        best = key;                                                                                \
        where = at;                                                                                \
    }
                COMBGPU__EACH_ORDER(COMBGPU__VISIT_ORDER)
#undef COMBGPU__VISIT_ORDER
                if (best < (int64_t)found->x ||
                    (best == (int64_t)found->x && rank6 + where < found->y)) {
                    found->x = (uint64_t)best;
                    found->y = rank6 + where;
                }
            }
        }
        if (COMBGPU__VISIT_GOAL != COMBGPU__GOAL_COUNT) continue;
        hits &= valid;
        found->hits += COMBGPU__POPCOUNT(hits);
        if (!COMBGPU__VISIT_LIST && hits) found->y += combgpu_visit_hash(rank / 24, hits);
        for (; hits && pass; hits &= hits - 1)
            combgpu_visit_add(tables, records, COMBGPU__BINS, found, 1, rank + COMBGPU__CTZ(hits),
                              1);
    }
}
#endif

/* Visits a lane's run, from .. to-1, in the widest form available. */
COMBGPU__VISITOR_PARAMETER COMBGPU__DEVICE void combgpu_visit_run(
    COMBGPU__GLOBAL const uint32_t *tables, COMBGPU__GLOBAL uint32_t *records,
    COMBGPU__BINS_PARAMETER, combgpu_visit_found_t *found, uint32_t pass, uint32_t blocks,
    uint64_t from, uint64_t to)
{
    if (!blocks) {
        combgpu_set_member_t at;
        combgpu_set_unrank(tables, &at, from);
        for (; at.rank < to; combgpu_set_next(tables, &at))
            combgpu_visit_add(tables, records, COMBGPU__BINS, found, pass, at.rank,
                              COMBGPU__VISIT(at.perm, COMBGPU__SET_LENGTH));
        return;
    }
#ifdef __CUDACC__
#define COMBGPU__CASE(n)                                                                           \
    case n:                                                                                        \
        combgpu_visit_blocks<Visitor, n>(tables, records, COMBGPU__BINS, found, pass, from, to);   \
        break;
    switch (COMBGPU__SET_N) {
        COMBGPU__CASE(10)
        COMBGPU__CASE(11)
        COMBGPU__CASE(12)
        COMBGPU__CASE(13)
        COMBGPU__CASE(14)
        COMBGPU__CASE(15)
        COMBGPU__CASE(16)
    }
#undef COMBGPU__CASE
#elif defined(COMBGPU__VISIT_HAS_BLOCKS)
    combgpu_visit_blocks(tables, records, COMBGPU__BINS, found, pass, from, to);
#endif
}

/* The length k! of a run for `count` ranks: the largest, up to `most`, that gives every lane a
   run. */
COMBGPU__DEVICE uint32_t combgpu_visit_length(uint64_t count, uint32_t most)
{
    uint32_t run = 1, k;
    for (k = 2; run * k <= most && (uint64_t)run * k * COMBGPU__BLOCK_LANES <= count; k++)
        run *= k;
    return run;
}

/* Joins the lanes' findings to the block's. */
COMBGPU__DEVICE void combgpu_visit_join(COMBGPU__GLOBAL const uint32_t *tables,
                                        combgpu_visit_found_t *found, uint64_t x, uint64_t y)
{
    if (COMBGPU__VISIT_BEST) {
        if ((int64_t)x < (int64_t)found->x || (x == found->x && y < found->y)) {
            found->x = x;
            found->y = y;
        }
    } else {
        found->x += x;
        found->y += y + (uint64_t)(COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM && found->x < x);
    }
}

COMBGPU__VISITOR_PARAMETER COMBGPU__KERNEL COMBGPU__VISIT_BOUNDS
combgpu_perm_visit(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t lane_words[2 * COMBGPU__VISIT_LANES];
    COMBGPU__LOCAL_ARRAY uint32_t bins[COMBGPU__VISIT_LOCAL_BINS];
    COMBGPU__LOCAL_ARRAY uint32_t
        shared_words[3]; /* lane 0's decision; hits of the turn; their first record */
    uint32_t list = (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT) & COMBGPU__VISIT_LIST,
             best = COMBGPU__VISIT_BEST;
#ifdef COMBGPU__VISIT_HAS_BLOCKS
    uint32_t fast = COMBGPU__VISIT_HAS_BLOCKS &
                    ((1u << COMBGPU__SET_FAMILY) &
                     (1u << COMBGPU__SET_ALL | 1u << COMBGPU__SET_CIRCULAR)) != 0 &
                    (uint32_t)COMBGPU__SET_N - 10 <= 6;
#else
    uint32_t fast = 0;
#endif
    uint32_t lanes = COMBGPU__BLOCK_LANES, most = slice->budget / 4, i;
    uint64_t steps = 0, begin = 0, end = 0;
    combgpu_visit_found_t found;
    found.x = best ? (uint64_t)COMBGPU__VISIT_LAST_KEY : 0;
    found.y = best ? ~(uint64_t)0 : 0;
    for (i = COMBGPU__LANE_ID; i < COMBGPU__VISIT_LOCAL_BINS; i += COMBGPU__BLOCK_LANES)
        bins[i] = 0;
    if (list && most > slice->record_capacity) most = slice->record_capacity;
    if (list && lanes > slice->record_capacity) lanes = slice->record_capacity;
    for (;;) {
        uint64_t turn_end, from, to;
        uint32_t total = 0, pass, run;
        if (COMBGPU__LANE_ID == 0) {
            shared_words[0] = combgpu_spent(slice, (uint32_t)steps) ? COMBGPU__NONE
                              : begin == end                        ? combgpu_take(slice)
                                                                    : 0;
            shared_words[1] = 0;
        }
        COMBGPU__BLOCK_BARRIER();
        i = shared_words[0];
        COMBGPU__BLOCK_BARRIER();
        if (i == COMBGPU__NONE) break;
        if (begin == end) {
            begin = combgpu_load64(tasks + 4 * i);
            end = combgpu_load64(tasks + 4 * i + 2);
        }
        run = combgpu_visit_length(end - begin < most ? end - begin : most, fast ? 720 : 5040);
        turn_end = (begin / run + lanes) * run;
        if (turn_end > end) turn_end = end;
        from = (begin / run + COMBGPU__LANE_ID) * run;
        to = from + run;
        if (from < begin) from = begin;
        if (to > turn_end) to = turn_end;
        /* A list takes two passes: the first counts the hits, to reserve their records; the second
           finds them again. (No barrier is inside a condition: PoCL 3.1 made wrong code for
           some.) */
        for (pass = 0; pass < 2; pass++) {
            found.hits = 0;
            if (from < to && (!pass || (list && total)))
                combgpu_visit_run
#ifdef __CUDACC__
                    <Visitor>
#endif
                    (tables, records, work, bins, &found, pass, fast && run >= 24, from, to);
            if (!list) break;
            if (!pass && found.hits)
                found.at = COMBGPU__LOCAL_ATOMIC_ADD(&shared_words[1], found.hits);
            COMBGPU__BLOCK_BARRIER();
            total = shared_words[1];
            if (!pass && COMBGPU__LANE_ID == 0)
                shared_words[2] = total ? COMBGPU__ATOMIC_ADD(&slice->record_count, total) : 0;
            COMBGPU__BLOCK_BARRIER();
            found.at += shared_words[2];
            if (total && shared_words[2] + total > slice->record_capacity) break;
        }
        if (total && shared_words[2] + total > slice->record_capacity) {
            /* no room: fills the buffer with empty records; the slice ends */
            for (i = shared_words[2] + COMBGPU__LANE_ID; i < slice->record_capacity;
                 i += COMBGPU__BLOCK_LANES)
                combgpu_store64(records + 4 * i, ~(uint64_t)0);
            if (COMBGPU__LANE_ID == 0) COMBGPU__ATOMIC_OR(&slice->stop, COMBGPU__STOP_NOW);
            continue;
        }
        if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT && !list) found.x += found.hits;
        steps += turn_end - begin;
        begin = turn_end;
    }
    lane_words[2 * COMBGPU__LANE_ID] = found.x;
    lane_words[2 * COMBGPU__LANE_ID + 1] = found.y;
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_HISTOGRAM &&
        COMBGPU__VISIT_BIN_COUNT <= COMBGPU__VISIT_LOCAL_BINS)
        for (i = COMBGPU__LANE_ID; i < COMBGPU__VISIT_BIN_COUNT; i += COMBGPU__BLOCK_LANES)
            if (bins[i] && COMBGPU__ATOMIC_ADD(work + 2 * i, bins[i]) + bins[i] < bins[i])
                COMBGPU__ATOMIC_ADD(work + 2 * i + 1, 1);
    if (COMBGPU__LANE_ID != 0) return;
    for (i = 1; i < COMBGPU__BLOCK_LANES; i++)
        combgpu_visit_join(tables, &found, lane_words[2 * i], lane_words[2 * i + 1]);
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM || best) {
        combgpu_store64(work + COMBGPU__VISIT_SLOT_WORDS * COMBGPU__BLOCK_ID, found.x);
        combgpu_store64(work + COMBGPU__VISIT_SLOT_WORDS * COMBGPU__BLOCK_ID + 2, found.y);
    } else if (!list) {
        combgpu_add_total(slice, COMBGPU__PERM_S_DONE, found.x);
        combgpu_add_total(slice, COMBGPU__PERM_S_HASH, found.y);
    }
    combgpu_perm_give(slice, left, begin, end);
    combgpu_add_total(slice, 0, steps);
}
#endif /* visitor */
