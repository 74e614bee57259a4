/* ---- combgpu_step: one step of a job. */

/* Switches to the job's next kernel on devices that have it. Keeps the present one if memory is
   short. */
COMBGPU__PRIVATE combgpu_status combgpu__job_move(combgpu_job *job)
{
    combgpu__kernel before = job->desc.kernel;
    combgpu_status status = combgpu__gather(job);
    if (status) return status;
    combgpu__job_close_devices(job);
    job->desc.kernel = job->change.kernel;
    job->change.due = 0;
    job->reserve.deferred = 0;
    job->change.done = 1;
    status = combgpu__job_devices(job);
    if (status == COMBGPU_DEVICE_OUT_OF_MEMORY) {
        combgpu__log(job->ctx, COMBGPU_LOG_WARNING, "the search stays on the CPU: %.400s",
                     job->ctx->message);
        job->ctx->message[0] = 0;
        combgpu__job_close_devices(job);
        job->desc.kernel = before;
        status = combgpu__job_devices(job);
    }
    return !status && job->executor_count > 1 ? combgpu__snapshot(job) : status;
}

COMBGPU__PRIVATE combgpu_status combgpu__step(combgpu_job *job)
{
    combgpu_status status;
    double now, interval;
    int prepares = job->desc.prepare != NULL;
    if (combgpu__job_failed(job) || job->status == COMBGPU_OK) return job->status;
    /* records left undelivered by an earlier stop */
    status = prepares ? combgpu__prepare(job) : combgpu__deliver(job);
    if (status == COMBGPU_RUNNING && !prepares) {
        status = job->change.due ? combgpu__job_move(job) : COMBGPU_OK;
        if (!status && combgpu__snapshot_due(job)) status = combgpu__snapshot(job);
        if (!status) status = combgpu__round(job);
        if (!status) status = combgpu__deliver(job);
        if (status == COMBGPU_RUNNING && !combgpu__tasks_left(job)) status = COMBGPU_OK;
    }
    if (status == COMBGPU_DEVICE_ERROR && job->file.path && job->run.checkpoint_interval_s >= 0 &&
        combgpu__has_snapshot(job))
        combgpu__checkpoint_last(job);
    now = combgpu__now();
    if (status >= 0) {
        job->status = status; /* for the progress report */
        if (job->run.progress && (status != COMBGPU_RUNNING || combgpu__progress_due(job, now))) {
            combgpu_progress progress;
            combgpu_status failed = combgpu_job_progress(job, &progress);
            if (failed < 0) return job->status = failed;
            job->clock.progress = now;
            job->at_work = COMBGPU__REPORTS;
            if (job->run.progress(&progress, job->run.progress_user) && status == COMBGPU_RUNNING)
                status = COMBGPU_STOPPED;
            job->at_work = COMBGPU__WORKS;
        }
        if (status == COMBGPU_RUNNING && combgpu__time_is_up(job, now)) status = COMBGPU_STOPPED;
        interval = job->run.checkpoint_interval_s > 0 ? job->run.checkpoint_interval_s : 60;
        if (job->file.path && job->run.checkpoint_interval_s >= 0 && !job->desc.prepare &&
            (status != COMBGPU_RUNNING || combgpu__due(now, job->clock.checkpoint, interval))) {
            combgpu_status saved;
            job->status = status;
            saved = combgpu__checkpoint(job);
            job->clock.checkpoint = combgpu__now();
            /* during a run only the logger learns of it, and the run continues */
            if (saved && status != COMBGPU_RUNNING) {
                job->file.unsaved = status;
                status = saved;
            }
        }
    }
    job->status = status;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_step(combgpu_job *job)
{
    combgpu_status status;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_idle(job);
    if (status) return status;
    job->at_work = COMBGPU__WORKS;
    status = combgpu__step(job);
    job->at_work = COMBGPU__IDLE;
    return status;
}
