/* ---- random order: a piece's solutions wait for its end */

COMBGPU__PRIVATE int combgpu__no3_is_solved(const combgpu_job *job, const uint32_t *task)
{
    uint32_t words = (uint32_t)((const combgpu__no3 *)job->state)->words, any = 0, i;
    for (i = 0; i < words + 8; i++)
        any |= i < words ? task[i] : task[i] & 0xffffff;
    return !any;
}

/* Makes tasks of the records that wait, at the bottom of the reserve: what is taken from it in a
   slice with nothing else to do is found again at once. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_hold(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    size_t words = job->task_words, bottom = 0, i;
    uint32_t least;
    combgpu_status status = combgpu__reserve_room(job, job->pending_count);
    if (status) return status;
    while (bottom < job->reserve_count &&
           combgpu__no3_is_solved(job, job->reserve + bottom * words))
        bottom++;
    for (i = 0; i < job->pending_count; i++) {
        const uint32_t *record = job->pending + i * job->record_words;
        uint32_t *to = job->reserve + bottom++ * words;
        uint16_t placed[COMBGPU__NO3_ORBITS];
        combgpu__no3_level solved;
        if (record[0] > model->most)
            return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                                 "kernel %s found a board that is no solution", job->kernel.name);
        memset(&solved, 0, sizeof solved);
        solved.count = record[0];
        combgpu__no3_get_placed(record + 1, placed, record[0]);
        memcpy(job->reserve + job->reserve_count++ * words, to, words * sizeof *to);
        combgpu__no3_put_task(to, &solved, placed, model->words, model->lines);
        job->sums[0]--;
    }
    /* a slice must be able to take all that it is given */
    least = 2 * (uint32_t)job->pending_count + 16;
    if (job->budget < least) job->budget = least;
    for (i = 0; i < (size_t)job->share_count; i++)
        if (job->shares[i].budget < least) job->shares[i].budget = least;
    job->pending_count = 0;
    return COMBGPU_OK;
}

/* Is nothing left of a piece but solutions? Then these become records again. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_piece_done(combgpu_job *job, int *done)
{
    size_t words = job->task_words, i;
    combgpu_status status;
    *done = 0;
    if (combgpu__tasks_left(job) != job->reserve_count) return COMBGPU_OK;
    for (i = job->reserve_count; i-- > 0;)
        if (!combgpu__no3_is_solved(job, job->reserve + i * words)) return COMBGPU_OK;
    *done = 1;
    status = combgpu__pending_room(job, job->reserve_count);
    if (status) return status;
    for (i = 0; i < job->reserve_count; i++) {
        const uint32_t *task = job->reserve + i * words;
        uint32_t *record = job->pending + job->pending_count++ * job->record_words;
        size_t board = (size_t)((const combgpu__no3 *)job->state)->words;
        record[0] = task[board] >> 24;
        memcpy(record + 1, task + board + 8, (job->record_words - 1) * sizeof *record);
        job->sums[0]++;
    }
    job->reserve_count = 0;
    job->fresh_reserve = 0;
    return COMBGPU_OK;
}

/* A place in the seed's order of solutions, and the number of the record. */
typedef struct combgpu__no3_turn {
    uint64_t key;
    size_t number;
} combgpu__no3_turn;

COMBGPU__PRIVATE int combgpu__no3_compare_turns(const void *a, const void *b)
{
    uint64_t x = ((const combgpu__no3_turn *)a)->key, y = ((const combgpu__no3_turn *)b)->key;
    return x < y ? -1 : x > y;
}

/* Puts the records that wait into the seed's order. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_sort(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    size_t words = job->record_words, count = job->pending_count, i, j;
    size_t bytes = count * (sizeof(combgpu__no3_turn) + words * sizeof(uint32_t));
    combgpu__no3_turn *turns;
    uint32_t *sorted;
    if (count < 2) return COMBGPU_OK;
    turns = (combgpu__no3_turn *)combgpu__allocate(job->ctx, bytes);
    if (!turns) return combgpu__no_memory(job->ctx, bytes);
    sorted = (uint32_t *)(turns + count);
    for (i = 0; i < count; i++) {
        uint64_t key = model->desc.seed;
        for (j = 0; j < words; j++)
            key = combgpu__mix(key ^ job->pending[i * words + j]);
        turns[i].key = key;
        turns[i].number = i;
    }
    qsort(turns, count, sizeof *turns, combgpu__no3_compare_turns);
    for (i = 0; i < count; i++)
        memcpy(sorted + i * words, job->pending + turns[i].number * words, words * 4);
    memcpy(job->pending, sorted, count * words * 4);
    combgpu__release(job->ctx, turns);
    return COMBGPU_OK;
}

/* Holds back what a piece has found until it is done, and then brings the next piece. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_slice_done(combgpu_job *job,
                                                        const combgpu__share *share)
{
    combgpu_status status;
    int done = 0;
    (void)share;
    if (!((const combgpu__no3 *)job->state)->desc.seed) return COMBGPU_OK;
    status = combgpu__pending_room(job, 0); /* now they begin at pending[0] */
    if (!status) status = combgpu__no3_piece_done(job, &done);
    if (status || !done) return status ? status : combgpu__no3_hold(job);
    status = combgpu__no3_sort(job);
    return status ? status : combgpu__no3_next_piece(job);
}

COMBGPU__PRIVATE uint64_t combgpu__no3_solutions(const combgpu_job *job)
{
    uint64_t sum = 0;
    int i;
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
        if (i != COMBGPU_NO3_NEAR_ROT4) sum += job->sums[COMBGPU__NO3_CLASSES + i];
    return sum;
}

static const combgpu__problem combgpu__no3_problem = {
    "no3", combgpu__no3_frontier,  combgpu__no3_record,     combgpu__no3_slice_done,
    NULL,  combgpu__no3_solutions, combgpu__no3_adopt_task, combgpu__no3_adopt_record,
    NULL};

