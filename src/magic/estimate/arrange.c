/* Estimates from order 6 on, the C solver: rearranges rows 2 and n-3, and counts the rest.

   When all but the rest (estimate/plan.c) is filled, the four numbers of row 2 in columns 0, 1, n-2
   and n-1 may be permuted, and those of row n-3: 576 ways that change no sums but those of these
   columns, nor the numbers left. A column then needs a pair of the numbers left; their counts are
   found for all 4 * 16 sums. The numbers in columns 1 and n-2 (144 ways) are chosen with a
   likelihood in proportion to the product of the pair counts of four columns, summed over the 4
   ways of columns 0 and n-1; these are all counted. */

/* Of four places, the 6 sets of two; the complement of set s is set 5 - s. */
static const unsigned char combgpu__magic_set_low[6] = {0, 0, 0, 1, 1, 2};
static const unsigned char combgpu__magic_set_high[6] = {1, 2, 3, 2, 3, 3};

/* A pair for column 0 and one for column n-1. */
typedef struct combgpu__magic_estimate_joint {
    unsigned char left[2], right[2];
} combgpu__magic_estimate_joint;

typedef struct combgpu__magic_estimate_outer {
    int n;
    int row[4];           /* what rows 0, n-1, 1, n-2 need */
    int base[4];          /* what columns 0, 1, n-2, n-1 need, rows 2 and n-3 included */
    int difference;       /* of the sums that columns 2 and n-3 need */
    int number[2][4];     /* in these columns, of rows 2 and n-3 */
    uint32_t fits[4][16]; /* pairs for a column, by the places of its two numbers in their rows */
    unsigned char count[243]; /* of pairs, by sum, up to 2 n^2 */
    combgpu__magic_estimate_two
        pairs[243][8];    /* of a number, only one other makes a given sum: 8 at most */
    uint32_t likely[144]; /* of the numbers in columns 1 and n-2: 4 * (6 * set + set) + order */
    int joints, alive;
    uint16_t places[256], living[256]; /* of joints; of those with free places */
    unsigned char alive_joint[256];    /* their indices */
    combgpu__magic_estimate_joint joint[256];
} combgpu__magic_estimate_outer;

/* Returns what a column needs when it takes the numbers at these places. */
COMBGPU__PRIVATE int combgpu__magic_estimate_outer_need(const combgpu__magic_estimate_outer *rest,
                                                        int column, int upper, int lower)
{
    return rest->base[column] - rest->number[0][upper] - rest->number[1][lower];
}

/* Tables of all pairs of the 16 numbers left, and of those that fit. */
COMBGPU__PRIVATE void combgpu__magic_estimate_outer_pairs(combgpu__magic_estimate_outer *rest,
                                                          combgpu__magic_estimate_numbers left)
{
    unsigned char numbers[16];
    int count = 0, i, k, sum;
    for (; left.lo; left.lo &= left.lo - 1)
        numbers[count++] = (unsigned char)combgpu__lowest_bit64(left.lo);
    for (; left.hi; left.hi &= left.hi - 1)
        numbers[count++] = (unsigned char)(64 + combgpu__lowest_bit64(left.hi));
    memset(rest->count, 0, (size_t)(2 * rest->n * rest->n) + 1);
    for (i = 0; i < count; i++)
        for (k = 0; k < i; k++) {
            combgpu__magic_estimate_two *two;
            sum = numbers[i] + numbers[k];
            two = &rest->pairs[sum][rest->count[sum]++];
            two->places = (uint16_t)(1u << i | 1u << k);
            two->low = numbers[k];
            two->high = numbers[i];
        }
    for (i = 0; i < 4; i++)
        for (k = 0; k < 16; k++) {
            sum = combgpu__magic_estimate_outer_need(rest, i, k / 4, k % 4);
            rest->fits[i][k] = sum < 0 || sum > 2 * rest->n * rest->n ? 0 : rest->count[sum];
        }
}

/* Of the sets of two numbers of row 2 and of row n-3 for columns a and b: the place in row 2 (row
   0) or n-3 (row 1) for column a or b (0 or 1), in order 0 to 3. */
COMBGPU__PRIVATE int combgpu__magic_estimate_outer_place(const int *set, int order, int row,
                                                         int column)
{
    return (order >> row & 1) != column ? combgpu__magic_set_high[set[row]]
                                        : combgpu__magic_set_low[set[row]];
}

/* Fills in the products for two sets in the four orders. Returns their sum. */
COMBGPU__PRIVATE uint32_t combgpu__magic_estimate_outer_orders(const uint32_t *a, const uint32_t *b,
                                                               int upper, int lower,
                                                               uint32_t *product)
{
    const int i = 4 * combgpu__magic_set_low[upper], j = 4 * combgpu__magic_set_high[upper];
    const int k = combgpu__magic_set_low[lower], m = combgpu__magic_set_high[lower];
    product[0] = a[i + k] * b[j + m];
    product[1] = a[j + k] * b[i + m];
    product[2] = a[i + m] * b[j + k];
    product[3] = a[j + m] * b[i + k];
    return product[0] + product[1] + product[2] + product[3];
}

/* Fills in the likelihoods. Returns their sum, at most 144 * 2^14. */
COMBGPU__PRIVATE uint32_t combgpu__magic_estimate_outer_walk(combgpu__magic_estimate_outer *rest)
{
    uint32_t all = 0, ends, *likely = rest->likely;
    int i, order;
    for (i = 0; i < 36; i++, likely += 4) {
        ends = combgpu__magic_estimate_outer_orders(rest->fits[0], rest->fits[3], 5 - i / 6,
                                                    5 - i % 6, likely);
        all += ends * combgpu__magic_estimate_outer_orders(rest->fits[1], rest->fits[2], i / 6,
                                                           i % 6, likely);
        for (order = 0; order < 4; order++)
            likely[order] *= ends;
    }
    return all;
}

/* Lists the pairs for columns 0 and n-1, which take the places that are not in the sets. */
COMBGPU__PRIVATE void combgpu__magic_estimate_outer_join(combgpu__magic_estimate_outer *rest,
                                                         const int *set)
{
    int order, i, k, other[2], most = 2 * rest->n * rest->n;
    other[0] = 5 - set[0], other[1] = 5 - set[1];
    rest->joints = 0;
    for (order = 0; order < 4; order++) {
        int left, right;
        left = combgpu__magic_estimate_outer_need(
            rest, 0, combgpu__magic_estimate_outer_place(other, order, 0, 0),
            combgpu__magic_estimate_outer_place(other, order, 1, 0));
        right = combgpu__magic_estimate_outer_need(
            rest, 3, combgpu__magic_estimate_outer_place(other, order, 0, 1),
            combgpu__magic_estimate_outer_place(other, order, 1, 1));
        if (left < 0 || right < 0 || left > most || right > most) continue;
        for (i = 0; i < rest->count[left]; i++)
            for (k = 0; k < rest->count[right]; k++) {
                const combgpu__magic_estimate_two *a = &rest->pairs[left][i],
                                                  *b = &rest->pairs[right][k];
                combgpu__magic_estimate_joint *joint = &rest->joint[rest->joints];
                if (a->places & b->places) continue;
                rest->places[rest->joints] = (uint16_t)(a->places | b->places);
                joint->left[0] = a->low, joint->left[1] = a->high;
                joint->right[0] = b->low, joint->right[1] = b->high;
                rest->joints++;
            }
    }
}

/* Returns the number of ways in which two pairs in rows 0 and n-1 and two in rows 1 and n-2, given
   by their differences, give columns 2 and n-3 their sums. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_outer_swaps(int need, int a, int b, int c, int d)
{
    uint64_t ways = 0;
    int i;
    for (i = 0; i < 4; i++) {
        int e = need + (i & 1 ? c : -c) + (i & 2 ? d : -d);
        ways += (uint64_t)((e == a + b) + (e == a - b) + (e == b - a) + (e == -a - b));
    }
    return ways;
}

/* Counts the ways to fill rows 1 and n-2 with a joint and the four numbers left, when the middle
   cells of rows 0 and n-1 differ by a and b. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_outer_second(
    const combgpu__magic_estimate_outer *rest, const combgpu__magic_estimate_joint *joint,
    uint32_t left, int a, int b)
{
    uint64_t ways = 0;
    int turn, i, k, most = 2 * rest->n * rest->n;
    for (turn = 0; turn < 4; turn++) {
        int first = rest->row[2] - joint->left[turn & 1] - joint->right[turn >> 1];
        int second = rest->row[3] - joint->left[~turn & 1] - joint->right[~turn >> 1 & 1];
        if (first < 0 || second < 0 || first > most || second > most) continue;
        for (i = 0; i < rest->count[first]; i++) {
            const combgpu__magic_estimate_two *c = &rest->pairs[first][i], *d = rest->pairs[second];
            if (c->places & ~left) continue;
            for (k = 0; k < rest->count[second]; k++, d++)
                if (d->places == (left & ~(uint32_t)c->places))
                    ways += combgpu__magic_estimate_outer_swaps(rest->difference, a, b,
                                                                c->high - c->low, d->high - d->low);
        }
    }
    return ways;
}

/* Counts the ways to fill the rest when columns 1 and n-2 have the numbers of `used`, and the
   middle cells of rows 0 and n-1 need two sums. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_outer_first(
    const combgpu__magic_estimate_outer *rest, uint32_t used, int first, int second)
{
    uint64_t ways = 0;
    int i, k, j, most = 2 * rest->n * rest->n;
    if (first < 0 || second < 0 || first > most || second > most) return 0;
    for (i = 0; i < rest->count[first]; i++) {
        const combgpu__magic_estimate_two *a = &rest->pairs[first][i];
        if (a->places & used) continue;
        for (k = 0; k < rest->count[second]; k++) {
            const combgpu__magic_estimate_two *b = &rest->pairs[second][k];
            uint32_t both = (uint32_t)(a->places | b->places);
            if (b->places & (used | a->places)) continue;
            for (j = 0; j < rest->alive; j++)
                if (!(rest->living[j] & both))
                    ways += combgpu__magic_estimate_outer_second(
                        rest, &rest->joint[rest->alive_joint[j]],
                        0xffff & ~(used | both | rest->living[j]), a->high - a->low,
                        b->high - b->low);
        }
    }
    return ways;
}

/* Counts the ways to fill the rest when columns 1 and n-2 need two sums. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_outer_ways(combgpu__magic_estimate_outer *rest,
                                                             int left, int right)
{
    uint64_t ways = 0;
    int i, k, j, turn;
    for (i = 0; i < rest->count[left]; i++)
        for (k = 0; k < rest->count[right]; k++) {
            const combgpu__magic_estimate_two *a = &rest->pairs[left][i],
                                              *b = &rest->pairs[right][k];
            uint32_t used = (uint32_t)(a->places | b->places);
            if (a->places & b->places) continue;
            for (j = rest->alive = 0; j < rest->joints; j++) { /* without a branch */
                rest->living[rest->alive] = rest->places[j];
                rest->alive_joint[rest->alive] = (unsigned char)j;
                rest->alive += !(rest->places[j] & used);
            }
            for (turn = 0; turn < 4 && rest->alive; turn++) { /* the one in the upper row */
                int x = turn & 1 ? a->high : a->low, y = turn & 2 ? b->high : b->low;
                ways += combgpu__magic_estimate_outer_first(
                    rest, used, rest->row[0] - x - y, rest->row[1] - (left - x) - (right - y));
            }
        }
    return ways;
}

/* Sets the fields that all arrangements share. Returns the sum of their likelihoods. */
COMBGPU__PRIVATE uint32_t combgpu__magic_estimate_outer_begin(
    combgpu__magic_estimate_outer *rest, int n, const combgpu__magic_estimate_draw *draw)
{
    const int *need = draw->need, *columns = draw->need + n;
    int i;
    rest->n = n;
    rest->row[0] = need[0], rest->row[1] = need[n - 1];
    rest->row[2] = need[1], rest->row[3] = need[n - 2];
    rest->difference = columns[2] - columns[n - 3];
    for (i = 0; i < 4; i++) {
        rest->number[0][i] = (int)(draw->kept >> (8 * i) & 255);
        rest->number[1][i] = (int)(draw->kept >> (8 * i + 32) & 255);
        rest->base[i] = columns[i < 2 ? i : n - 4 + i] + rest->number[0][i] + rest->number[1][i];
    }
    combgpu__magic_estimate_outer_pairs(rest, draw->unused);
    return combgpu__magic_estimate_outer_walk(rest);
}

/* Counts the ways to fill the rest in arrangement 4 * (6 * set + set) + order. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_outer_count(combgpu__magic_estimate_outer *rest,
                                                              int arrangement)
{
    int set[2], order = arrangement % 4, left, right;
    set[0] = arrangement / 24, set[1] = arrangement / 4 % 6;
    combgpu__magic_estimate_outer_join(rest, set);
    left = combgpu__magic_estimate_outer_need(
        rest, 1, combgpu__magic_estimate_outer_place(set, order, 0, 0),
        combgpu__magic_estimate_outer_place(set, order, 1, 0));
    right = combgpu__magic_estimate_outer_need(
        rest, 2, combgpu__magic_estimate_outer_place(set, order, 0, 1),
        combgpu__magic_estimate_outer_place(set, order, 1, 1));
    return combgpu__magic_estimate_outer_ways(rest, left, right);
}

/* Returns the sum of 2^log_picks arrangements: ways / probability of each, in units of 2^scale. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_arrange(combgpu__magic_estimate_outer *rest,
                                                          int n,
                                                          const combgpu__magic_estimate_draw *draw,
                                                          uint64_t random, uint32_t log_picks,
                                                          int scale)
{
    uint32_t all = combgpu__magic_estimate_outer_begin(rest, n, draw), before = 0, pick, at;
    int arrangement = 0;
    uint64_t sum = 0, value;
    for (pick = 0; pick < 1u << log_picks && all; pick++) {
        combgpu__magic_estimate_draw one = *draw;
        at = (uint32_t)(((uint64_t)pick << 32 | random >> 32) * all >> (32 + log_picks));
        while (at - before >= rest->likely[arrangement]) /* `at` grows */
            before += rest->likely[arrangement++];
        combgpu__magic_estimate_multiply(&one.chosen, 576 * rest->likely[arrangement]);
        combgpu__magic_estimate_multiply(&one.choices, all);
        value = combgpu__magic_estimate_weigh(
            &one, combgpu__magic_estimate_outer_count(rest, arrangement), scale);
        sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
    }
    return sum;
}
