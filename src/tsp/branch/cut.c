/* Branch and cut: the search tree of linear relaxations, every bound proven by a 1-tree.

   A node's relaxation gets cuts as long as they raise its bound. Its dual values, rounded to whole
   units, become multipliers of the nodes and of the cuts; a cut's multiplier, times its coefficient,
   is added to the weights of its edges. The minimum 1-tree under these weights, less the cuts'
   right sides, is a bound in whole numbers, at least as good as the relaxation's but for rounding,
   and it fixes edges as it does elsewhere. So no decision rests on rounded arithmetic. */

#define COMBGPU__CUT_DEPTH 250
#define COMBGPU__CUT_ROUND 200  /* pivots between two looks at the budget */
#define COMBGPU__CUT_PIVOT 10   /* 1-trees that take as long as a pivot */
#define COMBGPU__CUT_STEP 20    /* pivots that take as long as the rest of a step */
#define COMBGPU__CUT_COLUMNS 20 /* for each node, and some: more edges take turns as columns */
#define COMBGPU__CUT_COLUMNS_MORE 4000
#define COMBGPU__CUT_RESUMED 5000000   /* steps after which a resumed search does without it */
#define COMBGPU__CUT_PATIENCE 20000.0  /* pivots before the size of the tree is estimated */
#define COMBGPU__CUT_CANDIDATES 8      /* edges tried to branch on */
#define COMBGPU__CUT_TRIAL 20          /* pivots of a trial, */
#define COMBGPU__CUT_TRIAL_LARGE 60    /* and above CUT_LARGE nodes */
#define COMBGPU__CUT_TRIALS 2          /* of an edge, after which they tell what to expect; */
#define COMBGPU__CUT_TRIALS_DIRECTED 8 /* of asymmetric instances, whose nodes take longer */
#define COMBGPU__CUT_AGE 5             /* rounds for which a slack cut stays */
#define COMBGPU__CUT_SEQUENCES 3       /* depth from which on there are no cuts of sequences */
#define COMBGPU__CUT_ROUNDS 100        /* of cuts at the root below the known bound */
#define COMBGPU__CUT_FINER 2.0         /* gaps per unit from which on the unit gets finer */
#define COMBGPU__CUT_GAP 1000.0        /* the root's gap, in units of the linear program */

typedef struct combgpu__branch_cut_branch {
    int64_t bound; /* proven */
    int32_t edge, depth;
    unsigned char mark;
} combgpu__branch_cut_branch;

/* How much the objective rises in a child, for each unit that a value is moved there: of all trials of
   an edge, [0] where it is forbidden, [1] where it is forced. */
typedef struct combgpu__branch_cut_gains {
    float sum[2];
    int32_t trials;
} combgpu__branch_cut_gains;

typedef struct combgpu__branch_cuts {
    combgpu__branch_labels *labels; /* which come first, or NULL */
    combgpu__branch_lp lp;
    combgpu__branch_support support;
    combgpu__branch_graph folded; /* the graph, with multipliers of cuts in its weights */
    combgpu__branch_work *work;
    int64_t *multipliers; /* of the root, which are in the costs */
    int64_t *cut_multipliers;
    const int64_t *plain;             /* weights of the graph */
    unsigned char *marks;             /* of the root */
    unsigned char *inside;            /* of each edge: it is a column */
    combgpu__branch_cut_gains *gains; /* of each edge, then of all */
    char *saved;                      /* state of the linear program */
    unsigned char *purged;            /* cuts to be removed */
    double unit;                      /* of the linear program, in the graph's units */
    int64_t constant; /* a tour's cost in the program is its length plus this, in units */
    combgpu__branch_cut_branch path[COMBGPU__CUT_DEPTH + 1], open[2 * COMBGPU__CUT_DEPTH + 4];
    int depth, open_count;
    int loaded, rounds, force; /* force: no cutoff */
    double history[5];         /* objectives of the last rounds */
    double whole, done;        /* its part of the search tree, and what of that is done */
    int64_t proven;            /* bound of the root */
    int outcome;
    uint64_t nodes, steps, pivots; /* pivots: counted as steps so far */
    /* the tree's other parts (src/tsp/branch/parts.c) */
    struct combgpu__branch_cuts *next;
    int held; /* a thread works on it */
} combgpu__branch_cuts;

/* Lays out all arrays at `memory`, unless that is NULL, and returns their size. */
COMBGPU__PRIVATE size_t combgpu__branch_cut_layout(combgpu__branch_cuts *cut,
                                                   const combgpu__branch_graph *graph, void *memory)
{
    size_t nodes = (size_t)graph->nodes, edges = (size_t)graph->edges, bytes = 0, rows;
    cut->lp.nodes = graph->nodes;
    cut->lp.column_room = COMBGPU__CUT_COLUMNS * graph->nodes + COMBGPU__CUT_COLUMNS_MORE;
    if (cut->lp.column_room > graph->edges) cut->lp.column_room = graph->edges;
    cut->lp.row_room = graph->nodes + (graph->nodes < 150 ? 350 : 450);
    if (graph->nodes > 300) cut->lp.row_room += graph->nodes - 300;
    rows = (size_t)cut->lp.row_room;
    bytes = combgpu__branch_lp_layout(&cut->lp, memory);
    bytes += combgpu__branch_support_layout(&cut->support, graph->nodes, cut->lp.column_room,
                                            memory ? (char *)memory + bytes : NULL);
    COMBGPU__LAY(cut->folded.weights, int64_t, edges);
    COMBGPU__LAY(cut->multipliers, int64_t, nodes);
    COMBGPU__LAY(cut->cut_multipliers, int64_t, rows);
    COMBGPU__LAY(cut->marks, unsigned char, edges);
    COMBGPU__LAY(cut->inside, unsigned char, edges);
    COMBGPU__LAY(cut->purged, unsigned char, rows);
    COMBGPU__LAY(cut->gains, combgpu__branch_cut_gains, edges + 1);
    COMBGPU__LAY(cut->saved, char, combgpu__branch_lp_copy_bytes(&cut->lp));
    COMBGPU__LAY(cut->work, combgpu__branch_work, 0);
    return bytes + combgpu__branch_work_bytes(graph->nodes, graph->edges);
}

/* Adds an edge as a column. Its cost gets a little noise against ties, on which the method stalls. */
COMBGPU__PRIVATE void combgpu__branch_cut_column(combgpu__branch_cuts *cut, int edge)
{
    combgpu__branch_lp *lp = &cut->lp;
    const combgpu__branch_graph *graph = &cut->folded;
    int j = lp->columns++, u = graph->ends[2 * edge], v = graph->ends[2 * edge + 1];
    int64_t cost = cut->plain[edge] + cut->multipliers[u] + cut->multipliers[v];
    lp->ends[2 * j] = (uint16_t)u;
    lp->ends[2 * j + 1] = (uint16_t)v;
    lp->edge[j] = edge;
    lp->exact[j] = (double)cost / cut->unit;
    lp->cost[j] =
        lp->exact[j] + (double)(combgpu__mix((uint64_t)edge + 1) >> 40) / (double)(1 << 24) * 1e-3;
    lp->lower[j] = lp->x[j] = lp->reduced[j] = 0;
    lp->upper[j] = 1;
    lp->place[j] = -1;
}

/* Begins at the root of the graph, whose bound is known. */
COMBGPU__PRIVATE void combgpu__branch_cut_begin(combgpu__branch_cuts *cut,
                                                const combgpu__branch_graph *graph, void *memory)
{
    combgpu__branch_lp *lp = &cut->lp;
    int64_t *weights;
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
    lp->columns = lp->list_begin[0] = 0;
    memcpy(cut->inside, cut->marks, (size_t)graph->edges);
    if (lp->column_room < graph->edges)
        combgpu__branch_thin(graph, graph->multipliers, cut->inside);
    for (i = 0; i < graph->edges; i++)
        if (lp->column_room == graph->edges || cut->inside[i] != COMBGPU__EDGE_FORBIDDEN)
            combgpu__branch_cut_column(cut, i);
    combgpu__branch_lp_slacks(lp);
    memset(cut->gains, 0, (size_t)(graph->edges + 1) * sizeof *cut->gains);
    cut->open_count = 1;
    cut->open[0].depth = 0;
    cut->open[0].bound = graph->bound;
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
    cut = (combgpu__branch_cuts *)combgpu__allocate(ctx, *bytes); /* the arrays need no zeros */
    if (!cut) return NULL;
    memset(cut, 0, sizeof *cut);
    cut->whole = 1;
    combgpu__branch_cut_begin(cut, graph, cut + 1);
    if (graph->brief == COMBGPU__BRANCH_MANY || !graph->directed ||
        graph->cities > COMBGPU__LABEL_CITIES)
        return cut;
    cut->labels = (combgpu__branch_labels *)combgpu__allocate(ctx, sizeof *cut->labels);
    if (cut->labels) combgpu__branch_label_begin(cut->labels, graph); /* else it does without */
    return cut;
}
