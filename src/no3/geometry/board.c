/* No-three-in-line: boards as rows of bits, and the 8 symmetries of the square. */

#define COMBGPU__NO3_BOARD COMBGPU_NO3_BOARD_WORDS

/* The words of a board of side n. */
COMBGPU__PRIVATE int combgpu__no3_board_words(int n)
{
    return n * COMBGPU_NO3_ROW_WORDS(n);
}

COMBGPU__PRIVATE int combgpu__no3_has(int n, const uint64_t *rows, int x, int y)
{
    return (int)(rows[y * COMBGPU_NO3_ROW_WORDS(n) + (x >> 6)] >> (x & 63) & 1);
}

COMBGPU__PRIVATE void combgpu__no3_put_point(int n, uint64_t *rows, int x, int y)
{
    rows[y * COMBGPU_NO3_ROW_WORDS(n) + (x >> 6)] |= UINT64_C(1) << (x & 63);
}

/* Returns the first column from x on with a point in row y; n or more if none has. */
COMBGPU__PRIVATE int combgpu__no3_next(int n, const uint64_t *rows, int x, int y)
{
    while (x < n) {
        uint64_t rest = rows[y * COMBGPU_NO3_ROW_WORDS(n) + (x >> 6)] >> (x & 63);
        if (rest) return x + combgpu__lowest_bit64(rest);
        x = (x | 63) + 1;
    }
    return x;
}

COMBGPU__PRIVATE int combgpu__no3_row_points(int n, const uint64_t *rows, int y)
{
    int words = COMBGPU_NO3_ROW_WORDS(n);
    return combgpu__popcount64(rows[y * words]) +
           (words > 1 ? combgpu__popcount64(rows[y * words + 1]) : 0);
}

/* Returns a column from n on in which row y has a point; -1 if none has. */
COMBGPU__PRIVATE int combgpu__no3_outside(int n, const uint64_t *rows, int y)
{
    int words = COMBGPU_NO3_ROW_WORDS(n);
    uint64_t rest = n % 64 ? rows[y * words + words - 1] >> n % 64 : 0;
    return rest ? n + combgpu__lowest_bit64(rest) : -1;
}

/* Moves a point to its image: bit 2 of `map` swaps x and y, then bit 1 mirrors x, bit 0 y. */
COMBGPU__INLINE void combgpu__no3_map_point(int n, int map, int *x, int *y)
{
    int to_x = map & 4 ? *y : *x, to_y = map & 4 ? *x : *y;
    *x = map & 2 ? n - 1 - to_x : to_x;
    *y = map & 1 ? n - 1 - to_y : to_y;
}

/* Makes the image of a board. */
COMBGPU__PRIVATE void combgpu__no3_image(int n, int map, const uint64_t *rows, uint64_t *out)
{
    int x, y;
    memset(out, 0, (size_t)combgpu__no3_board_words(n) * sizeof *out);
    for (y = 0; y < n; y++)
        for (x = combgpu__no3_next(n, rows, 0, y); x < n;
             x = combgpu__no3_next(n, rows, x + 1, y)) {
            int to_x = x, to_y = y;
            combgpu__no3_map_point(n, map, &to_x, &to_y);
            combgpu__no3_put_point(n, out, to_x, to_y);
        }
}

/* Compares rows as numbers, first row first: < 0, 0 or > 0. */
COMBGPU__PRIVATE int combgpu__no3_compare(int n, const uint64_t *a, const uint64_t *b)
{
    int words = COMBGPU_NO3_ROW_WORDS(n), y, i;
    for (y = 0; y < n; y++)
        for (i = words; i-- > 0;)
            if (a[y * words + i] != b[y * words + i])
                return a[y * words + i] < b[y * words + i] ? -1 : 1;
    return 0;
}

/* Returns a mask of the maps whose image is the board itself. */
COMBGPU__PRIVATE unsigned combgpu__no3_same(int n, const uint64_t *rows)
{
    uint64_t image[COMBGPU__NO3_BOARD];
    unsigned same = 1;
    int map;
    for (map = 1; map < 8; map++) {
        combgpu__no3_image(n, map, rows, image);
        if (!combgpu__no3_compare(n, rows, image)) same |= 1u << map;
    }
    return same;
}

/* The class of a board whose maps to itself are `same`. */
COMBGPU__PRIVATE combgpu_no3_class combgpu__no3_class(int n, const uint64_t *rows, unsigned same)
{
    uint64_t off[COMBGPU__NO3_BOARD], turned[COMBGPU__NO3_BOARD];
    int y, x;
    switch (same) {
    case 0x01:
        return COMBGPU_NO3_IDEN;
    case 0x11: /* swap */
    case 0x81: /* swap and mirror both */
        return COMBGPU_NO3_DIA1;
    case 0x03:
    case 0x05:
        return COMBGPU_NO3_ORT1;
    case 0x99:
        return COMBGPU_NO3_DIA2;
    case 0x69:
        return COMBGPU_NO3_ROT4;
    case 0x0f:
        return COMBGPU_NO3_ORT2;
    case 0xff:
        return COMBGPU_NO3_FULL;
    }
    if (n % 2 == 0) return COMBGPU_NO3_ROT2;
    memset(off, 0, sizeof off);
    for (y = 0; y < n; y++)
        for (x = combgpu__no3_next(n, rows, 0, y); x < n; x = combgpu__no3_next(n, rows, x + 1, y))
            if (x != y && x != n - 1 - y) combgpu__no3_put_point(n, off, x, y);
    combgpu__no3_image(n, 5, off, turned);
    return combgpu__no3_compare(n, off, turned) ? COMBGPU_NO3_ROT2 : COMBGPU_NO3_NEAR_ROT4;
}

/* Finds three points in line: first in single rows; then each row has at most two points. */
COMBGPU__PRIVATE int combgpu__no3_find_line(int n, const uint64_t *rows, int *line_x, int *line_y)
{
    int x[2 * 127 + 3], y[2 * 127 + 3], count = 0, row, a, b, c, i;
    for (row = 0; row < n; row++) {
        int first = count, at = combgpu__no3_next(n, rows, 0, row);
        for (; at < n && count - first < 3; at = combgpu__no3_next(n, rows, at + 1, row)) {
            x[count] = at;
            y[count++] = row;
        }
        if (count - first < 3) continue;
        for (i = 0; i < 3; i++)
            line_x[i] = x[first + i], line_y[i] = row;
        return 1;
    }
    for (a = 0; a < count; a++)
        for (b = a + 1; b < count; b++)
            for (c = b + 1; c < count; c++) {
                if (!combgpu__no3_in_line(x[b] - x[a], y[b] - y[a], x[c] - x[a], y[c] - y[a]))
                    continue;
                line_x[0] = x[a], line_x[1] = x[b], line_x[2] = x[c];
                line_y[0] = y[a], line_y[1] = y[b], line_y[2] = y[c];
                return 1;
            }
    return 0;
}

COMBGPU__DEF const char *combgpu_no3_class_string(combgpu_no3_class symmetry)
{
    static const char *const names[COMBGPU_NO3_CLASS_COUNT] = {
        "all", "iden", "dia1", "ort1", "rot2", "near_rot4", "dia2", "rot4", "ort2", "full"};
    if ((int)symmetry < 0 || symmetry >= COMBGPU_NO3_CLASS_COUNT) return "unknown class";
    return names[symmetry];
}
