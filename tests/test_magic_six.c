/* Tests exact counts of magic squares of order 6 over configurations of the diagonals. */
#define COMBGPU_ONLY_MAGIC 1
#include "test.h"

static const unsigned char diagonals[12] = {0, 7, 14, 21, 28, 35, 5, 10, 15, 20, 25, 30};

static void test_configurations(combgpu_context *ctx)
{
    static uint64_t series[INSIDE_MAGIC_SIX_SERIES];
    uint64_t pairs = 0;
    int square[36] = {0}, next[36] = {0}, i, k, right = 1;
    inside_magic_six_series(series);
    for (i = 0; i < INSIDE_MAGIC_SIX_SERIES; i++)
        for (k = i + 1; k < INSIDE_MAGIC_SIX_SERIES; k++)
            pairs += !(series[i] & series[k]);
    equal_u64(pairs * 5400, COMBGPU_MAGIC_CONFIGURATIONS,
              "32,134 magic series (OEIS A052456) make that many configurations");
    for (k = 0; k < 3; k++) { /* any 5400 with one pair: all different, sums and order hold */
        static int all[5400][36];
        int p, q, different = 1;
        uint64_t a = series[100 * k], b = 0;
        for (i = 100 * k + 1; a & series[i]; i++) {
        }
        b = series[i];
        for (p = 0; p < 5400; p++) {
            inside_magic_six_place(a, b, (uint32_t)p, all[p]);
            right = right && all[p][0] < all[p][7] && all[p][7] < all[p][14] &&
                    all[p][0] < all[p][35] && all[p][7] < all[p][28] && all[p][14] < all[p][21] &&
                    all[p][5] < all[p][30];
            for (i = 0; i < 12; i++)
                right = right && ((i < 6 ? a : b) >> all[p][diagonals[i]] & 1);
        }
        for (p = 0; p < 5400; p += 7)
            for (q = 0; q < 5400; q++)
                different = different && (p == q || memcmp(all[p], all[q], sizeof all[p]));
        ok(right && different, "placings of pair %d: normal and different", k);
    }
    combgpu_magic_diagonals_get(ctx, 0, square);
    ok(square[0] == 1 && square[35] == 2, "the first configuration begins 1 2");
    combgpu_magic_diagonals_get(ctx, COMBGPU_MAGIC_CONFIGURATIONS - 1, square);
    combgpu_magic_diagonals_get(ctx, COMBGPU_MAGIC_CONFIGURATIONS - 2, next);
    ok(memcmp(square, next, sizeof next), "the last two differ");
    equal_status(ctx, combgpu_magic_diagonals_get(ctx, COMBGPU_MAGIC_CONFIGURATIONS, square),
                 COMBGPU_INVALID_ARGUMENT, "there is none after them");
    equal_status(ctx, combgpu_magic_diagonals_get(ctx, 0, NULL), COMBGPU_INVALID_ARGUMENT,
                 "square NULL");
}

/* ---- a slow oracle: cell by cell */

/* Nonzero if both numbers are in the set, and differ. */
static int has_both(uint64_t left, int a, int b)
{
    return a > 0 && b > 0 && a < 64 && b < 64 && a != b && left >> a & 1 && left >> b & 1;
}

static int lowest(uint64_t set)
{
    return __builtin_ctzll(set);
}

static uint64_t swapped(uint64_t x, int by, uint64_t low)
{
    return (x >> by & low) | (x & low) << by;
}

/* The numbers of a set with another one in it that makes up the sum. */
static uint64_t partners(uint64_t left, int sum)
{
    uint64_t x = left;
    if (sum < 3 || sum > 71) return 0;
    x = swapped(x, 1, UINT64_C(0x5555555555555555));
    x = swapped(x, 2, UINT64_C(0x3333333333333333));
    x = swapped(x, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    x = swapped(x, 8, UINT64_C(0x00ff00ff00ff00ff));
    x = swapped(x, 16, UINT64_C(0x0000ffff0000ffff));
    x = x >> 32 | x << 32; /* number v is bit 63 - v */
    x = left & (sum < 64 ? x >> (63 - sum) : x << (sum - 63));
    return sum & 1 ? x : x & ~(UINT64_C(1) << sum / 2);
}

#define WITHOUT(left, a, b) ((left) & ~(UINT64_C(1) << (a) | UINT64_C(1) << (b)))

/* The ways to fill columns 2 and 3 of two rows that need `upper` and `lower` there. Of rows 0 and 5
   (column 2: what it needs; then rows 1 and 4 follow), or of these: then column 2 must come out. */
static uint64_t middle_ways(uint64_t left, const int *need, int inner, int upper, int lower,
                            int column_2);

/* The ways to fill two rows, 0 and 5 or 1 and 4 (`inner`), and what follows: first the two columns that have
   cells in these rows only. */
static uint64_t half_ways(uint64_t left, const int *need, int inner, int column_2)
{
    const int *column = need + 6 + !inner; /* 1 and 4, or 0 and 5 */
    const int one = column[0], two = column[inner ? 5 : 3];
    uint64_t ways = 0, a, b, rest;
    for (a = partners(left, one); a; a &= a - 1) {
        int x = lowest(a);
        rest = WITHOUT(left, x, one - x);
        for (b = partners(rest, two); b; b &= b - 1) {
            int y = lowest(b);
            ways += middle_ways(WITHOUT(rest, y, two - y), need, inner, need[inner] - x - y,
                                need[5 - inner] - one + x - two + y, column_2);
        }
    }
    return ways;
}

static uint64_t middle_ways(uint64_t left, const int *need, int inner, int upper, int lower,
                            int column_2)
{
    uint64_t ways = 0, c, d, rest;
    for (c = partners(left, upper); c; c &= c - 1) {
        int x = lowest(c), y = column_2 - x;
        rest = WITHOUT(left, x, upper - x);
        if (inner) {
            if (has_both(rest, y, lower - y)) ways++;
            continue;
        }
        for (d = partners(rest, lower); d; d &= d - 1) {
            y = lowest(d);
            ways += half_ways(WITHOUT(rest, y, lower - y), need, 1, column_2 - x - y);
        }
    }
    return ways;
}

/* Fills row 2 of a configuration: t is the choice of the numbers in columns 0, 1 and 4, each by its place
   among those that are left; the last one follows, and 0 is returned if it does not fit. */
static int fill_row_2(const int *configuration, uint32_t t, int *need, uint64_t *left)
{
    static const unsigned char columns[4] = {0, 1, 4, 5};
    uint32_t chosen[3], place;
    int i, number;
    chosen[2] = t % 22, chosen[1] = t / 22 % 23, chosen[0] = t / 506;
    *left = (UINT64_C(2) << 36) - 2;
    for (i = 0; i < 12; i++)
        need[i] = 111;
    for (i = 0; i < 12; i++) {
        int cell = diagonals[i];
        number = configuration[cell];
        need[cell / 6] -= number;
        need[6 + cell % 6] -= number;
        *left &= ~(UINT64_C(1) << number);
    }
    for (i = 0; i < 4; i++) {
        if (i == 3) {
            number = need[2];
            if (number < 1 || number > 36 || !(*left >> number & 1)) return 0;
        } else {
            uint64_t from = *left;
            for (place = chosen[i]; place; place--)
                from &= from - 1;
            number = lowest(from);
        }
        *left &= ~(UINT64_C(1) << number);
        need[2] -= number;
        need[6 + columns[i]] -= number;
    }
    return 1;
}

/* The squares with that row 2 and choice t, 0 to 379, of the numbers in columns 0 and 1 of row 3. The
   row is filled in every way, the rest is counted. */
static uint64_t squares_of_row_3(const int *need_of_all, uint64_t left, uint32_t t)
{
    int need[12], needs[12], i, number;
    uint64_t squares = 0, from;
    memcpy(need, need_of_all, sizeof need);
    for (i = 0; i < 2; i++) {
        uint32_t place = i ? t % 19 : t / 19;
        for (from = left; place; place--)
            from &= from - 1;
        number = lowest(from);
        left &= ~(UINT64_C(1) << number);
        need[3] -= number;
        need[6 + i] -= number;
    }
    for (from = left; from; from &= from - 1) { /* the last two of row 3 */
        int fifth = lowest(from), sixth = need[3] - fifth;
        if (sixth < 1 || sixth > 36 || sixth == fifth || !(left >> sixth & 1)) continue;
        memcpy(needs, need, sizeof needs);
        needs[6 + 4] -= fifth;
        needs[6 + 5] -= sixth;
        squares += half_ways(WITHOUT(left, fifth, sixth), needs, 0, needs[6 + 2]);
    }
    return squares;
}

/* The squares over a configuration with a choice of row 2. */
static uint64_t squares_of_choice(const int *configuration, uint32_t t)
{
    int need[12];
    uint64_t left, squares = 0;
    uint32_t third;
    if (!fill_row_2(configuration, t, need, &left)) return 0;
    for (third = 0; third < 380; third++)
        squares += squares_of_row_3(need, left, third);
    return squares;
}

#define CHOICES 12144 /* 24 * 23 * 22 */

static uint64_t count_configuration(combgpu_context *ctx, uint64_t configuration)
{
    combgpu_magic_diagonals_desc desc;
    combgpu_magic_diagonals_result result;
    memset(&desc, 0, sizeof desc);
    desc.first = configuration;
    desc.count = 1;
    if (combgpu_magic_diagonals(ctx, &desc, &result)) ok(0, "%s", combgpu_message(ctx));
    return result.squares;
}

/* The join against what version 0.2.0 counted choice by choice, and against the oracle. Numbers 7 to 30
   are free in 308 and 2345: no configuration has more sets and splittings. */
static void test_against_choices(combgpu_context *ctx)
{
    static const uint64_t known[8][2] = {{0, 0},
                                         {308, 11459178},
                                         {2345, 12219931},
                                         {777, 0},
                                         {UINT64_C(123456789012), 10123},
                                         {UINT64_C(430000000000), 1440728},
                                         {UINT64_C(700000000007), 1323538},
                                         {UINT64_C(861985427399), 9107425}};
    uint64_t squares = 0;
    int square[36] = {0}, k;
    uint32_t t;
    for (k = 0; k < 8; k += test_small() ? 3 : 1)
        equal_u64(count_configuration(ctx, known[k][0]), known[k][1], "configuration %llu",
                  (unsigned long long)known[k][0]);
    if (test_small()) return;
    combgpu_magic_diagonals_get(ctx, known[4][0], square);
    for (t = 0; t < CHOICES; t++)
        squares += squares_of_choice(square, t);
    equal_u64(squares, known[4][1], "as many are found choice by choice");
}

/* The oracle against the search cell by cell: diagonals and two cells of row 2 given. */
static void test_choices_against_search(combgpu_context *ctx)
{
    static const uint64_t configurations[3] = {0, UINT64_C(430000000000), UINT64_C(861985427399)};
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    uint64_t some = 0;
    int k, count = test_small() ? 1 : 3;
    for (k = 0; k < count; k++) {
        uint64_t squares = 0;
        int givens[36] = {0}, free_numbers[24], at = 0, v, i, x = 5 + 6 * k, y = 20 - 7 * k, z;
        combgpu_magic_diagonals_get(ctx, configurations[k], givens);
        for (v = 1; v <= 36; v++) {
            for (i = 0; i < 36 && givens[i] != v; i++) {
            }
            if (i == 36) free_numbers[at++] = v;
        }
        givens[12] = free_numbers[x];
        givens[13] = free_numbers[y];
        for (z = 0; z < 22; z++) /* y counts after x was taken */
            squares += squares_of_choice(givens, (uint32_t)(x * 506 + (y - (y > x)) * 22 + z));
        memset(&desc, 0, sizeof desc);
        desc.order = 6;
        desc.givens = givens;
        if (combgpu_magic(ctx, &desc, &result)) ok(0, "%s", combgpu_message(ctx));
        equal_u64(squares, result.count, "configuration %llu, two cells more: %llu squares",
                  (unsigned long long)configurations[k], (unsigned long long)squares);
        some += squares;
    }
    if (!test_small()) ok(some > 0, "there were squares to count"); /* the first one has none */
}

static void test_places_equal(void)
{
    combgpu_context *ctx;
    combgpu_magic_diagonals_desc desc;
    combgpu_magic_diagonals_result want, result, sum;
    int place, k;
    memset(&want, 0, sizeof want);
    memset(&desc, 0, sizeof desc);
    desc.first = UINT64_C(430000000000);
    desc.count = 2;
    for (place = 0; place < TEST_PLACES; place++) {
        if (!test_open(place, &ctx)) continue;
        desc.run.shard_index = 1; /* of 64 steps */
        desc.run.shard_count = test_small() || !test_has_gpu() ? 16 : 2;
        if (combgpu_magic_diagonals(ctx, &desc, &result)) ok(0, "%s", combgpu_message(ctx));
        if (!place) want = result;
        ok(result.squares == want.squares && result.squares && equal_runs(&result.run, &want.run),
           "%s: %llu squares, equal checksum and steps", test_places[place].name,
           (unsigned long long)result.squares);
        memset(&sum, 0, sizeof sum);
        for (k = 0; k < 3; k++) { /* the shard in three: tasks are dealt in turn */
            desc.run.shard_index = 1 + k * desc.run.shard_count;
            desc.run.shard_count *= 3;
            combgpu_magic_diagonals(ctx, &desc, &result);
            desc.run.shard_count /= 3;
            sum.squares += result.squares;
            add_run(&sum.run, &result.run);
        }
        ok(sum.squares == want.squares && equal_runs(&sum.run, &want.run), "%s: shards add up",
           test_places[place].name);
        combgpu_close(ctx);
    }
    ok(want.count.lo == 192 * want.squares && !want.count.hi, "192 images of each square");
}

TEST_SEARCH(magic_diagonals)

static void test_resume(combgpu_context *ctx)
{
    combgpu_magic_diagonals_desc desc;
    combgpu_magic_diagonals_result want, got;
    test_search s = magic_diagonals_search(&desc, &got, 0);
    combgpu_job *job;
    unsigned char *saved;
    size_t bytes;
    int pieces;
    memset(&desc, 0, sizeof desc);
    desc.first = UINT64_C(123456789012); /* few sets */
    desc.count = 3;
    desc.run.shard_count = 6;
    combgpu_magic_diagonals(ctx, &desc, &want);
    desc.run.slice_ms = 1;
    s.one = s.other = ctx;
    pieces = test_pieces(&s);
    ok(pieces > 1 && got.squares == want.squares && equal_runs(&got.run, &want.run),
       "equal after %d stops", pieces - 1);
    combgpu_magic_diagonals_begin(ctx, &desc, &job);
    desc.run.resume_data = saved = test_save(job, &bytes);
    desc.run.resume_bytes = bytes;
    combgpu_job_cancel(job);
    desc.first++;
    equal_status(ctx, combgpu_magic_diagonals_begin(ctx, &desc, &job), COMBGPU_WRONG_JOB,
                 "another range refuses the checkpoint");
    free(saved);
}

static void test_arguments(combgpu_context *ctx)
{
    combgpu_magic_diagonals_desc desc;
    combgpu_job *job;
    memset(&desc, 0, sizeof desc);
    equal_status(ctx, combgpu_magic_diagonals(ctx, &desc, NULL), COMBGPU_INVALID_ARGUMENT,
                 "count 0");
    desc.count = 262145;
    equal_status(ctx, combgpu_magic_diagonals(ctx, &desc, NULL), COMBGPU_INVALID_ARGUMENT,
                 "count 262,145");
    desc.count = 2;
    desc.first = COMBGPU_MAGIC_CONFIGURATIONS - 1;
    equal_status(ctx, combgpu_magic_diagonals(ctx, &desc, NULL), COMBGPU_INVALID_ARGUMENT,
                 "a range beyond the last");
    equal_status(ctx, combgpu_magic_diagonals_begin(ctx, NULL, &job), COMBGPU_INVALID_ARGUMENT,
                 "desc NULL");
    equal_status(ctx, combgpu_magic_diagonals_begin(ctx, &desc, NULL), COMBGPU_INVALID_ARGUMENT,
                 "job NULL");
}

/* ---- order 5

   A pair of diagonals and an arrangement: the join and the search. */
static void join_against_search(combgpu_context *ctx)
{
    uint32_t number, found, pairs = 0;
    int i, right = 0;
    uint64_t squares = 0;
    for (i = 0; i < 60; i++) {
        combgpu_magic_desc desc;
        combgpu_magic_result result;
        int givens[25];
        number = (uint32_t)random_below(INSIDE_MAGIC_PAIRS * 36);
        found = inside_magic_configuration(number, givens, &pairs);
        memset(&desc, 0, sizeof desc);
        desc.order = 5;
        desc.givens = givens;
        right += combgpu_magic(ctx, &desc, &result) == COMBGPU_OK && result.count == found;
        squares += found;
    }
    equal_u64(pairs, 227225, "there are 227,225 pairs of diagonals with a centre up to 13");
    ok(right == 60 && squares > 60,
       "60 configurations: the join counts what the search counts with the diagonals given");
}

int main(void)
{
    combgpu_context *ctx;
    if (!test_open(0, &ctx)) return 1;
    test_configurations(ctx);
    test_against_choices(ctx);
    test_choices_against_search(ctx);
    test_arguments(ctx);
    test_resume(ctx);
    join_against_search(ctx);
    combgpu_close(ctx);
    test_places_equal();
    return tap_end();
}
