/* Device memory: the caller's, and a problem's. */

/* ---- memory that the caller owns */

COMBGPU__DEF combgpu_status combgpu_device_allocate(combgpu_context *ctx, size_t bytes,
                                                    combgpu_device_memory *memory)
{
    combgpu__memory made;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!memory) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "memory is NULL");
    memset(memory, 0, sizeof *memory);
    status = combgpu__check_open(ctx);
    if (status) return status;
    if (!bytes) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "bytes is 0");
    status = ctx->backend->allocate(ctx, bytes, &made);
    if (status) return status;
    memory->backend = ctx->backend->id;
    memory->memory = made.handle;
    memory->bytes = bytes;
    return COMBGPU_OK;
}

COMBGPU__DEF void combgpu_device_release(combgpu_context *ctx, combgpu_device_memory *memory)
{
    combgpu__memory made;
    if (!ctx || !ctx->backend || !memory || !memory->memory) return;
    made.handle = memory->memory;
    made.bytes = memory->bytes;
    ctx->backend->release(ctx, &made);
    memset(memory, 0, sizeof *memory);
}

/* Checks the caller's memory, argument `name`, and sets `to` for the backend. */
COMBGPU__PRIVATE combgpu_status combgpu__device_adopt(combgpu_context *ctx, const char *name,
                                                      const combgpu_device_memory *from,
                                                      combgpu__memory *to, size_t *shift)
{
    combgpu_backend backend = from->backend;
    if (backend == COMBGPU_BACKEND_AUTO && ctx->backend->id == COMBGPU_BACKEND_CPU)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s is device memory, but the context is on the cpu: open it on that "
                             "device, or set %s.backend to COMBGPU_BACKEND_CPU for host memory",
                             name, name);
    if (backend == COMBGPU_BACKEND_AUTO) backend = ctx->backend->id;
    if (backend != ctx->backend->id)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s.backend is %d (%s); it must be the context's, which is %s", name,
                             (int)backend, combgpu_backend_string(backend), ctx->backend->name);
    if (!from->memory)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s.memory is NULL", name);
    if (from->bytes > SIZE_MAX - from->offset)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s.offset is %llu and %s.bytes %llu: no memory is that large", name,
                             (unsigned long long)from->offset, name,
                             (unsigned long long)from->bytes);
    return ctx->backend->adopt(ctx, name, from, to, shift);
}

COMBGPU__DEF combgpu_status combgpu_device_read(combgpu_context *ctx,
                                                const combgpu_device_memory *memory, size_t at,
                                                void *to, size_t bytes)
{
    combgpu__memory from;
    size_t shift;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!memory || !to)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", memory ? "to" : "memory");
    status = combgpu__device_adopt(ctx, "memory", memory, &from, &shift);
    if (status) return status;
    if (at > memory->bytes || bytes > memory->bytes - at)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "at is %llu and bytes is %llu; the memory has %llu bytes",
                             (unsigned long long)at, (unsigned long long)bytes,
                             (unsigned long long)memory->bytes);
    return ctx->backend->download(ctx, to, &from, shift + at, bytes);
}

COMBGPU__DEF combgpu_status combgpu_device_fill(combgpu_context *ctx,
                                                const combgpu_device_memory *memory, int value,
                                                double *seconds)
{
    combgpu__memory chunk;
    size_t shift;
    double unused;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!memory) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "memory is NULL");
    status = combgpu__device_adopt(ctx, "memory", memory, &chunk, &shift);
    if (status) return status;
    return ctx->backend->fill(ctx, &chunk, shift, value & 255, memory->bytes,
                              seconds ? seconds : &unused);
}

/* ---- memory of the context's device, for problems */

COMBGPU__PRIVATE combgpu_status combgpu__memory_allocate(combgpu_context *ctx, size_t bytes,
                                                         combgpu__memory *memory)
{
    return ctx->backend->allocate(ctx, bytes, memory);
}

COMBGPU__PRIVATE void combgpu__memory_release(combgpu_context *ctx, combgpu__memory *memory)
{
    ctx->backend->release(ctx, memory);
}

COMBGPU__PRIVATE combgpu_status combgpu__memory_upload(combgpu_context *ctx, combgpu__memory *to,
                                                       size_t offset, const void *from,
                                                       size_t bytes)
{
    return ctx->backend->upload(ctx, to, offset, from, bytes);
}

COMBGPU__PRIVATE combgpu_status combgpu__memory_download(combgpu_context *ctx, void *to,
                                                         const combgpu__memory *from, size_t offset,
                                                         size_t bytes)
{
    return ctx->backend->download(ctx, to, from, offset, bytes);
}
