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

/* The form of a kernel with so many bytes of tables in dynamic shared memory, if there is one and the
   device has so much; else NULL and 0. */
COMBGPU__PRIVATE const void *combgpu__cuda_shared_form(combgpu_context *ctx, const char *name,
                                                       size_t *bytes)
{
    static const struct {
        const char *name;
        const void *function;
        int bytes;
    } forms[] = {
#ifdef COMBGPU__HAS_NO3
        {"combgpu_no3_search_solo", (const void *)combgpu_no3_search_solo_shared,
         COMBGPU_NO3_SOLO_BYTES(0)},
        {"combgpu_no3_search_solo17", (const void *)combgpu_no3_search_solo17_shared,
         COMBGPU_NO3_SOLO_BYTES(1)},
#endif
        {NULL, NULL, 0}};
    int most = combgpu__cuda_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ctx->device.index);
    size_t i;
    for (i = 0; name && forms[i].name; i++)
        if (!strcmp(forms[i].name, name) && forms[i].bytes <= most) {
            cudaError_t error = cudaSetDevice(ctx->device.index);
            if (error == cudaSuccess)
                error = cudaFuncSetAttribute(
                    forms[i].function, cudaFuncAttributeMaxDynamicSharedMemorySize, forms[i].bytes);
            *bytes = (size_t)forms[i].bytes;
            if (error == cudaSuccess) return forms[i].function;
            cudaGetLastError(); /* the other form will do, or say what is wrong */
        }
    *bytes = 0;
    return NULL;
}

COMBGPU__PRIVATE combgpu_status combgpu__cuda_prepare(combgpu_context *ctx,
                                                      const combgpu__kernel *kernel, void **program,
                                                      uint32_t *workers)
{
    const void *function =
        kernel->cuda_function ? kernel->cuda_function : combgpu__cuda_find(kernel->name);
    int lanes = kernel->lanes_per_worker, block = kernel->lanes_per_block, blocks = 0;
    int least = lanes > 1 && lanes < 32 ? 32 : lanes; /* groups are parts of whole warps */
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
    /* as much shared memory as there is: else the driver may leave room for too few blocks */
    if (attributes.sharedSizeBytes > 16384 &&
        cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, 100))
        cudaGetLastError(); /* a wish */
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block, shared);
    if (error != cudaSuccess)
        return combgpu__cuda_fail(ctx, error, "cannot size kernel", kernel->name);
    if (blocks < 1)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "kernel %s needs blocks of %d threads, and the device allows %d",
                             kernel->name, block, attributes.maxThreadsPerBlock);
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

