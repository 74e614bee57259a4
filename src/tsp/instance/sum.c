/* Sums doubles exactly, rounding once at the end. */

/* Word i counts 2^(32 i - 1152); carries wait in its upper half. */
#define COMBGPU__SUM_WORDS 72
#define COMBGPU__SUM_LEAST (-1152)

typedef struct combgpu__tsp_sum {
    int64_t word[COMBGPU__SUM_WORDS];
} combgpu__tsp_sum;

/* Adds number * 2^exponent: up to 2^30 of them, -1100 <= exponent <= 1000. */
COMBGPU__PRIVATE void combgpu__tsp_sum_add_whole(combgpu__tsp_sum *sum, int64_t number,
                                                 int exponent)
{
    int at = exponent - COMBGPU__SUM_LEAST, shift = at % 32, minus = number < 0;
    uint64_t size = minus ? 0 - (uint64_t)number : (uint64_t)number;
    uint64_t low = (size & 0xffffffffu) << shift, high = (size >> 32) << shift;
    int64_t part[3];
    int i;
    high += low >> 32;
    part[0] = (int64_t)(low & 0xffffffffu);
    part[1] = (int64_t)(high & 0xffffffffu);
    part[2] = (int64_t)(high >> 32);
    for (i = 0; i < 3; i++)
        sum->word[at / 32 + i] += minus ? -part[i] : part[i];
}

COMBGPU__PRIVATE void combgpu__tsp_sum_add(combgpu__tsp_sum *sum, double number)
{
    int exponent;
    double fraction = frexp(number, &exponent);
    combgpu__tsp_sum_add_whole(sum, (int64_t)ldexp(fraction, 53), exponent - 53);
}

/* Makes all words but the last one 32 bits. Returns nonzero if the sum is below 0. */
COMBGPU__PRIVATE int combgpu__tsp_sum_carry(combgpu__tsp_sum *sum)
{
    int i;
    for (i = 0; i + 1 < COMBGPU__SUM_WORDS; i++) {
        int64_t rest = sum->word[i] & 0xffffffff;
        sum->word[i + 1] += (sum->word[i] - rest) / 4294967296;
        sum->word[i] = rest;
    }
    return sum->word[COMBGPU__SUM_WORDS - 1] < 0;
}

/* The sum as a double: the nearest (at a tie, the even one), or, with `down`, one not above it. */
COMBGPU__PRIVATE double combgpu__tsp_sum_round(combgpu__tsp_sum *sum, int down)
{
    int minus = combgpu__tsp_sum_carry(sum), at = COMBGPU__SUM_WORDS - 1, lost, bits = 0, i;
    uint64_t top, more;
    for (i = 0; minus && i < COMBGPU__SUM_WORDS; i++)
        sum->word[i] = -sum->word[i];
    if (minus) combgpu__tsp_sum_carry(sum);
    while (at > 2 && !sum->word[at])
        at--;
    top = (uint64_t)sum->word[at] << 32 | (uint64_t)sum->word[at - 1];
    more = (uint64_t)sum->word[at - 2];
    for (i = 0, lost = 0; i < at - 2; i++)
        lost |= sum->word[i] != 0;
    while (bits < 32 && !(top >> 63)) { /* at most 64 bits in `top`, the rest in `more` */
        top = top << 1 | (more >> 31 & 1);
        more <<= 1;
        bits++;
    }
    lost |= (more & 0xffffffffu) != 0;
    more = top & 2047; /* the bits that a double lacks */
    top >>= 11;
    if (down ? minus && (more || lost) : more > 1024 || (more == 1024 && (lost || top & 1))) top++;
    i = COMBGPU__SUM_LEAST + 32 * (at - 1) - bits + 11;
    return ldexp(minus ? -(double)top : (double)top, i);
}
