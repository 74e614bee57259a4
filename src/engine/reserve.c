/* ---- The reserve: tasks on the host. */

/* Makes room for `more` tasks on the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__reserve_room(combgpu_job *job, size_t more)
{
    size_t capacity = job->reserve.capacity, bytes;
    uint32_t *grown;
    if (more > SIZE_MAX / 2 - job->reserve.count) return combgpu__no_memory(job->ctx, SIZE_MAX);
    if (job->reserve.count + more <= capacity) return COMBGPU_OK;
    if (capacity < 64) capacity = 64;
    while (capacity < job->reserve.count + more)
        capacity *= 2;
    bytes = combgpu__bytes(capacity, job->desc.task_words * sizeof(uint32_t));
    grown = (uint32_t *)combgpu__reallocate(
        job->ctx, job->reserve.tasks, job->reserve.count * job->desc.task_words * sizeof(uint32_t),
        bytes);
    if (!grown) return combgpu__no_memory(job->ctx, bytes);
    job->reserve.tasks = grown;
    job->reserve.capacity = capacity;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE uint32_t *combgpu__reserve(const combgpu_job *job, size_t *count)
{
    *count = job->reserve.count;
    return job->reserve.tasks;
}

COMBGPU__PRIVATE combgpu_status combgpu__reserve_put(combgpu_job *job, size_t at,
                                                     const uint32_t *task)
{
    size_t words = job->desc.task_words, bytes = words * sizeof(uint32_t);
    combgpu_status status = combgpu__reserve_room(job, 1);
    if (status) return status;
    if (at < job->reserve.count)
        memcpy(job->reserve.tasks + job->reserve.count * words, job->reserve.tasks + at * words,
               bytes);
    memcpy(job->reserve.tasks + at * words, task, bytes);
    job->reserve.count++;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__defer(combgpu_job *job, const uint32_t *task)
{
    combgpu_status status = combgpu__reserve_put(job, job->reserve.deferred, task);
    if (!status) job->reserve.deferred++;
    return status;
}

COMBGPU__PRIVATE void combgpu__reserve_clear(combgpu_job *job)
{
    job->reserve.count = 0;
    job->reserve.deferred = 0;
    job->reserve.fresh = 0;
}

COMBGPU__PRIVATE combgpu_status combgpu__push_mine(combgpu_job *job, const uint32_t *task)
{
    combgpu_status status = combgpu__reserve_put(job, job->reserve.count, task);
    if (status) return status;
    job->reserve.all_shards++;
    job->reserve.own_shard++;
    job->reserve.fresh++;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__push(combgpu_job *job, const uint32_t *task)
{
    if (job->reserve.all_shards % (uint64_t)combgpu__shards(job) == (uint64_t)job->run.shard_index)
        return combgpu__push_mine(job, task);
    job->reserve.all_shards++;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE uint64_t combgpu__pushed(const combgpu_job *job)
{
    return job->reserve.all_shards;
}

COMBGPU__PRIVATE combgpu_status combgpu__push_range(combgpu_job *job, uint64_t begin, uint64_t end,
                                                    uint64_t chunks)
{
    uint64_t total = end - begin, size = total / chunks + (total % chunks != 0);
    combgpu_status status = COMBGPU_OK;
    while (begin < end && !status) {
        uint32_t task[4];
        uint64_t stop = end - begin > size ? begin + size : end;
        combgpu__put64(task, begin);
        combgpu__put64(task + 2, stop);
        status = combgpu__push(job, task);
        begin = stop;
    }
    return status;
}
