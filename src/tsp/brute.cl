/* ---------------------------------------------------------------------------------- TSP */
#if defined(COMBGPU_KERNELS_TSP) || defined(COMBGPU__HAS_TSP)
/* What is searched, and what the tables hold: combgpu.h, SECTION 50. Costs are u64 here. */
#define TSP_MOST 32 /* stride of the tables */
#define TSP_M (tables[0])
#define TSP_FIRST ((GLOBAL const u64 *)(tables + 8))
#define TSP_LAST (TSP_FIRST + TSP_MOST)
#define TSP_LEGS (TSP_LAST + TSP_MOST)
#define TSP_BINOMIALS (tables + 8 + 2 * TSP_MOST * (TSP_MOST + 2))
#define TSP_FAR(wide) ((u64)1 << ((wide) ? 62 : 30)) /* more than any path costs */

DEVICE u64 tsp_min(u64 x, u64 y)
{
    return y < x ? y : x;
}

/* ---- brute force: a block is a worker, a lane takes a prefix at a time */
#define TSP_LANES 128
#define TSP_SIDE 16 /* middle cities at most */

/* Prefix `number` as a list of cities, 4 bits each, first city lowest; *rest gets the other cities
   in ascending order. Its digits, the last first, are the number in the bases m-depth+1 .. m. */
DEVICE u64 tsp_unrank(u32 m, u32 depth, u64 number, u64 *rest)
{
    u64 digits = 0, cities = ((u64)0xfedcba98u << 32) + 0x76543210u, prefix = 0;
    u32 i;
    for (i = depth; i-- > 0;) {
        u64 quotient = number >> 32 ? number / (m - i) : (u64)((u32)number / (m - i));
        digits |= (number - quotient * (m - i)) << 4 * i;
        number = quotient;
    }
    for (i = 0; i < depth; i++) {
        u32 at = 4 * (u32)(digits >> 4 * i & 15);
        u64 below = ((u64)1 << at) - 1;
        prefix |= (cities >> at & 15) << 4 * i;
        cities = (cities & below) | (cities >> 4 & ~below);
    }
    *rest = cities;
    return prefix;
}

/* The last cities that a prefix may have: all of its six others, or without direction those after
   its first city. A bit each. */
DEVICE u32 tsp_lasts(u32 reversible, u64 prefix, u64 rest)
{
    u32 i, lasts = 0;
    for (i = 0; i < 6; i++)
        if (!reversible || (rest >> 4 * i & 15) > (prefix & 15)) lasts |= 1u << i;
    return lasts;
}

/* The shorter of `best` and the 12 tours that visit cities i and j, in either order, and then a, b
   and c, in any. enter, legs and leave are of five cities, and the indices are constants, so that
   all of this is in registers. */
DEVICE u64 tsp_pair(u64 best, const u64 *enter, const u64 *legs, const u64 *leave, u32 i, u32 j,
                    u32 a, u32 b, u32 c)
{
    u64 abc = legs[5 * a + b] + (legs[5 * b + c] + leave[c]);
    u64 acb = legs[5 * a + c] + (legs[5 * c + b] + leave[b]);
    u64 bac = legs[5 * b + a] + (legs[5 * a + c] + leave[c]);
    u64 bca = legs[5 * b + c] + (legs[5 * c + a] + leave[a]);
    u64 cab = legs[5 * c + a] + (legs[5 * a + b] + leave[b]);
    u64 cba = legs[5 * c + b] + (legs[5 * b + a] + leave[a]);
    u64 ij = enter[i] + legs[5 * i + j], ji = enter[j] + legs[5 * j + i], sum;
    sum = ij + legs[5 * j + a];
    best = tsp_min(tsp_min(best, sum + abc), sum + acb);
    sum = ij + legs[5 * j + b];
    best = tsp_min(tsp_min(best, sum + bac), sum + bca);
    sum = ij + legs[5 * j + c];
    best = tsp_min(tsp_min(best, sum + cab), sum + cba);
    sum = ji + legs[5 * i + a];
    best = tsp_min(tsp_min(best, sum + abc), sum + acb);
    sum = ji + legs[5 * i + b];
    best = tsp_min(tsp_min(best, sum + bac), sum + bca);
    sum = ji + legs[5 * i + c];
    return tsp_min(tsp_min(best, sum + cab), sum + cba);
}

/* The shortest of the 120 tours that go on from city `from`, at the cost `sum` so far, through the
   five cities of `between` to the city `end`. */
DEVICE u64 tsp_five(LOCAL const u64 *all_legs, u64 sum, u32 from, u64 between, u32 end,
                    u64 last)
{
    u64 enter[5], legs[25], leave[5], best = ~(u64)0;
    u32 i, j;
#pragma unroll
    for (i = 0; i < 5; i++) {
        u32 city = (u32)(between >> 4 * i & 15);
        enter[i] = sum + all_legs[from * TSP_SIDE + city];
        leave[i] = all_legs[city * TSP_SIDE + end] + last;
#pragma unroll
        for (j = 0; j < 5; j++)
            legs[5 * i + j] = all_legs[city * TSP_SIDE + (u32)(between >> 4 * j & 15)];
    }
    best = tsp_pair(best, enter, legs, leave, 0, 1, 2, 3, 4);
    best = tsp_pair(best, enter, legs, leave, 0, 2, 1, 3, 4);
    best = tsp_pair(best, enter, legs, leave, 0, 3, 1, 2, 4);
    best = tsp_pair(best, enter, legs, leave, 0, 4, 1, 2, 3);
    best = tsp_pair(best, enter, legs, leave, 1, 2, 0, 3, 4);
    best = tsp_pair(best, enter, legs, leave, 1, 3, 0, 2, 4);
    best = tsp_pair(best, enter, legs, leave, 1, 4, 0, 2, 3);
    best = tsp_pair(best, enter, legs, leave, 2, 3, 0, 1, 4);
    best = tsp_pair(best, enter, legs, leave, 2, 4, 0, 1, 3);
    return tsp_pair(best, enter, legs, leave, 3, 4, 0, 1, 2);
}

/* What a lane, and at last the block, has found. */
typedef struct tsp_found_t {
    u64 length, prefix, tours, hash;
} tsp_found_t;

/* All tours with prefix `number`: at least one, unless `found` stays as it is. */
DEVICE void tsp_prefix(GLOBAL const u32 *tables, LOCAL const u64 *first, LOCAL const u64 *last,
                       LOCAL const u64 *legs, u64 number, tsp_found_t *found)
{
    u64 rest, prefix = tsp_unrank(TSP_M, tables[1], number, &rest), sum, best = ~(u64)0;
    u32 from = (u32)(prefix & 15), lasts = tsp_lasts(tables[2], prefix, rest), i;
    if (!lasts) return;
    sum = first[from];
    for (i = 1; i < tables[1]; i++) {
        u32 to = (u32)(prefix >> 4 * i & 15);
        sum += legs[from * TSP_SIDE + to];
        from = to;
    }
    found->tours += 120 * POPCOUNT(lasts);
    for (; lasts; lasts &= lasts - 1) {
        u32 at = 4 * CTZ(lasts), end = (u32)(rest >> at & 15);
        u64 below = ((u64)1 << at) - 1;
        best = tsp_min(best, tsp_five(legs, sum, from, (rest & below) | (rest >> 4 & ~below), end,
                                      last[end]));
    }
    found->hash += combgpu_mix(combgpu_mix(number) + best);
    if (best < found->length || (best == found->length && number < found->prefix)) {
        found->length = best;
        found->prefix = number;
    }
}

/* Lane 0's end of a slice: a record of the block's best, and its totals. */
DEVICE void tsp_brute_end(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,
                          GLOBAL u32 *left, GLOBAL u32 *records, LOCAL const tsp_found_t *lanes)
{
    tsp_found_t found = lanes[0];
    u32 i, at;
    for (i = 1; i < TSP_LANES; i++) {
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
    if (at != NONE) {
        combgpu_store64(records + 4 * (u64)at, found.length);
        combgpu_store64(records + 4 * (u64)at + 2, found.prefix);
    } else { /* no room: this prefix comes again, and must not have counted */
        u64 rest, prefix = tsp_unrank(TSP_M, tables[1], found.prefix, &rest);
        found.tours -= 120 * POPCOUNT(tsp_lasts(tables[2], prefix, rest));
        found.hash -= combgpu_mix(combgpu_mix(found.prefix) + found.length);
        combgpu_give_range(slice, left, found.prefix, found.prefix + 1);
    }
    combgpu_add_total(slice, 0, found.tours);
    combgpu_add_total(slice, 1, found.hash);
}

KERNEL combgpu_tsp_brute(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 first[TSP_SIDE], last[TSP_SIDE], legs[TSP_SIDE * TSP_SIDE];
    LOCAL_ARRAY tsp_found_t lanes[TSP_LANES];
    LOCAL_ARRAY u32 task, go_on;
    tsp_found_t found = {~(u64)0, 0, 0, 0};
    u32 steps = 0, i; /* steps: as if every prefix had all of its tours */
    (void)work;
    for (i = LANE_ID; i < TSP_SIDE * TSP_SIDE; i += TSP_LANES) {
        legs[i] = TSP_LEGS[i / TSP_SIDE * TSP_MOST + i % TSP_SIDE];
        if (i < TSP_SIDE) {
            first[i] = TSP_FIRST[i];
            last[i] = TSP_LAST[i];
        }
    }
    for (;;) {
        u64 number, end;
        BLOCK_BARRIER();
        if (LANE_ID == 0)
            task = combgpu_spent(slice, steps) ? NONE : combgpu_take(slice);
        BLOCK_BARRIER();
        if (task == NONE) break;
        number = combgpu_load64(tasks + 4 * (u64)task);
        end = combgpu_load64(tasks + 4 * (u64)task + 2);
        for (; number < end; number += TSP_LANES) {
            BLOCK_BARRIER();
            if (LANE_ID == 0) go_on = !combgpu_spent(slice, steps);
            BLOCK_BARRIER();
            if (!go_on) break;
            if (number + LANE_ID < end)
                tsp_prefix(tables, first, last, legs, number + LANE_ID, &found);
            steps += 720 * TSP_LANES;
        }
        if (number < end && LANE_ID == 0) combgpu_give_range(slice, left, number, end);
    }
    lanes[LANE_ID] = found;
    BLOCK_BARRIER();
    if (LANE_ID == 0) tsp_brute_end(slice, tables, left, records, lanes);
}

