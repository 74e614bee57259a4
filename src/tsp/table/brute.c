/* The C solver of brute force. */

/* The costs in the tables. */
typedef struct combgpu__table_costs {
    int m, depth, reversible;
    const int64_t *first, *last, *legs;
} combgpu__table_costs;

COMBGPU__PRIVATE combgpu__table_costs combgpu__table_view(const uint32_t *tables)
{
    combgpu__table_costs costs;
    costs.m = (int)tables[COMBGPU__TSP_AT_CITIES];
    costs.depth = (int)tables[COMBGPU__TSP_AT_DEPTH];
    costs.reversible = (int)tables[COMBGPU__TSP_AT_REVERSIBLE];
    costs.first = (const int64_t *)(const void *)(tables + COMBGPU__TSP_AT_COSTS);
    costs.last = costs.first + COMBGPU__TSP_MOST;
    costs.legs = costs.last + COMBGPU__TSP_MOST;
    return costs;
}

/* Returns a prefix's term of the checksum. */
COMBGPU__PRIVATE uint64_t combgpu__table_hash(uint64_t prefix, int64_t length)
{
    return combgpu__mix(combgpu__mix(prefix) + (uint64_t)length);
}

/* The 20 ordered pairs of 5 cities, each with the other three. */
static const unsigned char combgpu__tsp_orders[20][5] = {
    {0, 1, 2, 3, 4}, {0, 2, 1, 3, 4}, {0, 3, 1, 2, 4}, {0, 4, 1, 2, 3}, {1, 0, 2, 3, 4},
    {1, 2, 0, 3, 4}, {1, 3, 0, 2, 4}, {1, 4, 0, 2, 3}, {2, 0, 1, 3, 4}, {2, 1, 0, 3, 4},
    {2, 3, 0, 1, 4}, {2, 4, 0, 1, 3}, {3, 0, 1, 2, 4}, {3, 1, 0, 2, 4}, {3, 2, 0, 1, 4},
    {3, 4, 0, 1, 2}, {4, 0, 1, 2, 3}, {4, 1, 0, 2, 3}, {4, 2, 0, 1, 3}, {4, 3, 0, 1, 2}};

/* Returns the least cost of an order of 5 cities: enter[i] is the cost of beginning with city i,
   leave[i] of ending with it. Forms all 120 lengths, each from a head of two cities and a tail of
   three; the two heads that leave the same three cities share tails. */
COMBGPU__INLINE int64_t combgpu__table_five(const int64_t enter[5], int64_t legs[5][5],
                                            const int64_t leave[5])
{
    int64_t tail[5][5][5], best = INT64_MAX;
    int a, b, c, i;
    for (a = 0; a < 5; a++)
        for (b = 0; b < 5; b++)
            for (c = 0; c < 5; c++)
                tail[a][b][c] = legs[a][b] + legs[b][c] + leave[c];
    for (i = 0; i < 20; i++) {
        const unsigned char *order = combgpu__tsp_orders[i];
        int64_t head = enter[order[0]] + legs[order[0]][order[1]], to[3], length[6];
        for (a = 0; a < 3; a++)
            to[a] = head + legs[order[1]][order[2 + a]];
        length[0] = to[0] + tail[order[2]][order[3]][order[4]];
        length[1] = to[0] + tail[order[2]][order[4]][order[3]];
        length[2] = to[1] + tail[order[3]][order[2]][order[4]];
        length[3] = to[1] + tail[order[3]][order[4]][order[2]];
        length[4] = to[2] + tail[order[4]][order[2]][order[3]];
        length[5] = to[2] + tail[order[4]][order[3]][order[2]];
        for (a = 0; a < 6; a++)
            if (length[a] < best) best = length[a];
    }
    return best;
}

/* Returns the least cost for up to 4 cities, at[0 .. count-1], between cities `from` and `end`. */
COMBGPU__PRIVATE int64_t combgpu__table_few(const combgpu__table_costs *costs, int64_t sum,
                                            int from, const int *at, int count, int end)
{
    int64_t best = INT64_MAX;
    int i, j, kept;
    if (!count) return sum + costs->legs[from * COMBGPU__TSP_MOST + end] + costs->last[end];
    for (i = 0; i < count; i++) {
        int64_t length;
        int others[4];
        for (j = kept = 0; j < count; j++)
            if (j != i) others[kept++] = at[j];
        length = combgpu__table_few(costs, sum + costs->legs[from * COMBGPU__TSP_MOST + at[i]],
                                    at[i], others, kept, end);
        if (length < best) best = length;
    }
    return best;
}

/* Writes the cities of prefix `number` (in lexicographic order), then the others in ascending
   order, to order[m]. */
COMBGPU__INLINE void combgpu__table_unrank(int m, int depth, uint64_t number, int *order)
{
    int i, j;
    for (i = 0; i < m; i++)
        order[i] = i;
    for (i = depth - 1; i >= 0; i--) { /* digit i selects one of m - i cities */
        uint64_t radix = (uint64_t)(m - i);
        order[i] = (int)(number % radix);
        number /= radix;
    }
    for (i = depth - 1; i >= 0; i--) /* digit to city: skips the cities before it */
        for (j = i + 1; j < depth; j++)
            order[j] += order[j] >= order[i];
    {
        uint32_t used = 0;
        int next = 0;
        for (i = 0; i < depth; i++)
            used |= 1u << order[i];
        for (i = depth; i < m; i++, next++) {
            while (used >> next & 1)
                next++;
            order[i] = next;
        }
    }
}

/* Returns the length of the shortest tour with this prefix; *tours gets the number of such tours.
   If reversible, a tour counts only in the form whose last city is greater than its first. */
COMBGPU__INLINE int64_t combgpu__table_prefix(const combgpu__table_costs *costs, uint64_t number,
                                              uint64_t *tours)
{
    int order[COMBGPU__TSP_MOST] = {0}, between[COMBGPU__TSP_SUFFIX];
    int suffix = costs->m - costs->depth, i, j, a, b;
    int64_t sum, best = INT64_MAX;
    uint64_t orders = 1;
    combgpu__table_unrank(costs->m, costs->depth, number, order);
    sum = costs->first[order[0]];
    for (i = 1; i < costs->depth; i++)
        sum += costs->legs[order[i - 1] * COMBGPU__TSP_MOST + order[i]];
    for (i = 2; i < suffix; i++)
        orders *= (uint64_t)i;
    *tours = 0;
    for (i = costs->depth; i < costs->m; i++) {
        int64_t length;
        if (costs->reversible && order[i] < order[0]) continue;
        for (j = costs->depth, a = 0; j < costs->m; j++)
            if (j != i) between[a++] = order[j];
        if (suffix == COMBGPU__TSP_SUFFIX) {
            int64_t enter[5], legs[5][5], leave[5];
            for (a = 0; a < 5; a++) {
                enter[a] =
                    sum + costs->legs[order[costs->depth - 1] * COMBGPU__TSP_MOST + between[a]];
                leave[a] =
                    costs->legs[between[a] * COMBGPU__TSP_MOST + order[i]] + costs->last[order[i]];
                for (b = 0; b < 5; b++)
                    legs[a][b] = costs->legs[between[a] * COMBGPU__TSP_MOST + between[b]];
            }
            length = combgpu__table_five(enter, legs, leave);
        } else
            length = combgpu__table_few(costs, sum, order[costs->depth - 1], between, suffix - 1,
                                        order[i]);
        if (length < best) best = length;
        *tours += orders;
    }
    return best;
}

/* Skips prefixes without tours. Such a prefix contains all cities greater than its first one, as
   does every prefix that begins like it up to the last of these. Returns the first number after
   them. */
COMBGPU__PRIVATE uint64_t combgpu__table_after_barren(const combgpu__table_costs *costs,
                                                      uint64_t number)
{
    int order[COMBGPU__TSP_MOST], i = costs->depth - 1;
    uint64_t alike = 1;
    combgpu__table_unrank(costs->m, costs->depth, number, order);
    for (; i && order[i] < order[0]; i--)
        alike *= (uint64_t)(costs->m - i);
    return (number / alike + 1) * alike;
}

COMBGPU__INLINE void combgpu__table_brute(combgpu__worker *worker)
{
    combgpu__table_costs costs = combgpu__table_view(worker->tables);
    const uint32_t *task;
    uint64_t best_prefix = 0, best_tours = 0, tours;
    int64_t best = INT64_MAX;
    uint32_t record[4];
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t number = combgpu__get64(task), end = combgpu__get64(task + 2);
        while (number < end && !combgpu__spent(worker)) {
            int64_t length = combgpu__table_prefix(&costs, number, &tours);
            if (!tours) {
                number = combgpu__table_after_barren(&costs, number);
                continue;
            }
            worker->totals[0] += tours;
            worker->totals[1] += combgpu__table_hash(number, length);
            if (length < best || (length == best && number < best_prefix)) {
                best = length;
                best_prefix = number;
                best_tours = tours;
            }
            number++;
        }
        if (number < end) combgpu__give_range(worker, number, end);
    }
    if (best == INT64_MAX) return;
    combgpu__put64(record, (uint64_t)best);
    combgpu__put64(record + 2, best_prefix);
    if (combgpu__emit(worker, record)) return;
    /* no room: the prefix will be searched again, so it must not count now */
    worker->totals[0] -= best_tours;
    worker->totals[1] -= combgpu__table_hash(best_prefix, best);
    combgpu__give_range(worker, best_prefix, best_prefix + 1);
}

COMBGPU__SOLVER_FORMS(combgpu__tsp_brute_solve, combgpu__table_brute)
