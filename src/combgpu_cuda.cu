/* combgpu_cuda.cu - the CUDA backend of combgpu. Included by combgpu.h (SECTION 12) when
   COMBGPU_CUDA is defined; compile with nvcc -x cu, CUDA 10.2 or later, C++11 or later.
   combgpu_kernels.cl must lie beside this file.

   A call on a context makes its device the current one of the calling thread, and leaves it so. All
   work goes to a stream of the context's own. Memory is plain device memory, copied explicitly: no
   managed memory, which Jetson boards cannot share with a running kernel. */

#ifndef COMBGPU__IMPLEMENTED
#error "combgpu_cuda.cu is included by combgpu.h: define COMBGPU_CUDA and include that"
#endif
#ifndef __CUDACC__
#error "COMBGPU_CUDA needs nvcc: compile with nvcc -x cu -DCOMBGPU_CUDA, or leave it out"
#endif

#include <cuda_runtime.h>

#include "combgpu_kernels.cl"

/* An open device: ctx->handle. */
typedef struct combgpu__cuda_device {
    cudaStream_t stream;
} combgpu__cuda_device;

/* What prepare returns. */
typedef struct combgpu__cuda_kernel {
    const void *function;
    unsigned block;         /* threads in a block */
    size_t shared;          /* bytes of dynamic shared memory */
    cudaEvent_t begin, end; /* around a slice */
} combgpu__cuda_kernel;

/* The kernel of a name, or NULL. */
COMBGPU__PRIVATE const void *combgpu__cuda_find(const char *name)
{
    static const struct {
        const char *name;
        const void *function;
    } kernels[] = {
        {"combgpu_probe4", (const void *)combgpu_probe4},
        {"combgpu_probe8", (const void *)combgpu_probe8},
        {"combgpu_probe32", (const void *)combgpu_probe32},
#ifdef COMBGPU__HAS_TSP
        {"combgpu_tsp_brute", (const void *)combgpu_tsp_brute},
        {"combgpu_tsp_table", (const void *)combgpu_tsp_table},
        {"combgpu_tsp_batched", (const void *)combgpu_tsp_batched},
        {"combgpu_tsp_branch", (const void *)combgpu_tsp_branch},
        {"combgpu_tsp_branch_wide", (const void *)combgpu_tsp_branch_wide},
#endif
#ifdef COMBGPU__HAS_MAGIC
        {"combgpu_magic_search", (const void *)combgpu_magic_search},
        {"combgpu_magic_join", (const void *)combgpu_magic_join},
        {"combgpu_magic_samples", (const void *)combgpu_magic_samples},
        {"combgpu_magic_configurations", (const void *)combgpu_magic_configurations},
        {"combgpu_magic_ranks", (const void *)combgpu_magic_ranks},
        {"combgpu_magic_samples_wide", (const void *)combgpu_magic_samples_wide},
        {"combgpu_magic_lists", (const void *)combgpu_magic_lists},
        {"combgpu_magic_four", (const void *)combgpu_magic_four},
        {"combgpu_magic_semi", (const void *)combgpu_magic_semi},
#endif
#ifdef COMBGPU__HAS_NO3
        {"combgpu_no3_search_solo", (const void *)combgpu_no3_search_solo},
        {"combgpu_no3_search_solo17", (const void *)combgpu_no3_search_solo17},
        {"combgpu_no3_search_20", (const void *)combgpu_no3_search_20},
        {"combgpu_no3_search_24", (const void *)combgpu_no3_search_24},
        {"combgpu_no3_search_24f", (const void *)combgpu_no3_search_24f},
        {"combgpu_no3_search_fold", (const void *)combgpu_no3_search_fold},
        {"combgpu_no3_search_fold_odd", (const void *)combgpu_no3_search_fold_odd},
        {"combgpu_no3_search_half", (const void *)combgpu_no3_search_half},
        {"combgpu_no3_search_half_ort1", (const void *)combgpu_no3_search_half_ort1},
        {"combgpu_no3_search_16", (const void *)combgpu_no3_search_16},
        {"combgpu_no3_search_32", (const void *)combgpu_no3_search_32},
        {"combgpu_no3_search_48", (const void *)combgpu_no3_search_48},
        {"combgpu_no3_search_48w", (const void *)combgpu_no3_search_48w},
        {"combgpu_no3_search_64", (const void *)combgpu_no3_search_64},
        {"combgpu_no3_search_64w", (const void *)combgpu_no3_search_64w},
        {"combgpu_no3_search_128w", (const void *)combgpu_no3_search_128w},
        {"combgpu_no3_search_192w", (const void *)combgpu_no3_search_192w},
#endif
#ifdef COMBGPU__HAS_PERM
        {"combgpu_perm_write", (const void *)combgpu_perm_write},
        {"combgpu_perm_write_set", (const void *)combgpu_perm_write_set},
        {"combgpu_perm_write_multiset", (const void *)combgpu_perm_write_multiset},
        {"combgpu_perm_write_direct", (const void *)combgpu_perm_write_direct},
#endif
    };
#include "backend/cuda_device.cu"
#include "backend/cuda_kernels.cu"
#include "backend/cuda_memory.cu"
#include "backend/cuda_launch.cu"
