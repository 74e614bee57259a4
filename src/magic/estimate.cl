/* Estimates of magic squares: one lane is a worker. Words of `tables`: layout.h. Sets of numbers
   have bit v for number v, and bit 0 where that saves a case; a mirror has bit numbers + 1 - v.
   `wide` (more than 63 numbers) is a constant in every kernel. */

typedef struct combgpu_magic6_set_t {
    uint64_t lo, hi;
} combgpu_magic6_set_t;

COMBGPU__DEVICE uint32_t combgpu_magic6_any(combgpu_magic6_set_t a, uint32_t wide)
{
    return wide ? (a.lo | a.hi) != 0 : a.lo != 0;
}

COMBGPU__DEVICE uint32_t combgpu_magic6_has(combgpu_magic6_set_t a, uint32_t v, uint32_t wide)
{
    if (wide && v >= 64) return (uint32_t)(a.hi >> (v & 63)) & 1;
    return (uint32_t)(a.lo >> (v & 63)) & 1;
}

COMBGPU__DEVICE void combgpu_magic6_drop(combgpu_magic6_set_t *a, uint32_t v, uint32_t wide)
{
    uint64_t bit = ~((uint64_t)1 << (v & 63));
    if (wide && v >= 64)
        a->hi &= bit;
    else
        a->lo &= bit;
}

/* Removes and returns the smallest number of a set that is not empty. */
COMBGPU__DEVICE uint32_t combgpu_magic6_next(combgpu_magic6_set_t *a, uint32_t wide)
{
    uint64_t word = !wide || a->lo ? a->lo : a->hi;
    uint32_t v = combgpu_lowest_bit64(word);
    if (!wide || a->lo) {
        a->lo &= a->lo - 1;
        return v;
    }
    a->hi &= a->hi - 1;
    return 64 + v;
}

/* Returns the numbers v of `from` for which sum - v is in the mirrored set; sum is 0 to 2 * numbers
   + 1. */
COMBGPU__DEVICE combgpu_magic6_set_t combgpu_magic6_partners(combgpu_magic6_set_t from,
                                                             combgpu_magic6_set_t mirror,
                                                             int32_t sum, int32_t numbers,
                                                             uint32_t wide)
{
    int32_t shift = numbers + 1 - sum;
    combgpu_magic6_set_t p;
    p.hi = 0;
    if (!wide) {
        p.lo = from.lo & (shift >= 0 ? mirror.lo >> shift : mirror.lo << -shift);
        return p;
    }
    if (shift >= 64) {
        p.lo = mirror.hi >> (shift & 63);
    } else if (shift > 0) {
        p.lo = mirror.lo >> shift | mirror.hi << (64 - shift);
        p.hi = mirror.hi >> shift;
    } else if (shift == 0) {
        p = mirror;
    } else if (shift > -64) {
        p.lo = mirror.lo << -shift;
        p.hi = mirror.hi << -shift | mirror.lo >> (64 + shift);
    } else {
        p.lo = 0;
        p.hi = mirror.lo << (-shift & 63);
    }
    p.lo &= from.lo;
    p.hi &= from.hi;
    return p;
}

/* Returns the numbers of a set that are below `end`, 0 to 127. */
COMBGPU__DEVICE combgpu_magic6_set_t combgpu_magic6_below(combgpu_magic6_set_t a, uint32_t end,
                                                          uint32_t wide)
{
    if (!wide || end < 64) {
        a.lo &= ((uint64_t)1 << (end & 63)) - 1;
        a.hi = 0;
    } else {
        a.hi &= ((uint64_t)1 << (end & 63)) - 1;
    }
    return a;
}

/* Removes two numbers from a set. Returns 0 if the set does not have both. */
COMBGPU__DEVICE uint32_t combgpu_magic6_split(combgpu_magic6_set_t *a, uint32_t v, uint32_t w,
                                              uint32_t wide)
{
    if (!combgpu_magic6_has(*a, v, wide) || !combgpu_magic6_has(*a, w, wide)) return 0;
    if (v) combgpu_magic6_drop(a, v, wide);
    if (w) combgpu_magic6_drop(a, w, wide);
    return 1;
}

/* What the rest needs: see the picture in estimate_plan.c. */
typedef struct combgpu_magic6_rest_t {
    combgpu_magic6_set_t mirror;
    int32_t numbers, width, row0, row5, row1, row4, column1, column4, column0, column5, difference;
} combgpu_magic6_rest_t;

/* Returns the choices for the middle cells of a row, which need `sum`: the smaller numbers of
   pairs, one number, or (no cells, nothing needed) bit 0, which stands for none. */
COMBGPU__DEVICE combgpu_magic6_set_t combgpu_magic6_middle(const combgpu_magic6_rest_t *r,
                                                           combgpu_magic6_set_t left, int32_t sum,
                                                           uint32_t wide)
{
    combgpu_magic6_set_t p;
    p.lo = p.hi = 0;
    if (sum < 0 || sum > 2 * r->numbers) return p;
    if (r->width == 2) {
        left.lo &= ~(uint64_t)1;
        return combgpu_magic6_below(combgpu_magic6_partners(left, r->mirror, sum, r->numbers, wide),
                                    ((uint32_t)sum + 1) / 2, wide);
    }
    if (r->width == 0) {
        p.lo = sum == 0;
    } else if (sum && sum <= r->numbers && combgpu_magic6_has(left, (uint32_t)sum, wide)) {
        if (wide && sum >= 64)
            p.hi = (uint64_t)1 << (sum & 63);
        else
            p.lo = (uint64_t)1 << (sum & 63);
    }
    return p;
}

/* Returns the pairs of a column that needs `sum`: both numbers of each pair. */
COMBGPU__DEVICE combgpu_magic6_set_t combgpu_magic6_column(const combgpu_magic6_rest_t *r,
                                                           combgpu_magic6_set_t left, int32_t sum,
                                                           uint32_t wide)
{
    combgpu_magic6_set_t p;
    p.lo = p.hi = 0;
    if (sum < 3 || sum > 2 * r->numbers) return p;
    left.lo &= ~(uint64_t)1;
    p = combgpu_magic6_partners(left, r->mirror, sum, r->numbers, wide);
    if (!(sum & 1)) combgpu_magic6_drop(&p, (uint32_t)sum / 2, wide);
    return p;
}

/* Counts the ways to fill rows 1 and n-2 with the numbers left, when the middle cells of rows 0 and
   n-1 differ by a and b. */
COMBGPU__DEVICE uint32_t combgpu_magic6_second(const combgpu_magic6_rest_t *r,
                                               combgpu_magic6_set_t left, int32_t a, int32_t b,
                                               uint32_t wide)
{
    combgpu_magic6_set_t first = combgpu_magic6_column(r, left, r->column0, wide);
    uint32_t ways = 0;
    while (combgpu_magic6_any(first, wide)) {
        uint32_t x = combgpu_magic6_next(&first, wide);
        combgpu_magic6_set_t others = left, second;
        if (!combgpu_magic6_split(&others, x, (uint32_t)r->column0 - x, wide)) continue;
        second = combgpu_magic6_column(r, others, r->column5, wide);
        while (combgpu_magic6_any(second, wide)) {
            uint32_t y = combgpu_magic6_next(&second, wide);
            combgpu_magic6_set_t middle = others, p;
            int32_t sum = r->row1 - (int32_t)(x + y);
            if (!combgpu_magic6_split(&middle, y, (uint32_t)r->column5 - y, wide)) continue;
            p = combgpu_magic6_middle(r, middle, sum, wide);
            while (combgpu_magic6_any(p, wide)) {
                uint32_t u = combgpu_magic6_next(&p, wide), v;
                combgpu_magic6_set_t two = middle;
                int32_t c, d, i, e;
                if (r->width < 2) { /* all else follows */
                    ways++;
                    continue;
                }
                if (!combgpu_magic6_split(&two, u, (uint32_t)sum - u, wide)) continue;
                two.lo &= ~(uint64_t)1;
                v = combgpu_magic6_next(&two, wide); /* the two numbers left fit */
                d = (int32_t)combgpu_magic6_next(&two, wide) - (int32_t)v;
                c = sum - 2 * (int32_t)u;
                for (i = 0; i < 4; i++) {
                    e = r->difference + (i & 1 ? c : -c) + (i & 2 ? d : -d);
                    ways += (e == a + b) + (e == a - b) + (e == b - a) + (e == -a - b);
                }
            }
        }
    }
    return ways;
}

/* Counts the ways to fill the rest. */
COMBGPU__DEVICE uint32_t combgpu_magic6_ways(const combgpu_magic6_rest_t *r,
                                             combgpu_magic6_set_t left, uint32_t wide)
{
    combgpu_magic6_set_t first, second, p, q, a, b, c, d;
    uint32_t ways = 0, x, y, u, v;
    int32_t top, bottom;
    left.lo |= 1;
    first = combgpu_magic6_column(r, left, r->column0, wide); /* else nothing can fit */
    second = combgpu_magic6_column(r, left, r->column5, wide);
    if (!combgpu_magic6_any(first, wide) || !combgpu_magic6_any(second, wide)) return 0;
    first = combgpu_magic6_column(r, left, r->column1, wide);
    while (combgpu_magic6_any(first, wide)) {
        x = combgpu_magic6_next(&first, wide);
        a = left;
        if (!combgpu_magic6_split(&a, x, (uint32_t)r->column1 - x, wide)) continue;
        second = combgpu_magic6_column(r, a, r->column4, wide);
        while (combgpu_magic6_any(second, wide)) {
            y = combgpu_magic6_next(&second, wide);
            b = a;
            if (!combgpu_magic6_split(&b, y, (uint32_t)r->column4 - y, wide)) continue;
            top = r->row0 - (int32_t)(x + y);
            bottom = r->row5 - (r->column1 - (int32_t)x) - (r->column4 - (int32_t)y);
            p = combgpu_magic6_middle(r, b, top, wide);
            while (combgpu_magic6_any(p, wide)) {
                u = combgpu_magic6_next(&p, wide);
                c = b;
                if (!combgpu_magic6_split(&c, u, r->width == 1 ? 0 : (uint32_t)top - u, wide))
                    continue;
                q = combgpu_magic6_middle(r, c, bottom, wide);
                while (combgpu_magic6_any(q, wide)) {
                    v = combgpu_magic6_next(&q, wide);
                    d = c;
                    if (!combgpu_magic6_split(&d, v, r->width == 1 ? 0 : (uint32_t)bottom - v,
                                              wide))
                        continue;
                    ways += combgpu_magic6_second(r, d, top - 2 * (int32_t)u,
                                                  bottom - 2 * (int32_t)v, wide);
                }
            }
        }
    }
    return ways;
}

/* mantissa * 2^exponent, cut to 40 bits after each step */
typedef struct combgpu_magic6_product_t {
    uint64_t mantissa;
    int32_t exponent;
} combgpu_magic6_product_t;

COMBGPU__DEVICE uint32_t combgpu_magic6_bits(uint64_t x) /* bits of x, not 0 */
{
    return x >> 32 ? 64 - COMBGPU__CLZ((uint32_t)(x >> 32)) : 32 - COMBGPU__CLZ((uint32_t)x);
}

COMBGPU__DEVICE void combgpu_magic6_multiply(combgpu_magic6_product_t *p, uint32_t factor)
{
    uint32_t bits;
    p->mantissa *= factor;
    bits = combgpu_magic6_bits(p->mantissa);
    if (bits > 40) {
        p->mantissa >>= bits - 40;
        p->exponent += (int32_t)(bits - 40);
    }
}

typedef struct combgpu_magic6_draw_t {
    combgpu_magic6_set_t unused, mirror;
    int32_t total;
    int32_t need[COMBGPU__MAGIC_SLOTS];
    combgpu_magic6_product_t chosen, choices;
} combgpu_magic6_draw_t;

/* Returns the likelihood of a number by its distance from the centre, in units of 1/4. */
COMBGPU__DEVICE uint32_t combgpu_magic6_curve(int32_t distance, uint32_t slope)
{
    uint64_t part = ((uint64_t)(uint32_t)(distance * distance) * slope) >> 24;
    uint32_t q = part < 65535 ? 65535 - (uint32_t)part : 0;
    q = (q * q) >> 16;
    q = (q * q) >> 16;
    return ((q * q) >> 16) + 1024;
}

COMBGPU__DEVICE uint32_t combgpu_magic6_choose(combgpu_magic6_draw_t *draw,
                                               combgpu_magic6_set_t from, int32_t centre,
                                               uint32_t slope, uint64_t random, uint32_t wide)
{
    combgpu_magic6_set_t set = from;
    uint32_t all = 0, v = 0, q = 0, at;
    while (combgpu_magic6_any(set, wide))
        all += combgpu_magic6_curve(4 * (int32_t)combgpu_magic6_next(&set, wide) - centre, slope);
    at = (uint32_t)(((random >> 24) * all) >> 40);
    while (combgpu_magic6_any(from, wide)) {
        v = combgpu_magic6_next(&from, wide);
        q = combgpu_magic6_curve(4 * (int32_t)v - centre, slope);
        if (at < q) break;
        at -= q;
    }
    combgpu_magic6_multiply(&draw->chosen, q);
    combgpu_magic6_multiply(&draw->choices, all);
    return v;
}

COMBGPU__DEVICE void combgpu_magic6_put(combgpu_magic6_draw_t *draw,
                                        COMBGPU__GLOBAL const uint32_t *cell, uint32_t v,
                                        uint32_t numbers, uint32_t wide)
{
    uint32_t i;
    for (i = 0; i < 4; i++)
        draw->need[cell[i] & 255] -= (int32_t)v;
    draw->total -= (int32_t)v;
    combgpu_magic6_drop(&draw->unused, v, wide);
    combgpu_magic6_drop(&draw->mirror, numbers + 1 - v, wide);
}

/* Returns the weighted sum, over the cell's lines, of 4 times the number that the line wants. If
   `turned` is not 0, the cell is the second of a pair with that sum, and its wishes become wishes
   for the first. */
COMBGPU__DEVICE int32_t combgpu_magic6_wishes(const combgpu_magic6_draw_t *draw,
                                              COMBGPU__GLOBAL const uint32_t *cell, int32_t mean,
                                              int32_t turned)
{
    int32_t sum = 0;
    uint32_t i;
    for (i = 0; i < 4; i++) {
        int32_t wish = 4 * draw->need[cell[i] & 255] - (int32_t)((cell[i] >> 8) & 255) * mean;
        if (turned) wish = 4 * turned - wish;
        sum += (int32_t)(cell[i] >> 16) * wish;
    }
    return sum;
}

/* Fills a line of the plan. Returns 0 if no pair completes it. */
COMBGPU__DEVICE uint32_t combgpu_magic6_line(combgpu_magic6_draw_t *draw,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             uint32_t *words, uint64_t key, uint32_t *draws,
                                             uint32_t wide)
{
    uint32_t head = tables[*words], cells = (head >> 8) & 255, at = *words + 1,
             numbers = tables[COMBGPU__ESTIMATE_AT_NUMBERS], v;
    int32_t mean, wishes, sum = 0;
    combgpu_magic6_set_t from;
    *words += 1 + 6 * cells + 12 * (head >> 16);
    for (cells += head >> 16; cells; cells--, at += 6) {
        uint32_t pair = cells == 1 && (head >> 16);
        mean = 4 * draw->total / (int32_t)tables[at + 5];
        wishes = combgpu_magic6_wishes(draw, tables + at, mean, 0);
        from = draw->unused;
        if (pair) {
            sum = draw->need[head & 255];
            if (sum < 3 || sum > 2 * (int32_t)numbers) return 0;
            from = combgpu_magic6_partners(from, draw->mirror, sum, (int32_t)numbers, wide);
            if (!(sum & 1)) combgpu_magic6_drop(&from, (uint32_t)sum / 2, wide);
            if (!combgpu_magic6_any(from, wide)) return 0;
            wishes += combgpu_magic6_wishes(draw, tables + at + 6, mean, sum);
        }
        ++*draws;
        v = combgpu_magic6_choose(
            draw, from, wishes / (int32_t)tables[at + 4],
            tables[at + 4] * tables[COMBGPU__ESTIMATE_AT_CURVE],
            combgpu_mix(key + *draws * ((uint64_t)0x9e3779b9u << 32 | 0x7f4a7c15u)), wide);
        combgpu_magic6_put(draw, tables + at, v, numbers, wide);
        if (pair) combgpu_magic6_put(draw, tables + at + 6, (uint32_t)sum - v, numbers, wide);
    }
    return 1;
}

/* Returns ways / probability in units of 2^scale, rounded; all bits set if that is too large. */
COMBGPU__DEVICE uint64_t combgpu_magic6_weigh(const combgpu_magic6_draw_t *draw, uint32_t ways,
                                              int32_t scale)
{
    uint32_t up = 40 - combgpu_magic6_bits(draw->choices.mantissa);
    uint32_t down = 40 - combgpu_magic6_bits(draw->chosen.mantissa);
    uint64_t value =
        ((draw->choices.mantissa << up) << 24) / ((draw->chosen.mantissa << down) >> 8);
    int32_t shift = scale + 32 + (draw->chosen.exponent - (int32_t)down) -
                    (draw->choices.exponent - (int32_t)up);
    value *= ways;
    if (!ways || shift > 63) return 0;
    if (shift > 0) return ((value >> (shift - 1)) & 1) + (value >> shift);
    if (shift < -30 || value >> (63 + shift)) return ~(uint64_t)0;
    return value << -shift;
}

/* Returns sample `index`, the sum of its repeats. */
COMBGPU__DEVICE uint64_t combgpu_magic6_sample(COMBGPU__GLOBAL const uint32_t *tables,
                                               uint64_t index, uint32_t wide)
{
    uint64_t seed = combgpu_load64(tables + COMBGPU__ESTIMATE_AT_SEED), sum = 0, value;
    uint64_t key = combgpu_mix(seed + combgpu_mix(index));
    uint32_t n = tables[COMBGPU__ESTIMATE_AT_ORDER], numbers = tables[COMBGPU__ESTIMATE_AT_NUMBERS],
             lines = tables[COMBGPU__ESTIMATE_AT_LINES], inner = tables[COMBGPU__ESTIMATE_AT_INNER],
             draws = 0;
    uint32_t words = COMBGPU__ESTIMATE_AT_PLAN, line, i, repeat, at;
    combgpu_magic6_draw_t draw, outer;
    combgpu_magic6_rest_t rest;
    outer.total = (int32_t)(numbers * (numbers + 1) / 2);
    outer.unused.lo = numbers < 64 ? ((uint64_t)2 << (numbers & 63)) - 2 : ~(uint64_t)1;
    outer.unused.hi = numbers < 64 ? 0 : ((uint64_t)2 << (numbers & 63)) - 1;
    outer.mirror = outer.unused;
    outer.chosen.mantissa = outer.choices.mantissa = 1;
    outer.chosen.exponent = outer.choices.exponent = 0;
    for (i = 0; i < 2 * n + 3; i++)
        outer.need[i] = (int32_t)tables[COMBGPU__ESTIMATE_AT_SUM];
    for (line = 0; line < inner; line++)
        if (!combgpu_magic6_line(&outer, tables, &words, key, &draws, wide)) return 0;
    for (repeat = 0; repeat < tables[COMBGPU__ESTIMATE_AT_REPEATS]; repeat++) {
        draw.total = outer.total;
        draw.unused = outer.unused;
        draw.mirror = outer.mirror;
        draw.chosen = outer.chosen;
        draw.choices = outer.choices;
        for (i = 0; i < 2 * n + 3; i++)
            draw.need[i] = outer.need[i];
        at = words;
        for (line = inner; line < lines; line++)
            if (!combgpu_magic6_line(&draw, tables, &at, key, &draws, wide)) break;
        if (line < lines) continue;
        rest.mirror = draw.mirror;
        rest.numbers = (int32_t)numbers;
        rest.width = (int32_t)tables[COMBGPU__ESTIMATE_AT_WIDTH];
        rest.row0 = draw.need[0], rest.row5 = draw.need[n - 1];
        rest.row1 = draw.need[1], rest.row4 = draw.need[n - 2];
        rest.column0 = draw.need[n], rest.column5 = draw.need[2 * n - 1];
        rest.column1 = draw.need[n + 1], rest.column4 = draw.need[2 * n - 2];
        rest.difference = draw.need[n + 2] - draw.need[2 * n - 3];
        value = combgpu_magic6_weigh(&draw, combgpu_magic6_ways(&rest, draw.unused, wide),
                                     (int32_t)tables[COMBGPU__ESTIMATE_AT_SCALE] - 65536);
        /* saturates; written so that no compiler makes an intrinsic of it, which oclgrind lacks */
        if (((value >> 1) + (sum >> 1) + (value & sum & 1)) >> 63)
            sum = ~(uint64_t)0;
        else
            sum += value;
    }
    return sum;
}

/* Takes ranges of samples; a sample is a step. */
COMBGPU__DEVICE void combgpu_magic6_estimate(COMBGPU__GLOBAL combgpu__slice *slice,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL const uint32_t *tasks,
                                             COMBGPU__GLOBAL uint32_t *left, uint32_t wide)
{
    uint64_t added[8], value, low, high, middle;
    uint32_t steps = 0, i;
    uint64_t index = 0, end = 0;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    for (i = 0; i < 8; i++)
        added[i] = 0;
    while (combgpu_in_range(slice, tasks, left, &index, &end, steps)) {
        value = combgpu_magic6_sample(tables, index, wide);
        steps++;
        added[COMBGPU__ESTIMATE_HASH - 1] += combgpu_mix(combgpu_mix(index) ^ value);
        index++;
        if (value >> 60) added[COMBGPU__ESTIMATE_TOO_LARGE - 1]++;
        if (!value || value >> 60) continue;
        low = (uint32_t)value, high = value >> 32, middle = 2 * low * high;
        added[0] += low;
        added[1] += high;
        added[2] += (uint32_t)(low * low);
        added[3] += ((low * low) >> 32) + (uint32_t)middle;
        added[4] += (middle >> 32) + (uint32_t)(high * high);
        added[5] += (high * high) >> 32;
    }
    combgpu_add_total(slice, 0, steps);
    for (i = 0; i < 8; i++)
        combgpu_add_total(slice, 1 + i, added[i]);
}

COMBGPU__KERNEL combgpu_magic_samples(COMBGPU__SLICE_ARGUMENTS)
{
    (void)records, (void)work;
    combgpu_magic6_estimate(slice, tables, tasks, left, 0);
}

COMBGPU__KERNEL combgpu_magic_samples_wide(COMBGPU__SLICE_ARGUMENTS)
{
    (void)records, (void)work;
    combgpu_magic6_estimate(slice, tables, tasks, left, 1);
}
