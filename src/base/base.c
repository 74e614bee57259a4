/* ============================================== SECTION 10: memory, messages, hashing, time == */

/* Writes a message to the context and returns the status: `return combgpu__fail(ctx, ...)`. */
COMBGPU__PRIVATE combgpu_status combgpu__fail(combgpu_context *ctx, combgpu_status status,
                                              const char *format, ...) COMBGPU__PRINTF(3, 4);
COMBGPU__PRIVATE combgpu_status combgpu__fail(combgpu_context *ctx, combgpu_status status,
                                              const char *format, ...)
{
    va_list args;
    if (!ctx) return status;
    va_start(args, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    if (ctx->desc.logger.log)
        ctx->desc.logger.log(COMBGPU_LOG_ERROR, ctx->message, ctx->desc.logger.user);
    return status;
}

COMBGPU__PRIVATE void combgpu__log(combgpu_context *ctx, combgpu_log_level level,
                                   const char *format, ...) COMBGPU__PRINTF(3, 4);
COMBGPU__PRIVATE void combgpu__log(combgpu_context *ctx, combgpu_log_level level,
                                   const char *format, ...)
{
    char text[512];
    va_list args;
    if (!ctx || !ctx->desc.logger.log) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ctx->desc.logger.log(level, text, ctx->desc.logger.user);
}

/* count * size, or SIZE_MAX if that overflows (which no allocation can satisfy). */
COMBGPU__PRIVATE size_t combgpu__bytes(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return SIZE_MAX;
    return count * size;
}

COMBGPU__PRIVATE void *combgpu__allocate(combgpu_context *ctx, size_t bytes)
{
    if (bytes == SIZE_MAX) return NULL;
    if (!bytes) bytes = 1;
    return ctx->desc.allocator.allocate
               ? ctx->desc.allocator.allocate(bytes, ctx->desc.allocator.user)
               : malloc(bytes);
}

COMBGPU__PRIVATE void *combgpu__allocate_zeroed(combgpu_context *ctx, size_t bytes)
{
    void *memory;
    if (!ctx->desc.allocator.allocate && bytes < SIZE_MAX) return calloc(bytes ? bytes : 1, 1);
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

/* Threads for the host's own work. */
COMBGPU__PRIVATE int combgpu__host_threads(const combgpu_context *ctx)
{
    int threads = 1;
#ifdef _OPENMP
    threads = ctx->desc.threads ? ctx->desc.threads : omp_get_max_threads();
#else
    (void)ctx;
#endif
    return threads < 16 ? threads : 16;
}

COMBGPU__PRIVATE combgpu_status combgpu__no_memory(combgpu_context *ctx, size_t bytes)
{
    return combgpu__fail(ctx, COMBGPU_OUT_OF_MEMORY, "out of memory: %llu bytes for the host side",
                         (unsigned long long)bytes);
}

/* Seconds on a clock that never goes back. */
COMBGPU__PRIVATE double combgpu__now(void)
{
#if defined(CLOCK_MONOTONIC)
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#elif defined(_OPENMP)
    return omp_get_wtime();
#else
    return (double)time(NULL);
#endif
}

/* splitmix64's finaliser (S. Vigna): the hash whose sums are the checksums. */
COMBGPU__PRIVATE uint64_t combgpu__mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* FNV-1a-64 (G. Fowler, L. C. Noll, K.-P. Vo); begin with COMBGPU__FNV_OFFSET. */
#define COMBGPU__FNV_OFFSET UINT64_C(14695981039346656037)
COMBGPU__PRIVATE uint64_t combgpu__fnv(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (; bytes; bytes--, p++)
        hash = (hash ^ *p) * UINT64_C(1099511628211);
    return hash;
}

COMBGPU__PRIVATE int combgpu__popcount64(uint64_t x)
{
#ifdef __GNUC__
    return __builtin_popcountll(x);
#else
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
#endif
}

/* Index of the lowest set bit; x is not 0. */
COMBGPU__PRIVATE int combgpu__lowest_bit64(uint64_t x)
{
#ifdef __GNUC__
    return __builtin_ctzll(x);
#else
    int n = 0;
    for (; !(x & 1); x >>= 1)
        n++;
    return n;
#endif
}

