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

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_search(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    uint32_t words = ((uint32_t)state->cells + 3) / 4;
    combgpu__magic_parameters(job);
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

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_linear(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    combgpu__magic_parameters(job);
    search->kernel.left_per_worker = COMBGPU__MAGIC_CELLS;
    search->records_repeat = 1;
    search->task_words = COMBGPU__LINEAR_TASK;
    search->record_words = ((uint32_t)state->cells + 3) / 4;
    search->record_capacity = COMBGPU__MAGIC_RECORDS;
    return combgpu__cells_linear_tables(job);
}

/* Chooses the kernel's form: where lanes exchange registers, the join is another kernel of the same
   name (five/join_ring.cl). A job's kernel has one form, so of GPUs of both kinds only the first works;
   a CPU may join either. */
COMBGPU__PRIVATE void combgpu__magic_by_warps(combgpu_job *job, uint32_t first_budget)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu_context *ctx = combgpu__context(job);
    const combgpu_context *member;
    int with = 0, without = 0, i; /* GPUs whose lanes exchange registers, and others */
    for (i = 0; (member = combgpu__member(ctx, i)) != NULL; i++) {
        with += combgpu__shuffles(member);
        without += !combgpu__shuffles(member) && !combgpu__is_cpu(member);
    }
    if (with && without) search->one_device = 1;
    if (without ? !combgpu__shuffles(ctx) : !with) return;
    search->kernel.lanes_per_worker = 32;
    search->kernel.lanes_per_block = 128;
    search->kernel.first_budget = first_budget;
}

/* Cuts the range of a join into tasks. A pool takes all of them, so that a GPU does not wait for the
   last tasks of a slice and again for the last ones of the next. */
COMBGPU__PRIVATE void combgpu__magic_cut(combgpu_job *job, uint64_t pairs)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    state->range.pieces = combgpu__five_pieces(pairs);
    if (search->kernel.lanes_per_worker == 32) search->most_tasks = (uint32_t)state->range.pieces;
    if (!state->desc.solution) search->frontier = combgpu__magic_last_first_frontier;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_ultra(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    combgpu_status status;
    combgpu__magic_parameters(job);
    search->range_tasks = 1;
    state->less_count =
        0; /* of squares that symmetries map to each other, seven/ultra.c has another */
    if (state->desc.solution) {
        search->records_repeat = 1;
        search->record_words = ((uint32_t)state->cells + 3) / 4;
        search->record_capacity = COMBGPU__ULTRA_RECORDS;
    }
    status = combgpu__seven_ultra_tables(job);
    if (status) return status;
    state->range.end = (uint64_t)combgpu__tables(job)[COMBGPU__ULTRA_AT_ORIGINS] *
                       COMBGPU__ULTRA_PARTS * COMBGPU__ULTRA_NUMBERS;
    state->range.pieces = combgpu__tables(job)[COMBGPU__ULTRA_AT_ORIGINS] * UINT64_C(16);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_parts(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    combgpu__magic_parameters(job);
    search->range_tasks = 1;
    search->cpu_work_bytes_per_worker = sizeof(combgpu__seven_associative_work);
    state->range.end = COMBGPU__ASSOCIATIVE_STEPS;
    return combgpu__seven_associative_tables(job);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_join(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    combgpu_status status;
    combgpu__magic_parameters(job);
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

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_four(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    combgpu_status status = combgpu__cells_four_tables(job);
    combgpu__magic_parameters(job);
    search->range_tasks = search->records_repeat = 1;
    search->record_capacity = COMBGPU__MAGIC_RECORDS;
    if (!status)
        state->range.end = state->range.pieces = combgpu__tables(job)[COMBGPU__FOUR_AT_PAIRS];
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_semi(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    combgpu_status status = combgpu__five_semi_tables(job);
    combgpu__magic_parameters(job);
    search->range_tasks = 1;
    if (!status) /* some GPUs have as many lanes */
        state->range.end = state->range.pieces = combgpu__tables(job)[COMBGPU__SEMI_AT_UNITS];
    return status;
}

/* Begins a list, whose state is complete but for range.end = 0, which means all pairs. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_list(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    combgpu_status status;
    combgpu__magic_parameters(job);
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

/* Describes the search: it fills cells one after the other; a task is the beginning of a square. */
COMBGPU__PRIVATE void combgpu__magic_describe_search(combgpu__job_desc *search, int numbers)
{
    search->name = numbers ? "magic numbers" : "magic search";
    search->frontier = combgpu__cells_search_frontier;
    search->record = combgpu__magic_search_record;
    search->adopt_task = combgpu__cells_search_adopt_task;
    search->adopt_record = combgpu__magic_search_adopt_record;
    search->kernel.name = numbers ? "combgpu_magic_ranks" : "combgpu_magic_search";
    search->kernel.solve = combgpu__cells_search_solve;
    search->kernel.lanes_per_worker = 1;
    search->kernel.lanes_per_block = 128;
    search->kernel.first_budget = 256;
}

COMBGPU__PRIVATE void combgpu__magic_describe_linear(combgpu__job_desc *search)
{
    search->name = "magic linear";
    search->frontier = combgpu__cells_linear_frontier;
    search->record = combgpu__magic_search_record;
    search->adopt_task = combgpu__cells_linear_adopt_task;
    search->adopt_record = combgpu__magic_search_adopt_record;
    search->kernel.name = NULL;
    search->kernel.solve = combgpu__cells_linear_solve;
    search->kernel.lanes_per_worker = search->kernel.lanes_per_block = 1;
    search->kernel.first_budget = 1024;
}

COMBGPU__PRIVATE void combgpu__magic_describe_ultra(combgpu__job_desc *search)
{
    search->name = "magic ultra";
    search->record = combgpu__magic_search_record;
    search->slice_done = combgpu__magic_slice_done;
    search->adopt_record = combgpu__magic_search_adopt_record;
    search->kernel.name = "combgpu_magic_ultra";
    search->kernel.solve = combgpu__seven_ultra_solver;
    search->kernel.lanes_per_worker = 1;
    search->kernel.lanes_per_block = 64;
    search->kernel.first_budget = 4;
}

COMBGPU__PRIVATE void combgpu__magic_describe_parts(combgpu__job_desc *search)
{
    search->name = "magic associative";
    search->frontier = combgpu__seven_associative_frontier;
    search->fraction = combgpu__seven_associative_fraction;
    search->kernel.name = "combgpu_magic_associative";
    search->kernel.solve = combgpu__seven_associative_solve;
    search->kernel.lanes_per_worker = search->kernel.lanes_per_block = 256;
    search->kernel.first_budget = 4;
}

COMBGPU__PRIVATE void combgpu__magic_describe_join(combgpu__job_desc *search)
{
    search->name = "magic join";
    search->record = combgpu__five_join_record;
    search->slice_done = combgpu__magic_slice_done;
    search->adopt_record = combgpu__five_join_adopt_record;
    search->release = combgpu__five_release;
    search->kernel.name = "combgpu_magic_join";
    search->kernel.solve = combgpu__five_join_solve;
    search->kernel.lanes_per_worker = search->kernel.lanes_per_block = 256;
    search->kernel.first_budget = 16;
}

COMBGPU__PRIVATE void combgpu__magic_describe_four(combgpu__job_desc *search)
{
    search->name = "magic four";
    search->record = combgpu__cells_four_record;
    search->adopt_record = combgpu__cells_four_adopt_record;
    search->kernel.name = "combgpu_magic_four";
    search->kernel.solve = combgpu__cells_four_solve;
    search->kernel.lanes_per_worker = 1;
    search->kernel.lanes_per_block = 32;
    search->kernel.first_budget = 1024;
}

COMBGPU__PRIVATE void combgpu__magic_describe_semi(combgpu__job_desc *search)
{
    search->name = "magic semi";
    search->slice_done = combgpu__magic_slice_done;
    search->kernel.name = "combgpu_magic_semi";
    search->kernel.solve = combgpu__five_semi_solve;
    search->kernel.lanes_per_worker = 1;
    search->kernel.lanes_per_block = 64;
    search->kernel.first_budget = 8;
}

COMBGPU__PRIVATE void combgpu__magic_describe_list(combgpu__job_desc *search)
{
    search->name = "magic list";
    search->record = combgpu__five_list_record;
    search->slice_done = combgpu__magic_slice_done;
    search->adopt_record = combgpu__five_list_adopt_record;
    search->kernel.name = "combgpu_magic_lists";
    search->kernel.solve = combgpu__five_list_solve;
    search->kernel.lanes_per_worker = search->kernel.lanes_per_block = 256;
    search->kernel.first_budget = 4;
}

/* Makes and starts a job. A list has the state of a join. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_start(combgpu_context *ctx,
                                                     combgpu__magic_method method,
                                                     const combgpu__magic_state *state,
                                                     const combgpu_run_desc *run, combgpu_job **out)
{
    combgpu__job_desc search = combgpu__magic_ranges("magic");
    combgpu_status (*begin)(combgpu_job * job) = combgpu__magic_begin_search;
    search.solutions = combgpu__magic_solutions;
    switch (method) {
    case COMBGPU__MAGIC_SEARCH:
    case COMBGPU__MAGIC_NUMBERS:
        combgpu__magic_describe_search(&search, method == COMBGPU__MAGIC_NUMBERS);
        break;
    case COMBGPU__MAGIC_LINEAR:
        combgpu__magic_describe_linear(&search);
        begin = combgpu__magic_begin_linear;
        break;
    case COMBGPU__MAGIC_ULTRA:
        combgpu__magic_describe_ultra(&search);
        begin = combgpu__magic_begin_ultra;
        break;
    case COMBGPU__MAGIC_PARTS:
        combgpu__magic_describe_parts(&search);
        begin = combgpu__magic_begin_parts;
        break;
    case COMBGPU__MAGIC_JOIN:
    case COMBGPU__MAGIC_GIVEN:
        combgpu__magic_describe_join(&search);
        if (method == COMBGPU__MAGIC_GIVEN) search.record = combgpu__five_given_record;
        begin = combgpu__magic_begin_join;
        break;
    case COMBGPU__MAGIC_FOUR:
        combgpu__magic_describe_four(&search);
        begin = combgpu__magic_begin_four;
        break;
    case COMBGPU__MAGIC_SEMIS:
        combgpu__magic_describe_semi(&search);
        begin = combgpu__magic_begin_semi;
        break;
    case COMBGPU__MAGIC_LIST:
        combgpu__magic_describe_list(&search);
        begin = combgpu__magic_begin_list;
        break;
    }
    return combgpu__magic_create(ctx, &search, begin, state, sizeof *state, run, out);
}

COMBGPU__DEF combgpu_status combgpu_magic_begin(combgpu_context *ctx,
                                                const combgpu_magic_desc *desc, combgpu_job **out)
{
    combgpu__magic_state state;
    combgpu_status status = combgpu__magic_arguments(ctx, desc, out);
    if (status) return status;
    memset(&state, 0, sizeof state);
    status = combgpu__magic_validate(ctx, desc, &state);
    if (status) return status;
    return combgpu__magic_start(ctx, state.method, &state, &desc->run, out);
}

COMBGPU__DEF combgpu_status combgpu_magic_end(combgpu_job *job, combgpu_magic_result *result)
{
    const combgpu__magic_state *state;
    combgpu_magic_result r;
    combgpu_status status;
    int counted, c;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, "magic ", "combgpu_magic_begin");
    if (status) return status;
    state = (const combgpu__magic_state *)combgpu__state(job);
    memset(&r, 0, sizeof r);
    counted = state->method == COMBGPU__MAGIC_SEMIS || combgpu__magic_is_joined(state);
    r.count = combgpu__magic_solutions(job);
    r.up_to_d4 = r.count / (uint64_t)state->image_count;
    if (combgpu__magic_has_m_group(state))
        r.up_to_m_group =
            state->method == COMBGPU__MAGIC_SEARCH || state->method == COMBGPU__MAGIC_NUMBERS
                ? combgpu__sums(job)[COMBGPU__MAGIC_M_CLASSES]
                : r.up_to_d4 / 4;
    for (c = 1; c <= 25 && state->order % 2 && state->order <= 5; c++)
        if (!counted)
            r.by_centre[c] = combgpu__sums(job)[COMBGPU__MAGIC_BY_CENTRE + c];
        else if (state->method == COMBGPU__MAGIC_SEMIS)
            r.by_centre[c] =
                r.up_to_d4 / 25; /* any cell can become the centre by permuting rows and columns */
        else if (!state->centre || c == state->centre)
            r.by_centre[c] = 4 * combgpu__sums(job)[COMBGPU__MAGIC_JOINED + (c > 13 ? 26 - c : c)];
    status = combgpu__job_ended(
        job, combgpu__sums(job)[counted ? (int)COMBGPU__MAGIC_HASH : (int)COMBGPU__MAGIC_CHECKSUM],
        &r.run);
    if (result) *result = r;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_magic(combgpu_context *ctx, const combgpu_magic_desc *desc,
                                          combgpu_magic_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (result) memset(result, 0, sizeof *result);
    status = combgpu_magic_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_magic_end(job, result);
}
