/* No-three-in-line kernels, the full search from n = 22 to 24.

   A cell is a bit of a matrix, a row in a word, column 0 in the top bit. Four lanes have six rows
   each. Rows that a step removes have the same numbers as in combgpu_no3_orbit. */

typedef struct combgpu_no3_matrix {
    combgpu_group_t group;
    uint32_t lane, share;
    uint32_t all, kept; /* words of the matrix; list words in a lane */
    uint32_t stride, line_rows;
    uint32_t words, orbits, lines; /* of a task's board */
    uint32_t task_words, record_words, level_words, room;
    COMBGPU__GLOBAL const uint32_t *cells, *places, *rows;
    COMBGPU__GLOBAL const uint16_t *pairs;
} combgpu_no3_matrix;

typedef struct combgpu_no3_matrix_board {
    uint32_t *words, *list, *gone; /* in this lane; gone: what this step removes */
    uint32_t one, two;             /* rows with a point; with two */
    uint32_t one_c, two_c;         /* columns */
    uint32_t count;                /* orbits placed */
} combgpu_no3_matrix_board;

typedef struct combgpu_no3_matrix_choice {
    uint32_t dead, solved, waits;
    uint32_t line; /* row i is 2 * i, column i 2 * i + 1 */
    uint32_t x, y, orbit;
} combgpu_no3_matrix_choice;

COMBGPU__DEVICE combgpu_no3_matrix combgpu_no3_matrix_begin(COMBGPU__GROUP_PARAMETER,
                                                            COMBGPU__GLOBAL const uint32_t *tables)
{
    const uint32_t share = COMBGPU__NO3_MATRIX_SHARE;
    combgpu_no3_matrix form;
    form.group = group;
    form.lane = COMBGPU__GROUP_LANE;
    form.share = share;
    form.all = 4 * share;
    form.kept = share;
    form.stride = tables[COMBGPU__NO3_AT_STRIDE];
    form.line_rows = tables[COMBGPU__NO3_AT_LINE_ROWS];
    form.words = tables[COMBGPU__NO3_AT_WORDS];
    form.orbits = tables[COMBGPU__NO3_AT_ORBITS];
    form.lines = form.words;
    form.task_words = COMBGPU__NO3_TASK_WORDS(form.words);
    form.record_words = COMBGPU__NO3_RECORD_WORDS(form.words);
    form.level_words = COMBGPU__NO3_MATRIX_LEVEL;
    form.room = COMBGPU__NO3_MATRIX_LEVELS;
    form.cells = tables + tables[COMBGPU__NO3_AT_GRID];
    form.places = form.cells + COMBGPU__NO3_MATRIX_PLACES;
    form.pairs = (COMBGPU__GLOBAL const uint16_t *)(form.cells + COMBGPU__NO3_MATRIX_SPOTS +
                                                    2 * form.orbits);
    form.rows = tables + tables[COMBGPU__NO3_AT_MATRIX];
    return form;
}

/* Adds row `number` to `gone`. */
COMBGPU__DEVICE void combgpu_no3_matrix_gone(const combgpu_no3_matrix *form, uint32_t *gone,
                                             uint32_t number)
{
    uint32_t row[COMBGPU__NO3_MOST], i;
    combgpu_no3_load_lane(row, form->rows + number * form->all, form->share, form->lane);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->share; i++)
        gone[i] |= row[i];
}

/* ---- tasks, the stack */

COMBGPU__DEVICE uint32_t combgpu_no3_matrix_load(const combgpu_no3_matrix *form,
                                                 combgpu_no3_matrix_board *board,
                                                 COMBGPU__GLOBAL const uint32_t *from)
{
    COMBGPU__GLOBAL const uint32_t *needs = from + form->words;
    const uint32_t lines = form->lines, part = lines / COMBGPU__NO3_NEED_WORDS;
    const uint32_t none = 0xffffffffu >> lines / 2; /* unused lines */
    uint32_t i;
    board->one = board->two = board->one_c = board->two_c = 0;
    for (i = 0; i < lines; i++) {
        uint32_t need = combgpu_no3_task_need(needs, part, i);
        uint32_t bit = 0x80000000u >> (i >> 1);
        if (i & 1) {
            board->one_c |= need < 2 ? bit : 0;
            board->two_c |= need < 1 ? bit : 0;
        } else {
            board->one |= need < 2 ? bit : 0;
            board->two |= need < 1 ? bit : 0;
        }
    }
    board->one |= none;
    board->two |= none;
    board->one_c |= none;
    board->two_c |= none;
    board->count = needs[0] >> COMBGPU__NO3_COUNT_SHIFT;
    combgpu_no3_load_board(board->words, form->share, form->lane, form->places, from);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        board->list[i] = needs[COMBGPU__NO3_NEED_WORDS + 4 * i + form->lane];
    return combgpu_no3_task_line(needs);
}

COMBGPU__DEVICE void combgpu_no3_matrix_give(const combgpu_no3_matrix *form,
                                             const combgpu_no3_matrix_board *board,
                                             COMBGPU__GLOBAL uint32_t *to, uint32_t line_of,
                                             uint32_t gives)
{
    COMBGPU__GLOBAL uint32_t *needs = to + form->words;
    const uint32_t lane = form->lane, part = form->lines / COMBGPU__NO3_NEED_WORDS;
    uint32_t i, k;
    if (gives)
        for (i = lane; i < form->task_words; i += 4)
            to[i] = 0;
    COMBGPU__WARP_BARRIER();
    if (!gives) return;
    combgpu_no3_give_board(board->words, form->share, lane, form->places, to);
    for (i = lane; i < COMBGPU__NO3_NEED_WORDS; i += 4) {
        uint32_t word = combgpu_no3_task_top(i, board->count, line_of);
        for (k = 0; k < part; k++) {
            uint32_t line = i * part + k, shift = line >> 1;
            uint32_t one = line & 1 ? board->one_c : board->one;
            uint32_t two = line & 1 ? board->two_c : board->two;
            word |= (2 - (one << shift >> 31) - (two << shift >> 31)) << 2 * k;
        }
        needs[i] = word;
    }
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        needs[COMBGPU__NO3_NEED_WORDS + 4 * i + lane] = board->list[i];
}

COMBGPU__DEVICE void combgpu_no3_matrix_record(const combgpu_no3_matrix *form,
                                               const combgpu_no3_matrix_board *board,
                                               COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    if (form->lane == 0) to[0] = board->count;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        to[1 + 4 * i + form->lane] =
            combgpu_no3_listed(board->list[i], 4 * i + form->lane, board->count);
    for (i = 4 * form->kept + form->lane; i < COMBGPU__NO3_LIST_WORDS(form->words); i += 4)
        to[1 + i] = 0;
}

COMBGPU__DEVICE uint32_t combgpu_no3_matrix_pop(const combgpu_no3_matrix *form,
                                                combgpu_no3_matrix_board *board,
                                                COMBGPU__GLOBAL const uint32_t *top)
{
    combgpu_no3_load_lane(board->words, top, form->share, form->lane);
    board->one = top[form->all];
    board->two = top[form->all + 1];
    board->one_c = top[form->all + 2];
    board->two_c = top[form->all + 3];
    board->count = top[form->all + 4];
    return top[form->all + 5];
}

COMBGPU__DEVICE void combgpu_no3_matrix_push(const combgpu_no3_matrix *form,
                                             const combgpu_no3_matrix_board *board,
                                             COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    const uint32_t lane = form->lane;
    combgpu_no3_store_lane(top, board->words, form->share, lane);
    top[form->all + lane] = lane == 0   ? board->one
                            : lane == 1 ? board->two
                            : lane == 2 ? board->one_c
                                        : board->two_c;
    if (lane < 2) top[form->all + 4 + lane] = lane ? line : board->count;
}

/* ---- a step */

/* Counts the open cells of rows. Lanes exchange a byte for each bit of the count, with the lane's
   row 0 in the top bit. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_matrix_rows(const combgpu_no3_matrix *form,
                                                           const uint32_t *words)
{
    const combgpu_group_t group = form->group;
    const uint32_t share = form->share;
    uint32_t own = 0, j, k;
    combgpu_no3_counts rows;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++) {
        own = 2 * own + combgpu_no3_spread(COMBGPU__POPCOUNT(words[j]));
    }
    own <<= 8 - share;
    rows.s = rows.t = rows.f = rows.e = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++) {
        k = COMBGPU__GROUP_FROM(own, j);
        rows.s |= (k & 255) << 24 >> share * j;
        rows.t |= (k >> 8 & 255) << 24 >> share * j;
        rows.f |= (k >> 16 & 255) << 24 >> share * j;
        rows.e |= k >> 24 << 24 >> share * j;
    }
    return rows;
}

/* Counts the open cells of columns: word after word, then the sum over lanes. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_matrix_columns(const combgpu_no3_matrix *form,
                                                              const uint32_t *words)
{
    combgpu_no3_counts columns;
    uint32_t c, c2, j;
    columns.s = columns.t = columns.f = columns.e = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->share; j++) {
        c = columns.s & words[j];
        columns.s ^= words[j];
        c2 = columns.t & c;
        columns.t ^= c;
        columns.e |= columns.f & c2;
        columns.f ^= c2;
    }
    combgpu_no3_counts_sum(form->group, &columns);
    return columns;
}

COMBGPU__DEVICE void combgpu_no3_matrix_choose(const combgpu_no3_matrix *form,
                                               const combgpu_no3_matrix_board *board,
                                               combgpu_no3_matrix_choice *choice)
{
    combgpu_no3_counts rows = combgpu_no3_matrix_rows(form, board->words);
    combgpu_no3_counts columns = combgpu_no3_matrix_columns(form, board->words);
    uint32_t kind[8], kind_c[8], is_row, is_column;
    combgpu_no3_kinds(kind, rows, board->one, board->two, 0);
    combgpu_no3_kinds(kind_c, columns, board->one_c, board->two_c, 0);
    choice->dead = kind[0] | kind_c[0];
    choice->line = 2 * combgpu_no3_best_line(kind, kind_c, &is_row, &is_column) + 1;
    choice->line -= is_row;
    choice->solved = board->two == COMBGPU__NONE && board->two_c == COMBGPU__NONE;
}

/* Finds the first open cell of a row or column. */
COMBGPU__DEVICE void combgpu_no3_matrix_cell(const combgpu_no3_matrix *form,
                                             const combgpu_no3_matrix_board *board,
                                             combgpu_no3_matrix_choice *choice, uint32_t line,
                                             uint32_t go)
{
    const combgpu_group_t group = form->group;
    const uint32_t lane = form->lane, share = form->share, i = line >> 1 & 31;
    const uint32_t is_row = !(line & 1), one = (is_row ? board->one : board->one_c) << i >> 31;
    uint32_t row = 0, column = 0, x, y = i, j;
    (void)go;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++) {
        row |= lane * share + j == i ? board->words[j] : 0;
        column |= (board->words[j] << i & 0x80000000u) >> j;
    }
    column >>= lane * share;
    if (!is_row) row = column;
    row |= COMBGPU__GROUP_FROM(row, lane ^ 1);
    row |= COMBGPU__GROUP_FROM(row, lane ^ 2);
    x = COMBGPU__CLZ(row);
    choice->waits = COMBGPU__POPCOUNT(row) + one > 2;
    if (!is_row) {
        y = x;
        x = i;
    }
    choice->x = x & 31;
    choice->y = y & 31;
    choice->orbit = form->cells[choice->y * 32 + choice->x];
    combgpu_no3_clear(board->gone, share);
}

COMBGPU__DEVICE void combgpu_no3_matrix_remove(const combgpu_no3_matrix *form,
                                               combgpu_no3_matrix_board *board,
                                               const combgpu_no3_matrix_choice *choice)
{
    const uint32_t bit = 0x80000000u >> choice->x;
    uint32_t j;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->share; j++)
        board->words[j] &= ~(form->lane * form->share + j == choice->y ? bit : 0);
}

/* `gone` gets the cells that the point's lines no longer take. */
COMBGPU__DEVICE void combgpu_no3_matrix_place(const combgpu_no3_matrix *form,
                                              combgpu_no3_matrix_board *board,
                                              combgpu_no3_matrix_choice *choice)
{
    const uint32_t bit = 0x80000000u >> choice->x, bit_y = 0x80000000u >> choice->y;
    board->two |= board->one & bit_y;
    board->one |= bit_y;
    board->two_c |= board->one_c & bit;
    board->one_c |= bit;
    if (board->two & bit_y)
        combgpu_no3_matrix_gone(form, board->gone, form->line_rows + 6 * choice->y);
    if (board->two_c & bit)
        combgpu_no3_matrix_gone(form, board->gone, form->line_rows + 6 * choice->x + 3);
    combgpu_no3_list_put(board->list, form->kept, 4, form->lane, board->count, choice->orbit);
    board->count++;
}

COMBGPU__DEVICE void combgpu_no3_matrix_propagate(const combgpu_no3_matrix *form,
                                                  combgpu_no3_matrix_board *board,
                                                  combgpu_no3_matrix_choice *choice, uint32_t go)
{
    const combgpu_group_t group = form->group;
    const uint32_t limit = go ? board->count : 0;
    uint32_t at, j, k;
    COMBGPU__NO3_UNROLL
    COMBGPU__NO3_EACH_ROUND(k, 4 * k < limit, 2 * form->kept)
    {
        uint32_t number = 0;
        if (4 * k + form->lane < limit) {
            uint32_t both = board->list[COMBGPU__NO3_SLOT(4 * k) / 4];
            at = choice->orbit * form->stride + (4 * k & 8 ? both >> 16 : both & 0xffff);
            number = form->pairs[at];
        }
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 4; j++) {
            at = COMBGPU__GROUP_FROM(number, j);
            if (at) combgpu_no3_matrix_gone(form, board->gone, at);
        }
    }
    if (go) combgpu_no3_without(board->words, board->gone, form->share);
}

COMBGPU__DEVICE void combgpu_no3_matrix_search(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_no3_matrix form = combgpu_no3_matrix_begin(COMBGPU__GROUP, tables);
    combgpu_no3_worker worker = combgpu_no3_worker_begin(
        slice, work + COMBGPU__GROUP_INDEX * form.room * form.level_words, COMBGPU__GROUP_INDEX);
    uint32_t words[COMBGPU__NO3_MOST], list[COMBGPU__NO3_MOST], gone[COMBGPU__NO3_MOST];
    combgpu_no3_matrix_board board;
    board.words = words;
    board.list = list;
    board.gone = gone;
    if (slice->workers == 0) { /* as in combgpu_no3_orbit_search */
        form.cells = form.rows = work;
        form.pairs = (COMBGPU__GLOBAL const uint16_t *)work;
    }
    combgpu_no3_clear(board.words, COMBGPU__NO3_MOST);
    combgpu_no3_clear(board.list, COMBGPU__NO3_MOST);
    board.one = board.two = board.one_c = board.two_c = board.count = 0;
    COMBGPU__NO3_SEARCH(matrix, GROUP);
}

COMBGPU__KERNEL combgpu_no3_search_24(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__GROUP_BEGIN(4);
    combgpu_no3_matrix_search(COMBGPU__GROUP, slice, tables, tasks, left, records, work);
}
