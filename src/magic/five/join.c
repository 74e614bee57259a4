/* The join for magic squares of order 5: its configurations, tables and portable C solver. */

/* A pair of diagonals is the centre and two sets of 4 numbers, A and B, centre <= 13 (the others
   are complements), in either order. There are 227,225 pairs, and 36 ways up to the M-group to put
   A on the main diagonal and B on the other: 3 to split A into opposite cells, 6 x 2 for B.

   The ring of 8 cells that belongs to rows 0, 4 and columns 1, 3 (ring 1), seen as a square with
   the diagonal cells around it; ring 2 is the same for columns 0, 4 and rows 1, 3:

       a00  t1  t2  t3  a04      top     t1 + t2 + t3 = 65 - a00 - a04
            a11     a13          bottom  b1 + b2 + b3 = 65 - a40 - a44
            m1   c  m3           left    t1 + m1 + b1 = 65 - a11 - a31
            a31     a33          right   t3 + m3 + b3 = 65 - a13 - a33
       a40  b1  b2  b3  a44

   So a side's sum is 65 - (one of A) - (one of B): 16 sums in all, numbered 4 * A + B. */

#define COMBGPU__MAGIC_PAIRS 227225
#define COMBGPU__MAGIC_SUBSETS 12870 /* sets of 8 of 16 numbers */
#define COMBGPU__MAGIC_SIDES                                                                       \
    168 /* ordered triples of 16 numbers with one sum: 6 times the                             \
               middle coefficient of the Gaussian binomial (16, 3) */

COMBGPU__PRIVATE void combgpu__five_ranks(uint32_t *rank)
{
    uint32_t seen[9] = {0}, set, high = 0;
    for (set = 0; set < 256; set++)
        rank[set] = seen[combgpu__popcount64(set)]++;
    for (set = 0; set < 256; set++) {
        rank[set] |= high << 16;
        high += seen[8 - combgpu__popcount64(set)];
    }
}

/* Writes the pairs of diagonals with a centre from first to last, two words each; returns their
   number. Needs room for one more pair, because no branch depends on the data: branches would take
   five times as long. */
COMBGPU__PRIVATE uint32_t combgpu__five_pairs(int first, int last, uint32_t *words)
{
    uint64_t sets[400], *end, *set; /* at most 362 */
    uint32_t packed[400], count = 0;
    int centre, i, j, n;
    for (centre = first; centre <= last; centre++) {
        end = combgpu__magic_series(4, 1, 25, 65 - centre, 0, sets);
        for (n = 0, set = sets; set < end; set++)
            if (!(*set >> centre & 1)) sets[n++] = *set;
        for (i = 0; i < n; i++)
            packed[i] = combgpu__magic_packed(sets[i]);
        for (i = 0; i < n; i++)
            for (j = i + 1; j < n; j++) {
                words[2 * count] = (uint32_t)centre | packed[i] << 5;
                words[2 * count + 1] = packed[j];
                count += !(sets[i] & sets[j]);
            }
    }
    return count;
}

/* Returns the number of tasks for a number of pairs: 4 pairs in a task. */
COMBGPU__PRIVATE uint64_t combgpu__five_chunks(uint64_t pairs)
{
    return (pairs + 3) / 4;
}

/* Returns A[i] (i < 4) or B[i - 4] of a pair. */
COMBGPU__PRIVATE int combgpu__five_diagonal_number(const uint32_t *pair, int i)
{
    return (int)((i < 4 ? pair[0] >> (5 + 5 * i) : pair[1] >> (5 * (i - 4))) & 31);
}

/* Returns the set of the 16 numbers that a pair of diagonals leaves free; sets bit[v] to each one's
   bit in keys, others to 0. */
COMBGPU__PRIVATE uint32_t combgpu__five_unused(const uint32_t *pair, uint16_t *bit)
{
    uint32_t unused = 0x3fffffe & ~(1u << (pair[0] & 31)), next = 1;
    int i;
    for (i = 0; i < 8; i++)
        unused &= ~(1u << combgpu__five_diagonal_number(pair, i));
    for (i = 0; i < 32; i++) {
        bit[i] = (uint16_t)(unused >> i & 1 ? next : 0);
        next <<= unused >> i & 1;
    }
    return unused;
}

/* Removes the pairs of diagonals that lack a given number, also as complements. Returns how many
   remain. */
COMBGPU__PRIVATE uint32_t combgpu__five_given_pairs(const combgpu__magic_state *state,
                                                    uint32_t *pair, uint32_t pairs)
{
    uint32_t k, kept = 0;
    for (k = 0; k < pairs; k++) {
        uint32_t free_numbers, other = 0, first = pair[2 * k], second = pair[2 * k + 1];
        uint16_t bit[32];
        int i, plain = 1, complement = 1;
        free_numbers = combgpu__five_unused(pair + 2 * k, bit);
        for (i = 1; i <= 25; i++)
            other |= (free_numbers >> i & 1) << (26 - i);
        for (i = 0; i < state->given_on; i++) {
            plain = plain && !(free_numbers >> state->given_want[i] & 1);
            complement = complement && !(other >> state->given_want[i] & 1);
        }
        pair[2 * kept] = first;
        pair[2 * kept + 1] = second;
        kept += plain || complement;
    }
    pair[2 * kept] = pair[2 * kept + 1] = 0;
    return kept;
}

/* Makes the tables of the join, with room for `more` words after the pairs. */
COMBGPU__PRIVATE combgpu_status combgpu__five_join_tables(combgpu_job *job, size_t more)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    int centre = state->centre > 13 ? 26 - state->centre : state->centre;
    size_t words = COMBGPU__JOIN_AT_PAIR + 2 * (COMBGPU__MAGIC_PAIRS + 1);
    combgpu_status status = combgpu__job_tables(job, words + more);
    uint32_t *pair, pairs;
    if (status) return status;
    pair = combgpu__tables(job) + COMBGPU__JOIN_AT_PAIR;
    pairs = combgpu__five_pairs(centre ? centre : 1, centre ? centre : 13, pair);
    pair[2 * pairs] = pair[2 * pairs + 1] = 0; /* one more pair has been written */
    if (state->method == COMBGPU__MAGIC_GIVEN)
        pairs = combgpu__five_given_pairs(state, pair, pairs);
    combgpu__tables(job)[COMBGPU__JOIN_AT_LIST] =
        state->desc.solution != NULL || state->method == COMBGPU__MAGIC_GIVEN;

    combgpu__tables(job)[COMBGPU__JOIN_AT_PAIRS] = pairs;
    combgpu__job_trim_tables(job, COMBGPU__JOIN_AT_PAIR + 2 * (size_t)pairs);
    combgpu__five_ranks(combgpu__tables(job) + COMBGPU__JOIN_AT_RANK);
    combgpu__magic_ways(combgpu__tables(job) + COMBGPU__JOIN_AT_WAY);
    return COMBGPU_OK;
}

/* ---- records: a step is a configuration, pair * 36 + way */

/* A record is a configuration and the number of its squares. */
COMBGPU__PRIVATE int combgpu__five_join_validate_record(combgpu_job *job, const uint32_t *record)
{
    return combgpu__tables(job)[COMBGPU__JOIN_AT_LIST] && record[1] &&
           record[0] < combgpu__tables(job)[COMBGPU__JOIN_AT_PAIRS] * COMBGPU__MAGIC_WAYS;
}

/* ---- C solver */

/* Sets of numbers: `used` and `unused` have bit v for number v; a mirror has bit 52 - v, so that
   mirror >> (52 - r) has bit v if r - v is in the mirrored set. A key has one bit for each of the
   16 free numbers. */
typedef struct combgpu__five_side { /* an ordered triple with the side's sum */
    uint64_t mirror;
    uint32_t used;
    uint16_t key;
    unsigned char first, last; /* its ends, corners of the ring */
} combgpu__five_side;

typedef struct combgpu__five_sides {
    int sum, count;
    unsigned char begin[27]; /* the triples that begin with v are begin[v] .. begin[v + 1] - 1 */
    combgpu__five_side side[COMBGPU__MAGIC_SIDES];
} combgpu__five_sides;

/* A ring filled except for corner b3 and the middles beside it. */
typedef struct combgpu__five_item {
    uint32_t corners; /* the numbers that b3 may have */
    uint16_t key;
    signed char bottom, right; /* what is left of these sides' sums */
} combgpu__five_item;
#define COMBGPU__MAGIC_ITEMS 256

typedef struct combgpu__five_join {
    uint32_t pair; /* the pair that the tables belong to; UINT32_MAX = none */
    uint32_t unused;
    uint64_t mirror;
    uint16_t bit[32]; /* a free number's bit in keys */
    uint16_t low[256], high[256];
    combgpu__five_sides sides[16];
    combgpu__five_item items[COMBGPU__MAGIC_ITEMS];
    /* ring 1: ways to fill it with a set, by the set's rank. At most 192: at most 6 triples of 8
       numbers have the top's sum, each in 6 orders. After the top, the left side leaves 4 choices
       of m1 and b1, or 8 if t3 - t1 is the sum of right minus that of left, as in at most 2 orders
       of a triple. The rest is forced: 6 * (2 * 8 + 4 * 4). */
    unsigned char ways[COMBGPU__MAGIC_SUBSETS];
} combgpu__five_join;

COMBGPU__PRIVATE uint32_t combgpu__five_mirrored(uint64_t mirror, int rest)
{
    return (uint32_t)(mirror >> ((52 - rest) & 63)); /* rests are -9 to 61; beyond 52: 0 */
}

/* Returns all bits except that of half of `rest`; for odd or negative rests, a set of all
   numbers. */
COMBGPU__PRIVATE uint32_t combgpu__five_not_half(int rest)
{
    return ~((~(uint32_t)rest & 1) << ((uint32_t)rest >> 1 & 31));
}

/* Lists the ordered triples of free numbers that have a sum. */
COMBGPU__PRIVATE void combgpu__five_make_sides(const combgpu__five_join *join, int sum,
                                               combgpu__five_sides *sides)
{
    int first, last, middle;
    sides->sum = sum;
    sides->count = 0;
    for (first = 1; first <= 26; first++) {
        int rest = sum - first;
        uint32_t ends;
        sides->begin[first] = (unsigned char)sides->count;
        if (first > 25 || !(join->unused >> first & 1)) continue;
        ends = join->unused & combgpu__five_mirrored(join->mirror, rest) &
               combgpu__five_not_half(rest) & ~(1u << first);
        for (; ends; ends &= ends - 1) {
            combgpu__five_side *side = &sides->side[sides->count];
            last = combgpu__lowest_bit64(ends);
            middle = rest - last;
            if (middle == first) continue;
            side->used = 1u << first | 1u << middle | 1u << last;
            side->mirror = UINT64_C(1) << (52 - first) | UINT64_C(1) << (52 - middle) |
                           UINT64_C(1) << (52 - last);
            side->key = (uint16_t)(join->bit[first] | join->bit[middle] | join->bit[last]);
            side->first = (unsigned char)first;
            side->last = (unsigned char)last;
            sides->count++;
        }
    }
}

/* Returns the sum of side 4 * A + B. */
COMBGPU__PRIVATE int combgpu__five_side_sum(const uint32_t *pair, int side)
{
    return 65 - combgpu__five_diagonal_number(pair, side / 4) -
           combgpu__five_diagonal_number(pair, 4 + side % 4);
}

/* Makes the tables of a pair of diagonals unless they exist. */
COMBGPU__PRIVATE void combgpu__five_join_pair(combgpu__five_join *join, const uint32_t *tables,
                                              uint32_t number)
{
    const uint32_t *pair = tables + COMBGPU__JOIN_AT_PAIR + 2 * number;
    int i;
    if (join->pair == number) return;
    join->pair = number;
    join->unused = combgpu__five_unused(pair, join->bit);
    join->mirror = 0;
    for (i = 1; i <= 25; i++)
        join->mirror |= (uint64_t)(join->unused >> i & 1) << (52 - i);
    for (i = 0; i < 16; i++)
        combgpu__five_make_sides(join, combgpu__five_side_sum(pair, i), &join->sides[i]);
}

COMBGPU__PRIVATE void combgpu__five_join_start(combgpu__five_join *join, const uint32_t *tables)
{
    int i;
    join->pair = UINT32_MAX;
    for (i = 0; i < 256; i++) {
        join->low[i] = (uint16_t)(tables[COMBGPU__JOIN_AT_RANK + i] & 0xffff);
        join->high[i] = (uint16_t)(tables[COMBGPU__JOIN_AT_RANK + i] >> 16);
    }
}

/* Fills the last corner of `count` items in every way. Ring 1 counts the sets; ring 2 adds up, for
   each of its sets, the ways to fill ring 1 with the other numbers. A pass takes one number of each
   item and keeps the items with more, so no branch depends on the data: nested loops lost half of
   their time to mispredicted branches. */
COMBGPU__PRIVATE uint32_t combgpu__five_corners(combgpu__five_join *join, int count, int ring)
{
    combgpu__five_item *items = join->items;
    uint32_t sum = 0;
    int i, kept;
    for (; count; count = kept)
        for (i = kept = 0; i < count; i++) {
            combgpu__five_item item = items[i];
            int b3 = combgpu__lowest_bit64(item.corners);
            uint32_t key = (uint32_t)item.key | join->bit[b3] | join->bit[item.bottom - b3] |
                           join->bit[item.right - b3];
            if (ring == 1)
                join->ways[join->high[key >> 8] + join->low[key & 255]]++;
            else
                sum += join->ways[join->high[~key >> 8 & 255] + join->low[~key & 255]];
            item.corners &= item.corners - 1;
            items[kept] = item;
            kept += item.corners != 0;
        }
    return sum;
}

/* Makes all fillings of a ring, given by its sides. */
COMBGPU__PRIVATE uint32_t combgpu__five_ring(combgpu__five_join *join,
                                             const combgpu__five_sides *top,
                                             const combgpu__five_sides *bottom,
                                             const combgpu__five_sides *left,
                                             const combgpu__five_sides *right, int ring)
{
    combgpu__five_item *items = join->items;
    uint32_t sum = 0;
    int i, count = 0;
    for (i = 0; i < left->count; i++) {
        const combgpu__five_side *l = &left->side[i];
        const combgpu__five_side *t = top->side + top->begin[l->first];
        const combgpu__five_side *t_end = top->side + top->begin[l->first + 1];
        uint64_t mirror = join->mirror & ~l->mirror;
        int below = bottom->sum - l->last; /* b2 + b3 */
        uint32_t corners = join->unused & ~l->used & combgpu__five_mirrored(mirror, below) &
                           combgpu__five_not_half(below);
        uint32_t elsewhere = l->used & ~(1u << l->first);
        if (!corners) continue;
        for (; t < t_end; t++) {
            int beside = right->sum - t->last; /* m3 + b3 */
            uint64_t both = mirror & ~t->mirror;
            uint32_t may = corners & ~t->used & combgpu__five_mirrored(both, below) &
                           combgpu__five_mirrored(both, beside) & combgpu__five_not_half(beside);
            may = (t->used & elsewhere) != 0 || below == beside ? 0 : may;
            items[count].corners = may;
            items[count].key = (uint16_t)(l->key | t->key);
            items[count].bottom = (signed char)below;
            items[count].right = (signed char)beside;
            count += may != 0;
        }
        if (count > COMBGPU__MAGIC_ITEMS - 16) { /* at most 14 triples begin with a number */
            sum += combgpu__five_corners(join, count, ring);
            count = 0;
        }
    }
    return sum + combgpu__five_corners(join, count, ring);
}

/* Makes all fillings after a turn or reflection of the ring that gives left and top the short
   lists. */
COMBGPU__PRIVATE uint32_t combgpu__five_turned(combgpu__five_join *join, uint32_t way, int ring)
{
    const combgpu__five_sides *top = &join->sides[way & 15];
    const combgpu__five_sides *bottom = &join->sides[way >> 4 & 15];
    const combgpu__five_sides *left = &join->sides[way >> 8 & 15];
    const combgpu__five_sides *right = &join->sides[way >> 12 & 15], *t;
    if (top->count > bottom->count) t = top, top = bottom, bottom = t;
    if (left->count > right->count) t = left, left = right, right = t;
    return left->count <= top->count ? combgpu__five_ring(join, top, bottom, left, right, ring)
                                     : combgpu__five_ring(join, left, right, top, bottom, ring);
}

/* Returns the number of squares of a configuration, up to the M-group. */
COMBGPU__PRIVATE uint32_t combgpu__five_configuration(combgpu__five_join *join,
                                                      const uint32_t *tables, uint32_t number)
{
    uint32_t way = tables[COMBGPU__JOIN_AT_WAY + number % COMBGPU__MAGIC_WAYS];
    combgpu__five_join_pair(join, tables, number / COMBGPU__MAGIC_WAYS);
    memset(join->ways, 0, sizeof join->ways);
    combgpu__five_turned(join, way & 0xffff, 1);
    return combgpu__five_turned(join, way >> 16, 2);
}
