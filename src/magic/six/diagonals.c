/* Numbers the configurations of order 6 in parts. */

#define COMBGPU__MAGIC_SIX_SERIES 32134 /* sets of 6 of 36 numbers that add up to 111 */
#define COMBGPU__MAGIC_PLACINGS 5400u
#define COMBGPU__MAGIC_MOST_CONFIGURATIONS 262144u

/* A configuration is 3 words: its numbers, 6 bits each, 5 in a word: a00 a55 a11 a44 a22, a33 a05
   a50 a14 a41, a23 a32. */
static const unsigned char combgpu__magic_diagonal_cells[12] = {0, 35, 7,  28, 14, 21,
                                                                5, 30, 10, 25, 15, 20};

COMBGPU__COLD_BEGIN
/* Writes the configuration of a pair of series and of way `placing` to put them, as three words. */
COMBGPU__PRIVATE void combgpu__six_place_series(uint64_t a, uint64_t b, uint32_t placing,
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

/* Pairs of disjoint series whose first one comes before series 0, 128, 256 ...: counting all takes
   a tenth of a second, and from mark to mark up to a millisecond. */
#define COMBGPU__SIX_MARK 128
#define COMBGPU__SIX_MARKS 252
static const uint32_t combgpu__magic_pairs_before[COMBGPU__SIX_MARKS] = {
    0,         1400197,   2752592,   4134831,   5490158,   6838249,   8207415,   9542818,
    10896052,  12243577,  13565001,  14913736,  16249216,  17560729,  18898470,  20224509,
    21529168,  22854148,  24174071,  25472466,  26783312,  28096114,  29388083,  30688802,
    31993096,  33277704,  34570138,  35863340,  37137967,  38429465,  39707725,  40978896,
    42254546,  43519278,  44785002,  46043892,  47297445,  48537539,  49688404,  50796572,
    51907195,  53029045,  54124670,  55230924,  56340006,  57427420,  58520915,  59623682,
    60704135,  61782359,  62880123,  63956955,  65017590,  66111027,  67184850,  68240763,
    69320274,  70389556,  71442178,  72508080,  73571356,  74618566,  75675986,  76731005,
    77770305,  78824016,  79866237,  80903889,  81943217,  82974307,  84005162,  85031478,
    86049497,  87023199,  87908370,  88774661,  89645553,  90525707,  91387238,  92240184,
    93118984,  93977809,  94822537,  95689225,  96545489,  97389167,  98237855,  99093074,
    99935301,  100768437, 101620613, 102460817, 103288279, 104132161, 104968624, 105792759,
    106627644, 107457134, 108274701, 109106122, 109926145, 110744530, 111561511, 112374570,
    113182690, 113990164, 114789653, 115478942, 116134605, 116780675, 117434596, 118090108,
    118734941, 119371169, 120027646, 120671801, 121307919, 121948807, 122592974, 123228277,
    123856254, 124499473, 125133803, 125760120, 126393389, 127025279, 127649304, 128276917,
    128904138, 129524287, 130148284, 130769038, 131386103, 132004424, 132618140, 133229881,
    133839611, 134434258, 134903306, 135364630, 135821883, 136282022, 136743335, 137199851,
    137652579, 138111581, 138567874, 139020326, 139471480, 139927128, 140378642, 140826255,
    141278779, 141728999, 142175527, 142624050, 143071553, 143515438, 143962003, 144406153,
    144849115, 145291208, 145732156, 146171357, 146608632, 146968881, 147270800, 147572238,
    147873865, 148175373, 148475854, 148776145, 149076425, 149376674, 149676293, 149975745,
    150275076, 150574127, 150872758, 151171376, 151469719, 151767659, 152065699, 152363126,
    152660482, 152957470, 153254162, 153550355, 153846105, 154041429, 154219429, 154400306,
    154582579, 154760142, 154939640, 155121526, 155301893, 155481915, 155663819, 155846062,
    156026842, 156209189, 156391403, 156573984, 156757336, 156940210, 157123943, 157308314,
    157474336, 157564834, 157658395, 157755924, 157850276, 157944837, 158042565, 158140385,
    158236652, 158336260, 158434539, 158534302, 158634790, 158736673, 158838501, 158942427,
    158994857, 159035785, 159079866, 159122627, 159165603, 159212273, 159256071, 159303203,
    159349550, 159398064, 159447615, 159482446, 159496041, 159512208, 159527283, 159544220,
    159561086, 159579445, 159599242, 159606947, 159610832, 159614772, 159619552, 159625372,
    159625736, 159626396, 159626904, 159626931};

/* Writes `count` configurations from `first` on, three words each. */
COMBGPU__PRIVATE combgpu_status combgpu__six_configurations(combgpu_context *ctx, uint64_t first,
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
                combgpu__six_place_series(set, series[j], placing, words);
            placing = 0;
        }
    }
    combgpu__release(ctx, series);
    return COMBGPU_OK;
}
COMBGPU__COLD_END

COMBGPU__PRIVATE int combgpu__six_diagonal_of(const uint32_t *words, int i)
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
    status = combgpu__six_configurations(ctx, configuration, 1, words);
    if (status) return status;
    memset(square, 0, 36 * sizeof *square);
    for (i = 0; i < 12; i++)
        square[combgpu__magic_diagonal_cells[i]] = combgpu__six_diagonal_of(words, i);
    return COMBGPU_OK;
}
