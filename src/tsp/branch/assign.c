/* Multipliers of an asymmetric instance's assignment problem, by shortest augmenting paths (R. Jonker and A. Volgenant,
   1987), in O(cities^3). Under them the 1-tree's bound is at least the assignment's, which is often tight, as for the jobs of a crane. */

typedef struct combgpu__branch_assignment {
    int64_t *price,
        *least;       /* of each city as the end of an arc: its dual; the shortest path to it */
    int32_t *by, *to; /* the arcs that are assigned, by their ends and by their beginnings */
    int32_t *from;    /* the city before an end on its path */
    unsigned char *done;
} combgpu__branch_assignment;

/* Cost of an arc less the price of its end. */
COMBGPU__PRIVATE int64_t combgpu__branch_priced(const combgpu__branch_graph *graph,
                                                const combgpu__branch_assignment *a, int i, int j)
{
    return (i == j ? (int64_t)1 << 60 : graph->costs[i * graph->cities + j]) - a->price[j];
}

/* Assigns an arc to the city `start`, by the shortest path that alternates with the arcs before. */
COMBGPU__PRIVATE void combgpu__branch_assign_city(const combgpu__branch_graph *graph,
                                                  combgpu__branch_assignment *a, int start)
{
    int n = graph->cities, i = start, end, j;
    int64_t before = 0;
    for (j = 0; j < n; j++) {
        a->least[j] = INT64_MAX;
        a->done[j] = 0;
    }
    for (;;) {
        for (end = -1, j = 0; j < n; j++) {
            int64_t length = before + combgpu__branch_priced(graph, a, i, j);
            if (a->done[j]) continue;
            if (length < a->least[j]) {
                a->least[j] = length;
                a->from[j] = i;
            }
            if (end < 0 || a->least[j] < a->least[end]) end = j;
        }
        if (a->by[end] < 0) break;
        a->done[end] = 1;
        i = a->by[end];
        before = a->least[end] - combgpu__branch_priced(graph, a, i, end);
    }
    for (j = 0; j < n; j++)
        if (a->done[j]) a->price[j] += a->least[j] - a->least[end];
    do {
        int next;
        i = a->from[end];
        next = a->to[i];
        a->by[end] = i;
        a->to[i] = end;
        end = next;
    } while (i != start);
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_assign(combgpu_context *ctx,
                                                       combgpu__branch_graph *graph)
{
    size_t n = (size_t)graph->cities;
    size_t bytes = n * (2 * sizeof(int64_t) + 3 * sizeof(int32_t) + 1);
    combgpu__branch_assignment a;
    int i;
    a.price = (int64_t *)combgpu__allocate_zeroed(ctx, bytes);
    if (!a.price) return combgpu__no_memory(ctx, bytes);
    a.least = a.price + n;
    a.by = (int32_t *)(void *)(a.least + n);
    a.to = a.by + n;
    a.from = a.to + n;
    a.done = (unsigned char *)(a.from + n);
    for (i = 0; i < graph->cities; i++)
        a.by[i] = -1;
    for (i = 0; i < graph->cities; i++)
        combgpu__branch_assign_city(graph, &a, i);
    for (i = 0; i < graph->cities; i++) {
        graph->multipliers[i] = -a.price[i];
        graph->multipliers[i + graph->cities] = -combgpu__branch_priced(graph, &a, i, a.to[i]);
    }
    combgpu__release(ctx, a.price);
    return COMBGPU_OK;
}
