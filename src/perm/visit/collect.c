/* Collects the slices' results: work memory, records, shards; has the engine's other calls. */

/* MINIMUM, MAXIMUM: keeps the smaller key; of equal keys, the smaller rank. */
COMBGPU__PRIVATE void combgpu__visit_take_best(uint64_t *accumulators, uint64_t key, uint64_t rank)
{
    int64_t signed_key = (int64_t)key, best = (int64_t)accumulators[COMBGPU__PERM_S_KEY];
    if (accumulators[COMBGPU__PERM_S_SEEN] &&
        (signed_key > best || (signed_key == best && rank >= accumulators[COMBGPU__PERM_S_RANK])))
        return;
    accumulators[COMBGPU__PERM_S_SEEN] = 1;
    accumulators[COMBGPU__PERM_S_KEY] = key;
    accumulators[COMBGPU__PERM_S_RANK] = rank;
}

/* SUM: adds 128 bits. */
COMBGPU__PRIVATE void combgpu__visit_take_sum(uint64_t *accumulators, uint64_t low, uint64_t high)
{
    accumulators[COMBGPU__PERM_S_KEY] += low;
    accumulators[COMBGPU__PERM_S_RANK] += high + (accumulators[COMBGPU__PERM_S_KEY] < low);
}

/* Merges shards: adds everything but the best value; the sum has 128 bits. */
COMBGPU__PRIVATE void combgpu__perm_merge(const combgpu_job *job, uint64_t *accumulators,
                                          const uint64_t *more)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    uint64_t key = more[COMBGPU__PERM_S_KEY], rank = more[COMBGPU__PERM_S_RANK];
    int i;
    for (i = 0; i < COMBGPU__ACCUMULATORS; i++)
        if (i < COMBGPU__PERM_S_SEEN || i > COMBGPU__PERM_S_NEXT) accumulators[i] += more[i];
    if (state->desc.goal == COMBGPU_PERM_SUM)
        combgpu__visit_take_sum(accumulators, key, rank);
    else if (more[COMBGPU__PERM_S_SEEN])
        combgpu__visit_take_best(accumulators, key, rank);
}

/* MINIMUM, MAXIMUM, SUM: fetches the slot of each worker. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_fetch_slots(combgpu_job *job,
                                                           const combgpu__executor *executor,
                                                           uint64_t *accumulators)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    uint32_t workers = combgpu__slice_workers(executor), i;
    combgpu_status status =
        combgpu__slice_read(executor, state->fetched, 0,
                            (size_t)workers * COMBGPU__VISIT_SLOT_WORDS * sizeof(uint32_t));
    for (i = 0; i < workers && !status; i++) {
        const uint32_t *slot = state->fetched + (size_t)i * COMBGPU__VISIT_SLOT_WORDS;
        uint64_t key = combgpu__get64(slot), rank = combgpu__get64(slot + 2);
        if (state->desc.goal == COMBGPU_PERM_SUM) {
            combgpu__visit_take_sum(accumulators, key, rank);
        } else if (rank != COMBGPU__PERM_NO_RANK) {
            if (rank < state->desc.first || rank >= state->end)
                return combgpu__fail(combgpu__context(job), COMBGPU_DEVICE_ERROR,
                                     "kernel %s returned rank %llu, which is not in the range",
                                     combgpu__desc(job)->kernel.name, (unsigned long long)rank);
            combgpu__visit_take_best(accumulators, key, rank);
        }
    }
    return status;
}

/* HISTOGRAM: adds the device's bins, which every slice starts at 0, to `sums`; on the CPU, the bins
   of each thread, which follow them. `fetched` has room for all. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_fetch_bins(const combgpu__executor *executor,
                                                         uint32_t *fetched, size_t bins,
                                                         uint64_t *sums)
{
    const int is_cpu = combgpu__slice_on_cpu(executor);
    const size_t bytes = 8 * bins, times = is_cpu ? combgpu__slice_workers(executor) : 1;
    combgpu_status status =
        combgpu__slice_read(executor, fetched, is_cpu ? bytes : 0, times * bytes);
    size_t i;
    for (i = 0; i < times * bins && !status; i++) {
        uint64_t count = combgpu__get64(fetched + 2 * i);
        if (is_cpu) memcpy(&count, fetched + 2 * i, sizeof count); /* in its own byte order */
        sums[i % bins] += count;
    }
    if (status || is_cpu) return status;
    memset(fetched, 0, bytes);
    return combgpu__slice_write(executor, fetched, bytes);
}

/* Nonzero if a record of WRITE is valid. */
COMBGPU__PRIVATE int combgpu__perm_is_piece(const combgpu__perm_state *state,
                                            const uint32_t *record)
{
    uint64_t rank = combgpu__get64(record);
    return rank >= state->desc.first && rank < state->end && record[2] >= 1 &&
           record[2] <= state->end - rank && record[2] <= COMBGPU__PERM_PIECE;
}

/* Ordered: pushes new windows, and finds the smallest rank that is not done. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_go_on(combgpu_job *job,
                                                     const combgpu__executor *executor)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    const uint32_t *task = state->fetched;
    uint32_t fetched = 0;
    size_t count, i;
    combgpu_status status = combgpu__visit_windows(job, combgpu__slice_workers(executor));
    if (!status) status = combgpu__slice_tasks(job, executor, state->fetched, &fetched);
    state->floor = combgpu__accumulators(job)[COMBGPU__PERM_S_NEXT];
    for (i = 0; i < fetched && !status; i++, task += 4)
        if (combgpu__get64(task) < state->floor) state->floor = combgpu__get64(task);
    for (i = 0, task = combgpu__reserve(job, &count); i < count && !status; i++, task += 4)
        if (combgpu__get64(task) < state->floor) state->floor = combgpu__get64(task);
    return status;
}

COMBGPU__PRIVATE int combgpu__perm_compare(const void *a, const void *b)
{
    uint64_t x = combgpu__get64((const uint32_t *)a), y = combgpu__get64((const uint32_t *)b);
    return x < y ? -1 : x > y;
}

/* Sorts the pending records by rank: for ordered hits, and for readers of short lists. */
COMBGPU__PRIVATE void combgpu__perm_sort(combgpu_job *job)
{
    size_t words = combgpu__desc(job)->record_words, count, i = 1;
    uint32_t *pending = combgpu__pending(job, &count);
    while (i < count && combgpu__perm_compare(pending + (i - 1) * words, pending + i * words) <= 0)
        i++;
    if (i < count) /* often sorted already */
        qsort(pending, count, words * sizeof(uint32_t), combgpu__perm_compare);
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_slice_done(combgpu_job *job,
                                                         const combgpu__executor *executor,
                                                         uint64_t *accumulators)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    combgpu_status status = COMBGPU_OK;
    switch (state->desc.goal) {
    case COMBGPU_PERM_WRITE:
        break;
    case COMBGPU_PERM_COUNT:
        if (state->desc.ordered) status = combgpu__visit_go_on(job, executor);
        break;
    case COMBGPU_PERM_HISTOGRAM:
        status = combgpu__perm_fetch_bins(executor, state->fetched, (size_t)state->desc.bins,
                                          accumulators + COMBGPU__PERM_S_BINS);
        break;
    default:
        status = combgpu__visit_fetch_slots(job, executor, accumulators);
    }
    if (state->desc.solution) combgpu__perm_sort(job);
    return status;
}

/* ---- records, and the engine's other calls */

COMBGPU__PRIVATE uint64_t combgpu__perm_done(const combgpu_job *job)
{
    return combgpu__accumulators(job)[COMBGPU__PERM_S_DONE] +
           combgpu__accumulators(job)[COMBGPU__PERM_S_RECORD_DONE];
}

COMBGPU__PRIVATE combgpu__result combgpu__visit_hit(combgpu_job *job, uint64_t rank)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    const combgpu_perm_desc *desc = &state->desc;
    combgpu__perm_walk walk;
    int stop = 0;
    if (desc->ordered && rank >= state->floor && combgpu__tasks_left(job)) return COMBGPU__LATER;
    combgpu__accumulators(job)[COMBGPU__PERM_S_RECORD_DONE]++;
    combgpu__accumulators(job)[COMBGPU__PERM_S_RECORD_HASH] += combgpu__visit_hash(rank);
    if (desc->solution) {
        combgpu__perm_set_walk_to(&state->set, &walk, rank);
        stop = desc->solution(rank, walk.perm, 1, desc->n, desc->solution_user);
    }
    return combgpu__is_enough(job, desc->limit, combgpu__perm_done(job)) ? COMBGPU__ENOUGH
           : stop                                                        ? COMBGPU__STOP
                                                                         : COMBGPU__CONTINUE;
}

/* WRITE: makes a chunk in place, or to hand it over. */
COMBGPU__PRIVATE combgpu__result combgpu__perm_piece(combgpu_job *job, uint64_t rank,
                                                     uint64_t count)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    const combgpu_perm_desc *desc = &state->desc;
    unsigned char *to =
        desc->out ? (unsigned char *)desc->out + (size_t)(rank - desc->first) * state->object
                  : state->chunk;
    if (combgpu__desc(job)
            ->caller_work.handle) { /* from a checkpoint of a run that wrote elsewhere: now a
                                       task */
        uint32_t task[4];
        combgpu_status status;
        size_t tasks;
        combgpu__put64(task, rank);
        combgpu__put64(task + 2, rank + count);
        (void)combgpu__reserve(job, &tasks);
        status = combgpu__reserve_put(job, tasks, task);
        if (status) return combgpu__as_result(status);
        combgpu__accumulators(job)[0] -= count;
        return COMBGPU__CONTINUE;
    }
    combgpu__accumulators(job)[COMBGPU__PERM_S_RECORD_DONE] += count;
    combgpu__accumulators(job)[COMBGPU__PERM_S_RECORD_HASH] +=
        combgpu__perm_range_hash(rank, rank + count);
    combgpu__perm_make(state, state->walk, rank, count, to);
    if (desc->out) return COMBGPU__CONTINUE;
    return desc->solution(rank + state->base.lo, to, count, desc->n, desc->solution_user)
               ? COMBGPU__STOP
               : COMBGPU__CONTINUE;
}

/* A record is {rank, count, 0}. A hit has count 1; its rank is NO_RANK if it only fills up the
   buffer. */
COMBGPU__PRIVATE combgpu__result combgpu__perm_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    uint64_t rank = combgpu__get64(record);
    if (state->desc.goal == COMBGPU_PERM_WRITE) return combgpu__perm_piece(job, rank, record[2]);
    return rank == COMBGPU__PERM_NO_RANK ? COMBGPU__CONTINUE : combgpu__visit_hit(job, rank);
}

COMBGPU__PRIVATE double combgpu__perm_fraction(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    return state->mine ? (double)combgpu__accumulators(job)[0] / (double)state->mine : 1;
}

COMBGPU__PRIVATE uint64_t combgpu__perm_solutions(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    return state->desc.goal == COMBGPU_PERM_COUNT ? combgpu__perm_done(job) : 0;
}

COMBGPU__PRIVATE int combgpu__perm_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    uint64_t begin = combgpu__get64(task), end = combgpu__get64(task + 2);
    return begin >= state->desc.first && begin < end && end <= state->end;
}

COMBGPU__PRIVATE int combgpu__perm_validate_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    combgpu_perm_goal goal = state->desc.goal;
    uint64_t rank = combgpu__get64(record);
    combgpu__perm_walk walk;
    if (rank == COMBGPU__PERM_NO_RANK) return goal == COMBGPU_PERM_COUNT;
    if (goal > COMBGPU_PERM_COUNT || !combgpu__perm_is_piece(state, record)) return 0;
    if (goal == COMBGPU_PERM_WRITE || !state->desc.visitor->cpu) return 1;
    combgpu__perm_set_walk_to(&state->set, &walk, rank);
    return state->desc.visitor->cpu(walk.perm, state->desc.n, state->data) != 0;
}

COMBGPU__PRIVATE void combgpu__perm_release(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    combgpu__release(combgpu__context(job), state->chunk);
    combgpu__release(combgpu__context(job), state->walk);
    combgpu__release(combgpu__context(job), state->groups);
    combgpu__release(combgpu__context(job), state->source);
    combgpu__release(combgpu__context(job), state->fetched);
}

/* Copies bins to a caller's histogram; returns the checksum of both it and `outside`. */
COMBGPU__PRIVATE uint64_t combgpu__perm_bins(const uint64_t *from, int bins, uint64_t outside,
                                             uint64_t *histogram)
{
    uint64_t checksum = outside * combgpu__mix(UINT64_MAX);
    int i;
    for (i = 0; i < bins; i++) {
        histogram[i] = from[i];
        checksum += from[i] * combgpu__mix((uint64_t)i);
    }
    return checksum;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__perm_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "permutations";
    search.frontier = combgpu__perm_frontier;
    search.record = combgpu__perm_record;
    search.slice_done = combgpu__perm_slice_done;
    search.fraction = combgpu__perm_fraction;
    search.solutions = combgpu__perm_solutions;
    search.validate_task = combgpu__perm_validate_task;
    search.validate_record = combgpu__perm_validate_record;
    search.merge = combgpu__perm_merge;
    search.release = combgpu__perm_release;
    return search;
}
