/* Joins two rings of order 5 (five/join.c): for lists, and for the count where lanes cannot
   exchange registers. A block is a worker and takes configurations one by one. A number is its
   place among the 16 free ones, a set 16 bits. A path over a side leads from an end over a middle
   to a corner. A ring t1 t3 b1 b3 is cut at its corners x = t3 and z = b1: the first half is the
   path from x over the top to t1, then over the left to z; the second half leads over right and
   bottom through b3. */
#define COMBGPU__MAGIC_HALVES 2016 /* halves: at most 168 paths over a side, each 12 times */
#define COMBGPU__MAGIC_WORDS 3218  /* counts of the 12,870 sets of 8, a byte each */
#define COMBGPU__MAGIC_MARKS 403   /* the same sets, a bit each */
#define COMBGPU__MAGIC_FINDS 1280  /* squares of a configuration: at most 1,256 */
#define COMBGPU__MAGIC_CHUNK 32u   /* squares written together */
#ifndef COMBGPU__MAGIC_JOIN_BLOCKS
#define COMBGPU__MAGIC_JOIN_BLOCKS 8
#define COMBGPU__MAGIC_LIST_BLOCKS 6
#endif

typedef struct combgpu_five_join_t {
    COMBGPU__LOCAL uint16_t *path; /* [side][end][corner]: the set of corner and middle; 0 = none */
    COMBGPU__LOCAL uint16_t *corner; /* [side][end]: the corners that have a path */
    COMBGPU__LOCAL uint16_t *bit;    /* of a number; 0 = not free */
    COMBGPU__LOCAL uint16_t *items,
        *others; /* halves, x << 8 | z << 4 | t1; by x << 4 | z, the corners b3 */
    COMBGPU__LOCAL uint8_t *number;
    COMBGPU__LOCAL uint32_t *counts, *rank, *sums;
    COMBGPU__LOCAL uint32_t *marks, *shared; /* for combgpu_magic_lists */
    COMBGPU__LOCAL uint16_t *found;
} combgpu_five_join_t;

/* Makes the free numbers of a pair of diagonals, and the 16 sums that a side can have. */
COMBGPU__DEVICE void combgpu_five_pair_numbers(const combgpu_five_join_t *j,
                                               COMBGPU__GLOBAL const uint32_t *pair)
{
    uint32_t a = pair[0] >> 5, b = pair[1], unused = 0x3fffffeu & ~(1u << (pair[0] & 31)), i, v;
    for (i = 0; i < 20; i += 5)
        unused &= ~(1u << ((a >> i) & 31) | 1u << ((b >> i) & 31));
    for (v = COMBGPU__LANE_ID; v < 32; v += COMBGPU__BLOCK_LANES) {
        uint32_t place = COMBGPU__POPCOUNT(unused & ((1u << v) - 1));
        j->bit[v] = (uint16_t)(((unused >> v) & 1) << (place & 15));
        if ((unused >> v) & 1) j->number[place] = (uint8_t)v;
    }
    for (i = COMBGPU__LANE_ID; i < 16; i += COMBGPU__BLOCK_LANES)
        j->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);
}

/* Makes all paths, from the numbers and sums. */
COMBGPU__DEVICE void combgpu_five_pair_paths(const combgpu_five_join_t *j)
{
    uint32_t i, c;
    for (i = COMBGPU__LANE_ID; i < 256; i += COMBGPU__BLOCK_LANES) {
        uint32_t end = i & 15, rest = j->sums[i >> 4] - j->number[end], corners = 0;
        for (c = 0; c < 16; c++) {
            uint32_t middle = rest - j->number[c], bits = middle < 32 ? j->bit[middle] : 0;
            if (c == end || (bits & (1u << c | 1u << end))) bits = 0;
            j->path[16 * i + c] = (uint16_t)(bits ? bits | 1u << c : 0);
            corners |= (bits ? 1u : 0u) << c;
        }
        j->corner[i] = (uint16_t)corners;
    }
}

/* Returns the corners of the paths over two sides between x and z. */
COMBGPU__DEVICE uint32_t combgpu_five_halves(const combgpu_five_join_t *j, uint32_t side_x,
                                             uint32_t side_z, uint32_t x, uint32_t z)
{
    uint32_t used = j->path[256 * side_x + 16 * x + z] | j->path[256 * side_z + 16 * z + x] |
                    1u << x | 1u << z; /* these would have z or x as a middle */
    uint32_t corners = j->corner[16 * side_x + x] & j->corner[16 * side_z + z] & ~used;
    uint32_t same = j->sums[side_x] - j->number[x] ==
                    j->sums[side_z] - j->number[z]; /* both middles are equal */
    return x == z || same ? 0 : corners;
}

/* Lists the first halves that have a second one. */
COMBGPU__DEVICE void combgpu_five_ring_items(const combgpu_five_join_t *j, uint32_t way,
                                             COMBGPU__LOCAL uint32_t *count)
{
    uint32_t top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15,
             right = (way >> 12) & 15;
    uint32_t i, at;
    for (i = COMBGPU__LANE_ID; i < 256; i += COMBGPU__BLOCK_LANES) {
        uint32_t x = i >> 4, z = i & 15;
        uint32_t second = combgpu_five_halves(j, right, bottom, x, z);
        uint32_t first = second ? combgpu_five_halves(j, top, left, x, z) : 0;
        if (!first) continue;
        j->others[i] = (uint16_t)second;
        at = COMBGPU__LOCAL_ATOMIC_ADD(count, COMBGPU__POPCOUNT(first));
        for (; first; first &= first - 1, at++)
            j->items[at] = (uint16_t)(i << 4 | COMBGPU__CTZ(first));
    }
}

/* Returns the rank of a set of 8. */
COMBGPU__DEVICE uint32_t combgpu_five_rank(const combgpu_five_join_t *j, uint32_t set)
{
    return (j->rank[set & 255] & 0xffffu) + (j->rank[(set >> 8) & 255] >> 16);
}

/* Returns the set of a ring's filling with corners c = t1, x = t3, z = b1, d = b3. */
COMBGPU__DEVICE uint32_t combgpu_five_set(const combgpu_five_join_t *j, uint32_t way, uint32_t c,
                                          uint32_t x, uint32_t z, uint32_t d)
{
    uint32_t top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15,
             right = (way >> 12) & 15;
    return 1u << x | 1u << z | j->path[256 * top + 16 * x + c] | j->path[256 * left + 16 * z + c] |
           j->path[256 * right + 16 * x + d] | j->path[256 * bottom + 16 * z + d];
}

/* For lists. In pass 3 a filling of ring 1 marks its set; in pass 4 a filling of ring 2 whose
   complement is marked is a find, and gives the complement a second mark; in pass 5 a filling of
   ring 1 whose set has the second mark is a find. */
COMBGPU__DEVICE void combgpu_five_find(const combgpu_five_join_t *j, uint32_t pass, uint32_t set,
                                       uint32_t code)
{
    uint32_t rank = combgpu_five_rank(j, pass == 4 ? ~set : set), bit = 1u << (rank & 31), at;
    COMBGPU__LOCAL uint32_t *marked = &j->marks[rank >> 5];
    if (pass == 3) {
        COMBGPU__LOCAL_ATOMIC_OR(marked, bit);
        return;
    }
    if (!(marked[pass == 4 ? 0 : COMBGPU__MAGIC_MARKS] & bit)) return;
    if (pass == 4) COMBGPU__LOCAL_ATOMIC_OR(marked + COMBGPU__MAGIC_MARKS, bit);
    at = COMBGPU__LOCAL_ATOMIC_ADD(&j->shared[pass], 1);
    if (at < COMBGPU__MAGIC_FINDS)
        j->found[(pass - 4) * COMBGPU__MAGIC_FINDS + at] = (uint16_t)code;
}

/* Joins second halves to the first halves. Ring 1 counts the sets; ring 2 returns the sum, over its
   sets, of the ways to fill ring 1 with the other numbers. `ring` 3, 4, 5 are a list's passes over
   rings 1, 2, 1. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_fill(const combgpu_five_join_t *j, uint32_t way,
                                                uint32_t n, uint32_t ring)
{
    uint32_t top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15,
             right = (way >> 12) & 15;
    uint32_t i, sum = 0;
    for (i = COMBGPU__LANE_ID; i < n; i += COMBGPU__BLOCK_LANES) {
        uint32_t item = j->items[i], x = item >> 8, z = (item >> 4) & 15, c = item & 15;
        uint32_t used =
            j->path[256 * top + 16 * x + c] | j->path[256 * left + 16 * z + c] | 1u << x | 1u << z;
        uint32_t corners = j->others[item >> 4] & ~used;
        for (; corners; corners &= corners - 1) {
            uint32_t d = COMBGPU__CTZ(corners), rank;
            uint32_t more = j->path[256 * right + 16 * x + d] | j->path[256 * bottom + 16 * z + d];
            if (used & more) continue;
            if (ring > 2) {
                combgpu_five_find(j, ring, used | more, c << 12 | x << 8 | z << 4 | d);
                continue;
            }
            rank = combgpu_five_rank(j, ring == 2 ? ~(used | more) : used | more);
            if (ring == 1)
                COMBGPU__LOCAL_ATOMIC_ADD(&j->counts[rank >> 2], 1u << (8 * (rank & 3)));
            else
                sum += (j->counts[rank >> 2] >> (8 * (rank & 3))) & 255;
        }
    }
    return sum;
}

/* The books of lane 0. */
typedef struct combgpu_five_books_t {
    uint32_t next, end; /* configurations of the task not yet joined */
    uint32_t steps, centre;
    uint64_t joined, hash; /* joined: of `centre` */
} combgpu_five_books_t;

/* Lane 0: books the result of configuration books->next. Returns 0 without room for its record. */
COMBGPU__DEVICE uint32_t combgpu_five_book(combgpu_five_books_t *books,
                                           COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL uint32_t *records, uint32_t squares)
{
    uint32_t centre = tables[COMBGPU__JOIN_AT_PAIR + 2 * (books->next / COMBGPU__MAGIC_WAYS)] & 31;
    if (squares && tables[COMBGPU__JOIN_AT_LIST]) {
        uint32_t at = combgpu_emit(slice);
        if (at == COMBGPU__NONE) return 0;
        records[2 * at] = books->next;
        records[2 * at + 1] = squares;
    }
    if (centre != books->centre) {
        if (books->joined)
            combgpu_add_total(slice, COMBGPU__MAGIC_JOINED + books->centre, books->joined);
        books->joined = 0;
        books->centre = centre;
    }
    books->joined += squares;
    books->hash += combgpu_mix((uint64_t)books->next << 32 | squares);
    books->steps++;
    books->next++;
    return 1;
}

/* Lane 0: returns the next configuration, or COMBGPU__NONE at the end of the slice. */
COMBGPU__DEVICE uint32_t combgpu_five_next(combgpu_five_books_t *books,
                                           COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tasks,
                                           COMBGPU__GLOBAL uint32_t *left, uint32_t full)
{
    uint32_t ends = full || combgpu_spent(slice, books->steps), at;
    if (books->next < books->end) {
        if (!ends) return books->next;
        combgpu_give_range(slice, left, books->next, books->end);
        return COMBGPU__NONE;
    }
    if (ends) return COMBGPU__NONE;
    at = combgpu_take(slice);
    if (at == COMBGPU__NONE) return COMBGPU__NONE;
    books->next = tasks[4 * at];
    books->end = tasks[4 * at + 2];
    return books->next;
}

#ifndef COMBGPU_SHUFFLE
COMBGPU__KERNEL_BLOCKS(256, COMBGPU__MAGIC_JOIN_BLOCKS) combgpu_magic_join(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint64_t zeroed[COMBGPU__MAGIC_WORDS / 2];
    COMBGPU__LOCAL_ARRAY uint32_t rank[256], sums[16];
    COMBGPU__LOCAL_ARRAY uint32_t
        shared[4]; /* configuration, squares, items of ring 1, of ring 2 */
    COMBGPU__LOCAL_ARRAY uint16_t path[4096], corner[256], bit[32], items[COMBGPU__MAGIC_HALVES],
        others[256];
    COMBGPU__LOCAL_ARRAY uint8_t numbers[16];
    combgpu_five_join_t j;
    combgpu_five_books_t books;
    uint32_t i, pair = COMBGPU__NONE, busy = 0, full = 0, squares;
    (void)work;
    j.counts = (COMBGPU__LOCAL uint32_t *)zeroed, j.rank = rank, j.sums = sums, j.path = path,
    j.corner = corner;
    j.bit = bit, j.items = items, j.others = others, j.number = numbers;
    books.next = books.end = books.steps = books.centre = 0;
    books.joined = books.hash = 0;
    for (i = COMBGPU__LANE_ID; i < 256; i += COMBGPU__BLOCK_LANES)
        rank[i] = tables[COMBGPU__JOIN_AT_RANK + i];
    for (;;) {
        uint32_t number, way, fresh;
        if (COMBGPU__LANE_ID == 0) {
            if (busy) full = !combgpu_five_book(&books, slice, tables, records, shared[1]);
            shared[0] = combgpu_five_next(&books, slice, tasks, left, full);
            shared[1] = shared[2] = shared[3] = 0;
        }
        COMBGPU__LOCAL_BARRIER();
        number = shared[0];
        if (number == COMBGPU__NONE) break;
        busy = 1;
        fresh = pair != number / COMBGPU__MAGIC_WAYS;
        pair = number / COMBGPU__MAGIC_WAYS;
        if (fresh) combgpu_five_pair_numbers(&j, tables + COMBGPU__JOIN_AT_PAIR + 2 * pair);
        for (i = COMBGPU__LANE_ID; i < COMBGPU__MAGIC_WORDS / 2; i += COMBGPU__BLOCK_LANES)
            zeroed[i] = 0;
        COMBGPU__LOCAL_BARRIER();
        if (fresh) combgpu_five_pair_paths(&j);
        COMBGPU__LOCAL_BARRIER();
        way = tables[COMBGPU__JOIN_AT_WAY + number % COMBGPU__MAGIC_WAYS];
        combgpu_five_ring_items(&j, way, &shared[2]);
        COMBGPU__LOCAL_BARRIER();
        combgpu_five_ring_fill(&j, way, shared[2], 1);
        COMBGPU__LOCAL_BARRIER();
        combgpu_five_ring_items(&j, way >> 16, &shared[3]);
        COMBGPU__LOCAL_BARRIER();
        squares = combgpu_five_ring_fill(&j, way >> 16, shared[3], 2);
        if (squares) COMBGPU__LOCAL_ATOMIC_ADD(&shared[1], squares);
        COMBGPU__LOCAL_BARRIER();
    }
    if (COMBGPU__LANE_ID == 0) {
        combgpu_add_total(slice, 0, books.steps);
        combgpu_add_total(slice, COMBGPU__MAGIC_HASH, books.hash);
        if (books.joined)
            combgpu_add_total(slice, COMBGPU__MAGIC_JOINED + books.centre, books.joined);
    }
}
#endif
