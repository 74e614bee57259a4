/* =================================================================== SECTION 11: the engine == */
/* A search is a pool of independent tasks and sums that add up. A job keeps tasks in three places:
   `reserve` (a stack on the host), a pool on each device, and, during a slice, the other half of that
   pool, which receives left-over tasks. One step of a job is a round:

     feed     move tasks from the reserve to the end of a device's pool, as many as its speed deserves
     start    every worker takes tasks from the front until its budget of steps is used up, then
              gives back its whole search stack as tasks. The devices work side by side
     collect  when the first one has ended: add the totals, fetch the records; left-over tasks come
              first in its next pool (they are the deep, small ones: this keeps the pool small), then
              those nobody began. If another device has run dry, the last ones go to the reserve
     deliver  hand each record to the problem, which classifies it and calls the caller

   One thread serves all devices; a CPU among them ends its slice when another device waits. What a
   slice did counts once it is collected, and a device never changes the tasks that a slice began
   with, so a checkpoint, a stop or a shard is exact. If a device fails, its memory is lost: the job
   goes on from the last snapshot (a checkpoint in memory) with the others.

   In this order: a job and its tasks; devices, pool, slice; checkpoints, files, shards merged; what if
   a device fails; verification; rounds; progress from samples; a step; estimates; begin and end. */

/* What problem->record returns for a record that must wait: it and those after it come again after the
   next slice, with that one's records behind them. */
#define COMBGPU__LATER ((combgpu_status)4)
#define COMBGPU__DEFAULT_SLICE_MS 50.0
#define COMBGPU__MAX_SLICE_MS 500.0
/* When a quarter of the workers have found no task, the others split their stacks early, once they
   have done this part of their budget: else a few large sub-trees keep a device idle for a slice. */
#define COMBGPU__HUNGRY_SHARE 16
#define COMBGPU__SLICE_LIMIT_S 60.0

/* Checks the run part of a description. */
COMBGPU__PRIVATE combgpu_status combgpu__check_run(combgpu_context *ctx,
                                                   const combgpu_run_desc *run)
{
    int shards = run->shard_count ? run->shard_count : 1;
    if (run->shard_count < 0)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.shard_count is %d; it may be 0 (the whole) or more",
                             run->shard_count);
    if (run->shard_index < 0 || run->shard_index >= shards)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.shard_index is %d; with shard_count %d it may be 0 to %d",
                             run->shard_index, run->shard_count, shards - 1);
    if (!(run->time_limit_s >= 0))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.time_limit_s is %g; it may be 0 (no limit) or more",
                             run->time_limit_s);
    if (!(run->slice_ms == 0 || (run->slice_ms >= 1 && run->slice_ms <= COMBGPU__MAX_SLICE_MS)))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.slice_ms is %g; it may be 0 (default) or 1 to %g", run->slice_ms,
                             COMBGPU__MAX_SLICE_MS);
    if (!(run->slice_limit_s >= 0))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.slice_limit_s is %g; it may be 0 (default) or more",
                             run->slice_limit_s);
    if (!(run->verify_share >= 0 && run->verify_share <= 1))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.verify_share is %g; it may be 0 (default, 0.01) to 1",
                             run->verify_share);
    if (!(run->progress_interval_s >= 0))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.progress_interval_s is %g; it may be 0 (default) or more",
                             run->progress_interval_s);
    if (!(run->checkpoint_interval_s >= 0))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.checkpoint_interval_s is %g; it may be 0 (default) or more",
                             run->checkpoint_interval_s);
    if (run->resume && !run->checkpoint_path && !run->resume_data)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.resume is set, but run.checkpoint_path names no file");
    if (run->checkpoint_path && !*run->checkpoint_path)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.checkpoint_path is empty; it may be NULL (none) or a file");
    if (!run->resume_data && run->resume_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.resume_data is NULL, but run.resume_bytes is %llu",
                             (unsigned long long)run->resume_bytes);
    if (run->resume_data && !run->resume_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.resume_bytes is 0; it must be the size of run.resume_data");
    if (run->merge_count < 0 || !run->merge_paths != !run->merge_count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.merge_count is %d, and run.merge_paths is %s", run->merge_count,
                             run->merge_paths ? "set" : "NULL");
    if (run->merge_count && (run->shard_count > 1 || run->checkpoint_path || run->resume_data))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.%s is set; shards are merged to the whole, without a checkpoint",
                             run->shard_count > 1   ? "shard_count"
                             : run->checkpoint_path ? "checkpoint_path"
                                                    : "resume_data");
#ifdef COMBGPU_NO_STDIO
    if (run->checkpoint_path || run->merge_paths)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "run.%s is set, but this build (COMBGPU_NO_STDIO) has no files; use "
                             "combgpu_save",
                             run->checkpoint_path ? "checkpoint_path" : "merge_paths");
#endif
    return COMBGPU_OK;
}

/* Makes an empty job with a zeroed state. The problem then sets kernel, tables, task_words,
   record_words, record_capacity, work_bytes_* and parameters, and calls combgpu__job_start. */
COMBGPU__PRIVATE combgpu_status combgpu__job_create(combgpu_context *ctx,
                                                    const combgpu__problem *problem,
                                                    size_t state_bytes, const combgpu_run_desc *run,
                                                    combgpu_job **out)
{
    combgpu_job *job;
    combgpu_status status;
    *out = NULL;
    if (!ctx->backend)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "the context is not open: combgpu_open failed");
    ctx->message[0] = 0;
    status = combgpu__check_run(ctx, run);
    if (status) return status;
    job = (combgpu_job *)combgpu__allocate_zeroed(ctx, sizeof *job);
    if (!job) return combgpu__no_memory(ctx, sizeof *job);
    job->ctx = ctx;
    job->problem = problem;
    job->run = *run;
    job->status = COMBGPU_RUNNING;
    job->started = job->last_progress = job->last_checkpoint = combgpu__now();
    job->state = combgpu__allocate_zeroed(ctx, state_bytes);
    if (run->checkpoint_path) {
        size_t bytes = strlen(run->checkpoint_path) + 1;
        job->checkpoint_path = (char *)combgpu__allocate(ctx, bytes);
        if (job->checkpoint_path) memcpy(job->checkpoint_path, run->checkpoint_path, bytes);
    }
    job->run.checkpoint_path = job->checkpoint_path;
    if (!job->state || (run->checkpoint_path && !job->checkpoint_path)) {
        combgpu_job_cancel(job);
        return combgpu__no_memory(ctx, state_bytes);
    }
    *out = job;
    return COMBGPU_OK;
}

/* Allocates job->tables, zeroed. */
COMBGPU__PRIVATE combgpu_status combgpu__job_tables(combgpu_job *job, size_t words)
{
    size_t bytes = combgpu__bytes(words, sizeof(uint32_t));
    job->tables = (uint32_t *)combgpu__allocate_zeroed(job->ctx, bytes);
    if (!job->tables) return combgpu__no_memory(job->ctx, bytes);
    job->tables_bytes = bytes;
    return COMBGPU_OK;
}

/* Makes room for `more` tasks on the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__reserve_room(combgpu_job *job, size_t more)
{
    size_t capacity = job->reserve_capacity, bytes;
    uint32_t *grown;
    if (more > SIZE_MAX / 2 - job->reserve_count) return combgpu__no_memory(job->ctx, SIZE_MAX);
    if (job->reserve_count + more <= capacity) return COMBGPU_OK;
    if (capacity < 64) capacity = 64;
    while (capacity < job->reserve_count + more)
        capacity *= 2;
    bytes = combgpu__bytes(capacity, job->task_words * sizeof(uint32_t));
    grown = (uint32_t *)combgpu__allocate(job->ctx, bytes);
    if (!grown) return combgpu__no_memory(job->ctx, bytes);
    if (job->reserve_count)
        memcpy(grown, job->reserve, job->reserve_count * job->task_words * sizeof(uint32_t));
    combgpu__release(job->ctx, job->reserve);
    job->reserve = grown;
    job->reserve_capacity = capacity;
    return COMBGPU_OK;
}

/* For problem->frontier: one task. Keeps it if it is this shard's. */
COMBGPU__PRIVATE combgpu_status combgpu__push(combgpu_job *job, const uint32_t *task)
{
    uint64_t shards = job->run.shard_count > 1 ? (uint64_t)job->run.shard_count : 1;
    uint64_t number = job->frontier_count++;
    combgpu_status status;
    if (number % shards != (uint64_t)job->run.shard_index) return COMBGPU_OK;
    status = combgpu__reserve_room(job, 1);
    if (status) return status;
    memcpy(job->reserve + job->reserve_count * job->task_words, task,
           job->task_words * sizeof(uint32_t));
    job->reserve_count++;
    job->frontier_mine++;
    job->fresh_reserve++;
    return COMBGPU_OK;
}

/* For problems whose tasks are ranges [begin, end) of 64-bit numbers, four words: pushes [begin,
   end) in equal pieces, the last one shorter. */
COMBGPU__PRIVATE combgpu_status combgpu__push_range(combgpu_job *job, uint64_t begin, uint64_t end,
                                                    uint64_t pieces)
{
    uint64_t total = end - begin, size = total / pieces + (total % pieces != 0);
    combgpu_status status = COMBGPU_OK;
    while (begin < end && !status) {
        uint32_t task[4];
        uint64_t stop = end - begin > size ? begin + size : end;
        combgpu__put64(task, begin);
        combgpu__put64(task + 2, stop);
        status = combgpu__push(job, task);
        begin = stop;
    }
    return status;
}

/* What the job's sums were are now `sums`, and the other way round. */
COMBGPU__PRIVATE void combgpu__swap_sums(combgpu_job *job, uint64_t *sums)
{
    int i;
    for (i = 0; i < COMBGPU__SUMS; i++) {
        uint64_t kept = job->sums[i];
        job->sums[i] = sums[i];
        sums[i] = kept;
    }
}

/* Adds what another part of the search came to. */
COMBGPU__PRIVATE void combgpu__add_sums(combgpu_job *job, uint64_t *to, const uint64_t *from)
{
    int i;
    for (i = 0; i < COMBGPU__SUMS && !job->merge; i++)
        to[i] += from[i];
    if (!job->merge) return;
    if (to != job->sums) combgpu__swap_sums(job, to);
    job->merge(job, from);
    if (to != job->sums) combgpu__swap_sums(job, to);
}

