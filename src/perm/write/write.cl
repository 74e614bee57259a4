/* Writes all permutations in order to the caller's device memory; a worker is a block. */
#define COMBGPU__PERM_N ((int)tables[COMBGPU__WRITE_AT_N])
#define COMBGPU__PERM_ORDERS tables[COMBGPU__WRITE_AT_ORDERS]
#define COMBGPU__PERM_TASK_GROUPS tables[COMBGPU__WRITE_AT_TASK_GROUPS]
#define COMBGPU__PERM_ITEM_BYTES tables[COMBGPU__WRITE_AT_ITEM_BYTES]
#define COMBGPU__PERM_SHIFT tables[COMBGPU__WRITE_AT_SHIFT]
#define COMBGPU__PERM_UNITS tables[COMBGPU__WRITE_AT_UNITS]
#define COMBGPU__PERM_PERIOD tables[COMBGPU__WRITE_AT_PERIOD]
/* not max(n - 6, 0), which compilers turn into something that oclgrind lacks */
#define COMBGPU__PERM_PREFIX tables[COMBGPU__WRITE_AT_PREFIX]
#define COMBGPU__PERM_FIRST combgpu_load64(tables + COMBGPU__WRITE_AT_FIRST)
#define COMBGPU__PERM_OFFSET combgpu_load64(tables + COMBGPU__WRITE_AT_OFFSET)
#define COMBGPU__PERM_PREPARED                                                                     \
    34 /* 16-byte units of a prepared group: 1 and a period, or 34 items */

/* A chunk is up to 16 groups. The block unranks the first permutation of each group, and prepares
   to turn table words into the group's *units* of 16 bytes: for items of one byte, it prepares the
   suffix, from which a unit's nibbles choose, and the units' other bytes; else the items. Then each
   lane makes unit after unit, so that a warp stores consecutive units.

   The output gets only the ranks asked for, and a group may begin at any byte of it. */

/* Byte i of the result is byte (selector >> 4 i & 7) of high:low. Bits 16 and up of the selector
   are ignored. */
COMBGPU__DEVICE uint32_t combgpu_perm_choose(uint32_t low, uint32_t high, uint32_t selector)
{
#ifdef COMBGPU_SHUFFLE /* not __byte_perm, which masks the selector first */
    uint32_t y;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(y) : "r"(low), "r"(high), "r"(selector));
    return y;
#else
    const uint64_t x = (uint64_t)high << 32 | low;
    return ((uint32_t)(x >> (8 * (selector & 7))) & 255) |
           ((uint32_t)(x >> (8 * (selector >> 4 & 7))) & 255) << 8 |
           ((uint32_t)(x >> (8 * (selector >> 8 & 7))) & 255) << 16 |
           ((uint32_t)(x >> (8 * (selector >> 12 & 7))) & 255) << 24;
#endif
}

COMBGPU__DEVICE uint32_t combgpu_perm_substitute(COMBGPU__LOCAL const uint8_t *first,
                                                 uint32_t places)
{
    return (uint32_t)first[places & 255] | (uint32_t)first[places >> 8 & 255] << 8 |
           (uint32_t)first[places >> 16 & 255] << 16 | (uint32_t)first[places >> 24] << 24;
}

/* Makes a unit of the prepared group from two table words; phase: unit % period. */
COMBGPU__DEVICE uint4 combgpu_perm_unit(COMBGPU__LOCAL const uint4 *prepared, uint32_t item_bytes,
                                        uint32_t x, uint32_t y, uint32_t phase)
{
    COMBGPU__LOCAL const uint32_t *words = (COMBGPU__LOCAL const uint32_t *)prepared;
    uint4 unit;
    if (item_bytes == 1) {
        const uint2 suffix = *(COMBGPU__LOCAL const uint2 *)prepared;
        const uint32_t low = suffix.x, high = suffix.y;
        unit = prepared[1 + phase];
        unit.x |= combgpu_perm_choose(low, high, x);
        unit.y |= combgpu_perm_choose(low, high, x >> 16);
        unit.z |= combgpu_perm_choose(low, high, y);
        unit.w |= combgpu_perm_choose(low, high, y >> 16);
    } else if (item_bytes == 2) {
        COMBGPU__LOCAL const uint16_t *items = (COMBGPU__LOCAL const uint16_t *)prepared;
        unit.x = items[x & 255] | (uint32_t)items[x >> 8 & 255] << 16;
        unit.y = items[x >> 16 & 255] | (uint32_t)items[x >> 24] << 16;
        unit.z = items[y & 255] | (uint32_t)items[y >> 8 & 255] << 16;
        unit.w = items[y >> 16 & 255] | (uint32_t)items[y >> 24] << 16;
    } else if (item_bytes == 4) {
        unit.x = words[x & 255];
        unit.y = words[x >> 8 & 255];
        unit.z = words[x >> 16 & 255];
        unit.w = words[x >> 24];
    } else {
        unit.x = words[2 * (x & 255)];
        unit.y = words[2 * (x & 255) + 1];
        unit.z = words[2 * (x >> 8 & 255)];
        unit.w = words[2 * (x >> 8 & 255) + 1];
    }
    return unit;
}

/* Stores the bytes of a word that lie in [low, high); `at` is the position of the first byte. */
COMBGPU__DEVICE void combgpu_perm_store_part(COMBGPU__GLOBAL uint8_t *to, int32_t at, int32_t low,
                                             int32_t high, uint32_t word)
{
    int32_t i;
    for (i = 0; i < 4; i++, word >>= 8)
        if (at + i >= low && at + i < high) to[i] = (uint8_t)word;
}

/* Prepares `groups` groups from number `from` on, counted from rank 0 of the job; the block calls
   it. First a lane for each digit of a group's first rank, then a lane for each element: digit i is
   the element's index among the elements left after i of them, so going back from i-1 it moves up
   past those taken before. A barrier must follow. */
COMBGPU__DEVICE void combgpu_perm_prepare(COMBGPU__GLOBAL const uint32_t *tables,
                                          COMBGPU__LOCAL uint8_t *digits,
                                          COMBGPU__LOCAL uint8_t *firsts,
                                          COMBGPU__LOCAL uint4 *prepared, uint64_t from,
                                          uint32_t groups)
{
    const uint32_t n = (uint32_t)COMBGPU__PERM_N, item_bytes = COMBGPU__PERM_ITEM_BYTES,
                   prefix = COMBGPU__PERM_PREFIX;
    COMBGPU__GLOBAL const uint32_t *pattern =
        tables + COMBGPU__WRITE_AT_PATTERN + 2 * COMBGPU__PERM_UNITS;
    const uint32_t row = item_bytes == 1 ? 4 + 4 * COMBGPU__PERM_PERIOD : n * item_bytes / 4 + 1;
    uint32_t i, group, at, x;
    for (i = COMBGPU__LANE_ID; i < groups * prefix; i += COMBGPU__BLOCK_LANES) {
        uint64_t divisor;
        group = i / prefix;
        at = i % prefix;
        divisor = combgpu_load64(tables + COMBGPU__WRITE_AT_DIVISORS +
                                 2 * (n - 1 - at)); /* 0 = no digit */
        digits[32 * group + at] = divisor ? (uint8_t)((from + group) / divisor % (n - at)) : 0;
    }
    COMBGPU__LOCAL_BARRIER();
    if (n > COMBGPU__PERM_MAX && COMBGPU__LANE_ID < groups) /* add the digits of the base */
        for (at = prefix, x = 0; at-- > 0;) {
            x += (uint32_t)digits[32 * COMBGPU__LANE_ID + at] + tables[COMBGPU__WRITE_AT_BASE + at];
            digits[32 * COMBGPU__LANE_ID + at] = (uint8_t)(x < n - at ? x : x - (n - at));
            x = x >= n - at;
        }
    COMBGPU__LOCAL_BARRIER();
    for (i = COMBGPU__LANE_ID; i < groups * n; i += COMBGPU__BLOCK_LANES) {
        uint32_t k;
        group = i / n;
        at = i % n;
        x = at < prefix ? digits[32 * group + at] : at - prefix;
        for (k = at < prefix ? at : prefix; k-- > 0;)
            x += x >= digits[32 * group + k];
        firsts[64 * group + at] =
            item_bytes == 1 ? (uint8_t)tables[COMBGPU__WRITE_AT_ITEMS + 2 * x] : (uint8_t)x;
    }
    COMBGPU__LOCAL_BARRIER();
    for (i = COMBGPU__LANE_ID; i < groups * row; i += COMBGPU__BLOCK_LANES) {
        COMBGPU__LOCAL uint32_t *words;
        group = i / row;
        at = i % row;
        words = (COMBGPU__LOCAL uint32_t *)(prepared + group * COMBGPU__PERM_PREPARED);
        if (item_bytes == 1)
            words[at] = combgpu_perm_substitute(firsts + 64 * group, pattern[at]);
        else if (item_bytes == 2) {
            COMBGPU__LOCAL const uint8_t *first = firsts + 64 * group + 2 * at;
            if (2 * at < n) words[at] = tables[COMBGPU__WRITE_AT_ITEMS + 2 * first[0]] & 0xffff;
            if (2 * at + 1 < n) words[at] |= tables[COMBGPU__WRITE_AT_ITEMS + 2 * first[1]] << 16;
        } else if (item_bytes == 4 && at < n)
            words[at] = tables[COMBGPU__WRITE_AT_ITEMS + 2 * firsts[64 * group + at]];
        else if (item_bytes == 8 && at < 2 * n)
            words[at] = tables[COMBGPU__WRITE_AT_ITEMS + 2 * firsts[64 * group + at / 2] + at % 2];
    }
}

/* Makes the units of the prepared groups; the block calls it. The first group begins at to +
   COMBGPU__PERM_SHIFT; `to` is a multiple of 16. Stores only the first group's bytes from `first`
   on and the last group's bytes before `last`. */
COMBGPU__DEVICE void combgpu_perm_make(COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__LOCAL const uint4 *prepared,
                                       COMBGPU__GLOBAL uint8_t *to, uint32_t groups, int32_t first,
                                       int32_t last)
{
    const uint32_t units = COMBGPU__PERM_UNITS, period = COMBGPU__PERM_PERIOD,
                   item_bytes = COMBGPU__PERM_ITEM_BYTES;
    const uint32_t bytes = COMBGPU__PERM_ORDERS * item_bytes * (uint32_t)COMBGPU__PERM_N;
    const int32_t shift = (int32_t)COMBGPU__PERM_SHIFT;
    COMBGPU__GLOBAL const uint2 *pattern =
        (COMBGPU__GLOBAL const uint2 *)(tables + COMBGPU__WRITE_AT_PATTERN);
    uint32_t group = COMBGPU__LANE_ID / units, at = COMBGPU__LANE_ID % units, phase = at % period,
             i;
    if (item_bytes == 1 && shift == 0 && first == 0 && last >= (int32_t)(16 * units)) {
        /* Whole groups of whole units have no borders. A warp's stores begin at a line of 128
           bytes, so up to 7 lanes begin before the first unit; their index wraps around, and is
           larger than any. */
        const uint32_t back = (uint32_t)(size_t)to / 16 % 8, end = groups * units + back;
        const uint32_t step = COMBGPU__BLOCK_LANES % period;
        COMBGPU__GLOBAL uint4 *unit =
            (COMBGPU__GLOBAL uint4 *)to + ((int32_t)COMBGPU__LANE_ID - (int32_t)back);
        COMBGPU__LOCAL const uint4 *row = prepared;
        at = COMBGPU__LANE_ID - back;
        phase = (COMBGPU__LANE_ID + 8 * period - back) % period;
        for (i = 0; i < end; i += COMBGPU__BLOCK_LANES) {
            if (at < units && i + COMBGPU__LANE_ID < end) {
                const uint2 words = pattern[at];
                *unit = combgpu_perm_unit(row, 1, words.x, words.y, phase);
            }
            unit += COMBGPU__BLOCK_LANES;
            at += COMBGPU__BLOCK_LANES;
            phase += step;
            if (phase >= period) phase -= period;
            if (at >= units) { /* `units` is a multiple of the period, and more than a block's
                                  lanes */
                at -= units;
                row += COMBGPU__PERM_PREPARED;
            }
        }
        return;
    }
    while (group < groups) {
        const uint2 words = pattern[at];
        const int32_t byte = (int32_t)(16 * at) - shift; /* byte of the group */
        const int32_t low = group == 0 ? first : 0;
        const int32_t high = group == groups - 1 ? last : (int32_t)bytes;
        COMBGPU__GLOBAL uint8_t *place = to + (uint64_t)group * bytes + 16 * at;
        const uint4 unit = combgpu_perm_unit(prepared + group * COMBGPU__PERM_PREPARED, item_bytes,
                                             words.x, words.y, at % period);
        if (byte >= low && byte + 16 <= high)
            *(COMBGPU__GLOBAL uint4 *)place = unit;
        else {
            combgpu_perm_store_part(place, byte, low, high, unit.x);
            combgpu_perm_store_part(place + 4, byte + 4, low, high, unit.y);
            combgpu_perm_store_part(place + 8, byte + 8, low, high, unit.z);
            combgpu_perm_store_part(place + 12, byte + 12, low, high, unit.w);
        }
        for (at += COMBGPU__BLOCK_LANES; at >= units; at -= units)
            group++;
    }
}

#ifndef COMBGPU_KERNELS_MULTISET /* which is a program of its own */
/* All blocks sweep over the output together, a chunk each: memory takes one moving window, smaller
   than the L2 cache, faster than a stream for each block. Chunks are numbered through all tasks.
   The last block to end sets task_next, and spills the task in which the numbers stopped. Lane 0
   takes the next number while the block writes. */
#define COMBGPU__PERM_WINDOW 38000000u
COMBGPU__KERNEL_BLOCKS(COMBGPU__PERM_WRITE_LANES, 5)
combgpu_perm_write(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint4 prepared[COMBGPU__PERM_PIECE_GROUPS * COMBGPU__PERM_PREPARED];
    COMBGPU__LOCAL_ARRAY uint8_t firsts[COMBGPU__PERM_PIECE_GROUPS * 64],
        digits[COMBGPU__PERM_PIECE_GROUPS * 32];
    COMBGPU__LOCAL_ARRAY uint32_t shared_word;
    const uint32_t orders = COMBGPU__PERM_ORDERS,
                   object = COMBGPU__PERM_ITEM_BYTES * (uint32_t)COMBGPU__PERM_N;
    uint32_t number = COMBGPU__NONE, piece_groups, pieces;
    uint64_t steps = 0, hash = 0;
    (void)records;
    piece_groups =
        (COMBGPU__PERM_WINDOW / COMBGPU__BLOCK_COUNT + orders * object / 2) / (orders * object);
    if (piece_groups > COMBGPU__PERM_PIECE_GROUPS) piece_groups = COMBGPU__PERM_PIECE_GROUPS;
    if (piece_groups < 1) piece_groups = 1;
    pieces = COMBGPU__PERM_TASK_GROUPS / piece_groups + 1;
    if (COMBGPU__LANE_ID < COMBGPU__PERM_PIECE_GROUPS) firsts[64 * COMBGPU__LANE_ID + 63] = 0;
    if (COMBGPU__LANE_ID == 0) number = COMBGPU__ATOMIC_ADD(&slice->area_next, 1);
    for (;;) {
        uint64_t begin, end, from, to, group, last;
        if (COMBGPU__LANE_ID == 0) shared_word = number;
        COMBGPU__LOCAL_BARRIER();
        number = shared_word;
        COMBGPU__LOCAL_BARRIER();
        if (number == COMBGPU__NONE || number / pieces >= slice->task_count) break;
        begin = combgpu_load64(tasks + 4 * (number / pieces));
        end = combgpu_load64(tasks + 4 * (number / pieces) + 2);
        group = (orders == 720 ? begin / 720 : begin / orders) +
                (uint64_t)(number % pieces) * piece_groups;
        from = group * orders;
        to = from + (uint64_t)piece_groups * orders;
        if (from < begin) from = begin;
        if (to > end) to = end;
        if (from < to) { /* equal in all lanes */
            last = orders == 720 ? (to - 1) / 720 : (to - 1) / orders;
            steps += to - from;
            hash += combgpu_mix(to) - combgpu_mix(from);
        } else
            last = group - 1; /* no groups */
        number = COMBGPU__NONE;
        if (COMBGPU__LANE_ID == 0 && !combgpu_spent(slice, (uint32_t)steps))
            number = COMBGPU__ATOMIC_ADD(&slice->area_next, 1);
        combgpu_perm_prepare(tables, digits, firsts, prepared, group, (uint32_t)(last + 1 - group));
        COMBGPU__LOCAL_BARRIER();
        combgpu_perm_make(
            tables, prepared,
            (COMBGPU__GLOBAL uint8_t *)work + (int64_t)COMBGPU__PERM_OFFSET +
                ((int64_t)(group * orders) - (int64_t)COMBGPU__PERM_FIRST) * (int64_t)object -
                (int32_t)COMBGPU__PERM_SHIFT,
            (uint32_t)(last + 1 - group), (int32_t)((uint32_t)(from - group * orders) * object),
            (int32_t)((uint32_t)(to - last * orders) * object));
    }
    if (COMBGPU__LANE_ID != 0) return;
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_DONE, steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_HASH, hash);
    if (COMBGPU__ATOMIC_ADD(&slice->blocks_done, 1) ==
        COMBGPU__BLOCK_COUNT - 1) { /* the last block */
        uint32_t next = COMBGPU__ATOMIC_ADD(&slice->area_next, 0), task = next / pieces;
        if (task < slice->task_count && next % pieces) {
            uint64_t begin = combgpu_load64(tasks + 4 * task);
            uint64_t end = combgpu_load64(tasks + 4 * task + 2);
            uint64_t from = (begin / orders + (uint64_t)(next % pieces) * piece_groups) * orders;
            if (from < end) combgpu_give_range(slice, left, from < begin ? begin : from, end);
            task++;
        }
        slice->task_next = task;
    }
}
#endif
