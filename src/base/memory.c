/* Host memory from the context's allocator. */

COMBGPU__PRIVATE size_t combgpu__bytes(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return SIZE_MAX;
    return count * size;
}

COMBGPU__PRIVATE void *combgpu__allocate(combgpu_context *ctx, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL; /* no object is that large */
    if (!bytes) bytes = 1;
    return ctx->desc.allocator.allocate
               ? ctx->desc.allocator.allocate(bytes, ctx->desc.allocator.user)
               : malloc(bytes);
}

COMBGPU__PRIVATE void *combgpu__allocate_zeroed(combgpu_context *ctx, size_t bytes)
{
    void *memory;
    if (!ctx->desc.allocator.allocate && bytes <= SIZE_MAX / 2) return calloc(bytes ? bytes : 1, 1);
    memory = combgpu__allocate(ctx, bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

COMBGPU__PRIVATE void combgpu__release(combgpu_context *ctx, void *memory)
{
    if (!memory) return;
    if (ctx->desc.allocator.release)
        ctx->desc.allocator.release(memory, ctx->desc.allocator.user);
    else
        free(memory);
}

/* As realloc; `bytes` of `memory` are in use. Keeps `memory` on failure. */
COMBGPU__PRIVATE void *combgpu__reallocate(combgpu_context *ctx, void *memory, size_t bytes,
                                           size_t more)
{
    void *grown;
    if (!ctx->desc.allocator.allocate && !ctx->desc.allocator.release && more <= SIZE_MAX / 2)
        return realloc(memory, more ? more : 1); /* may avoid copying and new pages */
    grown = combgpu__allocate(ctx, more);
    if (!grown) return NULL;
    if (bytes) memcpy(grown, memory, bytes);
    combgpu__release(ctx, memory);
    return grown;
}
