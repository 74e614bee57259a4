/* No-three-in-line kernels, the full search up to n = 17: boards, tasks and the stack.

   Each lane has a board of its own, of rows alone: word j < 8 has row j in its high half and row 8
   + j in its low half, column 0 in the top bit of a half. If n is 17 (`wide`), word 8 has column 16
   in its high half and row 16 in its low half, without the cell where these two lines meet; that
   cell and the points on the two lines are in `more`. The rows that a step removes, and their
   offsets by pairs of points, are read from `table`, which fits the shared memory of a large
   multiprocessor. */

/* In `more`: that cell is open. The bits below count points. */
#define COMBGPU__NO3_SOLO_CORNER 256u

typedef struct combgpu_no3_solo {
    uint32_t wide, share, n, corner; /* rows from this offset in the table on have that cell */
    uint32_t words, task_words, record_words, level_words; /* of a task's board; ... */
    COMBGPU__GLOBAL const uint32_t *table;
} combgpu_no3_solo;

typedef struct combgpu_no3_solo_board {
    uint32_t words[9];
    uint32_t list[18]; /* placed points, a byte each, y << 4 | x; `wide`: 16 bits, 17 * y + x */
    uint32_t one, two; /* lines 0 to 15 with a point; with two */
    uint32_t more;     /* bits 31, 30: `one`, `two` of row 16; 15, 14: of column 16 */
} combgpu_no3_solo_board;

typedef struct combgpu_no3_solo_choice {
    uint32_t dead, solved, forced;
    uint32_t line, is_row;
    uint32_t x, y, cell;
    uint32_t limit; /* points placed before it */
} combgpu_no3_solo_choice;

COMBGPU__DEVICE combgpu_no3_solo combgpu_no3_solo_begin(COMBGPU__GLOBAL const uint32_t *tables,
                                                        COMBGPU__GLOBAL const uint32_t *table,
                                                        const uint32_t wide)
{
    combgpu_no3_solo form;
    form.wide = wide;
    form.share = 8 + wide;
    form.n = tables[COMBGPU__NO3_AT_SIDE];
    form.corner = tables[COMBGPU__NO3_AT_SOLO_CORNER];
    form.words = wide ? 48 : 16;
    form.task_words = COMBGPU__NO3_TASK_WORDS(form.words);
    form.record_words = COMBGPU__NO3_RECORD_WORDS(form.words);
    form.level_words = COMBGPU__NO3_SOLO_LEVEL;
    form.table = table;
    return form;
}

/* ---- tasks */

COMBGPU__DEVICE void combgpu_no3_solo_load(const combgpu_no3_solo *form,
                                           combgpu_no3_solo_board *board,
                                           COMBGPU__GLOBAL const uint32_t *from)
{
    COMBGPU__GLOBAL const uint32_t *needs = from + form->words;
    const uint32_t part = form->wide ? 6 : 4;
    uint32_t i, j;
    board->one = board->two = 0;
    board->more = needs[0] >> COMBGPU__NO3_COUNT_SHIFT;
    for (i = 0; i < 32; i++) {
        uint32_t need = combgpu_no3_task_need(needs, part, i);
        uint32_t bit = 0x80000000u >> ((i >> 1) + 16 * (i & 1));
        if (need < 2) board->one |= bit;
        if (need < 1) board->two |= bit;
    }
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        board->words[j] = form->wide ? (from[2 * j] & 0xffff0000u) | from[2 * j + 16] >> 16
                                     : from[j] << 16 | (from[j + 8] & 0xffff);
    if (form->wide) { /* lines 32 and 33 */
        uint32_t row = needs[5] >> 4 & 3, column = needs[5] >> 6 & 3;
        board->words[8] = (from[33] & 0xffff0000u) | from[32] >> 16;
        if (from[32] & 0x8000) board->more |= COMBGPU__NO3_SOLO_CORNER;
        if (row < 2) board->more |= 0x80000000u;
        if (row < 1) board->more |= 0x40000000u;
        if (column < 2) board->more |= 0x8000;
        if (column < 1) board->more |= 0x4000;
    }
    from = needs + COMBGPU__NO3_NEED_WORDS;
    combgpu_no3_clear(board->list, 18);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < (form->wide ? 34 : 32); i++) {
        uint32_t orbit = from[COMBGPU__NO3_SLOT(i)] >> COMBGPU__NO3_SLOT_SHIFT(i) & 0xffff;
        if (form->wide)
            board->list[i >> 1] |= orbit << 16 * (i & 1);
        else
            board->list[i >> 2] |= (orbit / form->n << 4 | orbit % form->n) << 8 * (i & 3);
    }
}

/* Point c of the list as an orbit. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_orbit(const combgpu_no3_solo *form, const uint32_t *list,
                                                uint32_t c)
{
    uint32_t point;
    if (form->wide) return c < 36 ? list[c >> 1] >> 16 * (c & 1) & 0xffff : 0;
    point = list[c >> 2] >> 8 * (c & 3) & 255;
    return (point >> 4) * form->n + (point & 15);
}

COMBGPU__DEVICE void combgpu_no3_solo_list(const combgpu_no3_solo *form, const uint32_t *list,
                                           COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < (form->wide ? 18 : 16); i++)
        to[i] = combgpu_no3_solo_orbit(form, list, 16 * (i >> 3) + (i & 7)) |
                combgpu_no3_solo_orbit(form, list, 16 * (i >> 3) + (i & 7) + 8) << 16;
    for (; i < COMBGPU__NO3_LIST_WORDS(form->words); i++)
        to[i] = 0;
}

COMBGPU__DEVICE void combgpu_no3_solo_record(const combgpu_no3_solo *form,
                                             const combgpu_no3_solo_board *board,
                                             COMBGPU__GLOBAL uint32_t *to)
{
    to[0] = 2 * form->n;
    combgpu_no3_solo_list(form, board->list, to + 1);
}

/* The points that a line needs (row i is line 2i, column i line 2i + 1). */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_need(const combgpu_no3_solo_board *board, uint32_t line)
{
    uint32_t i = line >> 1, at = i + 16 * (line & 1);
    if (i == 16) return 2 - (board->more << (at - 16) >> 31) - (board->more << (at - 15) >> 31);
    return i > 16 ? 0 : 2 - (board->one << at >> 31) - (board->two << at >> 31);
}

COMBGPU__DEVICE void combgpu_no3_solo_give(const combgpu_no3_solo *form,
                                           const combgpu_no3_solo_board *board,
                                           COMBGPU__GLOBAL uint32_t *to, uint32_t gives)
{
    const uint32_t wide = form->wide, *words = board->words, part = wide ? 6 : 4;
    uint32_t i, j, k;
    if (!gives) return;
    for (i = 0; i < 16; i++) { /* column i: bits of all rows */
        uint32_t column = 0;
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 8; j++) {
            k = words[j] >> (15 - i) & 0x10001;
            column |= (k >> 1 | k << 7) >> j;
        }
        column &= 0xffff;
        if (wide)
            to[2 * i + 1] = column << 16 | (words[8] << i & 0x8000);
        else
            to[i] = column << 16;
    }
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        if (wide) {
            to[2 * j] = (words[j] & 0xffff0000u) | (words[8] << j >> 16 & 0x8000);
            to[2 * j + 16] = words[j] << 16 | (words[8] << (j + 8) >> 16 & 0x8000);
        } else {
            to[j] |= words[j] >> 16;
            to[j + 8] |= words[j] & 0xffff;
        }
    if (wide) {
        k = (board->more & COMBGPU__NO3_SOLO_CORNER) << 7;
        to[32] = words[8] << 16 | k;
        to[33] = (words[8] & 0xffff0000u) | k;
        for (i = 34; i < 48; i++)
            to[i] = 0;
    }
    to += form->words;
    for (i = 0; i < COMBGPU__NO3_NEED_WORDS; i++) {
        uint32_t needs = (board->more & 63) << COMBGPU__NO3_COUNT_SHIFT;
        for (k = 0; k < part; k++)
            needs |= combgpu_no3_solo_need(board, i * part + k) << 2 * k;
        to[i] = needs;
    }
    combgpu_no3_solo_list(form, board->list, to + COMBGPU__NO3_NEED_WORDS);
}

/* ---- the stack */

COMBGPU__DEVICE void combgpu_no3_solo_pop(const combgpu_no3_solo *form,
                                          combgpu_no3_solo_board *board,
                                          COMBGPU__GLOBAL const uint32_t *top)
{
    uint4 last = *(COMBGPU__GLOBAL const uint4 *)(top + 8);
    combgpu_no3_load(board->words, top, 8);
    if (form->wide) board->words[8] = last.x;
    board->one = last.y;
    board->two = last.z;
    board->more = last.w;
}

COMBGPU__DEVICE void combgpu_no3_solo_push(const combgpu_no3_solo *form,
                                           const combgpu_no3_solo_board *board,
                                           COMBGPU__GLOBAL uint32_t *top)
{
    uint4 last;
    last.x = form->wide ? board->words[8] : 0;
    last.y = board->one;
    last.z = board->two;
    last.w = board->more;
    combgpu_no3_store(top, board->words, 8);
    *(COMBGPU__GLOBAL uint4 *)(top + 8) = last;
}
