/* The root of the search tree of branch and bound. */

#define COMBGPU__ROOT_STEPS                                                                        \
    256                      /* a brief ascent has a step for each node, up to so many, and a few */
#define COMBGPU__ROOT_NEAR 7 /* cheapest edges of a node that a first ascent needs */

/* Forbids all free edges but the cheapest few of each node, under the multipliers, and the tour's. */
COMBGPU__PRIVATE void combgpu__branch_thin(const combgpu__branch_graph *graph,
                                           const int64_t *multipliers, unsigned char *marks)
{
    int *mate = graph->spare;
    int n = graph->cities, tail = graph->directed ? n : 0, node, i, k;
    for (i = 0; i < n; i++)
        mate[tail + graph->tour[i]] = graph->tour[i + 1 == n ? 0 : i + 1];
    for (i = 0; i < graph->edges; i++) {
        int u = graph->ends[2 * i], v = graph->ends[2 * i + 1];
        int used = (u >= tail && mate[u] == v) || (v >= tail && mate[v] == u);
        if (marks[i] == COMBGPU__EDGE_FREE && !used) marks[i] = COMBGPU__EDGE_FORBIDDEN;
    }
    for (node = 0; node < graph->nodes; node++) {
        int nearest[COMBGPU__ROOT_NEAR], count = 0;
        int64_t least[COMBGPU__ROOT_NEAR];
        for (i = graph->incident_begin[node]; i < graph->incident_begin[node + 1]; i++) {
            int edge = graph->incident[i];
            int other = graph->ends[2 * edge] + graph->ends[2 * edge + 1] - node;
            int64_t cost = graph->weights[edge] + multipliers[other];
            if (graph->marks[edge] != COMBGPU__EDGE_FREE ||
                (count == COMBGPU__ROOT_NEAR && cost >= least[count - 1]))
                continue;
            if (count < COMBGPU__ROOT_NEAR) count++;
            for (k = count - 1; k > 0 && least[k - 1] > cost; k--) {
                least[k] = least[k - 1];
                nearest[k] = nearest[k - 1];
            }
            least[k] = cost;
            nearest[k] = edge;
        }
        for (k = 0; k < count; k++)
            marks[nearest[k]] = COMBGPU__EDGE_FREE;
    }
}

/* A first ascent, on a thin graph. Returns the bound of the whole graph. */
COMBGPU__PRIVATE int64_t combgpu__branch_ascend_thin(const combgpu__branch_graph *graph,
                                                     combgpu__branch_work *work, int steps,
                                                     int patience, int64_t boldness)
{
    combgpu__branch_thin(graph, work->multipliers, work->marks);
    if (combgpu__branch_restore(work)) {
        combgpu__branch_arcs(work);
        (void)combgpu__branch_ascend(work, steps, steps, patience, boldness);
    }
    memcpy(work->marks, graph->marks, (size_t)graph->edges);
    (void)combgpu__branch_restore(work);
    combgpu__branch_arcs(work);
    return combgpu__branch_one_tree(work, work->multipliers);
}

/* Alternates ascent and fixing at the root while the bound rises. Returns 0 if no tour of interest is
   left. `compact`: the edges that are forbidden leave the graph, for which `graph` and work->graph are
   the same. */
COMBGPU__PRIVATE int combgpu__branch_root_ascent(combgpu__branch_graph *graph,
                                                 combgpu__branch_work *work, int compact)
{
    int64_t boldness = 2048;
    int n = graph->nodes, brief = graph->brief && compact;
    int few = n < COMBGPU__ROOT_STEPS ? n : COMBGPU__ROOT_STEPS;
    int labels = brief && graph->brief == COMBGPU__BRANCH_BRIEF && graph->directed &&
                 graph->cities <= COMBGPU__LABEL_CITIES;
    int round, steps = brief ? 50 + few : 1000, patience = brief ? 5 + few / 10 : 100;
    if (!combgpu__branch_restore(work)) return 0;
    for (round = 0; round < 12; round++) {
        int64_t bound, before = graph->bound;
        if (compact) combgpu__branch_coarsen(graph, work);
        if (brief && graph->edges > 12 * n && (!round || n > COMBGPU__ROOT_STEPS)) {
            bound = combgpu__branch_ascend_thin(graph, work, steps, patience, boldness);
        } else {
            combgpu__branch_arcs(work);
            bound = combgpu__branch_ascend(work, steps, round ? steps : 10000, patience, boldness);
        }
        steps = brief ? 30 + few : 200 + 4 * n;
        patience = brief ? patience : 60;
        if (bound > graph->bound) graph->bound = bound;
        if (bound > combgpu__branch_threshold(work)) return 0;
        bound = combgpu__branch_one_tree(work, work->multipliers);
        if (!combgpu__branch_reduce(work, bound)) return 0;
        if (compact) {
            combgpu__branch_compact(graph, work);
            combgpu__branch_restore(work);
        }
        if ((brief || round > 1) &&
            graph->bound - before <= (work->length - bound) / (labels ? 10 : 200))
            break;
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
    open = graph->cities > 3 && combgpu__branch_root_ascent(graph, work, 1);
    memcpy(graph->multipliers, work->multipliers,
           (size_t)graph->nodes * sizeof *graph->multipliers);
    if (work->found) {
        graph->length = work->length;
        memcpy(graph->tour, work->tour, (size_t)graph->cities * sizeof *graph->tour);
    }
    if (!open) graph->bound = graph->length;
    graph->open = open;
    combgpu__release(ctx, memory);
    return COMBGPU_OK;
}
