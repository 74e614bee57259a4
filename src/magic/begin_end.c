/* ---- begin, end */

COMBGPU__PRIVATE void combgpu__magic_parameters(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    char *text = job->parameters;
    size_t size = sizeof job->parameters, at;
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
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    uint32_t words = ((uint32_t)state->cells + 3) / 4;
    combgpu__magic_parameters(job);
    combgpu__magic_plan(state);
    job->kernel.left_per_worker = state->levels;
    job->records_repeat = 1;
    /* the kernel of NUMBERS has one size for all orders */
    job->task_words = state->method == COMBGPU__MAGIC_NUMBERS ? 9 : 3 + words;
    job->record_words = words;
    job->record_capacity = COMBGPU__MAGIC_RECORDS;
    return combgpu__magic_search_tables(job);
}

/* Where lanes exchange registers the join has another kernel of the same name, see there. A job's kernel
   has one form: of GPUs of both kinds the first works alone; a CPU may go with either. */
COMBGPU__PRIVATE void combgpu__magic_by_warps(combgpu_job *job, uint32_t first_budget)
{
    const combgpu_context *ctx = job->ctx;
    int with = 0, without = 0, i; /* GPUs whose lanes exchange registers, and others */
    for (i = 0; i <= ctx->other_count; i++) {
        const combgpu_context *member = i ? ctx->others[i - 1] : ctx;
        with += member->shuffles;
        without += !member->shuffles && member->backend->id != COMBGPU_BACKEND_CPU;
    }
    if (with && without) job->one_device = 1;
    if (without ? !ctx->shuffles : !with) return;
    job->kernel.lanes_per_worker = 32;
    job->kernel.lanes_per_block = 128;
    job->kernel.left_per_worker = 4; /* one is: but the pool then takes the whole frontier */
    job->kernel.first_budget = first_budget;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_join(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    combgpu_context *ctx = job->ctx;
    combgpu_status status;
    combgpu__magic_parameters(job);
    state->centre = state->givens[12];
    job->range_tasks = job->records_repeat = 1;
    job->cpu_work_bytes_per_worker = sizeof(COMBGPU__MAGIC_JOIN_TYPE); /* kernels: local memory */
    combgpu__magic_by_warps(job, 8192);
    status = combgpu__magic_join_tables(job, 0);
    if (status) return status;
    state->range.end = (uint64_t)job->tables[COMBGPU__MAGIC_J_PAIRS] * COMBGPU__MAGIC_WAYS;
    state->range.pieces = combgpu__magic_pieces(job->tables[COMBGPU__MAGIC_J_PAIRS]);
    if (!state->desc.solution) return COMBGPU_OK;
    job->record_capacity = COMBGPU__MAGIC_RECORDS;
    state->lister = (combgpu__magic_lister *)combgpu__allocate(ctx, sizeof *state->lister);
    if (!state->lister) return combgpu__no_memory(ctx, sizeof *state->lister);
    combgpu__magic_lister_start(state->lister, job->tables);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_four(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    combgpu_status status = combgpu__magic_four_tables(job);
    combgpu__magic_parameters(job);
    job->range_tasks = job->records_repeat = 1;
    job->record_capacity = COMBGPU__MAGIC_RECORDS;
    if (!status) state->range.end = state->range.pieces = job->tables[COMBGPU__MAGIC_F_PAIRS];
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_semi(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    combgpu_status status = combgpu__magic_semi_tables(job);
    combgpu__magic_parameters(job);
    job->range_tasks = 1;
    if (!status) /* there are GPUs with as many lanes */
        state->range.end = state->range.pieces = job->tables[COMBGPU__MAGIC_S_UNITS];
    return status;
}

/* The rest of the state is set: range.end 0 = all pairs. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_list(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    combgpu_status status;
    combgpu__magic_parameters(job);
    state->centre = state->givens[12];
    if (state->goal == COMBGPU__MAGIC_COUNTS) job->record_capacity = COMBGPU__MAGIC_RECORDS;
    job->cpu_work_bytes_per_worker = sizeof(combgpu__magic_list_work);
    job->one_device = state->goal == COMBGPU__MAGIC_WRITES;
    combgpu__magic_by_warps(job, 256);
    if (state->device_out) job->caller_work = *state->device_out;
    status = combgpu__magic_list_tables(job);
    if (status) return status;
    if (!state->range.end) state->range.end = job->tables[COMBGPU__MAGIC_J_PAIRS];
    state->range.pieces = combgpu__magic_pieces(state->range.end - state->range.begin);
    return COMBGPU_OK;
}

/* By combgpu__magic_method. */
static const combgpu__magic_solver combgpu__magic_solvers[6] = {
    {{"magic search", combgpu__magic_search_frontier, combgpu__magic_search_record, NULL, NULL,
      combgpu__magic_solutions, combgpu__magic_search_adopt_task,
      combgpu__magic_search_adopt_record, NULL},
     {"combgpu_magic_search", "MAGIC", combgpu__magic_search_solve, 1, 128, 1, 256, NULL, NULL},
     combgpu__magic_begin_search,
     0},
    {{"magic join", combgpu__magic_range_frontier, combgpu__magic_join_record,
      combgpu__magic_slice_done, NULL, combgpu__magic_solutions, combgpu__magic_range_adopt_task,
      combgpu__magic_join_adopt_record, combgpu__magic_release},
     {"combgpu_magic_join", "MAGIC", combgpu__magic_join_solve, 256, 256, 1, 16, NULL, NULL},
     combgpu__magic_begin_join,
     2},
    {{"magic four", combgpu__magic_range_frontier, combgpu__magic_four_record, NULL, NULL,
      combgpu__magic_solutions, combgpu__magic_range_adopt_task, combgpu__magic_four_adopt_record,
      NULL},
     {"combgpu_magic_four", "MAGIC", combgpu__magic_four_solve, 1, 32, 1, 1024, NULL, NULL},
     combgpu__magic_begin_four,
     2},
    {{"magic semi", combgpu__magic_range_frontier, combgpu__magic_no_record,
      combgpu__magic_slice_done, NULL, combgpu__magic_solutions, combgpu__magic_range_adopt_task,
      combgpu__magic_adopt_no_record, NULL},
     {"combgpu_magic_semi", "MAGIC", combgpu__magic_semi_solve, 1, 64, 1, 8, NULL, NULL},
     combgpu__magic_begin_semi,
     2},
    {{"magic list", combgpu__magic_range_frontier, combgpu__magic_list_record,
      combgpu__magic_slice_done, NULL, combgpu__magic_solutions, combgpu__magic_range_adopt_task,
      combgpu__magic_list_adopt_record, NULL},
     {"combgpu_magic_lists", "MAGIC", combgpu__magic_list_solve, 256, 256, 1, 4, NULL, NULL},
     combgpu__magic_begin_list,
     2},
    {{"magic numbers", combgpu__magic_search_frontier, combgpu__magic_search_record, NULL, NULL,
      combgpu__magic_solutions, combgpu__magic_search_adopt_task,
      combgpu__magic_search_adopt_record, NULL},
     {"combgpu_magic_ranks", "MAGIC6", combgpu__magic_search_solve, 1, 128, 1, 256, NULL, NULL},
     combgpu__magic_begin_search,
     0}};

COMBGPU__DEF combgpu_status combgpu_magic_begin(combgpu_context *ctx,
                                                const combgpu_magic_desc *desc, combgpu_job **out)
{
    combgpu__magic_state state;
    combgpu_status status = combgpu__magic_arguments(ctx, desc, out);
    if (status) return status;
    memset(&state, 0, sizeof state);
    status = combgpu__magic_validate(ctx, desc, &state);
    if (status) return status;
    return combgpu__magic_create(ctx, &combgpu__magic_solvers[state.method], &state, sizeof state,
                                 &desc->run, out);
}

COMBGPU__DEF combgpu_status combgpu_magic_end(combgpu_job *job, combgpu_magic_result *result)
{
    const combgpu__magic_state *state;
    combgpu_magic_result r;
    combgpu_status status;
    int counted, c;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, !strncmp(job->problem->name, "magic ", 6), "combgpu_magic_begin");
    if (status) return status;
    state = (const combgpu__magic_state *)job->state;
    memset(&r, 0, sizeof r);
    counted = state->method == COMBGPU__MAGIC_SEMIS || combgpu__magic_is_joined(state);
    r.count = combgpu__magic_solutions(job);
    r.up_to_d4 = r.count / (uint64_t)state->image_count;
    if (combgpu__magic_has_m_group(state))
        r.up_to_m_group =
            state->method == COMBGPU__MAGIC_SEARCH || state->method == COMBGPU__MAGIC_NUMBERS
                ? job->sums[COMBGPU__MAGIC_M_CLASSES]
                : r.up_to_d4 / 4;
    for (c = 1; c <= 25 && state->order % 2; c++)
        if (!counted)
            r.by_centre[c] = job->sums[COMBGPU__MAGIC_BY_CENTRE + c];
        else if (state->method == COMBGPU__MAGIC_SEMIS)
            r.by_centre[c] = r.up_to_d4 / 25; /* rows and columns change places */
        else if (!state->centre || c == state->centre)
            r.by_centre[c] = 4 * job->sums[COMBGPU__MAGIC_JOINED + (c > 13 ? 26 - c : c)];
    status = combgpu__job_ended(
        job, job->sums[counted ? COMBGPU__MAGIC_HASH : COMBGPU__MAGIC_CHECKSUM], &r.run);
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

