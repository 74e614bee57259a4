/* ---- the shards' checkpoints, added up */

/* Which shard a checkpoint is of: its fourth line. 0 if it does not say. */
COMBGPU__PRIVATE int combgpu__checkpoint_shard(const unsigned char *bytes, size_t size,
                                               uint64_t *index, uint64_t *count)
{
    combgpu__reader reader;
    int line;
    reader.at = (const char *)bytes;
    reader.end = reader.at + size;
    for (line = 0; line < 3; line++) {
        const void *end = memchr(reader.at, '\n', (size_t)(reader.end - reader.at));
        if (!end) return 0;
        reader.at = (const char *)end + 1;
    }
    return combgpu__read_word(&reader, "shard ") && combgpu__read_number(&reader, 10, index) &&
           combgpu__read_word(&reader, "/") && combgpu__read_number(&reader, 10, count) &&
           combgpu__read_word(&reader, "\n");
}

/* Loads the checkpoint of one shard; `seen` has a byte for each. Leaves its sums in job->sums. */
COMBGPU__PRIVATE combgpu_status combgpu__merge_load(combgpu_job *job, const char *path,
                                                    unsigned char *seen)
{
    combgpu_context *ctx = job->ctx;
    unsigned char *bytes;
    size_t size;
    uint64_t index, count;
    combgpu_status status = combgpu__read_file(ctx, path, &bytes, &size);
    if (status) return status;
    if (!bytes)
        return combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s does not exist: its shard is missing",
                             path);
    if (!combgpu__checkpoint_shard(bytes, size, &index, &count)) index = 0, count = 1;
    if (index >= count || count != (uint64_t)job->run.merge_count)
        status = combgpu__fail(
            ctx, COMBGPU_WRONG_JOB, "%s is shard %llu/%llu, but %d files are to be merged", path,
            (unsigned long long)index, (unsigned long long)count, job->run.merge_count);
    else {
        job->run.shard_index = (int)index;
        job->run.shard_count = (int)count;
        status = combgpu__deserialize(job, bytes, size, path);
    }
    combgpu__release(ctx, bytes);
    if (!status && (job->reserve_count || job->pending_count))
        status = combgpu__fail(ctx, COMBGPU_WRONG_JOB,
                               "%s: shard %llu/%llu is not finished, %llu tasks are left", path,
                               (unsigned long long)index, (unsigned long long)count,
                               (unsigned long long)(job->reserve_count + job->pending_count));
    if (!status && seen[index]++)
        status = combgpu__fail(ctx, COMBGPU_WRONG_JOB,
                               "%s: shard %llu/%llu is there twice, so another one is missing",
                               path, (unsigned long long)index, (unsigned long long)count);
    return status;
}

/* Instead of a search: the sums of all shards. As many files as shards, none of them twice: then
   none is missing. */
COMBGPU__PRIVATE combgpu_status combgpu__merge(combgpu_job *job)
{
    uint64_t whole[COMBGPU__SUMS], frontier = 0;
    unsigned char *seen =
        (unsigned char *)combgpu__allocate_zeroed(job->ctx, (size_t)job->run.merge_count);
    double seconds = 0;
    combgpu_status status = COMBGPU_OK;
    int k;
    if (!seen) return combgpu__no_memory(job->ctx, (size_t)job->run.merge_count);
    memset(whole, 0, sizeof whole);
    for (k = 0; k < job->run.merge_count && !status; k++) {
        status = combgpu__merge_load(job, job->run.merge_paths[k], seen);
        if (status) break;
        combgpu__swap_sums(job, whole); /* now this shard's */
        combgpu__add_sums(job, job->sums, whole);
        memcpy(whole, job->sums, sizeof whole);
        seconds += job->earlier_s;
        frontier += job->frontier_mine;
    }
    combgpu__release(job->ctx, seen);
    job->run.shard_index = job->run.shard_count = 0;
    job->run.merge_paths = NULL;
    job->earlier_s = seconds;
    job->frontier_mine = frontier;
    job->steps_at_start = job->sums[0];
    return status;
}

#else /* no files here */

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_write(combgpu_job *job,
                                                          const unsigned char *bytes, size_t size)
{
    (void)bytes, (void)size;
    return combgpu__fail(job->ctx, COMBGPU_UNSUPPORTED, "this build has no checkpoint files");
}

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_load(combgpu_job *job, int *loaded)
{
    *loaded = 0;
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_try(combgpu_job *job)
{
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_lock(combgpu_job *job)
{
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE combgpu_status combgpu__merge(combgpu_job *job)
{
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE void combgpu__checkpoint_unlock(combgpu_job *job)
{
    (void)job;
}

COMBGPU__PRIVATE void combgpu__checkpoint_head(combgpu_context *ctx, const combgpu_run_desc *run,
                                               char *head, size_t room)
{
    size_t size = run->resume_data ? run->resume_bytes : 0;
    (void)ctx;
    if (size) memcpy(head, run->resume_data, size < room ? size : room);
    head[size < room ? size : room - 1] = 0;
}

#endif

