/* ---- One executor: a device at work for a job, its memory, and what a problem may read of it. */

/* The name of an executor's device in messages: "cuda device 1 (NVIDIA H200)". */
typedef struct combgpu__text {
    char text[192];
} combgpu__text;
COMBGPU__PRIVATE combgpu__text combgpu__executor_name(const combgpu__executor *executor)
{
    combgpu__text name;
    if (executor->backend->id == COMBGPU_BACKEND_CPU)
        snprintf(name.text, sizeof name.text, "cpu");
    else
        snprintf(name.text, sizeof name.text, "%s device %d (%.127s)", executor->backend->name,
                 executor->ctx->device.index, executor->ctx->device.name);
    return name;
}

/* Returns how many tasks a worker may spill in a slice. */
COMBGPU__PRIVATE uint32_t combgpu__left_each(const combgpu_job *job,
                                             const combgpu__executor *executor)
{
    int on_device = executor->backend->id != COMBGPU_BACKEND_CPU && job->desc.left_on_device;
    return (uint32_t)(on_device ? job->desc.left_on_device : job->desc.kernel.left_per_worker);
}

/* Returns the room for all tasks that a slice may spill. */
COMBGPU__PRIVATE uint32_t combgpu__left_room(const combgpu_job *job,
                                             const combgpu__executor *executor)
{
    return executor->workers * combgpu__left_each(job, executor);
}

/* Sets the number of workers and the pool's size to keep all memory within the limit. */
COMBGPU__PRIVATE combgpu_status combgpu__executor_size(combgpu_job *job,
                                                       combgpu__executor *executor, size_t bytes[6])
{
    combgpu_context *ctx = executor->ctx;
    size_t task_bytes = job->desc.task_words * sizeof(uint32_t),
           per_worker = job->desc.work_bytes_per_worker, shared = job->desc.work_bytes_shared;
    uint64_t limit = executor->backend != ctx->backend ? 0 /* the limit is for devices alone */
                     : ctx->desc.memory_limit          ? ctx->desc.memory_limit
                                                       : ctx->free_bytes / 2;
    uint64_t left, refill, fixed, need, room, aim = job->desc.memory_aim;
    int fits;
    if (limit && limit < aim) aim = limit;
    if (executor->backend->id == COMBGPU_BACKEND_CPU && job->desc.cpu_work_bytes_per_worker)
        per_worker = job->desc.cpu_work_bytes_per_worker;
    if (executor->backend->id != COMBGPU_BACKEND_CPU) shared += job->desc.work_bytes_on_device;
    bytes[4] = combgpu__bytes(job->desc.record_capacity, job->desc.record_words * sizeof(uint32_t));
    for (;;) {
        left = (uint64_t)executor->workers * combgpu__left_each(job, executor);
        refill = (uint64_t)executor->workers * 8;
        if (refill < 1024) refill = 1024;
        if (job->desc.most_tasks) refill = job->desc.most_tasks;
        room = left + left + refill;
        fixed = job->tables_bytes + bytes[4] + (uint64_t)executor->workers * per_worker + shared;
        if (aim && fixed + 2 * room * task_bytes > aim) { /* more tasks move to the host */
            uint64_t least = left + (refill < 4096 ? 1024 : refill / 4);
            room = fixed < aim ? (aim - fixed) / (2 * task_bytes) : 0;
            if (room < least) room = least;
        }
        need = fixed + 2 * room * task_bytes;
        fits = room <= UINT32_MAX && need <= SIZE_MAX / 2 && (!limit || need <= limit);
        if (fits && (!aim || need <= aim)) break;
        if (executor->workers == 1) break;
        executor->workers =
            aim ? (uint32_t)((uint64_t)executor->workers * 7 / 8) : (executor->workers + 1) / 2;
    }
    if (!fits)
        return combgpu__fail(ctx, COMBGPU_DEVICE_OUT_OF_MEMORY,
                             "the search needs %llu bytes on the device and may use %llu "
                             "(memory_limit, or half of what is free)",
                             (unsigned long long)need,
                             (unsigned long long)(limit ? limit : SIZE_MAX / 2));
    executor->pool_capacity = (uint32_t)room;
    bytes[0] = sizeof(combgpu__slice);
    bytes[1] = job->tables_bytes;
    bytes[2] = bytes[3] = combgpu__bytes(executor->pool_capacity, task_bytes);
    bytes[5] = (size_t)executor->workers * per_worker + shared;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__executor_release(combgpu__executor *executor)
{
    int i;
    for (i = 0; i < 6 && executor->lost != COMBGPU__HUNG; i++) { /* a hung device does not answer */
        if (i != COMBGPU__WORK || !executor->keeps_work)
            executor->backend->release(executor->ctx, &executor->memory[i]);
        executor->memory[i].handle = NULL;
    }
}

/* Allocates a device's memory. If memory is short, halves workers and pool. */
COMBGPU__PRIVATE combgpu_status combgpu__executor_allocate(combgpu_job *job,
                                                           combgpu__executor *executor)
{
    size_t bytes[6];
    combgpu_status status;
    int i;
    for (;;) {
        status = combgpu__executor_size(job, executor, bytes);
        if (status) return status;
        for (i = 0; i < 6 && !status; i++)
            if (i == COMBGPU__WORK && job->desc.caller_work.handle) {
                executor->memory[i] = job->desc.caller_work;
                executor->keeps_work = 1;
            } else
                status = executor->backend->allocate(executor->ctx, bytes[i], &executor->memory[i]);
        if (status != COMBGPU_DEVICE_OUT_OF_MEMORY || executor->workers == 1) break;
        combgpu__executor_release(executor);
        executor->workers = (executor->workers + 1) / 2;
        combgpu__log(executor->ctx, COMBGPU_LOG_WARNING,
                     "%s: out of memory: continuing with %u workers",
                     combgpu__executor_name(executor).text, executor->workers);
        executor->ctx->message[0] = 0;
    }
    if (!status && job->tables_bytes)
        status = executor->backend->upload(executor->ctx, &executor->memory[COMBGPU__TABLES], 0,
                                           job->tables, job->tables_bytes);
    return status;
}

/* Nonzero if the C solver can replace a device's kernel: it cannot call a caller's OpenCL function,
   write the caller's device memory, or share another executor's. */
COMBGPU__PRIVATE int combgpu__host_suits(const combgpu_job *job)
{
    return job->desc.kernel.solve && !job->desc.kernel.opencl_source && !job->desc.one_device &&
           !job->desc.caller_work.handle;
}

/* Builds the kernel and allocates the executor's memory. The CPU replaces a kernel that the device
   cannot run. */
COMBGPU__PRIVATE combgpu_status combgpu__executor_open(combgpu_job *job,
                                                       combgpu__executor *executor,
                                                       combgpu_context *ctx,
                                                       const combgpu__backend *backend)
{
    combgpu_status status;
    executor->ctx = ctx;
    executor->backend = backend;
    status = backend->prepare(ctx, &job->desc.kernel, &executor->program, &executor->workers);
    if (status == COMBGPU_UNSUPPORTED && backend != ctx->host && combgpu__host_suits(job)) {
        combgpu__log(ctx, COMBGPU_LOG_WARNING, "%s; the CPU replaces it", ctx->message);
        ctx->message[0] = 0;
        return combgpu__executor_open(job, executor, ctx, ctx->host);
    }
    if (status) return status;
    executor->ready = 1;
    executor->budget = job->desc.kernel.first_budget ? job->desc.kernel.first_budget : 256;
    return combgpu__executor_allocate(job, executor);
}

COMBGPU__PRIVATE int combgpu__slice_on_cpu(const combgpu__executor *executor)
{
    return executor->backend->id == COMBGPU_BACKEND_CPU;
}

COMBGPU__PRIVATE uint32_t combgpu__slice_workers(const combgpu__executor *executor)
{
    return executor->workers;
}

COMBGPU__PRIVATE combgpu_status combgpu__slice_read(const combgpu__executor *executor, void *to,
                                                    size_t offset, size_t bytes)
{
    return executor->backend->download(executor->ctx, to, &executor->memory[COMBGPU__WORK], offset,
                                       bytes);
}

COMBGPU__PRIVATE combgpu_status combgpu__slice_write(const combgpu__executor *executor,
                                                     const void *from, size_t bytes)
{
    combgpu__memory work = executor->memory[COMBGPU__WORK];
    return executor->backend->upload(executor->ctx, &work, 0, from, bytes);
}

COMBGPU__PRIVATE combgpu_status combgpu__slice_tasks(const combgpu_job *job,
                                                     const combgpu__executor *executor,
                                                     uint32_t *to, uint32_t *count)
{
    *count = executor->pool_count;
    if (!*count) return COMBGPU_OK;
    return executor->backend->download(executor->ctx, to, &executor->memory[COMBGPU__POOL], 0,
                                       (size_t)*count * job->desc.task_words * sizeof *to);
}
