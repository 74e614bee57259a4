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
