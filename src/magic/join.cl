/* The join of two rings of order 5 (combgpu.h, SECTION 20), for lists, and for the count where lanes
   do not exchange registers: the block is a worker and takes one configuration after the other. A number is its place among the 16 free ones, a set 16 bits. A path
   over a side goes from an end over a middle to a corner. A ring t1 t3 b1 b3 is taken apart at its
   corners x = t3 and z = b1: half of it is the path from x over the top to t1 and from there over the
   left to z, the other half goes over right and bottom by b3. */
#define MAGIC_WAYS 36u
#define MAGIC_ITEMS 2016 /* most halves: at most 168 paths over a side, each 12 times */
#define MAGIC_WORDS 3218 /* counts of the 12,870 sets of 8, a byte each */
#define MAGIC_MARKS 403  /* the same, a bit each */
#define MAGIC_FINDS 1280 /* squares of a configuration: at most 1,256 */
#define MAGIC_CHUNK 32u  /* of them written together */
#ifndef MAGIC_JOIN_BLOCKS
#define MAGIC_JOIN_BLOCKS 8
#define MAGIC_LIST_BLOCKS 6
#endif

typedef struct combgpu_magic_join_t {
    LOCAL u16 *path;           /* [side][end][corner]: the set of corner and middle; 0 = none */
    LOCAL u16 *corner;         /* [side][end]: the corners that have a path */
    LOCAL u16 *bit;            /* of a number; 0 = not free */
    LOCAL u16 *items, *others; /* halves, x << 8 | z << 4 | t1; by x << 4 | z, the corners b3 */
    LOCAL u8 *number;
    LOCAL u32 *counts, *rank, *sums;
    LOCAL u32 *marks, *shared; /* combgpu_magic_lists alone, see there */
    LOCAL u16 *found;
} combgpu_magic_join_t;

/* The free numbers of a pair of diagonals, and the 16 sums that a side can have. */
DEVICE void combgpu_magic_pair_numbers(const combgpu_magic_join_t *j, GLOBAL const u32 *pair)
{
    u32 a = pair[0] >> 5, b = pair[1], unused = 0x3fffffeu & ~(1u << (pair[0] & 31)), i, v;
    for (i = 0; i < 20; i += 5)
        unused &= ~(1u << ((a >> i) & 31) | 1u << ((b >> i) & 31));
    for (v = LANE_ID; v < 32; v += BLOCK_LANES) {
        u32 place = POPCOUNT(unused & ((1u << v) - 1));
        j->bit[v] = (u16)(((unused >> v) & 1) << (place & 15));
        if ((unused >> v) & 1) j->number[place] = (u8)v;
    }
    for (i = LANE_ID; i < 16; i += BLOCK_LANES)
        j->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);
}

/* Then all paths. */
DEVICE void combgpu_magic_pair_paths(const combgpu_magic_join_t *j)
{
    u32 i, c;
    for (i = LANE_ID; i < 256; i += BLOCK_LANES) {
        u32 end = i & 15, rest = j->sums[i >> 4] - j->number[end], corners = 0;
        for (c = 0; c < 16; c++) {
            u32 middle = rest - j->number[c], bits = middle < 32 ? j->bit[middle] : 0;
            if (c == end || (bits & (1u << c | 1u << end))) bits = 0;
            j->path[16 * i + c] = (u16)(bits ? bits | 1u << c : 0);
            corners |= (bits ? 1u : 0u) << c;
        }
        j->corner[i] = (u16)corners;
    }
}

/* The corners of the paths over two sides between x and z. */
DEVICE u32 combgpu_magic_halves(const combgpu_magic_join_t *j, u32 side_x, u32 side_z, u32 x, u32 z)
{
    u32 used = j->path[256 * side_x + 16 * x + z] | j->path[256 * side_z + 16 * z + x] | 1u << x |
               1u << z; /* the middles would be z and x */
    u32 corners = j->corner[16 * side_x + x] & j->corner[16 * side_z + z] & ~used;
    u32 same = j->sums[side_x] - j->number[x] == j->sums[side_z] - j->number[z]; /* both middles */
    return x == z || same ? 0 : corners;
}

/* Lists the first halves that have a second one. */
DEVICE void combgpu_magic_ring_items(const combgpu_magic_join_t *j, u32 way, LOCAL u32 *count)
{
    u32 top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15, right = (way >> 12) & 15;
    u32 i, at;
    for (i = LANE_ID; i < 256; i += BLOCK_LANES) {
        u32 x = i >> 4, z = i & 15;
        u32 second = combgpu_magic_halves(j, right, bottom, x, z);
        u32 first = second ? combgpu_magic_halves(j, top, left, x, z) : 0;
        if (!first) continue;
        j->others[i] = (u16)second;
        at = LOCAL_ATOMIC_ADD(count, POPCOUNT(first));
        for (; first; first &= first - 1, at++)
            j->items[at] = (u16)(i << 4 | CTZ(first));
    }
}

/* The rank of a set of 8. */
DEVICE u32 combgpu_magic_rank(const combgpu_magic_join_t *j, u32 set)
{
    return (j->rank[set & 255] & 0xffffu) + (j->rank[(set >> 8) & 255] >> 16);
}

/* The set of a ring's filling, with corners c = t1, x = t3, z = b1, d = b3. */
DEVICE u32 combgpu_magic_set(const combgpu_magic_join_t *j, u32 way, u32 c, u32 x, u32 z, u32 d)
{
    u32 top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15, right = (way >> 12) & 15;
    return 1u << x | 1u << z | j->path[256 * top + 16 * x + c] | j->path[256 * left + 16 * z + c] |
           j->path[256 * right + 16 * x + d] | j->path[256 * bottom + 16 * z + d];
}

/* For lists: a filling of ring 1 marks its set; one of ring 2 whose complement is marked is a find
   and marks that; then one of ring 1 whose set has such a mark is a find as well. */
DEVICE void combgpu_magic_find(const combgpu_magic_join_t *j, u32 pass, u32 set, u32 code)
{
    u32 rank = combgpu_magic_rank(j, pass == 4 ? ~set : set), bit = 1u << (rank & 31), at;
    LOCAL u32 *marked = &j->marks[rank >> 5];
    if (pass == 3) {
        LOCAL_ATOMIC_OR(marked, bit);
        return;
    }
    if (!(marked[pass == 4 ? 0 : MAGIC_MARKS] & bit)) return;
    if (pass == 4) LOCAL_ATOMIC_OR(marked + MAGIC_MARKS, bit);
    at = LOCAL_ATOMIC_ADD(&j->shared[pass], 1);
    if (at < MAGIC_FINDS) j->found[(pass - 4) * MAGIC_FINDS + at] = (u16)code;
}

/* Puts the second halves to the first ones. Ring 1 counts the sets; ring 2 returns the sum, over its
   sets, of the ways to fill ring 1 with the others. 3, 4, 5 are the passes over rings 1, 2, 1 of a
   list. */
DEVICE u32 combgpu_magic_ring_fill(const combgpu_magic_join_t *j, u32 way, u32 n, u32 ring)
{
    u32 top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15, right = (way >> 12) & 15;
    u32 i, sum = 0;
    for (i = LANE_ID; i < n; i += BLOCK_LANES) {
        u32 item = j->items[i], x = item >> 8, z = (item >> 4) & 15, c = item & 15;
        u32 used =
            j->path[256 * top + 16 * x + c] | j->path[256 * left + 16 * z + c] | 1u << x | 1u << z;
        u32 corners = j->others[item >> 4] & ~used;
        for (; corners; corners &= corners - 1) {
            u32 d = CTZ(corners), rank;
            u32 more = j->path[256 * right + 16 * x + d] | j->path[256 * bottom + 16 * z + d];
            if (used & more) continue;
            if (ring > 2) {
                combgpu_magic_find(j, ring, used | more, c << 12 | x << 8 | z << 4 | d);
                continue;
            }
            rank = combgpu_magic_rank(j, ring == 2 ? ~(used | more) : used | more);
            if (ring == 1)
                LOCAL_ATOMIC_ADD(&j->counts[rank >> 2], 1u << (8 * (rank & 3)));
            else
                sum += (j->counts[rank >> 2] >> (8 * (rank & 3))) & 255;
        }
    }
    return sum;
}

/* Lane 0's books. */
typedef struct combgpu_magic_books_t {
    u32 next, end; /* configurations of the task not yet joined */
    u32 steps, centre;
    u64 joined, hash; /* joined: of `centre` */
} combgpu_magic_books_t;

/* Lane 0: books the result of configuration books->next. 0 = its record found no room. */
DEVICE u32 combgpu_magic_book(combgpu_magic_books_t *books, GLOBAL combgpu_slice_t *slice,
                              GLOBAL const u32 *tables, GLOBAL u32 *records, u32 squares)
{
    u32 centre = tables[294 + 2 * (books->next / MAGIC_WAYS)] & 31;
    if (squares && tables[0]) {
        u32 at = combgpu_emit(slice);
        if (at == NONE) return 0;
        records[2 * at] = books->next;
        records[2 * at + 1] = squares;
    }
    if (centre != books->centre) {
        if (books->joined) combgpu_add_total(slice, 1 + books->centre, books->joined);
        books->joined = 0;
        books->centre = centre;
    }
    books->joined += squares;
    books->hash += combgpu_mix((u64)books->next << 32 | squares);
    books->steps++;
    books->next++;
    return 1;
}

/* Lane 0: the next configuration, or NONE at the slice's end. */
DEVICE u32 combgpu_magic_next(combgpu_magic_books_t *books, GLOBAL combgpu_slice_t *slice,
                              GLOBAL const u32 *tasks, GLOBAL u32 *left, u32 full)
{
    u32 ends = full || combgpu_spent(slice, books->steps), at;
    if (books->next < books->end) {
        if (!ends) return books->next;
        combgpu_give_range(slice, left, books->next, books->end);
        return NONE;
    }
    if (ends) return NONE;
    at = combgpu_take(slice);
    if (at == NONE) return NONE;
    books->next = tasks[4 * at];
    books->end = tasks[4 * at + 2];
    return books->next;
}

