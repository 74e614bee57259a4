/* Solves a batch of instances above COMBGPU__BATCH_MOST cities, one on each of the host's threads. Once no
   instance is left, a thread works on parts of others' trees (src/tsp/branch/parts.c).
   If the slice ends first, an instance waits in its memory, and its task is spilled; a run that
   resumes a checkpoint begins it anew. */

/* A slice's duration: it ends when the last thread has ended its phase of a root, which takes several
   milliseconds at 100 cities. */
#define COMBGPU__BATCH_SLICE_MS 250

/* The memory of all trees. */
typedef struct combgpu__batch_trees {
    size_t bytes; /* of each */
    int count;
    int legs;               /* the least gap at a root for branch and cut */
    int shared;             /* threads share trees */
    volatile uint32_t idle; /* threads without work */
    uint64_t turns;
    char *memory;
} combgpu__batch_trees;

COMBGPU__PRIVATE combgpu__batch_tree *combgpu__batch_tree_at(const combgpu__batch_trees *trees,
                                                             int i)
{
    return (combgpu__batch_tree *)(void *)(trees->memory + (size_t)i * trees->bytes);
}

/* Claims the tree of an instance, or an empty one; if none is free, the one that waits longest,
   whose instance will begin anew. Trees outnumber workers. */
COMBGPU__PRIVATE combgpu__batch_tree *combgpu__batch_hold(combgpu_context *ctx,
                                                          combgpu__batch_trees *trees, uint64_t k)
{
    combgpu__batch_tree *chosen = NULL, *tree;
    int i;
    combgpu__lock_take(combgpu__context_lock(ctx));
    for (i = 0; i < trees->count; i++) {
        tree = combgpu__batch_tree_at(trees, i);
        if (tree->state == COMBGPU__BATCH_WAITING && tree->number == k) {
            chosen = tree;
            break;
        }
        if (tree->state == COMBGPU__BATCH_AT_WORK || combgpu__branch_parts_held(tree->cut))
            continue;
        if (!chosen || (chosen->state == COMBGPU__BATCH_WAITING &&
                        (tree->state == COMBGPU__BATCH_FREE || tree->turn < chosen->turn)))
            chosen = tree;
    }
    if (chosen) {
        if (chosen->state == COMBGPU__BATCH_FREE || chosen->number != k) {
            if (chosen->state == COMBGPU__BATCH_WAITING)
                combgpu__branch_parts_release(ctx, chosen->cut);
            memset(chosen, 0, sizeof *chosen);
            chosen->number = k;
        }
        chosen->state = COMBGPU__BATCH_AT_WORK;
    }
    combgpu__lock_free(combgpu__context_lock(ctx));
    return chosen;
}

COMBGPU__PRIVATE void combgpu__batch_let_go(combgpu_context *ctx, combgpu__batch_trees *trees,
                                            combgpu__batch_tree *tree, int ended)
{
    if (tree->part) combgpu__batch_part_free(ctx, tree, tree->part);
    tree->part = NULL;
    combgpu__lock_take(combgpu__context_lock(ctx));
    if (ended) {
        combgpu__branch_parts_release(ctx, tree->cut);
        tree->cut = NULL;
    }
    tree->turn = ++trees->turns;
    tree->state = ended ? COMBGPU__BATCH_FREE : COMBGPU__BATCH_WAITING;
    combgpu__lock_free(combgpu__context_lock(ctx));
}

/* Nonzero if the slice ends after this effort for an instance. */
COMBGPU__PRIVATE int combgpu__batch_interrupted(const combgpu__worker *worker, uint64_t effort)
{
    return (effort >= COMBGPU__BATCH_LEAST || !combgpu__first_slice(worker->job)) &&
           combgpu__spent(worker);
}

/* Works on a part of any tree, or naps. Returns 0 if no thread works on a tree. */
COMBGPU__PRIVATE int combgpu__batch_help(combgpu__worker *worker)
{
    combgpu__batch_trees *trees = ((const combgpu__batch *)combgpu__state(worker->job))->trees;
    combgpu_context *ctx = combgpu__context(worker->job);
    combgpu__batch_tree *tree = NULL;
    combgpu__branch_cuts *part = NULL;
    uint64_t effort = 0, more;
    int work = 0, busy, i;
    combgpu__lock_take(combgpu__context_lock(ctx));
    for (i = 0; i < trees->count && !part; i++) {
        tree = combgpu__batch_tree_at(trees, i);
        work |= tree->state == COMBGPU__BATCH_AT_WORK;
        if (tree->state != COMBGPU__BATCH_FREE) part = combgpu__branch_part_hold(tree->cut, &busy);
    }
    combgpu__lock_free(combgpu__context_lock(ctx));
    if (!part) {
        combgpu__branch_part_nap(&trees->idle);
        return work;
    }
    while (part->outcome == COMBGPU__CUT_GOES_ON && !combgpu__shared(&tree->over) &&
           !combgpu__batch_interrupted(worker, effort)) {
        more = combgpu__batch_cut_work(part, &tree->graph);
        effort += more;
        worker->totals[0] += more;
        combgpu__branch_part_share(ctx, &trees->idle, tree->cut, part);
    }
    combgpu__batch_part_free(ctx, tree, part);
    return 1;
}

/* Continues a tree; if others hold all its parts, works elsewhere. Returns the share of the tree that this
   completes. */
COMBGPU__PRIVATE uint64_t combgpu__batch_tree_continue(combgpu__worker *worker,
                                                       combgpu__batch_tree *tree)
{
    combgpu__batch_trees *trees = ((const combgpu__batch *)combgpu__state(worker->job))->trees;
    combgpu_context *ctx = combgpu__context(worker->job);
    uint64_t share;
    int busy = 0;
    if (tree->cut && !tree->part) {
        tree->part = combgpu__branch_part_take(ctx, tree->cut, &busy);
        if (!tree->part && busy) {
            (void)combgpu__batch_help(worker);
            return 0;
        }
    }
    share = combgpu__batch_tree_step(ctx, tree);
    if (tree->part) combgpu__branch_part_share(ctx, &trees->idle, tree->cut, tree->part);
    return share;
}

/* Works on instance k until it ends or the slice does. Returns nonzero if its record is stored. */
COMBGPU__PRIVATE int combgpu__batch_tree_work(combgpu__worker *worker, uint64_t k, uint64_t *steps)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(worker->job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    combgpu_context *ctx = combgpu__context(worker->job);
    combgpu__batch_tree *tree = combgpu__batch_hold(ctx, batch->trees, k);
    double began = combgpu__now();
    uint64_t effort = 0, before;
    uint32_t record[COMBGPU__BATCH_TREE_MOST] = {0};
    int spent = 0, ended = 0;
    if (!tree) return 0;
    began -= tree->seconds;
    if (!tree->begun) {
        combgpu__batch_tree_begin(tree, batch->trees->bytes, desc, batch->trees->legs);
        worker->totals[0] += tree->effort; /* budgets count all effort: see below */
    }
    while (combgpu__batch_tree_open(tree) &&
           !combgpu__batch_tree_ends(tree, desc, combgpu__now() - began) &&
           !(spent = combgpu__batch_interrupted(worker, effort))) {
        before = tree->effort;
        (void)combgpu__batch_tree_continue(worker, tree);
        effort += tree->effort - before;
        worker->totals[0] += tree->effort - before;
    }
    tree->seconds = combgpu__now() - began;
    if (!spent) {
        combgpu__batch_tree_count(tree, desc);
        combgpu__batch_tree_record(tree, record);
        ended = combgpu__emit(worker, record);
    }
    if (ended) {
        *steps += tree->trees;
        worker->totals[1] += combgpu__batch_tree_hash(record);
    }
    combgpu__batch_let_go(ctx, batch->trees, tree, ended);
    return ended;
}

/* Works on instance k; returns 0 if the slice ended first. */
typedef int (*combgpu__batch_instance)(combgpu__worker *worker, uint64_t k, uint64_t *steps);

/* Takes instances. While `work` works, totals[0] is the effort, which budgets limit; the nodes of an
   instance count when it has ended, so that a resume does not change them. The first budget that is spent
   ends the slice for all; otherwise half of the threads would wait for the longest instance. */
COMBGPU__PRIVATE void combgpu__batch_large_tasks(combgpu__worker *worker,
                                                 combgpu__batch_instance work)
{
    const uint32_t *task;
    combgpu__batch_trees *trees = ((const combgpu__batch *)combgpu__state(worker->job))->trees;
    volatile uint32_t *next = &worker->slice->task_next, *stop = &worker->slice->stop;
    uint64_t k = 0, end = 0, steps = 0;
    while (k == end && combgpu__shared(next) < worker->slice->task_count &&
           (task = combgpu__take(worker)) != NULL) {
        k = combgpu__get64(task);
        end = combgpu__get64(task + 2);
        while (k < end && !combgpu__spent(worker) && work(worker, k, &steps))
            k++;
    }
    while (k == end && trees->shared && !combgpu__shared(stop) && !combgpu__spent(worker) &&
           combgpu__batch_help(worker)) {
    }
    if (combgpu__spent(worker)) combgpu__shared_or(stop, COMBGPU__STOP_SPENT);
    combgpu__batch_give(worker, k, end);
    worker->totals[0] = steps;
}

COMBGPU__PRIVATE void combgpu__batch_large_solve(combgpu__worker *worker)
{
    combgpu__batch_large_tasks(worker, combgpu__batch_tree_work);
}

/* ---- records */

/* Unpacks a record's tour and its length, infinite with a missing leg. Returns 0 if it is not a
   tour of the recorded length. */
COMBGPU__PRIVATE int combgpu__batch_large_tour(const combgpu_job *job, const uint32_t *record,
                                               uint8_t *tour, int *cities, double *length)
{
    const combgpu_tsp_batch_desc *desc = &((const combgpu__batch *)combgpu__state(job))->desc;
    uint64_t k = combgpu__get64(record), bits;
    combgpu_tsp_instance points;
    combgpu__tsp_sum sum;
    unsigned char seen[COMBGPU_TSP_BATCH_DIMENSION] = {0};
    int scale = (int)record[COMBGPU__BATCH_TREE_SCALE], missing = 0, legs, n, i;
    int bare = scale == COMBGPU__BATCH_TREE_BITS;
    int front = COMBGPU__TSP_START(desc), back = COMBGPU__TSP_END(desc);
    int64_t units = 0;
    if (k >= desc->count || (!bare && (scale < -2000 || scale > 2000))) return 0;
    memset(&points, 0, sizeof points);
    memset(&sum, 0, sizeof sum);
    points.n = *cities = n = desc->cities ? desc->cities[k] : desc->n;
    points.metric = desc->metric;
    points.x = desc->x ? (double *)desc->x + k * (uint64_t)desc->n : NULL; /* read only */
    points.y = desc->y ? (double *)desc->y + k * (uint64_t)desc->n : NULL;
    legs = combgpu__tsp_legs(n, desc->shape);
    for (i = 0; i < n; i++) {
        tour[i] = (uint8_t)(record[COMBGPU__BATCH_TREE_TOUR + i / 4] >> i % 4 * 8);
        if (tour[i] >= n || seen[tour[i]]++) return 0;
    }
    if (front >= 0 && tour[0] != front) return 0;
    if (back >= 0 && tour[n - 1] != back) return 0;
    for (i = 0; i < legs; i++) {
        int from = tour[i], to = tour[(i + 1) % n];
        double weight = desc->x ? combgpu__tsp_weight(&points, from, to)
                                : combgpu__batch_given(desc, k, from, to);
        missing |= combgpu__tsp_missing(weight);
        if (missing) continue;
        combgpu__tsp_sum_add(&sum, weight);
        if (!bare && !(ldexp(weight, scale) < 4611686018427387904.0)) return 0;
        if (!bare) units += combgpu__tsp_cost(weight, scale);
    }
    *length = missing ? HUGE_VAL : combgpu__tsp_sum_round(&sum, 0);
    memcpy(&bits, length, sizeof bits);
    return (!missing || bare) &&
           (bare ? bits : (uint64_t)units) == combgpu__get64(record + COMBGPU__BATCH_TREE_LENGTH);
}

/* Says why the search of instance k failed. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_large_fail(combgpu_job *job, combgpu_status status,
                                                          uint64_t k)
{
    const combgpu_tsp_batch_desc *desc = &((const combgpu__batch *)combgpu__state(job))->desc;
    combgpu_context *ctx = combgpu__context(job);
    int n = desc->cities ? desc->cities[k] : desc->n, from = 0, to = 0, i;
    double most = -1;
    if (status != COMBGPU_UNSUPPORTED)
        return combgpu__fail(ctx, status,
                             "out of memory for the search tree of instance %llu (counted from 0)",
                             (unsigned long long)k);
    for (i = 0; i < n * n; i++) {
        double weight = combgpu__batch_given(desc, k, i / n, i % n);
        if (i % (n + 1) == 0 || combgpu__tsp_missing(weight) || weight <= most) continue;
        most = weight;
        from = i / n;
        to = i % n;
    }
    (void)combgpu__tsp_terms_refuse(ctx, most, from, to);
    return combgpu__batch_name_instance(ctx, status, k);
}

COMBGPU__PRIVATE combgpu__result combgpu__batch_large_record(combgpu_job *job,
                                                             const uint32_t *record)
{
    const combgpu_tsp_batch_desc *desc = &((const combgpu__batch *)combgpu__state(job))->desc;
    combgpu_status status = (combgpu_status)(int32_t)record[COMBGPU__BATCH_TREE_STATUS];
    uint64_t k = combgpu__get64(record), bits = combgpu__get64(record + COMBGPU__BATCH_TREE_BOUND);
    uint8_t tour[COMBGPU_TSP_BATCH_DIMENSION];
    double bound, length;
    int n, found;
    if (status < 0) return combgpu__as_result(combgpu__batch_large_fail(job, status, k));
    if (!combgpu__batch_large_tour(job, record, tour, &n, &length))
        return combgpu__as_result(combgpu__fail(
            combgpu__context(job), COMBGPU_WRONG_RESULT,
            "branch and bound reports a wrong tour of instance %llu", (unsigned long long)k));
    memcpy(&bound, &bits, sizeof bound);
    found = length <= 1e305;
    if (found && bound > length) bound = length;
    combgpu__accumulators(job)[status ? COMBGPU__BATCH_BOUNDED : COMBGPU__BATCH_SOLVED]++;
    if (desc->lengths) desc->lengths[k] = length;
    if (desc->lower_bounds) desc->lower_bounds[k] = bound;
    if (desc->states)
        desc->states[k] = (uint8_t)(status  ? COMBGPU_TSP_BOUNDED
                                    : found ? COMBGPU_TSP_PROVEN
                                            : COMBGPU_TSP_NO_TOUR);
    if (desc->tours && found) memcpy(desc->tours + (size_t)k * (size_t)desc->n, tour, (size_t)n);
    return COMBGPU__CONTINUE;
}

COMBGPU__PRIVATE int combgpu__batch_large_validate_record(combgpu_job *job, const uint32_t *record)
{
    uint8_t tour[COMBGPU_TSP_BATCH_DIMENSION];
    double length;
    int n;
    return record[COMBGPU__BATCH_TREE_STATUS] <= COMBGPU_STOPPED &&
           combgpu__batch_large_tour(job, record, tour, &n, &length);
}

/* ---- begin */

/* Copies the caller's arrays, which may die after begin. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_large_copy(combgpu_context *ctx,
                                                          combgpu__batch *batch)
{
    combgpu_tsp_batch_desc *desc = &batch->desc;
    size_t count = (size_t)desc->count, n = (size_t)desc->n, bytes[4], i;
    const void *from[4];
    from[0] = desc->cities;
    from[1] = desc->x ? desc->x : desc->weights;
    from[2] = desc->y;
    from[3] = desc->int_weights;
    bytes[0] = combgpu__bytes(count, sizeof(int));
    bytes[2] = combgpu__bytes(count, n * sizeof(double));
    bytes[1] = desc->x ? bytes[2] : combgpu__bytes(count, n * n * sizeof(double));
    bytes[3] = combgpu__bytes(count, n * n * sizeof(int32_t));
    for (i = 0; i < 4; i++) {
        if (!from[i]) continue;
        batch->copies[i] = combgpu__allocate(ctx, bytes[i]);
        if (!batch->copies[i]) return combgpu__no_memory(ctx, bytes[i]);
        memcpy(batch->copies[i], from[i], bytes[i]);
    }
    desc->cities = (const int *)batch->copies[0];
    *(desc->x ? &desc->x : &desc->weights) = (const double *)batch->copies[1];
    desc->y = (const double *)batch->copies[2];
    desc->int_weights = (const int32_t *)batch->copies[3];
    return COMBGPU_OK;
}

/* Checks 128 instances. */
COMBGPU__PRIVATE void combgpu__batch_large_pass(void *user, int block, int thread)
{
    combgpu__batch_loading *l = (combgpu__batch_loading *)user;
    uint64_t k = (uint64_t)block * 128, end = k + 128, sum = 0, bad = l->desc->count;
    (void)thread;
    for (; k < end && k < l->desc->count; k++)
        if (combgpu__batch_check_one(NULL, l->desc, k, &sum) && k < bad) bad = k;
    combgpu__batch_loaded(l, sum, bad);
}

/* Checks all instances; *hash identifies them. Returns the first invalid one, or the count. */
COMBGPU__PRIVATE uint64_t combgpu__batch_large_load(combgpu_context *ctx,
                                                    const combgpu_tsp_batch_desc *desc,
                                                    uint64_t *hash)
{
    combgpu__batch_loading l;
    memset(&l, 0, sizeof l);
    l.desc = desc;
    l.bad = desc->count;
    combgpu__loop(ctx, combgpu__threads(ctx), (int)((desc->count + 127) / 128), 1,
                  combgpu__batch_large_pass, &l);
    *hash = l.sum;
    return l.bad;
}

/* Reserves memory for trees: one per worker, and some for those that wait. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_large_trees(combgpu_context *ctx,
                                                           combgpu__batch *batch)
{
    size_t bytes = sizeof *batch->trees;
    combgpu__batch_trees *trees = (combgpu__batch_trees *)combgpu__allocate_zeroed(ctx, bytes);
    int i;
    batch->trees = trees;
    if (!trees) return combgpu__no_memory(ctx, bytes);
    trees->bytes = combgpu__batch_tree_bytes(batch->desc.n, !batch->desc.x);
    trees->count = combgpu__threads(ctx) + 8;
    trees->legs = COMBGPU__BATCH_CUT_LEGS;
    trees->shared = combgpu__threads(ctx) > 1 && !batch->desc.instance_steps &&
                    !(batch->desc.instance_seconds > 0);
    bytes = combgpu__bytes((size_t)trees->count, trees->bytes);
    trees->memory = (char *)combgpu__allocate(ctx, bytes);
    if (!trees->memory) return combgpu__no_memory(ctx, bytes);
    for (i = 0; i < trees->count; i++)
        memset(combgpu__batch_tree_at(trees, i), 0, sizeof(combgpu__batch_tree));
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__batch_trees_release(combgpu_context *ctx,
                                                   combgpu__batch_trees *trees)
{
    int i;
    for (i = 0; trees && trees->memory && i < trees->count; i++)
        if (combgpu__batch_tree_at(trees, i)->state != COMBGPU__BATCH_FREE)
            combgpu__branch_parts_release(ctx, combgpu__batch_tree_at(trees, i)->cut);
    if (trees) combgpu__release(ctx, trees->memory);
    combgpu__release(ctx, trees);
}

/* Completes the description of a batch of larger instances. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_large_setup(combgpu_job *job)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    uint64_t hash, bad = combgpu__batch_large_load(ctx, desc, &hash);
    combgpu_status status;
    char number[40];
    if (bad < desc->count) return combgpu__batch_refuse(ctx, desc, bad);
    status = combgpu__batch_large_copy(ctx, batch);
    if (!status) status = combgpu__batch_large_trees(ctx, batch);
    if (status) return status;
    memset(&search->kernel, 0, sizeof search->kernel);
    search->kernel.solve = combgpu__batch_large_solve;
    search->kernel.lanes_per_worker = search->kernel.lanes_per_block = 1;
    search->kernel.left_per_worker = 1;
    search->kernel.first_budget = 4096;
    search->kernel.slice_ms = COMBGPU__BATCH_SLICE_MS;
    search->record_words =
        desc->n > COMBGPU__BRANCH_NARROW ? COMBGPU__BATCH_TREE_MOST : COMBGPU__BATCH_TREE_WORDS;
    search->record_capacity = desc->count < 1u << 14 ? (uint32_t)desc->count : 1u << 14;
    search->unsteady = desc->instance_seconds > 0;
    snprintf(search->parameters, sizeof search->parameters,
             "batch %llu n %d shape %d ends %d %d metric %d seed %llu limits %llu %s weights "
             "%016llx",
             (unsigned long long)desc->count, desc->n, (int)desc->shape,
             COMBGPU__TSP_START(desc) + 1, COMBGPU__TSP_END(desc) + 1,
             desc->x ? (int)desc->metric : 0, (unsigned long long)desc->seed,
             (unsigned long long)desc->instance_steps,
             combgpu__number_text(number, 17, desc->instance_seconds), (unsigned long long)hash);
    return COMBGPU_OK;
}
