/* Lists the kernels of magic squares. */
#define COMBGPU__MAGIC_KERNELS(PLAIN, SHARED, CALLERS)                                             \
    PLAIN(combgpu_magic_search, "MAGIC")                                                           \
    PLAIN(combgpu_magic_join, "MAGIC")                                                             \
    PLAIN(combgpu_magic_lists, "MAGIC")                                                            \
    PLAIN(combgpu_magic_four, "MAGIC")                                                             \
    PLAIN(combgpu_magic_ultra, "MAGIC6")                                                           \
    PLAIN(combgpu_magic_associative, "MAGIC6")                                                     \
    PLAIN(combgpu_magic_semi, "MAGIC")                                                             \
    PLAIN(combgpu_magic_samples, "MAGIC6")                                                         \
    PLAIN(combgpu_magic_arranged, "MAGIC6")                                                        \
    PLAIN(combgpu_magic_arranged_wide, "MAGIC6")                                                   \
    PLAIN(combgpu_magic_six, "MAGIC6")                                                             \
    PLAIN(combgpu_magic_ranks, "MAGIC6")
/* src/backend/backend.h lists the drivers that reject them. */
#define COMBGPU__MAGIC_FAULTS(FAULT)                                                               \
    FAULT(combgpu_magic_six, POCL_LLVM18)                                                          \
    FAULT(combgpu_magic_six, POCL_CBS)                                                             \
    FAULT(combgpu_magic_associative, POCL_CBS)
