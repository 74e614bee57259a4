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

