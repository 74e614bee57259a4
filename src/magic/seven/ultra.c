/* Counts and lists ultramagic squares of order 7 by lifting values from mod 4 to mod 64. */

/* The numbers of opposite cells, less 25, are v and -v, so the 24 *values* of cells 0 to 23 make a
   square: they are 1 to 24 up to signs, and the lines are 12 linear equations over them. A *word* is
   a set of cells, bit i for cell i. *Plane* k of a square is the word of bit k of the values, in
   two's complement. Mod 2 the equations have 4096 words as solutions, mod 64 the solutions are sums
   of 12 *coordinates* times vectors. The coordinates are the values of 12 of the cells.

   A solution mod 2^k lifts to 4096 solutions mod 2^(k+1): plane k is a word that the planes below
   decide, plus any of the 4096. The possible ones are known: half of the values are odd; of these,
   half are 1 or 7 mod 8, the others 3 or 5; of the former, half are 1 or 15 mod 16; and so on. The
   sign of an odd value is in plane 1, that of twice an odd value in plane 2, and so on; a plane is
   *upright* once the bits of negative values are inverted. So a few sets of cells have a known
   size, and thus parity, in the upright plane. For planes 2, 3, 4 and 5 these are 2, 4, 8 and 8
   conditions, linear mod 2, on 12 coordinates.

   A class of solutions mod 4 under the 48 symmetries of the kind is an *origin*: 12,302, each given
   by its least member. They lift to 3.7e6 solutions mod 8, 1.7e8 mod 16, 3.7e8 mod 32 and 4.6e7 mod
   64, and one in 14 of these is a square. If m symmetries keep an origin, the squares above it come
   in sets of m, of which the least counts.

   A step is a *unit*: an origin and 8 of the 4096 words for plane 2. In the ranges of tasks, square
   i above a unit is number 64 unit + i, so a task may end within a unit. No unit has 64 squares. */

typedef struct combgpu__seven_ultra_sum {
    uint64_t part[3]; /* 24 bytes: values mod 64 */
} combgpu__seven_ultra_sum;

/* Linear conditions on coordinates, solved: each row has a bit, its pivot, that no other row has.
   From bit 12 on a row lists the conditions that it sums. */
typedef struct combgpu__seven_ultra_rows {
    uint32_t row[8], pivot[8];
    uint32_t zero[8]; /* rows without coordinates: conditions that depend on each other */
    int count, zeros;
} combgpu__seven_ultra_rows;

/* The state above a unit. */
typedef struct combgpu__seven_ultra {
    const uint32_t *tables;
    combgpu__worker *worker;
    uint64_t keep;     /* symmetries other than the identity that keep the origin */
    uint64_t from, to; /* of numbers */
    uint64_t number;   /* of the next square */
    uint64_t full;     /* the first number without room for its record; or `to` */
    uint32_t plane[6];
    combgpu__seven_ultra_sum sum[6]; /* [k]: of the coordinates, without those for plane k on */
} combgpu__seven_ultra;

/* The coordinates are the values of cells 0 to 5 and 7 to 12; so they stand in words, too. */
COMBGPU__INLINE uint32_t combgpu__seven_ultra_at(uint32_t word)
{
    return (word & 63) | (word >> 1 & 0xfc0);
}

/* The word of 12 coordinates mod 2. */
COMBGPU__INLINE uint32_t combgpu__seven_ultra_word(const uint32_t *tables, uint32_t coordinates)
{
    return tables[COMBGPU__ULTRA_AT_WORD + (coordinates & 63)] ^
           tables[COMBGPU__ULTRA_AT_WORD + 64 + (coordinates >> 6)];
}

/* Adds vectors times 2^shift, mod 64. */
COMBGPU__INLINE void combgpu__seven_ultra_add(const uint32_t *tables, combgpu__seven_ultra_sum *sum,
                                              uint32_t coordinates, int shift)
{
    const uint32_t *a = tables + COMBGPU__ULTRA_AT_SUM + 6 * (coordinates & 63);
    const uint32_t *b = tables + COMBGPU__ULTRA_AT_SUM + 6 * (64 + (coordinates >> 6));
    const uint64_t ones = UINT64_C(0x0101010101010101), fits = ones * (63u >> shift);
    int i;
    for (i = 0; i < 3; i++) {
        uint64_t more = (combgpu__get64(a + 2 * i) + combgpu__get64(b + 2 * i)) & fits;
        sum->part[i] = (sum->part[i] + (more << shift)) & ones * 63;
    }
}

/* Returns the word of bit k of the values. */
COMBGPU__INLINE uint32_t combgpu__seven_ultra_bit(const combgpu__seven_ultra_sum *sum, int k)
{
    uint32_t word = 0;
    int i;
    for (i = 0; i < 3; i++)
        word |= (uint32_t)((sum->part[i] >> k & UINT64_C(0x0101010101010101)) *
                               UINT64_C(0x0102040810204080) >>
                           56)
                << 8 * i;
    return word;
}

/* Adds condition number k: an even or odd number of these cells is in the word. */
COMBGPU__INLINE void combgpu__seven_ultra_condition(const uint32_t *tables,
                                                    combgpu__seven_ultra_rows *rows, int k,
                                                    uint32_t cells)
{
    const uint32_t *part = tables + COMBGPU__ULTRA_AT_ROW;
    uint32_t row = part[cells & 63] ^ part[64 + (cells >> 6 & 63)] ^
                   part[128 + (cells >> 12 & 63)] ^ part[192 + (cells >> 18)] ^ 4096u << k;
    uint32_t pivot;
    int i;
    for (i = 0; i < rows->count; i++)
        row ^= rows->row[i] & (0u - (uint32_t)((row & rows->pivot[i]) != 0));
    pivot = row & (0u - row);
    if (pivot > 4095) {
        rows->zero[rows->zeros++] = row;
        return;
    }
    for (i = 0; i < rows->count; i++)
        rows->row[i] ^= row & (0u - (uint32_t)((rows->row[i] & pivot) != 0));
    rows->row[rows->count] = row;
    rows->pivot[rows->count++] = pivot;
}

/* Returns coordinates with these parities, bit k of `odd` for condition k; 4096 if none have
   them. */
COMBGPU__INLINE uint32_t combgpu__seven_ultra_solve(const combgpu__seven_ultra_rows *rows,
                                                    uint32_t odd)
{
    uint32_t coordinates = 0;
    int i;
    for (i = 0; i < rows->zeros; i++)
        if (combgpu__parity64(rows->zero[i] >> 12 & odd)) return 4096;
    for (i = 0; i < rows->count; i++)
        coordinates |= rows->pivot[i] & (0u - combgpu__parity64(rows->row[i] >> 12 & odd));
    return coordinates;
}

/* Writes the words of a base of the coordinates that keep all parities. Returns their number. */
COMBGPU__INLINE int combgpu__seven_ultra_words(const uint32_t *tables,
                                               const combgpu__seven_ultra_rows *rows,
                                               uint32_t *words)
{
    uint32_t others = 4095, bit, at;
    int i, count = 0;
    for (i = 0; i < rows->count; i++)
        others ^= rows->pivot[i];
    for (; others; others &= others - 1) {
        at = bit = others & (0u - others);
        for (i = 0; i < rows->count; i++)
            at |= rows->pivot[i] & (0u - (uint32_t)((rows->row[i] & bit) != 0));
        words[count++] = combgpu__seven_ultra_word(tables, at);
    }
    return count;
}

/* Returns the value of a cell, -32 to 31. */
COMBGPU__INLINE int combgpu__seven_ultra_value(const uint32_t *plane, int cell)
{
    int k, value = -32 * (int)(plane[5] >> cell & 1);
    for (k = 0; k < 5; k++)
        value += (int)(plane[k] >> cell & 1) << k;
    return value;
}

/* Adds the checksums of a square and its images, one of each class. */
COMBGPU__PRIVATE uint64_t combgpu__seven_ultra_hash(const uint32_t *tables,
                                                    const unsigned char *square)
{
    const uint32_t *cell = tables + COMBGPU__ULTRA_AT_CELL;
    uint64_t hash = 0;
    unsigned char bytes[49];
    int form[49], g, i;
    for (g = 0; g < 6; g++, cell += 13) {
        for (i = 0; i < 49; i++)
            form[i] = square[cell[i / 4] >> 8 * (i % 4) & 255];
        combgpu__magic_to_frenicle(7, form);
        for (i = 0; i < 49; i++)
            bytes[i] = (unsigned char)form[i];
        hash += combgpu__fnv(COMBGPU__FNV_OFFSET, bytes, 49);
    }
    return hash;
}

/* Returns whether a square is the least of its images that have the same origin. */
COMBGPU__PRIVATE int combgpu__seven_ultra_is_least(const combgpu__seven_ultra *u, const int *value)
{
    uint64_t left = u->keep;
    for (; left; left &= left - 1) {
        const uint32_t *to = u->tables + COMBGPU__ULTRA_AT_IMAGE + 6 * combgpu__lowest_bit64(left);
        int i, image = 0;
        for (i = 0; i < 24; i++) {
            uint32_t from = to[i / 4] >> 8 * (i % 4);
            image = from & 128 ? -value[from & 31] : value[from & 31];
            if (image != value[i]) break;
        }
        if (i < 24 && image < value[i]) return 0;
    }
    return 1;
}

/* Takes a solution in 24 values that are 1 to 24 up to signs. */
COMBGPU__PRIVATE void combgpu__seven_ultra_square(combgpu__seven_ultra *u)
{
    int value[24], i;
    unsigned char square[52] = {0};
    uint32_t record[13];
    for (i = 0; i < 24; i++)
        value[i] = combgpu__seven_ultra_value(u->plane, i);
    if (!combgpu__seven_ultra_is_least(u, value)) return;
    u->number++;
    if (u->number <= u->from || u->number > u->full) return;
    for (i = 0; i < 24; i++) {
        square[i] = (unsigned char)(25 + value[i]);
        square[48 - i] = (unsigned char)(25 - value[i]);
    }
    square[24] = 25;
    if (!u->tables[COMBGPU__ULTRA_AT_LIST]) {
        u->worker->totals[COMBGPU__MAGIC_HASH] += combgpu__seven_ultra_hash(u->tables, square);
        u->worker->totals[COMBGPU__MAGIC_LIFTED]++;
        return;
    }
    for (i = 0; i < 13; i++)
        record[i] = square[4 * i] | (uint32_t)square[4 * i + 1] << 8 |
                    (uint32_t)square[4 * i + 2] << 16 | (uint32_t)square[4 * i + 3] << 24;
    if (!combgpu__emit(u->worker, record)) u->full = u->number - 1;
}

/* Checks 24 values that are 1 to 24 up to signs, with sums that are 0 mod 64. */
COMBGPU__INLINE void combgpu__seven_ultra_leaf(combgpu__seven_ultra *u)
{
    const uint32_t *line = u->tables + COMBGPU__ULTRA_AT_LINE;
    int i, k;
    for (k = 0; k < COMBGPU__ULTRA_LINES; k++) {
        int sum = 0;
        for (i = 0; i < 6; i++)
            sum += (combgpu__popcount64(u->plane[i] & line[2 * k]) -
                    combgpu__popcount64(u->plane[i] & line[2 * k + 1])) *
                   (i < 5 ? 1 << i : -32);
        if (sum) return;
    }
    combgpu__seven_ultra_square(u);
}

/* Plane 5, below which all sets of one to three cells are known (set: seven of three cells, {16},
   {8, 24}). `known` has the cells whose values are known, which are not in the upright plane; of the
   two others of a set of three, one is. */
COMBGPU__INLINE void combgpu__seven_ultra_plane5(combgpu__seven_ultra *u, const uint32_t *set,
                                                 const combgpu__seven_ultra_rows *rows,
                                                 const uint32_t *words, int dimensions,
                                                 uint32_t upright, uint32_t known)
{
    uint32_t bit = combgpu__seven_ultra_bit(&u->sum[5], 5), x = bit ^ upright, odd = 0, word, i;
    int k;
    for (k = 0; k < 7; k++)
        odd |= (combgpu__parity64(x & set[k]) ^ 1) << k;
    odd |= (combgpu__parity64(x & set[8]) ^ 1) << 8;
    word = combgpu__seven_ultra_solve(rows, odd);
    if (word > 4095) return;
    word = combgpu__seven_ultra_word(u->tables, word);
    for (i = 1;; i++) {
        if (!((x ^ word) & known)) {
            u->plane[5] = bit ^ word;
            combgpu__seven_ultra_leaf(u);
        }
        if (i >> dimensions) return;
        word ^= words[combgpu__lowest_bit64(i)];
    }
}

/* Plane 4: in each of seven sets of three, two cells are in the upright plane, or one; where it is
   one, the plane is turned over. */
COMBGPU__INLINE void combgpu__seven_ultra_plane4(combgpu__seven_ultra *u, uint32_t upright3)
{
    const uint32_t *p = u->plane, *tables = u->tables;
    uint32_t odd1 = p[0] & ~(p[1] ^ p[2]), odd5 = p[0] & (p[1] ^ p[2]), two = ~p[0] & p[1];
    uint32_t four = ~p[0] & ~p[1] & p[2], eight = ~p[0] & ~p[1] & ~p[2] & 0xffffff;
    uint32_t set[9], turned, upright, all = 0, bit, x, odd = 0, word, i;
    uint32_t words[2][12]; /* of planes 4 and 5, as below */
    combgpu__seven_ultra_rows rows[2];
    int k, dimensions[2];
    set[0] = odd1 & ~upright3, set[1] = odd5 & ~upright3, set[2] = two & ~upright3;
    set[3] = odd1 & upright3, set[4] = odd5 & upright3, set[5] = two & upright3;
    set[6] = four, set[7] = eight & ~p[3], set[8] = eight & p[3];
    turned = set[3] | set[4] | set[5];
    upright = (p[1] & p[0]) ^ (p[2] & two) ^ (p[3] & four) ^ turned;
    memset(rows, 0, sizeof rows[0]); /* all of it: gcc 14 misjudges which rows are read */
    for (k = 0; k < 9; k++) {
        if (k < 7) all |= set[k];
        if (k == 7) rows[1] = rows[0];
        combgpu__seven_ultra_condition(tables, &rows[k == 8], k, set[k]);
    }
    bit = combgpu__seven_ultra_bit(&u->sum[4], 4), x = bit ^ upright;
    for (k = 0; k < 7; k++)
        odd |= combgpu__parity64(x & set[k]) << k;
    odd |= (uint32_t) !(bit & set[7]) << 7;
    word = combgpu__seven_ultra_solve(&rows[0], odd);
    if (word > 4095) return;
    for (k = 0; k < 2; k++)
        dimensions[k] = combgpu__seven_ultra_words(tables, &rows[k], words[k]);
    word = combgpu__seven_ultra_word(tables, word);
    for (i = 1;; i++) {
        uint32_t y = x ^ word;
        if ((y & set[0]) && (y & set[1]) && (y & set[2]) && (y & set[3]) && (y & set[4]) &&
            (y & set[5]) && (y & set[6])) {
            u->plane[4] = bit ^ word;
            u->sum[5] = u->sum[4];
            combgpu__seven_ultra_add(tables, &u->sum[5], combgpu__seven_ultra_at(word), 4);
            combgpu__seven_ultra_plane5(u, set, &rows[1], words[1], dimensions[1],
                                        upright ^ (u->plane[4] & set[8]), all & ~y);
        }
        if (i >> dimensions[0]) return;
        word ^= words[0][combgpu__lowest_bit64(i)];
    }
}

/* Plane 3: it halves three sets of six, and has two of the three values 8, 16 and 24. */
COMBGPU__INLINE void combgpu__seven_ultra_plane3(combgpu__seven_ultra *u)
{
    const uint32_t *p = u->plane, *tables = u->tables;
    uint32_t two = ~p[0] & p[1], bit, upright = (p[1] & p[0]) ^ (p[2] & two), x, odd = 0, word, i;
    uint32_t set[4], words[12];
    combgpu__seven_ultra_rows rows;
    int k, dimensions;
    set[0] = p[0] & ~(p[1] ^ p[2]), set[1] = p[0] & (p[1] ^ p[2]), set[2] = two;
    set[3] = ~p[0] & ~p[1] & ~p[2] & 0xffffff;
    memset(&rows, 0, sizeof rows);
    bit = combgpu__seven_ultra_bit(&u->sum[3], 3);
    x = bit ^ upright;
    for (k = 0; k < 4; k++) {
        combgpu__seven_ultra_condition(tables, &rows, k, set[k]);
        odd |= (combgpu__parity64(x & set[k]) ^ (uint32_t)(k < 3)) << k;
    }
    word = combgpu__seven_ultra_solve(&rows, odd);
    if (word > 4095) return;
    dimensions = combgpu__seven_ultra_words(tables, &rows, words);
    word = combgpu__seven_ultra_word(tables, word);
    for (i = 1;; i++) {
        uint32_t y = x ^ word;
        if (combgpu__popcount64(y & set[0]) == 3 && combgpu__popcount64(y & set[1]) == 3 &&
            combgpu__popcount64(y & set[2]) == 3 && (y & set[3])) {
            u->plane[3] = bit ^ word;
            u->sum[4] = u->sum[3];
            combgpu__seven_ultra_add(tables, &u->sum[4], combgpu__seven_ultra_at(word), 3);
            combgpu__seven_ultra_plane4(u, y);
        }
        if (i >> dimensions) return;
        word ^= words[combgpu__lowest_bit64(i)];
    }
}

/* Searches a unit: planes 0 and 1 from its origin, plane 2 from each of its words. */
COMBGPU__INLINE void combgpu__seven_ultra_unit(combgpu__seven_ultra *u, uint32_t unit)
{
    const uint32_t *tables = u->tables;
    const uint32_t *origin =
        tables + COMBGPU__ULTRA_AT_ORIGIN + COMBGPU__ULTRA_ORIGIN * (unit / COMBGPU__ULTRA_PARTS);
    combgpu__seven_ultra_sum sum = {{0, 0, 0}};
    uint32_t i, bit, *p = u->plane;
    combgpu__seven_ultra_add(tables, &sum, origin[0] & 4095, 0);
    combgpu__seven_ultra_add(tables, &sum, origin[0] >> 12, 1);
    p[0] = combgpu__seven_ultra_bit(&sum, 0);
    p[1] = combgpu__seven_ultra_bit(&sum, 1);
    bit = combgpu__seven_ultra_bit(&sum, 2);
    u->keep = combgpu__get64(origin + 1);
    for (i = 0; i < 4096 / COMBGPU__ULTRA_PARTS; i++) {
        uint32_t coordinates = unit % COMBGPU__ULTRA_PARTS * (4096 / COMBGPU__ULTRA_PARTS) + i;
        p[2] = bit ^ combgpu__seven_ultra_word(tables, coordinates);
        if (combgpu__popcount64((p[2] ^ p[1]) & p[0]) != 6 ||
            combgpu__popcount64(p[2] & ~p[0] & ~p[1]) != 3)
            continue;
        u->sum[3] = sum;
        combgpu__seven_ultra_add(tables, &u->sum[3], coordinates, 2);
        combgpu__seven_ultra_plane3(u);
    }
}

COMBGPU__INLINE void combgpu__seven_ultra_body(combgpu__worker *worker)
{
    const uint32_t *task;
    combgpu__seven_ultra u;
    u.tables = worker->tables;
    u.worker = worker;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t number = combgpu__get64(task), end = combgpu__get64(task + 2);
        while (number < end && !combgpu__spent(worker)) {
            u.from = number;
            u.to = u.full = end;
            u.number = number / COMBGPU__ULTRA_NUMBERS * COMBGPU__ULTRA_NUMBERS;
            combgpu__seven_ultra_unit(&u, (uint32_t)(number / COMBGPU__ULTRA_NUMBERS));
            if (u.full > number) worker->totals[0] += number % COMBGPU__ULTRA_NUMBERS == 0;
            number = (number / COMBGPU__ULTRA_NUMBERS + 1) * COMBGPU__ULTRA_NUMBERS;
            if (u.full < end) {
                number = u.full;
                break;
            }
        }
        if (number >= end) continue;
        combgpu__give_range(worker, number, end);
        return;
    }
}

COMBGPU__SOLVER_FORMS(combgpu__seven_ultra_solver, combgpu__seven_ultra_body)
