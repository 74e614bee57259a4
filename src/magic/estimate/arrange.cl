/* Estimates from order 6 on: 32 lanes are a worker. Each draws a sample; then all lanes together
   take sample after sample, arrange its rows 2 and n-3 (estimate/arrange.c) and count the rest
   (estimate/join.cl). Four columns are 0, 1, n-2 and n-1.

   The 16 numbers left have places 0 to 15, from the smallest on. A number has one partner for a
   sum, so at most 8 of their 120 pairs have the same sum. */
#define COMBGPU__ESTIMATE_PICKS 16 /* arrangements that are counted, at most */
#define COMBGPU__ESTIMATE_JOINTS 512
#define COMBGPU__ESTIMATE_ITEMS 64 /* of a queue: less than 32, and 32 more; two words each */
/* Word 0 or 1 of the items of queue i. */
#define COMBGPU__ESTIMATE_QUEUE(i, word)                                                           \
    (COMBGPU__ESTIMATE_JOINTS + COMBGPU__ESTIMATE_ITEMS * (2 * (i) + (word)))
#define COMBGPU__ESTIMATE_GROUP_BLOCKS 4 /* on a multiprocessor */
#ifdef COMBGPU__PACKED
#define COMBGPU__ESTIMATE_GROUPS 4 /* in a block */
#else
#define COMBGPU__ESTIMATE_GROUPS 1
#endif

/* What a lane has drawn, a word each. */
enum {
    COMBGPU__DRAWN_NUMBERS = 0,     /* those left, a byte each, from the smallest on */
    COMBGPU__DRAWN_KEPT = 4,        /* of rows 2 and n-3 in the four columns, a byte each */
    COMBGPU__DRAWN_ROWS = 6,        /* what rows 0, n-1 and 1 need */
    COMBGPU__DRAWN_BASES = 9,       /* what the four columns need, rows 2 and n-3 included */
    COMBGPU__DRAWN_DIFFERENCE = 13, /* of the sums that columns 2 and n-3 need */
    COMBGPU__DRAWN_RANDOM = 14,
    COMBGPU__DRAWN_WORDS = 15
};

/* A group's local memory. */
typedef struct combgpu_estimate_bench_t {
    uint32_t drawn[32 * COMBGPU__DRAWN_WORDS];
    uint32_t ways[32 * COMBGPU__ESTIMATE_PICKS]; /* of a sample's arrangement: 32 * pick + sample */
    uint32_t chances[32 * COMBGPU__ESTIMATE_PICKS]; /* its likelihood */
    /* of the sample at hand */
    uint32_t number[16]; /* by place */
    uint32_t sums[256];  /* by sum: where its pairs begin | their number << 8 */
    uint32_t pair[120];  /* its places, a bit each | the smaller number << 16 | the greater << 24 */
    uint32_t fits[64];   /* pairs for a column: 16 * column + 4 * place in row 2 + in row n-3 */
    uint32_t likely[144]; /* of the numbers in columns 1 and n-2: 4 * (6 * set + set) + order */
    uint32_t before[18];  /* sum of those before the eighth, sixteenth ... */
    uint32_t pick[COMBGPU__ESTIMATE_PICKS]; /* which are counted */
    /* of some of its arrangements */
    uint32_t begin[9]; /* of their joints */
    /* joints, then the queues; while numbers are drawn, what their lines need: SLOTS * 32 words */
    uint32_t joint[COMBGPU__ESTIMATE_JOINTS + 6 * COMBGPU__ESTIMATE_ITEMS];
} combgpu_estimate_bench_t;

/* Of four places, the 6 sets of two: the lower, the higher place of set s; 5 - s is the rest. */
#define COMBGPU__ESTIMATE_LOW(s) ((0x211000u >> (4 * (s))) & 15)
#define COMBGPU__ESTIMATE_HIGH(s) ((0x332321u >> (4 * (s))) & 15)

/* Returns 4 * place in row 2 + place in row n-3 for the first or second of two columns that take
   these sets. */
COMBGPU__DEVICE uint32_t combgpu_estimate_place(uint32_t upper, uint32_t lower, uint32_t order,
                                                uint32_t second)
{
    uint32_t row2 =
        (order & 1) != second ? COMBGPU__ESTIMATE_HIGH(upper) : COMBGPU__ESTIMATE_LOW(upper);
    uint32_t row3 =
        (order >> 1) != second ? COMBGPU__ESTIMATE_HIGH(lower) : COMBGPU__ESTIMATE_LOW(lower);
    return 4 * row2 + row3;
}

/* Returns a word of sample `from`. */
COMBGPU__DEVICE uint32_t combgpu_estimate_drawn(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                uint32_t word, uint32_t from)
{
    return t->drawn[32 * word + from];
}

/* Returns what a column needs when it takes the numbers at this place; above 255 = impossible. */
COMBGPU__DEVICE uint32_t combgpu_estimate_need(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                               uint32_t from, uint32_t column, uint32_t place)
{
    return combgpu_estimate_drawn(t, COMBGPU__DRAWN_BASES + column, from) -
           ((combgpu_estimate_drawn(t, COMBGPU__DRAWN_KEPT, from) >> (8 * (place >> 2))) & 255) -
           ((combgpu_estimate_drawn(t, COMBGPU__DRAWN_KEPT + 1, from) >> (8 * (place & 3))) & 255);
}

/* Returns where the pairs with a sum begin | their number << 8. */
COMBGPU__DEVICE uint32_t combgpu_estimate_pairs(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                uint32_t sum)
{
    return sum < 256 ? t->sums[sum] : 0;
}

/* Saves what the lane has drawn. */
COMBGPU__DEVICE void combgpu_estimate_note(COMBGPU__GROUP_PARAMETER,
                                           COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                           const combgpu_estimate_draw_t *draw, uint32_t n,
                                           uint32_t random, uint32_t wide)
{
    COMBGPU__LOCAL uint32_t *to = t->drawn + COMBGPU__GROUP_LANE;
    combgpu_estimate_set_t left = draw->unused;
    uint32_t word, i;
    for (word = COMBGPU__DRAWN_NUMBERS; word < COMBGPU__DRAWN_NUMBERS + 4; word++) {
        uint32_t numbers = 0;
        for (i = 0; i < 32; i += 8)
            numbers |= combgpu_estimate_next(&left, wide) << i;
        to[32 * word] = numbers;
    }
    to[32 * COMBGPU__DRAWN_KEPT] = (uint32_t)draw->kept;
    to[32 * (COMBGPU__DRAWN_KEPT + 1)] = (uint32_t)(draw->kept >> 32);
    to[32 * COMBGPU__DRAWN_ROWS] = (uint32_t)draw->need[0];
    to[32 * (COMBGPU__DRAWN_ROWS + 1)] = (uint32_t)draw->need[32 * (n - 1)];
    to[32 * (COMBGPU__DRAWN_ROWS + 2)] = (uint32_t)draw->need[32];
    for (i = 0; i < 4; i++)
        to[32 * (COMBGPU__DRAWN_BASES + i)] =
            (uint32_t)draw->need[32 * (i < 2 ? n + i : 2 * n - 4 + i)] +
            ((uint32_t)(draw->kept >> (8 * i)) & 255) +
            ((uint32_t)(draw->kept >> (32 + 8 * i)) & 255);
    to[32 * COMBGPU__DRAWN_DIFFERENCE] =
        (uint32_t)(draw->need[32 * (n + 2)] - draw->need[32 * (2 * n - 3)]);
    to[32 * COMBGPU__DRAWN_RANDOM] = random;
}

/* Returns the sum of x in this lane and those before it. */
COMBGPU__DEVICE uint32_t combgpu_estimate_up_to(COMBGPU__GROUP_PARAMETER, uint32_t x)
{
    uint32_t step;
    for (step = 1; step < 32; step *= 2) {
        uint32_t y = COMBGPU__GROUP_FROM(x, (COMBGPU__GROUP_LANE - step) & 31);
        if (COMBGPU__GROUP_LANE >= step) x += y;
    }
    return x;
}

/* Makes the tables of a sample's pairs. */
COMBGPU__DEVICE void combgpu_estimate_make_pairs(COMBGPU__GROUP_PARAMETER,
                                                 COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                                 uint32_t from)
{
    /* each place with the 7 that follow in a circle, and the first 8 with those opposite */
    const uint32_t lane = COMBGPU__GROUP_LANE, one = lane & 15, near = 1 + (lane >> 4),
                   far = 8 + (lane >> 3 == 2);
    uint32_t i, own, begin, ranks = 0;
    for (i = lane; i < 256; i += 32)
        t->sums[i] = 0;
    if (lane < 16)
        t->number[lane] = (combgpu_estimate_drawn(t, COMBGPU__DRAWN_NUMBERS + (lane >> 2), from) >>
                           (8 * (lane & 3))) &
                          255;
    COMBGPU__WARP_BARRIER();
    own = t->number[one];
    for (i = near; i < far; i += 2)
        ranks |= COMBGPU__LOCAL_ATOMIC_ADD(&t->sums[own + t->number[(one + i) & 15]], 1)
                 << (4 * (i >> 1));
    COMBGPU__WARP_BARRIER();
    for (i = lane, begin = 0; i < 256; i += 32)
        begin += t->sums[i];
    begin = combgpu_estimate_up_to(COMBGPU__GROUP, begin) - begin;
    for (i = lane; i < 256; i += 32) {
        uint32_t count = t->sums[i];
        t->sums[i] = begin | count << 8;
        begin += count;
    }
    COMBGPU__WARP_BARRIER();
    for (i = near; i < far; i += 2) {
        uint32_t other = t->number[(one + i) & 15],
                 at = (t->sums[own + other] & 255) + ((ranks >> (4 * (i >> 1))) & 15);
        t->pair[at] = 1u << one | 1u << ((one + i) & 15) | (own < other ? own : other) << 16 |
                      (own < other ? other : own) << 24;
    }
    for (i = lane; i < 64; i += 32)
        t->fits[i] = combgpu_estimate_pairs(t, combgpu_estimate_need(t, from, i >> 4, i & 15)) >> 8;
    COMBGPU__WARP_BARRIER();
}

/* Returns the product of two columns' numbers of pairs, when they take these sets in this order. */
COMBGPU__DEVICE uint32_t combgpu_estimate_product(COMBGPU__LOCAL const uint32_t *a,
                                                  COMBGPU__LOCAL const uint32_t *b, uint32_t upper,
                                                  uint32_t lower, uint32_t order)
{
    return a[combgpu_estimate_place(upper, lower, order, 0)] *
           b[combgpu_estimate_place(upper, lower, order, 1)];
}

/* Fills in the likelihoods. Returns their sum. */
COMBGPU__DEVICE uint32_t combgpu_estimate_likelihoods(COMBGPU__GROUP_PARAMETER,
                                                      COMBGPU__LOCAL combgpu_estimate_bench_t *t)
{
    const uint32_t lane = COMBGPU__GROUP_LANE;
    uint32_t sum = 0, sets, order;
    for (sets = 2 * lane; sets < 2 * lane + 2 && sets < 36; sets++) {
        uint32_t upper = sets / 6, lower = sets % 6, ends = 0;
        for (order = 0; order < 4; order++)
            ends += combgpu_estimate_product(t->fits, t->fits + 48, 5 - upper, 5 - lower, order);
        for (order = 0; order < 4; order++) {
            uint32_t likely =
                ends * combgpu_estimate_product(t->fits + 16, t->fits + 32, upper, lower, order);
            t->likely[4 * sets + order] = likely;
            sum += likely;
        }
    }
    sets = combgpu_estimate_up_to(COMBGPU__GROUP, sum);
    if (lane < 18) t->before[lane] = sets - sum;
    sum = COMBGPU__GROUP_FROM(sets, 31);
    COMBGPU__WARP_BARRIER();
    return sum;
}

/* Chooses the arrangements: pick i of 2^log_picks is where the likelihoods, whose sum is `all`, reach
   the part (i + random) / picks. */
COMBGPU__DEVICE void combgpu_estimate_choose_picks(COMBGPU__GROUP_PARAMETER,
                                                   COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                                   uint32_t from, uint32_t all, uint32_t log_picks)
{
    const uint32_t lane = COMBGPU__GROUP_LANE;
    if (!(lane >> log_picks)) {
        uint64_t part =
            (uint64_t)lane << 32 | combgpu_estimate_drawn(t, COMBGPU__DRAWN_RANDOM, from);
        uint32_t at = (uint32_t)((part * all) >> (32 + log_picks)), eight = 0, step, pick;
        for (step = 16; step; step /= 2)
            if (eight + step < 18 && t->before[eight + step] <= at) eight += step;
        at -= t->before[eight];
        for (pick = 8 * eight; pick < 143 && at >= t->likely[pick]; pick++)
            at -= t->likely[pick];
        t->pick[lane] = pick;
        t->ways[32 * lane + from] = 0;
        t->chances[32 * lane + from] = t->likely[pick];
    }
    COMBGPU__WARP_BARRIER();
}
