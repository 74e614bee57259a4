/* combgpu_kernels.cl - the device kernels of combgpu, one source for OpenCL C 1.2 and CUDA C++11.

   Each kernel is a worker's slice of a search (combgpu.h, SECTION 11): take tasks, count, emit
   records, give back what is left. The C solvers in combgpu.h do the same on the CPU and were written
   separately, so that each checks the other.

   THE DIALECT (upper case, defined here, undefined at the end in CUDA builds)
     types       u8 u16 u32 u64 i32 i64
     qualifiers  KERNEL, or KERNEL_BLOCKS(lanes, blocks) for so many blocks on a multiprocessor;
                 DEVICE (function), GLOBAL, LOCAL, LOCAL_ARRAY (declaration in a kernel)
     ids         LANE_ID (in the block), BLOCK_ID, BLOCK_LANES, BLOCK_COUNT, BLOCK_BARRIER(),
                 LOCAL_BARRIER() (for local memory alone; on NVIDIA's OpenCL much cheaper)
     bits        POPCOUNT(x) of u32, CLZ(x) of u32 (32 at 0), CTZ(x) of u32 (x != 0)
     atomics     ATOMIC_ADD, ATOMIC_OR, ATOMIC_MIN on GLOBAL u32 *, LOCAL_ATOMIC_ADD and _OR on LOCAL
     slices      SLICE_ARGUMENTS, combgpu_spent, _take, _give, _emit, _add_total
     groups      4, 8 or 32 lanes that share a task: see GROUP OPERATIONS below

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

/* Nonzero if a worker that has taken `steps` steps must give back what it holds. */
DEVICE u32 combgpu_spent(GLOBAL combgpu_slice_t *slice, u32 steps)
{
    u32 stop = STOPPED(slice);
    return steps >= (stop ? slice->least : slice->budget) || (stop & STOP_NOW);
}

/* The index of a task that is now this worker's, or NONE; do not ask again after NONE. */
DEVICE u32 combgpu_take(GLOBAL combgpu_slice_t *slice)
{
    u32 i = ATOMIC_ADD(&slice->task_next, 1);
    if (i < slice->task_count) return i;
    if (i - slice->task_count == slice->workers / 4) ATOMIC_OR(&slice->stop, STOP_HUNGRY);
    return NONE;
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
    ATOMIC_OR(&slice->stop, STOP_NOW);
    return NONE;
}

/* Many tasks are ranges of numbers, [next, end) in two 64-bit words. Gives back such a task. */
DEVICE void combgpu_give_range(GLOBAL combgpu_slice_t *slice, GLOBAL u32 *left, u64 next, u64 end)
{
    GLOBAL u32 *to = left + 4 * (u64)combgpu_give(slice);
    combgpu_store64(to, next);
    combgpu_store64(to + 2, end);
}

/* Nonzero if `next` is to be worked on, in the worker's range or at the start of one that is now its
   own; else the slice is over, and what was left of its range is given back. */
DEVICE u32 combgpu_in_range(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tasks,
                            GLOBAL u32 *left, u64 *next, u64 *end, u32 steps)
{
    GLOBAL const u32 *from;
    u32 task;
    if (combgpu_spent(slice, steps)) {
        if (*next != *end) combgpu_give_range(slice, left, *next, *end);
        return 0;
    }
    if (*next != *end) return 1;
    task = combgpu_take(slice);
    if (task == NONE) return 0;
    from = tasks + 4 * (u64)task;
    *next = combgpu_load64(from);
    *end = combgpu_load64(from + 2);
    return 1;
}

/* Adds to a 64-bit total with 32-bit atomics: the carry is known from the old low word. */
DEVICE void combgpu_add_total(GLOBAL combgpu_slice_t *slice, u32 i, u64 x)
{
    u32 low, high, old;
#ifdef COMBGPU_TEST_FAULT /* tests/test_verify_fault.c: a device that is wrong now and then */
    if ((u32)x % 3u == 1u) x++;
#endif
    low = (u32)x;
    high = (u32)(x >> 32);
    if (low) {
        old = ATOMIC_ADD(&slice->totals[2 * i], low);
        if (old + low < old) high++;
    }
    if (high) ATOMIC_ADD(&slice->totals[2 * i + 1], high);
}

/* GROUP OPERATIONS: 4, 8 or 32 consecutive lanes are a worker and share a task. The *crew* of a
   group is all lanes that run in lockstep: a warp (eight groups of 4, four of 8, or one of 32) where
   there are shuffles; elsewhere the group alone, which is then the whole block. EVERY lane of the
   crew must reach every operation below that is marked *, together, also lanes whose group has
   nothing to do: so control flow around them depends only on CREW_ANY, and a lane without work
   passes any value.

     GROUP_BEGIN(lanes)    at the top of a kernel; lanes is 4, 8 or 32 and constant
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

   Lanes may see slice->stop at different moments: let one lane decide, as in
   GROUP_TAKE(slice, !combgpu_spent(slice, steps)). PROBE below is an example. */
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
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (group.lanes == 32) return __reduce_min_sync(0xffffffffu, x);
#endif
    for (step = 1; step < group.lanes; step *= 2) {
        y = combgpu_shuffle_xor(x, step);
        if (y < x) x = y;
    }
    return x;
}

DEVICE u32 combgpu_group_add(GROUP_PARAMETER, u32 x)
{
    u32 step;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (group.lanes == 32) return __reduce_add_sync(0xffffffffu, x);
#endif
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

#else /* no shuffles: local memory, and order for global memory as lockstep gives it; the block is
         one group, so a block barrier is enough */
#define CREW_BARRIER() BLOCK_BARRIER()
#define CREW_ANY(p) GROUP_ANY(p)
#define GROUP_BEGIN(lanes)                                                                         \
    LOCAL_ARRAY u32 group_scratch[lanes];                                                          \
    const combgpu_group_t group = {lanes, LANE_ID, BLOCK_ID, group_scratch}

DEVICE u32 combgpu_group_min(GROUP_PARAMETER, u32 x)
{
    u32 i;
    group.scratch[group.lane] = x;
    BLOCK_BARRIER();
    for (i = 0; i < group.lanes; i++)
        x = min(x, group.scratch[i]);
    BLOCK_BARRIER();
    return x;
}

DEVICE u32 combgpu_group_add(GROUP_PARAMETER, u32 x)
{
    u32 i, sum = 0;
    group.scratch[group.lane] = x;
    BLOCK_BARRIER();
    for (i = 0; i < group.lanes; i++)
        sum += group.scratch[i];
    BLOCK_BARRIER();
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
    BLOCK_BARRIER();
    y = group.scratch[i];
    BLOCK_BARRIER();
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
        u32 task = GROUP_TAKE(slice, busy && !combgpu_spent(slice, steps));
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

KERNEL combgpu_probe4(SLICE_ARGUMENTS)
{
    GROUP_BEGIN(4);
    combgpu_probe(GROUP, slice, tables, tasks, left, records, work);
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
#if defined(COMBGPU_KERNELS_MAGIC) || defined(COMBGPU__HAS_MAGIC)

/* The search over cells: one lane is a worker. Words of `tables`, tasks and records as in combgpu.h,
   SECTION 20. Sets of numbers are 64 bits, bit v for number v; in a mirror bit cells + 1 - v. */
#define MAGIC_LEVELS 32
#define MAGIC_LEVEL_COUNT (tables[1])
#define MAGIC_START(level) (tables[3 + (level)])
#define MAGIC_ENTRY(position) (tables[36 + (position)])

typedef struct combgpu_magic_t {
    u32 cells;
    u64 unused[MAGIC_LEVELS], mirror[MAGIC_LEVELS]; /* before a level */
    u64 mask[MAGIC_LEVELS];                         /* numbers a level has still to try */
    u8 values[40];                                  /* by position; [cells] stays 0 */
} combgpu_magic_t;

/* What the two words of a line leave of its sum. */
DEVICE i32 combgpu_magic_rest(const combgpu_magic_t *m, u32 a, u32 b)
{
    return (i32)(a & 255) - (i32)(m->values[(a >> 8) & 255] + m->values[(a >> 16) & 255] +
                                  m->values[a >> 24] + m->values[b & 255] +
                                  m->values[(b >> 8) & 255]);
}

/* Bimagic squares: may `number` end the line of these two words? */
DEVICE u32 combgpu_magic_squares(const combgpu_magic_t *m, u32 sum, u32 a, u32 b, u32 number)
{
    u32 i, value;
    for (i = 8; i < 48; i += 8) {
        value = m->values[((i < 32 ? a : b) >> (i & 31)) & 255];
        sum -= value * value;
    }
    return sum == number * number;
}

/* Sets up `level` from the sets before it: every number that leaves its lines a partner and keeps
   its relations. */
DEVICE void combgpu_magic_ready(combgpu_magic_t *m, GLOBAL const u32 *tables, u32 level, u64 unused,
                                u64 mirror)
{
    u32 at = MAGIC_ENTRY(MAGIC_START(level)), head = tables[at++], i;
    u64 mask = unused;
    for (i = (head >> 8) & 255; i; i--, at += 2) {
        i32 rest = combgpu_magic_rest(m, tables[at], tables[at + 1]);
        i32 shift = (i32)m->cells + 1 - rest;
        if (rest < 2 || rest > 2 * (i32)m->cells) {
            mask = 0;
            break;
        }
        mask &= shift < 0 ? mirror << -shift : mirror >> shift;
        if ((rest & 1) == 0) mask &= ~((u64)1 << (rest / 2));
    }
    for (i = mask ? head >> 16 : 0; i; i--, at++) {
        u64 below = ((u64)1 << m->values[tables[at] & 255]) - 1;
        mask &= tables[at] & 256 ? ~below : below; /* the number itself is not unused */
    }
    m->unused[level] = unused;
    m->mirror[level] = mirror;
    m->mask[level] = mask;
}

/* Tries a number in the first cell of a level. 0 = impossible, 1 = the next level is ready, 2 = the
   square is full. */
DEVICE u32 combgpu_magic_try(combgpu_magic_t *m, GLOBAL const u32 *tables, u32 level, u32 number)
{
    u32 position = MAGIC_START(level), end = MAGIC_START(level + 1), at, head, i;
    u64 unused = m->unused[level], mirror = m->mirror[level];
    for (;;) {
        i32 rest;
        m->values[position] = (u8)number;
        unused ^= (u64)1 << number;
        mirror ^= (u64)1 << (m->cells + 1 - number);
        if (++position == end) break;
        at = MAGIC_ENTRY(position);
        head = tables[at];
        rest = combgpu_magic_rest(m, tables[at + 1], tables[at + 2]);
        if (rest < 1 || rest > (i32)m->cells || !((unused >> rest) & 1)) return 0;
        number = (u32)rest;
        at++;
        for (i = (head >> 8) & 255; i; i--, at += 2)
            if (combgpu_magic_rest(m, tables[at], tables[at + 1]) != rest ||
                (tables[2] &&
                 !combgpu_magic_squares(m, tables[2], tables[at], tables[at + 1], number)))
                return 0;
        for (i = head >> 16; i; i--, at++)
            if ((number > m->values[tables[at] & 255]) != ((tables[at] & 256) != 0)) return 0;
    }
    if (level + 1 == MAGIC_LEVEL_COUNT) return 2;
    combgpu_magic_ready(m, tables, level + 1, unused, mirror);
    return 1;
}

DEVICE u32 combgpu_magic_load(combgpu_magic_t *m, GLOBAL const u32 *tables, GLOBAL const u32 *task)
{
    u32 level = task[0], end = MAGIC_START(level), p;
    u64 unused = ((u64)2 << m->cells) - 2, mirror = unused;
    for (p = 0; p < end; p++) {
        u32 number = (task[3 + p / 4] >> (8 * (p & 3))) & 255;
        m->values[p] = (u8)number;
        unused &= ~((u64)1 << number);
        mirror &= ~((u64)1 << (m->cells + 1 - number));
    }
    m->unused[level] = unused;
    m->mirror[level] = mirror;
    m->mask[level] = task[1] | (u64)task[2] << 32;
    return level;
}

/* Gives back what is left of a level. */
DEVICE void combgpu_magic_give(const combgpu_magic_t *m, GLOBAL combgpu_slice_t *slice,
                               GLOBAL const u32 *tables, GLOBAL u32 *left, u32 level)
{
    GLOBAL u32 *task = left + combgpu_give(slice) * slice->task_words;
    u32 end = MAGIC_START(level), words = slice->task_words - 3, w, p, word;
    task[0] = level;
    task[1] = (u32)m->mask[level];
    task[2] = (u32)(m->mask[level] >> 32);
    for (w = 0; w < words; w++) {
        word = 0;
        for (p = 4 * w; p < 4 * w + 4 && p < end; p++)
            word |= (u32)m->values[p] << (8 * (p & 3));
        task[3 + w] = word;
    }
}

/* Emits the full square; 0 = no room. */
DEVICE u32 combgpu_magic_emit(const combgpu_magic_t *m, GLOBAL combgpu_slice_t *slice,
                              GLOBAL const u32 *tables, GLOBAL u32 *records)
{
    u32 at = combgpu_emit(slice), w, p;
    GLOBAL u32 *record;
    if (at == NONE) return 0;
    record = records + at * slice->record_words;
    for (w = 0; w < slice->record_words; w++)
        record[w] = 0;
    for (p = 0; p < m->cells; p++) {
        u32 cell = tables[MAGIC_ENTRY(p)] & 255;
        record[cell / 4] |= (u32)m->values[p] << (8 * (cell & 3));
    }
    return 1;
}

/* The number to try next: the lowest, but in order 6 the levels begin with different ones. */
DEVICE u32 combgpu_magic_pick(u32 cells, u32 level, u64 mask)
{
    u64 from = cells < 36 ? 0 : mask & ~(u64)0 << (1 + (11 + 23 * level) % 36);
    if (from) mask = from;
    return combgpu_lowest_bit64(mask);
}

KERNEL combgpu_magic_search(SLICE_ARGUMENTS)
{
    combgpu_magic_t m;
    u32 steps = 0, full = 0, task, bottom, level, found, number;
    (void)work;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    m.cells = tables[0];
    m.values[m.cells] = 0;
    while (!combgpu_spent(slice, steps) && !full) {
        task = combgpu_take(slice);
        if (task == NONE) break;
        bottom = combgpu_magic_load(&m, tables, tasks + task * slice->task_words);
        level = bottom;
        for (;;) {
            u64 mask = m.mask[level];
            if (!mask) {
                if (level == bottom) break;
                level--;
                continue;
            }
            if (full || combgpu_spent(slice, steps)) {
                for (;; level--) { /* the whole stack becomes tasks */
                    if (m.mask[level]) combgpu_magic_give(&m, slice, tables, left, level);
                    if (level == bottom) break;
                }
                break;
            }
            number = combgpu_magic_pick(m.cells, level, mask);
            m.mask[level] = mask & ~((u64)1 << number);
            found = combgpu_magic_try(&m, tables, level, number);
            if (found == 2 && !combgpu_magic_emit(&m, slice, tables, records)) {
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

/* The join of two rings of order 5 (combgpu.h, SECTION 20), for lists, and for the count where lanes
   do not exchange registers: the block is a worker and takes one configuration after the other. A number is its place among the 16 free ones, a set 16 bits. A path
   over a side goes from an end over a middle to a corner. A ring t1 t3 b1 b3 is taken apart at its
   corners x = t3 and z = b1: half of it is the path from x over the top to t1 and from there over the
   left to z, the other half goes over right and bottom by b3. */
#define MAGIC_WAYS 36u
#define MAGIC_ITEMS 2016 /* most halves: at most 168 paths over a side, each 12 times */
#define MAGIC_WORDS 3218 /* counts of the 12,870 sets of 8, a byte each */
#define MAGIC_MARKS 403  /* the same, a bit each */
#define MAGIC_FINDS 1280 /* squares of a configuration: at most 1,256 */
#define MAGIC_CHUNK 32u  /* of them written together */
#ifndef MAGIC_JOIN_BLOCKS
#define MAGIC_JOIN_BLOCKS 8
#define MAGIC_LIST_BLOCKS 6
#endif

typedef struct combgpu_magic_join_t {
    LOCAL u16 *path;           /* [side][end][corner]: the set of corner and middle; 0 = none */
    LOCAL u16 *corner;         /* [side][end]: the corners that have a path */
    LOCAL u16 *bit;            /* of a number; 0 = not free */
    LOCAL u16 *items, *others; /* halves, x << 8 | z << 4 | t1; by x << 4 | z, the corners b3 */
    LOCAL u8 *number;
    LOCAL u32 *counts, *rank, *sums;
    LOCAL u32 *marks, *shared; /* combgpu_magic_lists alone, see there */
    LOCAL u16 *found;
} combgpu_magic_join_t;

/* The free numbers of a pair of diagonals, and the 16 sums that a side can have. */
DEVICE void combgpu_magic_pair_numbers(const combgpu_magic_join_t *j, GLOBAL const u32 *pair)
{
    u32 a = pair[0] >> 5, b = pair[1], unused = 0x3fffffeu & ~(1u << (pair[0] & 31)), i, v;
    for (i = 0; i < 20; i += 5)
        unused &= ~(1u << ((a >> i) & 31) | 1u << ((b >> i) & 31));
    for (v = LANE_ID; v < 32; v += BLOCK_LANES) {
        u32 place = POPCOUNT(unused & ((1u << v) - 1));
        j->bit[v] = (u16)(((unused >> v) & 1) << (place & 15));
        if ((unused >> v) & 1) j->number[place] = (u8)v;
    }
    for (i = LANE_ID; i < 16; i += BLOCK_LANES)
        j->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);
}

/* Then all paths. */
DEVICE void combgpu_magic_pair_paths(const combgpu_magic_join_t *j)
{
    u32 i, c;
    for (i = LANE_ID; i < 256; i += BLOCK_LANES) {
        u32 end = i & 15, rest = j->sums[i >> 4] - j->number[end], corners = 0;
        for (c = 0; c < 16; c++) {
            u32 middle = rest - j->number[c], bits = middle < 32 ? j->bit[middle] : 0;
            if (c == end || (bits & (1u << c | 1u << end))) bits = 0;
            j->path[16 * i + c] = (u16)(bits ? bits | 1u << c : 0);
            corners |= (bits ? 1u : 0u) << c;
        }
        j->corner[i] = (u16)corners;
    }
}

/* The corners of the paths over two sides between x and z. */
DEVICE u32 combgpu_magic_halves(const combgpu_magic_join_t *j, u32 side_x, u32 side_z, u32 x, u32 z)
{
    u32 used = j->path[256 * side_x + 16 * x + z] | j->path[256 * side_z + 16 * z + x] | 1u << x |
               1u << z; /* the middles would be z and x */
    u32 corners = j->corner[16 * side_x + x] & j->corner[16 * side_z + z] & ~used;
    u32 same = j->sums[side_x] - j->number[x] == j->sums[side_z] - j->number[z]; /* both middles */
    return x == z || same ? 0 : corners;
}

/* Lists the first halves that have a second one. */
DEVICE void combgpu_magic_ring_items(const combgpu_magic_join_t *j, u32 way, LOCAL u32 *count)
{
    u32 top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15, right = (way >> 12) & 15;
    u32 i, at;
    for (i = LANE_ID; i < 256; i += BLOCK_LANES) {
        u32 x = i >> 4, z = i & 15;
        u32 second = combgpu_magic_halves(j, right, bottom, x, z);
        u32 first = second ? combgpu_magic_halves(j, top, left, x, z) : 0;
        if (!first) continue;
        j->others[i] = (u16)second;
        at = LOCAL_ATOMIC_ADD(count, POPCOUNT(first));
        for (; first; first &= first - 1, at++)
            j->items[at] = (u16)(i << 4 | CTZ(first));
    }
}

/* The rank of a set of 8. */
DEVICE u32 combgpu_magic_rank(const combgpu_magic_join_t *j, u32 set)
{
    return (j->rank[set & 255] & 0xffffu) + (j->rank[(set >> 8) & 255] >> 16);
}

/* The set of a ring's filling, with corners c = t1, x = t3, z = b1, d = b3. */
DEVICE u32 combgpu_magic_set(const combgpu_magic_join_t *j, u32 way, u32 c, u32 x, u32 z, u32 d)
{
    u32 top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15, right = (way >> 12) & 15;
    return 1u << x | 1u << z | j->path[256 * top + 16 * x + c] | j->path[256 * left + 16 * z + c] |
           j->path[256 * right + 16 * x + d] | j->path[256 * bottom + 16 * z + d];
}

/* For lists: a filling of ring 1 marks its set; one of ring 2 whose complement is marked is a find
   and marks that; then one of ring 1 whose set has such a mark is a find as well. */
DEVICE void combgpu_magic_find(const combgpu_magic_join_t *j, u32 pass, u32 set, u32 code)
{
    u32 rank = combgpu_magic_rank(j, pass == 4 ? ~set : set), bit = 1u << (rank & 31), at;
    LOCAL u32 *marked = &j->marks[rank >> 5];
    if (pass == 3) {
        LOCAL_ATOMIC_OR(marked, bit);
        return;
    }
    if (!(marked[pass == 4 ? 0 : MAGIC_MARKS] & bit)) return;
    if (pass == 4) LOCAL_ATOMIC_OR(marked + MAGIC_MARKS, bit);
    at = LOCAL_ATOMIC_ADD(&j->shared[pass], 1);
    if (at < MAGIC_FINDS) j->found[(pass - 4) * MAGIC_FINDS + at] = (u16)code;
}

/* Puts the second halves to the first ones. Ring 1 counts the sets; ring 2 returns the sum, over its
   sets, of the ways to fill ring 1 with the others. 3, 4, 5 are the passes over rings 1, 2, 1 of a
   list. */
DEVICE u32 combgpu_magic_ring_fill(const combgpu_magic_join_t *j, u32 way, u32 n, u32 ring)
{
    u32 top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15, right = (way >> 12) & 15;
    u32 i, sum = 0;
    for (i = LANE_ID; i < n; i += BLOCK_LANES) {
        u32 item = j->items[i], x = item >> 8, z = (item >> 4) & 15, c = item & 15;
        u32 used =
            j->path[256 * top + 16 * x + c] | j->path[256 * left + 16 * z + c] | 1u << x | 1u << z;
        u32 corners = j->others[item >> 4] & ~used;
        for (; corners; corners &= corners - 1) {
            u32 d = CTZ(corners), rank;
            u32 more = j->path[256 * right + 16 * x + d] | j->path[256 * bottom + 16 * z + d];
            if (used & more) continue;
            if (ring > 2) {
                combgpu_magic_find(j, ring, used | more, c << 12 | x << 8 | z << 4 | d);
                continue;
            }
            rank = combgpu_magic_rank(j, ring == 2 ? ~(used | more) : used | more);
            if (ring == 1)
                LOCAL_ATOMIC_ADD(&j->counts[rank >> 2], 1u << (8 * (rank & 3)));
            else
                sum += (j->counts[rank >> 2] >> (8 * (rank & 3))) & 255;
        }
    }
    return sum;
}

/* Lane 0's books. */
typedef struct combgpu_magic_books_t {
    u32 next, end; /* configurations of the task not yet joined */
    u32 steps, centre;
    u64 joined, hash; /* joined: of `centre` */
} combgpu_magic_books_t;

/* Lane 0: books the result of configuration books->next. 0 = its record found no room. */
DEVICE u32 combgpu_magic_book(combgpu_magic_books_t *books, GLOBAL combgpu_slice_t *slice,
                              GLOBAL const u32 *tables, GLOBAL u32 *records, u32 squares)
{
    u32 centre = tables[294 + 2 * (books->next / MAGIC_WAYS)] & 31;
    if (squares && tables[0]) {
        u32 at = combgpu_emit(slice);
        if (at == NONE) return 0;
        records[2 * at] = books->next;
        records[2 * at + 1] = squares;
    }
    if (centre != books->centre) {
        if (books->joined) combgpu_add_total(slice, 1 + books->centre, books->joined);
        books->joined = 0;
        books->centre = centre;
    }
    books->joined += squares;
    books->hash += combgpu_mix((u64)books->next << 32 | squares);
    books->steps++;
    books->next++;
    return 1;
}

/* Lane 0: the next configuration, or NONE at the slice's end. */
DEVICE u32 combgpu_magic_next(combgpu_magic_books_t *books, GLOBAL combgpu_slice_t *slice,
                              GLOBAL const u32 *tasks, GLOBAL u32 *left, u32 full)
{
    u32 ends = full || combgpu_spent(slice, books->steps), at;
    if (books->next < books->end) {
        if (!ends) return books->next;
        combgpu_give_range(slice, left, books->next, books->end);
        return NONE;
    }
    if (ends) return NONE;
    at = combgpu_take(slice);
    if (at == NONE) return NONE;
    books->next = tasks[4 * at];
    books->end = tasks[4 * at + 2];
    return books->next;
}

#ifdef COMBGPU_SHUFFLE
/* The join where lanes exchange registers: 32 of them are a worker. A set of numbers is a u32 with bit v
   for number v. Its mirror image at r has bit v for number r - v: then the free numbers v that leave a
   free number r - v are free & image. */
#define MAGIC_SLOTS 1024u /* of a hash table: a power of 2 */
#define MAGIC_SLOT (0xffffffffu / MAGIC_SLOTS + 1)
#define MAGIC_PROBES 32u /* of the table for a set */
#define MAGIC_QUEUE 128u
#define MAGIC_GROUPS 4 /* in a block */
#define MAGIC_RING_BLOCKS 8
#define MAGIC_FOUND 384u /* squares of a list found at a time */
#define MAGIC_RING_LIST_BLOCKS 5

/* The bits in the opposite order. */
DEVICE u32 combgpu_magic_reverse(u32 x)
{
#ifdef __CUDACC__
    return __brev(x);
#else
    u32 y;
    __asm__("brev.b32 %0, %1;" : "=r"(y) : "r"(x));
    return y;
#endif
}

/* The mirror image at 63 - shift of a set in the opposite order. */
DEVICE u32 combgpu_magic_image(u32 reversed, u32 shift)
{
    return (u32)(((u64)reversed << 32) >> shift);
}

/* A group's local memory. A number in a corner of a ring, with a side in which it completes a first
   half and one of a second half: x = 63 - what is left of the first side's sum, y = the same of the
   second, z = half of that if it is a number, else 0, w = the number. Entries are by place among the
   free numbers, 16 for t3, 16 for b1, and then the same with first and second exchanged. */
typedef struct combgpu_magic_ring_t {
    uint4 corner[64];
    u32 slots[MAGIC_SLOTS]; /* hash table: sets of ring 1, how many times (at most 18) << 27 */
    u32 queue[MAGIC_QUEUE]; /* first halves: t3 << 4 | b1 << 20 | 31 - corner between << 27 */
    u32 sums[16], number[16];
} combgpu_magic_ring_t;

/* For lists. A filling: t3 | (first half over b3) << 5 | b1 << 6 | 31 - corner between << 10. */
typedef struct combgpu_magic_finds_t {
    u16 filling[MAGIC_SLOTS];                  /* of the table's sets */
    u32 key[MAGIC_FOUND], find[MAGIC_FOUND]; /* set of ring 1; its filling, that of ring 2 << 16 */
    u32 count;
} combgpu_magic_finds_t;

/* The free numbers of a pair of diagonals, in order, and the 16 sums that a side can have. */
DEVICE u32 combgpu_magic_ring_pair(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r,
                                   GLOBAL const u32 *pair)
{
    u32 a = pair[0] >> 5, b = pair[1], unused = 0x3fffffeu & ~(1u << (pair[0] & 31)), i = GROUP_LANE;
    u32 shift;
    for (shift = 0; shift < 20; shift += 5)
        unused &= ~(1u << ((a >> shift) & 31) | 1u << ((b >> shift) & 31));
    if ((unused >> i) & 1) r->number[POPCOUNT(unused & ((1u << i) - 1))] = i;
    if (i < 16) r->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);
    return unused;
}

/* The entries for the corners of a ring. */
DEVICE void combgpu_magic_ring_corners(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r, u32 way)
{
    u32 i = GROUP_LANE, n = r->number[i & 15];
    u32 one = r->sums[(i < 16 ? way : way >> 8) & 15]; /* top or left */
    u32 two = r->sums[(i < 16 ? way >> 12 : way >> 4) & 15]; /* right or bottom */
    uint4 entry;
    one = one > n ? one - n : 0;
    two = two > n ? two - n : 0;
    entry.x = 63 - one, entry.y = 63 - two, entry.w = 1u << n;
    entry.z = two & 1 ? 0 : 1u << (two >> 1);
    r->corner[i] = entry;
    entry.x = 63 - two, entry.y = 63 - one;
    entry.z = one & 1 ? 0 : 1u << (one >> 1);
    r->corner[32 + i] = entry;
}

/* All fillings of a ring. For numbers in t3 and b1 the corners between them, t1 and b3, follow from
   masks; of the two halves the one with fewer choices is the first, and each of them goes to the
   queue. For a first half in the queue the choices of the other corner are a mask again: a lane
   takes one of them, probes the table once in a pass, and takes a new first half when there are no
   more. Ring 0 puts its sets into the table and returns nonzero if it has no room; ring 1 returns,
   for this lane, how many sets are there that its sets complete. Only of sets whose hash has these
   bits under a mask. For lists the fillings are kept, not only their number, and `part` is the set of
   numbers that t1 may have in ring 0. */
DEVICE u32 combgpu_magic_ring_join(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r, u32 unused,
                                   const u32 ring, u32 part, u32 parts_mask, const u32 list,
                                   LOCAL combgpu_magic_finds_t *f)
{
    const u32 last_probe = (list ? 2 : 1) * MAGIC_PROBES * MAGIC_SLOT;
    const u32 below = (1u << GROUP_LANE) - 1;
    const uint4 x0 = r->corner[GROUP_LANE & 15];
    const u32 x1_z = r->corner[32 + (GROUP_LANE & 15)].z;
    u32 step = 0, choices = 0, base = 0, lanes = 0, result = 0;
    u32 second = 0, probe = 0, set = 0, x_shift = 0, z_shift = 0, more = 1, filling = 0;
    do {
        u32 count = 0, head = 0, at;
        for (;;) {
            lanes = GROUP_BALLOT(choices);
            if (!lanes) {
                const u32 z = 16 + 2 * step + (GROUP_LANE >> 4);
                uint4 z0;
                u32 may, reversed, two, z1_z;
                if (step == 8) break;
                z0 = r->corner[z], z1_z = r->corner[32 + z].z;
                may = unused & ~(x0.w | z0.w), reversed = combgpu_magic_reverse(may);
                choices = may & combgpu_magic_image(reversed, x0.x) &
                          combgpu_magic_image(reversed, z0.x) & ~(x1_z | z1_z);
                two = may & combgpu_magic_image(reversed, x0.y) &
                      combgpu_magic_image(reversed, z0.y) & ~(x0.z | z0.z);
                base = (GROUP_LANE & 15) << 4 | z << 20;
                /* not the same number in both, or twice beside a corner */
                if (x0.w == z0.w || x0.x == z0.x || x0.y == z0.y || !two) choices = 0;
                if (choices && POPCOUNT(two) < POPCOUNT(choices)) choices = two, base |= 0x2000200u;
                step++;
                continue;
            }
            if (choices) {
                const u32 c = CLZ(choices);
                choices ^= 0x80000000u >> c;
                r->queue[count + POPCOUNT(lanes & below)] = base | c << 27;
            }
            count += POPCOUNT(lanes);
            if (count > MAGIC_QUEUE - 32) break;
        }
        more = lanes;
        CREW_BARRIER();
        for (;;) {
            lanes = GROUP_BALLOT(!second);
            if (head >= count && (more || lanes == NONE)) break;
            at = head + POPCOUNT(lanes & below);
            head += POPCOUNT(lanes);
            if (!second && at < count) {
                const u32 code = r->queue[at], c = 0x80000000u >> (code >> 27);
                if (list) filling = (code >> 4 & 63) | (code >> 20 & 15) << 6 | code >> 27 << 10;
                const uint4 x = r->corner[(code >> 4) & 63], z = r->corner[(code >> 20) & 63];
                u32 reversed = 1u << (code >> 27), may;
                set = c | combgpu_magic_image(reversed, x.x) | combgpu_magic_image(reversed, z.x) |
                      x.w | z.w;
                may = unused & ~set;
                reversed = combgpu_magic_reverse(may);
                second = may & combgpu_magic_image(reversed, x.y) &
                         combgpu_magic_image(reversed, z.y) & ~(x.z | z.z);
                if (ring) set ^= unused;
                x_shift = x.y, z_shift = z.y;
            }
            if (second) {
                const u32 low = second & (0u - second), reversed = combgpu_magic_reverse(low);
                const u32 key = set ^ (low | combgpu_magic_image(reversed, x_shift) |
                                       combgpu_magic_image(reversed, z_shift));
                const u32 hash = key * 0x9e3779b1u + probe;
                LOCAL u32 *slot = &r->slots[hash / MAGIC_SLOT];
                u32 there = 0;
                if (list) {
                    const u32 t1 = filling & 32 ? low : 0x80000000u >> (filling >> 10);
                    if (ring)
                        there = *slot;
                    else if (t1 & part) {
                        there = LOCAL_ATOMIC_CAS(slot, 0, key);
                        if (!there) f->filling[hash / MAGIC_SLOT] = (u16)filling;
                    }
                    if (ring && there == key) {
                        const u32 n = LOCAL_ATOMIC_ADD(&f->count, 1);
                        if (n < MAGIC_FOUND) {
                            f->key[n] = key;
                            f->find[n] = (u32)f->filling[hash / MAGIC_SLOT] | filling << 16;
                        }
                    }
                } else if ((hash & parts_mask) == part)
                    there = ring ? *slot : LOCAL_ATOMIC_CAS(slot, 0, key | 1u << 27);
                probe += MAGIC_SLOT;
                if (!list && !((there ^ key) << 5)) {
                    if (ring)
                        result += there >> 27;
                    else
                        LOCAL_ATOMIC_ADD(slot, 1u << 27);
                    there = 0;
                }
                if (!ring && there && probe == last_probe) result = 1;
                if (!there || probe == last_probe) second ^= low, probe = 0;
            }
        }
        CREW_BARRIER();
    } while (more && (ring || !GROUP_ANY(result)));
    return result;
}

/* This lane's share of the squares of a configuration, up to the M-group. A table without room takes
   the sets by their hashes' classes, one after the other. */
DEVICE u32 combgpu_magic_ring_squares(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r, u32 unused,
                                      u32 way)
{
    u32 part = 0, parts_mask = 0, squares = 0, i;
    do {
        LOCAL u64 *zeroed = (LOCAL u64 *)r->slots;
        for (i = GROUP_LANE; i < MAGIC_SLOTS / 2; i += 32)
            zeroed[i] = 0;
        combgpu_magic_ring_corners(GROUP, r, way);
        CREW_BARRIER();
        i = combgpu_magic_ring_join(GROUP, r, unused, 0, part, parts_mask, 0, 0);
        if (GROUP_ANY(i)) {
            squares = part = 0, parts_mask = parts_mask << 1 | 256;
            continue;
        }
        combgpu_magic_ring_corners(GROUP, r, way >> 16);
        CREW_BARRIER();
        squares += combgpu_magic_ring_join(GROUP, r, unused, 1, part, parts_mask, 0, 0);
        part += 256;
    } while (part <= parts_mask);
    return squares;
}

KERNEL_BLOCKS(32 * MAGIC_GROUPS, MAGIC_RING_BLOCKS) combgpu_magic_join(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY combgpu_magic_ring_t rings[MAGIC_GROUPS];
    LOCAL combgpu_magic_ring_t *r = &rings[LANE_ID / 32];
    combgpu_magic_books_t books;
    u32 pair = NONE, unused = 0, full = 0, number, squares;
    GROUP_BEGIN(32);
    (void)work;
    books.next = books.end = books.steps = books.centre = 0;
    books.joined = books.hash = 0;
    for (;;) {
        number = NONE;
        if (GROUP_LANE == 0 && GROUP_INDEX < slice->workers)
            number = combgpu_magic_next(&books, slice, tasks, left, full);
        number = GROUP_FROM(number, 0);
        if (number == NONE) break;
        if (pair != number / MAGIC_WAYS) {
            pair = number / MAGIC_WAYS;
            unused = combgpu_magic_ring_pair(GROUP, r, tables + 294 + 2 * pair);
            CREW_BARRIER();
        }
        squares = combgpu_magic_ring_squares(GROUP, r, unused, tables[258 + number % MAGIC_WAYS]);
        squares = GROUP_ADD(squares);
        if (GROUP_LANE == 0) full = !combgpu_magic_book(&books, slice, tables, records, squares);
    }
    if (GROUP_LANE == 0) {
        combgpu_add_total(slice, 0, books.steps);
        combgpu_add_total(slice, 1, books.hash);
        if (books.joined) combgpu_add_total(slice, 1 + books.centre, books.joined);
    }
}
#else
KERNEL_BLOCKS(256, MAGIC_JOIN_BLOCKS) combgpu_magic_join(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 zeroed[MAGIC_WORDS / 2];
    LOCAL_ARRAY u32 rank[256], sums[16];
    LOCAL_ARRAY u32 shared[4]; /* configuration, squares, items of ring 1, of ring 2 */
    LOCAL_ARRAY u16 path[4096], corner[256], bit[32], items[MAGIC_ITEMS], others[256];
    LOCAL_ARRAY u8 numbers[16];
    combgpu_magic_join_t j;
    combgpu_magic_books_t books;
    u32 i, pair = NONE, busy = 0, full = 0, squares;
    (void)work;
    j.counts = (LOCAL u32 *)zeroed, j.rank = rank, j.sums = sums, j.path = path, j.corner = corner;
    j.bit = bit, j.items = items, j.others = others, j.number = numbers;
    books.next = books.end = books.steps = books.centre = 0;
    books.joined = books.hash = 0;
    for (i = LANE_ID; i < 256; i += BLOCK_LANES)
        rank[i] = tables[2 + i];
    for (;;) {
        u32 number, way, fresh;
        if (LANE_ID == 0) {
            if (busy) full = !combgpu_magic_book(&books, slice, tables, records, shared[1]);
            shared[0] = combgpu_magic_next(&books, slice, tasks, left, full);
            shared[1] = shared[2] = shared[3] = 0;
        }
        LOCAL_BARRIER();
        number = shared[0];
        if (number == NONE) break;
        busy = 1;
        fresh = pair != number / MAGIC_WAYS;
        pair = number / MAGIC_WAYS;
        if (fresh) combgpu_magic_pair_numbers(&j, tables + 294 + 2 * pair);
        for (i = LANE_ID; i < MAGIC_WORDS / 2; i += BLOCK_LANES)
            zeroed[i] = 0;
        LOCAL_BARRIER();
        if (fresh) combgpu_magic_pair_paths(&j);
        LOCAL_BARRIER();
        way = tables[258 + number % MAGIC_WAYS];
        combgpu_magic_ring_items(&j, way, &shared[2]);
        LOCAL_BARRIER();
        combgpu_magic_ring_fill(&j, way, shared[2], 1);
        LOCAL_BARRIER();
        combgpu_magic_ring_items(&j, way >> 16, &shared[3]);
        LOCAL_BARRIER();
        squares = combgpu_magic_ring_fill(&j, way >> 16, shared[3], 2);
        if (squares) LOCAL_ATOMIC_ADD(&shared[1], squares);
        LOCAL_BARRIER();
    }
    if (LANE_ID == 0) {
        combgpu_add_total(slice, 0, books.steps);
        combgpu_add_total(slice, 1, books.hash);
        if (books.joined) combgpu_add_total(slice, 1 + books.centre, books.joined);
    }
}
#endif

/* The list of order 5 (combgpu.h, SECTION 20): the block is a worker and takes pairs of diagonals; for
   each of the 36 ways it finds the fillings of both rings that make squares, puts the squares in
   order, and hashes or writes them, or only counts them. Words of `tables` as there. */
#define MAGIC_GOAL (tables[0]) /* 0 = hash, 1 = write, 2 = count */
#define MAGIC_OFFSET(pair) (tables[294 + 2 * tables[1] + (pair)])
#define MAGIC_PARAMETER(i) (tables[294 + 3 * tables[1] + (i)])
#define MAGIC_CENTRE MAGIC_PARAMETER(0)
#define MAGIC_FRENICLE MAGIC_PARAMETER(1)

/* Cell i of rotation or reflection g (bits: 1 transpose, 2 flip rows, 4 flip columns) of image k of the
   M-group is this cell of the square. */
DEVICE u32 combgpu_magic_cell(u32 k, u32 g, u32 i)
{
    u32 row = i / 5, column = i % 5, t = row;
    u32 order = k == 0 ? 0x43210u : k == 1 ? 0x34201u : k == 2 ? 0x41230u : 0x30241u;
    if (g & 1) row = column, column = t;
    if (g & 2) row = 4 - row;
    if (g & 4) column = 4 - column;
    return 5 * ((order >> (4 * row)) & 15) + ((order >> (4 * column)) & 15);
}

/* The rotation or reflection that brings an image to Frenicle form. */
DEVICE u32 combgpu_magic_frenicle(LOCAL const u8 *square, LOCAL const u8 *map, u32 complement)
{
    u32 g, best = 0, least = 99, row, column;
    for (g = 0; g < 8; g += 2) {
        u32 corner = square[map[25 * g]];
        if (complement) corner = 26 - corner;
        if (corner < least) least = corner, best = g;
    }
    row = square[map[25 * best + 1]];
    column = square[map[25 * best + 5]];
    return (row < column) == (complement == 0) ? best : best | 1;
}

/* A square by the corners of its rings, a byte each cell. */
DEVICE void combgpu_magic_square(const combgpu_magic_join_t *j, GLOBAL const u32 *pair, u32 way,
                                 u32 code, LOCAL u8 *square)
{
    u32 a = pair[0] >> 5, b = pair[1], ring, n[4], i;
    square[12] = (u8)(pair[0] & 31);
    square[0] = (u8)((a >> (5 * ((way >> 2) & 3))) & 31);
    square[4] = (u8)((b >> (5 * (way & 3))) & 31);
    square[24] = (u8)((a >> (5 * ((way >> 6) & 3))) & 31);
    square[20] = (u8)((b >> (5 * ((way >> 4) & 3))) & 31);
    square[6] = (u8)((a >> (5 * ((way >> 10) & 3))) & 31);
    square[16] = (u8)((b >> (5 * ((way >> 8) & 3))) & 31);
    square[18] = (u8)((a >> (5 * ((way >> 14) & 3))) & 31);
    square[8] = (u8)((b >> (5 * ((way >> 12) & 3))) & 31);
    for (ring = 0; ring < 2; ring++) { /* ring 2 is ring 1 of the transposed square */
        u32 sides = ring ? way >> 16 : way, corners = ring ? code : code >> 16;
        u32 down = ring ? 1 : 5, across = ring ? 5 : 1;
        for (i = 0; i < 4; i++)
            n[i] = j->number[(corners >> (12 - 4 * i)) & 15];
        square[across] = (u8)n[0];
        square[3 * across] = (u8)n[1];
        square[4 * down + across] = (u8)n[2];
        square[4 * down + 3 * across] = (u8)n[3];
        square[2 * across] = (u8)(j->sums[sides & 15] - n[0] - n[1]);
        square[4 * down + 2 * across] = (u8)(j->sums[(sides >> 4) & 15] - n[2] - n[3]);
        square[2 * down + across] = (u8)(j->sums[(sides >> 8) & 15] - n[0] - n[2]);
        square[2 * down + 3 * across] = (u8)(j->sums[(sides >> 12) & 15] - n[1] - n[3]);
    }
}

DEVICE u64 combgpu_magic_fnv(LOCAL const u8 *square, LOCAL const u8 *map, u32 complement)
{
    u64 hash = (u64)0xcbf29ce4u << 32 | 0x84222325u;
    u32 i, number;
    for (i = 0; i < 25; i++) {
        number = square[map[i]];
        hash = (hash ^ (complement ? 26 - number : number)) * ((u64)0x100 << 32 | 0x1b3);
    }
    return hash;
}

/* What lane 0 knows. */
typedef struct combgpu_magic_lister_t {
    u32 next, end, steps, full;
} combgpu_magic_lister_t;

/* Lane 0: books the pair that is done, with so many squares up to the M-group; returns the next one, or
   NONE at the slice's end. */
DEVICE u32 combgpu_magic_list_next(combgpu_magic_lister_t *l, GLOBAL combgpu_slice_t *slice,
                                   GLOBAL const u32 *tables, GLOBAL const u32 *tasks,
                                   GLOBAL u32 *left, GLOBAL u32 *records, u32 squares, u32 busy)
{
    u32 at = 0;
    if (busy && MAGIC_GOAL == 2) {
        at = combgpu_emit(slice);
        l->full = at == NONE;
        if (at != NONE) {
            records[2 * at] = l->next;
            records[2 * at + 1] = squares;
        }
    }
    if (busy && !l->full) {
        if (squares) combgpu_add_total(slice, 1 + (tables[294 + 2 * l->next] & 31), squares);
        l->steps++;
        l->next++;
    }
    if (!l->full && !combgpu_spent(slice, l->steps)) {
        if (l->next < l->end) return l->next;
        at = combgpu_take(slice);
        if (at == NONE) return NONE;
        l->next = tasks[4 * at];
        l->end = tasks[4 * at + 2];
        return l->next;
    }
    if (l->next < l->end) combgpu_give_range(slice, left, l->next, l->end);
    return NONE;
}

/* 1: of a square only the complement has the centre that is asked for. */
DEVICE u32 combgpu_magic_from(GLOBAL const u32 *pair, GLOBAL const u32 *tables)
{
    return MAGIC_CENTRE && MAGIC_CENTRE != (pair[0] & 31);
}

/* How many images of a square are listed: of the M-group, those of the complement too unless a centre is
   asked for or it is 13; in all orientations or one. */
DEVICE u32 combgpu_magic_images(GLOBAL const u32 *pair, GLOBAL const u32 *tables, u32 from)
{
    u32 images = !from && !MAGIC_CENTRE && (pair[0] & 31) != 13 ? 8 : 4;
    return MAGIC_FRENICLE ? images : 8 * images;
}

#ifdef COMBGPU_SHUFFLE
/* A ring's filling as t1 t3 b1 b3, places of 4 bits, from its set. */
DEVICE u32 combgpu_magic_corners(LOCAL const combgpu_magic_ring_t *r, u32 unused, u32 way, u32 set,
                                 u32 filling)
{
    u32 x = filling & 15, z = (filling >> 6) & 15, c = 31 - (filling >> 10), d, t;
    /* the sides have the corners twice */
    d = r->sums[way & 15] + r->sums[(way >> 4) & 15] + r->sums[(way >> 8) & 15] +
        r->sums[(way >> 12) & 15] - POPCOUNT(set & 0xaaaaaaaau) - 2 * POPCOUNT(set & 0xccccccccu) -
        4 * POPCOUNT(set & 0xf0f0f0f0u) - 8 * POPCOUNT(set & 0xff00ff00u) -
        16 * POPCOUNT(set & 0xffff0000u) - c - r->number[x] - r->number[z];
    if (filling & 32) t = c, c = d, d = t;
    return POPCOUNT(unused & ((1u << c) - 1)) << 12 | x << 8 | z << 4 |
           POPCOUNT(unused & ((1u << d) - 1));
}

/* Finds the squares of a way with these numbers in t1; 0 = no room. */
DEVICE u32 combgpu_magic_ring_finds(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r,
                                    LOCAL combgpu_magic_finds_t *f, u32 unused, u32 way, u32 t1)
{
    LOCAL u64 *zeroed = (LOCAL u64 *)r->slots;
    u32 i;
    if (GROUP_LANE == 0) f->count = 0;
    for (i = GROUP_LANE; i < MAGIC_SLOTS / 2; i += 32)
        zeroed[i] = 0;
    combgpu_magic_ring_corners(GROUP, r, way);
    CREW_BARRIER();
    i = combgpu_magic_ring_join(GROUP, r, unused, 0, t1, 0, 1, f);
    if (GROUP_ANY(i)) return 0;
    combgpu_magic_ring_corners(GROUP, r, way >> 16);
    CREW_BARRIER();
    (void)combgpu_magic_ring_join(GROUP, r, unused, 1, t1, 0, 1, f);
    return f->count <= MAGIC_FOUND;
}

KERNEL_BLOCKS(32 * MAGIC_GROUPS, MAGIC_RING_LIST_BLOCKS) combgpu_magic_lists(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY combgpu_magic_ring_t rings[MAGIC_GROUPS];
    LOCAL_ARRAY combgpu_magic_finds_t finds[MAGIC_GROUPS];
    LOCAL_ARRAY u8 map[32 * 25], numbers[16 * MAGIC_GROUPS];
    LOCAL combgpu_magic_ring_t *r = &rings[LANE_ID / 32];
    LOCAL combgpu_magic_finds_t *f = &finds[LANE_ID / 32];
    /* once the squares are found: their codes, these in order, images, squares */
    LOCAL u32 *codes = (LOCAL u32 *)f->filling, *ordered = r->slots;
    LOCAL u32 *turned = ordered + MAGIC_FOUND;
    LOCAL u8 *squares = (LOCAL u8 *)(turned + 256);
    combgpu_magic_join_t j;
    combgpu_magic_lister_t lister;
    GLOBAL u8 *out = (GLOBAL u8 *)work + (MAGIC_PARAMETER(4) | (u64)MAGIC_PARAMETER(5) << 32);
    u64 hash = 0;
    u32 i, k, busy = 0, all = 0, first = MAGIC_PARAMETER(2), most = MAGIC_PARAMETER(3);
    GROUP_BEGIN(32);
    j.sums = r->sums, j.number = numbers + LANE_ID / 32 * 16;
    lister.next = lister.end = lister.steps = lister.full = 0;
    for (i = LANE_ID; i < 32 * 25; i += BLOCK_LANES)
        map[i] = (u8)combgpu_magic_cell(i / 200, i / 25 % 8, i % 25);
    LOCAL_BARRIER();
    for (;;) {
        GLOBAL const u32 *pair;
        u32 number = NONE, w, images, from, offset, unused;
        if (GROUP_LANE == 0 && GROUP_INDEX < slice->workers)
            number = combgpu_magic_list_next(&lister, slice, tables, tasks, left, records, all, busy);
        number = GROUP_FROM(number, 0);
        if (number == NONE) break;
        busy = 1, all = 0;
        pair = tables + 294 + 2 * number;
        from = combgpu_magic_from(pair, tables);
        images = combgpu_magic_images(pair, tables, from);
        offset = MAGIC_OFFSET(number);
        unused = combgpu_magic_ring_pair(GROUP, r, pair);
        CREW_BARRIER();
        if (GROUP_LANE < 16) numbers[LANE_ID / 32 * 16 + GROUP_LANE] = (u8)r->number[GROUP_LANE];
        for (w = 0; w < MAGIC_WAYS; w++) {
            u32 way = tables[258 + w], t1 = unused;
            do { /* all squares at once, or by t1 one after the other */
                u32 count, chunk, chunks = 256 / images < MAGIC_CHUNK ? 256 / images : MAGIC_CHUNK;
                if (!combgpu_magic_ring_finds(GROUP, r, f, unused, way, t1) && t1 == unused) {
                    t1 &= 0u - t1;
                    CREW_BARRIER();
                    continue;
                }
                count = f->count;
                all += count;
                for (i = GROUP_LANE; i < count; i += 32) {
                    u32 key = f->key[i], find = f->find[i];
                    codes[i] = combgpu_magic_corners(r, unused, way, key, find & 0xffff) << 16 |
                               combgpu_magic_corners(r, unused, way >> 16, unused ^ key, find >> 16);
                }
                CREW_BARRIER();
                for (i = GROUP_LANE; i < count; i += 32) {
                    u32 code = codes[i], before = 0;
                    for (k = 0; k < count; k++)
                        before += codes[k] < code;
                    ordered[before] = code;
                }
                CREW_BARRIER();
                for (chunk = 0; chunk < count && MAGIC_GOAL != 2; chunk += chunks) {
                    u32 n = count - chunk < chunks ? count - chunk : chunks, at, bytes, aside;
                    GLOBAL u8 *to;
                    for (i = GROUP_LANE; i < n; i += 32)
                        combgpu_magic_square(&j, pair, way, ordered[chunk + i], squares + 25 * i);
                    CREW_BARRIER();
                    n *= images;
                    for (i = GROUP_LANE; i < n; i += 32) {
                        u32 image = i % images, complement, of = 25 * (i / images), turn = image & 7;
                        if (!MAGIC_FRENICLE) image >>= 3;
                        complement = from | image >> 2;
                        image = 200 * (image & 3);
                        if (MAGIC_FRENICLE)
                            turn = combgpu_magic_frenicle(squares + of, map + image, complement);
                        image += 25 * turn;
                        turned[i] = of | image << 11 | complement << 31;
                        if (MAGIC_FRENICLE && MAGIC_GOAL == 0)
                            hash += combgpu_magic_fnv(squares + of, map + image, complement);
                    }
                    CREW_BARRIER();
                    at = offset + chunk * images - first;
                    to = out + (u64)(at + first) * 25 - (u64)first * 25; /* or before the range */
                    aside = (u32)(u64)to & 3;
                    bytes = MAGIC_GOAL == 1 ? 25 * n : 0;
                    for (i = 4 * GROUP_LANE; i < bytes + aside; i += 128) {
                        u32 word = 0, write = 0;
                        for (k = 0; k < 4; k++) {
                            u32 byte = i + k - aside, image = byte / 25, turn, value;
                            if (byte >= bytes || at + image >= most) continue;
                            turn = turned[image];
                            value = squares[(turn & 0x7ff) +
                                            map[((turn >> 11) & 0x3ff) + byte - 25 * image]];
                            if (turn >> 31) value = 26 - value;
                            word |= value << (8 * k), write |= 1u << k;
                        }
                        if (write == 15)
                            *(GLOBAL u32 *)(to + i - aside) = word;
                        else
                            for (k = 0; k < 4; k++)
                                if ((write >> k) & 1) to[i + k - aside] = (u8)(word >> (8 * k));
                    }
                    CREW_BARRIER();
                }
                offset += count * images;
                t1 = t1 == unused ? 0 : unused & ~(t1 | (t1 - 1));
                t1 &= 0u - t1;
                CREW_BARRIER();
            } while (t1);
        }
    }
    if (GROUP_LANE == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, hash);
}
#else
KERNEL_BLOCKS(256, MAGIC_LIST_BLOCKS) combgpu_magic_lists(SLICE_ARGUMENTS)
{
    /* pool: both rings' items and the marks; then sets of the finds, squares as they are found, squares
       in order */
    LOCAL_ARRAY u32 pool[MAGIC_ITEMS + 2 * MAGIC_MARKS], rank[256], sums[16];
    LOCAL_ARRAY u32
        shared[8]; /* pair, its squares, items of both rings, finds of 2 and 1, squares */
    LOCAL_ARRAY u16 path[4096], corner[256], bit[32], others[512], found[2 * MAGIC_FINDS];
    LOCAL_ARRAY u8 numbers[16], map[32 * 25], squares[MAGIC_CHUNK * 25], turn[MAGIC_CHUNK * 8];
    LOCAL u16 *sets = (LOCAL u16 *)pool;
    LOCAL u32 *codes = pool + MAGIC_FINDS, *ordered = pool;
    combgpu_magic_join_t j;
    combgpu_magic_lister_t lister;
    GLOBAL u8 *out = (GLOBAL u8 *)work + (MAGIC_PARAMETER(4) | (u64)MAGIC_PARAMETER(5) << 32);
    u64 hash = 0;
    u32 i, k, busy = 0, first = MAGIC_PARAMETER(2);
    j.rank = rank, j.sums = sums, j.path = path, j.corner = corner, j.bit = bit, j.number = numbers;
    j.items = (LOCAL u16 *)pool, j.others = others, j.found = found, j.shared = shared;
    j.marks = pool + MAGIC_ITEMS, j.counts = pool;
    lister.next = lister.end = lister.steps = lister.full = 0;
    for (i = LANE_ID; i < 256; i += BLOCK_LANES)
        rank[i] = tables[2 + i];
    for (i = LANE_ID; i < 32 * 25; i += BLOCK_LANES)
        map[i] = (u8)combgpu_magic_cell(i / 200, i / 25 % 8, i % 25);
    for (;;) {
        GLOBAL const u32 *pair;
        u32 number, w, images, from, offset;
        if (LANE_ID == 0) {
            number = combgpu_magic_list_next(&lister, slice, tables, tasks, left, records,
                                             shared[1], busy);
            shared[0] = number;
            shared[1] = 0;
        }
        LOCAL_BARRIER();
        number = shared[0];
        if (number == NONE) break;
        busy = 1;
        pair = tables + 294 + 2 * number;
        from = combgpu_magic_from(pair, tables);
        images = combgpu_magic_images(pair, tables, from);
        offset = MAGIC_OFFSET(number);
        combgpu_magic_pair_numbers(&j, pair);
        LOCAL_BARRIER();
        combgpu_magic_pair_paths(&j);
        for (w = 0; w < MAGIC_WAYS; w++) {
            u32 way = tables[258 + w], count, chunk;
            for (i = LANE_ID; i < 2 * MAGIC_MARKS; i += BLOCK_LANES)
                j.marks[i] = 0;
            for (i = LANE_ID; i < 6; i += BLOCK_LANES)
                shared[2 + i] = 0;
            LOCAL_BARRIER();
            combgpu_magic_ring_items(&j, way, &shared[2]);
            j.items += MAGIC_ITEMS, j.others += 256;
            combgpu_magic_ring_items(&j, way >> 16, &shared[3]);
            LOCAL_BARRIER();
            j.items -= MAGIC_ITEMS, j.others -= 256;
            combgpu_magic_ring_fill(&j, way, shared[2], 3);
            LOCAL_BARRIER();
            j.items += MAGIC_ITEMS, j.others += 256;
            combgpu_magic_ring_fill(&j, way >> 16, shared[3], 4);
            LOCAL_BARRIER();
            j.items -= MAGIC_ITEMS, j.others -= 256;
            combgpu_magic_ring_fill(&j, way, shared[4] ? shared[2] : 0, 5);
            LOCAL_BARRIER();
            for (i = LANE_ID; i < shared[4] + shared[5]; i += BLOCK_LANES) {
                u32 at = i < shared[4] ? i : MAGIC_FINDS + i - shared[4], code = found[at];
                sets[at] = (u16)combgpu_magic_set(&j, i < shared[4] ? way >> 16 : way, code >> 12,
                                                  (code >> 8) & 15, (code >> 4) & 15, code & 15);
            }
            LOCAL_BARRIER();
            for (i = LANE_ID; i < shared[4] * shared[5]; i += BLOCK_LANES) {
                u32 two = i % shared[4], one = MAGIC_FINDS + i / shared[4];
                if ((sets[two] ^ sets[one]) != 0xffff) continue;
                codes[LOCAL_ATOMIC_ADD(&shared[6], 1)] = (u32)found[one] << 16 | found[two];
            }
            LOCAL_BARRIER();
            count = shared[6];
            for (i = LANE_ID; i < count; i += BLOCK_LANES) {
                u32 code = codes[i], before = 0;
                for (k = 0; k < count; k++)
                    before += codes[k] < code;
                ordered[before] = code;
            }
            if (LANE_ID == 0) shared[1] += count;
            LOCAL_BARRIER();
            for (chunk = 0; chunk < count && MAGIC_GOAL != 2; chunk += MAGIC_CHUNK) {
                u32 n = count - chunk < MAGIC_CHUNK ? count - chunk : MAGIC_CHUNK, bytes;
                for (i = LANE_ID; i < n; i += BLOCK_LANES)
                    combgpu_magic_square(&j, pair, way, ordered[chunk + i], squares + 25 * i);
                LOCAL_BARRIER();
                bytes = MAGIC_FRENICLE ? n * images : 0;
                for (i = LANE_ID; i < bytes; i += BLOCK_LANES) {
                    u32 image = i % images, complement = from | image >> 2;
                    LOCAL const u8 *of = squares + 25 * (i / images), *to = map + 200 * (image & 3);
                    u32 g = combgpu_magic_frenicle(of, to, complement);
                    turn[i] = (u8)g;
                    if (MAGIC_GOAL == 0) hash += combgpu_magic_fnv(of, to + 25 * g, complement);
                }
                LOCAL_BARRIER();
                bytes = MAGIC_GOAL == 1 ? 25 * n * images : 0;
                for (i = LANE_ID; i < bytes; i += BLOCK_LANES) {
                    u32 square = i / 25, image = square % images, g, value;
                    u32 at = offset + (chunk * images + square);
                    if (at - first >= MAGIC_PARAMETER(3)) continue; /* before or behind the range */
                    g = MAGIC_FRENICLE ? turn[square] : image & 7;
                    if (!MAGIC_FRENICLE) image >>= 3;
                    value =
                        squares[25 * (square / images) + map[200 * (image & 3) + 25 * g + i % 25]];
                    if (from | image >> 2) value = 26 - value;
                    out[(u64)(at - first) * 25 + i % 25] = (u8)value;
                }
                LOCAL_BARRIER();
            }
            offset += count * images;
        }
    }
    if (LANE_ID == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, hash);
}
#endif
#undef MAGIC_GOAL
#undef MAGIC_CENTRE
#undef MAGIC_FRENICLE
#undef MAGIC_OFFSET
#undef MAGIC_PARAMETER

/* Order 4 (combgpu.h, SECTION 20): a lane takes pairs of diagonals. Numbers as sets have bit v for
   number v. */
DEVICE u32 combgpu_magic_nibble(u32 x, u32 i)
{
    return (x >> (5 * i)) & 31;
}

/* The set of the ring p q / r s with p + q = top, p + r = left, q + s = right; 0 if it cannot be. */
DEVICE u32 combgpu_magic_ring4(u32 unused, u32 p, i32 top, i32 left, i32 right)
{
    u32 q = (u32)top - p, r = (u32)left - p, s = (u32)right - q, set;
    if (q > 16 || r > 16 || s > 16) return 0; /* negative ones are large */
    set = 1u << p | 1u << q | 1u << r | 1u << s;
    return (set & ~unused) || POPCOUNT(set) != 4 ? 0 : set;
}

/* How many squares a pair of diagonals has. */
DEVICE u32 combgpu_magic_four_count(GLOBAL const u32 *ways, u32 a, u32 b)
{
    u32 unused = 0x1fffe, i, way, p, x, count = 0;
    for (i = 0; i < 4; i++)
        unused &= ~(1u << combgpu_magic_nibble(a, i) | 1u << combgpu_magic_nibble(b, i));
    for (i = 0; i < 36; i++) {
        u32 a00, a03, a30, a33, a11, a12, a21, a22, set;
        way = ways[i];
        a00 = combgpu_magic_nibble(a, (way >> 2) & 3), a03 = combgpu_magic_nibble(b, way & 3);
        a33 = combgpu_magic_nibble(a, (way >> 6) & 3),
        a30 = combgpu_magic_nibble(b, (way >> 4) & 3);
        if (a00 + a03 + a30 + a33 != 34) continue; /* as two rows less two columns say */
        a11 = combgpu_magic_nibble(a, (way >> 10) & 3);
        a21 = combgpu_magic_nibble(b, (way >> 8) & 3);
        a22 = combgpu_magic_nibble(a, (way >> 14) & 3);
        a12 = combgpu_magic_nibble(b, (way >> 12) & 3);
        for (p = unused; p; p &= p - 1) {
            set = combgpu_magic_ring4(unused, CTZ(p), 34 - (i32)(a00 + a03), 34 - (i32)(a11 + a21),
                                      34 - (i32)(a12 + a22));
            for (x = set ? unused & ~set : 0; x; x &= x - 1)
                if (combgpu_magic_ring4(unused & ~set, CTZ(x), 34 - (i32)(a11 + a12),
                                        34 - (i32)(a00 + a30), 34 - (i32)(a03 + a33)))
                    count++;
        }
    }
    return count;
}

KERNEL combgpu_magic_four(SLICE_ARGUMENTS)
{
    u32 steps = 0, task, at, pair, count;
    (void)work;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    while (!combgpu_spent(slice, steps) && (task = combgpu_take(slice)) != NONE) {
        pair = tasks[4 * task];
        count = combgpu_magic_four_count(tables + 1, tables[37 + 2 * pair], tables[38 + 2 * pair]);
        at = count ? combgpu_emit(slice) : 0;
        if (at == NONE) {
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

/* Semi-magic squares of order 5 (combgpu.h, SECTION 20): a lane takes units. Columns that go through
   a number of row 0 are words with the 20 places of the other rows, 5 bits a row, so that two of
   them are disjoint if they have no bit in common. */
typedef struct combgpu_magic_semi_t {
    u32 rows[5], count[4];
    u32 columns[4][64]; /* at most 59 */
    u64 free2[64], free3[64],
        last[64]; /* columns 2 and 3 that are disjoint from a column 1; columns 3
                                           that are from a column 2 */
} combgpu_magic_semi_t;

/* The number at a place of a row, a set. */
DEVICE u32 combgpu_magic_nth(u32 set, u32 n)
{
    for (; n; n--)
        set &= set - 1;
    return CTZ(set);
}

DEVICE void combgpu_magic_semi_columns(combgpu_magic_semi_t *m)
{
    u32 numbers[4], c, i, k, n; /* 5 bits a number */
    for (c = 0; c < 4; c++) {
        numbers[c] = 0;
        for (i = 0, k = m->rows[c]; i < 5; i++, k &= k - 1)
            numbers[c] |= CTZ(k) << (5 * i);
    }
    for (c = 0; c < 4; c++) {
        u32 first = combgpu_magic_nibble(numbers[0], c);
        for (n = i = 0; i < 25; i++) {
            u32 two = first + combgpu_magic_nibble(numbers[1], i / 5) +
                      combgpu_magic_nibble(numbers[2], i % 5);
            for (k = 0; k < 5; k++) {
                u32 rest = 65 - two - combgpu_magic_nibble(numbers[3], k);
                if (rest > 25 || !((m->rows[4] >> rest) & 1)) continue;
                m->columns[c][n++ & 63] = 1u << (i / 5) | 32u << (i % 5) | 1024u << k |
                                          32768u << POPCOUNT(m->rows[4] & ((1u << rest) - 1));
            }
        }
        m->count[c] = n;
    }
}

/* Bit i: column i of a group is disjoint from `column`. */
DEVICE u64 combgpu_magic_disjoint(const u32 *columns, u32 count, u32 column)
{
    u64 set = 0;
    u32 i;
    for (i = 0; i < count; i++)
        set |= (u64)(columns[i] & column ? 0 : 1) << i;
    return set;
}

DEVICE u32 combgpu_magic_semi_partition(combgpu_magic_semi_t *m)
{
    u32 i, k, sum = 0;
    combgpu_magic_semi_columns(m);
    for (i = 0; i < m->count[1]; i++) {
        m->free2[i] = combgpu_magic_disjoint(m->columns[2], m->count[2], m->columns[1][i]);
        m->free3[i] = combgpu_magic_disjoint(m->columns[3], m->count[3], m->columns[1][i]);
    }
    for (i = 0; i < m->count[2]; i++)
        m->last[i] = combgpu_magic_disjoint(m->columns[3], m->count[3], m->columns[2][i]);
    for (i = 0; i < m->count[0]; i++) {
        u32 column = m->columns[0][i];
        u64 may2 = combgpu_magic_disjoint(m->columns[2], m->count[2], column);
        u64 may3 = combgpu_magic_disjoint(m->columns[3], m->count[3], column);
        for (k = 0; k < m->count[1]; k++) {
            u64 two = may2 & m->free2[k], three = may3 & m->free3[k];
            if ((column & m->columns[1][k]) || !three) continue;
            for (; two; two &= two - 1) {
                u64 ends = three & m->last[(u32)two ? CTZ((u32)two) : 32 + CTZ((u32)(two >> 32))];
                sum += combgpu_popcount64(ends);
            }
        }
    }
    return sum;
}

/* 0, 1 or 2 for a partition, as in combgpu.h. */
DEVICE u32 combgpu_magic_semi_weight(const combgpu_magic_semi_t *m)
{
    u32 i, v, with25 = 0, turned = 0;
    for (i = 0; i < 5; i++)
        if ((m->rows[i] >> 25) & 1) with25 = m->rows[i];
    for (v = 1; v < 26; v++)
        turned |= ((with25 >> v) & 1) << (26 - v);
    return turned < m->rows[0] ? 0 : turned == m->rows[0] ? 1 : 2;
}

DEVICE u64 combgpu_magic_semi_unit(combgpu_magic_semi_t *m, GLOBAL const u32 *tables, u32 unit)
{
    u32 pair = 1422 + 2 * (unit / 8), unused, least, next, i, k, weight;
    u64 sum = 0;
    m->rows[0] = tables[pair];
    m->rows[1] = tables[pair + 1];
    unused = 0x3fffffe & ~(m->rows[0] | m->rows[1]);
    least = CTZ(unused);
    for (i = tables[1 + least] + unit % 8; i < tables[2 + least]; i += 8) {
        u32 rest;
        m->rows[2] = tables[28 + i];
        if (m->rows[2] & ~unused) continue;
        rest = unused & ~m->rows[2];
        next = CTZ(rest);
        for (k = tables[1 + next]; k < tables[2 + next]; k++) {
            m->rows[3] = tables[28 + k];
            if (m->rows[3] & ~rest) continue;
            m->rows[4] = rest & ~m->rows[3];
            weight = combgpu_magic_semi_weight(m);
            if (weight) sum += weight * combgpu_magic_semi_partition(m);
        }
    }
    return sum;
}

KERNEL combgpu_magic_semi(SLICE_ARGUMENTS)
{
    combgpu_magic_semi_t m;
    u32 steps = 0;
    u64 unit = 0, end = 0, hash = 0, sum = 0;
    (void)work, (void)records;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    while (combgpu_in_range(slice, tasks, left, &unit, &end, steps)) {
        u64 found = combgpu_magic_semi_unit(&m, tables, (u32)unit);
        hash += combgpu_mix(unit << 32 | found);
        sum += found;
        steps++;
        unit++;
    }
    if (!steps) return;
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, 1, hash);
    combgpu_add_total(slice, 2, sum);
}

#undef MAGIC_LEVELS
#undef MAGIC_LEVEL_COUNT
#undef MAGIC_START
#undef MAGIC_ENTRY
#undef MAGIC_WAYS
#undef MAGIC_ITEMS
#undef MAGIC_WORDS
#undef MAGIC_MARKS
#undef MAGIC_FINDS
#undef MAGIC_CHUNK
#undef MAGIC_JOIN_BLOCKS
#undef MAGIC_LIST_BLOCKS
#undef MAGIC_SLOTS
#undef MAGIC_SLOT
#undef MAGIC_PROBES
#undef MAGIC_QUEUE
#undef MAGIC_GROUPS
#undef MAGIC_RING_BLOCKS
#undef MAGIC_FOUND
#undef MAGIC_RING_LIST_BLOCKS

#endif /* MAGIC */

/* ---------------------------------------------------------------------------------- MAGIC6 */
#if defined(COMBGPU_KERNELS_MAGIC6) || defined(COMBGPU__HAS_MAGIC)

/* Estimates, and order 6 in parts: one lane is a worker. Words of `tables` as in combgpu.h, SECTION
   21. Sets of numbers have bit v for number v, and bit 0 set where that saves a case; a mirror has
   bit numbers + 1 - v. `wide` (more than 63 numbers) is a constant in every kernel. */
#define MAGIC6_SLOTS 25
#define MAGIC6_PLAN 12

typedef struct combgpu_magic6_set_t {
    u64 lo, hi;
} combgpu_magic6_set_t;

DEVICE u32 combgpu_magic6_any(combgpu_magic6_set_t a, u32 wide)
{
    return wide ? (a.lo | a.hi) != 0 : a.lo != 0;
}

DEVICE u32 combgpu_magic6_has(combgpu_magic6_set_t a, u32 v, u32 wide)
{
    if (wide && v >= 64) return (u32)(a.hi >> (v & 63)) & 1;
    return (u32)(a.lo >> (v & 63)) & 1;
}

DEVICE void combgpu_magic6_drop(combgpu_magic6_set_t *a, u32 v, u32 wide)
{
    u64 bit = ~((u64)1 << (v & 63));
    if (wide && v >= 64)
        a->hi &= bit;
    else
        a->lo &= bit;
}

/* Takes the smallest number out of a set that has one. */
DEVICE u32 combgpu_magic6_next(combgpu_magic6_set_t *a, u32 wide)
{
    u64 word = !wide || a->lo ? a->lo : a->hi;
    u32 v = combgpu_lowest_bit64(word);
    if (!wide || a->lo) {
        a->lo &= a->lo - 1;
        return v;
    }
    a->hi &= a->hi - 1;
    return 64 + v;
}

/* The numbers v of `from` for which sum - v is in the mirrored set; sum is 0 to 2 numbers + 1. */
DEVICE combgpu_magic6_set_t combgpu_magic6_partners(combgpu_magic6_set_t from,
                                                    combgpu_magic6_set_t mirror, i32 sum,
                                                    i32 numbers, u32 wide)
{
    i32 shift = numbers + 1 - sum;
    combgpu_magic6_set_t p;
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

/* Only the numbers below `end`, 0 to 127. */
DEVICE combgpu_magic6_set_t combgpu_magic6_below(combgpu_magic6_set_t a, u32 end, u32 wide)
{
    if (!wide || end < 64) {
        a.lo &= ((u64)1 << (end & 63)) - 1;
        a.hi = 0;
    } else {
        a.hi &= ((u64)1 << (end & 63)) - 1;
    }
    return a;
}

/* Takes two numbers out of a set; 0 if they are not both there. */
DEVICE u32 combgpu_magic6_split(combgpu_magic6_set_t *a, u32 v, u32 w, u32 wide)
{
    if (!combgpu_magic6_has(*a, v, wide) || !combgpu_magic6_has(*a, w, wide)) return 0;
    if (v) combgpu_magic6_drop(a, v, wide);
    if (w) combgpu_magic6_drop(a, w, wide);
    return 1;
}

/* What the rest needs: see the picture in combgpu.h. */
typedef struct combgpu_magic6_rest_t {
    combgpu_magic6_set_t mirror;
    i32 numbers, width, row0, row5, row1, row4, column1, column4, column0, column5, difference;
} combgpu_magic6_rest_t;

/* The first of the numbers that the middle cells of a row take, which need `sum`: the smaller of a
   pair, one number, or (no cells, nothing needed) bit 0, which stands for none. */
DEVICE combgpu_magic6_set_t combgpu_magic6_middle(const combgpu_magic6_rest_t *r,
                                                  combgpu_magic6_set_t left, i32 sum, u32 wide)
{
    combgpu_magic6_set_t p;
    p.lo = p.hi = 0;
    if (sum < 0 || sum > 2 * r->numbers) return p;
    if (r->width == 2) {
        left.lo &= ~(u64)1;
        return combgpu_magic6_below(
            combgpu_magic6_partners(left, r->mirror, sum, r->numbers, wide), ((u32)sum + 1) / 2,
            wide);
    }
    if (r->width == 0) {
        p.lo = sum == 0;
    } else if (sum && sum <= r->numbers && combgpu_magic6_has(left, (u32)sum, wide)) {
        if (wide && sum >= 64)
            p.hi = (u64)1 << (sum & 63);
        else
            p.lo = (u64)1 << (sum & 63);
    }
    return p;
}

/* The pairs of a column that needs `sum`, by either number. */
DEVICE combgpu_magic6_set_t combgpu_magic6_column(const combgpu_magic6_rest_t *r,
                                                  combgpu_magic6_set_t left, i32 sum, u32 wide)
{
    combgpu_magic6_set_t p;
    p.lo = p.hi = 0;
    if (sum < 3 || sum > 2 * r->numbers) return p;
    left.lo &= ~(u64)1;
    p = combgpu_magic6_partners(left, r->mirror, sum, r->numbers, wide);
    if (!(sum & 1)) combgpu_magic6_drop(&p, (u32)sum / 2, wide);
    return p;
}

/* Rows 1 and n-2 in the numbers left, when the middle of rows 0 and n-1 differs by a and b. */
DEVICE u32 combgpu_magic6_second(const combgpu_magic6_rest_t *r, combgpu_magic6_set_t left, i32 a,
                                 i32 b, u32 wide)
{
    combgpu_magic6_set_t first = combgpu_magic6_column(r, left, r->column0, wide);
    u32 ways = 0;
    while (combgpu_magic6_any(first, wide)) {
        u32 x = combgpu_magic6_next(&first, wide);
        combgpu_magic6_set_t others = left, second;
        if (!combgpu_magic6_split(&others, x, (u32)r->column0 - x, wide)) continue;
        second = combgpu_magic6_column(r, others, r->column5, wide);
        while (combgpu_magic6_any(second, wide)) {
            u32 y = combgpu_magic6_next(&second, wide);
            combgpu_magic6_set_t middle = others, p;
            i32 sum = r->row1 - (i32)(x + y);
            if (!combgpu_magic6_split(&middle, y, (u32)r->column5 - y, wide)) continue;
            p = combgpu_magic6_middle(r, middle, sum, wide);
            while (combgpu_magic6_any(p, wide)) {
                u32 u = combgpu_magic6_next(&p, wide), v;
                combgpu_magic6_set_t two = middle;
                i32 c, d, i, e;
                if (r->width < 2) { /* all else follows */
                    ways++;
                    continue;
                }
                if (!combgpu_magic6_split(&two, u, (u32)sum - u, wide)) continue;
                two.lo &= ~(u64)1;
                v = combgpu_magic6_next(&two, wide); /* two numbers are left, and fit */
                d = (i32)combgpu_magic6_next(&two, wide) - (i32)v;
                c = sum - 2 * (i32)u;
                for (i = 0; i < 4; i++) {
                    e = r->difference + (i & 1 ? c : -c) + (i & 2 ? d : -d);
                    ways += (e == a + b) + (e == a - b) + (e == b - a) + (e == -a - b);
                }
            }
        }
    }
    return ways;
}

/* The ways to fill the rest. */
DEVICE u32 combgpu_magic6_ways(const combgpu_magic6_rest_t *r, combgpu_magic6_set_t left, u32 wide)
{
    combgpu_magic6_set_t first, second, p, q, a, b, c, d;
    u32 ways = 0, x, y, u, v;
    i32 top, bottom;
    left.lo |= 1;
    first = combgpu_magic6_column(r, left, r->column0, wide); /* else all is in vain */
    second = combgpu_magic6_column(r, left, r->column5, wide);
    if (!combgpu_magic6_any(first, wide) || !combgpu_magic6_any(second, wide)) return 0;
    first = combgpu_magic6_column(r, left, r->column1, wide);
    while (combgpu_magic6_any(first, wide)) {
        x = combgpu_magic6_next(&first, wide);
        a = left;
        if (!combgpu_magic6_split(&a, x, (u32)r->column1 - x, wide)) continue;
        second = combgpu_magic6_column(r, a, r->column4, wide);
        while (combgpu_magic6_any(second, wide)) {
            y = combgpu_magic6_next(&second, wide);
            b = a;
            if (!combgpu_magic6_split(&b, y, (u32)r->column4 - y, wide)) continue;
            top = r->row0 - (i32)(x + y);
            bottom = r->row5 - (r->column1 - (i32)x) - (r->column4 - (i32)y);
            p = combgpu_magic6_middle(r, b, top, wide);
            while (combgpu_magic6_any(p, wide)) {
                u = combgpu_magic6_next(&p, wide);
                c = b;
                if (!combgpu_magic6_split(&c, u, r->width == 1 ? 0 : (u32)top - u, wide)) continue;
                q = combgpu_magic6_middle(r, c, bottom, wide);
                while (combgpu_magic6_any(q, wide)) {
                    v = combgpu_magic6_next(&q, wide);
                    d = c;
                    if (!combgpu_magic6_split(&d, v, r->width == 1 ? 0 : (u32)bottom - v, wide))
                        continue;
                    ways += combgpu_magic6_second(r, d, top - 2 * (i32)u, bottom - 2 * (i32)v, wide);
                }
            }
        }
    }
    return ways;
}

/* mantissa * 2^exponent, cut to 40 bits after each step */
typedef struct combgpu_magic6_product_t {
    u64 mantissa;
    i32 exponent;
} combgpu_magic6_product_t;

DEVICE u32 combgpu_magic6_bits(u64 x) /* bits of x, not 0 */
{
    return x >> 32 ? 64 - CLZ((u32)(x >> 32)) : 32 - CLZ((u32)x);
}

DEVICE void combgpu_magic6_multiply(combgpu_magic6_product_t *p, u32 factor)
{
    u32 bits;
    p->mantissa *= factor;
    bits = combgpu_magic6_bits(p->mantissa);
    if (bits > 40) {
        p->mantissa >>= bits - 40;
        p->exponent += (i32)(bits - 40);
    }
}

typedef struct combgpu_magic6_draw_t {
    combgpu_magic6_set_t unused, mirror;
    i32 total;
    i32 need[MAGIC6_SLOTS];
    combgpu_magic6_product_t chosen, choices;
} combgpu_magic6_draw_t;

/* How likely a number is, at a distance of 1/4 units from the centre. */
DEVICE u32 combgpu_magic6_curve(i32 distance, u32 slope)
{
    u64 part = ((u64)(u32)(distance * distance) * slope) >> 24;
    u32 q = part < 65535 ? 65535 - (u32)part : 0;
    q = (q * q) >> 16;
    q = (q * q) >> 16;
    return ((q * q) >> 16) + 1024;
}

DEVICE u32 combgpu_magic6_choose(combgpu_magic6_draw_t *draw, combgpu_magic6_set_t from, i32 centre,
                                 u32 slope, u64 random, u32 wide)
{
    combgpu_magic6_set_t set = from;
    u32 all = 0, v = 0, q = 0, at;
    while (combgpu_magic6_any(set, wide))
        all += combgpu_magic6_curve(4 * (i32)combgpu_magic6_next(&set, wide) - centre, slope);
    at = (u32)(((random >> 24) * all) >> 40);
    while (combgpu_magic6_any(from, wide)) {
        v = combgpu_magic6_next(&from, wide);
        q = combgpu_magic6_curve(4 * (i32)v - centre, slope);
        if (at < q) break;
        at -= q;
    }
    combgpu_magic6_multiply(&draw->chosen, q);
    combgpu_magic6_multiply(&draw->choices, all);
    return v;
}

DEVICE void combgpu_magic6_put(combgpu_magic6_draw_t *draw, GLOBAL const u32 *cell, u32 v, u32 numbers,
                               u32 wide)
{
    u32 i;
    for (i = 0; i < 4; i++)
        draw->need[cell[i] & 255] -= (i32)v;
    draw->total -= (i32)v;
    combgpu_magic6_drop(&draw->unused, v, wide);
    combgpu_magic6_drop(&draw->mirror, numbers + 1 - v, wide);
}

/* A line's wishes for a cell, or for its partner in a pair with the sum `turned`. */
DEVICE i32 combgpu_magic6_wishes(const combgpu_magic6_draw_t *draw, GLOBAL const u32 *cell, i32 mean,
                                 i32 turned)
{
    i32 sum = 0;
    u32 i;
    for (i = 0; i < 4; i++) {
        i32 wish = 4 * draw->need[cell[i] & 255] - (i32)((cell[i] >> 8) & 255) * mean;
        if (turned) wish = 4 * turned - wish;
        sum += (i32)(cell[i] >> 16) * wish;
    }
    return sum;
}

/* Fills a line of the plan; 0 if no pair completes it. */
DEVICE u32 combgpu_magic6_line(combgpu_magic6_draw_t *draw, GLOBAL const u32 *tables, u32 *words,
                               u64 key, u32 *draws, u32 wide)
{
    u32 head = tables[*words], cells = (head >> 8) & 255, at = *words + 1, numbers = tables[1], v;
    i32 mean, wishes, sum = 0;
    combgpu_magic6_set_t from;
    *words += 1 + 6 * cells + 12 * (head >> 16);
    for (cells += head >> 16; cells; cells--, at += 6) {
        u32 pair = cells == 1 && (head >> 16);
        mean = 4 * draw->total / (i32)tables[at + 5];
        wishes = combgpu_magic6_wishes(draw, tables + at, mean, 0);
        from = draw->unused;
        if (pair) {
            sum = draw->need[head & 255];
            if (sum < 3 || sum > 2 * (i32)numbers) return 0;
            from = combgpu_magic6_partners(from, draw->mirror, sum, (i32)numbers, wide);
            if (!(sum & 1)) combgpu_magic6_drop(&from, (u32)sum / 2, wide);
            if (!combgpu_magic6_any(from, wide)) return 0;
            wishes += combgpu_magic6_wishes(draw, tables + at + 6, mean, sum);
        }
        ++*draws;
        v = combgpu_magic6_choose(
            draw, from, wishes / (i32)tables[at + 4], tables[at + 4] * tables[7],
            combgpu_mix(key + *draws * ((u64)0x9e3779b9u << 32 | 0x7f4a7c15u)), wide);
        combgpu_magic6_put(draw, tables + at, v, numbers, wide);
        if (pair) combgpu_magic6_put(draw, tables + at + 6, (u32)sum - v, numbers, wide);
    }
    return 1;
}

/* ways / probability in units of 2^scale, rounded; all bits if that is too large. */
DEVICE u64 combgpu_magic6_weigh(const combgpu_magic6_draw_t *draw, u32 ways, i32 scale)
{
    u32 up = 40 - combgpu_magic6_bits(draw->choices.mantissa);
    u32 down = 40 - combgpu_magic6_bits(draw->chosen.mantissa);
    u64 value = ((draw->choices.mantissa << up) << 24) / ((draw->chosen.mantissa << down) >> 8);
    i32 shift = scale + 32 + (draw->chosen.exponent - (i32)down) -
                (draw->choices.exponent - (i32)up);
    value *= ways;
    if (!ways || shift > 63) return 0;
    if (shift > 0) return ((value >> (shift - 1)) & 1) + (value >> shift);
    if (shift < -30 || value >> (63 + shift)) return ~(u64)0;
    return value << -shift;
}

/* Sample `index`: the sum of its repeats. */
DEVICE u64 combgpu_magic6_sample(GLOBAL const u32 *tables, u64 index, u32 wide)
{
    u64 seed = tables[9] | (u64)tables[10] << 32, sum = 0, value;
    u64 key = combgpu_mix(seed + combgpu_mix(index));
    u32 n = tables[0], numbers = tables[1], lines = tables[3], inner = tables[4], draws = 0;
    u32 words = MAGIC6_PLAN, line, i, repeat, at;
    combgpu_magic6_draw_t draw, outer;
    combgpu_magic6_rest_t rest;
    outer.total = (i32)(numbers * (numbers + 1) / 2);
    outer.unused.lo = numbers < 64 ? ((u64)2 << (numbers & 63)) - 2 : ~(u64)1;
    outer.unused.hi = numbers < 64 ? 0 : ((u64)2 << (numbers & 63)) - 1;
    outer.mirror = outer.unused;
    outer.chosen.mantissa = outer.choices.mantissa = 1;
    outer.chosen.exponent = outer.choices.exponent = 0;
    for (i = 0; i < 2 * n + 3; i++)
        outer.need[i] = (i32)tables[2];
    for (line = 0; line < inner; line++)
        if (!combgpu_magic6_line(&outer, tables, &words, key, &draws, wide)) return 0;
    for (repeat = 0; repeat < tables[5]; repeat++) {
        draw.total = outer.total;
        draw.unused = outer.unused;
        draw.mirror = outer.mirror;
        draw.chosen = outer.chosen;
        draw.choices = outer.choices;
        for (i = 0; i < 2 * n + 3; i++)
            draw.need[i] = outer.need[i];
        at = words;
        for (line = inner; line < lines; line++)
            if (!combgpu_magic6_line(&draw, tables, &at, key, &draws, wide)) break;
        if (line < lines) continue;
        rest.mirror = draw.mirror;
        rest.numbers = (i32)numbers;
        rest.width = (i32)tables[6];
        rest.row0 = draw.need[0], rest.row5 = draw.need[n - 1];
        rest.row1 = draw.need[1], rest.row4 = draw.need[n - 2];
        rest.column0 = draw.need[n], rest.column5 = draw.need[2 * n - 1];
        rest.column1 = draw.need[n + 1], rest.column4 = draw.need[2 * n - 2];
        rest.difference = draw.need[n + 2] - draw.need[2 * n - 3];
        value = combgpu_magic6_weigh(&draw, combgpu_magic6_ways(&rest, draw.unused, wide),
                                     (i32)tables[8] - 65536);
        /* saturates; written so that no compiler makes an intrinsic of it, which oclgrind lacks */
        if (((value >> 1) + (sum >> 1) + (value & sum & 1)) >> 63)
            sum = ~(u64)0;
        else
            sum += value;
    }
    return sum;
}

/* Takes ranges of samples; a sample is a step. */
DEVICE void combgpu_magic6_estimate(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,
                                    GLOBAL const u32 *tasks, GLOBAL u32 *left, u32 wide)
{
    u64 added[8], value, low, high, middle;
    u32 steps = 0, i;
    u64 index = 0, end = 0;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    for (i = 0; i < 8; i++)
        added[i] = 0;
    while (combgpu_in_range(slice, tasks, left, &index, &end, steps)) {
        value = combgpu_magic6_sample(tables, index, wide);
        steps++;
        added[6] += combgpu_mix(combgpu_mix(index) ^ value);
        index++;
        if (value >> 60) added[7]++;
        if (!value || value >> 60) continue;
        low = (u32)value, high = value >> 32, middle = 2 * low * high;
        added[0] += low;
        added[1] += high;
        added[2] += (u32)(low * low);
        added[3] += ((low * low) >> 32) + (u32)middle;
        added[4] += (middle >> 32) + (u32)(high * high);
        added[5] += (high * high) >> 32;
    }
    combgpu_add_total(slice, 0, steps);
    for (i = 0; i < 8; i++)
        combgpu_add_total(slice, 1 + i, added[i]);
}

KERNEL combgpu_magic_samples(SLICE_ARGUMENTS)
{
    (void)records, (void)work;
    combgpu_magic6_estimate(slice, tables, tasks, left, 0);
}

KERNEL combgpu_magic_samples_wide(SLICE_ARGUMENTS)
{
    (void)records, (void)work;
    combgpu_magic6_estimate(slice, tables, tasks, left, 1);
}

/* Order 6 in parts: takes ranges of steps, each a configuration of the diagonals and a choice of
   three numbers in row 2 and two in row 3, by their places among those that are left. Every lane looks
   for the next way to end row 3 whose columns can still hold; then all count their rests together. */
typedef struct combgpu_magic6_rows_t {
    combgpu_magic6_set_t left, mirror, fifth; /* fifth: numbers to try in column 4 */
    i32 row3, column4, column5;
} combgpu_magic6_rows_t;

DEVICE void combgpu_magic6_take(combgpu_magic6_rows_t *r, u32 v)
{
    combgpu_magic6_drop(&r->left, v, 0);
    combgpu_magic6_drop(&r->mirror, 37 - v, 0);
}

DEVICE u32 combgpu_magic6_take_place(combgpu_magic6_rows_t *r, u32 place)
{
    combgpu_magic6_set_t set = r->left;
    u32 v = combgpu_magic6_next(&set, 0);
    for (; place; place--)
        v = combgpu_magic6_next(&set, 0);
    combgpu_magic6_take(r, v);
    return v;
}

/* Begins step `index`; 0 if its row 2 cannot be. */
DEVICE u32 combgpu_magic6_begin(combgpu_magic6_rows_t *r, combgpu_magic6_rest_t *rest,
                                GLOBAL const u32 *tables, u64 index)
{
    GLOBAL const u32 *words = tables + 4 + 3 * (u32)(index / 4614720);
    u32 t = (u32)(index % 4614720), a20, a21, a24, a30, a31, i, numbers[12];
    i32 a25;
    r->left.lo = ((u64)1 << 37) - 2;
    r->left.hi = 0;
    r->mirror = r->left;
    for (i = 0; i < 12; i++) {
        numbers[i] = (words[i / 5] >> (6 * (i % 5))) & 63;
        combgpu_magic6_take(r, numbers[i]);
    }
    a20 = combgpu_magic6_take_place(r, t / 192280);
    a21 = combgpu_magic6_take_place(r, t / 8360 % 23);
    a24 = combgpu_magic6_take_place(r, t / 380 % 22);
    a25 = 111 - (i32)(numbers[4] + numbers[10] + a20 + a21 + a24);
    if (a25 < 1 || a25 > 36 || !combgpu_magic6_has(r->left, (u32)a25, 0)) return 0;
    combgpu_magic6_take(r, (u32)a25);
    a30 = combgpu_magic6_take_place(r, t / 19 % 20);
    a31 = combgpu_magic6_take_place(r, t % 19);
    r->fifth = r->left;
    r->row3 = 111 - (i32)(numbers[5] + numbers[11] + a30 + a31);
    r->column4 = 111 - (i32)(numbers[3] + numbers[8] + a24);
    r->column5 = 111 - (i32)(numbers[1] + numbers[6]) - a25;
    rest->numbers = 36;
    rest->width = 2;
    rest->row0 = 111 - (i32)(numbers[0] + numbers[6]);
    rest->row5 = 111 - (i32)(numbers[1] + numbers[7]);
    rest->row1 = 111 - (i32)(numbers[2] + numbers[8]);
    rest->row4 = 111 - (i32)(numbers[3] + numbers[9]);
    rest->column0 = 111 - (i32)(numbers[0] + numbers[7] + a20 + a30);
    rest->column1 = 111 - (i32)(numbers[2] + numbers[9] + a21 + a31);
    /* column 2: a22 and a32; column 3: a33 and a23 */
    rest->difference = (i32)(numbers[5] + numbers[10]) - (i32)(numbers[4] + numbers[11]);
    return 1;
}

/* The next end of row 3: fills in the rest and the numbers that are left; 0 if there is none. */
DEVICE u32 combgpu_magic6_row3(combgpu_magic6_rows_t *r, combgpu_magic6_rest_t *rest,
                               combgpu_magic6_set_t *left)
{
    while (combgpu_magic6_any(r->fifth, 0)) {
        u32 v = combgpu_magic6_next(&r->fifth, 0);
        i32 w = r->row3 - (i32)v;
        *left = r->left;
        if (w < 1 || w > 36 || w == (i32)v || !combgpu_magic6_split(left, v, (u32)w, 0)) continue;
        rest->column4 = r->column4 - (i32)v;
        rest->column5 = r->column5 - w;
        rest->mirror = r->mirror;
        combgpu_magic6_drop(&rest->mirror, 37 - v, 0);
        combgpu_magic6_drop(&rest->mirror, 37 - (u32)w, 0);
        if (combgpu_magic6_any(combgpu_magic6_column(rest, *left, rest->column0, 0), 0) &&
            combgpu_magic6_any(combgpu_magic6_column(rest, *left, rest->column5, 0), 0) &&
            combgpu_magic6_any(combgpu_magic6_column(rest, *left, rest->column1, 0), 0) &&
            combgpu_magic6_any(combgpu_magic6_column(rest, *left, rest->column4, 0), 0))
            return 1;
    }
    return 0;
}

KERNEL combgpu_magic_configurations(SLICE_ARGUMENTS)
{
    u64 index = 0, end = 0, base = (tables[0] | (u64)tables[1] << 32) * 4614720, hash = 0, all = 0;
    u64 squares;
    u32 steps = 0;
    (void)records, (void)work;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    while (combgpu_in_range(slice, tasks, left, &index, &end, steps)) {
        combgpu_magic6_rows_t rows;
        combgpu_magic6_rest_t rest;
        combgpu_magic6_set_t numbers;
        squares = 0;
        if (combgpu_magic6_begin(&rows, &rest, tables, index))
            while (combgpu_magic6_row3(&rows, &rest, &numbers))
                squares += combgpu_magic6_ways(&rest, numbers, 0);
        steps++;
        all += squares;
        hash += combgpu_mix(combgpu_mix(base + index) ^ squares);
        index++;
    }
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, 1, hash);
    combgpu_add_total(slice, 2, all);
}

/* Other numbers than 1 .. n*n: the search of MAGIC over ranks, whose sums need the numbers. Words of
   `tables` as in combgpu.h, SECTION 21. */
#define RANKS_START(level) (tables[2 + (level)])
#define RANKS_ENTRY(position) (tables[28 + (position)])
#define RANKS_NUMBER(rank) ((i32)tables[52 + (rank)])

typedef struct combgpu_magic6_ranks_t {
    u32 cells, levels;
    u32 unused[26], mask[26]; /* before a level; still to try there */
    i32 values[26];           /* by position; [cells] stays 0 */
    u8 ranks[28];
} combgpu_magic6_ranks_t;

/* What a line leaves for its last cell: sums of five have 32 bits. */
DEVICE i64 combgpu_magic6_leaves(const combgpu_magic6_ranks_t *m, GLOBAL const u32 *line)
{
    u32 a = line[1], b = line[2];
    return (i64)(i32)line[0] - m->values[a & 255] - m->values[(a >> 8) & 255] -
           m->values[(a >> 16) & 255] - m->values[a >> 24] - m->values[b & 255];
}

/* 0 = impossible, 1 = the next level is ready, 2 = the square is full */
DEVICE u32 combgpu_magic6_enter(combgpu_magic6_ranks_t *m, GLOBAL const u32 *tables, u32 level, u32 rank)
{
    u32 position = RANKS_START(level), end = RANKS_START(level + 1), unused = m->unused[level];
    for (;;) {
        u32 at = RANKS_ENTRY(position), head = tables[at++], i, step;
        i32 value = RANKS_NUMBER(rank);
        i64 rest;
        m->ranks[position] = (u8)rank;
        m->values[position] = value;
        unused &= ~(1u << rank);
        for (i = (head >> 8) & 255; i; i--, at += 3)
            if (combgpu_magic6_leaves(m, tables + at) != value) return 0;
        for (i = head >> 16; i; i--, at++)
            if ((value > m->values[tables[at] & 255]) != ((tables[at] & 256) != 0)) return 0;
        if (++position == end) break;
        rest = combgpu_magic6_leaves(m, tables + RANKS_ENTRY(position) + 1);
        for (rank = 0, step = 16; step; step >>= 1) /* the last rank whose number is at most rest */
            if (rank + step <= m->cells && RANKS_NUMBER(rank + step) <= rest) rank += step;
        if (!rank || RANKS_NUMBER(rank) != rest || !((unused >> rank) & 1)) return 0;
    }
    if (level + 1 == m->levels) return 2;
    m->unused[level + 1] = m->mask[level + 1] = unused;
    return 1;
}

KERNEL combgpu_magic_ranks(SLICE_ARGUMENTS)
{
    combgpu_magic6_ranks_t m;
    u32 steps = 0, full = 0, task, bottom, level, found, mask, p, w, at, word;
    (void)work;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    m.cells = tables[0];
    m.levels = tables[1];
    m.values[m.cells] = 0;
    while (!full && !combgpu_spent(slice, steps)) {
        task = combgpu_take(slice);
        if (task == NONE) break;
        task *= slice->task_words;
        bottom = level = tasks[task];
        m.unused[level] = (2u << m.cells) - 2;
        m.mask[level] = tasks[task + 1];
        for (p = 0; p < RANKS_START(level); p++) {
            word = (tasks[task + 2 + p / 4] >> (8 * (p & 3))) & 255;
            m.ranks[p] = (u8)word;
            m.values[p] = RANKS_NUMBER(word);
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
                            for (word = 0, p = 4 * w; p < 4 * w + 4 && p < RANKS_START(level); p++)
                                word |= (u32)m.ranks[p] << (8 * (p & 3));
                            left[at + 2 + w] = word;
                        }
                    }
                    if (level == bottom) break;
                }
                break;
            }
            m.mask[level] = mask & (mask - 1);
            found = combgpu_magic6_enter(&m, tables, level, CTZ(mask));
            if (found == 2) {
                at = combgpu_emit(slice);
                if (at == NONE) {
                    m.mask[level] = mask; /* not counted: the rank is tried again */
                    full = 1;
                    continue;
                }
                at *= slice->record_words;
                for (w = 0; w < slice->record_words; w++)
                    records[at + w] = 0;
                for (p = 0; p < m.cells; p++) {
                    word = tables[RANKS_ENTRY(p)] & 255;
                    records[at + word / 4] |= (u32)m.ranks[p] << (8 * (word & 3));
                }
            }
            steps++;
            level += found & 1;
        }
    }
    combgpu_add_total(slice, 0, steps);
}

#undef RANKS_START
#undef RANKS_ENTRY
#undef RANKS_NUMBER

#undef MAGIC6_SLOTS
#undef MAGIC6_PLAN

#endif /* MAGIC6 */

/* ---------------------------------------------------------------------------------- NO3 */
#if defined(COMBGPU_KERNELS_NO3) || defined(COMBGPU__HAS_NO3)

/* No-three-in-line (combgpu.h, SECTION 30: the model, the tables, tasks, records). First the search of
   a class: 4, 8 or 16 lanes share a board, each holds `share` of its words, and so some of its
   lines, which have a word each, or two if `wide`. The rows that a step removes from the board are
   read by these lanes together, in one piece. The search is a function of these three constants; the
   kernels below are its forms. The full search up to n = 16 has a kernel of its own. */

/* The header of the tables, twin of the enum in combgpu.h. */
#define NO3_AT_WORDS 0
#define NO3_AT_ORBITS 1
#define NO3_AT_STRIDE 2
#define NO3_AT_PARTS 4
#define NO3_AT_WEIGHTED 5
#define NO3_AT_LEVELS 6
#define NO3_AT_TWO 7
#define NO3_AT_ONE 8
#define NO3_AT_LINE_ROWS 9
#define NO3_AT_PLACES 10
#define NO3_AT_TWICE 11
#define NO3_AT_PAIRS 12
#define NO3_AT_ROWS 13
#define NO3_AT_SIDE 14
#define NO3_AT_GRID 15
#define NO3_AT_WIDE 16
#define NO3_AT_MATRIX 17
#define NO3_AT_SOLO 18
#define NO3_AT_SOLO_CORNER 19

#define NO3_MOST 12 /* words in a lane */
/* The list word of the orbit placed as number c; it is in the low half if bit 3 of c is 0. Word w is
   in lane w % lanes. In round k each lane looks at one of the orbits in its list; the first of all
   lanes' is number NO3_ROUND(k, lanes). */
#define NO3_SLOT(c) (8 * ((c) >> 4) + ((c)&7))
#define NO3_ROUND(k, lanes)                                                                        \
    ((lanes) <= 8 ? (lanes) * (k) : (lanes) * 2 * ((k) >> 1) + 8 * ((k)&1))

/* Where lanes have shuffles, a board's words live in registers if loops over them are unrolled, and
   what few boards need is skipped when none of the crew's does. Elsewhere (PoCL 3.1) both only cost
   compile time, exponentially: conditional barriers make it copy all that follows. */
#ifdef COMBGPU_SHUFFLE
#define NO3_UNROLL _Pragma("unroll")
#define NO3_IF_ANY(p) if (CREW_ANY(p))
#define NO3_NOW_AND_THEN(turns) if (((turns)&63) == 0)
#define NO3_EACH_ROUND(k, more, most)                                                              \
    for ((k) = 0; (k) < (most); (k)++)                                                             \
        if (!CREW_ANY(more))                                                                       \
            break;                                                                                 \
        else
#else
#define NO3_UNROLL _Pragma("nounroll")
#define NO3_IF_ANY(p)
#define NO3_NOW_AND_THEN(turns)
#define NO3_EACH_ROUND(k, more, most) for ((k) = 0; CREW_ANY(more); (k)++)
#endif

/* A lane's words of a board, 4 at a time. */
DEVICE void combgpu_no3_load(u32 *words, GLOBAL const u32 *from, const u32 share)
{
    u32 i;
    NO3_UNROLL
    for (i = 0; i < share; i += 4) {
        uint4 four = *(GLOBAL const uint4 *)(from + i);
        words[i] = four.x;
        words[i + 1] = four.y;
        words[i + 2] = four.z;
        words[i + 3] = four.w;
    }
}

DEVICE void combgpu_no3_store(GLOBAL u32 *to, const u32 *words, const u32 share)
{
    u32 i;
    NO3_UNROLL
    for (i = 0; i < share; i += 4) {
        uint4 four;
        four.x = words[i];
        four.y = words[i + 1];
        four.z = words[i + 2];
        four.w = words[i + 3];
        *(GLOBAL uint4 *)(to + i) = four;
    }
}

/* Adds to `gone` what a row removes from this lane's words; `from` is the lane's part of it. */
DEVICE void combgpu_no3_gone(u32 *gone, GLOBAL const u32 *from, const u32 share)
{
    u32 row[NO3_MOST], i;
    combgpu_no3_load(row, from, share);
    NO3_UNROLL
    for (i = 0; i < share; i++)
        gone[i] |= row[i];
}

/* The classes for a line by its two bits of `need`; 15 for one that needs nothing. */
DEVICE u32 combgpu_no3_classes(u32 need, u32 at, u32 two, u32 one)
{
    return need >> at & 2 ? two : need >> at & 1 ? one : NONE;
}

DEVICE void combgpu_no3(GROUP_PARAMETER, SLICE_ARGUMENTS, const u32 lanes, const u32 share,
                        const u32 wide)
{
    const u32 lane = GROUP_LANE, lines = share >> wide, own = lane * lines; /* first own line */
    const u32 all = lanes * share, level_words = all + 16;
    const u32 kept = all < 64 ? all / lanes : 64 / lanes; /* list words in a lane */
    const u32 task_words = all + 8 + lanes * kept;
    const u32 part_bits = lines * lanes / 4, need_bits = 2 * lines; /* of a task's word, a lane's */
    const u32 weighted = tables[NO3_AT_WEIGHTED], stride = tables[NO3_AT_STRIDE];
    const u32 two = tables[NO3_AT_TWO], one = tables[NO3_AT_ONE];
    const u32 line_rows = tables[NO3_AT_LINE_ROWS], parts = all < 128 ? 1 : tables[NO3_AT_PARTS];
    GLOBAL const u32 *places = tables + tables[NO3_AT_PLACES];
    GLOBAL const u32 *pairs = tables + tables[NO3_AT_PAIRS];
    GLOBAL const u32 *rows = tables + tables[NO3_AT_ROWS] + lane * share;
    /* never so, but the compiler shall take these addresses as they are: else it adds up, for each
       row it reads, what they are made of (a third of all instructions) */
    if (slice->workers == 0) places = pairs = rows = work;
    /* this lane's words of the stack's free level, and from there to its word of needs */
    GLOBAL u32 *top = work + GROUP_INDEX * tables[NO3_AT_LEVELS] * level_words + lane * share;
    const u32 to_need = all + lane - lane * share;
    u32 words[NO3_MOST], twice[NO3_MOST], list[NO3_MOST], gone[NO3_MOST];
    u32 need = 0;  /* 2 bits for each own line */
    u32 count = 0; /* orbits placed: in the lanes' lists, 16 bits each, as NO3_SLOT says */
    u32 levels = 0, steps = 0, turns = slice->budget, i, k, at;
    u32 busy = GROUP_INDEX < slice->workers; /* there may be more tasks */
    u32 have = 0; /* 1: words, need, count and list are a board; 2: it cannot go on in this slice */

    combgpu_no3_load(twice, tables + tables[NO3_AT_TWICE] + lane * share, share);
    NO3_UNROLL
    for (i = 0; i < share; i++)
        words[i] = list[i] = 0;

    for (;;) {
        u32 best, go, line, other, place, orbit, need_line, need_other, limit;

        NO3_NOW_AND_THEN(turns)
        {
            u32 taken = slice->budget - turns;
            if (CREW_ANY(lane == 0 && combgpu_spent(slice, taken))) turns = 0;
        }

        /* the next board: from the stack, else a task */
        if (!have && levels) {
            top -= level_words;
            levels--;
            combgpu_no3_load(words, top, share);
            need = top[to_need];
            count = need >> 24;
            need &= 0xffffff;
            have = 1;
        }
        NO3_IF_ANY(busy && !have)
        {
            at = GROUP_TAKE(slice, busy && !have && turns);
            if (busy && !have) busy = have = at != NONE;
            if (at != NONE) {
                GLOBAL const u32 *from = tasks + (u64)at * task_words;
                combgpu_no3_load(words, from + lane * share, share);
                /* a task has the needs in 8 words, whatever the number of lanes */
                if (lanes == 4)
                    need = (from[all + 2 * lane] & 0xffffff) |
                           (from[all + 2 * lane + 1] & 0xffffff) << part_bits;
                else if (lanes == 8)
                    need = from[all + lane] & 0xffffff;
                else
                    need = from[all + lane / 2] >> need_bits * (lane & 1) & ((1u << need_bits) - 1);
                count = from[all] >> 24;
                NO3_UNROLL
                for (i = 0; i < kept; i++)
                    list[i] = from[all + 8 + lanes * i + lane];
            }
        }
        go = have == 1 && turns;
        if (!CREW_ANY(go)) break;
        turns--;

        /* the line to look at: the smallest key, class << 28 | line << 6 | rank of its first orbit,
           the highest bit; of a dead line, class 0, only the class is right */
        best = NONE;
        NO3_UNROLL
        for (i = 0; i < share; i += 1 + wide) {
            u32 there = POPCOUNT(words[i]), first = CLZ(words[i]), n = i >> wide;
            if (weighted) there += POPCOUNT(words[i] & twice[i]);
            if (wide) {
                there += POPCOUNT(words[i + 1]);
                if (weighted) there += POPCOUNT(words[i + 1] & twice[i + 1]);
                if (first == 32) first += CLZ(words[i + 1]);
            }
            best = min(best, (combgpu_no3_classes(need, 2 * n, two, one) >> 4 * min(there, 7u)
                                                                               << 28) +
                                 first + ((own + n) << 6));
        }
        best = GROUP_MIN(best);

        /* no line needs a point: a solution. Without room for it the board goes back as it is. */
        NO3_IF_ANY(go && best >= 0xf0000000u)
        {
            u32 solved = go && best >= 0xf0000000u;
            at = GROUP_EMIT(slice, solved);
            if (at != NONE) {
                GLOBAL u32 *to = records + (u64)at * (1 + lanes * kept);
                if (lane == 0) to[0] = count;
                NO3_UNROLL
                for (i = 0; i < kept; i++)
                    to[1 + lanes * i + lane] = list[i];
                have = go = 0;
                steps++;
            } else if (solved) {
                have = 2;
                go = 0;
            }
        }
        steps += go;
        if (go && best < 0x10000000u) have = go = 0; /* dead */

        /* the orbit to place; a group without a board goes along with any */
        at = go ? best & 0xffffff : 0;
        line = at >> 6;
        place = places[at];
        orbit = place & 4095;
        other = place >> 12 & 127;
        NO3_UNROLL
        for (i = 0; i < share; i++)
            gone[i] = 0;
        combgpu_no3_gone(gone, rows + (1 + orbit) * all, share);
        if (go) {
            NO3_UNROLL
            for (i = 0; i < share; i++)
                words[i] &= ~gone[i];
            if (best >= 0x20000000u) { /* not forced: the board without it waits */
                combgpu_no3_store(top, words, share);
                top[to_need] = need | count << 24;
                top += level_words;
                levels++;
            }
            if (line - own < lines) need -= (place >> 19 & 3) << 2 * (line - own);
            if (other - own < lines) need -= (place >> 21 & 3) << 2 * (other - own);
            at = 0xffffu << (count & 8 ? 16 : 0);
            NO3_UNROLL
            for (i = 0; i < kept; i++) {
                u32 here = lanes * i + lane == NO3_SLOT(count) ? at : 0;
                list[i] = (list[i] & ~here) | ((orbit << 16 | orbit) & here);
            }
            count++;
        }

        /* what its lines no longer take */
        need_line = GROUP_FROM(need >> 2 * (line % lines), line / lines) & 3;
        need_other = GROUP_FROM(need >> 2 * (other % lines), other / lines) & 3;
        combgpu_no3_gone(gone, rows + (line_rows + 3 * line + need_line) * all, share);
        combgpu_no3_gone(gone, rows + (line_rows + 3 * other + need_other) * all, share);

        /* what is in line with it and an orbit placed before; with itself: what it excludes alone.
           In a round each lane finds the row for one orbit; then all lanes read all of them. */
        limit = go ? count : 0;
        NO3_UNROLL
        NO3_EACH_ROUND(k, NO3_ROUND(k, lanes) < limit, 2 * kept)
        {
            u32 row = 0, part, high = lanes <= 8 ? lanes * k & 8 : k & 1;
            u32 slot = lanes <= 8 ? NO3_SLOT(lanes * k) / lanes : k >> 1;
            u32 number = lanes <= 8 ? lanes * k + lane
                                    : 32 * slot + 16 * (lane >> 3) + (lane & 7) + (high ? 8 : 0);
            for (part = 0; part < parts; part++) {
                if (number < limit) {
                    at = (orbit * stride + (high ? list[slot] >> 16 : list[slot] & 0xffff)) * parts +
                         part;
                    row = all == 16 ? ((GLOBAL const u16 *)pairs)[at] : pairs[at];
                }
                NO3_UNROLL
                for (i = 0; i < lanes; i++)
                    combgpu_no3_gone(gone, rows + GROUP_FROM(row, i) * all, share);
            }
        }
        if (go) {
            NO3_UNROLL
            for (i = 0; i < share; i++)
                words[i] &= ~gone[i];
        }
    }

    /* give back the board and the stack: their lists begin alike */
    have = have != 0;
    while (CREW_ANY(have || levels)) {
        u32 pair;
        at = GROUP_GIVE(slice, have || levels);
        if (at != NONE) {
            if (have)
                have = 0;
            else {
                top -= level_words;
                levels--;
                combgpu_no3_load(words, top, share);
                need = top[to_need];
                count = need >> 24;
                need &= 0xffffff;
            }
        }
        pair = lanes == 16 ? GROUP_FROM(need, lane ^ 1) : 0;
        if (at != NONE) {
            GLOBAL u32 *to = left + (u64)at * task_words;
            NO3_UNROLL
            for (i = 0; i < share; i++)
                to[lane * share + i] = words[i];
            NO3_UNROLL
            for (i = 0; i < kept; i++)
                to[all + 8 + lanes * i + lane] = list[i];
            if (lanes == 4) {
                to[all + 2 * lane] = (need & ((1u << part_bits) - 1)) | count << 24;
                to[all + 2 * lane + 1] = need >> part_bits | count << 24;
            } else if (lanes == 8)
                to[all + lane] = need | count << 24;
            else if (!(lane & 1))
                to[all + lane / 2] = need | pair << need_bits | count << 24;
        }
    }
    if (lane == 0) combgpu_add_total(slice, 0, steps);
}

/* The full search up to n = 17. A lane has a board of its own, the rows alone: word j < 8 has row j in
   its high half and row 8 + j in its low half, column 0 in the top bit of a half. With n = 17 (`wide`)
   word 8 has column 16 in its high half and row 16 in its low half, as of the other 16 lines; where
   these two lines meet, and what they have, is in `more`. How many open cells a row or column has is
   counted by adding words up bit by bit (carry-save), for all at once: a line's count is a bit in each
   of four masks of all 32 lines, rows in the high half and columns in the low one, line 0 in the top
   bit of its half (those of lines 16: `xs` and so on, bits 31 and 15). So few instructions find the
   line to look at. The rows that a step removes, and their numbers by pairs of points, are read from
   `table`, which fits the shared memory of a large multiprocessor. */
#define NO3_SOLO_LEVEL 12  /* words of a stack level: the board, `one`, `two`, `more` */
#define NO3_SOLO_LEVELS 15 /* a lane with so many waits for the end of the slice: very few */
#define NO3_SOLO_ROWS(wide) ((wide) ? 3495u : 2723u)
#define NO3_SOLO_CORNER 256u /* in `more`: the cell is open; the number of points is below */
#define NO3_MAJORITY(a, b, c) (((a) & (b)) | ((c) & ((a) | (b))))
#ifdef COMBGPU_SHUFFLE
#define NO3_SOLO_ANY(p) CREW_ANY(p)
#else
#define NO3_SOLO_ANY(p) (p)
#endif

/* The bytes before the row for two points; 0: the empty row. */
DEVICE u32 combgpu_no3_solo_id(GLOBAL const u32 *table, u32 a, u32 b, const u32 wide)
{
    u32 last = max(a, b), at = wide ? last * (last - 1) + 2 * (a + b) : 512 * a + 2 * b;
    return *(GLOBAL const u16 *)((GLOBAL const u8 *)table + (wide ? 36 : 32) * NO3_SOLO_ROWS(wide) +
                                 at);
}

DEVICE void combgpu_no3_solo_row(u32 *row, GLOBAL const u32 *table, u32 id, const u32 wide)
{
    GLOBAL const u8 *from = (GLOBAL const u8 *)table;
    uint4 a = *(GLOBAL const uint4 *)(from + id);
    uint4 b = *(GLOBAL const uint4 *)(from + 16 * NO3_SOLO_ROWS(wide) + id);
    row[0] = a.x;
    row[1] = a.y;
    row[2] = a.z;
    row[3] = a.w;
    row[4] = b.x;
    row[5] = b.y;
    row[6] = b.z;
    row[7] = b.w;
    if (wide) row[8] = *(GLOBAL const u32 *)(from + 32 * NO3_SOLO_ROWS(wide) + (id >> 2));
}

/* Number c of the list as an orbit. */
DEVICE u32 combgpu_no3_solo_orbit(const u32 *list, u32 c, u32 n, const u32 wide)
{
    u32 point;
    if (wide) return c < 36 ? list[c >> 1] >> 16 * (c & 1) & 0xffff : 0;
    point = list[c >> 2] >> 8 * (c & 3) & 255;
    return (point >> 4) * n + (point & 15);
}

DEVICE void combgpu_no3_solo_list(GLOBAL u32 *to, const u32 *list, u32 n, const u32 wide)
{
    u32 i;
    NO3_UNROLL
    for (i = 0; i < (wide ? 18 : 16); i++)
        to[i] = combgpu_no3_solo_orbit(list, 16 * (i >> 3) + (i & 7), n, wide) |
                combgpu_no3_solo_orbit(list, 16 * (i >> 3) + (i & 7) + 8, n, wide) << 16;
    for (; i < (wide ? 48 : 16); i++)
        to[i] = 0;
}

/* Points that a line (row 2i, column 2i + 1) needs. */
DEVICE u32 combgpu_no3_solo_need(u32 one, u32 two, u32 more, u32 line)
{
    u32 i = line >> 1, at = i + 16 * (line & 1);
    if (i == 16) return 2 - (more << (at - 16) >> 31) - (more << (at - 15) >> 31);
    return i > 16 ? 0 : 2 - (one << at >> 31) - (two << at >> 31);
}

DEVICE void combgpu_no3_solo_pop(u32 *words, u32 *one, u32 *two, u32 *more, GLOBAL const u32 *top,
                                 const u32 wide)
{
    uint4 last = *(GLOBAL const uint4 *)(top + 8);
    combgpu_no3_load(words, top, 8);
    if (wide) words[8] = last.x;
    *one = last.y;
    *two = last.z;
    *more = last.w;
}

DEVICE void combgpu_no3_solo(SLICE_ARGUMENTS, GLOBAL const u32 *table, const u32 wide)
{
    const u32 n = tables[NO3_AT_SIDE], board_words = wide ? 48 : 16, part = wide ? 6 : 4;
    const u32 list_words = wide ? 48 : 16, task_words = board_words + 8 + list_words;
    const u32 share = 8 + wide, corner = tables[NO3_AT_SOLO_CORNER];
    const u32 index = BLOCK_ID * BLOCK_LANES + LANE_ID;
    GLOBAL u32 *top = work + index * NO3_SOLO_LEVELS * NO3_SOLO_LEVEL;
    u32 words[9], list[18];
    u32 one = 0, two = 0; /* as above, of lines 0 to 15 */
    u32 more = 0;         /* bits 31, 30: `one`, `two` of row 16; 15, 14: of column 16 */
    u32 levels = 0, steps = 0, turns = slice->budget, i, j, k, at;
    u32 busy = index < slice->workers; /* there may be more tasks */
    u32 have = 0; /* 1: this is a board; 2: it cannot go on in this slice */

    NO3_UNROLL
    for (i = 0; i < 9; i++)
        words[i] = 0;
    NO3_UNROLL
    for (i = 0; i < 18; i++)
        list[i] = 0;

    for (;;) {
        u32 s, t, f, e, c, rows, low, lines, forced, dead, is_row, first, x, y, cell, cells;
        u32 a, b, ca, cb, cc, fa, open, rest, go, solved, count, limit, far, most;
        u32 xs = 0, xt = 0, xf = 0, xe = 0, xopen = 0, xrest = 0, xlines = 0, xforced = 0;

        NO3_NOW_AND_THEN(turns)
        {
            u32 taken = slice->budget - turns;
            if (NO3_SOLO_ANY(combgpu_spent(slice, taken))) turns = 0;
        }

        /* the next board: from the stack, else a task */
        if (!have && levels) {
            top -= NO3_SOLO_LEVEL;
            levels--;
            combgpu_no3_solo_pop(words, &one, &two, &more, top, wide);
            have = 1;
        }
        NO3_IF_ANY(busy && !have)
        {
            if (busy && !have) {
                at = turns ? combgpu_take(slice) : NONE;
                busy = have = at != NONE;
                if (have) {
                    GLOBAL const u32 *from = tasks + (u64)at * task_words;
                    one = two = 0;
                    more = from[board_words] >> 24;
                    for (i = 0; i < 32; i++) {
                        u32 need = from[board_words + i / part] >> 2 * (i % part) & 3;
                        u32 bit = 0x80000000u >> ((i >> 1) + 16 * (i & 1));
                        if (need < 2) one |= bit;
                        if (need < 1) two |= bit;
                    }
                    NO3_UNROLL
                    for (j = 0; j < 8; j++)
                        words[j] = wide ? (from[2 * j] & 0xffff0000u) | from[2 * j + 16] >> 16
                                        : from[j] << 16 | (from[j + 8] & 0xffff);
                    if (wide) {
                        u32 row = from[53] >> 4 & 3, column = from[53] >> 6 & 3;
                        words[8] = (from[33] & 0xffff0000u) | from[32] >> 16;
                        if (from[32] & 0x8000) more |= NO3_SOLO_CORNER;
                        if (row < 2) more |= 0x80000000u;
                        if (row < 1) more |= 0x40000000u;
                        if (column < 2) more |= 0x8000;
                        if (column < 1) more |= 0x4000;
                    }
                    from += board_words + 8;
                    NO3_UNROLL
                    for (i = 0; i < 18; i++)
                        list[i] = 0;
                    NO3_UNROLL
                    for (i = 0; i < (wide ? 34 : 32); i++) {
                        u32 orbit = from[8 * (i >> 4) + (i & 7)] >> (i & 8 ? 16 : 0) & 0xffff;
                        if (wide)
                            list[i >> 1] |= orbit << 16 * (i & 1);
                        else
                            list[i >> 2] |= (orbit / n << 4 | orbit % n) << 8 * (i & 3);
                    }
                }
            }
        }
        go = have == 1 && turns && levels < NO3_SOLO_LEVELS;
        if (!NO3_SOLO_ANY(go)) break;
        turns--;

        /* how many open cells each line has: 1 * s + 2 * t + 4 * f, and e if 8 or more */
        rows = low = 0;
        NO3_UNROLL
        for (j = 0; j < 8; j++) {
            k = POPCOUNT(words[j] >> 16);
            rows = 2 * rows + (min(k, 15u) * 0x00204081u & 0x01010101u);
            k = POPCOUNT(words[j] & 0xffff);
            low = 2 * low + (min(k, 15u) * 0x00204081u & 0x01010101u);
        }
        a = words[0] ^ words[1] ^ words[2];
        ca = NO3_MAJORITY(words[0], words[1], words[2]);
        b = words[3] ^ words[4] ^ words[5];
        cb = NO3_MAJORITY(words[3], words[4], words[5]);
        s = a ^ b ^ words[6];
        cc = NO3_MAJORITY(a, b, words[6]);
        c = s & words[7];
        s ^= words[7];
        t = ca ^ cb ^ cc;
        fa = NO3_MAJORITY(ca, cb, cc);
        f = fa ^ (t & c);
        e = fa & t & c;
        t ^= c;
        a = s & s >> 16; /* both halves of the rows */
        s ^= s >> 16;
        b = NO3_MAJORITY(t, t >> 16, a);
        t ^= t >> 16 ^ a;
        e |= e >> 16 | NO3_MAJORITY(f, f >> 16, b);
        f ^= f >> 16 ^ b;
        s = (s & 0xffff) | (rows & 0xff) << 24 | (low & 0xff) << 16;
        t = (t & 0xffff) | (rows & 0xff00) << 16 | (low & 0xff00) << 8;
        f = (f & 0xffff) | (rows & 0xff0000) << 8 | (low & 0xff0000);
        e = (e & 0xffff) | (rows & 0xff000000u) | (low >> 8 & 0xff0000);
        if (wide) { /* one cell more in each; then the other two lines, in bits 31 and 15 */
            a = s & words[8];
            s ^= words[8];
            b = t & a;
            t ^= a;
            e |= f & b;
            f ^= b;
            k = more >> 8 & 1;
            a = POPCOUNT(words[8] & 0xffff) + k;
            b = POPCOUNT(words[8] >> 16) + k;
            xe = min(a, 15u) << 28 | min(b, 15u) << 12;
            xf = xe << 1;
            xt = xe << 2;
            xs = xe << 3;
        }

        /* the line to look at: see above */
        open = ~(two | f | e);
        rest = ~(two | one);
        dead = open & ~t & ~(s & one);
        forced = open & (s ^ t) & ~(s ^ one);
        lines = open & t & (s ^ one);
        if (wide) {
            xopen = ~(more << 1 | xf | xe) & 0x80008000u;
            xrest = ~(more << 1 | more) & 0x80008000u;
            dead |= xopen & ~xt & ~(xs & more);
            xforced = xopen & (xs ^ xt) & ~(xs ^ more);
            xlines = xopen & xt & (xs ^ more);
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
            xlines = more & ~(more << 1) & (xe | xf | (xs & xt)) & 0x80008000u;
        }
        if (forced | xforced) {
            lines = forced;
            xlines = xforced;
        }
        i = CLZ(lines | lines << 16);
        is_row = lines << (i & 31) >> 31;
        solved = two == NONE;
        if (wide) {
            if (!lines) {
                i = 16;
                is_row = xlines >> 31;
            }
            solved = solved && (more & 0x40004000u) == 0x40004000u;
            forced |= xforced;
        }

        NO3_IF_ANY(go && solved)
        {
            if (go && solved) {
                at = combgpu_emit(slice);
                if (at != NONE) {
                    GLOBAL u32 *to = records + (u64)at * (1 + list_words);
                    to[0] = 2 * n;
                    combgpu_no3_solo_list(to + 1, list, n, wide);
                    have = 0;
                    steps++;
                } else
                    have = 2;
                go = 0;
            }
        }
        steps += go;
        if (go && dead) have = go = 0;

        /* its first open cell */
        at = i & 2 ? (i & 1 ? words[3] : words[2]) : (i & 1 ? words[1] : words[0]);
        k = i & 2 ? (i & 1 ? words[7] : words[6]) : (i & 1 ? words[5] : words[4]);
        at = i & 4 ? k : at;
        at = i & 8 ? at << 16 : at & 0xffff0000u;
        k = 0;
        NO3_UNROLL
        for (j = 0; j < 8; j++)
            k = 2 * k + (words[j] >> (15 - (i & 15)) & 0x10001);
        k = (k << 8 & 0xff000000u) | (k << 16 & 0x00ff0000u);
        if (wide) {
            at |= words[8] << (i & 15) >> 16 & 0x8000;
            k |= words[8] << (i & 15) & 0x8000;
            if (i == 16) {
                c = (more & NO3_SOLO_CORNER) << 7;
                at = words[8] << 16 | c;
                k = (words[8] & 0xffff0000u) | c;
            }
        }
        first = CLZ(is_row ? at : k);
        y = is_row ? i : first;
        x = is_row ? first : i;
        cell = go ? (wide ? 17 * y + x : y << 4 | x) : 0;

        count = more & 63;
        limit = go ? count : 0;
        if (go) {
            u32 word = y & 7, bit = 0x80000000u >> (x + 2 * (y & 8));
            if (wide) {
                if (y == 16) {
                    word = 8;
                    bit = 0x8000u >> x;
                }
                if (x == 16) {
                    word = 8;
                    bit = y < 16 ? 0x80000000u >> y : 0;
                    if (y == 16) more &= ~NO3_SOLO_CORNER;
                }
            }
            NO3_UNROLL
            for (j = 0; j < share; j++)
                words[j] &= ~(j == word ? bit : 0);
            if (!forced) { /* the board without it waits */
                uint4 last;
                last.x = wide ? words[8] : 0;
                last.y = one;
                last.z = two;
                last.w = more;
                combgpu_no3_store(top, words, 8);
                *(GLOBAL uint4 *)(top + 8) = last;
                top += NO3_SOLO_LEVEL;
                levels++;
            }
            k = (0x80000000u >> (y & 31) & 0xffff0000u) | 0x8000u >> (x & 31);
            at = one & k; /* lines that are full now */
            one |= k;
            two |= at;
            c = (at & 0xffff) * 0x10001u;
            k = at >> 16 ? (y & 8 ? 0xffff : 0xffff0000u) : 0;
            NO3_UNROLL
            for (j = 0; j < 8; j++)
                words[j] &= ~(c | (j == (y & 7) ? k : 0));
            if (wide) {
                k = (y == 16 ? 0x80000000u : 0) | (x == 16 ? 0x8000 : 0);
                c = more & k;
                more |= k | c >> 1;
                if (c) more &= ~NO3_SOLO_CORNER;
                words[8] &= ~(at | (c >> 31 ? 0xffff : 0) | (c & 0x8000 ? 0xffff0000u : 0));
                k = 0xffffu << 16 * (count & 1);
                NO3_UNROLL
                for (j = 0; j < 17; j++) {
                    u32 here = count >> 1 == j ? k : 0;
                    list[j] = (list[j] & ~here) | (cell * 0x10001u & here);
                }
            } else {
                k = 255u << 8 * (count & 3);
                NO3_UNROLL
                for (j = 0; j < 8; j++) {
                    u32 here = count >> 2 == j ? k : 0;
                    list[j] = (list[j] & ~here) | (cell * 0x01010101u & here);
                }
            }
            more++;
        }

        /* what is in line with it and a point placed before; instead of points that there are not,
           the cell itself, with which it has the empty row */
        cells = cell * (wide ? 0x10001u : 0x01010101u);
        k = limit & 3;
        a = wide ? (k ? (k == 1 ? 0xffff0000u : 0) : NONE) : NONE << 8 * k;
        b = k == 3 ? 0xffff0000u : NONE;
        far = limit >> 2;
        most = 0;
        NO3_UNROLL
        for (k = 0; k < (wide ? 9 : 8); k++) {
            u32 id[4], row[9], p0, p1;
            if (!NO3_SOLO_ANY(4 * k < limit)) break;
            p0 = list[wide ? 2 * k : k];
            p1 = wide ? list[2 * k + 1] : 0;
            if (k == far) {
                p0 = (p0 & ~a) | (cells & a);
                p1 = (p1 & ~b) | (cells & b);
            }
            if (k > far) p0 = p1 = cells;
            NO3_UNROLL
            for (j = 0; j < 4; j++) {
                at = wide ? (j < 2 ? p0 : p1) >> 16 * (j & 1) & 0xffff : p0 >> 8 * j & 255;
                id[j] = combgpu_no3_solo_id(table, cell, at, wide);
                if (wide) most = max(most, id[j]);
            }
            NO3_UNROLL
            for (j = 0; j < 4; j++)
                if (wide || id[j]) { /* n = 17: a branch costs more than half of them save */
                    combgpu_no3_solo_row(row, table, id[j], wide);
                    NO3_UNROLL
                    for (i = 0; i < share; i++)
                        words[i] &= ~row[i];
                }
        }
        if (wide && most >= corner) more &= ~NO3_SOLO_CORNER;
    }

    /* give back the board and the stack: their lists begin alike */
    while (have || levels) {
        GLOBAL u32 *to = left + (u64)combgpu_give(slice) * task_words;
        if (have)
            have = 0;
        else {
            top -= NO3_SOLO_LEVEL;
            levels--;
            combgpu_no3_solo_pop(words, &one, &two, &more, top, wide);
        }
        for (i = 0; i < 16; i++) { /* column i: bits of all rows */
            u32 column = 0;
            NO3_UNROLL
            for (j = 0; j < 8; j++) {
                k = words[j] >> (15 - i) & 0x10001;
                column |= (k >> 1 | k << 7) >> j;
            }
            column &= 0xffff;
            if (wide)
                to[2 * i + 1] = column << 16 | (words[8] << i & 0x8000);
            else
                to[i] = column << 16;
        }
        NO3_UNROLL
        for (j = 0; j < 8; j++)
            if (wide) {
                to[2 * j] = (words[j] & 0xffff0000u) | (words[8] << j >> 16 & 0x8000);
                to[2 * j + 16] = words[j] << 16 | (words[8] << (j + 8) >> 16 & 0x8000);
            } else {
                to[j] |= words[j] >> 16;
                to[j + 8] |= words[j] & 0xffff;
            }
        if (wide) {
            k = (more & NO3_SOLO_CORNER) << 7;
            to[32] = words[8] << 16 | k;
            to[33] = (words[8] & 0xffff0000u) | k;
            for (i = 34; i < 48; i++)
                to[i] = 0;
        }
        to += board_words;
        for (i = 0; i < 8; i++) {
            u32 needs = (more & 63) << 24;
            for (k = 0; k < part; k++)
                needs |= combgpu_no3_solo_need(one, two, more, i * part + k) << 2 * k;
            to[i] = needs;
        }
        combgpu_no3_solo_list(to + 8, list, n, wide);
    }
    combgpu_add_total(slice, 0, steps);
}

#define NO3_SOLO_KERNEL(name, wide)                                                                \
    KERNEL name(SLICE_ARGUMENTS)                                                                   \
    {                                                                                              \
        combgpu_no3_solo(slice, tables, tasks, left, records, work, tables + tables[NO3_AT_SOLO],  \
                         wide);                                                                    \
    }
NO3_SOLO_KERNEL(combgpu_no3_search_solo, 0)
NO3_SOLO_KERNEL(combgpu_no3_search_solo17, 1)

#ifdef __CUDACC__
/* The forms with the table, of so many bytes, in shared memory; one block on a multiprocessor. */
#define COMBGPU_NO3_SOLO_BYTES(wide)                                                               \
    ((wide) ? (36 * 3495u + 289 * 290 + 15) / 16 * 16 : 32 * 2723u + 2 * 256 * 256)
#define NO3_SOLO_SHARED(name, lanes, wide)                                                         \
    static __global__ void __launch_bounds__(lanes, 1) name(SLICE_ARGUMENTS)                       \
    {                                                                                              \
        extern __shared__ uint4 combgpu_no3_solo_table[];                                          \
        const uint4 *from = (const uint4 *)(tables + tables[NO3_AT_SOLO]);                         \
        u32 i;                                                                                     \
        for (i = LANE_ID; i < COMBGPU_NO3_SOLO_BYTES(wide) / 16; i += BLOCK_LANES)                 \
            combgpu_no3_solo_table[i] = from[i];                                                   \
        BLOCK_BARRIER();                                                                           \
        combgpu_no3_solo(slice, tables, tasks, left, records, work,                                \
                         (const u32 *)combgpu_no3_solo_table, wide);                               \
    }
NO3_SOLO_SHARED(combgpu_no3_search_solo_shared, 512, 0)
NO3_SOLO_SHARED(combgpu_no3_search_solo17_shared, 384, 1)
#endif

/* Larger boards on which every orbit is a cell of a matrix of up to 32 x 32, a row in a word, column 0
   in the top bit. Four lanes have `share` rows each; the count of lines is found as above. The full
   search from n = 18 on: a line is a row or a column. `fold`, rot4 and odd near_rot4 with more than 20
   columns: line i is row i and column i together; on an odd side cells on the diagonal count once, and row 0 twice. Rows that
   a step removes have the numbers that they have for other kernels. */
#define NO3_MATRIX_SPOTS 1024 /* offset in these tables: of orbits, 2 words each */

DEVICE void combgpu_no3_matrix_load(u32 *words, GLOBAL const u32 *from, const u32 lane,
                                    const u32 share)
{
    combgpu_no3_load(words, from + 4 * lane, 4);
    if (share == 5) words[4] = from[16 + lane];
    if (share == 6) {
        uint2 pair = *(GLOBAL const uint2 *)(from + 16 + 2 * lane);
        words[4] = pair.x;
        words[5] = pair.y;
    }
}

DEVICE void combgpu_no3_matrix_gone(u32 *gone, GLOBAL const u32 *from, const u32 lane,
                                    const u32 share)
{
    u32 row[NO3_MOST], i;
    combgpu_no3_matrix_load(row, from, lane, share);
    NO3_UNROLL
    for (i = 0; i < share; i++)
        gone[i] |= row[i];
}

/* Which of the lines are dead, forced, of the next classes in order: those that have 1 * s + 2 * t +
   4 * f or, with e, 8 or more, and need two points, one (`one`) or none (`two`). */
DEVICE void combgpu_no3_matrix_lines(u32 *kind, u32 s, u32 t, u32 f, u32 e, u32 one, u32 two,
                                     const u32 steep)
{
    u32 few = ~(two | f | e), rest = ~(two | one), single = one & ~two;
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

DEVICE void combgpu_no3_matrix(GROUP_PARAMETER, SLICE_ARGUMENTS, const u32 share, const u32 fold)
{
    const u32 lane = GROUP_LANE, all = 4 * share, level_words = all + 8, kept = (share + 1) / 2 * 2;
    const u32 odd = fold && (tables[NO3_AT_SIDE] & 1), stride = tables[NO3_AT_STRIDE];
    const u32 board_words = tables[NO3_AT_WORDS], orbits = tables[NO3_AT_ORBITS];
    const u32 lines = fold ? board_words / 2 : board_words, part = lines / 8;
    const u32 list_words = board_words < 64 ? board_words : 64;
    const u32 task_words = board_words + 8 + list_words, line_rows = tables[NO3_AT_LINE_ROWS];
    GLOBAL const u32 *cells = tables + tables[NO3_AT_GRID], *spots = cells + NO3_MATRIX_SPOTS;
    GLOBAL const u32 *pairs = tables + tables[NO3_AT_PAIRS];
    GLOBAL const u16 *short_pairs = (GLOBAL const u16 *)(spots + 2 * orbits);
    GLOBAL const u32 *rows = tables + tables[NO3_AT_MATRIX];
    GLOBAL u32 *top = work + GROUP_INDEX * tables[NO3_AT_LEVELS] * level_words;
    u32 words[NO3_MOST], list[NO3_MOST], gone[NO3_MOST], kind[8], kind_c[8];
    u32 one = 0, two = 0, one_c = 0, two_c = 0; /* as above; of columns unless `fold` */
    u32 count = 0, levels = 0, steps = 0, turns = slice->budget, i, j, k, at;
    u32 busy = GROUP_INDEX < slice->workers; /* there may be more tasks */
    u32 have = 0; /* 1: this is a board; 2: it cannot go on in this slice */

    if (slice->workers == 0) { /* as above */
        cells = pairs = rows = work;
        short_pairs = (GLOBAL const u16 *)work;
    }
    NO3_UNROLL
    for (i = 0; i < NO3_MOST; i++)
        words[i] = list[i] = 0;

    for (;;) {
        u32 s, t, f, e, cs, ct, cf, ce, c, c2, acc, lr, lc, is_row, v, x, y, go, solved, dead, forced;
        u32 place, orbit, limit, bit, weight;

        NO3_NOW_AND_THEN(turns)
        {
            u32 taken = slice->budget - turns;
            if (CREW_ANY(lane == 0 && combgpu_spent(slice, taken))) turns = 0;
        }

        /* the next board: from the stack, else a task */
        if (!have && levels) {
            top -= level_words;
            levels--;
            combgpu_no3_matrix_load(words, top, lane, share);
            one = top[all];
            two = top[all + 1];
            one_c = top[all + 2];
            two_c = top[all + 3];
            count = top[all + 4];
            have = 1;
        }
        NO3_IF_ANY(busy && !have)
        {
            at = GROUP_TAKE(slice, busy && !have && turns);
            if (busy && !have) busy = have = at != NONE;
            if (at != NONE) {
                GLOBAL const u32 *from = tasks + (u64)at * task_words;
                one = two = one_c = two_c = 0;
                for (i = 0; i < lines; i++) {
                    u32 need = from[board_words + i / part] >> 2 * (i % part) & 3;
                    bit = 0x80000000u >> (fold ? i & 31 : i >> 1);
                    if (!fold && i & 1) {
                        one_c |= need < 2 ? bit : 0;
                        two_c |= need < 1 ? bit : 0;
                    } else {
                        one |= need < 2 ? bit : 0;
                        two |= need < 1 ? bit : 0;
                    }
                }
                one |= fold || lines == 64 ? 0 : 0xffffffffu >> lines / 2;
                two |= fold || lines == 64 ? 0 : 0xffffffffu >> lines / 2;
                one_c |= fold || lines == 64 ? 0 : 0xffffffffu >> lines / 2;
                two_c |= fold || lines == 64 ? 0 : 0xffffffffu >> lines / 2;
                if (fold && lines < 32) {
                    one |= 0xffffffffu >> lines;
                    two |= 0xffffffffu >> lines;
                }
                count = from[board_words] >> 24;
                NO3_UNROLL
                for (i = 0; i < share; i++)
                    words[i] = 0;
                for (i = 0; i < orbits; i++) {
                    u32 spot = spots[2 * i], place2 = spots[2 * i + 1];
                    bit = from[place2 & 255] >> (place2 >> 8 & 31) & 1;
                    NO3_UNROLL
                    for (j = 0; j < share; j++)
                        words[j] |= (spot & 31) == lane * share + j ? bit << (31 - (spot >> 5)) : 0;
                }
                NO3_UNROLL
                for (i = 0; i < kept; i++)
                    list[i] = from[board_words + 8 + 4 * i + lane];
            }
        }
        go = have == 1 && turns;
        if (!CREW_ANY(go)) break;
        turns--;

        /* what rows have: a byte for each bit of the count, row 0 of the lane in its top bit */
        acc = 0;
        NO3_UNROLL
        for (j = 0; j < share; j++) {
            k = POPCOUNT(words[j]);
            if (fold && j == 0) k <<= odd && lane == 0;
            acc = 2 * acc + (min(k, 15u) * 0x00204081u & 0x01010101u);
        }
        acc <<= 8 - share;
        s = t = f = e = 0;
        NO3_UNROLL
        for (j = 0; j < 4; j++) {
            k = GROUP_FROM(acc, j);
            s |= (k & 255) << 24 >> share * j;
            t |= (k >> 8 & 255) << 24 >> share * j;
            f |= (k >> 16 & 255) << 24 >> share * j;
            e |= k >> 24 << 24 >> share * j;
        }
        /* what columns have */
        cs = ct = cf = ce = 0;
        NO3_UNROLL
        for (j = 0; j < share; j++) {
            k = words[j];
            if (fold) k &= ~(odd ? 0x80000000u >> (lane * share + j) : 0);
            c = cs & k;
            cs ^= k;
            c2 = ct & c;
            ct ^= c;
            ce |= cf & c2;
            cf ^= c2;
        }
        NO3_UNROLL
        for (j = 1; j < 4; j *= 2) {
            u32 os = GROUP_FROM(cs, lane ^ j), ot = GROUP_FROM(ct, lane ^ j);
            u32 of = GROUP_FROM(cf, lane ^ j), oe = GROUP_FROM(ce, lane ^ j);
            c = cs & os;
            cs ^= os;
            c2 = NO3_MAJORITY(ct, ot, c);
            ct ^= ot ^ c;
            ce |= oe | NO3_MAJORITY(cf, of, c2);
            cf ^= of ^ c2;
        }
        if (fold) {
            c = s & cs;
            s ^= cs;
            c2 = NO3_MAJORITY(t, ct, c);
            t ^= ct ^ c;
            e |= ce | NO3_MAJORITY(f, cf, c2);
            f ^= cf ^ c2;
        }

        /* the line to look at */
        combgpu_no3_matrix_lines(kind, s, t, f, e, one, two, fold);
        NO3_UNROLL
        for (j = 0; j < 8; j++)
            kind_c[j] = 0;
        if (!fold) combgpu_no3_matrix_lines(kind_c, cs, ct, cf, ce, one_c, two_c, fold);
        dead = kind[0] | kind_c[0];
        lr = lc = 0;
        NO3_UNROLL
        for (j = 7; j > 0; j--)
            if (kind[j] | kind_c[j]) {
                lr = kind[j];
                lc = kind_c[j];
            }
        forced = kind[1] | kind_c[1];
        i = CLZ(lr | lc) & 31;
        is_row = lr << i >> 31;
        solved = two == NONE && (fold || two_c == NONE);

        NO3_IF_ANY(go && solved)
        {
            at = GROUP_EMIT(slice, go && solved);
            if (at != NONE) {
                GLOBAL u32 *to = records + (u64)at * (1 + list_words);
                if (lane == 0) to[0] = count;
                NO3_UNROLL
                for (j = 0; j < kept; j++)
                    to[1 + 4 * j + lane] = list[j];
                have = go = 0;
                steps++;
            } else if (go && solved) {
                have = 2;
                go = 0;
            }
        }
        steps += go;
        if (go && dead) have = go = 0;

        /* its first open cell: of row i; of column i */
        v = k = 0;
        NO3_UNROLL
        for (j = 0; j < share; j++) {
            v |= lane * share + j == i ? words[j] : 0;
            k |= (words[j] << i & 0x80000000u) >> j;
        }
        k >>= lane * share;
        if (!fold && !is_row) v = k;
        v |= GROUP_FROM(v, lane ^ 1);
        v |= GROUP_FROM(v, lane ^ 2);
        x = CLZ(v);
        y = i;
        if (fold) { /* the nearer to the centre of both; the row's if they are alike */
            k |= GROUP_FROM(k, lane ^ 1);
            k |= GROUP_FROM(k, lane ^ 2);
            if (CLZ(k) < x) {
                x = i;
                y = CLZ(k);
            }
        } else if (!is_row) {
            y = x;
            x = i;
        }
        x &= 31;
        y &= 31;

        place = cells[y * 32 + x];
        orbit = place & 4095;
        bit = 0x80000000u >> x;
        NO3_UNROLL
        for (j = 0; j < share; j++)
            gone[j] = 0;
        limit = 0;
        if (go) {
            u32 bit_y = 0x80000000u >> y, line, need;
            NO3_UNROLL
            for (j = 0; j < share; j++)
                words[j] &= ~(lane * share + j == y ? bit : 0);
            if (!forced) { /* the board without it waits */
                combgpu_no3_store(top + 4 * lane, words, 4);
                if (share == 5) top[16 + lane] = words[4];
                if (share == 6) {
                    top[16 + 2 * lane] = words[4];
                    top[17 + 2 * lane] = words[5];
                }
                top[all + lane] = lane == 0 ? one : lane == 1 ? two : lane == 2 ? one_c : two_c;
                if (lane == 0) top[all + 4] = count;
                top += level_words;
                levels++;
            }
            weight = place >> 12 & 3;
            two |= weight == 2 ? bit_y : one & bit_y;
            one |= bit_y;
            weight = place >> 14 & 3;
            if (fold) {
                if (weight) {
                    two |= weight == 2 ? bit : one & bit;
                    one |= bit;
                }
            } else {
                two_c |= one_c & bit;
                one_c |= bit;
            }
            /* what its lines no longer take */
            line = fold ? y : 2 * y;
            need = two & bit_y ? 0 : 1;
            if (fold || need == 0)
                combgpu_no3_matrix_gone(gone, rows + (line_rows + 3 * line + need) * all, lane,
                                        share);
            line = fold ? x : 2 * x + 1;
            need = (fold ? two : two_c) & bit ? 0 : 1;
            if ((fold && weight) || (!fold && need == 0))
                combgpu_no3_matrix_gone(gone, rows + (line_rows + 3 * line + need) * all, lane,
                                        share);
            at = 0xffffu << (count & 8 ? 16 : 0);
            NO3_UNROLL
            for (j = 0; j < kept; j++) {
                u32 here = 4 * j + lane == NO3_SLOT(count) ? at : 0;
                list[j] = (list[j] & ~here) | ((orbit << 16 | orbit) & here);
            }
            limit = ++count;
        }

        /* what is in line with it and an orbit placed before */
        NO3_UNROLL
        NO3_EACH_ROUND(k, 4 * k < limit, 2 * kept)
        {
            u32 number = 0;
            if (4 * k + lane < limit) {
                u32 both = list[NO3_SLOT(4 * k) / 4];
                at = orbit * stride + (4 * k & 8 ? both >> 16 : both & 0xffff);
                number = fold ? pairs[at] : short_pairs[at];
            }
            NO3_UNROLL
            for (j = 0; j < 4; j++) {
                at = GROUP_FROM(number, j);
                if (at) combgpu_no3_matrix_gone(gone, rows + at * all, lane, share);
            }
        }
        if (go) {
            NO3_UNROLL
            for (j = 0; j < share; j++)
                words[j] &= ~gone[j];
        }
    }

    /* give back the board and the stack: their lists begin alike */
    have = have != 0;
    while (CREW_ANY(have || levels)) {
        GLOBAL u32 *to = left;
        at = GROUP_GIVE(slice, have || levels);
        if (at != NONE) {
            to = left + (u64)at * task_words;
            if (have)
                have = 0;
            else {
                top -= level_words;
                levels--;
                combgpu_no3_matrix_load(words, top, lane, share);
                one = top[all];
                two = top[all + 1];
                one_c = top[all + 2];
                two_c = top[all + 3];
                count = top[all + 4];
            }
            for (i = lane; i < task_words; i += 4)
                to[i] = 0;
        }
        CREW_BARRIER();
        if (at != NONE) {
            for (i = 0; i < orbits; i++) {
                u32 spot = spots[2 * i], both = spots[2 * i + 1], open = 0;
                NO3_UNROLL
                for (j = 0; j < share; j++)
                    open |= (spot & 31) == lane * share + j ? words[j] << (spot >> 5) >> 31 : 0;
                if (open) {
                    ATOMIC_OR(&to[both & 255], 1u << (both >> 8 & 31));
                    ATOMIC_OR(&to[both >> 16 & 255], 1u << (both >> 24));
                }
            }
            for (i = lane; i < 8; i += 4) {
                u32 needs = count << 24;
                for (k = 0; k < part; k++) {
                    u32 line = i * part + k, shift = fold ? line & 31 : line >> 1;
                    u32 of_one = !fold && line & 1 ? one_c : one;
                    u32 of_two = !fold && line & 1 ? two_c : two;
                    needs |= (2 - (of_one << shift >> 31) - (of_two << shift >> 31)) << 2 * k;
                }
                to[board_words + i] = needs;
            }
            NO3_UNROLL
            for (j = 0; j < kept; j++)
                to[board_words + 8 + 4 * j + lane] = list[j];
        }
    }
    if (lane == 0) combgpu_add_total(slice, 0, steps);
}

#define NO3_MATRIX_KERNEL(name, share, fold)                                                       \
    KERNEL name(SLICE_ARGUMENTS)                                                                   \
    {                                                                                              \
        GROUP_BEGIN(4);                                                                            \
        combgpu_no3_matrix(GROUP, slice, tables, tasks, left, records, work, share, fold);         \
    }
NO3_MATRIX_KERNEL(combgpu_no3_search_20, 5, 0)
NO3_MATRIX_KERNEL(combgpu_no3_search_24, 6, 0)
NO3_MATRIX_KERNEL(combgpu_no3_search_24f, 6, 1)

/* The classes rot4, odd near_rot4, rot2 and ort1 where their boards fit into 16 words: four lanes
   have four of them each. A cell of a matrix is an orbit; what a pair of orbits removes is a row of
   64 bytes, which the lanes read in one piece, and there is no table of numbers: cell p with cell q
   is row p * cells + q. The bytes that come from the L2 cache and the lines of the L1 cache decide.

     FOLD, FOLD_ODD  lane l has rows 5l to 5l + 4 of up to 20 columns: four of them in the top bits of
                     a word each, the fifth in the low bits of words 0 (columns 0 to 11) and 1. Line
                     i is row i and column i. Odd side: lines and columns count from 1; line 0, the
                     axis, is in the low bits of lane 0's words 2 and 3, and its cells weigh 2;
                     cells on the diagonal count once
     HALF            rot2: a word is a row, and columns 2k and 2k + 1 are one line; odd side: column 0
                     is empty, cells on row 0 weigh 2 for their row, those of column 1 for their column.
                     Line 2k is row k, line 2k + 1 columns k
     HALF_ORT1       a word is a pair of columns of the grid and needs two orbits; a bit in all words
                     is a row of the grid and needs one */
#define NO3_FOLD 0
#define NO3_FOLD_ODD 1
#define NO3_HALF 2
#define NO3_HALF_ORT1 3
#define NO3_SQUARE_LEVEL 20  /* words of a stack level: the board, `one`, `two`, `two_y`, count */
#define NO3_SQUARE_LISTED 32 /* most orbits on a board */
#define NO3_SQUARE_CELLS 544 /* offsets in these tables: spots, by orbit, 2 words each; before them the
                                orbits of cells */
#define NO3_SQUARE_LINES 1632 /* what goes from a line that needs one, none: rows */
#ifdef COMBGPU_SHUFFLE
#define NO3_SQUARE_BOARDS 32
#else
#define NO3_SQUARE_BOARDS 1
#endif

/* The lane's part of a row, or nothing. */
DEVICE uint4 combgpu_no3_square_row(GLOBAL const u32 *from, const u32 is)
{
    uint4 row;
    row.x = row.y = row.z = row.w = 0;
    if (is) row = *(GLOBAL const uint4 *)from;
    return row;
}

DEVICE void combgpu_no3_square(GROUP_PARAMETER, SLICE_ARGUMENTS, LOCAL u32 *list, const u32 form)
{
    const u32 lane = GROUP_LANE, fold = form <= NO3_FOLD_ODD;
    const u32 side = tables[NO3_AT_SIDE], odd = form == NO3_FOLD_ODD ? 1 : side & 1;
    const u32 stride = fold ? side / 2 : form == NO3_HALF ? side + odd : side;
    const u32 cells = stride * (form == NO3_HALF_ORT1 ? side / 2 : (side + odd) / 2);
    const u32 board_words = tables[NO3_AT_WORDS], orbits = tables[NO3_AT_ORBITS];
    const u32 lines = board_words >> tables[NO3_AT_WIDE], part = lines / 8;
    const u32 task_words = 2 * board_words + 8;
    const u32 twice_lines = form == NO3_FOLD_ODD           ? 0x80000000u
                            : form == NO3_HALF && side & 1 ? 0xc0000000u
                                                           : 0;
    GLOBAL const u32 *orbit_of = tables + tables[NO3_AT_GRID];
    GLOBAL const u32 *spots = orbit_of + NO3_SQUARE_CELLS;
    GLOBAL const u32 *line_rows = orbit_of + NO3_SQUARE_LINES + 4 * lane;
    GLOBAL const u32 *rows = tables + tables[NO3_AT_MATRIX] + 4 * lane;
    GLOBAL u32 *top = work + GROUP_INDEX * tables[NO3_AT_LEVELS] * NO3_SQUARE_LEVEL + 4 * lane;
    u32 words[4], gone[4], row[4], kind[8], kind_y[8];
    u32 one = NONE, two = NONE, two_y = NONE; /* lines with a point; with two; HALF_ORT1: rows */
    u32 count = 0, levels = 0, steps = 0, turns = slice->budget, i, j, k, at;
    u32 busy = GROUP_INDEX < slice->workers; /* there may be more tasks */
    u32 have = 0; /* 1: this is a board; 2: it cannot go on in this slice */

    if (slice->workers == 0) line_rows = rows = work; /* as above */
    NO3_UNROLL
    for (i = 0; i < 4; i++)
        words[i] = 0;
    for (i = 0; i < NO3_SQUARE_LISTED / 4; i++)
        list[4 * NO3_SQUARE_BOARDS * i + lane] = 0;

    for (;;) {
        u32 s, t, f, e, c, c2, c3, v, x, y, bit, go, solved, dead, forced, cell, limit, of_y, touched;
        u32 full, best, best_y, fifth, axis;

        NO3_NOW_AND_THEN(turns)
        {
            u32 taken = slice->budget - turns;
            if (CREW_ANY(lane == 0 && combgpu_spent(slice, taken))) turns = 0;
        }

        /* the next board: from the stack, else a task */
        if (!have && levels) {
            top -= NO3_SQUARE_LEVEL;
            levels--;
            combgpu_no3_load(words, top, 4);
            combgpu_no3_load(row, top + 16 - 4 * lane, 4);
            one = row[0];
            two = row[1];
            two_y = row[2];
            count = row[3];
            have = 1;
        }
        NO3_IF_ANY(busy && !have)
        {
            at = GROUP_TAKE(slice, busy && !have && turns);
            if (busy && !have) busy = have = at != NONE;
            if (at != NONE) {
                GLOBAL const u32 *from = tasks + (u64)at * task_words;
                one = two = two_y = NONE;
                for (i = 0; i < lines; i++) {
                    u32 need = from[board_words + i / part] >> 2 * (i % part) & 3;
                    bit = 0x80000000u >> (form != NO3_HALF_ORT1 ? i & 31 : i / 3 * 2 + i % 3 / 2);
                    if (form != NO3_HALF_ORT1 && i > 31) bit = 0;
                    if (form == NO3_HALF_ORT1 && i % 3 != 1) {
                        if (need) two_y &= ~bit;
                        continue;
                    }
                    if (need == 2) one &= ~bit;
                    if (need) two &= ~bit;
                }
                count = from[board_words] >> 24;
                NO3_UNROLL
                for (j = 0; j < 4; j++)
                    words[j] = 0;
                for (i = 0; i < orbits; i++) {
                    u32 spot = spots[2 * i], place = spots[2 * i + 1];
                    bit = from[place & 255] >> (place >> 8 & 31) & 1;
                    NO3_UNROLL
                    for (j = 0; j < 4; j++)
                        words[j] |= (spot & 15) == 4 * lane + j ? bit << (spot >> 4 & 31) : 0;
                }
                for (i = lane; i < count; i += 4) {
                    k = from[board_words + 8 + NO3_SLOT(i)] >> (i & 8 ? 16 : 0) & 0xffff;
                    list[NO3_SQUARE_BOARDS * (i & ~3u) + lane] = spots[2 * k] >> 16;
                }
            }
        }
        go = have == 1 && turns;
        if (!CREW_ANY(go)) break;
        turns--;

        /* how many open cells lines have, 1 * s + 2 * t + 4 * f, and e if 8 or more: first of rows
           and columns of this lane, then the sum over lanes, bit by bit */
        fifth = words[0] << 20 | (words[1] << 8 & 0x000ff000);
        axis = form == NO3_FOLD_ODD ? words[2] << 20 | (words[3] << 8 & 0x000ff000) : 0;
        bit = fold ? 0xfffff000u : NONE;
        c = 0;
        NO3_UNROLL
        for (j = 0; j < 4 + fold; j++) {
            k = POPCOUNT(j < 4 ? words[j & 3] & bit : fifth);
            if (form == NO3_HALF && j == 0) k <<= odd && lane == 0;
            if (fold)
                c = 2 * c + (min(k, 15u) * 0x00204081u & 0x01010101u);
            else
                c = 4 * c + (min(k, 15u) * 0x00408102u & 0x02020202u);
        }
        best = c;
        NO3_UNROLL
        for (j = 0; j < 4; j++)
            row[j] = form == NO3_FOLD_ODD ? words[j] & ~(0x80000000u >> (5 * lane + j)) : words[j];
        if (form == NO3_FOLD_ODD) fifth &= ~(0x80000000u >> (5 * lane + 4));
        s = row[0] ^ row[1] ^ row[2];
        c = NO3_MAJORITY(row[0], row[1], row[2]);
        if (fold) {
            c2 = NO3_MAJORITY(row[3], fifth, axis);
            k = row[3] ^ fifth ^ axis;
            c3 = s & k;
            s = (s ^ k) & 0xfffff000u;
            t = (c ^ c2 ^ c3) & 0xfffff000u;
            f = NO3_MAJORITY(c, c2, c3) & 0xfffff000u;
            e = 0;
            /* and its rows */
            k = (best & 31) << 27 >> 5 * lane;
            c = s & k;
            s ^= k;
            k = (best >> 8 & 31) << 27 >> 5 * lane;
            c2 = NO3_MAJORITY(t, k, c);
            t ^= k ^ c;
            k = (best >> 16 & 31) << 27 >> 5 * lane;
            e = NO3_MAJORITY(f, k, c2) | (best >> 24 & 31) << 27 >> 5 * lane;
            f ^= k ^ c2;
        } else {
            c2 = s & row[3];
            s ^= row[3];
            t = c ^ c2;
            f = c & c2;
            e = f;
        }
        if (form == NO3_HALF) {
            bit = odd ? 0x80000000u : 0;
            s |= s << 1 & bit;
            t |= t << 1 & bit;
            f |= f << 1 & bit;
            c = s & s >> 1;
            k = s ^ s >> 1;
            s = (k & 0x55555555u) | (best & 255) << 24 >> 8 * lane;
            c2 = NO3_MAJORITY(t, t >> 1, c);
            k = t ^ t >> 1 ^ c;
            t = (k & 0x55555555u) | (best >> 8 & 255) << 24 >> 8 * lane;
            e = NO3_MAJORITY(f, f >> 1, c2);
            k = f ^ f >> 1 ^ c2;
            f = (k & 0x55555555u) | (best >> 16 & 255) << 24 >> 8 * lane;
            e = (e & 0x55555555u) | (best >> 24) << 24 >> 8 * lane;
        }
        NO3_UNROLL
        for (j = 1; j < 4; j *= 2) {
            u32 os = GROUP_FROM(s, lane ^ j), ot = GROUP_FROM(t, lane ^ j);
            u32 of = GROUP_FROM(f, lane ^ j);
            c = s & os;
            s ^= os;
            c2 = NO3_MAJORITY(t, ot, c);
            t ^= ot ^ c;
            if (form == NO3_HALF_ORT1) /* f: 4 or more */
                f |= of | c2;
            else {
                e |= GROUP_FROM(e, lane ^ j) | NO3_MAJORITY(f, of, c2);
                f ^= of ^ c2;
            }
        }
        if (form == NO3_FOLD_ODD) { /* the axis is lane 0's */
            s >>= 1;
            k = GROUP_FROM(POPCOUNT(axis), 0);
            t = t >> 1 | k << 31;
            f = f >> 1 | (k & 2) << 30;
            e = e >> 1 | (k > 3 ? 0x80000000u : 0);
        }

        /* the line to look at */
        of_y = 0;
        if (form == NO3_HALF_ORT1) {
            c = ~two_y & ~f;
            kind_y[0] = c & ~s & ~t;
            kind_y[1] = c & s & ~t;
            kind_y[3] = c & t & ~s;
            kind_y[5] = c & t & s;
            kind_y[6] = ~two_y & f;
            kind_y[2] = kind_y[4] = kind_y[7] = 0;
            s = t = f = e = 0;
            NO3_UNROLL
            for (j = 0; j < 4; j++) {
                k = GROUP_FROM(best, j);
                s |= (k & 255) << (24 - 8 * j);
                t |= (k >> 8 & 255) << (24 - 8 * j);
                f |= (k >> 16 & 255) << (24 - 8 * j);
                e |= k >> 24 << (24 - 8 * j);
            }
        } else {
            NO3_UNROLL
            for (j = 0; j < 8; j++)
                kind_y[j] = 0;
        }
        combgpu_no3_matrix_lines(kind, s, t, f, e, one, two, form != NO3_HALF);
        dead = kind[0] | kind_y[0];
        forced = kind[1] | kind_y[1];
        best = kind[7];
        best_y = 0;
        NO3_UNROLL
        for (j = 6; j > 0; j--)
            if (kind[j] | kind_y[j]) {
                best = kind[j];
                best_y = kind_y[j];
            }
        i = CLZ(best | best_y) & 31;
        of_y = best_y << i >> 31;
        solved = two == NONE && (form != NO3_HALF_ORT1 || two_y == NONE);

        NO3_IF_ANY(go && solved)
        {
            at = GROUP_EMIT(slice, go && solved);
            if (at != NONE) {
                GLOBAL u32 *to = records + (u64)at * (1 + board_words);
                if (lane == 0) to[0] = count;
                for (i = lane; i < board_words; i += 4) {
                    u32 first = 16 * (i >> 3) + (i & 7), pair = 0;
                    if (first < count)
                        pair = orbit_of[list[NO3_SQUARE_BOARDS * (first & ~3u) + (first & 3)]];
                    first += 8;
                    if (first < count)
                        pair |= orbit_of[list[NO3_SQUARE_BOARDS * (first & ~3u) + (first & 3)]]
                                << 16;
                    to[1 + i] = pair;
                }
                have = go = 0;
                i = 0;
                steps++;
            } else if (go && solved) {
                have = 2;
                go = 0;
            }
        }
        steps += go;
        if (go && dead) have = go = 0;

        /* its first open cell */
        if (fold) {
            u32 slot = i - (form == NO3_FOLD_ODD), from = slot * 13 >> 6 & 3, in = slot - 5 * from;
            if (form == NO3_FOLD_ODD && i == 0) from = in = 0;
            fifth = words[0] << 20 | (words[1] << 8 & 0x000ff000);
            v = in & 1 ? (in & 2 ? words[3] : words[1]) : (in & 2 ? words[2] : words[0]);
            v &= 0xfffff000u;
            if (in == 4) v = fifth;
            if (form == NO3_FOLD_ODD && i == 0) v = axis;
            v = GROUP_FROM(v, from);
            bit = 0x80000000u >> slot;
            if (form == NO3_FOLD_ODD && i == 0) bit = 0;
            k = (words[0] & bit) | (words[1] & bit) >> 1 | (words[2] & bit) >> 2 |
                (words[3] & bit) >> 3 | (fifth & bit) >> 4;
            k = k << (slot & 31) >> 5 * lane;
            if (form == NO3_FOLD_ODD) {
                v >>= 1;
                k = k >> 1 | (axis & bit) << (slot & 31);
            }
            k |= GROUP_FROM(k, lane ^ 1);
            k |= GROUP_FROM(k, lane ^ 2);
            x = CLZ(v); /* the nearer to the centre of both; the row's if they are alike */
            y = CLZ(k);
            if (y < x)
                x = i;
            else
                y = i;
        } else {
            u32 line = i >> 1, in_row = form == NO3_HALF ? !(i & 1) : !of_y;
            bit = form == NO3_HALF ? 0xc0000000u : 0x80000000u;
            j = form == NO3_HALF ? i & 30 : i;
            v = (words[0] << j & bit) | (words[1] << j & bit) >> (form == NO3_HALF ? 2 : 1) |
                (words[2] << j & bit) >> (form == NO3_HALF ? 4 : 2) |
                (words[3] << j & bit) >> (form == NO3_HALF ? 6 : 3);
            v >>= (form == NO3_HALF ? 8 : 4) * lane;
            k = line & 1 ? (line & 2 ? words[3] : words[1]) : (line & 2 ? words[2] : words[0]);
            if (lane != line >> 2) k = 0;
            if (in_row) v = k;
            v |= GROUP_FROM(v, lane ^ 1);
            v |= GROUP_FROM(v, lane ^ 2);
            x = CLZ(v);
            y = line;
            if (!in_row && form == NO3_HALF) {
                y = x >> 1;
                x = j | (x & 1);
            } else if (!in_row) {
                y = x;
                x = i;
            }
        }
        x &= 31;
        y &= 31;
        cell = go ? y * stride + x - (form == NO3_FOLD_ODD) : 0;

        NO3_UNROLL
        for (j = 0; j < 4; j++)
            gone[j] = 0;
        limit = 0;
        if (go) {
            /* the word and bit of it in this lane */
            if (fold) {
                u32 xs = x - (form == NO3_FOLD_ODD), ys = y - (form == NO3_FOLD_ODD);
                u32 from = ys * 13 >> 6, in = ys - 5 * from;
                bit = 0x80000000u >> xs;
                if (form == NO3_FOLD_ODD && y == 0) from = 0;
                if (in == 4 || (form == NO3_FOLD_ODD && y == 0)) {
                    in = xs < 12 ? 0 : 1;
                    bit = xs < 12 ? bit >> 20 : bit >> 8;
                    if (form == NO3_FOLD_ODD && y == 0) in += 2;
                }
                i = from;
                k = in;
            } else {
                bit = 0x80000000u >> x;
                i = y >> 2;
                k = y & 3;
            }
            if (lane != i) bit = 0;
            NO3_UNROLL
            for (j = 0; j < 4; j++)
                words[j] &= ~(j == k ? bit : 0);
            if (!forced) { /* the board without it waits */
                combgpu_no3_store(top, words, 4);
                top[16 - 3 * lane] = lane == 0 ? one : lane == 1 ? two : lane == 2 ? two_y : count;
                top += NO3_SQUARE_LEVEL;
                levels++;
            }
            /* what its lines no longer take */
            if (form == NO3_HALF_ORT1) {
                bit = 0x80000000u >> 2 * y;
                full = one & bit;
                one |= bit;
                two |= full;
                two_y |= 0x80000000u >> x;
                combgpu_no3_gone(gone, line_rows + 16 * (64 + x), 4);
                if (full) combgpu_no3_gone(gone, line_rows + 16 * (1 + 4 * y), 4);
            } else {
                u32 first = form == NO3_HALF ? 2 * y : y, second = form == NO3_HALF ? x | 1 : x;
                touched = 0x80000000u >> first | 0x80000000u >> second;
                full = touched & (one | twice_lines);
                if (form == NO3_FOLD && x == y) full = touched;
                one |= touched;
                two |= full;
                i = full << first >> 31;
                j = full << second >> 31;
                if (form == NO3_FOLD || i)
                    combgpu_no3_gone(gone, line_rows + 16 * (2 * first + i), 4);
                if (form == NO3_FOLD || j)
                    combgpu_no3_gone(gone, line_rows + 16 * (2 * second + j), 4);
            }
            if (lane == 0) list[NO3_SQUARE_BOARDS * (count & ~3u) + (count & 3)] = cell;
            limit = ++count;
        }
        CREW_BARRIER();

        /* what is in line with it and an orbit placed before; with itself: what it excludes alone */
        {
            GLOBAL const u32 *of_cell = rows + cell * cells * 16;
            if (turns == NONE) of_cell = work; /* as above */
            for (k = 0; k < limit; k += 4) {
                const uint4 with = *(LOCAL const uint4 *)(list + NO3_SQUARE_BOARDS * k);
                const uint4 r0 = combgpu_no3_square_row(of_cell + 16 * (u64)with.x, 1);
                const uint4 r1 = combgpu_no3_square_row(of_cell + 16 * (u64)with.y, k + 1 < limit);
                const uint4 r2 = combgpu_no3_square_row(of_cell + 16 * (u64)with.z, k + 2 < limit);
                const uint4 r3 = combgpu_no3_square_row(of_cell + 16 * (u64)with.w, k + 3 < limit);
                gone[0] |= r0.x | r1.x | r2.x | r3.x;
                gone[1] |= r0.y | r1.y | r2.y | r3.y;
                gone[2] |= r0.z | r1.z | r2.z | r3.z;
                gone[3] |= r0.w | r1.w | r2.w | r3.w;
            }
        }
        CREW_BARRIER();
        if (go) {
            NO3_UNROLL
            for (j = 0; j < 4; j++)
                words[j] &= ~gone[j];
        }
    }

    /* give back the board and the stack: their lists begin alike */
    have = have != 0;
    while (CREW_ANY(have || levels)) {
        GLOBAL u32 *to = left;
        at = GROUP_GIVE(slice, have || levels);
        if (at != NONE) {
            to = left + (u64)at * task_words;
            if (have)
                have = 0;
            else {
                top -= NO3_SQUARE_LEVEL;
                levels--;
                combgpu_no3_load(words, top, 4);
                combgpu_no3_load(row, top + 16 - 4 * lane, 4);
                one = row[0];
                two = row[1];
                two_y = row[2];
                count = row[3];
            }
            for (i = lane; i < board_words; i += 4)
                to[i] = 0;
        }
        CREW_BARRIER();
        if (at != NONE) {
            for (i = 0; i < orbits; i++) {
                u32 spot = spots[2 * i], both = spots[2 * i + 1], open = 0;
                NO3_UNROLL
                for (j = 0; j < 4; j++)
                    open |= (spot & 15) == 4 * lane + j ? words[j] >> (spot >> 4 & 31) & 1 : 0;
                if (open) {
                    ATOMIC_OR(&to[both & 255], 1u << (both >> 8 & 31));
                    ATOMIC_OR(&to[both >> 16 & 255], 1u << (both >> 24));
                }
            }
            for (i = lane; i < 8; i += 4) {
                u32 needs = count << 24;
                for (k = 0; k < part; k++) {
                    u32 line = i * part + k, of_one = one, of_two = two;
                    u32 shift = form != NO3_HALF_ORT1 ? line : line / 3 * 2 + line % 3 / 2;
                    if (form == NO3_HALF_ORT1 && line % 3 != 1) of_one = of_two = two_y;
                    if (shift < 32)
                        needs |= (2 - (of_one << shift >> 31) - (of_two << shift >> 31)) << 2 * k;
                }
                to[board_words + i] = needs;
            }
            for (i = lane; i < board_words; i += 4) {
                u32 first = 16 * (i >> 3) + (i & 7), pair = 0;
                if (first < count)
                    pair = orbit_of[list[NO3_SQUARE_BOARDS * (first & ~3u) + (first & 3)]];
                first += 8;
                if (first < count)
                    pair |= orbit_of[list[NO3_SQUARE_BOARDS * (first & ~3u) + (first & 3)]] << 16;
                to[board_words + 8 + i] = pair;
            }
        }
    }
    if (lane == 0) combgpu_add_total(slice, 0, steps);
}

#define NO3_SQUARE_KERNEL(kind, name, form)                                                        \
    kind name(SLICE_ARGUMENTS)                                                                     \
    {                                                                                              \
        GROUP_BEGIN(4);                                                                            \
        LOCAL_ARRAY uint4 list[NO3_SQUARE_BOARDS * NO3_SQUARE_LISTED / 4];                         \
        combgpu_no3_square(GROUP, slice, tables, tasks, left, records, work,                       \
                           (LOCAL u32 *)(list + (NO3_SQUARE_BOARDS > 1 ? LANE_ID / 4 : 0)), form); \
    }
NO3_SQUARE_KERNEL(KERNEL, combgpu_no3_search_fold, NO3_FOLD)
NO3_SQUARE_KERNEL(KERNEL_BLOCKS(128, 10), combgpu_no3_search_fold_odd, NO3_FOLD_ODD)
NO3_SQUARE_KERNEL(KERNEL, combgpu_no3_search_half, NO3_HALF)
NO3_SQUARE_KERNEL(KERNEL, combgpu_no3_search_half_ort1, NO3_HALF_ORT1)

/* A kernel for each format: words of a board, w if a line has two; lanes, words in each, wide. */
#define NO3_KERNEL(name, lanes, share, wide)                                                       \
    KERNEL name(SLICE_ARGUMENTS)                                                                   \
    {                                                                                              \
        GROUP_BEGIN(lanes);                                                                        \
        combgpu_no3(GROUP, slice, tables, tasks, left, records, work, lanes, share, wide);         \
    }
NO3_KERNEL(combgpu_no3_search_16, 4, 4, 0)
NO3_KERNEL(combgpu_no3_search_32, 4, 8, 0)
NO3_KERNEL(combgpu_no3_search_48, 4, 12, 0)
NO3_KERNEL(combgpu_no3_search_48w, 4, 12, 1)
NO3_KERNEL(combgpu_no3_search_64, 8, 8, 0)
NO3_KERNEL(combgpu_no3_search_64w, 8, 8, 1)
NO3_KERNEL(combgpu_no3_search_128w, 16, 8, 1)
NO3_KERNEL(combgpu_no3_search_192w, 16, 12, 1)
#undef NO3_AT_STRIDE
#undef NO3_AT_PARTS
#undef NO3_AT_WEIGHTED
#undef NO3_AT_LEVELS
#undef NO3_AT_TWO
#undef NO3_AT_ONE
#undef NO3_AT_LINE_ROWS
#undef NO3_AT_PLACES
#undef NO3_AT_TWICE
#undef NO3_AT_PAIRS
#undef NO3_AT_ROWS
#undef NO3_AT_SIDE
#undef NO3_AT_GRID
#undef NO3_AT_MATRIX
#undef NO3_AT_SOLO
#undef NO3_AT_SOLO_CORNER
#undef NO3_SOLO_LEVEL
#undef NO3_SOLO_LEVELS
#undef NO3_SOLO_ROWS
#undef NO3_SOLO_CORNER
#undef NO3_SOLO_ANY
#undef NO3_SOLO_KERNEL
#undef NO3_SOLO_SHARED
#undef NO3_AT_WIDE
#undef NO3_AT_WORDS
#undef NO3_AT_ORBITS
#undef NO3_MATRIX_SPOTS
#undef NO3_FOLD
#undef NO3_FOLD_ODD
#undef NO3_HALF
#undef NO3_HALF_ORT1
#undef NO3_SQUARE_LEVEL
#undef NO3_SQUARE_LISTED
#undef NO3_SQUARE_CELLS
#undef NO3_SQUARE_LINES
#undef NO3_SQUARE_BOARDS
#undef NO3_SQUARE_KERNEL
#undef NO3_MATRIX_KERNEL
#undef NO3_MAJORITY
#undef NO3_MOST
#undef NO3_SLOT
#undef NO3_ROUND
#undef NO3_KERNEL
#undef NO3_UNROLL
#undef NO3_IF_ANY
#undef NO3_NOW_AND_THEN
#undef NO3_EACH_ROUND

#endif /* NO3 */

/* ---------------------------------------------------------------------------------- PERM */
#if defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU__HAS_PERM)
/* A worker is a block. Words of `tables`: combgpu.h, SECTION 40. */
#define PERM_N ((int)tables[0])
#define PERM_ORDERS tables[1]
#define PERM_VECTORS tables[2]
#define PERM_AREA tables[3]
#define PERM_TASK_GROUPS tables[8]
#define PERM_ITEM_BYTES tables[9]
#define PERM_SHIFT tables[10]
#define PERM_UNITS tables[11]
#define PERM_PERIOD tables[12]
#define PERM_PREFIX tables[13] /* n - 6 or 0; oclgrind lacks what compilers make of that */
#define PERM_FIRST combgpu_load64(tables + 14)
#define PERM_OFFSET combgpu_load64(tables + 16)
#define PERM_BASE 18
#define PERM_DIVISORS 46
#define PERM_ITEMS 114
#define PERM_PATTERN 182
#define PERM_PIECE_GROUPS 16
#define PERM_PREPARED 34 /* 16-byte units for a prepared group: 1 and a period, or 34 items */
#define PERM_LANES 128
#define PERM_WRITE_LANES 256
#define PERM_PLACES 20   /* the most, where a rank has 64 bits */
#define PERM_PLACES128 34

/* Device functions for a caller's own kernels too; n is at most 20, or 34 with two words for a rank;
   arrays are private. */

/* Lehmer digits to elements, in place: the element for each digit is the k-th that is unused. */
DEVICE void combgpu_perm_elements(int n, u8 *perm)
{
    u32 low = n < 32 ? (1u << n) - 1 : ~0u, high = n > 32 ? (1u << (n - 32)) - 1 : 0, count = 0;
    int i, shift;
    for (i = 0; i < n; i++) {
        u32 digit = perm[i], set = low;
        shift = 0;
        if (n > 32) {
            count = POPCOUNT(low);
            if (digit >= count) {
                digit -= count;
                set = high;
                shift = 32;
            }
        }
        for (; digit; digit--)
            set &= set - 1;
        perm[i] = (u8)(CTZ(set) + shift);
        if (shift)
            high &= ~(set & (0u - set));
        else
            low &= ~(set & (0u - set));
    }
}

/* The permutation of a rank < n!. */
DEVICE void combgpu_unrank(int n, u64 rank, u8 *perm)
{
    u32 rest;
    int i = 1;
    for (; i <= n && rank >> 32; i++) {
        perm[n - i] = (u8)(rank % (u32)i);
        rank /= (u32)i;
    }
    for (rest = (u32)rank; i <= n; i++) {
        perm[n - i] = (u8)(rest % (u32)i);
        rest /= (u32)i;
    }
    combgpu_perm_elements(n, perm);
}

/* The rank of a permutation. */
DEVICE u64 combgpu_rank(int n, const u8 *perm)
{
    u32 unused = (1u << n) - 1;
    u64 rank = 0;
    int i;
    for (i = 0; i < n; i++) {
        u32 bit = 1u << perm[i];
        rank = rank * (u32)(n - i) + POPCOUNT(unused & (bit - 1));
        unused &= ~bit;
    }
    return rank;
}

/* The same with ranks of 128 bits. */
DEVICE void combgpu_unrank128(int n, u64 high, u64 low, u8 *perm)
{
    int i;
    for (i = 1; i <= n; i++) { /* 32 bits at a time */
        u64 divisor = (u64)i, rest, middle, last;
        rest = high % divisor;
        high /= divisor;
        middle = rest << 32 | low >> 32;
        last = (middle % divisor) << 32 | (low & 0xffffffffu);
        low = (middle / divisor) << 32 | last / divisor;
        perm[n - i] = (u8)(last % divisor);
    }
    combgpu_perm_elements(n, perm);
}

DEVICE u64 combgpu_rank128(int n, const u8 *perm, u64 *high)
{
    u64 low = 0, top = 0, unused = ~(u64)0;
    int i;
    for (i = 0; i < n; i++) {
        u64 bit = (u64)1 << perm[i], below = unused & (bit - 1), factor = (u64)(n - i), middle;
        u64 first = (low & 0xffffffffu) * factor + combgpu_popcount64(below);
        middle = (low >> 32) * factor + (first >> 32);
        low = middle << 32 | (first & 0xffffffffu);
        top = top * factor + (middle >> 32);
        unused &= ~bit;
    }
    *high = top;
    return low;
}

/* The next one (Narayana Pandita); after the last one, which returns 0, comes the first. `flip` all
   ones: the previous one, which is the next one in the reversed order of values. */
DEVICE int combgpu_perm_neighbour(int n, u8 *perm, u8 flip)
{
    int i = n - 2, j = n - 1, k;
    u8 x;
    while (i >= 0 && (u8)(perm[i] ^ flip) >= (u8)(perm[i + 1] ^ flip))
        i--;
    if (i >= 0) {
        while ((u8)(perm[j] ^ flip) <= (u8)(perm[i] ^ flip))
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

DEVICE int combgpu_next_permutation(int n, u8 *perm)
{
    return combgpu_perm_neighbour(n, perm, 0);
}

DEVICE int combgpu_previous_permutation(int n, u8 *perm)
{
    return combgpu_perm_neighbour(n, perm, 255);
}

/* As combgpu_perm_random: Fisher and Yates' shuffle with words of Philox4x32-10 (J. K. Salmon, M. A.
   Moraes, R. O. Dror and D. E. Shaw 2011). */
DEVICE void combgpu_random_permutation(int n, u64 seed, u64 index, u8 *perm)
{
    u32 a = 0, b = 0, c = 0, d = 0, block = 0, used = 4;
    int i;
    for (i = 0; i < n; i++)
        perm[i] = (u8)i;
    while (--i > 0) {
        u32 range = (u32)i + 1, low, high;
        u8 x;
        do {
            if (used == 4) {
                u32 key0 = (u32)seed, key1 = (u32)(seed >> 32), round;
                a = (u32)index;
                b = (u32)(index >> 32);
                c = block++;
                d = 0;
                for (round = 0; round < 10; round++) {
                    u64 first = (u64)a * 0xd2511f53u, second = (u64)c * 0xcd9e8d57u;
                    a = (u32)(second >> 32) ^ b ^ key0;
                    b = (u32)second;
                    c = (u32)(first >> 32) ^ d ^ key1;
                    d = (u32)first;
                    key0 += 0x9e3779b9u;
                    key1 += 0xbb67ae85u;
                }
                used = 0;
            }
            low = used == 0 ? a : used == 1 ? b : used == 2 ? c : d;
            used++;
            high = (u32)((u64)low * range >> 32);
            low *= range;
        } while (low < (0u - range) % range);
        x = perm[high];
        perm[high] = perm[i];
        perm[i] = x;
    }
}

/* 1 for an odd permutation: the number of inversions. */
DEVICE int combgpu_parity(int n, const u8 *perm)
{
    u64 unused = ~(u64)0;
    u32 inversions = 0;
    int i;
    for (i = 0; i < n; i++) {
        u64 bit = (u64)1 << perm[i], below = unused & (bit - 1);
        inversions += combgpu_popcount64(below);
        unused &= ~bit;
    }
    return (int)(inversions & 1);
}

DEVICE void combgpu_inverse(int n, const u8 *perm, u8 *inverse)
{
    int i;
    for (i = 0; i < n; i++)
        inverse[perm[i]] = (u8)i;
}

DEVICE void combgpu_compose(int n, const u8 *left, const u8 *right, u8 *product)
{
    int i;
    for (i = 0; i < n; i++)
        product[i] = left[right[i]];
}

/* Gives back what is left of a task, if anything; in two parts when there are too few tasks for all
   workers. Called by one lane. */
DEVICE void combgpu_perm_give(GLOBAL combgpu_slice_t *slice, GLOBAL u32 *left, u64 begin, u64 end)
{
    u64 middle = end;
    if (begin >= end) return;
    if (slice->task_count < 2 * slice->workers && (end - begin) / 2 >= 720)
        middle = begin + (end - begin) / 2 / 720 * 720;
    combgpu_give_range(slice, left, begin, middle);
    if (middle < end) combgpu_give_range(slice, left, middle, end);
}

/* ---- WRITE: a piece is up to 16 groups. Its lanes unrank the first permutation of a group each and
   prepare what turns table words into 16 bytes of the group (a *unit*): of items of one byte the
   suffix, whose bytes a unit's nibbles choose, and the units' other bytes; else the items. Then every
   lane makes unit after unit, so that warps store consecutive ones. 20 instructions a unit; at 4.5
   TB/s a multiprocessor of an H200 has the time for 119.

   The area takes whole groups, and a record says where they are; the caller's memory takes what was
   asked for, and a group may begin anywhere in it. */

/* Byte i of the result is byte (selector >> 4 i & 7) of high:low. Bits 16 and up have no meaning. */
DEVICE u32 combgpu_perm_choose(u32 low, u32 high, u32 selector)
{
#ifdef COMBGPU_SHUFFLE /* not __byte_perm, which masks the selector first */
    u32 y;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(y) : "r"(low), "r"(high), "r"(selector));
    return y;
#else
    const u64 x = (u64)high << 32 | low;
    return ((u32)(x >> (8 * (selector & 7))) & 255) |
           ((u32)(x >> (8 * (selector >> 4 & 7))) & 255) << 8 |
           ((u32)(x >> (8 * (selector >> 8 & 7))) & 255) << 16 |
           ((u32)(x >> (8 * (selector >> 12 & 7))) & 255) << 24;
#endif
}

DEVICE u32 combgpu_perm_substitute(LOCAL const u8 *first, u32 places)
{
    return (u32)first[places & 255] | (u32)first[places >> 8 & 255] << 8 |
           (u32)first[places >> 16 & 255] << 16 | (u32)first[places >> 24] << 24;
}

/* The unit of two table words, in the group that was prepared; phase: unit % period. */
DEVICE uint4 combgpu_perm_unit(LOCAL const uint4 *prepared, u32 item_bytes, u32 x, u32 y, u32 phase)
{
    LOCAL const u32 *words = (LOCAL const u32 *)prepared;
    uint4 unit;
    if (item_bytes == 1) {
        const uint2 suffix = *(LOCAL const uint2 *)prepared;
        const u32 low = suffix.x, high = suffix.y;
        unit = prepared[1 + phase];
        unit.x |= combgpu_perm_choose(low, high, x);
        unit.y |= combgpu_perm_choose(low, high, x >> 16);
        unit.z |= combgpu_perm_choose(low, high, y);
        unit.w |= combgpu_perm_choose(low, high, y >> 16);
    } else if (item_bytes == 2) {
        LOCAL const u16 *items = (LOCAL const u16 *)prepared;
        unit.x = items[x & 255] | (u32)items[x >> 8 & 255] << 16;
        unit.y = items[x >> 16 & 255] | (u32)items[x >> 24] << 16;
        unit.z = items[y & 255] | (u32)items[y >> 8 & 255] << 16;
        unit.w = items[y >> 16 & 255] | (u32)items[y >> 24] << 16;
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

/* Stores those of the four bytes of a word that lie in [low, high), at = the first one's place. */
DEVICE void combgpu_perm_store_part(GLOBAL u8 *to, i32 at, i32 low, i32 high, u32 word)
{
    i32 i;
    for (i = 0; i < 4; i++, word >>= 8)
        if (at + i >= low && at + i < high) to[i] = (u8)word;
}

/* Reserves room for `groups` groups from the one of `rank` on; the 16-byte unit, or NONE. */
DEVICE u32 combgpu_perm_reserve(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,
                                GLOBAL u32 *records, u64 rank, u32 count, u32 groups)
{
    u32 room = groups * PERM_VECTORS, unit = ATOMIC_ADD(&slice->area_next, room), record;
    if (unit > PERM_AREA || room > PERM_AREA - unit) {
        ATOMIC_OR(&slice->stop, STOP_NOW);
        return NONE;
    }
    record = combgpu_emit(slice);
    if (record == NONE) return NONE;
    combgpu_store64(records + 4 * record, rank);
    records[4 * record + 2] = count;
    records[4 * record + 3] = unit;
    return unit;
}

/* Prepares `groups` groups from number `from` on (they count from the rank 0 of the job); the block
   calls it. A lane for each digit of a group's first rank, then one for each element: digit i is one's
   place among the elements left after i of them, so from i-1 on it moves up past those taken before.
   (One lane for a group took 10,000 cycles, five times as long as writing it.) A barrier must follow. */
DEVICE void combgpu_perm_prepare(GLOBAL const u32 *tables, LOCAL u8 *digits, LOCAL u8 *firsts,
                                 LOCAL uint4 *prepared, u64 from, u32 groups)
{
    const u32 n = (u32)PERM_N, item_bytes = PERM_ITEM_BYTES, prefix = PERM_PREFIX;
    GLOBAL const u32 *pattern = tables + PERM_PATTERN + 2 * PERM_UNITS;
    const u32 row = item_bytes == 1 ? 4 + 4 * PERM_PERIOD : n * item_bytes / 4 + 1;
    u32 i, group, at, x;
    for (i = LANE_ID; i < groups * prefix; i += BLOCK_LANES) {
        u64 divisor;
        group = i / prefix;
        at = i % prefix;
        divisor = combgpu_load64(tables + PERM_DIVISORS + 2 * (n - 1 - at)); /* 0: no digit */
        digits[32 * group + at] = divisor ? (u8)((from + group) / divisor % (n - at)) : 0;
    }
    LOCAL_BARRIER();
    if (n > PERM_PLACES && LANE_ID < groups) /* add the digits of the base */
        for (at = prefix, x = 0; at-- > 0;) {
            x += (u32)digits[32 * LANE_ID + at] + tables[PERM_BASE + at];
            digits[32 * LANE_ID + at] = (u8)(x < n - at ? x : x - (n - at));
            x = x >= n - at;
        }
    LOCAL_BARRIER();
    for (i = LANE_ID; i < groups * n; i += BLOCK_LANES) {
        u32 k;
        group = i / n;
        at = i % n;
        x = at < prefix ? digits[32 * group + at] : at - prefix;
        for (k = at < prefix ? at : prefix; k-- > 0;)
            x += x >= digits[32 * group + k];
        firsts[64 * group + at] = item_bytes == 1 ? (u8)tables[PERM_ITEMS + 2 * x] : (u8)x;
    }
    LOCAL_BARRIER();
    for (i = LANE_ID; i < groups * row; i += BLOCK_LANES) {
        LOCAL u32 *words;
        group = i / row;
        at = i % row;
        words = (LOCAL u32 *)(prepared + group * PERM_PREPARED);
        if (item_bytes == 1)
            words[at] = combgpu_perm_substitute(firsts + 64 * group, pattern[at]);
        else if (item_bytes == 2) {
            LOCAL const u8 *first = firsts + 64 * group + 2 * at;
            if (2 * at < n) words[at] = tables[PERM_ITEMS + 2 * first[0]] & 0xffff;
            if (2 * at + 1 < n) words[at] |= tables[PERM_ITEMS + 2 * first[1]] << 16;
        } else if (item_bytes == 4 && at < n)
            words[at] = tables[PERM_ITEMS + 2 * firsts[64 * group + at]];
        else if (item_bytes == 8 && at < 2 * n)
            words[at] = tables[PERM_ITEMS + 2 * firsts[64 * group + at / 2] + at % 2];
    }
}

/* Makes the prepared groups' units; the block calls it. The first group begins at to + PERM_SHIFT,
   `to` is a multiple of 16. Only the first group's bytes from `first` on and the last one's before
   `last` are stored. */
DEVICE void combgpu_perm_make(GLOBAL const u32 *tables, LOCAL const uint4 *prepared, GLOBAL u8 *to,
                              u32 groups, i32 first, i32 last)
{
    const u32 units = PERM_UNITS, period = PERM_PERIOD, item_bytes = PERM_ITEM_BYTES;
    const u32 bytes = PERM_ORDERS * item_bytes * (u32)PERM_N;
    const i32 shift = (i32)PERM_SHIFT;
    GLOBAL const uint2 *pattern = (GLOBAL const uint2 *)(tables + PERM_PATTERN);
    u32 group = LANE_ID / units, at = LANE_ID % units, phase = at % period, i;
    if (item_bytes == 1 && shift == 0 && first == 0 && last >= (i32)(16 * units)) {
        /* whole groups of whole units: no borders to look for. A warp's stores begin at a line of 128
           bytes: up to 7 lanes begin before the first unit, with an index below 0, which is larger than
           any */
        const u32 back = (u32)(size_t)to / 16 % 8, end = groups * units + back;
        const u32 step = BLOCK_LANES % period;
        GLOBAL uint4 *unit = (GLOBAL uint4 *)to + ((i32)LANE_ID - (i32)back);
        LOCAL const uint4 *row = prepared;
        at = LANE_ID - back;
        phase = (LANE_ID + 8 * period - back) % period;
        for (i = 0; i < end; i += BLOCK_LANES) {
            if (at < units && i + LANE_ID < end) {
                const uint2 words = pattern[at];
                *unit = combgpu_perm_unit(row, 1, words.x, words.y, phase);
            }
            unit += BLOCK_LANES;
            at += BLOCK_LANES;
            phase += step;
            if (phase >= period) phase -= period;
            if (at >= units) { /* a multiple of the period, and more than a block has lanes */
                at -= units;
                row += PERM_PREPARED;
            }
        }
        return;
    }
    while (group < groups) {
        const uint2 words = pattern[at];
        const i32 byte = (i32)(16 * at) - shift; /* of the group */
        const i32 low = group == 0 ? first : 0;
        const i32 high = group == groups - 1 ? last : (i32)bytes;
        GLOBAL u8 *place = to + (u64)group * bytes + 16 * at;
        const uint4 unit = combgpu_perm_unit(prepared + group * PERM_PREPARED, item_bytes, words.x,
                                             words.y, at % period);
        if (byte >= low && byte + 16 <= high)
            *(GLOBAL uint4 *)place = unit;
        else {
            combgpu_perm_store_part(place, byte, low, high, unit.x);
            combgpu_perm_store_part(place + 4, byte + 4, low, high, unit.y);
            combgpu_perm_store_part(place + 8, byte + 8, low, high, unit.z);
            combgpu_perm_store_part(place + 12, byte + 12, low, high, unit.w);
        }
        for (at += BLOCK_LANES; at >= units; at -= units)
            group++;
    }
}

#ifndef COMBGPU_KERNELS_MULTISET /* a program of its own: OpenCL compiles the rest for each visitor */
/* To the area: each block has a task of its own. */
KERNEL_BLOCKS(PERM_WRITE_LANES, 4) combgpu_perm_write(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY uint4 prepared[PERM_PIECE_GROUPS * PERM_PREPARED];
    LOCAL_ARRAY u8 firsts[PERM_PIECE_GROUPS * 64], digits[PERM_PIECE_GROUPS * 32];
    LOCAL_ARRAY u32 shared_word;
    const u32 orders = PERM_ORDERS;
    u64 steps = 0, begin = 0, end = 0;
    if (LANE_ID < PERM_PIECE_GROUPS) firsts[64 * LANE_ID + 63] = 0;
    for (;;) {
        u32 count, groups, place, i;
        if (begin == end) { /* the next task */
            if (LANE_ID == 0)
                shared_word = !combgpu_spent(slice, (u32)steps) ? combgpu_take(slice) : NONE;
            LOCAL_BARRIER();
            i = shared_word;
            LOCAL_BARRIER();
            if (i == NONE) break;
            begin = combgpu_load64(tasks + 4 * i);
            end = combgpu_load64(tasks + 4 * i + 2);
        }
        place = (u32)(begin % orders);
        count = PERM_PIECE_GROUPS * orders - place;
        if (count > end - begin) count = (u32)(end - begin);
        groups = (place + count + orders - 1) / orders;
        if (LANE_ID == 0)
            shared_word = combgpu_spent(slice, (u32)steps)
                              ? NONE
                              : combgpu_perm_reserve(slice, tables, records, begin, count, groups);
        combgpu_perm_prepare(tables, digits, firsts, prepared, begin / orders, groups);
        LOCAL_BARRIER();
        i = shared_word;
        if (i == NONE) {
            if (LANE_ID == 0) combgpu_perm_give(slice, left, begin, end);
            break;
        }
        combgpu_perm_make(tables, prepared, (GLOBAL u8 *)work + (u64)i * 16, groups, 0,
                          (i32)PERM_VECTORS * 16);
        LOCAL_BARRIER(); /* before the next piece's firsts and shared_word */
        steps += count;
        begin += count;
    }
    if (LANE_ID == 0) combgpu_add_total(slice, 0, steps);
}

/* To the caller's memory: all blocks sweep over it together, a piece each, because memory takes one
   moving window, smaller than the L2 cache, faster than a stream for each block. Pieces are numbered
   through all tasks; task_next is set by the block that ends last, and the task in which the numbers
   ended is given back. Lane 0 takes the next number while the block writes.

   Part of memset's speed on an H200, n = 12 and 13:
     streams of 528 blocks 86, 93 %, of 1056 64, 71 %
     a window, 40 registers (792 blocks)                               82, 82 %
     48 registers, 660 blocks of 7 groups (n = 13: 6), 38 MB           94, 96 %
     the same, warps store whole lines (16 bytes off a line costs
     a kernel that does nothing but store 13 %)                        95, 97 %
     the same: 528 blocks, 28, 33, 37 MB             90, 93, 95 %; 93, 96, 96 %
     396 blocks, 24, 33, 40 MB                       86, 94, 95 %; 83, 92, 95 %
     264 blocks, 33 MB                                                 90, 88 %
     streaming stores (st.cs) as well                                  95, 97 % */
#define PERM_WINDOW 38000000u
KERNEL_BLOCKS(PERM_WRITE_LANES, 5) combgpu_perm_write_direct(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY uint4 prepared[PERM_PIECE_GROUPS * PERM_PREPARED];
    LOCAL_ARRAY u8 firsts[PERM_PIECE_GROUPS * 64], digits[PERM_PIECE_GROUPS * 32];
    LOCAL_ARRAY u32 shared_word;
    const u32 orders = PERM_ORDERS, object = PERM_ITEM_BYTES * (u32)PERM_N;
    u32 number = NONE, piece_groups, pieces;
    u64 steps = 0, hash = 0;
    (void)records;
    piece_groups = (PERM_WINDOW / BLOCK_COUNT + orders * object / 2) / (orders * object);
    if (piece_groups > PERM_PIECE_GROUPS) piece_groups = PERM_PIECE_GROUPS;
    if (piece_groups < 1) piece_groups = 1;
    pieces = PERM_TASK_GROUPS / piece_groups + 1;
    if (LANE_ID < PERM_PIECE_GROUPS) firsts[64 * LANE_ID + 63] = 0;
    if (LANE_ID == 0) number = ATOMIC_ADD(&slice->area_next, 1);
    for (;;) {
        u64 begin, end, from, to, group, last;
        if (LANE_ID == 0) shared_word = number;
        LOCAL_BARRIER();
        number = shared_word;
        LOCAL_BARRIER();
        if (number == NONE || number / pieces >= slice->task_count) break;
        begin = combgpu_load64(tasks + 4 * (number / pieces));
        end = combgpu_load64(tasks + 4 * (number / pieces) + 2);
        group = (orders == 720 ? begin / 720 : begin / orders) +
                (u64)(number % pieces) * piece_groups;
        from = group * orders;
        to = from + (u64)piece_groups * orders;
        if (from < begin) from = begin;
        if (to > end) to = end;
        if (from < to) { /* the same for all lanes */
            last = orders == 720 ? (to - 1) / 720 : (to - 1) / orders;
            steps += to - from;
            hash += combgpu_mix(to) - combgpu_mix(from);
        } else
            last = group - 1; /* no groups */
        number = NONE;
        if (LANE_ID == 0 && !combgpu_spent(slice, (u32)steps))
            number = ATOMIC_ADD(&slice->area_next, 1);
        combgpu_perm_prepare(tables, digits, firsts, prepared, group, (u32)(last + 1 - group));
        LOCAL_BARRIER();
        combgpu_perm_make(tables, prepared,
                          (GLOBAL u8 *)work + (i64)PERM_OFFSET +
                              ((i64)(group * orders) - (i64)PERM_FIRST) * (i64)object -
                              (i32)PERM_SHIFT,
                          (u32)(last + 1 - group), (i32)((u32)(from - group * orders) * object),
                          (i32)((u32)(to - last * orders) * object));
    }
    if (LANE_ID != 0) return;
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, 1, steps);
    combgpu_add_total(slice, 2, hash);
    if (ATOMIC_ADD(&slice->blocks_done, 1) == BLOCK_COUNT - 1) { /* the last block */
        u32 next = ATOMIC_ADD(&slice->area_next, 0), task = next / pieces;
        if (task < slice->task_count && next % pieces) {
            u64 begin = combgpu_load64(tasks + 4 * task);
            u64 end = combgpu_load64(tasks + 4 * task + 2);
            u64 from = (begin / orders + (u64)(next % pieces) * piece_groups) * orders;
            if (from < end) combgpu_give_range(slice, left, from < begin ? begin : from, end);
            task++;
        }
        slice->task_next = task;
    }
}
#endif

/* ---- families and visits (combgpu.h, SECTION 41: what is counted, the tables, tasks, records) */
#ifdef COMBGPU_VISIT_FAMILY /* constants make kernels small: OpenCL compiles them for each visitor */
#define SET_FAMILY COMBGPU_VISIT_FAMILY
#define VISIT_GOAL COMBGPU_VISIT_GOAL
#define VISIT_LIST COMBGPU_VISIT_LIST
#else
#define SET_FAMILY tables[0] /* SET_ALL .. SET_CIRCULAR */
#define VISIT_GOAL tables[6] /* 1 count, 2 minimum, 3 maximum, 4 sum, 5 histogram */
#define VISIT_LIST tables[7]
#endif
#define SET_N ((int)tables[1])
#define SET_K ((int)tables[2])
#define SET_LENGTH ((int)tables[3])
#define SET_COUNT combgpu_load64(tables + 4)
#define SET_REPEATS ((GLOBAL const u8 *)(tables + 16))
#define SET_DERANGEMENTS(m, f) combgpu_load64(tables + 32 + 2 * (21 * (m) + (f)))
#define SET_ALL 0
#define SET_PARTIAL 1
#define SET_MULTISET 2
#define SET_DERANGEMENT 3
#define SET_COMBINATION 4
#define SET_GRAY 5
#define SET_CYCLE 6
#define SET_CIRCULAR 7
#define SET_MOST 64
#define SET_FREE 255
#define SET_PARAMETERS GLOBAL const u32 *tables, combgpu_member_t *at

/* A member of a family. place[v]: CYCLE: where v stands; MULTISET: how often it is left. */
typedef struct combgpu_member_t {
    u64 rank, unused;
    u8 perm[SET_MOST], place[SET_MOST];
} combgpu_member_t;

/* c * r / m, where m divides it; most are small, and a 32-bit division takes a quarter of the time. */
DEVICE u64 combgpu_set_scale(u64 c, u32 r, u32 m)
{
    u32 low = (u32)c, quotient;
    if (c >> 32) return c / m * r + c % m * r / m;
    quotient = low / m;
    return (u64)quotient * r + (low - quotient * m) * r / m;
}

DEVICE u64 combgpu_set_allowed(SET_PARAMETERS, int i)
{
    int first = i;
    if (SET_FAMILY == SET_DERANGEMENT) return at->unused & ~((u64)1 << i);
    if (SET_FAMILY == SET_CIRCULAR) return i ? at->unused : 1;
    if (SET_FAMILY != SET_CYCLE || i == SET_N - 1) return at->unused;
    while (at->place[first] != SET_FREE)
        first = at->place[first];
    return at->unused & ~((u64)1 << first);
}

DEVICE void combgpu_set_choose(combgpu_member_t *at, int i, int value)
{
    at->perm[i] = (u8)value;
    at->place[value] = (u8)i;
    at->unused &= ~((u64)1 << value);
}

DEVICE void combgpu_set_unrank_tree(SET_PARAMETERS, u64 rank)
{
    u64 each = SET_COUNT, allowed, weight, open;
    int i, value = 0;
    for (i = 0; i < SET_LENGTH; i++) {
        allowed = combgpu_set_allowed(tables, at, i);
        each /= combgpu_popcount64(allowed);
        for (weight = each; allowed; allowed &= allowed - 1, rank -= weight) {
            value = (int)combgpu_lowest_bit64(allowed);
            if (SET_FAMILY == SET_DERANGEMENT) {
                open = at->unused & ~((u64)1 << value) & ~(((u64)2 << i) - 1);
                weight = SET_DERANGEMENTS(SET_N - 1 - i, (int)combgpu_popcount64(open));
            }
            if (rank < weight) break;
        }
        combgpu_set_choose(at, i, value);
    }
}

DEVICE void combgpu_set_next_tree(SET_PARAMETERS)
{
    u64 larger = 0;
    int i = SET_LENGTH;
    while (i < SET_LENGTH || !larger) {
        if (larger) {
            combgpu_set_choose(at, i++, (int)combgpu_lowest_bit64(larger));
            larger = i < SET_LENGTH ? combgpu_set_allowed(tables, at, i) : 1;
        } else {
            int value;
            if (!i) return;
            value = at->perm[--i];
            at->unused |= (u64)1 << value;
            at->place[value] = SET_FREE;
            larger = combgpu_set_allowed(tables, at, i) & ~(((u64)2 << value) - 1);
        }
    }
}

/* To the member of a rank. */
DEVICE void combgpu_set_unrank(SET_PARAMETERS, u64 rank)
{
    u64 all = SET_COUNT, part = 0, rest;
    int i, v;
    at->rank = rank;
    at->unused = ~(u64)0 >> (64 - SET_N);
    for (i = 0; i < SET_MOST; i++)
        at->place[i] = SET_FAMILY == SET_MULTISET ? SET_REPEATS[i] : SET_FREE;
    if (SET_FAMILY == SET_ALL) {
        combgpu_unrank(SET_N, rank, at->perm);
    } else if (SET_FAMILY == SET_MULTISET) {
        for (i = 0; i < SET_LENGTH; i++, all = part) {
            for (v = 0; v < SET_N - 1; v++, rank -= part) {
                part = combgpu_set_scale(all, at->place[v], (u32)(SET_LENGTH - i));
                if (rank < part) break;
            }
            if (v == SET_N - 1) part = combgpu_set_scale(all, at->place[v], (u32)(SET_LENGTH - i));
            at->perm[i] = (u8)v;
            at->place[v]--;
        }
    } else if (SET_FAMILY == SET_COMBINATION) {
        for (i = v = 0; i < SET_K && v < SET_N; v++) {
            part = combgpu_set_scale(all, (u32)(SET_K - i), (u32)(SET_N - v));
            if (rank < part) {
                at->perm[i++] = (u8)v;
                all = part;
            } else {
                rank -= part;
                all -= part;
            }
        }
    } else if (SET_FAMILY == SET_GRAY) {
        for (v = SET_N; v; v--) {
            i = (int)(rank % (u32)v);
            rank /= (u32)v;
            if (!(rank & 1)) i = v - 1 - i;
            for (rest = at->unused; i; i--)
                rest &= rest - 1;
            at->perm[combgpu_lowest_bit64(rest)] = (u8)(v - 1);
            at->unused &= ~(rest & (0 - rest));
        }
    } else
        combgpu_set_unrank_tree(tables, at, rank);
}

/* To the next member. */
DEVICE void combgpu_set_next(SET_PARAMETERS)
{
    u64 rank = ++at->rank;
    int i, v;
    if ((1u << SET_FAMILY) & (1u << SET_ALL | 1u << SET_MULTISET | 1u << SET_CIRCULAR)) {
        combgpu_next_permutation(SET_LENGTH, at->perm);
    } else if (SET_FAMILY == SET_COMBINATION) {
        for (i = SET_K - 1; i >= 0 && at->perm[i] == SET_N - SET_K + i;)
            i--;
        if (i < 0) return;
        for (at->perm[i]++; ++i < SET_K;)
            at->perm[i] = (u8)(at->perm[i - 1] + 1);
    } else if (SET_FAMILY == SET_GRAY) {
        for (v = SET_N; v && rank % (u32)v == 0; v--)
            rank /= (u32)v;
        if (!v) return;
        for (i = 0; at->perm[i] != v - 1;)
            i++;
        if (!(rank / (u32)v & 1)) i--;
        v = at->perm[i];
        at->perm[i] = at->perm[i + 1];
        at->perm[i + 1] = (u8)v;
    } else
        combgpu_set_next_tree(tables, at);
}

/* WRITE: the block takes a chunk of its range; each lane makes a few members that follow each other, as
   words in local memory, and then the block copies them, 16 bytes a lane. The chunk goes to the caller's
   memory, or to a place in the area that it reserves, with a record.

   A multiset's last six places go through the orders of their *shape*: how often the values occur in
   them, the smallest first. The host has a list of orders for each of the 32 shapes: a nibble for each
   place, an index into the six in ascending order. So a lane unranks the places before them once, and
   then takes an order after another. */
#define SET_DIRECT tables[15]
#define SET_FIRST combgpu_load64(tables + 914)
#define SET_OFFSET combgpu_load64(tables + 916)
#define SET_SHAPES 918 /* word at which the lists begin; 33 words: where each one does */
#define SET_ORDERS 951
#define SET_RECIPROCALS 5634 /* of 1 .. 64: 2^32 / m, rounded up */
#define SET_CHUNK 2880  /* members */
#define SET_STAGE 24576 /* bytes */
#define SET_TAIL 6

/* A stream of bytes into local memory, a word at a time. */
typedef struct combgpu_stream_t {
    u64 bytes;
    u32 filled; /* less than 32 bits */
    LOCAL u32 *to;
} combgpu_stream_t;

DEVICE void combgpu_stream(combgpu_stream_t *stream, u32 word, u32 bits)
{
    stream->bytes |= (u64)word << stream->filled;
    stream->filled += bits;
    if (stream->filled >= 32) {
        *stream->to++ = (u32)stream->bytes;
        stream->bytes >>= 32;
        stream->filled -= 32;
    }
}

/* x / m for x < 2^32, m <= 64. */
DEVICE u32 combgpu_set_divide(GLOBAL const u32 *tables, u32 x, u32 m)
{
    u32 q = m == 1 ? x : (u32)((u64)x * tables[SET_RECIPROCALS + m] >> 32);
    return q - (q * m > x || q * m < q);
}

/* The first places of a multiset's member; the last six in ascending order. Returns the place of the
   member among those that begin so, and in *orders where their list begins. */
DEVICE u32 combgpu_set_multiset_prefix(SET_PARAMETERS, u64 rank, u32 *orders, u32 *count)
{
    const int prefix = SET_LENGTH - SET_TAIL;
    u64 all = SET_COUNT, part = 0;
    u32 shape = 0;
    int i, k, v;
    for (v = 0; v < SET_N; v++)
        at->place[v] = SET_REPEATS[v];
    for (i = 0; i < prefix; i++, all = part) {
        const u32 m = (u32)(SET_LENGTH - i), low = (u32)all;
        const u32 q = all >> 32 ? 0 : combgpu_set_divide(tables, low, m), rest = low - q * m;
        for (v = 0;; v++, rank -= part) {
            const u32 r = at->place[v];
            part = all >> 32 ? combgpu_set_scale(all, r, m)
                             : (u64)q * r + combgpu_set_divide(tables, rest * r, m);
            if (rank < part || v == SET_N - 1) break;
        }
        at->perm[i] = (u8)v;
        at->place[v]--;
    }
    for (v = 0; v < SET_N; v++)
        for (k = at->place[v]; k; k--) {
            if (k == at->place[v] && i > prefix) shape |= 1u << (i - prefix - 1);
            at->perm[i++] = (u8)v;
        }
    *orders = SET_ORDERS + tables[SET_SHAPES + shape];
    *count = tables[SET_SHAPES + shape + 1] - tables[SET_SHAPES + shape];
    return (u32)rank;
}

/* The same for the next first places; the last six are in ascending order before and after. */
DEVICE void combgpu_set_multiset_next(SET_PARAMETERS, u32 *orders, u32 *count)
{
    const int prefix = SET_LENGTH - SET_TAIL;
    u32 shape = 0;
    int i;
    for (i = 0; i < SET_TAIL / 2; i++) {
        u8 x = at->perm[prefix + i];
        at->perm[prefix + i] = at->perm[SET_LENGTH - 1 - i];
        at->perm[SET_LENGTH - 1 - i] = x;
    }
    combgpu_next_permutation(SET_LENGTH, at->perm);
    for (i = 1; i < SET_TAIL; i++)
        if (at->perm[prefix + i] != at->perm[prefix + i - 1]) shape |= 1u << (i - 1);
    *orders = SET_ORDERS + tables[SET_SHAPES + shape];
    *count = tables[SET_SHAPES + shape + 1] - tables[SET_SHAPES + shape];
}

/* Writes `count` members of a multiset from `rank` on to words of local memory. */
DEVICE void combgpu_set_multiset_write(GLOBAL const u32 *tables, u64 rank, u32 count, LOCAL u32 *to)
{
    const u32 prefix = (u32)(SET_LENGTH - SET_TAIL);
    combgpu_member_t member;
    combgpu_stream_t stream;
    u32 words[SET_MOST / 4], orders, in_orders, k, i, low = 0, high = 0;
    u32 order = combgpu_set_multiset_prefix(tables, &member, rank, &orders, &in_orders);
    stream.bytes = 0;
    stream.filled = 0;
    stream.to = to;
    for (k = 0;; k++) {
        if (k == 0 || order == in_orders) { /* other first places */
            if (k) {
                combgpu_set_multiset_next(tables, &member, &orders, &in_orders);
                order = 0;
            }
            for (i = 0; i < prefix; i++)
                words[i / 4] = (i % 4 ? words[i / 4] : 0) | (u32)member.perm[i] << (8 * (i % 4));
            for (low = high = 0, i = 0; i < SET_TAIL; i++)
                if (i < 4)
                    low |= (u32)member.perm[prefix + i] << (8 * i);
                else
                    high |= (u32)member.perm[prefix + i] << (8 * i - 32);
        }
        if (k == count) break;
        {
            const u32 places = tables[orders + order++];
            for (i = 0; i + 4 <= prefix; i += 4)
                combgpu_stream(&stream, words[i / 4], 32);
            if (i < prefix) combgpu_stream(&stream, words[i / 4], 8 * (prefix - i));
            combgpu_stream(&stream, combgpu_perm_choose(low, high, places & 0xffff), 32);
            combgpu_stream(&stream, combgpu_perm_choose(low, high, places >> 16) & 0xffff, 16);
        }
    }
}

/* Members that a lane makes at a time: so many that their bytes are words, if possible an odd number of
   them, which keeps lanes in different banks of local memory. */
DEVICE u32 combgpu_set_portion(u32 length)
{
    const u32 step = length % 4 == 0 ? 1 : length % 2 == 0 ? 2 : 4;
    const u32 steps = SET_STAGE / PERM_LANES / (step * length);
    return steps ? step * (steps - 1 + steps % 2) : step;
}

/* Where a chunk goes in the area; NONE if there is no room. */
DEVICE u32 combgpu_set_reserve(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,
                               GLOBAL u32 *records, u64 begin, u32 count, u32 units)
{
    u32 unit = ATOMIC_ADD(&slice->area_next, units), record;
    if (unit > tables[14] || units > tables[14] - unit) {
        ATOMIC_OR(&slice->stop, STOP_NOW);
        return NONE;
    }
    record = combgpu_emit(slice);
    if (record == NONE) return NONE;
    combgpu_store64(records + 4 * record, begin);
    records[4 * record + 2] = count;
    records[4 * record + 3] = unit;
    return unit;
}

#ifndef COMBGPU_KERNELS_MULTISET
KERNEL combgpu_perm_write_set(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY uint4 stage4[SET_STAGE / 16 + 2];
    LOCAL_ARRAY u32 shared_word;
    LOCAL u32 *stage = (LOCAL u32 *)stage4;
    const u32 length = (u32)SET_LENGTH, portion = combgpu_set_portion(length);
    u32 direct = SET_DIRECT, tails = length >= SET_TAIL ? SET_FAMILY == SET_MULTISET : 0;
    u32 lanes = SET_STAGE / (portion * length);
    u64 begin = 0, end = 0, from = 0, hash = 0, steps = 0;
    if (lanes > BLOCK_LANES) lanes = BLOCK_LANES;
    while (lanes * portion > SET_CHUNK)
        lanes--;
    for (;;) {
        u32 count, bytes, skew, i, j, k, mine = 0;
        GLOBAL u8 *to;
        if (LANE_ID == 0)
            shared_word = combgpu_spent(slice, (u32)steps) ? NONE
                          : begin == end                   ? combgpu_take(slice)
                                                           : 0;
        BLOCK_BARRIER();
        i = shared_word;
        BLOCK_BARRIER();
        if (i == NONE) break;
        if (begin == end) {
            from = begin = combgpu_load64(tasks + 4 * i);
            end = combgpu_load64(tasks + 4 * i + 2);
        }
        count = end - begin < lanes * portion ? (u32)(end - begin) : lanes * portion;
        bytes = count * length;
        if (LANE_ID == 0)
            shared_word = direct ? 0
                                 : combgpu_set_reserve(slice, tables, records, begin, count,
                                                       (bytes + 15) / 16);
        if (LANE_ID * portion < count && LANE_ID < lanes)
            mine = count - LANE_ID * portion < portion ? count - LANE_ID * portion : portion;
        if (mine && tails)
            combgpu_set_multiset_write(tables, begin + LANE_ID * portion,
                                       portion, stage + LANE_ID * (portion * length / 4));
        else if (mine) {
            combgpu_member_t at;
            LOCAL u8 *byte = (LOCAL u8 *)stage + LANE_ID * portion * length;
            combgpu_set_unrank(tables, &at, begin + LANE_ID * portion);
            for (j = 0; j < mine; j++) {
                for (k = 0; k < length; k++)
                    *byte++ = at.perm[k];
                combgpu_set_next(tables, &at);
            }
        }
        BLOCK_BARRIER();
        i = shared_word;
        if (i == NONE) break;
        to = (GLOBAL u8 *)work +
             (direct ? SET_OFFSET + (begin - SET_FIRST) * length : (u64)i * 16);
        skew = direct ? (u32)((SET_OFFSET + (begin - SET_FIRST) * length) & 15) : 0;
        /* 16-byte unit i of the output begins `skew` bytes before byte 16 i of the stage */
        for (i = LANE_ID; 16 * i < bytes + skew; i += BLOCK_LANES) {
            GLOBAL u8 *place = to + 16 * i - skew;
            const u32 word = 4 * i - (skew + 3) / 4, shift = 8 * ((0 - skew) & 3);
            if (16 * i >= skew && 16 * i + 16 - skew <= bytes) {
                uint4 x;
                x.x = stage[word];
                x.y = stage[word + 1];
                x.z = stage[word + 2];
                x.w = stage[word + 3];
                if (shift) {
                    const u32 last = stage[word + 4];
                    x.x = x.x >> shift | x.y << (32 - shift);
                    x.y = x.y >> shift | x.z << (32 - shift);
                    x.z = x.z >> shift | x.w << (32 - shift);
                    x.w = x.w >> shift | last << (32 - shift);
                }
                *(GLOBAL uint4 *)place = x;
            } else
                for (j = 0; j < 16; j++)
                    if (16 * i + j >= skew && 16 * i + j - skew < bytes)
                        place[j] = ((LOCAL u8 *)stage)[16 * i + j - skew];
        }
        BLOCK_BARRIER(); /* before the next chunk's members and shared_word */
        steps += count;
        begin += count;
        if (begin == end) hash += combgpu_mix(end) - combgpu_mix(from);
    }
    if (LANE_ID != 0) return;
    if (begin != end) hash += combgpu_mix(begin) - combgpu_mix(from);
    combgpu_perm_give(slice, left, begin, end);
    combgpu_add_total(slice, 0, steps);
    if (direct) combgpu_add_total(slice, 1, steps);
    if (direct) combgpu_add_total(slice, 2, hash);
}

#endif

#if defined(COMBGPU_KERNELS_MULTISET) || defined(__CUDACC__)
/* Multisets to the caller's memory: a warp takes a piece, and goes from one block of it to the next. A
   block is the members with the same first places. Their last places, the *tail*, come in the orders
   of a shape: how often each letter (a value that occurs) is in it, the smallest first. The host has
   a list for each shape, of all bytes of a block: a nibble says which of the shape's letters the byte
   is, or that it belongs to the first places (7). These repeat after MULTI_PERIOD units of 16 bytes,
   and are prepared as so many windows. A lane makes unit after unit; of one in which a block ends and
   the next begins the first part is carried over.

   Lane v has letter v: how many of it are left, and of the letters before it. Lane i has place i. */
#define MULTI_LENGTH tables[0] /* at most 32 */
#define MULTI_LETTERS tables[1]
#define MULTI_PREFIX tables[2]
#define MULTI_PERIOD tables[3]
#define MULTI_COUNT combgpu_load64(tables + 4)
#define MULTI_FIRST combgpu_load64(tables + 6)
#define MULTI_OFFSET combgpu_load64(tables + 8)
#define MULTI_TASK tables[10]  /* members of a task; of a piece at least, about, and at most */
#define MULTI_LEAST tables[11]
#define MULTI_MOST tables[12]
#define MULTI_LETTER 13   /* value, 256 * repeats, 65536 * repeats of those before it */
#define MULTI_INVERSES 34 /* of the odd parts of 0 .. 32, modulo 2^64 */
#define MULTI_SHAPES 100  /* word at which the list begins, and orders in it */
#define MULTI_LANES 256
#ifdef COMBGPU_SHUFFLE
#define MULTI_GROUPS (MULTI_LANES / 32)
#else
#define MULTI_GROUPS 1
#endif

/* all * r / m, a whole number, for m <= 32: modulo 2^64, a shift and then the odd part's inverse. */
DEVICE u64 combgpu_multi_part(GLOBAL const u32 *tables, u64 all, u32 r, u32 m)
{
    const u64 low = (u64)(u32)all * r, high = (all >> 32) * r + (low >> 32);
    const u32 shift = CTZ(m);
    return ((high << (32 - shift)) + ((u32)low >> shift)) *
           combgpu_load64(tables + MULTI_INVERSES + 2 * m);
}

/* The bytes from .. to - 1 of a word, and 0 for the others. */
DEVICE u32 combgpu_multi_keep(u32 word, i32 from, i32 to)
{
    if (from >= 4 || to <= 0) return 0;
    if (from > 0) word &= ~0u << (8 * from);
    if (to < 4) word &= ~0u >> (32 - 8 * to);
    return word;
}

KERNEL_BLOCKS(MULTI_LANES, 4) combgpu_perm_write_multiset(SLICE_ARGUMENTS)
{
    GROUP_BEGIN(32);
    LOCAL_ARRAY uint4 all_windows[MULTI_GROUPS * 32], carries[MULTI_GROUPS];
    LOCAL_ARRAY uint2 tails[MULTI_GROUPS];
    LOCAL_ARRAY u32 all_texts[MULTI_GROUPS * 16];
    LOCAL_ARRAY u64 sums[MULTI_GROUPS * 2];
    const u32 lane = GROUP_LANE, own = LANE_ID / 32;
    LOCAL uint4 *windows = all_windows + 32 * own;
    LOCAL u32 *text = all_texts + 16 * own;
    const u32 length = MULTI_LENGTH, prefix = MULTI_PREFIX, period = MULTI_PERIOD;
    const u32 letter = lane < MULTI_LETTERS ? tables[MULTI_LETTER + lane] : 0;
    const u32 task_count = slice->task_count ? slice->task_count : 1;
    /* as many pieces as a small number of rounds has */
    const u32 rounds = MULTI_TASK / MULTI_MOST * task_count / slice->workers + 1;
    const u32 fit = rounds * slice->workers / task_count, room = MULTI_TASK / MULTI_LEAST;
    const u32 parts = fit < room ? fit : room; /* of a task; 16 members keep the borders aligned */
    const u32 piece_size = (MULTI_TASK / (parts ? parts : 1) + 16) & ~15u;
    const u32 pieces = (MULTI_TASK + piece_size - 1) / piece_size;
    u32 taken = GROUP_INDEX < slice->workers ? GROUP_INDEX : NONE, place = 0, left_over = 0;
    u32 before = 0, v, m;
    i32 block = 0, block_end = 0, piece = 0, piece_end = 0; /* bytes from `to` on */
    u64 steps = 0, hash = 0, rank, all;
    GLOBAL u8 *to = (GLOBAL u8 *)work;
    (void)records;
    if (lane == 0) {
        tails[own].x = tails[own].y = 0;
        carries[own].x = carries[own].y = carries[own].z = carries[own].w = 0;
    }
    for (;;) {
        const u32 fresh = block_end >= piece_end; /* a piece begins; the same for all lanes */
        u32 at = fresh ? 0 : prefix, orders, letters, shape;
        i32 start, end, unit, k;
        GLOBAL const u32 *list;
        uint2 tail;
        uint4 carry;
        rank = all = 0;
        if (fresh) {
            const u32 number = GROUP_FROM(taken, 0), part = number % pieces;
            const u32 task = number / pieces;
            u64 begin, last, first;
            if (number == NONE || task >= slice->task_count) break;
            begin = combgpu_load64(tasks + 4 * task);
            last = combgpu_load64(tasks + 4 * task + 2);
            rank = begin + (u64)part * piece_size;
            if (part < pieces - 1 && rank < last && last - rank > piece_size)
                last = rank + piece_size;
            if (rank < last) {
                steps += last - rank;
                hash += combgpu_mix(last) - combgpu_mix(rank);
            }
            taken = NONE;
            if (lane == 0 && !combgpu_spent(slice, (u32)steps))
                taken = ATOMIC_ADD(&slice->area_next, 1) + slice->workers;
            if (rank >= last) continue;
            first = MULTI_OFFSET + (rank - MULTI_FIRST) * length;
            to = (GLOBAL u8 *)work + (first & ~(u64)127);
            piece = (i32)(first & 127);
            piece_end = piece + (i32)((u32)(last - rank) * length);
            all = MULTI_COUNT;
            left_over = letter >> 8 & 255;
            before = letter >> 16;
        }
        /* the next block: back to the last place that can have a larger letter, which it takes */
        for (v = fresh; v == 0;) {
            const u32 old = GROUP_FROM(place, --at);
            left_over += lane == old;
            before += lane > old;
            v = GROUP_BALLOT(left_over > 0) & (~1u << old);
            if (v) {
                const u32 next = CTZ(v);
                left_over -= lane == next;
                before -= lane > next;
                if (lane == at) place = next;
            }
        }
        for (at += !fresh; at < prefix; at++) { /* the places behind it */
            u64 smaller = 0;
            u32 both;
            m = length - at;
            if (fresh) smaller = combgpu_multi_part(tables, all, before, m);
            v = GROUP_BALLOT(left_over > 0 && smaller <= rank);
            v = fresh ? 31 - CLZ(v) : CTZ(v);
            both = GROUP_FROM(before << 8 | left_over, v);
            if (fresh) {
                rank -= combgpu_multi_part(tables, all, both >> 8, m);
                all = combgpu_multi_part(tables, all, both & 255, m);
            }
            left_over -= lane == v;
            before -= lane > v;
            if (lane == at) place = v;
        }
        /* the tail's letters and its shape; the first places, over and over */
        letters = GROUP_BALLOT(left_over > 0);
        if (left_over > 0)
            ((LOCAL u8 *)&tails[own])[POPCOUNT(letters & ((1u << lane) - 1))] = (u8)letter;
        shape = GROUP_ADD(left_over > 0 && before > 0 ? 1u << (before - 1) : 0);
        v = GROUP_FROM(letter, lane < prefix ? place : 0) & 255;
        if (lane < length)
            for (at = lane; at < length + 20; at += length)
                ((LOCAL u8 *)text)[at] = lane < prefix ? (u8)v : 0;
        list = tables + tables[MULTI_SHAPES + 2 * shape];
        orders = tables[MULTI_SHAPES + 2 * shape + 1];
        block = fresh ? piece - (i32)((u32)rank * length) : block_end;
        block_end = block + (i32)(orders * length);
        start = block > piece ? block : piece;
        end = block_end < piece_end ? block_end : piece_end;
        unit = start >> 7 << 3; /* warps store 128 bytes of a line */
        CREW_BARRIER();
        if (lane < period) {
            const u32 byte = (u32)(16 * (unit + (i32)lane) - block + 128 * (i32)length) % length;
            const u32 shift = 8 * (byte & 3);
            LOCAL const u32 *from = text + byte / 4;
            const u32 a = from[0], b = from[1], c = from[2], d = from[3], e = from[4];
            uint4 window;
            window.x = (u32)(((u64)b << 32 | a) >> shift);
            window.y = (u32)(((u64)c << 32 | b) >> shift);
            window.z = (u32)(((u64)d << 32 | c) >> shift);
            window.w = (u32)(((u64)e << 32 | d) >> shift);
            windows[lane] = window;
        }
        tail = tails[own];
        carry = carries[own];
        CREW_BARRIER();
        k = (i32)(lane % period);
        for (unit += (i32)lane; 16 * unit < end; unit += 32) {
            const i32 byte = 16 * unit, nibble = byte - block;
            GLOBAL const u32 *word = list + (nibble >> 3);
            const u32 shift = 4 * ((u32)nibble & 7);
            if (byte + 16 > start) {
                const u32 a = word[0], b = word[1], c = word[2];
                const u32 x = (u32)(((u64)b << 32 | a) >> shift);
                const u32 y = (u32)(((u64)c << 32 | b) >> shift);
                uint4 made = windows[k];
                made.x |= combgpu_perm_choose(tail.x, tail.y, x);
                made.y |= combgpu_perm_choose(tail.x, tail.y, x >> 16);
                made.z |= combgpu_perm_choose(tail.x, tail.y, y);
                made.w |= combgpu_perm_choose(tail.x, tail.y, y >> 16);
                if (byte >= start && byte + 16 <= end)
                    *(GLOBAL uint4 *)(to + byte) = made;
                else {
                    const i32 low = start - byte, high = end - byte;
                    made.x = combgpu_multi_keep(made.x, low, high);
                    made.y = combgpu_multi_keep(made.y, low - 4, high - 4);
                    made.z = combgpu_multi_keep(made.z, low - 8, high - 8);
                    made.w = combgpu_multi_keep(made.w, low - 12, high - 12);
                    if (byte < block && !fresh) { /* what the last block left */
                        made.x |= carry.x;
                        made.y |= carry.y;
                        made.z |= carry.z;
                        made.w |= carry.w;
                    }
                    if (byte + 16 > block_end && block_end < piece_end)
                        carries[own] = made;
                    else if (byte >= piece && byte + 16 <= piece_end)
                        *(GLOBAL uint4 *)(to + byte) = made;
                    else {
                        combgpu_perm_store_part(to + byte, byte, piece, piece_end, made.x);
                        combgpu_perm_store_part(to + byte + 4, byte + 4, piece, piece_end, made.y);
                        combgpu_perm_store_part(to + byte + 8, byte + 8, piece, piece_end, made.z);
                        combgpu_perm_store_part(to + byte + 12, byte + 12, piece, piece_end,
                                                made.w);
                    }
                }
            }
            k += (i32)(32 % period);
            if (k >= (i32)period) k -= (i32)period;
        }
    }
    if (lane == 0) {
        sums[2 * own] = steps;
        sums[2 * own + 1] = hash;
    }
    LOCAL_BARRIER();
    if (LANE_ID != 0) return;
    for (steps = hash = 0, v = 0; v < BLOCK_LANES / 32; v++) {
        steps += sums[2 * v];
        hash += sums[2 * v + 1];
    }
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, 1, steps);
    combgpu_add_total(slice, 2, hash);
    if (ATOMIC_ADD(&slice->blocks_done, 1) == BLOCK_COUNT - 1) { /* the last block */
        const u32 next = ATOMIC_ADD(&slice->area_next, 0) + slice->workers;
        u32 task = next / pieces;
        if (task < slice->task_count && next % pieces) {
            u64 from = combgpu_load64(tasks + 4 * task) + (u64)(next % pieces) * piece_size;
            u64 end = combgpu_load64(tasks + 4 * task + 2);
            if (from < end) combgpu_give_range(slice, left, from, end);
            task++;
        }
        slice->task_next = task;
    }
}

#endif

/* The other goals: the block takes its range in turns. In a turn each lane has a run of k! ranks that
   begins at a multiple of k!. A turn counts as a whole or, if its hits find no room, not at all.

   For all permutations of 10 to 16 elements a run is 24, 120 or 720 ranks, and goes through them in
   blocks of 24. The orders of the last three places are written out, so that perm[] is in registers
   and the compiler computes once what depends on the other places alone.

   The visitor: OpenCL puts a caller's combgpu_visit before this file, and COMBGPU_VISIT_N, the n for
   which the blocks are compiled; CUDA instantiates the kernel with a type that has visit(). */
#if defined(COMBGPU_VISITOR) || defined(__CUDACC__)
#define VISIT_DATA ((GLOBAL const u8 *)(tables + tables[8]))
#define VISIT_BINS tables[9]
#define VISIT_BEST ((VISIT_GOAL | 1) == 3)
#define VISIT_FIRST ((i64)combgpu_load64(tables + 10))
#define VISIT_WIDTH combgpu_load64(tables + 12)
#define VISIT_LANES 128
#define VISIT_LOCAL_BINS 1024 /* more are counted in global memory */
#define VISIT_LAST_KEY ((i64)(~(u64)0 >> 1)) /* the largest */
#ifdef __CUDACC__
#define VISITOR_PARAMETER template <class Visitor>
#define VISITOR_N_PARAMETER template <class Visitor, int N>
#define VISIT(perm, n) Visitor::visit(perm, n, VISIT_DATA)
#define VISIT_BOUNDS __launch_bounds__(VISIT_LANES, 6) /* at most 80 registers: 1.1 x as fast */
#else
#define VISITOR_PARAMETER
#define VISITOR_N_PARAMETER
#define VISIT(perm, n) combgpu_visit(perm, n, VISIT_DATA)
#define VISIT_BOUNDS
#define N COMBGPU_VISIT_N
#endif

/* What a lane has found; the meaning of the words depends on the goal: hits, hash; best key, its rank;
   sum, low and high; values outside of all bins. */
typedef struct combgpu_found_t {
    u64 x, y;
    u32 hits; /* of this turn */
    u32 at;   /* the next record, when hits are listed */
} combgpu_found_t;

/* Where values go that are counted in bins. */
#define BINS_PARAMETER GLOBAL u32 *work, LOCAL u32 *bins
#define BINS work, bins

/* The part of a checksum of the hits of a block of 24 ranks; bit i is rank 24 * block + i. */
DEVICE u64 combgpu_visit_hash(u64 block, u32 hits)
{
    return combgpu_mix(block) * hits;
}

DEVICE void combgpu_visit_bin(GLOBAL const u32 *tables, BINS_PARAMETER, combgpu_found_t *found,
                              i64 value)
{
    u64 bin = (u64)value - (u64)VISIT_FIRST, width = VISIT_WIDTH;
    if (width != 1) bin = (bin | width) >> 32 ? bin / width : (u32)bin / (u32)width;
    if (value < VISIT_FIRST || bin >= VISIT_BINS)
        found->x++;
    else if (VISIT_BINS <= VISIT_LOCAL_BINS)
        LOCAL_ATOMIC_ADD(&bins[(u32)bin], 1);
    else if (ATOMIC_ADD(work + 2 * (u32)bin, 1) == 0xffffffffu)
        ATOMIC_ADD(work + 2 * (u32)bin + 1, 1);
}

/* One value. `pass` 1: hits become records. */
DEVICE void combgpu_visit_add(GLOBAL const u32 *tables, GLOBAL u32 *records, BINS_PARAMETER,
                              combgpu_found_t *found, u32 pass, u64 rank, i64 value)
{
    i64 key = VISIT_GOAL == 3 ? ~value : value; /* the complement orders the other way round */
    if (VISIT_GOAL == 1) {
        if (!value) return;
        found->hits++;
        if (pass) {
            combgpu_store64(records + 4 * found->at, rank);
            records[4 * found->at + 2] = 1;
            records[4 * found->at + 3] = 0;
            found->at++;
        } else if (!VISIT_LIST)
            found->y += combgpu_visit_hash(rank / 24, (u32)1 << (u32)(rank % 24));
    } else if (VISIT_GOAL == 4) {
        found->x += (u64)value;
        found->y += (u64)(found->x < (u64)value) - (u64)(value < 0);
    } else if (VISIT_GOAL == 5)
        combgpu_visit_bin(tables, BINS, found, value);
    else if (key < (i64)found->x || (key == (i64)found->x && rank < found->y)) {
        found->x = (u64)key;
        found->y = rank;
    }
}

#define EACH_ORDER(X)                                                                              \
    X(0, 0, 1, 2)                                                                                  \
    X(1, 0, 2, 1)                                                                                  \
    X(2, 1, 0, 2)                                                                                  \
    X(3, 1, 2, 0)                                                                                  \
    X(4, 2, 0, 1)                                                                                  \
    X(5, 2, 1, 0)

#if defined(__CUDACC__) || COMBGPU_VISIT_N >= 10 && COMBGPU_VISIT_N <= 16
#define VISIT_BLOCKS 1
/* The bytes of x without the one at `shift`. */
DEVICE u64 combgpu_visit_without(u64 x, u32 shift)
{
    return (x & (((u64)1 << shift) - 1)) | (x >> shift >> 8 << shift);
}

/* Ranks from .. to-1 of one group of 720. */
VISITOR_N_PARAMETER DEVICE void combgpu_visit_blocks(GLOBAL const u32 *tables, GLOBAL u32 *records,
                                                     BINS_PARAMETER, combgpu_found_t *found,
                                                     u32 pass, u64 from, u64 to)
{
    const u64 group = from / 720 * 720;
    u32 block = (u32)(from - group) / 24, blocks = (u32)(to - group + 23) / 24;
    u64 six = 0;
    u8 first[PERM_PLACES], perm[N];
    int i;
    combgpu_unrank(N, group, first);
#ifdef __CUDACC__
#pragma unroll
#endif
    for (i = 0; i < N - 6; i++)
        perm[i] = first[i];
    for (i = 0; i < 6; i++)
        six |= (u64)first[N - 6 + i] << (8 * i);
    for (; block < blocks; block++) {
        const u64 rank = group + 24 * block, five = combgpu_visit_without(six, block / 5 * 8);
        const u32 four = (u32)combgpu_visit_without(five, block % 5 * 8);
        u32 valid = 0xffffff, hits = 0, a;
        perm[N - 6] = (u8)(six >> block / 5 * 8);
        perm[N - 5] = (u8)(five >> block % 5 * 8);
        if (rank < from) valid &= 0xffffff << (u32)(from - rank);
        if (to - rank < 24) valid &= ((u32)1 << (u32)(to - rank)) - 1;
#if defined(__CUDACC__) && !defined(VISIT_FULL)
#pragma unroll 1
#else
#pragma unroll
#endif
        for (a = 0; a < 4; a++) {
            const u32 three = (four & (((u32)1 << 8 * a) - 1)) | (four >> 8 * a >> 8 << 8 * a);
            const u8 last0 = (u8)three, last1 = (u8)(three >> 8), last2 = (u8)(three >> 16);
            const u64 rank6 = rank + 6 * a;
            i64 value[6];
            perm[N - 4] = (u8)(four >> 8 * a);
#define ORDER(at, a, b, c)                                                                         \
    perm[N - 3] = last##a;                                                                         \
    perm[N - 2] = last##b;                                                                         \
    perm[N - 1] = last##c;                                                                         \
    value[at] = VISIT(perm, N);
            EACH_ORDER(ORDER)
#undef ORDER
            if (VISIT_GOAL == 1) {
                u32 six_hits = 0;
#define ORDER(at, a, b, c) six_hits |= (u32)(value[at] != 0) << at;
                EACH_ORDER(ORDER)
#undef ORDER
                hits |= six_hits << 6 * a;
            } else if (VISIT_GOAL == 5 || valid != 0xffffff) {
#define ORDER(at, b, c, d)                                                                         \
    if (valid >> (6 * a + at) & 1)                                                                 \
        combgpu_visit_add(tables, records, BINS, found, 0, rank6 + at, value[at]);
                EACH_ORDER(ORDER)
#undef ORDER
            } else if (VISIT_GOAL == 4) {
#define ORDER(at, a, b, c)                                                                         \
    found->x += (u64)value[at];                                                                    \
    found->y += (u64)(found->x < (u64)value[at]) - (u64)(value[at] < 0);
                EACH_ORDER(ORDER)
#undef ORDER
            } else {
                i64 best = VISIT_GOAL == 3 ? ~value[0] : value[0], key;
                u32 where = 0;
#define ORDER(at, a, b, c)                                                                         \
    key = VISIT_GOAL == 3 ? ~value[at] : value[at];                                                \
    if (key < best) {                                                                              \
        best = key;                                                                                \
        where = at;                                                                                \
    }
                EACH_ORDER(ORDER)
#undef ORDER
                if (best < (i64)found->x || (best == (i64)found->x && rank6 + where < found->y)) {
                    found->x = (u64)best;
                    found->y = rank6 + where;
                }
            }
        }
        if (VISIT_GOAL != 1) continue;
        hits &= valid;
        found->hits += POPCOUNT(hits);
        if (!VISIT_LIST && hits) found->y += combgpu_visit_hash(rank / 24, hits);
        for (; hits && pass; hits &= hits - 1)
            combgpu_visit_add(tables, records, BINS, found, 1, rank + CTZ(hits), 1);
    }
}
#endif

/* A lane's run, from .. to-1, in the widest form that there is for it. */
VISITOR_PARAMETER DEVICE void combgpu_visit_run(GLOBAL const u32 *tables, GLOBAL u32 *records,
                                                BINS_PARAMETER, combgpu_found_t *found, u32 pass,
                                                u32 blocks, u64 from, u64 to)
{
    if (!blocks) {
        combgpu_member_t at;
        combgpu_set_unrank(tables, &at, from);
        for (; at.rank < to; combgpu_set_next(tables, &at))
            combgpu_visit_add(tables, records, BINS, found, pass, at.rank,
                              VISIT(at.perm, SET_LENGTH));
        return;
    }
#ifdef __CUDACC__
#define CASE(n)                                                                                    \
    case n:                                                                                        \
        combgpu_visit_blocks<Visitor, n>(tables, records, BINS, found, pass, from, to);            \
        break;
    switch (SET_N) {
        CASE(10)
        CASE(11)
        CASE(12)
        CASE(13)
        CASE(14)
        CASE(15)
        CASE(16)
    }
#undef CASE
#elif defined(VISIT_BLOCKS)
    combgpu_visit_blocks(tables, records, BINS, found, pass, from, to);
#endif
}

/* The length k! of a run for `count` ranks: as long as all lanes have one, at most `most`. */
DEVICE u32 combgpu_visit_length(u64 count, u32 most)
{
    u32 run = 1, k;
    for (k = 2; run * k <= most && (u64)run * k * BLOCK_LANES <= count; k++)
        run *= k;
    return run;
}

/* The lanes' findings become the block's. */
DEVICE void combgpu_visit_join(GLOBAL const u32 *tables, combgpu_found_t *found, u64 x, u64 y)
{
    if (VISIT_BEST) {
        if ((i64)x < (i64)found->x || (x == found->x && y < found->y)) {
            found->x = x;
            found->y = y;
        }
    } else {
        found->x += x;
        found->y += y + (u64)(VISIT_GOAL == 4 && found->x < x);
    }
}

VISITOR_PARAMETER KERNEL VISIT_BOUNDS combgpu_perm_visit(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 lane_words[2 * VISIT_LANES];
    LOCAL_ARRAY u32 bins[VISIT_LOCAL_BINS];
    LOCAL_ARRAY u32 shared_words[3]; /* decision of lane 0; hits of the turn; their first record */
    u32 list = (VISIT_GOAL == 1) & VISIT_LIST, best = VISIT_BEST;
#if defined(__CUDACC__) || defined(VISIT_BLOCKS)
    u32 fast = ((1u << SET_FAMILY) & (1u << SET_ALL | 1u << SET_CIRCULAR)) != 0 &
                     (u32)SET_N - 10 <= 6;
#else
    u32 fast = 0;
#endif
    u32 lanes = BLOCK_LANES, most = slice->budget / 4, i;
    u64 steps = 0, begin = 0, end = 0;
    combgpu_found_t found;
    found.x = best ? (u64)VISIT_LAST_KEY : 0;
    found.y = best ? ~(u64)0 : 0;
    for (i = LANE_ID; i < VISIT_LOCAL_BINS; i += BLOCK_LANES)
        bins[i] = 0;
    if (list && most > slice->record_capacity) most = slice->record_capacity;
    if (list && lanes > slice->record_capacity) lanes = slice->record_capacity;
    for (;;) {
        u64 turn_end, from, to;
        u32 total = 0, pass, run;
        if (LANE_ID == 0) {
            shared_words[0] = combgpu_spent(slice, (u32)steps) ? NONE
                              : begin == end                   ? combgpu_take(slice)
                                                               : 0;
            shared_words[1] = 0;
        }
        BLOCK_BARRIER();
        i = shared_words[0];
        BLOCK_BARRIER();
        if (i == NONE) break;
        if (begin == end) {
            begin = combgpu_load64(tasks + 4 * i);
            end = combgpu_load64(tasks + 4 * i + 2);
        }
        run = combgpu_visit_length(end - begin < most ? end - begin : most, fast ? 720 : 5040);
        turn_end = (begin / run + lanes) * run;
        if (turn_end > end) turn_end = end;
        from = (begin / run + LANE_ID) * run;
        to = from + run;
        if (from < begin) from = begin;
        if (to > turn_end) to = turn_end;
        /* A list takes two passes: when all hits of the turn have their records reserved, they are
           found again. (All barriers are outside of conditions: PoCL 3.1 made wrong code for some that
           were inside.) */
        for (pass = 0; pass < 2; pass++) {
            found.hits = 0;
            if (from < to && (!pass || (list && total)))
                combgpu_visit_run
#ifdef __CUDACC__
                    <Visitor>
#endif
                    (tables, records, work, bins, &found, pass, fast && run >= 24, from, to);
            if (!list) break;
            if (!pass && found.hits) found.at = LOCAL_ATOMIC_ADD(&shared_words[1], found.hits);
            BLOCK_BARRIER();
            total = shared_words[1];
            if (!pass && LANE_ID == 0)
                shared_words[2] = total ? ATOMIC_ADD(&slice->record_count, total) : 0;
            BLOCK_BARRIER();
            found.at += shared_words[2];
            if (total && shared_words[2] + total > slice->record_capacity) break;
        }
        if (total && shared_words[2] + total > slice->record_capacity) {
            /* no room: what is left of the buffer becomes no records, and the slice ends */
            for (i = shared_words[2] + LANE_ID; i < slice->record_capacity; i += BLOCK_LANES)
                combgpu_store64(records + 4 * i, ~(u64)0);
            if (LANE_ID == 0) ATOMIC_OR(&slice->stop, STOP_NOW);
            continue;
        }
        if (VISIT_GOAL == 1 && !list) found.x += found.hits;
        steps += turn_end - begin;
        begin = turn_end;
    }
    lane_words[2 * LANE_ID] = found.x;
    lane_words[2 * LANE_ID + 1] = found.y;
    BLOCK_BARRIER();
    if (VISIT_GOAL == 5 && VISIT_BINS <= VISIT_LOCAL_BINS)
        for (i = LANE_ID; i < VISIT_BINS; i += BLOCK_LANES)
            if (bins[i] && ATOMIC_ADD(work + 2 * i, bins[i]) + bins[i] < bins[i])
                ATOMIC_ADD(work + 2 * i + 1, 1);
    if (LANE_ID != 0) return;
    for (i = 1; i < BLOCK_LANES; i++)
        combgpu_visit_join(tables, &found, lane_words[2 * i], lane_words[2 * i + 1]);
    if (VISIT_GOAL == 4 || best) {
        combgpu_store64(work + 4 * BLOCK_ID, found.x);
        combgpu_store64(work + 4 * BLOCK_ID + 2, found.y);
    } else if (!list) {
        combgpu_add_total(slice, 1, found.x);
        combgpu_add_total(slice, 2, found.y);
    }
    combgpu_perm_give(slice, left, begin, end);
    combgpu_add_total(slice, 0, steps);
}
#undef VISIT_DATA
#undef VISIT_BINS
#undef VISIT_BEST
#undef VISIT_FIRST
#undef VISIT_WIDTH
#undef VISIT_LANES
#undef VISIT_LOCAL_BINS
#undef VISIT_LAST_KEY
#undef VISIT_BLOCKS
#undef VISITOR_PARAMETER
#undef VISITOR_N_PARAMETER
#undef VISIT
#undef VISIT_BOUNDS
#undef BINS_PARAMETER
#undef BINS
#undef EACH_ORDER
#ifndef __CUDACC__
#undef N
#endif
#endif /* visitor */
#undef SET_FAMILY
#undef VISIT_GOAL
#undef VISIT_LIST
#undef SET_N
#undef SET_K
#undef SET_LENGTH
#undef SET_COUNT
#undef SET_REPEATS
#undef SET_DERANGEMENTS
#undef SET_ALL
#undef SET_PARTIAL
#undef SET_MULTISET
#undef SET_DERANGEMENT
#undef SET_COMBINATION
#undef SET_GRAY
#undef SET_CYCLE
#undef SET_CIRCULAR
#undef SET_MOST
#undef SET_FREE
#undef SET_PARAMETERS
#undef SET_CHUNK
#undef SET_STAGE
#undef SET_DIRECT
#undef SET_FIRST
#undef SET_OFFSET
#undef SET_SHAPES
#undef SET_ORDERS
#undef SET_RECIPROCALS
#undef SET_TAIL
#undef PERM_N
#undef PERM_ORDERS
#undef PERM_VECTORS
#undef PERM_AREA
#undef PERM_TASK_GROUPS
#undef PERM_WINDOW
#undef PERM_ITEM_BYTES
#undef PERM_SHIFT
#undef PERM_UNITS
#undef PERM_PERIOD
#undef PERM_PREFIX
#undef PERM_FIRST
#undef PERM_OFFSET
#undef PERM_BASE
#undef PERM_DIVISORS
#undef PERM_ITEMS
#undef PERM_PATTERN
#undef PERM_PIECE_GROUPS
#undef PERM_PREPARED
#undef PERM_LANES
#undef PERM_WRITE_LANES
#undef PERM_PLACES
#undef PERM_PLACES128

#endif /* PERM */

/* ---------------------------------------------------------------------------------- TSP */
#if defined(COMBGPU_KERNELS_TSP) || defined(COMBGPU__HAS_TSP)
/* What is searched, and what the tables hold: combgpu.h, SECTION 50. Costs are u64 here. */
#define TSP_MOST 32 /* stride of the tables */
#define TSP_M (tables[0])
#define TSP_FIRST ((GLOBAL const u64 *)(tables + 8))
#define TSP_LAST (TSP_FIRST + TSP_MOST)
#define TSP_LEGS (TSP_LAST + TSP_MOST)
#define TSP_BINOMIALS (tables + 8 + 2 * TSP_MOST * (TSP_MOST + 2))
#define TSP_FAR(wide) ((u64)1 << ((wide) ? 62 : 30)) /* more than any path costs */

DEVICE u64 tsp_min(u64 x, u64 y)
{
    return y < x ? y : x;
}

/* ---- brute force: a block is a worker, a lane takes a prefix at a time */
#define TSP_LANES 128
#define TSP_SIDE 16 /* middle cities at most */

/* Prefix `number` as a list of cities, 4 bits each, first city lowest; *rest gets the other cities
   in ascending order. Its digits, the last first, are the number in the bases m-depth+1 .. m. */
DEVICE u64 tsp_unrank(u32 m, u32 depth, u64 number, u64 *rest)
{
    u64 digits = 0, cities = ((u64)0xfedcba98u << 32) + 0x76543210u, prefix = 0;
    u32 i;
    for (i = depth; i-- > 0;) {
        u64 quotient = number >> 32 ? number / (m - i) : (u64)((u32)number / (m - i));
        digits |= (number - quotient * (m - i)) << 4 * i;
        number = quotient;
    }
    for (i = 0; i < depth; i++) {
        u32 at = 4 * (u32)(digits >> 4 * i & 15);
        u64 below = ((u64)1 << at) - 1;
        prefix |= (cities >> at & 15) << 4 * i;
        cities = (cities & below) | (cities >> 4 & ~below);
    }
    *rest = cities;
    return prefix;
}

/* The last cities that a prefix may have: all of its six others, or without direction those after
   its first city. A bit each. */
DEVICE u32 tsp_lasts(u32 reversible, u64 prefix, u64 rest)
{
    u32 i, lasts = 0;
    for (i = 0; i < 6; i++)
        if (!reversible || (rest >> 4 * i & 15) > (prefix & 15)) lasts |= 1u << i;
    return lasts;
}

/* The shorter of `best` and the 12 tours that visit cities i and j, in either order, and then a, b
   and c, in any. enter, legs and leave are of five cities, and the indices are constants, so that
   all of this is in registers. */
DEVICE u64 tsp_pair(u64 best, const u64 *enter, const u64 *legs, const u64 *leave, u32 i, u32 j,
                    u32 a, u32 b, u32 c)
{
    u64 abc = legs[5 * a + b] + (legs[5 * b + c] + leave[c]);
    u64 acb = legs[5 * a + c] + (legs[5 * c + b] + leave[b]);
    u64 bac = legs[5 * b + a] + (legs[5 * a + c] + leave[c]);
    u64 bca = legs[5 * b + c] + (legs[5 * c + a] + leave[a]);
    u64 cab = legs[5 * c + a] + (legs[5 * a + b] + leave[b]);
    u64 cba = legs[5 * c + b] + (legs[5 * b + a] + leave[a]);
    u64 ij = enter[i] + legs[5 * i + j], ji = enter[j] + legs[5 * j + i], sum;
    sum = ij + legs[5 * j + a];
    best = tsp_min(tsp_min(best, sum + abc), sum + acb);
    sum = ij + legs[5 * j + b];
    best = tsp_min(tsp_min(best, sum + bac), sum + bca);
    sum = ij + legs[5 * j + c];
    best = tsp_min(tsp_min(best, sum + cab), sum + cba);
    sum = ji + legs[5 * i + a];
    best = tsp_min(tsp_min(best, sum + abc), sum + acb);
    sum = ji + legs[5 * i + b];
    best = tsp_min(tsp_min(best, sum + bac), sum + bca);
    sum = ji + legs[5 * i + c];
    return tsp_min(tsp_min(best, sum + cab), sum + cba);
}

/* The shortest of the 120 tours that go on from city `from`, at the cost `sum` so far, through the
   five cities of `between` to the city `end`. */
DEVICE u64 tsp_five(LOCAL const u64 *all_legs, u64 sum, u32 from, u64 between, u32 end,
                    u64 last)
{
    u64 enter[5], legs[25], leave[5], best = ~(u64)0;
    u32 i, j;
#pragma unroll
    for (i = 0; i < 5; i++) {
        u32 city = (u32)(between >> 4 * i & 15);
        enter[i] = sum + all_legs[from * TSP_SIDE + city];
        leave[i] = all_legs[city * TSP_SIDE + end] + last;
#pragma unroll
        for (j = 0; j < 5; j++)
            legs[5 * i + j] = all_legs[city * TSP_SIDE + (u32)(between >> 4 * j & 15)];
    }
    best = tsp_pair(best, enter, legs, leave, 0, 1, 2, 3, 4);
    best = tsp_pair(best, enter, legs, leave, 0, 2, 1, 3, 4);
    best = tsp_pair(best, enter, legs, leave, 0, 3, 1, 2, 4);
    best = tsp_pair(best, enter, legs, leave, 0, 4, 1, 2, 3);
    best = tsp_pair(best, enter, legs, leave, 1, 2, 0, 3, 4);
    best = tsp_pair(best, enter, legs, leave, 1, 3, 0, 2, 4);
    best = tsp_pair(best, enter, legs, leave, 1, 4, 0, 2, 3);
    best = tsp_pair(best, enter, legs, leave, 2, 3, 0, 1, 4);
    best = tsp_pair(best, enter, legs, leave, 2, 4, 0, 1, 3);
    return tsp_pair(best, enter, legs, leave, 3, 4, 0, 1, 2);
}

/* What a lane, and at last the block, has found. */
typedef struct tsp_found_t {
    u64 length, prefix, tours, hash;
} tsp_found_t;

/* All tours with prefix `number`: at least one, unless `found` stays as it is. */
DEVICE void tsp_prefix(GLOBAL const u32 *tables, LOCAL const u64 *first, LOCAL const u64 *last,
                       LOCAL const u64 *legs, u64 number, tsp_found_t *found)
{
    u64 rest, prefix = tsp_unrank(TSP_M, tables[1], number, &rest), sum, best = ~(u64)0;
    u32 from = (u32)(prefix & 15), lasts = tsp_lasts(tables[2], prefix, rest), i;
    if (!lasts) return;
    sum = first[from];
    for (i = 1; i < tables[1]; i++) {
        u32 to = (u32)(prefix >> 4 * i & 15);
        sum += legs[from * TSP_SIDE + to];
        from = to;
    }
    found->tours += 120 * POPCOUNT(lasts);
    for (; lasts; lasts &= lasts - 1) {
        u32 at = 4 * CTZ(lasts), end = (u32)(rest >> at & 15);
        u64 below = ((u64)1 << at) - 1;
        best = tsp_min(best, tsp_five(legs, sum, from, (rest & below) | (rest >> 4 & ~below), end,
                                      last[end]));
    }
    found->hash += combgpu_mix(combgpu_mix(number) + best);
    if (best < found->length || (best == found->length && number < found->prefix)) {
        found->length = best;
        found->prefix = number;
    }
}

/* Lane 0's end of a slice: a record of the block's best, and its totals. */
DEVICE void tsp_brute_end(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,
                          GLOBAL u32 *left, GLOBAL u32 *records, LOCAL const tsp_found_t *lanes)
{
    tsp_found_t found = lanes[0];
    u32 i, at;
    for (i = 1; i < TSP_LANES; i++) {
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
    if (at != NONE) {
        combgpu_store64(records + 4 * (u64)at, found.length);
        combgpu_store64(records + 4 * (u64)at + 2, found.prefix);
    } else { /* no room: this prefix comes again, and must not have counted */
        u64 rest, prefix = tsp_unrank(TSP_M, tables[1], found.prefix, &rest);
        found.tours -= 120 * POPCOUNT(tsp_lasts(tables[2], prefix, rest));
        found.hash -= combgpu_mix(combgpu_mix(found.prefix) + found.length);
        combgpu_give_range(slice, left, found.prefix, found.prefix + 1);
    }
    combgpu_add_total(slice, 0, found.tours);
    combgpu_add_total(slice, 1, found.hash);
}

KERNEL combgpu_tsp_brute(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 first[TSP_SIDE], last[TSP_SIDE], legs[TSP_SIDE * TSP_SIDE];
    LOCAL_ARRAY tsp_found_t lanes[TSP_LANES];
    LOCAL_ARRAY u32 task, go_on;
    tsp_found_t found = {~(u64)0, 0, 0, 0};
    u32 steps = 0, i; /* steps: as if every prefix had all of its tours */
    (void)work;
    for (i = LANE_ID; i < TSP_SIDE * TSP_SIDE; i += TSP_LANES) {
        legs[i] = TSP_LEGS[i / TSP_SIDE * TSP_MOST + i % TSP_SIDE];
        if (i < TSP_SIDE) {
            first[i] = TSP_FIRST[i];
            last[i] = TSP_LAST[i];
        }
    }
    for (;;) {
        u64 number, end;
        BLOCK_BARRIER();
        if (LANE_ID == 0)
            task = combgpu_spent(slice, steps) ? NONE : combgpu_take(slice);
        BLOCK_BARRIER();
        if (task == NONE) break;
        number = combgpu_load64(tasks + 4 * (u64)task);
        end = combgpu_load64(tasks + 4 * (u64)task + 2);
        for (; number < end; number += TSP_LANES) {
            BLOCK_BARRIER();
            if (LANE_ID == 0) go_on = !combgpu_spent(slice, steps);
            BLOCK_BARRIER();
            if (!go_on) break;
            if (number + LANE_ID < end)
                tsp_prefix(tables, first, last, legs, number + LANE_ID, &found);
            steps += 720 * TSP_LANES;
        }
        if (number < end && LANE_ID == 0) combgpu_give_range(slice, left, number, end);
    }
    lanes[LANE_ID] = found;
    BLOCK_BARRIER();
    if (LANE_ID == 0) tsp_brute_end(slice, tables, left, records, lanes);
}

/* ---- Held-Karp: a block of 32 lanes does a block of the table, a lane for each entry of a row */
#define TSP_LOW_MOST 5

DEVICE u64 tsp_load(GLOBAL const u32 *work, u32 wide, u64 at)
{
    return wide ? ((GLOBAL const u64 *)work)[at] : (u64)work[at];
}

DEVICE void tsp_store(GLOBAL u32 *work, u32 wide, u64 at, u64 cost)
{
    if (wide)
        ((GLOBAL u64 *)work)[at] = cost;
    else
        work[at] = (u32)cost;
}

/* Where row (c, set) begins; c is one of the `high` cities, not in the set. */
DEVICE u64 tsp_row(u32 high, u32 c, u32 set)
{
    u32 below = set & ((1u << c) - 1);
    return (((u64)c << (high - 1)) + ((set ^ below) >> 1) + below) * 32;
}

/* Set number `position` of those with `size` of the high cities, in ascending order. */
DEVICE u32 tsp_set_at(GLOBAL const u32 *tables, u32 high, u32 size, u32 position)
{
    u32 i, set = 0;
    for (i = high; i-- > 0 && size;) {
        u32 without = TSP_BINOMIALS[i * TSP_MOST + size];
        if (position < without) continue;
        position -= without;
        set |= 1u << i;
        size--;
    }
    return set;
}

/* The cheapest way on from city c, in this lane's entry: through one of `cities`, whose rows are in
   rows[city * 32 + lane], or, if there is none to visit, straight to the end. */
DEVICE u64 tsp_minplus(GLOBAL const u32 *tables, LOCAL const u64 *rows, u32 c, u32 cities,
                       u64 cost)
{
    GLOBAL const u64 *legs = TSP_LEGS + c * TSP_MOST;
    for (; cities; cities &= cities - 1) {
        u32 i = CTZ(cities);
        cost = tsp_min(cost, legs[i] + rows[i * 32 + LANE_ID]);
    }
    return cost;
}

/* Loads the rows of the high cities i in `set`, of f(i, set without i), and computes low[c * 32 +
   subset] = f(c, set + subset) of the low cities: smaller subsets first, for they build on each
   other. */
DEVICE void tsp_low(GLOBAL const u32 *tables, GLOBAL const u32 *work, u32 set, LOCAL u64 *rows,
                    LOCAL u64 *low)
{
    u32 high = tables[1], wide = tables[3], lows = tables[4], subset = LANE_ID, rest, c, i, size;
    u64 far = TSP_FAR(wide);
    BLOCK_BARRIER(); /* nobody reads `low` any more */
    for (rest = set; rest; rest &= rest - 1) {
        i = CTZ(rest);
        rows[(lows + i) * 32 + subset] =
            tsp_load(work, wide, tsp_row(high, i, set ^ 1u << i) + subset);
    }
    for (c = 0; c < lows; c++)
        low[c * 32 + subset] =
            tsp_minplus(tables, rows, c, set << lows, set || subset ? far : TSP_LAST[c]);
    for (size = 1; size <= lows; size++) {
        BLOCK_BARRIER();
        if (POPCOUNT(subset) == size && !(subset >> lows))
            for (c = 0; c < lows; c++)
                if (!(subset >> c & 1)) {
                    u64 cost = low[c * 32 + subset];
                    for (rest = subset; rest; rest &= rest - 1) {
                        i = CTZ(rest);
                        cost = tsp_min(cost, TSP_LEGS[c * TSP_MOST + i] +
                                                 low[i * 32 + (subset ^ 1u << i)]);
                    }
                    low[c * 32 + subset] = cost;
                }
    }
    BLOCK_BARRIER();
}

/* The rest of a block: the rows of all high cities that are not in `set`. */
DEVICE void tsp_block(GLOBAL const u32 *tables, GLOBAL u32 *work, u32 set, LOCAL u64 *rows,
                      LOCAL const u64 *low)
{
    u32 high = tables[1], wide = tables[3], lows = tables[4], subset = LANE_ID, rest, i;
    u64 far = TSP_FAR(wide);
    for (i = 0; i < lows; i++)
        rows[i * 32 + subset] = subset >> i & 1 ? low[i * 32 + (subset ^ 1u << i)] : far;
    for (rest = ((1u << high) - 1) & ~set; rest; rest &= rest - 1) {
        u32 c = CTZ(rest);
        u64 cost = tsp_minplus(tables, rows, lows + c, set << lows | ((1u << lows) - 1),
                               set || subset ? far : TSP_LAST[lows + c]);
        tsp_store(work, wide, tsp_row(high, c, set) + subset, cost);
    }
}

/* The cheapest way on, through all cities in `rest`, that goes to this lane's city first. The way
   so far ends with city `before`; NONE = it is at its start. */
DEVICE u64 tsp_try(GLOBAL const u32 *tables, GLOBAL const u32 *work, u32 rest, u32 before,
                   LOCAL const u64 *low)
{
    u32 high = tables[1], wide = tables[3], lows = tables[4], c = LANE_ID;
    u32 set = rest >> lows, subset = rest & ((1u << lows) - 1);
    u64 cost;
    if (c >= TSP_M || !(rest >> c & 1)) return TSP_FAR(1);
    cost = before == NONE ? TSP_FIRST[c] : TSP_LEGS[before * TSP_MOST + c];
    if (c < lows) return cost + low[c * 32 + (subset ^ 1u << c)];
    return cost +
           tsp_load(work, wide, tsp_row(high, c - lows, set ^ 1u << (c - lows)) + subset);
}

/* There is one task, {layer, position}: all workers do the next blocks of that layer, and worker 0
   gives back what follows. When all layers are done it reads the smallest optimal order off the
   table, from its start: each city is the first that attains the minimum.

   Both share one loop and its barriers: PoCL 3.1 goes wrong with barriers in two branches. */
KERNEL combgpu_tsp_table(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 rows[(TSP_MOST - 1) * 32], low[TSP_LOW_MOST * 32], tried[32];
    u32 m = TSP_M, high = tables[1], lows = tables[4], layer = tasks[0], position = tasks[1];
    u32 blocks = TSP_BINOMIALS[high * TSP_MOST + layer] - position, reading = layer == high;
    u64 steps = ((u64)(m - layer) << lows) - (((u64)lows << lows) >> 1);
    u64 may = (u64)slice->budget * slice->workers / steps;
    u32 rest = (1u << m) - 1, before = NONE, word = 0, mine = BLOCK_ID == 0 && LANE_ID == 0;
    u32 rounds, round, i;
    if (may < blocks) blocks = may ? (u32)may : 1;
    rounds = reading ? (BLOCK_ID ? 0 : m)
                     : (blocks + BLOCK_COUNT - 1 - BLOCK_ID) / BLOCK_COUNT; /* this worker's share */
    for (round = 0; round < rounds; round++) {
        u32 set = reading ? rest >> lows
                          : tsp_set_at(tables, high, layer,
                                       position + BLOCK_ID + round * BLOCK_COUNT);
        tsp_low(tables, work, set, rows, low);
        if (!reading) tsp_block(tables, work, set, rows, low);
        tried[LANE_ID] = reading ? tsp_try(tables, work, rest, before, low) : 0;
        BLOCK_BARRIER();
        if (reading) {
            u32 chosen = 0;
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
        combgpu_emit(slice); /* the only record ever: number 0 */
        return;
    }
    i = combgpu_give(slice) * slice->task_words;
    position += blocks;
    left[i] = position < TSP_BINOMIALS[high * TSP_MOST + layer] ? layer : layer + 1;
    left[i + 1] = left[i] == layer ? position : 0;
    left[i + 2] = left[i + 3] = 0;
}

/* ---- batches: a block solves an instance at a time, a lane takes a set of a layer at a time */
#define TSP_BATCH_LANES 128
#define TSP_BATCH_MOST 15 /* middle cities at most */

/* What lane 0 keeps for the block. */
typedef struct tsp_batch_t {
    u32 number, end; /* the rest of the range that was taken */
    u32 instance;    /* the one being solved; NONE at the start and at the end */
    u32 m;           /* its middle cities */
    u64 length, order, steps, hash;
} tsp_batch_t;

/* Lane 0: hands out what was found, and takes the next instance of its range, or of a new one. When
   the slice is over what is left of the range is given back. */
DEVICE void tsp_batch_next(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tasks, GLOBAL u32 *left,
                           GLOBAL u32 *records, LOCAL tsp_batch_t *batch)
{
    u32 at = batch->instance == NONE ? NONE : combgpu_emit(slice);
    if (at != NONE) {
        combgpu_store64(records + 6 * (u64)at, batch->instance);
        combgpu_store64(records + 6 * (u64)at + 2, batch->length);
        combgpu_store64(records + 6 * (u64)at + 4, batch->order);
        batch->steps += batch->m << batch->m >> 1;
        batch->hash += combgpu_mix(combgpu_mix(combgpu_mix(batch->instance) + batch->length) + batch->order);
    } else if (batch->instance != NONE) {
        batch->number--; /* it comes again, and must not count */
    }
    batch->instance = NONE;
    batch->length = batch->order = 0;
    at = combgpu_spent(slice, (u32)batch->steps);
    if (at && batch->number < batch->end) {
        combgpu_give_range(slice, left, batch->number, batch->end);
        return;
    }
    if (at) return;
    if (batch->number == batch->end) {
        at = combgpu_take(slice);
        if (at == NONE) return;
        batch->number = tasks[4 * at];
        batch->end = tasks[4 * at + 2];
    }
    batch->instance = batch->number++;
}

/* Where f(c, set) is in the table of m cities; c is not in the set. */
DEVICE u32 tsp_batch_place(u32 m, u32 c, u32 set)
{
    u32 below = set & ((1u << c) - 1);
    return (c << (m - 1)) + (((set ^ below) >> 1) + below);
}

/* f(c, set) for all c that are not in the set: the cheapest way from c through one of its members,
   whose entries are read once. Indices are constants, so that `row` is in registers. */
DEVICE void tsp_batch_set(LOCAL const u64 *costs, u32 most, u32 m, GLOBAL u32 *table, u32 wide,
                          u32 set)
{
    LOCAL const u64 *last = costs + most, *legs = last + most;
    u64 row[TSP_BATCH_MOST];
    u32 i, c;
#pragma unroll
    for (i = 0; i < TSP_BATCH_MOST; i++) {
        row[i] = TSP_FAR(1);
        if (set >> i & 1) row[i] = tsp_load(table, wide, tsp_batch_place(m, i, set ^ 1u << i));
    }
    for (c = 0; c < m; c++) {
        u64 cost = set ? TSP_FAR(1) : last[c];
        if (set >> c & 1) continue;
#pragma unroll
        for (i = 0; i < TSP_BATCH_MOST; i++)
            if (i < most) cost = tsp_min(cost, legs[c * most + i] + row[i]);
        tsp_store(table, wide, tsp_batch_place(m, c, set), cost);
    }
}

/* Lane c's city as the next one of the order: what the rest then costs. */
DEVICE u64 tsp_batch_try(LOCAL const u64 *costs, u32 most, u32 m, GLOBAL const u32 *table, u32 wide,
                         u32 rest, u32 before, u32 c)
{
    if (c >= m || !(rest >> c & 1)) return TSP_FAR(1) << 1;
    return (before == NONE ? costs[c] : costs[(2 + before) * most + c]) +
           tsp_load(table, wide, tsp_batch_place(m, c, rest ^ 1u << c));
}

/* One loop for both halves of an instance: PoCL 3.1 goes wrong with barriers in two of them. */
KERNEL combgpu_tsp_batched(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 costs[TSP_BATCH_MOST * (TSP_BATCH_MOST + 2)], tried[16];
    LOCAL_ARRAY tsp_batch_t batch;
    u32 most = tables[0], wide = tables[1], all = most * (most + 2);
    u64 words = ((u64)(most << most) / 2 + 2) / 2 * 2 * (1 + wide);
    GLOBAL u32 *table = work + BLOCK_ID * words;
    if (LANE_ID == 0) {
        batch.number = batch.end = 0;
        batch.instance = NONE;
        batch.steps = batch.hash = 0;
    }
    for (;;) {
        GLOBAL const u32 *numbers, *subsets;
        u32 i, m, round, size = 1, rest, before = NONE;
        BLOCK_BARRIER();
        if (LANE_ID == 0) tsp_batch_next(slice, tasks, left, records, &batch);
        BLOCK_BARRIER();
        if (batch.instance == NONE) break;
        numbers = tables + 8 + (2u << most) + (u64)batch.instance * (1 + all) * (1 + wide);
        m = numbers[0];
        subsets = tables + 8 + (1u << m);
        rest = (1u << m) - 1;
        for (i = LANE_ID; i < all; i += TSP_BATCH_LANES)
            costs[i] = tsp_load(numbers, wide, 1 + i);
        if (LANE_ID == 0) {
            batch.m = m;
            if (!m && most) batch.length = costs[0];
        }
        for (round = 0; round < 2 * m; round++) { /* the layers, then the places of the order */
            u32 chosen = 0;
            BLOCK_BARRIER();
            if (round < m) {
                for (i = LANE_ID; i < size; i += TSP_BATCH_LANES)
                    tsp_batch_set(costs, most, m, table, wide, subsets[i]);
                subsets += size;
                size = size * (m - round) / (round + 1);
            } else if (LANE_ID < 16) {
                tried[LANE_ID] =
                    tsp_batch_try(costs, most, m, table, wide, rest, before, LANE_ID);
            }
            BLOCK_BARRIER();
            if (round < m) continue;
            for (i = 1; i < m; i++)
                if (tried[i] < tried[chosen]) chosen = i;
            if (LANE_ID == 0) {
                if (round == m) batch.length = tried[chosen];
                batch.order |= (u64)chosen << 4 * (round - m);
            }
            rest ^= 1u << chosen;
            before = chosen;
        }
    }
    if (LANE_ID == 0 && (batch.steps || batch.hash)) {
        combgpu_add_total(slice, 0, batch.steps);
        combgpu_add_total(slice, 1, batch.hash);
    }
}

#undef TSP_BATCH_LANES
#undef TSP_BATCH_MOST
#undef TSP_MOST
#undef TSP_M
#undef TSP_FIRST
#undef TSP_LAST
#undef TSP_LEGS
#undef TSP_BINOMIALS
#undef TSP_FAR
#undef TSP_LANES
#undef TSP_SIDE
#undef TSP_LOW_MOST

#endif /* TSP */

/* ------------------------------------------------------------------------------- BRANCH */
#if defined(COMBGPU_KERNELS_BRANCH) || defined(COMBGPU__HAS_TSP)
/* Branch and bound for the travelling salesman (combgpu.h, SECTION 51): 32 lanes work on a node of
   the search tree. Results do not depend on the order of the lanes: of edges of equal cost the one
   with the smaller number counts as cheaper, so that every minimum tree is unique, and what follows
   from fixed edges is a closure. The C solver keeps the same rules: both make the same 1-trees. */
#define BRANCH_LANES 32u
#define BRANCH_STACK 64u /* open nodes of a worker */
#define BRANCH_FORCE ((i64)1 << 58)
#define BRANCH_INFINITE (~((i64)1 << 63))
#define BRANCH_MULTIPLIER ((i64)1 << 51)
#define BRANCH_OUTSIDE 0xffffu /* rank of a node that is not in the tree, edge of one not reached */
#define BRANCH_FREE 0u
#define BRANCH_FORBIDDEN 1u
#define BRANCH_FORCED 2u
/* what a worker does next: a new node; the ascent; fixing edges with the tree of the ascent's best
   multipliers; a last tree after the last fixing */
#define BRANCH_NEW 0u
#define BRANCH_ASCENT 1u
#define BRANCH_FIX 2u
#define BRANCH_LAST 3u

/* The graph, the worker's memory, and the fixing of edges, which lane 0 does alone. */
typedef struct branch_t {
    GLOBAL const u32 *tables;
    u32 nodes, edges;
    GLOBAL const u32 *ends, *begin, *incident; /* begin[node]: its edges in `incident` */
    GLOBAL const i64 *weights;
    GLOBAL i64 *best; /* multipliers */
    GLOBAL u32 *arcs; /* at begin[node]: node, edge << 9, forced << 31 */
    GLOBAL u8 *marks; /* of the edges */
    GLOBAL u32 *stack;
    LOCAL i64 *now, *key; /* multipliers; cost of the edge to the parent */
    LOCAL u32 *degree, *open, *flag;
    LOCAL u16 *parent, *parent_edge, *rank; /* of the tree, from node 0 */
    LOCAL u16 *forced, *other_end, *queue, *list;
    LOCAL u32 *counts; /* of queue, list */
#ifndef COMBGPU_SHUFFLE
    LOCAL i64 *lane_x;
    LOCAL u32 *lane_y;
#endif
    u32 fixed, forced_count;
} branch_t;

DEVICE i64 branch_cost(const branch_t *b, u32 edge)
{
    return b->weights[edge] + b->now[b->ends[edge] & 0xffff] + b->now[b->ends[edge] >> 16];
}

/* branch_least: the smallest (x, y) of the group, in all its lanes; branch_sum: the sum. */
#ifdef COMBGPU_SHUFFLE
DEVICE void branch_least(GROUP_PARAMETER, const branch_t *b, i64 *x, u32 *y)
{
    u64 bits = (u64)*x ^ (u64)1 << 63;
    u32 high = (u32)(bits >> 32), low = (u32)bits;
    u32 least_high = GROUP_MIN(high), least_low = GROUP_MIN(high == least_high ? low : NONE);
    (void)b;
    *y = GROUP_MIN(high == least_high && low == least_low ? *y : NONE);
    *x = (i64)(((u64)least_high << 32 | least_low) ^ (u64)1 << 63);
}

DEVICE i64 branch_sum(GROUP_PARAMETER, const branch_t *b, i64 x)
{
    u64 bits = (u64)x;
    u64 low = GROUP_ADD((u32)bits & 0xffffff), middle = GROUP_ADD((u32)(bits >> 24) & 0xffffff);
    u64 high = GROUP_ADD((u32)(bits >> 48));
    (void)b;
    return (i64)(low + (middle << 24) + (high << 48));
}
#else /* fewer barriers: PoCL takes long to compile each */
DEVICE void branch_least(GROUP_PARAMETER, const branch_t *b, i64 *x, u32 *y)
{
    u32 i;
    b->lane_x[GROUP_LANE] = *x;
    b->lane_y[GROUP_LANE] = *y;
    CREW_BARRIER();
    for (i = 0; i < BRANCH_LANES; i++)
        if (b->lane_x[i] < *x || (b->lane_x[i] == *x && b->lane_y[i] < *y)) {
            *x = b->lane_x[i];
            *y = b->lane_y[i];
        }
    CREW_BARRIER();
}

DEVICE i64 branch_sum(GROUP_PARAMETER, const branch_t *b, i64 x)
{
    u32 i;
    b->lane_x[GROUP_LANE] = x;
    CREW_BARRIER();
    for (i = 0, x = 0; i < BRANCH_LANES; i++)
        x += b->lane_x[i];
    CREW_BARRIER();
    return x;
}
#endif

/* ---- forced and forbidden edges and what follows; 0 = no tour is left. By lane 0. */

DEVICE void branch_touch(const branch_t *b, u32 node)
{
    if (b->flag[node]) return;
    b->flag[node] = 1;
    b->queue[b->counts[0]++] = (u16)node;
}

DEVICE u32 branch_forbid(branch_t *b, u32 edge)
{
    u32 ends = b->ends[edge], u = ends & 0xffff, v = ends >> 16;
    if (b->marks[edge] == BRANCH_FORBIDDEN) return 1;
    if (b->marks[edge] == BRANCH_FORCED) return 0;
    b->marks[edge] = (u8)BRANCH_FORBIDDEN;
    b->fixed++;
    branch_touch(b, u);
    branch_touch(b, v);
    b->open[u]--;
    b->open[v]--;
    return b->open[u] >= 2 && b->open[v] >= 2;
}

/* Enters a forced edge; the one that would close its path too early is forbidden. */
DEVICE u32 branch_join(branch_t *b, u32 edge)
{
    u32 ends = b->ends[edge], u = ends & 0xffff, v = ends >> 16, p, q, i;
    if (b->forced[u] == 2 || b->forced[v] == 2) return 0;
    b->forced[u]++;
    b->forced[v]++;
    b->forced_count++;
    branch_touch(b, u);
    branch_touch(b, v);
    p = b->other_end[u];
    q = b->other_end[v];
    if (p == v) return b->forced_count == b->nodes;
    b->other_end[p] = (u16)q;
    b->other_end[q] = (u16)p;
    if (b->forced_count == b->nodes - 1) return 1;
    for (i = b->begin[p]; i < b->begin[p + 1]; i++) {
        u32 closing = b->incident[i], other = b->ends[closing];
        if ((other & 0xffff) + (other >> 16) == p + q && b->marks[closing] == BRANCH_FREE)
            return branch_forbid(b, closing);
    }
    return 1;
}

DEVICE u32 branch_force(branch_t *b, u32 edge)
{
    if (b->marks[edge] != BRANCH_FREE) return b->marks[edge] == BRANCH_FORCED;
    b->marks[edge] = (u8)BRANCH_FORCED;
    b->fixed++;
    return branch_join(b, edge);
}

/* Takes in the edges of the list, forced before (`fresh`) or now, and then all that follows: a node
   with two forced edges needs no other, one with two edges left needs both. */
DEVICE u32 branch_settle(branch_t *b, u32 fresh)
{
    u32 fine = 1, i;
    for (i = 0; fine && i < b->counts[1]; i++)
        fine = fresh ? branch_join(b, b->list[i]) : branch_force(b, b->list[i]);
    while (fine && b->counts[0]) {
        u32 node = b->queue[--b->counts[0]], force = b->open[node] == 2;
        b->flag[node] = 0;
        if (b->open[node] == b->forced[node] || (!force && b->forced[node] < 2)) continue;
        for (i = b->begin[node]; fine && i < b->begin[node + 1]; i++) {
            u32 edge = b->incident[i];
            if (b->marks[edge] != BRANCH_FREE) continue;
            fine = force ? branch_force(b, edge) : branch_forbid(b, edge);
        }
    }
    return fine;
}

/* ---- phases of a worker's round, by all lanes; barriers between them are the caller's */

/* Multipliers and marks from a task. */
DEVICE void branch_unpack(GROUP_PARAMETER, const branch_t *b, GLOBAL const u32 *task)
{
    u32 i;
    for (i = GROUP_LANE; i < b->nodes; i += BRANCH_LANES)
        b->now[i] = (i64)combgpu_load64(task + 4 + 2 * i);
    task += 4 + 2 * b->nodes;
    for (i = GROUP_LANE; i < b->edges; i += BRANCH_LANES)
        b->marks[i] = (u8)((task[i / 16] >> (i % 16 * 2)) & 3);
}

/* Degrees of the nodes without the forced edges, which are listed. Returns 0 if that is too many. */
DEVICE u32 branch_degrees(GROUP_PARAMETER, const branch_t *b)
{
    u32 fine = 1, v, i;
    for (v = GROUP_LANE; v < b->nodes; v += BRANCH_LANES) {
        u32 open = 0;
        for (i = b->begin[v]; i < b->begin[v + 1]; i++)
            open += b->marks[b->incident[i]] != BRANCH_FORBIDDEN;
        b->open[v] = open;
        b->forced[v] = 0;
        b->other_end[v] = (u16)v;
    }
    for (i = GROUP_LANE; i < b->edges; i += BRANCH_LANES)
        if (b->marks[i] == BRANCH_FORCED) {
            u32 at = LOCAL_ATOMIC_ADD(b->counts + 1, 1);
            if (at < b->nodes)
                b->list[at] = (u16)i;
            else
                fine = 0;
        }
    return fine;
}

/* Queues the nodes whose last two edges are not all forced. Returns 0 if one has less than two. */
DEVICE u32 branch_queue(GROUP_PARAMETER, const branch_t *b)
{
    u32 fine = 1, v;
    for (v = GROUP_LANE; v < b->nodes; v += BRANCH_LANES) {
        u32 need = b->open[v] == 2 && b->forced[v] < 2;
        if (b->open[v] < 2) fine = 0;
        if (need) b->queue[LOCAL_ATOMIC_ADD(b->counts, 1)] = (u16)v;
        b->flag[v] = need;
    }
    return fine;
}

/* Lists the edges that are not forbidden, node by node. */
DEVICE void branch_arcs(GROUP_PARAMETER, const branch_t *b)
{
    u32 v, i;
    for (v = GROUP_LANE; v < b->nodes; v += BRANCH_LANES) {
        u32 at = b->begin[v], end = b->begin[v + 1];
        for (i = at; i < end; i++) {
            u32 edge = b->incident[i], mark = b->marks[edge], ends = b->ends[edge];
            if (mark != BRANCH_FORBIDDEN)
                b->arcs[at++] = (ends & 0xffff) + (ends >> 16) - v + (edge << 9) +
                                (mark == BRANCH_FORCED ? 1u << 31 : 0);
        }
    }
}

/* The minimum spanning tree (R. C. Prim, 1957) from node 0 if `run` is set. Returns its cost, or
   infinity; *first gets node 0's first child. Barriers stand outside of conditions. */
DEVICE i64 branch_spanning_tree(GROUP_PARAMETER, const branch_t *b, u32 rows, u32 run, u32 *first)
{
    i64 total = 0;
    u32 node = 0, outside = 0, count = run ? b->nodes : 0, i, k;
    for (k = 0; k < rows; k++) {
        u32 v = GROUP_LANE + k * BRANCH_LANES;
        if (v >= b->nodes || !run) continue;
        outside |= 1u << k;
        b->key[v] = BRANCH_INFINITE;
        b->rank[v] = BRANCH_OUTSIDE;
        b->parent_edge[v] = BRANCH_OUTSIDE;
        b->degree[v] = v != 0;
    }
    CREW_BARRIER();
    for (i = 0; i < count; i++) {
        u32 begin = b->begin[node], end = begin + b->open[node], a, y = NONE;
        i64 multiplier = b->now[node], x = BRANCH_INFINITE;
        if ((node & 31) == GROUP_LANE) {
            b->rank[node] = (u16)i;
            outside &= ~(1u << (node >> 5));
        }
        for (a = begin + GROUP_LANE; a < end; a += BRANCH_LANES) {
            u32 arc = b->arcs[a], to = arc & 511, edge = (arc >> 9) & 0x7fff;
            i64 cost = b->weights[edge] + multiplier + b->now[to];
            if (arc >> 31) cost -= BRANCH_FORCE;
            if (b->rank[to] == BRANCH_OUTSIDE &&
                (cost < b->key[to] || (cost == b->key[to] && edge < b->parent_edge[to]))) {
                b->key[to] = cost;
                b->parent[to] = (u16)node;
                b->parent_edge[to] = (u16)edge;
            }
        }
        CREW_BARRIER();
        for (k = 0; k < rows; k++) {
            u32 v = GROUP_LANE + k * BRANCH_LANES, own;
            if (!(outside >> k & 1)) continue;
            own = (u32)b->parent_edge[v] << 9 | v;
            if (b->key[v] < x || (b->key[v] == x && x != BRANCH_INFINITE && own < y)) {
                x = b->key[v];
                y = own;
            }
        }
        branch_least(GROUP, b, &x, &y);
        CREW_BARRIER();
        if (y == NONE) break; /* all are in the tree, or the rest is out of reach */
        total += x < -BRANCH_FORCE / 2 ? x + BRANCH_FORCE : x;
        node = y & 511;
        if (!i) *first = node;
    }
    if (i + 1 < count) total = BRANCH_INFINITE;
    if (run && total != BRANCH_INFINITE)
        for (k = GROUP_LANE; k < b->nodes; k += BRANCH_LANES)
            if (k) LOCAL_ATOMIC_ADD(b->degree + b->parent[k], 1);
    CREW_BARRIER();
    return total;
}

/* The second edge of a 1-tree whose first n-1 are the spanning tree: at the leaf whose second edge
   is the dearest. Returns the 1-tree's cost less twice the multipliers, or infinity. */
DEVICE i64 branch_one_tree(GROUP_PARAMETER, const branch_t *b, u32 rows, u32 run, i64 total,
                           u32 first, u32 *special, u32 *second, i64 *second_cost)
{
    i64 dearest = BRANCH_INFINITE, sum = 0; /* dearest: less than 0 the dearer it is */
    u32 leaf = NONE, none = total == BRANCH_INFINITE, k, a;
    for (k = 0; k < rows; k++) {
        u32 v = GROUP_LANE + k * BRANCH_LANES, only, edge = 0, begin;
        i64 cost = BRANCH_INFINITE;
        if (v >= b->nodes || !run || none) continue;
        sum += b->now[v];
        if (b->degree[v] != 1) continue;
        only = b->parent_edge[v ? v : first];
        begin = b->begin[v];
        for (a = begin; a < begin + b->open[v]; a++) {
            u32 arc = b->arcs[a], other = (arc >> 9) & 0x7fff;
            i64 c = b->weights[other] + b->now[v] + b->now[arc & 511];
            if (arc >> 31) c -= BRANCH_FORCE;
            if (other != only && c < cost) {
                cost = c;
                edge = other;
            }
        }
        if (cost == BRANCH_INFINITE) none = 1;
        if (cost < -BRANCH_FORCE / 2) cost += BRANCH_FORCE;
        if (leaf == NONE || -cost < dearest) {
            dearest = -cost;
            leaf = v << 15 | edge;
        }
    }
    branch_least(GROUP, b, &dearest, &leaf);
    sum = branch_sum(GROUP, b, sum);
    none = GROUP_ANY(none);
    if (run && !none) {
        *special = leaf >> 15;
        *second = leaf & 0x7fff;
        *second_cost = -dearest;
        if (GROUP_LANE < 2) {
            u32 ends = b->ends[*second];
            LOCAL_ATOMIC_ADD(b->degree + (GROUP_LANE ? ends >> 16 : ends & 0xffff), 1);
        }
    }
    CREW_BARRIER();
    return none ? BRANCH_INFINITE : total - 2 * sum - dearest;
}

/* Walks the cycle that a free edge closes with the tree. Notes at the nodes that it could replace
   the edge to their parent within `limit`; returns the dearest edge that it could replace. */
DEVICE i64 branch_cycle(const branch_t *b, u32 u, u32 v, i64 cost, i64 room)
{
    i64 dearest = -BRANCH_INFINITE;
    while (u != v) {
        u32 swap = b->rank[u] < b->rank[v], w = swap ? v : u;
        i64 key = b->key[w];
        if (cost - key <= room) LOCAL_ATOMIC_ADD(b->flag + w, 1);
        if (key > -BRANCH_FORCE / 2 && key > dearest) dearest = key;
        v = swap ? u : v;
        u = b->parent[w];
    }
    return dearest;
}

/* Forbids the edges whose presence, and lists those whose absence, lifts the bound by more than
   `room`. Returns how many were forbidden. */
DEVICE u32 branch_reduce(GROUP_PARAMETER, const branch_t *b, u32 run, i64 room, u32 first,
                         u32 special, u32 second, i64 second_cost)
{
    u32 forbidden = 0, third = 0, i; /* third: 1 = for the leaf's tree edge, 2 = for the second */
    u32 at_leaf = special ? special : first;
    for (i = GROUP_LANE; run && i < b->edges; i += BRANCH_LANES) {
        u32 u = b->ends[i] & 0xffff, v = b->ends[i] >> 16;
        i64 cost, dearest = -BRANCH_INFINITE;
        if (b->marks[i] != BRANCH_FREE || i == second || b->parent_edge[u] == i ||
            b->parent_edge[v] == i)
            continue;
        cost = branch_cost(b, i);
        if (u == special || v == special) {
            third |= (cost - b->key[at_leaf] <= room) | (u32)(cost - second_cost <= room) << 1;
            if (b->marks[second] == BRANCH_FREE) dearest = second_cost;
        } else
            dearest = branch_cycle(b, u, v, cost, room);
        if (dearest != -BRANCH_INFINITE && cost - dearest <= room) continue;
        b->marks[i] = (u8)BRANCH_FORBIDDEN;
        forbidden++;
        LOCAL_ATOMIC_ADD(b->open + u, NONE);
        LOCAL_ATOMIC_ADD(b->open + v, NONE);
    }
    CREW_BARRIER();
    third = (GROUP_ANY(third & 1) ? 1u : 0u) | (GROUP_ANY(third & 2) ? 2u : 0u);
    for (i = GROUP_LANE; run && i < b->nodes; i += BRANCH_LANES) {
        u32 edge = i ? b->parent_edge[i] : second;
        u32 keep = !i ? third & 2 : i == at_leaf ? third & 1 : b->flag[i];
        if (b->marks[edge] == BRANCH_FREE && !keep)
            b->list[LOCAL_ATOMIC_ADD(b->counts + 1, 1)] = (u16)edge;
    }
    forbidden = GROUP_ADD(forbidden);
    CREW_BARRIER();
    return forbidden;
}

/* The 1-tree is a tour: writes its record if it is the shorter one and there is room. Returns its
   length, or the old one. By lane 0. */
DEVICE i64 branch_tour(GLOBAL combgpu_slice_t *slice, const branch_t *b, GLOBAL u32 *records,
                       u32 second, i64 known)
{
    u32 node = 0, last, at, i;
    i64 length = 0;
    for (i = 0; i < b->nodes; i++)
        b->flag[i] = 0;
    for (i = 0; i < b->nodes; i++) {
        u32 edge = i ? b->parent_edge[i] : second, u = b->ends[edge] & 0xffff;
        u32 v = b->ends[edge] >> 16;
        (b->flag[u]++ ? b->list : b->queue)[u] = (u16)v;
        (b->flag[v]++ ? b->list : b->queue)[v] = (u16)u;
        length += b->weights[edge];
    }
    if (length >= known) return known;
    at = combgpu_emit(slice);
    if (at == NONE) return known;
    ATOMIC_OR(&slice->stop, STOP_NOW); /* so that the host tells all others, who prune by it */
    records += (u64)at * slice->record_words;
    combgpu_store64(records, (u64)length);
    /* directed: nodes below `cities` are "in", and a city is entered there */
    last = b->queue[0];
    if (b->tables[3] && last == b->tables[2]) last = b->list[0];
    for (i = 0; i < b->nodes; i++) {
        u32 to = b->queue[node] == last ? b->list[node] : b->queue[node];
        if (!b->tables[3])
            records[2 + i] = node;
        else if (i % 2 == 0)
            records[2 + i / 2] = node;
        last = node;
        node = to;
    }
    return length;
}

/* Of the 1-tree's free edges at a node the dearest one but `except`. */
DEVICE u32 branch_dearest(GROUP_PARAMETER, const branch_t *b, u32 node, u32 second, u32 except)
{
    i64 x = BRANCH_INFINITE;
    u32 y = NONE, a, end = node == NONE ? 0 : b->begin[node] + b->open[node];
    for (a = node == NONE ? 0 : b->begin[node] + GROUP_LANE; a < end; a += BRANCH_LANES) {
        u32 arc = b->arcs[a], edge = (arc >> 9) & 0x7fff;
        i64 cost = -branch_cost(b, edge);
        if (arc >> 31 || edge == except || cost >= x) continue;
        if (edge != second && b->parent_edge[node] != edge && b->parent_edge[arc & 511] != edge)
            continue;
        x = cost;
        y = edge;
    }
    branch_least(GROUP, b, &x, &y);
    return y;
}

/* A child as a task; its two edges get marks other than the parent's (first: 1 or 2; other: 0 =
   leave it). */
DEVICE void branch_pack(GROUP_PARAMETER, const branch_t *b, GLOBAL u32 *task, i64 bound, u64 share,
                        u32 first, u32 first_mark, u32 other, u32 other_mark)
{
    u32 words = (b->edges + 15) / 16, i, j;
    if (GROUP_LANE == 0) {
        combgpu_store64(task, (u64)bound);
        combgpu_store64(task + 2, share);
    }
    for (i = GROUP_LANE; i < b->nodes; i += BRANCH_LANES)
        combgpu_store64(task + 4 + 2 * i, (u64)b->now[i]);
    task += 4 + 2 * b->nodes;
    for (i = GROUP_LANE; i < words; i += BRANCH_LANES) {
        u32 word = 0;
        for (j = 0; j < 16 && i * 16 + j < b->edges; j++) {
            u32 edge = i * 16 + j, mark = b->marks[edge];
            if (edge == first) mark = first_mark;
            if (edge == other && other_mark) mark = other_mark;
            word |= mark << (2 * j);
        }
        task[i] = word;
    }
}

/* Next multipliers: a step along 7/10 of this 1-tree's degrees less 2 and 3/10 of the last one's. */
DEVICE void branch_move(GROUP_PARAMETER, const branch_t *b, u32 rows, i32 *last, i64 distance,
                        u32 squares, u32 boldness, u32 begun)
{
    i64 step = distance / squares;
    u32 k;
    step = (step >> 10) * boldness + (((step & 1023) * boldness) >> 10);
    if (step < 1) step = 1;
    if (step > BRANCH_MULTIPLIER) step = BRANCH_MULTIPLIER;
    for (k = 0; k < rows; k++) {
        u32 v = GROUP_LANE + k * BRANCH_LANES;
        i32 excess;
        i64 value;
        if (v >= b->nodes) continue;
        excess = (i32)b->degree[v] - 2;
        value = b->now[v] + step * (begun ? 7 * excess + 3 * last[k] : 10 * excess) / 10;
        b->now[v] = value > BRANCH_MULTIPLIER    ? BRANCH_MULTIPLIER
                    : value < -BRANCH_MULTIPLIER ? -BRANCH_MULTIPLIER
                                                 : value;
        last[k] = excess;
    }
}

/* A worker's slice. Each round makes one 1-tree of the node at hand, or begins or ends a node. */
DEVICE void branch_slice(GROUP_PARAMETER, SLICE_ARGUMENTS, branch_t *b, u32 rows)
{
    const i64 grain = (i64)combgpu_load64(tables + 4);
    i64 length = (i64)combgpu_load64(tables + 6), bound = 0, best = 0, second_cost = 0;
    i32 last[9];
    u32 mode = BRANCH_NEW, count = 0, steps = 0, nodes = 0, trees = 0, words = slice->task_words;
    u32 round = 0, made = 0, limit = 0, waited = 0, boldness = 0, pending = 0, forbidden = 0;
    u32 first = 0, special = 0, second = 0, busy = GROUP_INDEX < slice->workers, i, k;
    u64 shares = 0, share = 0;
    (void)work;
    for (k = 0; k < 9; k++)
        last[k] = 0;
    if (GROUP_LANE == 0) b->counts[0] = b->counts[1] = 0;
    for (;;) {
        u32 want = mode == BRANCH_NEW, fresh = 0, done = 0, branch = 0, tour = 0;
        u32 fine = 1, fail, run, fixed, task, squares = 0, e0, e1, again;
        GLOBAL u32 *top = b->stack;
        i64 total, value;

        /* a node of the search tree */
        fail = GROUP_FROM(GROUP_LANE == 0 ? combgpu_spent(slice, steps) : 0, 0);
        fail |= (u32)(!busy | (count + 3 > BRANCH_STACK));
        task = GROUP_TAKE(slice, want & (u32)(!count & !fail));
        fail = want ? (count ? fail : task == NONE) : 0;
        if (fail) break;
        for (i = GROUP_LANE; task != NONE && i < words; i += BRANCH_LANES)
            b->stack[i] = tasks[(u64)task * words + i];
        count += task != NONE;
        CREW_BARRIER();
        if (want) {
            top += --count * words;
            bound = (i64)combgpu_load64(top);
            share = combgpu_load64(top + 2);
            fresh = bound <= length - grain;
            done = !fresh;
        }
        if (fresh) branch_unpack(GROUP, b, top);
        CREW_BARRIER();

        /* edges fixed: those of a new node, or by the 1-tree before */
        if (fresh) fine = branch_degrees(GROUP, b);
        CREW_BARRIER();
        if (fresh || pending) fine &= branch_queue(GROUP, b);
        CREW_BARRIER();
        fail = GROUP_ANY(!fine);
        b->fixed = 0;
        if (fresh) b->forced_count = 0;
        if ((fresh || pending) && !fail && GROUP_LANE == 0) fine = branch_settle(b, fresh);
        CREW_BARRIER();
        fail = GROUP_ANY(!fine);
        fixed = forbidden + GROUP_FROM(b->fixed, 0);
        if (GROUP_LANE == 0) b->counts[0] = b->counts[1] = 0;
        nodes += fresh;
        if (fail && (fresh || pending))
            done = 1;
        else if (fresh || pending) {
            if (fresh) round = 0;
            if (pending && !fixed)
                branch = 1;
            else if (pending && round && fixed < 3)
                mode = BRANCH_LAST;
            else {
                limit = fresh ? 20 : limit * 2 / 3 + 3;
                boldness = fresh ? 1024 : 512;
                round += pending;
                made = waited = 0;
                best = -BRANCH_INFINITE;
                mode = BRANCH_ASCENT;
            }
        }
        run = !done && !branch;
        if (run && (fresh || pending)) branch_arcs(GROUP, b);
        pending = 0;
        CREW_BARRIER();

        /* a 1-tree, and what it says */
        total = branch_spanning_tree(GROUP, b, rows, run, &first);
        value = branch_one_tree(GROUP, b, rows, run, total, first, &special, &second, &second_cost);
        trees += run;
        for (i = GROUP_LANE; i < b->nodes; i += BRANCH_LANES)
            squares += (b->degree[i] - 2) * (b->degree[i] - 2);
        squares = GROUP_ADD(squares);
        if (run && mode == BRANCH_ASCENT) {
            u32 end = 1;
            waited++;
            if (value > best) {
                best = value;
                waited = 0;
                for (i = GROUP_LANE; value != BRANCH_INFINITE && i < b->nodes; i += BRANCH_LANES)
                    b->best[i] = b->now[i];
            }
            if (value <= length - grain) {
                tour = !squares;
                if (squares && made + 1 < limit) {
                    if (waited >= 3) {
                        boldness = boldness * 7 / 10;
                        waited = 0;
                    }
                    end = boldness < 2;
                }
            }
            if (!end)
                branch_move(GROUP, b, rows, last, length - value, squares, boldness, made++);
            else {
                for (i = GROUP_LANE; i < b->nodes; i += BRANCH_LANES)
                    b->now[i] = b->best[i];
                if (best > bound) bound = best;
                done = tour || bound > length - grain;
                mode = BRANCH_FIX;
            }
            run = 0;
        }
        CREW_BARRIER();
        if (run && mode == BRANCH_FIX) pending = 1;
        forbidden = branch_reduce(GROUP, b, pending, length - grain - value, first, special, second,
                                  second_cost);
        if (run && mode == BRANCH_LAST) {
            branch = value <= length - grain;
            done = !branch;
        }

        /* the node's end: children, a tour, or nothing */
        fail = NONE;
        for (i = GROUP_LANE; branch && i < b->nodes; i += BRANCH_LANES) {
            u32 rated = (b->open[i] - b->forced[i]) << 9 | i;
            if (b->degree[i] >= 3 && rated < fail) fail = rated;
        }
        fail = GROUP_MIN(fail);
        if (branch && fail == NONE) tour = 1;
        fail = branch && fail != NONE ? fail & 511 : NONE;
        e0 = branch_dearest(GROUP, b, fail, second, NONE);
        e1 = branch_dearest(GROUP, b, fail, second, e0);
        if (fail != NONE) {
            u32 children = b->forced[fail] ? 2 : 3;
            for (i = 0; i < children; i++, count++)
                branch_pack(GROUP, b, b->stack + count * words, bound,
                            share / children + (i ? 0 : share % children), e0,
                            i ? BRANCH_FORCED : BRANCH_FORBIDDEN, e1,
                            !i || children == 2 ? BRANCH_FREE
                            : i == 1            ? BRANCH_FORBIDDEN
                                                : BRANCH_FORCED);
        }
        value = length;
        if (tour && GROUP_LANE == 0) value = branch_tour(slice, b, records, second, length);
        again = GROUP_FROM((u32)((u64)value >> 32), 0);
        value = (i64)((u64)again << 32 | GROUP_FROM((u32)value, 0));
        again = tour && value == length; /* it could not be told: find it again */
        length = value;
        if (again) {
            count++;
            nodes--;
        } else if (tour || done)
            shares += share;
        if (tour || done || fail != NONE) {
            if (!again) steps += trees;
            trees = 0;
            mode = BRANCH_NEW;
        }
    }
    while (count) { /* the deepest first: they come first in the next slice */
        u32 at = GROUP_GIVE(slice, 1);
        count--;
        for (i = GROUP_LANE; i < words; i += BRANCH_LANES)
            left[(u64)at * words + i] = b->stack[count * words + i];
    }
    if (GROUP_LANE == 0) {
        combgpu_add_total(slice, 0, steps);
        combgpu_add_total(slice, 1, nodes);
        combgpu_add_total(slice, 2, shares);
    }
}

/* Lays out the graph in `tables` (combgpu.h: combgpu__branch_tables) and the worker's memory. */
DEVICE void branch_layout(GROUP_PARAMETER, branch_t *b, GLOBAL const u32 *tables, GLOBAL u32 *work,
                          u32 task_words)
{
    u32 nodes = tables[0], edges = tables[1], marks = (edges + 7) / 8 * 2;
    u32 own = 2 * nodes + 2 * edges + marks + BRANCH_STACK * task_words;
    work += (u64)GROUP_INDEX * ((own + 1) & ~1u);
    b->tables = tables;
    b->nodes = nodes;
    b->edges = edges;
    b->ends = tables + 8;
    b->begin = b->ends + edges;
    b->incident = b->begin + nodes + 1;
    b->weights = (GLOBAL const i64 *)(tables + ((8 + 3 * edges + nodes + 2) & ~1u));
    b->best = (GLOBAL i64 *)work;
    b->arcs = work + 2 * nodes;
    b->marks = (GLOBAL u8 *)(b->arcs + 2 * edges);
    b->stack = b->arcs + 2 * edges + marks;
    b->fixed = b->forced_count = 0;
}

#ifdef COMBGPU_SHUFFLE
#define BRANCH_SCRATCH
#define BRANCH_SCRATCH_SET
#else
#define BRANCH_SCRATCH                                                                             \
    LOCAL_ARRAY i64 lane_x[32];                                                                    \
    LOCAL_ARRAY u32 lane_y[32];
#define BRANCH_SCRATCH_SET                                                                         \
    b.lane_x = lane_x;                                                                             \
    b.lane_y = lane_y;
#endif
#define BRANCH_KERNEL(ROWS)                                                                        \
    LOCAL_ARRAY i64 now[32 * ROWS], key[32 * ROWS];                                                \
    LOCAL_ARRAY u32 degree[32 * ROWS], open[32 * ROWS], flag[32 * ROWS], counts[2];                \
    LOCAL_ARRAY u16 parent[32 * ROWS], parent_edge[32 * ROWS], rank[32 * ROWS];                    \
    LOCAL_ARRAY u16 forced[32 * ROWS], other_end[32 * ROWS], queue[32 * ROWS], list[32 * ROWS];    \
    BRANCH_SCRATCH                                                                                 \
    branch_t b;                                                                                    \
    GROUP_BEGIN(32);                                                                               \
    branch_layout(GROUP, &b, tables, work, slice->task_words);                                     \
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
    BRANCH_SCRATCH_SET                                                                             \
    branch_slice(GROUP, slice, tables, tasks, left, records, work, &b, ROWS)

/* A block is one group: its local memory is the worker's. */
KERNEL combgpu_tsp_branch(SLICE_ARGUMENTS) /* up to 128 nodes */
{
    BRANCH_KERNEL(4);
}

KERNEL combgpu_tsp_branch_wide(SLICE_ARGUMENTS) /* up to 288 */
{
    BRANCH_KERNEL(9);
}

#undef BRANCH_LANES
#undef BRANCH_STACK
#undef BRANCH_FORCE
#undef BRANCH_INFINITE
#undef BRANCH_MULTIPLIER
#undef BRANCH_OUTSIDE
#undef BRANCH_FREE
#undef BRANCH_FORBIDDEN
#undef BRANCH_FORCED
#undef BRANCH_NEW
#undef BRANCH_ASCENT
#undef BRANCH_FIX
#undef BRANCH_LAST
#undef BRANCH_KERNEL
#undef BRANCH_SCRATCH
#undef BRANCH_SCRATCH_SET

#endif /* BRANCH */

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
#undef LOCAL_BARRIER
#undef KERNEL_BLOCKS
#undef COMBGPU_SM_THREADS
#undef POPCOUNT
#undef CLZ
#undef CTZ
#undef ATOMIC_ADD
#undef ATOMIC_OR
#undef ATOMIC_MIN
#undef LOCAL_ATOMIC_ADD
#undef LOCAL_ATOMIC_OR
#undef SLICE_ARGUMENTS
#undef STOPPED
#undef STOP_NOW
#undef STOP_HUNGRY
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
