/* Begin and end of branch and bound. */

/* Identifies what tasks depend on: the graph, its root and the first tour. */
COMBGPU__PRIVATE uint64_t combgpu__branch_hash(const combgpu__branch_graph *graph)
{
    uint64_t hash = combgpu__mix((uint64_t)graph->edges);
    int i;
    for (i = 0; i < graph->cities; i++)
        hash = combgpu__mix(hash + (uint64_t)graph->tour[i]);
    for (i = 0; i < graph->cities * graph->cities; i++)
        hash = combgpu__mix(hash + (uint64_t)graph->costs[i]);
    for (i = 0; i < graph->edges; i++)
        hash = combgpu__mix(hash + graph->ends[2 * i] + (uint64_t)graph->ends[2 * i + 1] * 65536);
    return hash;
}

/* Checks the caller's first tour. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_check_start(combgpu_context *ctx,
                                                            const combgpu_tsp_desc *desc)
{
    int n = desc->instance->n, front = COMBGPU__TSP_START(desc), back = COMBGPU__TSP_END(desc);
    combgpu_status status = combgpu__tsp_check_tour(ctx, "desc.start", n, desc->start);
    if (status) return status;
    if (front >= 0 && desc->start[0] != front)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.start[0] is city %d, but the path begins at desc.path_start, "
                             "city %d (counted from 0)",
                             desc->start[0], front);
    if (back >= 0 && desc->start[n - 1] != back)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.start[%d] is city %d, but the path ends at desc.path_end, city "
                             "%d (counted from 0)",
                             n - 1, desc->start[n - 1], back);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_check(combgpu_context *ctx,
                                                      const combgpu_tsp_desc *desc)
{
    if (desc->run.shard_count > 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.run.shard_count is %d; branch and bound cannot be split into "
                             "shards",
                             desc->run.shard_count);
    return desc->start ? combgpu__branch_check_start(ctx, desc) : COMBGPU_OK;
}

/* What the parameters of a search whose root is brief end with. */
#define COMBGPU__BRANCH_BRIEFLY " brief"

/* Up to so many cities AUTO makes the full root at once, which takes less time than a linear program. */
#define COMBGPU__BRANCH_FEW 16

/* The effort at the root: a checkpoint says with what effort its search began, as tasks depend on it; up to
   version 0.3.0 all began with the full one. */
COMBGPU__PRIVATE combgpu__branch_effort combgpu__branch_effort_of(combgpu_context *ctx,
                                                                  const combgpu_tsp_desc *desc)
{
    char text[512] = "";
    const char *end;
    combgpu__checkpoint_head(ctx, &desc->run, text, sizeof text);
    end = strstr(text, "\nparameters ");
    end = end ? strchr(end + 1, '\n') : NULL;
    if (!end || strncmp(text, COMBGPU__CHECKPOINT_HEAD "problem " COMBGPU__BRANCH_NAME "\n",
                        sizeof COMBGPU__CHECKPOINT_HEAD "problem " COMBGPU__BRANCH_NAME))
        return desc->method == COMBGPU_TSP_AUTO && desc->instance->n <= COMBGPU__BRANCH_FEW
                   ? COMBGPU__BRANCH_FULL
                   : COMBGPU__BRANCH_BRIEF;
    end -= sizeof COMBGPU__BRANCH_BRIEFLY - 1;
    return strncmp(end, COMBGPU__BRANCH_BRIEFLY, sizeof COMBGPU__BRANCH_BRIEFLY - 1)
               ? COMBGPU__BRANCH_FULL
               : COMBGPU__BRANCH_BRIEF;
}

/* AUTO: nonzero if Held-Karp is faster, or alone exact. If the bound is far off the tree is large: instances of
   HardTSPLIB with 20 and 25 cities take 0.3 s and 4 s, Held-Karp 0.05 s and 4 s on one core. */
COMBGPU__PRIVATE int combgpu__branch_prefers_table(const combgpu_job *job,
                                                   const combgpu_tsp_desc *desc)
{
    const combgpu_context *ctx = combgpu__context(job);
    const combgpu__branch_state *state = (const combgpu__branch_state *)combgpu__state(job);
    const combgpu__branch_graph *graph = &state->graph;
    int most = combgpu__is_cpu(ctx) ? 26 : COMBGPU__TSP_MOST;
    int m = state->n - (!desc->shape || state->front >= 0) - (COMBGPU__TSP_END(desc) >= 0);
    int exact = state->scale == 0 && !graph->integral; /* that the table is and the tree is not */
    if (desc->method != COMBGPU_TSP_AUTO) return 0;
    if (!exact && (!graph->open || graph->length - graph->bound < graph->length / 12)) return 0;
    return m < most && combgpu__tsp_table_bytes(m, combgpu__tsp_low(ctx), 1) <=
                           (double)combgpu__tsp_table_limit(ctx);
}

/* Makes the graph, in place of one of another effort. As a resumed run knows the last
   effort alone, nothing of the first may be left. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_make(combgpu_context *ctx,
                                                     combgpu__branch_graph *graph,
                                                     const combgpu_tsp_desc *desc,
                                                     const combgpu__tsp_weights *kind,
                                                     combgpu__branch_effort effort)
{
    combgpu_status status;
    combgpu__branch_release(ctx, graph);
    memset(graph, 0, sizeof *graph);
    graph->forced_from = graph->forced_to = -1;
    status = combgpu__branch_arrays(ctx, graph, desc->instance->n + 1);
    if (status) return status;
    combgpu__branch_take_fixed(graph, desc->instance);
    status = combgpu__branch_costs(ctx, graph, desc, kind);
    graph->length = -1;
    graph->brief = effort;
    if (!status) status = combgpu__branch_start(ctx, graph, desc->start, desc->seed);
    if (!status) status = combgpu__branch_refine(ctx, graph, desc, kind);
    return status ? status : combgpu__branch_edges(ctx, graph);
}

/* Takes the request and makes the graph. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_open(combgpu_job *job, const combgpu_tsp_desc *desc,
                                                     combgpu__branch_effort effort)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__branch_state *state = (combgpu__branch_state *)combgpu__state(job);
    combgpu__tsp_weights kind;
    combgpu_status status = combgpu__tsp_check_weights(ctx, desc->instance, &kind);
    if (status) return status;
    state->shape = desc->shape;
    state->n = desc->instance->n;
    state->front = COMBGPU__TSP_START(desc);
    state->symmetric = kind.symmetric;
    state->scale = kind.scale;
    return combgpu__branch_make(ctx, &state->graph, desc, &kind, effort);
}

/* Improves the tour, if the root is open, and completes the description. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_complete(combgpu_job *job,
                                                         const combgpu_tsp_desc *desc)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__branch_state *state = (combgpu__branch_state *)combgpu__state(job);
    combgpu__branch_graph *graph = &state->graph;
    combgpu_status status = COMBGPU_OK;
    int n = state->n;
    if (graph->open && n <= COMBGPU__BRANCH_KICKED)
        status = combgpu__branch_start(ctx, graph, NULL, desc->seed);
    if (status) return status;
    combgpu__branch_host_kernel(&search->kernel);
    search->task_words = (uint32_t)combgpu__branch_task_words(graph->nodes, graph->edges);
    search->record_words = 2 + (uint32_t)graph->cities;
    search->record_capacity = 32;
    search->cpu_work_bytes_per_worker = combgpu__branch_work_bytes(graph->nodes, graph->edges);
    if ((!combgpu__is_cpu(ctx) || combgpu__device_context(ctx, 1)) &&
        graph->nodes <= COMBGPU__BRANCH_WIDE && graph->edges <= COMBGPU__BRANCH_EDGES)
        status = combgpu__branch_device(job);
    if (!status && graph->open) status = combgpu__branch_begin_cut(job);
    if (status) return status;
    state->host_trees = UINT64_C(50000) * (uint64_t)combgpu__processors();
    snprintf(search->parameters, sizeof search->parameters,
             "method %d shape %d n %d ends %d %d grain %lld graph %016llx%s",
             (int)COMBGPU_TSP_BRANCH_AND_BOUND, (int)desc->shape, n, COMBGPU__TSP_START(desc) + 1,
             COMBGPU__TSP_END(desc) + 1, (long long)graph->grain,
             (unsigned long long)combgpu__branch_hash(graph),
             graph->brief ? COMBGPU__BRANCH_BRIEFLY : "");
    return COMBGPU_OK;
}

/* With method AUTO, leaves it to Held-Karp if that is the better choice. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_begin(combgpu_job *job,
                                                      const combgpu_tsp_desc *desc)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__branch_graph *graph = &((combgpu__branch_state *)combgpu__state(job))->graph;
    combgpu_status status = combgpu__branch_open(job, desc, combgpu__branch_effort_of(ctx, desc));
    if (!status) status = combgpu__branch_root(ctx, graph);
    if (!status && graph->brief &&
        combgpu__branch_prefers_table(job, desc)) { /* or far off itself */
        status = combgpu__branch_open(job, desc, COMBGPU__BRANCH_FULL);
        if (!status) status = combgpu__branch_root(ctx, graph);
    }
    if (!status) status = combgpu__branch_complete(job, desc);
    return !status && combgpu__branch_prefers_table(job, desc) ? COMBGPU_RUNNING : status;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_begun(combgpu_job *job, const void *draft)
{
    (void)draft;
    return combgpu__branch_resume(job);
}

/* ---- end */

/* Writes the best tour in normal form (src/api/tsp.h), without the depot. */
COMBGPU__PRIVATE void combgpu__branch_answer(const combgpu_job *job, int *tour)
{
    const combgpu__branch_state *state = (const combgpu__branch_state *)combgpu__state(job);
    const combgpu__branch_graph *graph = &state->graph;
    int n = state->n, path = state->shape == COMBGPU_TSP_PATH, start = 0, turn, i;
    int closing = graph->depot < 0 && path; /* both ends are fixed and joined by an arc */
    for (i = 0; i < graph->cities; i++) {
        int city = combgpu__branch_remembered(job, i);
        if (city == (graph->depot >= 0 ? graph->depot : closing ? graph->forced_to : 0)) start = i;
    }
    if (graph->depot >= 0) start++;
    for (i = 0; i < n; i++)
        tour[i] = combgpu__branch_remembered(job, (start + i) % graph->cities);
    turn = closing                  ? tour[1] == graph->forced_from
           : !path                  ? state->symmetric && n > 1 && tour[1] > tour[n - 1]
           : graph->forced_from < 0 ? state->symmetric && tour[0] > tour[n - 1]
           : state->front >= 0      ? tour[0] != state->front
                                    : tour[n - 1] != graph->forced_from;
    if (turn) /* never set for a tour whose direction matters */
        combgpu__tsp_reverse(tour + (!path || closing), tour + n - 1);
}

/* What stands for the tour in the checksum: its length in units, or its bits where the instance is not
   searched as it is. */
COMBGPU__PRIVATE uint64_t combgpu__branch_sum(const combgpu__branch_state *state, const int *tour)
{
    const combgpu__tsp_terms *terms = &state->terms;
    int legs = combgpu__tsp_legs(state->n, state->shape), over, missing, i;
    double length = combgpu__tsp_terms_length(terms, state->shape, tour, 0, &over, &missing);
    uint64_t sum = 0;
    if (terms->cap > 0)
        memcpy(&sum, &length, sizeof sum);
    else
        for (i = 0; i < legs; i++)
            sum += (uint64_t)combgpu__tsp_cost(
                combgpu__tsp_weight(&terms->given, tour[i], tour[(i + 1) % state->n]),
                state->scale);
    return sum;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_end(combgpu_job *job, void *to, uint64_t *checksum)
{
    const combgpu__branch_state *state = (const combgpu__branch_state *)combgpu__state(job);
    const combgpu__branch_graph *graph = &state->graph;
    combgpu_tsp_result *result = (combgpu_tsp_result *)to;
    combgpu_status status = combgpu__outcome(job);
    int64_t bound = 0;
    int *tour = graph->spare, proven = status == COMBGPU_OK, whole = graph->integral;
    if (status >= 0) status = combgpu__branch_lower_bound(job, &bound);
    if (status) return status;
    combgpu__branch_answer(job, tour);
    if (proven) bound = (int64_t)combgpu__accumulators(job)[COMBGPU__BRANCH_SUM_LENGTH];
    if (whole) /* lengths are multiples of the divisor */
        bound = (bound + graph->divisor - 1) / graph->divisor * graph->divisor;
    result->method = COMBGPU_TSP_BRANCH_AND_BOUND;
    result->shape = state->shape;
    if (proven) *checksum = combgpu__mix(combgpu__branch_sum(state, tour));
    return combgpu__tsp_terms_conclude(combgpu__context(job), &state->terms, tour, bound,
                                       graph->scale, whole ? 0 : ldexp(0.5, -graph->scale),
                                       whole ? 0 : ldexp(64, -graph->scale), proven, result);
}
