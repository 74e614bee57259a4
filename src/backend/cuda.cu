/* The CUDA backend: devices, contexts, kernels, memory, launches. */

/* An open device, in ctx->handle. */
typedef struct combgpu__cuda_device {
    cudaStream_t stream;
} combgpu__cuda_device;

/* What prepare returns. */
typedef struct combgpu__cuda_kernel {
    const void *function;
    unsigned block;         /* threads in a block */
    size_t shared;          /* bytes of dynamic shared memory */
    cudaEvent_t begin, end; /* around a slice */
} combgpu__cuda_kernel;

/* ---- errors */

/* Fails with CUDA's error in operation `what` on the kernel or object `name`. */
COMBGPU__PRIVATE combgpu_status combgpu__cuda_fail(combgpu_context *ctx, cudaError_t error,
                                                   const char *what, const char *name)
{
    combgpu_status status = COMBGPU_DEVICE_ERROR;
    const char *advice = "";
    cudaGetLastError(); /* or the next call, perhaps the caller's, reports it again */
    if (error == cudaErrorMemoryAllocation)
        status = COMBGPU_DEVICE_OUT_OF_MEMORY;
    else if (error == cudaErrorLaunchTimeout)
        advice = "; the display's or system's watchdog killed it: lower desc.run.slice_ms. The "
                 "context is lost: close it";
    else if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction)
        advice = "; the program has no code for this device: compile with nvcc -arch as in "
                 "combgpu_device.capability";
    else if (cudaDeviceSynchronize() != cudaSuccess) {
        advice = "; the context is lost: close it. This process can no longer use the device";
        cudaGetLastError();
    }
    return combgpu__fail(ctx, status, "%s %s: %s (%s)%s", what, name, cudaGetErrorString(error),
                         cudaGetErrorName(error), advice);
}

/* ---- devices */

COMBGPU__PRIVATE int combgpu__cuda_attribute(enum cudaDeviceAttr attribute, int index)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, index) != cudaSuccess) cudaGetLastError();
    return value;
}

COMBGPU__PRIVATE void combgpu__cuda_describe(int index, combgpu_device *out)
{
    struct cudaDeviceProp properties; /* name and memory only: CUDA 13 removed other fields */
    memset(out, 0, sizeof *out);
    out->backend = COMBGPU_BACKEND_CUDA;
    out->index = index;
    out->is_gpu = 1;
    out->compute_units = combgpu__cuda_attribute(cudaDevAttrMultiProcessorCount, index);
    snprintf(out->capability, sizeof out->capability, "sm_%d%d",
             combgpu__cuda_attribute(cudaDevAttrComputeCapabilityMajor, index),
             combgpu__cuda_attribute(cudaDevAttrComputeCapabilityMinor, index));
    if (cudaGetDeviceProperties(&properties, index) == cudaSuccess) {
        out->memory_bytes = properties.totalGlobalMem;
        snprintf(out->name, sizeof out->name, "%.127s", properties.name);
    } else {
        cudaGetLastError();
        snprintf(out->name, sizeof out->name, "CUDA device %d", index);
    }
}

COMBGPU__PRIVATE int combgpu__cuda_devices(combgpu_device *devices, int capacity)
{
    int count = 0, i;
    if (cudaGetDeviceCount(&count) != cudaSuccess) { /* missing or old driver */
        cudaGetLastError();
        return 0;
    }
    for (i = 0; i < count && i < capacity; i++)
        combgpu__cuda_describe(i, &devices[i]);
    return count;
}

/* ---- context */

COMBGPU__PRIVATE void combgpu__cuda_close(combgpu_context *ctx)
{
    combgpu__cuda_device *cuda = (combgpu__cuda_device *)ctx->handle;
    cudaSetDevice(ctx->device.index);
    if (cuda->stream) cudaStreamDestroy(cuda->stream);
    cudaGetLastError();
    combgpu__release(ctx, cuda);
    ctx->handle = NULL;
}

COMBGPU__PRIVATE combgpu_status combgpu__cuda_open(combgpu_context *ctx)
{
    combgpu__cuda_device *cuda;
    size_t free_bytes = 0, all_bytes = 0;
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count < 1) {
        cudaGetLastError();
        return combgpu__fail(ctx, COMBGPU_NO_DEVICE, "no cuda device in this machine: %s",
                             error == cudaSuccess ? "none is visible" : cudaGetErrorString(error));
    }
    cuda = (combgpu__cuda_device *)combgpu__allocate_zeroed(ctx, sizeof *cuda);
    if (!cuda) return combgpu__no_memory(ctx, sizeof *cuda);
    ctx->handle = cuda;
    combgpu__cuda_describe(ctx->desc.device, &ctx->device);
    ctx->shuffles = ctx->doubles = 1;
    error = cudaSetDevice(ctx->desc.device);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaMemGetInfo(&free_bytes, &all_bytes);
    ctx->free_bytes = free_bytes;
    if (error == cudaSuccess && ctx->device.compute_units > 0) return COMBGPU_OK;
    combgpu__cuda_close(ctx);
    if (error == cudaSuccess)
        return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR,
                             "%s does not report its number of multiprocessors", ctx->device.name);
    return combgpu__cuda_fail(ctx, error, "cannot open", ctx->device.name);
}

/* ---- kernels */

COMBGPU__PRIVATE void combgpu__cuda_forget(combgpu_context *ctx, void *program)
{
    combgpu__cuda_kernel *prepared = (combgpu__cuda_kernel *)program;
    cudaSetDevice(ctx->device.index);
    if (prepared->end) cudaEventDestroy(prepared->end);
    if (prepared->begin) cudaEventDestroy(prepared->begin);
    cudaGetLastError();
    combgpu__release(ctx, prepared);
}

/* Returns a kernel's function: the caller's, or the one in the list. */
COMBGPU__PRIVATE const void *combgpu__cuda_function(const combgpu__kernel *kernel)
{
    const combgpu__entry *entry = combgpu__entry_of(kernel->name);
    return kernel->cuda_function ? kernel->cuda_function : entry ? entry->cuda : NULL;
}

/* Returns a kernel's form with tables in dynamic shared memory and that memory's bytes, if the form
   exists and fits the device; else NULL and 0. */
COMBGPU__PRIVATE const void *combgpu__cuda_shared_form(combgpu_context *ctx, const char *name,
                                                       size_t *bytes)
{
    const combgpu__entry *entry = combgpu__entry_of(name);
    int most = combgpu__cuda_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ctx->device.index);
    cudaError_t error;
    *bytes = 0;
    if (!entry || !entry->cuda_shared || entry->shared_bytes > most) return NULL;
    error = cudaSetDevice(ctx->device.index);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(
            entry->cuda_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, entry->shared_bytes);
    if (error != cudaSuccess) {
        cudaGetLastError(); /* the plain form works, or reports the error */
        return NULL;
    }
    *bytes = (size_t)entry->shared_bytes;
    return entry->cuda_shared;
}

/* Above this many bytes of shared memory a kernel sets the cache split. */
#define COMBGPU__CUDA_MUCH_SHARED 16384

/* Requests the shared memory that a multiprocessor's blocks need; the rest is cache. */
COMBGPU__PRIVATE void combgpu__cuda_carve(combgpu_context *ctx, const void *function, size_t bytes,
                                          int blocks)
{
    int index = ctx->device.index;
    int all = combgpu__cuda_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, index);
    int need = blocks * ((int)bytes +
                         combgpu__cuda_attribute(cudaDevAttrReservedSharedMemoryPerBlock, index));
    int percent = all > 0 ? (int)((100 * (int64_t)need + all - 1) / all) : 100;
    if (percent < 100 &&
        cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, percent))
        cudaGetLastError(); /* only a hint */
}

COMBGPU__PRIVATE combgpu_status combgpu__cuda_prepare(combgpu_context *ctx,
                                                      const combgpu__kernel *kernel, void **program,
                                                      uint32_t *workers)
{
    const void *function = combgpu__cuda_function(kernel);
    int lanes = kernel->lanes_per_worker, block = kernel->lanes_per_block, blocks = 0;
    int least = lanes > 1 && lanes < 32 ? 32 : lanes; /* groups divide whole warps */
    struct cudaFuncAttributes attributes;
    combgpu__cuda_kernel *prepared;
    cudaError_t error;
    size_t shared;
    const void *form = combgpu__cuda_shared_form(ctx, kernel->name, &shared);
    if (form) function = form;
    *program = NULL;
    if (!function)
        return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "no kernel %s in this build", kernel->name);
    error = cudaSetDevice(ctx->device.index);
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, function);
    if (error != cudaSuccess)
        return combgpu__cuda_fail(ctx, error, "cannot load kernel", kernel->name);
    while (block > attributes.maxThreadsPerBlock && block / 2 >= least)
        block /= 2;
    if (form) block = attributes.maxThreadsPerBlock;
    /* all shared memory, or the driver may leave room for too few blocks */
    if (attributes.sharedSizeBytes > COMBGPU__CUDA_MUCH_SHARED &&
        cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, 100))
        cudaGetLastError(); /* only a hint */
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block, shared);
    if (error != cudaSuccess)
        return combgpu__cuda_fail(ctx, error, "cannot size kernel", kernel->name);
    if (blocks < 1)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "kernel %s needs blocks of %d threads, and the device allows %d",
                             kernel->name, block, attributes.maxThreadsPerBlock);
    if (attributes.sharedSizeBytes > COMBGPU__CUDA_MUCH_SHARED)
        combgpu__cuda_carve(ctx, function, attributes.sharedSizeBytes, blocks);
    prepared = (combgpu__cuda_kernel *)combgpu__allocate_zeroed(ctx, sizeof *prepared);
    if (!prepared) return combgpu__no_memory(ctx, sizeof *prepared);
    prepared->function = function;
    prepared->block = (unsigned)block;
    prepared->shared = shared;
    error = cudaEventCreate(&prepared->begin);
    if (error == cudaSuccess) error = cudaEventCreate(&prepared->end);
    if (error != cudaSuccess) {
        combgpu__cuda_forget(ctx, prepared);
        return combgpu__cuda_fail(ctx, error, "cannot time kernel", kernel->name);
    }
    *program = prepared;
    *workers = (uint32_t)(ctx->device.compute_units * blocks * (block / lanes));
    return COMBGPU_OK;
}

/* ---- memory */

COMBGPU__PRIVATE combgpu_status combgpu__cuda_allocate(combgpu_context *ctx, size_t bytes,
                                                       combgpu__memory *memory)
{
    char what[64];
    cudaError_t error = cudaSetDevice(ctx->device.index);
    memory->handle = NULL;
    memory->bytes = bytes;
    if (error == cudaSuccess) error = cudaMalloc(&memory->handle, bytes ? bytes : 4);
    if (error == cudaSuccess) return COMBGPU_OK;
    memory->handle = NULL;
    snprintf(what, sizeof what, "%llu bytes", (unsigned long long)bytes);
    return combgpu__cuda_fail(ctx, error, "cannot allocate", what);
}

COMBGPU__PRIVATE void combgpu__cuda_release(combgpu_context *ctx, combgpu__memory *memory)
{
    if (!memory->handle) return;
    cudaSetDevice(ctx->device.index);
    if (cudaFree(memory->handle) != cudaSuccess) cudaGetLastError(); /* of a lost context */
    memory->handle = NULL;
}

/* Copies on the context's stream and waits. */
COMBGPU__PRIVATE cudaError_t combgpu__cuda_transfer(combgpu_context *ctx, void *to,
                                                    const void *from, size_t bytes,
                                                    enum cudaMemcpyKind kind)
{
    combgpu__cuda_device *cuda = (combgpu__cuda_device *)ctx->handle;
    cudaError_t error = cudaSuccess;
    if (!bytes) return error;
    error = cudaSetDevice(ctx->device.index);
    if (error == cudaSuccess) error = cudaMemcpyAsync(to, from, bytes, kind, cuda->stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(cuda->stream);
    return error;
}

COMBGPU__PRIVATE combgpu_status combgpu__cuda_upload(combgpu_context *ctx, combgpu__memory *to,
                                                     size_t offset, const void *from, size_t bytes)
{
    cudaError_t error = combgpu__cuda_transfer(ctx, (char *)to->handle + offset, from, bytes,
                                               cudaMemcpyHostToDevice);
    return error == cudaSuccess ? COMBGPU_OK
                                : combgpu__cuda_fail(ctx, error, "cannot write to", "the device");
}

COMBGPU__PRIVATE combgpu_status combgpu__cuda_download(combgpu_context *ctx, void *to,
                                                       const combgpu__memory *from, size_t offset,
                                                       size_t bytes)
{
    cudaError_t error = combgpu__cuda_transfer(ctx, to, (const char *)from->handle + offset, bytes,
                                               cudaMemcpyDeviceToHost);
    return error == cudaSuccess ? COMBGPU_OK
                                : combgpu__cuda_fail(ctx, error, "cannot read from", "the device");
}

COMBGPU__PRIVATE combgpu_status combgpu__cuda_copy(combgpu_context *ctx, combgpu__memory *to,
                                                   size_t to_offset, const combgpu__memory *from,
                                                   size_t from_offset, size_t bytes)
{
    cudaError_t error = combgpu__cuda_transfer(ctx, (char *)to->handle + to_offset,
                                               (const char *)from->handle + from_offset, bytes,
                                               cudaMemcpyDeviceToDevice);
    return error == cudaSuccess ? COMBGPU_OK
                                : combgpu__cuda_fail(ctx, error, "cannot copy on", "the device");
}

/* ---- launch */

COMBGPU__PRIVATE combgpu_status combgpu__cuda_start(combgpu_context *ctx, combgpu__launch *launch)
{
    combgpu__cuda_device *cuda = (combgpu__cuda_device *)ctx->handle;
    const combgpu__cuda_kernel *prepared = (const combgpu__cuda_kernel *)launch->program;
    void *arguments[6] = {&launch->control->handle, &launch->tables->handle,
                          &launch->tasks->handle,   &launch->left->handle,
                          &launch->records->handle, &launch->work->handle};
    size_t lanes = (size_t)launch->workers * (size_t)launch->kernel->lanes_per_worker;
    dim3 grid((unsigned)((lanes + prepared->block - 1) / prepared->block)), block(prepared->block);
    cudaError_t error = cudaSetDevice(ctx->device.index);
    if (error == cudaSuccess) error = cudaEventRecord(prepared->begin, cuda->stream);
    if (error == cudaSuccess)
        error = cudaLaunchKernel(prepared->function, grid, block, arguments, prepared->shared,
                                 cuda->stream);
    if (error == cudaSuccess) error = cudaEventRecord(prepared->end, cuda->stream);
    return error == cudaSuccess ? COMBGPU_OK
                                : combgpu__cuda_fail(ctx, error, "kernel", launch->kernel->name);
}

COMBGPU__PRIVATE combgpu__result combgpu__cuda_poll(combgpu_context *ctx, combgpu__launch *launch)
{
    const combgpu__cuda_kernel *prepared = (const combgpu__cuda_kernel *)launch->program;
    float milliseconds = 0;
    cudaError_t error = cudaSetDevice(ctx->device.index);
    if (error == cudaSuccess) error = cudaEventQuery(prepared->end);
    if (error == cudaErrorNotReady) {
        cudaGetLastError();
        return COMBGPU__WORKING;
    }
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, prepared->begin, prepared->end);
    if (error != cudaSuccess)
        return combgpu__as_result(combgpu__cuda_fail(ctx, error, "kernel", launch->kernel->name));
    launch->seconds = 1e-3 * (double)milliseconds;
    return COMBGPU__DONE;
}

/* ---- the caller's memory */

COMBGPU__PRIVATE combgpu_status combgpu__cuda_adopt(combgpu_context *ctx, const char *name,
                                                    const combgpu_device_memory *from,
                                                    combgpu__memory *to, size_t *shift)
{
    combgpu__cuda_device *cuda = (combgpu__cuda_device *)ctx->handle;
    struct cudaPointerAttributes attributes;
    uintptr_t begin = (uintptr_t)from->memory + from->offset;
    cudaEvent_t event;
    cudaError_t error = cudaSetDevice(ctx->device.index);
    memset(&attributes, 0, sizeof attributes);
    if (error == cudaSuccess) error = cudaPointerGetAttributes(&attributes, from->memory);
    if (error != cudaSuccess) cudaGetLastError();
    if (error != cudaSuccess ||
        (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s.memory, %p, is not CUDA device memory (cudaMalloc)", name,
                             from->memory);
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != ctx->device.index)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s.memory, %p, is on CUDA device %d; the context is on device %d",
                             name, from->memory, attributes.device, ctx->device.index);
    error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (error == cudaSuccess) {
        error = cudaEventRecord(event, (cudaStream_t)from->queue);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(cuda->stream, event, 0);
        cudaEventDestroy(event); /* CUDA keeps it until then */
    }
    if (error != cudaSuccess) return combgpu__cuda_fail(ctx, error, "cannot wait for", "queue");
    *shift = begin % 16; /* kernels store 16 bytes at a time */
    to->handle = (void *)(begin - *shift);
    to->bytes = from->bytes + *shift;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cuda_fill(combgpu_context *ctx, combgpu__memory *memory,
                                                   size_t offset, int value, size_t bytes,
                                                   double *seconds)
{
    combgpu__cuda_device *cuda = (combgpu__cuda_device *)ctx->handle;
    cudaEvent_t begin = NULL, end = NULL;
    float milliseconds = 0;
    cudaError_t error = cudaSetDevice(ctx->device.index);
    if (error == cudaSuccess) error = cudaEventCreate(&begin);
    if (error == cudaSuccess) error = cudaEventCreate(&end);
    if (error == cudaSuccess) error = cudaEventRecord(begin, cuda->stream);
    if (error == cudaSuccess)
        error = cudaMemsetAsync((char *)memory->handle + offset, value, bytes, cuda->stream);
    if (error == cudaSuccess) error = cudaEventRecord(end, cuda->stream);
    if (error == cudaSuccess) error = cudaEventSynchronize(end);
    if (error == cudaSuccess) error = cudaEventElapsedTime(&milliseconds, begin, end);
    if (begin) cudaEventDestroy(begin);
    if (end) cudaEventDestroy(end);
    *seconds = 1e-3 * (double)milliseconds;
    return error == cudaSuccess ? COMBGPU_OK
                                : combgpu__cuda_fail(ctx, error, "cannot fill", "memory");
}

/* Loads a kernel, in parallel threads for several devices. */
COMBGPU__PRIVATE void combgpu__cuda_warm(int index, const combgpu__kernel *kernel)
{
    struct cudaFuncAttributes attributes;
    const void *function = kernel ? combgpu__cuda_function(kernel) : NULL;
    if (cudaSetDevice(index) != cudaSuccess || cudaFree(NULL) != cudaSuccess ||
        (function && cudaFuncGetAttributes(&attributes, function) != cudaSuccess))
        cudaGetLastError();
}

static const combgpu__backend combgpu__cuda = {COMBGPU_BACKEND_CUDA,   "cuda",
                                               combgpu__cuda_devices,  combgpu__cuda_open,
                                               combgpu__cuda_close,    combgpu__cuda_prepare,
                                               combgpu__cuda_forget,   combgpu__cuda_allocate,
                                               combgpu__cuda_release,  combgpu__cuda_upload,
                                               combgpu__cuda_download, combgpu__cuda_copy,
                                               combgpu__cuda_start,    combgpu__cuda_poll,
                                               combgpu__cuda_adopt,    combgpu__cuda_fill,
                                               combgpu__cuda_warm};
