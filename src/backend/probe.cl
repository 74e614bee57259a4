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

