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

/* One copy on the context's stream. */
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

