/* Ranges of permutations: begin, end, one-shot call. */

/* Adopts desc.device_out as the memory that the kernel writes to; on the CPU, as desc.out. */
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
   one n; with CUDA it has a form for each n. */
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
    search->slice_sums = desc->goal != COMBGPU_PERM_COUNT;
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
    search->kernel.solve = combgpu__perm_solve_write;
    search->kernel.name = !direct ? NULL /* the host writes to its memory */
                          : multi ? "combgpu_perm_write_multiset"
                          : all   ? "combgpu_perm_write"
                                  : "combgpu_perm_write_set";
    search->record_capacity = 1024;
    /* so large that n = 13 is one slice of a large GPU; also the minimum of a hungry slice */
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

/* WRITE: allocates what record, slice_done and the C solver need. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_memory(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    size_t chunk = (size_t)COMBGPU__PERM_PIECE * state->object;
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
COMBGPU__PRIVATE combgpu_status combgpu__visit_memory(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    int is_histogram = state->desc.goal == COMBGPU_PERM_HISTOGRAM;
    size_t bins = 8 * (size_t)state->desc.bins; /* bytes */
    size_t words = is_histogram ? bins / 4 : COMBGPU__VISIT_SLOT_WORDS;
    words = state->desc.ordered ? combgpu__bytes(combgpu__pool_room(job), 4)
                                : combgpu__bytes(combgpu__most_workers(job), words);
    words = combgpu__bytes(words, sizeof(uint32_t));
    state->fetched = (uint32_t *)combgpu__allocate(combgpu__context(job), words);
    if (!state->fetched) return combgpu__no_memory(combgpu__context(job), words);
    if (!is_histogram) return COMBGPU_OK;
    memset(state->fetched, 0, bins);
    return combgpu__fill_work(job, state->fetched, bins);
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_setup(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    combgpu_status status = combgpu__perm_validate(combgpu__context(job), state);
    if (!status) status = combgpu__perm_output(job);
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
    status = combgpu__job_start(job);
    if (status) return status;
    return state->desc.goal == COMBGPU_PERM_WRITE ? combgpu__perm_memory(job)
                                                  : combgpu__visit_memory(job);
}

COMBGPU__DEF combgpu_status combgpu_perm_begin(combgpu_context *ctx, const combgpu_perm_desc *desc,
                                               combgpu_job **out)
{
    combgpu__job_desc search = combgpu__perm_describe();
    combgpu_job *job;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!out) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "job is NULL");
    *out = NULL;
    if (!desc) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc is NULL");
    status = combgpu__job_create(ctx, &search, sizeof(combgpu__perm_state), &desc->run, &job);
    if (status) return status;
    ((combgpu__perm_state *)combgpu__state(job))->desc = *desc;
    return combgpu__job_begun(job, combgpu__perm_setup(job), out);
}

/* Fills in *result; returns the checksum. */
COMBGPU__PRIVATE uint64_t combgpu__perm_answer(const combgpu_job *job, combgpu_perm_result *result)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    const uint64_t *sums = combgpu__sums(job);
    uint64_t checksum = sums[COMBGPU__PERM_S_HASH] + sums[COMBGPU__PERM_S_RECORD_HASH];
    combgpu__perm_walk walk;
    int i;
    result->visited = sums[0];
    switch (state->desc.goal) {
    case COMBGPU_PERM_WRITE:
        result->visited = combgpu__perm_done(job);
        break;
    case COMBGPU_PERM_COUNT:
        result->hits = combgpu__perm_done(job);
        break;
    case COMBGPU_PERM_SUM:
        result->sum.lo = sums[COMBGPU__PERM_S_KEY];
        result->sum.hi = sums[COMBGPU__PERM_S_RANK];
        checksum = result->sum.lo * UINT64_C(0x9e3779b97f4a7c15);
        break;
    case COMBGPU_PERM_HISTOGRAM:
        result->outside = sums[COMBGPU__PERM_S_DONE];
        checksum = result->outside * combgpu__mix(UINT64_MAX);
        for (i = 0; i < state->desc.bins; i++) {
            state->desc.histogram[i] = sums[COMBGPU__PERM_S_BINS + i];
            checksum += sums[COMBGPU__PERM_S_BINS + i] * combgpu__mix((uint64_t)i);
        }
        break;
    case COMBGPU_PERM_MINIMUM:
    case COMBGPU_PERM_MAXIMUM:
        checksum = 0;
        /* the rank may come from a file */
        if (!sums[COMBGPU__PERM_S_SEEN] || sums[COMBGPU__PERM_S_RANK] >= state->set.count) break;
        result->best_value = (int64_t)sums[COMBGPU__PERM_S_KEY];
        if (state->desc.goal == COMBGPU_PERM_MAXIMUM) result->best_value = ~result->best_value;
        result->best_rank = sums[COMBGPU__PERM_S_RANK];
        combgpu__perm_set_walk_to(&state->set, &walk, result->best_rank);
        memcpy(result->best, walk.perm, sizeof result->best);
        checksum = combgpu__mix(combgpu__mix((uint64_t)result->best_value) + result->best_rank);
        break;
    }
    return checksum;
}

COMBGPU__DEF combgpu_status combgpu_perm_end(combgpu_job *job, combgpu_perm_result *result)
{
    combgpu_perm_result unused;
    combgpu_status status;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, "permutations", "combgpu_perm_begin");
    if (status) return status;
    if (!result) result = &unused;
    memset(result, 0, sizeof *result);
    return combgpu__job_ended(job, combgpu__perm_answer(job, result), &result->run);
}

COMBGPU__DEF combgpu_status combgpu_perm(combgpu_context *ctx, const combgpu_perm_desc *desc,
                                         combgpu_perm_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu_perm_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_perm_end(job, result);
}
