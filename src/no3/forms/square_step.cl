/* No-three-in-line kernels, classes with a board of 16 words: a step, and the kernels. */

/* FOLD: the lane's fifth row. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_fifth(const uint32_t *words)
{
    return words[0] << 20 | (words[1] << 8 & 0x000ff000);
}

/* FOLD_ODD: the axis, in lane 0. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_axis(const combgpu_no3_square *form,
                                                 const uint32_t *words)
{
    return form->axis ? words[2] << 20 | (words[3] << 8 & 0x000ff000) : 0;
}

/* Counts the open cells of the lane's rows: a byte for each bit of the count. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_rows(const combgpu_no3_square *form,
                                                 const uint32_t *words)
{
    const uint32_t bits = form->fold ? COMBGPU__NO3_SQUARE_ROWS : COMBGPU__NONE;
    uint32_t rows = 0, j, k;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4 + form->fold; j++) {
        k = COMBGPU__POPCOUNT(j < 4 ? words[j & 3] & bits : combgpu_no3_square_fifth(words));
        if (form->kind == COMBGPU__NO3_FORM_HALF && j == 0) k <<= form->odd && form->lane == 0;
        /* HALF: two bits for each row; the lower bit is for columns */
        rows = form->fold ? 2 * rows + combgpu_no3_spread(k)
                          : 4 * rows + (min(k, 15u) * 0x00408102u & 0x02020202u);
    }
    return rows;
}

/* FOLD: counts the lane's part of the lines: five rows (`own`) and a part of all columns. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_square_fold(const combgpu_no3_square *form,
                                                           const uint32_t *words, uint32_t own)
{
    const uint32_t lane = form->lane;
    uint32_t row[4], fifth = combgpu_no3_square_fifth(words),
                     axis = combgpu_no3_square_axis(form, words), k, c, c2, c3, j;
    combgpu_no3_counts lines, rows;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++)
        row[j] = form->axis ? words[j] & ~(0x80000000u >> (5 * lane + j)) : words[j];
    if (form->axis) fifth &= ~(0x80000000u >> (5 * lane + 4));
    lines.s = row[0] ^ row[1] ^ row[2];
    c = COMBGPU__NO3_MAJORITY(row[0], row[1], row[2]);
    c2 = COMBGPU__NO3_MAJORITY(row[3], fifth, axis);
    k = row[3] ^ fifth ^ axis;
    c3 = lines.s & k;
    lines.s = (lines.s ^ k) & COMBGPU__NO3_SQUARE_ROWS;
    lines.t = (c ^ c2 ^ c3) & COMBGPU__NO3_SQUARE_ROWS;
    lines.f = COMBGPU__NO3_MAJORITY(c, c2, c3) & COMBGPU__NO3_SQUARE_ROWS;
    lines.e = 0;
    rows.s = (own & 31) << 27 >> 5 * lane;
    rows.t = (own >> 8 & 31) << 27 >> 5 * lane;
    rows.f = (own >> 16 & 31) << 27 >> 5 * lane;
    rows.e = (own >> 24 & 31) << 27 >> 5 * lane;
    combgpu_no3_add_counts(&lines, rows);
    return lines;
}

/* HALF: counts the lane's part of the columns and, for rot2, its rows. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_square_half(const combgpu_no3_square *form,
                                                           const uint32_t *words, uint32_t own)
{
    const uint32_t lane = form->lane;
    uint32_t bit, c, c2;
    combgpu_no3_counts lines;
    lines.s = words[0] ^ words[1] ^ words[2];
    c = COMBGPU__NO3_MAJORITY(words[0], words[1], words[2]);
    c2 = lines.s & words[3];
    lines.s ^= words[3];
    lines.t = c ^ c2;
    lines.f = lines.e = c & c2;
    if (form->kind == COMBGPU__NO3_FORM_HALF_ORT1) return lines;
    bit = form->odd ? 0x80000000u : 0;
    lines.s |= lines.s << 1 & bit;
    lines.t |= lines.t << 1 & bit;
    lines.f |= lines.f << 1 & bit;
    c = lines.s & lines.s >> 1;
    lines.s ^= lines.s >> 1;
    c2 = COMBGPU__NO3_MAJORITY(lines.t, lines.t >> 1, c);
    lines.t ^= lines.t >> 1 ^ c;
    lines.e = COMBGPU__NO3_MAJORITY(lines.f, lines.f >> 1, c2);
    lines.f ^= lines.f >> 1 ^ c2;
    lines.s = (lines.s & 0x55555555u) | (own & 255) << 24 >> 8 * lane;
    lines.t = (lines.t & 0x55555555u) | (own >> 8 & 255) << 24 >> 8 * lane;
    lines.f = (lines.f & 0x55555555u) | (own >> 16 & 255) << 24 >> 8 * lane;
    lines.e = (lines.e & 0x55555555u) | (own >> 24) << 24 >> 8 * lane;
    return lines;
}

/* Adds up the counts of all lanes. HALF_ORT1: f means 4 or more. */
COMBGPU__DEVICE void combgpu_no3_square_sum(const combgpu_no3_square *form,
                                            combgpu_no3_counts *lines)
{
    const combgpu_group_t group = form->group;
    uint32_t j;
    COMBGPU__NO3_UNROLL
    for (j = 1; j < 4; j *= 2) {
        uint32_t s = COMBGPU__GROUP_FROM(lines->s, form->lane ^ j);
        uint32_t t = COMBGPU__GROUP_FROM(lines->t, form->lane ^ j);
        uint32_t f = COMBGPU__GROUP_FROM(lines->f, form->lane ^ j);
        uint32_t c = lines->s & s, c2 = COMBGPU__NO3_MAJORITY(lines->t, t, c);
        lines->s ^= s;
        lines->t ^= t ^ c;
        if (form->kind == COMBGPU__NO3_FORM_HALF_ORT1)
            lines->f |= f | c2;
        else {
            lines->e |= COMBGPU__GROUP_FROM(lines->e, form->lane ^ j) |
                        COMBGPU__NO3_MAJORITY(lines->f, f, c2);
            lines->f ^= f ^ c2;
        }
    }
}

/* HALF_ORT1: makes the classes of rows of the grid (bits of all words), which have the counts
   `single`. Returns the counts of pairs of columns (words). */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_square_ort1(const combgpu_no3_square *form,
                                                           const combgpu_no3_square_board *board,
                                                           combgpu_no3_counts single, uint32_t own,
                                                           uint32_t *kind_y)
{
    const combgpu_group_t group = form->group;
    const uint32_t few = ~board->two_y & ~single.f;
    combgpu_no3_counts lines;
    uint32_t j, k;
    kind_y[0] = few & ~single.s & ~single.t;
    kind_y[1] = few & single.s & ~single.t;
    kind_y[3] = few & single.t & ~single.s;
    kind_y[5] = few & single.t & single.s;
    kind_y[6] = ~board->two_y & single.f;
    kind_y[2] = kind_y[4] = kind_y[7] = 0;
    lines.s = lines.t = lines.f = lines.e = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++) {
        k = COMBGPU__GROUP_FROM(own, j);
        lines.s |= (k & 255) << (24 - 8 * j);
        lines.t |= (k >> 8 & 255) << (24 - 8 * j);
        lines.f |= (k >> 16 & 255) << (24 - 8 * j);
        lines.e |= k >> 24 << (24 - 8 * j);
    }
    return lines;
}

COMBGPU__DEVICE void combgpu_no3_square_choose(const combgpu_no3_square *form,
                                               const combgpu_no3_square_board *board,
                                               combgpu_no3_square_choice *choice)
{
    const combgpu_group_t group = form->group;
    const uint32_t ort1 = form->kind == COMBGPU__NO3_FORM_HALF_ORT1;
    const uint32_t own = combgpu_no3_square_rows(form, board->words);
    uint32_t kind[8], kind_y[8], is_first, of_y, k;
    combgpu_no3_counts lines = form->fold ? combgpu_no3_square_fold(form, board->words, own)
                                          : combgpu_no3_square_half(form, board->words, own);
    combgpu_no3_square_sum(form, &lines);
    if (form->axis) { /* line 0, in lane 0 */
        k = COMBGPU__GROUP_FROM(COMBGPU__POPCOUNT(combgpu_no3_square_axis(form, board->words)), 0);
        lines.s >>= 1;
        lines.t = lines.t >> 1 | k << 31;
        lines.f = lines.f >> 1 | (k & 2) << 30;
        lines.e = lines.e >> 1 | (k > 3 ? 0x80000000u : 0);
    }
    if (ort1)
        lines = combgpu_no3_square_ort1(form, board, lines, own, kind_y);
    else
        combgpu_no3_clear(kind_y, 8);
    combgpu_no3_kinds(kind, lines, board->one, board->two, form->kind != COMBGPU__NO3_FORM_HALF);
    choice->dead = kind[0] | kind_y[0];
    choice->line = combgpu_no3_best_line(kind, kind_y, &is_first, &of_y);
    if (ort1) choice->line += 32 * of_y;
    choice->solved = board->two == COMBGPU__NONE && (!ort1 || board->two_y == COMBGPU__NONE);
}

/* FOLD: finds the open cell of row i and column i nearest to the centre; at a tie, the row's.
   Returns the points available from the line's other cells. */
COMBGPU__DEVICE uint32_t combgpu_no3_square_cell_fold(const combgpu_no3_square *form,
                                                      const uint32_t *words,
                                                      combgpu_no3_square_choice *choice, uint32_t i)
{
    const combgpu_group_t group = form->group;
    const uint32_t lane = form->lane, axis = form->axis && i == 0;
    const uint32_t slot = i - form->axis, from = axis ? 0 : slot * 13 >> 6 & 3,
                   in = axis ? 0 : slot - 5 * from;
    const uint32_t fifth = combgpu_no3_square_fifth(words),
                   on_axis = combgpu_no3_square_axis(form, words);
    uint32_t row, column, bit, points;
    row = in & 1 ? (in & 2 ? words[3] : words[1]) : (in & 2 ? words[2] : words[0]);
    row &= COMBGPU__NO3_SQUARE_ROWS;
    if (in == 4) row = fifth;
    if (axis) row = on_axis;
    row = COMBGPU__GROUP_FROM(row, from);
    bit = axis ? 0 : 0x80000000u >> (slot & 31);
    column = (words[0] & bit) | (words[1] & bit) >> 1 | (words[2] & bit) >> 2 |
             (words[3] & bit) >> 3 | (fifth & bit) >> 4;
    column = column << (slot & 31) >> 5 * lane;
    if (form->axis) {
        row >>= 1;
        column = column >> 1 | (on_axis & bit) << (slot & 31);
    }
    column |= COMBGPU__GROUP_FROM(column, lane ^ 1);
    column |= COMBGPU__GROUP_FROM(column, lane ^ 2);
    choice->x = COMBGPU__CLZ(row);
    choice->y = COMBGPU__CLZ(column);
    if (choice->y < choice->x)
        choice->x = i;
    else
        choice->y = i;
    if (axis) return 2 * COMBGPU__POPCOUNT(row) - 2;
    points = COMBGPU__POPCOUNT(row) + COMBGPU__POPCOUNT(column) - 1;
    /* a cell of the diagonal, which both have, gives two points on an even side, else one */
    if (form->axis) return points - (column << (i & 31) >> 31);
    return points - (choice->x == choice->y);
}

/* HALF: finds the first open cell of a row, or of a pair of columns. Returns the points available
   from the line's other cells (one less for a line that takes a single orbit). */
COMBGPU__DEVICE uint32_t combgpu_no3_square_cell_half(const combgpu_no3_square *form,
                                                      const uint32_t *words,
                                                      combgpu_no3_square_choice *choice,
                                                      uint32_t of)
{
    const combgpu_group_t group = form->group;
    const uint32_t rot2 = form->kind == COMBGPU__NO3_FORM_HALF, i = of & 31, line = i >> 1;
    const uint32_t in_row = rot2 ? !(i & 1) : of < 32;
    const uint32_t twice = form->twice_lines << i >> 31 | (rot2 ? 0 : of >> 5 & 1);
    const uint32_t bits = rot2 ? 0xc0000000u : 0x80000000u, each = rot2 ? 2 : 1;
    const uint32_t column = rot2 ? i & 30 : i;
    uint32_t open, row;
    open = (words[0] << column & bits) | (words[1] << column & bits) >> each |
           (words[2] << column & bits) >> 2 * each | (words[3] << column & bits) >> 3 * each;
    open >>= 4 * each * form->lane;
    row = line & 1 ? (line & 2 ? words[3] : words[1]) : (line & 2 ? words[2] : words[0]);
    if (form->lane != line >> 2) row = 0;
    if (in_row) open = row;
    open |= COMBGPU__GROUP_FROM(open, form->lane ^ 1);
    open |= COMBGPU__GROUP_FROM(open, form->lane ^ 2);
    choice->x = COMBGPU__CLZ(open);
    choice->y = line;
    if (!in_row && rot2) {
        choice->y = choice->x >> 1;
        choice->x = column | (choice->x & 1);
    } else if (!in_row) {
        choice->y = choice->x;
        choice->x = i;
    }
    return (COMBGPU__POPCOUNT(open) - 1) << twice;
}

COMBGPU__DEVICE void combgpu_no3_square_cell(const combgpu_no3_square *form,
                                             const combgpu_no3_square_board *board,
                                             combgpu_no3_square_choice *choice, uint32_t line,
                                             uint32_t go)
{
    const uint32_t ort1 = form->kind == COMBGPU__NO3_FORM_HALF_ORT1;
    const uint32_t one = ort1 && line & 32 ? 0 : board->one << (line & 31) >> 31;
    const uint32_t points =
        form->fold ? combgpu_no3_square_cell_fold(form, board->words, choice, line & 31)
                   : combgpu_no3_square_cell_half(form, board->words, choice, line & 63);
    choice->waits = points + one >= 2;
    choice->x &= 31;
    choice->y &= 31;
    choice->cell = go ? choice->y * form->stride + choice->x - form->axis : 0;
    combgpu_no3_clear(board->gone, 4);
}

COMBGPU__DEVICE void combgpu_no3_square_remove(const combgpu_no3_square *form,
                                               combgpu_no3_square_board *board,
                                               const combgpu_no3_square_choice *choice)
{
    uint32_t from = choice->y >> 2, in = choice->y & 3, bit = 0x80000000u >> choice->x, j;
    if (form->fold) {
        uint32_t x = choice->x - form->axis, y = choice->y - form->axis;
        uint32_t axis = form->axis && choice->y == 0;
        from = y * 13 >> 6;
        in = y - 5 * from;
        bit = 0x80000000u >> x;
        if (axis) from = 0;
        if (in == 4 || axis) {
            in = x < 12 ? 0 : 1;
            bit = x < 12 ? bit >> 20 : bit >> 8;
            if (axis) in += 2;
        }
    }
    if (form->lane != from) bit = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++)
        board->words[j] &= ~(j == in ? bit : 0);
}

/* The orbit's lines have one or two more points; `gone` gets the cells that they no longer take. */
COMBGPU__DEVICE void combgpu_no3_square_place(const combgpu_no3_square *form,
                                              combgpu_no3_square_board *board,
                                              combgpu_no3_square_choice *choice)
{
    const uint32_t x = choice->x, y = choice->y;
    if (form->kind == COMBGPU__NO3_FORM_HALF_ORT1) {
        uint32_t bit = 0x80000000u >> 2 * y, full = board->one & bit;
        board->one |= bit;
        board->two |= full;
        board->two_y |= 0x80000000u >> x;
        combgpu_no3_gone(board->gone, form->line_rows + COMBGPU__NO3_SQUARE_SINGLE(x), 4);
        if (full)
            combgpu_no3_gone(board->gone, form->line_rows + COMBGPU__NO3_SQUARE_LINE(2 * y, 1), 4);
    } else {
        uint32_t rot2 = form->kind == COMBGPU__NO3_FORM_HALF, first = rot2 ? 2 * y : y,
                 second = rot2 ? x | 1 : x;
        uint32_t touched = 0x80000000u >> first | 0x80000000u >> second;
        uint32_t full = touched & (board->one | form->twice_lines), full_first, full_second;
        if (form->kind == COMBGPU__NO3_FORM_FOLD && x == y) full = touched;
        board->one |= touched;
        board->two |= full;
        full_first = full << first >> 31;
        full_second = full << second >> 31;
        if (form->kind == COMBGPU__NO3_FORM_FOLD || full_first)
            combgpu_no3_gone(board->gone,
                             form->line_rows + COMBGPU__NO3_SQUARE_LINE(first, full_first), 4);
        if (form->kind == COMBGPU__NO3_FORM_FOLD || full_second)
            combgpu_no3_gone(board->gone,
                             form->line_rows + COMBGPU__NO3_SQUARE_LINE(second, full_second), 4);
    }
    if (form->lane == 0) form->list[COMBGPU__NO3_LIST_AT(board->count)] = choice->cell;
    board->count++;
}

/* The lane's part of a row, or zeros unless `is`. */
COMBGPU__DEVICE uint4 combgpu_no3_square_row(COMBGPU__GLOBAL const uint32_t *from,
                                             const uint32_t is)
{
    uint4 row;
    row.x = row.y = row.z = row.w = 0;
    if (is) row = *(COMBGPU__GLOBAL const uint4 *)from;
    return row;
}

/* The list ends with the orbit itself, whose row has what it excludes alone. */
COMBGPU__DEVICE void combgpu_no3_square_propagate(const combgpu_no3_square *form,
                                                  combgpu_no3_square_board *board,
                                                  combgpu_no3_square_choice *choice, uint32_t go)
{
    COMBGPU__GLOBAL const uint32_t *of_cell = form->rows + choice->cell * form->cells * 16;
    const uint32_t limit = go ? board->count : 0;
    uint32_t *gone = board->gone, k;
    if (limit == COMBGPU__NONE) of_cell = form->spots; /* as in combgpu_no3_orbit_search */
    COMBGPU__WARP_BARRIER();
    for (k = 0; k < limit; k += 4) {
        const uint4 with = *(COMBGPU__LOCAL const uint4 *)(form->list + COMBGPU__NO3_LIST_AT(k));
        const uint4 r0 = combgpu_no3_square_row(of_cell + 16 * (uint64_t)with.x, 1);
        const uint4 r1 = combgpu_no3_square_row(of_cell + 16 * (uint64_t)with.y, k + 1 < limit);
        const uint4 r2 = combgpu_no3_square_row(of_cell + 16 * (uint64_t)with.z, k + 2 < limit);
        const uint4 r3 = combgpu_no3_square_row(of_cell + 16 * (uint64_t)with.w, k + 3 < limit);
        gone[0] |= r0.x | r1.x | r2.x | r3.x;
        gone[1] |= r0.y | r1.y | r2.y | r3.y;
        gone[2] |= r0.z | r1.z | r2.z | r3.z;
        gone[3] |= r0.w | r1.w | r2.w | r3.w;
    }
    COMBGPU__WARP_BARRIER();
    if (go) combgpu_no3_without(board->words, gone, 4);
}

COMBGPU__DEVICE void combgpu_no3_square_search(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS,
                                               COMBGPU__LOCAL uint32_t *list, const uint32_t kind)
{
    combgpu_no3_square form = combgpu_no3_square_begin(COMBGPU__GROUP, tables, list, kind);
    combgpu_no3_worker worker = combgpu_no3_worker_begin(
        slice, work + COMBGPU__GROUP_INDEX * form.room * form.level_words, COMBGPU__GROUP_INDEX);
    uint32_t words[4], gone[4];
    combgpu_no3_square_board board;
    board.words = words;
    board.gone = gone;
    uint32_t i;
    if (slice->workers == 0) form.line_rows = form.rows = work; /* as in combgpu_no3_orbit_search */
    combgpu_no3_clear(board.words, 4);
    board.one = board.two = board.two_y = COMBGPU__NONE;
    board.count = 0;
    for (i = 0; i < COMBGPU__NO3_SQUARE_LISTED / 4; i++)
        list[4 * COMBGPU__NO3_LIST_BOARDS * i + form.lane] = 0;
    COMBGPU__NO3_SEARCH(square, GROUP);
}

#define COMBGPU__NO3_SQUARE_KERNEL(kind, name, form)                                               \
    kind name(COMBGPU__SLICE_ARGUMENTS)                                                            \
    {                                                                                              \
        COMBGPU__GROUP_BEGIN(4);                                                                   \
        COMBGPU__NO3_LIST_ARRAY(COMBGPU__NO3_SQUARE_LISTED);                                       \
        combgpu_no3_square_search(COMBGPU__GROUP, slice, tables, tasks, left, records, work,       \
                                  COMBGPU__NO3_LIST_OWN, form);                                    \
    }
COMBGPU__NO3_SQUARE_KERNEL(COMBGPU__KERNEL, combgpu_no3_search_fold, COMBGPU__NO3_FORM_FOLD)
COMBGPU__NO3_SQUARE_KERNEL(COMBGPU__KERNEL_BLOCKS(128, 8), combgpu_no3_search_fold_odd,
                           COMBGPU__NO3_FORM_FOLD_ODD)
COMBGPU__NO3_SQUARE_KERNEL(COMBGPU__KERNEL, combgpu_no3_search_half, COMBGPU__NO3_FORM_HALF)
COMBGPU__NO3_SQUARE_KERNEL(COMBGPU__KERNEL_BLOCKS(128, 8), combgpu_no3_search_half_ort1,
                           COMBGPU__NO3_FORM_HALF_ORT1)
