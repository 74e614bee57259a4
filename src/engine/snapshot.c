/* ---- Snapshots: checkpoints in memory, for recovery from a failed device. */

/* Replaces the previous snapshot; initially the starting state. */
COMBGPU__PRIVATE void combgpu__keep_snapshot(combgpu_job *job, unsigned char *bytes, size_t size)
{
    combgpu__release(job->ctx, job->recovery.snapshot);
    combgpu__release(job->ctx, job->recovery.head);
    combgpu__release(job->ctx, job->recovery.tasks);
    job->recovery.head = NULL;
    job->recovery.tasks = NULL;
    job->recovery.snapshot = bytes;
    job->recovery.bytes = size;
    job->clock.snapshot = combgpu__now();
}

/* Keeps the header of a job just dealt: its first snapshot is made on demand. */
COMBGPU__PRIVATE combgpu_status combgpu__first_snapshot(combgpu_job *job)
{
    job->recovery.head = (char *)combgpu__allocate(job->ctx, COMBGPU__HEADER_BYTES);
    if (!job->recovery.head) return combgpu__no_memory(job->ctx, COMBGPU__HEADER_BYTES);
    job->recovery.head_bytes = combgpu__checkpoint_header(job, job->recovery.head);
    job->clock.snapshot = combgpu__now();
    return COMBGPU_OK;
}

/* Returns whether a snapshot exists; makes the job's first one if needed. */
COMBGPU__PRIVATE int combgpu__has_snapshot(combgpu_job *job)
{
    size_t words = job->recovery.count * job->desc.task_words,
           size = job->recovery.head_bytes + 4 * words + 4;
    unsigned char *bytes;
    if (job->recovery.snapshot || !job->recovery.head) return job->recovery.snapshot != NULL;
    bytes = (unsigned char *)combgpu__allocate(job->ctx, size);
    if (!bytes) return 0;
    memcpy(bytes, job->recovery.head, job->recovery.head_bytes);
    combgpu__store_words(bytes + job->recovery.head_bytes, job->recovery.tasks, words);
    combgpu__seal(bytes, size);
    combgpu__keep_snapshot(job, bytes, size);
    return 1;
}
