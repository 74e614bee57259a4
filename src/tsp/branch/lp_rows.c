/* Rows and columns of the relaxation that come and go. */

/* Adds a cut, whose coefficients are in the row `lp->rows` of lp->count. */
COMBGPU__PRIVATE void combgpu__branch_lp_add(combgpu__branch_lp *lp, double right)
{
    int row = lp->rows++, slack = lp->column_room + row, i, j, k, count = 0;
    const unsigned char *coefficient = combgpu__branch_lp_count(lp, row);
    uint16_t *list = combgpu__branch_lp_list(lp, row);
    double *own = combgpu__branch_lp_row(lp, row);
    for (j = 0; j < lp->columns; j++)
        for (k = 0; k < coefficient[j]; k++)
            list[count++] = (uint16_t)j;
    lp->list_count[row] = count;
    for (k = 0; k < row; k++)
        own[k] = combgpu__branch_lp_row(lp, k)[row] = 0;
    for (i = 0; i < row; i++) {
        const double *from = combgpu__branch_lp_row(lp, i);
        int c = lp->basis[i] < lp->columns ? coefficient[lp->basis[i]] : 0;
        for (k = 0; c && k < row; k++)
            own[k] -= c * from[k];
    }
    own[row] = lp->norm[row] = 1;
    for (k = 0; k < row; k++)
        lp->norm[row] += own[k] * own[k];
    lp->right[row] = right;
    lp->age[row] = 0;
    lp->cost[slack] = lp->lower[slack] = lp->reduced[slack] = lp->x[slack] = 0;
    lp->upper[slack] = HUGE_VAL;
    lp->basis[row] = slack;
    lp->place[slack] = row;
}

/* Removes a cut whose slack is basic: the last cut takes its row, and the last place of the basis
   that of its slack. */
COMBGPU__PRIVATE void combgpu__branch_lp_remove(combgpu__branch_lp *lp, int row)
{
    int last = --lp->rows, room = lp->column_room, place = lp->place[room + row], i;
    if (place != last) {
        memcpy(combgpu__branch_lp_row(lp, place), combgpu__branch_lp_row(lp, last),
               (size_t)(last + 1) * sizeof(double));
        lp->norm[place] = lp->norm[last];
        lp->basis[place] = lp->basis[last];
        lp->place[lp->basis[place]] = place;
    }
    if (row == last) return;
    for (i = 0; i < last; i++)
        combgpu__branch_lp_row(lp, i)[row] = combgpu__branch_lp_row(lp, i)[last];
    memcpy(combgpu__branch_lp_count(lp, row), combgpu__branch_lp_count(lp, last),
           (size_t)lp->columns);
    memcpy(combgpu__branch_lp_list(lp, row), combgpu__branch_lp_list(lp, last),
           (size_t)lp->list_count[last] * sizeof(uint16_t));
    lp->list_count[row] = lp->list_count[last];
    lp->right[row] = lp->right[last];
    lp->age[row] = lp->age[last];
    lp->x[room + row] = lp->x[room + last];
    lp->reduced[room + row] = lp->reduced[room + last];
    lp->place[room + row] = lp->place[room + last];
    if (lp->place[room + row] >= 0) lp->basis[lp->place[room + row]] = room + row;
}

/* Removes columns that are fixed at 0 and not basic. */
COMBGPU__PRIVATE void combgpu__branch_lp_compact(combgpu__branch_lp *lp)
{
    int kept = 0, j, row;
    for (j = 0; j < lp->columns; j++) {
        if (lp->upper[j] == 0 && lp->place[j] < 0) continue;
        lp->ends[2 * kept] = lp->ends[2 * j];
        lp->ends[2 * kept + 1] = lp->ends[2 * j + 1];
        lp->edge[kept] = lp->edge[j];
        lp->cost[kept] = lp->cost[j];
        lp->exact[kept] = lp->exact[j];
        lp->lower[kept] = lp->lower[j];
        lp->upper[kept] = lp->upper[j];
        lp->x[kept] = lp->x[j];
        lp->reduced[kept] = lp->reduced[j];
        lp->place[kept] = lp->place[j];
        if (lp->place[kept] >= 0) lp->basis[lp->place[kept]] = kept;
        for (row = lp->nodes; row < lp->rows; row++)
            combgpu__branch_lp_count(lp, row)[kept] = combgpu__branch_lp_count(lp, row)[j];
        kept++;
    }
    lp->columns = kept;
    for (row = lp->nodes; row < lp->rows; row++) {
        const unsigned char *coefficient = combgpu__branch_lp_count(lp, row);
        uint16_t *list = combgpu__branch_lp_list(lp, row);
        int count = 0, k;
        for (j = 0; j < kept; j++)
            for (k = 0; k < coefficient[j]; k++)
                list[count++] = (uint16_t)j;
        lp->list_count[row] = count;
    }
}
