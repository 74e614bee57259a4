/* Lists series, sets of numbers with a given sum, and the ways to put two of them on the
   diagonals. */

/* Writes the sets of `size` numbers from `least` to `most` that add up to `sum`, in lexicographic
   order, each joined with the numbers of `with`. Returns the end of `out`. */
COMBGPU__PRIVATE uint64_t *combgpu__magic_series(int size, int least, int most, int sum,
                                                 uint64_t with, uint64_t *out)
{
    int v;
    if (size == 1) {
        if (least <= sum && sum <= most) *out++ = with | UINT64_C(1) << sum;
        return out;
    }
    for (v = least; v * size < sum; v++)
        out = combgpu__magic_series(size - 1, v + 1, most, sum - v, with | UINT64_C(1) << v, out);
    return out;
}

/* Packs a set of 4 numbers, 5 bits each. */
COMBGPU__PRIVATE uint32_t combgpu__magic_packed(uint64_t set)
{
    uint32_t packed = 0;
    int shift;
    for (shift = 0; set; shift += 5, set &= set - 1)
        packed |= (uint32_t)combgpu__lowest_bit64(set) << shift;
    return packed;
}

/* Makes the ways to put a pair on the diagonals. Opposite cells take A[0] and A[s + 1] (outer: a00,
   a44), then the other two in order (inner: a11, a33). B likewise takes one of 6 pairs (a04, a40),
   then the other two in both orders (a13, a31). */
COMBGPU__PRIVATE void combgpu__magic_ways(uint32_t *way)
{
    static const unsigned char split[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
    static const unsigned char outer[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                              {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    uint32_t w;
    for (w = 0; w < COMBGPU__MAGIC_WAYS; w++) {
        const unsigned char *a = split[w / 12], *b = outer[w / 2 % 6];
        uint32_t a00 = a[0], a44 = a[1], a11 = a[2], a33 = a[3];
        uint32_t b04 = b[0], b40 = b[1], b13 = b[2 + w % 2], b31 = b[3 - w % 2];
        way[w] = (4 * a00 + b04) | (4 * a44 + b40) << 4 | (4 * a11 + b31) << 8 |
                 (4 * a33 + b13) << 12 | (4 * a00 + b40) << 16 | (4 * a44 + b04) << 20 |
                 (4 * a11 + b13) << 24 | (4 * a33 + b31) << 28;
    }
}
