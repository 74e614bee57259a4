/* Estimates associative squares, and ultramagic ones except order 7, on the CPU: plan and C solver.

   It samples the linear search (cells/linear_plan.c), whose order of cells makes the other cells
   follow early. It chooses the numbers of the first levels at random, with known probabilities,
   among those that the search would try; the search itself counts the completions of the last
   levels.

   If all cells were independent and normally distributed, then the number of a level, given those
   before it and all equations, would be so too: its mean is linear in them, its variance known from
   the plan. A number near that mean has a better chance to be completed. The curve is three times
   as wide, since the numbers are bounded and differ: with the curve itself the variance of an
   associative sample of order 7 is 35 times as large, and without any a third larger. */

/* The tables of a job. */
typedef struct combgpu__magic_estimate_drawing {
    combgpu__cells_linear plan;
    int32_t drawn; /* levels; the others are counted */
    int32_t scale;
    uint32_t seed[2];
    uint32_t slope[COMBGPU__MAGIC_CELLS]; /* of a level's curve: 2^32 / variance */
    int32_t weight[COMBGPU__MAGIC_CELLS][COMBGPU__MAGIC_CELLS]; /* of the level before, in 1/4096 */
} combgpu__magic_estimate_drawing;

COMBGPU__COLD_BEGIN
/* Returns how many of the last levels are counted: the fewer, the more samples are needed; the
   more, the longer a sample takes. 0 = there is no estimate. */
COMBGPU__PRIVATE int combgpu__magic_estimate_counted_levels(int order, combgpu_magic_kind kind)
{
    static const int associative[10] = {0, 0, 0, 0, 2, 4, 0, 5, 5, 6};
    static const int ultramagic[10] = {0, 0, 0, 0, 0, 2, 0, 0, 7, 0};
    if (order < 4 || order > 9) return 0;
    return kind == COMBGPU_MAGIC_ASSOCIATIVE  ? associative[order]
           : kind == COMBGPU_MAGIC_ULTRAMAGIC ? ultramagic[order]
                                              : 0;
}

/* ---- plan */

/* Matrices of a plan with L levels: a cell's number is a linear function of the levels' numbers,
   all less their mean. */
typedef struct combgpu__magic_estimate_curves {
    double cell[COMBGPU__MAGIC_CELLS];
    double product[COMBGPU__MAGIC_CELLS][COMBGPU__MAGIC_CELLS]; /* sum over cells */
} combgpu__magic_estimate_curves;

/* Adds the product of the cell's coefficients to the matrix. */
COMBGPU__PRIVATE void combgpu__magic_estimate_add_cell(combgpu__magic_estimate_curves *curves,
                                                       int levels)
{
    int i, k;
    for (i = 0; i < levels; i++)
        for (k = 0; k < levels; k++)
            curves->product[i][k] += curves->cell[i] * curves->cell[k];
}

/* Makes the curves of the levels, from the last one to the first: a level's row of the matrix gives
   mean and variance; then it is eliminated. The cells have partners with opposite numbers. */
COMBGPU__PRIVATE void combgpu__magic_estimate_make_curves(combgpu__magic_estimate_curves *curves,
                                                          combgpu__magic_estimate_drawing *drawing)
{
    const combgpu__cells_linear *plan = &drawing->plan;
    double variance = ((double)plan->numbers * plan->numbers - 1) / 12;
    int level, i, k;
    memset(curves, 0, sizeof *curves);
    for (level = 0; level < plan->levels; level++) {
        curves->product[level][level] += 1;
        for (i = plan->first_follower[level]; i < plan->first_follower[level + 1]; i++) {
            const combgpu__cells_follower *f = &plan->followers[i];
            memset(curves->cell, 0, sizeof curves->cell);
            curves->cell[level] = (double)f->own / f->divisor;
            if (level) curves->cell[level - 1] = (double)f->before / f->divisor;
            for (k = f->first; k < f->first + f->terms; k++)
                curves->cell[plan->term_level[k]] = (double)plan->term[k] / f->divisor;
            combgpu__magic_estimate_add_cell(curves, plan->levels);
        }
    }
    for (level = plan->levels - 1; level >= 0; level--) {
        const double *row = curves->product[level];
        /* twice: for the partners; 9: three times as wide */
        drawing->slope[level] = (uint32_t)(4294967296.0 * 2 * row[level] / (9 * variance));
        for (k = 0; k < level; k++) /* a fraction may be a half: no rounding error moves it */
            drawing->weight[level][k] =
                (int32_t)(-4096 * row[k] / row[level] + 65536.500001) - 65536;
        for (i = 0; i < level; i++)
            for (k = 0; k < level; k++)
                curves->product[i][k] -= curves->product[i][level] * row[k] / row[level];
    }
}

/* Returns the binary exponent that the number of squares would have if sums of n numbers were
   normally distributed and the equations independent. */
COMBGPU__PRIVATE int combgpu__magic_estimate_linear_expected(const combgpu__cells_linear *plan,
                                                             int n)
{
    double variance = (double)n * ((double)n * n * n * n - 1) / 12;
    double chance = 1 / combgpu__sqrt(6.28318530717958647692 * variance), product = 1;
    int pairs = n * n / 2, exponent, sum = 0, k;
    for (k = 1; k <= pairs; k++) {
        product = frexp(product * 2 * k, &exponent);
        sum += exponent;
    }
    for (k = plan->levels; k < pairs; k++) {
        product = frexp(product * chance, &exponent);
        sum += exponent;
    }
    return sum;
}

/* Makes the tables, and the scale of the samples. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_linear_tables(combgpu_job *job, int order,
                                                                      combgpu_magic_kind kind,
                                                                      uint64_t seed, int *scale)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__magic_state state;
    combgpu__cells_system *system;
    combgpu__magic_estimate_drawing *drawing;
    combgpu__magic_estimate_curves *curves;
    combgpu_magic_desc desc;
    combgpu_status status;
    size_t room, bytes;
    memset(&desc, 0, sizeof desc);
    memset(&state, 0, sizeof state);
    desc.order = order;
    desc.kind = kind;
    status = combgpu__magic_validate(ctx, &desc, &state);
    if (!status) status = combgpu__job_tables(job, sizeof *drawing / sizeof(uint32_t));
    if (status) return status;
    state.image_count = 1; /* all squares are drawn, not one of each class */
    state.more_count = 1;
    room = (size_t)state.line_count * ((size_t)state.cells + 1) * sizeof(int64_t);
    bytes = sizeof *system + 2 * room + sizeof *curves;
    system = (combgpu__cells_system *)combgpu__allocate(ctx, bytes);
    if (!system) return combgpu__no_memory(ctx, bytes);
    memset(system, 0, sizeof *system);
    system->base = (int64_t *)(void *)(system + 1);
    system->work = system->base + room / sizeof(int64_t);
    system->sampled = 1;
    curves = (combgpu__magic_estimate_curves *)(void *)(system->work + room / sizeof(int64_t));
    drawing = (combgpu__magic_estimate_drawing *)(void *)combgpu__tables(job);
    (void)combgpu__cells_linear_plan(&state, -1, system, &drawing->plan);
    combgpu__magic_estimate_make_curves(curves, drawing);
    combgpu__release(ctx, system);
    drawing->drawn = drawing->plan.levels - combgpu__magic_estimate_counted_levels(order, kind);
    *scale = drawing->scale = combgpu__magic_estimate_linear_expected(&drawing->plan, order) - 24;
    combgpu__put64(drawing->seed, seed);
    return COMBGPU_OK;
}
COMBGPU__COLD_END

/* ---- solver */

/* Counts the completions from a level on. */
COMBGPU__INLINE uint64_t combgpu__magic_estimate_completions(combgpu__cells_linear_stack *stack,
                                                             int bottom, int wide)
{
    uint64_t ways = 0;
    int level = bottom, number, found;
    while (level >= bottom) {
        if (!(stack->mask[level].low | (wide ? stack->mask[level].high : 0))) {
            level--;
            continue;
        }
        number = combgpu__cells_pick_number(stack, level, wide);
        combgpu__cells_drop(&stack->mask[level], number, wide);
        found = combgpu__cells_enter_level(stack, level, number, wide, 1);
        ways += found == 2;
        level += found == 1;
    }
    return ways;
}

COMBGPU__PRIVATE uint64_t
combgpu__magic_estimate_narrow_completions(combgpu__cells_linear_stack *stack, int bottom)
{
    return combgpu__magic_estimate_completions(stack, bottom, 0);
}

COMBGPU__PRIVATE uint64_t
combgpu__magic_estimate_wide_completions(combgpu__cells_linear_stack *stack, int bottom)
{
    return combgpu__magic_estimate_completions(stack, bottom, 1);
}

/* Returns 4 times the mean of a level's number, given those before. */
COMBGPU__PRIVATE int combgpu__magic_estimate_level_mean(
    const combgpu__magic_estimate_drawing *drawing, const combgpu__cells_linear_stack *stack,
    int level)
{
    int all = drawing->plan.numbers + 1, k;
    int32_t sum = 0;
    for (k = 0; k < level; k++)
        sum += drawing->weight[level][k] * (2 * stack->chosen[k] - all);
    return 2 * all + sum / 2048;
}

/* Returns sample `index`. The stack has been at the root before. */
COMBGPU__PRIVATE uint64_t
combgpu__magic_estimate_linear_sample(const combgpu__magic_estimate_drawing *drawing,
                                      combgpu__cells_linear_stack *stack, uint64_t index)
{
    uint64_t key = combgpu__mix(combgpu__get64(drawing->seed) + combgpu__mix(index)), ways;
    combgpu__magic_estimate_draw draw;
    combgpu__magic_estimate_numbers from;
    int level;
    draw.chosen.mantissa = draw.choices.mantissa = 1;
    draw.chosen.exponent = draw.choices.exponent = 0;
    for (level = 0; level < drawing->drawn; level++) {
        int number;
        from.lo = stack->mask[level].low;
        from.hi = stack->mask[level].high;
        if (!(from.lo | from.hi)) return 0;
        number = combgpu__magic_estimate_choose(
            &draw, from, combgpu__magic_estimate_level_mean(drawing, stack, level),
            drawing->slope[level], combgpu__magic_estimate_random(key, (uint32_t)level + 1));
        if (!combgpu__cells_enter_any(stack, level, number)) return 0;
    }
    ways = drawing->plan.numbers < 64 ? combgpu__magic_estimate_narrow_completions(stack, level)
                                      : combgpu__magic_estimate_wide_completions(stack, level);
    return combgpu__magic_estimate_weigh(&draw, ways, drawing->scale);
}

COMBGPU__PRIVATE int combgpu__magic_estimate_linear_step(combgpu__worker *worker, void *memory,
                                                         uint64_t index)
{
    combgpu__magic_estimate_add_sample(
        worker, index,
        combgpu__magic_estimate_linear_sample(
            (const combgpu__magic_estimate_drawing *)(const void *)worker->tables,
            (combgpu__cells_linear_stack *)memory, index));
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_estimate_linear_solve(combgpu__worker *worker)
{
    combgpu__cells_linear_stack stack;
    const combgpu__magic_estimate_drawing *drawing =
        (const combgpu__magic_estimate_drawing *)(const void *)worker->tables;
    combgpu__cells_linear_start(&stack, NULL, &drawing->plan, 0);
    combgpu__magic_range_solve(worker, &stack, combgpu__magic_estimate_linear_step);
}
