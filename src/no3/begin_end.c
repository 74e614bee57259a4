/* ---- begin, end, one-shot */

/* The number of orbits on a board up to which a search in random order cuts off copies. */
COMBGPU__PRIVATE uint32_t combgpu__no3_depth(const combgpu__no3 *model)
{
    if (model->group != 1) return model->n <= 24 ? 4 : 3;
    return model->n <= 14 ? 6 : model->n <= 18 ? 5 : model->n <= 24 ? 4 : 3;
}

/* Copies the fixed cells into the model, turned for each frame. */
COMBGPU__PRIVATE void combgpu__no3_give_cells(combgpu__no3 *model, const combgpu_no3_desc *desc)
{
    combgpu__no3_given *given = &model->given;
    unsigned swaps = desc->symmetry == COMBGPU_NO3_ORT1                       ? 0xf0u
                     : desc->symmetry == COMBGPU_NO3_DIA1                     ? 0x66u
                     : desc->symmetry == COMBGPU_NO3_NEAR_ROT4 && desc->n % 2 ? 0x66u
                                                                              : 0;
    uint64_t image[2][64];
    int frame, map, y;
    model->desc.on = model->desc.off = NULL; /* the caller's may go */
    for (y = 0; y < desc->n; y++) {
        if (desc->on) given->on[0][y] = desc->on[y];
        if (desc->off) given->off[0][y] = desc->off[y];
        given->any |= given->on[0][y] || given->off[0][y];
    }
    given->turn = desc->symmetry == COMBGPU_NO3_ORT1 ? 4 : 1;
    combgpu__no3_image(desc->n, given->turn, given->on[0], given->on[1]);
    combgpu__no3_image(desc->n, given->turn, given->off[0], given->off[1]);
    for (frame = 0; frame < 2; frame++)
        for (map = 0; map < 8; map++) {
            combgpu__no3_image(desc->n, map, given->on[frame], image[0]);
            combgpu__no3_image(desc->n, map, given->off[frame], image[1]);
            if (!combgpu__no3_compare(desc->n, image[0], given->on[frame]) &&
                !combgpu__no3_compare(desc->n, image[1], given->off[frame]))
                given->keep[frame] |= 1u << map;
        }
    /* a map that keeps the cells and swaps the frames: whatever is in one is in the other */
    given->frames = swaps && !(given->keep[0] & swaps) ? 2 : 1;
}

/* What fixed cells and the random order add to the job's identity. */
COMBGPU__PRIVATE void combgpu__no3_name_job(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    const combgpu__no3_given *given = &model->given;
    size_t at = strlen(job->parameters);
    if (given->any) {
        uint64_t hash = COMBGPU__FNV_OFFSET;
        int y, bit;
        for (y = 0; y < 2 * model->n; y++)
            for (bit = 0; bit < 64; bit += 8) {
                unsigned char byte = (unsigned char)((y < model->n ? given->on[0][y]
                                                                   : given->off[0][y - model->n]) >>
                                                     bit);
                hash = combgpu__fnv(hash, &byte, 1);
            }
        at += (size_t)snprintf(job->parameters + at, sizeof job->parameters - at, " fixed %016llx",
                               (unsigned long long)hash);
    }
    if (model->desc.seed)
        snprintf(job->parameters + at, sizeof job->parameters - at, " seed %llu",
                 (unsigned long long)model->desc.seed);
}

COMBGPU__PRIVATE void combgpu__no3_make_model(combgpu__no3 *model, const combgpu_no3_desc *desc,
                                              int least_words)
{
    int n = desc->n, i, at = 0, distance;
    model->desc = *desc;
    model->n = n;
    for (distance = 0; distance < n; distance++)
        for (i = 0; i < n; i++)
            if (2 * i - (n - 1) == distance || 2 * i - (n - 1) == -distance) {
                model->coordinate[at] = i;
                model->index[i] = at++;
            }
    model->group = combgpu__no3_group(desc->symmetry);
    model->near = desc->symmetry == COMBGPU_NO3_NEAR_ROT4;
    combgpu__no3_make_orbits(model);
    combgpu__no3_find_images(model);
    combgpu__no3_make_lines(model, least_words);
    combgpu__no3_make_places(model);
    model->depth = combgpu__no3_depth(model);
    combgpu__no3_give_cells(model, desc);
    model->deepest = model->group == 1 ? 8 : 5;
    model->tasks = model->group != 1 ? 16384
                   : n < 13          ? 4096
                   : n < 15          ? 16384
                   : n < 16          ? 65536
                                     : 131072;
}

/* combgpu_no3_begin with a board of at least `least_words` words. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_begin(combgpu_context *ctx,
                                                   const combgpu_no3_desc *desc, int least_words,
                                                   combgpu_job **out)
{
    static const struct {
        int words, wide, lanes;
        const char *name;
    } kernels[] = {
        {16, 0, 4, "combgpu_no3_search_16"},     {32, 0, 4, "combgpu_no3_search_32"},
        {48, 0, 4, "combgpu_no3_search_48"},     {48, 1, 4, "combgpu_no3_search_48w"},
        {64, 0, 8, "combgpu_no3_search_64"},     {64, 1, 8, "combgpu_no3_search_64w"},
        {128, 1, 16, "combgpu_no3_search_128w"}, {192, 1, 16, "combgpu_no3_search_192w"}};
    static const char *const squares[4] = {"combgpu_no3_search_fold", "combgpu_no3_search_fold_odd",
                                           "combgpu_no3_search_half",
                                           "combgpu_no3_search_half_ort1"};
    int i;
    combgpu_job *job;
    combgpu__no3 *model;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", out ? "desc" : "job");
    *out = NULL;
    status = combgpu__no3_validate(ctx, desc);
    if (!status)
        status = combgpu__job_create(ctx, &combgpu__no3_problem, sizeof *model, &desc->run, &job);
    if (status) return status;
    model = (combgpu__no3 *)job->state;
    combgpu__no3_make_model(model, desc, least_words);
    for (i = 0; kernels[i].words != model->words || kernels[i].wide != model->wide;)
        i++;
    job->kernel.name = kernels[i].name;
    job->kernel.lanes_per_worker = kernels[i].lanes;
    if (model->matrix)
        job->kernel.name = model->wide          ? "combgpu_no3_search_24f"
                           : model->matrix == 5 ? "combgpu_no3_search_20"
                                                : "combgpu_no3_search_24";
    if (model->square) {
        job->kernel.name = squares[model->square - 1];
        job->kernel.lanes_per_worker = 4;
    }
    job->kernel.part = "NO3";
    job->kernel.solve = combgpu__no3_solve;
    job->kernel.lanes_per_block = 128;
    job->kernel.left_per_worker = (int)model->most + 2;
    job->kernel.first_budget = 1000;
    job->task_words = combgpu__no3_task_words(model->words);
    job->record_words = combgpu__no3_list_words(model->words) + 1;
    job->record_capacity = 16384;
    job->records_repeat = 1;
    job->work_bytes_per_worker = ((size_t)model->most + 1) * ((size_t)model->words + 16) * 4;
    job->memory_aim = UINT64_C(960) << 20;
    if (model->solo) {
        job->kernel.name = model->split ? "combgpu_no3_search_solo" : "combgpu_no3_search_solo17";
        job->kernel.lanes_per_worker = 1;
        job->left_on_device = COMBGPU__NO3_SOLO_LEVELS + 1;
        job->work_bytes_per_worker =
            COMBGPU__NO3_SOLO_LEVELS * COMBGPU__NO3_SOLO_LEVEL * sizeof(uint32_t);
    }
    snprintf(job->parameters, sizeof job->parameters, "n %d symmetry %s board %d%s order 2",
             desc->n, combgpu_no3_class_string(desc->symmetry), model->words,
             model->wide ? "w" : "");
    combgpu__no3_name_job(job);
    if (desc->seed) job->begun = combgpu__no3_begun;
    status = combgpu__no3_make_tables(job);
    if (!status && desc->seed) status = combgpu__no3_plan(job);
    if (!status) status = combgpu__job_start(job);
    return combgpu__job_begun(job, status, out);
}

COMBGPU__DEF combgpu_status combgpu_no3_begin(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                              combgpu_job **job)
{
    return combgpu__no3_begin(ctx, desc, 0, job);
}

COMBGPU__DEF combgpu_status combgpu_no3_end(combgpu_job *job, combgpu_no3_result *result)
{
    combgpu_status status;
    int i;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, job->problem == &combgpu__no3_problem, "combgpu_no3_begin");
    if (status) return status;
    if (!result) {
        status = combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
        combgpu_job_cancel(job);
        return status;
    }
    memset(result, 0, sizeof *result);
    result->all = job->sums[COMBGPU__NO3_ALL_SUM];
    result->up_to_symmetry = combgpu__no3_solutions(job);
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
        result->classes[i] = job->sums[COMBGPU__NO3_CLASSES + i];
    if (((const combgpu__no3 *)job->state)->desc.seed) {
        combgpu__no3_pieces pieces = combgpu__no3_pieces_of(job);
        result->restarts = combgpu__no3_pieces_begun(job, &pieces);
    }
    return combgpu__job_ended(job, job->sums[COMBGPU__NO3_CHECKSUM], &result->run);
}

COMBGPU__DEF combgpu_status combgpu_no3(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                        combgpu_no3_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!result) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
    status = combgpu_no3_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_no3_end(job, result);
}

