/* ---- Held-Karp: a block of 32 lanes does a block of the table, a lane for each entry of a row */
#define TSP_LOW_MOST 5

DEVICE u64 tsp_load(GLOBAL const u32 *work, u32 wide, u64 at)
{
    return wide ? ((GLOBAL const u64 *)work)[at] : (u64)work[at];
}

DEVICE void tsp_store(GLOBAL u32 *work, u32 wide, u64 at, u64 cost)
{
    if (wide)
        ((GLOBAL u64 *)work)[at] = cost;
    else
        work[at] = (u32)cost;
}

/* Where row (c, set) begins; c is one of the `high` cities, not in the set. */
DEVICE u64 tsp_row(u32 high, u32 c, u32 set)
{
    u32 below = set & ((1u << c) - 1);
    return (((u64)c << (high - 1)) + ((set ^ below) >> 1) + below) * 32;
}

/* Set number `position` of those with `size` of the high cities, in ascending order. */
DEVICE u32 tsp_set_at(GLOBAL const u32 *tables, u32 high, u32 size, u32 position)
{
    u32 i, set = 0;
    for (i = high; i-- > 0 && size;) {
        u32 without = TSP_BINOMIALS[i * TSP_MOST + size];
        if (position < without) continue;
        position -= without;
        set |= 1u << i;
        size--;
    }
    return set;
}

/* The cheapest way on from city c, in this lane's entry: through one of `cities`, whose rows are in
   rows[city * 32 + lane], or, if there is none to visit, straight to the end. */
DEVICE u64 tsp_minplus(GLOBAL const u32 *tables, LOCAL const u64 *rows, u32 c, u32 cities,
                       u64 cost)
{
    GLOBAL const u64 *legs = TSP_LEGS + c * TSP_MOST;
    for (; cities; cities &= cities - 1) {
        u32 i = CTZ(cities);
        cost = tsp_min(cost, legs[i] + rows[i * 32 + LANE_ID]);
    }
    return cost;
}

/* Loads the rows of the high cities i in `set`, of f(i, set without i), and computes low[c * 32 +
   subset] = f(c, set + subset) of the low cities: smaller subsets first, for they build on each
   other. */
DEVICE void tsp_low(GLOBAL const u32 *tables, GLOBAL const u32 *work, u32 set, LOCAL u64 *rows,
                    LOCAL u64 *low)
{
    u32 high = tables[1], wide = tables[3], lows = tables[4], subset = LANE_ID, rest, c, i, size;
    u64 far = TSP_FAR(wide);
    BLOCK_BARRIER(); /* nobody reads `low` any more */
    for (rest = set; rest; rest &= rest - 1) {
        i = CTZ(rest);
        rows[(lows + i) * 32 + subset] =
            tsp_load(work, wide, tsp_row(high, i, set ^ 1u << i) + subset);
    }
    for (c = 0; c < lows; c++)
        low[c * 32 + subset] =
            tsp_minplus(tables, rows, c, set << lows, set || subset ? far : TSP_LAST[c]);
    for (size = 1; size <= lows; size++) {
        BLOCK_BARRIER();
        if (POPCOUNT(subset) == size && !(subset >> lows))
            for (c = 0; c < lows; c++)
                if (!(subset >> c & 1)) {
                    u64 cost = low[c * 32 + subset];
                    for (rest = subset; rest; rest &= rest - 1) {
                        i = CTZ(rest);
                        cost = tsp_min(cost, TSP_LEGS[c * TSP_MOST + i] +
                                                 low[i * 32 + (subset ^ 1u << i)]);
                    }
                    low[c * 32 + subset] = cost;
                }
    }
    BLOCK_BARRIER();
}

/* The rest of a block: the rows of all high cities that are not in `set`. */
DEVICE void tsp_block(GLOBAL const u32 *tables, GLOBAL u32 *work, u32 set, LOCAL u64 *rows,
                      LOCAL const u64 *low)
{
    u32 high = tables[1], wide = tables[3], lows = tables[4], subset = LANE_ID, rest, i;
    u64 far = TSP_FAR(wide);
    for (i = 0; i < lows; i++)
        rows[i * 32 + subset] = subset >> i & 1 ? low[i * 32 + (subset ^ 1u << i)] : far;
    for (rest = ((1u << high) - 1) & ~set; rest; rest &= rest - 1) {
        u32 c = CTZ(rest);
        u64 cost = tsp_minplus(tables, rows, lows + c, set << lows | ((1u << lows) - 1),
                               set || subset ? far : TSP_LAST[lows + c]);
        tsp_store(work, wide, tsp_row(high, c, set) + subset, cost);
    }
}

/* The cheapest way on, through all cities in `rest`, that goes to this lane's city first. The way
   so far ends with city `before`; NONE = it is at its start. */
DEVICE u64 tsp_try(GLOBAL const u32 *tables, GLOBAL const u32 *work, u32 rest, u32 before,
                   LOCAL const u64 *low)
{
    u32 high = tables[1], wide = tables[3], lows = tables[4], c = LANE_ID;
    u32 set = rest >> lows, subset = rest & ((1u << lows) - 1);
    u64 cost;
    if (c >= TSP_M || !(rest >> c & 1)) return TSP_FAR(1);
    cost = before == NONE ? TSP_FIRST[c] : TSP_LEGS[before * TSP_MOST + c];
    if (c < lows) return cost + low[c * 32 + (subset ^ 1u << c)];
    return cost +
           tsp_load(work, wide, tsp_row(high, c - lows, set ^ 1u << (c - lows)) + subset);
}

/* There is one task, {layer, position}: all workers do the next blocks of that layer, and worker 0
   gives back what follows. When all layers are done it reads the smallest optimal order off the
   table, from its start: each city is the first that attains the minimum.

   Both share one loop and its barriers: PoCL 3.1 goes wrong with barriers in two branches. */
KERNEL combgpu_tsp_table(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 rows[(TSP_MOST - 1) * 32], low[TSP_LOW_MOST * 32], tried[32];
    u32 m = TSP_M, high = tables[1], lows = tables[4], layer = tasks[0], position = tasks[1];
    u32 blocks = TSP_BINOMIALS[high * TSP_MOST + layer] - position, reading = layer == high;
    u64 steps = ((u64)(m - layer) << lows) - (((u64)lows << lows) >> 1);
    u64 may = (u64)slice->budget * slice->workers / steps;
    u32 rest = (1u << m) - 1, before = NONE, word = 0, mine = BLOCK_ID == 0 && LANE_ID == 0;
    u32 rounds, round, i;
    if (may < blocks) blocks = may ? (u32)may : 1;
    rounds = reading ? (BLOCK_ID ? 0 : m)
                     : (blocks + BLOCK_COUNT - 1 - BLOCK_ID) / BLOCK_COUNT; /* this worker's share */
    for (round = 0; round < rounds; round++) {
        u32 set = reading ? rest >> lows
                          : tsp_set_at(tables, high, layer,
                                       position + BLOCK_ID + round * BLOCK_COUNT);
        tsp_low(tables, work, set, rows, low);
        if (!reading) tsp_block(tables, work, set, rows, low);
        tried[LANE_ID] = reading ? tsp_try(tables, work, rest, before, low) : 0;
        BLOCK_BARRIER();
        if (reading) {
            u32 chosen = 0;
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
        combgpu_emit(slice); /* the only record ever: number 0 */
        return;
    }
    i = combgpu_give(slice) * slice->task_words;
    position += blocks;
    left[i] = position < TSP_BINOMIALS[high * TSP_MOST + layer] ? layer : layer + 1;
    left[i + 1] = left[i] == layer ? position : 0;
    left[i + 2] = left[i + 3] = 0;
}

