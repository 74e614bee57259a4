/* Estimates of magic squares: the job's frontier, error, begin and end. */

/* Pushes the samples from `begin` on, in chunks that depend on their number alone: of 32, one for
   each lane of a group, or a multiple of that. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_push(combgpu_job *job, uint64_t begin,
                                                             uint64_t end)
{
    uint64_t size = 32;
    while ((end - begin) / size >> 18)
        size *= 2;
    combgpu__accumulators(job)[COMBGPU__ESTIMATE_PLANNED] = end;
    return combgpu__push_range(job, begin, end, (end - begin + size - 1) / size);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_frontier(combgpu_job *job)
{
    const combgpu__magic_estimate_state *state =
        (const combgpu__magic_estimate_state *)combgpu__state(job);
    uint64_t first = state->range.end;
    if (state->desc.relative_error > 0 && first > 1 << 16) first = 1 << 16;
    combgpu__accumulators(job)[COMBGPU__ESTIMATE_WITH_POWERS] = 1;
    return combgpu__magic_estimate_push(job, 0, first);
}

/* Returns a number given by sums of 32-bit digits, times 2^exponent. */
COMBGPU__PRIVATE double combgpu__magic_estimate_digits(const uint64_t *digits, int count,
                                                       int exponent)
{
    double sum = 0;
    int i;
    for (i = count - 1; i >= 0; i--)
        sum += ldexp((double)digits[i], 32 * i + exponent);
    return sum;
}

/* Computes the mean of the samples and its standard error, in squares. */
COMBGPU__PRIVATE void combgpu__magic_estimate_mean(const combgpu_job *job, double *mean,
                                                   double *error)
{
    const combgpu__magic_estimate_state *state =
        (const combgpu__magic_estimate_state *)combgpu__state(job);
    double samples = (double)combgpu__accumulators(job)[0], squares, sum;
    *mean = *error = 0;
    if (!combgpu__accumulators(job)[0]) return;
    sum =
        combgpu__magic_estimate_digits(combgpu__accumulators(job) + COMBGPU__ESTIMATE_ADDED, 2, 0) /
        samples;
    squares = combgpu__magic_estimate_digits(combgpu__accumulators(job) + COMBGPU__ESTIMATE_SQUARES,
                                             4, 0) /
              samples;
    *mean = ldexp(sum, state->scale) / state->repeats;
    if (samples > 1 && squares > sum * sum)
        *error = ldexp(combgpu__sqrt((squares - sum * sum) / (samples - 1)), state->scale) /
                 state->repeats;
}

/* Returns the relative standard error of the standard error; 0 = unknown. That of a variance V of n
   samples is sqrt((F - V^2) / n), where F is the mean fourth power of a sample less the mean. */
COMBGPU__PRIVATE double combgpu__magic_estimate_error_of_error(const combgpu_job *job)
{
    const combgpu__magic_estimate_state *state =
        (const combgpu__magic_estimate_state *)combgpu__state(job);
    const uint64_t *accumulators = combgpu__accumulators(job);
    double samples = (double)accumulators[0], mean, variance, third, fourth;
    uint64_t jobs = state->desc.run.merge_count > 1 ? (uint64_t)state->desc.run.merge_count : 1;
    if (!accumulators[0] || (accumulators[COMBGPU__ESTIMATE_WITH_POWERS] < jobs &&
                             !combgpu__magic_estimate_on_cpu(&state->desc)))
        return 0;
    mean = combgpu__magic_estimate_digits(accumulators + COMBGPU__ESTIMATE_ADDED, 2, -12) / samples;
    variance =
        combgpu__magic_estimate_digits(accumulators + COMBGPU__ESTIMATE_SQUARES, 4, -24) / samples;
    third = combgpu__magic_estimate_digits(accumulators + COMBGPU__ESTIMATE_CUBES, 3, 0) / samples;
    fourth =
        combgpu__magic_estimate_digits(accumulators + COMBGPU__ESTIMATE_FOURTHS, 4, 0) / samples;
    fourth += mean * (6 * mean * variance - 4 * third - 3 * mean * mean * mean);
    variance -= mean * mean;
    if (!(variance > 0) || fourth <= variance * variance) return 0;
    return combgpu__sqrt((fourth / (variance * variance) - 1) / samples) / 2;
}

/* Sets the 95 % interval of the count. Sums of few large samples are skewed, and so is their spread:
   its degrees of freedom follow from its error, and the interval is that of a log-normal variable,
   wider by half of the error's own part. Few samples have not seen the large ones yet, and give no
   interval. */
COMBGPU__PRIVATE void combgpu__magic_estimate_interval(combgpu_magic_estimate_result *result)
{
    const double off = result->error_of_error;
    double freedom = off > 0 ? 1 / (2 * off * off) : 0, reach;
    if (result->samples < 100 || !(off > 0) || !(result->standard_error > 0)) return;
    if (freedom > (double)result->samples - 1) freedom = (double)result->samples - 1;
    reach = (1 + 0.5 / combgpu__sqrt(freedom)) * combgpu__student(freedom) * result->relative_error;
    result->low = result->count * combgpu__exp(-reach);
    result->high = result->count * (1 + reach + reach * reach / 2);
}

/* Returns how many samples to plan, after `planned`, when their error is `factor` times the
   requested one: as many as that implies, at most 8 times as many, in steps of a 16th to a 32nd.
   Far from the goal it goes three quarters of the way: a rare large sample makes the first errors
   too large. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_plan_more(uint64_t planned, double factor)
{
    uint64_t unit = 1, units;
    while (planned >> 5 >= unit)
        unit *= 2;
    factor = factor * factor < 8 ? factor * factor : 8;
    if (factor > 1.5 && factor < 8) factor -= (factor - 1) / 4;
    units = (uint64_t)(factor * (double)planned / (double)unit) + (factor < 8);
    return units * unit > planned ? units * unit : planned + unit;
}

/* With relative_error: when all planned samples are done and the error is too large, plans more. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_slice_done(
    combgpu_job *job, const combgpu__executor *executor, uint64_t *accumulators)
{
    const combgpu__magic_estimate_state *state =
        (const combgpu__magic_estimate_state *)combgpu__state(job);
    uint64_t planned = combgpu__accumulators(job)[COMBGPU__ESTIMATE_PLANNED], more;
    double mean, error, aim;
    (void)executor, (void)accumulators;
    if (combgpu__accumulators(job)[COMBGPU__ESTIMATE_TOO_LARGE])
        return combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                             "kernel %s: a sample is 2^36 times larger than expected",
                             combgpu__desc(job)->kernel.name);
    if (combgpu__tasks_left(job) || planned >= state->range.end) return COMBGPU_OK;
    combgpu__magic_estimate_mean(job, &mean, &error);
    aim = state->desc.relative_error * mean;
    if (error > 0 && error <= aim) return COMBGPU_OK;
    more = combgpu__magic_estimate_plan_more(planned, aim > 0 ? error / aim : 8);
    return combgpu__magic_estimate_push(job, planned,
                                        more > state->range.end ? state->range.end : more);
}

COMBGPU__PRIVATE double combgpu__magic_estimate_fraction(const combgpu_job *job)
{
    const combgpu__magic_estimate_state *state =
        (const combgpu__magic_estimate_state *)combgpu__state(job);
    double mean, error, target = state->desc.relative_error;
    double part = (double)combgpu__accumulators(job)[0] / (double)state->range.end;
    combgpu__magic_estimate_mean(job, &mean, &error);
    if (target > 0 && error > 0 && target * mean / error * (target * mean / error) > part)
        part = target * mean / error * (target * mean / error);
    if (state->desc.run.shard_count > 1) part *= state->desc.run.shard_count;
    return part;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_begin(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__magic_estimate_state *state = (combgpu__magic_estimate_state *)combgpu__state(job);
    const combgpu_magic_estimate_desc *desc = &state->desc;
    const combgpu__magic_estimate_lift_case *lifted;
    const char *form = "";
    char number[40];
    combgpu_status status;
    *state = *(const combgpu__magic_estimate_state *)draft;
    lifted = combgpu__magic_estimate_lift_find(desc->order, desc->kind);
    if (lifted) {
        search->kernel.name = NULL;
        search->kernel.solve = combgpu__magic_lift_solve;
        state->repeats = 1;
        state->scale = lifted->scale;
        status = combgpu__magic_estimate_lift_tables(job, lifted, desc->seed);
    } else if (combgpu__magic_estimate_on_cpu(desc)) {
        search->kernel.name = NULL;
        search->kernel.solve = combgpu__magic_estimate_linear_solve;
        state->repeats = 1;
        status = combgpu__magic_estimate_linear_tables(job, desc->order, desc->kind, desc->seed,
                                                       &state->scale);
    } else {
        if (desc->order > 5) {
            search->kernel.name =
                desc->order > 7 ? "combgpu_magic_arranged_wide" : "combgpu_magic_arranged";
            search->kernel.lanes_per_worker = 32;
            form = "-of-576"; /* without it: the other samples of earlier versions */
        }
        status = combgpu__magic_estimate_tables(job);
    }
    snprintf(search->parameters, sizeof search->parameters,
             "order %d kind %d seed %llu samples %llu error %s repeats %d%s scale %d", desc->order,
             (int)desc->kind, (unsigned long long)desc->seed, (unsigned long long)state->range.end,
             combgpu__number_text(number, 9, desc->relative_error), state->repeats, form,
             state->scale);
    return status;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_estimate_describe(void)
{
    combgpu__job_desc search = combgpu__magic_ranges("estimate of magic squares");
    search.frontier = combgpu__magic_estimate_frontier;
    search.slice_done = combgpu__magic_estimate_slice_done;
    search.fraction = combgpu__magic_estimate_fraction;
    search.kernel.name = "combgpu_magic_samples";
    search.kernel.lanes_per_worker = 1;
    search.kernel.lanes_per_block = 128;
    search.kernel.first_budget = 128;
    search.record_words = 1;
    return search;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_check(combgpu_context *ctx,
                                                              const void *desc, void *state)
{
    return combgpu__magic_estimate_validate(ctx, (const combgpu_magic_estimate_desc *)desc,
                                            (combgpu__magic_estimate_state *)state);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_end(combgpu_job *job, void *to,
                                                            uint64_t *checksum)
{
    const combgpu__magic_estimate_state *state =
        (const combgpu__magic_estimate_state *)combgpu__state(job);
    const uint64_t *accumulators = combgpu__accumulators(job);
    combgpu_magic_estimate_result *r = (combgpu_magic_estimate_result *)to;
    combgpu__magic_estimate_mean(job, &r->count, &r->standard_error);
    r->up_to_d4 = r->count / 8;
    r->relative_error = r->count > 0 ? r->standard_error / r->count : 0;
    r->error_of_error = combgpu__magic_estimate_error_of_error(job);
    r->samples = accumulators[0];
    combgpu__magic_estimate_interval(r);
    memcpy(r->sum, accumulators + COMBGPU__ESTIMATE_ADDED, sizeof r->sum);
    memcpy(r->squares, accumulators + COMBGPU__ESTIMATE_SQUARES, sizeof r->squares);
    r->scale = state->scale;
    r->repeats = state->repeats;
    *checksum = accumulators[COMBGPU__ESTIMATE_HASH];
    return COMBGPU_OK;
}

static const combgpu__method combgpu__magic_estimate_methods[] = {
    {NULL, combgpu__magic_estimate_describe, sizeof(combgpu__magic_estimate_state),
     combgpu__magic_estimate_begin, combgpu__magic_estimate_solve, NULL,
     combgpu__magic_estimate_end}};
static const combgpu__search combgpu__magic_estimate_calls = {COMBGPU__SEARCH_OF(magic_estimate),
                                                              sizeof(combgpu__magic_estimate_state),
                                                              combgpu__magic_estimate_check,
                                                              NULL,
                                                              NULL,
                                                              combgpu__magic_estimate_methods};
COMBGPU__SEARCH_CALLS(magic_estimate, combgpu__magic_estimate_calls)
