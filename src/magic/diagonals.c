/* Order 6 in parts: the configurations, by number. */

#define COMBGPU__MAGIC_SIX_SERIES 32134 /* sets of 6 of 36 numbers that add up to 111 */
#define COMBGPU__MAGIC_PLACINGS 5400u
#define COMBGPU__MAGIC_MOST_CONFIGURATIONS 262144u

/* A configuration is 3 words: its numbers, 6 bits each, 5 in a word: a00 a55 a11 a44 a22, a33 a05
   a50 a14 a41, a23 a32. */
static const unsigned char combgpu__magic_diagonal_cells[12] = {0, 35, 7,  28, 14, 21,
                                                                5, 30, 10, 25, 15, 20};

/* Writes the configuration of a pair of series and of way `placing` to put them, as three words. */
COMBGPU__PRIVATE void combgpu__magic_place_series(uint64_t a, uint64_t b, uint32_t placing,
                                                  uint32_t *words)
{
    uint32_t numbers[12], main_order = placing / 360, other = placing % 360, i, k;
    uint32_t low[6], high[6], from, to;
    for (i = 0; i < 6; i++, a &= a - 1, b &= b - 1) {
        low[i] = (uint32_t)combgpu__lowest_bit64(a);
        high[i] = (uint32_t)combgpu__lowest_bit64(b);
    }
    for (i = 0; i < 6; i += 2) { /* the smallest number left and a partner */
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

/* Pairs of disjoint series whose first one comes before series 0, 512, 1024 ...: to count them all takes
   a tenth of a second. */
#define COMBGPU__SIX_MARK 512
#define COMBGPU__SIX_MARKS 63
static const uint32_t combgpu__magic_pairs_before[COMBGPU__SIX_MARKS] = {
    0,         5490158,   10896052,  16249216,  21529168,  26783312,  31993096,  37137967,
    42254546,  47297445,  51907195,  56340006,  60704135,  65017590,  69320274,  73571356,
    77770305,  81943217,  86049497,  89645553,  93118984,  96545489,  99935301,  103288279,
    106627644, 109926145, 113182690, 116134605, 118734941, 121307919, 123856254, 126393389,
    128904138, 131386103, 133839611, 135821883, 137652579, 139471480, 141278779, 143071553,
    144849115, 146608632, 147873865, 149076425, 150275076, 151469719, 152660482, 153846105,
    154582579, 155301893, 156026842, 156757336, 157474336, 157850276, 158236652, 158634790,
    158994857, 159165603, 159349550, 159496041, 159561086, 159610832, 159625736};

/* Writes `count` configurations from `first` on, three words each. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_configurations(combgpu_context *ctx, uint64_t first,
                                                              uint64_t count, uint32_t *words)
{
    size_t bytes = COMBGPU__MAGIC_SIX_SERIES * sizeof(uint64_t), i, j, k;
    uint64_t *series = (uint64_t *)combgpu__allocate(ctx, bytes);
    uint64_t skip = first / COMBGPU__MAGIC_PLACINGS;
    uint32_t placing = (uint32_t)(first % COMBGPU__MAGIC_PLACINGS);
    if (!series) return combgpu__no_memory(ctx, bytes);
    combgpu__magic_series(6, 1, 36, 111, 0, series);
    for (k = 0; k + 1 < COMBGPU__SIX_MARKS && combgpu__magic_pairs_before[k + 1] <= skip; k++)
        continue;
    skip -= combgpu__magic_pairs_before[k];
    for (i = COMBGPU__SIX_MARK * k; i < COMBGPU__MAGIC_SIX_SERIES && count; i++) {
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
    if (!ctx) return COMBGPU_INVALID_ARGUMENT; /* the function needs its memory */
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
