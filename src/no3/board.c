/* ---- boards as rows, and the 8 symmetries: bit 2 of a map swaps x and y, then bit 1 mirrors x, then
   bit 0 mirrors y */

COMBGPU__PRIVATE void combgpu__no3_image(int n, int map, const uint64_t *rows, uint64_t *out)
{
    int x, y;
    for (y = 0; y < n; y++)
        out[y] = 0;
    for (y = 0; y < n; y++) {
        uint64_t rest = rows[y];
        for (; rest; rest &= rest - 1) {
            int to_x, to_y;
            x = combgpu__lowest_bit64(rest);
            to_x = map & 4 ? y : x;
            to_y = map & 4 ? x : y;
            if (map & 2) to_x = n - 1 - to_x;
            if (map & 1) to_y = n - 1 - to_y;
            out[to_y] |= UINT64_C(1) << to_x;
        }
    }
}

/* Rows as numbers, first row first: < 0, 0 or > 0. */
COMBGPU__PRIVATE int combgpu__no3_compare(int n, const uint64_t *a, const uint64_t *b)
{
    int y;
    for (y = 0; y < n; y++)
        if (a[y] != b[y]) return a[y] < b[y] ? -1 : 1;
    return 0;
}

/* All 8 images; the result has bit `map` set where the image is the board itself. */
COMBGPU__PRIVATE unsigned combgpu__no3_images(int n, const uint64_t *rows, uint64_t images[8][64])
{
    unsigned same = 0;
    int map;
    for (map = 0; map < 8; map++) {
        combgpu__no3_image(n, map, rows, images[map]);
        if (!combgpu__no3_compare(n, rows, images[map])) same |= 1u << map;
    }
    return same;
}

/* The class of a board that the maps of `same` keep. */
COMBGPU__PRIVATE combgpu_no3_class combgpu__no3_class(int n, const uint64_t *rows, unsigned same)
{
    uint64_t off[64], turned[64];
    int y;
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
    for (y = 0; y < n; y++)
        off[y] = rows[y] & ~(UINT64_C(1) << y | UINT64_C(1) << (n - 1 - y));
    combgpu__no3_image(n, 5, off, turned);
    return combgpu__no3_compare(n, off, turned) ? COMBGPU_NO3_ROT2 : COMBGPU_NO3_NEAR_ROT4;
}

/* The smallest of the images that `of` has a bit for, at least the board itself. */
COMBGPU__PRIVATE const uint64_t *combgpu__no3_smallest(int n, uint64_t images[8][64], unsigned of)
{
    int map, best = 0;
    for (map = 1; map < 8; map++)
        if (of >> map & 1 && combgpu__no3_compare(n, images[map], images[best]) < 0) best = map;
    return images[best];
}

/* Looks for three points in line: first in one row, so that few points are left to compare. */
COMBGPU__PRIVATE int combgpu__no3_find_line(int n, const uint64_t *rows, int *line_x, int *line_y)
{
    int x[2 * 63 + 3], y[2 * 63 + 3], count = 0, row, a, b, c, i;
    for (row = 0; row < n; row++) {
        uint64_t rest = rows[row];
        int first = count;
        for (; rest && count - first < 3; rest &= rest - 1) {
            x[count] = combgpu__lowest_bit64(rest);
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
                if ((x[b] - x[a]) * (y[c] - y[a]) != (y[b] - y[a]) * (x[c] - x[a])) continue;
                line_x[0] = x[a], line_x[1] = x[b], line_x[2] = x[c];
                line_y[0] = y[a], line_y[1] = y[b], line_y[2] = y[c];
                return 1;
            }
    return 0;
}

