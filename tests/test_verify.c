/* Tests run.verify: results of correct devices stay the same; a device that is wrong, always or once, is
   found and named, and with verify_share 1 the results are still right. */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU_ONLY_NO3 1
#define COMBGPU_ONLY_PERM 1
#include "test.h"

/* ---- a device that is wrong: the CPU's backend with errors put in */

static combgpu__backend lying;
typedef enum lie_kind { HONEST, ALWAYS, ONCE, LOSES_A_RECORD, ADDS, SUMS } lie_kind;
static lie_kind lie;
static size_t lie_at; /* SUMS: which word of the work memory is wrong */
static int lying_slices;

static combgpu_status lying_start(combgpu_context *ctx, combgpu__launch *launch)
{
    combgpu_status status = combgpu__cpu.start(ctx, launch);
    combgpu__slice *slice = (combgpu__slice *)launch->control->handle;
    lying_slices++;
    if (lie == ALWAYS && slice->totals[0]) slice->totals[0]++;
    if (lie == ADDS) slice->totals[2]++;
    if (lie == ONCE && lying_slices == 1) slice->totals[2] += 5;
    if (lie == SUMS && slice->totals[0] && lying_slices % 3 == 1)
        ((uint32_t *)launch->work->handle)[lie_at]++;
    if (lie == LOSES_A_RECORD && slice->record_count) slice->record_count--;
    return status;
}

/* Opens two CPUs with `threads` threads each; the second one lies. */
static combgpu_context *open_two(test_log *log, int threads)
{
    static const combgpu_device_id two[2] = {{COMBGPU_BACKEND_CPU, 0}, {COMBGPU_BACKEND_CPU, 0}};
    combgpu_context_desc desc;
    combgpu_context *ctx;
    memset(&desc, 0, sizeof desc);
    memset(log, 0, sizeof *log);
    desc.devices = two;
    desc.device_count = 2;
    desc.threads = threads;
    test_log_use(&desc, log);
    if (combgpu_open(&ctx, &desc)) ok(0, "two CPUs: %s", combgpu_message(ctx));
    lying = combgpu__cpu;
    lying.start = lying_start;
    ctx->others[0]->backend = &lying;
    lying_slices = 0;
    return ctx;
}

static void liars(void)
{
    static const struct {
        lie_kind lie;
        const char *name;
    } cases[] = {{HONEST, "honest"},
                 {ALWAYS, "always wrong"},
                 {ONCE, "wrong once"},
                 {LOSES_A_RECORD, "loses records"}};
    combgpu_no3_desc desc;
    combgpu_no3_result right, got;
    combgpu_context *ctx;
    test_log log;
    size_t i;
    memset(&desc, 0, sizeof desc);
    desc.n = 8;
    lie = HONEST;
    ctx = open_two(&log, 2);
    equal_status(ctx, combgpu_no3(ctx, &desc, &right), COMBGPU_OK, "no3, not verified");
    equal_u64(right.all, 380, "no3, n = 8: 380 solutions (A000755)");
    equal_u64(right.run.verified, 0, "nothing is verified by default");
    combgpu_close(ctx);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *name = cases[i].name;
        ctx = open_two(&log, 2);
        lie = cases[i].lie;
        desc.run.verify = 1;
        desc.run.verify_share = 1;
        equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_OK, "%s: the run ends", name);
        equal_u64(got.all, right.all, "%s: the count is right", name);
        equal_u64(got.run.steps, right.run.steps, "%s: so are the steps", name);
        equal_u64(got.run.checksum, right.run.checksum, "%s: so is the checksum", name);
        ok(got.run.verified > 0, "%s: %d tasks verified", name, (int)got.run.verified);
        equal_u64(got.run.devices[0].mismatches, 0, "%s: the device that is right is not blamed",
                  name);
        ok((got.run.mismatches > 0) == (cases[i].lie != HONEST) &&
               got.run.mismatches == got.run.devices[1].mismatches,
           "%s: %d wrong results of the other one", name, (int)got.run.mismatches);
        if (cases[i].lie != HONEST)
            ok(strstr(log.last[COMBGPU_LOG_ERROR], "cpu") &&
                   strstr(log.last[COMBGPU_LOG_ERROR], "no3") &&
                   strstr(log.last[COMBGPU_LOG_ERROR], "task") &&
                   log.count[COMBGPU_LOG_ERROR] == (int)got.run.mismatches,
               "%s: each is logged: %s", name, log.last[COMBGPU_LOG_ERROR]);
        combgpu_close(ctx);
    }
    /* a share of the slices is enough to learn of it */
    lie = ALWAYS;
    desc.n = 9;
    desc.run.verify_share = 0.5;
    desc.run.slice_ms = 1;
    ctx = open_two(&log, 2);
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_OK, "half of the slices");
    ok(got.run.mismatches > 0, "half of the slices: %d wrong results", (int)got.run.mismatches);
    desc.run.self_test = 1;
    lie = ADDS;
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_WRONG_RESULT,
                 "a self-test before the run finds a device that is wrong");
    ok(strstr(combgpu_message(ctx), "cpu device 0") != NULL, "the message names it: %s",
       combgpu_message(ctx));
    lie = HONEST;
    combgpu_close(ctx);
}

COMBGPU_PERM_VISITOR(ascents, {
    int i, sum = 0;
    (void)data;
    for (i = 0; i + 1 < n; i++)
        sum += perm[i] < perm[i + 1];
    return sum;
})

/* Sums and histograms, which lie in the work memory: on one CPU, which is wrong, and on two. */
static void lying_sums(void)
{
    static const struct {
        combgpu_perm_goal goal;
        size_t at;
        const char *name;
    } cases[] = {{COMBGPU_PERM_SUM, 0, "sum"},
                 {COMBGPU_PERM_HISTOGRAM, 2 * 8 + 4, "histogram"},
                 {COMBGPU_PERM_MAXIMUM, 0, "maximum"}};
    uint64_t right_bins[8], bins[8];
    size_t i;
    int devices;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (devices = 1; devices < 3; devices++) {
            const char *name = cases[i].name;
            combgpu_perm_desc desc;
            combgpu_perm_result right, got;
            test_log log;
            combgpu_context *ctx = open_two(&log, 1); /* thread 0's part is wrong: it has one */
            memset(&desc, 0, sizeof desc);
            desc.n = 8;
            desc.visitor = &ascents;
            desc.goal = cases[i].goal;
            if (desc.goal == COMBGPU_PERM_HISTOGRAM) {
                desc.bins = 8;
                desc.histogram = right_bins;
                desc.bin_width = 1;
            }
            lie = HONEST;
            lie_at = cases[i].at;
            if (devices == 1) {
                ctx->other_count = 0;
                ctx->backend = &lying;
            }
            equal_status(ctx, combgpu_perm(ctx, &desc, &right), COMBGPU_OK, "%s", name);
            lie = SUMS;
            lying_slices = 0; /* the first slice is wrong, its second run is right */
            desc.run.verify = 1;
            desc.run.verify_share = 1;
            if (desc.histogram) desc.histogram = bins;
            equal_status(ctx, combgpu_perm(ctx, &desc, &got), COMBGPU_OK, "%s, verified", name);
            ok(got.run.mismatches > 0 &&
                   got.run.mismatches == got.run.devices[devices - 1].mismatches,
               "%s, %d devices: %d wrong results of the wrong one", name, devices,
               (int)got.run.mismatches);
            ok(strstr(log.last[COMBGPU_LOG_ERROR], "permutations") != NULL, "%s: %s", name,
               log.last[COMBGPU_LOG_ERROR]);
            ok(got.visited == 40320 && got.run.checksum == right.run.checksum &&
                   got.sum.lo == right.sum.lo && got.sum.hi == right.sum.hi &&
                   got.best_value == right.best_value && got.best_rank == right.best_rank &&
                   (!desc.histogram || !memcmp(bins, right_bins, sizeof bins)),
               "%s, %d devices: the result is still right", name, devices);
            if (desc.histogram)
                ok(bins[0] == 1 && bins[1] == 247 && bins[3] == 15619 && bins[7] == 1,
                   "histogram: Euler's numbers");
            if (devices == 1) ctx->other_count = 1;
            lie = HONEST;
            combgpu_close(ctx);
        }
}

/* ---- devices that are right: nothing changes */

COMBGPU_PERM_VISITOR(few, {
    int i, sum = 0;
    (void)data;
    for (i = 0; i + 1 < n; i++)
        sum += perm[i] < perm[i + 1];
    return sum < 2;
})

static int show_nothing(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)n;
    *(uint64_t *)user += count;
    return 0;
}

/* What is computed twice is handed over once. Answers: test_contract.c. */
static void shown_once(combgpu_context *ctx, const char *place, double share)
{
    combgpu_perm_desc perm;
    combgpu_perm_result result;
    uint64_t shown = 0;
    memset(&perm, 0, sizeof perm);
    perm.n = 8;
    perm.visitor = &few;
    perm.goal = COMBGPU_PERM_COUNT;
    perm.solution = show_nothing;
    perm.solution_user = &shown;
    perm.run.verify = 1;
    perm.run.verify_share = share;
    equal_status(ctx, combgpu_perm(ctx, &perm, &result), COMBGPU_OK, "%s: a list", place);
    equal_u64(result.hits, 248, "%s: 248 permutations (Euler)", place);
    equal_u64(shown, 248, "%s: each is shown once", place);
    ok((share < 1 || result.run.verified > 0) && !result.run.mismatches, "%s: %d verified", place,
       (int)result.run.verified);
    perm.run.verify = 0;
    equal_status(ctx, combgpu_perm(ctx, &perm, &result), COMBGPU_OK, "%s: unverified", place);
    equal_u64(result.run.verified, 0, "%s: run.verify_share alone verifies nothing", place);
}

TEST_SEARCH(no3)

/* Stopped and gone on with, verified all the time. */
static void resumed(combgpu_context *ctx, const char *place)
{
    combgpu_no3_desc desc;
    combgpu_no3_result want, got;
    test_search search = no3_search(&desc, &got, 0);
    int pieces;
    memset(&desc, 0, sizeof desc);
    desc.n = 8;
    equal_status(ctx, combgpu_no3(ctx, &desc, &want), COMBGPU_OK, "%s: no3", place);
    desc.run.verify = 1;
    desc.run.verify_share = 1;
    search.one = search.other = ctx;
    pieces = test_pieces(&search);
    ok(pieces > 0, "%s: stopped %d times", place, pieces - 1);
    ok(got.all == want.all && equal_runs(&got.run, &want.run) && pieces > 2,
       "%s: stopped and verified: equal results", place);
}

/* A task with solutions of 9 and of 8 orbits (a point on the diagonal is one). */
static void shorter_boards(combgpu_context *ctx, const char *place)
{
    static const uint64_t off[8] = {0, 0, 0, 0, 8, 0, 20, 128};
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    int i;
    uint64_t mismatches = 0;
    memset(&desc, 0, sizeof desc);
    desc.n = 8;
    desc.symmetry = COMBGPU_NO3_DIA1;
    desc.off = off;
    desc.run.verify = 1;
    desc.run.verify_share = 1;
    for (i = 0; i < 20; i++) { /* which tasks are verified together is random */
        if (combgpu_no3(ctx, &desc, &result) || result.all != 10)
            ok(0, "%s: %d boards, %s", place, (int)result.all, combgpu_message(ctx));
        mismatches += result.run.mismatches;
    }
    equal_u64(mismatches, 0, "%s: boards of fewer orbits than the one before are not blamed",
              place);
}

static int keep_board(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    (void)symmetry;
    memcpy(user, rows, (size_t)n * sizeof *rows);
    return 0;
}

/* A kernel whose list of orbits is shorter than a record's, with records of others in its memory. */
static void longer_records(combgpu_context *ctx, const char *place)
{
    uint64_t board[COMBGPU_NO3_BOARD_WORDS] = {0}, mismatches = 0;
    combgpu_no3_desc desc, dirt;
    combgpu_no3_result result;
    int i;
    memset(&dirt, 0, sizeof dirt);
    dirt.n = 10;
    memset(&desc, 0, sizeof desc);
    desc.n = 22;
    desc.symmetry = COMBGPU_NO3_ROT4;
    desc.limit = 1;
    desc.solution = keep_board;
    desc.solution_user = board;
    equal_status(ctx, combgpu_no3(ctx, &desc, NULL), COMBGPU_FOUND, "%s: a board", place);
    memset(&desc, 0, sizeof desc);
    desc.n = 22;
    desc.on = board;
    for (i = 0; i < 4; i++)
        board[i] = 0;
    desc.run.verify = 1;
    desc.run.verify_share = 1;
    for (i = 0; i < 10; i++) {
        if (combgpu_no3(ctx, &dirt, NULL) || combgpu_no3(ctx, &desc, &result) || !result.all)
            ok(0, "%s: %s", place, combgpu_message(ctx));
        mismatches += result.run.mismatches;
    }
    equal_u64(mismatches, 0, "%s: words of a record that no orbit needs are no difference", place);
}

static void arguments(void)
{
    static const double bad[] = {-0.1, 1.01, 1e300};
    combgpu_context *ctx;
    combgpu_context_desc open;
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    int i;
    memset(&open, 0, sizeof open);
    memset(&desc, 0, sizeof desc);
    open.backend = COMBGPU_BACKEND_CPU;
    combgpu_open(&ctx, &open);
    desc.n = 5;
    for (i = 0; i < 3; i++) {
        desc.run.verify_share = bad[i];
        equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                     "verify_share %g is refused", bad[i]);
        ok(strstr(combgpu_message(ctx), "run.verify_share is") != NULL, "%s", combgpu_message(ctx));
    }
    combgpu_close(ctx);
}

int main(void)
{
    int i;
    arguments();
    liars();
    lying_sums();
    for (i = 0; i < TEST_PLACES; i++) {
        combgpu_context *ctx;
        if (!test_open(i, &ctx)) continue;
        shown_once(ctx, test_places[i].name, 1);
        shown_once(ctx, test_places[i].name, 0.3);
        resumed(ctx, test_places[i].name);
        shorter_boards(ctx, test_places[i].name);
        longer_records(ctx, test_places[i].name);
        combgpu_close(ctx);
    }
    return tap_end();
}
