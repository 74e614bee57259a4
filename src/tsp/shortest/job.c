/* Runs the job of the k shortest tours: frontier, records, shards, begin and end. */

/* Adds a tour to the sums; `ways`: how many have its length, in a part of the search without
   shorter ones; 0 = counted with another, which may come later. */
COMBGPU__PRIVATE void combgpu__shortest_take(const combgpu_job *job, uint64_t *accumulators,
                                             uint64_t length, uint64_t order, uint64_t ways)
{
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(job);
    combgpu__shortest_entry *list =
        (combgpu__shortest_entry *)(void *)(accumulators + COMBGPU__SHORTEST_SUM_LIST);
    combgpu__shortest_entry entry;
    int count = (int)accumulators[COMBGPU__SHORTEST_SUM_COUNT];
    if (ways && count && list[0].length < length) ways = 0;
    if (count && list[0].length > length) accumulators[COMBGPU__SHORTEST_SUM_OPTIMA] = 0;
    accumulators[COMBGPU__SHORTEST_SUM_OPTIMA] += ways;
    entry.length = length;
    entry.order = order;
    combgpu__shortest_insert(list, &count, tours->keep, entry);
    accumulators[COMBGPU__SHORTEST_SUM_COUNT] = (uint64_t)count;
}

COMBGPU__PRIVATE void combgpu__shortest_merge(const combgpu_job *job, uint64_t *accumulators,
                                              const uint64_t *more)
{
    uint64_t i, count = more[COMBGPU__SHORTEST_SUM_COUNT];
    for (i = 0; i < COMBGPU__TOTALS; i++)
        accumulators[i] += more[i];
    for (i = 0; i < count && i < COMBGPU_TSP_MAX_TOURS; i++)
        combgpu__shortest_take(job, accumulators, more[COMBGPU__SHORTEST_SUM_LIST + 2 * i],
                               more[COMBGPU__SHORTEST_SUM_LIST + 2 * i + 1],
                               i ? 0 : more[COMBGPU__SHORTEST_SUM_OPTIMA]);
}

/* Reads an order. Returns its cost, -1 if it is not an order that keeps precedence. */
COMBGPU__PRIVATE int64_t combgpu__shortest_order(const combgpu__shortest *tours, uint64_t packed,
                                                 int *order)
{
    const int m = tours->form.m;
    uint32_t used = 0;
    int i;
    if (m < 16 && packed >> 4 * m) return -1;
    for (i = 0; i < m; i++) {
        order[i] = (int)(packed >> 4 * (m - 1 - i) & 15);
        if (order[i] >= m || used >> order[i] & 1 || tours->before[order[i]] & ~used) return -1;
        used |= 1u << order[i];
    }
    return combgpu__tsp_order_cost(&tours->form, order);
}

COMBGPU__PRIVATE int combgpu__shortest_validate_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(job);
    int order[COMBGPU__TSP_MOST] = {0};
    return combgpu__shortest_order(tours, combgpu__get64(record + 2), order) ==
           (int64_t)combgpu__get64(record);
}

COMBGPU__PRIVATE combgpu__result combgpu__shortest_record(combgpu_job *job, const uint32_t *record)
{
    if (!combgpu__shortest_validate_record(job, record))
        return combgpu__as_result(combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                                                "the search reports an invalid tour"));
    combgpu__shortest_take(job, combgpu__accumulators(job), combgpu__get64(record),
                           combgpu__get64(record + 2), combgpu__get64(record + 4));
    return COMBGPU__CONTINUE;
}

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE combgpu_status combgpu__shortest_frontier(combgpu_job *job)
{
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(job);
    combgpu_status status = COMBGPU_OK;
    uint32_t b;
    if (!tours->form.m && !combgpu__shard(job)) {
        combgpu__accumulators(job)[0] = 1;
        combgpu__shortest_take(job, combgpu__accumulators(job), (uint64_t)tours->form.nothing, 0,
                               1);
    }
    for (b = 0; b < (uint32_t)tours->form.m && !status; b++)
        status = combgpu__push(job, &b);
    return status;
}

COMBGPU__PRIVATE double combgpu__shortest_fraction(const combgpu_job *job)
{
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(job);
    double fraction = (double)combgpu__accumulators(job)[COMBGPU__SHORTEST_S_TASKS] *
                      (double)combgpu__shards(job) / (tours->form.m ? tours->form.m : 1);
    return fraction < 1 ? fraction : 1;
}

COMBGPU__PRIVATE int combgpu__shortest_validate_task(combgpu_job *job, uint32_t *task)
{
    return task[0] < (uint32_t)((const combgpu__shortest *)combgpu__state(job))->form.m;
}

COMBGPU__PRIVATE void combgpu__shortest_release(combgpu_job *job)
{
    combgpu__tsp_terms_release(combgpu__context(job),
                               &((combgpu__shortest *)combgpu__state(job))->form.terms);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__shortest_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "tsp tours";
    search.frontier = combgpu__shortest_frontier;
    search.record = combgpu__shortest_record;
    search.fraction = combgpu__shortest_fraction;
    search.validate_task = combgpu__shortest_validate_task;
    search.validate_record = combgpu__shortest_validate_record;
    search.merge = combgpu__shortest_merge;
    search.kernel.name = "combgpu_tsp_shortest";
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = COMBGPU__SHORTEST_LANES;
    search.kernel.left_per_worker = 1;
    search.kernel.first_budget = 1u << 20;
    search.task_words = 1;
    search.record_words = COMBGPU__SHORTEST_RECORD_WORDS;
    search.records_repeat = 1;
    search.release = combgpu__shortest_release;
    return search;
}

/* ---- begin */

/* Brings precedence to middle cities. */
COMBGPU__PRIVATE combgpu_status combgpu__shortest_precedence(combgpu_context *ctx,
                                                             combgpu__shortest *tours,
                                                             const combgpu_tsp_desc *desc)
{
    combgpu__sop_form *form;
    combgpu_status status;
    int i;
    if (!desc->instance->before_count) return COMBGPU_OK;
    form = (combgpu__sop_form *)combgpu__allocate_zeroed(ctx, sizeof *form);
    if (!form) return combgpu__no_memory(ctx, sizeof *form);
    status = combgpu__sop_make_form(ctx, desc, form);
    for (i = 0; i < form->m && !status; i++)
        tours->before[i] = (uint32_t)form->before[i].words[0];
    tours->form.reversible = 0;
    combgpu__release(ctx, form->costs);
    combgpu__release(ctx, form);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__shortest_check(combgpu_context *ctx,
                                                        const combgpu_tsp_tours_desc *desc)
{
    int n = desc->instance->n;
    combgpu_status status;
    if (n > COMBGPU_TSP_TOURS_DIMENSION)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "desc.instance->n is %d; the shortest tours are listed for at most %d "
                             "cities",
                             n, COMBGPU_TSP_TOURS_DIMENSION);
    if (desc->count < 0 || desc->count > COMBGPU_TSP_MAX_TOURS)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.count is %d; it may be 0 to %d",
                             desc->count, COMBGPU_TSP_MAX_TOURS);
    status = combgpu__tsp_without_fixed(ctx, desc->instance, "a list or count of shortest tours");
    if (status) return status;
    return combgpu__tsp_check_pairs(ctx, "desc.instance->before", n, desc->instance->before_count,
                                    desc->instance->before);
}

/* Fills the kernel's tables. */
COMBGPU__PRIVATE combgpu_status combgpu__shortest_tables(combgpu_job *job)
{
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(job);
    const combgpu__tsp *form = &tours->form;
    const int m = form->m, cities = m > 1 ? m - 1 : 0;
    int64_t *first, *last, *legs;
    uint32_t *words, *subsets, set;
    int i, j;
    combgpu_status status =
        combgpu__job_tables(job, COMBGPU__SHORTEST_AT_SUBSETS + ((size_t)1 << cities));
    if (status) return status;
    words = combgpu__tables(job);
    words[COMBGPU__SHORTEST_AT_CITIES] = (uint32_t)m;
    words[COMBGPU__SHORTEST_AT_KEEP] = (uint32_t)tours->keep;
    words[COMBGPU__SHORTEST_AT_REVERSIBLE] = (uint32_t)form->reversible;
    first = (int64_t *)(void *)(words + COMBGPU__SHORTEST_AT_COSTS);
    last = first + COMBGPU__SHORTEST_SIDE;
    legs = last + COMBGPU__SHORTEST_SIDE;
    for (i = 0; i < m; i++) {
        words[COMBGPU__SHORTEST_AT_BEFORE + i] = tours->before[i];
        first[i] = form->first[i];
        last[i] = form->last[i];
        for (j = 0; j < m; j++)
            legs[i * COMBGPU__SHORTEST_SIDE + j] = form->legs[i * COMBGPU__TSP_MOST + j];
    }
    subsets = words + COMBGPU__SHORTEST_AT_SUBSETS + 1; /* the first one is empty */
    for (i = 1; i <= cities; i++)
        for (set = (1u << i) - 1; !(set >> cities); set = combgpu__table_next_set(set))
            *subsets++ = set;
    return COMBGPU_OK;
}

/* Sets the sizes of lists and memory: on a device a block a task, and a few more. A search too
   large for a device's memory stays on the CPU. */
COMBGPU__PRIVATE void combgpu__shortest_sizes(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(job);
    const size_t m = (size_t)tours->form.m, keep = (size_t)tours->keep;
    const combgpu_context *device;
    size_t others;
    int i;
    search->record_capacity = (uint32_t)(keep * (m + 1));
    search->most_tasks = (uint32_t)m + 1;
    search->cpu_work_bytes_per_worker = combgpu__shortest_work_bytes((int)m, (int)keep);
    search->work_bytes_per_worker =
        m ? COMBGPU__SHORTEST_WORK_WORDS(m, keep) * sizeof(uint32_t) : sizeof(uint64_t);
    others = ((COMBGPU__SHORTEST_AT_SUBSETS + ((size_t)1 << m)) +
              search->record_capacity * COMBGPU__SHORTEST_RECORD_WORDS) *
                 sizeof(uint32_t) +
             4096;
    search->memory_aim = others + (m + 2) * search->work_bytes_per_worker;
    for (i = 0; (device = combgpu__device_context(combgpu__context(job), i)) != NULL; i++) {
        uint64_t limit = combgpu__memory_limit(device);
        if (!combgpu__is_cpu(device) && limit && limit < others + search->work_bytes_per_worker)
            search->kernel.name = NULL;
    }
}

/* Checks the list after a resume: it has room, and its tours exist. */
COMBGPU__PRIVATE combgpu_status combgpu__shortest_resume(combgpu_job *job, const void *draft)
{
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(job);
    const uint64_t *accumulators = combgpu__accumulators(job),
                   *entry = accumulators + COMBGPU__SHORTEST_SUM_LIST;
    int order[COMBGPU__TSP_MOST] = {0},
        valid = accumulators[COMBGPU__SHORTEST_SUM_COUNT] <= (uint64_t)tours->keep;
    uint64_t i;
    (void)draft;
    for (i = 0; valid && i < accumulators[COMBGPU__SHORTEST_SUM_COUNT]; i++, entry += 2)
        valid = combgpu__shortest_order(tours, entry[1], order) == (int64_t)entry[0];
    if (valid) return COMBGPU_OK;
    return combgpu__fail(combgpu__context(job), COMBGPU_BAD_FILE,
                         "the checkpoint's list has tours of another instance");
}

/* Completes state and description. */
COMBGPU__PRIVATE combgpu_status combgpu__shortest_setup(combgpu_job *job,
                                                        const combgpu_tsp_desc *desc)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__shortest *tours = (combgpu__shortest *)combgpu__state(job);
    combgpu__tsp *form = &tours->form;
    uint64_t hash = 0;
    int i;
    combgpu_status status = combgpu__tsp_form(ctx, desc, form);
    if (!status) status = combgpu__shortest_precedence(ctx, tours, desc);
    if (status) return status;
    tours->keep = tours->desc.count ? tours->desc.count : 1;
    combgpu__shortest_sizes(job);
    for (i = 0; i < COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(
            combgpu__mix(combgpu__mix(hash + (uint64_t)form->first[i]) + (uint64_t)form->last[i]) +
            tours->before[i]);
    for (i = 0; i < COMBGPU__TSP_MOST * COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(hash + (uint64_t)form->legs[i]);
    snprintf(search->parameters, sizeof search->parameters,
             "count %d shape %d n %d ends %d %d unit 2^%d weights %016llx", tours->keep,
             (int)form->shape, form->n, form->front + 1, form->back + 1, -form->scale,
             (unsigned long long)combgpu__mix(hash + (uint64_t)form->nothing));
    return combgpu__shortest_tables(job);
}

/* The draft of a list; `like` has the search. */
typedef struct combgpu__shortest_draft {
    combgpu__tsp_draft like;
    combgpu_tsp_tours_desc desc;
} combgpu__shortest_draft;

COMBGPU__PRIVATE combgpu_status combgpu__shortest_validate(combgpu_context *ctx, const void *from,
                                                           void *to)
{
    const combgpu_tsp_tours_desc *desc = (const combgpu_tsp_tours_desc *)from;
    combgpu__shortest_draft *draft = (combgpu__shortest_draft *)to;
    combgpu__tsp_draft *like = &draft->like;
    combgpu_status status;
    draft->desc = *desc;
    like->given = desc->instance;
    like->desc = combgpu__tsp_like(desc->instance, desc->shape, desc->path_ends, desc->path_start,
                                   desc->path_end);
    status = combgpu__tsp_check_desc(ctx, &like->desc);
    if (!status) status = combgpu__shortest_check(ctx, desc);
    if (!status) status = combgpu__tsp_measure_desc(ctx, &like->desc, &like->measured);
    return status ? status
                  : combgpu__tsp_terms_make(ctx, &like->desc, &like->searched, &like->terms);
}

COMBGPU__PRIVATE combgpu_status combgpu__shortest_begin(combgpu_job *job, const void *from)
{
    const combgpu__shortest_draft *draft = (const combgpu__shortest_draft *)from;
    combgpu__shortest *tours = (combgpu__shortest *)combgpu__state(job);
    tours->desc = draft->desc;
    tours->form.terms = draft->like.terms;
    return combgpu__shortest_setup(job, &draft->like.desc);
}

COMBGPU__PRIVATE combgpu_status combgpu__shortest_keep(combgpu_job *job, void *from)
{
    combgpu__tsp_draft *like = &((combgpu__shortest_draft *)from)->like;
    return combgpu__tsp_terms_keep(combgpu__context(job),
                                   &((combgpu__shortest *)combgpu__state(job))->form.terms,
                                   like->given, &like->measured);
}

/* ---- end */

/* Reads tour number i of the list and its length. *over: it has a leg that no tour needs. Returns 0
   if it is not a tour, as in a bad checkpoint. */
COMBGPU__PRIVATE int combgpu__shortest_read(const combgpu_job *job, int i, int *tour,
                                            double *length, int *over)
{
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(job);
    const combgpu__tsp *form = &tours->form;
    const uint64_t *entry = combgpu__accumulators(job) + COMBGPU__SHORTEST_SUM_LIST + 2 * i;
    int order[COMBGPU__TSP_MOST] = {0}, missing, k;
    if (combgpu__shortest_order(tours, entry[1], order) != (int64_t)entry[0]) return 0;
    if (form->front >= 0) *tour++ = form->front;
    for (k = 0; k < form->m; k++)
        *tour++ = form->city[order[k]];
    if (form->shape == COMBGPU_TSP_PATH && form->back >= 0) *tour++ = form->back;
    *length =
        combgpu__tsp_terms_length(&form->terms, form->shape, tour - form->n, 0, over, &missing);
    return 1;
}

/* Writes a tour as number i to the caller's memory, before longer ones, even if rounding had it
   after them. */
COMBGPU__PRIVATE void combgpu__shortest_write(const combgpu_tsp_tours_desc *desc, int n, int i,
                                              const int *tour, double length)
{
    int k;
    for (; desc->lengths && i && desc->lengths[i - 1] > length; i--) {
        desc->lengths[i] = desc->lengths[i - 1];
        if (desc->tours) memcpy(desc->tours + i * n, desc->tours + (i - 1) * n, (size_t)n);
    }
    if (desc->lengths) desc->lengths[i] = length;
    for (k = 0; desc->tours && k < n; k++)
        desc->tours[i * n + k] = (uint8_t)tour[k];
}

/* Fills in the list and its part of the result. */
COMBGPU__PRIVATE combgpu_status combgpu__shortest_list(const combgpu_job *job,
                                                       combgpu_status status,
                                                       combgpu_tsp_tours_result *result)
{
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(job);
    const combgpu__tsp *form = &tours->form;
    const uint64_t *accumulators = combgpu__accumulators(job);
    int tour[COMBGPU_TSP_TOURS_DIMENSION], over = 0, i;
    double length = 0;
    result->length = HUGE_VAL;
    result->tolerance =
        2.000001 * combgpu__tsp_legs(form->n, form->shape) * (form->error + form->terms.error);
    for (i = 0; (uint64_t)i < accumulators[COMBGPU__SHORTEST_SUM_COUNT]; i++) {
        if (i >= tours->keep || !combgpu__shortest_read(job, i, tour, &length, &over))
            return combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                                 "the checkpoint reports an invalid tour");
        if (over) break;
        if (!i) result->optima = accumulators[COMBGPU__SHORTEST_SUM_OPTIMA];
        if (length < result->length) result->length = length;
        if (i >= tours->desc.count) continue;
        combgpu__shortest_write(&tours->desc, form->n, i, tour, length);
        result->count++;
    }
    if (over && !status && combgpu__shards(job) <= 1 && form->terms.beyond < COMBGPU__TERMS_NONE)
        return combgpu__tsp_terms_refuse(combgpu__context(job), form->terms.beyond,
                                         form->terms.from, form->terms.to);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__shortest_end(combgpu_job *job, void *to,
                                                      uint64_t *checksum)
{
    combgpu_status status = combgpu__outcome(job);
    if (status < 0) return status;
    *checksum = combgpu__accumulators(job)[COMBGPU__SHORTEST_S_HASH];
    status = combgpu__shortest_list(job, status, (combgpu_tsp_tours_result *)to);
    return status < 0 ? status : COMBGPU_OK;
}

static const combgpu__method combgpu__shortest_methods[] = {
    {NULL, combgpu__shortest_describe, sizeof(combgpu__shortest), combgpu__shortest_begin,
     combgpu__shortest_solve, combgpu__shortest_resume, combgpu__shortest_end}};
static const combgpu__search combgpu__shortest_calls = {
    COMBGPU__SEARCH_OF(tsp_tours), sizeof(combgpu__shortest_draft),
    combgpu__shortest_validate,    combgpu__shortest_keep,
    combgpu__tsp_forget,           combgpu__shortest_methods};
COMBGPU__SEARCH_CALLS(tsp_tours, combgpu__shortest_calls)
COMBGPU__COLD_END
