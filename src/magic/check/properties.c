/* Finds a square's properties and Frenicle form, and constructs squares of any order. */

/* Checks the order and pointers of a function; square == out if it only has `out`. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_order(combgpu_context *ctx, int order,
                                                           int least, int most, const void *square,
                                                           const void *out, const char *out_name)
{
    if (order < least || order > most)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "order is %d; it may be %d to %d",
                             order, least, most);
    if (!square || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL",
                             square || square == out ? out_name : "square");
    return COMBGPU_OK;
}

/* Sets wrong_cell, repeats and is_permutation. */
COMBGPU__PRIVATE void combgpu__magic_check_cells(int n, const int *square,
                                                 combgpu_magic_report *report)
{
    uint16_t seen[64 * 64]; /* 1 + the cell that holds a number */
    int i, bad = 0;
    memset(seen, 0, sizeof seen);
    report->wrong_cell = report->repeats = -1;
    for (i = 0; i < n * n && !bad; i++) {
        int outside = square[i] < 1 || square[i] > n * n;
        bad = outside || seen[square[i] - 1];
        if (bad) {
            report->wrong_cell = i;
            report->repeats = outside ? -1 : seen[square[i] - 1] - 1;
        } else
            seen[square[i] - 1] = (uint16_t)(i + 1);
    }
    report->is_permutation = !bad;
    if (report->repeats >= 0)
        snprintf(report->wrong, sizeof report->wrong,
                 "row %d, column %d and row %d, column %d are both %d", report->repeats / n,
                 report->repeats % n, report->wrong_cell / n, report->wrong_cell % n,
                 square[report->wrong_cell]);
    else if (bad)
        snprintf(report->wrong, sizeof report->wrong, "row %d, column %d is %d, not 1 to %d",
                 report->wrong_cell / n, report->wrong_cell % n, square[report->wrong_cell], n * n);
}

/* Counts a row, column or diagonal in the report if its sum is wrong. */
COMBGPU__PRIVATE void combgpu__magic_check_line(combgpu_magic_report *report, const char *name,
                                                int number, int64_t sum)
{
    if (sum == report->magic_sum) return;
    report->wrong_lines++;
    if (!report->wrong[0])
        snprintf(report->wrong, sizeof report->wrong,
                 "%s %d adds up to %lld and must add up to %lld", name, number, (long long)sum,
                 (long long)report->magic_sum);
}

/* Returns whether the squares of the numbers add up alike in all rows, columns and diagonals. */
COMBGPU__PRIVATE int combgpu__magic_check_squares(int n, const int *square)
{
    int64_t m = n, want = m * (m * m + 1) * (2 * m * m + 1) / 6, sums[4], x;
    int i, k, right = 1;
    for (k = 0; k < n && right; k++) {
        memset(sums, 0, sizeof sums);
        for (i = 0; i < n; i++) {
            x = square[k * n + i], sums[0] += x * x;
            x = square[i * n + k], sums[1] += x * x;
            x = square[i * n + i], sums[2] += x * x;
            x = square[i * n + n - 1 - i], sums[3] += x * x;
        }
        for (i = 0; i < 4; i++)
            right = right && sums[i] == want;
    }
    return right;
}

COMBGPU__DEF combgpu_status combgpu_magic_check(combgpu_context *ctx, int n, const int *square,
                                                combgpu_magic_report *report)
{
    combgpu_status status = combgpu__magic_check_order(ctx, n, 1, 64, square, report, "report");
    int sum, i, k, lines = 1, broken = 1, pairs = 1, last;
    if (status) return status;
    sum = n * (n * n + 1) / 2;
    last = n * n - 1;
    memset(report, 0, sizeof *report);
    report->magic_sum = sum;
    combgpu__magic_check_cells(n, square, report);
    for (k = 0; k < n; k++) {
        for (i = 0; i < n; i++) {
            report->rows[k] += square[k * n + i];
            report->columns[k] += square[i * n + k];
            report->broken[0][k] += square[i * n + combgpu__magic_diagonal(n, 0, k, i)];
            report->broken[1][k] += square[i * n + combgpu__magic_diagonal(n, 1, k, i)];
        }
        lines = lines && report->rows[k] == sum && report->columns[k] == sum;
        broken = broken && report->broken[0][k] == sum && report->broken[1][k] == sum;
    }
    for (i = 0; i <= last; i++)
        pairs = pairs && (int64_t)square[i] + square[last - i] == n * n + 1;
    report->diagonals[0] = report->broken[0][0];
    report->diagonals[1] = report->broken[1][n - 1];
    report->is_semimagic = report->is_permutation && lines;
    report->is_magic =
        report->is_semimagic && report->diagonals[0] == sum && report->diagonals[1] == sum;
    report->is_pandiagonal = report->is_magic && broken;
    report->is_associative = report->is_magic && pairs;
    report->is_ultramagic = report->is_pandiagonal && pairs;
    report->is_bimagic = report->is_magic && combgpu__magic_check_squares(n, square);
    combgpu__magic_check_more(n, square, report);
    for (k = 0; k < n; k++)
        combgpu__magic_check_line(report, "row", k, report->rows[k]);

    for (k = 0; k < n; k++)
        combgpu__magic_check_line(report, "column", k, report->columns[k]);
    for (k = 0; k < 2; k++)
        combgpu__magic_check_line(report, "diagonal", k, report->diagonals[k]);
    report->is_frenicle = n == 1 || (square[0] < square[n - 1] && square[0] < square[last] &&
                                     square[0] < square[last + 1 - n] && square[1] < square[n]);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_magic_frenicle(combgpu_context *ctx, int order,
                                                   const int *square, int *out)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 1, 10000, square, out, "out");
    if (status) return status;
    memmove(out, square, (size_t)order * (size_t)order * sizeof *out);
    combgpu__magic_to_frenicle(order, out);
    return COMBGPU_OK;
}

/* Moves to the cell where the Siamese method (S. de la Loubere 1693) puts the number after k: up
   and right, or down if that cell is taken. The method begins in the middle of row 0. */
COMBGPU__PRIVATE void combgpu__magic_siamese(int n, int k, int *row, int *column)
{
    if (k % n == 0) {
        *row = (*row + 1) % n;
    } else {
        *row = (*row + n - 1) % n;
        *column = (*column + 1) % n;
    }
}

COMBGPU__DEF combgpu_status combgpu_magic_construct(combgpu_context *ctx, int order, int *out)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 3, 10000, out, out, "out");
    size_t n = (size_t)order, i, j;
    int m = order % 2 ? order : order / 2, shift = order / 4, row = 0, column = m / 2, k;
    if (status) return status;
    if (order % 4 == 0) { /* count up; complement the diagonals of each 4 x 4 block */
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                int number = (int)(i * n + j) + 1;
                int turned = i % 4 == j % 4 || i % 4 + j % 4 == 3;
                out[i * n + j] = turned ? order * order + 1 - number : number;
            }
        return COMBGPU_OK;
    }
    for (k = 1; k <= m * m; combgpu__magic_siamese(m, k, &row, &column), k++) {
        size_t top = (size_t)row * n + (size_t)column, bottom = top + (size_t)m * n;
        int low = m * m, swap; /* R. Strachey 1918: four odd squares, then columns are swapped */
        if (order % 2) {
            out[top] = k;
            continue;
        }
        swap = row == m / 2 ? column >= 1 && column <= shift : column < shift;
        out[swap ? bottom : top] = k;
        out[swap ? top : bottom] = k + 3 * low;
        swap = column > m - shift;
        out[(swap ? bottom : top) + (size_t)m] = k + 2 * low;
        out[(swap ? top : bottom) + (size_t)m] = k + low;
    }
    return COMBGPU_OK;
}
