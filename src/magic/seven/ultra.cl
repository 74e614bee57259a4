/* Counts and lists ultramagic squares of order 7: a lane takes units.

   seven/ultra.c explains the method and its words: value, word, plane, coordinates, upright, origin, unit.
   Functions have the names of their C forms there, and find the same squares in the same order. Here a
   sum is six words of four bytes, a value mod 64 in each: value i is byte i % 4 of word i / 4. Words
   of `tables`: layout.h. */

/* Linear conditions on coordinates, solved. */
typedef struct combgpu_seven_ultra_rows_t {
    uint32_t row[8], pivot[8], zero[8]; /* bit k: coordinate k; bit 12 + k: condition k */
    uint32_t count, zeros;              /* of `row` and `pivot`; of `zero` */
} combgpu_seven_ultra_rows_t;

/* The state above a unit. */
typedef struct combgpu_seven_ultra_t {
    uint32_t plane[6]; /* words */
    /* of the coordinates, without those for planes 3, 4, 5 on */
    uint32_t sum3[6], sum4[6], sum5[6];
    uint64_t keep;     /* symmetries that keep the origin, without the identity */
    uint64_t from, to; /* of numbers; to: the end of the range, or where records found no room */
    uint64_t number;   /* of the next square */
    uint64_t hash, squares; /* of all units of this lane: what it adds to the slice's totals */
} combgpu_seven_ultra_t;

#define COMBGPU__ULTRA_ARGUMENTS                                                                   \
    COMBGPU__GLOBAL combgpu__slice *slice, COMBGPU__GLOBAL const uint32_t *tables,                 \
        COMBGPU__GLOBAL uint32_t *records, combgpu_seven_ultra_t *u

/* The coordinates of a word that solves the equations: 12 of its bits. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_at(uint32_t word)
{
    return (word & 63) | (word >> 1 & 0xfc0);
}

/* The word of 12 coordinates mod 2. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_word(COMBGPU__GLOBAL const uint32_t *tables,
                                                  uint32_t coordinates)
{
    return tables[COMBGPU__ULTRA_AT_WORD + (coordinates & 63)] ^
           tables[COMBGPU__ULTRA_AT_WORD + 64 + (coordinates >> 6)];
}

/* Writes `from` and vectors times 2^shift, mod 64, to `sum`. */
COMBGPU__DEVICE void combgpu_seven_ultra_add(COMBGPU__GLOBAL const uint32_t *tables, uint32_t *sum,
                                             const uint32_t *from, uint32_t coordinates,
                                             uint32_t shift)
{
    COMBGPU__GLOBAL const uint32_t *a = tables + COMBGPU__ULTRA_AT_SUM + 6 * (coordinates & 63);
    COMBGPU__GLOBAL const uint32_t *b =
        tables + COMBGPU__ULTRA_AT_SUM + 6 * (64 + (coordinates >> 6));
    uint32_t i;
    for (i = 0; i < 6; i++) {
        uint32_t more = (a[i] + b[i]) & 0x01010101u * (63u >> shift);
        sum[i] = (from[i] + (more << shift)) & 0x3f3f3f3fu;
    }
}

/* The word of bit k of a sum's values. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_bit(const uint32_t *sum, uint32_t k)
{
    uint32_t word = 0, i;
    for (i = 0; i < 6; i++)
        word |= (((sum[i] >> k) & 0x01010101u) * 0x01020408u >> 24) << (4 * i);
    return word;
}

/* Adds condition number k: an even or odd number of these cells is in the word. */
COMBGPU__DEVICE void combgpu_seven_ultra_condition(COMBGPU__GLOBAL const uint32_t *tables,
                                                   combgpu_seven_ultra_rows_t *rows, uint32_t k,
                                                   uint32_t cells)
{
    COMBGPU__GLOBAL const uint32_t *part = tables + COMBGPU__ULTRA_AT_ROW;
    uint32_t row = part[cells & 63] ^ part[64 + ((cells >> 6) & 63)] ^
                   part[128 + ((cells >> 12) & 63)] ^ part[192 + (cells >> 18)] ^ (4096u << k);
    uint32_t pivot, i;
    for (i = 0; i < rows->count; i++)
        if (row & rows->pivot[i]) row ^= rows->row[i];
    pivot = row & (0u - row);
    if (pivot > 4095) {
        rows->zero[rows->zeros++] = row;
        return;
    }
    for (i = 0; i < rows->count; i++)
        if (rows->row[i] & pivot) rows->row[i] ^= row;
    rows->row[rows->count] = row;
    rows->pivot[rows->count++] = pivot;
}

/* Returns coordinates with these parities, bit k of `odd` for condition k; 4096 if none have
   them. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_solve(const combgpu_seven_ultra_rows_t *rows,
                                                   uint32_t odd)
{
    uint32_t coordinates = 0, i;
    for (i = 0; i < rows->zeros; i++)
        if (COMBGPU__POPCOUNT((rows->zero[i] >> 12) & odd) & 1) return 4096;
    for (i = 0; i < rows->count; i++)
        if (COMBGPU__POPCOUNT((rows->row[i] >> 12) & odd) & 1) coordinates |= rows->pivot[i];
    return coordinates;
}

/* Writes the words of a base of all coordinates that keep the parities, at most 12. Returns their
   number. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_words(COMBGPU__GLOBAL const uint32_t *tables,
                                                   const combgpu_seven_ultra_rows_t *rows,
                                                   uint32_t *words)
{
    uint32_t others = 4095, bit, i, count = 0, at;
    for (i = 0; i < rows->count; i++)
        others ^= rows->pivot[i];
    for (; others; others &= others - 1) {
        at = bit = others & (0u - others);
        for (i = 0; i < rows->count; i++)
            if (rows->row[i] & bit) at |= rows->pivot[i];
        words[count++] = combgpu_seven_ultra_word(tables, at);
    }
    return count;
}

/* Returns the sum of the checksums of a square and its images, one of each class up to D4, in
   Frenicle form. */
COMBGPU__DEVICE uint64_t combgpu_seven_ultra_hash(COMBGPU__GLOBAL const uint32_t *tables,
                                                  const int32_t *value)
{
    COMBGPU__GLOBAL const uint32_t *cell = tables + COMBGPU__ULTRA_AT_CELL;
    uint64_t sum = 0;
    uint32_t g, i, k;
    for (g = 0; g < 6; g++, cell += 13) {
        uint64_t hash = COMBGPU__MAGIC_FNV_OFFSET;
        uint32_t number[49], best = 0, across, row, column;
        for (i = 0; i < 49; i++) {
            uint32_t at = (cell[i / 4] >> (8 * (i % 4))) & 255;
            number[i] = (uint32_t)(25 + (at < 24 ? value[at] : at == 24 ? 0 : -value[48 - at]));
        }
        for (i = 1; i < 4; i++)
            if (number[(i & 1) * 6 + (i >> 1) * 42] < number[(best & 1) * 6 + (best >> 1) * 42])
                best = i;
        across = number[(best & 2 ? 42 : 0) + (best & 1 ? 5 : 1)] >
                 number[(best & 2 ? 35 : 7) + (best & 1 ? 6 : 0)];
        for (i = 0; i < 49; i++) {
            row = across ? i % 7 : i / 7;
            column = across ? i / 7 : i % 7;
            k = (best & 2 ? 6 - row : row) * 7 + (best & 1 ? 6 - column : column);
            hash = (hash ^ number[k]) * COMBGPU__MAGIC_FNV_PRIME;
        }
        sum += hash;
    }
    return sum;
}

/* Nonzero if a square, as 24 values, is the least of its images that have the same origin. */
COMBGPU__DEVICE uint32_t combgpu_seven_ultra_is_least(COMBGPU__GLOBAL const uint32_t *tables,
                                                      uint64_t keep, const int32_t *value)
{
    uint64_t rest = keep;
    uint32_t i;
    for (; rest; rest &= rest - 1) {
        COMBGPU__GLOBAL const uint32_t *to =
            tables + COMBGPU__ULTRA_AT_IMAGE + 6 * combgpu_lowest_bit64(rest);
        int32_t image = 0;
        for (i = 0; i < 24; i++) {
            uint32_t from = to[i / 4] >> (8 * (i % 4));
            image = from & 128 ? -value[from & 31] : value[from & 31];
            if (image != value[i]) break;
        }
        if (i < 24 && image < value[i]) return 0;
    }
    return 1;
}

/* Takes a solution in 24 values that are 1 to 24 up to signs: counts it, or writes a record of 49
   numbers, a byte each. */
COMBGPU__DEVICE void combgpu_seven_ultra_square(COMBGPU__ULTRA_ARGUMENTS)
{
    int32_t value[24];
    uint32_t i, k, at;
    for (i = 0; i < 24; i++) {
        value[i] = -32 * (int32_t)((u->plane[5] >> i) & 1);
        for (k = 0; k < 5; k++)
            value[i] += (int32_t)((u->plane[k] >> i) & 1) << k;
    }
    if (!combgpu_seven_ultra_is_least(tables, u->keep, value)) return;
    u->number++;
    if (u->number <= u->from || u->number > u->to) return;
    if (!tables[COMBGPU__ULTRA_AT_LIST]) {
        u->hash += combgpu_seven_ultra_hash(tables, value);
        u->squares++;
        return;
    }
    at = combgpu_emit(slice);
    if (at == COMBGPU__NONE) {
        u->to = u->number - 1;
        return;
    }
    for (i = 0; i < 13; i++) {
        uint32_t word = 0;
        for (k = 0; k < 4 && 4 * i + k < 49; k++) {
            uint32_t cell = 4 * i + k;
            int32_t signed_value = cell < 24 ? value[cell] : cell == 24 ? 0 : -value[48 - cell];
            word |= (uint32_t)(25 + signed_value) << (8 * k);
        }
        records[13 * (uint64_t)at + i] = word;
    }
}

/* Checks whether the sums, 0 mod 64, of 24 values that are 1 to 24 up to signs are 0. */
COMBGPU__DEVICE void combgpu_seven_ultra_leaf(COMBGPU__ULTRA_ARGUMENTS)
{
    COMBGPU__GLOBAL const uint32_t *line = tables + COMBGPU__ULTRA_AT_LINE;
    uint32_t i, k;
    for (k = 0; k < COMBGPU__ULTRA_LINES; k++) {
        int32_t sum = 0;
        for (i = 0; i < 6; i++)
            sum += ((int32_t)COMBGPU__POPCOUNT(u->plane[i] & line[2 * k]) -
                    (int32_t)COMBGPU__POPCOUNT(u->plane[i] & line[2 * k + 1])) *
                   (i < 5 ? 1 << i : -32);
        if (sum) return;
    }
    combgpu_seven_ultra_square(slice, tables, records, u);
}

/* Plane 5: the sets of one to three cells, number 7 aside, and the solved conditions on it come from
   plane 4; `words` has `dimensions` words of a base. `known` has the cells whose values are
   known, which are not in the upright plane; of the two others of a set of three, one is. */
COMBGPU__DEVICE void combgpu_seven_ultra_plane5(COMBGPU__ULTRA_ARGUMENTS, const uint32_t *set,
                                                const combgpu_seven_ultra_rows_t *rows,
                                                const uint32_t *words, uint32_t dimensions,
                                                uint32_t upright, uint32_t known)
{
    uint32_t bit = combgpu_seven_ultra_bit(u->sum5, 5), x = bit ^ upright, odd = 0, word, i, k;
    for (k = 0; k < 9; k++)
        if (k != 7) odd |= ((COMBGPU__POPCOUNT(x & set[k]) & 1) ^ 1) << k;
    word = combgpu_seven_ultra_solve(rows, odd);
    if (word > 4095) return;
    word = combgpu_seven_ultra_word(tables, word);
    for (i = 1;; i++) {
        if (!((x ^ word) & known)) {
            u->plane[5] = bit ^ word;
            combgpu_seven_ultra_leaf(slice, tables, records, u);
        }
        if (i >> dimensions) return;
        word ^= words[COMBGPU__CTZ(i)];
    }
}

/* Plane 4: in each of seven sets of three, two cells are in the upright plane, or one; where it is
   one, the plane is turned over. `upright3` is the upright plane 3. */
COMBGPU__DEVICE void combgpu_seven_ultra_plane4(COMBGPU__ULTRA_ARGUMENTS, uint32_t upright3)
{
    uint32_t *p = u->plane;
    uint32_t odd1 = p[0] & ~(p[1] ^ p[2]), odd5 = p[0] & (p[1] ^ p[2]), two = ~p[0] & p[1];
    uint32_t four = ~p[0] & ~p[1] & p[2], eight = ~p[0] & ~p[1] & ~p[2] & 0xffffff;
    uint32_t set[9], turned, upright, all, bit, x, odd = 0, word, i, k, dimensions4, dimensions5;
    uint32_t words4[12], words5[12];
    combgpu_seven_ultra_rows_t rows4, rows5;
    set[0] = odd1 & ~upright3, set[1] = odd5 & ~upright3, set[2] = two & ~upright3;
    set[3] = odd1 & upright3, set[4] = odd5 & upright3, set[5] = two & upright3;
    set[6] = four, set[7] = eight & ~p[3], set[8] = eight & p[3];
    turned = set[3] | set[4] | set[5];
    all = p[0] | two | four;
    upright = (p[1] & p[0]) ^ (p[2] & two) ^ (p[3] & four) ^ turned;
    rows4.count = rows4.zeros = 0;
    for (k = 0; k < 7; k++)
        combgpu_seven_ultra_condition(tables, &rows4, k, set[k]);
    rows5 = rows4;
    combgpu_seven_ultra_condition(tables, &rows4, 7, set[7]);
    combgpu_seven_ultra_condition(tables, &rows5, 8, set[8]);
    bit = combgpu_seven_ultra_bit(u->sum4, 4), x = bit ^ upright;
    for (k = 0; k < 7; k++)
        odd |= (COMBGPU__POPCOUNT(x & set[k]) & 1) << k;
    odd |= (bit & set[7] ? 0u : 1u) << 7;
    word = combgpu_seven_ultra_solve(&rows4, odd);
    if (word > 4095) return;
    dimensions4 = combgpu_seven_ultra_words(tables, &rows4, words4);
    dimensions5 = combgpu_seven_ultra_words(tables, &rows5, words5);
    word = combgpu_seven_ultra_word(tables, word);
    for (i = 1;; i++) {
        uint32_t y = x ^ word;
        if ((y & set[0]) && (y & set[1]) && (y & set[2]) && (y & set[3]) && (y & set[4]) &&
            (y & set[5]) && (y & set[6])) {
            p[4] = bit ^ word;
            combgpu_seven_ultra_add(tables, u->sum5, u->sum4, combgpu_seven_ultra_at(word), 4);
            combgpu_seven_ultra_plane5(slice, tables, records, u, set, &rows5, words5, dimensions5,
                                       upright ^ (p[4] & set[8]), all & ~y);
        }
        if (i >> dimensions4) return;
        word ^= words4[COMBGPU__CTZ(i)];
    }
}

/* Plane 3: it halves three sets of six, and has two of the three values 8, 16 and 24. */
COMBGPU__DEVICE void combgpu_seven_ultra_plane3(COMBGPU__ULTRA_ARGUMENTS)
{
    uint32_t *p = u->plane;
    uint32_t two = ~p[0] & p[1], bit, upright = (p[1] & p[0]) ^ (p[2] & two), x, odd = 0, word, i,
             k, dimensions, set[4], words[12];
    combgpu_seven_ultra_rows_t rows;
    set[0] = p[0] & ~(p[1] ^ p[2]), set[1] = p[0] & (p[1] ^ p[2]), set[2] = two;
    set[3] = ~p[0] & ~p[1] & ~p[2] & 0xffffff;
    rows.count = rows.zeros = 0;
    bit = combgpu_seven_ultra_bit(u->sum3, 3);
    x = bit ^ upright;
    for (k = 0; k < 4; k++) {
        combgpu_seven_ultra_condition(tables, &rows, k, set[k]);
        odd |= ((COMBGPU__POPCOUNT(x & set[k]) & 1) ^ (k < 3 ? 1u : 0u)) << k;
    }
    word = combgpu_seven_ultra_solve(&rows, odd);
    if (word > 4095) return;
    dimensions = combgpu_seven_ultra_words(tables, &rows, words);
    word = combgpu_seven_ultra_word(tables, word);
    for (i = 1;; i++) {
        uint32_t y = x ^ word;
        if (COMBGPU__POPCOUNT(y & set[0]) == 3 && COMBGPU__POPCOUNT(y & set[1]) == 3 &&
            COMBGPU__POPCOUNT(y & set[2]) == 3 && (y & set[3])) {
            p[3] = bit ^ word;
            combgpu_seven_ultra_add(tables, u->sum4, u->sum3, combgpu_seven_ultra_at(word), 3);
            combgpu_seven_ultra_plane4(slice, tables, records, u, y);
        }
        if (i >> dimensions) return;
        word ^= words[COMBGPU__CTZ(i)];
    }
}

/* Searches a unit: planes 0 and 1 from its origin, plane 2 from each of its words. */
COMBGPU__DEVICE void combgpu_seven_ultra_unit(COMBGPU__ULTRA_ARGUMENTS, uint32_t unit)
{
    COMBGPU__GLOBAL const uint32_t *origin =
        tables + COMBGPU__ULTRA_AT_ORIGIN + COMBGPU__ULTRA_ORIGIN * (unit / COMBGPU__ULTRA_PARTS);
    uint32_t sum[6] = {0, 0, 0, 0, 0, 0}, i, bit, *p = u->plane;
    combgpu_seven_ultra_add(tables, sum, sum, origin[0] & 4095, 0);
    combgpu_seven_ultra_add(tables, sum, sum, origin[0] >> 12, 1);
    p[0] = combgpu_seven_ultra_bit(sum, 0);
    p[1] = combgpu_seven_ultra_bit(sum, 1);
    bit = combgpu_seven_ultra_bit(sum, 2);
    u->keep = combgpu_load64(origin + 1);
    for (i = 0; i < 4096 / COMBGPU__ULTRA_PARTS; i++) {
        uint32_t coordinates = unit % COMBGPU__ULTRA_PARTS * (4096 / COMBGPU__ULTRA_PARTS) + i;
        p[2] = bit ^ combgpu_seven_ultra_word(tables, coordinates);
        if (COMBGPU__POPCOUNT((p[2] ^ p[1]) & p[0]) != 6 ||
            COMBGPU__POPCOUNT(p[2] & ~p[0] & ~p[1]) != 3)
            continue;
        combgpu_seven_ultra_add(tables, u->sum3, sum, coordinates, 2);
        combgpu_seven_ultra_plane3(slice, tables, records, u);
    }
}

/* A task is a range of numbers of squares, which may begin and end within a unit. */
COMBGPU__KERNEL combgpu_magic_ultra(COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_seven_ultra_t u;
    uint32_t steps = 0;
    uint64_t number = 0, end = 0, unit;
    (void)work;
    u.hash = u.squares = 0;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    while (combgpu_in_range(slice, tasks, left, &number, &end, steps)) {
        unit = number / COMBGPU__ULTRA_NUMBERS;
        u.from = number;
        u.to = end;
        u.number = unit * COMBGPU__ULTRA_NUMBERS;
        combgpu_seven_ultra_unit(slice, tables, records, &u, (uint32_t)unit);
        if (u.to > number && number % COMBGPU__ULTRA_NUMBERS == 0) steps++;
        number = (unit + 1) * COMBGPU__ULTRA_NUMBERS;
        if (number > u.to) number = u.to; /* the range ends here, or records found no room */
    }
    if (steps) combgpu_add_total(slice, 0, steps);
    if (!u.squares) return;
    combgpu_add_total(slice, COMBGPU__MAGIC_HASH, u.hash);
    combgpu_add_total(slice, COMBGPU__MAGIC_LIFTED, u.squares);
}
