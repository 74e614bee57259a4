/* The basis of the linear program as a product of sparse triangles, and what is solved with it. */

/* Much of a basis of tours is triangular but for the order: slacks come first, then rows with one column
   that is left; what remains is eliminated column by column. Pivots since then multiply it from the right
   (the product form: G. B. Dantzig and W. Orchard-Hays, 1954).

   Steps k = 0, 1 ...: of the lower triangle, low_row lists the rows of those that have numbers other than
   the 1 of the diagonal, in rows of later steps; those of the upper one are in rows of earlier steps. */

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
    for (k = lp->column_begin[variable]; k < lp->column_begin[variable + 1]; k++) {
        int row = lp->column_row[k] & ~COMBGPU__LP_MINUS;
        if (rows[count - 1] != row) rows[count++] = row;
    }
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

/* Takes slacks, then rows with one column that is left. Of each row, lp->count gets the number of such columns. */
COMBGPU__PRIVATE int combgpu__branch_factor_rows(combgpu__branch_lp *lp)
{
    int32_t *sum = (int32_t *)(void *)lp->second, *rows = (int32_t *)(void *)lp->row;
    int32_t *count = lp->count, *queue = lp->queue; /* sum: of the columns' places */
    int step = 0, head = 0, tail = 0, row, place, k, n;
    for (place = 0; place < lp->rows; place++) {
        count[place] = sum[place] = 0;
        if (lp->basis[place] >= lp->column_room)
            combgpu__branch_factor_take(lp, step++, lp->basis[place] - lp->column_room, place);
    }
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

/* Subtracts a and b times the values of a part of a list from the pairs that these are about. */
COMBGPU__PRIVATE void combgpu__branch_pairs(double a, double b, const int32_t *begin,
                                            const int32_t *index, const double *value,
                                            double *pairs)
{
    int e;
    for (e = begin[0]; e < begin[1]; e++) {
        double *pair = pairs + 2 * index[e], p = pair[0] - value[e] * a, q = pair[1] - value[e] * b;
        pair[0] = p;
        pair[1] = q;
    }
}

/* Eliminates a step's column and chooses its row: of those with large numbers the one with the fewest
   columns. If there is none, the column depends on others, and a slack takes its place in the basis.
   Returns 0 in that case. */
COMBGPU__PRIVATE int combgpu__branch_factor_eliminate(combgpu__branch_lp *lp, int step, int *low,
                                                      int *high)
{
    int place = lp->step_place[step], chosen = -1, count = 0, row, at, k;
    int32_t *rows = lp->queue, *seen = lp->candidate; /* at the end, rows that are left */
    double *w = lp->work, largest = 0;
    int used = combgpu__branch_lp_rows_of(lp, lp->basis[place], rows);
    combgpu__branch_lp_scatter(lp, lp->basis[place], 1, w);
    for (k = 0; k < used; k++)
        seen[rows[k]] = step;
    for (k = 0; k < lp->low_steps; k++) { /* the lower triangle, which fills rows, too */
        double x = w[lp->low_row[k]];
        if (x == 0) continue;
        for (at = lp->low_begin[k]; at < lp->low_begin[k + 1]; at++) {
            row = rows[used] = lp->low_index[at];
            used += seen[row] != step;
            seen[row] = step;
            w[row] -= lp->low_value[at] * x;
        }
    }
    for (k = 0; k < used; k++) {
        row = rows[k];
        if (fabs(w[row]) < 1e-13) {
            w[row] = 0;
        } else if (lp->step_of_row[row] >= 0) {
            lp->high_index[*high] = row;
            lp->high_value[(*high)++] = w[row];
            w[row] = 0;
        } else {
            for (at = count++; at > 0 && rows[at - 1] > row; at--)
                rows[at] = rows[at - 1];
            rows[at] = row;
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
    lp->low_begin[0] = lp->high_begin[0] = 0;
    for (k = 0; k < rows; k++) {
        lp->step_of_row[k] = lp->candidate[k] = -1;
        lp->done[k] = 0;
        lp->work[k] = 0;
    }
    plain = combgpu__branch_factor_rows(lp);
    combgpu__branch_factor_order(lp, plain);
    for (step = 0; step < rows; step++) {
        if (low + rows > lp->factor_room || high + rows > lp->factor_room)
            return COMBGPU__FACTOR_FULL;
        if (step < plain)
            combgpu__branch_factor_keep(lp, step, &low, &high);
        else if (!combgpu__branch_factor_eliminate(lp, step, &low, &high))
            result = COMBGPU__FACTOR_MENDED;
        if (low > lp->low_begin[lp->low_steps]) lp->low_row[lp->low_steps++] = lp->step_row[step];
        lp->low_begin[lp->low_steps] = low;
        lp->high_begin[step + 1] = high;
    }
    combgpu__branch_factor_across(lp);
    lp->factored = 1;
    lp->factored_rows = rows;
    return result;
}

/* Sets `to` and `too`, by places, to inverse * vector, which becomes 0, and inverse * other: in pairs,
   so that the factors are read once, and compilers take vectors of two numbers. */
COMBGPU__PRIVATE void combgpu__branch_lp_forward(const combgpu__branch_lp *lp, double *vector,
                                                 double *to, const double *other, double *too)
{
    double *from = lp->work + lp->row_room, *at = from + 2 * lp->row_room;
    int k, e;
    for (k = 0; k < lp->rows; k++) {
        from[2 * k] = vector[k];
        from[2 * k + 1] = other[k];
        vector[k] = 0;
    }
    for (k = 0; k < lp->low_steps; k++) {
        const double *x = from + 2 * lp->low_row[k];
        if (x[0] != 0 || x[1] != 0)
            combgpu__branch_pairs(x[0], x[1], lp->low_begin + k, lp->low_index, lp->low_value,
                                  from);
    }
    for (k = lp->rows - 1; k >= 0; k--) {
        double *v = from + 2 * lp->step_row[k], *x = at + 2 * lp->step_place[k];
        double d = lp->diagonal[k], a = v[0] / d, b = v[1] / d;
        x[0] = a;
        x[1] = b;
        if ((fabs(v[0]) < 1e-14) + (fabs(v[1]) < 1e-14) != (v[0] == 0) + (v[1] == 0)) {
            v[0] *= fabs(v[0]) >= 1e-14; /* seldom needed: what rounding left */
            v[1] *= fabs(v[1]) >= 1e-14;
            k++;
        } else if (v[0] != 0 || v[1] != 0)
            combgpu__branch_pairs(a, b, lp->high_begin + k, lp->high_index, lp->high_value, from);
    }
    for (k = 0; k < lp->changes; k++) {
        double *x = at + 2 * lp->change_place[k];
        const double *change = lp->change_value + k * lp->row_room;
        const int32_t *index = lp->change_index + k * lp->row_room;
        double pivot = lp->change_pivot[k], a, b;
        if (x[0] == 0 && x[1] == 0) continue;
        a = x[0] / pivot;
        b = x[1] / pivot;
        x[0] = a;
        x[1] = b;
        for (e = 0; e < lp->change_count[k]; e++) {
            double *pair = at + 2 * index[e], v = change[index[e]];
            double p = pair[0] - v * a, q = pair[1] - v * b;
            pair[0] = p;
            pair[1] = q;
        }
    }
    for (k = 0; k < lp->rows; k++) {
        to[k] = at[2 * k];
        too[k] = at[2 * k + 1];
    }
}

/* Sets `to`, by rows, to vector * inverse, for the factored rows; the vector is lost. */
COMBGPU__PRIVATE void combgpu__branch_lp_backward(const combgpu__branch_lp *lp, double *vector,
                                                  double *to)
{
    int32_t *list = lp->queue; /* the vector's places other than 0, often few */
    int rows = lp->factored_rows, count = 0, k, e;
    for (k = 0; k < rows; k++) {
        list[count] = k;
        count += vector[k] != 0;
    }
    for (k = lp->changes - 1; k >= 0; k--) {
        const double *change = lp->change_value + k * lp->row_room;
        int place = lp->change_place[k];
        double x = vector[place];
        for (e = 0; e < count; e++)
            x -= change[list[e]] * vector[list[e]];
        vector[place] = x / lp->change_pivot[k];
        for (e = count; e > 0 && list[e - 1] >= place; e--) {
        }
        if (x == 0 || (e < count && list[e] == place)) continue;
        memmove(list + e + 1, list + e, (size_t)(count++ - e) * sizeof *list);
        list[e] = place;
    }
    for (k = 0; k < rows; k++) {
        double x = vector[lp->step_place[k]];
        int row = lp->step_row[k];
        to[row] = 0;
        if (x == 0) continue;
        to[row] = x /= lp->diagonal[k];
        for (e = lp->across_begin[row]; e < lp->across_begin[row + 1]; e++)
            vector[lp->across_place[e]] -= lp->across_value[e] * x;
    }
    for (k = lp->low_steps - 1; k >= 0; k--) {
        double x = to[lp->low_row[k]];
        for (e = lp->low_begin[k]; e < lp->low_begin[k + 1]; e++)
            x -= lp->low_value[e] * to[lp->low_index[e]];
        to[lp->low_row[k]] = x;
    }
    for (k = 0; k < rows; k++)
        to[k] = fabs(to[k]) < 1e-13 ? 0 : to[k];
}

/* Sets lp->row to the inverse's row of a place. */
COMBGPU__PRIVATE void combgpu__branch_lp_unit(combgpu__branch_lp *lp, int place)
{
    memset(lp->second, 0, (size_t)lp->rows * sizeof(double));
    lp->second[place] = 1;
    combgpu__branch_lp_backward(lp, lp->second, lp->row);
}

/* Lets a variable take a place of the basis. lp->column is inverse * (its column), lp->row the inverse's
   row, lp->second inverse * lp->row. Norms follow J. J. Forrest and D. Goldfarb (1992). */
COMBGPU__PRIVATE int combgpu__branch_lp_enter(combgpu__branch_lp *lp, int variable, int place)
{
    const double *column = lp->column;
    double *change = lp->change_value + lp->changes * lp->row_room;
    int32_t *index = lp->change_index + lp->changes * lp->row_room;
    double pivot = column[place], own = 0;
    int rows = lp->rows, count = 0, i;
    for (i = 0; i < rows; i++)
        own += lp->row[i] * lp->row[i];
    for (i = 0; i < rows; i++) {
        double value = fabs(column[i]) < 1e-13 ? 0 : column[i], ratio = value / pivot;
        double norm =
            lp->norm[i] - (lp->rough ? 0 : 2 * ratio * lp->second[i]) + ratio * ratio * own;
        lp->norm[i] = norm < 1e-4 ? 1e-4 : norm;
        change[i] = value;
    }
    change[place] = 0;
    for (i = 0; i < rows; i++) {
        index[count] = i;
        count += change[i] != 0;
    }
    own /= pivot * pivot;
    lp->norm[place] = own < 1e-4 ? 1e-4 : own;
    lp->place[lp->basis[place]] = -1;
    lp->basis[place] = variable;
    lp->place[variable] = place;
    lp->change_place[lp->changes] = place;
    lp->change_count[lp->changes] = count;
    lp->change_pivot[lp->changes++] = pivot;
    if (lp->changes < COMBGPU__LP_CHANGES) return COMBGPU__FACTOR_FINE;
    return combgpu__branch_lp_factor(lp);
}
