/* The root of the search tree of branch and bound. */

#define COMBGPU__ROOT_STEPS                                                                        \
    256 /* a brief ascent has a step for each node, up to so many, and a few */
#define COMBGPU__ROOT_ROUNDS 12
#define COMBGPU__ROOT_LATER 10 /* steps of later brief ascents, but before labels */
#define COMBGPU__ROOT_NEAR 7   /* cheapest edges of a node that a first ascent needs */

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

/* How a round at the root ends. */
enum { COMBGPU__ROOT_PROVEN, COMBGPU__ROOT_DONE, COMBGPU__ROOT_RISES };

/* A round of ascent and fixing at the root. PROVEN: no tour of interest is left; RISES: another one may pay.
   `compact`: the edges that are forbidden leave the graph, for which `graph` and work->graph are the same. */
COMBGPU__PRIVATE int combgpu__branch_root_round(combgpu__branch_graph *graph,
                                                combgpu__branch_work *work, int compact, int round)
{
    int64_t boldness = 2048, before = graph->bound, bound;
    int n = graph->nodes, brief = graph->brief && compact;
    int few = n < COMBGPU__ROOT_STEPS ? n : COMBGPU__ROOT_STEPS, k;
    int labels = brief && graph->brief == COMBGPU__BRANCH_BRIEF && graph->directed &&
                 graph->cities <= COMBGPU__LABEL_CITIES;
    int later = labels ? 30 + few : COMBGPU__ROOT_LATER;
    int steps = brief ? (round ? later : 50 + few) : round ? 200 + 4 * n : 1000;
    int patience = brief ? 5 + few / 10 : round ? 60 : 100;
    for (k = 0; k < round; k++)
        boldness = boldness * 6 / 10;
    if (!combgpu__branch_restore(work)) return COMBGPU__ROOT_PROVEN;
    if (compact && (round || n <= COMBGPU__ROOT_STEPS)) /* of many edges it takes long */
        combgpu__branch_coarsen(graph, work);
    if (brief && graph->edges > 12 * n && (!round || n > COMBGPU__ROOT_STEPS)) {
        bound = combgpu__branch_ascend_thin(graph, work, steps, patience, boldness);
    } else {
        combgpu__branch_arcs(work);
        bound = combgpu__branch_ascend(work, steps, round ? steps : 10000, patience, boldness);
    }
    if (bound > graph->bound) graph->bound = bound;
    if (bound > combgpu__branch_threshold(work)) return COMBGPU__ROOT_PROVEN;
    bound = combgpu__branch_one_tree(work, work->multipliers);
    if (!combgpu__branch_reduce(work, bound)) return COMBGPU__ROOT_PROVEN;
    if (compact) combgpu__branch_compact(graph, work);
    return ((brief || round > 1) &&
            graph->bound - before <= (work->length - bound) / (labels ? 10 : 200)) ||
                   round + 1 == COMBGPU__ROOT_ROUNDS
               ? COMBGPU__ROOT_DONE
               : COMBGPU__ROOT_RISES;
}

/* Makes a round at the root; graph->open tells how it ended. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_root_part(combgpu_context *ctx,
                                                          combgpu__branch_graph *graph, int round)
{
    size_t bytes = combgpu__branch_work_bytes(graph->nodes, graph->edges);
    size_t multipliers = (size_t)graph->nodes * sizeof *graph->multipliers;
    void *memory = combgpu__allocate(ctx, bytes);
    combgpu__branch_work *work;
    combgpu_status status = COMBGPU_OK;
    if (!memory) return combgpu__no_memory(ctx, bytes);
    work = combgpu__branch_work_at(memory, graph);
    if (!round && graph->directed && graph->brief == COMBGPU__BRANCH_BRIEF &&
        graph->cities > COMBGPU__LABEL_CITIES)
        status = combgpu__branch_assign(ctx, graph);
    work->length = graph->length;
    memcpy(work->marks, graph->marks, (size_t)graph->edges);
    memcpy(work->multipliers, graph->multipliers, multipliers);
    graph->open = graph->cities > 3 ? combgpu__branch_root_round(graph, work, 1, round)
                                    : COMBGPU__ROOT_PROVEN;
    memcpy(graph->multipliers, work->multipliers, multipliers);
    if (work->found) {
        graph->length = work->length;
        memcpy(graph->tour, work->tour, (size_t)graph->cities * sizeof *graph->tour);
    }
    if (!graph->open) graph->bound = graph->length;
    combgpu__release(ctx, memory);
    return status;
}

/* Alternates ascent and fixing at the root while the bound rises. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_root(combgpu_context *ctx,
                                                     combgpu__branch_graph *graph)
{
    combgpu_status status;
    int round = 0;
    do
        status = combgpu__branch_root_part(ctx, graph, round++);
    while (!status && graph->open == COMBGPU__ROOT_RISES);
    return status;
}
