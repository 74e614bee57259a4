/* ---- Deals tasks, refills pools, spills to the reserve. */

/* Returns the weight of an executor's share of tasks: its speed, or its workers until every
   executor's speed is known. */
COMBGPU__PRIVATE double combgpu__executor_weight(const combgpu_job *job,
                                                 const combgpu__executor *executor)
{
    int i, measured = 1;
    if (executor->lost) return 0;
    for (i = 0; i < job->executor_count; i++)
        measured &= job->executors[i].lost || job->executors[i].speed > 0;
    return measured ? executor->speed : (double)executor->workers;
}

typedef struct combgpu__dealing {
    const combgpu_job *job;
    uint32_t *dealt;
} combgpu__dealing;

/* Copies one executor's tasks to their positions. */
COMBGPU__PRIVATE void combgpu__deal_hand(void *user, int hand, int thread)
{
    const combgpu__dealing *dealing = (const combgpu__dealing *)user;
    const combgpu_job *job = dealing->job;
    size_t words = job->desc.task_words, count = job->reserve.count, i;
    size_t first = (size_t)hand, step = (size_t)job->executor_count;
    size_t to = first * (count / step) + (first < count % step ? first : count % step);
    (void)thread;
    for (i = first; i < count; i += step)
        memcpy(dealing->dealt + to++ * words, job->reserve.tasks + i * words,
               words * sizeof(uint32_t));
}

/* Reorders the reserve so that each executor, refilled from its end, gets tasks from the whole
   frontier, whose neighbours are about equally large. Keeps the original order as the first
   snapshot. */
COMBGPU__PRIVATE void combgpu__deal(combgpu_job *job)
{
    size_t count = job->reserve.count, bytes = job->desc.task_words * sizeof(uint32_t);
    combgpu__dealing dealing;
    if (job->executor_count < 2 || count < (size_t)job->executor_count) return;
    dealing.job = job;
    dealing.dealt = (uint32_t *)combgpu__allocate(job->ctx, count * bytes);
    if (!dealing.dealt) return; /* an undealt reserve is merely slower */
    combgpu__loop(job->ctx, combgpu__host_threads(job->ctx), job->executor_count, 1,
                  combgpu__deal_hand, &dealing);
    job->recovery.tasks = job->reserve.tasks;
    job->recovery.count = count;
    job->reserve.tasks = dealing.dealt;
    job->reserve.capacity = count;
}

/* An executor's stock, counted in unclaimed tasks: spilled tasks are small. */
#define COMBGPU__LEFT_WORTH 0.125
COMBGPU__PRIVATE double combgpu__executor_stock(const combgpu__executor *executor)
{
    return executor->unclaimed + COMBGPU__LEFT_WORTH * (executor->pool_count - executor->unclaimed);
}

/* Returns an executor's stock beyond its quota, its share of all tasks by weight; negative if it
   lacks tasks. A slow executor may get none of the last few tasks; the fastest one's quota is one
   higher. */
COMBGPU__PRIVATE double combgpu__executor_excess(const combgpu_job *job,
                                                 const combgpu__executor *executor)
{
    double mine = combgpu__executor_weight(job, executor), all = 0;
    double stock = (double)(job->reserve.count - job->reserve.deferred);
    int fastest = 1, i;
    for (i = 0; i < job->executor_count; i++) {
        double weight = combgpu__executor_weight(job, &job->executors[i]);
        all += weight;
        fastest &= weight <= mine;
        stock += combgpu__executor_stock(&job->executors[i]);
    }
    return combgpu__executor_stock(executor) - fastest - (all > 0 ? stock * mine / all : 0);
}

/* Moves the last `count` tasks of an executor's pool to the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__spill(combgpu_job *job, combgpu__executor *executor,
                                               uint32_t count)
{
    size_t task_bytes = job->desc.task_words * sizeof(uint32_t);
    uint64_t fresh = executor->fresh < count ? executor->fresh : count;
    combgpu_status status = combgpu__reserve_room(job, count);
    if (!status && count)
        status = executor->backend->download(
            executor->ctx, job->reserve.tasks + job->reserve.count * job->desc.task_words,
            &executor->memory[COMBGPU__POOL], (executor->pool_count - count) * task_bytes,
            count * task_bytes);
    if (status) return status;
    job->reserve.count += count;
    executor->pool_count -= count;
    executor->unclaimed -= executor->unclaimed < count ? executor->unclaimed : count;
    executor->fresh -= fresh;
    job->reserve.fresh += fresh;
    return COMBGPU_OK;
}

/* Moves tasks from the top of the reserve to the end of the pool. The pool gets the executor's
   quota, but keeps room for half of the tasks that a slice can spill, which rarely exceeds that. */
COMBGPU__PRIVATE combgpu_status combgpu__refill(combgpu_job *job, combgpu__executor *executor)
{
    size_t task_bytes = job->desc.task_words * sizeof(uint32_t), move;
    size_t waiting = job->reserve.count - job->reserve.deferred;
    uint32_t most = executor->pool_capacity - combgpu__left_room(job, executor) / 2;
    double lacks;
    combgpu_status status;
    if (!waiting || executor->pool_count >= most) return COMBGPU_OK;
    move = most - executor->pool_count;
    if (move > waiting) move = waiting;
    lacks = 0.5 - combgpu__executor_excess(job, executor);
    if (job->executor_count > 1 && lacks < (double)move) move = lacks < 1 ? 0 : (size_t)lacks;
    if (!move) return COMBGPU_OK;
    status = executor->backend->upload(
        executor->ctx, &executor->memory[COMBGPU__POOL], executor->pool_count * task_bytes,
        job->reserve.tasks + (job->reserve.count - move) * job->desc.task_words, move * task_bytes);
    if (status) return status;
    job->reserve.count -= move;
    executor->pool_count += (uint32_t)move;
    executor->unclaimed += (uint32_t)move;
    waiting -= move;
    if (job->reserve.fresh > waiting) {
        executor->fresh += job->reserve.fresh - waiting;
        job->reserve.fresh = waiting;
    }
    return COMBGPU_OK;
}

/* Returns whether another executor has too few tasks and the reserve is empty. */
COMBGPU__PRIVATE int combgpu__starving(const combgpu_job *job, const combgpu__executor *executor)
{
    int i;
    for (i = 0; i < job->executor_count && job->reserve.count == job->reserve.deferred; i++) {
        const combgpu__executor *other = &job->executors[i];
        if (other != executor && !other->lost &&
            (other->starved || other->pool_count < other->workers))
            return 1;
    }
    return 0;
}

/* After a slice, spills an executor's excess if another has too few tasks: the pool's last tasks,
   which are the largest. */
COMBGPU__PRIVATE combgpu_status combgpu__balance(combgpu_job *job, combgpu__executor *executor)
{
    double excess = combgpu__executor_excess(job, executor), count;
    if (excess <= 0 || !combgpu__starving(job, executor)) return COMBGPU_OK;
    count = excess < executor->unclaimed
                ? excess
                : executor->unclaimed + (excess - executor->unclaimed) / COMBGPU__LEFT_WORTH;
    return combgpu__spill(job, executor, (uint32_t)count);
}
