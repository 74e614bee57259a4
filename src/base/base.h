/* Declares base's functions that need a context; those of math.c, bits.c, words.c, simd.c and
   platform.c need none. */

/* count * size, or SIZE_MAX, which no allocation can satisfy, on overflow. */
COMBGPU__PRIVATE size_t combgpu__bytes(size_t count, size_t size);
/* Memory from the context's allocator, or NULL. Releasing NULL does nothing. */
COMBGPU__PRIVATE void *combgpu__allocate(combgpu_context *ctx, size_t bytes);
COMBGPU__PRIVATE void *combgpu__allocate_zeroed(combgpu_context *ctx, size_t bytes);
COMBGPU__PRIVATE void combgpu__release(combgpu_context *ctx, void *memory);

/* Writes a message to the context and returns the status: `return combgpu__fail(ctx, ...)`. */
COMBGPU__PRIVATE combgpu_status combgpu__fail(combgpu_context *ctx, combgpu_status status,
                                              const char *format, ...) COMBGPU__PRINTF(3, 4);
/* Fails with OUT_OF_MEMORY. */
COMBGPU__PRIVATE combgpu_status combgpu__no_memory(combgpu_context *ctx, size_t bytes);
/* Writes only to the logger. */
COMBGPU__PRIVATE void combgpu__log(combgpu_context *ctx, combgpu_log_level level,
                                   const char *format, ...) COMBGPU__PRINTF(3, 4);
COMBGPU__PRIVATE void combgpu__clear_message(combgpu_context *ctx);
/* Replaces the logger; returns the previous one. */
COMBGPU__PRIVATE combgpu_logger combgpu__set_logger(combgpu_context *ctx, combgpu_logger logger);

#ifdef COMBGPU__FILES
/* Reads a whole file. If it is missing, *bytes is NULL and the status OK. */
COMBGPU__PRIVATE combgpu_status combgpu__read_file(combgpu_context *ctx, const char *path,
                                                   unsigned char **bytes, size_t *size);
#endif

/* Numbers of threads: for this process, by its processors and OMP_NUM_THREADS; for a context; for
   the host's own work. */
enum { COMBGPU__MAX_THREADS = 4096 };
COMBGPU__PRIVATE int combgpu__processors(void);
COMBGPU__PRIVATE int combgpu__threads(const combgpu_context *ctx);
COMBGPU__PRIVATE int combgpu__host_threads(const combgpu_context *ctx);

/* A context that only allocates, from `bytes` bytes at `memory`; it occupies COMBGPU__ARENA_HEAD of
   them itself, is never freed, and loses its messages. */
#define COMBGPU__ARENA_HEAD 4096
COMBGPU__PRIVATE combgpu_context *combgpu__arena_make(void *memory, size_t bytes);
/* The bytes left in such a context, a multiple of 64. */
COMBGPU__PRIVATE size_t combgpu__arena_room(const combgpu_context *ctx);
