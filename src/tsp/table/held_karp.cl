/* The Held-Karp kernel: 32 lanes compute a block of the table, each lane an entry of a row. */

COMBGPU__DEVICE uint64_t combgpu_table_load(COMBGPU__GLOBAL const uint32_t *work, uint32_t wide,
                                            uint64_t at)
{
    return wide ? ((COMBGPU__GLOBAL const uint64_t *)work)[at] : (uint64_t)work[at];
}

COMBGPU__DEVICE void combgpu_table_store(COMBGPU__GLOBAL uint32_t *work, uint32_t wide, uint64_t at,
                                         uint64_t cost)
{
    if (wide)
        ((COMBGPU__GLOBAL uint64_t *)work)[at] = cost;
    else
        work[at] = (uint32_t)cost;
}

/* Returns the start of row (c, set); c is one of the `high` cities, not in the set. */
COMBGPU__DEVICE uint64_t combgpu_table_row(uint32_t high, uint32_t c, uint32_t set)
{
    uint32_t below = set & ((1u << c) - 1);
    return (((uint64_t)c << (high - 1)) + ((set ^ below) >> 1) + below) * 32;
}

/* Returns set number `position`, in ascending order, of those with `size` of the high cities. */
COMBGPU__DEVICE uint32_t combgpu_table_set_at(COMBGPU__GLOBAL const uint32_t *tables, uint32_t high,
                                              uint32_t size, uint32_t position)
{
    uint32_t i, set = 0;
    for (i = high; i-- > 0 && size;) {
        uint32_t without = COMBGPU__TSP_CHOOSE[i * COMBGPU__TSP_MOST + size];
        if (position < without) continue;
        position -= without;
        set |= 1u << i;
        size--;
    }
    return set;
}

/* Returns the least of `cost` and the ways on from city c through one of `cities`, for this lane's
   entry; the rows of the cities are in rows[city * 32 + lane]. */
COMBGPU__DEVICE uint64_t combgpu_table_minplus(COMBGPU__GLOBAL const uint32_t *tables,
                                               COMBGPU__LOCAL const uint64_t *rows, uint32_t c,
                                               uint32_t cities, uint64_t cost)
{
    COMBGPU__GLOBAL const uint64_t *legs = COMBGPU__TSP_LEGS + c * COMBGPU__TSP_MOST;
    for (; cities; cities &= cities - 1) {
        uint32_t i = COMBGPU__CTZ(cities);
        cost = combgpu_table_min(cost, legs[i] + rows[i * 32 + COMBGPU__LANE_ID]);
    }
    return cost;
}

/* Loads the rows f(i, set without i) of the high cities i in `set` and computes low[c * 32 +
   subset] = f(c, set + subset) of the low cities c, smaller subsets first: larger ones build on
   them. */
COMBGPU__DEVICE void combgpu_table_low(COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__GLOBAL const uint32_t *work, uint32_t set,
                                       COMBGPU__LOCAL uint64_t *rows, COMBGPU__LOCAL uint64_t *low)
{
    uint32_t high = tables[COMBGPU__TSP_AT_HIGH], wide = tables[COMBGPU__TSP_AT_WIDE],
             lows = tables[COMBGPU__TSP_AT_LOW], subset = COMBGPU__LANE_ID, rest, c, i, size;
    uint64_t far = COMBGPU__TSP_FAR(wide);
    COMBGPU__BLOCK_BARRIER(); /* no lane still reads `low` */
    for (rest = set; rest; rest &= rest - 1) {
        i = COMBGPU__CTZ(rest);
        rows[(lows + i) * 32 + subset] =
            combgpu_table_load(work, wide, combgpu_table_row(high, i, set ^ 1u << i) + subset);
    }
    for (c = 0; c < lows; c++)
        low[c * 32 + subset] = combgpu_table_minplus(tables, rows, c, set << lows,
                                                     set || subset ? far : COMBGPU__TSP_LAST[c]);
    for (size = 1; size <= lows; size++) {
        COMBGPU__BLOCK_BARRIER();
        if (COMBGPU__POPCOUNT(subset) == size && !(subset >> lows))
            for (c = 0; c < lows; c++)
                if (!(subset >> c & 1)) {
                    uint64_t cost = low[c * 32 + subset];
                    for (rest = subset; rest; rest &= rest - 1) {
                        i = COMBGPU__CTZ(rest);
                        cost =
                            combgpu_table_min(cost, COMBGPU__TSP_LEGS[c * COMBGPU__TSP_MOST + i] +
                                                        low[i * 32 + (subset ^ 1u << i)]);
                    }
                    low[c * 32 + subset] = cost;
                }
    }
    COMBGPU__BLOCK_BARRIER();
}

/* Computes the rest of a block: the rows of all high cities outside `set`. */
COMBGPU__DEVICE void combgpu_table_block(COMBGPU__GLOBAL const uint32_t *tables,
                                         COMBGPU__GLOBAL uint32_t *work, uint32_t set,
                                         COMBGPU__LOCAL uint64_t *rows,
                                         COMBGPU__LOCAL const uint64_t *low)
{
    uint32_t high = tables[COMBGPU__TSP_AT_HIGH], wide = tables[COMBGPU__TSP_AT_WIDE],
             lows = tables[COMBGPU__TSP_AT_LOW], subset = COMBGPU__LANE_ID, rest, i;
    uint64_t far = COMBGPU__TSP_FAR(wide);
    for (i = 0; i < lows; i++)
        rows[i * 32 + subset] = subset >> i & 1 ? low[i * 32 + (subset ^ 1u << i)] : far;
    for (rest = ((1u << high) - 1) & ~set; rest; rest &= rest - 1) {
        uint32_t c = COMBGPU__CTZ(rest);
        uint64_t cost =
            combgpu_table_minplus(tables, rows, lows + c, set << lows | ((1u << lows) - 1),
                                  set || subset ? far : COMBGPU__TSP_LAST[lows + c]);
        combgpu_table_store(work, wide, combgpu_table_row(high, c, set) + subset, cost);
    }
}

/* Returns the cost of the cheapest way from city `before` (COMBGPU__NONE = from the start) through
   all cities in `rest` that visits this lane's city first. */
COMBGPU__DEVICE uint64_t combgpu_table_try(COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL const uint32_t *work, uint32_t rest,
                                           uint32_t before, COMBGPU__LOCAL const uint64_t *low)
{
    uint32_t high = tables[COMBGPU__TSP_AT_HIGH], wide = tables[COMBGPU__TSP_AT_WIDE],
             lows = tables[COMBGPU__TSP_AT_LOW], c = COMBGPU__LANE_ID;
    uint32_t set = rest >> lows, subset = rest & ((1u << lows) - 1);
    uint64_t cost;
    if (c >= COMBGPU__TSP_M || !(rest >> c & 1)) return COMBGPU__TSP_FAR(1);
    cost = before == COMBGPU__NONE ? COMBGPU__TSP_FIRST[c]
                                   : COMBGPU__TSP_LEGS[before * COMBGPU__TSP_MOST + c];
    if (c < lows) return cost + low[c * 32 + (subset ^ 1u << c)];
    return cost +
           combgpu_table_load(work, wide,
                              combgpu_table_row(high, c - lows, set ^ 1u << (c - lows)) + subset);
}

/* The only task is {layer, position}: all workers compute the next blocks of that layer, and worker
   0 spills the position after them. After the last layer worker 0 reads the smallest optimal order
   off the table from its start: each city is the first that attains the minimum.

   Both parts share one loop and its barriers: PoCL 3.1 miscompiles barriers in two branches. */
COMBGPU__KERNEL combgpu_tsp_table(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t rows[(COMBGPU__TSP_MOST - 1) * 32],
        low[COMBGPU__TSP_GPU_LOW * 32], tried[32];
    uint32_t m = COMBGPU__TSP_M, high = tables[COMBGPU__TSP_AT_HIGH],
             lows = tables[COMBGPU__TSP_AT_LOW], layer = tasks[0], position = tasks[1];
    uint32_t blocks = COMBGPU__TSP_CHOOSE[high * COMBGPU__TSP_MOST + layer] - position,
             reading = layer == high;
    uint64_t steps = ((uint64_t)(m - layer) << lows) - (((uint64_t)lows << lows) >> 1);
    uint64_t may = (uint64_t)slice->budget * slice->workers / steps;
    uint32_t rest = (1u << m) - 1, before = COMBGPU__NONE, word = 0,
             mine = COMBGPU__BLOCK_ID == 0 && COMBGPU__LANE_ID == 0;
    uint32_t rounds, round, i;
    if (may < blocks) blocks = may ? (uint32_t)may : 1;
    rounds = reading ? (COMBGPU__BLOCK_ID ? 0 : m)
                     : (blocks + COMBGPU__BLOCK_COUNT - 1 - COMBGPU__BLOCK_ID) /
                           COMBGPU__BLOCK_COUNT; /* this worker's share */
    for (round = 0; round < rounds; round++) {
        uint32_t set =
            reading
                ? rest >> lows
                : combgpu_table_set_at(tables, high, layer,
                                       position + COMBGPU__BLOCK_ID + round * COMBGPU__BLOCK_COUNT);
        combgpu_table_low(tables, work, set, rows, low);
        if (!reading) combgpu_table_block(tables, work, set, rows, low);
        tried[COMBGPU__LANE_ID] = reading ? combgpu_table_try(tables, work, rest, before, low) : 0;
        COMBGPU__BLOCK_BARRIER();
        if (reading) {
            uint32_t chosen = 0;
            for (i = 1; i < m; i++)
                if (tried[i] < tried[chosen]) chosen = i;
            word |= chosen << 8 * (round % 4);
            if (mine && !round) combgpu_store64(records, tried[chosen]);
            if (mine) records[2 + round / 4] = word;
            if (round % 4 == 3) word = 0;
            rest ^= 1u << chosen;
            before = chosen;
        }
    }
    if (!mine) return;
    combgpu_take(slice);
    combgpu_add_total(slice, 0, steps * blocks);
    if (reading) {
        for (i = 2 + (m + 3) / 4; i < slice->record_words; i++)
            records[i] = 0;
        combgpu_emit(slice); /* the only record: number 0 */
        return;
    }
    i = combgpu_give(slice) * slice->task_words;
    position += blocks;
    left[i] = position < COMBGPU__TSP_CHOOSE[high * COMBGPU__TSP_MOST + layer] ? layer : layer + 1;
    left[i + 1] = left[i] == layer ? position : 0;
    left[i + 2] = left[i + 3] = 0;
}
