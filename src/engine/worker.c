/* ---- A C solver's calls: take, spill, emit. */

COMBGPU__PRIVATE int combgpu__spent(const combgpu__worker *worker)
{
    const uint32_t stop = combgpu__shared(&worker->slice->stop);
    if (worker->polls && (++worker->polls->calls & 63) == 0) worker->polls->look(worker);
    return worker->totals[0] >= (stop ? worker->slice->least : worker->slice->budget) ||
           (stop & COMBGPU__STOP_NOW);
}

COMBGPU__PRIVATE const uint32_t *combgpu__take(combgpu__worker *worker)
{
    combgpu__slice *slice = worker->slice;
    uint32_t next;
    if (combgpu__spent(worker)) return NULL;
    next = combgpu__shared_add(&slice->task_next, 1);
    if (next >= slice->task_count) {
        if (next - slice->task_count == slice->workers / 4)
            combgpu__shared_or(&slice->stop, COMBGPU__STOP_STARVED);
        return NULL;
    }
    return worker->tasks + (size_t)next * slice->task_words;
}

COMBGPU__PRIVATE void combgpu__give(combgpu__worker *worker, const uint32_t *task)
{
    combgpu__slice *slice = worker->slice;
    const uint32_t at = combgpu__shared_add(&slice->left_count, 1);
    if (at < slice->left_capacity) /* always true: the pool has room for all */
        memcpy(worker->left + (size_t)at * slice->task_words, task,
               slice->task_words * sizeof(uint32_t));
}

COMBGPU__PRIVATE void combgpu__give_range(combgpu__worker *worker, uint64_t begin, uint64_t end)
{
    uint32_t task[4];
    combgpu__put64(task, begin);
    combgpu__put64(task + 2, end);
    combgpu__give(worker, task);
}

/* The address of the next record; NULL if the buffer is full. */
COMBGPU__PRIVATE uint32_t *combgpu__record_place(combgpu__worker *worker)
{
    combgpu__slice *slice = worker->slice;
    const uint32_t at = combgpu__shared_add(&slice->record_count, 1);
    if (at < slice->record_capacity) return worker->records + (size_t)at * slice->record_words;
    combgpu__shared_or(&slice->stop, COMBGPU__STOP_NOW);
    return NULL;
}

COMBGPU__PRIVATE uint32_t *combgpu__new_record(combgpu__worker *worker)
{
    uint32_t *record = combgpu__record_place(worker);
    if (record) memset(record, 0, worker->slice->record_words * sizeof *record);
    return record;
}

COMBGPU__PRIVATE int combgpu__emit(combgpu__worker *worker, const uint32_t *record)
{
    uint32_t *to = combgpu__record_place(worker);
    if (to) memcpy(to, record, worker->slice->record_words * sizeof *record);
    return to != NULL;
}
