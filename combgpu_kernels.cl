/* combgpu_kernels.cl - the device kernels of combgpu, one source for OpenCL C 1.2 and CUDA C++11.

   Each kernel is a worker's slice of a search: it takes tasks, counts, emits records and spills
   unfinished tasks. The C solvers in combgpu.h do the same on the CPU and were written separately,
   so each checks the other.

   THE DIALECT. Upper-case names carry the prefix COMBGPU__, which this list leaves out.
     types       those of stdint.h
     qualifiers  KERNEL, or KERNEL_BLOCKS(lanes, blocks): `blocks` fit on a multiprocessor;
                 DEVICE (function), DEVICE_APART (a large one), GLOBAL, LOCAL, LOCAL_ARRAY
                 (declaration in a kernel)
     ids         LANE_ID (in the block), BLOCK_ID, BLOCK_LANES, BLOCK_COUNT
     barriers    BLOCK_BARRIER(), LOCAL_BARRIER() (orders local memory alone; much cheaper with
                 NVIDIA's OpenCL)
     bits        POPCOUNT(x), CLZ(x) (32 for x = 0), CTZ(x) (x != 0) of uint32_t
     atomics     ATOMIC_ADD, ATOMIC_OR, ATOMIC_MIN on GLOBAL uint32_t *, LOCAL_ATOMIC_ADD, _OR and
                 _CAS on LOCAL
     slices      SLICE_ARGUMENTS; combgpu_spent, _take, _give, _emit, _add_total
     groups      4, 8 or 32 lanes that share a task: see GROUP OPERATIONS below */

#ifndef COMBGPU_KERNELS_CL
#define COMBGPU_KERNELS_CL

/* ------------------------------------------------------------------------ src/kernel/dialect.cl */

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

/* --------------------------------------------------------------------------- src/engine/slice.h */

/* The control block of a slice, shared by host, C solvers and kernels: 32-bit words only, since
   every dialect has atomics for them. */
#ifndef COMBGPU__SLICE_H
#define COMBGPU__SLICE_H

#define COMBGPU__TOTALS 16
#define COMBGPU__STOP_NOW 1u     /* the record buffer is full */
#define COMBGPU__STOP_STARVED 2u /* a quarter of the workers found no task */
#define COMBGPU__STOP_OTHER 4u   /* another device waits for the host */
#define COMBGPU__STOP_SPENT 8u   /* a thread's budget is spent, and others would keep it waiting */
/* stops after which a slice does not measure the budget */
#define COMBGPU__STOP_ENOUGH (COMBGPU__STOP_NOW | COMBGPU__STOP_OTHER)
typedef struct combgpu__slice {
    uint32_t task_count; /* tasks in the pool */
    uint32_t task_next;  /* atomic: the first unclaimed task */
    uint32_t left_count; /* atomic: tasks spilled */
    uint32_t left_capacity;
    uint32_t record_count; /* atomic: records emitted; may exceed the capacity */
    uint32_t record_capacity;
    uint32_t budget; /* steps that one worker may take in this slice */
    uint32_t stop;   /* COMBGPU__STOP_*: spill what you hold and end */
    uint32_t workers;
    uint32_t task_words; /* 32-bit words in a task */
    uint32_t record_words;
    uint32_t
        area_next;  /* atomic: next free entry of the shared work memory, for kernels with output
                      there */
    uint32_t least; /* nodes to work before COMBGPU__STOP_STARVED counts */
    uint32_t blocks_done; /* atomic: for kernels whose last block finishes for all */
    uint32_t reserved[2];
    uint32_t totals[2 * COMBGPU__TOTALS]; /* 64-bit accumulators as low, high; totals 0 = nodes */
} combgpu__slice;

#endif /* COMBGPU__SLICE_H */

/* -------------------------------------------------------------------------- src/kernel/slice.cl */

/* A worker's side of a slice: takes and spills tasks, emits records, adds to totals. */

/* Every kernel's six arguments. */
#define COMBGPU__SLICE_ARGUMENTS                                                                   \
    COMBGPU__GLOBAL combgpu__slice *slice, COMBGPU__GLOBAL const uint32_t *tables,                 \
        COMBGPU__GLOBAL const uint32_t *tasks, COMBGPU__GLOBAL uint32_t *left,                     \
        COMBGPU__GLOBAL uint32_t *records, COMBGPU__GLOBAL uint32_t *work

/* Nonzero once a worker has asked all others to end the slice: COMBGPU__STOP_NOW because the
   records are full, COMBGPU__STOP_STARVED because a quarter of the workers found no task. A plain
   read suffices, since a late value is harmless; for a check of data races (oclgrind
   --build-options -DCOMBGPU_RACE_CHECK) the read is atomic. */
#ifdef COMBGPU_RACE_CHECK
#define COMBGPU__STOPPED(slice) COMBGPU__ATOMIC_OR(&(slice)->stop, 0)
#else
#define COMBGPU__STOPPED(slice) (*(volatile COMBGPU__GLOBAL uint32_t *)&(slice)->stop)
#endif

#define COMBGPU__NONE 0xffffffffu /* no task, no record */

COMBGPU__DEVICE uint64_t combgpu_load64(COMBGPU__GLOBAL const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

COMBGPU__DEVICE void combgpu_store64(COMBGPU__GLOBAL uint32_t *words, uint64_t x)
{
    words[0] = (uint32_t)x;
    words[1] = (uint32_t)(x >> 32);
}

COMBGPU__DEVICE uint32_t combgpu_popcount64(uint64_t x)
{
    return COMBGPU__POPCOUNT((uint32_t)x) + COMBGPU__POPCOUNT((uint32_t)(x >> 32));
}

/* Index of the lowest set bit; x is not 0. */
COMBGPU__DEVICE uint32_t combgpu_lowest_bit64(uint64_t x)
{
    return (uint32_t)x ? COMBGPU__CTZ((uint32_t)x) : 32 + COMBGPU__CTZ((uint32_t)(x >> 32));
}

/* As combgpu__mix (src/base/bits.c): splitmix64's finaliser. */
COMBGPU__DEVICE uint64_t combgpu_mix(uint64_t x)
{
    x += (uint64_t)0x9e3779b9u << 32 | 0x7f4a7c15u;
    x = (x ^ (x >> 30)) * ((uint64_t)0xbf58476du << 32 | 0x1ce4e5b9u);
    x = (x ^ (x >> 27)) * ((uint64_t)0x94d049bbu << 32 | 0x133111ebu);
    return x ^ (x >> 31);
}

/* ---- functions that one lane of a worker calls */

/* Nonzero if a worker that has worked `steps` nodes must spill its stack. */
COMBGPU__DEVICE uint32_t combgpu_spent(COMBGPU__GLOBAL combgpu__slice *slice, uint32_t steps)
{
    uint32_t stop = COMBGPU__STOPPED(slice);
    return steps >= (stop ? slice->least : slice->budget) || (stop & COMBGPU__STOP_NOW);
}

/* Returns the index of a task, now this worker's, or COMBGPU__NONE: do not call again then. */
COMBGPU__DEVICE uint32_t combgpu_take(COMBGPU__GLOBAL combgpu__slice *slice)
{
    uint32_t i = COMBGPU__ATOMIC_ADD(&slice->task_next, 1);
    if (i < slice->task_count) return i;
    if (i - slice->task_count == slice->workers / 4)
        COMBGPU__ATOMIC_OR(&slice->stop, COMBGPU__STOP_STARVED);
    return COMBGPU__NONE;
}

/* Returns the index in `left` for a spilled task; each worker has room for left_per_worker
   tasks. */
COMBGPU__DEVICE uint32_t combgpu_give(COMBGPU__GLOBAL combgpu__slice *slice)
{
    return COMBGPU__ATOMIC_ADD(&slice->left_count, 1);
}

/* Returns the index in `records` for a record, or COMBGPU__NONE if the buffer is full. The slice
   then ends, and the worker must not count its find, but spill a task that finds it again. */
COMBGPU__DEVICE uint32_t combgpu_emit(COMBGPU__GLOBAL combgpu__slice *slice)
{
    uint32_t i = COMBGPU__ATOMIC_ADD(&slice->record_count, 1);
    if (i < slice->record_capacity) return i;
    COMBGPU__ATOMIC_OR(&slice->stop, COMBGPU__STOP_NOW);
    return COMBGPU__NONE;
}

/* Spills a task that is a range [next, end), stored as two 64-bit numbers. */
COMBGPU__DEVICE void combgpu_give_range(COMBGPU__GLOBAL combgpu__slice *slice,
                                        COMBGPU__GLOBAL uint32_t *left, uint64_t next, uint64_t end)
{
    COMBGPU__GLOBAL uint32_t *to = left + 4 * (uint64_t)combgpu_give(slice);
    combgpu_store64(to, next);
    combgpu_store64(to + 2, end);
}

/* Nonzero if the worker should work on `next`, in its range or one just taken. Else the slice is
   over, and the rest of the range is spilled. */
COMBGPU__DEVICE uint32_t combgpu_in_range(COMBGPU__GLOBAL combgpu__slice *slice,
                                          COMBGPU__GLOBAL const uint32_t *tasks,
                                          COMBGPU__GLOBAL uint32_t *left, uint64_t *next,
                                          uint64_t *end, uint32_t steps)
{
    COMBGPU__GLOBAL const uint32_t *from;
    uint32_t task;
    if (combgpu_spent(slice, steps)) {
        if (*next != *end) combgpu_give_range(slice, left, *next, *end);
        return 0;
    }
    if (*next != *end) return 1;
    task = combgpu_take(slice);
    if (task == COMBGPU__NONE) return 0;
    from = tasks + 4 * (uint64_t)task;
    *next = combgpu_load64(from);
    *end = combgpu_load64(from + 2);
    return 1;
}

/* Adds to a 64-bit total with 32-bit atomics: the old low word gives the carry. */
COMBGPU__DEVICE void combgpu_add_total(COMBGPU__GLOBAL combgpu__slice *slice, uint32_t i,
                                       uint64_t x)
{
    uint32_t low, high, old;
#ifdef COMBGPU_TEST_FAULT /* tests/test_verify_fault.c: a device that sometimes errs */
    if ((uint32_t)x % 3u == 1u) x++;
#endif
    low = (uint32_t)x;
    high = (uint32_t)(x >> 32);
    if (low) {
        old = COMBGPU__ATOMIC_ADD(&slice->totals[2 * i], low);
        if (old + low < old) high++;
    }
    if (high) COMBGPU__ATOMIC_ADD(&slice->totals[2 * i + 1], high);
}

/* clang-format off */
#if defined(COMBGPU__HAS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_SEARCH)
/* clang-format on */
/* -------------------------------------------------------------------------- src/perm/callers.cl */

/* The parts of permutations that callers' kernels, visitors and callbacks use. */
/* ---------------------------------------------------------------------------- src/perm/layout.h */

/* Permutations: limits, words of tables and totals of slices, shared by host and kernels. */
#ifndef COMBGPU__PERM_LAYOUT_H
#define COMBGPU__PERM_LAYOUT_H

/* lanes of a block */
#define COMBGPU__PERM_WRITE_LANES 256
#define COMBGPU__VISIT_LANES 128
#define COMBGPU__MULTI_LANES 256

#define COMBGPU__PERM_MAX 20          /* n: 20! is the last that fits 64 bits */
#define COMBGPU__PERM_MAX128 34       /* n: 34! is the last that fits 128 bits */
#define COMBGPU__PERM_MOST 64         /* positions of a member of any family; values */
#define COMBGPU__PERM_PLACES 6        /* last positions, whose orders form a group */
#define COMBGPU__PERM_GROUP 720       /* orders of PERM_PLACES positions */
#define COMBGPU__PERM_PIECE_GROUPS 16 /* groups in a record, at most */
#define COMBGPU__SET_FREE 255         /* in place[]: the value is unused */
#define COMBGPU__VISIT_SLOT_WORDS 4   /* a worker's best: key, rank; its sum: low, high */

/* combgpu_perm_family and combgpu_perm_goal for OpenCL, which lacks the API. */
enum {
    COMBGPU__SET_ALL,
    COMBGPU__SET_PARTIAL,
    COMBGPU__SET_MULTISET,
    COMBGPU__SET_DERANGEMENT,
    COMBGPU__SET_COMBINATION,
    COMBGPU__SET_GRAY,
    COMBGPU__SET_CYCLE,
    COMBGPU__SET_CIRCULAR
};
enum {
    COMBGPU__GOAL_WRITE,
    COMBGPU__GOAL_COUNT,
    COMBGPU__GOAL_MINIMUM,
    COMBGPU__GOAL_MAXIMUM,
    COMBGPU__GOAL_SUM,
    COMBGPU__GOAL_HISTOGRAM
};

/* Totals of slices, beyond the steps. */
enum {
    COMBGPU__PERM_S_DONE = 1, /* WRITE: members delivered; COUNT: hits; HISTOGRAM: values outside */
    COMBGPU__PERM_S_HASH = 2
};

/* Words of the tables for writing all permutations. */
enum {
    COMBGPU__WRITE_AT_N,
    COMBGPU__WRITE_AT_ORDERS,          /* permutations in a group: 720, or n! for n < 6 */
    COMBGPU__WRITE_AT_TASK_GROUPS = 8, /* groups that a task touches, at most */
    COMBGPU__WRITE_AT_ITEM_BYTES,
    COMBGPU__WRITE_AT_SHIFT,  /* bytes from the start of a 16-byte unit of the output to a group */
    COMBGPU__WRITE_AT_UNITS,  /* 16-byte units of the output that a group touches */
    COMBGPU__WRITE_AT_PERIOD, /* units after which the positions repeat */
    COMBGPU__WRITE_AT_PREFIX, /* positions before the last 6 */
    COMBGPU__WRITE_AT_FIRST = 14,    /* 64 bits: rank at the output's beginning */
    COMBGPU__WRITE_AT_OFFSET = 16,   /* 64 bits: bytes from the work memory to the output */
    COMBGPU__WRITE_AT_BASE = 18,     /* digits of the first n - 6 positions of the base */
    COMBGPU__WRITE_AT_DIVISORS = 46, /* 64 bits each: k! / 720 for k = 0 .. 33, or 0 */
    COMBGPU__WRITE_AT_ITEMS = 114,   /* the items, 64 bits each, low word first */
    COMBGPU__WRITE_AT_PATTERN = 182  /* combgpu__perm_pattern */
};

/* Words of the tables for sets and visits. */
enum {
    COMBGPU__SET_AT_FAMILY,
    COMBGPU__SET_AT_N,
    COMBGPU__SET_AT_K,
    COMBGPU__SET_AT_LENGTH,
    COMBGPU__SET_AT_COUNT, /* members, two words */
    COMBGPU__SET_AT_GOAL = 6,
    COMBGPU__SET_AT_LIST, /* COUNT: nonzero = emit a record for each hit instead of counting it */
    COMBGPU__SET_AT_DATA, /* word at which the caller's data begins */
    COMBGPU__SET_AT_BINS,
    COMBGPU__SET_AT_FIRST = 10,   /* bin_first, two words */
    COMBGPU__SET_AT_WIDTH = 12,   /* bin_width, two words */
    COMBGPU__SET_AT_REPEATS = 16, /* 64 bytes */
    COMBGPU__SET_AT_DERANGEMENTS = 32,
    COMBGPU__SET_AT_RANK = 32 + 2 * 21 * 21,             /* desc.first, two words */
    COMBGPU__SET_AT_OFFSET = COMBGPU__SET_AT_RANK + 2,   /* bytes from the work memory to the
                                                            output, two words */
    COMBGPU__SET_AT_SHAPES = COMBGPU__SET_AT_OFFSET + 2, /* 33 words: where each list begins */
    COMBGPU__SET_AT_ORDERS = COMBGPU__SET_AT_SHAPES + 33,
    COMBGPU__SET_AT_RECIPROCALS = COMBGPU__SET_AT_ORDERS + 4683, /* of 0 .. 64 */
    COMBGPU__SET_AT_END = COMBGPU__SET_AT_RECIPROCALS + 65
};

/* Words of the tables for writing multisets to the caller's memory. */
enum {
    COMBGPU__MULTI_AT_LENGTH,
    COMBGPU__MULTI_AT_LETTERS,
    COMBGPU__MULTI_AT_PREFIX,
    COMBGPU__MULTI_AT_PERIOD,
    COMBGPU__MULTI_AT_COUNT,      /* two words */
    COMBGPU__MULTI_AT_FIRST = 6,  /* rank at the output's beginning, two words */
    COMBGPU__MULTI_AT_OFFSET = 8, /* bytes from the work memory to the output, two words */
    COMBGPU__MULTI_AT_TASK = 10,  /* members of a task */
    COMBGPU__MULTI_AT_LEAST,      /* members of a warp's chunk, roughly; MOST likewise */
    COMBGPU__MULTI_AT_MOST,
    COMBGPU__MULTI_AT_LETTER, /* 21 words: value, 256 * repeats, 65536 * repeats before it */
    COMBGPU__MULTI_AT_INVERSES = COMBGPU__MULTI_AT_LETTER + 21, /* of odd parts of 0 .. 32 */
    /* for each shape: where its list begins, its number of orders */
    COMBGPU__MULTI_AT_SHAPES = COMBGPU__MULTI_AT_INVERSES + 2 * 33
};

/* Searches. A task: positions filled; the values to try at the next one, two words; the elements, a
   byte each. A record: the elements, then the value, two words. */
#define COMBGPU__PERM_SEARCH_LANES 64
#define COMBGPU__PERM_SEARCH_TASK_WORDS(length) (3 + ((length) + 3) / 4)
#define COMBGPU__PERM_SEARCH_RECORD_WORDS(length) (((length) + 3) / 4 + 2)
#define COMBGPU__PERM_SEARCH_LOCAL_BINS 1024 /* more are counted in global memory */
enum {
    COMBGPU__PERM_SEARCH_TASK_PLACE = 0,
    COMBGPU__PERM_SEARCH_TASK_TODO = 1,
    COMBGPU__PERM_SEARCH_TASK_PERM = 3
};
/* Totals of slices after the steps. The sum of all values is S_SUM + 2^16 * S_SUM[1] + ...: parts
   that anyone may add up. */
enum {
    COMBGPU__PERM_SEARCH_S_HITS = 1,
    COMBGPU__PERM_SEARCH_S_HASH = 2,
    COMBGPU__PERM_SEARCH_S_OUTSIDE = 3,
    COMBGPU__PERM_SEARCH_S_SUM = 4 /* four */
};
/* Words of the tables. */
enum {
    COMBGPU__PERM_SEARCH_AT_N,
    COMBGPU__PERM_SEARCH_AT_LENGTH,
    COMBGPU__PERM_SEARCH_AT_FAMILY,
    COMBGPU__PERM_SEARCH_AT_GOAL, /* combgpu_search_goal */
    COMBGPU__PERM_SEARCH_AT_LIST, /* COUNT: nonzero = emit a record for each hit instead of counting it */
    COMBGPU__PERM_SEARCH_AT_PRUNES,
    COMBGPU__PERM_SEARCH_AT_BINS,
    COMBGPU__PERM_SEARCH_AT_DATA,       /* word at which the caller's data begins */
    COMBGPU__PERM_SEARCH_AT_FIRST = 8,  /* bin_first, two words */
    COMBGPU__PERM_SEARCH_AT_WIDTH = 10, /* bin_width, two words */
    COMBGPU__PERM_SEARCH_AT_KEY = 12,   /* of the best member, two words; smaller is better */
    COMBGPU__PERM_SEARCH_AT_BEST = 14,  /* the ranks of its elements, 64 bytes */
    COMBGPU__PERM_SEARCH_AT_ORDERED = 30,
    COMBGPU__PERM_SEARCH_AT_MULTI,
    COMBGPU__PERM_SEARCH_AT_REPEATS = 32, /* 64 bytes each */
    COMBGPU__PERM_SEARCH_AT_ORDER = 48,
    COMBGPU__PERM_SEARCH_AT_RANK = 64,
    COMBGPU__PERM_SEARCH_AT_END = 80
};

#endif /* COMBGPU__PERM_LAYOUT_H */

#if defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU__HAS_PERM)

/* ----------------------------------------------------------------------- src/perm/ranks/rank.cl */

/* Single permutations, also for callers' kernels. n is at most 20, with 128-bit ranks 34; arrays
   are in private memory. */

/* Replaces Lehmer digits by elements: digit k stands for the k-th unused element. */
COMBGPU__DEVICE void combgpu_perm_elements(int n, uint8_t *perm)
{
    uint32_t low = n < 32 ? (1u << n) - 1 : ~0u, high = n > 32 ? (1u << (n - 32)) - 1 : 0,
             count = 0;
    int i, shift;
    for (i = 0; i < n; i++) {
        uint32_t digit = perm[i], set = low;
        shift = 0;
        if (n > 32) {
            count = COMBGPU__POPCOUNT(low);
            if (digit >= count) {
                digit -= count;
                set = high;
                shift = 32;
            }
        }
        for (; digit; digit--)
            set &= set - 1;
        perm[i] = (uint8_t)(COMBGPU__CTZ(set) + shift);
        if (shift)
            high &= ~(set & (0u - set));
        else
            low &= ~(set & (0u - set));
    }
}

/* The permutation of a rank < n!. */
COMBGPU__DEVICE void combgpu_unrank(int n, uint64_t rank, uint8_t *perm)
{
    uint32_t rest;
    int i = 1;
    for (; i <= n && rank >> 32; i++) {
        perm[n - i] = (uint8_t)(rank % (uint32_t)i);
        rank /= (uint32_t)i;
    }
    for (rest = (uint32_t)rank; i <= n; i++) {
        perm[n - i] = (uint8_t)(rest % (uint32_t)i);
        rest /= (uint32_t)i;
    }
    combgpu_perm_elements(n, perm);
}

/* The rank of a permutation. */
COMBGPU__DEVICE uint64_t combgpu_rank(int n, const uint8_t *perm)
{
    uint32_t unused = (1u << n) - 1;
    uint64_t rank = 0;
    int i;
    for (i = 0; i < n; i++) {
        uint32_t bit = 1u << perm[i];
        rank = rank * (uint32_t)(n - i) + COMBGPU__POPCOUNT(unused & (bit - 1));
        unused &= ~bit;
    }
    return rank;
}

/* As combgpu_unrank, with 128-bit ranks. */
COMBGPU__DEVICE void combgpu_unrank128(int n, uint64_t high, uint64_t low, uint8_t *perm)
{
    int i;
    for (i = 1; i <= n; i++) { /* 32 bits at a time */
        uint64_t divisor = (uint64_t)i, rest, middle, last;
        rest = high % divisor;
        high /= divisor;
        middle = rest << 32 | low >> 32;
        last = (middle % divisor) << 32 | (low & 0xffffffffu);
        low = (middle / divisor) << 32 | last / divisor;
        perm[n - i] = (uint8_t)(last % divisor);
    }
    combgpu_perm_elements(n, perm);
}

COMBGPU__DEVICE uint64_t combgpu_rank128(int n, const uint8_t *perm, uint64_t *high)
{
    uint64_t low = 0, top = 0, unused = ~(uint64_t)0;
    int i;
    for (i = 0; i < n; i++) {
        uint64_t bit = (uint64_t)1 << perm[i], below = unused & (bit - 1),
                 factor = (uint64_t)(n - i), middle;
        uint64_t first = (low & 0xffffffffu) * factor + combgpu_popcount64(below);
        middle = (low >> 32) * factor + (first >> 32);
        low = middle << 32 | (first & 0xffffffffu);
        top = top * factor + (middle >> 32);
        unused &= ~bit;
    }
    *high = top;
    return low;
}

/* Moves to the next permutation (Narayana Pandita) and returns 1; from the last to the first, and
   returns 0. If `flip` is all ones, moves to the previous one, which is the next in the reversed
   order of values. */
COMBGPU__DEVICE int combgpu_perm_neighbour(int n, uint8_t *perm, uint8_t flip)
{
    int i = n - 2, j = n - 1, k;
    uint8_t x;
    while (i >= 0 && (uint8_t)(perm[i] ^ flip) >= (uint8_t)(perm[i + 1] ^ flip))
        i--;
    if (i >= 0) {
        while ((uint8_t)(perm[j] ^ flip) <= (uint8_t)(perm[i] ^ flip))
            j--;
        x = perm[i];
        perm[i] = perm[j];
        perm[j] = x;
    }
    for (j = i + 1, k = n - 1; j < k; j++, k--) {
        x = perm[j];
        perm[j] = perm[k];
        perm[k] = x;
    }
    return i >= 0;
}

COMBGPU__DEVICE int combgpu_next_permutation(int n, uint8_t *perm)
{
    return combgpu_perm_neighbour(n, perm, 0);
}

COMBGPU__DEVICE int combgpu_previous_permutation(int n, uint8_t *perm)
{
    return combgpu_perm_neighbour(n, perm, 255);
}

/* As combgpu_perm_random: Fisher and Yates' shuffle with words of Philox4x32-10 (J. K. Salmon, M. A.
   Moraes, R. O. Dror and D. E. Shaw 2011). */
COMBGPU__DEVICE void combgpu_random_permutation(int n, uint64_t seed, uint64_t index, uint8_t *perm)
{
    uint32_t a = 0, b = 0, c = 0, d = 0, block = 0, used = 4;
    int i;
    for (i = 0; i < n; i++)
        perm[i] = (uint8_t)i;
    while (--i > 0) {
        uint32_t range = (uint32_t)i + 1, low, high;
        uint8_t x;
        do {
            if (used == 4) {
                uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32), round;
                a = (uint32_t)index;
                b = (uint32_t)(index >> 32);
                c = block++;
                d = 0;
                for (round = 0; round < 10; round++) {
                    uint64_t first = (uint64_t)a * 0xd2511f53u, second = (uint64_t)c * 0xcd9e8d57u;
                    a = (uint32_t)(second >> 32) ^ b ^ key0;
                    b = (uint32_t)second;
                    c = (uint32_t)(first >> 32) ^ d ^ key1;
                    d = (uint32_t)first;
                    key0 += 0x9e3779b9u;
                    key1 += 0xbb67ae85u;
                }
                used = 0;
            }
            low = used == 0 ? a : used == 1 ? b : used == 2 ? c : d;
            used++;
            high = (uint32_t)((uint64_t)low * range >> 32);
            low *= range;
        } while (low < (0u - range) % range);
        x = perm[high];
        perm[high] = perm[i];
        perm[i] = x;
    }
}

/* Returns 1 for an odd permutation: the parity of the number of inversions. */
COMBGPU__DEVICE int combgpu_parity(int n, const uint8_t *perm)
{
    uint64_t unused = ~(uint64_t)0;
    uint32_t inversions = 0;
    int i;
    for (i = 0; i < n; i++) {
        uint64_t bit = (uint64_t)1 << perm[i], below = unused & (bit - 1);
        inversions += combgpu_popcount64(below);
        unused &= ~bit;
    }
    return (int)(inversions & 1);
}

COMBGPU__DEVICE void combgpu_inverse(int n, const uint8_t *perm, uint8_t *inverse)
{
    int i;
    for (i = 0; i < n; i++)
        inverse[perm[i]] = (uint8_t)i;
}

COMBGPU__DEVICE void combgpu_compose(int n, const uint8_t *left, const uint8_t *right,
                                     uint8_t *product)
{
    int i;
    for (i = 0; i < n; i++)
        product[i] = left[right[i]];
}

/* Spills the rest of a task, if any; in two halves if tasks are too few for all workers. For one
   lane. */
COMBGPU__DEVICE void combgpu_perm_give(COMBGPU__GLOBAL combgpu__slice *slice,
                                       COMBGPU__GLOBAL uint32_t *left, uint64_t begin, uint64_t end)
{
    uint64_t middle = end;
    if (begin >= end) return;
    if (slice->task_count < 2 * slice->workers && (end - begin) / 2 >= 720)
        middle = begin + (end - begin) / 2 / 720 * 720;
    combgpu_give_range(slice, left, begin, middle);
    if (middle < end) combgpu_give_range(slice, left, middle, end);
}

/* A block's range of ranks: those from `begin` on are left; `from` is the task's first one. */
typedef struct combgpu_perm_range_t {
    uint64_t from, begin, end, steps; /* steps: ranks done, of all tasks */
} combgpu_perm_range_t;

/* Takes a task if the last one is done. Returns 0 if the block's slice ends. The block calls it;
   `decision` is a word that its lanes share. */
COMBGPU__DEVICE uint32_t combgpu_perm_go_on(COMBGPU__GLOBAL combgpu__slice *slice,
                                            COMBGPU__GLOBAL const uint32_t *tasks,
                                            COMBGPU__LOCAL uint32_t *decision,
                                            combgpu_perm_range_t *range)
{
    uint32_t task;
    if (COMBGPU__LANE_ID == 0)
        *decision = combgpu_spent(slice, (uint32_t)range->steps) ? COMBGPU__NONE
                    : range->begin == range->end                 ? combgpu_take(slice)
                                                                 : 0;
    COMBGPU__BLOCK_BARRIER();
    task = *decision;
    COMBGPU__BLOCK_BARRIER();
    if (task != COMBGPU__NONE && range->begin == range->end) {
        range->from = range->begin = combgpu_load64(tasks + 4 * task);
        range->end = combgpu_load64(tasks + 4 * task + 2);
    }
    return task != COMBGPU__NONE;
}

/* ------------------------------------------------------------------------- src/perm/set/walk.cl */

/* Unranks members of families and moves to the next, as src/perm/set/tree.c does on the CPU. */
#ifdef COMBGPU_VISIT_FAMILY /* OpenCL compiles for each visitor: constants keep the kernels small */
#define COMBGPU__SET_FAMILY COMBGPU_VISIT_FAMILY
#define COMBGPU__VISIT_GOAL COMBGPU_VISIT_GOAL
#define COMBGPU__VISIT_LIST COMBGPU_VISIT_LIST
#else
#define COMBGPU__SET_FAMILY tables[COMBGPU__SET_AT_FAMILY]
#define COMBGPU__VISIT_GOAL tables[COMBGPU__SET_AT_GOAL]
#define COMBGPU__VISIT_LIST tables[COMBGPU__SET_AT_LIST]
#endif
#define COMBGPU__SET_N ((int)tables[COMBGPU__SET_AT_N])
#define COMBGPU__SET_K ((int)tables[COMBGPU__SET_AT_K])
#define COMBGPU__SET_LENGTH ((int)tables[COMBGPU__SET_AT_LENGTH])
#define COMBGPU__SET_COUNT combgpu_load64(tables + COMBGPU__SET_AT_COUNT)
#define COMBGPU__SET_REPEATS ((COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__SET_AT_REPEATS))
#define COMBGPU__SET_DERANGEMENTS(m, f)                                                            \
    combgpu_load64(tables + COMBGPU__SET_AT_DERANGEMENTS +                                         \
                   2 * ((COMBGPU__PERM_MAX + 1) * (m) + (f)))

#define COMBGPU__SET_PARAMETERS COMBGPU__GLOBAL const uint32_t *tables, combgpu_set_member_t *at

/* A member of a family. place[v]: CYCLE: the position of v; MULTISET: copies of v left. */
typedef struct combgpu_set_member_t {
    uint64_t rank, unused;
    uint8_t perm[COMBGPU__PERM_MOST], place[COMBGPU__PERM_MOST];
} combgpu_set_member_t;

/* c * r / m, if m divides c * r. Most c are small, and a 32-bit division takes a quarter of the
   time. */
COMBGPU__DEVICE uint64_t combgpu_set_scale(uint64_t c, uint32_t r, uint32_t m)
{
    uint32_t low = (uint32_t)c, quotient;
    if (c >> 32) return c / m * r + c % m * r / m;
    quotient = low / m;
    return (uint64_t)quotient * r + (low - quotient * m) * r / m;
}

COMBGPU__DEVICE uint64_t combgpu_set_allowed(COMBGPU__SET_PARAMETERS, int i)
{
    int first = i;
    if (COMBGPU__SET_FAMILY == COMBGPU__SET_DERANGEMENT) return at->unused & ~((uint64_t)1 << i);
    if (COMBGPU__SET_FAMILY == COMBGPU__SET_CIRCULAR) return i ? at->unused : 1;
    if (COMBGPU__SET_FAMILY != COMBGPU__SET_CYCLE || i == COMBGPU__SET_N - 1) return at->unused;
    while (at->place[first] != COMBGPU__SET_FREE)
        first = at->place[first];
    return at->unused & ~((uint64_t)1 << first);
}

COMBGPU__DEVICE void combgpu_set_choose(combgpu_set_member_t *at, int i, int value)
{
    at->perm[i] = (uint8_t)value;
    at->place[value] = (uint8_t)i;
    at->unused &= ~((uint64_t)1 << value);
}

COMBGPU__DEVICE void combgpu_set_unrank_tree(COMBGPU__SET_PARAMETERS, uint64_t rank)
{
    uint64_t each = COMBGPU__SET_COUNT, allowed, weight, open;
    int i, value = 0;
    for (i = 0; i < COMBGPU__SET_LENGTH; i++) {
        allowed = combgpu_set_allowed(tables, at, i);
        each /= combgpu_popcount64(allowed);
        for (weight = each; allowed; allowed &= allowed - 1, rank -= weight) {
            value = (int)combgpu_lowest_bit64(allowed);
            if (COMBGPU__SET_FAMILY == COMBGPU__SET_DERANGEMENT) {
                open = at->unused & ~((uint64_t)1 << value) & ~(((uint64_t)2 << i) - 1);
                weight = COMBGPU__SET_DERANGEMENTS(COMBGPU__SET_N - 1 - i,
                                                   (int)combgpu_popcount64(open));
            }
            if (rank < weight) break;
        }
        combgpu_set_choose(at, i, value);
    }
}

COMBGPU__DEVICE void combgpu_set_next_tree(COMBGPU__SET_PARAMETERS)
{
    uint64_t larger = 0;
    int i = COMBGPU__SET_LENGTH;
    while (i < COMBGPU__SET_LENGTH || !larger) {
        if (larger) {
            combgpu_set_choose(at, i++, (int)combgpu_lowest_bit64(larger));
            larger = i < COMBGPU__SET_LENGTH ? combgpu_set_allowed(tables, at, i) : 1;
        } else {
            int value;
            if (!i) return;
            value = at->perm[--i];
            at->unused |= (uint64_t)1 << value;
            at->place[value] = COMBGPU__SET_FREE;
            larger = combgpu_set_allowed(tables, at, i) & ~(((uint64_t)2 << value) - 1);
        }
    }
}

/* Moves to the member of a rank. */
COMBGPU__DEVICE void combgpu_set_unrank(COMBGPU__SET_PARAMETERS, uint64_t rank)
{
    uint64_t all = COMBGPU__SET_COUNT, part = 0, rest;
    int i, v;
    at->rank = rank;
    at->unused = ~(uint64_t)0 >> (64 - COMBGPU__SET_N);
    for (i = 0; i < COMBGPU__PERM_MOST; i++)
        at->place[i] = COMBGPU__SET_FAMILY == COMBGPU__SET_MULTISET ? COMBGPU__SET_REPEATS[i]
                                                                    : COMBGPU__SET_FREE;
    if (COMBGPU__SET_FAMILY == COMBGPU__SET_ALL) {
        combgpu_unrank(COMBGPU__SET_N, rank, at->perm);
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_MULTISET) {
        for (i = 0; i < COMBGPU__SET_LENGTH; i++, all = part) {
            for (v = 0; v < COMBGPU__SET_N - 1; v++, rank -= part) {
                part = combgpu_set_scale(all, at->place[v], (uint32_t)(COMBGPU__SET_LENGTH - i));
                if (rank < part) break;
            }
            if (v == COMBGPU__SET_N - 1)
                part = combgpu_set_scale(all, at->place[v], (uint32_t)(COMBGPU__SET_LENGTH - i));
            at->perm[i] = (uint8_t)v;
            at->place[v]--;
        }
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_COMBINATION) {
        for (i = v = 0; i < COMBGPU__SET_K && v < COMBGPU__SET_N; v++) {
            part = combgpu_set_scale(all, (uint32_t)(COMBGPU__SET_K - i),
                                     (uint32_t)(COMBGPU__SET_N - v));
            if (rank < part) {
                at->perm[i++] = (uint8_t)v;
                all = part;
            } else {
                rank -= part;
                all -= part;
            }
        }
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_GRAY) {
        for (v = COMBGPU__SET_N; v; v--) {
            i = (int)(rank % (uint32_t)v);
            rank /= (uint32_t)v;
            if (!(rank & 1)) i = v - 1 - i;
            for (rest = at->unused; i; i--)
                rest &= rest - 1;
            at->perm[combgpu_lowest_bit64(rest)] = (uint8_t)(v - 1);
            at->unused &= ~(rest & (0 - rest));
        }
    } else
        combgpu_set_unrank_tree(tables, at, rank);
}

/* Moves to the next member. */
COMBGPU__DEVICE void combgpu_set_next(COMBGPU__SET_PARAMETERS)
{
    uint64_t rank = ++at->rank;
    int i, v;
    if ((1u << COMBGPU__SET_FAMILY) &
        (1u << COMBGPU__SET_ALL | 1u << COMBGPU__SET_MULTISET | 1u << COMBGPU__SET_CIRCULAR)) {
        combgpu_next_permutation(COMBGPU__SET_LENGTH, at->perm);
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_COMBINATION) {
        for (i = COMBGPU__SET_K - 1; i >= 0 && at->perm[i] == COMBGPU__SET_N - COMBGPU__SET_K + i;)
            i--;
        if (i < 0) return;
        for (at->perm[i]++; ++i < COMBGPU__SET_K;)
            at->perm[i] = (uint8_t)(at->perm[i - 1] + 1);
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_GRAY) {
        for (v = COMBGPU__SET_N; v && rank % (uint32_t)v == 0; v--)
            rank /= (uint32_t)v;
        if (!v) return;
        for (i = 0; at->perm[i] != v - 1;)
            i++;
        if (!(rank / (uint32_t)v & 1)) i--;
        v = at->perm[i];
        at->perm[i] = at->perm[i + 1];
        at->perm[i + 1] = (uint8_t)v;
    } else
        combgpu_set_next_tree(tables, at);
}

/* ---------------------------------------------------------------------- src/perm/visit/visit.cl */

/* Visits: goals other than WRITE.

   A block processes its range in turns. In a turn each lane has a run of k! ranks that begins at a
   multiple of k!. A turn counts as a whole or, if its hits find no room, not at all.

   For all permutations of 10 to 16 elements a run has 24, 120 or 720 ranks, in blocks of 24. The
   orders of the last three positions are written out, so that perm[] is in registers and the
   compiler computes only once what depends on the other positions alone.

   The visitor: OpenCL puts before this file a caller's combgpu_visit, and COMBGPU_VISIT_N, the n
   for which the blocks are compiled. CUDA instantiates the kernel with a type that has visit(). */
#if defined(COMBGPU_VISITOR) || defined(__CUDACC__)
#define COMBGPU__VISIT_DATA                                                                        \
    ((COMBGPU__GLOBAL const uint8_t *)(tables + tables[COMBGPU__SET_AT_DATA]))
#define COMBGPU__VISIT_BIN_COUNT tables[COMBGPU__SET_AT_BINS]
#define COMBGPU__VISIT_BEST ((COMBGPU__VISIT_GOAL | 1) == COMBGPU__GOAL_MAXIMUM) /* or minimum */
#define COMBGPU__VISIT_LISTS                                                                       \
    ((uint32_t)(COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT) & COMBGPU__VISIT_LIST)
#define COMBGPU__VISIT_FIRST ((int64_t)combgpu_load64(tables + COMBGPU__SET_AT_FIRST))
#define COMBGPU__VISIT_WIDTH combgpu_load64(tables + COMBGPU__SET_AT_WIDTH)
#define COMBGPU__VISIT_LOCAL_BINS 1024 /* more are counted in global memory */
/* of a value: smaller is better; the complement reverses the order */
#define COMBGPU__VISIT_KEY(value)                                                                  \
    (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_MAXIMUM ? ~(value) : (value))
#define COMBGPU__VISIT_LAST_KEY ((int64_t)(~(uint64_t)0 >> 1)) /* the largest */
#ifdef __CUDACC__
/* Specialise it to 0 for a kernel without blocks, which cost ptxas seconds. */
template <class Visitor> struct combgpu_visit_blocks_of {
    enum { value = 1 };
};
#define COMBGPU__VISIT_HAS_BLOCKS (uint32_t) combgpu_visit_blocks_of<Visitor>::value
#define COMBGPU__VISITOR_PARAMETER template <class Visitor>
#define COMBGPU__VISITOR_N_PARAMETER template <class Visitor, int N>
#define COMBGPU__VISIT_CALL(function) function<Visitor>
#define COMBGPU__VISIT_N_CALL(function) function<Visitor, N>
#define COMBGPU__VISIT(perm, n) Visitor::visit(perm, n, COMBGPU__VISIT_DATA)
#define COMBGPU__VISIT_BOUNDS                                                                      \
    __launch_bounds__(COMBGPU__VISIT_LANES, 6) /* at most 80 registers: 1.1 x as fast */
#else
#define COMBGPU__VISIT_HAS_BLOCKS (COMBGPU_VISIT_N >= 10 && COMBGPU_VISIT_N <= 16)
#define COMBGPU__VISITOR_PARAMETER
#define COMBGPU__VISITOR_N_PARAMETER
#define COMBGPU__VISIT_CALL(function) function
#define COMBGPU__VISIT_N_CALL(function) function
#define COMBGPU__VISIT(perm, n) combgpu_visit(perm, n, COMBGPU__VISIT_DATA)
#define COMBGPU__VISIT_BOUNDS
#define N COMBGPU_VISIT_N
#endif

/* A lane at work, with its findings x and y: hits and hash, best key and its rank, low and high word
   of the sum, or values outside all bins. */
typedef struct combgpu_visit_lane_t {
    COMBGPU__GLOBAL combgpu__slice *slice;
    COMBGPU__GLOBAL const uint32_t *tables;
    COMBGPU__GLOBAL uint32_t *records, *work;
    COMBGPU__LOCAL uint32_t *bins; /* counts of a histogram's values */
    uint64_t x, y;
    uint32_t hits; /* of this turn */
    uint32_t at;   /* the next record, when hits are listed */
} combgpu_visit_lane_t;

/* The part of a checksum for the hits of a block of 24 ranks; bit i is rank 24 * block + i. */
COMBGPU__DEVICE uint64_t combgpu_visit_hash(uint64_t block, uint32_t hits)
{
    return combgpu_mix(block) * hits;
}

COMBGPU__DEVICE void combgpu_visit_bin(combgpu_visit_lane_t *lane, int64_t value)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    COMBGPU__GLOBAL uint32_t *work = lane->work;
    uint64_t bin = (uint64_t)value - (uint64_t)COMBGPU__VISIT_FIRST, width = COMBGPU__VISIT_WIDTH;
    if (width != 1) bin = (bin | width) >> 32 ? bin / width : (uint32_t)bin / (uint32_t)width;
    if (value < COMBGPU__VISIT_FIRST || bin >= COMBGPU__VISIT_BIN_COUNT)
        lane->x++;
    else if (COMBGPU__VISIT_BIN_COUNT <= COMBGPU__VISIT_LOCAL_BINS)
        COMBGPU__LOCAL_ATOMIC_ADD(&lane->bins[(uint32_t)bin], 1);
    else if (COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin, 1) == 0xffffffffu)
        COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin + 1, 1);
}

COMBGPU__DEVICE void combgpu_visit_sum(combgpu_visit_lane_t *lane, int64_t value)
{
    lane->x += (uint64_t)value;
    lane->y += (uint64_t)(lane->x < (uint64_t)value) - (uint64_t)(value < 0);
}

/* Keeps a key if it is better than the best, or as good and earlier. */
COMBGPU__DEVICE void combgpu_visit_best(combgpu_visit_lane_t *lane, int64_t key, uint64_t rank)
{
    if (key < (int64_t)lane->x || (key == (int64_t)lane->x && rank < lane->y)) {
        lane->x = (uint64_t)key;
        lane->y = rank;
    }
}

/* Adds one value. In pass 1, hits become records. */
COMBGPU__DEVICE void combgpu_visit_add(combgpu_visit_lane_t *lane, uint32_t pass, uint64_t rank,
                                       int64_t value)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT) {
        if (!value) return;
        lane->hits++;
        if (pass) {
            COMBGPU__GLOBAL uint32_t *record = lane->records + 4 * lane->at++;
            combgpu_store64(record, rank);
            record[2] = 1;
            record[3] = 0;
        } else if (!COMBGPU__VISIT_LIST)
            lane->y += combgpu_visit_hash(rank / 24, (uint32_t)1 << (uint32_t)(rank % 24));
    } else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM)
        combgpu_visit_sum(lane, value);
    else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_HISTOGRAM)
        combgpu_visit_bin(lane, value);
    else
        combgpu_visit_best(lane, COMBGPU__VISIT_KEY(value), rank);
}

#if defined(__CUDACC__) || COMBGPU_VISIT_N >= 10 && COMBGPU_VISIT_N <= 16
/* The bytes of x without the one at `shift`. */
COMBGPU__DEVICE uint64_t combgpu_visit_without(uint64_t x, uint32_t shift)
{
    return (x & (((uint64_t)1 << shift) - 1)) | (x >> shift >> 8 << shift);
}

/* Puts the bytes of `three` into the last three positions of `perm`, in each order, the smallest
   first; value[i] is the value of order i. */
COMBGPU__VISITOR_N_PARAMETER COMBGPU__DEVICE void combgpu_visit_orders(
    COMBGPU__GLOBAL const uint32_t *tables, uint8_t *perm, uint32_t three, int64_t *value)
{
    const uint8_t last0 = (uint8_t)three, last1 = (uint8_t)(three >> 8),
                  last2 = (uint8_t)(three >> 16);
#define COMBGPU__VISIT_ORDER(i, a, b, c)                                                           \
    perm[N - 3] = last##a;                                                                         \
    perm[N - 2] = last##b;                                                                         \
    perm[N - 1] = last##c;                                                                         \
    value[i] = COMBGPU__VISIT(perm, N);
    COMBGPU__VISIT_ORDER(0, 0, 1, 2)
    COMBGPU__VISIT_ORDER(1, 0, 2, 1)
    COMBGPU__VISIT_ORDER(2, 1, 0, 2)
    COMBGPU__VISIT_ORDER(3, 1, 2, 0)
    COMBGPU__VISIT_ORDER(4, 2, 0, 1)
    COMBGPU__VISIT_ORDER(5, 2, 1, 0)
#undef COMBGPU__VISIT_ORDER
}

/* Bit i of the result: value[i] is a hit. */
COMBGPU__DEVICE uint32_t combgpu_visit_hits(const int64_t *value)
{
    uint32_t hits = 0, i;
#pragma unroll
    for (i = 0; i < 6; i++)
        hits |= (uint32_t)(value[i] != 0) << i;
    return hits;
}

/* Adds the values of ranks rank .. rank+5, for goals other than COUNT; bit first + i of `valid` says
   whether rank+i is in the range. */
COMBGPU__DEVICE void combgpu_visit_add_six(combgpu_visit_lane_t *lane, uint64_t rank,
                                           const int64_t *value, uint32_t valid, uint32_t first)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    uint32_t i;
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_HISTOGRAM || valid != 0xffffff) {
#pragma unroll
        for (i = 0; i < 6; i++)
            if (valid >> (first + i) & 1) combgpu_visit_add(lane, 0, rank + i, value[i]);
    } else if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM) {
#pragma unroll
        for (i = 0; i < 6; i++)
            combgpu_visit_sum(lane, value[i]);
    } else {
        int64_t key = COMBGPU__VISIT_KEY(value[0]);
        uint32_t best = 0;
#pragma unroll
        for (i = 1; i < 6; i++)
            if (COMBGPU__VISIT_KEY(value[i]) < key) {
                key = COMBGPU__VISIT_KEY(value[i]);
                best = i;
            }
        combgpu_visit_best(lane, key, rank + best);
    }
}

/* Visits ranks from .. to-1 of one group of 720. */
COMBGPU__VISITOR_N_PARAMETER COMBGPU__DEVICE void combgpu_visit_blocks(combgpu_visit_lane_t *lane,
                                                                       uint32_t pass, uint64_t from,
                                                                       uint64_t to)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    const uint64_t group = from / 720 * 720;
    uint32_t block = (uint32_t)(from - group) / 24, blocks = (uint32_t)(to - group + 23) / 24;
    uint64_t six = 0;
    uint8_t first[COMBGPU__PERM_MAX], perm[N];
    int i;
    combgpu_unrank(N, group, first);
#ifdef __CUDACC__
#pragma unroll
#endif
    for (i = 0; i < N - 6; i++)
        perm[i] = first[i];
    for (i = 0; i < 6; i++)
        six |= (uint64_t)first[N - 6 + i] << (8 * i);
    for (; block < blocks; block++) {
        const uint64_t rank = group + 24 * block, five = combgpu_visit_without(six, block / 5 * 8);
        const uint32_t four = (uint32_t)combgpu_visit_without(five, block % 5 * 8);
        uint32_t valid = 0xffffff, hits = 0, a;
        perm[N - 6] = (uint8_t)(six >> block / 5 * 8);
        perm[N - 5] = (uint8_t)(five >> block % 5 * 8);
        if (rank < from) valid &= 0xffffff << (uint32_t)(from - rank);
        if (to - rank < 24) valid &= ((uint32_t)1 << (uint32_t)(to - rank)) - 1;
#ifdef __CUDACC__
#pragma unroll 1
#else
#pragma unroll
#endif
        for (a = 0; a < 4; a++) {
            const uint32_t three =
                (four & (((uint32_t)1 << 8 * a) - 1)) | (four >> 8 * a >> 8 << 8 * a);
            int64_t value[6];
            perm[N - 4] = (uint8_t)(four >> 8 * a);
            COMBGPU__VISIT_N_CALL(combgpu_visit_orders)(tables, perm, three, value);
            if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT)
                hits |= combgpu_visit_hits(value) << 6 * a;
            else
                combgpu_visit_add_six(lane, rank + 6 * a, value, valid, 6 * a);
        }
        if (COMBGPU__VISIT_GOAL != COMBGPU__GOAL_COUNT) continue;
        hits &= valid;
        lane->hits += COMBGPU__POPCOUNT(hits);
        if (!COMBGPU__VISIT_LIST && hits) lane->y += combgpu_visit_hash(rank / 24, hits);
        for (; hits && pass; hits &= hits - 1)
            combgpu_visit_add(lane, 1, rank + COMBGPU__CTZ(hits), 1);
    }
}
#endif

/* Visits a lane's run, from .. to-1, in the widest form available. */
COMBGPU__VISITOR_PARAMETER COMBGPU__DEVICE void combgpu_visit_run(combgpu_visit_lane_t *lane,
                                                                  uint32_t pass, uint32_t blocks,
                                                                  uint64_t from, uint64_t to)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    if (!blocks) {
        combgpu_set_member_t at;
        combgpu_set_unrank(tables, &at, from);
        for (; at.rank < to; combgpu_set_next(tables, &at))
            combgpu_visit_add(lane, pass, at.rank, COMBGPU__VISIT(at.perm, COMBGPU__SET_LENGTH));
        return;
    }
#ifdef __CUDACC__
#define COMBGPU__CASE(n)                                                                           \
    case n:                                                                                        \
        combgpu_visit_blocks<Visitor, n>(lane, pass, from, to);                                    \
        break;
    switch (COMBGPU__SET_N) {
        COMBGPU__CASE(10)
        COMBGPU__CASE(11)
        COMBGPU__CASE(12)
        COMBGPU__CASE(13)
        COMBGPU__CASE(14)
        COMBGPU__CASE(15)
        COMBGPU__CASE(16)
    }
#undef COMBGPU__CASE
#elif COMBGPU__VISIT_HAS_BLOCKS
    combgpu_visit_blocks(lane, pass, from, to);
#endif
}

/* The length k! of a run for `count` ranks: the largest, up to `most`, that gives every lane a
   run. */
COMBGPU__DEVICE uint32_t combgpu_visit_length(uint64_t count, uint32_t most)
{
    uint32_t run = 1, k;
    for (k = 2; run * k <= most && (uint64_t)run * k * COMBGPU__BLOCK_LANES <= count; k++)
        run *= k;
    return run;
}

/* A turn of the block; the lane's run is from .. to-1. Returns 0 if its hits find no room, and ends
   the slice. A list takes two passes: the first counts the hits, to reserve their records; the
   second finds them again. (No barrier is inside a condition: PoCL 3.1 made wrong code for some.)
   shared[0], hits of the turn, is 0 at first; shared[1] is their first record. */
COMBGPU__VISITOR_PARAMETER COMBGPU__DEVICE uint32_t
combgpu_visit_turn(combgpu_visit_lane_t *lane, COMBGPU__LOCAL uint32_t *shared, uint32_t blocks,
                   uint64_t from, uint64_t to)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    COMBGPU__GLOBAL combgpu__slice *slice = lane->slice;
    const uint32_t list = COMBGPU__VISIT_LISTS;
    uint32_t total = 0, pass, i;
    for (pass = 0; pass < 2; pass++) {
        lane->hits = 0;
        if (from < to && (!pass || (list && total)))
            COMBGPU__VISIT_CALL(combgpu_visit_run)(lane, pass, blocks, from, to);
        if (!list) break;
        if (!pass && lane->hits) lane->at = COMBGPU__LOCAL_ATOMIC_ADD(&shared[0], lane->hits);
        COMBGPU__BLOCK_BARRIER();
        total = shared[0];
        if (!pass && COMBGPU__LANE_ID == 0)
            shared[1] = total ? COMBGPU__ATOMIC_ADD(&slice->record_count, total) : 0;
        COMBGPU__BLOCK_BARRIER();
        lane->at += shared[1];
        if (total && shared[1] + total > slice->record_capacity) break;
    }
    if (total && shared[1] + total > slice->record_capacity) {
        for (i = shared[1] + COMBGPU__LANE_ID; i < slice->record_capacity;
             i += COMBGPU__BLOCK_LANES)
            combgpu_store64(lane->records + 4 * i, ~(uint64_t)0); /* an empty record */
        if (COMBGPU__LANE_ID == 0) COMBGPU__ATOMIC_OR(&slice->stop, COMBGPU__STOP_NOW);
        return 0;
    }
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_COUNT && !list) lane->x += lane->hits;
    return 1;
}

/* Joins another lane's findings to this one's. */
COMBGPU__DEVICE void combgpu_visit_join(combgpu_visit_lane_t *lane, uint64_t x, uint64_t y)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    if (COMBGPU__VISIT_BEST)
        combgpu_visit_best(lane, (int64_t)x, y);
    else {
        lane->x += x;
        lane->y += y + (uint64_t)(COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM && lane->x < x);
    }
}

/* Hands the block's findings to the host: adds its counts of values to those of all blocks; lane 0
   joins the lanes' findings. */
COMBGPU__DEVICE void combgpu_visit_end(combgpu_visit_lane_t *lane,
                                       COMBGPU__LOCAL uint64_t *lane_words)
{
    COMBGPU__GLOBAL const uint32_t *tables = lane->tables;
    COMBGPU__GLOBAL uint32_t *work = lane->work;
    COMBGPU__LOCAL const uint32_t *bins = lane->bins;
    uint32_t i;
    lane_words[2 * COMBGPU__LANE_ID] = lane->x;
    lane_words[2 * COMBGPU__LANE_ID + 1] = lane->y;
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_HISTOGRAM &&
        COMBGPU__VISIT_BIN_COUNT <= COMBGPU__VISIT_LOCAL_BINS)
        for (i = COMBGPU__LANE_ID; i < COMBGPU__VISIT_BIN_COUNT; i += COMBGPU__BLOCK_LANES)
            if (bins[i] && COMBGPU__ATOMIC_ADD(work + 2 * i, bins[i]) + bins[i] < bins[i])
                COMBGPU__ATOMIC_ADD(work + 2 * i + 1, 1);
    if (COMBGPU__LANE_ID != 0) return;
    for (i = 1; i < COMBGPU__BLOCK_LANES; i++)
        combgpu_visit_join(lane, lane_words[2 * i], lane_words[2 * i + 1]);
    if (COMBGPU__VISIT_GOAL == COMBGPU__GOAL_SUM || COMBGPU__VISIT_BEST) {
        combgpu_store64(work + COMBGPU__VISIT_SLOT_WORDS * COMBGPU__BLOCK_ID, lane->x);
        combgpu_store64(work + COMBGPU__VISIT_SLOT_WORDS * COMBGPU__BLOCK_ID + 2, lane->y);
    } else if (!COMBGPU__VISIT_LISTS) {
        combgpu_add_total(lane->slice, COMBGPU__PERM_S_DONE, lane->x);
        combgpu_add_total(lane->slice, COMBGPU__PERM_S_HASH, lane->y);
    }
}

COMBGPU__VISITOR_PARAMETER COMBGPU__KERNEL COMBGPU__VISIT_BOUNDS
combgpu_perm_visit(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t lane_words[2 * COMBGPU__VISIT_LANES];
    COMBGPU__LOCAL_ARRAY uint32_t bins[COMBGPU__VISIT_LOCAL_BINS];
    COMBGPU__LOCAL_ARRAY uint32_t shared[3]; /* lane 0's decision; combgpu_visit_turn */
    const uint32_t list = COMBGPU__VISIT_LISTS;
    const uint32_t fast = COMBGPU__VISIT_HAS_BLOCKS &
                          ((1u << COMBGPU__SET_FAMILY) &
                           (1u << COMBGPU__SET_ALL | 1u << COMBGPU__SET_CIRCULAR)) != 0 &
                          (uint32_t)COMBGPU__SET_N - 10 <= 6;
    uint32_t lanes = COMBGPU__BLOCK_LANES, most = slice->budget / 4, i;
    combgpu_perm_range_t range;
    combgpu_visit_lane_t lane;
    range.begin = range.end = range.steps = 0;
    lane.slice = slice;
    lane.tables = tables;
    lane.records = records;
    lane.work = work;
    lane.bins = bins;
    lane.x = COMBGPU__VISIT_BEST ? (uint64_t)COMBGPU__VISIT_LAST_KEY : 0;
    lane.y = COMBGPU__VISIT_BEST ? ~(uint64_t)0 : 0;
    for (i = COMBGPU__LANE_ID; i < COMBGPU__VISIT_LOCAL_BINS; i += COMBGPU__BLOCK_LANES)
        bins[i] = 0;
    if (list && most > slice->record_capacity) most = slice->record_capacity;
    if (list && lanes > slice->record_capacity) lanes = slice->record_capacity;
    for (;;) {
        uint64_t turn_end, from, to, count;
        uint32_t run;
        if (COMBGPU__LANE_ID == 0) shared[1] = 0;
        if (!combgpu_perm_go_on(slice, tasks, shared, &range)) break;
        count = range.end - range.begin;
        run = combgpu_visit_length(count < most ? count : most, fast ? 720 : 5040);
        turn_end = (range.begin / run + lanes) * run;
        if (turn_end > range.end) turn_end = range.end;
        from = (range.begin / run + COMBGPU__LANE_ID) * run;
        to = from + run;
        if (from < range.begin) from = range.begin;
        if (to > turn_end) to = turn_end;
        if (COMBGPU__VISIT_CALL(combgpu_visit_turn)(&lane, shared + 1, fast && run >= 24, from,
                                                    to)) {
            range.steps += turn_end - range.begin;
            range.begin = turn_end;
        }
    }
    combgpu_visit_end(&lane, lane_words);
    if (COMBGPU__LANE_ID != 0) return;
    combgpu_perm_give(slice, left, range.begin, range.end);
    combgpu_add_total(slice, 0, range.steps);
}
#endif /* visitor */

#endif

#if defined(COMBGPU_KERNELS_SEARCH) || defined(COMBGPU__HAS_PERM)

/* ---------------------------------------------------------------------- src/perm/search/leaf.cl */

/* Searches: what a lane knows of its search, and what it does with a leaf. */
#if defined(COMBGPU_SEARCHER) || defined(__CUDACC__)
/* combgpu_search_goal for OpenCL, which lacks the API; what prunes (src/api/searcher.h) */
#define COMBGPU__PERM_SEARCH_FIRST 1u
#define COMBGPU__PERM_SEARCH_MINIMUM 2u
#define COMBGPU__PERM_SEARCH_MAXIMUM 3u
#define COMBGPU__PERM_SEARCH_SUM 4u
#define COMBGPU__PERM_SEARCH_HISTOGRAM 5u
#define COMBGPU__PERM_SEARCH_BELOW 2u
#define COMBGPU__PERM_SEARCH_LATER 3u
#define COMBGPU__PERM_SEARCH_NO_KEY ((int64_t)(~(uint64_t)0 >> 1)) /* the largest */
/* Reads the hint, which others may just have lowered; see COMBGPU__STOPPED. */
#ifdef COMBGPU_RACE_CHECK
#define COMBGPU__PERM_SEARCH_HINT(work) COMBGPU__ATOMIC_OR(work, 0)
#else
#define COMBGPU__PERM_SEARCH_HINT(work) (*(volatile COMBGPU__GLOBAL uint32_t *)(work))
#endif

/* The data common to all tasks of a lane, and its results. */
typedef struct combgpu_perm_search_t {
    COMBGPU__GLOBAL const uint8_t *data, *order, *rank;
    int n, length;
    uint32_t goal, family, multi, ordered, prunes;
    int64_t key;    /* of the best member this lane knows; smaller is better */
    uint32_t known; /* the member itself: 0 = tables have it, 1 = best[] */
    uint64_t hits, hash, outside, sum[4];
} combgpu_perm_search_t;

COMBGPU__DEVICE void combgpu_perm_search_read_tables(combgpu_perm_search_t *t,
                                                     COMBGPU__GLOBAL const uint32_t *tables,
                                                     int plain)
{
    t->data = (COMBGPU__GLOBAL const uint8_t *)(tables + tables[COMBGPU__PERM_SEARCH_AT_DATA]);
    t->order = (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_ORDER);
    t->rank = (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_RANK);
    t->n = (int)tables[COMBGPU__PERM_SEARCH_AT_N];
    t->length = (int)tables[COMBGPU__PERM_SEARCH_AT_LENGTH];
    t->goal = tables[COMBGPU__PERM_SEARCH_AT_GOAL];
    t->family = tables[COMBGPU__PERM_SEARCH_AT_FAMILY];
    t->multi = plain ? 0 : tables[COMBGPU__PERM_SEARCH_AT_MULTI];
    t->ordered = plain ? 0 : tables[COMBGPU__PERM_SEARCH_AT_ORDERED];
    t->prunes = plain ? 0 : tables[COMBGPU__PERM_SEARCH_AT_PRUNES];
    t->key = (int64_t)combgpu_load64(tables + COMBGPU__PERM_SEARCH_AT_KEY);
    t->known = 0;
    t->hits = t->hash = t->outside = t->sum[0] = t->sum[1] = t->sum[2] = t->sum[3] = 0;
}

/* As combgpu__perm_search_open (src/api/searcher.h). */
COMBGPU__DEVICE uint64_t combgpu_perm_search_open(const combgpu_perm_search_t *t,
                                                  COMBGPU__LOCAL const uint8_t *perm, int place,
                                                  uint64_t available)
{
    if (t->family == COMBGPU__SET_COMBINATION) {
        if (place) available &= ~(uint64_t)1 << perm[place - 1];
        return available & ~(uint64_t)0 >> (64 - (t->n - t->length + place + 1));
    }
    if (t->family == COMBGPU__SET_DERANGEMENT) return available & ~((uint64_t)1 << place);
    if (t->family == COMBGPU__SET_CIRCULAR && !place) return 1;
    return available;
}

/* As combgpu__perm_search_hint (search/collect.c). */
COMBGPU__DEVICE uint32_t combgpu_perm_search_hint(int64_t key)
{
    const int64_t most = 0x7fffffff;
    return key <= -most - 1 ? 0 : key >= most ? 0xffffffffu : (uint32_t)key ^ 0x80000000u;
}

#if defined(__CUDACC__) || defined(__ENDIAN_LITTLE__)
#define COMBGPU__PERM_SEARCH_WORD(x) (x)
#else
#define COMBGPU__PERM_SEARCH_WORD(x) as_uint(as_uchar4(x).wzyx)
#endif
/* As combgpu__perm_search_hash (search/state.c). The bytes after the last one are 0. */
COMBGPU__DEVICE uint64_t combgpu_perm_search_hash(COMBGPU__LOCAL const uint32_t *row, int length)
{
    uint64_t hash = (uint64_t)length;
    int i = 0;
    do
        hash = combgpu_mix(hash ^ (COMBGPU__PERM_SEARCH_WORD(row[i]) |
                                   (uint64_t)COMBGPU__PERM_SEARCH_WORD(row[i + 1]) << 32));
    while ((i += 2) * 4 < length);
    return hash;
}

/* Nonzero if perm[0 .. place] comes after the best member, in the order of ranks. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_later(COMBGPU__GLOBAL const uint32_t *tables,
                                                   const combgpu_perm_search_t *t,
                                                   COMBGPU__LOCAL const uint8_t *perm,
                                                   const uint8_t *best, int place)
{
    COMBGPU__GLOBAL const uint8_t *tables_best =
        (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_BEST);
    int i;
    for (i = 0; i <= place; i++) {
        uint8_t rank = t->rank[perm[i]], other = t->known ? best[i] : tables_best[i];
        if (rank != other) return rank > other;
    }
    return 0;
}

/* A bin's count in global memory: 64 bits by 32-bit atomics. */
COMBGPU__DEVICE void combgpu_perm_search_bin(COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL uint32_t *work,
                                             combgpu_perm_search_t *t, int64_t value)
{
    int64_t first = (int64_t)combgpu_load64(tables + COMBGPU__PERM_SEARCH_AT_FIRST);
    uint64_t bin = (uint64_t)value - (uint64_t)first;
    bin /= combgpu_load64(tables + COMBGPU__PERM_SEARCH_AT_WIDTH);
    if (value < first || bin >= tables[COMBGPU__PERM_SEARCH_AT_BINS])
        t->outside++;
    else if (COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin, 1) == 0xffffffffu)
        COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin + 1, 1);
}

/* Stores a record; returns 0 without room. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_emit(COMBGPU__GLOBAL combgpu__slice *slice,
                                                  COMBGPU__GLOBAL uint32_t *records,
                                                  COMBGPU__LOCAL const uint8_t *perm, int length,
                                                  int64_t value)
{
    uint32_t at = combgpu_emit(slice), word = 0;
    int i;
    if (at == COMBGPU__NONE) return 0;
    records += (uint64_t)at * slice->record_words;
    for (i = 0; i < length; i++) {
        word |= (uint32_t)perm[i] << i % 4 * 8;
        if (i % 4 == 3 || i == length - 1) {
            records[i / 4] = word;
            word = 0;
        }
    }
    combgpu_store64(records + (length + 3) / 4, (uint64_t)value);
    return 1;
}

/* Takes a leaf. Returns 0 if its record finds no room. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_leaf_of(
    COMBGPU__GLOBAL combgpu__slice *slice, COMBGPU__GLOBAL const uint32_t *tables,
    COMBGPU__GLOBAL uint32_t *records, COMBGPU__GLOBAL uint32_t *work, combgpu_perm_search_t *t,
    COMBGPU__LOCAL const uint8_t *perm, uint8_t *best, int64_t value)
{
    if (t->goal == COMBGPU__PERM_SEARCH_SUM || t->goal == COMBGPU__PERM_SEARCH_HISTOGRAM) {
        t->hits++;
        if (t->goal == COMBGPU__PERM_SEARCH_HISTOGRAM)
            combgpu_perm_search_bin(tables, work, t, value);
        else {
            t->sum[0] += (uint64_t)value & 65535;
            t->sum[1] += (uint64_t)value >> 16 & 65535;
            t->sum[2] += (uint64_t)value >> 32 & 65535;
            t->sum[3] += ((uint64_t)value >> 48) - (value < 0 ? 65536u : 0u);
        }
    } else if (t->goal == COMBGPU__PERM_SEARCH_MINIMUM || t->goal == COMBGPU__PERM_SEARCH_MAXIMUM ||
               t->goal == COMBGPU__PERM_SEARCH_FIRST) {
        int64_t key = t->goal == COMBGPU__PERM_SEARCH_MAXIMUM ? ~value : value;
        uint32_t hint;
        int i;
        if (t->goal == COMBGPU__PERM_SEARCH_FIRST) {
            if (!value) return 1;
            key = 0;
        }
        hint = combgpu_perm_search_hint(key);
        if (key > t->key || hint > COMBGPU__PERM_SEARCH_HINT(work)) return 1;
        if (key == t->key && combgpu_perm_search_later(tables, t, perm, best, t->length - 1))
            return 1;
        if (!combgpu_perm_search_emit(slice, records, perm, t->length, value)) return 0;
        COMBGPU__ATOMIC_MIN(work, hint);
        t->key = key;
        t->known = 1;
        for (i = 0; i < t->length; i++)
            best[i] = t->rank[perm[i]];
    } else if (value) {
        if (tables[COMBGPU__PERM_SEARCH_AT_LIST])
            return combgpu_perm_search_emit(slice, records, perm, t->length, value);
        t->hits++;
        t->hash += combgpu_perm_search_hash((COMBGPU__LOCAL const uint32_t *)perm, t->length);
    }
    return 1;
}
#endif /* searcher */

/* --------------------------------------------------------------------- src/perm/search/solve.cl */

/* Searches: a lane is a worker with a stack of its own.

   The callbacks: OpenCL puts before this file the caller's functions combgpu_perm_search_step, ...,
   whether a bound exists, the number of positions, for which the stack is compiled, and other facts
   that the kernel may rely on. CUDA instantiates the kernel with a type that has step(), ... and
   for the three cases of combgpu__perm_search_form (search/begin_end.c).

   Registers hold the state, the values to try and the remaining ones of the lane's position. A
   position with values left keeps them in a frame while the lane is below it, mostly in local
   memory, where lanes at different positions do not disturb each other. Large states stay in
   private memory, one for each position. */
#if defined(COMBGPU_SEARCHER) || defined(__CUDACC__)
#ifdef __CUDACC__
template <int WIDE> struct combgpu_perm_search_masks {
    typedef uint32_t type;
};
template <> struct combgpu_perm_search_masks<1> {
    typedef uint64_t type;
};
#define COMBGPU__PERM_SEARCH_PARAMETERS template <class Searcher, int PLACES, int PLAIN>
#define COMBGPU__TREE(part) Searcher::part
#define COMBGPU__PERM_SEARCH_CALL(function) function<Searcher, PLACES, PLAIN>
#define COMBGPU__PERM_SEARCH_STATE_T typename Searcher::state_t
#define COMBGPU__PERM_SEARCH_MASK_T typename combgpu_perm_search_masks<(PLACES > 32)>::type
#define COMBGPU__ALIGNED(bytes) __align__(bytes)
#define COMBGPU__PERM_SEARCH_BOUNDED ((uint32_t)Searcher::has_bound)
#else
#define COMBGPU__PERM_SEARCH_PARAMETERS
#define COMBGPU__TREE(part) combgpu_perm_search_##part
#define COMBGPU__PERM_SEARCH_CALL(function) function
#define COMBGPU__PERM_SEARCH_STATE_T combgpu_perm_search_state
#define COMBGPU__PERM_SEARCH_BOUNDED COMBGPU_SEARCH_HAS_BOUND
#define PLACES COMBGPU_SEARCH_PLACES
#define PLAIN COMBGPU_SEARCH_PLAIN
#define COMBGPU__ALIGNED(bytes) __attribute__((aligned(bytes)))
#if COMBGPU_SEARCH_WIDE
#define COMBGPU__PERM_SEARCH_MASK_T uint64_t
#else
#define COMBGPU__PERM_SEARCH_MASK_T uint32_t
#endif
#endif
#define COMBGPU__PERM_SEARCH_DEVICE COMBGPU__PERM_SEARCH_PARAMETERS COMBGPU__DEVICE
#define COMBGPU__PERM_SEARCH_FRAME_T struct COMBGPU__PERM_SEARCH_CALL(combgpu_perm_search_frame)
#define COMBGPU__PERM_SEARCH_LANE_T struct COMBGPU__PERM_SEARCH_CALL(combgpu_perm_search_lane)
/* Small states are in registers and in frames. A lane's first frames are in local memory. */
#define COMBGPU__PERM_SEARCH_IS_SMALL (sizeof(COMBGPU__PERM_SEARCH_STATE_T) <= 32)
#define COMBGPU__PERM_SEARCH_FRAMES ((int)(128 / sizeof(COMBGPU__PERM_SEARCH_FRAME_T)))
#define COMBGPU__PERM_SEARCH_LEVELS                                                                \
    (COMBGPU__PERM_SEARCH_FRAMES < PLACES ? COMBGPU__PERM_SEARCH_FRAMES : PLACES)
#define COMBGPU__PERM_SEARCH_IS_WIDE (sizeof(COMBGPU__PERM_SEARCH_MASK_T) > 4)
/* words of a member: odd, so that lanes at the same position do not disturb each other */
#define COMBGPU__PERM_SEARCH_WORDS (PLACES / 4 + 1)
/* alignment of a frame, so that wide loads and stores move it */
#define COMBGPU__PERM_SEARCH_ALIGNED(bytes, least)                                                 \
    COMBGPU__ALIGNED((bytes) % 16 == 0 ? 16 : (bytes) % 8 == 0 ? 8 : (least))
/* steps between two polls of the slice; one where each polls what others have found */
#define COMBGPU__PERM_SEARCH_ROUNDS 32
/* steps after which a lane spills its frames for idle ones: steps are light, and the spilled parts
   soon refill all lanes */
#define COMBGPU__PERM_SEARCH_LEAST 1024

/* Spills a task: perm[0 .. place-1] and the values to try next. */
COMBGPU__DEVICE void combgpu_perm_search_give(COMBGPU__GLOBAL combgpu__slice *slice,
                                              COMBGPU__GLOBAL uint32_t *left,
                                              COMBGPU__LOCAL const uint8_t *perm, int place,
                                              int length, uint64_t todo)
{
    COMBGPU__GLOBAL uint32_t *to = left + (uint64_t)combgpu_give(slice) * slice->task_words;
    uint32_t word = 0;
    int i;
    to[COMBGPU__PERM_SEARCH_TASK_PLACE] = (uint32_t)place;
    combgpu_store64(to + COMBGPU__PERM_SEARCH_TASK_TODO, todo);
    for (i = 0; i < length; i++) {
        if (i < place) word |= (uint32_t)perm[i] << i % 4 * 8;
        if (i % 4 == 3 || i == length - 1) {
            to[COMBGPU__PERM_SEARCH_TASK_PERM + i / 4] = word;
            word = 0;
        }
    }
}

/* Steps until the next poll of the slice, at most `most`; 0 = spill everything. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_rounds(COMBGPU__GLOBAL combgpu__slice *slice,
                                                    uint32_t steps, uint32_t most)
{
    uint32_t stop = COMBGPU__STOPPED(slice), limit = stop ? slice->least : slice->budget;
    if (stop && limit > COMBGPU__PERM_SEARCH_LEAST) limit = COMBGPU__PERM_SEARCH_LEAST;
    if (steps >= limit || (stop & COMBGPU__STOP_NOW)) return 0;
    return limit - steps < most ? limit - steps : most;
}

COMBGPU__DEVICE int combgpu_perm_search_lowest(uint64_t mask, int wide)
{
    return (int)(wide ? combgpu_lowest_bit64(mask) : COMBGPU__CTZ((uint32_t)mask));
}

COMBGPU__DEVICE int combgpu_perm_search_highest(uint64_t mask, int wide)
{
    const uint32_t high = wide ? (uint32_t)(mask >> 32) : 0;
    return (int)(high ? 63 - COMBGPU__CLZ(high) : 31 - COMBGPU__CLZ((uint32_t)mask));
}

/* Nonzero if no completion of perm[0 .. place] is better than the best, or as good and earlier. */
COMBGPU__PERM_SEARCH_DEVICE uint32_t combgpu_perm_search_beaten(
    COMBGPU__GLOBAL const uint32_t *tables, COMBGPU__GLOBAL const uint32_t *work,
    const combgpu_perm_search_t *t, const uint8_t *perm, COMBGPU__LOCAL const uint8_t *row,
    const uint8_t *best, int place, int value, const COMBGPU__PERM_SEARCH_STATE_T *state)
{
    int64_t bound = 0;
    if (COMBGPU__PERM_SEARCH_BOUNDED && t->prunes != COMBGPU__PERM_SEARCH_LATER) {
        const uint32_t below = t->prunes == COMBGPU__PERM_SEARCH_BELOW;
        bound = COMBGPU__TREE(bound)(perm, place, value, t->n, t->length, state, t->data,
                                     below ? ~t->key : t->key);
        if (below) bound = ~bound;
    }
    return bound > t->key || combgpu_perm_search_hint(bound) > COMBGPU__PERM_SEARCH_HINT(work) ||
           (bound == t->key && combgpu_perm_search_later(tables, t, row, best, place));
}

/* A position that the lane returns to, as values are left to try. */
COMBGPU__PERM_SEARCH_PARAMETERS struct COMBGPU__PERM_SEARCH_ALIGNED(
    2 * sizeof(COMBGPU__PERM_SEARCH_MASK_T) + sizeof(COMBGPU__PERM_SEARCH_STATE_T),
    sizeof(COMBGPU__PERM_SEARCH_MASK_T)) combgpu_perm_search_frame {
    COMBGPU__PERM_SEARCH_MASK_T todo, open;
    COMBGPU__PERM_SEARCH_STATE_T state;
};

/* A lane at work. It points to arrays and to the caller's states, which may contain some: within it,
   an array with a variable index would keep all of it out of registers. */
COMBGPU__PERM_SEARCH_PARAMETERS struct combgpu_perm_search_lane {
    COMBGPU__GLOBAL combgpu__slice *slice;
    COMBGPU__GLOBAL const uint32_t *tables;
    COMBGPU__GLOBAL uint32_t *records, *work;
    combgpu_perm_search_t *t;
    COMBGPU__LOCAL uint8_t *row; /* the member */
    uint8_t *perm;               /* again: callers cannot read OpenCL's local memory */
    uint8_t *best;
    uint8_t *left_of;                  /* copies left of each value: for multisets alone */
    COMBGPU__LOCAL uint32_t *held_row; /* a hit whose hash waits */
    /* the lane's position and the next, if states are small */
    COMBGPU__PERM_SEARCH_STATE_T *state, *next;
    COMBGPU__LOCAL COMBGPU__PERM_SEARCH_FRAME_T *first_frame, *frame; /* frame: the next one */
    COMBGPU__PERM_SEARCH_FRAME_T *frames;         /* more frames, by position; large states */
    COMBGPU__PERM_SEARCH_MASK_T todo, open, live; /* live: positions above with values to try */
    int place, depth;                             /* depth: number of frames */
    uint32_t is_held, full;
};

/* Goes to a task's position. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_go_to(COMBGPU__PERM_SEARCH_LANE_T *lane,
                                                           COMBGPU__GLOBAL const uint32_t *task)
{
    typedef COMBGPU__PERM_SEARCH_MASK_T mask_t;
    const combgpu_perm_search_t *t = lane->t;
    COMBGPU__GLOBAL const uint8_t *repeats =
        (COMBGPU__GLOBAL const uint8_t *)(lane->tables + COMBGPU__PERM_SEARCH_AT_REPEATS);
    COMBGPU__PERM_SEARCH_STATE_T zero = {0}, *state = lane->state;
    uint32_t i; /* nvcc would unroll a loop with a signed one: a quarter more instructions */
    int value;
    lane->place = (int)task[COMBGPU__PERM_SEARCH_TASK_PLACE];
    lane->todo = (mask_t)combgpu_load64(task + COMBGPU__PERM_SEARCH_TASK_TODO);
    lane->open = 0;
    for (value = 0; value < t->n; value++) {
        if (t->multi) lane->left_of[value] = repeats[value];
        if (repeats[value]) lane->open |= (mask_t)1 << value;
    }
    if (!COMBGPU__PERM_SEARCH_IS_SMALL) state = &lane->frames[0].state;
    *state = zero;
    COMBGPU__TREE(begin)(t->n, t->length, state, t->data);
    for (i = 0; (int)i < lane->place; i++) {
        value = (int)(task[COMBGPU__PERM_SEARCH_TASK_PERM + i / 4] >> i % 4 * 8 & 255);
        lane->perm[i] = lane->row[i] = (uint8_t)value;
        if (!COMBGPU__PERM_SEARCH_IS_SMALL) {
            lane->frames[i + 1].state = lane->frames[i].state;
            state = &lane->frames[i + 1].state;
        }
        (void)COMBGPU__TREE(step)(lane->perm, (int)i, value, t->n, t->length, state, t->data);
        if (!t->multi || !--lane->left_of[value]) lane->open &= ~((mask_t)1 << value);
    }
}

COMBGPU__PERM_SEARCH_DEVICE int combgpu_perm_search_next_value(
    const COMBGPU__PERM_SEARCH_LANE_T *lane)
{
    const combgpu_perm_search_t *t = lane->t;
    int i = 0;
    if (!t->ordered) return combgpu_perm_search_lowest(lane->todo, COMBGPU__PERM_SEARCH_IS_WIDE);
    while (!(lane->todo >> t->order[i] & 1))
        i++;
    return t->order[i];
}

/* Adds the hit that waits: many lanes at once take as long as one. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_add_held(COMBGPU__PERM_SEARCH_LANE_T *lane)
{
    lane->t->hits++;
    lane->t->hash += combgpu_perm_search_hash(lane->held_row, lane->t->length);
    lane->is_held = 0;
}

/* Takes a complete member. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_complete(
    COMBGPU__PERM_SEARCH_LANE_T *lane, const COMBGPU__PERM_SEARCH_STATE_T *state)
{
    COMBGPU__LOCAL const uint32_t *row = (COMBGPU__LOCAL const uint32_t *)lane->row;
    combgpu_perm_search_t *t = lane->t;
    int64_t value = COMBGPU__TREE(leaf)(lane->perm, t->n, t->length, state, t->data);
    if (!PLAIN)
        lane->full = !combgpu_perm_search_leaf_of(lane->slice, lane->tables, lane->records,
                                                  lane->work, t, lane->row, lane->best, value);
    else if (value && lane->is_held) {
        t->hits++;
        t->hash += combgpu_perm_search_hash(row, t->length);
    } else if (value) {
        uint32_t copy[COMBGPU__PERM_SEARCH_WORDS - 1], i;
        for (i = 0; i < COMBGPU__PERM_SEARCH_WORDS - 1; i++)
            copy[i] = row[i];
        for (i = 0; i < COMBGPU__PERM_SEARCH_WORDS - 1; i++)
            lane->held_row[i] = copy[i];
        lane->is_held = 1;
    }
}

/* Goes from `value` to the next position, which has values to try. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_descend(COMBGPU__PERM_SEARCH_LANE_T *lane,
                                                             int value,
                                                             COMBGPU__PERM_SEARCH_MASK_T todo,
                                                             COMBGPU__PERM_SEARCH_MASK_T open)
{
    if (lane->todo) {
        lane->live |= (COMBGPU__PERM_SEARCH_MASK_T)1 << lane->place;
        if (COMBGPU__PERM_SEARCH_IS_SMALL && lane->depth < COMBGPU__PERM_SEARCH_LEVELS) {
            const COMBGPU__PERM_SEARCH_FRAME_T here = {lane->todo, lane->open, *lane->state};
            *lane->frame = here;
        } else {
            lane->frames[lane->place].todo = lane->todo;
            lane->frames[lane->place].open = lane->open;
            if (COMBGPU__PERM_SEARCH_IS_SMALL) lane->frames[lane->place].state = *lane->state;
        }
        lane->frame += COMBGPU__PERM_SEARCH_LANES;
        lane->depth++;
    }
    if (lane->t->multi) lane->left_of[value]--;
    lane->place++;
    lane->todo = todo;
    lane->open = open;
    if (COMBGPU__PERM_SEARCH_IS_SMALL) *lane->state = *lane->next;
}

/* Goes back to the last position with values left. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_return(COMBGPU__PERM_SEARCH_LANE_T *lane)
{
    int from = lane->place;
    lane->place = combgpu_perm_search_highest(lane->live, COMBGPU__PERM_SEARCH_IS_WIDE);
    lane->live &= ~((COMBGPU__PERM_SEARCH_MASK_T)1 << lane->place);
    lane->frame -= COMBGPU__PERM_SEARCH_LANES;
    lane->depth--;
    if (COMBGPU__PERM_SEARCH_IS_SMALL && lane->depth < COMBGPU__PERM_SEARCH_LEVELS) {
        const COMBGPU__PERM_SEARCH_FRAME_T here = *lane->frame;
        lane->todo = here.todo;
        lane->open = here.open;
        *lane->state = here.state;
    } else {
        lane->todo = lane->frames[lane->place].todo;
        lane->open = lane->frames[lane->place].open;
        if (COMBGPU__PERM_SEARCH_IS_SMALL) *lane->state = lane->frames[lane->place].state;
    }
    if (lane->t->multi)
        while (from-- > lane->place)
            lane->left_of[lane->row[from]]++;
}

/* Tries the next value and goes to the position after that. If the value's record finds no room, sets
   `full` and stays. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_try(COMBGPU__PERM_SEARCH_LANE_T *lane)
{
    typedef COMBGPU__PERM_SEARCH_MASK_T mask_t;
    const combgpu_perm_search_t *t = lane->t;
    const int place = lane->place, value = combgpu_perm_search_next_value(lane);
    const mask_t bit = (mask_t)1 << value;
    mask_t rest = 0, below = 0; /* left at the next position, to try there */
    COMBGPU__PERM_SEARCH_STATE_T *to =
        COMBGPU__PERM_SEARCH_IS_SMALL ? lane->next : &lane->frames[place + 1].state;
    lane->todo &= ~bit;
    lane->perm[place] = lane->row[place] = (uint8_t)value;
    *to = COMBGPU__PERM_SEARCH_IS_SMALL ? *lane->state : lane->frames[place].state;
    if (COMBGPU__TREE(step)(lane->perm, place, value, t->n, t->length, to, t->data)) {
        if (t->prunes &&
            COMBGPU__PERM_SEARCH_CALL(combgpu_perm_search_beaten)(
                lane->tables, lane->work, t, lane->perm, lane->row, lane->best, place, value, to))
            ;
        else if (place + 1 < t->length) {
            rest = t->multi && lane->left_of[value] > 1 ? lane->open : lane->open & ~bit;
            below =
                (PLAIN ? rest : (mask_t)combgpu_perm_search_open(t, lane->row, place + 1, rest)) &
                (mask_t)COMBGPU__TREE(allowed)(lane->perm, place + 1, t->n, t->length, to, t->data);
        } else
            combgpu_perm_search_complete(lane, to);
    }
    if (lane->full)
        lane->todo |= bit;
    else if (below)
        combgpu_perm_search_descend(lane, value, below, rest);
    else if (!lane->todo && lane->live)
        combgpu_perm_search_return(lane);
}

/* Spills the rest, the deepest position first, which the next slice takes first. If others are idle,
   the largest subtrees first and in parts: as many tasks as fit. */
COMBGPU__PERM_SEARCH_DEVICE void combgpu_perm_search_spill(const COMBGPU__PERM_SEARCH_LANE_T *lane,
                                                           COMBGPU__GLOBAL uint32_t *left)
{
    typedef COMBGPU__PERM_SEARCH_MASK_T mask_t;
    const uint32_t starved = COMBGPU__STOPPED(lane->slice) & COMBGPU__STOP_STARVED;
    const int length = lane->t->length;
    mask_t live = lane->live | (mask_t)1 << lane->place, todo;
    int spare = starved ? length - 1 - lane->depth : 0, depth = starved ? 0 : lane->depth, place;
    while (live) {
        place = starved ? combgpu_perm_search_lowest(live, COMBGPU__PERM_SEARCH_IS_WIDE)
                        : combgpu_perm_search_highest(live, COMBGPU__PERM_SEARCH_IS_WIDE);
        live &= ~((mask_t)1 << place);
        todo = place == lane->place ? lane->todo
               : COMBGPU__PERM_SEARCH_IS_SMALL && depth < COMBGPU__PERM_SEARCH_LEVELS
                   ? lane->first_frame[depth * COMBGPU__PERM_SEARCH_LANES].todo
                   : lane->frames[place].todo;
        depth += starved ? 1 : -1;
        for (; spare && (todo & (todo - 1)); spare--) {
            combgpu_perm_search_give(lane->slice, left, lane->row, place, length,
                                     todo & (~todo + 1));
            todo &= todo - 1;
        }
        combgpu_perm_search_give(lane->slice, left, lane->row, place, length, todo);
    }
}

COMBGPU__PERM_SEARCH_PARAMETERS COMBGPU__KERNEL combgpu_perm_tree(COMBGPU__SLICE_ARGUMENTS)
{
    /* the members; hits whose hashes wait; the first frames */
    COMBGPU__LOCAL_ARRAY uint32_t rows[COMBGPU__PERM_SEARCH_LANES][COMBGPU__PERM_SEARCH_WORDS];
    COMBGPU__LOCAL_ARRAY uint32_t
        held_rows[PLAIN ? COMBGPU__PERM_SEARCH_LANES : 1][COMBGPU__PERM_SEARCH_WORDS];
    COMBGPU__LOCAL_ARRAY COMBGPU__PERM_SEARCH_FRAME_T
        local_frames[COMBGPU__PERM_SEARCH_IS_SMALL
                         ? COMBGPU__PERM_SEARCH_LEVELS * COMBGPU__PERM_SEARCH_LANES
                         : 1];
    COMBGPU__PERM_SEARCH_FRAME_T frames[PLACES + 1];
    COMBGPU__PERM_SEARCH_STATE_T state, next;
    uint8_t best[PLACES + 1], left_of[COMBGPU__PERM_MOST];
#ifndef __CUDACC__
    uint8_t perm[PLACES + 1];
#endif
    combgpu_perm_search_t t;
    COMBGPU__PERM_SEARCH_LANE_T lane;
    uint32_t steps = 0, rounds, i;
    const uint32_t idle = /* a lane beyond the workers, of the last block */
        COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers;
    combgpu_perm_search_read_tables(&t, tables, PLAIN);
    lane.slice = slice;
    lane.tables = tables;
    lane.records = records;
    lane.work = work;
    lane.t = &t;
    lane.row = (COMBGPU__LOCAL uint8_t *)rows[COMBGPU__LANE_ID];
#ifdef __CUDACC__
    lane.perm = lane.row;
#else
    lane.perm = perm;
#endif
    lane.best = best;
    lane.left_of = left_of;
    lane.held_row = held_rows[PLAIN ? COMBGPU__LANE_ID : 0];
    lane.state = &state;
    lane.next = &next;
    lane.first_frame = local_frames + (COMBGPU__PERM_SEARCH_IS_SMALL ? COMBGPU__LANE_ID : 0);
    lane.frame = lane.first_frame;
    lane.frames = frames;
    lane.todo = lane.open = lane.live = 0;
    lane.place = lane.depth = 0;
    lane.is_held = lane.full = 0;
    for (i = 0; i < PLACES; i++)
        lane.perm[i] = lane.row[i] = best[i] = 0;
    while (!lane.full) {
        rounds = idle ? 0
                      : combgpu_perm_search_rounds(slice, steps,
                                                   t.prunes ? 1 : COMBGPU__PERM_SEARCH_ROUNDS);
        if (!rounds) break;
        if (!lane.todo) {
            i = combgpu_take(slice);
            if (i == COMBGPU__NONE) break;
            combgpu_perm_search_go_to(&lane, tasks + (uint64_t)i * slice->task_words);
        }
        steps += rounds;
        for (; rounds && lane.todo; rounds--) {
            combgpu_perm_search_try(&lane);
            if (lane.full) break;
        }
        steps -= rounds;
        if (lane.is_held) combgpu_perm_search_add_held(&lane);
    }
    if (lane.todo) combgpu_perm_search_spill(&lane, left);
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, COMBGPU__PERM_SEARCH_S_HITS, t.hits);
    combgpu_add_total(slice, COMBGPU__PERM_SEARCH_S_HASH, t.hash);
    if (PLAIN) return;
    combgpu_add_total(slice, COMBGPU__PERM_SEARCH_S_OUTSIDE, t.outside);
    for (i = 0; i < 4; i++)
        combgpu_add_total(slice, COMBGPU__PERM_SEARCH_S_SUM + i, t.sum[i]);
}
#ifndef __CUDACC__
#undef PLACES
#undef PLAIN
#endif
#endif /* searcher */

#endif
#endif /* PERM */

#endif /* COMBGPU_KERNELS_CL */

/* The kernels. In CUDA only the file with COMBGPU_IMPLEMENTATION has them; the inline functions and
   the template above cost a file nothing until it uses them. */
#if !defined(COMBGPU__KERNELS) && (!defined(__CUDACC__) || defined(COMBGPU__IMPLEMENTED))
#define COMBGPU__KERNELS

/* -------------------------------------------------------------------------- src/kernel/group.cl */

/* GROUP OPERATIONS: what the lanes of a group do together.

   A group is 4, 8, 16 or 32 consecutive lanes that are one worker and share a task. Its *warp* is
   all lanes that run in lockstep with it: 32 lanes on NVIDIA (eight groups of 4, four of 8, or one
   of 32); an OpenCL sub-group where lanes of those exchange registers, which has whole groups, but
   one alone of 32; elsewhere the group alone, which is then the whole block. EVERY lane of the
   warp must reach every operation marked *, together, even if its group has nothing to do. So
   control flow around these operations depends only on WARP_ANY, and a lane without work passes any
   value. This list leaves out the prefix COMBGPU__.

     GROUP_BEGIN(lanes)    at the top of a kernel; lanes is 4, 8, 16 or 32 and constant
     GROUP_PARAMETER, GROUP   for functions: f(GROUP_PARAMETER, uint32_t x) is called as f(GROUP, x)
     GROUP_LANE            0 .. lanes-1
     GROUP_INDEX           the worker's number; workers from slice->workers on must take no task
   * GROUP_MIN(x)          the smallest uint32_t x of the group, in all its lanes
   * GROUP_ADD(x)          the sum of the group's uint32_t x
   * GROUP_BALLOT(p)       bit i = (p != 0) in the group's lane i
   * GROUP_ANY(p)          nonzero if p holds in a lane of the group
   * GROUP_FROM(x, i)      the uint32_t x of the group's lane i (i may differ from lane to lane)
   * WARP_ANY(p)           nonzero if p holds in a lane of the warp
   * WARP_BARRIER()        later reads see what the lanes wrote to GLOBAL or LOCAL memory before
   * GROUP_TAKE(slice, p)  in all lanes, the result of combgpu_take by the group's lane 0 if p holds
                           there, else NONE. Likewise GROUP_GIVE(slice, p), GROUP_EMIT(slice, p)

   Lanes may see slice->stop at different moments: let one lane decide, as in
   GROUP_TAKE(slice, !combgpu_spent(slice, steps)). The probe (src/backend/probe.cl) is an example. */
typedef struct combgpu_group_t {
    uint32_t lanes, lane, index;
#ifdef COMBGPU__PACKED
    uint32_t first; /* the group's lane 0 within the warp */
#else
    COMBGPU__LOCAL uint32_t *scratch; /* a word for each lane */
#endif
} combgpu_group_t;

#define COMBGPU__GROUP group
#define COMBGPU__GROUP_PARAMETER const combgpu_group_t group
#define COMBGPU__GROUP_LANE (group.lane)
#define COMBGPU__GROUP_INDEX (group.index)
#define COMBGPU__GROUP_MIN(x) combgpu_group_min(group, (x))
#define COMBGPU__GROUP_ADD(x) combgpu_group_add(group, (x))
#define COMBGPU__GROUP_BALLOT(p) combgpu_group_ballot(group, (p) != 0)
#define COMBGPU__GROUP_ANY(p) (COMBGPU__GROUP_BALLOT(p) != 0)
#define COMBGPU__GROUP_FROM(x, i) combgpu_group_from(group, (x), (i))
#define COMBGPU__GROUP_TAKE(slice, p) combgpu_group_take(group, (slice), (p) != 0)
#define COMBGPU__GROUP_GIVE(slice, p) combgpu_group_give(group, (slice), (p) != 0)
#define COMBGPU__GROUP_EMIT(slice, p) combgpu_group_emit(group, (slice), (p) != 0)

#ifdef COMBGPU__PACKED
#ifdef COMBGPU_SUBGROUPS
#ifdef __AMDGCN__ /* AMD's OpenCL has sub-groups without shuffles, but the instructions */
#define COMBGPU__WARP_LANE __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))
#define COMBGPU__WARP_ANY(p) (__builtin_amdgcn_uicmp((uint32_t)((p) != 0), 0u, 33) != 0)
#define COMBGPU__WARP_SHUFFLE(x, i)                                                                \
    ((uint32_t)__builtin_amdgcn_ds_bpermute((int)(4 * (i)), (int)(x)))
#define COMBGPU__WARP_BARRIER() /* the wavefront's reads wait for its writes */                    \
    (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront"), __builtin_amdgcn_wave_barrier(),       \
     __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront"))
#else
#define COMBGPU__WARP_LANE get_sub_group_local_id()
#define COMBGPU__WARP_ANY(p) (sub_group_any((p) != 0) != 0)
#define COMBGPU__WARP_BARRIER() sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#ifdef cl_khr_subgroup_shuffle
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#define COMBGPU__WARP_SHUFFLE(x, i) sub_group_shuffle(x, i)
#else
#define COMBGPU__WARP_SHUFFLE(x, i) intel_sub_group_shuffle(x, i)
#endif
#endif
COMBGPU__DEVICE uint32_t combgpu_shuffle(uint32_t x, uint32_t i)
{
    return COMBGPU__WARP_SHUFFLE(x, i);
}

COMBGPU__DEVICE uint32_t combgpu_shuffle_xor(uint32_t x, uint32_t mask)
{
    return COMBGPU__WARP_SHUFFLE(x, COMBGPU__WARP_LANE ^ mask);
}
#elif !defined(__CUDACC__) /* NVIDIA's OpenCL has no sub-groups, but accepts PTX */
COMBGPU__DEVICE uint32_t combgpu_shuffle(uint32_t x, uint32_t i)
{
    uint32_t y;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(y) : "r"(x), "r"(i));
    return y;
}

COMBGPU__DEVICE uint32_t combgpu_shuffle_xor(uint32_t x, uint32_t mask)
{
    uint32_t y;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                     : "=r"(y)
                     : "r"(x), "r"(mask));
    return y;
}

COMBGPU__DEVICE uint32_t combgpu_ballot(uint32_t p)
{
    uint32_t y;
    __asm__ volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, q, "
                     "0xffffffff; }"
                     : "=r"(y)
                     : "r"(p));
    return y;
}

#define COMBGPU__WARP_BARRIER() __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory")
#else
COMBGPU__DEVICE uint32_t combgpu_shuffle(uint32_t x, uint32_t i)
{
    return __shfl_sync(0xffffffffu, x, (int)i);
}

COMBGPU__DEVICE uint32_t combgpu_shuffle_xor(uint32_t x, uint32_t mask)
{
    return __shfl_xor_sync(0xffffffffu, x, (int)mask);
}

COMBGPU__DEVICE uint32_t combgpu_ballot(uint32_t p)
{
    return __ballot_sync(0xffffffffu, (int)p);
}

#define COMBGPU__WARP_BARRIER() __syncwarp()
#endif
#ifndef COMBGPU_SUBGROUPS
#define COMBGPU__WARP_LANE (COMBGPU__LANE_ID & 31u)
#define COMBGPU__WARP_ANY(p) (combgpu_ballot((p) != 0) != 0)
#endif
#define COMBGPU__GROUP_BEGIN(lanes)                                                                \
    const combgpu_group_t group = {lanes, COMBGPU__LANE_ID & ((lanes)-1u),                         \
                                   (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID) / \
                                       (lanes),                                                    \
                                   COMBGPU__WARP_LANE & ~((lanes)-1u)}

COMBGPU__DEVICE uint32_t combgpu_group_min(COMBGPU__GROUP_PARAMETER, uint32_t x)
{
    uint32_t step, y;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (group.lanes == 32) return __reduce_min_sync(0xffffffffu, x);
#endif
    for (step = 1; step < group.lanes; step *= 2) {
        y = combgpu_shuffle_xor(x, step);
        if (y < x) x = y;
    }
    return x;
}

COMBGPU__DEVICE uint32_t combgpu_group_add(COMBGPU__GROUP_PARAMETER, uint32_t x)
{
    uint32_t step;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (group.lanes == 32) return __reduce_add_sync(0xffffffffu, x);
#endif
    for (step = 1; step < group.lanes; step *= 2)
        x += combgpu_shuffle_xor(x, step);
    return x;
}

COMBGPU__DEVICE uint32_t combgpu_group_ballot(COMBGPU__GROUP_PARAMETER, uint32_t p)
{
#ifdef COMBGPU_SUBGROUPS /* of any size */
    return combgpu_group_add(group, p << group.lane);
#else
    return (combgpu_ballot(p) >> group.first) & (0xffffffffu >> (32 - group.lanes));
#endif
}

COMBGPU__DEVICE uint32_t combgpu_group_from(COMBGPU__GROUP_PARAMETER, uint32_t x, uint32_t i)
{
    return combgpu_shuffle(x, group.first + i);
}

#else /* no shuffles: exchange through local memory. A block barrier orders memory as lockstep
         would, since the block is one group. Loops between barriers are unrolled: of PoCL 6.0's
         method cbs a loop of 16 or 32 rounds there does not end, or counts wrong */
#define COMBGPU__WARP_BARRIER() COMBGPU__BLOCK_BARRIER()
#define COMBGPU__WARP_ANY(p) COMBGPU__GROUP_ANY(p)
#define COMBGPU__GROUP_BEGIN(lanes)                                                                \
    COMBGPU__LOCAL_ARRAY uint32_t group_scratch[lanes];                                            \
    const combgpu_group_t group = {lanes, COMBGPU__LANE_ID, COMBGPU__BLOCK_ID, group_scratch}

COMBGPU__DEVICE uint32_t combgpu_group_min(COMBGPU__GROUP_PARAMETER, uint32_t x)
{
    uint32_t i;
    group.scratch[group.lane] = x;
    COMBGPU__BLOCK_BARRIER();
#pragma unroll
    for (i = 0; i < group.lanes; i++)
        x = min(x, group.scratch[i]);
    COMBGPU__BLOCK_BARRIER();
    return x;
}

COMBGPU__DEVICE uint32_t combgpu_group_add(COMBGPU__GROUP_PARAMETER, uint32_t x)
{
    uint32_t i, sum = 0;
    group.scratch[group.lane] = x;
    COMBGPU__BLOCK_BARRIER();
#pragma unroll
    for (i = 0; i < group.lanes; i++)
        sum += group.scratch[i];
    COMBGPU__BLOCK_BARRIER();
    return sum;
}

COMBGPU__DEVICE uint32_t combgpu_group_ballot(COMBGPU__GROUP_PARAMETER, uint32_t p)
{
    return combgpu_group_add(group, p << group.lane);
}

COMBGPU__DEVICE uint32_t combgpu_group_from(COMBGPU__GROUP_PARAMETER, uint32_t x, uint32_t i)
{
    uint32_t y;
    group.scratch[group.lane] = x;
    COMBGPU__BLOCK_BARRIER();
    y = group.scratch[i];
    COMBGPU__BLOCK_BARRIER();
    return y;
}
#endif

COMBGPU__DEVICE uint32_t combgpu_group_take(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__GLOBAL combgpu__slice *slice, uint32_t p)
{
    uint32_t i = COMBGPU__NONE;
    if (p && group.lane == 0) i = combgpu_take(slice);
    return combgpu_group_from(group, i, 0);
}

COMBGPU__DEVICE uint32_t combgpu_group_give(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__GLOBAL combgpu__slice *slice, uint32_t p)
{
    uint32_t i = COMBGPU__NONE;
    if (p && group.lane == 0) i = combgpu_give(slice);
    return combgpu_group_from(group, i, 0);
}

COMBGPU__DEVICE uint32_t combgpu_group_emit(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__GLOBAL combgpu__slice *slice, uint32_t p)
{
    uint32_t i = COMBGPU__NONE;
    if (p && group.lane == 0) i = combgpu_emit(slice);
    return combgpu_group_from(group, i, 0);
}

/* ---------------------------------------------------------------------------------- PROBE */
/* The self-test of the operations above (combgpu__backend_self_test): a task is a number; lanes
   hash it and exchange the results, and a record holds it with their sum. */
#if defined(COMBGPU_KERNELS_PROBE) || defined(__CUDACC__)

/* ------------------------------------------------------------------------- src/backend/probe.cl */

/* The probe's kernels, for groups of 4, 8 and 32 lanes. */

COMBGPU__DEVICE uint32_t combgpu_probe_hash(uint32_t seed, uint32_t lane)
{
    uint32_t x = seed * 0x9e3779b9u + lane * 0x85ebca6bu;
    x = (x ^ (x >> 15)) * 0x2c1b3c6du;
    return x ^ (x >> 13);
}

COMBGPU__DEVICE void combgpu_probe(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS)
{
    uint32_t steps = 0, busy = COMBGPU__GROUP_INDEX < slice->workers, bits = tables[0];
    COMBGPU__GLOBAL uint32_t *own = work + COMBGPU__GROUP_INDEX * group.lanes;
    while (COMBGPU__WARP_ANY(busy)) {
        uint32_t task = COMBGPU__GROUP_TAKE(slice, busy && !combgpu_spent(slice, steps));
        uint32_t seed = 0, x, sum, other, at;
        busy = task != COMBGPU__NONE;
        if (busy) seed = tasks[task];
        x = combgpu_probe_hash(seed, COMBGPU__GROUP_LANE);
        if (busy) own[COMBGPU__GROUP_LANE] = x;
        sum = COMBGPU__GROUP_MIN(x) * 3 + COMBGPU__GROUP_BALLOT(x & bits) * 5 +
              COMBGPU__GROUP_ADD(x) * 7;
        other = COMBGPU__GROUP_FROM(x, (x >> 8) & (group.lanes - 1));
        COMBGPU__WARP_BARRIER();
        if (busy) other += own[group.lanes - 1 - COMBGPU__GROUP_LANE] * 9;
        COMBGPU__WARP_BARRIER();
        sum = COMBGPU__GROUP_ADD(sum ^ other);
        at = COMBGPU__GROUP_EMIT(slice, busy);
        if (at != COMBGPU__NONE && COMBGPU__GROUP_LANE == 0) {
            records[2 * at] = seed;
            records[2 * at + 1] = sum;
            combgpu_add_total(slice, 1, (uint64_t)sum << 32 | x);
        }
        steps += at != COMBGPU__NONE;
        busy = busy && at != COMBGPU__NONE ? 1 : 0;
        at = COMBGPU__GROUP_GIVE(slice, task != COMBGPU__NONE && !busy);
        if (at != COMBGPU__NONE && COMBGPU__GROUP_LANE == 0) left[at] = seed;
    }
    if (COMBGPU__GROUP_LANE == 0) combgpu_add_total(slice, 0, steps);
}

COMBGPU__KERNEL combgpu_probe4(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__GROUP_BEGIN(4);
    combgpu_probe(COMBGPU__GROUP, slice, tables, tasks, left, records, work);
}

COMBGPU__KERNEL combgpu_probe8(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__GROUP_BEGIN(8);
    combgpu_probe(COMBGPU__GROUP, slice, tables, tasks, left, records, work);
}

COMBGPU__KERNEL combgpu_probe32(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__GROUP_BEGIN(32);
    combgpu_probe(COMBGPU__GROUP, slice, tables, tasks, left, records, work);
}

#endif /* PROBE */

#if defined(COMBGPU__HAS_MAGIC) || defined(COMBGPU_KERNELS_MAGIC) || defined(COMBGPU_KERNELS_MAGIC6)
/* --------------------------------------------------------------------------- src/magic/layout.h */

/* Magic squares: the words of tables and the totals of slices, shared by host and kernels. */
#ifndef COMBGPU__MAGIC_LAYOUT_H
#define COMBGPU__MAGIC_LAYOUT_H

#define COMBGPU__MAGIC_LEVELS 32 /* of a plan, at most: see combgpu__cells_plan */
#define COMBGPU__MAGIC_SPREAD 15 /* from so many levels on, each begins with another number */
#define COMBGPU__MAGIC_WAYS 36u  /* arrangements of a pair of diagonals */

/* Totals of slices, beyond the steps. */
enum {
    COMBGPU__MAGIC_HASH = 1,      /* of the configurations and their counts */
    COMBGPU__MAGIC_JOINED = 1,    /* + centre, 1 to 13: squares up to the M-group */
    COMBGPU__MAGIC_ORTHOGONAL = 2 /* pairs of partitions (semi) */
};

/* The search: words of `tables`. The entry of a position begins with a word cell | lines << 8 |
   relations << 16. Two words for each of its lines follow: a byte with the sum, then a byte each
   for the positions of 5 cells filled before (the position after the last one always holds 0). Then
   comes a word for each relation: a position | 256 if this number must be greater than the one
   there.

   The lines of a position that begins a level have one more free cell after it. Those of other
   positions have none: the first line gives the number, the others check it.

   NUMBERS: a line has three words, the sum and 8 positions, and this position is its last cell. */
enum {
    COMBGPU__SEARCH_AT_CELLS = 0,
    COMBGPU__SEARCH_AT_LEVELS = 1,
    COMBGPU__SEARCH_AT_SQUARES = 2, /* sum of the squares of a line's numbers; 0 = any */
    COMBGPU__SEARCH_AT_START =
        3, /* + level: first position; one more for the end of the last level */
    COMBGPU__SEARCH_AT_ENTRY = 36, /* + position: index of its entry */
    COMBGPU__SEARCH_AT_FIRST = 72, /* of the entries */
    COMBGPU__SEARCH_AT_WORDS = COMBGPU__SEARCH_AT_FIRST + 36 * 25,
    COMBGPU__RANKS_AT_START = 2, /* for NUMBERS, in place of the above */
    COMBGPU__RANKS_AT_ENTRY = 28,
    COMBGPU__RANKS_AT_NUMBER = 53, /* by rank - 1 */
    COMBGPU__RANKS_AT_FIRST = 78,
    COMBGPU__RANKS_AT_WORDS = COMBGPU__RANKS_AT_FIRST + 25 * (1 + 3 * 17 + 4)
};
#define COMBGPU__MAGIC_TASK 12 /* words of a task, at most */

/* The join: words of `tables`. LIST is nonzero if configurations with squares become records. A
   rank entry is low | high << 16; the rank of a set with 8 bits is low[set & 255] + high[set >> 8].
   A way is 8 sides of 4 bits: top, bottom, left, right of ring 1, then of ring 2. A pair is two
   words: centre | A[i] << 5 + 5i, then B[i] << 5i. */
enum {
    COMBGPU__JOIN_AT_LIST = 0,
    COMBGPU__JOIN_AT_PAIRS = 1,
    COMBGPU__JOIN_AT_RANK = 2,
    COMBGPU__JOIN_AT_WAY = COMBGPU__JOIN_AT_RANK + 256,
    COMBGPU__JOIN_AT_PAIR = COMBGPU__JOIN_AT_WAY + 36 /* WAYS */
};

/* What a list does with the squares. */
enum { COMBGPU__MAGIC_HASHES = 0, COMBGPU__MAGIC_WRITES = 1, COMBGPU__MAGIC_COUNTS = 2 };

/* The list: words as in the join, with the goal in place of JOIN_AT_LIST. After the pairs come the
   first square of each pair, then these parameters. */
enum {
    COMBGPU__LIST_AT_CENTRE = 0,   /* given; 0 = none */
    COMBGPU__LIST_AT_FRENICLE = 1, /* one square of each class, else all orientations */
    COMBGPU__LIST_AT_FIRST = 2,    /* the square that is written first */
    COMBGPU__LIST_AT_COUNT = 3,
    COMBGPU__LIST_AT_SHIFT = 4, /* bytes from the work memory to the output, two words */
    COMBGPU__LIST_AT_WORDS = 6
};

/* Order 4: words of `tables`: the number of pairs, the ways as in the join, then two words a pair:
   A[i] << 5i and B[i] << 5i. */
enum { COMBGPU__FOUR_AT_PAIRS = 0, COMBGPU__FOUR_AT_WAY = 1, COMBGPU__FOUR_AT_PAIR = 37 };

#define COMBGPU__MAGIC_SERIES 1394 /* sets of 5 numbers with sum 65 */
#define COMBGPU__MAGIC_SEMI_PAIRS 23676
#define COMBGPU__MAGIC_SEMI_PARTS 8u

/* Semi-magic: words of `tables`: the number of units; for each least number, 1 to 26, the first of
   the series, which are in lexicographic order; the series, bit v for number v; the pairs, two
   words each. */
enum {
    COMBGPU__SEMI_AT_UNITS = 0,
    COMBGPU__SEMI_AT_FIRST = 1,
    COMBGPU__SEMI_AT_SERIES = 28,
    COMBGPU__SEMI_AT_PAIR = COMBGPU__SEMI_AT_SERIES + COMBGPU__MAGIC_SERIES,
    COMBGPU__SEMI_AT_WORDS = COMBGPU__SEMI_AT_PAIR + 2 * COMBGPU__MAGIC_SEMI_PAIRS
};

#define COMBGPU__MAGIC_SLOTS 25 /* 2n + 2 lines of order 11, and an unused one */

/* Estimates: words of `tables`. A line of the plan is a word (the slot of its sum | single cells <<
   8 | pairs, 0 or 1, << 16), then 6 words for each cell: four lines (slot | k - 1 << 8 | weight
   4096 / (k - 1) << 16; weight 0 = no such line, or the line that the pair completes), the sum of
   the weights (in the first cell of a pair: of both cells; never 0) and the number of unused numbers
   | the place, 1 to 8, of a number that may be rearranged << 8. */
enum {
    COMBGPU__ESTIMATE_AT_ORDER = 0,
    COMBGPU__ESTIMATE_AT_NUMBERS = 1, /* n * n */
    COMBGPU__ESTIMATE_AT_SUM = 2,
    COMBGPU__ESTIMATE_AT_LINES = 3,
    COMBGPU__ESTIMATE_AT_PICKS = 4, /* log2 of the arrangements that are counted */
    COMBGPU__ESTIMATE_AT_CURVE = 5, /* (x / s)^2 / 16 in 1/2^40 for 16 x^2 = 1 and weight 1 */
    COMBGPU__ESTIMATE_AT_SCALE = 6, /* samples are in units of 2^(scale - 65536) */
    COMBGPU__ESTIMATE_AT_SEED = 7,  /* two words */
    COMBGPU__ESTIMATE_AT_PLAN = 9,
    COMBGPU__ESTIMATE_AT_WORDS = COMBGPU__ESTIMATE_AT_PLAN + 32 + 6 * 121
};

/* Totals of an estimate's slices: the sums of samples and of their squares, in 32-bit digits; of their
   third and fourth powers in units of 2^12, for the error of the error. */
enum {
    COMBGPU__ESTIMATE_ADDED = 1,
    COMBGPU__ESTIMATE_SQUARES = 3,
    COMBGPU__ESTIMATE_HASH = 7,
    COMBGPU__ESTIMATE_TOO_LARGE = 8, /* samples without room: only if a kernel is broken */
    COMBGPU__ESTIMATE_CUBES = 9,
    COMBGPU__ESTIMATE_FOURTHS = 12,
    COMBGPU__ESTIMATE_TOTALS = 16
};

/* Order 6 in parts: words of `tables`: the first configuration (two words); from word 8 on, 3 words
   for each configuration: its numbers, 6 bits each, 5 in a word: a00 a55 a11 a44 a22, a33 a05 a50
   a14 a41, a23 a32. */
enum {
    COMBGPU__PARTS_AT_FIRST = 0,
    COMBGPU__PARTS_AT_AREAS = 2,  /* that blocks of lanes share; not read where each has its own */
    COMBGPU__PARTS_AT_NONCE = 3,  /* differs from job to job */
    COMBGPU__PARTS_AT_CHUNKS = 4, /* steps of a task of the frontier */
    COMBGPU__PARTS_AT_SHARES = 5, /* that a step is shared by, a power of 2 */
    COMBGPU__PARTS_AT_CONFIGURATION = 8
};
enum { COMBGPU__PARTS_HASH = 1, COMBGPU__PARTS_SQUARES = 2 }; /* totals of slices */

/* Order 6 with both diagonals given: the three-set join (six_tables.c). A step is a configuration
   and a part of its sets of row pair 0. */
#define COMBGPU__SIX_PARTS 32
#define COMBGPU__SIX_TOTALS 128 /* totals of a block */
/* Sets of 8 of 24 numbers with one sum, at most: as many as of 1 to 24 (R. P. Stanley 1980). */
#define COMBGPU__SIX_SETS 17575
/* Splittings of a row pair, at most: 318 sets of 4 of 24 numbers have one sum, 177 sets of 4 of the
   other 20, and each is put into the blocks in 6 ways. */
#define COMBGPU__SIX_SPLITS (318 * 177 * 36)

/* The work memory: control words and areas with the tables of a configuration, then a list for each
   block of lanes; or a list and an area for each block. Offsets are in words. An area's spaces for
   segments and splittings serve all three row pairs; they have a third more room than any of some
   thousand configurations needed. */
#define COMBGPU__SIX_LANES 256
#define COMBGPU__SIX_ROOM 17576 /* for sets of a pair: SIX_SETS, a multiple of 4 */
#define COMBGPU__SIX_BUCKETS 4096
#define COMBGPU__SIX_SEGMENT_ROOM 1572864 /* below 2^SIX_SEGMENT_BITS */
#define COMBGPU__SIX_SPLIT_ROOM 4194304   /* 2^22: a word has a place and a number below 2^10 */
#define COMBGPU__SIX_MOST_AREAS 128
/* control words */
#define COMBGPU__SIX_AT_FULL 0   /* nonzero: no area was free for a block */
#define COMBGPU__SIX_AT_OWNER 64 /* + area: configuration + 1 */
#define COMBGPU__SIX_AT_LISTED (COMBGPU__SIX_AT_OWNER + COMBGPU__SIX_MOST_AREAS) /* + area */
#define COMBGPU__SIX_CONTROL (COMBGPU__SIX_AT_LISTED + COMBGPU__SIX_MOST_AREAS)
/* an area */
#define COMBGPU__SIX_AT_COUNT 0    /* sets of each pair */
#define COMBGPU__SIX_AT_NEXT 4     /* batch of sets to take */
#define COMBGPU__SIX_AT_DONE 5     /* batches */
#define COMBGPU__SIX_AT_SEGMENTS 6 /* made, or more if room ran out; likewise splittings: */
#define COMBGPU__SIX_AT_SPLITS_MADE 7
#define COMBGPU__SIX_AT_SQUARES 8                                             /* + part */
#define COMBGPU__SIX_AT_SHARES (COMBGPU__SIX_AT_SQUARES + COMBGPU__SIX_PARTS) /* + part: done */
#define COMBGPU__SIX_AT_BUCKET (COMBGPU__SIX_AT_SHARES + COMBGPU__SIX_PARTS)
#define COMBGPU__SIX_AT_NUMBERS (COMBGPU__SIX_AT_BUCKET + 3 * COMBGPU__SIX_BUCKETS)
#define COMBGPU__SIX_AT_SEGMENT (COMBGPU__SIX_AT_NUMBERS + 3 * COMBGPU__SIX_ROOM)
#define COMBGPU__SIX_AT_TOTALS (COMBGPU__SIX_AT_SEGMENT + 3 * COMBGPU__SIX_ROOM)
#define COMBGPU__SIX_AT_KEYS (COMBGPU__SIX_AT_TOTALS + 12 * COMBGPU__SIX_ROOM)
#define COMBGPU__SIX_AT_FIRST (COMBGPU__SIX_AT_KEYS + 2 * COMBGPU__SIX_SEGMENT_ROOM)
#define COMBGPU__SIX_AT_SPLITS (COMBGPU__SIX_AT_FIRST + COMBGPU__SIX_SEGMENT_ROOM)
#define COMBGPU__SIX_WORDS (COMBGPU__SIX_AT_SPLITS + COMBGPU__SIX_SPLIT_ROOM)

/* Ultramagic squares of order 7 (ultra.c): words of `tables`. */
#define COMBGPU__ULTRA_LINES 12
#define COMBGPU__ULTRA_MOST 12302 /* origins */
/* Words of an origin: coordinates of planes 0 and 1, 12 bits each; then two, the symmetries that
   keep it, without the identity. */
#define COMBGPU__ULTRA_ORIGIN 3
#define COMBGPU__ULTRA_PARTS 512u  /* units of an origin */
#define COMBGPU__ULTRA_NUMBERS 64u /* of squares of a unit */
enum {
    COMBGPU__ULTRA_AT_LIST = 0, /* squares become records */
    COMBGPU__ULTRA_AT_ORIGINS = 1,
    COMBGPU__ULTRA_AT_WORD = 2, /* + the lower 6 coordinates; + 64 + the upper ones */
    COMBGPU__ULTRA_AT_SUM = COMBGPU__ULTRA_AT_WORD + 128,   /* likewise, 24 bytes mod 64 each */
    COMBGPU__ULTRA_AT_ROW = COMBGPU__ULTRA_AT_SUM + 768,    /* + 64 k + cells 6 k to 6 k + 5 */
    COMBGPU__ULTRA_AT_LINE = COMBGPU__ULTRA_AT_ROW + 256,   /* cells with sign +, with sign - */
    COMBGPU__ULTRA_AT_IMAGE = COMBGPU__ULTRA_AT_LINE + 24,  /* 24 bytes: cell | 128 if turned */
    COMBGPU__ULTRA_AT_CELL = COMBGPU__ULTRA_AT_IMAGE + 288, /* 49 bytes in 13 words: the cells of
                                              an image, one of each class up to D4 */
    COMBGPU__ULTRA_AT_ORIGIN = COMBGPU__ULTRA_AT_CELL + 78
};
enum { COMBGPU__MAGIC_LIFTED = 2 }; /* total of slices: squares, one of 48 images */

/* Associative squares of order 7 (associative.c): words of `tables`. */
#define COMBGPU__ASSOCIATIVE_FRAMES 335940
#define COMBGPU__ASSOCIATIVE_SETS 18564 /* of 6 of 18 */
#define COMBGPU__ASSOCIATIVE_HALVES 924 /* of 12 */
#define COMBGPU__ASSOCIATIVE_STEPS                                                                 \
    ((uint64_t)COMBGPU__ASSOCIATIVE_FRAMES * COMBGPU__ASSOCIATIVE_SETS)
#define COMBGPU__ASSOCIATIVE_STRIDE 2382089117u /* a prime, no divisor of STEPS */
#define COMBGPU__ASSOCIATIVE_AGAIN 24           /* a code of gaps; others: half of a gap, 0 to 23 */
#define COMBGPU__ASSOCIATIVE_ROOM 518           /* fillings of a row, at most */
enum {
    /* three pairs, 4 bits each; pair v (v - 1) / 2 + u is of numbers u < v, 0 to 5 */
    COMBGPU__ASSOCIATIVE_AT_PAIRING = 0,
    COMBGPU__ASSOCIATIVE_AT_HALF = COMBGPU__ASSOCIATIVE_AT_PAIRING + 90,
    COMBGPU__ASSOCIATIVE_AT_SET = COMBGPU__ASSOCIATIVE_AT_HALF + COMBGPU__ASSOCIATIVE_HALVES,
    /* six sizes, bit i for i + 1; from bit 24 on, which of them are the column's: bit k for the
       k-th after the least, which always is */
    COMBGPU__ASSOCIATIVE_AT_FRAME = COMBGPU__ASSOCIATIVE_AT_SET + COMBGPU__ASSOCIATIVE_SETS,
    COMBGPU__ASSOCIATIVE_AT_WORDS = COMBGPU__ASSOCIATIVE_AT_FRAME + COMBGPU__ASSOCIATIVE_FRAMES
};
enum { COMBGPU__MAGIC_SPLIT = 2 }; /* total of slices: squares, one of 4,608 images */

/* FNV-1a, 64 bits, as combgpu__fnv; CUDA and OpenCL write 64-bit constants differently. */
#define COMBGPU__MAGIC_FNV_OFFSET ((uint64_t)0xcbf29ce4u << 32 | 0x84222325u)
#define COMBGPU__MAGIC_FNV_PRIME ((uint64_t)0x100 << 32 | 0x1b3)

#endif /* COMBGPU__MAGIC_LAYOUT_H */
/* ---------------------------------------------------------------------------- src/magic/room.cl */

#if defined(COMBGPU_KERNELS_MAGIC) || defined(COMBGPU__HAS_MAGIC)

/* --------------------------------------------------------------------- src/magic/core/packed.cl */

/* Returns number i of a packed set: 5 bits each (core/series.c). */
COMBGPU__DEVICE uint32_t combgpu_magic_nibble(uint32_t x, uint32_t i)
{
    return (x >> (5 * i)) & 31;
}

/* -------------------------------------------------------------------- src/magic/cells/search.cl */

/* The search over cells: one lane is a worker. Words of `tables`: layout.h; tasks and records:
   cells/search.c. Sets of numbers are 64 bits, bit v for number v; a mirror has bit cells + 1 - v. */
#define COMBGPU__MAGIC_LEVEL_COUNT (tables[COMBGPU__SEARCH_AT_LEVELS])
#define COMBGPU__MAGIC_START(level) (tables[COMBGPU__SEARCH_AT_START + (level)])
#define COMBGPU__MAGIC_ENTRY(position) (tables[COMBGPU__SEARCH_AT_ENTRY + (position)])

typedef struct combgpu_cells_t {
    uint32_t cells;
    uint64_t unused[COMBGPU__MAGIC_LEVELS], mirror[COMBGPU__MAGIC_LEVELS]; /* before a level */
    uint64_t mask[COMBGPU__MAGIC_LEVELS]; /* numbers still to try at a level */
    uint8_t values[40];                   /* by position; [cells] stays 0 */
} combgpu_cells_t;

/* Returns what is left of the sum of a line, given by its two words. */
COMBGPU__DEVICE int32_t combgpu_cells_rest(const combgpu_cells_t *m, uint32_t a, uint32_t b)
{
    return (int32_t)(a & 255) -
           (int32_t)(m->values[(a >> 8) & 255] + m->values[(a >> 16) & 255] + m->values[a >> 24] +
                     m->values[b & 255] + m->values[(b >> 8) & 255]);
}

/* Bimagic squares: returns whether `number` may complete the line of these two words. */
COMBGPU__DEVICE uint32_t combgpu_cells_squares(const combgpu_cells_t *m, uint32_t sum, uint32_t a,
                                               uint32_t b, uint32_t number)
{
    uint32_t i, value;
    for (i = 8; i < 48; i += 8) {
        value = m->values[((i < 32 ? a : b) >> (i & 31)) & 255];
        sum -= value * value;
    }
    return sum == number * number;
}

/* Sets up `level`: the numbers to try leave its lines a partner and satisfy its relations. */
COMBGPU__DEVICE void combgpu_cells_ready(combgpu_cells_t *m, COMBGPU__GLOBAL const uint32_t *tables,
                                         uint32_t level, uint64_t unused, uint64_t mirror)
{
    uint32_t at = COMBGPU__MAGIC_ENTRY(COMBGPU__MAGIC_START(level)), head = tables[at++], i;
    uint64_t mask = unused;
    for (i = (head >> 8) & 255; i; i--, at += 2) {
        int32_t rest = combgpu_cells_rest(m, tables[at], tables[at + 1]);
        int32_t shift = (int32_t)m->cells + 1 - rest;
        if (rest < 2 || rest > 2 * (int32_t)m->cells) {
            mask = 0;
            break;
        }
        mask &= shift < 0 ? mirror << -shift : mirror >> shift;
        if ((rest & 1) == 0) mask &= ~((uint64_t)1 << (rest / 2));
    }
    for (i = mask ? head >> 16 : 0; i; i--, at++) {
        uint64_t below = ((uint64_t)1 << m->values[tables[at] & 255]) - 1;
        mask &= tables[at] & 256 ? ~below : below; /* the number itself is used already */
    }
    m->unused[level] = unused;
    m->mirror[level] = mirror;
    m->mask[level] = mask;
}

/* Tries a number in a level's first cell. Returns 0 if impossible, 1 if the next level is ready, 2
   if the square is full. */
COMBGPU__DEVICE uint32_t combgpu_cells_try(combgpu_cells_t *m,
                                           COMBGPU__GLOBAL const uint32_t *tables, uint32_t level,
                                           uint32_t number)
{
    uint32_t position = COMBGPU__MAGIC_START(level), end = COMBGPU__MAGIC_START(level + 1), at,
             head, i;
    uint64_t unused = m->unused[level], mirror = m->mirror[level];
    for (;;) {
        int32_t rest;
        m->values[position] = (uint8_t)number;
        unused ^= (uint64_t)1 << number;
        mirror ^= (uint64_t)1 << (m->cells + 1 - number);
        if (++position == end) break;
        at = COMBGPU__MAGIC_ENTRY(position);
        head = tables[at];
        rest = combgpu_cells_rest(m, tables[at + 1], tables[at + 2]);
        if (rest < 1 || rest > (int32_t)m->cells || !((unused >> rest) & 1)) return 0;
        number = (uint32_t)rest;
        at++;
        for (i = (head >> 8) & 255; i; i--, at += 2)
            if (combgpu_cells_rest(m, tables[at], tables[at + 1]) != rest ||
                (tables[COMBGPU__SEARCH_AT_SQUARES] &&
                 !combgpu_cells_squares(m, tables[COMBGPU__SEARCH_AT_SQUARES], tables[at],
                                        tables[at + 1], number)))
                return 0;
        for (i = head >> 16; i; i--, at++)
            if ((number > m->values[tables[at] & 255]) != ((tables[at] & 256) != 0)) return 0;
    }
    if (level + 1 == COMBGPU__MAGIC_LEVEL_COUNT) return 2;
    combgpu_cells_ready(m, tables, level + 1, unused, mirror);
    return 1;
}

COMBGPU__DEVICE uint32_t combgpu_cells_load(combgpu_cells_t *m,
                                            COMBGPU__GLOBAL const uint32_t *tables,
                                            COMBGPU__GLOBAL const uint32_t *task)
{
    uint32_t level = task[0], end = COMBGPU__MAGIC_START(level), p;
    uint64_t unused = ((uint64_t)2 << m->cells) - 2, mirror = unused;
    for (p = 0; p < end; p++) {
        uint32_t number = (task[3 + p / 4] >> (8 * (p & 3))) & 255;
        m->values[p] = (uint8_t)number;
        unused &= ~((uint64_t)1 << number);
        mirror &= ~((uint64_t)1 << (m->cells + 1 - number));
    }
    m->unused[level] = unused;
    m->mirror[level] = mirror;
    m->mask[level] = task[1] | (uint64_t)task[2] << 32;
    return level;
}

/* Spills what is left of a level. */
COMBGPU__DEVICE void combgpu_cells_give(const combgpu_cells_t *m,
                                        COMBGPU__GLOBAL combgpu__slice *slice,
                                        COMBGPU__GLOBAL const uint32_t *tables,
                                        COMBGPU__GLOBAL uint32_t *left, uint32_t level)
{
    COMBGPU__GLOBAL uint32_t *task = left + combgpu_give(slice) * slice->task_words;
    uint32_t end = COMBGPU__MAGIC_START(level), words = slice->task_words - 3, w, p, word;
    task[0] = level;
    task[1] = (uint32_t)m->mask[level];
    task[2] = (uint32_t)(m->mask[level] >> 32);
    for (w = 0; w < words; w++) {
        word = 0;
        for (p = 4 * w; p < 4 * w + 4 && p < end; p++)
            word |= (uint32_t)m->values[p] << (8 * (p & 3));
        task[3 + w] = word;
    }
}

/* Emits the full square. Returns 0 without room. */
COMBGPU__DEVICE uint32_t combgpu_cells_emit(const combgpu_cells_t *m,
                                            COMBGPU__GLOBAL combgpu__slice *slice,
                                            COMBGPU__GLOBAL const uint32_t *tables,
                                            COMBGPU__GLOBAL uint32_t *records)
{
    uint32_t at = combgpu_emit(slice), w, p;
    COMBGPU__GLOBAL uint32_t *record;
    if (at == COMBGPU__NONE) return 0;
    record = records + at * slice->record_words;
    for (w = 0; w < slice->record_words; w++)
        record[w] = 0;
    for (p = 0; p < m->cells; p++) {
        uint32_t cell = tables[COMBGPU__MAGIC_ENTRY(p)] & 255;
        record[cell / 4] |= (uint32_t)m->values[p] << (8 * (cell & 3));
    }
    return 1;
}

/* Returns the number to try next: the lowest; in order 6 and with many levels each of these begins
   with another number. */
COMBGPU__DEVICE uint32_t combgpu_cells_pick(uint32_t cells, uint32_t levels, uint32_t level,
                                            uint64_t mask)
{
    uint64_t from = cells < 36 && levels < COMBGPU__MAGIC_SPREAD
                        ? 0
                        : mask & ~(uint64_t)0 << (1 + (11 + 23 * level) % cells);
    if (from) mask = from;
    return combgpu_lowest_bit64(mask);
}

COMBGPU__KERNEL combgpu_magic_search(COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_cells_t m;
    uint32_t steps = 0, full = 0, task, bottom, level, found, number;
    (void)work;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    m.cells = tables[COMBGPU__SEARCH_AT_CELLS];
    m.values[m.cells] = 0;
    while (!combgpu_spent(slice, steps) && !full) {
        task = combgpu_take(slice);
        if (task == COMBGPU__NONE) break;
        bottom = combgpu_cells_load(&m, tables, tasks + task * slice->task_words);
        level = bottom;
        for (;;) {
            uint64_t mask = m.mask[level];
            if (!mask) {
                if (level == bottom) break;
                level--;
                continue;
            }
            if (full || combgpu_spent(slice, steps)) {
                for (;; level--) { /* the whole stack becomes tasks */
                    if (m.mask[level]) combgpu_cells_give(&m, slice, tables, left, level);
                    if (level == bottom) break;
                }
                break;
            }
            number = combgpu_cells_pick(m.cells, tables[COMBGPU__SEARCH_AT_LEVELS], level, mask);
            m.mask[level] = mask & ~((uint64_t)1 << number);
            found = combgpu_cells_try(&m, tables, level, number);
            if (found == 2 && !combgpu_cells_emit(&m, slice, tables, records)) {
                m.mask[level] = mask; /* not counted: the number is tried again */
                full = 1;
                continue;
            }
            steps++;
            level += found & 1;
        }
    }
    combgpu_add_total(slice, 0, steps);
}

/* ---------------------------------------------------------------------- src/magic/cells/four.cl */

/* Finds magic squares of order 4 (cells/four.c): a lane takes pairs of diagonals. Sets of numbers
   have bit v for number v. */

/* Returns the set of the ring p q / r s with p + q = top, p + r = left, q + s = right; 0 if
   impossible. */
COMBGPU__DEVICE uint32_t combgpu_cells_ring4(uint32_t unused, uint32_t p, int32_t top, int32_t left,
                                             int32_t right)
{
    uint32_t q = (uint32_t)top - p, r = (uint32_t)left - p, s = (uint32_t)right - q, set;
    if (q > 16 || r > 16 || s > 16) return 0; /* negative numbers are large */
    set = 1u << p | 1u << q | 1u << r | 1u << s;
    return (set & ~unused) || COMBGPU__POPCOUNT(set) != 4 ? 0 : set;
}

/* Returns the number of squares of a pair of diagonals. */
COMBGPU__DEVICE uint32_t combgpu_cells_four_count(COMBGPU__GLOBAL const uint32_t *ways, uint32_t a,
                                                  uint32_t b)
{
    uint32_t unused = 0x1fffe, i, way, p, x, count = 0;
    for (i = 0; i < 4; i++)
        unused &= ~(1u << combgpu_magic_nibble(a, i) | 1u << combgpu_magic_nibble(b, i));
    for (i = 0; i < COMBGPU__MAGIC_WAYS; i++) {
        uint32_t a00, a03, a30, a33, a11, a12, a21, a22, set;
        way = ways[i];
        a00 = combgpu_magic_nibble(a, (way >> 2) & 3), a03 = combgpu_magic_nibble(b, way & 3);
        a33 = combgpu_magic_nibble(a, (way >> 6) & 3),
        a30 = combgpu_magic_nibble(b, (way >> 4) & 3);
        if (a00 + a03 + a30 + a33 != 34) continue; /* two rows minus two columns */
        a11 = combgpu_magic_nibble(a, (way >> 10) & 3);
        a21 = combgpu_magic_nibble(b, (way >> 8) & 3);
        a22 = combgpu_magic_nibble(a, (way >> 14) & 3);
        a12 = combgpu_magic_nibble(b, (way >> 12) & 3);
        for (p = unused; p; p &= p - 1) {
            set = combgpu_cells_ring4(unused, COMBGPU__CTZ(p), 34 - (int32_t)(a00 + a03),
                                      34 - (int32_t)(a11 + a21), 34 - (int32_t)(a12 + a22));
            for (x = set ? unused & ~set : 0; x; x &= x - 1)
                if (combgpu_cells_ring4(unused & ~set, COMBGPU__CTZ(x), 34 - (int32_t)(a11 + a12),
                                        34 - (int32_t)(a00 + a30), 34 - (int32_t)(a03 + a33)))
                    count++;
        }
    }
    return count;
}

COMBGPU__KERNEL combgpu_magic_four(COMBGPU__SLICE_ARGUMENTS)
{
    uint32_t steps = 0, task, at, pair, count;
    (void)work;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    while (!combgpu_spent(slice, steps) && (task = combgpu_take(slice)) != COMBGPU__NONE) {
        pair = tasks[4 * task];
        count = combgpu_cells_four_count(tables + COMBGPU__FOUR_AT_WAY,
                                         tables[COMBGPU__FOUR_AT_PAIR + 2 * pair],
                                         tables[COMBGPU__FOUR_AT_PAIR + 2 * pair + 1]);
        at = count ? combgpu_emit(slice) : 0;
        if (at == COMBGPU__NONE) {
            combgpu_give_range(slice, left, pair, pair + 1);
            break;
        }
        if (count) {
            records[2 * at] = pair;
            records[2 * at + 1] = count;
        }
        steps++;
    }
    if (steps) combgpu_add_total(slice, 0, steps);
}

/* ----------------------------------------------------------------------- src/magic/five/join.cl */

/* Joins two rings of order 5 (five/join.c): for lists, and for the count where lanes cannot
   exchange registers. A block is a worker and takes configurations one by one. A number is its
   place among the 16 free ones, a set 16 bits. A path over a side leads from an end over a middle
   to a corner. A ring t1 t3 b1 b3 is cut at its corners x = t3 and z = b1: the first half is the
   path from x over the top to t1, then over the left to z; the second half leads over right and
   bottom through b3. */
#define COMBGPU__MAGIC_HALVES 2016 /* halves: at most 168 paths over a side, each 12 times */
#define COMBGPU__MAGIC_WORDS 3218  /* counts of the 12,870 sets of 8, a byte each */
#define COMBGPU__MAGIC_MARKS 403   /* the same sets, a bit each */
#define COMBGPU__MAGIC_FINDS 1280  /* squares of a configuration: at most 1,256 */
#define COMBGPU__MAGIC_CHUNK 32u   /* squares written together */
#ifndef COMBGPU__MAGIC_JOIN_BLOCKS
#define COMBGPU__MAGIC_JOIN_BLOCKS 8
#define COMBGPU__MAGIC_LIST_BLOCKS 6
#endif

typedef struct combgpu_five_join_t {
    COMBGPU__LOCAL uint16_t *path; /* [side][end][corner]: the set of corner and middle; 0 = none */
    COMBGPU__LOCAL uint16_t *corner; /* [side][end]: the corners that have a path */
    COMBGPU__LOCAL uint16_t *bit;    /* of a number; 0 = not free */
    COMBGPU__LOCAL uint16_t *items,
        *others; /* halves, x << 8 | z << 4 | t1; by x << 4 | z, the corners b3 */
    COMBGPU__LOCAL uint8_t *number;
    COMBGPU__LOCAL uint32_t *counts, *rank, *sums;
    COMBGPU__LOCAL uint32_t *marks, *shared; /* for combgpu_magic_lists */
    COMBGPU__LOCAL uint16_t *found;
} combgpu_five_join_t;

/* Makes the free numbers of a pair of diagonals, and the 16 sums that a side can have. */
COMBGPU__DEVICE void combgpu_five_pair_numbers(const combgpu_five_join_t *j,
                                               COMBGPU__GLOBAL const uint32_t *pair)
{
    uint32_t a = pair[0] >> 5, b = pair[1], unused = 0x3fffffeu & ~(1u << (pair[0] & 31)), i, v;
    for (i = 0; i < 20; i += 5)
        unused &= ~(1u << ((a >> i) & 31) | 1u << ((b >> i) & 31));
    for (v = COMBGPU__LANE_ID; v < 32; v += COMBGPU__BLOCK_LANES) {
        uint32_t place = COMBGPU__POPCOUNT(unused & ((1u << v) - 1));
        j->bit[v] = (uint16_t)(((unused >> v) & 1) << (place & 15));
        if ((unused >> v) & 1) j->number[place] = (uint8_t)v;
    }
    for (i = COMBGPU__LANE_ID; i < 16; i += COMBGPU__BLOCK_LANES)
        j->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);
}

/* Makes all paths, from the numbers and sums. */
COMBGPU__DEVICE void combgpu_five_pair_paths(const combgpu_five_join_t *j)
{
    uint32_t i, c;
    for (i = COMBGPU__LANE_ID; i < 256; i += COMBGPU__BLOCK_LANES) {
        uint32_t end = i & 15, rest = j->sums[i >> 4] - j->number[end], corners = 0;
        for (c = 0; c < 16; c++) {
            uint32_t middle = rest - j->number[c], bits = middle < 32 ? j->bit[middle] : 0;
            if (c == end || (bits & (1u << c | 1u << end))) bits = 0;
            j->path[16 * i + c] = (uint16_t)(bits ? bits | 1u << c : 0);
            corners |= (bits ? 1u : 0u) << c;
        }
        j->corner[i] = (uint16_t)corners;
    }
}

/* Returns the corners of the paths over two sides between x and z. */
COMBGPU__DEVICE uint32_t combgpu_five_halves(const combgpu_five_join_t *j, uint32_t side_x,
                                             uint32_t side_z, uint32_t x, uint32_t z)
{
    uint32_t used = j->path[256 * side_x + 16 * x + z] | j->path[256 * side_z + 16 * z + x] |
                    1u << x | 1u << z; /* these would have z or x as a middle */
    uint32_t corners = j->corner[16 * side_x + x] & j->corner[16 * side_z + z] & ~used;
    uint32_t same = j->sums[side_x] - j->number[x] ==
                    j->sums[side_z] - j->number[z]; /* both middles are equal */
    return x == z || same ? 0 : corners;
}

/* Lists the first halves that have a second one. */
COMBGPU__DEVICE void combgpu_five_ring_items(const combgpu_five_join_t *j, uint32_t way,
                                             COMBGPU__LOCAL uint32_t *count)
{
    uint32_t top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15,
             right = (way >> 12) & 15;
    uint32_t i, at;
    for (i = COMBGPU__LANE_ID; i < 256; i += COMBGPU__BLOCK_LANES) {
        uint32_t x = i >> 4, z = i & 15;
        uint32_t second = combgpu_five_halves(j, right, bottom, x, z);
        uint32_t first = second ? combgpu_five_halves(j, top, left, x, z) : 0;
        if (!first) continue;
        j->others[i] = (uint16_t)second;
        at = COMBGPU__LOCAL_ATOMIC_ADD(count, COMBGPU__POPCOUNT(first));
        for (; first; first &= first - 1, at++)
            j->items[at] = (uint16_t)(i << 4 | COMBGPU__CTZ(first));
    }
}

/* Returns the rank of a set of 8. */
COMBGPU__DEVICE uint32_t combgpu_five_rank(const combgpu_five_join_t *j, uint32_t set)
{
    return (j->rank[set & 255] & 0xffffu) + (j->rank[(set >> 8) & 255] >> 16);
}

/* Returns the set of a ring's filling with corners c = t1, x = t3, z = b1, d = b3. */
COMBGPU__DEVICE uint32_t combgpu_five_set(const combgpu_five_join_t *j, uint32_t way, uint32_t c,
                                          uint32_t x, uint32_t z, uint32_t d)
{
    uint32_t top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15,
             right = (way >> 12) & 15;
    return 1u << x | 1u << z | j->path[256 * top + 16 * x + c] | j->path[256 * left + 16 * z + c] |
           j->path[256 * right + 16 * x + d] | j->path[256 * bottom + 16 * z + d];
}

/* For lists. In pass 3 a filling of ring 1 marks its set; in pass 4 a filling of ring 2 whose
   complement is marked is a find, and gives the complement a second mark; in pass 5 a filling of
   ring 1 whose set has the second mark is a find. */
COMBGPU__DEVICE void combgpu_five_find(const combgpu_five_join_t *j, uint32_t pass, uint32_t set,
                                       uint32_t code)
{
    uint32_t rank = combgpu_five_rank(j, pass == 4 ? ~set : set), bit = 1u << (rank & 31), at;
    COMBGPU__LOCAL uint32_t *marked = &j->marks[rank >> 5];
    if (pass == 3) {
        COMBGPU__LOCAL_ATOMIC_OR(marked, bit);
        return;
    }
    if (!(marked[pass == 4 ? 0 : COMBGPU__MAGIC_MARKS] & bit)) return;
    if (pass == 4) COMBGPU__LOCAL_ATOMIC_OR(marked + COMBGPU__MAGIC_MARKS, bit);
    at = COMBGPU__LOCAL_ATOMIC_ADD(&j->shared[pass], 1);
    if (at < COMBGPU__MAGIC_FINDS)
        j->found[(pass - 4) * COMBGPU__MAGIC_FINDS + at] = (uint16_t)code;
}

/* Joins second halves to the first halves. Ring 1 counts the sets; ring 2 returns the sum, over its
   sets, of the ways to fill ring 1 with the other numbers. `ring` 3, 4, 5 are a list's passes over
   rings 1, 2, 1. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_fill(const combgpu_five_join_t *j, uint32_t way,
                                                uint32_t n, uint32_t ring)
{
    uint32_t top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15,
             right = (way >> 12) & 15;
    uint32_t i, sum = 0;
    for (i = COMBGPU__LANE_ID; i < n; i += COMBGPU__BLOCK_LANES) {
        uint32_t item = j->items[i], x = item >> 8, z = (item >> 4) & 15, c = item & 15;
        uint32_t used =
            j->path[256 * top + 16 * x + c] | j->path[256 * left + 16 * z + c] | 1u << x | 1u << z;
        uint32_t corners = j->others[item >> 4] & ~used;
        for (; corners; corners &= corners - 1) {
            uint32_t d = COMBGPU__CTZ(corners), rank;
            uint32_t more = j->path[256 * right + 16 * x + d] | j->path[256 * bottom + 16 * z + d];
            if (used & more) continue;
            if (ring > 2) {
                combgpu_five_find(j, ring, used | more, c << 12 | x << 8 | z << 4 | d);
                continue;
            }
            rank = combgpu_five_rank(j, ring == 2 ? ~(used | more) : used | more);
            if (ring == 1)
                COMBGPU__LOCAL_ATOMIC_ADD(&j->counts[rank >> 2], 1u << (8 * (rank & 3)));
            else
                sum += (j->counts[rank >> 2] >> (8 * (rank & 3))) & 255;
        }
    }
    return sum;
}

/* The books of lane 0. */
typedef struct combgpu_five_books_t {
    uint32_t next, end; /* configurations of the task not yet joined */
    uint32_t steps, centre;
    uint64_t joined, hash; /* joined: of `centre` */
} combgpu_five_books_t;

/* Lane 0: books the result of configuration books->next. Returns 0 without room for its record. */
COMBGPU__DEVICE uint32_t combgpu_five_book(combgpu_five_books_t *books,
                                           COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL uint32_t *records, uint32_t squares)
{
    uint32_t centre = tables[COMBGPU__JOIN_AT_PAIR + 2 * (books->next / COMBGPU__MAGIC_WAYS)] & 31;
    if (squares && tables[COMBGPU__JOIN_AT_LIST]) {
        uint32_t at = combgpu_emit(slice);
        if (at == COMBGPU__NONE) return 0;
        records[2 * at] = books->next;
        records[2 * at + 1] = squares;
    }
    if (centre != books->centre) {
        if (books->joined)
            combgpu_add_total(slice, COMBGPU__MAGIC_JOINED + books->centre, books->joined);
        books->joined = 0;
        books->centre = centre;
    }
    books->joined += squares;
    books->hash += combgpu_mix((uint64_t)books->next << 32 | squares);
    books->steps++;
    books->next++;
    return 1;
}

/* Lane 0: returns the next configuration, or COMBGPU__NONE at the end of the slice. */
COMBGPU__DEVICE uint32_t combgpu_five_next(combgpu_five_books_t *books,
                                           COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tasks,
                                           COMBGPU__GLOBAL uint32_t *left, uint32_t full)
{
    uint32_t ends = full || combgpu_spent(slice, books->steps), at;
    if (books->next < books->end) {
        if (!ends) return books->next;
        combgpu_give_range(slice, left, books->next, books->end);
        return COMBGPU__NONE;
    }
    if (ends) return COMBGPU__NONE;
    at = combgpu_take(slice);
    if (at == COMBGPU__NONE) return COMBGPU__NONE;
    books->next = tasks[4 * at];
    books->end = tasks[4 * at + 2];
    return books->next;
}

#ifndef COMBGPU_SHUFFLE
COMBGPU__KERNEL_BLOCKS(256, COMBGPU__MAGIC_JOIN_BLOCKS) combgpu_magic_join(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t zeroed[COMBGPU__MAGIC_WORDS / 2];
    COMBGPU__LOCAL_ARRAY uint32_t rank[256], sums[16];
    COMBGPU__LOCAL_ARRAY uint32_t
        shared[4]; /* configuration, squares, items of ring 1, of ring 2 */
    COMBGPU__LOCAL_ARRAY uint16_t path[4096], corner[256], bit[32], items[COMBGPU__MAGIC_HALVES],
        others[256];
    COMBGPU__LOCAL_ARRAY uint8_t numbers[16];
    combgpu_five_join_t j;
    combgpu_five_books_t books;
    uint32_t i, pair = COMBGPU__NONE, busy = 0, full = 0, squares;
    (void)work;
    j.counts = (COMBGPU__LOCAL uint32_t *)zeroed, j.rank = rank, j.sums = sums, j.path = path,
    j.corner = corner;
    j.bit = bit, j.items = items, j.others = others, j.number = numbers;
    books.next = books.end = books.steps = books.centre = 0;
    books.joined = books.hash = 0;
    for (i = COMBGPU__LANE_ID; i < 256; i += COMBGPU__BLOCK_LANES)
        rank[i] = tables[COMBGPU__JOIN_AT_RANK + i];
    for (;;) {
        uint32_t number, way, fresh;
        if (COMBGPU__LANE_ID == 0) {
            if (busy) full = !combgpu_five_book(&books, slice, tables, records, shared[1]);
            shared[0] = combgpu_five_next(&books, slice, tasks, left, full);
            shared[1] = shared[2] = shared[3] = 0;
        }
        COMBGPU__LOCAL_BARRIER();
        number = shared[0];
        if (number == COMBGPU__NONE) break;
        busy = 1;
        fresh = pair != number / COMBGPU__MAGIC_WAYS;
        pair = number / COMBGPU__MAGIC_WAYS;
        if (fresh) combgpu_five_pair_numbers(&j, tables + COMBGPU__JOIN_AT_PAIR + 2 * pair);
        for (i = COMBGPU__LANE_ID; i < COMBGPU__MAGIC_WORDS / 2; i += COMBGPU__BLOCK_LANES)
            zeroed[i] = 0;
        COMBGPU__LOCAL_BARRIER();
        if (fresh) combgpu_five_pair_paths(&j);
        COMBGPU__LOCAL_BARRIER();
        way = tables[COMBGPU__JOIN_AT_WAY + number % COMBGPU__MAGIC_WAYS];
        combgpu_five_ring_items(&j, way, &shared[2]);
        COMBGPU__LOCAL_BARRIER();
        combgpu_five_ring_fill(&j, way, shared[2], 1);
        COMBGPU__LOCAL_BARRIER();
        combgpu_five_ring_items(&j, way >> 16, &shared[3]);
        COMBGPU__LOCAL_BARRIER();
        squares = combgpu_five_ring_fill(&j, way >> 16, shared[3], 2);
        if (squares) COMBGPU__LOCAL_ATOMIC_ADD(&shared[1], squares);
        COMBGPU__LOCAL_BARRIER();
    }
    if (COMBGPU__LANE_ID == 0) {
        combgpu_add_total(slice, 0, books.steps);
        combgpu_add_total(slice, COMBGPU__MAGIC_HASH, books.hash);
        if (books.joined)
            combgpu_add_total(slice, COMBGPU__MAGIC_JOINED + books.centre, books.joined);
    }
}
#endif

/* ----------------------------------------------------------------------- src/magic/five/list.cl */

/* Lists squares of order 5 (core/about.c). A block is a worker and takes pairs of diagonals; for
   each of the 36 ways it finds the fillings of both rings that make squares, sorts the squares, and
   hashes, writes or only counts them. Words of `tables`: layout.h. */
#define COMBGPU__MAGIC_GOAL (tables[COMBGPU__JOIN_AT_LIST]) /* COMBGPU__MAGIC_HASHES ... */
#define COMBGPU__MAGIC_OFFSET(pair)                                                                \
    (tables[COMBGPU__JOIN_AT_PAIR + 2 * tables[COMBGPU__JOIN_AT_PAIRS] + (pair)])
#define COMBGPU__MAGIC_PARAMETER(name)                                                             \
    (tables[COMBGPU__JOIN_AT_PAIR + 3 * tables[COMBGPU__JOIN_AT_PAIRS] + COMBGPU__LIST_AT_##name])
#define COMBGPU__MAGIC_CENTRE COMBGPU__MAGIC_PARAMETER(CENTRE)
#define COMBGPU__MAGIC_FRENICLE COMBGPU__MAGIC_PARAMETER(FRENICLE)

/* Returns the square's cell that becomes cell i of orientation g (bits: 1 transpose, 2 flip rows, 4
   flip columns) of image k under the M-group. */
COMBGPU__DEVICE uint32_t combgpu_five_cell(uint32_t k, uint32_t g, uint32_t i)
{
    uint32_t row = i / 5, column = i % 5, t = row;
    uint32_t order = k == 0 ? 0x43210u : k == 1 ? 0x34201u : k == 2 ? 0x41230u : 0x30241u;
    if (g & 1) row = column, column = t;
    if (g & 2) row = 4 - row;
    if (g & 4) column = 4 - column;
    return 5 * ((order >> (4 * row)) & 15) + ((order >> (4 * column)) & 15);
}

/* Returns the orientation that is the Frenicle form of an image. */
COMBGPU__DEVICE uint32_t combgpu_magic_frenicle(COMBGPU__LOCAL const uint8_t *square,
                                                COMBGPU__LOCAL const uint8_t *map,
                                                uint32_t complement)
{
    uint32_t g, best = 0, least = 99, row, column;
    for (g = 0; g < 8; g += 2) {
        uint32_t corner = square[map[25 * g]];
        if (complement) corner = 26 - corner;
        if (corner < least) least = corner, best = g;
    }
    row = square[map[25 * best + 1]];
    column = square[map[25 * best + 5]];
    return (row < column) == (complement == 0) ? best : best | 1;
}

/* Makes a square from the corners of its rings, a byte per cell. */
COMBGPU__DEVICE void combgpu_five_square(const combgpu_five_join_t *j,
                                         COMBGPU__GLOBAL const uint32_t *pair, uint32_t way,
                                         uint32_t code, COMBGPU__LOCAL uint8_t *square)
{
    uint32_t a = pair[0] >> 5, b = pair[1], ring, n[4], i;
    square[12] = (uint8_t)(pair[0] & 31);
    square[0] = (uint8_t)((a >> (5 * ((way >> 2) & 3))) & 31);
    square[4] = (uint8_t)((b >> (5 * (way & 3))) & 31);
    square[24] = (uint8_t)((a >> (5 * ((way >> 6) & 3))) & 31);
    square[20] = (uint8_t)((b >> (5 * ((way >> 4) & 3))) & 31);
    square[6] = (uint8_t)((a >> (5 * ((way >> 10) & 3))) & 31);
    square[16] = (uint8_t)((b >> (5 * ((way >> 8) & 3))) & 31);
    square[18] = (uint8_t)((a >> (5 * ((way >> 14) & 3))) & 31);
    square[8] = (uint8_t)((b >> (5 * ((way >> 12) & 3))) & 31);
    for (ring = 0; ring < 2; ring++) { /* ring 2 is ring 1 of the transposed square */
        uint32_t sides = ring ? way >> 16 : way, corners = ring ? code : code >> 16;
        uint32_t down = ring ? 1 : 5, across = ring ? 5 : 1;
        for (i = 0; i < 4; i++)
            n[i] = j->number[(corners >> (12 - 4 * i)) & 15];
        square[across] = (uint8_t)n[0];
        square[3 * across] = (uint8_t)n[1];
        square[4 * down + across] = (uint8_t)n[2];
        square[4 * down + 3 * across] = (uint8_t)n[3];
        square[2 * across] = (uint8_t)(j->sums[sides & 15] - n[0] - n[1]);
        square[4 * down + 2 * across] = (uint8_t)(j->sums[(sides >> 4) & 15] - n[2] - n[3]);
        square[2 * down + across] = (uint8_t)(j->sums[(sides >> 8) & 15] - n[0] - n[2]);
        square[2 * down + 3 * across] = (uint8_t)(j->sums[(sides >> 12) & 15] - n[1] - n[3]);
    }
}

/* The checksum of a square in the form that `map` makes of it: FNV-1a of 25 numbers. */
COMBGPU__DEVICE uint64_t combgpu_five_fnv(COMBGPU__LOCAL const uint8_t *square,
                                          COMBGPU__LOCAL const uint8_t *map, uint32_t complement)
{
    uint64_t hash = COMBGPU__MAGIC_FNV_OFFSET;
    uint32_t i, number;
    for (i = 0; i < 25; i++) {
        number = square[map[i]];
        hash = (hash ^ (complement ? 26 - number : number)) * COMBGPU__MAGIC_FNV_PRIME;
    }
    return hash;
}

/* The state of lane 0. */
typedef struct combgpu_five_lister_t {
    uint32_t next, end, steps, full;
} combgpu_five_lister_t;

/* Lane 0: books the finished pair with its number of squares up to the M-group. Returns the next
   pair, or COMBGPU__NONE at the end of the slice. */
COMBGPU__DEVICE uint32_t combgpu_five_list_next(combgpu_five_lister_t *l,
                                                COMBGPU__GLOBAL combgpu__slice *slice,
                                                COMBGPU__GLOBAL const uint32_t *tables,
                                                COMBGPU__GLOBAL const uint32_t *tasks,
                                                COMBGPU__GLOBAL uint32_t *left,
                                                COMBGPU__GLOBAL uint32_t *records, uint32_t squares,
                                                uint32_t busy)
{
    uint32_t at = 0;
    if (busy && COMBGPU__MAGIC_GOAL == COMBGPU__MAGIC_COUNTS) {
        at = combgpu_emit(slice);
        l->full = at == COMBGPU__NONE;
        if (at != COMBGPU__NONE) {
            records[2 * at] = l->next;
            records[2 * at + 1] = squares;
        }
    }
    if (busy && !l->full) {
        if (squares)
            combgpu_add_total(
                slice, COMBGPU__MAGIC_JOINED + (tables[COMBGPU__JOIN_AT_PAIR + 2 * l->next] & 31),
                squares);
        l->steps++;
        l->next++;
    }
    if (!l->full && !combgpu_spent(slice, l->steps)) {
        if (l->next < l->end) return l->next;
        at = combgpu_take(slice);
        if (at == COMBGPU__NONE) return COMBGPU__NONE;
        l->next = tasks[4 * at];
        l->end = tasks[4 * at + 2];
        return l->next;
    }
    if (l->next < l->end) combgpu_give_range(slice, left, l->next, l->end);
    return COMBGPU__NONE;
}

/* Returns 1 if only the complement of a square has the given centre. */
COMBGPU__DEVICE uint32_t combgpu_five_from(COMBGPU__GLOBAL const uint32_t *pair,
                                           COMBGPU__GLOBAL const uint32_t *tables)
{
    return COMBGPU__MAGIC_CENTRE && COMBGPU__MAGIC_CENTRE != (pair[0] & 31);
}

/* Returns how many images of a square are listed: those under the M-group, and of the complement
   unless the centre is given or 13; each in all orientations or one. */
COMBGPU__DEVICE uint32_t combgpu_five_images(COMBGPU__GLOBAL const uint32_t *pair,
                                             COMBGPU__GLOBAL const uint32_t *tables, uint32_t from)
{
    uint32_t images = !from && !COMBGPU__MAGIC_CENTRE && (pair[0] & 31) != 13 ? 8 : 4;
    return COMBGPU__MAGIC_FRENICLE ? images : 8 * images;
}

/* Finds the squares of a way, and sorts them. Returns how many; their codes begin the pool (j->counts). */
COMBGPU__DEVICE uint32_t combgpu_magic_way(combgpu_five_join_t *j, uint32_t way)
{
    COMBGPU__LOCAL uint32_t *const shared = j->shared, *const ordered = j->counts;
    COMBGPU__LOCAL uint32_t *const codes = ordered + COMBGPU__MAGIC_FINDS;
    COMBGPU__LOCAL uint16_t *const sets = (COMBGPU__LOCAL uint16_t *)ordered;
    COMBGPU__LOCAL const uint16_t *const found = j->found;
    uint32_t i, k, count;
    for (i = COMBGPU__LANE_ID; i < 2 * COMBGPU__MAGIC_MARKS; i += COMBGPU__BLOCK_LANES)
        j->marks[i] = 0;
    for (i = COMBGPU__LANE_ID; i < 6; i += COMBGPU__BLOCK_LANES)
        shared[2 + i] = 0;
    COMBGPU__LOCAL_BARRIER();
    combgpu_five_ring_items(j, way, &shared[2]);
    j->items += COMBGPU__MAGIC_HALVES, j->others += 256;
    combgpu_five_ring_items(j, way >> 16, &shared[3]);
    COMBGPU__LOCAL_BARRIER();
    j->items -= COMBGPU__MAGIC_HALVES, j->others -= 256;
    combgpu_five_ring_fill(j, way, shared[2], 3);
    COMBGPU__LOCAL_BARRIER();
    j->items += COMBGPU__MAGIC_HALVES, j->others += 256;
    combgpu_five_ring_fill(j, way >> 16, shared[3], 4);
    COMBGPU__LOCAL_BARRIER();
    j->items -= COMBGPU__MAGIC_HALVES, j->others -= 256;
    combgpu_five_ring_fill(j, way, shared[4] ? shared[2] : 0, 5);
    COMBGPU__LOCAL_BARRIER();
    for (i = COMBGPU__LANE_ID; i < shared[4] + shared[5]; i += COMBGPU__BLOCK_LANES) {
        uint32_t at = i < shared[4] ? i : COMBGPU__MAGIC_FINDS + i - shared[4], code = found[at];
        sets[at] = (uint16_t)combgpu_five_set(j, i < shared[4] ? way >> 16 : way, code >> 12,
                                              (code >> 8) & 15, (code >> 4) & 15, code & 15);
    }
    COMBGPU__LOCAL_BARRIER();
    for (i = COMBGPU__LANE_ID; i < shared[4] * shared[5]; i += COMBGPU__BLOCK_LANES) {
        uint32_t two = i % shared[4], one = COMBGPU__MAGIC_FINDS + i / shared[4];
        if ((sets[two] ^ sets[one]) != 0xffff) continue;
        codes[COMBGPU__LOCAL_ATOMIC_ADD(&shared[6], 1)] = (uint32_t)found[one] << 16 | found[two];
    }
    COMBGPU__LOCAL_BARRIER();
    count = shared[6];
    for (i = COMBGPU__LANE_ID; i < count; i += COMBGPU__BLOCK_LANES) {
        uint32_t code = codes[i], before = 0;
        for (k = 0; k < count; k++)
            before += codes[k] < code;
        ordered[before] = code;
    }
    if (COMBGPU__LANE_ID == 0) shared[1] += count;
    COMBGPU__LOCAL_BARRIER();
    return count;
}

/* What listing the squares of a pair needs. */
typedef struct combgpu_magic_page_t {
    COMBGPU__GLOBAL const uint32_t *pair;
    COMBGPU__GLOBAL uint8_t *out;
    COMBGPU__LOCAL uint8_t *squares, *turn, *map;
    uint32_t from, images, offset, first;
} combgpu_magic_page_t;

/* Makes the squares from number `chunk` on; writes them, or returns the lane's part of their hash. */
COMBGPU__DEVICE uint64_t combgpu_magic_chunk(const combgpu_five_join_t *j,
                                             const combgpu_magic_page_t *p,
                                             COMBGPU__GLOBAL const uint32_t *tables, uint32_t way,
                                             uint32_t chunk, uint32_t count)
{
    uint64_t hash = 0;
    const uint32_t n = count - chunk < COMBGPU__MAGIC_CHUNK ? count - chunk : COMBGPU__MAGIC_CHUNK;
    uint32_t i, bytes;
    for (i = COMBGPU__LANE_ID; i < n; i += COMBGPU__BLOCK_LANES)
        combgpu_five_square(j, p->pair, way, j->counts[chunk + i], p->squares + 25 * i);
    COMBGPU__LOCAL_BARRIER();
    bytes = COMBGPU__MAGIC_FRENICLE ? n * p->images : 0;
    for (i = COMBGPU__LANE_ID; i < bytes; i += COMBGPU__BLOCK_LANES) {
        uint32_t image = i % p->images, complement = p->from | image >> 2;
        COMBGPU__LOCAL const uint8_t *of = p->squares + 25 * (i / p->images),
                                     *to = p->map + 200 * (image & 3);
        uint32_t g = combgpu_magic_frenicle(of, to, complement);
        p->turn[i] = (uint8_t)g;
        if (COMBGPU__MAGIC_GOAL == COMBGPU__MAGIC_HASHES)
            hash += combgpu_five_fnv(of, to + 25 * g, complement);
    }
    COMBGPU__LOCAL_BARRIER();
    bytes = COMBGPU__MAGIC_GOAL == COMBGPU__MAGIC_WRITES ? 25 * n * p->images : 0;
    for (i = COMBGPU__LANE_ID; i < bytes; i += COMBGPU__BLOCK_LANES) {
        uint32_t square = i / 25, image = square % p->images, g, value;
        uint32_t at = p->offset + (chunk * p->images + square);
        if (at - p->first >= COMBGPU__MAGIC_PARAMETER(COUNT))
            continue; /* before or after the range */
        g = COMBGPU__MAGIC_FRENICLE ? p->turn[square] : image & 7;
        if (!COMBGPU__MAGIC_FRENICLE) image >>= 3;
        value = p->squares[25 * (square / p->images) + p->map[200 * (image & 3) + 25 * g + i % 25]];
        if (p->from | image >> 2) value = 26 - value;
        p->out[(uint64_t)(at - p->first) * 25 + i % 25] = (uint8_t)value;
    }
    COMBGPU__LOCAL_BARRIER();
    return hash;
}

#ifndef COMBGPU_SHUFFLE
COMBGPU__KERNEL_BLOCKS(256, COMBGPU__MAGIC_LIST_BLOCKS)
combgpu_magic_lists(COMBGPU__SLICE_ARGUMENTS)
{
    /* pool: both rings' items and the marks; then sets of the finds, squares as found, squares in
       order */
    COMBGPU__LOCAL_ARRAY uint32_t pool[COMBGPU__MAGIC_HALVES + 2 * COMBGPU__MAGIC_MARKS], rank[256],
        sums[16];
    COMBGPU__LOCAL_ARRAY uint32_t
        shared[8]; /* pair, its squares, items of both rings, finds of rings 2 and 1, squares */
    COMBGPU__LOCAL_ARRAY uint16_t path[4096], corner[256], bit[32], others[512],
        found[2 * COMBGPU__MAGIC_FINDS];
    COMBGPU__LOCAL_ARRAY uint8_t numbers[16], map[32 * 25], squares[COMBGPU__MAGIC_CHUNK * 25],
        turn[COMBGPU__MAGIC_CHUNK * 8];
    combgpu_five_join_t j;
    combgpu_five_lister_t lister;
    combgpu_magic_page_t p;
    uint64_t hash = 0;
    uint32_t i, busy = 0;
    j.rank = rank, j.sums = sums, j.path = path, j.corner = corner, j.bit = bit, j.number = numbers;
    j.items = (COMBGPU__LOCAL uint16_t *)pool, j.others = others, j.found = found,
    j.shared = shared;
    j.marks = pool + COMBGPU__MAGIC_HALVES, j.counts = pool;
    p.out = (COMBGPU__GLOBAL uint8_t *)work + combgpu_load64(&COMBGPU__MAGIC_PARAMETER(SHIFT));
    p.squares = squares, p.turn = turn, p.map = map, p.first = COMBGPU__MAGIC_PARAMETER(FIRST);
    lister.next = lister.end = lister.steps = lister.full = 0;
    for (i = COMBGPU__LANE_ID; i < 256; i += COMBGPU__BLOCK_LANES)
        rank[i] = tables[COMBGPU__JOIN_AT_RANK + i];
    for (i = COMBGPU__LANE_ID; i < 32 * 25; i += COMBGPU__BLOCK_LANES)
        map[i] = (uint8_t)combgpu_five_cell(i / 200, i / 25 % 8, i % 25);
    for (;;) {
        uint32_t number, w;
        if (COMBGPU__LANE_ID == 0) {
            number = combgpu_five_list_next(&lister, slice, tables, tasks, left, records, shared[1],
                                            busy);
            shared[0] = number;
            shared[1] = 0;
        }
        COMBGPU__LOCAL_BARRIER();
        number = shared[0];
        if (number == COMBGPU__NONE) break;
        busy = 1;
        p.pair = tables + COMBGPU__JOIN_AT_PAIR + 2 * number;
        p.from = combgpu_five_from(p.pair, tables);
        p.images = combgpu_five_images(p.pair, tables, p.from);
        p.offset = COMBGPU__MAGIC_OFFSET(number);
        combgpu_five_pair_numbers(&j, p.pair);
        COMBGPU__LOCAL_BARRIER();
        combgpu_five_pair_paths(&j);
        for (w = 0; w < COMBGPU__MAGIC_WAYS; w++) {
            const uint32_t way = tables[COMBGPU__JOIN_AT_WAY + w];
            const uint32_t count = combgpu_magic_way(&j, way);
            uint32_t chunk;
            for (chunk = 0; chunk < count && COMBGPU__MAGIC_GOAL != COMBGPU__MAGIC_COUNTS;
                 chunk += COMBGPU__MAGIC_CHUNK)
                hash += combgpu_magic_chunk(&j, &p, tables, way, chunk, count);
            p.offset += count * p.images;
        }
    }
    if (COMBGPU__LANE_ID == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, hash);
}
#endif

/* ------------------------------------------------------------------ src/magic/five/join_ring.cl */

/* The join of order 5 where lanes exchange registers: 32 lanes are a worker, and take all ways of a
   pair together. They fill the ring with fewer paths of each way in all ways, in stages with a
   queue between them, so that few lanes idle:

   halves: the numbers x, z in two opposite corners, for which both corners between them have
           choices;
   sets:   a half with one of the choices c of its first corner, then one, d, of the other: the
           8 numbers that such a ring leaves must have a pair with the sum that the left and right
           middles of the other ring need, and one for its top and bottom middles;
   then these pairs are taken out, and the 4 other numbers put into the corners.

   Sets have 32 bits, bit v for number v. The mirror image of a set at r has bit v for number
   r - v, so the v of the set for which r - v is in the set are set & image. */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__MAGIC_STEPS 2 /* of two z, that make halves together */
#define COMBGPU__MAGIC_HALVES_ROOM 160
#define COMBGPU__MAGIC_HALVES_MOST (COMBGPU__MAGIC_HALVES_ROOM - 32 * COMBGPU__MAGIC_STEPS)
#define COMBGPU__MAGIC_SETS_ROOM 64  /* less than 32, and 32 more */
#define COMBGPU__MAGIC_GROUPS 4      /* in a block */
#define COMBGPU__MAGIC_RING_BLOCKS 7 /* on a multiprocessor */

/* Returns the bits in the opposite order. */
COMBGPU__DEVICE uint32_t combgpu_five_reverse(uint32_t x)
{
#ifdef __CUDACC__
    return __brev(x);
#else
    uint32_t y;
    __asm__("brev.b32 %0, %1;" : "=r"(y) : "r"(x));
    return y;
#endif
}

/* Returns the mirror image at 63 - shift of a set given in the opposite order; 0 if shift, without a
   sign, is above 63. */
COMBGPU__DEVICE uint32_t combgpu_five_image(uint32_t reversed, uint32_t shift)
{
    uint32_t image;
    __asm__("{ .reg .b64 x; mov.b64 x, {%1, %2}; shr.b64 x, x, %3; cvt.u32.u64 %0, x; }"
            : "=r"(image)
            : "r"(0), "r"(reversed), "r"(shift));
    return image;
}

/* Returns the greatest number of a set. */
COMBGPU__DEVICE uint32_t combgpu_five_greatest(uint32_t set)
{
    return 31 - COMBGPU__CLZ(set);
}

/* Returns the bit of n in the opposite order, or 0. */
COMBGPU__DEVICE uint32_t combgpu_five_reversed_bit(uint32_t n)
{
    return n < 32 ? 0x80000000u >> n : 0;
}

/* A group's local memory.
   path: [side][end]: the numbers at the side's other end, by place of this end.
   place: of a number: its bit in the opposite order; its bit | place << 26; the number << 8 and <<
   24.
   way: sides of the ring that is filled, 4 bits each, top, bottom, left, right, so that top and
   left have fewer paths | exchanged with bottom << 16, with right << 17, it is ring 2 << 18; 63 less
   the sums of top, left, right, bottom, a byte each; 63 less the sums of the other ring's top and
   left, a byte each; the excess of its left and right middles over the corners of the filled ring.
   halves: choices of c | way << 26; choices of d | place of x << 26; 63 less what x leaves of the
   top's sum, z of the left's, x of the right's, z of the bottom's, a byte each; x and z (as bits) |
   place of z << 26.
   sets: pairs of numbers that can be left and right middles of the other ring; top and bottom ones;
   all numbers that it has | way << 26; 63 less the sums of its left and right middles, of the two
   others << 6 | places of x << 12, of z << 16, c << 20, d << 25. */
typedef struct combgpu_five_ring_t {
    uint4 halves[COMBGPU__MAGIC_HALVES_ROOM];
    uint4 sets[COMBGPU__MAGIC_SETS_ROOM];
    uint4 way[COMBGPU__MAGIC_WAYS], place[16];
    uint32_t path[256];
    uint32_t squares[COMBGPU__MAGIC_WAYS];
    uint32_t sums[16], number[16], paths[16];
} combgpu_five_ring_t;

/* Makes the free numbers of a pair of diagonals, in order, and the 16 sums that a side can have. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_pair(COMBGPU__GROUP_PARAMETER,
                                                COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                COMBGPU__GLOBAL const uint32_t *pair)
{
    uint32_t a = pair[0] >> 5, b = pair[1], unused = 0x3fffffeu & ~(1u << (pair[0] & 31)),
             i = COMBGPU__GROUP_LANE;
    uint32_t shift;
    for (shift = 0; shift < 20; shift += 5)
        unused &= ~(1u << ((a >> shift) & 31) | 1u << ((b >> shift) & 31));
    if ((unused >> i) & 1) {
        uint32_t place = COMBGPU__POPCOUNT(unused & ((1u << i) - 1));
        uint4 entry;
        entry.x = 0x80000000u >> i, entry.y = 1u << i | place << 26, entry.z = i * 0x01000100u;
        entry.w = 0;
        r->place[place] = entry;
        r->number[place] = i;
    }
    if (i < 16) r->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);
    return unused;
}

/* Makes the paths of a pair. */
COMBGPU__DEVICE void combgpu_five_ring_paths(COMBGPU__GROUP_PARAMETER,
                                             COMBGPU__LOCAL combgpu_five_ring_t *r, uint32_t unused)
{
    uint32_t n = r->number[COMBGPU__GROUP_LANE & 15], i, paths = 0;
    uint32_t reversed = combgpu_five_reverse(unused & ~(1u << n));
    for (i = COMBGPU__GROUP_LANE; i < 256; i += 32) {
        uint32_t rest = r->sums[i >> 4] - n;
        uint32_t ends = unused & ~(1u << n) & combgpu_five_image(reversed, 63 - rest);
        if (!(rest & 1)) ends &= ~(1u << ((rest >> 1) & 31));
        r->path[i] = ends;
    }
    COMBGPU__WARP_BARRIER();
    for (i = 0; i < 16; i++) /* each lane begins at another bank */
        paths += COMBGPU__POPCOUNT(
            r->path[16 * (COMBGPU__GROUP_LANE & 15) + ((COMBGPU__GROUP_LANE + i) & 15)]);
    if (COMBGPU__GROUP_LANE < 16) r->paths[COMBGPU__GROUP_LANE] = paths;
    COMBGPU__WARP_BARRIER();
}

/* Returns an upper bound of the ways to fill a ring, 0 only if none exist. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_bound(COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                 uint32_t sides)
{
    return r->paths[sides & 15] * r->paths[(sides >> 4) & 15] * r->paths[(sides >> 8) & 15] *
           r->paths[(sides >> 12) & 15];
}

/* Prepares the ways from `begin` to `end`. */
COMBGPU__DEVICE void combgpu_five_ring_ways(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__LOCAL combgpu_five_ring_t *r,
                                            COMBGPU__GLOBAL const uint32_t *ways, uint32_t centre,
                                            uint32_t begin, uint32_t end)
{
    uint32_t w;
    for (w = begin + COMBGPU__GROUP_LANE; w < end; w += 32) {
        uint32_t way = ways[w], one = combgpu_five_ring_bound(r, way & 0xffff),
                 two = combgpu_five_ring_bound(r, way >> 16), ring = two < one;
        uint32_t sides = (ring ? way >> 16 : way) & 0xffff, other = ring ? way : way >> 16;
        uint32_t top = r->sums[other & 15], left = r->sums[(other >> 8) & 15];
        uint4 prepared;
        if (r->paths[sides & 15] > r->paths[(sides >> 4) & 15])
            sides = (sides & 0xff00) | (sides & 15) << 4 | ((sides >> 4) & 15) | 1u << 16;
        if (r->paths[(sides >> 8) & 15] > r->paths[(sides >> 12) & 15])
            sides = (sides & 0x100ff) | (sides & 0xf00) << 4 | ((sides >> 4) & 0xf00) | 1u << 17;
        prepared.x = one && two ? sides | ring << 18 : COMBGPU__NONE;
        prepared.y = 0x3f3f3f3fu - r->sums[sides & 15] - (r->sums[(sides >> 8) & 15] << 8) -
                     (r->sums[(sides >> 12) & 15] << 16) - (r->sums[(sides >> 4) & 15] << 24);
        prepared.z = 0x3f3fu - top - (left << 8);
        prepared.w = 65 - centre - top - r->sums[(other >> 4) & 15];
        r->way[w] = prepared;
        r->squares[w] = 0;
    }
    COMBGPU__WARP_BARRIER();
}

/* Stacks the halves of a way with z from place `step` on; returns the new count, and where to go
   on. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_halves(COMBGPU__GROUP_PARAMETER,
                                                  COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                  uint32_t way, uint32_t *step, uint32_t count)
{
    const uint4 prepared = r->way[way];
    const uint32_t lane = COMBGPU__GROUP_LANE & 15, odd = COMBGPU__GROUP_LANE >> 4,
                   below = (1u << COMBGPU__GROUP_LANE) - 1;
    const uint32_t n = r->number[lane], rests = prepared.y + n * 0x00010001u,
                   shifts = prepared.y + n * 0x01010101u;
    const uint32_t top = r->path[16 * (prepared.x & 15) + lane],
                   right = r->path[16 * ((prepared.x >> 12) & 15) + lane];
    /* z must not be x, and the two numbers beside a corner must differ */
    const uint32_t never =
        0x80000000u >> n |
        combgpu_five_reversed_bit(n + (prepared.y & 255) - ((prepared.y >> 8) & 255)) |
        combgpu_five_reversed_bit(n + ((prepared.y >> 16) & 255) - (prepared.y >> 24));
    COMBGPU__LOCAL const uint32_t *left = r->path + 16 * ((prepared.x >> 8) & 15) + odd;
    COMBGPU__LOCAL const uint32_t *bottom = r->path + (prepared.x & 0xf0) + odd;
    COMBGPU__LOCAL const uint4 *places = r->place + odd;
    uint32_t i = *step, k;
    way <<= 26;
    for (; i < 16 && count <= COMBGPU__MAGIC_HALVES_MOST; i += 2 * COMBGPU__MAGIC_STEPS)
        for (k = 0; k < 2 * COMBGPU__MAGIC_STEPS; k += 2) {
            const uint4 z = places[i + k];
            /* without those whose middle would be z or x */
            uint32_t first = top & left[i + k] &
                             ~(combgpu_five_image(z.x, shifts & 255) |
                               combgpu_five_image(z.x, (shifts >> 8) & 255));
            uint32_t second = right & bottom[i + k] &
                              ~(combgpu_five_image(z.x, (shifts >> 16) & 255) |
                                combgpu_five_image(z.x, shifts >> 24));
            uint32_t may = first && second && !(z.x & never), lanes = COMBGPU__GROUP_BALLOT(may);
            if (may) {
                uint4 item;
                item.x = first | way, item.y = second | lane << 26;
                item.z = rests + z.z, item.w = 1u << n | z.y;
                r->halves[count + COMBGPU__POPCOUNT(lanes & below)] = item;
            }
            count += COMBGPU__POPCOUNT(lanes);
        }
    *step = i;
    return count;
}
#endif

/* ------------------------------------------------------------- src/magic/five/join_ring_sets.cl */

/* The join of order 5 where lanes exchange registers: a half becomes sets, a set becomes squares, in
   one lane each. */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__MAGIC_ALL_NUMBERS 0x3fffffeu

/* A lane's half, one of its first corners, and the choices left. */
typedef struct combgpu_five_half_t {
    uint32_t first, second; /* choices of c, of d for this c */
    uint32_t all;           /* choices of d for any c | place of x << 26 */
    uint32_t rests, ends;   /* as on the stack */
    uint32_t way;           /* << 26 */
    uint32_t right, bottom; /* of the rests */
    uint32_t one, two;      /* 63 less sums of the other ring's middles, but c and d */
    uint32_t c, left;       /* numbers left */
} combgpu_five_half_t;

COMBGPU__DEVICE void combgpu_five_half_take(COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                            uint32_t at, uint32_t centre, combgpu_five_half_t *h)
{
    const uint4 item = r->halves[at];
    /* the four rests add up to the sum of the sides, 130 + 2 centre, less twice x and z */
    const uint32_t corners = (((item.z * 0x01010101u) >> 24) + 2 * centre + 130 - 252) >> 1;
    h->first = item.x & COMBGPU__MAGIC_ALL_NUMBERS;
    h->way = item.x & ~COMBGPU__MAGIC_ALL_NUMBERS;
    h->all = item.y, h->rests = item.z, h->ends = item.w;
    h->right = (item.z >> 16) & 255, h->bottom = item.z >> 24;
    h->one = 63 - corners - r->way[item.x >> 26].w;
    h->two = 126 + 4 * centre - 2 * corners - h->one;
}

/* Takes the next c. */
COMBGPU__DEVICE void combgpu_five_half_first(uint32_t unused, combgpu_five_half_t *h)
{
    const uint32_t c = combgpu_five_greatest(h->first);
    uint32_t reversed;
    h->first ^= 1u << c;
    h->left = unused & ~(h->ends | 1u << c | 1u << (63 - (h->rests & 255) - c) |
                         1u << (63 - ((h->rests >> 8) & 255) - c));
    reversed = combgpu_five_reverse(h->left);
    h->second = h->all & h->left & combgpu_five_image(reversed, h->right) &
                combgpu_five_image(reversed, h->bottom);
    h->c = c;
}

/* Returns the numbers of a set, given in both orders, with a partner that completes 63 - shift. */
COMBGPU__DEVICE uint32_t combgpu_five_pairs(uint32_t set, uint32_t reversed, uint32_t shift)
{
    return set & combgpu_five_image(reversed, shift) & ~((shift & 1) << (((63 - shift) >> 1) & 31));
}

/* Takes the next d. Returns nonzero if the other ring may have the numbers left, and the entry for
   the stack. */
COMBGPU__DEVICE uint32_t combgpu_five_half_second(combgpu_five_half_t *h, const uint32_t list,
                                                  uint4 *set)
{
    const uint32_t d = combgpu_five_greatest(h->second);
    const uint32_t one = h->one - h->c - d, two = h->two - h->c - d;
    uint32_t left = h->left ^ (1u << d | 1u << (63 - h->right - d) | 1u << (63 - h->bottom - d));
    uint32_t reversed = combgpu_five_reverse(left);
    h->second ^= 1u << d;
    (*set).x = combgpu_five_pairs(left, reversed, one);
    (*set).y = combgpu_five_pairs(left, reversed, two);
    (*set).z = left | h->way;
    (*set).w = one | two << 6;
    if (list) (*set).w |= (h->all >> 26) << 12 | (h->ends >> 26) << 16 | h->c << 20 | d << 25;
    return (*set).x && (*set).y;
}

/* A lane's set for the other ring. */
typedef struct combgpu_five_set_t {
    uint32_t ones, twos, set, code; /* as on the stack; the pairs not yet taken */
    uint32_t other;                 /* 63 less the sums of top and left, a byte each */
    uint32_t two, pair;             /* a middle, it and the opposite one */
    uint32_t rest;                  /* left and right middles for these */
} combgpu_five_set_t;

COMBGPU__DEVICE void combgpu_five_set_take(COMBGPU__LOCAL const combgpu_five_ring_t *r, uint32_t at,
                                           combgpu_five_set_t *s)
{
    const uint4 set = r->sets[at];
    s->ones = set.x, s->twos = set.y, s->set = set.z, s->code = set.w;
    s->other = r->way[set.z >> 26].z;
}

/* Takes the next pair of top and bottom middles, in one order. */
COMBGPU__DEVICE void combgpu_five_set_pair(combgpu_five_set_t *s)
{
    s->two = combgpu_five_greatest(s->twos);
    s->pair = 1u << s->two | 1u << (63 - ((s->code >> 6) & 63) - s->two);
    s->twos ^= s->pair;
    s->rest =
        s->ones & ~(s->pair | combgpu_five_image(combgpu_five_reverse(s->pair), s->code & 63));
}

/* The four corners of the other ring, with both pairs of middles given. */
typedef struct combgpu_five_corners_t {
    uint32_t corners, choices; /* of t1 */
    uint32_t top[2], left[2];  /* 63 less what the middle leaves of these sums, in either order */
} combgpu_five_corners_t;

/* Takes the next pair of left and right middles. */
COMBGPU__DEVICE void combgpu_five_set_corners(combgpu_five_set_t *s, combgpu_five_corners_t *k)
{
    const uint32_t one = combgpu_five_greatest(s->rest), opposite = 63 - (s->code & 63) - one;
    const uint32_t pair = 1u << one | 1u << opposite;
    uint32_t reversed;
    s->rest ^= pair;
    k->corners = (s->set & COMBGPU__MAGIC_ALL_NUMBERS) ^ s->pair ^ pair;
    reversed = combgpu_five_reverse(k->corners);
    k->top[0] = (s->other & 255) + s->two;
    k->top[1] = (s->other & 255) + 63 - ((s->code >> 6) & 63) - s->two;
    k->left[0] = (s->other >> 8) + one;
    k->left[1] = (s->other >> 8) + opposite;
    k->choices =
        k->corners &
        (combgpu_five_image(reversed, k->top[0]) | combgpu_five_image(reversed, k->top[1])) &
        (combgpu_five_image(reversed, k->left[0]) | combgpu_five_image(reversed, k->left[1]));
}

/* Takes the next t1. Returns which of the four orders of the middles make a square with it, as bits,
   and the sets of t3 and b1: t3[i & 1], b1[i >> 1] belong to bit i. */
COMBGPU__DEVICE uint32_t combgpu_five_corners_next(combgpu_five_corners_t *k, uint32_t *t1,
                                                   uint32_t t3[2], uint32_t b1[2])
{
    const uint32_t n = combgpu_five_greatest(k->choices), some = k->choices != 0;
    const uint32_t reversed = some ? 0x80000000u >> n : 0;
    uint32_t others, i, squares = 0;
    *t1 = some ? 1u << n : 0;
    others = k->corners ^ *t1;
    k->choices ^= *t1;
    for (i = 0; i < 2; i++) {
        t3[i] = others & combgpu_five_image(reversed, k->top[i]);
        b1[i] = others & combgpu_five_image(reversed, k->left[i]);
    }
    for (i = 0; i < 4; i++)
        squares |= (uint32_t)(t3[i & 1] && b1[i >> 1] && t3[i & 1] != b1[i >> 1]) << i;
    return squares;
}
#endif

/* ----------------------------------------------------------- src/magic/five/list_ring_images.cl */

/* The list of order 5 where lanes exchange registers: squares are noted as codes
   (five/join_list.c) when they are found, and made, hashed or written up to 32 at a time. */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__MAGIC_FOUND 384u  /* squares noted at a time */
#define COMBGPU__MAGIC_HASHED 184u /* the same if they are hashed: 31, and 4 of each lane */
#define COMBGPU__MAGIC_STAGED 64u  /* images made before they are written */

/* Squares found, as codes, and their ways. */
typedef struct combgpu_five_finds_t {
    uint32_t code[COMBGPU__MAGIC_FOUND];
    uint8_t way[COMBGPU__MAGIC_FOUND];
} combgpu_five_finds_t;

/* A group's work on the squares of a pair. */
typedef struct combgpu_five_output_t {
    combgpu_five_join_t join; /* sums and numbers of the pair */
    COMBGPU__LOCAL combgpu_five_finds_t *finds;
    COMBGPU__LOCAL const uint8_t *map; /* 25 cells of each of 8 orientations of 4 images */
    COMBGPU__LOCAL uint8_t *squares;   /* COMBGPU__MAGIC_CHUNK, of 25 bytes */
    COMBGPU__LOCAL uint8_t *stage;     /* COMBGPU__MAGIC_STAGED images, and up to 3 bytes before */
    COMBGPU__GLOBAL const uint32_t *pair, *ways;
    COMBGPU__GLOBAL uint8_t *out; /* square 0 of the range goes here */
    uint32_t goal, frenicle;      /* COMBGPU__MAGIC_HASHES ... */
    uint32_t shift, from;         /* a square has 1 << shift images; combgpu_five_from */
    uint32_t first, most;         /* the range */
    uint32_t found, numbers;      /* noted; only with one of these in t1 of ring 1 */
    uint64_t hash;                /* of this lane's images */
} combgpu_five_output_t;

/* Returns the code of a square. The other ring has the bits t1, t3, b1 in these corners. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_code(COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                uint32_t unused, const combgpu_five_set_t *s,
                                                uint32_t corners, uint32_t t1, uint32_t t3,
                                                uint32_t b1)
{
    const uint32_t way = r->way[s->set >> 26].x;
    /* a flip swaps t1 t3 b1 b3, 4 bits each, in pairs */
    const uint32_t flip = ((way >> 16) & 1) << 3 | ((way >> 17) & 1) << 2;
    /* a number's place is the count of smaller free ones */
    const uint32_t other = COMBGPU__POPCOUNT(unused & (t1 - 1)) << 12 |
                           COMBGPU__POPCOUNT(unused & (t3 - 1)) << 8 |
                           COMBGPU__POPCOUNT(unused & (b1 - 1)) << 4 |
                           COMBGPU__POPCOUNT(unused & ((corners ^ (t1 | t3 | b1)) - 1));
    const uint32_t filled =
        COMBGPU__POPCOUNT(unused & ((1u << ((s->code >> 20) & 31)) - 1)) << (12 ^ flip) |
        ((s->code >> 12) & 15) << (8 ^ flip) | ((s->code >> 16) & 15) << (4 ^ flip) |
        COMBGPU__POPCOUNT(unused & ((1u << (s->code >> 25)) - 1)) << flip;
    return (way >> 18) & 1 ? other << 16 | filled : filled << 16 | other;
}

/* Notes the squares of all lanes with t1, those of combgpu_five_corners_next. Returns how many of
   this lane are noted. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_note(COMBGPU__GROUP_PARAMETER,
                                                COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                combgpu_five_output_t *o, uint32_t unused,
                                                const combgpu_five_set_t *s, uint32_t corners,
                                                uint32_t squares, uint32_t t1, const uint32_t t3[2],
                                                const uint32_t b1[2])
{
    uint32_t count = 0;
    while (COMBGPU__GROUP_ANY(squares)) { /* each lane's next one */
        const uint32_t i = COMBGPU__CTZ(squares);
        uint32_t code = 0, mine = squares != 0, lanes, at;
        if (mine) {
            code = combgpu_five_ring_code(r, unused, s, corners, t1, i & 1 ? t3[1] : t3[0],
                                          i >> 1 ? b1[1] : b1[0]);
            mine = (o->numbers >> r->number[code >> 28]) & 1;
        }
        squares &= squares - 1;
        lanes = COMBGPU__GROUP_BALLOT(mine);
        at = o->found + COMBGPU__POPCOUNT(lanes & ((1u << COMBGPU__GROUP_LANE) - 1));
        if (mine && at < COMBGPU__MAGIC_FOUND) {
            o->finds->code[at] = code;
            o->finds->way[at] = (uint8_t)(s->set >> 26);
        }
        o->found += COMBGPU__POPCOUNT(lanes);
        count += mine;
    }
    return count;
}

/* Makes n of the noted squares, from number `at` on. */
COMBGPU__DEVICE void combgpu_five_ring_squares(COMBGPU__GROUP_PARAMETER,
                                               const combgpu_five_output_t *o, uint32_t at,
                                               uint32_t n)
{
    uint32_t i;
    COMBGPU__WARP_BARRIER();
    for (i = COMBGPU__GROUP_LANE; i < n; i += 32)
        combgpu_five_square(&o->join, o->pair, o->ways[o->finds->way[at + i]],
                            o->finds->code[at + i], o->squares + 25 * i);
    COMBGPU__WARP_BARRIER();
}

/* Returns the map of image i, counted through all squares; sets *complement and *square. */
COMBGPU__DEVICE COMBGPU__LOCAL const uint8_t *combgpu_five_ring_map(
    const combgpu_five_output_t *o, uint32_t i, COMBGPU__LOCAL const uint8_t **square,
    uint32_t *complement)
{
    const uint32_t image = i & ((1u << o->shift) - 1), k = o->frenicle ? image : image >> 3;
    COMBGPU__LOCAL const uint8_t *map = o->map + 200 * (k & 3);
    *square = o->squares + 25 * (i >> o->shift);
    *complement = o->from | k >> 2;
    return map + 25 * (o->frenicle ? combgpu_magic_frenicle(*square, map, *complement) : image & 7);
}

/* Hashes the squares noted last, 32 at a time, while `least` remain. */
COMBGPU__DEVICE void combgpu_five_ring_hash(COMBGPU__GROUP_PARAMETER, combgpu_five_output_t *o,
                                            uint32_t least)
{
    while (o->found >= least) {
        const uint32_t n = o->found < 32 ? o->found : 32;
        uint32_t i;
        o->found -= n;
        combgpu_five_ring_squares(COMBGPU__GROUP, o, o->found, n);
        for (i = COMBGPU__GROUP_LANE; i < n << o->shift; i += 32) {
            COMBGPU__LOCAL const uint8_t *square, *map;
            uint32_t complement;
            map = combgpu_five_ring_map(o, i, &square, &complement);
            o->hash += combgpu_five_fnv(square, map, complement);
        }
        COMBGPU__WARP_BARRIER();
    }
}

/* Copies bytes [begin, end) of the stage to `to`; begin and `to` are equal mod 4. */
COMBGPU__DEVICE void combgpu_five_ring_copy(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__LOCAL const uint8_t *stage, uint32_t begin,
                                            uint32_t end, COMBGPU__GLOBAL uint8_t *to)
{
    uint32_t i, k;
    for (i = (begin & ~3u) + 4 * COMBGPU__GROUP_LANE; i < end; i += 128)
        if (i >= begin && i + 4 <= end)
            *(COMBGPU__GLOBAL uint32_t *)(to + (i - begin)) =
                *(COMBGPU__LOCAL const uint32_t *)(stage + i);
        else
            for (k = i; k < i + 4; k++)
                if (k >= begin && k < end) to[k - begin] = stage[k];
}

/* Writes n images, from number i on of the squares made, where they are in the range; the first is
   number `at` of the list. */
COMBGPU__DEVICE void combgpu_five_ring_write(COMBGPU__GROUP_PARAMETER,
                                             const combgpu_five_output_t *o, uint32_t i, uint32_t n,
                                             uint32_t at)
{
    const uint64_t beyond = (uint64_t)o->first + o->most;
    const uint32_t begin = at < o->first ? o->first - at : 0, end = beyond >= (uint64_t)at + n ? n
                                                                    : beyond > at
                                                                        ? (uint32_t)(beyond - at)
                                                                        : 0;
    COMBGPU__GLOBAL uint8_t *to;
    uint32_t aside, k, c;
    if (begin >= end) return;
    to = o->out + (uint64_t)(at + begin - o->first) * 25;
    aside = ((uint32_t)(uint64_t)to - 25 * begin) & 3;
    for (k = COMBGPU__GROUP_LANE; k < n; k += 32) {
        COMBGPU__LOCAL uint8_t *image = o->stage + aside + 25 * k;
        COMBGPU__LOCAL const uint8_t *square, *map;
        uint32_t complement;
        map = combgpu_five_ring_map(o, i + k, &square, &complement);
        for (c = 0; c < 25; c++) {
            const uint32_t number = square[map[c]];
            image[c] = (uint8_t)(complement ? 26 - number : number);
        }
    }
    COMBGPU__WARP_BARRIER();
    combgpu_five_ring_copy(COMBGPU__GROUP, o->stage, aside + 25 * begin, aside + 25 * end, to);
    COMBGPU__WARP_BARRIER();
}
#endif

/* ----------------------------------------------------------- src/magic/five/join_ring_stages.cl */

/* The join of order 5 where lanes exchange registers: a group works on the ways of a pair in
   stages. */
#ifdef COMBGPU_SHUFFLE
/* A lane's work on the two stacks, whose sizes are equal in all lanes. */
typedef struct combgpu_five_stages_t {
    combgpu_five_half_t one_half;
    combgpu_five_set_t one_set;
    uint32_t halves, sets;
} combgpu_five_stages_t;

/* Gives halves to idle lanes, takes the next choices of c and d, and stacks sets. `list` is nonzero
   if squares are noted. */
COMBGPU__DEVICE void combgpu_five_stage_halves(COMBGPU__GROUP_PARAMETER,
                                               COMBGPU__LOCAL combgpu_five_ring_t *r,
                                               combgpu_five_stages_t *j, uint32_t list,
                                               uint32_t unused, uint32_t centre)
{
    const uint32_t below = (1u << COMBGPU__GROUP_LANE) - 1,
                   idle = !(j->one_half.first | j->one_half.second);
    uint32_t lanes = COMBGPU__GROUP_BALLOT(idle), at = COMBGPU__POPCOUNT(lanes & below), more;
    uint4 set;
    if (idle && at < j->halves) combgpu_five_half_take(r, j->halves - 1 - at, centre, &j->one_half);
    lanes = COMBGPU__POPCOUNT(lanes);
    j->halves -= lanes < j->halves ? lanes : j->halves;
    if (!j->one_half.second && j->one_half.first) combgpu_five_half_first(unused, &j->one_half);
    more = j->one_half.second && combgpu_five_half_second(&j->one_half, list, &set);
    lanes = COMBGPU__GROUP_BALLOT(more);
    if (more) r->sets[j->sets + COMBGPU__POPCOUNT(lanes & below)] = set;
    j->sets += COMBGPU__POPCOUNT(lanes);
}

/* Fills the corners for a list: notes the squares, and hashes them if that is the goal, all if none
   can follow. Returns how many this lane has noted, or counted if that is the goal. */
COMBGPU__DEVICE uint32_t combgpu_five_stage_list(COMBGPU__GROUP_PARAMETER,
                                                 COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                 const combgpu_five_stages_t *j,
                                                 combgpu_five_output_t *o, uint32_t unused,
                                                 combgpu_five_corners_t *k, uint32_t more)
{
    uint32_t count = 0;
    do {
        uint32_t t1, t3[2], b1[2], squares = combgpu_five_corners_next(k, &t1, t3, b1), last;
        if (o->goal == COMBGPU__MAGIC_COUNTS)
            count += COMBGPU__POPCOUNT(squares);
        else
            count += combgpu_five_ring_note(COMBGPU__GROUP, r, o, unused, &j->one_set, k->corners,
                                            squares, t1, t3, b1);
        if (o->goal != COMBGPU__MAGIC_HASHES) continue;
        last = !more && !j->sets &&
               !COMBGPU__GROUP_ANY(j->one_set.twos | j->one_set.rest | k->choices);
        combgpu_five_ring_hash(COMBGPU__GROUP, o, last ? 1 : 32);
    } while (COMBGPU__GROUP_ANY(k->choices));
    return count;
}

/* Gives sets to idle lanes, takes the next pairs of middles, and fills the corners in all ways.
   Books the squares for their way; for a list, o is not 0 and notes them. */
COMBGPU__DEVICE void combgpu_five_stage_sets(COMBGPU__GROUP_PARAMETER,
                                             COMBGPU__LOCAL combgpu_five_ring_t *r,
                                             combgpu_five_stages_t *j, combgpu_five_output_t *o,
                                             uint32_t unused, uint32_t more)
{
    const uint32_t below = (1u << COMBGPU__GROUP_LANE) - 1,
                   idle = !(j->one_set.twos | j->one_set.rest);
    uint32_t lanes = COMBGPU__GROUP_BALLOT(idle), at = COMBGPU__POPCOUNT(lanes & below), count = 0,
             t1, t3[2], b1[2];
    combgpu_five_corners_t k;
    if (idle && at < j->sets) combgpu_five_set_take(r, j->sets - 1 - at, &j->one_set);
    lanes = COMBGPU__POPCOUNT(lanes);
    j->sets -= lanes < j->sets ? lanes : j->sets;
    if (!j->one_set.rest && j->one_set.twos) combgpu_five_set_pair(&j->one_set);
    if (!o && !j->one_set.rest) return;
    k.choices = 0;
    if (j->one_set.rest) combgpu_five_set_corners(&j->one_set, &k);
    if (o)
        count = combgpu_five_stage_list(COMBGPU__GROUP, r, j, o, unused, &k, more);
    else
        while (k.choices)
            count += COMBGPU__POPCOUNT(combgpu_five_corners_next(&k, &t1, t3, b1));
    if (count) COMBGPU__LOCAL_ATOMIC_ADD(&r->squares[j->one_set.set >> 26], count);
}

/* Counts the squares of the ways from `begin` to `end` of a pair, up to the M-group. For a list, o
   is not 0; the squares are noted, or hashed. */
COMBGPU__DEVICE void combgpu_five_ring_join(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__LOCAL combgpu_five_ring_t *r,
                                            combgpu_five_output_t *o, uint32_t unused,
                                            uint32_t centre, uint32_t begin, uint32_t end)
{
    const uint32_t hashes = o && o->goal == COMBGPU__MAGIC_HASHES;
    uint32_t step = 0, more;
    combgpu_five_stages_t j;
    j.halves = j.sets = 0;
    j.one_half.first = j.one_half.second = j.one_set.twos = j.one_set.rest = 0;
    do {
        while (j.halves < 32 && begin < end) {
            if (r->way[begin].x != COMBGPU__NONE)
                j.halves = combgpu_five_ring_halves(COMBGPU__GROUP, r, begin, &step, j.halves);
            else
                step = 16;
            if (step == 16) step = 0, begin++;
        }
        COMBGPU__WARP_BARRIER();
        combgpu_five_stage_halves(COMBGPU__GROUP, r, &j, o != 0, unused, centre);
        more = j.halves || begin < end || COMBGPU__GROUP_ANY(j.one_half.first | j.one_half.second);
        COMBGPU__WARP_BARRIER();
        while (j.sets >= 32 ||
               (!more && (j.sets || COMBGPU__GROUP_ANY(j.one_set.twos | j.one_set.rest) ||
                          (hashes && o->found))))
            combgpu_five_stage_sets(COMBGPU__GROUP, r, &j, o, unused, more);
        COMBGPU__WARP_BARRIER();
    } while (more);
}
#endif

/* ------------------------------------------------------------ src/magic/five/join_ring_count.cl */

/* The counting kernel of the order 5 join where lanes exchange registers. */
#ifdef COMBGPU_SHUFFLE
/* Lane 0 takes the next configurations, all of a pair in a task; every lane returns the first, or
   COMBGPU__NONE at the end of the slice, and their number. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_next(COMBGPU__GROUP_PARAMETER,
                                                combgpu_five_books_t *books,
                                                COMBGPU__GLOBAL combgpu__slice *slice,
                                                COMBGPU__GLOBAL const uint32_t *tasks,
                                                COMBGPU__GLOBAL uint32_t *left, uint32_t full,
                                                uint32_t *count)
{
    uint32_t number = COMBGPU__NONE;
    if (COMBGPU__GROUP_LANE == 0 && COMBGPU__GROUP_INDEX < slice->workers)
        number = combgpu_five_next(books, slice, tasks, left, full);
    number = COMBGPU__GROUP_FROM(number, 0);
    books->next = number;
    *count = COMBGPU__MAGIC_WAYS - number % COMBGPU__MAGIC_WAYS;
    books->end = COMBGPU__GROUP_FROM(books->end, 0);
    if (*count > books->end - number) *count = books->end - number;
    return number;
}

/* Books the squares of `count` configurations of a pair. Returns 0 without room for a record. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_book(COMBGPU__GROUP_PARAMETER,
                                                COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                combgpu_five_books_t *books,
                                                COMBGPU__GLOBAL combgpu__slice *slice,
                                                COMBGPU__GLOBAL const uint32_t *tables,
                                                COMBGPU__GLOBAL uint32_t *records, uint32_t count)
{
    const uint32_t way = books->next % COMBGPU__MAGIC_WAYS,
                   centre =
                       tables[COMBGPU__JOIN_AT_PAIR + 2 * (books->next / COMBGPU__MAGIC_WAYS)] & 31;
    uint32_t i, booked = count;
    if (tables[COMBGPU__JOIN_AT_LIST] && COMBGPU__GROUP_LANE == 0)
        for (i = 0; i < booked; i++) {
            uint32_t squares = r->squares[way + i], at;
            if (!squares) continue;
            at = combgpu_emit(slice);
            if (at == COMBGPU__NONE) {
                booked = i;
                break;
            }
            records[2 * at] = books->next + i;
            records[2 * at + 1] = squares;
        }
    booked = COMBGPU__GROUP_FROM(booked, 0);
    if (centre != books->centre) {
        if (books->joined)
            combgpu_add_total(slice, COMBGPU__MAGIC_JOINED + books->centre, books->joined);
        books->joined = 0;
        books->centre = centre;
    }
    for (i = COMBGPU__GROUP_LANE; i < booked; i += 32) {
        books->joined += r->squares[way + i];
        books->hash += combgpu_mix((uint64_t)(books->next + i) << 32 | r->squares[way + i]);
    }
    books->steps += booked;
    books->next += booked;
    return booked == count;
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__MAGIC_GROUPS, COMBGPU__MAGIC_RING_BLOCKS)
combgpu_magic_join(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_five_ring_t rings[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL combgpu_five_ring_t *r = &rings[COMBGPU__LANE_ID / 32];
    combgpu_five_books_t books;
    uint32_t full = 0, number, count;
    COMBGPU__GROUP_BEGIN(32);
    (void)work;
    books.next = books.end = books.steps = books.centre = 0;
    books.joined = books.hash = 0;
    for (;;) {
        COMBGPU__GLOBAL const uint32_t *pair;
        uint32_t unused, way;
        number = combgpu_five_ring_next(COMBGPU__GROUP, &books, slice, tasks, left, full, &count);
        if (number == COMBGPU__NONE) break;
        way = number % COMBGPU__MAGIC_WAYS;
        pair = tables + COMBGPU__JOIN_AT_PAIR + 2 * (number / COMBGPU__MAGIC_WAYS);
        unused = combgpu_five_ring_pair(COMBGPU__GROUP, r, pair);
        COMBGPU__WARP_BARRIER();
        combgpu_five_ring_paths(COMBGPU__GROUP, r, unused);
        combgpu_five_ring_ways(COMBGPU__GROUP, r, tables + COMBGPU__JOIN_AT_WAY, pair[0] & 31, way,
                               way + count);
        combgpu_five_ring_join(COMBGPU__GROUP, r, 0, unused, pair[0] & 31, way, way + count);
        full = !combgpu_five_ring_book(COMBGPU__GROUP, r, &books, slice, tables, records, count);
        COMBGPU__WARP_BARRIER();
    }
    if (COMBGPU__GROUP_LANE == 0) combgpu_add_total(slice, 0, books.steps);
    combgpu_add_total(slice, COMBGPU__MAGIC_HASH, books.hash);
    if (books.joined) combgpu_add_total(slice, COMBGPU__MAGIC_JOINED + books.centre, books.joined);
}
#endif

/* ------------------------------------------------------------------ src/magic/five/list_ring.cl */

/* The list of order 5 where lanes exchange registers: 32 lanes are a worker. Hashing needs no
   order. For writing, the lanes note the squares of all ways of a pair, as many as fit, and sort
   them. */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__MAGIC_RING_LIST_BLOCKS 4 /* on a multiprocessor */

/* Finds the squares of the ways from `begin` to `end`. */
COMBGPU__DEVICE void combgpu_five_ring_finds(COMBGPU__GROUP_PARAMETER,
                                             COMBGPU__LOCAL combgpu_five_ring_t *r,
                                             combgpu_five_output_t *o, uint32_t unused,
                                             uint32_t begin, uint32_t end)
{
    uint32_t w;
    COMBGPU__WARP_BARRIER();
    for (w = begin + COMBGPU__GROUP_LANE; w < end; w += 32)
        r->squares[w] = 0;
    o->found = 0;
    COMBGPU__WARP_BARRIER();
    combgpu_five_ring_join(COMBGPU__GROUP, r, o, unused, o->pair[0] & 31, begin, end);
}

/* Puts the squares noted into the order of ways, and by code in a way. */
COMBGPU__DEVICE void combgpu_five_ring_sort(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__LOCAL combgpu_five_ring_t *r,
                                            const combgpu_five_output_t *o, uint32_t begin,
                                            uint32_t end)
{
    /* codes by way; for each way its first index, and its count */
    COMBGPU__LOCAL uint32_t *codes = (COMBGPU__LOCAL uint32_t *)r->halves;
    COMBGPU__LOCAL uint32_t *first = codes + COMBGPU__MAGIC_FOUND,
                            *there = first + COMBGPU__MAGIC_WAYS;
    COMBGPU__LOCAL combgpu_five_finds_t *f = o->finds;
    uint32_t count = o->found, w, i, k;
    for (w = begin + COMBGPU__GROUP_LANE; w < end; w += 32) {
        uint32_t before = 0;
        for (k = begin; k < end; k++)
            before += k < w ? r->squares[k] : 0;
        first[w] = before;
        there[w] = 0;
    }
    COMBGPU__WARP_BARRIER();
    for (i = COMBGPU__GROUP_LANE; i < count; i += 32) {
        w = f->way[i];
        codes[first[w] + COMBGPU__LOCAL_ATOMIC_ADD(&there[w], 1)] = f->code[i];
    }
    COMBGPU__WARP_BARRIER();
    for (w = begin + COMBGPU__GROUP_LANE; w < end; w += 32)
        for (i = 0; i < there[w]; i++)
            f->way[first[w] + i] = (uint8_t)w;
    COMBGPU__WARP_BARRIER();
    for (i = COMBGPU__GROUP_LANE; i < count; i += 32) {
        uint32_t code = codes[i], at = 0;
        w = f->way[i];
        at = first[w];
        for (k = first[w]; k < first[w] + there[w]; k++)
            at += codes[k] < code;
        f->code[at] = code;
    }
    COMBGPU__WARP_BARRIER();
}

/* Writes the squares noted; `at` is the number of their first image in the list. */
COMBGPU__DEVICE void combgpu_five_ring_put(COMBGPU__GROUP_PARAMETER, const combgpu_five_output_t *o,
                                           uint32_t at)
{
    uint32_t chunk, i;
    for (chunk = 0; chunk < o->found; chunk += 32) {
        const uint32_t n = o->found - chunk < 32 ? o->found - chunk : 32, images = n << o->shift;
        combgpu_five_ring_squares(COMBGPU__GROUP, o, chunk, n);
        for (i = 0; i < images; i += COMBGPU__MAGIC_STAGED)
            combgpu_five_ring_write(COMBGPU__GROUP, o, i,
                                    images - i < COMBGPU__MAGIC_STAGED ? images - i
                                                                       : COMBGPU__MAGIC_STAGED,
                                    at + (chunk << o->shift) + i);
    }
}

/* Returns the end of the ways from w on whose squares fit; the squares of all ways are known. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_room(COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                uint32_t w)
{
    uint32_t squares = 0;
    for (; w < COMBGPU__MAGIC_WAYS; w++) {
        squares += r->squares[w];
        if (squares > COMBGPU__MAGIC_FOUND) break;
    }
    return w;
}

/* Writes the squares of a pair, and returns how many; the first image is number `at`. If they are
   too many, finds them again in parts: ways that fit together, or one t1 of a way at a time. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_parts(COMBGPU__GROUP_PARAMETER,
                                                 COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                 combgpu_five_output_t *o, uint32_t unused,
                                                 uint32_t at)
{
    uint32_t w = 0, end = COMBGPU__MAGIC_WAYS, all = 0, t1 = 0; /* a bit; 0 = all together */
    for (;;) {
        o->numbers = t1 ? t1 : unused;
        combgpu_five_ring_finds(COMBGPU__GROUP, r, o, unused, w, end);
        if (o->found <= COMBGPU__MAGIC_FOUND) {
            combgpu_five_ring_sort(COMBGPU__GROUP, r, o, w, end);
            combgpu_five_ring_put(COMBGPU__GROUP, o, at + (all << o->shift));
            all += o->found;
            if (t1) t1 = unused & ~(t1 | (t1 - 1)), t1 &= 0u - t1;
            if (t1) continue;
            w = end;
            if (w == COMBGPU__MAGIC_WAYS) return all;
        }
        end = combgpu_five_ring_room(r, w);
        if (end == w) end++, t1 = unused & (0u - unused);
    }
}

/* Prepares a pair; returns its free numbers. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_list_pair(COMBGPU__GROUP_PARAMETER,
                                                     COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                     combgpu_five_output_t *o,
                                                     COMBGPU__GLOBAL const uint32_t *tables,
                                                     uint32_t number)
{
    COMBGPU__GLOBAL const uint32_t *pair = tables + COMBGPU__JOIN_AT_PAIR + 2 * number;
    const uint32_t unused = combgpu_five_ring_pair(COMBGPU__GROUP, r, pair);
    uint32_t images;
    COMBGPU__WARP_BARRIER();
    if (COMBGPU__GROUP_LANE < 16)
        o->join.number[COMBGPU__GROUP_LANE] = (uint8_t)r->number[COMBGPU__GROUP_LANE];
    combgpu_five_ring_paths(COMBGPU__GROUP, r, unused);
    combgpu_five_ring_ways(COMBGPU__GROUP, r, o->ways, pair[0] & 31, 0, COMBGPU__MAGIC_WAYS);
    o->pair = pair;
    o->from = combgpu_five_from(pair, tables);
    images = combgpu_five_images(pair, tables, o->from); /* a power of 2 */
    o->shift = 31 - COMBGPU__CLZ(images);
    return unused;
}

/* Hashes, writes or counts the squares of a pair; returns their number up to the M-group. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_list(COMBGPU__GROUP_PARAMETER,
                                                COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                combgpu_five_output_t *o, uint32_t unused,
                                                uint32_t at)
{
    uint32_t w, all = 0;
    if (o->goal == COMBGPU__MAGIC_WRITES)
        return combgpu_five_ring_parts(COMBGPU__GROUP, r, o, unused, at);
    o->numbers = unused;
    combgpu_five_ring_finds(COMBGPU__GROUP, r, o, unused, 0, COMBGPU__MAGIC_WAYS);
    for (w = COMBGPU__GROUP_LANE; w < COMBGPU__MAGIC_WAYS; w += 32)
        all += r->squares[w];
    return COMBGPU__GROUP_ADD(all);
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__MAGIC_GROUPS, COMBGPU__MAGIC_RING_LIST_BLOCKS)
combgpu_magic_lists(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_five_ring_t rings[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL_ARRAY combgpu_five_finds_t finds[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL_ARRAY uint8_t map[32 * 25], numbers[16 * COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL combgpu_five_ring_t *r = &rings[COMBGPU__LANE_ID / 32];
    combgpu_five_output_t o;
    combgpu_five_lister_t lister;
    uint32_t i, busy = 0, all = 0;
    COMBGPU__GROUP_BEGIN(32);
    o.goal = COMBGPU__MAGIC_GOAL, o.frenicle = COMBGPU__MAGIC_FRENICLE;
    o.out = (COMBGPU__GLOBAL uint8_t *)work + combgpu_load64(&COMBGPU__MAGIC_PARAMETER(SHIFT));
    o.first = COMBGPU__MAGIC_PARAMETER(FIRST), o.most = COMBGPU__MAGIC_PARAMETER(COUNT);
    o.join.sums = r->sums, o.join.number = numbers + COMBGPU__LANE_ID / 32 * 16;
    o.ways = tables + COMBGPU__JOIN_AT_WAY;
    o.finds = &finds[COMBGPU__LANE_ID / 32];
    o.map = map;
    /* hashed squares need few codes; written ones are made when the stacks are empty */
    o.stage = (COMBGPU__LOCAL uint8_t *)r->halves;
    o.squares = o.goal == COMBGPU__MAGIC_HASHES
                    ? (COMBGPU__LOCAL uint8_t *)(o.finds->code + COMBGPU__MAGIC_HASHED)
                    : o.stage + 25 * COMBGPU__MAGIC_STAGED + 4;
    o.hash = 0;
    lister.next = lister.end = lister.steps = lister.full = 0;
    for (i = COMBGPU__LANE_ID; i < 32 * 25; i += COMBGPU__BLOCK_LANES)
        map[i] = (uint8_t)combgpu_five_cell(i / 200, i / 25 % 8, i % 25);
    COMBGPU__LOCAL_BARRIER();
    for (;;) {
        uint32_t number = COMBGPU__NONE, unused;
        if (COMBGPU__GROUP_LANE == 0 && COMBGPU__GROUP_INDEX < slice->workers)
            number =
                combgpu_five_list_next(&lister, slice, tables, tasks, left, records, all, busy);
        number = COMBGPU__GROUP_FROM(number, 0);
        if (number == COMBGPU__NONE) break;
        busy = 1;
        unused = combgpu_five_ring_list_pair(COMBGPU__GROUP, r, &o, tables, number);
        all = combgpu_five_ring_list(COMBGPU__GROUP, r, &o, unused, COMBGPU__MAGIC_OFFSET(number));
    }
    if (COMBGPU__GROUP_LANE == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, o.hash);
}
#endif

/* ----------------------------------------------------------------------- src/magic/five/semi.cl */

/* Counts semi-magic squares of order 5 (five/semi.c): a lane takes units. A column through a number
   of row 0 is a word with the places in the other rows, 5 bits a row: columns without a common bit
   are disjoint. */
typedef struct combgpu_five_semi_t {
    uint32_t rows[5], count[4];
    uint32_t columns[4][64]; /* at most 59 */
    uint64_t free2[64], free3[64],
        last[64]; /* columns 2 and 3 disjoint from a column 1; columns 3 disjoint from a column 2 */
} combgpu_five_semi_t;

/* Returns the number at a place of a row, which is a set. */
COMBGPU__DEVICE uint32_t combgpu_five_nth(uint32_t set, uint32_t n)
{
    for (; n; n--)
        set &= set - 1;
    return COMBGPU__CTZ(set);
}

COMBGPU__DEVICE void combgpu_five_semi_columns(combgpu_five_semi_t *m)
{
    uint32_t numbers[4], c, i, k, n; /* 5 bits a number */
    for (c = 0; c < 4; c++) {
        numbers[c] = 0;
        for (i = 0, k = m->rows[c]; i < 5; i++, k &= k - 1)
            numbers[c] |= COMBGPU__CTZ(k) << (5 * i);
    }
    for (c = 0; c < 4; c++) {
        uint32_t first = combgpu_magic_nibble(numbers[0], c);
        for (n = i = 0; i < 25; i++) {
            uint32_t two = first + combgpu_magic_nibble(numbers[1], i / 5) +
                           combgpu_magic_nibble(numbers[2], i % 5);
            for (k = 0; k < 5; k++) {
                uint32_t rest = 65 - two - combgpu_magic_nibble(numbers[3], k);
                if (rest > 25 || !((m->rows[4] >> rest) & 1)) continue;
                m->columns[c][n++ & 63] = 1u << (i / 5) | 32u << (i % 5) | 1024u << k |
                                          32768u
                                              << COMBGPU__POPCOUNT(m->rows[4] & ((1u << rest) - 1));
            }
        }
        m->count[c] = n;
    }
}

/* Returns a mask: bit i is set if column i of a group is disjoint from `column`. */
COMBGPU__DEVICE uint64_t combgpu_five_disjoint(const uint32_t *columns, uint32_t count,
                                               uint32_t column)
{
    uint64_t set = 0;
    uint32_t i;
    for (i = 0; i < count; i++)
        set |= (uint64_t)(columns[i] & column ? 0 : 1) << i;
    return set;
}

COMBGPU__DEVICE uint32_t combgpu_five_semi_partition(combgpu_five_semi_t *m)
{
    uint32_t i, k, sum = 0;
    combgpu_five_semi_columns(m);
    for (i = 0; i < m->count[1]; i++) {
        m->free2[i] = combgpu_five_disjoint(m->columns[2], m->count[2], m->columns[1][i]);
        m->free3[i] = combgpu_five_disjoint(m->columns[3], m->count[3], m->columns[1][i]);
    }
    for (i = 0; i < m->count[2]; i++)
        m->last[i] = combgpu_five_disjoint(m->columns[3], m->count[3], m->columns[2][i]);
    for (i = 0; i < m->count[0]; i++) {
        uint32_t column = m->columns[0][i];
        uint64_t may2 = combgpu_five_disjoint(m->columns[2], m->count[2], column);
        uint64_t may3 = combgpu_five_disjoint(m->columns[3], m->count[3], column);
        for (k = 0; k < m->count[1]; k++) {
            uint64_t two = may2 & m->free2[k], three = may3 & m->free3[k];
            if ((column & m->columns[1][k]) || !three) continue;
            for (; two; two &= two - 1) {
                uint64_t ends =
                    three & m->last[(uint32_t)two ? COMBGPU__CTZ((uint32_t)two)
                                                  : 32 + COMBGPU__CTZ((uint32_t)(two >> 32))];
                sum += combgpu_popcount64(ends);
            }
        }
    }
    return sum;
}

/* Returns how often a partition counts: 0, 1 or 2 (combgpu__five_semi_weight in five/semi.c). */
COMBGPU__DEVICE uint32_t combgpu_five_semi_weight(const combgpu_five_semi_t *m)
{
    uint32_t i, v, with25 = 0, turned = 0;
    for (i = 0; i < 5; i++)
        if ((m->rows[i] >> 25) & 1) with25 = m->rows[i];
    for (v = 1; v < 26; v++)
        turned |= ((with25 >> v) & 1) << (26 - v);
    return turned < m->rows[0] ? 0 : turned == m->rows[0] ? 1 : 2;
}

COMBGPU__DEVICE uint64_t combgpu_five_semi_unit(combgpu_five_semi_t *m,
                                                COMBGPU__GLOBAL const uint32_t *tables,
                                                uint32_t unit)
{
    uint32_t pair = COMBGPU__SEMI_AT_PAIR + 2 * (unit / COMBGPU__MAGIC_SEMI_PARTS), unused, least,
             next, i, k, weight;
    uint64_t sum = 0;
    m->rows[0] = tables[pair];
    m->rows[1] = tables[pair + 1];
    unused = 0x3fffffe & ~(m->rows[0] | m->rows[1]);
    least = COMBGPU__CTZ(unused);
    for (i = tables[COMBGPU__SEMI_AT_FIRST + least] + unit % COMBGPU__MAGIC_SEMI_PARTS;
         i < tables[COMBGPU__SEMI_AT_FIRST + least + 1]; i += COMBGPU__MAGIC_SEMI_PARTS) {
        uint32_t rest;
        m->rows[2] = tables[COMBGPU__SEMI_AT_SERIES + i];
        if (m->rows[2] & ~unused) continue;
        rest = unused & ~m->rows[2];
        next = COMBGPU__CTZ(rest);
        for (k = tables[COMBGPU__SEMI_AT_FIRST + next];
             k < tables[COMBGPU__SEMI_AT_FIRST + next + 1]; k++) {
            m->rows[3] = tables[COMBGPU__SEMI_AT_SERIES + k];
            if (m->rows[3] & ~rest) continue;
            m->rows[4] = rest & ~m->rows[3];
            weight = combgpu_five_semi_weight(m);
            if (weight) sum += weight * combgpu_five_semi_partition(m);
        }
    }
    return sum;
}

COMBGPU__KERNEL combgpu_magic_semi(COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_five_semi_t m;
    uint32_t steps = 0;
    uint64_t unit = 0, end = 0, hash = 0, sum = 0;
    (void)work, (void)records;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    while (combgpu_in_range(slice, tasks, left, &unit, &end, steps)) {
        uint64_t found = combgpu_five_semi_unit(&m, tables, (uint32_t)unit);
        hash += combgpu_mix(unit << 32 | found);
        sum += found;
        steps++;
        unit++;
    }
    if (!steps) return;
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, COMBGPU__MAGIC_HASH, hash);
    combgpu_add_total(slice, COMBGPU__MAGIC_ORTHOGONAL, sum);
}

#endif /* MAGIC */

#if defined(COMBGPU_KERNELS_MAGIC6) || defined(COMBGPU__HAS_MAGIC)

/* ------------------------------------------------------------------- src/magic/estimate/draw.cl */

/* Estimates of magic squares: each lane draws the numbers of a sample. Words of `tables`: layout.h.
   Sets of numbers have bit v for number v; a mirror has bit numbers + 1 - v. `wide` (more than 63
   numbers) is a constant in every kernel. */

typedef struct combgpu_estimate_set_t {
    uint64_t lo, hi;
} combgpu_estimate_set_t;

COMBGPU__DEVICE uint32_t combgpu_estimate_any(combgpu_estimate_set_t a, uint32_t wide)
{
    return wide ? (a.lo | a.hi) != 0 : a.lo != 0;
}

COMBGPU__DEVICE void combgpu_estimate_drop(combgpu_estimate_set_t *a, uint32_t v, uint32_t wide)
{
    uint64_t bit = ~((uint64_t)1 << (v & 63));
    if (wide && v >= 64)
        a->hi &= bit;
    else
        a->lo &= bit;
}

/* Removes and returns the smallest number of a nonempty set. */
COMBGPU__DEVICE uint32_t combgpu_estimate_next(combgpu_estimate_set_t *a, uint32_t wide)
{
    uint64_t word = !wide || a->lo ? a->lo : a->hi;
    uint32_t v = combgpu_lowest_bit64(word);
    if (!wide || a->lo) {
        a->lo &= a->lo - 1;
        return v;
    }
    a->hi &= a->hi - 1;
    return 64 + v;
}

/* Returns the numbers v of `from` for which sum - v is in the mirrored set; sum is 0 to 2 * numbers
   + 1. */
COMBGPU__DEVICE combgpu_estimate_set_t combgpu_estimate_partners(combgpu_estimate_set_t from,
                                                                 combgpu_estimate_set_t mirror,
                                                                 int32_t sum, int32_t numbers,
                                                                 uint32_t wide)
{
    int32_t shift = numbers + 1 - sum;
    combgpu_estimate_set_t p;
    p.hi = 0;
    if (!wide) {
        p.lo = from.lo & (shift >= 0 ? mirror.lo >> shift : mirror.lo << -shift);
        return p;
    }
    if (shift >= 64) {
        p.lo = mirror.hi >> (shift & 63);
    } else if (shift > 0) {
        p.lo = mirror.lo >> shift | mirror.hi << (64 - shift);
        p.hi = mirror.hi >> shift;
    } else if (shift == 0) {
        p = mirror;
    } else if (shift > -64) {
        p.lo = mirror.lo << -shift;
        p.hi = mirror.hi << -shift | mirror.lo >> (64 + shift);
    } else {
        p.lo = 0;
        p.hi = mirror.lo << (-shift & 63);
    }
    p.lo &= from.lo;
    p.hi &= from.hi;
    return p;
}

/* mantissa * 2^exponent, cut to 40 bits after each step */
typedef struct combgpu_estimate_product_t {
    uint64_t mantissa;
    int32_t exponent;
} combgpu_estimate_product_t;

COMBGPU__DEVICE uint32_t combgpu_estimate_bits(uint64_t x) /* bits of x, not 0 */
{
    return x >> 32 ? 64 - COMBGPU__CLZ((uint32_t)(x >> 32)) : 32 - COMBGPU__CLZ((uint32_t)x);
}

COMBGPU__DEVICE void combgpu_estimate_multiply(combgpu_estimate_product_t *p, uint32_t factor)
{
    uint32_t bits;
    p->mantissa *= factor;
    bits = combgpu_estimate_bits(p->mantissa);
    if (bits > 40) {
        p->mantissa >>= bits - 40;
        p->exponent += (int32_t)(bits - 40);
    }
}

typedef struct combgpu_estimate_draw_t {
    combgpu_estimate_set_t unused, mirror;
    int32_t total;
    COMBGPU__LOCAL int32_t *need; /* what lines need: slot i at 32 * i, each lane its own */
    uint64_t kept;                /* numbers that may be rearranged, 8 bits each */
    combgpu_estimate_product_t chosen, choices;
} combgpu_estimate_draw_t;

/* Returns the likelihood of a number by its distance from the centre, in units of 1/4. */
COMBGPU__DEVICE uint32_t combgpu_estimate_curve(int32_t distance, uint32_t slope)
{
    uint64_t part = ((uint64_t)(uint32_t)(distance * distance) * slope) >> 24;
    uint32_t q = part < 65535 ? 65535 - (uint32_t)part : 0;
    q = (q * q) >> 16;
    q = (q * q) >> 16;
    return ((q * q) >> 16) + 1024;
}

COMBGPU__DEVICE uint32_t combgpu_estimate_choose(combgpu_estimate_draw_t *draw,
                                                 combgpu_estimate_set_t from, int32_t centre,
                                                 uint32_t slope, uint64_t random, uint32_t wide)
{
    combgpu_estimate_set_t set = from;
    uint32_t all = 0, v = 0, q = 0, at;
    while (combgpu_estimate_any(set, wide))
        all +=
            combgpu_estimate_curve(4 * (int32_t)combgpu_estimate_next(&set, wide) - centre, slope);
    at = (uint32_t)(((random >> 24) * all) >> 40);
    while (combgpu_estimate_any(from, wide)) {
        v = combgpu_estimate_next(&from, wide);
        q = combgpu_estimate_curve(4 * (int32_t)v - centre, slope);
        if (at < q) break;
        at -= q;
    }
    combgpu_estimate_multiply(&draw->chosen, q);
    combgpu_estimate_multiply(&draw->choices, all);
    return v;
}

COMBGPU__DEVICE void combgpu_estimate_put(combgpu_estimate_draw_t *draw,
                                          COMBGPU__GLOBAL const uint32_t *cell, uint32_t v,
                                          uint32_t numbers, uint32_t wide)
{
    uint32_t i;
    for (i = 0; i < 4; i++)
        draw->need[32 * (cell[i] & 255)] -= (int32_t)v;
    draw->total -= (int32_t)v;
    if (cell[5] >> 8) draw->kept |= (uint64_t)v << (8 * ((cell[5] >> 8) - 1));
    combgpu_estimate_drop(&draw->unused, v, wide);
    combgpu_estimate_drop(&draw->mirror, numbers + 1 - v, wide);
}

/* Returns the weighted sum, over the cell's lines, of 4 times the number that suits the line. If
   `turned` is not 0, the cell is the second of a pair with that sum, and its wishes turn into the
   first one's. */
COMBGPU__DEVICE int32_t combgpu_estimate_wishes(const combgpu_estimate_draw_t *draw,
                                                COMBGPU__GLOBAL const uint32_t *cell, int32_t mean,
                                                int32_t turned)
{
    int32_t sum = 0;
    uint32_t i;
    for (i = 0; i < 4; i++) {
        int32_t wish =
            4 * draw->need[32 * (cell[i] & 255)] - (int32_t)((cell[i] >> 8) & 255) * mean;
        if (turned) wish = 4 * turned - wish;
        sum += (int32_t)(cell[i] >> 16) * wish;
    }
    return sum;
}

/* Returns the `draws`-th random number of a sample, 64 bits. */
COMBGPU__DEVICE uint64_t combgpu_estimate_random(uint64_t key, uint32_t draws)
{
    return combgpu_mix(key + draws * ((uint64_t)0x9e3779b9u << 32 | 0x7f4a7c15u));
}

/* Fills a line of the plan. Returns 0 if no pair completes it. */
COMBGPU__DEVICE uint32_t combgpu_estimate_line(combgpu_estimate_draw_t *draw,
                                               COMBGPU__GLOBAL const uint32_t *tables,
                                               uint32_t *words, uint64_t key, uint32_t *draws,
                                               uint32_t wide)
{
    uint32_t head = tables[*words], cells = (head >> 8) & 255, at = *words + 1,
             numbers = tables[COMBGPU__ESTIMATE_AT_NUMBERS], v;
    int32_t mean, wishes, sum = 0;
    combgpu_estimate_set_t from;
    *words += 1 + 6 * cells + 12 * (head >> 16);
    for (cells += head >> 16; cells; cells--, at += 6) {
        uint32_t pair = cells == 1 && (head >> 16);
        mean = 4 * draw->total / (int32_t)(tables[at + 5] & 255);
        wishes = combgpu_estimate_wishes(draw, tables + at, mean, 0);
        from = draw->unused;
        if (pair) {
            sum = draw->need[32 * (head & 255)];
            if (sum < 3 || sum > 2 * (int32_t)numbers) return 0;
            from = combgpu_estimate_partners(from, draw->mirror, sum, (int32_t)numbers, wide);
            if (!(sum & 1)) combgpu_estimate_drop(&from, (uint32_t)sum / 2, wide);
            if (!combgpu_estimate_any(from, wide)) return 0;
            wishes += combgpu_estimate_wishes(draw, tables + at + 6, mean, sum);
        }
        ++*draws;
        v = combgpu_estimate_choose(draw, from, wishes / (int32_t)tables[at + 4],
                                    tables[at + 4] * tables[COMBGPU__ESTIMATE_AT_CURVE],
                                    combgpu_estimate_random(key, *draws), wide);
        combgpu_estimate_put(draw, tables + at, v, numbers, wide);
        if (pair) combgpu_estimate_put(draw, tables + at + 6, (uint32_t)sum - v, numbers, wide);
    }
    return 1;
}

/* Returns ways / probability in units of 2^scale, rounded; all bits set if that is too large. */
COMBGPU__DEVICE uint64_t combgpu_estimate_weigh(const combgpu_estimate_product_t *chosen,
                                                const combgpu_estimate_product_t *choices,
                                                uint32_t ways, int32_t scale)
{
    uint32_t up = 40 - combgpu_estimate_bits(choices->mantissa);
    uint32_t down = 40 - combgpu_estimate_bits(chosen->mantissa);
    uint64_t value = ((choices->mantissa << up) << 24) / ((chosen->mantissa << down) >> 8);
    int32_t shift =
        scale + 32 + (chosen->exponent - (int32_t)down) - (choices->exponent - (int32_t)up);
    value *= ways;
    if (!ways || shift > 63) return 0;
    if (shift > 0) return ((value >> (shift - 1)) & 1) + (value >> shift);
    if (shift < -30 || value >> (63 + shift)) return ~(uint64_t)0;
    return value << -shift;
}

/* Returns the sum of two values, all bits set if that is too large, in a form that compilers do not
   turn into an intrinsic: oclgrind lacks it. */
COMBGPU__DEVICE uint64_t combgpu_estimate_add(uint64_t a, uint64_t b)
{
    return ((a >> 1) + (b >> 1) + (a & b & 1)) >> 63 ? ~(uint64_t)0 : a + b;
}

/* ------------------------------------------------------------------- src/magic/estimate/rest.cl */

/* Estimates of orders 4 and 5: counts the rest (see the picture in estimate/plan.c). Numbers are at
   most 25, so sets are words. */

typedef struct combgpu_estimate_rest_t {
    uint32_t width; /* middle columns */
    int32_t row0, row5, row1, column1, column4, column0, column5;
} combgpu_estimate_rest_t;

/* Returns the numbers of all pairs with a sum. */
COMBGPU__DEVICE uint32_t combgpu_estimate_halves(uint32_t left, int32_t sum)
{
    uint32_t pairs = 0, set;
    for (set = sum > 50 ? 0 : left; set; set &= set - 1) {
        int32_t other = sum - (int32_t)COMBGPU__CTZ(set);
        if (other > 0 && other < 32 && 2 * other != sum) pairs |= left & 1u << other;
    }
    return pairs;
}

/* Takes `sum`, for the middle cell of a row, out of the numbers left. Returns 0 if it is not there;
   without middle columns, if it is not 0. */
COMBGPU__DEVICE uint32_t combgpu_estimate_middle(const combgpu_estimate_rest_t *r, uint32_t *left,
                                                 int32_t sum)
{
    if (!r->width) return sum == 0;
    if (sum < 1 || sum > 25 || !((*left >> sum) & 1)) return 0;
    *left &= ~(1u << sum);
    return 1;
}

/* Counts the ways to fill rows 1 and n-2 with the numbers left. */
COMBGPU__DEVICE uint32_t combgpu_estimate_second(const combgpu_estimate_rest_t *r, uint32_t left)
{
    uint32_t first = combgpu_estimate_halves(left, r->column0), ways = 0;
    for (; first; first &= first - 1) {
        int32_t x = (int32_t)COMBGPU__CTZ(first), y;
        uint32_t others = left & ~(1u << x | 1u << (r->column0 - x));
        uint32_t second = combgpu_estimate_halves(others, r->column5);
        for (; second; second &= second - 1) {
            uint32_t middle;
            y = (int32_t)COMBGPU__CTZ(second);
            middle = others & ~(1u << y | 1u << (r->column5 - y));
            ways += combgpu_estimate_middle(r, &middle, r->row1 - x - y); /* the rest follows */
        }
    }
    return ways;
}

/* Counts the ways to fill the rest of order 4 or 5. */
COMBGPU__DEVICE uint32_t combgpu_estimate_rest(const combgpu_estimate_draw_t *draw, uint32_t n)
{
    combgpu_estimate_rest_t r;
    uint32_t left = (uint32_t)draw->unused.lo, first, second, ways = 0;
    r.width = n - 4;
    r.row0 = draw->need[0], r.row5 = draw->need[32 * (n - 1)], r.row1 = draw->need[32];
    r.column0 = draw->need[32 * n], r.column5 = draw->need[32 * (2 * n - 1)];
    r.column1 = draw->need[32 * (n + 1)], r.column4 = draw->need[32 * (2 * n - 2)];
    for (first = combgpu_estimate_halves(left, r.column1); first; first &= first - 1) {
        int32_t x = (int32_t)COMBGPU__CTZ(first), y;
        uint32_t others = left & ~(1u << x | 1u << (r.column1 - x));
        for (second = combgpu_estimate_halves(others, r.column4); second; second &= second - 1) {
            uint32_t middle;
            y = (int32_t)COMBGPU__CTZ(second);
            middle = others & ~(1u << y | 1u << (r.column4 - y));
            if (combgpu_estimate_middle(&r, &middle, r.row0 - x - y) &&
                combgpu_estimate_middle(&r, &middle, r.row5 - r.column1 + x - r.column4 + y))
                ways += combgpu_estimate_second(&r, middle);
        }
    }
    return ways;
}

/* ---------------------------------------------------------------- src/magic/estimate/arrange.cl */

/* Estimates from order 6 on: 32 lanes are a worker. Each draws a sample; then all lanes together
   take sample after sample, arrange its rows 2 and n-3 (estimate/arrange.c) and count the rest
   (estimate/join.cl). Four columns are 0, 1, n-2 and n-1.

   The 16 numbers left have places 0 to 15, from the smallest on. A number has one partner for a
   sum, so at most 8 of their 120 pairs have the same sum. */
#define COMBGPU__ESTIMATE_PICKS 16 /* arrangements that are counted, at most */
#define COMBGPU__ESTIMATE_JOINTS 512
#define COMBGPU__ESTIMATE_ITEMS 64 /* of a queue: less than 32, and 32 more; two words each */
/* Word 0 or 1 of the items of queue i. */
#define COMBGPU__ESTIMATE_QUEUE(i, word)                                                           \
    (COMBGPU__ESTIMATE_JOINTS + COMBGPU__ESTIMATE_ITEMS * (2 * (i) + (word)))
#define COMBGPU__ESTIMATE_GROUP_BLOCKS 4 /* on a multiprocessor */
#ifdef COMBGPU__PACKED
#define COMBGPU__ESTIMATE_GROUPS 4 /* in a block */
#else
#define COMBGPU__ESTIMATE_GROUPS 1
#endif

/* What a lane has drawn, a word each. */
enum {
    COMBGPU__DRAWN_NUMBERS = 0,     /* those left, a byte each, from the smallest on */
    COMBGPU__DRAWN_KEPT = 4,        /* of rows 2 and n-3 in the four columns, a byte each */
    COMBGPU__DRAWN_ROWS = 6,        /* what rows 0, n-1 and 1 need */
    COMBGPU__DRAWN_BASES = 9,       /* what the four columns need, rows 2 and n-3 included */
    COMBGPU__DRAWN_DIFFERENCE = 13, /* of the sums that columns 2 and n-3 need */
    COMBGPU__DRAWN_RANDOM = 14,
    COMBGPU__DRAWN_WORDS = 15
};

/* A group's local memory. */
typedef struct combgpu_estimate_bench_t {
    uint32_t drawn[32 * COMBGPU__DRAWN_WORDS];
    uint32_t ways[32 * COMBGPU__ESTIMATE_PICKS]; /* of a sample's arrangement: 32 * pick + sample */
    uint32_t chances[32 * COMBGPU__ESTIMATE_PICKS]; /* its likelihood */
    /* of the sample at hand */
    uint32_t number[16]; /* by place */
    uint32_t sums[256];  /* by sum: where its pairs begin | their number << 8 */
    uint32_t pair[120];  /* its places, a bit each | the smaller number << 16 | the greater << 24 */
    uint32_t fits[64];   /* pairs for a column: 16 * column + 4 * place in row 2 + in row n-3 */
    uint32_t likely[144]; /* of the numbers in columns 1 and n-2: 4 * (6 * set + set) + order */
    uint32_t before[18];  /* sum of those before the eighth, sixteenth ... */
    uint32_t pick[COMBGPU__ESTIMATE_PICKS]; /* which are counted */
    /* of some of its arrangements */
    uint32_t begin[9]; /* of their joints */
    /* joints, then the queues; while numbers are drawn, what their lines need: SLOTS * 32 words */
    uint32_t joint[COMBGPU__ESTIMATE_JOINTS + 6 * COMBGPU__ESTIMATE_ITEMS];
} combgpu_estimate_bench_t;

/* Of four places, the 6 sets of two: the lower, the higher place of set s; 5 - s is the rest. */
#define COMBGPU__ESTIMATE_LOW(s) ((0x211000u >> (4 * (s))) & 15)
#define COMBGPU__ESTIMATE_HIGH(s) ((0x332321u >> (4 * (s))) & 15)

/* Returns 4 * place in row 2 + place in row n-3 for the first or second of two columns that take
   these sets. */
COMBGPU__DEVICE uint32_t combgpu_estimate_place(uint32_t upper, uint32_t lower, uint32_t order,
                                                uint32_t second)
{
    uint32_t row2 =
        (order & 1) != second ? COMBGPU__ESTIMATE_HIGH(upper) : COMBGPU__ESTIMATE_LOW(upper);
    uint32_t row3 =
        (order >> 1) != second ? COMBGPU__ESTIMATE_HIGH(lower) : COMBGPU__ESTIMATE_LOW(lower);
    return 4 * row2 + row3;
}

/* Returns a word of sample `from`. */
COMBGPU__DEVICE uint32_t combgpu_estimate_drawn(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                uint32_t word, uint32_t from)
{
    return t->drawn[32 * word + from];
}

/* Returns what a column needs when it takes the numbers at this place; above 255 = impossible. */
COMBGPU__DEVICE uint32_t combgpu_estimate_need(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                               uint32_t from, uint32_t column, uint32_t place)
{
    return combgpu_estimate_drawn(t, COMBGPU__DRAWN_BASES + column, from) -
           ((combgpu_estimate_drawn(t, COMBGPU__DRAWN_KEPT, from) >> (8 * (place >> 2))) & 255) -
           ((combgpu_estimate_drawn(t, COMBGPU__DRAWN_KEPT + 1, from) >> (8 * (place & 3))) & 255);
}

/* Returns where the pairs with a sum begin | their number << 8. */
COMBGPU__DEVICE uint32_t combgpu_estimate_pairs(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                uint32_t sum)
{
    return sum < 256 ? t->sums[sum] : 0;
}

/* Saves what the lane has drawn. */
COMBGPU__DEVICE void combgpu_estimate_note(COMBGPU__GROUP_PARAMETER,
                                           COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                           const combgpu_estimate_draw_t *draw, uint32_t n,
                                           uint32_t random, uint32_t wide)
{
    COMBGPU__LOCAL uint32_t *to = t->drawn + COMBGPU__GROUP_LANE;
    combgpu_estimate_set_t left = draw->unused;
    uint32_t word, i;
    for (word = COMBGPU__DRAWN_NUMBERS; word < COMBGPU__DRAWN_NUMBERS + 4; word++) {
        uint32_t numbers = 0;
        for (i = 0; i < 32; i += 8)
            numbers |= combgpu_estimate_next(&left, wide) << i;
        to[32 * word] = numbers;
    }
    to[32 * COMBGPU__DRAWN_KEPT] = (uint32_t)draw->kept;
    to[32 * (COMBGPU__DRAWN_KEPT + 1)] = (uint32_t)(draw->kept >> 32);
    to[32 * COMBGPU__DRAWN_ROWS] = (uint32_t)draw->need[0];
    to[32 * (COMBGPU__DRAWN_ROWS + 1)] = (uint32_t)draw->need[32 * (n - 1)];
    to[32 * (COMBGPU__DRAWN_ROWS + 2)] = (uint32_t)draw->need[32];
    for (i = 0; i < 4; i++)
        to[32 * (COMBGPU__DRAWN_BASES + i)] =
            (uint32_t)draw->need[32 * (i < 2 ? n + i : 2 * n - 4 + i)] +
            ((uint32_t)(draw->kept >> (8 * i)) & 255) +
            ((uint32_t)(draw->kept >> (32 + 8 * i)) & 255);
    to[32 * COMBGPU__DRAWN_DIFFERENCE] =
        (uint32_t)(draw->need[32 * (n + 2)] - draw->need[32 * (2 * n - 3)]);
    to[32 * COMBGPU__DRAWN_RANDOM] = random;
}

/* Returns the sum of x in this lane and those before it. */
COMBGPU__DEVICE uint32_t combgpu_estimate_up_to(COMBGPU__GROUP_PARAMETER, uint32_t x)
{
    uint32_t step;
    for (step = 1; step < 32; step *= 2) {
        uint32_t y = COMBGPU__GROUP_FROM(x, (COMBGPU__GROUP_LANE - step) & 31);
        if (COMBGPU__GROUP_LANE >= step) x += y;
    }
    return x;
}

/* Makes the tables of a sample's pairs. */
COMBGPU__DEVICE void combgpu_estimate_make_pairs(COMBGPU__GROUP_PARAMETER,
                                                 COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                                 uint32_t from)
{
    /* each place with the 7 that follow in a circle, and the first 8 with those opposite */
    const uint32_t lane = COMBGPU__GROUP_LANE, one = lane & 15, near = 1 + (lane >> 4),
                   far = 8 + (lane >> 3 == 2);
    uint32_t i, own, begin, ranks = 0;
    for (i = lane; i < 256; i += 32)
        t->sums[i] = 0;
    if (lane < 16)
        t->number[lane] = (combgpu_estimate_drawn(t, COMBGPU__DRAWN_NUMBERS + (lane >> 2), from) >>
                           (8 * (lane & 3))) &
                          255;
    COMBGPU__WARP_BARRIER();
    own = t->number[one];
    for (i = near; i < far; i += 2)
        ranks |= COMBGPU__LOCAL_ATOMIC_ADD(&t->sums[own + t->number[(one + i) & 15]], 1)
                 << (4 * (i >> 1));
    COMBGPU__WARP_BARRIER();
    for (i = lane, begin = 0; i < 256; i += 32)
        begin += t->sums[i];
    begin = combgpu_estimate_up_to(COMBGPU__GROUP, begin) - begin;
    for (i = lane; i < 256; i += 32) {
        uint32_t count = t->sums[i];
        t->sums[i] = begin | count << 8;
        begin += count;
    }
    COMBGPU__WARP_BARRIER();
    for (i = near; i < far; i += 2) {
        uint32_t other = t->number[(one + i) & 15],
                 at = (t->sums[own + other] & 255) + ((ranks >> (4 * (i >> 1))) & 15);
        t->pair[at] = 1u << one | 1u << ((one + i) & 15) | (own < other ? own : other) << 16 |
                      (own < other ? other : own) << 24;
    }
    for (i = lane; i < 64; i += 32)
        t->fits[i] = combgpu_estimate_pairs(t, combgpu_estimate_need(t, from, i >> 4, i & 15)) >> 8;
    COMBGPU__WARP_BARRIER();
}

/* Returns the product of two columns' numbers of pairs, when they take these sets in this order. */
COMBGPU__DEVICE uint32_t combgpu_estimate_product(COMBGPU__LOCAL const uint32_t *a,
                                                  COMBGPU__LOCAL const uint32_t *b, uint32_t upper,
                                                  uint32_t lower, uint32_t order)
{
    return a[combgpu_estimate_place(upper, lower, order, 0)] *
           b[combgpu_estimate_place(upper, lower, order, 1)];
}

/* Fills in the likelihoods. Returns their sum. */
COMBGPU__DEVICE uint32_t combgpu_estimate_likelihoods(COMBGPU__GROUP_PARAMETER,
                                                      COMBGPU__LOCAL combgpu_estimate_bench_t *t)
{
    const uint32_t lane = COMBGPU__GROUP_LANE;
    uint32_t sum = 0, sets, order;
    for (sets = 2 * lane; sets < 2 * lane + 2 && sets < 36; sets++) {
        uint32_t upper = sets / 6, lower = sets % 6, ends = 0;
        for (order = 0; order < 4; order++)
            ends += combgpu_estimate_product(t->fits, t->fits + 48, 5 - upper, 5 - lower, order);
        for (order = 0; order < 4; order++) {
            uint32_t likely =
                ends * combgpu_estimate_product(t->fits + 16, t->fits + 32, upper, lower, order);
            t->likely[4 * sets + order] = likely;
            sum += likely;
        }
    }
    sets = combgpu_estimate_up_to(COMBGPU__GROUP, sum);
    if (lane < 18) t->before[lane] = sets - sum;
    sum = COMBGPU__GROUP_FROM(sets, 31);
    COMBGPU__WARP_BARRIER();
    return sum;
}

/* Chooses the arrangements: pick i of 2^log_picks is where the likelihoods, whose sum is `all`, reach
   the part (i + random) / picks. */
COMBGPU__DEVICE void combgpu_estimate_choose_picks(COMBGPU__GROUP_PARAMETER,
                                                   COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                                   uint32_t from, uint32_t all, uint32_t log_picks)
{
    const uint32_t lane = COMBGPU__GROUP_LANE;
    if (!(lane >> log_picks)) {
        uint64_t part =
            (uint64_t)lane << 32 | combgpu_estimate_drawn(t, COMBGPU__DRAWN_RANDOM, from);
        uint32_t at = (uint32_t)((part * all) >> (32 + log_picks)), eight = 0, step, pick;
        for (step = 16; step; step /= 2)
            if (eight + step < 18 && t->before[eight + step] <= at) eight += step;
        at -= t->before[eight];
        for (pick = 8 * eight; pick < 143 && at >= t->likely[pick]; pick++)
            at -= t->likely[pick];
        t->pick[lane] = pick;
        t->ways[32 * lane + from] = 0;
        t->chances[32 * lane + from] = t->likely[pick];
    }
    COMBGPU__WARP_BARRIER();
}

/* ------------------------------------------------------------------- src/magic/estimate/join.cl */

/* Estimates from order 6 on: the ways to fill the rest in up to 8 arrangements at a time. Each has
   *joints*, a pair for column 0 and one for column n-1 that have no number in common, in all four
   orders of the sets in these columns. The rest is filled in stages with a queue between them, so
   that few lanes idle:

   tops:   a pair for column 1, one for column n-2, and which number of each is in row 0;
   firsts: a top with a pair for the middle of row 0 and one for the middle of row n-1;
   hits:   a first with a joint that has no number in common: then four numbers are left. */

/* A joint: its places | index in the list of column 0's pair << 16, of column n-1's << 24. If its
   pairs share a number, it has all places and fits nothing. */
#define COMBGPU__ESTIMATE_NO_JOINT 0xffffu

/* Pairs with one sum, combined with those of another: list indices of the next ones, and of their
   begin and end. */
typedef struct combgpu_estimate_both_t {
    uint32_t one, end, other, others, last;
} combgpu_estimate_both_t;

COMBGPU__DEVICE uint32_t combgpu_estimate_more(const combgpu_estimate_both_t *both)
{
    return both->one < both->end;
}

/* Returns all pairs of two sums, which combgpu_estimate_pairs has located. */
COMBGPU__DEVICE combgpu_estimate_both_t combgpu_estimate_both(uint32_t ones, uint32_t others)
{
    combgpu_estimate_both_t both;
    both.one = ones & 255;
    both.end = others >> 8 ? both.one + (ones >> 8) : 0;
    both.other = both.others = others & 255;
    both.last = both.other + (others >> 8);
    return both;
}

/* Takes the next pair of each; more must remain. Returns whether they and `used` are disjoint. */
COMBGPU__DEVICE uint32_t combgpu_estimate_both_next(
    COMBGPU__LOCAL const combgpu_estimate_bench_t *t, combgpu_estimate_both_t *both, uint32_t used,
    uint32_t *one, uint32_t *other)
{
    uint32_t clash;
    *one = t->pair[both->one];
    *other = t->pair[both->other++];
    clash = *one & used & 0xffff;
    if (clash || both->other == both->last) {
        both->other = both->others;
        both->one++;
    }
    return !(clash | (*other & (used | *one) & 0xffff));
}

/* A lane's work. */
typedef struct combgpu_estimate_stages_t {
    uint32_t from; /* the sample */
    /* of arrangement lane / 4: pairs for columns 1 and n-2, the sums; lane % 4 selects the number
       of each in row 0 */
    combgpu_estimate_both_t columns;
    uint32_t left, right;
    /* of a top: pairs for the middle of rows 0 and n-1; the places of the top; the arrangement */
    combgpu_estimate_both_t rows;
    uint32_t used, rows_pick;
    /* of a first: it, its arrangement, its joints to come; of 32 of them from `base` on, those that
       fit */
    uint32_t first, pick, joint, joints, base, fit;
    uint32_t item[2]; /* for a queue */
} combgpu_estimate_stages_t;

/* Lists the joints of arrangements `begin` to `end`, or of the first that fit, and prepares their
   columns. Returns where to go on. */
COMBGPU__DEVICE uint32_t combgpu_estimate_begin_joints(COMBGPU__GROUP_PARAMETER,
                                                       COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                                       combgpu_estimate_stages_t *s, uint32_t begin,
                                                       uint32_t end)
{
    const uint32_t lane = COMBGPU__GROUP_LANE, order = lane & 3;
    uint32_t upper = 0, lower = 0, pick = 0, up_to, own = 0, last, one, other;
    combgpu_estimate_both_t ends = combgpu_estimate_both(0, 0);
    if (begin + lane / 4 < end) {
        pick = t->pick[begin + lane / 4];
        upper = pick / 24, lower = pick / 4 % 6;
        one = combgpu_estimate_place(5 - upper, 5 - lower, order, 0);
        other = combgpu_estimate_place(5 - upper, 5 - lower, order, 1);
        ends = combgpu_estimate_both(
            combgpu_estimate_pairs(t, combgpu_estimate_need(t, s->from, 0, one)),
            combgpu_estimate_pairs(t, combgpu_estimate_need(t, s->from, 3, other)));
        if (combgpu_estimate_more(&ends)) own = (ends.end - ends.one) * (ends.last - ends.others);
    }
    /* at most 8 * 8 in an order, so two arrangements fit */
    up_to = combgpu_estimate_up_to(COMBGPU__GROUP, own);
    last = COMBGPU__POPCOUNT(COMBGPU__GROUP_BALLOT(up_to <= COMBGPU__ESTIMATE_JOINTS)) / 4;
    if (begin + last > end) last = end - begin;
    if (!order) t->begin[lane / 4] = up_to - own;
    if (lane == 31) t->begin[8] = up_to;
    s->columns = combgpu_estimate_both(0, 0);
    if (lane / 4 < last) {
        uint32_t to = up_to - own;
        while (combgpu_estimate_more(&ends)) {
            uint32_t pairs = ends.one << 16 | ends.other << 24;
            t->joint[to++] = combgpu_estimate_both_next(t, &ends, 0, &one, &other)
                                 ? pairs | ((one | other) & 0xffff)
                                 : COMBGPU__ESTIMATE_NO_JOINT;
        }
        s->left =
            combgpu_estimate_need(t, s->from, 1, combgpu_estimate_place(upper, lower, pick & 3, 0));
        s->right =
            combgpu_estimate_need(t, s->from, 2, combgpu_estimate_place(upper, lower, pick & 3, 1));
        s->columns = combgpu_estimate_both(combgpu_estimate_pairs(t, s->left),
                                           combgpu_estimate_pairs(t, s->right));
    }
    COMBGPU__WARP_BARRIER();
    if (lane / 4 < last && t->begin[lane / 4] == t->begin[lane / 4 + 1])
        s->columns = combgpu_estimate_both(0, 0);
    return begin + last;
}

/* Takes pairs for columns 1 and n-2 until rows 0 and n-1 may have pairs too. Returns whether they
   do: item is a top, its places | the sums of these pairs << 16, << 24, and the arrangement. */
COMBGPU__DEVICE uint32_t combgpu_estimate_next_top(COMBGPU__GROUP_PARAMETER,
                                                   COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                   combgpu_estimate_stages_t *s)
{
    while (combgpu_estimate_more(&s->columns)) {
        uint32_t one, other, x, y, top, bottom;
        if (!combgpu_estimate_both_next(t, &s->columns, 0, &one, &other)) continue;
        x = (one >> (COMBGPU__GROUP_LANE & 1 ? 24 : 16)) & 255;
        y = (other >> (COMBGPU__GROUP_LANE & 2 ? 24 : 16)) & 255;
        top = combgpu_estimate_drawn(t, COMBGPU__DRAWN_ROWS, s->from) - x - y;
        bottom = combgpu_estimate_drawn(t, COMBGPU__DRAWN_ROWS + 1, s->from) - (s->left - x) -
                 (s->right - y);
        if (!(combgpu_estimate_pairs(t, top) >> 8) || !(combgpu_estimate_pairs(t, bottom) >> 8))
            continue;
        s->item[0] = ((one | other) & 0xffff) | top << 16 | bottom << 24;
        s->item[1] = COMBGPU__GROUP_LANE / 4;
        return 1;
    }
    return 0;
}

/* Begins a top. */
COMBGPU__DEVICE void combgpu_estimate_take_top(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                               combgpu_estimate_stages_t *s, uint32_t at)
{
    uint32_t top = t->joint[COMBGPU__ESTIMATE_QUEUE(0, 0) + at];
    s->used = top & 0xffff;
    s->rows = combgpu_estimate_both(t->sums[(top >> 16) & 255], t->sums[top >> 24]);
    s->rows_pick = t->joint[COMBGPU__ESTIMATE_QUEUE(0, 1) + at];
}

/* Takes pairs for the middles of rows 0 and n-1 until they fit the top. Returns whether they do:
   item is a first, its places | sum of the differences of the pairs << 16 | difference of these <<
   24, and the arrangement. */
COMBGPU__DEVICE uint32_t combgpu_estimate_next_first(
    COMBGPU__LOCAL const combgpu_estimate_bench_t *t, combgpu_estimate_stages_t *s)
{
    while (combgpu_estimate_more(&s->rows)) {
        uint32_t one, other, a, b;
        if (!combgpu_estimate_both_next(t, &s->rows, s->used, &one, &other)) continue;
        a = (one >> 24) - ((one >> 16) & 255);
        b = (other >> 24) - ((other >> 16) & 255);
        s->item[0] =
            s->used | ((one | other) & 0xffff) | (a + b) << 16 | (a > b ? a - b : b - a) << 24;
        s->item[1] = s->rows_pick;
        return 1;
    }
    return 0;
}

/* Begins a first. */
COMBGPU__DEVICE void combgpu_estimate_take_first(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                 combgpu_estimate_stages_t *s, uint32_t at)
{
    s->first = t->joint[COMBGPU__ESTIMATE_QUEUE(1, 0) + at];
    s->pick = t->joint[COMBGPU__ESTIMATE_QUEUE(1, 1) + at];
    s->joint = t->begin[s->pick];
    s->joints = t->begin[s->pick + 1];
}

/* Finds the next joint that fits the first. Returns whether one exists: item is a hit, the first,
   and the joint's place in the list | the arrangement << 16. */
COMBGPU__DEVICE uint32_t combgpu_estimate_next_hit(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                   combgpu_estimate_stages_t *s)
{
    uint32_t bit;
    if (!s->fit && s->joint < s->joints) {
        s->base = s->joint;
        for (bit = 1; bit && s->joint < s->joints; bit <<= 1, s->joint++)
            if (!(t->joint[s->joint] & s->first & 0xffff)) s->fit |= bit;
    }
    if (!s->fit) return 0;
    s->item[0] = s->first;
    s->item[1] = (s->base + COMBGPU__CTZ(s->fit)) | s->pick << 16;
    s->fit &= s->fit - 1;
    return 1;
}

/* Returns the number of signs for which need +- c +- d +- a +- b is 0, where sum is a + b, above 0,
   and difference |a - b|. */
COMBGPU__DEVICE uint32_t combgpu_estimate_swaps(int32_t need, int32_t c, int32_t d, int32_t sum,
                                                int32_t difference)
{
    uint32_t ways = 0, i;
    for (i = 0; i < 4; i++) {
        int32_t e = need + (i & 1 ? c : -c) + (i & 2 ? d : -d);
        if (e < 0) e = -e;
        ways += (e == sum) + ((e == difference) << (difference == 0));
    }
    return ways;
}

/* Counts the ways in which row 1 takes one of the pairs (a, b) and (c, d), a < b, c < d, in its middle,
   and row n-2 the other, when row 1 needs one of these sums for it. */
COMBGPU__DEVICE uint32_t combgpu_estimate_pairing(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                                  uint4 sums, int32_t need, uint32_t first)
{
    const uint32_t one = a + b, other = c + d;
    const uint32_t fits = (sums.x == one) + (sums.y == one) + (sums.z == one) + (sums.w == one) +
                          (sums.x == other) + (sums.y == other) + (sums.z == other) +
                          (sums.w == other);
    if (!fits) return 0;
    return fits * combgpu_estimate_swaps(need, (int32_t)(b - a), (int32_t)(d - c),
                                         (int32_t)((first >> 16) & 255), (int32_t)(first >> 24));
}

/* Counts the ways to fill rows 1 and n-2 in a hit. */
COMBGPU__DEVICE void combgpu_estimate_take_hit(COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                               const combgpu_estimate_stages_t *s, uint32_t begin,
                                               uint32_t at)
{
    const uint32_t first = t->joint[COMBGPU__ESTIMATE_QUEUE(2, 0) + at],
                   hit = t->joint[COMBGPU__ESTIMATE_QUEUE(2, 1) + at],
                   joint = t->joint[hit & 0xffff], left = 0xffff & ~(first | joint);
    const uint32_t left_pair = t->pair[(joint >> 16) & 255], right_pair = t->pair[joint >> 24],
                   low = (left_pair >> 16) & 255, high = left_pair >> 24;
    /* the four numbers left */
    const uint32_t three = left & (left - 1), two = three & (three - 1),
                   a = t->number[COMBGPU__CTZ(left)], b = t->number[COMBGPU__CTZ(three)],
                   c = t->number[COMBGPU__CTZ(two)], d = t->number[31 - COMBGPU__CLZ(left)];
    const int32_t need = (int32_t)combgpu_estimate_drawn(t, COMBGPU__DRAWN_DIFFERENCE, s->from);
    uint4 sums; /* that row 1 may need for its middle */
    uint32_t ways;
    sums.x =
        combgpu_estimate_drawn(t, COMBGPU__DRAWN_ROWS + 2, s->from) - ((right_pair >> 16) & 255);
    sums.z = combgpu_estimate_drawn(t, COMBGPU__DRAWN_ROWS + 2, s->from) - (right_pair >> 24);
    sums.y = sums.x - high;
    sums.x -= low;
    sums.w = sums.z - high;
    sums.z -= low;
    ways = combgpu_estimate_pairing(a, b, c, d, sums, need, first) +
           combgpu_estimate_pairing(a, c, b, d, sums, need, first) +
           combgpu_estimate_pairing(a, d, b, c, sums, need, first);
    if (ways) COMBGPU__LOCAL_ATOMIC_ADD(&t->ways[32 * (begin + (hit >> 16)) + s->from], ways);
}

/* Counts the ways of the arrangements from `begin` on for which combgpu_estimate_begin_joints has
   prepared the joints. Queues grow by at most 32 items, and only when they have less than 32. */
COMBGPU__DEVICE void combgpu_estimate_join(COMBGPU__GROUP_PARAMETER,
                                           COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                           combgpu_estimate_stages_t *s, uint32_t begin)
{
    const uint32_t lane = COMBGPU__GROUP_LANE;
    uint32_t tops = 0, firsts = 0, hits = 0, columns, rows = 0, joints = 0, goes_on;
    columns = COMBGPU__GROUP_ANY(combgpu_estimate_more(&s->columns));
    s->rows = combgpu_estimate_both(0, 0);
    s->joint = s->joints = s->fit = 0;
    do {
        uint32_t more = columns | tops | rows, found = 0, queue, take, lanes, working;
        if (hits >= 32 || (hits && !(more | firsts | joints))) {
            take = hits < 32 ? hits : 32;
            hits -= take;
            if (lane < take) combgpu_estimate_take_hit(t, s, begin, hits + lane);
            queue = 3;
            working = 0;
        } else if (joints || firsts >= 32 || (firsts && !more)) {
            if (!joints) {
                take = firsts < 32 ? firsts : 32;
                firsts -= take;
                if (lane < take) combgpu_estimate_take_first(t, s, firsts + lane);
            }
            found = combgpu_estimate_next_hit(t, s);
            working = s->fit | (s->joint < s->joints);
            queue = 2;
        } else if (rows || tops >= 32 || (tops && !columns)) {
            if (!rows) {
                take = tops < 32 ? tops : 32;
                tops -= take;
                if (lane < take) combgpu_estimate_take_top(t, s, tops + lane);
            }
            found = combgpu_estimate_next_first(t, s);
            working = combgpu_estimate_more(&s->rows);
            queue = 1;
        } else {
            found = combgpu_estimate_next_top(COMBGPU__GROUP, t, s);
            working = combgpu_estimate_more(&s->columns);
            queue = 0;
        }
        lanes = COMBGPU__GROUP_BALLOT(found);
        working = COMBGPU__GROUP_ANY(working);
        if (found) {
            COMBGPU__LOCAL uint32_t *to = t->joint + COMBGPU__ESTIMATE_QUEUE(queue, 0) +
                                          (queue == 0   ? tops
                                           : queue == 1 ? firsts
                                                        : hits) +
                                          COMBGPU__POPCOUNT(lanes & ((1u << lane) - 1));
            to[0] = s->item[0];
            to[COMBGPU__ESTIMATE_ITEMS] = s->item[1];
        }
        lanes = COMBGPU__POPCOUNT(lanes);
        if (queue == 0) columns = working, tops += lanes;
        if (queue == 1) rows = working, firsts += lanes;
        if (queue == 2) joints = working, hits += lanes;
        goes_on = columns | tops | rows | firsts | joints | hits;
        COMBGPU__WARP_BARRIER();
    } while (goes_on);
}

/* Counts the ways of all arrangements picked for sample `from`. Returns the sum of the likelihoods;
   0 = no way exists. */
COMBGPU__DEVICE uint32_t combgpu_estimate_arrange(COMBGPU__GROUP_PARAMETER,
                                                  COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                                  uint32_t from, uint32_t log_picks)
{
    combgpu_estimate_stages_t s;
    uint32_t all, begin = 0, next, end;
    combgpu_estimate_make_pairs(COMBGPU__GROUP, t, from);
    all = combgpu_estimate_likelihoods(COMBGPU__GROUP, t);
    combgpu_estimate_choose_picks(COMBGPU__GROUP, t, from, all, log_picks);
    s.from = from;
    for (end = all ? 1u << log_picks : 0; begin < end; begin = next) {
        next = combgpu_estimate_begin_joints(COMBGPU__GROUP, t, &s, begin, end);
        combgpu_estimate_join(COMBGPU__GROUP, t, &s, begin);
    }
    return all;
}

/* ---------------------------------------------------------------- src/magic/estimate/samples.cl */

/* Estimates of magic squares: the samples and the kernels. */

/* Draws sample `index`, with draw->need set. Returns 0 if no pair completes a line; else *random is
   the next random number. */
COMBGPU__DEVICE uint32_t combgpu_estimate_draw(COMBGPU__GLOBAL const uint32_t *tables,
                                               uint64_t index, combgpu_estimate_draw_t *draw,
                                               uint64_t *random, uint32_t wide)
{
    uint64_t seed = combgpu_load64(tables + COMBGPU__ESTIMATE_AT_SEED);
    uint64_t key = combgpu_mix(seed + combgpu_mix(index));
    uint32_t n = tables[COMBGPU__ESTIMATE_AT_ORDER], numbers = tables[COMBGPU__ESTIMATE_AT_NUMBERS],
             lines = tables[COMBGPU__ESTIMATE_AT_LINES], words = COMBGPU__ESTIMATE_AT_PLAN,
             draws = 0, line, i;
    draw->total = (int32_t)(numbers * (numbers + 1) / 2);
    draw->unused.lo = numbers < 64 ? ((uint64_t)2 << (numbers & 63)) - 2 : ~(uint64_t)1;
    draw->unused.hi = numbers < 64 ? 0 : ((uint64_t)2 << (numbers & 63)) - 1;
    draw->mirror = draw->unused;
    draw->kept = 0;
    draw->chosen.mantissa = draw->choices.mantissa = 1;
    draw->chosen.exponent = draw->choices.exponent = 0;
    for (i = 0; i < 2 * n + 3; i++)
        draw->need[32 * i] = (int32_t)tables[COMBGPU__ESTIMATE_AT_SUM];
    for (line = 0; line < lines; line++)
        if (!combgpu_estimate_line(draw, tables, &words, key, &draws, wide)) return 0;
    *random = combgpu_estimate_random(key, draws + 1);
    return 1;
}

COMBGPU__DEVICE int32_t combgpu_estimate_scale(COMBGPU__GLOBAL const uint32_t *tables)
{
    return (int32_t)tables[COMBGPU__ESTIMATE_AT_SCALE] - 65536;
}

/* The totals of a lane's samples. */
typedef struct combgpu_estimate_totals_t {
    uint64_t added[COMBGPU__ESTIMATE_TOTALS - 1];
    uint32_t steps;
} combgpu_estimate_totals_t;

COMBGPU__DEVICE void combgpu_estimate_begin_totals(combgpu_estimate_totals_t *totals)
{
    uint32_t i;
    totals->steps = 0;
    for (i = 0; i < COMBGPU__ESTIMATE_TOTALS - 1; i++)
        totals->added[i] = 0;
}

COMBGPU__DEVICE void combgpu_estimate_add_sample(combgpu_estimate_totals_t *totals, uint64_t index,
                                                 uint64_t value)
{
    uint64_t low = (uint32_t)value, high = value >> 32, middle = 2 * low * high, square, part;
    totals->steps++;
    totals->added[COMBGPU__ESTIMATE_HASH - 1] += combgpu_mix(combgpu_mix(index) ^ value);
    if (value >> 60) totals->added[COMBGPU__ESTIMATE_TOO_LARGE - 1]++;
    if (!value || value >> 60) return;
    totals->added[0] += low;
    totals->added[1] += high;
    totals->added[2] += (uint32_t)(low * low);
    totals->added[3] += ((low * low) >> 32) + (uint32_t)middle;
    totals->added[4] += (middle >> 32) + (uint32_t)(high * high);
    totals->added[5] += (high * high) >> 32;
    value = value >> 42 ? (1u << 30) - 1 : value >> 12;
    square = value * value;
    low = (uint32_t)square, high = square >> 32, middle = 2 * low * high;
    part = ((low * value) >> 32) + high * value;
    totals->added[COMBGPU__ESTIMATE_CUBES - 1] += (uint32_t)(low * value);
    totals->added[COMBGPU__ESTIMATE_CUBES] += (uint32_t)part;
    totals->added[COMBGPU__ESTIMATE_CUBES + 1] += part >> 32;
    totals->added[COMBGPU__ESTIMATE_FOURTHS - 1] += (uint32_t)(low * low);
    totals->added[COMBGPU__ESTIMATE_FOURTHS] += ((low * low) >> 32) + (uint32_t)middle;
    totals->added[COMBGPU__ESTIMATE_FOURTHS + 1] += (middle >> 32) + (uint32_t)(high * high);
    totals->added[COMBGPU__ESTIMATE_FOURTHS + 2] += (high * high) >> 32;
}

COMBGPU__DEVICE void combgpu_estimate_end_totals(COMBGPU__GLOBAL combgpu__slice *slice,
                                                 const combgpu_estimate_totals_t *totals)
{
    uint32_t i;
    combgpu_add_total(slice, 0, totals->steps);
    for (i = 0; i < COMBGPU__ESTIMATE_TOTALS - 1; i++)
        combgpu_add_total(slice, 1 + i, totals->added[i]);
}

/* Orders 4 and 5: one lane is a worker. A sample is a step. */
COMBGPU__KERNEL combgpu_magic_samples(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY int32_t needs[128 * COMBGPU__MAGIC_SLOTS];
    const uint32_t n = tables[COMBGPU__ESTIMATE_AT_ORDER], lane = COMBGPU__LANE_ID;
    combgpu_estimate_totals_t totals;
    uint64_t index = 0, end = 0, random;
    (void)records, (void)work;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    combgpu_estimate_begin_totals(&totals);
    while (combgpu_in_range(slice, tasks, left, &index, &end, totals.steps)) {
        combgpu_estimate_draw_t draw;
        uint64_t value = 0;
        draw.need = needs + 32 * COMBGPU__MAGIC_SLOTS * (lane / 32) + lane % 32;
        if (combgpu_estimate_draw(tables, index, &draw, &random, 0))
            value =
                combgpu_estimate_weigh(&draw.chosen, &draw.choices, combgpu_estimate_rest(&draw, n),
                                       combgpu_estimate_scale(tables));
        combgpu_estimate_add_sample(&totals, index++, value);
    }
    combgpu_estimate_end_totals(slice, &totals);
}

/* Returns a lane's sample: the summed weights of its arrangements, whose likelihoods add up to
   `all`. */
COMBGPU__DEVICE uint64_t combgpu_estimate_weigh_picks(
    COMBGPU__LOCAL const combgpu_estimate_bench_t *t, uint32_t lane,
    const combgpu_estimate_product_t *drawn, const combgpu_estimate_product_t *drawn_from,
    uint32_t all, uint32_t picks, int32_t scale)
{
    combgpu_estimate_product_t choices = *drawn_from;
    uint64_t sum = 0;
    uint32_t pick;
    if (all) combgpu_estimate_multiply(&choices, all);
    for (pick = 0; pick < picks && all; pick++) {
        combgpu_estimate_product_t chosen = *drawn;
        uint32_t ways = t->ways[32 * pick + lane];
        if (!ways) continue;
        combgpu_estimate_multiply(&chosen, 576 * t->chances[32 * pick + lane]);
        sum = combgpu_estimate_add(sum, combgpu_estimate_weigh(&chosen, &choices, ways, scale));
    }
    return sum;
}

/* Order 6 and above: takes the next samples of the worker's range, or of its next one; up to 32, one
   for each lane, the first of which is *index. Returns how many; 0 = the slice is over. */
COMBGPU__DEVICE uint32_t combgpu_estimate_take(COMBGPU__GROUP_PARAMETER,
                                               COMBGPU__GLOBAL combgpu__slice *slice,
                                               COMBGPU__GLOBAL const uint32_t *tasks,
                                               COMBGPU__GLOBAL uint32_t *left, uint64_t *index,
                                               uint64_t *next, uint64_t *end, uint32_t steps)
{
    uint32_t count = 0;
    if (COMBGPU__GROUP_LANE == 0 && COMBGPU__GROUP_INDEX < slice->workers &&
        combgpu_in_range(slice, tasks, left, next, end, steps)) {
        count = *end - *next < 32 ? (uint32_t)(*end - *next) : 32;
        *index = *next;
        *next += count;
    }
    *index = COMBGPU__GROUP_FROM((uint32_t)*index, 0) |
             (uint64_t)COMBGPU__GROUP_FROM((uint32_t)(*index >> 32), 0) << 32;
    return COMBGPU__GROUP_FROM(count, 0);
}

COMBGPU__DEVICE void combgpu_estimate_arranged(COMBGPU__GROUP_PARAMETER,
                                               COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                               COMBGPU__GLOBAL combgpu__slice *slice,
                                               COMBGPU__GLOBAL const uint32_t *tables,
                                               COMBGPU__GLOBAL const uint32_t *tasks,
                                               COMBGPU__GLOBAL uint32_t *left, uint32_t wide)
{
    const uint32_t lane = COMBGPU__GROUP_LANE, log_picks = tables[COMBGPU__ESTIMATE_AT_PICKS];
    combgpu_estimate_totals_t totals;
    uint64_t next = 0, end = 0, index = 0;
    uint32_t steps = 0, count;
    combgpu_estimate_begin_totals(&totals);
    while ((count = combgpu_estimate_take(COMBGPU__GROUP, slice, tasks, left, &index, &next, &end,
                                          steps)) != 0) {
        combgpu_estimate_product_t chosen, choices;
        /* own: NONE without a sample. A second condition `lane < count`, behind barriers, is wrong
           in all lanes with PoCL's methods "loops" and "cbs" */
        uint32_t drawn = 0, waiting, own = COMBGPU__NONE;
        if (lane < count) {
            combgpu_estimate_draw_t draw;
            uint64_t random;
            draw.need = (COMBGPU__LOCAL int32_t *)t->joint + lane;
            drawn = combgpu_estimate_draw(tables, index + lane, &draw, &random, wide);
            if (drawn)
                combgpu_estimate_note(COMBGPU__GROUP, t, &draw, tables[COMBGPU__ESTIMATE_AT_ORDER],
                                      (uint32_t)(random >> 32), wide);
            chosen = draw.chosen;
            choices = draw.choices;
            own = 0;
        }
        waiting = COMBGPU__GROUP_BALLOT(drawn);
        COMBGPU__WARP_BARRIER();
        while (waiting) {
            uint32_t from = COMBGPU__CTZ(waiting),
                     all = combgpu_estimate_arrange(COMBGPU__GROUP, t, from, log_picks);
            if (lane == from) own = all;
            waiting &= waiting - 1;
            COMBGPU__WARP_BARRIER();
        }
        if (own != COMBGPU__NONE)
            combgpu_estimate_add_sample(
                &totals, index + lane,
                combgpu_estimate_weigh_picks(t, lane, &chosen, &choices, own, 1u << log_picks,
                                             combgpu_estimate_scale(tables)));
        steps += count;
        COMBGPU__WARP_BARRIER();
    }
    combgpu_estimate_end_totals(slice, &totals);
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__ESTIMATE_GROUPS, COMBGPU__ESTIMATE_GROUP_BLOCKS)
combgpu_magic_arranged(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_estimate_bench_t benches[COMBGPU__ESTIMATE_GROUPS];
    COMBGPU__GROUP_BEGIN(32);
    (void)records, (void)work;
    combgpu_estimate_arranged(COMBGPU__GROUP,
                              &benches[COMBGPU__LANE_ID / 32 % COMBGPU__ESTIMATE_GROUPS], slice,
                              tables, tasks, left, 0);
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__ESTIMATE_GROUPS, COMBGPU__ESTIMATE_GROUP_BLOCKS)
combgpu_magic_arranged_wide(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_estimate_bench_t benches[COMBGPU__ESTIMATE_GROUPS];
    COMBGPU__GROUP_BEGIN(32);
    (void)records, (void)work;
    combgpu_estimate_arranged(COMBGPU__GROUP,
                              &benches[COMBGPU__LANE_ID / 32 % COMBGPU__ESTIMATE_GROUPS], slice,
                              tables, tasks, left, 1);
}

/* ---------------------------------------------------------------------- src/magic/six/tables.cl */

/* Order 6 with both diagonals given: the tables of the three-set join (six/tables.c), in an area of
   the work memory. Splittings have no stored keys: these follow from the spreads. Sets without
   splittings stay in the list as COMBGPU__NONE. */

/* Local memory, offsets in words. SIX_OPEN: the free numbers, then what rows, columns, column pairs
   (their spreads), block 1 (its shift) and row pairs have. SIX_AREA, used in turns: 9 * 512 words for
   sets, then SIX_MAKER_WORDS and at last SIX_TEAM_WORDS for each team. */
#define COMBGPU__SIX_COUNTERS 0
#define COMBGPU__SIX_OPEN 16
#define COMBGPU__SIX_SUMS 64   /* of 6 of the numbers, 4 times 64 */
#define COMBGPU__SIX_FOURS 320 /* the 70 ways to choose 4 of 8 */
#define COMBGPU__SIX_SCAN 392
#define COMBGPU__SIX_AREA 648
#define COMBGPU__SIX_LOCAL (COMBGPU__SIX_AREA + 8512) /* 8 * SIX_TEAM_WORDS of a warp, the most */
/* from SIX_OPEN on */
enum {
    COMBGPU__SIX_ROW = 24,
    COMBGPU__SIX_COLUMN = 30,
    COMBGPU__SIX_SPREAD = 36,
    COMBGPU__SIX_SHIFT = 39,
    COMBGPU__SIX_SUM = 42
};

/* ---- what is open, by one lane */

COMBGPU__DEVICE void combgpu_six_swap(COMBGPU__LOCAL int32_t *a, COMBGPU__LOCAL int32_t *b)
{
    int32_t c = *a;
    *a = *b;
    *b = c;
}

/* The squared differences of opposite lines, summed. */
COMBGPU__DEVICE int32_t combgpu_six_apart(COMBGPU__LOCAL const int32_t *lines)
{
    int32_t i, sum = 0;
    for (i = 0; i < 3; i++)
        sum += (lines[i] - lines[5 - i]) * (lines[i] - lines[5 - i]);
    return sum;
}

/* As combgpu__six_open. */
COMBGPU__DEVICE void combgpu_six_open(COMBGPU__LOCAL int32_t *open,
                                      COMBGPU__GLOBAL const uint32_t *configuration)
{
    COMBGPU__LOCAL int32_t *row = open + COMBGPU__SIX_ROW, *column = open + COMBGPU__SIX_COLUMN;
    uint64_t used = 0;
    int32_t i, k, n, low = 0, high = 999;
    for (i = 0; i < 6; i++)
        row[i] = column[i] = 111;
    for (i = 0; i < 12; i++) {
        /* (0,0) (5,5) (1,1) (4,4) (2,2) (3,3), then (0,5) (5,0) (1,4) (4,1) (2,3) (3,2) */
        const int32_t r = (i & 1) ? 5 - (i % 6) / 2 : (i % 6) / 2, c = i < 6 ? r : 5 - r;
        n = (int32_t)(configuration[i / 5] >> (6 * (i % 5)) & 63);
        used |= (uint64_t)1 << n;
        row[r] -= n;
        column[c] -= n;
    }
    for (n = 0, i = 1; i <= 36; i++)
        if (!(used >> i & 1)) open[n++] = i;
    if (combgpu_six_apart(column) > combgpu_six_apart(row))
        for (i = 0; i < 6; i++)
            combgpu_six_swap(&row[i], &column[i]);
    for (i = 0; i < 2; i++)
        for (k = 0; k < 2 - i; k++)
            if (abs(3 * (row[k] + row[5 - k]) - 444) < abs(3 * (row[k + 1] + row[4 - k]) - 444)) {
                combgpu_six_swap(&row[k], &row[k + 1]);
                combgpu_six_swap(&row[5 - k], &row[4 - k]);
                combgpu_six_swap(&column[k], &column[k + 1]);
                combgpu_six_swap(&column[5 - k], &column[4 - k]);
            }
    for (i = 0; i < 3; i++) {
        open[COMBGPU__SIX_SUM + i] = row[i] + row[5 - i];
        open[COMBGPU__SIX_SPREAD + i] = column[i] - column[5 - i];
    }
    open[COMBGPU__SIX_SHIFT] = 0;
    open[COMBGPU__SIX_SHIFT + 1] = open[COMBGPU__SIX_SUM + 2] - open[COMBGPU__SIX_SUM];
    open[COMBGPU__SIX_SHIFT + 2] = open[COMBGPU__SIX_SUM + 2] - open[COMBGPU__SIX_SUM + 1];
    for (i = 0; i < 3; i++) {
        const int32_t first = 10 - open[COMBGPU__SIX_SHIFT + i], sum = open[COMBGPU__SIX_SUM + i];
        low = max(low, max(first, first + sum - 148));
        high = min(high, min(first + 128, first + sum - 20));
    }
    if (high - low >= COMBGPU__SIX_TOTALS) low++;
    for (i = 0; i < 3; i++)
        open[COMBGPU__SIX_SHIFT + i] += low;
}

/* ---- sets, by all lanes */

/* The sum of the values of the lanes before this one; *all gets the sum of all. */
COMBGPU__DEVICE uint32_t combgpu_six_before(COMBGPU__LOCAL uint32_t *scan, uint32_t value,
                                            uint32_t *all)
{
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t step, other;
    scan[lane] = value;
    for (step = 1; step < COMBGPU__SIX_LANES; step *= 2) {
        COMBGPU__LOCAL_BARRIER();
        other = lane >= step ? scan[lane - step] : 0;
        COMBGPU__LOCAL_BARRIER();
        scan[lane] += other;
    }
    COMBGPU__LOCAL_BARRIER();
    *all = scan[COMBGPU__SIX_LANES - 1];
    other = scan[lane] - value;
    COMBGPU__LOCAL_BARRIER();
    return other;
}

/* The sum of half a set: the lower numbers, or the upper ones. */
COMBGPU__DEVICE uint32_t combgpu_six_half(COMBGPU__LOCAL const uint32_t *scratch, uint32_t chunk,
                                          uint32_t upper)
{
    COMBGPU__LOCAL const uint32_t *sums = scratch + COMBGPU__SIX_SUMS + 128 * upper;
    return sums[chunk & 63] + sums[64 + (chunk >> 6)];
}

/* The sets of a pair with the right sum whose upper halves are this lane's: returns their number;
   or (`write`) puts them into the pair's places from `at` on. */
COMBGPU__DEVICE uint32_t combgpu_six_list(COMBGPU__GLOBAL uint32_t *work,
                                          COMBGPU__GLOBAL const uint32_t *lower,
                                          COMBGPU__LOCAL const uint32_t *scratch, uint32_t pair,
                                          uint32_t write, uint32_t at)
{
    COMBGPU__LOCAL const uint32_t *end = scratch + COMBGPU__SIX_AREA; /* of a kind */
    COMBGPU__GLOBAL uint32_t *sets = work + COMBGPU__SIX_AT_NUMBERS + pair * COMBGPU__SIX_ROOM;
    COMBGPU__GLOBAL uint32_t *bucket = work + COMBGPU__SIX_AT_BUCKET + pair * COMBGPU__SIX_BUCKETS;
    const int32_t sum = (int32_t)scratch[COMBGPU__SIX_OPEN + COMBGPU__SIX_SUM + pair];
    uint32_t upper, i;
    for (upper = 16 * COMBGPU__LANE_ID; upper < 16 * COMBGPU__LANE_ID + 16; upper++) {
        const int32_t rest = sum - (int32_t)combgpu_six_half(scratch, upper, 1);
        const uint32_t ones = COMBGPU__POPCOUNT(upper);
        uint32_t kind, first;
        if (write) bucket[upper] = at;
        if (ones > 8 || rest < 0 || rest > 511) continue;
        kind = 512 * (8 - ones) + (uint32_t)rest;
        first = kind ? end[kind - 1] : 0;
        if (write) bucket[upper] = at | (end[kind] - first) << 16;
        for (i = first; write && i < end[kind]; i++)
            sets[at + i - first] = upper << 12 | lower[i];
        at += end[kind] - first;
    }
    return at;
}

/* Lists all sets with the right sum in the places of the pairs' sets, by their upper halves, and
   their numbers. `lower` is room for 4,096 words. */
COMBGPU__DEVICE void combgpu_six_sets(COMBGPU__GLOBAL uint32_t *work,
                                      COMBGPU__GLOBAL uint32_t *lower,
                                      COMBGPU__LOCAL uint32_t *scratch)
{
    COMBGPU__LOCAL const int32_t *open =
        (COMBGPU__LOCAL const int32_t *)(scratch + COMBGPU__SIX_OPEN);
    COMBGPU__LOCAL uint32_t *end =
        scratch + COMBGPU__SIX_AREA; /* of a kind: [ones][sum], 9 * 512 */
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t chunk, i, at, all, pair, count;
    for (count = 0, i = 0; i < 6; i++)
        if (lane >> i & 1) count += (uint32_t)open[6 * (lane >> 6) + i];
    scratch[COMBGPU__SIX_SUMS + lane] = count;
    for (i = lane; i < 9 * 512; i += COMBGPU__SIX_LANES)
        end[i] = 0;
    COMBGPU__LOCAL_BARRIER();
    for (chunk = lane; chunk < 4096; chunk += COMBGPU__SIX_LANES)
        if (COMBGPU__POPCOUNT(chunk) <= 8)
            COMBGPU__LOCAL_ATOMIC_ADD(
                &end[512 * COMBGPU__POPCOUNT(chunk) + combgpu_six_half(scratch, chunk, 0)], 1);
    COMBGPU__LOCAL_BARRIER();
    for (at = 0, i = 0; i < 18; i++)
        at += end[18 * lane + i];
    at = combgpu_six_before(scratch + COMBGPU__SIX_SCAN, at, &all);
    for (i = 0; i < 18; i++) {
        count = end[18 * lane + i];
        end[18 * lane + i] = at;
        at += count;
    }
    COMBGPU__LOCAL_BARRIER();
    for (chunk = lane; chunk < 4096; chunk += COMBGPU__SIX_LANES)
        if (COMBGPU__POPCOUNT(chunk) <= 8)
            lower[COMBGPU__LOCAL_ATOMIC_ADD(
                &end[512 * COMBGPU__POPCOUNT(chunk) + combgpu_six_half(scratch, chunk, 0)], 1)] =
                chunk;
    COMBGPU__BLOCK_BARRIER();
    for (pair = 0; pair < 3; pair++) {
        count = combgpu_six_list(work, lower, scratch, pair, 0, 0);
        at = combgpu_six_before(scratch + COMBGPU__SIX_SCAN, count, &all);
        combgpu_six_list(work, lower, scratch, pair, 1, at);
        if (lane == 0) work[COMBGPU__SIX_AT_COUNT + pair] = all;
    }
    COMBGPU__BLOCK_BARRIER();
}

/* ---- splittings, by a team of lanes: a warp with shuffles, else the block. A set has 16 lanes;
   the sets of a team are a batch. */

#ifdef COMBGPU_SHUFFLE
#define COMBGPU__SIX_TEAM 32
#define COMBGPU__SIX_TEAM_BARRIER() COMBGPU__WARP_BARRIER()
#else
#define COMBGPU__SIX_TEAM COMBGPU__SIX_LANES
#define COMBGPU__SIX_TEAM_BARRIER() COMBGPU__BLOCK_BARRIER()
#endif
#define COMBGPU__SIX_BATCH (COMBGPU__SIX_TEAM / 16)
/* a team's area in this phase */
#define COMBGPU__SIX_MANY 0                                               /* [set][total] */
#define COMBGPU__SIX_KEY (COMBGPU__SIX_MANY + 128 * COMBGPU__SIX_BATCH)   /* two each */
#define COMBGPU__SIX_MATCH (COMBGPU__SIX_KEY + 256 * COMBGPU__SIX_BATCH)  /* three words each */
#define COMBGPU__SIX_EIGHT (COMBGPU__SIX_MATCH + 24 * COMBGPU__SIX_BATCH) /* numbers of the sets */
#define COMBGPU__SIX_PLACE (COMBGPU__SIX_EIGHT + 8 * COMBGPU__SIX_BATCH)
#define COMBGPU__SIX_BASE (COMBGPU__SIX_PLACE + COMBGPU__SIX_BATCH)       /* segment, splitting */
#define COMBGPU__SIX_PARTIAL (COMBGPU__SIX_BASE + 2 * COMBGPU__SIX_BATCH) /* of a lane */
#define COMBGPU__SIX_MATCHES (COMBGPU__SIX_PARTIAL + COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_TAKEN (COMBGPU__SIX_MATCHES + 1)
#define COMBGPU__SIX_MAKER_WORDS (COMBGPU__SIX_TAKEN + 1)

/* Four ascending numbers, a byte each, put into the blocks in way 0 to 5. */
typedef struct combgpu_six_row_t {
    int32_t sum, apart1, apart2;
} combgpu_six_row_t;

COMBGPU__DEVICE combgpu_six_row_t combgpu_six_halve(uint32_t four, uint32_t way)
{
    const uint32_t a = four >> 8 * (0x211000u >> 4 * way & 15) & 255;
    const uint32_t b = four >> 8 * (0x332321u >> 4 * way & 15) & 255;
    const uint32_t c = four >> 8 * (0x000112u >> 4 * way & 15) & 255;
    const uint32_t d = four >> 8 * (0x123233u >> 4 * way & 15) & 255;
    combgpu_six_row_t row;
    row.sum = (int32_t)(a + b);
    row.apart1 = (int32_t)(b - a);
    row.apart2 = (int32_t)(d - c);
    return row;
}

/* The spreads +-u, +-v as a key; and, for a sum, the key of the spreads that a partner must have.
   `spread` as in the tables: u | v << 8. */
COMBGPU__DEVICE uint32_t combgpu_six_has(uint32_t spread)
{
    return 1u << (spread >> 1 & 31) | 1u << (spread >> 9 & 31);
}

COMBGPU__DEVICE uint32_t combgpu_six_wants(uint32_t spread, int32_t sum)
{
    const int32_t u = (int32_t)(spread & 255), v = (int32_t)(spread >> 8 & 255);
    return 1u << (abs(sum - u) >> 1 & 31) | 1u << (abs(sum + u) >> 1 & 31) |
           1u << (abs(sum - v) >> 1 & 31) | 1u << (abs(sum + v) >> 1 & 31);
}

/* The ways to choose four of eight. */
COMBGPU__DEVICE void combgpu_six_fours(COMBGPU__LOCAL uint32_t *scratch)
{
    uint32_t i, four = 0;
    if (COMBGPU__LANE_ID == 0)
        for (i = 0; i < 256; i++)
            if (COMBGPU__POPCOUNT(i) == 4) scratch[COMBGPU__SIX_FOURS + four++] = i;
}

/* Which four of a set's numbers are in the upper row: all matches of the batch. */
COMBGPU__DEVICE void combgpu_six_match(COMBGPU__LOCAL const uint32_t *scratch,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t sets, uint32_t pair)
{
    COMBGPU__LOCAL const uint32_t *eight = team + COMBGPU__SIX_EIGHT;
    const uint32_t row = scratch[COMBGPU__SIX_OPEN + COMBGPU__SIX_ROW + pair];
    uint32_t task, i;
    for (task = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM; task < 70 * sets; task += COMBGPU__SIX_TEAM) {
        const uint32_t set = task / 70, four = scratch[COMBGPU__SIX_FOURS + task % 70];
        uint32_t sum = 0, upper = 0, lower = 0, at;
        for (i = 0; i < 8; i++)
            if (four >> i & 1) sum += eight[8 * set + i];
        if (sum != row) continue;
        for (i = 8; i--;) { /* the smallest comes into the lowest byte */
            const uint32_t number = eight[8 * set + i];
            if (four >> i & 1)
                upper = upper << 8 | number;
            else
                lower = lower << 8 | number;
        }
        at = COMBGPU__SIX_MATCH + 3 * COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_MATCHES], 1);
        team[at] = set;
        team[at + 1] = upper;
        team[at + 2] = lower;
    }
}

/* All splittings of the matches: counted, or (`fill`) written where their totals' places begin. */
COMBGPU__DEVICE void combgpu_six_split(COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL const uint32_t *scratch,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t pair, uint32_t fill)
{
    COMBGPU__LOCAL const int32_t *open =
        (COMBGPU__LOCAL const int32_t *)(scratch + COMBGPU__SIX_OPEN);
    const uint32_t tasks = 36 * team[COMBGPU__SIX_MATCHES];
    uint32_t task;
    for (task = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM; task < tasks; task += COMBGPU__SIX_TEAM) {
        COMBGPU__LOCAL const uint32_t *match = team + COMBGPU__SIX_MATCH + 3 * (task / 36);
        const combgpu_six_row_t x = combgpu_six_halve(match[1], task % 36 / 6);
        const combgpu_six_row_t y = combgpu_six_halve(match[2], task % 6);
        const int32_t total = x.sum + y.sum - open[COMBGPU__SIX_SHIFT + pair];
        uint32_t at, one, two;
        if (total < 0 || total >= COMBGPU__SIX_TOTALS) continue;
        at = COMBGPU__SIX_TOTALS * match[0] + (uint32_t)total;
        if (!fill) {
            COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_MANY + at], 1);
            continue;
        }
        one = (uint32_t)(x.apart1 + y.apart1) | (uint32_t)abs(x.apart1 - y.apart1) << 8;
        two = (uint32_t)(x.apart2 + y.apart2) | (uint32_t)abs(x.apart2 - y.apart2) << 8;
        work[COMBGPU__SIX_AT_SPLITS + COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_MANY + at], 1)] =
            one | two << 16;
        COMBGPU__LOCAL_ATOMIC_OR(&team[COMBGPU__SIX_KEY + 2 * at],
                                 pair ? combgpu_six_has(one)
                                      : combgpu_six_wants(one, open[COMBGPU__SIX_SPREAD + 1]));
        COMBGPU__LOCAL_ATOMIC_OR(
            &team[COMBGPU__SIX_KEY + 2 * at + 1],
            pair == 2 ? combgpu_six_has(two)
                      : combgpu_six_wants(two, open[COMBGPU__SIX_SPREAD + (pair ? 0 : 2)]));
    }
}

/* Gives a set its place if room remains; `all` has its segments << 16 | splittings. */
COMBGPU__DEVICE void combgpu_six_place(COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t set, uint32_t all)
{
    uint32_t segment = 0, split = 0, fits = all != 0;
    if (all) {
        segment = COMBGPU__ATOMIC_ADD(&work[COMBGPU__SIX_AT_SEGMENTS], all >> 16);
        split = COMBGPU__ATOMIC_ADD(&work[COMBGPU__SIX_AT_SPLITS_MADE], all & 0xffff);
        fits = segment + (all >> 16) <= COMBGPU__SIX_SEGMENT_ROOM &&
               split + (all & 0xffff) <= COMBGPU__SIX_SPLIT_ROOM;
    }
    team[COMBGPU__SIX_PLACE + set] = fits ? 0 : COMBGPU__NONE;
    team[COMBGPU__SIX_BASE + 2 * set] = segment;
    team[COMBGPU__SIX_BASE + 2 * set + 1] = split;
}

/* A batch of sets of a pair. Each lane reads its set's place again behind each barrier: PoCL 3.1
   miscompiles branches with one condition behind different barriers. */
COMBGPU__DEVICE void combgpu_six_batch(COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL const uint32_t *scratch,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t pair, uint32_t first,
                                       uint32_t sets)
{
    const uint32_t lane = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM, set = lane / 16, chunk = lane % 16;
    COMBGPU__GLOBAL uint32_t *numbers = work + COMBGPU__SIX_AT_NUMBERS + pair * COMBGPU__SIX_ROOM;
    COMBGPU__LOCAL uint32_t *many = team + COMBGPU__SIX_MANY + 8 * lane; /* of 8 totals */
    COMBGPU__LOCAL const uint32_t *keys = team + COMBGPU__SIX_KEY + 16 * lane;
    const uint32_t mine = set < sets ? numbers[first + set] : 0;
    uint32_t i, n, occur = 0, part = 0;
    for (i = lane; i < 384 * COMBGPU__SIX_BATCH; i += COMBGPU__SIX_TEAM)
        team[COMBGPU__SIX_MANY + i] = 0;
    if (lane == 0) team[COMBGPU__SIX_MATCHES] = 0;
    if (chunk == 0)
        for (i = n = 0; i < 24; i++)
            if (mine >> i & 1)
                team[COMBGPU__SIX_EIGHT + 8 * set + n++] = scratch[COMBGPU__SIX_OPEN + i];
    COMBGPU__SIX_TEAM_BARRIER();
    combgpu_six_match(scratch, team, sets, pair);
    COMBGPU__SIX_TEAM_BARRIER();
    combgpu_six_split(work, scratch, team, pair, 0);
    COMBGPU__SIX_TEAM_BARRIER();
    for (i = 0; i < 8; i++) {
        occur |= (uint32_t)(many[i] != 0) << i;
        part += many[i];
    }
    part |= COMBGPU__POPCOUNT(occur) << 16;
    team[COMBGPU__SIX_PARTIAL + lane] = part;
    COMBGPU__SIX_TEAM_BARRIER();
    for (n = 0, i = lane - chunk; i < lane; i++)
        n += team[COMBGPU__SIX_PARTIAL + i];
    if (chunk == 15) combgpu_six_place(work, team, set, set < sets ? n + part : 0);
    COMBGPU__SIX_TEAM_BARRIER();
    if (team[COMBGPU__SIX_PLACE + set] != COMBGPU__NONE) {
        uint32_t at = team[COMBGPU__SIX_BASE + 2 * set] + (n >> 16);
        uint32_t split = team[COMBGPU__SIX_BASE + 2 * set + 1] + (n & 0xffff);
        for (i = 0; i < 8; i++) {
            const uint32_t splits = many[i];
            many[i] = split;
            if (splits)
                work[COMBGPU__SIX_AT_FIRST + at++] = split | splits * COMBGPU__SIX_SPLIT_ROOM;
            split += splits;
        }
    }
    COMBGPU__SIX_TEAM_BARRIER();
    combgpu_six_split(work, scratch, team, pair, 1);
    COMBGPU__SIX_TEAM_BARRIER();
    if (team[COMBGPU__SIX_PLACE + set] != COMBGPU__NONE) {
        const uint32_t at = pair * COMBGPU__SIX_ROOM + first + set;
        uint32_t segment = team[COMBGPU__SIX_BASE + 2 * set] + (n >> 16);
        ((COMBGPU__GLOBAL uint8_t *)(work + COMBGPU__SIX_AT_TOTALS + 4 * at))[chunk] =
            (uint8_t)occur;
        for (i = 0; i < 8; i++)
            if (occur >> i & 1) {
                work[COMBGPU__SIX_AT_KEYS + 2 * segment] = keys[2 * i];
                work[COMBGPU__SIX_AT_KEYS + 2 * segment + 1] = keys[2 * i + 1];
                segment++;
            }
        if (chunk == 0) work[COMBGPU__SIX_AT_SEGMENT + at] = team[COMBGPU__SIX_BASE + 2 * set];
    } else if (chunk == 0 && set < sets) {
        numbers[first + set] = COMBGPU__NONE;
    }
    COMBGPU__SIX_TEAM_BARRIER();
}

/* ----------------------------------------------------------------------- src/magic/six/share.cl */

/* Order 6 with both diagonals given: the tables that blocks of lanes share.

   All blocks work on the same few configurations, so that the cache holds their tables: a block
   takes a *share* of a chunk of a task, in the order of the tasks, by a ticket. A step counts once
   all its shares are done; the block that ends the last one adds it. A slice spills its rest in
   whole chunks.

   The work memory has areas, each for the tables of a configuration. In a slice,

   1. the first block to come clears the owners of all areas; the others wait for that.
   2. An area's owner changes once, from 0 to a configuration + 1, by a compare and swap. All blocks
      scan the areas in one order and take the first that is free or theirs. So a configuration has
      one area for all blocks, and an area never changes hands.
   3. The block that made itself owner lists the sets, then marks the area as listed (release).
      Other blocks read the area only behind that mark (acquire).
   4. Teams take batches of sets by a counter. A batch writes what no other batch reads or writes;
      its team counts it as done (release). Behind the last one (acquire) the tables stay as they
      are until the slice ends.

   Release: barrier of the block or the team, then one lane's fence and atomic operation. Acquire:
   atomic read and fence by one lane, then the block's barrier. A block waits only for one that has
   come, made itself owner or taken a batch, and that one waits for nothing meanwhile: so any number
   may run at a time. Without a free area the step is spilled, and the slice ends.

   This needs memory that all blocks see alike in mid-slice, which OpenCL 1.2 does not promise:
   where that is uncertain, a block has its own area and does a whole task. */
#if defined(__CUDACC__)
#define COMBGPU__SIX_SHARED 1
#define COMBGPU__SIX_FENCE() __threadfence()
#elif defined(COMBGPU_SHUFFLE)
#define COMBGPU__SIX_SHARED 1
#define COMBGPU__SIX_FENCE() __asm__ volatile("membar.gl;" : : : "memory")
#else
#ifndef COMBGPU__SIX_SHARED
#define COMBGPU__SIX_SHARED 0
#endif
#define COMBGPU__SIX_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#endif
#define COMBGPU__SIX_READ(p) COMBGPU__ATOMIC_OR((p), 0)

/* slice->area_next: 0, then 1 + tickets taken; slice->blocks_done: blocks that began, and 65,536
   times those that ended */
#define COMBGPU__SIX_ENDED 0x10000u

/* ---- tickets, by lane 0 */

/* in local memory */
enum {
    COMBGPU__SIX_STEP = 4,      /* the step to do: configuration, part */
    COMBGPU__SIX_CONTINUES = 6, /* nonzero: one exists */
    COMBGPU__SIX_SHARE,
    COMBGPU__SIX_AHEAD,    /* nonzero: only to list a configuration's sets */
    COMBGPU__SIX_OPENED,   /* the open configuration */
    COMBGPU__SIX_PLACE_AT, /* its area, or COMBGPU__NONE */
    COMBGPU__SIX_FRESH,    /* nonzero: this block is to list its sets */
    COMBGPU__SIX_OUTCOME   /* of the step: */
};
enum {
    COMBGPU__SIX_NO_AREA,
    COMBGPU__SIX_AHEAD_ONLY,
    COMBGPU__SIX_TOO_LARGE,
    COMBGPU__SIX_COUNTED
};

/* Lane 0's knowledge of its block's work. */
typedef struct combgpu_six_turn_t {
    uint64_t base;          /* number of the job's first step */
    uint64_t hash, squares; /* of the steps that this block added */
    uint32_t steps;         /* how many these are */
    uint64_t next, end;     /* steps of the piece still to do */
    uint32_t share;         /* of each of them; there are `shares` */
    uint32_t shares;
    uint32_t ahead; /* a configuration whose sets this block lists first, or COMBGPU__NONE */
    uint32_t over;  /* nonzero: takes no more */
} combgpu_six_turn_t;

/* Starts a slice: nothing is done or taken yet. */
COMBGPU__DEVICE void combgpu_six_start(combgpu_six_turn_t *turn,
                                       COMBGPU__GLOBAL const uint32_t *tables)
{
    turn->base = combgpu_load64(tables) * COMBGPU__SIX_PARTS;
    turn->hash = turn->squares = turn->next = turn->end = 0;
    turn->steps = turn->share = turn->over = 0;
    turn->shares = tables[COMBGPU__PARTS_AT_SHARES];
    turn->ahead = COMBGPU__NONE;
}

/* Returns where a chunk of a task begins; the chunk after the last one begins at the task's end. */
COMBGPU__DEVICE uint64_t combgpu_six_chunk(COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL const uint32_t *task, uint32_t chunk)
{
    const uint32_t chunks = tables[COMBGPU__PARTS_AT_CHUNKS];
    const uint64_t begin = combgpu_load64(task), steps = combgpu_load64(task + 2) - begin;
    return begin + (steps * chunk + chunks - 1) / chunks;
}

/* The tickets that the budget allows. */
COMBGPU__DEVICE uint64_t combgpu_six_tickets(COMBGPU__GLOBAL const combgpu__slice *slice,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             uint32_t budget)
{
    return (uint64_t)budget * slice->workers * tables[COMBGPU__PARTS_AT_SHARES];
}

/* Nonzero if no block may take a ticket. */
COMBGPU__DEVICE uint32_t combgpu_six_spent(COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL uint32_t *work)
{
    const uint32_t stop = COMBGPU__STOPPED(slice);
    if (COMBGPU__SIX_READ(&work[COMBGPU__SIX_AT_FULL])) return 1;
    if (!stop) return 0;
    return (stop & COMBGPU__STOP_NOW) || COMBGPU__SIX_READ(&slice->area_next) - 1 >=
                                             combgpu_six_tickets(slice, tables, slice->least);
}

/* The configuration that is to follow a task's, if the task is the first of its own; else NONE. */
COMBGPU__DEVICE uint32_t combgpu_six_ahead(COMBGPU__GLOBAL const combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL const uint32_t *tasks, uint32_t task)
{
    const uint64_t own = combgpu_load64(tasks + 4 * (uint64_t)task) / COMBGPU__SIX_PARTS;
    const uint32_t chunks = tables[COMBGPU__PARTS_AT_CHUNKS];
    const uint64_t last = combgpu_six_tickets(slice, tables, slice->budget) /
                          (chunks * tables[COMBGPU__PARTS_AT_SHARES]);
    uint32_t i;
    if (tables[COMBGPU__PARTS_AT_AREAS] < 2 || /* the next one would take the task's own area */
        (task && combgpu_load64(tasks + 4 * (uint64_t)(task - 1)) / COMBGPU__SIX_PARTS == own))
        return COMBGPU__NONE;
    for (i = 1; i <= COMBGPU__SIX_PARTS && task + i < slice->task_count && task + i < last; i++) {
        const uint64_t other =
            combgpu_load64(tasks + 4 * (uint64_t)(task + i)) / COMBGPU__SIX_PARTS;
        if (other != own) return (uint32_t)other;
    }
    return COMBGPU__NONE;
}

/* Nonzero if the block is to work on turn->next. */
COMBGPU__DEVICE uint32_t combgpu_six_next(COMBGPU__GLOBAL combgpu__slice *slice,
                                          COMBGPU__GLOBAL const uint32_t *tables,
                                          COMBGPU__GLOBAL const uint32_t *tasks,
                                          COMBGPU__GLOBAL uint32_t *left,
                                          COMBGPU__GLOBAL uint32_t *work, combgpu_six_turn_t *turn)
{
    const uint32_t chunks = tables[COMBGPU__PARTS_AT_CHUNKS];
    if (!COMBGPU__SIX_SHARED)
        return !turn->over &&
               combgpu_in_range(slice, tasks, left, &turn->next, &turn->end, turn->steps);
    for (;;) {
        COMBGPU__GLOBAL const uint32_t *task;
        uint32_t ticket, chunk;
        if (turn->next != turn->end) return 1;
        if (turn->over || combgpu_six_spent(slice, tables, work)) return 0;
        ticket = COMBGPU__ATOMIC_ADD(&slice->area_next, 1) - 1;
        turn->over = ticket >= combgpu_six_tickets(slice, tables, slice->budget);
        if (turn->over) return 0;
        chunk = ticket / turn->shares;
        if (chunk / chunks >= slice->task_count) {
            combgpu_take(slice);
            turn->over = 1;
            return 0;
        }
        turn->share = ticket % turn->shares;
        if (ticket % (turn->shares * chunks) == 0) {
            combgpu_take(slice);
            turn->ahead = combgpu_six_ahead(slice, tables, tasks, chunk / chunks);
        }
        task = tasks + 4 * (uint64_t)(chunk / chunks);
        turn->next = combgpu_six_chunk(tables, task, chunk % chunks);
        turn->end = combgpu_six_chunk(tables, task, chunk % chunks + 1);
    }
}

/* The slice cannot do this step: spills the chunk, once for all shares, if all were taken; else
   combgpu_six_leave does. */
COMBGPU__DEVICE void combgpu_six_back(COMBGPU__GLOBAL combgpu__slice *slice,
                                      COMBGPU__GLOBAL uint32_t *left, combgpu_six_turn_t *turn)
{
    if (turn->share == turn->shares - 1) combgpu_give_range(slice, left, turn->next, turn->end);
    turn->next = turn->end;
    turn->over = 1;
}

/* At the end of a slice, the last block spills the rest of a task. */
COMBGPU__DEVICE void combgpu_six_leave(COMBGPU__GLOBAL combgpu__slice *slice,
                                       COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__GLOBAL const uint32_t *tasks,
                                       COMBGPU__GLOBAL uint32_t *left)
{
    const uint32_t each = tables[COMBGPU__PARTS_AT_CHUNKS] * tables[COMBGPU__PARTS_AT_SHARES];
    uint64_t taken;
    if (!COMBGPU__SIX_SHARED ||
        COMBGPU__ATOMIC_ADD(&slice->blocks_done, COMBGPU__SIX_ENDED) / COMBGPU__SIX_ENDED + 1 !=
            slice->workers)
        return;
    taken = COMBGPU__SIX_READ(&slice->area_next) - 1;
    if (taken > combgpu_six_tickets(slice, tables, slice->budget))
        taken = combgpu_six_tickets(slice, tables, slice->budget);
    if (taken / each < slice->task_count && taken % each) {
        COMBGPU__GLOBAL const uint32_t *task = tasks + 4 * (taken / each);
        const uint64_t next = combgpu_six_chunk(
            tables, task, (uint32_t)(taken % each) / tables[COMBGPU__PARTS_AT_SHARES]);
        const uint64_t end = combgpu_load64(task + 2);
        if (next != end) combgpu_give_range(slice, left, next, end);
    }
}

/* ---- areas, by all lanes */

/* Returns their number. */
COMBGPU__DEVICE uint32_t combgpu_six_areas(COMBGPU__GLOBAL const combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables)
{
    return COMBGPU__SIX_SHARED ? tables[COMBGPU__PARTS_AT_AREAS] : slice->workers;
}

/* The area at an index; the blocks' lists follow the last one. */
COMBGPU__DEVICE COMBGPU__GLOBAL uint32_t *combgpu_six_area(COMBGPU__GLOBAL uint32_t *work,
                                                           uint32_t place)
{
    return work + COMBGPU__SIX_CONTROL + (uint64_t)place * COMBGPU__SIX_WORDS;
}

/* At the start of a slice, one block clears the control words; all wait for it. */
COMBGPU__DEVICE void combgpu_six_enter(COMBGPU__GLOBAL combgpu__slice *slice,
                                       COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL uint32_t *scratch)
{
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t i;
    if (lane == 0) {
        scratch[COMBGPU__SIX_OPENED] = COMBGPU__NONE;
        scratch[COMBGPU__SIX_FRESH] =
            !COMBGPU__SIX_SHARED ||
            COMBGPU__ATOMIC_ADD(&slice->blocks_done, 1) % COMBGPU__SIX_ENDED == 0;
    }
    COMBGPU__LOCAL_BARRIER();
    if (!COMBGPU__SIX_SHARED) return;
    for (i = lane; scratch[COMBGPU__SIX_FRESH] && i < COMBGPU__SIX_CONTROL; i += COMBGPU__SIX_LANES)
        work[i] = 0;
    COMBGPU__BLOCK_BARRIER();
    if (lane == 0) {
        COMBGPU__SIX_FENCE();
        if (scratch[COMBGPU__SIX_FRESH]) COMBGPU__ATOMIC_ADD(&slice->area_next, 1);
        while (!COMBGPU__SIX_READ(&slice->area_next))
            continue;
        COMBGPU__SIX_FENCE();
    }
    COMBGPU__BLOCK_BARRIER();
}

/* Lane 0: returns the index of a configuration's area, or COMBGPU__NONE; *fresh is nonzero if it is
   new, with sets still to list. */
COMBGPU__DEVICE uint32_t combgpu_six_claim(COMBGPU__GLOBAL uint32_t *work, uint32_t areas,
                                           uint32_t configuration, COMBGPU__LOCAL uint32_t *fresh)
{
    uint32_t i, place = configuration % areas;
    *fresh = 0;
    for (i = 0; i < areas; i++) {
        const uint32_t owner =
            COMBGPU__ATOMIC_CAS(&work[COMBGPU__SIX_AT_OWNER + place], 0, configuration + 1);
        if (owner == 0) *fresh = 1;
        if (owner == 0 || owner == configuration + 1) return place;
        place = place + 1 < areas ? place + 1 : 0;
    }
    return COMBGPU__NONE;
}

/* Opens a configuration and finds its area, whose sets are listed now or by another block. */
COMBGPU__DEVICE void combgpu_six_place_of(COMBGPU__GLOBAL uint32_t *work, uint32_t areas,
                                          COMBGPU__GLOBAL const uint32_t *tables,
                                          COMBGPU__GLOBAL uint32_t *list,
                                          COMBGPU__LOCAL uint32_t *scratch, uint32_t configuration)
{
    const uint32_t lane = COMBGPU__LANE_ID;
    COMBGPU__GLOBAL uint32_t *area;
    if (lane == 0) {
        const uint32_t other = scratch[COMBGPU__SIX_OPENED] != configuration;
        if (other)
            combgpu_six_open((COMBGPU__LOCAL int32_t *)(scratch + COMBGPU__SIX_OPEN),
                             tables + COMBGPU__PARTS_AT_CONFIGURATION + 3 * configuration);
        scratch[COMBGPU__SIX_OPENED] = configuration;
        if (COMBGPU__SIX_SHARED) {
            scratch[COMBGPU__SIX_PLACE_AT] =
                combgpu_six_claim(work, areas, configuration, scratch + COMBGPU__SIX_FRESH);
        } else {
            scratch[COMBGPU__SIX_PLACE_AT] = COMBGPU__BLOCK_ID;
            scratch[COMBGPU__SIX_FRESH] = other;
        }
    }
    COMBGPU__BLOCK_BARRIER();
    if (scratch[COMBGPU__SIX_FRESH]) {
        area = combgpu_six_area(work, scratch[COMBGPU__SIX_PLACE_AT]);
        if (lane < COMBGPU__SIX_AT_BUCKET) area[lane] = 0;
        COMBGPU__BLOCK_BARRIER();
        combgpu_six_sets(area, list, scratch);
    }
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__SIX_SHARED && lane == 0 && scratch[COMBGPU__SIX_FRESH]) {
        COMBGPU__SIX_FENCE();
        COMBGPU__ATOMIC_OR(&work[COMBGPU__SIX_AT_LISTED + scratch[COMBGPU__SIX_PLACE_AT]], 1);
    }
    COMBGPU__BLOCK_BARRIER();
}

/* The batches of sets of a configuration. */
COMBGPU__DEVICE uint32_t combgpu_six_batch_count(COMBGPU__GLOBAL const uint32_t *area)
{
    uint32_t pair, all = 0;
    for (pair = 0; pair < 3; pair++)
        all += (area[COMBGPU__SIX_AT_COUNT + pair] + COMBGPU__SIX_BATCH - 1) / COMBGPU__SIX_BATCH;
    return all;
}

/* Makes batches of the tables until all `all` are taken. */
COMBGPU__DEVICE void combgpu_six_batches(COMBGPU__GLOBAL uint32_t *area,
                                         COMBGPU__LOCAL uint32_t *scratch, uint32_t all)
{
    const uint32_t lane = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM;
    COMBGPU__LOCAL uint32_t *team = scratch + COMBGPU__SIX_AREA +
                                    COMBGPU__LANE_ID / COMBGPU__SIX_TEAM * COMBGPU__SIX_MAKER_WORDS;
    for (;;) {
        uint32_t pair = 0, batch, count;
        if (lane == 0)
            team[COMBGPU__SIX_TAKEN] =
                all ? COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_NEXT], 1) : 0;
        COMBGPU__SIX_TEAM_BARRIER();
        batch = team[COMBGPU__SIX_TAKEN];
        if (batch >= all) break;
        for (;; pair++) {
            count =
                (area[COMBGPU__SIX_AT_COUNT + pair] + COMBGPU__SIX_BATCH - 1) / COMBGPU__SIX_BATCH;
            if (batch < count) break;
            batch -= count;
        }
        batch *= COMBGPU__SIX_BATCH;
        combgpu_six_batch(
            area, scratch, team, pair, batch,
            min(area[COMBGPU__SIX_AT_COUNT + pair] - batch, (uint32_t)COMBGPU__SIX_BATCH));
        if (lane == 0) {
            COMBGPU__SIX_FENCE();
            COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_DONE], 1);
        }
        COMBGPU__SIX_TEAM_BARRIER();
    }
}

/* Finds or makes the tables of a configuration, or only lists its sets: scratch[SIX_PLACE_AT],
   scratch[SIX_OUTCOME]. */
COMBGPU__DEVICE void combgpu_six_share(COMBGPU__GLOBAL uint32_t *work, uint32_t areas,
                                       COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__GLOBAL uint32_t *list,
                                       COMBGPU__LOCAL uint32_t *scratch, uint32_t configuration)
{
    COMBGPU__GLOBAL uint32_t *area;
    combgpu_six_place_of(work, areas, tables, list, scratch, configuration);
    if (COMBGPU__LANE_ID == 0) {
        const uint32_t place = scratch[COMBGPU__SIX_PLACE_AT];
        const uint32_t outcome = scratch[COMBGPU__SIX_AHEAD] ? COMBGPU__SIX_AHEAD_ONLY
                                 : place == COMBGPU__NONE    ? COMBGPU__SIX_NO_AREA
                                                             : COMBGPU__SIX_COUNTED;
        scratch[COMBGPU__SIX_OUTCOME] = outcome;
        if (COMBGPU__SIX_SHARED && outcome == COMBGPU__SIX_COUNTED) {
            while (!COMBGPU__SIX_READ(&work[COMBGPU__SIX_AT_LISTED + place]))
                continue;
            COMBGPU__SIX_FENCE();
        }
    }
    COMBGPU__BLOCK_BARRIER();
    area = combgpu_six_area(work, scratch[COMBGPU__SIX_PLACE_AT]);
    combgpu_six_batches(
        area, scratch,
        scratch[COMBGPU__SIX_OUTCOME] == COMBGPU__SIX_COUNTED ? combgpu_six_batch_count(area) : 0);
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__LANE_ID == 0) {
        const uint32_t counted = scratch[COMBGPU__SIX_OUTCOME] == COMBGPU__SIX_COUNTED;
        while (counted &&
               COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_DONE]) != combgpu_six_batch_count(area))
            continue;
        COMBGPU__SIX_FENCE();
        if (counted &&
            (COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_SEGMENTS]) > COMBGPU__SIX_SEGMENT_ROOM ||
             COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_SPLITS_MADE]) > COMBGPU__SIX_SPLIT_ROOM))
            scratch[COMBGPU__SIX_OUTCOME] = COMBGPU__SIX_TOO_LARGE;
    }
    COMBGPU__BLOCK_BARRIER();
}

/* ------------------------------------------------------------------------ src/magic/six/join.cl */

/* Order 6 with both diagonals given: the three-set join. A block of lanes is a worker and does
   steps one by one: it counts the squares whose set of row pair 0 is in the step's part. Its teams
   share the sets of the step.

   A team has five queues in local memory, to keep lanes busy although their yields differ. Lanes
   that search for sets M1 in what M0 leaves fill the queue of *partitions*. A partition gives an
   *item*, a segment of each pair, for each common total. Items whose keys meet are *alive*; their
   splittings of pairs 1 and 2 that fit together are *matches*, and splittings of pair 0 with keys
   that meet those of a match are *hits*, for which the ways are multiplied. The team takes an entry
   a lane from the last queue that keeps all lanes busy, so the queues seldom overflow. A search
   without room for its partition waits, a partition without room for its items goes back, and
   matches and hits without room are worked on at once. */

#define COMBGPU__SIX_TURNS 24 /* of a search before the queues are read again */
#define COMBGPU__SIX_PARTITION_ROOM (3 * COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_ITEM_ROOM (6 * COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_ALIVE_ROOM (2 * COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_MATCH_ROOM (4 * COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_HIT_ROOM (3 * COMBGPU__SIX_TEAM)
/* a team's local memory: the number of entries of each queue, lanes that have a unit, the queues */
enum {
    COMBGPU__SIX_N_PARTITIONS,
    COMBGPU__SIX_N_ITEMS,
    COMBGPU__SIX_N_ALIVE,
    COMBGPU__SIX_N_MATCHES,
    COMBGPU__SIX_N_HITS,
    COMBGPU__SIX_N_SEARCHING,
    COMBGPU__SIX_PARTITIONS = 8
};
#define COMBGPU__SIX_ITEMS (COMBGPU__SIX_PARTITIONS + COMBGPU__SIX_PARTITION_ROOM)
#define COMBGPU__SIX_ALIVE (COMBGPU__SIX_ITEMS + 2 * COMBGPU__SIX_ITEM_ROOM)
#define COMBGPU__SIX_PAIRED (COMBGPU__SIX_ALIVE + 2 * COMBGPU__SIX_ALIVE_ROOM)
#define COMBGPU__SIX_HITS (COMBGPU__SIX_PAIRED + 2 * COMBGPU__SIX_MATCH_ROOM)
#define COMBGPU__SIX_TEAM_WORDS (COMBGPU__SIX_HITS + 2 * COMBGPU__SIX_HIT_ROOM)
/* the block's counters; from SIX_STEP on: six/share.cl */
enum { COMBGPU__SIX_N_UNITS, COMBGPU__SIX_N_SQUARES, COMBGPU__SIX_N_LISTED };

/* A segment's number has SEGMENT_BITS bits. An item has segments of three pairs in two words: the bits
   above two of them hold the third, in two parts. A match has the ways above its segment. */
#define COMBGPU__SIX_SEGMENT_BITS 21
#define COMBGPU__SIX_SEGMENT_OF(word) ((word) & ((1u << COMBGPU__SIX_SEGMENT_BITS) - 1))
#define COMBGPU__SIX_ABOVE (32 - COMBGPU__SIX_SEGMENT_BITS)

COMBGPU__DEVICE void combgpu_six_pack(COMBGPU__LOCAL uint32_t *item, uint32_t s0, uint32_t s1,
                                      uint32_t s2)
{
    item[0] = s0 | s2 << COMBGPU__SIX_SEGMENT_BITS;
    item[1] = s1 | s2 >> COMBGPU__SIX_ABOVE << COMBGPU__SIX_SEGMENT_BITS;
}

/* The third segment of an item. */
COMBGPU__DEVICE uint32_t combgpu_six_third(uint32_t one, uint32_t two)
{
    return one >> COMBGPU__SIX_SEGMENT_BITS | two >> COMBGPU__SIX_SEGMENT_BITS
                                                         << COMBGPU__SIX_ABOVE;
}

/* A lane's search for partitions: sets M1 by the parts of an upper half. */
typedef struct combgpu_six_search_t {
    uint32_t at, end; /* sets of the bucket still to check */
    uint32_t fixed;   /* what the unit chose of the upper half */
    uint32_t free;    /* the rest, of which every part is taken ... */
    uint32_t part;    /* ... this one last */
    uint32_t left;    /* numbers that M0 leaves */
    uint32_t first;   /* M0's place */
    uint32_t state;   /* 0 = no unit, 1 = searching, 2 = nothing left */
} combgpu_six_search_t;

/* Takes a unit: a set M0 of the list, and which of the five lowest numbers that M0 leaves in the upper
   half M1 has. */
COMBGPU__DEVICE void combgpu_six_unit(combgpu_six_search_t *search,
                                      COMBGPU__GLOBAL const uint32_t *work,
                                      COMBGPU__GLOBAL const uint32_t *list,
                                      COMBGPU__LOCAL uint32_t *scratch,
                                      COMBGPU__LOCAL uint32_t *team)
{
    const uint32_t unit =
        COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_UNITS], 1);
    uint32_t high, choice = unit % 32, i;
    if (unit >= 32 * scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_LISTED]) {
        search->state = 2;
        COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_SEARCHING], 0xffffffffu);
        return;
    }
    search->first = list[unit / 32];
    search->left = 0xffffffu ^ work[COMBGPU__SIX_AT_NUMBERS + search->first];
    high = search->left >> 12;
    for (search->fixed = i = 0; i < 5 && high; i++, high &= high - 1)
        if (choice >> i & 1) search->fixed |= high & (0 - high);
    search->at = search->end = 0;
    search->free = search->part = high;
    /* with fewer numbers, choices that differ in missing ones are one */
    search->state = choice >> i ? 0 : 1;
    if (search->state) {
        const uint32_t bucket =
            work[COMBGPU__SIX_AT_BUCKET + COMBGPU__SIX_BUCKETS + (search->fixed | search->part)];
        search->at = bucket & 0xffff;
        search->end = search->at + (bucket >> 16);
    }
}

/* Checks the sets of the bucket that one load gets, from search->at on. Returns 0 if a partition
   found no room. */
COMBGPU__DEVICE uint32_t combgpu_six_look(combgpu_six_search_t *search,
                                          COMBGPU__GLOBAL const uint32_t *work,
                                          COMBGPU__LOCAL uint32_t *team)
{
    COMBGPU__GLOBAL const uint4 *numbers =
        (COMBGPU__GLOBAL const uint4 *)(work + COMBGPU__SIX_AT_NUMBERS + COMBGPU__SIX_ROOM);
    const uint4 four = numbers[search->at / 4];
    const uint32_t begin = search->at & ~3u, taken = ~search->left;
    uint32_t fits = (uint32_t) !(four.x & taken) | (uint32_t) !(four.y & taken) << 1 |
                    (uint32_t) !(four.z & taken) << 2 | (uint32_t) !(four.w & taken) << 3;
    fits &= 15u << (search->at - begin);
    if (search->end - begin < 4) fits &= (1u << (search->end - begin)) - 1;
    for (; fits; fits &= fits - 1) {
        const uint32_t set = begin + COMBGPU__CTZ(fits);
        const uint32_t at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_PARTITIONS], 1);
        search->at = set;
        if (at >= COMBGPU__SIX_PARTITION_ROOM) return 0;
        team[COMBGPU__SIX_PARTITIONS + at] = search->first | set << 16;
    }
    search->at = begin + 4;
    return 1;
}

/* Each lane checks some sets. */
COMBGPU__DEVICE void combgpu_six_search(combgpu_six_search_t *search,
                                        COMBGPU__GLOBAL const uint32_t *work,
                                        COMBGPU__GLOBAL const uint32_t *list,
                                        COMBGPU__LOCAL uint32_t *scratch,
                                        COMBGPU__LOCAL uint32_t *team)
{
    uint32_t turn;
    for (turn = 0; turn < COMBGPU__SIX_TURNS && search->state != 2; turn++) {
        if (search->state == 0) {
            combgpu_six_unit(search, work, list, scratch, team);
        } else if (search->at < search->end) {
            if (!combgpu_six_look(search, work, team)) return; /* another time */
        } else if (search->part) {
            uint32_t bucket;
            search->part = (search->part - 1) & search->free;
            bucket = work[COMBGPU__SIX_AT_BUCKET + COMBGPU__SIX_BUCKETS +
                          (search->fixed | search->part)];
            search->at = bucket & 0xffff;
            search->end = search->at + (bucket >> 16);
        } else {
            search->state = 0;
        }
    }
}

/* Returns the index of a set of pair 2, or COMBGPU__NONE. */
COMBGPU__DEVICE uint32_t combgpu_six_find(COMBGPU__GLOBAL const uint32_t *work, uint32_t set)
{
    const uint32_t bucket = work[COMBGPU__SIX_AT_BUCKET + 2 * COMBGPU__SIX_BUCKETS + (set >> 12)];
    COMBGPU__GLOBAL const uint32_t *numbers =
        work + COMBGPU__SIX_AT_NUMBERS + 2 * COMBGPU__SIX_ROOM;
    uint32_t at = bucket & 0xffff, end = at + (bucket >> 16);
    for (; at < end; at++)
        if (numbers[at] == set) return at;
    return COMBGPU__NONE;
}

/* A partition: its items, or back into the queue if they find no room. */
COMBGPU__DEVICE void combgpu_six_partition(COMBGPU__GLOBAL const uint32_t *work,
                                           COMBGPU__LOCAL uint32_t *team, uint32_t partition)
{
    COMBGPU__GLOBAL const uint32_t *numbers = work + COMBGPU__SIX_AT_NUMBERS;
    COMBGPU__GLOBAL const uint32_t *segments = work + COMBGPU__SIX_AT_SEGMENT;
    COMBGPU__GLOBAL const uint4 *totals =
        (COMBGPU__GLOBAL const uint4 *)(work + COMBGPU__SIX_AT_TOTALS);
    const uint32_t i0 = partition & 0xffff, i1 = COMBGPU__SIX_ROOM + (partition >> 16);
    const uint4 t0 = totals[i0], t1 = totals[i1];
    uint32_t i2, count, at, word, segment0, segment1, segment2;
    uint4 t2;
    if (!(t0.x & t1.x) && !(t0.y & t1.y) && !(t0.z & t1.z) && !(t0.w & t1.w)) return;
    i2 = combgpu_six_find(work, 0xffffffu ^ numbers[i0] ^ numbers[i1]);
    if (i2 == COMBGPU__NONE) return;
    i2 += 2 * COMBGPU__SIX_ROOM;
    t2 = totals[i2];
    count = COMBGPU__POPCOUNT(t0.x & t1.x & t2.x) + COMBGPU__POPCOUNT(t0.y & t1.y & t2.y) +
            COMBGPU__POPCOUNT(t0.z & t1.z & t2.z) + COMBGPU__POPCOUNT(t0.w & t1.w & t2.w);
    if (!count) return;
    at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_ITEMS], count);
    if (at + count > COMBGPU__SIX_ITEM_ROOM) {
        for (; at < COMBGPU__SIX_ITEM_ROOM; at++)
            team[COMBGPU__SIX_ITEMS + 2 * at] = COMBGPU__NONE;
        at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_PARTITIONS], 1);
        team[COMBGPU__SIX_PARTITIONS + at] = partition;
        return;
    }
    segment0 = segments[i0];
    segment1 = segments[i1];
    segment2 = segments[i2];
    for (word = 0; word < 4; word++) {
        const uint32_t a = word == 0 ? t0.x : word == 1 ? t0.y : word == 2 ? t0.z : t0.w;
        const uint32_t b = word == 0 ? t1.x : word == 1 ? t1.y : word == 2 ? t1.z : t1.w;
        const uint32_t c = word == 0 ? t2.x : word == 1 ? t2.y : word == 2 ? t2.z : t2.w;
        uint32_t common;
        for (common = a & b & c; common; common &= common - 1, at++) {
            const uint32_t below = (common & (0 - common)) - 1;
            combgpu_six_pack(
                team + COMBGPU__SIX_ITEMS + 2 * at, segment0 + COMBGPU__POPCOUNT(a & below),
                segment1 + COMBGPU__POPCOUNT(b & below), segment2 + COMBGPU__POPCOUNT(c & below));
        }
        segment0 += COMBGPU__POPCOUNT(a);
        segment1 += COMBGPU__POPCOUNT(b);
        segment2 += COMBGPU__POPCOUNT(c);
    }
}

/* An item: alive if its segments' keys meet. */
COMBGPU__DEVICE void combgpu_six_item(COMBGPU__GLOBAL const uint32_t *work,
                                      COMBGPU__LOCAL uint32_t *team, uint32_t one, uint32_t two)
{
    COMBGPU__GLOBAL const uint2 *keys =
        (COMBGPU__GLOBAL const uint2 *)(work + COMBGPU__SIX_AT_KEYS);
    uint2 k0, k1, k2;
    uint32_t at;
    if (one == COMBGPU__NONE) return;
    k0 = keys[COMBGPU__SIX_SEGMENT_OF(one)];
    k1 = keys[COMBGPU__SIX_SEGMENT_OF(two)];
    k2 = keys[combgpu_six_third(one, two)];
    if (!(k1.y & k2.x) || !(k0.x & k2.y) || !(k0.y & k1.x)) return;
    at = COMBGPU__SIX_ALIVE + 2 * COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_ALIVE], 1);
    team[at] = one;
    team[at + 1] = two;
}

/* All lanes of a team: items until a round of alive ones is there; `from` are left in the queue. */
COMBGPU__DEVICE void combgpu_six_items(COMBGPU__GLOBAL const uint32_t *work,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t one, uint32_t two,
                                       uint32_t here, uint32_t from)
{
    const uint32_t lane = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM;
    uint32_t more;
    do {
        if (here) combgpu_six_item(work, team, one, two);
        COMBGPU__SIX_TEAM_BARRIER();
        more = from >= COMBGPU__SIX_TEAM && team[COMBGPU__SIX_N_ALIVE] < COMBGPU__SIX_TEAM;
        if (more) {
            from -= COMBGPU__SIX_TEAM;
            one = team[COMBGPU__SIX_ITEMS + 2 * (from + lane)];
            two = team[COMBGPU__SIX_ITEMS + 2 * (from + lane) + 1];
        }
        COMBGPU__SIX_TEAM_BARRIER();
    } while (more);
    if (lane == 0) team[COMBGPU__SIX_N_ITEMS] = from;
}

/* Returns in how many ways spreads of two blocks (u | v << 8) add up to `sum`. */
COMBGPU__DEVICE uint32_t combgpu_six_ways(uint32_t a, uint32_t b, int32_t sum)
{
    const int32_t u = (int32_t)(a & 255), v = (int32_t)(a >> 8 & 255);
    const int32_t has_u = (int32_t)(b & 255), has_v = (int32_t)(b >> 8 & 255);
    const int32_t w0 = abs(sum - u), w1 = abs(sum + u), w2 = abs(sum - v), w3 = abs(sum + v);
    return (uint32_t)((w0 == has_u) + (w1 == has_u) + (w2 == has_u) + (w3 == has_u)) +
           ((uint32_t)((w0 == has_v) + (w1 == has_v) + (w2 == has_v) + (w3 == has_v))
            << (has_v == 0)); /* no difference: two orders */
}

/* The squares of a hit: what block 1 of pair 1 and block 2 of pair 2 have, and the splitting of pair 0,
   whose three free bits hold the ways of the third column pair, less 1. */
COMBGPU__DEVICE uint32_t combgpu_six_squares(COMBGPU__LOCAL const int32_t *spread, uint32_t others,
                                             uint32_t hit)
{
    const uint32_t ways = 1 + ((hit >> 7 & 1) | (hit >> 14 & 2) | (hit >> 21 & 4));
    const uint32_t p0 = hit & 0x7f7f7f7fu;
    return ways * combgpu_six_ways(p0, others >> 16, spread[1]) *
           combgpu_six_ways(p0 >> 16, others, spread[2]);
}

/* Queues the splittings of pair 0 whose keys meet those of a match as hits. Returns the squares
   over those without room. */
COMBGPU__DEVICE uint32_t combgpu_six_match0(COMBGPU__GLOBAL const uint32_t *work,
                                            COMBGPU__LOCAL const int32_t *spread,
                                            COMBGPU__LOCAL uint32_t *team, uint32_t others,
                                            uint32_t match)
{
    const uint32_t first = work[COMBGPU__SIX_AT_FIRST + COMBGPU__SIX_SEGMENT_OF(match)];
    COMBGPU__GLOBAL const uint32_t *splits = work + COMBGPU__SIX_AT_SPLITS;
    const uint32_t wants = combgpu_six_wants(others >> 16, spread[1]);
    const uint32_t wants0 = combgpu_six_wants(others, spread[2]);
    const uint32_t ways = (match >> COMBGPU__SIX_SEGMENT_BITS) - 1;
    const uint32_t mark = (ways & 1) << 7 | (ways & 2) << 14 | (ways & 4) << 21;
    const uint32_t begin = first & (COMBGPU__SIX_SPLIT_ROOM - 1);
    const uint32_t end = begin + first / COMBGPU__SIX_SPLIT_ROOM;
    uint32_t i, squares = 0;
    for (i = begin; i < end; i++) {
        const uint32_t p0 = splits[i];
        uint32_t at;
        if (!(combgpu_six_has(p0) & wants) || !(combgpu_six_has(p0 >> 16) & wants0)) continue;
        at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_HITS], 1);
        if (at >= COMBGPU__SIX_HIT_ROOM) {
            squares += combgpu_six_squares(spread, others, p0 | mark);
            continue;
        }
        team[COMBGPU__SIX_HITS + 2 * at] = others;
        team[COMBGPU__SIX_HITS + 2 * at + 1] = p0 | mark;
    }
    return squares;
}

/* Queues the splittings of pairs 1 and 2 that fit together as matches: what the blocks in pair 0's
   columns have, the segment of pair 0, and the ways. Returns the squares over those that find no
   room there. */
COMBGPU__DEVICE uint32_t combgpu_six_alive(COMBGPU__GLOBAL const uint32_t *work,
                                           COMBGPU__LOCAL const int32_t *spread,
                                           COMBGPU__LOCAL uint32_t *team, uint32_t one,
                                           uint32_t two)
{
    const uint32_t s0 = COMBGPU__SIX_SEGMENT_OF(one), s1 = COMBGPU__SIX_SEGMENT_OF(two);
    const uint32_t s2 = combgpu_six_third(one, two);
    COMBGPU__GLOBAL const uint32_t *first = work + COMBGPU__SIX_AT_FIRST;
    COMBGPU__GLOBAL const uint32_t *splits = work + COMBGPU__SIX_AT_SPLITS;
    const uint32_t first1 = first[s1], first2 = first[s2];
    const uint32_t begin1 = first1 & (COMBGPU__SIX_SPLIT_ROOM - 1);
    const uint32_t begin2 = first2 & (COMBGPU__SIX_SPLIT_ROOM - 1);
    const uint32_t end1 = begin1 + first1 / COMBGPU__SIX_SPLIT_ROOM;
    const uint32_t end2 = begin2 + first2 / COMBGPU__SIX_SPLIT_ROOM;
    const uint32_t keys2 = work[COMBGPU__SIX_AT_KEYS + 2 * s2];
    uint32_t i1, i2, squares = 0, at;
    for (i1 = begin1; i1 < end1; i1++) {
        const uint32_t p1 = splits[i1], wants2 = combgpu_six_wants(p1 >> 16, spread[0]);
        if (!(wants2 & keys2)) continue;
        for (i2 = begin2; i2 < end2; i2++) {
            const uint32_t p2 = splits[i2];
            uint32_t others, match;
            if (!(wants2 & combgpu_six_has(p2))) continue;
            match = combgpu_six_ways(p1 >> 16, p2, spread[0]);
            if (!match) continue;
            match = s0 | match << COMBGPU__SIX_SEGMENT_BITS;
            others = (p1 & 0xffff) | (p2 & 0xffff0000u);
            at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_MATCHES], 1);
            if (at >= COMBGPU__SIX_MATCH_ROOM) {
                squares += combgpu_six_match0(work, spread, team, others, match);
                continue;
            }
            team[COMBGPU__SIX_PAIRED + 2 * at] = others;
            team[COMBGPU__SIX_PAIRED + 2 * at + 1] = match;
        }
    }
    return squares;
}

/* All lanes: lists the sets of row pair 0 that are in the share of the part; none if the step is not
   to be counted. */
COMBGPU__DEVICE void combgpu_six_begin(COMBGPU__GLOBAL const uint32_t *work,
                                       COMBGPU__GLOBAL uint32_t *list,
                                       COMBGPU__LOCAL uint32_t *scratch, uint32_t shares)
{
    COMBGPU__LOCAL uint32_t *counters = scratch + COMBGPU__SIX_COUNTERS;
    const uint32_t part = scratch[COMBGPU__SIX_STEP + 1], share = scratch[COMBGPU__SIX_SHARE];
    const uint32_t lane = COMBGPU__LANE_ID;
    const uint32_t sets =
        scratch[COMBGPU__SIX_OUTCOME] == COMBGPU__SIX_COUNTED ? work[COMBGPU__SIX_AT_COUNT] : 0;
    uint32_t i;
    if (lane < 4) counters[lane] = 0;
    COMBGPU__BLOCK_BARRIER();
    for (i = lane; i < sets; i += COMBGPU__SIX_LANES) {
        const uint32_t set = work[COMBGPU__SIX_AT_NUMBERS + i];
        const uint32_t hash = (uint32_t)combgpu_mix(set);
        if (set != COMBGPU__NONE && hash % COMBGPU__SIX_PARTS == part &&
            hash / COMBGPU__SIX_PARTS % shares == share)
            list[COMBGPU__LOCAL_ATOMIC_ADD(&counters[COMBGPU__SIX_N_LISTED], 1)] = i;
    }
    COMBGPU__BLOCK_BARRIER();
}

/* All lanes of a team, until neither units nor entries are left: the squares. */
COMBGPU__DEVICE uint32_t combgpu_six_team(COMBGPU__GLOBAL const uint32_t *work,
                                          COMBGPU__GLOBAL const uint32_t *list,
                                          COMBGPU__LOCAL uint32_t *scratch)
{
    COMBGPU__LOCAL const int32_t *spread =
        (COMBGPU__LOCAL const int32_t *)(scratch + COMBGPU__SIX_OPEN + COMBGPU__SIX_SPREAD);
    const uint32_t lane = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM;
    COMBGPU__LOCAL uint32_t *team = scratch + COMBGPU__SIX_AREA +
                                    COMBGPU__LANE_ID / COMBGPU__SIX_TEAM * COMBGPU__SIX_TEAM_WORDS;
    combgpu_six_search_t search;
    uint32_t squares = 0, one = 0, two = 0;
    search.state = 0;
    if (lane < 8) team[lane] = lane == COMBGPU__SIX_N_SEARCHING ? COMBGPU__SIX_TEAM : 0;
    COMBGPU__SIX_TEAM_BARRIER();
    for (;;) {
        /* the queue furthest down that keeps all lanes busy; a short one once nothing comes */
        const uint32_t searching = team[COMBGPU__SIX_N_SEARCHING];
        const uint32_t partitions =
            min(team[COMBGPU__SIX_N_PARTITIONS], (uint32_t)COMBGPU__SIX_PARTITION_ROOM);
        const uint32_t items = min(team[COMBGPU__SIX_N_ITEMS], (uint32_t)COMBGPU__SIX_ITEM_ROOM);
        const uint32_t alive = team[COMBGPU__SIX_N_ALIVE];
        const uint32_t matches =
            min(team[COMBGPU__SIX_N_MATCHES], (uint32_t)COMBGPU__SIX_MATCH_ROOM);
        const uint32_t hits = min(team[COMBGPU__SIX_N_HITS], (uint32_t)COMBGPU__SIX_HIT_ROOM);
        uint32_t queue = COMBGPU__SIX_N_SEARCHING, count = 0, from, here, above = searching;
        uint32_t entries = COMBGPU__SIX_PARTITIONS;
        if (partitions >= COMBGPU__SIX_TEAM || (partitions && !above))
            queue = COMBGPU__SIX_N_PARTITIONS, count = partitions;
        above |= partitions;
        if (items >= COMBGPU__SIX_TEAM || (items && !above))
            queue = COMBGPU__SIX_N_ITEMS, count = items, entries = COMBGPU__SIX_ITEMS;
        above |= items;
        if (alive >= COMBGPU__SIX_TEAM || (alive && !above))
            queue = COMBGPU__SIX_N_ALIVE, count = alive, entries = COMBGPU__SIX_ALIVE;
        above |= alive;
        if (matches >= COMBGPU__SIX_TEAM || (matches && !above))
            queue = COMBGPU__SIX_N_MATCHES, count = matches, entries = COMBGPU__SIX_PAIRED;
        above |= matches;
        if (hits >= COMBGPU__SIX_TEAM || (hits && !above))
            queue = COMBGPU__SIX_N_HITS, count = hits, entries = COMBGPU__SIX_HITS;
        if (queue == COMBGPU__SIX_N_SEARCHING && !searching) break;
        from = (uint32_t)max((int32_t)count - COMBGPU__SIX_TEAM, 0);
        here = from + lane < count;
        if (here) {
            if (queue == COMBGPU__SIX_N_PARTITIONS) {
                one = team[COMBGPU__SIX_PARTITIONS + from + lane];
            } else {
                one = team[entries + 2 * (from + lane)];
                two = team[entries + 2 * (from + lane) + 1];
            }
        }
        COMBGPU__SIX_TEAM_BARRIER();
        if (lane == 0) {
            if (queue == COMBGPU__SIX_N_SEARCHING)
                team[COMBGPU__SIX_N_PARTITIONS] = partitions;
            else
                team[queue] = from;
        }
        COMBGPU__SIX_TEAM_BARRIER();
        if (queue == COMBGPU__SIX_N_SEARCHING)
            combgpu_six_search(&search, work, list, scratch, team);
        else if (here && queue == COMBGPU__SIX_N_PARTITIONS)
            combgpu_six_partition(work, team, one);
        else if (queue == COMBGPU__SIX_N_ITEMS)
            combgpu_six_items(work, team, one, two, here, from);
        else if (here && queue == COMBGPU__SIX_N_ALIVE)
            squares += combgpu_six_alive(work, spread, team, one, two);
        else if (here && queue == COMBGPU__SIX_N_MATCHES)
            squares += combgpu_six_match0(work, spread, team, one, two);
        else if (here)
            squares += combgpu_six_squares(spread, one, two);
        COMBGPU__SIX_TEAM_BARRIER();
    }
    return squares;
}

/* The squares of the share of the step. */
COMBGPU__DEVICE uint32_t combgpu_six_count(COMBGPU__GLOBAL const uint32_t *work,
                                           COMBGPU__GLOBAL uint32_t *list,
                                           COMBGPU__LOCAL uint32_t *scratch, uint32_t shares)
{
    COMBGPU__LOCAL uint32_t *counters = scratch + COMBGPU__SIX_COUNTERS;
    uint32_t squares;
    combgpu_six_begin(work, list, scratch, shares);
    squares = combgpu_six_team(work, list, scratch);
    if (squares) COMBGPU__LOCAL_ATOMIC_ADD(&counters[COMBGPU__SIX_N_SQUARES], squares);
    COMBGPU__LOCAL_BARRIER();
    squares = counters[COMBGPU__SIX_N_SQUARES];
    COMBGPU__LOCAL_BARRIER();
    return squares;
}

/* ----------------------------------------------------------------------- src/magic/six/solve.cl */

/* The kernel for order 6 with both diagonals given. */

/* Lane 0: adds the squares of a share. Nonzero if it completes its step; then *squares has all of
   the step. */
COMBGPU__DEVICE uint32_t combgpu_six_add(COMBGPU__GLOBAL uint32_t *area, uint32_t part,
                                         uint32_t shares, uint32_t *squares)
{
    if (*squares) COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_SQUARES + part], *squares);
    COMBGPU__SIX_FENCE();
    if (COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_SHARES + part], 1) != shares - 1) return 0;
    COMBGPU__SIX_FENCE();
    *squares = COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_SQUARES + part]);
    return 1;
}

/* Lane 0: settles a step, or this block's share of it. */
COMBGPU__DEVICE void combgpu_six_done(COMBGPU__GLOBAL combgpu__slice *slice,
                                      COMBGPU__GLOBAL uint32_t *left,
                                      COMBGPU__GLOBAL uint32_t *records,
                                      COMBGPU__GLOBAL uint32_t *area, combgpu_six_turn_t *turn,
                                      uint32_t outcome, uint32_t squares)
{
    const uint32_t part = (uint32_t)(turn->next % COMBGPU__SIX_PARTS);
    uint32_t back = outcome == COMBGPU__SIX_NO_AREA;
    if (outcome == COMBGPU__SIX_COUNTED && combgpu_six_add(area, part, turn->shares, &squares)) {
        turn->steps++;
        turn->squares += squares;
        turn->hash += combgpu_mix(combgpu_mix(turn->base + turn->next) ^ squares);
    }
    if (outcome == COMBGPU__SIX_TOO_LARGE && turn->share == turn->shares - 1) {
        const uint32_t at = combgpu_emit(slice);
        back = at == COMBGPU__NONE;
        if (!back) {
            combgpu_store64(records + 2 * at, turn->next);
            turn->steps++;
        }
    }
    if (back)
        combgpu_six_back(slice, left, turn);
    else if (outcome != COMBGPU__SIX_AHEAD_ONLY)
        turn->next++;
    turn->ahead = COMBGPU__NONE;
}

/* Words of `tables`: layout.h. A record is a step for the host, whose tables have room. Each lane
   reads the step again behind each barrier: see combgpu_six_batch. */
COMBGPU__KERNEL_BLOCKS(COMBGPU__SIX_LANES, 4) combgpu_magic_six(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint32_t scratch[COMBGPU__SIX_LOCAL];
    const uint32_t areas = combgpu_six_areas(slice, tables);
    const uint32_t lane = COMBGPU__LANE_ID;
    COMBGPU__GLOBAL uint32_t *list =
        combgpu_six_area(work, areas) + (uint64_t)COMBGPU__BLOCK_ID * COMBGPU__SIX_ROOM;
    combgpu_six_turn_t turn; /* of lane 0 */
    if (COMBGPU__BLOCK_ID >= slice->workers) return;
    combgpu_six_start(&turn, tables);
    combgpu_six_fours(scratch);
    combgpu_six_enter(slice, work, scratch);
    for (;;) {
        uint32_t squares = 0;
        if (lane == 0) {
            scratch[COMBGPU__SIX_CONTINUES] =
                combgpu_six_next(slice, tables, tasks, left, work, &turn);
            scratch[COMBGPU__SIX_STEP] = turn.ahead != COMBGPU__NONE
                                             ? turn.ahead
                                             : (uint32_t)(turn.next / COMBGPU__SIX_PARTS);
            scratch[COMBGPU__SIX_STEP + 1] = (uint32_t)(turn.next % COMBGPU__SIX_PARTS);
            scratch[COMBGPU__SIX_SHARE] = turn.share;
            scratch[COMBGPU__SIX_AHEAD] = turn.ahead != COMBGPU__NONE;
        }
        COMBGPU__LOCAL_BARRIER();
        if (!scratch[COMBGPU__SIX_CONTINUES]) break;
        combgpu_six_share(work, areas, tables, list, scratch, scratch[COMBGPU__SIX_STEP]);
        squares = combgpu_six_count(combgpu_six_area(work, scratch[COMBGPU__SIX_PLACE_AT]), list,
                                    scratch, tables[COMBGPU__PARTS_AT_SHARES]);
        COMBGPU__LOCAL_BARRIER();
        if (lane == 0) {
            if (scratch[COMBGPU__SIX_OUTCOME] == COMBGPU__SIX_NO_AREA)
                COMBGPU__ATOMIC_OR(&work[COMBGPU__SIX_AT_FULL], 1);
            combgpu_six_done(slice, left, records,
                             combgpu_six_area(work, scratch[COMBGPU__SIX_PLACE_AT]), &turn,
                             scratch[COMBGPU__SIX_OUTCOME], squares);
        }
        COMBGPU__LOCAL_BARRIER();
    }
    if (lane == 0) {
        combgpu_six_leave(slice, tables, tasks, left);
        combgpu_add_total(slice, 0, turn.steps);
        combgpu_add_total(slice, 1, turn.hash);
        combgpu_add_total(slice, 2, turn.squares);
    }
}

/* --------------------------------------------------------------------- src/magic/cells/ranks.cl */

/* Searches for squares of unevenly spaced numbers: cells/search.cl over ranks, with sums of the
   numbers. Words of `tables`: layout.h. */
#define COMBGPU__RANKS_START(level) (tables[COMBGPU__RANKS_AT_START + (level)])
#define COMBGPU__RANKS_ENTRY(position) (tables[COMBGPU__RANKS_AT_ENTRY + (position)])
#define COMBGPU__RANKS_NUMBER(rank) ((int32_t)tables[COMBGPU__RANKS_AT_NUMBER + (rank)-1])

typedef struct combgpu_cells_ranks_t {
    uint32_t cells, levels;
    uint32_t unused[26], mask[26]; /* before a level; still to try at it */
    int32_t values[26];            /* by position; [cells] stays 0 */
    uint8_t ranks[28];
} combgpu_cells_ranks_t;

/* Returns what a line leaves for its last cell; sums of five numbers have 32 bits. */
COMBGPU__DEVICE int64_t combgpu_cells_ranks_leaves(const combgpu_cells_ranks_t *m,
                                                   COMBGPU__GLOBAL const uint32_t *line)
{
    uint32_t a = line[1], b = line[2];
    return (int64_t)(int32_t)line[0] - m->values[a & 255] - m->values[(a >> 8) & 255] -
           m->values[(a >> 16) & 255] - m->values[a >> 24] - m->values[b & 255];
}

/* Tries a rank in a level's first cell. Returns 0 if impossible, 1 if the next level is ready, 2 if
   the square is full. */
COMBGPU__DEVICE uint32_t combgpu_cells_ranks_enter(combgpu_cells_ranks_t *m,
                                                   COMBGPU__GLOBAL const uint32_t *tables,
                                                   uint32_t level, uint32_t rank)
{
    uint32_t position = COMBGPU__RANKS_START(level), end = COMBGPU__RANKS_START(level + 1),
             unused = m->unused[level];
    for (;;) {
        uint32_t at = COMBGPU__RANKS_ENTRY(position), head = tables[at++], i, step;
        int32_t value = COMBGPU__RANKS_NUMBER(rank);
        int64_t rest;
        m->ranks[position] = (uint8_t)rank;
        m->values[position] = value;
        unused &= ~(1u << rank);
        for (i = (head >> 8) & 255; i; i--, at += 3)
            if (combgpu_cells_ranks_leaves(m, tables + at) != value) return 0;
        for (i = head >> 16; i; i--, at++)
            if ((value > m->values[tables[at] & 255]) != ((tables[at] & 256) != 0)) return 0;
        if (++position == end) break;
        rest = combgpu_cells_ranks_leaves(m, tables + COMBGPU__RANKS_ENTRY(position) + 1);
        for (rank = 0, step = 16; step; step >>= 1) /* the last rank whose number is at most rest */
            if (rank + step <= m->cells && COMBGPU__RANKS_NUMBER(rank + step) <= rest) rank += step;
        if (!rank || COMBGPU__RANKS_NUMBER(rank) != rest || !((unused >> rank) & 1)) return 0;
    }
    if (level + 1 == m->levels) return 2;
    m->unused[level + 1] = m->mask[level + 1] = unused;
    return 1;
}

/* Returns the rank to try next, as combgpu_cells_pick. */
COMBGPU__DEVICE uint32_t combgpu_cells_ranks_pick(const combgpu_cells_ranks_t *m, uint32_t level,
                                                  uint32_t mask)
{
    uint32_t from =
        m->levels < COMBGPU__MAGIC_SPREAD ? 0 : mask & ~0u << (1 + (11 + 23 * level) % m->cells);
    return COMBGPU__CTZ(from ? from : mask);
}

COMBGPU__KERNEL combgpu_magic_ranks(COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_cells_ranks_t m;
    uint32_t steps = 0, full = 0, task, bottom, level, found, mask, rank, p, w, at, word;
    (void)work;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    m.cells = tables[COMBGPU__SEARCH_AT_CELLS];
    m.levels = tables[COMBGPU__SEARCH_AT_LEVELS];
    m.values[m.cells] = 0;
    while (!full && !combgpu_spent(slice, steps)) {
        task = combgpu_take(slice);
        if (task == COMBGPU__NONE) break;
        task *= slice->task_words;
        bottom = level = tasks[task];
        m.unused[level] = (2u << m.cells) - 2;
        m.mask[level] = tasks[task + 1];
        for (p = 0; p < COMBGPU__RANKS_START(level); p++) {
            word = (tasks[task + 2 + p / 4] >> (8 * (p & 3))) & 255;
            m.ranks[p] = (uint8_t)word;
            m.values[p] = COMBGPU__RANKS_NUMBER(word);
            m.unused[level] &= ~(1u << word);
        }
        for (;;) {
            mask = m.mask[level];
            if (!mask) {
                if (level == bottom) break;
                level--;
                continue;
            }
            if (full || combgpu_spent(slice, steps)) {
                for (;; level--) { /* the whole stack becomes tasks */
                    if (m.mask[level]) {
                        at = combgpu_give(slice) * slice->task_words;
                        left[at] = level;
                        left[at + 1] = m.mask[level];
                        for (w = 0; w + 2 < slice->task_words; w++) {
                            for (word = 0, p = 4 * w;
                                 p < 4 * w + 4 && p < COMBGPU__RANKS_START(level); p++)
                                word |= (uint32_t)m.ranks[p] << (8 * (p & 3));
                            left[at + 2 + w] = word;
                        }
                    }
                    if (level == bottom) break;
                }
                break;
            }
            rank = combgpu_cells_ranks_pick(&m, level, mask);
            m.mask[level] = mask & ~(1u << rank);
            found = combgpu_cells_ranks_enter(&m, tables, level, rank);
            if (found == 2) {
                at = combgpu_emit(slice);
                if (at == COMBGPU__NONE) {
                    m.mask[level] = mask; /* not counted: the rank is tried again */
                    full = 1;
                    continue;
                }
                at *= slice->record_words;
                for (w = 0; w < slice->record_words; w++)
                    records[at + w] = 0;
                for (p = 0; p < m.cells; p++) {
                    word = tables[COMBGPU__RANKS_ENTRY(p)] & 255;
                    records[at + word / 4] |= (uint32_t)m.ranks[p] << (8 * (word & 3));
                }
            }
            steps++;
            level += found & 1;
        }
    }
    combgpu_add_total(slice, 0, steps);
}

/* --------------------------------------------------------------------- src/magic/seven/ultra.cl */

/* Counts and lists ultramagic squares of order 7: a lane takes units.

   seven/ultra.c explains the method and its words: value, word, plane, coordinates, upright, origin, unit.
   Functions have the names of their C forms there, and find the same squares in the same order. Here a
   sum is six words of four bytes, a value mod 64 in each: value i is byte i % 4 of word i / 4. Words
   of `tables`: layout.h. */

/* Linear conditions on coordinates, solved. */
typedef struct combgpu_seven_ultra_rows_t {
    uint32_t row[8], pivot[8], zero[8]; /* bit k: coordinate k; bit 12 + k: condition k */
    uint32_t count, zeros;              /* of `row` and `pivot`; of `zero` */
} combgpu_seven_ultra_rows_t;

/* The state above a unit. */
typedef struct combgpu_seven_ultra_t {
    uint32_t plane[6]; /* words */
    /* of the coordinates, without those for planes 3, 4, 5 on */
    uint32_t sum3[6], sum4[6], sum5[6];
    uint64_t keep;     /* symmetries that keep the origin, without the identity */
    uint64_t from, to; /* of numbers; to: the end of the range, or where records found no room */
    uint64_t number;   /* of the next square */
    uint64_t hash, squares; /* of all units of this lane: what it adds to the slice's totals */
} combgpu_seven_ultra_t;

#define COMBGPU__ULTRA_ARGUMENTS                                                                   \
    COMBGPU__GLOBAL combgpu__slice *slice, COMBGPU__GLOBAL const uint32_t *tables,                 \
        COMBGPU__GLOBAL uint32_t *records, combgpu_seven_ultra_t *u

/* The coordinates of a word that solves the equations: 12 of its bits. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_at(uint32_t word)
{
    return (word & 63) | (word >> 1 & 0xfc0);
}

/* The word of 12 coordinates mod 2. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_word(COMBGPU__GLOBAL const uint32_t *tables,
                                                  uint32_t coordinates)
{
    return tables[COMBGPU__ULTRA_AT_WORD + (coordinates & 63)] ^
           tables[COMBGPU__ULTRA_AT_WORD + 64 + (coordinates >> 6)];
}

/* Writes `from` and vectors times 2^shift, mod 64, to `sum`. */
COMBGPU__DEVICE void combgpu_seven_ultra_add(COMBGPU__GLOBAL const uint32_t *tables, uint32_t *sum,
                                             const uint32_t *from, uint32_t coordinates,
                                             uint32_t shift)
{
    COMBGPU__GLOBAL const uint32_t *a = tables + COMBGPU__ULTRA_AT_SUM + 6 * (coordinates & 63);
    COMBGPU__GLOBAL const uint32_t *b =
        tables + COMBGPU__ULTRA_AT_SUM + 6 * (64 + (coordinates >> 6));
    uint32_t i;
    for (i = 0; i < 6; i++) {
        uint32_t more = (a[i] + b[i]) & 0x01010101u * (63u >> shift);
        sum[i] = (from[i] + (more << shift)) & 0x3f3f3f3fu;
    }
}

/* The word of bit k of a sum's values. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_bit(const uint32_t *sum, uint32_t k)
{
    uint32_t word = 0, i;
    for (i = 0; i < 6; i++)
        word |= (((sum[i] >> k) & 0x01010101u) * 0x01020408u >> 24) << (4 * i);
    return word;
}

/* Adds condition number k: an even or odd number of these cells is in the word. */
COMBGPU__DEVICE void combgpu_seven_ultra_condition(COMBGPU__GLOBAL const uint32_t *tables,
                                                   combgpu_seven_ultra_rows_t *rows, uint32_t k,
                                                   uint32_t cells)
{
    COMBGPU__GLOBAL const uint32_t *part = tables + COMBGPU__ULTRA_AT_ROW;
    uint32_t row = part[cells & 63] ^ part[64 + ((cells >> 6) & 63)] ^
                   part[128 + ((cells >> 12) & 63)] ^ part[192 + (cells >> 18)] ^ (4096u << k);
    uint32_t pivot, i;
    for (i = 0; i < rows->count; i++)
        if (row & rows->pivot[i]) row ^= rows->row[i];
    pivot = row & (0u - row);
    if (pivot > 4095) {
        rows->zero[rows->zeros++] = row;
        return;
    }
    for (i = 0; i < rows->count; i++)
        if (rows->row[i] & pivot) rows->row[i] ^= row;
    rows->row[rows->count] = row;
    rows->pivot[rows->count++] = pivot;
}

/* Returns coordinates with these parities, bit k of `odd` for condition k; 4096 if none have
   them. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_solve(const combgpu_seven_ultra_rows_t *rows,
                                                   uint32_t odd)
{
    uint32_t coordinates = 0, i;
    for (i = 0; i < rows->zeros; i++)
        if (COMBGPU__POPCOUNT((rows->zero[i] >> 12) & odd) & 1) return 4096;
    for (i = 0; i < rows->count; i++)
        if (COMBGPU__POPCOUNT((rows->row[i] >> 12) & odd) & 1) coordinates |= rows->pivot[i];
    return coordinates;
}

/* Writes the words of a base of all coordinates that keep the parities, at most 12. Returns their
   number. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_words(COMBGPU__GLOBAL const uint32_t *tables,
                                                   const combgpu_seven_ultra_rows_t *rows,
                                                   uint32_t *words)
{
    uint32_t others = 4095, bit, i, count = 0, at;
    for (i = 0; i < rows->count; i++)
        others ^= rows->pivot[i];
    for (; others; others &= others - 1) {
        at = bit = others & (0u - others);
        for (i = 0; i < rows->count; i++)
            if (rows->row[i] & bit) at |= rows->pivot[i];
        words[count++] = combgpu_seven_ultra_word(tables, at);
    }
    return count;
}

/* Returns the sum of the checksums of a square and its images, one of each class up to D4, in
   Frenicle form. */
COMBGPU__DEVICE uint64_t combgpu_seven_ultra_hash(COMBGPU__GLOBAL const uint32_t *tables,
                                                  const int32_t *value)
{
    COMBGPU__GLOBAL const uint32_t *cell = tables + COMBGPU__ULTRA_AT_CELL;
    uint64_t sum = 0;
    uint32_t g, i, k;
    for (g = 0; g < 6; g++, cell += 13) {
        uint64_t hash = COMBGPU__MAGIC_FNV_OFFSET;
        uint32_t number[49], best = 0, across, row, column;
        for (i = 0; i < 49; i++) {
            uint32_t at = (cell[i / 4] >> (8 * (i % 4))) & 255;
            number[i] = (uint32_t)(25 + (at < 24 ? value[at] : at == 24 ? 0 : -value[48 - at]));
        }
        for (i = 1; i < 4; i++)
            if (number[(i & 1) * 6 + (i >> 1) * 42] < number[(best & 1) * 6 + (best >> 1) * 42])
                best = i;
        across = number[(best & 2 ? 42 : 0) + (best & 1 ? 5 : 1)] >
                 number[(best & 2 ? 35 : 7) + (best & 1 ? 6 : 0)];
        for (i = 0; i < 49; i++) {
            row = across ? i % 7 : i / 7;
            column = across ? i / 7 : i % 7;
            k = (best & 2 ? 6 - row : row) * 7 + (best & 1 ? 6 - column : column);
            hash = (hash ^ number[k]) * COMBGPU__MAGIC_FNV_PRIME;
        }
        sum += hash;
    }
    return sum;
}

/* Nonzero if a square, as 24 values, is the least of its images that have the same origin. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_is_least(COMBGPU__GLOBAL const uint32_t *tables,
                                                      uint64_t keep, const int32_t *value)
{
    uint64_t rest = keep;
    uint32_t i;
    for (; rest; rest &= rest - 1) {
        COMBGPU__GLOBAL const uint32_t *to =
            tables + COMBGPU__ULTRA_AT_IMAGE + 6 * combgpu_lowest_bit64(rest);
        int32_t image = 0;
        for (i = 0; i < 24; i++) {
            uint32_t from = to[i / 4] >> (8 * (i % 4));
            image = from & 128 ? -value[from & 31] : value[from & 31];
            if (image != value[i]) break;
        }
        if (i < 24 && image < value[i]) return 0;
    }
    return 1;
}

/* Takes a solution in 24 values that are 1 to 24 up to signs: counts it, or writes a record of 49
   numbers, a byte each. */
COMBGPU__DEVICE void combgpu_seven_ultra_square(COMBGPU__ULTRA_ARGUMENTS)
{
    int32_t value[24];
    uint32_t i, k, at;
    for (i = 0; i < 24; i++) {
        value[i] = -32 * (int32_t)((u->plane[5] >> i) & 1);
        for (k = 0; k < 5; k++)
            value[i] += (int32_t)((u->plane[k] >> i) & 1) << k;
    }
    if (!combgpu_seven_ultra_is_least(tables, u->keep, value)) return;
    u->number++;
    if (u->number <= u->from || u->number > u->to) return;
    if (!tables[COMBGPU__ULTRA_AT_LIST]) {
        u->hash += combgpu_seven_ultra_hash(tables, value);
        u->squares++;
        return;
    }
    at = combgpu_emit(slice);
    if (at == COMBGPU__NONE) {
        u->to = u->number - 1;
        return;
    }
    for (i = 0; i < 13; i++) {
        uint32_t word = 0;
        for (k = 0; k < 4 && 4 * i + k < 49; k++) {
            uint32_t cell = 4 * i + k;
            int32_t signed_value = cell < 24 ? value[cell] : cell == 24 ? 0 : -value[48 - cell];
            word |= (uint32_t)(25 + signed_value) << (8 * k);
        }
        records[13 * (uint64_t)at + i] = word;
    }
}

/* Checks whether the sums, 0 mod 64, of 24 values that are 1 to 24 up to signs are 0. */
COMBGPU__DEVICE void combgpu_seven_ultra_leaf(COMBGPU__ULTRA_ARGUMENTS)
{
    COMBGPU__GLOBAL const uint32_t *line = tables + COMBGPU__ULTRA_AT_LINE;
    uint32_t i, k;
    for (k = 0; k < COMBGPU__ULTRA_LINES; k++) {
        int32_t sum = 0;
        for (i = 0; i < 6; i++)
            sum += ((int32_t)COMBGPU__POPCOUNT(u->plane[i] & line[2 * k]) -
                    (int32_t)COMBGPU__POPCOUNT(u->plane[i] & line[2 * k + 1])) *
                   (i < 5 ? 1 << i : -32);
        if (sum) return;
    }
    combgpu_seven_ultra_square(slice, tables, records, u);
}

/* Plane 5: the sets of one to three cells, number 7 aside, and the solved conditions on it come from
   plane 4; `words` has `dimensions` words of a base. `known` has the cells whose values are
   known, which are not in the upright plane; of the two others of a set of three, one is. */
COMBGPU__DEVICE void combgpu_seven_ultra_plane5(COMBGPU__ULTRA_ARGUMENTS, const uint32_t *set,
                                                const combgpu_seven_ultra_rows_t *rows,
                                                const uint32_t *words, uint32_t dimensions,
                                                uint32_t upright, uint32_t known)
{
    uint32_t bit = combgpu_seven_ultra_bit(u->sum5, 5), x = bit ^ upright, odd = 0, word, i, k;
    for (k = 0; k < 9; k++)
        if (k != 7) odd |= ((COMBGPU__POPCOUNT(x & set[k]) & 1) ^ 1) << k;
    word = combgpu_seven_ultra_solve(rows, odd);
    if (word > 4095) return;
    word = combgpu_seven_ultra_word(tables, word);
    for (i = 1;; i++) {
        if (!((x ^ word) & known)) {
            u->plane[5] = bit ^ word;
            combgpu_seven_ultra_leaf(slice, tables, records, u);
        }
        if (i >> dimensions) return;
        word ^= words[COMBGPU__CTZ(i)];
    }
}

/* Plane 4: in each of seven sets of three, two cells are in the upright plane, or one; where it is
   one, the plane is turned over. `upright3` is the upright plane 3. */
COMBGPU__DEVICE void combgpu_seven_ultra_plane4(COMBGPU__ULTRA_ARGUMENTS, uint32_t upright3)
{
    uint32_t *p = u->plane;
    uint32_t odd1 = p[0] & ~(p[1] ^ p[2]), odd5 = p[0] & (p[1] ^ p[2]), two = ~p[0] & p[1];
    uint32_t four = ~p[0] & ~p[1] & p[2], eight = ~p[0] & ~p[1] & ~p[2] & 0xffffff;
    uint32_t set[9], turned, upright, all, bit, x, odd = 0, word, i, k, dimensions4, dimensions5;
    uint32_t words4[12], words5[12];
    combgpu_seven_ultra_rows_t rows4, rows5;
    set[0] = odd1 & ~upright3, set[1] = odd5 & ~upright3, set[2] = two & ~upright3;
    set[3] = odd1 & upright3, set[4] = odd5 & upright3, set[5] = two & upright3;
    set[6] = four, set[7] = eight & ~p[3], set[8] = eight & p[3];
    turned = set[3] | set[4] | set[5];
    all = p[0] | two | four;
    upright = (p[1] & p[0]) ^ (p[2] & two) ^ (p[3] & four) ^ turned;
    rows4.count = rows4.zeros = 0;
    for (k = 0; k < 7; k++)
        combgpu_seven_ultra_condition(tables, &rows4, k, set[k]);
    rows5 = rows4;
    combgpu_seven_ultra_condition(tables, &rows4, 7, set[7]);
    combgpu_seven_ultra_condition(tables, &rows5, 8, set[8]);
    bit = combgpu_seven_ultra_bit(u->sum4, 4), x = bit ^ upright;
    for (k = 0; k < 7; k++)
        odd |= (COMBGPU__POPCOUNT(x & set[k]) & 1) << k;
    odd |= (bit & set[7] ? 0u : 1u) << 7;
    word = combgpu_seven_ultra_solve(&rows4, odd);
    if (word > 4095) return;
    dimensions4 = combgpu_seven_ultra_words(tables, &rows4, words4);
    dimensions5 = combgpu_seven_ultra_words(tables, &rows5, words5);
    word = combgpu_seven_ultra_word(tables, word);
    for (i = 1;; i++) {
        uint32_t y = x ^ word;
        if ((y & set[0]) && (y & set[1]) && (y & set[2]) && (y & set[3]) && (y & set[4]) &&
            (y & set[5]) && (y & set[6])) {
            p[4] = bit ^ word;
            combgpu_seven_ultra_add(tables, u->sum5, u->sum4, combgpu_seven_ultra_at(word), 4);
            combgpu_seven_ultra_plane5(slice, tables, records, u, set, &rows5, words5, dimensions5,
                                       upright ^ (p[4] & set[8]), all & ~y);
        }
        if (i >> dimensions4) return;
        word ^= words4[COMBGPU__CTZ(i)];
    }
}

/* Plane 3: it halves three sets of six, and has two of the three values 8, 16 and 24. */
COMBGPU__DEVICE void combgpu_seven_ultra_plane3(COMBGPU__ULTRA_ARGUMENTS)
{
    uint32_t *p = u->plane;
    uint32_t two = ~p[0] & p[1], bit, upright = (p[1] & p[0]) ^ (p[2] & two), x, odd = 0, word, i,
             k, dimensions, set[4], words[12];
    combgpu_seven_ultra_rows_t rows;
    set[0] = p[0] & ~(p[1] ^ p[2]), set[1] = p[0] & (p[1] ^ p[2]), set[2] = two;
    set[3] = ~p[0] & ~p[1] & ~p[2] & 0xffffff;
    rows.count = rows.zeros = 0;
    bit = combgpu_seven_ultra_bit(u->sum3, 3);
    x = bit ^ upright;
    for (k = 0; k < 4; k++) {
        combgpu_seven_ultra_condition(tables, &rows, k, set[k]);
        odd |= ((COMBGPU__POPCOUNT(x & set[k]) & 1) ^ (k < 3 ? 1u : 0u)) << k;
    }
    word = combgpu_seven_ultra_solve(&rows, odd);
    if (word > 4095) return;
    dimensions = combgpu_seven_ultra_words(tables, &rows, words);
    word = combgpu_seven_ultra_word(tables, word);
    for (i = 1;; i++) {
        uint32_t y = x ^ word;
        if (COMBGPU__POPCOUNT(y & set[0]) == 3 && COMBGPU__POPCOUNT(y & set[1]) == 3 &&
            COMBGPU__POPCOUNT(y & set[2]) == 3 && (y & set[3])) {
            p[3] = bit ^ word;
            combgpu_seven_ultra_add(tables, u->sum4, u->sum3, combgpu_seven_ultra_at(word), 3);
            combgpu_seven_ultra_plane4(slice, tables, records, u, y);
        }
        if (i >> dimensions) return;
        word ^= words[COMBGPU__CTZ(i)];
    }
}

/* Searches a unit: planes 0 and 1 from its origin, plane 2 from each of its words. */
COMBGPU__DEVICE void combgpu_seven_ultra_unit(COMBGPU__ULTRA_ARGUMENTS, uint32_t unit)
{
    COMBGPU__GLOBAL const uint32_t *origin =
        tables + COMBGPU__ULTRA_AT_ORIGIN + COMBGPU__ULTRA_ORIGIN * (unit / COMBGPU__ULTRA_PARTS);
    uint32_t sum[6] = {0, 0, 0, 0, 0, 0}, i, bit, *p = u->plane;
    combgpu_seven_ultra_add(tables, sum, sum, origin[0] & 4095, 0);
    combgpu_seven_ultra_add(tables, sum, sum, origin[0] >> 12, 1);
    p[0] = combgpu_seven_ultra_bit(sum, 0);
    p[1] = combgpu_seven_ultra_bit(sum, 1);
    bit = combgpu_seven_ultra_bit(sum, 2);
    u->keep = combgpu_load64(origin + 1);
    for (i = 0; i < 4096 / COMBGPU__ULTRA_PARTS; i++) {
        uint32_t coordinates = unit % COMBGPU__ULTRA_PARTS * (4096 / COMBGPU__ULTRA_PARTS) + i;
        p[2] = bit ^ combgpu_seven_ultra_word(tables, coordinates);
        if (COMBGPU__POPCOUNT((p[2] ^ p[1]) & p[0]) != 6 ||
            COMBGPU__POPCOUNT(p[2] & ~p[0] & ~p[1]) != 3)
            continue;
        combgpu_seven_ultra_add(tables, u->sum3, sum, coordinates, 2);
        combgpu_seven_ultra_plane3(slice, tables, records, u);
    }
}

/* A task is a range of numbers of squares, which may begin and end within a unit. */
COMBGPU__KERNEL combgpu_magic_ultra(COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_seven_ultra_t u;
    uint32_t steps = 0;
    uint64_t number = 0, end = 0, unit;
    (void)work;
    u.hash = u.squares = 0;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    while (combgpu_in_range(slice, tasks, left, &number, &end, steps)) {
        unit = number / COMBGPU__ULTRA_NUMBERS;
        u.from = number;
        u.to = end;
        u.number = unit * COMBGPU__ULTRA_NUMBERS;
        combgpu_seven_ultra_unit(slice, tables, records, &u, (uint32_t)unit);
        if (u.to > number && number % COMBGPU__ULTRA_NUMBERS == 0) steps++;
        number = (unit + 1) * COMBGPU__ULTRA_NUMBERS;
        if (number > u.to) number = u.to; /* the range ends here, or records found no room */
    }
    if (steps) combgpu_add_total(slice, 0, steps);
    if (!u.squares) return;
    combgpu_add_total(slice, COMBGPU__MAGIC_HASH, u.hash);
    combgpu_add_total(slice, COMBGPU__MAGIC_LIFTED, u.squares);
}

/* --------------------------------------------------------------- src/magic/seven/associative.cl */

/* Counts associative squares of order 7 in parts: a block of lanes takes steps.

   seven/associative.c explains the method and its words: size, frame, signing, filling, gap, again, batch,
   fits. The teams of a block (32 lanes each with shuffles, else the whole block) share the
   splittings of a batch: a team lists the fillings of rows 0 and 1, then a lane takes fillings of
   row 1 and joins them with those of row 0. Lanes that read the same filling of row 0 read words of
   the table 25 apart, so in different banks. */

#define COMBGPU__ASSOCIATIVE_LANES 256
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__ASSOCIATIVE_TEAM 32
#define COMBGPU__ASSOCIATIVE_TEAM_ID (COMBGPU__LANE_ID / 32)
#define COMBGPU__ASSOCIATIVE_TEAM_LANE (COMBGPU__LANE_ID % 32)
#define COMBGPU__ASSOCIATIVE_BARRIER() COMBGPU__WARP_BARRIER()
#else
#define COMBGPU__ASSOCIATIVE_TEAM COMBGPU__ASSOCIATIVE_LANES
#define COMBGPU__ASSOCIATIVE_TEAM_ID                                                               \
    0 /* a constant: loops with barriers are the same in all lanes */
#define COMBGPU__ASSOCIATIVE_TEAM_LANE COMBGPU__LANE_ID
#define COMBGPU__ASSOCIATIVE_BARRIER() COMBGPU__BLOCK_BARRIER()
#endif
#define COMBGPU__ASSOCIATIVE_TEAMS (COMBGPU__ASSOCIATIVE_LANES / COMBGPU__ASSOCIATIVE_TEAM)

/* Local memory, offsets in words. */
enum {
    COMBGPU__ASSOCIATIVE_FITS =
        0, /* [column][parity of row 0's gap][code of row 1's][of row 0's] */
    COMBGPU__ASSOCIATIVE_BITS = COMBGPU__ASSOCIATIVE_FITS + 3 * 2 * 25 * 25, /* [column][gap] */
    COMBGPU__ASSOCIATIVE_LISTED = COMBGPU__ASSOCIATIVE_BITS + 3 * 128,       /* again, by column */
    COMBGPU__ASSOCIATIVE_NUMBER =
        COMBGPU__ASSOCIATIVE_LISTED + 3, /* sizes of rows 0, 1; of row 2 */
    COMBGPU__ASSOCIATIVE_COLUMN = COMBGPU__ASSOCIATIVE_NUMBER + 18, /* the frame's */
    COMBGPU__ASSOCIATIVE_ROW = COMBGPU__ASSOCIATIVE_COLUMN + 3,
    COMBGPU__ASSOCIATIVE_WAYS = COMBGPU__ASSOCIATIVE_ROW + 3,   /* pairings */
    COMBGPU__ASSOCIATIVE_STEP = COMBGPU__ASSOCIATIVE_WAYS + 90, /* two words */
    COMBGPU__ASSOCIATIVE_CONTINUES = COMBGPU__ASSOCIATIVE_STEP + 2,
    COMBGPU__ASSOCIATIVE_SQUARES = COMBGPU__ASSOCIATIVE_CONTINUES + 1, /* two words */
    COMBGPU__ASSOCIATIVE_SPLITTINGS = COMBGPU__ASSOCIATIVE_SQUARES + 2,
    COMBGPU__ASSOCIATIVE_BATCHES = COMBGPU__ASSOCIATIVE_SPLITTINGS + 1,
    COMBGPU__ASSOCIATIVE_BATCH = COMBGPU__ASSOCIATIVE_BATCHES + 1, /* parities | first << 3 */
    COMBGPU__ASSOCIATIVE_LAST = COMBGPU__ASSOCIATIVE_BATCH + 24,   /* row 2: counts, ends, codes */
    COMBGPU__ASSOCIATIVE_SPLIT = COMBGPU__ASSOCIATIVE_LAST + 16 + COMBGPU__ASSOCIATIVE_ROOM / 2,
    COMBGPU__ASSOCIATIVE_TEAM_AT = COMBGPU__ASSOCIATIVE_SPLIT + COMBGPU__ASSOCIATIVE_HALVES / 2
};
/* A team's. Row 0's come first, then row 1's; codes have 16 bits. */
enum {
    COMBGPU__ASSOCIATIVE_COUNT = 0, /* fillings, by parities */
    COMBGPU__ASSOCIATIVE_END = 16,  /* of those in the list */
    COMBGPU__ASSOCIATIVE_SIGNINGS = 32,
    COMBGPU__ASSOCIATIVE_SIGN = 34, /* bits of the values with minus, 4 words each */
    COMBGPU__ASSOCIATIVE_SIZE = 42,
    COMBGPU__ASSOCIATIVE_PAIR =
        54, /* [signing][pair]: code, parity, whether it is again by column */
    COMBGPU__ASSOCIATIVE_CODES = COMBGPU__ASSOCIATIVE_PAIR + 2 * 4 * 15,
    COMBGPU__ASSOCIATIVE_TEAM_WORDS = COMBGPU__ASSOCIATIVE_CODES + COMBGPU__ASSOCIATIVE_ROOM
};
#define COMBGPU__ASSOCIATIVE_LOCAL                                                                 \
    (COMBGPU__ASSOCIATIVE_TEAM_AT + COMBGPU__ASSOCIATIVE_TEAMS * COMBGPU__ASSOCIATIVE_TEAM_WORDS)

/* Element n of a set. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_nth(uint32_t set, uint32_t n)
{
    for (; n; n--)
        set &= set - 1;
    return COMBGPU__CTZ(set);
}

/* ---- a step, by all lanes */

/* Lane 0: the sizes of the frame, of rows 0 and 1 together and of row 2. */
COMBGPU__DEVICE void combgpu_seven_associative_frame(COMBGPU__GLOBAL const uint32_t *tables,
                                                     COMBGPU__LOCAL uint32_t *scratch,
                                                     uint64_t step)
{
    const uint64_t unit = step * COMBGPU__ASSOCIATIVE_STRIDE % COMBGPU__ASSOCIATIVE_STEPS;
    const uint32_t set = tables[COMBGPU__ASSOCIATIVE_AT_SET + unit % COMBGPU__ASSOCIATIVE_SETS];
    const uint32_t six = tables[COMBGPU__ASSOCIATIVE_AT_FRAME + unit / COMBGPU__ASSOCIATIVE_SETS];
    uint32_t size, of_six = 0, of_rest = 0, column = COMBGPU__ASSOCIATIVE_COLUMN,
                   row = COMBGPU__ASSOCIATIVE_ROW, rest = COMBGPU__ASSOCIATIVE_NUMBER,
                   last = COMBGPU__ASSOCIATIVE_NUMBER + 12;
    for (size = 1; size <= 24; size++) {
        if ((six >> (size - 1)) & 1) {
            scratch[((six >> 24 << 1 | 1) >> of_six++) & 1 ? column++ : row++] = size;
            continue;
        }
        scratch[(set >> of_rest++) & 1 ? last++ : rest++] = size;
    }
    scratch[COMBGPU__ASSOCIATIVE_SPLITTINGS] = scratch[COMBGPU__ASSOCIATIVE_BATCHES] = 0;
    scratch[COMBGPU__ASSOCIATIVE_SQUARES] = scratch[COMBGPU__ASSOCIATIVE_SQUARES + 1] = 0;
}

/* Lists the batches of the fillings of row 2, which team 0 has listed as row 0's, and the splittings
   with the right parities. */
COMBGPU__DEVICE void combgpu_seven_associative_open(COMBGPU__GLOBAL const uint32_t *tables,
                                                    COMBGPU__LOCAL uint32_t *scratch)
{
    COMBGPU__LOCAL const uint32_t *team = scratch + COMBGPU__ASSOCIATIVE_TEAM_AT;
    COMBGPU__LOCAL uint32_t *last = scratch + COMBGPU__ASSOCIATIVE_LAST;
    COMBGPU__LOCAL uint16_t *split =
        (COMBGPU__LOCAL uint16_t *)(scratch + COMBGPU__ASSOCIATIVE_SPLIT);
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t i, odd = 0;
    for (i = lane; i < COMBGPU__ASSOCIATIVE_ROOM; i += COMBGPU__ASSOCIATIVE_LANES)
        ((COMBGPU__LOCAL uint16_t *)(last + 16))[i] =
            ((COMBGPU__LOCAL const uint16_t *)(team + COMBGPU__ASSOCIATIVE_CODES))[i];
    if (lane < 8) {
        last[lane] = team[COMBGPU__ASSOCIATIVE_COUNT + lane];
        last[8 + lane] = team[COMBGPU__ASSOCIATIVE_END + lane];
        for (i = 0; i < last[lane]; i += 32)
            scratch[COMBGPU__ASSOCIATIVE_BATCH +
                    COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__ASSOCIATIVE_BATCHES], 1)] =
                lane | i << 3;
    }
    for (i = 0; i < 12; i++)
        odd |= (scratch[COMBGPU__ASSOCIATIVE_NUMBER + i] & 1) << i;
    for (i = lane; i < COMBGPU__ASSOCIATIVE_HALVES; i += COMBGPU__ASSOCIATIVE_LANES) {
        const uint32_t upper = tables[COMBGPU__ASSOCIATIVE_AT_HALF + i];
        if ((COMBGPU__POPCOUNT(upper & odd) ^ scratch[COMBGPU__ASSOCIATIVE_COLUMN]) & 1) continue;
        split[COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__ASSOCIATIVE_SPLITTINGS], 1)] =
            (uint16_t)upper;
    }
}

/* Makes the bits of a batch: up to 32 fillings of row 2 with these parities, from `from` on. */
COMBGPU__DEVICE void combgpu_seven_associative_batch(COMBGPU__LOCAL uint32_t *scratch,
                                                     uint32_t parities, uint32_t from)
{
    COMBGPU__LOCAL const uint32_t *last = scratch + COMBGPU__ASSOCIATIVE_LAST;
    COMBGPU__LOCAL const uint16_t *codes = (COMBGPU__LOCAL const uint16_t *)(last + 16);
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t i, j;
    for (i = lane; i < 3 * 128 + 3; i += COMBGPU__ASSOCIATIVE_LANES)
        scratch[COMBGPU__ASSOCIATIVE_BITS + i] = 0;
    COMBGPU__LOCAL_BARRIER();
    if (lane < 32 && from + lane < last[parities]) {
        const uint32_t filling = codes[last[8 + parities] - last[parities] + from + lane];
        for (j = 0; j < 3; j++) {
            const uint32_t code = (filling >> (5 * j)) & 31;
            const uint32_t gap = 128 * j + 2 * code + ((parities >> j) & 1);
            COMBGPU__LOCAL_ATOMIC_OR(
                &scratch[code == COMBGPU__ASSOCIATIVE_AGAIN ? COMBGPU__ASSOCIATIVE_LISTED + j
                                                            : COMBGPU__ASSOCIATIVE_BITS + gap],
                1u << lane);
        }
    }
    COMBGPU__LOCAL_BARRIER();
}

/* Makes the table of a batch. */
COMBGPU__DEVICE void combgpu_seven_associative_fits(COMBGPU__LOCAL uint32_t *scratch,
                                                    uint32_t parities)
{
    uint32_t at;
    for (at = COMBGPU__LANE_ID; at < 3 * 2 * 25 * 25; at += COMBGPU__ASSOCIATIVE_LANES) {
        const uint32_t j = at / 1250, p = at / 625 % 2, one = at / 25 % 25, zero = at % 25;
        COMBGPU__LOCAL const uint32_t *bits = scratch + COMBGPU__ASSOCIATIVE_BITS + 128 * j;
        const int32_t m = (int32_t)scratch[COMBGPU__ASSOCIATIVE_ROW + j];
        const int32_t x = (int32_t)(2 * zero + p);
        const int32_t y = (int32_t)(2 * one + ((p + (parities >> j) + (uint32_t)m) & 1));
        uint32_t fits;
        if (zero == COMBGPU__ASSOCIATIVE_AGAIN)
            fits = one == COMBGPU__ASSOCIATIVE_AGAIN || y == m ? 0 : bits[y];
        else if (one == COMBGPU__ASSOCIATIVE_AGAIN)
            fits = bits[x];
        else
            fits = bits[abs(x + y - m)] | bits[abs(x - y - m)] | bits[abs(x - y + m)] |
                   bits[x + y + m] | (x == y ? scratch[COMBGPU__ASSOCIATIVE_LISTED + j] : 0);
        scratch[COMBGPU__ASSOCIATIVE_FITS + at] = fits;
    }
    COMBGPU__LOCAL_BARRIER();
}

/* ---- fillings of two rows, by a team */

/* The signings of both rows, whose sizes are sets of NUMBER. */
COMBGPU__DEVICE void combgpu_seven_associative_sign(COMBGPU__LOCAL const uint32_t *scratch,
                                                    COMBGPU__LOCAL uint32_t *team, uint32_t set0,
                                                    uint32_t column0, uint32_t set1,
                                                    uint32_t column1)
{
    const uint32_t lane = COMBGPU__ASSOCIATIVE_TEAM_LANE;
    uint32_t i, k;
    if (lane < 12)
        team[COMBGPU__ASSOCIATIVE_SIZE + lane] =
            scratch[COMBGPU__ASSOCIATIVE_NUMBER +
                    combgpu_seven_associative_nth(lane < 6 ? set0 : set1, lane % 6)];
    if (lane < 16) team[COMBGPU__ASSOCIATIVE_COUNT + lane] = 0;
    if (lane < 2) team[COMBGPU__ASSOCIATIVE_SIGNINGS + lane] = 0;
    COMBGPU__ASSOCIATIVE_BARRIER();
    for (i = lane; i < 128; i += COMBGPU__ASSOCIATIVE_TEAM) {
        const uint32_t row = i / 64;
        uint32_t sum = row ? column1 : column0, minus = 0;
        for (k = 0; k < 6; k++) {
            const uint32_t size = team[COMBGPU__ASSOCIATIVE_SIZE + 6 * row + k];
            sum += size;
            if ((i >> k) & 1) minus += size;
        }
        if (2 * minus == sum)
            team[COMBGPU__ASSOCIATIVE_SIGN + 4 * row +
                 COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__ASSOCIATIVE_SIGNINGS + row], 1)] = i % 64;
    }
    COMBGPU__ASSOCIATIVE_BARRIER();
}

/* Computes what the pairs of each signing add to fillings. */
COMBGPU__DEVICE void combgpu_seven_associative_pairs(COMBGPU__LOCAL const uint32_t *scratch,
                                                     COMBGPU__LOCAL uint32_t *team)
{
    uint32_t i, j;
    for (i = COMBGPU__ASSOCIATIVE_TEAM_LANE; i < 120; i += COMBGPU__ASSOCIATIVE_TEAM) {
        const uint32_t row = i / 60, signing = i / 15 % 4, pair = i % 15;
        const uint32_t v = pair < 1 ? 1 : pair < 3 ? 2 : pair < 6 ? 3 : pair < 10 ? 4 : 5;
        const uint32_t u = pair - v * (v - 1) / 2;
        const uint32_t x = team[COMBGPU__ASSOCIATIVE_SIZE + 6 * row + u];
        const uint32_t y = team[COMBGPU__ASSOCIATIVE_SIZE + 6 * row + v]; /* above x */
        uint32_t signs, gap, word;
        if (signing >= team[COMBGPU__ASSOCIATIVE_SIGNINGS + row]) continue;
        signs = team[COMBGPU__ASSOCIATIVE_SIGN + i / 15];
        gap = ((signs >> u) ^ (signs >> v)) & 1 ? y + x : y - x;
        word = gap >> 1 | (gap & 1) << 5;
        for (j = 0; j < 3; j++)
            word |= (gap == scratch[COMBGPU__ASSOCIATIVE_ROW + j] ? 64u : 0u) << j;
        team[COMBGPU__ASSOCIATIVE_PAIR + i] = word;
    }
    COMBGPU__ASSOCIATIVE_BARRIER();
}

/* Filling i of a row: codes, from bit 16 on parities, from bit 20 on columns where it is again. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_filling(COMBGPU__LOCAL const uint32_t *scratch,
                                                           COMBGPU__LOCAL const uint32_t *team,
                                                           uint32_t row, uint32_t i)
{
    COMBGPU__LOCAL const uint32_t *pair =
        team + COMBGPU__ASSOCIATIVE_PAIR + 60 * row + 15 * (i / 90);
    const uint32_t way = scratch[COMBGPU__ASSOCIATIVE_WAYS + i % 90];
    const uint32_t a = pair[way & 15], b = pair[(way >> 4) & 15], c = pair[way >> 8];
    return (a & 31) | (b & 31) << 5 | (c & 31) << 10 | (a & 32) << 11 | (b & 32) << 12 |
           (c & 32) << 13 | (a & 64) << 14 | (b & 128) << 14 | (c & 256) << 14;
}

/* Lists the fillings of both rows, by parities. */
COMBGPU__DEVICE void combgpu_seven_associative_list(COMBGPU__LOCAL const uint32_t *scratch,
                                                    COMBGPU__LOCAL uint32_t *team)
{
    const uint32_t lane = COMBGPU__ASSOCIATIVE_TEAM_LANE;
    uint32_t row, i, set, at, end = 0;
    for (row = 0; row < 2; row++)
        for (i = lane; i < 90 * team[COMBGPU__ASSOCIATIVE_SIGNINGS + row];
             i += COMBGPU__ASSOCIATIVE_TEAM) {
            const uint32_t filling = combgpu_seven_associative_filling(scratch, team, row, i);
            COMBGPU__LOCAL_ATOMIC_ADD(
                &team[COMBGPU__ASSOCIATIVE_COUNT + 8 * row + ((filling >> 16) & 7)],
                1u << COMBGPU__POPCOUNT(filling >> 20));
        }
    COMBGPU__ASSOCIATIVE_BARRIER();
    if (lane < 16) {
        for (i = lane & 8; i < lane; i++)
            end += team[COMBGPU__ASSOCIATIVE_COUNT + i];
        team[COMBGPU__ASSOCIATIVE_END + lane] = end; /* the begin, for now */
    }
    COMBGPU__ASSOCIATIVE_BARRIER();
    for (row = 0; row < 2; row++) {
        COMBGPU__LOCAL uint16_t *codes =
            (COMBGPU__LOCAL uint16_t *)(team + COMBGPU__ASSOCIATIVE_CODES) +
            COMBGPU__ASSOCIATIVE_ROOM * row;
        for (i = lane; i < 90 * team[COMBGPU__ASSOCIATIVE_SIGNINGS + row];
             i += COMBGPU__ASSOCIATIVE_TEAM) {
            const uint32_t filling = combgpu_seven_associative_filling(scratch, team, row, i);
            const uint32_t same = filling >> 20;
            at = COMBGPU__LOCAL_ATOMIC_ADD(
                &team[COMBGPU__ASSOCIATIVE_END + 8 * row + ((filling >> 16) & 7)],
                1u << COMBGPU__POPCOUNT(same));
            for (set = same;; set = (set - 1) & same) {
                const uint32_t mask = (set & 1) * 31 | (set & 2) * 496 | (set & 4) * 7936;
                codes[at++] = (uint16_t)((filling & 0x7fff & ~mask) |
                                         (mask & (COMBGPU__ASSOCIATIVE_AGAIN * 1057)));
                if (!set) break;
            }
        }
    }
    COMBGPU__ASSOCIATIVE_BARRIER();
}

/* Joins the fillings of rows 0 and 1: the squares that this lane finds. `parities` are those of a gap
   of row 1 if that of row 0 is even. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_meet(COMBGPU__LOCAL const uint32_t *scratch,
                                                        COMBGPU__LOCAL const uint32_t *team,
                                                        uint32_t parities)
{
    COMBGPU__LOCAL const uint16_t *zero =
        (COMBGPU__LOCAL const uint16_t *)(team + COMBGPU__ASSOCIATIVE_CODES);
    COMBGPU__LOCAL const uint16_t *one = zero + COMBGPU__ASSOCIATIVE_ROOM;
    COMBGPU__LOCAL const uint32_t *fits = scratch + COMBGPU__ASSOCIATIVE_FITS;
    const uint32_t all = team[COMBGPU__ASSOCIATIVE_END + 15];
    uint32_t squares = 0, i, p, k, end;
    for (i = COMBGPU__ASSOCIATIVE_TEAM_LANE; i < all; i += COMBGPU__ASSOCIATIVE_TEAM) {
        const uint32_t filling = one[i];
        COMBGPU__LOCAL const uint32_t *a, *b, *c;
        for (p = k = 0; k < 7; k++)
            p += i >= team[COMBGPU__ASSOCIATIVE_END + 8 + k] ? 1 : 0;
        p ^= parities;
        a = fits + 625 * (p & 1) + 25 * (filling & 31);
        b = fits + 1250 + 625 * ((p >> 1) & 1) + 25 * ((filling >> 5) & 31);
        c = fits + 2500 + 625 * (p >> 2) + 25 * (filling >> 10);
        end = team[COMBGPU__ASSOCIATIVE_END + p];
        for (k = end - team[COMBGPU__ASSOCIATIVE_COUNT + p]; k < end; k++) {
            const uint32_t with = zero[k];
            squares += COMBGPU__POPCOUNT(a[with & 31] & b[(with >> 5) & 31] & c[with >> 10]);
        }
    }
    return squares;
}

/* ---- the kernel */

/* The squares of a batch that this lane finds. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_splittings(COMBGPU__LOCAL uint32_t *scratch,
                                                              COMBGPU__LOCAL uint32_t *team,
                                                              uint32_t parities)
{
    COMBGPU__LOCAL const uint16_t *split =
        (COMBGPU__LOCAL const uint16_t *)(scratch + COMBGPU__ASSOCIATIVE_SPLIT);
    uint32_t squares = 0, i;
    for (i = 0; i < 3; i++)
        parities ^= (scratch[COMBGPU__ASSOCIATIVE_ROW + i] & 1) << i;
    for (i = COMBGPU__ASSOCIATIVE_TEAM_ID;; i += COMBGPU__ASSOCIATIVE_TEAMS) {
        COMBGPU__ASSOCIATIVE_BARRIER();
        if (i >= scratch[COMBGPU__ASSOCIATIVE_SPLITTINGS]) break;
        combgpu_seven_associative_sign(scratch, team, split[i],
                                       scratch[COMBGPU__ASSOCIATIVE_COLUMN], 0xfff ^ split[i],
                                       scratch[COMBGPU__ASSOCIATIVE_COLUMN + 1]);
        combgpu_seven_associative_pairs(scratch, team);
        combgpu_seven_associative_list(scratch, team);
        squares += combgpu_seven_associative_meet(scratch, team, parities);
        COMBGPU__ASSOCIATIVE_BARRIER();
    }
    return squares;
}

/* Counts the squares of a step. */
COMBGPU__DEVICE void combgpu_seven_associative_step(COMBGPU__GLOBAL const uint32_t *tables,
                                                    COMBGPU__LOCAL uint32_t *scratch)
{
    COMBGPU__LOCAL uint32_t *team = scratch + COMBGPU__ASSOCIATIVE_TEAM_AT +
                                    COMBGPU__ASSOCIATIVE_TEAM_ID * COMBGPU__ASSOCIATIVE_TEAM_WORDS;
    uint32_t squares = 0, i, before;
    combgpu_seven_associative_sign(scratch, team, 63u << 12,
                                   scratch[COMBGPU__ASSOCIATIVE_COLUMN + 2], 63u << 12,
                                   scratch[COMBGPU__ASSOCIATIVE_COLUMN + 2]);
    combgpu_seven_associative_pairs(scratch, team);
    combgpu_seven_associative_list(scratch, team);
    COMBGPU__LOCAL_BARRIER();
    combgpu_seven_associative_open(tables, scratch);
    COMBGPU__LOCAL_BARRIER();
    for (i = 0;; i++) {
        uint32_t batch;
        COMBGPU__LOCAL_BARRIER();
        if (i >= scratch[COMBGPU__ASSOCIATIVE_BATCHES]) break;
        batch = scratch[COMBGPU__ASSOCIATIVE_BATCH + i];
        combgpu_seven_associative_batch(scratch, batch & 7, batch >> 3);
        combgpu_seven_associative_fits(scratch, batch & 7);
        squares += combgpu_seven_associative_splittings(scratch, team, batch & 7);
        COMBGPU__LOCAL_BARRIER();
    }
    if (squares) {
        before = COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__ASSOCIATIVE_SQUARES], squares);
        if (before + squares < before)
            COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__ASSOCIATIVE_SQUARES + 1], 1);
    }
    COMBGPU__LOCAL_BARRIER();
}

/* Lane 0's state between steps, in local memory. */
typedef struct combgpu_seven_associative_turn_t {
    uint64_t step, end;
    uint64_t steps, hash, squares; /* sums */
} combgpu_seven_associative_turn_t;

/* Lane 0: nonzero if another step remains. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_next(
    COMBGPU__GLOBAL combgpu__slice *slice, COMBGPU__GLOBAL const uint32_t *tasks,
    COMBGPU__GLOBAL uint32_t *left, COMBGPU__LOCAL combgpu_seven_associative_turn_t *turn)
{
    uint64_t step = turn->step, end = turn->end;
    const uint32_t continues =
        combgpu_in_range(slice, tasks, left, &step, &end, (uint32_t)turn->steps);
    turn->step = step;
    turn->end = end;
    return continues;
}

/* Lane 0: adds what a step gave. */
COMBGPU__DEVICE void combgpu_seven_associative_done(
    COMBGPU__LOCAL const uint32_t *scratch, COMBGPU__LOCAL combgpu_seven_associative_turn_t *turn)
{
    const uint64_t squares = scratch[COMBGPU__ASSOCIATIVE_SQUARES] |
                             (uint64_t)scratch[COMBGPU__ASSOCIATIVE_SQUARES + 1] << 32;
    turn->steps++;
    turn->hash += combgpu_mix(combgpu_mix(turn->step) ^ squares);
    turn->squares += squares;
    turn->step++;
}

/* Lane 0: adds the sums to the slice's totals. */
COMBGPU__DEVICE void combgpu_seven_associative_sum(
    COMBGPU__GLOBAL combgpu__slice *slice,
    COMBGPU__LOCAL const combgpu_seven_associative_turn_t *turn)
{
    combgpu_add_total(slice, 0, turn->steps);
    combgpu_add_total(slice, COMBGPU__MAGIC_HASH, turn->hash);
    combgpu_add_total(slice, COMBGPU__MAGIC_SPLIT, turn->squares);
}

/* A task is a range of steps. Sums are added where lane 0 runs out of steps: PoCL 3.1 lets all
   lanes into a branch for lane 0 behind this loop. */
COMBGPU__KERNEL_BLOCKS(COMBGPU__ASSOCIATIVE_LANES, 5)
combgpu_magic_associative(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint32_t scratch[COMBGPU__ASSOCIATIVE_LOCAL];
    COMBGPU__LOCAL_ARRAY combgpu_seven_associative_turn_t turn;
    const uint32_t lane = COMBGPU__LANE_ID;
    (void)work, (void)records;
    if (COMBGPU__BLOCK_ID >= slice->workers) return;
    if (lane < 90)
        scratch[COMBGPU__ASSOCIATIVE_WAYS + lane] = tables[COMBGPU__ASSOCIATIVE_AT_PAIRING + lane];
    if (lane == 0) turn.step = turn.end = turn.steps = turn.hash = turn.squares = 0;
    for (;;) {
        if (lane == 0) {
            const uint32_t continues = combgpu_seven_associative_next(slice, tasks, left, &turn);
            scratch[COMBGPU__ASSOCIATIVE_CONTINUES] = continues;
            if (continues)
                combgpu_seven_associative_frame(tables, scratch, turn.step);
            else
                combgpu_seven_associative_sum(slice, &turn);
        }
        COMBGPU__LOCAL_BARRIER();
        if (!scratch[COMBGPU__ASSOCIATIVE_CONTINUES]) break;
        combgpu_seven_associative_step(tables, scratch);
        if (lane == 0) combgpu_seven_associative_done(scratch, &turn);
        COMBGPU__LOCAL_BARRIER();
    }
}

#endif /* MAGIC6 */
#endif /* MAGIC */
#if defined(COMBGPU__HAS_NO3) || defined(COMBGPU_KERNELS_NO3)
/* ----------------------------------------------------------------------------- src/no3/layout.h */

/* No-three-in-line: the tables that the host makes and the kernels read. */
#ifndef COMBGPU__NO3_LAYOUT_H
#define COMBGPU__NO3_LAYOUT_H

/* The tables begin with this header; its offsets are in words. */
enum {
    COMBGPU__NO3_AT_WORDS, /* words of a board */
    COMBGPU__NO3_AT_ORBITS,
    COMBGPU__NO3_AT_STRIDE,   /* pairs from one orbit to the next, even */
    COMBGPU__NO3_AT_SPLIT,    /* a word holds two lines of 16 orbits */
    COMBGPU__NO3_AT_PARTS,    /* rows that one pair of orbits has */
    COMBGPU__NO3_AT_WEIGHTED, /* nonzero if some weight is 2 */
    COMBGPU__NO3_AT_TWO, /* classes if 2 points are needed: nibble i for i points, 7 for more */
    COMBGPU__NO3_AT_ONE, /* classes if 1 point is needed */
    COMBGPU__NO3_AT_LINE_ROWS, /* number of the first line row */
    COMBGPU__NO3_AT_PLACES,    /* offset of COMBGPU__NO3_PLACE [line][rank], 64 ranks each */
    COMBGPU__NO3_AT_TWICE,     /* offset of a row of board words: places of weight 2 */
    COMBGPU__NO3_AT_PAIRS, /* offset of row numbers by pair: 16 bits each if WORDS is 16, else 32 */
    COMBGPU__NO3_AT_ROWS,  /* offset of the rows, a multiple of 4 */
    COMBGPU__NO3_AT_SIDE,  /* n */
    COMBGPU__NO3_AT_GRID,  /* offset of the cells for _matrix, _square or _plate, or 0 */
    COMBGPU__NO3_AT_WIDE,  /* a line has two words */
    COMBGPU__NO3_AT_MATRIX,      /* offset of the rows for those, or 0 */
    COMBGPU__NO3_AT_SOLO,        /* offset of the table for _solo, or 0 */
    COMBGPU__NO3_AT_SOLO_CORNER, /* rows at this offset in it and beyond hold the last cell */
    COMBGPU__NO3_AT_LARGE, /* offset of the tables of large boards, which no kernel reads, or 0 */
    COMBGPU__NO3_HEADER = 32
};

/* A task: the board; a word for each eighth of the lines, with 2 bits for the points that each line
   needs, in order, and the number of placed orbits << COUNT_SHIFT (in the second word instead 1 + the line
   that the next orbit is on, or 0: any); the list of placed orbits, 16 bits each, spread evenly over
   the kernels' lanes: orbit c is in word SLOT(c), from bit SLOT_SHIFT(c) up. Boards of more than
   192 words, for the CPU alone, have needs by sixteenths. A record is the number of orbits, then
   the list. */
#define COMBGPU__NO3_NEED_WORDS 8
#define COMBGPU__NO3_COUNT_SHIFT 24
#define COMBGPU__NO3_NEEDS(words)                                                                  \
    ((words) > 192 ? 2 * COMBGPU__NO3_NEED_WORDS : COMBGPU__NO3_NEED_WORDS)
#define COMBGPU__NO3_LIST_WORDS(words) ((words) < 64 ? (words) : (words) > 192 ? 72 : 64)
#define COMBGPU__NO3_TASK_WORDS(words)                                                             \
    ((words) + COMBGPU__NO3_NEEDS(words) + COMBGPU__NO3_LIST_WORDS(words))
#define COMBGPU__NO3_RECORD_WORDS(words) (1 + COMBGPU__NO3_LIST_WORDS(words))
#define COMBGPU__NO3_SLOT(c) (8 * ((c) >> 4) + ((c)&7))
#define COMBGPU__NO3_SLOT_SHIFT(c) ((c)&8 ? 16 : 0)

/* A level of a worker's stack, in words: the board, then a word of needs for each lane. Some
   kernels use a shorter one, below. */
#define COMBGPU__NO3_LEVEL_WORDS(words) ((words) + 16)

/* Levels of a worker's stack. A worker with a full stack waits for the next slice; so few do that
   it costs nothing, whereas deeper stacks, and room for their tasks, would leave memory for fewer
   workers. NOTES.md has the depths of searches. */
#define COMBGPU__NO3_ORBIT_LEVELS(words) ((words) <= 48 ? 20u : 30u)
#define COMBGPU__NO3_MATRIX_LEVELS 24u
#define COMBGPU__NO3_SQUARE_LEVELS 15u
#define COMBGPU__NO3_PLATE_LEVELS 16u
#define COMBGPU__NO3_SOLO_LEVELS(extra) ((extra) < 2 ? 15u : (extra) < 4 ? 16u : 18u)

/* An orbit on a line, in the table of places. */
#define COMBGPU__NO3_PLACE(orbit, other, weight, other_weight)                                     \
    ((orbit) | (other) << 14 | (weight) << 22 | (other_weight) << 24)
#define COMBGPU__NO3_PLACE_ORBIT(place) ((place)&16383)
#define COMBGPU__NO3_PLACE_OTHER(place) ((place) >> 14 & 255) /* the other line */
#define COMBGPU__NO3_PLACE_WEIGHT(place) ((place) >> 22 & 3)
#define COMBGPU__NO3_PLACE_OTHER_WEIGHT(place) ((place) >> 24 & 3)

/* The tables for combgpu_no3_solo, a board in a lane, with `extra` lines more than 16 each way. First
   the rows, the empty one first, as arrays of 4 words each and, for the last one or two of an odd
   rest, of 1 or 2 words. Up to n = 17 they are those of straight lines, and from byte SOLO_PAIRS on
   each pair of points has the byte offset of its row, 16 bits each: a triangle if n = 17, else
   [256][256].
     From n = 18 on rows are those of lines of four cells and more, and of cells alone: row 1 + c
   has the cell (x, y) with the number c = SIDE * y + x (coordinates, not indices). SOLO_CODE is 4 *
   c. A pair of points finds its row by its direction. SOLO_PAIRS begins a word for each difference
   of codes, SOLO_CENTRE is that for 0. Its low bytes are factors a and b, its high half an offset:
   at byte offset + a * x + b * y after the words are 16 bits for the line, 0 if it has two cells, 4
   * row if it has four or more, THIRD + 4 + the sum of the codes if it has three: then a pair
   excludes the third. */
#define COMBGPU__NO3_SOLO_ROWS(extra)                                                              \
    ((extra) == 0   ? 2723u                                                                        \
     : (extra) == 1 ? 3495u                                                                        \
     : (extra) == 2 ? 1859u                                                                        \
     : (extra) == 3 ? 2308u                                                                        \
     : (extra) == 4 ? 2807u                                                                        \
                    : 3180u)
#define COMBGPU__NO3_SOLO_SHARE(extra) (8 + (extra) + ((extra) > 1)) /* words of a board */
#define COMBGPU__NO3_SOLO_PAIRS(extra)                                                             \
    (4 * ((extra) == 2 ? 12u : COMBGPU__NO3_SOLO_SHARE(extra)) * COMBGPU__NO3_SOLO_ROWS(extra))
#define COMBGPU__NO3_SOLO_SIDE(extra) (2 * (16u + (extra)) - 1)
#define COMBGPU__NO3_SOLO_CODE(extra, x, y) (4 * (COMBGPU__NO3_SOLO_SIDE(extra) * (y) + (x)))
#define COMBGPU__NO3_SOLO_CENTRE(extra) COMBGPU__NO3_SOLO_CODE(extra, 15u + (extra), 15u + (extra))
#define COMBGPU__NO3_SOLO_DIRECTIONS(extra)                                                        \
    (4 * COMBGPU__NO3_SOLO_SIDE(extra) * COMBGPU__NO3_SOLO_SIDE(extra))
#define COMBGPU__NO3_SOLO_LINES(extra)                                                             \
    ((extra) == 2 ? 8056u : (extra) == 3 ? 11766u : (extra) == 4 ? 12826u : 16330u)
#define COMBGPU__NO3_SOLO_THIRD 16384u
#define COMBGPU__NO3_SOLO_BYTES(extra)                                                             \
    ((COMBGPU__NO3_SOLO_PAIRS(extra) +                                                             \
      ((extra) == 0 ? 2u * 256 * 256                                                               \
       : (extra) == 1                                                                              \
           ? 289u * 290                                                                            \
           : COMBGPU__NO3_SOLO_DIRECTIONS(extra) + 2 * COMBGPU__NO3_SOLO_LINES(extra)) +           \
      15) /                                                                                        \
     16 * 16)
/* Words of a stack level: the board, `one`, `two`, `more`. */
#define COMBGPU__NO3_SOLO_LEVEL(extra) ((COMBGPU__NO3_SOLO_SHARE(extra) + 6) / 4 * 4)

/* Kernels whose board is a matrix have a table of spots, two words for each orbit: its cell in the
   matrix; word and bit of its two places in a task's board. */
#define COMBGPU__NO3_SPOT(word, bit, cell) ((word) | (bit) << 5 | (cell) << 16)
#define COMBGPU__NO3_SPOT_WORD(spot) ((spot)&31)
#define COMBGPU__NO3_SPOT_BIT(spot) ((spot) >> 5 & 31)
#define COMBGPU__NO3_SPOT_CELL(spot) ((spot) >> 16)
#define COMBGPU__NO3_SPOT_PLACE(word, bit) ((word) | (bit) << 8) /* the second: << 16 */
/* The table before it has the places of each cell, bit k of word i at 32 * i + k, or
   COMBGPU__NO3_NO_PLACE; a lane has `share` words. */
#define COMBGPU__NO3_PLACES(share) (128u * (share))
#define COMBGPU__NO3_NO_PLACE 0xffffffffu

/* Word j of a lane in a row or a stack level of combgpu_no3_matrix and combgpu_no3_plate: first come
   four words of each of the four lanes, then the others. */
#define COMBGPU__NO3_LANE_WORD(share, lane, j)                                                     \
    ((j) < 4 ? 4 * (lane) + (j) : 16 + ((share)-4) * (lane) + (j)-4)

/* The tables for combgpu_no3_matrix: the orbits of its cells, 32 * row + column; from PLACES on the
   places, from SPOTS on the spots; the rows' numbers by pair, 16 bits each. Then the rows that a step
   removes, as matrices. */
#define COMBGPU__NO3_MATRIX_SHARE 6u /* rows in each of four lanes */
#define COMBGPU__NO3_MATRIX_PLACES 1024
#define COMBGPU__NO3_MATRIX_SPOTS                                                                  \
    (COMBGPU__NO3_MATRIX_PLACES + COMBGPU__NO3_PLACES(COMBGPU__NO3_MATRIX_SHARE))
#define COMBGPU__NO3_MATRIX_LEVEL (4 * COMBGPU__NO3_MATRIX_SHARE + 8) /* + lines, count */

/* Forms of combgpu_no3_square (see square.cl), in model->square; 0: another kernel. */
enum {
    COMBGPU__NO3_FORM_FOLD = 1,
    COMBGPU__NO3_FORM_FOLD_ODD,
    COMBGPU__NO3_FORM_HALF,
    COMBGPU__NO3_FORM_HALF_ORT1
};

/* The tables for combgpu_no3_square: the orbits of its cells; from PLACES on the places, from SPOTS on
   the spots; from LINES on the rows that a line removes when it needs one more point, and none (HALF_ORT1: lines from
   SINGLE on need one point in all). Then a row of 16 words for cells p and q: the cells that this
   pair excludes. */
#define COMBGPU__NO3_SQUARE_PLACES 544
#define COMBGPU__NO3_SQUARE_SPOTS (COMBGPU__NO3_SQUARE_PLACES + COMBGPU__NO3_PLACES(4))
#define COMBGPU__NO3_SQUARE_LINES (COMBGPU__NO3_SQUARE_SPOTS + 2 * COMBGPU__NO3_SQUARE_PLACES)
#define COMBGPU__NO3_SQUARE_LINE(line, full) (16 * (2 * (line) + (full)))
#define COMBGPU__NO3_SQUARE_SINGLE(line) (16 * (64 + (line)))
#define COMBGPU__NO3_SQUARE_WORDS (COMBGPU__NO3_SQUARE_LINES + 16 * 96)
#define COMBGPU__NO3_SQUARE_LEVEL 20  /* the board, `one`, `two`, `two_y`, the count */
#define COMBGPU__NO3_SQUARE_LISTED 32 /* bound on placed orbits */

/* Forms of combgpu_no3_plate (plate.cl), in model->plate; 0: another kernel. */
enum {
    COMBGPU__NO3_PLATE_FOLD = 1,
    COMBGPU__NO3_PLATE_DIA2,
    COMBGPU__NO3_PLATE_ORT1,
    COMBGPU__NO3_PLATE_DIA1
};

/* The tables for combgpu_no3_plate: the orbits of its cells, 64 * row + column; from PLACES on the
   places, and the spots. Then for orbits p >= q the row p * (p + 1) / 2 + q: the orbits that this
   pair excludes. */
#define COMBGPU__NO3_PLATE_PLACES 2048
#define COMBGPU__NO3_PLATE_LEVEL(share) (4 * (share) + 8) /* the board, lines, the count */
#define COMBGPU__NO3_PLATE_LISTED 40                      /* bound on placed orbits */

typedef struct combgpu__no3_spot {
    uint32_t cell, word, bit;
} combgpu__no3_spot;

#endif /* COMBGPU__NO3_LAYOUT_H */
/* ---------------------------------------------------------------------- src/no3/forms/search.cl */

/* No-three-in-line kernels: the search of a slice, and what all formats of a board share.

   A format is a layout of the board in one lane or several. Format F has the structs combgpu_no3_F
   (constants: sizes, tables), combgpu_no3_F_board and combgpu_no3_F_choice, and these functions:

     F_load       makes the board of a task; returns its line
     F_give       makes a task of the board and a line
     F_pop        reads the board from a stack level; returns its line
     F_push       writes the board to a stack level, and its line
     F_choose     finds the line to branch on; tells if the board is dead or solved
     F_cell       finds the first open orbit of a line; tells if a board without it waits: if enough
                  other orbits are open
     F_remove     removes this orbit from the board
     F_place      places the orbit: its lines, the list
     F_propagate  removes what is in line with the orbit and one placed before
     F_record     writes a solution

   A line is 1 + its number, or 0: any. A board that waits keeps the line of its next orbit, so that
   it takes this in the turn in which it is popped.

   Arrays of words lie outside the structs, which point to them: see NOTES.md.

   COMBGPU__NO3_SEARCH combines the functions. All lanes of a warp run through them together, even
   those without a board (`go` is 0). */

#define COMBGPU__NO3_MOST 12 /* words of a board in a lane, at most */

/* Where lanes have shuffles, unrolled loops keep a board's words in registers, and the warp skips
   what none of its boards needs. Elsewhere (PoCL 3.1) both only cost compile time, exponentially:
   for each conditional barrier the compiler copies all that follows. */
#ifdef COMBGPU__PACKED
#define COMBGPU__NO3_UNROLL _Pragma("unroll")
#define COMBGPU__NO3_IF_ANY(p) if (COMBGPU__WARP_ANY(p))
#define COMBGPU__NO3_NOW_AND_THEN(turns) if (((turns)&63) == 0)
#define COMBGPU__NO3_EACH_ROUND(k, more, most)                                                     \
    for ((k) = 0; (k) < (most); (k)++)                                                             \
        if (!COMBGPU__WARP_ANY(more))                                                              \
            break;                                                                                 \
        else
#else
#define COMBGPU__NO3_UNROLL _Pragma("nounroll")
#define COMBGPU__NO3_IF_ANY(p)
#define COMBGPU__NO3_NOW_AND_THEN(turns)
#define COMBGPU__NO3_EACH_ROUND(k, more, most) for ((k) = 0; COMBGPU__WARP_ANY(more); (k)++)
#endif

/* ---- a worker */

typedef struct combgpu_no3_worker {
    COMBGPU__GLOBAL uint32_t *top; /* the stack's free level */
    uint32_t levels;               /* boards on the stack */
    uint32_t have;                 /* 1: a board beside it; 2: a board for the next slice */
    uint32_t busy;                 /* more tasks may exist */
    uint32_t turns, steps;         /* left in this slice; taken */
} combgpu_no3_worker;

COMBGPU__DEVICE combgpu_no3_worker combgpu_no3_worker_begin(COMBGPU__GLOBAL combgpu__slice *slice,
                                                            COMBGPU__GLOBAL uint32_t *stack,
                                                            uint32_t index)
{
    combgpu_no3_worker worker;
    worker.top = stack;
    worker.levels = worker.have = worker.steps = 0;
    worker.busy = index < slice->workers;
    worker.turns = slice->budget;
    return worker;
}

/* Names for a worker that is a group of lanes. */
#define COMBGPU__NO3_GROUP_LEADS (group.lane == 0)
#define COMBGPU__NO3_GROUP_ANY(p) COMBGPU__WARP_ANY(p)
#define COMBGPU__NO3_GROUP_TAKE(p) COMBGPU__GROUP_TAKE(slice, p)
#define COMBGPU__NO3_GROUP_EMIT(p) COMBGPU__GROUP_EMIT(slice, p)
#define COMBGPU__NO3_GROUP_GIVE(p) COMBGPU__GROUP_GIVE(slice, p)
#define COMBGPU__NO3_GROUP_LEFT(p) COMBGPU__WARP_ANY(p)
/* Names for a worker that is one lane. */
#define COMBGPU__NO3_LANE_LEADS 1
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__NO3_LANE_ANY(p) COMBGPU__WARP_ANY(p)
#else
#define COMBGPU__NO3_LANE_ANY(p) (p)
#endif
#define COMBGPU__NO3_LANE_TAKE(p) ((p) ? combgpu_take(slice) : COMBGPU__NONE)
#define COMBGPU__NO3_LANE_EMIT(p) ((p) ? combgpu_emit(slice) : COMBGPU__NONE)
#define COMBGPU__NO3_LANE_GIVE(p) ((p) ? combgpu_give(slice) : COMBGPU__NONE)
#define COMBGPU__NO3_LANE_LEFT(p) (p)

/* ---- the search */

/* The search of a slice. WORKER is GROUP or LANE. Reads the kernel's arguments and `form`, changes
   `board` and `worker`. */
#define COMBGPU__NO3_SEARCH(F, WORKER)                                                             \
    for (;;) {                                                                                     \
        combgpu_no3_##F##_choice choice;                                                           \
        uint32_t at, go, solved, line = 0;                                                         \
        COMBGPU__NO3_NOW_AND_THEN(worker.turns)                                                    \
        {                                                                                          \
            uint32_t taken = slice->budget - worker.turns;                                         \
            if (COMBGPU__NO3_##WORKER##_ANY(COMBGPU__NO3_##WORKER##_LEADS &&                       \
                                            combgpu_spent(slice, taken)))                          \
                worker.turns = 0;                                                                  \
        }                                                                                          \
        COMBGPU__NO3_IF_ANY(worker.busy && !worker.have)                                           \
        {                                                                                          \
            at = COMBGPU__NO3_##WORKER##_TAKE(worker.busy && !worker.have && worker.turns);        \
            if (worker.busy && !worker.have) worker.busy = worker.have = at != COMBGPU__NONE;      \
            if (at != COMBGPU__NONE)                                                               \
                line =                                                                             \
                    combgpu_no3_##F##_load(&form, &board, tasks + (uint64_t)at * form.task_words); \
        }                                                                                          \
        go = worker.have == 1 && worker.turns && worker.levels < form.room;                        \
        if (!COMBGPU__NO3_##WORKER##_ANY(go)) break;                                               \
        worker.turns--;                                                                            \
                                                                                                   \
        combgpu_no3_##F##_choose(&form, &board, &choice);                                          \
        /* a solution: without room for it the board is spilled unchanged */                       \
        COMBGPU__NO3_IF_ANY(go && !line && choice.solved)                                          \
        {                                                                                          \
            solved = go && !line && choice.solved;                                                 \
            at = COMBGPU__NO3_##WORKER##_EMIT(solved);                                             \
            if (at != COMBGPU__NONE) {                                                             \
                combgpu_no3_##F##_record(&form, &board,                                            \
                                         records + (uint64_t)at * form.record_words);              \
                choice.dead = 1;                                                                   \
            } else if (solved) {                                                                   \
                worker.have = 2;                                                                   \
                go = 0;                                                                            \
            }                                                                                      \
        }                                                                                          \
        if (go && !line) {                                                                         \
            worker.steps++;                                                                        \
            line = 1 + choice.line;                                                                \
            if (choice.dead && worker.levels) { /* the board that waits on top, and its line */    \
                worker.top -= form.level_words;                                                    \
                worker.levels--;                                                                   \
                line = combgpu_no3_##F##_pop(&form, &board, worker.top);                           \
            } else if (choice.dead)                                                                \
                worker.have = go = 0;                                                              \
        }                                                                                          \
                                                                                                   \
        combgpu_no3_##F##_cell(&form, &board, &choice, go ? line - 1 : 0, go);                     \
        if (go) {                                                                                  \
            combgpu_no3_##F##_remove(&form, &board, &choice);                                      \
            if (choice.waits) { /* the board without it, for the line's other orbits */            \
                combgpu_no3_##F##_push(&form, &board, worker.top, line);                           \
                worker.top += form.level_words;                                                    \
                worker.levels++;                                                                   \
            }                                                                                      \
            combgpu_no3_##F##_place(&form, &board, &choice);                                       \
        }                                                                                          \
        combgpu_no3_##F##_propagate(&form, &board, &choice, go);                                   \
    }                                                                                              \
                                                                                                   \
    /* spill the board and the stack: their lists begin alike */                                   \
    worker.have = worker.have != 0;                                                                \
    while (COMBGPU__NO3_##WORKER##_LEFT(worker.have || worker.levels)) {                           \
        uint32_t at = COMBGPU__NO3_##WORKER##_GIVE(worker.have || worker.levels);                  \
        uint32_t gives = at != COMBGPU__NONE, line = 0;                                            \
        if (gives) {                                                                               \
            if (worker.have)                                                                       \
                worker.have = 0;                                                                   \
            else {                                                                                 \
                worker.top -= form.level_words;                                                    \
                worker.levels--;                                                                   \
                line = combgpu_no3_##F##_pop(&form, &board, worker.top);                           \
            }                                                                                      \
        }                                                                                          \
        combgpu_no3_##F##_give(&form, &board, left + (gives ? (uint64_t)at * form.task_words : 0), \
                               line, gives);                                                       \
    }                                                                                              \
    if (COMBGPU__NO3_##WORKER##_LEADS) combgpu_add_total(slice, 0, worker.steps)

/* ---- words of a board, 4 at a time */

COMBGPU__DEVICE void combgpu_no3_load(uint32_t *words, COMBGPU__GLOBAL const uint32_t *from,
                                      const uint32_t share)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < share; i += 4) {
        uint4 four = *(COMBGPU__GLOBAL const uint4 *)(from + i);
        words[i] = four.x;
        words[i + 1] = four.y;
        words[i + 2] = four.z;
        words[i + 3] = four.w;
    }
}

COMBGPU__DEVICE void combgpu_no3_store(COMBGPU__GLOBAL uint32_t *to, const uint32_t *words,
                                       const uint32_t share)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < share; i += 4) {
        uint4 four;
        four.x = words[i];
        four.y = words[i + 1];
        four.z = words[i + 2];
        four.w = words[i + 3];
        *(COMBGPU__GLOBAL uint4 *)(to + i) = four;
    }
}

/* Adds a row to `gone`, the words that this lane removes; `from` is the lane's part of the row. */
COMBGPU__DEVICE void combgpu_no3_gone(uint32_t *gone, COMBGPU__GLOBAL const uint32_t *from,
                                      const uint32_t share)
{
    uint32_t row[COMBGPU__NO3_MOST], i;
    combgpu_no3_load(row, from, share);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < share; i++)
        gone[i] |= row[i];
}

COMBGPU__DEVICE void combgpu_no3_clear(uint32_t *words, const uint32_t count)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < count; i++)
        words[i] = 0;
}

/* Removes the bits of `gone`. */
COMBGPU__DEVICE void combgpu_no3_without(uint32_t *words, const uint32_t *gone,
                                         const uint32_t share)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < share; i++)
        words[i] &= ~gone[i];
}

/* Writes placed orbit number `count` into the list; word w of the list is in lane w % lanes. */
COMBGPU__DEVICE void combgpu_no3_list_put(uint32_t *list, const uint32_t kept, const uint32_t lanes,
                                          uint32_t lane, uint32_t count, uint32_t orbit)
{
    uint32_t bits = 0xffffu << COMBGPU__NO3_SLOT_SHIFT(count), i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < kept; i++) {
        uint32_t here = lanes * i + lane == COMBGPU__NO3_SLOT(count) ? bits : 0;
        list[i] = (list[i] & ~here) | ((orbit << 16 | orbit) & here);
    }
}

/* Word w of a list of `count` orbits, without remains from before a step back: equal boards make
   equal records, which verification compares. */
COMBGPU__DEVICE uint32_t combgpu_no3_listed(uint32_t word, uint32_t w, uint32_t count)
{
    uint32_t first = 16 * (w >> 3) + (w & 7);
    return word & ((first < count ? 0xffffu : 0) | (first + 8 < count ? 0xffff0000u : 0));
}

/* The line of a task: see COMBGPU__NO3_COUNT_SHIFT. */
COMBGPU__DEVICE uint32_t combgpu_no3_task_line(COMBGPU__GLOBAL const uint32_t *needs)
{
    return needs[1] >> COMBGPU__NO3_COUNT_SHIFT;
}

/* The top byte of word i of a task's needs. */
COMBGPU__DEVICE uint32_t combgpu_no3_task_top(uint32_t i, uint32_t count, uint32_t line)
{
    return (i == 1 ? line : count) << COMBGPU__NO3_COUNT_SHIFT;
}

/* The points that a line needs, in a task whose words of needs have `part` lines each. */
COMBGPU__DEVICE uint32_t combgpu_no3_task_need(COMBGPU__GLOBAL const uint32_t *needs, uint32_t part,
                                               uint32_t line)
{
    return needs[line / part] >> 2 * (line % part) & 3;
}
/* ---------------------------------------------------------------------- src/no3/forms/counts.cl */

/* No-three-in-line kernels: count open cells of all lines at once, classify lines, convert boards
   of tasks. */

/* Counts are added up bit by bit (carry-save adders). */
#define COMBGPU__NO3_MAJORITY(a, b, c) (((a) & (b)) | ((c) & ((a) | (b))))

/* Bit i counts line i: 1 * s + 2 * t + 4 * f open cells, or, if e is set, 8 or more. */
typedef struct combgpu_no3_counts {
    uint32_t s, t, f, e;
} combgpu_no3_counts;

/* Adds counts line by line. */
COMBGPU__DEVICE void combgpu_no3_add_counts(combgpu_no3_counts *to, combgpu_no3_counts more)
{
    uint32_t c = to->s & more.s, c2 = COMBGPU__NO3_MAJORITY(to->t, more.t, c);
    to->s ^= more.s;
    to->t ^= more.t ^ c;
    to->e |= more.e | COMBGPU__NO3_MAJORITY(to->f, more.f, c2);
    to->f ^= more.f ^ c2;
}

/* Spreads a count, at most 15: bit i becomes the low bit of byte i. */
COMBGPU__DEVICE uint32_t combgpu_no3_spread(uint32_t count)
{
    return min(count, 15u) * 0x00204081u & 0x01010101u;
}

/* Returns the counts of another lane. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_counts_from(COMBGPU__GROUP_PARAMETER,
                                                           combgpu_no3_counts counts, uint32_t lane)
{
    combgpu_no3_counts other;
    other.s = COMBGPU__GROUP_FROM(counts.s, lane);
    other.t = COMBGPU__GROUP_FROM(counts.t, lane);
    other.f = COMBGPU__GROUP_FROM(counts.f, lane);
    other.e = COMBGPU__GROUP_FROM(counts.e, lane);
    return other;
}

/* Adds up the counts of four lanes, without a loop: Mesa 25's rusticl loses its first round. */
COMBGPU__DEVICE void combgpu_no3_counts_sum(COMBGPU__GROUP_PARAMETER, combgpu_no3_counts *lines)
{
    const uint32_t lane = COMBGPU__GROUP_LANE;
    combgpu_no3_add_counts(lines, combgpu_no3_counts_from(COMBGPU__GROUP, *lines, lane ^ 1));
    combgpu_no3_add_counts(lines, combgpu_no3_counts_from(COMBGPU__GROUP, *lines, lane ^ 2));
}

/* Makes a mask of lines for each class: kind[0] dead, kind[1] forced, then in order. `one` has the
   lines with any point, `two` those that need none. */
COMBGPU__DEVICE void combgpu_no3_kinds(uint32_t *kind, combgpu_no3_counts counts, uint32_t one,
                                       uint32_t two, const uint32_t steep)
{
    uint32_t s = counts.s, t = counts.t, f = counts.f, e = counts.e;
    uint32_t few = ~(two | f | e), rest = ~(two | one), single = one & ~two;
    kind[0] = few & ~t & ~(s & one);
    kind[1] = few & (s ^ t) & ~(s ^ one);
    kind[2] = few & t & (s ^ one);
    kind[3] = rest & f & ~(e | t | s);
    kind[4] = rest & f & s & ~(e | t);
    if (steep) {
        kind[3] |= single & s & t & ~(f | e);
        kind[5] = (rest & f & t & ~(s | e)) | (single & f & ~(s | t | e));
        kind[6] = (rest & (e | (f & t & s))) | (single & f & s & ~(t | e));
        kind[7] = single & (e | (f & t));
    } else {
        kind[5] = rest & (e | (f & t));
        kind[6] = single & (e | f | (s & t));
        kind[7] = 0;
    }
}

/* Returns the first line of the best class in `kind` and `kind_y`; *is_first and *is_second tell
   which has it. */
COMBGPU__DEVICE uint32_t combgpu_no3_best_line(const uint32_t *kind, const uint32_t *kind_y,
                                               uint32_t *is_first, uint32_t *is_second)
{
    uint32_t best = 0, best_y = 0, i, j;
    COMBGPU__NO3_UNROLL
    for (j = 7; j > 0; j--)
        if (kind[j] | kind_y[j]) {
            best = kind[j];
            best_y = kind_y[j];
        }
    i = COMBGPU__CLZ(best | best_y) & 31;
    *is_first = best << i >> 31;
    *is_second = best_y << i >> 31;
    return i;
}

/* ---- boards with a row of cells in a word, `share` words in each of four lanes */

/* Reads the lane's words, 6 or 8: see COMBGPU__NO3_LANE_WORD. */
COMBGPU__DEVICE void combgpu_no3_load_lane(uint32_t *words, COMBGPU__GLOBAL const uint32_t *from,
                                           const uint32_t share, const uint32_t lane)
{
    combgpu_no3_load(words, from + 4 * lane, 4);
    if (share == 8)
        combgpu_no3_load(words + 4, from + 16 + 4 * lane, 4);
    else {
        uint2 pair = *(COMBGPU__GLOBAL const uint2 *)(from + 16 + 2 * lane);
        words[4] = pair.x;
        words[5] = pair.y;
    }
}

COMBGPU__DEVICE void combgpu_no3_store_lane(COMBGPU__GLOBAL uint32_t *to, const uint32_t *words,
                                            const uint32_t share, const uint32_t lane)
{
    combgpu_no3_store(to + 4 * lane, words, 4);
    if (share == 8)
        combgpu_no3_store(to + 16 + 4 * lane, words + 4, 4);
    else {
        to[16 + 2 * lane] = words[4];
        to[17 + 2 * lane] = words[5];
    }
}

/* Makes such words of a task's board. `places`: see COMBGPU__NO3_PLACES. */
COMBGPU__DEVICE void combgpu_no3_load_board(uint32_t *words, const uint32_t share,
                                            const uint32_t lane,
                                            COMBGPU__GLOBAL const uint32_t *places,
                                            COMBGPU__GLOBAL const uint32_t *from)
{
    uint32_t j, k;
    places += 32 * share * lane;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++) {
        uint32_t word = 0;
        for (k = 0; k < 32; k++) {
            uint32_t place = places[32 * j + k];
            if (place != COMBGPU__NO3_NO_PLACE)
                word |= (from[place & 255] >> (place >> 8 & 31) & 1) << k;
        }
        words[j] = word;
    }
}

/* Makes a task's board, whose words are 0 before, of such words. */
COMBGPU__DEVICE void combgpu_no3_give_board(const uint32_t *words, const uint32_t share,
                                            const uint32_t lane,
                                            COMBGPU__GLOBAL const uint32_t *places,
                                            COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t j, word;
    places += 32 * share * lane;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++)
        for (word = words[j]; word; word &= word - 1) {
            uint32_t place = places[32 * j + COMBGPU__CTZ(word)];
            COMBGPU__ATOMIC_OR(&to[place & 255], 1u << (place >> 8 & 31));
            COMBGPU__ATOMIC_OR(&to[place >> 16 & 255], 1u << (place >> 24));
        }
}
/* ----------------------------------------------------------------------- src/no3/forms/orbit.cl */

/* No-three-in-line kernels, classes with any format of board.

   A board is shared by 4, 8 or 16 lanes. Each lane holds `share` words and so some of the lines,
   which have a word each, or two if `wide`. The lanes read a row that a step removes together, at
   once. */

/* In round k each lane takes one orbit of its list; the first of these is number
   COMBGPU__NO3_ROUND(k, lanes). */
#define COMBGPU__NO3_ROUND(k, lanes)                                                               \
    ((lanes) <= 8 ? (lanes) * (k) : (lanes)*2 * ((k) >> 1) + 8 * ((k)&1))

typedef struct combgpu_no3_orbit {
    combgpu_group_t group;
    uint32_t lane, lanes, share, wide;
    uint32_t lines, own;       /* lines in a lane; the first in this lane */
    uint32_t all, kept, parts; /* words of a board; list words in a lane; rows of a pair */
    uint32_t task_words, record_words, level_words, room;
    uint32_t weighted, stride, two, one, line_rows;
    COMBGPU__GLOBAL const uint32_t *places, *pairs, *rows, *twice_row;
} combgpu_no3_orbit;

typedef struct combgpu_no3_orbit_board {
    uint32_t *words, *twice, *list, *gone; /* in this lane; gone: what this step removes */
    uint32_t need;                         /* 2 bits for each line in this lane */
    uint32_t count;                        /* orbits placed */
} combgpu_no3_orbit_board;

typedef struct combgpu_no3_orbit_choice {
    uint32_t dead, solved, waits;
    uint32_t line, other, place, orbit;
} combgpu_no3_orbit_choice;

COMBGPU__DEVICE combgpu_no3_orbit combgpu_no3_orbit_begin(COMBGPU__GROUP_PARAMETER,
                                                          COMBGPU__GLOBAL const uint32_t *tables,
                                                          const uint32_t lanes,
                                                          const uint32_t share, const uint32_t wide)
{
    combgpu_no3_orbit form;
    form.group = group;
    form.lane = COMBGPU__GROUP_LANE;
    form.lanes = lanes;
    form.share = share;
    form.wide = wide;
    form.lines = share >> wide;
    form.own = form.lane * form.lines;
    form.all = lanes * share;
    form.kept = COMBGPU__NO3_LIST_WORDS(form.all) / lanes;
    form.task_words = COMBGPU__NO3_TASK_WORDS(form.all);
    form.record_words = COMBGPU__NO3_RECORD_WORDS(form.all);
    form.level_words = COMBGPU__NO3_LEVEL_WORDS(form.all);
    form.room = COMBGPU__NO3_ORBIT_LEVELS(form.all);
    form.parts = form.all < 128 ? 1 : tables[COMBGPU__NO3_AT_PARTS];
    form.weighted = tables[COMBGPU__NO3_AT_WEIGHTED];
    form.stride = tables[COMBGPU__NO3_AT_STRIDE];
    form.two = tables[COMBGPU__NO3_AT_TWO];
    form.one = tables[COMBGPU__NO3_AT_ONE];
    form.line_rows = tables[COMBGPU__NO3_AT_LINE_ROWS];
    form.places = tables + tables[COMBGPU__NO3_AT_PLACES];
    form.pairs = tables + tables[COMBGPU__NO3_AT_PAIRS];
    form.rows = tables + tables[COMBGPU__NO3_AT_ROWS] + form.lane * share;
    form.twice_row = tables + tables[COMBGPU__NO3_AT_TWICE] + form.lane * share;
    return form;
}

COMBGPU__DEVICE uint32_t combgpu_no3_orbit_load(const combgpu_no3_orbit *form,
                                                combgpu_no3_orbit_board *board,
                                                COMBGPU__GLOBAL const uint32_t *from)
{
    const uint32_t lane = form->lane, lanes = form->lanes, all = form->all;
    const uint32_t part = form->lines, bits = 2 * form->lines; /* of a word of needs, in a lane */
    uint32_t i;
    combgpu_no3_load(board->words, from + lane * form->share, form->share);
    /* a task has the needs in 8 words for any number of lanes */
    if (lanes == 4)
        board->need = (from[all + 2 * lane] & 0xffffff) | (from[all + 2 * lane + 1] & 0xffffff)
                                                              << part;
    else if (lanes == 8)
        board->need = from[all + lane] & 0xffffff;
    else
        board->need = from[all + lane / 2] >> bits * (lane & 1) & ((1u << bits) - 1);
    board->count = from[all] >> COMBGPU__NO3_COUNT_SHIFT;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        board->list[i] = from[all + COMBGPU__NO3_NEED_WORDS + lanes * i + lane];
    return combgpu_no3_task_line(from + all);
}

/* The line of a stack level: 16 lanes have few needs each, so that it fits beside them. */
COMBGPU__DEVICE uint32_t combgpu_no3_orbit_pop(const combgpu_no3_orbit *form,
                                               combgpu_no3_orbit_board *board,
                                               COMBGPU__GLOBAL const uint32_t *top)
{
    uint32_t need = top[form->all + form->lane];
    combgpu_no3_load(board->words, top + form->lane * form->share, form->share);
    board->need = need & (form->lanes == 16 ? 0xffff : 0xffffff);
    board->count = need >> COMBGPU__NO3_COUNT_SHIFT;
    return form->lanes == 16 ? need >> 16 & 255 : top[form->all + form->lanes + form->lane];
}

COMBGPU__DEVICE void combgpu_no3_orbit_push(const combgpu_no3_orbit *form,
                                            const combgpu_no3_orbit_board *board,
                                            COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    combgpu_no3_store(top + form->lane * form->share, board->words, form->share);
    top[form->all + form->lane] = board->need | (form->lanes == 16 ? line << 16 : 0) |
                                  board->count << COMBGPU__NO3_COUNT_SHIFT;
    if (form->lanes < 16) top[form->all + form->lanes + form->lane] = line;
}

/* The classes of a line by its two bits of `need`; 15 if it needs nothing. */
COMBGPU__DEVICE uint32_t combgpu_no3_classes(uint32_t need, uint32_t at, uint32_t two, uint32_t one)
{
    return need >> at & 2 ? two : need >> at & 1 ? one : COMBGPU__NONE;
}

/* Finds the smallest key, class << 28 | line: 0 is dead; class 15 means that no line needs a
   point. */
COMBGPU__DEVICE void combgpu_no3_orbit_choose(const combgpu_no3_orbit *form,
                                              const combgpu_no3_orbit_board *board,
                                              combgpu_no3_orbit_choice *choice)
{
    const combgpu_group_t group = form->group;
    const uint32_t *words = board->words, *twice = board->twice;
    uint32_t best = COMBGPU__NONE, i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->share; i += 1 + form->wide) {
        uint32_t there = COMBGPU__POPCOUNT(words[i]), n = i >> form->wide;
        if (form->weighted) there += COMBGPU__POPCOUNT(words[i] & twice[i]);
        if (form->wide) {
            there += COMBGPU__POPCOUNT(words[i + 1]);
            if (form->weighted) there += COMBGPU__POPCOUNT(words[i + 1] & twice[i + 1]);
        }
        best = min(best, (combgpu_no3_classes(board->need, 2 * n, form->two, form->one) >>
                          4 * min(there, 7u) << 28) +
                             form->own + n);
    }
    best = COMBGPU__GROUP_MIN(best);
    choice->line = best & 0xff;
    choice->solved = best >= 0xf0000000u;
    choice->dead = best < 0x10000000u;
}

COMBGPU__DEVICE void combgpu_no3_orbit_record(const combgpu_no3_orbit *form,
                                              const combgpu_no3_orbit_board *board,
                                              COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    if (form->lane == 0) to[0] = board->count;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        to[1 + form->lanes * i + form->lane] =
            combgpu_no3_listed(board->list[i], form->lanes * i + form->lane, board->count);
}

/* The lane that has the line tells the others its first orbit, its points and its need. */
COMBGPU__DEVICE void combgpu_no3_orbit_cell(const combgpu_no3_orbit *form,
                                            const combgpu_no3_orbit_board *board,
                                            combgpu_no3_orbit_choice *choice, uint32_t line,
                                            uint32_t go)
{
    const combgpu_group_t group = form->group;
    uint32_t open = 0, open2 = 0, twice = 0, twice2 = 0, first, points, of, i;
    choice->line = line;
    of = line % form->lines;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->share; i += 1 + form->wide) {
        const uint32_t is = i >> form->wide == of;
        open = is ? board->words[i] : open;
        twice = is ? board->twice[i] : twice;
        if (form->wide) {
            open2 = is ? board->words[i + 1] : open2;
            twice2 = is ? board->twice[i + 1] : twice2;
        }
    }
    first = open ? COMBGPU__CLZ(open) : 32 + COMBGPU__CLZ(open2);
    points = COMBGPU__POPCOUNT(open) + COMBGPU__POPCOUNT(open & twice) + COMBGPU__POPCOUNT(open2) +
             COMBGPU__POPCOUNT(open2 & twice2);
    of = COMBGPU__GROUP_FROM((first & 63) | points << 8 | (board->need >> 2 * of & 3) << 16,
                             line / form->lines);
    choice->place = form->places[line << 6 | (go ? of & 63 : 0)];
    choice->waits = (of >> 8 & 255) >= (of >> 16) + COMBGPU__NO3_PLACE_WEIGHT(choice->place);
    choice->orbit = COMBGPU__NO3_PLACE_ORBIT(choice->place);
    choice->other = COMBGPU__NO3_PLACE_OTHER(choice->place);
    combgpu_no3_clear(board->gone, form->share);
    combgpu_no3_gone(board->gone, form->rows + (1 + choice->orbit) * form->all, form->share);
}

COMBGPU__DEVICE void combgpu_no3_orbit_remove(const combgpu_no3_orbit *form,
                                              combgpu_no3_orbit_board *board,
                                              const combgpu_no3_orbit_choice *choice)
{
    (void)choice;
    combgpu_no3_without(board->words, board->gone, form->share);
}

COMBGPU__DEVICE void combgpu_no3_orbit_place(const combgpu_no3_orbit *form,
                                             combgpu_no3_orbit_board *board,
                                             const combgpu_no3_orbit_choice *choice)
{
    const uint32_t first = choice->line - form->own, second = choice->other - form->own;
    if (first < form->lines) board->need -= COMBGPU__NO3_PLACE_WEIGHT(choice->place) << 2 * first;
    if (second < form->lines)
        board->need -= COMBGPU__NO3_PLACE_OTHER_WEIGHT(choice->place) << 2 * second;
    combgpu_no3_list_put(board->list, form->kept, form->lanes, form->lane, board->count,
                         choice->orbit);
    board->count++;
}

/* Also removes orbits that the orbit's lines no longer take. The list ends with the orbit itself,
   whose row has what it excludes alone. In a round each lane finds the number of one row; then all
   lanes read all these rows. */
COMBGPU__DEVICE void combgpu_no3_orbit_propagate(const combgpu_no3_orbit *form,
                                                 combgpu_no3_orbit_board *board,
                                                 combgpu_no3_orbit_choice *choice, uint32_t go)
{
    const combgpu_group_t group = form->group;
    const uint32_t lane = form->lane, lanes = form->lanes, share = form->share, all = form->all;
    const uint32_t line = choice->line, other = choice->other, limit = go ? board->count : 0;
    uint32_t need_line, need_other, i, k, at;
    need_line =
        COMBGPU__GROUP_FROM(board->need >> 2 * (line % form->lines), line / form->lines) & 3;
    need_other =
        COMBGPU__GROUP_FROM(board->need >> 2 * (other % form->lines), other / form->lines) & 3;
    combgpu_no3_gone(board->gone, form->rows + (form->line_rows + 3 * line + need_line) * all,
                     share);
    combgpu_no3_gone(board->gone, form->rows + (form->line_rows + 3 * other + need_other) * all,
                     share);
    COMBGPU__NO3_UNROLL
    COMBGPU__NO3_EACH_ROUND(k, COMBGPU__NO3_ROUND(k, lanes) < limit, 2 * form->kept)
    {
        uint32_t row = 0, part, high = lanes <= 8 ? lanes * k & 8 : k & 1;
        uint32_t slot = lanes <= 8 ? COMBGPU__NO3_SLOT(lanes * k) / lanes : k >> 1;
        uint32_t number = lanes <= 8 ? lanes * k + lane
                                     : 32 * slot + 16 * (lane >> 3) + (lane & 7) + (high ? 8 : 0);
        for (part = 0; part < form->parts; part++) {
            if (number < limit) {
                at = (choice->orbit * form->stride +
                      (high ? board->list[slot] >> 16 : board->list[slot] & 0xffff)) *
                         form->parts +
                     part;
                row = all == 16 ? ((COMBGPU__GLOBAL const uint16_t *)form->pairs)[at]
                                : form->pairs[at];
            }
            COMBGPU__NO3_UNROLL
            for (i = 0; i < lanes; i++)
                combgpu_no3_gone(board->gone, form->rows + COMBGPU__GROUP_FROM(row, i) * all,
                                 share);
        }
    }
    if (go) combgpu_no3_without(board->words, board->gone, share);
}

COMBGPU__DEVICE void combgpu_no3_orbit_give(const combgpu_no3_orbit *form,
                                            const combgpu_no3_orbit_board *board,
                                            COMBGPU__GLOBAL uint32_t *to, uint32_t line,
                                            uint32_t gives)
{
    const combgpu_group_t group = form->group;
    const uint32_t lane = form->lane, lanes = form->lanes, all = form->all;
    const uint32_t part = form->lines, bits = 2 * form->lines;
    const uint32_t need = board->need, count = board->count;
    uint32_t pair = lanes == 16 ? COMBGPU__GROUP_FROM(need, lane ^ 1) : 0, i;
    if (!gives) return;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->share; i++)
        to[lane * form->share + i] = board->words[i];
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        to[all + COMBGPU__NO3_NEED_WORDS + lanes * i + lane] = board->list[i];
    if (lanes == 4) {
        to[all + 2 * lane] =
            (need & ((1u << part) - 1)) | combgpu_no3_task_top(2 * lane, count, line);
        to[all + 2 * lane + 1] = need >> part | combgpu_no3_task_top(2 * lane + 1, count, line);
    } else if (lanes == 8)
        to[all + lane] = need | combgpu_no3_task_top(lane, count, line);
    else if (!(lane & 1))
        to[all + lane / 2] = need | pair << bits | combgpu_no3_task_top(lane / 2, count, line);
}

COMBGPU__DEVICE void combgpu_no3_orbit_search(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS,
                                              const uint32_t lanes, const uint32_t share,
                                              const uint32_t wide)
{
    combgpu_no3_orbit form = combgpu_no3_orbit_begin(COMBGPU__GROUP, tables, lanes, share, wide);
    combgpu_no3_worker worker = combgpu_no3_worker_begin(
        slice, work + COMBGPU__GROUP_INDEX * form.room * form.level_words, COMBGPU__GROUP_INDEX);
    uint32_t words[COMBGPU__NO3_MOST], twice[COMBGPU__NO3_MOST], list[COMBGPU__NO3_MOST],
        gone[COMBGPU__NO3_MOST];
    combgpu_no3_orbit_board board;
    board.words = words;
    board.twice = twice;
    board.list = list;
    board.gone = gone;
    /* Never true, but it hides from the compiler how these addresses are formed; else it recomputes
       them for each row (a third of all instructions). */
    if (slice->workers == 0) form.places = form.pairs = form.rows = work;
    combgpu_no3_load(board.twice, form.twice_row, share);
    combgpu_no3_clear(board.words, share);
    combgpu_no3_clear(board.list, share);
    board.need = board.count = 0;
    COMBGPU__NO3_SEARCH(orbit, GROUP);
}

/* The name has the words of a board, and w if a line has two. */
#define COMBGPU__NO3_KERNEL(name, lanes, share, wide)                                              \
    COMBGPU__KERNEL name(COMBGPU__SLICE_ARGUMENTS)                                                 \
    {                                                                                              \
        COMBGPU__GROUP_BEGIN(lanes);                                                               \
        combgpu_no3_orbit_search(COMBGPU__GROUP, slice, tables, tasks, left, records, work, lanes, \
                                 share, wide);                                                     \
    }
COMBGPU__NO3_KERNEL(combgpu_no3_search_16, 4, 4, 0)
COMBGPU__NO3_KERNEL(combgpu_no3_search_32, 4, 8, 0)
COMBGPU__NO3_KERNEL(combgpu_no3_search_48, 4, 12, 0)
COMBGPU__NO3_KERNEL(combgpu_no3_search_48w, 4, 12, 1)
COMBGPU__NO3_KERNEL(combgpu_no3_search_64, 8, 8, 0)
COMBGPU__NO3_KERNEL(combgpu_no3_search_64w, 8, 8, 1)
COMBGPU__NO3_KERNEL(combgpu_no3_search_128w, 16, 8, 1)
COMBGPU__NO3_KERNEL(combgpu_no3_search_192w, 16, 12, 1)
/* ------------------------------------------------------------------------ src/no3/forms/solo.cl */

/* No-three-in-line kernels, the full search up to n = 21: boards, tasks and the stack.

   Each lane has a board of its own, of rows alone: word j < 8 has row j in its high half and row 8
   + j in its low half, column 0 in the top bit of a half. With `extra` more rows and columns word 8
   + k has column 16 + k in its high half and row 16 + k in its low half, without the corner where
   these lines meet; the points on them are in `more`. The corner is the last word, its rows one
   after the other from the top bit on; if it is one cell, a bit of `more`. The rows that a step
   removes, and what finds them by pairs of points, are read from `table`, which fits the shared
   memory of a large multiprocessor: see layout.h. */

/* In `more`: that cell is open. The bits below count points. */
#define COMBGPU__NO3_SOLO_CORNER 256u
#define COMBGPU__NO3_SOLO_COUNT 63u
#define COMBGPU__NO3_SOLO_LINE 0x3f0000u /* in a stack level: its line */

typedef struct combgpu_no3_solo {
    uint32_t extra, share, n, corner; /* rows from this offset in the table on have that cell */
    uint32_t last;                    /* bits in each half for lines from 16 on */
    uint32_t words, task_words, record_words, level_words, room; /* of a task's board; ... */
    COMBGPU__GLOBAL const uint32_t *table;
} combgpu_no3_solo;

typedef struct combgpu_no3_solo_board {
    uint32_t words[14];
    uint32_t list[21]; /* placed points, a byte each, y << 4 | x; `extra`: 16 bits, see _code */
    uint32_t one, two; /* lines 0 to 15 with a point; with two */
    uint32_t more;     /* from bit 31 down `one`, then `two` of rows from 16 on; 15: of columns */
} combgpu_no3_solo_board;

typedef struct combgpu_no3_solo_choice {
    uint32_t dead, solved, waits;
    uint32_t line; /* row i is 2 * i, column i 2 * i + 1 */
    uint32_t x, y, cell;
    uint32_t at_x, at_y; /* from n = 18 on: coordinates of the cell */
    uint32_t limit;      /* points placed before it */
} combgpu_no3_solo_choice;

COMBGPU__DEVICE combgpu_no3_solo combgpu_no3_solo_begin(COMBGPU__GLOBAL const uint32_t *tables,
                                                        COMBGPU__GLOBAL const uint32_t *table,
                                                        const uint32_t extra)
{
    combgpu_no3_solo form;
    form.extra = extra;
    form.share = COMBGPU__NO3_SOLO_SHARE(extra);
    form.last = (0xffffu << (16 - extra) & 0xffff) * 0x10001u;
    form.n = tables[COMBGPU__NO3_AT_SIDE];
    form.corner = tables[COMBGPU__NO3_AT_SOLO_CORNER];
    form.words = extra ? 48 : 16;
    form.task_words = COMBGPU__NO3_TASK_WORDS(form.words);
    form.record_words = COMBGPU__NO3_RECORD_WORDS(form.words);
    form.level_words = COMBGPU__NO3_SOLO_LEVEL(extra);
    form.room = COMBGPU__NO3_SOLO_LEVELS(extra);
    form.table = table;
    return form;
}

/* From n = 18 on: the coordinate of row or column i, which are numbered from the centre out (on an
   odd side the middle is third), and the reverse. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_coordinate(const combgpu_no3_solo *form, uint32_t i)
{
    if (form->extra & 1) i = i == 2 ? 0 : i + (i < 2);
    return (form->n >> 1) + ((i >> 1) ^ (((i ^ form->extra) & 1) - 1));
}

COMBGPU__DEVICE uint32_t combgpu_no3_solo_index(const combgpu_no3_solo *form, uint32_t coordinate)
{
    uint32_t d = coordinate - (form->n >> 1), before = 0u - (d >> 31);
    uint32_t i = (d ^ before) << 1 | ((before ^ ~form->extra) & 1);
    if (form->extra & 1) i = i == 0 ? 2 : i - (i < 3);
    return i;
}

/* A point in the list. From n = 18 on its coordinates: see COMBGPU__NO3_SOLO_CODE. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_code(const combgpu_no3_solo *form, uint32_t x, uint32_t y)
{
    if (!form->extra) return y << 4 | x;
    if (form->extra == 1) return 17 * y + x;
    return COMBGPU__NO3_SOLO_CODE(form->extra, combgpu_no3_solo_coordinate(form, x),
                                  combgpu_no3_solo_coordinate(form, y));
}

/* ---- tasks */

/* The cells beyond the 16th of a line up to 15 (row i: `shift` is i; column i: 16 + i). */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_tail(const combgpu_no3_solo *form, const uint32_t *words,
                                               uint32_t shift)
{
    uint32_t tail = 0, k;
    COMBGPU__NO3_UNROLL
    for (k = 0; k < form->extra; k++)
        tail |= (words[8 + k] << shift & 0x80000000u) >> (16 + k);
    return tail;
}

/* The cells beyond the 16th of row 16 + k, and of column 16 + k. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_row_end(const combgpu_no3_solo *form,
                                                  const combgpu_no3_solo_board *board, uint32_t k)
{
    if (form->extra == 1) return (board->more & COMBGPU__NO3_SOLO_CORNER) << 7;
    return board->words[8 + form->extra] << form->extra * k >> 16 & form->last;
}

COMBGPU__DEVICE uint32_t combgpu_no3_solo_column_end(const combgpu_no3_solo *form,
                                                     const combgpu_no3_solo_board *board,
                                                     uint32_t k)
{
    uint32_t end = 0, i;
    if (form->extra == 1) return (board->more & COMBGPU__NO3_SOLO_CORNER) << 7;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->extra; i++)
        end |= (board->words[8 + form->extra] << (form->extra * i + k) & 0x80000000u) >> (16 + i);
    return end;
}

COMBGPU__DEVICE uint32_t combgpu_no3_solo_load(const combgpu_no3_solo *form,
                                               combgpu_no3_solo_board *board,
                                               COMBGPU__GLOBAL const uint32_t *from)
{
    COMBGPU__GLOBAL const uint32_t *needs = from + form->words;
    const uint32_t extra = form->extra, part = extra ? 6 : 4;
    uint32_t i, j;
    board->one = board->two = 0;
    board->more = needs[0] >> COMBGPU__NO3_COUNT_SHIFT;
    for (i = 0; i < 32 + 2 * extra; i++) {
        uint32_t need = combgpu_no3_task_need(needs, part, i);
        uint32_t bit = 0x80000000u >> ((i >> 1 & 15) + 16 * (i & 1));
        if (i < 32) {
            if (need < 2) board->one |= bit;
            if (need < 1) board->two |= bit;
        } else {
            if (need < 2) board->more |= bit;
            if (need < 1) board->more |= bit >> extra;
        }
    }
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        board->words[j] = extra ? (from[2 * j] & 0xffff0000u) | from[2 * j + 16] >> 16
                                : from[j] << 16 | (from[j + 8] & 0xffff);
    if (extra == 1 && from[32] & 0x8000) board->more |= COMBGPU__NO3_SOLO_CORNER;
    if (extra > 1) board->words[8 + extra] = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < extra; j++) {
        board->words[8 + j] = (from[33 + 2 * j] & 0xffff0000u) | from[32 + 2 * j] >> 16;
        if (extra > 1)
            board->words[8 + extra] |= (from[32 + 2 * j] & form->last & 0xffff) << 16 >> extra * j;
    }
    from = needs + COMBGPU__NO3_NEED_WORDS;
    combgpu_no3_clear(board->list, 21);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < 32 + 2 * extra; i++) {
        uint32_t orbit = from[COMBGPU__NO3_SLOT(i)] >> COMBGPU__NO3_SLOT_SHIFT(i) & 0xffff;
        uint32_t code = combgpu_no3_solo_code(form, orbit % form->n, orbit / form->n);
        if (extra)
            board->list[i >> 1] |= code << 16 * (i & 1);
        else
            board->list[i >> 2] |= code << 8 * (i & 3);
    }
    return combgpu_no3_task_line(needs);
}

/* Point c of the list as an orbit. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_orbit(const combgpu_no3_solo *form, const uint32_t *list,
                                                uint32_t c)
{
    uint32_t point, side = COMBGPU__NO3_SOLO_SIDE(form->extra);
    if (c >= 32 + 2 * form->extra) return 0;
    if (!form->extra) {
        point = list[c >> 2] >> 8 * (c & 3) & 255;
        return (point >> 4) * form->n + (point & 15);
    }
    point = list[c >> 1] >> 16 * (c & 1) & 0xffff;
    if (form->extra == 1) return point;
    point >>= 2;
    return combgpu_no3_solo_index(form, point / side) * form->n +
           combgpu_no3_solo_index(form, point % side);
}

COMBGPU__DEVICE void combgpu_no3_solo_list(const combgpu_no3_solo *form, const uint32_t *list,
                                           COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < (form->extra ? 24 : 16); i++)
        to[i] = combgpu_no3_solo_orbit(form, list, 16 * (i >> 3) + (i & 7)) |
                combgpu_no3_solo_orbit(form, list, 16 * (i >> 3) + (i & 7) + 8) << 16;
    for (; i < COMBGPU__NO3_LIST_WORDS(form->words); i++)
        to[i] = 0;
}

COMBGPU__DEVICE void combgpu_no3_solo_record(const combgpu_no3_solo *form,
                                             const combgpu_no3_solo_board *board,
                                             COMBGPU__GLOBAL uint32_t *to)
{
    to[0] = 2 * form->n;
    combgpu_no3_solo_list(form, board->list, to + 1);
}

/* The points that a line needs (row i is line 2i, column i line 2i + 1). */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_need(const combgpu_no3_solo *form,
                                               const combgpu_no3_solo_board *board, uint32_t line)
{
    uint32_t i = line >> 1, at = (i & 15) + 16 * (line & 1);
    if (i < 16) return 2 - (board->one << at >> 31) - (board->two << at >> 31);
    if (i >= 16 + form->extra) return 0;
    return 2 - (board->more << at >> 31) - (board->more << (at + form->extra) >> 31);
}

COMBGPU__DEVICE void combgpu_no3_solo_give(const combgpu_no3_solo *form,
                                           const combgpu_no3_solo_board *board,
                                           COMBGPU__GLOBAL uint32_t *to, uint32_t line,
                                           uint32_t gives)
{
    const uint32_t extra = form->extra, *words = board->words, part = extra ? 6 : 4;
    uint32_t i, j, k;
    if (!gives) return;
    for (i = 0; i < 16; i++) { /* column i: bits of all rows */
        uint32_t column = 0;
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 8; j++) {
            k = words[j] >> (15 - i) & 0x10001;
            column |= (k >> 1 | k << 7) >> j;
        }
        column &= 0xffff;
        if (extra)
            to[2 * i + 1] = column << 16 | combgpu_no3_solo_tail(form, words, 16 + i);
        else
            to[i] = column << 16;
    }
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        if (extra) {
            to[2 * j] = (words[j] & 0xffff0000u) | combgpu_no3_solo_tail(form, words, j);
            to[2 * j + 16] = words[j] << 16 | combgpu_no3_solo_tail(form, words, j + 8);
        } else {
            to[j] |= words[j] >> 16;
            to[j + 8] |= words[j] & 0xffff;
        }
    if (extra) {
        COMBGPU__NO3_UNROLL
        for (j = 0; j < extra; j++) {
            to[32 + 2 * j] = words[8 + j] << 16 | combgpu_no3_solo_row_end(form, board, j);
            to[33 + 2 * j] =
                (words[8 + j] & 0xffff0000u) | combgpu_no3_solo_column_end(form, board, j);
        }
        for (i = 32 + 2 * extra; i < 48; i++)
            to[i] = 0;
    }
    to += form->words;
    for (i = 0; i < COMBGPU__NO3_NEED_WORDS; i++) {
        uint32_t needs = combgpu_no3_task_top(i, board->more & COMBGPU__NO3_SOLO_COUNT, line);
        for (k = 0; k < part; k++)
            needs |= combgpu_no3_solo_need(form, board, i * part + k) << 2 * k;
        to[i] = needs;
    }
    combgpu_no3_solo_list(form, board->list, to + COMBGPU__NO3_NEED_WORDS);
}

/* ---- the stack: a level ends with `one`, `two` and `more` */

COMBGPU__DEVICE uint32_t combgpu_no3_solo_pop(const combgpu_no3_solo *form,
                                              combgpu_no3_solo_board *board,
                                              COMBGPU__GLOBAL const uint32_t *top)
{
    const uint32_t end = form->level_words - 11; /* words from 8 on, but for the last three */
    uint32_t rest[12], j;
    combgpu_no3_load(board->words, top, 8);
    combgpu_no3_load(rest, top + 8, end + 3);
    COMBGPU__NO3_UNROLL
    for (j = 8; j < form->share; j++)
        board->words[j] = rest[j - 8];
    board->one = rest[end];
    board->two = rest[end + 1];
    board->more = rest[end + 2] & ~COMBGPU__NO3_SOLO_LINE;
    return rest[end + 2] >> 16 & 63;
}

COMBGPU__DEVICE void combgpu_no3_solo_push(const combgpu_no3_solo *form,
                                           const combgpu_no3_solo_board *board,
                                           COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    const uint32_t end = form->level_words - 11;
    uint32_t rest[12], j;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < end; j++)
        rest[j] = 8 + j < form->share ? board->words[8 + j] : 0;
    rest[end] = board->one;
    rest[end + 1] = board->two;
    rest[end + 2] = board->more | line << 16;
    combgpu_no3_store(top, board->words, 8);
    combgpu_no3_store(top + 8, rest, end + 3);
}
/* ------------------------------------------------------------------- src/no3/forms/solo_step.cl */

/* No-three-in-line kernels, the full search up to n = 21: a step.

   The open cells of all lines are counted at once by adding words bit by bit (carry-save): a line's
   count is a bit in each of four masks, rows in the high half, columns in the low half, line 0 in
   the top bit of its half. So few instructions find the line to branch on. */

/* The corner's cells of column 16 + k, anywhere in the low half. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_column_bits(const combgpu_no3_solo *form,
                                                      const combgpu_no3_solo_board *board,
                                                      uint32_t k)
{
    uint32_t first = 0, i;
    if (form->extra == 1) return combgpu_no3_solo_column_end(form, board, k);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->extra; i++)
        first |= 0x80000000u >> form->extra * i;
    first &= board->words[8 + form->extra] << k;
    return first >> 16 | (form->extra > 4 ? first & 0xffff : 0);
}

/* Counts the open cells of each line. `last`: rows from 16 on from bit 31 down, columns from bit 15
   down. */
COMBGPU__DEVICE void combgpu_no3_solo_count(const combgpu_no3_solo *form,
                                            const combgpu_no3_solo_board *board,
                                            combgpu_no3_counts *lines, combgpu_no3_counts *last)
{
    const uint32_t *words = board->words;
    uint32_t rows = 0, low = 0, a, b, ca, cb, cc, c, s, t, f, e, fa, j;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++) {
        rows = 2 * rows + combgpu_no3_spread(COMBGPU__POPCOUNT(words[j] >> 16));
        low = 2 * low + combgpu_no3_spread(COMBGPU__POPCOUNT(words[j] & 0xffff));
    }
    a = words[0] ^ words[1] ^ words[2];
    ca = COMBGPU__NO3_MAJORITY(words[0], words[1], words[2]);
    b = words[3] ^ words[4] ^ words[5];
    cb = COMBGPU__NO3_MAJORITY(words[3], words[4], words[5]);
    s = a ^ b ^ words[6];
    cc = COMBGPU__NO3_MAJORITY(a, b, words[6]);
    c = s & words[7];
    s ^= words[7];
    t = ca ^ cb ^ cc;
    fa = COMBGPU__NO3_MAJORITY(ca, cb, cc);
    f = fa ^ (t & c);
    e = fa & t & c;
    t ^= c;
    a = s & s >> 16; /* adds the two halves */
    s ^= s >> 16;
    b = COMBGPU__NO3_MAJORITY(t, t >> 16, a);
    t ^= t >> 16 ^ a;
    e |= e >> 16 | COMBGPU__NO3_MAJORITY(f, f >> 16, b);
    f ^= f >> 16 ^ b;
    s = (s & 0xffff) | (rows & 0xff) << 24 | (low & 0xff) << 16;
    t = (t & 0xffff) | (rows & 0xff00) << 16 | (low & 0xff00) << 8;
    f = (f & 0xffff) | (rows & 0xff0000) << 8 | (low & 0xff0000);
    e = (e & 0xffff) | (rows & 0xff000000u) | (low >> 8 & 0xff0000);
    last->s = last->t = last->f = last->e = 0;
    rows = low = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->extra; j++) { /* one cell more in each line; then the last lines */
        const uint32_t word = words[8 + j];
        a = s & word;
        s ^= word;
        b = t & a;
        t ^= a;
        e |= f & b;
        f ^= b;
        a = COMBGPU__POPCOUNT(word << 16 | combgpu_no3_solo_row_end(form, board, j));
        b = COMBGPU__POPCOUNT((word & 0xffff0000u) | combgpu_no3_solo_column_bits(form, board, j));
        rows = 2 * rows + combgpu_no3_spread(a);
        low = 2 * low + combgpu_no3_spread(b);
    }
    if (form->extra) {
        last->s = (rows << 16 | (low & 0xff)) << (16 - form->extra);
        last->t = ((rows & 0xff00) << 8 | (low >> 8 & 0xff)) << (16 - form->extra);
        last->f = ((rows & 0xff0000) | (low >> 16 & 0xff)) << (16 - form->extra);
        last->e = ((rows >> 8 & 0xff0000) | low >> 24) << (16 - form->extra);
    }
    lines->s = s;
    lines->t = t;
    lines->f = f;
    lines->e = e;
}

/* The first line of the best class; a row before a column. */
COMBGPU__DEVICE void combgpu_no3_solo_choose(const combgpu_no3_solo *form,
                                             const combgpu_no3_solo_board *board,
                                             combgpu_no3_solo_choice *choice)
{
    const uint32_t one = board->one, two = board->two, more = board->more;
    uint32_t s, t, f, e, xs, xt, xf, xe, open, rest, lines, forced;
    uint32_t xrest = 0, xlines = 0, xforced = 0;
    combgpu_no3_counts count, last;
    combgpu_no3_solo_count(form, board, &count, &last);
    s = count.s, t = count.t, f = count.f, e = count.e;
    xs = last.s, xt = last.t, xf = last.f, xe = last.e;
    open = ~(two | f | e);
    rest = ~(two | one);
    choice->dead = open & ~t & ~(s & one);
    forced = open & (s ^ t) & ~(s ^ one);
    lines = open & t & (s ^ one);
    if (form->extra) {
        open = ~(more << form->extra | xf | xe) & form->last;
        xrest = ~(more << form->extra | more) & form->last;
        choice->dead |= open & ~xt & ~(xs & more);
        xforced = open & (xs ^ xt) & ~(xs ^ more);
        xlines = open & xt & (xs ^ more);
    }
    if (!(lines | xlines)) {
        lines = rest & f & ~(e | t | s);
        xlines = xrest & xf & ~(xe | xt | xs);
    }
    if (!(lines | xlines)) {
        lines = rest & f & s & ~(e | t);
        xlines = xrest & xf & xs & ~(xe | xt);
    }
    if (!(lines | xlines)) {
        lines = rest & (e | (f & t));
        xlines = xrest & (xe | (xf & xt));
    }
    if (!(lines | xlines)) {
        lines = one & ~two & (e | f | (s & t));
        xlines = more & ~(more << form->extra) & (xe | xf | (xs & xt)) & form->last;
    }
    if (forced | xforced) {
        lines = forced;
        xlines = xforced;
    }
    choice->line = COMBGPU__CLZ(lines | lines << 16) & 31;
    choice->line = 2 * choice->line + 1 - (lines << choice->line >> 31);
    choice->solved = two == COMBGPU__NONE;
    if (form->extra) {
        if (!lines) {
            choice->line = COMBGPU__CLZ(xlines | xlines << 16) & 31;
            choice->line = 2 * choice->line + 33 - (xlines << choice->line >> 31);
        }
        choice->solved = choice->solved && !(~(more << form->extra) & form->last);
    }
}

COMBGPU__DEVICE void combgpu_no3_solo_cell(const combgpu_no3_solo *form,
                                           const combgpu_no3_solo_board *board,
                                           combgpu_no3_solo_choice *choice, uint32_t line,
                                           uint32_t go)
{
    const uint32_t *words = board->words, i = line >> 1 & 31, is_row = ~line & 1;
    uint32_t one = board->one, row, column, first, j;
    row = i & 2 ? (i & 1 ? words[3] : words[2]) : (i & 1 ? words[1] : words[0]);
    column = i & 2 ? (i & 1 ? words[7] : words[6]) : (i & 1 ? words[5] : words[4]);
    row = i & 4 ? column : row;
    row = i & 8 ? row << 16 : row & 0xffff0000u;
    column = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        column = 2 * column + (words[j] >> (15 - (i & 15)) & 0x10001);
    column = (column << 8 & 0xff000000u) | (column << 16 & 0x00ff0000u);
    if (form->extra) {
        const uint32_t tail = combgpu_no3_solo_tail(form, words, (i & 15) + (is_row ? 0 : 16));
        row |= tail;
        column |= tail;
    }
    if (form->extra && i >= 16) {
        uint32_t word = words[8];
        one = board->more;
        COMBGPU__NO3_UNROLL
        for (j = 1; j < form->extra; j++)
            word = i == 16 + j ? words[8 + j] : word;
        row = word << 16 | combgpu_no3_solo_row_end(form, board, i - 16);
        column = (word & 0xffff0000u) | combgpu_no3_solo_column_end(form, board, i - 16);
    }
    row = is_row ? row : column;
    choice->waits = COMBGPU__POPCOUNT(row) + (one << ((i & 15) + (is_row ? 0 : 16)) >> 31) > 2;
    first = COMBGPU__CLZ(row);
    choice->y = is_row ? i : first;
    choice->x = is_row ? first : i;
    choice->cell = go ? combgpu_no3_solo_code(form, choice->x, choice->y) : 0;
    choice->at_x = combgpu_no3_solo_coordinate(form, choice->x);
    choice->at_y = combgpu_no3_solo_coordinate(form, choice->y);
    choice->limit = go ? board->more & COMBGPU__NO3_SOLO_COUNT : 0;
}

COMBGPU__DEVICE void combgpu_no3_solo_remove(const combgpu_no3_solo *form,
                                             combgpu_no3_solo_board *board,
                                             const combgpu_no3_solo_choice *choice)
{
    const uint32_t x = choice->x, y = choice->y;
    uint32_t word = y & 7, bit = 0x80000000u >> ((x + 2 * (y & 8)) & 31), j;
    if (form->extra) {
        if (y >= 16) {
            word = y - 8;
            bit = 0x8000u >> (x & 15);
        }
        if (x >= 16) {
            word = x - 8;
            bit = 0x80000000u >> (y & 15);
            if (y >= 16) {
                word = form->extra > 1 ? 8 + form->extra : 31;
                bit = 0x80000000u >> (form->extra * (y & 15) + (x & 15));
                if (form->extra == 1) board->more &= ~COMBGPU__NO3_SOLO_CORNER;
            }
        }
    }
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->share; j++)
        board->words[j] &= ~(j == word ? bit : 0);
}

/* Closes the corner's cells on full lines, given as in `more`. */
COMBGPU__DEVICE void combgpu_no3_solo_close(const combgpu_no3_solo *form,
                                            combgpu_no3_solo_board *board, uint32_t full)
{
    const uint32_t extra = form->extra, row = COMBGPU__NONE << (32 - extra);
    uint32_t gone = 0, k;
    if (extra == 1) {
        board->more &= ~COMBGPU__NO3_SOLO_CORNER;
        return;
    }
    COMBGPU__NO3_UNROLL
    for (k = 0; k < extra; k++)
        gone |= ((full << k >> 31 ? row : 0) | (full << 16 & row)) >> extra * k;
    board->words[8 + extra] &= ~gone;
}

/* The point's lines have one point more; a full line takes no other. */
COMBGPU__DEVICE void combgpu_no3_solo_place(const combgpu_no3_solo *form,
                                            combgpu_no3_solo_board *board,
                                            const combgpu_no3_solo_choice *choice)
{
    const uint32_t x = choice->x, y = choice->y, count = board->more & COMBGPU__NO3_SOLO_COUNT;
    const uint32_t of_lines = (0x80000000u >> (y & 31) & 0xffff0000u) | 0x8000u >> (x & 31);
    const uint32_t full = board->one & of_lines, column = (full & 0xffff) * 0x10001u;
    const uint32_t row = full >> 16 ? (y & 8 ? 0xffff : 0xffff0000u) : 0;
    uint32_t j;
    board->one |= of_lines;
    board->two |= full;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        board->words[j] &= ~(column | (j == (y & 7) ? row : 0));
    if (form->extra) {
        const uint32_t last =
            (y < 16 ? 0 : 0x80000000u >> (y & 15)) | (x < 16 ? 0 : 0x8000u >> (x & 15));
        const uint32_t last_full = board->more & last, number = 0xffffu << 16 * (count & 1);
        board->more |= last | last_full >> form->extra;
        COMBGPU__NO3_UNROLL
        for (j = 0; j < form->extra; j++)
            board->words[8 + j] &= ~(full | (last_full << j >> 31 ? 0xffff : 0) |
                                     (last_full << j & 0x8000 ? 0xffff0000u : 0));
        if (last_full) combgpu_no3_solo_close(form, board, last_full);
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 16 + form->extra; j++) {
            uint32_t here = count >> 1 == j ? number : 0;
            board->list[j] = (board->list[j] & ~here) | (choice->cell * 0x10001u & here);
        }
    } else {
        const uint32_t byte = 255u << 8 * (count & 3);
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 8; j++) {
            uint32_t here = count >> 2 == j ? byte : 0;
            board->list[j] = (board->list[j] & ~here) | (choice->cell * 0x01010101u & here);
        }
    }
    board->more++;
}
/* ------------------------------------------------------------------- src/no3/forms/solo_rows.cl */

/* No-three-in-line kernels, the full search up to n = 21: the rows that a step removes, and the
   kernels. */

/* The byte offset of the row for a new point and a placed one; 0: the empty row. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_id(const combgpu_no3_solo *form,
                                             const combgpu_no3_solo_choice *choice, uint32_t placed)
{
    const uint32_t extra = form->extra, a = choice->cell, b = placed;
    COMBGPU__GLOBAL const uint8_t *from =
        (COMBGPU__GLOBAL const uint8_t *)form->table + COMBGPU__NO3_SOLO_PAIRS(extra);
    uint32_t last = max(a, b), word, line, row;
    if (extra < 2)
        return *(COMBGPU__GLOBAL const uint16_t *)(from + (extra ? last * (last - 1) + 2 * (a + b)
                                                                 : 512 * a + 2 * b));
    word = *(COMBGPU__GLOBAL const uint32_t *)(from + (COMBGPU__NO3_SOLO_CENTRE(extra) - a + b));
    line = (word >> 16) + choice->at_x * (uint32_t)((int32_t)(word << 24) >> 24) +
           choice->at_y * (uint32_t)((int32_t)(word << 16) >> 24);
    row = *(COMBGPU__GLOBAL const uint16_t *)(from + COMBGPU__NO3_SOLO_DIRECTIONS(extra) + line);
    if (row >= COMBGPU__NO3_SOLO_THIRD) row -= COMBGPU__NO3_SOLO_THIRD + a + b;
    return 4 * row;
}

COMBGPU__DEVICE void combgpu_no3_solo_row(const combgpu_no3_solo *form, uint32_t *row, uint32_t id)
{
    const uint32_t extra = form->extra, rows = COMBGPU__NO3_SOLO_ROWS(extra);
    COMBGPU__GLOBAL const uint8_t *from = (COMBGPU__GLOBAL const uint8_t *)form->table;
    combgpu_no3_load(row, (COMBGPU__GLOBAL const uint32_t *)(from + id), 4);
    combgpu_no3_load(row + 4, (COMBGPU__GLOBAL const uint32_t *)(from + 16 * rows + id), 4);
    from += 32 * rows;
    if (extra == 1) row[8] = *(COMBGPU__GLOBAL const uint32_t *)(from + (id >> 2));
    if (extra > 1) combgpu_no3_load(row + 8, (COMBGPU__GLOBAL const uint32_t *)(from + id), 4);
    from += 16 * rows;
    if (extra == 4) row[12] = *(COMBGPU__GLOBAL const uint32_t *)(from + (id >> 2));
    if (extra == 5) {
        uint2 pair = *(COMBGPU__GLOBAL const uint2 *)(from + (id >> 1));
        row[12] = pair.x;
        row[13] = pair.y;
    }
}

/* Takes four placed points at once. After the last point the cell itself fills up: its row with
   itself is empty. */
COMBGPU__DEVICE void combgpu_no3_solo_propagate(const combgpu_no3_solo *form,
                                                combgpu_no3_solo_board *board,
                                                const combgpu_no3_solo_choice *choice, uint32_t go)
{
    const uint32_t wide = form->extra > 0, limit = choice->limit, far = limit >> 2,
                   rest = limit & 3;
    const uint32_t cells = choice->cell * (wide ? 0x10001u : 0x01010101u);
    const uint32_t a =
        wide ? (rest ? (rest == 1 ? 0xffff0000u : 0) : COMBGPU__NONE) : COMBGPU__NONE << 8 * rest;
    const uint32_t b = rest == 3 ? 0xffff0000u : COMBGPU__NONE;
    uint32_t most = 0, i, j, k;
    (void)go;
    COMBGPU__NO3_UNROLL
    for (k = 0; k < (32 + 2 * form->extra + 3) / 4; k++) {
        uint32_t id[4], row[14], p0, p1;
        if (!COMBGPU__NO3_LANE_ANY(4 * k < limit)) break;
        p0 = board->list[wide ? 2 * k : k];
        p1 = wide && 2 * k + 1 < 21 ? board->list[2 * k + 1] : 0;
        if (k == far) {
            p0 = (p0 & ~a) | (cells & a);
            p1 = (p1 & ~b) | (cells & b);
        }
        if (k > far) p0 = p1 = cells;
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 4; j++) {
            id[j] = combgpu_no3_solo_id(form, choice,
                                        wide ? (j < 2 ? p0 : p1) >> 16 * (j & 1) & 0xffff
                                             : p0 >> 8 * j & 255);
            if (form->extra == 1) most = max(most, id[j]);
        }
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 4; j++)
            if (form->extra == 1 || id[j]) { /* n = 17: a branch costs more than empty rows save */
                combgpu_no3_solo_row(form, row, id[j]);
                COMBGPU__NO3_UNROLL
                for (i = 0; i < form->share; i++)
                    board->words[i] &= ~row[i];
            }
    }
    if (form->extra == 1 && most >= form->corner) board->more &= ~COMBGPU__NO3_SOLO_CORNER;
}

COMBGPU__DEVICE void combgpu_no3_solo_search(COMBGPU__SLICE_ARGUMENTS,
                                             COMBGPU__GLOBAL const uint32_t *table,
                                             const uint32_t extra)
{
    const uint32_t index = COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID;
    combgpu_no3_solo form = combgpu_no3_solo_begin(tables, table, extra);
    combgpu_no3_worker worker =
        combgpu_no3_worker_begin(slice, work + index * form.room * form.level_words, index);
    combgpu_no3_solo_board board;
    combgpu_no3_clear(board.words, 14);
    combgpu_no3_clear(board.list, 21);
    board.one = board.two = board.more = 0;
    COMBGPU__NO3_SEARCH(solo, LANE);
}

#define COMBGPU__NO3_SOLO_KERNEL(name, extra)                                                      \
    COMBGPU__KERNEL name(COMBGPU__SLICE_ARGUMENTS)                                                 \
    {                                                                                              \
        combgpu_no3_solo_search(slice, tables, tasks, left, records, work,                         \
                                tables + tables[COMBGPU__NO3_AT_SOLO], extra);                     \
    }
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo, 0)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo17, 1)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo18, 2)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo19, 3)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo20, 4)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo21, 5)

#ifdef __CUDACC__
/* The forms with the table in shared memory; one block on a multiprocessor. */
#define COMBGPU__NO3_SOLO_SHARED(name, lanes, extra)                                               \
    static __global__ void __launch_bounds__(lanes, 1) name(COMBGPU__SLICE_ARGUMENTS)              \
    {                                                                                              \
        extern __shared__ uint4 combgpu_no3_solo_table[];                                          \
        const uint4 *from = (const uint4 *)(tables + tables[COMBGPU__NO3_AT_SOLO]);                \
        uint32_t i;                                                                                \
        for (i = COMBGPU__LANE_ID; i < COMBGPU__NO3_SOLO_BYTES(extra) / 16;                        \
             i += COMBGPU__BLOCK_LANES)                                                            \
            combgpu_no3_solo_table[i] = from[i];                                                   \
        COMBGPU__BLOCK_BARRIER();                                                                  \
        combgpu_no3_solo_search(slice, tables, tasks, left, records, work,                         \
                                (const uint32_t *)combgpu_no3_solo_table, extra);                  \
    }
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo_shared, 512, 0)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo17_shared, 384, 1)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo18_shared, 384, 2)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo19_shared, 384, 3)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo20_shared, 352, 4)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo21_shared, 352, 5)
#endif
/* ---------------------------------------------------------------------- src/no3/forms/matrix.cl */

/* No-three-in-line kernels, the full search from n = 22 to 24.

   A cell is a bit of a matrix, a row in a word, column 0 in the top bit. Four lanes have six rows
   each. Rows that a step removes have the same numbers as in combgpu_no3_orbit. */

typedef struct combgpu_no3_matrix {
    combgpu_group_t group;
    uint32_t lane, share;
    uint32_t all, kept; /* words of the matrix; list words in a lane */
    uint32_t stride, line_rows;
    uint32_t words, orbits, lines; /* of a task's board */
    uint32_t task_words, record_words, level_words, room;
    COMBGPU__GLOBAL const uint32_t *cells, *places, *rows;
    COMBGPU__GLOBAL const uint16_t *pairs;
} combgpu_no3_matrix;

typedef struct combgpu_no3_matrix_board {
    uint32_t *words, *list, *gone; /* in this lane; gone: what this step removes */
    uint32_t one, two;             /* rows with a point; with two */
    uint32_t one_c, two_c;         /* columns */
    uint32_t count;                /* orbits placed */
} combgpu_no3_matrix_board;

typedef struct combgpu_no3_matrix_choice {
    uint32_t dead, solved, waits;
    uint32_t line; /* row i is 2 * i, column i 2 * i + 1 */
    uint32_t x, y, orbit;
} combgpu_no3_matrix_choice;

COMBGPU__DEVICE combgpu_no3_matrix combgpu_no3_matrix_begin(COMBGPU__GROUP_PARAMETER,
                                                            COMBGPU__GLOBAL const uint32_t *tables)
{
    const uint32_t share = COMBGPU__NO3_MATRIX_SHARE;
    combgpu_no3_matrix form;
    form.group = group;
    form.lane = COMBGPU__GROUP_LANE;
    form.share = share;
    form.all = 4 * share;
    form.kept = share;
    form.stride = tables[COMBGPU__NO3_AT_STRIDE];
    form.line_rows = tables[COMBGPU__NO3_AT_LINE_ROWS];
    form.words = tables[COMBGPU__NO3_AT_WORDS];
    form.orbits = tables[COMBGPU__NO3_AT_ORBITS];
    form.lines = form.words;
    form.task_words = COMBGPU__NO3_TASK_WORDS(form.words);
    form.record_words = COMBGPU__NO3_RECORD_WORDS(form.words);
    form.level_words = COMBGPU__NO3_MATRIX_LEVEL;
    form.room = COMBGPU__NO3_MATRIX_LEVELS;
    form.cells = tables + tables[COMBGPU__NO3_AT_GRID];
    form.places = form.cells + COMBGPU__NO3_MATRIX_PLACES;
    form.pairs = (COMBGPU__GLOBAL const uint16_t *)(form.cells + COMBGPU__NO3_MATRIX_SPOTS +
                                                    2 * form.orbits);
    form.rows = tables + tables[COMBGPU__NO3_AT_MATRIX];
    return form;
}

/* Adds row `number` to `gone`. */
COMBGPU__DEVICE void combgpu_no3_matrix_gone(const combgpu_no3_matrix *form, uint32_t *gone,
                                             uint32_t number)
{
    uint32_t row[COMBGPU__NO3_MOST], i;
    combgpu_no3_load_lane(row, form->rows + number * form->all, form->share, form->lane);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->share; i++)
        gone[i] |= row[i];
}

/* ---- tasks, the stack */

COMBGPU__DEVICE uint32_t combgpu_no3_matrix_load(const combgpu_no3_matrix *form,
                                                 combgpu_no3_matrix_board *board,
                                                 COMBGPU__GLOBAL const uint32_t *from)
{
    COMBGPU__GLOBAL const uint32_t *needs = from + form->words;
    const uint32_t lines = form->lines, part = lines / COMBGPU__NO3_NEED_WORDS;
    const uint32_t none = 0xffffffffu >> lines / 2; /* unused lines */
    uint32_t i;
    board->one = board->two = board->one_c = board->two_c = 0;
    for (i = 0; i < lines; i++) {
        uint32_t need = combgpu_no3_task_need(needs, part, i);
        uint32_t bit = 0x80000000u >> (i >> 1);
        if (i & 1) {
            board->one_c |= need < 2 ? bit : 0;
            board->two_c |= need < 1 ? bit : 0;
        } else {
            board->one |= need < 2 ? bit : 0;
            board->two |= need < 1 ? bit : 0;
        }
    }
    board->one |= none;
    board->two |= none;
    board->one_c |= none;
    board->two_c |= none;
    board->count = needs[0] >> COMBGPU__NO3_COUNT_SHIFT;
    combgpu_no3_load_board(board->words, form->share, form->lane, form->places, from);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        board->list[i] = needs[COMBGPU__NO3_NEED_WORDS + 4 * i + form->lane];
    return combgpu_no3_task_line(needs);
}

COMBGPU__DEVICE void combgpu_no3_matrix_give(const combgpu_no3_matrix *form,
                                             const combgpu_no3_matrix_board *board,
                                             COMBGPU__GLOBAL uint32_t *to, uint32_t line_of,
                                             uint32_t gives)
{
    COMBGPU__GLOBAL uint32_t *needs = to + form->words;
    const uint32_t lane = form->lane, part = form->lines / COMBGPU__NO3_NEED_WORDS;
    uint32_t i, k;
    if (gives)
        for (i = lane; i < form->task_words; i += 4)
            to[i] = 0;
    COMBGPU__WARP_BARRIER();
    if (!gives) return;
    combgpu_no3_give_board(board->words, form->share, lane, form->places, to);
    for (i = lane; i < COMBGPU__NO3_NEED_WORDS; i += 4) {
        uint32_t word = combgpu_no3_task_top(i, board->count, line_of);
        for (k = 0; k < part; k++) {
            uint32_t line = i * part + k, shift = line >> 1;
            uint32_t one = line & 1 ? board->one_c : board->one;
            uint32_t two = line & 1 ? board->two_c : board->two;
            word |= (2 - (one << shift >> 31) - (two << shift >> 31)) << 2 * k;
        }
        needs[i] = word;
    }
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        needs[COMBGPU__NO3_NEED_WORDS + 4 * i + lane] = board->list[i];
}

COMBGPU__DEVICE void combgpu_no3_matrix_record(const combgpu_no3_matrix *form,
                                               const combgpu_no3_matrix_board *board,
                                               COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    if (form->lane == 0) to[0] = board->count;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        to[1 + 4 * i + form->lane] =
            combgpu_no3_listed(board->list[i], 4 * i + form->lane, board->count);
    for (i = 4 * form->kept + form->lane; i < COMBGPU__NO3_LIST_WORDS(form->words); i += 4)
        to[1 + i] = 0;
}

COMBGPU__DEVICE uint32_t combgpu_no3_matrix_pop(const combgpu_no3_matrix *form,
                                                combgpu_no3_matrix_board *board,
                                                COMBGPU__GLOBAL const uint32_t *top)
{
    combgpu_no3_load_lane(board->words, top, form->share, form->lane);
    board->one = top[form->all];
    board->two = top[form->all + 1];
    board->one_c = top[form->all + 2];
    board->two_c = top[form->all + 3];
    board->count = top[form->all + 4];
    return top[form->all + 5];
}

COMBGPU__DEVICE void combgpu_no3_matrix_push(const combgpu_no3_matrix *form,
                                             const combgpu_no3_matrix_board *board,
                                             COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    const uint32_t lane = form->lane;
    combgpu_no3_store_lane(top, board->words, form->share, lane);
    top[form->all + lane] = lane == 0   ? board->one
                            : lane == 1 ? board->two
                            : lane == 2 ? board->one_c
                                        : board->two_c;
    if (lane < 2) top[form->all + 4 + lane] = lane ? line : board->count;
}

/* ---- a step */

/* Counts the open cells of rows. Lanes exchange a byte for each bit of the count, with the lane's
   row 0 in the top bit. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_matrix_rows(const combgpu_no3_matrix *form,
                                                           const uint32_t *words)
{
    const combgpu_group_t group = form->group;
    const uint32_t share = form->share;
    uint32_t own = 0, j, k;
    combgpu_no3_counts rows;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++) {
        own = 2 * own + combgpu_no3_spread(COMBGPU__POPCOUNT(words[j]));
    }
    own <<= 8 - share;
    rows.s = rows.t = rows.f = rows.e = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++) {
        k = COMBGPU__GROUP_FROM(own, j);
        rows.s |= (k & 255) << 24 >> share * j;
        rows.t |= (k >> 8 & 255) << 24 >> share * j;
        rows.f |= (k >> 16 & 255) << 24 >> share * j;
        rows.e |= k >> 24 << 24 >> share * j;
    }
    return rows;
}

/* Counts the open cells of columns: word after word, then the sum over lanes. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_matrix_columns(const combgpu_no3_matrix *form,
                                                              const uint32_t *words)
{
    combgpu_no3_counts columns;
    uint32_t c, c2, j;
    columns.s = columns.t = columns.f = columns.e = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->share; j++) {
        c = columns.s & words[j];
        columns.s ^= words[j];
        c2 = columns.t & c;
        columns.t ^= c;
        columns.e |= columns.f & c2;
        columns.f ^= c2;
    }
    combgpu_no3_counts_sum(form->group, &columns);
    return columns;
}

COMBGPU__DEVICE void combgpu_no3_matrix_choose(const combgpu_no3_matrix *form,
                                               const combgpu_no3_matrix_board *board,
                                               combgpu_no3_matrix_choice *choice)
{
    combgpu_no3_counts rows = combgpu_no3_matrix_rows(form, board->words);
    combgpu_no3_counts columns = combgpu_no3_matrix_columns(form, board->words);
    uint32_t kind[8], kind_c[8], is_row, is_column;
    combgpu_no3_kinds(kind, rows, board->one, board->two, 0);
    combgpu_no3_kinds(kind_c, columns, board->one_c, board->two_c, 0);
    choice->dead = kind[0] | kind_c[0];
    choice->line = 2 * combgpu_no3_best_line(kind, kind_c, &is_row, &is_column) + 1;
    choice->line -= is_row;
    choice->solved = board->two == COMBGPU__NONE && board->two_c == COMBGPU__NONE;
}

/* Finds the first open cell of a row or column. */
COMBGPU__DEVICE void combgpu_no3_matrix_cell(const combgpu_no3_matrix *form,
                                             const combgpu_no3_matrix_board *board,
                                             combgpu_no3_matrix_choice *choice, uint32_t line,
                                             uint32_t go)
{
    const combgpu_group_t group = form->group;
    const uint32_t lane = form->lane, share = form->share, i = line >> 1 & 31;
    const uint32_t is_row = !(line & 1), one = (is_row ? board->one : board->one_c) << i >> 31;
    uint32_t row = 0, column = 0, x, y = i, j;
    (void)go;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++) {
        row |= lane * share + j == i ? board->words[j] : 0;
        column |= (board->words[j] << i & 0x80000000u) >> j;
    }
    column >>= lane * share;
    if (!is_row) row = column;
    row |= COMBGPU__GROUP_FROM(row, lane ^ 1);
    row |= COMBGPU__GROUP_FROM(row, lane ^ 2);
    x = COMBGPU__CLZ(row);
    choice->waits = COMBGPU__POPCOUNT(row) + one > 2;
    if (!is_row) {
        y = x;
        x = i;
    }
    choice->x = x & 31;
    choice->y = y & 31;
    choice->orbit = form->cells[choice->y * 32 + choice->x];
    combgpu_no3_clear(board->gone, share);
}

COMBGPU__DEVICE void combgpu_no3_matrix_remove(const combgpu_no3_matrix *form,
                                               combgpu_no3_matrix_board *board,
                                               const combgpu_no3_matrix_choice *choice)
{
    const uint32_t bit = 0x80000000u >> choice->x;
    uint32_t j;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->share; j++)
        board->words[j] &= ~(form->lane * form->share + j == choice->y ? bit : 0);
}

/* `gone` gets the cells that the point's lines no longer take. */
COMBGPU__DEVICE void combgpu_no3_matrix_place(const combgpu_no3_matrix *form,
                                              combgpu_no3_matrix_board *board,
                                              combgpu_no3_matrix_choice *choice)
{
    const uint32_t bit = 0x80000000u >> choice->x, bit_y = 0x80000000u >> choice->y;
    board->two |= board->one & bit_y;
    board->one |= bit_y;
    board->two_c |= board->one_c & bit;
    board->one_c |= bit;
    if (board->two & bit_y)
        combgpu_no3_matrix_gone(form, board->gone, form->line_rows + 6 * choice->y);
    if (board->two_c & bit)
        combgpu_no3_matrix_gone(form, board->gone, form->line_rows + 6 * choice->x + 3);
    combgpu_no3_list_put(board->list, form->kept, 4, form->lane, board->count, choice->orbit);
    board->count++;
}

COMBGPU__DEVICE void combgpu_no3_matrix_propagate(const combgpu_no3_matrix *form,
                                                  combgpu_no3_matrix_board *board,
                                                  combgpu_no3_matrix_choice *choice, uint32_t go)
{
    const combgpu_group_t group = form->group;
    const uint32_t limit = go ? board->count : 0;
    uint32_t at, j, k;
    COMBGPU__NO3_UNROLL
    COMBGPU__NO3_EACH_ROUND(k, 4 * k < limit, 2 * form->kept)
    {
        uint32_t number = 0;
        if (4 * k + form->lane < limit) {
            uint32_t both = board->list[COMBGPU__NO3_SLOT(4 * k) / 4];
            at = choice->orbit * form->stride + (4 * k & 8 ? both >> 16 : both & 0xffff);
            number = form->pairs[at];
        }
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 4; j++) {
            at = COMBGPU__GROUP_FROM(number, j);
            if (at) combgpu_no3_matrix_gone(form, board->gone, at);
        }
    }
    if (go) combgpu_no3_without(board->words, board->gone, form->share);
}

COMBGPU__DEVICE void combgpu_no3_matrix_search(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_no3_matrix form = combgpu_no3_matrix_begin(COMBGPU__GROUP, tables);
    combgpu_no3_worker worker = combgpu_no3_worker_begin(
        slice, work + COMBGPU__GROUP_INDEX * form.room * form.level_words, COMBGPU__GROUP_INDEX);
    uint32_t words[COMBGPU__NO3_MOST], list[COMBGPU__NO3_MOST], gone[COMBGPU__NO3_MOST];
    combgpu_no3_matrix_board board;
    board.words = words;
    board.list = list;
    board.gone = gone;
    if (slice->workers == 0) { /* as in combgpu_no3_orbit_search */
        form.cells = form.rows = work;
        form.pairs = (COMBGPU__GLOBAL const uint16_t *)work;
    }
    combgpu_no3_clear(board.words, COMBGPU__NO3_MOST);
    combgpu_no3_clear(board.list, COMBGPU__NO3_MOST);
    board.one = board.two = board.one_c = board.two_c = board.count = 0;
    COMBGPU__NO3_SEARCH(matrix, GROUP);
}

COMBGPU__KERNEL combgpu_no3_search_24(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__GROUP_BEGIN(4);
    combgpu_no3_matrix_search(COMBGPU__GROUP, slice, tables, tasks, left, records, work);
}
/* ---------------------------------------------------------------------- src/no3/forms/square.cl */

/* No-three-in-line kernels, classes with a board of 16 words: boards, tasks and the stack.

   The classes are rot4, odd near_rot4, rot2 and ort1. Four lanes have four words each. A cell of
   the matrix is an orbit. A pair of orbits removes a row of 64 bytes, which the lanes read at once;
   cells p and q have row p * cells + q, so they need no table of numbers. The speed depends on the
   bytes from the L2 cache and the lines of the L1 cache.

     FOLD, FOLD_ODD  Lane l has rows 5l to 5l + 4 of up to 20 columns: four rows in the top bits of
                     a word each, the fifth in the low bits of words 0 (columns 0 to 11) and 1. Line
                     i is row i and column i. Odd side: lines and columns count from 1; line 0, the
                     axis, is in the low bits of lane 0's words 2 and 3, and its cells have weight
                     2; cells on the diagonal count once.
     HALF            rot2: a word is a row; columns 2k and 2k + 1 are one line. Line 2k is row k,
                     line 2k + 1 that pair of columns. Odd side: column 0 is empty; cells of row 0
                     have weight 2 for their row, cells of column 1 for their column.
     HALF_ORT1       A word is a pair of columns of the grid and needs two orbits; a bit of all
                     words is a row of the grid and needs one orbit. */
#define COMBGPU__NO3_SQUARE_ROWS 0xfffff000u /* FOLD: the bits of a word that are one row */

/* The list of placed orbits (of _square as cells, of _plate as numbers) in local memory: orbit c of a
   board is word c & 3 of four; the fours of LIST_BOARDS boards lie side by side. */
#ifdef COMBGPU__PACKED
#define COMBGPU__NO3_LIST_BOARDS 32
#else
#define COMBGPU__NO3_LIST_BOARDS 1
#endif
#define COMBGPU__NO3_LIST_AT(c) (COMBGPU__NO3_LIST_BOARDS * ((c) & ~3u) + ((c)&3))
#define COMBGPU__NO3_LIST_ARRAY(listed)                                                            \
    COMBGPU__LOCAL_ARRAY uint4 list[COMBGPU__NO3_LIST_BOARDS * (listed) / 4]
/* that of the lane's board */
#define COMBGPU__NO3_LIST_OWN                                                                      \
    ((COMBGPU__LOCAL uint32_t *)(list + (COMBGPU__NO3_LIST_BOARDS > 1 ? COMBGPU__LANE_ID / 4 : 0)))

typedef struct combgpu_no3_square {
    combgpu_group_t group;
    uint32_t lane, kind, fold, axis; /* kind: FORM_ ...; axis: nonzero if FOLD_ODD */
    uint32_t odd, stride, cells;     /* stride: cells of a row */
    uint32_t twice_lines;            /* lines whose cells have weight 2 */
    uint32_t words, lines;           /* of a task's board */
    uint32_t task_words, record_words, level_words, room;
    COMBGPU__GLOBAL const uint32_t *orbit_of, *spots, *line_rows, *rows;
    COMBGPU__LOCAL uint32_t *list;
} combgpu_no3_square;

typedef struct combgpu_no3_square_board {
    uint32_t *words, *gone; /* 4 each; gone: what this step removes */
    uint32_t one, two;      /* lines with a point; with two */
    uint32_t two_y;         /* HALF_ORT1: rows with an orbit */
    uint32_t count;         /* orbits placed */
} combgpu_no3_square_board;

typedef struct combgpu_no3_square_choice {
    uint32_t dead, solved, waits;
    uint32_t line; /* HALF_ORT1: 32 + a row of the grid, or 2 * a pair of columns */
    uint32_t x, y, cell;
} combgpu_no3_square_choice;

COMBGPU__DEVICE combgpu_no3_square combgpu_no3_square_begin(COMBGPU__GROUP_PARAMETER,
                                                            COMBGPU__GLOBAL const uint32_t *tables,
                                                            COMBGPU__LOCAL uint32_t *list,
                                                            const uint32_t kind)
{
    const uint32_t side = tables[COMBGPU__NO3_AT_SIDE];
    combgpu_no3_square form;
    form.group = group;
    form.lane = COMBGPU__GROUP_LANE;
    form.kind = kind;
    form.fold = kind <= COMBGPU__NO3_FORM_FOLD_ODD;
    form.axis = kind == COMBGPU__NO3_FORM_FOLD_ODD;
    form.odd = form.axis ? 1 : side & 1;
    form.stride = form.fold ? side / 2 : kind == COMBGPU__NO3_FORM_HALF ? side + form.odd : side;
    form.cells =
        form.stride * (kind == COMBGPU__NO3_FORM_HALF_ORT1 ? side / 2 : (side + form.odd) / 2);
    form.twice_lines = form.axis                                      ? 0x80000000u
                       : kind == COMBGPU__NO3_FORM_HALF && (side & 1) ? 0xc0000000u
                                                                      : 0;
    form.words = tables[COMBGPU__NO3_AT_WORDS];
    form.lines = form.words >> tables[COMBGPU__NO3_AT_WIDE];
    form.task_words = 2 * form.words + COMBGPU__NO3_NEED_WORDS;
    form.record_words = 1 + form.words;
    form.level_words = COMBGPU__NO3_SQUARE_LEVEL;
    form.room = COMBGPU__NO3_SQUARE_LEVELS;
    form.orbit_of = tables + tables[COMBGPU__NO3_AT_GRID];
    form.spots = form.orbit_of + COMBGPU__NO3_SQUARE_SPOTS;
    form.line_rows = form.orbit_of + COMBGPU__NO3_SQUARE_LINES + 4 * form.lane;
    form.rows = tables + tables[COMBGPU__NO3_AT_MATRIX] + 4 * form.lane;
    form.list = list;
    return form;
}

/* ---- tasks, the stack */

/* The bit of a task's line in the masks of lines; *single: the mask is two_y. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_bit(const combgpu_no3_square *form, uint32_t line,
                                                uint32_t *single)
{
    const uint32_t ort1 = form->kind == COMBGPU__NO3_FORM_HALF_ORT1;
    *single = ort1 && line % 3 != 1;
    if (ort1) return line / 3 * 2 + line % 3 / 2;
    return line;
}

/* A task's line as a choice's, and the reverse; 0 is 0. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_from_task(const combgpu_no3_square *form, uint32_t line)
{
    uint32_t single = 0, bit = line ? combgpu_no3_square_bit(form, line - 1, &single) : 0;
    return line ? 1 + bit + 32 * single : 0;
}

COMBGPU__DEVICE uint32_t combgpu_no3_square_to_task(const combgpu_no3_square *form, uint32_t line)
{
    const uint32_t i = line - 1 & 31;
    if (!line || form->kind != COMBGPU__NO3_FORM_HALF_ORT1) return line;
    return 1 + 3 * (i >> 1) + (line > 32 ? 2 * (i & 1) : 1);
}

COMBGPU__DEVICE uint32_t combgpu_no3_square_load(const combgpu_no3_square *form,
                                                 combgpu_no3_square_board *board,
                                                 COMBGPU__GLOBAL const uint32_t *from)
{
    COMBGPU__GLOBAL const uint32_t *needs = from + form->words;
    const uint32_t part = form->lines / COMBGPU__NO3_NEED_WORDS;
    uint32_t i;
    board->one = board->two = board->two_y = COMBGPU__NONE;
    for (i = 0; i < form->lines; i++) {
        uint32_t need = combgpu_no3_task_need(needs, part, i), single;
        uint32_t shift = combgpu_no3_square_bit(form, i, &single);
        uint32_t bit = shift < 32 ? 0x80000000u >> (shift & 31) : 0;
        if (single) {
            if (need) board->two_y &= ~bit;
            continue;
        }
        if (need == 2) board->one &= ~bit;
        if (need) board->two &= ~bit;
    }
    board->count = needs[0] >> COMBGPU__NO3_COUNT_SHIFT;
    combgpu_no3_load_board(board->words, 4, form->lane, form->orbit_of + COMBGPU__NO3_SQUARE_PLACES,
                           from);
    needs += COMBGPU__NO3_NEED_WORDS;
    for (i = form->lane; i < board->count; i += 4) {
        uint32_t orbit = needs[COMBGPU__NO3_SLOT(i)] >> COMBGPU__NO3_SLOT_SHIFT(i) & 0xffff;
        form->list[COMBGPU__NO3_LIST_AT(i)] = COMBGPU__NO3_SPOT_CELL(form->spots[2 * orbit]);
    }
    return combgpu_no3_square_from_task(form,
                                        combgpu_no3_task_line(needs - COMBGPU__NO3_NEED_WORDS));
}

/* Word i of a task's list. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_listed(const combgpu_no3_square *form, uint32_t count,
                                                   uint32_t i)
{
    uint32_t first = 16 * (i >> 3) + (i & 7), second = first + 8, pair = 0;
    if (first < count) pair = form->orbit_of[form->list[COMBGPU__NO3_LIST_AT(first)]];
    if (second < count) pair |= form->orbit_of[form->list[COMBGPU__NO3_LIST_AT(second)]] << 16;
    return pair;
}

COMBGPU__DEVICE void combgpu_no3_square_give(const combgpu_no3_square *form,
                                             const combgpu_no3_square_board *board,
                                             COMBGPU__GLOBAL uint32_t *to, uint32_t line,
                                             uint32_t gives)
{
    COMBGPU__GLOBAL uint32_t *needs = to + form->words;
    const uint32_t lane = form->lane, part = form->lines / COMBGPU__NO3_NEED_WORDS;
    uint32_t i, k;
    if (gives)
        for (i = lane; i < form->words; i += 4)
            to[i] = 0;
    COMBGPU__WARP_BARRIER();
    if (!gives) return;
    combgpu_no3_give_board(board->words, 4, lane, form->orbit_of + COMBGPU__NO3_SQUARE_PLACES, to);
    for (i = lane; i < COMBGPU__NO3_NEED_WORDS; i += 4) {
        uint32_t word =
            combgpu_no3_task_top(i, board->count, combgpu_no3_square_to_task(form, line));
        for (k = 0; k < part; k++) {
            uint32_t single, shift = combgpu_no3_square_bit(form, i * part + k, &single);
            uint32_t one = single ? board->two_y : board->one;
            uint32_t two = single ? board->two_y : board->two;
            if (shift < 32) word |= (2 - (one << shift >> 31) - (two << shift >> 31)) << 2 * k;
        }
        needs[i] = word;
    }
    needs += COMBGPU__NO3_NEED_WORDS;
    for (i = lane; i < form->words; i += 4)
        needs[i] = combgpu_no3_square_listed(form, board->count, i);
}

COMBGPU__DEVICE void combgpu_no3_square_record(const combgpu_no3_square *form,
                                               const combgpu_no3_square_board *board,
                                               COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    if (form->lane == 0) to[0] = board->count;
    for (i = form->lane; i < form->words; i += 4)
        to[1 + i] = combgpu_no3_square_listed(form, board->count, i);
}

/* A stack level has the words of all lanes first. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_pop(const combgpu_no3_square *form,
                                                combgpu_no3_square_board *board,
                                                COMBGPU__GLOBAL const uint32_t *top)
{
    uint32_t lines[4];
    combgpu_no3_load(board->words, top + 4 * form->lane, 4);
    combgpu_no3_load(lines, top + 16, 4);
    board->one = lines[0];
    board->two = lines[1];
    board->two_y = lines[2];
    board->count = lines[3] & 255;
    return lines[3] >> 8;
}

COMBGPU__DEVICE void combgpu_no3_square_push(const combgpu_no3_square *form,
                                             const combgpu_no3_square_board *board,
                                             COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    const uint32_t lane = form->lane;
    combgpu_no3_store(top + 4 * lane, board->words, 4);
    top[16 + lane] = lane == 0   ? board->one
                     : lane == 1 ? board->two
                     : lane == 2 ? board->two_y
                                 : board->count | line << 8;
}
/* ----------------------------------------------------------------- src/no3/forms/square_step.cl */

/* No-three-in-line kernels, classes with a board of 16 words: a step, and the kernels. */

/* FOLD: the lane's fifth row. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_fifth(const uint32_t *words)
{
    return words[0] << 20 | (words[1] << 8 & 0x000ff000);
}

/* FOLD_ODD: the axis, in lane 0. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_axis(const combgpu_no3_square *form,
                                                 const uint32_t *words)
{
    return form->axis ? words[2] << 20 | (words[3] << 8 & 0x000ff000) : 0;
}

/* Counts the open cells of the lane's rows: a byte for each bit of the count. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_rows(const combgpu_no3_square *form,
                                                 const uint32_t *words)
{
    const uint32_t bits = form->fold ? COMBGPU__NO3_SQUARE_ROWS : COMBGPU__NONE;
    uint32_t rows = 0, j, k;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4 + form->fold; j++) {
        k = COMBGPU__POPCOUNT(j < 4 ? words[j & 3] & bits : combgpu_no3_square_fifth(words));
        if (form->kind == COMBGPU__NO3_FORM_HALF && j == 0) k <<= form->odd && form->lane == 0;
        /* HALF: two bits for each row; the lower bit is for columns */
        rows = form->fold ? 2 * rows + combgpu_no3_spread(k)
                          : 4 * rows + (min(k, 15u) * 0x00408102u & 0x02020202u);
    }
    return rows;
}

/* FOLD: counts the lane's part of the lines: five rows (`own`) and a part of all columns. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_square_fold(const combgpu_no3_square *form,
                                                           const uint32_t *words, uint32_t own)
{
    const uint32_t lane = form->lane;
    uint32_t row[4], fifth = combgpu_no3_square_fifth(words),
                     axis = combgpu_no3_square_axis(form, words), k, c, c2, c3, j;
    combgpu_no3_counts lines, rows;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++)
        row[j] = form->axis ? words[j] & ~(0x80000000u >> (5 * lane + j)) : words[j];
    if (form->axis) fifth &= ~(0x80000000u >> (5 * lane + 4));
    lines.s = row[0] ^ row[1] ^ row[2];
    c = COMBGPU__NO3_MAJORITY(row[0], row[1], row[2]);
    c2 = COMBGPU__NO3_MAJORITY(row[3], fifth, axis);
    k = row[3] ^ fifth ^ axis;
    c3 = lines.s & k;
    lines.s = (lines.s ^ k) & COMBGPU__NO3_SQUARE_ROWS;
    lines.t = (c ^ c2 ^ c3) & COMBGPU__NO3_SQUARE_ROWS;
    lines.f = COMBGPU__NO3_MAJORITY(c, c2, c3) & COMBGPU__NO3_SQUARE_ROWS;
    lines.e = 0;
    rows.s = (own & 31) << 27 >> 5 * lane;
    rows.t = (own >> 8 & 31) << 27 >> 5 * lane;
    rows.f = (own >> 16 & 31) << 27 >> 5 * lane;
    rows.e = (own >> 24 & 31) << 27 >> 5 * lane;
    combgpu_no3_add_counts(&lines, rows);
    return lines;
}

/* HALF: counts the lane's part of the columns and, for rot2, its rows. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_square_half(const combgpu_no3_square *form,
                                                           const uint32_t *words, uint32_t own)
{
    const uint32_t lane = form->lane;
    uint32_t bit, c, c2;
    combgpu_no3_counts lines;
    lines.s = words[0] ^ words[1] ^ words[2];
    c = COMBGPU__NO3_MAJORITY(words[0], words[1], words[2]);
    c2 = lines.s & words[3];
    lines.s ^= words[3];
    lines.t = c ^ c2;
    lines.f = lines.e = c & c2;
    if (form->kind == COMBGPU__NO3_FORM_HALF_ORT1) return lines;
    bit = form->odd ? 0x80000000u : 0;
    lines.s |= lines.s << 1 & bit;
    lines.t |= lines.t << 1 & bit;
    lines.f |= lines.f << 1 & bit;
    c = lines.s & lines.s >> 1;
    lines.s ^= lines.s >> 1;
    c2 = COMBGPU__NO3_MAJORITY(lines.t, lines.t >> 1, c);
    lines.t ^= lines.t >> 1 ^ c;
    lines.e = COMBGPU__NO3_MAJORITY(lines.f, lines.f >> 1, c2);
    lines.f ^= lines.f >> 1 ^ c2;
    lines.s = (lines.s & 0x55555555u) | (own & 255) << 24 >> 8 * lane;
    lines.t = (lines.t & 0x55555555u) | (own >> 8 & 255) << 24 >> 8 * lane;
    lines.f = (lines.f & 0x55555555u) | (own >> 16 & 255) << 24 >> 8 * lane;
    lines.e = (lines.e & 0x55555555u) | (own >> 24) << 24 >> 8 * lane;
    return lines;
}

/* Adds up the counts of all lanes. HALF_ORT1: f means 4 or more. */
COMBGPU__DEVICE void combgpu_no3_square_sum(const combgpu_no3_square *form,
                                            combgpu_no3_counts *lines)
{
    const combgpu_group_t group = form->group;
    uint32_t j;
    COMBGPU__NO3_UNROLL
    for (j = 1; j < 4; j *= 2) {
        uint32_t s = COMBGPU__GROUP_FROM(lines->s, form->lane ^ j);
        uint32_t t = COMBGPU__GROUP_FROM(lines->t, form->lane ^ j);
        uint32_t f = COMBGPU__GROUP_FROM(lines->f, form->lane ^ j);
        uint32_t c = lines->s & s, c2 = COMBGPU__NO3_MAJORITY(lines->t, t, c);
        lines->s ^= s;
        lines->t ^= t ^ c;
        if (form->kind == COMBGPU__NO3_FORM_HALF_ORT1)
            lines->f |= f | c2;
        else {
            lines->e |= COMBGPU__GROUP_FROM(lines->e, form->lane ^ j) |
                        COMBGPU__NO3_MAJORITY(lines->f, f, c2);
            lines->f ^= f ^ c2;
        }
    }
}

/* HALF_ORT1: makes the classes of rows of the grid (bits of all words), which have the counts
   `single`. Returns the counts of pairs of columns (words). */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_square_ort1(const combgpu_no3_square *form,
                                                           const combgpu_no3_square_board *board,
                                                           combgpu_no3_counts single, uint32_t own,
                                                           uint32_t *kind_y)
{
    const combgpu_group_t group = form->group;
    const uint32_t few = ~board->two_y & ~single.f;
    combgpu_no3_counts lines;
    uint32_t j, k;
    kind_y[0] = few & ~single.s & ~single.t;
    kind_y[1] = few & single.s & ~single.t;
    kind_y[3] = few & single.t & ~single.s;
    kind_y[5] = few & single.t & single.s;
    kind_y[6] = ~board->two_y & single.f;
    kind_y[2] = kind_y[4] = kind_y[7] = 0;
    lines.s = lines.t = lines.f = lines.e = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++) {
        k = COMBGPU__GROUP_FROM(own, j);
        lines.s |= (k & 255) << (24 - 8 * j);
        lines.t |= (k >> 8 & 255) << (24 - 8 * j);
        lines.f |= (k >> 16 & 255) << (24 - 8 * j);
        lines.e |= k >> 24 << (24 - 8 * j);
    }
    return lines;
}

COMBGPU__DEVICE void combgpu_no3_square_choose(const combgpu_no3_square *form,
                                               const combgpu_no3_square_board *board,
                                               combgpu_no3_square_choice *choice)
{
    const combgpu_group_t group = form->group;
    const uint32_t ort1 = form->kind == COMBGPU__NO3_FORM_HALF_ORT1;
    const uint32_t own = combgpu_no3_square_rows(form, board->words);
    uint32_t kind[8], kind_y[8], is_first, of_y, k;
    combgpu_no3_counts lines = form->fold ? combgpu_no3_square_fold(form, board->words, own)
                                          : combgpu_no3_square_half(form, board->words, own);
    combgpu_no3_square_sum(form, &lines);
    if (form->axis) { /* line 0, in lane 0 */
        k = COMBGPU__GROUP_FROM(COMBGPU__POPCOUNT(combgpu_no3_square_axis(form, board->words)), 0);
        lines.s >>= 1;
        lines.t = lines.t >> 1 | k << 31;
        lines.f = lines.f >> 1 | (k & 2) << 30;
        lines.e = lines.e >> 1 | (k > 3 ? 0x80000000u : 0);
    }
    if (ort1)
        lines = combgpu_no3_square_ort1(form, board, lines, own, kind_y);
    else
        combgpu_no3_clear(kind_y, 8);
    combgpu_no3_kinds(kind, lines, board->one, board->two, form->kind != COMBGPU__NO3_FORM_HALF);
    choice->dead = kind[0] | kind_y[0];
    choice->line = combgpu_no3_best_line(kind, kind_y, &is_first, &of_y);
    if (ort1) choice->line += 32 * of_y;
    choice->solved = board->two == COMBGPU__NONE && (!ort1 || board->two_y == COMBGPU__NONE);
}

/* FOLD: finds the open cell of row i and column i nearest to the centre; at a tie, the row's.
   Returns the points available from the line's other cells. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_cell_fold(const combgpu_no3_square *form,
                                                      const uint32_t *words,
                                                      combgpu_no3_square_choice *choice, uint32_t i)
{
    const combgpu_group_t group = form->group;
    const uint32_t lane = form->lane, axis = form->axis && i == 0;
    const uint32_t slot = i - form->axis, from = axis ? 0 : slot * 13 >> 6 & 3,
                   in = axis ? 0 : slot - 5 * from;
    const uint32_t fifth = combgpu_no3_square_fifth(words),
                   on_axis = combgpu_no3_square_axis(form, words);
    uint32_t row, column, bit, points;
    row = in & 1 ? (in & 2 ? words[3] : words[1]) : (in & 2 ? words[2] : words[0]);
    row &= COMBGPU__NO3_SQUARE_ROWS;
    if (in == 4) row = fifth;
    if (axis) row = on_axis;
    row = COMBGPU__GROUP_FROM(row, from);
    bit = axis ? 0 : 0x80000000u >> (slot & 31);
    column = (words[0] & bit) | (words[1] & bit) >> 1 | (words[2] & bit) >> 2 |
             (words[3] & bit) >> 3 | (fifth & bit) >> 4;
    column = column << (slot & 31) >> 5 * lane;
    if (form->axis) {
        row >>= 1;
        column = column >> 1 | (on_axis & bit) << (slot & 31);
    }
    column |= COMBGPU__GROUP_FROM(column, lane ^ 1);
    column |= COMBGPU__GROUP_FROM(column, lane ^ 2);
    choice->x = COMBGPU__CLZ(row);
    choice->y = COMBGPU__CLZ(column);
    if (choice->y < choice->x)
        choice->x = i;
    else
        choice->y = i;
    if (axis) return 2 * COMBGPU__POPCOUNT(row) - 2;
    points = COMBGPU__POPCOUNT(row) + COMBGPU__POPCOUNT(column) - 1;
    /* a cell of the diagonal, which both have, gives two points on an even side, else one */
    if (form->axis) return points - (column << (i & 31) >> 31);
    return points - (choice->x == choice->y);
}

/* HALF: finds the first open cell of a row, or of a pair of columns. Returns the points available
   from the line's other cells (one less for a line that takes a single orbit). */
COMBGPU__DEVICE uint32_t combgpu_no3_square_cell_half(const combgpu_no3_square *form,
                                                      const uint32_t *words,
                                                      combgpu_no3_square_choice *choice,
                                                      uint32_t of)
{
    const combgpu_group_t group = form->group;
    const uint32_t rot2 = form->kind == COMBGPU__NO3_FORM_HALF, i = of & 31, line = i >> 1;
    const uint32_t in_row = rot2 ? !(i & 1) : of < 32;
    const uint32_t twice = form->twice_lines << i >> 31 | (rot2 ? 0 : of >> 5 & 1);
    const uint32_t bits = rot2 ? 0xc0000000u : 0x80000000u, each = rot2 ? 2 : 1;
    const uint32_t column = rot2 ? i & 30 : i;
    uint32_t open, row;
    open = (words[0] << column & bits) | (words[1] << column & bits) >> each |
           (words[2] << column & bits) >> 2 * each | (words[3] << column & bits) >> 3 * each;
    open >>= 4 * each * form->lane;
    row = line & 1 ? (line & 2 ? words[3] : words[1]) : (line & 2 ? words[2] : words[0]);
    if (form->lane != line >> 2) row = 0;
    if (in_row) open = row;
    open |= COMBGPU__GROUP_FROM(open, form->lane ^ 1);
    open |= COMBGPU__GROUP_FROM(open, form->lane ^ 2);
    choice->x = COMBGPU__CLZ(open);
    choice->y = line;
    if (!in_row && rot2) {
        choice->y = choice->x >> 1;
        choice->x = column | (choice->x & 1);
    } else if (!in_row) {
        choice->y = choice->x;
        choice->x = i;
    }
    return (COMBGPU__POPCOUNT(open) - 1) << twice;
}

COMBGPU__DEVICE void combgpu_no3_square_cell(const combgpu_no3_square *form,
                                             const combgpu_no3_square_board *board,
                                             combgpu_no3_square_choice *choice, uint32_t line,
                                             uint32_t go)
{
    const uint32_t ort1 = form->kind == COMBGPU__NO3_FORM_HALF_ORT1;
    const uint32_t one = ort1 && line & 32 ? 0 : board->one << (line & 31) >> 31;
    const uint32_t points =
        form->fold ? combgpu_no3_square_cell_fold(form, board->words, choice, line & 31)
                   : combgpu_no3_square_cell_half(form, board->words, choice, line & 63);
    choice->waits = points + one >= 2;
    choice->x &= 31;
    choice->y &= 31;
    choice->cell = go ? choice->y * form->stride + choice->x - form->axis : 0;
    combgpu_no3_clear(board->gone, 4);
}

COMBGPU__DEVICE void combgpu_no3_square_remove(const combgpu_no3_square *form,
                                               combgpu_no3_square_board *board,
                                               const combgpu_no3_square_choice *choice)
{
    uint32_t from = choice->y >> 2, in = choice->y & 3, bit = 0x80000000u >> choice->x, j;
    if (form->fold) {
        uint32_t x = choice->x - form->axis, y = choice->y - form->axis;
        uint32_t axis = form->axis && choice->y == 0;
        from = y * 13 >> 6;
        in = y - 5 * from;
        bit = 0x80000000u >> x;
        if (axis) from = 0;
        if (in == 4 || axis) {
            in = x < 12 ? 0 : 1;
            bit = x < 12 ? bit >> 20 : bit >> 8;
            if (axis) in += 2;
        }
    }
    if (form->lane != from) bit = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++)
        board->words[j] &= ~(j == in ? bit : 0);
}

/* The orbit's lines have one or two more points; `gone` gets the cells that they no longer take. */
COMBGPU__DEVICE void combgpu_no3_square_place(const combgpu_no3_square *form,
                                              combgpu_no3_square_board *board,
                                              combgpu_no3_square_choice *choice)
{
    const uint32_t x = choice->x, y = choice->y;
    if (form->kind == COMBGPU__NO3_FORM_HALF_ORT1) {
        uint32_t bit = 0x80000000u >> 2 * y, full = board->one & bit;
        board->one |= bit;
        board->two |= full;
        board->two_y |= 0x80000000u >> x;
        combgpu_no3_gone(board->gone, form->line_rows + COMBGPU__NO3_SQUARE_SINGLE(x), 4);
        if (full)
            combgpu_no3_gone(board->gone, form->line_rows + COMBGPU__NO3_SQUARE_LINE(2 * y, 1), 4);
    } else {
        uint32_t rot2 = form->kind == COMBGPU__NO3_FORM_HALF, first = rot2 ? 2 * y : y,
                 second = rot2 ? x | 1 : x;
        uint32_t touched = 0x80000000u >> first | 0x80000000u >> second;
        uint32_t full = touched & (board->one | form->twice_lines), full_first, full_second;
        if (form->kind == COMBGPU__NO3_FORM_FOLD && x == y) full = touched;
        board->one |= touched;
        board->two |= full;
        full_first = full << first >> 31;
        full_second = full << second >> 31;
        if (form->kind == COMBGPU__NO3_FORM_FOLD || full_first)
            combgpu_no3_gone(board->gone,
                             form->line_rows + COMBGPU__NO3_SQUARE_LINE(first, full_first), 4);
        if (form->kind == COMBGPU__NO3_FORM_FOLD || full_second)
            combgpu_no3_gone(board->gone,
                             form->line_rows + COMBGPU__NO3_SQUARE_LINE(second, full_second), 4);
    }
    if (form->lane == 0) form->list[COMBGPU__NO3_LIST_AT(board->count)] = choice->cell;
    board->count++;
}

/* The lane's part of a row, or zeros unless `is`. */
COMBGPU__DEVICE uint4 combgpu_no3_square_row(COMBGPU__GLOBAL const uint32_t *from,
                                             const uint32_t is)
{
    uint4 row;
    row.x = row.y = row.z = row.w = 0;
    if (is) row = *(COMBGPU__GLOBAL const uint4 *)from;
    return row;
}

/* The list ends with the orbit itself, whose row has what it excludes alone. */
COMBGPU__DEVICE void combgpu_no3_square_propagate(const combgpu_no3_square *form,
                                                  combgpu_no3_square_board *board,
                                                  combgpu_no3_square_choice *choice, uint32_t go)
{
    COMBGPU__GLOBAL const uint32_t *of_cell = form->rows + choice->cell * form->cells * 16;
    const uint32_t limit = go ? board->count : 0;
    uint32_t *gone = board->gone, k;
    if (limit == COMBGPU__NONE) of_cell = form->spots; /* as in combgpu_no3_orbit_search */
    COMBGPU__WARP_BARRIER();
    for (k = 0; k < limit; k += 4) {
        const uint4 with = *(COMBGPU__LOCAL const uint4 *)(form->list + COMBGPU__NO3_LIST_AT(k));
        const uint4 r0 = combgpu_no3_square_row(of_cell + 16 * (uint64_t)with.x, 1);
        const uint4 r1 = combgpu_no3_square_row(of_cell + 16 * (uint64_t)with.y, k + 1 < limit);
        const uint4 r2 = combgpu_no3_square_row(of_cell + 16 * (uint64_t)with.z, k + 2 < limit);
        const uint4 r3 = combgpu_no3_square_row(of_cell + 16 * (uint64_t)with.w, k + 3 < limit);
        gone[0] |= r0.x | r1.x | r2.x | r3.x;
        gone[1] |= r0.y | r1.y | r2.y | r3.y;
        gone[2] |= r0.z | r1.z | r2.z | r3.z;
        gone[3] |= r0.w | r1.w | r2.w | r3.w;
    }
    COMBGPU__WARP_BARRIER();
    if (go) combgpu_no3_without(board->words, gone, 4);
}

COMBGPU__DEVICE void combgpu_no3_square_search(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS,
                                               COMBGPU__LOCAL uint32_t *list, const uint32_t kind)
{
    combgpu_no3_square form = combgpu_no3_square_begin(COMBGPU__GROUP, tables, list, kind);
    combgpu_no3_worker worker = combgpu_no3_worker_begin(
        slice, work + COMBGPU__GROUP_INDEX * form.room * form.level_words, COMBGPU__GROUP_INDEX);
    uint32_t words[4], gone[4];
    combgpu_no3_square_board board;
    board.words = words;
    board.gone = gone;
    uint32_t i;
    if (slice->workers == 0) form.line_rows = form.rows = work; /* as in combgpu_no3_orbit_search */
    combgpu_no3_clear(board.words, 4);
    board.one = board.two = board.two_y = COMBGPU__NONE;
    board.count = 0;
    for (i = 0; i < COMBGPU__NO3_SQUARE_LISTED / 4; i++)
        list[4 * COMBGPU__NO3_LIST_BOARDS * i + form.lane] = 0;
    COMBGPU__NO3_SEARCH(square, GROUP);
}

#define COMBGPU__NO3_SQUARE_KERNEL(kind, name, form)                                               \
    kind name(COMBGPU__SLICE_ARGUMENTS)                                                            \
    {                                                                                              \
        COMBGPU__GROUP_BEGIN(4);                                                                   \
        COMBGPU__NO3_LIST_ARRAY(COMBGPU__NO3_SQUARE_LISTED);                                       \
        combgpu_no3_square_search(COMBGPU__GROUP, slice, tables, tasks, left, records, work,       \
                                  COMBGPU__NO3_LIST_OWN, form);                                    \
    }
COMBGPU__NO3_SQUARE_KERNEL(COMBGPU__KERNEL, combgpu_no3_search_fold, COMBGPU__NO3_FORM_FOLD)
COMBGPU__NO3_SQUARE_KERNEL(COMBGPU__KERNEL_BLOCKS(128, 8), combgpu_no3_search_fold_odd,
                           COMBGPU__NO3_FORM_FOLD_ODD)
COMBGPU__NO3_SQUARE_KERNEL(COMBGPU__KERNEL, combgpu_no3_search_half, COMBGPU__NO3_FORM_HALF)
COMBGPU__NO3_SQUARE_KERNEL(COMBGPU__KERNEL_BLOCKS(128, 8), combgpu_no3_search_half_ort1,
                           COMBGPU__NO3_FORM_HALF_ORT1)
/* ----------------------------------------------------------------------- src/no3/forms/plate.cl */

/* No-three-in-line kernels, classes with a board of 24 or 32 words: boards, tasks and the stack.

   Four lanes have six or eight words each. A bit is an orbit; the rows that pairs of orbits remove
   are as short as the board, and orbits p >= q have row p * (p + 1) / 2 + q, so they need no table
   of numbers: the speed depends on the bytes from the L2 cache.

     FOLD  rot4 and odd near_rot4: a word is a row, line i is row i and column i, as in
           combgpu_no3_square. Odd side: cells of row 0 have weight 2 for line 0, column 0 is empty;
           cells on the diagonal count once.
     DIA2  The same: of the two orbits on lines i < k the first is in row i, the other in row k.
           Cells on the diagonal count once; those of the other diagonal are in the last word.
     ORT1  Row k is a pair of columns of the grid and needs two orbits; column i is row i of the
           grid and needs one.
     DIA1  Line 2a is "even line a", line 2b + 1 "odd line b". Row r has from column r + 1 on even
           line r with even line c - 1 in column c, up to column `evens`; before that odd line r with
           odd line c; beyond column `evens` even line r with all odd lines.

   ORT1, DIA1: rows have up to 38 columns. A lane has five, columns 0 to 31 in a word each, six more
   of each row in the last word, from the top bit down.

   forms/search.cl explains the functions of a format. */

typedef struct combgpu_no3_plate {
    combgpu_group_t group;
    uint32_t lane, kind, share; /* kind: PLATE_FOLD ...; share: words in a lane, 6 or 8 */
    uint32_t once, odd;         /* FOLD, DIA2: cells on the diagonal count once; odd side */
    uint32_t evens;             /* DIA1: number of even lines */
    uint32_t all;               /* words of the board */
    uint32_t words, lines;      /* of a task's board */
    uint32_t task_words, record_words, level_words, room;
    COMBGPU__GLOBAL const uint32_t *cells, *places, *rows;
    COMBGPU__LOCAL uint32_t *list;
} combgpu_no3_plate;

typedef struct combgpu_no3_plate_board {
    uint32_t *words;       /* `share`, in this lane; what follows is equal in all four */
    uint32_t one, two;     /* lines with a point; with two */
    uint32_t one_y, two_y; /* DIA1: the same of odd lines; ORT1: rows 0 to 31, and from 32 on,
                               with an orbit */
    uint32_t count;        /* orbits placed */
} combgpu_no3_plate_board;

typedef struct combgpu_no3_plate_choice {
    uint32_t dead, solved, waits;
    uint32_t line, of_y; /* from F_choose: line + 64 * of_y */
    uint32_t points;     /* available from the line's other open cells; 2 a cell if it takes one */
    uint32_t x, y, orbit;
} combgpu_no3_plate_choice;

COMBGPU__DEVICE combgpu_no3_plate combgpu_no3_plate_begin(COMBGPU__GROUP_PARAMETER,
                                                          COMBGPU__GLOBAL const uint32_t *tables,
                                                          COMBGPU__LOCAL uint32_t *list,
                                                          const uint32_t kind, const uint32_t share)
{
    const uint32_t side = tables[COMBGPU__NO3_AT_SIDE];
    combgpu_no3_plate form;
    form.group = group;
    form.lane = COMBGPU__GROUP_LANE;
    form.kind = kind;
    form.share = share;
    form.odd = side & 1;
    form.once = kind == COMBGPU__NO3_PLATE_DIA2 || form.odd;
    form.evens = (side + 1) / 2;
    form.all = 4 * share;
    form.words = tables[COMBGPU__NO3_AT_WORDS];
    form.lines = form.words >> tables[COMBGPU__NO3_AT_WIDE];
    form.task_words = COMBGPU__NO3_TASK_WORDS(form.words);
    form.record_words = COMBGPU__NO3_RECORD_WORDS(form.words);
    form.level_words = COMBGPU__NO3_PLATE_LEVEL(share);
    form.room = COMBGPU__NO3_PLATE_LEVELS;
    form.cells = tables + tables[COMBGPU__NO3_AT_GRID];
    form.places = form.cells + COMBGPU__NO3_PLATE_PLACES;
    form.rows = tables + tables[COMBGPU__NO3_AT_MATRIX];
    form.list = list;
    return form;
}

/* ---- tasks, the stack */

/* The bit of a task's line in the masks of lines: in `one` and `two`; *which = 1: in `one_y` and
   `two_y`; 2, 3: in one of these alone. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_bit(const combgpu_no3_plate *form, uint32_t line,
                                               uint32_t *which)
{
    uint32_t shift = line;
    *which = 0;
    if (form->kind == COMBGPU__NO3_PLATE_DIA1) {
        *which = line & 1;
        shift = line >> 1;
    }
    if (form->kind == COMBGPU__NO3_PLATE_ORT1) {
        shift = line / 3;
        if (line % 3 != 1) {
            shift = 2 * shift + line % 3 / 2;
            *which = 2 + (shift >> 5);
            shift &= 31;
        }
    }
    return shift < 32 ? 0x80000000u >> shift : 0;
}

/* A task's line, 1 + its number there, as 1 + choice.line, and the reverse; 0 is 0. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_from_task(const combgpu_no3_plate *form, uint32_t line)
{
    const uint32_t i = line - 1;
    if (!line || form->kind <= COMBGPU__NO3_PLATE_DIA2) return line;
    if (form->kind == COMBGPU__NO3_PLATE_DIA1) return 1 + (i >> 1) + 64 * (i & 1);
    return 1 + (i % 3 == 1 ? i / 3 : 2 * (i / 3) + i % 3 / 2 + 64);
}

COMBGPU__DEVICE uint32_t combgpu_no3_plate_to_task(const combgpu_no3_plate *form, uint32_t line)
{
    const uint32_t i = (line - 1) & 63, of_y = (line - 1) >> 6;
    if (!line || form->kind <= COMBGPU__NO3_PLATE_DIA2) return line;
    if (form->kind == COMBGPU__NO3_PLATE_DIA1) return 1 + 2 * i + of_y;
    return 1 + (of_y ? 3 * (i >> 1) + 2 * (i & 1) : 3 * i + 1);
}

COMBGPU__DEVICE uint32_t combgpu_no3_plate_load(const combgpu_no3_plate *form,
                                                combgpu_no3_plate_board *board,
                                                COMBGPU__GLOBAL const uint32_t *from)
{
    COMBGPU__GLOBAL const uint32_t *needs = from + form->words;
    const uint32_t part = form->lines / COMBGPU__NO3_NEED_WORDS;
    uint32_t i;
    board->one = board->two = board->one_y = board->two_y = COMBGPU__NONE;
    for (i = 0; i < form->lines; i++) {
        uint32_t need = combgpu_no3_task_need(needs, part, i), which;
        uint32_t bit = combgpu_no3_plate_bit(form, i, &which);
        if (need == 0) continue;
        if (which == 0) board->two &= ~bit;
        if (which == 0 && need == 2) board->one &= ~bit;
        if (which == 1 || which == 3) board->two_y &= ~bit;
        if ((which == 1 && need == 2) || which == 2) board->one_y &= ~bit;
    }
    board->count = needs[0] >> COMBGPU__NO3_COUNT_SHIFT;
    combgpu_no3_load_board(board->words, form->share, form->lane, form->places, from);
    needs += COMBGPU__NO3_NEED_WORDS;
    for (i = form->lane; i < board->count; i += 4)
        form->list[COMBGPU__NO3_LIST_AT(i)] =
            needs[COMBGPU__NO3_SLOT(i)] >> COMBGPU__NO3_SLOT_SHIFT(i) & 0xffff;
    return combgpu_no3_plate_from_task(form, combgpu_no3_task_line(from + form->words));
}

/* Word i of the list in a task of `count` orbits: two of them, or fewer. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_listed(const combgpu_no3_plate *form, uint32_t count,
                                                  uint32_t i)
{
    uint32_t first = 16 * (i >> 3) + (i & 7), second = first + 8, pair = 0;
    if (first < count) pair = form->list[COMBGPU__NO3_LIST_AT(first)];
    if (second < count) pair |= form->list[COMBGPU__NO3_LIST_AT(second)] << 16;
    return pair;
}

COMBGPU__DEVICE void combgpu_no3_plate_give(const combgpu_no3_plate *form,
                                            const combgpu_no3_plate_board *board,
                                            COMBGPU__GLOBAL uint32_t *to, uint32_t line,
                                            uint32_t gives)
{
    COMBGPU__GLOBAL uint32_t *needs = to + form->words;
    const uint32_t lane = form->lane, part = form->lines / COMBGPU__NO3_NEED_WORDS;
    uint32_t i, k;
    if (gives)
        for (i = lane; i < form->words; i += 4)
            to[i] = 0;
    COMBGPU__WARP_BARRIER();
    if (!gives) return;
    combgpu_no3_give_board(board->words, form->share, lane, form->places, to);
    for (i = lane; i < COMBGPU__NO3_NEED_WORDS; i += 4) {
        uint32_t word =
            combgpu_no3_task_top(i, board->count, combgpu_no3_plate_to_task(form, line));
        for (k = 0; k < part; k++) {
            uint32_t which, bit = combgpu_no3_plate_bit(form, i * part + k, &which);
            uint32_t one = which & 1 ? board->two_y : which ? board->one_y : board->one;
            uint32_t two = which & 1 ? board->two_y : which ? board->one_y : board->two;
            if (which == 1) one = board->one_y;
            word |= ((uint32_t)((bit & ~one) != 0) + (uint32_t)((bit & ~two) != 0)) << 2 * k;
        }
        needs[i] = word;
    }
    needs += COMBGPU__NO3_NEED_WORDS;
    for (i = lane; i < COMBGPU__NO3_LIST_WORDS(form->words); i += 4)
        needs[i] = combgpu_no3_plate_listed(form, board->count, i);
}

COMBGPU__DEVICE void combgpu_no3_plate_record(const combgpu_no3_plate *form,
                                              const combgpu_no3_plate_board *board,
                                              COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    if (form->lane == 0) to[0] = board->count;
    for (i = form->lane; i < COMBGPU__NO3_LIST_WORDS(form->words); i += 4)
        to[1 + i] = combgpu_no3_plate_listed(form, board->count, i);
}

/* A stack level: the words, `one`, `two`, `one_y`, `two_y`, the count, the line. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_pop(const combgpu_no3_plate *form,
                                               combgpu_no3_plate_board *board,
                                               COMBGPU__GLOBAL const uint32_t *top)
{
    uint32_t lines[4];
    combgpu_no3_load_lane(board->words, top, form->share, form->lane);
    combgpu_no3_load(lines, top + form->all, 4);
    board->one = lines[0];
    board->two = lines[1];
    board->one_y = lines[2];
    board->two_y = lines[3];
    board->count = top[form->all + 4];
    return top[form->all + 5];
}

COMBGPU__DEVICE void combgpu_no3_plate_push(const combgpu_no3_plate *form,
                                            const combgpu_no3_plate_board *board,
                                            COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    const uint32_t lane = form->lane;
    combgpu_no3_store_lane(top, board->words, form->share, lane);
    top[form->all + lane] = lane == 0   ? board->one
                            : lane == 1 ? board->two
                            : lane == 2 ? board->one_y
                                        : board->two_y;
    if (lane < 2) top[form->all + 4 + lane] = lane ? line : board->count;
}
/* ------------------------------------------------------------------ src/no3/forms/plate_fold.cl */

/* No-three-in-line kernels, classes with a board of 24 or 32 words: a step of FOLD and DIA2. */

/* Counts the open cells of the lane's part of all lines: its rows and its part of the columns. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_plate_part(const combgpu_no3_plate *form,
                                                          const uint32_t *words)
{
    const uint32_t share = form->share, shift = share * form->lane;
    combgpu_no3_counts lines, rows;
    uint32_t row[8], own = 0, j, k, s, s2, c, c2, c3, c4, d, d2;
    /* own: a byte for each bit of the counts, row 0 in its top bit */
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++) {
        row[j] = j < share ? words[j] : 0;
        if (j >= share) continue;
        k = COMBGPU__POPCOUNT(row[j]);
        if (j == 0) k <<= form->odd && form->lane == 0;
        own = 2 * own + combgpu_no3_spread(k);
        if (form->once) row[j] &= ~(0x80000000u >> (shift + j));
    }
    own <<= 8 - share;
    rows.s = own << 24 >> shift;
    rows.t = (own & 0xff00) << 16 >> shift;
    rows.f = (own & 0xff0000) << 8 >> shift;
    rows.e = (own & 0xff000000u) >> shift;
    /* columns: the rows added up bit by bit, s of weight 1, c of weight 2, d of weight 4 */
    s = row[0] ^ row[1] ^ row[2];
    c = COMBGPU__NO3_MAJORITY(row[0], row[1], row[2]);
    s2 = row[3] ^ row[4] ^ row[5];
    c2 = COMBGPU__NO3_MAJORITY(row[3], row[4], row[5]);
    c3 = COMBGPU__NO3_MAJORITY(s, s2, row[6]);
    s ^= s2 ^ row[6];
    c4 = s & row[7];
    lines.s = s ^ row[7];
    d = COMBGPU__NO3_MAJORITY(c, c2, c3);
    s2 = c ^ c2 ^ c3;
    d2 = s2 & c4;
    lines.t = s2 ^ c4;
    lines.f = d ^ d2;
    lines.e = d & d2;
    combgpu_no3_add_counts(&lines, rows);
    return lines;
}

/* The line is 0 to 31, `of_y` is 0. */
COMBGPU__DEVICE void combgpu_no3_plate_choose_fold(const combgpu_no3_plate *form,
                                                   const combgpu_no3_plate_board *board,
                                                   combgpu_no3_plate_choice *choice)
{
    combgpu_no3_counts lines = combgpu_no3_plate_part(form, board->words);
    uint32_t kind[8], none[8], is_first;
    combgpu_no3_counts_sum(form->group, &lines);
    combgpu_no3_kinds(kind, lines, board->one, board->two, 1);
    combgpu_no3_clear(none, 8);
    choice->dead = kind[0];
    choice->line = combgpu_no3_best_line(kind, none, &is_first, &choice->of_y);
    choice->solved = board->two == COMBGPU__NONE;
}

/* Finds the open cell of row i and column i nearest to the centre; of two the row's (FOLD), or that
   above the diagonal. Sets x, y and `points` of the choice; `from` and `in` are the lane and the word
   of row i. */
COMBGPU__DEVICE void combgpu_no3_plate_cell_fold(const combgpu_no3_plate *form,
                                                 const uint32_t *words,
                                                 combgpu_no3_plate_choice *choice)
{
    const combgpu_group_t group = form->group;
    const uint32_t share = form->share, i = choice->line;
    const uint32_t from = share == 8 ? i >> 3 : i * 43 >> 8 & 3, in = i - share * from;
    const uint32_t dia2 = form->kind == COMBGPU__NO3_PLATE_DIA2, last = form->all - 1;
    uint32_t row = words[0], column = words[0] << i & 0x80000000u, twice, x, y, j;
    COMBGPU__NO3_UNROLL
    for (j = 1; j < share; j++) {
        row = in == j ? words[j] : row;
        column |= (words[j] << i & 0x80000000u) >> j;
    }
    column >>= share * form->lane;
    row = COMBGPU__GROUP_FROM(row, from);
    column |= COMBGPU__GROUP_FROM(column, form->lane ^ 1);
    column |= COMBGPU__GROUP_FROM(column, form->lane ^ 2);
    x = COMBGPU__CLZ(row);
    y = COMBGPU__CLZ(dia2 ? column & ~(0x80000000u >> last) : column);
    choice->x = x;
    choice->y = i;
    if (y < x || (dia2 && y == x && x < i)) {
        choice->x = i;
        choice->y = y;
    }
    if (dia2 && (column & 0x80000000u >> last) && min(x, y) > i) {
        choice->x = i;
        choice->y = last;
    }
    choice->x &= 31;
    choice->y &= 31;
    if (form->once) column &= ~(0x80000000u >> i);
    twice = (form->odd && i == 0) || (!form->once && choice->x == choice->y);
    choice->points =
        (COMBGPU__POPCOUNT(row) << (form->odd && i == 0)) + COMBGPU__POPCOUNT(column) - 1 - twice;
}

/* The orbit's lines have one or two more points; removes orbits that they no longer take. */
COMBGPU__DEVICE void combgpu_no3_plate_place_fold(const combgpu_no3_plate *form,
                                                  combgpu_no3_plate_board *board,
                                                  const combgpu_no3_plate_choice *choice)
{
    const uint32_t share = form->share, bit_x = 0x80000000u >> choice->x;
    const uint32_t extra = form->kind == COMBGPU__NO3_PLATE_DIA2 && choice->y == form->all - 1;
    const uint32_t bit_y = extra ? bit_x : 0x80000000u >> choice->y, touched = bit_x | bit_y;
    uint32_t full = touched & board->one, shift = share * form->lane, j;
    if (!form->once && bit_x == bit_y) full = touched;
    if (form->odd && !extra) full |= touched & (choice->y == 0 ? 0x80000000u : 0);
    board->one |= touched;
    board->two |= full;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++) {
        uint32_t gone = full | (0u - (full << shift << j >> 31));
        if (!form->once) gone |= touched & 0x80000000u >> shift >> j;
        board->words[j] &= ~gone;
    }
}
/* ------------------------------------------------------------------ src/no3/forms/plate_half.cl */

/* No-three-in-line kernels, classes with a board of 24 words: a step of ORT1 and DIA1. */

#define COMBGPU__NO3_ALL_BITS (~(uint64_t)0)
#define COMBGPU__NO3_HIGH(x) ((uint32_t)((x) >> 32))
#define COMBGPU__NO3_LOW(x) ((uint32_t)(x))
/* Columns from `c` on. */
#define COMBGPU__NO3_FROM(c) (COMBGPU__NONE >> (c))

/* The first column of a row x, or 64. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_first(uint64_t x)
{
    uint32_t high = COMBGPU__CLZ(COMBGPU__NO3_HIGH(x));
    return high < 32 ? high : 32 + COMBGPU__CLZ(COMBGPU__NO3_LOW(x));
}

/* Row j of the lane, column 0 in the top bit. */
COMBGPU__DEVICE uint64_t combgpu_no3_plate_row(const uint32_t *words, uint32_t j)
{
    return (uint64_t)words[j] << 32 | (words[5] << 6 * j & 0xfc000000u);
}

/* Removes the columns `gone` from row j of the lane. */
COMBGPU__DEVICE void combgpu_no3_plate_without(uint32_t *words, uint32_t j, uint64_t gone)
{
    words[j] &= ~COMBGPU__NO3_HIGH(gone);
    words[5] &= ~((COMBGPU__NO3_LOW(gone) & 0xfc000000u) >> 6 * j);
}

/* Adds five masks bit by bit: s, t and f have weights 1, 2 and 4; row[0] is lost. */
#define COMBGPU__NO3_FIVE(row, s, t, f)                                                            \
    do {                                                                                           \
        s = row[0] ^ row[1] ^ row[2];                                                              \
        t = COMBGPU__NO3_MAJORITY(row[0], row[1], row[2]);                                         \
        f = COMBGPU__NO3_MAJORITY(s, row[3], row[4]);                                              \
        s ^= row[3] ^ row[4];                                                                      \
        row[0] = t & f;                                                                            \
        t ^= f;                                                                                    \
        f = row[0];                                                                                \
    } while (0)

/* The counts of a lane's five rows as counts of lines. `own` has a byte for each bit of a count
   (combgpu_no3_spread), the lane's row 0 in bit 4 of it. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_plate_own(uint32_t own, uint32_t lane)
{
    combgpu_no3_counts rows;
    rows.s = own << 27 >> 5 * lane;
    rows.t = (own & 0x1f00) << 19 >> 5 * lane;
    rows.f = (own & 0x1f0000) << 11 >> 5 * lane;
    rows.e = (own & 0x1f000000) << 3 >> 5 * lane;
    return rows;
}

/* ---- ORT1 */

/* Finds the best pair of columns and the best row of the grid. If their classes are equal, the row
   goes first if it is no further from the centre. The counts of rows are masks of 38 bits; the last
   six bits of all three masks travel from lane to lane in one word. */
COMBGPU__DEVICE void combgpu_no3_plate_choose_ort1(const combgpu_no3_plate *form,
                                                   const combgpu_no3_plate_board *board,
                                                   combgpu_no3_plate_choice *choice)
{
    const combgpu_group_t group = form->group;
    uint64_t row[5], s, t, f, wait, kind_y[8], best_y = 0;
    uint32_t own = 0, best = 0, kind[8], j, pair;
    combgpu_no3_counts pairs;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++) {
        row[j] = combgpu_no3_plate_row(board->words, j);
        own = 2 * own + combgpu_no3_spread(COMBGPU__POPCOUNT(COMBGPU__NO3_HIGH(row[j])) +
                                           COMBGPU__POPCOUNT(COMBGPU__NO3_LOW(row[j])));
    }
    COMBGPU__NO3_FIVE(row, s, t, f);
    pairs.s = pairs.t = pairs.f = pairs.e = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++) {
        combgpu_no3_counts part = combgpu_no3_plate_own(COMBGPU__GROUP_FROM(own, j), j);
        pairs.s |= part.s;
        pairs.t |= part.t;
        pairs.f |= part.f;
        pairs.e |= part.e;
    }
    COMBGPU__NO3_UNROLL
    for (j = 1; j < 4; j *= 2) { /* f: four or more */
        uint32_t low = COMBGPU__NO3_LOW(s) | COMBGPU__NO3_LOW(t) >> 6 | COMBGPU__NO3_LOW(f) >> 12;
        uint64_t s2, t2, f2, c;
        low = COMBGPU__GROUP_FROM(low, form->lane ^ j);
        s2 = COMBGPU__GROUP_FROM(COMBGPU__NO3_HIGH(s), form->lane ^ j);
        t2 = COMBGPU__GROUP_FROM(COMBGPU__NO3_HIGH(t), form->lane ^ j);
        f2 = COMBGPU__GROUP_FROM(COMBGPU__NO3_HIGH(f), form->lane ^ j);
        s2 = s2 << 32 | (low & 0xfc000000u);
        t2 = t2 << 32 | (low << 6 & 0xfc000000u);
        f2 = f2 << 32 | (low << 12 & 0xfc000000u);
        c = s & s2;
        f |= f2 | COMBGPU__NO3_MAJORITY(t, t2, c);
        s ^= s2;
        t ^= t2 ^ c;
    }
    combgpu_no3_kinds(kind, pairs, board->one, board->two, 1);
    wait = ~((uint64_t)board->one_y << 32 | board->two_y);
    kind_y[0] = wait & ~(f | t | s);
    kind_y[1] = wait & s & ~(f | t);
    kind_y[3] = wait & t & ~(f | s);
    kind_y[5] = wait & t & s & ~f;
    kind_y[6] = wait & f;
    kind_y[2] = kind_y[4] = kind_y[7] = 0;
    COMBGPU__NO3_UNROLL
    for (j = 7; j > 0; j--)
        if (kind[j] | kind_y[j]) {
            best = kind[j];
            best_y = kind_y[j];
        }
    pair = COMBGPU__CLZ(best);
    choice->line = combgpu_no3_plate_first(best_y);
    choice->of_y = choice->line <= 2 * pair;
    if (!choice->of_y) choice->line = pair;
    choice->dead = kind[0] || kind_y[0];
    choice->solved = board->two == COMBGPU__NONE && wait == 0;
}

/* The bits of column c, row 0 in the top bit. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_column(const combgpu_no3_plate *form,
                                                  const uint32_t *words, uint32_t c)
{
    const combgpu_group_t group = form->group;
    uint32_t column = 0, j;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++) {
        uint32_t word = c < 32 ? words[j] << c : words[5] << 6 * j << (c & 31);
        column |= (word & 0x80000000u) >> j;
    }
    column >>= 5 * form->lane;
    column |= COMBGPU__GROUP_FROM(column, form->lane ^ 1);
    return column | COMBGPU__GROUP_FROM(column, form->lane ^ 2);
}

/* Row i, in all lanes. */
COMBGPU__DEVICE uint64_t combgpu_no3_plate_row_from(const combgpu_no3_plate *form,
                                                    const uint32_t *words, uint32_t i)
{
    const combgpu_group_t group = form->group;
    const uint32_t from = i * 13 >> 6 & 3, in = i - 5 * from;
    uint32_t row = words[0], j;
    uint64_t low;
    COMBGPU__NO3_UNROLL
    for (j = 1; j < 5; j++)
        row = in == j ? words[j] : row;
    row = COMBGPU__GROUP_FROM(row, from);
    low = COMBGPU__GROUP_FROM(words[5], from) << 6 * min(in, 4u) & 0xfc000000u;
    return (uint64_t)row << 32 | low;
}

/* Finds the first open orbit of a pair of columns, or of a row of the grid. A row needs one orbit,
   so each other one counts for two points. */
COMBGPU__DEVICE void combgpu_no3_plate_cell_ort1(const combgpu_no3_plate *form,
                                                 const uint32_t *words,
                                                 combgpu_no3_plate_choice *choice)
{
    const uint32_t i = choice->line;
    uint64_t row = combgpu_no3_plate_row_from(form, words, i & 31);
    uint32_t column = combgpu_no3_plate_column(form, words, i & 63);
    choice->x = choice->of_y ? i & 63 : combgpu_no3_plate_first(row) & 63;
    choice->y = (choice->of_y ? COMBGPU__CLZ(column) : i) & 31;
    choice->points = choice->of_y ? 2 * COMBGPU__POPCOUNT(column) - 2
                                  : COMBGPU__POPCOUNT(COMBGPU__NO3_HIGH(row)) +
                                        COMBGPU__POPCOUNT(COMBGPU__NO3_LOW(row)) - 1;
}

/* The row of the grid is full, the pair of columns has one orbit more; removes orbits that they no
   longer take. */
COMBGPU__DEVICE void combgpu_no3_plate_place_ort1(const combgpu_no3_plate *form,
                                                  combgpu_no3_plate_board *board,
                                                  const combgpu_no3_plate_choice *choice)
{
    const uint32_t bit = 0x80000000u >> choice->y, full = board->one & bit;
    const uint64_t bit_x = (uint64_t)1 << (63 - choice->x);
    uint32_t j;
    board->one |= bit;
    board->two |= full;
    board->one_y |= COMBGPU__NO3_HIGH(bit_x);
    board->two_y |= COMBGPU__NO3_LOW(bit_x);
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++)
        combgpu_no3_plate_without(
            board->words, j,
            bit_x | (full << 5 * form->lane << j >> 31 ? COMBGPU__NO3_ALL_BITS : 0));
}

/* ---- DIA1 */

/* Counts even and odd lines at once: of a row r, columns up to r belong to odd lines, those from r
   + 1 to `evens` to even ones, and those beyond to both. */
COMBGPU__DEVICE void combgpu_no3_plate_choose_dia1(const combgpu_no3_plate *form,
                                                   const combgpu_no3_plate_board *board,
                                                   combgpu_no3_plate_choice *choice)
{
    uint64_t row[5], s, t, f;
    uint32_t low[5], own = 0, own_y = 0, kind[8], kind_y[8], is_even, is_odd, j;
    combgpu_no3_counts even, odd, more;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++) {
        uint32_t r = 5 * form->lane + j, right;
        row[j] = combgpu_no3_plate_row(board->words, j);
        low[j] = COMBGPU__NO3_HIGH(row[j]);
        right = low[j] & COMBGPU__NO3_FROM(r + 1);
        own = 2 * own + combgpu_no3_spread(COMBGPU__POPCOUNT(right) +
                                           COMBGPU__POPCOUNT(COMBGPU__NO3_LOW(row[j])));
        own_y = 2 * own_y + combgpu_no3_spread(COMBGPU__POPCOUNT(low[j] ^ right));
        row[j] &= COMBGPU__NO3_ALL_BITS >> (r + 2);
        low[j] &= ~COMBGPU__NO3_FROM(r);
    }
    COMBGPU__NO3_FIVE(row, s, t, f);
    COMBGPU__NO3_FIVE(low, odd.s, odd.t, odd.f);
    odd.e = 0;
    even.s = COMBGPU__NO3_HIGH(s) << 1 & ~COMBGPU__NO3_FROM(form->evens);
    even.t = COMBGPU__NO3_HIGH(t) << 1 & ~COMBGPU__NO3_FROM(form->evens);
    even.f = COMBGPU__NO3_HIGH(f) << 1 & ~COMBGPU__NO3_FROM(form->evens);
    even.e = 0;
    more.s = COMBGPU__NO3_HIGH(s << (form->evens + 1));
    more.t = COMBGPU__NO3_HIGH(t << (form->evens + 1));
    more.f = COMBGPU__NO3_HIGH(f << (form->evens + 1));
    more.e = 0;
    combgpu_no3_add_counts(&even, combgpu_no3_plate_own(own, form->lane));
    combgpu_no3_add_counts(&odd, more);
    combgpu_no3_add_counts(&odd, combgpu_no3_plate_own(own_y, form->lane));
    combgpu_no3_counts_sum(form->group, &even);
    combgpu_no3_counts_sum(form->group, &odd);
    combgpu_no3_kinds(kind, even, board->one, board->two, 1);
    combgpu_no3_kinds(kind_y, odd, board->one_y, board->two_y, 1);
    choice->dead = kind[0] | kind_y[0];
    choice->line = combgpu_no3_best_line(kind, kind_y, &is_even, &is_odd);
    choice->of_y = !is_even;
    choice->solved = board->two == COMBGPU__NONE && board->two_y == COMBGPU__NONE;
}

/* Takes the first of the line's open orbits: bit k of `even` is that with even line k, of `odd` with
   odd line k, bit 0 the top one. At equal k the even line's goes first. */
COMBGPU__DEVICE void combgpu_no3_plate_cell_dia1(const combgpu_no3_plate *form,
                                                 const uint32_t *words,
                                                 combgpu_no3_plate_choice *choice)
{
    const uint32_t i = choice->line & 31, evens = form->evens, of_y = choice->of_y;
    uint64_t row = combgpu_no3_plate_row_from(form, words, i);
    uint32_t column = combgpu_no3_plate_column(form, words, of_y ? evens + 1 + i : i + 1);
    uint32_t below = combgpu_no3_plate_column(form, words, i), high = COMBGPU__NO3_HIGH(row);
    uint32_t even, odd, k;
    if (of_y) {
        even = column;
        odd = (high & ~(COMBGPU__NO3_FROM(i) >> 1)) | (below & COMBGPU__NO3_FROM(i) >> 1);
    } else {
        even = (high & COMBGPU__NO3_FROM(i) >> 1) << 1 & ~COMBGPU__NO3_FROM(evens);
        even |= column & ~COMBGPU__NO3_FROM(i);
        odd = COMBGPU__NO3_HIGH(row << (evens + 1));
    }
    if (COMBGPU__CLZ(even) <= COMBGPU__CLZ(odd)) {
        k = COMBGPU__CLZ(even) & 31;
        choice->y = of_y ? k : min(i, k);
        choice->x = of_y ? evens + 1 + i : max(i, k) + 1;
    } else {
        k = COMBGPU__CLZ(odd) & 31;
        choice->y = of_y ? max(i, k) : i;
        choice->x = of_y ? min(i, k) : evens + 1 + k;
    }
    choice->x &= 63;
    choice->points = COMBGPU__POPCOUNT(even) + COMBGPU__POPCOUNT(odd) - 1;
}

/* The orbit's two lines, masks `even` and `odd`, have one more point; removes orbits that they no
   longer take. */
COMBGPU__DEVICE void combgpu_no3_plate_place_dia1(const combgpu_no3_plate *form,
                                                  combgpu_no3_plate_board *board,
                                                  const combgpu_no3_plate_choice *choice)
{
    const uint32_t x = choice->x, evens = form->evens, bit_y = 0x80000000u >> choice->y;
    uint32_t even = bit_y, odd = 0, full, full_y, j;
    if (x > evens)
        odd = 0x80000000u >> (x - evens - 1);
    else if (x > choice->y)
        even |= 0x80000000u >> (x - 1);
    else {
        even = 0;
        odd = bit_y | 0x80000000u >> x;
    }
    full = even & board->one;
    full_y = odd & board->one_y;
    board->one |= even;
    board->two |= full;
    board->one_y |= odd;
    board->two_y |= full_y;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++) {
        uint32_t r = 5 * form->lane + j, right = COMBGPU__NO3_FROM(r) >> 1;
        uint64_t gone = (uint64_t)full_y << 32 >> (evens + 1);
        gone |= (uint64_t)((full >> 1 & right) | (full_y & ~right)) << 32;
        if (full << r >> 31) gone |= COMBGPU__NO3_ALL_BITS >> (r + 1);
        if (full_y << r >> 31) gone |= (uint64_t)~right << 32;
        combgpu_no3_plate_without(board->words, j, gone);
    }
}
/* ------------------------------------------------------------------ src/no3/forms/plate_step.cl */

/* No-three-in-line kernels, classes with a board of 24 or 32 words: a step, and the kernels. */

/* Each form has its own choose, cell and place. `dead`, `solved` and the line of the choice are set. */
COMBGPU__DEVICE void combgpu_no3_plate_choose(const combgpu_no3_plate *form,
                                              const combgpu_no3_plate_board *board,
                                              combgpu_no3_plate_choice *choice)
{
    if (form->kind == COMBGPU__NO3_PLATE_ORT1)
        combgpu_no3_plate_choose_ort1(form, board, choice);
    else if (form->kind == COMBGPU__NO3_PLATE_DIA1)
        combgpu_no3_plate_choose_dia1(form, board, choice);
    else
        combgpu_no3_plate_choose_fold(form, board, choice);
    choice->line = (choice->line & 63) + 64 * choice->of_y;
}

/* Sets x, y, orbit and `waits` of the choice for `line`; `one` is 1 if the line needs one point. A row
   of the grid (ORT1) needs one orbit, and `points` counts two for each. */
COMBGPU__DEVICE void combgpu_no3_plate_cell(const combgpu_no3_plate *form,
                                            const combgpu_no3_plate_board *board,
                                            combgpu_no3_plate_choice *choice, uint32_t line,
                                            uint32_t go)
{
    uint32_t one;
    choice->line = line & 63;
    choice->of_y = line >> 6;
    one = choice->of_y ? board->one_y : board->one;
    one = form->kind == COMBGPU__NO3_PLATE_ORT1 && choice->of_y ? 0
                                                                : one << (choice->line & 31) >> 31;
    if (form->kind == COMBGPU__NO3_PLATE_ORT1)
        combgpu_no3_plate_cell_ort1(form, board->words, choice);
    else if (form->kind == COMBGPU__NO3_PLATE_DIA1)
        combgpu_no3_plate_cell_dia1(form, board->words, choice);
    else
        combgpu_no3_plate_cell_fold(form, board->words, choice);
    choice->waits = choice->points + one >= 2;
    choice->orbit = go ? form->cells[choice->y * 64 + choice->x] : 0;
}

/* `from` and `in` are the lane and the word of row y: y / 8, y / 6 or y / 5, and the rest. */
COMBGPU__DEVICE void combgpu_no3_plate_remove(const combgpu_no3_plate *form,
                                              combgpu_no3_plate_board *board,
                                              const combgpu_no3_plate_choice *choice)
{
    const uint32_t rows = form->kind <= COMBGPU__NO3_PLATE_DIA2 ? form->share : 5;
    const uint32_t from = rows == 8   ? choice->y >> 3
                          : rows == 6 ? choice->y * 43 >> 8
                                      : choice->y * 13 >> 6;
    uint32_t in = choice->y - rows * from, bit = 0x80000000u >> (choice->x & 31), j;
    if (rows == 5 && choice->x > 31) {
        bit >>= 6 * in;
        in = 5;
    }
    if (form->lane != from) bit = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->share; j++)
        board->words[j] &= ~(j == in ? bit : 0);
}

COMBGPU__DEVICE void combgpu_no3_plate_place(const combgpu_no3_plate *form,
                                             combgpu_no3_plate_board *board,
                                             const combgpu_no3_plate_choice *choice)
{
    if (form->kind == COMBGPU__NO3_PLATE_ORT1)
        combgpu_no3_plate_place_ort1(form, board, choice);
    else if (form->kind == COMBGPU__NO3_PLATE_DIA1)
        combgpu_no3_plate_place_dia1(form, board, choice);
    else
        combgpu_no3_plate_place_fold(form, board, choice);
    if (form->lane == 0) form->list[COMBGPU__NO3_LIST_AT(board->count)] = choice->orbit;
    board->count++;
}

/* The lane's part of the row of two orbits, or zeros unless `is`. */
COMBGPU__DEVICE void combgpu_no3_plate_gone(const combgpu_no3_plate *form, uint32_t *row,
                                            uint32_t p, uint32_t q, const uint32_t is)
{
    const uint32_t high = max(p, q), low = min(p, q);
    if (is)
        combgpu_no3_load_lane(row, form->rows + (uint64_t)(high * (high + 1) / 2 + low) * form->all,
                              form->share, form->lane);
    else
        combgpu_no3_clear(row, form->share);
}

/* Reads the rows of the orbit with all that are placed, four at a time. The list ends with the
   orbit itself, whose row has what it excludes alone. */
COMBGPU__DEVICE void combgpu_no3_plate_propagate(const combgpu_no3_plate *form,
                                                 combgpu_no3_plate_board *board,
                                                 const combgpu_no3_plate_choice *choice,
                                                 uint32_t go)
{
    const uint32_t limit = go ? board->count : 0, p = choice->orbit;
    uint32_t *words = board->words, k, j;
    COMBGPU__WARP_BARRIER();
    for (k = 0; k < limit; k += 4) {
        const uint4 with = *(COMBGPU__LOCAL const uint4 *)(form->list + COMBGPU__NO3_LIST_AT(k));
        uint32_t r0[8], r1[8], r2[8], r3[8];
        combgpu_no3_plate_gone(form, r0, p, with.x, 1);
        combgpu_no3_plate_gone(form, r1, p, with.y, k + 1 < limit);
        combgpu_no3_plate_gone(form, r2, p, with.z, k + 2 < limit);
        combgpu_no3_plate_gone(form, r3, p, with.w, k + 3 < limit);
        COMBGPU__NO3_UNROLL
        for (j = 0; j < form->share; j++)
            words[j] &= ~(r0[j] | r1[j] | r2[j] | r3[j]);
    }
    COMBGPU__WARP_BARRIER();
}

/* The kernel for a form (`kind`) and 6 or 8 words in a lane; `list` is the board's own list. */
COMBGPU__DEVICE void combgpu_no3_plate_search(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS,
                                              COMBGPU__LOCAL uint32_t *list, const uint32_t kind,
                                              const uint32_t share)
{
    combgpu_no3_plate form = combgpu_no3_plate_begin(COMBGPU__GROUP, tables, list, kind, share);
    combgpu_no3_worker worker = combgpu_no3_worker_begin(
        slice, work + COMBGPU__GROUP_INDEX * form.room * form.level_words, COMBGPU__GROUP_INDEX);
    uint32_t words[8], i;
    combgpu_no3_plate_board board;
    board.words = words;
    if (slice->workers == 0) form.cells = form.rows = work; /* as in combgpu_no3_orbit_search */
    combgpu_no3_clear(board.words, 8);
    board.one = board.two = board.one_y = board.two_y = COMBGPU__NONE;
    board.count = 0;
    for (i = 0; i < COMBGPU__NO3_PLATE_LISTED / 4; i++)
        list[4 * COMBGPU__NO3_LIST_BOARDS * i + form.lane] = 0;
    COMBGPU__NO3_SEARCH(plate, GROUP);
}

#define COMBGPU__NO3_PLATE_KERNEL(name, form, share)                                               \
    COMBGPU__KERNEL name(COMBGPU__SLICE_ARGUMENTS)                                                 \
    {                                                                                              \
        COMBGPU__GROUP_BEGIN(4);                                                                   \
        COMBGPU__NO3_LIST_ARRAY(COMBGPU__NO3_PLATE_LISTED);                                        \
        combgpu_no3_plate_search(COMBGPU__GROUP, slice, tables, tasks, left, records, work,        \
                                 COMBGPU__NO3_LIST_OWN, form, share);                              \
    }
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_fold24, COMBGPU__NO3_PLATE_FOLD, 6)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_fold32, COMBGPU__NO3_PLATE_FOLD, 8)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_dia2_24, COMBGPU__NO3_PLATE_DIA2, 6)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_dia2_32, COMBGPU__NO3_PLATE_DIA2, 8)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_ort1_24, COMBGPU__NO3_PLATE_ORT1, 6)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_dia1_24, COMBGPU__NO3_PLATE_DIA1, 6)
#endif /* NO3 */
/* clang-format off */
#if defined(COMBGPU__HAS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_SEARCH)
/* clang-format on */
/* ----------------------------------------------------------------------------- src/perm/room.cl */

#if defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU__HAS_PERM)

/* ---------------------------------------------------------------------- src/perm/write/write.cl */

/* Writes all permutations in order to the caller's device memory; a worker is a block. */
#define COMBGPU__PERM_N ((int)tables[COMBGPU__WRITE_AT_N])
#define COMBGPU__PERM_ORDERS tables[COMBGPU__WRITE_AT_ORDERS]
#define COMBGPU__PERM_TASK_GROUPS tables[COMBGPU__WRITE_AT_TASK_GROUPS]
#define COMBGPU__PERM_ITEM_BYTES tables[COMBGPU__WRITE_AT_ITEM_BYTES]
#define COMBGPU__PERM_SHIFT tables[COMBGPU__WRITE_AT_SHIFT]
#define COMBGPU__PERM_UNITS tables[COMBGPU__WRITE_AT_UNITS]
#define COMBGPU__PERM_PERIOD tables[COMBGPU__WRITE_AT_PERIOD]
/* not max(n - 6, 0), which compilers turn into something that oclgrind lacks */
#define COMBGPU__PERM_PREFIX tables[COMBGPU__WRITE_AT_PREFIX]
#define COMBGPU__PERM_FIRST combgpu_load64(tables + COMBGPU__WRITE_AT_FIRST)
#define COMBGPU__PERM_OFFSET combgpu_load64(tables + COMBGPU__WRITE_AT_OFFSET)
#define COMBGPU__PERM_PREPARED                                                                     \
    34 /* 16-byte units of a prepared group: 1 and a period, or 34 items */

/* A chunk is up to 16 groups. The block unranks the first permutation of each group, and prepares
   to turn table words into the group's *units* of 16 bytes: for items of one byte, it prepares the
   suffix, from which a unit's nibbles choose, and the units' other bytes; else the items. Then each
   lane makes unit after unit, so that a warp stores consecutive units.

   The output gets only the ranks asked for, and a group may begin at any byte of it. */

/* Byte i of the result is byte (selector >> 4 i & 7) of high:low. Bits 16 and up of the selector
   are ignored. */
COMBGPU__DEVICE uint32_t combgpu_perm_choose(uint32_t low, uint32_t high, uint32_t selector)
{
#ifdef COMBGPU_SHUFFLE /* not __byte_perm, which masks the selector first */
    uint32_t y;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(y) : "r"(low), "r"(high), "r"(selector));
    return y;
#else
    const uint64_t x = (uint64_t)high << 32 | low;
    return ((uint32_t)(x >> (8 * (selector & 7))) & 255) |
           ((uint32_t)(x >> (8 * (selector >> 4 & 7))) & 255) << 8 |
           ((uint32_t)(x >> (8 * (selector >> 8 & 7))) & 255) << 16 |
           ((uint32_t)(x >> (8 * (selector >> 12 & 7))) & 255) << 24;
#endif
}

COMBGPU__DEVICE uint32_t combgpu_perm_substitute(COMBGPU__LOCAL const uint8_t *first,
                                                 uint32_t places)
{
    return (uint32_t)first[places & 255] | (uint32_t)first[places >> 8 & 255] << 8 |
           (uint32_t)first[places >> 16 & 255] << 16 | (uint32_t)first[places >> 24] << 24;
}

/* Makes a unit of the prepared group from two table words; phase: unit % period. */
COMBGPU__DEVICE uint4 combgpu_perm_unit(COMBGPU__LOCAL const uint4 *prepared, uint32_t item_bytes,
                                        uint32_t x, uint32_t y, uint32_t phase)
{
    COMBGPU__LOCAL const uint32_t *words = (COMBGPU__LOCAL const uint32_t *)prepared;
    uint4 unit;
    if (item_bytes == 1) {
        const uint2 suffix = *(COMBGPU__LOCAL const uint2 *)prepared;
        const uint32_t low = suffix.x, high = suffix.y;
        unit = prepared[1 + phase];
        unit.x |= combgpu_perm_choose(low, high, x);
        unit.y |= combgpu_perm_choose(low, high, x >> 16);
        unit.z |= combgpu_perm_choose(low, high, y);
        unit.w |= combgpu_perm_choose(low, high, y >> 16);
    } else if (item_bytes == 2) {
        COMBGPU__LOCAL const uint16_t *items = (COMBGPU__LOCAL const uint16_t *)prepared;
        unit.x = items[x & 255] | (uint32_t)items[x >> 8 & 255] << 16;
        unit.y = items[x >> 16 & 255] | (uint32_t)items[x >> 24] << 16;
        unit.z = items[y & 255] | (uint32_t)items[y >> 8 & 255] << 16;
        unit.w = items[y >> 16 & 255] | (uint32_t)items[y >> 24] << 16;
    } else if (item_bytes == 4) {
        unit.x = words[x & 255];
        unit.y = words[x >> 8 & 255];
        unit.z = words[x >> 16 & 255];
        unit.w = words[x >> 24];
    } else {
        unit.x = words[2 * (x & 255)];
        unit.y = words[2 * (x & 255) + 1];
        unit.z = words[2 * (x >> 8 & 255)];
        unit.w = words[2 * (x >> 8 & 255) + 1];
    }
    return unit;
}

/* Stores the bytes of a word that lie in [low, high); `at` is the position of the first byte. */
COMBGPU__DEVICE void combgpu_perm_store_part(COMBGPU__GLOBAL uint8_t *to, int32_t at, int32_t low,
                                             int32_t high, uint32_t word)
{
    int32_t i;
    for (i = 0; i < 4; i++, word >>= 8)
        if (at + i >= low && at + i < high) to[i] = (uint8_t)word;
}

/* Prepares `groups` groups from number `from` on, counted from rank 0 of the job; the block calls
   it. First a lane for each digit of a group's first rank, then a lane for each element: digit i is
   the element's index among the elements left after i of them, so going back from i-1 it moves up
   past those taken before. A barrier must follow. */
COMBGPU__DEVICE void combgpu_perm_prepare(COMBGPU__GLOBAL const uint32_t *tables,
                                          COMBGPU__LOCAL uint8_t *digits,
                                          COMBGPU__LOCAL uint8_t *firsts,
                                          COMBGPU__LOCAL uint4 *prepared, uint64_t from,
                                          uint32_t groups)
{
    const uint32_t n = (uint32_t)COMBGPU__PERM_N, item_bytes = COMBGPU__PERM_ITEM_BYTES,
                   prefix = COMBGPU__PERM_PREFIX;
    COMBGPU__GLOBAL const uint32_t *pattern =
        tables + COMBGPU__WRITE_AT_PATTERN + 2 * COMBGPU__PERM_UNITS;
    const uint32_t row = item_bytes == 1 ? 4 + 4 * COMBGPU__PERM_PERIOD : n * item_bytes / 4 + 1;
    uint32_t i, group, at, x;
    for (i = COMBGPU__LANE_ID; i < groups * prefix; i += COMBGPU__BLOCK_LANES) {
        uint64_t divisor;
        group = i / prefix;
        at = i % prefix;
        divisor = combgpu_load64(tables + COMBGPU__WRITE_AT_DIVISORS +
                                 2 * (n - 1 - at)); /* 0 = no digit */
        digits[32 * group + at] = divisor ? (uint8_t)((from + group) / divisor % (n - at)) : 0;
    }
    COMBGPU__LOCAL_BARRIER();
    if (n > COMBGPU__PERM_MAX && COMBGPU__LANE_ID < groups) /* add the digits of the base */
        for (at = prefix, x = 0; at-- > 0;) {
            x += (uint32_t)digits[32 * COMBGPU__LANE_ID + at] + tables[COMBGPU__WRITE_AT_BASE + at];
            digits[32 * COMBGPU__LANE_ID + at] = (uint8_t)(x < n - at ? x : x - (n - at));
            x = x >= n - at;
        }
    COMBGPU__LOCAL_BARRIER();
    for (i = COMBGPU__LANE_ID; i < groups * n; i += COMBGPU__BLOCK_LANES) {
        uint32_t k;
        group = i / n;
        at = i % n;
        x = at < prefix ? digits[32 * group + at] : at - prefix;
        for (k = at < prefix ? at : prefix; k-- > 0;)
            x += x >= digits[32 * group + k];
        firsts[64 * group + at] =
            item_bytes == 1 ? (uint8_t)tables[COMBGPU__WRITE_AT_ITEMS + 2 * x] : (uint8_t)x;
    }
    COMBGPU__LOCAL_BARRIER();
    for (i = COMBGPU__LANE_ID; i < groups * row; i += COMBGPU__BLOCK_LANES) {
        COMBGPU__LOCAL uint32_t *words;
        group = i / row;
        at = i % row;
        words = (COMBGPU__LOCAL uint32_t *)(prepared + group * COMBGPU__PERM_PREPARED);
        if (item_bytes == 1)
            words[at] = combgpu_perm_substitute(firsts + 64 * group, pattern[at]);
        else if (item_bytes == 2) {
            COMBGPU__LOCAL const uint8_t *first = firsts + 64 * group + 2 * at;
            if (2 * at < n) words[at] = tables[COMBGPU__WRITE_AT_ITEMS + 2 * first[0]] & 0xffff;
            if (2 * at + 1 < n) words[at] |= tables[COMBGPU__WRITE_AT_ITEMS + 2 * first[1]] << 16;
        } else if (item_bytes == 4 && at < n)
            words[at] = tables[COMBGPU__WRITE_AT_ITEMS + 2 * firsts[64 * group + at]];
        else if (item_bytes == 8 && at < 2 * n)
            words[at] = tables[COMBGPU__WRITE_AT_ITEMS + 2 * firsts[64 * group + at / 2] + at % 2];
    }
}

/* Makes the units of the prepared groups; the block calls it. The first group begins at to +
   COMBGPU__PERM_SHIFT; `to` is a multiple of 16. Stores only the first group's bytes from `first`
   on and the last group's bytes before `last`. */
COMBGPU__DEVICE void combgpu_perm_make(COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__LOCAL const uint4 *prepared,
                                       COMBGPU__GLOBAL uint8_t *to, uint32_t groups, int32_t first,
                                       int32_t last)
{
    const uint32_t units = COMBGPU__PERM_UNITS, period = COMBGPU__PERM_PERIOD,
                   item_bytes = COMBGPU__PERM_ITEM_BYTES;
    const uint32_t bytes = COMBGPU__PERM_ORDERS * item_bytes * (uint32_t)COMBGPU__PERM_N;
    const int32_t shift = (int32_t)COMBGPU__PERM_SHIFT;
    COMBGPU__GLOBAL const uint2 *pattern =
        (COMBGPU__GLOBAL const uint2 *)(tables + COMBGPU__WRITE_AT_PATTERN);
    uint32_t group = COMBGPU__LANE_ID / units, at = COMBGPU__LANE_ID % units, phase = at % period,
             i;
    if (item_bytes == 1 && shift == 0 && first == 0 && last >= (int32_t)(16 * units)) {
        /* Whole groups of whole units have no borders. A warp's stores begin at a line of 128
           bytes, so up to 7 lanes begin before the first unit; their index wraps around, and is
           larger than any. */
        const uint32_t back = (uint32_t)(size_t)to / 16 % 8, end = groups * units + back;
        const uint32_t step = COMBGPU__BLOCK_LANES % period;
        COMBGPU__GLOBAL uint4 *unit =
            (COMBGPU__GLOBAL uint4 *)to + ((int32_t)COMBGPU__LANE_ID - (int32_t)back);
        COMBGPU__LOCAL const uint4 *row = prepared;
        at = COMBGPU__LANE_ID - back;
        phase = (COMBGPU__LANE_ID + 8 * period - back) % period;
        for (i = 0; i < end; i += COMBGPU__BLOCK_LANES) {
            if (at < units && i + COMBGPU__LANE_ID < end) {
                const uint2 words = pattern[at];
                *unit = combgpu_perm_unit(row, 1, words.x, words.y, phase);
            }
            unit += COMBGPU__BLOCK_LANES;
            at += COMBGPU__BLOCK_LANES;
            phase += step;
            if (phase >= period) phase -= period;
            if (at >= units) { /* `units` is a multiple of the period, and more than a block's
                                  lanes */
                at -= units;
                row += COMBGPU__PERM_PREPARED;
            }
        }
        return;
    }
    while (group < groups) {
        const uint2 words = pattern[at];
        const int32_t byte = (int32_t)(16 * at) - shift; /* byte of the group */
        const int32_t low = group == 0 ? first : 0;
        const int32_t high = group == groups - 1 ? last : (int32_t)bytes;
        COMBGPU__GLOBAL uint8_t *place = to + (uint64_t)group * bytes + 16 * at;
        const uint4 unit = combgpu_perm_unit(prepared + group * COMBGPU__PERM_PREPARED, item_bytes,
                                             words.x, words.y, at % period);
        if (byte >= low && byte + 16 <= high)
            *(COMBGPU__GLOBAL uint4 *)place = unit;
        else {
            combgpu_perm_store_part(place, byte, low, high, unit.x);
            combgpu_perm_store_part(place + 4, byte + 4, low, high, unit.y);
            combgpu_perm_store_part(place + 8, byte + 8, low, high, unit.z);
            combgpu_perm_store_part(place + 12, byte + 12, low, high, unit.w);
        }
        for (at += COMBGPU__BLOCK_LANES; at >= units; at -= units)
            group++;
    }
}

#ifndef COMBGPU_KERNELS_MULTISET /* which is a program of its own */
/* All blocks sweep over the output together, a chunk each: memory takes one moving window, smaller
   than the L2 cache, faster than a stream for each block. Chunks are numbered through all tasks.
   The last block to end sets task_next, and spills the task in which the numbers stopped. Lane 0
   takes the next number while the block writes. */
#define COMBGPU__PERM_WINDOW 38000000u
COMBGPU__KERNEL_BLOCKS(COMBGPU__PERM_WRITE_LANES, 5)
combgpu_perm_write(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint4 prepared[COMBGPU__PERM_PIECE_GROUPS * COMBGPU__PERM_PREPARED];
    COMBGPU__LOCAL_ARRAY uint8_t firsts[COMBGPU__PERM_PIECE_GROUPS * 64],
        digits[COMBGPU__PERM_PIECE_GROUPS * 32];
    COMBGPU__LOCAL_ARRAY uint32_t shared_word;
    const uint32_t orders = COMBGPU__PERM_ORDERS,
                   object = COMBGPU__PERM_ITEM_BYTES * (uint32_t)COMBGPU__PERM_N;
    uint32_t number = COMBGPU__NONE, piece_groups, pieces;
    uint64_t steps = 0, hash = 0;
    (void)records;
    piece_groups =
        (COMBGPU__PERM_WINDOW / COMBGPU__BLOCK_COUNT + orders * object / 2) / (orders * object);
    if (piece_groups > COMBGPU__PERM_PIECE_GROUPS) piece_groups = COMBGPU__PERM_PIECE_GROUPS;
    if (piece_groups < 1) piece_groups = 1;
    pieces = COMBGPU__PERM_TASK_GROUPS / piece_groups + 1;
    if (COMBGPU__LANE_ID < COMBGPU__PERM_PIECE_GROUPS) firsts[64 * COMBGPU__LANE_ID + 63] = 0;
    if (COMBGPU__LANE_ID == 0) number = COMBGPU__ATOMIC_ADD(&slice->area_next, 1);
    for (;;) {
        uint64_t begin, end, from, to, group, last;
        if (COMBGPU__LANE_ID == 0) shared_word = number;
        COMBGPU__LOCAL_BARRIER();
        number = shared_word;
        COMBGPU__LOCAL_BARRIER();
        if (number == COMBGPU__NONE || number / pieces >= slice->task_count) break;
        begin = combgpu_load64(tasks + 4 * (number / pieces));
        end = combgpu_load64(tasks + 4 * (number / pieces) + 2);
        group = (orders == 720 ? begin / 720 : begin / orders) +
                (uint64_t)(number % pieces) * piece_groups;
        from = group * orders;
        to = from + (uint64_t)piece_groups * orders;
        if (from < begin) from = begin;
        if (to > end) to = end;
        if (from < to) { /* equal in all lanes */
            last = orders == 720 ? (to - 1) / 720 : (to - 1) / orders;
            steps += to - from;
            hash += combgpu_mix(to) - combgpu_mix(from);
        } else
            last = group - 1; /* no groups */
        number = COMBGPU__NONE;
        if (COMBGPU__LANE_ID == 0 && !combgpu_spent(slice, (uint32_t)steps))
            number = COMBGPU__ATOMIC_ADD(&slice->area_next, 1);
        combgpu_perm_prepare(tables, digits, firsts, prepared, group, (uint32_t)(last + 1 - group));
        COMBGPU__LOCAL_BARRIER();
        combgpu_perm_make(
            tables, prepared,
            (COMBGPU__GLOBAL uint8_t *)work + (int64_t)COMBGPU__PERM_OFFSET +
                ((int64_t)(group * orders) - (int64_t)COMBGPU__PERM_FIRST) * (int64_t)object -
                (int32_t)COMBGPU__PERM_SHIFT,
            (uint32_t)(last + 1 - group), (int32_t)((uint32_t)(from - group * orders) * object),
            (int32_t)((uint32_t)(to - last * orders) * object));
    }
    if (COMBGPU__LANE_ID != 0) return;
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_DONE, steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_HASH, hash);
    if (COMBGPU__ATOMIC_ADD(&slice->blocks_done, 1) ==
        COMBGPU__BLOCK_COUNT - 1) { /* the last block */
        uint32_t next = COMBGPU__ATOMIC_ADD(&slice->area_next, 0), task = next / pieces;
        if (task < slice->task_count && next % pieces) {
            uint64_t begin = combgpu_load64(tasks + 4 * task);
            uint64_t end = combgpu_load64(tasks + 4 * task + 2);
            uint64_t from = (begin / orders + (uint64_t)(next % pieces) * piece_groups) * orders;
            if (from < end) combgpu_give_range(slice, left, from < begin ? begin : from, end);
            task++;
        }
        slice->task_next = task;
    }
}
#endif

/* ------------------------------------------------------------------------ src/perm/set/write.cl */

/* Writes the members of a set to the caller's device memory. The block takes a chunk of its range:
   each lane makes a few consecutive members as words in local memory, and the block copies them, 16
   bytes a lane.

   A multiset's last six positions run through the orders of their *shape*: how often each value
   occurs in them, the smallest first. For each of the 32 shapes the host has a list of orders, with
   a nibble for each position: an index into the six in ascending order. So a lane unranks the
   positions before them once, and then takes order after order. */
#define COMBGPU__SET_FIRST combgpu_load64(tables + COMBGPU__SET_AT_RANK)
#define COMBGPU__SET_OFFSET combgpu_load64(tables + COMBGPU__SET_AT_OFFSET)
#define COMBGPU__SET_CHUNK 2880  /* members */
#define COMBGPU__SET_STAGE 24576 /* bytes */

/* A stream of bytes into local memory, a word at a time. */
typedef struct combgpu_set_stream_t {
    uint64_t bytes;
    uint32_t filled; /* less than 32 bits */
    COMBGPU__LOCAL uint32_t *to;
} combgpu_set_stream_t;

COMBGPU__DEVICE void combgpu_set_stream(combgpu_set_stream_t *stream, uint32_t word, uint32_t bits)
{
    stream->bytes |= (uint64_t)word << stream->filled;
    stream->filled += bits;
    if (stream->filled >= 32) {
        *stream->to++ = (uint32_t)stream->bytes;
        stream->bytes >>= 32;
        stream->filled -= 32;
    }
}

/* x / m for x < 2^32, m <= 64. */
COMBGPU__DEVICE uint32_t combgpu_set_divide(COMBGPU__GLOBAL const uint32_t *tables, uint32_t x,
                                            uint32_t m)
{
    uint32_t q =
        m == 1 ? x : (uint32_t)((uint64_t)x * tables[COMBGPU__SET_AT_RECIPROCALS + m] >> 32);
    return q - (q * m > x || q * m < q);
}

/* Makes the first positions of a multiset's member, and the last six in ascending order. Returns
   the member's index among those with these first positions; *orders is where their list begins. */
COMBGPU__DEVICE uint32_t combgpu_set_multiset_prefix(COMBGPU__SET_PARAMETERS, uint64_t rank,
                                                     uint32_t *orders, uint32_t *count)
{
    const int prefix = COMBGPU__SET_LENGTH - COMBGPU__PERM_PLACES;
    uint64_t all = COMBGPU__SET_COUNT, part = 0;
    uint32_t shape = 0;
    int i, k, v;
    for (v = 0; v < COMBGPU__SET_N; v++)
        at->place[v] = COMBGPU__SET_REPEATS[v];
    for (i = 0; i < prefix; i++, all = part) {
        const uint32_t m = (uint32_t)(COMBGPU__SET_LENGTH - i), low = (uint32_t)all;
        const uint32_t q = all >> 32 ? 0 : combgpu_set_divide(tables, low, m), rest = low - q * m;
        for (v = 0;; v++, rank -= part) {
            const uint32_t r = at->place[v];
            part = all >> 32 ? combgpu_set_scale(all, r, m)
                             : (uint64_t)q * r + combgpu_set_divide(tables, rest * r, m);
            if (rank < part || v == COMBGPU__SET_N - 1) break;
        }
        at->perm[i] = (uint8_t)v;
        at->place[v]--;
    }
    for (v = 0; v < COMBGPU__SET_N; v++)
        for (k = at->place[v]; k; k--) {
            if (k == at->place[v] && i > prefix) shape |= 1u << (i - prefix - 1);
            at->perm[i++] = (uint8_t)v;
        }
    *orders = COMBGPU__SET_AT_ORDERS + tables[COMBGPU__SET_AT_SHAPES + shape];
    *count = tables[COMBGPU__SET_AT_SHAPES + shape + 1] - tables[COMBGPU__SET_AT_SHAPES + shape];
    return (uint32_t)rank;
}

/* Moves to the next first positions; the last six are in ascending order before and after. */
COMBGPU__DEVICE void combgpu_set_multiset_next(COMBGPU__SET_PARAMETERS, uint32_t *orders,
                                               uint32_t *count)
{
    const int prefix = COMBGPU__SET_LENGTH - COMBGPU__PERM_PLACES;
    uint32_t shape = 0;
    int i;
    for (i = 0; i < COMBGPU__PERM_PLACES / 2; i++) {
        uint8_t x = at->perm[prefix + i];
        at->perm[prefix + i] = at->perm[COMBGPU__SET_LENGTH - 1 - i];
        at->perm[COMBGPU__SET_LENGTH - 1 - i] = x;
    }
    combgpu_next_permutation(COMBGPU__SET_LENGTH, at->perm);
    for (i = 1; i < COMBGPU__PERM_PLACES; i++)
        if (at->perm[prefix + i] != at->perm[prefix + i - 1]) shape |= 1u << (i - 1);
    *orders = COMBGPU__SET_AT_ORDERS + tables[COMBGPU__SET_AT_SHAPES + shape];
    *count = tables[COMBGPU__SET_AT_SHAPES + shape + 1] - tables[COMBGPU__SET_AT_SHAPES + shape];
}

/* Writes `count` members of a multiset from `rank` on to words of local memory. */
COMBGPU__DEVICE void combgpu_set_multiset_write(COMBGPU__GLOBAL const uint32_t *tables,
                                                uint64_t rank, uint32_t count,
                                                COMBGPU__LOCAL uint32_t *to)
{
    const uint32_t prefix = (uint32_t)(COMBGPU__SET_LENGTH - COMBGPU__PERM_PLACES);
    combgpu_set_member_t member;
    combgpu_set_stream_t stream;
    uint32_t words[COMBGPU__PERM_MOST / 4], orders, in_orders, k, i, low = 0, high = 0;
    uint32_t order = combgpu_set_multiset_prefix(tables, &member, rank, &orders, &in_orders);
    stream.bytes = 0;
    stream.filled = 0;
    stream.to = to;
    for (k = 0;; k++) {
        if (k == 0 || order == in_orders) { /* new first positions */
            if (k) {
                combgpu_set_multiset_next(tables, &member, &orders, &in_orders);
                order = 0;
            }
            for (i = 0; i < prefix; i++)
                words[i / 4] = (i % 4 ? words[i / 4] : 0) | (uint32_t)member.perm[i]
                                                                << (8 * (i % 4));
            for (low = high = 0, i = 0; i < COMBGPU__PERM_PLACES; i++)
                if (i < 4)
                    low |= (uint32_t)member.perm[prefix + i] << (8 * i);
                else
                    high |= (uint32_t)member.perm[prefix + i] << (8 * i - 32);
        }
        if (k == count) break;
        {
            const uint32_t places = tables[orders + order++];
            for (i = 0; i + 4 <= prefix; i += 4)
                combgpu_set_stream(&stream, words[i / 4], 32);
            if (i < prefix) combgpu_set_stream(&stream, words[i / 4], 8 * (prefix - i));
            combgpu_set_stream(&stream, combgpu_perm_choose(low, high, places & 0xffff), 32);
            combgpu_set_stream(&stream, combgpu_perm_choose(low, high, places >> 16) & 0xffff, 16);
        }
    }
}

/* Members that a lane makes at a time: their bytes fill whole words, if possible an odd number,
   which keeps lanes in different banks of local memory. */
COMBGPU__DEVICE uint32_t combgpu_set_portion(uint32_t length)
{
    const uint32_t step = length % 4 == 0 ? 1 : length % 2 == 0 ? 2 : 4;
    const uint32_t steps = COMBGPU__SET_STAGE / COMBGPU__VISIT_LANES / (step * length);
    return steps ? step * (steps - 1 + steps % 2) : step;
}

#ifndef COMBGPU_KERNELS_MULTISET
/* Makes `count` members from `rank` on in local memory. */
COMBGPU__DEVICE void combgpu_set_make(COMBGPU__GLOBAL const uint32_t *tables, uint64_t rank,
                                      uint32_t count, COMBGPU__LOCAL uint8_t *to)
{
    const uint32_t length = (uint32_t)COMBGPU__SET_LENGTH;
    combgpu_set_member_t member;
    uint32_t i, j;
    combgpu_set_unrank(tables, &member, rank);
    for (i = 0; i < count; i++) {
        for (j = 0; j < length; j++)
            *to++ = member.perm[j];
        combgpu_set_next(tables, &member);
    }
}

/* Copies `bytes` bytes of the stage to work + at; the block calls it. 16-byte unit i of the output is
   byte 16 i - skew of the stage. */
COMBGPU__DEVICE void combgpu_set_copy(COMBGPU__GLOBAL uint32_t *work, uint64_t at,
                                      COMBGPU__LOCAL const uint32_t *stage, uint32_t bytes)
{
    COMBGPU__GLOBAL uint8_t *to = (COMBGPU__GLOBAL uint8_t *)work + at;
    const uint32_t skew = (uint32_t)(at & 15);
    uint32_t i, j;
    for (i = COMBGPU__LANE_ID; 16 * i < bytes + skew; i += COMBGPU__BLOCK_LANES) {
        COMBGPU__GLOBAL uint8_t *place = to + 16 * i - skew;
        const uint32_t word = 4 * i - (skew + 3) / 4, shift = 8 * ((0 - skew) & 3);
        if (16 * i >= skew && 16 * i + 16 - skew <= bytes) {
            uint4 x;
            x.x = stage[word];
            x.y = stage[word + 1];
            x.z = stage[word + 2];
            x.w = stage[word + 3];
            if (shift) {
                const uint32_t last = stage[word + 4];
                x.x = x.x >> shift | x.y << (32 - shift);
                x.y = x.y >> shift | x.z << (32 - shift);
                x.z = x.z >> shift | x.w << (32 - shift);
                x.w = x.w >> shift | last << (32 - shift);
            }
            *(COMBGPU__GLOBAL uint4 *)place = x;
        } else
            for (j = 0; j < 16; j++)
                if (16 * i + j >= skew && 16 * i + j - skew < bytes)
                    place[j] = ((COMBGPU__LOCAL const uint8_t *)stage)[16 * i + j - skew];
    }
}

COMBGPU__KERNEL combgpu_perm_write_set(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint4 stage4[COMBGPU__SET_STAGE / 16 + 2];
    COMBGPU__LOCAL_ARRAY uint32_t decision;
    COMBGPU__LOCAL uint32_t *stage = (COMBGPU__LOCAL uint32_t *)stage4;
    const uint32_t length = (uint32_t)COMBGPU__SET_LENGTH, portion = combgpu_set_portion(length);
    const uint32_t tails =
        length >= COMBGPU__PERM_PLACES && COMBGPU__SET_FAMILY == COMBGPU__SET_MULTISET;
    const uint32_t first = COMBGPU__LANE_ID * portion; /* the lane's first member of the chunk */
    uint32_t lanes = COMBGPU__SET_STAGE / (portion * length);
    uint64_t hash = 0;
    combgpu_perm_range_t range;
    (void)records;
    range.begin = range.end = range.steps = 0;
    if (lanes > COMBGPU__BLOCK_LANES) lanes = COMBGPU__BLOCK_LANES;
    while (lanes * portion > COMBGPU__SET_CHUNK)
        lanes--;
    while (combgpu_perm_go_on(slice, tasks, &decision, &range)) {
        const uint64_t rest = range.end - range.begin;
        const uint32_t count = rest < lanes * portion ? (uint32_t)rest : lanes * portion;
        if (first < count && COMBGPU__LANE_ID < lanes) {
            if (tails)
                combgpu_set_multiset_write(tables, range.begin + first, portion,
                                           stage + COMBGPU__LANE_ID * (portion * length / 4));
            else
                combgpu_set_make(tables, range.begin + first,
                                 count - first < portion ? count - first : portion,
                                 (COMBGPU__LOCAL uint8_t *)stage + first * length);
        }
        COMBGPU__BLOCK_BARRIER();
        combgpu_set_copy(work, COMBGPU__SET_OFFSET + (range.begin - COMBGPU__SET_FIRST) * length,
                         stage, count * length);
        COMBGPU__BLOCK_BARRIER(); /* before the next chunk's members and decision */
        range.steps += count;
        range.begin += count;
        if (range.begin == range.end) hash += combgpu_mix(range.end) - combgpu_mix(range.from);
    }
    if (COMBGPU__LANE_ID != 0) return;
    if (range.begin != range.end) hash += combgpu_mix(range.begin) - combgpu_mix(range.from);
    combgpu_perm_give(slice, left, range.begin, range.end);
    combgpu_add_total(slice, 0, range.steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_DONE, range.steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_HASH, hash);
}

#endif

/* --------------------------------------------------------------------- src/perm/set/multiset.cl */

/* Writes multisets to the caller's memory.

   A warp takes a chunk and makes it block by block. The members of a *block* share their first
   positions; their last ones, the *tail*, run through all orders of its letters (values that
   occur). The *shape* of a tail is how often each of its letters occurs, the smallest letter first.

   For each shape the host has a list of the bytes of a block: a nibble is the index of a letter, or
   7 for a byte of the first positions. These repeat after MULTI_PERIOD units of 16 bytes, and are
   prepared as MULTI_PERIOD windows. A lane makes unit after unit. If a block ends within a unit,
   the unit's first part is carried over to the next block.

   Lane v keeps letter v: its copies left, and those of all smaller letters. Lane i keeps position
   i. */
#if defined(COMBGPU_KERNELS_MULTISET) || defined(__CUDACC__)
#define COMBGPU__MULTI_PLACES tables[COMBGPU__MULTI_AT_LENGTH]
#define COMBGPU__MULTI_LETTERS tables[COMBGPU__MULTI_AT_LETTERS]
#define COMBGPU__MULTI_PREFIX tables[COMBGPU__MULTI_AT_PREFIX]
#define COMBGPU__MULTI_PERIOD tables[COMBGPU__MULTI_AT_PERIOD]
#define COMBGPU__MULTI_COUNT combgpu_load64(tables + COMBGPU__MULTI_AT_COUNT)
#define COMBGPU__MULTI_FIRST combgpu_load64(tables + COMBGPU__MULTI_AT_FIRST)
#define COMBGPU__MULTI_OFFSET combgpu_load64(tables + COMBGPU__MULTI_AT_OFFSET)
#define COMBGPU__MULTI_TASK tables[COMBGPU__MULTI_AT_TASK]
#define COMBGPU__MULTI_PIECE_LEAST tables[COMBGPU__MULTI_AT_LEAST]
#define COMBGPU__MULTI_PIECE_MOST tables[COMBGPU__MULTI_AT_MOST]
#ifdef COMBGPU__PACKED
#define COMBGPU__MULTI_GROUPS (COMBGPU__MULTI_LANES / 32)
#else
#define COMBGPU__MULTI_GROUPS 1
#endif

/* all * r / m, an integer, for m <= 32: a shift, then times the inverse of the odd part modulo
   2^64. */
COMBGPU__DEVICE uint64_t combgpu_set_multi_part(COMBGPU__GLOBAL const uint32_t *tables,
                                                uint64_t all, uint32_t r, uint32_t m)
{
    const uint64_t low = (uint64_t)(uint32_t)all * r, high = (all >> 32) * r + (low >> 32);
    const uint32_t shift = COMBGPU__CTZ(m);
    return ((high << (32 - shift)) + ((uint32_t)low >> shift)) *
           combgpu_load64(tables + COMBGPU__MULTI_AT_INVERSES + 2 * m);
}

/* Keeps the bytes from .. to - 1 of a word, and clears the others. */
COMBGPU__DEVICE uint32_t combgpu_set_multi_keep(uint32_t word, int32_t from, int32_t to)
{
    if (from >= 4 || to <= 0) return 0;
    if (from > 0) word &= ~0u << (8 * from);
    if (to < 4) word &= ~0u >> (32 - 8 * to);
    return word;
}

/* State of a lane. */
typedef struct combgpu_set_multi_t {
    uint32_t lane, length, prefix, period, letter;
    uint32_t place, left_over, before; /* lane i: letter at position i; lane v: copies of letter v,
                                          and of smaller letters */
    int32_t block, block_end, piece, piece_end; /* bytes from `to` on */
    COMBGPU__GLOBAL uint8_t *to;
    COMBGPU__LOCAL uint4 *windows, *carry;
    COMBGPU__LOCAL uint2 *tail;
    COMBGPU__LOCAL uint32_t *text;
} combgpu_set_multi_t;

/* Members of a chunk, a multiple of 16 so that borders are aligned: the chunks fill a small number
   of whole rounds. */
COMBGPU__DEVICE uint32_t combgpu_set_multi_piece_size(COMBGPU__GLOBAL const combgpu__slice *slice,
                                                      COMBGPU__GLOBAL const uint32_t *tables)
{
    const uint32_t task_count = slice->task_count ? slice->task_count : 1;
    const uint32_t rounds =
        COMBGPU__MULTI_TASK / COMBGPU__MULTI_PIECE_MOST * task_count / slice->workers + 1;
    const uint32_t fit = rounds * slice->workers / task_count,
                   room = COMBGPU__MULTI_TASK / COMBGPU__MULTI_PIECE_LEAST;
    const uint32_t parts = fit < room ? fit : room; /* chunks of a task */
    return (COMBGPU__MULTI_TASK / (parts ? parts : 1) + 16) & ~15u;
}

/* Begins a chunk: the members from `rank` to last - 1. */
COMBGPU__DEVICE void combgpu_set_multi_begin(combgpu_set_multi_t *m,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL uint32_t *work, uint64_t rank,
                                             uint64_t last)
{
    const uint64_t first = COMBGPU__MULTI_OFFSET + (rank - COMBGPU__MULTI_FIRST) * m->length;
    m->to = (COMBGPU__GLOBAL uint8_t *)work + (first & ~(uint64_t)127);
    m->piece = (int32_t)(first & 127);
    m->piece_end = m->piece + (int32_t)((uint32_t)(last - rank) * m->length);
    m->left_over = m->letter >> 8 & 255;
    m->before = m->letter >> 16;
}

/* Makes the first positions of the next block or, if `fresh`, of the block that contains the member
   `rank`. Returns the member's index in the block, or 0. */
COMBGPU__DEVICE uint64_t combgpu_set_multi_places(COMBGPU__GROUP_PARAMETER, combgpu_set_multi_t *m,
                                                  COMBGPU__GLOBAL const uint32_t *tables,
                                                  uint32_t fresh, uint64_t rank)
{
    uint32_t at = fresh ? 0 : m->prefix, v;
    uint64_t all = fresh ? COMBGPU__MULTI_COUNT : 0;
    /* back to the last position that can take a larger letter */
    for (v = fresh; v == 0;) {
        const uint32_t old = COMBGPU__GROUP_FROM(m->place, --at);
        m->left_over += m->lane == old;
        m->before += m->lane > old;
        v = COMBGPU__GROUP_BALLOT(m->left_over > 0) & (~1u << old);
        if (v) {
            const uint32_t next = COMBGPU__CTZ(v);
            m->left_over -= m->lane == next;
            m->before -= m->lane > next;
            if (m->lane == at) m->place = next;
        }
    }
    for (at += !fresh; at < m->prefix; at++) { /* the positions after it */
        const uint32_t rest = m->length - at;
        uint64_t smaller = 0;
        uint32_t both;
        if (fresh) smaller = combgpu_set_multi_part(tables, all, m->before, rest);
        v = COMBGPU__GROUP_BALLOT(m->left_over > 0 && smaller <= rank);
        v = fresh ? 31 - COMBGPU__CLZ(v) : COMBGPU__CTZ(v);
        both = COMBGPU__GROUP_FROM(m->before << 8 | m->left_over, v);
        if (fresh) {
            rank -= combgpu_set_multi_part(tables, all, both >> 8, rest);
            all = combgpu_set_multi_part(tables, all, both & 255, rest);
        }
        m->left_over -= m->lane == v;
        m->before -= m->lane > v;
        if (m->lane == at) m->place = v;
    }
    return rank;
}

/* Stores the letters of the tail, and the first positions repeatedly. Returns the tail's shape. */
COMBGPU__DEVICE uint32_t combgpu_set_multi_tail(COMBGPU__GROUP_PARAMETER,
                                                const combgpu_set_multi_t *m)
{
    const uint32_t letters = COMBGPU__GROUP_BALLOT(m->left_over > 0);
    uint32_t shape, v, at;
    if (m->left_over > 0)
        ((COMBGPU__LOCAL uint8_t *)m->tail)[COMBGPU__POPCOUNT(letters & ((1u << m->lane) - 1))] =
            (uint8_t)m->letter;
    shape = COMBGPU__GROUP_ADD(m->left_over > 0 && m->before > 0 ? 1u << (m->before - 1) : 0);
    v = COMBGPU__GROUP_FROM(m->letter, m->lane < m->prefix ? m->place : 0) & 255;
    if (m->lane < m->length)
        for (at = m->lane; at < m->length + 20; at += m->length)
            ((COMBGPU__LOCAL uint8_t *)m->text)[at] = m->lane < m->prefix ? (uint8_t)v : 0;
    return shape;
}

/* Makes the windows: the first positions in the units from `unit` on, until they repeat. */
COMBGPU__DEVICE void combgpu_set_multi_windows(const combgpu_set_multi_t *m, int32_t unit)
{
    if (m->lane < m->period) {
        const uint32_t byte =
            (uint32_t)(16 * (unit + (int32_t)m->lane) - m->block + 128 * (int32_t)m->length) %
            m->length;
        const uint32_t shift = 8 * (byte & 3);
        COMBGPU__LOCAL const uint32_t *from = m->text + byte / 4;
        const uint32_t a = from[0], b = from[1], c = from[2], d = from[3], e = from[4];
        uint4 window;
        window.x = (uint32_t)(((uint64_t)b << 32 | a) >> shift);
        window.y = (uint32_t)(((uint64_t)c << 32 | b) >> shift);
        window.z = (uint32_t)(((uint64_t)d << 32 | c) >> shift);
        window.w = (uint32_t)(((uint64_t)e << 32 | d) >> shift);
        m->windows[m->lane] = window;
    }
}

/* Stores a unit at a border of the block or chunk. */
COMBGPU__DEVICE void combgpu_set_multi_border(const combgpu_set_multi_t *m, int32_t byte,
                                              int32_t start, int32_t end, uint32_t fresh,
                                              uint4 carry, uint4 made)
{
    const int32_t low = start - byte, high = end - byte;
    made.x = combgpu_set_multi_keep(made.x, low, high);
    made.y = combgpu_set_multi_keep(made.y, low - 4, high - 4);
    made.z = combgpu_set_multi_keep(made.z, low - 8, high - 8);
    made.w = combgpu_set_multi_keep(made.w, low - 12, high - 12);
    if (byte < m->block && !fresh) { /* the part carried over from the last block */
        made.x |= carry.x;
        made.y |= carry.y;
        made.z |= carry.z;
        made.w |= carry.w;
    }
    if (byte + 16 > m->block_end && m->block_end < m->piece_end)
        *m->carry = made;
    else if (byte >= m->piece && byte + 16 <= m->piece_end)
        *(COMBGPU__GLOBAL uint4 *)(m->to + byte) = made;
    else {
        combgpu_perm_store_part(m->to + byte, byte, m->piece, m->piece_end, made.x);
        combgpu_perm_store_part(m->to + byte + 4, byte + 4, m->piece, m->piece_end, made.y);
        combgpu_perm_store_part(m->to + byte + 8, byte + 8, m->piece, m->piece_end, made.z);
        combgpu_perm_store_part(m->to + byte + 12, byte + 12, m->piece, m->piece_end, made.w);
    }
}

/* Makes the units of a block's bytes `start` to end - 1, with its list of tails. */
COMBGPU__DEVICE void combgpu_set_multi_units(const combgpu_set_multi_t *m,
                                             COMBGPU__GLOBAL const uint32_t *list, int32_t unit,
                                             int32_t start, int32_t end, uint32_t fresh, uint2 tail,
                                             uint4 carry)
{
    int32_t k = (int32_t)(m->lane % m->period);
    for (unit += (int32_t)m->lane; 16 * unit < end; unit += 32) {
        const int32_t byte = 16 * unit, nibble = byte - m->block;
        COMBGPU__GLOBAL const uint32_t *word = list + (nibble >> 3);
        const uint32_t shift = 4 * ((uint32_t)nibble & 7);
        if (byte + 16 > start) {
            const uint32_t a = word[0], b = word[1], c = word[2];
            const uint32_t x = (uint32_t)(((uint64_t)b << 32 | a) >> shift);
            const uint32_t y = (uint32_t)(((uint64_t)c << 32 | b) >> shift);
            uint4 made = m->windows[k];
            made.x |= combgpu_perm_choose(tail.x, tail.y, x);
            made.y |= combgpu_perm_choose(tail.x, tail.y, x >> 16);
            made.z |= combgpu_perm_choose(tail.x, tail.y, y);
            made.w |= combgpu_perm_choose(tail.x, tail.y, y >> 16);
            if (byte >= start && byte + 16 <= end)
                *(COMBGPU__GLOBAL uint4 *)(m->to + byte) = made;
            else
                combgpu_set_multi_border(m, byte, start, end, fresh, carry, made);
        }
        k += (int32_t)(32 % m->period);
        if (k >= (int32_t)m->period) k -= (int32_t)m->period;
    }
}

/* Ends a slice; called by lane 0 of each block. Adds the totals; the last block spills unclaimed
   work. */
COMBGPU__DEVICE void combgpu_set_multi_end(COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tasks,
                                           COMBGPU__GLOBAL uint32_t *left,
                                           COMBGPU__LOCAL const uint64_t *accumulators,
                                           uint32_t piece_size, uint32_t pieces)
{
    uint64_t steps = 0, hash = 0;
    uint32_t v;
    for (v = 0; v < COMBGPU__BLOCK_LANES / 32; v++) {
        steps += accumulators[2 * v];
        hash += accumulators[2 * v + 1];
    }
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_DONE, steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_HASH, hash);
    if (COMBGPU__ATOMIC_ADD(&slice->blocks_done, 1) == COMBGPU__BLOCK_COUNT - 1) {
        const uint32_t next = COMBGPU__ATOMIC_ADD(&slice->area_next, 0) + slice->workers;
        uint32_t task = next / pieces;
        if (task < slice->task_count && next % pieces) {
            uint64_t from =
                combgpu_load64(tasks + 4 * task) + (uint64_t)(next % pieces) * piece_size;
            uint64_t end = combgpu_load64(tasks + 4 * task + 2);
            if (from < end) combgpu_give_range(slice, left, from, end);
            task++;
        }
        slice->task_next = task;
    }
}

COMBGPU__KERNEL_BLOCKS(COMBGPU__MULTI_LANES, 3)
combgpu_perm_write_multiset(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__GROUP_BEGIN(32);
    COMBGPU__LOCAL_ARRAY uint4 all_windows[COMBGPU__MULTI_GROUPS * 32],
        carries[COMBGPU__MULTI_GROUPS];
    COMBGPU__LOCAL_ARRAY uint2 tails[COMBGPU__MULTI_GROUPS];
    COMBGPU__LOCAL_ARRAY uint32_t all_texts[COMBGPU__MULTI_GROUPS * 16];
    COMBGPU__LOCAL_ARRAY uint64_t accumulators[COMBGPU__MULTI_GROUPS * 2];
    const uint32_t lane = COMBGPU__GROUP_LANE, own = COMBGPU__LANE_ID / 32;
    const uint32_t piece_size = combgpu_set_multi_piece_size(slice, tables);
    const uint32_t pieces = (COMBGPU__MULTI_TASK + piece_size - 1) / piece_size;
    uint32_t taken = COMBGPU__GROUP_INDEX < slice->workers ? COMBGPU__GROUP_INDEX : COMBGPU__NONE;
    uint64_t steps = 0, hash = 0;
    combgpu_set_multi_t m;
    (void)records;
    m.lane = lane, m.length = COMBGPU__MULTI_PLACES, m.prefix = COMBGPU__MULTI_PREFIX;
    m.period = COMBGPU__MULTI_PERIOD;
    m.letter = lane < COMBGPU__MULTI_LETTERS ? tables[COMBGPU__MULTI_AT_LETTER + lane] : 0;
    m.place = m.left_over = m.before = 0;
    m.block = m.block_end = m.piece = m.piece_end = 0;
    m.to = (COMBGPU__GLOBAL uint8_t *)work;
    m.windows = all_windows + 32 * own, m.carry = carries + own;
    m.tail = tails + own, m.text = all_texts + 16 * own;
    if (lane == 0) {
        m.tail->x = m.tail->y = 0;
        m.carry->x = m.carry->y = m.carry->z = m.carry->w = 0;
    }
    for (;;) {
        const uint32_t fresh = m.block_end >= m.piece_end; /* a chunk begins; equal in all lanes */
        uint64_t rank = 0;
        uint32_t shape;
        int32_t start, end, unit;
        uint2 tail;
        uint4 carry;
        if (fresh) {
            const uint32_t number = COMBGPU__GROUP_FROM(taken, 0), part = number % pieces;
            const uint32_t task = number / pieces;
            uint64_t last;
            if (number == COMBGPU__NONE || task >= slice->task_count) break;
            rank = combgpu_load64(tasks + 4 * task) + (uint64_t)part * piece_size;
            last = combgpu_load64(tasks + 4 * task + 2);
            if (part < pieces - 1 && rank < last && last - rank > piece_size)
                last = rank + piece_size;
            if (rank < last) {
                steps += last - rank;
                hash += combgpu_mix(last) - combgpu_mix(rank);
            }
            taken = COMBGPU__NONE;
            if (lane == 0 && !combgpu_spent(slice, (uint32_t)steps))
                taken = COMBGPU__ATOMIC_ADD(&slice->area_next, 1) + slice->workers;
            if (rank >= last) continue;
            combgpu_set_multi_begin(&m, tables, work, rank, last);
        }
        rank = combgpu_set_multi_places(COMBGPU__GROUP, &m, tables, fresh, rank);
        shape = combgpu_set_multi_tail(COMBGPU__GROUP, &m);
        m.block = fresh ? m.piece - (int32_t)((uint32_t)rank * m.length) : m.block_end;
        m.block_end =
            m.block + (int32_t)(tables[COMBGPU__MULTI_AT_SHAPES + 2 * shape + 1] * m.length);
        start = m.block > m.piece ? m.block : m.piece;
        end = m.block_end < m.piece_end ? m.block_end : m.piece_end;
        unit = start >> 7 << 3; /* a warp stores whole lines of 128 bytes */
        COMBGPU__WARP_BARRIER();
        combgpu_set_multi_windows(&m, unit);
        tail = *m.tail;
        carry = *m.carry;
        COMBGPU__WARP_BARRIER();
        combgpu_set_multi_units(&m, tables + tables[COMBGPU__MULTI_AT_SHAPES + 2 * shape], unit,
                                start, end, fresh, tail, carry);
    }
    if (lane == 0) {
        accumulators[2 * own] = steps;
        accumulators[2 * own + 1] = hash;
    }
    COMBGPU__LOCAL_BARRIER();
    if (COMBGPU__LANE_ID == 0)
        combgpu_set_multi_end(slice, tasks, left, accumulators, piece_size, pieces);
}

#endif

#endif /* PERM */
#endif /* PERM */
#if defined(COMBGPU__HAS_TSP) || defined(COMBGPU_KERNELS_BRANCH) || defined(COMBGPU_KERNELS_TSP)
/* ----------------------------------------------------------------------------- src/tsp/layout.h */

/* Travelling salesman: limits, words of tables and totals, shared by host and kernels. */
#ifndef COMBGPU__TSP_LAYOUT_H
#define COMBGPU__TSP_LAYOUT_H

#define COMBGPU__TSP_MOST 32   /* stride of tables: the largest number of middle cities, plus 1 */
#define COMBGPU__TSP_LANES 128 /* brute force: lanes of a block */
#define COMBGPU__TSP_GPU_LOW 5 /* Held-Karp: low cities of a GPU's table: a row entry per lane */
#define COMBGPU__TSP_HASH 1    /* total of a slice after the steps, for batches, too */

/* Brute force and Held-Karp: words of `tables`. */
enum {
    COMBGPU__TSP_AT_CITIES = 0, /* middle cities */
    COMBGPU__TSP_AT_DEPTH = 1,  /* brute force: cities of a prefix */
    COMBGPU__TSP_AT_HIGH = 1,   /* Held-Karp: high cities */
    COMBGPU__TSP_AT_REVERSIBLE = 2,
    COMBGPU__TSP_AT_WIDE = 3,  /* Held-Karp: 64-bit table */
    COMBGPU__TSP_AT_LOW = 4,   /* Held-Karp: low cities */
    COMBGPU__TSP_AT_COSTS = 8, /* 64-bit: first[32], last[32], legs[32 * 32] */
    /* Held-Karp: C(a, b) at 32 a + b, to number the sets of a layer */
    COMBGPU__TSP_AT_BINOMIALS =
        COMBGPU__TSP_AT_COSTS + 2 * COMBGPU__TSP_MOST * (COMBGPU__TSP_MOST + 2)
};

#define COMBGPU__BATCH_LANES 128
#define COMBGPU__BATCH_MOST 15  /* middle cities of an instance, at most */
#define COMBGPU__BATCH_LOCAL 11 /* middle cities whose table of 16 bits fits in local memory */

/* Batches: words of `tables`. The instances follow the 2 << MOST words of the subsets. With METRIC 0
   each has m, first[MOST], last[MOST], legs[MOST * MOST] (from * MOST + to): all 32-bit or all
   64-bit. Else it has x[N], y[N]: all float or all double. */
enum {
    COMBGPU__BATCH_AT_MOST = 0, /* middle cities of an instance, at most */
    COMBGPU__BATCH_AT_WIDE = 1,
    COMBGPU__BATCH_AT_BITS = 2,   /* of a cost in a GPU's table; 16: the table is local */
    COMBGPU__BATCH_AT_METRIC = 3, /* of points: COMBGPU__BATCH_EUC_2D ... */
    COMBGPU__BATCH_AT_N = 4,      /* cities of an instance, at most */
    COMBGPU__BATCH_AT_FRONT = 5,  /* the fixed ends, or NONE; equal in a cycle */
    COMBGPU__BATCH_AT_BACK = 6,
    COMBGPU__BATCH_AT_SINGLE = 7,  /* points are float */
    COMBGPU__BATCH_AT_CITIES = 8,  /* 64 bits: offset of each instance's cities; 0 = N each */
    COMBGPU__BATCH_AT_SUBSETS = 16 /* + (1 << m), for each m: the subsets of m cities by size */
};

/* Metrics that devices compute, as in combgpu_tsp_metric. */
enum {
    COMBGPU__BATCH_EUC_2D = 1,
    COMBGPU__BATCH_CEIL_2D = 2,
    COMBGPU__BATCH_MAN_2D = 3,
    COMBGPU__BATCH_MAX_2D = 4,
    COMBGPU__BATCH_ATT = 5,
    COMBGPU__BATCH_PLANE = 7
};

/* The k shortest tours: words of `tables`. The cities' predecessors as bits; first[SIDE], last[SIDE],
   legs[SIDE * SIDE] (from * SIDE + to), 64 bits each; the subsets of all cities but one, by size. */
#define COMBGPU__SHORTEST_LANES 256 /* of a block */
#define COMBGPU__SHORTEST_SIDE 16   /* middle cities, at most, plus 1 */
enum {
    COMBGPU__SHORTEST_AT_CITIES = 0, /* middle cities */
    COMBGPU__SHORTEST_AT_KEEP = 1,   /* tours to list */
    COMBGPU__SHORTEST_AT_REVERSIBLE = 2,
    COMBGPU__SHORTEST_AT_BEFORE = 4,
    COMBGPU__SHORTEST_AT_COSTS = COMBGPU__SHORTEST_AT_BEFORE + COMBGPU__SHORTEST_SIDE,
    COMBGPU__SHORTEST_AT_SUBSETS =
        COMBGPU__SHORTEST_AT_COSTS + 2 * COMBGPU__SHORTEST_SIDE * (COMBGPU__SHORTEST_SIDE + 2)
};

/* Words of a block's memory: table, list, and extensions of the list's entries, each of two 64-bit
   numbers. */
#define COMBGPU__SHORTEST_WORK_WORDS(m, keep) (4 * ((((m)-1) << ((m)-1)) + (keep) * (m)))

/* Words of a record: length, order, and the number of tours of a task's least length, in the
   record of the first one; 0 in others. */
#define COMBGPU__SHORTEST_RECORD_WORDS 6

/* Totals after the steps. */
enum { COMBGPU__SHORTEST_S_HASH = 1, COMBGPU__SHORTEST_S_TASKS = 2 };

/* Multipliers stay within +- this, so that two of them plus a weight stay below 2^58, by which the
   kernel lowers the weights of forced edges. */
#define COMBGPU__BRANCH_MULTIPLIER ((int64_t)1 << 51)
#define COMBGPU__BRANCH_OPEN 64     /* open nodes of a device's worker, at most */
#define COMBGPU__BRANCH_NARROW 128  /* nodes of the graph for combgpu_tsp_branch, at most */
#define COMBGPU__BRANCH_WIDE 288    /* for combgpu_tsp_branch_wide */
#define COMBGPU__BRANCH_EDGES 32767 /* of a graph for either; larger graphs stay on the host */

/* Marks of an edge. */
#define COMBGPU__EDGE_FREE 0
#define COMBGPU__EDGE_FORBIDDEN 1
#define COMBGPU__EDGE_FORCED 2

/* Branch and bound: words of `tables`. The edges' ends are followed by the start of each node's
   list of edges (nodes + 1 words), by these lists, and at WEIGHTS by the edges' weights, 64 bits
   each. */
enum {
    COMBGPU__BRANCH_AT_NODES = 0,
    COMBGPU__BRANCH_AT_EDGES = 1,
    COMBGPU__BRANCH_AT_CITIES = 2,
    COMBGPU__BRANCH_AT_DIRECTED = 3,
    COMBGPU__BRANCH_AT_GRAIN = 4,  /* two words */
    COMBGPU__BRANCH_AT_LENGTH = 6, /* of the best tour, two words */
    COMBGPU__BRANCH_AT_ENDS = 8    /* of each edge: one node | the other << 16 */
};
#define COMBGPU__BRANCH_AT_WEIGHTS(nodes, edges)                                                   \
    ((COMBGPU__BRANCH_AT_ENDS + 3 * (edges) + (nodes) + 2) / 2 * 2)

/* Words of a worker's memory: multipliers, arcs, marks, and the open nodes as tasks. */
#define COMBGPU__BRANCH_MARK_WORDS(edges) (((edges) + 7) / 8 * 2)
#define COMBGPU__BRANCH_WORK_WORDS(nodes, edges, task_words)                                       \
    ((2 * (nodes) + 2 * (edges) + COMBGPU__BRANCH_MARK_WORDS(edges) +                              \
      COMBGPU__BRANCH_OPEN * (task_words) + 1) /                                                   \
     2 * 2)

/* Words of a task: bound, share of the whole search, multipliers, 64 bits each; then the edges'
   marks, 2 bits each. */
enum {
    COMBGPU__BRANCH_TASK_BOUND = 0,
    COMBGPU__BRANCH_TASK_SHARE = 2,
    COMBGPU__BRANCH_TASK_MULTIPLIERS = 4
};

/* Batches of trees: in place of one graph, the tables begin with the most nodes and edges of a graph, as
   BRANCH_AT_NODES and _EDGES; then the offset of each instance's graph, 64 bits (0 = not searched
   by nodes). A task has one more word at its end: the instance, from 1; 0 = a range of
   instances. */
#define COMBGPU__BATCH_AT_GRAPHS 8

/* Words of the record of such an instance: its number, status, scale of its length, length, lower bound
   as a double, then the tour's bytes. NEWS in place of a status: a better tour of an unfinished
   tree, its length in the graph's unit. BITS in place of a scale: the length has a double's bits,
   and the search takes altered weights. */
#define COMBGPU__BATCH_TREE_STATUS 2
#define COMBGPU__BATCH_TREE_SCALE 3
#define COMBGPU__BATCH_TREE_LENGTH 4
#define COMBGPU__BATCH_TREE_BOUND 6
#define COMBGPU__BATCH_TREE_TOUR 8
#define COMBGPU__BATCH_TREE_WORDS (COMBGPU__BATCH_TREE_TOUR + 128 / 4)
#define COMBGPU__BATCH_TREE_NEWS 100
#define COMBGPU__BATCH_TREE_BITS 3000

/* Totals of slices after the steps. */
enum { COMBGPU__BRANCH_S_NODES = 1, COMBGPU__BRANCH_S_SHARES = 2 };

#endif /* COMBGPU__TSP_LAYOUT_H */
/* ------------------------------------------------------------------------------ src/tsp/room.cl */

#if defined(COMBGPU_KERNELS_TSP) || defined(COMBGPU__HAS_TSP)

/* ----------------------------------------------------------------------- src/tsp/table/brute.cl */

/* The brute force kernel, and code shared with Held-Karp. src/tsp/instance/state.c explains the
   search, src/tsp/layout.h the words of `tables`. Costs are uint64_t here. */
#define COMBGPU__TSP_M (tables[COMBGPU__TSP_AT_CITIES])
#define COMBGPU__TSP_FIRST ((COMBGPU__GLOBAL const uint64_t *)(tables + COMBGPU__TSP_AT_COSTS))
#define COMBGPU__TSP_LAST (COMBGPU__TSP_FIRST + COMBGPU__TSP_MOST)
#define COMBGPU__TSP_LEGS (COMBGPU__TSP_LAST + COMBGPU__TSP_MOST)
#define COMBGPU__TSP_CHOOSE (tables + COMBGPU__TSP_AT_BINOMIALS)
#define COMBGPU__TSP_FAR(wide) ((uint64_t)1 << ((wide) ? 62 : 30)) /* more than any path costs */

COMBGPU__DEVICE uint64_t combgpu_table_min(uint64_t x, uint64_t y)
{
    return y < x ? y : x;
}

/* ---- brute force: a block is a worker, each lane works on a prefix */
#define COMBGPU__TSP_SIDE 16 /* middle cities at most */

/* Returns prefix `number` as a list of cities, 4 bits each, first city lowest; *rest gets the other
   cities in ascending order. The digits, last first, are the number in the bases m-depth+1 .. m. */
COMBGPU__DEVICE uint64_t combgpu_table_unrank(uint32_t m, uint32_t depth, uint64_t number,
                                              uint64_t *rest)
{
    uint64_t digits = 0, cities = ((uint64_t)0xfedcba98u << 32) + 0x76543210u, prefix = 0;
    uint32_t i;
    for (i = depth; i-- > 0;) {
        uint64_t quotient =
            number >> 32 ? number / (m - i) : (uint64_t)((uint32_t)number / (m - i));
        digits |= (number - quotient * (m - i)) << 4 * i;
        number = quotient;
    }
    for (i = 0; i < depth; i++) {
        uint32_t at = 4 * (uint32_t)(digits >> 4 * i & 15);
        uint64_t below = ((uint64_t)1 << at) - 1;
        prefix |= (cities >> at & 15) << 4 * i;
        cities = (cities & below) | (cities >> 4 & ~below);
    }
    *rest = cities;
    return prefix;
}

/* Returns the last cities that tours with a prefix may have, as bits: all six of the rest, or, if
   reversible, those greater than the first city. */
COMBGPU__DEVICE uint32_t combgpu_table_lasts(uint32_t reversible, uint64_t prefix, uint64_t rest)
{
    uint32_t i, lasts = 0;
    for (i = 0; i < 6; i++)
        if (!reversible || (rest >> 4 * i & 15) > (prefix & 15)) lasts |= 1u << i;
    return lasts;
}

/* Returns the least of `best` and the 12 tours that visit cities i and j, in either order, then a,
   b and c in any order. Indices are constants, so enter, legs and leave stay in registers. */
COMBGPU__DEVICE_APART uint64_t combgpu_table_pair(uint64_t best, const uint64_t *enter,
                                                  const uint64_t *legs, const uint64_t *leave,
                                                  uint32_t i, uint32_t j, uint32_t a, uint32_t b,
                                                  uint32_t c)
{
    uint64_t abc = legs[5 * a + b] + (legs[5 * b + c] + leave[c]);
    uint64_t acb = legs[5 * a + c] + (legs[5 * c + b] + leave[b]);
    uint64_t bac = legs[5 * b + a] + (legs[5 * a + c] + leave[c]);
    uint64_t bca = legs[5 * b + c] + (legs[5 * c + a] + leave[a]);
    uint64_t cab = legs[5 * c + a] + (legs[5 * a + b] + leave[b]);
    uint64_t cba = legs[5 * c + b] + (legs[5 * b + a] + leave[a]);
    uint64_t ij = enter[i] + legs[5 * i + j], ji = enter[j] + legs[5 * j + i], sum;
    sum = ij + legs[5 * j + a];
    best = combgpu_table_min(combgpu_table_min(best, sum + abc), sum + acb);
    sum = ij + legs[5 * j + b];
    best = combgpu_table_min(combgpu_table_min(best, sum + bac), sum + bca);
    sum = ij + legs[5 * j + c];
    best = combgpu_table_min(combgpu_table_min(best, sum + cab), sum + cba);
    sum = ji + legs[5 * i + a];
    best = combgpu_table_min(combgpu_table_min(best, sum + abc), sum + acb);
    sum = ji + legs[5 * i + b];
    best = combgpu_table_min(combgpu_table_min(best, sum + bac), sum + bca);
    sum = ji + legs[5 * i + c];
    return combgpu_table_min(combgpu_table_min(best, sum + cab), sum + cba);
}

/* Returns the length of the shortest of the 120 tours that continue from city `from`, at the cost
   `sum` so far, through the five cities of `between` to city `end`. */
COMBGPU__DEVICE uint64_t combgpu_table_five(COMBGPU__LOCAL const uint64_t *all_legs, uint64_t sum,
                                            uint32_t from, uint64_t between, uint32_t end,
                                            uint64_t last)
{
    uint64_t enter[5], legs[25], leave[5], best = ~(uint64_t)0;
    uint32_t i, j;
#pragma unroll
    for (i = 0; i < 5; i++) {
        uint32_t city = (uint32_t)(between >> 4 * i & 15);
        enter[i] = sum + all_legs[from * COMBGPU__TSP_SIDE + city];
        leave[i] = all_legs[city * COMBGPU__TSP_SIDE + end] + last;
#pragma unroll
        for (j = 0; j < 5; j++)
            legs[5 * i + j] =
                all_legs[city * COMBGPU__TSP_SIDE + (uint32_t)(between >> 4 * j & 15)];
    }
    best = combgpu_table_pair(best, enter, legs, leave, 0, 1, 2, 3, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 0, 2, 1, 3, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 0, 3, 1, 2, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 0, 4, 1, 2, 3);
    best = combgpu_table_pair(best, enter, legs, leave, 1, 2, 0, 3, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 1, 3, 0, 2, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 1, 4, 0, 2, 3);
    best = combgpu_table_pair(best, enter, legs, leave, 2, 3, 0, 1, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 2, 4, 0, 1, 3);
    return combgpu_table_pair(best, enter, legs, leave, 3, 4, 0, 1, 2);
}

/* The findings of a lane, and finally of the block. */
typedef struct combgpu_table_found_t {
    uint64_t length, prefix, tours, hash;
} combgpu_table_found_t;

/* Searches all tours with prefix `number`. Without any, `found` is unchanged. */
COMBGPU__DEVICE void combgpu_table_prefix(COMBGPU__GLOBAL const uint32_t *tables,
                                          COMBGPU__LOCAL const uint64_t *first,
                                          COMBGPU__LOCAL const uint64_t *last,
                                          COMBGPU__LOCAL const uint64_t *legs, uint64_t number,
                                          combgpu_table_found_t *found)
{
    uint64_t rest,
        prefix = combgpu_table_unrank(COMBGPU__TSP_M, tables[COMBGPU__TSP_AT_DEPTH], number, &rest),
        sum, best = ~(uint64_t)0;
    uint32_t from = (uint32_t)(prefix & 15),
             lasts = combgpu_table_lasts(tables[COMBGPU__TSP_AT_REVERSIBLE], prefix, rest), i;
    if (!lasts) return;
    sum = first[from];
    for (i = 1; i < tables[COMBGPU__TSP_AT_DEPTH]; i++) {
        uint32_t to = (uint32_t)(prefix >> 4 * i & 15);
        sum += legs[from * COMBGPU__TSP_SIDE + to];
        from = to;
    }
    found->tours += 120 * COMBGPU__POPCOUNT(lasts);
    for (; lasts; lasts &= lasts - 1) {
        uint32_t at = 4 * COMBGPU__CTZ(lasts), end = (uint32_t)(rest >> at & 15);
        uint64_t below = ((uint64_t)1 << at) - 1;
        best = combgpu_table_min(best, combgpu_table_five(legs, sum, from,
                                                          (rest & below) | (rest >> 4 & ~below),
                                                          end, last[end]));
    }
    found->hash += combgpu_mix(combgpu_mix(number) + best);
    if (best < found->length || (best == found->length && number < found->prefix)) {
        found->length = best;
        found->prefix = number;
    }
}

/* Ends a slice: emits the block's best and adds its totals. By lane 0. */
COMBGPU__DEVICE void combgpu_table_brute_end(COMBGPU__GLOBAL combgpu__slice *slice,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL uint32_t *left,
                                             COMBGPU__GLOBAL uint32_t *records,
                                             COMBGPU__LOCAL const combgpu_table_found_t *lanes)
{
    combgpu_table_found_t found = lanes[0];
    uint32_t i, at;
    for (i = 1; i < COMBGPU__TSP_LANES; i++) {
        found.tours += lanes[i].tours;
        found.hash += lanes[i].hash;
        if (lanes[i].length < found.length ||
            (lanes[i].length == found.length && lanes[i].prefix < found.prefix)) {
            found.length = lanes[i].length;
            found.prefix = lanes[i].prefix;
        }
    }
    if (!found.tours) return;
    at = combgpu_emit(slice);
    if (at != COMBGPU__NONE) {
        combgpu_store64(records + 4 * (uint64_t)at, found.length);
        combgpu_store64(records + 4 * (uint64_t)at + 2, found.prefix);
    } else { /* no room: the prefix will be searched again, so it must not count now */
        uint64_t rest, prefix = combgpu_table_unrank(COMBGPU__TSP_M, tables[COMBGPU__TSP_AT_DEPTH],
                                                     found.prefix, &rest);
        found.tours -= 120 * COMBGPU__POPCOUNT(combgpu_table_lasts(
                                 tables[COMBGPU__TSP_AT_REVERSIBLE], prefix, rest));
        found.hash -= combgpu_mix(combgpu_mix(found.prefix) + found.length);
        combgpu_give_range(slice, left, found.prefix, found.prefix + 1);
    }
    combgpu_add_total(slice, 0, found.tours);
    combgpu_add_total(slice, COMBGPU__TSP_HASH, found.hash);
}

COMBGPU__KERNEL combgpu_tsp_brute(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t first[COMBGPU__TSP_SIDE], last[COMBGPU__TSP_SIDE],
        legs[COMBGPU__TSP_SIDE * COMBGPU__TSP_SIDE];
    COMBGPU__LOCAL_ARRAY combgpu_table_found_t lanes[COMBGPU__TSP_LANES];
    COMBGPU__LOCAL_ARRAY uint32_t task, go_on;
    combgpu_table_found_t found = {~(uint64_t)0, 0, 0, 0};
    uint32_t steps = 0, i; /* steps: as if every prefix had all of its tours */
    (void)work;
    for (i = COMBGPU__LANE_ID; i < COMBGPU__TSP_SIDE * COMBGPU__TSP_SIDE; i += COMBGPU__TSP_LANES) {
        legs[i] =
            COMBGPU__TSP_LEGS[i / COMBGPU__TSP_SIDE * COMBGPU__TSP_MOST + i % COMBGPU__TSP_SIDE];
        if (i < COMBGPU__TSP_SIDE) {
            first[i] = COMBGPU__TSP_FIRST[i];
            last[i] = COMBGPU__TSP_LAST[i];
        }
    }
    for (;;) {
        uint64_t number, end;
        COMBGPU__BLOCK_BARRIER();
        if (COMBGPU__LANE_ID == 0)
            task = combgpu_spent(slice, steps) ? COMBGPU__NONE : combgpu_take(slice);
        COMBGPU__BLOCK_BARRIER();
        if (task == COMBGPU__NONE) break;
        number = combgpu_load64(tasks + 4 * (uint64_t)task);
        end = combgpu_load64(tasks + 4 * (uint64_t)task + 2);
        for (; number < end; number += COMBGPU__TSP_LANES) {
            COMBGPU__BLOCK_BARRIER();
            if (COMBGPU__LANE_ID == 0) go_on = !combgpu_spent(slice, steps);
            COMBGPU__BLOCK_BARRIER();
            if (!go_on) break;
            if (number + COMBGPU__LANE_ID < end)
                combgpu_table_prefix(tables, first, last, legs, number + COMBGPU__LANE_ID, &found);
            steps += 720 * COMBGPU__TSP_LANES;
        }
        if (number < end && COMBGPU__LANE_ID == 0) combgpu_give_range(slice, left, number, end);
    }
    lanes[COMBGPU__LANE_ID] = found;
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__LANE_ID == 0) combgpu_table_brute_end(slice, tables, left, records, lanes);
}

/* ------------------------------------------------------------------- src/tsp/table/held_karp.cl */

/* The Held-Karp kernel: 32 lanes compute a block of the table, each lane an entry of a row. */

COMBGPU__DEVICE uint64_t combgpu_table_load(COMBGPU__GLOBAL const uint32_t *work, uint32_t wide,
                                            uint64_t at)
{
    return wide ? ((COMBGPU__GLOBAL const uint64_t *)work)[at] : (uint64_t)work[at];
}

COMBGPU__DEVICE void combgpu_table_store(COMBGPU__GLOBAL uint32_t *work, uint32_t wide, uint64_t at,
                                         uint64_t cost)
{
    if (wide)
        ((COMBGPU__GLOBAL uint64_t *)work)[at] = cost;
    else
        work[at] = (uint32_t)cost;
}

/* Returns the start of row (c, set); c is one of the `high` cities, not in the set. */
COMBGPU__DEVICE uint64_t combgpu_table_row(uint32_t high, uint32_t c, uint32_t set)
{
    uint32_t below = set & ((1u << c) - 1);
    return (((uint64_t)c << (high - 1)) + ((set ^ below) >> 1) + below) * 32;
}

/* Returns set number `position`, in ascending order, of those with `size` of the high cities. */
COMBGPU__DEVICE uint32_t combgpu_table_set_at(COMBGPU__GLOBAL const uint32_t *tables, uint32_t high,
                                              uint32_t size, uint32_t position)
{
    uint32_t i, set = 0;
    for (i = high; i-- > 0 && size;) {
        uint32_t without = COMBGPU__TSP_CHOOSE[i * COMBGPU__TSP_MOST + size];
        if (position < without) continue;
        position -= without;
        set |= 1u << i;
        size--;
    }
    return set;
}

/* Returns the least of `cost` and the ways on from city c through one of `cities`, for this lane's
   entry; the rows of the cities are in rows[city * 32 + lane]. */
COMBGPU__DEVICE uint64_t combgpu_table_minplus(COMBGPU__GLOBAL const uint32_t *tables,
                                               COMBGPU__LOCAL const uint64_t *rows, uint32_t c,
                                               uint32_t cities, uint64_t cost)
{
    COMBGPU__GLOBAL const uint64_t *legs = COMBGPU__TSP_LEGS + c * COMBGPU__TSP_MOST;
    for (; cities; cities &= cities - 1) {
        uint32_t i = COMBGPU__CTZ(cities);
        cost = combgpu_table_min(cost, legs[i] + rows[i * 32 + COMBGPU__LANE_ID]);
    }
    return cost;
}

/* Loads the rows f(i, set without i) of the high cities i in `set` and computes low[c * 32 +
   subset] = f(c, set + subset) of the low cities c, smaller subsets first: larger ones build on
   them. */
COMBGPU__DEVICE void combgpu_table_low(COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__GLOBAL const uint32_t *work, uint32_t set,
                                       COMBGPU__LOCAL uint64_t *rows, COMBGPU__LOCAL uint64_t *low)
{
    uint32_t high = tables[COMBGPU__TSP_AT_HIGH], wide = tables[COMBGPU__TSP_AT_WIDE],
             lows = tables[COMBGPU__TSP_AT_LOW], subset = COMBGPU__LANE_ID, rest, c, i, size;
    uint64_t far = COMBGPU__TSP_FAR(wide);
    COMBGPU__BLOCK_BARRIER(); /* no lane still reads `low` */
    for (rest = set; rest; rest &= rest - 1) {
        i = COMBGPU__CTZ(rest);
        rows[(lows + i) * 32 + subset] =
            combgpu_table_load(work, wide, combgpu_table_row(high, i, set ^ 1u << i) + subset);
    }
    for (c = 0; c < lows; c++)
        low[c * 32 + subset] = combgpu_table_minplus(tables, rows, c, set << lows,
                                                     set || subset ? far : COMBGPU__TSP_LAST[c]);
    for (size = 1; size <= lows; size++) {
        COMBGPU__BLOCK_BARRIER();
        if (COMBGPU__POPCOUNT(subset) == size && !(subset >> lows))
            for (c = 0; c < lows; c++)
                if (!(subset >> c & 1)) {
                    uint64_t cost = low[c * 32 + subset];
                    for (rest = subset; rest; rest &= rest - 1) {
                        i = COMBGPU__CTZ(rest);
                        cost =
                            combgpu_table_min(cost, COMBGPU__TSP_LEGS[c * COMBGPU__TSP_MOST + i] +
                                                        low[i * 32 + (subset ^ 1u << i)]);
                    }
                    low[c * 32 + subset] = cost;
                }
    }
    COMBGPU__BLOCK_BARRIER();
}

/* Computes the rest of a block: the rows of all high cities outside `set`. */
COMBGPU__DEVICE void combgpu_table_block(COMBGPU__GLOBAL const uint32_t *tables,
                                         COMBGPU__GLOBAL uint32_t *work, uint32_t set,
                                         COMBGPU__LOCAL uint64_t *rows,
                                         COMBGPU__LOCAL const uint64_t *low)
{
    uint32_t high = tables[COMBGPU__TSP_AT_HIGH], wide = tables[COMBGPU__TSP_AT_WIDE],
             lows = tables[COMBGPU__TSP_AT_LOW], subset = COMBGPU__LANE_ID, rest, i;
    uint64_t far = COMBGPU__TSP_FAR(wide);
    for (i = 0; i < lows; i++)
        rows[i * 32 + subset] = subset >> i & 1 ? low[i * 32 + (subset ^ 1u << i)] : far;
    for (rest = ((1u << high) - 1) & ~set; rest; rest &= rest - 1) {
        uint32_t c = COMBGPU__CTZ(rest);
        uint64_t cost =
            combgpu_table_minplus(tables, rows, lows + c, set << lows | ((1u << lows) - 1),
                                  set || subset ? far : COMBGPU__TSP_LAST[lows + c]);
        combgpu_table_store(work, wide, combgpu_table_row(high, c, set) + subset, cost);
    }
}

/* Returns the cost of the cheapest way from city `before` (COMBGPU__NONE = from the start) through
   all cities in `rest` that visits this lane's city first. */
COMBGPU__DEVICE uint64_t combgpu_table_try(COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL const uint32_t *work, uint32_t rest,
                                           uint32_t before, COMBGPU__LOCAL const uint64_t *low)
{
    uint32_t high = tables[COMBGPU__TSP_AT_HIGH], wide = tables[COMBGPU__TSP_AT_WIDE],
             lows = tables[COMBGPU__TSP_AT_LOW], c = COMBGPU__LANE_ID;
    uint32_t set = rest >> lows, subset = rest & ((1u << lows) - 1);
    uint64_t cost;
    if (c >= COMBGPU__TSP_M || !(rest >> c & 1)) return COMBGPU__TSP_FAR(1);
    cost = before == COMBGPU__NONE ? COMBGPU__TSP_FIRST[c]
                                   : COMBGPU__TSP_LEGS[before * COMBGPU__TSP_MOST + c];
    if (c < lows) return cost + low[c * 32 + (subset ^ 1u << c)];
    return cost +
           combgpu_table_load(work, wide,
                              combgpu_table_row(high, c - lows, set ^ 1u << (c - lows)) + subset);
}

/* The only task is {layer, position}: all workers compute the next blocks of that layer, and worker
   0 spills the position after them. After the last layer worker 0 reads the smallest optimal order
   off the table from its start: each city is the first that attains the minimum.

   Both parts share one loop and its barriers: PoCL 3.1 miscompiles barriers in two branches. */
COMBGPU__KERNEL combgpu_tsp_table(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t rows[(COMBGPU__TSP_MOST - 1) * 32],
        low[COMBGPU__TSP_GPU_LOW * 32], tried[32];
    uint32_t m = COMBGPU__TSP_M, high = tables[COMBGPU__TSP_AT_HIGH],
             lows = tables[COMBGPU__TSP_AT_LOW], layer = tasks[0], position = tasks[1];
    uint32_t blocks = COMBGPU__TSP_CHOOSE[high * COMBGPU__TSP_MOST + layer] - position,
             reading = layer == high;
    uint64_t steps = ((uint64_t)(m - layer) << lows) - (((uint64_t)lows << lows) >> 1);
    uint64_t may = (uint64_t)slice->budget * slice->workers / steps;
    uint32_t rest = (1u << m) - 1, before = COMBGPU__NONE, word = 0,
             mine = COMBGPU__BLOCK_ID == 0 && COMBGPU__LANE_ID == 0;
    uint32_t rounds, round, i;
    if (may < blocks) blocks = may ? (uint32_t)may : 1;
    rounds = reading ? (COMBGPU__BLOCK_ID ? 0 : m)
                     : (blocks + COMBGPU__BLOCK_COUNT - 1 - COMBGPU__BLOCK_ID) /
                           COMBGPU__BLOCK_COUNT; /* this worker's share */
    for (round = 0; round < rounds; round++) {
        uint32_t set =
            reading
                ? rest >> lows
                : combgpu_table_set_at(tables, high, layer,
                                       position + COMBGPU__BLOCK_ID + round * COMBGPU__BLOCK_COUNT);
        combgpu_table_low(tables, work, set, rows, low);
        if (!reading) combgpu_table_block(tables, work, set, rows, low);
        tried[COMBGPU__LANE_ID] = reading ? combgpu_table_try(tables, work, rest, before, low) : 0;
        COMBGPU__BLOCK_BARRIER();
        if (reading) {
            uint32_t chosen = 0;
            for (i = 1; i < m; i++)
                if (tried[i] < tried[chosen]) chosen = i;
            word |= chosen << 8 * (round % 4);
            if (mine && !round) combgpu_store64(records, tried[chosen]);
            if (mine) records[2 + round / 4] = word;
            if (round % 4 == 3) word = 0;
            rest ^= 1u << chosen;
            before = chosen;
        }
    }
    if (!mine) return;
    combgpu_take(slice);
    combgpu_add_total(slice, 0, steps * blocks);
    if (reading) {
        for (i = 2 + (m + 3) / 4; i < slice->record_words; i++)
            records[i] = 0;
        combgpu_emit(slice); /* the only record: number 0 */
        return;
    }
    i = combgpu_give(slice) * slice->task_words;
    position += blocks;
    left[i] = position < COMBGPU__TSP_CHOOSE[high * COMBGPU__TSP_MOST + layer] ? layer : layer + 1;
    left[i + 1] = left[i] == layer ? position : 0;
    left[i + 2] = left[i + 3] = 0;
}

/* ----------------------------------------------------------------------- src/tsp/batch/costs.cl */

/* A batch's instance as costs in local memory: copied, or computed from points as
   src/tsp/batch/load.c does, to the last bit. All lanes of a block call these functions. */

/* first[SIDE], last[SIDE], legs[SIDE * SIDE], the latter from * SIDE + to; and the distances of all
   pairs of cities. */
#define COMBGPU__BATCH_SIDE 16
#define COMBGPU__BATCH_COSTS ((2 + COMBGPU__BATCH_SIDE) * COMBGPU__BATCH_SIDE)
typedef struct combgpu_batch_costs_t {
    uint64_t wide[COMBGPU__BATCH_COSTS];
    uint32_t narrow[COMBGPU__BATCH_COSTS];
    uint64_t pairs[COMBGPU__BATCH_SIDE * COMBGPU__BATCH_SIDE / 2]; /* doubles' bits */
} combgpu_batch_costs_t;

COMBGPU__DEVICE void combgpu_batch_costs_clear(COMBGPU__LOCAL combgpu_batch_costs_t *costs)
{
    uint32_t i;
    for (i = COMBGPU__LANE_ID; i < COMBGPU__BATCH_COSTS; i += COMBGPU__BATCH_LANES)
        costs->wide[i] = costs->narrow[i] = 0;
}

COMBGPU__DEVICE void combgpu_batch_costs_put(COMBGPU__LOCAL combgpu_batch_costs_t *costs,
                                             uint32_t wide, uint32_t i, uint64_t cost)
{
    if (wide)
        costs->wide[i] = cost;
    else
        costs->narrow[i] = (uint32_t)cost;
}

/* Copies numbers from the tables. Returns the middle cities. */
COMBGPU__DEVICE uint32_t combgpu_batch_costs_copy(COMBGPU__GLOBAL const uint32_t *tables,
                                                  uint32_t instance,
                                                  COMBGPU__LOCAL combgpu_batch_costs_t *costs,
                                                  uint32_t *unit)
{
    uint32_t most = tables[COMBGPU__BATCH_AT_MOST], wide = tables[COMBGPU__BATCH_AT_WIDE],
             all = most * (most + 2), i;
    COMBGPU__GLOBAL const uint32_t *numbers = tables + COMBGPU__BATCH_AT_SUBSETS + (2u << most) +
                                              (uint64_t)instance * (1 + all) * (1 + wide);
    for (i = COMBGPU__LANE_ID; i < all; i += COMBGPU__BATCH_LANES)
        combgpu_batch_costs_put(costs, wide, i / most * COMBGPU__BATCH_SIDE + i % most,
                                combgpu_table_load(numbers, wide, 1 + i));
    *unit = 0;
    return numbers[0];
}

#ifdef COMBGPU__DOUBLES
/* The distance of two cities, as combgpu__batch_distances computes it. */
COMBGPU__DEVICE double combgpu_batch_costs_distance(uint32_t metric, double dx, double dy)
{
    double d, whole;
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    if (metric == COMBGPU__BATCH_MAN_2D)
        d = COMBGPU__ADD(dx, dy);
    else if (metric == COMBGPU__BATCH_MAX_2D)
        d = dx > dy ? dx : dy;
    else {
        d = COMBGPU__ADD(COMBGPU__MULTIPLY(dx, dx), COMBGPU__MULTIPLY(dy, dy));
        if (metric == COMBGPU__BATCH_ATT) d = COMBGPU__DIVIDE(d, 10.0);
        d = COMBGPU__ROOT(d);
    }
    if (metric == COMBGPU__BATCH_PLANE) return d;
    whole = (double)(int64_t)(metric == COMBGPU__BATCH_CEIL_2D ? d : COMBGPU__ADD(d, 0.5));
    if (metric == COMBGPU__BATCH_CEIL_2D || metric == COMBGPU__BATCH_ATT)
        whole += whole < d ? 1.0 : 0.0;
    return whole;
}

/* As combgpu__tsp_cost, for a factor of 2^scale. */
COMBGPU__DEVICE uint64_t combgpu_batch_costs_cost(double weight, double factor)
{
    double units = COMBGPU__MULTIPLY(weight, factor);
    int64_t whole = (int64_t)units;
    return (uint64_t)whole + (units - (double)whole >= 0.5 ? 1u : 0u);
}

COMBGPU__DEVICE uint32_t combgpu_batch_costs_cities(COMBGPU__GLOBAL const uint32_t *tables,
                                                    uint32_t instance)
{
    uint64_t cities = combgpu_load64(tables + COMBGPU__BATCH_AT_CITIES);
    return cities ? tables[cities + instance] : tables[COMBGPU__BATCH_AT_N];
}

/* Computes the distances: of cities i > j at i (i - 1) / 2 + j. */
COMBGPU__DEVICE void combgpu_batch_costs_measure(COMBGPU__GLOBAL const uint32_t *tables,
                                                 uint32_t instance,
                                                 COMBGPU__LOCAL combgpu_batch_costs_t *costs)
{
    uint32_t n = tables[COMBGPU__BATCH_AT_N], own = combgpu_batch_costs_cities(tables, instance),
             single = tables[COMBGPU__BATCH_AT_SINGLE], metric = tables[COMBGPU__BATCH_AT_METRIC],
             i, j, pair;
    COMBGPU__GLOBAL const uint32_t *points = tables + COMBGPU__BATCH_AT_SUBSETS +
                                             (2u << tables[COMBGPU__BATCH_AT_MOST]) +
                                             2 * (2 - single) * n * (uint64_t)instance;
    for (pair = COMBGPU__LANE_ID; pair < own * (own - 1) / 2; pair += COMBGPU__BATCH_LANES) {
        double dx, dy;
        for (i = 1, j = pair; j >= i; i++)
            j -= i;
        if (single) {
            COMBGPU__GLOBAL const float *x = (COMBGPU__GLOBAL const float *)points;
            dx = (double)x[i] - (double)x[j];
            dy = (double)x[n + i] - (double)x[n + j];
        } else {
            COMBGPU__GLOBAL const double *x = (COMBGPU__GLOBAL const double *)points;
            dx = x[i] - x[j];
            dy = x[n + i] - x[n + j];
        }
        costs->pairs[pair] = COMBGPU__BITS_OF(combgpu_batch_costs_distance(metric, dx, dy));
    }
}

/* Chooses the unit of exact distances, 2^-scale, as combgpu__batch_unit does. */
COMBGPU__DEVICE int32_t combgpu_batch_costs_scale(COMBGPU__LOCAL const combgpu_batch_costs_t *costs,
                                                  uint32_t n)
{
    double largest = 0;
    uint64_t bits;
    uint32_t fractional = 0, pair;
    int32_t exponent;
    for (pair = 0; pair < n * (n - 1) / 2; pair++) {
        double weight = COMBGPU__DOUBLE_OF(costs->pairs[pair]);
        fractional |= weight < 4503599627370496.0 && weight != (double)(int64_t)weight;
        fractional |= weight > 9007199254740992.0;
        largest = weight > largest ? weight : largest;
    }
    bits = COMBGPU__BITS_OF(COMBGPU__MULTIPLY(largest, (double)(n + 1)));
    exponent = bits ? (int32_t)(bits >> 52) - 1022 : 0;
    return fractional || exponent > 62 ? 62 - exponent : 0;
}

/* The number of a city among the middle ones. */
COMBGPU__DEVICE uint32_t combgpu_batch_costs_middle(uint32_t city, uint32_t front, uint32_t back)
{
    if (city == front || city == back) return COMBGPU__NONE;
    return city - (city > front) - (city > back && back != front);
}

/* Makes costs of the distances. Returns the middle cities; *unit becomes the high word of the
   record's number. */
COMBGPU__DEVICE uint32_t combgpu_batch_costs_round(COMBGPU__GLOBAL const uint32_t *tables,
                                                   uint32_t instance,
                                                   COMBGPU__LOCAL combgpu_batch_costs_t *costs,
                                                   uint32_t *unit)
{
    uint32_t n = combgpu_batch_costs_cities(tables, instance),
             wide = tables[COMBGPU__BATCH_AT_WIDE], front = tables[COMBGPU__BATCH_AT_FRONT],
             back = tables[COMBGPU__BATCH_AT_BACK],
             m = n - (front != COMBGPU__NONE) - (back != COMBGPU__NONE && back != front), i, j,
             pair, side = COMBGPU__BATCH_SIDE;
    double factor = 1;
    *unit = 0;
    if (wide) {
        int32_t scale = combgpu_batch_costs_scale(costs, n);
        factor = COMBGPU__DOUBLE_OF((uint64_t)(uint32_t)(scale + 1023) << 52);
        *unit = 65536u | ((uint32_t)scale & 65535u);
    }
    for (pair = COMBGPU__LANE_ID; pair < n * (n - 1) / 2; pair += COMBGPU__BATCH_LANES) {
        double weight = COMBGPU__DOUBLE_OF(costs->pairs[pair]);
        uint64_t cost = wide ? combgpu_batch_costs_cost(weight, factor) : (uint64_t)weight;
        uint32_t a, b;
        for (i = 1, j = pair; j >= i; i++)
            j -= i;
        a = combgpu_batch_costs_middle(i, front, back);
        b = combgpu_batch_costs_middle(j, front, back);
        if (a != COMBGPU__NONE && b != COMBGPU__NONE) {
            combgpu_batch_costs_put(costs, wide, (2 + a) * side + b, cost);
            combgpu_batch_costs_put(costs, wide, (2 + b) * side + a, cost);
        } else if (a != COMBGPU__NONE || b != COMBGPU__NONE) {
            uint32_t city = a != COMBGPU__NONE ? a : b, fixed = a != COMBGPU__NONE ? j : i;
            if (fixed == front) combgpu_batch_costs_put(costs, wide, city, cost);
            if (fixed == back) combgpu_batch_costs_put(costs, wide, side + city, cost);
        } else if (!m)
            combgpu_batch_costs_put(costs, wide, 0, cost); /* of the only tour */
    }
    return m;
}
#else
/* The host only uses devices with doubles. */
COMBGPU__DEVICE void combgpu_batch_costs_measure(COMBGPU__GLOBAL const uint32_t *tables,
                                                 uint32_t instance,
                                                 COMBGPU__LOCAL combgpu_batch_costs_t *costs)
{
    (void)tables, (void)instance, (void)costs;
}

COMBGPU__DEVICE uint32_t combgpu_batch_costs_round(COMBGPU__GLOBAL const uint32_t *tables,
                                                   uint32_t instance,
                                                   COMBGPU__LOCAL combgpu_batch_costs_t *costs,
                                                   uint32_t *unit)
{
    (void)tables, (void)instance, (void)costs;
    *unit = 0;
    return 0;
}
#endif

/* ----------------------------------------------------------------------- src/tsp/batch/solve.cl */

/* The batch kernel: a block solves one instance at a time by Held-Karp, a lane works on one set of a
   layer. Tables of 16-bit costs lie in local memory if they fit. */

/* The block's state, kept by lane 0. */
typedef struct combgpu_batch_t {
    uint32_t number, end; /* the rest of the task's range */
    uint32_t instance;    /* in work; COMBGPU__NONE at the start and at the end */
    uint32_t m;           /* its middle cities */
    uint32_t unit;        /* high word of the record's number */
    uint64_t length, order, steps, hash;
} combgpu_batch_t;

/* Emits the solved instance and takes the next one, of this range or of a new task. At the end of
   the slice spills the rest of the range. By lane 0. */
COMBGPU__DEVICE void combgpu_batch_next(COMBGPU__GLOBAL combgpu__slice *slice,
                                        COMBGPU__GLOBAL const uint32_t *tasks,
                                        COMBGPU__GLOBAL uint32_t *left,
                                        COMBGPU__GLOBAL uint32_t *records,
                                        COMBGPU__LOCAL combgpu_batch_t *batch)
{
    uint32_t at = batch->instance == COMBGPU__NONE ? COMBGPU__NONE : combgpu_emit(slice);
    if (at != COMBGPU__NONE) {
        combgpu_store64(records + 6 * (uint64_t)at, batch->instance | (uint64_t)batch->unit << 32);
        combgpu_store64(records + 6 * (uint64_t)at + 2, batch->length);
        combgpu_store64(records + 6 * (uint64_t)at + 4, batch->order);
        batch->steps += batch->m << batch->m >> 1;
        batch->hash +=
            combgpu_mix(combgpu_mix(combgpu_mix(batch->instance) + batch->length) + batch->order);
    } else if (batch->instance != COMBGPU__NONE) {
        batch->number--; /* it will be solved again, so it must not count now */
    }
    batch->instance = COMBGPU__NONE;
    batch->length = batch->order = 0;
    at = combgpu_spent(slice, (uint32_t)batch->steps);
    if (at && batch->number < batch->end) {
        combgpu_give_range(slice, left, batch->number, batch->end);
        return;
    }
    if (at) return;
    if (batch->number == batch->end) {
        at = combgpu_take(slice);
        if (at == COMBGPU__NONE) return;
        batch->number = tasks[4 * at];
        batch->end = tasks[4 * at + 2];
    }
    batch->instance = batch->number++;
}

/* The place of f(c, set), of m cities, in c's part of the table; c is not in the set: its bit stands
   for the last city, whose own bit is left out. */
COMBGPU__DEVICE uint32_t combgpu_batch_place(uint32_t m, uint32_t c, uint32_t set)
{
    uint32_t last = 1u << (m - 1);
    return (c << (m - 1)) + (set & last ? set ^ last ^ 1u << c : set);
}

/* The place of f(i, set without i) for a member i. */
COMBGPU__DEVICE uint32_t combgpu_batch_without(uint32_t m, uint32_t i, uint32_t set)
{
    uint32_t last = 1u << (m - 1);
    return (i << (m - 1)) + (set ^ (set & last ? last : 1u << i));
}

#define COMBGPU_TSP_UNROLL _Pragma("unroll") /* to keep arrays in registers */

/* Defines the function that computes f(c, set) for all c outside the set: the cheapest way from c
   through one of its members, whose entries are read once. Costs are read four at a time. */
#define COMBGPU_TSP_BATCH_SET(name, COST, SUM, FAR, TABLE)                                         \
    COMBGPU__DEVICE void name(COMBGPU__LOCAL const COST *costs, uint32_t m, TABLE table,           \
                              uint32_t set)                                                        \
    {                                                                                              \
        COST row[COMBGPU__BATCH_SIDE];                                                             \
        uint32_t i, c;                                                                             \
        COMBGPU_TSP_UNROLL for (i = 0; i < COMBGPU__BATCH_SIDE; i++)                               \
        {                                                                                          \
            row[i] = FAR;                                                                          \
            if (set >> i & 1) row[i] = table[combgpu_batch_without(m, i, set)];                    \
        }                                                                                          \
        for (c = 0; c < m; c++) {                                                                  \
            COMBGPU__LOCAL const COST *from = costs + (2 + c) * COMBGPU__BATCH_SIDE;               \
            COST cost = set ? FAR : costs[COMBGPU__BATCH_SIDE + c];                                \
            COMBGPU_TSP_UNROLL for (i = 0; i < COMBGPU__BATCH_SIDE; i += 4) if (i < m)             \
            {                                                                                      \
                COST a = from[i] + row[i], b = from[i + 1] + row[i + 1];                           \
                COST d = from[i + 2] + row[i + 2], e = from[i + 3] + row[i + 3];                   \
                cost = a < cost ? a : cost;                                                        \
                cost = b < cost ? b : cost;                                                        \
                cost = d < cost ? d : cost;                                                        \
                cost = e < cost ? e : cost;                                                        \
            }                                                                                      \
            if (!(set >> c & 1)) table[combgpu_batch_place(m, c, set)] = (SUM)cost;                \
        }                                                                                          \
    }

COMBGPU_TSP_BATCH_SET(combgpu_tsp_batch_set16, uint32_t, uint16_t, 1u << 30,
                      COMBGPU__LOCAL uint16_t *)
COMBGPU_TSP_BATCH_SET(combgpu_tsp_batch_set32, uint32_t, uint32_t, 1u << 30,
                      COMBGPU__GLOBAL uint32_t *)
COMBGPU_TSP_BATCH_SET(combgpu_tsp_batch_set64, uint64_t, uint64_t, (uint64_t)1 << 62,
                      COMBGPU__GLOBAL uint64_t *)

/* One loop for both halves of an instance: PoCL 3.1 miscompiles barriers in two loops. */
COMBGPU__KERNEL combgpu_tsp_batched(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint16_t tight[COMBGPU__BATCH_LOCAL << COMBGPU__BATCH_LOCAL >> 1];
    COMBGPU__LOCAL_ARRAY combgpu_batch_costs_t costs;
    COMBGPU__LOCAL_ARRAY uint64_t tried[16];
    COMBGPU__LOCAL_ARRAY combgpu_batch_t batch;
    uint32_t most = tables[COMBGPU__BATCH_AT_MOST], bits = tables[COMBGPU__BATCH_AT_BITS],
             metric = tables[COMBGPU__BATCH_AT_METRIC];
    uint64_t words = ((uint64_t)(most << most) / 2 + 2) / 2 * 2 * (bits == 64 ? 2 : 1);
    COMBGPU__GLOBAL uint32_t *table = work + (bits == 16 ? 0 : COMBGPU__BLOCK_ID * words);
    if (COMBGPU__LANE_ID == 0) {
        batch.number = batch.end = 0;
        batch.instance = COMBGPU__NONE;
        batch.steps = batch.hash = 0;
    }
    for (;;) {
        COMBGPU__GLOBAL const uint32_t *subsets;
        uint32_t i, m, unit, round, size = 1, rest, before = COMBGPU__NONE;
        COMBGPU__BLOCK_BARRIER();
        if (COMBGPU__LANE_ID == 0) combgpu_batch_next(slice, tasks, left, records, &batch);
        COMBGPU__BLOCK_BARRIER();
        if (batch.instance == COMBGPU__NONE) break;
        combgpu_batch_costs_clear(&costs);
        if (metric) combgpu_batch_costs_measure(tables, batch.instance, &costs);
        COMBGPU__BLOCK_BARRIER();
        if (metric)
            m = combgpu_batch_costs_round(tables, batch.instance, &costs, &unit);
        else
            m = combgpu_batch_costs_copy(tables, batch.instance, &costs, &unit);
        subsets = tables + COMBGPU__BATCH_AT_SUBSETS + (1u << m);
        rest = (1u << m) - 1;
        for (round = 0; round < 2 * m; round++) { /* the layers, then the places of the order */
            uint32_t chosen = 0;
            COMBGPU__BLOCK_BARRIER();
            if (round < m) {
                for (i = COMBGPU__LANE_ID; i < size; i += COMBGPU__BATCH_LANES)
                    if (bits == 16)
                        combgpu_tsp_batch_set16(costs.narrow, m, tight, subsets[i]);
                    else if (bits == 32)
                        combgpu_tsp_batch_set32(costs.narrow, m, table, subsets[i]);
                    else
                        combgpu_tsp_batch_set64(costs.wide, m, (COMBGPU__GLOBAL uint64_t *)table,
                                                subsets[i]);
                subsets += size;
                size = size * (m - round) / (round + 1);
            } else if (COMBGPU__LANE_ID < 16) {
                uint32_t c = COMBGPU__LANE_ID, place;
                uint64_t cost = (uint64_t)1 << 63;
                if (c < m && rest >> c & 1) {
                    i = before == COMBGPU__NONE ? c : (2 + before) * COMBGPU__BATCH_SIDE + c;
                    place = combgpu_batch_without(m, c, rest);
                    cost = bits == 64   ? costs.wide[i] + ((COMBGPU__GLOBAL uint64_t *)table)[place]
                           : bits == 32 ? costs.narrow[i] + (uint64_t)table[place]
                                        : costs.narrow[i] + (uint64_t)tight[place];
                }
                tried[c] = cost;
            }
            COMBGPU__BLOCK_BARRIER();
            if (round < m) continue;
            for (i = 1; i < m; i++)
                if (tried[i] < tried[chosen]) chosen = i;
            if (COMBGPU__LANE_ID == 0) {
                if (round == m) batch.length = tried[chosen];
                batch.order |= (uint64_t)chosen << 4 * (round - m);
            }
            rest ^= 1u << chosen;
            before = chosen;
        }
        if (COMBGPU__LANE_ID == 0) {
            batch.m = m;
            batch.unit = unit;
            if (!m && most) batch.length = bits == 64 ? costs.wide[0] : costs.narrow[0];
        }
    }
    if (COMBGPU__LANE_ID == 0 && (batch.steps || batch.hash)) {
        combgpu_add_total(slice, 0, batch.steps);
        combgpu_add_total(slice, COMBGPU__TSP_HASH, batch.hash);
    }
}

/* --------------------------------------------------------------------- src/tsp/shortest/list.cl */

/* Lists the k shortest orders that end with one city, position by position.

   Of all beginnings of a length, it keeps the `keep` best, by the least length that they lead to
   and then as orders. The `keep` best orders begin with these: were `keep` other beginnings better
   than that of an order, each would lead to a better order too. */

/* A block's next phase. */
enum {
    COMBGPU__SHORTEST_END,
    COMBGPU__SHORTEST_LOAD,   /* the task's costs */
    COMBGPU__SHORTEST_LAYER,  /* a layer of the table */
    COMBGPU__SHORTEST_EXTEND, /* the list's beginnings by a city */
    COMBGPU__SHORTEST_DIGIT,  /* counts digits, to find the limit of those to be kept */
    COMBGPU__SHORTEST_KEEP,   /* moves these to the list */
    COMBGPU__SHORTEST_FIRST,  /* looks for the list's first order */
    COMBGPU__SHORTEST_EMIT
};

#define COMBGPU__SHORTEST_DIGITS 64 /* values of a digit: 6 bits */
#define COMBGPU__SHORTEST_START 15  /* row of `legs`: from the start; below are at most 14 cities */

typedef struct combgpu_shortest_ways_t {
    uint64_t least, ways;
} combgpu_shortest_ways_t;

/* As combgpu__shortest_entry; of a beginning, `length` is the least that it leads to. */
typedef struct combgpu_shortest_entry_t {
    uint64_t length, order;
} combgpu_shortest_entry_t;

/* The block's state. */
typedef struct combgpu_shortest_t {
    uint64_t legs[COMBGPU__SHORTEST_SIDE * COMBGPU__SHORTEST_SIDE];
    uint64_t least, ways; /* of the task's orders */
    uint64_t bound;       /* no longer orders than `least` plus this are in the list */
    /* the greatest (length - least, order) to be kept, with the digits that are known */
    uint64_t limit_length, limit_order;
    uint64_t firsts[COMBGPU__SHORTEST_LANES]; /* FIRST: the smallest shortest order of each lane */
    uint32_t before[COMBGPU__SHORTEST_SIDE];
    uint32_t digits[COMBGPU__SHORTEST_DIGITS]; /* how often each occurs */
    uint32_t span[2];                          /* length - least of what was found: all bits */
    uint32_t phase, b, cities, keep, reversible, steps, tasks;
    uint32_t size, first_set, sets; /* of the table's layer */
    uint32_t place;                 /* cities in the list's beginnings */
    uint32_t count, found;          /* in the list, and among its extensions */
    uint32_t digit, need;           /* the next one from below; how many with the limit's digits */
} combgpu_shortest_t;

/* City i of the task: those without b, then b. */
COMBGPU__DEVICE uint32_t combgpu_shortest_city(uint32_t b, uint32_t cities, uint32_t i)
{
    return i == cities ? b : i + (i >= b);
}

/* Nonzero if orders may begin with city i. */
COMBGPU__DEVICE uint32_t combgpu_shortest_begins(COMBGPU__LOCAL const combgpu_shortest_t *tours,
                                                 uint32_t i)
{
    return !tours->before[i] && (!tours->reversible || i < tours->b);
}

/* The bit offset in an order of the city at this position. */
COMBGPU__DEVICE uint32_t combgpu_shortest_shift(COMBGPU__LOCAL const combgpu_shortest_t *tours,
                                                uint32_t place)
{
    return 4 * (tours->cities - place);
}

/* Extends every beginning of the list by every city that may follow; omits what leads to too long
   orders. */
COMBGPU__DEVICE void combgpu_shortest_extend(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                             COMBGPU__GLOBAL const combgpu_shortest_ways_t *table,
                                             COMBGPU__GLOBAL const combgpu_shortest_entry_t *list,
                                             COMBGPU__GLOBAL combgpu_shortest_entry_t *longer)
{
    uint32_t n = tours->cities, place = tours->place, i, k;
    uint64_t span = 0;
    for (i = COMBGPU__LANE_ID; i < tours->count * n; i += COMBGPU__SHORTEST_LANES) {
        combgpu_shortest_entry_t entry = list[i / n];
        uint32_t j = i % n, left = (1u << n) - 1, from = COMBGPU__SHORTEST_START;
        uint64_t on;
        for (k = 0; k < place; k++) {
            uint32_t city = (uint32_t)(entry.order >> combgpu_shortest_shift(tours, k)) & 15;
            from = city - (city > tours->b);
            left ^= 1u << from;
        }
        if (!(left >> j & 1) || tours->before[j] & left) continue;
        if (!place && !combgpu_shortest_begins(tours, j)) continue;
        on = table[(left ^ 1u << j) * n + j].least;
        if (on == COMBGPU__TSP_FAR(1)) continue;
        if (place) entry.length -= table[left * n + from].least;
        if (!place) entry.length = 0;
        entry.length += tours->legs[from * COMBGPU__SHORTEST_SIDE + j] + on;
        if (entry.length - tours->least > tours->bound) continue;
        span |= entry.length - tours->least;
        entry.order |= (uint64_t)combgpu_shortest_city(tours->b, n, j)
                       << combgpu_shortest_shift(tours, place);
        longer[COMBGPU__LOCAL_ATOMIC_ADD(&tours->found, 1)] = entry;
    }
    if ((uint32_t)span) COMBGPU__LOCAL_ATOMIC_OR(&tours->span[0], (uint32_t)span);
    if (span >> 32) COMBGPU__LOCAL_ATOMIC_OR(&tours->span[1], (uint32_t)(span >> 32));
}

/* Digits of (length - least, order): 0 to 9 are the order's, 10 to 20 the length's. Counts the
   values of the next one in those entries that agree with the limit above it. */
COMBGPU__DEVICE void combgpu_shortest_digit(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                            COMBGPU__GLOBAL const combgpu_shortest_entry_t *longer)
{
    uint32_t of_length = tours->digit >= 10, shift = 6 * (tours->digit - 10 * of_length), i;
    uint64_t limit = of_length ? tours->limit_length : tours->limit_order;
    for (i = COMBGPU__LANE_ID; i < tours->found; i += COMBGPU__SHORTEST_LANES) {
        uint64_t length = longer[i].length - tours->least;
        uint64_t word = of_length ? length : longer[i].order;
        if (!of_length && length != tours->limit_length) continue;
        if (word >> shift >> 6 == limit >> shift >> 6)
            COMBGPU__LOCAL_ATOMIC_ADD(&tours->digits[word >> shift & 63], 1);
    }
}

/* Moves entries within the limit to the list. */
COMBGPU__DEVICE void combgpu_shortest_keep(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                           COMBGPU__GLOBAL const combgpu_shortest_entry_t *longer,
                                           COMBGPU__GLOBAL combgpu_shortest_entry_t *list)
{
    uint32_t i;
    for (i = COMBGPU__LANE_ID; i < tours->found; i += COMBGPU__SHORTEST_LANES) {
        combgpu_shortest_entry_t entry = longer[i];
        uint64_t length = entry.length - tours->least;
        if (length < tours->limit_length ||
            (length == tours->limit_length && entry.order <= tours->limit_order))
            list[COMBGPU__LOCAL_ATOMIC_ADD(&tours->count, 1)] = entry;
    }
}

/* Looks for the smallest of the shortest orders: firsts[lane] gets that of the lane's share. */
COMBGPU__DEVICE void combgpu_shortest_first(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                            COMBGPU__GLOBAL const combgpu_shortest_entry_t *list)
{
    uint64_t first = ~(uint64_t)0;
    uint32_t i;
    for (i = COMBGPU__LANE_ID; i < tours->count; i += COMBGPU__SHORTEST_LANES)
        if (list[i].length == tours->least) first = combgpu_table_min(first, list[i].order);
    tours->firsts[COMBGPU__LANE_ID] = first;
}

/* Emits the list; the first order's record has the number of shortest ones. Returns the lane's part
   of the checksum. */
COMBGPU__DEVICE uint64_t combgpu_shortest_emit(COMBGPU__GLOBAL combgpu__slice *slice,
                                               COMBGPU__LOCAL const combgpu_shortest_t *tours,
                                               COMBGPU__GLOBAL const combgpu_shortest_entry_t *list,
                                               COMBGPU__GLOBAL uint32_t *records)
{
    uint64_t hash = 0;
    uint32_t i;
    for (i = COMBGPU__LANE_ID; i < tours->count; i += COMBGPU__SHORTEST_LANES) {
        uint64_t length = list[i].length, order = list[i].order | tours->b;
        uint32_t at = combgpu_emit(slice);
        COMBGPU__GLOBAL uint32_t *record = records + COMBGPU__SHORTEST_RECORD_WORDS * (uint64_t)at;
        if (at == COMBGPU__NONE) continue; /* never: the records of all tasks have room */
        combgpu_store64(record, length);
        combgpu_store64(record + 2, order);
        combgpu_store64(record + 4, length == tours->least && list[i].order == tours->firsts[0]
                                        ? tours->ways
                                        : 0);
        hash += combgpu_mix(combgpu_mix(length) + order);
    }
    return hash;
}

/* Ends the phase DIGIT: sets the limit's digit. If that decides what is kept, or with `all`, the next
   phase is KEEP, else the next digit. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_limit(COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t of_length = tours->digit >= 10, shift = 6 * (tours->digit - 10 * of_length), value = 0,
             i;
    for (; tours->digits[value] < tours->need; value++)
        tours->need -= tours->digits[value];
    if (of_length)
        tours->limit_length |= (uint64_t)value << shift;
    else
        tours->limit_order |= (uint64_t)value << shift;
    if (tours->digits[value] == tours->need) { /* all smaller digits are within the limit */
        uint64_t below = ((uint64_t)1 << shift) - 1;
        tours->limit_length |= of_length ? below : 0;
        tours->limit_order |= of_length ? ~(uint64_t)0 : below;
        tours->phase = COMBGPU__SHORTEST_KEEP;
        tours->count = 0;
        return;
    }
    tours->digit--;
    for (i = 0; i < COMBGPU__SHORTEST_DIGITS; i++)
        tours->digits[i] = 0;
}

/* Ends the phase EXTEND: keeps all, or starts to find the limit. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_choose(COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint64_t span = (uint64_t)tours->span[1] << 32 | tours->span[0];
    uint32_t i;
    tours->count = 0;
    tours->limit_length = tours->limit_order = ~(uint64_t)0;
    tours->phase = COMBGPU__SHORTEST_KEEP;
    if (tours->found <= tours->keep) return;
    tours->limit_length = tours->limit_order = 0;
    tours->need = tours->keep;
    for (tours->digit = 10; span >> 6; span >>= 6)
        tours->digit++;
    for (i = 0; i < COMBGPU__SHORTEST_DIGITS; i++)
        tours->digits[i] = 0;
    tours->phase = COMBGPU__SHORTEST_DIGIT;
}

/* Says what follows a phase of the list. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_list(COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t i;
    if (tours->phase == COMBGPU__SHORTEST_EXTEND) {
        combgpu_shortest_choose(tours);
    } else if (tours->phase == COMBGPU__SHORTEST_DIGIT) {
        combgpu_shortest_limit(tours);
    } else if (tours->phase == COMBGPU__SHORTEST_KEEP) {
        tours->bound = combgpu_table_min(tours->bound, tours->limit_length);
        tours->found = tours->span[0] = tours->span[1] = 0;
        tours->phase =
            ++tours->place < tours->cities ? COMBGPU__SHORTEST_EXTEND : COMBGPU__SHORTEST_FIRST;
    } else { /* FIRST */
        for (i = 1; i < COMBGPU__SHORTEST_LANES; i++)
            tours->firsts[0] = combgpu_table_min(tours->firsts[0], tours->firsts[i]);
        tours->phase = COMBGPU__SHORTEST_EMIT;
    }
}

/* -------------------------------------------------------------------- src/tsp/shortest/solve.cl */

/* The kernel of the k shortest tours: a block lists the orders that end with one city. Its table is as
   in src/tsp/shortest/solve.c; the list is in tsp/shortest/list.cl. */

/* Computes the layer of sets with `size` of the cities: a lane an entry. */
COMBGPU__DEVICE void combgpu_shortest_layer(COMBGPU__GLOBAL const uint32_t *subsets,
                                            COMBGPU__LOCAL const combgpu_shortest_t *tours,
                                            COMBGPU__GLOBAL combgpu_shortest_ways_t *table)
{
    uint32_t n = tours->cities, i;
    for (i = COMBGPU__LANE_ID; i < tours->sets * n; i += COMBGPU__SHORTEST_LANES) {
        uint32_t set = subsets[tours->first_set + i / n], c = i % n, rest;
        COMBGPU__LOCAL const uint64_t *legs = tours->legs + c * COMBGPU__SHORTEST_SIDE;
        combgpu_shortest_ways_t best;
        if (set >> c & 1) continue;
        best.least = set ? COMBGPU__TSP_FAR(1) : legs[n];
        best.ways = !set;
        for (rest = set; rest; rest &= rest - 1) {
            uint32_t j = COMBGPU__CTZ(rest);
            combgpu_shortest_ways_t on;
            uint64_t cost;
            if (tours->before[j] & set) continue;
            on = table[(set ^ 1u << j) * n + j];
            cost = legs[j] + on.least;
            if (on.least == COMBGPU__TSP_FAR(1) || cost > best.least) continue;
            best.ways = cost < best.least ? on.ways : best.ways + on.ways;
            best.least = cost;
        }
        table[set * n + c] = best;
    }
}

/* Reads the table: the least length, and how many orders have it. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_best(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                           COMBGPU__GLOBAL const combgpu_shortest_ways_t *table)
{
    uint32_t n = tours->cities, all = (1u << n) - 1, i;
    tours->least = COMBGPU__TSP_FAR(1);
    tours->ways = 0;
    for (i = 0; i < n; i++) {
        combgpu_shortest_ways_t on;
        uint64_t cost;
        if (!combgpu_shortest_begins(tours, i)) continue;
        on = table[(all ^ 1u << i) * n + i];
        cost = tours->legs[COMBGPU__SHORTEST_START * COMBGPU__SHORTEST_SIDE + i] + on.least;
        if (on.least == COMBGPU__TSP_FAR(1) || cost > tours->least) continue;
        tours->ways = cost < tours->least ? on.ways : tours->ways + on.ways;
        tours->least = cost;
    }
}

/* Copies costs and precedence of the cities, numbered without the last one, b. The leg to b, whose
   number is the greatest, includes what follows it. */
COMBGPU__DEVICE void combgpu_shortest_load(COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t n = tours->cities, b = tours->b, i;
    COMBGPU__GLOBAL const uint64_t
        *first = (COMBGPU__GLOBAL const uint64_t *)(tables + COMBGPU__SHORTEST_AT_COSTS),
        *last = first + COMBGPU__SHORTEST_SIDE, *legs = last + COMBGPU__SHORTEST_SIDE;
    for (i = COMBGPU__LANE_ID; i < (n + 1) * n; i += COMBGPU__SHORTEST_LANES) {
        uint32_t from = i / (n + 1), to = i % (n + 1);
        uint64_t cost = legs[combgpu_shortest_city(b, n, from) * COMBGPU__SHORTEST_SIDE +
                             combgpu_shortest_city(b, n, to)];
        tours->legs[from * COMBGPU__SHORTEST_SIDE + to] = to == n ? cost + last[b] : cost;
    }
    for (i = COMBGPU__LANE_ID; i < n; i += COMBGPU__SHORTEST_LANES) {
        uint32_t before = tables[COMBGPU__SHORTEST_AT_BEFORE + combgpu_shortest_city(b, n, i)];
        tours->before[i] = (before & ((1u << b) - 1)) | (before >> (b + 1) << b);
        tours->legs[COMBGPU__SHORTEST_START * COMBGPU__SHORTEST_SIDE + i] =
            first[combgpu_shortest_city(b, n, i)];
    }
    if (COMBGPU__LANE_ID == 0 && !n) tours->least = first[0] + last[0];
}

/* Takes a task that has orders; without one, sets the phase END. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_next(COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL const uint32_t *tasks,
                                           COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t task, i, last;
    do {
        task = combgpu_spent(slice, tours->steps) ? COMBGPU__NONE : combgpu_take(slice);
        tours->phase = task == COMBGPU__NONE ? COMBGPU__SHORTEST_END : COMBGPU__SHORTEST_LOAD;
        if (task == COMBGPU__NONE) return;
        tours->b = tasks[task];
        tours->steps += 1 + (tours->cities << tours->cities >> 1);
        tours->tasks++;
        for (i = 0, last = 1; i <= tours->cities; i++)
            if (tables[COMBGPU__SHORTEST_AT_BEFORE + i] >> tours->b & 1) last = 0;
    } while (!last);
}

/* Begins the list with the empty order; of a single city the list is complete. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_begin_list(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                                 COMBGPU__GLOBAL combgpu_shortest_entry_t *list)
{
    tours->place = 0;
    tours->count = 1;
    tours->found = tours->span[0] = tours->span[1] = 0;
    tours->bound = ~(uint64_t)0;
    list[0].length = tours->least;
    list[0].order = 0;
    tours->phase = tours->cities ? COMBGPU__SHORTEST_EXTEND : COMBGPU__SHORTEST_FIRST;
}

/* Says what follows the phase that has ended. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_follow(COMBGPU__GLOBAL combgpu__slice *slice,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL const uint32_t *tasks,
                                             COMBGPU__GLOBAL const combgpu_shortest_ways_t *table,
                                             COMBGPU__GLOBAL combgpu_shortest_entry_t *list,
                                             COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t phase = tours->phase, n = tours->cities;
    if (phase == COMBGPU__SHORTEST_LOAD) {
        tours->size = tours->first_set = 0;
        tours->sets = tours->ways = 1;
        tours->phase = COMBGPU__SHORTEST_LAYER;
        if (!n) combgpu_shortest_begin_list(tours, list);
    } else if (phase == COMBGPU__SHORTEST_LAYER) {
        tours->first_set += tours->sets;
        tours->sets = tours->sets * (n - tours->size) / (tours->size + 1);
        if (++tours->size < n) return;
        combgpu_shortest_best(tours, table);
        if (tours->ways)
            combgpu_shortest_begin_list(tours, list);
        else
            combgpu_shortest_next(slice, tables, tasks, tours);
    } else if (phase == COMBGPU__SHORTEST_EMIT) {
        combgpu_shortest_next(slice, tables, tasks, tours);
    } else {
        combgpu_shortest_list(tours);
    }
}

/* Does the block's phase. Returns its addition to the lane's part of the checksum. */
COMBGPU__DEVICE uint64_t combgpu_shortest_work(COMBGPU__GLOBAL combgpu__slice *slice,
                                               COMBGPU__GLOBAL const uint32_t *tables,
                                               COMBGPU__LOCAL combgpu_shortest_t *tours,
                                               COMBGPU__GLOBAL combgpu_shortest_ways_t *table,
                                               COMBGPU__GLOBAL combgpu_shortest_entry_t *list,
                                               COMBGPU__GLOBAL combgpu_shortest_entry_t *longer,
                                               COMBGPU__GLOBAL uint32_t *records)
{
    uint32_t phase = tours->phase;
    if (phase == COMBGPU__SHORTEST_EMIT) return combgpu_shortest_emit(slice, tours, list, records);
    if (phase == COMBGPU__SHORTEST_LOAD)
        combgpu_shortest_load(tables, tours);
    else if (phase == COMBGPU__SHORTEST_LAYER)
        combgpu_shortest_layer(tables + COMBGPU__SHORTEST_AT_SUBSETS, tours, table);
    else if (phase == COMBGPU__SHORTEST_EXTEND)
        combgpu_shortest_extend(tours, table, list, longer);
    else if (phase == COMBGPU__SHORTEST_DIGIT)
        combgpu_shortest_digit(tours, longer);
    else if (phase == COMBGPU__SHORTEST_KEEP)
        combgpu_shortest_keep(tours, longer, list);
    else if (phase == COMBGPU__SHORTEST_FIRST)
        combgpu_shortest_first(tours, list);
    return 0;
}

/* One loop with the barriers of all phases, and one at its end: PoCL 3.1 miscompiles barriers in
   branches and in two loops, and fails where jumps from many places go back to the first one. */
COMBGPU__KERNEL combgpu_tsp_shortest(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_shortest_t tours;
    uint32_t m = tables[COMBGPU__SHORTEST_AT_CITIES], n = m - 1,
             keep = tables[COMBGPU__SHORTEST_AT_KEEP];
    COMBGPU__GLOBAL combgpu_shortest_ways_t *table =
        (COMBGPU__GLOBAL combgpu_shortest_ways_t *)(work +
                                                    COMBGPU__BLOCK_ID *
                                                        (uint64_t)COMBGPU__SHORTEST_WORK_WORDS(
                                                            m, keep));
    COMBGPU__GLOBAL combgpu_shortest_entry_t
        *list = (COMBGPU__GLOBAL combgpu_shortest_entry_t *)(table + (n << n)),
        *longer = list + keep;
    uint64_t hash = 0;
    (void)left;
    if (COMBGPU__LANE_ID == 0) {
        tours.cities = n;
        tours.keep = keep;
        tours.reversible = tables[COMBGPU__SHORTEST_AT_REVERSIBLE];
        tours.steps = tours.tasks = 0;
        tours.phase = COMBGPU__SHORTEST_EMIT;
    }
    do {
        COMBGPU__BLOCK_BARRIER();
        if (COMBGPU__LANE_ID == 0)
            combgpu_shortest_follow(slice, tables, tasks, table, list, &tours);
        COMBGPU__BLOCK_BARRIER();
        hash += combgpu_shortest_work(slice, tables, &tours, table, list, longer, records);
        COMBGPU__BLOCK_BARRIER();
    } while (tours.phase != COMBGPU__SHORTEST_END);
    if (hash) combgpu_add_total(slice, COMBGPU__SHORTEST_S_HASH, hash);
    if (COMBGPU__LANE_ID == 0) {
        combgpu_add_total(slice, 0, tours.steps);
        combgpu_add_total(slice, COMBGPU__SHORTEST_S_TASKS, tours.tasks);
    }
}

#endif /* TSP */

#if defined(COMBGPU_KERNELS_BRANCH) || defined(COMBGPU__HAS_TSP)

/* ------------------------------------------------------------------------ src/tsp/branch/fix.cl */

/* Branch and bound on a GPU (see src/tsp/branch/data.c): a worker's memory, and what follows from forced
   and forbidden edges. 32 lanes work on a node of the search tree. Results do not depend on the
   order of the lanes: of edges of equal cost the one with the smaller number counts as cheaper, so
   the minimum tree is unique, and the conclusions from fixed edges are a closure. The C solver
   keeps the same rules, so both make the same 1-trees. */
#define COMBGPU__BRANCH_LANES 32u
#define COMBGPU__BRANCH_FORCE ((int64_t)1 << 58)
#define COMBGPU__BRANCH_FAR (~((int64_t)1 << 63))
#define COMBGPU__BRANCH_OUTSIDE                                                                    \
    0xffffu /* rank of a node outside the tree, edge of a node not reached */

/* The graph and the worker's memory. Lane 0 alone fixes edges. */
typedef struct combgpu_branch_t {
    COMBGPU__GLOBAL const uint32_t *tables;
    uint32_t nodes, edges;
    COMBGPU__GLOBAL const uint32_t *ends, *begin,
        *incident; /* begin[node]: place of its edges in `incident` */
    COMBGPU__GLOBAL const int64_t *weights;
    COMBGPU__GLOBAL int64_t *best;  /* multipliers */
    COMBGPU__GLOBAL uint32_t *arcs; /* at begin[node]: node, edge << 9, forced << 31 */
    COMBGPU__GLOBAL uint8_t *marks; /* of the edges */
    COMBGPU__GLOBAL uint32_t *stack;
    COMBGPU__LOCAL int64_t *now, *key; /* multipliers; cost of the edge to the parent */
    COMBGPU__LOCAL uint32_t *degree, *open, *flag;
    COMBGPU__LOCAL uint16_t *parent, *parent_edge, *rank; /* of the tree, from node 0 */
    COMBGPU__LOCAL uint16_t *forced, *other_end, *queue, *list;
    COMBGPU__LOCAL uint32_t *counts; /* of queue, list */
#ifndef COMBGPU__PACKED
    COMBGPU__LOCAL int64_t *lane_x;
    COMBGPU__LOCAL uint32_t *lane_y;
#endif
    uint32_t fixed, forced_count;
    uint32_t number; /* of the instance in a batch, from 1; 0 = there is one alone */
} combgpu_branch_t;

COMBGPU__DEVICE int64_t combgpu_branch_cost(const combgpu_branch_t *b, uint32_t edge)
{
    return b->weights[edge] + b->now[b->ends[edge] & 0xffff] + b->now[b->ends[edge] >> 16];
}

/* combgpu_branch_least gives all lanes the group's smallest (x, y); combgpu_branch_sum returns the
   group's sum. */
#ifdef COMBGPU__PACKED
COMBGPU__DEVICE void combgpu_branch_least(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                          int64_t *x, uint32_t *y)
{
    uint64_t bits = (uint64_t)*x ^ (uint64_t)1 << 63;
    uint32_t high = (uint32_t)(bits >> 32), low = (uint32_t)bits;
    uint32_t least_high = COMBGPU__GROUP_MIN(high),
             least_low = COMBGPU__GROUP_MIN(high == least_high ? low : COMBGPU__NONE);
    (void)b;
    *y = COMBGPU__GROUP_MIN(high == least_high && low == least_low ? *y : COMBGPU__NONE);
    *x = (int64_t)(((uint64_t)least_high << 32 | least_low) ^ (uint64_t)1 << 63);
}

COMBGPU__DEVICE int64_t combgpu_branch_sum(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                           int64_t x)
{
    uint64_t bits = (uint64_t)x;
    uint64_t low = COMBGPU__GROUP_ADD((uint32_t)bits & 0xffffff),
             middle = COMBGPU__GROUP_ADD((uint32_t)(bits >> 24) & 0xffffff);
    uint64_t high = COMBGPU__GROUP_ADD((uint32_t)(bits >> 48));
    (void)b;
    return (int64_t)(low + (middle << 24) + (high << 48));
}
#else /* few barriers: PoCL compiles each of them slowly */
COMBGPU__DEVICE void combgpu_branch_least(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                          int64_t *x, uint32_t *y)
{
    uint32_t i;
    b->lane_x[COMBGPU__GROUP_LANE] = *x;
    b->lane_y[COMBGPU__GROUP_LANE] = *y;
    COMBGPU__WARP_BARRIER();
    for (i = 0; i < COMBGPU__BRANCH_LANES; i++)
        if (b->lane_x[i] < *x || (b->lane_x[i] == *x && b->lane_y[i] < *y)) {
            *x = b->lane_x[i];
            *y = b->lane_y[i];
        }
    COMBGPU__WARP_BARRIER();
}

COMBGPU__DEVICE int64_t combgpu_branch_sum(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                           int64_t x)
{
    uint32_t i;
    b->lane_x[COMBGPU__GROUP_LANE] = x;
    COMBGPU__WARP_BARRIER();
    for (i = 0, x = 0; i < COMBGPU__BRANCH_LANES; i++)
        x += b->lane_x[i];
    COMBGPU__WARP_BARRIER();
    return x;
}
#endif

/* ---- forced and forbidden edges, by lane 0. Functions return 0 if no tour is left. */

COMBGPU__DEVICE void combgpu_branch_touch(const combgpu_branch_t *b, uint32_t node)
{
    if (b->flag[node]) return;
    b->flag[node] = 1;
    b->queue[b->counts[0]++] = (uint16_t)node;
}

COMBGPU__DEVICE uint32_t combgpu_branch_forbid(combgpu_branch_t *b, uint32_t edge)
{
    uint32_t ends = b->ends[edge], u = ends & 0xffff, v = ends >> 16;
    if (b->marks[edge] == COMBGPU__EDGE_FORBIDDEN) return 1;
    if (b->marks[edge] == COMBGPU__EDGE_FORCED) return 0;
    b->marks[edge] = (uint8_t)COMBGPU__EDGE_FORBIDDEN;
    b->fixed++;
    combgpu_branch_touch(b, u);
    combgpu_branch_touch(b, v);
    b->open[u]--;
    b->open[v]--;
    return b->open[u] >= 2 && b->open[v] >= 2;
}

/* Adds a forced edge; forbids the edge that would close its path too early. */
COMBGPU__DEVICE uint32_t combgpu_branch_join(combgpu_branch_t *b, uint32_t edge)
{
    uint32_t ends = b->ends[edge], u = ends & 0xffff, v = ends >> 16, p, q, i;
    if (b->forced[u] == 2 || b->forced[v] == 2) return 0;
    b->forced[u]++;
    b->forced[v]++;
    b->forced_count++;
    combgpu_branch_touch(b, u);
    combgpu_branch_touch(b, v);
    p = b->other_end[u];
    q = b->other_end[v];
    if (p == v) return b->forced_count == b->nodes;
    b->other_end[p] = (uint16_t)q;
    b->other_end[q] = (uint16_t)p;
    if (b->forced_count == b->nodes - 1) return 1;
    for (i = b->begin[p]; i < b->begin[p + 1]; i++) {
        uint32_t closing = b->incident[i], other = b->ends[closing];
        if ((other & 0xffff) + (other >> 16) == p + q && b->marks[closing] == COMBGPU__EDGE_FREE)
            return combgpu_branch_forbid(b, closing);
    }
    return 1;
}

COMBGPU__DEVICE uint32_t combgpu_branch_force(combgpu_branch_t *b, uint32_t edge)
{
    if (b->marks[edge] != COMBGPU__EDGE_FREE) return b->marks[edge] == COMBGPU__EDGE_FORCED;
    b->marks[edge] = (uint8_t)COMBGPU__EDGE_FORCED;
    b->fixed++;
    return combgpu_branch_join(b, edge);
}

/* Adds the edges of the list, already forced (`fresh`) or to be forced now, then draws all
   conclusions: a node with two forced edges needs no other edge; a node with two edges left needs
   both. */
COMBGPU__DEVICE uint32_t combgpu_branch_settle(combgpu_branch_t *b, uint32_t fresh)
{
    uint32_t fine = 1, i;
    for (i = 0; fine && i < b->counts[1]; i++)
        fine = fresh ? combgpu_branch_join(b, b->list[i]) : combgpu_branch_force(b, b->list[i]);
    while (fine && b->counts[0]) {
        uint32_t node = b->queue[--b->counts[0]], force = b->open[node] == 2;
        b->flag[node] = 0;
        if (b->open[node] == b->forced[node] || (!force && b->forced[node] < 2)) continue;
        for (i = b->begin[node]; fine && i < b->begin[node + 1]; i++) {
            uint32_t edge = b->incident[i];
            if (b->marks[edge] != COMBGPU__EDGE_FREE) continue;
            fine = force ? combgpu_branch_force(b, edge) : combgpu_branch_forbid(b, edge);
        }
    }
    return fine;
}

/* ----------------------------------------------------------------------- src/tsp/branch/tree.cl */

/* 1-trees on a GPU, and the edges that they fix. All lanes take part. */

/* Makes the minimum spanning tree (R. C. Prim, 1957) from node 0 if `run` is set. Returns its cost,
   or infinity; *first gets node 0's first child. Barriers stand outside conditions. */
COMBGPU__DEVICE int64_t combgpu_branch_spanning_tree(COMBGPU__GROUP_PARAMETER,
                                                     const combgpu_branch_t *b, uint32_t rows,
                                                     uint32_t run, uint32_t *first)
{
    int64_t total = 0;
    uint32_t node = 0, outside = 0, count = run ? b->nodes : 0, i, k;
    for (k = 0; k < rows; k++) {
        uint32_t v = COMBGPU__GROUP_LANE + k * COMBGPU__BRANCH_LANES;
        if (v >= b->nodes || !run) continue;
        outside |= 1u << k;
        b->key[v] = COMBGPU__BRANCH_FAR;
        b->rank[v] = COMBGPU__BRANCH_OUTSIDE;
        b->parent_edge[v] = COMBGPU__BRANCH_OUTSIDE;
        b->degree[v] = v != 0;
    }
    COMBGPU__WARP_BARRIER();
    for (i = 0; i < count; i++) {
        uint32_t begin = b->begin[node], end = begin + b->open[node], a, y = COMBGPU__NONE;
        int64_t multiplier = b->now[node], x = COMBGPU__BRANCH_FAR;
        if ((node & 31) == COMBGPU__GROUP_LANE) {
            b->rank[node] = (uint16_t)i;
            outside &= ~(1u << (node >> 5));
        }
        for (a = begin + COMBGPU__GROUP_LANE; a < end; a += COMBGPU__BRANCH_LANES) {
            uint32_t arc = b->arcs[a], to = arc & 511, edge = (arc >> 9) & 0x7fff;
            int64_t cost = b->weights[edge] + multiplier + b->now[to];
            if (arc >> 31) cost -= COMBGPU__BRANCH_FORCE;
            if (b->rank[to] == COMBGPU__BRANCH_OUTSIDE &&
                (cost < b->key[to] || (cost == b->key[to] && edge < b->parent_edge[to]))) {
                b->key[to] = cost;
                b->parent[to] = (uint16_t)node;
                b->parent_edge[to] = (uint16_t)edge;
            }
        }
        COMBGPU__WARP_BARRIER();
        for (k = 0; k < rows; k++) {
            uint32_t v = COMBGPU__GROUP_LANE + k * COMBGPU__BRANCH_LANES, own;
            if (!(outside >> k & 1)) continue;
            own = (uint32_t)b->parent_edge[v] << 9 | v;
            if (b->key[v] < x || (b->key[v] == x && x != COMBGPU__BRANCH_FAR && own < y)) {
                x = b->key[v];
                y = own;
            }
        }
        combgpu_branch_least(COMBGPU__GROUP, b, &x, &y);
        COMBGPU__WARP_BARRIER();
        if (y == COMBGPU__NONE) break; /* all nodes are in the tree, or the rest is out of reach */
        total += x < -COMBGPU__BRANCH_FORCE / 2 ? x + COMBGPU__BRANCH_FORCE : x;
        node = y & 511;
        if (!i) *first = node;
    }
    if (i + 1 < count) total = COMBGPU__BRANCH_FAR;
    if (run && total != COMBGPU__BRANCH_FAR)
        for (k = COMBGPU__GROUP_LANE; k < b->nodes; k += COMBGPU__BRANCH_LANES)
            if (k) COMBGPU__LOCAL_ATOMIC_ADD(b->degree + b->parent[k], 1);
    COMBGPU__WARP_BARRIER();
    return total;
}

/* Completes the spanning tree to a 1-tree by the second edge of the leaf whose second edge is the
   most expensive. Returns the 1-tree's cost less twice the multipliers, or infinity. */
COMBGPU__DEVICE int64_t combgpu_branch_one_tree(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                                uint32_t rows, uint32_t run, int64_t total,
                                                uint32_t first, uint32_t *special, uint32_t *second,
                                                int64_t *second_cost)
{
    int64_t dearest = COMBGPU__BRANCH_FAR, sum = 0; /* dearest: the negative of the cost */
    uint32_t leaf = COMBGPU__NONE, none = total == COMBGPU__BRANCH_FAR, k, a;
    for (k = 0; k < rows; k++) {
        uint32_t v = COMBGPU__GROUP_LANE + k * COMBGPU__BRANCH_LANES, only, edge = 0, begin;
        int64_t cost = COMBGPU__BRANCH_FAR;
        if (v >= b->nodes || !run || none) continue;
        sum += b->now[v];
        if (b->degree[v] != 1) continue;
        only = b->parent_edge[v ? v : first];
        begin = b->begin[v];
        for (a = begin; a < begin + b->open[v]; a++) {
            uint32_t arc = b->arcs[a], other = (arc >> 9) & 0x7fff;
            int64_t c = b->weights[other] + b->now[v] + b->now[arc & 511];
            if (arc >> 31) c -= COMBGPU__BRANCH_FORCE;
            if (other != only && c < cost) {
                cost = c;
                edge = other;
            }
        }
        if (cost == COMBGPU__BRANCH_FAR) none = 1;
        if (cost < -COMBGPU__BRANCH_FORCE / 2) cost += COMBGPU__BRANCH_FORCE;
        if (leaf == COMBGPU__NONE || -cost < dearest) {
            dearest = -cost;
            leaf = v << 15 | edge;
        }
    }
    combgpu_branch_least(COMBGPU__GROUP, b, &dearest, &leaf);
    sum = combgpu_branch_sum(COMBGPU__GROUP, b, sum);
    none = COMBGPU__GROUP_ANY(none);
    if (run && !none) {
        *special = leaf >> 15;
        *second = leaf & 0x7fff;
        *second_cost = -dearest;
        if (COMBGPU__GROUP_LANE < 2) {
            uint32_t ends = b->ends[*second];
            COMBGPU__LOCAL_ATOMIC_ADD(
                b->degree + (COMBGPU__GROUP_LANE ? ends >> 16 : ends & 0xffff), 1);
        }
    }
    COMBGPU__WARP_BARRIER();
    return none ? COMBGPU__BRANCH_FAR : total - 2 * sum - dearest;
}

/* Follows the cycle that a free edge closes with the tree. Flags the nodes whose edge to the parent
   it could replace within `limit`; returns the cost of the most expensive edge that it could
   replace. */
COMBGPU__DEVICE int64_t combgpu_branch_cycle(const combgpu_branch_t *b, uint32_t u, uint32_t v,
                                             int64_t cost, int64_t room)
{
    int64_t dearest = -COMBGPU__BRANCH_FAR;
    while (u != v) {
        uint32_t swap = b->rank[u] < b->rank[v], w = swap ? v : u;
        int64_t key = b->key[w];
        if (cost - key <= room) COMBGPU__LOCAL_ATOMIC_ADD(b->flag + w, 1);
        if (key > -COMBGPU__BRANCH_FORCE / 2 && key > dearest) dearest = key;
        v = swap ? u : v;
        u = b->parent[w];
    }
    return dearest;
}

/* Forbids the edges whose presence, and lists those whose absence, raises the bound by more than
   `room`. Returns the number of edges forbidden. */
COMBGPU__DEVICE uint32_t combgpu_branch_reduce(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                               uint32_t run, int64_t room, uint32_t first,
                                               uint32_t special, uint32_t second,
                                               int64_t second_cost)
{
    uint32_t forbidden = 0, third = 0,
             i; /* third: bit 1 = can replace the leaf's tree edge, 2 = its second */
    uint32_t at_leaf = special ? special : first;
    for (i = COMBGPU__GROUP_LANE; run && i < b->edges; i += COMBGPU__BRANCH_LANES) {
        uint32_t u = b->ends[i] & 0xffff, v = b->ends[i] >> 16;
        int64_t cost, dearest = -COMBGPU__BRANCH_FAR;
        if (b->marks[i] != COMBGPU__EDGE_FREE || i == second || b->parent_edge[u] == i ||
            b->parent_edge[v] == i)
            continue;
        cost = combgpu_branch_cost(b, i);
        if (u == special || v == special) {
            third |= (cost - b->key[at_leaf] <= room) | (uint32_t)(cost - second_cost <= room) << 1;
            if (b->marks[second] == COMBGPU__EDGE_FREE) dearest = second_cost;
        } else
            dearest = combgpu_branch_cycle(b, u, v, cost, room);
        if (dearest != -COMBGPU__BRANCH_FAR && cost - dearest <= room) continue;
        b->marks[i] = (uint8_t)COMBGPU__EDGE_FORBIDDEN;
        forbidden++;
        COMBGPU__LOCAL_ATOMIC_ADD(b->open + u, COMBGPU__NONE);
        COMBGPU__LOCAL_ATOMIC_ADD(b->open + v, COMBGPU__NONE);
    }
    COMBGPU__WARP_BARRIER();
    third = (COMBGPU__GROUP_ANY(third & 1) ? 1u : 0u) | (COMBGPU__GROUP_ANY(third & 2) ? 2u : 0u);
    for (i = COMBGPU__GROUP_LANE; run && i < b->nodes; i += COMBGPU__BRANCH_LANES) {
        uint32_t edge = i ? b->parent_edge[i] : second;
        uint32_t keep = !i ? third & 2 : i == at_leaf ? third & 1 : b->flag[i];
        if (b->marks[edge] == COMBGPU__EDGE_FREE && !keep)
            b->list[COMBGPU__LOCAL_ATOMIC_ADD(b->counts + 1, 1)] = (uint16_t)edge;
    }
    forbidden = COMBGPU__GROUP_ADD(forbidden);
    COMBGPU__WARP_BARRIER();
    return forbidden;
}

/* ----------------------------------------------------------------------- src/tsp/branch/node.cl */

/* A node of the search tree on a GPU: the phases of a worker's round that read and write tasks. All
   lanes take part; the caller puts barriers between the phases. */

/* Reads multipliers and marks from a task. */
COMBGPU__DEVICE void combgpu_branch_unpack(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                           COMBGPU__GLOBAL const uint32_t *task)
{
    uint32_t i;
    for (i = COMBGPU__GROUP_LANE; i < b->nodes; i += COMBGPU__BRANCH_LANES)
        b->now[i] = (int64_t)combgpu_load64(task + COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * i);
    task += COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * b->nodes;
    for (i = COMBGPU__GROUP_LANE; i < b->edges; i += COMBGPU__BRANCH_LANES)
        b->marks[i] = (uint8_t)((task[i / 16] >> (i % 16 * 2)) & 3);
}

/* Counts the open edges of each node and lists the forced edges. Returns 0 if there are more forced
   edges than nodes. */
COMBGPU__DEVICE uint32_t combgpu_branch_degrees(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b)
{
    uint32_t fine = 1, v, i;
    for (v = COMBGPU__GROUP_LANE; v < b->nodes; v += COMBGPU__BRANCH_LANES) {
        uint32_t open = 0;
        for (i = b->begin[v]; i < b->begin[v + 1]; i++)
            open += b->marks[b->incident[i]] != COMBGPU__EDGE_FORBIDDEN;
        b->open[v] = open;
        b->forced[v] = 0;
        b->other_end[v] = (uint16_t)v;
    }
    for (i = COMBGPU__GROUP_LANE; i < b->edges; i += COMBGPU__BRANCH_LANES)
        if (b->marks[i] == COMBGPU__EDGE_FORCED) {
            uint32_t at = COMBGPU__LOCAL_ATOMIC_ADD(b->counts + 1, 1);
            if (at < b->nodes)
                b->list[at] = (uint16_t)i;
            else
                fine = 0;
        }
    return fine;
}

/* Queues the nodes whose last two edges are not both forced. Returns 0 if a node has fewer than
   two. */
COMBGPU__DEVICE uint32_t combgpu_branch_queue(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b)
{
    uint32_t fine = 1, v;
    for (v = COMBGPU__GROUP_LANE; v < b->nodes; v += COMBGPU__BRANCH_LANES) {
        uint32_t need = b->open[v] == 2 && b->forced[v] < 2;
        if (b->open[v] < 2) fine = 0;
        if (need) b->queue[COMBGPU__LOCAL_ATOMIC_ADD(b->counts, 1)] = (uint16_t)v;
        b->flag[v] = need;
    }
    return fine;
}

/* Lists the edges that are not forbidden, node by node. */
COMBGPU__DEVICE void combgpu_branch_arcs(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b)
{
    uint32_t v, i;
    for (v = COMBGPU__GROUP_LANE; v < b->nodes; v += COMBGPU__BRANCH_LANES) {
        uint32_t at = b->begin[v], end = b->begin[v + 1];
        for (i = at; i < end; i++) {
            uint32_t edge = b->incident[i], mark = b->marks[edge], ends = b->ends[edge];
            if (mark != COMBGPU__EDGE_FORBIDDEN)
                b->arcs[at++] = (ends & 0xffff) + (ends >> 16) - v + (edge << 9) +
                                (mark == COMBGPU__EDGE_FORCED ? 1u << 31 : 0);
        }
    }
}

/* Begins a record of a tour, and stores its city at place i: as a word, or of a batch as a byte. */
COMBGPU__DEVICE void combgpu_branch_head(const combgpu_branch_t *b,
                                         COMBGPU__GLOBAL uint32_t *record, int64_t length)
{
    uint32_t i;
    for (i = 0; b->number && i < COMBGPU__BATCH_TREE_WORDS; i++)
        record[i] = 0;
    if (b->number) {
        record[0] = b->number - 1;
        record[COMBGPU__BATCH_TREE_STATUS] = COMBGPU__BATCH_TREE_NEWS;
    }
    combgpu_store64(record + (b->number ? COMBGPU__BATCH_TREE_LENGTH : 0), (uint64_t)length);
}

COMBGPU__DEVICE void combgpu_branch_city(const combgpu_branch_t *b,
                                         COMBGPU__GLOBAL uint32_t *record, uint32_t i,
                                         uint32_t city)
{
    if (b->number)
        record[COMBGPU__BATCH_TREE_TOUR + i / 4] |= city << (i % 4 * 8);
    else
        record[2 + i] = city;
}

/* Emits the 1-tree, a tour, if it is shorter and there is room. Returns its length, otherwise the
   old one. By lane 0. */
COMBGPU__DEVICE int64_t combgpu_branch_tour(COMBGPU__GLOBAL combgpu__slice *slice,
                                            const combgpu_branch_t *b,
                                            COMBGPU__GLOBAL uint32_t *records, uint32_t second,
                                            int64_t known)
{
    uint32_t node = 0, last, at, i;
    int64_t length = 0;
    for (i = 0; i < b->nodes; i++)
        b->flag[i] = 0;
    for (i = 0; i < b->nodes; i++) {
        uint32_t edge = i ? b->parent_edge[i] : second, u = b->ends[edge] & 0xffff;
        uint32_t v = b->ends[edge] >> 16;
        (b->flag[u]++ ? b->list : b->queue)[u] = (uint16_t)v;
        (b->flag[v]++ ? b->list : b->queue)[v] = (uint16_t)u;
        length += b->weights[edge];
    }
    if (length >= known) return known;
    at = combgpu_emit(slice);
    if (at == COMBGPU__NONE) return known;
    if (!b->number) /* the host then passes the length on to all workers */
        COMBGPU__ATOMIC_OR(&slice->stop, COMBGPU__STOP_NOW);
    records += (uint64_t)at * slice->record_words;
    combgpu_branch_head(b, records, length);
    /* directed: nodes below `cities` are "in", where tours enter a city */
    last = b->queue[0];
    if (b->tables[COMBGPU__BRANCH_AT_DIRECTED] && last == b->tables[COMBGPU__BRANCH_AT_CITIES])
        last = b->list[0];
    for (i = 0; i < b->nodes; i++) {
        uint32_t to = b->queue[node] == last ? b->list[node] : b->queue[node];
        if (!b->tables[COMBGPU__BRANCH_AT_DIRECTED])
            combgpu_branch_city(b, records, i, node);
        else if (i % 2 == 0)
            combgpu_branch_city(b, records, i / 2, node);
        last = node;
        node = to;
    }
    return length;
}

/* Returns the most expensive free edge of the 1-tree at a node, other than `except`. */
COMBGPU__DEVICE uint32_t combgpu_branch_dearest(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                                uint32_t node, uint32_t second, uint32_t except)
{
    int64_t x = COMBGPU__BRANCH_FAR;
    uint32_t y = COMBGPU__NONE, a, end = node == COMBGPU__NONE ? 0 : b->begin[node] + b->open[node];
    for (a = node == COMBGPU__NONE ? 0 : b->begin[node] + COMBGPU__GROUP_LANE; a < end;
         a += COMBGPU__BRANCH_LANES) {
        uint32_t arc = b->arcs[a], edge = (arc >> 9) & 0x7fff;
        int64_t cost = -combgpu_branch_cost(b, edge);
        if (arc >> 31 || edge == except || cost >= x) continue;
        if (edge != second && b->parent_edge[node] != edge && b->parent_edge[arc & 511] != edge)
            continue;
        x = cost;
        y = edge;
    }
    combgpu_branch_least(COMBGPU__GROUP, b, &x, &y);
    return y;
}

/* Writes a child as a task. `first` gets a mark of its own; so does `other`, unless other_mark is
   0. */
COMBGPU__DEVICE void combgpu_branch_pack(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                         COMBGPU__GLOBAL uint32_t *task, int64_t bound,
                                         uint64_t share, uint32_t first, uint32_t first_mark,
                                         uint32_t other, uint32_t other_mark)
{
    uint32_t words = (b->edges + 15) / 16, i, j;
    if (COMBGPU__GROUP_LANE == 0) {
        combgpu_store64(task + COMBGPU__BRANCH_TASK_BOUND, (uint64_t)bound);
        combgpu_store64(task + COMBGPU__BRANCH_TASK_SHARE, share);
    }
    for (i = COMBGPU__GROUP_LANE; i < b->nodes; i += COMBGPU__BRANCH_LANES)
        combgpu_store64(task + COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * i, (uint64_t)b->now[i]);
    task += COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * b->nodes;
    for (i = COMBGPU__GROUP_LANE; i < words; i += COMBGPU__BRANCH_LANES) {
        uint32_t word = 0;
        for (j = 0; j < 16 && i * 16 + j < b->edges; j++) {
            uint32_t edge = i * 16 + j, mark = b->marks[edge];
            if (edge == first) mark = first_mark;
            if (edge == other && other_mark) mark = other_mark;
            word |= mark << (2 * j);
        }
        task[i] = word;
    }
}

/* Makes a step of the multipliers along 7/10 of this 1-tree's degrees less 2 plus 3/10 of the
   previous one's. */
COMBGPU__DEVICE void combgpu_branch_move(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                         uint32_t rows, int32_t *last, int64_t distance,
                                         uint32_t squares, uint32_t boldness, uint32_t begun)
{
    int64_t step = distance / squares;
    uint32_t k;
    step = (step >> 10) * boldness + (((step & 1023) * boldness) >> 10);
    if (step < 1) step = 1;
    if (step > COMBGPU__BRANCH_MULTIPLIER) step = COMBGPU__BRANCH_MULTIPLIER;
    for (k = 0; k < rows; k++) {
        uint32_t v = COMBGPU__GROUP_LANE + k * COMBGPU__BRANCH_LANES;
        int32_t excess;
        int64_t value;
        if (v >= b->nodes) continue;
        excess = (int32_t)b->degree[v] - 2;
        value = b->now[v] + step * (begun ? 7 * excess + 3 * last[k] : 10 * excess) / 10;
        b->now[v] = value > COMBGPU__BRANCH_MULTIPLIER    ? COMBGPU__BRANCH_MULTIPLIER
                    : value < -COMBGPU__BRANCH_MULTIPLIER ? -COMBGPU__BRANCH_MULTIPLIER
                                                          : value;
        last[k] = excess;
    }
}

/* ---------------------------------------------------------------------- src/tsp/branch/solve.cl */

/* The kernels of branch and bound, and a worker's slice. */

/* A worker's mode: to begin a new node; the ascent; to fix edges by the tree of the ascent's best
   multipliers; to make the last tree after the last edges were fixed. */
#define COMBGPU__BRANCH_NEW 0u
#define COMBGPU__BRANCH_ASCENT 1u
#define COMBGPU__BRANCH_FIX 2u
#define COMBGPU__BRANCH_LAST 3u

/* A worker's state. */
typedef struct combgpu_branch_state_t {
    uint32_t count, mode;  /* count: nodes on the stack */
    int64_t grain, length; /* least gain of a better tour; length of the best tour */
    /* the current node's bound and share of the search; the ascent's best 1-tree, its trees so far and
       at most, trees since the best one, size of steps; rounds of ascent and fixing */
    int64_t bound, best;
    uint64_t share;
    uint32_t made, limit, waited, boldness, round;
    uint32_t trees, pending; /* trees: of the node; pending: the previous 1-tree fixed edges */
    /* the last 1-tree: degrees less 2; node 0's first child; the leaf with a second edge, that edge and
       its cost; number of edges that the tree forbade */
    int32_t *last;
    uint32_t first, special, second, forbidden;
    int64_t second_cost;
    /* this round begins a node; makes a 1-tree, which is a tour; the node is to branch; is done without
       children */
    uint32_t fresh, run, tour, branch, done;
    uint32_t steps, nodes; /* totals */
    uint64_t shares;
} combgpu_branch_state_t;

/* Fixes the edges of a new node, or those by the previous 1-tree. Returns 0 if no tour is left;
   *fixed gets the number of edges fixed. */
COMBGPU__DEVICE uint32_t combgpu_branch_fix(COMBGPU__GROUP_PARAMETER, combgpu_branch_t *b,
                                            uint32_t fresh, uint32_t pending, uint32_t *fixed)
{
    uint32_t fine = 1, fail;
    if (fresh) fine = combgpu_branch_degrees(COMBGPU__GROUP, b);
    COMBGPU__WARP_BARRIER();
    if (fresh || pending) fine &= combgpu_branch_queue(COMBGPU__GROUP, b);
    COMBGPU__WARP_BARRIER();
    fail = COMBGPU__GROUP_ANY(!fine);
    b->fixed = 0;
    if (fresh) b->forced_count = 0;
    if ((fresh || pending) && !fail && COMBGPU__GROUP_LANE == 0)
        fine = combgpu_branch_settle(b, fresh);
    COMBGPU__WARP_BARRIER();
    fail = COMBGPU__GROUP_ANY(!fine);
    *fixed = COMBGPU__GROUP_FROM(b->fixed, 0);
    if (COMBGPU__GROUP_LANE == 0) b->counts[0] = b->counts[1] = 0;
    return !fail;
}

/* Chooses the next mode after edges were fixed: the ascent or the last tree. Returns 1 if the node
   is to branch. */
COMBGPU__DEVICE uint32_t combgpu_branch_plan(combgpu_branch_state_t *s, uint32_t fixed)
{
    if (s->fresh) s->round = 0;
    if (s->pending && !fixed) return 1;
    if (s->pending && s->round && fixed < 3) {
        s->mode = COMBGPU__BRANCH_LAST;
        return 0;
    }
    s->limit = s->fresh ? 20 : s->limit * 2 / 3 + 3;
    s->boldness = s->fresh ? 1024 : 512;
    s->round += s->pending;
    s->made = s->waited = 0;
    s->best = -COMBGPU__BRANCH_FAR;
    s->mode = COMBGPU__BRANCH_ASCENT;
    return 0;
}

/* Makes a step of the ascent after a 1-tree of this value. Returns 1 if the 1-tree is a tour. */
COMBGPU__DEVICE uint32_t combgpu_branch_ascend(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                               uint32_t rows, combgpu_branch_state_t *s,
                                               int64_t value, uint32_t squares)
{
    uint32_t end = 1, tour = 0, i;
    s->waited++;
    if (value > s->best) {
        s->best = value;
        s->waited = 0;
        for (i = COMBGPU__GROUP_LANE; value != COMBGPU__BRANCH_FAR && i < b->nodes;
             i += COMBGPU__BRANCH_LANES)
            b->best[i] = b->now[i];
    }
    if (value <= s->length - s->grain) {
        tour = !squares;
        if (squares && s->made + 1 < s->limit) {
            if (s->waited >= 3) {
                s->boldness = s->boldness * 7 / 10;
                s->waited = 0;
            }
            end = s->boldness < 2;
        }
    }
    if (!end)
        combgpu_branch_move(COMBGPU__GROUP, b, rows, s->last, s->length - value, squares,
                            s->boldness, s->made++);
    else {
        for (i = COMBGPU__GROUP_LANE; i < b->nodes; i += COMBGPU__BRANCH_LANES)
            b->now[i] = b->best[i];
        if (s->best > s->bound) s->bound = s->best;
        s->mode = COMBGPU__BRANCH_FIX;
    }
    return tour;
}

/* Returns the node to branch on: of those of degree 3 or more in the 1-tree, the one with the
   fewest free edges. COMBGPU__NONE: the 1-tree is a tour. */
COMBGPU__DEVICE uint32_t combgpu_branch_fork(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                             uint32_t run)
{
    uint32_t least = COMBGPU__NONE, i;
    for (i = COMBGPU__GROUP_LANE; run && i < b->nodes; i += COMBGPU__BRANCH_LANES) {
        uint32_t rated = (b->open[i] - b->forced[i]) << 9 | i;
        if (b->degree[i] >= 3 && rated < least) least = rated;
    }
    least = COMBGPU__GROUP_MIN(least);
    return run && least != COMBGPU__NONE ? least & 511 : COMBGPU__NONE;
}

/* Pushes the children of a node on the stack and returns their number. */
COMBGPU__DEVICE uint32_t combgpu_branch_children(COMBGPU__GROUP_PARAMETER,
                                                 const combgpu_branch_t *b,
                                                 COMBGPU__GLOBAL uint32_t *to, uint32_t words,
                                                 uint32_t fork, uint32_t second, int64_t bound,
                                                 uint64_t share)
{
    const uint32_t e0 = combgpu_branch_dearest(COMBGPU__GROUP, b, fork, second, COMBGPU__NONE);
    const uint32_t e1 = combgpu_branch_dearest(COMBGPU__GROUP, b, fork, second, e0);
    uint32_t children = fork == COMBGPU__NONE ? 0 : b->forced[fork] ? 2 : 3, i;
    for (i = 0; i < children; i++) {
        combgpu_branch_pack(COMBGPU__GROUP, b, to + i * words, bound,
                            share / children + (i ? 0 : share % children), e0,
                            i ? COMBGPU__EDGE_FORCED : COMBGPU__EDGE_FORBIDDEN, e1,
                            !i || children == 2 ? COMBGPU__EDGE_FREE
                            : i == 1            ? COMBGPU__EDGE_FORBIDDEN
                                                : COMBGPU__EDGE_FORCED);
        if (b->number && COMBGPU__GROUP_LANE == 0) to[i * words + words - 1] = b->number;
    }
    return children;
}

/* Sets the pointers to a graph in the tables. */
COMBGPU__DEVICE void combgpu_branch_graph(combgpu_branch_t *b,
                                          COMBGPU__GLOBAL const uint32_t *tables)
{
    uint32_t nodes = tables[COMBGPU__BRANCH_AT_NODES], edges = tables[COMBGPU__BRANCH_AT_EDGES];
    b->tables = tables;
    b->nodes = nodes;
    b->edges = edges;
    b->ends = tables + COMBGPU__BRANCH_AT_ENDS;
    b->begin = b->ends + edges;
    b->incident = b->begin + nodes + 1;
    b->weights =
        (COMBGPU__GLOBAL const int64_t *)(tables + COMBGPU__BRANCH_AT_WEIGHTS(nodes, edges));
}

/* Turns to the graph of instance `number` of a batch. */
COMBGPU__DEVICE void combgpu_branch_turn(combgpu_branch_t *b, combgpu_branch_state_t *s,
                                         COMBGPU__GLOBAL const uint32_t *tables, uint32_t number)
{
    b->number = number;
    combgpu_branch_graph(
        b, tables + combgpu_load64(tables + COMBGPU__BATCH_AT_GRAPHS + 2 * (uint64_t)(number - 1)));
    s->grain = (int64_t)combgpu_load64(b->tables + COMBGPU__BRANCH_AT_GRAIN);
    s->length = (int64_t)combgpu_load64(b->tables + COMBGPU__BRANCH_AT_LENGTH);
}

/* Finds a node of the search tree for the next round: the current one, the stack's last, or a task.
   Returns 0 if there is none or the worker's budget is spent. */
COMBGPU__DEVICE uint32_t combgpu_branch_next(COMBGPU__GROUP_PARAMETER,
                                             COMBGPU__GLOBAL combgpu__slice *slice,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL const uint32_t *tasks,
                                             combgpu_branch_t *b, combgpu_branch_state_t *s,
                                             uint32_t many)
{
    const uint32_t words = slice->task_words, busy = COMBGPU__GROUP_INDEX < slice->workers;
    const uint32_t want = s->mode == COMBGPU__BRANCH_NEW;
    COMBGPU__GLOBAL uint32_t *top = b->stack;
    uint32_t fail, task, over, i;
    fail = COMBGPU__GROUP_FROM(COMBGPU__GROUP_LANE == 0 ? combgpu_spent(slice, s->steps) : 0, 0);
    fail |= (uint32_t)(!busy | (s->count + 3 > (uint32_t)COMBGPU__BRANCH_OPEN));
    task = COMBGPU__GROUP_TAKE(slice, want & (uint32_t)(!s->count & !fail));
    over = want ? (s->count ? fail : task == COMBGPU__NONE) : 0;
    for (i = COMBGPU__GROUP_LANE; task != COMBGPU__NONE && i < words; i += COMBGPU__BRANCH_LANES)
        b->stack[i] = tasks[(uint64_t)task * words + i];
    s->count += task != COMBGPU__NONE;
    COMBGPU__WARP_BARRIER();
    if (many && task != COMBGPU__NONE) combgpu_branch_turn(b, s, tables, b->stack[words - 1]);
    s->fresh = s->done = 0;
    if (want && !over) {
        top += --s->count * words;
        s->bound = (int64_t)combgpu_load64(top + COMBGPU__BRANCH_TASK_BOUND);
        s->share = combgpu_load64(top + COMBGPU__BRANCH_TASK_SHARE);
        s->fresh = s->bound <= s->length - s->grain;
        s->done = !s->fresh;
    }
    if (s->fresh) combgpu_branch_unpack(COMBGPU__GROUP, b, top);
    COMBGPU__WARP_BARRIER();
    return !over;
}

/* Fixes edges, and decides what the round does with the node. */
COMBGPU__DEVICE void combgpu_branch_prepare(COMBGPU__GROUP_PARAMETER, combgpu_branch_t *b,
                                            combgpu_branch_state_t *s)
{
    const uint32_t changed = s->fresh || s->pending;
    uint32_t fixed, fine = combgpu_branch_fix(COMBGPU__GROUP, b, s->fresh, s->pending, &fixed);
    s->nodes += s->fresh;
    s->branch = 0;
    if (changed && !fine)
        s->done = 1;
    else if (changed)
        s->branch = combgpu_branch_plan(s, s->forbidden + fixed);
    s->run = !s->done && !s->branch;
    if (s->run && changed) combgpu_branch_arcs(COMBGPU__GROUP, b);
    s->pending = 0;
    COMBGPU__WARP_BARRIER();
}

/* Makes a 1-tree if the round does, and draws its conclusions. */
COMBGPU__DEVICE void combgpu_branch_relax(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                          combgpu_branch_state_t *s, uint32_t rows)
{
    uint32_t run = s->run, squares = 0, i;
    int64_t total = combgpu_branch_spanning_tree(COMBGPU__GROUP, b, rows, run, &s->first);
    int64_t value = combgpu_branch_one_tree(COMBGPU__GROUP, b, rows, run, total, s->first,
                                            &s->special, &s->second, &s->second_cost);
    s->trees += run;
    for (i = COMBGPU__GROUP_LANE; i < b->nodes; i += COMBGPU__BRANCH_LANES)
        squares += (b->degree[i] - 2) * (b->degree[i] - 2);
    squares = COMBGPU__GROUP_ADD(squares);
    s->tour = 0;
    if (run && s->mode == COMBGPU__BRANCH_ASCENT) {
        s->tour = combgpu_branch_ascend(COMBGPU__GROUP, b, rows, s, value, squares);
        if (s->mode == COMBGPU__BRANCH_FIX) s->done = s->tour || s->bound > s->length - s->grain;
        run = 0;
    }
    COMBGPU__WARP_BARRIER();
    if (run && s->mode == COMBGPU__BRANCH_FIX) s->pending = 1;
    s->forbidden =
        combgpu_branch_reduce(COMBGPU__GROUP, b, s->pending, s->length - s->grain - value, s->first,
                              s->special, s->second, s->second_cost);
    if (run && s->mode == COMBGPU__BRANCH_LAST) {
        s->branch = value <= s->length - s->grain;
        s->done = !s->branch;
    }
}

/* Ends the node if this round does: children, a tour, or nothing. */
COMBGPU__DEVICE void combgpu_branch_close(COMBGPU__GROUP_PARAMETER,
                                          COMBGPU__GLOBAL combgpu__slice *slice,
                                          const combgpu_branch_t *b, combgpu_branch_state_t *s,
                                          COMBGPU__GLOBAL uint32_t *records)
{
    const uint32_t words = slice->task_words;
    const uint32_t fork = combgpu_branch_fork(COMBGPU__GROUP, b, s->branch);
    int64_t length = s->length;
    uint32_t again;
    if (s->branch && fork == COMBGPU__NONE) s->tour = 1;
    s->count += combgpu_branch_children(COMBGPU__GROUP, b, b->stack + s->count * words, words, fork,
                                        s->second, s->bound, s->share);
    if (s->tour && COMBGPU__GROUP_LANE == 0)
        length = combgpu_branch_tour(slice, b, records, s->second, s->length);
    again = COMBGPU__GROUP_FROM((uint32_t)((uint64_t)length >> 32), 0);
    length = (int64_t)((uint64_t)again << 32 | COMBGPU__GROUP_FROM((uint32_t)length, 0));
    again = s->tour && length == s->length; /* no room for the record: find it again */
    s->length = length;
    if (again) {
        s->count++;
        s->nodes--;
    } else if (s->tour || s->done)
        s->shares += s->share;
    if (s->tour || s->done || fork != COMBGPU__NONE) {
        if (!again) s->steps += s->trees;
        s->trees = 0;
        s->mode = COMBGPU__BRANCH_NEW;
    }
}

/* A worker's slice. Each round makes a 1-tree of the current node, or begins or ends a node. With
   `many`, the nodes are of many instances, and a worker's stack of one. */
COMBGPU__DEVICE void combgpu_branch_slice(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS,
                                          combgpu_branch_t *b, uint32_t rows, uint32_t many)
{
    const uint32_t words = slice->task_words;
    int32_t last[9];
    combgpu_branch_state_t s;
    uint32_t i;
    (void)work;
    s.count = s.steps = s.nodes = s.trees = s.forbidden = 0;
    s.first = s.special = s.second = 0;
    s.second_cost = 0;
    s.shares = s.share = 0;
    s.grain = (int64_t)combgpu_load64(tables + COMBGPU__BRANCH_AT_GRAIN);
    s.length = (int64_t)combgpu_load64(tables + COMBGPU__BRANCH_AT_LENGTH);
    s.bound = s.best = 0;
    s.made = s.limit = s.waited = s.boldness = s.round = s.pending = 0;
    s.mode = COMBGPU__BRANCH_NEW;
    s.last = last;
    for (i = 0; i < 9; i++)
        last[i] = 0;
    if (COMBGPU__GROUP_LANE == 0) b->counts[0] = b->counts[1] = 0;
    while (combgpu_branch_next(COMBGPU__GROUP, slice, tables, tasks, b, &s, many)) {
        combgpu_branch_prepare(COMBGPU__GROUP, b, &s);
        combgpu_branch_relax(COMBGPU__GROUP, b, &s, rows);
        combgpu_branch_close(COMBGPU__GROUP, slice, b, &s, records);
    }
    while (s.count) { /* deepest first: the next slice takes them first */
        uint32_t at = COMBGPU__GROUP_GIVE(slice, 1);
        s.count--;
        for (i = COMBGPU__GROUP_LANE; i < words; i += COMBGPU__BRANCH_LANES)
            left[(uint64_t)at * words + i] = b->stack[s.count * words + i];
    }
    if (COMBGPU__GROUP_LANE == 0) {
        combgpu_add_total(slice, 0, s.steps);
        if (!many) combgpu_add_total(slice, COMBGPU__BRANCH_S_NODES, s.nodes);
        combgpu_add_total(slice, COMBGPU__BRANCH_S_SHARES, s.shares);
    }
}

/* Sets the pointers to the graph in `tables` and to the worker's memory; of a batch, the tables begin
   with the most nodes and edges of a graph. */
COMBGPU__DEVICE void combgpu_branch_layout(COMBGPU__GROUP_PARAMETER, combgpu_branch_t *b,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL uint32_t *work, uint32_t task_words)
{
    uint32_t nodes = tables[COMBGPU__BRANCH_AT_NODES], edges = tables[COMBGPU__BRANCH_AT_EDGES];
    work += (uint64_t)COMBGPU__GROUP_INDEX * COMBGPU__BRANCH_WORK_WORDS(nodes, edges, task_words);
    combgpu_branch_graph(b, tables);
    b->best = (COMBGPU__GLOBAL int64_t *)work;
    b->arcs = work + 2 * nodes;
    b->marks = (COMBGPU__GLOBAL uint8_t *)(b->arcs + 2 * edges);
    b->stack = b->arcs + 2 * edges + COMBGPU__BRANCH_MARK_WORDS(edges);
    b->fixed = b->forced_count = b->number = 0;
}

#ifdef COMBGPU__PACKED
#define COMBGPU__BRANCH_SCRATCH
#define COMBGPU__BRANCH_SCRATCH_SET
#else
#define COMBGPU__BRANCH_SCRATCH                                                                    \
    COMBGPU__LOCAL_ARRAY int64_t lane_x[32];                                                       \
    COMBGPU__LOCAL_ARRAY uint32_t lane_y[32];
#define COMBGPU__BRANCH_SCRATCH_SET                                                                \
    b.lane_x = lane_x;                                                                             \
    b.lane_y = lane_y;
#endif
#define COMBGPU__BRANCH_KERNEL(ROWS, MANY)                                                         \
    COMBGPU__LOCAL_ARRAY int64_t now[32 * ROWS], key[32 * ROWS];                                   \
    COMBGPU__LOCAL_ARRAY uint32_t degree[32 * ROWS], open[32 * ROWS], flag[32 * ROWS], counts[2];  \
    COMBGPU__LOCAL_ARRAY uint16_t parent[32 * ROWS], parent_edge[32 * ROWS], rank[32 * ROWS];      \
    COMBGPU__LOCAL_ARRAY uint16_t forced[32 * ROWS], other_end[32 * ROWS], queue[32 * ROWS],       \
        list[32 * ROWS];                                                                           \
    COMBGPU__BRANCH_SCRATCH                                                                        \
    combgpu_branch_t b;                                                                            \
    COMBGPU__GROUP_BEGIN(32);                                                                      \
    combgpu_branch_layout(COMBGPU__GROUP, &b, tables, work, slice->task_words);                    \
    b.now = now;                                                                                   \
    b.key = key;                                                                                   \
    b.degree = degree;                                                                             \
    b.open = open;                                                                                 \
    b.flag = flag;                                                                                 \
    b.parent = parent;                                                                             \
    b.parent_edge = parent_edge;                                                                   \
    b.rank = rank;                                                                                 \
    b.forced = forced;                                                                             \
    b.other_end = other_end;                                                                       \
    b.queue = queue;                                                                               \
    b.list = list;                                                                                 \
    b.counts = counts;                                                                             \
    COMBGPU__BRANCH_SCRATCH_SET                                                                    \
    combgpu_branch_slice(COMBGPU__GROUP, slice, tables, tasks, left, records, work, &b, ROWS, MANY)

/* A block is one group: its local memory is the worker's. */
COMBGPU__KERNEL combgpu_tsp_branch(COMBGPU__SLICE_ARGUMENTS) /* up to 128 nodes */
{
    COMBGPU__BRANCH_KERNEL(COMBGPU__BRANCH_NARROW / 32, 0);
}

COMBGPU__KERNEL combgpu_tsp_branch_wide(COMBGPU__SLICE_ARGUMENTS) /* up to 288 */
{
    COMBGPU__BRANCH_KERNEL(9, 0);
}

COMBGPU__KERNEL combgpu_tsp_branch_batch(COMBGPU__SLICE_ARGUMENTS) /* up to 128, many instances */
{
    COMBGPU__BRANCH_KERNEL(COMBGPU__BRANCH_NARROW / 32, 1);
}

#endif /* BRANCH */
#endif /* TSP */

#endif /* COMBGPU__KERNELS */
