/* The batch kernel: a block solves one instance at a time by Held-Karp, a lane works on one set of a
   layer. Tables of 16-bit costs lie in local memory if they fit. */

/* The block's state, kept by lane 0. */
typedef struct combgpu_batch_t {
    uint32_t number, end; /* the rest of the task's range */
    uint32_t instance;    /* in work; COMBGPU__NONE at the start and at the end */
    uint32_t m;           /* its middle cities */
    uint32_t unit;        /* high word of the record's number */
    uint64_t length, order, steps, hash;
} combgpu_batch_t;

/* Emits the solved instance and takes the next one, of this range or of a new task. At the end of
   the slice spills the rest of the range. By lane 0. */
COMBGPU__DEVICE void combgpu_batch_next(COMBGPU__GLOBAL combgpu__slice *slice,
                                        COMBGPU__GLOBAL const uint32_t *tasks,
                                        COMBGPU__GLOBAL uint32_t *left,
                                        COMBGPU__GLOBAL uint32_t *records,
                                        COMBGPU__LOCAL combgpu_batch_t *batch)
{
    uint32_t at = batch->instance == COMBGPU__NONE ? COMBGPU__NONE : combgpu_emit(slice);
    if (at != COMBGPU__NONE) {
        combgpu_store64(records + 6 * (uint64_t)at, batch->instance | (uint64_t)batch->unit << 32);
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

/* The place of f(c, set), of m cities, in c's part of the table; c is not in the set: its bit stands
   for the last city, whose own bit is left out. */
COMBGPU__DEVICE uint32_t combgpu_batch_place(uint32_t m, uint32_t c, uint32_t set)
{
    uint32_t last = 1u << (m - 1);
    return (c << (m - 1)) + (set & last ? set ^ last ^ 1u << c : set);
}

/* The place of f(i, set without i) for a member i. */
COMBGPU__DEVICE uint32_t combgpu_batch_without(uint32_t m, uint32_t i, uint32_t set)
{
    uint32_t last = 1u << (m - 1);
    return (i << (m - 1)) + (set ^ (set & last ? last : 1u << i));
}

#define COMBGPU_TSP_UNROLL _Pragma("unroll") /* to keep arrays in registers */

/* Defines the function that computes f(c, set) for all c outside the set: the cheapest way from c
   through one of its members, whose entries are read once. Costs are read four at a time. */
#define COMBGPU_TSP_BATCH_SET(name, COST, SUM, FAR, TABLE)                                         \
    COMBGPU__DEVICE void name(COMBGPU__LOCAL const COST *costs, uint32_t m, TABLE table,           \
                              uint32_t set)                                                        \
    {                                                                                              \
        COST row[COMBGPU__BATCH_SIDE];                                                             \
        uint32_t i, c;                                                                             \
        COMBGPU_TSP_UNROLL for (i = 0; i < COMBGPU__BATCH_SIDE; i++)                               \
        {                                                                                          \
            row[i] = FAR;                                                                          \
            if (set >> i & 1) row[i] = table[combgpu_batch_without(m, i, set)];                    \
        }                                                                                          \
        for (c = 0; c < m; c++) {                                                                  \
            COMBGPU__LOCAL const COST *from = costs + (2 + c) * COMBGPU__BATCH_SIDE;               \
            COST cost = set ? FAR : costs[COMBGPU__BATCH_SIDE + c];                                \
            COMBGPU_TSP_UNROLL for (i = 0; i < COMBGPU__BATCH_SIDE; i += 4) if (i < m)             \
            {                                                                                      \
                COST a = from[i] + row[i], b = from[i + 1] + row[i + 1];                           \
                COST d = from[i + 2] + row[i + 2], e = from[i + 3] + row[i + 3];                   \
                cost = a < cost ? a : cost;                                                        \
                cost = b < cost ? b : cost;                                                        \
                cost = d < cost ? d : cost;                                                        \
                cost = e < cost ? e : cost;                                                        \
            }                                                                                      \
            if (!(set >> c & 1)) table[combgpu_batch_place(m, c, set)] = (SUM)cost;                \
        }                                                                                          \
    }

COMBGPU_TSP_BATCH_SET(combgpu_tsp_batch_set16, uint32_t, uint16_t, 1u << 30,
                      COMBGPU__LOCAL uint16_t *)
COMBGPU_TSP_BATCH_SET(combgpu_tsp_batch_set32, uint32_t, uint32_t, 1u << 30,
                      COMBGPU__GLOBAL uint32_t *)
COMBGPU_TSP_BATCH_SET(combgpu_tsp_batch_set64, uint64_t, uint64_t, (uint64_t)1 << 62,
                      COMBGPU__GLOBAL uint64_t *)

/* One loop for both halves of an instance: PoCL 3.1 miscompiles barriers in two loops. */
COMBGPU__KERNEL combgpu_tsp_batched(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint16_t tight[COMBGPU__BATCH_LOCAL << COMBGPU__BATCH_LOCAL >> 1];
    COMBGPU__LOCAL_ARRAY combgpu_batch_costs_t costs;
    COMBGPU__LOCAL_ARRAY uint64_t tried[16];
    COMBGPU__LOCAL_ARRAY combgpu_batch_t batch;
    uint32_t most = tables[COMBGPU__BATCH_AT_MOST], bits = tables[COMBGPU__BATCH_AT_BITS],
             metric = tables[COMBGPU__BATCH_AT_METRIC];
    uint64_t words = ((uint64_t)(most << most) / 2 + 2) / 2 * 2 * (bits == 64 ? 2 : 1);
    COMBGPU__GLOBAL uint32_t *table = work + (bits == 16 ? 0 : COMBGPU__BLOCK_ID * words);
    if (COMBGPU__LANE_ID == 0) {
        batch.number = batch.end = 0;
        batch.instance = COMBGPU__NONE;
        batch.steps = batch.hash = 0;
    }
    for (;;) {
        COMBGPU__GLOBAL const uint32_t *subsets;
        uint32_t i, m, unit, round, size = 1, rest, before = COMBGPU__NONE;
        COMBGPU__BLOCK_BARRIER();
        if (COMBGPU__LANE_ID == 0) combgpu_batch_next(slice, tasks, left, records, &batch);
        COMBGPU__BLOCK_BARRIER();
        if (batch.instance == COMBGPU__NONE) break;
        combgpu_batch_costs_clear(&costs);
        if (metric) combgpu_batch_costs_measure(tables, batch.instance, &costs);
        COMBGPU__BLOCK_BARRIER();
        if (metric)
            m = combgpu_batch_costs_round(tables, batch.instance, &costs, &unit);
        else
            m = combgpu_batch_costs_copy(tables, batch.instance, &costs, &unit);
        subsets = tables + COMBGPU__BATCH_AT_SUBSETS + (1u << m);
        rest = (1u << m) - 1;
        for (round = 0; round < 2 * m; round++) { /* the layers, then the places of the order */
            uint32_t chosen = 0;
            COMBGPU__BLOCK_BARRIER();
            if (round < m) {
                for (i = COMBGPU__LANE_ID; i < size; i += COMBGPU__BATCH_LANES)
                    if (bits == 16)
                        combgpu_tsp_batch_set16(costs.narrow, m, tight, subsets[i]);
                    else if (bits == 32)
                        combgpu_tsp_batch_set32(costs.narrow, m, table, subsets[i]);
                    else
                        combgpu_tsp_batch_set64(costs.wide, m, (COMBGPU__GLOBAL uint64_t *)table,
                                                subsets[i]);
                subsets += size;
                size = size * (m - round) / (round + 1);
            } else if (COMBGPU__LANE_ID < 16) {
                uint32_t c = COMBGPU__LANE_ID, place;
                uint64_t cost = (uint64_t)1 << 63;
                if (c < m && rest >> c & 1) {
                    i = before == COMBGPU__NONE ? c : (2 + before) * COMBGPU__BATCH_SIDE + c;
                    place = combgpu_batch_without(m, c, rest);
                    cost = bits == 64   ? costs.wide[i] + ((COMBGPU__GLOBAL uint64_t *)table)[place]
                           : bits == 32 ? costs.narrow[i] + (uint64_t)table[place]
                                        : costs.narrow[i] + (uint64_t)tight[place];
                }
                tried[c] = cost;
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
        if (COMBGPU__LANE_ID == 0) {
            batch.m = m;
            batch.unit = unit;
            if (!m && most) batch.length = bits == 64 ? costs.wide[0] : costs.narrow[0];
        }
    }
    if (COMBGPU__LANE_ID == 0 && (batch.steps || batch.hash)) {
        combgpu_add_total(slice, 0, batch.steps);
        combgpu_add_total(slice, COMBGPU__TSP_HASH, batch.hash);
    }
}
