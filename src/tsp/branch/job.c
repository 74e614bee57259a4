/* The job of branch and bound: frontier, records, the devices' part, checkpoints. */

#define COMBGPU__BRANCH_NAME "tsp branch and bound"

/* Words of combgpu__accumulators(job) after the totals: the best tour's length in units; its cities, 4 per
   word. */
#define COMBGPU__BRANCH_SUM_LENGTH COMBGPU__TOTALS
#define COMBGPU__BRANCH_SUM_TOUR (COMBGPU__TOTALS + 1)

COMBGPU__PRIVATE void combgpu__branch_remember(combgpu_job *job, int64_t length,
                                               const uint32_t *tour)
{
    combgpu__branch_state *state = (combgpu__branch_state *)combgpu__state(job);
    uint64_t *words = combgpu__accumulators(job) + COMBGPU__BRANCH_SUM_TOUR;
    int cities = state->graph.cities, i;
    combgpu__accumulators(job)[COMBGPU__BRANCH_SUM_LENGTH] = (uint64_t)length;
    memset(words, 0, ((size_t)cities + 3) / 4 * sizeof *words);
    for (i = 0; i < cities; i++)
        words[i / 4] |= (uint64_t)tour[i] << i % 4 * 16;
}

COMBGPU__PRIVATE int combgpu__branch_remembered(const combgpu_job *job, int i)
{
    return (int)(combgpu__accumulators(job)[COMBGPU__BRANCH_SUM_TOUR + i / 4] >> i % 4 * 16 &
                 65535);
}

/* Nonzero if `tour` is a tour of the graph's cities, with the forced arcs, of this length. */
COMBGPU__PRIVATE int combgpu__branch_valid(const combgpu__branch_graph *graph, const uint32_t *tour,
                                           int64_t length)
{
    unsigned char *seen = (unsigned char *)graph->spare;
    int i;
    memset(seen, 0, (size_t)graph->cities);
    for (i = 0; i < graph->cities; i++) {
        if (tour[i] >= (uint32_t)graph->cities || seen[tour[i]]) return 0;
        seen[tour[i]] = 1;
    }
    return combgpu__branch_has_forced(graph, (const int *)tour) &&
           combgpu__branch_cycle_cost(graph->costs, graph->cities, (const int *)tour) == length;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_frontier(combgpu_job *job)
{
    combgpu__branch_graph *graph = &((combgpu__branch_state *)combgpu__state(job))->graph;
    uint32_t *task;
    combgpu_status status;
    combgpu__branch_remember(job, graph->length, (const uint32_t *)graph->tour);
    if (!graph->open) return COMBGPU_OK;
    task = (uint32_t *)combgpu__allocate(combgpu__context(job),
                                         combgpu__desc(job)->task_words * sizeof(uint32_t));
    if (!task)
        return combgpu__no_memory(combgpu__context(job),
                                  combgpu__desc(job)->task_words * sizeof(uint32_t));
    combgpu__branch_pack(graph, graph->bound, COMBGPU__BRANCH_ALL, graph->multipliers, graph->marks,
                         task);
    status = combgpu__push(job, task);
    combgpu__release(combgpu__context(job), task);
    return status;
}

/* Describes the host's part of the search. */
COMBGPU__PRIVATE void combgpu__branch_host_kernel(combgpu__kernel *kernel)
{
    kernel->solve = combgpu__branch_solve;
    kernel->lanes_per_worker = kernel->lanes_per_block = 1;
    kernel->left_per_worker = COMBGPU__BRANCH_STACK;
    kernel->first_budget = 4096;
}

COMBGPU__PRIVATE combgpu__kernel combgpu__branch_device_kernel(int nodes)
{
    combgpu__kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.name = nodes > COMBGPU__BRANCH_NARROW ? "combgpu_tsp_branch_wide" : "combgpu_tsp_branch";
    kernel.solve = combgpu__branch_solve;
    kernel.lanes_per_worker = kernel.lanes_per_block = 32;
    kernel.left_per_worker = COMBGPU__BRANCH_OPEN;
    kernel.first_budget = 256;
    return kernel;
}

/* Takes a better tour. A device's workers read its length in the next slice. */
COMBGPU__PRIVATE combgpu__result combgpu__branch_record(combgpu_job *job, const uint32_t *record)
{
    combgpu__branch_graph *graph = &((combgpu__branch_state *)combgpu__state(job))->graph;
    int64_t length = (int64_t)combgpu__get64(record);
    if (length >= (int64_t)combgpu__accumulators(job)[COMBGPU__BRANCH_SUM_LENGTH])
        return COMBGPU__CONTINUE;
    if (!combgpu__branch_valid(graph, record + 2, length))
        return combgpu__as_result(combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                                                "kernel %s reports a tour that does not exist",
                                                combgpu__desc(job)->kernel.name
                                                    ? combgpu__desc(job)->kernel.name
                                                    : "branch and bound"));
    combgpu__branch_remember(job, length, record + 2);
    if (length < graph->length) graph->length = length;
    if (combgpu__tables(job)) combgpu__change_tables(job, COMBGPU__BRANCH_AT_LENGTH, record, 2);
    return COMBGPU__CONTINUE;
}

/* Writes a graph as tables (src/tsp/layout.h), or as a part of them. */
COMBGPU__PRIVATE void combgpu__branch_write(const combgpu__branch_graph *graph, uint32_t *at)
{
    size_t edges = (size_t)graph->edges, nodes = (size_t)graph->nodes, i;
    size_t weights = COMBGPU__BRANCH_AT_WEIGHTS(nodes, edges),
           begin = COMBGPU__BRANCH_AT_ENDS + edges;
    at[COMBGPU__BRANCH_AT_NODES] = (uint32_t)nodes;
    at[COMBGPU__BRANCH_AT_EDGES] = (uint32_t)edges;
    at[COMBGPU__BRANCH_AT_CITIES] = (uint32_t)graph->cities;
    at[COMBGPU__BRANCH_AT_DIRECTED] = (uint32_t)graph->directed;
    combgpu__put64(at + COMBGPU__BRANCH_AT_GRAIN, (uint64_t)graph->grain);
    combgpu__put64(at + COMBGPU__BRANCH_AT_LENGTH, (uint64_t)graph->length);
    for (i = 0; i < edges; i++) {
        at[COMBGPU__BRANCH_AT_ENDS + i] = graph->ends[2 * i] | (uint32_t)graph->ends[2 * i + 1]
                                                                   << 16;
        combgpu__put64(at + weights + 2 * i, (uint64_t)graph->weights[i]);
    }
    for (i = 0; i <= nodes; i++)
        at[begin + i] = (uint32_t)graph->incident_begin[i];
    for (i = 0; i < 2 * edges; i++)
        at[begin + nodes + 1 + i] = (uint32_t)graph->incident[i];
    if ((begin + nodes + 1 + 2 * edges) < weights) at[weights - 1] = 0;
}

COMBGPU__COLD_BEGIN
/* Prepares for devices: workers' memory and tables. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_device(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu__branch_graph *graph = &((combgpu__branch_state *)combgpu__state(job))->graph;
    size_t edges = (size_t)graph->edges, nodes = (size_t)graph->nodes;
    combgpu_status status =
        combgpu__job_tables(job, COMBGPU__BRANCH_AT_WEIGHTS(nodes, edges) + 2 * edges);
    search->work_bytes_per_worker =
        COMBGPU__BRANCH_WORK_WORDS(nodes, edges, (size_t)search->task_words) * sizeof(uint32_t);
    if (!status) combgpu__branch_write(graph, combgpu__tables(job));
    return status;
}

/* Begins branch and cut. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_begin_cut(combgpu_job *job)
{
    combgpu__branch_state *state = (combgpu__branch_state *)combgpu__state(job);
    size_t bytes;
    state->cut = combgpu__branch_cut_make(combgpu__context(job), &state->graph, &bytes);
    if (!state->cut) return combgpu__no_memory(combgpu__context(job), bytes);
    state->phase = COMBGPU__BRANCH_CUT;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__branch_end_cut(combgpu_job *job)
{
    combgpu__branch_state *state = (combgpu__branch_state *)combgpu__state(job);
    if (state->cut && state->cut->proven > state->graph.bound)
        state->graph.bound = state->cut->proven;
    combgpu__branch_parts_release(combgpu__context(job), state->cut);
    state->cut = NULL;
    state->phase = COMBGPU__BRANCH_TREE;
}

#define COMBGPU__BRANCH_ALONE                                                                      \
    40000 /* steps of branch and cut, some tenths of a second, on one thread */

/* Moves a large tree to the device. Every tree begins on the host's threads, and most end there: a
   device's thousands of workers need many open nodes, and milliseconds to start. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_slice_done(combgpu_job *job,
                                                           const combgpu__executor *executor,
                                                           uint64_t *accumulators)
{
    combgpu__branch_state *state = (combgpu__branch_state *)combgpu__state(job);
    (void)executor;
    (void)accumulators;
    if (state->phase == COMBGPU__BRANCH_CUT) {
        int outcome = combgpu__branch_parts_outcome(state->cut);
        if (combgpu__steps_here(job) > COMBGPU__BRANCH_ALONE) state->divided = 1;
        if (outcome == COMBGPU__CUT_GOES_ON) return COMBGPU_OK;
        state->graph.closed = outcome == COMBGPU__CUT_PROVEN;
        combgpu__branch_end_cut(job);
        if (!state->graph.closed && state->graph.brief && state->n <= COMBGPU_TSP_MAX_TOUR)
            state->phase = COMBGPU__BRANCH_ROOT; /* of more cities no callback could end it */
        return COMBGPU_OK;
    }
    if (state->phase == COMBGPU__BRANCH_ROOT) state->phase = COMBGPU__BRANCH_TREE;
    if (combgpu__tables(job) && combgpu__steps_here(job) >= state->host_trees) {
        combgpu__kernel kernel = combgpu__branch_device_kernel(state->graph.nodes);
        combgpu__change_kernel(job, &kernel);
    }
    return COMBGPU_OK;
}

COMBGPU__PRIVATE double combgpu__branch_fraction(const combgpu_job *job)
{
    return ldexp((double)combgpu__accumulators(job)[COMBGPU__BRANCH_S_SHARES], -62);
}

COMBGPU__PRIVATE int combgpu__branch_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__branch_graph *graph = &((combgpu__branch_state *)combgpu__state(job))->graph;
    int i;
    if (combgpu__get64(task + COMBGPU__BRANCH_TASK_SHARE) > COMBGPU__BRANCH_ALL) return 0;
    for (i = 0; i < graph->nodes; i++) {
        int64_t multiplier =
            (int64_t)combgpu__get64(task + COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * i);
        if (multiplier > COMBGPU__BRANCH_MULTIPLIER || multiplier < -COMBGPU__BRANCH_MULTIPLIER)
            return 0;
    }
    for (i = 0; i < graph->edges; i++)
        if ((task[COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * graph->nodes + i / 16] >> i % 16 * 2 &
             3) == 3)
            return 0;
    return 1;
}

COMBGPU__PRIVATE int combgpu__branch_validate_record(combgpu_job *job, const uint32_t *record)
{
    return combgpu__branch_valid(&((combgpu__branch_state *)combgpu__state(job))->graph, record + 2,
                                 (int64_t)combgpu__get64(record));
}

COMBGPU__PRIVATE void combgpu__branch_problem_release(combgpu_job *job)
{
    combgpu__branch_state *state = (combgpu__branch_state *)combgpu__state(job);
    combgpu__tsp_terms_release(combgpu__context(job), &state->terms);
    combgpu__branch_end_cut(job);
    combgpu__branch_release(combgpu__context(job), &state->graph);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__branch_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = COMBGPU__BRANCH_NAME;
    search.frontier = combgpu__branch_frontier;
    search.record = combgpu__branch_record;
    search.slice_done = combgpu__branch_slice_done;
    search.fraction = combgpu__branch_fraction;
    search.validate_task = combgpu__branch_validate_task;
    search.validate_record = combgpu__branch_validate_record;
    search.release = combgpu__branch_problem_release;
    search.unsteady = 1;
    return search;
}

/* Checks the best tour after a resume and takes its length. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_resume(combgpu_job *job)
{
    combgpu__branch_state *state = (combgpu__branch_state *)combgpu__state(job);
    combgpu__branch_graph *graph = &state->graph;
    uint32_t *tour = (uint32_t *)graph->spare + graph->cities; /* behind what a check needs */
    int64_t length = (int64_t)combgpu__accumulators(job)[COMBGPU__BRANCH_SUM_LENGTH];
    size_t count, i;
    const uint32_t *record = combgpu__pending(job, &count);
    for (i = 0; i < (size_t)graph->cities; i++)
        tour[i] = (uint32_t)combgpu__branch_remembered(job, (int)i);
    if (!combgpu__branch_valid(graph, tour, length))
        return combgpu__fail(combgpu__context(job), COMBGPU_BAD_FILE,
                             "the checkpoint's tour is not a tour of this instance");
    for (i = 0; i < count; i++, record += combgpu__desc(job)->record_words) { /* pending */
        int64_t other = (int64_t)combgpu__get64(record);
        if (other < length) length = other;
    }
    graph->length = length;
    if (combgpu__accumulators(job)[0] > COMBGPU__CUT_RESUMED) combgpu__branch_end_cut(job);
    if (combgpu__tables(job))
        combgpu__put64(combgpu__tables(job) + COMBGPU__BRANCH_AT_LENGTH, (uint64_t)length);
    return COMBGPU_OK;
}

/* Computes the least bound of the open nodes, in units; the best tour's length if none is open. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_lower_bound(combgpu_job *job, int64_t *bound)
{
    combgpu_status status = combgpu__gather(job);
    size_t count, i;
    const uint32_t *task = combgpu__reserve(job, &count);
    const combgpu__branch_state *state = (const combgpu__branch_state *)combgpu__state(job);
    const combgpu__branch_graph *graph = &state->graph;
    *bound = combgpu__desc(job)->prepare
                 ? graph->bound
                 : (int64_t)combgpu__accumulators(job)[COMBGPU__BRANCH_SUM_LENGTH];
    for (i = 0; !status && i < count; i++, task += combgpu__desc(job)->task_words) {
        int64_t open = (int64_t)combgpu__get64(task);
        if (open < *bound) *bound = open;
    }
    if (*bound < graph->bound) *bound = graph->bound;
    if (state->cut) {
        int64_t least = combgpu__branch_parts_least(
            state->cut, (int64_t)combgpu__accumulators(job)[COMBGPU__BRANCH_SUM_LENGTH]);
        if (*bound < least) *bound = least;
    }
    return status;
}
COMBGPU__COLD_END
