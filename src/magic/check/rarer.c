/* Tests a square for the rarer properties. */

COMBGPU__PRIVATE int64_t combgpu__magic_power(int x, int exponent)
{
    int64_t power = x;
    while (--exponent)
        power *= x;
    return power;
}

/* Returns whether the powers of the numbers add up to 1/n of those of 1 .. n*n in every row, column
   and diagonal. */
COMBGPU__PRIVATE int combgpu__magic_check_powers(int n, const int *square, int exponent)
{
    int64_t want = 0, sums[4];
    int i, k, right = 1;
    for (i = 1; i <= n * n; i++)
        want += combgpu__magic_power(i, exponent);
    for (k = 0; k < n && right; k++) {
        memset(sums, 0, sizeof sums);
        for (i = 0; i < n; i++) {
            sums[0] += combgpu__magic_power(square[k * n + i], exponent);
            sums[1] += combgpu__magic_power(square[i * n + k], exponent);
            sums[2] += combgpu__magic_power(square[i * n + i], exponent);
            sums[3] += combgpu__magic_power(square[i * n + n - 1 - i], exponent);
        }
        for (i = 0; i < 4; i++)
            right = right && sums[i] * n == want;
    }
    return right;
}

/* Returns whether all blocks of 2 x 2, across the edges, add up to 2(n*n + 1). */
COMBGPU__PRIVATE int combgpu__magic_check_blocks(int n, const int *square)
{
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            int below = (i + 1) % n, right = (j + 1) % n;
            if (square[i * n + j] + square[i * n + right] + square[below * n + j] +
                    square[below * n + right] !=
                2 * (n * n + 1))
                return 0;
        }
    return 1;
}

/* Returns whether cells half a diagonal apart are complements. */
COMBGPU__PRIVATE int combgpu__magic_check_halves(int n, const int *square)
{
    int i, j, right = 1;
    for (i = 0; i < n / 2; i++)
        for (j = 0; j < n; j++)
            right =
                right && square[i * n + j] + square[(i + n / 2) * n + (j + n / 2) % n] == n * n + 1;
    return right;
}

/* Returns whether half rows and columns add up to half the magic sum and bent diagonals to all of
   it. */
COMBGPU__PRIVATE int combgpu__magic_check_bent(int n, const int *square)
{
    int sum = n * (n * n + 1) / 2, k, i, right = 1;
    for (k = 0; k < n && right; k++) {
        int half[4] = {0}, bent[4] = {0};
        for (i = 0; i < n; i++) {
            int depth = i < n / 2 ? i : n - 1 - i, ahead = (k + depth) % n,
                behind = (k + n - depth) % n;
            half[i / (n / 2)] += square[k * n + i];
            half[2 + i / (n / 2)] += square[i * n + k];
            bent[0] += square[ahead * n + i];
            bent[1] += square[behind * n + i];
            bent[2] += square[i * n + ahead];
            bent[3] += square[i * n + behind];
        }
        for (i = 0; i < 4; i++)
            right = right && 2 * half[i] == sum && bent[i] == sum;
    }
    return right;
}

COMBGPU__PRIVATE int combgpu__magic_check_complement(int n, const int *square)
{
    int g, i, right = 0;
    for (g = 1; g < 8 && !right; g++)
        for (right = 1, i = 0; i < n * n && right; i++)
            right =
                square[i] +
                    square[combgpu__magic_image((size_t)n, g, (size_t)(i / n), (size_t)(i % n))] ==
                n * n + 1;
    return right || n == 1;
}

/* Returns whether all lines of the middle square of order n - 2 * border have one sum. */
COMBGPU__PRIVATE int combgpu__magic_check_inner(int n, const int *square, int border)
{
    int64_t sums[4], want = 0;
    int k, i, line, right = 1, end = n - border;
    for (i = border; i < end; i++)
        want += square[border * n + i];
    for (k = border; k < end && right; k++) {
        memset(sums, 0, sizeof sums);
        for (i = border; i < end; i++) {
            sums[0] += square[k * n + i];
            sums[1] += square[i * n + k];
            sums[2] += square[i * n + i];
            sums[3] += square[i * n + n - 1 - i];
        }
        for (line = 0; line < 4; line++)
            right = right && sums[line] == want;
    }
    return right;
}

/* Completes a report. */
COMBGPU__PRIVATE void combgpu__magic_check_more(int n, const int *square,
                                                combgpu_magic_report *report)
{
    int last = n * n - 1, middle = n / 2, border, squares = 0, i, j;
    report->is_trimagic = report->is_bimagic && combgpu__magic_check_powers(n, square, 3);
    report->is_most_perfect = report->is_pandiagonal && n % 4 == 0 &&
                              combgpu__magic_check_blocks(n, square) &&
                              combgpu__magic_check_halves(n, square);
    report->is_franklin = report->is_permutation && n % 4 == 0 &&
                          combgpu__magic_check_blocks(n, square) &&
                          combgpu__magic_check_bent(n, square);
    report->is_self_complementary =
        report->is_permutation && combgpu__magic_check_complement(n, square);
    for (border = 1; n - 2 * border >= 3; border++) {
        squares++;
        report->inner_squares += combgpu__magic_check_inner(n, square, border);
    }
    report->is_concentric = report->is_magic && squares && report->inner_squares == squares;
    report->corners = (int64_t)square[0] + square[n - 1] + square[last] + square[last + 1 - n];
    for (i = middle - (n % 2 == 0); i <= middle; i++)
        for (j = middle - (n % 2 == 0); j <= middle; j++)
            report->middle += square[i * n + j];
}
