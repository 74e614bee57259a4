/* ---- Entry points: what every search's begin, end and one-shot call share. */

COMBGPU__PRIVATE combgpu_status combgpu__method_begin(combgpu_context *ctx,
                                                      const combgpu__search *search,
                                                      const combgpu__method *method,
                                                      const combgpu_run_desc *run,
                                                      const void *draft, combgpu_job **out)
{
    combgpu__job_desc desc = method->describe();
    combgpu_job *job;
    combgpu_status status;
    if (method->solve) desc.kernel.solve = method->solve;
    status = combgpu__job_create(ctx, &desc, method->state_bytes, run, &job);
    *out = NULL;
    if (status) return status;
    job->search = search;
    job->method = method;
    status = method->begin(job, draft);
    if (!status && job->desc.prepare) return combgpu__job_begun(job, combgpu__job_later(job), out);
    if (!status) status = combgpu__job_start(job);
    if (!status && method->begun) status = method->begun(job, draft);
    return combgpu__job_begun(job, status, out);
}

/* Begins by the first method that wants the draft and does not pass it on. */
COMBGPU__PRIVATE combgpu_status combgpu__search_dispatch(combgpu_context *ctx,
                                                         const combgpu__search *search,
                                                         const combgpu_run_desc *run, void *draft,
                                                         combgpu_job **out)
{
    const combgpu__method *method = search->methods;
    combgpu_status status = COMBGPU_RUNNING;
    for (; status == COMBGPU_RUNNING; method++)
        if (!method->wants || method->wants(draft))
            status = combgpu__method_begin(ctx, search, method, run, draft, out);
    if (!status && search->keep) status = search->keep(*out, draft);
    return status ? combgpu__job_begun(*out, status, out) : status;
}

COMBGPU__PRIVATE combgpu_status combgpu__search_begin(const combgpu__search *search,
                                                      combgpu_context *ctx, const void *desc,
                                                      combgpu_job **out)
{
    const combgpu_run_desc *run;
    void *draft;
    combgpu_status status;
    if (out) *out = NULL;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", desc ? "job" : "desc");
    status = combgpu__check_open(ctx);
    if (status) return status;
    ctx->message[0] = 0;
    run = (const combgpu_run_desc *)(const void *)((const char *)desc + search->run);
    draft = combgpu__allocate_zeroed(ctx, search->draft_bytes);
    if (!draft) return combgpu__no_memory(ctx, search->draft_bytes);
    status = combgpu__check_run(ctx, run);
    if (!status) status = search->check(ctx, desc, draft);
    if (!status) status = combgpu__search_dispatch(ctx, search, run, draft, out);
    if (search->forget) search->forget(ctx, draft);
    combgpu__release(ctx, draft);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__search_end(const combgpu__search *search, combgpu_job *job,
                                                    void *result)
{
    combgpu_run_info *info;
    combgpu_status status, failure;
    uint64_t checksum = 0;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_idle(job); /* a callback's _end */
    if (status) return status;
    if (job->search != search)
        return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                             "job is a \"%s\" job, not one of %s_begin", job->desc.name,
                             search->name);
    memset(result, 0, search->result_bytes);
    status = combgpu__outcome(job);
    failure = job->method->end(job, result, &checksum);
    info = (combgpu_run_info *)(void *)((char *)result + search->info);
    combgpu__run_info(job, checksum, info);
    if (failure) status = failure;
    if (status >= 0 && job->status == COMBGPU_FILE_ERROR) status = COMBGPU_FILE_ERROR;
    combgpu_job_cancel(job);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__search_once(const combgpu__search *search,
                                                     combgpu_context *ctx, const void *desc,
                                                     void *result)
{
    combgpu_job *job;
    combgpu_status status;
    memset(result, 0, search->result_bytes);
    status = combgpu__search_begin(search, ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu__search_end(search, job, result);
}
