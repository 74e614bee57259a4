/* Searches: collects the slices' records, best member and bins; has the engine's other calls. */

/* The 32-bit form of a key, in the same order; the ends stand for all beyond them.
   combgpu_perm_search_hint (search/solve.cl) is the same for kernels. */
COMBGPU__PRIVATE uint32_t combgpu__perm_search_hint(int64_t key)
{
    return key <= INT32_MIN   ? 0
           : key >= INT32_MAX ? UINT32_MAX
                              : (uint32_t)(int32_t)key ^ UINT32_C(0x80000000);
}

/* Checks whether the best member beats a bound on its path, which may then have cut off others. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_check_bounds(combgpu_job *job)
{
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    combgpu__perm_search_walk walk = state->root;
    uint64_t allowed = 0;
    int64_t value = 0;
    walk.asks_bounds = state->desc.goal != COMBGPU_SEARCH_FIRST && walk.prunes;
    if (!walk.asks_bounds ||
        !state->desc.searcher->go(&walk, state->best.perm, walk.length, &allowed, &value) ||
        walk.bound_key <= state->best.key)
        return COMBGPU_OK;
    return combgpu__fail(combgpu__context(job), COMBGPU_INVALID_ARGUMENT,
                         "searcher %.100s, bound: %lld with %d of %d positions filled, but a "
                         "completion has the value %lld",
                         state->desc.searcher->name,
                         (long long)(walk.prunes == COMBGPU__PERM_SEARCH_PRUNES_BELOW
                                         ? ~walk.bound_key
                                         : walk.bound_key),
                         walk.bound_places, walk.length, (long long)state->best.value);
}

/* Hands the shared best member to the sums and, with the tables, to the devices. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_deliver_best(combgpu_job *job,
                                                                  uint64_t *accumulators)
{
    combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    uint32_t words[COMBGPU__PERM_SEARCH_AT_ORDERED - COMBGPU__PERM_SEARCH_AT_KEY];
    uint8_t ranks[COMBGPU__PERM_MOST];
    combgpu_status status;
    int i;
    if (state->delivered == state->version) return COMBGPU_OK;
    status = combgpu__perm_search_check_bounds(job);
    if (status) return status;
    state->delivered = state->version;
    combgpu__perm_search_to_accumulators(&state->best, accumulators);
    memset(ranks, 0, sizeof ranks);
    for (i = 0; i < state->root.length; i++)
        ranks[i] = state->root.rank[state->best.perm[i]];
    combgpu__put64(words, (uint64_t)state->best.key);
    memcpy(words + 2, ranks, sizeof ranks);
    combgpu__change_tables(job, COMBGPU__PERM_SEARCH_AT_KEY, words, sizeof words / sizeof words[0]);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_search_slice_done(combgpu_job *job,
                                                                const combgpu__executor *executor,
                                                                uint64_t *accumulators)
{
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    if (state->best_goal) return combgpu__perm_search_deliver_best(job, accumulators);
    if (state->desc.goal == COMBGPU_SEARCH_HISTOGRAM)
        return combgpu__perm_fetch_bins(executor, state->fetched, (size_t)state->desc.bins,
                                        accumulators + COMBGPU__PERM_SEARCH_S_BINS);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE uint64_t combgpu__perm_search_hits(const combgpu_job *job)
{
    return combgpu__accumulators(job)[COMBGPU__PERM_SEARCH_S_HITS] +
           combgpu__accumulators(job)[COMBGPU__PERM_SEARCH_S_RECORD_HITS];
}

/* Reads a record's member and value; returns 0 if the callbacks on the host reject them. */
COMBGPU__PRIVATE int combgpu__perm_search_read(const combgpu__perm_search_state *state,
                                               const uint32_t *record, uint8_t *perm,
                                               int64_t *value)
{
    combgpu__perm_search_walk walk = state->root;
    uint64_t allowed = 0;
    int64_t own = 0;
    combgpu__perm_search_get_perm(record, perm, walk.length);
    *value = (int64_t)combgpu__get64(record + (walk.length + 3) / 4);
    return state->desc.searcher->go(&walk, perm, walk.length, &allowed, &own) && own == *value &&
           (own || !(state->lists || state->desc.goal == COMBGPU_SEARCH_FIRST));
}

/* Counts a hit and hands it over. */
COMBGPU__PRIVATE combgpu__result combgpu__perm_search_hit(combgpu_job *job, const uint8_t *perm,
                                                          int64_t value)
{
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    const combgpu_perm_search_desc *desc = &state->desc;
    uint64_t *accumulators = combgpu__accumulators(job);
    size_t length = (size_t)state->root.length;
    int stop = 0;
    accumulators[COMBGPU__PERM_SEARCH_S_RECORD_HITS]++;
    accumulators[COMBGPU__PERM_SEARCH_S_RECORD_HASH] +=
        combgpu__perm_search_hash(perm, (int)length);
    if (desc->out && accumulators[COMBGPU__PERM_SEARCH_S_WRITTEN] < desc->out_bytes / length)
        memcpy(desc->out + length * (size_t)accumulators[COMBGPU__PERM_SEARCH_S_WRITTEN]++, perm,
               length);
    if (desc->solution) stop = desc->solution(perm, (int)length, value, desc->solution_user);
    return combgpu__is_enough(job, desc->limit, combgpu__perm_search_hits(job)) ? COMBGPU__ENOUGH
           : stop                                                               ? COMBGPU__STOP
                                                                                : COMBGPU__CONTINUE;
}

COMBGPU__PRIVATE combgpu__result combgpu__perm_search_record(combgpu_job *job,
                                                             const uint32_t *record)
{
    combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    uint8_t perm[COMBGPU__PERM_MOST];
    int64_t value;
    combgpu_status status;
    if (!combgpu__perm_search_read(state, record, perm, &value))
        return combgpu__as_result(
            combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                          "kernel %s: searcher %.100s rejects a member or its value on the host",
                          combgpu__desc(job)->kernel.name, state->desc.searcher->name));
    if (!state->best_goal) return combgpu__perm_search_hit(job, perm, value);
    if (combgpu__perm_search_improve(state, combgpu__perm_search_key(state, value), value, perm))
        state->version++;
    status = combgpu__perm_search_deliver_best(job, combgpu__accumulators(job));
    return status ? combgpu__as_result(status) : COMBGPU__CONTINUE;
}

/* Merges shards: adds everything but the best member and their written output. */
COMBGPU__PRIVATE void combgpu__perm_search_merge(const combgpu_job *job, uint64_t *accumulators,
                                                 const uint64_t *more)
{
    combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    combgpu__perm_search_best best;
    int i;
    for (i = 0; i < COMBGPU__ACCUMULATORS; i++)
        if (i < COMBGPU__PERM_SEARCH_S_WRITTEN || i >= COMBGPU__PERM_SEARCH_S_BINS)
            accumulators[i] += more[i];
    if (more[COMBGPU__PERM_SEARCH_S_FOUND] &&
        combgpu__perm_search_from_accumulators(state, more, &best) &&
        combgpu__perm_search_improve(state, best.key, best.value, best.perm))
        combgpu__perm_search_to_accumulators(&state->best, accumulators);
}

COMBGPU__PRIVATE int combgpu__perm_search_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    combgpu__perm_search_walk walk = state->root;
    return combgpu__perm_search_go_to(state, &walk, task);
}

COMBGPU__PRIVATE int combgpu__perm_search_validate_record(combgpu_job *job, const uint32_t *record)
{
    uint8_t perm[COMBGPU__PERM_MOST];
    int64_t value;
    return combgpu__perm_search_read(combgpu__perm_search_of(job), record, perm, &value);
}

COMBGPU__PRIVATE void combgpu__perm_search_release(combgpu_job *job)
{
    combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    combgpu__release(combgpu__context(job), state->source);
    combgpu__release(combgpu__context(job), state->fetched);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__perm_search_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "permutation search";
    search.frontier = combgpu__perm_search_frontier;
    search.record = combgpu__perm_search_record;
    search.slice_done = combgpu__perm_search_slice_done;
    search.solutions = combgpu__perm_search_hits;
    search.validate_task = combgpu__perm_search_validate_task;
    search.validate_record = combgpu__perm_search_validate_record;
    search.merge = combgpu__perm_search_merge;
    search.release = combgpu__perm_search_release;
    return search;
}
