/* ---- A slice: start, wait, collect. */

#define COMBGPU__DEFAULT_SLICE_MS 50.0
/* When a quarter of the workers found no task, the others spill their stacks early, after a small
   share of their budget; otherwise a few large subtrees keep a device idle. */
#define COMBGPU__STARVED_SHARE 16
#define COMBGPU__SLICE_LIMIT_S 60.0

/* Returns a starved slice's least share of the budget, as one in so many. */
COMBGPU__PRIVATE uint32_t combgpu__starved_share(const combgpu_job *job)
{
    return job->desc.kernel.starved_share ? job->desc.kernel.starved_share : COMBGPU__STARVED_SHARE;
}

/* Returns WORKING, DONE or a failure. Treats a device as hung after the slice limit. */
COMBGPU__PRIVATE combgpu__result combgpu__slice_poll(combgpu_job *job, combgpu__executor *executor)
{
    double limit = job->run.slice_limit_s > 0     ? job->run.slice_limit_s
                   : executor->ctx->device.is_gpu ? COMBGPU__SLICE_LIMIT_S
                                                  : 10 * COMBGPU__SLICE_LIMIT_S;
    combgpu__result *result = &executor->launch.result;
    if (*result == COMBGPU__WORKING)
        *result = executor->backend->poll(executor->ctx, &executor->launch);
    if (*result == COMBGPU__WORKING && combgpu__now() - executor->began > limit) {
        executor->lost = COMBGPU__HUNG;
        *result = combgpu__as_result(combgpu__fail(executor->ctx, COMBGPU_DEVICE_ERROR,
                                                   "%s hangs: a slice has not ended after %g s",
                                                   combgpu__executor_name(executor).text, limit));
    }
    return *result;
}

/* Ends the CPU's slice early once another device has ended its own, since one thread serves
   both. */
COMBGPU__PRIVATE void combgpu__look(const combgpu__worker *worker)
{
    combgpu_job *job = worker->job;
    double now = combgpu__now();
    int i;
    if (now < worker->polls->next) return;
    worker->polls->next = now + 2e-4;
    for (i = 0; i < job->executor_count; i++)
        if (job->executors[i].running && job->executors[i].backend->id != COMBGPU_BACKEND_CPU &&
            combgpu__slice_poll(job, &job->executors[i]) != COMBGPU__WORKING)
            combgpu__shared_or(&worker->slice->stop, COMBGPU__STOP_OTHER);
}

/* Uploads the tables' changed words. An earlier upload would wait for a running slice, and hang
   with it. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_tables(combgpu_job *job, combgpu__executor *executor)
{
    size_t at = executor->changed, words = executor->changed_end - at;
    executor->changed = executor->changed_end = 0;
    if (!words) return COMBGPU_OK;
    return executor->backend->upload(executor->ctx, &executor->memory[COMBGPU__TABLES],
                                     at * sizeof(uint32_t), job->tables + at,
                                     words * sizeof(uint32_t));
}

/* Zeroes a kernel's records in debug builds: words that it leaves unset are then equal everywhere,
   and verification does not depend on them. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_zero_records(const combgpu_job *job,
                                                            combgpu__executor *executor)
{
#ifdef COMBGPU_DEBUG
    double seconds;
    const size_t bytes =
        (size_t)job->desc.record_capacity * job->desc.record_words * sizeof(uint32_t);
    return executor->backend->fill(executor->ctx, &executor->memory[COMBGPU__RECORDS], 0, 0, bytes,
                                   &seconds);
#else
    (void)job, (void)executor;
    return COMBGPU_OK;
#endif
}

/* Starts a slice over the executor's pool. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_start(combgpu_job *job, combgpu__executor *executor,
                                                     uint32_t budget)
{
    combgpu__slice slice;
    combgpu__launch *launch = &executor->launch;
    combgpu_status status;
    memset(&slice, 0, sizeof slice);
    memset(launch, 0, sizeof *launch);
    slice.task_count = executor->pool_count;
    slice.left_capacity = executor->pool_capacity;
    slice.record_capacity = job->desc.record_capacity;
    slice.budget = budget;
    slice.least =
        budget / combgpu__starved_share(job) + 1; /* never 0: every slice makes progress */
    slice.workers = executor->workers;
    slice.task_words = job->desc.task_words;
    slice.record_words = job->desc.record_words;
    launch->kernel = &job->desc.kernel;
    launch->program = executor->program;
    launch->job = job;
    launch->look = job->executor_count > 1 ? combgpu__look : NULL;
    launch->workers = executor->workers;
    launch->control = &executor->memory[COMBGPU__CONTROL];
    launch->tables = &executor->memory[COMBGPU__TABLES];
    launch->tasks = &executor->memory[COMBGPU__POOL];
    launch->left = &executor->memory[COMBGPU__LEFT];
    launch->records = &executor->memory[COMBGPU__RECORDS];
    launch->work = &executor->memory[COMBGPU__WORK];
    launch->result = COMBGPU__WORKING;
    status = combgpu__slice_tables(job, executor);
    if (!status) status = combgpu__slice_zero_records(job, executor);
    if (!status)
        status = executor->backend->upload(executor->ctx, launch->control, 0, &slice, sizeof slice);
    executor->began = combgpu__now();
    if (!status) status = executor->backend->start(executor->ctx, launch);
    executor->running = !status;
    return status;
}

/* Sleeps briefly once a slice takes longer than 0.3 ms. */
COMBGPU__PRIVATE void combgpu__nap(double since)
{
    if (combgpu__now() - since >= 3e-4) combgpu__sleep(5e-5);
}

COMBGPU__PRIVATE combgpu_status combgpu__slice_wait(combgpu_job *job, combgpu__executor *executor)
{
    combgpu__result result;
    while ((result = combgpu__slice_poll(job, executor)) == COMBGPU__WORKING)
        combgpu__nap(executor->began);
    executor->running = 0;
    return combgpu__as_status(result);
}

/* Returns a slice's aimed duration in seconds; a search that asks for long ones gets no more than its time
   limit leaves. */
COMBGPU__PRIVATE double combgpu__slice_aim(const combgpu_job *job)
{
    const combgpu_run_desc *run = &job->run;
    double least = COMBGPU__DEFAULT_SLICE_MS / 1e3, aim = job->desc.kernel.slice_ms / 1e3, rest;
    if (run->slice_ms > 0) return run->slice_ms / 1e3;
    rest = job->clock.started + run->time_limit_s - combgpu__now();
    if (run->time_limit_s > 0 && aim > rest) aim = rest;
    return aim > least ? aim : least;
}

/* Returns the next slice's budget, after `budget`; a slice that ran out of tasks or room may keep
   it. */
COMBGPU__PRIVATE uint32_t combgpu__next_budget(const combgpu_job *job, const combgpu__slice *slice,
                                               uint32_t budget, double seconds)
{
    double aim = combgpu__slice_aim(job), factor, next;
    /* a small first budget means heavy nodes, which may come one at a time */
    const uint32_t first = job->desc.kernel.first_budget, least = first && first < 16 ? first : 16;
    int spent =
        slice->left_count ||
        slice->task_next < slice->task_count; /* workers ended by budget, not for lack of tasks */
    if (seconds <= aim && (!spent || slice->stop & COMBGPU__STOP_ENOUGH)) return budget;
    if (slice->stop == COMBGPU__STOP_STARVED && seconds <= aim) {
        aim /= combgpu__starved_share(job); /* the shortest starved slice */
        if (seconds > aim) return budget;
    }
    factor = seconds > 0 ? aim / seconds : 8;
    factor = factor > 8 ? 8 : factor < 0.125 ? 0.125 : factor;
    next = factor * (double)slice->budget; /* this slice's budget may have been below `budget` */
    return next < least ? least : next > 1e9 ? 1000000000u : (uint32_t)next;
}

/* Fetches an ended slice's results: adds totals to `sums`, appends its records to the pending ones,
   and makes spilled and unclaimed tasks the next pool; excess tasks move to the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_collect(combgpu_job *job,
                                                       combgpu__executor *executor,
                                                       uint64_t *accumulators)
{
    const combgpu__backend *backend = executor->backend;
    size_t task_bytes = job->desc.task_words * sizeof(uint32_t);
    double seconds = executor->launch.seconds, wall = combgpu__since(executor->began);
    combgpu__slice slice;
    combgpu__memory other;
    combgpu_status status;
    uint32_t *budget = executor == job->executors ? &job->budget : &executor->budget;
    uint32_t begun, waiting, excess = 0, records, i;
    uint64_t steps;

    status = backend->download(executor->ctx, &slice, &executor->memory[COMBGPU__CONTROL], 0,
                               sizeof slice);
    if (status) return status;
    /* Every kernel claims a task first; a C solver may end without, as branch and cut does. */
    if (backend->id != COMBGPU_BACKEND_CPU && slice.task_count && !slice.task_next &&
        !slice.left_count && !slice.record_count && !slice.stop && !combgpu__get64(slice.totals))
        return combgpu__fail(executor->ctx, COMBGPU_DEVICE_ERROR,
                             "kernel %s did not run: it took none of %u tasks",
                             job->desc.kernel.name, slice.task_count);
    /* a kernel that spilled more than fits has overwritten memory: fail */
    begun = slice.task_next < slice.task_count ? slice.task_next : slice.task_count;
    waiting = slice.task_count - begun;
    if (slice.left_count > combgpu__left_room(job, executor))
        return combgpu__fail(executor->ctx, COMBGPU_DEVICE_ERROR,
                             "kernel %s gave back %u tasks, more than the %u it may",
                             job->desc.kernel.name, slice.left_count,
                             combgpu__left_room(job, executor));
    records = slice.record_count < job->desc.record_capacity ? slice.record_count
                                                             : job->desc.record_capacity;
    if (records) {
        status = combgpu__pending_room(job, records);
        if (!status)
            status = backend->download(
                executor->ctx, job->pending.records + job->pending.count * job->desc.record_words,
                &executor->memory[COMBGPU__RECORDS], 0,
                records * job->desc.record_words * sizeof(uint32_t));
        if (status) return status;
    }
    if (waiting > executor->pool_capacity - slice.left_count) {
        excess = waiting - (executor->pool_capacity - slice.left_count);
        waiting -= excess;
    }
    if (waiting)
        status = backend->copy(executor->ctx, &executor->memory[COMBGPU__LEFT],
                               slice.left_count * task_bytes, &executor->memory[COMBGPU__POOL],
                               begun * task_bytes, waiting * task_bytes);
    if (executor->fresh > waiting + excess) executor->fresh = waiting + excess;
    if (!status && excess) status = combgpu__spill(job, executor, excess);
    if (status) return status;
    /* nothing fails from here on, so the slice counts */
    other = executor->memory[COMBGPU__POOL];
    executor->memory[COMBGPU__POOL] = executor->memory[COMBGPU__LEFT];
    executor->memory[COMBGPU__LEFT] = other;
    executor->pool_count = slice.left_count + waiting;
    executor->unclaimed = waiting;
    executor->starved = (slice.stop & COMBGPU__STOP_STARVED) != 0;
    for (i = 0; i < COMBGPU__TOTALS; i++)
        accumulators[i] += combgpu__get64(slice.totals + 2 * i);
    job->pending.count += records;
    steps = combgpu__get64(slice.totals);
    executor->steps += steps;
    executor->seconds += seconds;
    executor->slices++;
    job->clock.device_s += seconds;
    job->slices++;
    if (wall > 0 && (!(slice.stop & COMBGPU__STOP_STARVED) || executor->speed <= 0)) {
        double speed = (double)steps / wall;
        executor->speed = executor->speed > 0 ? 0.75 * executor->speed + 0.25 * speed : speed;
    }
    *budget = combgpu__next_budget(job, &slice, *budget, seconds);
    return COMBGPU_OK;
}
