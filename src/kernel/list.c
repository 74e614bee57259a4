/* The kernels of this build in one list, made of the problems' lists, in which the backends find a
   kernel by its name.

     PLAIN(function, part)           a kernel, and its part of combgpu_kernels.cl
     SHARED(function, part, bytes)   a kernel with a second form for CUDA, function_shared, which
                                     keeps its tables in `bytes` of dynamic shared memory
     CALLERS(function, part)         a kernel that contains a caller's function; for CUDA the
                                     caller's file defines it (combgpu__kernel.cuda_function) */
typedef struct combgpu__entry {
    const char *name;
    const char *part;        /* "MAGIC" -> COMBGPU_KERNELS_MAGIC */
    const void *cuda;        /* NULL without CUDA, and for CALLERS */
    const void *cuda_shared; /* NULL = no such form */
    int shared_bytes;
} combgpu__entry;

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

/* Returns the kernel of this name, or NULL. */
COMBGPU__PRIVATE const combgpu__entry *combgpu__entry_of(const char *name)
{
    static const combgpu__entry entries[] = {
        /* clang-format off */
        COMBGPU__PROBE_KERNELS(COMBGPU__ENTRY)
#ifdef COMBGPU__HAS_MAGIC
        COMBGPU__MAGIC_KERNELS(COMBGPU__ENTRY)
#endif
#ifdef COMBGPU__HAS_NO3
        COMBGPU__NO3_KERNELS(COMBGPU__ENTRY, COMBGPU__ENTRY_SHARED)
#endif
#ifdef COMBGPU__HAS_PERM
        COMBGPU__PERM_KERNELS(COMBGPU__ENTRY, COMBGPU__ENTRY_CALLERS)
#endif
#ifdef COMBGPU__HAS_TSP
        COMBGPU__TSP_KERNELS(COMBGPU__ENTRY)
#endif
        /* clang-format on */
    };
    size_t i;
    for (i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (!strcmp(entries[i].name, name)) return &entries[i];
    return NULL;
}

#ifdef COMBGPU_OPENCL
/* Drivers that some kernels do not suit; src/backend/opencl_program.c tells them. A problem's list
   has FAULT(function, driver) for each, found by tests/platforms_opencl.sh. */
enum { COMBGPU__POCL_LLVM18 = 1, COMBGPU__POCL_CBS = 2, COMBGPU__RUSTICL_LLVMPIPE = 4 };

#define COMBGPU__FAULT(function, driver) {#function, COMBGPU__##driver},

/* Returns the drivers that the kernel of this name does not suit. */
COMBGPU__PRIVATE int combgpu__entry_faults(const char *name)
{
    static const struct {
        const char *name;
        int driver;
    } faults[] = {
        /* clang-format off */
#ifdef COMBGPU__HAS_MAGIC
        COMBGPU__MAGIC_FAULTS(COMBGPU__FAULT)
#endif
#ifdef COMBGPU__HAS_NO3
        COMBGPU__NO3_FAULTS(COMBGPU__FAULT)
#endif
#ifdef COMBGPU__HAS_TSP
        COMBGPU__TSP_FAULTS(COMBGPU__FAULT)
#endif
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
