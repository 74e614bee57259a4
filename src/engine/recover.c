/* ---- Recovery from a failed device: the others resume from the last snapshot. */

COMBGPU__PRIVATE int combgpu__executors_alive(const combgpu_job *job)
{
    int alive = 0, i;
    for (i = 0; i < job->executor_count; i++)
        alive += !job->executors[i].lost;
    return alive;
}

/* Returns the job to its snapshot: later slices do not count. A callback may get their solutions
   again. */
COMBGPU__PRIVATE combgpu_status combgpu__restore(combgpu_job *job)
{
    double earlier = job->clock.earlier_s;
    uint64_t steps = job->steps_at_start;
    combgpu_status status;
    int i;
    for (i = 0; i < job->executor_count; i++) {
        combgpu__executor *executor = &job->executors[i];
        if (executor->running && combgpu__slice_wait(job, executor) < 0) {
            if (!executor->lost) executor->lost = COMBGPU__LOST;
            executor->ctx->lost = executor->lost;
            executor->errors++;
        }
        executor->pool_count = 0;
        executor->fresh = 0;
    }
    if (!combgpu__executors_alive(job)) return COMBGPU_DEVICE_ERROR;
    combgpu__reserve_clear(job);
    status = combgpu__deserialize(job, job->recovery.snapshot, job->recovery.bytes, "the snapshot");
    job->clock.earlier_s = earlier;
    job->steps_at_start = steps;
    return status;
}

/* Handles an executor's failure `status`. Returns OK if the others resumed the job. */
COMBGPU__PRIVATE combgpu_status combgpu__executor_failed(combgpu_job *job,
                                                         combgpu__executor *executor,
                                                         combgpu_status status)
{
    combgpu_context *ctx = job->ctx;
    char why[sizeof ctx->message];
    snprintf(why, sizeof why, "%s", executor->ctx->message);
    if (status == COMBGPU_OUT_OF_MEMORY || status == COMBGPU_WRONG_RESULT ||
        executor == &job->verify.checker) { /* not the device's fault */
        if (executor->ctx != ctx) snprintf(ctx->message, sizeof ctx->message, "%s", why);
        return status;
    }
    if (!executor->lost) executor->lost = COMBGPU__LOST;
    if (executor->lost == COMBGPU__HUNG || job->executor_count > 1)
        executor->ctx->lost = executor->lost;
    executor->errors++;
    executor->running = 0;
    executor->pool_count = 0;
    executor->fresh = 0;
    snprintf(ctx->message, sizeof ctx->message, "%s failed: %.300s",
             combgpu__executor_name(executor).text, why);
    job->recovery.tasks_lost = 1;
    if (!combgpu__executors_alive(job) || !combgpu__has_snapshot(job)) return status;
    combgpu__log(ctx, COMBGPU_LOG_ERROR, "%.400s; the other devices continue its tasks",
                 ctx->message);
    snprintf(why, sizeof why, "%s", ctx->message);
    ctx->message[0] = 0;
    status = combgpu__restore(job);
    job->recovery.tasks_lost = status != COMBGPU_OK;
    if (status == COMBGPU_DEVICE_ERROR) snprintf(ctx->message, sizeof ctx->message, "%s", why);
    return status;
}

/* Waits for a slice and adds its results to the job. Returns FOUND if slice_done reached
   the limit. */
COMBGPU__PRIVATE combgpu_status combgpu__executor_done(combgpu_job *job,
                                                       combgpu__executor *executor)
{
    combgpu_status status = combgpu__slice_wait(job, executor);
    if (!status) status = combgpu__slice_collect(job, executor, job->accumulators);
    if (!status && job->desc.slice_done)
        status = job->desc.slice_done(job, executor, job->accumulators);
    return status;
}

/* Waits for all running slices; with `spill`, also moves all tasks to the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__settle(combgpu_job *job, int spill)
{
    combgpu_status status;
    int i;
    for (i = 0; i < job->executor_count; i++) {
        combgpu__executor *executor = &job->executors[i];
        status = COMBGPU_OK;
        if (executor->lost) continue;
        if (executor->running) status = combgpu__executor_done(job, executor);
        if (status >= 0 && spill) status = combgpu__spill(job, executor, executor->pool_count);
        if (status >= 0 && !spill) status = COMBGPU_OK;
        if (!status) continue;
        status = combgpu__executor_failed(job, executor, status);
        if (status) return status;
        i = -1; /* restored: no slice runs; restart */
    }
    return COMBGPU_OK;
}

/* Leaves the job's state in accumulators, reserve and pending records alone. Fails if tasks are
   lost, which a saved job would omit. */
COMBGPU__PRIVATE combgpu_status combgpu__gather(combgpu_job *job)
{
    if (job->recovery.tasks_lost)
        return combgpu__fail(job->ctx, COMBGPU_DEVICE_ERROR,
                             "the job cannot be saved: its devices failed earlier, and tasks "
                             "were lost with them");
    return combgpu__settle(job, 1);
}

/* Keeps the job's state in memory, for recovery. combgpu__snapshot_due limits the cost to 0.5 % of
   the time. */
COMBGPU__PRIVATE combgpu_status combgpu__snapshot(combgpu_job *job)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    combgpu_status status = combgpu__gather(job);
    if (!status) status = combgpu__serialize(job, &bytes, &size);
    if (status == COMBGPU_OUT_OF_MEMORY) { /* keep the previous snapshot */
        job->ctx->message[0] = 0;
        status = COMBGPU_OK;
    } else if (!status) {
        combgpu__seal(bytes, size);
        combgpu__keep_snapshot(job, bytes, size);
    }
    job->clock.snapshot = combgpu__now();
    return status;
}

COMBGPU__PRIVATE int combgpu__snapshot_due(const combgpu_job *job)
{
    double bytes = (double)combgpu__tasks_left(job) * job->desc.task_words * 4;
    return combgpu__executors_alive(job) > 1 &&
           combgpu__now() - job->clock.snapshot > 10 + 200 * (0.03 + bytes * 1e-9);
}
