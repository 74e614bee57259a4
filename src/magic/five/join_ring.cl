/* The join of order 5 where lanes exchange registers: 32 lanes are a worker, and take all ways of a
   pair together. They fill the ring with fewer paths of each way in all ways, in stages with a
   queue between them, so that few lanes idle:

   halves: the numbers x, z in two opposite corners, for which both corners between them have
           choices;
   sets:   a half with one of the choices c of its first corner, then one, d, of the other: the
           8 numbers that such a ring leaves must have a pair with the sum that the left and right
           middles of the other ring need, and one for its top and bottom middles;
   then these pairs are taken out, and the 4 other numbers put into the corners.

   Sets have 32 bits, bit v for number v. The mirror image of a set at r has bit v for number
   r - v, so the v of the set for which r - v is in the set are set & image. */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__MAGIC_STEPS 2 /* of two z, that make halves together */
#define COMBGPU__MAGIC_HALVES_ROOM 160
#define COMBGPU__MAGIC_HALVES_MOST (COMBGPU__MAGIC_HALVES_ROOM - 32 * COMBGPU__MAGIC_STEPS)
#define COMBGPU__MAGIC_SETS_ROOM 64  /* less than 32, and 32 more */
#define COMBGPU__MAGIC_GROUPS 4      /* in a block */
#define COMBGPU__MAGIC_RING_BLOCKS 7 /* on a multiprocessor */

/* Returns the bits in the opposite order. */
COMBGPU__DEVICE uint32_t combgpu_five_reverse(uint32_t x)
{
#ifdef __CUDACC__
    return __brev(x);
#else
    uint32_t y;
    __asm__("brev.b32 %0, %1;" : "=r"(y) : "r"(x));
    return y;
#endif
}

/* Returns the mirror image at 63 - shift of a set given in the opposite order; 0 if shift, without a
   sign, is above 63. */
COMBGPU__DEVICE uint32_t combgpu_five_image(uint32_t reversed, uint32_t shift)
{
    uint32_t image;
    __asm__("{ .reg .b64 x; mov.b64 x, {%1, %2}; shr.b64 x, x, %3; cvt.u32.u64 %0, x; }"
            : "=r"(image)
            : "r"(0), "r"(reversed), "r"(shift));
    return image;
}

/* Returns the greatest number of a set. */
COMBGPU__DEVICE uint32_t combgpu_five_greatest(uint32_t set)
{
    return 31 - COMBGPU__CLZ(set);
}

/* Returns the bit of n in the opposite order, or 0. */
COMBGPU__DEVICE uint32_t combgpu_five_reversed_bit(uint32_t n)
{
    return n < 32 ? 0x80000000u >> n : 0;
}

/* A group's local memory.
   path: [side][end]: the numbers at the side's other end, by place of this end.
   place: of a number: its bit in the opposite order; its bit | place << 26; the number << 8 and <<
   24.
   way: sides of the ring that is filled, 4 bits each, top, bottom, left, right, so that top and
   left have fewer paths | exchanged with bottom << 16, with right << 17, it is ring 2 << 18; 63 less
   the sums of top, left, right, bottom, a byte each; 63 less the sums of the other ring's top and
   left, a byte each; the excess of its left and right middles over the corners of the filled ring.
   halves: choices of c | way << 26; choices of d | place of x << 26; 63 less what x leaves of the
   top's sum, z of the left's, x of the right's, z of the bottom's, a byte each; x and z (as bits) |
   place of z << 26.
   sets: pairs of numbers that can be left and right middles of the other ring; top and bottom ones;
   all numbers that it has | way << 26; 63 less the sums of its left and right middles, of the two
   others << 6 | places of x << 12, of z << 16, c << 20, d << 25. */
typedef struct combgpu_five_ring_t {
    uint4 halves[COMBGPU__MAGIC_HALVES_ROOM];
    uint4 sets[COMBGPU__MAGIC_SETS_ROOM];
    uint4 way[COMBGPU__MAGIC_WAYS], place[16];
    uint32_t path[256];
    uint32_t squares[COMBGPU__MAGIC_WAYS];
    uint32_t sums[16], number[16], paths[16];
} combgpu_five_ring_t;

/* Makes the free numbers of a pair of diagonals, in order, and the 16 sums that a side can have. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_pair(COMBGPU__GROUP_PARAMETER,
                                                COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                COMBGPU__GLOBAL const uint32_t *pair)
{
    uint32_t a = pair[0] >> 5, b = pair[1], unused = 0x3fffffeu & ~(1u << (pair[0] & 31)),
             i = COMBGPU__GROUP_LANE;
    uint32_t shift;
    for (shift = 0; shift < 20; shift += 5)
        unused &= ~(1u << ((a >> shift) & 31) | 1u << ((b >> shift) & 31));
    if ((unused >> i) & 1) {
        uint32_t place = COMBGPU__POPCOUNT(unused & ((1u << i) - 1));
        uint4 entry;
        entry.x = 0x80000000u >> i, entry.y = 1u << i | place << 26, entry.z = i * 0x01000100u;
        entry.w = 0;
        r->place[place] = entry;
        r->number[place] = i;
    }
    if (i < 16) r->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);
    return unused;
}

/* Makes the paths of a pair. */
COMBGPU__DEVICE void combgpu_five_ring_paths(COMBGPU__GROUP_PARAMETER,
                                             COMBGPU__LOCAL combgpu_five_ring_t *r, uint32_t unused)
{
    uint32_t n = r->number[COMBGPU__GROUP_LANE & 15], i, paths = 0;
    uint32_t reversed = combgpu_five_reverse(unused & ~(1u << n));
    for (i = COMBGPU__GROUP_LANE; i < 256; i += 32) {
        uint32_t rest = r->sums[i >> 4] - n;
        uint32_t ends = unused & ~(1u << n) & combgpu_five_image(reversed, 63 - rest);
        if (!(rest & 1)) ends &= ~(1u << ((rest >> 1) & 31));
        r->path[i] = ends;
    }
    COMBGPU__WARP_BARRIER();
    for (i = 0; i < 16; i++) /* each lane begins at another bank */
        paths += COMBGPU__POPCOUNT(
            r->path[16 * (COMBGPU__GROUP_LANE & 15) + ((COMBGPU__GROUP_LANE + i) & 15)]);
    if (COMBGPU__GROUP_LANE < 16) r->paths[COMBGPU__GROUP_LANE] = paths;
    COMBGPU__WARP_BARRIER();
}

/* Returns an upper bound of the ways to fill a ring, 0 only if none exist. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_bound(COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                 uint32_t sides)
{
    return r->paths[sides & 15] * r->paths[(sides >> 4) & 15] * r->paths[(sides >> 8) & 15] *
           r->paths[(sides >> 12) & 15];
}

/* Prepares the ways from `begin` to `end`. */
COMBGPU__DEVICE void combgpu_five_ring_ways(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__LOCAL combgpu_five_ring_t *r,
                                            COMBGPU__GLOBAL const uint32_t *ways, uint32_t centre,
                                            uint32_t begin, uint32_t end)
{
    uint32_t w;
    for (w = begin + COMBGPU__GROUP_LANE; w < end; w += 32) {
        uint32_t way = ways[w], one = combgpu_five_ring_bound(r, way & 0xffff),
                 two = combgpu_five_ring_bound(r, way >> 16), ring = two < one;
        uint32_t sides = (ring ? way >> 16 : way) & 0xffff, other = ring ? way : way >> 16;
        uint32_t top = r->sums[other & 15], left = r->sums[(other >> 8) & 15];
        uint4 prepared;
        if (r->paths[sides & 15] > r->paths[(sides >> 4) & 15])
            sides = (sides & 0xff00) | (sides & 15) << 4 | ((sides >> 4) & 15) | 1u << 16;
        if (r->paths[(sides >> 8) & 15] > r->paths[(sides >> 12) & 15])
            sides = (sides & 0x100ff) | (sides & 0xf00) << 4 | ((sides >> 4) & 0xf00) | 1u << 17;
        prepared.x = one && two ? sides | ring << 18 : COMBGPU__NONE;
        prepared.y = 0x3f3f3f3fu - r->sums[sides & 15] - (r->sums[(sides >> 8) & 15] << 8) -
                     (r->sums[(sides >> 12) & 15] << 16) - (r->sums[(sides >> 4) & 15] << 24);
        prepared.z = 0x3f3fu - top - (left << 8);
        prepared.w = 65 - centre - top - r->sums[(other >> 4) & 15];
        r->way[w] = prepared;
        r->squares[w] = 0;
    }
    COMBGPU__WARP_BARRIER();
}

/* Stacks the halves of a way with z from place `step` on; returns the new count, and where to go
   on. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_halves(COMBGPU__GROUP_PARAMETER,
                                                  COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                  uint32_t way, uint32_t *step, uint32_t count)
{
    const uint4 prepared = r->way[way];
    const uint32_t lane = COMBGPU__GROUP_LANE & 15, odd = COMBGPU__GROUP_LANE >> 4,
                   below = (1u << COMBGPU__GROUP_LANE) - 1;
    const uint32_t n = r->number[lane], rests = prepared.y + n * 0x00010001u,
                   shifts = prepared.y + n * 0x01010101u;
    const uint32_t top = r->path[16 * (prepared.x & 15) + lane],
                   right = r->path[16 * ((prepared.x >> 12) & 15) + lane];
    /* z must not be x, and the two numbers beside a corner must differ */
    const uint32_t never =
        0x80000000u >> n |
        combgpu_five_reversed_bit(n + (prepared.y & 255) - ((prepared.y >> 8) & 255)) |
        combgpu_five_reversed_bit(n + ((prepared.y >> 16) & 255) - (prepared.y >> 24));
    COMBGPU__LOCAL const uint32_t *left = r->path + 16 * ((prepared.x >> 8) & 15) + odd;
    COMBGPU__LOCAL const uint32_t *bottom = r->path + (prepared.x & 0xf0) + odd;
    COMBGPU__LOCAL const uint4 *places = r->place + odd;
    uint32_t i = *step, k;
    way <<= 26;
    for (; i < 16 && count <= COMBGPU__MAGIC_HALVES_MOST; i += 2 * COMBGPU__MAGIC_STEPS)
        for (k = 0; k < 2 * COMBGPU__MAGIC_STEPS; k += 2) {
            const uint4 z = places[i + k];
            /* without those whose middle would be z or x */
            uint32_t first = top & left[i + k] &
                             ~(combgpu_five_image(z.x, shifts & 255) |
                               combgpu_five_image(z.x, (shifts >> 8) & 255));
            uint32_t second = right & bottom[i + k] &
                              ~(combgpu_five_image(z.x, (shifts >> 16) & 255) |
                                combgpu_five_image(z.x, shifts >> 24));
            uint32_t may = first && second && !(z.x & never), lanes = COMBGPU__GROUP_BALLOT(may);
            if (may) {
                uint4 item;
                item.x = first | way, item.y = second | lane << 26;
                item.z = rests + z.z, item.w = 1u << n | z.y;
                r->halves[count + COMBGPU__POPCOUNT(lanes & below)] = item;
            }
            count += COMBGPU__POPCOUNT(lanes);
        }
    *step = i;
    return count;
}
#endif
