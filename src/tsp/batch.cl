/* ---- batches: a block solves an instance at a time, a lane takes a set of a layer at a time */
#define TSP_BATCH_LANES 128
#define TSP_BATCH_MOST 15 /* middle cities at most */

/* What lane 0 keeps for the block. */
typedef struct tsp_batch_t {
    u32 number, end; /* the rest of the range that was taken */
    u32 instance;    /* the one being solved; NONE at the start and at the end */
    u32 m;           /* its middle cities */
    u64 length, order, steps, hash;
} tsp_batch_t;

/* Lane 0: hands out what was found, and takes the next instance of its range, or of a new one. When
   the slice is over what is left of the range is given back. */
DEVICE void tsp_batch_next(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tasks, GLOBAL u32 *left,
                           GLOBAL u32 *records, LOCAL tsp_batch_t *batch)
{
    u32 at = batch->instance == NONE ? NONE : combgpu_emit(slice);
    if (at != NONE) {
        combgpu_store64(records + 6 * (u64)at, batch->instance);
        combgpu_store64(records + 6 * (u64)at + 2, batch->length);
        combgpu_store64(records + 6 * (u64)at + 4, batch->order);
        batch->steps += batch->m << batch->m >> 1;
        batch->hash += combgpu_mix(combgpu_mix(combgpu_mix(batch->instance) + batch->length) + batch->order);
    } else if (batch->instance != NONE) {
        batch->number--; /* it comes again, and must not count */
    }
    batch->instance = NONE;
    batch->length = batch->order = 0;
    at = combgpu_spent(slice, (u32)batch->steps);
    if (at && batch->number < batch->end) {
        combgpu_give_range(slice, left, batch->number, batch->end);
        return;
    }
    if (at) return;
    if (batch->number == batch->end) {
        at = combgpu_take(slice);
        if (at == NONE) return;
        batch->number = tasks[4 * at];
        batch->end = tasks[4 * at + 2];
    }
    batch->instance = batch->number++;
}

/* Where f(c, set) is in the table of m cities; c is not in the set. */
DEVICE u32 tsp_batch_place(u32 m, u32 c, u32 set)
{
    u32 below = set & ((1u << c) - 1);
    return (c << (m - 1)) + (((set ^ below) >> 1) + below);
}

/* f(c, set) for all c that are not in the set: the cheapest way from c through one of its members,
   whose entries are read once. Indices are constants, so that `row` is in registers. */
DEVICE void tsp_batch_set(LOCAL const u64 *costs, u32 most, u32 m, GLOBAL u32 *table, u32 wide,
                          u32 set)
{
    LOCAL const u64 *last = costs + most, *legs = last + most;
    u64 row[TSP_BATCH_MOST];
    u32 i, c;
#pragma unroll
    for (i = 0; i < TSP_BATCH_MOST; i++) {
        row[i] = TSP_FAR(1);
        if (set >> i & 1) row[i] = tsp_load(table, wide, tsp_batch_place(m, i, set ^ 1u << i));
    }
    for (c = 0; c < m; c++) {
        u64 cost = set ? TSP_FAR(1) : last[c];
        if (set >> c & 1) continue;
#pragma unroll
        for (i = 0; i < TSP_BATCH_MOST; i++)
            if (i < most) cost = tsp_min(cost, legs[c * most + i] + row[i]);
        tsp_store(table, wide, tsp_batch_place(m, c, set), cost);
    }
}

/* Lane c's city as the next one of the order: what the rest then costs. */
DEVICE u64 tsp_batch_try(LOCAL const u64 *costs, u32 most, u32 m, GLOBAL const u32 *table, u32 wide,
                         u32 rest, u32 before, u32 c)
{
    if (c >= m || !(rest >> c & 1)) return TSP_FAR(1) << 1;
    return (before == NONE ? costs[c] : costs[(2 + before) * most + c]) +
           tsp_load(table, wide, tsp_batch_place(m, c, rest ^ 1u << c));
}

/* One loop for both halves of an instance: PoCL 3.1 goes wrong with barriers in two of them. */
KERNEL combgpu_tsp_batched(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 costs[TSP_BATCH_MOST * (TSP_BATCH_MOST + 2)], tried[16];
    LOCAL_ARRAY tsp_batch_t batch;
    u32 most = tables[0], wide = tables[1], all = most * (most + 2);
    u64 words = ((u64)(most << most) / 2 + 2) / 2 * 2 * (1 + wide);
    GLOBAL u32 *table = work + BLOCK_ID * words;
    if (LANE_ID == 0) {
        batch.number = batch.end = 0;
        batch.instance = NONE;
        batch.steps = batch.hash = 0;
    }
    for (;;) {
        GLOBAL const u32 *numbers, *subsets;
        u32 i, m, round, size = 1, rest, before = NONE;
        BLOCK_BARRIER();
        if (LANE_ID == 0) tsp_batch_next(slice, tasks, left, records, &batch);
        BLOCK_BARRIER();
        if (batch.instance == NONE) break;
        numbers = tables + 8 + (2u << most) + (u64)batch.instance * (1 + all) * (1 + wide);
        m = numbers[0];
        subsets = tables + 8 + (1u << m);
        rest = (1u << m) - 1;
        for (i = LANE_ID; i < all; i += TSP_BATCH_LANES)
            costs[i] = tsp_load(numbers, wide, 1 + i);
        if (LANE_ID == 0) {
            batch.m = m;
            if (!m && most) batch.length = costs[0];
        }
        for (round = 0; round < 2 * m; round++) { /* the layers, then the places of the order */
            u32 chosen = 0;
            BLOCK_BARRIER();
            if (round < m) {
                for (i = LANE_ID; i < size; i += TSP_BATCH_LANES)
                    tsp_batch_set(costs, most, m, table, wide, subsets[i]);
                subsets += size;
                size = size * (m - round) / (round + 1);
            } else if (LANE_ID < 16) {
                tried[LANE_ID] =
                    tsp_batch_try(costs, most, m, table, wide, rest, before, LANE_ID);
            }
            BLOCK_BARRIER();
            if (round < m) continue;
            for (i = 1; i < m; i++)
                if (tried[i] < tried[chosen]) chosen = i;
            if (LANE_ID == 0) {
                if (round == m) batch.length = tried[chosen];
                batch.order |= (u64)chosen << 4 * (round - m);
            }
            rest ^= 1u << chosen;
            before = chosen;
        }
    }
    if (LANE_ID == 0 && (batch.steps || batch.hash)) {
        combgpu_add_total(slice, 0, batch.steps);
        combgpu_add_total(slice, 1, batch.hash);
    }
}

#undef TSP_BATCH_LANES
#undef TSP_BATCH_MOST
#undef TSP_MOST
#undef TSP_M
#undef TSP_FIRST
#undef TSP_LAST
#undef TSP_LEGS
#undef TSP_BINOMIALS
#undef TSP_FAR
#undef TSP_LANES
#undef TSP_SIDE
#undef TSP_LOW_MOST

#endif /* TSP */

