/* Permutations: the list of their kernels. */
#define COMBGPU__PERM_KERNELS(PLAIN, SHARED, CALLERS)                                              \
    PLAIN(combgpu_perm_write, "PERM")                                                              \
    PLAIN(combgpu_perm_write_set, "PERM")                                                          \
    PLAIN(combgpu_perm_write_multiset, "MULTISET")                                                 \
    CALLERS(combgpu_perm_visit, "PERM")                                                            \
    CALLERS(combgpu_perm_tree, "SEARCH")
/* Drivers that they do not suit: src/backend/backend.h. */
#define COMBGPU__PERM_FAULTS(FAULT)
