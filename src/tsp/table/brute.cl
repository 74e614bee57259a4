/* The brute force kernel, and code shared with Held-Karp. src/tsp/instance/state.c explains the
   search, src/tsp/layout.h the words of `tables`. Costs are uint64_t here. */
#define COMBGPU__TSP_M (tables[COMBGPU__TSP_AT_CITIES])
#define COMBGPU__TSP_FIRST ((COMBGPU__GLOBAL const uint64_t *)(tables + COMBGPU__TSP_AT_COSTS))
#define COMBGPU__TSP_LAST (COMBGPU__TSP_FIRST + COMBGPU__TSP_MOST)
#define COMBGPU__TSP_LEGS (COMBGPU__TSP_LAST + COMBGPU__TSP_MOST)
#define COMBGPU__TSP_CHOOSE (tables + COMBGPU__TSP_AT_BINOMIALS)
#define COMBGPU__TSP_FAR(wide) ((uint64_t)1 << ((wide) ? 62 : 30)) /* more than any path costs */

COMBGPU__DEVICE uint64_t combgpu_table_min(uint64_t x, uint64_t y)
{
    return y < x ? y : x;
}

/* ---- brute force: a block is a worker, each lane works on a prefix */
#define COMBGPU__TSP_SIDE 16 /* middle cities at most */

/* Returns prefix `number` as a list of cities, 4 bits each, first city lowest; *rest gets the other
   cities in ascending order. The digits, last first, are the number in the bases m-depth+1 .. m. */
COMBGPU__DEVICE uint64_t combgpu_table_unrank(uint32_t m, uint32_t depth, uint64_t number,
                                              uint64_t *rest)
{
    uint64_t digits = 0, cities = ((uint64_t)0xfedcba98u << 32) + 0x76543210u, prefix = 0;
    uint32_t i;
    for (i = depth; i-- > 0;) {
        uint64_t quotient =
            number >> 32 ? number / (m - i) : (uint64_t)((uint32_t)number / (m - i));
        digits |= (number - quotient * (m - i)) << 4 * i;
        number = quotient;
    }
    for (i = 0; i < depth; i++) {
        uint32_t at = 4 * (uint32_t)(digits >> 4 * i & 15);
        uint64_t below = ((uint64_t)1 << at) - 1;
        prefix |= (cities >> at & 15) << 4 * i;
        cities = (cities & below) | (cities >> 4 & ~below);
    }
    *rest = cities;
    return prefix;
}

/* Returns the last cities that tours with a prefix may have, as bits: all six of the rest, or, if
   reversible, those greater than the first city. */
COMBGPU__DEVICE uint32_t combgpu_table_lasts(uint32_t reversible, uint64_t prefix, uint64_t rest)
{
    uint32_t i, lasts = 0;
    for (i = 0; i < 6; i++)
        if (!reversible || (rest >> 4 * i & 15) > (prefix & 15)) lasts |= 1u << i;
    return lasts;
}

/* Returns the least of `best` and the 12 tours that visit cities i and j, in either order, then a,
   b and c in any order. Indices are constants, so enter, legs and leave stay in registers. */
COMBGPU__DEVICE_APART uint64_t combgpu_table_pair(uint64_t best, const uint64_t *enter,
                                                  const uint64_t *legs, const uint64_t *leave,
                                                  uint32_t i, uint32_t j, uint32_t a, uint32_t b,
                                                  uint32_t c)
{
    uint64_t abc = legs[5 * a + b] + (legs[5 * b + c] + leave[c]);
    uint64_t acb = legs[5 * a + c] + (legs[5 * c + b] + leave[b]);
    uint64_t bac = legs[5 * b + a] + (legs[5 * a + c] + leave[c]);
    uint64_t bca = legs[5 * b + c] + (legs[5 * c + a] + leave[a]);
    uint64_t cab = legs[5 * c + a] + (legs[5 * a + b] + leave[b]);
    uint64_t cba = legs[5 * c + b] + (legs[5 * b + a] + leave[a]);
    uint64_t ij = enter[i] + legs[5 * i + j], ji = enter[j] + legs[5 * j + i], sum;
    sum = ij + legs[5 * j + a];
    best = combgpu_table_min(combgpu_table_min(best, sum + abc), sum + acb);
    sum = ij + legs[5 * j + b];
    best = combgpu_table_min(combgpu_table_min(best, sum + bac), sum + bca);
    sum = ij + legs[5 * j + c];
    best = combgpu_table_min(combgpu_table_min(best, sum + cab), sum + cba);
    sum = ji + legs[5 * i + a];
    best = combgpu_table_min(combgpu_table_min(best, sum + abc), sum + acb);
    sum = ji + legs[5 * i + b];
    best = combgpu_table_min(combgpu_table_min(best, sum + bac), sum + bca);
    sum = ji + legs[5 * i + c];
    return combgpu_table_min(combgpu_table_min(best, sum + cab), sum + cba);
}

/* Returns the length of the shortest of the 120 tours that continue from city `from`, at the cost
   `sum` so far, through the five cities of `between` to city `end`. */
COMBGPU__DEVICE uint64_t combgpu_table_five(COMBGPU__LOCAL const uint64_t *all_legs, uint64_t sum,
                                            uint32_t from, uint64_t between, uint32_t end,
                                            uint64_t last)
{
    uint64_t enter[5], legs[25], leave[5], best = ~(uint64_t)0;
    uint32_t i, j;
#pragma unroll
    for (i = 0; i < 5; i++) {
        uint32_t city = (uint32_t)(between >> 4 * i & 15);
        enter[i] = sum + all_legs[from * COMBGPU__TSP_SIDE + city];
        leave[i] = all_legs[city * COMBGPU__TSP_SIDE + end] + last;
#pragma unroll
        for (j = 0; j < 5; j++)
            legs[5 * i + j] =
                all_legs[city * COMBGPU__TSP_SIDE + (uint32_t)(between >> 4 * j & 15)];
    }
    best = combgpu_table_pair(best, enter, legs, leave, 0, 1, 2, 3, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 0, 2, 1, 3, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 0, 3, 1, 2, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 0, 4, 1, 2, 3);
    best = combgpu_table_pair(best, enter, legs, leave, 1, 2, 0, 3, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 1, 3, 0, 2, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 1, 4, 0, 2, 3);
    best = combgpu_table_pair(best, enter, legs, leave, 2, 3, 0, 1, 4);
    best = combgpu_table_pair(best, enter, legs, leave, 2, 4, 0, 1, 3);
    return combgpu_table_pair(best, enter, legs, leave, 3, 4, 0, 1, 2);
}

/* The findings of a lane, and finally of the block. */
typedef struct combgpu_table_found_t {
    uint64_t length, prefix, tours, hash;
} combgpu_table_found_t;

/* Searches all tours with prefix `number`. Without any, `found` is unchanged. */
COMBGPU__DEVICE void combgpu_table_prefix(COMBGPU__GLOBAL const uint32_t *tables,
                                          COMBGPU__LOCAL const uint64_t *first,
                                          COMBGPU__LOCAL const uint64_t *last,
                                          COMBGPU__LOCAL const uint64_t *legs, uint64_t number,
                                          combgpu_table_found_t *found)
{
    uint64_t rest,
        prefix = combgpu_table_unrank(COMBGPU__TSP_M, tables[COMBGPU__TSP_AT_DEPTH], number, &rest),
        sum, best = ~(uint64_t)0;
    uint32_t from = (uint32_t)(prefix & 15),
             lasts = combgpu_table_lasts(tables[COMBGPU__TSP_AT_REVERSIBLE], prefix, rest), i;
    if (!lasts) return;
    sum = first[from];
    for (i = 1; i < tables[COMBGPU__TSP_AT_DEPTH]; i++) {
        uint32_t to = (uint32_t)(prefix >> 4 * i & 15);
        sum += legs[from * COMBGPU__TSP_SIDE + to];
        from = to;
    }
    found->tours += 120 * COMBGPU__POPCOUNT(lasts);
    for (; lasts; lasts &= lasts - 1) {
        uint32_t at = 4 * COMBGPU__CTZ(lasts), end = (uint32_t)(rest >> at & 15);
        uint64_t below = ((uint64_t)1 << at) - 1;
        best = combgpu_table_min(best, combgpu_table_five(legs, sum, from,
                                                          (rest & below) | (rest >> 4 & ~below),
                                                          end, last[end]));
    }
    found->hash += combgpu_mix(combgpu_mix(number) + best);
    if (best < found->length || (best == found->length && number < found->prefix)) {
        found->length = best;
        found->prefix = number;
    }
}

/* Ends a slice: emits the block's best and adds its totals. By lane 0. */
COMBGPU__DEVICE void combgpu_table_brute_end(COMBGPU__GLOBAL combgpu__slice *slice,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL uint32_t *left,
                                             COMBGPU__GLOBAL uint32_t *records,
                                             COMBGPU__LOCAL const combgpu_table_found_t *lanes)
{
    combgpu_table_found_t found = lanes[0];
    uint32_t i, at;
    for (i = 1; i < COMBGPU__TSP_LANES; i++) {
        found.tours += lanes[i].tours;
        found.hash += lanes[i].hash;
        if (lanes[i].length < found.length ||
            (lanes[i].length == found.length && lanes[i].prefix < found.prefix)) {
            found.length = lanes[i].length;
            found.prefix = lanes[i].prefix;
        }
    }
    if (!found.tours) return;
    at = combgpu_emit(slice);
    if (at != COMBGPU__NONE) {
        combgpu_store64(records + 4 * (uint64_t)at, found.length);
        combgpu_store64(records + 4 * (uint64_t)at + 2, found.prefix);
    } else { /* no room: the prefix will be searched again, so it must not count now */
        uint64_t rest, prefix = combgpu_table_unrank(COMBGPU__TSP_M, tables[COMBGPU__TSP_AT_DEPTH],
                                                     found.prefix, &rest);
        found.tours -= 120 * COMBGPU__POPCOUNT(combgpu_table_lasts(
                                 tables[COMBGPU__TSP_AT_REVERSIBLE], prefix, rest));
        found.hash -= combgpu_mix(combgpu_mix(found.prefix) + found.length);
        combgpu_give_range(slice, left, found.prefix, found.prefix + 1);
    }
    combgpu_add_total(slice, 0, found.tours);
    combgpu_add_total(slice, COMBGPU__TSP_HASH, found.hash);
}

COMBGPU__KERNEL combgpu_tsp_brute(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t first[COMBGPU__TSP_SIDE], last[COMBGPU__TSP_SIDE],
        legs[COMBGPU__TSP_SIDE * COMBGPU__TSP_SIDE];
    COMBGPU__LOCAL_ARRAY combgpu_table_found_t lanes[COMBGPU__TSP_LANES];
    COMBGPU__LOCAL_ARRAY uint32_t task, go_on;
    combgpu_table_found_t found = {~(uint64_t)0, 0, 0, 0};
    uint32_t steps = 0, i; /* steps: as if every prefix had all of its tours */
    (void)work;
    for (i = COMBGPU__LANE_ID; i < COMBGPU__TSP_SIDE * COMBGPU__TSP_SIDE; i += COMBGPU__TSP_LANES) {
        legs[i] =
            COMBGPU__TSP_LEGS[i / COMBGPU__TSP_SIDE * COMBGPU__TSP_MOST + i % COMBGPU__TSP_SIDE];
        if (i < COMBGPU__TSP_SIDE) {
            first[i] = COMBGPU__TSP_FIRST[i];
            last[i] = COMBGPU__TSP_LAST[i];
        }
    }
    for (;;) {
        uint64_t number, end;
        COMBGPU__BLOCK_BARRIER();
        if (COMBGPU__LANE_ID == 0)
            task = combgpu_spent(slice, steps) ? COMBGPU__NONE : combgpu_take(slice);
        COMBGPU__BLOCK_BARRIER();
        if (task == COMBGPU__NONE) break;
        number = combgpu_load64(tasks + 4 * (uint64_t)task);
        end = combgpu_load64(tasks + 4 * (uint64_t)task + 2);
        for (; number < end; number += COMBGPU__TSP_LANES) {
            COMBGPU__BLOCK_BARRIER();
            if (COMBGPU__LANE_ID == 0) go_on = !combgpu_spent(slice, steps);
            COMBGPU__BLOCK_BARRIER();
            if (!go_on) break;
            if (number + COMBGPU__LANE_ID < end)
                combgpu_table_prefix(tables, first, last, legs, number + COMBGPU__LANE_ID, &found);
            steps += 720 * COMBGPU__TSP_LANES;
        }
        if (number < end && COMBGPU__LANE_ID == 0) combgpu_give_range(slice, left, number, end);
    }
    lanes[COMBGPU__LANE_ID] = found;
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__LANE_ID == 0) combgpu_table_brute_end(slice, tables, left, records, lanes);
}
