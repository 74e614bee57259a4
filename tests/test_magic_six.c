/* Magic squares of order 6, exactly, over configurations of the diagonals. */
#define COMBGPU_ONLY_MAGIC
#include "test.h"

static void test_configurations(combgpu_context *ctx)
{
    static uint64_t series[COMBGPU__MAGIC_SIX_SERIES];
    uint64_t pairs = 0;
    int square[36] = {0}, next[36] = {0}, i, k, right = 1;
    combgpu__magic_series(6, 1, 36, 111, 0, series);
    for (i = 0; i < COMBGPU__MAGIC_SIX_SERIES; i++)
        for (k = i + 1; k < COMBGPU__MAGIC_SIX_SERIES; k++)
            pairs += !(series[i] & series[k]);
    equal_u64(pairs * 5400, COMBGPU_MAGIC_CONFIGURATIONS,
              "32,134 magic series (OEIS A052456) make that many configurations");
    for (k = 0; k < 3; k++) { /* any 5400 with one pair: all different, sums and order hold */
        static int all[5400][36];
        uint32_t words[3];
        int p, q, different = 1;
        uint64_t a = series[100 * k], b = 0;
        for (i = 100 * k + 1; a & series[i]; i++) {
        }
        b = series[i];
        for (p = 0; p < 5400; p++) {
            combgpu__magic_place_series(a, b, (uint32_t)p, words);
            for (i = 0; i < 12; i++)
                all[p][combgpu__magic_diagonal_cells[i]] = combgpu__magic_diagonal_of(words, i);
            right = right && all[p][0] < all[p][7] && all[p][7] < all[p][14] &&
                    all[p][0] < all[p][35] && all[p][7] < all[p][28] && all[p][14] < all[p][21] &&
                    all[p][5] < all[p][30];
            for (i = 0; i < 12; i++)
                right = right && ((i < 6 ? a : b) >> all[p][combgpu__magic_diagonal_cells[i]] & 1);
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

/* The same squares, found cell by cell: diagonals and two cells of row 2 given. */
static void test_against_search(combgpu_context *ctx)
{
    static const uint64_t configurations[3] = {0, UINT64_C(430000000000), UINT64_C(861985427399)};
    static combgpu__magic_rest_cells rest;
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    uint64_t some = 0;
    int k, count = test_small() ? 1 : 3;
    for (k = 0; k < count; k++) {
        uint32_t words[3];
        uint64_t squares = 0;
        int givens[36], free_numbers[24], at = 0, v, i, x = 5 + 6 * k, y = 20 - 7 * k, z;
        combgpu__magic_configurations(ctx, configurations[k], 1, words);
        combgpu_magic_diagonals_get(ctx, configurations[k], givens);
        for (v = 1; v <= 36; v++) {
            for (i = 0; i < 36 && givens[i] != v; i++) {
            }
            if (i == 36) free_numbers[at++] = v;
        }
        givens[12] = free_numbers[x];
        givens[13] = free_numbers[y];
        for (z = 0; z < 22 * 20 * 19; z++) /* y counts after x was taken */
            squares += combgpu__magic_choice(&rest, words,
                                             (uint32_t)(x * 192280 + (y - (y > x)) * 8360 + z));
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
        desc.run.shard_index = 1000; /* of 28,842 tasks */
        desc.run.shard_count = test_small() ? 14421 : 2403;
        if (combgpu_magic_diagonals(ctx, &desc, &result)) ok(0, "%s", combgpu_message(ctx));
        if (!place) want = result;
        ok(result.squares == want.squares && (result.squares || test_small()) &&
               equal_runs(&result.run, &want.run),
           "%s: %llu squares, equal checksum and steps", test_places[place].name,
           (unsigned long long)result.squares);
        memset(&sum, 0, sizeof sum);
        for (k = 0; k < 3; k++) { /* the shard in three: tasks are dealt in turn */
            desc.run.shard_index = 1000 + k * desc.run.shard_count;
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
    desc.first = 7;
    desc.count = 1;
    desc.run.shard_index = 300;
    desc.run.shard_count = 2000;
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
    desc.first = 8;
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

int main(void)
{
    combgpu_context *ctx;
    if (!test_open(0, &ctx)) return 1;
    test_configurations(ctx);
    test_against_search(ctx);
    test_arguments(ctx);
    test_resume(ctx);
    combgpu_close(ctx);
    test_places_equal();
    return tap_end();
}
