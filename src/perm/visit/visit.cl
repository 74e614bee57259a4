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
#define COMBGPU__VISIT_LISTS                                                                       \
    ((uint32_t)(COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT) & COMBGPU__VISIT_LIST)
#define COMBGPU__VISIT_FIRST ((int64_t)combgpu_load64(tables + COMBGPU__SET_AT_FIRST))
#define COMBGPU__VISIT_WIDTH combgpu_load64(tables + COMBGPU__SET_AT_WIDTH)
#define COMBGPU__VISIT_LOCAL_BINS 1024 /* more are counted in global memory */
/* of a value: smaller is better; the complement reverses the order */
#define COMBGPU__VISIT_KEY(value)                                                                  \
    (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_MAXIMUM ? ~(value) : (value))
#define COMBGPU__VISIT_LAST_KEY ((int64_t)(~(uint64_t)0 >> 1)) /* the largest */
#ifdef __CUDACC__
/* Specialise it to 0 for a kernel without blocks, which cost ptxas seconds. */
template <class Visitor> struct combgpu_visit_blocks_of {
    enum { value = 1 };
};
#define COMBGPU__VISIT_HAS_BLOCKS (uint32_t) combgpu_visit_blocks_of<Visitor>::value
#define COMBGPU__VISITOR_PARAMETER template <class Visitor>
#define COMBGPU__VISITOR_N_PARAMETER template <class Visitor, int N>
#define COMBGPU__VISIT_CALL(function) function<Visitor>
#define COMBGPU__VISIT_N_CALL(function) function<Visitor, N>
#define COMBGPU__VISIT(perm, n) Visitor::visit(perm, n, COMBGPU__VISIT_DATA)
#define COMBGPU__VISIT_BOUNDS                                                                      \
    __launch_bounds__(COMBGPU__VISIT_LANES, 6) /* at most 80 registers: 1.1 x as fast */
#else
#define COMBGPU__VISIT_HAS_BLOCKS (COMBGPU_VISIT_N >= 10 && COMBGPU_VISIT_N <= 16)
#define COMBGPU__VISITOR_PARAMETER
#define COMBGPU__VISITOR_N_PARAMETER
#define COMBGPU__VISIT_CALL(function) function
#define COMBGPU__VISIT_N_CALL(function) function
#define COMBGPU__VISIT(perm, n) combgpu_visit(perm, n, COMBGPU__VISIT_DATA)
#define COMBGPU__VISIT_BOUNDS
#define N COMBGPU_VISIT_N
#endif

/* A lane at work, with its findings x and y: hits and hash, best key and its rank, low and high word
   of the sum, or values outside all bins. */
typedef struct combgpu_visit_lane_t {
    COMBGPU__GLOBAL combgpu__slice *slice;
    COMBGPU__GLOBAL const uint32_t *tables;
    COMBGPU__GLOBAL uint32_t *records, *work;
    COMBGPU__LOCAL uint32_t *bins; /* counts of a histogram's values */
    uint64_t x, y;
    uint32_t hits; /* of this turn */
    uint32_t at;   /* the next record, when hits are listed */
} combgpu_visit_lane_t;

/* The part of a checksum for the hits of a block of 24 ranks; bit i is rank 24 * block + i. */
COMBGPU__DEVICE uint64_t combgpu_visit_hash(uint64_t block, uint32_t hits)
{
    return combgpu_mix(block) * hits;
}

COMBGPU__DEVICE void combgpu_visit_bin(combgpu_visit_lane_t *lane, int64_t value)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    COMBGPU__GLOBAL uint32_t *work = lane->work;
    uint64_t bin = (uint64_t)value - (uint64_t)COMBGPU__VISIT_FIRST, width = COMBGPU__VISIT_WIDTH;
    if (width != 1) bin = (bin | width) >> 32 ? bin / width : (uint32_t)bin / (uint32_t)width;
    if (value < COMBGPU__VISIT_FIRST || bin >= COMBGPU__VISIT_BIN_COUNT)
        lane->x++;
    else if (COMBGPU__VISIT_BIN_COUNT <= COMBGPU__VISIT_LOCAL_BINS)
        COMBGPU__LOCAL_ATOMIC_ADD(&lane->bins[(uint32_t)bin], 1);
    else if (COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin, 1) == 0xffffffffu)
        COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin + 1, 1);
}

COMBGPU__DEVICE void combgpu_visit_sum(combgpu_visit_lane_t *lane, int64_t value)
{
    lane->x += (uint64_t)value;
    lane->y += (uint64_t)(lane->x < (uint64_t)value) - (uint64_t)(value < 0);
}

/* Keeps a key if it is better than the best, or as good and earlier. */
COMBGPU__DEVICE void combgpu_visit_best(combgpu_visit_lane_t *lane, int64_t key, uint64_t rank)
{
    if (key < (int64_t)lane->x || (key == (int64_t)lane->x && rank < lane->y)) {
        lane->x = (uint64_t)key;
        lane->y = rank;
    }
}

/* Adds one value. In pass 1, hits become records. */
COMBGPU__DEVICE void combgpu_visit_add(combgpu_visit_lane_t *lane, uint32_t pass, uint64_t rank,
                                       int64_t value)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT) {
        if (!value) return;
        lane->hits++;
        if (pass) {
            COMBGPU__GLOBAL uint32_t *record = lane->records + 4 * lane->at++;
            combgpu_store64(record, rank);
            record[2] = 1;
            record[3] = 0;
        } else if (!COMBGPU__VISIT_LIST)
            lane->y += combgpu_visit_hash(rank / 24, (uint32_t)1 << (uint32_t)(rank % 24));
    } else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM)
        combgpu_visit_sum(lane, value);
    else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_HISTOGRAM)
        combgpu_visit_bin(lane, value);
    else
        combgpu_visit_best(lane, COMBGPU__VISIT_KEY(value), rank);
}

#if defined(__CUDACC__) || COMBGPU_VISIT_N >= 10 && COMBGPU_VISIT_N <= 16
/* The bytes of x without the one at `shift`. */
COMBGPU__DEVICE uint64_t combgpu_visit_without(uint64_t x, uint32_t shift)
{
    return (x & (((uint64_t)1 << shift) - 1)) | (x >> shift >> 8 << shift);
}

/* Puts the bytes of `three` into the last three positions of `perm`, in each order, the smallest
   first; value[i] is the value of order i. */
COMBGPU__VISITOR_N_PARAMETER COMBGPU__DEVICE void combgpu_visit_orders(
    COMBGPU__GLOBAL const uint32_t *tables, uint8_t *perm, uint32_t three, int64_t *value)
{
    const uint8_t last0 = (uint8_t)three, last1 = (uint8_t)(three >> 8),
                  last2 = (uint8_t)(three >> 16);
#define COMBGPU__VISIT_ORDER(i, a, b, c)                                                           \
    perm[N - 3] = last##a;                                                                         \
    perm[N - 2] = last##b;                                                                         \
    perm[N - 1] = last##c;                                                                         \
    value[i] = COMBGPU__VISIT(perm, N);
    COMBGPU__VISIT_ORDER(0, 0, 1, 2)
    COMBGPU__VISIT_ORDER(1, 0, 2, 1)
    COMBGPU__VISIT_ORDER(2, 1, 0, 2)
    COMBGPU__VISIT_ORDER(3, 1, 2, 0)
    COMBGPU__VISIT_ORDER(4, 2, 0, 1)
    COMBGPU__VISIT_ORDER(5, 2, 1, 0)
#undef COMBGPU__VISIT_ORDER
}

/* Bit i of the result: value[i] is a hit. */
COMBGPU__DEVICE uint32_t combgpu_visit_hits(const int64_t *value)
{
    uint32_t hits = 0, i;
#pragma unroll
    for (i = 0; i < 6; i++)
        hits |= (uint32_t)(value[i] != 0) << i;
    return hits;
}

/* Adds the values of ranks rank .. rank+5, for goals other than COUNT; bit first + i of `valid` says
   whether rank+i is in the range. */
COMBGPU__DEVICE void combgpu_visit_add_six(combgpu_visit_lane_t *lane, uint64_t rank,
                                           const int64_t *value, uint32_t valid, uint32_t first)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    uint32_t i;
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_HISTOGRAM || valid != 0xffffff) {
#pragma unroll
        for (i = 0; i < 6; i++)
            if (valid >> (first + i) & 1) combgpu_visit_add(lane, 0, rank + i, value[i]);
    } else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM) {
#pragma unroll
        for (i = 0; i < 6; i++)
            combgpu_visit_sum(lane, value[i]);
    } else {
        int64_t key = COMBGPU__VISIT_KEY(value[0]);
        uint32_t best = 0;
#pragma unroll
        for (i = 1; i < 6; i++)
            if (COMBGPU__VISIT_KEY(value[i]) < key) {
                key = COMBGPU__VISIT_KEY(value[i]);
                best = i;
            }
        combgpu_visit_best(lane, key, rank + best);
    }
}

/* Visits ranks from .. to-1 of one group of 720. */
COMBGPU__VISITOR_N_PARAMETER COMBGPU__DEVICE void combgpu_visit_blocks(combgpu_visit_lane_t *lane,
                                                                       uint32_t pass, uint64_t from,
                                                                       uint64_t to)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
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
#ifdef __CUDACC__
#pragma unroll 1
#else
#pragma unroll
#endif
        for (a = 0; a < 4; a++) {
            const uint32_t three =
                (four & (((uint32_t)1 << 8 * a) - 1)) | (four >> 8 * a >> 8 << 8 * a);
            int64_t value[6];
            perm[N - 4] = (uint8_t)(four >> 8 * a);
            COMBGPU__VISIT_N_CALL(combgpu_visit_orders)(tables, perm, three, value);
            if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT)
                hits |= combgpu_visit_hits(value) << 6 * a;
            else
                combgpu_visit_add_six(lane, rank + 6 * a, value, valid, 6 * a);
        }
        if (COMBGPU__VISIT_GOAL != COMBGPU__GOAL_COUNT) continue;
        hits &= valid;
        lane->hits += COMBGPU__POPCOUNT(hits);
        if (!COMBGPU__VISIT_LIST && hits) lane->y += combgpu_visit_hash(rank / 24, hits);
        for (; hits && pass; hits &= hits - 1)
            combgpu_visit_add(lane, 1, rank + COMBGPU__CTZ(hits), 1);
    }
}
#endif

/* Visits a lane's run, from .. to-1, in the widest form available. */
COMBGPU__VISITOR_PARAMETER COMBGPU__DEVICE void combgpu_visit_run(combgpu_visit_lane_t *lane,
                                                                  uint32_t pass, uint32_t blocks,
                                                                  uint64_t from, uint64_t to)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    if (!blocks) {
        combgpu_set_member_t at;
        combgpu_set_unrank(tables, &at, from);
        for (; at.rank < to; combgpu_set_next(tables, &at))
            combgpu_visit_add(lane, pass, at.rank, COMBGPU__VISIT(at.perm, COMBGPU__SET_LENGTH));
        return;
    }
#ifdef __CUDACC__
#define COMBGPU__CASE(n)                                                                           \
    case n:                                                                                        \
        combgpu_visit_blocks<Visitor, n>(lane, pass, from, to);                                    \
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
#elif COMBGPU__VISIT_HAS_BLOCKS
    combgpu_visit_blocks(lane, pass, from, to);
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

/* A turn of the block; the lane's run is from .. to-1. Returns 0 if its hits find no room, and ends
   the slice. A list takes two passes: the first counts the hits, to reserve their records; the
   second finds them again. (No barrier is inside a condition: PoCL 3.1 made wrong code for some.)
   shared[0], hits of the turn, is 0 at first; shared[1] is their first record. */
COMBGPU__VISITOR_PARAMETER COMBGPU__DEVICE uint32_t
combgpu_visit_turn(combgpu_visit_lane_t *lane, COMBGPU__LOCAL uint32_t *shared, uint32_t blocks,
                   uint64_t from, uint64_t to)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    COMBGPU__GLOBAL combgpu__slice *slice = lane->slice;
    const uint32_t list = COMBGPU__VISIT_LISTS;
    uint32_t total = 0, pass, i;
    for (pass = 0; pass < 2; pass++) {
        lane->hits = 0;
        if (from < to && (!pass || (list && total)))
            COMBGPU__VISIT_CALL(combgpu_visit_run)(lane, pass, blocks, from, to);
        if (!list) break;
        if (!pass && lane->hits) lane->at = COMBGPU__LOCAL_ATOMIC_ADD(&shared[0], lane->hits);
        COMBGPU__BLOCK_BARRIER();
        total = shared[0];
        if (!pass && COMBGPU__LANE_ID == 0)
            shared[1] = total ? COMBGPU__ATOMIC_ADD(&slice->record_count, total) : 0;
        COMBGPU__BLOCK_BARRIER();
        lane->at += shared[1];
        if (total && shared[1] + total > slice->record_capacity) break;
    }
    if (total && shared[1] + total > slice->record_capacity) {
        for (i = shared[1] + COMBGPU__LANE_ID; i < slice->record_capacity;
             i += COMBGPU__BLOCK_LANES)
            combgpu_store64(lane->records + 4 * i, ~(uint64_t)0); /* an empty record */
        if (COMBGPU__LANE_ID == 0) COMBGPU__ATOMIC_OR(&slice->stop, COMBGPU__STOP_NOW);
        return 0;
    }
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT && !list) lane->x += lane->hits;
    return 1;
}

/* Joins another lane's findings to this one's. */
COMBGPU__DEVICE void combgpu_visit_join(combgpu_visit_lane_t *lane, uint64_t x, uint64_t y)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    if (COMBGPU__VISIT_BEST)
        combgpu_visit_best(lane, (int64_t)x, y);
    else {
        lane->x += x;
        lane->y += y + (uint64_t)(COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM && lane->x < x);
    }
}

/* Hands the block's findings to the host: adds its counts of values to those of all blocks; lane 0
   joins the lanes' findings. */
COMBGPU__DEVICE void combgpu_visit_end(combgpu_visit_lane_t *lane,
                                       COMBGPU__LOCAL uint64_t *lane_words)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    COMBGPU__GLOBAL uint32_t *work = lane->work;
    COMBGPU__LOCAL const uint32_t *bins = lane->bins;
    uint32_t i;
    lane_words[2 * COMBGPU__LANE_ID] = lane->x;
    lane_words[2 * COMBGPU__LANE_ID + 1] = lane->y;
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_HISTOGRAM &&
        COMBGPU__VISIT_BIN_COUNT <= COMBGPU__VISIT_LOCAL_BINS)
        for (i = COMBGPU__LANE_ID; i < COMBGPU__VISIT_BIN_COUNT; i += COMBGPU__BLOCK_LANES)
            if (bins[i] && COMBGPU__ATOMIC_ADD(work + 2 * i, bins[i]) + bins[i] < bins[i])
                COMBGPU__ATOMIC_ADD(work + 2 * i + 1, 1);
    if (COMBGPU__LANE_ID != 0) return;
    for (i = 1; i < COMBGPU__BLOCK_LANES; i++)
        combgpu_visit_join(lane, lane_words[2 * i], lane_words[2 * i + 1]);
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM || COMBGPU__VISIT_BEST) {
        combgpu_store64(work + COMBGPU__VISIT_SLOT_WORDS * COMBGPU__BLOCK_ID, lane->x);
        combgpu_store64(work + COMBGPU__VISIT_SLOT_WORDS * COMBGPU__BLOCK_ID + 2, lane->y);
    } else if (!COMBGPU__VISIT_LISTS) {
        combgpu_add_total(lane->slice, COMBGPU__PERM_S_DONE, lane->x);
        combgpu_add_total(lane->slice, COMBGPU__PERM_S_HASH, lane->y);
    }
}

COMBGPU__VISITOR_PARAMETER COMBGPU__KERNEL COMBGPU__VISIT_BOUNDS
combgpu_perm_visit(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t lane_words[2 * COMBGPU__VISIT_LANES];
    COMBGPU__LOCAL_ARRAY uint32_t bins[COMBGPU__VISIT_LOCAL_BINS];
    COMBGPU__LOCAL_ARRAY uint32_t shared[3]; /* lane 0's decision; combgpu_visit_turn */
    const uint32_t list = COMBGPU__VISIT_LISTS;
    const uint32_t fast = COMBGPU__VISIT_HAS_BLOCKS &
                          ((1u << COMBGPU__SET_FAMILY) &
                           (1u << COMBGPU__SET_ALL | 1u << COMBGPU__SET_CIRCULAR)) != 0 &
                          (uint32_t)COMBGPU__SET_N - 10 <= 6;
    uint32_t lanes = COMBGPU__BLOCK_LANES, most = slice->budget / 4, i;
    combgpu_perm_range_t range;
    combgpu_visit_lane_t lane;
    range.begin = range.end = range.steps = 0;
    lane.slice = slice;
    lane.tables = tables;
    lane.records = records;
    lane.work = work;
    lane.bins = bins;
    lane.x = COMBGPU__VISIT_BEST ? (uint64_t)COMBGPU__VISIT_LAST_KEY : 0;
    lane.y = COMBGPU__VISIT_BEST ? ~(uint64_t)0 : 0;
    for (i = COMBGPU__LANE_ID; i < COMBGPU__VISIT_LOCAL_BINS; i += COMBGPU__BLOCK_LANES)
        bins[i] = 0;
    if (list && most > slice->record_capacity) most = slice->record_capacity;
    if (list && lanes > slice->record_capacity) lanes = slice->record_capacity;
    for (;;) {
        uint64_t turn_end, from, to, count;
        uint32_t run;
        if (COMBGPU__LANE_ID == 0) shared[1] = 0;
        if (!combgpu_perm_go_on(slice, tasks, shared, &range)) break;
        count = range.end - range.begin;
        run = combgpu_visit_length(count < most ? count : most, fast ? 720 : 5040);
        turn_end = (range.begin / run + lanes) * run;
        if (turn_end > range.end) turn_end = range.end;
        from = (range.begin / run + COMBGPU__LANE_ID) * run;
        to = from + run;
        if (from < range.begin) from = range.begin;
        if (to > turn_end) to = turn_end;
        if (COMBGPU__VISIT_CALL(combgpu_visit_turn)(&lane, shared + 1, fast && run >= 24, from,
                                                    to)) {
            range.steps += turn_end - range.begin;
            range.begin = turn_end;
        }
    }
    combgpu_visit_end(&lane, lane_words);
    if (COMBGPU__LANE_ID != 0) return;
    combgpu_perm_give(slice, left, range.begin, range.end);
    combgpu_add_total(slice, 0, range.steps);
}
#endif /* visitor */
