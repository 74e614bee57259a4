/* ---- Saving a job: to its checkpoint file, or to the caller's memory. */

/* Writes the checkpoint file. During a run GPUs start their next slice first. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint(combgpu_job *job)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    combgpu_status status = combgpu__gather(job);
    if (!status) status = combgpu__serialize(job, &bytes, &size);
    if (!status && job->status == COMBGPU_RUNNING && job->ctx->device.is_gpu)
        job->broken = combgpu__start_idle(job, NULL);
    if (!status) {
        combgpu__seal(bytes, size);
        status = combgpu__checkpoint_write(job, bytes, size);
    }
    if (status == COMBGPU_OK) {
        job->file.written++;
        if (combgpu__executors_alive(job) < 2) { /* the file is enough */
            combgpu__release(job->ctx, bytes);
            bytes = NULL;
        }
        combgpu__keep_snapshot(job, bytes, size);
        bytes = NULL;
    } else
        job->file.failed++;
    combgpu__release(job->ctx, bytes);
    return status;
}

/* Writes the last snapshot as the checkpoint, after all devices have failed. */
COMBGPU__PRIVATE void combgpu__checkpoint_last(combgpu_job *job)
{
    char why[sizeof job->ctx->message];
    memcpy(why, job->ctx->message, sizeof why);
    if (combgpu__checkpoint_write(job, job->recovery.snapshot, job->recovery.bytes) == COMBGPU_OK)
        job->file.written++;
    else
        job->file.failed++;
    memcpy(job->ctx->message, why, sizeof why);
}

/* Fails if a callback asks during a slice for what needs its end: the current record is counted
   after the callback. */
COMBGPU__PRIVATE combgpu_status combgpu__between_slices(combgpu_job *job)
{
    if (job->at_work != COMBGPU__WORKS) return COMBGPU_OK;
    return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                         "a solution callback cannot save its job; return nonzero to stop the job");
}

/* Fails if nothing can be saved. */
COMBGPU__PRIVATE combgpu_status combgpu__can_save(combgpu_job *job)
{
    combgpu_status status;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (combgpu__job_failed(job))
        return combgpu__fail(job->ctx, job->status, "the job has already failed");
    status = combgpu__between_slices(job);
    return status ? status : combgpu__prepared(job);
}

COMBGPU__DEF combgpu_status combgpu_checkpoint(combgpu_job *job)
{
    combgpu_status status = combgpu__can_save(job);
    if (status) return status;
    if (!job->file.path)
        return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                             "the job has no run.checkpoint_path");
    status = combgpu__checkpoint(job);
    job->clock.checkpoint = combgpu__now();
    if (!status && job->status == COMBGPU_FILE_ERROR)
        job->status = job->file.unsaved; /* repaired */
    return status;
}

COMBGPU__DEF combgpu_status combgpu_save(combgpu_job *job, void *data, size_t bytes, size_t *needed)
{
    unsigned char *made;
    size_t made_bytes = 0;
    combgpu_status status = combgpu__can_save(job);
    if (!status) status = combgpu__gather(job);
    if (!status) status = combgpu__serialize(job, &made, &made_bytes);
    if (status) return status;
    combgpu__seal(made, made_bytes);
    if (needed) *needed = made_bytes;
    if (data && bytes >= made_bytes)
        memcpy(data, made, made_bytes);
    else if (data || !needed)
        status = combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                               "bytes is %llu; this checkpoint needs %llu",
                               (unsigned long long)bytes, (unsigned long long)made_bytes);
    combgpu__release(job->ctx, made);
    return status;
}
