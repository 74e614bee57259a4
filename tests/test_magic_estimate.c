/* Tests estimated counts of magic squares. */
#define COMBGPU_ONLY_MAGIC 1
#include "test.h"

/* Known counts up to the 8 symmetries (W. Trump, estimates among them; H. Mino for order 6), by
   order and kind. */
static const struct {
    int order, kind;
    double up_to_d4;
    uint64_t samples;
} known[] = {{4, COMBGPU_MAGIC_NORMAL, 880, 15000},
             {4, COMBGPU_MAGIC_SEMI, 68688, 15000},
             {5, COMBGPU_MAGIC_NORMAL, 275305224, 15000},
             {5, COMBGPU_MAGIC_SEMI, 579043051200.0, 15000},
             {6, COMBGPU_MAGIC_NORMAL, 17753889197660635632.0, 4000},
             {6, COMBGPU_MAGIC_SEMI, 94590660245399996601600.0, 3000},
             {7, COMBGPU_MAGIC_NORMAL, 3.79809e34, 2000},
             {7, COMBGPU_MAGIC_SEMI, 4.2848e38, 1500},
             {4, COMBGPU_MAGIC_ASSOCIATIVE, 48, 10000},
             {5, COMBGPU_MAGIC_ASSOCIATIVE, 48544, 4000},
             {5, COMBGPU_MAGIC_ULTRAMAGIC, 16, 10000},
             {7, COMBGPU_MAGIC_ASSOCIATIVE, 1125154039419854784.0, 2000},
             {7, COMBGPU_MAGIC_ULTRAMAGIC, 20190684, 1000},
             {5, COMBGPU_MAGIC_PANDIAGONAL, 3600, 10000},
             {7, COMBGPU_MAGIC_PANDIAGONAL, 1.21e17, 700},
             {9, COMBGPU_MAGIC_ASSOCIATIVE, 7.28e40, 500}};

static void test_known(combgpu_context *ctx)
{
    size_t k;
    for (k = 0; k < sizeof known / sizeof known[0]; k++) {
        combgpu_magic_estimate_desc desc;
        combgpu_magic_estimate_result result;
        double sum = 0, variance = 0, off;
        int seed, inside = 0, brief = test_small();
        memset(&desc, 0, sizeof desc);
        desc.order = known[k].order;
        desc.kind = (combgpu_magic_kind)known[k].kind;
        desc.samples = known[k].samples;
        brief &= desc.order != 5 || desc.kind != COMBGPU_MAGIC_PANDIAGONAL; /* takes no time */
        if (brief) desc.samples = 200;
        for (seed = 1; seed <= (brief ? 2 : 20); seed++) {
            desc.seed = (uint64_t)seed;
            combgpu_magic_estimate(ctx, &desc, &result);
            off = result.up_to_d4 - known[k].up_to_d4;
            inside += off * off * 64 < 1.96 * 1.96 * result.standard_error * result.standard_error;
            sum += off;
            variance += result.standard_error * result.standard_error / 64;
        }
        if (brief) continue;
        ok(inside >= 17, "order %d, kind %d: %d of 20 intervals hold the known count", desc.order,
           known[k].kind, inside);
        ok(sum * sum < 3.5 * 3.5 * variance,
           "order %d, kind %d: the mean of 20 estimates is %.2f standard errors off", desc.order,
           known[k].kind, sum / test_sqrt(variance));
        if (desc.order != 6 || desc.kind != COMBGPU_MAGIC_NORMAL) continue;
        variance *= (double)desc.samples / 20 / (known[k].up_to_d4 * known[k].up_to_d4);
        ok(variance > 2.5 && variance < 4.5, /* 3.2; 8.2 without arrangements */
           "order 6: a sample's variance is %.2f squared means", variance);
    }
}

/* Tests the standard error with 20 seeds, on a GPU: too slow elsewhere. */
static void test_twenty_seeds(void)
{
    combgpu_context *ctx;
    combgpu_magic_estimate_desc desc;
    combgpu_magic_estimate_result result;
    int inside = 0, narrow = 1;
    if (test_small() || !test_open(3, &ctx)) return;
    memset(&desc, 0, sizeof desc);
    desc.order = 6;
    desc.samples = 4000000;
    for (desc.seed = 1; desc.seed <= 20; desc.seed++) {
        double off;
        combgpu_magic_estimate(ctx, &desc, &result);
        off = result.up_to_d4 - 17753889197660635632.0;
        inside += off * off * 64 < 1.96 * 1.96 * result.standard_error * result.standard_error;
        narrow = narrow && result.relative_error < 0.002;
    }
    ok(inside >= 19 && narrow,
       "cuda: order 6, 4 million samples: %d of 20 intervals hold the exact count, of +-0.3 %%",
       inside);
    combgpu_close(ctx);
}

/* ---- the rest of order 5, against a search cell by cell */

static const unsigned char rest_cells[12][2] = {{0, 1}, {4, 1}, {0, 3}, {4, 3}, {0, 2}, {4, 2},
                                                {1, 0}, {3, 0}, {1, 4}, {3, 4}, {1, 2}, {3, 2}};

/* Cells from `at` on; need: what rows, then columns, still need. */
static uint64_t oracle_rest(int at, uint64_t numbers, int *need)
{
    uint64_t ways = 0;
    int v, row, column;
    if (at == 12) return 1;
    row = rest_cells[at][0], column = 5 + rest_cells[at][1];
    for (v = 1; v <= 25; v++) {
        int fits = (int)(numbers >> v & 1);
        need[row] -= v;
        need[column] -= v;
        if (at % 6 == 1 || at % 6 == 3) fits &= !need[column]; /* the second of two in a column */
        if (at % 6 > 3) fits &= !need[row];                    /* the last one in a row */
        if (fits) ways += oracle_rest(at + 1, numbers & ~(UINT64_C(1) << v), need);
        need[row] += v;
        need[column] += v;
    }
    return ways;
}

static void test_rest(void)
{
    int i, k, wrong = 0, some = 0;
    for (i = 0; i < 300; i++) {
        int need[10] = {0}, numbers[12], count = 0;
        uint64_t set = 0, want;
        while (count < 12) {
            int v = 1 + random_below(25);
            if (set >> v & 1) continue;
            set |= UINT64_C(1) << v;
            numbers[count++] = v;
        }
        for (k = 0; k < 12; k++) {
            /* in every other case the sums are those of a middle column a a b b */
            int v = numbers[i % 2 && (k == 5 || k == 11) ? k - 1 : k];
            need[rest_cells[k][0]] += v;
            need[5 + rest_cells[k][1]] += v;
        }
        want = oracle_rest(0, set, need);
        wrong += inside_magic_rest(5, set, need) != want;
        some += want > 0;
    }
    ok(!wrong && some >= 150, "order 5: the ways to fill the rest, %d cases", i);
}

static int same(const combgpu_magic_estimate_result *a, const combgpu_magic_estimate_result *b)
{
    return a->samples == b->samples && !memcmp(a->sum, b->sum, sizeof a->sum) &&
           !memcmp(a->squares, b->squares, sizeof a->squares) &&
           a->run.checksum == b->run.checksum && a->count >= b->count && a->count <= b->count &&
           a->standard_error >= b->standard_error && a->standard_error <= b->standard_error &&
           a->error_of_error >= b->error_of_error && a->error_of_error <= b->error_of_error;
}

/* The error of the error is as large as the spread of the errors of 20 seeds says. */
static void test_error_of_error(combgpu_context *ctx, int order, combgpu_magic_kind kind)
{
    combgpu_magic_estimate_desc desc;
    combgpu_magic_estimate_result result;
    double sum = 0, squares = 0, said = 0, spread;
    memset(&desc, 0, sizeof desc);
    desc.order = order;
    desc.kind = kind;
    desc.samples = test_small() ? 100 : 5000;
    for (desc.seed = 1; desc.seed <= 20; desc.seed++) {
        combgpu_magic_estimate(ctx, &desc, &result);
        sum += result.standard_error;
        squares += result.standard_error * result.standard_error;
        said += result.error_of_error;
    }
    if (test_small()) return;
    spread = test_sqrt((squares - sum * sum / 20) / 19) * 20 / sum;
    ok(said / 20 > spread / 2 && said / 20 < spread * 2,
       "the errors of 20 seeds spread by %.3f; said is %.3f", spread, said / 20);
}

static void test_places_equal(void)
{
    static const int linear[8][2] = {
        {4, COMBGPU_MAGIC_ASSOCIATIVE}, {5, COMBGPU_MAGIC_ULTRAMAGIC},
        {7, COMBGPU_MAGIC_ASSOCIATIVE}, {7, COMBGPU_MAGIC_ULTRAMAGIC},
        {8, COMBGPU_MAGIC_ASSOCIATIVE}, {9, COMBGPU_MAGIC_ASSOCIATIVE},
        {5, COMBGPU_MAGIC_PANDIAGONAL}, {7, COMBGPU_MAGIC_PANDIAGONAL}};
    combgpu_context *ctx;
    combgpu_magic_estimate_desc desc;
    combgpu_magic_estimate_result results[32], result, parts;
    int place, order, at, k, shard;
    memset(&desc, 0, sizeof desc);
    desc.seed = 77;
    for (place = 0; place < TEST_PLACES; place++) {
        if (!test_open(place, &ctx)) continue;
        for (order = 4, at = 0; order <= 15; order++)
            for (k = 0; k < 2; k++, at++) {
                desc.order = order;
                desc.kind = k ? COMBGPU_MAGIC_SEMI : COMBGPU_MAGIC_NORMAL;
                if (order > 11) {
                    desc.order = linear[at - 16][0];
                    desc.kind = (combgpu_magic_kind)linear[at - 16][1];
                }
                desc.samples = test_small() ? 20 : 500;
                if (combgpu_magic_estimate(ctx, &desc, &result))
                    ok(0, "order %d: %s", desc.order, combgpu_message(ctx));
                if (place == 0)
                    results[at] = result;
                else
                    ok(same(&result, &results[at]), "%s: order %d, kind %d, the same sums",
                       test_places[place].name, desc.order, (int)desc.kind);
            }
        desc.order = 6;
        desc.kind = COMBGPU_MAGIC_NORMAL;
        for (k = 3; k <= 7; k += 4) {
            memset(&parts, 0, sizeof parts);
            for (shard = 0; shard < k; shard++) {
                desc.run.shard_index = shard;
                desc.run.shard_count = k;
                combgpu_magic_estimate(ctx, &desc, &result);
                parts.samples += result.samples;
                for (at = 0; at < 4; at++) {
                    if (at < 2) parts.sum[at] += result.sum[at];
                    parts.squares[at] += result.squares[at];
                }
                parts.run.checksum += result.run.checksum;
            }
            ok(parts.samples == results[4].samples && parts.sum[0] == results[4].sum[0] &&
                   parts.sum[1] == results[4].sum[1] &&
                   !memcmp(parts.squares, results[4].squares, sizeof parts.squares) &&
                   parts.run.checksum == results[4].run.checksum,
               "%s: %d shards add up", test_places[place].name, k);
        }
        desc.run.shard_index = desc.run.shard_count = 0;
        combgpu_close(ctx);
    }
}

TEST_SEARCH(magic_estimate)

/* Stops again and again, and resumes from memory in this or the other context. */
static void test_resume(combgpu_context *ctx, combgpu_context *other, const char *name,
                        combgpu_magic_kind kind, double relative_error)
{
    combgpu_magic_estimate_desc desc;
    combgpu_magic_estimate_result want, got;
    test_search s = magic_estimate_search(&desc, &got, 0);
    int pieces;
    memset(&desc, 0, sizeof desc);
    desc.order = 5;
    desc.kind = kind;
    desc.samples = relative_error > 0 ? 0 : test_small() ? 300 : 30000;
    desc.relative_error = relative_error;
    combgpu_magic_estimate(ctx, &desc, &want);
    desc.run.slice_ms = 1;
    s.one = ctx;
    s.other = other;
    pieces = test_pieces(&s);
    ok(pieces > 0 && same(&want, &got), "%s: kind %d, equal after %d stops%s", name, (int)kind,
       pieces - 1, relative_error > 0 ? ", with a target" : "");
}

static void test_target(combgpu_context *ctx)
{
    combgpu_magic_estimate_desc desc;
    combgpu_magic_estimate_result result;
    memset(&desc, 0, sizeof desc);
    desc.order = 4;
    desc.relative_error = 0.05;
    combgpu_magic_estimate(ctx, &desc, &result);
    ok(result.run.status == COMBGPU_OK && result.relative_error <= 0.05 &&
           result.samples % (1 << 12) == 0 && result.samples >= 1 << 16,
       "relative_error 0.05: %llu samples, %.3f", (unsigned long long)result.samples,
       result.relative_error);
    desc.samples = 70000;
    desc.relative_error = 0.001;
    combgpu_magic_estimate(ctx, &desc, &result);
    equal_u64(result.samples, 70000, "relative_error out of reach: samples bound it");
}

static void test_arguments(combgpu_context *ctx)
{
    combgpu_magic_estimate_desc desc;
    combgpu_magic_estimate_result result;
    combgpu_job *job;
    memset(&desc, 0, sizeof desc);
    desc.order = 3;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "order 3");
    desc.order = 12;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_UNSUPPORTED, "order 12");
    desc.order = 6;
    desc.kind = COMBGPU_MAGIC_PANDIAGONAL;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "pandiagonal, order 6");
    desc.order = 8;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_UNSUPPORTED,
                 "pandiagonal, order 8");
    desc.kind = COMBGPU_MAGIC_BIMAGIC;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "kind bimagic");
    desc.order = 6;
    desc.kind = COMBGPU_MAGIC_ASSOCIATIVE;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "associative, order 6");
    desc.order = 11;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_UNSUPPORTED,
                 "associative, order 11");
    desc.kind = COMBGPU_MAGIC_ULTRAMAGIC;
    desc.order = 9;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_UNSUPPORTED,
                 "ultramagic, order 9");
    desc.order = 4;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "ultramagic, order 4");
    desc.order = 6;
    desc.kind = COMBGPU_MAGIC_NORMAL;
    desc.relative_error = -1;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "relative_error -1");
    desc.relative_error = 0.1;
    desc.run.shard_count = 2;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "relative_error with shards");
    desc.run.shard_count = 0;
    desc.relative_error = 0;
    desc.samples = (UINT64_C(1) << 40) + 1;
    equal_status(ctx, combgpu_magic_estimate(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "samples above 2^40");
    equal_status(ctx, combgpu_magic_estimate(ctx, NULL, &result), COMBGPU_INVALID_ARGUMENT,
                 "desc NULL");
    equal_status(ctx, combgpu_magic_estimate_begin(ctx, &desc, NULL), COMBGPU_INVALID_ARGUMENT,
                 "job NULL");
    desc.samples = 10;
    combgpu_magic_estimate_begin(ctx, &desc, &job);
    equal_status(ctx, combgpu_magic_end(job, NULL), COMBGPU_INVALID_ARGUMENT,
                 "magic_end refuses an estimate");
    equal_status(ctx, combgpu_magic_estimate_end(job, NULL), COMBGPU_STOPPED,
                 "its own end takes it, before the first step");
}

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_magic_estimate_result result;
    return combgpu_magic_estimate(ctx, (const combgpu_magic_estimate_desc *)user, &result);
}

static void test_memory(void)
{
    combgpu_context_desc one_thread = test_context(0);
    combgpu_magic_estimate_desc desc;
    int failed, k;
    memset(&desc, 0, sizeof desc);
    desc.order = 6;
    desc.samples = 20;
    for (k = 0; k < 3; k++) {
        failed = test_out_of_memory(&one_thread, 1, allocating, &desc);
        ok(failed > 3, "every allocation may fail (%d did), nothing leaks", failed);
        desc.order = 5;
        desc.kind = k ? COMBGPU_MAGIC_PANDIAGONAL : COMBGPU_MAGIC_ASSOCIATIVE;
    }
}

int main(void)
{
    combgpu_context *ctx, *other;
    int place;
    if (!test_open(0, &ctx)) return 1;
    test_rest();
    test_known(ctx);
    test_error_of_error(ctx, 5, COMBGPU_MAGIC_ASSOCIATIVE);
    test_error_of_error(ctx, 5, COMBGPU_MAGIC_NORMAL);
    test_error_of_error(ctx, 6, COMBGPU_MAGIC_SEMI);
    test_target(ctx);
    test_arguments(ctx);
    for (place = 1; place < TEST_PLACES; place++)
        if (test_open(place, &other)) {
            test_resume(ctx, other, test_places[place].name, COMBGPU_MAGIC_NORMAL, 0);
            test_resume(other, ctx, test_places[place].name, COMBGPU_MAGIC_NORMAL, 0.05);
            test_resume(ctx, other, test_places[place].name, COMBGPU_MAGIC_ASSOCIATIVE, 0);
            test_resume(other, ctx, test_places[place].name, COMBGPU_MAGIC_PANDIAGONAL, 0);
            combgpu_close(other);
        }
    combgpu_close(ctx);
    test_places_equal();
    test_twenty_seeds();
    test_memory();
    return tap_end();
}
