/* A batch of larger instances on devices: the C solver of nodes, better tours and answers. */

/* ---- the C solver */

/* A worker's memory: a tree, the ends of its edges, a task, the node under construction. */
#define COMBGPU__BATCH_AT_ENDS ((sizeof(combgpu__batch_tree) + 63) / 64 * 64)
COMBGPU__PRIVATE size_t combgpu__batch_at_task(int edges)
{
    return COMBGPU__BATCH_AT_ENDS + ((size_t)edges * 4 + 63) / 64 * 64;
}

COMBGPU__PRIVATE size_t combgpu__batch_at_work(int edges, size_t task_words)
{
    return combgpu__batch_at_task(edges) + (task_words * sizeof(uint32_t) + 63) / 64 * 64;
}

COMBGPU__PRIVATE size_t combgpu__batch_nodes_bytes(int nodes, int edges, size_t task_words)
{
    return (combgpu__batch_at_work(edges, task_words) + combgpu__branch_work_bytes(nodes, edges) +
            63) /
           64 * 64;
}

/* Switches to a task and its instance's graph. */
COMBGPU__PRIVATE void combgpu__batch_nodes_turn(combgpu__batch_tree *tree, const uint32_t *tables,
                                                const uint32_t *task, size_t task_words)
{
    combgpu__branch_graph *graph = &tree->graph;
    uint32_t number = task[task_words - 1];
    const uint32_t *at =
        tables + combgpu__get64(tables + COMBGPU__BATCH_AT_GRAPHS + 2 * (uint64_t)(number - 1));
    int nodes = (int)at[COMBGPU__BRANCH_AT_NODES], edges = (int)at[COMBGPU__BRANCH_AT_EDGES], i;
    const uint32_t *begin = at + COMBGPU__BRANCH_AT_ENDS + edges;
    if (!graph->tour) combgpu__branch_arrays_at(graph, COMBGPU__BATCH_CITIES, tree->arrays);
    tree->number = number;
    graph->nodes = nodes;
    graph->edges = edges;
    graph->cities = (int)at[COMBGPU__BRANCH_AT_CITIES];
    graph->directed = (int)at[COMBGPU__BRANCH_AT_DIRECTED];
    graph->grain = (int64_t)combgpu__get64(at + COMBGPU__BRANCH_AT_GRAIN);
    graph->length = (int64_t)combgpu__get64(at + COMBGPU__BRANCH_AT_LENGTH);
    /* tables are in the machine's byte order; all that follows is only read */
    graph->weights = (int64_t *)(void *)(uint32_t *)(at + COMBGPU__BRANCH_AT_WEIGHTS(nodes, edges));
    graph->incident = (int32_t *)(void *)(uint32_t *)(begin + nodes + 1);
    for (i = 0; i <= nodes; i++)
        graph->incident_begin[i] = (int32_t)begin[i];
    graph->ends = (uint16_t *)(void *)((char *)tree + COMBGPU__BATCH_AT_ENDS);
    for (i = 0; i < edges; i++) {
        graph->ends[2 * i] = (uint16_t)at[COMBGPU__BRANCH_AT_ENDS + i];
        graph->ends[2 * i + 1] = (uint16_t)(at[COMBGPU__BRANCH_AT_ENDS + i] >> 16);
    }
    tree->work =
        combgpu__branch_work_at((char *)tree + combgpu__batch_at_work(edges, task_words), graph);
    tree->work->length = graph->length;
    memcpy(tree->work->stack, task, combgpu__branch_task_words(nodes, edges) * sizeof *task);
    tree->work->stack_count = 1;
}

/* Processes a node. Returns 0 without room for a better tour, which is found again later. */
COMBGPU__PRIVATE int combgpu__batch_nodes_step(combgpu__worker *worker, combgpu__batch_tree *tree)
{
    combgpu__branch_work *work = tree->work;
    size_t own = combgpu__branch_task_words(tree->graph.nodes, tree->graph.edges);
    uint32_t *node = (uint32_t *)(void *)((char *)tree + combgpu__batch_at_task(tree->graph.edges));
    uint32_t record[COMBGPU__BATCH_TREE_WORDS] = {0};
    int64_t length = tree->graph.length;
    uint64_t trees = tree->trees, share;
    int i;
    memcpy(node, work->stack + (size_t)(work->stack_count - 1) * own, own * sizeof *node);
    share = combgpu__batch_tree_node(tree);
    if (tree->graph.length < length) {
        combgpu__put64(record, tree->number - 1);
        record[COMBGPU__BATCH_TREE_STATUS] = COMBGPU__BATCH_TREE_NEWS;
        combgpu__put64(record + COMBGPU__BATCH_TREE_LENGTH, (uint64_t)tree->graph.length);
        for (i = 0; i < tree->graph.cities; i++)
            record[COMBGPU__BATCH_TREE_TOUR + i / 4] |= (uint32_t)tree->graph.tour[i] << i % 4 * 8;
        if (!combgpu__emit(worker, record)) { /* a node with a better tour has no children */
            tree->graph.length = work->length = length;
            memcpy(combgpu__branch_top(work), node, own * sizeof *node);
            work->stack_count++;
            return 0;
        }
    }
    worker->totals[0] += tree->trees - trees;
    worker->totals[COMBGPU__BRANCH_S_SHARES] += share;
    return 1;
}

COMBGPU__PRIVATE void combgpu__batch_nodes_solve(combgpu__worker *worker)
{
    const combgpu__job_desc *search = combgpu__desc(worker->job);
    const uint32_t *tables = combgpu__tables(worker->job), *task;
    size_t words = worker->slice->task_words;
    combgpu__batch_tree *tree =
        (combgpu__batch_tree *)(void *)((char *)worker->work +
                                        worker->index * search->cpu_work_bytes_per_worker);
    memset(tree, 0, sizeof *tree);
    for (;;) {
        if (!tree->work || !tree->work->stack_count) {
            task = combgpu__take(worker);
            if (!task) break;
            combgpu__batch_nodes_turn(tree, tables, task, words);
        }
        if (combgpu__spent(worker) || tree->work->stack_count + 3 > COMBGPU__BRANCH_OPEN) break;
        if (!combgpu__batch_nodes_step(worker, tree)) break;
    }
    while (tree->work && tree->work->stack_count) { /* deepest first, as branch and bound */
        uint32_t *left =
            (uint32_t *)(void *)((char *)tree + combgpu__batch_at_task(tree->graph.edges));
        size_t own = combgpu__branch_task_words(tree->graph.nodes, tree->graph.edges);
        tree->work->stack_count--;
        memset(left, 0, words * sizeof *left);
        memcpy(left, combgpu__branch_top(tree->work), own * sizeof *left);
        left[words - 1] = (uint32_t)tree->number;
        combgpu__give(worker, left);
    }
}

/* ---- better tours and answers */

/* Poses instance k with a record's tour. Returns 0 if that is not a tour. */
COMBGPU__PRIVATE int combgpu__batch_nodes_pose(const combgpu__batch_open *open,
                                               combgpu__batch_tree *tree, const uint32_t *record)
{
    combgpu__branch_graph *graph = &tree->graph;
    unsigned char seen[COMBGPU__BATCH_CITIES] = {0};
    int forced, i;
    combgpu__branch_arrays_at(graph, COMBGPU__BATCH_CITIES, tree->arrays);
    graph->cities = open->cities;
    graph->depot = open->depot;
    graph->directed = open->directed;
    graph->forced_from = open->forced_from;
    graph->forced_to = open->forced_to;
    forced = graph->forced_from < 0;
    for (i = 0; i < graph->cities; i++) {
        int city = (int)(record[COMBGPU__BATCH_TREE_TOUR + i / 4] >> i % 4 * 8 & 255);
        if (city >= graph->cities || seen[city]++) return 0;
        graph->tour[i] = city;
    }
    for (i = 0; i < graph->cities; i++)
        forced |= combgpu__branch_forced(graph, graph->tour[i],
                                         graph->tour[i + 1 == graph->cities ? 0 : i + 1]);
    return forced;
}

/* Takes a better tour of an unfinished tree; ignores one of an earlier run. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_nodes_news(combgpu_job *job, const uint32_t *record)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    combgpu_context *ctx = combgpu__context(job);
    uint64_t k = combgpu__get64(record);
    combgpu__batch_open *open = batch->nodes ? batch->nodes->open[k] : NULL;
    int64_t length = (int64_t)combgpu__get64(record + COMBGPU__BATCH_TREE_LENGTH);
    size_t n = (size_t)desc->n, bytes = sizeof(combgpu__batch_tree) + n * n * sizeof(double);
    uint32_t better[COMBGPU__BATCH_TREE_WORDS] = {0};
    combgpu__batch_tree *tree;
    combgpu_status status;
    if (!open || length >= open->length) return COMBGPU_OK;
    tree = (combgpu__batch_tree *)combgpu__allocate_zeroed(ctx, bytes);
    if (!tree) return combgpu__no_memory(ctx, bytes);
    tree->number = k;
    status = combgpu__batch_weigh(ctx, desc, k, (double *)(void *)(tree + 1), &tree->one);
    tree->terms.given = tree->one.instance;
    if (!status) status = combgpu__tsp_check_weights(ctx, &tree->one.instance, &tree->kind);
    if (!status && combgpu__batch_nodes_pose(open, tree, record)) {
        combgpu__batch_tree_record(tree, better);
        if (combgpu__get64(better + COMBGPU__BATCH_TREE_LENGTH) <=
            combgpu__get64(open->record + COMBGPU__BATCH_TREE_LENGTH)) {
            memcpy(open->record, better, sizeof better);
            open->length = length;
        }
    }
    combgpu__release(ctx, tree);
    if (!status && open->length != length)
        status = combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                               "kernel %s reports a wrong tour of instance %llu",
                               combgpu__desc(job)->kernel.name, (unsigned long long)k);
    if (!status)
        combgpu__change_tables(job, (size_t)open->place + COMBGPU__BRANCH_AT_LENGTH,
                               record + COMBGPU__BATCH_TREE_LENGTH, 2);
    return status;
}

COMBGPU__PRIVATE void combgpu__batch_nodes_close(combgpu_context *ctx,
                                                 struct combgpu__batch_nodes *nodes, uint64_t k)
{
    if (!nodes->open[k]) return;
    combgpu__release(ctx, nodes->open[k]);
    nodes->open[k] = NULL;
    nodes->count--;
}

COMBGPU__PRIVATE combgpu__result combgpu__batch_nodes_record(combgpu_job *job,
                                                             const uint32_t *record)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    uint32_t answer[COMBGPU__BATCH_TREE_WORDS];
    combgpu_status status;
    if (record[COMBGPU__BATCH_TREE_STATUS] == COMBGPU__BATCH_TREE_ANSWER) {
        memcpy(answer, record, sizeof answer);
        answer[COMBGPU__BATCH_TREE_STATUS] = COMBGPU_OK;
        status = combgpu__batch_nodes_deliver(job, answer);
        if (!status && batch->nodes) /* from a snapshot, after a device has failed */
            combgpu__batch_nodes_close(combgpu__context(job), batch->nodes, combgpu__get64(answer));
    } else if (record[COMBGPU__BATCH_TREE_STATUS] == COMBGPU__BATCH_TREE_NEWS)
        status = combgpu__batch_nodes_news(job, record);
    else
        return combgpu__batch_large_record(job, record);
    return status ? combgpu__as_result(status) : COMBGPU__CONTINUE;
}

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE int combgpu__batch_nodes_validate_record(combgpu_job *job, const uint32_t *record)
{
    uint32_t answer[COMBGPU__BATCH_TREE_WORDS];
    memcpy(answer, record, sizeof answer);
    if (record[COMBGPU__BATCH_TREE_STATUS] == COMBGPU__BATCH_TREE_ANSWER)
        answer[COMBGPU__BATCH_TREE_STATUS] = COMBGPU_OK;
    if (record[COMBGPU__BATCH_TREE_STATUS] != COMBGPU__BATCH_TREE_NEWS)
        return combgpu__batch_large_validate_record(job, answer);
    return combgpu__get64(record) < ((const combgpu__batch *)combgpu__state(job))->desc.count;
}

/* Marks the instances that have tasks in the reserve. */
COMBGPU__PRIVATE void combgpu__batch_nodes_mark_reserve(const combgpu_job *job,
                                                        unsigned char *waits)
{
    size_t words = combgpu__desc(job)->task_words, reserved, i;
    const uint32_t *task = combgpu__reserve(job, &reserved);
    for (i = 0; i < reserved; i++)
        waits[task[(i + 1) * words - 1] - 1] = 1;
}

/* Marks the instances that have tasks. Returns 0 without memory. Only for one device, or none. */
COMBGPU__PRIVATE int combgpu__batch_nodes_mark(const combgpu_job *job,
                                               const combgpu__executor *executor,
                                               unsigned char *waits)
{
    combgpu_context *ctx = combgpu__context(job);
    size_t words = combgpu__desc(job)->task_words, i;
    size_t bytes = combgpu__bytes((size_t)combgpu__pool_room(job), words * sizeof(uint32_t));
    uint32_t *pool = (uint32_t *)combgpu__allocate(ctx, bytes), count = 0;
    int fine = pool && combgpu__slice_tasks(job, executor, pool, &count) == COMBGPU_OK;
    combgpu__batch_nodes_mark_reserve(job, waits);
    for (i = 0; fine && i < count; i++)
        waits[pool[(i + 1) * words - 1] - 1] = 1;
    combgpu__release(ctx, pool);
    return fine;
}

/* Takes the better tours among the records that are not yet delivered. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_nodes_hear(combgpu_job *job)
{
    combgpu_status status = COMBGPU_OK;
    size_t count, i;
    const uint32_t *record = combgpu__pending(job, &count);
    for (i = 0; i < count && !status; i++, record += combgpu__desc(job)->record_words)
        if (record[COMBGPU__BATCH_TREE_STATUS] == COMBGPU__BATCH_TREE_NEWS)
            status = combgpu__batch_nodes_news(job, record);
    return status;
}

/* After the last root: the open nodes become tasks, and devices join in. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_nodes_move(combgpu_job *job)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    struct combgpu__batch_nodes *nodes = batch->nodes;
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__kernel kernel;
    combgpu_status status;
    nodes->roots = 0;
    if (!nodes->count) return COMBGPU_OK;
    combgpu__reserve_clear(job);
    status = combgpu__batch_nodes_tables(job);
    search->kernel.solve = combgpu__batch_nodes_solve;
    search->kernel.left_per_worker = COMBGPU__BRANCH_OPEN;
    search->kernel.first_budget = 256;
    search->kernel.slice_ms = 0;
    search->cpu_work_bytes_per_worker =
        combgpu__batch_nodes_bytes(nodes->nodes, nodes->edges, search->task_words);
    search->work_bytes_per_worker =
        COMBGPU__BRANCH_WORK_WORDS((size_t)nodes->nodes, (size_t)nodes->edges,
                                   (size_t)search->task_words) *
        sizeof(uint32_t);
    kernel = search->kernel;
    kernel.name = "combgpu_tsp_branch_batch";
    kernel.lanes_per_worker = kernel.lanes_per_block = 32;
    if (!status) combgpu__change_kernel(job, &kernel);
    return status;
}

/* After a slice of roots: defers the instances of its larger trees. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_roots_done(combgpu_job *job)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    struct combgpu__batch_nodes *nodes = batch->nodes;
    uint32_t task[COMBGPU__BATCH_TASK_MOST] = {0};
    combgpu_status status = COMBGPU_OK;
    while (nodes->fresh && !status) {
        combgpu__batch_open *open = nodes->fresh;
        uint64_t k = combgpu__get64(open->record);
        combgpu__put64(task, k);
        combgpu__put64(task + 2, k + 1);
        status = combgpu__defer(job, task);
        nodes->fresh = open->next;
        nodes->open[k] = open;
        nodes->count++;
        nodes->all++;
    }
    return status || combgpu__tasks_left(job) > nodes->count ? status
                                                             : combgpu__batch_nodes_move(job);
}

/* The record of a tree that is done. */
COMBGPU__PRIVATE const uint32_t *combgpu__batch_nodes_answer(combgpu__batch_open *open,
                                                             uint32_t kind)
{
    double length = ldexp((double)combgpu__get64(open->record + COMBGPU__BATCH_TREE_LENGTH),
                          -(int)open->record[COMBGPU__BATCH_TREE_SCALE]);
    length = length > open->tolerance ? length - open->tolerance : 0;
    memcpy(open->record + COMBGPU__BATCH_TREE_BOUND, &length, sizeof length);
    open->record[COMBGPU__BATCH_TREE_STATUS] = kind;
    return open->record;
}

/* A checkpoint has unfinished trees as tasks, and finished but unanswered ones as waiting
   answers. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_nodes_saving(combgpu_job *job)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    struct combgpu__batch_nodes *nodes = batch->nodes;
    combgpu_context *ctx = combgpu__context(job);
    size_t bytes = (size_t)batch->desc.count;
    combgpu_status status;
    unsigned char *waits;
    size_t done = 0;
    uint64_t k;
    if (!nodes || nodes->roots || !nodes->count) return COMBGPU_OK;
    waits = (unsigned char *)combgpu__allocate_zeroed(ctx, bytes);
    if (!waits) return combgpu__no_memory(ctx, bytes);
    combgpu__batch_nodes_mark_reserve(job, waits);
    status = combgpu__batch_nodes_hear(job);
    for (k = 0; k < batch->desc.count; k++)
        done += nodes->open[k] && !waits[k];
    if (!status) status = combgpu__pending_room(job, done);
    for (k = 0; k < batch->desc.count && !status; k++)
        if (nodes->open[k] && !waits[k])
            combgpu__pending_add(
                job, combgpu__batch_nodes_answer(nodes->open[k], COMBGPU__BATCH_TREE_ANSWER));
    combgpu__release(ctx, waits);
    return status;
}

/* Answers the instances whose trees are done: all after the last slice; with one device also now
   and then those without tasks, in a fiftieth of the time. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_nodes_done(combgpu_job *job,
                                                          const combgpu__executor *executor,
                                                          uint64_t *accumulators)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    struct combgpu__batch_nodes *nodes = batch->nodes;
    combgpu_context *ctx = combgpu__context(job);
    size_t bytes = (size_t)batch->desc.count;
    double began = combgpu__now();
    combgpu_status status = COMBGPU_OK;
    unsigned char *waits;
    uint64_t k;
    int last, known;
    (void)accumulators;
    if (nodes && nodes->roots) return combgpu__batch_roots_done(job);
    if (!nodes || !nodes->count) return COMBGPU_OK;
    last = !combgpu__tasks_left(job);
    if (!last && (combgpu__device_context(ctx, 1) || began < nodes->next)) return COMBGPU_OK;
    waits = (unsigned char *)combgpu__allocate_zeroed(ctx, bytes);
    known = waits && (last || combgpu__batch_nodes_mark(job, executor, waits));
    if (known) status = combgpu__batch_nodes_hear(job);
    for (k = 0; known && k < batch->desc.count && !status; k++) {
        combgpu__batch_open *open = nodes->open[k];
        if (!open || waits[k]) continue;
        status = combgpu__batch_nodes_deliver(job, combgpu__batch_nodes_answer(open, COMBGPU_OK));
        combgpu__batch_nodes_close(ctx, nodes, k);
    }
    combgpu__release(ctx, waits);
    nodes->next = combgpu__now() + 50 * (combgpu__now() - began);
    return last && !known ? combgpu__no_memory(ctx, bytes) : status;
}

/* ---- begin */

/* Instances that a resumed run finds as nodes begin anew: their ranges replace all tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_nodes_anew(combgpu_job *job)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    uint32_t task[COMBGPU__BATCH_TASK_MOST] = {0};
    combgpu_status status = COMBGPU_OK;
    size_t count, last, i;
    uint32_t *list = combgpu__batch_nodes_list(job, &count);
    if (!list)
        return combgpu__no_memory(combgpu__context(job), (size_t)batch->desc.count * sizeof *list);
    for (i = 0; i < count && !status; i++) {
        combgpu__put64(task, list[i]);
        combgpu__put64(task + 2, list[i] + UINT64_C(1));
        (void)combgpu__reserve(job, &last);
        status = combgpu__reserve_put(job, last, task);
    }
    combgpu__release(combgpu__context(job), list);
    return status;
}

/* After the start of a job: prepares for the plan at the top of tsp/batch/nodes.c. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_nodes_begin(combgpu_job *job)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    size_t bytes = (size_t)batch->desc.count * sizeof(combgpu__batch_open *), count, i;
    const uint32_t *task = combgpu__reserve(job, &count);
    int nodes = 0;
    if (!combgpu__batch_nodes_suit(&batch->desc)) return COMBGPU_OK;
    for (i = 0; i < count && !nodes; i++, task += combgpu__desc(job)->task_words)
        nodes = combgpu__batch_task_number(job, task) != 0;
    if (combgpu__batch_nodes_used(ctx, &batch->desc)) {
        combgpu__accumulators(job)[COMBGPU__BRANCH_S_SHARES] = 0;
        batch->nodes =
            (struct combgpu__batch_nodes *)combgpu__allocate_zeroed(ctx, sizeof *batch->nodes);
        if (!batch->nodes) return combgpu__no_memory(ctx, sizeof *batch->nodes);
        batch->nodes->roots = 1;
        batch->nodes->open = (combgpu__batch_open **)combgpu__allocate_zeroed(ctx, bytes);
        if (!batch->nodes->open) return combgpu__no_memory(ctx, bytes);
    }
    return nodes ? combgpu__batch_nodes_anew(job) : COMBGPU_OK;
}
COMBGPU__COLD_END
