/* No-three-in-line kernels, classes with a board of 24 words: a step of ORT1 and DIA1. */

#define COMBGPU__NO3_ALL_BITS (~(uint64_t)0)
#define COMBGPU__NO3_HIGH(x) ((uint32_t)((x) >> 32))
#define COMBGPU__NO3_LOW(x) ((uint32_t)(x))
/* Columns from `c` on. */
#define COMBGPU__NO3_FROM(c) (COMBGPU__NONE >> (c))

/* The first column of a row x, or 64. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_first(uint64_t x)
{
    uint32_t high = COMBGPU__CLZ(COMBGPU__NO3_HIGH(x));
    return high < 32 ? high : 32 + COMBGPU__CLZ(COMBGPU__NO3_LOW(x));
}

/* Row j of the lane, column 0 in the top bit. */
COMBGPU__DEVICE uint64_t combgpu_no3_plate_row(const uint32_t *words, uint32_t j)
{
    return (uint64_t)words[j] << 32 | (words[5] << 6 * j & 0xfc000000u);
}

/* Removes the columns `gone` from row j of the lane. */
COMBGPU__DEVICE void combgpu_no3_plate_without(uint32_t *words, uint32_t j, uint64_t gone)
{
    words[j] &= ~COMBGPU__NO3_HIGH(gone);
    words[5] &= ~((COMBGPU__NO3_LOW(gone) & 0xfc000000u) >> 6 * j);
}

/* Adds five masks bit by bit: s, t and f have weights 1, 2 and 4; row[0] is lost. */
#define COMBGPU__NO3_FIVE(row, s, t, f)                                                            \
    do {                                                                                           \
        s = row[0] ^ row[1] ^ row[2];                                                              \
        t = COMBGPU__NO3_MAJORITY(row[0], row[1], row[2]);                                         \
        f = COMBGPU__NO3_MAJORITY(s, row[3], row[4]);                                              \
        s ^= row[3] ^ row[4];                                                                      \
        row[0] = t & f;                                                                            \
        t ^= f;                                                                                    \
        f = row[0];                                                                                \
    } while (0)

/* The counts of a lane's five rows as counts of lines. `own` has a byte for each bit of a count
   (combgpu_no3_spread), the lane's row 0 in bit 4 of it. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_plate_own(uint32_t own, uint32_t lane)
{
    combgpu_no3_counts rows;
    rows.s = own << 27 >> 5 * lane;
    rows.t = (own & 0x1f00) << 19 >> 5 * lane;
    rows.f = (own & 0x1f0000) << 11 >> 5 * lane;
    rows.e = (own & 0x1f000000) << 3 >> 5 * lane;
    return rows;
}

/* ---- ORT1 */

/* Finds the best pair of columns and the best row of the grid. If their classes are equal, the row
   goes first if it is no further from the centre. The counts of rows are masks of 38 bits; the last
   six bits of all three masks travel from lane to lane in one word. */
COMBGPU__DEVICE void combgpu_no3_plate_choose_ort1(const combgpu_no3_plate *form,
                                                   const combgpu_no3_plate_board *board,
                                                   combgpu_no3_plate_choice *choice)
{
    const combgpu_group_t group = form->group;
    uint64_t row[5], s, t, f, wait, kind_y[8], best_y = 0;
    uint32_t own = 0, best = 0, kind[8], j, pair;
    combgpu_no3_counts pairs;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++) {
        row[j] = combgpu_no3_plate_row(board->words, j);
        own = 2 * own + combgpu_no3_spread(COMBGPU__POPCOUNT(COMBGPU__NO3_HIGH(row[j])) +
                                           COMBGPU__POPCOUNT(COMBGPU__NO3_LOW(row[j])));
    }
    COMBGPU__NO3_FIVE(row, s, t, f);
    pairs.s = pairs.t = pairs.f = pairs.e = 0;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 4; j++) {
        combgpu_no3_counts part = combgpu_no3_plate_own(COMBGPU__GROUP_FROM(own, j), j);
        pairs.s |= part.s;
        pairs.t |= part.t;
        pairs.f |= part.f;
        pairs.e |= part.e;
    }
    COMBGPU__NO3_UNROLL
    for (j = 1; j < 4; j *= 2) { /* f: four or more */
        uint32_t low = COMBGPU__NO3_LOW(s) | COMBGPU__NO3_LOW(t) >> 6 | COMBGPU__NO3_LOW(f) >> 12;
        uint64_t s2, t2, f2, c;
        low = COMBGPU__GROUP_FROM(low, form->lane ^ j);
        s2 = COMBGPU__GROUP_FROM(COMBGPU__NO3_HIGH(s), form->lane ^ j);
        t2 = COMBGPU__GROUP_FROM(COMBGPU__NO3_HIGH(t), form->lane ^ j);
        f2 = COMBGPU__GROUP_FROM(COMBGPU__NO3_HIGH(f), form->lane ^ j);
        s2 = s2 << 32 | (low & 0xfc000000u);
        t2 = t2 << 32 | (low << 6 & 0xfc000000u);
        f2 = f2 << 32 | (low << 12 & 0xfc000000u);
        c = s & s2;
        f |= f2 | COMBGPU__NO3_MAJORITY(t, t2, c);
        s ^= s2;
        t ^= t2 ^ c;
    }
    combgpu_no3_kinds(kind, pairs, board->one, board->two, 1);
    wait = ~((uint64_t)board->one_y << 32 | board->two_y);
    kind_y[0] = wait & ~(f | t | s);
    kind_y[1] = wait & s & ~(f | t);
    kind_y[3] = wait & t & ~(f | s);
    kind_y[5] = wait & t & s & ~f;
    kind_y[6] = wait & f;
    kind_y[2] = kind_y[4] = kind_y[7] = 0;
    COMBGPU__NO3_UNROLL
    for (j = 7; j > 0; j--)
        if (kind[j] | kind_y[j]) {
            best = kind[j];
            best_y = kind_y[j];
        }
    pair = COMBGPU__CLZ(best);
    choice->line = combgpu_no3_plate_first(best_y);
    choice->of_y = choice->line <= 2 * pair;
    if (!choice->of_y) choice->line = pair;
    choice->dead = kind[0] || kind_y[0];
    choice->solved = board->two == COMBGPU__NONE && wait == 0;
}

/* The bits of column c, row 0 in the top bit. */
COMBGPU__DEVICE uint32_t combgpu_no3_plate_column(const combgpu_no3_plate *form,
                                                  const uint32_t *words, uint32_t c)
{
    const combgpu_group_t group = form->group;
    uint32_t column = 0, j;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++) {
        uint32_t word = c < 32 ? words[j] << c : words[5] << 6 * j << (c & 31);
        column |= (word & 0x80000000u) >> j;
    }
    column >>= 5 * form->lane;
    column |= COMBGPU__GROUP_FROM(column, form->lane ^ 1);
    return column | COMBGPU__GROUP_FROM(column, form->lane ^ 2);
}

/* Row i, in all lanes. */
COMBGPU__DEVICE uint64_t combgpu_no3_plate_row_from(const combgpu_no3_plate *form,
                                                    const uint32_t *words, uint32_t i)
{
    const combgpu_group_t group = form->group;
    const uint32_t from = i * 13 >> 6 & 3, in = i - 5 * from;
    uint32_t row = words[0], j;
    uint64_t low;
    COMBGPU__NO3_UNROLL
    for (j = 1; j < 5; j++)
        row = in == j ? words[j] : row;
    row = COMBGPU__GROUP_FROM(row, from);
    low = COMBGPU__GROUP_FROM(words[5], from) << 6 * min(in, 4u) & 0xfc000000u;
    return (uint64_t)row << 32 | low;
}

/* Finds the first open orbit of a pair of columns, or of a row of the grid. A row needs one orbit,
   so each other one counts for two points. */
COMBGPU__DEVICE void combgpu_no3_plate_cell_ort1(const combgpu_no3_plate *form,
                                                 const uint32_t *words,
                                                 combgpu_no3_plate_choice *choice)
{
    const uint32_t i = choice->line;
    uint64_t row = combgpu_no3_plate_row_from(form, words, i & 31);
    uint32_t column = combgpu_no3_plate_column(form, words, i & 63);
    choice->x = choice->of_y ? i & 63 : combgpu_no3_plate_first(row) & 63;
    choice->y = (choice->of_y ? COMBGPU__CLZ(column) : i) & 31;
    choice->points = choice->of_y ? 2 * COMBGPU__POPCOUNT(column) - 2
                                  : COMBGPU__POPCOUNT(COMBGPU__NO3_HIGH(row)) +
                                        COMBGPU__POPCOUNT(COMBGPU__NO3_LOW(row)) - 1;
}

/* The row of the grid is full, the pair of columns has one orbit more; removes orbits that they no
   longer take. */
COMBGPU__DEVICE void combgpu_no3_plate_place_ort1(const combgpu_no3_plate *form,
                                                  combgpu_no3_plate_board *board,
                                                  const combgpu_no3_plate_choice *choice)
{
    const uint32_t bit = 0x80000000u >> choice->y, full = board->one & bit;
    const uint64_t bit_x = (uint64_t)1 << (63 - choice->x);
    uint32_t j;
    board->one |= bit;
    board->two |= full;
    board->one_y |= COMBGPU__NO3_HIGH(bit_x);
    board->two_y |= COMBGPU__NO3_LOW(bit_x);
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++)
        combgpu_no3_plate_without(
            board->words, j,
            bit_x | (full << 5 * form->lane << j >> 31 ? COMBGPU__NO3_ALL_BITS : 0));
}

/* ---- DIA1 */

/* Counts even and odd lines at once: of a row r, columns up to r belong to odd lines, those from r
   + 1 to `evens` to even ones, and those beyond to both. */
COMBGPU__DEVICE void combgpu_no3_plate_choose_dia1(const combgpu_no3_plate *form,
                                                   const combgpu_no3_plate_board *board,
                                                   combgpu_no3_plate_choice *choice)
{
    uint64_t row[5], s, t, f;
    uint32_t low[5], own = 0, own_y = 0, kind[8], kind_y[8], is_even, is_odd, j;
    combgpu_no3_counts even, odd, more;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++) {
        uint32_t r = 5 * form->lane + j, right;
        row[j] = combgpu_no3_plate_row(board->words, j);
        low[j] = COMBGPU__NO3_HIGH(row[j]);
        right = low[j] & COMBGPU__NO3_FROM(r + 1);
        own = 2 * own + combgpu_no3_spread(COMBGPU__POPCOUNT(right) +
                                           COMBGPU__POPCOUNT(COMBGPU__NO3_LOW(row[j])));
        own_y = 2 * own_y + combgpu_no3_spread(COMBGPU__POPCOUNT(low[j] ^ right));
        row[j] &= COMBGPU__NO3_ALL_BITS >> (r + 2);
        low[j] &= ~COMBGPU__NO3_FROM(r);
    }
    COMBGPU__NO3_FIVE(row, s, t, f);
    COMBGPU__NO3_FIVE(low, odd.s, odd.t, odd.f);
    odd.e = 0;
    even.s = COMBGPU__NO3_HIGH(s) << 1 & ~COMBGPU__NO3_FROM(form->evens);
    even.t = COMBGPU__NO3_HIGH(t) << 1 & ~COMBGPU__NO3_FROM(form->evens);
    even.f = COMBGPU__NO3_HIGH(f) << 1 & ~COMBGPU__NO3_FROM(form->evens);
    even.e = 0;
    more.s = COMBGPU__NO3_HIGH(s << (form->evens + 1));
    more.t = COMBGPU__NO3_HIGH(t << (form->evens + 1));
    more.f = COMBGPU__NO3_HIGH(f << (form->evens + 1));
    more.e = 0;
    combgpu_no3_add_counts(&even, combgpu_no3_plate_own(own, form->lane));
    combgpu_no3_add_counts(&odd, more);
    combgpu_no3_add_counts(&odd, combgpu_no3_plate_own(own_y, form->lane));
    combgpu_no3_counts_sum(form->group, &even);
    combgpu_no3_counts_sum(form->group, &odd);
    combgpu_no3_kinds(kind, even, board->one, board->two, 1);
    combgpu_no3_kinds(kind_y, odd, board->one_y, board->two_y, 1);
    choice->dead = kind[0] | kind_y[0];
    choice->line = combgpu_no3_best_line(kind, kind_y, &is_even, &is_odd);
    choice->of_y = !is_even;
    choice->solved = board->two == COMBGPU__NONE && board->two_y == COMBGPU__NONE;
}

/* Takes the first of the line's open orbits: bit k of `even` is that with even line k, of `odd` with
   odd line k, bit 0 the top one. At equal k the even line's goes first. */
COMBGPU__DEVICE void combgpu_no3_plate_cell_dia1(const combgpu_no3_plate *form,
                                                 const uint32_t *words,
                                                 combgpu_no3_plate_choice *choice)
{
    const uint32_t i = choice->line & 31, evens = form->evens, of_y = choice->of_y;
    uint64_t row = combgpu_no3_plate_row_from(form, words, i);
    uint32_t column = combgpu_no3_plate_column(form, words, of_y ? evens + 1 + i : i + 1);
    uint32_t below = combgpu_no3_plate_column(form, words, i), high = COMBGPU__NO3_HIGH(row);
    uint32_t even, odd, k;
    if (of_y) {
        even = column;
        odd = (high & ~(COMBGPU__NO3_FROM(i) >> 1)) | (below & COMBGPU__NO3_FROM(i) >> 1);
    } else {
        even = (high & COMBGPU__NO3_FROM(i) >> 1) << 1 & ~COMBGPU__NO3_FROM(evens);
        even |= column & ~COMBGPU__NO3_FROM(i);
        odd = COMBGPU__NO3_HIGH(row << (evens + 1));
    }
    if (COMBGPU__CLZ(even) <= COMBGPU__CLZ(odd)) {
        k = COMBGPU__CLZ(even) & 31;
        choice->y = of_y ? k : min(i, k);
        choice->x = of_y ? evens + 1 + i : max(i, k) + 1;
    } else {
        k = COMBGPU__CLZ(odd) & 31;
        choice->y = of_y ? max(i, k) : i;
        choice->x = of_y ? min(i, k) : evens + 1 + k;
    }
    choice->x &= 63;
    choice->points = COMBGPU__POPCOUNT(even) + COMBGPU__POPCOUNT(odd) - 1;
}

/* The orbit's two lines, masks `even` and `odd`, have one more point; removes orbits that they no
   longer take. */
COMBGPU__DEVICE void combgpu_no3_plate_place_dia1(const combgpu_no3_plate *form,
                                                  combgpu_no3_plate_board *board,
                                                  const combgpu_no3_plate_choice *choice)
{
    const uint32_t x = choice->x, evens = form->evens, bit_y = 0x80000000u >> choice->y;
    uint32_t even = bit_y, odd = 0, full, full_y, j;
    if (x > evens)
        odd = 0x80000000u >> (x - evens - 1);
    else if (x > choice->y)
        even |= 0x80000000u >> (x - 1);
    else {
        even = 0;
        odd = bit_y | 0x80000000u >> x;
    }
    full = even & board->one;
    full_y = odd & board->one_y;
    board->one |= even;
    board->two |= full;
    board->one_y |= odd;
    board->two_y |= full_y;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < 5; j++) {
        uint32_t r = 5 * form->lane + j, right = COMBGPU__NO3_FROM(r) >> 1;
        uint64_t gone = (uint64_t)full_y << 32 >> (evens + 1);
        gone |= (uint64_t)((full >> 1 & right) | (full_y & ~right)) << 32;
        if (full << r >> 31) gone |= COMBGPU__NO3_ALL_BITS >> (r + 1);
        if (full_y << r >> 31) gone |= (uint64_t)~right << 32;
        combgpu_no3_plate_without(board->words, j, gone);
    }
}
