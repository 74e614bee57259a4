/* Branch and cut at the root of a batch's instance whose gap is large beside the tour's legs.
   Distant towns cause such gaps, which no tree closes: with lengths of two scales the ascent halts
   at a gap that is small only beside the whole tour. Few random points have such a gap, and these
   have the largest trees. */

/* The least gap where it pays, in halves of a leg of median length. Devices search the trees of random
   points faster than the host's threads cut them; distant towns go to the threads. */
#define COMBGPU__BATCH_CUT_LEGS 1
#define COMBGPU__BATCH_CUT_LEGS_DEVICES 6
/* A gap, in these halves, before which a full ascent pays even so: of tiny towns far apart. */
#define COMBGPU__BATCH_CUT_FAR 500
/* 1-trees of a tree with a smaller gap after which it pays, too, as on lattices. */
#define COMBGPU__BATCH_CUT_LATE 4000
/* Pivots at most, and pivots in the time of a step. Most instances need a few hundred; beyond
   20,000 they go on only while a good part of their tree is done (combgpu__branch_cut_hopeless). */
#define COMBGPU__BATCH_CUT_EFFORT 100000

/* Cities of an instance, at most, with the depot. */
#define COMBGPU__BATCH_CITIES (COMBGPU_TSP_BATCH_DIMENSION + 1)

/* Nonzero if the root's gap is more than `legs` halves of a leg of median length. Asymmetric instances
   always begin with branch and cut, up to 64 cities with labels. */
COMBGPU__PRIVATE int combgpu__batch_cut_suits(const combgpu__branch_graph *graph, int legs)
{
    int64_t sorted[COMBGPU__BATCH_CITIES];
    int n = graph->cities, i, k;
    if (!graph->open || graph->directed)
        return graph->open && graph->brief == COMBGPU__BRANCH_BRIEF;
    for (i = 0; i < n; i++) {
        int64_t leg = graph->costs[graph->tour[i] * n + graph->tour[i + 1 == n ? 0 : i + 1]];
        for (k = i; k > 0 && sorted[k - 1] > leg; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = leg;
    }
    return 2 * (graph->length - graph->bound) > legs * sorted[n / 2];
}

/* Begins branch and cut, whose first part the caller holds. Returns 0 without memory. */
COMBGPU__PRIVATE int combgpu__batch_cut_make(combgpu_context *ctx,
                                             const combgpu__branch_graph *graph,
                                             combgpu__branch_cuts **first)
{
    size_t bytes;
    combgpu__lock_take(combgpu__context_lock(ctx));
    *first = combgpu__branch_cut_make(ctx, graph, &bytes);
    if (*first) (*first)->held = 1;
    combgpu__lock_free(combgpu__context_lock(ctx));
    return *first != NULL;
}

/* Continues a part, of the graph's tree, which other threads may cut, too. Returns the effort; the outcome is that
   of the part, which gives up after enough effort. Like the rest of the root it counts no nodes, so that counts
   do not depend on a compiler's rounding. */
COMBGPU__PRIVATE uint64_t combgpu__batch_cut_work(combgpu__branch_cuts *part,
                                                  combgpu__branch_graph *graph)
{
    int64_t before = combgpu__shared64(&graph->length), length = before;
    uint64_t pivots = part->lp.pivots;
    part->work->trees = 0;
    part->outcome = combgpu__branch_cut_step(part, &length);
    if (length < before) {
        part->work->length = length;
        combgpu__lock_take(&graph->lock);
        if (length < graph->length) {
            combgpu__shared64_set(&graph->length, length);
            memcpy(graph->tour, part->work->tour, (size_t)graph->cities * sizeof *graph->tour);
        }
        combgpu__lock_free(&graph->lock);
    }
    if (part->outcome == COMBGPU__CUT_GOES_ON &&
        part->lp.pivots + COMBGPU__CUT_STEP * part->steps >= COMBGPU__BATCH_CUT_EFFORT)
        part->outcome = COMBGPU__CUT_GIVES_UP;
    return part->work->trees + COMBGPU__CUT_PIVOT * (part->lp.pivots - pivots + COMBGPU__CUT_STEP);
}

/* Ends branch and cut, whose parts have ended. */
COMBGPU__PRIVATE void combgpu__batch_cut_end(combgpu_context *ctx, combgpu__branch_cuts **first,
                                             combgpu__branch_graph *graph)
{
    graph->open = combgpu__branch_parts_outcome(*first) != COMBGPU__CUT_PROVEN;
    if ((*first)->proven > graph->bound) graph->bound = (*first)->proven;
    if (!graph->open) graph->bound = graph->length;
    combgpu__lock_take(combgpu__context_lock(ctx));
    combgpu__branch_parts_release(ctx, *first);
    *first = NULL;
    combgpu__lock_free(combgpu__context_lock(ctx));
}
