/* Branch and cut at the root of an instance of a batch, where the gap is large beside the legs of the
   tour. So it is where cities lie in towns far apart, and no tree closes it: with lengths of two scales
   the ascent comes to a halt at a gap that is small beside the tour alone. Of random points few have such
   a gap, and these have the largest trees. */

#define COMBGPU__BATCH_CUT_LEGS 1 /* the gap, in legs of median length */
/* Pivots, and as many as take as long as a step. Most instances need a few hundred; those that come to
   20,000 go on only while a good part of their tree is done (combgpu__cut_hopeless). */
#define COMBGPU__BATCH_CUT_EFFORT 100000

/* Nonzero if the root's gap is as large. */
COMBGPU__PRIVATE int combgpu__batch_cut_suits(const combgpu__branch_graph *graph)
{
    int64_t legs[COMBGPU__BRANCH_CITIES];
    int n = graph->cities, i, k;
    if (!combgpu__cut_suits(graph) || graph->directed) return 0;
    for (i = 0; i < n; i++) {
        int64_t leg = graph->costs[graph->tour[i] * n + graph->tour[i + 1 == n ? 0 : i + 1]];
        for (k = i; k > 0 && legs[k - 1] > leg; k--)
            legs[k] = legs[k - 1];
        legs[k] = leg;
    }
    return graph->length - graph->bound > COMBGPU__BATCH_CUT_LEGS * legs[n / 2];
}

/* Works on the root until it is proven or the effort is spent. As the rest of the root it is no step
   of the search, so that steps do not depend on how a compiler rounds. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_cut(combgpu_context *ctx,
                                                   combgpu__branch_graph *graph)
{
    combgpu__cut *cut = NULL;
    size_t bytes;
#ifdef _OPENMP
#pragma omp critical(combgpu__batch_trees)
#endif
    cut = combgpu__cut_make(ctx, graph, &bytes);
    if (!cut) return COMBGPU_OUT_OF_MEMORY;
    while (cut->outcome == COMBGPU__CUT_GOES_ON &&
           cut->lp.pivots + COMBGPU__CUT_STEP * cut->steps < COMBGPU__BATCH_CUT_EFFORT) {
        int64_t length = graph->length;
        cut->outcome = combgpu__cut_step(cut, &length);
        if (length == graph->length) continue;
        graph->length = cut->work->length = length;
        memcpy(graph->tour, cut->work->tour, sizeof graph->tour);
    }
    graph->open = cut->outcome != COMBGPU__CUT_PROVEN;
    if (cut->proven > graph->bound) graph->bound = cut->proven;
    if (!graph->open) graph->bound = graph->length;
#ifdef _OPENMP
#pragma omp critical(combgpu__batch_trees)
#endif
    combgpu__release(ctx, cut);
    return COMBGPU_OK;
}
