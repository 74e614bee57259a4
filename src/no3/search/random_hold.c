/* In a seeded search of no-three-in-line, the solutions of a chunk wait for its end.

   They wait as tasks, so that checkpoints keep them. The step that finds each again is
   subtracted. */

/* Nonzero if a task's board is a solution. */
COMBGPU__PRIVATE int combgpu__no3_is_solved(const combgpu_job *job, const uint32_t *task)
{
    uint32_t words = (uint32_t)((const combgpu__no3 *)combgpu__state(job))->words, any = 0, i;
    for (i = 0; i < words + COMBGPU__NO3_NEEDS(words); i++)
        any |= i < words ? task[i] : task[i] & 0xffffff;
    return !any;
}

/* Makes tasks of the pending records, at the bottom of the reserve: a slice takes them only when
   otherwise idle, and finds them again at once. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_hold(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    const combgpu__job_desc *search = combgpu__desc(job);
    size_t bottom = 0, tasks, count, i;
    const uint32_t *record = combgpu__pending(job, &count);
    const uint32_t *reserve;
    uint32_t task[COMBGPU__NO3_TASK_ROOM];
    combgpu_status status = combgpu__reserve_room(job, count);
    if (status) return status;
    reserve = combgpu__reserve(job, &tasks);
    while (bottom < tasks && combgpu__no3_is_solved(job, reserve + bottom * search->task_words))
        bottom++;
    for (i = 0; i < count && !status; i++, record += search->record_words) {
        uint16_t placed[COMBGPU__NO3_ORBITS];
        combgpu__no3_level solved;
        if (record[0] > model->most) return combgpu__no3_wrong(job);
        memset(&solved, 0, sizeof solved);
        solved.count = record[0];
        combgpu__no3_get_placed(record + 1, placed, record[0]);
        combgpu__no3_put_task(task, &solved, placed, model->words, model->lines);
        status = combgpu__reserve_put(job, bottom++, task);
        combgpu__accumulators(job)[0]--;
    }
    /* a slice must be able to finish all these tasks */
    combgpu__raise_budgets(job, 2 * (uint32_t)count + 16);
    combgpu__pending_clear(job);
    return status;
}

/* Sets *done if only solutions are left of a chunk, and makes these records again. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_chunk_done(combgpu_job *job, int *done)
{
    const combgpu__job_desc *search = combgpu__desc(job);
    size_t board = (size_t)((const combgpu__no3 *)combgpu__state(job))->words, count, i;
    const uint32_t *task = combgpu__reserve(job, &count);
    uint32_t record[COMBGPU__NO3_TASK_ROOM];
    combgpu_status status;
    *done = 0;
    if (combgpu__tasks_left(job) != count) return COMBGPU_OK;
    for (i = count; i-- > 0;)
        if (!combgpu__no3_is_solved(job, task + i * search->task_words)) return COMBGPU_OK;
    *done = 1;
    status = combgpu__pending_room(job, count);
    if (status) return status;
    for (i = 0; i < count; i++, task += search->task_words) {
        record[0] = task[board] >> COMBGPU__NO3_COUNT_SHIFT;
        memcpy(record + 1, task + board + COMBGPU__NO3_NEEDS(board),
               (search->record_words - 1) * sizeof *record);
        combgpu__pending_add(job, record);
        combgpu__accumulators(job)[0]++;
    }
    combgpu__reserve_clear(job);
    return COMBGPU_OK;
}

/* The key of a record in the seed's order, and its number. */
typedef struct combgpu__no3_turn {
    uint64_t key;
    size_t number;
} combgpu__no3_turn;

COMBGPU__PRIVATE int combgpu__no3_compare_turns(const void *a, const void *b)
{
    uint64_t x = ((const combgpu__no3_turn *)a)->key, y = ((const combgpu__no3_turn *)b)->key;
    return x < y ? -1 : x > y;
}

/* Sorts the pending records into the seed's order. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_sort(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    size_t words = combgpu__desc(job)->record_words, count, i, j;
    uint32_t *pending = combgpu__pending(job, &count);
    size_t bytes = count * (sizeof(combgpu__no3_turn) + words * sizeof(uint32_t));
    combgpu__no3_turn *turns;
    uint32_t *sorted;
    if (count < 2) return COMBGPU_OK;
    turns = (combgpu__no3_turn *)combgpu__allocate(combgpu__context(job), bytes);
    if (!turns) return combgpu__no_memory(combgpu__context(job), bytes);
    sorted = (uint32_t *)(turns + count);
    for (i = 0; i < count; i++) {
        uint64_t key = model->desc.seed;
        for (j = 0; j < words; j++)
            key = combgpu__mix(key ^ pending[i * words + j]);
        turns[i].key = key;
        turns[i].number = i;
    }
    qsort(turns, count, sizeof *turns, combgpu__no3_compare_turns);
    for (i = 0; i < count; i++)
        memcpy(sorted + i * words, pending + turns[i].number * words, words * 4);
    memcpy(pending, sorted, count * words * 4);
    combgpu__release(combgpu__context(job), turns);
    return COMBGPU_OK;
}

/* Holds back the solutions of a chunk until it is done, then begins the next. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_slice_done(combgpu_job *job,
                                                        const combgpu__executor *executor,
                                                        uint64_t *accumulators)
{
    combgpu_status status;
    int done = 0;
    (void)executor, (void)accumulators;
    if (!((const combgpu__no3 *)combgpu__state(job))->desc.seed) return COMBGPU_OK;
    status = combgpu__no3_chunk_done(job, &done);
    if (status || !done) return status ? status : combgpu__no3_hold(job);
    status = combgpu__no3_sort(job);
    return status ? status : combgpu__no3_next_chunk(job);
}

/* Solutions up to symmetry. NEAR_ROT4 is part of ROT2. */
COMBGPU__PRIVATE uint64_t combgpu__no3_solutions(const combgpu_job *job)
{
    uint64_t sum = 0;
    int i;
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
        if (i != COMBGPU_NO3_NEAR_ROT4) sum += combgpu__accumulators(job)[COMBGPU__NO3_CLASSES + i];
    return sum;
}

/* Adds up shards, or verified tasks, which have no chunk. Shards of a seed must have equal
   chunks. */
COMBGPU__PRIVATE void combgpu__no3_merge(const combgpu_job *job, uint64_t *accumulators,
                                         const uint64_t *more)
{
    uint64_t merge =
        more[COMBGPU__NO3_CHUNK] ? more[COMBGPU__NO3_MERGE] : accumulators[COMBGPU__NO3_MERGE];
    int i;
    if (accumulators[COMBGPU__NO3_CHUNK] && merge != accumulators[COMBGPU__NO3_MERGE])
        ((combgpu__no3 *)combgpu__state(job))->mixed = 1;
    for (i = 0; i < COMBGPU__ACCUMULATORS; i++)
        accumulators[i] += more[i];
    accumulators[COMBGPU__NO3_MERGE] = merge;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__no3_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "no3";
    search.frontier = combgpu__no3_frontier;
    search.record = combgpu__no3_record;
    search.release = combgpu__no3_release;
    search.slice_done = combgpu__no3_slice_done;
    search.solutions = combgpu__no3_solutions;
    search.validate_task = combgpu__no3_validate_task;
    search.validate_record = combgpu__no3_validate_record;
    search.merge = combgpu__no3_merge;
    return search;
}
