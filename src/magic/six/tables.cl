/* Order 6 with both diagonals given: the tables of the three-set join (six/tables.c), in an area of
   the work memory. Splittings have no stored keys: these follow from the spreads. Sets without
   splittings stay in the list as COMBGPU__NONE. */

/* Local memory, offsets in words. SIX_OPEN: the free numbers, then what rows, columns, column pairs
   (their spreads), block 1 (its shift) and row pairs have. SIX_AREA, used in turns: 9 * 512 words for
   sets, then SIX_MAKER_WORDS and at last SIX_TEAM_WORDS for each team. */
#define COMBGPU__SIX_COUNTERS 0
#define COMBGPU__SIX_OPEN 16
#define COMBGPU__SIX_SUMS 64   /* of 6 of the numbers, 4 times 64 */
#define COMBGPU__SIX_FOURS 320 /* the 70 ways to choose 4 of 8 */
#define COMBGPU__SIX_SCAN 392
#define COMBGPU__SIX_AREA 648
#define COMBGPU__SIX_LOCAL (COMBGPU__SIX_AREA + 8512) /* 8 * SIX_TEAM_WORDS of a warp, the most */
/* from SIX_OPEN on */
enum {
    COMBGPU__SIX_ROW = 24,
    COMBGPU__SIX_COLUMN = 30,
    COMBGPU__SIX_SPREAD = 36,
    COMBGPU__SIX_SHIFT = 39,
    COMBGPU__SIX_SUM = 42
};

/* ---- what is open, by one lane */

COMBGPU__DEVICE void combgpu_six_swap(COMBGPU__LOCAL int32_t *a, COMBGPU__LOCAL int32_t *b)
{
    int32_t c = *a;
    *a = *b;
    *b = c;
}

/* The squared differences of opposite lines, summed. */
COMBGPU__DEVICE int32_t combgpu_six_apart(COMBGPU__LOCAL const int32_t *lines)
{
    int32_t i, sum = 0;
    for (i = 0; i < 3; i++)
        sum += (lines[i] - lines[5 - i]) * (lines[i] - lines[5 - i]);
    return sum;
}

/* As combgpu__six_open. */
COMBGPU__DEVICE void combgpu_six_open(COMBGPU__LOCAL int32_t *open,
                                      COMBGPU__GLOBAL const uint32_t *configuration)
{
    COMBGPU__LOCAL int32_t *row = open + COMBGPU__SIX_ROW, *column = open + COMBGPU__SIX_COLUMN;
    uint64_t used = 0;
    int32_t i, k, n, low = 0, high = 999;
    for (i = 0; i < 6; i++)
        row[i] = column[i] = 111;
    for (i = 0; i < 12; i++) {
        /* (0,0) (5,5) (1,1) (4,4) (2,2) (3,3), then (0,5) (5,0) (1,4) (4,1) (2,3) (3,2) */
        const int32_t r = (i & 1) ? 5 - (i % 6) / 2 : (i % 6) / 2, c = i < 6 ? r : 5 - r;
        n = (int32_t)(configuration[i / 5] >> (6 * (i % 5)) & 63);
        used |= (uint64_t)1 << n;
        row[r] -= n;
        column[c] -= n;
    }
    for (n = 0, i = 1; i <= 36; i++)
        if (!(used >> i & 1)) open[n++] = i;
    if (combgpu_six_apart(column) > combgpu_six_apart(row))
        for (i = 0; i < 6; i++)
            combgpu_six_swap(&row[i], &column[i]);
    for (i = 0; i < 2; i++)
        for (k = 0; k < 2 - i; k++)
            if (abs(3 * (row[k] + row[5 - k]) - 444) < abs(3 * (row[k + 1] + row[4 - k]) - 444)) {
                combgpu_six_swap(&row[k], &row[k + 1]);
                combgpu_six_swap(&row[5 - k], &row[4 - k]);
                combgpu_six_swap(&column[k], &column[k + 1]);
                combgpu_six_swap(&column[5 - k], &column[4 - k]);
            }
    for (i = 0; i < 3; i++) {
        open[COMBGPU__SIX_SUM + i] = row[i] + row[5 - i];
        open[COMBGPU__SIX_SPREAD + i] = column[i] - column[5 - i];
    }
    open[COMBGPU__SIX_SHIFT] = 0;
    open[COMBGPU__SIX_SHIFT + 1] = open[COMBGPU__SIX_SUM + 2] - open[COMBGPU__SIX_SUM];
    open[COMBGPU__SIX_SHIFT + 2] = open[COMBGPU__SIX_SUM + 2] - open[COMBGPU__SIX_SUM + 1];
    for (i = 0; i < 3; i++) {
        const int32_t first = 10 - open[COMBGPU__SIX_SHIFT + i], sum = open[COMBGPU__SIX_SUM + i];
        low = max(low, max(first, first + sum - 148));
        high = min(high, min(first + 128, first + sum - 20));
    }
    if (high - low >= COMBGPU__SIX_TOTALS) low++;
    for (i = 0; i < 3; i++)
        open[COMBGPU__SIX_SHIFT + i] += low;
}

/* ---- sets, by all lanes */

/* The sum of the values of the lanes before this one; *all gets the sum of all. */
COMBGPU__DEVICE uint32_t combgpu_six_before(COMBGPU__LOCAL uint32_t *scan, uint32_t value,
                                            uint32_t *all)
{
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t step, other;
    scan[lane] = value;
    for (step = 1; step < COMBGPU__SIX_LANES; step *= 2) {
        COMBGPU__LOCAL_BARRIER();
        other = lane >= step ? scan[lane - step] : 0;
        COMBGPU__LOCAL_BARRIER();
        scan[lane] += other;
    }
    COMBGPU__LOCAL_BARRIER();
    *all = scan[COMBGPU__SIX_LANES - 1];
    other = scan[lane] - value;
    COMBGPU__LOCAL_BARRIER();
    return other;
}

/* The sum of half a set: the lower numbers, or the upper ones. */
COMBGPU__DEVICE uint32_t combgpu_six_half(COMBGPU__LOCAL const uint32_t *scratch, uint32_t chunk,
                                          uint32_t upper)
{
    COMBGPU__LOCAL const uint32_t *sums = scratch + COMBGPU__SIX_SUMS + 128 * upper;
    return sums[chunk & 63] + sums[64 + (chunk >> 6)];
}

/* The sets of a pair with the right sum whose upper halves are this lane's: returns their number;
   or (`write`) puts them into the pair's places from `at` on. */
COMBGPU__DEVICE uint32_t combgpu_six_list(COMBGPU__GLOBAL uint32_t *work,
                                          COMBGPU__GLOBAL const uint32_t *lower,
                                          COMBGPU__LOCAL const uint32_t *scratch, uint32_t pair,
                                          uint32_t write, uint32_t at)
{
    COMBGPU__LOCAL const uint32_t *end = scratch + COMBGPU__SIX_AREA; /* of a kind */
    COMBGPU__GLOBAL uint32_t *sets = work + COMBGPU__SIX_AT_NUMBERS + pair * COMBGPU__SIX_ROOM;
    COMBGPU__GLOBAL uint32_t *bucket = work + COMBGPU__SIX_AT_BUCKET + pair * COMBGPU__SIX_BUCKETS;
    const int32_t sum = (int32_t)scratch[COMBGPU__SIX_OPEN + COMBGPU__SIX_SUM + pair];
    uint32_t upper, i;
    for (upper = 16 * COMBGPU__LANE_ID; upper < 16 * COMBGPU__LANE_ID + 16; upper++) {
        const int32_t rest = sum - (int32_t)combgpu_six_half(scratch, upper, 1);
        const uint32_t ones = COMBGPU__POPCOUNT(upper);
        uint32_t kind, first;
        if (write) bucket[upper] = at;
        if (ones > 8 || rest < 0 || rest > 511) continue;
        kind = 512 * (8 - ones) + (uint32_t)rest;
        first = kind ? end[kind - 1] : 0;
        if (write) bucket[upper] = at | (end[kind] - first) << 16;
        for (i = first; write && i < end[kind]; i++)
            sets[at + i - first] = upper << 12 | lower[i];
        at += end[kind] - first;
    }
    return at;
}

/* Lists all sets with the right sum in the places of the pairs' sets, by their upper halves, and
   their numbers. `lower` is room for 4,096 words. */
COMBGPU__DEVICE void combgpu_six_sets(COMBGPU__GLOBAL uint32_t *work,
                                      COMBGPU__GLOBAL uint32_t *lower,
                                      COMBGPU__LOCAL uint32_t *scratch)
{
    COMBGPU__LOCAL const int32_t *open =
        (COMBGPU__LOCAL const int32_t *)(scratch + COMBGPU__SIX_OPEN);
    COMBGPU__LOCAL uint32_t *end =
        scratch + COMBGPU__SIX_AREA; /* of a kind: [ones][sum], 9 * 512 */
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t chunk, i, at, all, pair, count;
    for (count = 0, i = 0; i < 6; i++)
        if (lane >> i & 1) count += (uint32_t)open[6 * (lane >> 6) + i];
    scratch[COMBGPU__SIX_SUMS + lane] = count;
    for (i = lane; i < 9 * 512; i += COMBGPU__SIX_LANES)
        end[i] = 0;
    COMBGPU__LOCAL_BARRIER();
    for (chunk = lane; chunk < 4096; chunk += COMBGPU__SIX_LANES)
        if (COMBGPU__POPCOUNT(chunk) <= 8)
            COMBGPU__LOCAL_ATOMIC_ADD(
                &end[512 * COMBGPU__POPCOUNT(chunk) + combgpu_six_half(scratch, chunk, 0)], 1);
    COMBGPU__LOCAL_BARRIER();
    for (at = 0, i = 0; i < 18; i++)
        at += end[18 * lane + i];
    at = combgpu_six_before(scratch + COMBGPU__SIX_SCAN, at, &all);
    for (i = 0; i < 18; i++) {
        count = end[18 * lane + i];
        end[18 * lane + i] = at;
        at += count;
    }
    COMBGPU__LOCAL_BARRIER();
    for (chunk = lane; chunk < 4096; chunk += COMBGPU__SIX_LANES)
        if (COMBGPU__POPCOUNT(chunk) <= 8)
            lower[COMBGPU__LOCAL_ATOMIC_ADD(
                &end[512 * COMBGPU__POPCOUNT(chunk) + combgpu_six_half(scratch, chunk, 0)], 1)] =
                chunk;
    COMBGPU__BLOCK_BARRIER();
    for (pair = 0; pair < 3; pair++) {
        count = combgpu_six_list(work, lower, scratch, pair, 0, 0);
        at = combgpu_six_before(scratch + COMBGPU__SIX_SCAN, count, &all);
        combgpu_six_list(work, lower, scratch, pair, 1, at);
        if (lane == 0) work[COMBGPU__SIX_AT_COUNT + pair] = all;
    }
    COMBGPU__BLOCK_BARRIER();
}

/* ---- splittings, by a team of lanes: a warp with shuffles, else the block. A set has 16 lanes;
   the sets of a team are a batch. */

#ifdef COMBGPU_SHUFFLE
#define COMBGPU__SIX_TEAM 32
#define COMBGPU__SIX_TEAM_BARRIER() COMBGPU__WARP_BARRIER()
#else
#define COMBGPU__SIX_TEAM COMBGPU__SIX_LANES
#define COMBGPU__SIX_TEAM_BARRIER() COMBGPU__BLOCK_BARRIER()
#endif
#define COMBGPU__SIX_BATCH (COMBGPU__SIX_TEAM / 16)
/* a team's area in this phase */
#define COMBGPU__SIX_MANY 0                                               /* [set][total] */
#define COMBGPU__SIX_KEY (COMBGPU__SIX_MANY + 128 * COMBGPU__SIX_BATCH)   /* two each */
#define COMBGPU__SIX_MATCH (COMBGPU__SIX_KEY + 256 * COMBGPU__SIX_BATCH)  /* three words each */
#define COMBGPU__SIX_EIGHT (COMBGPU__SIX_MATCH + 24 * COMBGPU__SIX_BATCH) /* numbers of the sets */
#define COMBGPU__SIX_PLACE (COMBGPU__SIX_EIGHT + 8 * COMBGPU__SIX_BATCH)
#define COMBGPU__SIX_BASE (COMBGPU__SIX_PLACE + COMBGPU__SIX_BATCH)       /* segment, splitting */
#define COMBGPU__SIX_PARTIAL (COMBGPU__SIX_BASE + 2 * COMBGPU__SIX_BATCH) /* of a lane */
#define COMBGPU__SIX_MATCHES (COMBGPU__SIX_PARTIAL + COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_TAKEN (COMBGPU__SIX_MATCHES + 1)
#define COMBGPU__SIX_MAKER_WORDS (COMBGPU__SIX_TAKEN + 1)

/* Four ascending numbers, a byte each, put into the blocks in way 0 to 5. */
typedef struct combgpu_six_row_t {
    int32_t sum, apart1, apart2;
} combgpu_six_row_t;

COMBGPU__DEVICE combgpu_six_row_t combgpu_six_halve(uint32_t four, uint32_t way)
{
    const uint32_t a = four >> 8 * (0x211000u >> 4 * way & 15) & 255;
    const uint32_t b = four >> 8 * (0x332321u >> 4 * way & 15) & 255;
    const uint32_t c = four >> 8 * (0x000112u >> 4 * way & 15) & 255;
    const uint32_t d = four >> 8 * (0x123233u >> 4 * way & 15) & 255;
    combgpu_six_row_t row;
    row.sum = (int32_t)(a + b);
    row.apart1 = (int32_t)(b - a);
    row.apart2 = (int32_t)(d - c);
    return row;
}

/* The spreads +-u, +-v as a key; and, for a sum, the key of the spreads that a partner must have.
   `spread` as in the tables: u | v << 8. */
COMBGPU__DEVICE uint32_t combgpu_six_has(uint32_t spread)
{
    return 1u << (spread >> 1 & 31) | 1u << (spread >> 9 & 31);
}

COMBGPU__DEVICE uint32_t combgpu_six_wants(uint32_t spread, int32_t sum)
{
    const int32_t u = (int32_t)(spread & 255), v = (int32_t)(spread >> 8 & 255);
    return 1u << (abs(sum - u) >> 1 & 31) | 1u << (abs(sum + u) >> 1 & 31) |
           1u << (abs(sum - v) >> 1 & 31) | 1u << (abs(sum + v) >> 1 & 31);
}

/* The ways to choose four of eight. */
COMBGPU__DEVICE void combgpu_six_fours(COMBGPU__LOCAL uint32_t *scratch)
{
    uint32_t i, four = 0;
    if (COMBGPU__LANE_ID == 0)
        for (i = 0; i < 256; i++)
            if (COMBGPU__POPCOUNT(i) == 4) scratch[COMBGPU__SIX_FOURS + four++] = i;
}

/* Which four of a set's numbers are in the upper row: all matches of the batch. */
COMBGPU__DEVICE void combgpu_six_match(COMBGPU__LOCAL const uint32_t *scratch,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t sets, uint32_t pair)
{
    COMBGPU__LOCAL const uint32_t *eight = team + COMBGPU__SIX_EIGHT;
    const uint32_t row = scratch[COMBGPU__SIX_OPEN + COMBGPU__SIX_ROW + pair];
    uint32_t task, i;
    for (task = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM; task < 70 * sets; task += COMBGPU__SIX_TEAM) {
        const uint32_t set = task / 70, four = scratch[COMBGPU__SIX_FOURS + task % 70];
        uint32_t sum = 0, upper = 0, lower = 0, at;
        for (i = 0; i < 8; i++)
            if (four >> i & 1) sum += eight[8 * set + i];
        if (sum != row) continue;
        for (i = 8; i--;) { /* the smallest comes into the lowest byte */
            const uint32_t number = eight[8 * set + i];
            if (four >> i & 1)
                upper = upper << 8 | number;
            else
                lower = lower << 8 | number;
        }
        at = COMBGPU__SIX_MATCH + 3 * COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_MATCHES], 1);
        team[at] = set;
        team[at + 1] = upper;
        team[at + 2] = lower;
    }
}

/* All splittings of the matches: counted, or (`fill`) written where their totals' places begin. */
COMBGPU__DEVICE void combgpu_six_split(COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL const uint32_t *scratch,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t pair, uint32_t fill)
{
    COMBGPU__LOCAL const int32_t *open =
        (COMBGPU__LOCAL const int32_t *)(scratch + COMBGPU__SIX_OPEN);
    const uint32_t tasks = 36 * team[COMBGPU__SIX_MATCHES];
    uint32_t task;
    for (task = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM; task < tasks; task += COMBGPU__SIX_TEAM) {
        COMBGPU__LOCAL const uint32_t *match = team + COMBGPU__SIX_MATCH + 3 * (task / 36);
        const combgpu_six_row_t x = combgpu_six_halve(match[1], task % 36 / 6);
        const combgpu_six_row_t y = combgpu_six_halve(match[2], task % 6);
        const int32_t total = x.sum + y.sum - open[COMBGPU__SIX_SHIFT + pair];
        uint32_t at, one, two;
        if (total < 0 || total >= COMBGPU__SIX_TOTALS) continue;
        at = COMBGPU__SIX_TOTALS * match[0] + (uint32_t)total;
        if (!fill) {
            COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_MANY + at], 1);
            continue;
        }
        one = (uint32_t)(x.apart1 + y.apart1) | (uint32_t)abs(x.apart1 - y.apart1) << 8;
        two = (uint32_t)(x.apart2 + y.apart2) | (uint32_t)abs(x.apart2 - y.apart2) << 8;
        work[COMBGPU__SIX_AT_SPLITS + COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_MANY + at], 1)] =
            one | two << 16;
        COMBGPU__LOCAL_ATOMIC_OR(&team[COMBGPU__SIX_KEY + 2 * at],
                                 pair ? combgpu_six_has(one)
                                      : combgpu_six_wants(one, open[COMBGPU__SIX_SPREAD + 1]));
        COMBGPU__LOCAL_ATOMIC_OR(
            &team[COMBGPU__SIX_KEY + 2 * at + 1],
            pair == 2 ? combgpu_six_has(two)
                      : combgpu_six_wants(two, open[COMBGPU__SIX_SPREAD + (pair ? 0 : 2)]));
    }
}

/* Gives a set its place if room remains; `all` has its segments << 16 | splittings. */
COMBGPU__DEVICE void combgpu_six_place(COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t set, uint32_t all)
{
    uint32_t segment = 0, split = 0, fits = all != 0;
    if (all) {
        segment = COMBGPU__ATOMIC_ADD(&work[COMBGPU__SIX_AT_SEGMENTS], all >> 16);
        split = COMBGPU__ATOMIC_ADD(&work[COMBGPU__SIX_AT_SPLITS_MADE], all & 0xffff);
        fits = segment + (all >> 16) <= COMBGPU__SIX_SEGMENT_ROOM &&
               split + (all & 0xffff) <= COMBGPU__SIX_SPLIT_ROOM;
    }
    team[COMBGPU__SIX_PLACE + set] = fits ? 0 : COMBGPU__NONE;
    team[COMBGPU__SIX_BASE + 2 * set] = segment;
    team[COMBGPU__SIX_BASE + 2 * set + 1] = split;
}

/* A batch of sets of a pair. Each lane reads its set's place again behind each barrier: PoCL 3.1
   miscompiles branches with one condition behind different barriers. */
COMBGPU__DEVICE void combgpu_six_batch(COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL const uint32_t *scratch,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t pair, uint32_t first,
                                       uint32_t sets)
{
    const uint32_t lane = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM, set = lane / 16, chunk = lane % 16;
    COMBGPU__GLOBAL uint32_t *numbers = work + COMBGPU__SIX_AT_NUMBERS + pair * COMBGPU__SIX_ROOM;
    COMBGPU__LOCAL uint32_t *many = team + COMBGPU__SIX_MANY + 8 * lane; /* of 8 totals */
    COMBGPU__LOCAL const uint32_t *keys = team + COMBGPU__SIX_KEY + 16 * lane;
    const uint32_t mine = set < sets ? numbers[first + set] : 0;
    uint32_t i, n, occur = 0, part = 0;
    for (i = lane; i < 384 * COMBGPU__SIX_BATCH; i += COMBGPU__SIX_TEAM)
        team[COMBGPU__SIX_MANY + i] = 0;
    if (lane == 0) team[COMBGPU__SIX_MATCHES] = 0;
    if (chunk == 0)
        for (i = n = 0; i < 24; i++)
            if (mine >> i & 1)
                team[COMBGPU__SIX_EIGHT + 8 * set + n++] = scratch[COMBGPU__SIX_OPEN + i];
    COMBGPU__SIX_TEAM_BARRIER();
    combgpu_six_match(scratch, team, sets, pair);
    COMBGPU__SIX_TEAM_BARRIER();
    combgpu_six_split(work, scratch, team, pair, 0);
    COMBGPU__SIX_TEAM_BARRIER();
    for (i = 0; i < 8; i++) {
        occur |= (uint32_t)(many[i] != 0) << i;
        part += many[i];
    }
    part |= COMBGPU__POPCOUNT(occur) << 16;
    team[COMBGPU__SIX_PARTIAL + lane] = part;
    COMBGPU__SIX_TEAM_BARRIER();
    for (n = 0, i = lane - chunk; i < lane; i++)
        n += team[COMBGPU__SIX_PARTIAL + i];
    if (chunk == 15) combgpu_six_place(work, team, set, set < sets ? n + part : 0);
    COMBGPU__SIX_TEAM_BARRIER();
    if (team[COMBGPU__SIX_PLACE + set] != COMBGPU__NONE) {
        uint32_t at = team[COMBGPU__SIX_BASE + 2 * set] + (n >> 16);
        uint32_t split = team[COMBGPU__SIX_BASE + 2 * set + 1] + (n & 0xffff);
        for (i = 0; i < 8; i++) {
            const uint32_t splits = many[i];
            many[i] = split;
            if (splits)
                work[COMBGPU__SIX_AT_FIRST + at++] = split | splits * COMBGPU__SIX_SPLIT_ROOM;
            split += splits;
        }
    }
    COMBGPU__SIX_TEAM_BARRIER();
    combgpu_six_split(work, scratch, team, pair, 1);
    COMBGPU__SIX_TEAM_BARRIER();
    if (team[COMBGPU__SIX_PLACE + set] != COMBGPU__NONE) {
        const uint32_t at = pair * COMBGPU__SIX_ROOM + first + set;
        uint32_t segment = team[COMBGPU__SIX_BASE + 2 * set] + (n >> 16);
        ((COMBGPU__GLOBAL uint8_t *)(work + COMBGPU__SIX_AT_TOTALS + 4 * at))[chunk] =
            (uint8_t)occur;
        for (i = 0; i < 8; i++)
            if (occur >> i & 1) {
                work[COMBGPU__SIX_AT_KEYS + 2 * segment] = keys[2 * i];
                work[COMBGPU__SIX_AT_KEYS + 2 * segment + 1] = keys[2 * i + 1];
                segment++;
            }
        if (chunk == 0) work[COMBGPU__SIX_AT_SEGMENT + at] = team[COMBGPU__SIX_BASE + 2 * set];
    } else if (chunk == 0 && set < sets) {
        numbers[first + set] = COMBGPU__NONE;
    }
    COMBGPU__SIX_TEAM_BARRIER();
}
