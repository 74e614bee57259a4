/* The engine's calls for the travelling salesman: frontier, records, slices, checkpoints. */

/* Keeps a better answer: a shorter one, or an equally short one with a smaller prefix. */
COMBGPU__PRIVATE void combgpu__table_take_best(uint64_t *accumulators, uint64_t length,
                                               uint64_t prefix)
{
    if (accumulators[COMBGPU__TSP_HAS] && (accumulators[COMBGPU__TSP_LENGTH] < length ||
                                           (accumulators[COMBGPU__TSP_LENGTH] == length &&
                                            accumulators[COMBGPU__TSP_PREFIX] <= prefix)))
        return;
    accumulators[COMBGPU__TSP_HAS] = 1;
    accumulators[COMBGPU__TSP_LENGTH] = length;
    accumulators[COMBGPU__TSP_PREFIX] = prefix;
}

/* Merges a shard: adds the tours and keeps the best one. */
COMBGPU__PRIVATE void combgpu__table_merge(const combgpu_job *job, uint64_t *accumulators,
                                           const uint64_t *more)
{
    int i;
    (void)job;
    for (i = 0; i < COMBGPU__TOTALS; i++)
        accumulators[i] += more[i];
    if (more[COMBGPU__TSP_HAS])
        combgpu__table_take_best(accumulators, more[COMBGPU__TSP_LENGTH],
                                 more[COMBGPU__TSP_PREFIX]);
}

/* Reads an order from m bytes. Returns 0 if they are not an order. */
COMBGPU__PRIVATE int combgpu__table_unpack(int m, const uint32_t *words, int *order)
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

COMBGPU__COLD_BEGIN
/* Searches up to 6 middle cities, at most 720 orders, on the host, in the first shard. */
COMBGPU__PRIVATE void combgpu__table_small(combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    combgpu__table_costs costs = combgpu__table_view(combgpu__tables(job));
    uint64_t number, tours;
    if (combgpu__shard(job)) return;
    if (tsp->m < 2) {
        int order[1] = {0};
        combgpu__accumulators(job)[0] =
            tsp->method == COMBGPU_TSP_BRUTE_FORCE; /* one tour, no states */
        combgpu__table_take_best(combgpu__accumulators(job),
                                 (uint64_t)combgpu__tsp_order_cost(tsp, order), 0);
        return;
    }
    for (number = 0; number < tsp->prefixes; number++) {
        int64_t length = combgpu__table_prefix(&costs, number, &tours);
        if (!tours) continue;
        combgpu__accumulators(job)[0] += tours;
        combgpu__accumulators(job)[1] += combgpu__table_hash(number, length);
        combgpu__table_take_best(combgpu__accumulators(job), (uint64_t)length, number);
    }
}

COMBGPU__PRIVATE combgpu_status combgpu__table_frontier(combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    uint64_t size = tsp->prefixes / COMBGPU__TSP_RANGES + 1, begin;
    uint32_t task[4] = {0, 0, 0, 0};
    combgpu_status status = COMBGPU_OK;
    if (!tsp->m || (tsp->method == COMBGPU_TSP_BRUTE_FORCE && tsp->m <= COMBGPU__TSP_SUFFIX)) {
        combgpu__table_small(job);
        return COMBGPU_OK;
    }
    if (tsp->method != COMBGPU_TSP_BRUTE_FORCE) return combgpu__push(job, task); /* all zero */
    size = (size + COMBGPU__TSP_RANGE - 1) / COMBGPU__TSP_RANGE * COMBGPU__TSP_RANGE;
    for (begin = 0; begin < tsp->prefixes && !status; begin += size) {
        combgpu__put64(task, begin);
        combgpu__put64(task + 2, begin + size < tsp->prefixes ? begin + size : tsp->prefixes);
        status = combgpu__push(job, task);
    }
    return status;
}
COMBGPU__COLD_END

COMBGPU__PRIVATE int combgpu__table_validate_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    int order[COMBGPU__TSP_MOST] = {0};
    if (tsp->method == COMBGPU_TSP_BRUTE_FORCE) return combgpu__get64(record + 2) < tsp->prefixes;
    return combgpu__table_unpack(tsp->m, record + 2, order) &&
           (uint64_t)combgpu__tsp_order_cost(tsp, order) == combgpu__get64(record);
}

COMBGPU__PRIVATE combgpu__result combgpu__table_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    int i;
    if (tsp->method == COMBGPU_TSP_BRUTE_FORCE) {
        combgpu__table_take_best(combgpu__accumulators(job), combgpu__get64(record),
                                 combgpu__get64(record + 2));
        return COMBGPU__CONTINUE;
    }
    if (!combgpu__table_validate_record(job, record)) /* a device may be faulty */
        return combgpu__as_result(combgpu__fail(combgpu__context(job), COMBGPU_DEVICE_ERROR,
                                                "kernel %s reports a wrong length for its tour",
                                                combgpu__desc(job)->kernel.name));
    combgpu__accumulators(job)[COMBGPU__TSP_HAS] = 1;
    combgpu__accumulators(job)[COMBGPU__TSP_LENGTH] = combgpu__get64(record);
    for (i = 0; i < 4; i++)
        combgpu__accumulators(job)[COMBGPU__TSP_ORDER + i] = combgpu__get64(record + 2 + 2 * i);
    return COMBGPU__CONTINUE;
}

/* Held-Karp: keeps the budget from growing after a slice that ended with its layer. Such a slice
   left some budget unused, so its time predicts nothing. */
COMBGPU__PRIVATE combgpu_status combgpu__table_slice_done(combgpu_job *job,
                                                          const combgpu__executor *executor,
                                                          uint64_t *accumulators)
{
    combgpu__tsp *tsp = (combgpu__tsp *)combgpu__state(job);
    uint64_t steps = accumulators[0] - tsp->steps_seen;
    if (tsp->method == COMBGPU_TSP_BRUTE_FORCE) return COMBGPU_OK;
    if (steps < (uint64_t)tsp->budget * combgpu__slice_workers(executor) / 2 &&
        combgpu__budget(job) > tsp->budget)
        combgpu__set_budget(job, tsp->budget);
    tsp->budget = combgpu__budget(job);
    tsp->steps_seen = accumulators[0];
    return COMBGPU_OK;
}

COMBGPU__PRIVATE double combgpu__table_fraction(const combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    double shards = combgpu__shards(job);
    double fraction = (double)combgpu__accumulators(job)[0] * shards / (double)tsp->all_steps;
    return fraction < 1 ? fraction : 1;
}

/* Held-Karp: sets the task back to layer 0, because checkpoints do not contain the table. */
COMBGPU__PRIVATE int combgpu__table_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    if (tsp->method != COMBGPU_TSP_BRUTE_FORCE) { /* the heuristic of few cities is a table, too */
        memset(task, 0, COMBGPU__TSP_TASK_WORDS * sizeof *task);
        return 1;
    }
    return combgpu__get64(task) < combgpu__get64(task + 2) &&
           combgpu__get64(task + 2) <= tsp->prefixes && tsp->m > COMBGPU__TSP_SUFFIX;
}
