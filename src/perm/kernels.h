/* Lists the kernels of permutations. */
#define COMBGPU__PERM_KERNELS(PLAIN, SHARED, CALLERS)                                              \
    PLAIN(combgpu_perm_write, "PERM")                                                              \
    PLAIN(combgpu_perm_write_set, "PERM")                                                          \
    PLAIN(combgpu_perm_write_multiset, "MULTISET")                                                 \
    CALLERS(combgpu_perm_visit, "PERM")                                                            \
    CALLERS(combgpu_perm_tree, "SEARCH")
/* src/backend/backend.h lists the drivers that reject them. */
#define COMBGPU__PERM_FAULTS(FAULT)
