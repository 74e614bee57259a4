#ifdef COMBGPU_SHUFFLE
/* The join where lanes exchange registers: 32 of them are a worker. A set of numbers is a u32 with bit v
   for number v. Its mirror image at r has bit v for number r - v: then the free numbers v that leave a
   free number r - v are free & image. */
#define MAGIC_SLOTS 1024u /* of a hash table: a power of 2 */
#define MAGIC_SLOT (0xffffffffu / MAGIC_SLOTS + 1)
#define MAGIC_PROBES 32u /* of the table for a set */
#define MAGIC_QUEUE 128u
#define MAGIC_GROUPS 4 /* in a block */
#define MAGIC_RING_BLOCKS 8
#define MAGIC_FOUND 384u /* squares of a list found at a time */
#define MAGIC_RING_LIST_BLOCKS 5

/* The bits in the opposite order. */
DEVICE u32 combgpu_magic_reverse(u32 x)
{
#ifdef __CUDACC__
    return __brev(x);
#else
    u32 y;
    __asm__("brev.b32 %0, %1;" : "=r"(y) : "r"(x));
    return y;
#endif
}

/* The mirror image at 63 - shift of a set in the opposite order. */
DEVICE u32 combgpu_magic_image(u32 reversed, u32 shift)
{
    return (u32)(((u64)reversed << 32) >> shift);
}

/* A group's local memory. A number in a corner of a ring, with a side in which it completes a first
   half and one of a second half: x = 63 - what is left of the first side's sum, y = the same of the
   second, z = half of that if it is a number, else 0, w = the number. Entries are by place among the
   free numbers, 16 for t3, 16 for b1, and then the same with first and second exchanged. */
typedef struct combgpu_magic_ring_t {
    uint4 corner[64];
    u32 slots[MAGIC_SLOTS]; /* hash table: sets of ring 1, how many times (at most 18) << 27 */
    u32 queue[MAGIC_QUEUE]; /* first halves: t3 << 4 | b1 << 20 | 31 - corner between << 27 */
    u32 sums[16], number[16];
} combgpu_magic_ring_t;

/* For lists. A filling: t3 | (first half over b3) << 5 | b1 << 6 | 31 - corner between << 10. */
typedef struct combgpu_magic_finds_t {
    u16 filling[MAGIC_SLOTS];                  /* of the table's sets */
    u32 key[MAGIC_FOUND], find[MAGIC_FOUND]; /* set of ring 1; its filling, that of ring 2 << 16 */
    u32 count;
} combgpu_magic_finds_t;

/* The free numbers of a pair of diagonals, in order, and the 16 sums that a side can have. */
DEVICE u32 combgpu_magic_ring_pair(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r,
                                   GLOBAL const u32 *pair)
{
    u32 a = pair[0] >> 5, b = pair[1], unused = 0x3fffffeu & ~(1u << (pair[0] & 31)), i = GROUP_LANE;
    u32 shift;
    for (shift = 0; shift < 20; shift += 5)
        unused &= ~(1u << ((a >> shift) & 31) | 1u << ((b >> shift) & 31));
    if ((unused >> i) & 1) r->number[POPCOUNT(unused & ((1u << i) - 1))] = i;
    if (i < 16) r->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);
    return unused;
}

/* The entries for the corners of a ring. */
DEVICE void combgpu_magic_ring_corners(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r, u32 way)
{
    u32 i = GROUP_LANE, n = r->number[i & 15];
    u32 one = r->sums[(i < 16 ? way : way >> 8) & 15]; /* top or left */
    u32 two = r->sums[(i < 16 ? way >> 12 : way >> 4) & 15]; /* right or bottom */
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

/* All fillings of a ring. For numbers in t3 and b1 the corners between them, t1 and b3, follow from
   masks; of the two halves the one with fewer choices is the first, and each of them goes to the
   queue. For a first half in the queue the choices of the other corner are a mask again: a lane
   takes one of them, probes the table once in a pass, and takes a new first half when there are no
   more. Ring 0 puts its sets into the table and returns nonzero if it has no room; ring 1 returns,
   for this lane, how many sets are there that its sets complete. Only of sets whose hash has these
   bits under a mask. For lists the fillings are kept, not only their number, and `part` is the set of
   numbers that t1 may have in ring 0. */
DEVICE u32 combgpu_magic_ring_join(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r, u32 unused,
                                   const u32 ring, u32 part, u32 parts_mask, const u32 list,
                                   LOCAL combgpu_magic_finds_t *f)
{
    const u32 last_probe = (list ? 2 : 1) * MAGIC_PROBES * MAGIC_SLOT;
    const u32 below = (1u << GROUP_LANE) - 1;
    const uint4 x0 = r->corner[GROUP_LANE & 15];
    const u32 x1_z = r->corner[32 + (GROUP_LANE & 15)].z;
    u32 step = 0, choices = 0, base = 0, lanes = 0, result = 0;
    u32 second = 0, probe = 0, set = 0, x_shift = 0, z_shift = 0, more = 1, filling = 0;
    do {
        u32 count = 0, head = 0, at;
        for (;;) {
            lanes = GROUP_BALLOT(choices);
            if (!lanes) {
                const u32 z = 16 + 2 * step + (GROUP_LANE >> 4);
                uint4 z0;
                u32 may, reversed, two, z1_z;
                if (step == 8) break;
                z0 = r->corner[z], z1_z = r->corner[32 + z].z;
                may = unused & ~(x0.w | z0.w), reversed = combgpu_magic_reverse(may);
                choices = may & combgpu_magic_image(reversed, x0.x) &
                          combgpu_magic_image(reversed, z0.x) & ~(x1_z | z1_z);
                two = may & combgpu_magic_image(reversed, x0.y) &
                      combgpu_magic_image(reversed, z0.y) & ~(x0.z | z0.z);
                base = (GROUP_LANE & 15) << 4 | z << 20;
                /* not the same number in both, or twice beside a corner */
                if (x0.w == z0.w || x0.x == z0.x || x0.y == z0.y || !two) choices = 0;
                if (choices && POPCOUNT(two) < POPCOUNT(choices)) choices = two, base |= 0x2000200u;
                step++;
                continue;
            }
            if (choices) {
                const u32 c = CLZ(choices);
                choices ^= 0x80000000u >> c;
                r->queue[count + POPCOUNT(lanes & below)] = base | c << 27;
            }
            count += POPCOUNT(lanes);
            if (count > MAGIC_QUEUE - 32) break;
        }
        more = lanes;
        CREW_BARRIER();
        for (;;) {
            lanes = GROUP_BALLOT(!second);
            if (head >= count && (more || lanes == NONE)) break;
            at = head + POPCOUNT(lanes & below);
            head += POPCOUNT(lanes);
            if (!second && at < count) {
                const u32 code = r->queue[at], c = 0x80000000u >> (code >> 27);
                if (list) filling = (code >> 4 & 63) | (code >> 20 & 15) << 6 | code >> 27 << 10;
                const uint4 x = r->corner[(code >> 4) & 63], z = r->corner[(code >> 20) & 63];
                u32 reversed = 1u << (code >> 27), may;
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
                const u32 low = second & (0u - second), reversed = combgpu_magic_reverse(low);
                const u32 key = set ^ (low | combgpu_magic_image(reversed, x_shift) |
                                       combgpu_magic_image(reversed, z_shift));
                const u32 hash = key * 0x9e3779b1u + probe;
                LOCAL u32 *slot = &r->slots[hash / MAGIC_SLOT];
                u32 there = 0;
                if (list) {
                    const u32 t1 = filling & 32 ? low : 0x80000000u >> (filling >> 10);
                    if (ring)
                        there = *slot;
                    else if (t1 & part) {
                        there = LOCAL_ATOMIC_CAS(slot, 0, key);
                        if (!there) f->filling[hash / MAGIC_SLOT] = (u16)filling;
                    }
                    if (ring && there == key) {
                        const u32 n = LOCAL_ATOMIC_ADD(&f->count, 1);
                        if (n < MAGIC_FOUND) {
                            f->key[n] = key;
                            f->find[n] = (u32)f->filling[hash / MAGIC_SLOT] | filling << 16;
                        }
                    }
                } else if ((hash & parts_mask) == part)
                    there = ring ? *slot : LOCAL_ATOMIC_CAS(slot, 0, key | 1u << 27);
                probe += MAGIC_SLOT;
                if (!list && !((there ^ key) << 5)) {
                    if (ring)
                        result += there >> 27;
                    else
                        LOCAL_ATOMIC_ADD(slot, 1u << 27);
                    there = 0;
                }
                if (!ring && there && probe == last_probe) result = 1;
                if (!there || probe == last_probe) second ^= low, probe = 0;
            }
        }
        CREW_BARRIER();
    } while (more && (ring || !GROUP_ANY(result)));
    return result;
}

/* This lane's share of the squares of a configuration, up to the M-group. A table without room takes
   the sets by their hashes' classes, one after the other. */
DEVICE u32 combgpu_magic_ring_squares(GROUP_PARAMETER, LOCAL combgpu_magic_ring_t *r, u32 unused,
                                      u32 way)
{
    u32 part = 0, parts_mask = 0, squares = 0, i;
    do {
        LOCAL u64 *zeroed = (LOCAL u64 *)r->slots;
        for (i = GROUP_LANE; i < MAGIC_SLOTS / 2; i += 32)
            zeroed[i] = 0;
        combgpu_magic_ring_corners(GROUP, r, way);
        CREW_BARRIER();
        i = combgpu_magic_ring_join(GROUP, r, unused, 0, part, parts_mask, 0, 0);
        if (GROUP_ANY(i)) {
            squares = part = 0, parts_mask = parts_mask << 1 | 256;
            continue;
        }
        combgpu_magic_ring_corners(GROUP, r, way >> 16);
        CREW_BARRIER();
        squares += combgpu_magic_ring_join(GROUP, r, unused, 1, part, parts_mask, 0, 0);
        part += 256;
    } while (part <= parts_mask);
    return squares;
}

KERNEL_BLOCKS(32 * MAGIC_GROUPS, MAGIC_RING_BLOCKS) combgpu_magic_join(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY combgpu_magic_ring_t rings[MAGIC_GROUPS];
    LOCAL combgpu_magic_ring_t *r = &rings[LANE_ID / 32];
    combgpu_magic_books_t books;
    u32 pair = NONE, unused = 0, full = 0, number, squares;
    GROUP_BEGIN(32);
    (void)work;
    books.next = books.end = books.steps = books.centre = 0;
    books.joined = books.hash = 0;
    for (;;) {
        number = NONE;
        if (GROUP_LANE == 0 && GROUP_INDEX < slice->workers)
            number = combgpu_magic_next(&books, slice, tasks, left, full);
        number = GROUP_FROM(number, 0);
        if (number == NONE) break;
        if (pair != number / MAGIC_WAYS) {
            pair = number / MAGIC_WAYS;
            unused = combgpu_magic_ring_pair(GROUP, r, tables + 294 + 2 * pair);
            CREW_BARRIER();
        }
        squares = combgpu_magic_ring_squares(GROUP, r, unused, tables[258 + number % MAGIC_WAYS]);
        squares = GROUP_ADD(squares);
        if (GROUP_LANE == 0) full = !combgpu_magic_book(&books, slice, tables, records, squares);
    }
    if (GROUP_LANE == 0) {
        combgpu_add_total(slice, 0, books.steps);
        combgpu_add_total(slice, 1, books.hash);
        if (books.joined) combgpu_add_total(slice, 1 + books.centre, books.joined);
    }
}
#else
KERNEL_BLOCKS(256, MAGIC_JOIN_BLOCKS) combgpu_magic_join(SLICE_ARGUMENTS)
{
    LOCAL_ARRAY u64 zeroed[MAGIC_WORDS / 2];
    LOCAL_ARRAY u32 rank[256], sums[16];
    LOCAL_ARRAY u32 shared[4]; /* configuration, squares, items of ring 1, of ring 2 */
    LOCAL_ARRAY u16 path[4096], corner[256], bit[32], items[MAGIC_ITEMS], others[256];
    LOCAL_ARRAY u8 numbers[16];
    combgpu_magic_join_t j;
    combgpu_magic_books_t books;
    u32 i, pair = NONE, busy = 0, full = 0, squares;
    (void)work;
    j.counts = (LOCAL u32 *)zeroed, j.rank = rank, j.sums = sums, j.path = path, j.corner = corner;
    j.bit = bit, j.items = items, j.others = others, j.number = numbers;
    books.next = books.end = books.steps = books.centre = 0;
    books.joined = books.hash = 0;
    for (i = LANE_ID; i < 256; i += BLOCK_LANES)
        rank[i] = tables[2 + i];
    for (;;) {
        u32 number, way, fresh;
        if (LANE_ID == 0) {
            if (busy) full = !combgpu_magic_book(&books, slice, tables, records, shared[1]);
            shared[0] = combgpu_magic_next(&books, slice, tasks, left, full);
            shared[1] = shared[2] = shared[3] = 0;
        }
        LOCAL_BARRIER();
        number = shared[0];
        if (number == NONE) break;
        busy = 1;
        fresh = pair != number / MAGIC_WAYS;
        pair = number / MAGIC_WAYS;
        if (fresh) combgpu_magic_pair_numbers(&j, tables + 294 + 2 * pair);
        for (i = LANE_ID; i < MAGIC_WORDS / 2; i += BLOCK_LANES)
            zeroed[i] = 0;
        LOCAL_BARRIER();
        if (fresh) combgpu_magic_pair_paths(&j);
        LOCAL_BARRIER();
        way = tables[258 + number % MAGIC_WAYS];
        combgpu_magic_ring_items(&j, way, &shared[2]);
        LOCAL_BARRIER();
        combgpu_magic_ring_fill(&j, way, shared[2], 1);
        LOCAL_BARRIER();
        combgpu_magic_ring_items(&j, way >> 16, &shared[3]);
        LOCAL_BARRIER();
        squares = combgpu_magic_ring_fill(&j, way >> 16, shared[3], 2);
        if (squares) LOCAL_ATOMIC_ADD(&shared[1], squares);
        LOCAL_BARRIER();
    }
    if (LANE_ID == 0) {
        combgpu_add_total(slice, 0, books.steps);
        combgpu_add_total(slice, 1, books.hash);
        if (books.joined) combgpu_add_total(slice, 1 + books.centre, books.joined);
    }
}
#endif

/* The list of order 5 (combgpu.h, SECTION 20): the block is a worker and takes pairs of diagonals; for
   each of the 36 ways it finds the fillings of both rings that make squares, puts the squares in
   order, and hashes or writes them, or only counts them. Words of `tables` as there. */
#define MAGIC_GOAL (tables[0]) /* 0 = hash, 1 = write, 2 = count */
#define MAGIC_OFFSET(pair) (tables[294 + 2 * tables[1] + (pair)])
#define MAGIC_PARAMETER(i) (tables[294 + 3 * tables[1] + (i)])
#define MAGIC_CENTRE MAGIC_PARAMETER(0)
#define MAGIC_FRENICLE MAGIC_PARAMETER(1)

