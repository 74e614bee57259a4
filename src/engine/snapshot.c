/* ---- Snapshots: checkpoints in memory, for recovery from a failed device. */

/* Replaces the previous snapshot; initially the starting state. */
COMBGPU__PRIVATE void combgpu__keep_snapshot(combgpu_job *job, unsigned char *bytes, size_t size)
{
    combgpu__release(job->ctx, job->snapshot);
    combgpu__release(job->ctx, job->first_head);
    combgpu__release(job->ctx, job->first_tasks);
    job->first_head = NULL;
    job->first_tasks = NULL;
    job->snapshot = bytes;
    job->snapshot_bytes = size;
    job->last_snapshot = combgpu__now();
}

/* Keeps the header of a job just dealt: its first snapshot is made on demand. */
COMBGPU__PRIVATE combgpu_status combgpu__first_snapshot(combgpu_job *job)
{
    job->first_head = (char *)combgpu__allocate(job->ctx, COMBGPU__HEADER_BYTES);
    if (!job->first_head) return combgpu__no_memory(job->ctx, COMBGPU__HEADER_BYTES);
    job->first_head_bytes = combgpu__checkpoint_header(job, job->first_head);
    job->last_snapshot = combgpu__now();
    return COMBGPU_OK;
}

/* Returns whether a snapshot exists; makes the job's first one if needed. */
COMBGPU__PRIVATE int combgpu__has_snapshot(combgpu_job *job)
{
    size_t words = job->first_count * job->desc.task_words,
           size = job->first_head_bytes + 4 * words + 4;
    unsigned char *bytes;
    if (job->snapshot || !job->first_head) return job->snapshot != NULL;
    bytes = (unsigned char *)combgpu__allocate(job->ctx, size);
    if (!bytes) return 0;
    memcpy(bytes, job->first_head, job->first_head_bytes);
    combgpu__store_words(bytes + job->first_head_bytes, job->first_tasks, words);
    combgpu__seal(bytes, size);
    combgpu__keep_snapshot(job, bytes, size);
    return 1;
}
