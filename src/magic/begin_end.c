/* Magic squares: begin, end and the one-shot calls. */

COMBGPU__PRIVATE void combgpu__magic_parameters(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    char *text = search->parameters;
    size_t size = sizeof search->parameters, at;
    int i;
    at = (size_t)snprintf(text, size, "order %d kind %d list %s givens", state->order,
                          (int)state->desc.kind,
                          state->method == COMBGPU__MAGIC_LIST ? "checksum"
                          : !state->desc.solution              ? "none"
                          : state->desc.frenicle               ? "frenicle"
                                                               : "all");
    for (i = 0; i < state->cells && state->given_count; i++)
        at += (size_t)snprintf(text + at, size - at, " %d", state->givens[i]);
    if (state->desc.numbers)
        (void)snprintf(text + at, size - at, " numbers %016llx",
                       (unsigned long long)combgpu__fnv(COMBGPU__FNV_OFFSET, state->number,
                                                        sizeof state->number));
}

/* The job's state, a copy of the draft, which gives the parameters. */
COMBGPU__PRIVATE combgpu__magic_state *combgpu__magic_take(combgpu_job *job, const void *draft)
{
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    *state = *(const combgpu__magic_state *)draft;
    combgpu__magic_parameters(job);
    return state;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_search(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = combgpu__magic_take(job, draft);
    uint32_t words = ((uint32_t)state->cells + 3) / 4;
    combgpu__cells_plan(state);
    if (state->cells < 36 && state->levels >= COMBGPU__MAGIC_SPREAD) { /* not the order of 0.2.0 */
        size_t at = strlen(search->parameters);
        (void)snprintf(search->parameters + at, sizeof search->parameters - at, " spread");
    }
    search->kernel.left_per_worker = state->levels;
    search->records_repeat = 1;
    /* for NUMBERS, tasks of all orders have one size */
    search->task_words = state->method == COMBGPU__MAGIC_NUMBERS ? 9 : 3 + words;
    search->record_words = words;
    search->record_capacity = COMBGPU__MAGIC_RECORDS;
    return combgpu__cells_search_tables(job);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_linear(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = combgpu__magic_take(job, draft);
    search->kernel.left_per_worker = COMBGPU__MAGIC_CELLS;
    search->records_repeat = 1;
    search->task_words = COMBGPU__LINEAR_TASK;
    search->record_words = ((uint32_t)state->cells + 3) / 4;
    search->record_capacity = COMBGPU__MAGIC_RECORDS;
    return combgpu__cells_linear_tables(job);
}

/* Chooses the kernel's form: where lanes exchange registers, the join has another kernel of the
   same name (five/join_ring.cl). A job uses one form, so if GPUs differ, only those like the first
   one take part; a CPU may join either. */
COMBGPU__PRIVATE void combgpu__magic_by_warps(combgpu_job *job, uint32_t first_budget)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu_context *ctx = combgpu__context(job);
    const combgpu_context *device;
    int with = 0, without = 0, i; /* GPUs whose lanes exchange registers, and others */
    for (i = 0; (device = combgpu__device_context(ctx, i)) != NULL; i++) {
        with += combgpu__shuffles(device);
        without += !combgpu__shuffles(device) && !combgpu__is_cpu(device);
    }
    if (with && without) search->one_device = 1;
    if (without ? !combgpu__shuffles(ctx) : !with) return;
    search->kernel.lanes_per_worker = 32;
    search->kernel.lanes_per_block = 128;
    search->kernel.first_budget = first_budget;
}

/* Cuts the range of a join into tasks. A pool takes all of them: a GPU then waits for last tasks
   once, not in every slice. */
COMBGPU__PRIVATE void combgpu__magic_cut(combgpu_job *job, uint64_t pairs)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    state->range.chunks = combgpu__five_chunks(pairs);
    if (search->kernel.lanes_per_worker == 32) search->most_tasks = (uint32_t)state->range.chunks;
    if (!state->desc.solution) search->frontier = combgpu__magic_last_first_frontier;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_ultra(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = combgpu__magic_take(job, draft);
    combgpu_status status;
    search->range_tasks = 1;
    state->less_count =
        0; /* seven/ultra.c chooses another of the squares that symmetries map to each other */
    if (state->desc.solution) {
        search->records_repeat = 1;
        search->record_words = ((uint32_t)state->cells + 3) / 4;
        search->record_capacity = COMBGPU__ULTRA_RECORDS;
    }
    status = combgpu__seven_ultra_tables(job);
    if (status) return status;
    state->range.end = (uint64_t)combgpu__tables(job)[COMBGPU__ULTRA_AT_ORIGINS] *
                       COMBGPU__ULTRA_PARTS * COMBGPU__ULTRA_NUMBERS;
    state->range.chunks = combgpu__tables(job)[COMBGPU__ULTRA_AT_ORIGINS] * UINT64_C(16);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_parts(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = combgpu__magic_take(job, draft);
    search->range_tasks = 1;
    search->cpu_work_bytes_per_worker = sizeof(combgpu__seven_associative_work);
    state->range.end = COMBGPU__ASSOCIATIVE_STEPS;
    return combgpu__seven_associative_tables(job);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_join(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = combgpu__magic_take(job, draft);
    combgpu_context *ctx = combgpu__context(job);
    combgpu_status status;
    state->centre = state->givens[12];
    search->range_tasks = search->records_repeat = 1;
    search->cpu_work_bytes_per_worker = sizeof(combgpu__five_joiner); /* kernels: local memory */
    combgpu__magic_by_warps(job, 8192);
    if (state->method == COMBGPU__MAGIC_GIVEN) combgpu__five_given_start(state);
    status = combgpu__five_join_tables(job, 0);
    if (status) return status;
    state->range.end = (uint64_t)combgpu__tables(job)[COMBGPU__JOIN_AT_PAIRS] * COMBGPU__MAGIC_WAYS;
    combgpu__magic_cut(job, combgpu__tables(job)[COMBGPU__JOIN_AT_PAIRS]);
    if (!state->desc.solution && state->method == COMBGPU__MAGIC_JOIN) return COMBGPU_OK;
    search->record_capacity = COMBGPU__MAGIC_RECORDS;
    if (state->method == COMBGPU__MAGIC_GIVEN) return COMBGPU_OK;

    state->lister = (combgpu__magic_lister *)combgpu__allocate(ctx, sizeof *state->lister);
    if (!state->lister) return combgpu__no_memory(ctx, sizeof *state->lister);
    combgpu__five_lister_start(state->lister, combgpu__tables(job));
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_four(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = combgpu__magic_take(job, draft);
    combgpu_status status = combgpu__cells_four_tables(job);
    search->range_tasks = search->records_repeat = 1;
    search->record_capacity = COMBGPU__MAGIC_RECORDS;
    if (!status)
        state->range.end = state->range.chunks = combgpu__tables(job)[COMBGPU__FOUR_AT_PAIRS];
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_semi(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = combgpu__magic_take(job, draft);
    combgpu_status status = combgpu__five_semi_tables(job);
    search->range_tasks = 1;
    if (!status) /* some GPUs have as many lanes */
        state->range.end = state->range.chunks = combgpu__tables(job)[COMBGPU__SEMI_AT_UNITS];
    return status;
}

/* Begins a list. Its state is complete, but range.end = 0 still means all pairs. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_list(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = combgpu__magic_take(job, draft);
    combgpu_status status;
    state->centre = state->givens[12];
    if (state->goal == COMBGPU__MAGIC_COUNTS) search->record_capacity = COMBGPU__MAGIC_PAIRS;
    search->cpu_work_bytes_per_worker = sizeof(combgpu__five_list_work);
    search->one_device = state->goal == COMBGPU__MAGIC_WRITES;
    combgpu__magic_by_warps(job, 256);
    if (state->device_out) search->caller_work = *state->device_out;
    status = combgpu__five_list_tables(job);
    if (status) return status;
    if (!state->range.end) state->range.end = combgpu__tables(job)[COMBGPU__JOIN_AT_PAIRS];
    combgpu__magic_cut(job, state->range.end - state->range.begin);
    return COMBGPU_OK;
}

/* Describes the search, which fills cells one by one; a task is the beginning of a square. */
COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_search(int numbers)
{
    combgpu__job_desc search = combgpu__magic_ranges(numbers ? "magic numbers" : "magic search");
    search.solutions = combgpu__magic_solutions;
    search.frontier = combgpu__cells_search_frontier;
    search.record = combgpu__magic_search_record;
    search.validate_task = combgpu__cells_search_validate_task;
    search.validate_record = combgpu__magic_search_validate_record;
    search.kernel.name = numbers ? "combgpu_magic_ranks" : "combgpu_magic_search";
    search.kernel.lanes_per_worker = 1;
    search.kernel.lanes_per_block = 128;
    search.kernel.first_budget = 256;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_cells(void)
{
    return combgpu__magic_describe_search(0);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_numbers(void)
{
    return combgpu__magic_describe_search(1);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_linear(void)
{
    combgpu__job_desc search = combgpu__magic_ranges("magic linear");
    search.solutions = combgpu__magic_solutions;
    search.frontier = combgpu__cells_linear_frontier;
    search.record = combgpu__magic_search_record;
    search.validate_task = combgpu__cells_linear_validate_task;
    search.validate_record = combgpu__magic_search_validate_record;
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 1;
    search.kernel.first_budget = 1024;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_ultra(void)
{
    combgpu__job_desc search = combgpu__magic_ranges("magic ultra");
    search.solutions = combgpu__magic_solutions;
    search.record = combgpu__magic_search_record;
    search.slice_done = combgpu__magic_slice_done;
    search.validate_record = combgpu__magic_search_validate_record;
    search.kernel.name = "combgpu_magic_ultra";
    search.kernel.lanes_per_worker = 1;
    search.kernel.lanes_per_block = 64;
    search.kernel.first_budget = 4;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_parts(void)
{
    combgpu__job_desc search = combgpu__magic_ranges("magic associative");
    search.solutions = combgpu__magic_solutions;
    search.frontier = combgpu__seven_associative_frontier;
    search.fraction = combgpu__seven_associative_fraction;
    search.kernel.name = "combgpu_magic_associative";
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 256;
    search.kernel.first_budget = 4;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_join(void)
{
    combgpu__job_desc search = combgpu__magic_ranges("magic join");
    search.solutions = combgpu__magic_solutions;
    search.record = combgpu__five_join_record;
    search.slice_done = combgpu__magic_slice_done;
    search.validate_record = combgpu__five_join_validate_record;
    search.release = combgpu__five_release;
    search.kernel.name = "combgpu_magic_join";
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 256;
    search.kernel.first_budget = 16;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_given(void)
{
    combgpu__job_desc search = combgpu__magic_describe_join();
    search.record = combgpu__five_given_record;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_four(void)
{
    combgpu__job_desc search = combgpu__magic_ranges("magic four");
    search.solutions = combgpu__magic_solutions;
    search.record = combgpu__cells_four_record;
    search.validate_record = combgpu__cells_four_validate_record;
    search.kernel.name = "combgpu_magic_four";
    search.kernel.lanes_per_worker = 1;
    search.kernel.lanes_per_block = 32;
    search.kernel.first_budget = 1024;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_semi(void)
{
    combgpu__job_desc search = combgpu__magic_ranges("magic semi");
    search.solutions = combgpu__magic_solutions;
    search.slice_done = combgpu__magic_slice_done;
    search.kernel.name = "combgpu_magic_semi";
    search.kernel.lanes_per_worker = 1;
    search.kernel.lanes_per_block = 64;
    search.kernel.first_budget = 8;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_describe_list(void)
{
    combgpu__job_desc search = combgpu__magic_ranges("magic list");
    search.solutions = combgpu__magic_solutions;
    search.record = combgpu__five_list_record;
    search.slice_done = combgpu__magic_slice_done;
    search.validate_record = combgpu__five_list_validate_record;
    search.kernel.name = "combgpu_magic_lists";
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 256;
    search.kernel.first_budget = 4;
    return search;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_end(combgpu_job *job, void *to, uint64_t *checksum)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    const uint64_t *accumulators = combgpu__accumulators(job);
    combgpu_magic_result *r = (combgpu_magic_result *)to;
    int counted = state->method == COMBGPU__MAGIC_SEMIS || combgpu__magic_is_joined(state), c;
    r->count = combgpu__magic_solutions(job);
    r->up_to_d4 = r->count / (uint64_t)state->image_count;
    if (combgpu__magic_has_m_group(state))
        r->up_to_m_group =
            state->method == COMBGPU__MAGIC_SEARCH || state->method == COMBGPU__MAGIC_NUMBERS
                ? accumulators[COMBGPU__MAGIC_M_CLASSES]
                : r->up_to_d4 / 4;
    for (c = 1; c <= 25 && state->order % 2 && state->order <= 5; c++)
        if (!counted)
            r->by_centre[c] = accumulators[COMBGPU__MAGIC_BY_CENTRE + c];
        else if (state->method == COMBGPU__MAGIC_SEMIS)
            r->by_centre[c] =
                r->up_to_d4 / 25; /* any cell can become the centre by permuting rows and columns */
        else if (!state->centre || c == state->centre)
            r->by_centre[c] = 4 * accumulators[COMBGPU__MAGIC_JOINED + (c > 13 ? 26 - c : c)];
    *checksum = accumulators[counted ? (int)COMBGPU__MAGIC_HASH : (int)COMBGPU__MAGIC_CHECKSUM];
    return COMBGPU_OK;
}

/* The draft is the state; validation has chosen its method. */
#define COMBGPU__MAGIC_WANTS(name, METHOD)                                                         \
    COMBGPU__WANTS(combgpu__magic_wants_##name, combgpu__magic_state,                              \
                   draft->method == COMBGPU__MAGIC_##METHOD)
COMBGPU__MAGIC_WANTS(cells, SEARCH)
COMBGPU__MAGIC_WANTS(join, JOIN)
COMBGPU__MAGIC_WANTS(four, FOUR)
COMBGPU__MAGIC_WANTS(semi, SEMIS)
COMBGPU__MAGIC_WANTS(list, LIST)
COMBGPU__MAGIC_WANTS(given, GIVEN)
COMBGPU__MAGIC_WANTS(linear, LINEAR)
COMBGPU__MAGIC_WANTS(ultra, ULTRA)
COMBGPU__MAGIC_WANTS(parts, PARTS)
COMBGPU__MAGIC_WANTS(numbers, NUMBERS)

/* A row for each combgpu__magic_method, in that order. */
#define COMBGPU__MAGIC_ROW(name, begin, solve)                                                     \
    {                                                                                              \
        combgpu__magic_wants_##name, combgpu__magic_describe_##name, sizeof(combgpu__magic_state), \
            combgpu__magic_begin_##begin, combgpu__##solve, NULL, combgpu__magic_end               \
    }
static const combgpu__method combgpu__magic_methods[] = {
    COMBGPU__MAGIC_ROW(cells, search, cells_search_solve),
    COMBGPU__MAGIC_ROW(join, join, five_join_solve),
    COMBGPU__MAGIC_ROW(four, four, cells_four_solve),
    COMBGPU__MAGIC_ROW(semi, semi, five_semi_solve),
    COMBGPU__MAGIC_ROW(list, list, five_list_solve),
    COMBGPU__MAGIC_ROW(given, join, five_join_solve),
    COMBGPU__MAGIC_ROW(linear, linear, cells_linear_solve),
    COMBGPU__MAGIC_ROW(ultra, ultra, seven_ultra_solver),
    COMBGPU__MAGIC_ROW(parts, parts, seven_associative_solve),
    COMBGPU__MAGIC_ROW(numbers, search, cells_search_solve),
};

COMBGPU__PRIVATE combgpu_status combgpu__magic_check(combgpu_context *ctx, const void *desc,
                                                     void *state)
{
    return combgpu__magic_validate(ctx, (const combgpu_magic_desc *)desc,
                                   (combgpu__magic_state *)state);
}

static const combgpu__search combgpu__magic_calls = {
    COMBGPU__SEARCH_OF(magic), sizeof(combgpu__magic_state), combgpu__magic_check, NULL, NULL,
    combgpu__magic_methods};
COMBGPU__SEARCH_CALLS(magic, combgpu__magic_calls)
