/* What branch and cut branches on. */

/* Bounds the objective of a child by a few pivots. */
COMBGPU__PRIVATE double combgpu__branch_cut_try(combgpu__branch_cuts *cut, int column, int value,
                                                double cutoff)
{
    combgpu__branch_lp *lp = &cut->lp;
    double now = lp->objective, objective, step;
    int ray;
    lp->lower[column] = lp->upper[column] = value;
    if (combgpu__branch_lp_pivots(lp, cutoff, COMBGPU__CUT_TRIAL, &ray, &step) == COMBGPU__LP_ABOVE)
        objective = cutoff;
    else
        objective = lp->objective;
    combgpu__branch_lp_copy(lp, cut->saved, 1);
    lp->objective = now;
    return objective;
}

/* Chooses the column to branch on: of those next to a half, the one whose children's objectives
   rise most in a trial (D. Applegate, R. Bixby, V. Chvatal and W. Cook, 1995). -1: all values are
   whole. */
COMBGPU__PRIVATE int combgpu__branch_cut_choose(combgpu__branch_cuts *cut, double cutoff)
{
    combgpu__branch_lp *lp = &cut->lp;
    int candidate[COMBGPU__CUT_CANDIDATES], count = 0, chosen = -1, j, k;
    double most = -1, now = lp->objective;
    for (j = 0; j < lp->columns; j++) {
        double off = fabs(lp->x[j] - 0.5);
        if (off > 0.5 - 1e-5) continue;
        for (k = count; k > 0 && off < fabs(lp->x[candidate[k - 1]] - 0.5) - 1e-9; k--)
            if (k < COMBGPU__CUT_CANDIDATES) candidate[k] = candidate[k - 1];
        if (k == COMBGPU__CUT_CANDIDATES) continue;
        candidate[k] = j;
        if (count < COMBGPU__CUT_CANDIDATES) count++;
    }
    if (count == 1) return candidate[0];
    combgpu__branch_lp_copy(lp, cut->saved, 0);
    for (k = 0; k < count; k++) {
        double low = combgpu__branch_cut_try(cut, candidate[k], 0, cutoff) - now;
        double high = combgpu__branch_cut_try(cut, candidate[k], 1, cutoff) - now;
        double score = (low < 1e-3 ? 1e-3 : low) * (high < 1e-3 ? 1e-3 : high);
        if (score <= most) continue;
        most = score;
        chosen = candidate[k];
    }
    return chosen;
}
