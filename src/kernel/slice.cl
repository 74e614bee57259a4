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
