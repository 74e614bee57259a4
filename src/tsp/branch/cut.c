/* Branch and cut: the search tree of linear relaxations, every bound proven by a 1-tree.

   A node's relaxation gets cuts as long as they raise its bound. Its dual values, rounded to whole
   units, become multipliers of the nodes and of the cuts; a cut's multiplier, times its coefficient,
   is added to the weights of its edges. The minimum 1-tree under these weights, less the cuts'
   right sides, is a bound in whole numbers, at least as good as the relaxation's but for rounding,
   and it fixes edges as it does elsewhere. So no decision rests on rounded arithmetic. */

#define COMBGPU__CUT_DEPTH 250
#define COMBGPU__CUT_ROUND 200 /* pivots between two looks at the budget */
#define COMBGPU__CUT_PIVOT 10  /* 1-trees that take as long as a pivot */
#define COMBGPU__CUT_STEP 20   /* pivots that take as long as the rest of a step */
#define COMBGPU__CUT_EDGES 8192
#define COMBGPU__CUT_RESUMED 5000000  /* steps after which a resumed search does without it */
#define COMBGPU__CUT_PATIENCE 20000.0 /* pivots before the size of the tree is estimated */
#define COMBGPU__CUT_CANDIDATES 8     /* edges tried to branch on */
#define COMBGPU__CUT_TRIAL 30         /* pivots of a trial */
#define COMBGPU__CUT_AGE 5            /* rounds for which a slack cut stays */
#define COMBGPU__CUT_SEQUENCES 3      /* depth from which on there are no cuts of sequences */
#define COMBGPU__CUT_ROUNDS 100       /* of cuts at the root below the known bound */
#define COMBGPU__CUT_FINER 2.0        /* gaps per unit from which on the unit gets finer */
#define COMBGPU__CUT_GAP 1000.0       /* the root's gap, in units of the linear program */

typedef struct combgpu__branch_cut_branch {
    int32_t edge, depth;
    unsigned char mark;
} combgpu__branch_cut_branch;

typedef struct combgpu__branch_cuts {
    combgpu__branch_lp lp;
    combgpu__branch_support support;
    combgpu__branch_graph folded; /* the graph, with multipliers of cuts in its weights */
    combgpu__branch_work *work;
    int64_t *multipliers; /* of the root, which are in the costs */
    int64_t *cut_multipliers;
    const int64_t *plain;  /* weights of the graph */
    unsigned char *marks;  /* of the root */
    char *saved;           /* state of the linear program */
    unsigned char *purged; /* cuts to be removed */
    double unit;           /* of the linear program, in the graph's units */
    int64_t constant;      /* a tour's cost in the program is its length plus this, in units */
    combgpu__branch_cut_branch path[COMBGPU__CUT_DEPTH + 1], open[2 * COMBGPU__CUT_DEPTH + 4];
    int depth, open_count;
    int loaded, rounds, force; /* force: no cutoff */
    double history[5];         /* objectives of the last rounds */
    double done;               /* part of the search tree */
    int64_t proven;            /* bound of the root */
    int outcome;
    uint64_t nodes, steps, pivots; /* pivots: counted as steps so far */
} combgpu__branch_cuts;

enum { COMBGPU__CUT_GOES_ON, COMBGPU__CUT_PROVEN, COMBGPU__CUT_GIVES_UP };

/* Nonzero if branch and cut is worth a try: the linear program's matrix grows with the number of
   edges. */
COMBGPU__PRIVATE int combgpu__branch_cut_suits(const combgpu__branch_graph *graph)
{
    return graph->open && graph->edges <= COMBGPU__CUT_EDGES;
}

/* Nonzero if the tree is too large, by the part that is done. */
COMBGPU__PRIVATE int combgpu__branch_cut_hopeless(const combgpu__branch_cuts *cut)
{
    double pivots = (double)cut->lp.pivots + COMBGPU__CUT_STEP * (double)cut->steps;
    return pivots > COMBGPU__CUT_PATIENCE && pivots > cut->done * 50 * COMBGPU__CUT_PATIENCE;
}

/* Lays out all arrays at `memory`, unless that is NULL, and returns their size. */
COMBGPU__PRIVATE size_t combgpu__branch_cut_layout(combgpu__branch_cuts *cut,
                                                   const combgpu__branch_graph *graph, void *memory)
{
    char *at = (char *)memory;
    size_t nodes = (size_t)graph->nodes, edges = (size_t)graph->edges, bytes = 0, state, rows;
    cut->lp.nodes = graph->nodes;
    cut->lp.column_room = graph->edges;
    cut->lp.row_room = graph->nodes + (graph->nodes < 150 ? 350 : 450);
    rows = (size_t)cut->lp.row_room;
    bytes = combgpu__branch_lp_layout(&cut->lp, memory);
    bytes += combgpu__branch_support_layout(&cut->support, graph->nodes, graph->edges,
                                            memory ? at + bytes : NULL);
    state = combgpu__branch_lp_copy_bytes(&cut->lp);
#define COMBGPU__CUT_ARRAY(name, type, number)                                                     \
    do {                                                                                           \
        if (memory) cut->name = (type *)(void *)(at + bytes);                                      \
        bytes += ((number) + 63) / 64 * 64;                                                        \
    } while (0)
    COMBGPU__CUT_ARRAY(folded.weights, int64_t, edges * sizeof(int64_t));
    COMBGPU__CUT_ARRAY(multipliers, int64_t, nodes * sizeof(int64_t));
    COMBGPU__CUT_ARRAY(cut_multipliers, int64_t, rows * sizeof(int64_t));
    COMBGPU__CUT_ARRAY(marks, unsigned char, edges);
    COMBGPU__CUT_ARRAY(purged, unsigned char, rows);
    COMBGPU__CUT_ARRAY(saved, char, state);
    COMBGPU__CUT_ARRAY(work, combgpu__branch_work, 0);
#undef COMBGPU__CUT_ARRAY
    return bytes + combgpu__branch_work_bytes(graph->nodes, graph->edges);
}

/* Begins at the root of the graph, whose bound is known. */
COMBGPU__PRIVATE void combgpu__branch_cut_begin(combgpu__branch_cuts *cut,
                                                const combgpu__branch_graph *graph, void *memory)
{
    combgpu__branch_lp *lp = &cut->lp;
    int64_t *weights;
    uint64_t random = 1;
    int i;
    (void)combgpu__branch_cut_layout(cut, graph, memory);
    weights = cut->folded.weights;
    cut->folded = *graph;
    cut->folded.weights = weights;
    cut->support.lp = lp;
    cut->work = combgpu__branch_work_at(cut->work, &cut->folded);
    cut->plain = graph->weights;
    if (graph->marks != cut->marks) memcpy(cut->marks, graph->marks, (size_t)graph->edges);
    cut->unit = (double)(graph->length - graph->bound) / COMBGPU__CUT_GAP;
    cut->constant = 0;
    for (i = 0; i < graph->nodes; i++) {
        cut->multipliers[i] = graph->multipliers[i];
        cut->constant += 2 * graph->multipliers[i];
        lp->right[i] = 2;
        lp->cost[lp->column_room + i] = lp->lower[lp->column_room + i] =
            lp->upper[lp->column_room + i] = 0;
    }
    lp->rows = graph->nodes;
    lp->columns = graph->edges;
    for (i = 0; i < graph->edges; i++) {
        int u = graph->ends[2 * i], v = graph->ends[2 * i + 1];
        lp->ends[2 * i] = (uint16_t)u;
        lp->ends[2 * i + 1] = (uint16_t)v;
        lp->edge[i] = i;
        random = combgpu__mix(random); /* a little noise against ties, on which the method stalls */
        lp->exact[i] =
            (double)(graph->weights[i] + graph->multipliers[u] + graph->multipliers[v]) / cut->unit;
        lp->cost[i] = lp->exact[i] + (double)(random >> 40) / (double)(1 << 24) * 1e-3;
    }
    combgpu__branch_lp_slacks(lp);
    cut->open_count = 1;
    cut->open[0].depth = 0;
}

/* Allocates what branch and cut needs, of which *bytes is the size, and begins; NULL without memory. */
COMBGPU__PRIVATE combgpu__branch_cuts *combgpu__branch_cut_make(combgpu_context *ctx,
                                                                const combgpu__branch_graph *graph,
                                                                size_t *bytes)
{
    combgpu__branch_cuts *cut;
    *bytes = sizeof *cut;
    cut =
        (combgpu__branch_cuts *)combgpu__allocate_zeroed(ctx, *bytes); /* too large for the stack */
    if (!cut) return NULL;
    *bytes += combgpu__branch_cut_layout(cut, graph, NULL);
    combgpu__release(ctx, cut);
    cut = (combgpu__branch_cuts *)combgpu__allocate_zeroed(ctx, *bytes);
    if (cut) combgpu__branch_cut_begin(cut, graph, cut + 1);
    return cut;
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

/* Proves a bound by the dual values and fixes edges. Returns 0 if the node is closed. */
COMBGPU__PRIVATE int combgpu__branch_cut_prove(combgpu__branch_cuts *cut, int64_t length)
{
    combgpu__branch_lp *lp = &cut->lp;
    combgpu__branch_work *work = cut->work;
    const combgpu__branch_graph *graph = &cut->folded;
    int64_t right = 0, bound;
    double limit = (double)(COMBGPU__BRANCH_MULTIPLIER / 4);
    int i, j;
    for (i = 0; i < lp->rows; i++) {
        double value = -lp->dual[i] * cut->unit;
        if (!(fabs(value) < limit)) return 1;
        value = combgpu__floor(value + 0.5);
        if (i < lp->nodes) {
            work->multipliers[i] = cut->multipliers[i] + (int64_t)value;
            continue;
        }
        cut->cut_multipliers[i] = value > 0 ? (int64_t)value : 0;
        right += cut->cut_multipliers[i] * (int64_t)lp->right[i];
    }
    for (j = 0; j < lp->columns; j++)
        graph->weights[lp->edge[j]] = cut->plain[lp->edge[j]];
    for (i = lp->nodes; i < lp->rows; i++)
        for (j = lp->list_begin[i - lp->nodes]; j < lp->list_begin[i - lp->nodes + 1]; j++)
            graph->weights[lp->edge[lp->list[j]]] += cut->cut_multipliers[i];
    work->length = length + right;
    combgpu__branch_arcs(work);
    bound = combgpu__branch_one_tree(work, work->multipliers);
    if (!cut->depth && bound - right > cut->proven) cut->proven = bound - right;
    return bound <= combgpu__branch_threshold(work) && combgpu__branch_reduce(work, bound);
}

/* What the linear program's objective must exceed for a node to be closed by a 1-tree, which loses
   what rounding and the costs' noise amount to. */
COMBGPU__PRIVATE double combgpu__branch_cut_cutoff(const combgpu__branch_cuts *cut, int64_t length)
{
    double nodes = cut->lp.nodes;
    return (double)(length - cut->folded.grain + cut->constant) / cut->unit + 2e-3 * nodes +
           4 * nodes / cut->unit;
}

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
    int32_t next[COMBGPU__BRANCH_NODES][2];
    int node = 0, last = -1, nodes = graph->nodes, cities = graph->cities, i, j;
    int64_t length = 0;
    for (i = 0; i < nodes; i++)
        next[i][0] = next[i][1] = -1;
    for (j = 0; j < lp->columns; j++) {
        int u = lp->ends[2 * j], v = lp->ends[2 * j + 1];
        if (lp->x[j] < 0.5) continue;
        if (next[u][1] >= 0 || next[v][1] >= 0) return COMBGPU__BRANCH_INFINITE;
        next[u][next[u][0] >= 0] = v;
        next[v][next[v][0] >= 0] = u;
        length += cut->plain[lp->edge[j]];
    }
    for (i = 0; i < nodes; i++)
        if (next[i][1] < 0) return COMBGPU__BRANCH_INFINITE;
    /* directed: nodes below `cities` are "in", where tours enter a city */
    last = graph->directed && next[0][0] == cities ? next[0][1] : next[0][0];
    for (i = 0; i < nodes; i++) {
        int to = next[node][0] == last ? next[node][1] : next[node][0];
        if (!graph->directed)
            work->tour[i] = node;
        else if (i % 2 == 0)
            work->tour[i / 2] = node;
        last = node;
        node = to;
        if (!node && i + 1 < nodes) return COMBGPU__BRANCH_INFINITE;
    }
    return node ? COMBGPU__BRANCH_INFINITE : length;
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
        child->mark = (unsigned char)mark;
    }
    cut->loaded = 0;
    return 1;
}

/* Nonzero if more cuts are worth a round: the objective still rises, or is below the bound that is
   known, as while the towns of a map are tours of their own. */
COMBGPU__PRIVATE int combgpu__branch_cut_rises(combgpu__branch_cuts *cut, double cutoff)
{
    int back = cut->depth ? 3 : 5, k;
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

/* Adds cuts that the point violates and returns their number. Those of sequences make the linear
   program slower, which pays only near the root. */
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
    memcpy(graph.multipliers, cut->work->multipliers, sizeof graph.multipliers);
    combgpu__branch_cut_begin(cut, &graph, cut + 1);
    cut->loaded = 0;
}

/* Works on: some pivots, and what follows at the relaxation's optimum. *length is that of the best
   tour; a shorter one is left in cut->work. */
COMBGPU__PRIVATE int combgpu__branch_cut_step(combgpu__branch_cuts *cut, int64_t *length)
{
    combgpu__branch_lp *lp = &cut->lp;
    double cutoff = combgpu__branch_cut_cutoff(cut, *length);
    int64_t found;
    int result, column;
    cut->steps++;
    if (combgpu__branch_cut_hopeless(cut)) return COMBGPU__CUT_GIVES_UP;
    if (!cut->loaded && !combgpu__branch_cut_load(cut)) return COMBGPU__CUT_PROVEN;
    result = combgpu__branch_lp_solve(lp, cutoff, COMBGPU__CUT_ROUND, cut->force);
    if (result == COMBGPU__LP_LIMIT) return COMBGPU__CUT_GOES_ON;
    if (result == COMBGPU__LP_TROUBLE) return COMBGPU__CUT_GIVES_UP;
    if (result == COMBGPU__LP_ABOVE) {
        if (!combgpu__branch_cut_prove(cut, *length))
            combgpu__branch_cut_close(cut);
        else if (cut->force++)
            return COMBGPU__CUT_GIVES_UP;
        else
            combgpu__branch_cut_bounds(cut);
        return COMBGPU__CUT_GOES_ON;
    }
    combgpu__branch_cut_purge(cut);
    if (combgpu__branch_cut_rises(cut, cutoff) && combgpu__branch_cut_more(cut))
        return COMBGPU__CUT_GOES_ON;
    combgpu__branch_lp_values(lp);
    combgpu__branch_lp_exact_duals(lp);
    if (!combgpu__branch_cut_prove(cut, *length)) {
        combgpu__branch_cut_close(cut);
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
        combgpu__branch_lp_compact(lp);
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
