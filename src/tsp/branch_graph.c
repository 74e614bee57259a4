/* ---- the graph */

COMBGPU__PRIVATE void combgpu__branch_release(combgpu_context *ctx, combgpu__branch_graph *graph)
{
    combgpu__release(ctx, graph->costs);
    combgpu__release(ctx, graph->ends);
    combgpu__release(ctx, graph->weights);
    combgpu__release(ctx, graph->marks);
    combgpu__release(ctx, graph->incident);
}

/* Is it the arc that every tour takes? Without direction, either way. */
COMBGPU__PRIVATE int combgpu__branch_forced(const combgpu__branch_graph *graph, int from, int to)
{
    return graph->forced_from >= 0 &&
           ((from == graph->forced_from && to == graph->forced_to) ||
            (!graph->directed && to == graph->forced_from && from == graph->forced_to));
}

/* Sets the unit and the grain. Integers whose tours stay below 2^53: exact, a power of 2 of units
   in 1, and tours differ by multiples of the weights' common divisor. Else the longest tour gets
   2^50 units, and a tour must be better by 2^6 to count: that is the tolerance of the proof. */
COMBGPU__PRIVATE void combgpu__branch_units(combgpu__branch_graph *graph, double largest,
                                            int integral, uint64_t divisor)
{
    double longest = largest * graph->cities;
    int bits = COMBGPU__BRANCH_FINEST;
    graph->integral = integral && longest <= 9007199254740992.0;
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

/* Costs between cities, with the depot or the closing arc that makes a path a cycle. A weight above
   kind->largest becomes one that no tour of that length has. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_costs(combgpu_context *ctx,
                                                      combgpu__branch_graph *graph,
                                                      const combgpu_tsp_desc *desc,
                                                      const combgpu__tsp_weights *kind)
{
    const double *weights = desc->instance->weights;
    int path = desc->shape == COMBGPU_TSP_PATH, path_start = desc->path_start;
    int path_end = desc->path_end, both = path_start && path_end;
    int n = desc->instance->n, cities, i, j;
    uint64_t divisor = 0;
    int64_t beyond;
    size_t bytes = (size_t)(n + 1) * (size_t)(n + 1) * sizeof(int64_t);
    if (path_start == path_end) both = path_end = 0; /* one city */
    graph->depot = path && !both ? n : -1;
    graph->cities = cities = n + (path && !both);
    graph->directed = !kind->symmetric || cities < 4; /* few: the two ways round are looked at */
    graph->forced_from = !path ? -1 : both || !path_start ? path_end - 1 : n;
    graph->forced_to = !path ? -1 : path_start ? path_start - 1 : path_end ? n : -1;
    for (i = 0; kind->integral && i < n; i++)
        for (j = 0; j < n; j++) {
            double weight = weights[i * n + j];
            uint64_t a = i == j || weight > kind->largest ? 0 : (uint64_t)weight, rest;
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
            if (i != j && !(both && i == path_end - 1 && j == path_start - 1) &&
                !(both && !graph->directed && j == path_end - 1 && i == path_start - 1))
                graph->costs[i * cities + j] =
                    weights[i * n + j] > kind->largest
                        ? beyond
                        : combgpu__tsp_cost(weights[i * n + j], graph->scale);
    return COMBGPU_OK;
}

/* Adds `sign` times what the multipliers make of them to the costs: all tours change alike, but
   near neighbours are then those that the bound, too, takes for near. A forced arc gets a reward
   that keeps it in the tour. */
COMBGPU__PRIVATE void combgpu__branch_bend_costs(combgpu__branch_graph *graph, int sign)
{
    int n = graph->cities, from = graph->forced_from, to = graph->forced_to, i, j;
    int64_t reward = (int64_t)1 << 56;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (i != j)
                graph->costs[i * n + j] += sign * (graph->multipliers[graph->directed ? i + n : i] +
                                                   graph->multipliers[j]);
    if (from < 0) return;
    graph->costs[from * n + to] -= sign * reward;
    if (!graph->directed) graph->costs[to * n + from] -= sign * reward;
}

/* Finds a tour, and keeps it if it is better than what is known (length 0 or more). Begins with
   `start`, of the cities without the depot, if it is not NULL. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_start(combgpu_context *ctx,
                                                      combgpu__branch_graph *graph,
                                                      const int *start, uint64_t seed)
{
    combgpu__tour_search *search =
        (combgpu__tour_search *)combgpu__allocate_zeroed(ctx, sizeof *search);
    int own[COMBGPU__BRANCH_CITIES]; /* `start` with the depot after its end */
    int i;
    if (!search) return combgpu__no_memory(ctx, sizeof *search);
    search->cities = graph->cities;
    search->symmetric = !graph->directed;
    search->costs = graph->costs;
    search->random = combgpu__mix(seed) | 1;
    for (i = 0; start && i < graph->cities; i++)
        own[i] = i == graph->depot ? i : start[i];
    combgpu__branch_bend_costs(graph, 1);
    combgpu__tour_find(search, graph->forced_from < 0 ? 0 : graph->forced_from, start ? own : NULL);
    combgpu__branch_bend_costs(graph, -1);
    if (graph->length < 0 || combgpu__tour_cost(search) < graph->length) {
        graph->length = combgpu__tour_cost(search);
        memcpy(graph->tour, search->tour, sizeof graph->tour);
    }
    combgpu__release(ctx, search);
    return COMBGPU_OK;
}

/* Where a weight is larger than all of the first tour (often it means that there is no such leg), the
   unit need not be one for tours of such legs: costs and tour with a finer one. */
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
        if (from < n && to < n && !combgpu__branch_forced(graph, from, to))
            within.largest += desc->instance->weights[from * n + to];
    }
    if (within.largest >= kind->largest ||
        (graph->integral && graph->scale == COMBGPU__BRANCH_FINEST))
        return COMBGPU_OK;
    status = combgpu__branch_costs(ctx, graph, desc, &within);
    if (status) return status;
    graph->length = combgpu__cycle_cost(graph->costs, graph->cities, graph->tour);
    return combgpu__branch_start(ctx, graph, desc->start, desc->seed);
}

/* Cities that can change places without changing any tour's length, such as points that coincide:
   group[] gets the first of each group, place[] the place within it. Whoever visits them can visit
   them in the order of their numbers, counted from a city outside all groups, which is returned.
   That city's own group loses it; -1: there are no groups. (Without this p43 takes minutes: 30 of
   its 43 cities are in groups.) */
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
        if (group[a] != a || a == graph->forced_from || a == graph->forced_to) continue;
        for (b = a + 1; b < n; b++) {
            int twins = group[b] == b && b != graph->forced_from && b != graph->forced_to &&
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
    if (outside < 0) { /* the last of the last group */
        for (a = 0; a < n; a++)
            if (group[a] == group[n - 1]) outside = a;
        group[outside] = outside;
        place[outside] = 0;
    }
    return outside;
}

/* May the tour go from a to b, if twins are visited in order? */
COMBGPU__PRIVATE int combgpu__branch_in_order(const combgpu__branch_graph *graph, const int *group,
                                              const int *place, int outside, int a, int b)
{
    int last = 1, c;
    if (a == b) return 0;
    if (outside < 0) return 1;
    if (group[a] == group[b])
        return place[b] == place[a] + 1 || (!graph->directed && place[a] == place[b] + 1);
    if (b == outside) { /* from the last twin, or either end if the tour has no direction */
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

/* Puts the edges into a random order, always the same: where costs are equal the smaller number
   wins, and in the order of the nodes that makes stars. */
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
    int32_t count[COMBGPU__BRANCH_NODES + 1];
    int i;
    memset(count, 0, sizeof count);
    for (i = 0; i < 2 * graph->edges; i++)
        count[graph->ends[i]]++;
    graph->incident_begin[0] = 0;
    for (i = 0; i < graph->nodes; i++) {
        graph->incident_begin[i + 1] = graph->incident_begin[i] + count[i];
        count[i] = graph->incident_begin[i];
    }
    for (i = 0; i < 2 * graph->edges; i++)
        graph->incident[count[graph->ends[i]]++] = i / 2;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_edges(combgpu_context *ctx,
                                                      combgpu__branch_graph *graph)
{
    int n = graph->cities, group[COMBGPU__BRANCH_CITIES], place[COMBGPU__BRANCH_CITIES];
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

/* Drops the edges that `work` has forbidden, for good, and keeps its other marks. */
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

/* Where edges have few different weights, as on a lattice, few sums of them can be tours' lengths:
   the grain becomes the least distance between such sums from the bound to the best tour. (Without
   this a lattice of 9 x 9 with distances 100, 141 ... takes minutes: the bound is 8139 and the tour
   8141, but below that only 8100 is a sum.) The work's stack is scratch. */
COMBGPU__PRIVATE void combgpu__branch_coarsen(combgpu__branch_graph *graph,
                                              combgpu__branch_work *work)
{
    unsigned char *possible = (unsigned char *)work->stack; /* 1: this sum, 2: weight looked at */
    size_t room = COMBGPU__BRANCH_STACK * sizeof(uint32_t) *
                  combgpu__branch_task_words(graph->nodes, graph->edges);
    int64_t least = COMBGPU__BRANCH_INFINITE, base = 0, range, gap, last = 0, sum, tries = 1 << 19;
    int count = graph->nodes, i;
    for (i = 0; i < graph->edges; i++)
        if (work->marks[i] == COMBGPU__EDGE_FORCED) {
            base += graph->weights[i];
            count--;
        } else if (work->marks[i] == COMBGPU__EDGE_FREE && graph->weights[i] < least)
            least = graph->weights[i];
    if (!graph->integral || count <= 0 || least == COMBGPU__BRANCH_INFINITE) return;
    base += count * least; /* the shortest sum */
    range = (work->length - base) / graph->divisor;
    if (range < 1 || range >= (int64_t)room) return;
    memset(possible, 0, (size_t)range + 1);
    possible[0] = 1;
    for (i = 0; i < graph->edges; i++) {
        int64_t more = (graph->weights[i] - least) / graph->divisor;
        if (work->marks[i] != COMBGPU__EDGE_FREE || !more || more > range || possible[more] & 2)
            continue;
        possible[more] |= 2;
        tries -= range;
        if (tries < 0) return; /* too many different ones */
        for (sum = more; sum <= range; sum++)
            possible[sum] |= possible[sum - more] & 1;
    }
    possible[range] |= 1; /* the best tour may have edges that no better one has */
    for (gap = range, sum = 1; sum <= range; sum++) {
        if (!(possible[sum] & 1)) continue;
        if (base + sum * graph->divisor > graph->bound && sum - last < gap) gap = sum - last;
        last = sum;
    }
    graph->grain = gap * graph->divisor;
}

/* The root: ascent and fixing in turn while the bound rises. Returns whether tours of interest may
   be left. */
COMBGPU__PRIVATE int combgpu__branch_root_ascent(combgpu__branch_graph *graph,
                                                 combgpu__branch_work *work)
{
    int64_t boldness = 2048;
    int round;
    if (!combgpu__branch_restore(work)) return 0;
    for (round = 0; round < 12; round++) {
        int64_t bound, before = graph->bound;
        combgpu__branch_coarsen(graph, work);
        combgpu__branch_arcs(work);
        bound = combgpu__branch_ascend(work, round ? 200 + 4 * graph->nodes : 1000,
                                       round ? 60 : 100, boldness);
        if (bound > graph->bound) graph->bound = bound;
        if (bound > combgpu__branch_threshold(work)) return 0;
        bound = combgpu__branch_one_tree(work, work->multipliers);
        if (!combgpu__branch_reduce(work, bound)) return 0;
        combgpu__branch_compact(graph, work);
        combgpu__branch_restore(work);
        if (round > 1 && graph->bound - before <= (work->length - bound) / 200) break;
        boldness = boldness * 6 / 10;
    }
    return 1;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_root(combgpu_context *ctx,
                                                     combgpu__branch_graph *graph)
{
    size_t bytes = combgpu__branch_work_bytes(graph->nodes, graph->edges);
    void *memory = combgpu__allocate(ctx, bytes);
    combgpu__branch_work *work;
    int open;
    if (!memory) return combgpu__no_memory(ctx, bytes);
    work = combgpu__branch_work_at(memory, graph);
    work->length = graph->length;
    memcpy(work->marks, graph->marks, (size_t)graph->edges);
    open = graph->cities > 3 && combgpu__branch_root_ascent(graph, work);
    memcpy(graph->multipliers, work->multipliers, sizeof graph->multipliers);
    if (work->found) {
        graph->length = work->length;
        memcpy(graph->tour, work->tour, sizeof graph->tour);
    }
    if (!open) graph->bound = graph->length;
    graph->open = open;
    combgpu__release(ctx, memory);
    return COMBGPU_OK;
}

