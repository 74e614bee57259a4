/* No-three-in-line kernels, the full search up to n = 17: a step, and the kernels.

   The open cells of all lines are counted at once by adding words bit by bit (carry-save): a line's
   count is a bit in each of four masks, rows in the high half, columns in the low half, line 0 in
   the top bit of its half. So few instructions find the line to branch on. */

/* Counts the open cells of each line. `last`, if `wide`: row 16 in bit 31, column 16 in bit 15. */
COMBGPU__DEVICE void combgpu_no3_solo_count(const combgpu_no3_solo *form,
                                            const combgpu_no3_solo_board *board,
                                            combgpu_no3_counts *lines, combgpu_no3_counts *last)
{
    const uint32_t *words = board->words;
    uint32_t rows = 0, low = 0, a, b, ca, cb, cc, c, s, t, f, e, fa, j;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++) {
        rows = 2 * rows + combgpu_no3_spread(COMBGPU__POPCOUNT(words[j] >> 16));
        low = 2 * low + combgpu_no3_spread(COMBGPU__POPCOUNT(words[j] & 0xffff));
    }
    a = words[0] ^ words[1] ^ words[2];
    ca = COMBGPU__NO3_MAJORITY(words[0], words[1], words[2]);
    b = words[3] ^ words[4] ^ words[5];
    cb = COMBGPU__NO3_MAJORITY(words[3], words[4], words[5]);
    s = a ^ b ^ words[6];
    cc = COMBGPU__NO3_MAJORITY(a, b, words[6]);
    c = s & words[7];
    s ^= words[7];
    t = ca ^ cb ^ cc;
    fa = COMBGPU__NO3_MAJORITY(ca, cb, cc);
    f = fa ^ (t & c);
    e = fa & t & c;
    t ^= c;
    a = s & s >> 16; /* adds the two halves */
    s ^= s >> 16;
    b = COMBGPU__NO3_MAJORITY(t, t >> 16, a);
    t ^= t >> 16 ^ a;
    e |= e >> 16 | COMBGPU__NO3_MAJORITY(f, f >> 16, b);
    f ^= f >> 16 ^ b;
    s = (s & 0xffff) | (rows & 0xff) << 24 | (low & 0xff) << 16;
    t = (t & 0xffff) | (rows & 0xff00) << 16 | (low & 0xff00) << 8;
    f = (f & 0xffff) | (rows & 0xff0000) << 8 | (low & 0xff0000);
    e = (e & 0xffff) | (rows & 0xff000000u) | (low >> 8 & 0xff0000);
    last->s = last->t = last->f = last->e = 0;
    if (form->wide) { /* one cell more in each line; then the last two lines */
        a = s & words[8];
        s ^= words[8];
        b = t & a;
        t ^= a;
        e |= f & b;
        f ^= b;
        c = board->more >> 8 & 1;
        a = COMBGPU__POPCOUNT(words[8] & 0xffff) + c;
        b = COMBGPU__POPCOUNT(words[8] >> 16) + c;
        last->e = min(a, 15u) << 28 | min(b, 15u) << 12;
        last->f = last->e << 1;
        last->t = last->e << 2;
        last->s = last->e << 3;
    }
    lines->s = s;
    lines->t = t;
    lines->f = f;
    lines->e = e;
}

/* The first line of the best class; a row before a column. */
COMBGPU__DEVICE void combgpu_no3_solo_choose(const combgpu_no3_solo *form,
                                             const combgpu_no3_solo_board *board,
                                             combgpu_no3_solo_choice *choice)
{
    const uint32_t one = board->one, two = board->two, more = board->more;
    uint32_t s, t, f, e, xs, xt, xf, xe, open, rest, lines, forced;
    uint32_t xrest = 0, xlines = 0, xforced = 0;
    combgpu_no3_counts count, last;
    combgpu_no3_solo_count(form, board, &count, &last);
    s = count.s, t = count.t, f = count.f, e = count.e;
    xs = last.s, xt = last.t, xf = last.f, xe = last.e;
    open = ~(two | f | e);
    rest = ~(two | one);
    choice->dead = open & ~t & ~(s & one);
    forced = open & (s ^ t) & ~(s ^ one);
    lines = open & t & (s ^ one);
    if (form->wide) {
        open = ~(more << 1 | xf | xe) & 0x80008000u;
        xrest = ~(more << 1 | more) & 0x80008000u;
        choice->dead |= open & ~xt & ~(xs & more);
        xforced = open & (xs ^ xt) & ~(xs ^ more);
        xlines = open & xt & (xs ^ more);
    }
    if (!(lines | xlines)) {
        lines = rest & f & ~(e | t | s);
        xlines = xrest & xf & ~(xe | xt | xs);
    }
    if (!(lines | xlines)) {
        lines = rest & f & s & ~(e | t);
        xlines = xrest & xf & xs & ~(xe | xt);
    }
    if (!(lines | xlines)) {
        lines = rest & (e | (f & t));
        xlines = xrest & (xe | (xf & xt));
    }
    if (!(lines | xlines)) {
        lines = one & ~two & (e | f | (s & t));
        xlines = more & ~(more << 1) & (xe | xf | (xs & xt)) & 0x80008000u;
    }
    if (forced | xforced) {
        lines = forced;
        xlines = xforced;
    }
    choice->line = COMBGPU__CLZ(lines | lines << 16);
    choice->is_row = lines << (choice->line & 31) >> 31;
    choice->solved = two == COMBGPU__NONE;
    if (form->wide) {
        if (!lines) {
            choice->line = 16;
            choice->is_row = xlines >> 31;
        }
        choice->solved = choice->solved && (more & 0x40004000u) == 0x40004000u;
    }
    choice->forced = forced | xforced;
}

COMBGPU__DEVICE void combgpu_no3_solo_cell(const combgpu_no3_solo *form,
                                           const combgpu_no3_solo_board *board,
                                           combgpu_no3_solo_choice *choice, uint32_t go)
{
    const uint32_t *words = board->words, i = choice->line;
    uint32_t row, column, first, j;
    row = i & 2 ? (i & 1 ? words[3] : words[2]) : (i & 1 ? words[1] : words[0]);
    column = i & 2 ? (i & 1 ? words[7] : words[6]) : (i & 1 ? words[5] : words[4]);
    row = i & 4 ? column : row;
    row = i & 8 ? row << 16 : row & 0xffff0000u;
    column = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        column = 2 * column + (words[j] >> (15 - (i & 15)) & 0x10001);
    column = (column << 8 & 0xff000000u) | (column << 16 & 0x00ff0000u);
    if (form->wide) {
        row |= words[8] << (i & 15) >> 16 & 0x8000;
        column |= words[8] << (i & 15) & 0x8000;
        if (i == 16) {
            uint32_t corner = (board->more & COMBGPU__NO3_SOLO_CORNER) << 7;
            row = words[8] << 16 | corner;
            column = (words[8] & 0xffff0000u) | corner;
        }
    }
    first = COMBGPU__CLZ(choice->is_row ? row : column);
    choice->y = choice->is_row ? i : first;
    choice->x = choice->is_row ? first : i;
    choice->cell = go ? (form->wide ? 17 * choice->y + choice->x : choice->y << 4 | choice->x) : 0;
    choice->limit = go ? board->more & 63 : 0;
}

COMBGPU__DEVICE void combgpu_no3_solo_remove(const combgpu_no3_solo *form,
                                             combgpu_no3_solo_board *board,
                                             const combgpu_no3_solo_choice *choice)
{
    const uint32_t x = choice->x, y = choice->y;
    uint32_t word = y & 7, bit = 0x80000000u >> (x + 2 * (y & 8)), j;
    if (form->wide) {
        if (y == 16) {
            word = 8;
            bit = 0x8000u >> x;
        }
        if (x == 16) {
            word = 8;
            bit = y < 16 ? 0x80000000u >> y : 0;
            if (y == 16) board->more &= ~COMBGPU__NO3_SOLO_CORNER;
        }
    }
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->share; j++)
        board->words[j] &= ~(j == word ? bit : 0);
}

/* The point's lines have one point more; a full line takes no other. */
COMBGPU__DEVICE void combgpu_no3_solo_place(const combgpu_no3_solo *form,
                                            combgpu_no3_solo_board *board,
                                            const combgpu_no3_solo_choice *choice)
{
    const uint32_t x = choice->x, y = choice->y, count = board->more & 63;
    const uint32_t of_lines = (0x80000000u >> (y & 31) & 0xffff0000u) | 0x8000u >> (x & 31);
    const uint32_t full = board->one & of_lines, column = (full & 0xffff) * 0x10001u;
    const uint32_t row = full >> 16 ? (y & 8 ? 0xffff : 0xffff0000u) : 0;
    uint32_t j;
    board->one |= of_lines;
    board->two |= full;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        board->words[j] &= ~(column | (j == (y & 7) ? row : 0));
    if (form->wide) {
        const uint32_t last = (y == 16 ? 0x80000000u : 0) | (x == 16 ? 0x8000 : 0);
        const uint32_t last_full = board->more & last, number = 0xffffu << 16 * (count & 1);
        board->more |= last | last_full >> 1;
        if (last_full) board->more &= ~COMBGPU__NO3_SOLO_CORNER;
        board->words[8] &=
            ~(full | (last_full >> 31 ? 0xffff : 0) | (last_full & 0x8000 ? 0xffff0000u : 0));
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 17; j++) {
            uint32_t here = count >> 1 == j ? number : 0;
            board->list[j] = (board->list[j] & ~here) | (choice->cell * 0x10001u & here);
        }
    } else {
        const uint32_t byte = 255u << 8 * (count & 3);
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 8; j++) {
            uint32_t here = count >> 2 == j ? byte : 0;
            board->list[j] = (board->list[j] & ~here) | (choice->cell * 0x01010101u & here);
        }
    }
    board->more++;
}

/* The byte offset of the row for two points; 0: the empty row. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_id(const combgpu_no3_solo *form, uint32_t a, uint32_t b)
{
    uint32_t last = max(a, b), at = form->wide ? last * (last - 1) + 2 * (a + b) : 512 * a + 2 * b;
    COMBGPU__GLOBAL const uint8_t *pairs =
        (COMBGPU__GLOBAL const uint8_t *)form->table + COMBGPU__NO3_SOLO_PAIRS(form->wide);
    return *(COMBGPU__GLOBAL const uint16_t *)(pairs + at);
}

COMBGPU__DEVICE void combgpu_no3_solo_row(const combgpu_no3_solo *form, uint32_t *row, uint32_t id)
{
    COMBGPU__GLOBAL const uint8_t *from = (COMBGPU__GLOBAL const uint8_t *)form->table;
    combgpu_no3_load(row, (COMBGPU__GLOBAL const uint32_t *)(from + id), 4);
    combgpu_no3_load(
        row + 4,
        (COMBGPU__GLOBAL const uint32_t *)(from + 16 * COMBGPU__NO3_SOLO_ROWS(form->wide) + id), 4);
    if (form->wide)
        row[8] =
            *(COMBGPU__GLOBAL const uint32_t *)(from + 32 * COMBGPU__NO3_SOLO_ROWS(1) + (id >> 2));
}

/* Takes four placed points at once. After the last point the cell itself fills up: its row with
   itself is empty. */
COMBGPU__DEVICE void combgpu_no3_solo_propagate(const combgpu_no3_solo *form,
                                                combgpu_no3_solo_board *board,
                                                const combgpu_no3_solo_choice *choice, uint32_t go)
{
    const uint32_t wide = form->wide, limit = choice->limit, far = limit >> 2, rest = limit & 3;
    const uint32_t cells = choice->cell * (wide ? 0x10001u : 0x01010101u);
    const uint32_t a =
        wide ? (rest ? (rest == 1 ? 0xffff0000u : 0) : COMBGPU__NONE) : COMBGPU__NONE << 8 * rest;
    const uint32_t b = rest == 3 ? 0xffff0000u : COMBGPU__NONE;
    uint32_t most = 0, i, j, k;
    (void)go;
    COMBGPU__NO3_UNROLL
    for (k = 0; k < (wide ? 9 : 8); k++) {
        uint32_t id[4], row[9], p0, p1;
        if (!COMBGPU__NO3_LANE_ANY(4 * k < limit)) break;
        p0 = board->list[wide ? 2 * k : k];
        p1 = wide ? board->list[2 * k + 1] : 0;
        if (k == far) {
            p0 = (p0 & ~a) | (cells & a);
            p1 = (p1 & ~b) | (cells & b);
        }
        if (k > far) p0 = p1 = cells;
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 4; j++) {
            id[j] = combgpu_no3_solo_id(form, choice->cell,
                                        wide ? (j < 2 ? p0 : p1) >> 16 * (j & 1) & 0xffff
                                             : p0 >> 8 * j & 255);
            if (wide) most = max(most, id[j]);
        }
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 4; j++)
            if (wide || id[j]) { /* n = 17: a branch costs more than empty rows save */
                combgpu_no3_solo_row(form, row, id[j]);
                COMBGPU__NO3_UNROLL
                for (i = 0; i < form->share; i++)
                    board->words[i] &= ~row[i];
            }
    }
    if (wide && most >= form->corner) board->more &= ~COMBGPU__NO3_SOLO_CORNER;
}

COMBGPU__DEVICE void combgpu_no3_solo_search(COMBGPU__SLICE_ARGUMENTS,
                                             COMBGPU__GLOBAL const uint32_t *table,
                                             const uint32_t wide)
{
    const uint32_t index = COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID;
    combgpu_no3_solo form = combgpu_no3_solo_begin(tables, table, wide);
    combgpu_no3_worker worker = combgpu_no3_worker_begin(
        slice, work + index * COMBGPU__NO3_SOLO_LEVELS * COMBGPU__NO3_SOLO_LEVEL, index);
    combgpu_no3_solo_board board;
    combgpu_no3_clear(board.words, 9);
    combgpu_no3_clear(board.list, 18);
    board.one = board.two = board.more = 0;
    COMBGPU__NO3_SEARCH(solo, LANE);
}

#define COMBGPU__NO3_SOLO_KERNEL(name, wide)                                                       \
    COMBGPU__KERNEL name(COMBGPU__SLICE_ARGUMENTS)                                                 \
    {                                                                                              \
        combgpu_no3_solo_search(slice, tables, tasks, left, records, work,                         \
                                tables + tables[COMBGPU__NO3_AT_SOLO], wide);                      \
    }
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo, 0)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo17, 1)

#ifdef __CUDACC__
/* The forms with the table in shared memory; one block on a multiprocessor. */
#define COMBGPU__NO3_SOLO_SHARED(name, lanes, wide)                                                \
    static __global__ void __launch_bounds__(lanes, 1) name(COMBGPU__SLICE_ARGUMENTS)              \
    {                                                                                              \
        extern __shared__ uint4 combgpu_no3_solo_table[];                                          \
        const uint4 *from = (const uint4 *)(tables + tables[COMBGPU__NO3_AT_SOLO]);                \
        uint32_t i;                                                                                \
        for (i = COMBGPU__LANE_ID; i < COMBGPU__NO3_SOLO_BYTES(wide) / 16;                         \
             i += COMBGPU__BLOCK_LANES)                                                            \
            combgpu_no3_solo_table[i] = from[i];                                                   \
        COMBGPU__BLOCK_BARRIER();                                                                  \
        combgpu_no3_solo_search(slice, tables, tasks, left, records, work,                         \
                                (const uint32_t *)combgpu_no3_solo_table, wide);                   \
    }
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo_shared, 512, 0)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo17_shared, 384, 1)
#endif
