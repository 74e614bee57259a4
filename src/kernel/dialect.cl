/* The dialect: common names for what OpenCL C and CUDA name differently. */
#ifndef __CUDACC__
#pragma OPENCL FP_CONTRACT OFF
#define uint8_t uchar
#define uint16_t ushort
#define uint32_t uint
#define uint64_t ulong
#define int32_t int
#define int64_t long
#ifdef COMBGPU_SUBGROUPS
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#ifdef cl_intel_subgroups
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#endif
#endif
#if defined(COMBGPU_SUBGROUPS) && COMBGPU_SUBGROUPS
#define COMBGPU__KERNEL __kernel __attribute__((intel_reqd_sub_group_size(COMBGPU_SUBGROUPS))) void
#else
#define COMBGPU__KERNEL __kernel void
#endif
#define COMBGPU__DEVICE                                                                            \
    static inline __attribute__((always_inline, unused)) /* inlined, as in CUDA, so that constants
                                                            propagate */
/* inlined for NVIDIA alone: Intel's CPU compiler crashes on a kernel with ten copies */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__DEVICE_APART COMBGPU__DEVICE
#else
#define COMBGPU__DEVICE_APART static __attribute__((noinline, unused))
#endif
#define COMBGPU__GLOBAL __global
#define COMBGPU__LOCAL __local
#define COMBGPU__LOCAL_ARRAY __local
#if defined(COMBGPU_SUBGROUPS) && !defined(__AMDGCN__) /* a sub-group's lanes are consecutive */
#define COMBGPU__LANE_ID                                                                           \
    ((uint32_t)(get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id()))
#else
#define COMBGPU__LANE_ID ((uint32_t)get_local_id(0))
#endif
#define COMBGPU__BLOCK_ID ((uint32_t)get_group_id(0))
#define COMBGPU__BLOCK_LANES ((uint32_t)get_local_size(0))
#define COMBGPU__BLOCK_COUNT ((uint32_t)get_num_groups(0))
#define COMBGPU__KERNEL_BLOCKS(lanes, blocks) COMBGPU__KERNEL
#define COMBGPU__BLOCK_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define COMBGPU__LOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define COMBGPU__POPCOUNT(x) popcount((uint32_t)(x))
#define COMBGPU__CLZ(x) clz((uint32_t)(x))
#define COMBGPU__ATOMIC_ADD(p, x) atomic_add((volatile __global uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__ATOMIC_OR(p, x) atomic_or((volatile __global uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__ATOMIC_MIN(p, x) atomic_min((volatile __global uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__ATOMIC_CAS(p, x, y)                                                               \
    atomic_cmpxchg((volatile __global uint32_t *)(p), (uint32_t)(x), (uint32_t)(y))
#define COMBGPU__LOCAL_ATOMIC_ADD(p, x) atomic_add((volatile __local uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__LOCAL_ATOMIC_OR(p, x) atomic_or((volatile __local uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__LOCAL_ATOMIC_CAS(p, x, y)                                                         \
    atomic_cmpxchg((volatile __local uint32_t *)(p), (uint32_t)(x), (uint32_t)(y))
/* COMBGPU__DOUBLES: the device computes with doubles, each operation rounded, none fused */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define COMBGPU__DOUBLES 1
#define COMBGPU__ADD(x, y) ((x) + (y))
#define COMBGPU__MULTIPLY(x, y) ((x) * (y))
#define COMBGPU__DIVIDE(x, y) ((x) / (y))
#define COMBGPU__ROOT(x) sqrt(x)
#define COMBGPU__BITS_OF(x) as_ulong(x)
#define COMBGPU__DOUBLE_OF(bits) as_double(bits)
#endif
#else
#include <stdint.h>
#define COMBGPU__KERNEL static __global__ void
#define COMBGPU__DEVICE static __device__ __forceinline__
#define COMBGPU__DEVICE_APART COMBGPU__DEVICE
#define COMBGPU__GLOBAL
#define COMBGPU__LOCAL
#define COMBGPU__LOCAL_ARRAY __shared__
#define COMBGPU__LANE_ID (threadIdx.x)
#define COMBGPU__BLOCK_ID (blockIdx.x)
#define COMBGPU__BLOCK_LANES (blockDim.x)
#define COMBGPU__BLOCK_COUNT (gridDim.x)
/* threads that a multiprocessor holds; more would be an error */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
#define COMBGPU__SM_THREADS 1024
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 800 || __CUDA_ARCH__ % 100 == 0) &&               \
    __CUDA_ARCH__ <= 1000
#define COMBGPU__SM_THREADS 2048
#else
#define COMBGPU__SM_THREADS 1536
#endif
#define COMBGPU__KERNEL_BLOCKS(lanes, blocks)                                                      \
    static __global__ void __launch_bounds__(lanes, (lanes) * (blocks) <= COMBGPU__SM_THREADS      \
                                                        ? (blocks)                                 \
                                                        : COMBGPU__SM_THREADS / (lanes))
#define COMBGPU__BLOCK_BARRIER() __syncthreads()
#define COMBGPU__LOCAL_BARRIER() __syncthreads()
#define COMBGPU__POPCOUNT(x) ((uint32_t)__popc(x))
#define COMBGPU__CLZ(x) ((uint32_t)__clz((int)(x)))
#define COMBGPU__ATOMIC_ADD(p, x) atomicAdd((uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__ATOMIC_OR(p, x) atomicOr((uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__ATOMIC_MIN(p, x) atomicMin((uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__ATOMIC_CAS(p, x, y) atomicCAS((uint32_t *)(p), (uint32_t)(x), (uint32_t)(y))
#define COMBGPU__LOCAL_ATOMIC_ADD(p, x) atomicAdd((uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__LOCAL_ATOMIC_OR(p, x) atomicOr((uint32_t *)(p), (uint32_t)(x))
#define COMBGPU__LOCAL_ATOMIC_CAS(p, x, y) atomicCAS((uint32_t *)(p), (uint32_t)(x), (uint32_t)(y))
#define COMBGPU__DOUBLES 1
#define COMBGPU__ADD(x, y) __dadd_rn(x, y)
#define COMBGPU__MULTIPLY(x, y) __dmul_rn(x, y)
#define COMBGPU__DIVIDE(x, y) __ddiv_rn(x, y)
#define COMBGPU__ROOT(x) __dsqrt_rn(x)
#define COMBGPU__BITS_OF(x) ((uint64_t)__double_as_longlong(x))
#define COMBGPU__DOUBLE_OF(bits) __longlong_as_double((long long)(bits))
#endif
#define COMBGPU__CTZ(x) (31u - COMBGPU__CLZ((x) & (0u - (x))))

/* COMBGPU_SHUFFLE: the 32 lanes of NVIDIA's warp can exchange registers. COMBGPU_SUBGROUPS: those of
   a sub-group can, which has that many lanes, or 0: as many as the driver likes. In OpenCL the host
   defines them (-D), since it must choose the block size to match. COMBGPU__PACKED: one of them. */
#ifdef __CUDACC__
#undef COMBGPU_SHUFFLE
#define COMBGPU_SHUFFLE 1
#endif
#if defined(COMBGPU_SHUFFLE) || defined(COMBGPU_SUBGROUPS)
#define COMBGPU__PACKED 1
#endif
