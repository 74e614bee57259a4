/* Rows and columns of the relaxation that come and go. */

/* Lists a cut's columns behind those of the cuts before it. Returns 0 if there is no room. */
COMBGPU__PRIVATE int combgpu__branch_lp_list(combgpu__branch_lp *lp, int row)
{
    int32_t *begin = lp->list_begin + 2 * (row - lp->nodes);
    int at = begin[0], below = 0, j;
    lp->listed = 0;                     /* its memory takes those below 0 */
    for (j = 0; j < lp->columns; j++) { /* a coefficient is -1 to 2 */
        int times = combgpu__branch_lp_coefficient(lp, row, lp->ends[2 * j], lp->ends[2 * j + 1]);
        if (at + below + 2 > lp->list_room) return 0;
        lp->list[at] = lp->list[at + 1] = lp->column_row[below] = (uint16_t)j;
        at += times > 0 ? times : 0;
        below += times < 0;
    }
    begin[1] = at;
    begin[2] = at + below;
    memcpy(lp->list + at, lp->column_row, (size_t)below * sizeof *lp->list);
    return 1;
}

/* Lists the columns of all cuts anew, after columns were added. Returns 0 if there is no room. */
COMBGPU__PRIVATE int combgpu__branch_lp_list_all(combgpu__branch_lp *lp)
{
    int row;
    for (row = lp->nodes; row < lp->rows; row++)
        if (!combgpu__branch_lp_list(lp, row)) return 0;
    return 1;
}

/* Nonzero if an earlier cut has the same columns, coefficients and right side as the one in row
   `lp->rows`. */
COMBGPU__PRIVATE int combgpu__branch_lp_known(const combgpu__branch_lp *lp)
{
    const int32_t *begin = lp->list_begin;
    int cuts = lp->rows - lp->nodes, own = 2 * cuts, count = begin[own + 2] - begin[own], i;
    for (i = own - 2; i >= 0; i -= 2)
        if (lp->right[lp->nodes + i / 2] == lp->right[lp->rows] &&
            begin[i + 2] - begin[i] == count &&
            !memcmp(lp->list + begin[i], lp->list + begin[own], (size_t)count * sizeof *lp->list))
            return 1;
    return 0;
}

/* Adds the cut whose sets, kind and right side are in row `lp->rows`. Returns 0 if it is there already
   or does not fit. */
COMBGPU__PRIVATE int combgpu__branch_lp_add(combgpu__branch_lp *lp)
{
    int row = lp->rows, slack = lp->column_room + row;
    if (!combgpu__branch_lp_list(lp, row) || combgpu__branch_lp_known(lp)) return 0;
    lp->norm[row] = 0; /* unknown: see combgpu__branch_lp_values */
    lp->rows++;
    lp->age[row - lp->nodes] = 0;
    lp->cost[slack] = lp->lower[slack] = lp->reduced[slack] = lp->x[slack] = 0;
    lp->upper[slack] = HUGE_VAL;
    lp->basis[row] = slack;
    lp->place[slack] = row;
    return 1;
}

/* Removes the cuts that are marked, by row - nodes; their slacks are basic. Others move up. */
COMBGPU__PRIVATE void combgpu__branch_lp_remove(combgpu__branch_lp *lp, const unsigned char *marked)
{
    int room = lp->column_room, nodes = lp->nodes, kept = 0, cut, i;
    int used = 0;
    for (cut = 0; cut < lp->rows - nodes; cut++) {
        int from = room + nodes + cut, to = room + nodes + kept, begin = lp->list_begin[2 * cut];
        int above = lp->list_begin[2 * cut + 1] - begin,
            count = lp->list_begin[2 * cut + 2] - begin;
        if (marked[cut]) {
            lp->basis[lp->place[from]] = -1;
            continue;
        }
        memmove(lp->list + used, lp->list + begin, (size_t)count * sizeof *lp->list);
        memmove(combgpu__branch_lp_sets(lp, nodes + kept), combgpu__branch_lp_sets(lp, nodes + cut),
                (size_t)nodes);
        lp->list_begin[2 * kept] = used;
        lp->list_begin[2 * kept + 1] = used + above;
        lp->kind[kept] = lp->kind[cut];
        lp->age[kept] = lp->age[cut];
        lp->right[nodes + kept] = lp->right[nodes + cut];
        lp->x[to] = lp->x[from];
        lp->reduced[to] = lp->reduced[from];
        lp->place[to] = lp->place[from];
        if (lp->place[to] >= 0) lp->basis[lp->place[to]] = to;
        used += count;
        kept++;
    }
    lp->list_begin[2 * kept] = used;
    for (i = 0, cut = 0; i < lp->rows; i++) {
        if (lp->basis[i] < 0) continue;
        lp->norm[cut] = lp->norm[i];
        lp->basis[cut] = lp->basis[i];
        lp->place[lp->basis[cut]] = cut;
        cut++;
    }
    lp->rows = nodes + kept;
    lp->listed = lp->factored = 0;
}

/* Removes columns that are not basic and fixed at 0, or at 0 with a reduced cost above `most`. */
COMBGPU__PRIVATE void combgpu__branch_lp_compact(combgpu__branch_lp *lp, double most)
{
    int32_t *place = lp->column_begin; /* of each column, or -1 */
    int kept = 0, used = 0, j, part, k = 0;
    for (j = 0; j < lp->columns; j++) {
        place[j] = -1;
        if (lp->place[j] < 0 && (lp->upper[j] == 0 || (lp->x[j] == 0 && lp->reduced[j] > most)))
            continue;
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
        place[j] = kept++;
    }
    lp->columns = kept;
    for (part = 1; part <= 2 * (lp->rows - lp->nodes); part++) {
        for (; k < lp->list_begin[part]; k++)
            if (place[lp->list[k]] >= 0) lp->list[used++] = (uint16_t)place[lp->list[k]];
        lp->list_begin[part] = used;
    }
    lp->listed = 0;
}
