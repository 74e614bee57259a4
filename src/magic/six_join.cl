/* Order 6 with both diagonals given: the three-set join. A block of lanes is a worker and does
   steps one by one: it makes the tables of the configuration unless it has them, and counts the
   squares whose set of row pair 0 is in the step's part.

   The join uses four queues in local memory, so that lanes stay busy although they find different
   numbers of things. Lanes that look for sets M1 in what M0 leaves fill the queue of *partitions*.
   A partition gives an *item*, a segment of each pair, for each common total. Items whose keys meet
   are *alive*; their splittings with meeting keys are *hits*, for which the ways are multiplied.
   The block takes up to 256 entries of the last queue that keeps all lanes busy, so the
   queues seldom overflow. A search whose partition has no room waits, a partition whose items have
   none goes back, and a hit that has none is counted at once. */

#define COMBGPU__SIX_PATIENCE 400000 /* squares: a mean configuration has 860,000 */
#define COMBGPU__SIX_PARTITION_ROOM 1536
#define COMBGPU__SIX_ITEM_ROOM 1792
#define COMBGPU__SIX_ALIVE_ROOM 512
#define COMBGPU__SIX_HIT_ROOM 704
/* the area in this phase */
#define COMBGPU__SIX_PARTITIONS COMBGPU__SIX_AREA
#define COMBGPU__SIX_ITEMS (COMBGPU__SIX_PARTITIONS + COMBGPU__SIX_PARTITION_ROOM)
#define COMBGPU__SIX_ALIVE (COMBGPU__SIX_ITEMS + 3 * COMBGPU__SIX_ITEM_ROOM)
#define COMBGPU__SIX_HITS (COMBGPU__SIX_ALIVE + 3 * COMBGPU__SIX_ALIVE_ROOM)
/* the counters: entries of the queues, the next unit, lanes that have one, the squares */
enum {
    COMBGPU__SIX_N_PARTITIONS,
    COMBGPU__SIX_N_ITEMS,
    COMBGPU__SIX_N_ALIVE,
    COMBGPU__SIX_N_HITS,
    COMBGPU__SIX_N_UNITS,
    COMBGPU__SIX_N_SEARCHING,
    COMBGPU__SIX_N_SQUARES,
    COMBGPU__SIX_N_LISTED,
    COMBGPU__SIX_STEP = 8, /* the step to do: two words, then whether there is one */
    COMBGPU__SIX_CONTINUES = 10
};

/* A lane's search for partitions: sets M1 by the parts of an upper half. */
typedef struct combgpu_six_search_t {
    uint32_t at, end; /* sets of the bucket still to look at */
    uint32_t fixed;   /* what the unit chose of the upper half */
    uint32_t free;    /* the rest, of which every part is taken ... */
    uint32_t part;    /* ... this one last */
    uint32_t left;    /* numbers that M0 leaves */
    uint32_t first;   /* M0's place */
    uint32_t state;   /* 0 = no unit, 1 = searching, 2 = nothing is left to take */
} combgpu_six_search_t;

/* Takes a unit: a set M0 of the list, and which of the five lowest
   numbers of its upper half M1 has. */
COMBGPU__DEVICE void combgpu_six_unit(combgpu_six_search_t *search,
                                      COMBGPU__GLOBAL const uint32_t *work,
                                      COMBGPU__LOCAL uint32_t *scratch)
{
    const uint32_t unit =
        COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_UNITS], 1);
    uint32_t high, choice = unit % 32, i;
    if (unit >= 32 * scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_LISTED]) {
        search->state = 2;
        COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_SEARCHING],
                                  0xffffffffu);
        return;
    }
    search->first = work[COMBGPU__SIX_AT_LIST + unit / 32];
    search->left = 0xffffffu ^ work[COMBGPU__SIX_AT_NUMBERS + search->first];
    high = search->left >> 12;
    for (search->fixed = i = 0; i < 5 && high; i++, high &= high - 1)
        if (choice >> i & 1) search->fixed |= high & (0 - high);
    search->at = search->end = 0;
    search->free = search->part = high;
    /* with fewer numbers, choices that differ in those that are not there are one */
    search->state = choice >> i ? 0 : 1;
    if (search->state) {
        COMBGPU__GLOBAL const uint32_t *bucket =
            work + COMBGPU__SIX_AT_BUCKET + COMBGPU__SIX_BUCKETS + (search->fixed | search->part);
        search->at = bucket[0];
        search->end = bucket[1];
    }
}

/* Each lane looks at some sets. */
COMBGPU__DEVICE void combgpu_six_search(combgpu_six_search_t *search,
                                        COMBGPU__GLOBAL const uint32_t *work,
                                        COMBGPU__LOCAL uint32_t *scratch)
{
    COMBGPU__GLOBAL const uint32_t *numbers =
        work + COMBGPU__SIX_AT_NUMBERS + COMBGPU__SIX_ROOM; /* of pair 1 */
    uint32_t turn;
    for (turn = 0; turn < 24 && search->state != 2; turn++) {
        if (search->state == 0) {
            combgpu_six_unit(search, work, scratch);
        } else if (search->at < search->end) {
            uint32_t at;
            if (numbers[search->at] & ~search->left) {
                search->at++;
                continue;
            }
            at = COMBGPU__LOCAL_ATOMIC_ADD(
                &scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_PARTITIONS], 1);
            if (at >= COMBGPU__SIX_PARTITION_ROOM) return; /* another time */
            scratch[COMBGPU__SIX_PARTITIONS + at] = search->first | search->at << 16;
            search->at++;
        } else if (search->part) {
            COMBGPU__GLOBAL const uint32_t *bucket;
            search->part = (search->part - 1) & search->free;
            bucket = work + COMBGPU__SIX_AT_BUCKET + COMBGPU__SIX_BUCKETS +
                     (search->fixed | search->part);
            search->at = bucket[0];
            search->end = bucket[1];
        } else {
            search->state = 0;
        }
    }
}

/* The place of a set of pair 2, or COMBGPU__NONE. */
COMBGPU__DEVICE uint32_t combgpu_six_find(COMBGPU__GLOBAL const uint32_t *work, uint32_t set)
{
    COMBGPU__GLOBAL const uint32_t *bucket =
        work + COMBGPU__SIX_AT_BUCKET + 2 * COMBGPU__SIX_BUCKETS + (set >> 12);
    COMBGPU__GLOBAL const uint32_t *numbers =
        work + COMBGPU__SIX_AT_NUMBERS + 2 * COMBGPU__SIX_ROOM;
    uint32_t at = bucket[0], end = bucket[1];
    for (; at < end; at++)
        if (numbers[at] == set) return at;
    return COMBGPU__NONE;
}

/* A partition: its items, or back into the queue if they find no room. */
COMBGPU__DEVICE void combgpu_six_partition(COMBGPU__GLOBAL const uint32_t *work,
                                           COMBGPU__LOCAL uint32_t *scratch, uint32_t partition)
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
    at = COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_ITEMS], count);
    if (at + count > COMBGPU__SIX_ITEM_ROOM) {
        for (; at < COMBGPU__SIX_ITEM_ROOM; at++)
            scratch[COMBGPU__SIX_ITEMS + 3 * at] = COMBGPU__NONE;
        at = COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_PARTITIONS],
                                       1);
        scratch[COMBGPU__SIX_PARTITIONS + at] = partition;
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
            COMBGPU__LOCAL uint32_t *item = scratch + COMBGPU__SIX_ITEMS + 3 * at;
            item[0] = segment0 + COMBGPU__POPCOUNT(a & below);
            item[1] = segment1 + COMBGPU__POPCOUNT(b & below);
            item[2] = segment2 + COMBGPU__POPCOUNT(c & below);
        }
        segment0 += COMBGPU__POPCOUNT(a);
        segment1 += COMBGPU__POPCOUNT(b);
        segment2 += COMBGPU__POPCOUNT(c);
    }
}

/* An item: alive if its segments' keys meet. */
COMBGPU__DEVICE void combgpu_six_item(COMBGPU__GLOBAL const uint32_t *work,
                                      COMBGPU__LOCAL uint32_t *scratch, uint32_t s0, uint32_t s1,
                                      uint32_t s2)
{
    COMBGPU__GLOBAL const uint2 *keys =
        (COMBGPU__GLOBAL const uint2 *)(work + COMBGPU__SIX_AT_KEYS);
    uint2 k0, k1, k2;
    uint32_t at;
    if (s0 == COMBGPU__NONE) return;
    k0 = keys[s0];
    k1 = keys[s1];
    k2 = keys[s2];
    if (!(k1.y & k2.x) || !(k0.x & k2.y) || !(k0.y & k1.x)) return;
    at = COMBGPU__SIX_ALIVE +
         3 * COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_ALIVE], 1);
    scratch[at] = s0;
    scratch[at + 1] = s1;
    scratch[at + 2] = s2;
}

/* In how many ways spreads of two blocks (u | v << 8) add up to `sum`. */
COMBGPU__DEVICE uint32_t combgpu_six_ways(uint32_t a, uint32_t b, int32_t sum)
{
    const int32_t u = (int32_t)(a & 255), v = (int32_t)(a >> 8 & 255);
    const int32_t has_u = (int32_t)(b & 255), has_v = (int32_t)(b >> 8 & 255);
    const int32_t w0 = abs(sum - u), w1 = abs(sum + u), w2 = abs(sum - v), w3 = abs(sum + v);
    return (uint32_t)((w0 == has_u) + (w1 == has_u) + (w2 == has_u) + (w3 == has_u)) +
           ((uint32_t)((w0 == has_v) + (w1 == has_v) + (w2 == has_v) + (w3 == has_v))
            << (has_v == 0)); /* no difference: two orders */
}

/* The squares over three splittings. */
COMBGPU__DEVICE uint32_t combgpu_six_squares(COMBGPU__LOCAL const int32_t *spread, uint32_t p0,
                                             uint32_t p1, uint32_t p2)
{
    return combgpu_six_ways(p1 >> 16, p2, spread[0]) * combgpu_six_ways(p0, p2 >> 16, spread[1]) *
           combgpu_six_ways(p0 >> 16, p1, spread[2]);
}

/* Queues the splittings with meeting keys of three segments as hits. Returns the squares over those
   that find no room there. */
COMBGPU__DEVICE uint32_t combgpu_six_alive(COMBGPU__GLOBAL const uint32_t *work,
                                           COMBGPU__LOCAL uint32_t *scratch, uint32_t s0,
                                           uint32_t s1, uint32_t s2)
{
    COMBGPU__LOCAL const int32_t *spread =
        (COMBGPU__LOCAL const int32_t *)(scratch + COMBGPU__SIX_OPEN + COMBGPU__SIX_SPREAD);
    COMBGPU__GLOBAL const uint32_t *first = work + COMBGPU__SIX_AT_FIRST;
    COMBGPU__GLOBAL const uint32_t *splits = work + COMBGPU__SIX_AT_SPLITS;
    const uint32_t begin0 = first[s0], end0 = first[s0 + 1], end1 = first[s1 + 1];
    const uint32_t begin2 = first[s2], end2 = first[s2 + 1];
    const uint32_t keys2 = work[COMBGPU__SIX_AT_KEYS + 2 * s2];
    uint32_t i0, i1, i2, squares = 0, at;
    for (i1 = first[s1]; i1 < end1; i1++) {
        const uint32_t p1 = splits[i1], wants2 = combgpu_six_wants(p1 >> 16, spread[0]);
        const uint32_t wants0 = combgpu_six_wants(p1, spread[2]);
        if (!(wants2 & keys2)) continue;
        for (i2 = begin2; i2 < end2; i2++) {
            const uint32_t p2 = splits[i2];
            uint32_t wants;
            if (!(wants2 & combgpu_six_has(p2))) continue;
            wants = combgpu_six_wants(p2 >> 16, spread[1]);
            for (i0 = begin0; i0 < end0; i0++) {
                const uint32_t p0 = splits[i0];
                if (!(combgpu_six_has(p0) & wants) || !(combgpu_six_has(p0 >> 16) & wants0))
                    continue;
                at = COMBGPU__LOCAL_ATOMIC_ADD(
                    &scratch[COMBGPU__SIX_COUNTERS + COMBGPU__SIX_N_HITS], 1);
                if (at >= COMBGPU__SIX_HIT_ROOM) {
                    squares += combgpu_six_squares(spread, p0, p1, p2);
                    continue;
                }
                at = COMBGPU__SIX_HITS + 3 * at;
                scratch[at] = p0;
                scratch[at + 1] = p1;
                scratch[at + 2] = p2;
            }
        }
    }
    return squares;
}

/* All lanes: lists the sets of row pair 0 that are in the part, and empties the queues. */
COMBGPU__DEVICE void combgpu_six_begin(COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL uint32_t *scratch, uint32_t part)
{
    COMBGPU__LOCAL uint32_t *counters = scratch + COMBGPU__SIX_COUNTERS;
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t i;
    if (lane < 8) counters[lane] = lane == COMBGPU__SIX_N_SEARCHING ? COMBGPU__SIX_LANES : 0;
    COMBGPU__BLOCK_BARRIER();
    for (i = lane; i < work[COMBGPU__SIX_AT_COUNT]; i += COMBGPU__SIX_LANES)
        if (combgpu_mix(work[COMBGPU__SIX_AT_NUMBERS + i]) % COMBGPU__SIX_PARTS == part)
            work[COMBGPU__SIX_AT_LIST +
                 COMBGPU__LOCAL_ATOMIC_ADD(&counters[COMBGPU__SIX_N_LISTED], 1)] = i;
    COMBGPU__BLOCK_BARRIER();
}

/* The squares of a part of the configuration whose tables are there. */
COMBGPU__DEVICE uint32_t combgpu_six_count(COMBGPU__GLOBAL uint32_t *work,
                                           COMBGPU__LOCAL uint32_t *scratch, uint32_t part)
{
    COMBGPU__LOCAL uint32_t *counters = scratch + COMBGPU__SIX_COUNTERS;
    COMBGPU__LOCAL const int32_t *spread =
        (COMBGPU__LOCAL const int32_t *)(scratch + COMBGPU__SIX_OPEN + COMBGPU__SIX_SPREAD);
    const uint32_t lane = COMBGPU__LANE_ID;
    combgpu_six_search_t search;
    uint32_t squares = 0, entry[3];
    entry[0] = entry[1] = entry[2] = 0;
    search.state = 0;
    combgpu_six_begin(work, scratch, part);
    for (;;) {
        /* the queue furthest down that keeps all lanes busy; a short one once nothing comes */
        const uint32_t searching = counters[COMBGPU__SIX_N_SEARCHING];
        uint32_t queue, count = 0, from, here, width, above = searching;
        const uint32_t partitions =
            min(counters[COMBGPU__SIX_N_PARTITIONS], (uint32_t)COMBGPU__SIX_PARTITION_ROOM);
        const uint32_t items =
            min(counters[COMBGPU__SIX_N_ITEMS], (uint32_t)COMBGPU__SIX_ITEM_ROOM);
        const uint32_t alive = counters[COMBGPU__SIX_N_ALIVE];
        const uint32_t hits = min(counters[COMBGPU__SIX_N_HITS], (uint32_t)COMBGPU__SIX_HIT_ROOM);
        queue = 4;
        if (partitions >= COMBGPU__SIX_LANES || (partitions && !above))
            queue = 0, count = partitions;
        above |= partitions;
        if (items >= COMBGPU__SIX_LANES || (items && !above)) queue = 1, count = items;
        above |= items;
        if (alive >= COMBGPU__SIX_LANES || (alive && !above)) queue = 2, count = alive;
        above |= alive;
        if (hits >= COMBGPU__SIX_LANES || (hits && !above)) queue = 3, count = hits;
        if (queue == 4 && !searching) break;
        from = (uint32_t)max((int32_t)count - COMBGPU__SIX_LANES, 0);
        here = from + lane < count;
        if (here) {
            COMBGPU__LOCAL const uint32_t *of = scratch + (queue == 0   ? COMBGPU__SIX_PARTITIONS
                                                           : queue == 1 ? COMBGPU__SIX_ITEMS
                                                           : queue == 2 ? COMBGPU__SIX_ALIVE
                                                                        : COMBGPU__SIX_HITS);
            width = queue ? 3 : 1;
            entry[0] = of[width * (from + lane)];
            if (queue) entry[1] = of[3 * (from + lane) + 1];
            if (queue) entry[2] = of[3 * (from + lane) + 2];
        }
        COMBGPU__LOCAL_BARRIER();
        if (lane == 0) {
            if (queue == 4)
                counters[COMBGPU__SIX_N_PARTITIONS] = partitions;
            else
                counters[queue] = from;
        }
        COMBGPU__LOCAL_BARRIER();
        if (queue == 4)
            combgpu_six_search(&search, work, scratch);
        else if (here && queue == 0)
            combgpu_six_partition(work, scratch, entry[0]);
        else if (here && queue == 1)
            combgpu_six_item(work, scratch, entry[0], entry[1], entry[2]);
        else if (here && queue == 2)
            squares += combgpu_six_alive(work, scratch, entry[0], entry[1], entry[2]);
        else if (here)
            squares += combgpu_six_squares(spread, entry[0], entry[1], entry[2]);
        COMBGPU__LOCAL_BARRIER();
    }
    if (squares) COMBGPU__LOCAL_ATOMIC_ADD(&counters[COMBGPU__SIX_N_SQUARES], squares);
    COMBGPU__LOCAL_BARRIER();
    squares = counters[COMBGPU__SIX_N_SQUARES];
    COMBGPU__LOCAL_BARRIER();
    return squares;
}

/* Words of `tables`: layout.h. A record is a step for the host, whose tables have room. */
COMBGPU__KERNEL_BLOCKS(COMBGPU__SIX_LANES, 4) combgpu_magic_six(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint32_t scratch[COMBGPU__SIX_LOCAL];
    COMBGPU__GLOBAL uint32_t *mine = work + (uint64_t)COMBGPU__BLOCK_ID * COMBGPU__SIX_WORDS;
    const uint64_t base = combgpu_load64(tables) * COMBGPU__SIX_PARTS;
    const uint32_t lane = COMBGPU__LANE_ID;
    uint64_t next = 0, end = 0, hash = 0, all = 0, before = 0; /* of lane 0 */
    uint32_t steps = 0, squares, made = COMBGPU__NONE, fits = 1, full = 0;
    if (COMBGPU__BLOCK_ID >= slice->workers) return;
    for (;;) {
        uint32_t configuration, part;
        if (lane == 0) {
            /* goes on with a configuration, unless it has many squares: whoever took the rest would
               make the tables again */
            uint32_t more = next != end && next / COMBGPU__SIX_PARTS == made &&
                            all - before < COMBGPU__SIX_PATIENCE;
            if (full) {
                more = 0;
                combgpu_give_range(slice, left, next, end);
            } else if (!more) {
                more = combgpu_in_range(slice, tasks, left, &next, &end, steps);
            }
            scratch[COMBGPU__SIX_CONTINUES] = more;
            scratch[COMBGPU__SIX_STEP] = (uint32_t)(next / COMBGPU__SIX_PARTS);
            scratch[COMBGPU__SIX_STEP + 1] = (uint32_t)(next % COMBGPU__SIX_PARTS);
        }
        COMBGPU__LOCAL_BARRIER();
        if (!scratch[COMBGPU__SIX_CONTINUES]) break;
        configuration = scratch[COMBGPU__SIX_STEP];
        part = scratch[COMBGPU__SIX_STEP + 1];
        COMBGPU__LOCAL_BARRIER();
        if (configuration != made) {
            fits = combgpu_six_tables(mine, scratch,
                                      tables + COMBGPU__PARTS_AT_CONFIGURATION + 3 * configuration);
            made = configuration;
            before = all;
        }
        squares = fits ? combgpu_six_count(mine, scratch, part) : 0;
        if (lane == 0 && fits) {
            all += squares;
            hash += combgpu_mix(combgpu_mix(base + next) ^ squares);
        } else if (lane == 0) {
            const uint32_t at = combgpu_emit(slice);
            full = at == COMBGPU__NONE;
            if (!full) combgpu_store64(records + 2 * at, next);
        }
        if (lane == 0 && !full) {
            steps++;
            next++;
        }
    }
    if (lane == 0) {
        combgpu_add_total(slice, 0, steps);
        combgpu_add_total(slice, 1, hash);
        combgpu_add_total(slice, 2, all);
    }
}
