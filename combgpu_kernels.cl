/* combgpu_kernels.cl - the device kernels of combgpu, one source for OpenCL C 1.2 and CUDA C++11.

   Each kernel is a worker's slice of a search (combgpu.h, SECTION 11): take tasks, count, emit
   records, give back what is left. The C solvers in combgpu.h do the same on the CPU and were written
   separately, so that each checks the other.

   THE DIALECT (upper case, defined here, undefined at the end in CUDA builds)
     types       u8 u16 u32 u64 i32 i64
     qualifiers  KERNEL, DEVICE (function), GLOBAL, LOCAL, LOCAL_ARRAY (declaration in a kernel)
     ids         LANE_ID (in the block), BLOCK_ID, BLOCK_LANES, BLOCK_COUNT, BLOCK_BARRIER()
     bits        POPCOUNT(x) of u32, CLZ(x) of u32 (32 at 0), CTZ(x) of u32 (x != 0)
     atomics     ATOMIC_ADD, ATOMIC_OR, ATOMIC_MIN on GLOBAL u32 *, LOCAL_ATOMIC_ADD on LOCAL u32 *
     groups      8 or 32 lanes that share a task. GROUP_BEGIN at the top of the kernel, then
                 GROUP_MIN(x), GROUP_BALLOT(p), GROUP_FROM(x, lane), GROUP_ANY... see below */

#ifdef __OPENCL_VERSION__
#define u8 uchar
#define u16 ushort
#define u32 uint
#define u64 ulong
#define i32 int
#define i64 long
#define KERNEL __kernel void
#define DEVICE static inline
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_ARRAY __local
#define LANE_ID ((u32)get_local_id(0))
#define BLOCK_ID ((u32)get_group_id(0))
#define BLOCK_LANES ((u32)get_local_size(0))
#define BLOCK_COUNT ((u32)get_num_groups(0))
#define BLOCK_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define POPCOUNT(x) popcount((u32)(x))
#define CLZ(x) clz((u32)(x))
#define ATOMIC_ADD(p, x) atomic_add((volatile __global u32 *)(p), (u32)(x))
#define ATOMIC_OR(p, x) atomic_or((volatile __global u32 *)(p), (u32)(x))
#define ATOMIC_MIN(p, x) atomic_min((volatile __global u32 *)(p), (u32)(x))
#define LOCAL_ATOMIC_ADD(p, x) atomic_add((volatile __local u32 *)(p), (u32)(x))
#else
#define u8 unsigned char
#define u16 unsigned short
#define u32 unsigned int
#define u64 unsigned long long
#define i32 int
#define i64 long long
#define KERNEL static __global__ void
#define DEVICE static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY __shared__
#define LANE_ID (threadIdx.x)
#define BLOCK_ID (blockIdx.x)
#define BLOCK_LANES (blockDim.x)
#define BLOCK_COUNT (gridDim.x)
#define BLOCK_BARRIER() __syncthreads()
#define POPCOUNT(x) ((u32)__popc(x))
#define CLZ(x) ((u32)__clz((int)(x)))
#define ATOMIC_ADD(p, x) atomicAdd((u32 *)(p), (u32)(x))
#define ATOMIC_OR(p, x) atomicOr((u32 *)(p), (u32)(x))
#define ATOMIC_MIN(p, x) atomicMin((u32 *)(p), (u32)(x))
#define LOCAL_ATOMIC_ADD(p, x) atomicAdd((u32 *)(p), (u32)(x))
#endif
#define CTZ(x) (31u - CLZ((x) & (0u - (x))))

/* Group operations over GROUP_LANES consecutive lanes. All lanes of a *crew* (the lanes that run in
   lockstep: a warp where there are shuffles, else the one group that is then the whole block) must
   reach every group operation together: loops around them end by CREW_ANY(condition).
     CREW_ANY(p)            nonzero if p holds in any lane of the crew
     GROUP_MIN(x)           smallest u32 x of the group, in all its lanes
     GROUP_BALLOT(p)        bit i = p in the group's lane i
     GROUP_FROM(x, i)       the u32 x of the group's lane i (each lane may name its own i)
   GROUP_LANES is 8 or 32 and must be defined by the kernel's section before GROUP_DEFINE. */
#if !defined(__OPENCL_VERSION__) || defined(__NV_CL_C_VERSION)
#define COMBGPU_HAS_SHUFFLE 1
#endif

/* The control block, twin of combgpu__slice in combgpu.h. */
typedef struct combgpu_slice_t {
    u32 task_count, task_next, left_count, left_capacity, record_count, record_capacity;
    u32 budget, stop, workers, task_words, record_words;
    u32 reserved[5];
    u32 totals[32];
} combgpu_slice_t;

/* The six arguments of every kernel. */
#define SLICE_ARGUMENTS                                                                            \
    GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables, GLOBAL const u32 *tasks,              \
        GLOBAL u32 *left, GLOBAL u32 *records, GLOBAL u32 *work

/* Adds to a 64-bit total with 32-bit atomics: the carry is known from the old low word. */
DEVICE void combgpu_add_total(GLOBAL combgpu_slice_t *slice, u32 i, u64 x)
{
    u32 low = (u32)x, high = (u32)(x >> 32), old;
    if (low) {
        old = ATOMIC_ADD(&slice->totals[2 * i], low);
        if (old + low < old) high++;
    }
    if (high) ATOMIC_ADD(&slice->totals[2 * i + 1], high);
}

/* ---------------------------------------------------------------------------------- MAGIC */
#if defined(COMBGPU_KERNELS_MAGIC) || !defined(__OPENCL_VERSION__)

#endif /* MAGIC */

/* ---------------------------------------------------------------------------------- NO3 */
#if defined(COMBGPU_KERNELS_NO3) || !defined(__OPENCL_VERSION__)

#endif /* NO3 */

/* ---------------------------------------------------------------------------------- PERM */
#if defined(COMBGPU_KERNELS_PERM) || !defined(__OPENCL_VERSION__)

#endif /* PERM */

/* ---------------------------------------------------------------------------------- TSP */
#if defined(COMBGPU_KERNELS_TSP) || !defined(__OPENCL_VERSION__)

#endif /* TSP */
