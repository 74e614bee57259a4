/* The list of order 5 where lanes exchange registers: squares are noted as codes
   (five/join_list.c) when they are found, and made, hashed or written up to 32 at a time. */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__MAGIC_FOUND 384u  /* squares noted at a time */
#define COMBGPU__MAGIC_HASHED 184u /* the same if they are hashed: 31, and 4 of each lane */
#define COMBGPU__MAGIC_STAGED 64u  /* images made before they are written */

/* Squares found, as codes, and their ways. */
typedef struct combgpu_five_finds_t {
    uint32_t code[COMBGPU__MAGIC_FOUND];
    uint8_t way[COMBGPU__MAGIC_FOUND];
} combgpu_five_finds_t;

/* A group's work on the squares of a pair. */
typedef struct combgpu_five_output_t {
    combgpu_five_join_t join; /* sums and numbers of the pair */
    COMBGPU__LOCAL combgpu_five_finds_t *finds;
    COMBGPU__LOCAL const uint8_t *map; /* 25 cells of each of 8 orientations of 4 images */
    COMBGPU__LOCAL uint8_t *squares;   /* COMBGPU__MAGIC_CHUNK, of 25 bytes */
    COMBGPU__LOCAL uint8_t *stage;     /* COMBGPU__MAGIC_STAGED images, and up to 3 bytes before */
    COMBGPU__GLOBAL const uint32_t *pair, *ways;
    COMBGPU__GLOBAL uint8_t *out; /* square 0 of the range goes here */
    uint32_t goal, frenicle;      /* COMBGPU__MAGIC_HASHES ... */
    uint32_t shift, from;         /* a square has 1 << shift images; combgpu_five_from */
    uint32_t first, most;         /* the range */
    uint32_t found, numbers;      /* noted; only with one of these in t1 of ring 1 */
    uint64_t hash;                /* of this lane's images */
} combgpu_five_output_t;

/* Returns the code of a square. The other ring has the bits t1, t3, b1 in these corners. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_code(COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                uint32_t unused, const combgpu_five_set_t *s,
                                                uint32_t corners, uint32_t t1, uint32_t t3,
                                                uint32_t b1)
{
    const uint32_t way = r->way[s->set >> 26].x;
    /* a flip swaps t1 t3 b1 b3, 4 bits each, in pairs */
    const uint32_t flip = ((way >> 16) & 1) << 3 | ((way >> 17) & 1) << 2;
    /* a number's place is the count of smaller free ones */
    const uint32_t other = COMBGPU__POPCOUNT(unused & (t1 - 1)) << 12 |
                           COMBGPU__POPCOUNT(unused & (t3 - 1)) << 8 |
                           COMBGPU__POPCOUNT(unused & (b1 - 1)) << 4 |
                           COMBGPU__POPCOUNT(unused & ((corners ^ (t1 | t3 | b1)) - 1));
    const uint32_t filled =
        COMBGPU__POPCOUNT(unused & ((1u << ((s->code >> 20) & 31)) - 1)) << (12 ^ flip) |
        ((s->code >> 12) & 15) << (8 ^ flip) | ((s->code >> 16) & 15) << (4 ^ flip) |
        COMBGPU__POPCOUNT(unused & ((1u << (s->code >> 25)) - 1)) << flip;
    return (way >> 18) & 1 ? other << 16 | filled : filled << 16 | other;
}

/* Notes the squares of all lanes with t1, those of combgpu_five_corners_next. Returns how many of
   this lane are noted. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_note(COMBGPU__GROUP_PARAMETER,
                                                COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                combgpu_five_output_t *o, uint32_t unused,
                                                const combgpu_five_set_t *s, uint32_t corners,
                                                uint32_t squares, uint32_t t1, const uint32_t t3[2],
                                                const uint32_t b1[2])
{
    uint32_t count = 0;
    while (COMBGPU__GROUP_ANY(squares)) { /* each lane's next one */
        const uint32_t i = COMBGPU__CTZ(squares);
        uint32_t code = 0, mine = squares != 0, lanes, at;
        if (mine) {
            code = combgpu_five_ring_code(r, unused, s, corners, t1, i & 1 ? t3[1] : t3[0],
                                          i >> 1 ? b1[1] : b1[0]);
            mine = (o->numbers >> r->number[code >> 28]) & 1;
        }
        squares &= squares - 1;
        lanes = COMBGPU__GROUP_BALLOT(mine);
        at = o->found + COMBGPU__POPCOUNT(lanes & ((1u << COMBGPU__GROUP_LANE) - 1));
        if (mine && at < COMBGPU__MAGIC_FOUND) {
            o->finds->code[at] = code;
            o->finds->way[at] = (uint8_t)(s->set >> 26);
        }
        o->found += COMBGPU__POPCOUNT(lanes);
        count += mine;
    }
    return count;
}

/* Makes n of the noted squares, from number `at` on. */
COMBGPU__DEVICE void combgpu_five_ring_squares(COMBGPU__GROUP_PARAMETER,
                                               const combgpu_five_output_t *o, uint32_t at,
                                               uint32_t n)
{
    uint32_t i;
    COMBGPU__WARP_BARRIER();
    for (i = COMBGPU__GROUP_LANE; i < n; i += 32)
        combgpu_five_square(&o->join, o->pair, o->ways[o->finds->way[at + i]],
                            o->finds->code[at + i], o->squares + 25 * i);
    COMBGPU__WARP_BARRIER();
}

/* Returns the map of image i, counted through all squares; sets *complement and *square. */
COMBGPU__DEVICE COMBGPU__LOCAL const uint8_t *combgpu_five_ring_map(
    const combgpu_five_output_t *o, uint32_t i, COMBGPU__LOCAL const uint8_t **square,
    uint32_t *complement)
{
    const uint32_t image = i & ((1u << o->shift) - 1), k = o->frenicle ? image : image >> 3;
    COMBGPU__LOCAL const uint8_t *map = o->map + 200 * (k & 3);
    *square = o->squares + 25 * (i >> o->shift);
    *complement = o->from | k >> 2;
    return map + 25 * (o->frenicle ? combgpu_magic_frenicle(*square, map, *complement) : image & 7);
}

/* Hashes the squares noted last, 32 at a time, while `least` remain. */
COMBGPU__DEVICE void combgpu_five_ring_hash(COMBGPU__GROUP_PARAMETER, combgpu_five_output_t *o,
                                            uint32_t least)
{
    while (o->found >= least) {
        const uint32_t n = o->found < 32 ? o->found : 32;
        uint32_t i;
        o->found -= n;
        combgpu_five_ring_squares(COMBGPU__GROUP, o, o->found, n);
        for (i = COMBGPU__GROUP_LANE; i < n << o->shift; i += 32) {
            COMBGPU__LOCAL const uint8_t *square, *map;
            uint32_t complement;
            map = combgpu_five_ring_map(o, i, &square, &complement);
            o->hash += combgpu_five_fnv(square, map, complement);
        }
        COMBGPU__WARP_BARRIER();
    }
}

/* Copies bytes [begin, end) of the stage to `to`; begin and `to` are equal mod 4. */
COMBGPU__DEVICE void combgpu_five_ring_copy(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__LOCAL const uint8_t *stage, uint32_t begin,
                                            uint32_t end, COMBGPU__GLOBAL uint8_t *to)
{
    uint32_t i, k;
    for (i = (begin & ~3u) + 4 * COMBGPU__GROUP_LANE; i < end; i += 128)
        if (i >= begin && i + 4 <= end)
            *(COMBGPU__GLOBAL uint32_t *)(to + (i - begin)) =
                *(COMBGPU__LOCAL const uint32_t *)(stage + i);
        else
            for (k = i; k < i + 4; k++)
                if (k >= begin && k < end) to[k - begin] = stage[k];
}

/* Writes n images, from number i on of the squares made, where they are in the range; the first is
   number `at` of the list. */
COMBGPU__DEVICE void combgpu_five_ring_write(COMBGPU__GROUP_PARAMETER,
                                             const combgpu_five_output_t *o, uint32_t i, uint32_t n,
                                             uint32_t at)
{
    const uint64_t beyond = (uint64_t)o->first + o->most;
    const uint32_t begin = at < o->first ? o->first - at : 0, end = beyond >= (uint64_t)at + n ? n
                                                                    : beyond > at
                                                                        ? (uint32_t)(beyond - at)
                                                                        : 0;
    COMBGPU__GLOBAL uint8_t *to;
    uint32_t aside, k, c;
    if (begin >= end) return;
    to = o->out + (uint64_t)(at + begin - o->first) * 25;
    aside = ((uint32_t)(uint64_t)to - 25 * begin) & 3;
    for (k = COMBGPU__GROUP_LANE; k < n; k += 32) {
        COMBGPU__LOCAL uint8_t *image = o->stage + aside + 25 * k;
        COMBGPU__LOCAL const uint8_t *square, *map;
        uint32_t complement;
        map = combgpu_five_ring_map(o, i + k, &square, &complement);
        for (c = 0; c < 25; c++) {
            const uint32_t number = square[map[c]];
            image[c] = (uint8_t)(complement ? 26 - number : number);
        }
    }
    COMBGPU__WARP_BARRIER();
    combgpu_five_ring_copy(COMBGPU__GROUP, o->stage, aside + 25 * begin, aside + 25 * end, to);
    COMBGPU__WARP_BARRIER();
}
#endif
