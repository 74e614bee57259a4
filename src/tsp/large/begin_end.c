/* Begin and end of the search for a tour of many cities. */

/* Checks what the method refuses. */
COMBGPU__PRIVATE combgpu_status combgpu__large_check(combgpu_context *ctx,
                                                     const combgpu_tsp_desc *desc)
{
    if (desc->run.shard_count > 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.run.shard_count is %d; the heuristic cannot be split into "
                             "shards",
                             desc->run.shard_count);
    return desc->start ? combgpu__branch_check_start(ctx, desc) : COMBGPU_OK;
}

/* Takes the caller's first tour if it is shorter than the greedy one. */
COMBGPU__PRIVATE void combgpu__large_start(combgpu__large *large, const int *start)
{
    int64_t length = 0;
    int i;
    for (i = 0; i < large->cities; i++) {
        int from = i < large->n ? start[i] : large->depot;
        int to = i + 1 < large->n ? start[i + 1] : i + 1 < large->cities ? large->depot : start[0];
        length += combgpu__large_leg(large, from, to);
    }
    if (length >= large->length) return;
    memcpy(large->tour, start, (size_t)large->n * sizeof *start);
    if (large->depot >= 0) large->tour[large->n] = large->depot;
    large->length = length;
}

COMBGPU__PRIVATE uint64_t combgpu__large_hash_places(uint64_t hash, const double *places, int count)
{
    int v;
    for (v = 0; places && v < count; v++) {
        double place = places[v] + 0.0; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &place, sizeof bits);
        hash = combgpu__mix(hash + bits);
    }
    return hash;
}

/* Identifies what tasks depend on: the instance, but for its diagonal, and the first tour. */
COMBGPU__PRIVATE uint64_t combgpu__large_hash(const combgpu__large *large)
{
    const combgpu_tsp_instance *instance = &large->instance;
    uint64_t hash = combgpu__mix(large->seed);
    int n = large->n, v, u;
    for (v = 0; v < large->cities; v++)
        hash = combgpu__mix(hash + (uint64_t)large->tour[v]);
    for (v = 0; v < large->nodes; v++)
        hash = combgpu__mix(hash + (uint64_t)(large->fixed[v][0] + 1) * 65536 +
                            (uint64_t)(large->fixed[v][1] + 1));
    for (v = 0; v < n && instance->weights; v++)
        for (u = 0; u < n; u++)
            if (u != v) hash = combgpu__mix(hash + (uint64_t)combgpu__large_leg(large, v, u));
    if (instance->weights) return hash;
    hash = combgpu__mix(hash + (uint64_t)instance->metric);
    hash = combgpu__large_hash_places(hash, instance->x, n);
    hash = combgpu__large_hash_places(hash, instance->y, n);
    return combgpu__large_hash_places(hash, instance->z, n);
}

/* Makes the lists of neighbours and the first tour. */
COMBGPU__PRIVATE combgpu_status combgpu__large_first(combgpu_context *ctx, combgpu__large *large)
{
    combgpu_status status = combgpu__large_graph(ctx, large);
    large->tour = (int *)combgpu__large_array(ctx, large->cities, sizeof(int), &status);
    if (!status)
        status =
            large->directed ? combgpu__large_follow(ctx, large) : combgpu__large_greedy(ctx, large);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__large_setup(combgpu_job *job, const combgpu_tsp_desc *desc)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__large *large = (combgpu__large *)combgpu__state(job);
    size_t search_bytes, bound_bytes;
    combgpu_status status = combgpu__large_request(ctx, large, desc);
    if (!status) status = combgpu__large_first(ctx, large);
    if (status) return status;
    large->length = combgpu__large_length(large, large->tour);
    if (desc->start && !large->instance.fixed_count) combgpu__large_start(large, desc->start);
    large->kicks = desc->run.merge_paths        ? 0
                   : desc->kicks                ? desc->kicks
                   : desc->run.time_limit_s > 0 ? UINT64_MAX
                                                : 15 * (uint64_t)large->n;
    search->task_words = search->record_words = combgpu__large_task_words(large);
    search_bytes = combgpu__large_search_bytes(large);
    bound_bytes = combgpu__large_bound_bytes(large);
    search->cpu_work_bytes_per_worker =
        (((size_t)search->task_words + 1) / 2 * 8 +
         (search_bytes > bound_bytes ? search_bytes : bound_bytes) + 63) /
        64 * 64;
    snprintf(search->parameters, sizeof search->parameters,
             "method %d shape %d n %d ends %d %d unit 2^%d graph %016llx",
             (int)COMBGPU_TSP_HEURISTIC, (int)desc->shape, large->n, large->start + 1,
             large->end + 1, -large->scale, (unsigned long long)combgpu__large_hash(large));
    return COMBGPU_OK;
}

/* Reads the tours and bounds of tasks or records. Returns how many tours. */
COMBGPU__PRIVATE int combgpu__large_read(const combgpu_job *job, const uint32_t *task, size_t count,
                                         int *tour, int64_t *bound)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    int tours = 0;
    for (; count; count--, task += combgpu__desc(job)->task_words)
        if (task[COMBGPU__LARGE_TASK_KIND] == COMBGPU__LARGE_BOUND)
            *bound = (int64_t)combgpu__get64(task + COMBGPU__LARGE_TASK_VALUE);
        else
            memcpy(tour, task + COMBGPU__LARGE_TASK_DATA, (size_t)large->cities * sizeof *tour),
                tours++;
    return tours;
}

/* Finds the best tour and the bound, in the sums or in tasks that have not ended. Returns 0 if the
   tour is that of the sums. */
COMBGPU__PRIVATE int combgpu__large_best(const combgpu_job *job, int *tour, int64_t *bound)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    const uint64_t *accumulators = combgpu__accumulators(job);
    const uint32_t *tasks, *records;
    size_t count, waiting;
    int k, tours;
    *bound = (int64_t)accumulators[COMBGPU__LARGE_SUM_BOUND];
    for (k = 0; k < large->cities; k++)
        tour[k] = (int)(accumulators[COMBGPU__LARGE_SUM_TOUR + k / 4] >> k % 4 * 16 & 65535);
    records = combgpu__pending(job, &waiting);
    tours = combgpu__large_read(job, records, waiting, tour, bound);
    tasks = combgpu__reserve(job, &count);
    return combgpu__large_read(job, tasks, count, tour, bound) + tours;
}

/* Checks the tour in the sums after a resume; those of tasks have been. It goes on if the search has
   more kicks now. */
COMBGPU__PRIVATE combgpu_status combgpu__large_resume(combgpu_job *job)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    combgpu_status status = COMBGPU_OK;
    int *tour = (int *)combgpu__large_array(ctx, large->cities, sizeof *tour, &status);
    uint32_t *task = (uint32_t *)combgpu__large_array(ctx, (int)combgpu__large_task_words(large),
                                                      sizeof *task, &status);
    int64_t bound, length = (int64_t)combgpu__accumulators(job)[COMBGPU__LARGE_SUM_LENGTH];
    uint64_t kicks = combgpu__accumulators(job)[COMBGPU__LARGE_S_KICKS];
    if (!status && !combgpu__large_best(job, tour, &bound)) {
        if (!combgpu__large_valid(job, (const uint32_t *)tour, length))
            status = combgpu__fail(ctx, COMBGPU_BAD_FILE,
                                   "the checkpoint's tour is not a tour of this instance");
        else if (kicks < large->kicks)
            status = combgpu__large_push_tour(job, tour, length, kicks, task);
    }
    combgpu__release(ctx, tour);
    combgpu__release(ctx, task);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__large_begin(combgpu_job *job, const void *draft)
{
    const combgpu_tsp_desc *desc = &((const combgpu__tsp_draft *)draft)->desc;
    combgpu_status status = combgpu__large_check(combgpu__context(job), desc);
    return status ? status : combgpu__large_setup(job, desc);
}

COMBGPU__PRIVATE combgpu_status combgpu__large_begun(combgpu_job *job, const void *draft)
{
    (void)draft;
    return combgpu__large_resume(job);
}

/* ---- end */

/* Turns a tour to normal form (src/api/tsp.h), without the depot. */
COMBGPU__PRIVATE void combgpu__large_normal(const combgpu__large *large, const int *from, int *to)
{
    int n = large->n, m = large->cities, at = 0, turn, i;
    int begin = large->depot >= 0 ? large->depot : 0;
    while (from[at] != begin)
        at++;
    for (i = 0; i < n; i++)
        to[i] = from[(at + i + (large->depot >= 0)) % m];
    if (large->directed) return;
    turn = large->depot < 0    ? n > 1 && to[1] > to[n - 1]
           : large->start >= 0 ? to[0] != large->start
           : large->end >= 0   ? to[n - 1] != large->end
                               : to[0] > to[n - 1];
    if (turn) combgpu__tsp_reverse(to + (large->depot < 0), to + n - 1);
}

/* Waits for the devices; writes the best tour in normal form, with its length and a bound. */
COMBGPU__PRIVATE combgpu_status combgpu__large_answer(combgpu_job *job, int *tour, int64_t *length,
                                                      int64_t *bound)
{
    combgpu_context *ctx = combgpu__context(job);
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    int64_t unit = (int64_t)1 << large->fine;
    combgpu_status status = combgpu__gather(job);
    int *best = (int *)combgpu__large_array(ctx, large->cities, sizeof *best, &status);
    if (!status) {
        (void)combgpu__large_best(job, best, bound);
        combgpu__large_normal(large, best, tour);
        *length = combgpu__large_length(large, best);
        *bound = *bound / unit + (*bound % unit > 0); /* lengths are whole numbers of units */
        if (*bound > *length) *bound = *length;
    }
    combgpu__release(ctx, best);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__large_end(combgpu_job *job, void *to, uint64_t *checksum)
{
    combgpu_context *ctx = combgpu__context(job);
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    combgpu_tsp_result *result = (combgpu_tsp_result *)to;
    combgpu_status status = combgpu__outcome(job);
    int64_t bound = 0, length = 0;
    int *tour;
    if (status < 0) return status;
    status = COMBGPU_OK;
    tour = (int *)combgpu__large_array(ctx, large->cities, sizeof *tour, &status);
    if (!status) status = combgpu__large_answer(job, tour, &length, &bound);
    if (!status) {
        result->method = COMBGPU_TSP_HEURISTIC;
        result->shape = large->shape;
        *checksum = combgpu__mix((uint64_t)length);
        status = combgpu__tsp_terms_conclude(ctx, &large->terms, tour, bound, large->scale,
                                             large->error, 0, bound == length, result);
    }
    combgpu__release(ctx, tour);
    return status;
}
