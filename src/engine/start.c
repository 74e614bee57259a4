/* ---- Start of a job: its preparation, tasks, what it resumes, its devices. */

COMBGPU__PRIVATE combgpu_status combgpu__job_start(combgpu_job *job)
{
    combgpu_status status = combgpu__check_desc(job);
    double since = combgpu__now();
    int loaded = 0;
    if (!status && !job->desc.record) combgpu__without_records(&job->desc);
    if (!status && job->run.self_test) status = combgpu_self_test(job->ctx);
    if (status) return status;
    if (job->run.self_test)
        job->clock.started += combgpu__since(since); /* the time limit excludes the self-test */
    if (job->file.path) status = combgpu__checkpoint_claim(job);
    if (!status && job->file.path) status = combgpu__checkpoint_load(job, &loaded);
    if (!status && job->file.path) status = combgpu__checkpoint_try(job);
    if (!status && job->run.resume_data) {
        status = combgpu__deserialize(job, (const unsigned char *)job->run.resume_data,
                                      job->run.resume_bytes, "resume_data");
        loaded = 1;
    }
    if (!status && job->run.merge_paths) {
        status = combgpu__merge(job);
        loaded = 1;
    }
    if (!status && !loaded) status = job->desc.frontier(job);
    if (!status) status = combgpu__job_devices(job);
    if (!status) combgpu__deal(job);
    if (!status && (job->executor_count > 1 || (job->file.path && !loaded)))
        status = job->recovery.tasks && !combgpu__records_waiting(job)
                     ? combgpu__first_snapshot(job)
                     : combgpu__snapshot(job);
    job->run.resume_data = NULL;
    return status;
}

/* Prepares the job on, and starts it once that is done. Returns RUNNING or a failure. */
COMBGPU__PRIVATE combgpu_status combgpu__prepare(combgpu_job *job)
{
    combgpu_status status = job->desc.prepare(job);
    if (!status) {
        job->desc.prepare = NULL;
        status = combgpu__job_start(job);
        if (!status && job->method->begun) status = job->method->begun(job, NULL);
        if (!status) status = COMBGPU_RUNNING;
    }
    if (status < 0) job->status = status;
    return status;
}

/* Prepares the job to its end, so that it has tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__prepared(combgpu_job *job)
{
    combgpu_status status = COMBGPU_OK;
    while (status >= 0 && job->desc.prepare)
        status = combgpu__prepare(job);
    return status < 0 ? status : COMBGPU_OK;
}

/* Keeps for a later start what is read during begin alone; refuses a file that it would not resume. */
COMBGPU__PRIVATE combgpu_status combgpu__job_later(combgpu_job *job)
{
    const size_t bytes = job->run.resume_bytes;
    unsigned char *copy;
    combgpu_status status = COMBGPU_OK;
    int loaded;
    if (job->run.merge_paths) return combgpu__prepared(job);
    if (job->file.path && !job->run.resume) status = combgpu__checkpoint_load(job, &loaded);
    if (status || !bytes) return status;
    copy = (unsigned char *)combgpu__allocate(job->ctx, bytes);
    if (!copy) return combgpu__no_memory(job->ctx, bytes);
    memcpy(copy, job->run.resume_data, bytes);
    job->run.resume_data = copy;
    combgpu__keep_snapshot(job, copy, bytes);
    return COMBGPU_OK;
}
