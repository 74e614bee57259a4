/* Runs the job of tours with precedence: frontier, records, checkpoints, begin and end. */

/* Words of combgpu__accumulators(job) after the totals: the best tour's length; its middle cities, 8 a
   word. */
#define COMBGPU__SOP_SUM_LENGTH COMBGPU__TOTALS
#define COMBGPU__SOP_SUM_CITIES (COMBGPU__TOTALS + 1)

COMBGPU__PRIVATE void combgpu__sop_remember(combgpu_job *job, int64_t length,
                                            const uint32_t *cities)
{
    int m = ((const combgpu__sop *)combgpu__state(job))->form.m, i;
    uint64_t *words = combgpu__accumulators(job) + COMBGPU__SOP_SUM_CITIES;
    combgpu__accumulators(job)[COMBGPU__SOP_SUM_LENGTH] = (uint64_t)length;
    memset(words, 0, COMBGPU__SOP_MOST / 8 * sizeof *words);
    for (i = 0; i < m; i++)
        words[i / 8] |= (uint64_t)combgpu__sop_city(cities, i) << i % 8 * 8;
}

COMBGPU__PRIVATE int combgpu__sop_remembered(const combgpu_job *job, int i)
{
    return (int)(combgpu__accumulators(job)[COMBGPU__SOP_SUM_CITIES + i / 8] >> i % 8 * 8 & 255);
}

/* Nonzero if this is a tour that keeps the caller's pairs, of this length. */
COMBGPU__PRIVATE int combgpu__sop_valid(const combgpu__sop *sop, const int *order, int64_t length)
{
    return combgpu__sop_feasible(sop->free, sop->form.m, order) &&
           combgpu__sop_length(&sop->form, order) == length;
}

COMBGPU__PRIVATE combgpu_status combgpu__sop_frontier(combgpu_job *job)
{
    const combgpu__sop *sop = (const combgpu__sop *)combgpu__state(job);
    uint32_t task[COMBGPU__SOP_TASK_CITIES + COMBGPU__SOP_MOST / 4];
    uint32_t cities[COMBGPU__SOP_MOST / 4];
    int i;
    memset(cities, 0, sizeof cities);
    for (i = 0; i < sop->form.m; i++)
        cities[i / 4] |= (uint32_t)sop->order[i] << i % 4 * 8;
    combgpu__sop_remember(job, sop->length, cities);
    if (!sop->length || sop->form.m < 2) return COMBGPU_OK;
    memset(task, 0, sizeof task);
    combgpu__put64(task + COMBGPU__SOP_TASK_SHARE, (uint64_t)1 << 62);
    return combgpu__push(job, task);
}

/* Takes a better tour. */
COMBGPU__PRIVATE combgpu__result combgpu__sop_record(combgpu_job *job, const uint32_t *record)
{
    combgpu__sop *sop = (combgpu__sop *)combgpu__state(job);
    int64_t length = (int64_t)combgpu__get64(record);
    int order[COMBGPU__SOP_MOST] = {0}, i;
    if (length >= (int64_t)combgpu__accumulators(job)[COMBGPU__SOP_SUM_LENGTH])
        return COMBGPU__CONTINUE;
    for (i = 0; i < sop->form.m; i++)
        order[i] = combgpu__sop_city(record + 2, i);
    if (!combgpu__sop_valid(sop, order, length))
        return combgpu__as_result(combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                                                "the search reports an invalid tour"));
    combgpu__sop_remember(job, length, record + 2);
    if (length < sop->length) sop->length = length;
    return COMBGPU__CONTINUE;
}

COMBGPU__COLD_BEGIN
/* Goes down the tree by the least bound, and improves that tour. */
COMBGPU__PRIVATE void combgpu__sop_dive(combgpu_job *job)
{
    combgpu__sop *sop = (combgpu__sop *)combgpu__state(job);
    const combgpu__sop_form *form = &sop->form;
    uint32_t cities[COMBGPU__SOP_MOST / 4];
    int order[COMBGPU__SOP_MOST] = {0}, i;
    int64_t length;
    if (!combgpu__sop_down(sop, order)) return;
    combgpu__sop_improve(form, (uint64_t)sop->bounds.passes, combgpu__sop_moves(form->m) / 4,
                         order);
    length = combgpu__sop_length(form, order);
    if (length >= sop->length || !combgpu__sop_valid(sop, order, length)) return;
    memset(cities, 0, sizeof cities);
    for (i = 0; i < form->m; i++)
        cities[i / 4] |= (uint32_t)order[i] << i % 4 * 8;
    combgpu__sop_remember(job, length, cities);
    sop->length = length;
}

/* Lets the bounds rise and the search go on in turns, the bounds a third longer each time, the
   search a quarter as long: little time goes to the wrong one. While the bounds rise fast the
   search skips its turns. */
COMBGPU__PRIVATE void combgpu__sop_take_turns(combgpu_job *job, uint64_t nodes)
{
    combgpu__sop *sop = (combgpu__sop *)combgpu__state(job);
    combgpu__sop_bounds *b = &sop->bounds;
    if (sop->ascending && b->settled) {
        int64_t gap = b->known - b->bound;
        int fast = gap < sop->gap - sop->gap / 10;
        combgpu__sop_dive(job);
        sop->gap = gap;
        sop->nodes_until = nodes + b->steps / 4;
        if (!fast || b->finished) sop->ascending = 0;
    } else if (!sop->ascending && !b->finished && nodes >= sop->nodes_until) {
        sop->ascending = 1;
    } else {
        return;
    }
    b->until = b->steps + b->steps / 3 + 2048;
    b->settled = 0;
    b->length = sop->length;
    b->known = combgpu__sop_units(b, b->length);
}

/* Between slices: whose turn it is, and the size of the table of beginnings. */
COMBGPU__PRIVATE combgpu_status combgpu__sop_slice_done(combgpu_job *job,
                                                        const combgpu__executor *executor,
                                                        uint64_t *accumulators)
{
    combgpu__sop *sop = (combgpu__sop *)combgpu__state(job);
    uint64_t used = accumulators[COMBGPU__SOP_S_FRESH];
    (void)executor;
    accumulators[COMBGPU__SOP_S_FRESH] = 0;
    if (sop->form.m > 1) combgpu__sop_take_turns(job, accumulators[COMBGPU__SOP_S_NODES]);
    combgpu__sop_history_grow(combgpu__context(job), &sop->history, used, sop->table_limit);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE double combgpu__sop_fraction(const combgpu_job *job)
{
    return ldexp((double)combgpu__accumulators(job)[COMBGPU__SOP_S_SHARES], -62);
}

COMBGPU__PRIVATE int combgpu__sop_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__sop *sop = (const combgpu__sop *)combgpu__state(job);
    const combgpu__sop_form *form = &sop->form;
    int64_t cost = 0;
    combgpu__tsp_cities seen;
    uint32_t i;
    int last = form->m;
    memset(&seen, 0, sizeof seen);
    if (combgpu__get64(task + COMBGPU__SOP_TASK_SHARE) > (uint64_t)1 << 62 ||
        task[COMBGPU__SOP_TASK_COUNT] > (uint32_t)form->m)
        return 0;
    for (i = 0; i < task[COMBGPU__SOP_TASK_COUNT]; i++) {
        int city = combgpu__sop_city(task + COMBGPU__SOP_TASK_CITIES, (int)i);
        if (city >= form->m || combgpu__tsp_cities_has(&seen, city) ||
            !combgpu__tsp_cities_within(&form->before[city], &seen))
            return 0;
        combgpu__tsp_cities_add(&seen, city);
        cost += combgpu__sop_cost(form, last, city);
        last = city;
    }
    return cost == (int64_t)combgpu__get64(task + COMBGPU__SOP_TASK_COST);
}

COMBGPU__PRIVATE int combgpu__sop_validate_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__sop *sop = (const combgpu__sop *)combgpu__state(job);
    int order[COMBGPU__SOP_MOST] = {0}, i;
    for (i = 0; i < sop->form.m; i++)
        order[i] = combgpu__sop_city(record + 2, i);
    return combgpu__sop_valid(sop, order, (int64_t)combgpu__get64(record));
}

COMBGPU__PRIVATE void combgpu__sop_release(combgpu_job *job)
{
    combgpu__sop *sop = (combgpu__sop *)combgpu__state(job);
    combgpu__tsp_terms_release(combgpu__context(job), &sop->terms);
    combgpu__release(combgpu__context(job), sop->form.costs);
    combgpu__sop_bounds_release(combgpu__context(job), &sop->bounds);
    combgpu__sop_history_release(combgpu__context(job), &sop->history);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__sop_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "tsp with precedence";
    search.frontier = combgpu__sop_frontier;
    search.record = combgpu__sop_record;
    search.slice_done = combgpu__sop_slice_done;
    search.fraction = combgpu__sop_fraction;
    search.validate_task = combgpu__sop_validate_task;
    search.validate_record = combgpu__sop_validate_record;
    search.release = combgpu__sop_release;
    search.unsteady = 1;
    return search;
}

/* ---- begin */

COMBGPU__PRIVATE combgpu_status combgpu__sop_check(combgpu_context *ctx,
                                                   const combgpu_tsp_desc *desc)
{
    int n = desc->instance->n;
    combgpu_status status;
    if (n > COMBGPU__SOP_MOST)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "desc.instance->n is %d; with precedence (desc.instance->before) it "
                             "may be at most %d",
                             n, COMBGPU__SOP_MOST);
    if (desc->method != COMBGPU_TSP_AUTO && desc->method != COMBGPU_TSP_BRANCH_AND_BOUND)
        return combgpu__fail(
            ctx, COMBGPU_UNSUPPORTED,
            "desc.method is %d (%s); with precedence (desc.instance->before) it may "
            "be 0 (auto) or 3 (branch and bound)",
            (int)desc->method, combgpu__tsp_method_name(desc->method));
    if (desc->run.shard_count > 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.run.shard_count is %d; a search with precedence cannot be split "
                             "into shards",
                             desc->run.shard_count);
    status = combgpu__tsp_check_pairs(ctx, "desc.instance->before", n, desc->instance->before_count,
                                      desc->instance->before);
    if (status || !desc->start) return status;
    status = combgpu__branch_check_start(ctx, desc);
    if (status) return status;
    if (desc->shape == COMBGPU_TSP_CYCLE && desc->start[0] != 0)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.start[0] is city %d; a cycle with precedence begins at city 0 (counted from 0)",
            desc->start[0]);
    return combgpu__tsp_check_before(ctx, "desc.start", desc->instance, desc->start);
}

/* Takes the caller's tour, or goes to the nearest city, and improves that. */
COMBGPU__PRIVATE void combgpu__sop_first_tour(combgpu__sop *sop, const combgpu_tsp_desc *desc)
{
    const combgpu__sop_form *form = &sop->form;
    int place[COMBGPU__SOP_MOST + 1], own[COMBGPU__SOP_MOST], at = 0, i;
    combgpu__sop_nearest(form, sop->order);
    combgpu__sop_improve(form, desc->seed, combgpu__sop_moves(form->m), sop->order);
    sop->length = combgpu__sop_length(form, sop->order);
    if (!desc->start) return;
    memset(place, 0xff, sizeof place);
    for (i = 0; i < form->m; i++)
        place[form->city[i]] = i;
    for (i = 0; i < form->n; i++)
        if (place[desc->start[i]] >= 0) own[at++] = place[desc->start[i]];
    combgpu__sop_improve(form, desc->seed, combgpu__sop_moves(form->m), own);
    if (combgpu__sop_length(form, own) >= sop->length) return;
    sop->length = combgpu__sop_length(form, own);
    memcpy(sop->order, own, sizeof own);
}

COMBGPU__PRIVATE uint64_t combgpu__sop_fingerprint(const combgpu__sop *sop)
{
    const combgpu__sop_form *form = &sop->form;
    uint64_t hash = combgpu__mix((uint64_t)form->m + (uint64_t)form->divisor);
    int i;
    for (i = 0; i < (form->m + 1) * (form->m + 1); i++)
        hash = combgpu__mix(hash + (uint64_t)form->costs[i]);
    for (i = 0; i < form->m; i++)
        hash = combgpu__mix(combgpu__mix(hash + sop->free[i].words[0]) + sop->free[i].words[1]);
    return combgpu__mix(hash + (uint64_t)form->nothing);
}

COMBGPU__PRIVATE combgpu_status combgpu__sop_setup(combgpu_job *job, const combgpu_tsp_desc *desc)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__sop *sop = (combgpu__sop *)combgpu__state(job);
    uint32_t most;
    combgpu_status status = combgpu__sop_make_form(ctx, desc, &sop->form);
    if (status) return status;
    combgpu__sop_divide(&sop->form);
    memcpy(sop->free, sop->form.before, sizeof sop->free);
    combgpu__sop_first_tour(sop, desc);
    combgpu__sop_order_twins(&sop->form);
    if (sop->form.m > 1 && sop->length) {
        status = combgpu__sop_bounds_make(ctx, &sop->form, sop->length, &sop->bounds);
        if (!status) status = combgpu__sop_history_make(ctx, &sop->history);
        if (status) return status;
    }
    sop->ascending = 1;
    sop->gap = INT64_MAX;
    sop->bounds.until = 2048;
    sop->table_limit = COMBGPU__SOP_TABLE_BYTES;
    if (combgpu__is_cpu(ctx) && combgpu__memory_limit(ctx))
        sop->table_limit = combgpu__memory_limit(ctx);
    most = COMBGPU__SOP_STACK + (uint32_t)sop->form.m;
    search->kernel.lanes_per_worker = search->kernel.lanes_per_block = 1;
    search->kernel.left_per_worker = (int)most;
    search->kernel.first_budget = 4096;
    search->task_words = combgpu__sop_task_words(sop->form.m);
    search->record_words = 2 + (uint32_t)(sop->form.m + 3) / 4;
    search->record_capacity = 32;
    search->work_bytes_per_worker = (size_t)most * search->task_words * sizeof(uint32_t);
    snprintf(search->parameters, sizeof search->parameters,
             "shape %d n %d ends %d %d unit 2^%d costs %016llx", (int)desc->shape, sop->form.n,
             COMBGPU__TSP_START(desc) + 1, COMBGPU__TSP_END(desc) + 1, -sop->form.scale,
             (unsigned long long)combgpu__sop_fingerprint(sop));
    return COMBGPU_OK;
}

/* Checks the best tour after a resume, and takes its length. */
COMBGPU__PRIVATE combgpu_status combgpu__sop_resume(combgpu_job *job)
{
    combgpu__sop *sop = (combgpu__sop *)combgpu__state(job);
    int64_t length = (int64_t)combgpu__accumulators(job)[COMBGPU__SOP_SUM_LENGTH];
    int order[COMBGPU__SOP_MOST] = {0}, i;
    size_t count, k;
    const uint32_t *record = combgpu__pending(job, &count);
    for (i = 0; i < sop->form.m; i++)
        order[i] = combgpu__sop_remembered(job, i);
    if (!combgpu__sop_valid(sop, order, length))
        return combgpu__fail(combgpu__context(job), COMBGPU_BAD_FILE,
                             "the checkpoint's tour is not a tour of this instance");
    for (k = 0; k < count; k++, record += combgpu__desc(job)->record_words) {
        int64_t other = (int64_t)combgpu__get64(record);
        if (other < length) length = other;
    }
    sop->length = length;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__sop_begin(combgpu_job *job, const void *draft)
{
    const combgpu_tsp_desc *desc = &((const combgpu__tsp_draft *)draft)->desc;
    combgpu_status status = combgpu__sop_check(combgpu__context(job), desc);
    return status ? status : combgpu__sop_setup(job, desc);
}

COMBGPU__PRIVATE combgpu_status combgpu__sop_begun(combgpu_job *job, const void *draft)
{
    (void)draft;
    return combgpu__sop_resume(job);
}

/* ---- end */

/* The least bound of the open nodes; without any, the best tour's length. */
COMBGPU__PRIVATE combgpu_status combgpu__sop_lower_bound(combgpu_job *job, int64_t *bound)
{
    const combgpu__sop *sop = (const combgpu__sop *)combgpu__state(job);
    combgpu_status status = combgpu__gather(job);
    int64_t root = combgpu__sop_whole(&sop->bounds, sop->bounds.bound);
    size_t count, i;
    const uint32_t *task = combgpu__reserve(job, &count);
    *bound = (int64_t)combgpu__accumulators(job)[COMBGPU__SOP_SUM_LENGTH];
    for (i = 0; !status && i < count; i++, task += combgpu__desc(job)->task_words) {
        int64_t open = (int64_t)combgpu__get64(task + COMBGPU__SOP_TASK_BOUND);
        if (open < root) open = root;
        if (open < *bound) *bound = open;
    }
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__sop_end(combgpu_job *job, void *to, uint64_t *checksum)
{
    const combgpu__sop *sop = (const combgpu__sop *)combgpu__state(job);
    const combgpu__sop_form *form = &sop->form;
    combgpu_tsp_result *result = (combgpu_tsp_result *)to;
    combgpu_status status = combgpu__outcome(job);
    int64_t bound = 0, length;
    int tour[COMBGPU__SOP_MOST + 2], i, at = 0, proven = status == COMBGPU_OK;
    if (status >= 0) status = combgpu__sop_lower_bound(job, &bound);
    if (status) return status;
    length = (int64_t)combgpu__accumulators(job)[COMBGPU__SOP_SUM_LENGTH];
    result->method = COMBGPU_TSP_BRANCH_AND_BOUND;
    result->shape = form->shape;
    if (form->front >= 0) tour[at++] = form->front;
    for (i = 0; i < form->m; i++)
        tour[at++] = form->city[combgpu__sop_remembered(job, i)];
    if (form->shape == COMBGPU_TSP_PATH && form->back >= 0) tour[at++] = form->back;
    if (proven) *checksum = combgpu__mix((uint64_t)length);
    return combgpu__tsp_terms_conclude(combgpu__context(job), &sop->terms, tour,
                                       (proven ? length : bound) * form->divisor, form->scale,
                                       form->error, 0, proven, result);
}
COMBGPU__COLD_END
