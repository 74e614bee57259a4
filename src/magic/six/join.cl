/* Order 6 with both diagonals given: the three-set join. A block of lanes is a worker and does
   steps one by one: it counts the squares whose set of row pair 0 is in the step's part. Its teams
   share the sets of the step.

   A team has five queues in local memory, to keep lanes busy although their yields differ. Lanes
   that search for sets M1 in what M0 leaves fill the queue of *partitions*. A partition gives an
   *item*, a segment of each pair, for each common total. Items whose keys meet are *alive*; their
   splittings of pairs 1 and 2 that fit together are *matches*, and splittings of pair 0 with keys
   that meet those of a match are *hits*, for which the ways are multiplied. The team takes an entry
   a lane from the last queue that keeps all lanes busy, so the queues seldom overflow. A search
   without room for its partition waits, a partition without room for its items goes back, and
   matches and hits without room are worked on at once. */

#define COMBGPU__SIX_TURNS 24 /* of a search before the queues are read again */
#define COMBGPU__SIX_PARTITION_ROOM (3 * COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_ITEM_ROOM (6 * COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_ALIVE_ROOM (2 * COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_MATCH_ROOM (4 * COMBGPU__SIX_TEAM)
#define COMBGPU__SIX_HIT_ROOM (3 * COMBGPU__SIX_TEAM)
/* a team's local memory: the number of entries of each queue, lanes that have a unit, the queues */
enum {
    COMBGPU__SIX_N_PARTITIONS,
    COMBGPU__SIX_N_ITEMS,
    COMBGPU__SIX_N_ALIVE,
    COMBGPU__SIX_N_MATCHES,
    COMBGPU__SIX_N_HITS,
    COMBGPU__SIX_N_SEARCHING,
    COMBGPU__SIX_PARTITIONS = 8
};
#define COMBGPU__SIX_ITEMS (COMBGPU__SIX_PARTITIONS + COMBGPU__SIX_PARTITION_ROOM)
#define COMBGPU__SIX_ALIVE (COMBGPU__SIX_ITEMS + 2 * COMBGPU__SIX_ITEM_ROOM)
#define COMBGPU__SIX_PAIRED (COMBGPU__SIX_ALIVE + 2 * COMBGPU__SIX_ALIVE_ROOM)
#define COMBGPU__SIX_HITS (COMBGPU__SIX_PAIRED + 2 * COMBGPU__SIX_MATCH_ROOM)
#define COMBGPU__SIX_TEAM_WORDS (COMBGPU__SIX_HITS + 2 * COMBGPU__SIX_HIT_ROOM)
/* the block's counters; from SIX_STEP on: six/share.cl */
enum { COMBGPU__SIX_N_UNITS, COMBGPU__SIX_N_SQUARES, COMBGPU__SIX_N_LISTED };

/* A segment's number has SEGMENT_BITS bits. An item has segments of three pairs in two words: the bits
   above two of them hold the third, in two parts. A match has the ways above its segment. */
#define COMBGPU__SIX_SEGMENT_BITS 21
#define COMBGPU__SIX_SEGMENT_OF(word) ((word) & ((1u << COMBGPU__SIX_SEGMENT_BITS) - 1))
#define COMBGPU__SIX_ABOVE (32 - COMBGPU__SIX_SEGMENT_BITS)

COMBGPU__DEVICE void combgpu_six_pack(COMBGPU__LOCAL uint32_t *item, uint32_t s0, uint32_t s1,
                                      uint32_t s2)
{
    item[0] = s0 | s2 << COMBGPU__SIX_SEGMENT_BITS;
    item[1] = s1 | s2 >> COMBGPU__SIX_ABOVE << COMBGPU__SIX_SEGMENT_BITS;
}

/* The third segment of an item. */
COMBGPU__DEVICE uint32_t combgpu_six_third(uint32_t one, uint32_t two)
{
    return one >> COMBGPU__SIX_SEGMENT_BITS | two >> COMBGPU__SIX_SEGMENT_BITS
                                                         << COMBGPU__SIX_ABOVE;
}

/* A lane's search for partitions: sets M1 by the parts of an upper half. */
typedef struct combgpu_six_search_t {
    uint32_t at, end; /* sets of the bucket still to check */
    uint32_t fixed;   /* what the unit chose of the upper half */
    uint32_t free;    /* the rest, of which every part is taken ... */
    uint32_t part;    /* ... this one last */
    uint32_t left;    /* numbers that M0 leaves */
    uint32_t first;   /* M0's place */
    uint32_t state;   /* 0 = no unit, 1 = searching, 2 = nothing left */
} combgpu_six_search_t;

/* Takes a unit: a set M0 of the list, and which of the five lowest numbers that M0 leaves in the upper
   half M1 has. */
COMBGPU__DEVICE void combgpu_six_unit(combgpu_six_search_t *search,
                                      COMBGPU__GLOBAL const uint32_t *work,
                                      COMBGPU__GLOBAL const uint32_t *list,
                                      COMBGPU__LOCAL uint32_t *scratch,
                                      COMBGPU__LOCAL uint32_t *team)
{
    const uint32_t unit =
        COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_UNITS], 1);
    uint32_t high, choice = unit % 32, i;
    if (unit >= 32 * scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_LISTED]) {
        search->state = 2;
        COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_SEARCHING], 0xffffffffu);
        return;
    }
    search->first = list[unit / 32];
    search->left = 0xffffffu ^ work[COMBGPU__SIX_AT_NUMBERS + search->first];
    high = search->left >> 12;
    for (search->fixed = i = 0; i < 5 && high; i++, high &= high - 1)
        if (choice >> i & 1) search->fixed |= high & (0 - high);
    search->at = search->end = 0;
    search->free = search->part = high;
    /* with fewer numbers, choices that differ in missing ones are one */
    search->state = choice >> i ? 0 : 1;
    if (search->state) {
        const uint32_t bucket =
            work[COMBGPU__SIX_AT_BUCKET + COMBGPU__SIX_BUCKETS + (search->fixed | search->part)];
        search->at = bucket & 0xffff;
        search->end = search->at + (bucket >> 16);
    }
}

/* Checks the sets of the bucket that one load gets, from search->at on. Returns 0 if a partition
   found no room. */
COMBGPU__DEVICE uint32_t combgpu_six_look(combgpu_six_search_t *search,
                                          COMBGPU__GLOBAL const uint32_t *work,
                                          COMBGPU__LOCAL uint32_t *team)
{
    COMBGPU__GLOBAL const uint4 *numbers =
        (COMBGPU__GLOBAL const uint4 *)(work + COMBGPU__SIX_AT_NUMBERS + COMBGPU__SIX_ROOM);
    const uint4 four = numbers[search->at / 4];
    const uint32_t begin = search->at & ~3u, taken = ~search->left;
    uint32_t fits = (uint32_t) !(four.x & taken) | (uint32_t) !(four.y & taken) << 1 |
                    (uint32_t) !(four.z & taken) << 2 | (uint32_t) !(four.w & taken) << 3;
    fits &= 15u << (search->at - begin);
    if (search->end - begin < 4) fits &= (1u << (search->end - begin)) - 1;
    for (; fits; fits &= fits - 1) {
        const uint32_t set = begin + COMBGPU__CTZ(fits);
        const uint32_t at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_PARTITIONS], 1);
        search->at = set;
        if (at >= COMBGPU__SIX_PARTITION_ROOM) return 0;
        team[COMBGPU__SIX_PARTITIONS + at] = search->first | set << 16;
    }
    search->at = begin + 4;
    return 1;
}

/* Each lane checks some sets. */
COMBGPU__DEVICE void combgpu_six_search(combgpu_six_search_t *search,
                                        COMBGPU__GLOBAL const uint32_t *work,
                                        COMBGPU__GLOBAL const uint32_t *list,
                                        COMBGPU__LOCAL uint32_t *scratch,
                                        COMBGPU__LOCAL uint32_t *team)
{
    uint32_t turn;
    for (turn = 0; turn < COMBGPU__SIX_TURNS && search->state != 2; turn++) {
        if (search->state == 0) {
            combgpu_six_unit(search, work, list, scratch, team);
        } else if (search->at < search->end) {
            if (!combgpu_six_look(search, work, team)) return; /* another time */
        } else if (search->part) {
            uint32_t bucket;
            search->part = (search->part - 1) & search->free;
            bucket = work[COMBGPU__SIX_AT_BUCKET + COMBGPU__SIX_BUCKETS +
                          (search->fixed | search->part)];
            search->at = bucket & 0xffff;
            search->end = search->at + (bucket >> 16);
        } else {
            search->state = 0;
        }
    }
}

/* Returns the index of a set of pair 2, or COMBGPU__NONE. */
COMBGPU__DEVICE uint32_t combgpu_six_find(COMBGPU__GLOBAL const uint32_t *work, uint32_t set)
{
    const uint32_t bucket = work[COMBGPU__SIX_AT_BUCKET + 2 * COMBGPU__SIX_BUCKETS + (set >> 12)];
    COMBGPU__GLOBAL const uint32_t *numbers =
        work + COMBGPU__SIX_AT_NUMBERS + 2 * COMBGPU__SIX_ROOM;
    uint32_t at = bucket & 0xffff, end = at + (bucket >> 16);
    for (; at < end; at++)
        if (numbers[at] == set) return at;
    return COMBGPU__NONE;
}

/* A partition: its items, or back into the queue if they find no room. */
COMBGPU__DEVICE void combgpu_six_partition(COMBGPU__GLOBAL const uint32_t *work,
                                           COMBGPU__LOCAL uint32_t *team, uint32_t partition)
{
    COMBGPU__GLOBAL const uint32_t *numbers = work + COMBGPU__SIX_AT_NUMBERS;
    COMBGPU__GLOBAL const uint32_t *segments = work + COMBGPU__SIX_AT_SEGMENT;
    COMBGPU__GLOBAL const uint4 *totals =
        (COMBGPU__GLOBAL const uint4 *)(work + COMBGPU__SIX_AT_TOTALS);
    const uint32_t i0 = partition & 0xffff, i1 = COMBGPU__SIX_ROOM + (partition >> 16);
    const uint4 t0 = totals[i0], t1 = totals[i1];
    uint32_t i2, count, at, word, segment0, segment1, segment2;
    uint4 t2;
    if (!(t0.x & t1.x) && !(t0.y & t1.y) && !(t0.z & t1.z) && !(t0.w & t1.w)) return;
    i2 = combgpu_six_find(work, 0xffffffu ^ numbers[i0] ^ numbers[i1]);
    if (i2 == COMBGPU__NONE) return;
    i2 += 2 * COMBGPU__SIX_ROOM;
    t2 = totals[i2];
    count = COMBGPU__POPCOUNT(t0.x & t1.x & t2.x) + COMBGPU__POPCOUNT(t0.y & t1.y & t2.y) +
            COMBGPU__POPCOUNT(t0.z & t1.z & t2.z) + COMBGPU__POPCOUNT(t0.w & t1.w & t2.w);
    if (!count) return;
    at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_ITEMS], count);
    if (at + count > COMBGPU__SIX_ITEM_ROOM) {
        for (; at < COMBGPU__SIX_ITEM_ROOM; at++)
            team[COMBGPU__SIX_ITEMS + 2 * at] = COMBGPU__NONE;
        at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_PARTITIONS], 1);
        team[COMBGPU__SIX_PARTITIONS + at] = partition;
        return;
    }
    segment0 = segments[i0];
    segment1 = segments[i1];
    segment2 = segments[i2];
    for (word = 0; word < 4; word++) {
        const uint32_t a = word == 0 ? t0.x : word == 1 ? t0.y : word == 2 ? t0.z : t0.w;
        const uint32_t b = word == 0 ? t1.x : word == 1 ? t1.y : word == 2 ? t1.z : t1.w;
        const uint32_t c = word == 0 ? t2.x : word == 1 ? t2.y : word == 2 ? t2.z : t2.w;
        uint32_t common;
        for (common = a & b & c; common; common &= common - 1, at++) {
            const uint32_t below = (common & (0 - common)) - 1;
            combgpu_six_pack(
                team + COMBGPU__SIX_ITEMS + 2 * at, segment0 + COMBGPU__POPCOUNT(a & below),
                segment1 + COMBGPU__POPCOUNT(b & below), segment2 + COMBGPU__POPCOUNT(c & below));
        }
        segment0 += COMBGPU__POPCOUNT(a);
        segment1 += COMBGPU__POPCOUNT(b);
        segment2 += COMBGPU__POPCOUNT(c);
    }
}

/* An item: alive if its segments' keys meet. */
COMBGPU__DEVICE void combgpu_six_item(COMBGPU__GLOBAL const uint32_t *work,
                                      COMBGPU__LOCAL uint32_t *team, uint32_t one, uint32_t two)
{
    COMBGPU__GLOBAL const uint2 *keys =
        (COMBGPU__GLOBAL const uint2 *)(work + COMBGPU__SIX_AT_KEYS);
    uint2 k0, k1, k2;
    uint32_t at;
    if (one == COMBGPU__NONE) return;
    k0 = keys[COMBGPU__SIX_SEGMENT_OF(one)];
    k1 = keys[COMBGPU__SIX_SEGMENT_OF(two)];
    k2 = keys[combgpu_six_third(one, two)];
    if (!(k1.y & k2.x) || !(k0.x & k2.y) || !(k0.y & k1.x)) return;
    at = COMBGPU__SIX_ALIVE + 2 * COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_ALIVE], 1);
    team[at] = one;
    team[at + 1] = two;
}

/* All lanes of a team: items until a round of alive ones is there; `from` are left in the queue. */
COMBGPU__DEVICE void combgpu_six_items(COMBGPU__GLOBAL const uint32_t *work,
                                       COMBGPU__LOCAL uint32_t *team, uint32_t one, uint32_t two,
                                       uint32_t here, uint32_t from)
{
    const uint32_t lane = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM;
    uint32_t more;
    do {
        if (here) combgpu_six_item(work, team, one, two);
        COMBGPU__SIX_TEAM_BARRIER();
        more = from >= COMBGPU__SIX_TEAM && team[COMBGPU__SIX_N_ALIVE] < COMBGPU__SIX_TEAM;
        if (more) {
            from -= COMBGPU__SIX_TEAM;
            one = team[COMBGPU__SIX_ITEMS + 2 * (from + lane)];
            two = team[COMBGPU__SIX_ITEMS + 2 * (from + lane) + 1];
        }
        COMBGPU__SIX_TEAM_BARRIER();
    } while (more);
    if (lane == 0) team[COMBGPU__SIX_N_ITEMS] = from;
}

/* Returns in how many ways spreads of two blocks (u | v << 8) add up to `sum`. */
COMBGPU__DEVICE uint32_t combgpu_six_ways(uint32_t a, uint32_t b, int32_t sum)
{
    const int32_t u = (int32_t)(a & 255), v = (int32_t)(a >> 8 & 255);
    const int32_t has_u = (int32_t)(b & 255), has_v = (int32_t)(b >> 8 & 255);
    const int32_t w0 = abs(sum - u), w1 = abs(sum + u), w2 = abs(sum - v), w3 = abs(sum + v);
    return (uint32_t)((w0 == has_u) + (w1 == has_u) + (w2 == has_u) + (w3 == has_u)) +
           ((uint32_t)((w0 == has_v) + (w1 == has_v) + (w2 == has_v) + (w3 == has_v))
            << (has_v == 0)); /* no difference: two orders */
}

/* The squares of a hit: what block 1 of pair 1 and block 2 of pair 2 have, and the splitting of pair 0,
   whose three free bits hold the ways of the third column pair, less 1. */
COMBGPU__DEVICE uint32_t combgpu_six_squares(COMBGPU__LOCAL const int32_t *spread, uint32_t others,
                                             uint32_t hit)
{
    const uint32_t ways = 1 + ((hit >> 7 & 1) | (hit >> 14 & 2) | (hit >> 21 & 4));
    const uint32_t p0 = hit & 0x7f7f7f7fu;
    return ways * combgpu_six_ways(p0, others >> 16, spread[1]) *
           combgpu_six_ways(p0 >> 16, others, spread[2]);
}

/* Queues the splittings of pair 0 whose keys meet those of a match as hits. Returns the squares
   over those without room. */
COMBGPU__DEVICE uint32_t combgpu_six_match0(COMBGPU__GLOBAL const uint32_t *work,
                                            COMBGPU__LOCAL const int32_t *spread,
                                            COMBGPU__LOCAL uint32_t *team, uint32_t others,
                                            uint32_t match)
{
    const uint32_t first = work[COMBGPU__SIX_AT_FIRST + COMBGPU__SIX_SEGMENT_OF(match)];
    COMBGPU__GLOBAL const uint32_t *splits = work + COMBGPU__SIX_AT_SPLITS;
    const uint32_t wants = combgpu_six_wants(others >> 16, spread[1]);
    const uint32_t wants0 = combgpu_six_wants(others, spread[2]);
    const uint32_t ways = (match >> COMBGPU__SIX_SEGMENT_BITS) - 1;
    const uint32_t mark = (ways & 1) << 7 | (ways & 2) << 14 | (ways & 4) << 21;
    const uint32_t begin = first & (COMBGPU__SIX_SPLIT_ROOM - 1);
    const uint32_t end = begin + first / COMBGPU__SIX_SPLIT_ROOM;
    uint32_t i, squares = 0;
    for (i = begin; i < end; i++) {
        const uint32_t p0 = splits[i];
        uint32_t at;
        if (!(combgpu_six_has(p0) & wants) || !(combgpu_six_has(p0 >> 16) & wants0)) continue;
        at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_HITS], 1);
        if (at >= COMBGPU__SIX_HIT_ROOM) {
            squares += combgpu_six_squares(spread, others, p0 | mark);
            continue;
        }
        team[COMBGPU__SIX_HITS + 2 * at] = others;
        team[COMBGPU__SIX_HITS + 2 * at + 1] = p0 | mark;
    }
    return squares;
}

/* Queues the splittings of pairs 1 and 2 that fit together as matches: what the blocks in pair 0's
   columns have, the segment of pair 0, and the ways. Returns the squares over those that find no
   room there. */
COMBGPU__DEVICE uint32_t combgpu_six_alive(COMBGPU__GLOBAL const uint32_t *work,
                                           COMBGPU__LOCAL const int32_t *spread,
                                           COMBGPU__LOCAL uint32_t *team, uint32_t one,
                                           uint32_t two)
{
    const uint32_t s0 = COMBGPU__SIX_SEGMENT_OF(one), s1 = COMBGPU__SIX_SEGMENT_OF(two);
    const uint32_t s2 = combgpu_six_third(one, two);
    COMBGPU__GLOBAL const uint32_t *first = work + COMBGPU__SIX_AT_FIRST;
    COMBGPU__GLOBAL const uint32_t *splits = work + COMBGPU__SIX_AT_SPLITS;
    const uint32_t first1 = first[s1], first2 = first[s2];
    const uint32_t begin1 = first1 & (COMBGPU__SIX_SPLIT_ROOM - 1);
    const uint32_t begin2 = first2 & (COMBGPU__SIX_SPLIT_ROOM - 1);
    const uint32_t end1 = begin1 + first1 / COMBGPU__SIX_SPLIT_ROOM;
    const uint32_t end2 = begin2 + first2 / COMBGPU__SIX_SPLIT_ROOM;
    const uint32_t keys2 = work[COMBGPU__SIX_AT_KEYS + 2 * s2];
    uint32_t i1, i2, squares = 0, at;
    for (i1 = begin1; i1 < end1; i1++) {
        const uint32_t p1 = splits[i1], wants2 = combgpu_six_wants(p1 >> 16, spread[0]);
        if (!(wants2 & keys2)) continue;
        for (i2 = begin2; i2 < end2; i2++) {
            const uint32_t p2 = splits[i2];
            uint32_t others, match;
            if (!(wants2 & combgpu_six_has(p2))) continue;
            match = combgpu_six_ways(p1 >> 16, p2, spread[0]);
            if (!match) continue;
            match = s0 | match << COMBGPU__SIX_SEGMENT_BITS;
            others = (p1 & 0xffff) | (p2 & 0xffff0000u);
            at = COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__SIX_N_MATCHES], 1);
            if (at >= COMBGPU__SIX_MATCH_ROOM) {
                squares += combgpu_six_match0(work, spread, team, others, match);
                continue;
            }
            team[COMBGPU__SIX_PAIRED + 2 * at] = others;
            team[COMBGPU__SIX_PAIRED + 2 * at + 1] = match;
        }
    }
    return squares;
}

/* All lanes: lists the sets of row pair 0 that are in the share of the part; none if the step is not
   to be counted. */
COMBGPU__DEVICE void combgpu_six_begin(COMBGPU__GLOBAL const uint32_t *work,
                                       COMBGPU__GLOBAL uint32_t *list,
                                       COMBGPU__LOCAL uint32_t *scratch, uint32_t shares)
{
    COMBGPU__LOCAL uint32_t *counters = scratch + COMBGPU__SIX_COUNTERS;
    const uint32_t part = scratch[COMBGPU__SIX_STEP + 1], share = scratch[COMBGPU__SIX_SHARE];
    const uint32_t lane = COMBGPU__LANE_ID;
    const uint32_t sets =
        scratch[COMBGPU__SIX_OUTCOME] == COMBGPU__SIX_COUNTED ? work[COMBGPU__SIX_AT_COUNT] : 0;
    uint32_t i;
    if (lane < 4) counters[lane] = 0;
    COMBGPU__BLOCK_BARRIER();
    for (i = lane; i < sets; i += COMBGPU__SIX_LANES) {
        const uint32_t set = work[COMBGPU__SIX_AT_NUMBERS + i];
        const uint32_t hash = (uint32_t)combgpu_mix(set);
        if (set != COMBGPU__NONE && hash % COMBGPU__SIX_PARTS == part &&
            hash / COMBGPU__SIX_PARTS % shares == share)
            list[COMBGPU__LOCAL_ATOMIC_ADD(&counters[COMBGPU__SIX_N_LISTED], 1)] = i;
    }
    COMBGPU__BLOCK_BARRIER();
}

/* All lanes of a team, until neither units nor entries are left: the squares. */
COMBGPU__DEVICE uint32_t combgpu_six_team(COMBGPU__GLOBAL const uint32_t *work,
                                          COMBGPU__GLOBAL const uint32_t *list,
                                          COMBGPU__LOCAL uint32_t *scratch)
{
    COMBGPU__LOCAL const int32_t *spread =
        (COMBGPU__LOCAL const int32_t *)(scratch + COMBGPU__SIX_OPEN + COMBGPU__SIX_SPREAD);
    const uint32_t lane = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM;
    COMBGPU__LOCAL uint32_t *team = scratch + COMBGPU__SIX_AREA +
                                    COMBGPU__LANE_ID / COMBGPU__SIX_TEAM * COMBGPU__SIX_TEAM_WORDS;
    combgpu_six_search_t search;
    uint32_t squares = 0, one = 0, two = 0;
    search.state = 0;
    if (lane < 8) team[lane] = lane == COMBGPU__SIX_N_SEARCHING ? COMBGPU__SIX_TEAM : 0;
    COMBGPU__SIX_TEAM_BARRIER();
    for (;;) {
        /* the queue furthest down that keeps all lanes busy; a short one once nothing comes */
        const uint32_t searching = team[COMBGPU__SIX_N_SEARCHING];
        const uint32_t partitions =
            min(team[COMBGPU__SIX_N_PARTITIONS], (uint32_t)COMBGPU__SIX_PARTITION_ROOM);
        const uint32_t items = min(team[COMBGPU__SIX_N_ITEMS], (uint32_t)COMBGPU__SIX_ITEM_ROOM);
        const uint32_t alive = team[COMBGPU__SIX_N_ALIVE];
        const uint32_t matches =
            min(team[COMBGPU__SIX_N_MATCHES], (uint32_t)COMBGPU__SIX_MATCH_ROOM);
        const uint32_t hits = min(team[COMBGPU__SIX_N_HITS], (uint32_t)COMBGPU__SIX_HIT_ROOM);
        uint32_t queue = COMBGPU__SIX_N_SEARCHING, count = 0, from, here, above = searching;
        uint32_t entries = COMBGPU__SIX_PARTITIONS;
        if (partitions >= COMBGPU__SIX_TEAM || (partitions && !above))
            queue = COMBGPU__SIX_N_PARTITIONS, count = partitions;
        above |= partitions;
        if (items >= COMBGPU__SIX_TEAM || (items && !above))
            queue = COMBGPU__SIX_N_ITEMS, count = items, entries = COMBGPU__SIX_ITEMS;
        above |= items;
        if (alive >= COMBGPU__SIX_TEAM || (alive && !above))
            queue = COMBGPU__SIX_N_ALIVE, count = alive, entries = COMBGPU__SIX_ALIVE;
        above |= alive;
        if (matches >= COMBGPU__SIX_TEAM || (matches && !above))
            queue = COMBGPU__SIX_N_MATCHES, count = matches, entries = COMBGPU__SIX_PAIRED;
        above |= matches;
        if (hits >= COMBGPU__SIX_TEAM || (hits && !above))
            queue = COMBGPU__SIX_N_HITS, count = hits, entries = COMBGPU__SIX_HITS;
        if (queue == COMBGPU__SIX_N_SEARCHING && !searching) break;
        from = (uint32_t)max((int32_t)count - COMBGPU__SIX_TEAM, 0);
        here = from + lane < count;
        if (here) {
            if (queue == COMBGPU__SIX_N_PARTITIONS) {
                one = team[COMBGPU__SIX_PARTITIONS + from + lane];
            } else {
                one = team[entries + 2 * (from + lane)];
                two = team[entries + 2 * (from + lane) + 1];
            }
        }
        COMBGPU__SIX_TEAM_BARRIER();
        if (lane == 0) {
            if (queue == COMBGPU__SIX_N_SEARCHING)
                team[COMBGPU__SIX_N_PARTITIONS] = partitions;
            else
                team[queue] = from;
        }
        COMBGPU__SIX_TEAM_BARRIER();
        if (queue == COMBGPU__SIX_N_SEARCHING)
            combgpu_six_search(&search, work, list, scratch, team);
        else if (here && queue == COMBGPU__SIX_N_PARTITIONS)
            combgpu_six_partition(work, team, one);
        else if (queue == COMBGPU__SIX_N_ITEMS)
            combgpu_six_items(work, team, one, two, here, from);
        else if (here && queue == COMBGPU__SIX_N_ALIVE)
            squares += combgpu_six_alive(work, spread, team, one, two);
        else if (here && queue == COMBGPU__SIX_N_MATCHES)
            squares += combgpu_six_match0(work, spread, team, one, two);
        else if (here)
            squares += combgpu_six_squares(spread, one, two);
        COMBGPU__SIX_TEAM_BARRIER();
    }
    return squares;
}

/* The squares of the share of the step. */
COMBGPU__DEVICE uint32_t combgpu_six_count(COMBGPU__GLOBAL const uint32_t *work,
                                           COMBGPU__GLOBAL uint32_t *list,
                                           COMBGPU__LOCAL uint32_t *scratch, uint32_t shares)
{
    COMBGPU__LOCAL uint32_t *counters = scratch + COMBGPU__SIX_COUNTERS;
    uint32_t squares;
    combgpu_six_begin(work, list, scratch, shares);
    squares = combgpu_six_team(work, list, scratch);
    if (squares) COMBGPU__LOCAL_ATOMIC_ADD(&counters[COMBGPU__SIX_N_SQUARES], squares);
    COMBGPU__LOCAL_BARRIER();
    squares = counters[COMBGPU__SIX_N_SQUARES];
    COMBGPU__LOCAL_BARRIER();
    return squares;
}
