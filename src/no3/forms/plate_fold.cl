/* No-three-in-line kernels, classes with a board of 24 or 32 words: a step of FOLD and DIA2. */

/* Counts the open cells of the lane's part of all lines: its rows and its part of the columns. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_plate_part(const combgpu_no3_plate *form,
                                                          const uint32_t *words)
{
    const uint32_t share = form->share, shift = share * form->lane;
    combgpu_no3_counts lines, rows;
    uint32_t row[8], own = 0, j, k, s, s2, c, c2, c3, c4, d, d2;
    /* own: a byte for each bit of the counts, row 0 in its top bit */
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 8; j++) {
        row[j] = j < share ? words[j] : 0;
        if (j >= share) continue;
        k = COMBGPU__POPCOUNT(row[j]);
        if (j == 0) k <<= form->odd && form->lane == 0;
        own = 2 * own + combgpu_no3_spread(k);
        if (form->once) row[j] &= ~(0x80000000u >> (shift + j));
    }
    own <<= 8 - share;
    rows.s = own << 24 >> shift;
    rows.t = (own & 0xff00) << 16 >> shift;
    rows.f = (own & 0xff0000) << 8 >> shift;
    rows.e = (own & 0xff000000u) >> shift;
    /* columns: the rows added up bit by bit, s of weight 1, c of weight 2, d of weight 4 */
    s = row[0] ^ row[1] ^ row[2];
    c = COMBGPU__NO3_MAJORITY(row[0], row[1], row[2]);
    s2 = row[3] ^ row[4] ^ row[5];
    c2 = COMBGPU__NO3_MAJORITY(row[3], row[4], row[5]);
    c3 = COMBGPU__NO3_MAJORITY(s, s2, row[6]);
    s ^= s2 ^ row[6];
    c4 = s & row[7];
    lines.s = s ^ row[7];
    d = COMBGPU__NO3_MAJORITY(c, c2, c3);
    s2 = c ^ c2 ^ c3;
    d2 = s2 & c4;
    lines.t = s2 ^ c4;
    lines.f = d ^ d2;
    lines.e = d & d2;
    combgpu_no3_add_counts(&lines, rows);
    return lines;
}

/* The line is 0 to 31, `of_y` is 0. */
COMBGPU__DEVICE void combgpu_no3_plate_choose_fold(const combgpu_no3_plate *form,
                                                   const combgpu_no3_plate_board *board,
                                                   combgpu_no3_plate_choice *choice)
{
    combgpu_no3_counts lines = combgpu_no3_plate_part(form, board->words);
    uint32_t kind[8], none[8], is_first;
    combgpu_no3_counts_sum(form->group, &lines);
    combgpu_no3_kinds(kind, lines, board->one, board->two, 1);
    combgpu_no3_clear(none, 8);
    choice->dead = kind[0];
    choice->line = combgpu_no3_best_line(kind, none, &is_first, &choice->of_y);
    choice->solved = board->two == COMBGPU__NONE;
}

/* Finds the open cell of row i and column i nearest to the centre; of two the row's (FOLD), or that
   above the diagonal. Sets x, y and `points` of the choice; `from` and `in` are the lane and the word
   of row i. */
COMBGPU__DEVICE void combgpu_no3_plate_cell_fold(const combgpu_no3_plate *form,
                                                 const uint32_t *words,
                                                 combgpu_no3_plate_choice *choice)
{
    const combgpu_group_t group = form->group;
    const uint32_t share = form->share, i = choice->line;
    const uint32_t from = share == 8 ? i >> 3 : i * 43 >> 8 & 3, in = i - share * from;
    const uint32_t dia2 = form->kind == COMBGPU__NO3_PLATE_DIA2, last = form->all - 1;
    uint32_t row = words[0], column = words[0] << i & 0x80000000u, twice, x, y, j;
    COMBGPU__NO3_UNROLL
    for (j = 1; j < share; j++) {
        row = in == j ? words[j] : row;
        column |= (words[j] << i & 0x80000000u) >> j;
    }
    column >>= share * form->lane;
    row = COMBGPU__GROUP_FROM(row, from);
    column |= COMBGPU__GROUP_FROM(column, form->lane ^ 1);
    column |= COMBGPU__GROUP_FROM(column, form->lane ^ 2);
    x = COMBGPU__CLZ(row);
    y = COMBGPU__CLZ(dia2 ? column & ~(0x80000000u >> last) : column);
    choice->x = x;
    choice->y = i;
    if (y < x || (dia2 && y == x && x < i)) {
        choice->x = i;
        choice->y = y;
    }
    if (dia2 && (column & 0x80000000u >> last) && min(x, y) > i) {
        choice->x = i;
        choice->y = last;
    }
    choice->x &= 31;
    choice->y &= 31;
    if (form->once) column &= ~(0x80000000u >> i);
    twice = (form->odd && i == 0) || (!form->once && choice->x == choice->y);
    choice->points =
        (COMBGPU__POPCOUNT(row) << (form->odd && i == 0)) + COMBGPU__POPCOUNT(column) - 1 - twice;
}

/* The orbit's lines have one or two more points; removes orbits that they no longer take. */
COMBGPU__DEVICE void combgpu_no3_plate_place_fold(const combgpu_no3_plate *form,
                                                  combgpu_no3_plate_board *board,
                                                  const combgpu_no3_plate_choice *choice)
{
    const uint32_t share = form->share, bit_x = 0x80000000u >> choice->x;
    const uint32_t extra = form->kind == COMBGPU__NO3_PLATE_DIA2 && choice->y == form->all - 1;
    const uint32_t bit_y = extra ? bit_x : 0x80000000u >> choice->y, touched = bit_x | bit_y;
    uint32_t full = touched & board->one, shift = share * form->lane, j;
    if (!form->once && bit_x == bit_y) full = touched;
    if (form->odd && !extra) full |= touched & (choice->y == 0 ? 0x80000000u : 0);
    board->one |= touched;
    board->two |= full;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++) {
        uint32_t gone = full | (0u - (full << shift << j >> 31));
        if (!form->once) gone |= touched & 0x80000000u >> shift >> j;
        board->words[j] &= ~gone;
    }
}
