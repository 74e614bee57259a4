/* The other goals: the block takes its range in turns. In a turn each lane has a run of k! ranks that
   begins at a multiple of k!. A turn counts as a whole or, if its hits find no room, not at all.

   For all permutations of 10 to 16 elements a run is 24, 120 or 720 ranks, and goes through them in
   blocks of 24. The orders of the last three places are written out, so that perm[] is in registers
   and the compiler computes once what depends on the other places alone.

   The visitor: OpenCL puts a caller's combgpu_visit before this file, and COMBGPU_VISIT_N, the n for
   which the blocks are compiled; CUDA instantiates the kernel with a type that has visit(). */
#if defined(COMBGPU_VISITOR) || defined(__CUDACC__)
#define VISIT_DATA ((GLOBAL const u8 *)(tables + tables[8]))
#define VISIT_BINS tables[9]
#define VISIT_BEST ((VISIT_GOAL | 1) == 3)
#define VISIT_FIRST ((i64)combgpu_load64(tables + 10))
#define VISIT_WIDTH combgpu_load64(tables + 12)
#define VISIT_LANES 128
#define VISIT_LOCAL_BINS 1024 /* more are counted in global memory */
#define VISIT_LAST_KEY ((i64)(~(u64)0 >> 1)) /* the largest */
#ifdef __CUDACC__
#define VISITOR_PARAMETER template <class Visitor>
#define VISITOR_N_PARAMETER template <class Visitor, int N>
#define VISIT(perm, n) Visitor::visit(perm, n, VISIT_DATA)
#define VISIT_BOUNDS __launch_bounds__(VISIT_LANES, 6) /* at most 80 registers: 1.1 x as fast */
#else
#define VISITOR_PARAMETER
#define VISITOR_N_PARAMETER
#define VISIT(perm, n) combgpu_visit(perm, n, VISIT_DATA)
#define VISIT_BOUNDS
#define N COMBGPU_VISIT_N
#endif

/* What a lane has found; the meaning of the words depends on the goal: hits, hash; best key, its rank;
   sum, low and high; values outside of all bins. */
typedef struct combgpu_found_t {
    u64 x, y;
    u32 hits; /* of this turn */
    u32 at;   /* the next record, when hits are listed */
} combgpu_found_t;

/* Where values go that are counted in bins. */
#define BINS_PARAMETER GLOBAL u32 *work, LOCAL u32 *bins
#define BINS work, bins

/* The part of a checksum of the hits of a block of 24 ranks; bit i is rank 24 * block + i. */
DEVICE u64 combgpu_visit_hash(u64 block, u32 hits)
{
    return combgpu_mix(block) * hits;
}

DEVICE void combgpu_visit_bin(GLOBAL const u32 *tables, BINS_PARAMETER, combgpu_found_t *found,
                              i64 value)
{
    u64 bin = (u64)value - (u64)VISIT_FIRST, width = VISIT_WIDTH;
    if (width != 1) bin = (bin | width) >> 32 ? bin / width : (u32)bin / (u32)width;
    if (value < VISIT_FIRST || bin >= VISIT_BINS)
        found->x++;
    else if (VISIT_BINS <= VISIT_LOCAL_BINS)
        LOCAL_ATOMIC_ADD(&bins[(u32)bin], 1);
    else if (ATOMIC_ADD(work + 2 * (u32)bin, 1) == 0xffffffffu)
        ATOMIC_ADD(work + 2 * (u32)bin + 1, 1);
}

/* One value. `pass` 1: hits become records. */
DEVICE void combgpu_visit_add(GLOBAL const u32 *tables, GLOBAL u32 *records, BINS_PARAMETER,
                              combgpu_found_t *found, u32 pass, u64 rank, i64 value)
{
    i64 key = VISIT_GOAL == 3 ? ~value : value; /* the complement orders the other way round */
    if (VISIT_GOAL == 1) {
        if (!value) return;
        found->hits++;
        if (pass) {
            combgpu_store64(records + 4 * found->at, rank);
            records[4 * found->at + 2] = 1;
            records[4 * found->at + 3] = 0;
            found->at++;
        } else if (!VISIT_LIST)
            found->y += combgpu_visit_hash(rank / 24, (u32)1 << (u32)(rank % 24));
    } else if (VISIT_GOAL == 4) {
        found->x += (u64)value;
        found->y += (u64)(found->x < (u64)value) - (u64)(value < 0);
    } else if (VISIT_GOAL == 5)
        combgpu_visit_bin(tables, BINS, found, value);
    else if (key < (i64)found->x || (key == (i64)found->x && rank < found->y)) {
        found->x = (u64)key;
        found->y = rank;
    }
}

#define EACH_ORDER(X)                                                                              \
    X(0, 0, 1, 2)                                                                                  \
    X(1, 0, 2, 1)                                                                                  \
    X(2, 1, 0, 2)                                                                                  \
    X(3, 1, 2, 0)                                                                                  \
    X(4, 2, 0, 1)                                                                                  \
    X(5, 2, 1, 0)

#if defined(__CUDACC__) || COMBGPU_VISIT_N >= 10 && COMBGPU_VISIT_N <= 16
#define VISIT_BLOCKS 1
/* The bytes of x without the one at `shift`. */
DEVICE u64 combgpu_visit_without(u64 x, u32 shift)
{
    return (x & (((u64)1 << shift) - 1)) | (x >> shift >> 8 << shift);
}

/* Ranks from .. to-1 of one group of 720. */
VISITOR_N_PARAMETER DEVICE void combgpu_visit_blocks(GLOBAL const u32 *tables, GLOBAL u32 *records,
                                                     BINS_PARAMETER, combgpu_found_t *found,
                                                     u32 pass, u64 from, u64 to)
{
    const u64 group = from / 720 * 720;
    u32 block = (u32)(from - group) / 24, blocks = (u32)(to - group + 23) / 24;
    u64 six = 0;
    u8 first[PERM_PLACES], perm[N];
    int i;
    combgpu_unrank(N, group, first);
#ifdef __CUDACC__
#pragma unroll
#endif
    for (i = 0; i < N - 6; i++)
        perm[i] = first[i];
    for (i = 0; i < 6; i++)
        six |= (u64)first[N - 6 + i] << (8 * i);
    for (; block < blocks; block++) {
        const u64 rank = group + 24 * block, five = combgpu_visit_without(six, block / 5 * 8);
        const u32 four = (u32)combgpu_visit_without(five, block % 5 * 8);
        u32 valid = 0xffffff, hits = 0, a;
        perm[N - 6] = (u8)(six >> block / 5 * 8);
        perm[N - 5] = (u8)(five >> block % 5 * 8);
        if (rank < from) valid &= 0xffffff << (u32)(from - rank);
        if (to - rank < 24) valid &= ((u32)1 << (u32)(to - rank)) - 1;
#if defined(__CUDACC__) && !defined(VISIT_FULL)
#pragma unroll 1
#else
#pragma unroll
#endif
        for (a = 0; a < 4; a++) {
            const u32 three = (four & (((u32)1 << 8 * a) - 1)) | (four >> 8 * a >> 8 << 8 * a);
            const u8 last0 = (u8)three, last1 = (u8)(three >> 8), last2 = (u8)(three >> 16);
            const u64 rank6 = rank + 6 * a;
            i64 value[6];
            perm[N - 4] = (u8)(four >> 8 * a);
#define ORDER(at, a, b, c)                                                                         \
    perm[N - 3] = last##a;                                                                         \
    perm[N - 2] = last##b;                                                                         \
    perm[N - 1] = last##c;                                                                         \
    value[at] = VISIT(perm, N);
            EACH_ORDER(ORDER)
#undef ORDER
            if (VISIT_GOAL == 1) {
                u32 six_hits = 0;
#define ORDER(at, a, b, c) six_hits |= (u32)(value[at] != 0) << at;
                EACH_ORDER(ORDER)
#undef ORDER
                hits |= six_hits << 6 * a;
            } else if (VISIT_GOAL == 5 || valid != 0xffffff) {
#define ORDER(at, b, c, d)                                                                         \
    if (valid >> (6 * a + at) & 1)                                                                 \
        combgpu_visit_add(tables, records, BINS, found, 0, rank6 + at, value[at]);
                EACH_ORDER(ORDER)
#undef ORDER
            } else if (VISIT_GOAL == 4) {
#define ORDER(at, a, b, c)                                                                         \
    found->x += (u64)value[at];                                                                    \
    found->y += (u64)(found->x < (u64)value[at]) - (u64)(value[at] < 0);
                EACH_ORDER(ORDER)
#undef ORDER
            } else {
                i64 best = VISIT_GOAL == 3 ? ~value[0] : value[0], key;
                u32 where = 0;
#define ORDER(at, a, b, c)                                                                         \
    key = VISIT_GOAL == 3 ? ~value[at] : value[at];                                                \
    if (key < best) {                                                                              \
        best = key;                                                                                \
        where = at;                                                                                \
    }
                EACH_ORDER(ORDER)
#undef ORDER
                if (best < (i64)found->x || (best == (i64)found->x && rank6 + where < found->y)) {
                    found->x = (u64)best;
                    found->y = rank6 + where;
                }
            }
        }
        if (VISIT_GOAL != 1) continue;
        hits &= valid;
        found->hits += POPCOUNT(hits);
        if (!VISIT_LIST && hits) found->y += combgpu_visit_hash(rank / 24, hits);
        for (; hits && pass; hits &= hits - 1)
            combgpu_visit_add(tables, records, BINS, found, 1, rank + CTZ(hits), 1);
    }
}
#endif

/* A lane's run, from .. to-1, in the widest form that there is for it. */
VISITOR_PARAMETER DEVICE void combgpu_visit_run(GLOBAL const u32 *tables, GLOBAL u32 *records,
                                                BINS_PARAMETER, combgpu_found_t *found, u32 pass,
                                                u32 blocks, u64 from, u64 to)
{
    if (!blocks) {
        combgpu_member_t at;
        combgpu_set_unrank(tables, &at, from);
        for (; at.rank < to; combgpu_set_next(tables, &at))
            combgpu_visit_add(tables, records, BINS, found, pass, at.rank,
                              VISIT(at.perm, SET_LENGTH));
        return;
    }
#ifdef __CUDACC__
#define CASE(n)                                                                                    \
    case n:                                                                                        \
        combgpu_visit_blocks<Visitor, n>(tables, records, BINS, found, pass, from, to);            \
        break;
    switch (SET_N) {
        CASE(10)
        CASE(11)
        CASE(12)
        CASE(13)
        CASE(14)
        CASE(15)
        CASE(16)
    }
#undef CASE
#elif defined(VISIT_BLOCKS)
    combgpu_visit_blocks(tables, records, BINS, found, pass, from, to);
#endif
}

/* The length k! of a run for `count` ranks: as long as all lanes have one, at most `most`. */
DEVICE u32 combgpu_visit_length(u64 count, u32 most)
{
    u32 run = 1, k;
    for (k = 2; run * k <= most && (u64)run * k * BLOCK_LANES <= count; k++)
        run *= k;
    return run;
}

/* The lanes' findings become the block's. */
DEVICE void combgpu_visit_join(GLOBAL const u32 *tables, combgpu_found_t *found, u64 x, u64 y)
{
    if (VISIT_BEST) {
        if ((i64)x < (i64)found->x || (x == found->x && y < found->y)) {
            found->x = x;
            found->y = y;
        }
    } else {
        found->x += x;
        found->y += y + (u64)(VISIT_GOAL == 4 && found->x < x);
    }
}

VISITOR_PARAMETER KERNEL VISIT_BOUNDS combgpu_perm_visit(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 lane_words[2 * VISIT_LANES];
    LOCAL_ARRAY u32 bins[VISIT_LOCAL_BINS];
    LOCAL_ARRAY u32 shared_words[3]; /* decision of lane 0; hits of the turn; their first record */
    u32 list = (VISIT_GOAL == 1) & VISIT_LIST, best = VISIT_BEST;
#if defined(__CUDACC__) || defined(VISIT_BLOCKS)
    u32 fast = ((1u << SET_FAMILY) & (1u << SET_ALL | 1u << SET_CIRCULAR)) != 0 &
                     (u32)SET_N - 10 <= 6;
#else
    u32 fast = 0;
#endif
    u32 lanes = BLOCK_LANES, most = slice->budget / 4, i;
    u64 steps = 0, begin = 0, end = 0;
    combgpu_found_t found;
    found.x = best ? (u64)VISIT_LAST_KEY : 0;
    found.y = best ? ~(u64)0 : 0;
    for (i = LANE_ID; i < VISIT_LOCAL_BINS; i += BLOCK_LANES)
        bins[i] = 0;
    if (list && most > slice->record_capacity) most = slice->record_capacity;
    if (list && lanes > slice->record_capacity) lanes = slice->record_capacity;
    for (;;) {
        u64 turn_end, from, to;
        u32 total = 0, pass, run;
        if (LANE_ID == 0) {
            shared_words[0] = combgpu_spent(slice, (u32)steps) ? NONE
                              : begin == end                   ? combgpu_take(slice)
                                                               : 0;
            shared_words[1] = 0;
        }
        BLOCK_BARRIER();
        i = shared_words[0];
        BLOCK_BARRIER();
        if (i == NONE) break;
        if (begin == end) {
            begin = combgpu_load64(tasks + 4 * i);
            end = combgpu_load64(tasks + 4 * i + 2);
        }
        run = combgpu_visit_length(end - begin < most ? end - begin : most, fast ? 720 : 5040);
        turn_end = (begin / run + lanes) * run;
        if (turn_end > end) turn_end = end;
        from = (begin / run + LANE_ID) * run;
        to = from + run;
        if (from < begin) from = begin;
        if (to > turn_end) to = turn_end;
        /* A list takes two passes: when all hits of the turn have their records reserved, they are
           found again. (All barriers are outside of conditions: PoCL 3.1 made wrong code for some that
           were inside.) */
        for (pass = 0; pass < 2; pass++) {
            found.hits = 0;
            if (from < to && (!pass || (list && total)))
                combgpu_visit_run
#ifdef __CUDACC__
                    <Visitor>
#endif
                    (tables, records, work, bins, &found, pass, fast && run >= 24, from, to);
            if (!list) break;
            if (!pass && found.hits) found.at = LOCAL_ATOMIC_ADD(&shared_words[1], found.hits);
            BLOCK_BARRIER();
            total = shared_words[1];
            if (!pass && LANE_ID == 0)
                shared_words[2] = total ? ATOMIC_ADD(&slice->record_count, total) : 0;
            BLOCK_BARRIER();
            found.at += shared_words[2];
            if (total && shared_words[2] + total > slice->record_capacity) break;
        }
        if (total && shared_words[2] + total > slice->record_capacity) {
            /* no room: what is left of the buffer becomes no records, and the slice ends */
            for (i = shared_words[2] + LANE_ID; i < slice->record_capacity; i += BLOCK_LANES)
                combgpu_store64(records + 4 * i, ~(u64)0);
            if (LANE_ID == 0) ATOMIC_OR(&slice->stop, STOP_NOW);
            continue;
        }
        if (VISIT_GOAL == 1 && !list) found.x += found.hits;
        steps += turn_end - begin;
        begin = turn_end;
    }
    lane_words[2 * LANE_ID] = found.x;
    lane_words[2 * LANE_ID + 1] = found.y;
    BLOCK_BARRIER();
    if (VISIT_GOAL == 5 && VISIT_BINS <= VISIT_LOCAL_BINS)
        for (i = LANE_ID; i < VISIT_BINS; i += BLOCK_LANES)
            if (bins[i] && ATOMIC_ADD(work + 2 * i, bins[i]) + bins[i] < bins[i])
                ATOMIC_ADD(work + 2 * i + 1, 1);
    if (LANE_ID != 0) return;
    for (i = 1; i < BLOCK_LANES; i++)
        combgpu_visit_join(tables, &found, lane_words[2 * i], lane_words[2 * i + 1]);
    if (VISIT_GOAL == 4 || best) {
        combgpu_store64(work + 4 * BLOCK_ID, found.x);
        combgpu_store64(work + 4 * BLOCK_ID + 2, found.y);
    } else if (!list) {
        combgpu_add_total(slice, 1, found.x);
        combgpu_add_total(slice, 2, found.y);
    }
    combgpu_perm_give(slice, left, begin, end);
    combgpu_add_total(slice, 0, steps);
}
#undef VISIT_DATA
#undef VISIT_BINS
#undef VISIT_BEST
#undef VISIT_FIRST
#undef VISIT_WIDTH
#undef VISIT_LANES
#undef VISIT_LOCAL_BINS
#undef VISIT_LAST_KEY
#undef VISIT_BLOCKS
#undef VISITOR_PARAMETER
#undef VISITOR_N_PARAMETER
#undef VISIT
#undef VISIT_BOUNDS
#undef BINS_PARAMETER
#undef BINS
#undef EACH_ORDER
#ifndef __CUDACC__
#undef N
#endif
#endif /* visitor */
#undef SET_FAMILY
#undef VISIT_GOAL
#undef VISIT_LIST
#undef SET_N
#undef SET_K
#undef SET_LENGTH
#undef SET_COUNT
#undef SET_REPEATS
#undef SET_DERANGEMENTS
#undef SET_ALL
#undef SET_PARTIAL
#undef SET_MULTISET
#undef SET_DERANGEMENT
#undef SET_COMBINATION
#undef SET_GRAY
#undef SET_CYCLE
#undef SET_CIRCULAR
#undef SET_MOST
#undef SET_FREE
#undef SET_PARAMETERS
#undef SET_CHUNK
#undef SET_STAGE
#undef SET_DIRECT
#undef SET_FIRST
#undef SET_OFFSET
#undef SET_SHAPES
#undef SET_ORDERS
#undef SET_RECIPROCALS
#undef SET_TAIL
#undef PERM_N
#undef PERM_ORDERS
#undef PERM_VECTORS
#undef PERM_AREA
#undef PERM_TASK_GROUPS
#undef PERM_WINDOW
#undef PERM_ITEM_BYTES
#undef PERM_SHIFT
#undef PERM_UNITS
#undef PERM_PERIOD
#undef PERM_PREFIX
#undef PERM_FIRST
#undef PERM_OFFSET
#undef PERM_BASE
#undef PERM_DIVISORS
#undef PERM_ITEMS
#undef PERM_PATTERN
#undef PERM_PIECE_GROUPS
#undef PERM_PREPARED
#undef PERM_LANES
#undef PERM_WRITE_LANES
#undef PERM_PLACES
#undef PERM_PLACES128

#endif /* PERM */

