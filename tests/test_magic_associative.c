/* Tests associative squares of order 7, counted in parts. */
#define COMBGPU_ONLY_MAGIC 1
#include "test.h"

#define STEPS UINT64_C(6236390160) /* 335,940 frames, 18,564 sets of row 2 */
#define MOST_SHARDS 2147483647
#define ALL 1125154039419854784.0 /* squares up to symmetry (W. Trump) */

/* ---- a slow oracle: the squares of a step, from their definition. It places all six values of a row
   in all orders, and looks for three rows whose differences of opposite cells add up. */

enum { WIDE = 47, PLACED = 4 * 720 };

typedef struct placed {
    int count;
    signed char apart[PLACED][3]; /* of the cells of a pair, by column */
} placed;

static int frame_column[3], frame_row[3], row_last[6], row_rest[12];

static uint64_t choose(int n, int k)
{
    uint64_t ways = 1;
    int i;
    for (i = 1; i <= k; i++)
        ways = ways * (uint64_t)(n - k + i) / (uint64_t)i;
    return n < k ? 0 : ways;
}

/* Set number `rank` of 6 of n, by the greatest element, then by the next ... */
static unsigned six_of(int n, uint64_t rank)
{
    unsigned set = 0;
    int k;
    for (k = 6; k; k--) {
        while (choose(n - 1, k) > rank)
            n--;
        n--;
        rank -= choose(n, k);
        set |= 1u << n;
    }
    return set;
}

/* All frames: sets of six sizes, each split in up to ten ways; both sums are even. */
enum { FRAMES = 335940 };
static unsigned char frames[FRAMES][6]; /* three of the column, then three of the row */

static void make_frames(void)
{
    static const int two[10][2] = {{1, 2}, {1, 3}, {2, 3}, {1, 4}, {2, 4},
                                   {3, 4}, {1, 5}, {2, 5}, {3, 5}, {4, 5}};
    uint64_t i;
    int way, k, size, columns, rows, sum[2], count = 0;
    for (i = 0; i < choose(24, 6); i++) {
        unsigned set = six_of(24, i);
        for (way = 0; way < 10; way++) {
            unsigned char frame[6];
            for (columns = rows = k = sum[0] = sum[1] = 0, size = 1; size <= 24; size++) {
                int column = k == 0 || k == two[way][0] || k == two[way][1];
                if (!(set >> (size - 1) & 1)) continue;
                frame[column ? columns++ : 3 + rows++] = (unsigned char)size;
                sum[column] += size;
                k++;
            }
            if (sum[0] % 2 == 0 && sum[1] % 2 == 0 && count < FRAMES)
                memcpy(frames[count++], frame, sizeof frame);
        }
    }
    equal_u64(count, FRAMES, "frames");
}

/* What the step is about, as src/magic/seven/associative_tables.c says. */
static void describe_step(uint64_t step)
{
    const uint64_t unit = step * UINT64_C(2382089117) % STEPS;
    const unsigned set = six_of(18, unit % 18564);
    const unsigned char *frame = frames[unit / 18564];
    int size, i, k = 0, lasts = 0, rests = 0, framed;
    for (i = 0; i < 3; i++) {
        frame_column[i] = frame[i];
        frame_row[i] = frame[3 + i];
    }
    for (size = 1; size <= 24; size++) {
        for (framed = i = 0; i < 3; i++)
            framed |= size == frame_column[i] || size == frame_row[i];
        if (framed) continue;
        if (set >> k++ & 1)
            row_last[lasts++] = size;
        else
            row_rest[rests++] = size;
    }
}

/* Adds all orders of the values from place `at` on. */
static void place_all(placed *to, int *value, int at)
{
    int i, t;
    if (at == 6) {
        for (i = 0; i < 3; i++)
            to->apart[to->count][i] = (signed char)(value[2 * i] - value[2 * i + 1]);
        to->count++;
        return;
    }
    for (i = at; i < 6; i++) {
        t = value[at], value[at] = value[i], value[i] = t;
        place_all(to, value, at + 1);
        t = value[at], value[at] = value[i], value[i] = t;
    }
}

/* All rows of these six sizes whose values add up to -middle. */
static void place_row(placed *to, const int *size, int middle)
{
    int signs, i, sum, value[6];
    to->count = 0;
    for (signs = 0; signs < 64; signs++) {
        for (sum = i = 0; i < 6; i++)
            sum += value[i] = signs >> i & 1 ? -size[i] : size[i];
        if (sum == -middle) place_all(to, value, 0);
    }
}

/* The rows 0 and 1 to which a row 2 belongs; `ends` counts rows 2. */
static uint64_t meet(const placed *zero, const placed *one,
                     uint16_t (*ends)[2 * WIDE + 1][2 * WIDE + 1], const char *begins)
{
    uint64_t squares = 0;
    int i, k, j, c;
    for (i = 0; i < zero->count; i++)
        for (k = 0; k < one->count; k++) {
            int at[3], out = 0;
            c = WIDE - frame_row[0] - zero->apart[i][0] - one->apart[k][0];
            if (c < 0 || c > 2 * WIDE || !begins[c]) continue;
            for (j = 0; j < 3; j++) {
                at[j] = WIDE - frame_row[j] - zero->apart[i][j] - one->apart[k][j];
                out |= at[j] < 0 || at[j] > 2 * WIDE;
            }
            if (!out) squares += ends[at[0]][at[1]][at[2]];
        }
    return squares;
}

static uint64_t slow_step(uint64_t step)
{
    static uint16_t ends[2 * WIDE + 1][2 * WIDE + 1][2 * WIDE + 1];
    static placed zero, one, two;
    char begins[2 * WIDE + 1] = {0};
    uint64_t squares = 0;
    unsigned half;
    int i, count, others, some[6], other[6];
    describe_step(step);
    place_row(&two, row_last, frame_column[2]);
    memset(ends, 0, sizeof ends);
    for (i = 0; i < two.count; i++) {
        ends[WIDE + two.apart[i][0]][WIDE + two.apart[i][1]][WIDE + two.apart[i][2]]++;
        begins[WIDE + two.apart[i][0]] = 1;
    }
    for (half = 0; half < 4096 && two.count; half++) {
        for (count = others = i = 0; i < 12; i++)
            if (half >> i & 1) {
                if (count++ < 6) some[count - 1] = row_rest[i];
            } else if (others++ < 6)
                other[others - 1] = row_rest[i];
        if (count != 6) continue;
        place_row(&zero, some, frame_column[0]);
        place_row(&one, other, frame_column[1]);
        squares += meet(&zero, &one, ends, begins);
    }
    return squares;
}

/* ---- tests */

static combgpu_status count_part(combgpu_context *ctx, int shard, int shards,
                                 combgpu_magic_result *result)
{
    combgpu_magic_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.order = 7;
    desc.kind = COMBGPU_MAGIC_ASSOCIATIVE;
    desc.run.shard_index = shard;
    desc.run.shard_count = shards;
    return combgpu_magic(ctx, &desc, result);
}

/* A part of 5 or 6 steps against the oracle. The checksum says which steps they were. */
static void test_smallest_part(combgpu_context *ctx, const char *place, int shard, uint64_t *known)
{
    static uint64_t squares, checksum;
    combgpu_magic_result result;
    const uint64_t least = STEPS / MOST_SHARDS, longer = STEPS % MOST_SHARDS;
    const uint64_t number = (uint64_t)shard, steps = least + (number < longer);
    uint64_t begin = number * least + (number < longer ? number : longer), i, found;
    if (!*known) {
        squares = checksum = 0;
        for (i = 0; i < steps; i++) {
            found = slow_step(begin + i);
            squares += found;
            checksum += test_mix(test_mix(begin + i) ^ found);
        }
        *known = squares;
    }
    equal_status(ctx, count_part(ctx, shard, MOST_SHARDS, &result), COMBGPU_OK, "%s: part %d",
                 place, shard);
    equal_u64(result.run.steps, steps, "%s: part %d has %d steps", place, shard, (int)steps);
    equal_u64(result.count, 4608 * squares, "as many squares as a slow search finds, %llu",
              (unsigned long long)result.count);
    equal_u64(result.up_to_d4, 576 * squares, "up to symmetry");
    equal_u64(result.run.checksum, checksum, "the checksum of their steps");
}

/* A part of several pieces is the sum of the parts that have one of them each. */
static void test_parts_add_up(combgpu_context *ctx)
{
    combgpu_magic_result all, part;
    uint64_t count = 0, steps = 0, checksum = 0;
    int i, shards = 30000000, pieces = 3;
    equal_status(ctx, count_part(ctx, 4, shards, &all), COMBGPU_OK, "a part");
    for (i = 0; i < pieces; i++) {
        count_part(ctx, 4 + i * shards, pieces * shards, &part);
        count += part.count;
        steps += part.run.steps;
        checksum += part.run.checksum;
    }
    ok(all.count == count && all.run.steps == steps && all.run.checksum == checksum,
       "its %d chunks add up to %llu squares", pieces, (unsigned long long)count);
    ok(steps == 207 || steps == 208, "of %d steps", (int)steps);
}

/* Parts are fair samples: their mean agrees with the known number of all squares. */
static void test_sample(combgpu_context *ctx)
{
    combgpu_magic_result part;
    double mean = 0, squares = 0, error, all;
    uint64_t steps = 0;
    int i, parts = test_small() ? 40 : 100, shards = test_small() ? 1000000000 : 400000000;
    for (i = 0; i < parts; i++) {
        count_part(ctx, (int)random_u32_below((uint32_t)shards), shards, &part);
        all = (double)part.up_to_d4 / (double)part.run.steps * (double)STEPS;
        mean += all / parts;
        squares += all * all / parts;
        steps += part.run.steps;
    }
    error = test_sqrt((squares - mean * mean) / (parts - 1));
    ok(mean > ALL - 4 * error && mean < ALL + 4 * error, "%llu steps say %.4g +- %.2g squares",
       (unsigned long long)steps, mean, error);
    ok(error < (test_small() ? 0.25 : 0.12) * ALL, "with an error that says something");
}

/* Callers that want squares, or a limit, get them. */
static void test_others(combgpu_context *ctx)
{
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    memset(&desc, 0, sizeof desc);
    desc.order = 7;
    desc.kind = COMBGPU_MAGIC_ASSOCIATIVE;
    desc.limit = 1000;
    equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_FOUND, "a limit");
    ok(result.count >= 1000 && result.count < 2000, "%llu squares",
       (unsigned long long)result.count);
}

int main(void)
{
    static const int shard[3] = {636337, 0, MOST_SHARDS - 1};
    uint64_t known;
    combgpu_context *ctx;
    int i, place;
    make_frames();
    open_places();
    for (i = 0; i < (test_small() ? 1 : 3); i++)
        for (known = 0, place = 0; place < TEST_PLACES; place++)
            if (opened[place])
                test_smallest_part(opened[place], test_places[place].name, shard[i], &known);
    ctx = opened[1];
    test_parts_add_up(ctx);
    test_sample(ctx);
    test_others(CPU);
    close_places();
    return tap_end();
}
