/* ---- the devices of a job: each has a share of the pool in its own memory */

COMBGPU__PRIVATE combgpu_status combgpu__slice_wait(combgpu_job *job, combgpu__share *share);
COMBGPU__PRIVATE combgpu_status combgpu__share_done(combgpu_job *job, combgpu__share *share);
COMBGPU__PRIVATE const combgpu__backend *combgpu__backend_of(combgpu_backend id);

/* "cuda device 1 (NVIDIA H200)", for messages. */
typedef struct combgpu__text {
    char text[192];
} combgpu__text;
COMBGPU__PRIVATE combgpu__text combgpu__share_name(const combgpu__share *share)
{
    combgpu__text name;
    if (share->backend->id == COMBGPU_BACKEND_CPU)
        snprintf(name.text, sizeof name.text, "cpu");
    else
        snprintf(name.text, sizeof name.text, "%s device %d (%.127s)", share->backend->name,
                 share->ctx->device.index, share->ctx->device.name);
    return name;
}

/* Tasks that wait, here and on the devices; those of a slice that runs are counted as it began. */
COMBGPU__PRIVATE uint64_t combgpu__tasks_left(const combgpu_job *job)
{
    uint64_t count = job->reserve_count;
    int i;
    for (i = 0; i < job->share_count; i++)
        count += job->shares[i].pool_count;
    return count;
}

/* Of the frontier's tasks, those that nobody has begun. */
COMBGPU__PRIVATE uint64_t combgpu__tasks_fresh(const combgpu_job *job)
{
    uint64_t count = job->fresh_reserve;
    int i;
    for (i = 0; i < job->share_count; i++)
        count += job->shares[i].fresh;
    return count;
}

/* The most tasks that a worker gives back in a slice. */
COMBGPU__PRIVATE uint32_t combgpu__left_each(const combgpu_job *job, const combgpu__share *share)
{
    int on_device = share->backend->id != COMBGPU_BACKEND_CPU && job->left_on_device;
    return (uint32_t)(on_device ? job->left_on_device : job->kernel.left_per_worker);
}

/* Room for all that a slice can give back. */
COMBGPU__PRIVATE uint32_t combgpu__left_room(const combgpu_job *job, const combgpu__share *share)
{
    return share->workers * combgpu__left_each(job, share);
}

/* Chooses the pool's size: fewer workers rather than more memory than there may be. */
COMBGPU__PRIVATE combgpu_status combgpu__share_size(combgpu_job *job, combgpu__share *share,
                                                    size_t bytes[6])
{
    combgpu_context *ctx = share->ctx;
    size_t task_bytes = job->task_words * sizeof(uint32_t), per_worker = job->work_bytes_per_worker;
    uint64_t limit = share->backend != ctx->backend ? 0 /* it is the device's, not the host's */
                     : ctx->desc.memory_limit       ? ctx->desc.memory_limit
                                                    : ctx->free_bytes / 2;
    uint64_t left, feed, need, room;
    int fits, tight = 0;
    if (share->backend->id == COMBGPU_BACKEND_CPU && job->cpu_work_bytes_per_worker)
        per_worker = job->cpu_work_bytes_per_worker;
    bytes[4] = combgpu__bytes(job->record_capacity, job->record_words * sizeof(uint32_t));
    for (;;) {
        left = (uint64_t)share->workers * combgpu__left_each(job, share);
        feed = (uint64_t)share->workers * (tight ? 2 : 8);
        if (feed < 1024) feed = 1024;
        room = left + (tight ? left / 4 : left) + feed;
        need = 2 * room * task_bytes + job->tables_bytes + bytes[4] +
               (uint64_t)share->workers * per_worker + job->work_bytes_shared;
        fits = room <= UINT32_MAX && need <= SIZE_MAX / 2 && (!limit || need <= limit);
        if (fits && (!job->memory_aim || need <= job->memory_aim)) break;
        if (share->workers == 1) break;
        if (job->memory_aim && !tight)
            tight = 1; /* a smaller pool, of which more is moved to the host */
        else
            share->workers = job->memory_aim ? (uint32_t)((uint64_t)share->workers * 7 / 8)
                                             : (share->workers + 1) / 2;
    }
    if (!fits)
        return combgpu__fail(ctx, COMBGPU_DEVICE_OUT_OF_MEMORY,
                             "the search needs %llu bytes on the device and may use %llu "
                             "(memory_limit, or half of what is free)",
                             (unsigned long long)need,
                             (unsigned long long)(limit ? limit : SIZE_MAX / 2));
    share->pool_capacity = (uint32_t)room;
    bytes[0] = sizeof(combgpu__slice);
    bytes[1] = job->tables_bytes;
    bytes[2] = bytes[3] = combgpu__bytes(share->pool_capacity, task_bytes);
    bytes[5] = (size_t)share->workers * per_worker + job->work_bytes_shared;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__share_release(combgpu__share *share)
{
    int i;
    for (i = 0; i < 6 && share->lost != COMBGPU__HUNG; i++) { /* a hung device never answers */
        if (i != COMBGPU__WORK || !share->keeps_work)
            share->backend->release(share->ctx, &share->memory[i]);
        share->memory[i].handle = NULL;
    }
}

/* Allocates a share's device memory. Where there is too little, the pool shrinks with the number of
   workers. */
COMBGPU__PRIVATE combgpu_status combgpu__share_allocate(combgpu_job *job, combgpu__share *share)
{
    size_t bytes[6];
    combgpu_status status;
    int i;
    for (;;) {
        status = combgpu__share_size(job, share, bytes);
        if (status) return status;
        for (i = 0; i < 6 && !status; i++)
            if (i == COMBGPU__WORK && job->caller_work.handle) {
                share->memory[i] = job->caller_work;
                share->keeps_work = 1;
            } else
                status = share->backend->allocate(share->ctx, bytes[i], &share->memory[i]);
        if (status != COMBGPU_DEVICE_OUT_OF_MEMORY || share->workers == 1) break;
        combgpu__share_release(share);
        share->workers = (share->workers + 1) / 2;
        combgpu__log(share->ctx, COMBGPU_LOG_WARNING, "%s: out of memory: going on with %u workers",
                     combgpu__share_name(share).text, share->workers);
        share->ctx->message[0] = 0;
    }
    if (!status && job->tables_bytes)
        status = share->backend->upload(share->ctx, &share->memory[COMBGPU__TABLES], 0, job->tables,
                                        job->tables_bytes);
    return status;
}

/* Makes a device ready for the job: builds the kernel, allocates. */
COMBGPU__PRIVATE combgpu_status combgpu__share_open(combgpu_job *job, combgpu__share *share,
                                                    combgpu_context *ctx,
                                                    const combgpu__backend *backend)
{
    combgpu_status status;
    share->ctx = ctx;
    share->backend = backend;
    status = backend->prepare(ctx, &job->kernel, &share->program, &share->workers);
    if (status) return status;
    share->ready = 1;
    share->budget = job->kernel.first_budget ? job->kernel.first_budget : 256;
    return combgpu__share_allocate(job, share);
}

/* Waits until a running slice has ended, whatever became of it. */
COMBGPU__PRIVATE void combgpu__share_close(combgpu_job *job, combgpu__share *share)
{
    if (!share->backend) return;
    if (share->running) (void)combgpu__slice_wait(job, share);
    if (share->ready) combgpu__share_release(share);
    if (share->program && share->lost != COMBGPU__HUNG)
        share->backend->forget(share->ctx, share->program);
    memset(share, 0, sizeof *share);
}

/* Room for `more` records behind those that wait for delivery. */
COMBGPU__PRIVATE combgpu_status combgpu__pending_room(combgpu_job *job, size_t more)
{
    size_t waiting = job->pending_count - job->pending_next, bytes;
    size_t words = job->record_words;
    uint32_t *grown;
    if (job->pending_next && waiting) /* often there are none */
        memmove(job->pending, job->pending + job->pending_next * words,
                waiting * words * sizeof(uint32_t));
    job->pending_next = 0;
    job->pending_count = waiting;
    if (waiting + more <= job->pending_capacity) return COMBGPU_OK;
    bytes = combgpu__bytes(waiting + more, words * sizeof(uint32_t));
    grown = (uint32_t *)combgpu__allocate(job->ctx, bytes);
    if (!grown) return combgpu__no_memory(job->ctx, bytes);
    if (waiting) memcpy(grown, job->pending, waiting * words * sizeof(uint32_t));
    combgpu__release(job->ctx, job->pending);
    job->pending = grown;
    job->pending_capacity = waiting + more;
    return COMBGPU_OK;
}

/* Can and shall the job be verified? */
COMBGPU__PRIVATE int combgpu__verifies(const combgpu_job *job)
{
    return job->run.verify && !job->one_device && !job->unsteady;
}

/* For what the host keeps of each worker. */
COMBGPU__PRIVATE uint32_t combgpu__most_workers(const combgpu_job *job)
{
    uint32_t most = job->checker.workers;
    int i;
    for (i = 0; i < job->share_count; i++)
        if (job->shares[i].workers > most) most = job->shares[i].workers;
    return most;
}

/* What takes long in the opening of several devices, side by side. */
COMBGPU__PRIVATE void combgpu__warm(const combgpu_context *ctx,
                                    const combgpu__backend *const *backends, const int *indices,
                                    int count, const combgpu__kernel *kernel)
{
#ifdef _OPENMP
    int i;
    if (count < 2 || ctx->desc.threads == 1) return;
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (i = 0; i < count; i++)
        if (backends[i] && backends[i]->warm) backends[i]->warm(indices[i], kernel);
#else
    (void)ctx, (void)backends, (void)indices, (void)count, (void)kernel;
#endif
}

/* Opens the job's devices: all of the context's, or the first alone. */
COMBGPU__PRIVATE combgpu_status combgpu__job_devices(combgpu_job *job)
{
    combgpu_context *ctx = job->ctx;
    const combgpu__backend *backends[COMBGPU_MAX_DEVICES];
    int indices[COMBGPU_MAX_DEVICES];
    int only = job->one_device || !job->kernel.name, i;
    int count = only ? 1 : 1 + ctx->other_count;
    size_t bytes = (size_t)count * sizeof *job->shares;
    combgpu_status status = COMBGPU_OK, failed = COMBGPU_OK;
    if (job->record_capacity < 1) job->record_capacity = 1;
    job->shares = (combgpu__share *)combgpu__allocate_zeroed(ctx, bytes);
    job->reports = (combgpu_device_report *)combgpu__allocate_zeroed(ctx, (size_t)count *
                                                                              sizeof *job->reports);
    if (!job->shares || !job->reports) return combgpu__no_memory(ctx, bytes);
    if (only && ctx->other_count)
        combgpu__log(ctx, COMBGPU_LOG_INFO,
                     "%s: this search uses one device; the other %d have no part in it",
                     job->problem->name, ctx->other_count);
    for (i = 0; i < count; i++) {
        const combgpu_context *member = i ? ctx->others[i - 1] : ctx;
        backends[i] = member->lost || !job->kernel.name ? NULL : member->backend;
        indices[i] = member->device.index;
    }
    combgpu__warm(ctx, backends, indices, count, &job->kernel);
    for (i = 0; i < count && !status; i++) {
        combgpu_context *member = i ? ctx->others[i - 1] : ctx;
        combgpu__share *share = &job->shares[job->share_count];
        if (member->lost && job->kernel.name) {
            failed =
                combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "%s device %d (%s) was lost before",
                              member->backend->name, member->device.index, member->device.name);
            continue;
        }
        job->share_count++;
        status = combgpu__share_open(job, share, member,
                                     job->kernel.name ? member->backend
                                                      : combgpu__backend_of(COMBGPU_BACKEND_CPU));
        if (status && member != ctx) memcpy(ctx->message, member->message, sizeof ctx->message);
    }
    if (!status && !job->share_count) status = failed;
    if (!status && combgpu__verifies(job) && job->kernel.solve)
        status =
            combgpu__share_open(job, &job->checker, ctx, combgpu__backend_of(COMBGPU_BACKEND_CPU));
    if (status) return status;
    job->budget = job->shares[0].budget;
    return combgpu__pending_room(job, job->record_capacity);
}

