/* The job of many cities: two tasks, one improves the tour and one the bound. */

/* Words of combgpu__accumulators(job) after the totals, once the tasks have ended: the bound, the length,
   the tour's cities, 4 per word. */
#define COMBGPU__LARGE_SUM_BOUND COMBGPU__TOTALS
#define COMBGPU__LARGE_SUM_LENGTH (COMBGPU__TOTALS + 1)
#define COMBGPU__LARGE_SUM_TOUR (COMBGPU__TOTALS + 2)

/* Totals of slices after the steps: 1-trees, kicks. */
enum { COMBGPU__LARGE_S_TREES = 1, COMBGPU__LARGE_S_KICKS = 2 };

/* A 1-tree counts as so many steps; a kick counts as one. */
COMBGPU__PRIVATE uint64_t combgpu__large_tree_steps(const combgpu__large *large)
{
    return 2 + (uint64_t)large->nodes / 300;
}

/* Works on a task for at most `steps`. Returns the steps taken; *done = the task has ended. */
COMBGPU__PRIVATE uint64_t combgpu__large_work(combgpu__worker *worker, const combgpu__large *large,
                                              uint32_t *task, uint64_t steps, int *done)
{
    uint64_t count = combgpu__get64(task + COMBGPU__LARGE_TASK_COUNT), more;
    uint32_t *data = task + COMBGPU__LARGE_TASK_DATA;
    void *memory = task + (combgpu__large_task_words(large) + 1) / 2 * 2;
    combgpu__large_search search;
    int i;
    if (task[COMBGPU__LARGE_TASK_KIND] == COMBGPU__LARGE_BOUND) {
        uint64_t each = combgpu__large_tree_steps(large);
        more = (uint64_t)combgpu__large_ascend(large, task, memory, (int)(steps / each) + 1);
        worker->totals[COMBGPU__LARGE_S_TREES] += more;
        *done = count + more >= (uint64_t)combgpu__large_trees(large);
        return more * each + !more;
    }
    combgpu__large_search_set(large, memory, (const int *)data, &search);
    search.length = (int64_t)combgpu__get64(task + COMBGPU__LARGE_TASK_VALUE);
    if (!task[COMBGPU__LARGE_TASK_BEGUN]) {
        combgpu__large_search_touch(&search);
        combgpu__large_improve(&search);
        task[COMBGPU__LARGE_TASK_BEGUN] = 1;
        more = 0;
    } else {
        more = large->kicks > count ? large->kicks - count : 0;
        if (more > steps) more = steps;
        combgpu__large_kicks(&search, count, count + more);
    }
    for (i = 0; i < large->cities; i++)
        data[i] = (uint32_t)search.tour[i];
    combgpu__put64(task + COMBGPU__LARGE_TASK_VALUE, (uint64_t)search.length);
    combgpu__put64(task + COMBGPU__LARGE_TASK_COUNT, count + more);
    worker->totals[COMBGPU__LARGE_S_KICKS] += more;
    *done = count + more >= large->kicks;
    return more + !more;
}

/* The solver: shares its budget fairly among the tasks, of which there may be more than workers. */
COMBGPU__PRIVATE void combgpu__large_solve(combgpu__worker *worker)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(worker->job);
    const uint32_t *task;
    uint64_t share = worker->slice->budget, tasks = worker->slice->task_count;
    uint32_t *own =
        (uint32_t *)(void *)((char *)worker->work +
                             worker->index * combgpu__desc(worker->job)->cpu_work_bytes_per_worker);
    if (tasks > worker->slice->workers) share = share * worker->slice->workers / tasks;
    while ((task = combgpu__take(worker)) != NULL) {
        int done;
        memcpy(own, task, combgpu__large_task_words(large) * sizeof *task);
        worker->totals[0] += combgpu__large_work(worker, large, own, share + 1, &done);
        if (!done || !combgpu__emit(worker, own)) combgpu__give(worker, own);
    }
}

/* Keeps what a task that has ended found: a record is the task. */
COMBGPU__PRIVATE combgpu__result combgpu__large_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    uint64_t *accumulators = combgpu__accumulators(job),
             value = combgpu__get64(record + COMBGPU__LARGE_TASK_VALUE);
    int i;
    if (record[COMBGPU__LARGE_TASK_KIND] == COMBGPU__LARGE_BOUND) {
        accumulators[COMBGPU__LARGE_SUM_BOUND] = value;
        return COMBGPU__CONTINUE;
    }
    accumulators[COMBGPU__LARGE_SUM_LENGTH] = value;
    memset(accumulators + COMBGPU__LARGE_SUM_TOUR, 0,
           ((size_t)large->cities + 3) / 4 * sizeof *accumulators);
    for (i = 0; i < large->cities; i++)
        accumulators[COMBGPU__LARGE_SUM_TOUR + i / 4] |=
            (uint64_t)record[COMBGPU__LARGE_TASK_DATA + i] << i % 4 * 16;
    return COMBGPU__CONTINUE;
}

COMBGPU__COLD_BEGIN
/* Pushes the task of a tour that has had so many kicks. task: memory for one. */
COMBGPU__PRIVATE combgpu_status combgpu__large_push_tour(combgpu_job *job, const int *tour,
                                                         int64_t length, uint64_t kicks,
                                                         uint32_t *task)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    int i;
    memset(task, 0, combgpu__large_task_words(large) * sizeof *task);
    task[COMBGPU__LARGE_TASK_KIND] = COMBGPU__LARGE_TOUR;
    task[COMBGPU__LARGE_TASK_BEGUN] = kicks > 0;
    combgpu__put64(task + COMBGPU__LARGE_TASK_COUNT, kicks);
    combgpu__put64(task + COMBGPU__LARGE_TASK_VALUE, (uint64_t)length);
    for (i = 0; i < large->cities; i++)
        task[COMBGPU__LARGE_TASK_DATA + i] = (uint32_t)tour[i];
    return combgpu__push(job, task);
}

COMBGPU__PRIVATE combgpu_status combgpu__large_frontier(combgpu_job *job)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    combgpu_status status = COMBGPU_OK;
    uint32_t *task = (uint32_t *)combgpu__large_array(
        combgpu__context(job), (int)combgpu__large_task_words(large), sizeof *task, &status);
    if (status) return status;
    combgpu__accumulators(job)[COMBGPU__LARGE_SUM_BOUND] = (uint64_t)large->bound;
    combgpu__large_bound_task(large, task);
    status = combgpu__push(job, task);
    if (!status) status = combgpu__large_push_tour(job, large->tour, large->length, 0, task);
    combgpu__release(combgpu__context(job), task);
    return status;
}

COMBGPU__PRIVATE double combgpu__large_fraction(const combgpu_job *job)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    const uint64_t *accumulators = combgpu__accumulators(job);
    return (double)accumulators[COMBGPU__LARGE_S_TREES] / combgpu__large_trees(large) / 4 +
           (large->kicks ? (double)accumulators[COMBGPU__LARGE_S_KICKS] / (double)large->kicks
                         : 1) *
               3 / 4;
}

/* Nonzero if `tour` is a tour of this length, with all edges that it must have. */
COMBGPU__PRIVATE int combgpu__large_valid(combgpu_job *job, const uint32_t *tour, int64_t length)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    int n = large->cities, valid = 1, v, k;
    int *place = (int *)combgpu__allocate_zeroed(combgpu__context(job), (size_t)n * sizeof *place);
    if (!place) return 0;
    for (v = 0; v < n && valid; v++) {
        valid = tour[v] < (uint32_t)n && !place[tour[v]];
        if (valid) place[tour[v]] = v + 1;
    }
    for (v = 0; v < n && valid && !large->directed; v++)
        for (k = 0; k < 2 && valid; k++)
            if (large->fixed[v][k] >= 0) {
                int apart = (place[v] - place[large->fixed[v][k]] + n) % n;
                valid = apart == 1 || apart == n - 1;
            }
    combgpu__release(combgpu__context(job), place);
    return valid && combgpu__large_length(large, (const int *)tour) == length;
}

COMBGPU__PRIVATE int combgpu__large_validate_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__large *large = (const combgpu__large *)combgpu__state(job);
    uint64_t value = combgpu__get64(record + COMBGPU__LARGE_TASK_VALUE);
    int v;
    if (value > (uint64_t)COMBGPU__LARGE_LONGEST) return 0;
    if (record[COMBGPU__LARGE_TASK_KIND] == COMBGPU__LARGE_TOUR)
        return combgpu__large_valid(job, record + COMBGPU__LARGE_TASK_DATA, (int64_t)value);
    if (combgpu__get64(record + COMBGPU__LARGE_TASK_STEP) > (uint64_t)COMBGPU__LARGE_STEP ||
        combgpu__get64(record + COMBGPU__LARGE_TASK_COUNT) > (uint64_t)combgpu__large_trees(large))
        return 0;
    for (v = 0; v < large->nodes; v++) {
        int64_t extra = (int64_t)combgpu__get64(record + COMBGPU__LARGE_TASK_DATA + 2 * v);
        if (extra > COMBGPU__LARGE_NONE >> 12 || extra < -(COMBGPU__LARGE_NONE >> 12) ||
            record[COMBGPU__LARGE_TASK_DATA + 2 * large->nodes + v] > (uint32_t)large->nodes)
            return 0;
    }
    return record[COMBGPU__LARGE_TASK_KIND] == COMBGPU__LARGE_BOUND;
}

COMBGPU__PRIVATE int combgpu__large_validate_task(combgpu_job *job, uint32_t *task)
{
    return combgpu__large_validate_record(job, task);
}

COMBGPU__PRIVATE void combgpu__large_release_job(combgpu_job *job)
{
    combgpu__large_release(combgpu__context(job), (combgpu__large *)combgpu__state(job));
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__large_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "tsp heuristic";
    search.frontier = combgpu__large_frontier;
    search.record = combgpu__large_record;
    search.fraction = combgpu__large_fraction;
    search.validate_task = combgpu__large_validate_task;
    search.validate_record = combgpu__large_validate_record;
    search.release = combgpu__large_release_job;
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 1;
    search.kernel.left_per_worker = 2;
    search.kernel.first_budget = 1000;
    search.record_capacity = 2;
    search.most_tasks = 2;
    search.unsteady = 1;
    return search;
}
COMBGPU__COLD_END
