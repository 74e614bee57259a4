/* Golomb rulers: a ruler that gets its marks from the left to the right, and the solver. */

#define COMBGPU__GOLOMB_MOST 16

/* A ruler with both end marks. Bit i is the mark at i, or the distance i between two marks. */
typedef struct combgpu__golomb_ruler {
    uint32_t next; /* where the next mark may be */
    int count;
    uint64_t marks, distances;
} combgpu__golomb_ruler;

/* Adds a mark. Returns 0 if one of its distances is there already. */
COMBGPU__PRIVATE int combgpu__golomb_mark(combgpu__golomb_ruler *ruler, uint32_t at)
{
    uint64_t marks = ruler->marks;
    for (; marks; marks &= marks - 1) {
        uint32_t other = (uint32_t)combgpu__popcount64((marks & (0 - marks)) - 1);
        uint64_t distance = UINT64_C(1) << (at > other ? at - other : other - at);
        if (ruler->distances & distance) return 0;
        ruler->distances |= distance;
    }
    ruler->marks |= UINT64_C(1) << at;
    ruler->count++;
    return 1;
}

/* Of a ruler and its mirror image, the one whose first distance is smaller than the last counts. */
COMBGPU__PRIVATE int combgpu__golomb_is_first(const combgpu__golomb_ruler *ruler, int length)
{
    const uint64_t inner = ruler->marks - 1, first = inner & (0 - inner);
    return combgpu__popcount64(first - 1) < length - ((int)ruler->next - 1);
}

/* A task is a ruler's `next` and, in two words, its marks. */
enum { COMBGPU__GOLOMB_TASK_WORDS = 3 };

COMBGPU__PRIVATE void combgpu__golomb_write(uint32_t next, uint64_t marks, uint32_t *task)
{
    task[0] = next;
    combgpu__put64(task + 1, marks);
}

/* Returns 0 if the task is no ruler of this length, as in a damaged file. */
COMBGPU__PRIVATE int combgpu__golomb_read(const uint32_t *task, int length,
                                          combgpu__golomb_ruler *ruler)
{
    uint64_t marks = combgpu__get64(task + 1);
    uint32_t at;
    memset(ruler, 0, sizeof *ruler);
    for (at = 0; at < 64; at++)
        if (marks >> at & 1 && !combgpu__golomb_mark(ruler, at)) return 0;
    ruler->next = task[0];
    return marks & 1 && marks >> length == 1 && ruler->next > 0 && ruler->next <= (uint32_t)length;
}

/* Each step tries a place for the next mark. */
COMBGPU__PRIVATE void combgpu__golomb_solve(combgpu__worker *worker)
{
    const combgpu_golomb_desc *desc = (const combgpu_golomb_desc *)combgpu__state(worker->job);
    combgpu__golomb_ruler stack[COMBGPU__GOLOMB_MOST], ruler;
    uint32_t left[COMBGPU__GOLOMB_TASK_WORDS];
    const uint32_t *task;
    int depth;
    while ((task = combgpu__take(worker)) != NULL) {
        (void)combgpu__golomb_read(task, desc->length, &stack[0]);
        for (depth = 1; depth && !combgpu__spent(worker); worker->totals[0]++) {
            ruler = stack[depth - 1];
            if (ruler.next == (uint32_t)desc->length) {
                depth--;
                continue;
            }
            stack[depth - 1].next++;
            if (!combgpu__golomb_mark(&ruler, ruler.next++)) continue;
            if (ruler.count < desc->marks) {
                stack[depth++] = ruler;
            } else if (combgpu__golomb_is_first(&ruler, desc->length)) {
                worker->totals[1]++;
                worker->totals[2] += combgpu__mix(ruler.marks);
            }
        }
        while (depth--) {
            combgpu__golomb_write(stack[depth].next, stack[depth].marks, left);
            combgpu__give(worker, left);
        }
    }
}
