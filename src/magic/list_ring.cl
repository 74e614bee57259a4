/* The list of order 5 where lanes exchange registers: 32 lanes are a worker. */
#ifdef COMBGPU_SHUFFLE
/* Returns a ring's filling as t1 t3 b1 b3, places of 4 bits, from its set. */
COMBGPU__DEVICE uint32_t combgpu_magic_corners(COMBGPU__LOCAL const combgpu_magic_ring_t *r,
                                               uint32_t unused, uint32_t way, uint32_t set,
                                               uint32_t filling)
{
    uint32_t x = filling & 15, z = (filling >> 6) & 15, c = 31 - (filling >> 10), d, t;
    /* the sum of the sides has each corner twice */
    d = r->sums[way & 15] + r->sums[(way >> 4) & 15] + r->sums[(way >> 8) & 15] +
        r->sums[(way >> 12) & 15] - COMBGPU__POPCOUNT(set & 0xaaaaaaaau) -
        2 * COMBGPU__POPCOUNT(set & 0xccccccccu) - 4 * COMBGPU__POPCOUNT(set & 0xf0f0f0f0u) -
        8 * COMBGPU__POPCOUNT(set & 0xff00ff00u) - 16 * COMBGPU__POPCOUNT(set & 0xffff0000u) - c -
        r->number[x] - r->number[z];
    if (filling & 32) t = c, c = d, d = t;
    return COMBGPU__POPCOUNT(unused & ((1u << c) - 1)) << 12 | x << 8 | z << 4 |
           COMBGPU__POPCOUNT(unused & ((1u << d) - 1));
}

/* Finds the squares of a way with one of the numbers `t1` in t1. Returns 0 if there is no room. */
COMBGPU__DEVICE uint32_t combgpu_magic_ring_finds(COMBGPU__GROUP_PARAMETER,
                                                  COMBGPU__LOCAL combgpu_magic_ring_t *r,
                                                  COMBGPU__LOCAL combgpu_magic_finds_t *f,
                                                  uint32_t unused, uint32_t way, uint32_t t1)
{
    COMBGPU__LOCAL uint64_t *zeroed = (COMBGPU__LOCAL uint64_t *)r->slots;
    uint32_t i;
    if (COMBGPU__GROUP_LANE == 0) f->count = 0;
    for (i = COMBGPU__GROUP_LANE; i < COMBGPU__MAGIC_HASH_SLOTS / 2; i += 32)
        zeroed[i] = 0;
    combgpu_magic_ring_corners(COMBGPU__GROUP, r, way);
    COMBGPU__WARP_BARRIER();
    i = combgpu_magic_ring_join(COMBGPU__GROUP, r, unused, 0, t1, 0, 1, f);
    if (COMBGPU__GROUP_ANY(i)) return 0;
    combgpu_magic_ring_corners(COMBGPU__GROUP, r, way >> 16);
    COMBGPU__WARP_BARRIER();
    (void)combgpu_magic_ring_join(COMBGPU__GROUP, r, unused, 1, t1, 0, 1, f);
    return f->count <= COMBGPU__MAGIC_FOUND;
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__MAGIC_GROUPS, COMBGPU__MAGIC_RING_LIST_BLOCKS)
combgpu_magic_lists(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_magic_ring_t rings[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL_ARRAY combgpu_magic_finds_t finds[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL_ARRAY uint8_t map[32 * 25], numbers[16 * COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL combgpu_magic_ring_t *r = &rings[COMBGPU__LANE_ID / 32];
    COMBGPU__LOCAL combgpu_magic_finds_t *f = &finds[COMBGPU__LANE_ID / 32];
    /* once the squares are found: their codes, the codes in order, images, squares */
    COMBGPU__LOCAL uint32_t *codes = (COMBGPU__LOCAL uint32_t *)f->filling, *ordered = r->slots;
    COMBGPU__LOCAL uint32_t *turned = ordered + COMBGPU__MAGIC_FOUND;
    COMBGPU__LOCAL uint8_t *squares = (COMBGPU__LOCAL uint8_t *)(turned + 256);
    combgpu_magic_join_t j;
    combgpu_magic_lister_t lister;
    COMBGPU__GLOBAL uint8_t *out =
        (COMBGPU__GLOBAL uint8_t *)work + combgpu_load64(&COMBGPU__MAGIC_PARAMETER(SHIFT));
    uint64_t hash = 0;
    uint32_t i, k, busy = 0, all = 0, first = COMBGPU__MAGIC_PARAMETER(FIRST),
                   most = COMBGPU__MAGIC_PARAMETER(COUNT);
    COMBGPU__GROUP_BEGIN(32);
    j.sums = r->sums, j.number = numbers + COMBGPU__LANE_ID / 32 * 16;
    lister.next = lister.end = lister.steps = lister.full = 0;
    for (i = COMBGPU__LANE_ID; i < 32 * 25; i += COMBGPU__BLOCK_LANES)
        map[i] = (uint8_t)combgpu_magic_cell(i / 200, i / 25 % 8, i % 25);
    COMBGPU__LOCAL_BARRIER();
    for (;;) {
        COMBGPU__GLOBAL const uint32_t *pair;
        uint32_t number = COMBGPU__NONE, w, images, from, offset, unused;
        if (COMBGPU__GROUP_LANE == 0 && COMBGPU__GROUP_INDEX < slice->workers)
            number =
                combgpu_magic_list_next(&lister, slice, tables, tasks, left, records, all, busy);
        number = COMBGPU__GROUP_FROM(number, 0);
        if (number == COMBGPU__NONE) break;
        busy = 1, all = 0;
        pair = tables + COMBGPU__JOIN_AT_PAIR + 2 * number;
        from = combgpu_magic_from(pair, tables);
        images = combgpu_magic_images(pair, tables, from);
        offset = COMBGPU__MAGIC_OFFSET(number);
        unused = combgpu_magic_ring_pair(COMBGPU__GROUP, r, pair);
        COMBGPU__WARP_BARRIER();
        if (COMBGPU__GROUP_LANE < 16)
            numbers[COMBGPU__LANE_ID / 32 * 16 + COMBGPU__GROUP_LANE] =
                (uint8_t)r->number[COMBGPU__GROUP_LANE];
        for (w = 0; w < COMBGPU__MAGIC_WAYS; w++) {
            uint32_t way = tables[COMBGPU__JOIN_AT_WAY + w], t1 = unused;
            do { /* all squares at once, or for one t1 after the other */
                uint32_t count, chunk,
                    chunks =
                        256 / images < COMBGPU__MAGIC_CHUNK ? 256 / images : COMBGPU__MAGIC_CHUNK;
                if (!combgpu_magic_ring_finds(COMBGPU__GROUP, r, f, unused, way, t1) &&
                    t1 == unused) {
                    t1 &= 0u - t1;
                    COMBGPU__WARP_BARRIER();
                    continue;
                }
                count = f->count;
                all += count;
                for (i = COMBGPU__GROUP_LANE; i < count; i += 32) {
                    uint32_t key = f->key[i], find = f->find[i];
                    codes[i] =
                        combgpu_magic_corners(r, unused, way, key, find & 0xffff) << 16 |
                        combgpu_magic_corners(r, unused, way >> 16, unused ^ key, find >> 16);
                }
                COMBGPU__WARP_BARRIER();
                for (i = COMBGPU__GROUP_LANE; i < count; i += 32) {
                    uint32_t code = codes[i], before = 0;
                    for (k = 0; k < count; k++)
                        before += codes[k] < code;
                    ordered[before] = code;
                }
                COMBGPU__WARP_BARRIER();
                for (chunk = 0; chunk < count && COMBGPU__MAGIC_GOAL != COMBGPU__MAGIC_COUNTS;
                     chunk += chunks) {
                    uint32_t n = count - chunk < chunks ? count - chunk : chunks, at, bytes, aside;
                    COMBGPU__GLOBAL uint8_t *to;
                    for (i = COMBGPU__GROUP_LANE; i < n; i += 32)
                        combgpu_magic_square(&j, pair, way, ordered[chunk + i], squares + 25 * i);
                    COMBGPU__WARP_BARRIER();
                    n *= images;
                    for (i = COMBGPU__GROUP_LANE; i < n; i += 32) {
                        uint32_t image = i % images, complement, of = 25 * (i / images),
                                 turn = image & 7;
                        if (!COMBGPU__MAGIC_FRENICLE) image >>= 3;
                        complement = from | image >> 2;
                        image = 200 * (image & 3);
                        if (COMBGPU__MAGIC_FRENICLE)
                            turn = combgpu_magic_frenicle(squares + of, map + image, complement);
                        image += 25 * turn;
                        turned[i] = of | image << 11 | complement << 31;
                        if (COMBGPU__MAGIC_FRENICLE && COMBGPU__MAGIC_GOAL == COMBGPU__MAGIC_HASHES)
                            hash += combgpu_magic_fnv(squares + of, map + image, complement);
                    }
                    COMBGPU__WARP_BARRIER();
                    at = offset + chunk * images - first;
                    to = out + (uint64_t)(at + first) * 25 -
                         (uint64_t)first * 25; /* may be before the range */
                    aside = (uint32_t)(uint64_t)to & 3;
                    bytes = COMBGPU__MAGIC_GOAL == COMBGPU__MAGIC_WRITES ? 25 * n : 0;
                    for (i = 4 * COMBGPU__GROUP_LANE; i < bytes + aside; i += 128) {
                        uint32_t word = 0, write = 0;
                        for (k = 0; k < 4; k++) {
                            uint32_t byte = i + k - aside, image = byte / 25, turn, value;
                            if (byte >= bytes || at + image >= most) continue;
                            turn = turned[image];
                            value = squares[(turn & 0x7ff) +
                                            map[((turn >> 11) & 0x3ff) + byte - 25 * image]];
                            if (turn >> 31) value = 26 - value;
                            word |= value << (8 * k), write |= 1u << k;
                        }
                        if (write == 15)
                            *(COMBGPU__GLOBAL uint32_t *)(to + i - aside) = word;
                        else
                            for (k = 0; k < 4; k++)
                                if ((write >> k) & 1)
                                    to[i + k - aside] = (uint8_t)(word >> (8 * k));
                    }
                    COMBGPU__WARP_BARRIER();
                }
                offset += count * images;
                t1 = t1 == unused ? 0 : unused & ~(t1 | (t1 - 1));
                t1 &= 0u - t1;
                COMBGPU__WARP_BARRIER();
            } while (t1);
        }
    }
    if (COMBGPU__GROUP_LANE == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, hash);
}
#endif
