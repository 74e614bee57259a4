/* Forced and forbidden edges of branch and bound, and what follows from them.
   A tour has two edges at each node and contains no shorter cycle. These functions return 0 if no
   tour is left. */

COMBGPU__PRIVATE void combgpu__branch_touch(combgpu__branch_work *work, int node)
{
    if (work->is_dirty[node]) return;
    work->is_dirty[node] = 1;
    work->dirty[work->dirty_count++] = node;
}

COMBGPU__PRIVATE int combgpu__branch_forbid(combgpu__branch_work *work, int edge)
{
    const uint16_t *ends = work->graph->ends + 2 * edge;
    int i;
    if (work->marks[edge] == COMBGPU__EDGE_FORBIDDEN) return 1;
    if (work->marks[edge] == COMBGPU__EDGE_FORCED) return 0;
    work->marks[edge] = COMBGPU__EDGE_FORBIDDEN;
    work->fixed++;
    for (i = 0; i < 2; i++) {
        if (--work->open_degree[ends[i]] < 2) return 0;
        combgpu__branch_touch(work, ends[i]);
    }
    return 1;
}

/* Adds a forced edge to degrees and paths. Forbids the edge that would close its path, unless that
   edge completes the tour. */
COMBGPU__PRIVATE int combgpu__branch_join(combgpu__branch_work *work, int edge)
{
    const combgpu__branch_graph *graph = work->graph;
    int u = graph->ends[2 * edge], v = graph->ends[2 * edge + 1], a, b, i;
    if (work->forced_degree[u] == 2 || work->forced_degree[v] == 2) return 0;
    work->forced_degree[u]++;
    work->forced_degree[v]++;
    work->forced_count++;
    combgpu__branch_touch(work, u);
    combgpu__branch_touch(work, v);
    a = work->other_end[u];
    b = work->other_end[v];
    if (a == v) return work->forced_count == graph->nodes;
    work->other_end[a] = b;
    work->other_end[b] = a;
    if (work->forced_count == graph->nodes - 1) return 1;
    for (i = graph->incident_begin[a]; i < graph->incident_begin[a + 1]; i++) {
        int closing = graph->incident[i];
        if (graph->ends[2 * closing] + graph->ends[2 * closing + 1] == a + b &&
            work->marks[closing] == COMBGPU__EDGE_FREE)
            return combgpu__branch_forbid(work, closing);
    }
    return 1;
}

COMBGPU__PRIVATE int combgpu__branch_force(combgpu__branch_work *work, int edge)
{
    if (work->marks[edge] == COMBGPU__EDGE_FORCED) return 1;
    if (work->marks[edge] == COMBGPU__EDGE_FORBIDDEN) return 0;
    work->marks[edge] = COMBGPU__EDGE_FORCED;
    work->fixed++;
    return combgpu__branch_join(work, edge);
}

/* Draws all conclusions: a node with two forced edges needs no other edge; a node with two edges
   left needs both. */
COMBGPU__PRIVATE int combgpu__branch_settle(combgpu__branch_work *work)
{
    const combgpu__branch_graph *graph = work->graph;
    while (work->dirty_count) {
        int node = work->dirty[--work->dirty_count], i, fine = 1;
        int force = work->open_degree[node] == 2;
        work->is_dirty[node] = 0;
        if (!force && work->forced_degree[node] < 2) continue;
        for (i = graph->incident_begin[node]; fine && i < graph->incident_begin[node + 1]; i++) {
            int edge = graph->incident[i];
            if (work->marks[edge] != COMBGPU__EDGE_FREE) continue;
            fine = force ? combgpu__branch_force(work, edge) : combgpu__branch_forbid(work, edge);
        }
        if (!fine) return 0;
    }
    return 1;
}

/* Computes degrees and paths from the marks, then draws all conclusions. */
COMBGPU__PRIVATE int combgpu__branch_restore(combgpu__branch_work *work)
{
    const combgpu__branch_graph *graph = work->graph;
    int i, edge, fine = 1;
    work->dirty_count = work->forced_count = 0;
    for (i = 0; i < graph->nodes; i++) {
        work->forced_degree[i] = work->open_degree[i] = 0;
        work->other_end[i] = i;
        work->is_dirty[i] = 0;
    }
    for (i = 0; i < graph->nodes; i++)
        combgpu__branch_touch(work, i);
    for (edge = 0; edge < graph->edges; edge++)
        if (work->marks[edge] != COMBGPU__EDGE_FORBIDDEN) {
            work->open_degree[graph->ends[2 * edge]]++;
            work->open_degree[graph->ends[2 * edge + 1]]++;
        }
    for (i = 0; i < graph->nodes; i++)
        if (work->open_degree[i] < 2) return 0;
    for (edge = 0; fine && edge < graph->edges; edge++)
        if (work->marks[edge] == COMBGPU__EDGE_FORCED) fine = combgpu__branch_join(work, edge);
    return fine && combgpu__branch_settle(work);
}
