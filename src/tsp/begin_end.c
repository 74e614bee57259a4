/* ---- begin */

static const combgpu__kernel combgpu__tsp_brute_kernel = {
    "combgpu_tsp_brute", "TSP", combgpu__tsp_brute_solve, 128, 128, 2, 1u << 20, NULL, NULL};
static const combgpu__kernel combgpu__tsp_table_kernel = {
    "combgpu_tsp_table", "TSP", combgpu__tsp_table_solve, 32, 32, 1, 1u << 17, NULL, NULL};

/* Everything that the engine wants to know. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_setup(combgpu_job *job)
{
    combgpu__tsp *tsp = (combgpu__tsp *)job->state;
    uint64_t hash = 0;
    double bytes = combgpu__tsp_table_bytes(tsp->m, tsp->low, tsp->wide);
    int brute = tsp->method == COMBGPU_TSP_BRUTE_FORCE, i;
    tsp->depth = tsp->m - COMBGPU__TSP_SUFFIX > 1 ? tsp->m - COMBGPU__TSP_SUFFIX : tsp->m > 1;
    tsp->prefixes = tsp->m > 0;
    for (i = 0; i < tsp->depth; i++) /* without direction no tour begins with the last city */
        tsp->prefixes *= (uint64_t)(tsp->m - i - (!i && tsp->reversible));
    tsp->all_steps = brute ? (uint64_t)(combgpu__tsp_factorial(tsp->m) / (1 + tsp->reversible))
                           : ((uint64_t)tsp->m << tsp->m) / 2;
    if (!tsp->all_steps) tsp->all_steps = 1;
    tsp->bound = combgpu__tsp_simple_bound(tsp);
    job->kernel = brute ? combgpu__tsp_brute_kernel : combgpu__tsp_table_kernel;
    if (brute) job->merge = combgpu__tsp_merge;
    job->one_device = !brute; /* its layers share a table */
    job->range_tasks = brute;
    job->task_words = COMBGPU__TSP_TASK_WORDS;
    job->record_words = brute ? 4 : COMBGPU__TSP_RECORD_WORDS;
    job->record_capacity = brute ? 8192 : 1;
    job->work_bytes_shared = brute ? 0 : (size_t)bytes;
    if (!brute && bytes > (double)(SIZE_MAX / 2)) return combgpu__no_memory(job->ctx, SIZE_MAX);
    for (i = 0; i < COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(combgpu__mix(hash + (uint64_t)tsp->first[i]) + (uint64_t)tsp->last[i]);
    for (i = 0; i < COMBGPU__TSP_MOST * COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(hash + (uint64_t)tsp->legs[i]);
    snprintf(job->parameters, sizeof job->parameters,
             "method %d shape %d n %d ends %d %d unit 2^%d weights %016llx", (int)tsp->method,
             (int)tsp->shape, tsp->n, tsp->front + 1, tsp->back + 1, -tsp->scale,
             (unsigned long long)hash);
    return combgpu__tsp_tables(job);
}

/* SECTION 51. With method AUTO branch_begin may return RUNNING: Held-Karp is the better choice. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_begin(combgpu_context *ctx,
                                                      const combgpu_tsp_desc *desc,
                                                      combgpu_job **out);
COMBGPU__PRIVATE combgpu_status combgpu__branch_end(combgpu_job *job, combgpu_tsp_result *result);
COMBGPU__PRIVATE int combgpu__branch_is(const combgpu_job *job);

/* The method of the checkpoint that a run goes on from, or merges: AUTO chose it on what may have been
   another device, or for a shard. AUTO if it says none. */
COMBGPU__PRIVATE combgpu_tsp_method combgpu__tsp_resumed(combgpu_context *ctx,
                                                         const combgpu_run_desc *run)
{
    static const char head[] = COMBGPU__CHECKPOINT_MAGIC "problem tsp";
    static const char branch[] = " branch and bound\n", method[] = "\nparameters method ";
    char text[128] = "";
    const char *rest = text + sizeof head - 1;
    combgpu__checkpoint_head(ctx, run, text, sizeof text);
    if (strncmp(text, head, sizeof head - 1)) return COMBGPU_TSP_AUTO;
    if (!strncmp(rest, branch, sizeof branch - 1)) return COMBGPU_TSP_BRANCH_AND_BOUND;
    if (strncmp(rest, method, sizeof method - 1)) return COMBGPU_TSP_AUTO;
    rest += sizeof method - 1;
    return *rest == '1'   ? COMBGPU_TSP_BRUTE_FORCE
           : *rest == '2' ? COMBGPU_TSP_HELD_KARP
                          : COMBGPU_TSP_AUTO;
}

COMBGPU__DEF combgpu_status combgpu_tsp_begin(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                              combgpu_job **out)
{
    combgpu_job *job;
    combgpu__tsp *tsp;
    combgpu_tsp_desc chosen;
    combgpu_status status;
    if (out) *out = NULL;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", desc ? "job" : "desc");
    chosen = *desc;
    if (chosen.method == COMBGPU_TSP_AUTO) chosen.method = combgpu__tsp_resumed(ctx, &desc->run);
    desc = &chosen;
    if (desc->method == COMBGPU_TSP_BRANCH_AND_BOUND ||
        (desc->method == COMBGPU_TSP_AUTO && desc->instance && desc->run.shard_count <= 1 &&
         desc->instance->n > COMBGPU__TSP_TABLE_FIRST)) {
        status = combgpu__branch_begin(ctx, desc, out);
        if (status != COMBGPU_RUNNING) return status;
    }
    status = combgpu__job_create(ctx, &combgpu__tsp_problem, sizeof *tsp, &desc->run, &job);
    if (status) return status;
    tsp = (combgpu__tsp *)job->state;
    status = combgpu__tsp_check_desc(ctx, desc);
    if (!status) status = combgpu__tsp_form(ctx, desc, tsp);
    if (!status) status = combgpu__tsp_choose(ctx, desc, tsp);
    if (!status) status = combgpu__tsp_setup(job);
    if (!status) status = combgpu__job_start(job);
    if (!status && tsp->method == COMBGPU_TSP_HELD_KARP && job->reserve_count) {
        memset(job->sums, 0, sizeof job->sums); /* a resumed table begins again */
        job->steps_at_start = 0;
    }
    tsp->budget = job->budget;
    return combgpu__job_begun(job, status, out);
}

/* ---- end */

/* Completes order[0 .. place-1] to the lexicographically smallest order of the given cost; 0 if
   there is none. `rest` is what it may still cost. */
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

/* The order that the sums tell of. They may come from a checkpoint: 0 if there is no such order. */
COMBGPU__PRIVATE int combgpu__tsp_answer(const combgpu_job *job, int *order)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    int64_t length = (int64_t)job->sums[COMBGPU__TSP_LENGTH];
    uint64_t prefix = job->sums[COMBGPU__TSP_PREFIX];
    if (!tsp->m) return length == tsp->nothing;
    if (tsp->method == COMBGPU_TSP_BRUTE_FORCE) {
        int64_t rest;
        uint32_t used = 0;
        int i;
        if (prefix >= tsp->prefixes) return 0;
        combgpu__tsp_unrank(tsp->m, tsp->depth, prefix, order);
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
            combgpu__put64(words + 2 * i, job->sums[COMBGPU__TSP_ORDER + i]);
        return combgpu__tsp_unpack(tsp->m, words, order) &&
               combgpu__tsp_order_cost(tsp, order) == length;
    }
}

/* A hash of the answer, for Held-Karp's checksum. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_answer_hash(const combgpu__tsp *tsp, const int *order)
{
    uint64_t hash = (uint64_t)combgpu__tsp_order_cost(tsp, order);
    int i;
    for (i = 0; i < tsp->m; i++)
        hash = combgpu__mix(hash + (uint64_t)order[i]);
    return combgpu__mix(hash);
}

COMBGPU__DEF combgpu_status combgpu_tsp_end(combgpu_job *job, combgpu_tsp_result *result)
{
    const combgpu__tsp *tsp;
    combgpu_status status;
    uint64_t checksum;
    int order[COMBGPU__TSP_MOST] = {0}, complete, i, at = 0;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (combgpu__branch_is(job)) return combgpu__branch_end(job, result);
    status = combgpu__is_job(job, job->problem == &combgpu__tsp_problem, "combgpu_tsp_begin");
    if (status) return status;
    status = job->status == COMBGPU_RUNNING ? COMBGPU_STOPPED : job->status;
    if (!result && status >= 0)
        status = combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
    if (result) memset(result, 0, sizeof *result);
    tsp = (const combgpu__tsp *)job->state;
    if (status >= 0 && !job->sums[COMBGPU__TSP_HAS])
        combgpu__tsp_nearest(tsp, order);
    else if (status >= 0 && !combgpu__tsp_answer(job, order))
        status = combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                               "kernel %s (or the checkpoint) says that a tour exists which does "
                               "not: the device computes wrong",
                               job->kernel.name);
    if (status >= 0) {
        complete = status == COMBGPU_OK && job->sums[COMBGPU__TSP_HAS] && job->run.shard_count <= 1;
        result->length = ldexp((double)combgpu__tsp_order_cost(tsp, order), -tsp->scale);
        result->lower_bound = complete ? result->length : ldexp((double)tsp->bound, -tsp->scale);
        result->optimal = complete;
        result->method = tsp->method;
        result->shape = tsp->shape;
        result->n = tsp->n;
        if (tsp->front >= 0) result->tour[at++] = tsp->front;
        for (i = 0; i < tsp->m; i++)
            result->tour[at++] = tsp->city[order[i]];
        if (tsp->shape == COMBGPU_TSP_PATH && tsp->back >= 0) result->tour[at++] = tsp->back;
        result->tours = tsp->method == COMBGPU_TSP_BRUTE_FORCE ? job->sums[0] : 0;
        checksum = tsp->method == COMBGPU_TSP_BRUTE_FORCE ? job->sums[1]
                   : job->sums[COMBGPU__TSP_HAS]          ? combgpu__tsp_answer_hash(tsp, order)
                                                          : 0;
        combgpu__run_info(job, checksum, &result->run);
    }
    combgpu_job_cancel(job);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                        combgpu_tsp_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (ctx && !result) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
    status = combgpu_tsp_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_tsp_end(job, result);
}

