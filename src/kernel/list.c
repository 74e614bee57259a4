/* The list of this build's kernels, made of the rooms' lists (kernels.h), where backends find a
   kernel by name. Each entry is one of:

     PLAIN(function, part)           a kernel and its part of combgpu_kernels.cl
     SHARED(function, part, bytes)   a kernel with a second form for CUDA, function_shared, which
                                     keeps its tables in `bytes` of dynamic shared memory
     CALLERS(function, part)         a kernel that contains a caller's function; for CUDA the
                                     caller's file defines it (combgpu__kernel.cuda_function) */
#ifdef COMBGPU_CUDA
#define COMBGPU__ENTRY_FUNCTION(function) (const void *)function
#else
#define COMBGPU__ENTRY_FUNCTION(function) NULL
#endif
#define COMBGPU__ENTRY(function, part)                                                             \
    {#function, part, COMBGPU__ENTRY_FUNCTION(function), NULL, 0},
#define COMBGPU__ENTRY_SHARED(function, part, bytes)                                               \
    {#function, part, COMBGPU__ENTRY_FUNCTION(function),                                           \
     COMBGPU__ENTRY_FUNCTION(function##_shared), bytes},
#define COMBGPU__ENTRY_CALLERS(function, part) {#function, part, NULL, NULL, 0},

#define COMBGPU__ENTRIES(room, NAME)                                                               \
    COMBGPU__##NAME##_KERNELS(COMBGPU__ENTRY, COMBGPU__ENTRY_SHARED, COMBGPU__ENTRY_CALLERS)

COMBGPU__PRIVATE const combgpu__entry *combgpu__entry_of(const char *name)
{
    static const combgpu__entry entries[] = {
        /* clang-format off */
        COMBGPU__PROBE_KERNELS(COMBGPU__ENTRY)
        COMBGPU__SEARCHES(COMBGPU__ENTRIES)
        /* clang-format on */
    };
    size_t i;
    for (i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (!strcmp(entries[i].name, name)) return &entries[i];
    return NULL;
}

#ifdef COMBGPU_OPENCL
#define COMBGPU__FAULT(function, driver) {#function, COMBGPU__##driver},
#define COMBGPU__FAULTS(room, NAME) COMBGPU__##NAME##_FAULTS(COMBGPU__FAULT)

/* Returns the drivers on which the kernel of this name fails. */
COMBGPU__PRIVATE int combgpu__entry_faults(const char *name)
{
    static const struct {
        const char *name;
        int driver;
    } faults[] = {
        /* clang-format off */
        COMBGPU__SEARCHES(COMBGPU__FAULTS)
        {"", 0}
        /* clang-format on */
    };
    int drivers = 0;
    size_t i;
    for (i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (!strcmp(faults[i].name, name)) drivers |= faults[i].driver;
    return drivers;
}
#endif
