/* ---- a failed device: the others go on from the last snapshot */

COMBGPU__PRIVATE int combgpu__shares_alive(const combgpu_job *job)
{
    int alive = 0, i;
    for (i = 0; i < job->share_count; i++)
        alive += !job->shares[i].lost;
    return alive;
}

/* Back to the snapshot: no slice since then counts. The caller's callback may get solutions again
   that it got since. */
COMBGPU__PRIVATE combgpu_status combgpu__restore(combgpu_job *job)
{
    double earlier = job->earlier_s;
    uint64_t steps = job->steps_at_start;
    combgpu_status status;
    int i;
    for (i = 0; i < job->share_count; i++) {
        combgpu__share *share = &job->shares[i];
        if (share->running && combgpu__slice_wait(job, share) < 0) {
            if (!share->lost) share->lost = COMBGPU__LOST;
            share->ctx->lost = share->lost;
            share->errors++;
        }
        share->pool_count = 0;
        share->fresh = 0;
    }
    if (!combgpu__shares_alive(job)) return COMBGPU_DEVICE_ERROR;
    job->reserve_count = 0;
    status = combgpu__deserialize(job, job->snapshot, job->snapshot_bytes, "the snapshot");
    job->earlier_s = earlier;
    job->steps_at_start = steps;
    return status;
}

/* A device failed with `status`. OK: the job goes on with the others. */
COMBGPU__PRIVATE combgpu_status combgpu__share_failed(combgpu_job *job, combgpu__share *share,
                                                      combgpu_status status)
{
    combgpu_context *ctx = job->ctx;
    char why[sizeof ctx->message];
    snprintf(why, sizeof why, "%s", share->ctx->message);
    if (status == COMBGPU_OUT_OF_MEMORY || status == COMBGPU_WRONG_RESULT ||
        share == &job->checker) { /* not the device */
        if (share->ctx != ctx) snprintf(ctx->message, sizeof ctx->message, "%s", why);
        return status;
    }
    if (!share->lost) share->lost = COMBGPU__LOST;
    if (share->lost == COMBGPU__HUNG || job->share_count > 1) share->ctx->lost = share->lost;
    share->errors++;
    share->running = 0;
    share->pool_count = 0;
    share->fresh = 0;
    snprintf(ctx->message, sizeof ctx->message, "%s failed: %.300s",
             combgpu__share_name(share).text, why);
    if (!combgpu__shares_alive(job) || !combgpu__has_snapshot(job)) return status;
    combgpu__log(ctx, COMBGPU_LOG_ERROR, "%.400s; the other devices go on with its tasks",
                 ctx->message);
    snprintf(why, sizeof why, "%s", ctx->message);
    ctx->message[0] = 0;
    status = combgpu__restore(job);
    if (status == COMBGPU_DEVICE_ERROR) snprintf(ctx->message, sizeof ctx->message, "%s", why);
    return status;
}

/* Waits for all slices that run, and with `spill` takes all tasks to the host. */
COMBGPU__PRIVATE combgpu_status combgpu__settle(combgpu_job *job, int spill)
{
    combgpu_status status;
    int i;
    for (i = 0; i < job->share_count; i++) {
        combgpu__share *share = &job->shares[i];
        status = COMBGPU_OK;
        if (share->lost) continue;
        if (share->running) status = combgpu__share_done(job, share);
        if (status >= 0 && spill) status = combgpu__spill(job, share, share->pool_count);
        if (status >= 0 && !spill) status = COMBGPU_OK;
        if (!status) continue;
        status = combgpu__share_failed(job, share, status);
        if (status) return status;
        i = -1; /* restored: nothing runs */
    }
    return COMBGPU_OK;
}

/* Then the job's state is in sums, reserve and pending alone. */
COMBGPU__PRIVATE combgpu_status combgpu__gather(combgpu_job *job)
{
    return combgpu__settle(job, 1);
}

/* Waits for a slice and adds what it found to the job. FOUND: slice_done says it is enough. */
COMBGPU__PRIVATE combgpu_status combgpu__share_done(combgpu_job *job, combgpu__share *share)
{
    combgpu_status status = combgpu__slice_wait(job, share);
    if (!status) status = combgpu__slice_collect(job, share, job->sums);
    if (!status && job->problem->slice_done) status = job->problem->slice_done(job, share);
    return status;
}

/* Keeps the state in memory, for when a device fails. It is taken as seldom as costs 0.5 % of the
   time at most. */
COMBGPU__PRIVATE combgpu_status combgpu__snapshot(combgpu_job *job)
{
    unsigned char *bytes;
    size_t size = 0;
    combgpu_status status = combgpu__serialize(job, &bytes, &size);
    if (status == COMBGPU_OUT_OF_MEMORY) { /* the one before serves as well */
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
    double bytes = (double)combgpu__tasks_left(job) * job->task_words * 4;
    return combgpu__shares_alive(job) > 1 &&
           combgpu__now() - job->last_snapshot > 10 + 200 * (0.03 + bytes * 1e-9);
}

