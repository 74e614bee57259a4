/* The basis of the linear program as a product of sparse triangles, and what is solved with it. */

/* Most of a basis of tours is triangular but for the order: columns with one row that is left come
   first, then rows with one column that is left; what remains is eliminated column by column. Pivots
   since then multiply it from the right (the product form: G. B. Dantzig and W. Orchard-Hays, 1954).

   Steps k = 0, 1 ...: of the lower triangle, low_step lists the steps that have numbers other than the
   1 of the diagonal, in rows of later steps; those of the upper one are in rows of earlier steps. */

/* Lists the rows of a variable's column, each once, and returns their number. */
COMBGPU__PRIVATE int combgpu__branch_lp_rows_of(const combgpu__branch_lp *lp, int variable,
                                                int32_t *rows)
{
    int count = 2, k;
    if (variable >= lp->column_room) {
        rows[0] = variable - lp->column_room;
        return 1;
    }
    rows[0] = lp->ends[2 * variable];
    rows[1] = lp->ends[2 * variable + 1];
    for (k = lp->column_begin[variable]; k < lp->column_begin[variable + 1]; k++)
        if (rows[count - 1] != lp->column_row[k]) rows[count++] = lp->column_row[k];
    return count;
}

/* Takes a row and a place of the basis as the next step. */
COMBGPU__PRIVATE void combgpu__branch_factor_take(combgpu__branch_lp *lp, int step, int row,
                                                  int place)
{
    lp->step_row[step] = row;
    lp->step_place[step] = place;
    lp->step_of_row[row] = step;
    lp->done[place] = 1;
}

/* Takes columns with one row that is left, round by round from the last place on, since later
   variables depend on few others. Returns the number of steps. */
COMBGPU__PRIVATE int combgpu__branch_factor_columns(combgpu__branch_lp *lp)
{
    int32_t *rows = lp->queue;
    int step = 0, before = -1, place, k;
    for (place = 0; place < lp->rows; place++)
        if (lp->basis[place] >= lp->column_room)
            combgpu__branch_factor_take(lp, step++, lp->basis[place] - lp->column_room, place);
    while (step != before) {
        before = step;
        for (place = 0; place < lp->rows; place++) {
            int count, left = 0, row = -1;
            if (lp->done[place]) continue;
            count = combgpu__branch_lp_rows_of(lp, lp->basis[place], rows);
            for (k = 0; k < count && left < 2; k++)
                if (lp->step_of_row[rows[k]] < 0) {
                    left++;
                    row = rows[k];
                }
            if (left == 1) combgpu__branch_factor_take(lp, step++, row, place);
        }
    }
    return step;
}

/* Takes rows with one column that is left. Of each row, lp->count gets the number of such columns. */
COMBGPU__PRIVATE int combgpu__branch_factor_rows(combgpu__branch_lp *lp, int step)
{
    int32_t *sum = (int32_t *)(void *)lp->second, *rows = (int32_t *)(void *)lp->row;
    int32_t *count = lp->count, *queue = lp->queue; /* sum: of the columns' places */
    int head = 0, tail = 0, row, place, k, n;
    for (row = 0; row < lp->rows; row++)
        count[row] = sum[row] = 0;
    for (place = 0; place < lp->rows; place++) {
        if (lp->done[place]) continue;
        n = combgpu__branch_lp_rows_of(lp, lp->basis[place], rows);
        for (k = 0; k < n; k++) {
            count[rows[k]]++;
            sum[rows[k]] += place;
        }
    }
    for (row = 0; row < lp->rows; row++)
        if (lp->step_of_row[row] < 0 && count[row] == 1) queue[tail++] = row;
    while (head < tail) {
        row = queue[head++];
        if (count[row] != 1) continue;
        place = sum[row];
        combgpu__branch_factor_take(lp, step++, row, place);
        n = combgpu__branch_lp_rows_of(lp, lp->basis[place], rows);
        for (k = 0; k < n; k++) {
            count[rows[k]]--;
            sum[rows[k]] -= place;
            if (lp->step_of_row[rows[k]] < 0 && count[rows[k]] == 1) queue[tail++] = rows[k];
        }
    }
    return step;
}

/* Puts the other places into the order of their columns' rows that are left, the fewest first. */
COMBGPU__PRIVATE void combgpu__branch_factor_order(combgpu__branch_lp *lp, int step)
{
    int32_t *rows = (int32_t *)(void *)lp->row, *order = lp->step_place, *left = lp->queue;
    int first = step, place, at, k, n;
    for (place = 0; place < lp->rows; place++) {
        if (lp->done[place]) continue;
        n = combgpu__branch_lp_rows_of(lp, lp->basis[place], rows);
        for (left[place] = 0, k = 0; k < n; k++)
            left[place] += lp->step_of_row[rows[k]] < 0;
        for (at = step++; at > first && left[order[at - 1]] > left[place]; at--)
            order[at] = order[at - 1];
        order[at] = place;
    }
}

/* Stores a step that needs no elimination: its numbers go to the upper triangle, or below. */
COMBGPU__PRIVATE void combgpu__branch_factor_keep(combgpu__branch_lp *lp, int step, int *low,
                                                  int *high)
{
    int32_t *rows = lp->queue;
    int variable = lp->basis[lp->step_place[step]], own = lp->step_row[step], k;
    int count = combgpu__branch_lp_rows_of(lp, variable, rows);
    combgpu__branch_lp_scatter(lp, variable, 1, lp->work);
    lp->diagonal[step] = lp->work[own];
    for (k = 0; k < count; k++) {
        int row = rows[k], at = lp->step_of_row[row];
        if (row != own && at >= 0 && at < step) {
            lp->high_index[*high] = row;
            lp->high_value[(*high)++] = lp->work[row];
        } else if (row != own) {
            lp->low_index[*low] = row;
            lp->low_value[(*low)++] = lp->work[row] / lp->diagonal[step];
        }
        lp->work[row] = 0;
    }
}

/* Applies the lower triangle to a vector. */
COMBGPU__PRIVATE void combgpu__branch_factor_low(const combgpu__branch_lp *lp, double *vector)
{
    int q, e;
    for (q = 0; q < lp->low_steps; q++) {
        int step = lp->low_step[q];
        double x = vector[lp->step_row[step]];
        if (x == 0) continue;
        for (e = lp->low_begin[step]; e < lp->low_begin[step + 1]; e++)
            vector[lp->low_index[e]] -= lp->low_value[e] * x;
    }
}

/* Eliminates a step's column and chooses its row: of those with large numbers the one with the fewest
   columns. If there is none, the column depends on others, and a slack takes its place in the basis.
   Returns 0 in that case. */
COMBGPU__PRIVATE int combgpu__branch_factor_eliminate(combgpu__branch_lp *lp, int step, int *low,
                                                      int *high)
{
    int place = lp->step_place[step], chosen = -1, count = 0, row, k;
    int32_t *rows = lp->queue; /* that are left */
    double *w = lp->work, largest = 0;
    combgpu__branch_lp_scatter(lp, lp->basis[place], 1, w);
    combgpu__branch_factor_low(lp, w);
    for (row = 0; row < lp->rows; row++) {
        if (w[row] == 0) continue;
        if (fabs(w[row]) < 1e-13) {
            w[row] = 0;
        } else if (lp->step_of_row[row] >= 0) {
            lp->high_index[*high] = row;
            lp->high_value[(*high)++] = w[row];
            w[row] = 0;
        } else {
            rows[count++] = row;
            if (fabs(w[row]) > largest) largest = fabs(w[row]);
        }
    }
    for (k = 0; k < count && largest >= 1e-9; k++)
        if (fabs(w[rows[k]]) >= 0.1 * largest &&
            (chosen < 0 || lp->count[rows[k]] < lp->count[chosen]))
            chosen = rows[k];
    if (chosen >= 0) {
        lp->diagonal[step] = w[chosen];
        for (k = 0; k < count; k++)
            if (rows[k] != chosen) {
                lp->low_index[*low] = rows[k];
                lp->low_value[(*low)++] = w[rows[k]] / w[chosen];
            }
    }
    for (k = 0; k < count; k++)
        w[rows[k]] = 0;
    for (row = 0; chosen < 0 && lp->step_of_row[row] >= 0; row++) {
    }
    combgpu__branch_factor_take(lp, step, chosen < 0 ? row : chosen, place);
    if (chosen >= 0) return 1;
    *high = lp->high_begin[step];
    lp->diagonal[step] = 1;
    lp->place[lp->basis[place]] = -1;
    lp->basis[place] = lp->column_room + row;
    lp->place[lp->basis[place]] = place;
    lp->norm[place] = 1;
    return 0;
}

/* Lists the upper triangle by rows. */
COMBGPU__PRIVATE void combgpu__branch_factor_across(combgpu__branch_lp *lp)
{
    int32_t *begin = lp->across_begin;
    int rows = lp->rows, step, e;
    memset(begin, 0, (size_t)(rows + 1) * sizeof *begin);
    for (e = 0; e < lp->high_begin[rows]; e++)
        begin[lp->high_index[e]]++;
    for (e = 1; e <= rows; e++)
        begin[e] += begin[e - 1];
    for (step = rows - 1; step >= 0; step--)
        for (e = lp->high_begin[step]; e < lp->high_begin[step + 1]; e++) {
            int at = --begin[lp->high_index[e]];
            lp->across_place[at] = lp->step_place[step];
            lp->across_value[at] = lp->high_value[e];
        }
}

enum { COMBGPU__FACTOR_FINE, COMBGPU__FACTOR_MENDED, COMBGPU__FACTOR_FULL };

/* Factors the basis. MENDED: it was singular, and slacks have taken the places of some columns. */
COMBGPU__PRIVATE int combgpu__branch_lp_factor(combgpu__branch_lp *lp)
{
    int rows = lp->rows, low = 0, high = 0, result = COMBGPU__FACTOR_FINE, step, plain, k;
    combgpu__branch_lp_index(lp);
    lp->factors++;
    lp->changes = lp->low_steps = lp->factored = 0;
    lp->change_begin[0] = 0;
    for (k = 0; k < rows; k++) {
        lp->step_of_row[k] = -1;
        lp->done[k] = 0;
        lp->work[k] = 0;
    }
    plain = combgpu__branch_factor_rows(lp, combgpu__branch_factor_columns(lp));
    combgpu__branch_factor_order(lp, plain);
    for (step = 0; step < rows; step++) {
        if (low + rows > lp->factor_room || high + rows > lp->factor_room)
            return COMBGPU__FACTOR_FULL;
        lp->low_begin[step] = low;
        lp->high_begin[step] = high;
        if (step < plain)
            combgpu__branch_factor_keep(lp, step, &low, &high);
        else if (!combgpu__branch_factor_eliminate(lp, step, &low, &high))
            result = COMBGPU__FACTOR_MENDED;
        if (low > lp->low_begin[step]) lp->low_step[lp->low_steps++] = step;
        lp->low_begin[step + 1] = low;
        lp->high_begin[step + 1] = high;
    }
    combgpu__branch_factor_across(lp);
    lp->factored = 1;
    lp->factored_rows = rows;
    return result;
}

/* Sets `to`, by places, to inverse * vector, which becomes 0. */
COMBGPU__PRIVATE void combgpu__branch_lp_forward(const combgpu__branch_lp *lp, double *vector,
                                                 double *to)
{
    int k, e;
    combgpu__branch_factor_low(lp, vector);
    for (k = lp->rows - 1; k >= 0; k--) {
        double x = vector[lp->step_row[k]];
        to[lp->step_place[k]] = 0;
        if (x == 0) continue;
        vector[lp->step_row[k]] = 0;
        if (fabs(x) < 1e-14) continue;
        x /= lp->diagonal[k];
        to[lp->step_place[k]] = x;
        for (e = lp->high_begin[k]; e < lp->high_begin[k + 1]; e++)
            vector[lp->high_index[e]] -= lp->high_value[e] * x;
    }
    for (k = 0; k < lp->changes; k++) {
        double x = to[lp->change_place[k]];
        if (x == 0) continue;
        x /= lp->change_pivot[k];
        to[lp->change_place[k]] = x;
        for (e = lp->change_begin[k]; e < lp->change_begin[k + 1]; e++)
            to[lp->change_index[e]] -= lp->change_value[e] * x;
    }
}

/* Sets `to`, by rows, to vector * inverse, for the factored rows; the vector is lost. */
COMBGPU__PRIVATE void combgpu__branch_lp_backward(const combgpu__branch_lp *lp, double *vector,
                                                  double *to)
{
    int rows = lp->factored_rows, k, e;
    for (k = lp->changes - 1; k >= 0; k--) {
        double x = vector[lp->change_place[k]];
        for (e = lp->change_begin[k]; e < lp->change_begin[k + 1]; e++)
            x -= lp->change_value[e] * vector[lp->change_index[e]];
        vector[lp->change_place[k]] = x / lp->change_pivot[k];
    }
    for (k = 0; k < rows; k++) {
        double x = vector[lp->step_place[k]];
        int row = lp->step_row[k];
        if (x != 0) x /= lp->diagonal[k];
        to[row] = x;
        for (e = lp->across_begin[row]; x != 0 && e < lp->across_begin[row + 1]; e++)
            vector[lp->across_place[e]] -= lp->across_value[e] * x;
    }
    for (k = lp->low_steps - 1; k >= 0; k--) {
        int step = lp->low_step[k];
        double x = to[lp->step_row[step]];
        for (e = lp->low_begin[step]; e < lp->low_begin[step + 1]; e++)
            x -= lp->low_value[e] * to[lp->low_index[e]];
        to[lp->step_row[step]] = x;
    }
    for (k = 0; k < rows; k++)
        if (fabs(to[k]) < 1e-13) to[k] = 0;
}

/* Sets lp->row to the inverse's row of a place. */
COMBGPU__PRIVATE void combgpu__branch_lp_unit(combgpu__branch_lp *lp, int place)
{
    memset(lp->second, 0, (size_t)lp->rows * sizeof(double));
    lp->second[place] = 1;
    combgpu__branch_lp_backward(lp, lp->second, lp->row);
}

/* Sets lp->column to inverse * (the variable's column). */
COMBGPU__PRIVATE void combgpu__branch_lp_column(combgpu__branch_lp *lp, int variable)
{
    combgpu__branch_lp_scatter(lp, variable, 1, lp->work); /* which is 0 */
    combgpu__branch_lp_forward(lp, lp->work, lp->column);
}

/* Lets a variable, whose column is in lp->column, take a place of the basis; lp->row has the inverse's
   row. Norms follow J. J. Forrest and D. Goldfarb (1992). */
COMBGPU__PRIVATE int combgpu__branch_lp_enter(combgpu__branch_lp *lp, int variable, int place)
{
    const double *column = lp->column;
    double pivot = column[place], own = 0;
    int rows = lp->rows, at = lp->change_begin[lp->changes], i;
    for (i = 0; i < rows; i++)
        own += lp->row[i] * lp->row[i];
    memcpy(lp->work, lp->row, (size_t)rows * sizeof(double));
    combgpu__branch_lp_forward(lp, lp->work, lp->second);
    for (i = 0; i < rows; i++) {
        double ratio = column[i] / pivot, norm;
        if (i == place || fabs(column[i]) < 1e-13) continue;
        norm = lp->norm[i] - 2 * ratio * lp->second[i] + ratio * ratio * own;
        lp->norm[i] = norm < 1e-4 ? 1e-4 : norm;
        lp->change_index[at] = i;
        lp->change_value[at++] = column[i];
    }
    own /= pivot * pivot;
    lp->norm[place] = own < 1e-4 ? 1e-4 : own;
    lp->place[lp->basis[place]] = -1;
    lp->basis[place] = variable;
    lp->place[variable] = place;
    lp->change_place[lp->changes] = place;
    lp->change_pivot[lp->changes++] = pivot;
    lp->change_begin[lp->changes] = at;
    if (lp->changes < COMBGPU__LP_CHANGES && at + rows <= lp->change_room &&
        at <= 3 * (rows + lp->high_begin[rows]) + 2000)
        return COMBGPU__FACTOR_FINE;
    return combgpu__branch_lp_factor(lp);
}
