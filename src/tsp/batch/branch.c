/* Solves one instance of a batch by branch and bound, on one thread without a job. Any thread may
   interrupt and resume it. */

/* Effort of an instance's first tour, and of each phase of its root, in budgets, whose unit is a 1-tree; an
   estimate, not a count. */
#define COMBGPU__BATCH_BEGIN 400
#define COMBGPU__BATCH_PHASE 150
/* Effort after which an instance may be interrupted in a first slice, however small the budget: a run in
   short sessions, whose checkpoints lack trees, still ends. */
#define COMBGPU__BATCH_LEAST 32768

/* Words of a record with the largest tours. Devices search no graph above BRANCH_NARROW nodes, and kernels
   know the records of these alone. */
#define COMBGPU__BATCH_TREE_MOST (COMBGPU__BATCH_TREE_TOUR + COMBGPU_TSP_BATCH_DIMENSION / 4)

typedef enum combgpu__batch_held {
    COMBGPU__BATCH_FREE = 0,
    COMBGPU__BATCH_AT_WORK,
    COMBGPU__BATCH_WAITING
} combgpu__batch_held;

/* The root's next phase. */
typedef enum combgpu__batch_root {
    COMBGPU__BATCH_ROOT_ENDED = 0,
    COMBGPU__BATCH_ROOT_EDGES,
    COMBGPU__BATCH_ROOT_ASCENT,
    COMBGPU__BATCH_ROOT_TOUR
} combgpu__batch_root;

/* An unfinished search tree, at the beginning of its memory. */
typedef struct combgpu__batch_tree {
    combgpu__batch_held state;
    uint64_t number; /* of the instance */
    uint64_t turn;   /* when it began to wait */
    combgpu_status status;
    int begun, legs; /* legs: the least gap for branch and cut, */
    int tried;       /* which has begun */
    combgpu__batch_root root;
    int round;               /* of the root's ascent */
    double seconds;          /* that it took so far */
    uint64_t trees, nodes;   /* 1-trees below the root; nodes of the search tree */
    uint64_t effort;         /* so far, in units of budgets */
    combgpu_context *memory; /* an arena, in what follows */
    combgpu__batch_one one;
    combgpu__tsp_weights kind; /* of the weights that are searched */
    combgpu__tsp_terms terms;
    combgpu__branch_graph graph;
    uint64_t arrays[COMBGPU__BRANCH_ARRAYS(COMBGPU__BATCH_CITIES) / 8]; /* of the graph */
    combgpu__branch_cuts *cut;  /* its parts at the root, while they are under way, or NULL */
    combgpu__branch_cuts *part; /* the one that the tree's thread holds, or NULL */
    volatile uint32_t over;     /* a part gave up, and the others end */
    combgpu__branch_work *work; /* NULL: the root is under way, or proved the tour */
    int room;                   /* of its stack */
    void *user;                 /* what else a solver keeps */
} combgpu__batch_tree;

/* The bytes of a tree of n cities. */
COMBGPU__PRIVATE size_t combgpu__batch_tree_bytes(int n, int directed)
{
    int cities = n + 1, nodes = directed ? 2 * cities : cities;
    int edges = directed ? cities * cities : cities * (cities - 1) / 2;
    size_t square = (size_t)cities * (size_t)cities;
    return (sizeof(combgpu__batch_tree) + COMBGPU__ARENA_HEAD + 4096 + 64 * square +
            2 * combgpu__branch_tour_bytes(cities) + 2 * combgpu__branch_work_bytes(nodes, edges)) /
           64 * 64;
}

/* Sets the terms; if they are its own, the searched weights replace the given ones. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_tree_terms(combgpu__batch_tree *tree)
{
    combgpu_context *memory = tree->memory;
    combgpu_tsp_instance *instance = &tree->one.instance;
    size_t n = (size_t)instance->n;
    double key[COMBGPU_TSP_BATCH_DIMENSION], *searched = NULL;
    combgpu__tsp_weights kind;
    int wanted;
    combgpu_status status = combgpu__tsp_terms_wanted(memory, instance, &kind, &wanted);
    tree->terms.given = *instance;
    if (!status && wanted)
        searched = combgpu__tsp_terms_copy(memory, instance->weights, n * n, &status);
    if (searched)
        status = combgpu__tsp_terms_set(memory, instance, &kind, searched, key, &tree->terms);
    if (searched) instance->weights = searched;
    return status;
}

/* Computes the costs of the instance's graph. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_tree_costs(combgpu__batch_tree *tree,
                                                          const combgpu_tsp_batch_desc *desc)
{
    combgpu_context *memory = tree->memory;
    const combgpu_tsp_desc *one = &tree->one.desc;
    int n = desc->cities ? desc->cities[tree->number] : desc->n;
    double *weights = (double *)combgpu__allocate(memory, (size_t)n * (size_t)n * sizeof *weights);
    combgpu_status status = weights ? COMBGPU_OK : COMBGPU_OUT_OF_MEMORY;
    if (!status) status = combgpu__batch_weigh(memory, desc, tree->number, weights, &tree->one);
    if (!status) status = combgpu__batch_tree_terms(tree);
    if (!status) status = combgpu__tsp_check_weights(memory, one->instance, &tree->kind);
    return status ? status : combgpu__branch_costs(memory, &tree->graph, one, &tree->kind);
}

/* Makes the search tree, of one open node, unless the root proved the tour. */
COMBGPU__PRIVATE void combgpu__batch_tree_plant(combgpu__batch_tree *tree)
{
    combgpu_context *memory = tree->memory;
    const combgpu__branch_graph *graph = &tree->graph;
    size_t task, room;
    void *at;
    if (!graph->open) return;
    at = combgpu__allocate(memory, combgpu__branch_work_bytes(graph->nodes, graph->edges));
    if (!at) {
        tree->status = COMBGPU_OUT_OF_MEMORY;
        return;
    }
    tree->work = combgpu__branch_work_at(at, graph);
    tree->room = COMBGPU__BRANCH_STACK;
    task = combgpu__branch_task_words(graph->nodes, graph->edges) * sizeof(uint32_t);
    room = combgpu__arena_room(memory) / task;
    if (room > (size_t)tree->room) { /* the rest makes a larger stack */
        tree->room = room < 100000 ? (int)room : 100000;
        tree->work->stack = (uint32_t *)combgpu__allocate(memory, combgpu__arena_room(memory));
    }
    tree->work->length = graph->length;
    combgpu__branch_pack(graph, graph->bound, COMBGPU__BRANCH_ALL, graph->multipliers, graph->marks,
                         tree->work->stack);
    tree->work->stack_count = 1;
}

/* Lays out an instance's memory, `bytes` bytes at `tree`. */
COMBGPU__PRIVATE void combgpu__batch_tree_lay(combgpu__batch_tree *tree, size_t bytes)
{
    size_t head = (sizeof *tree + 63) / 64 * 64;
    combgpu__branch_arrays_at(&tree->graph, COMBGPU__BATCH_CITIES, tree->arrays);
    tree->begun = 1;
    tree->memory = combgpu__arena_make((char *)tree + head, bytes - head);
}

/* Begins the instance in `bytes` bytes at `tree` with a tour. Where its root leaves a gap of `legs` legs it
   will use branch and cut. */
COMBGPU__PRIVATE void combgpu__batch_tree_begin(combgpu__batch_tree *tree, size_t bytes,
                                                const combgpu_tsp_batch_desc *desc, int legs)
{
    combgpu__batch_tree_lay(tree, bytes);
    tree->effort = COMBGPU__BATCH_BEGIN;
    tree->legs = legs;
    tree->root = COMBGPU__BATCH_ROOT_EDGES;
    tree->status = combgpu__batch_tree_costs(tree, desc);
    tree->graph.length = -1;
    tree->graph.brief = tree->graph.directed ? COMBGPU__BRANCH_BRIEF : COMBGPU__BRANCH_MANY;
    if (!tree->status)
        tree->status = combgpu__branch_start(tree->memory, &tree->graph, NULL, tree->one.desc.seed);
}

/* Makes a round of the root's ascent. With towns far apart, brief ones leave a gap that no tree closes, and
   full ones follow; branch and cut needs those for tiny towns only. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_tree_ascend(combgpu__batch_tree *tree)
{
    combgpu__branch_graph *graph = &tree->graph;
    combgpu_status status = combgpu__branch_root_part(tree->memory, graph, tree->round++);
    int64_t gap = graph->length - graph->bound;
    if (status || graph->open == COMBGPU__ROOT_RISES) return status;
    if (graph->open && graph->brief == COMBGPU__BRANCH_MANY && gap > graph->length / 32 &&
        (combgpu__batch_cut_suits(graph, COMBGPU__BATCH_CUT_FAR) ||
         !combgpu__batch_cut_suits(graph, tree->legs))) {
        graph->brief = COMBGPU__BRANCH_FULL;
        tree->round = 0;
        return status;
    }
    if (graph->brief == COMBGPU__BRANCH_FULL) graph->brief = COMBGPU__BRANCH_MANY;
    tree->root = COMBGPU__BATCH_ROOT_TOUR;
    return status;
}

/* Begins branch and cut, in the context's memory since few instances need it. */
COMBGPU__PRIVATE void combgpu__batch_tree_cut(combgpu_context *ctx, combgpu__batch_tree *tree)
{
    if (!combgpu__batch_cut_make(ctx, &tree->graph, &tree->cut))
        tree->status = COMBGPU_OUT_OF_MEMORY;
    tree->part = tree->cut;
    tree->tried = 1;
}

/* Ends the root with a better tour, and begins branch and cut, or the search tree. */
COMBGPU__PRIVATE void combgpu__batch_tree_grow(combgpu_context *ctx, combgpu__batch_tree *tree)
{
    combgpu__branch_graph *graph = &tree->graph;
    tree->root = COMBGPU__BATCH_ROOT_ENDED;
    if (graph->open)
        tree->status = combgpu__branch_start(tree->memory, graph, NULL, tree->one.desc.seed);
    if (tree->status) return;
    if (combgpu__batch_cut_suits(graph, tree->legs))
        combgpu__batch_tree_cut(ctx, tree);
    else
        combgpu__batch_tree_plant(tree);
}

/* Works on a phase of the root. */
COMBGPU__PRIVATE void combgpu__batch_tree_root(combgpu_context *ctx, combgpu__batch_tree *tree)
{
    combgpu__branch_graph *graph = &tree->graph;
    tree->effort += COMBGPU__BATCH_PHASE;
    if (tree->root == COMBGPU__BATCH_ROOT_TOUR) {
        combgpu__batch_tree_grow(ctx, tree);
    } else if (tree->root == COMBGPU__BATCH_ROOT_ASCENT) {
        tree->status = combgpu__batch_tree_ascend(tree);
    } else {
        tree->root = COMBGPU__BATCH_ROOT_ASCENT;
        tree->status = combgpu__branch_refine(tree->memory, graph, &tree->one.desc, &tree->kind);
        if (!tree->status) tree->status = combgpu__branch_edges(tree->memory, graph);
    }
}

/* Processes one node of the search tree: combgpu__branch_node for one thread. Returns the share of
   the tree that this completes. */
COMBGPU__PRIVATE uint64_t combgpu__batch_tree_node(combgpu__batch_tree *tree)
{
    combgpu__branch_work *work = tree->work;
    const uint32_t *task;
    uint64_t share;
    int64_t bound;
    int open, node = -1, edges[2];
    tree->nodes++;
    work->stack_count--;
    task = combgpu__branch_top(work);
    bound = (int64_t)combgpu__get64(task + COMBGPU__BRANCH_TASK_BOUND);
    share = combgpu__get64(task + COMBGPU__BRANCH_TASK_SHARE);
    if (bound > combgpu__branch_threshold(work)) return share;
    combgpu__branch_unpack(work, task);
    work->trees = 0;
    open = combgpu__branch_restore(work) && combgpu__branch_evaluate(work, &bound);
    if (open) node = combgpu__branch_choose(work, edges);
    if (open && node < 0) combgpu__branch_tour(work);
    tree->trees += work->trees;
    tree->effort += work->trees + 1;
    if (work->found) {
        work->found = 0;
        tree->graph.length = work->length;
        memcpy(tree->graph.tour, work->tour, (size_t)tree->graph.cities * sizeof *work->tour);
    }
    if (node < 0) return share;
    combgpu__branch_children(work, node, edges, bound, share);
    return 0;
}

/* Nonzero if the root or the search tree is unfinished. */
COMBGPU__PRIVATE int combgpu__batch_tree_open(const combgpu__batch_tree *tree)
{
    return !tree->status && (tree->root || tree->cut || (tree->work && tree->work->stack_count));
}

/* Lets a part go. */
COMBGPU__PRIVATE void combgpu__batch_part_free(combgpu_context *ctx, combgpu__batch_tree *tree,
                                               combgpu__branch_cuts *part)
{
    if (part->outcome == COMBGPU__CUT_GIVES_UP) combgpu__shared_or(&tree->over, 1);
    combgpu__lock_take(combgpu__context_lock(ctx));
    tree->nodes += part->nodes;
    combgpu__lock_free(combgpu__context_lock(ctx));
    part->nodes = 0;
    combgpu__branch_part_free(ctx, tree->cut, part);
}

/* Ends branch and cut. If it gave up, the search tree goes on or follows, of asymmetric instances after more
   effort at the root. */
COMBGPU__PRIVATE void combgpu__batch_tree_uncut(combgpu_context *ctx, combgpu__batch_tree *tree)
{
    combgpu__branch_graph *graph = &tree->graph;
    combgpu__batch_cut_end(ctx, &tree->cut, graph);
    if (tree->work) {
        tree->work->length = graph->length;
        if (!graph->open) tree->work->stack_count = 0;
    } else if (graph->open && graph->brief == COMBGPU__BRANCH_BRIEF) {
        graph->brief = COMBGPU__BRANCH_FULL;
        tree->root = COMBGPU__BATCH_ROOT_ASCENT;
        tree->round = 0;
    } else
        combgpu__batch_tree_plant(tree);
}

/* Continues: a phase of the root, some pivots, or one node. Branch and cut has ended if the tree has no part.
   Returns the share of the tree that this completes. */
COMBGPU__PRIVATE uint64_t combgpu__batch_tree_step(combgpu_context *ctx, combgpu__batch_tree *tree)
{
    if (tree->root)
        combgpu__batch_tree_root(ctx, tree);
    else if (!tree->cut &&
             (tree->tried || tree->trees < COMBGPU__BATCH_CUT_LATE || tree->graph.directed))
        return combgpu__batch_tree_node(tree);
    else if (!tree->cut)
        combgpu__batch_tree_cut(ctx, tree);
    else if (!tree->part)
        combgpu__batch_tree_uncut(ctx, tree);
    else {
        tree->effort += combgpu__batch_cut_work(tree->part, &tree->graph);
        if (tree->part->outcome == COMBGPU__CUT_GOES_ON && !combgpu__shared(&tree->over)) return 0;
        combgpu__batch_part_free(ctx, tree, tree->part);
        tree->part = NULL;
    }
    return 0;
}

/* Nonzero if the tree is more than a thousand deep. */
COMBGPU__PRIVATE int combgpu__batch_tree_full(const combgpu__batch_tree *tree)
{
    return tree->work && tree->work->stack_count + 3 > tree->room;
}

/* Nonzero if a limit ends it, but not before the end of its root. */
COMBGPU__PRIVATE int combgpu__batch_tree_ends(const combgpu__batch_tree *tree,
                                              const combgpu_tsp_batch_desc *desc, double seconds)
{
    return !tree->root && ((desc->instance_steps && tree->trees >= desc->instance_steps) ||
                           (desc->instance_seconds > 0 && seconds >= desc->instance_seconds) ||
                           combgpu__batch_tree_full(tree));
}

/* The best tour in normal form, without the depot. */
COMBGPU__PRIVATE void combgpu__batch_tree_tour(const combgpu__batch_tree *tree, int *tour)
{
    const combgpu__branch_graph *graph = &tree->graph;
    const combgpu_tsp_desc *one = &tree->one.desc;
    int n = tree->one.instance.n, path = one->shape == COMBGPU_TSP_PATH, start = 0, turn, i;
    int front = COMBGPU__TSP_START(one);
    int closing = graph->depot < 0 && path; /* both ends are fixed and joined by an arc */
    int symmetric = tree->kind.symmetric;
    for (i = 0; i < graph->cities; i++)
        if (graph->tour[i] == (graph->depot >= 0 ? graph->depot : closing ? graph->forced_to : 0))
            start = i;
    if (graph->depot >= 0) start++;
    for (i = 0; i < n; i++)
        tour[i] = graph->tour[(start + i) % graph->cities];
    turn = closing                  ? tour[1] == graph->forced_from
           : !path                  ? symmetric && n > 1 && tour[1] > tour[n - 1]
           : graph->forced_from < 0 ? symmetric && tour[0] > tour[n - 1]
           : front >= 0             ? tour[0] != front
                                    : tour[n - 1] != graph->forced_from;
    if (turn) combgpu__tsp_reverse(tour + (!path || closing), tour + n - 1);
}

/* How much shorter a tour missed by rounding weights may be. */
COMBGPU__PRIVATE double combgpu__batch_tree_tolerance(const combgpu__batch_tree *tree)
{
    const combgpu__branch_graph *graph = &tree->graph;
    double tolerance = 2.000001 * graph->cities * tree->terms.error;
    if (!graph->integral) tolerance += ldexp(66.0 + graph->cities, -graph->scale);
    return tolerance < combgpu__tsp_grid(&tree->terms.given) ? 0 : tolerance;
}

/* A proven lower bound; once the tree is done, the tour's length less what rounding may hide. */
COMBGPU__PRIVATE double combgpu__batch_tree_bound(const combgpu__batch_tree *tree)
{
    const combgpu__branch_graph *graph = &tree->graph;
    size_t words = combgpu__branch_task_words(graph->nodes, graph->edges);
    int open = combgpu__batch_tree_open(tree);
    int legs = combgpu__tsp_legs(tree->one.instance.n, tree->one.desc.shape), i;
    int64_t bound =
        open && tree->cut ? combgpu__branch_parts_least(tree->cut, graph->length) : graph->length;
    double error = tree->terms.error, grain = 0;
    for (i = 0; open && tree->work && i < tree->work->stack_count; i++) {
        int64_t other = (int64_t)combgpu__get64(tree->work->stack + (size_t)i * words +
                                                COMBGPU__BRANCH_TASK_BOUND);
        if (other < bound) bound = other;
    }
    if (graph->integral) /* lengths are multiples of the divisor */
        bound = (bound + graph->divisor - 1) / graph->divisor * graph->divisor;
    else {
        error += ldexp(0.5, -graph->scale);
        grain = ldexp(open ? 0 : 64, -graph->scale);
    }
    return combgpu__tsp_terms_bound(&tree->terms, legs, bound, graph->scale,
                                    legs * error * 1.000001 + grain);
}

/* A record's part of the checksum: the bound of a proven tour is its length. */
COMBGPU__PRIVATE uint64_t combgpu__batch_tree_hash(const uint32_t *record)
{
    uint64_t length = combgpu__get64(record + COMBGPU__BATCH_TREE_LENGTH), bits;
    int scale = (int)record[COMBGPU__BATCH_TREE_SCALE];
    double bound = scale == COMBGPU__BATCH_TREE_BITS ? 0 : ldexp((double)length, -scale);
    memcpy(&bits, &bound, sizeof bits);
    if (record[COMBGPU__BATCH_TREE_STATUS] != COMBGPU_OK)
        bits = combgpu__get64(record + COMBGPU__BATCH_TREE_BOUND);
    return combgpu__mix(combgpu__mix(combgpu__mix(combgpu__get64(record)) + length) + bits);
}

/* Tells how many nodes the tree has had. */
COMBGPU__PRIVATE void combgpu__batch_tree_count(const combgpu__batch_tree *tree,
                                                const combgpu_tsp_batch_desc *desc)
{
    if (desc->nodes) desc->nodes[tree->number] = tree->nodes + (tree->part ? tree->part->nodes : 0);
}

/* Writes the record, zeroed, of an instance that has ended. */
COMBGPU__PRIVATE void combgpu__batch_tree_record(const combgpu__batch_tree *tree, uint32_t *record)
{
    const combgpu_tsp_instance *instance = &tree->one.instance;
    const combgpu__tsp_terms *terms = &tree->terms;
    int tour[COMBGPU__BATCH_CITIES], n = instance->n, over, missing, i;
    int legs = combgpu__tsp_legs(n, tree->one.desc.shape), open = combgpu__batch_tree_open(tree);
    uint64_t length = 0, bits;
    double bound, exact;
    combgpu__put64(record, tree->number);
    record[COMBGPU__BATCH_TREE_STATUS] = (uint32_t)tree->status;
    if (tree->status) return;
    combgpu__batch_tree_tour(tree, tour);
    exact = combgpu__tsp_terms_length(terms, tree->one.desc.shape, tour, 0, &over, &missing);
    for (i = 0; i < legs && !(terms->cap > 0); i++)
        length += (uint64_t)combgpu__tsp_cost(instance->weights[tour[i] * n + tour[(i + 1) % n]],
                                              tree->kind.scale);
    if (terms->cap > 0) memcpy(&length, &exact, sizeof length);
    for (i = 0; i < n; i++)
        record[COMBGPU__BATCH_TREE_TOUR + i / 4] |= (uint32_t)tour[i] << i % 4 * 8;
    /* every tour has such a leg: rounding hides the shortest */
    open |= over && terms->beyond < COMBGPU__TERMS_NONE;
    bound = combgpu__batch_tree_bound(tree);
    if (!open && !(combgpu__batch_tree_tolerance(tree) > 0))
        bound = combgpu__tsp_terms_length(terms, tree->one.desc.shape, tour, 1, &over, &missing);
    if (!missing && bound > exact) bound = exact;
    if (missing && !open) bound = HUGE_VAL;
    memcpy(&bits, &bound, sizeof bits);
    record[COMBGPU__BATCH_TREE_STATUS] = open ? COMBGPU_STOPPED : COMBGPU_OK;
    record[COMBGPU__BATCH_TREE_SCALE] =
        terms->cap > 0 ? COMBGPU__BATCH_TREE_BITS : (uint32_t)tree->kind.scale;
    combgpu__put64(record + COMBGPU__BATCH_TREE_LENGTH, length);
    combgpu__put64(record + COMBGPU__BATCH_TREE_BOUND, bits);
}
