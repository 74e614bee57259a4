/* Estimates of magic squares: validation, and the plan for normal and semi-magic squares: which
   cells are drawn, and in what order.

   The *rest* is the cells where rows 0, 1, n-2, n-1 cross columns 0, 1, n-2, n-1 (and 2, n-3 from
   order 6 on, or the middle one of order 5), except those of the diagonals. It stays free; the
   others are filled line by line: the diagonals, the rows between, the columns between. The last
   two cells of a line take a pair of numbers that completes it; every other cell takes any unused
   number. The number is chosen as if the numbers still to come on the cell's open lines were
   normally distributed: a number near what the line needs suits a line with k - 1 more free cells,
   less k - 1 times the mean of the unused numbers, with a variance that grows like k - 1. The
   product of these curves is one curve about their weighted mean. (1 - x^2 / (16 s^2))^8 stands for
   exp(-x^2 / (2 s^2)), with s a fifth wider and a floor of 1/64, so that no possible number becomes
   very improbable. Integer arithmetic makes all backends choose alike.

   From order 6 on, the numbers of rows 2 and n-3 (A, B) in columns 0, 1, n-2 and n-1 are rearranged
   in their rows (estimate/arrange.c), so they are chosen without regard to the sums of these columns.

   Order 6 (T: filled before; a to d: four pairs of known sums; w, y: what rows leave):

       T a w w b T      rows 0, 5, columns 1, 4: a + a = what column 1 needs, b + b = column 4;
       c T y y T d      then two numbers w for row 0 and two for row 5
       A A T T A A      rows 1, 4, columns 0, 5: c, d, then y, of the 8 numbers left. Columns 2 and
       B B T T B B      3 have their sums both or neither: 16 ways to swap w and y in their rows,
       c T y y T d      counted by differences
       T a w w b T */

#define COMBGPU__MAGIC_CURVE_FLOOR 1024u
#define COMBGPU__MAGIC_MOST_SAMPLES (UINT64_C(1) << 40)

/* Sums of a job, after the totals of slices: samples in the frontier so far; jobs (with shards, several) whose samples
   all have their powers in the totals, which those of NORMAL and SEMI begun by version 0.3.0 have not. */
#define COMBGPU__ESTIMATE_PLANNED COMBGPU__TOTALS
#define COMBGPU__ESTIMATE_WITH_POWERS (COMBGPU__TOTALS + 1)

typedef struct combgpu__magic_estimate_state {
    combgpu__magic_range range; /* of all samples, at most */
    combgpu_magic_estimate_desc desc;
    int scale, repeats;
    /* used while the plan is made */
    unsigned char filled[11 * 11], open[COMBGPU__MAGIC_SLOTS];
    int unused;
    uint32_t words; /* of the tables */
} combgpu__magic_estimate_state;

/* Returns whether estimate/linear.c or estimate/lift.c makes an estimate. */
COMBGPU__PRIVATE int combgpu__magic_estimate_on_cpu(const combgpu_magic_estimate_desc *desc)
{
    return desc->kind == COMBGPU_MAGIC_PANDIAGONAL || desc->kind == COMBGPU_MAGIC_ASSOCIATIVE ||
           desc->kind == COMBGPU_MAGIC_ULTRAMAGIC;
}

/* Checks the order of a pandiagonal, associative or ultramagic estimate. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_check_order(combgpu_context *ctx, int order,
                                                                    combgpu_magic_kind kind)
{
    static const char *const name[3] = {"pandiagonal", "associative", "ultramagic"};
    static const char *const known[3] = {"5 or 7", "4, 5, 7, 8 or 9", "5, 7 or 8"};
    const int k = (int)kind - (int)COMBGPU_MAGIC_PANDIAGONAL;
    const int orders[3] = {1 << 5 | 1 << 7, 1 << 4 | 1 << 5 | 7 << 7, 1 << 5 | 3 << 7};
    if (order % 4 == 2 || (order == 4 && kind == COMBGPU_MAGIC_ULTRAMAGIC))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.order is %d; there are no %s squares of that order", order,
                             name[k]);
    if (!(orders[k] >> order & 1))
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "desc.order is %d; for %s squares it may be %s", order, name[k],
                             known[k]);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status
combgpu__magic_estimate_validate(combgpu_context *ctx, const combgpu_magic_estimate_desc *desc,
                                 combgpu__magic_estimate_state *state)
{
    combgpu_status status = COMBGPU_OK;
    if (desc->order < 4)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.order is %d; it may be 4 to 11",
                             desc->order);
    if (desc->order > 11)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED, "desc.order is %d; it may be 4 to 11",
                             desc->order);
    if (desc->kind != COMBGPU_MAGIC_NORMAL && desc->kind != COMBGPU_MAGIC_SEMI &&
        !combgpu__magic_estimate_on_cpu(desc))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.kind is %d; it may be 0 (normal), 1 (semi-magic), 2 "
                             "(pandiagonal), 3 (associative) or 4 (ultramagic)",
                             (int)desc->kind);
    if (combgpu__magic_estimate_on_cpu(desc))
        status = combgpu__magic_estimate_check_order(ctx, desc->order, desc->kind);
    if (status) return status;
    if (desc->samples > COMBGPU__MAGIC_MOST_SAMPLES)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.samples is %llu; it may be 0 (default) to 2^40",
                             (unsigned long long)desc->samples);
    if (!(desc->relative_error >= 0 && desc->relative_error < 1))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.relative_error is %g; it may be 0 (none) or more, below 1",
                             desc->relative_error);
    if (desc->relative_error > 0 && desc->run.shard_count > 1)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.relative_error is %g with desc.run.shard_count %d; shards do not know "
            "each other's error: set desc.samples instead",
            desc->relative_error, desc->run.shard_count);
    state->desc = *desc;
    state->range.end = desc->samples              ? desc->samples
                       : desc->relative_error > 0 ? COMBGPU__MAGIC_MOST_SAMPLES
                                                  : 1000000;
    return COMBGPU_OK;
}

/* ---- plan and tables */

/* Writes the six words of the cell that is filled next. `closes` is the slot of the line that its
   pair completes, or -1. */
COMBGPU__PRIVATE void combgpu__magic_estimate_plan_cell(combgpu_job *job, int row, int column,
                                                        int closes)
{
    combgpu__magic_estimate_state *state = (combgpu__magic_estimate_state *)combgpu__state(job);
    int n = state->desc.order, normal = state->desc.kind == COMBGPU_MAGIC_NORMAL, slots[4], i;
    uint32_t *words = combgpu__tables(job) + state->words, weights = 0, keep = 0;
    slots[0] = row;
    slots[1] = n + column;
    slots[2] = normal && row == column ? 2 * n : 2 * n + 2;
    slots[3] = normal && row + column == n - 1 ? 2 * n + 1 : 2 * n + 2;
    if (n > 5 && (row == 2 || row == n - 3) && (column < 2 || column > n - 3))
        keep = (row == 2 ? 1u : 5u) + (uint32_t)(column < 2 ? column : column - n + 4);
    for (i = 0; i < 4; i++) {
        uint32_t more = slots[i] < 2 * n + 2 ? --state->open[slots[i]] : 0u;
        uint32_t weight = more && slots[i] != closes && !(keep && i == 1) ? 4096 / more : 0;
        words[i] = (uint32_t)slots[i] | (weight ? more : 0) << 8 | weight << 16;
        weights += weight;
    }
    words[4] = weights;
    words[5] = (uint32_t)state->unused-- | keep << 8;
    state->filled[row * n + column] = 1;
    state->words += 6;
}

/* Adds the cells of a line that are not yet filled: cell i has row a[0] + i * a[1] and column a[2]
   + i * a[3]. The columns between have free cells only where rows 0, 1, n-2 and n-1 cross them. */
COMBGPU__PRIVATE void combgpu__magic_estimate_plan_line(combgpu_job *job, int slot, int row,
                                                        int down, int column, int right)
{
    combgpu__magic_estimate_state *state = (combgpu__magic_estimate_state *)combgpu__state(job);
    int n = state->desc.order, i, left = 0;
    uint32_t head = state->words++, first;
    for (i = 0; i < n; i++)
        left += !state->filled[(row + i * down) * n + column + i * right];
    combgpu__tables(job)[head] = (uint32_t)slot | (uint32_t)(left - 2) << 8 | 1u << 16;
    for (i = 0; i < n; i++) {
        int r = row + i * down, c = column + i * right;
        if (state->filled[r * n + c]) continue;
        first = state->words;
        combgpu__magic_estimate_plan_cell(job, r, c, left-- <= 2 ? slot : -1);
        if (left) continue;
        combgpu__tables(job)[first - 2] += combgpu__tables(job)[first + 4]; /* weights of both */
        if (!combgpu__tables(job)[first - 2]) combgpu__tables(job)[first - 2] = 1;
    }
    combgpu__tables(job)[COMBGPU__ESTIMATE_AT_LINES]++;
}

/* Returns the binary exponent of the number of squares if sums of n of the numbers were normally
   distributed, and all lines but those that follow from others independent. It is within a factor
   of 2 of the truth. */
COMBGPU__PRIVATE int combgpu__magic_estimate_expected(int n, int normal)
{
    double variance = (double)n * (n * n + 1) * (n * n - n) / 12; /* of n of the n * n numbers */
    double chance = 1 / combgpu__sqrt(6.28318530717958647692 * variance), product = 1;
    int exponent = 0, sum = 0, k;
    for (k = 2; k <= n * n; k++) {
        product = frexp(product * k, &exponent);
        sum += exponent;
    }
    for (k = 0; k < 2 * n - 2 + 2 * normal; k++) {
        product = frexp(product * chance, &exponent);
        sum += exponent;
    }
    return sum;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_tables(combgpu_job *job)
{
    combgpu__magic_estimate_state *state = (combgpu__magic_estimate_state *)combgpu__state(job);
    int n = state->desc.order, normal = state->desc.kind == COMBGPU_MAGIC_NORMAL, i;
    combgpu_status status = combgpu__job_tables(job, COMBGPU__ESTIMATE_AT_WORDS);
    uint32_t *tables = combgpu__tables(job);
    if (status) return status;
    tables[COMBGPU__ESTIMATE_AT_PICKS] = n < 6 ? 0 : n == 6 ? 2 : 4;
    state->repeats = 1 << tables[COMBGPU__ESTIMATE_AT_PICKS];
    state->scale = combgpu__magic_estimate_expected(n, normal) - 24;
    tables[COMBGPU__ESTIMATE_AT_ORDER] = (uint32_t)n;
    tables[COMBGPU__ESTIMATE_AT_NUMBERS] = (uint32_t)(n * n);
    tables[COMBGPU__ESTIMATE_AT_SUM] = (uint32_t)(n * (n * n + 1) / 2);
    /* 2^40 over 16 * 4096 (units of x and of weights) * 16 * 1.44 * the variance of a number */
    tables[COMBGPU__ESTIMATE_AT_CURVE] =
        (uint32_t)((UINT64_C(1) << 40) / (UINT64_C(125829) * (uint32_t)(n * n * n * n - 1)));
    tables[COMBGPU__ESTIMATE_AT_SCALE] = (uint32_t)(state->scale + 65536);
    combgpu__put64(tables + COMBGPU__ESTIMATE_AT_SEED, state->desc.seed);
    state->words = COMBGPU__ESTIMATE_AT_PLAN;
    state->unused = n * n;
    memset(state->filled, 0, sizeof state->filled);
    memset(state->open, n, sizeof state->open);
    if (normal) {
        combgpu__magic_estimate_plan_line(job, 2 * n, 0, 1, 0, 1);
        combgpu__magic_estimate_plan_line(job, 2 * n + 1, 0, 1, n - 1, -1);
    } else { /* their cells in the outer rows, which are not part of the rest */
        tables[state->words++] = (uint32_t)(2 * n + 2) | 8u << 8;
        for (i = 0; i < 8; i++) {
            int row = i < 4 ? i / 2 : n - 4 + i / 2;
            combgpu__magic_estimate_plan_cell(job, row, i % 2 ? n - 1 - row : row, -1);
        }
        tables[COMBGPU__ESTIMATE_AT_LINES]++;
    }
    for (i = 2; i < n - 2; i++)
        combgpu__magic_estimate_plan_line(job, i, i, 0, 0, 1);
    for (i = 3; i < n - 3; i++)
        combgpu__magic_estimate_plan_line(job, n + i, 0, 1, i, 0);
    combgpu__job_trim_tables(job, state->words);
    return COMBGPU_OK;
}
