/* The list of order 5 where lanes exchange registers: 32 lanes are a worker. Hashing needs no
   order. For writing, the lanes note the squares of all ways of a pair, as many as fit, and sort
   them. */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__MAGIC_RING_LIST_BLOCKS 4 /* on a multiprocessor */

/* Finds the squares of the ways from `begin` to `end`. */
COMBGPU__DEVICE void combgpu_five_ring_finds(COMBGPU__GROUP_PARAMETER,
                                             COMBGPU__LOCAL combgpu_five_ring_t *r,
                                             combgpu_five_output_t *o, uint32_t unused,
                                             uint32_t begin, uint32_t end)
{
    uint32_t w;
    COMBGPU__WARP_BARRIER();
    for (w = begin + COMBGPU__GROUP_LANE; w < end; w += 32)
        r->squares[w] = 0;
    o->found = 0;
    COMBGPU__WARP_BARRIER();
    combgpu_five_ring_join(COMBGPU__GROUP, r, o, unused, o->pair[0] & 31, begin, end);
}

/* Puts the squares noted into the order of ways, and by code in a way. */
COMBGPU__DEVICE void combgpu_five_ring_sort(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__LOCAL combgpu_five_ring_t *r,
                                            const combgpu_five_output_t *o, uint32_t begin,
                                            uint32_t end)
{
    /* codes by way; for each way its first index, and its count */
    COMBGPU__LOCAL uint32_t *codes = (COMBGPU__LOCAL uint32_t *)r->halves;
    COMBGPU__LOCAL uint32_t *first = codes + COMBGPU__MAGIC_FOUND,
                            *there = first + COMBGPU__MAGIC_WAYS;
    COMBGPU__LOCAL combgpu_five_finds_t *f = o->finds;
    uint32_t count = o->found, w, i, k;
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

/* Writes the squares noted; `at` is the number of their first image in the list. */
COMBGPU__DEVICE void combgpu_five_ring_put(COMBGPU__GROUP_PARAMETER, const combgpu_five_output_t *o,
                                           uint32_t at)
{
    uint32_t chunk, i;
    for (chunk = 0; chunk < o->found; chunk += 32) {
        const uint32_t n = o->found - chunk < 32 ? o->found - chunk : 32, images = n << o->shift;
        combgpu_five_ring_squares(COMBGPU__GROUP, o, chunk, n);
        for (i = 0; i < images; i += COMBGPU__MAGIC_STAGED)
            combgpu_five_ring_write(COMBGPU__GROUP, o, i,
                                    images - i < COMBGPU__MAGIC_STAGED ? images - i
                                                                       : COMBGPU__MAGIC_STAGED,
                                    at + (chunk << o->shift) + i);
    }
}

/* Returns the end of the ways from w on whose squares fit; the squares of all ways are known. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_room(COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                uint32_t w)
{
    uint32_t squares = 0;
    for (; w < COMBGPU__MAGIC_WAYS; w++) {
        squares += r->squares[w];
        if (squares > COMBGPU__MAGIC_FOUND) break;
    }
    return w;
}

/* Writes the squares of a pair, and returns how many; the first image is number `at`. If they are
   too many, finds them again in parts: ways that fit together, or one t1 of a way at a time. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_parts(COMBGPU__GROUP_PARAMETER,
                                                 COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                 combgpu_five_output_t *o, uint32_t unused,
                                                 uint32_t at)
{
    uint32_t w = 0, end = COMBGPU__MAGIC_WAYS, all = 0, t1 = 0; /* a bit; 0 = all together */
    for (;;) {
        o->numbers = t1 ? t1 : unused;
        combgpu_five_ring_finds(COMBGPU__GROUP, r, o, unused, w, end);
        if (o->found <= COMBGPU__MAGIC_FOUND) {
            combgpu_five_ring_sort(COMBGPU__GROUP, r, o, w, end);
            combgpu_five_ring_put(COMBGPU__GROUP, o, at + (all << o->shift));
            all += o->found;
            if (t1) t1 = unused & ~(t1 | (t1 - 1)), t1 &= 0u - t1;
            if (t1) continue;
            w = end;
            if (w == COMBGPU__MAGIC_WAYS) return all;
        }
        end = combgpu_five_ring_room(r, w);
        if (end == w) end++, t1 = unused & (0u - unused);
    }
}

/* Prepares a pair; returns its free numbers. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_list_pair(COMBGPU__GROUP_PARAMETER,
                                                     COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                     combgpu_five_output_t *o,
                                                     COMBGPU__GLOBAL const uint32_t *tables,
                                                     uint32_t number)
{
    COMBGPU__GLOBAL const uint32_t *pair = tables + COMBGPU__JOIN_AT_PAIR + 2 * number;
    const uint32_t unused = combgpu_five_ring_pair(COMBGPU__GROUP, r, pair);
    uint32_t images;
    COMBGPU__WARP_BARRIER();
    if (COMBGPU__GROUP_LANE < 16)
        o->join.number[COMBGPU__GROUP_LANE] = (uint8_t)r->number[COMBGPU__GROUP_LANE];
    combgpu_five_ring_paths(COMBGPU__GROUP, r, unused);
    combgpu_five_ring_ways(COMBGPU__GROUP, r, o->ways, pair[0] & 31, 0, COMBGPU__MAGIC_WAYS);
    o->pair = pair;
    o->from = combgpu_five_from(pair, tables);
    images = combgpu_five_images(pair, tables, o->from); /* a power of 2 */
    o->shift = 31 - COMBGPU__CLZ(images);
    return unused;
}

/* Hashes, writes or counts the squares of a pair; returns their number up to the M-group. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_list(COMBGPU__GROUP_PARAMETER,
                                                COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                combgpu_five_output_t *o, uint32_t unused,
                                                uint32_t at)
{
    uint32_t w, all = 0;
    if (o->goal == COMBGPU__MAGIC_WRITES)
        return combgpu_five_ring_parts(COMBGPU__GROUP, r, o, unused, at);
    o->numbers = unused;
    combgpu_five_ring_finds(COMBGPU__GROUP, r, o, unused, 0, COMBGPU__MAGIC_WAYS);
    for (w = COMBGPU__GROUP_LANE; w < COMBGPU__MAGIC_WAYS; w += 32)
        all += r->squares[w];
    return COMBGPU__GROUP_ADD(all);
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__MAGIC_GROUPS, COMBGPU__MAGIC_RING_LIST_BLOCKS)
combgpu_magic_lists(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_five_ring_t rings[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL_ARRAY combgpu_five_finds_t finds[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL_ARRAY uint8_t map[32 * 25], numbers[16 * COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL combgpu_five_ring_t *r = &rings[COMBGPU__LANE_ID / 32];
    combgpu_five_output_t o;
    combgpu_five_lister_t lister;
    uint32_t i, busy = 0, all = 0;
    COMBGPU__GROUP_BEGIN(32);
    o.goal = COMBGPU__MAGIC_GOAL, o.frenicle = COMBGPU__MAGIC_FRENICLE;
    o.out = (COMBGPU__GLOBAL uint8_t *)work + combgpu_load64(&COMBGPU__MAGIC_PARAMETER(SHIFT));
    o.first = COMBGPU__MAGIC_PARAMETER(FIRST), o.most = COMBGPU__MAGIC_PARAMETER(COUNT);
    o.join.sums = r->sums, o.join.number = numbers + COMBGPU__LANE_ID / 32 * 16;
    o.ways = tables + COMBGPU__JOIN_AT_WAY;
    o.finds = &finds[COMBGPU__LANE_ID / 32];
    o.map = map;
    /* hashed squares need few codes; written ones are made when the stacks are empty */
    o.stage = (COMBGPU__LOCAL uint8_t *)r->halves;
    o.squares = o.goal == COMBGPU__MAGIC_HASHES
                    ? (COMBGPU__LOCAL uint8_t *)(o.finds->code + COMBGPU__MAGIC_HASHED)
                    : o.stage + 25 * COMBGPU__MAGIC_STAGED + 4;
    o.hash = 0;
    lister.next = lister.end = lister.steps = lister.full = 0;
    for (i = COMBGPU__LANE_ID; i < 32 * 25; i += COMBGPU__BLOCK_LANES)
        map[i] = (uint8_t)combgpu_five_cell(i / 200, i / 25 % 8, i % 25);
    COMBGPU__LOCAL_BARRIER();
    for (;;) {
        uint32_t number = COMBGPU__NONE, unused;
        if (COMBGPU__GROUP_LANE == 0 && COMBGPU__GROUP_INDEX < slice->workers)
            number =
                combgpu_five_list_next(&lister, slice, tables, tasks, left, records, all, busy);
        number = COMBGPU__GROUP_FROM(number, 0);
        if (number == COMBGPU__NONE) break;
        busy = 1;
        unused = combgpu_five_ring_list_pair(COMBGPU__GROUP, r, &o, tables, number);
        all = combgpu_five_ring_list(COMBGPU__GROUP, r, &o, unused, COMBGPU__MAGIC_OFFSET(number));
    }
    if (COMBGPU__GROUP_LANE == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, o.hash);
}
#endif
