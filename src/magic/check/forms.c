/* ========================== SECTION 21: magic squares, normal forms, estimates and order 6 == */

/* Finds the images of a magic square and its normal forms. */

/* Checks the arguments as combgpu__magic_check_order does, and that `out` is not `square`. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_image(combgpu_context *ctx, int order,
                                                           int most, const int *square,
                                                           const int *out)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 1, most, square, out, "out");
    if (!status && square == out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "out is the same array as square; it must be another");
    return status;
}

COMBGPU__DEF combgpu_status combgpu_magic_symmetry(combgpu_context *ctx, int order,
                                                   const int *square, int symmetry, int *out)
{
    combgpu_status status = combgpu__magic_check_image(ctx, order, 10000, square, out);
    size_t n = (size_t)order, i, j;
    if (status) return status;
    if (symmetry < 0 || symmetry > 7)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "symmetry is %d; it may be 0 to 7",
                             symmetry);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            out[i * n + j] = square[combgpu__magic_image(n, symmetry, i, j)];
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_magic_m_count(combgpu_context *ctx, int order, uint64_t *count)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 1, 33, count, count, "count");
    int h;
    if (status) return status;
    for (*count = 1, h = 1; h <= order / 2; h++)
        *count *= 2 * (uint64_t)h;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_magic_m_transform(combgpu_context *ctx, int order,
                                                      const int *square, uint64_t index, int *out)
{
    combgpu_status status = combgpu__magic_check_image(ctx, order, 33, square, out);
    size_t n = (size_t)order, p[33], free_rows[16], i, j, half = n / 2;
    uint64_t count = 1, rest = index;
    if (status) return status;
    status = combgpu_magic_m_count(ctx, order, &count);
    if (!status && index >= count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "index is %llu; with order %d it may be 0 to %llu",
                             (unsigned long long)index, order, (unsigned long long)(count - 1));
    for (i = 0; i < half; i++)
        free_rows[i] = i;
    p[half] = half; /* the middle of an odd order */
    for (i = 0; i < half; i++) {
        uint64_t choices = 2 * (uint64_t)(half - i), k = rest % choices;
        size_t row = free_rows[k / 2];
        rest /= choices;
        for (j = (size_t)(k / 2); j + 1 < half - i; j++)
            free_rows[j] = free_rows[j + 1];
        p[i] = k % 2 ? n - 1 - row : row;
        p[n - 1 - i] = n - 1 - p[i];
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            out[i * n + j] = square[p[i] * n + p[j]];
    return COMBGPU_OK;
}

/* Writes the lexicographically first of those M-group images of the square's image g whose corner
   is cell (first, first) of g. The first row decides: each choice in it is between different
   numbers. p and used have room for n + 1 rows. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_first_image(combgpu_context *ctx, size_t n,
                                                           const int *square, int g, size_t first,
                                                           size_t *p, unsigned char *used, int *out)
{
    size_t i, j, best = first;
    memset(used, 0, n);
    if (n % 2) used[n / 2] = 1;
    p[n / 2] = n / 2; /* the middle of an odd order */
    for (i = 0; i < n / 2; i++) {
        int least = 0, number;
        for (best = i ? n : first, j = 0; j < n && i; j++) {
            if (used[j]) continue;
            number = square[combgpu__magic_image(n, g, first, j)];
            if (best < n && number == least)
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "square: %d occurs twice in one row or column", number);
            if (best < n && number > least) continue;
            best = j;
            least = number;
        }
        p[i] = best;
        p[n - 1 - i] = n - 1 - best;
        used[best] = used[n - 1 - best] = 1;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            out[i * n + j] = square[combgpu__magic_image(n, g, p[i], p[j])];
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_magic_canonical(combgpu_context *ctx, int order,
                                                    const int *square, int *out)
{
    combgpu_status status = combgpu__magic_check_image(ctx, order, 10000, square, out);
    size_t n = (size_t)order, i, bytes = n * n * sizeof *out, corner = 0, *p;
    int *other, g, minimum = 0, twice = 0;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT; /* the function needs its memory */
    if (status) return status;
    for (i = 0; i < 2 * n; i++) { /* the corner can be any cell of a diagonal except the centre */
        size_t cell = i < n ? i * n + i : (i - n) * n + (2 * n - 1 - i);
        if (n > 1 && 2 * (i % n) + 1 == n) continue;
        if (i && square[cell] == minimum && n > 1) twice = 1;
        if (i && square[cell] >= minimum) continue;
        minimum = square[cell];
        corner = i;
        twice = 0;
    }
    if (twice)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "square: %d occurs twice on the diagonals", minimum);
    p = (size_t *)combgpu__allocate(ctx, (n + 1) * (sizeof *p + 1));
    other = (int *)combgpu__allocate(ctx, bytes);
    if (!p || !other) status = combgpu__no_memory(ctx, bytes);
    for (g = 0; g < 2 && !status;
         g++) { /* unchanged, and transposed; 4: seen from the other diagonal */
        status = combgpu__magic_first_image(ctx, n, square, g + (corner < n ? 0 : 4), corner % n, p,
                                            (unsigned char *)(p + n + 1), g ? other : out);
        for (i = 0; !status && g && i < n * n && other[i] == out[i]; i++) {
        }
        if (!status && g && i < n * n && other[i] < out[i]) memcpy(out, other, bytes);
    }
    combgpu__release(ctx, p);
    combgpu__release(ctx, other);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_magic_dudeney(combgpu_context *ctx, const int *square,
                                                  int *type)
{
    static const char pictures[12][17] = {
        "abcdefghcdabghef", "abcdbadcefghfehg", "abcdefghhgfedcba", "aabbccddeeffgghh",
        "ababcdcdefefghgh", "abbacddceffeghhg", "aabbcddceffegghh", "abbaccddeeffghhg",
        "ababcddceffeghgh", "abbacdcdefefghhg", "ababcdcdefghghef", "aabbcdefgghhdcfe"};
    combgpu_magic_report report;
    combgpu_status status = combgpu__magic_check_order(ctx, 4, 4, 4, square, type, "type");
    int turned[16], k, g, i, j, fits;
    if (status) return status;
    memset(&report, 0, sizeof report);
    combgpu__magic_check_cells(4, square, &report);
    if (!report.is_permutation)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "square[%d] is %d; the square must hold 1 to 16 once each",
                             report.wrong_cell, square[report.wrong_cell]);
    for (g = 0, *type = 0; g < 8; g++) {
        combgpu_magic_symmetry(ctx, 4, square, g, turned);
        for (k = 0; k < 12; k++) {
            for (i = 0, fits = 1; i < 16; i++)
                for (j = 0; j < i; j++)
                    if (pictures[k][i] == pictures[k][j] && turned[i] + turned[j] != 17) fits = 0;
            if (fits) *type = k + 1;
        }
    }
    return COMBGPU_OK;
}
