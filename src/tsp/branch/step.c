/* The steps of branch and cut. */

/* Nonzero if the tree is too large, by the part that is done. Of many cities a tree of 1-trees is larger
   still. */
COMBGPU__PRIVATE int combgpu__branch_cut_hopeless(const combgpu__branch_cuts *cut)
{
    double pivots = (double)cut->lp.pivots + COMBGPU__CUT_STEP * (double)cut->steps;
    return cut->lp.nodes <= COMBGPU__CUT_MANY && pivots > COMBGPU__CUT_PATIENCE &&
           pivots > cut->done / cut->whole * 50 * COMBGPU__CUT_PATIENCE;
}

/* Sets the bounds of the linear program by the node's marks. Returns the number of edges whose value
   they change. */
COMBGPU__PRIVATE int combgpu__branch_cut_bounds(combgpu__branch_cuts *cut)
{
    combgpu__branch_lp *lp = &cut->lp;
    int changed = 0, j;
    for (j = 0; j < lp->columns; j++) {
        unsigned char mark = cut->work->marks[lp->edge[j]];
        lp->lower[j] = mark == COMBGPU__EDGE_FORCED;
        lp->upper[j] = mark != COMBGPU__EDGE_FORBIDDEN;
        changed += lp->x[j] < lp->lower[j] - 1e-6 || lp->x[j] > lp->upper[j] + 1e-6;
    }
    return changed;
}

COMBGPU__PRIVATE void combgpu__branch_cut_close(combgpu__branch_cuts *cut)
{
    cut->loaded = 0;
    cut->done += ldexp(1, -cut->depth);
}

/* Takes the next open node. Returns 0 if there is none. */
COMBGPU__PRIVATE int combgpu__branch_cut_load(combgpu__branch_cuts *cut)
{
    combgpu__branch_work *work = cut->work;
    while (cut->open_count) {
        const combgpu__branch_cut_branch *next = cut->open + --cut->open_count;
        int i, fine = 1;
        cut->depth = next->depth;
        cut->path[next->depth] = *next;
        memcpy(work->marks, cut->marks, (size_t)cut->folded.edges);
        for (i = 1; i <= cut->depth; i++) {
            unsigned char *mark = work->marks + cut->path[i].edge;
            fine &= *mark == COMBGPU__EDGE_FREE || *mark == cut->path[i].mark;
            *mark = cut->path[i].mark;
        }
        cut->nodes++;
        if (!fine || !combgpu__branch_restore(work)) {
            combgpu__branch_cut_close(cut);
            continue;
        }
        combgpu__branch_cut_bounds(cut);
        cut->loaded = 1;
        cut->rounds = cut->force = 0;
        return 1;
    }
    return 0;
}

/* Ages the cuts whose slack is basic and removes the old ones. */
COMBGPU__PRIVATE void combgpu__branch_cut_purge(combgpu__branch_cuts *cut)
{
    combgpu__branch_lp *lp = &cut->lp;
    int most = lp->rows > lp->row_room - 60 ? 0 : COMBGPU__CUT_AGE, old = 0, i;
    for (i = 0; i < lp->rows - lp->nodes; i++) {
        int slack = lp->column_room + lp->nodes + i;
        lp->age[i] = lp->place[slack] >= 0 && lp->x[slack] > 1e-4 ? lp->age[i] + 1 : 0;
        cut->purged[i] = lp->age[i] > most;
        old |= cut->purged[i];
    }
    if (old) combgpu__branch_lp_remove(lp, cut->purged);
}

/* Takes the point, whose values are whole, as a tour; returns its length, or infinity if it is none. */
COMBGPU__PRIVATE int64_t combgpu__branch_cut_tour(combgpu__branch_cuts *cut)
{
    const combgpu__branch_lp *lp = &cut->lp;
    combgpu__branch_work *work = cut->work;
    const combgpu__branch_graph *graph = &cut->folded;
    int32_t(*next)[2] = (int32_t(*)[2])(void *)work->spare;
    int i, j;
    int64_t length = 0;
    for (i = 0; i < graph->nodes; i++)
        next[i][0] = next[i][1] = -1;
    for (j = 0; j < lp->columns; j++) {
        int u = lp->ends[2 * j], v = lp->ends[2 * j + 1];
        if (lp->x[j] < 0.5) continue;
        if (next[u][1] >= 0 || next[v][1] >= 0) return COMBGPU__BRANCH_INFINITE;
        next[u][next[u][0] >= 0] = v;
        next[v][next[v][0] >= 0] = u;
        length += cut->plain[lp->edge[j]];
    }
    for (i = 0; i < graph->nodes; i++)
        if (next[i][1] < 0) return COMBGPU__BRANCH_INFINITE;
    return combgpu__branch_walk(graph, next, work->tour) ? length : COMBGPU__BRANCH_INFINITE;
}

/* Returns the column of an edge in question, or -1: there is one tour. */
COMBGPU__PRIVATE int combgpu__branch_cut_free(const combgpu__branch_cuts *cut)
{
    int j;
    for (j = 0; j < cut->lp.columns; j++)
        if (cut->work->marks[cut->lp.edge[j]] == COMBGPU__EDGE_FREE) return j;
    return -1;
}

/* Opens the two children of a node. Returns 0 if it is too deep. */
COMBGPU__PRIVATE int combgpu__branch_cut_divide(combgpu__branch_cuts *cut, int column)
{
    int mark;
    if (column < 0 || cut->depth == COMBGPU__CUT_DEPTH) return 0;
    for (mark = COMBGPU__EDGE_FORBIDDEN; mark <= COMBGPU__EDGE_FORCED; mark++) {
        combgpu__branch_cut_branch *child = cut->open + cut->open_count++;
        child->edge = cut->lp.edge[column];
        child->depth = cut->depth + 1;
        child->bound = cut->path[cut->depth].bound;
        child->mark = (unsigned char)mark;
    }
    cut->loaded = 0;
    return 1;
}

/* Nonzero if more cuts are worth a round: the objective still rises, or is below the bound that is
   known, as while the towns of a map are tours of their own. */
COMBGPU__PRIVATE int combgpu__branch_cut_rises(combgpu__branch_cuts *cut, double cutoff)
{
    int back = cut->depth && cut->lp.nodes <= COMBGPU__CUT_LARGE ? 1 : 5, k;
    double least = cut->depth ? 10 : 1;
    int rises = cut->rounds < back || cut->lp.objective - cut->history[back - 1] > least ||
                (cut->rounds < COMBGPU__CUT_ROUNDS && !cut->depth &&
                 cut->lp.objective < cutoff - COMBGPU__CUT_GAP);
    for (k = 4; k > 0; k--)
        cut->history[k] = cut->history[k - 1];
    cut->history[0] = cut->lp.objective;
    cut->rounds++;
    return rises;
}

/* Adds cuts and returns their number. Those of sequences, which make the program slower, pay only near the
   root. */
COMBGPU__PRIVATE int combgpu__branch_cut_more(combgpu__branch_cuts *cut)
{
    int added = combgpu__branch_cut_separate(&cut->support);
    if (cut->folded.directed && cut->depth < COMBGPU__CUT_SEQUENCES && added < 3)
        added += combgpu__branch_cut_sequences(&cut->support);
    return added;
}

/* The gap at the root; where it is large, the relaxation does not help. */
COMBGPU__PRIVATE int64_t combgpu__branch_cut_gap(const combgpu__branch_cuts *cut, int64_t length)
{
    return length - (cut->proven > cut->folded.bound ? cut->proven : cut->folded.bound);
}

/* Nonzero if the gap that is left is less than the noise and the tolerances of the linear program. */
COMBGPU__PRIVATE int combgpu__branch_cut_coarse(const combgpu__branch_cuts *cut, int64_t length)
{
    int64_t gap = length - cut->proven;
    return gap >= cut->folded.grain && (double)gap * COMBGPU__CUT_FINER < cut->unit;
}

/* Begins anew, in a finer unit and with the multipliers and marks of the root's relaxation, after
   that has closed most of the gap: where cities lie in towns far apart, the ascent may have left a
   gap in which the towns are points. */
COMBGPU__PRIVATE void combgpu__branch_cut_refine(combgpu__branch_cuts *cut, int64_t length)
{
    combgpu__branch_graph graph = cut->folded;
    graph.weights = (int64_t *)cut->plain; /* read only */
    graph.marks = cut->marks;
    graph.bound = cut->proven;
    graph.length = length;
    memcpy(cut->multipliers, cut->work->multipliers,
           (size_t)graph.nodes * sizeof *cut->multipliers);
    graph.multipliers = cut->multipliers;
    combgpu__branch_cut_begin(cut, &graph, cut + 1);
    cut->loaded = 0;
}

/* The least proven bound of the open nodes; `length` if there are none. */
COMBGPU__PRIVATE int64_t combgpu__branch_cut_least(const combgpu__branch_cuts *cut, int64_t length)
{
    int i;
    if (cut->loaded && cut->path[cut->depth].bound < length) length = cut->path[cut->depth].bound;
    for (i = 0; i < cut->open_count; i++)
        if (cut->open[i].bound < length) length = cut->open[i].bound;
    return length;
}

/* Works on: some pivots, and what follows. *length is that of the best
   tour; a shorter one is left in cut->work. */
COMBGPU__PRIVATE int combgpu__branch_cut_step(combgpu__branch_cuts *cut, int64_t *length)
{
    combgpu__branch_lp *lp = &cut->lp;
    double cutoff = combgpu__branch_cut_cutoff(cut, *length);
    combgpu__branch_cut_proof proof;
    int64_t found;
    int result, column;
    if (cut->labels && !cut->labels->over) {
        result = combgpu__branch_label_step(cut->labels, cut->work, length);
        if (result != COMBGPU__CUT_GIVES_UP) return result;
        cut->labels->over = 1;
    }
    cut->steps++;
    if (combgpu__branch_cut_hopeless(cut)) return COMBGPU__CUT_GIVES_UP;
    if (!cut->loaded && !combgpu__branch_cut_load(cut)) return COMBGPU__CUT_PROVEN;
    result = combgpu__branch_lp_solve(lp, cutoff, COMBGPU__CUT_ROUND, cut->force);
    if (result == COMBGPU__LP_LIMIT) return COMBGPU__CUT_GOES_ON;
    if (result == COMBGPU__LP_TROUBLE) return COMBGPU__CUT_GIVES_UP;
    if (result == COMBGPU__LP_ABOVE) {
        switch (combgpu__branch_cut_prove(cut, *length)) {
        case COMBGPU__CUT_CLOSED:
            combgpu__branch_cut_close(cut);
            break;
        case COMBGPU__CUT_PRICED:
            cut->rounds = 0;
            break;
        case COMBGPU__CUT_FULL:
            return COMBGPU__CUT_GIVES_UP;
        default:
            if (cut->force++) return COMBGPU__CUT_GIVES_UP;
            combgpu__branch_cut_bounds(cut);
        }
        return COMBGPU__CUT_GOES_ON;
    }
    combgpu__branch_cut_purge(cut);
    if (combgpu__branch_cut_rises(cut, cutoff) && combgpu__branch_cut_more(cut))
        return COMBGPU__CUT_GOES_ON;
    combgpu__branch_lp_values(lp);
    combgpu__branch_lp_exact_duals(lp);
    proof = combgpu__branch_cut_prove(cut, *length);
    if (proof == COMBGPU__CUT_FULL) return COMBGPU__CUT_GIVES_UP;
    if (proof != COMBGPU__CUT_OPEN) {
        if (proof == COMBGPU__CUT_CLOSED) combgpu__branch_cut_close(cut);
        cut->rounds = 0;
        return COMBGPU__CUT_GOES_ON;
    }
    if (!cut->depth) {
        memcpy(cut->marks, cut->work->marks, (size_t)cut->folded.edges);
        if (combgpu__branch_cut_coarse(cut, *length)) {
            combgpu__branch_cut_refine(cut, *length);
            return COMBGPU__CUT_GOES_ON;
        }
        if (combgpu__branch_cut_gap(cut, *length) > *length / 12) return COMBGPU__CUT_GIVES_UP;
        if (combgpu__branch_cut_bounds(cut)) return COMBGPU__CUT_GOES_ON;
        combgpu__branch_lp_compact(lp, HUGE_VAL);
    } else if (combgpu__branch_cut_bounds(cut))
        return COMBGPU__CUT_GOES_ON;
    column = combgpu__branch_cut_choose(cut, cutoff);
    if (column < 0) { /* whole numbers */
        if (combgpu__branch_cut_more(cut)) return COMBGPU__CUT_GOES_ON;
        found = combgpu__branch_cut_tour(cut);
        if (found < *length) {
            *length = found;
            return COMBGPU__CUT_GOES_ON;
        }
        column = combgpu__branch_cut_free(cut);
        if (column < 0) {
            combgpu__branch_cut_close(cut);
            return COMBGPU__CUT_GOES_ON;
        }
    }
    return combgpu__branch_cut_divide(cut, column) ? COMBGPU__CUT_GOES_ON : COMBGPU__CUT_GIVES_UP;
}
