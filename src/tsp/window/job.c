/* Runs the job of time windows: times as whole numbers, memory, begin and end. */

/* ---- times */

/* Checks one time of a city. */
COMBGPU__PRIVATE combgpu_status combgpu__window_check_time(combgpu_context *ctx, const char *name,
                                                           int city, double time, int may_be_never)
{
    if (may_be_never && time > 1e300) return COMBGPU_OK;
    if (!(time >= 0 && time <= 1e300))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.%s[%d] is %g; it may be 0 to 1e300%s", name, city, time,
                             may_be_never ? ", or infinite" : "");
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__window_check(combgpu_context *ctx,
                                                      const combgpu_tsp_windows_desc *desc)
{
    int n = desc->instance->n, i;
    combgpu_status status = COMBGPU_OK;
    if (n > COMBGPU_TSP_WINDOWS_DIMENSION)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "desc.instance->n is %d; with time windows it may be at most %d", n,
                             COMBGPU_TSP_WINDOWS_DIMENSION);
    if (desc->run.shard_count > 1)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.run.shard_count is %d; a search with time windows cannot be split "
            "into shards",
            desc->run.shard_count);
    if (desc->instance->depot < 0 || desc->instance->depot >= n)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.instance->depot is %d; it may be a city, 0 to %d",
                             desc->instance->depot, n - 1);
    for (i = 0; i < n && !status; i++) {
        if (desc->ready) status = combgpu__window_check_time(ctx, "ready", i, desc->ready[i], 0);
        if (!status && desc->due)
            status = combgpu__window_check_time(ctx, "due", i, desc->due[i], 1);
        if (!status && desc->service)
            status = combgpu__window_check_time(ctx, "service", i, desc->service[i], 0);
    }
    if (!status) status = combgpu__tsp_without_fixed(ctx, desc->instance, "time windows");
    if (status) return status;
    return combgpu__tsp_check_pairs(ctx, "desc.instance->before", n, desc->instance->before_count,
                                    desc->instance->before);
}

/* The facts that decide the unit: the largest number, and whether all are whole numbers that
   doubles hold exactly. */
typedef struct combgpu__window_numbers {
    double largest;
    int whole;
} combgpu__window_numbers;

COMBGPU__PRIVATE void combgpu__window_meet(combgpu__window_numbers *numbers, double number)
{
    if (number > numbers->largest) numbers->largest = number;
    if (number > 9007199254740992.0 || number != combgpu__floor(number)) numbers->whole = 0;
}

/* Nonzero if the leg to this city takes until after its due time: no tour has it. */
COMBGPU__PRIVATE int combgpu__window_too_long(const combgpu_tsp_windows_desc *desc, double leg,
                                              int to)
{
    return desc->due && leg > desc->due[to];
}

/* Chooses the weight from which on no tour needs a leg: that keeps the unit fine, or all legs are
   used. A tour without them may also wait and serve. Checks the weights too, and copies them to
   weights[] as memory. */
COMBGPU__PRIVATE combgpu_status combgpu__window_terms(combgpu_context *ctx,
                                                      const combgpu_tsp_instance *instance,
                                                      const combgpu_tsp_windows_desc *desc,
                                                      double *weights, combgpu__tsp_terms *terms)
{
    double key[COMBGPU_TSP_WINDOWS_DIMENSION], enough, later = 0;
    combgpu__tsp_weights kind;
    combgpu__tsp_excess e;
    int n = instance->n, k;
    combgpu_status status = combgpu__tsp_check_weights(ctx, instance, &kind);
    terms->beyond = COMBGPU__TERMS_NONE;
    if (!status && kind.least < 0)
        status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                               "a weight is %g; with time windows weights are times, 0 or more",
                               kind.least);
    if (status) return status;
    e = combgpu__tsp_excess_of(instance, &kind, weights, key);
    for (k = 0, e.largest = 0; k < n * n; k++) {
        if (combgpu__window_too_long(desc, weights[k], k % n)) weights[k] = COMBGPU__TERMS_NONE;
        if (k % (n + 1) && weights[k] < COMBGPU__TERMS_NONE && weights[k] > e.largest)
            e.largest = weights[k];
    }
    e.joins = combgpu__tsp_excess_joins(&e, key);
    enough = terms->cap = combgpu__tsp_excess_cap(&e, instance);
    for (k = 0; k < n * n; k++)
        if (k % (n + 1) && weights[k] > enough && weights[k] < terms->beyond) {
            terms->beyond = weights[k];
            terms->from = k / n;
            terms->to = k % n;
        }
    for (k = 0; k < n; k++)
        later += (desc->ready ? desc->ready[k] : 0) + (desc->service ? desc->service[k] : 0);
    if (terms->beyond <= enough + later) terms->beyond = COMBGPU__TERMS_NONE;
    return status;
}

/* Nonzero for a missing leg, or one that no tour needs. */
COMBGPU__PRIVATE int combgpu__window_no_leg(const combgpu__tsp_terms *terms, double leg)
{
    return combgpu__tsp_missing(leg) || leg >= terms->beyond;
}

/* Reads all numbers that matter. Writes the cities' due times to due[], without limit where every
   tour comes in time, so that 1e18 for "none" does not make the unit coarse. */
COMBGPU__PRIVATE combgpu__window_numbers
combgpu__window_measure(const combgpu__tsp_terms *terms, const combgpu_tsp_windows_desc *desc,
                        const double *weights, double *due)
{
    combgpu__window_numbers numbers = {0, 1};
    int n = desc->instance->n, i, j;
    double latest, service = 0;
    for (j = 0; j < n; j++) {
        due[j] = HUGE_VAL;
        for (i = 0; i < n; i++)
            if (i == j || combgpu__window_no_leg(terms, weights[i * n + j]))
                continue;
            else if (combgpu__window_too_long(desc, weights[i * n + j], j))
                due[j] = 0; /* it must have one, to keep the leg out */
            else
                combgpu__window_meet(&numbers, weights[i * n + j]);
    }
    latest = numbers.largest * (n + 1);
    for (i = 0; i < n; i++) {
        if (desc->ready) combgpu__window_meet(&numbers, desc->ready[i]);
        if (desc->service) combgpu__window_meet(&numbers, desc->service[i]);
        if (desc->service) service += desc->service[i];
    }
    latest = combgpu__floor(1.001 * (latest + numbers.largest + service)) + 1;
    for (i = 0; i < n; i++) {
        if (desc->due && desc->due[i] <= latest)
            due[i] = desc->due[i];
        else if (due[i] == 0)
            due[i] = latest;
        if (due[i] <= latest) combgpu__window_meet(&numbers, due[i]);
    }
    return numbers;
}

/* A city's times in units. */
COMBGPU__PRIVATE void combgpu__window_times(combgpu__window *w,
                                            const combgpu_tsp_windows_desc *desc, int at, int city)
{
    w->ready[at] = desc->ready ? combgpu__tsp_cost(desc->ready[city], w->scale) : 0;
    w->due[at] = desc->due[city] <= 1e300 ? combgpu__tsp_cost(desc->due[city], w->scale)
                                          : COMBGPU__WINDOW_NEVER;
    w->service[at] = desc->service ? combgpu__tsp_cost(desc->service[city], w->scale) : 0;
}

/* Fills in times, legs, and the quickest ways. */
COMBGPU__PRIVATE void combgpu__window_fill(combgpu__window *w, const combgpu_tsp_windows_desc *desc,
                                           const double *weights)
{
    const combgpu__sop_form *form = &w->form;
    int n = form->n, m = form->m, i, j, k;
    for (i = 0; i < m; i++)
        combgpu__window_times(w, desc, i, form->city[i]);
    w->due[m] = w->due[m + 1] = COMBGPU__WINDOW_NEVER;
    if (form->front >= 0) combgpu__window_times(w, desc, m, form->front);
    if (form->back >= 0) combgpu__window_times(w, desc, m + 1, form->back);
    if (form->shape == COMBGPU_TSP_CYCLE) w->service[m + 1] = 0;
    for (i = 0; i <= m; i++)
        for (j = 0; j <= m; j++) {
            int from = i < m ? form->city[i] : form->front, to = j < m ? form->city[j] : form->back;
            if ((i == j && i < m) || from < 0 || to < 0 || from == to) continue;
            w->legs[i][j] = combgpu__window_no_leg(&w->terms, weights[from * n + to])
                                ? COMBGPU__WINDOW_NO_LEG
                            : combgpu__window_too_long(desc, weights[from * n + to], to)
                                ? combgpu__tsp_cost(desc->due[to], w->scale) + 1
                                : combgpu__tsp_cost(weights[from * n + to], w->scale);
        }
    for (i = 0; i < m; i++)
        for (j = 0; j <= m; j++)
            w->quickest[i][j] = i == j ? 0
                                : w->legs[i][j] == COMBGPU__WINDOW_NO_LEG
                                    ? w->legs[i][j]
                                    : w->service[i] + w->legs[i][j];
    for (k = 0; k < m; k++)
        for (i = 0; i < m; i++)
            for (j = 0; j <= m; j++)
                if (w->quickest[i][k] + w->quickest[k][j] < w->quickest[i][j])
                    w->quickest[i][j] = w->quickest[i][k] + w->quickest[k][j];
    for (i = 0; i < m; i++)
        w->latest[i] = form->back < 0 || w->due[m + 1] == COMBGPU__WINDOW_NEVER
                           ? COMBGPU__WINDOW_NEVER
                           : w->due[m + 1] - w->quickest[i][m];
}

/* ---- the job */

/* Makes room for more labels of a table. */
COMBGPU__PRIVATE combgpu_status combgpu__window_grow(combgpu_context *ctx, combgpu__window *w)
{
    uint64_t room = 2 * w->room + w->missing + 1024, bytes = room * sizeof *w->labels;
    combgpu__window_label *labels;
    if (bytes > w->limit || room >= COMBGPU__WINDOW_NONE || bytes > SIZE_MAX)
        return combgpu__window_too_free(ctx, w);
    labels = (combgpu__window_label *)combgpu__allocate(ctx, (size_t)bytes);
    if (!labels) return combgpu__no_memory(ctx, (size_t)bytes);
    if (w->used) memcpy(labels, w->labels, (size_t)w->used * sizeof *labels);
    combgpu__release(ctx, w->labels);
    w->labels = labels;
    w->room = room;
    w->missing = 0;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__window_slice_done(combgpu_job *job,
                                                           const combgpu__executor *executor,
                                                           uint64_t *accumulators)
{
    combgpu__window *w = (combgpu__window *)combgpu__state(job);
    (void)executor, (void)accumulators;
    if (!w->missing) return COMBGPU_OK;
    return w->layers ? combgpu__window_grow_layers(combgpu__context(job), w)
                     : combgpu__window_grow(combgpu__context(job), w);
}

COMBGPU__PRIVATE combgpu_status combgpu__window_frontier(combgpu_job *job)
{
    const combgpu__window *w = (const combgpu__window *)combgpu__state(job);
    uint32_t first = 1;
    return w->form.m ? combgpu__push(job, &first) : COMBGPU_OK;
}

/* Words of combgpu__accumulators(job) after the totals: the record. */
COMBGPU__PRIVATE combgpu__result combgpu__window_record(combgpu_job *job, const uint32_t *record)
{
    int m = ((const combgpu__window *)combgpu__state(job))->form.m, i;
    for (i = 0; i < COMBGPU__WINDOW_RECORD_WORDS(m); i++)
        combgpu__accumulators(job)[COMBGPU__TOTALS + i] = record[i];
    return COMBGPU__CONTINUE;
}

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE int combgpu__window_validate_record(combgpu_job *job, const uint32_t *record)
{
    (void)job;
    return record[0] < 2;
}

/* Checkpoints do not contain the labels: the first set comes again. */
COMBGPU__PRIVATE int combgpu__window_validate_task(combgpu_job *job, uint32_t *task)
{
    (void)job;
    task[0] = 1;
    return 1;
}

COMBGPU__PRIVATE double combgpu__window_fraction(const combgpu_job *job)
{
    const combgpu__window *w = (const combgpu__window *)combgpu__state(job);
    return w->layers ? (double)(w->next - 1) / w->form.m : ldexp((double)w->next, -w->form.m);
}

COMBGPU__PRIVATE void combgpu__window_release(combgpu_job *job)
{
    combgpu__window *w = (combgpu__window *)combgpu__state(job);
    combgpu__tsp_terms_release(combgpu__context(job), &w->terms);
    combgpu__release(combgpu__context(job), w->form.costs);
    combgpu__release(combgpu__context(job), w->begin);
    combgpu__release(combgpu__context(job), w->labels);
    combgpu__window_release_layers(combgpu__context(job), w->layers);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__window_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "tsp with time windows";
    search.frontier = combgpu__window_frontier;
    search.record = combgpu__window_record;
    search.slice_done = combgpu__window_slice_done;
    search.fraction = combgpu__window_fraction;
    search.validate_task = combgpu__window_validate_task;
    search.validate_record = combgpu__window_validate_record;
    search.release = combgpu__window_release;
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 1;
    search.kernel.left_per_worker = 1;
    search.kernel.first_budget = 1u << 18;
    search.one_device = 1;
    search.most_tasks = 1;
    search.task_words = 1;
    search.record_words = COMBGPU__WINDOW_RECORD_WORDS(COMBGPU__SOP_MOST);
    return search;
}

/* Makes the table of sets. */
COMBGPU__PRIVATE combgpu_status combgpu__window_make_table(combgpu_context *ctx, combgpu__window *w)
{
    uint64_t bytes = (((uint64_t)w->form.m << w->form.m) + 1) * sizeof *w->begin;
    if (bytes >= w->limit)
        return combgpu__fail(
            ctx, COMBGPU_OUT_OF_MEMORY,
            "time windows of %d cities need a table of %llu bytes; memory_limit of "
            "the context allows %llu",
            w->form.n, (unsigned long long)bytes, (unsigned long long)w->limit);
    w->limit -= bytes;
    w->begin = (uint32_t *)combgpu__allocate_zeroed(ctx, (size_t)bytes);
    if (!w->begin) return combgpu__no_memory(ctx, (size_t)bytes);
    return combgpu__window_grow(ctx, w);
}

/* Completes state and description. */
COMBGPU__PRIVATE combgpu_status combgpu__window_setup(combgpu_job *job,
                                                      const combgpu_tsp_windows_desc *desc,
                                                      const combgpu_tsp_desc *like)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__window *w = (combgpu__window *)combgpu__state(job);
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__window_numbers numbers;
    combgpu_tsp_windows_desc within = *desc;
    combgpu_tsp_instance plain = *like->instance;
    combgpu_tsp_desc form = *like;
    double due[COMBGPU_TSP_WINDOWS_DIMENSION];
    size_t bytes = (size_t)like->instance->n * (size_t)like->instance->n * sizeof(double);
    double *weights = (double *)combgpu__allocate(ctx, bytes);
    uint64_t hash = 0;
    int i, j, exponent;
    combgpu_status status;
    if (!weights) return combgpu__no_memory(ctx, bytes);
    plain.weights = weights; /* the form without costs */
    form.instance = &plain;
    status = combgpu__window_terms(ctx, like->instance, desc, weights, &w->terms);
    memset(weights, 0, bytes);
    if (!status) status = combgpu__sop_make_form(ctx, &form, &w->form);
    combgpu__release(ctx, weights);
    if (status) return status;
    numbers = combgpu__window_measure(&w->terms, desc, like->instance->weights, due);
    within.due = due;
    /* times stay below 2^61; whole numbers stay as they are */
    frexp(numbers.largest * (2 * like->instance->n + 4), &exponent);
    w->scale = exponent > 61 || !numbers.whole ? 61 - exponent : 0;
    w->terms.error = w->scale ? ldexp(0.5, -w->scale) : 0;
    w->earliest = desc->earliest_end != 0;
    combgpu__window_fill(w, &within, like->instance->weights);
    status = combgpu__window_reason(ctx, w, like->instance->weights);
    if (status) return status;
    w->next = 1;
    w->limit = COMBGPU__WINDOW_BYTES;
    if (combgpu__is_cpu(ctx) && combgpu__memory_limit(ctx)) w->limit = combgpu__memory_limit(ctx);
    search->record_words = COMBGPU__WINDOW_RECORD_WORDS(w->form.m);
    status = w->form.m > COMBGPU__WINDOW_MOST ? combgpu__window_first_layer(ctx, w)
                                              : combgpu__window_make_table(ctx, w);
    for (i = 0; i <= w->form.m + 1; i++)
        hash = combgpu__mix(
            combgpu__mix(
                combgpu__mix(combgpu__mix(hash + (uint64_t)w->ready[i]) + (uint64_t)w->due[i]) +
                (uint64_t)w->service[i]) +
            (i < w->form.m ? w->form.before[i].words[0] + 3 * w->form.before[i].words[1] : 0));
    for (i = 0; i <= w->form.m; i++)
        for (j = 0; j <= w->form.m; j++)
            hash = combgpu__mix(hash + (uint64_t)w->legs[i][j]);
    snprintf(search->parameters, sizeof search->parameters,
             "earliest %d shape %d n %d ends %d %d unit 2^%d weights %016llx", w->earliest,
             (int)like->shape, w->form.n, COMBGPU__TSP_START(like) + 1, COMBGPU__TSP_END(like) + 1,
             -w->scale, (unsigned long long)hash);
    return status;
}

/* The description with the instance's times where it has none. */
COMBGPU__PRIVATE combgpu_tsp_windows_desc
combgpu__window_complete(const combgpu_tsp_windows_desc *desc)
{
    combgpu_tsp_windows_desc whole = *desc;
    if (!whole.instance) return whole;
    if (!whole.ready) whole.ready = whole.instance->ready;
    if (!whole.due) whole.due = whole.instance->due;
    if (!whole.service) whole.service = whole.instance->service;
    return whole;
}

/* The draft of a search: the form of its tours is that of `like`. */
typedef struct combgpu__window_draft {
    combgpu__tsp_draft like;
    combgpu_tsp_windows_desc whole;
} combgpu__window_draft;

COMBGPU__PRIVATE combgpu_status combgpu__window_validate(combgpu_context *ctx, const void *from,
                                                         void *to)
{
    const combgpu_tsp_windows_desc *desc = (const combgpu_tsp_windows_desc *)from;
    combgpu__window_draft *draft = (combgpu__window_draft *)to;
    combgpu__tsp_draft *like = &draft->like;
    combgpu_status status;
    like->given = desc->instance;
    like->desc = combgpu__tsp_like(desc->instance, desc->shape, desc->path_ends, desc->path_start,
                                   desc->path_end);
    status = combgpu__tsp_check_desc(ctx, &like->desc);
    draft->whole = combgpu__window_complete(desc);
    if (!status) status = combgpu__window_check(ctx, &draft->whole);
    if (status) return status;
    if (desc->shape == COMBGPU_TSP_CYCLE) like->desc.path_start = desc->instance->depot;
    return combgpu__tsp_measure_desc(ctx, &like->desc, &like->measured);
}

COMBGPU__PRIVATE combgpu_status combgpu__window_begin(combgpu_job *job, const void *from)
{
    const combgpu__window_draft *draft = (const combgpu__window_draft *)from;
    return combgpu__window_setup(job, &draft->whole, &draft->like.desc);
}

COMBGPU__PRIVATE combgpu_status combgpu__window_begun(combgpu_job *job, const void *draft)
{
    (void)draft;
    if (combgpu__tasks_left(job)) combgpu__forget_accumulators(job); /* from the start again */
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__window_keep(combgpu_job *job, void *from)
{
    combgpu__tsp_draft *like = &((combgpu__window_draft *)from)->like;
    return combgpu__tsp_terms_keep(combgpu__context(job),
                                   &((combgpu__window *)combgpu__state(job))->terms, like->given,
                                   &like->measured);
}

/* ---- end */

/* Writes the tour found, and its times. Returns 0 if it is not a tour, as in a bad checkpoint. */
COMBGPU__PRIVATE int combgpu__window_write(const combgpu_job *job,
                                           combgpu_tsp_windows_result *result)
{
    const combgpu__window *w = (const combgpu__window *)combgpu__state(job);
    const combgpu__sop_form *form = &w->form;
    const uint64_t *record = combgpu__accumulators(job) + COMBGPU__TOTALS;
    int order[COMBGPU__SOP_MOST] = {0}, m = form->m, at = 0, i;
    int64_t start[COMBGPU__SOP_MOST], end, cost;
    int over, missing;
    for (i = 0; i < m; i++)
        order[i] = (int)(record[1 + i / 4] >> i % 4 * 8 & 255);
    if (!combgpu__window_schedule(w, order, start, &end, &cost)) return !m;
    result->feasible = 1;
    result->tolerance = 2.000001 * (3 * form->n + 1) * w->terms.error;
    result->end = ldexp((double)end, -w->scale);
    if (form->front >= 0) {
        result->tour[at] = form->front;
        result->start[at++] = ldexp((double)w->ready[m], -w->scale);
    }
    for (i = 0; i < m; i++) {
        result->tour[at] = form->city[order[i]];
        result->start[at++] = ldexp((double)start[i], -w->scale);
    }
    if (form->shape == COMBGPU_TSP_PATH && form->back >= 0) {
        result->tour[at] = form->back;
        result->start[at] = ldexp((double)(end - w->service[m + 1]), -w->scale);
    }
    result->length =
        combgpu__tsp_terms_length(&w->terms, form->shape, result->tour, 0, &over, &missing);
    return 1;
}

COMBGPU__PRIVATE combgpu_status combgpu__window_end(combgpu_job *job, void *to, uint64_t *checksum)
{
    const combgpu__window *w = (const combgpu__window *)combgpu__state(job);
    combgpu_tsp_windows_result *result = (combgpu_tsp_windows_result *)to;
    int ended = combgpu__outcome(job) == COMBGPU_OK, i;
    result->n = w->form.n;
    result->shape = w->form.shape;
    if (ended && (!w->form.m || combgpu__accumulators(job)[COMBGPU__TOTALS]) &&
        !combgpu__window_write(job, result))
        return combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                             "the checkpoint reports an invalid tour");
    if (ended && !result->feasible && w->terms.beyond < COMBGPU__TERMS_NONE)
        return combgpu__tsp_terms_refuse(combgpu__context(job), w->terms.beyond, w->terms.from,
                                         w->terms.to);
    if (ended && !result->feasible) {
        result->late_count = w->late_count;
        memcpy(result->late, w->late, sizeof result->late);
    }
    for (i = 0; result->feasible && i < result->n; i++)
        *checksum = combgpu__mix(*checksum + (uint64_t)result->tour[i] + 1);
    return COMBGPU_OK;
}

static const combgpu__method combgpu__window_methods[] = {
    {NULL, combgpu__window_describe, sizeof(combgpu__window), combgpu__window_begin,
     combgpu__window_solve, combgpu__window_begun, combgpu__window_end}};
static const combgpu__search combgpu__window_calls = {COMBGPU__SEARCH_OF(tsp_windows),
                                                      sizeof(combgpu__window_draft),
                                                      combgpu__window_validate,
                                                      combgpu__window_keep,
                                                      combgpu__tsp_forget,
                                                      combgpu__window_methods};
COMBGPU__SEARCH_CALLS(tsp_windows, combgpu__window_calls)
COMBGPU__COLD_END
