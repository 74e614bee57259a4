/* A bounded dual simplex method for the relaxation of tours. */

COMBGPU__PRIVATE void combgpu__branch_lp_ways(combgpu__branch_lp *lp)
{
    int j;
    for (j = 0; j < lp->column_room + lp->rows; j++) {
        if (j == lp->columns) j = lp->column_room;
        lp->way[j] = lp->x[j] < lp->upper[j] ? 1 : -1;
        if (lp->place[j] >= 0 || lp->lower[j] == lp->upper[j]) lp->way[j] = 0;
    }
}

/* Puts nonbasic variables at the bounds that their reduced costs ask for, and computes the basic
   ones, reduced costs and objective anew. Returns 0 if the basis has no factors. */
COMBGPU__PRIVATE int combgpu__branch_lp_values(combgpu__branch_lp *lp)
{
    double *rest = lp->work, *x = lp->x;
    int all = lp->column_room + lp->rows, i, j;
    combgpu__branch_lp_index(lp);
    if ((!lp->factored || lp->factored_rows != lp->rows) &&
        combgpu__branch_lp_factor(lp) == COMBGPU__FACTOR_FULL)
        return 0;
    for (i = 0; i < lp->rows; i++) { /* norms of new rows, by the factors that are made anyway */
        if (lp->norm[i] != 0) continue;
        combgpu__branch_lp_unit(lp, i);
        for (j = 0; j < lp->rows; j++)
            lp->norm[i] += lp->row[j] * lp->row[j];
    }
    for (i = 0; i < lp->rows; i++)
        lp->second[i] = lp->cost[lp->basis[i]];
    combgpu__branch_lp_backward(lp, lp->second, lp->dual);
    combgpu__branch_lp_price(lp, lp->dual);
    memcpy(rest, lp->right, (size_t)lp->rows * sizeof *rest);
    lp->objective = 0;
    for (j = 0; j < all; j++) {
        if (j == lp->columns) j = lp->column_room;
        lp->reduced[j] = lp->place[j] >= 0 ? 0 : lp->cost[j] - lp->alpha[j];
        if (lp->place[j] >= 0) continue;
        x[j] = lp->reduced[j] >= 0 || j >= lp->column_room ? lp->lower[j] : lp->upper[j];
        lp->objective += lp->cost[j] * x[j];
        if (x[j] != 0) combgpu__branch_lp_scatter(lp, j, -x[j], rest);
    }
    combgpu__branch_lp_forward(lp, rest, lp->column, rest, lp->second);
    for (i = 0; i < lp->rows; i++) {
        x[lp->basis[i]] = lp->column[i];
        lp->objective += lp->cost[lp->basis[i]] * lp->column[i];
    }
    combgpu__branch_lp_ways(lp);
    return 1;
}

/* Computes this basis's dual values for the costs without noise. */
COMBGPU__PRIVATE void combgpu__branch_lp_exact_duals(combgpu__branch_lp *lp)
{
    int i;
    for (i = 0; i < lp->rows; i++)
        lp->second[i] = lp->basis[i] < lp->column_room ? lp->exact[lp->basis[i]] : 0;
    combgpu__branch_lp_backward(lp, lp->second, lp->dual);
}

/* Begins with the basis of all slacks. */
COMBGPU__PRIVATE void combgpu__branch_lp_slacks(combgpu__branch_lp *lp)
{
    int i, j;
    for (j = 0; j < lp->columns; j++)
        lp->place[j] = -1;
    for (i = 0; i < lp->rows; i++) {
        lp->norm[i] = 1;
        lp->basis[i] = lp->column_room + i;
        lp->place[lp->column_room + i] = i;
    }
    lp->listed = lp->factored = 0;
}

/* Returns the place of the basic variable that is farthest beyond a bound, by the norms of the
   inverse's rows (steepest edges: J. J. Forrest and D. Goldfarb, 1992), or -1. */
COMBGPU__PRIVATE int combgpu__branch_lp_leaving(const combgpu__branch_lp *lp)
{
    static const double counts[2] = {0, 1}; /* branches would be as good as random */
    double most = 0;
    int chosen = -1, i;
    for (i = 0; i < lp->rows; i++) {
        int j = lp->basis[i];
        double beyond = lp->lower[j] - lp->x[j], other = lp->x[j] - lp->upper[j];
        if (other > beyond) beyond = other;
        beyond *= counts[beyond > COMBGPU__LP_CLOSE];
        if (beyond * beyond <= most * lp->norm[i]) continue;
        most = beyond * beyond / lp->norm[i];
        chosen = i;
    }
    return chosen;
}

/* Lists in lp->candidate the variables that a step of the dual values would bring to a reduced cost of 0,
   and returns their number. sign: 1 if the leaving variable falls, -1 if it rises. */
COMBGPU__PRIVATE int combgpu__branch_lp_candidates(combgpu__branch_lp *lp, double sign)
{
    const double *way = lp->way, *alpha = lp->alpha;
    int count = 0, all = lp->column_room + lp->rows, j;
    for (j = 0;; j++) { /* without branches, which would be as good as random */
        if (j == lp->columns) j = lp->column_room + lp->nodes;
        if (j >= all) return count;
        lp->candidate[count] = j;
        count += sign * way[j] * alpha[j] >= 1e-8;
    }
}

/* Returns the variable that enters, by the ratio test in two passes (P. M. J. Harris, 1973); -1: no
   values keep all bounds. Variables that change their bounds do not end the step while the leaving one
   stays beyond its own (R. Fourer, 1994; I. Maros, 2003): lp->candidate begins with the *flips of them.
   *beyond becomes what is left. */
COMBGPU__PRIVATE int combgpu__branch_lp_entering(combgpu__branch_lp *lp, double sign, int *flips,
                                                 double *beyond)
{
    int32_t *list = lp->candidate;
    int count = combgpu__branch_lp_candidates(lp, sign), first = 0, k;
    *flips = 0;
    for (;;) {
        double least = HUGE_VAL, largest = 0, left = *beyond;
        int end = first, chosen = -1;
        for (k = first; k < count; k++) {
            double d = fabs(lp->reduced[list[k]]), a = fabs(lp->alpha[list[k]]);
            if (d + 1e-7 < least * a) least = (d + 1e-7) / a;
        }
        for (k = first; k < count; k++) {
            int j = list[k];
            double d = fabs(lp->reduced[j]), a = fabs(lp->alpha[j]);
            if (d > least * a) continue;
            list[k] = list[end];
            list[end++] = j;
            left -= a * (lp->upper[j] - lp->lower[j]);
            if (a <= largest) continue;
            largest = a;
            chosen = j;
        }
        if (chosen < 0 || left < COMBGPU__LP_CLOSE || (end == count && left < 1e-3)) return chosen;
        *beyond = left;
        *flips = first = end;
    }
}

/* Puts flipped variables at their other bounds, and the basic ones where these ask for. Returns what the
   objective gains until the last of them. */
COMBGPU__PRIVATE double combgpu__branch_lp_flip(combgpu__branch_lp *lp, int flips)
{
    double gain = 0;
    int i;
    for (i = 0; i < flips; i++) {
        int j = lp->candidate[i];
        double range = lp->upper[j] - lp->lower[j];
        gain += fabs(lp->reduced[j]) * range;
        range = lp->x[j] == lp->upper[j] ? -range : range;
        lp->x[j] = range < 0 ? lp->lower[j] : lp->upper[j];
        lp->way[j] = -lp->way[j];
        combgpu__branch_lp_scatter(lp, j, range, lp->work);
    }
    if (!flips) return 0;
    combgpu__branch_lp_forward(lp, lp->work, lp->dual, lp->work, lp->dual);
    for (i = 0; i < lp->rows; i++)
        lp->x[lp->basis[i]] -= lp->dual[i];
    return gain;
}

/* Makes at most `limit` pivots from values that are up to date. ABOVE: the objective exceeds
   `cutoff`, or rises as far as one likes: then the row of place *ray, *ray_step times for each unit of the
   objective, goes to the dual values. */
COMBGPU__PRIVATE int combgpu__branch_lp_pivots(combgpu__branch_lp *lp, double cutoff, int limit,
                                               int *ray, double *ray_step)
{
    int anew = 0, i, k;
    combgpu__branch_lp_index(lp);
    if (!lp->factored && combgpu__branch_lp_factor(lp) != COMBGPU__FACTOR_FINE)
        return COMBGPU__LP_TROUBLE; /* a trial factored */
    combgpu__branch_lp_ways(lp);
    *ray = -1;
    for (; limit > 0; limit--) {
        int place = combgpu__branch_lp_leaving(lp), leaving, entering;
        double sign, bound, left, step, pivot;
        int flips;
        if (lp->objective > cutoff) return COMBGPU__LP_ABOVE;
        if (place < 0) return COMBGPU__LP_OPTIMAL;
        leaving = lp->basis[place];
        sign = lp->x[leaving] > lp->upper[leaving] ? 1 : -1;
        bound = sign > 0 ? lp->upper[leaving] : lp->lower[leaving];
        combgpu__branch_lp_unit(lp, place);
        combgpu__branch_lp_price(lp, lp->row);
        left = sign * (lp->x[leaving] - bound);
        entering = combgpu__branch_lp_entering(lp, sign, &flips, &left);
        if (entering < 0) { /* the dual ray raises the objective as far as one likes */
            *ray = place;
            *ray_step = sign / left;
            return COMBGPU__LP_ABOVE;
        }
        pivot = lp->alpha[entering];
        combgpu__branch_lp_scatter(lp, entering, 1, lp->work); /* which is 0 */
        combgpu__branch_lp_forward(lp, lp->work, lp->column, lp->rough ? lp->work : lp->row,
                                   lp->second);
        if (fabs(lp->column[place] - pivot) > 1e-7 * (1 + fabs(pivot))) {
            lp->factored = 0;
            if (anew++ > 3 || !combgpu__branch_lp_values(lp)) return COMBGPU__LP_TROUBLE;
            continue;
        }
        step = lp->reduced[entering] / pivot;
        lp->objective += combgpu__branch_lp_flip(lp, flips) + fabs(step) * left;
        for (k = 0; k < lp->columns; k++)
            lp->reduced[k] -= step * lp->alpha[k];
        for (k = 0; k < lp->rows; k++)
            lp->reduced[lp->column_room + k] -= step * lp->alpha[lp->column_room + k];
        lp->reduced[leaving] = -step;
        lp->reduced[entering] = 0;
        step = (lp->x[leaving] - bound) / lp->column[place];
        for (i = 0; i < lp->rows; i++)
            lp->x[lp->basis[i]] -= step * lp->column[i];
        lp->x[entering] += step;
        lp->x[leaving] = bound;
        lp->way[entering] = 0;
        lp->way[leaving] = lp->lower[leaving] == lp->upper[leaving] ? 0 : -sign;
        lp->pivots++;
        k = combgpu__branch_lp_enter(lp, entering, place);
        if (k == COMBGPU__FACTOR_FULL ||
            (k == COMBGPU__FACTOR_MENDED && !combgpu__branch_lp_values(lp)))
            return COMBGPU__LP_TROUBLE;
    }
    return COMBGPU__LP_LIMIT;
}

/* Makes at most `limit` pivots. ABOVE: the objective exceeds `cutoff`, or, if `force` is set, no values
   keep all bounds: then lp->dual gets the dual values. */
COMBGPU__PRIVATE int combgpu__branch_lp_solve(combgpu__branch_lp *lp, double cutoff, int limit,
                                              int force)
{
    int result, ray, k;
    double step = 0, rise;
    if (!combgpu__branch_lp_values(lp)) return COMBGPU__LP_TROUBLE;
    result = combgpu__branch_lp_pivots(lp, force ? HUGE_VAL : cutoff, limit, &ray, &step);
    if (result != COMBGPU__LP_ABOVE) return result;
    if (!combgpu__branch_lp_values(lp)) return COMBGPU__LP_TROUBLE;
    if (ray < 0) return lp->objective <= cutoff ? COMBGPU__LP_LIMIT : result;
    rise = cutoff > lp->objective ? (cutoff - lp->objective) * 1.5 : 0;
    if (force) rise += 10;
    combgpu__branch_lp_unit(lp, ray);
    for (k = 0; k < lp->rows; k++)
        lp->dual[k] += step * rise * lp->row[k];
    return result;
}
