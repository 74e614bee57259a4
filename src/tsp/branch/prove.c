/* Bounds of branch and cut, proven in whole numbers, and the edges that the linear program needs. */

#define COMBGPU__PRICE_LEAST                                                                       \
    5e-3 /* below 0: a reduced cost that asks for a column, in the program's unit */

/* What the linear program's objective must exceed for a node to be closed by a 1-tree, which loses
   what rounding and the costs' noise amount to. */
COMBGPU__PRIVATE double combgpu__branch_cut_cutoff(const combgpu__branch_cuts *cut, int64_t length)
{
    double nodes = cut->lp.nodes;
    return (double)(length - cut->folded.grain + cut->constant) / cut->unit + 2e-3 * nodes +
           4 * nodes / cut->unit;
}

/* Rounds the dual values to multipliers of nodes and cuts, and adds those of cuts to the weights of the
   edges that the root has left. *right gets what the cuts' right sides amount to. Returns 0 if a value is
   too large. */
COMBGPU__PRIVATE int combgpu__branch_cut_fold(combgpu__branch_cuts *cut, int64_t *right)
{
    const combgpu__branch_lp *lp = &cut->lp;
    const combgpu__branch_graph *graph = &cut->folded;
    int i, k, row;
    *right = 0;
    memcpy(graph->weights, cut->plain, (size_t)graph->edges * sizeof *graph->weights);
    for (row = 0; row < lp->rows; row++) {
        const unsigned char *sets;
        double value = -lp->dual[row] * cut->unit;
        int64_t multiplier;
        if (!(fabs(value) < (double)(COMBGPU__BRANCH_MULTIPLIER / 4))) return 0;
        multiplier = (int64_t)combgpu__floor(value + 0.5);
        if (row < lp->nodes) cut->work->multipliers[row] = cut->multipliers[row] + multiplier;
        if (row < lp->nodes || multiplier <= 0) continue;
        *right += multiplier * (int64_t)lp->right[row];
        sets = combgpu__branch_lp_sets(lp, row);
        for (i = 0; i < lp->nodes; i++)
            for (k = graph->incident_begin[i]; sets[i] && k < graph->incident_begin[i + 1]; k++) {
                int edge = graph->incident[k];
                int other = graph->ends[2 * edge] + graph->ends[2 * edge + 1] - i;
                graph->weights[edge] += /* removed ones do not matter */
                    (other < i || !sets[other]) * multiplier *
                    combgpu__branch_lp_coefficient(lp, row, i, other);
            }
    }
    return 1;
}

/* The reduced cost of an edge, in the graph's unit. */
COMBGPU__PRIVATE int64_t combgpu__branch_cut_reduced(const combgpu__branch_cuts *cut, int edge)
{
    const combgpu__branch_graph *graph = &cut->folded;
    return graph->weights[edge] + cut->work->multipliers[graph->ends[2 * edge]] +
           cut->work->multipliers[graph->ends[2 * edge + 1]];
}

/* Counts the edges outside the program whose reduced costs are below `limit`, or adds them as columns. */
COMBGPU__PRIVATE int combgpu__branch_cut_below(combgpu__branch_cuts *cut, int64_t limit, int add)
{
    combgpu__branch_lp *lp = &cut->lp;
    int count = 0, edge;
    for (edge = 0; edge < cut->folded.edges; edge++) {
        unsigned char mark = cut->work->marks[edge];
        if (cut->inside[edge] || mark == COMBGPU__EDGE_FORBIDDEN ||
            (mark == COMBGPU__EDGE_FREE && combgpu__branch_cut_reduced(cut, edge) >= limit))
            continue;
        if (add && lp->columns == lp->column_room) return count;
        if (add) combgpu__branch_cut_column(cut, edge);
        count++;
    }
    return count;
}

/* Adds edges that would lower the objective as columns, the most negative reduced costs first, and forced
   ones. Returns their number. */
COMBGPU__PRIVATE int combgpu__branch_cut_price(combgpu__branch_cuts *cut)
{
    combgpu__branch_lp *lp = &cut->lp;
    int64_t limit = -(int64_t)(COMBGPU__PRICE_LEAST * cut->unit) - 1, least = limit;
    double most = COMBGPU__CUT_GAP; /* of reduced costs, when there are too many columns */
    int j, added;
    if (lp->column_room == cut->folded.edges) return 0; /* all began as columns */
    while (lp->columns > lp->column_room * 3 / 4 && most > 1) {
        combgpu__branch_lp_compact(lp, most); /* they may come back */
        most /= 2;
    }
    memset(cut->inside, 0, (size_t)cut->folded.edges);
    for (j = 0; j < lp->columns; j++)
        cut->inside[lp->edge[j]] = 1;
    for (j = 0; j < cut->folded.edges; j++)
        if (!cut->inside[j] && cut->work->marks[j] == COMBGPU__EDGE_FREE &&
            combgpu__branch_cut_reduced(cut, j) < least)
            least = combgpu__branch_cut_reduced(cut, j);
    while (least / 2 < limit && combgpu__branch_cut_below(cut, least / 2, 0) < lp->nodes)
        least /= 2;
    added = combgpu__branch_cut_below(cut, least / 2 < limit ? least / 2 : limit, 1);
    if (added && !combgpu__branch_lp_list_all(lp)) return -1;
    return added;
}

typedef enum combgpu__branch_cut_proof {
    COMBGPU__CUT_CLOSED, /* no tour of interest is left in the node */
    COMBGPU__CUT_OPEN,
    COMBGPU__CUT_PRICED, /* the program has new columns */
    COMBGPU__CUT_FULL    /* or has no room for them */
} combgpu__branch_cut_proof;

/* Proves a bound by the dual values and fixes edges. */
COMBGPU__PRIVATE combgpu__branch_cut_proof combgpu__branch_cut_prove(combgpu__branch_cuts *cut,
                                                                     int64_t length)
{
    combgpu__branch_work *work = cut->work;
    int64_t right, bound;
    int priced;
    if (!combgpu__branch_cut_fold(cut, &right)) return COMBGPU__CUT_OPEN;
    priced = combgpu__branch_cut_price(cut);
    if (priced) return priced < 0 ? COMBGPU__CUT_FULL : COMBGPU__CUT_PRICED;
    work->length = length + right;
    combgpu__branch_arcs(work);
    bound = combgpu__branch_one_tree(work, work->multipliers);
    if (bound - right > cut->path[cut->depth].bound) cut->path[cut->depth].bound = bound - right;
    if (!cut->depth && bound - right > cut->proven) cut->proven = bound - right;
    return bound > combgpu__branch_threshold(work) || !combgpu__branch_reduce(work, bound)
               ? COMBGPU__CUT_CLOSED
               : COMBGPU__CUT_OPEN;
}
