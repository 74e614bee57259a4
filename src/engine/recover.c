/* ---- Recovery from a failed device: the others resume from the last snapshot. */

COMBGPU__PRIVATE int combgpu__crews_alive(const combgpu_job *job)
{
    int alive = 0, i;
    for (i = 0; i < job->crew_count; i++)
        alive += !job->crews[i].lost;
    return alive;
}

/* Returns the job to its snapshot: later slices do not count. A callback may get their solutions
   again. */
COMBGPU__PRIVATE combgpu_status combgpu__restore(combgpu_job *job)
{
    double earlier = job->earlier_s;
    uint64_t steps = job->steps_at_start;
    combgpu_status status;
    int i;
    for (i = 0; i < job->crew_count; i++) {
        combgpu__crew *crew = &job->crews[i];
        if (crew->running && combgpu__slice_wait(job, crew) < 0) {
            if (!crew->lost) crew->lost = COMBGPU__LOST;
            crew->ctx->lost = crew->lost;
            crew->errors++;
        }
        crew->pool_count = 0;
        crew->fresh = 0;
    }
    if (!combgpu__crews_alive(job)) return COMBGPU_DEVICE_ERROR;
    combgpu__reserve_clear(job);
    status = combgpu__deserialize(job, job->snapshot, job->snapshot_bytes, "the snapshot");
    job->earlier_s = earlier;
    job->steps_at_start = steps;
    return status;
}

/* Handles an executor's failure `status`. Returns OK if the others resumed the job. */
COMBGPU__PRIVATE combgpu_status combgpu__crew_failed(combgpu_job *job, combgpu__crew *crew,
                                                     combgpu_status status)
{
    combgpu_context *ctx = job->ctx;
    char why[sizeof ctx->message];
    snprintf(why, sizeof why, "%s", crew->ctx->message);
    if (status == COMBGPU_OUT_OF_MEMORY || status == COMBGPU_WRONG_RESULT ||
        crew == &job->checker) { /* not the device's fault */
        if (crew->ctx != ctx) snprintf(ctx->message, sizeof ctx->message, "%s", why);
        return status;
    }
    if (!crew->lost) crew->lost = COMBGPU__LOST;
    if (crew->lost == COMBGPU__HUNG || job->crew_count > 1) crew->ctx->lost = crew->lost;
    crew->errors++;
    crew->running = 0;
    crew->pool_count = 0;
    crew->fresh = 0;
    snprintf(ctx->message, sizeof ctx->message, "%s failed: %.300s", combgpu__crew_name(crew).text,
             why);
    job->tasks_lost = 1;
    if (!combgpu__crews_alive(job) || !combgpu__has_snapshot(job)) return status;
    combgpu__log(ctx, COMBGPU_LOG_ERROR, "%.400s; the other devices continue its tasks",
                 ctx->message);
    snprintf(why, sizeof why, "%s", ctx->message);
    ctx->message[0] = 0;
    status = combgpu__restore(job);
    job->tasks_lost = status != COMBGPU_OK;
    if (status == COMBGPU_DEVICE_ERROR) snprintf(ctx->message, sizeof ctx->message, "%s", why);
    return status;
}

/* Waits for a slice and adds its results to the job. Returns FOUND if slice_done reached
   the limit. */
COMBGPU__PRIVATE combgpu_status combgpu__crew_done(combgpu_job *job, combgpu__crew *crew)
{
    combgpu_status status = combgpu__slice_wait(job, crew);
    if (!status) status = combgpu__slice_collect(job, crew, job->sums);
    if (!status && job->desc.slice_done) status = job->desc.slice_done(job, crew, job->sums);
    return status;
}

/* Waits for all running slices; with `spill`, also moves all tasks to the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__settle(combgpu_job *job, int spill)
{
    combgpu_status status;
    int i;
    for (i = 0; i < job->crew_count; i++) {
        combgpu__crew *crew = &job->crews[i];
        status = COMBGPU_OK;
        if (crew->lost) continue;
        if (crew->running) status = combgpu__crew_done(job, crew);
        if (status >= 0 && spill) status = combgpu__spill(job, crew, crew->pool_count);
        if (status >= 0 && !spill) status = COMBGPU_OK;
        if (!status) continue;
        status = combgpu__crew_failed(job, crew, status);
        if (status) return status;
        i = -1; /* restored: no slice runs; restart */
    }
    return COMBGPU_OK;
}

/* Leaves the job's state in accumulators, reserve and pending records alone. Fails if tasks are
   lost, which a saved job would omit. */
COMBGPU__PRIVATE combgpu_status combgpu__gather(combgpu_job *job)
{
    if (job->tasks_lost)
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
    job->last_snapshot = combgpu__now();
    return status;
}

COMBGPU__PRIVATE int combgpu__snapshot_due(const combgpu_job *job)
{
    double bytes = (double)combgpu__tasks_left(job) * job->desc.task_words * 4;
    return combgpu__crews_alive(job) > 1 &&
           combgpu__now() - job->last_snapshot > 10 + 200 * (0.03 + bytes * 1e-9);
}
