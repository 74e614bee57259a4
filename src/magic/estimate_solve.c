/* Estimates of magic squares: the C solver. Sets of numbers have bit v, of 128, for number v. */

typedef struct combgpu__magic_numbers {
    uint64_t lo, hi;
} combgpu__magic_numbers;

/* mantissa * 2^exponent, cut to 40 bits after each step */
typedef struct combgpu__magic_product {
    uint64_t mantissa;
    int exponent;
} combgpu__magic_product;

typedef struct combgpu__magic_draw {
    combgpu__magic_numbers unused;
    int total; /* of the unused numbers */
    int need[COMBGPU__MAGIC_SLOTS];
    combgpu__magic_product chosen, choices; /* probability = chosen / choices */
} combgpu__magic_draw;

/* Two numbers, by their places among the numbers that are left. */
typedef struct combgpu__magic_two {
    uint16_t places;
    unsigned char low, high;
} combgpu__magic_two;

/* The rest (estimate_plan.c). Half 0 is rows 0 and n-1 with columns 1 and n-2; half 1 is rows 1 and
   n-2 with columns 0 and n-1. */
typedef struct combgpu__magic_rest_cells {
    int width, most;             /* most: the largest sum of two numbers */
    int column[2][2], row[2][2]; /* sums that these lines need */
    int difference;              /* of the sums that columns 2 and n-3 need */
    int pair_sums[2];            /* of half 0: |difference| in each of its two rows */
    uint32_t place[122];         /* width 1: the bit of a number that is left; else 0 */
    unsigned char count[243];    /* of pairs, by sum */
    combgpu__magic_two pairs[243][8];
} combgpu__magic_rest_cells;

COMBGPU__PRIVATE uint64_t combgpu__magic_rest_half(combgpu__magic_rest_cells *rest, uint32_t left,
                                                   int half);

/* Returns the number of ways in which two pairs, given by their differences, give columns 2 and n-3
   their sums. */
COMBGPU__PRIVATE uint64_t combgpu__magic_rest_swaps(const combgpu__magic_rest_cells *rest, int a,
                                                    int b)
{
    uint64_t ways = 0;
    int i, k;
    for (i = 0; i < 4; i++)
        for (k = 0; k < 4; k++) {
            int first = rest->pair_sums[i / 2], second = k / 2 ? a + b : a - b;
            ways += (i % 2 ? first : -first) + (k % 2 ? second : -second) == rest->difference;
        }
    return ways;
}

/* Counts the ways to fill the middle cells of a half's two rows, which need `first` and `second`.
   */
COMBGPU__PRIVATE uint64_t combgpu__magic_rest_rows(combgpu__magic_rest_cells *rest, uint32_t left,
                                                   int half, int first, int second)
{
    uint64_t ways = 0;
    int i, k;
    if (first < 0 || second < 0 || first > rest->most || second > rest->most) return 0;
    if (rest->width == 0) {
        if (first || second) return 0;
        return half ? 1 : combgpu__magic_rest_half(rest, left, 1);
    }
    if (rest->width == 1) { /* then the middle column has its sum */
        uint32_t places;
        if (first > 121 || second > 121 || first == second) return 0;
        places = rest->place[first] | rest->place[second];
        if (!(rest->place[first] & left) || !(rest->place[second] & left)) return 0;
        return half ? 1 : combgpu__magic_rest_half(rest, left & ~places, 1);
    }
    for (i = 0; i < rest->count[first]; i++) {
        const combgpu__magic_two *a = &rest->pairs[first][i];
        if (a->places & ~left) continue;
        for (k = 0; k < rest->count[second]; k++) {
            const combgpu__magic_two *b = &rest->pairs[second][k];
            int da = a->high - a->low, db = b->high - b->low;
            if (b->places & ~(left & ~(uint32_t)a->places)) continue;
            if (half) {
                ways += combgpu__magic_rest_swaps(rest, da, db);
                continue;
            }
            rest->pair_sums[0] = da + db;
            rest->pair_sums[1] = da - db;
            ways += combgpu__magic_rest_half(rest, left & ~(uint32_t)(a->places | b->places), 1);
        }
    }
    return ways;
}

/* Counts the ways to fill a half and all that follows it. */
COMBGPU__PRIVATE uint64_t combgpu__magic_rest_half(combgpu__magic_rest_cells *rest, uint32_t left,
                                                   int half)
{
    const int *column = rest->column[half], *row = rest->row[half];
    uint64_t ways = 0;
    int i, k, turn;
    for (i = 0; i < rest->count[column[0]]; i++) {
        const combgpu__magic_two *a = &rest->pairs[column[0]][i];
        if (a->places & ~left) continue;
        for (k = 0; k < rest->count[column[1]]; k++) {
            const combgpu__magic_two *b = &rest->pairs[column[1]][k];
            uint32_t others = left & ~(uint32_t)a->places;
            if (b->places & ~others) continue;
            others &= ~(uint32_t)b->places;
            for (turn = 0; turn < 4; turn++) { /* which number of each pair is in the upper row */
                int x = turn & 1 ? a->high : a->low, y = turn & 2 ? b->high : b->low;
                ways += combgpu__magic_rest_rows(rest, others, half, row[0] - x - y,
                                                 row[1] - (column[0] - x) - (column[1] - y));
            }
        }
    }
    return ways;
}

/* Counts the ways to fill the rest with the numbers that are left. */
COMBGPU__PRIVATE uint64_t combgpu__magic_rest_ways(combgpu__magic_rest_cells *rest, int n,
                                                   int width, combgpu__magic_numbers left,
                                                   const int *need)
{
    unsigned char numbers[16];
    int count = 0, i, k;
    const int *columns = need + n;
    uint64_t set = left.lo, high = left.hi;
    rest->width = width;
    rest->most = 2 * n * n;
    rest->row[0][0] = need[0], rest->row[0][1] = need[n - 1];
    rest->row[1][0] = need[1], rest->row[1][1] = need[n - 2];
    rest->column[0][0] = columns[1], rest->column[0][1] = columns[n - 2];
    rest->column[1][0] = columns[0], rest->column[1][1] = columns[n - 1];
    rest->difference = columns[2] - columns[n - 3];
    for (i = 0; i < 4; i++)
        if (rest->column[i / 2][i % 2] < 0 || rest->column[i / 2][i % 2] > rest->most) return 0;
    for (; left.lo; left.lo &= left.lo - 1)
        numbers[count++] = (unsigned char)combgpu__lowest_bit64(left.lo);
    for (; left.hi; left.hi &= left.hi - 1)
        numbers[count++] = (unsigned char)(64 + combgpu__lowest_bit64(left.hi));
    if (!high) { /* quick test that every column has a pair */
        uint64_t mirror = 0;
        for (i = 0; i < count; i++)
            mirror |= UINT64_C(1) << (63 - numbers[i]); /* sum - v: bit 63 - sum + v */
        for (i = 0; i < 4; i++) {
            int sum = rest->column[i / 2][i % 2];
            uint64_t pairs;
            if (sum > 125) return 0;
            pairs = sum > 63 ? mirror << (sum - 63) : mirror >> (63 - sum);
            if (sum % 2 == 0) pairs &= ~(UINT64_C(1) << sum / 2);
            if (!(pairs & set)) return 0;
        }
    }
    memset(rest->count, 0, (size_t)rest->most + 1);
    if (width == 1) memset(rest->place, 0, sizeof rest->place);
    for (i = 0; i < count; i++) {
        rest->place[numbers[i]] = 1u << i;
        for (k = 0; k < i; k++) {
            int sum = numbers[i] + numbers[k];
            combgpu__magic_two *two = &rest->pairs[sum][rest->count[sum]++];
            two->places = (uint16_t)(1u << i | 1u << k);
            two->low = numbers[k];
            two->high = numbers[i];
        }
    }
    return combgpu__magic_rest_half(rest, (1u << count) - 1, 0);
}

COMBGPU__PRIVATE void combgpu__magic_multiply(combgpu__magic_product *product, uint32_t factor)
{
    product->mantissa *= factor; /* below 2^40 and 2^24 */
    while (product->mantissa >> 48)
        product->mantissa >>= 8, product->exponent += 8;
    while (product->mantissa >> 40)
        product->mantissa >>= 1, product->exponent++;
}

/* Returns the `draws`-th random number of a sample, 64 bits. */
COMBGPU__PRIVATE uint64_t combgpu__magic_random(uint64_t key, uint32_t draws)
{
    return combgpu__mix(key + draws * UINT64_C(0x9e3779b97f4a7c15));
}

/* Returns the numbers v of `from` for which sum - v is another unused number. */
COMBGPU__PRIVATE combgpu__magic_numbers combgpu__magic_halves(combgpu__magic_numbers from, int sum,
                                                              int most)
{
    combgpu__magic_numbers found = {0, 0};
    int v, low = sum > most ? sum - most : 1;
    for (v = low; 2 * v < sum; v++) {
        int w = sum - v;
        uint64_t a = v < 64 ? from.lo >> v : from.hi >> (v - 64);
        uint64_t b = w < 64 ? from.lo >> w : from.hi >> (w - 64);
        if (!(a & b & 1)) continue;
        *(v < 64 ? &found.lo : &found.hi) |= UINT64_C(1) << v % 64;
        *(w < 64 ? &found.lo : &found.hi) |= UINT64_C(1) << w % 64;
    }
    return found;
}

/* Chooses one of the numbers: the nearer to centre / 4, the likelier. */
COMBGPU__PRIVATE int combgpu__magic_choose(combgpu__magic_draw *draw, combgpu__magic_numbers from,
                                           int centre, uint32_t slope, uint64_t random)
{
    uint32_t curve[128], all = 0, q;
    unsigned char number[128];
    int count = 0, at, word, distance;
    for (word = 0; word < 2; word++) {
        uint64_t bits = word ? from.hi : from.lo;
        for (; bits; bits &= bits - 1) {
            int v = 64 * word + combgpu__lowest_bit64(bits);
            uint64_t part;
            distance = 4 * v - centre;
            part = ((uint64_t)((uint32_t)(distance * distance)) * slope) >> 24;
            q = part < 65535 ? 65535 - (uint32_t)part : 0;
            q = (q * q) >> 16;
            q = (q * q) >> 16;
            q = ((q * q) >> 16) + COMBGPU__MAGIC_CURVE_FLOOR;
            number[count] = (unsigned char)v;
            curve[count++] = q;
            all += q;
        }
    }
    q = (uint32_t)(((random >> 24) * all) >> 40);
    for (at = 0; q >= curve[at]; at++)
        q -= curve[at];
    combgpu__magic_multiply(&draw->chosen, curve[at]);
    combgpu__magic_multiply(&draw->choices, all);
    return number[at];
}

/* Returns the weighted sum, over the cell's lines, of 4 times the number that the line wants. */
COMBGPU__PRIVATE int combgpu__magic_wishes(const combgpu__magic_draw *draw, const uint32_t *cell,
                                           int mean, int turned_from)
{
    int sum = 0, i;
    for (i = 0; i < 4; i++) {
        int weight = (int)(cell[i] >> 16), more = (int)(cell[i] >> 8 & 255);
        int wish = 4 * draw->need[cell[i] & 255] - more * mean;
        sum += weight * (turned_from ? 4 * turned_from - wish : wish);
    }
    return sum;
}

COMBGPU__PRIVATE void combgpu__magic_put(combgpu__magic_draw *draw, const uint32_t *cell,
                                         int number)
{
    int i;
    for (i = 0; i < 4; i++)
        draw->need[cell[i] & 255] -= number;
    draw->total -= number;
    if (number < 64)
        draw->unused.lo &= ~(UINT64_C(1) << number);
    else
        draw->unused.hi &= ~(UINT64_C(1) << (number - 64));
}

/* Fills a line of the plan and moves *words past it. Returns 0 if no pair completes the line. */
COMBGPU__PRIVATE int combgpu__magic_fill_line(combgpu__magic_draw *draw, const uint32_t *tables,
                                              uint32_t *words, uint64_t key, uint32_t *draws)
{
    const uint32_t *cell = tables + *words + 1;
    uint32_t head = tables[*words], singles = head >> 8 & 255;
    uint32_t unit = tables[COMBGPU__ESTIMATE_AT_CURVE];
    int sum, number, mean;
    *words += 1 + 6 * singles + 12 * (head >> 16);
    for (; singles; singles--, cell += 6) {
        mean = 4 * draw->total / (int)cell[5];
        number = combgpu__magic_choose(draw, draw->unused,
                                       combgpu__magic_wishes(draw, cell, mean, 0) / (int)cell[4],
                                       cell[4] * unit, combgpu__magic_random(key, ++*draws));
        combgpu__magic_put(draw, cell, number);
    }
    if (head >> 16) {
        combgpu__magic_numbers from;
        sum = draw->need[head & 255];
        from = combgpu__magic_halves(draw->unused, sum, (int)tables[COMBGPU__ESTIMATE_AT_NUMBERS]);
        if (!(from.lo | from.hi)) return 0;
        mean = 4 * draw->total / (int)cell[5];
        number = combgpu__magic_choose(draw, from,
                                       (combgpu__magic_wishes(draw, cell, mean, 0) +
                                        combgpu__magic_wishes(draw, cell + 6, mean, sum)) /
                                           (int)cell[4],
                                       cell[4] * unit, combgpu__magic_random(key, ++*draws));
        combgpu__magic_put(draw, cell, number);
        combgpu__magic_put(draw, cell + 6, sum - number);
    }
    return 1;
}

/* Returns ways / probability in units of 2^scale, rounded; UINT64_MAX if that is too large. */
COMBGPU__PRIVATE uint64_t combgpu__magic_weigh(const combgpu__magic_draw *draw, uint64_t ways,
                                               int scale)
{
    combgpu__magic_product up = draw->choices, down = draw->chosen;
    uint64_t value;
    int shift;
    if (!ways) return 0;
    for (; !(up.mantissa >> 39); up.exponent--)
        up.mantissa <<= 1;
    for (; !(down.mantissa >> 39); down.exponent--)
        down.mantissa <<= 1;
    value = (up.mantissa << 24) / (down.mantissa >> 8) * ways; /* 2^31 to 2^33 times ways */
    shift = scale + 32 + down.exponent - up.exponent;
    if (shift > 63) return 0;
    if (shift > 0) return (value >> (shift - 1) & 1) + (value >> shift);
    if (shift < -30 || value >> (63 + shift)) return UINT64_MAX;
    return value << -shift;
}

/* Returns sample `index`, the sum of its repeats. */
COMBGPU__PRIVATE uint64_t combgpu__magic_sample(const uint32_t *tables,
                                                combgpu__magic_rest_cells *rest, uint64_t index)
{
    uint64_t seed = combgpu__get64(tables + COMBGPU__ESTIMATE_AT_SEED), sum = 0;
    uint64_t key = combgpu__mix(seed + combgpu__mix(index));
    uint32_t draws = 0, lines = tables[COMBGPU__ESTIMATE_AT_LINES],
             words = COMBGPU__ESTIMATE_AT_PLAN;
    uint32_t repeats = tables[COMBGPU__ESTIMATE_AT_REPEATS],
             inner = tables[COMBGPU__ESTIMATE_AT_INNER];
    int n = (int)tables[COMBGPU__ESTIMATE_AT_ORDER], numbers = n * n, i;
    int scale = (int)tables[COMBGPU__ESTIMATE_AT_SCALE] - 65536;
    combgpu__magic_draw draw, outer;
    uint32_t line, at;
    draw.total = numbers * (numbers + 1) / 2;
    draw.unused.lo = numbers < 64 ? (UINT64_C(2) << numbers) - 2 : ~UINT64_C(1);
    draw.unused.hi = numbers < 64 ? 0 : (UINT64_C(2) << (numbers - 64)) - 1;
    draw.chosen.mantissa = draw.choices.mantissa = 1;
    draw.chosen.exponent = draw.choices.exponent = 0;
    for (i = 0; i < COMBGPU__MAGIC_SLOTS; i++)
        draw.need[i] = (int)tables[COMBGPU__ESTIMATE_AT_SUM];
    for (line = 0; line < inner; line++)
        if (!combgpu__magic_fill_line(&draw, tables, &words, key, &draws)) return 0;
    for (outer = draw; repeats; repeats--, draw = outer) {
        for (line = inner, at = words; line < lines; line++)
            if (!combgpu__magic_fill_line(&draw, tables, &at, key, &draws)) break;
        if (line == lines) {
            uint64_t value = combgpu__magic_weigh(
                &draw,
                combgpu__magic_rest_ways(rest, n, (int)tables[COMBGPU__ESTIMATE_AT_WIDTH],
                                         draw.unused, draw.need),
                scale);
            sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
        }
    }
    return sum;
}

/* Adds a sample to the totals. */
COMBGPU__PRIVATE void combgpu__magic_add_sample(combgpu__worker *worker, uint64_t index,
                                                uint64_t value)
{
    uint64_t low = value & UINT32_MAX, high = value >> 32, middle = 2 * low * high;
    uint64_t *totals = worker->totals;
    totals[COMBGPU__ESTIMATE_HASH] += combgpu__mix(combgpu__mix(index) ^ value);
    totals[COMBGPU__ESTIMATE_TOO_LARGE] += value >> 60 != 0;
    if (!value || value >> 60) return; /* values below 2^60, so that `middle` has room */
    totals[COMBGPU__ESTIMATE_ADDED] += low;
    totals[COMBGPU__ESTIMATE_ADDED + 1] += high;
    totals[COMBGPU__ESTIMATE_SQUARES] += low * low & UINT32_MAX;
    totals[COMBGPU__ESTIMATE_SQUARES + 1] += (low * low >> 32) + (middle & UINT32_MAX);
    totals[COMBGPU__ESTIMATE_SQUARES + 2] += (middle >> 32) + (high * high & UINT32_MAX);
    totals[COMBGPU__ESTIMATE_SQUARES + 3] += high * high >> 32;
}

COMBGPU__PRIVATE int combgpu__magic_estimate_step(combgpu__worker *worker, void *memory,
                                                  uint64_t index)
{
    combgpu__magic_add_sample(
        worker, index,
        combgpu__magic_sample(worker->tables, (combgpu__magic_rest_cells *)memory, index));
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_estimate_solve(combgpu__worker *worker)
{
    combgpu__magic_rest_cells rest;
    combgpu__magic_range_solve(worker, &rest, combgpu__magic_estimate_step);
}
