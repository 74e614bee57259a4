/* ---- WRITE: a piece is up to 16 groups. Its lanes unrank the first permutation of a group each and
   prepare what turns table words into 16 bytes of the group (a *unit*): of items of one byte the
   suffix, whose bytes a unit's nibbles choose, and the units' other bytes; else the items. Then every
   lane makes unit after unit, so that warps store consecutive ones. 20 instructions a unit; at 4.5
   TB/s a multiprocessor of an H200 has the time for 119.

   The area takes whole groups, and a record says where they are; the caller's memory takes what was
   asked for, and a group may begin anywhere in it. */

/* Byte i of the result is byte (selector >> 4 i & 7) of high:low. Bits 16 and up have no meaning. */
DEVICE u32 combgpu_perm_choose(u32 low, u32 high, u32 selector)
{
#ifdef COMBGPU_SHUFFLE /* not __byte_perm, which masks the selector first */
    u32 y;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(y) : "r"(low), "r"(high), "r"(selector));
    return y;
#else
    const u64 x = (u64)high << 32 | low;
    return ((u32)(x >> (8 * (selector & 7))) & 255) |
           ((u32)(x >> (8 * (selector >> 4 & 7))) & 255) << 8 |
           ((u32)(x >> (8 * (selector >> 8 & 7))) & 255) << 16 |
           ((u32)(x >> (8 * (selector >> 12 & 7))) & 255) << 24;
#endif
}

DEVICE u32 combgpu_perm_substitute(LOCAL const u8 *first, u32 places)
{
    return (u32)first[places & 255] | (u32)first[places >> 8 & 255] << 8 |
           (u32)first[places >> 16 & 255] << 16 | (u32)first[places >> 24] << 24;
}

/* The unit of two table words, in the group that was prepared; phase: unit % period. */
DEVICE uint4 combgpu_perm_unit(LOCAL const uint4 *prepared, u32 item_bytes, u32 x, u32 y, u32 phase)
{
    LOCAL const u32 *words = (LOCAL const u32 *)prepared;
    uint4 unit;
    if (item_bytes == 1) {
        const uint2 suffix = *(LOCAL const uint2 *)prepared;
        const u32 low = suffix.x, high = suffix.y;
        unit = prepared[1 + phase];
        unit.x |= combgpu_perm_choose(low, high, x);
        unit.y |= combgpu_perm_choose(low, high, x >> 16);
        unit.z |= combgpu_perm_choose(low, high, y);
        unit.w |= combgpu_perm_choose(low, high, y >> 16);
    } else if (item_bytes == 2) {
        LOCAL const u16 *items = (LOCAL const u16 *)prepared;
        unit.x = items[x & 255] | (u32)items[x >> 8 & 255] << 16;
        unit.y = items[x >> 16 & 255] | (u32)items[x >> 24] << 16;
        unit.z = items[y & 255] | (u32)items[y >> 8 & 255] << 16;
        unit.w = items[y >> 16 & 255] | (u32)items[y >> 24] << 16;
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

/* Stores those of the four bytes of a word that lie in [low, high), at = the first one's place. */
DEVICE void combgpu_perm_store_part(GLOBAL u8 *to, i32 at, i32 low, i32 high, u32 word)
{
    i32 i;
    for (i = 0; i < 4; i++, word >>= 8)
        if (at + i >= low && at + i < high) to[i] = (u8)word;
}

/* Reserves room for `groups` groups from the one of `rank` on; the 16-byte unit, or NONE. */
DEVICE u32 combgpu_perm_reserve(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,
                                GLOBAL u32 *records, u64 rank, u32 count, u32 groups)
{
    u32 room = groups * PERM_VECTORS, unit = ATOMIC_ADD(&slice->area_next, room), record;
    if (unit > PERM_AREA || room > PERM_AREA - unit) {
        ATOMIC_OR(&slice->stop, STOP_NOW);
        return NONE;
    }
    record = combgpu_emit(slice);
    if (record == NONE) return NONE;
    combgpu_store64(records + 4 * record, rank);
    records[4 * record + 2] = count;
    records[4 * record + 3] = unit;
    return unit;
}

/* Prepares `groups` groups from number `from` on (they count from the rank 0 of the job); the block
   calls it. A lane for each digit of a group's first rank, then one for each element: digit i is one's
   place among the elements left after i of them, so from i-1 on it moves up past those taken before.
   (One lane for a group took 10,000 cycles, five times as long as writing it.) A barrier must follow. */
DEVICE void combgpu_perm_prepare(GLOBAL const u32 *tables, LOCAL u8 *digits, LOCAL u8 *firsts,
                                 LOCAL uint4 *prepared, u64 from, u32 groups)
{
    const u32 n = (u32)PERM_N, item_bytes = PERM_ITEM_BYTES, prefix = PERM_PREFIX;
    GLOBAL const u32 *pattern = tables + PERM_PATTERN + 2 * PERM_UNITS;
    const u32 row = item_bytes == 1 ? 4 + 4 * PERM_PERIOD : n * item_bytes / 4 + 1;
    u32 i, group, at, x;
    for (i = LANE_ID; i < groups * prefix; i += BLOCK_LANES) {
        u64 divisor;
        group = i / prefix;
        at = i % prefix;
        divisor = combgpu_load64(tables + PERM_DIVISORS + 2 * (n - 1 - at)); /* 0: no digit */
        digits[32 * group + at] = divisor ? (u8)((from + group) / divisor % (n - at)) : 0;
    }
    LOCAL_BARRIER();
    if (n > PERM_PLACES && LANE_ID < groups) /* add the digits of the base */
        for (at = prefix, x = 0; at-- > 0;) {
            x += (u32)digits[32 * LANE_ID + at] + tables[PERM_BASE + at];
            digits[32 * LANE_ID + at] = (u8)(x < n - at ? x : x - (n - at));
            x = x >= n - at;
        }
    LOCAL_BARRIER();
    for (i = LANE_ID; i < groups * n; i += BLOCK_LANES) {
        u32 k;
        group = i / n;
        at = i % n;
        x = at < prefix ? digits[32 * group + at] : at - prefix;
        for (k = at < prefix ? at : prefix; k-- > 0;)
            x += x >= digits[32 * group + k];
        firsts[64 * group + at] = item_bytes == 1 ? (u8)tables[PERM_ITEMS + 2 * x] : (u8)x;
    }
    LOCAL_BARRIER();
    for (i = LANE_ID; i < groups * row; i += BLOCK_LANES) {
        LOCAL u32 *words;
        group = i / row;
        at = i % row;
        words = (LOCAL u32 *)(prepared + group * PERM_PREPARED);
        if (item_bytes == 1)
            words[at] = combgpu_perm_substitute(firsts + 64 * group, pattern[at]);
        else if (item_bytes == 2) {
            LOCAL const u8 *first = firsts + 64 * group + 2 * at;
            if (2 * at < n) words[at] = tables[PERM_ITEMS + 2 * first[0]] & 0xffff;
            if (2 * at + 1 < n) words[at] |= tables[PERM_ITEMS + 2 * first[1]] << 16;
        } else if (item_bytes == 4 && at < n)
            words[at] = tables[PERM_ITEMS + 2 * firsts[64 * group + at]];
        else if (item_bytes == 8 && at < 2 * n)
            words[at] = tables[PERM_ITEMS + 2 * firsts[64 * group + at / 2] + at % 2];
    }
}

/* Makes the prepared groups' units; the block calls it. The first group begins at to + PERM_SHIFT,
   `to` is a multiple of 16. Only the first group's bytes from `first` on and the last one's before
   `last` are stored. */
DEVICE void combgpu_perm_make(GLOBAL const u32 *tables, LOCAL const uint4 *prepared, GLOBAL u8 *to,
                              u32 groups, i32 first, i32 last)
{
    const u32 units = PERM_UNITS, period = PERM_PERIOD, item_bytes = PERM_ITEM_BYTES;
    const u32 bytes = PERM_ORDERS * item_bytes * (u32)PERM_N;
    const i32 shift = (i32)PERM_SHIFT;
    GLOBAL const uint2 *pattern = (GLOBAL const uint2 *)(tables + PERM_PATTERN);
    u32 group = LANE_ID / units, at = LANE_ID % units, phase = at % period, i;
    if (item_bytes == 1 && shift == 0 && first == 0 && last >= (i32)(16 * units)) {
        /* whole groups of whole units: no borders to look for. A warp's stores begin at a line of 128
           bytes: up to 7 lanes begin before the first unit, with an index below 0, which is larger than
           any */
        const u32 back = (u32)(size_t)to / 16 % 8, end = groups * units + back;
        const u32 step = BLOCK_LANES % period;
        GLOBAL uint4 *unit = (GLOBAL uint4 *)to + ((i32)LANE_ID - (i32)back);
        LOCAL const uint4 *row = prepared;
        at = LANE_ID - back;
        phase = (LANE_ID + 8 * period - back) % period;
        for (i = 0; i < end; i += BLOCK_LANES) {
            if (at < units && i + LANE_ID < end) {
                const uint2 words = pattern[at];
                *unit = combgpu_perm_unit(row, 1, words.x, words.y, phase);
            }
            unit += BLOCK_LANES;
            at += BLOCK_LANES;
            phase += step;
            if (phase >= period) phase -= period;
            if (at >= units) { /* a multiple of the period, and more than a block has lanes */
                at -= units;
                row += PERM_PREPARED;
            }
        }
        return;
    }
    while (group < groups) {
        const uint2 words = pattern[at];
        const i32 byte = (i32)(16 * at) - shift; /* of the group */
        const i32 low = group == 0 ? first : 0;
        const i32 high = group == groups - 1 ? last : (i32)bytes;
        GLOBAL u8 *place = to + (u64)group * bytes + 16 * at;
        const uint4 unit = combgpu_perm_unit(prepared + group * PERM_PREPARED, item_bytes, words.x,
                                             words.y, at % period);
        if (byte >= low && byte + 16 <= high)
            *(GLOBAL uint4 *)place = unit;
        else {
            combgpu_perm_store_part(place, byte, low, high, unit.x);
            combgpu_perm_store_part(place + 4, byte + 4, low, high, unit.y);
            combgpu_perm_store_part(place + 8, byte + 8, low, high, unit.z);
            combgpu_perm_store_part(place + 12, byte + 12, low, high, unit.w);
        }
        for (at += BLOCK_LANES; at >= units; at -= units)
            group++;
    }
}

#ifndef COMBGPU_KERNELS_MULTISET /* a program of its own: OpenCL compiles the rest for each visitor */
/* To the area: each block has a task of its own. */
KERNEL_BLOCKS(PERM_WRITE_LANES, 4) combgpu_perm_write(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY uint4 prepared[PERM_PIECE_GROUPS * PERM_PREPARED];
    LOCAL_ARRAY u8 firsts[PERM_PIECE_GROUPS * 64], digits[PERM_PIECE_GROUPS * 32];
    LOCAL_ARRAY u32 shared_word;
    const u32 orders = PERM_ORDERS;
    u64 steps = 0, begin = 0, end = 0;
    if (LANE_ID < PERM_PIECE_GROUPS) firsts[64 * LANE_ID + 63] = 0;
    for (;;) {
        u32 count, groups, place, i;
        if (begin == end) { /* the next task */
            if (LANE_ID == 0)
                shared_word = !combgpu_spent(slice, (u32)steps) ? combgpu_take(slice) : NONE;
            LOCAL_BARRIER();
            i = shared_word;
            LOCAL_BARRIER();
            if (i == NONE) break;
            begin = combgpu_load64(tasks + 4 * i);
            end = combgpu_load64(tasks + 4 * i + 2);
        }
        place = (u32)(begin % orders);
        count = PERM_PIECE_GROUPS * orders - place;
        if (count > end - begin) count = (u32)(end - begin);
        groups = (place + count + orders - 1) / orders;
        if (LANE_ID == 0)
            shared_word = combgpu_spent(slice, (u32)steps)
                              ? NONE
                              : combgpu_perm_reserve(slice, tables, records, begin, count, groups);
        combgpu_perm_prepare(tables, digits, firsts, prepared, begin / orders, groups);
        LOCAL_BARRIER();
        i = shared_word;
        if (i == NONE) {
            if (LANE_ID == 0) combgpu_perm_give(slice, left, begin, end);
            break;
        }
        combgpu_perm_make(tables, prepared, (GLOBAL u8 *)work + (u64)i * 16, groups, 0,
                          (i32)PERM_VECTORS * 16);
        LOCAL_BARRIER(); /* before the next piece's firsts and shared_word */
        steps += count;
        begin += count;
    }
    if (LANE_ID == 0) combgpu_add_total(slice, 0, steps);
}

/* To the caller's memory: all blocks sweep over it together, a piece each, because memory takes one
   moving window, smaller than the L2 cache, faster than a stream for each block. Pieces are numbered
   through all tasks; task_next is set by the block that ends last, and the task in which the numbers
   ended is given back. Lane 0 takes the next number while the block writes.

   Part of memset's speed on an H200, n = 12 and 13:
     streams of 528 blocks 86, 93 %, of 1056 64, 71 %
     a window, 40 registers (792 blocks)                               82, 82 %
     48 registers, 660 blocks of 7 groups (n = 13: 6), 38 MB           94, 96 %
     the same, warps store whole lines (16 bytes off a line costs
     a kernel that does nothing but store 13 %)                        95, 97 %
     the same: 528 blocks, 28, 33, 37 MB             90, 93, 95 %; 93, 96, 96 %
     396 blocks, 24, 33, 40 MB                       86, 94, 95 %; 83, 92, 95 %
     264 blocks, 33 MB                                                 90, 88 %
     streaming stores (st.cs) as well                                  95, 97 % */
#define PERM_WINDOW 38000000u
KERNEL_BLOCKS(PERM_WRITE_LANES, 5) combgpu_perm_write_direct(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY uint4 prepared[PERM_PIECE_GROUPS * PERM_PREPARED];
    LOCAL_ARRAY u8 firsts[PERM_PIECE_GROUPS * 64], digits[PERM_PIECE_GROUPS * 32];
    LOCAL_ARRAY u32 shared_word;
    const u32 orders = PERM_ORDERS, object = PERM_ITEM_BYTES * (u32)PERM_N;
    u32 number = NONE, piece_groups, pieces;
    u64 steps = 0, hash = 0;
    (void)records;
    piece_groups = (PERM_WINDOW / BLOCK_COUNT + orders * object / 2) / (orders * object);
    if (piece_groups > PERM_PIECE_GROUPS) piece_groups = PERM_PIECE_GROUPS;
    if (piece_groups < 1) piece_groups = 1;
    pieces = PERM_TASK_GROUPS / piece_groups + 1;
    if (LANE_ID < PERM_PIECE_GROUPS) firsts[64 * LANE_ID + 63] = 0;
    if (LANE_ID == 0) number = ATOMIC_ADD(&slice->area_next, 1);
    for (;;) {
        u64 begin, end, from, to, group, last;
        if (LANE_ID == 0) shared_word = number;
        LOCAL_BARRIER();
        number = shared_word;
        LOCAL_BARRIER();
        if (number == NONE || number / pieces >= slice->task_count) break;
        begin = combgpu_load64(tasks + 4 * (number / pieces));
        end = combgpu_load64(tasks + 4 * (number / pieces) + 2);
        group = (orders == 720 ? begin / 720 : begin / orders) +
                (u64)(number % pieces) * piece_groups;
        from = group * orders;
        to = from + (u64)piece_groups * orders;
        if (from < begin) from = begin;
        if (to > end) to = end;
        if (from < to) { /* the same for all lanes */
            last = orders == 720 ? (to - 1) / 720 : (to - 1) / orders;
            steps += to - from;
            hash += combgpu_mix(to) - combgpu_mix(from);
        } else
            last = group - 1; /* no groups */
        number = NONE;
        if (LANE_ID == 0 && !combgpu_spent(slice, (u32)steps))
            number = ATOMIC_ADD(&slice->area_next, 1);
        combgpu_perm_prepare(tables, digits, firsts, prepared, group, (u32)(last + 1 - group));
        LOCAL_BARRIER();
        combgpu_perm_make(tables, prepared,
                          (GLOBAL u8 *)work + (i64)PERM_OFFSET +
                              ((i64)(group * orders) - (i64)PERM_FIRST) * (i64)object -
                              (i32)PERM_SHIFT,
                          (u32)(last + 1 - group), (i32)((u32)(from - group * orders) * object),
                          (i32)((u32)(to - last * orders) * object));
    }
    if (LANE_ID != 0) return;
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, 1, steps);
    combgpu_add_total(slice, 2, hash);
    if (ATOMIC_ADD(&slice->blocks_done, 1) == BLOCK_COUNT - 1) { /* the last block */
        u32 next = ATOMIC_ADD(&slice->area_next, 0), task = next / pieces;
        if (task < slice->task_count && next % pieces) {
            u64 begin = combgpu_load64(tasks + 4 * task);
            u64 end = combgpu_load64(tasks + 4 * task + 2);
            u64 from = (begin / orders + (u64)(next % pieces) * piece_groups) * orders;
            if (from < end) combgpu_give_range(slice, left, from < begin ? begin : from, end);
            task++;
        }
        slice->task_next = task;
    }
}
#endif

