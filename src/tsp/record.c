/* ---- records */

/* Keeps a better answer: shorter, or as short with a smaller prefix. */
COMBGPU__PRIVATE void combgpu__tsp_take_best(combgpu_job *job, uint64_t length, uint64_t prefix)
{
    uint64_t *sums = job->sums;
    if (sums[COMBGPU__TSP_HAS] &&
        (sums[COMBGPU__TSP_LENGTH] < length ||
         (sums[COMBGPU__TSP_LENGTH] == length && sums[COMBGPU__TSP_PREFIX] <= prefix)))
        return;
    sums[COMBGPU__TSP_HAS] = 1;
    sums[COMBGPU__TSP_LENGTH] = length;
    sums[COMBGPU__TSP_PREFIX] = prefix;
}

/* Shards: the tours add up, the best one counts. */
COMBGPU__PRIVATE void combgpu__tsp_merge(combgpu_job *job, const uint64_t *sums)
{
    int i;
    for (i = 0; i < COMBGPU__TOTALS; i++)
        job->sums[i] += sums[i];
    if (sums[COMBGPU__TSP_HAS])
        combgpu__tsp_take_best(job, sums[COMBGPU__TSP_LENGTH], sums[COMBGPU__TSP_PREFIX]);
}

/* Reads m bytes of an order; 0 if they are none. */
COMBGPU__PRIVATE int combgpu__tsp_unpack(int m, const uint32_t *words, int *order)
{
    uint32_t used = 0;
    int i;
    for (i = 0; i < m; i++) {
        order[i] = (int)(words[i / 4] >> 8 * (i % 4) & 255);
        if (order[i] >= m || used >> order[i] & 1) return 0;
        used |= 1u << order[i];
    }
    return 1;
}

/* Up to 6 middle cities there are at most 720 orders: done on the host, by the first shard. */
COMBGPU__PRIVATE void combgpu__tsp_small(combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    combgpu__tsp_costs costs = combgpu__tsp_view(job->tables);
    uint64_t number, tours;
    if (job->run.shard_index) return;
    if (tsp->m < 2) {
        int order[1] = {0};
        job->sums[0] = tsp->method == COMBGPU_TSP_BRUTE_FORCE; /* one tour, no states */
        combgpu__tsp_take_best(job, (uint64_t)combgpu__tsp_order_cost(tsp, order), 0);
        return;
    }
    for (number = 0; number < tsp->prefixes; number++) {
        int64_t length = combgpu__tsp_prefix(&costs, number, &tours);
        if (!tours) continue;
        job->sums[0] += tours;
        job->sums[1] += combgpu__tsp_hash(number, length);
        combgpu__tsp_take_best(job, (uint64_t)length, number);
    }
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    int order[COMBGPU__TSP_MOST] = {0}, i;
    if (tsp->method == COMBGPU_TSP_BRUTE_FORCE) {
        combgpu__tsp_take_best(job, combgpu__get64(record), combgpu__get64(record + 2));
        return COMBGPU_RUNNING;
    }
    if (!combgpu__tsp_unpack(tsp->m, record + 2, order) ||
        (uint64_t)combgpu__tsp_order_cost(tsp, order) != combgpu__get64(record))
        return combgpu__fail(job->ctx, COMBGPU_DEVICE_ERROR,
                             "kernel %s: the tour that it found is not as long as it says",
                             job->kernel.name);
    job->sums[COMBGPU__TSP_HAS] = 1;
    job->sums[COMBGPU__TSP_LENGTH] = combgpu__get64(record);
    for (i = 0; i < 4; i++)
        job->sums[COMBGPU__TSP_ORDER + i] = combgpu__get64(record + 2 + 2 * i);
    return COMBGPU_RUNNING;
}

/* Held-Karp: a chunk that ended with its layer did not use its budget up, and says nothing about
   how much the next slice can do. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_slice_done(combgpu_job *job,
                                                        const combgpu__share *share)
{
    combgpu__tsp *tsp = (combgpu__tsp *)job->state;
    uint64_t steps = job->sums[0] - tsp->steps_seen;
    if (tsp->method != COMBGPU_TSP_HELD_KARP) return COMBGPU_OK;
    if (steps < (uint64_t)tsp->budget * share->workers / 2 && job->budget > tsp->budget)
        job->budget = tsp->budget;
    tsp->budget = job->budget;
    tsp->steps_seen = job->sums[0];
    return COMBGPU_OK;
}

COMBGPU__PRIVATE double combgpu__tsp_fraction(const combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    double shards = job->run.shard_count > 1 ? job->run.shard_count : 1;
    double fraction = (double)job->sums[0] * shards / (double)tsp->all_steps;
    return fraction < 1 ? fraction : 1;
}

/* A table is not part of a checkpoint: its task begins again. */
COMBGPU__PRIVATE int combgpu__tsp_adopt_task(combgpu_job *job, uint32_t *task)
{
    combgpu__tsp *tsp = (combgpu__tsp *)job->state;
    if (tsp->method == COMBGPU_TSP_HELD_KARP) {
        memset(task, 0, COMBGPU__TSP_TASK_WORDS * sizeof *task);
        return tsp->adopted++ == 0;
    }
    return combgpu__get64(task) < combgpu__get64(task + 2) &&
           combgpu__get64(task + 2) <= tsp->prefixes && tsp->m > COMBGPU__TSP_SUFFIX;
}

COMBGPU__PRIVATE int combgpu__tsp_adopt_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    int order[COMBGPU__TSP_MOST];
    return tsp->method == COMBGPU_TSP_BRUTE_FORCE ? combgpu__get64(record + 2) < tsp->prefixes
                                                  : combgpu__tsp_unpack(tsp->m, record + 2, order);
}

static const combgpu__problem combgpu__tsp_problem = {"tsp",
                                                      combgpu__tsp_frontier,
                                                      combgpu__tsp_record,
                                                      combgpu__tsp_slice_done,
                                                      combgpu__tsp_fraction,
                                                      NULL,
                                                      combgpu__tsp_adopt_task,
                                                      combgpu__tsp_adopt_record,
                                                      NULL};

