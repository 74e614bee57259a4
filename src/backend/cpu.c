/* ================================================================= SECTION 12: the backends == */

/* The CPU backend: memory is host memory, a worker is a thread. */

COMBGPU__PRIVATE int combgpu__cpu_devices(combgpu_device *devices, int capacity)
{
    if (capacity > 0) {
        memset(devices, 0, sizeof *devices);
        devices->backend = COMBGPU_BACKEND_CPU;
        devices->compute_units = combgpu__processors();
        snprintf(devices->name, sizeof devices->name, "CPU, %d thread%s", devices->compute_units,
                 devices->compute_units == 1 ? "" : "s");
        snprintf(devices->capability, sizeof devices->capability, "C99, SIMD %s",
                 combgpu__simd_name(combgpu__simd_allowed()));
    }
    return 1;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_open(combgpu_context *ctx)
{
    int threads = combgpu__threads(ctx);
    combgpu__cpu_devices(&ctx->device, 1);
    ctx->device.compute_units = threads;
    snprintf(ctx->device.name, sizeof ctx->device.name, "CPU, %d thread%s", threads,
             threads == 1 ? "" : "s");
    ctx->free_bytes = 0; /* only malloc's limit */
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__cpu_close(combgpu_context *ctx)
{
    (void)ctx;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_prepare(combgpu_context *ctx,
                                                     const combgpu__kernel *kernel, void **program,
                                                     uint32_t *workers)
{
    (void)kernel;
    *program = NULL;
    *workers = (uint32_t)combgpu__threads(ctx); /* not of ctx->device: that may be a GPU */
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__cpu_forget(combgpu_context *ctx, void *program)
{
    (void)ctx, (void)program;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_allocate(combgpu_context *ctx, size_t bytes,
                                                      combgpu__memory *memory)
{
    memory->handle = combgpu__allocate(ctx, bytes);
    memory->bytes = bytes;
    return memory->handle ? COMBGPU_OK : combgpu__no_memory(ctx, bytes);
}

COMBGPU__PRIVATE void combgpu__cpu_release(combgpu_context *ctx, combgpu__memory *memory)
{
    combgpu__release(ctx, memory->handle);
    memory->handle = NULL;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_upload(combgpu_context *ctx, combgpu__memory *to,
                                                    size_t offset, const void *from, size_t bytes)
{
    (void)ctx;
    memcpy((char *)to->handle + offset, from, bytes);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_download(combgpu_context *ctx, void *to,
                                                      const combgpu__memory *from, size_t offset,
                                                      size_t bytes)
{
    (void)ctx;
    memcpy(to, (const char *)from->handle + offset, bytes);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_copy(combgpu_context *ctx, combgpu__memory *to,
                                                  size_t to_offset, const combgpu__memory *from,
                                                  size_t from_offset, size_t bytes)
{
    (void)ctx;
    memcpy((char *)to->handle + to_offset, (const char *)from->handle + from_offset, bytes);
    return COMBGPU_OK;
}

/* A running slice. */
typedef struct combgpu__cpu_slice {
    const combgpu_context *ctx;
    const combgpu__launch *launch;
    combgpu__lock totals;
} combgpu__cpu_slice;

/* Runs one worker's slice with private totals, then adds them to the slice's. */
COMBGPU__PRIVATE void combgpu__cpu_worker(void *user, int index, int thread)
{
    combgpu__cpu_slice *slice = (combgpu__cpu_slice *)user;
    const combgpu__launch *launch = slice->launch;
    combgpu__worker worker;
    combgpu__polls polls;
    int i;
    memset(&worker, 0, sizeof worker);
    memset(&polls, 0, sizeof polls);
    polls.look = launch->look;
    worker.job = launch->job;
    worker.slice = (combgpu__slice *)launch->control->handle;
    worker.tables = (const uint32_t *)launch->tables->handle;
    worker.tasks = (const uint32_t *)launch->tasks->handle;
    worker.left = (uint32_t *)launch->left->handle;
    worker.records = (uint32_t *)launch->records->handle;
    worker.work = (uint32_t *)launch->work->handle;
    worker.index = (uint32_t)index;
    worker.simd = slice->ctx->simd;
    (void)thread;
    if (!index && launch->look) worker.polls = &polls; /* the caller's thread */
    launch->kernel->solve(&worker);
    combgpu__lock_take(&slice->totals);
    for (i = 0; i < COMBGPU__TOTALS; i++)
        combgpu__put64(worker.slice->totals + 2 * i,
                       combgpu__get64(worker.slice->totals + 2 * i) + worker.totals[i]);
    combgpu__lock_free(&slice->totals);
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_start(combgpu_context *ctx, combgpu__launch *launch)
{
    double begin = combgpu__now();
    combgpu__cpu_slice slice;
    memset(&slice, 0, sizeof slice);
    slice.ctx = ctx;
    slice.launch = launch;
    combgpu__loop(ctx, (int)launch->workers, (int)launch->workers, 1, combgpu__cpu_worker, &slice);
    launch->seconds = combgpu__since(begin);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu__result combgpu__cpu_poll(combgpu_context *ctx, combgpu__launch *launch)
{
    (void)ctx, (void)launch;
    return COMBGPU__DONE;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_adopt(combgpu_context *ctx, const char *name,
                                                   const combgpu_device_memory *from,
                                                   combgpu__memory *to, size_t *shift)
{
    (void)ctx, (void)name;
    to->handle = from->memory;
    to->bytes = from->offset + from->bytes;
    *shift = from->offset;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_fill(combgpu_context *ctx, combgpu__memory *memory,
                                                  size_t offset, int value, size_t bytes,
                                                  double *seconds)
{
    double begin = combgpu__now();
    combgpu__fill(ctx->simd, (unsigned char *)memory->handle + offset, value, bytes);
    *seconds = combgpu__since(begin);
    return COMBGPU_OK;
}

static const combgpu__backend combgpu__cpu = {COMBGPU_BACKEND_CPU,
                                              "cpu",
                                              combgpu__cpu_devices,
                                              combgpu__cpu_open,
                                              combgpu__cpu_close,
                                              combgpu__cpu_prepare,
                                              combgpu__cpu_forget,
                                              combgpu__cpu_allocate,
                                              combgpu__cpu_release,
                                              combgpu__cpu_upload,
                                              combgpu__cpu_download,
                                              combgpu__cpu_copy,
                                              combgpu__cpu_start,
                                              combgpu__cpu_poll,
                                              combgpu__cpu_adopt,
                                              combgpu__cpu_fill,
                                              NULL};
