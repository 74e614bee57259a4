/* Lists the kernels of the travelling salesman. */
#define COMBGPU__TSP_KERNELS(PLAIN, SHARED, CALLERS)                                               \
    PLAIN(combgpu_tsp_brute, "TSP")                                                                \
    PLAIN(combgpu_tsp_table, "TSP")                                                                \
    PLAIN(combgpu_tsp_batched, "TSP")                                                              \
    PLAIN(combgpu_tsp_shortest, "TSP")                                                             \
    PLAIN(combgpu_tsp_branch, "BRANCH")                                                            \
    PLAIN(combgpu_tsp_branch_wide, "BRANCH")                                                       \
    PLAIN(combgpu_tsp_branch_batch, "BRANCH")
/* Drivers that they do not suit: src/backend/backend.h. */
#define COMBGPU__TSP_FAULTS(FAULT)                                                                 \
    FAULT(combgpu_tsp_branch, POCL_CBS)                                                            \
    FAULT(combgpu_tsp_branch_wide, POCL_CBS)                                                       \
    FAULT(combgpu_tsp_branch_batch, POCL_CBS)
