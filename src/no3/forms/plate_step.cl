/* No-three-in-line kernels, classes with a board of 24 or 32 words: a step, and the kernels. */

/* Each form has its own choose, cell and place. `dead`, `solved` and the line of the choice are set. */
COMBGPU__DEVICE void combgpu_no3_plate_choose(const combgpu_no3_plate *form,
                                              const combgpu_no3_plate_board *board,
                                              combgpu_no3_plate_choice *choice)
{
    if (form->kind == COMBGPU__NO3_PLATE_ORT1)
        combgpu_no3_plate_choose_ort1(form, board, choice);
    else if (form->kind == COMBGPU__NO3_PLATE_DIA1)
        combgpu_no3_plate_choose_dia1(form, board, choice);
    else
        combgpu_no3_plate_choose_fold(form, board, choice);
    choice->line = (choice->line & 63) + 64 * choice->of_y;
}

/* Sets x, y, orbit and `waits` of the choice for `line`; `one` is 1 if the line needs one point. A row
   of the grid (ORT1) needs one orbit, and `points` counts two for each. */
COMBGPU__DEVICE void combgpu_no3_plate_cell(const combgpu_no3_plate *form,
                                            const combgpu_no3_plate_board *board,
                                            combgpu_no3_plate_choice *choice, uint32_t line,
                                            uint32_t go)
{
    uint32_t one;
    choice->line = line & 63;
    choice->of_y = line >> 6;
    one = choice->of_y ? board->one_y : board->one;
    one = form->kind == COMBGPU__NO3_PLATE_ORT1 && choice->of_y ? 0
                                                                : one << (choice->line & 31) >> 31;
    if (form->kind == COMBGPU__NO3_PLATE_ORT1)
        combgpu_no3_plate_cell_ort1(form, board->words, choice);
    else if (form->kind == COMBGPU__NO3_PLATE_DIA1)
        combgpu_no3_plate_cell_dia1(form, board->words, choice);
    else
        combgpu_no3_plate_cell_fold(form, board->words, choice);
    choice->waits = choice->points + one >= 2;
    choice->orbit = go ? form->cells[choice->y * 64 + choice->x] : 0;
}

/* `from` and `in` are the lane and the word of row y: y / 8, y / 6 or y / 5, and the rest. */
COMBGPU__DEVICE void combgpu_no3_plate_remove(const combgpu_no3_plate *form,
                                              combgpu_no3_plate_board *board,
                                              const combgpu_no3_plate_choice *choice)
{
    const uint32_t rows = form->kind <= COMBGPU__NO3_PLATE_DIA2 ? form->share : 5;
    const uint32_t from = rows == 8   ? choice->y >> 3
                          : rows == 6 ? choice->y * 43 >> 8
                                      : choice->y * 13 >> 6;
    uint32_t in = choice->y - rows * from, bit = 0x80000000u >> (choice->x & 31), j;
    if (rows == 5 && choice->x > 31) {
        bit >>= 6 * in;
        in = 5;
    }
    if (form->lane != from) bit = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->share; j++)
        board->words[j] &= ~(j == in ? bit : 0);
}

COMBGPU__DEVICE void combgpu_no3_plate_place(const combgpu_no3_plate *form,
                                             combgpu_no3_plate_board *board,
                                             const combgpu_no3_plate_choice *choice)
{
    if (form->kind == COMBGPU__NO3_PLATE_ORT1)
        combgpu_no3_plate_place_ort1(form, board, choice);
    else if (form->kind == COMBGPU__NO3_PLATE_DIA1)
        combgpu_no3_plate_place_dia1(form, board, choice);
    else
        combgpu_no3_plate_place_fold(form, board, choice);
    if (form->lane == 0) form->list[COMBGPU__NO3_LIST_AT(board->count)] = choice->orbit;
    board->count++;
}

/* The lane's part of the row of two orbits, or zeros unless `is`. */
COMBGPU__DEVICE void combgpu_no3_plate_gone(const combgpu_no3_plate *form, uint32_t *row,
                                            uint32_t p, uint32_t q, const uint32_t is)
{
    const uint32_t high = max(p, q), low = min(p, q);
    if (is)
        combgpu_no3_load_lane(row, form->rows + (uint64_t)(high * (high + 1) / 2 + low) * form->all,
                              form->share, form->lane);
    else
        combgpu_no3_clear(row, form->share);
}

/* Reads the rows of the orbit with all that are placed, four at a time. The list ends with the
   orbit itself, whose row has what it excludes alone. */
COMBGPU__DEVICE void combgpu_no3_plate_propagate(const combgpu_no3_plate *form,
                                                 combgpu_no3_plate_board *board,
                                                 const combgpu_no3_plate_choice *choice,
                                                 uint32_t go)
{
    const uint32_t limit = go ? board->count : 0, p = choice->orbit;
    uint32_t *words = board->words, k, j;
    COMBGPU__WARP_BARRIER();
    for (k = 0; k < limit; k += 4) {
        const uint4 with = *(COMBGPU__LOCAL const uint4 *)(form->list + COMBGPU__NO3_LIST_AT(k));
        uint32_t r0[8], r1[8], r2[8], r3[8];
        combgpu_no3_plate_gone(form, r0, p, with.x, 1);
        combgpu_no3_plate_gone(form, r1, p, with.y, k + 1 < limit);
        combgpu_no3_plate_gone(form, r2, p, with.z, k + 2 < limit);
        combgpu_no3_plate_gone(form, r3, p, with.w, k + 3 < limit);
        COMBGPU__NO3_UNROLL
        for (j = 0; j < form->share; j++)
            words[j] &= ~(r0[j] | r1[j] | r2[j] | r3[j]);
    }
    COMBGPU__WARP_BARRIER();
}

/* The kernel for a form (`kind`) and 6 or 8 words in a lane; `list` is the board's own list. */
COMBGPU__DEVICE void combgpu_no3_plate_search(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS,
                                              COMBGPU__LOCAL uint32_t *list, const uint32_t kind,
                                              const uint32_t share)
{
    combgpu_no3_plate form = combgpu_no3_plate_begin(COMBGPU__GROUP, tables, list, kind, share);
    combgpu_no3_worker worker = combgpu_no3_worker_begin(
        slice, work + COMBGPU__GROUP_INDEX * form.room * form.level_words, COMBGPU__GROUP_INDEX);
    uint32_t words[8], i;
    combgpu_no3_plate_board board;
    board.words = words;
    if (slice->workers == 0) form.cells = form.rows = work; /* as in combgpu_no3_orbit_search */
    combgpu_no3_clear(board.words, 8);
    board.one = board.two = board.one_y = board.two_y = COMBGPU__NONE;
    board.count = 0;
    for (i = 0; i < COMBGPU__NO3_PLATE_LISTED / 4; i++)
        list[4 * COMBGPU__NO3_LIST_BOARDS * i + form.lane] = 0;
    COMBGPU__NO3_SEARCH(plate, GROUP);
}

#define COMBGPU__NO3_PLATE_KERNEL(name, form, share)                                               \
    COMBGPU__KERNEL name(COMBGPU__SLICE_ARGUMENTS)                                                 \
    {                                                                                              \
        COMBGPU__GROUP_BEGIN(4);                                                                   \
        COMBGPU__NO3_LIST_ARRAY(COMBGPU__NO3_PLATE_LISTED);                                        \
        combgpu_no3_plate_search(COMBGPU__GROUP, slice, tables, tasks, left, records, work,        \
                                 COMBGPU__NO3_LIST_OWN, form, share);                              \
    }
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_fold24, COMBGPU__NO3_PLATE_FOLD, 6)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_fold32, COMBGPU__NO3_PLATE_FOLD, 8)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_dia2_24, COMBGPU__NO3_PLATE_DIA2, 6)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_dia2_32, COMBGPU__NO3_PLATE_DIA2, 8)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_ort1_24, COMBGPU__NO3_PLATE_ORT1, 6)
COMBGPU__NO3_PLATE_KERNEL(combgpu_no3_search_dia1_24, COMBGPU__NO3_PLATE_DIA1, 6)
