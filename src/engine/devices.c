/* ---- Opens, changes and closes all executors of a job. */

COMBGPU__PRIVATE uint64_t combgpu__tasks_left(const combgpu_job *job)
{
    uint64_t count = job->reserve.count;
    int i;
    for (i = 0; i < job->executor_count; i++)
        count += job->executors[i].pool_count;
    return count;
}

/* Returns whether the job verifies tasks. */
COMBGPU__PRIVATE int combgpu__verifies(const combgpu_job *job)
{
    return job->run.verify && !job->desc.one_device && !job->desc.unsteady;
}

/* Warns before the run that run.verify has no effect on this search. */
COMBGPU__PRIVATE void combgpu__warn_unverified(const combgpu_job *job)
{
    if (job->run.verify && !combgpu__verifies(job))
        combgpu__log(job->ctx, COMBGPU_LOG_WARNING,
                     "%s is not verified: run.verify does not apply, because its %s; a device that "
                     "computes wrong results may go unnoticed",
                     job->desc.name,
                     job->desc.one_device ? "tasks share one device's memory"
                                          : "tasks prune each other and differ from run to run");
}

/* Waits for a running slice, ignores its result, and frees the executor. */
COMBGPU__PRIVATE void combgpu__executor_close(combgpu_job *job, combgpu__executor *executor)
{
    if (!executor->backend) return;
    if (executor->running) (void)combgpu__slice_wait(job, executor);
    if (executor->ready) combgpu__executor_release(executor);
    if (executor->program && executor->lost != COMBGPU__HUNG)
        executor->backend->forget(executor->ctx, executor->program);
    memset(executor, 0, sizeof *executor);
}

COMBGPU__PRIVATE void combgpu__job_close_devices(combgpu_job *job)
{
    int i;
    for (i = 0; i < job->executor_count; i++)
        combgpu__executor_close(job, &job->executors[i]);
    combgpu__executor_close(job, &job->verify.checker);
    combgpu__release(job->ctx, job->executors);
    combgpu__release(job->ctx, job->reports);
    job->executors = NULL;
    job->reports = NULL;
    job->executor_count = 0;
}

typedef struct combgpu__warming {
    const combgpu__backend *const *backends;
    const int *indices;
    const combgpu__kernel *kernel;
} combgpu__warming;

COMBGPU__PRIVATE void combgpu__warm_one(void *user, int i, int thread)
{
    const combgpu__warming *w = (const combgpu__warming *)user;
    (void)thread;
    if (w->backends[i] && w->backends[i]->warm) w->backends[i]->warm(w->indices[i], w->kernel);
}

COMBGPU__PRIVATE void combgpu__warm(combgpu_context *ctx, const combgpu__backend *const *backends,
                                    const int *indices, int count, const combgpu__kernel *kernel)
{
    combgpu__warming warming;
    warming.backends = backends;
    warming.indices = indices;
    warming.kernel = kernel;
    if (count > 1 && combgpu__threads(ctx) > 1)
        combgpu__loop_apart(ctx, count, combgpu__warm_one, &warming);
}

/* Opens an executor on every device of the context, or on the first alone. */
COMBGPU__PRIVATE combgpu_status combgpu__job_devices(combgpu_job *job)
{
    combgpu_context *ctx = job->ctx;
    const combgpu__backend *backends[COMBGPU_MAX_DEVICES];
    int indices[COMBGPU_MAX_DEVICES];
    int only = job->desc.one_device || !job->desc.kernel.name, i;
    int count = only ? 1 : 1 + ctx->other_count;
    size_t bytes = (size_t)count * sizeof *job->executors;
    combgpu_status status = COMBGPU_OK, failed = COMBGPU_OK;
    if (job->desc.record_capacity < 1) job->desc.record_capacity = 1;
    job->executors = (combgpu__executor *)combgpu__allocate_zeroed(ctx, bytes);
    job->reports = (combgpu_device_report *)combgpu__allocate_zeroed(ctx, (size_t)count *
                                                                              sizeof *job->reports);
    if (!job->executors || !job->reports) return combgpu__no_memory(ctx, bytes);
    if (only && ctx->other_count)
        combgpu__log(ctx, COMBGPU_LOG_INFO, "%s: this search uses one device; %d more stay idle",
                     job->desc.name, ctx->other_count);
    for (i = 0; i < count; i++) {
        const combgpu_context *device = i ? ctx->others[i - 1] : ctx;
        backends[i] = device->lost || !job->desc.kernel.name ? NULL : device->backend;
        indices[i] = device->device.index;
    }
    combgpu__warm(ctx, backends, indices, count, &job->desc.kernel);
    for (i = 0; i < count && !status; i++) {
        combgpu_context *device = i ? ctx->others[i - 1] : ctx;
        combgpu__executor *executor = &job->executors[job->executor_count];
        if (device->lost && job->desc.kernel.name) {
            failed =
                combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "%s device %d (%s) was lost before",
                              device->backend->name, device->device.index, device->device.name);
            continue;
        }
        job->executor_count++;
        status = combgpu__executor_open(job, executor, device,
                                        job->desc.kernel.name ? device->backend : ctx->host);
        if (status && device != ctx) memcpy(ctx->message, device->message, sizeof ctx->message);
    }
    if (!status && !job->executor_count) status = failed;
    if (!status) combgpu__warn_unverified(job);
    if (!status && combgpu__verifies(job) && job->desc.kernel.solve)
        status = combgpu__executor_open(job, &job->verify.checker, ctx, ctx->host);
    if (status) return status;
    job->budget = job->executors[0].budget;
    return combgpu__pending_room(job, job->desc.record_capacity);
}

/* ---- What a problem changes and reads. */

COMBGPU__PRIVATE uint32_t combgpu__most_workers(const combgpu_job *job)
{
    uint32_t most = job->verify.checker.workers;
    int i;
    for (i = 0; i < job->executor_count; i++)
        if (job->executors[i].workers > most) most = job->executors[i].workers;
    return most;
}

COMBGPU__PRIVATE uint32_t combgpu__budget(const combgpu_job *job)
{
    return job->budget;
}

COMBGPU__PRIVATE void combgpu__set_budget(combgpu_job *job, uint32_t budget)
{
    job->budget = budget;
}

COMBGPU__PRIVATE void combgpu__raise_budgets(combgpu_job *job, uint32_t least)
{
    int i;
    if (job->budget < least) job->budget = least;
    for (i = 0; i < job->executor_count; i++)
        if (job->executors[i].budget < least) job->executors[i].budget = least;
}

COMBGPU__PRIVATE void combgpu__change_kernel(combgpu_job *job, const combgpu__kernel *kernel)
{
    if (job->change.done) return;
    job->change.kernel = *kernel;
    job->change.due = 1;
}

COMBGPU__PRIVATE void combgpu__change_tables(combgpu_job *job, size_t at, const uint32_t *words,
                                             size_t count)
{
    int i;
    memcpy(job->tables + at, words, count * sizeof *words);
    for (i = 0; i < job->executor_count; i++) {
        combgpu__executor *executor = &job->executors[i];
        int changed = executor->changed_end > executor->changed;
        if (!changed || at < executor->changed) executor->changed = at;
        if (!changed || at + count > executor->changed_end) executor->changed_end = at + count;
    }
}

COMBGPU__PRIVATE combgpu_status combgpu__fill_work(combgpu_job *job, const void *from, size_t bytes)
{
    combgpu_status status = COMBGPU_OK;
    int i;
    for (i = 0; i < job->executor_count && !status; i++)
        status = combgpu__slice_write(&job->executors[i], from, bytes);
    return status;
}

COMBGPU__PRIVATE uint32_t combgpu__pool_room(const combgpu_job *job)
{
    return job->executors->pool_capacity;
}
