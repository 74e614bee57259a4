#ifdef COMBGPU_SHUFFLE
/* A ring's filling as t1 t3 b1 b3, places of 4 bits, from its set. */
DEVICE u32 combgpu_magic_corners(LOCAL const combgpu_magic_ring_t *r, u32 unused, u32 way, u32 set,
                                 u32 filling)
{
    u32 x = filling & 15, z = (filling >> 6) & 15, c = 31 - (filling >> 10), d, t;
    /* the sides have the corners twice */
    d = r->sums[way & 15] + r->sums[(way >> 4) & 15] + r->sums[(way >> 8) & 15] +
        r->sums[(way >> 12) & 15] - POPCOUNT(set & 0xaaaaaaaau) - 2 * POPCOUNT(set & 0xccccccccu) -
        4 * POPCOUNT(set & 0xf0f0f0f0u) - 8 * POPCOUNT(set & 0xff00ff00u) -
        16 * POPCOUNT(set & 0xffff0000u) - c - r->number[x] - r->number[z];
    if (filling & 32) t = c, c = d, d = t;
    return POPCOUNT(unused & ((1u << c) - 1)) << 12 | x << 8 | z << 4 |
           POPCOUNT(unused & ((1u << d) - 1));
}

/* Finds the squares of a way with these numbers in t1; 0 = no room. */
DEVICE u32 combgpu_magic_ring_finds(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r,
                                    LOCAL combgpu_magic_finds_t *f, u32 unused, u32 way, u32 t1)
{
    LOCAL u64 *zeroed = (LOCAL u64 *)r->slots;
    u32 i;
    if (GROUP_LANE == 0) f->count = 0;
    for (i = GROUP_LANE; i < MAGIC_SLOTS / 2; i += 32)
        zeroed[i] = 0;
    combgpu_magic_ring_corners(GROUP, r, way);
    CREW_BARRIER();
    i = combgpu_magic_ring_join(GROUP, r, unused, 0, t1, 0, 1, f);
    if (GROUP_ANY(i)) return 0;
    combgpu_magic_ring_corners(GROUP, r, way >> 16);
    CREW_BARRIER();
    (void)combgpu_magic_ring_join(GROUP, r, unused, 1, t1, 0, 1, f);
    return f->count <= MAGIC_FOUND;
}

KERNEL_BLOCKS(32 * MAGIC_GROUPS, MAGIC_RING_LIST_BLOCKS) combgpu_magic_lists(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY combgpu_magic_ring_t rings[MAGIC_GROUPS];
    LOCAL_ARRAY combgpu_magic_finds_t finds[MAGIC_GROUPS];
    LOCAL_ARRAY u8 map[32 * 25], numbers[16 * MAGIC_GROUPS];
    LOCAL combgpu_magic_ring_t *r = &rings[LANE_ID / 32];
    LOCAL combgpu_magic_finds_t *f = &finds[LANE_ID / 32];
    /* once the squares are found: their codes, these in order, images, squares */
    LOCAL u32 *codes = (LOCAL u32 *)f->filling, *ordered = r->slots;
    LOCAL u32 *turned = ordered + MAGIC_FOUND;
    LOCAL u8 *squares = (LOCAL u8 *)(turned + 256);
    combgpu_magic_join_t j;
    combgpu_magic_lister_t lister;
    GLOBAL u8 *out = (GLOBAL u8 *)work + (MAGIC_PARAMETER(4) | (u64)MAGIC_PARAMETER(5) << 32);
    u64 hash = 0;
    u32 i, k, busy = 0, all = 0, first = MAGIC_PARAMETER(2), most = MAGIC_PARAMETER(3);
    GROUP_BEGIN(32);
    j.sums = r->sums, j.number = numbers + LANE_ID / 32 * 16;
    lister.next = lister.end = lister.steps = lister.full = 0;
    for (i = LANE_ID; i < 32 * 25; i += BLOCK_LANES)
        map[i] = (u8)combgpu_magic_cell(i / 200, i / 25 % 8, i % 25);
    LOCAL_BARRIER();
    for (;;) {
        GLOBAL const u32 *pair;
        u32 number = NONE, w, images, from, offset, unused;
        if (GROUP_LANE == 0 && GROUP_INDEX < slice->workers)
            number = combgpu_magic_list_next(&lister, slice, tables, tasks, left, records, all, busy);
        number = GROUP_FROM(number, 0);
        if (number == NONE) break;
        busy = 1, all = 0;
        pair = tables + 294 + 2 * number;
        from = combgpu_magic_from(pair, tables);
        images = combgpu_magic_images(pair, tables, from);
        offset = MAGIC_OFFSET(number);
        unused = combgpu_magic_ring_pair(GROUP, r, pair);
        CREW_BARRIER();
        if (GROUP_LANE < 16) numbers[LANE_ID / 32 * 16 + GROUP_LANE] = (u8)r->number[GROUP_LANE];
        for (w = 0; w < MAGIC_WAYS; w++) {
            u32 way = tables[258 + w], t1 = unused;
            do { /* all squares at once, or by t1 one after the other */
                u32 count, chunk, chunks = 256 / images < MAGIC_CHUNK ? 256 / images : MAGIC_CHUNK;
                if (!combgpu_magic_ring_finds(GROUP, r, f, unused, way, t1) && t1 == unused) {
                    t1 &= 0u - t1;
                    CREW_BARRIER();
                    continue;
                }
                count = f->count;
                all += count;
                for (i = GROUP_LANE; i < count; i += 32) {
                    u32 key = f->key[i], find = f->find[i];
                    codes[i] = combgpu_magic_corners(r, unused, way, key, find & 0xffff) << 16 |
                               combgpu_magic_corners(r, unused, way >> 16, unused ^ key, find >> 16);
                }
                CREW_BARRIER();
                for (i = GROUP_LANE; i < count; i += 32) {
                    u32 code = codes[i], before = 0;
                    for (k = 0; k < count; k++)
                        before += codes[k] < code;
                    ordered[before] = code;
                }
                CREW_BARRIER();
                for (chunk = 0; chunk < count && MAGIC_GOAL != 2; chunk += chunks) {
                    u32 n = count - chunk < chunks ? count - chunk : chunks, at, bytes, aside;
                    GLOBAL u8 *to;
                    for (i = GROUP_LANE; i < n; i += 32)
                        combgpu_magic_square(&j, pair, way, ordered[chunk + i], squares + 25 * i);
                    CREW_BARRIER();
                    n *= images;
                    for (i = GROUP_LANE; i < n; i += 32) {
                        u32 image = i % images, complement, of = 25 * (i / images), turn = image & 7;
                        if (!MAGIC_FRENICLE) image >>= 3;
                        complement = from | image >> 2;
                        image = 200 * (image & 3);
                        if (MAGIC_FRENICLE)
                            turn = combgpu_magic_frenicle(squares + of, map + image, complement);
                        image += 25 * turn;
                        turned[i] = of | image << 11 | complement << 31;
                        if (MAGIC_FRENICLE && MAGIC_GOAL == 0)
                            hash += combgpu_magic_fnv(squares + of, map + image, complement);
                    }
                    CREW_BARRIER();
                    at = offset + chunk * images - first;
                    to = out + (u64)(at + first) * 25 - (u64)first * 25; /* or before the range */
                    aside = (u32)(u64)to & 3;
                    bytes = MAGIC_GOAL == 1 ? 25 * n : 0;
                    for (i = 4 * GROUP_LANE; i < bytes + aside; i += 128) {
                        u32 word = 0, write = 0;
                        for (k = 0; k < 4; k++) {
                            u32 byte = i + k - aside, image = byte / 25, turn, value;
                            if (byte >= bytes || at + image >= most) continue;
                            turn = turned[image];
                            value = squares[(turn & 0x7ff) +
                                            map[((turn >> 11) & 0x3ff) + byte - 25 * image]];
                            if (turn >> 31) value = 26 - value;
                            word |= value << (8 * k), write |= 1u << k;
                        }
                        if (write == 15)
                            *(GLOBAL u32 *)(to + i - aside) = word;
                        else
                            for (k = 0; k < 4; k++)
                                if ((write >> k) & 1) to[i + k - aside] = (u8)(word >> (8 * k));
                    }
                    CREW_BARRIER();
                }
                offset += count * images;
                t1 = t1 == unused ? 0 : unused & ~(t1 | (t1 - 1));
                t1 &= 0u - t1;
                CREW_BARRIER();
            } while (t1);
        }
    }
    if (GROUP_LANE == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, hash);
}
#else
KERNEL_BLOCKS(256, MAGIC_LIST_BLOCKS) combgpu_magic_lists(SLICE_ARGUMENTS)
{
    /* pool: both rings' items and the marks; then sets of the finds, squares as they are found, squares
       in order */
    LOCAL_ARRAY u32 pool[MAGIC_ITEMS + 2 * MAGIC_MARKS], rank[256], sums[16];
    LOCAL_ARRAY u32
        shared[8]; /* pair, its squares, items of both rings, finds of 2 and 1, squares */
    LOCAL_ARRAY u16 path[4096], corner[256], bit[32], others[512], found[2 * MAGIC_FINDS];
    LOCAL_ARRAY u8 numbers[16], map[32 * 25], squares[MAGIC_CHUNK * 25], turn[MAGIC_CHUNK * 8];
    LOCAL u16 *sets = (LOCAL u16 *)pool;
    LOCAL u32 *codes = pool + MAGIC_FINDS, *ordered = pool;
    combgpu_magic_join_t j;
    combgpu_magic_lister_t lister;
    GLOBAL u8 *out = (GLOBAL u8 *)work + (MAGIC_PARAMETER(4) | (u64)MAGIC_PARAMETER(5) << 32);
    u64 hash = 0;
    u32 i, k, busy = 0, first = MAGIC_PARAMETER(2);
    j.rank = rank, j.sums = sums, j.path = path, j.corner = corner, j.bit = bit, j.number = numbers;
    j.items = (LOCAL u16 *)pool, j.others = others, j.found = found, j.shared = shared;
    j.marks = pool + MAGIC_ITEMS, j.counts = pool;
    lister.next = lister.end = lister.steps = lister.full = 0;
    for (i = LANE_ID; i < 256; i += BLOCK_LANES)
        rank[i] = tables[2 + i];
    for (i = LANE_ID; i < 32 * 25; i += BLOCK_LANES)
        map[i] = (u8)combgpu_magic_cell(i / 200, i / 25 % 8, i % 25);
    for (;;) {
        GLOBAL const u32 *pair;
        u32 number, w, images, from, offset;
        if (LANE_ID == 0) {
            number = combgpu_magic_list_next(&lister, slice, tables, tasks, left, records,
                                             shared[1], busy);
            shared[0] = number;
            shared[1] = 0;
        }
        LOCAL_BARRIER();
        number = shared[0];
        if (number == NONE) break;
        busy = 1;
        pair = tables + 294 + 2 * number;
        from = combgpu_magic_from(pair, tables);
        images = combgpu_magic_images(pair, tables, from);
        offset = MAGIC_OFFSET(number);
        combgpu_magic_pair_numbers(&j, pair);
        LOCAL_BARRIER();
        combgpu_magic_pair_paths(&j);
        for (w = 0; w < MAGIC_WAYS; w++) {
            u32 way = tables[258 + w], count, chunk;
            for (i = LANE_ID; i < 2 * MAGIC_MARKS; i += BLOCK_LANES)
                j.marks[i] = 0;
            for (i = LANE_ID; i < 6; i += BLOCK_LANES)
                shared[2 + i] = 0;
            LOCAL_BARRIER();
            combgpu_magic_ring_items(&j, way, &shared[2]);
            j.items += MAGIC_ITEMS, j.others += 256;
            combgpu_magic_ring_items(&j, way >> 16, &shared[3]);
            LOCAL_BARRIER();
            j.items -= MAGIC_ITEMS, j.others -= 256;
            combgpu_magic_ring_fill(&j, way, shared[2], 3);
            LOCAL_BARRIER();
            j.items += MAGIC_ITEMS, j.others += 256;
            combgpu_magic_ring_fill(&j, way >> 16, shared[3], 4);
            LOCAL_BARRIER();
            j.items -= MAGIC_ITEMS, j.others -= 256;
            combgpu_magic_ring_fill(&j, way, shared[4] ? shared[2] : 0, 5);
            LOCAL_BARRIER();
            for (i = LANE_ID; i < shared[4] + shared[5]; i += BLOCK_LANES) {
                u32 at = i < shared[4] ? i : MAGIC_FINDS + i - shared[4], code = found[at];
                sets[at] = (u16)combgpu_magic_set(&j, i < shared[4] ? way >> 16 : way, code >> 12,
                                                  (code >> 8) & 15, (code >> 4) & 15, code & 15);
            }
            LOCAL_BARRIER();
            for (i = LANE_ID; i < shared[4] * shared[5]; i += BLOCK_LANES) {
                u32 two = i % shared[4], one = MAGIC_FINDS + i / shared[4];
                if ((sets[two] ^ sets[one]) != 0xffff) continue;
                codes[LOCAL_ATOMIC_ADD(&shared[6], 1)] = (u32)found[one] << 16 | found[two];
            }
            LOCAL_BARRIER();
            count = shared[6];
            for (i = LANE_ID; i < count; i += BLOCK_LANES) {
                u32 code = codes[i], before = 0;
                for (k = 0; k < count; k++)
                    before += codes[k] < code;
                ordered[before] = code;
            }
            if (LANE_ID == 0) shared[1] += count;
            LOCAL_BARRIER();
            for (chunk = 0; chunk < count && MAGIC_GOAL != 2; chunk += MAGIC_CHUNK) {
                u32 n = count - chunk < MAGIC_CHUNK ? count - chunk : MAGIC_CHUNK, bytes;
                for (i = LANE_ID; i < n; i += BLOCK_LANES)
                    combgpu_magic_square(&j, pair, way, ordered[chunk + i], squares + 25 * i);
                LOCAL_BARRIER();
                bytes = MAGIC_FRENICLE ? n * images : 0;
                for (i = LANE_ID; i < bytes; i += BLOCK_LANES) {
                    u32 image = i % images, complement = from | image >> 2;
                    LOCAL const u8 *of = squares + 25 * (i / images), *to = map + 200 * (image & 3);
                    u32 g = combgpu_magic_frenicle(of, to, complement);
                    turn[i] = (u8)g;
                    if (MAGIC_GOAL == 0) hash += combgpu_magic_fnv(of, to + 25 * g, complement);
                }
                LOCAL_BARRIER();
                bytes = MAGIC_GOAL == 1 ? 25 * n * images : 0;
                for (i = LANE_ID; i < bytes; i += BLOCK_LANES) {
                    u32 square = i / 25, image = square % images, g, value;
                    u32 at = offset + (chunk * images + square);
                    if (at - first >= MAGIC_PARAMETER(3)) continue; /* before or behind the range */
                    g = MAGIC_FRENICLE ? turn[square] : image & 7;
                    if (!MAGIC_FRENICLE) image >>= 3;
                    value =
                        squares[25 * (square / images) + map[200 * (image & 3) + 25 * g + i % 25]];
                    if (from | image >> 2) value = 26 - value;
                    out[(u64)(at - first) * 25 + i % 25] = (u8)value;
                }
                LOCAL_BARRIER();
            }
            offset += count * images;
        }
    }
    if (LANE_ID == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, hash);
}
#endif
#undef MAGIC_GOAL
#undef MAGIC_CENTRE
#undef MAGIC_FRENICLE
#undef MAGIC_OFFSET
#undef MAGIC_PARAMETER

/* Order 4 (combgpu.h, SECTION 20): a lane takes pairs of diagonals. Numbers as sets have bit v for
   number v. */
DEVICE u32 combgpu_magic_nibble(u32 x, u32 i)
{
    return (x >> (5 * i)) & 31;
}

/* The set of the ring p q / r s with p + q = top, p + r = left, q + s = right; 0 if it cannot be. */
DEVICE u32 combgpu_magic_ring4(u32 unused, u32 p, i32 top, i32 left, i32 right)
{
    u32 q = (u32)top - p, r = (u32)left - p, s = (u32)right - q, set;
    if (q > 16 || r > 16 || s > 16) return 0; /* negative ones are large */
    set = 1u << p | 1u << q | 1u << r | 1u << s;
    return (set & ~unused) || POPCOUNT(set) != 4 ? 0 : set;
}

/* How many squares a pair of diagonals has. */
DEVICE u32 combgpu_magic_four_count(GLOBAL const u32 *ways, u32 a, u32 b)
{
    u32 unused = 0x1fffe, i, way, p, x, count = 0;
    for (i = 0; i < 4; i++)
        unused &= ~(1u << combgpu_magic_nibble(a, i) | 1u << combgpu_magic_nibble(b, i));
    for (i = 0; i < 36; i++) {
        u32 a00, a03, a30, a33, a11, a12, a21, a22, set;
        way = ways[i];
        a00 = combgpu_magic_nibble(a, (way >> 2) & 3), a03 = combgpu_magic_nibble(b, way & 3);
        a33 = combgpu_magic_nibble(a, (way >> 6) & 3),
        a30 = combgpu_magic_nibble(b, (way >> 4) & 3);
        if (a00 + a03 + a30 + a33 != 34) continue; /* as two rows less two columns say */
        a11 = combgpu_magic_nibble(a, (way >> 10) & 3);
        a21 = combgpu_magic_nibble(b, (way >> 8) & 3);
        a22 = combgpu_magic_nibble(a, (way >> 14) & 3);
        a12 = combgpu_magic_nibble(b, (way >> 12) & 3);
        for (p = unused; p; p &= p - 1) {
            set = combgpu_magic_ring4(unused, CTZ(p), 34 - (i32)(a00 + a03), 34 - (i32)(a11 + a21),
                                      34 - (i32)(a12 + a22));
            for (x = set ? unused & ~set : 0; x; x &= x - 1)
                if (combgpu_magic_ring4(unused & ~set, CTZ(x), 34 - (i32)(a11 + a12),
                                        34 - (i32)(a00 + a30), 34 - (i32)(a03 + a33)))
                    count++;
        }
    }
    return count;
}

KERNEL combgpu_magic_four(SLICE_ARGUMENTS)
{
    u32 steps = 0, task, at, pair, count;
    (void)work;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    while (!combgpu_spent(slice, steps) && (task = combgpu_take(slice)) != NONE) {
        pair = tasks[4 * task];
        count = combgpu_magic_four_count(tables + 1, tables[37 + 2 * pair], tables[38 + 2 * pair]);
        at = count ? combgpu_emit(slice) : 0;
        if (at == NONE) {
            combgpu_give_range(slice, left, pair, pair + 1);
            break;
        }
        if (count) {
            records[2 * at] = pair;
            records[2 * at + 1] = count;
        }
        steps++;
    }
    if (steps) combgpu_add_total(slice, 0, steps);
}

/* Semi-magic squares of order 5 (combgpu.h, SECTION 20): a lane takes units. Columns that go through
   a number of row 0 are words with the 20 places of the other rows, 5 bits a row, so that two of
   them are disjoint if they have no bit in common. */
typedef struct combgpu_magic_semi_t {
    u32 rows[5], count[4];
    u32 columns[4][64]; /* at most 59 */
    u64 free2[64], free3[64],
        last[64]; /* columns 2 and 3 that are disjoint from a column 1; columns 3
                                           that are from a column 2 */
} combgpu_magic_semi_t;

/* The number at a place of a row, a set. */
DEVICE u32 combgpu_magic_nth(u32 set, u32 n)
{
    for (; n; n--)
        set &= set - 1;
    return CTZ(set);
}

DEVICE void combgpu_magic_semi_columns(combgpu_magic_semi_t *m)
{
    u32 numbers[4], c, i, k, n; /* 5 bits a number */
    for (c = 0; c < 4; c++) {
        numbers[c] = 0;
        for (i = 0, k = m->rows[c]; i < 5; i++, k &= k - 1)
            numbers[c] |= CTZ(k) << (5 * i);
    }
    for (c = 0; c < 4; c++) {
        u32 first = combgpu_magic_nibble(numbers[0], c);
        for (n = i = 0; i < 25; i++) {
            u32 two = first + combgpu_magic_nibble(numbers[1], i / 5) +
                      combgpu_magic_nibble(numbers[2], i % 5);
            for (k = 0; k < 5; k++) {
                u32 rest = 65 - two - combgpu_magic_nibble(numbers[3], k);
                if (rest > 25 || !((m->rows[4] >> rest) & 1)) continue;
                m->columns[c][n++ & 63] = 1u << (i / 5) | 32u << (i % 5) | 1024u << k |
                                          32768u << POPCOUNT(m->rows[4] & ((1u << rest) - 1));
            }
        }
        m->count[c] = n;
    }
}

/* Bit i: column i of a group is disjoint from `column`. */
DEVICE u64 combgpu_magic_disjoint(const u32 *columns, u32 count, u32 column)
{
    u64 set = 0;
    u32 i;
    for (i = 0; i < count; i++)
        set |= (u64)(columns[i] & column ? 0 : 1) << i;
    return set;
}

DEVICE u32 combgpu_magic_semi_partition(combgpu_magic_semi_t *m)
{
    u32 i, k, sum = 0;
    combgpu_magic_semi_columns(m);
    for (i = 0; i < m->count[1]; i++) {
        m->free2[i] = combgpu_magic_disjoint(m->columns[2], m->count[2], m->columns[1][i]);
        m->free3[i] = combgpu_magic_disjoint(m->columns[3], m->count[3], m->columns[1][i]);
    }
    for (i = 0; i < m->count[2]; i++)
        m->last[i] = combgpu_magic_disjoint(m->columns[3], m->count[3], m->columns[2][i]);
    for (i = 0; i < m->count[0]; i++) {
        u32 column = m->columns[0][i];
        u64 may2 = combgpu_magic_disjoint(m->columns[2], m->count[2], column);
        u64 may3 = combgpu_magic_disjoint(m->columns[3], m->count[3], column);
        for (k = 0; k < m->count[1]; k++) {
            u64 two = may2 & m->free2[k], three = may3 & m->free3[k];
            if ((column & m->columns[1][k]) || !three) continue;
            for (; two; two &= two - 1) {
                u64 ends = three & m->last[(u32)two ? CTZ((u32)two) : 32 + CTZ((u32)(two >> 32))];
                sum += combgpu_popcount64(ends);
            }
        }
    }
    return sum;
}

/* 0, 1 or 2 for a partition, as in combgpu.h. */
DEVICE u32 combgpu_magic_semi_weight(const combgpu_magic_semi_t *m)
{
    u32 i, v, with25 = 0, turned = 0;
    for (i = 0; i < 5; i++)
        if ((m->rows[i] >> 25) & 1) with25 = m->rows[i];
    for (v = 1; v < 26; v++)
        turned |= ((with25 >> v) & 1) << (26 - v);
    return turned < m->rows[0] ? 0 : turned == m->rows[0] ? 1 : 2;
}

DEVICE u64 combgpu_magic_semi_unit(combgpu_magic_semi_t *m, GLOBAL const u32 *tables, u32 unit)
{
    u32 pair = 1422 + 2 * (unit / 8), unused, least, next, i, k, weight;
    u64 sum = 0;
    m->rows[0] = tables[pair];
    m->rows[1] = tables[pair + 1];
    unused = 0x3fffffe & ~(m->rows[0] | m->rows[1]);
    least = CTZ(unused);
    for (i = tables[1 + least] + unit % 8; i < tables[2 + least]; i += 8) {
        u32 rest;
        m->rows[2] = tables[28 + i];
        if (m->rows[2] & ~unused) continue;
        rest = unused & ~m->rows[2];
        next = CTZ(rest);
        for (k = tables[1 + next]; k < tables[2 + next]; k++) {
            m->rows[3] = tables[28 + k];
            if (m->rows[3] & ~rest) continue;
            m->rows[4] = rest & ~m->rows[3];
            weight = combgpu_magic_semi_weight(m);
            if (weight) sum += weight * combgpu_magic_semi_partition(m);
        }
    }
    return sum;
}

KERNEL combgpu_magic_semi(SLICE_ARGUMENTS)
{
    combgpu_magic_semi_t m;
    u32 steps = 0;
    u64 unit = 0, end = 0, hash = 0, sum = 0;
    (void)work, (void)records;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    while (combgpu_in_range(slice, tasks, left, &unit, &end, steps)) {
        u64 found = combgpu_magic_semi_unit(&m, tables, (u32)unit);
        hash += combgpu_mix(unit << 32 | found);
        sum += found;
        steps++;
        unit++;
    }
    if (!steps) return;
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, 1, hash);
    combgpu_add_total(slice, 2, sum);
}

#undef MAGIC_LEVELS
#undef MAGIC_LEVEL_COUNT
#undef MAGIC_START
#undef MAGIC_ENTRY
#undef MAGIC_WAYS
#undef MAGIC_ITEMS
#undef MAGIC_WORDS
#undef MAGIC_MARKS
#undef MAGIC_FINDS
#undef MAGIC_CHUNK
#undef MAGIC_JOIN_BLOCKS
#undef MAGIC_LIST_BLOCKS
#undef MAGIC_SLOTS
#undef MAGIC_SLOT
#undef MAGIC_PROBES
#undef MAGIC_QUEUE
#undef MAGIC_GROUPS
#undef MAGIC_RING_BLOCKS
#undef MAGIC_FOUND
#undef MAGIC_RING_LIST_BLOCKS

#endif /* MAGIC */

