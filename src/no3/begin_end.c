/* No-three-in-line: begin, end and the one-shot call. */

/* A search in random order cuts off copies up to so many orbits on a board. */
COMBGPU__PRIVATE uint32_t combgpu__no3_depth(const combgpu__no3 *model)
{
    if (model->group != 1) return model->n <= 24 ? 4 : 3;
    return model->n <= 14 ? 6 : model->n <= 18 ? 5 : model->n <= 24 ? 4 : 3;
}

/* Copies the fixed cells into the model, for each frame. */
COMBGPU__PRIVATE void combgpu__no3_give_cells(combgpu__no3 *model, const combgpu_no3_desc *desc)
{
    combgpu__no3_given *given = &model->given;
    unsigned swaps = desc->symmetry == COMBGPU_NO3_ORT1                       ? 0xf0u
                     : desc->symmetry == COMBGPU_NO3_DIA1                     ? 0x66u
                     : desc->symmetry == COMBGPU_NO3_NEAR_ROT4 && desc->n % 2 ? 0x66u
                                                                              : 0;
    uint64_t image[2][COMBGPU__NO3_BOARD];
    int frame, map, y;
    model->desc.on = model->desc.off = NULL; /* the caller may free them */
    for (y = 0; y < combgpu__no3_board_words(desc->n); y++) {
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
    /* if a map keeps the cells and swaps the frames, both have the same solutions */
    given->frames = swaps && !(given->keep[0] & swaps) ? 2 : 1;
}

/* Adds fixed cells and seed to the job's parameters. */
COMBGPU__PRIVATE void combgpu__no3_name_job(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    const combgpu__no3_given *given = &model->given;
    size_t at = strlen(search->parameters);
    if (given->any) {
        uint64_t hash = COMBGPU__FNV_OFFSET;
        int words = combgpu__no3_board_words(model->n), y, bit;
        for (y = 0; y < 2 * words; y++)
            for (bit = 0; bit < 64; bit += 8) {
                unsigned char byte =
                    (unsigned char)((y < words ? given->on[0][y] : given->off[0][y - words]) >>
                                    bit);
                hash = combgpu__fnv(hash, &byte, 1);
            }
        at += (size_t)snprintf(search->parameters + at, sizeof search->parameters - at,
                               " fixed %016llx", (unsigned long long)hash);
    }
    if (model->desc.seed)
        snprintf(search->parameters + at, sizeof search->parameters - at, " seed %llu",
                 (unsigned long long)model->desc.seed);
}

/* Orders rows and columns from the centre out. On an odd side the full search takes the middle
   third, which saves steps. */
COMBGPU__PRIVATE void combgpu__no3_order_lines(combgpu__no3 *model)
{
    int n = model->n, at = 0, distance, i;
    for (distance = 0; distance < n; distance++)
        for (i = 0; i < n; i++)
            if (2 * i - (n - 1) == distance || 2 * i - (n - 1) == -distance)
                model->coordinate[at++] = i;
    model->middle = n % 2 ? 0 : -1;
    if (n % 2 && model->desc.symmetry == COMBGPU_NO3_ALL)
        for (; model->middle < 2; model->middle++) {
            model->coordinate[model->middle] = model->coordinate[model->middle + 1];
            model->coordinate[model->middle + 1] = n / 2;
        }
    for (i = 0; i < n; i++)
        model->index[model->coordinate[i]] = i;
}

COMBGPU__PRIVATE void combgpu__no3_make_model(combgpu__no3 *model, const combgpu_no3_desc *desc,
                                              int least_words)
{
    int n = desc->n;
    model->desc = *desc;
    model->n = n;
    combgpu__no3_order_lines(model);
    model->group = combgpu__no3_group(desc->symmetry);
    model->near_rot4 = desc->symmetry == COMBGPU_NO3_NEAR_ROT4;
    combgpu__no3_make_orbits(model);
    combgpu__no3_find_images(model);
    combgpu__no3_make_lines(model, least_words);
    combgpu__no3_make_places(model);
    model->depth = combgpu__no3_depth(model);
    combgpu__no3_give_cells(model, desc);
    model->deepest = model->group == 1 ? 8 : 5;
    model->tasks = n > COMBGPU__NO3_TABLED ? 1024
                   : model->group != 1     ? 16384
                   : n < 13                ? 4096
                   : n < 15                ? 16384
                   : n < 16                ? 65536
                                           : 131072;
}

/* Chooses the kernel by the form of the board, and its needs on a device. */
COMBGPU__PRIVATE void combgpu__no3_choose_kernel(combgpu__job_desc *search,
                                                 const combgpu__no3 *model)
{
    static const struct {
        int words, wide, lanes;
        const char *name;
    } kernels[] = {
        {16, 0, 4, "combgpu_no3_search_16"},     {32, 0, 4, "combgpu_no3_search_32"},
        {48, 0, 4, "combgpu_no3_search_48"},     {48, 1, 4, "combgpu_no3_search_48w"},
        {64, 0, 8, "combgpu_no3_search_64"},     {64, 1, 8, "combgpu_no3_search_64w"},
        {128, 1, 16, "combgpu_no3_search_128w"}, {192, 1, 16, "combgpu_no3_search_192w"}};
    static const char *const solos[6] = {"combgpu_no3_search_solo",   "combgpu_no3_search_solo17",
                                         "combgpu_no3_search_solo18", "combgpu_no3_search_solo19",
                                         "combgpu_no3_search_solo20", "combgpu_no3_search_solo21"};
    static const char *const squares[4] = {"combgpu_no3_search_fold", "combgpu_no3_search_fold_odd",
                                           "combgpu_no3_search_half",
                                           "combgpu_no3_search_half_ort1"};
    static const char *const plates[4][2] = {
        /* with 24 words, with 32 */
        {"combgpu_no3_search_fold24", "combgpu_no3_search_fold32"},
        {"combgpu_no3_search_dia2_24", "combgpu_no3_search_dia2_32"},
        {"combgpu_no3_search_ort1_24", ""},
        {"combgpu_no3_search_dia1_24", ""}};
    size_t level = (size_t)COMBGPU__NO3_LEVEL_WORDS(model->words);
    size_t levels = COMBGPU__NO3_ORBIT_LEVELS(model->words);
    int i, lanes = 4;
    for (i = 0; i < 8 && (kernels[i].words != model->words || kernels[i].wide != model->wide);)
        i++;
    search->kernel.name = i < 8 ? kernels[i].name : NULL; /* large boards: on the CPU alone */
    if (i < 8) lanes = kernels[i].lanes;
    if (model->matrix) {
        search->kernel.name = "combgpu_no3_search_24";
        level = COMBGPU__NO3_MATRIX_LEVEL;
        levels = COMBGPU__NO3_MATRIX_LEVELS;
    }
    if (model->square) {
        search->kernel.name = squares[model->square - COMBGPU__NO3_FORM_FOLD];
        level = COMBGPU__NO3_SQUARE_LEVEL;
        levels = COMBGPU__NO3_SQUARE_LEVELS;
        lanes = 4;
    }
    if (model->plate) {
        search->kernel.name = plates[model->plate - COMBGPU__NO3_PLATE_FOLD][model->share == 8];
        level = (size_t)COMBGPU__NO3_PLATE_LEVEL(model->share);
        levels = COMBGPU__NO3_PLATE_LEVELS;
        lanes = 4;
    }
    if (model->solo) {
        search->kernel.name = solos[model->solo - 1];
        level = (size_t)COMBGPU__NO3_SOLO_LEVEL(model->solo - 1);
        levels = COMBGPU__NO3_SOLO_LEVELS(model->solo - 1);
        lanes = 1;
    }
    search->left_on_device = (int)levels + 1;
    search->kernel.lanes_per_worker = lanes;
    search->work_bytes_per_worker = levels * level * sizeof(uint32_t);
}

/* A job's input: the caller's description, and the least words of a board
   (combgpu__no3_make_lines). */
typedef struct combgpu__no3_draft {
    combgpu_no3_desc desc;
    int least_words;
} combgpu__no3_draft;

COMBGPU__PRIVATE combgpu_status combgpu__no3_check(combgpu_context *ctx, const void *desc,
                                                   void *draft)
{
    ((combgpu__no3_draft *)draft)->desc = *(const combgpu_no3_desc *)desc;
    return combgpu__no3_validate(ctx, (const combgpu_no3_desc *)desc);
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_setup(combgpu_job *job, const void *from)
{
    const combgpu__no3_draft *draft = (const combgpu__no3_draft *)from;
    const combgpu_no3_desc *desc = &draft->desc;
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu_status status;
    combgpu__no3_make_model(model, desc, draft->least_words);
    search->kernel.lanes_per_block = 128;
    search->kernel.left_per_worker = (int)model->most + 2;
    search->kernel.first_budget = 1000;
    search->kernel.starved_share = 256; /* chunks of a random order are short, and end starved */
    search->task_words = (uint32_t)COMBGPU__NO3_TASK_WORDS(model->words);
    search->record_words = (uint32_t)COMBGPU__NO3_RECORD_WORDS(model->words);
    search->record_capacity = 16384;
    search->records_repeat = 1;
    search->cpu_work_bytes_per_worker = combgpu__no3_stack_bytes(model->most, model->words);
    search->memory_aim = UINT64_C(1020) << 20;
    combgpu__no3_choose_kernel(search, model);
    snprintf(search->parameters, sizeof search->parameters, "n %d symmetry %s board %d%s order 4",
             desc->n, combgpu_no3_class_string(desc->symmetry), model->words,
             model->wide ? "w" : "");
    combgpu__no3_name_job(job);
    if (desc->seed) {
        search->frontier = combgpu__no3_random_begin;
        search->coverage = combgpu__no3_begun;
    }
    status = combgpu__no3_make_tables(job);
    if (!status && desc->seed) status = combgpu__no3_plan(job);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_started(combgpu_job *job, const void *draft)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    (void)draft;
    if (!model->mixed) return COMBGPU_OK;
    return combgpu__fail(combgpu__context(job), COMBGPU_WRONG_JOB,
                         "desc.seed is %llu, but the shards to merge began on devices of "
                         "different sizes, which cut the tree into different chunks",
                         (unsigned long long)model->desc.seed);
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_end(combgpu_job *job, void *to, uint64_t *checksum)
{
    const uint64_t *sums = combgpu__accumulators(job);
    combgpu_no3_result *result = (combgpu_no3_result *)to;
    int i;
    result->all = sums[COMBGPU__NO3_ALL_SUM];
    result->up_to_symmetry = combgpu__no3_solutions(job);
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
        result->classes[i] = sums[COMBGPU__NO3_CLASSES + i];
    if (((const combgpu__no3 *)combgpu__state(job))->desc.seed) {
        combgpu__no3_chunks chunks = combgpu__no3_chunks_of(job);
        result->restarts = combgpu__no3_chunks_begun(job, &chunks);
    }
    *checksum = sums[COMBGPU__NO3_CHECKSUM];
    return COMBGPU_OK;
}

static const combgpu__method combgpu__no3_methods[] = {
    {NULL, combgpu__no3_describe, sizeof(combgpu__no3), combgpu__no3_setup, combgpu__no3_solve,
     combgpu__no3_started, combgpu__no3_end}};
static const combgpu__search combgpu__no3_calls = {
    COMBGPU__SEARCH_OF(no3), sizeof(combgpu__no3_draft), combgpu__no3_check, NULL, NULL,
    combgpu__no3_methods};
COMBGPU__SEARCH_CALLS(no3, combgpu__no3_calls)

/* combgpu_no3_begin of a valid description, with a board of at least `least_words` words. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_begin(combgpu_context *ctx,
                                                   const combgpu_no3_desc *desc, int least_words,
                                                   combgpu_job **out)
{
    combgpu__no3_draft draft;
    draft.desc = *desc;
    draft.least_words = least_words;
    return combgpu__method_begin(ctx, &combgpu__no3_calls, combgpu__no3_methods, &desc->run, &draft,
                                 out);
}
