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

