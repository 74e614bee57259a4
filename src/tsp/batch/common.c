/* The legs that all shortest tours of a batch's instances share.
   From a shortest tour, of length L, the root's 1-tree fixes the edges that every tour up to L has:
   these legs are common. For each other leg of the tour a search tree without it looks for a tour up
   to L. If it finds one, that and all legs which the found tour lacks are not common; if none exists,
   the leg is common, and forced from then on. */

#define COMBGPU__BATCH_COMMON_ROUNDS 4 /* of ascent and fixing at the root, at most */
#define COMBGPU__BATCH_COMMON_LEGS 4   /* where a record's legs begin */

/* The search for one instance. */
typedef struct combgpu__batch_common_legs {
    int64_t most;                        /* the limit: tours below it count as shortest */
    int32_t tour[COMBGPU__BATCH_CITIES]; /* with the depot; twins in the order of the graph */
    int32_t edge[COMBGPU__BATCH_CITIES]; /* of the leg that leaves tour[i] */
    uint8_t state[COMBGPU__BATCH_CITIES];
    int tried;      /* the leg that the tree is without, or -1 */
    int cut;        /* nonzero if branch and cut has tried it */
    uint64_t trees; /* of the instance, before it */
} combgpu__batch_common_legs;

COMBGPU__PRIVATE combgpu__batch_common_legs *combgpu__batch_common_of(
    const combgpu__batch_tree *tree)
{
    return (combgpu__batch_common_legs *)tree->user;
}

/* ---- the root */

/* Puts the twins of the graph's tour into the order that its edges demand. */
COMBGPU__PRIVATE void combgpu__batch_common_sort(const combgpu__branch_graph *graph)
{
    int n = graph->cities, *group = graph->spare, *place = group + n, first = 0, i, city;
    int outside = combgpu__branch_twins(graph, group, place);
    unsigned short next[COMBGPU__BATCH_CITIES] = {0};
    while (outside >= 0 && graph->tour[first] != outside)
        first++;
    for (i = first; outside >= 0 && i < first + n; i++) {
        int leader = group[graph->tour[i % n]];
        for (city = leader; group[city] != leader || place[city] != next[leader]; city++) {
        }
        next[leader]++;
        graph->tour[i % n] = city;
    }
}

/* The leg that the tour of `place`, each city's position, takes along an edge, or -1. */
COMBGPU__PRIVATE int combgpu__batch_common_leg(const combgpu__branch_graph *graph,
                                               const int32_t *tour, const int *place, int edge)
{
    int n = graph->cities, u = graph->ends[2 * edge], v = graph->ends[2 * edge + 1];
    if (graph->directed) {
        if (u < n) return -1;
        u -= n;
    }
    if (tour[(place[u] + 1) % n] == v) return place[u];
    return !graph->directed && tour[(place[v] + 1) % n] == u ? place[v] : -1;
}

/* Finds the legs' edges, and those legs that the root's marks force. */
COMBGPU__PRIVATE void combgpu__batch_common_mark(const combgpu__branch_graph *graph,
                                                 const unsigned char *marks,
                                                 combgpu__batch_common_legs *legs)
{
    int *place = graph->spare, i, leg;
    for (i = 0; i < graph->cities; i++)
        place[legs->tour[i]] = i;
    for (i = 0; i < graph->edges; i++) {
        leg = combgpu__batch_common_leg(graph, legs->tour, place, i);
        if (leg < 0) continue;
        legs->edge[leg] = i;
        if (marks[i] == COMBGPU__EDGE_FORCED && legs->state[leg] == COMBGPU_TSP_LEG_UNKNOWN)
            legs->state[leg] = COMBGPU_TSP_LEG_COMMON;
    }
}

/* Nonzero if a tour of this length shows that the given one is not a shortest one. */
COMBGPU__PRIVATE int combgpu__batch_common_shorter(const combgpu__branch_graph *graph, int64_t most,
                                                   int64_t length)
{
    return most - length > (graph->integral ? 1 : 6) * graph->grain;
}

/* Ascends and fixes edges. Returns 0 if the tour is not among those that are left: it was not one of
   the shortest. */
COMBGPU__PRIVATE int combgpu__batch_common_ascend(combgpu__branch_graph *graph,
                                                  combgpu__branch_work *work, int64_t most)
{
    int steps = 50 + graph->nodes, patience = 5 + graph->nodes / 10, round, before;
    int64_t bound;
    if (!combgpu__branch_restore(work)) return 0;
    for (round = 0; round < COMBGPU__BATCH_COMMON_ROUNDS; round++) {
        before = graph->edges;
        work->length = most;
        if (!round && graph->edges > 12 * graph->nodes) {
            (void)combgpu__branch_ascend_thin(graph, work, steps, patience, 2048);
        } else {
            combgpu__branch_arcs(work);
            (void)combgpu__branch_ascend(work, steps, steps, patience, 2048 >> round);
        }
        if (combgpu__batch_common_shorter(graph, most, work->length)) return 0;
        work->length = most; /* it may have ended at a tour */
        bound = combgpu__branch_one_tree(work, work->multipliers);
        if (bound > combgpu__branch_threshold(work)) return 0;
        if (bound > graph->bound) graph->bound = bound;
        if (!combgpu__branch_reduce(work, bound)) return 0;
        combgpu__branch_compact(graph, work);
        (void)combgpu__branch_restore(work);
        if (graph->edges > before - before / 10) break;
    }
    memcpy(graph->multipliers, work->multipliers,
           (size_t)graph->nodes * sizeof *graph->multipliers);
    memcpy(graph->marks, work->marks, (size_t)graph->edges);
    return 1;
}

/* Fewer than four cities, with the depot: two tours at most, and only without symmetry. */
COMBGPU__PRIVATE void combgpu__batch_common_few(combgpu__batch_tree *tree,
                                                combgpu__batch_common_legs *legs)
{
    const combgpu__branch_graph *graph = &tree->graph;
    int n = graph->cities, turned[3] = {0}, i;
    for (i = 0; i < n; i++)
        turned[i] = legs->tour[n - 1 - i];
    i = n == 3 && !tree->kind.symmetric && graph->forced_from < 0 &&
        combgpu__branch_cycle_cost(graph->costs, n, turned) < legs->most;
    memset(legs->state, i ? COMBGPU_TSP_LEG_OTHER : COMBGPU_TSP_LEG_COMMON, sizeof legs->state);
}

/* Begins instance k, which has the tour `tour`. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_common_root(combgpu__batch_tree *tree,
                                                           const combgpu_tsp_batch_desc *desc,
                                                           const uint8_t *tour)
{
    combgpu_context *memory = tree->memory;
    combgpu__branch_graph *graph = &tree->graph;
    combgpu__batch_common_legs *legs =
        (combgpu__batch_common_legs *)combgpu__allocate_zeroed(memory, sizeof *legs);
    combgpu_status status = legs ? combgpu__batch_tree_costs(tree, desc) : COMBGPU_OUT_OF_MEMORY;
    int fine, i;
    void *at;
    if (status) return status;
    tree->user = legs;
    for (i = 0; i < graph->cities; i++)
        graph->tour[i] = i == graph->depot ? i : tour[i];
    graph->length = combgpu__branch_cycle_cost(graph->costs, graph->cities, graph->tour);
    graph->brief = COMBGPU__BRANCH_MANY;
    status = combgpu__branch_refine(memory, graph, &tree->one.desc, &tree->kind);
    if (status) return status;
    combgpu__batch_common_sort(graph);
    status = combgpu__branch_edges(memory, graph);
    if (status) return status;
    legs->tried = -1;
    for (i = 0; i < graph->cities; i++)
        legs->tour[i] = graph->tour[i];
    /* two tours of equal length may differ by a unit a leg */
    legs->most = graph->length + (graph->integral ? 1 : 3) * graph->grain;
    if (graph->cities < 4) {
        combgpu__batch_common_few(tree, legs);
        return COMBGPU_OK;
    }
    memset(legs->state, COMBGPU_TSP_LEG_UNKNOWN, sizeof legs->state);
    at = combgpu__allocate(memory, combgpu__branch_work_bytes(graph->nodes, graph->edges));
    if (!at) return COMBGPU_OUT_OF_MEMORY;
    tree->work = combgpu__branch_work_at(at, graph);
    memcpy(tree->work->marks, graph->marks, (size_t)graph->edges);
    fine = combgpu__batch_common_ascend(graph, tree->work, legs->most);
    tree->trees = tree->work->trees;
    combgpu__release(memory, at);
    tree->work = NULL;
    if (!fine) return COMBGPU_INVALID_ARGUMENT;
    combgpu__batch_common_mark(graph, graph->marks, legs);
    graph->open = 1;
    combgpu__batch_tree_plant(tree);
    if (tree->work) tree->work->stack_count = 0;
    return tree->status;
}

/* ---- the search for each leg */

/* Plants a tree without the leg that is tried. */
COMBGPU__PRIVATE void combgpu__batch_common_plant(combgpu__batch_tree *tree,
                                                  combgpu__batch_common_legs *legs)
{
    combgpu__branch_graph *graph = &tree->graph;
    combgpu__branch_work *work = tree->work;
    graph->length = work->length = legs->most;
    memcpy(work->marks, graph->marks, (size_t)graph->edges);
    work->marks[legs->edge[legs->tried]] = COMBGPU__EDGE_FORBIDDEN;
    combgpu__branch_pack(graph, graph->bound, COMBGPU__BRANCH_ALL, graph->multipliers, work->marks,
                         work->stack);
    work->stack_count = 1;
}

/* Begins branch and cut, without the leg that is tried. */
COMBGPU__PRIVATE void combgpu__batch_common_cut_begin(combgpu_context *ctx,
                                                      combgpu__batch_tree *tree,
                                                      combgpu__batch_common_legs *legs)
{
    unsigned char *mark = tree->graph.marks + legs->edge[legs->tried];
    *mark = COMBGPU__EDGE_FORBIDDEN;
    if (!combgpu__batch_cut_make(ctx, &tree->graph, &tree->cut))
        tree->status = COMBGPU_OUT_OF_MEMORY;
    *mark = COMBGPU__EDGE_FREE;
    legs->cut = 1;
}

/* Tries the next unknown leg, at a large gap by branch and cut. Returns 0 if there is none. */
COMBGPU__PRIVATE int combgpu__batch_common_next(combgpu_context *ctx, combgpu__batch_tree *tree,
                                                combgpu__batch_common_legs *legs)
{
    combgpu__branch_graph *graph = &tree->graph;
    int leg = 0;
    while (leg < graph->cities && legs->state[leg] != COMBGPU_TSP_LEG_UNKNOWN)
        leg++;
    if (leg == graph->cities) return 0;
    legs->tried = leg;
    legs->cut = 0;
    legs->trees = tree->trees;
    graph->length = legs->most;
    graph->open = 1;
    if (combgpu__batch_cut_suits(graph, COMBGPU__BATCH_CUT_LEGS))
        combgpu__batch_common_cut_begin(ctx, tree, legs);
    else
        combgpu__batch_common_plant(tree, legs);
    return 1;
}

/* Every shortest tour has the leg that was tried: forces it, with all that follows. */
COMBGPU__PRIVATE void combgpu__batch_common_settle(combgpu__batch_tree *tree,
                                                   combgpu__batch_common_legs *legs)
{
    combgpu__branch_graph *graph = &tree->graph;
    graph->marks[legs->edge[legs->tried]] = COMBGPU__EDGE_FORCED;
    memcpy(tree->work->marks, graph->marks, (size_t)graph->edges);
    if (combgpu__branch_restore(tree->work))
        memcpy(graph->marks, tree->work->marks, (size_t)graph->edges);
    combgpu__batch_common_mark(graph, graph->marks, legs);
}

/* The tree found a tour: the legs that it lacks are not common. */
COMBGPU__PRIVATE void combgpu__batch_common_found(combgpu__batch_tree *tree,
                                                  combgpu__batch_common_legs *legs)
{
    const combgpu__branch_graph *graph = &tree->graph;
    int *after = graph->spare, n = graph->cities, i;
    for (i = 0; i < n; i++)
        after[graph->tour[i]] = graph->tour[(i + 1) % n];
    for (i = 0; i < n; i++) {
        int from = legs->tour[i], to = legs->tour[(i + 1) % n];
        if (after[from] != to && (graph->directed || after[to] != from))
            legs->state[i] = COMBGPU_TSP_LEG_OTHER;
    }
    tree->work->stack_count = 0;
    if (combgpu__batch_common_shorter(graph, legs->most, graph->length))
        tree->status = COMBGPU_INVALID_ARGUMENT;
}

/* Continues branch and cut; if it gives up, the tree goes on. */
COMBGPU__PRIVATE void combgpu__batch_common_cut(combgpu_context *ctx, combgpu__batch_tree *tree,
                                                combgpu__batch_common_legs *legs)
{
    combgpu__branch_graph *graph = &tree->graph;
    int64_t bound = graph->bound;
    int found;
    tree->effort += combgpu__batch_cut_work(tree->cut, graph);
    found = graph->length < legs->most;
    if (tree->cut->outcome == COMBGPU__CUT_GOES_ON && !found) return;
    combgpu__batch_cut_end(ctx, &tree->cut, graph);
    graph->bound = bound; /* of all tours */
    if (found)
        combgpu__batch_common_found(tree, legs);
    else if (!graph->open)
        tree->work->stack_count = 0;
    else if (!tree->work->stack_count)
        combgpu__batch_common_plant(tree, legs);
}

/* Works on one node of a tree, or begins the next one. Returns 0 if all legs are known. */
COMBGPU__PRIVATE int combgpu__batch_common_step(combgpu_context *ctx, combgpu__batch_tree *tree)
{
    combgpu__batch_common_legs *legs = combgpu__batch_common_of(tree);
    if (!tree->work) return 0; /* so few cities that there is no tree */
    if (tree->cut) {
        combgpu__batch_common_cut(ctx, tree, legs);
        return 1;
    }
    if (!tree->work->stack_count) {
        if (legs->tried >= 0 && tree->graph.length == legs->most)
            combgpu__batch_common_settle(tree, legs);
        tree->effort++;
        return combgpu__batch_common_next(ctx, tree, legs);
    }
    if (!legs->cut && tree->trees - legs->trees >= COMBGPU__BATCH_CUT_LATE) {
        combgpu__batch_common_cut_begin(ctx, tree, legs);
        return 1;
    }
    (void)combgpu__batch_tree_node(tree);
    if (tree->graph.length < legs->most) combgpu__batch_common_found(tree, legs);
    return 1;
}

/* What is known of the edge between two cities of the graph: COMMON, or OTHER or UNKNOWN if not all
   shortest tours that keep twins in order are known to have it. */
COMBGPU__PRIVATE int combgpu__batch_common_edge(const combgpu__batch_tree *tree, const int *place,
                                                int a, int b)
{
    const combgpu__batch_common_legs *legs = combgpu__batch_common_of(tree);
    int n = tree->graph.cities;
    if (legs->tour[(place[a] + 1) % n] == b) return legs->state[place[a]];
    if (!tree->graph.directed && legs->tour[(place[b] + 1) % n] == a) return legs->state[place[b]];
    return COMBGPU_TSP_LEG_OTHER;
}

/* Writes the record of an instance. Twins may change places, so a leg is common if all legs are
   that it becomes by this. */
COMBGPU__PRIVATE void combgpu__batch_common_record(const combgpu__batch_tree *tree,
                                                   const uint8_t *tour, int legs, uint32_t *record)
{
    const combgpu__branch_graph *graph = &tree->graph;
    int *group = graph->spare, *place = group + graph->cities, at[COMBGPU__BATCH_CITIES], i, a, b;
    int n = tree->one.instance.n, cities = graph->cities;
    int few = cities < 4, twins = combgpu__branch_twins(graph, group, place) >= 0;
    for (i = 0; i < cities; i++)
        at[combgpu__batch_common_of(tree)->tour[i]] = i;
    for (i = 0; i < legs; i++) {
        int from = tour[i], to = tour[(i + 1) % n], known = COMBGPU_TSP_LEG_COMMON;
        if (few) known = combgpu__batch_common_of(tree)->state[0];
        for (a = 0; a < cities && !few; a++) {
            if (a != from && (!twins || group[a] != group[from])) continue;
            for (b = 0; b < cities; b++) {
                int state;
                if (a == b || (b != to && (!twins || group[b] != group[to]))) continue;
                state = combgpu__batch_common_edge(tree, at, a, b);
                if (state == COMBGPU_TSP_LEG_OTHER ||
                    (state != COMBGPU_TSP_LEG_COMMON && known != COMBGPU_TSP_LEG_OTHER))
                    known = state;
            }
        }
        record[COMBGPU__BATCH_COMMON_LEGS + i / 16] |= (uint32_t)known << i % 16 * 2;
    }
}
