/* Writes the members of a set to the caller's device memory. The block takes a chunk of its range:
   each lane makes a few consecutive members as words in local memory, and the block copies them, 16
   bytes a lane.

   A multiset's last six positions run through the orders of their *shape*: how often each value
   occurs in them, the smallest first. For each of the 32 shapes the host has a list of orders, with
   a nibble for each position: an index into the six in ascending order. So a lane unranks the
   positions before them once, and then takes order after order. */
#define COMBGPU__SET_FIRST combgpu_load64(tables + COMBGPU__SET_AT_RANK)
#define COMBGPU__SET_OFFSET combgpu_load64(tables + COMBGPU__SET_AT_OFFSET)
#define COMBGPU__SET_CHUNK 2880  /* members */
#define COMBGPU__SET_STAGE 24576 /* bytes */

/* A stream of bytes into local memory, a word at a time. */
typedef struct combgpu_set_stream_t {
    uint64_t bytes;
    uint32_t filled; /* less than 32 bits */
    COMBGPU__LOCAL uint32_t *to;
} combgpu_set_stream_t;

COMBGPU__DEVICE void combgpu_set_stream(combgpu_set_stream_t *stream, uint32_t word, uint32_t bits)
{
    stream->bytes |= (uint64_t)word << stream->filled;
    stream->filled += bits;
    if (stream->filled >= 32) {
        *stream->to++ = (uint32_t)stream->bytes;
        stream->bytes >>= 32;
        stream->filled -= 32;
    }
}

/* x / m for x < 2^32, m <= 64. */
COMBGPU__DEVICE uint32_t combgpu_set_divide(COMBGPU__GLOBAL const uint32_t *tables, uint32_t x,
                                            uint32_t m)
{
    uint32_t q =
        m == 1 ? x : (uint32_t)((uint64_t)x * tables[COMBGPU__SET_AT_RECIPROCALS + m] >> 32);
    return q - (q * m > x || q * m < q);
}

/* Makes the first positions of a multiset's member, and the last six in ascending order. Returns
   the member's index among those with these first positions; *orders is where their list begins. */
COMBGPU__DEVICE uint32_t combgpu_set_multiset_prefix(COMBGPU__SET_PARAMETERS, uint64_t rank,
                                                     uint32_t *orders, uint32_t *count)
{
    const int prefix = COMBGPU__SET_LENGTH - COMBGPU__PERM_PLACES;
    uint64_t all = COMBGPU__SET_COUNT, part = 0;
    uint32_t shape = 0;
    int i, k, v;
    for (v = 0; v < COMBGPU__SET_N; v++)
        at->place[v] = COMBGPU__SET_REPEATS[v];
    for (i = 0; i < prefix; i++, all = part) {
        const uint32_t m = (uint32_t)(COMBGPU__SET_LENGTH - i), low = (uint32_t)all;
        const uint32_t q = all >> 32 ? 0 : combgpu_set_divide(tables, low, m), rest = low - q * m;
        for (v = 0;; v++, rank -= part) {
            const uint32_t r = at->place[v];
            part = all >> 32 ? combgpu_set_scale(all, r, m)
                             : (uint64_t)q * r + combgpu_set_divide(tables, rest * r, m);
            if (rank < part || v == COMBGPU__SET_N - 1) break;
        }
        at->perm[i] = (uint8_t)v;
        at->place[v]--;
    }
    for (v = 0; v < COMBGPU__SET_N; v++)
        for (k = at->place[v]; k; k--) {
            if (k == at->place[v] && i > prefix) shape |= 1u << (i - prefix - 1);
            at->perm[i++] = (uint8_t)v;
        }
    *orders = COMBGPU__SET_AT_ORDERS + tables[COMBGPU__SET_AT_SHAPES + shape];
    *count = tables[COMBGPU__SET_AT_SHAPES + shape + 1] - tables[COMBGPU__SET_AT_SHAPES + shape];
    return (uint32_t)rank;
}

/* Moves to the next first positions; the last six are in ascending order before and after. */
COMBGPU__DEVICE void combgpu_set_multiset_next(COMBGPU__SET_PARAMETERS, uint32_t *orders,
                                               uint32_t *count)
{
    const int prefix = COMBGPU__SET_LENGTH - COMBGPU__PERM_PLACES;
    uint32_t shape = 0;
    int i;
    for (i = 0; i < COMBGPU__PERM_PLACES / 2; i++) {
        uint8_t x = at->perm[prefix + i];
        at->perm[prefix + i] = at->perm[COMBGPU__SET_LENGTH - 1 - i];
        at->perm[COMBGPU__SET_LENGTH - 1 - i] = x;
    }
    combgpu_next_permutation(COMBGPU__SET_LENGTH, at->perm);
    for (i = 1; i < COMBGPU__PERM_PLACES; i++)
        if (at->perm[prefix + i] != at->perm[prefix + i - 1]) shape |= 1u << (i - 1);
    *orders = COMBGPU__SET_AT_ORDERS + tables[COMBGPU__SET_AT_SHAPES + shape];
    *count = tables[COMBGPU__SET_AT_SHAPES + shape + 1] - tables[COMBGPU__SET_AT_SHAPES + shape];
}

/* Writes `count` members of a multiset from `rank` on to words of local memory. */
COMBGPU__DEVICE void combgpu_set_multiset_write(COMBGPU__GLOBAL const uint32_t *tables,
                                                uint64_t rank, uint32_t count,
                                                COMBGPU__LOCAL uint32_t *to)
{
    const uint32_t prefix = (uint32_t)(COMBGPU__SET_LENGTH - COMBGPU__PERM_PLACES);
    combgpu_set_member_t member;
    combgpu_set_stream_t stream;
    uint32_t words[COMBGPU__PERM_MOST / 4], orders, in_orders, k, i, low = 0, high = 0;
    uint32_t order = combgpu_set_multiset_prefix(tables, &member, rank, &orders, &in_orders);
    stream.bytes = 0;
    stream.filled = 0;
    stream.to = to;
    for (k = 0;; k++) {
        if (k == 0 || order == in_orders) { /* new first positions */
            if (k) {
                combgpu_set_multiset_next(tables, &member, &orders, &in_orders);
                order = 0;
            }
            for (i = 0; i < prefix; i++)
                words[i / 4] = (i % 4 ? words[i / 4] : 0) | (uint32_t)member.perm[i]
                                                                << (8 * (i % 4));
            for (low = high = 0, i = 0; i < COMBGPU__PERM_PLACES; i++)
                if (i < 4)
                    low |= (uint32_t)member.perm[prefix + i] << (8 * i);
                else
                    high |= (uint32_t)member.perm[prefix + i] << (8 * i - 32);
        }
        if (k == count) break;
        {
            const uint32_t places = tables[orders + order++];
            for (i = 0; i + 4 <= prefix; i += 4)
                combgpu_set_stream(&stream, words[i / 4], 32);
            if (i < prefix) combgpu_set_stream(&stream, words[i / 4], 8 * (prefix - i));
            combgpu_set_stream(&stream, combgpu_perm_choose(low, high, places & 0xffff), 32);
            combgpu_set_stream(&stream, combgpu_perm_choose(low, high, places >> 16) & 0xffff, 16);
        }
    }
}

/* Members that a lane makes at a time: their bytes fill whole words, if possible an odd number,
   which keeps lanes in different banks of local memory. */
COMBGPU__DEVICE uint32_t combgpu_set_portion(uint32_t length)
{
    const uint32_t step = length % 4 == 0 ? 1 : length % 2 == 0 ? 2 : 4;
    const uint32_t steps = COMBGPU__SET_STAGE / COMBGPU__VISIT_LANES / (step * length);
    return steps ? step * (steps - 1 + steps % 2) : step;
}

#ifndef COMBGPU_KERNELS_MULTISET
/* Makes `count` members from `rank` on in local memory. */
COMBGPU__DEVICE void combgpu_set_make(COMBGPU__GLOBAL const uint32_t *tables, uint64_t rank,
                                      uint32_t count, COMBGPU__LOCAL uint8_t *to)
{
    const uint32_t length = (uint32_t)COMBGPU__SET_LENGTH;
    combgpu_set_member_t member;
    uint32_t i, j;
    combgpu_set_unrank(tables, &member, rank);
    for (i = 0; i < count; i++) {
        for (j = 0; j < length; j++)
            *to++ = member.perm[j];
        combgpu_set_next(tables, &member);
    }
}

/* Copies `bytes` bytes of the stage to work + at; the block calls it. 16-byte unit i of the output is
   byte 16 i - skew of the stage. */
COMBGPU__DEVICE void combgpu_set_copy(COMBGPU__GLOBAL uint32_t *work, uint64_t at,
                                      COMBGPU__LOCAL const uint32_t *stage, uint32_t bytes)
{
    COMBGPU__GLOBAL uint8_t *to = (COMBGPU__GLOBAL uint8_t *)work + at;
    const uint32_t skew = (uint32_t)(at & 15);
    uint32_t i, j;
    for (i = COMBGPU__LANE_ID; 16 * i < bytes + skew; i += COMBGPU__BLOCK_LANES) {
        COMBGPU__GLOBAL uint8_t *place = to + 16 * i - skew;
        const uint32_t word = 4 * i - (skew + 3) / 4, shift = 8 * ((0 - skew) & 3);
        if (16 * i >= skew && 16 * i + 16 - skew <= bytes) {
            uint4 x;
            x.x = stage[word];
            x.y = stage[word + 1];
            x.z = stage[word + 2];
            x.w = stage[word + 3];
            if (shift) {
                const uint32_t last = stage[word + 4];
                x.x = x.x >> shift | x.y << (32 - shift);
                x.y = x.y >> shift | x.z << (32 - shift);
                x.z = x.z >> shift | x.w << (32 - shift);
                x.w = x.w >> shift | last << (32 - shift);
            }
            *(COMBGPU__GLOBAL uint4 *)place = x;
        } else
            for (j = 0; j < 16; j++)
                if (16 * i + j >= skew && 16 * i + j - skew < bytes)
                    place[j] = ((COMBGPU__LOCAL const uint8_t *)stage)[16 * i + j - skew];
    }
}

COMBGPU__KERNEL combgpu_perm_write_set(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint4 stage4[COMBGPU__SET_STAGE / 16 + 2];
    COMBGPU__LOCAL_ARRAY uint32_t decision;
    COMBGPU__LOCAL uint32_t *stage = (COMBGPU__LOCAL uint32_t *)stage4;
    const uint32_t length = (uint32_t)COMBGPU__SET_LENGTH, portion = combgpu_set_portion(length);
    const uint32_t tails =
        length >= COMBGPU__PERM_PLACES && COMBGPU__SET_FAMILY == COMBGPU__SET_MULTISET;
    const uint32_t first = COMBGPU__LANE_ID * portion; /* the lane's first member of the chunk */
    uint32_t lanes = COMBGPU__SET_STAGE / (portion * length);
    uint64_t hash = 0;
    combgpu_perm_range_t range;
    (void)records;
    range.begin = range.end = range.steps = 0;
    if (lanes > COMBGPU__BLOCK_LANES) lanes = COMBGPU__BLOCK_LANES;
    while (lanes * portion > COMBGPU__SET_CHUNK)
        lanes--;
    while (combgpu_perm_go_on(slice, tasks, &decision, &range)) {
        const uint64_t rest = range.end - range.begin;
        const uint32_t count = rest < lanes * portion ? (uint32_t)rest : lanes * portion;
        if (first < count && COMBGPU__LANE_ID < lanes) {
            if (tails)
                combgpu_set_multiset_write(tables, range.begin + first, portion,
                                           stage + COMBGPU__LANE_ID * (portion * length / 4));
            else
                combgpu_set_make(tables, range.begin + first,
                                 count - first < portion ? count - first : portion,
                                 (COMBGPU__LOCAL uint8_t *)stage + first * length);
        }
        COMBGPU__BLOCK_BARRIER();
        combgpu_set_copy(work, COMBGPU__SET_OFFSET + (range.begin - COMBGPU__SET_FIRST) * length,
                         stage, count * length);
        COMBGPU__BLOCK_BARRIER(); /* before the next chunk's members and decision */
        range.steps += count;
        range.begin += count;
        if (range.begin == range.end) hash += combgpu_mix(range.end) - combgpu_mix(range.from);
    }
    if (COMBGPU__LANE_ID != 0) return;
    if (range.begin != range.end) hash += combgpu_mix(range.begin) - combgpu_mix(range.from);
    combgpu_perm_give(slice, left, range.begin, range.end);
    combgpu_add_total(slice, 0, range.steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_DONE, range.steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_HASH, hash);
}

#endif
