/* ---- slice_done: what the workers have in work memory */

/* MINIMUM, MAXIMUM: keeps the smaller key, of equal ones the smaller rank. */
COMBGPU__PRIVATE void combgpu__visit_take_best(uint64_t *sums, uint64_t key, uint64_t rank)
{
    int64_t signed_key = (int64_t)key, best = (int64_t)sums[COMBGPU__PERM_S_KEY];
    if (sums[COMBGPU__PERM_S_SEEN] &&
        (signed_key > best || (signed_key == best && rank >= sums[COMBGPU__PERM_S_RANK])))
        return;
    sums[COMBGPU__PERM_S_SEEN] = 1;
    sums[COMBGPU__PERM_S_KEY] = key;
    sums[COMBGPU__PERM_S_RANK] = rank;
}

/* SUM: adds 128 bits. */
COMBGPU__PRIVATE void combgpu__visit_take_sum(uint64_t *sums, uint64_t low, uint64_t high)
{
    sums[COMBGPU__PERM_S_KEY] += low;
    sums[COMBGPU__PERM_S_RANK] += high + (sums[COMBGPU__PERM_S_KEY] < low);
}

/* Shards: everything adds up but the best, and the sum carries. */
COMBGPU__PRIVATE void combgpu__perm_merge(combgpu_job *job, const uint64_t *sums)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    uint64_t key = sums[COMBGPU__PERM_S_KEY], rank = sums[COMBGPU__PERM_S_RANK];
    int i;
    for (i = 0; i < COMBGPU__SUMS; i++)
        if (i < COMBGPU__PERM_S_SEEN || i > COMBGPU__PERM_S_NEXT) job->sums[i] += sums[i];
    if (state->desc.goal == COMBGPU_PERM_SUM)
        combgpu__visit_take_sum(job->sums, key, rank);
    else if (sums[COMBGPU__PERM_S_SEEN])
        combgpu__visit_take_best(job->sums, key, rank);
}

/* MINIMUM, MAXIMUM, SUM: a slot of each worker. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_fetch_slots(combgpu_job *job,
                                                           const combgpu__share *share)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    uint32_t i;
    combgpu_status status = share->backend->download(
        share->ctx, state->fetched, &share->memory[COMBGPU__WORK], 0,
        (size_t)share->workers * COMBGPU__VISIT_SLOT_WORDS * sizeof(uint32_t));
    for (i = 0; i < share->workers && !status; i++) {
        const uint32_t *slot = state->fetched + (size_t)i * COMBGPU__VISIT_SLOT_WORDS;
        uint64_t key = combgpu__get64(slot), rank = combgpu__get64(slot + 2);
        if (state->desc.goal == COMBGPU_PERM_SUM) {
            combgpu__visit_take_sum(job->sums, key, rank);
        } else if (rank != COMBGPU__PERM_NO_RANK) {
            if (rank < state->desc.first || rank >= state->end)
                return combgpu__fail(job->ctx, COMBGPU_DEVICE_ERROR,
                                     "kernel %s returned rank %llu, which is not in the range",
                                     job->kernel.name, (unsigned long long)rank);
            combgpu__visit_take_best(job->sums, key, rank);
        }
    }
    return status;
}

/* HISTOGRAM: the device's bins, which begin every slice at 0, or behind them each thread's. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_fetch_bins(combgpu_job *job,
                                                          const combgpu__share *share)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    size_t bins = (size_t)state->desc.bins, bytes = 8 * bins, i;
    int is_cpu = share->backend->id == COMBGPU_BACKEND_CPU;
    size_t times = is_cpu ? share->workers : 1;
    combgpu__memory work = share->memory[COMBGPU__WORK];
    combgpu_status status = share->backend->download(share->ctx, state->fetched, &work,
                                                     is_cpu ? bytes : 0, times * bytes);
    for (i = 0; i < times * bins && !status; i++)
        job->sums[COMBGPU__PERM_S_BINS + i % bins] += combgpu__get64(state->fetched + 2 * i);
    if (status || is_cpu) return status;
    memset(state->fetched, 0, bytes);
    return share->backend->upload(share->ctx, &work, 0, state->fetched, bytes);
}

/* Bytes from where a record's area begins, which is a group's beginning where all permutations are
   written, to its first member. */
COMBGPU__PRIVATE size_t combgpu__perm_area_skip(const combgpu__perm_state *state, uint64_t rank)
{
    return state->all ? (size_t)(rank % state->orders) * state->object : 0;
}

/* A record that waits, of WRITE: can it be? */
COMBGPU__PRIVATE int combgpu__perm_is_piece(const combgpu__perm_state *state,
                                            const uint32_t *record)
{
    uint64_t rank = combgpu__get64(record);
    return rank >= state->desc.first && rank < state->end && record[2] >= 1 &&
           record[2] <= state->end - rank && record[2] <= COMBGPU__PERM_PIECE;
}

/* WRITE on a device: fetches the part of the area that the slice's records speak of. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_fetch_area(combgpu_job *job,
                                                         const combgpu__share *share)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    uint64_t used = 0;
    size_t i;
    for (i = job->pending_next; i < job->pending_count; i++) {
        const uint32_t *record = job->pending + i * job->record_words;
        uint64_t end = (uint64_t)record[3] * 16 + (uint64_t)record[2] * state->object +
                       combgpu__perm_area_skip(state, combgpu__get64(record));
        if (!combgpu__perm_is_piece(state, record) || end > state->area_bytes)
            return combgpu__fail(job->ctx, COMBGPU_DEVICE_ERROR,
                                 "kernel %s returned a record that cannot be", job->kernel.name);
        if (end > used) used = end;
    }
    state->area_filled = 1;
    if (!used) return COMBGPU_OK;
    return share->backend->download(share->ctx, state->area, &share->memory[COMBGPU__WORK], 0,
                                    (size_t)used);
}

/* Ordered: new windows, and the smallest rank that is not done yet. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_go_on(combgpu_job *job, const combgpu__share *share)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    const uint32_t *task = state->fetched;
    size_t i;
    combgpu_status status = combgpu__visit_windows(job, share->workers);
    if (!status && share->pool_count)
        status = share->backend->download(share->ctx, state->fetched, &share->memory[COMBGPU__POOL],
                                          0, share->pool_count * 4 * sizeof(uint32_t));
    state->floor = job->sums[COMBGPU__PERM_S_NEXT];
    for (i = 0; i < share->pool_count && !status; i++, task += 4)
        if (combgpu__get64(task) < state->floor) state->floor = combgpu__get64(task);
    for (i = 0, task = job->reserve; i < job->reserve_count && !status; i++, task += 4)
        if (combgpu__get64(task) < state->floor) state->floor = combgpu__get64(task);
    return status;
}

COMBGPU__PRIVATE int combgpu__perm_compare(const void *a, const void *b)
{
    uint64_t x = combgpu__get64((const uint32_t *)a), y = combgpu__get64((const uint32_t *)b);
    return x < y ? -1 : x > y;
}

/* By rank: for ordered hits, and what every reader of a short list expects. */
COMBGPU__PRIVATE void combgpu__perm_sort(combgpu_job *job)
{
    size_t words = job->record_words, i = job->pending_next + 1;
    while (i < job->pending_count &&
           combgpu__perm_compare(job->pending + (i - 1) * words, job->pending + i * words) <= 0)
        i++;
    if (i < job->pending_count) /* often they are sorted */
        qsort(job->pending + job->pending_next * words, job->pending_count - job->pending_next,
              words * sizeof(uint32_t), combgpu__perm_compare);
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_slice_done(combgpu_job *job,
                                                         const combgpu__share *share)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    combgpu_status status = COMBGPU_OK;
    switch (state->desc.goal) {
    case COMBGPU_PERM_WRITE:
        if (state->area) status = combgpu__perm_fetch_area(job, share);
        break;
    case COMBGPU_PERM_COUNT:
        if (state->desc.ordered) status = combgpu__visit_go_on(job, share);
        break;
    case COMBGPU_PERM_HISTOGRAM:
        status = combgpu__visit_fetch_bins(job, share);
        break;
    default:
        status = combgpu__visit_fetch_slots(job, share);
    }
    if (state->desc.solution) combgpu__perm_sort(job);
    return status;
}

/* ---- record, and what else the engine asks */

COMBGPU__PRIVATE uint64_t combgpu__perm_done(const combgpu_job *job)
{
    return job->sums[COMBGPU__PERM_S_DONE] + job->sums[COMBGPU__PERM_S_RECORD_DONE];
}

COMBGPU__PRIVATE combgpu_status combgpu__visit_hit(combgpu_job *job, uint64_t rank)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    const combgpu_perm_desc *desc = &state->desc;
    combgpu__perm_walk walk;
    int stop = 0;
    if (desc->ordered && rank >= state->floor && combgpu__tasks_left(job)) return COMBGPU__LATER;
    job->sums[COMBGPU__PERM_S_RECORD_DONE]++;
    job->sums[COMBGPU__PERM_S_RECORD_HASH] += combgpu__visit_hash(rank);
    if (desc->solution) {
        combgpu__set_walk_to(&state->set, &walk, rank);
        stop = desc->solution(rank, walk.perm, 1, desc->n, desc->solution_user);
    }
    return desc->limit && combgpu__perm_done(job) == desc->limit ? COMBGPU_FOUND
           : stop                                                ? COMBGPU_STOPPED
                                                                 : COMBGPU_RUNNING;
}

/* WRITE: copies a piece to its place or hands it over. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_piece(combgpu_job *job, uint64_t rank, uint64_t count,
                                                    uint32_t unit)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    const combgpu_perm_desc *desc = &state->desc;
    unsigned char *to =
        desc->out ? (unsigned char *)desc->out + (size_t)(rank - desc->first) * state->object
                  : state->chunk;
    const unsigned char *made = to;
    if (job->caller_work.handle) { /* from a checkpoint of a run that wrote elsewhere: a task */
        uint32_t task[4];
        combgpu_status status = combgpu__reserve_room(job, 1);
        if (status) return status;
        combgpu__put64(task, rank);
        combgpu__put64(task + 2, rank + count);
        memcpy(job->reserve + job->reserve_count++ * job->task_words, task, sizeof task);
        job->sums[0] -= count;
        return COMBGPU_RUNNING;
    }
    job->sums[COMBGPU__PERM_S_RECORD_DONE] += count;
    job->sums[COMBGPU__PERM_S_RECORD_HASH] += combgpu__perm_range_hash(rank, rank + count);
    if (state->area_filled) {
        made = state->area + (size_t)unit * 16 + combgpu__perm_area_skip(state, rank);
        if (desc->out) memcpy(to, made, (size_t)count * state->object);
    } else
        combgpu__perm_make(state, state->walk, rank, count, to);
    if (desc->out) return COMBGPU_RUNNING;
    return desc->solution(rank + state->base.lo, made, count, desc->n, desc->solution_user)
               ? COMBGPU_STOPPED
               : COMBGPU_RUNNING;
}

/* A record is {rank, count, 16-byte unit of the area}; of a hit, where count is 1, the rank is NO_RANK
   if the kernel only filled up the buffer. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    uint64_t rank = combgpu__get64(record);
    if (state->desc.goal == COMBGPU_PERM_WRITE)
        return combgpu__perm_piece(job, rank, record[2], record[3]);
    return rank == COMBGPU__PERM_NO_RANK ? COMBGPU_RUNNING : combgpu__visit_hit(job, rank);
}

COMBGPU__PRIVATE double combgpu__perm_fraction(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    return state->mine ? (double)job->sums[0] / (double)state->mine : 1;
}

COMBGPU__PRIVATE uint64_t combgpu__perm_solutions(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    return state->desc.goal == COMBGPU_PERM_COUNT ? combgpu__perm_done(job) : 0;
}

COMBGPU__PRIVATE int combgpu__perm_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    uint64_t begin = combgpu__get64(task), end = combgpu__get64(task + 2);
    return begin >= state->desc.first && begin < end && end <= state->end;
}

COMBGPU__PRIVATE int combgpu__perm_adopt_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    combgpu_perm_goal goal = state->desc.goal;
    uint64_t rank = combgpu__get64(record);
    combgpu__perm_walk walk;
    if (rank == COMBGPU__PERM_NO_RANK) return goal == COMBGPU_PERM_COUNT;
    if (goal > COMBGPU_PERM_COUNT || !combgpu__perm_is_piece(state, record)) return 0;
    if (goal == COMBGPU_PERM_WRITE || !state->desc.visitor->cpu) return 1;
    combgpu__set_walk_to(&state->set, &walk, rank);
    return state->desc.visitor->cpu(walk.perm, state->desc.n, state->data) != 0;
}

COMBGPU__PRIVATE void combgpu__perm_release(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    combgpu__release(job->ctx, state->area);
    combgpu__release(job->ctx, state->chunk);
    combgpu__release(job->ctx, state->walk);
    combgpu__release(job->ctx, state->groups);
    combgpu__release(job->ctx, state->source);
    combgpu__release(job->ctx, state->fetched);
}

static const combgpu__problem combgpu__perm_problem = {
    "permutations",           combgpu__perm_frontier,     combgpu__perm_record,
    combgpu__perm_slice_done, combgpu__perm_fraction,     combgpu__perm_solutions,
    combgpu__perm_adopt_task, combgpu__perm_adopt_record, combgpu__perm_release};

