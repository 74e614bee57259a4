/* The first tour of many cities: the greedy one (J. L. Bentley, 1992). */

/* An edge that may be taken. */
typedef struct combgpu__large_edge {
    int64_t cost;
    int u, v;
} combgpu__large_edge;

COMBGPU__PRIVATE int combgpu__large_compare(const void *a, const void *b)
{
    const combgpu__large_edge *one = (const combgpu__large_edge *)a,
                              *other = (const combgpu__large_edge *)b;
    if (one->cost != other->cost) return one->cost < other->cost ? -1 : 1;
    if (one->u != other->u) return one->u < other->u ? -1 : 1;
    return one->v < other->v ? -1 : one->v > other->v;
}

/* Sorts edges and takes each that leaves fragments: paths without branches. forest->edge gets them,
   forest->degree counts them. */
COMBGPU__PRIVATE void combgpu__large_take(combgpu__large_forest *forest, combgpu__large_edge *edge,
                                          int edges)
{
    int i;
    qsort(edge, (size_t)edges, sizeof *edge, combgpu__large_compare);
    for (i = 0; i < edges; i++) {
        int u = edge[i].u, v = edge[i].v, a = combgpu__large_root(forest, u);
        int b = combgpu__large_root(forest, v);
        if (forest->degree[u] > 1 || forest->degree[v] > 1 || a == b) continue;
        forest->parent[a < b ? b : a] = a < b ? a : b;
        forest->degree[u]++;
        forest->degree[v]++;
        forest->edge[forest->edges][0] = u;
        forest->edge[forest->edges++][1] = v;
    }
}

/* Joins fragments end to end, each to the nearest other one, until one is left, with the depot
   apart. */
COMBGPU__PRIVATE void combgpu__large_join_ends(const combgpu__large *large,
                                               combgpu__large_forest *forest,
                                               combgpu__large_edge *edge)
{
    int v, before = -1;
    while (forest->edges > before) {
        int edges = 0;
        before = forest->edges;
        for (v = 0; v < large->cities; v++) {
            forest->parts.part[v] = combgpu__large_root(forest, v);
            forest->parts.extra[v] =
                forest->degree[v] < 2 && v != large->depot ? 0 : COMBGPU__LARGE_NONE;
        }
        combgpu__large_summarise(large, &forest->parts);
        for (v = 0; v < large->cities; v++) {
            combgpu__large_nearest nearest;
            nearest.large = large;
            nearest.parts = &forest->parts;
            nearest.v = v;
            nearest.to = -1;
            nearest.cost = COMBGPU__LARGE_NONE;
            if (!forest->parts.extra[v]) combgpu__large_find(&nearest);
            if (nearest.to < 0) continue;
            edge[edges].cost = nearest.cost;
            edge[edges].u = v;
            edge[edges++].v = nearest.to;
        }
        combgpu__large_take(forest, edge, edges);
    }
}

/* Writes the tour that the fragments are: all cities in one, or but for the depot. `mate` has room
   for two nodes of each; marks cities by degree 3. */
COMBGPU__PRIVATE void combgpu__large_walk(const combgpu__large *large,
                                          combgpu__large_forest *forest, int (*mate)[2], int *tour)
{
    int at = 0, start, v, i;
    for (v = 0; v < large->cities; v++)
        mate[v][0] = mate[v][1] = -1;
    for (i = 0; i < forest->edges; i++) {
        int a = forest->edge[i][0], b = forest->edge[i][1];
        mate[a][mate[a][0] >= 0] = b;
        mate[b][mate[b][0] >= 0] = a;
    }
    for (start = 0; start < large->cities; start++) {
        int last = -1;
        if (forest->degree[start] > 1) continue;
        for (v = start; v >= 0;) {
            int next = mate[v][mate[v][0] == last];
            forest->degree[v] = 3;
            tour[at++] = last = v;
            v = next;
        }
    }
}

/* Makes large->tour. */
COMBGPU__PRIVATE combgpu_status combgpu__large_greedy(combgpu_context *ctx, combgpu__large *large)
{
    combgpu_status status = COMBGPU_OK;
    int most = large->near_begin[large->nodes], edges = 0, v, i, k;
    combgpu__large_forest forest;
    combgpu__large_edge *edge = (combgpu__large_edge *)combgpu__large_array(
        ctx, most + large->nodes, sizeof *edge, &status);
    void *memory = combgpu__large_array(ctx, 1, combgpu__large_forest_bytes(large), &status);
    int(*mate)[2] = (int(*)[2])combgpu__large_array(ctx, large->nodes, sizeof *mate, &status);
    if (!status) {
        combgpu__large_forest_at(large, memory, &forest);
        forest.parts.fine = 0;
        for (v = 0; v < large->cities; v++) {
            forest.parent[v] = v;
            forest.degree[v] = 0;
        }
        for (v = 0; v < large->cities; v++) { /* edges that every tour has come first */
            for (k = 0; k < 2; k++)
                if (large->fixed[v][k] > v) {
                    edge[edges].cost = -1;
                    edge[edges].u = v;
                    edge[edges++].v = large->fixed[v][k];
                }
            for (i = large->near_begin[v]; i < large->near_begin[v + 1]; i++)
                if (large->nearby[i] > v) {
                    edge[edges].cost = large->near_cost[i];
                    edge[edges].u = v;
                    edge[edges++].v = large->nearby[i];
                }
        }
        combgpu__large_take(&forest, edge, edges);
        combgpu__large_join_ends(large, &forest, edge);
        combgpu__large_walk(large, &forest, mate, large->tour);
    }
    combgpu__release(ctx, edge);
    combgpu__release(ctx, memory);
    combgpu__release(ctx, mate);
    return status;
}
