/* ---- order 6 in parts: configurations */

#define COMBGPU__MAGIC_SIX_SERIES 32134 /* sets of 6 of 36 numbers that add up to 111 */
#define COMBGPU__MAGIC_PLACINGS 5400u
#define COMBGPU__MAGIC_CHOICES 4614720u /* steps of a configuration: 24 * 23 * 22 * 20 * 19 */
#define COMBGPU__MAGIC_MOST_CONFIGURATIONS 262144u

/* Words of `tables`: the first configuration (two words), how many, then 3 words for each: its
   numbers, 6 bits each, 5 in a word: a00 a55 a11 a44 a22, a33 a05 a50 a14 a41, a23 a32. */
enum { COMBGPU__MAGIC_C_FIRST = 0, COMBGPU__MAGIC_C_COUNT = 2, COMBGPU__MAGIC_C_CONFIGURATION = 4 };
enum { COMBGPU__MAGIC_C_HASH = 1, COMBGPU__MAGIC_C_SQUARES = 2 }; /* totals */

typedef struct combgpu__magic_diagonals_state {
    combgpu__magic_range range;
    combgpu_magic_diagonals_desc desc;
} combgpu__magic_diagonals_state;

static const unsigned char combgpu__magic_diagonal_cells[12] = {0, 35, 7,  28, 14, 21,
                                                                5, 30, 10, 25, 15, 20};

/* The numbers of a pair of series in way `placing` to put them, as three words. */
COMBGPU__PRIVATE void combgpu__magic_place_series(uint64_t a, uint64_t b, uint32_t placing,
                                                  uint32_t *words)
{
    uint32_t numbers[12], main_order = placing / 360, other = placing % 360, i, k;
    uint32_t low[6], high[6], from, to;
    for (i = 0; i < 6; i++, a &= a - 1, b &= b - 1) {
        low[i] = (uint32_t)combgpu__lowest_bit64(a);
        high[i] = (uint32_t)combgpu__lowest_bit64(b);
    }
    for (i = 0; i < 6; i += 2) { /* the smallest number left, and a partner */
        uint32_t choices = 5 - i, partner = 1 + (i == 0   ? main_order / 3
                                                 : i == 2 ? main_order % 3
                                                          : 0);
        numbers[i] = low[0];
        numbers[i + 1] = low[partner];
        for (from = 1, to = 0; from <= choices; from++)
            if (from != partner) low[to++] = low[from];
    }
    for (from = 0, k = other / 24; k >= 5 - from; from++) /* a pair from < to of 6 */
        k -= 5 - from;
    to = from + 1 + k;
    numbers[6] = high[from];
    numbers[7] = high[to];
    for (i = 0, k = 0; i < 6; i++)
        if (i != from && i != to) high[k++] = high[i];
    for (i = 0, other %= 24; i < 4; i++) { /* the other four, in each order */
        uint32_t rest = i == 0 ? 6 : i == 1 ? 2 : 1, pick = other / rest;
        other %= rest;
        numbers[8 + i] = high[pick];
        for (k = pick; k < 3; k++)
            high[k] = high[k + 1];
    }
    for (i = 0; i < 3; i++)
        words[i] = 0;
    for (i = 0; i < 12; i++)
        words[i / 5] |= numbers[i] << 6 * (i % 5);
}

/* Writes `count` configurations from `first` on, three words each. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_configurations(combgpu_context *ctx, uint64_t first,
                                                              uint64_t count, uint32_t *words)
{
    size_t bytes = COMBGPU__MAGIC_SIX_SERIES * sizeof(uint64_t), i, j;
    uint64_t *series = (uint64_t *)combgpu__allocate(ctx, bytes);
    uint64_t skip = first / COMBGPU__MAGIC_PLACINGS;
    uint32_t placing = (uint32_t)(first % COMBGPU__MAGIC_PLACINGS);
    if (!series) return combgpu__no_memory(ctx, bytes);
    combgpu__magic_series(6, 1, 36, 111, 0, series);
    for (i = 0; i < COMBGPU__MAGIC_SIX_SERIES && count; i++) {
        uint64_t set = series[i], disjoint = 0;
        for (j = i + 1; j < COMBGPU__MAGIC_SIX_SERIES; j++)
            disjoint += !(set & series[j]);
        if (skip >= disjoint) {
            skip -= disjoint;
            continue;
        }
        for (j = i + 1; j < COMBGPU__MAGIC_SIX_SERIES && count; j++) {
            if (set & series[j]) continue;
            if (skip) {
                skip--;
                continue;
            }
            for (; placing < COMBGPU__MAGIC_PLACINGS && count; placing++, count--, words += 3)
                combgpu__magic_place_series(set, series[j], placing, words);
            placing = 0;
        }
    }
    combgpu__release(ctx, series);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE int combgpu__magic_diagonal_of(const uint32_t *words, int i)
{
    return (int)(words[i / 5] >> 6 * (i % 5) & 63);
}

COMBGPU__DEF combgpu_status combgpu_magic_diagonals_get(combgpu_context *ctx,
                                                        uint64_t configuration, int *square)
{
    uint32_t words[3];
    combgpu_status status;
    int i;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT; /* its memory is needed */
    if (!square) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "square is NULL");
    if (configuration >= COMBGPU_MAGIC_CONFIGURATIONS)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "configuration is %llu; it may be 0 to %llu",
                             (unsigned long long)configuration,
                             (unsigned long long)(COMBGPU_MAGIC_CONFIGURATIONS - 1));
    status = combgpu__magic_configurations(ctx, configuration, 1, words);
    if (status) return status;
    memset(square, 0, 36 * sizeof *square);
    for (i = 0; i < 12; i++)
        square[combgpu__magic_diagonal_cells[i]] = combgpu__magic_diagonal_of(words, i);
    return COMBGPU_OK;
}

/* ---- order 6 in parts: C solver */

/* The squares over a configuration with choice t: the numbers in columns 0, 1 and 4 of row 2 and then
   in columns 0 and 1 of row 3, each by its place among those that are left. Row 3 is filled in every
   way, the rest is counted. */
COMBGPU__PRIVATE uint64_t combgpu__magic_choice(combgpu__magic_rest_cells *rest,
                                                const uint32_t *configuration, uint32_t t)
{
    static const unsigned char cells[6] = {12, 13, 16, 17, 18, 19};
    int need[12], needs[12], i, number;
    uint32_t places[5], place;
    combgpu__magic_numbers left = {(UINT64_C(2) << 36) - 2, 0}, others;
    uint64_t squares = 0, from;
    places[4] = t % 19, places[3] = t / 19 % 20, places[2] = t / 380 % 22;
    places[1] = t / 8360 % 23, places[0] = t / 192280;
    for (i = 0; i < 12; i++)
        need[i] = 111;
    for (i = 0; i < 12; i++) {
        int cell = combgpu__magic_diagonal_cells[i];
        number = combgpu__magic_diagonal_of(configuration, i);
        need[cell / 6] -= number;
        need[6 + cell % 6] -= number;
        left.lo &= ~(UINT64_C(1) << number);
    }
    for (i = 0; i < 6; i++) {
        if (i == 3) { /* the last of row 2 follows */
            number = need[2];
            if (number < 1 || number > 36 || !(left.lo >> number & 1)) return 0;
        } else {
            for (from = left.lo, place = places[i - (i > 3)]; place; place--)
                from &= from - 1;
            number = combgpu__lowest_bit64(from);
        }
        left.lo &= ~(UINT64_C(1) << number);
        need[cells[i] / 6] -= number;
        need[6 + cells[i] % 6] -= number;
    }
    for (from = left.lo; from; from &= from - 1) { /* the last two of row 3 */
        int fifth = combgpu__lowest_bit64(from), sixth = need[3] - fifth;
        if (sixth < 1 || sixth > 36 || sixth == fifth || !(left.lo >> sixth & 1)) continue;
        memcpy(needs, need, sizeof needs);
        needs[6 + 4] -= fifth;
        needs[6 + 5] -= sixth;
        others = left;
        others.lo &= ~(UINT64_C(1) << fifth | UINT64_C(1) << sixth);
        squares += combgpu__magic_rest_ways(rest, 6, 2, others, needs);
    }
    return squares;
}

COMBGPU__PRIVATE int combgpu__magic_diagonals_step(combgpu__worker *worker, void *memory,
                                                   uint64_t index)
{
    const uint32_t *tables = worker->tables;
    uint64_t base = combgpu__get64(tables) * COMBGPU__MAGIC_CHOICES;
    uint64_t squares = combgpu__magic_choice((combgpu__magic_rest_cells *)memory,
                                             tables + COMBGPU__MAGIC_C_CONFIGURATION +
                                                 3 * (index / COMBGPU__MAGIC_CHOICES),
                                             (uint32_t)(index % COMBGPU__MAGIC_CHOICES));
    worker->totals[COMBGPU__MAGIC_C_SQUARES] += squares;
    worker->totals[COMBGPU__MAGIC_C_HASH] += combgpu__mix(combgpu__mix(base + index) ^ squares);
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_diagonals_solve(combgpu__worker *worker)
{
    combgpu__magic_rest_cells rest;
    combgpu__magic_range_solve(worker, &rest, combgpu__magic_diagonals_step);
}

/* ---- order 6 in parts: begin, end */

COMBGPU__PRIVATE double combgpu__magic_diagonals_fraction(const combgpu_job *job)
{
    double all = (double)((const combgpu__magic_range *)job->state)->end;
    return (double)job->sums[0] / all * (job->run.shard_count > 1 ? job->run.shard_count : 1);
}

COMBGPU__PRIVATE uint64_t combgpu__magic_diagonals_solutions(const combgpu_job *job)
{
    return job->sums[COMBGPU__MAGIC_C_SQUARES];
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_diagonals(combgpu_job *job)
{
    combgpu__magic_diagonals_state *state = (combgpu__magic_diagonals_state *)job->state;
    const combgpu_magic_diagonals_desc *desc = &state->desc;
    combgpu_status status =
        combgpu__job_tables(job, COMBGPU__MAGIC_C_CONFIGURATION + 3 * (size_t)desc->count);
    snprintf(job->parameters, sizeof job->parameters, "order 6 first %llu count %llu",
             (unsigned long long)desc->first, (unsigned long long)desc->count);
    if (status) return status;
    state->range.end = desc->count * COMBGPU__MAGIC_CHOICES;
    state->range.pieces = desc->count < 18 ? desc->count * 14421 : 1 << 18; /* of 320 steps */
    combgpu__put64(job->tables + COMBGPU__MAGIC_C_FIRST, desc->first);
    job->tables[COMBGPU__MAGIC_C_COUNT] = (uint32_t)desc->count;
    return combgpu__magic_configurations(job->ctx, desc->first, desc->count,
                                         job->tables + COMBGPU__MAGIC_C_CONFIGURATION);
}

static const combgpu__magic_solver combgpu__magic_diagonals_solver = {
    {"diagonals of magic squares", combgpu__magic_range_frontier, combgpu__magic_no_record, NULL,
     combgpu__magic_diagonals_fraction, combgpu__magic_diagonals_solutions,
     combgpu__magic_range_adopt_task, combgpu__magic_adopt_no_record, NULL},
    {"combgpu_magic_configurations", "MAGIC6", combgpu__magic_diagonals_solve, 1, 128, 1, 1, NULL,
     NULL},
    combgpu__magic_begin_diagonals,
    1};

COMBGPU__DEF combgpu_status combgpu_magic_diagonals_begin(combgpu_context *ctx,
                                                          const combgpu_magic_diagonals_desc *desc,
                                                          combgpu_job **out)
{
    combgpu__magic_diagonals_state state;
    combgpu_status status = combgpu__magic_arguments(ctx, desc, out);
    if (status) return status;
    if (desc->count < 1 || desc->count > COMBGPU__MAGIC_MOST_CONFIGURATIONS)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "count is %llu; it may be 1 to %u",
                             (unsigned long long)desc->count, COMBGPU__MAGIC_MOST_CONFIGURATIONS);
    if (desc->first > COMBGPU_MAGIC_CONFIGURATIONS - desc->count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "first is %llu; with count %llu it may be 0 to %llu",
                             (unsigned long long)desc->first, (unsigned long long)desc->count,
                             (unsigned long long)(COMBGPU_MAGIC_CONFIGURATIONS - desc->count));
    memset(&state, 0, sizeof state);
    state.desc = *desc;
    return combgpu__magic_create(ctx, &combgpu__magic_diagonals_solver, &state, sizeof state,
                                 &desc->run, out);
}

COMBGPU__DEF combgpu_status combgpu_magic_diagonals_end(combgpu_job *job,
                                                        combgpu_magic_diagonals_result *result)
{
    combgpu_magic_diagonals_result r;
    combgpu_status status;
    uint64_t high;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, job->problem == &combgpu__magic_diagonals_solver.problem,
                             "combgpu_magic_diagonals_begin");
    if (status) return status;
    memset(&r, 0, sizeof r);
    r.squares = job->sums[COMBGPU__MAGIC_C_SQUARES];
    high = (r.squares >> 32) * 192;
    r.count.lo = r.squares * 192;
    r.count.hi = (high + ((r.squares & UINT32_MAX) * 192 >> 32)) >> 32;
    status = combgpu__job_ended(job, job->sums[COMBGPU__MAGIC_C_HASH], &r.run);
    if (result) *result = r;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_magic_diagonals(combgpu_context *ctx,
                                                    const combgpu_magic_diagonals_desc *desc,
                                                    combgpu_magic_diagonals_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (result) memset(result, 0, sizeof *result);
    status = combgpu_magic_diagonals_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_magic_diagonals_end(job, result);
}

