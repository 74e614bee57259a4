/* Makes the tables of the three-set join for order 6 with both diagonals given.

   Rows r and 5 - r are a pair; columns likewise. The pairs cut the square into nine blocks of 2 x
   2, of which the three on the block diagonal are given. That leaves 24 numbers for six blocks, two
   in each row pair p: block 1 in column pair p + 1, block 2 in column pair p + 2 (modulo 3).

     set        the 8 numbers of a row pair; their sum is known
     splitting  of a set: which two numbers go to each block in each of the two rows, so that both
                rows have their sums
     total      the sum of block 1. It determines the totals of all six blocks: block 1 of row pairs
                1 and 2 has the total of row pair 0 plus a constant, which a shift removes
     spread     the left column of a block minus its right column. The two numbers of a row can be
                swapped, so a block has four spreads: with x and y the differences within the rows,
                +-u and +-v, where u = x + y and v = |x - y|

   Columns have their sums if the totals fit and the spreads of the two blocks in each column pair
   add up to the spread that the pair needs. With W the number of ways in which they do so,

     squares = sum over partitions of the 24 numbers into sets M0, M1, M2, over totals t, and over
               splittings p0, p1, p2 of these sets with total t, of
               W(p1 block 2, p2 block 1) * W(p0 block 1, p2 block 2) * W(p0 block 2, p1 block 1)

   The tables hold the sets of each row pair that have splittings, the totals of each set, and for
   each total a *segment*: its splittings. The *keys* of a splitting are masks of 32 bits. Block 2
   of pair 1 and both blocks of pair 2 have their spreads as bits (half of u and of v, modulo 32);
   the other blocks have the spreads that a partner must have. W is 0 unless two keys meet. */

typedef struct combgpu__six_split {
    uint32_t key[2]; /* of blocks 1 and 2 */
    uint32_t spread; /* u, v of block 1, u, v of block 2: a byte each */
} combgpu__six_split;

typedef struct combgpu__six_segment {
    uint32_t key[2]; /* all keys of its splittings */
    uint32_t first;  /* splitting; they end where the next segment's begin */
} combgpu__six_segment;

typedef struct combgpu__six_set {
    uint64_t totals[2]; /* bit t = total t occurs */
    uint32_t numbers;   /* bit i = the i-th of the 24 numbers */
    uint32_t segment;   /* of the smallest total */
} combgpu__six_set;

/* The table of a row pair; its arrays have room for the worst case. */
typedef struct combgpu__six_pair {
    uint32_t count;
    uint32_t bucket[4097]; /* first set by the upper 12 numbers */
    combgpu__six_set sets[COMBGPU__SIX_SETS + 1];
    combgpu__six_segment segments[COMBGPU__SIX_SPLITS + COMBGPU__SIX_SETS];
    combgpu__six_split splits[COMBGPU__SIX_SPLITS];
} combgpu__six_pair;

/* The open part of a configuration, rows and columns in the order of the join. */
typedef struct combgpu__six_givens {
    int number[24];        /* ascending */
    int row[6], column[6]; /* sums of a line's free cells */
} combgpu__six_givens;

typedef struct combgpu__six_work {
    uint64_t made[2]; /* the tables are those of this configuration, of this job */
    int spread[3];    /* sums of the spreads in a column pair */
    combgpu__six_givens givens;
    uint32_t lower_start[9][512]; /* lower halves of sets by how many and by their sum ... */
    uint32_t lower_end[9][512];
    uint32_t lower[4096]; /* ... as places in this array */
    int lower_sum[4096], upper_sum[4096];
    combgpu__six_pair pair[3];
} combgpu__six_work;

/* ---- what is open */

COMBGPU__PRIVATE void combgpu__six_swap(int *a, int *b)
{
    int c = *a;
    *a = *b;
    *b = c;
}

/* The squared difference of the sums of a pair's two lines: pairs that differ have few
   splittings. */
COMBGPU__PRIVATE int combgpu__six_apart(const int *lines)
{
    int i, sum = 0;
    for (i = 0; i < 3; i++)
        sum += (lines[i] - lines[5 - i]) * (lines[i] - lines[5 - i]);
    return sum;
}

/* The open numbers and sums of a configuration (three words, as in the tables). Rows and columns
   change places if columns have fewer splittings, and pairs are put in order: first the one with the
   fewest sets, whose sum is farthest from the mean. */
COMBGPU__PRIVATE void combgpu__six_open(combgpu__six_givens *g, const uint32_t *configuration)
{
    uint64_t left = (UINT64_C(2) << 36) - 2;
    int i, k, n, off[3];
    for (i = 0; i < 6; i++)
        g->row[i] = g->column[i] = 111;
    for (i = 0; i < 12; i++) {
        int cell = combgpu__magic_diagonal_cells[i];
        n = combgpu__six_diagonal_of(configuration, i);
        left &= ~(UINT64_C(1) << n);
        g->row[cell / 6] -= n;
        g->column[cell % 6] -= n;
    }
    for (n = 0, i = 1; i <= 36; i++)
        if (left >> i & 1) g->number[n++] = i;
    if (combgpu__six_apart(g->column) > combgpu__six_apart(g->row))
        for (i = 0; i < 6; i++)
            combgpu__six_swap(&g->row[i], &g->column[i]);
    for (i = 0; i < 3; i++) {
        off[i] = 3 * (g->row[i] + g->row[5 - i]) - 444;
        if (off[i] < 0) off[i] = -off[i];
    }
    for (i = 0; i < 2; i++)
        for (k = 0; k < 2 - i; k++)
            if (off[k] < off[k + 1]) {
                combgpu__six_swap(&off[k], &off[k + 1]);
                combgpu__six_swap(&g->row[k], &g->row[k + 1]);
                combgpu__six_swap(&g->row[5 - k], &g->row[4 - k]);
                combgpu__six_swap(&g->column[k], &g->column[k + 1]);
                combgpu__six_swap(&g->column[5 - k], &g->column[4 - k]);
            }
}

/* ---- sets */

/* Sorts the halves of sets, 12 numbers each: the lower ones by how many numbers and by their sum;
   and the sums of the upper ones. */
COMBGPU__PRIVATE void combgpu__six_halves(combgpu__six_work *w)
{
    int *lower = w->lower_sum, *upper = w->upper_sum, half, i, ones, sum;
    uint32_t at = 0;
    memset(w->lower_end, 0, sizeof w->lower_end);
    for (half = 0; half < 4096; half++) {
        for (lower[half] = upper[half] = i = 0; i < 12; i++)
            if (half >> i & 1) {
                lower[half] += w->givens.number[i];
                upper[half] += w->givens.number[12 + i];
            }
        ones = combgpu__popcount64((uint64_t)half);
        if (ones <= 8) w->lower_end[ones][lower[half]]++;
    }
    for (ones = 0; ones <= 8; ones++)
        for (sum = 0; sum < 512; sum++) {
            w->lower_start[ones][sum] = at;
            at += w->lower_end[ones][sum];
            w->lower_end[ones][sum] = w->lower_start[ones][sum];
        }
    for (half = 0; half < 4096; half++) {
        ones = combgpu__popcount64((uint64_t)half);
        if (ones <= 8) w->lower[w->lower_end[ones][lower[half]]++] = (uint32_t)half;
    }
}

/* ---- splittings */

/* Both ways to put four numbers into the blocks: the sum of the two in block 1, and the differences
   within block 1 and block 2. */
typedef struct combgpu__six_row {
    int sum[6], apart1[6], apart2[6];
} combgpu__six_row;

COMBGPU__PRIVATE void combgpu__six_halve(const int *four, combgpu__six_row *row)
{
    static const unsigned char places[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                               {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    int i;
    for (i = 0; i < 6; i++) { /* ascending, so the second is the greater one */
        const unsigned char *p = places[i];
        row->sum[i] = four[p[0]] + four[p[1]];
        row->apart1[i] = four[p[1]] - four[p[0]];
        row->apart2[i] = four[p[3]] - four[p[2]];
    }
}

COMBGPU__PRIVATE int combgpu__six_distance(int a, int b)
{
    return a < b ? b - a : a - b;
}

/* The spreads +-u, +-v as a key. */
COMBGPU__PRIVATE uint32_t combgpu__six_has(int u, int v)
{
    return UINT32_C(1) << (u / 2 & 31) | UINT32_C(1) << (v / 2 & 31);
}

/* The key of partners whose spread and this add up to `spread`. */
COMBGPU__PRIVATE uint32_t combgpu__six_wants(int u, int v, int spread)
{
    return combgpu__six_has(combgpu__six_distance(spread, u), combgpu__six_distance(spread, -u)) |
           combgpu__six_has(combgpu__six_distance(spread, v), combgpu__six_distance(spread, -v));
}

/* The data common to the splittings of a row pair. */
typedef struct combgpu__six_rule {
    int row;       /* sum of the upper row */
    int shift;     /* total of block 1, less this, is t */
    int wants[2];  /* nonzero: the key of this block has what a partner needs ... */
    int spread[2]; /* ... to reach this */
} combgpu__six_rule;

/* The splittings of a set: appends its segments; 0 without any. */
COMBGPU__PRIVATE int combgpu__six_split_set(combgpu__six_pair *pair, const int *eight,
                                            const combgpu__six_rule *rule, uint32_t *segments,
                                            uint32_t *splits, uint64_t *totals)
{
    combgpu__six_split made[8 * 36]; /* at most 8 of 70 sets of 4 have one sum */
    unsigned char total[8 * 36], many[COMBGPU__SIX_TOTALS];
    uint32_t place[COMBGPU__SIX_TOTALS];
    int count = 0, four, i, k, t;
    memset(many, 0, sizeof many);
    for (four = 15; four <= 240; four++) {
        int upper[4], lower[4], sum = 0, a = 0, b = 0;
        combgpu__six_row x, y;
        if (combgpu__popcount64((uint64_t)four) != 4) continue;
        for (i = 0; i < 8; i++)
            if (four >> i & 1) sum += eight[i];
        if (sum != rule->row) continue;
        for (i = 0; i < 8; i++)
            if (four >> i & 1)
                upper[a++] = eight[i];
            else
                lower[b++] = eight[i];
        combgpu__six_halve(upper, &x);
        combgpu__six_halve(lower, &y);
        for (i = 0; i < 6; i++)
            for (k = 0; k < 6; k++) {
                int u[2], v[2];
                t = x.sum[i] + y.sum[k] - rule->shift;
                if (t < 0 || t >= COMBGPU__SIX_TOTALS) continue; /* a block cannot hold it */
                u[0] = x.apart1[i] + y.apart1[k];
                v[0] = combgpu__six_distance(x.apart1[i], y.apart1[k]);
                u[1] = x.apart2[i] + y.apart2[k];
                v[1] = combgpu__six_distance(x.apart2[i], y.apart2[k]);
                for (a = 0; a < 2; a++)
                    made[count].key[a] = rule->wants[a]
                                             ? combgpu__six_wants(u[a], v[a], rule->spread[a])
                                             : combgpu__six_has(u[a], v[a]);
                made[count].spread = (uint32_t)(u[0] | v[0] << 8 | u[1] << 16 | v[1] << 24);
                total[count++] = (unsigned char)t;
                many[t]++;
            }
    }
    totals[0] = totals[1] = 0;
    if (!count) return 0;
    for (t = 0; t < COMBGPU__SIX_TOTALS; t++) {
        combgpu__six_segment *segment = &pair->segments[*segments];
        if (!many[t]) continue;
        totals[t >> 6] |= UINT64_C(1) << (t & 63);
        segment->key[0] = segment->key[1] = 0;
        segment->first = *splits;
        place[t] = (*segments)++;
        *splits += many[t];
    }
    pair->segments[(*segments)++].first = *splits; /* the end */
    for (i = count; i--;) {
        combgpu__six_segment *segment = &pair->segments[place[total[i]]];
        segment->key[0] |= made[i].key[0];
        segment->key[1] |= made[i].key[1];
        pair->splits[segment->first + --many[total[i]]] = made[i];
    }
    return 1;
}

/* All sets of a row pair that have splittings, by their upper halves. */
COMBGPU__PRIVATE void combgpu__six_fill_pair(combgpu__six_work *w, combgpu__six_pair *pair, int sum,
                                             const combgpu__six_rule *rule)
{
    uint32_t segments = 0, splits = 0, i;
    int half, k, n, eight[8];
    pair->count = 0;
    for (half = 0; half < 4096; half++) {
        int ones = 8 - combgpu__popcount64((uint64_t)half), rest = sum - w->upper_sum[half];
        pair->bucket[half] = pair->count;
        if (ones < 0 || rest < 0 || rest >= 512) continue;
        for (i = w->lower_start[ones][rest]; i < w->lower_end[ones][rest]; i++) {
            uint32_t set = (uint32_t)half << 12 | w->lower[i];
            for (n = k = 0; k < 24; k++)
                if (set >> k & 1) eight[n++] = w->givens.number[k];
            pair->sets[pair->count].numbers = set;
            pair->sets[pair->count].segment = segments;
            pair->count += (uint32_t)combgpu__six_split_set(pair, eight, rule, &segments, &splits,
                                                            pair->sets[pair->count].totals);
        }
    }
    pair->bucket[4096] = pair->count;
}

/* Makes the tables of a configuration (three words). */
COMBGPU__PRIVATE void combgpu__six_tables(combgpu__six_work *w, const uint32_t *configuration)
{
    combgpu__six_givens *g = &w->givens;
    combgpu__six_rule rule[3];
    int sum[3], low = 0, high = 999, i;
    combgpu__six_open(g, configuration);
    combgpu__six_halves(w);
    memset(rule, 0, sizeof rule);
    for (i = 0; i < 3; i++) {
        sum[i] = g->row[i] + g->row[5 - i];
        w->spread[i] = g->column[i] - g->column[5 - i];
        rule[i].row = g->row[i];
    }
    rule[1].shift = sum[2] - sum[0];
    rule[2].shift = sum[2] - sum[1];
    for (i = 0; i < 3; i++) { /* four numbers add up to 10 at least and to 138 at most */
        int first = 10 - rule[i].shift;
        if (low < first) low = first;
        if (low < first + sum[i] - 148) low = first + sum[i] - 148;
        if (high > first + 128) high = first + 128;
        if (high > first + sum[i] - 20) high = first + sum[i] - 20;
    }
    if (high - low >= COMBGPU__SIX_TOTALS) low++; /* impossible: every block 1 has total 10 */
    for (i = 0; i < 3; i++)
        rule[i].shift += low;
    rule[0].wants[0] = rule[0].wants[1] = rule[1].wants[1] = 1;
    rule[0].spread[0] = w->spread[1];
    rule[0].spread[1] = w->spread[2];
    rule[1].spread[1] = w->spread[0];
    for (i = 0; i < 3; i++)
        combgpu__six_fill_pair(w, &w->pair[i], sum[i], &rule[i]);
}
