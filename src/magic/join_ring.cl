/* The join of order 5 where lanes exchange registers: 32 lanes are a worker. A set of numbers is 32
   bits, bit v for number v. Its mirror image at r has bit v for number r - v, so the free numbers v
   for which r - v is free are free & image. */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__MAGIC_HASH_SLOTS 1024u /* of a hash table: a power of 2 */
#define COMBGPU__MAGIC_SLOT (0xffffffffu / COMBGPU__MAGIC_HASH_SLOTS + 1)
#define COMBGPU__MAGIC_PROBES 32u /* of the table for a set */
#define COMBGPU__MAGIC_QUEUE 128u
#define COMBGPU__MAGIC_GROUPS 4 /* in a block */
#define COMBGPU__MAGIC_RING_BLOCKS 8
#define COMBGPU__MAGIC_FOUND 384u /* squares of a list found at a time */
#define COMBGPU__MAGIC_RING_LIST_BLOCKS 5

/* Returns the bits in the opposite order. */
COMBGPU__DEVICE uint32_t combgpu_magic_reverse(uint32_t x)
{
#ifdef __CUDACC__
    return __brev(x);
#else
    uint32_t y;
    __asm__("brev.b32 %0, %1;" : "=r"(y) : "r"(x));
    return y;
#endif
}

/* Returns the mirror image at 63 - shift of a set given in the opposite order. */
COMBGPU__DEVICE uint32_t combgpu_magic_image(uint32_t reversed, uint32_t shift)
{
    return (uint32_t)(((uint64_t)reversed << 32) >> shift);
}

/* A group's local memory. An entry of `corner` is a number in a corner of a ring with two sides,
   one in the first half and one in the second: x = 63 - what is left of the first side's sum, y =
   the same for the second side, z = half of what is left of the second (as a bit; 0 if it is odd),
   w = the number (as a bit). Entries are by place among the free numbers: 16 for t3, 16 for b1,
   then the same with the sides exchanged. */
typedef struct combgpu_magic_ring_t {
    uint4 corner[64];
    uint32_t slots
        [COMBGPU__MAGIC_HASH_SLOTS]; /* hash table: sets of ring 1 | count (at most 18) << 27 */
    uint32_t queue
        [COMBGPU__MAGIC_QUEUE]; /* first halves: t3 << 4 | b1 << 20 | 31 - corner between << 27 */
    uint32_t sums[16], number[16];
} combgpu_magic_ring_t;

/* For lists. A filling is t3 | (first half leads through b3) << 5 | b1 << 6 | 31 - corner between
   << 10. */
typedef struct combgpu_magic_finds_t {
    uint16_t filling[COMBGPU__MAGIC_HASH_SLOTS]; /* of the table's sets */
    uint32_t key[COMBGPU__MAGIC_FOUND],
        find[COMBGPU__MAGIC_FOUND]; /* set of ring 1; its filling | filling of ring 2 << 16 */
    uint32_t count;
} combgpu_magic_finds_t;

/* Makes the free numbers of a pair of diagonals, in order, and the 16 sums that a side can have. */
COMBGPU__DEVICE uint32_t combgpu_magic_ring_pair(COMBGPU__GROUP_PARAMETER,
                                                 COMBGPU__LOCAL combgpu_magic_ring_t *r,
                                                 COMBGPU__GLOBAL const uint32_t *pair)
{
    uint32_t a = pair[0] >> 5, b = pair[1], unused = 0x3fffffeu & ~(1u << (pair[0] & 31)),
             i = COMBGPU__GROUP_LANE;
    uint32_t shift;
    for (shift = 0; shift < 20; shift += 5)
        unused &= ~(1u << ((a >> shift) & 31) | 1u << ((b >> shift) & 31));
    if ((unused >> i) & 1) r->number[COMBGPU__POPCOUNT(unused & ((1u << i) - 1))] = i;
    if (i < 16) r->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);
    return unused;
}

/* Makes the entries for the corners of a ring. */
COMBGPU__DEVICE void combgpu_magic_ring_corners(COMBGPU__GROUP_PARAMETER,
                                                COMBGPU__LOCAL combgpu_magic_ring_t *r,
                                                uint32_t way)
{
    uint32_t i = COMBGPU__GROUP_LANE, n = r->number[i & 15];
    uint32_t one = r->sums[(i < 16 ? way : way >> 8) & 15];       /* top or left */
    uint32_t two = r->sums[(i < 16 ? way >> 12 : way >> 4) & 15]; /* right or bottom */
    uint4 entry;
    one = one > n ? one - n : 0;
    two = two > n ? two - n : 0;
    entry.x = 63 - one, entry.y = 63 - two, entry.w = 1u << n;
    entry.z = two & 1 ? 0 : 1u << (two >> 1);
    r->corner[i] = entry;
    entry.x = 63 - two, entry.y = 63 - one;
    entry.z = one & 1 ? 0 : 1u << (one >> 1);
    r->corner[32 + i] = entry;
}

/* Makes all fillings of a ring. For numbers in t3 and b1, masks give the choices of the corners
   between them, t1 and b3. The half with fewer choices is the first, and each of its choices goes
   to the queue. For a first half from the queue, a mask gives the choices of the other corner; in a
   pass a lane probes the table once for one of them, and it takes a new first half when none is
   left. Ring 0 puts its sets into the table and returns nonzero if there is no room; ring 1 returns
   how many of the table's sets this lane's sets complete. Only sets whose hash equals `part` under
   `parts_mask` count. For lists the fillings are kept, and `part` is the set of numbers that t1 may
   have in ring 0. */
COMBGPU__DEVICE uint32_t combgpu_magic_ring_join(COMBGPU__GROUP_PARAMETER,
                                                 COMBGPU__LOCAL combgpu_magic_ring_t *r,
                                                 uint32_t unused, const uint32_t ring,
                                                 uint32_t part, uint32_t parts_mask,
                                                 const uint32_t list,
                                                 COMBGPU__LOCAL combgpu_magic_finds_t *f)
{
    const uint32_t last_probe = (list ? 2 : 1) * COMBGPU__MAGIC_PROBES * COMBGPU__MAGIC_SLOT;
    const uint32_t below = (1u << COMBGPU__GROUP_LANE) - 1;
    const uint4 x0 = r->corner[COMBGPU__GROUP_LANE & 15];
    const uint32_t x1_z = r->corner[32 + (COMBGPU__GROUP_LANE & 15)].z;
    uint32_t step = 0, choices = 0, base = 0, lanes = 0, result = 0;
    uint32_t second = 0, probe = 0, set = 0, x_shift = 0, z_shift = 0, more = 1, filling = 0;
    do {
        uint32_t count = 0, head = 0, at;
        for (;;) {
            lanes = COMBGPU__GROUP_BALLOT(choices);
            if (!lanes) {
                const uint32_t z = 16 + 2 * step + (COMBGPU__GROUP_LANE >> 4);
                uint4 z0;
                uint32_t may, reversed, two, z1_z;
                if (step == 8) break;
                z0 = r->corner[z], z1_z = r->corner[32 + z].z;
                may = unused & ~(x0.w | z0.w), reversed = combgpu_magic_reverse(may);
                choices = may & combgpu_magic_image(reversed, x0.x) &
                          combgpu_magic_image(reversed, z0.x) & ~(x1_z | z1_z);
                two = may & combgpu_magic_image(reversed, x0.y) &
                      combgpu_magic_image(reversed, z0.y) & ~(x0.z | z0.z);
                base = (COMBGPU__GROUP_LANE & 15) << 4 | z << 20;
                /* t3 and b1 must differ, and so must the two numbers beside a corner */
                if (x0.w == z0.w || x0.x == z0.x || x0.y == z0.y || !two) choices = 0;
                if (choices && COMBGPU__POPCOUNT(two) < COMBGPU__POPCOUNT(choices))
                    choices = two, base |= 0x2000200u;
                step++;
                continue;
            }
            if (choices) {
                const uint32_t c = COMBGPU__CLZ(choices);
                choices ^= 0x80000000u >> c;
                r->queue[count + COMBGPU__POPCOUNT(lanes & below)] = base | c << 27;
            }
            count += COMBGPU__POPCOUNT(lanes);
            if (count > COMBGPU__MAGIC_QUEUE - 32) break;
        }
        more = lanes;
        COMBGPU__WARP_BARRIER();
        for (;;) {
            lanes = COMBGPU__GROUP_BALLOT(!second);
            if (head >= count && (more || lanes == COMBGPU__NONE)) break;
            at = head + COMBGPU__POPCOUNT(lanes & below);
            head += COMBGPU__POPCOUNT(lanes);
            if (!second && at < count) {
                const uint32_t code = r->queue[at], c = 0x80000000u >> (code >> 27);
                if (list) filling = (code >> 4 & 63) | (code >> 20 & 15) << 6 | code >> 27 << 10;
                const uint4 x = r->corner[(code >> 4) & 63], z = r->corner[(code >> 20) & 63];
                uint32_t reversed = 1u << (code >> 27), may;
                set = c | combgpu_magic_image(reversed, x.x) | combgpu_magic_image(reversed, z.x) |
                      x.w | z.w;
                may = unused & ~set;
                reversed = combgpu_magic_reverse(may);
                second = may & combgpu_magic_image(reversed, x.y) &
                         combgpu_magic_image(reversed, z.y) & ~(x.z | z.z);
                if (ring) set ^= unused;
                x_shift = x.y, z_shift = z.y;
            }
            if (second) {
                const uint32_t low = second & (0u - second), reversed = combgpu_magic_reverse(low);
                const uint32_t key = set ^ (low | combgpu_magic_image(reversed, x_shift) |
                                            combgpu_magic_image(reversed, z_shift));
                const uint32_t hash = key * 0x9e3779b1u + probe;
                COMBGPU__LOCAL uint32_t *slot = &r->slots[hash / COMBGPU__MAGIC_SLOT];
                uint32_t there = 0;
                if (list) {
                    const uint32_t t1 = filling & 32 ? low : 0x80000000u >> (filling >> 10);
                    if (ring)
                        there = *slot;
                    else if (t1 & part) {
                        there = COMBGPU__LOCAL_ATOMIC_CAS(slot, 0, key);
                        if (!there) f->filling[hash / COMBGPU__MAGIC_SLOT] = (uint16_t)filling;
                    }
                    if (ring && there == key) {
                        const uint32_t n = COMBGPU__LOCAL_ATOMIC_ADD(&f->count, 1);
                        if (n < COMBGPU__MAGIC_FOUND) {
                            f->key[n] = key;
                            f->find[n] =
                                (uint32_t)f->filling[hash / COMBGPU__MAGIC_SLOT] | filling << 16;
                        }
                    }
                } else if ((hash & parts_mask) == part)
                    there = ring ? *slot : COMBGPU__LOCAL_ATOMIC_CAS(slot, 0, key | 1u << 27);
                probe += COMBGPU__MAGIC_SLOT;
                if (!list && !((there ^ key) << 5)) {
                    if (ring)
                        result += there >> 27;
                    else
                        COMBGPU__LOCAL_ATOMIC_ADD(slot, 1u << 27);
                    there = 0;
                }
                if (!ring && there && probe == last_probe) result = 1;
                if (!there || probe == last_probe) second ^= low, probe = 0;
            }
        }
        COMBGPU__WARP_BARRIER();
    } while (more && (ring || !COMBGPU__GROUP_ANY(result)));
    return result;
}

/* Returns this lane's share of the squares of a configuration, up to the M-group. If the table has
   no room, it takes the sets in classes by hash, one class after the other. */
COMBGPU__DEVICE uint32_t combgpu_magic_ring_squares(COMBGPU__GROUP_PARAMETER,
                                                    COMBGPU__LOCAL combgpu_magic_ring_t *r,
                                                    uint32_t unused, uint32_t way)
{
    uint32_t part = 0, parts_mask = 0, squares = 0, i;
    do {
        COMBGPU__LOCAL uint64_t *zeroed = (COMBGPU__LOCAL uint64_t *)r->slots;
        for (i = COMBGPU__GROUP_LANE; i < COMBGPU__MAGIC_HASH_SLOTS / 2; i += 32)
            zeroed[i] = 0;
        combgpu_magic_ring_corners(COMBGPU__GROUP, r, way);
        COMBGPU__WARP_BARRIER();
        i = combgpu_magic_ring_join(COMBGPU__GROUP, r, unused, 0, part, parts_mask, 0, 0);
        if (COMBGPU__GROUP_ANY(i)) {
            squares = part = 0, parts_mask = parts_mask << 1 | 256;
            continue;
        }
        combgpu_magic_ring_corners(COMBGPU__GROUP, r, way >> 16);
        COMBGPU__WARP_BARRIER();
        squares += combgpu_magic_ring_join(COMBGPU__GROUP, r, unused, 1, part, parts_mask, 0, 0);
        part += 256;
    } while (part <= parts_mask);
    return squares;
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__MAGIC_GROUPS, COMBGPU__MAGIC_RING_BLOCKS)
combgpu_magic_join(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_magic_ring_t rings[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL combgpu_magic_ring_t *r = &rings[COMBGPU__LANE_ID / 32];
    combgpu_magic_books_t books;
    uint32_t pair = COMBGPU__NONE, unused = 0, full = 0, number, squares;
    COMBGPU__GROUP_BEGIN(32);
    (void)work;
    books.next = books.end = books.steps = books.centre = 0;
    books.joined = books.hash = 0;
    for (;;) {
        number = COMBGPU__NONE;
        if (COMBGPU__GROUP_LANE == 0 && COMBGPU__GROUP_INDEX < slice->workers)
            number = combgpu_magic_next(&books, slice, tasks, left, full);
        number = COMBGPU__GROUP_FROM(number, 0);
        if (number == COMBGPU__NONE) break;
        if (pair != number / COMBGPU__MAGIC_WAYS) {
            pair = number / COMBGPU__MAGIC_WAYS;
            unused = combgpu_magic_ring_pair(COMBGPU__GROUP, r,
                                             tables + COMBGPU__JOIN_AT_PAIR + 2 * pair);
            COMBGPU__WARP_BARRIER();
        }
        squares = combgpu_magic_ring_squares(
            COMBGPU__GROUP, r, unused, tables[COMBGPU__JOIN_AT_WAY + number % COMBGPU__MAGIC_WAYS]);
        squares = COMBGPU__GROUP_ADD(squares);
        if (COMBGPU__GROUP_LANE == 0)
            full = !combgpu_magic_book(&books, slice, tables, records, squares);
    }
    if (COMBGPU__GROUP_LANE == 0) {
        combgpu_add_total(slice, 0, books.steps);
        combgpu_add_total(slice, COMBGPU__MAGIC_HASH, books.hash);
        if (books.joined)
            combgpu_add_total(slice, COMBGPU__MAGIC_JOINED + books.centre, books.joined);
    }
}
#endif
