/* The batch kernel: a block solves one instance at a time, a lane works on one set of a layer. */

/* The block's state, kept by lane 0. */
typedef struct combgpu_tsp_batch_t {
    uint32_t number, end; /* the rest of the task's range */
    uint32_t instance;    /* in work; COMBGPU__NONE at the start and at the end */
    uint32_t m;           /* its middle cities */
    uint64_t length, order, steps, hash;
} combgpu_tsp_batch_t;

/* Emits the solved instance and takes the next one, of this range or of a new task. At the end of
   the slice gives back the rest of the range. By lane 0. */
COMBGPU__DEVICE void combgpu_tsp_batch_next(COMBGPU__GLOBAL combgpu__slice *slice,
                                            COMBGPU__GLOBAL const uint32_t *tasks,
                                            COMBGPU__GLOBAL uint32_t *left,
                                            COMBGPU__GLOBAL uint32_t *records,
                                            COMBGPU__LOCAL combgpu_tsp_batch_t *batch)
{
    uint32_t at = batch->instance == COMBGPU__NONE ? COMBGPU__NONE : combgpu_emit(slice);
    if (at != COMBGPU__NONE) {
        combgpu_store64(records + 6 * (uint64_t)at, batch->instance);
        combgpu_store64(records + 6 * (uint64_t)at + 2, batch->length);
        combgpu_store64(records + 6 * (uint64_t)at + 4, batch->order);
        batch->steps += batch->m << batch->m >> 1;
        batch->hash +=
            combgpu_mix(combgpu_mix(combgpu_mix(batch->instance) + batch->length) + batch->order);
    } else if (batch->instance != COMBGPU__NONE) {
        batch->number--; /* it will be solved again, so it must not count now */
    }
    batch->instance = COMBGPU__NONE;
    batch->length = batch->order = 0;
    at = combgpu_spent(slice, (uint32_t)batch->steps);
    if (at && batch->number < batch->end) {
        combgpu_give_range(slice, left, batch->number, batch->end);
        return;
    }
    if (at) return;
    if (batch->number == batch->end) {
        at = combgpu_take(slice);
        if (at == COMBGPU__NONE) return;
        batch->number = tasks[4 * at];
        batch->end = tasks[4 * at + 2];
    }
    batch->instance = batch->number++;
}

/* Returns the place of f(c, set) in the table of m cities; c is not in the set. */
COMBGPU__DEVICE uint32_t combgpu_tsp_batch_place(uint32_t m, uint32_t c, uint32_t set)
{
    uint32_t below = set & ((1u << c) - 1);
    return (c << (m - 1)) + (((set ^ below) >> 1) + below);
}

/* Computes f(c, set) for all c outside the set: the cheapest way from c through one of its members,
   whose entries are read once. Indices are constants, so `row` stays in registers. */
COMBGPU__DEVICE void combgpu_tsp_batch_set(COMBGPU__LOCAL const uint64_t *costs, uint32_t most,
                                           uint32_t m, COMBGPU__GLOBAL uint32_t *table,
                                           uint32_t wide, uint32_t set)
{
    COMBGPU__LOCAL const uint64_t *last = costs + most, *legs = last + most;
    uint64_t row[COMBGPU__BATCH_MOST];
    uint32_t i, c;
#pragma unroll
    for (i = 0; i < COMBGPU__BATCH_MOST; i++) {
        row[i] = COMBGPU__TSP_FAR(1);
        if (set >> i & 1)
            row[i] = combgpu_tsp_load(table, wide, combgpu_tsp_batch_place(m, i, set ^ 1u << i));
    }
    for (c = 0; c < m; c++) {
        uint64_t cost = set ? COMBGPU__TSP_FAR(1) : last[c];
        if (set >> c & 1) continue;
#pragma unroll
        for (i = 0; i < COMBGPU__BATCH_MOST; i++)
            if (i < most) cost = combgpu_tsp_min(cost, legs[c * most + i] + row[i]);
        combgpu_tsp_store(table, wide, combgpu_tsp_batch_place(m, c, set), cost);
    }
}

/* Returns the cost of the rest of the order if city c comes next. */
COMBGPU__DEVICE uint64_t combgpu_tsp_batch_try(COMBGPU__LOCAL const uint64_t *costs, uint32_t most,
                                               uint32_t m, COMBGPU__GLOBAL const uint32_t *table,
                                               uint32_t wide, uint32_t rest, uint32_t before,
                                               uint32_t c)
{
    if (c >= m || !(rest >> c & 1)) return COMBGPU__TSP_FAR(1) << 1;
    return (before == COMBGPU__NONE ? costs[c] : costs[(2 + before) * most + c]) +
           combgpu_tsp_load(table, wide, combgpu_tsp_batch_place(m, c, rest ^ 1u << c));
}

/* One loop for both halves of an instance: PoCL 3.1 miscompiles barriers in two loops. */
COMBGPU__KERNEL combgpu_tsp_batched(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t costs[COMBGPU__BATCH_MOST * (COMBGPU__BATCH_MOST + 2)], tried[16];
    COMBGPU__LOCAL_ARRAY combgpu_tsp_batch_t batch;
    uint32_t most = tables[COMBGPU__BATCH_AT_MOST], wide = tables[COMBGPU__BATCH_AT_WIDE],
             all = most * (most + 2);
    uint64_t words = ((uint64_t)(most << most) / 2 + 2) / 2 * 2 * (1 + wide);
    COMBGPU__GLOBAL uint32_t *table = work + COMBGPU__BLOCK_ID * words;
    if (COMBGPU__LANE_ID == 0) {
        batch.number = batch.end = 0;
        batch.instance = COMBGPU__NONE;
        batch.steps = batch.hash = 0;
    }
    for (;;) {
        COMBGPU__GLOBAL const uint32_t *numbers, *subsets;
        uint32_t i, m, round, size = 1, rest, before = COMBGPU__NONE;
        COMBGPU__BLOCK_BARRIER();
        if (COMBGPU__LANE_ID == 0) combgpu_tsp_batch_next(slice, tasks, left, records, &batch);
        COMBGPU__BLOCK_BARRIER();
        if (batch.instance == COMBGPU__NONE) break;
        numbers = tables + COMBGPU__BATCH_AT_SUBSETS + (2u << most) +
                  (uint64_t)batch.instance * (1 + all) * (1 + wide);
        m = numbers[0];
        subsets = tables + COMBGPU__BATCH_AT_SUBSETS + (1u << m);
        rest = (1u << m) - 1;
        for (i = COMBGPU__LANE_ID; i < all; i += COMBGPU__BATCH_LANES)
            costs[i] = combgpu_tsp_load(numbers, wide, 1 + i);
        if (COMBGPU__LANE_ID == 0) {
            batch.m = m;
            if (!m && most) batch.length = costs[0];
        }
        for (round = 0; round < 2 * m; round++) { /* the layers, then the places of the order */
            uint32_t chosen = 0;
            COMBGPU__BLOCK_BARRIER();
            if (round < m) {
                for (i = COMBGPU__LANE_ID; i < size; i += COMBGPU__BATCH_LANES)
                    combgpu_tsp_batch_set(costs, most, m, table, wide, subsets[i]);
                subsets += size;
                size = size * (m - round) / (round + 1);
            } else if (COMBGPU__LANE_ID < 16) {
                tried[COMBGPU__LANE_ID] = combgpu_tsp_batch_try(costs, most, m, table, wide, rest,
                                                                before, COMBGPU__LANE_ID);
            }
            COMBGPU__BLOCK_BARRIER();
            if (round < m) continue;
            for (i = 1; i < m; i++)
                if (tried[i] < tried[chosen]) chosen = i;
            if (COMBGPU__LANE_ID == 0) {
                if (round == m) batch.length = tried[chosen];
                batch.order |= (uint64_t)chosen << 4 * (round - m);
            }
            rest ^= 1u << chosen;
            before = chosen;
        }
    }
    if (COMBGPU__LANE_ID == 0 && (batch.steps || batch.hash)) {
        combgpu_add_total(slice, 0, batch.steps);
        combgpu_add_total(slice, COMBGPU__TSP_HASH, batch.hash);
    }
}
