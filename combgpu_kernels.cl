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
     slices      SLICE_ARGUMENTS, STOPPED(slice), combgpu_take, _give, _emit, _add_total
     groups      8 or 32 lanes that share a task: see GROUP OPERATIONS below

   After a change to this file run tests/embed_kernels.sh: combgpu_cl.c carries a copy. */

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
#define DEVICE static inline __attribute__((unused))
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
    u32 reserved[5];
    u32 totals[32];
} combgpu_slice_t;

/* The six arguments of every kernel. */
#define SLICE_ARGUMENTS                                                                            \
    GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables, GLOBAL const u32 *tasks,              \
        GLOBAL u32 *left, GLOBAL u32 *records, GLOBAL u32 *work

/* Nonzero once a worker has asked all others to end the slice. A plain read, since any moment does;
   for a check of data races (oclgrind --build-options -DCOMBGPU_RACE_CHECK) an atomic one. */
#ifdef COMBGPU_RACE_CHECK
#define STOPPED(slice) ATOMIC_OR(&(slice)->stop, 0)
#else
#define STOPPED(slice) (*(volatile GLOBAL u32 *)&(slice)->stop)
#endif

#define NONE 0xffffffffu /* no task, no record */

/* Each of the next four is called by one lane of a worker. */

/* The index of a task that is now this worker's, or NONE; do not ask again after NONE. */
DEVICE u32 combgpu_take(GLOBAL combgpu_slice_t *slice)
{
    u32 i = ATOMIC_ADD(&slice->task_next, 1);
    return i < slice->task_count ? i : NONE;
}

/* The index in `left` for a task given back; the engine left room for left_per_worker each. */
DEVICE u32 combgpu_give(GLOBAL combgpu_slice_t *slice)
{
    return ATOMIC_ADD(&slice->left_count, 1);
}

/* The index in `records` for a record, or NONE if the buffer is full: then the slice ends, and the
   worker must not count what it found, but give back a task that finds it again. */
DEVICE u32 combgpu_emit(GLOBAL combgpu_slice_t *slice)
{
    u32 i = ATOMIC_ADD(&slice->record_count, 1);
    if (i < slice->record_capacity) return i;
    ATOMIC_OR(&slice->stop, 1);
    return NONE;
}

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

/* GROUP OPERATIONS: 8 or 32 consecutive lanes are a worker and share a task. The *crew* of a group
   is all lanes that run in lockstep: a warp (four groups of 8, or one of 32) where there are
   shuffles; elsewhere the group alone, which is then the whole block. EVERY lane of the crew must
   reach every operation below that is marked *, together, also lanes whose group has nothing to do:
   so control flow around them depends only on CREW_ANY, and a lane without work passes any value.

     GROUP_BEGIN(lanes)    at the top of a kernel; lanes is 8 or 32 and constant
     GROUP_PARAMETER, GROUP  for functions: f(GROUP_PARAMETER, u32 x) is called as f(GROUP, x)
     GROUP_LANE            0 .. lanes-1
     GROUP_INDEX           the worker's number; those from slice->workers on must take no task
   * GROUP_MIN(x)          the smallest u32 x of the group, in all its lanes
   * GROUP_ADD(x)          the sum of the group's u32 x
   * GROUP_BALLOT(p)       bit i = (p != 0) in the group's lane i
   * GROUP_ANY(p)          nonzero if p holds in a lane of the group
   * GROUP_FROM(x, i)      the u32 x of the group's lane i (each lane may ask for another i)
   * CREW_ANY(p)           nonzero if p holds in a lane of the crew
   * CREW_BARRIER()        what lanes wrote to GLOBAL or LOCAL memory before is seen after
   * GROUP_TAKE(slice, p)  combgpu_take by the group's lane 0 if p holds there, else NONE; in all its
                           lanes. Likewise GROUP_GIVE(slice, p) and GROUP_EMIT(slice, p)

   Lanes may see STOPPED(slice) at different moments: let one lane decide, as in
   GROUP_TAKE(slice, steps < slice->budget && !STOPPED(slice)). PROBE below is an example. */
typedef struct combgpu_group_t {
    u32 lanes, lane, index;
#ifdef COMBGPU_SHUFFLE
    u32 first; /* the group's lane 0 within the warp */
#else
    LOCAL u32 *scratch; /* a word for each lane */
#endif
} combgpu_group_t;

#define GROUP group
#define GROUP_PARAMETER const combgpu_group_t group
#define GROUP_LANE (group.lane)
#define GROUP_INDEX (group.index)
#define GROUP_MIN(x) combgpu_group_min(group, (x))
#define GROUP_ADD(x) combgpu_group_add(group, (x))
#define GROUP_BALLOT(p) combgpu_group_ballot(group, (p) != 0)
#define GROUP_ANY(p) (GROUP_BALLOT(p) != 0)
#define GROUP_FROM(x, i) combgpu_group_from(group, (x), (i))
#define GROUP_TAKE(slice, p) combgpu_group_take(group, (slice), (p) != 0)
#define GROUP_GIVE(slice, p) combgpu_group_give(group, (slice), (p) != 0)
#define GROUP_EMIT(slice, p) combgpu_group_emit(group, (slice), (p) != 0)

#ifdef COMBGPU_SHUFFLE
#ifndef __CUDACC__ /* NVIDIA's OpenCL has no sub-groups, but takes PTX */
DEVICE u32 combgpu_shuffle(u32 x, u32 i)
{
    u32 y;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(y) : "r"(x), "r"(i));
    return y;
}

DEVICE u32 combgpu_shuffle_xor(u32 x, u32 mask)
{
    u32 y;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                     : "=r"(y)
                     : "r"(x), "r"(mask));
    return y;
}

DEVICE u32 combgpu_ballot(u32 p)
{
    u32 y;
    __asm__ volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, q, "
                     "0xffffffff; }"
                     : "=r"(y)
                     : "r"(p));
    return y;
}

#define CREW_BARRIER() __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory")
#else
DEVICE u32 combgpu_shuffle(u32 x, u32 i)
{
    return __shfl_sync(0xffffffffu, x, (int)i);
}

DEVICE u32 combgpu_shuffle_xor(u32 x, u32 mask)
{
    return __shfl_xor_sync(0xffffffffu, x, (int)mask);
}

DEVICE u32 combgpu_ballot(u32 p)
{
    return __ballot_sync(0xffffffffu, (int)p);
}

#define CREW_BARRIER() __syncwarp()
#endif
#define CREW_ANY(p) (combgpu_ballot((p) != 0) != 0)
#define GROUP_BEGIN(lanes)                                                                         \
    const combgpu_group_t group = {lanes, LANE_ID & ((lanes)-1u),                                  \
                                   (BLOCK_ID * BLOCK_LANES + LANE_ID) / (lanes),                   \
                                   LANE_ID & 31u & ~((lanes)-1u)}

DEVICE u32 combgpu_group_min(GROUP_PARAMETER, u32 x)
{
    u32 step, y;
    for (step = 1; step < group.lanes; step *= 2) {
        y = combgpu_shuffle_xor(x, step);
        if (y < x) x = y;
    }
    return x;
}

DEVICE u32 combgpu_group_add(GROUP_PARAMETER, u32 x)
{
    u32 step;
    for (step = 1; step < group.lanes; step *= 2)
        x += combgpu_shuffle_xor(x, step);
    return x;
}

DEVICE u32 combgpu_group_ballot(GROUP_PARAMETER, u32 p)
{
    return (combgpu_ballot(p) >> group.first) & (0xffffffffu >> (32 - group.lanes));
}

DEVICE u32 combgpu_group_from(GROUP_PARAMETER, u32 x, u32 i)
{
    return combgpu_shuffle(x, group.first + i);
}

#else /* no shuffles: local memory; the block is one group, so a block barrier is enough */
#define CREW_BARRIER() BLOCK_BARRIER()
#define CREW_ANY(p) GROUP_ANY(p)
#define GROUP_BEGIN(lanes)                                                                         \
    LOCAL_ARRAY u32 group_scratch[lanes];                                                          \
    const combgpu_group_t group = {lanes, LANE_ID, BLOCK_ID, group_scratch}

DEVICE u32 combgpu_group_min(GROUP_PARAMETER, u32 x)
{
    u32 i;
    group.scratch[group.lane] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (i = 0; i < group.lanes; i++)
        x = min(x, group.scratch[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    return x;
}

DEVICE u32 combgpu_group_add(GROUP_PARAMETER, u32 x)
{
    u32 i, sum = 0;
    group.scratch[group.lane] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (i = 0; i < group.lanes; i++)
        sum += group.scratch[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

DEVICE u32 combgpu_group_ballot(GROUP_PARAMETER, u32 p)
{
    return combgpu_group_add(group, p << group.lane);
}

DEVICE u32 combgpu_group_from(GROUP_PARAMETER, u32 x, u32 i)
{
    u32 y;
    group.scratch[group.lane] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    y = group.scratch[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return y;
}
#endif

DEVICE u32 combgpu_group_take(GROUP_PARAMETER, GLOBAL combgpu_slice_t *slice, u32 p)
{
    u32 i = NONE;
    if (p && group.lane == 0) i = combgpu_take(slice);
    return combgpu_group_from(group, i, 0);
}

DEVICE u32 combgpu_group_give(GROUP_PARAMETER, GLOBAL combgpu_slice_t *slice, u32 p)
{
    u32 i = NONE;
    if (p && group.lane == 0) i = combgpu_give(slice);
    return combgpu_group_from(group, i, 0);
}

DEVICE u32 combgpu_group_emit(GROUP_PARAMETER, GLOBAL combgpu_slice_t *slice, u32 p)
{
    u32 i = NONE;
    if (p && group.lane == 0) i = combgpu_emit(slice);
    return combgpu_group_from(group, i, 0);
}

/* ---------------------------------------------------------------------------------- PROBE */
/* The self-test of the operations above (combgpu__backend_self_test): a task is a number; lanes hash
   it and exchange what they got, and a record holds it with a sum of it all. */
#if defined(COMBGPU_KERNELS_PROBE) || defined(__CUDACC__)

DEVICE u32 combgpu_probe_hash(u32 seed, u32 lane)
{
    u32 x = seed * 0x9e3779b9u + lane * 0x85ebca6bu;
    x = (x ^ (x >> 15)) * 0x2c1b3c6du;
    return x ^ (x >> 13);
}

DEVICE void combgpu_probe(GROUP_PARAMETER, SLICE_ARGUMENTS)
{
    u32 steps = 0, busy = GROUP_INDEX < slice->workers, bits = tables[0];
    GLOBAL u32 *own = work + GROUP_INDEX * group.lanes;
    while (CREW_ANY(busy)) {
        u32 task = GROUP_TAKE(slice, busy && steps < slice->budget && !STOPPED(slice));
        u32 seed = 0, x, sum, other, at;
        busy = task != NONE;
        if (busy) seed = tasks[task];
        x = combgpu_probe_hash(seed, GROUP_LANE);
        if (busy) own[GROUP_LANE] = x;
        sum = GROUP_MIN(x) * 3 + GROUP_BALLOT(x & bits) * 5 + GROUP_ADD(x) * 7;
        other = GROUP_FROM(x, (x >> 8) & (group.lanes - 1));
        CREW_BARRIER();
        if (busy) other += own[group.lanes - 1 - GROUP_LANE] * 9;
        CREW_BARRIER();
        sum = GROUP_ADD(sum ^ other);
        at = GROUP_EMIT(slice, busy);
        if (at != NONE && GROUP_LANE == 0) {
            records[2 * at] = seed;
            records[2 * at + 1] = sum;
            combgpu_add_total(slice, 1, (u64)sum << 32 | x);
        }
        steps += at != NONE;
        busy = busy && at != NONE ? 1 : 0;
        at = GROUP_GIVE(slice, task != NONE && !busy);
        if (at != NONE && GROUP_LANE == 0) left[at] = seed;
    }
    if (GROUP_LANE == 0) combgpu_add_total(slice, 0, steps);
}

KERNEL combgpu_probe8(SLICE_ARGUMENTS)
{
    GROUP_BEGIN(8);
    combgpu_probe(GROUP, slice, tables, tasks, left, records, work);
}

KERNEL combgpu_probe32(SLICE_ARGUMENTS)
{
    GROUP_BEGIN(32);
    combgpu_probe(GROUP, slice, tables, tasks, left, records, work);
}

#endif /* PROBE */

/* ---------------------------------------------------------------------------------- MAGIC */
#if defined(COMBGPU_KERNELS_MAGIC) || defined(__CUDACC__)

#endif /* MAGIC */

/* ---------------------------------------------------------------------------------- NO3 */
#if defined(COMBGPU_KERNELS_NO3) || defined(__CUDACC__)

#endif /* NO3 */

/* ---------------------------------------------------------------------------------- PERM */
#if defined(COMBGPU_KERNELS_PERM) || defined(__CUDACC__)

#endif /* PERM */

/* ---------------------------------------------------------------------------------- TSP */
#if defined(COMBGPU_KERNELS_TSP) || defined(__CUDACC__)

#endif /* TSP */

#ifdef __CUDACC__ /* the short names end here: the file is included in a user's program */
#undef u8
#undef u16
#undef u32
#undef u64
#undef i32
#undef i64
#undef KERNEL
#undef DEVICE
#undef GLOBAL
#undef LOCAL
#undef LOCAL_ARRAY
#undef LANE_ID
#undef BLOCK_ID
#undef BLOCK_LANES
#undef BLOCK_COUNT
#undef BLOCK_BARRIER
#undef POPCOUNT
#undef CLZ
#undef CTZ
#undef ATOMIC_ADD
#undef ATOMIC_OR
#undef ATOMIC_MIN
#undef LOCAL_ATOMIC_ADD
#undef SLICE_ARGUMENTS
#undef STOPPED
#undef NONE
#undef GROUP
#undef GROUP_PARAMETER
#undef GROUP_LANE
#undef GROUP_INDEX
#undef GROUP_MIN
#undef GROUP_ADD
#undef GROUP_BALLOT
#undef GROUP_ANY
#undef GROUP_FROM
#undef GROUP_TAKE
#undef GROUP_GIVE
#undef GROUP_EMIT
#undef GROUP_BEGIN
#undef CREW_ANY
#undef CREW_BARRIER
#endif

#endif /* COMBGPU_KERNELS_CL */
