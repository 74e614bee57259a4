/* ---- Begin and end of a job. */

/* Frees everything; the problem's release runs first, while its state is intact. */
COMBGPU__DEF void combgpu_job_cancel(combgpu_job *job)
{
    combgpu_context *ctx;
    int i;
    if (!job) return;
    ctx = job->ctx;
    for (i = 0; i < job->executor_count; i++)
        combgpu__executor_close(job, &job->executors[i]);
    combgpu__executor_close(job, &job->verify.checker);
    if (job->state && job->desc.release) job->desc.release(job);
    combgpu__checkpoint_unlock(job);
    combgpu__release(ctx, job->executors);
    combgpu__release(ctx, job->reports);
    combgpu__release(ctx, job->outlook.sizes);
    combgpu__keep_snapshot(job, NULL, 0);
    combgpu__release(ctx, job->state);
    combgpu__release(ctx, job->tables);
    combgpu__release(ctx, job->file.path);
    combgpu__release(ctx, job->reserve.tasks);
    combgpu__release(ctx, job->pending.records);
    combgpu__release(ctx, job);
}

COMBGPU__PRIVATE combgpu_status combgpu__job_create(combgpu_context *ctx,
                                                    const combgpu__job_desc *desc,
                                                    size_t state_bytes, const combgpu_run_desc *run,
                                                    combgpu_job **out)
{
    size_t job_bytes = (sizeof(combgpu_job) + 7) / 8 * 8;
    combgpu_job *job;
    *out = NULL;
    job_bytes += COMBGPU__ACCUMULATORS * sizeof *job->accumulators;
    job = (combgpu_job *)combgpu__allocate_zeroed(ctx, job_bytes);
    if (!job) return combgpu__no_memory(ctx, job_bytes);
    job->accumulators = (uint64_t *)(void *)((char *)job + job_bytes) - COMBGPU__ACCUMULATORS;
    job->ctx = ctx;
    job->desc = *desc;
    job->run = *run;
    job->status = COMBGPU_RUNNING;
    job->clock.started = job->clock.progress = job->clock.checkpoint = combgpu__now();
    job->state = combgpu__allocate_zeroed(ctx, state_bytes);
    if (run->checkpoint_path) {
        size_t bytes = strlen(run->checkpoint_path) + 1;
        job->file.path = (char *)combgpu__allocate(ctx, bytes);
        if (job->file.path) memcpy(job->file.path, run->checkpoint_path, bytes);
    }
    job->run.checkpoint_path = job->file.path;
    if (!job->state || (run->checkpoint_path && !job->file.path)) {
        combgpu_job_cancel(job);
        return combgpu__no_memory(ctx, state_bytes);
    }
    *out = job;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__job_begun(combgpu_job *job, combgpu_status status,
                                                   combgpu_job **out)
{
    *out = status ? NULL : job;
    if (status) combgpu_job_cancel(job);
    return status;
}

COMBGPU__PRIVATE void combgpu__run(combgpu_job *job)
{
    while (combgpu_step(job) == COMBGPU_RUNNING) {
    }
}
