/* The root of the search tree of branch and bound. */

/* Alternates ascent and fixing at the root while the bound rises. Returns 0 if no tour of interest
   is left. */
COMBGPU__PRIVATE int combgpu__branch_root_ascent(combgpu__branch_graph *graph,
                                                 combgpu__branch_work *work)
{
    int64_t boldness = 2048;
    int n = graph->nodes, brief = graph->brief;
    int round, steps = brief ? 50 + n : 1000, patience = brief ? 5 + n / 10 : 100;
    if (!combgpu__branch_restore(work)) return 0;
    for (round = 0; round < 12; round++) {
        int64_t bound, before = graph->bound;
        combgpu__branch_coarsen(graph, work);
        combgpu__branch_arcs(work);
        bound = combgpu__branch_ascend(work, steps, round ? steps : 10000, patience, boldness);
        steps = brief ? 30 + n : 200 + 4 * n;
        patience = brief ? patience : 60;
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
