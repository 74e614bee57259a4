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

COMBGPU__PRIVATE combgpu_status combgpu__cuda_poll(combgpu_context *ctx, combgpu__launch *launch)
{
    const combgpu__cuda_kernel *prepared = (const combgpu__cuda_kernel *)launch->program;
    float milliseconds = 0;
    cudaError_t error = cudaSetDevice(ctx->device.index);
    if (error == cudaSuccess) error = cudaEventQuery(prepared->end);
    if (error == cudaErrorNotReady) {
        cudaGetLastError();
        return COMBGPU_RUNNING;
    }
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, prepared->begin, prepared->end);
    if (error != cudaSuccess) return combgpu__cuda_fail(ctx, error, "kernel", launch->kernel->name);
    launch->seconds = 1e-3 * (double)milliseconds;
    return COMBGPU_OK;
}

/* ---- memory of the caller's */

COMBGPU__PRIVATE combgpu_status combgpu__cuda_adopt(combgpu_context *ctx,
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
                             "memory %p is not CUDA device memory (cudaMalloc)", from->memory);
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != ctx->device.index)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "memory %p lies on CUDA device %d; the context is on device %d",
                             from->memory, attributes.device, ctx->device.index);
    error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (error == cudaSuccess) {
        error = cudaEventRecord(event, (cudaStream_t)from->queue);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(cuda->stream, event, 0);
        cudaEventDestroy(event); /* CUDA keeps it until it has happened */
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

/* Several threads load kernels of several devices at once. */
COMBGPU__PRIVATE void combgpu__cuda_warm(int index, const combgpu__kernel *kernel)
{
    struct cudaFuncAttributes attributes;
    const void *function = !kernel                 ? NULL
                           : kernel->cuda_function ? kernel->cuda_function
                                                   : combgpu__cuda_find(kernel->name);
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
