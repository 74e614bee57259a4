/* What branch and cut branches on. */

/* Bounds a child's rise by a few pivots. */
COMBGPU__PRIVATE double combgpu__branch_cut_try(combgpu__branch_cuts *cut, int column, int value,
                                                double cutoff)
{
    combgpu__branch_lp *lp = &cut->lp;
    double now = lp->objective, objective, step;
    int pivots = lp->nodes > COMBGPU__CUT_LARGE ? COMBGPU__CUT_TRIAL_LARGE : COMBGPU__CUT_TRIAL;
    int ray;
    lp->rough = 1;
    lp->lower[column] = lp->upper[column] = value;
    objective = combgpu__branch_lp_pivots(lp, cutoff, pivots, &ray, &step) == COMBGPU__LP_ABOVE
                    ? cutoff
                    : lp->objective;
    lp->rough = 0;
    combgpu__branch_lp_copy(lp, cut->saved, 1);
    lp->objective = now;
    return objective - now;
}

/* A candidate to branch on. */
typedef struct combgpu__branch_cut_candidate {
    int column;
    double score;
} combgpu__branch_cut_candidate;

COMBGPU__PRIVATE double combgpu__branch_cut_score(double low, double high)
{
    return (low < 1e-3 ? 1e-3 : low) * (high < 1e-3 ? 1e-3 : high);
}

/* Lists the columns of fractional value whose children promise most, by the trials of their edges, or
   of all edges where it had none; returns their number. */
COMBGPU__PRIVATE int combgpu__branch_cut_promising(const combgpu__branch_cuts *cut,
                                                   combgpu__branch_cut_candidate *list)
{
    const combgpu__branch_lp *lp = &cut->lp;
    const combgpu__branch_cut_gains *all = cut->gains + cut->folded.edges;
    int count = 0, j, k;
    for (j = 0; j < lp->columns; j++) {
        const combgpu__branch_cut_gains *gains = cut->gains + lp->edge[j];
        double x = lp->x[j], score;
        if (x < 1e-5 || x > 1 - 1e-5) continue;
        if (!gains->trials) gains = all;
        score = gains->trials ? combgpu__branch_cut_score(x * gains->sum[0] / gains->trials,
                                                          (1 - x) * gains->sum[1] / gains->trials)
                              : x * (1 - x);
        for (k = count; k > 0 && score > list[k - 1].score * (1 + 1e-9); k--)
            if (k < COMBGPU__CUT_CANDIDATES) list[k] = list[k - 1];
        if (k == COMBGPU__CUT_CANDIDATES) continue;
        list[k].column = j;
        list[k].score = score;
        if (count < COMBGPU__CUT_CANDIDATES) count++;
    }
    return count;
}

/* Chooses the column to branch on: the one whose children's objectives rise most, by trials (D. Applegate,
   R. Bixby, V. Chvatal and W. Cook, 1995) of edges that had few, for the others by these (T. Achterberg,
   T. Koch and A. Martin, 2005). -1: all values are whole. */
COMBGPU__PRIVATE int combgpu__branch_cut_choose(combgpu__branch_cuts *cut, double cutoff)
{
    combgpu__branch_lp *lp = &cut->lp;
    combgpu__branch_cut_candidate list[COMBGPU__CUT_CANDIDATES];
    int count = combgpu__branch_cut_promising(cut, list), chosen = -1, k;
    int trials = cut->folded.directed ? COMBGPU__CUT_TRIALS_DIRECTED : COMBGPU__CUT_TRIALS;
    double most = -1, above = cutoff - lp->objective;
    if (count == 1) return list[0].column;
    combgpu__branch_lp_copy(lp, cut->saved, 0);
    for (k = 0; k < count; k++) {
        int column = list[k].column, value;
        combgpu__branch_cut_gains *gains = cut->gains + lp->edge[column];
        double x = lp->x[column], score = list[k].score;
        if (gains->trials < trials) {
            double rise[2];
            for (value = 0; value < 2; value++)
                rise[value] = combgpu__branch_cut_try(cut, column, value, cutoff);
            score = combgpu__branch_cut_score(rise[0], rise[1]);
            if (rise[0] >= above && rise[1] >= above) return column; /* both are closed */
            for (value = 0; value < 2; value++) {
                float gain = (float)(rise[value] / (value ? 1 - x : x));
                gains->sum[value] += gain;
                cut->gains[cut->folded.edges].sum[value] += gain;
            }
            gains->trials++;
            cut->gains[cut->folded.edges].trials++;
        }
        if (score <= most) continue;
        most = score;
        chosen = column;
    }
    return chosen;
}
