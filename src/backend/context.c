/* Contexts: choose backends and devices, open, close, answer problems. */

/* In combgpu_devices' order. */
static const combgpu__backend *const combgpu__backends[] = {
    &combgpu__cpu,
#ifdef COMBGPU_CUDA
    &combgpu__cuda,
#endif
#ifdef COMBGPU_OPENCL
    &combgpu__opencl,
#endif
};
#define COMBGPU__BACKENDS ((int)(sizeof combgpu__backends / sizeof combgpu__backends[0]))

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE const combgpu__backend *combgpu__backend_of(combgpu_backend id)
{
    int i;
    for (i = 0; i < COMBGPU__BACKENDS; i++)
        if (combgpu__backends[i]->id == id) return combgpu__backends[i];
    return NULL;
}

COMBGPU__DEF combgpu_status combgpu_devices(combgpu_device *devices, int capacity, int *count)
{
    int i;
    if (!count || capacity < 0 || (capacity && !devices)) return COMBGPU_INVALID_ARGUMENT;
    *count = 0;
    for (i = 0; i < COMBGPU__BACKENDS; i++) {
        int room = capacity > *count ? capacity - *count : 0;
        *count += combgpu__backends[i]->devices(room ? devices + *count : NULL, room);
    }
    return COMBGPU_OK;
}

/* Resolves AUTO: CUDA, else the first OpenCL GPU, else the CPU. Sets desc.device for OpenCL. */
COMBGPU__PRIVATE combgpu_backend combgpu__auto_backend(combgpu_context_desc *desc)
{
    const combgpu__backend *backend = combgpu__backend_of(COMBGPU_BACKEND_CUDA);
    combgpu_device devices[16];
    int i, count;
    if (backend && backend->devices(NULL, 0) > desc->device) return COMBGPU_BACKEND_CUDA;
    backend = combgpu__backend_of(COMBGPU_BACKEND_OPENCL);
    if (backend) {
        count = backend->devices(devices, 16);
        for (i = 0; i < count && i < 16; i++)
            if (devices[i].is_gpu && !desc->device) {
                desc->device = i;
                return COMBGPU_BACKEND_OPENCL;
            }
    }
    return COMBGPU_BACKEND_CPU;
}

/* Opens the device that ctx->desc names. */
COMBGPU__PRIVATE combgpu_status combgpu__open_device(combgpu_context *ctx, const char *argument)
{
    const combgpu__backend *backend;
    combgpu_status status;
    int count;
    if (ctx->desc.device < 0)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is %d; it may be 0 or more",
                             argument, ctx->desc.device);
    if (ctx->desc.backend == COMBGPU_BACKEND_AUTO)
        ctx->desc.backend = combgpu__auto_backend(&ctx->desc);
    backend = combgpu__backend_of(ctx->desc.backend);
    if (!backend)
        return combgpu__fail(ctx, COMBGPU_NO_DEVICE,
                             "this build has no %s backend: compile with COMBGPU_%s",
                             combgpu_backend_string(ctx->desc.backend),
                             ctx->desc.backend == COMBGPU_BACKEND_CUDA ? "CUDA" : "OPENCL");
    count = backend->devices(NULL, 0);
    if (count && ctx->desc.device >= count) /* without devices, open reports why */
        return combgpu__fail(ctx, COMBGPU_NO_DEVICE,
                             "%s is %d; there %s %d %s device%s, counted from 0", argument,
                             ctx->desc.device, count == 1 ? "is" : "are", count, backend->name,
                             count == 1 ? "" : "s");
    status = backend->open(ctx);
    if (!status) {
        ctx->backend = backend;
        ctx->host = &combgpu__cpu;
        combgpu__log(ctx, COMBGPU_LOG_INFO, "using %s: %s", backend->name, ctx->device.name);
    }
    return status;
}

/* Warms a list's devices before they are opened. */
COMBGPU__PRIVATE void combgpu__warm_list(combgpu_context *ctx, const combgpu_device_id *devices,
                                         int count)
{
    const combgpu__backend *backends[COMBGPU_MAX_DEVICES];
    int indices[COMBGPU_MAX_DEVICES], i;
    for (i = 0; i < count; i++) {
        combgpu_backend id = devices[i].backend ? devices[i].backend : ctx->desc.backend;
        backends[i] = combgpu__backend_of(id ? id : COMBGPU_BACKEND_CUDA); /* AUTO's first choice */
        indices[i] = devices[i].index;
    }
    combgpu__warm(ctx, backends, indices, count, NULL);
}

/* Opens the devices after the first. Repeated devices share their memory. */
COMBGPU__PRIVATE combgpu_status combgpu__open_others(combgpu_context *ctx,
                                                     const combgpu_device_id *devices, int count)
{
    combgpu_status status = COMBGPU_OK;
    int i, k;
    for (i = 1; i < count && !status; i++) {
        char argument[40];
        combgpu_context *other = (combgpu_context *)combgpu__allocate_zeroed(ctx, sizeof *other);
        if (!other) return combgpu__no_memory(ctx, sizeof *other);
        ctx->others[ctx->other_count++] = other;
        other->desc = ctx->desc;
        other->simd = ctx->simd;
        other->desc.backend = devices[i].backend ? devices[i].backend : ctx->desc.backend;
        other->desc.device = devices[i].index;
        snprintf(argument, sizeof argument, "desc.devices[%d].index", i);
        status = combgpu__open_device(other, argument);
        if (status) memcpy(ctx->message, other->message, sizeof ctx->message);
    }
    for (i = 0; i <= ctx->other_count && !status; i++) {
        combgpu_context *one = i ? ctx->others[i - 1] : ctx;
        uint64_t same = 0;
        for (k = 0; k < count; k++)
            same += (devices[k].backend ? devices[k].backend : ctx->desc.backend) ==
                        one->device.backend &&
                    devices[k].index == one->device.index;
        if (same) one->free_bytes /= same;
    }
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__check_context(combgpu_context *ctx,
                                                       const combgpu_context_desc *desc)
{
    int i;
    if ((int)desc->backend < COMBGPU_BACKEND_AUTO || (int)desc->backend > COMBGPU_BACKEND_OPENCL)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.backend is %d; it may be 0 (auto), 1 (cpu), 2 (cuda), 3 (opencl)",
            (int)desc->backend);
    if (desc->threads < 0 || desc->threads > COMBGPU__MAX_THREADS)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.threads is %d; it may be 0 (all) to 4096", desc->threads);
    if (desc->device_count < 0 || desc->device_count > COMBGPU_MAX_DEVICES)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.device_count is %d; it may be 0 (desc.device alone) to %d",
                             desc->device_count, COMBGPU_MAX_DEVICES);
    if (!desc->devices != !desc->device_count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.devices is %s, but desc.device_count is %d",
                             desc->devices ? "set" : "NULL", desc->device_count);
    if (desc->opencl_queue && (desc->device_count || (desc->backend != COMBGPU_BACKEND_AUTO &&
                                                      desc->backend != COMBGPU_BACKEND_OPENCL)))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.opencl_queue is set, but desc.backend is %d (%s) and "
                             "desc.device_count is %d; it needs opencl and 0",
                             (int)desc->backend, combgpu_backend_string(desc->backend),
                             desc->device_count);
    if (desc->device_count && desc->device)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.device is %d; with desc.devices it must be 0", desc->device);
    for (i = 0; i < desc->device_count; i++)
        if ((int)desc->devices[i].backend < COMBGPU_BACKEND_AUTO ||
            (int)desc->devices[i].backend > COMBGPU_BACKEND_OPENCL)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.devices[%d].backend is %d; it may be 0 (desc.backend), "
                                 "1 (cpu), 2 (cuda), 3 (opencl)",
                                 i, (int)desc->devices[i].backend);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_open(combgpu_context **out, const combgpu_context_desc *desc)
{
    combgpu_context_desc defaults;
    combgpu_context *ctx;
    combgpu_status status;
    int paired;
    if (!out) return COMBGPU_INVALID_ARGUMENT;
    *out = NULL;
    memset(&defaults, 0, sizeof defaults);
    if (!desc) desc = &defaults;
    paired = !desc->allocator.allocate == !desc->allocator.release;
    ctx = paired && desc->allocator.allocate
              ? (combgpu_context *)desc->allocator.allocate(sizeof *ctx, desc->allocator.user)
              : (combgpu_context *)malloc(sizeof *ctx);
    if (!ctx) return COMBGPU_OUT_OF_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    ctx->desc = *desc;
    ctx->desc.devices = NULL; /* the caller's list need not persist */
    ctx->simd = combgpu__simd_allowed();
    *out = ctx;
    if (!paired) {
        ctx->desc.allocator.allocate = NULL;
        ctx->desc.allocator.release = NULL;
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.allocator sets one of allocate and release; set both or neither");
    }
    status = combgpu__check_context(ctx, desc);
    if (status) return status;
    if (!ctx->desc.threads) ctx->desc.threads = combgpu__processors();
    if (desc->opencl_queue) ctx->desc.backend = COMBGPU_BACKEND_OPENCL;
    if (desc->device_count) {
        if (desc->devices[0].backend) ctx->desc.backend = desc->devices[0].backend;
        ctx->desc.device = desc->devices[0].index;
        combgpu__warm_list(ctx, desc->devices, desc->device_count);
    }
    status =
        combgpu__open_device(ctx, desc->device_count ? "desc.devices[0].index" : "desc.device");
    if (!status && desc->device_count)
        status = combgpu__open_others(ctx, desc->devices, desc->device_count);
    if (status && ctx->backend) { /* the context then serves only combgpu_message */
        ctx->backend->close(ctx);
        ctx->backend = NULL;
    }
    return status;
}

COMBGPU__DEF void combgpu_close(combgpu_context *ctx)
{
    combgpu_allocator allocator;
    if (!ctx) return;
    while (ctx->other_count)
        combgpu_close(ctx->others[--ctx->other_count]);
    combgpu__release(ctx, ctx->kept);
    combgpu__team_close(ctx);
    if (ctx->backend && ctx->lost != COMBGPU__HUNG) ctx->backend->close(ctx);
    allocator = ctx->desc.allocator;
    if (allocator.release)
        allocator.release(ctx, allocator.user);
    else
        free(ctx);
}
COMBGPU__COLD_END

COMBGPU__DEF const char *combgpu_message(const combgpu_context *ctx)
{
    return ctx ? ctx->message : "out of memory";
}

COMBGPU__DEF void combgpu_context_device(const combgpu_context *ctx, combgpu_device *device)
{
    if (ctx && device) *device = ctx->device;
}

/* ---- what problems read of a context */

COMBGPU__PRIVATE int combgpu__is_cpu(const combgpu_context *ctx)
{
    return ctx->backend->id == COMBGPU_BACKEND_CPU;
}

COMBGPU__PRIVATE const combgpu_device *combgpu__device(const combgpu_context *ctx)
{
    return &ctx->device;
}

COMBGPU__PRIVATE const combgpu_context *combgpu__device_context(const combgpu_context *ctx, int i)
{
    return i > ctx->other_count ? NULL : i ? ctx->others[i - 1] : ctx;
}

COMBGPU__PRIVATE int combgpu__shuffles(const combgpu_context *ctx)
{
    return ctx->shuffles;
}

COMBGPU__PRIVATE int combgpu__doubles(const combgpu_context *ctx)
{
    return ctx->doubles;
}

COMBGPU__PRIVATE int combgpu__simd(const combgpu_context *ctx)
{
    return ctx ? ctx->simd : COMBGPU__SIMD_NONE;
}

COMBGPU__PRIVATE uint64_t combgpu__free_bytes(const combgpu_context *ctx)
{
    return ctx->free_bytes;
}

COMBGPU__PRIVATE uint64_t combgpu__memory_limit(const combgpu_context *ctx)
{
    return ctx->desc.memory_limit ? ctx->desc.memory_limit : ctx->free_bytes / 2;
}

COMBGPU__PRIVATE void *combgpu__kept(const combgpu_context *ctx, const char *tag, int key)
{
    return ctx->kept && !strcmp(ctx->kept_tag, tag) && ctx->kept_key == key ? ctx->kept : NULL;
}

COMBGPU__PRIVATE void combgpu__keep(combgpu_context *ctx, const char *tag, int key, void *data)
{
    combgpu__release(ctx, ctx->kept);
    ctx->kept = data;
    ctx->kept_tag = tag;
    ctx->kept_key = key;
}
