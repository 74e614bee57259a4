/* ---- a job begins and ends */

/* For an _end function: `is` says whether the job is one of its own. */
COMBGPU__PRIVATE combgpu_status combgpu__is_job(combgpu_job *job, int is, const char *begin)
{
    if (is) return COMBGPU_OK;
    return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                         "job is of the kind \"%s\", not one of %s", job->problem->name, begin);
}

/* The last call of a problem's begin: resumes or makes the frontier, prepares the device. */
COMBGPU__PRIVATE combgpu_status combgpu__job_start(combgpu_job *job)
{
    combgpu_status status = job->run.self_test ? combgpu_self_test(job->ctx) : COMBGPU_OK;
    int loaded = 0;
    if (status) return status;
    if (job->run.self_test) job->started = combgpu__now(); /* it is no part of the time limit */
    if (job->checkpoint_path) status = combgpu__checkpoint_lock(job);
    if (!status && job->checkpoint_path) status = combgpu__checkpoint_load(job, &loaded);
    if (!status && job->checkpoint_path) status = combgpu__checkpoint_try(job);
    if (!status && job->run.resume_data) {
        status = combgpu__deserialize(job, (const unsigned char *)job->run.resume_data,
                                      job->run.resume_bytes, "resume_data");
        loaded = 1;
    }
    if (!status && job->run.merge_paths) {
        status = combgpu__merge(job);
        loaded = 1;
    }
    if (!status && !loaded) status = job->problem->frontier(job);
    if (!status) status = combgpu__job_devices(job);
    if (!status) combgpu__deal(job);
    if (!status && (job->share_count > 1 || (job->checkpoint_path && !loaded)))
        status = job->first_tasks && !combgpu__pending(job) ? combgpu__first_snapshot(job)
                                                            : combgpu__snapshot(job);
    job->run.resume_data = NULL;
    return status;
}

/* Ends a begin: on failure frees the job, on success hands it out. */
COMBGPU__PRIVATE combgpu_status combgpu__job_begun(combgpu_job *job, combgpu_status status,
                                                   combgpu_job **out)
{
    *out = status ? NULL : job;
    if (status) combgpu_job_cancel(job);
    return status;
}

/* Frees everything; the problem's release comes first, while the state is whole. */
COMBGPU__DEF void combgpu_job_cancel(combgpu_job *job)
{
    combgpu_context *ctx;
    int i;
    if (!job) return;
    ctx = job->ctx;
    for (i = 0; i < job->share_count; i++)
        combgpu__share_close(job, &job->shares[i]);
    combgpu__share_close(job, &job->checker);
    if (job->state && job->problem->release) job->problem->release(job);
    combgpu__checkpoint_unlock(job);
    combgpu__release(ctx, job->shares);
    combgpu__release(ctx, job->reports);
    combgpu__keep_snapshot(job, NULL, 0);
    combgpu__release(ctx, job->state);
    combgpu__release(ctx, job->tables);
    combgpu__release(ctx, job->checkpoint_path);
    combgpu__release(ctx, job->reserve);
    combgpu__release(ctx, job->pending);
    combgpu__release(ctx, job);
}

/* Runs a begun job to its end; for the one-shot forms. */
COMBGPU__PRIVATE void combgpu__run(combgpu_job *job)
{
    while (combgpu_step(job) == COMBGPU_RUNNING) {
    }
}

