/* No-three-in-line kernels, classes with a board of 24 or 32 words: boards, tasks and the stack.

   Four lanes have six or eight words each. A bit is an orbit; the rows that pairs of orbits remove
   are as short as the board, and orbits p >= q have row p * (p + 1) / 2 + q, so they need no table
   of numbers: the speed depends on the bytes from the L2 cache.

     FOLD  rot4 and odd near_rot4: a word is a row, line i is row i and column i, as in
           combgpu_no3_square. Odd side: cells of row 0 have weight 2 for line 0, column 0 is empty;
           cells on the diagonal count once.
     DIA2  The same: of the two orbits on lines i < k the first is in row i, the other in row k.
           Cells on the diagonal count once; those of the other diagonal are in the last word.
     ORT1  Row k is a pair of columns of the grid and needs two orbits; column i is row i of the
           grid and needs one.
     DIA1  Line 2a is "even line a", line 2b + 1 "odd line b". Row r has from column r + 1 on even
           line r with even line c - 1 in column c, up to column `evens`; before that odd line r with
           odd line c; beyond column `evens` even line r with all odd lines.

   ORT1, DIA1: rows have up to 38 columns. A lane has five, columns 0 to 31 in a word each, six more
   of each row in the last word, from the top bit down.

   forms/search.cl explains the functions of a format. */

typedef struct combgpu_no3_plate {
    combgpu_group_t group;
    uint32_t lane, kind, share; /* kind: PLATE_FOLD ...; share: words in a lane, 6 or 8 */
    uint32_t once, odd;         /* FOLD, DIA2: cells on the diagonal count once; odd side */
    uint32_t evens;             /* DIA1: number of even lines */
    uint32_t all;               /* words of the board */
    uint32_t words, lines;      /* of a task's board */
    uint32_t task_words, record_words, level_words, room;
    COMBGPU__GLOBAL const uint32_t *cells, *places, *rows;
    COMBGPU__LOCAL uint32_t *list;
} combgpu_no3_plate;

typedef struct combgpu_no3_plate_board {
    uint32_t *words;       /* `share`, in this lane; what follows is equal in all four */
    uint32_t one, two;     /* lines with a point; with two */
    uint32_t one_y, two_y; /* DIA1: the same of odd lines; ORT1: rows 0 to 31, and from 32 on,
                               with an orbit */
    uint32_t count;        /* orbits placed */
} combgpu_no3_plate_board;

typedef struct combgpu_no3_plate_choice {
    uint32_t dead, solved, waits;
    uint32_t line, of_y; /* from F_choose: line + 64 * of_y */
    uint32_t points;     /* available from the line's other open cells; 2 a cell if it takes one */
    uint32_t x, y, orbit;
} combgpu_no3_plate_choice;

COMBGPU__DEVICE combgpu_no3_plate combgpu_no3_plate_begin(COMBGPU__GROUP_PARAMETER,
                                                          COMBGPU__GLOBAL const uint32_t *tables,
                                                          COMBGPU__LOCAL uint32_t *list,
                                                          const uint32_t kind, const uint32_t share)
{
    const uint32_t side = tables[COMBGPU__NO3_AT_SIDE];
    combgpu_no3_plate form;
    form.group = group;
    form.lane = COMBGPU__GROUP_LANE;
    form.kind = kind;
    form.share = share;
    form.odd = side & 1;
    form.once = kind == COMBGPU__NO3_PLATE_DIA2 || form.odd;
    form.evens = (side + 1) / 2;
    form.all = 4 * share;
    form.words = tables[COMBGPU__NO3_AT_WORDS];
    form.lines = form.words >> tables[COMBGPU__NO3_AT_WIDE];
    form.task_words = COMBGPU__NO3_TASK_WORDS(form.words);
    form.record_words = COMBGPU__NO3_RECORD_WORDS(form.words);
    form.level_words = COMBGPU__NO3_PLATE_LEVEL(share);
    form.room = COMBGPU__NO3_PLATE_LEVELS;
    form.cells = tables + tables[COMBGPU__NO3_AT_GRID];
    form.places = form.cells + COMBGPU__NO3_PLATE_PLACES;
    form.rows = tables + tables[COMBGPU__NO3_AT_MATRIX];
    form.list = list;
    return form;
}

/* ---- tasks, the stack */

/* The bit of a task's line in the masks of lines: in `one` and `two`; *which = 1: in `one_y` and
   `two_y`; 2, 3: in one of these alone. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_bit(const combgpu_no3_plate *form, uint32_t line,
                                               uint32_t *which)
{
    uint32_t shift = line;
    *which = 0;
    if (form->kind == COMBGPU__NO3_PLATE_DIA1) {
        *which = line & 1;
        shift = line >> 1;
    }
    if (form->kind == COMBGPU__NO3_PLATE_ORT1) {
        shift = line / 3;
        if (line % 3 != 1) {
            shift = 2 * shift + line % 3 / 2;
            *which = 2 + (shift >> 5);
            shift &= 31;
        }
    }
    return shift < 32 ? 0x80000000u >> shift : 0;
}

/* A task's line, 1 + its number there, as 1 + choice.line, and the reverse; 0 is 0. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_from_task(const combgpu_no3_plate *form, uint32_t line)
{
    const uint32_t i = line - 1;
    if (!line || form->kind <= COMBGPU__NO3_PLATE_DIA2) return line;
    if (form->kind == COMBGPU__NO3_PLATE_DIA1) return 1 + (i >> 1) + 64 * (i & 1);
    return 1 + (i % 3 == 1 ? i / 3 : 2 * (i / 3) + i % 3 / 2 + 64);
}

COMBGPU__DEVICE uint32_t combgpu_no3_plate_to_task(const combgpu_no3_plate *form, uint32_t line)
{
    const uint32_t i = (line - 1) & 63, of_y = (line - 1) >> 6;
    if (!line || form->kind <= COMBGPU__NO3_PLATE_DIA2) return line;
    if (form->kind == COMBGPU__NO3_PLATE_DIA1) return 1 + 2 * i + of_y;
    return 1 + (of_y ? 3 * (i >> 1) + 2 * (i & 1) : 3 * i + 1);
}

COMBGPU__DEVICE uint32_t combgpu_no3_plate_load(const combgpu_no3_plate *form,
                                                combgpu_no3_plate_board *board,
                                                COMBGPU__GLOBAL const uint32_t *from)
{
    COMBGPU__GLOBAL const uint32_t *needs = from + form->words;
    const uint32_t part = form->lines / COMBGPU__NO3_NEED_WORDS;
    uint32_t i;
    board->one = board->two = board->one_y = board->two_y = COMBGPU__NONE;
    for (i = 0; i < form->lines; i++) {
        uint32_t need = combgpu_no3_task_need(needs, part, i), which;
        uint32_t bit = combgpu_no3_plate_bit(form, i, &which);
        if (need == 0) continue;
        if (which == 0) board->two &= ~bit;
        if (which == 0 && need == 2) board->one &= ~bit;
        if (which == 1 || which == 3) board->two_y &= ~bit;
        if ((which == 1 && need == 2) || which == 2) board->one_y &= ~bit;
    }
    board->count = needs[0] >> COMBGPU__NO3_COUNT_SHIFT;
    combgpu_no3_load_board(board->words, form->share, form->lane, form->places, from);
    needs += COMBGPU__NO3_NEED_WORDS;
    for (i = form->lane; i < board->count; i += 4)
        form->list[COMBGPU__NO3_LIST_AT(i)] =
            needs[COMBGPU__NO3_SLOT(i)] >> COMBGPU__NO3_SLOT_SHIFT(i) & 0xffff;
    return combgpu_no3_plate_from_task(form, combgpu_no3_task_line(from + form->words));
}

/* Word i of the list in a task of `count` orbits: two of them, or fewer. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_listed(const combgpu_no3_plate *form, uint32_t count,
                                                  uint32_t i)
{
    uint32_t first = 16 * (i >> 3) + (i & 7), second = first + 8, pair = 0;
    if (first < count) pair = form->list[COMBGPU__NO3_LIST_AT(first)];
    if (second < count) pair |= form->list[COMBGPU__NO3_LIST_AT(second)] << 16;
    return pair;
}

COMBGPU__DEVICE void combgpu_no3_plate_give(const combgpu_no3_plate *form,
                                            const combgpu_no3_plate_board *board,
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
    combgpu_no3_give_board(board->words, form->share, lane, form->places, to);
    for (i = lane; i < COMBGPU__NO3_NEED_WORDS; i += 4) {
        uint32_t word =
            combgpu_no3_task_top(i, board->count, combgpu_no3_plate_to_task(form, line));
        for (k = 0; k < part; k++) {
            uint32_t which, bit = combgpu_no3_plate_bit(form, i * part + k, &which);
            uint32_t one = which & 1 ? board->two_y : which ? board->one_y : board->one;
            uint32_t two = which & 1 ? board->two_y : which ? board->one_y : board->two;
            if (which == 1) one = board->one_y;
            word |= ((uint32_t)((bit & ~one) != 0) + (uint32_t)((bit & ~two) != 0)) << 2 * k;
        }
        needs[i] = word;
    }
    needs += COMBGPU__NO3_NEED_WORDS;
    for (i = lane; i < COMBGPU__NO3_LIST_WORDS(form->words); i += 4)
        needs[i] = combgpu_no3_plate_listed(form, board->count, i);
}

COMBGPU__DEVICE void combgpu_no3_plate_record(const combgpu_no3_plate *form,
                                              const combgpu_no3_plate_board *board,
                                              COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    if (form->lane == 0) to[0] = board->count;
    for (i = form->lane; i < COMBGPU__NO3_LIST_WORDS(form->words); i += 4)
        to[1 + i] = combgpu_no3_plate_listed(form, board->count, i);
}

/* A stack level: the words, `one`, `two`, `one_y`, `two_y`, the count, the line. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_pop(const combgpu_no3_plate *form,
                                               combgpu_no3_plate_board *board,
                                               COMBGPU__GLOBAL const uint32_t *top)
{
    uint32_t lines[4];
    combgpu_no3_load_lane(board->words, top, form->share, form->lane);
    combgpu_no3_load(lines, top + form->all, 4);
    board->one = lines[0];
    board->two = lines[1];
    board->one_y = lines[2];
    board->two_y = lines[3];
    board->count = top[form->all + 4];
    return top[form->all + 5];
}

COMBGPU__DEVICE void combgpu_no3_plate_push(const combgpu_no3_plate *form,
                                            const combgpu_no3_plate_board *board,
                                            COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    const uint32_t lane = form->lane;
    combgpu_no3_store_lane(top, board->words, form->share, lane);
    top[form->all + lane] = lane == 0   ? board->one
                            : lane == 1 ? board->two
                            : lane == 2 ? board->one_y
                                        : board->two_y;
    if (lane < 2) top[form->all + 4 + lane] = lane ? line : board->count;
}
