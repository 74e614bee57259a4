/* No-three-in-line kernels, the full search up to n = 21: a step.

   The open cells of all lines are counted at once by adding words bit by bit (carry-save): a line's
   count is a bit in each of four masks, rows in the high half, columns in the low half, line 0 in
   the top bit of its half. So few instructions find the line to branch on. */

/* The corner's cells of column 16 + k, anywhere in the low half. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_column_bits(const combgpu_no3_solo *form,
                                                      const combgpu_no3_solo_board *board,
                                                      uint32_t k)
{
    uint32_t first = 0, i;
    if (form->extra == 1) return combgpu_no3_solo_column_end(form, board, k);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->extra; i++)
        first |= 0x80000000u >> form->extra * i;
    first &= board->words[8 + form->extra] << k;
    return first >> 16 | (form->extra > 4 ? first & 0xffff : 0);
}

/* Counts the open cells of each line. `last`: rows from 16 on from bit 31 down, columns from bit 15
   down. */
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
    rows = low = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->extra; j++) { /* one cell more in each line; then the last lines */
        const uint32_t word = words[8 + j];
        a = s & word;
        s ^= word;
        b = t & a;
        t ^= a;
        e |= f & b;
        f ^= b;
        a = COMBGPU__POPCOUNT(word << 16 | combgpu_no3_solo_row_end(form, board, j));
        b = COMBGPU__POPCOUNT((word & 0xffff0000u) | combgpu_no3_solo_column_bits(form, board, j));
        rows = 2 * rows + combgpu_no3_spread(a);
        low = 2 * low + combgpu_no3_spread(b);
    }
    if (form->extra) {
        last->s = (rows << 16 | (low & 0xff)) << (16 - form->extra);
        last->t = ((rows & 0xff00) << 8 | (low >> 8 & 0xff)) << (16 - form->extra);
        last->f = ((rows & 0xff0000) | (low >> 16 & 0xff)) << (16 - form->extra);
        last->e = ((rows >> 8 & 0xff0000) | low >> 24) << (16 - form->extra);
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
    if (form->extra) {
        open = ~(more << form->extra | xf | xe) & form->last;
        xrest = ~(more << form->extra | more) & form->last;
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
        xlines = more & ~(more << form->extra) & (xe | xf | (xs & xt)) & form->last;
    }
    if (forced | xforced) {
        lines = forced;
        xlines = xforced;
    }
    choice->line = COMBGPU__CLZ(lines | lines << 16) & 31;
    choice->line = 2 * choice->line + 1 - (lines << choice->line >> 31);
    choice->solved = two == COMBGPU__NONE;
    if (form->extra) {
        if (!lines) {
            choice->line = COMBGPU__CLZ(xlines | xlines << 16) & 31;
            choice->line = 2 * choice->line + 33 - (xlines << choice->line >> 31);
        }
        choice->solved = choice->solved && !(~(more << form->extra) & form->last);
    }
}

COMBGPU__DEVICE void combgpu_no3_solo_cell(const combgpu_no3_solo *form,
                                           const combgpu_no3_solo_board *board,
                                           combgpu_no3_solo_choice *choice, uint32_t line,
                                           uint32_t go)
{
    const uint32_t *words = board->words, i = line >> 1 & 31, is_row = ~line & 1;
    uint32_t one = board->one, row, column, first, j;
    row = i & 2 ? (i & 1 ? words[3] : words[2]) : (i & 1 ? words[1] : words[0]);
    column = i & 2 ? (i & 1 ? words[7] : words[6]) : (i & 1 ? words[5] : words[4]);
    row = i & 4 ? column : row;
    row = i & 8 ? row << 16 : row & 0xffff0000u;
    column = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        column = 2 * column + (words[j] >> (15 - (i & 15)) & 0x10001);
    column = (column << 8 & 0xff000000u) | (column << 16 & 0x00ff0000u);
    if (form->extra) {
        const uint32_t tail = combgpu_no3_solo_tail(form, words, (i & 15) + (is_row ? 0 : 16));
        row |= tail;
        column |= tail;
    }
    if (form->extra && i >= 16) {
        uint32_t word = words[8];
        one = board->more;
        COMBGPU__NO3_UNROLL
        for (j = 1; j < form->extra; j++)
            word = i == 16 + j ? words[8 + j] : word;
        row = word << 16 | combgpu_no3_solo_row_end(form, board, i - 16);
        column = (word & 0xffff0000u) | combgpu_no3_solo_column_end(form, board, i - 16);
    }
    row = is_row ? row : column;
    choice->waits = COMBGPU__POPCOUNT(row) + (one << ((i & 15) + (is_row ? 0 : 16)) >> 31) > 2;
    first = COMBGPU__CLZ(row);
    choice->y = is_row ? i : first;
    choice->x = is_row ? first : i;
    choice->cell = go ? combgpu_no3_solo_code(form, choice->x, choice->y) : 0;
    choice->at_x = combgpu_no3_solo_coordinate(form, choice->x);
    choice->at_y = combgpu_no3_solo_coordinate(form, choice->y);
    choice->limit = go ? board->more & COMBGPU__NO3_SOLO_COUNT : 0;
}

COMBGPU__DEVICE void combgpu_no3_solo_remove(const combgpu_no3_solo *form,
                                             combgpu_no3_solo_board *board,
                                             const combgpu_no3_solo_choice *choice)
{
    const uint32_t x = choice->x, y = choice->y;
    uint32_t word = y & 7, bit = 0x80000000u >> ((x + 2 * (y & 8)) & 31), j;
    if (form->extra) {
        if (y >= 16) {
            word = y - 8;
            bit = 0x8000u >> (x & 15);
        }
        if (x >= 16) {
            word = x - 8;
            bit = 0x80000000u >> (y & 15);
            if (y >= 16) {
                word = form->extra > 1 ? 8 + form->extra : 31;
                bit = 0x80000000u >> (form->extra * (y & 15) + (x & 15));
                if (form->extra == 1) board->more &= ~COMBGPU__NO3_SOLO_CORNER;
            }
        }
    }
    COMBGPU__NO3_UNROLL
    for (j = 0; j < form->share; j++)
        board->words[j] &= ~(j == word ? bit : 0);
}

/* Closes the corner's cells on full lines, given as in `more`. */
COMBGPU__DEVICE void combgpu_no3_solo_close(const combgpu_no3_solo *form,
                                            combgpu_no3_solo_board *board, uint32_t full)
{
    const uint32_t extra = form->extra, row = COMBGPU__NONE << (32 - extra);
    uint32_t gone = 0, k;
    if (extra == 1) {
        board->more &= ~COMBGPU__NO3_SOLO_CORNER;
        return;
    }
    COMBGPU__NO3_UNROLL
    for (k = 0; k < extra; k++)
        gone |= ((full << k >> 31 ? row : 0) | (full << 16 & row)) >> extra * k;
    board->words[8 + extra] &= ~gone;
}

/* The point's lines have one point more; a full line takes no other. */
COMBGPU__DEVICE void combgpu_no3_solo_place(const combgpu_no3_solo *form,
                                            combgpu_no3_solo_board *board,
                                            const combgpu_no3_solo_choice *choice)
{
    const uint32_t x = choice->x, y = choice->y, count = board->more & COMBGPU__NO3_SOLO_COUNT;
    const uint32_t of_lines = (0x80000000u >> (y & 31) & 0xffff0000u) | 0x8000u >> (x & 31);
    const uint32_t full = board->one & of_lines, column = (full & 0xffff) * 0x10001u;
    const uint32_t row = full >> 16 ? (y & 8 ? 0xffff : 0xffff0000u) : 0;
    uint32_t j;
    board->one |= of_lines;
    board->two |= full;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++)
        board->words[j] &= ~(column | (j == (y & 7) ? row : 0));
    if (form->extra) {
        const uint32_t last =
            (y < 16 ? 0 : 0x80000000u >> (y & 15)) | (x < 16 ? 0 : 0x8000u >> (x & 15));
        const uint32_t last_full = board->more & last, number = 0xffffu << 16 * (count & 1);
        board->more |= last | last_full >> form->extra;
        COMBGPU__NO3_UNROLL
        for (j = 0; j < form->extra; j++)
            board->words[8 + j] &= ~(full | (last_full << j >> 31 ? 0xffff : 0) |
                                     (last_full << j & 0x8000 ? 0xffff0000u : 0));
        if (last_full) combgpu_no3_solo_close(form, board, last_full);
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 16 + form->extra; j++) {
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
