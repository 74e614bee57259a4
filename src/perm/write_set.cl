/* WRITE: the block takes a chunk of its range; each lane makes a few members that follow each other, as
   words in local memory, and then the block copies them, 16 bytes a lane. The chunk goes to the caller's
   memory, or to a place in the area that it reserves, with a record.

   A multiset's last six places go through the orders of their *shape*: how often the values occur in
   them, the smallest first. The host has a list of orders for each of the 32 shapes: a nibble for each
   place, an index into the six in ascending order. So a lane unranks the places before them once, and
   then takes an order after another. */
#define SET_DIRECT tables[15]
#define SET_FIRST combgpu_load64(tables + 914)
#define SET_OFFSET combgpu_load64(tables + 916)
#define SET_SHAPES 918 /* word at which the lists begin; 33 words: where each one does */
#define SET_ORDERS 951
#define SET_RECIPROCALS 5634 /* of 1 .. 64: 2^32 / m, rounded up */
#define SET_CHUNK 2880  /* members */
#define SET_STAGE 24576 /* bytes */
#define SET_TAIL 6

/* A stream of bytes into local memory, a word at a time. */
typedef struct combgpu_stream_t {
    u64 bytes;
    u32 filled; /* less than 32 bits */
    LOCAL u32 *to;
} combgpu_stream_t;

DEVICE void combgpu_stream(combgpu_stream_t *stream, u32 word, u32 bits)
{
    stream->bytes |= (u64)word << stream->filled;
    stream->filled += bits;
    if (stream->filled >= 32) {
        *stream->to++ = (u32)stream->bytes;
        stream->bytes >>= 32;
        stream->filled -= 32;
    }
}

/* x / m for x < 2^32, m <= 64. */
DEVICE u32 combgpu_set_divide(GLOBAL const u32 *tables, u32 x, u32 m)
{
    u32 q = m == 1 ? x : (u32)((u64)x * tables[SET_RECIPROCALS + m] >> 32);
    return q - (q * m > x || q * m < q);
}

/* The first places of a multiset's member; the last six in ascending order. Returns the place of the
   member among those that begin so, and in *orders where their list begins. */
DEVICE u32 combgpu_set_multiset_prefix(SET_PARAMETERS, u64 rank, u32 *orders, u32 *count)
{
    const int prefix = SET_LENGTH - SET_TAIL;
    u64 all = SET_COUNT, part = 0;
    u32 shape = 0;
    int i, k, v;
    for (v = 0; v < SET_N; v++)
        at->place[v] = SET_REPEATS[v];
    for (i = 0; i < prefix; i++, all = part) {
        const u32 m = (u32)(SET_LENGTH - i), low = (u32)all;
        const u32 q = all >> 32 ? 0 : combgpu_set_divide(tables, low, m), rest = low - q * m;
        for (v = 0;; v++, rank -= part) {
            const u32 r = at->place[v];
            part = all >> 32 ? combgpu_set_scale(all, r, m)
                             : (u64)q * r + combgpu_set_divide(tables, rest * r, m);
            if (rank < part || v == SET_N - 1) break;
        }
        at->perm[i] = (u8)v;
        at->place[v]--;
    }
    for (v = 0; v < SET_N; v++)
        for (k = at->place[v]; k; k--) {
            if (k == at->place[v] && i > prefix) shape |= 1u << (i - prefix - 1);
            at->perm[i++] = (u8)v;
        }
    *orders = SET_ORDERS + tables[SET_SHAPES + shape];
    *count = tables[SET_SHAPES + shape + 1] - tables[SET_SHAPES + shape];
    return (u32)rank;
}

/* The same for the next first places; the last six are in ascending order before and after. */
DEVICE void combgpu_set_multiset_next(SET_PARAMETERS, u32 *orders, u32 *count)
{
    const int prefix = SET_LENGTH - SET_TAIL;
    u32 shape = 0;
    int i;
    for (i = 0; i < SET_TAIL / 2; i++) {
        u8 x = at->perm[prefix + i];
        at->perm[prefix + i] = at->perm[SET_LENGTH - 1 - i];
        at->perm[SET_LENGTH - 1 - i] = x;
    }
    combgpu_next_permutation(SET_LENGTH, at->perm);
    for (i = 1; i < SET_TAIL; i++)
        if (at->perm[prefix + i] != at->perm[prefix + i - 1]) shape |= 1u << (i - 1);
    *orders = SET_ORDERS + tables[SET_SHAPES + shape];
    *count = tables[SET_SHAPES + shape + 1] - tables[SET_SHAPES + shape];
}

/* Writes `count` members of a multiset from `rank` on to words of local memory. */
DEVICE void combgpu_set_multiset_write(GLOBAL const u32 *tables, u64 rank, u32 count, LOCAL u32 *to)
{
    const u32 prefix = (u32)(SET_LENGTH - SET_TAIL);
    combgpu_member_t member;
    combgpu_stream_t stream;
    u32 words[SET_MOST / 4], orders, in_orders, k, i, low = 0, high = 0;
    u32 order = combgpu_set_multiset_prefix(tables, &member, rank, &orders, &in_orders);
    stream.bytes = 0;
    stream.filled = 0;
    stream.to = to;
    for (k = 0;; k++) {
        if (k == 0 || order == in_orders) { /* other first places */
            if (k) {
                combgpu_set_multiset_next(tables, &member, &orders, &in_orders);
                order = 0;
            }
            for (i = 0; i < prefix; i++)
                words[i / 4] = (i % 4 ? words[i / 4] : 0) | (u32)member.perm[i] << (8 * (i % 4));
            for (low = high = 0, i = 0; i < SET_TAIL; i++)
                if (i < 4)
                    low |= (u32)member.perm[prefix + i] << (8 * i);
                else
                    high |= (u32)member.perm[prefix + i] << (8 * i - 32);
        }
        if (k == count) break;
        {
            const u32 places = tables[orders + order++];
            for (i = 0; i + 4 <= prefix; i += 4)
                combgpu_stream(&stream, words[i / 4], 32);
            if (i < prefix) combgpu_stream(&stream, words[i / 4], 8 * (prefix - i));
            combgpu_stream(&stream, combgpu_perm_choose(low, high, places & 0xffff), 32);
            combgpu_stream(&stream, combgpu_perm_choose(low, high, places >> 16) & 0xffff, 16);
        }
    }
}

/* Members that a lane makes at a time: so many that their bytes are words, if possible an odd number of
   them, which keeps lanes in different banks of local memory. */
DEVICE u32 combgpu_set_portion(u32 length)
{
    const u32 step = length % 4 == 0 ? 1 : length % 2 == 0 ? 2 : 4;
    const u32 steps = SET_STAGE / PERM_LANES / (step * length);
    return steps ? step * (steps - 1 + steps % 2) : step;
}

/* Where a chunk goes in the area; NONE if there is no room. */
DEVICE u32 combgpu_set_reserve(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,
                               GLOBAL u32 *records, u64 begin, u32 count, u32 units)
{
    u32 unit = ATOMIC_ADD(&slice->area_next, units), record;
    if (unit > tables[14] || units > tables[14] - unit) {
        ATOMIC_OR(&slice->stop, STOP_NOW);
        return NONE;
    }
    record = combgpu_emit(slice);
    if (record == NONE) return NONE;
    combgpu_store64(records + 4 * record, begin);
    records[4 * record + 2] = count;
    records[4 * record + 3] = unit;
    return unit;
}

#ifndef COMBGPU_KERNELS_MULTISET
KERNEL combgpu_perm_write_set(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY uint4 stage4[SET_STAGE / 16 + 2];
    LOCAL_ARRAY u32 shared_word;
    LOCAL u32 *stage = (LOCAL u32 *)stage4;
    const u32 length = (u32)SET_LENGTH, portion = combgpu_set_portion(length);
    u32 direct = SET_DIRECT, tails = length >= SET_TAIL ? SET_FAMILY == SET_MULTISET : 0;
    u32 lanes = SET_STAGE / (portion * length);
    u64 begin = 0, end = 0, from = 0, hash = 0, steps = 0;
    if (lanes > BLOCK_LANES) lanes = BLOCK_LANES;
    while (lanes * portion > SET_CHUNK)
        lanes--;
    for (;;) {
        u32 count, bytes, skew, i, j, k, mine = 0;
        GLOBAL u8 *to;
        if (LANE_ID == 0)
            shared_word = combgpu_spent(slice, (u32)steps) ? NONE
                          : begin == end                   ? combgpu_take(slice)
                                                           : 0;
        BLOCK_BARRIER();
        i = shared_word;
        BLOCK_BARRIER();
        if (i == NONE) break;
        if (begin == end) {
            from = begin = combgpu_load64(tasks + 4 * i);
            end = combgpu_load64(tasks + 4 * i + 2);
        }
        count = end - begin < lanes * portion ? (u32)(end - begin) : lanes * portion;
        bytes = count * length;
        if (LANE_ID == 0)
            shared_word = direct ? 0
                                 : combgpu_set_reserve(slice, tables, records, begin, count,
                                                       (bytes + 15) / 16);
        if (LANE_ID * portion < count && LANE_ID < lanes)
            mine = count - LANE_ID * portion < portion ? count - LANE_ID * portion : portion;
        if (mine && tails)
            combgpu_set_multiset_write(tables, begin + LANE_ID * portion,
                                       portion, stage + LANE_ID * (portion * length / 4));
        else if (mine) {
            combgpu_member_t at;
            LOCAL u8 *byte = (LOCAL u8 *)stage + LANE_ID * portion * length;
            combgpu_set_unrank(tables, &at, begin + LANE_ID * portion);
            for (j = 0; j < mine; j++) {
                for (k = 0; k < length; k++)
                    *byte++ = at.perm[k];
                combgpu_set_next(tables, &at);
            }
        }
        BLOCK_BARRIER();
        i = shared_word;
        if (i == NONE) break;
        to = (GLOBAL u8 *)work +
             (direct ? SET_OFFSET + (begin - SET_FIRST) * length : (u64)i * 16);
        skew = direct ? (u32)((SET_OFFSET + (begin - SET_FIRST) * length) & 15) : 0;
        /* 16-byte unit i of the output begins `skew` bytes before byte 16 i of the stage */
        for (i = LANE_ID; 16 * i < bytes + skew; i += BLOCK_LANES) {
            GLOBAL u8 *place = to + 16 * i - skew;
            const u32 word = 4 * i - (skew + 3) / 4, shift = 8 * ((0 - skew) & 3);
            if (16 * i >= skew && 16 * i + 16 - skew <= bytes) {
                uint4 x;
                x.x = stage[word];
                x.y = stage[word + 1];
                x.z = stage[word + 2];
                x.w = stage[word + 3];
                if (shift) {
                    const u32 last = stage[word + 4];
                    x.x = x.x >> shift | x.y << (32 - shift);
                    x.y = x.y >> shift | x.z << (32 - shift);
                    x.z = x.z >> shift | x.w << (32 - shift);
                    x.w = x.w >> shift | last << (32 - shift);
                }
                *(GLOBAL uint4 *)place = x;
            } else
                for (j = 0; j < 16; j++)
                    if (16 * i + j >= skew && 16 * i + j - skew < bytes)
                        place[j] = ((LOCAL u8 *)stage)[16 * i + j - skew];
        }
        BLOCK_BARRIER(); /* before the next chunk's members and shared_word */
        steps += count;
        begin += count;
        if (begin == end) hash += combgpu_mix(end) - combgpu_mix(from);
    }
    if (LANE_ID != 0) return;
    if (begin != end) hash += combgpu_mix(begin) - combgpu_mix(from);
    combgpu_perm_give(slice, left, begin, end);
    combgpu_add_total(slice, 0, steps);
    if (direct) combgpu_add_total(slice, 1, steps);
    if (direct) combgpu_add_total(slice, 2, hash);
}

#endif

