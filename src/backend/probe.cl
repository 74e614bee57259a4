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
