/* Lists the kernels of no-three-in-line. */
#define COMBGPU__NO3_KERNELS(PLAIN, SHARED, CALLERS)                                               \
    SHARED(combgpu_no3_search_solo, "NO3", COMBGPU__NO3_SOLO_BYTES(0))                             \
    SHARED(combgpu_no3_search_solo17, "NO3", COMBGPU__NO3_SOLO_BYTES(1))                           \
    SHARED(combgpu_no3_search_solo18, "NO3", COMBGPU__NO3_SOLO_BYTES(2))                           \
    SHARED(combgpu_no3_search_solo19, "NO3", COMBGPU__NO3_SOLO_BYTES(3))                           \
    SHARED(combgpu_no3_search_solo20, "NO3", COMBGPU__NO3_SOLO_BYTES(4))                           \
    SHARED(combgpu_no3_search_solo21, "NO3", COMBGPU__NO3_SOLO_BYTES(5))                           \
    PLAIN(combgpu_no3_search_24, "NO3")                                                            \
    PLAIN(combgpu_no3_search_fold, "NO3")                                                          \
    PLAIN(combgpu_no3_search_fold_odd, "NO3")                                                      \
    PLAIN(combgpu_no3_search_half, "NO3")                                                          \
    PLAIN(combgpu_no3_search_half_ort1, "NO3")                                                     \
    PLAIN(combgpu_no3_search_fold24, "NO3")                                                        \
    PLAIN(combgpu_no3_search_fold32, "NO3")                                                        \
    PLAIN(combgpu_no3_search_dia2_24, "NO3")                                                       \
    PLAIN(combgpu_no3_search_dia2_32, "NO3")                                                       \
    PLAIN(combgpu_no3_search_ort1_24, "NO3")                                                       \
    PLAIN(combgpu_no3_search_dia1_24, "NO3")                                                       \
    PLAIN(combgpu_no3_search_16, "NO3")                                                            \
    PLAIN(combgpu_no3_search_32, "NO3")                                                            \
    PLAIN(combgpu_no3_search_48, "NO3")                                                            \
    PLAIN(combgpu_no3_search_48w, "NO3")                                                           \
    PLAIN(combgpu_no3_search_64, "NO3")                                                            \
    PLAIN(combgpu_no3_search_64w, "NO3")                                                           \
    PLAIN(combgpu_no3_search_128w, "NO3")                                                          \
    PLAIN(combgpu_no3_search_192w, "NO3")
/* src/backend/backend.h lists the drivers that reject them. */
#define COMBGPU__NO3_FAULTS(FAULT)                                                                 \
    FAULT(combgpu_no3_search_solo17, POCL_LLVM18)                                                  \
    FAULT(combgpu_no3_search_solo19, POCL_LLVM18)                                                  \
    FAULT(combgpu_no3_search_solo20, POCL_LLVM18)
