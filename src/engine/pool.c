/* ---- the pool, on the host and on the devices */

/* How many workers a device has in terms of the fastest: measured, or by their number at first. */
COMBGPU__PRIVATE double combgpu__share_weight(const combgpu_job *job, const combgpu__share *share)
{
    int i, measured = 1;
    if (share->lost) return 0;
    for (i = 0; i < job->share_count; i++)
        measured &= job->shares[i].lost || job->shares[i].speed > 0;
    return measured ? share->speed : (double)share->workers;
}

/* Neighbours in the frontier are about as large. Puts the reserve in an order in which each device,
   which takes its part from the end, gets some of everywhere. The tasks as they were are kept: they
   are the first snapshot. */
COMBGPU__PRIVATE void combgpu__deal(combgpu_job *job)
{
    size_t count = job->reserve_count, bytes = job->task_words * sizeof(uint32_t);
    int hands = job->share_count, hand;
    uint32_t *dealt;
    if (hands < 2 || count < (size_t)hands) return;
    dealt = (uint32_t *)combgpu__allocate(job->ctx, count * bytes);
    if (!dealt) return; /* it only takes longer */
#ifdef _OPENMP
#pragma omp parallel for num_threads(combgpu__host_threads(job->ctx)) schedule(static, 1)
#endif
    for (hand = 0; hand < hands; hand++) {
        size_t first = (size_t)hand, step = (size_t)hands, i;
        size_t to = first * (count / step) + (first < count % step ? first : count % step);
        for (i = first; i < count; i += step)
            memcpy(dealt + to++ * job->task_words, job->reserve + i * job->task_words, bytes);
    }
    job->first_tasks = job->reserve;
    job->first_count = count;
    job->reserve = dealt;
    job->reserve_capacity = count;
}

/* What a device's tasks are worth, in tasks that nobody has begun: left-over ones are small. */
#define COMBGPU__LEFT_WORTH 0.125
COMBGPU__PRIVATE double combgpu__share_stock(const combgpu__share *share)
{
    return share->whole + COMBGPU__LEFT_WORTH * (share->pool_count - share->whole);
}

/* What the device has beyond its part of all tasks there are, by its speed; negative: it lacks so
   much. A slow device may have none of the last few; the fastest one always lacks some. */
COMBGPU__PRIVATE double combgpu__share_excess(const combgpu_job *job, const combgpu__share *share)
{
    double mine = combgpu__share_weight(job, share), all = 0, stock = (double)job->reserve_count;
    int fastest = 1, i;
    for (i = 0; i < job->share_count; i++) {
        double weight = combgpu__share_weight(job, &job->shares[i]);
        all += weight;
        fastest &= weight <= mine;
        stock += combgpu__share_stock(&job->shares[i]);
    }
    return combgpu__share_stock(share) - fastest - (all > 0 ? stock * mine / all : 0);
}

/* Moves the last `count` tasks of a device's pool to the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__spill(combgpu_job *job, combgpu__share *share,
                                               uint32_t count)
{
    size_t task_bytes = job->task_words * sizeof(uint32_t);
    uint64_t fresh = share->fresh < count ? share->fresh : count;
    combgpu_status status = combgpu__reserve_room(job, count);
    if (!status && count)
        status = share->backend->download(
            share->ctx, job->reserve + job->reserve_count * job->task_words,
            &share->memory[COMBGPU__POOL], (share->pool_count - count) * task_bytes,
            count * task_bytes);
    if (status) return status;
    job->reserve_count += count;
    share->pool_count -= count;
    share->whole -= share->whole < count ? share->whole : count;
    share->fresh -= fresh;
    job->fresh_reserve += fresh;
    return COMBGPU_OK;
}

/* Moves tasks between the reserve's top and the pool's end, so that the pool holds enough for every
   worker but leaves room for all that a slice can give back. */
COMBGPU__PRIVATE combgpu_status combgpu__feed(combgpu_job *job, combgpu__share *share)
{
    size_t task_bytes = job->task_words * sizeof(uint32_t), move;
    uint32_t most = share->pool_capacity - combgpu__left_room(job, share);
    double lacks;
    combgpu_status status;
    if (share->pool_count > most) return combgpu__spill(job, share, share->pool_count - most);
    if (!job->reserve_count || share->pool_count == most) return COMBGPU_OK;
    move = most - share->pool_count;
    if (move > job->reserve_count) move = job->reserve_count;
    lacks = 0.5 - combgpu__share_excess(job, share);
    if (job->share_count > 1 && lacks < (double)move) move = lacks < 1 ? 0 : (size_t)lacks;
    if (!move) return COMBGPU_OK;
    status = share->backend->upload(
        share->ctx, &share->memory[COMBGPU__POOL], share->pool_count * task_bytes,
        job->reserve + (job->reserve_count - move) * job->task_words, move * task_bytes);
    if (status) return status;
    job->reserve_count -= move;
    share->pool_count += (uint32_t)move;
    share->whole += (uint32_t)move;
    if (job->fresh_reserve > job->reserve_count) {
        share->fresh += job->fresh_reserve - job->reserve_count;
        job->fresh_reserve = job->reserve_count;
    }
    return COMBGPU_OK;
}

/* Has a device too few tasks, while there are none in the reserve? */
COMBGPU__PRIVATE int combgpu__starving(const combgpu_job *job, const combgpu__share *share)
{
    int i;
    for (i = 0; i < job->share_count && !job->reserve_count; i++) {
        const combgpu__share *other = &job->shares[i];
        if (other != share && !other->lost && (other->hungry || other->pool_count < other->workers))
            return 1;
    }
    return 0;
}

/* After a slice: gives what is above the quota to devices that have too few for their workers, the
   last of the pool, which are the largest. */
COMBGPU__PRIVATE combgpu_status combgpu__balance(combgpu_job *job, combgpu__share *share)
{
    double excess = combgpu__share_excess(job, share), count;
    if (excess <= 0 || !combgpu__starving(job, share)) return COMBGPU_OK;
    count = excess < share->whole ? excess
                                  : share->whole + (excess - share->whole) / COMBGPU__LEFT_WORTH;
    return combgpu__spill(job, share, (uint32_t)count);
}

