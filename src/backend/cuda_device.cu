    size_t i;
    for (i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (!strcmp(kernels[i].name, name)) return kernels[i].function;
    return NULL;
}

/* ---- errors */

/* Fails because CUDA did; `what` was being done, with the kernel or object `name`. */
COMBGPU__PRIVATE combgpu_status combgpu__cuda_fail(combgpu_context *ctx, cudaError_t error,
                                                   const char *what, const char *name)
{
    combgpu_status status = COMBGPU_DEVICE_ERROR;
    const char *advice = "";
    cudaGetLastError(); /* else the next call, perhaps the caller's own, reports it again */
    if (error == cudaErrorMemoryAllocation)
        status = COMBGPU_DEVICE_OUT_OF_MEMORY;
    else if (error == cudaErrorLaunchTimeout)
        advice = "; the display's or system's watchdog killed it: lower slice_ms. The context is "
                 "lost: close it";
    else if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction)
        advice = "; the program holds no code for this device: compile with nvcc -arch as in "
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
    struct cudaDeviceProp properties; /* name and memory only: CUDA 13 has removed other fields */
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
    if (cudaGetDeviceCount(&count) != cudaSuccess) { /* no driver, or none that is new enough */
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
    ctx->shuffles = 1;
    error = cudaSetDevice(ctx->desc.device);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaMemGetInfo(&free_bytes, &all_bytes);
    ctx->free_bytes = free_bytes;
    if (error == cudaSuccess) return COMBGPU_OK;
    combgpu__cuda_close(ctx);
    return combgpu__cuda_fail(ctx, error, "cannot open", ctx->device.name);
}

