/* Ranges of permutations: begin, end and the one-shot call. */

/* Makes desc.device_out the memory that the kernel writes to; on the CPU, desc.out. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_output(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    combgpu_perm_desc *desc = &state->desc;
    combgpu__memory memory;
    combgpu_status status;
    if (!desc->device_out.memory) return COMBGPU_OK;
    status = combgpu__device_adopt(combgpu__context(job), "desc.device_out", &desc->device_out,
                                   &memory, &state->caller_shift);
    if (status) return status;
    if (!combgpu__is_cpu(combgpu__context(job))) {
        search->caller_work = memory;
        return COMBGPU_OK;
    }
    desc->out = (unsigned char *)memory.handle + state->caller_shift;
    desc->out_bytes = desc->device_out.bytes;
    desc->device_out.memory = NULL;
    return COMBGPU_OK;
}

/* Sets the base that ranks count from, and how the range is cut into tasks. */
COMBGPU__PRIVATE void combgpu__perm_plan(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    combgpu_perm_desc *desc = &state->desc;
    uint64_t first = desc->first;
    if (state->all && desc->n > COMBGPU__PERM_MAX) { /* 2^64 = 25216 mod 8! */
        desc->first = (first % 40320 + desc->first_hi % 40320 * 25216) % 40320;
        state->base.lo = first - desc->first;
        state->base.hi = desc->first_hi - (first < desc->first);
    }
    state->end = desc->first + desc->count;
    state->object = (size_t)desc->n * (size_t)desc->item_bytes;
    state->orders = state->all && desc->n < COMBGPU__PERM_PLACES ? combgpu_factorial(desc->n).lo
                                                                 : COMBGPU__PERM_GROUP;
    state->piece = desc->count / (combgpu__perm_is_multi(job)        ? COMBGPU__PERM_MULTI_PIECES
                                  : desc->goal == COMBGPU_PERM_WRITE ? COMBGPU__PERM_WRITE_PIECES
                                                                     : COMBGPU__PERM_PIECES);
    state->piece = (state->piece / state->orders + 1) * state->orders;
    state->cut = state->all ? state->piece : COMBGPU__PERM_GROUP;
    state->mine = combgpu__perm_mine(job);
}

/* Writes the parameters: equal for two jobs if one can resume the other's checkpoint. Uses
   desc.first as the caller gave it. */
COMBGPU__PRIVATE void combgpu__perm_parameters(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    const combgpu_perm_desc *desc = &state->desc;
    const combgpu__perm_set *set = &state->set;
    unsigned long long first = desc->first + state->base.lo, count = desc->count;
    if (state->all && (desc->first_hi || state->translates))
        snprintf(search->parameters, sizeof search->parameters,
                 "n %d first %llu count %llu first_hi %llu items %d %016llx", desc->n, first, count,
                 (unsigned long long)desc->first_hi, desc->item_bytes,
                 (unsigned long long)combgpu__fnv(
                     COMBGPU__FNV_OFFSET,
                     (const unsigned char *)(combgpu__tables(job) + COMBGPU__WRITE_AT_ITEMS),
                     (size_t)desc->n * 8));
    else if (state->all)
        snprintf(search->parameters, sizeof search->parameters, "n %d first %llu count %llu",
                 desc->n, first, count);
    else
        snprintf(
            search->parameters, sizeof search->parameters,
            "family %d n %d k %d repeats %016llx first %llu count %llu goal %d ordered %d "
            "bins %d %lld %llu visitor %.100s data %llu %016llx",
            (int)set->family, set->n, set->k,
            (unsigned long long)combgpu__fnv(COMBGPU__FNV_OFFSET, set->repeats,
                                             sizeof set->repeats),
            first, count, (int)desc->goal, desc->ordered != 0, desc->bins,
            (long long)desc->bin_first, (unsigned long long)desc->bin_width,
            desc->visitor ? desc->visitor->name : "-", (unsigned long long)desc->data_bytes,
            (unsigned long long)combgpu__fnv(COMBGPU__FNV_OFFSET, state->data, desc->data_bytes));
}

/* Visits: sets the solver and the kernel with the caller's function. OpenCL compiles the kernel for
   one n; CUDA has a form for each n. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_kernel(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    static const char prefix[] = "#define COMBGPU_VISIT_N %d\n#define COMBGPU_VISIT_FAMILY %d\n"
                                 "#define COMBGPU_VISIT_GOAL %d\n#define COMBGPU_VISIT_LIST %d\n"
                                 "#line 1 \"source\"\n%s";
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    const combgpu_perm_desc *desc = &state->desc;
    int n = COMBGPU__VISIT_BLOCKS(combgpu__context(job)) ? combgpu__visit_fast_n(state) : 0;
    size_t bytes, slot;
    search->kernel.name = "combgpu_perm_visit";
    search->kernel.solve =
        desc->visitor->cpu || desc->visitor->cpu_many ? combgpu__visit_solve : NULL;
    search->kernel.cuda_function = desc->visitor->cuda_kernel;
    search->slice_accumulators = desc->goal != COMBGPU_PERM_COUNT;
    if (desc->goal == COMBGPU_PERM_HISTOGRAM)
        search->work_bytes_shared = slot = 8 * (size_t)desc->bins;
    else
        search->work_bytes_per_worker = slot = COMBGPU__VISIT_SLOT_WORDS * sizeof(uint32_t);
    search->cpu_work_bytes_per_worker = combgpu__visit_work_bytes(slot);
    search->record_capacity = combgpu__tables(job)[COMBGPU__SET_AT_LIST] ? 65536 : 1;
    if (!desc->visitor->opencl_source) return COMBGPU_OK;
    bytes = strlen(desc->visitor->opencl_source) + sizeof prefix + 32;
    state->source = (char *)combgpu__allocate(combgpu__context(job), bytes);
    if (!state->source) return combgpu__no_memory(combgpu__context(job), bytes);
    snprintf(state->source, bytes, prefix, n, (int)state->set.family, (int)desc->goal,
             (int)combgpu__tables(job)[COMBGPU__SET_AT_LIST], desc->visitor->opencl_source);
    search->kernel.opencl_source = state->source;
    return COMBGPU_OK;
}

/* Chooses solver, kernel and their memory. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_kernel(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    int writes = state->desc.goal == COMBGPU_PERM_WRITE, all = state->all;
    int direct = search->caller_work.handle != NULL,
        is_gpu = combgpu__device(combgpu__context(job))->is_gpu;
    int multi = combgpu__perm_is_multi(job);
    int is_cpu = combgpu__device(combgpu__context(job))->backend == COMBGPU_BACKEND_CPU;
    search->kernel.lanes_per_block = all ? COMBGPU__PERM_WRITE_LANES : COMBGPU__VISIT_LANES;
    search->kernel.lanes_per_worker = search->kernel.lanes_per_block;
    search->kernel.left_per_worker = 2;
    search->kernel.first_budget = is_cpu || (writes && !direct) ? 65536 : 1 << 20;
    search->task_words = search->record_words = 4;
    search->range_tasks = search->records_repeat = 1;
    search->one_device = writes || state->desc.ordered; /* host memory is the limit */
    if (!writes) return combgpu__visit_kernel(job);
    search->kernel.name = !direct ? NULL /* the host writes to its memory */
                          : multi ? "combgpu_perm_write_multiset"
                          : all   ? "combgpu_perm_write"
                                  : "combgpu_perm_write_set";
    search->record_capacity = 1024;
    /* so large that n = 13 is one slice of a large GPU; also the minimum of a starved slice */
    if (direct && is_gpu) search->kernel.first_budget = 16000000;
    if (multi) {
        search->kernel.lanes_per_block = COMBGPU__MULTI_LANES;
        search->kernel.lanes_per_worker = 32;
        search->record_capacity = 1;
    }
    if (direct && all) {
        search->kernel.left_per_worker =
            16; /* 1 would do, but with 16 the pool takes the whole frontier */
        search->record_capacity = 1;
    }
    return COMBGPU_OK;
}

/* WRITE: allocates memory for record, slice_done and the C solver. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_memory(combgpu_job *job, const void *draft)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    size_t chunk = (size_t)COMBGPU__PERM_PIECE * state->object;
    (void)draft;
    state->chunk = (unsigned char *)combgpu__allocate(ctx, chunk);
    state->walk = (combgpu__perm_walk *)combgpu__allocate(ctx, sizeof *state->walk);
    if (!state->chunk || !state->walk) return combgpu__no_memory(ctx, chunk);
#ifdef COMBGPU__VECTOR
    if (combgpu__simd(ctx) && state->all && state->desc.n >= COMBGPU__PERM_PLACES) {
        size_t bytes = combgpu__perm_groups_bytes(state->desc.n);
        state->groups = (uint8_t *)combgpu__allocate(ctx, bytes);
        if (!state->groups) return combgpu__no_memory(ctx, bytes);
        combgpu__perm_groups(state->desc.n, state->groups);
    }
#endif
    combgpu__perm_walk_from(state->walk, state, state->desc.first);
    return COMBGPU_OK;
}

/* Visits: allocates host memory for slice_done, and the device's bins. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_memory(combgpu_job *job, const void *draft)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    int is_histogram = state->desc.goal == COMBGPU_PERM_HISTOGRAM;
    size_t bins = 8 * (size_t)state->desc.bins; /* bytes */
    size_t words = is_histogram ? bins / 4 : COMBGPU__VISIT_SLOT_WORDS;
    (void)draft;
    words = state->desc.ordered ? combgpu__bytes(combgpu__pool_room(job), 4)
                                : combgpu__bytes(combgpu__most_workers(job), words);
    words = combgpu__bytes(words, sizeof(uint32_t));
    state->fetched = (uint32_t *)combgpu__allocate(combgpu__context(job), words);
    if (!state->fetched) return combgpu__no_memory(combgpu__context(job), words);
    if (!is_histogram) return COMBGPU_OK;
    memset(state->fetched, 0, bins);
    return combgpu__fill_work(job, state->fetched, bins);
}

/* ---- begin: the draft is the job's state */

COMBGPU__PRIVATE combgpu_status combgpu__perm_check_desc(combgpu_context *ctx, const void *desc,
                                                         void *draft)
{
    combgpu__perm_state *state = (combgpu__perm_state *)draft;
    state->desc = *(const combgpu_perm_desc *)desc;
    return combgpu__perm_validate(ctx, state);
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_begin(combgpu_job *job, const void *draft)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    combgpu_status status;
    *state = *(const combgpu__perm_state *)draft;
    status = combgpu__perm_output(job);
    if (status) return status;
    combgpu__perm_plan(job);
    status = state->all                    ? combgpu__perm_tables(job)
             : combgpu__perm_is_multi(job) ? combgpu__perm_multi_tables(job)
                                           : combgpu__visit_tables(job);
    if (!status) status = combgpu__perm_kernel(job);
    if (status) return status;
    combgpu__perm_parameters(job);
    state->desc.items = state->desc.data = NULL;
    state->desc.set = NULL;
    return COMBGPU_OK;
}

/* ---- end */

/* The checksum of written or counted permutations. */
COMBGPU__PRIVATE uint64_t combgpu__perm_hashes(const combgpu_job *job)
{
    return combgpu__accumulators(job)[COMBGPU__PERM_S_HASH] +
           combgpu__accumulators(job)[COMBGPU__PERM_S_RECORD_HASH];
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_end_write(combgpu_job *job, void *to,
                                                        uint64_t *checksum)
{
    ((combgpu_perm_result *)to)->visited = combgpu__perm_done(job);
    *checksum = combgpu__perm_hashes(job);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_end_count(combgpu_job *job, void *to,
                                                        uint64_t *checksum)
{
    combgpu_perm_result *result = (combgpu_perm_result *)to;
    result->visited = combgpu__accumulators(job)[0];
    result->hits = combgpu__perm_done(job);
    *checksum = combgpu__perm_hashes(job);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_end_sum(combgpu_job *job, void *to,
                                                      uint64_t *checksum)
{
    combgpu_perm_result *result = (combgpu_perm_result *)to;
    result->visited = combgpu__accumulators(job)[0];
    result->sum.lo = combgpu__accumulators(job)[COMBGPU__PERM_S_KEY];
    result->sum.hi = combgpu__accumulators(job)[COMBGPU__PERM_S_RANK];
    *checksum = result->sum.lo * UINT64_C(0x9e3779b97f4a7c15);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_end_histogram(combgpu_job *job, void *to,
                                                            uint64_t *checksum)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    combgpu_perm_result *result = (combgpu_perm_result *)to;
    result->visited = combgpu__accumulators(job)[0];
    result->outside = combgpu__accumulators(job)[COMBGPU__PERM_S_DONE];
    *checksum = combgpu__perm_bins(combgpu__accumulators(job) + COMBGPU__PERM_S_BINS,
                                   state->desc.bins, result->outside, state->desc.histogram);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_end_best(combgpu_job *job, void *to,
                                                       uint64_t *checksum)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    const uint64_t *accumulators = combgpu__accumulators(job);
    combgpu_perm_result *result = (combgpu_perm_result *)to;
    combgpu__perm_walk walk;
    result->visited = accumulators[0];
    /* the rank may come from a file */
    if (!accumulators[COMBGPU__PERM_S_SEEN] ||
        accumulators[COMBGPU__PERM_S_RANK] >= state->set.count)
        return COMBGPU_OK;
    result->best_value = (int64_t)accumulators[COMBGPU__PERM_S_KEY];
    if (state->desc.goal == COMBGPU_PERM_MAXIMUM) result->best_value = ~result->best_value;
    result->best_rank = accumulators[COMBGPU__PERM_S_RANK];
    combgpu__perm_set_walk_to(&state->set, &walk, result->best_rank);
    memcpy(result->best, walk.perm, sizeof result->best);
    *checksum = combgpu__mix(combgpu__mix((uint64_t)result->best_value) + result->best_rank);
    return COMBGPU_OK;
}

/* ---- the goals */

COMBGPU__WANTS(combgpu__perm_wants_write, combgpu__perm_state,
               draft->desc.goal == COMBGPU_PERM_WRITE)
COMBGPU__WANTS(combgpu__perm_wants_count, combgpu__perm_state,
               draft->desc.goal == COMBGPU_PERM_COUNT)
COMBGPU__WANTS(combgpu__perm_wants_sum, combgpu__perm_state, draft->desc.goal == COMBGPU_PERM_SUM)
COMBGPU__WANTS(combgpu__perm_wants_histogram, combgpu__perm_state,
               draft->desc.goal == COMBGPU_PERM_HISTOGRAM)

/* combgpu__visit_kernel sets the C solver: a visitor may have no form for the CPU. */
#define COMBGPU__PERM_ROW(wants, solve, begun, end)                                                \
    {                                                                                              \
        wants, combgpu__perm_describe, sizeof(combgpu__perm_state), combgpu__perm_begin, solve,    \
            begun, end                                                                             \
    }
static const combgpu__method combgpu__perm_methods[] = {
    COMBGPU__PERM_ROW(combgpu__perm_wants_write, combgpu__perm_solve_write, combgpu__perm_memory,
                      combgpu__perm_end_write),
    COMBGPU__PERM_ROW(combgpu__perm_wants_count, NULL, combgpu__visit_memory,
                      combgpu__perm_end_count),
    COMBGPU__PERM_ROW(combgpu__perm_wants_sum, NULL, combgpu__visit_memory, combgpu__perm_end_sum),
    COMBGPU__PERM_ROW(combgpu__perm_wants_histogram, NULL, combgpu__visit_memory,
                      combgpu__perm_end_histogram),
    COMBGPU__PERM_ROW(NULL, NULL, combgpu__visit_memory, combgpu__perm_end_best)};
static const combgpu__search combgpu__perm_calls = {
    COMBGPU__SEARCH_OF(perm), sizeof(combgpu__perm_state), combgpu__perm_check_desc, NULL, NULL,
    combgpu__perm_methods};
COMBGPU__SEARCH_CALLS(perm, combgpu__perm_calls)
