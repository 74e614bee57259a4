/* ---- Merging: adds up all shards' checkpoints. */

/* Reads a checkpoint's shard, its fourth line. Returns 0 if it is missing. */
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

/* Loads the checkpoint of one shard into the job. `seen` has a byte for each shard. */
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
    if (!combgpu__checkpoint_shard(bytes, size, &index, &count))
        index = 0, count = (uint64_t)job->run.merge_count; /* damaged: deserialize reports how */
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
    if (!status && (job->reserve.count || job->pending.count))
        status = combgpu__fail(ctx, COMBGPU_WRONG_JOB,
                               "%s: shard %llu/%llu is not finished, %llu tasks are left", path,
                               (unsigned long long)index, (unsigned long long)count,
                               (unsigned long long)(job->reserve.count + job->pending.count));
    if (!status && seen[index]++)
        status = combgpu__fail(ctx, COMBGPU_WRONG_JOB,
                               "%s: shard %llu/%llu is given twice, so another one is missing",
                               path, (unsigned long long)index, (unsigned long long)count);
    return status;
}

/* Sets the job's accumulators to those of all shards. None is missing if files and shards are
   equally many and none repeats. */
COMBGPU__PRIVATE combgpu_status combgpu__merge(combgpu_job *job)
{
    const size_t bytes = COMBGPU__ACCUMULATORS * sizeof(uint64_t) + (size_t)job->run.merge_count;
    uint64_t *whole = (uint64_t *)combgpu__allocate_zeroed(job->ctx, bytes), frontier = 0;
    unsigned char *seen;
    double seconds = 0;
    combgpu_status status = COMBGPU_OK;
    int k;
    if (!whole) return combgpu__no_memory(job->ctx, bytes);
    seen = (unsigned char *)(whole + COMBGPU__ACCUMULATORS);
    for (k = 0; k < job->run.merge_count && !status; k++) {
        status = combgpu__merge_load(job, job->run.merge_paths[k], seen);
        if (status) break;
        combgpu__add_accumulators(job, whole, job->accumulators);
        seconds += job->clock.earlier_s;
        frontier += job->reserve.own_shard;
    }
    memcpy(job->accumulators, whole, COMBGPU__ACCUMULATORS * sizeof *whole);
    combgpu__release(job->ctx, whole);
    job->run.shard_index = job->run.shard_count = 0;
    job->run.merge_paths = NULL;
    job->clock.earlier_s = seconds;
    job->reserve.own_shard = frontier;
    job->steps_at_start = job->accumulators[0];
    return status;
}
