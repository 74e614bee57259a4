/* Solves a batch of larger instances on devices. First the host's threads work on the root and the
   first nodes of every tree, in slices, and defer the instances of larger trees. Then the open
   nodes of these trees become tasks, which devices and threads share. After a resume these
   instances begin anew. */

#define COMBGPU__BATCH_HOST_TREES 256 /* 1-trees of an instance below its root by one thread */
/* A tree's share in the job's total of shares: a million of them are 2^62. */
#define COMBGPU__BATCH_SHARE_BITS 42
#define COMBGPU__BATCH_NODES_MOST (1 << 20) /* instances */
#define COMBGPU__BATCH_LARGE_TREES 64 /* cities above which branch and cut needs far fewer nodes */
#define COMBGPU__BATCH_SMALL_TREES 30 /* cities below which few trees reach a device */
/* The status of a record in a checkpoint: the answer of a tree that was done. */
#define COMBGPU__BATCH_TREE_ANSWER 101

/* An instance searched by nodes of its tree. */
typedef struct combgpu__batch_open {
    uint32_t record[COMBGPU__BATCH_TREE_WORDS]; /* its best tour, as if it were proven */
    int64_t length;                             /* of that tour, in units */
    double tolerance;                           /* how much shorter a missed tour may be */
    int cities, depot, directed, forced_from, forced_to;
    uint64_t place; /* of its graph in the tables */
    size_t words;   /* of the graph */
    int tasks;
    uint32_t *memory; /* the graph and the tasks, until they are in tables and reserve */
    struct combgpu__batch_open *next; /* of the fresh ones */
} combgpu__batch_open;

struct combgpu__batch_nodes {
    combgpu__batch_open **open; /* of each instance, or NULL */
    combgpu__batch_open *fresh; /* of the last slice of roots */
    int roots;                  /* nonzero while roots are worked on */
    uint64_t count, all;        /* of open ones: now, and ever */
    int nodes, edges;           /* of a graph, at most */
    double next;                /* when to check which trees are done */
};

/* The most nodes of a graph, and edges. */
COMBGPU__PRIVATE int combgpu__batch_graph_nodes(const combgpu_tsp_batch_desc *desc)
{
    int cities = desc->n + (desc->shape == COMBGPU_TSP_PATH);
    return desc->x ? cities : 2 * cities;
}

COMBGPU__PRIVATE int combgpu__batch_graph_edges(const combgpu_tsp_batch_desc *desc)
{
    int nodes = combgpu__batch_graph_nodes(desc);
    return desc->x ? nodes * (nodes - 1) / 2 : nodes * nodes / 4;
}

/* Nonzero if trees of the batch may be searched by nodes: not with limits of single instances,
   since results within a limit depend on the order of nodes. */
COMBGPU__PRIVATE int combgpu__batch_nodes_suit(const combgpu_tsp_batch_desc *desc)
{
    return desc->n > COMBGPU__BATCH_MOST && !desc->instance_steps &&
           !(desc->instance_seconds > 0) && desc->count <= COMBGPU__BATCH_NODES_MOST &&
           combgpu__batch_graph_nodes(desc) <= COMBGPU__BRANCH_NARROW;
}

/* Nonzero if the host's threads alone are as fast as the context's GPUs, since branch and cut needs few nodes. */
COMBGPU__PRIVATE int combgpu__batch_nodes_outrun(const combgpu_context *ctx,
                                                 const combgpu_tsp_batch_desc *desc)
{
    /* compute units that equal a thread */
    int many = desc->n > COMBGPU__BATCH_LARGE_TREES || desc->n < COMBGPU__BATCH_SMALL_TREES;
    int64_t each = many ? 16 : 8, units = 0;
    const combgpu_context *other;
    int i;
    for (i = 0; (other = combgpu__device_context(ctx, i)) != NULL; i++)
        if (combgpu__device(other)->is_gpu) units += combgpu__device(other)->compute_units;
    return units && units < each * combgpu__threads(ctx);
}

/* Nonzero if a device will search them. */
COMBGPU__PRIVATE int combgpu__batch_nodes_used(const combgpu_context *ctx,
                                               const combgpu_tsp_batch_desc *desc)
{
    return combgpu__batch_nodes_suit(desc) &&
           (!combgpu__is_cpu(ctx) || combgpu__device_context(ctx, 1) != NULL) &&
           !combgpu__batch_nodes_outrun(ctx, desc);
}

/* The instance of a node, from 1; 0: the task is a range of instances. */
COMBGPU__PRIVATE uint32_t combgpu__batch_task_number(const combgpu_job *job, const uint32_t *task)
{
    uint32_t words = combgpu__desc(job)->task_words;
    return words > 4 ? task[words - 1] : 0;
}

COMBGPU__PRIVATE int combgpu__batch_nodes_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    uint32_t number = combgpu__batch_task_number(job, task);
    return number ? number <= batch->desc.count
                  : combgpu__get64(task) < combgpu__get64(task + 2) &&
                        combgpu__get64(task + 2) <= batch->desc.count;
}

COMBGPU__PRIVATE void combgpu__batch_nodes_release(combgpu_context *ctx, combgpu__batch *batch)
{
    struct combgpu__batch_nodes *nodes = batch->nodes;
    combgpu__batch_open *open;
    uint64_t k;
    for (open = nodes ? nodes->fresh : NULL; open; open = open->next) /* a slice that failed */
        nodes->open[combgpu__get64(open->record)] = open;
    for (k = 0; nodes && nodes->open && k < batch->desc.count; k++)
        if (nodes->open[k]) {
            combgpu__release(ctx, nodes->open[k]->memory);
            combgpu__release(ctx, nodes->open[k]);
        }
    if (nodes) combgpu__release(ctx, nodes->open);
    combgpu__release(ctx, nodes);
}

/* ---- roots */

/* Keeps an unfinished tree: graph, tasks and best tour. Returns NULL without memory. */
COMBGPU__PRIVATE combgpu__batch_open *combgpu__batch_nodes_keep(combgpu_context *ctx,
                                                                const combgpu__batch_tree *tree,
                                                                const uint32_t *record,
                                                                size_t task_words)
{
    const combgpu__branch_graph *graph = &tree->graph;
    size_t own = combgpu__branch_task_words(graph->nodes, graph->edges), i;
    size_t words = COMBGPU__BRANCH_AT_WEIGHTS((size_t)graph->nodes, (size_t)graph->edges) +
                   2 * (size_t)graph->edges;
    size_t count = (size_t)tree->work->stack_count;
    combgpu__batch_open *open;
    uint32_t *memory;
    combgpu__lock_take(combgpu__context_lock(ctx));
    open = (combgpu__batch_open *)combgpu__allocate_zeroed(ctx, sizeof *open);
    memory =
        (uint32_t *)combgpu__allocate_zeroed(ctx, (words + count * task_words) * sizeof *memory);
    if (!open || !memory) {
        combgpu__release(ctx, open);
        combgpu__release(ctx, memory);
        open = NULL;
    }
    combgpu__lock_free(combgpu__context_lock(ctx));
    if (!open) return NULL;
    memcpy(open->record, record, sizeof open->record);
    open->record[COMBGPU__BATCH_TREE_STATUS] = COMBGPU_OK;
    open->length = graph->length;
    open->tolerance = combgpu__batch_tree_tolerance(tree);
    open->cities = graph->cities;
    open->depot = graph->depot;
    open->directed = graph->directed;
    open->forced_from = graph->forced_from;
    open->forced_to = graph->forced_to;
    open->words = words;
    open->tasks = (int)count;
    open->memory = memory;
    combgpu__branch_write(graph, memory);
    for (i = 0; i < count; i++) {
        uint32_t *task = memory + words + i * task_words;
        uint64_t share;
        memcpy(task, tree->work->stack + i * own, own * sizeof *task);
        share = combgpu__get64(task + COMBGPU__BRANCH_TASK_SHARE);
        combgpu__put64(task + COMBGPU__BRANCH_TASK_SHARE,
                       share >> (62 - COMBGPU__BATCH_SHARE_BITS));
        task[task_words - 1] = (uint32_t)tree->number + 1;
    }
    return open;
}

/* Works on an instance's root and first nodes. Returns 0 if the slice ends first, or lacks room for
   its record. */
COMBGPU__PRIVATE int combgpu__batch_nodes_root(combgpu__worker *worker, uint64_t k, uint64_t *steps)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(worker->job);
    struct combgpu__batch_nodes *nodes = batch->nodes;
    combgpu_context *ctx = combgpu__context(worker->job);
    combgpu__batch_tree *tree = combgpu__batch_hold(ctx, batch->trees, k);
    combgpu__batch_open *open = NULL;
    uint32_t record[COMBGPU__BATCH_TREE_WORDS] = {0};
    uint64_t share = 0, effort = 0, before;
    int fine = 1, own;
    if (!tree) return 0;
    if (!tree->begun) {
        combgpu__batch_tree_begin(tree, batch->trees->bytes, &batch->desc, batch->trees->legs);
        worker->totals[0] += tree->effort; /* as for one thread each */
    }
    own = tree->terms.cap > 0; /* such an instance stays on the host */
    while (combgpu__batch_tree_open(tree) && (own || tree->trees < COMBGPU__BATCH_HOST_TREES) &&
           !combgpu__batch_tree_full(tree)) {
        if ((tree->root || tree->cut || own) && combgpu__batch_interrupted(worker, effort)) {
            combgpu__batch_let_go(ctx, batch->trees, tree, 0);
            return 0;
        }
        before = tree->effort;
        share += combgpu__batch_tree_continue(worker, tree);
        effort += tree->effort - before;
        worker->totals[0] += tree->effort - before;
    }
    combgpu__batch_tree_count(tree, &batch->desc);
    combgpu__batch_tree_record(tree, record);
    if (combgpu__batch_tree_open(tree) && !own) {
        open = combgpu__batch_nodes_keep(ctx, tree, record, worker->slice->task_words);
        if (!open) record[COMBGPU__BATCH_TREE_STATUS] = (uint32_t)COMBGPU_OUT_OF_MEMORY;
    }
    if (!open) fine = combgpu__emit(worker, record);
    if (fine) {
        *steps += tree->trees;
        if (!open) worker->totals[1] += combgpu__batch_tree_hash(record);
    }
    if (open) {
        worker->totals[COMBGPU__BRANCH_S_SHARES] += share >> (62 - COMBGPU__BATCH_SHARE_BITS);
        combgpu__lock_take(combgpu__context_lock(ctx));
        open->next = nodes->fresh;
        nodes->fresh = open;
        combgpu__lock_free(combgpu__context_lock(ctx));
    }
    combgpu__batch_let_go(ctx, batch->trees, tree, 1);
    return fine;
}

/* Works on the roots of the instances of tasks. Keeps the rest of a tree for devices. */
COMBGPU__PRIVATE void combgpu__batch_roots_solve(combgpu__worker *worker)
{
    combgpu__batch_large_tasks(worker, combgpu__batch_nodes_root);
}

/* Completes the description. Tasks have the same size on every backend. */
COMBGPU__PRIVATE void combgpu__batch_nodes_setup(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    combgpu_context *ctx = combgpu__context(job);
    if (!combgpu__batch_nodes_suit(desc)) return;
    if (combgpu__batch_nodes_used(ctx, desc)) {
        search->kernel.solve = combgpu__batch_roots_solve;
        batch->trees->legs = COMBGPU__BATCH_CUT_LEGS_DEVICES;
    } else if (combgpu__batch_nodes_outrun(ctx, desc))
        combgpu__log(ctx, COMBGPU_LOG_INFO,
                     "tsp batch: the host is faster at %d cities (threads: %d); the GPU stays idle",
                     desc->n, combgpu__threads(ctx));
    search->task_words = (uint32_t)combgpu__branch_task_words(combgpu__batch_graph_nodes(desc),
                                                              combgpu__batch_graph_edges(desc)) +
                         1;
    search->unsteady = combgpu__batch_nodes_used(ctx, desc);
}

/* Delivers an instance that has ended. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_nodes_deliver(combgpu_job *job,
                                                             const uint32_t *record)
{
    uint64_t *accumulators = combgpu__accumulators(job);
    combgpu__result result = combgpu__batch_large_record(job, record);
    if (result != COMBGPU__CONTINUE) return combgpu__as_status(result);
    accumulators[1] += combgpu__batch_tree_hash(record);
    return COMBGPU_OK;
}

/* ---- begin */

/* Takes each instance off the reserve once. Returns their list, of *count. */
COMBGPU__PRIVATE uint32_t *combgpu__batch_nodes_list(combgpu_job *job, size_t *count)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    size_t bytes = (size_t)batch->desc.count, tasks, i;
    const uint32_t *task = combgpu__reserve(job, &tasks);
    unsigned char *waits = (unsigned char *)combgpu__allocate_zeroed(combgpu__context(job), bytes);
    uint32_t *list = (uint32_t *)combgpu__allocate(combgpu__context(job), bytes * sizeof *list);
    uint64_t k;
    *count = 0;
    for (i = 0; waits && i < tasks; i++, task += combgpu__desc(job)->task_words) {
        uint32_t number = combgpu__batch_task_number(job, task);
        uint64_t end = number ? number : combgpu__get64(task + 2);
        for (k = number ? number - 1 : combgpu__get64(task); k < end; k++)
            waits[k] = 1;
    }
    for (k = 0; waits && list && k < batch->desc.count; k++)
        if (waits[k]) list[(*count)++] = (uint32_t)k;
    if (!waits) {
        combgpu__release(combgpu__context(job), list);
        list = NULL;
    }
    combgpu__release(combgpu__context(job), waits);
    if (list) combgpu__reserve_clear(job);
    return list;
}

/* Makes the tables, and the tasks of all trees. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_nodes_tables(combgpu_job *job)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    struct combgpu__batch_nodes *nodes = batch->nodes;
    size_t place = (size_t)COMBGPU__BATCH_AT_GRAPHS + 2 * (size_t)batch->desc.count, words = place;
    uint64_t k;
    uint32_t *tables;
    combgpu_status status;
    int i;
    for (k = 0; k < batch->desc.count; k++)
        if (nodes->open[k]) {
            const uint32_t *graph = nodes->open[k]->memory;
            words += nodes->open[k]->words;
            if ((int)graph[COMBGPU__BRANCH_AT_NODES] > nodes->nodes)
                nodes->nodes = (int)graph[COMBGPU__BRANCH_AT_NODES];
            if ((int)graph[COMBGPU__BRANCH_AT_EDGES] > nodes->edges)
                nodes->edges = (int)graph[COMBGPU__BRANCH_AT_EDGES];
        }
    status = combgpu__job_raw_tables(job, words);
    if (status) return status;
    tables = combgpu__tables(job);
    memset(tables, 0, place * sizeof *tables);
    tables[COMBGPU__BRANCH_AT_NODES] = (uint32_t)nodes->nodes;
    tables[COMBGPU__BRANCH_AT_EDGES] = (uint32_t)nodes->edges;
    for (k = 0; k < batch->desc.count && !status; k++) {
        combgpu__batch_open *open = nodes->open[k];
        if (!open) continue;
        memcpy(tables + place, open->memory, open->words * sizeof *tables);
        combgpu__put64(tables + COMBGPU__BATCH_AT_GRAPHS + 2 * k, place);
        open->place = place;
        place += open->words;
        for (i = 0; i < open->tasks && !status; i++) {
            size_t count;
            (void)combgpu__reserve(job, &count);
            status = combgpu__reserve_put(job, count,
                                          open->memory + open->words +
                                              (size_t)i * combgpu__desc(job)->task_words);
        }
        combgpu__release(combgpu__context(job), open->memory);
        open->memory = NULL;
    }
    return status;
}
