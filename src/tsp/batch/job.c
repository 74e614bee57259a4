/* Runs the job that solves a batch of instances. */

/* ---- frontier */

COMBGPU__PRIVATE combgpu_status combgpu__batch_frontier(combgpu_job *job)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    uint64_t count = batch->desc.count, size = (count + 65535) / 65536, k;
    uint32_t task[COMBGPU__BATCH_TASK_MOST] = {0};
    combgpu_status status = COMBGPU_OK;
    for (k = 0; k < count && !status; k += size) {
        combgpu__put64(task, k);
        combgpu__put64(task + 2, k + size < count ? k + size : count);
        status = combgpu__push(job, task);
    }
    return status;
}

/* ---- records */

/* Returns one number of an instance. */
COMBGPU__PRIVATE int64_t combgpu__batch_number(const combgpu_job *job, const uint32_t *numbers,
                                               size_t at)
{
    int64_t wide;
    if (!combgpu__tables(job)[COMBGPU__BATCH_AT_WIDE]) return (int64_t)numbers[at];
    memcpy(&wide, numbers + 2 * at, sizeof wide); /* tables are in the machine's byte order */
    return wide;
}

/* The middle cities of instance k. */
COMBGPU__PRIVATE int combgpu__batch_middles(const combgpu_job *job, uint64_t k)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    const uint32_t *tables = combgpu__tables(job);
    uint64_t cities = combgpu__get64(tables + COMBGPU__BATCH_AT_CITIES);
    int n = cities ? (int)tables[cities + k] : desc->n;
    if (!batch->points)
        return (int)combgpu__batch_number(job, combgpu__batch_numbers(tables, k), 0);
    if (desc->shape == COMBGPU_TSP_CYCLE) return n - 1;
    return n - (COMBGPU__TSP_START(desc) >= 0) -
           (COMBGPU__TSP_END(desc) >= 0 && COMBGPU__TSP_END(desc) != COMBGPU__TSP_START(desc));
}

/* Writes the cities of instance k's tour of the middle cities `order`. Returns their number; the
   first of a cycle follows once more. */
COMBGPU__PRIVATE int combgpu__batch_places(const combgpu_tsp_batch_desc *desc, const int *order,
                                           int m, uint8_t *tour)
{
    int cycle = desc->shape == COMBGPU_TSP_CYCLE, at = 0, i;
    int front = cycle ? 0 : COMBGPU__TSP_START(desc), back = cycle ? 0 : COMBGPU__TSP_END(desc);
    if (front >= 0) tour[at++] = (uint8_t)front;
    for (i = 0; i < m; i++) { /* skip the fixed ends, the lower one first */
        int low = front < back ? front : back, high = front < back ? back : front;
        int city = order[i] + (low >= 0 && order[i] >= low);
        tour[at++] = (uint8_t)(city + (high >= 0 && high != low && city >= high));
    }
    if (back >= 0 && back != front) tour[at++] = (uint8_t)back;
    tour[at] = tour[0];
    return at;
}

/* The cost of instance k's order by the tables' numbers. */
COMBGPU__PRIVATE int64_t combgpu__batch_order_cost(const combgpu_job *job, uint64_t k,
                                                   const int *order, int m)
{
    size_t most = (size_t)((const combgpu__batch *)combgpu__state(job))->most;
    const uint32_t *numbers = combgpu__batch_numbers(combgpu__tables(job), k);
    int64_t cost = combgpu__batch_number(job, numbers, m ? 1 + (size_t)order[0] : 1);
    int i;
    for (i = 1; i < m; i++)
        cost += combgpu__batch_number(job, numbers,
                                      1 + (2 + (size_t)order[i - 1]) * most + (size_t)order[i]);
    if (m) cost += combgpu__batch_number(job, numbers, 1 + most + (size_t)order[m - 1]);
    return cost;
}

/* Unpacks a record: the tour, with its first city once more at the end, its cities and its scale.
   Returns 0 if it is not a tour of the recorded cost. */
COMBGPU__PRIVATE int combgpu__batch_unpack(const combgpu_job *job, const uint32_t *record,
                                           uint8_t *tour, int *n, int *scale)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    int cycle = batch->desc.shape == COMBGPU_TSP_CYCLE;
    uint64_t k = record[0], packed = combgpu__get64(record + 4), cost;
    int order[COMBGPU__BATCH_MOST + 1] = {0}, m, i;
    uint32_t used = 0;
    if (k >= batch->desc.count || (record[1] && record[1] >> 16 != 1)) return 0;
    m = combgpu__batch_middles(job, k);
    for (i = 0; i < m; i++) {
        order[i] = (int)(packed >> 4 * i & 15);
        if (order[i] >= m || used >> order[i] & 1) return 0;
        used |= 1u << order[i];
    }
    *n = combgpu__batch_places(&batch->desc, order, m, tour);
    if (!batch->points) {
        *scale = batch->scales[k];
        cost = (uint64_t)combgpu__batch_order_cost(job, k, order, m);
    } else {
        *scale = record[1]      ? (int)(int16_t)(uint16_t)record[1]
                 : !batch->wide ? 0
                                : combgpu__batch_points_scale(job, k);
        cost = combgpu__batch_points_cost(job, k, tour, *n + (cycle && *n > 1), *scale);
    }
    return cost == combgpu__get64(record + 2) && packed >> 4 * m == 0;
}

#ifdef COMBGPU__SSE2
/* Prefetches for a coming record, if any: a device's records come in an order that makes each
   instance a cache miss. */
COMBGPU__PRIVATE void combgpu__batch_ahead(const combgpu_job *job)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    size_t n = (size_t)desc->n, left, bytes, at, k;
    const char *from = (const char *)(combgpu__tables(job) + COMBGPU__BATCH_HEAD(batch->most));
    const uint32_t *pending = combgpu__pending(job, &left);
    if (!batch->points || left <= 8) return;
    k = pending[8 * COMBGPU__BATCH_RECORD_WORDS];
    if (k >= desc->count) return;
    bytes =
        2 * n * (combgpu__tables(job)[COMBGPU__BATCH_AT_SINGLE] ? sizeof(float) : sizeof(double));
    for (at = 0; at < bytes; at += 64)
        _mm_prefetch(from + k * bytes + at, _MM_HINT_T0);
    if (desc->lengths) _mm_prefetch((const char *)(desc->lengths + k), _MM_HINT_T0);
    if (desc->tours) _mm_prefetch((const char *)(desc->tours + k * n), _MM_HINT_T0);
}
#endif

/* Fills in the result of instance k from its tour, with its cost in units of 2^-scale. */
COMBGPU__PRIVATE combgpu_tsp_batch_state combgpu__batch_judge(const combgpu__batch *batch,
                                                              uint64_t k, int n,
                                                              const uint8_t *tour, int64_t cost,
                                                              int scale, double *length,
                                                              double *bound)
{
    const combgpu__batch_terms *own = batch->terms ? batch->terms[k] : NULL;
    int legs = combgpu__tsp_legs(n, batch->desc.shape), missing = 0, over = 0, i;
    int cities[COMBGPU__BATCH_MOST];
    combgpu__tsp_terms terms;
    memset(&terms, 0, sizeof terms);
    terms.error = scale && !(batch->exact && batch->exact[k]) ? ldexp(0.5, -scale) : 0;
    *length = ldexp((double)cost, -scale);
    if (own) {
        terms = own->terms;
        for (i = 0; i < n; i++)
            cities[i] = tour[i];
        *length = combgpu__tsp_terms_length(&terms, batch->desc.shape, cities, 0, &over, &missing);
    }
    *bound = combgpu__tsp_terms_bound(&terms, legs, cost, scale, legs * terms.error * 1.000001);
    if (!missing && *bound > *length) *bound = *length;
    if (over && terms.beyond < COMBGPU__TERMS_NONE) return COMBGPU_TSP_BOUNDED;
    if (missing) *bound = HUGE_VAL;
    return missing ? COMBGPU_TSP_NO_TOUR : COMBGPU_TSP_PROVEN;
}

COMBGPU__PRIVATE combgpu__result combgpu__batch_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    uint64_t k = record[0];
    double length, bound;
    combgpu_tsp_batch_state state = COMBGPU_TSP_PROVEN;
    uint8_t tour[COMBGPU__BATCH_MOST + 2];
    int n, scale;
#ifdef COMBGPU__SSE2
    combgpu__batch_ahead(job);
#endif
    if (!combgpu__batch_unpack(job, record, tour, &n, &scale))
        return combgpu__as_result(
            combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                          "kernel %s reports a wrong length for the tour of instance %llu",
                          combgpu__desc(job)->kernel.name, (unsigned long long)k));
    length = bound = (double)combgpu__get64(record + 2);
    if (scale || batch->terms)
        state = combgpu__batch_judge(batch, k, n, tour, (int64_t)combgpu__get64(record + 2), scale,
                                     &length, &bound);
    combgpu__accumulators(
        job)[state == COMBGPU_TSP_BOUNDED ? COMBGPU__BATCH_BOUNDED : COMBGPU__BATCH_SOLVED]++;
    if (desc->lengths) desc->lengths[k] = length;
    if (desc->lower_bounds) desc->lower_bounds[k] = bound;
    if (desc->states) desc->states[k] = (uint8_t)state;
    if (desc->tours && length <= 1e305)
        memcpy(desc->tours + (size_t)k * (size_t)desc->n, tour, (size_t)n);
    return COMBGPU__CONTINUE;
}

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE double combgpu__batch_fraction(const combgpu_job *job)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    double shards = combgpu__shards(job);
    uint64_t ended = combgpu__accumulators(job)[COMBGPU__BATCH_SOLVED] +
                     combgpu__accumulators(job)[COMBGPU__BATCH_BOUNDED];
    double fraction = (double)ended;
    if (batch->nodes) /* trees that are searched by nodes, done or not */
        fraction += ldexp((double)combgpu__accumulators(job)[COMBGPU__BRANCH_S_SHARES],
                          -COMBGPU__BATCH_SHARE_BITS) -
                    (double)(batch->nodes->all - batch->nodes->count);
    fraction *= shards / (double)batch->desc.count;
    return fraction < 1 ? fraction : 1;
}

COMBGPU__PRIVATE uint64_t combgpu__batch_solutions(const combgpu_job *job)
{
    return combgpu__accumulators(job)[COMBGPU__BATCH_SOLVED];
}

COMBGPU__PRIVATE int combgpu__batch_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    return combgpu__get64(task) < combgpu__get64(task + 2) &&
           combgpu__get64(task + 2) <= batch->desc.count;
}

COMBGPU__PRIVATE int combgpu__batch_validate_record(combgpu_job *job, const uint32_t *record)
{
    uint8_t tour[COMBGPU__BATCH_MOST + 2];
    int n, scale;
    return combgpu__batch_unpack(job, record, tour, &n, &scale);
}

COMBGPU__PRIVATE void combgpu__batch_release(combgpu_job *job)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    uint64_t k;
    int i;
    combgpu__release(ctx, batch->scales);
    for (k = 0; batch->terms && k < batch->desc.count; k++)
        combgpu__release(ctx, batch->terms[k]);
    combgpu__release(ctx, batch->terms);
    combgpu__release(ctx, batch->exact);
    for (i = 0; i < 4; i++)
        combgpu__release(ctx, batch->copies[i]);
    combgpu__batch_nodes_release(ctx, batch);
    combgpu__batch_trees_release(ctx, batch->trees);
}

/* ---- begin, end, one-shot */

COMBGPU__PRIVATE combgpu__job_desc combgpu__batch_describe(int large)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "tsp batch";
    search.frontier = combgpu__batch_frontier;
    search.record = large ? combgpu__batch_nodes_record : combgpu__batch_record;
    search.fraction = combgpu__batch_fraction;
    search.solutions = combgpu__batch_solutions;
    search.validate_task =
        large ? combgpu__batch_nodes_validate_task : combgpu__batch_validate_task;
    if (large) search.slice_done = combgpu__batch_nodes_done;
    if (large) search.saving = combgpu__batch_nodes_saving;
    search.validate_record =
        large ? combgpu__batch_nodes_validate_record : combgpu__batch_validate_record;
    search.release = combgpu__batch_release;
    search.kernel.name = "combgpu_tsp_batched";
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = COMBGPU__BATCH_LANES;
    search.kernel.left_per_worker = 1;
    search.kernel.first_budget = 1u << 19;
    search.task_words = 4;
    search.record_words = COMBGPU__BATCH_RECORD_WORDS;
    return search;
}

/* Completes the description of a batch of small instances. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_setup(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    combgpu_status status = combgpu__batch_tables(job);
    size_t cost_bytes = batch->wide ? sizeof(int64_t) : sizeof(int32_t);
    size_t entries = ((size_t)batch->most << batch->most) / 2 + 1;
    if (status) return status;
    search->record_capacity = batch->desc.count < 1u << 20 ? (uint32_t)batch->desc.count : 1u << 20;
    if (combgpu__tables(job)[COMBGPU__BATCH_AT_BITS] != 16) /* else in local memory */
        search->work_bytes_per_worker = (entries + 1) / 2 * 2 * cost_bytes;
    search->cpu_work_bytes_per_worker = ((size_t)COMBGPU__BATCH_ROW << batch->most) * cost_bytes;
    combgpu__batch_lanes_describe(search, batch->most);
    return COMBGPU_OK;
}

/* Marks all instances as unknown. */
COMBGPU__PRIVATE void combgpu__batch_clear(const combgpu_tsp_batch_desc *desc)
{
    uint64_t k;
    for (k = 0; desc->lengths && k < desc->count; k++)
        desc->lengths[k] = -1;
    for (k = 0; desc->lower_bounds && k < desc->count; k++)
        desc->lower_bounds[k] = -1;
    if (desc->states) memset(desc->states, COMBGPU_TSP_UNKNOWN, (size_t)desc->count);
    if (desc->nodes) memset(desc->nodes, 0, (size_t)desc->count * sizeof *desc->nodes);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__batch_describe_small(void)
{
    return combgpu__batch_describe(0);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__batch_describe_large(void)
{
    return combgpu__batch_describe(1);
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_validate(combgpu_context *ctx, const void *desc,
                                                        void *draft)
{
    *(combgpu_tsp_batch_desc *)draft = *(const combgpu_tsp_batch_desc *)desc;
    return combgpu__batch_check(ctx, (const combgpu_tsp_batch_desc *)desc);
}

COMBGPU__WANTS(combgpu__batch_wants_large, combgpu_tsp_batch_desc, draft->n > COMBGPU__BATCH_MOST)

COMBGPU__PRIVATE combgpu_status combgpu__batch_begin_with(combgpu_job *job, const void *desc,
                                                          combgpu_status (*setup)(combgpu_job *job))
{
    combgpu_status status;
    ((combgpu__batch *)combgpu__state(job))->desc = *(const combgpu_tsp_batch_desc *)desc;
    status = setup(job);
    if (!status) combgpu__batch_nodes_setup(job);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_begin_small(combgpu_job *job, const void *desc)
{
    return combgpu__batch_begin_with(job, desc, combgpu__batch_setup);
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_begin_large(combgpu_job *job, const void *desc)
{
    return combgpu__batch_begin_with(job, desc, combgpu__batch_large_setup);
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_begun(combgpu_job *job, const void *from)
{
    const combgpu_tsp_batch_desc *desc = (const combgpu_tsp_batch_desc *)from;
    if (desc->run.shard_count <= 1 && !combgpu__accumulators(job)[COMBGPU__BATCH_SOLVED] &&
        !combgpu__accumulators(job)[COMBGPU__BATCH_BOUNDED])
        combgpu__batch_clear(desc);
    return combgpu__batch_nodes_begin(job);
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_end(combgpu_job *job, void *to, uint64_t *checksum)
{
    combgpu_tsp_batch_result *result = (combgpu_tsp_batch_result *)to;
    result->solved = combgpu__accumulators(job)[COMBGPU__BATCH_SOLVED];
    result->bounded = combgpu__accumulators(job)[COMBGPU__BATCH_BOUNDED];
    *checksum = combgpu__accumulators(job)[1];
    return COMBGPU_OK;
}

#define COMBGPU__BATCH_ROW_OF(wants, size)                                                         \
    {                                                                                              \
        wants, combgpu__batch_describe_##size, sizeof(combgpu__batch),                             \
            combgpu__batch_begin_##size, combgpu__batch_solve, combgpu__batch_begun,               \
            combgpu__batch_end                                                                     \
    }
static const combgpu__method combgpu__batch_methods[] = {
    COMBGPU__BATCH_ROW_OF(combgpu__batch_wants_large, large), COMBGPU__BATCH_ROW_OF(NULL, small)};
static const combgpu__search combgpu__batch_calls = {COMBGPU__SEARCH_OF(tsp_batch),
                                                     sizeof(combgpu_tsp_batch_desc),
                                                     combgpu__batch_validate,
                                                     NULL,
                                                     NULL,
                                                     combgpu__batch_methods};
COMBGPU__SEARCH_CALLS(tsp_batch, combgpu__batch_calls)
COMBGPU__COLD_END
