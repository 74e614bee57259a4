/* Time windows: the worker and its answer. */

/* Words of the only record: whether a tour exists, its middle cities, 4 a word. */
#define COMBGPU__WINDOW_RECORD_WORDS(m)                                                            \
    (1 + (((m) > COMBGPU__WINDOW_MOST ? COMBGPU__SOP_MOST : COMBGPU__WINDOW_MOST) + 3) / 4)

COMBGPU__PRIVATE void combgpu__window_answer(combgpu__worker *worker, const combgpu__window *w)
{
    uint32_t *record = combgpu__new_record(worker); /* the only one: there is room */
    combgpu__window_finish best = w->layers ? combgpu__window_last(w) : combgpu__window_best(w);
    int i;
    if (!record) return;
    record[0] = best.label != COMBGPU__WINDOW_NONE;
    for (i = w->form.m - 1; record[0] && i >= 0; i--) {
        uint32_t city = w->layers ? w->layers->past[best.label].city : w->labels[best.label].city;
        record[1 + i / 4] |= city << i % 4 * 8;
        best.label = w->layers ? w->layers->past[best.label].before : w->labels[best.label].before;
    }
}

/* The only task is the number of the next set, or layer. Its labels are in the job's state, so worker 0
   alone works. */
COMBGPU__PRIVATE void combgpu__window_solve(combgpu__worker *worker)
{
    combgpu__window *w = (combgpu__window *)combgpu__state(worker->job);
    uint32_t last;
    if (worker->index || !combgpu__take(worker)) return;
    last = w->layers ? (uint32_t)w->form.m : (1u << w->form.m) - 1;
    do {
        uint64_t steps = w->layers ? combgpu__window_layer(w) : combgpu__window_set(w, w->next);
        if (!steps) break;
        worker->totals[0] += steps;
        if (!w->layers) w->next++;
    } while (w->next <= last && !combgpu__spent(worker));
    if (w->next <= last)
        combgpu__give(worker, &w->next);
    else
        combgpu__window_answer(worker, w);
}
