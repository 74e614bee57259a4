#ifndef COMBGPU_KERNELS_CL
#define COMBGPU_KERNELS_CL

#ifndef __CUDACC__
#pragma OPENCL FP_CONTRACT OFF
#define u8 uchar
#define u16 ushort
#define u32 uint
#define u64 ulong
#define i32 int
#define i64 long
#define KERNEL __kernel void
#define DEVICE static inline __attribute__((always_inline, unused)) /* as CUDA, for constants */
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_ARRAY __local
#define LANE_ID ((u32)get_local_id(0))
#define BLOCK_ID ((u32)get_group_id(0))
#define BLOCK_LANES ((u32)get_local_size(0))
#define BLOCK_COUNT ((u32)get_num_groups(0))
#define KERNEL_BLOCKS(lanes, blocks) __kernel void
#define BLOCK_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define LOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define POPCOUNT(x) popcount((u32)(x))
#define CLZ(x) clz((u32)(x))
#define ATOMIC_ADD(p, x) atomic_add((volatile __global u32 *)(p), (u32)(x))
#define ATOMIC_OR(p, x) atomic_or((volatile __global u32 *)(p), (u32)(x))
#define ATOMIC_MIN(p, x) atomic_min((volatile __global u32 *)(p), (u32)(x))
#define LOCAL_ATOMIC_ADD(p, x) atomic_add((volatile __local u32 *)(p), (u32)(x))
#define LOCAL_ATOMIC_OR(p, x) atomic_or((volatile __local u32 *)(p), (u32)(x))
#define LOCAL_ATOMIC_CAS(p, x, y) atomic_cmpxchg((volatile __local u32 *)(p), (u32)(x), (u32)(y))
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
/* a multiprocessor holds so many threads; to ask for more is an error */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
#define COMBGPU_SM_THREADS 1024
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 800 || __CUDA_ARCH__ % 100 == 0) && __CUDA_ARCH__ <= 1000
#define COMBGPU_SM_THREADS 2048
#else
#define COMBGPU_SM_THREADS 1536
#endif
#define KERNEL_BLOCKS(lanes, blocks)                                                               \
    static __global__ void __launch_bounds__(                                                      \
        lanes, (lanes) * (blocks) <= COMBGPU_SM_THREADS ? (blocks) : COMBGPU_SM_THREADS / (lanes))
#define BLOCK_BARRIER() __syncthreads()
#define LOCAL_BARRIER() __syncthreads()
#define POPCOUNT(x) ((u32)__popc(x))
#define CLZ(x) ((u32)__clz((int)(x)))
#define ATOMIC_ADD(p, x) atomicAdd((u32 *)(p), (u32)(x))
#define ATOMIC_OR(p, x) atomicOr((u32 *)(p), (u32)(x))
#define ATOMIC_MIN(p, x) atomicMin((u32 *)(p), (u32)(x))
#define LOCAL_ATOMIC_ADD(p, x) atomicAdd((u32 *)(p), (u32)(x))
#define LOCAL_ATOMIC_OR(p, x) atomicOr((u32 *)(p), (u32)(x))
#define LOCAL_ATOMIC_CAS(p, x, y) atomicCAS((u32 *)(p), (u32)(x), (u32)(y))
#endif
#define CTZ(x) (31u - CLZ((x) & (0u - (x))))

/* COMBGPU_SHUFFLE: lanes of a warp can exchange registers. In OpenCL the host says so (-D), since it
   must choose the block size to match. */
#ifdef __CUDACC__
#undef COMBGPU_SHUFFLE
#define COMBGPU_SHUFFLE 1
#endif

/* The control block, twin of combgpu__slice in combgpu.h. */
typedef struct combgpu_slice_t {
    u32 task_count, task_next, left_count, left_capacity, record_count, record_capacity;
    u32 budget, stop, workers, task_words, record_words;
    u32 area_next; /* for kernels that write output: what is taken of the shared work memory */
    u32 least;     /* steps to take before STOP_HUNGRY counts */
    u32 blocks_done; /* for a kernel whose last block has something left to do */
    u32 reserved[2];
    u32 totals[32];
} combgpu_slice_t;

/* The six arguments of every kernel. */
#define SLICE_ARGUMENTS                                                                            \
    GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables, GLOBAL const u32 *tasks,              \
        GLOBAL u32 *left, GLOBAL u32 *records, GLOBAL u32 *work

/* Nonzero once a worker has asked all others to end the slice: STOP_NOW because the records are full,
   STOP_HUNGRY because a quarter of the workers have found no task. A plain read, since any moment
   does; for a check of data races (oclgrind --build-options -DCOMBGPU_RACE_CHECK) an atomic one. */
#define STOP_NOW 1u
#define STOP_HUNGRY 2u
#ifdef COMBGPU_RACE_CHECK
#define STOPPED(slice) ATOMIC_OR(&(slice)->stop, 0)
#else
#define STOPPED(slice) (*(volatile GLOBAL u32 *)&(slice)->stop)
#endif

#define NONE 0xffffffffu /* no task, no record */

DEVICE u64 combgpu_load64(GLOBAL const u32 *words)
{
    return words[0] | (u64)words[1] << 32;
}

DEVICE void combgpu_store64(GLOBAL u32 *words, u64 x)
{
    words[0] = (u32)x;
    words[1] = (u32)(x >> 32);
}

DEVICE u32 combgpu_popcount64(u64 x)
{
    return POPCOUNT((u32)x) + POPCOUNT((u32)(x >> 32));
}

/* Of an x that is not 0. */
DEVICE u32 combgpu_lowest_bit64(u64 x)
{
    return (u32)x ? CTZ((u32)x) : 32 + CTZ((u32)(x >> 32));
}

/* The engine's hash (splitmix64's finaliser), as combgpu__mix. */
DEVICE u64 combgpu_mix(u64 x)
{
    x += (u64)0x9e3779b9u << 32 | 0x7f4a7c15u;
    x = (x ^ (x >> 30)) * ((u64)0xbf58476du << 32 | 0x1ce4e5b9u);
    x = (x ^ (x >> 27)) * ((u64)0x94d049bbu << 32 | 0x133111ebu);
    return x ^ (x >> 31);
}

/* Each of the next seven is called by one lane of a worker. */

