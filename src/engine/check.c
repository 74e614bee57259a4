/* ---- Checks of the caller's run description and of the problem's job description. */

#define COMBGPU__MAX_SLICE_MS 500.0

COMBGPU__PRIVATE combgpu_status combgpu__check_open(combgpu_context *ctx)
{
    if (ctx->backend) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                         "the context is not open: combgpu_open failed");
}

/* Checks the seconds and parts of a description. */
COMBGPU__PRIVATE combgpu_status combgpu__check_numbers(combgpu_context *ctx,
                                                       const combgpu_run_desc *run)
{
    const struct {
        const char *name, *range;
        double value, most; /* 0: no limit */
    } numbers[] = {
        {"time_limit_s", "0 (no limit) or more", run->time_limit_s, 0},
        {"slice_limit_s", "0 (default) or more", run->slice_limit_s, 0},
        {"verify_share", "0 (default, 0.01) to 1", run->verify_share, 1},
        {"progress_interval_s", "0 (default) or more", run->progress_interval_s, 0},
    };
    size_t i;
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!(numbers[i].value >= 0) || (numbers[i].most > 0 && numbers[i].value > numbers[i].most))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "run.%s is %g; it may be %s",
                                 numbers[i].name, numbers[i].value, numbers[i].range);
    if (!(run->slice_ms == 0 || (run->slice_ms >= 1 && run->slice_ms <= COMBGPU__MAX_SLICE_MS)))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.slice_ms is %g; it may be 0 (default) or 1 to %g", run->slice_ms,
                             COMBGPU__MAX_SLICE_MS);
    if (run->checkpoint_interval_s != run->checkpoint_interval_s)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.checkpoint_interval_s is %g; it may be 0 (default), more, or "
                             "negative (never)",
                             run->checkpoint_interval_s);
    return COMBGPU_OK;
}

/* Checks what a search resumes, and its checkpoint. */
COMBGPU__PRIVATE combgpu_status combgpu__check_resume(combgpu_context *ctx,
                                                      const combgpu_run_desc *run)
{
    if (run->resume && !run->checkpoint_path && !run->resume_data)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.resume is set, but run.checkpoint_path names no file");
    if (run->checkpoint_path && !*run->checkpoint_path)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "run.checkpoint_path is empty; it may be NULL (none) or the name of a file");
    if (!run->resume_data && run->resume_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.resume_data is NULL, but run.resume_bytes is %llu",
                             (unsigned long long)run->resume_bytes);
    if (run->resume_data && !run->resume_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.resume_bytes is 0; it must be the size of run.resume_data");
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__check_merge(combgpu_context *ctx,
                                                     const combgpu_run_desc *run)
{
    int k;
    if (run->merge_count < 0 || !run->merge_paths != !run->merge_count)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "run.merge_count is %d and run.merge_paths is %s; both are set or neither",
            run->merge_count, run->merge_paths ? "set" : "NULL");
    for (k = 0; k < run->merge_count; k++)
        if (!run->merge_paths[k])
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "run.merge_paths[%d] is NULL; it must name a shard's checkpoint",
                                 k);
    if (run->merge_count && (run->shard_count > 1 || run->checkpoint_path || run->resume_data))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.%s is set; run.merge_paths merges shards without it",
                             run->shard_count > 1   ? "shard_count"
                             : run->checkpoint_path ? "checkpoint_path"
                                                    : "resume_data");
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__check_run(combgpu_context *ctx,
                                                   const combgpu_run_desc *run)
{
    int shards = run->shard_count ? run->shard_count : 1;
    combgpu_status status;
    if (run->shard_count < 0)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.shard_count is %d; it may be 0 (the whole) or more",
                             run->shard_count);
    if (run->shard_index < 0 || run->shard_index >= shards)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.shard_index is %d; with run.shard_count %d it may be 0 to %d",
                             run->shard_index, run->shard_count, shards - 1);
    status = combgpu__check_numbers(ctx, run);
    if (!status) status = combgpu__check_resume(ctx, run);
    if (!status) status = combgpu__check_merge(ctx, run);
    if (status) return status;
#ifdef COMBGPU_NO_STDIO
    if (run->checkpoint_path || run->merge_paths)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "run.%s is set, but this build (COMBGPU_NO_STDIO) has no files; use "
                             "combgpu_save",
                             run->checkpoint_path ? "checkpoint_path" : "merge_paths");
#endif
#ifdef COMBGPU_NO_SELF_TEST
    if (run->self_test || run->verify)
        return combgpu__fail(
            ctx, COMBGPU_UNSUPPORTED,
            "run.%s is set, but this build (COMBGPU_NO_SELF_TEST) can neither test nor verify",
            run->self_test ? "self_test" : "verify");
#endif
    return COMBGPU_OK;
}

/* Checks a problem's description; src/README.md lists its mandatory fields. A failure is a bug in
   the library. */
COMBGPU__PRIVATE combgpu_status combgpu__check_desc(combgpu_job *job)
{
    const combgpu__job_desc *desc = &job->desc;
    const combgpu__kernel *kernel = &desc->kernel;
    const char *wrong =
        !desc->name            ? "name is NULL"
        : !desc->frontier      ? "frontier is NULL"
        : !desc->validate_task ? "validate_task is NULL"
        : !desc->record != !desc->validate_record
            ? "record or validate_record is NULL; both are set, or "
              "neither if there are no records"
        : desc->record && !desc->record_words     ? "record_words is 0"
        : !desc->task_words                       ? "task_words is 0"
        : !desc->parameters[0] && !desc->identify ? "parameters is empty; it must identify the job"
        : !kernel->solve && !kernel->name         ? "kernel.solve and kernel.name are NULL"
        : kernel->lanes_per_worker < 1 || kernel->lanes_per_worker > 256 ||
                kernel->lanes_per_worker & (kernel->lanes_per_worker - 1)
            ? "kernel.lanes_per_worker is no power of 2 up to 256"
        : kernel->lanes_per_block < 1 || kernel->lanes_per_block % kernel->lanes_per_worker
            ? "kernel.lanes_per_block is no multiple of lanes_per_worker"
        : kernel->left_per_worker < 1                   ? "kernel.left_per_worker is 0"
        : desc->range_tasks && desc->task_words < 4     ? "range_tasks needs 4 words"
        : desc->slice_accumulators && !desc->slice_done ? "slice_accumulators needs slice_done"
        : !memchr(desc->parameters, 0, sizeof desc->parameters) ? "parameters has no end"
                                                                : NULL;
    if (wrong)
        return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "description of \"%s\": %s",
                             desc->name ? desc->name : "", wrong);
    return COMBGPU_OK;
}
