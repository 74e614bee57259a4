/* The graph of branch and bound: costs, edges, and the root of the search tree. */

COMBGPU__PRIVATE void combgpu__branch_release(combgpu_context *ctx, combgpu__branch_graph *graph)
{
    combgpu__release(ctx, graph->costs);
    combgpu__release(ctx, graph->ends);
    combgpu__release(ctx, graph->weights);
    combgpu__release(ctx, graph->marks);
    combgpu__release(ctx, graph->incident);
    combgpu__release(ctx, graph->arrays);
}

/* Nonzero for the arc that fixed ends force, without direction in either sense. */
COMBGPU__PRIVATE int combgpu__branch_closing(const combgpu__branch_graph *graph, int from, int to)
{
    return graph->forced_from >= 0 &&
           ((from == graph->forced_from && to == graph->forced_to) ||
            (!graph->directed && to == graph->forced_from && from == graph->forced_to));
}

/* Nonzero for an arc that every tour takes. */
COMBGPU__PRIVATE int combgpu__branch_forced(const combgpu__branch_graph *graph, int from, int to)
{
    return graph->mates[from][0] == to + 1 || graph->mates[from][1] == to + 1 ||
           combgpu__branch_closing(graph, from, to);
}

/* Nonzero if a tour has every arc that is forced. */
COMBGPU__PRIVATE int combgpu__branch_has_forced(const combgpu__branch_graph *graph, const int *tour)
{
    int n = graph->cities, missing = graph->forced_from >= 0, i, k;
    for (i = 0; i < n; i++) {
        int before = tour[i ? i - 1 : n - 1], at = tour[i], after = tour[i + 1 == n ? 0 : i + 1];
        for (k = 0; k < 2; k++) {
            int mate = graph->mates[at][k] - 1;
            if (mate >= 0 && mate != before && mate != after) return 0;
        }
        missing &= !combgpu__branch_closing(graph, at, after);
    }
    return !missing;
}

/* Sets the unit and the grain. Integers are exact if tours stay within 2^55: 1 is a power of 2
   units, and tours differ by multiples of the weights' common divisor. Otherwise the longest tour
   gets 2^50 units, and a tour must be 2^6 units better to count, the tolerance of the proof. */
COMBGPU__PRIVATE void combgpu__branch_units(combgpu__branch_graph *graph, double largest,
                                            int integral, uint64_t divisor)
{
    double longest = largest * graph->cities;
    int bits = COMBGPU__BRANCH_FINEST;
    graph->integral = integral && longest <= ldexp(1, graph->fixed ? 50 : 55);
    if (graph->integral) {
        while (bits && ldexp(longest, bits) > 1125899906842624.0)
            bits--;
        graph->scale = bits;
        graph->grain = graph->divisor = (int64_t)(divisor ? divisor : 1) << bits;
    } else {
        (void)frexp(longest, &bits);
        graph->scale = 50 - bits;
        graph->grain = 64;
    }
}

/* Takes the fixed edges. */
COMBGPU__PRIVATE void combgpu__branch_take_fixed(combgpu__branch_graph *graph,
                                                 const combgpu_tsp_instance *instance)
{
    int k, end;
    graph->fixed = instance->fixed_count > 0;
    for (k = 0; k < instance->fixed_count; k++) {
        const int *edge = instance->fixed + 2 * k;
        if (combgpu__branch_forced(graph, edge[0], edge[1])) continue; /* given twice */
        for (end = 0; end < 2; end++)
            graph->mates[edge[end]][graph->mates[edge[end]][0] != 0] = (int16_t)(edge[!end] + 1);
    }
}

/* Computes the costs between cities, with the depot or the arc that closes a path to a cycle. A
   weight above kind->largest becomes a cost that no tour of that length contains. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_costs(combgpu_context *ctx,
                                                      combgpu__branch_graph *graph,
                                                      const combgpu_tsp_desc *desc,
                                                      const combgpu__tsp_weights *kind)
{
    const double *weights = desc->instance->weights;
    int path = desc->shape == COMBGPU_TSP_PATH, front = COMBGPU__TSP_START(desc);
    int back = COMBGPU__TSP_END(desc), both = front >= 0 && back >= 0 && front != back;
    int n = desc->instance->n, cities, i, j;
    uint64_t divisor = 0;
    int64_t beyond;
    size_t bytes = (size_t)(n + 1) * (size_t)(n + 1) * sizeof(int64_t);
    if (front == back) back = -1; /* free, or one city */
    graph->depot = path && !both ? n : -1;
    graph->cities = cities = n + (path && !both);
    graph->directed = !kind->symmetric || cities < 4; /* few cities: both directions are compared */
    graph->forced_from = !path ? -1 : both || front < 0 ? back : n;
    graph->forced_to = !path ? -1 : front >= 0 ? front : back >= 0 ? n : -1;
    for (i = 0; kind->integral && i < n; i++)
        for (j = 0; j < n; j++) {
            double weight = weights[i * n + j];
            int none = i == j || divisor == 1 || weight > kind->largest;
            uint64_t a = none ? 0 : (uint64_t)weight, rest;
            for (; a; a = rest) { /* Euclid */
                rest = divisor % a;
                divisor = a;
            }
        }
    combgpu__branch_units(graph, kind->largest, kind->integral, divisor);
    beyond = combgpu__tsp_cost(kind->largest, graph->scale) + 3 * graph->grain;
    if (!graph->costs) graph->costs = (int64_t *)combgpu__allocate_zeroed(ctx, bytes);
    if (!graph->costs) return combgpu__no_memory(ctx, bytes);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (i != j && !(both && i == back && j == front) &&
                !(both && !graph->directed && j == back && i == front))
                graph->costs[i * cities + j] =
                    weights[i * n + j] > kind->largest
                        ? beyond
                        : combgpu__tsp_cost(weights[i * n + j], graph->scale);
    return COMBGPU_OK;
}

/* Adds `sign` times the multipliers to the costs. All tours change by the same amount, but nearest
   neighbours then agree with the bound. A forced arc gets a reward that keeps it in the tour; with
   fixed edges, of which there may be many, tours are within 2^51 units. */
COMBGPU__PRIVATE void combgpu__branch_bend_costs(combgpu__branch_graph *graph, int sign)
{
    int n = graph->cities, i, j;
    int64_t reward = (int64_t)1 << (graph->fixed ? 53 : 56);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (i != j)
                graph->costs[i * n + j] +=
                    sign *
                    (graph->multipliers[graph->directed ? i + n : i] + graph->multipliers[j] -
                     (combgpu__branch_forced(graph, i, j) ? reward : 0));
}

#define COMBGPU__BRANCH_KICKED 512 /* cities above which kicks take too long; `start` is better */

/* Finds a tour and keeps it if it is better than the known one; a negative graph->length means
   none. Begins with `start`, a tour without the depot, unless that is NULL; with fixed edges it has
   them. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_start(combgpu_context *ctx,
                                                      combgpu__branch_graph *graph,
                                                      const int *start, uint64_t seed)
{
    size_t bytes = combgpu__branch_tour_bytes(graph->cities);
    combgpu__branch_tour_search *search =
        (combgpu__branch_tour_search *)combgpu__allocate_zeroed(ctx, bytes);
    int *own = graph->spare; /* `start` with the depot after its end */
    int has = start != NULL, i;
    if (!search) return combgpu__no_memory(ctx, bytes);
    combgpu__branch_tour_arrays(search, graph->cities);
    search->symmetric = !graph->directed;
    search->costs = graph->costs;
    search->random = combgpu__mix(seed) | 1;
    search->kicks = 30 * graph->cities;
    search->part = graph->cities;
    if (graph->brief) {
        search->kicks = graph->length < 0                          ? 2 /* before the root */
                        : search->symmetric && graph->cities < 200 ? graph->cities / 25
                                                                   : 8;
        search->kicks *= graph->cities;
        if (search->symmetric) search->part = 5; /* 2-opt moves longer ones */
    }
    if (graph->cities > COMBGPU__BRANCH_KICKED) search->kicks = 0;
    for (i = 0; start && i < graph->cities; i++)
        own[i] = i == graph->depot ? i : start[i];
    if (graph->fixed && !start) { /* from scratch it might not find one with all fixed edges */
        memcpy(own, graph->tour, (size_t)graph->cities * sizeof *own);
        has = 1;
    }
    combgpu__branch_bend_costs(graph, 1);
    combgpu__branch_tour_find(search, graph->forced_from < 0 ? 0 : graph->forced_from,
                              has ? own : NULL);
    combgpu__branch_bend_costs(graph, -1);
    if (graph->length < 0 || combgpu__branch_tour_cost(search) < graph->length) {
        graph->length = combgpu__branch_tour_cost(search);
        memcpy(graph->tour, search->tour, (size_t)graph->cities * sizeof *graph->tour);
    }
    combgpu__release(ctx, search);
    return COMBGPU_OK;
}

/* Takes a tour, without the depot, if it is shorter. */
COMBGPU__PRIVATE void combgpu__branch_take(combgpu__branch_graph *graph, const int *start)
{
    int *own = graph->spare, i;
    int64_t length;
    for (i = 0; i < graph->cities; i++)
        own[i] = i == graph->depot ? i : start[i];
    length = combgpu__branch_cycle_cost(graph->costs, graph->cities, own);
    if (length >= graph->length) return;
    graph->length = length;
    memcpy(graph->tour, own, (size_t)graph->cities * sizeof *own);
}

/* Chooses a finer unit if a weight exceeds the length of the first tour, as weights often do that
   stand for a missing leg: no shorter tour has such a leg. Computes costs and tour anew. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_refine(combgpu_context *ctx,
                                                       combgpu__branch_graph *graph,
                                                       const combgpu_tsp_desc *desc,
                                                       const combgpu__tsp_weights *kind)
{
    combgpu__tsp_weights within = *kind;
    combgpu_status status;
    int n = desc->instance->n, i;
    within.largest = 0;
    for (i = 0; i < graph->cities; i++) {
        int from = graph->tour[i], to = graph->tour[i + 1 == graph->cities ? 0 : i + 1];
        if (from < n && to < n && !combgpu__branch_closing(graph, from, to))
            within.largest += desc->instance->weights[from * n + to];
    }
    if (within.largest >= kind->largest ||
        (graph->integral && graph->scale == COMBGPU__BRANCH_FINEST))
        return COMBGPU_OK;
    status = combgpu__branch_costs(ctx, graph, desc, &within);
    if (status) return status;
    graph->length = combgpu__branch_cycle_cost(graph->costs, graph->cities, graph->tour);
    return combgpu__branch_start(ctx, graph, desc->start, desc->seed);
}

/* Nonzero if a forced arc begins or ends at the city. */
COMBGPU__PRIVATE int combgpu__branch_bound_to(const combgpu__branch_graph *graph, int city)
{
    return graph->mates[city][0] || city == graph->forced_from || city == graph->forced_to;
}

/* Finds twins: cities that can change places without changing any tour's length, such as coinciding
   points. group[] gets the first city of each group, place[] the place within it. Only tours that
   visit each group's cities in ascending order, counted from a city outside all groups, need to be
   searched. Returns that city, which leaves its own group; -1 if there are no groups. */
COMBGPU__PRIVATE int combgpu__branch_twins(const combgpu__branch_graph *graph, int *group,
                                           int *place)
{
    int n = graph->cities, outside = -1, any = 0, a, b, x;
    const int64_t *costs = graph->costs;
    for (a = 0; a < n; a++) {
        group[a] = a;
        place[a] = 0;
    }
    for (a = 0; a < n; a++) {
        int count = 0;
        if (group[a] != a || combgpu__branch_bound_to(graph, a)) continue;
        for (b = a + 1; b < n; b++) {
            int twins = group[b] == b && !combgpu__branch_bound_to(graph, b) &&
                        costs[a * n + b] == costs[b * n + a];
            for (x = 0; twins && x < n; x++)
                twins =
                    x == a || x == b ||
                    (costs[a * n + x] == costs[b * n + x] && costs[x * n + a] == costs[x * n + b]);
            if (!twins) continue;
            group[b] = a;
            place[b] = ++count;
        }
        any |= count;
        if (!count) outside = a;
    }
    if (!any) return -1;
    if (outside < 0 && graph->forced_from >= 0) outside = graph->forced_from;
    for (a = 0; a < n && outside < 0; a++)
        if (graph->mates[a][0]) outside = a;
    if (outside < 0) { /* the last of the last group */
        for (a = 0; a < n; a++)
            if (group[a] == group[n - 1]) outside = a;
        group[outside] = outside;
        place[outside] = 0;
    }
    return outside;
}

/* Nonzero if a tour that visits twins in order may go from a to b. */
COMBGPU__PRIVATE int combgpu__branch_in_order(const combgpu__branch_graph *graph, const int *group,
                                              const int *place, int outside, int a, int b)
{
    int last = 1, c;
    if (a == b) return 0;
    if (outside < 0) return 1;
    if (group[a] == group[b])
        return place[b] == place[a] + 1 || (!graph->directed && place[a] == place[b] + 1);
    if (b == outside) { /* from the last twin, or without direction from either end */
        for (c = 0; c < graph->cities; c++)
            last &= group[c] != group[a] || place[c] <= place[a];
        return last || (!graph->directed && place[a] == 0);
    }
    if (a == outside)
        return graph->directed ? place[b] == 0
                               : combgpu__branch_in_order(graph, group, place, outside, b, a);
    return 1;
}

COMBGPU__PRIVATE void combgpu__branch_add(combgpu__branch_graph *graph, int u, int v,
                                          int64_t weight, int mark)
{
    graph->ends[2 * graph->edges] = (uint16_t)u;
    graph->ends[2 * graph->edges + 1] = (uint16_t)v;
    graph->weights[graph->edges] = weight;
    graph->marks[graph->edges++] = (unsigned char)mark;
}

/* Puts the edges into a fixed random order. Of equal costs the smaller edge number wins, which in
   the order of the nodes would make the trees stars. */
COMBGPU__PRIVATE void combgpu__branch_shuffle(combgpu__branch_graph *graph)
{
    int i;
    for (i = graph->edges - 1; i > 0; i--) {
        int j = (int)(combgpu__mix((uint64_t)i) % (uint64_t)(i + 1)), k;
        int64_t weight = graph->weights[i];
        unsigned char mark = graph->marks[i];
        graph->weights[i] = graph->weights[j];
        graph->weights[j] = weight;
        graph->marks[i] = graph->marks[j];
        graph->marks[j] = mark;
        for (k = 0; k < 2; k++) {
            uint16_t end = graph->ends[2 * i + k];
            graph->ends[2 * i + k] = graph->ends[2 * j + k];
            graph->ends[2 * j + k] = end;
        }
    }
}

/* Lists the edges at each node. */
COMBGPU__PRIVATE void combgpu__branch_index(combgpu__branch_graph *graph)
{
    int32_t *begin = graph->incident_begin;
    int i;
    memset(begin, 0, (size_t)(graph->nodes + 1) * sizeof *begin);
    for (i = 0; i < 2 * graph->edges; i++)
        begin[graph->ends[i]]++;
    for (i = 1; i <= graph->nodes; i++)
        begin[i] += begin[i - 1];
    for (i = 2 * graph->edges - 1; i >= 0; i--)
        graph->incident[--begin[graph->ends[i]]] = i / 2;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_edges(combgpu_context *ctx,
                                                      combgpu__branch_graph *graph)
{
    int n = graph->cities, *group = graph->spare, *place = group + n;
    int outside = combgpu__branch_twins(graph, group, place), a, b;
    size_t most = (size_t)n * (size_t)n;
    graph->ends = (uint16_t *)combgpu__allocate(ctx, most * 2 * sizeof(uint16_t));
    graph->weights = (int64_t *)combgpu__allocate(ctx, most * sizeof(int64_t));
    graph->marks = (unsigned char *)combgpu__allocate(ctx, most);
    graph->incident = (int32_t *)combgpu__allocate(ctx, most * 2 * sizeof(int32_t));
    if (!graph->ends || !graph->weights || !graph->marks || !graph->incident)
        return combgpu__no_memory(ctx, most * 21);
    graph->nodes = graph->directed ? 2 * n : n;
    for (a = 0; graph->directed && a < n; a++)
        combgpu__branch_add(graph, a, a + n, 0, COMBGPU__EDGE_FORCED);
    for (a = 0; a < n; a++)
        for (b = graph->directed ? 0 : a + 1; b < n; b++) {
            int forced = combgpu__branch_forced(graph, a, b);
            if (forced || combgpu__branch_in_order(graph, group, place, outside, a, b))
                combgpu__branch_add(graph, graph->directed ? a + n : a, b, graph->costs[a * n + b],
                                    forced ? COMBGPU__EDGE_FORCED : COMBGPU__EDGE_FREE);
        }
    combgpu__branch_shuffle(graph);
    combgpu__branch_index(graph);
    return COMBGPU_OK;
}

/* Removes the edges that `work` has forbidden and keeps its other marks. */
COMBGPU__PRIVATE void combgpu__branch_compact(combgpu__branch_graph *graph,
                                              combgpu__branch_work *work)
{
    int edges = graph->edges, i;
    graph->edges = 0;
    for (i = 0; i < edges; i++)
        if (work->marks[i] != COMBGPU__EDGE_FORBIDDEN) {
            work->marks[graph->edges] = work->marks[i];
            combgpu__branch_add(graph, graph->ends[2 * i], graph->ends[2 * i + 1],
                                graph->weights[i], work->marks[i]);
        }
    combgpu__branch_index(graph);
}
