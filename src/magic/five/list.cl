/* Lists squares of order 5 (core/about.c). A block is a worker and takes pairs of diagonals; for
   each of the 36 ways it finds the fillings of both rings that make squares, sorts the squares, and
   hashes, writes or only counts them. Words of `tables`: layout.h. */
#define COMBGPU__MAGIC_GOAL (tables[COMBGPU__JOIN_AT_LIST]) /* COMBGPU__MAGIC_HASHES ... */
#define COMBGPU__MAGIC_OFFSET(pair)                                                                \
    (tables[COMBGPU__JOIN_AT_PAIR + 2 * tables[COMBGPU__JOIN_AT_PAIRS] + (pair)])
#define COMBGPU__MAGIC_PARAMETER(name)                                                             \
    (tables[COMBGPU__JOIN_AT_PAIR + 3 * tables[COMBGPU__JOIN_AT_PAIRS] + COMBGPU__LIST_AT_##name])
#define COMBGPU__MAGIC_CENTRE COMBGPU__MAGIC_PARAMETER(CENTRE)
#define COMBGPU__MAGIC_FRENICLE COMBGPU__MAGIC_PARAMETER(FRENICLE)

/* Returns the square's cell that becomes cell i of orientation g (bits: 1 transpose, 2 flip rows, 4
   flip columns) of image k under the M-group. */
COMBGPU__DEVICE uint32_t combgpu_five_cell(uint32_t k, uint32_t g, uint32_t i)
{
    uint32_t row = i / 5, column = i % 5, t = row;
    uint32_t order = k == 0 ? 0x43210u : k == 1 ? 0x34201u : k == 2 ? 0x41230u : 0x30241u;
    if (g & 1) row = column, column = t;
    if (g & 2) row = 4 - row;
    if (g & 4) column = 4 - column;
    return 5 * ((order >> (4 * row)) & 15) + ((order >> (4 * column)) & 15);
}

/* Returns the orientation that is the Frenicle form of an image. */
COMBGPU__DEVICE uint32_t combgpu_magic_frenicle(COMBGPU__LOCAL const uint8_t *square,
                                                COMBGPU__LOCAL const uint8_t *map,
                                                uint32_t complement)
{
    uint32_t g, best = 0, least = 99, row, column;
    for (g = 0; g < 8; g += 2) {
        uint32_t corner = square[map[25 * g]];
        if (complement) corner = 26 - corner;
        if (corner < least) least = corner, best = g;
    }
    row = square[map[25 * best + 1]];
    column = square[map[25 * best + 5]];
    return (row < column) == (complement == 0) ? best : best | 1;
}

/* Makes a square from the corners of its rings, a byte per cell. */
COMBGPU__DEVICE void combgpu_five_square(const combgpu_five_join_t *j,
                                         COMBGPU__GLOBAL const uint32_t *pair, uint32_t way,
                                         uint32_t code, COMBGPU__LOCAL uint8_t *square)
{
    uint32_t a = pair[0] >> 5, b = pair[1], ring, n[4], i;
    square[12] = (uint8_t)(pair[0] & 31);
    square[0] = (uint8_t)((a >> (5 * ((way >> 2) & 3))) & 31);
    square[4] = (uint8_t)((b >> (5 * (way & 3))) & 31);
    square[24] = (uint8_t)((a >> (5 * ((way >> 6) & 3))) & 31);
    square[20] = (uint8_t)((b >> (5 * ((way >> 4) & 3))) & 31);
    square[6] = (uint8_t)((a >> (5 * ((way >> 10) & 3))) & 31);
    square[16] = (uint8_t)((b >> (5 * ((way >> 8) & 3))) & 31);
    square[18] = (uint8_t)((a >> (5 * ((way >> 14) & 3))) & 31);
    square[8] = (uint8_t)((b >> (5 * ((way >> 12) & 3))) & 31);
    for (ring = 0; ring < 2; ring++) { /* ring 2 is ring 1 of the transposed square */
        uint32_t sides = ring ? way >> 16 : way, corners = ring ? code : code >> 16;
        uint32_t down = ring ? 1 : 5, across = ring ? 5 : 1;
        for (i = 0; i < 4; i++)
            n[i] = j->number[(corners >> (12 - 4 * i)) & 15];
        square[across] = (uint8_t)n[0];
        square[3 * across] = (uint8_t)n[1];
        square[4 * down + across] = (uint8_t)n[2];
        square[4 * down + 3 * across] = (uint8_t)n[3];
        square[2 * across] = (uint8_t)(j->sums[sides & 15] - n[0] - n[1]);
        square[4 * down + 2 * across] = (uint8_t)(j->sums[(sides >> 4) & 15] - n[2] - n[3]);
        square[2 * down + across] = (uint8_t)(j->sums[(sides >> 8) & 15] - n[0] - n[2]);
        square[2 * down + 3 * across] = (uint8_t)(j->sums[(sides >> 12) & 15] - n[1] - n[3]);
    }
}

/* The checksum of a square in the form that `map` makes of it: FNV-1a of 25 numbers. */
COMBGPU__DEVICE uint64_t combgpu_five_fnv(COMBGPU__LOCAL const uint8_t *square,
                                          COMBGPU__LOCAL const uint8_t *map, uint32_t complement)
{
    uint64_t hash = COMBGPU__MAGIC_FNV_OFFSET;
    uint32_t i, number;
    for (i = 0; i < 25; i++) {
        number = square[map[i]];
        hash = (hash ^ (complement ? 26 - number : number)) * COMBGPU__MAGIC_FNV_PRIME;
    }
    return hash;
}

/* The state of lane 0. */
typedef struct combgpu_five_lister_t {
    uint32_t next, end, steps, full;
} combgpu_five_lister_t;

/* Lane 0: books the finished pair with its number of squares up to the M-group. Returns the next
   pair, or COMBGPU__NONE at the end of the slice. */
COMBGPU__DEVICE uint32_t combgpu_five_list_next(combgpu_five_lister_t *l,
                                                COMBGPU__GLOBAL combgpu__slice *slice,
                                                COMBGPU__GLOBAL const uint32_t *tables,
                                                COMBGPU__GLOBAL const uint32_t *tasks,
                                                COMBGPU__GLOBAL uint32_t *left,
                                                COMBGPU__GLOBAL uint32_t *records, uint32_t squares,
                                                uint32_t busy)
{
    uint32_t at = 0;
    if (busy && COMBGPU__MAGIC_GOAL == COMBGPU__MAGIC_COUNTS) {
        at = combgpu_emit(slice);
        l->full = at == COMBGPU__NONE;
        if (at != COMBGPU__NONE) {
            records[2 * at] = l->next;
            records[2 * at + 1] = squares;
        }
    }
    if (busy && !l->full) {
        if (squares)
            combgpu_add_total(
                slice, COMBGPU__MAGIC_JOINED + (tables[COMBGPU__JOIN_AT_PAIR + 2 * l->next] & 31),
                squares);
        l->steps++;
        l->next++;
    }
    if (!l->full && !combgpu_spent(slice, l->steps)) {
        if (l->next < l->end) return l->next;
        at = combgpu_take(slice);
        if (at == COMBGPU__NONE) return COMBGPU__NONE;
        l->next = tasks[4 * at];
        l->end = tasks[4 * at + 2];
        return l->next;
    }
    if (l->next < l->end) combgpu_give_range(slice, left, l->next, l->end);
    return COMBGPU__NONE;
}

/* Returns 1 if only the complement of a square has the given centre. */
COMBGPU__DEVICE uint32_t combgpu_five_from(COMBGPU__GLOBAL const uint32_t *pair,
                                           COMBGPU__GLOBAL const uint32_t *tables)
{
    return COMBGPU__MAGIC_CENTRE && COMBGPU__MAGIC_CENTRE != (pair[0] & 31);
}

/* Returns how many images of a square are listed: those under the M-group, and of the complement
   unless the centre is given or 13; each in all orientations or one. */
COMBGPU__DEVICE uint32_t combgpu_five_images(COMBGPU__GLOBAL const uint32_t *pair,
                                             COMBGPU__GLOBAL const uint32_t *tables, uint32_t from)
{
    uint32_t images = !from && !COMBGPU__MAGIC_CENTRE && (pair[0] & 31) != 13 ? 8 : 4;
    return COMBGPU__MAGIC_FRENICLE ? images : 8 * images;
}

/* Finds the squares of a way, and sorts them. Returns how many; their codes begin the pool (j->counts). */
COMBGPU__DEVICE uint32_t combgpu_magic_way(combgpu_five_join_t *j, uint32_t way)
{
    COMBGPU__LOCAL uint32_t *const shared = j->shared, *const ordered = j->counts;
    COMBGPU__LOCAL uint32_t *const codes = ordered + COMBGPU__MAGIC_FINDS;
    COMBGPU__LOCAL uint16_t *const sets = (COMBGPU__LOCAL uint16_t *)ordered;
    COMBGPU__LOCAL const uint16_t *const found = j->found;
    uint32_t i, k, count;
    for (i = COMBGPU__LANE_ID; i < 2 * COMBGPU__MAGIC_MARKS; i += COMBGPU__BLOCK_LANES)
        j->marks[i] = 0;
    for (i = COMBGPU__LANE_ID; i < 6; i += COMBGPU__BLOCK_LANES)
        shared[2 + i] = 0;
    COMBGPU__LOCAL_BARRIER();
    combgpu_five_ring_items(j, way, &shared[2]);
    j->items += COMBGPU__MAGIC_HALVES, j->others += 256;
    combgpu_five_ring_items(j, way >> 16, &shared[3]);
    COMBGPU__LOCAL_BARRIER();
    j->items -= COMBGPU__MAGIC_HALVES, j->others -= 256;
    combgpu_five_ring_fill(j, way, shared[2], 3);
    COMBGPU__LOCAL_BARRIER();
    j->items += COMBGPU__MAGIC_HALVES, j->others += 256;
    combgpu_five_ring_fill(j, way >> 16, shared[3], 4);
    COMBGPU__LOCAL_BARRIER();
    j->items -= COMBGPU__MAGIC_HALVES, j->others -= 256;
    combgpu_five_ring_fill(j, way, shared[4] ? shared[2] : 0, 5);
    COMBGPU__LOCAL_BARRIER();
    for (i = COMBGPU__LANE_ID; i < shared[4] + shared[5]; i += COMBGPU__BLOCK_LANES) {
        uint32_t at = i < shared[4] ? i : COMBGPU__MAGIC_FINDS + i - shared[4], code = found[at];
        sets[at] = (uint16_t)combgpu_five_set(j, i < shared[4] ? way >> 16 : way, code >> 12,
                                              (code >> 8) & 15, (code >> 4) & 15, code & 15);
    }
    COMBGPU__LOCAL_BARRIER();
    for (i = COMBGPU__LANE_ID; i < shared[4] * shared[5]; i += COMBGPU__BLOCK_LANES) {
        uint32_t two = i % shared[4], one = COMBGPU__MAGIC_FINDS + i / shared[4];
        if ((sets[two] ^ sets[one]) != 0xffff) continue;
        codes[COMBGPU__LOCAL_ATOMIC_ADD(&shared[6], 1)] = (uint32_t)found[one] << 16 | found[two];
    }
    COMBGPU__LOCAL_BARRIER();
    count = shared[6];
    for (i = COMBGPU__LANE_ID; i < count; i += COMBGPU__BLOCK_LANES) {
        uint32_t code = codes[i], before = 0;
        for (k = 0; k < count; k++)
            before += codes[k] < code;
        ordered[before] = code;
    }
    if (COMBGPU__LANE_ID == 0) shared[1] += count;
    COMBGPU__LOCAL_BARRIER();
    return count;
}

/* What listing the squares of a pair needs. */
typedef struct combgpu_magic_page_t {
    COMBGPU__GLOBAL const uint32_t *pair;
    COMBGPU__GLOBAL uint8_t *out;
    COMBGPU__LOCAL uint8_t *squares, *turn, *map;
    uint32_t from, images, offset, first;
} combgpu_magic_page_t;

/* Makes the squares from number `chunk` on; writes them, or returns the lane's part of their hash. */
COMBGPU__DEVICE uint64_t combgpu_magic_chunk(const combgpu_five_join_t *j,
                                             const combgpu_magic_page_t *p,
                                             COMBGPU__GLOBAL const uint32_t *tables, uint32_t way,
                                             uint32_t chunk, uint32_t count)
{
    uint64_t hash = 0;
    const uint32_t n = count - chunk < COMBGPU__MAGIC_CHUNK ? count - chunk : COMBGPU__MAGIC_CHUNK;
    uint32_t i, bytes;
    for (i = COMBGPU__LANE_ID; i < n; i += COMBGPU__BLOCK_LANES)
        combgpu_five_square(j, p->pair, way, j->counts[chunk + i], p->squares + 25 * i);
    COMBGPU__LOCAL_BARRIER();
    bytes = COMBGPU__MAGIC_FRENICLE ? n * p->images : 0;
    for (i = COMBGPU__LANE_ID; i < bytes; i += COMBGPU__BLOCK_LANES) {
        uint32_t image = i % p->images, complement = p->from | image >> 2;
        COMBGPU__LOCAL const uint8_t *of = p->squares + 25 * (i / p->images),
                                     *to = p->map + 200 * (image & 3);
        uint32_t g = combgpu_magic_frenicle(of, to, complement);
        p->turn[i] = (uint8_t)g;
        if (COMBGPU__MAGIC_GOAL == COMBGPU__MAGIC_HASHES)
            hash += combgpu_five_fnv(of, to + 25 * g, complement);
    }
    COMBGPU__LOCAL_BARRIER();
    bytes = COMBGPU__MAGIC_GOAL == COMBGPU__MAGIC_WRITES ? 25 * n * p->images : 0;
    for (i = COMBGPU__LANE_ID; i < bytes; i += COMBGPU__BLOCK_LANES) {
        uint32_t square = i / 25, image = square % p->images, g, value;
        uint32_t at = p->offset + (chunk * p->images + square);
        if (at - p->first >= COMBGPU__MAGIC_PARAMETER(COUNT))
            continue; /* before or after the range */
        g = COMBGPU__MAGIC_FRENICLE ? p->turn[square] : image & 7;
        if (!COMBGPU__MAGIC_FRENICLE) image >>= 3;
        value = p->squares[25 * (square / p->images) + p->map[200 * (image & 3) + 25 * g + i % 25]];
        if (p->from | image >> 2) value = 26 - value;
        p->out[(uint64_t)(at - p->first) * 25 + i % 25] = (uint8_t)value;
    }
    COMBGPU__LOCAL_BARRIER();
    return hash;
}

#ifndef COMBGPU_SHUFFLE
COMBGPU__KERNEL_BLOCKS(256, COMBGPU__MAGIC_LIST_BLOCKS)
combgpu_magic_lists(COMBGPU__SLICE_ARGUMENTS)
{
    /* pool: both rings' items and the marks; then sets of the finds, squares as found, squares in
       order */
    COMBGPU__LOCAL_ARRAY uint32_t pool[COMBGPU__MAGIC_HALVES + 2 * COMBGPU__MAGIC_MARKS], rank[256],
        sums[16];
    COMBGPU__LOCAL_ARRAY uint32_t
        shared[8]; /* pair, its squares, items of both rings, finds of rings 2 and 1, squares */
    COMBGPU__LOCAL_ARRAY uint16_t path[4096], corner[256], bit[32], others[512],
        found[2 * COMBGPU__MAGIC_FINDS];
    COMBGPU__LOCAL_ARRAY uint8_t numbers[16], map[32 * 25], squares[COMBGPU__MAGIC_CHUNK * 25],
        turn[COMBGPU__MAGIC_CHUNK * 8];
    combgpu_five_join_t j;
    combgpu_five_lister_t lister;
    combgpu_magic_page_t p;
    uint64_t hash = 0;
    uint32_t i, busy = 0;
    j.rank = rank, j.sums = sums, j.path = path, j.corner = corner, j.bit = bit, j.number = numbers;
    j.items = (COMBGPU__LOCAL uint16_t *)pool, j.others = others, j.found = found,
    j.shared = shared;
    j.marks = pool + COMBGPU__MAGIC_HALVES, j.counts = pool;
    p.out = (COMBGPU__GLOBAL uint8_t *)work + combgpu_load64(&COMBGPU__MAGIC_PARAMETER(SHIFT));
    p.squares = squares, p.turn = turn, p.map = map, p.first = COMBGPU__MAGIC_PARAMETER(FIRST);
    lister.next = lister.end = lister.steps = lister.full = 0;
    for (i = COMBGPU__LANE_ID; i < 256; i += COMBGPU__BLOCK_LANES)
        rank[i] = tables[COMBGPU__JOIN_AT_RANK + i];
    for (i = COMBGPU__LANE_ID; i < 32 * 25; i += COMBGPU__BLOCK_LANES)
        map[i] = (uint8_t)combgpu_five_cell(i / 200, i / 25 % 8, i % 25);
    for (;;) {
        uint32_t number, w;
        if (COMBGPU__LANE_ID == 0) {
            number = combgpu_five_list_next(&lister, slice, tables, tasks, left, records, shared[1],
                                            busy);
            shared[0] = number;
            shared[1] = 0;
        }
        COMBGPU__LOCAL_BARRIER();
        number = shared[0];
        if (number == COMBGPU__NONE) break;
        busy = 1;
        p.pair = tables + COMBGPU__JOIN_AT_PAIR + 2 * number;
        p.from = combgpu_five_from(p.pair, tables);
        p.images = combgpu_five_images(p.pair, tables, p.from);
        p.offset = COMBGPU__MAGIC_OFFSET(number);
        combgpu_five_pair_numbers(&j, p.pair);
        COMBGPU__LOCAL_BARRIER();
        combgpu_five_pair_paths(&j);
        for (w = 0; w < COMBGPU__MAGIC_WAYS; w++) {
            const uint32_t way = tables[COMBGPU__JOIN_AT_WAY + w];
            const uint32_t count = combgpu_magic_way(&j, way);
            uint32_t chunk;
            for (chunk = 0; chunk < count && COMBGPU__MAGIC_GOAL != COMBGPU__MAGIC_COUNTS;
                 chunk += COMBGPU__MAGIC_CHUNK)
                hash += combgpu_magic_chunk(&j, &p, tables, way, chunk, count);
            p.offset += count * p.images;
        }
    }
    if (COMBGPU__LANE_ID == 0) combgpu_add_total(slice, 0, lister.steps);
    combgpu_add_total(slice, 1, hash);
}
#endif
