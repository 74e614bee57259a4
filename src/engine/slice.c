/* ---- a slice: start, wait, collect */

/* Starts a slice over the device's pool. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_start(combgpu_job *job, combgpu__share *share,
                                                     uint32_t budget)
{
    combgpu__slice slice;
    combgpu__launch *launch = &share->launch;
    combgpu_status status;
    memset(&slice, 0, sizeof slice);
    memset(launch, 0, sizeof *launch);
    slice.task_count = share->pool_count;
    slice.left_capacity = share->pool_capacity;
    slice.record_capacity = job->record_capacity;
    slice.budget = budget;
    slice.least = budget / COMBGPU__HUNGRY_SHARE + 1; /* never 0: every slice gets on */
    slice.workers = share->workers;
    slice.task_words = job->task_words;
    slice.record_words = job->record_words;
    launch->kernel = &job->kernel;
    launch->program = share->program;
    launch->job = job;
    launch->workers = share->workers;
    launch->control = &share->memory[COMBGPU__CONTROL];
    launch->tables = &share->memory[COMBGPU__TABLES];
    launch->tasks = &share->memory[COMBGPU__POOL];
    launch->left = &share->memory[COMBGPU__LEFT];
    launch->records = &share->memory[COMBGPU__RECORDS];
    launch->work = &share->memory[COMBGPU__WORK];
    launch->status = COMBGPU_RUNNING;
    status = share->backend->upload(share->ctx, launch->control, 0, &slice, sizeof slice);
    share->began = combgpu__now();
    if (!status) status = share->backend->start(share->ctx, launch);
    share->running = !status;
    return status;
}

/* Has the slice ended? RUNNING, OK, or why it failed. A device that does not answer in time counts
   as hung. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_poll(combgpu_job *job, combgpu__share *share)
{
    double limit = job->run.slice_limit_s > 0  ? job->run.slice_limit_s
                   : share->ctx->device.is_gpu ? COMBGPU__SLICE_LIMIT_S
                                               : 10 * COMBGPU__SLICE_LIMIT_S;
    combgpu_status status = share->launch.status;
    if (status == COMBGPU_RUNNING)
        status = share->launch.status = share->backend->poll(share->ctx, &share->launch);
    if (status == COMBGPU_RUNNING && combgpu__now() - share->began > limit) {
        share->lost = COMBGPU__HUNG;
        status = share->launch.status = combgpu__fail(share->ctx, COMBGPU_DEVICE_ERROR,
                                                      "%s hangs: a slice has not ended after %g s",
                                                      combgpu__share_name(share).text, limit);
    }
    return status;
}

/* Lets the other processes work for a moment, once a slice takes more than an instant. */
COMBGPU__PRIVATE void combgpu__nap(double since)
{
#if defined(CLOCK_MONOTONIC)
    struct timespec t;
    if (combgpu__now() - since < 3e-4) return;
    t.tv_sec = 0;
    t.tv_nsec = 50000;
    nanosleep(&t, NULL);
#else
    (void)since;
#endif
}

COMBGPU__PRIVATE combgpu_status combgpu__slice_wait(combgpu_job *job, combgpu__share *share)
{
    combgpu_status status;
    while ((status = combgpu__slice_poll(job, share)) == COMBGPU_RUNNING)
        combgpu__nap(share->began);
    share->running = 0;
    return status;
}

/* How long a slice shall be, in seconds. */
COMBGPU__PRIVATE double combgpu__slice_aim(const combgpu_job *job)
{
    return (job->run.slice_ms > 0 ? job->run.slice_ms : COMBGPU__DEFAULT_SLICE_MS) / 1e3;
}

/* The budget of slices to come, now `budget`; a slice that ran out of tasks or room says little. */
COMBGPU__PRIVATE uint32_t combgpu__next_budget(const combgpu_job *job, const combgpu__slice *slice,
                                               uint32_t budget, double seconds)
{
    double aim = combgpu__slice_aim(job), factor, next;
    int spent =
        slice->left_count || slice->task_next < slice->task_count; /* by budgets, not tasks */
    if (seconds <= aim && (!spent || slice->stop & COMBGPU__STOP_ENOUGH)) return budget;
    if (slice->stop == COMBGPU__STOP_HUNGRY && seconds <= aim) {
        aim /= COMBGPU__HUNGRY_SHARE; /* it takes so long at least */
        if (seconds > aim) return budget;
    }
    factor = seconds > 0 ? aim / seconds : 8;
    factor = factor > 8 ? 8 : factor < 0.125 ? 0.125 : factor;
    next = factor * (double)slice->budget; /* of this slice: it may have been less */
    return next < 16 ? 16 : next > 1e9 ? 1000000000u : (uint32_t)next;
}

/* Fetches what a slice that has ended left: totals into `sums`, records behind those that wait,
   left-over tasks and those nobody began as the next pool. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_collect(combgpu_job *job, combgpu__share *share,
                                                       uint64_t *sums)
{
    const combgpu__backend *backend = share->backend;
    size_t task_bytes = job->task_words * sizeof(uint32_t);
    double seconds = share->launch.seconds, wall = combgpu__now() - share->began;
    combgpu__slice slice;
    combgpu__memory other;
    combgpu_status status;
    uint32_t *budget = share == job->shares ? &job->budget : &share->budget;
    uint32_t begun, waiting, records, i;
    uint64_t steps;

    status =
        backend->download(share->ctx, &slice, &share->memory[COMBGPU__CONTROL], 0, sizeof slice);
    if (status) return status;
    /* a kernel that claims more than there was room for has damaged something: never go on */
    begun = slice.task_next < slice.task_count ? slice.task_next : slice.task_count;
    waiting = slice.task_count - begun;
    if (slice.left_count > combgpu__left_room(job, share))
        return combgpu__fail(share->ctx, COMBGPU_DEVICE_ERROR,
                             "kernel %s gave back %u tasks, more than the %u it may",
                             job->kernel.name, slice.left_count, combgpu__left_room(job, share));
    records = slice.record_count < job->record_capacity ? slice.record_count : job->record_capacity;
    if (records) {
        status = combgpu__pending_room(job, records);
        if (!status)
            status =
                backend->download(share->ctx, job->pending + job->pending_count * job->record_words,
                                  &share->memory[COMBGPU__RECORDS], 0,
                                  records * job->record_words * sizeof(uint32_t));
        if (status) return status;
    }
    if (waiting) {
        status =
            backend->copy(share->ctx, &share->memory[COMBGPU__LEFT], slice.left_count * task_bytes,
                          &share->memory[COMBGPU__POOL], begun * task_bytes, waiting * task_bytes);
        if (status) return status;
    }
    /* from here on nothing fails: the slice counts */
    other = share->memory[COMBGPU__POOL];
    share->memory[COMBGPU__POOL] = share->memory[COMBGPU__LEFT];
    share->memory[COMBGPU__LEFT] = other;
    share->pool_count = slice.left_count + waiting;
    share->whole = waiting;
    share->hungry = (slice.stop & COMBGPU__STOP_HUNGRY) != 0;
    if (share->fresh > waiting) share->fresh = waiting;
    for (i = 0; i < COMBGPU__TOTALS; i++)
        sums[i] += combgpu__get64(slice.totals + 2 * i);
    job->pending_count += records;
    steps = combgpu__get64(slice.totals);
    share->steps += steps;
    share->seconds += seconds;
    share->slices++;
    job->device_s += seconds;
    job->slices++;
    if (wall > 0 && (!(slice.stop & COMBGPU__STOP_HUNGRY) || share->speed <= 0)) {
        double speed = (double)steps / wall;
        share->speed = share->speed > 0 ? 0.75 * share->speed + 0.25 * speed : speed;
    }
    *budget = combgpu__next_budget(job, &slice, *budget, seconds);
    return COMBGPU_OK;
}

