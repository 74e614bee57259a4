/* Begin, end and one-shot of the travelling salesman. */

COMBGPU__PRIVATE void combgpu__tsp_release(combgpu_job *job)
{
    combgpu__tsp_terms_release(combgpu__context(job),
                               &((combgpu__tsp *)combgpu__state(job))->terms);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__tsp_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "tsp";
    search.frontier = combgpu__table_frontier;
    search.record = combgpu__table_record;
    search.slice_done = combgpu__table_slice_done;
    search.fraction = combgpu__table_fraction;
    search.adopt_task = combgpu__table_adopt_task;
    search.adopt_record = combgpu__table_adopt_record;
    search.task_words = COMBGPU__TSP_TASK_WORDS;
    search.release = combgpu__tsp_release;
    return search;
}

COMBGPU__PRIVATE void combgpu__tsp_describe_brute(combgpu__job_desc *search)
{
    search->merge = combgpu__table_merge;
    search->kernel.name = "combgpu_tsp_brute";
    search->kernel.solve = combgpu__tsp_brute_solve;
    search->kernel.lanes_per_worker = search->kernel.lanes_per_block = COMBGPU__TSP_LANES;
    search->kernel.left_per_worker = 2;
    search->kernel.first_budget = 1u << 20;
    search->range_tasks = 1;
    search->record_words = 4;
    search->record_capacity = 8192;
}

COMBGPU__PRIVATE void combgpu__tsp_describe_table(combgpu__job_desc *search, double bytes)
{
    search->kernel.name = "combgpu_tsp_table";
    search->kernel.solve = combgpu__tsp_table_solve;
    search->kernel.lanes_per_worker = search->kernel.lanes_per_block = 32;
    search->kernel.left_per_worker = 1;
    search->kernel.first_budget = 1u << 17;
    search->one_device = 1; /* its layers share a table */
    search->most_tasks = 1;
    search->record_words = COMBGPU__TSP_RECORD_WORDS;
    search->work_bytes_shared = (size_t)bytes;
}

/* Completes state, description and tables. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_setup(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__tsp *tsp = (combgpu__tsp *)combgpu__state(job);
    uint64_t hash = 0;
    double bytes = combgpu__tsp_table_bytes(tsp->m, tsp->low, tsp->wide);
    int brute = tsp->method == COMBGPU_TSP_BRUTE_FORCE, i;
    tsp->depth = tsp->m - COMBGPU__TSP_SUFFIX > 1 ? tsp->m - COMBGPU__TSP_SUFFIX : tsp->m > 1;
    tsp->prefixes = tsp->m > 0;
    for (i = 0; i < tsp->depth; i++) /* if reversible, no order begins with the last city */
        tsp->prefixes *= (uint64_t)(tsp->m - i - (!i && tsp->reversible));
    tsp->all_steps = brute ? (uint64_t)(combgpu__tsp_factorial(tsp->m) / (1 + tsp->reversible))
                           : ((uint64_t)tsp->m << tsp->m) / 2;
    if (!tsp->all_steps) tsp->all_steps = 1;
    tsp->bound = combgpu__tsp_simple_bound(tsp);
    if (!brute && bytes > (double)(SIZE_MAX / 2))
        return combgpu__no_memory(combgpu__context(job), SIZE_MAX);
    if (brute)
        combgpu__tsp_describe_brute(search);
    else
        combgpu__tsp_describe_table(search, bytes);
    for (i = 0; i < COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(combgpu__mix(hash + (uint64_t)tsp->first[i]) + (uint64_t)tsp->last[i]);
    for (i = 0; i < COMBGPU__TSP_MOST * COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(hash + (uint64_t)tsp->legs[i]);
    if (!tsp->m) hash = combgpu__mix(hash + (uint64_t)tsp->nothing);
    snprintf(search->parameters, sizeof search->parameters,
             "method %d shape %d n %d ends %d %d unit 2^%d weights %016llx", (int)tsp->method,
             (int)tsp->shape, tsp->n, tsp->front + 1, tsp->back + 1, -tsp->scale,
             (unsigned long long)hash);
    return combgpu__tsp_tables(job);
}

/* Returns the method in the checkpoint that the run resumes or merges, which AUTO may have chosen
   for another device or for a shard; AUTO if there is none, or one that AUTO never chooses for the
   instance: then the checkpoint is another job's. */
COMBGPU__PRIVATE combgpu_tsp_method combgpu__tsp_resumed(combgpu_context *ctx,
                                                         const combgpu_tsp_desc *desc)
{
    const combgpu_tsp_instance *instance = desc->instance;
    static const char head[] = COMBGPU__CHECKPOINT_HEAD "problem tsp";
    static const char branch[] = " branch and bound\n", heuristic[] = " heuristic\n",
                      method[] = "\nparameters method ";
    char text[128] = "";
    const char *rest = text + sizeof head - 1;
    if (instance && instance->before_count) return COMBGPU_TSP_AUTO;
    combgpu__checkpoint_head(ctx, &desc->run, text, sizeof text);
    if (strncmp(text, head, sizeof head - 1)) return COMBGPU_TSP_AUTO;
    if (!strncmp(rest, branch, sizeof branch - 1)) return COMBGPU_TSP_BRANCH_AND_BOUND;
    if (!strncmp(rest, heuristic, sizeof heuristic - 1)) return COMBGPU_TSP_HEURISTIC;
    if (strncmp(rest, method, sizeof method - 1) || (instance && instance->fixed_count))
        return COMBGPU_TSP_AUTO;
    rest += sizeof method - 1;
    return *rest == '1'   ? COMBGPU_TSP_BRUTE_FORCE
           : *rest == '2' ? COMBGPU_TSP_HELD_KARP
                          : COMBGPU_TSP_AUTO;
}

/* Nonzero if the heuristic is to be used. Up to 7 cities the other methods take no time, but do not
   know fixed edges. */
COMBGPU__PRIVATE int combgpu__tsp_large_wanted(const combgpu_tsp_desc *desc)
{
    return desc->instance && !desc->instance->before_count &&
           (desc->method == COMBGPU_TSP_HEURISTIC
                ? desc->instance->n > 7 || desc->instance->fixed_count
                : desc->method == COMBGPU_TSP_AUTO && desc->instance->n > COMBGPU_TSP_MAX_TOUR);
}

/* Branch and bound with fixed edges: begins with a tour that has them, found by the heuristic, which
   also refuses edges that no tour has. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_begin_fixed(combgpu_context *ctx,
                                                         const combgpu_tsp_desc *desc,
                                                         combgpu_job **out)
{
    combgpu_tsp_desc search = *desc;
    combgpu_tsp_result first;
    combgpu_status status = combgpu__branch_check(ctx, desc);
    if (status) return status;
    memset(&search.run, 0, sizeof search.run);
    search.method = COMBGPU_TSP_HEURISTIC;
    search.kicks = (uint64_t)desc->instance->n;
    search.start = NULL;
    search.tour = NULL;
    status = combgpu_tsp(ctx, &search, &first);
    if (status) return status;
    search = *desc;
    search.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    search.start = first.tour;
    return combgpu__branch_begin(ctx, &search, out);
}

/* Begins a search of an instance with weights, or of many cities. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_begin(combgpu_context *ctx,
                                                   const combgpu_tsp_desc *desc, combgpu_job **out)
{
    combgpu__job_desc search = combgpu__tsp_describe();
    combgpu_job *job;
    combgpu__tsp *tsp;
    combgpu_status status;
    if (desc->instance->before_count) return combgpu__sop_begin(ctx, desc, out);
    if (combgpu__tsp_large_wanted(desc)) return combgpu__large_begin(ctx, desc, out);
    if (desc->method == COMBGPU_TSP_BRANCH_AND_BOUND ||
        (desc->method == COMBGPU_TSP_AUTO && desc->run.shard_count <= 1 &&
         desc->instance->n > COMBGPU__TSP_TABLE_FIRST) ||
        desc->instance->fixed_count) {
        status = desc->instance->fixed_count ? combgpu__tsp_begin_fixed(ctx, desc, out)
                                             : combgpu__branch_begin(ctx, desc, out);
        if (status || *out) return status;
    }
    status = combgpu__job_create(ctx, &search, sizeof *tsp, &desc->run, &job);
    if (status) return status;
    tsp = (combgpu__tsp *)combgpu__state(job);
    status = combgpu__tsp_form(ctx, desc, tsp);
    if (!status) status = combgpu__tsp_choose(ctx, desc, tsp);
    if (!status) status = combgpu__tsp_setup(job);
    if (!status) status = combgpu__job_start(job);
    if (!status && tsp->method != COMBGPU_TSP_BRUTE_FORCE && combgpu__tasks_left(job))
        combgpu__forget_sums(job); /* a resumed run computes its table from the start */
    tsp->budget = combgpu__budget(job);
    return combgpu__job_begun(job, status, out);
}

/* Gives a job the terms of its search. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_keep(combgpu_context *ctx, combgpu_job *job,
                                                  const combgpu_tsp_desc *desc,
                                                  combgpu_tsp_instance *measured,
                                                  const combgpu__tsp_terms *terms)
{
    combgpu__tsp_terms *kept = (combgpu__tsp_terms *)combgpu__state(job);
    combgpu_tsp_instance own = kept->given;
    *kept = *terms;
    kept->out = desc->tour;
    if (!own.n || terms->cap > 0)
        return combgpu__tsp_terms_keep(ctx, kept, desc->instance, measured);
    kept->given = own; /* the heuristic has copies */
    kept->grid = combgpu__tsp_grid(&own);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_tsp_begin(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                              combgpu_job **out)
{
    combgpu_tsp_desc chosen;
    combgpu_tsp_instance measured, searched;
    combgpu__tsp_terms terms;
    combgpu_status status;
    if (out) *out = NULL;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", desc ? "job" : "desc");
    chosen = *desc;
    measured.weights = searched.weights = NULL;
    status = combgpu__tsp_check_desc(ctx, desc);
    if (!status && chosen.method == COMBGPU_TSP_AUTO)
        chosen.method = combgpu__tsp_resumed(ctx, desc);
    if (!status && desc->instance->fixed_count) status = combgpu__tsp_check_fixed(ctx, &chosen);
    if (!status && !desc->instance->weights && !combgpu__tsp_large_wanted(&chosen) &&
        desc->instance->n <= COMBGPU_TSP_MAX_MATRIX)
        status = combgpu__tsp_measure_desc(ctx, &chosen, &measured);
    if (!status) status = combgpu__tsp_terms_make(ctx, &chosen, &searched, &terms);
    if (!status) status = combgpu__tsp_begin(ctx, &chosen, out);
    if (!status) status = combgpu__tsp_keep(ctx, *out, desc, &measured, &terms);
    if (status && *out) {
        combgpu_job_cancel(*out);
        *out = NULL;
    }
    combgpu__release(ctx, measured.weights);
    combgpu__release(ctx, searched.weights);
    return status;
}

/* ---- end */

/* Completes order[0 .. place-1] to the lexicographically smallest order whose remaining legs cost
   `rest`. Returns 0 if there is none. */
COMBGPU__PRIVATE int combgpu__tsp_complete(const combgpu__tsp *tsp, int *order, int place,
                                           uint32_t used, int64_t rest)
{
    int c, from = order[place - 1];
    if (place == tsp->m) return rest == tsp->last[from] && !(tsp->reversible && from < order[0]);
    for (c = 0; c < tsp->m; c++) {
        int64_t leg = tsp->legs[from * COMBGPU__TSP_MOST + c];
        order[place] = c;
        if (!(used >> c & 1) && leg <= rest &&
            combgpu__tsp_complete(tsp, order, place + 1, used | 1u << c, rest - leg))
            return 1;
    }
    return 0;
}

/* Reads the best order from the sums. Returns 0 if it is invalid, as in a bad checkpoint. */
COMBGPU__PRIVATE int combgpu__tsp_answer(const combgpu_job *job, int *order)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    int64_t length = (int64_t)combgpu__sums(job)[COMBGPU__TSP_LENGTH];
    uint64_t prefix = combgpu__sums(job)[COMBGPU__TSP_PREFIX];
    if (!tsp->m) return length == tsp->nothing;
    if (tsp->method == COMBGPU_TSP_BRUTE_FORCE) {
        int64_t rest;
        uint32_t used = 0;
        int i;
        if (length < 0 || prefix >= tsp->prefixes) return 0;
        combgpu__table_unrank(tsp->m, tsp->depth, prefix, order);
        rest = length - tsp->first[order[0]];
        for (i = 0; i < tsp->depth; i++) {
            if (i) rest -= tsp->legs[order[i - 1] * COMBGPU__TSP_MOST + order[i]];
            used |= 1u << order[i];
        }
        if (tsp->m == 1) return rest == tsp->last[0];
        return combgpu__tsp_complete(tsp, order, tsp->depth, used, rest);
    } else {
        uint32_t words[8];
        int i;
        for (i = 0; i < 4; i++)
            combgpu__put64(words + 2 * i, combgpu__sums(job)[COMBGPU__TSP_ORDER + i]);
        return combgpu__table_unpack(tsp->m, words, order) &&
               combgpu__tsp_order_cost(tsp, order) == length;
    }
}

/* Returns a hash of the answer: Held-Karp's checksum. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_answer_hash(const combgpu__tsp *tsp, const int *order)
{
    uint64_t hash = (uint64_t)combgpu__tsp_order_cost(tsp, order);
    int i;
    for (i = 0; i < tsp->m; i++)
        hash = combgpu__mix(hash + (uint64_t)order[i]);
    return combgpu__mix(hash);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_end(combgpu_job *job, combgpu_tsp_result *result)
{
    const combgpu__tsp *tsp;
    combgpu_status status;
    uint64_t checksum;
    int order[COMBGPU__TSP_MOST] = {0}, tour[COMBGPU__TSP_MOST + 2], complete, i, at = 0;
    status = combgpu__is_idle(job); /* a callback's _end */
    if (status) return status;
    if (combgpu__sop_is_job(job)) return combgpu__sop_end(job, result);
    if (combgpu__branch_is(job)) return combgpu__branch_end(job, result);
    if (combgpu__large_is(job)) return combgpu__large_end(job, result);
    status = combgpu__is_job(job, "tsp", "combgpu_tsp_begin");
    if (status) return status;
    status = combgpu__outcome(job);
    memset(result, 0, sizeof *result);
    tsp = (const combgpu__tsp *)combgpu__state(job);
    if (status >= 0 && !combgpu__sums(job)[COMBGPU__TSP_HAS])
        combgpu__tsp_nearest(tsp, order);
    else if (status >= 0 && !combgpu__tsp_answer(job, order))
        status = combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                               "kernel %s or the checkpoint reports a tour that does not exist: "
                               "the device computes wrong results",
                               combgpu__desc(job)->kernel.name);
    if (status >= 0) {
        int64_t cost = combgpu__tsp_order_cost(tsp, order);
        complete = status == COMBGPU_OK && combgpu__sums(job)[COMBGPU__TSP_HAS] &&
                   combgpu__shards(job) <= 1;
        result->method = tsp->method;
        result->shape = tsp->shape;
        if (tsp->front >= 0) tour[at++] = tsp->front;
        for (i = 0; i < tsp->m; i++)
            tour[at++] = tsp->city[order[i]];
        if (tsp->shape == COMBGPU_TSP_PATH && tsp->back >= 0) tour[at++] = tsp->back;
        result->tours = tsp->method == COMBGPU_TSP_BRUTE_FORCE ? combgpu__sums(job)[0] : 0;
        checksum = tsp->method == COMBGPU_TSP_BRUTE_FORCE ? combgpu__sums(job)[1]
                   : combgpu__sums(job)[COMBGPU__TSP_HAS] ? combgpu__tsp_answer_hash(tsp, order)
                                                          : 0;
        combgpu__run_info(job, checksum, &result->run);
        status = combgpu__tsp_terms_conclude(combgpu__context(job), status, &tsp->terms, tour,
                                             complete ? cost : tsp->bound, tsp->scale, tsp->error,
                                             0, complete, result);
    }
    return combgpu__job_close(job, status);
}

/* The number of a tour among all permutations in lexicographic order; the largest number there is
   above 20 cities. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_rank(int n, const int *tour)
{
    uint64_t rank = 0;
    int i, k;
    if (n > 20) return UINT64_MAX;
    for (i = 0; i < n; i++) {
        int smaller = 0;
        for (k = i + 1; k < n; k++)
            smaller += tour[k] < tour[i];
        rank = rank * (uint64_t)(n - i) + (uint64_t)smaller;
    }
    return rank;
}

COMBGPU__DEF combgpu_status combgpu_tsp_end(combgpu_job *job, combgpu_tsp_result *result)
{
    combgpu_tsp_result unused;
    combgpu_status status;
    double gap;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (!result) result = &unused;
    result->n = 0;
    status = combgpu__tsp_end(job, result);
    result->rank = result->n && result->feasible ? combgpu__tsp_rank(result->n, result->tour) : 0;
    if (!result->n || result->optimal) return status; /* the gap is 0 */
    gap = fabs(result->lower_bound);
    result->gap =
        gap > 0 && result->feasible ? (result->length - result->lower_bound) / gap : HUGE_VAL;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                        combgpu_tsp_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    status = combgpu_tsp_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_tsp_end(job, result);
}
