/* =================================================================== SECTION 11: the engine == */
/* A search is a pool of independent tasks and accumulators that add up. A job keeps tasks in three
   places: the reserve (a stack on the host), a pool on each device and, during a slice, a second
   buffer that receives spilled tasks. One step of a job is a round:

     refill   moves tasks from the reserve to the end of each pool, by the device's speed
     start    every worker takes tasks from the front until its budget is spent, then spills its
              search stack as tasks; the devices work in parallel
     collect  after the first slice ends: adds its totals and fetches its records. Its next pool holds
              spilled tasks first (deep and small: this keeps the pool small), then unclaimed
              ones. If another device has run dry, the last ones go to the reserve
     deliver  passes each record to the problem, which classifies it and calls the caller

   One thread serves all devices; a CPU among them ends its slice early when another device waits. A
   slice counts once it is collected, and a device never changes a slice's initial tasks, so
   checkpoints, stops and shards are exact. If a device fails, its memory is lost: the others resume
   from the last snapshot (a checkpoint in memory).

   Each file uses only those before it: job, check, reserve, records, worker; device, pool,
   slice, devices; checkpoint, snapshot, checkpoint_guard, file, merge; recover, verify, round, start, save;
   report, sample, progress, step, estimate, begin_end. */

/* ---- Results and statuses. */

COMBGPU__PRIVATE combgpu__result combgpu__as_result(combgpu_status status)
{
    return (combgpu__result)status;
}

COMBGPU__PRIVATE combgpu_status combgpu__as_status(combgpu__result result)
{
    if (result < 0) return (combgpu_status)result;
    return result == COMBGPU__DONE     ? COMBGPU_OK
           : result == COMBGPU__STOP   ? COMBGPU_STOPPED
           : result == COMBGPU__ENOUGH ? COMBGPU_FOUND
                                       : COMBGPU_RUNNING;
}

/* ---- What a problem reads and changes of its job. */

COMBGPU__PRIVATE combgpu__job_desc *combgpu__describe(combgpu_job *job)
{
    return &job->desc;
}

COMBGPU__PRIVATE const combgpu__job_desc *combgpu__desc(const combgpu_job *job)
{
    return &job->desc;
}

COMBGPU__PRIVATE combgpu_context *combgpu__context(const combgpu_job *job)
{
    return job->ctx;
}

COMBGPU__PRIVATE void *combgpu__state(const combgpu_job *job)
{
    return job->state;
}

COMBGPU__PRIVATE uint32_t *combgpu__tables(const combgpu_job *job)
{
    return job->tables;
}

COMBGPU__PRIVATE uint64_t *combgpu__accumulators(const combgpu_job *job)
{
    return job->accumulators;
}

COMBGPU__PRIVATE void combgpu__forget_accumulators(combgpu_job *job)
{
    memset(job->accumulators, 0, COMBGPU__ACCUMULATORS * sizeof *job->accumulators);
    job->steps_at_start = 0;
}

COMBGPU__PRIVATE int combgpu__first_slice(const combgpu_job *job)
{
    return !job->slices;
}

COMBGPU__PRIVATE int combgpu__shard(const combgpu_job *job)
{
    return job->run.shard_index;
}

COMBGPU__PRIVATE int combgpu__shards(const combgpu_job *job)
{
    return job->run.shard_count > 1 ? job->run.shard_count : 1;
}

COMBGPU__PRIVATE combgpu_status combgpu__outcome(const combgpu_job *job)
{
    const combgpu_status status =
        job->status == COMBGPU_FILE_ERROR ? job->file.unsaved : job->status;
    return status == COMBGPU_RUNNING ? COMBGPU_STOPPED : status;
}

COMBGPU__PRIVATE uint64_t combgpu__steps_here(const combgpu_job *job)
{
    return job->accumulators[0] - job->steps_at_start;
}

COMBGPU__PRIVATE combgpu_status combgpu__job_raw_tables(combgpu_job *job, size_t words)
{
    size_t bytes = combgpu__bytes(words, sizeof(uint32_t));
    combgpu__release(job->ctx, job->tables); /* a problem may try two forms */
    job->tables = (uint32_t *)combgpu__allocate(job->ctx, bytes);
    if (!job->tables) return combgpu__no_memory(job->ctx, bytes);
    job->tables_bytes = bytes;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__job_tables(combgpu_job *job, size_t words)
{
    size_t bytes = combgpu__bytes(words, sizeof(uint32_t));
    job->tables = (uint32_t *)combgpu__allocate_zeroed(job->ctx, bytes);
    if (!job->tables) return combgpu__no_memory(job->ctx, bytes);
    job->tables_bytes = bytes;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__job_trim_tables(combgpu_job *job, size_t words)
{
    job->tables_bytes = words * sizeof(uint32_t);
}

/* Returns whether the job failed. After a failed checkpoint write it can still be stepped. */
COMBGPU__PRIVATE int combgpu__job_failed(const combgpu_job *job)
{
    return job->status < 0 && job->status != COMBGPU_FILE_ERROR;
}

COMBGPU__PRIVATE combgpu_status combgpu__is_idle(combgpu_job *job)
{
    if (job->at_work == COMBGPU__IDLE) return COMBGPU_OK;
    return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                         "a callback cannot step, estimate or end its own job; return nonzero to "
                         "stop the job");
}

/* Adds the accumulators of another part of the search. */
COMBGPU__PRIVATE void combgpu__add_accumulators(const combgpu_job *job, uint64_t *to,
                                                const uint64_t *from)
{
    int i;
    if (job->desc.merge)
        job->desc.merge(job, to, from);
    else
        for (i = 0; i < COMBGPU__ACCUMULATORS; i++)
            to[i] += from[i];
}
