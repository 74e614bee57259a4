/* ---- for C solvers */

/* Has another device ended its slice? Then this one ends early, since the host does both. */
COMBGPU__PRIVATE void combgpu__look(const combgpu__worker *worker);

COMBGPU__PRIVATE int combgpu__spent(const combgpu__worker *worker)
{
    uint32_t stop;
#ifdef _OPENMP
#pragma omp atomic read
#endif
    stop = worker->slice->stop;
    if (worker->looks && (++worker->looks->calls & 63) == 0) combgpu__look(worker);
    return worker->totals[0] >= (stop ? worker->slice->least : worker->slice->budget) ||
           (stop & COMBGPU__STOP_NOW);
}

/* The next task, or NULL if there is none or the budget is used up. */
COMBGPU__PRIVATE const uint32_t *combgpu__take(combgpu__worker *worker)
{
    combgpu__slice *slice = worker->slice;
    uint32_t next;
    if (combgpu__spent(worker)) return NULL;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
    next = slice->task_next++;
    if (next >= slice->task_count) {
        if (next - slice->task_count == slice->workers / 4) {
#ifdef _OPENMP
#pragma omp atomic
#endif
            slice->stop |= COMBGPU__STOP_HUNGRY;
        }
        return NULL;
    }
    return worker->tasks + (size_t)next * slice->task_words;
}

/* Gives back a task, at most kernel.left_per_worker in a slice. */
COMBGPU__PRIVATE void combgpu__give(combgpu__worker *worker, const uint32_t *task)
{
    combgpu__slice *slice = worker->slice;
    uint32_t at;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
    at = slice->left_count++;
    if (at < slice->left_capacity) /* always: the engine left room for all */
        memcpy(worker->left + (size_t)at * slice->task_words, task,
               slice->task_words * sizeof(uint32_t));
}

/* Stores a record and returns 1, or returns 0 if the buffer is full: then the solver must not count
   it, but give back a task that finds it again (the slice ends for all workers). */
COMBGPU__PRIVATE int combgpu__emit(combgpu__worker *worker, const uint32_t *record)
{
    combgpu__slice *slice = worker->slice;
    uint32_t at;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
    at = slice->record_count++;
    if (at >= slice->record_capacity) {
#ifdef _OPENMP
#pragma omp atomic
#endif
        slice->stop |= COMBGPU__STOP_NOW;
        return 0;
    }
    memcpy(worker->records + (size_t)at * slice->record_words, record,
           slice->record_words * sizeof(uint32_t));
    return 1;
}

