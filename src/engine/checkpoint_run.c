/* ---- checkpoints of a run that goes on */

/* Writes the checkpoint file. In the middle of a run GPUs get their next slice before the disk has
   its turn. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint(combgpu_job *job)
{
    unsigned char *bytes;
    size_t size = 0;
    combgpu_status status = combgpu__serialize(job, &bytes, &size);
    if (!status && job->status == COMBGPU_RUNNING && job->ctx->device.is_gpu)
        job->broken = combgpu__start_idle(job, 0);
    if (!status) {
        combgpu__seal(bytes, size);
        status = combgpu__checkpoint_write(job, bytes, size);
    }
    if (status == COMBGPU_OK) {
        job->checkpoints++;
        if (combgpu__shares_alive(job) < 2) { /* the file has it */
            combgpu__release(job->ctx, bytes);
            bytes = NULL;
        }
        combgpu__keep_snapshot(job, bytes, size);
        bytes = NULL;
    } else
        job->checkpoint_errors++;
    combgpu__release(job->ctx, bytes);
    return status;
}

/* All devices have failed: the last snapshot is what there is. */
COMBGPU__PRIVATE void combgpu__checkpoint_last(combgpu_job *job)
{
    char why[sizeof job->ctx->message];
    memcpy(why, job->ctx->message, sizeof why);
    if (combgpu__checkpoint_write(job, job->snapshot, job->snapshot_bytes) == COMBGPU_OK)
        job->checkpoints++;
    else
        job->checkpoint_errors++;
    memcpy(job->ctx->message, why, sizeof why);
}

