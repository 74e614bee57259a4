/* No-three-in-line kernels, classes with a board of 16 words: boards, tasks and the stack.

   The classes are rot4, odd near_rot4, rot2 and ort1. Four lanes have four words each. A cell of
   the matrix is an orbit. A pair of orbits removes a row of 64 bytes, which the lanes read at once;
   cells p and q have row p * cells + q, so they need no table of numbers. The speed depends on the
   bytes from the L2 cache and the lines of the L1 cache.

     FOLD, FOLD_ODD  Lane l has rows 5l to 5l + 4 of up to 20 columns: four rows in the top bits of
                     a word each, the fifth in the low bits of words 0 (columns 0 to 11) and 1. Line
                     i is row i and column i. Odd side: lines and columns count from 1; line 0, the
                     axis, is in the low bits of lane 0's words 2 and 3, and its cells have weight
                     2; cells on the diagonal count once.
     HALF            rot2: a word is a row; columns 2k and 2k + 1 are one line. Line 2k is row k,
                     line 2k + 1 that pair of columns. Odd side: column 0 is empty; cells of row 0
                     have weight 2 for their row, cells of column 1 for their column.
     HALF_ORT1       A word is a pair of columns of the grid and needs two orbits; a bit of all
                     words is a row of the grid and needs one orbit. */
#define COMBGPU__NO3_SQUARE_ROWS 0xfffff000u /* FOLD: the bits of a word that are one row */

/* The list of placed orbits (of _square as cells, of _plate as numbers) in local memory: orbit c of a
   board is word c & 3 of four; the fours of LIST_BOARDS boards lie side by side. */
#ifdef COMBGPU__PACKED
#define COMBGPU__NO3_LIST_BOARDS 32
#else
#define COMBGPU__NO3_LIST_BOARDS 1
#endif
#define COMBGPU__NO3_LIST_AT(c) (COMBGPU__NO3_LIST_BOARDS * ((c) & ~3u) + ((c)&3))
#define COMBGPU__NO3_LIST_ARRAY(listed)                                                            \
    COMBGPU__LOCAL_ARRAY uint4 list[COMBGPU__NO3_LIST_BOARDS * (listed) / 4]
/* that of the lane's board */
#define COMBGPU__NO3_LIST_OWN                                                                      \
    ((COMBGPU__LOCAL uint32_t *)(list + (COMBGPU__NO3_LIST_BOARDS > 1 ? COMBGPU__LANE_ID / 4 : 0)))

typedef struct combgpu_no3_square {
    combgpu_group_t group;
    uint32_t lane, kind, fold, axis; /* kind: FORM_ ...; axis: nonzero if FOLD_ODD */
    uint32_t odd, stride, cells;     /* stride: cells of a row */
    uint32_t twice_lines;            /* lines whose cells have weight 2 */
    uint32_t words, lines;           /* of a task's board */
    uint32_t task_words, record_words, level_words, room;
    COMBGPU__GLOBAL const uint32_t *orbit_of, *spots, *line_rows, *rows;
    COMBGPU__LOCAL uint32_t *list;
} combgpu_no3_square;

typedef struct combgpu_no3_square_board {
    uint32_t *words, *gone; /* 4 each; gone: what this step removes */
    uint32_t one, two;      /* lines with a point; with two */
    uint32_t two_y;         /* HALF_ORT1: rows with an orbit */
    uint32_t count;         /* orbits placed */
} combgpu_no3_square_board;

typedef struct combgpu_no3_square_choice {
    uint32_t dead, solved, waits;
    uint32_t line; /* HALF_ORT1: 32 + a row of the grid, or 2 * a pair of columns */
    uint32_t x, y, cell;
} combgpu_no3_square_choice;

COMBGPU__DEVICE combgpu_no3_square combgpu_no3_square_begin(COMBGPU__GROUP_PARAMETER,
                                                            COMBGPU__GLOBAL const uint32_t *tables,
                                                            COMBGPU__LOCAL uint32_t *list,
                                                            const uint32_t kind)
{
    const uint32_t side = tables[COMBGPU__NO3_AT_SIDE];
    combgpu_no3_square form;
    form.group = group;
    form.lane = COMBGPU__GROUP_LANE;
    form.kind = kind;
    form.fold = kind <= COMBGPU__NO3_FORM_FOLD_ODD;
    form.axis = kind == COMBGPU__NO3_FORM_FOLD_ODD;
    form.odd = form.axis ? 1 : side & 1;
    form.stride = form.fold ? side / 2 : kind == COMBGPU__NO3_FORM_HALF ? side + form.odd : side;
    form.cells =
        form.stride * (kind == COMBGPU__NO3_FORM_HALF_ORT1 ? side / 2 : (side + form.odd) / 2);
    form.twice_lines = form.axis                                      ? 0x80000000u
                       : kind == COMBGPU__NO3_FORM_HALF && (side & 1) ? 0xc0000000u
                                                                      : 0;
    form.words = tables[COMBGPU__NO3_AT_WORDS];
    form.lines = form.words >> tables[COMBGPU__NO3_AT_WIDE];
    form.task_words = 2 * form.words + COMBGPU__NO3_NEED_WORDS;
    form.record_words = 1 + form.words;
    form.level_words = COMBGPU__NO3_SQUARE_LEVEL;
    form.room = COMBGPU__NO3_SQUARE_LEVELS;
    form.orbit_of = tables + tables[COMBGPU__NO3_AT_GRID];
    form.spots = form.orbit_of + COMBGPU__NO3_SQUARE_SPOTS;
    form.line_rows = form.orbit_of + COMBGPU__NO3_SQUARE_LINES + 4 * form.lane;
    form.rows = tables + tables[COMBGPU__NO3_AT_MATRIX] + 4 * form.lane;
    form.list = list;
    return form;
}

/* ---- tasks, the stack */

/* The bit of a task's line in the masks of lines; *single: the mask is two_y. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_bit(const combgpu_no3_square *form, uint32_t line,
                                                uint32_t *single)
{
    const uint32_t ort1 = form->kind == COMBGPU__NO3_FORM_HALF_ORT1;
    *single = ort1 && line % 3 != 1;
    if (ort1) return line / 3 * 2 + line % 3 / 2;
    return line;
}

/* A task's line as a choice's, and the reverse; 0 is 0. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_from_task(const combgpu_no3_square *form, uint32_t line)
{
    uint32_t single = 0, bit = line ? combgpu_no3_square_bit(form, line - 1, &single) : 0;
    return line ? 1 + bit + 32 * single : 0;
}

COMBGPU__DEVICE uint32_t combgpu_no3_square_to_task(const combgpu_no3_square *form, uint32_t line)
{
    const uint32_t i = line - 1 & 31;
    if (!line || form->kind != COMBGPU__NO3_FORM_HALF_ORT1) return line;
    return 1 + 3 * (i >> 1) + (line > 32 ? 2 * (i & 1) : 1);
}

COMBGPU__DEVICE uint32_t combgpu_no3_square_load(const combgpu_no3_square *form,
                                                 combgpu_no3_square_board *board,
                                                 COMBGPU__GLOBAL const uint32_t *from)
{
    COMBGPU__GLOBAL const uint32_t *needs = from + form->words;
    const uint32_t part = form->lines / COMBGPU__NO3_NEED_WORDS;
    uint32_t i;
    board->one = board->two = board->two_y = COMBGPU__NONE;
    for (i = 0; i < form->lines; i++) {
        uint32_t need = combgpu_no3_task_need(needs, part, i), single;
        uint32_t shift = combgpu_no3_square_bit(form, i, &single);
        uint32_t bit = shift < 32 ? 0x80000000u >> (shift & 31) : 0;
        if (single) {
            if (need) board->two_y &= ~bit;
            continue;
        }
        if (need == 2) board->one &= ~bit;
        if (need) board->two &= ~bit;
    }
    board->count = needs[0] >> COMBGPU__NO3_COUNT_SHIFT;
    combgpu_no3_load_board(board->words, 4, form->lane, form->orbit_of + COMBGPU__NO3_SQUARE_PLACES,
                           from);
    needs += COMBGPU__NO3_NEED_WORDS;
    for (i = form->lane; i < board->count; i += 4) {
        uint32_t orbit = needs[COMBGPU__NO3_SLOT(i)] >> COMBGPU__NO3_SLOT_SHIFT(i) & 0xffff;
        form->list[COMBGPU__NO3_LIST_AT(i)] = COMBGPU__NO3_SPOT_CELL(form->spots[2 * orbit]);
    }
    return combgpu_no3_square_from_task(form,
                                        combgpu_no3_task_line(needs - COMBGPU__NO3_NEED_WORDS));
}

/* Word i of a task's list. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_listed(const combgpu_no3_square *form, uint32_t count,
                                                   uint32_t i)
{
    uint32_t first = 16 * (i >> 3) + (i & 7), second = first + 8, pair = 0;
    if (first < count) pair = form->orbit_of[form->list[COMBGPU__NO3_LIST_AT(first)]];
    if (second < count) pair |= form->orbit_of[form->list[COMBGPU__NO3_LIST_AT(second)]] << 16;
    return pair;
}

COMBGPU__DEVICE void combgpu_no3_square_give(const combgpu_no3_square *form,
                                             const combgpu_no3_square_board *board,
                                             COMBGPU__GLOBAL uint32_t *to, uint32_t line,
                                             uint32_t gives)
{
    COMBGPU__GLOBAL uint32_t *needs = to + form->words;
    const uint32_t lane = form->lane, part = form->lines / COMBGPU__NO3_NEED_WORDS;
    uint32_t i, k;
    if (gives)
        for (i = lane; i < form->words; i += 4)
            to[i] = 0;
    COMBGPU__WARP_BARRIER();
    if (!gives) return;
    combgpu_no3_give_board(board->words, 4, lane, form->orbit_of + COMBGPU__NO3_SQUARE_PLACES, to);
    for (i = lane; i < COMBGPU__NO3_NEED_WORDS; i += 4) {
        uint32_t word =
            combgpu_no3_task_top(i, board->count, combgpu_no3_square_to_task(form, line));
        for (k = 0; k < part; k++) {
            uint32_t single, shift = combgpu_no3_square_bit(form, i * part + k, &single);
            uint32_t one = single ? board->two_y : board->one;
            uint32_t two = single ? board->two_y : board->two;
            if (shift < 32) word |= (2 - (one << shift >> 31) - (two << shift >> 31)) << 2 * k;
        }
        needs[i] = word;
    }
    needs += COMBGPU__NO3_NEED_WORDS;
    for (i = lane; i < form->words; i += 4)
        needs[i] = combgpu_no3_square_listed(form, board->count, i);
}

COMBGPU__DEVICE void combgpu_no3_square_record(const combgpu_no3_square *form,
                                               const combgpu_no3_square_board *board,
                                               COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    if (form->lane == 0) to[0] = board->count;
    for (i = form->lane; i < form->words; i += 4)
        to[1 + i] = combgpu_no3_square_listed(form, board->count, i);
}

/* A stack level has the words of all lanes first. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_pop(const combgpu_no3_square *form,
                                                combgpu_no3_square_board *board,
                                                COMBGPU__GLOBAL const uint32_t *top)
{
    uint32_t lines[4];
    combgpu_no3_load(board->words, top + 4 * form->lane, 4);
    combgpu_no3_load(lines, top + 16, 4);
    board->one = lines[0];
    board->two = lines[1];
    board->two_y = lines[2];
    board->count = lines[3] & 255;
    return lines[3] >> 8;
}

COMBGPU__DEVICE void combgpu_no3_square_push(const combgpu_no3_square *form,
                                             const combgpu_no3_square_board *board,
                                             COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    const uint32_t lane = form->lane;
    combgpu_no3_store(top + 4 * lane, board->words, 4);
    top[16 + lane] = lane == 0   ? board->one
                     : lane == 1 ? board->two
                     : lane == 2 ? board->two_y
                                 : board->count | line << 8;
}
