/* ---------------------------------------------------------------------------------- MAGIC6 */
#if defined(COMBGPU_KERNELS_MAGIC6) || defined(COMBGPU__HAS_MAGIC)

/* Estimates, and order 6 in parts: one lane is a worker. Words of `tables` as in combgpu.h, SECTION
   21. Sets of numbers have bit v for number v, and bit 0 set where that saves a case; a mirror has
   bit numbers + 1 - v. `wide` (more than 63 numbers) is a constant in every kernel. */
#define MAGIC6_SLOTS 25
#define MAGIC6_PLAN 12

typedef struct combgpu_magic6_set_t {
    u64 lo, hi;
} combgpu_magic6_set_t;

DEVICE u32 combgpu_magic6_any(combgpu_magic6_set_t a, u32 wide)
{
    return wide ? (a.lo | a.hi) != 0 : a.lo != 0;
}

DEVICE u32 combgpu_magic6_has(combgpu_magic6_set_t a, u32 v, u32 wide)
{
    if (wide && v >= 64) return (u32)(a.hi >> (v & 63)) & 1;
    return (u32)(a.lo >> (v & 63)) & 1;
}

DEVICE void combgpu_magic6_drop(combgpu_magic6_set_t *a, u32 v, u32 wide)
{
    u64 bit = ~((u64)1 << (v & 63));
    if (wide && v >= 64)
        a->hi &= bit;
    else
        a->lo &= bit;
}

/* Takes the smallest number out of a set that has one. */
DEVICE u32 combgpu_magic6_next(combgpu_magic6_set_t *a, u32 wide)
{
    u64 word = !wide || a->lo ? a->lo : a->hi;
    u32 v = combgpu_lowest_bit64(word);
    if (!wide || a->lo) {
        a->lo &= a->lo - 1;
        return v;
    }
    a->hi &= a->hi - 1;
    return 64 + v;
}

/* The numbers v of `from` for which sum - v is in the mirrored set; sum is 0 to 2 numbers + 1. */
DEVICE combgpu_magic6_set_t combgpu_magic6_partners(combgpu_magic6_set_t from,
                                                    combgpu_magic6_set_t mirror, i32 sum,
                                                    i32 numbers, u32 wide)
{
    i32 shift = numbers + 1 - sum;
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

/* Only the numbers below `end`, 0 to 127. */
DEVICE combgpu_magic6_set_t combgpu_magic6_below(combgpu_magic6_set_t a, u32 end, u32 wide)
{
    if (!wide || end < 64) {
        a.lo &= ((u64)1 << (end & 63)) - 1;
        a.hi = 0;
    } else {
        a.hi &= ((u64)1 << (end & 63)) - 1;
    }
    return a;
}

/* Takes two numbers out of a set; 0 if they are not both there. */
DEVICE u32 combgpu_magic6_split(combgpu_magic6_set_t *a, u32 v, u32 w, u32 wide)
{
    if (!combgpu_magic6_has(*a, v, wide) || !combgpu_magic6_has(*a, w, wide)) return 0;
    if (v) combgpu_magic6_drop(a, v, wide);
    if (w) combgpu_magic6_drop(a, w, wide);
    return 1;
}

/* What the rest needs: see the picture in combgpu.h. */
typedef struct combgpu_magic6_rest_t {
    combgpu_magic6_set_t mirror;
    i32 numbers, width, row0, row5, row1, row4, column1, column4, column0, column5, difference;
} combgpu_magic6_rest_t;

/* The first of the numbers that the middle cells of a row take, which need `sum`: the smaller of a
   pair, one number, or (no cells, nothing needed) bit 0, which stands for none. */
DEVICE combgpu_magic6_set_t combgpu_magic6_middle(const combgpu_magic6_rest_t *r,
                                                  combgpu_magic6_set_t left, i32 sum, u32 wide)
{
    combgpu_magic6_set_t p;
    p.lo = p.hi = 0;
    if (sum < 0 || sum > 2 * r->numbers) return p;
    if (r->width == 2) {
        left.lo &= ~(u64)1;
        return combgpu_magic6_below(
            combgpu_magic6_partners(left, r->mirror, sum, r->numbers, wide), ((u32)sum + 1) / 2,
            wide);
    }
    if (r->width == 0) {
        p.lo = sum == 0;
    } else if (sum && sum <= r->numbers && combgpu_magic6_has(left, (u32)sum, wide)) {
        if (wide && sum >= 64)
            p.hi = (u64)1 << (sum & 63);
        else
            p.lo = (u64)1 << (sum & 63);
    }
    return p;
}

/* The pairs of a column that needs `sum`, by either number. */
DEVICE combgpu_magic6_set_t combgpu_magic6_column(const combgpu_magic6_rest_t *r,
                                                  combgpu_magic6_set_t left, i32 sum, u32 wide)
{
    combgpu_magic6_set_t p;
    p.lo = p.hi = 0;
    if (sum < 3 || sum > 2 * r->numbers) return p;
    left.lo &= ~(u64)1;
    p = combgpu_magic6_partners(left, r->mirror, sum, r->numbers, wide);
    if (!(sum & 1)) combgpu_magic6_drop(&p, (u32)sum / 2, wide);
    return p;
}

/* Rows 1 and n-2 in the numbers left, when the middle of rows 0 and n-1 differs by a and b. */
DEVICE u32 combgpu_magic6_second(const combgpu_magic6_rest_t *r, combgpu_magic6_set_t left, i32 a,
                                 i32 b, u32 wide)
{
    combgpu_magic6_set_t first = combgpu_magic6_column(r, left, r->column0, wide);
    u32 ways = 0;
    while (combgpu_magic6_any(first, wide)) {
        u32 x = combgpu_magic6_next(&first, wide);
        combgpu_magic6_set_t others = left, second;
        if (!combgpu_magic6_split(&others, x, (u32)r->column0 - x, wide)) continue;
        second = combgpu_magic6_column(r, others, r->column5, wide);
        while (combgpu_magic6_any(second, wide)) {
            u32 y = combgpu_magic6_next(&second, wide);
            combgpu_magic6_set_t middle = others, p;
            i32 sum = r->row1 - (i32)(x + y);
            if (!combgpu_magic6_split(&middle, y, (u32)r->column5 - y, wide)) continue;
            p = combgpu_magic6_middle(r, middle, sum, wide);
            while (combgpu_magic6_any(p, wide)) {
                u32 u = combgpu_magic6_next(&p, wide), v;
                combgpu_magic6_set_t two = middle;
                i32 c, d, i, e;
                if (r->width < 2) { /* all else follows */
                    ways++;
                    continue;
                }
                if (!combgpu_magic6_split(&two, u, (u32)sum - u, wide)) continue;
                two.lo &= ~(u64)1;
                v = combgpu_magic6_next(&two, wide); /* two numbers are left, and fit */
                d = (i32)combgpu_magic6_next(&two, wide) - (i32)v;
                c = sum - 2 * (i32)u;
                for (i = 0; i < 4; i++) {
                    e = r->difference + (i & 1 ? c : -c) + (i & 2 ? d : -d);
                    ways += (e == a + b) + (e == a - b) + (e == b - a) + (e == -a - b);
                }
            }
        }
    }
    return ways;
}

/* The ways to fill the rest. */
DEVICE u32 combgpu_magic6_ways(const combgpu_magic6_rest_t *r, combgpu_magic6_set_t left, u32 wide)
{
    combgpu_magic6_set_t first, second, p, q, a, b, c, d;
    u32 ways = 0, x, y, u, v;
    i32 top, bottom;
    left.lo |= 1;
    first = combgpu_magic6_column(r, left, r->column0, wide); /* else all is in vain */
    second = combgpu_magic6_column(r, left, r->column5, wide);
    if (!combgpu_magic6_any(first, wide) || !combgpu_magic6_any(second, wide)) return 0;
    first = combgpu_magic6_column(r, left, r->column1, wide);
    while (combgpu_magic6_any(first, wide)) {
        x = combgpu_magic6_next(&first, wide);
        a = left;
        if (!combgpu_magic6_split(&a, x, (u32)r->column1 - x, wide)) continue;
        second = combgpu_magic6_column(r, a, r->column4, wide);
        while (combgpu_magic6_any(second, wide)) {
            y = combgpu_magic6_next(&second, wide);
            b = a;
            if (!combgpu_magic6_split(&b, y, (u32)r->column4 - y, wide)) continue;
            top = r->row0 - (i32)(x + y);
            bottom = r->row5 - (r->column1 - (i32)x) - (r->column4 - (i32)y);
            p = combgpu_magic6_middle(r, b, top, wide);
            while (combgpu_magic6_any(p, wide)) {
                u = combgpu_magic6_next(&p, wide);
                c = b;
                if (!combgpu_magic6_split(&c, u, r->width == 1 ? 0 : (u32)top - u, wide)) continue;
                q = combgpu_magic6_middle(r, c, bottom, wide);
                while (combgpu_magic6_any(q, wide)) {
                    v = combgpu_magic6_next(&q, wide);
                    d = c;
                    if (!combgpu_magic6_split(&d, v, r->width == 1 ? 0 : (u32)bottom - v, wide))
                        continue;
                    ways += combgpu_magic6_second(r, d, top - 2 * (i32)u, bottom - 2 * (i32)v, wide);
                }
            }
        }
    }
    return ways;
}

/* mantissa * 2^exponent, cut to 40 bits after each step */
typedef struct combgpu_magic6_product_t {
    u64 mantissa;
    i32 exponent;
} combgpu_magic6_product_t;

DEVICE u32 combgpu_magic6_bits(u64 x) /* bits of x, not 0 */
{
    return x >> 32 ? 64 - CLZ((u32)(x >> 32)) : 32 - CLZ((u32)x);
}

DEVICE void combgpu_magic6_multiply(combgpu_magic6_product_t *p, u32 factor)
{
    u32 bits;
    p->mantissa *= factor;
    bits = combgpu_magic6_bits(p->mantissa);
    if (bits > 40) {
        p->mantissa >>= bits - 40;
        p->exponent += (i32)(bits - 40);
    }
}

typedef struct combgpu_magic6_draw_t {
    combgpu_magic6_set_t unused, mirror;
    i32 total;
    i32 need[MAGIC6_SLOTS];
    combgpu_magic6_product_t chosen, choices;
} combgpu_magic6_draw_t;

/* How likely a number is, at a distance of 1/4 units from the centre. */
DEVICE u32 combgpu_magic6_curve(i32 distance, u32 slope)
{
    u64 part = ((u64)(u32)(distance * distance) * slope) >> 24;
    u32 q = part < 65535 ? 65535 - (u32)part : 0;
    q = (q * q) >> 16;
    q = (q * q) >> 16;
    return ((q * q) >> 16) + 1024;
}

DEVICE u32 combgpu_magic6_choose(combgpu_magic6_draw_t *draw, combgpu_magic6_set_t from, i32 centre,
                                 u32 slope, u64 random, u32 wide)
{
    combgpu_magic6_set_t set = from;
    u32 all = 0, v = 0, q = 0, at;
    while (combgpu_magic6_any(set, wide))
        all += combgpu_magic6_curve(4 * (i32)combgpu_magic6_next(&set, wide) - centre, slope);
    at = (u32)(((random >> 24) * all) >> 40);
    while (combgpu_magic6_any(from, wide)) {
        v = combgpu_magic6_next(&from, wide);
        q = combgpu_magic6_curve(4 * (i32)v - centre, slope);
        if (at < q) break;
        at -= q;
    }
    combgpu_magic6_multiply(&draw->chosen, q);
    combgpu_magic6_multiply(&draw->choices, all);
    return v;
}

DEVICE void combgpu_magic6_put(combgpu_magic6_draw_t *draw, GLOBAL const u32 *cell, u32 v, u32 numbers,
                               u32 wide)
{
    u32 i;
    for (i = 0; i < 4; i++)
        draw->need[cell[i] & 255] -= (i32)v;
    draw->total -= (i32)v;
    combgpu_magic6_drop(&draw->unused, v, wide);
    combgpu_magic6_drop(&draw->mirror, numbers + 1 - v, wide);
}

/* A line's wishes for a cell, or for its partner in a pair with the sum `turned`. */
DEVICE i32 combgpu_magic6_wishes(const combgpu_magic6_draw_t *draw, GLOBAL const u32 *cell, i32 mean,
                                 i32 turned)
{
    i32 sum = 0;
    u32 i;
    for (i = 0; i < 4; i++) {
        i32 wish = 4 * draw->need[cell[i] & 255] - (i32)((cell[i] >> 8) & 255) * mean;
        if (turned) wish = 4 * turned - wish;
        sum += (i32)(cell[i] >> 16) * wish;
    }
    return sum;
}

/* Fills a line of the plan; 0 if no pair completes it. */
DEVICE u32 combgpu_magic6_line(combgpu_magic6_draw_t *draw, GLOBAL const u32 *tables, u32 *words,
                               u64 key, u32 *draws, u32 wide)
{
    u32 head = tables[*words], cells = (head >> 8) & 255, at = *words + 1, numbers = tables[1], v;
    i32 mean, wishes, sum = 0;
    combgpu_magic6_set_t from;
    *words += 1 + 6 * cells + 12 * (head >> 16);
    for (cells += head >> 16; cells; cells--, at += 6) {
        u32 pair = cells == 1 && (head >> 16);
        mean = 4 * draw->total / (i32)tables[at + 5];
        wishes = combgpu_magic6_wishes(draw, tables + at, mean, 0);
        from = draw->unused;
        if (pair) {
            sum = draw->need[head & 255];
            if (sum < 3 || sum > 2 * (i32)numbers) return 0;
            from = combgpu_magic6_partners(from, draw->mirror, sum, (i32)numbers, wide);
            if (!(sum & 1)) combgpu_magic6_drop(&from, (u32)sum / 2, wide);
            if (!combgpu_magic6_any(from, wide)) return 0;
            wishes += combgpu_magic6_wishes(draw, tables + at + 6, mean, sum);
        }
        ++*draws;
        v = combgpu_magic6_choose(
            draw, from, wishes / (i32)tables[at + 4], tables[at + 4] * tables[7],
            combgpu_mix(key + *draws * ((u64)0x9e3779b9u << 32 | 0x7f4a7c15u)), wide);
        combgpu_magic6_put(draw, tables + at, v, numbers, wide);
        if (pair) combgpu_magic6_put(draw, tables + at + 6, (u32)sum - v, numbers, wide);
    }
    return 1;
}

/* ways / probability in units of 2^scale, rounded; all bits if that is too large. */
DEVICE u64 combgpu_magic6_weigh(const combgpu_magic6_draw_t *draw, u32 ways, i32 scale)
{
    u32 up = 40 - combgpu_magic6_bits(draw->choices.mantissa);
    u32 down = 40 - combgpu_magic6_bits(draw->chosen.mantissa);
    u64 value = ((draw->choices.mantissa << up) << 24) / ((draw->chosen.mantissa << down) >> 8);
    i32 shift = scale + 32 + (draw->chosen.exponent - (i32)down) -
                (draw->choices.exponent - (i32)up);
    value *= ways;
    if (!ways || shift > 63) return 0;
    if (shift > 0) return ((value >> (shift - 1)) & 1) + (value >> shift);
    if (shift < -30 || value >> (63 + shift)) return ~(u64)0;
    return value << -shift;
}

/* Sample `index`: the sum of its repeats. */
DEVICE u64 combgpu_magic6_sample(GLOBAL const u32 *tables, u64 index, u32 wide)
{
    u64 seed = tables[9] | (u64)tables[10] << 32, sum = 0, value;
    u64 key = combgpu_mix(seed + combgpu_mix(index));
    u32 n = tables[0], numbers = tables[1], lines = tables[3], inner = tables[4], draws = 0;
    u32 words = MAGIC6_PLAN, line, i, repeat, at;
    combgpu_magic6_draw_t draw, outer;
    combgpu_magic6_rest_t rest;
    outer.total = (i32)(numbers * (numbers + 1) / 2);
    outer.unused.lo = numbers < 64 ? ((u64)2 << (numbers & 63)) - 2 : ~(u64)1;
    outer.unused.hi = numbers < 64 ? 0 : ((u64)2 << (numbers & 63)) - 1;
    outer.mirror = outer.unused;
    outer.chosen.mantissa = outer.choices.mantissa = 1;
    outer.chosen.exponent = outer.choices.exponent = 0;
    for (i = 0; i < 2 * n + 3; i++)
        outer.need[i] = (i32)tables[2];
    for (line = 0; line < inner; line++)
        if (!combgpu_magic6_line(&outer, tables, &words, key, &draws, wide)) return 0;
    for (repeat = 0; repeat < tables[5]; repeat++) {
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
        rest.numbers = (i32)numbers;
        rest.width = (i32)tables[6];
        rest.row0 = draw.need[0], rest.row5 = draw.need[n - 1];
        rest.row1 = draw.need[1], rest.row4 = draw.need[n - 2];
        rest.column0 = draw.need[n], rest.column5 = draw.need[2 * n - 1];
        rest.column1 = draw.need[n + 1], rest.column4 = draw.need[2 * n - 2];
        rest.difference = draw.need[n + 2] - draw.need[2 * n - 3];
        value = combgpu_magic6_weigh(&draw, combgpu_magic6_ways(&rest, draw.unused, wide),
                                     (i32)tables[8] - 65536);
        /* saturates; written so that no compiler makes an intrinsic of it, which oclgrind lacks */
        if (((value >> 1) + (sum >> 1) + (value & sum & 1)) >> 63)
            sum = ~(u64)0;
        else
            sum += value;
    }
    return sum;
}

/* Takes ranges of samples; a sample is a step. */
DEVICE void combgpu_magic6_estimate(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,
                                    GLOBAL const u32 *tasks, GLOBAL u32 *left, u32 wide)
{
    u64 added[8], value, low, high, middle;
    u32 steps = 0, i;
    u64 index = 0, end = 0;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    for (i = 0; i < 8; i++)
        added[i] = 0;
    while (combgpu_in_range(slice, tasks, left, &index, &end, steps)) {
        value = combgpu_magic6_sample(tables, index, wide);
        steps++;
        added[6] += combgpu_mix(combgpu_mix(index) ^ value);
        index++;
        if (value >> 60) added[7]++;
        if (!value || value >> 60) continue;
        low = (u32)value, high = value >> 32, middle = 2 * low * high;
        added[0] += low;
        added[1] += high;
        added[2] += (u32)(low * low);
        added[3] += ((low * low) >> 32) + (u32)middle;
        added[4] += (middle >> 32) + (u32)(high * high);
        added[5] += (high * high) >> 32;
    }
    combgpu_add_total(slice, 0, steps);
    for (i = 0; i < 8; i++)
        combgpu_add_total(slice, 1 + i, added[i]);
}

KERNEL combgpu_magic_samples(SLICE_ARGUMENTS)
{
    (void)records, (void)work;
    combgpu_magic6_estimate(slice, tables, tasks, left, 0);
}

KERNEL combgpu_magic_samples_wide(SLICE_ARGUMENTS)
{
    (void)records, (void)work;
    combgpu_magic6_estimate(slice, tables, tasks, left, 1);
}

/* Order 6 in parts: takes ranges of steps, each a configuration of the diagonals and a choice of
   three numbers in row 2 and two in row 3, by their places among those that are left. Every lane looks
   for the next way to end row 3 whose columns can still hold; then all count their rests together. */
typedef struct combgpu_magic6_rows_t {
    combgpu_magic6_set_t left, mirror, fifth; /* fifth: numbers to try in column 4 */
    i32 row3, column4, column5;
} combgpu_magic6_rows_t;

DEVICE void combgpu_magic6_take(combgpu_magic6_rows_t *r, u32 v)
{
    combgpu_magic6_drop(&r->left, v, 0);
    combgpu_magic6_drop(&r->mirror, 37 - v, 0);
}

DEVICE u32 combgpu_magic6_take_place(combgpu_magic6_rows_t *r, u32 place)
{
    combgpu_magic6_set_t set = r->left;
    u32 v = combgpu_magic6_next(&set, 0);
    for (; place; place--)
        v = combgpu_magic6_next(&set, 0);
    combgpu_magic6_take(r, v);
    return v;
}

/* Begins step `index`; 0 if its row 2 cannot be. */
DEVICE u32 combgpu_magic6_begin(combgpu_magic6_rows_t *r, combgpu_magic6_rest_t *rest,
                                GLOBAL const u32 *tables, u64 index)
{
    GLOBAL const u32 *words = tables + 4 + 3 * (u32)(index / 4614720);
    u32 t = (u32)(index % 4614720), a20, a21, a24, a30, a31, i, numbers[12];
    i32 a25;
    r->left.lo = ((u64)1 << 37) - 2;
    r->left.hi = 0;
    r->mirror = r->left;
    for (i = 0; i < 12; i++) {
        numbers[i] = (words[i / 5] >> (6 * (i % 5))) & 63;
        combgpu_magic6_take(r, numbers[i]);
    }
    a20 = combgpu_magic6_take_place(r, t / 192280);
    a21 = combgpu_magic6_take_place(r, t / 8360 % 23);
    a24 = combgpu_magic6_take_place(r, t / 380 % 22);
    a25 = 111 - (i32)(numbers[4] + numbers[10] + a20 + a21 + a24);
    if (a25 < 1 || a25 > 36 || !combgpu_magic6_has(r->left, (u32)a25, 0)) return 0;
    combgpu_magic6_take(r, (u32)a25);
    a30 = combgpu_magic6_take_place(r, t / 19 % 20);
    a31 = combgpu_magic6_take_place(r, t % 19);
    r->fifth = r->left;
    r->row3 = 111 - (i32)(numbers[5] + numbers[11] + a30 + a31);
    r->column4 = 111 - (i32)(numbers[3] + numbers[8] + a24);
    r->column5 = 111 - (i32)(numbers[1] + numbers[6]) - a25;
    rest->numbers = 36;
    rest->width = 2;
    rest->row0 = 111 - (i32)(numbers[0] + numbers[6]);
    rest->row5 = 111 - (i32)(numbers[1] + numbers[7]);
    rest->row1 = 111 - (i32)(numbers[2] + numbers[8]);
    rest->row4 = 111 - (i32)(numbers[3] + numbers[9]);
    rest->column0 = 111 - (i32)(numbers[0] + numbers[7] + a20 + a30);
    rest->column1 = 111 - (i32)(numbers[2] + numbers[9] + a21 + a31);
    /* column 2: a22 and a32; column 3: a33 and a23 */
    rest->difference = (i32)(numbers[5] + numbers[10]) - (i32)(numbers[4] + numbers[11]);
    return 1;
}

/* The next end of row 3: fills in the rest and the numbers that are left; 0 if there is none. */
DEVICE u32 combgpu_magic6_row3(combgpu_magic6_rows_t *r, combgpu_magic6_rest_t *rest,
                               combgpu_magic6_set_t *left)
{
    while (combgpu_magic6_any(r->fifth, 0)) {
        u32 v = combgpu_magic6_next(&r->fifth, 0);
        i32 w = r->row3 - (i32)v;
        *left = r->left;
        if (w < 1 || w > 36 || w == (i32)v || !combgpu_magic6_split(left, v, (u32)w, 0)) continue;
        rest->column4 = r->column4 - (i32)v;
        rest->column5 = r->column5 - w;
        rest->mirror = r->mirror;
        combgpu_magic6_drop(&rest->mirror, 37 - v, 0);
        combgpu_magic6_drop(&rest->mirror, 37 - (u32)w, 0);
        if (combgpu_magic6_any(combgpu_magic6_column(rest, *left, rest->column0, 0), 0) &&
            combgpu_magic6_any(combgpu_magic6_column(rest, *left, rest->column5, 0), 0) &&
            combgpu_magic6_any(combgpu_magic6_column(rest, *left, rest->column1, 0), 0) &&
            combgpu_magic6_any(combgpu_magic6_column(rest, *left, rest->column4, 0), 0))
            return 1;
    }
    return 0;
}

KERNEL combgpu_magic_configurations(SLICE_ARGUMENTS)
{
    u64 index = 0, end = 0, base = (tables[0] | (u64)tables[1] << 32) * 4614720, hash = 0, all = 0;
    u64 squares;
    u32 steps = 0;
    (void)records, (void)work;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    while (combgpu_in_range(slice, tasks, left, &index, &end, steps)) {
        combgpu_magic6_rows_t rows;
        combgpu_magic6_rest_t rest;
        combgpu_magic6_set_t numbers;
        squares = 0;
        if (combgpu_magic6_begin(&rows, &rest, tables, index))
            while (combgpu_magic6_row3(&rows, &rest, &numbers))
                squares += combgpu_magic6_ways(&rest, numbers, 0);
        steps++;
        all += squares;
        hash += combgpu_mix(combgpu_mix(base + index) ^ squares);
        index++;
    }
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, 1, hash);
    combgpu_add_total(slice, 2, all);
}

/* Other numbers than 1 .. n*n: the search of MAGIC over ranks, whose sums need the numbers. Words of
   `tables` as in combgpu.h, SECTION 21. */
#define RANKS_START(level) (tables[2 + (level)])
#define RANKS_ENTRY(position) (tables[28 + (position)])
#define RANKS_NUMBER(rank) ((i32)tables[52 + (rank)])

typedef struct combgpu_magic6_ranks_t {
    u32 cells, levels;
    u32 unused[26], mask[26]; /* before a level; still to try there */
    i32 values[26];           /* by position; [cells] stays 0 */
    u8 ranks[28];
} combgpu_magic6_ranks_t;

/* What a line leaves for its last cell: sums of five have 32 bits. */
DEVICE i64 combgpu_magic6_leaves(const combgpu_magic6_ranks_t *m, GLOBAL const u32 *line)
{
    u32 a = line[1], b = line[2];
    return (i64)(i32)line[0] - m->values[a & 255] - m->values[(a >> 8) & 255] -
           m->values[(a >> 16) & 255] - m->values[a >> 24] - m->values[b & 255];
}

/* 0 = impossible, 1 = the next level is ready, 2 = the square is full */
DEVICE u32 combgpu_magic6_enter(combgpu_magic6_ranks_t *m, GLOBAL const u32 *tables, u32 level, u32 rank)
{
    u32 position = RANKS_START(level), end = RANKS_START(level + 1), unused = m->unused[level];
    for (;;) {
        u32 at = RANKS_ENTRY(position), head = tables[at++], i, step;
        i32 value = RANKS_NUMBER(rank);
        i64 rest;
        m->ranks[position] = (u8)rank;
        m->values[position] = value;
        unused &= ~(1u << rank);
        for (i = (head >> 8) & 255; i; i--, at += 3)
            if (combgpu_magic6_leaves(m, tables + at) != value) return 0;
        for (i = head >> 16; i; i--, at++)
            if ((value > m->values[tables[at] & 255]) != ((tables[at] & 256) != 0)) return 0;
        if (++position == end) break;
        rest = combgpu_magic6_leaves(m, tables + RANKS_ENTRY(position) + 1);
        for (rank = 0, step = 16; step; step >>= 1) /* the last rank whose number is at most rest */
            if (rank + step <= m->cells && RANKS_NUMBER(rank + step) <= rest) rank += step;
        if (!rank || RANKS_NUMBER(rank) != rest || !((unused >> rank) & 1)) return 0;
    }
    if (level + 1 == m->levels) return 2;
    m->unused[level + 1] = m->mask[level + 1] = unused;
    return 1;
}

KERNEL combgpu_magic_ranks(SLICE_ARGUMENTS)
{
    combgpu_magic6_ranks_t m;
    u32 steps = 0, full = 0, task, bottom, level, found, mask, p, w, at, word;
    (void)work;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    m.cells = tables[0];
    m.levels = tables[1];
    m.values[m.cells] = 0;
    while (!full && !combgpu_spent(slice, steps)) {
        task = combgpu_take(slice);
        if (task == NONE) break;
        task *= slice->task_words;
        bottom = level = tasks[task];
        m.unused[level] = (2u << m.cells) - 2;
        m.mask[level] = tasks[task + 1];
        for (p = 0; p < RANKS_START(level); p++) {
            word = (tasks[task + 2 + p / 4] >> (8 * (p & 3))) & 255;
            m.ranks[p] = (u8)word;
            m.values[p] = RANKS_NUMBER(word);
            m.unused[level] &= ~(1u << word);
        }
        for (;;) {
            mask = m.mask[level];
            if (!mask) {
                if (level == bottom) break;
                level--;
                continue;
            }
            if (full || combgpu_spent(slice, steps)) {
                for (;; level--) { /* the whole stack becomes tasks */
                    if (m.mask[level]) {
                        at = combgpu_give(slice) * slice->task_words;
                        left[at] = level;
                        left[at + 1] = m.mask[level];
                        for (w = 0; w + 2 < slice->task_words; w++) {
                            for (word = 0, p = 4 * w; p < 4 * w + 4 && p < RANKS_START(level); p++)
                                word |= (u32)m.ranks[p] << (8 * (p & 3));
                            left[at + 2 + w] = word;
                        }
                    }
                    if (level == bottom) break;
                }
                break;
            }
            m.mask[level] = mask & (mask - 1);
            found = combgpu_magic6_enter(&m, tables, level, CTZ(mask));
            if (found == 2) {
                at = combgpu_emit(slice);
                if (at == NONE) {
                    m.mask[level] = mask; /* not counted: the rank is tried again */
                    full = 1;
                    continue;
                }
                at *= slice->record_words;
                for (w = 0; w < slice->record_words; w++)
                    records[at + w] = 0;
                for (p = 0; p < m.cells; p++) {
                    word = tables[RANKS_ENTRY(p)] & 255;
                    records[at + word / 4] |= (u32)m.ranks[p] << (8 * (word & 3));
                }
            }
            steps++;
            level += found & 1;
        }
    }
    combgpu_add_total(slice, 0, steps);
}

#undef RANKS_START
#undef RANKS_ENTRY
#undef RANKS_NUMBER

#undef MAGIC6_SLOTS
#undef MAGIC6_PLAN

#endif /* MAGIC6 */

