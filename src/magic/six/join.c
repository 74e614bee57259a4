/* Order 6 with both diagonals given: the three-set join on the CPU. */

/* Returns the number of ways in which the spreads of two blocks (u | v << 8) add up to `spread`. */
COMBGPU__PRIVATE uint32_t combgpu__six_ways(uint32_t a, uint32_t b, int spread)
{
    int u = (int)(a & 255), v = (int)(a >> 8 & 255), i;
    int has_u = (int)(b & 255), has_v = (int)(b >> 8 & 255), wants[4];
    uint32_t ways = 0, twice = has_v == 0; /* two orders with no difference */
    wants[0] = combgpu__six_distance(spread, u);
    wants[1] = combgpu__six_distance(spread, -u);
    wants[2] = combgpu__six_distance(spread, v);
    wants[3] = combgpu__six_distance(spread, -v);
    for (i = 0; i < 4; i++)
        ways += (uint32_t)(wants[i] == has_u) + ((uint32_t)(wants[i] == has_v) << twice);
    return ways;
}

/* The segments of a set of row pair 0, by total. */
typedef struct combgpu__six_first {
    const combgpu__six_set *set;
    const combgpu__six_segment *segment[COMBGPU__SIX_TOTALS];
} combgpu__six_first;

/* The squares over one segment of each row pair. */
COMBGPU__PRIVATE uint64_t combgpu__six_squares(const combgpu__six_work *w,
                                               const combgpu__six_segment *s0,
                                               const combgpu__six_segment *s1,
                                               const combgpu__six_segment *s2)
{
    const combgpu__six_split *begin0 = w->pair[0].splits + s0->first,
                             *end0 = w->pair[0].splits + s0[1].first, *p0;
    const combgpu__six_split *p1 = w->pair[1].splits + s1->first,
                             *end1 = w->pair[1].splits + s1[1].first;
    const combgpu__six_split *begin2 = w->pair[2].splits + s2->first,
                             *end2 = w->pair[2].splits + s2[1].first, *p2;
    uint64_t squares = 0;
    for (; p1 < end1; p1++) {
        if (!(p1->key[1] & s2->key[0]) || !(p1->key[0] & s0->key[1])) continue;
        for (p2 = begin2; p2 < end2; p2++) {
            if (!(p1->key[1] & p2->key[0])) continue;
            for (p0 = begin0; p0 < end0; p0++) {
                if (!(p0->key[0] & p2->key[1]) || !(p0->key[1] & p1->key[0])) continue;
                squares +=
                    (uint64_t)(combgpu__six_ways(p1->spread >> 16, p2->spread, w->spread[0]) *
                               combgpu__six_ways(p0->spread, p2->spread >> 16, w->spread[1]) *
                               combgpu__six_ways(p0->spread >> 16, p1->spread, w->spread[2]));
            }
        }
    }
    return squares;
}

/* The squares over a partition. */
COMBGPU__PRIVATE uint64_t combgpu__six_partition(const combgpu__six_work *w,
                                                 const combgpu__six_first *first,
                                                 const combgpu__six_set *m1,
                                                 const combgpu__six_set *m2)
{
    const combgpu__six_segment *segments1 = w->pair[1].segments + m1->segment;
    const combgpu__six_segment *segments2 = w->pair[2].segments + m2->segment;
    uint64_t squares = 0, common;
    int word;
    for (word = 0; word < 2; word++) {
        common = first->set->totals[word] & m1->totals[word] & m2->totals[word];
        for (; common; common &= common - 1) {
            const uint64_t below = (common & (0 - common)) - 1;
            const combgpu__six_segment *s0 =
                first->segment[64 * word + combgpu__lowest_bit64(common)];
            const combgpu__six_segment *s1 =
                segments1 + combgpu__popcount64(m1->totals[word] & below);
            const combgpu__six_segment *s2;
            if (!(s0->key[1] & s1->key[0])) continue;
            s2 = segments2 + combgpu__popcount64(m2->totals[word] & below);
            if ((s1->key[1] & s2->key[0]) && (s0->key[0] & s2->key[1]))
                squares += combgpu__six_squares(w, s0, s1, s2);
        }
        segments1 += combgpu__popcount64(m1->totals[0]);
        segments2 += combgpu__popcount64(m2->totals[0]);
    }
    return squares;
}

/* Returns the set of these numbers, or NULL. */
COMBGPU__PRIVATE const combgpu__six_set *combgpu__six_find(const combgpu__six_pair *pair,
                                                           uint32_t numbers)
{
    const combgpu__six_set *set = pair->sets + pair->bucket[numbers >> 12],
                           *end = pair->sets + pair->bucket[(numbers >> 12) + 1];
    for (; set < end; set++)
        if (set->numbers == numbers) return set;
    return NULL;
}

/* The squares whose row pair 0 has this set. */
COMBGPU__PRIVATE uint64_t combgpu__six_set_squares(const combgpu__six_work *w,
                                                   const combgpu__six_set *m0)
{
    const combgpu__six_pair *pair = w->pair;
    const uint32_t left = 0xffffff ^ m0->numbers, high = left >> 12;
    const combgpu__six_set *m1, *m2;
    combgpu__six_first first;
    uint32_t half = high, segment = m0->segment;
    uint64_t squares = 0;
    int t;
    first.set = m0;
    for (t = 0; t < COMBGPU__SIX_TOTALS; t++)
        if (m0->totals[t >> 6] >> (t & 63) & 1) first.segment[t] = pair[0].segments + segment++;
    for (;; half = (half - 1) & high) { /* every part of the upper half that is left */
        const combgpu__six_set *end = pair[1].sets + pair[1].bucket[half + 1];
        for (m1 = pair[1].sets + pair[1].bucket[half]; m1 < end; m1++) {
            if (m1->numbers & ~left ||
                !((m0->totals[0] & m1->totals[0]) | (m0->totals[1] & m1->totals[1])))
                continue;
            m2 = combgpu__six_find(&pair[2], left ^ m1->numbers);
            if (m2) squares += combgpu__six_partition(w, &first, m1, m2);
        }
        if (!half) return squares;
    }
}

/* The part of a configuration that a set of row pair 0 belongs to. */
COMBGPU__PRIVATE uint32_t combgpu__six_part(uint32_t numbers)
{
    return (uint32_t)(combgpu__mix(numbers) % COMBGPU__SIX_PARTS);
}

/* The squares of a step: those whose set of row pair 0 belongs to this part. */
COMBGPU__PRIVATE uint64_t combgpu__six_count(const combgpu__six_work *w, uint32_t part)
{
    const combgpu__six_set *set = w->pair[0].sets, *end = set + w->pair[0].count;
    uint64_t squares = 0;
    for (; set < end; set++)
        if (combgpu__six_part(set->numbers) == part) squares += combgpu__six_set_squares(w, set);
    return squares;
}
