/* The list of order 5 where lanes exchange registers: 32 lanes are a worker. */
#ifdef COMBGPU_SHUFFLE
/* Finds the squares of the ways from `begin` to `end` with one of `numbers` in t1. Returns 0 if
   there is no room. */
COMBGPU__DEVICE uint32_t combgpu_magic_ring_finds(COMBGPU__GROUP_PARAMETER,
                                                  COMBGPU__LOCAL combgpu_magic_ring_t *r,
                                                  COMBGPU__LOCAL combgpu_magic_finds_t *f,
                                                  uint32_t unused, uint32_t numbers,
                                                  uint32_t centre, uint32_t begin, uint32_t end)
{
    uint32_t w;
    COMBGPU__WARP_BARRIER();
    if (COMBGPU__GROUP_LANE == 0) f->count = 0;
    for (w = begin + COMBGPU__GROUP_LANE; w < end; w += 32)
        r->squares[w] = 0;
    COMBGPU__WARP_BARRIER();
    combgpu_magic_ring_join(COMBGPU__GROUP, r, f, unused, numbers, centre, begin, end);
    return f->count <= COMBGPU__MAGIC_FOUND;
}

/* Puts the finds into the order of ways, and by code in a way. */
COMBGPU__DEVICE void combgpu_magic_ring_sort(COMBGPU__GROUP_PARAMETER,
                                             COMBGPU__LOCAL combgpu_magic_ring_t *r,
                                             COMBGPU__LOCAL combgpu_magic_finds_t *f,
                                             uint32_t begin, uint32_t end)
{
    /* codes by way; for each way its first place, and how many are there */
    COMBGPU__LOCAL uint32_t *codes = (COMBGPU__LOCAL uint32_t *)r->halves;
    COMBGPU__LOCAL uint32_t *first = codes + COMBGPU__MAGIC_FOUND,
                            *there = first + COMBGPU__MAGIC_WAYS;
    uint32_t count = f->count, w, i, k;
    for (w = begin + COMBGPU__GROUP_LANE; w < end; w += 32) {
        uint32_t before = 0;
        for (k = begin; k < end; k++)
            before += k < w ? r->squares[k] : 0;
        first[w] = before;
        there[w] = 0;
    }
    COMBGPU__WARP_BARRIER();
    for (i = COMBGPU__GROUP_LANE; i < count; i += 32) {
        w = f->way[i];
        codes[first[w] + COMBGPU__LOCAL_ATOMIC_ADD(&there[w], 1)] = f->code[i];
    }
    COMBGPU__WARP_BARRIER();
    for (w = begin + COMBGPU__GROUP_LANE; w < end; w += 32)
        for (i = 0; i < there[w]; i++)
            f->way[first[w] + i] = (uint8_t)w;
    COMBGPU__WARP_BARRIER();
    for (i = COMBGPU__GROUP_LANE; i < count; i += 32) {
        uint32_t code = codes[i], at = 0;
        w = f->way[i];
        at = first[w];
        for (k = first[w]; k < first[w] + there[w]; k++)
            at += codes[k] < code;
        f->code[at] = code;
    }
    COMBGPU__WARP_BARRIER();
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__MAGIC_GROUPS, COMBGPU__MAGIC_RING_LIST_BLOCKS)
combgpu_magic_lists(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_magic_ring_t rings[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL_ARRAY combgpu_magic_finds_t finds[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL_ARRAY uint8_t map[32 * 25], numbers[16 * COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL combgpu_magic_ring_t *r = &rings[COMBGPU__LANE_ID / 32];
    COMBGPU__LOCAL combgpu_magic_finds_t *f = &finds[COMBGPU__LANE_ID / 32];
    /* once the squares are found and in order: images, squares */
    COMBGPU__LOCAL uint32_t *turned = (COMBGPU__LOCAL uint32_t *)r->halves;
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
        uint32_t number = COMBGPU__NONE, w, end, t1, images, from, offset, unused;
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
        combgpu_magic_ring_paths(COMBGPU__GROUP, r, unused);
        combgpu_magic_ring_ways(COMBGPU__GROUP, r, tables + COMBGPU__JOIN_AT_WAY, pair[0] & 31, 0,
                                COMBGPU__MAGIC_WAYS);
        t1 = unused;
        for (w = 0, end = COMBGPU__MAGIC_WAYS; w < COMBGPU__MAGIC_WAYS;) {
            uint32_t count, chunk,
                chunks = 256 / images < COMBGPU__MAGIC_CHUNK ? 256 / images : COMBGPU__MAGIC_CHUNK;
            /* if there is no room, half of the ways; in the end one t1 after the other */
            if (!combgpu_magic_ring_finds(COMBGPU__GROUP, r, f, unused, t1, pair[0] & 31, w, end) &&
                t1 == unused) {
                if (end - w > 1)
                    end = w + (end - w) / 2;
                else
                    t1 &= 0u - t1;
                continue;
            }
            combgpu_magic_ring_sort(COMBGPU__GROUP, r, f, w, end);
            count = f->count;
            all += count;
            for (chunk = 0; chunk < count && COMBGPU__MAGIC_GOAL != COMBGPU__MAGIC_COUNTS;
                 chunk += chunks) {
                uint32_t n = count - chunk < chunks ? count - chunk : chunks, at, bytes, aside;
                COMBGPU__GLOBAL uint8_t *to;
                for (i = COMBGPU__GROUP_LANE; i < n; i += 32)
                    combgpu_magic_square(&j, pair, tables[COMBGPU__JOIN_AT_WAY + f->way[chunk + i]],
                                         f->code[chunk + i], squares + 25 * i);
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
                            if ((write >> k) & 1) to[i + k - aside] = (uint8_t)(word >> (8 * k));
                }
                COMBGPU__WARP_BARRIER();
            }
            offset += count * images;
            t1 = t1 == unused ? 0 : unused & ~(t1 | (t1 - 1));
            t1 &= 0u - t1;
            if (!t1) t1 = unused, w = end, end = COMBGPU__MAGIC_WAYS;
            COMBGPU__WARP_BARRIER();
        }
    }
    if (COMBGPU__GROUP_LANE == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, hash);
}
#endif
