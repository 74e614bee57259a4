/* ---- the job */

/* In job->sums after the totals: the best tour's length in units, and its cities, eight to a word.
 */
#define COMBGPU__BRANCH_SUM_LENGTH COMBGPU__TOTALS
#define COMBGPU__BRANCH_SUM_TOUR (COMBGPU__TOTALS + 1)

COMBGPU__PRIVATE void combgpu__branch_remember(combgpu_job *job, int64_t length,
                                               const uint32_t *tour)
{
    combgpu__branch_state *state = (combgpu__branch_state *)job->state;
    uint64_t *words = job->sums + COMBGPU__BRANCH_SUM_TOUR;
    int cities = state->graph.cities, i;
    job->sums[COMBGPU__BRANCH_SUM_LENGTH] = (uint64_t)length;
    memset(words, 0, (COMBGPU__BRANCH_CITIES + 7) / 8 * sizeof *words);
    for (i = 0; i < cities; i++)
        words[i / 8] |= (uint64_t)tour[i] << i % 8 * 8;
}

COMBGPU__PRIVATE int combgpu__branch_remembered(const combgpu_job *job, int i)
{
    return (int)(job->sums[COMBGPU__BRANCH_SUM_TOUR + i / 8] >> i % 8 * 8 & 255);
}

/* Is it a tour of the graph's cities, with the forced arc, of this length? */
COMBGPU__PRIVATE int combgpu__branch_valid(const combgpu__branch_graph *graph, const uint32_t *tour,
                                           int64_t length)
{
    unsigned char seen[COMBGPU__BRANCH_CITIES];
    int i, forced = graph->forced_from < 0;
    memset(seen, 0, sizeof seen);
    for (i = 0; i < graph->cities; i++) {
        if (tour[i] >= (uint32_t)graph->cities || seen[tour[i]]) return 0;
        seen[tour[i]] = 1;
    }
    for (i = 0; i < graph->cities; i++) {
        int from = (int)tour[i], to = (int)tour[i + 1 == graph->cities ? 0 : i + 1];
        forced |= combgpu__branch_forced(graph, from, to);
    }
    return forced && combgpu__cycle_cost(graph->costs, graph->cities, (const int *)tour) == length;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_frontier(combgpu_job *job)
{
    combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    uint32_t *task;
    combgpu_status status;
    combgpu__branch_remember(job, graph->length, (const uint32_t *)graph->tour);
    if (!graph->open) return COMBGPU_OK;
    task = (uint32_t *)combgpu__allocate(job->ctx, job->task_words * sizeof(uint32_t));
    if (!task) return combgpu__no_memory(job->ctx, job->task_words * sizeof(uint32_t));
    combgpu__branch_pack(graph, graph->bound, (uint64_t)1 << 62, graph->multipliers, graph->marks,
                         task);
    status = combgpu__push(job, task);
    combgpu__release(job->ctx, task);
    return status;
}

/* On the host, and on a device with up to 128 nodes and with more. */
#define COMBGPU__BRANCH_NARROW 128
#define COMBGPU__BRANCH_DEVICE_STACK 64 /* BRANCH_STACK in combgpu_kernels.cl */
static const combgpu__kernel combgpu__branch_kernel = {
    NULL, NULL, combgpu__branch_solve, 1, 1, COMBGPU__BRANCH_STACK, 4096, NULL, NULL};
static const combgpu__kernel combgpu__branch_kernels[2] = {
    {"combgpu_tsp_branch", "BRANCH", combgpu__branch_solve, 32, 32, COMBGPU__BRANCH_DEVICE_STACK,
     256, NULL, NULL},
    {"combgpu_tsp_branch_wide", "BRANCH", combgpu__branch_solve, 32, 32,
     COMBGPU__BRANCH_DEVICE_STACK, 256, NULL, NULL}};

/* A better tour. Device workers learn of it before the next slice. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_record(combgpu_job *job, const uint32_t *record)
{
    combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    int64_t length = (int64_t)combgpu__get64(record);
    combgpu_status status = COMBGPU_OK;
    int i;
    if (length >= (int64_t)job->sums[COMBGPU__BRANCH_SUM_LENGTH]) return COMBGPU_RUNNING;
    if (!combgpu__branch_valid(graph, record + 2, length))
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel %s gave back a tour that does not exist",
                             job->kernel.name ? job->kernel.name : "branch and bound");
    combgpu__branch_remember(job, length, record + 2);
    if (length < graph->length) graph->length = length;
    if (job->tables) memcpy(job->tables + 6, record, 2 * sizeof(uint32_t));
    for (i = 0; i < job->share_count && !status && job->tables; i++)
        if (!job->shares[i].lost)
            status = job->shares[i].backend->upload(
                job->shares[i].ctx, &job->shares[i].memory[COMBGPU__TABLES], 6 * sizeof(uint32_t),
                record, 2 * sizeof(uint32_t));
    return status ? status : COMBGPU_RUNNING;
}

/* What a device needs: its workers' memory, and the graph: nodes, edges, cities, directed, grain, the
   best length; for each edge its ends; for each node where its edges begin; these; for each edge its
   weight. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_device(combgpu_job *job)
{
    const combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    size_t edges = (size_t)graph->edges, nodes = (size_t)graph->nodes, i;
    size_t weights = (8 + 3 * edges + nodes + 2) / 2 * 2;
    combgpu_status status = combgpu__job_tables(job, weights + 2 * edges);
    uint32_t *at = job->tables;
    job->work_bytes_per_worker = (2 * nodes + 2 * edges + (edges + 7) / 8 * 2 +
                                  COMBGPU__BRANCH_DEVICE_STACK * job->task_words + 1) /
                                 2 * 2 * sizeof(uint32_t);
    if (status) return status;
    at[0] = (uint32_t)nodes;
    at[1] = (uint32_t)edges;
    at[2] = (uint32_t)graph->cities;
    at[3] = (uint32_t)graph->directed;
    combgpu__put64(at + 4, (uint64_t)graph->grain);
    combgpu__put64(at + 6, (uint64_t)graph->length);
    for (i = 0; i < edges; i++) {
        at[8 + i] = graph->ends[2 * i] | (uint32_t)graph->ends[2 * i + 1] << 16;
        combgpu__put64(at + weights + 2 * i, (uint64_t)graph->weights[i]);
    }
    for (i = 0; i <= nodes; i++)
        at[8 + edges + i] = (uint32_t)graph->incident_begin[i];
    for (i = 0; i < 2 * edges; i++)
        at[9 + edges + nodes + i] = (uint32_t)graph->incident[i];
    return COMBGPU_OK;
}

/* Every tree begins on the host's threads, and most end there: a device's thousands of workers need
   many open nodes, and milliseconds to start. A tree that is larger goes on on the device. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_slice_done(combgpu_job *job,
                                                           const combgpu__share *share)
{
    const combgpu__branch_state *state = (const combgpu__branch_state *)job->state;
    (void)share;
    if (!job->moved && job->tables && job->sums[0] - job->steps_at_start >= state->host_trees)
        job->next_kernel = &combgpu__branch_kernels[state->graph.nodes > COMBGPU__BRANCH_NARROW];
    return COMBGPU_OK;
}

COMBGPU__PRIVATE double combgpu__branch_fraction(const combgpu_job *job)
{
    return ldexp((double)job->sums[2], -62);
}

COMBGPU__PRIVATE int combgpu__branch_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    int i;
    if (combgpu__get64(task + 2) > (uint64_t)1 << 62) return 0;
    for (i = 0; i < graph->nodes; i++) {
        int64_t multiplier = (int64_t)combgpu__get64(task + 4 + 2 * i);
        if (multiplier > COMBGPU__BRANCH_MULTIPLIER || multiplier < -COMBGPU__BRANCH_MULTIPLIER)
            return 0;
    }
    for (i = 0; i < graph->edges; i++)
        if ((task[4 + 2 * graph->nodes + i / 16] >> i % 16 * 2 & 3) == 3) return 0;
    return 1;
}

COMBGPU__PRIVATE int combgpu__branch_adopt_record(combgpu_job *job, const uint32_t *record)
{
    return combgpu__branch_valid(&((combgpu__branch_state *)job->state)->graph, record + 2,
                                 (int64_t)combgpu__get64(record));
}

COMBGPU__PRIVATE void combgpu__branch_problem_release(combgpu_job *job)
{
    combgpu__branch_state *state = (combgpu__branch_state *)job->state;
    combgpu__release(job->ctx, state->weights);
    combgpu__branch_release(job->ctx, &state->graph);
}

static const combgpu__problem combgpu__branch_problem = {
    "tsp branch and bound",     combgpu__branch_frontier,     combgpu__branch_record,
    combgpu__branch_slice_done, combgpu__branch_fraction,     NULL,
    combgpu__branch_adopt_task, combgpu__branch_adopt_record, combgpu__branch_problem_release};

COMBGPU__PRIVATE int combgpu__branch_is(const combgpu_job *job)
{
    return job->problem == &combgpu__branch_problem;
}

/* After a resume: the best tour so far, checked. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_resume(combgpu_job *job)
{
    combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    uint32_t tour[COMBGPU__BRANCH_CITIES];
    int64_t length = (int64_t)job->sums[COMBGPU__BRANCH_SUM_LENGTH];
    size_t i;
    for (i = 0; i < (size_t)graph->cities; i++)
        tour[i] = (uint32_t)combgpu__branch_remembered(job, (int)i);
    if (!combgpu__branch_valid(graph, tour, length))
        return combgpu__fail(job->ctx, COMBGPU_BAD_FILE,
                             "the checkpoint's tour is no tour of this instance");
    for (i = job->pending_next; i < job->pending_count; i++) { /* records not delivered yet */
        int64_t other = (int64_t)combgpu__get64(job->pending + i * job->record_words);
        if (other < length) length = other;
    }
    graph->length = length;
    if (job->tables) combgpu__put64(job->tables + 6, (uint64_t)length);
    return COMBGPU_OK;
}

/* The least bound of the open nodes, in units; the length if there are none. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_lower_bound(combgpu_job *job, int64_t *bound)
{
    combgpu_status status = combgpu__gather(job);
    size_t i;
    *bound = (int64_t)job->sums[COMBGPU__BRANCH_SUM_LENGTH];
    for (i = 0; !status && i < job->reserve_count; i++) {
        const uint32_t *task = job->reserve + i * job->task_words;
        int64_t open = (int64_t)combgpu__get64(task);
        if (open < *bound) *bound = open;
    }
    return status;
}

