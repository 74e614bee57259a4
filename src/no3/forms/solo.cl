/* No-three-in-line kernels, the full search up to n = 21: boards, tasks and the stack.

   Each lane has a board of its own, of rows alone: word j < 8 has row j in its high half and row 8
   + j in its low half, column 0 in the top bit of a half. With `extra` more rows and columns word 8
   + k has column 16 + k in its high half and row 16 + k in its low half, without the corner where
   these lines meet; the points on them are in `more`. The corner is the last word, its rows one
   after the other from the top bit on; if it is one cell, a bit of `more`. The rows that a step
   removes, and what finds them by pairs of points, are read from `table`, which fits the shared
   memory of a large multiprocessor: see layout.h. */

/* In `more`: that cell is open. The bits below count points. */
#define COMBGPU__NO3_SOLO_CORNER 256u
#define COMBGPU__NO3_SOLO_COUNT 63u
#define COMBGPU__NO3_SOLO_LINE 0x3f0000u /* in a stack level: its line */

typedef struct combgpu_no3_solo {
    uint32_t extra, share, n, corner; /* rows from this offset in the table on have that cell */
    uint32_t last;                    /* bits in each half for lines from 16 on */
    uint32_t words, task_words, record_words, level_words, room; /* of a task's board; ... */
    COMBGPU__GLOBAL const uint32_t *table;
} combgpu_no3_solo;

typedef struct combgpu_no3_solo_board {
    uint32_t words[14];
    uint32_t list[21]; /* placed points, a byte each, y << 4 | x; `extra`: 16 bits, see _code */
    uint32_t one, two; /* lines 0 to 15 with a point; with two */
    uint32_t more;     /* from bit 31 down `one`, then `two` of rows from 16 on; 15: of columns */
} combgpu_no3_solo_board;

typedef struct combgpu_no3_solo_choice {
    uint32_t dead, solved, waits;
    uint32_t line; /* row i is 2 * i, column i 2 * i + 1 */
    uint32_t x, y, cell;
    uint32_t at_x, at_y; /* from n = 18 on: coordinates of the cell */
    uint32_t limit;      /* points placed before it */
} combgpu_no3_solo_choice;

COMBGPU__DEVICE combgpu_no3_solo combgpu_no3_solo_begin(COMBGPU__GLOBAL const uint32_t *tables,
                                                        COMBGPU__GLOBAL const uint32_t *table,
                                                        const uint32_t extra)
{
    combgpu_no3_solo form;
    form.extra = extra;
    form.share = COMBGPU__NO3_SOLO_SHARE(extra);
    form.last = (0xffffu << (16 - extra) & 0xffff) * 0x10001u;
    form.n = tables[COMBGPU__NO3_AT_SIDE];
    form.corner = tables[COMBGPU__NO3_AT_SOLO_CORNER];
    form.words = extra ? 48 : 16;
    form.task_words = COMBGPU__NO3_TASK_WORDS(form.words);
    form.record_words = COMBGPU__NO3_RECORD_WORDS(form.words);
    form.level_words = COMBGPU__NO3_SOLO_LEVEL(extra);
    form.room = COMBGPU__NO3_SOLO_LEVELS(extra);
    form.table = table;
    return form;
}

/* From n = 18 on: the coordinate of row or column i, which are numbered from the centre out (on an
   odd side the middle is third), and the reverse. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_coordinate(const combgpu_no3_solo *form, uint32_t i)
{
    if (form->extra & 1) i = i == 2 ? 0 : i + (i < 2);
    return (form->n >> 1) + ((i >> 1) ^ (((i ^ form->extra) & 1) - 1));
}

COMBGPU__DEVICE uint32_t combgpu_no3_solo_index(const combgpu_no3_solo *form, uint32_t coordinate)
{
    uint32_t d = coordinate - (form->n >> 1), before = 0u - (d >> 31);
    uint32_t i = (d ^ before) << 1 | ((before ^ ~form->extra) & 1);
    if (form->extra & 1) i = i == 0 ? 2 : i - (i < 3);
    return i;
}

/* A point in the list. From n = 18 on its coordinates: see COMBGPU__NO3_SOLO_CODE. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_code(const combgpu_no3_solo *form, uint32_t x, uint32_t y)
{
    if (!form->extra) return y << 4 | x;
    if (form->extra == 1) return 17 * y + x;
    return COMBGPU__NO3_SOLO_CODE(form->extra, combgpu_no3_solo_coordinate(form, x),
                                  combgpu_no3_solo_coordinate(form, y));
}

/* ---- tasks */

/* The cells beyond the 16th of a line up to 15 (row i: `shift` is i; column i: 16 + i). */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_tail(const combgpu_no3_solo *form, const uint32_t *words,
                                               uint32_t shift)
{
    uint32_t tail = 0, k;
    COMBGPU__NO3_UNROLL
    for (k = 0; k < form->extra; k++)
        tail |= (words[8 + k] << shift & 0x80000000u) >> (16 + k);
    return tail;
}

/* The cells beyond the 16th of row 16 + k, and of column 16 + k. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_row_end(const combgpu_no3_solo *form,
                                                  const combgpu_no3_solo_board *board, uint32_t k)
{
    if (form->extra == 1) return (board->more & COMBGPU__NO3_SOLO_CORNER) << 7;
    return board->words[8 + form->extra] << form->extra * k >> 16 & form->last;
}

COMBGPU__DEVICE uint32_t combgpu_no3_solo_column_end(const combgpu_no3_solo *form,
                                                     const combgpu_no3_solo_board *board,
                                                     uint32_t k)
{
    uint32_t end = 0, i;
    if (form->extra == 1) return (board->more & COMBGPU__NO3_SOLO_CORNER) << 7;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->extra; i++)
        end |= (board->words[8 + form->extra] << (form->extra * i + k) & 0x80000000u) >> (16 + i);
    return end;
}

COMBGPU__DEVICE uint32_t combgpu_no3_solo_load(const combgpu_no3_solo *form,
                                               combgpu_no3_solo_board *board,
                                               COMBGPU__GLOBAL const uint32_t *from)
{
    COMBGPU__GLOBAL const uint32_t *needs = from + form->words;
    const uint32_t extra = form->extra, part = extra ? 6 : 4;
    uint32_t i, j;
    board->one = board->two = 0;
    board->more = needs[0] >> COMBGPU__NO3_COUNT_SHIFT;
    for (i = 0; i < 32 + 2 * extra; i++) {
        uint32_t need = combgpu_no3_task_need(needs, part, i);
        uint32_t bit = 0x80000000u >> ((i >> 1 & 15) + 16 * (i & 1));
        if (i < 32) {
            if (need < 2) board->one |= bit;
            if (need < 1) board->two |= bit;
        } else {
            if (need < 2) board->more |= bit;
            if (need < 1) board->more |= bit >> extra;
        }
    }
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        board->words[j] = extra ? (from[2 * j] & 0xffff0000u) | from[2 * j + 16] >> 16
                                : from[j] << 16 | (from[j + 8] & 0xffff);
    if (extra == 1 && from[32] & 0x8000) board->more |= COMBGPU__NO3_SOLO_CORNER;
    if (extra > 1) board->words[8 + extra] = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < extra; j++) {
        board->words[8 + j] = (from[33 + 2 * j] & 0xffff0000u) | from[32 + 2 * j] >> 16;
        if (extra > 1)
            board->words[8 + extra] |= (from[32 + 2 * j] & form->last & 0xffff) << 16 >> extra * j;
    }
    from = needs + COMBGPU__NO3_NEED_WORDS;
    combgpu_no3_clear(board->list, 21);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < 32 + 2 * extra; i++) {
        uint32_t orbit = from[COMBGPU__NO3_SLOT(i)] >> COMBGPU__NO3_SLOT_SHIFT(i) & 0xffff;
        uint32_t code = combgpu_no3_solo_code(form, orbit % form->n, orbit / form->n);
        if (extra)
            board->list[i >> 1] |= code << 16 * (i & 1);
        else
            board->list[i >> 2] |= code << 8 * (i & 3);
    }
    return combgpu_no3_task_line(needs);
}

/* Point c of the list as an orbit. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_orbit(const combgpu_no3_solo *form, const uint32_t *list,
                                                uint32_t c)
{
    uint32_t point, side = COMBGPU__NO3_SOLO_SIDE(form->extra);
    if (c >= 32 + 2 * form->extra) return 0;
    if (!form->extra) {
        point = list[c >> 2] >> 8 * (c & 3) & 255;
        return (point >> 4) * form->n + (point & 15);
    }
    point = list[c >> 1] >> 16 * (c & 1) & 0xffff;
    if (form->extra == 1) return point;
    point >>= 2;
    return combgpu_no3_solo_index(form, point / side) * form->n +
           combgpu_no3_solo_index(form, point % side);
}

COMBGPU__DEVICE void combgpu_no3_solo_list(const combgpu_no3_solo *form, const uint32_t *list,
                                           COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < (form->extra ? 24 : 16); i++)
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
COMBGPU__DEVICE uint32_t combgpu_no3_solo_need(const combgpu_no3_solo *form,
                                               const combgpu_no3_solo_board *board, uint32_t line)
{
    uint32_t i = line >> 1, at = (i & 15) + 16 * (line & 1);
    if (i < 16) return 2 - (board->one << at >> 31) - (board->two << at >> 31);
    if (i >= 16 + form->extra) return 0;
    return 2 - (board->more << at >> 31) - (board->more << (at + form->extra) >> 31);
}

COMBGPU__DEVICE void combgpu_no3_solo_give(const combgpu_no3_solo *form,
                                           const combgpu_no3_solo_board *board,
                                           COMBGPU__GLOBAL uint32_t *to, uint32_t line,
                                           uint32_t gives)
{
    const uint32_t extra = form->extra, *words = board->words, part = extra ? 6 : 4;
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
        if (extra)
            to[2 * i + 1] = column << 16 | combgpu_no3_solo_tail(form, words, 16 + i);
        else
            to[i] = column << 16;
    }
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        if (extra) {
            to[2 * j] = (words[j] & 0xffff0000u) | combgpu_no3_solo_tail(form, words, j);
            to[2 * j + 16] = words[j] << 16 | combgpu_no3_solo_tail(form, words, j + 8);
        } else {
            to[j] |= words[j] >> 16;
            to[j + 8] |= words[j] & 0xffff;
        }
    if (extra) {
        COMBGPU__NO3_UNROLL
        for (j = 0; j < extra; j++) {
            to[32 + 2 * j] = words[8 + j] << 16 | combgpu_no3_solo_row_end(form, board, j);
            to[33 + 2 * j] =
                (words[8 + j] & 0xffff0000u) | combgpu_no3_solo_column_end(form, board, j);
        }
        for (i = 32 + 2 * extra; i < 48; i++)
            to[i] = 0;
    }
    to += form->words;
    for (i = 0; i < COMBGPU__NO3_NEED_WORDS; i++) {
        uint32_t needs = combgpu_no3_task_top(i, board->more & COMBGPU__NO3_SOLO_COUNT, line);
        for (k = 0; k < part; k++)
            needs |= combgpu_no3_solo_need(form, board, i * part + k) << 2 * k;
        to[i] = needs;
    }
    combgpu_no3_solo_list(form, board->list, to + COMBGPU__NO3_NEED_WORDS);
}

/* ---- the stack: a level ends with `one`, `two` and `more` */

COMBGPU__DEVICE uint32_t combgpu_no3_solo_pop(const combgpu_no3_solo *form,
                                              combgpu_no3_solo_board *board,
                                              COMBGPU__GLOBAL const uint32_t *top)
{
    const uint32_t end = form->level_words - 11; /* words from 8 on, but for the last three */
    uint32_t rest[12], j;
    combgpu_no3_load(board->words, top, 8);
    combgpu_no3_load(rest, top + 8, end + 3);
    COMBGPU__NO3_UNROLL
    for (j = 8; j < form->share; j++)
        board->words[j] = rest[j - 8];
    board->one = rest[end];
    board->two = rest[end + 1];
    board->more = rest[end + 2] & ~COMBGPU__NO3_SOLO_LINE;
    return rest[end + 2] >> 16 & 63;
}

COMBGPU__DEVICE void combgpu_no3_solo_push(const combgpu_no3_solo *form,
                                           const combgpu_no3_solo_board *board,
                                           COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    const uint32_t end = form->level_words - 11;
    uint32_t rest[12], j;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < end; j++)
        rest[j] = 8 + j < form->share ? board->words[8 + j] : 0;
    rest[end] = board->one;
    rest[end + 1] = board->two;
    rest[end + 2] = board->more | line << 16;
    combgpu_no3_store(top, board->words, 8);
    combgpu_no3_store(top + 8, rest, end + 3);
}
