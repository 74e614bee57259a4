/* Estimates of magic squares, the C solver: draws numbers. Sets of numbers have bit v, of 128, for
   number v. */

typedef struct combgpu__magic_estimate_numbers {
    uint64_t lo, hi;
} combgpu__magic_estimate_numbers;

/* mantissa * 2^exponent, cut to 40 bits after each step */
typedef struct combgpu__magic_estimate_product {
    uint64_t mantissa;
    int exponent;
} combgpu__magic_estimate_product;

typedef struct combgpu__magic_estimate_draw {
    combgpu__magic_estimate_numbers unused;
    int total; /* of the unused numbers */
    int need[COMBGPU__MAGIC_SLOTS];
    uint64_t kept; /* numbers that may be rearranged, 8 bits each */
    combgpu__magic_estimate_product chosen, choices; /* probability = chosen / choices */
} combgpu__magic_estimate_draw;

/* Two numbers, by their places among the numbers that are left. */
typedef struct combgpu__magic_estimate_two {
    uint16_t places;
    unsigned char low, high;
} combgpu__magic_estimate_two;

COMBGPU__PRIVATE void combgpu__magic_estimate_multiply(combgpu__magic_estimate_product *product,
                                                       uint32_t factor)
{
    product->mantissa *= factor; /* below 2^40 and 2^24 */
    while (product->mantissa >> 48)
        product->mantissa >>= 8, product->exponent += 8;
    while (product->mantissa >> 40)
        product->mantissa >>= 1, product->exponent++;
}

/* Returns the `draws`-th random number of a sample, 64 bits. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_random(uint64_t key, uint32_t draws)
{
    return combgpu__mix(key + draws * UINT64_C(0x9e3779b97f4a7c15));
}

/* Returns the numbers v of `from` for which sum - v is another unused number. */
COMBGPU__PRIVATE combgpu__magic_estimate_numbers
combgpu__magic_estimate_halves(combgpu__magic_estimate_numbers from, int sum, int most)
{
    combgpu__magic_estimate_numbers found = {0, 0};
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

/* Chooses a number: the nearer to centre / 4, the likelier. */
COMBGPU__PRIVATE int combgpu__magic_estimate_choose(combgpu__magic_estimate_draw *draw,
                                                    combgpu__magic_estimate_numbers from,
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
    combgpu__magic_estimate_multiply(&draw->chosen, curve[at]);
    combgpu__magic_estimate_multiply(&draw->choices, all);
    return number[at];
}

/* Returns the weighted sum, over the cell's lines, of 4 times the number that suits the line. */
COMBGPU__PRIVATE int combgpu__magic_estimate_wishes(const combgpu__magic_estimate_draw *draw,
                                                    const uint32_t *cell, int mean, int turned_from)
{
    int sum = 0, i;
    for (i = 0; i < 4; i++) {
        int weight = (int)(cell[i] >> 16), more = (int)(cell[i] >> 8 & 255);
        int wish = 4 * draw->need[cell[i] & 255] - more * mean;
        sum += weight * (turned_from ? 4 * turned_from - wish : wish);
    }
    return sum;
}

COMBGPU__PRIVATE void combgpu__magic_estimate_put(combgpu__magic_estimate_draw *draw,
                                                  const uint32_t *cell, int number)
{
    int i;
    for (i = 0; i < 4; i++)
        draw->need[cell[i] & 255] -= number;
    draw->total -= number;
    if (cell[5] >> 8) draw->kept |= (uint64_t)number << 8 * ((cell[5] >> 8) - 1);
    if (number < 64)
        draw->unused.lo &= ~(UINT64_C(1) << number);
    else
        draw->unused.hi &= ~(UINT64_C(1) << (number - 64));
}

/* Fills a line of the plan and moves *words past it. Returns 0 if no pair completes the line. */
COMBGPU__PRIVATE int combgpu__magic_estimate_fill_line(combgpu__magic_estimate_draw *draw,
                                                       const uint32_t *tables, uint32_t *words,
                                                       uint64_t key, uint32_t *draws)
{
    const uint32_t *cell = tables + *words + 1;
    uint32_t head = tables[*words], singles = head >> 8 & 255;
    uint32_t unit = tables[COMBGPU__ESTIMATE_AT_CURVE];
    int sum, number, mean;
    *words += 1 + 6 * singles + 12 * (head >> 16);
    for (; singles; singles--, cell += 6) {
        mean = 4 * draw->total / (int)(cell[5] & 255);
        number = combgpu__magic_estimate_choose(
            draw, draw->unused, combgpu__magic_estimate_wishes(draw, cell, mean, 0) / (int)cell[4],
            cell[4] * unit, combgpu__magic_estimate_random(key, ++*draws));
        combgpu__magic_estimate_put(draw, cell, number);
    }
    if (head >> 16) {
        combgpu__magic_estimate_numbers from;
        sum = draw->need[head & 255];
        from = combgpu__magic_estimate_halves(draw->unused, sum,
                                              (int)tables[COMBGPU__ESTIMATE_AT_NUMBERS]);
        if (!(from.lo | from.hi)) return 0;
        mean = 4 * draw->total / (int)(cell[5] & 255);
        number = combgpu__magic_estimate_choose(
            draw, from,
            (combgpu__magic_estimate_wishes(draw, cell, mean, 0) +
             combgpu__magic_estimate_wishes(draw, cell + 6, mean, sum)) /
                (int)cell[4],
            cell[4] * unit, combgpu__magic_estimate_random(key, ++*draws));
        combgpu__magic_estimate_put(draw, cell, number);
        combgpu__magic_estimate_put(draw, cell + 6, sum - number);
    }
    return 1;
}

/* Returns ways / probability in units of 2^scale, rounded; UINT64_MAX if that is too large. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_weigh(const combgpu__magic_estimate_draw *draw,
                                                        uint64_t ways, int scale)
{
    combgpu__magic_estimate_product up = draw->choices, down = draw->chosen;
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
