/* A context that only allocates, from one block of memory: for workers, whose functions allocate
   but must not call the caller's allocator. */

typedef struct combgpu__arena {
    struct combgpu_context context;
    char *at, *end, *last; /* last: the latest allocation */
} combgpu__arena;
typedef char combgpu__arena_fits[sizeof(combgpu__arena) <= COMBGPU__ARENA_HEAD ? 1 : -1];

COMBGPU__PRIVATE void *combgpu__arena_allocate(size_t bytes, void *user)
{
    combgpu__arena *arena = (combgpu__arena *)user;
    size_t whole = (bytes + 63) / 64 * 64;
    if (whole < bytes || whole > (size_t)(arena->end - arena->at)) return NULL;
    arena->last = arena->at;
    arena->at += whole;
    return arena->last;
}

/* Frees the latest allocation; others stay until the arena is made anew. */
COMBGPU__PRIVATE void combgpu__arena_release(void *memory, void *user)
{
    combgpu__arena *arena = (combgpu__arena *)user;
    if (memory == arena->last) arena->at = arena->last;
}

COMBGPU__PRIVATE combgpu_context *combgpu__arena_make(void *memory, size_t bytes)
{
    combgpu__arena *arena = (combgpu__arena *)memory;
    memset(arena, 0, sizeof *arena);
    arena->at = (char *)memory + COMBGPU__ARENA_HEAD;
    arena->end = (char *)memory + bytes;
    arena->context.desc.allocator.allocate = combgpu__arena_allocate;
    arena->context.desc.allocator.release = combgpu__arena_release;
    arena->context.desc.allocator.user = arena;
    return &arena->context;
}

COMBGPU__PRIVATE size_t combgpu__arena_room(const combgpu_context *ctx)
{
    const combgpu__arena *arena = (const combgpu__arena *)ctx->desc.allocator.user;
    return (size_t)(arena->end - arena->at);
}
