/* The kernel of the k shortest tours: a block lists the orders that end with one city. Its table is as
   in src/tsp/shortest/solve.c; the list is in tsp/shortest/list.cl. */

/* Computes the layer of sets with `size` of the cities: a lane an entry. */
COMBGPU__DEVICE void combgpu_shortest_layer(COMBGPU__GLOBAL const uint32_t *subsets,
                                            COMBGPU__LOCAL const combgpu_shortest_t *tours,
                                            COMBGPU__GLOBAL combgpu_shortest_ways_t *table)
{
    uint32_t n = tours->cities, i;
    for (i = COMBGPU__LANE_ID; i < tours->sets * n; i += COMBGPU__SHORTEST_LANES) {
        uint32_t set = subsets[tours->first_set + i / n], c = i % n, rest;
        COMBGPU__LOCAL const uint64_t *legs = tours->legs + c * COMBGPU__SHORTEST_SIDE;
        combgpu_shortest_ways_t best;
        if (set >> c & 1) continue;
        best.least = set ? COMBGPU__TSP_FAR(1) : legs[n];
        best.ways = !set;
        for (rest = set; rest; rest &= rest - 1) {
            uint32_t j = COMBGPU__CTZ(rest);
            combgpu_shortest_ways_t on;
            uint64_t cost;
            if (tours->before[j] & set) continue;
            on = table[(set ^ 1u << j) * n + j];
            cost = legs[j] + on.least;
            if (on.least == COMBGPU__TSP_FAR(1) || cost > best.least) continue;
            best.ways = cost < best.least ? on.ways : best.ways + on.ways;
            best.least = cost;
        }
        table[set * n + c] = best;
    }
}

/* Reads the table: the least length, and how many orders have it. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_best(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                           COMBGPU__GLOBAL const combgpu_shortest_ways_t *table)
{
    uint32_t n = tours->cities, all = (1u << n) - 1, i;
    tours->least = COMBGPU__TSP_FAR(1);
    tours->ways = 0;
    for (i = 0; i < n; i++) {
        combgpu_shortest_ways_t on;
        uint64_t cost;
        if (!combgpu_shortest_begins(tours, i)) continue;
        on = table[(all ^ 1u << i) * n + i];
        cost = tours->legs[COMBGPU__SHORTEST_START * COMBGPU__SHORTEST_SIDE + i] + on.least;
        if (on.least == COMBGPU__TSP_FAR(1) || cost > tours->least) continue;
        tours->ways = cost < tours->least ? on.ways : tours->ways + on.ways;
        tours->least = cost;
    }
}

/* Copies costs and precedence of the cities, numbered without the last one, b. The leg to b, whose
   number is the greatest, includes what follows it. */
COMBGPU__DEVICE void combgpu_shortest_load(COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t n = tours->cities, b = tours->b, i;
    COMBGPU__GLOBAL const uint64_t
        *first = (COMBGPU__GLOBAL const uint64_t *)(tables + COMBGPU__SHORTEST_AT_COSTS),
        *last = first + COMBGPU__SHORTEST_SIDE, *legs = last + COMBGPU__SHORTEST_SIDE;
    for (i = COMBGPU__LANE_ID; i < (n + 1) * n; i += COMBGPU__SHORTEST_LANES) {
        uint32_t from = i / (n + 1), to = i % (n + 1);
        uint64_t cost = legs[combgpu_shortest_city(b, n, from) * COMBGPU__SHORTEST_SIDE +
                             combgpu_shortest_city(b, n, to)];
        tours->legs[from * COMBGPU__SHORTEST_SIDE + to] = to == n ? cost + last[b] : cost;
    }
    for (i = COMBGPU__LANE_ID; i < n; i += COMBGPU__SHORTEST_LANES) {
        uint32_t before = tables[COMBGPU__SHORTEST_AT_BEFORE + combgpu_shortest_city(b, n, i)];
        tours->before[i] = (before & ((1u << b) - 1)) | (before >> (b + 1) << b);
        tours->legs[COMBGPU__SHORTEST_START * COMBGPU__SHORTEST_SIDE + i] =
            first[combgpu_shortest_city(b, n, i)];
    }
    if (COMBGPU__LANE_ID == 0 && !n) tours->least = first[0] + last[0];
}

/* Takes a task that has orders; without one, sets the phase END. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_next(COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL const uint32_t *tasks,
                                           COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t task, i, last;
    do {
        task = combgpu_spent(slice, tours->steps) ? COMBGPU__NONE : combgpu_take(slice);
        tours->phase = task == COMBGPU__NONE ? COMBGPU__SHORTEST_END : COMBGPU__SHORTEST_LOAD;
        if (task == COMBGPU__NONE) return;
        tours->b = tasks[task];
        tours->steps += 1 + (tours->cities << tours->cities >> 1);
        tours->tasks++;
        for (i = 0, last = 1; i <= tours->cities; i++)
            if (tables[COMBGPU__SHORTEST_AT_BEFORE + i] >> tours->b & 1) last = 0;
    } while (!last);
}

/* Begins the list with the empty order; of a single city the list is complete. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_begin_list(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                                 COMBGPU__GLOBAL combgpu_shortest_entry_t *list)
{
    tours->place = 0;
    tours->count = 1;
    tours->found = tours->span[0] = tours->span[1] = 0;
    tours->bound = ~(uint64_t)0;
    list[0].length = tours->least;
    list[0].order = 0;
    tours->phase = tours->cities ? COMBGPU__SHORTEST_EXTEND : COMBGPU__SHORTEST_FIRST;
}

/* Says what follows the phase that has ended. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_follow(COMBGPU__GLOBAL combgpu__slice *slice,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL const uint32_t *tasks,
                                             COMBGPU__GLOBAL const combgpu_shortest_ways_t *table,
                                             COMBGPU__GLOBAL combgpu_shortest_entry_t *list,
                                             COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t phase = tours->phase, n = tours->cities;
    if (phase == COMBGPU__SHORTEST_LOAD) {
        tours->size = tours->first_set = 0;
        tours->sets = tours->ways = 1;
        tours->phase = COMBGPU__SHORTEST_LAYER;
        if (!n) combgpu_shortest_begin_list(tours, list);
    } else if (phase == COMBGPU__SHORTEST_LAYER) {
        tours->first_set += tours->sets;
        tours->sets = tours->sets * (n - tours->size) / (tours->size + 1);
        if (++tours->size < n) return;
        combgpu_shortest_best(tours, table);
        if (tours->ways)
            combgpu_shortest_begin_list(tours, list);
        else
            combgpu_shortest_next(slice, tables, tasks, tours);
    } else if (phase == COMBGPU__SHORTEST_EMIT) {
        combgpu_shortest_next(slice, tables, tasks, tours);
    } else {
        combgpu_shortest_list(tours);
    }
}

/* Does the block's phase. Returns its addition to the lane's part of the checksum. */
COMBGPU__DEVICE uint64_t combgpu_shortest_work(COMBGPU__GLOBAL combgpu__slice *slice,
                                               COMBGPU__GLOBAL const uint32_t *tables,
                                               COMBGPU__LOCAL combgpu_shortest_t *tours,
                                               COMBGPU__GLOBAL combgpu_shortest_ways_t *table,
                                               COMBGPU__GLOBAL combgpu_shortest_entry_t *list,
                                               COMBGPU__GLOBAL combgpu_shortest_entry_t *longer,
                                               COMBGPU__GLOBAL uint32_t *records)
{
    uint32_t phase = tours->phase;
    if (phase == COMBGPU__SHORTEST_EMIT) return combgpu_shortest_emit(slice, tours, list, records);
    if (phase == COMBGPU__SHORTEST_LOAD)
        combgpu_shortest_load(tables, tours);
    else if (phase == COMBGPU__SHORTEST_LAYER)
        combgpu_shortest_layer(tables + COMBGPU__SHORTEST_AT_SUBSETS, tours, table);
    else if (phase == COMBGPU__SHORTEST_EXTEND)
        combgpu_shortest_extend(tours, table, list, longer);
    else if (phase == COMBGPU__SHORTEST_DIGIT)
        combgpu_shortest_digit(tours, longer);
    else if (phase == COMBGPU__SHORTEST_KEEP)
        combgpu_shortest_keep(tours, longer, list);
    else if (phase == COMBGPU__SHORTEST_FIRST)
        combgpu_shortest_first(tours, list);
    return 0;
}

/* One loop with the barriers of all phases, and one at its end: PoCL 3.1 miscompiles barriers in
   branches and in two loops, and fails where jumps from many places go back to the first one. */
COMBGPU__KERNEL combgpu_tsp_shortest(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_shortest_t tours;
    uint32_t m = tables[COMBGPU__SHORTEST_AT_CITIES], n = m - 1,
             keep = tables[COMBGPU__SHORTEST_AT_KEEP];
    COMBGPU__GLOBAL combgpu_shortest_ways_t *table =
        (COMBGPU__GLOBAL combgpu_shortest_ways_t *)(work +
                                                    COMBGPU__BLOCK_ID *
                                                        (uint64_t)COMBGPU__SHORTEST_WORK_WORDS(
                                                            m, keep));
    COMBGPU__GLOBAL combgpu_shortest_entry_t
        *list = (COMBGPU__GLOBAL combgpu_shortest_entry_t *)(table + (n << n)),
        *longer = list + keep;
    uint64_t hash = 0;
    (void)left;
    if (COMBGPU__LANE_ID == 0) {
        tours.cities = n;
        tours.keep = keep;
        tours.reversible = tables[COMBGPU__SHORTEST_AT_REVERSIBLE];
        tours.steps = tours.tasks = 0;
        tours.phase = COMBGPU__SHORTEST_EMIT;
    }
    do {
        COMBGPU__BLOCK_BARRIER();
        if (COMBGPU__LANE_ID == 0)
            combgpu_shortest_follow(slice, tables, tasks, table, list, &tours);
        COMBGPU__BLOCK_BARRIER();
        hash += combgpu_shortest_work(slice, tables, &tours, table, list, longer, records);
        COMBGPU__BLOCK_BARRIER();
    } while (tours.phase != COMBGPU__SHORTEST_END);
    if (hash) combgpu_add_total(slice, COMBGPU__SHORTEST_S_HASH, hash);
    if (COMBGPU__LANE_ID == 0) {
        combgpu_add_total(slice, 0, tours.steps);
        combgpu_add_total(slice, COMBGPU__SHORTEST_S_TASKS, tours.tasks);
    }
}
