/* Runs the job that finds common legs. */

/* Words of a record: instance, status, legs with 2 bits each. */
#define COMBGPU__BATCH_COMMON_WORDS (COMBGPU__BATCH_COMMON_LEGS + COMBGPU_TSP_BATCH_DIMENSION / 16)
#define COMBGPU__BATCH_COMMON_UNIQUE (COMBGPU__TOTALS + 2) /* in combgpu__accumulators(job) */

/* The job's state. SOLVED counts instances whose legs are known, BOUNDED the others. */
typedef struct combgpu__batch_common {
    combgpu__batch batch;   /* first: a batch's functions take it */
    uint8_t *tours, *given; /* the caller's, copied; of instances without proof, given[k] is 0 */
    uint8_t *to;            /* the caller's `common` */
} combgpu__batch_common;

/* ---- the solver */

/* Works on instance k until it ends or the slice does. Returns nonzero if its record is stored. */
COMBGPU__PRIVATE int combgpu__batch_common_work(combgpu__worker *worker, uint64_t k,
                                                uint64_t *steps)
{
    const combgpu__batch_common *state = (const combgpu__batch_common *)combgpu__state(worker->job);
    const combgpu_tsp_batch_desc *desc = &state->batch.desc;
    combgpu__batch_trees *trees = state->batch.trees;
    combgpu_context *ctx = combgpu__context(worker->job);
    const uint8_t *tour = state->tours + k * (uint64_t)desc->n;
    combgpu__batch_tree *tree = combgpu__batch_hold(ctx, trees, k);
    double began = combgpu__now();
    uint32_t record[COMBGPU__BATCH_COMMON_WORDS] = {0};
    uint64_t effort = 0, before;
    int spent = 0, ended = 0, n, i;
    if (!tree) return 0;
    began -= tree->seconds;
    if (!tree->begun) {
        combgpu__batch_tree_lay(tree, trees->bytes);
        if (state->given[k]) tree->status = combgpu__batch_common_root(tree, desc, tour);
        worker->totals[0] += tree->effort = tree->trees + 1;
    }
    while (state->given[k] && !tree->status &&
           !combgpu__batch_tree_ends(tree, desc, combgpu__now() - began) &&
           !(spent = effort >= COMBGPU__BATCH_LEAST && combgpu__spent(worker))) {
        before = tree->effort;
        if (!combgpu__batch_common_step(ctx, tree)) break;
        effort += tree->effort - before;
        worker->totals[0] += tree->effort - before;
    }
    tree->seconds = combgpu__now() - began;
    if (!spent) {
        n = desc->cities ? desc->cities[k] : desc->n;
        n = combgpu__tsp_legs(n, desc->shape);
        combgpu__put64(record, k);
        record[COMBGPU__BATCH_TREE_STATUS] = (uint32_t)tree->status;
        for (i = 0; i < n && !state->given[k]; i++)
            record[COMBGPU__BATCH_COMMON_LEGS + i / 16] |= (uint32_t)COMBGPU_TSP_LEG_UNKNOWN
                                                           << i % 16 * 2;
        if (state->given[k] && !tree->status) combgpu__batch_common_record(tree, tour, n, record);
        ended = combgpu__emit(worker, record);
    }
    if (ended) {
        uint64_t hash = k;
        for (i = 0; i < COMBGPU__BATCH_COMMON_WORDS; i++)
            hash = combgpu__mix(hash + record[i]);
        *steps += tree->trees;
        worker->totals[1] += hash;
    }
    combgpu__batch_let_go(ctx, trees, tree, ended);
    return ended;
}

COMBGPU__PRIVATE void combgpu__batch_common_solve(combgpu__worker *worker)
{
    combgpu__batch_large_tasks(worker, combgpu__batch_common_work);
}

/* ---- records */

COMBGPU__PRIVATE int combgpu__batch_common_known(const uint32_t *record, int leg)
{
    return (int)(record[COMBGPU__BATCH_COMMON_LEGS + leg / 16] >> leg % 16 * 2 & 3);
}

COMBGPU__PRIVATE combgpu__result combgpu__batch_common_deliver(combgpu_job *job,
                                                               const uint32_t *record)
{
    const combgpu__batch_common *state = (const combgpu__batch_common *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &state->batch.desc;
    combgpu_status status = (combgpu_status)(int32_t)record[COMBGPU__BATCH_TREE_STATUS];
    uint64_t k = combgpu__get64(record);
    int n = desc->cities ? desc->cities[k] : desc->n, legs, seen[4] = {0}, i;
    uint8_t *to = state->to ? state->to + k * (uint64_t)desc->n : NULL;
    if (status == COMBGPU_INVALID_ARGUMENT)
        return combgpu__as_result(combgpu__fail(
            combgpu__context(job), status,
            "desc.batch: the tour of instance %llu (counted from 0) is not a shortest one",
            (unsigned long long)k));
    if (status) return combgpu__as_result(combgpu__batch_large_fail(job, status, k));
    legs = combgpu__tsp_legs(n, desc->shape);
    for (i = 0; i < legs; i++)
        seen[combgpu__batch_common_known(record, i)]++;
    combgpu__accumulators(
        job)[seen[COMBGPU_TSP_LEG_UNKNOWN] ? COMBGPU__BATCH_BOUNDED : COMBGPU__BATCH_SOLVED]++;
    combgpu__accumulators(job)[COMBGPU__BATCH_COMMON_UNIQUE] +=
        seen[COMBGPU_TSP_LEG_COMMON] == legs;
    for (i = 0; to && i < desc->n; i++)
        to[i] =
            (uint8_t)(i < legs ? combgpu__batch_common_known(record, i) : COMBGPU_TSP_LEG_COMMON);
    return COMBGPU__CONTINUE;
}

COMBGPU__PRIVATE int combgpu__batch_common_validate_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__batch_common *state = (const combgpu__batch_common *)combgpu__state(job);
    int i, fine = !record[COMBGPU__BATCH_TREE_STATUS];
    for (i = 0; i < COMBGPU_TSP_BATCH_DIMENSION; i++)
        fine &= combgpu__batch_common_known(record, i) <= COMBGPU_TSP_LEG_UNKNOWN;
    return fine && combgpu__get64(record) < state->batch.desc.count;
}

/* ---- begin, end, one-shot */

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE void combgpu__batch_common_release(combgpu_job *job)
{
    combgpu__batch_common *state = (combgpu__batch_common *)combgpu__state(job);
    combgpu__batch_release(job);
    combgpu__release(combgpu__context(job), state->tours);
    combgpu__release(combgpu__context(job), state->given);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__batch_common_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "tsp common";
    search.frontier = combgpu__batch_frontier;
    search.record = combgpu__batch_common_deliver;
    search.fraction = combgpu__batch_fraction;
    search.solutions = combgpu__batch_solutions;
    search.validate_task = combgpu__batch_validate_task;
    search.validate_record = combgpu__batch_common_validate_record;
    search.release = combgpu__batch_common_release;
    search.task_words = 4;
    return search;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_common_validate(combgpu_context *ctx,
                                                               const void *from, void *draft)
{
    const combgpu_tsp_common_desc *desc = (const combgpu_tsp_common_desc *)from;
    *(combgpu_tsp_common_desc *)draft = *desc;
    if (!desc->batch || !desc->batch->tours)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.batch%s is NULL",
                             desc->batch ? "->tours" : "");
    return combgpu__batch_check(ctx, desc->batch);
}

/* Nonzero if instance k's tour visits each city once, between the right ends. */
COMBGPU__PRIVATE int combgpu__batch_common_tour(const combgpu_tsp_batch_desc *desc, uint64_t k)
{
    const uint8_t *tour = desc->tours + k * (uint64_t)desc->n;
    unsigned char seen[COMBGPU_TSP_BATCH_DIMENSION] = {0};
    int n = desc->cities ? desc->cities[k] : desc->n, i;
    int front = COMBGPU__TSP_START(desc), back = COMBGPU__TSP_END(desc);
    for (i = 0; i < n; i++)
        if (tour[i] >= n || seen[tour[i]]++) return 0;
    return (front < 0 || tour[0] == front) && (back < 0 || tour[n - 1] == back);
}

/* Copies tours and states. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_common_copy(combgpu_context *ctx,
                                                           combgpu__batch_common *state,
                                                           const combgpu_tsp_batch_desc *desc,
                                                           uint64_t *hash)
{
    size_t count = (size_t)desc->count, bytes = combgpu__bytes(count, (size_t)desc->n), k, i;
    state->tours = (uint8_t *)combgpu__allocate_zeroed(ctx, bytes);
    state->given = (uint8_t *)combgpu__allocate(ctx, count);
    if (!state->tours || !state->given) return combgpu__no_memory(ctx, bytes);
    for (k = 0; k < count; k++) {
        size_t at = k * (size_t)desc->n, n = (size_t)(desc->cities ? desc->cities[k] : desc->n);
        state->given[k] = !desc->states || desc->states[k] == COMBGPU_TSP_PROVEN;
        *hash = combgpu__mix(*hash + state->given[k]);
        if (!state->given[k]) continue;
        if (!combgpu__batch_common_tour(desc, k))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.batch->tours: that of instance %llu (counted from 0) is not "
                                 "a tour of its cities between its ends",
                                 (unsigned long long)k);
        memcpy(state->tours + at, desc->tours + at, n);
        for (i = 0; i < n; i++)
            *hash = *hash * 31 + desc->tours[at + i];
    }
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_common_begin(combgpu_job *job, const void *draft)
{
    const combgpu_tsp_common_desc *desc = (const combgpu_tsp_common_desc *)draft;
    combgpu__batch_common *state = (combgpu__batch_common *)combgpu__state(job);
    combgpu__job_desc *search = combgpu__describe(job);
    uint64_t hash = 0;
    combgpu_status status;
    size_t at;
    state->batch.desc = *desc->batch;
    state->to = desc->common;
    status = combgpu__batch_large_setup(job);
    if (!status) {
        state->batch.trees->shared = 0; /* legs are tried one by one */
        status = combgpu__batch_common_copy(combgpu__context(job), state, desc->batch, &hash);
    }
    at = strlen(search->parameters);
    snprintf(search->parameters + at, sizeof search->parameters - at, " tours %016llx",
             (unsigned long long)hash);
    search->kernel.solve = combgpu__batch_common_solve;
    search->record_words = COMBGPU__BATCH_COMMON_WORDS;
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_common_begun(combgpu_job *job, const void *draft)
{
    const combgpu_tsp_common_desc *desc = (const combgpu_tsp_common_desc *)draft;
    if (desc->common && desc->run.shard_count <= 1 &&
        !combgpu__accumulators(job)[COMBGPU__BATCH_SOLVED] &&
        !combgpu__accumulators(job)[COMBGPU__BATCH_BOUNDED])
        memset(desc->common, COMBGPU_TSP_LEG_UNKNOWN,
               (size_t)desc->batch->count * (size_t)desc->batch->n);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_common_end(combgpu_job *job, void *to,
                                                          uint64_t *checksum)
{
    combgpu_tsp_common_result *result = (combgpu_tsp_common_result *)to;
    result->known = combgpu__accumulators(job)[COMBGPU__BATCH_SOLVED];
    result->unique = combgpu__accumulators(job)[COMBGPU__BATCH_COMMON_UNIQUE];
    *checksum = combgpu__accumulators(job)[1];
    return COMBGPU_OK;
}

static const combgpu__method combgpu__batch_common_methods[] = {
    {NULL, combgpu__batch_common_describe, sizeof(combgpu__batch_common),
     combgpu__batch_common_begin, NULL, combgpu__batch_common_begun, combgpu__batch_common_end}};
static const combgpu__search combgpu__batch_common_calls = {COMBGPU__SEARCH_OF(tsp_common),
                                                            sizeof(combgpu_tsp_common_desc),
                                                            combgpu__batch_common_validate,
                                                            NULL,
                                                            NULL,
                                                            combgpu__batch_common_methods};
COMBGPU__SEARCH_CALLS(tsp_common, combgpu__batch_common_calls)
COMBGPU__COLD_END
