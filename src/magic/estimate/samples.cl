/* Estimates of magic squares: the samples and the kernels. */

/* Draws sample `index`, with draw->need set. Returns 0 if no pair completes a line; else *random is
   the next random number. */
COMBGPU__DEVICE uint32_t combgpu_estimate_draw(COMBGPU__GLOBAL const uint32_t *tables,
                                               uint64_t index, combgpu_estimate_draw_t *draw,
                                               uint64_t *random, uint32_t wide)
{
    uint64_t seed = combgpu_load64(tables + COMBGPU__ESTIMATE_AT_SEED);
    uint64_t key = combgpu_mix(seed + combgpu_mix(index));
    uint32_t n = tables[COMBGPU__ESTIMATE_AT_ORDER], numbers = tables[COMBGPU__ESTIMATE_AT_NUMBERS],
             lines = tables[COMBGPU__ESTIMATE_AT_LINES], words = COMBGPU__ESTIMATE_AT_PLAN,
             draws = 0, line, i;
    draw->total = (int32_t)(numbers * (numbers + 1) / 2);
    draw->unused.lo = numbers < 64 ? ((uint64_t)2 << (numbers & 63)) - 2 : ~(uint64_t)1;
    draw->unused.hi = numbers < 64 ? 0 : ((uint64_t)2 << (numbers & 63)) - 1;
    draw->mirror = draw->unused;
    draw->kept = 0;
    draw->chosen.mantissa = draw->choices.mantissa = 1;
    draw->chosen.exponent = draw->choices.exponent = 0;
    for (i = 0; i < 2 * n + 3; i++)
        draw->need[32 * i] = (int32_t)tables[COMBGPU__ESTIMATE_AT_SUM];
    for (line = 0; line < lines; line++)
        if (!combgpu_estimate_line(draw, tables, &words, key, &draws, wide)) return 0;
    *random = combgpu_estimate_random(key, draws + 1);
    return 1;
}

COMBGPU__DEVICE int32_t combgpu_estimate_scale(COMBGPU__GLOBAL const uint32_t *tables)
{
    return (int32_t)tables[COMBGPU__ESTIMATE_AT_SCALE] - 65536;
}

/* The totals of a lane's samples. */
typedef struct combgpu_estimate_totals_t {
    uint64_t added[COMBGPU__ESTIMATE_TOTALS - 1];
    uint32_t steps;
} combgpu_estimate_totals_t;

COMBGPU__DEVICE void combgpu_estimate_begin_totals(combgpu_estimate_totals_t *totals)
{
    uint32_t i;
    totals->steps = 0;
    for (i = 0; i < COMBGPU__ESTIMATE_TOTALS - 1; i++)
        totals->added[i] = 0;
}

COMBGPU__DEVICE void combgpu_estimate_add_sample(combgpu_estimate_totals_t *totals, uint64_t index,
                                                 uint64_t value)
{
    uint64_t low = (uint32_t)value, high = value >> 32, middle = 2 * low * high, square, part;
    totals->steps++;
    totals->added[COMBGPU__ESTIMATE_HASH - 1] += combgpu_mix(combgpu_mix(index) ^ value);
    if (value >> 60) totals->added[COMBGPU__ESTIMATE_TOO_LARGE - 1]++;
    if (!value || value >> 60) return;
    totals->added[0] += low;
    totals->added[1] += high;
    totals->added[2] += (uint32_t)(low * low);
    totals->added[3] += ((low * low) >> 32) + (uint32_t)middle;
    totals->added[4] += (middle >> 32) + (uint32_t)(high * high);
    totals->added[5] += (high * high) >> 32;
    value = value >> 42 ? (1u << 30) - 1 : value >> 12;
    square = value * value;
    low = (uint32_t)square, high = square >> 32, middle = 2 * low * high;
    part = ((low * value) >> 32) + high * value;
    totals->added[COMBGPU__ESTIMATE_CUBES - 1] += (uint32_t)(low * value);
    totals->added[COMBGPU__ESTIMATE_CUBES] += (uint32_t)part;
    totals->added[COMBGPU__ESTIMATE_CUBES + 1] += part >> 32;
    totals->added[COMBGPU__ESTIMATE_FOURTHS - 1] += (uint32_t)(low * low);
    totals->added[COMBGPU__ESTIMATE_FOURTHS] += ((low * low) >> 32) + (uint32_t)middle;
    totals->added[COMBGPU__ESTIMATE_FOURTHS + 1] += (middle >> 32) + (uint32_t)(high * high);
    totals->added[COMBGPU__ESTIMATE_FOURTHS + 2] += (high * high) >> 32;
}

COMBGPU__DEVICE void combgpu_estimate_end_totals(COMBGPU__GLOBAL combgpu__slice *slice,
                                                 const combgpu_estimate_totals_t *totals)
{
    uint32_t i;
    combgpu_add_total(slice, 0, totals->steps);
    for (i = 0; i < COMBGPU__ESTIMATE_TOTALS - 1; i++)
        combgpu_add_total(slice, 1 + i, totals->added[i]);
}

/* Orders 4 and 5: one lane is a worker. A sample is a step. */
COMBGPU__KERNEL combgpu_magic_samples(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY int32_t needs[128 * COMBGPU__MAGIC_SLOTS];
    const uint32_t n = tables[COMBGPU__ESTIMATE_AT_ORDER], lane = COMBGPU__LANE_ID;
    combgpu_estimate_totals_t totals;
    uint64_t index = 0, end = 0, random;
    (void)records, (void)work;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    combgpu_estimate_begin_totals(&totals);
    while (combgpu_in_range(slice, tasks, left, &index, &end, totals.steps)) {
        combgpu_estimate_draw_t draw;
        uint64_t value = 0;
        draw.need = needs + 32 * COMBGPU__MAGIC_SLOTS * (lane / 32) + lane % 32;
        if (combgpu_estimate_draw(tables, index, &draw, &random, 0))
            value =
                combgpu_estimate_weigh(&draw.chosen, &draw.choices, combgpu_estimate_rest(&draw, n),
                                       combgpu_estimate_scale(tables));
        combgpu_estimate_add_sample(&totals, index++, value);
    }
    combgpu_estimate_end_totals(slice, &totals);
}

/* Returns a lane's sample: the summed weights of its arrangements, whose likelihoods add up to
   `all`. */
COMBGPU__DEVICE uint64_t combgpu_estimate_weigh_picks(
    COMBGPU__LOCAL const combgpu_estimate_bench_t *t, uint32_t lane,
    const combgpu_estimate_product_t *drawn, const combgpu_estimate_product_t *drawn_from,
    uint32_t all, uint32_t picks, int32_t scale)
{
    combgpu_estimate_product_t choices = *drawn_from;
    uint64_t sum = 0;
    uint32_t pick;
    if (all) combgpu_estimate_multiply(&choices, all);
    for (pick = 0; pick < picks && all; pick++) {
        combgpu_estimate_product_t chosen = *drawn;
        uint32_t ways = t->ways[32 * pick + lane];
        if (!ways) continue;
        combgpu_estimate_multiply(&chosen, 576 * t->chances[32 * pick + lane]);
        sum = combgpu_estimate_add(sum, combgpu_estimate_weigh(&chosen, &choices, ways, scale));
    }
    return sum;
}

/* Order 6 and above: takes the next samples of the worker's range, or of its next one; up to 32, one
   for each lane, the first of which is *index. Returns how many; 0 = the slice is over. */
COMBGPU__DEVICE uint32_t combgpu_estimate_take(COMBGPU__GROUP_PARAMETER,
                                               COMBGPU__GLOBAL combgpu__slice *slice,
                                               COMBGPU__GLOBAL const uint32_t *tasks,
                                               COMBGPU__GLOBAL uint32_t *left, uint64_t *index,
                                               uint64_t *next, uint64_t *end, uint32_t steps)
{
    uint32_t count = 0;
    if (COMBGPU__GROUP_LANE == 0 && COMBGPU__GROUP_INDEX < slice->workers &&
        combgpu_in_range(slice, tasks, left, next, end, steps)) {
        count = *end - *next < 32 ? (uint32_t)(*end - *next) : 32;
        *index = *next;
        *next += count;
    }
    *index = COMBGPU__GROUP_FROM((uint32_t)*index, 0) |
             (uint64_t)COMBGPU__GROUP_FROM((uint32_t)(*index >> 32), 0) << 32;
    return COMBGPU__GROUP_FROM(count, 0);
}

COMBGPU__DEVICE void combgpu_estimate_arranged(COMBGPU__GROUP_PARAMETER,
                                               COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                               COMBGPU__GLOBAL combgpu__slice *slice,
                                               COMBGPU__GLOBAL const uint32_t *tables,
                                               COMBGPU__GLOBAL const uint32_t *tasks,
                                               COMBGPU__GLOBAL uint32_t *left, uint32_t wide)
{
    const uint32_t lane = COMBGPU__GROUP_LANE, log_picks = tables[COMBGPU__ESTIMATE_AT_PICKS];
    combgpu_estimate_totals_t totals;
    uint64_t next = 0, end = 0, index = 0;
    uint32_t steps = 0, count;
    combgpu_estimate_begin_totals(&totals);
    while ((count = combgpu_estimate_take(COMBGPU__GROUP, slice, tasks, left, &index, &next, &end,
                                          steps)) != 0) {
        combgpu_estimate_product_t chosen, choices;
        /* own: NONE without a sample. A second condition `lane < count`, behind barriers, is wrong
           in all lanes with PoCL's methods "loops" and "cbs" */
        uint32_t drawn = 0, waiting, own = COMBGPU__NONE;
        if (lane < count) {
            combgpu_estimate_draw_t draw;
            uint64_t random;
            draw.need = (COMBGPU__LOCAL int32_t *)t->joint + lane;
            drawn = combgpu_estimate_draw(tables, index + lane, &draw, &random, wide);
            if (drawn)
                combgpu_estimate_note(COMBGPU__GROUP, t, &draw, tables[COMBGPU__ESTIMATE_AT_ORDER],
                                      (uint32_t)(random >> 32), wide);
            chosen = draw.chosen;
            choices = draw.choices;
            own = 0;
        }
        waiting = COMBGPU__GROUP_BALLOT(drawn);
        COMBGPU__WARP_BARRIER();
        while (waiting) {
            uint32_t from = COMBGPU__CTZ(waiting),
                     all = combgpu_estimate_arrange(COMBGPU__GROUP, t, from, log_picks);
            if (lane == from) own = all;
            waiting &= waiting - 1;
            COMBGPU__WARP_BARRIER();
        }
        if (own != COMBGPU__NONE)
            combgpu_estimate_add_sample(
                &totals, index + lane,
                combgpu_estimate_weigh_picks(t, lane, &chosen, &choices, own, 1u << log_picks,
                                             combgpu_estimate_scale(tables)));
        steps += count;
        COMBGPU__WARP_BARRIER();
    }
    combgpu_estimate_end_totals(slice, &totals);
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__ESTIMATE_GROUPS, COMBGPU__ESTIMATE_GROUP_BLOCKS)
combgpu_magic_arranged(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_estimate_bench_t benches[COMBGPU__ESTIMATE_GROUPS];
    COMBGPU__GROUP_BEGIN(32);
    (void)records, (void)work;
    combgpu_estimate_arranged(COMBGPU__GROUP,
                              &benches[COMBGPU__LANE_ID / 32 % COMBGPU__ESTIMATE_GROUPS], slice,
                              tables, tasks, left, 0);
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__ESTIMATE_GROUPS, COMBGPU__ESTIMATE_GROUP_BLOCKS)
combgpu_magic_arranged_wide(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_estimate_bench_t benches[COMBGPU__ESTIMATE_GROUPS];
    COMBGPU__GROUP_BEGIN(32);
    (void)records, (void)work;
    combgpu_estimate_arranged(COMBGPU__GROUP,
                              &benches[COMBGPU__LANE_ID / 32 % COMBGPU__ESTIMATE_GROUPS], slice,
                              tables, tasks, left, 1);
}
