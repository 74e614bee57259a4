/* Estimates of magic squares: each lane draws the numbers of a sample. Words of `tables`: layout.h.
   Sets of numbers have bit v for number v; a mirror has bit numbers + 1 - v. `wide` (more than 63
   numbers) is a constant in every kernel. */

typedef struct combgpu_estimate_set_t {
    uint64_t lo, hi;
} combgpu_estimate_set_t;

COMBGPU__DEVICE uint32_t combgpu_estimate_any(combgpu_estimate_set_t a, uint32_t wide)
{
    return wide ? (a.lo | a.hi) != 0 : a.lo != 0;
}

COMBGPU__DEVICE void combgpu_estimate_drop(combgpu_estimate_set_t *a, uint32_t v, uint32_t wide)
{
    uint64_t bit = ~((uint64_t)1 << (v & 63));
    if (wide && v >= 64)
        a->hi &= bit;
    else
        a->lo &= bit;
}

/* Removes and returns the smallest number of a nonempty set. */
COMBGPU__DEVICE uint32_t combgpu_estimate_next(combgpu_estimate_set_t *a, uint32_t wide)
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
COMBGPU__DEVICE combgpu_estimate_set_t combgpu_estimate_partners(combgpu_estimate_set_t from,
                                                                 combgpu_estimate_set_t mirror,
                                                                 int32_t sum, int32_t numbers,
                                                                 uint32_t wide)
{
    int32_t shift = numbers + 1 - sum;
    combgpu_estimate_set_t p;
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

/* mantissa * 2^exponent, cut to 40 bits after each step */
typedef struct combgpu_estimate_product_t {
    uint64_t mantissa;
    int32_t exponent;
} combgpu_estimate_product_t;

COMBGPU__DEVICE uint32_t combgpu_estimate_bits(uint64_t x) /* bits of x, not 0 */
{
    return x >> 32 ? 64 - COMBGPU__CLZ((uint32_t)(x >> 32)) : 32 - COMBGPU__CLZ((uint32_t)x);
}

COMBGPU__DEVICE void combgpu_estimate_multiply(combgpu_estimate_product_t *p, uint32_t factor)
{
    uint32_t bits;
    p->mantissa *= factor;
    bits = combgpu_estimate_bits(p->mantissa);
    if (bits > 40) {
        p->mantissa >>= bits - 40;
        p->exponent += (int32_t)(bits - 40);
    }
}

typedef struct combgpu_estimate_draw_t {
    combgpu_estimate_set_t unused, mirror;
    int32_t total;
    COMBGPU__LOCAL int32_t *need; /* what lines need: slot i at 32 * i, each lane its own */
    uint64_t kept;                /* numbers that may be rearranged, 8 bits each */
    combgpu_estimate_product_t chosen, choices;
} combgpu_estimate_draw_t;

/* Returns the likelihood of a number by its distance from the centre, in units of 1/4. */
COMBGPU__DEVICE uint32_t combgpu_estimate_curve(int32_t distance, uint32_t slope)
{
    uint64_t part = ((uint64_t)(uint32_t)(distance * distance) * slope) >> 24;
    uint32_t q = part < 65535 ? 65535 - (uint32_t)part : 0;
    q = (q * q) >> 16;
    q = (q * q) >> 16;
    return ((q * q) >> 16) + 1024;
}

COMBGPU__DEVICE uint32_t combgpu_estimate_choose(combgpu_estimate_draw_t *draw,
                                                 combgpu_estimate_set_t from, int32_t centre,
                                                 uint32_t slope, uint64_t random, uint32_t wide)
{
    combgpu_estimate_set_t set = from;
    uint32_t all = 0, v = 0, q = 0, at;
    while (combgpu_estimate_any(set, wide))
        all +=
            combgpu_estimate_curve(4 * (int32_t)combgpu_estimate_next(&set, wide) - centre, slope);
    at = (uint32_t)(((random >> 24) * all) >> 40);
    while (combgpu_estimate_any(from, wide)) {
        v = combgpu_estimate_next(&from, wide);
        q = combgpu_estimate_curve(4 * (int32_t)v - centre, slope);
        if (at < q) break;
        at -= q;
    }
    combgpu_estimate_multiply(&draw->chosen, q);
    combgpu_estimate_multiply(&draw->choices, all);
    return v;
}

COMBGPU__DEVICE void combgpu_estimate_put(combgpu_estimate_draw_t *draw,
                                          COMBGPU__GLOBAL const uint32_t *cell, uint32_t v,
                                          uint32_t numbers, uint32_t wide)
{
    uint32_t i;
    for (i = 0; i < 4; i++)
        draw->need[32 * (cell[i] & 255)] -= (int32_t)v;
    draw->total -= (int32_t)v;
    if (cell[5] >> 8) draw->kept |= (uint64_t)v << (8 * ((cell[5] >> 8) - 1));
    combgpu_estimate_drop(&draw->unused, v, wide);
    combgpu_estimate_drop(&draw->mirror, numbers + 1 - v, wide);
}

/* Returns the weighted sum, over the cell's lines, of 4 times the number that suits the line. If
   `turned` is not 0, the cell is the second of a pair with that sum, and its wishes turn into the
   first one's. */
COMBGPU__DEVICE int32_t combgpu_estimate_wishes(const combgpu_estimate_draw_t *draw,
                                                COMBGPU__GLOBAL const uint32_t *cell, int32_t mean,
                                                int32_t turned)
{
    int32_t sum = 0;
    uint32_t i;
    for (i = 0; i < 4; i++) {
        int32_t wish =
            4 * draw->need[32 * (cell[i] & 255)] - (int32_t)((cell[i] >> 8) & 255) * mean;
        if (turned) wish = 4 * turned - wish;
        sum += (int32_t)(cell[i] >> 16) * wish;
    }
    return sum;
}

/* Returns the `draws`-th random number of a sample, 64 bits. */
COMBGPU__DEVICE uint64_t combgpu_estimate_random(uint64_t key, uint32_t draws)
{
    return combgpu_mix(key + draws * ((uint64_t)0x9e3779b9u << 32 | 0x7f4a7c15u));
}

/* Fills a line of the plan. Returns 0 if no pair completes it. */
COMBGPU__DEVICE uint32_t combgpu_estimate_line(combgpu_estimate_draw_t *draw,
                                               COMBGPU__GLOBAL const uint32_t *tables,
                                               uint32_t *words, uint64_t key, uint32_t *draws,
                                               uint32_t wide)
{
    uint32_t head = tables[*words], cells = (head >> 8) & 255, at = *words + 1,
             numbers = tables[COMBGPU__ESTIMATE_AT_NUMBERS], v;
    int32_t mean, wishes, sum = 0;
    combgpu_estimate_set_t from;
    *words += 1 + 6 * cells + 12 * (head >> 16);
    for (cells += head >> 16; cells; cells--, at += 6) {
        uint32_t pair = cells == 1 && (head >> 16);
        mean = 4 * draw->total / (int32_t)(tables[at + 5] & 255);
        wishes = combgpu_estimate_wishes(draw, tables + at, mean, 0);
        from = draw->unused;
        if (pair) {
            sum = draw->need[32 * (head & 255)];
            if (sum < 3 || sum > 2 * (int32_t)numbers) return 0;
            from = combgpu_estimate_partners(from, draw->mirror, sum, (int32_t)numbers, wide);
            if (!(sum & 1)) combgpu_estimate_drop(&from, (uint32_t)sum / 2, wide);
            if (!combgpu_estimate_any(from, wide)) return 0;
            wishes += combgpu_estimate_wishes(draw, tables + at + 6, mean, sum);
        }
        ++*draws;
        v = combgpu_estimate_choose(draw, from, wishes / (int32_t)tables[at + 4],
                                    tables[at + 4] * tables[COMBGPU__ESTIMATE_AT_CURVE],
                                    combgpu_estimate_random(key, *draws), wide);
        combgpu_estimate_put(draw, tables + at, v, numbers, wide);
        if (pair) combgpu_estimate_put(draw, tables + at + 6, (uint32_t)sum - v, numbers, wide);
    }
    return 1;
}

/* Returns ways / probability in units of 2^scale, rounded; all bits set if that is too large. */
COMBGPU__DEVICE uint64_t combgpu_estimate_weigh(const combgpu_estimate_product_t *chosen,
                                                const combgpu_estimate_product_t *choices,
                                                uint32_t ways, int32_t scale)
{
    uint32_t up = 40 - combgpu_estimate_bits(choices->mantissa);
    uint32_t down = 40 - combgpu_estimate_bits(chosen->mantissa);
    uint64_t value = ((choices->mantissa << up) << 24) / ((chosen->mantissa << down) >> 8);
    int32_t shift =
        scale + 32 + (chosen->exponent - (int32_t)down) - (choices->exponent - (int32_t)up);
    value *= ways;
    if (!ways || shift > 63) return 0;
    if (shift > 0) return ((value >> (shift - 1)) & 1) + (value >> shift);
    if (shift < -30 || value >> (63 + shift)) return ~(uint64_t)0;
    return value << -shift;
}

/* Returns the sum of two values, all bits set if that is too large, in a form that compilers do not
   turn into an intrinsic: oclgrind lacks it. */
COMBGPU__DEVICE uint64_t combgpu_estimate_add(uint64_t a, uint64_t b)
{
    return ((a >> 1) + (b >> 1) + (a & b & 1)) >> 63 ? ~(uint64_t)0 : a + b;
}
