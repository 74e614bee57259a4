/* ---- the sidecars define combgpu__cuda and combgpu__opencl */
#ifdef COMBGPU_CUDA
#include "combgpu_cuda.cu"
#endif
#ifdef COMBGPU_OPENCL
#include "combgpu_cl.c"
#endif

/* In the order of combgpu_devices. */
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

/* AUTO: a CUDA device, else the first OpenCL GPU, else the CPU. Sets desc.device for OpenCL. */
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
    if (count && ctx->desc.device >= count) /* where there is none, open says why */
        return combgpu__fail(ctx, COMBGPU_NO_DEVICE, "%s is %d; there are %d %s devices, from 0 on",
                             argument, ctx->desc.device, count, backend->name);
    status = backend->open(ctx);
    if (!status) {
        ctx->backend = backend;
        combgpu__log(ctx, COMBGPU_LOG_INFO, "using %s: %s", backend->name, ctx->device.name);
    }
    return status;
}

/* Prepares to open the devices of a list. */
COMBGPU__PRIVATE void combgpu__warm_list(const combgpu_context *ctx,
                                         const combgpu_device_id *devices, int count)
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

/* Opens the devices after the first. One that is listed twice has its memory divided. */
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
    if (desc->threads < 0 || desc->threads > 4096)
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
                             "desc.device_count %d; it goes with opencl and 0",
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
    if (status && ctx->backend) { /* it serves only combgpu_message */
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
    combgpu__release(ctx, ctx->magic_index);
    if (ctx->backend && ctx->lost != COMBGPU__HUNG) ctx->backend->close(ctx);
    allocator = ctx->desc.allocator;
    if (allocator.release)
        allocator.release(ctx, allocator.user);
    else
        free(ctx);
}

COMBGPU__DEF const char *combgpu_message(const combgpu_context *ctx)
{
    return ctx ? ctx->message : "out of memory";
}

COMBGPU__DEF void combgpu_context_device(const combgpu_context *ctx, combgpu_device *device)
{
    if (ctx && device) *device = ctx->device;
}

