/* Compares estimates of a run's length, before and while it runs, with its real length. */
#define COMBGPU_ONLY_MAGIC 1
#define COMBGPU_ONLY_NO3 1
#define COMBGPU_ONLY_PERM 1
#include "test.h"

typedef struct search {
    const char *name;
    int magic, n;
    combgpu_no3_class symmetry;
    int shard, shards;
} search;

static combgpu_status begin(combgpu_context *ctx, const search *s, combgpu_job **job)
{
    combgpu_magic_desc magic;
    combgpu_no3_desc no3;
    memset(&magic, 0, sizeof magic);
    memset(&no3, 0, sizeof no3);
    magic.order = s->n;
    no3.n = s->n;
    no3.symmetry = s->symmetry;
    magic.run.shard_index = no3.run.shard_index = s->shard;
    magic.run.shard_count = no3.run.shard_count = s->shards;
    magic.run.slice_ms = no3.run.slice_ms = 5;
    return s->magic ? combgpu_magic_begin(ctx, &magic, job) : combgpu_no3_begin(ctx, &no3, job);
}

/* The steps that a search takes. */
static double truth(const search *s)
{
    combgpu_job *job;
    double steps;
    if (begin(CPU, s, &job)) return -1;
    test_run(job);
    steps = (double)steps_of(job);
    combgpu_job_cancel(job);
    return steps;
}

static combgpu_estimate estimate(combgpu_context *ctx, const search *s, uint64_t seed, int samples)
{
    combgpu_estimate_desc desc;
    combgpu_estimate result;
    combgpu_job *job;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.seed = seed;
    desc.samples = samples;
    desc.calibrate_s = 1e-6;
    if (begin(ctx, s, &job)) return result;
    if (combgpu_job_estimate(job, &desc, &result) < 0) result.samples = -1;
    combgpu_job_cancel(job);
    return result;
}

static void test_steps(void)
{
    static const search searches[] = {
        {"no3, n = 10", 0, 10, COMBGPU_NO3_ALL, 0, 0},
        {"no3, n = 26, rot4", 0, 26, COMBGPU_NO3_ROT4, 0, 0},
        {"no3, n = 15, rot2", 0, 15, COMBGPU_NO3_ROT2, 0, 0},
        {"no3, n = 26, rot4, part 2 of 5", 0, 26, COMBGPU_NO3_ROT4, 2, 5}};
    size_t c;
    int i;
    for (c = 0; c < sizeof searches / sizeof searches[0]; c++) {
        const search *s = &searches[c];
        double true_steps, sum = 0, squares = 0, error;
        combgpu_estimate first, again;
        int inside = 0, seed, equal = 1;
        if (test_small() && c) continue;
        true_steps = truth(s);
        first = estimate(CPU, s, 1, 32);
        for (seed = 1; seed <= 20; seed++) {
            combgpu_estimate e = seed == 1 ? first : estimate(CPU, s, (uint64_t)seed, 32);
            double off = e.steps - true_steps;
            inside += off < 0 ? -off < 1.96 * e.steps_error : off < 1.96 * e.steps_error;
            sum += e.steps;
            squares += e.steps_error * e.steps_error;
        }
        sum /= 20;
        error = test_sqrt(squares) / 20;
        ok(inside >= 15, "%s: %.4g steps lie in the 95 %% interval of %d of 20 seeds", s->name,
           true_steps, inside);
        ok(sum - true_steps < 4 * error && true_steps - sum < 4 * error && error < 0.1 * true_steps,
           "... the mean of all is %.1f %% off; its standard error is %.1f %%",
           100 * (sum / true_steps - 1), 100 * error / true_steps);
        for (i = 0; i < TEST_PLACES; i++)
            if (opened[i]) {
                again = estimate(opened[i], s, 1, 32);
                equal &= again.steps == first.steps && again.steps_error == first.steps_error &&
                         again.tasks == first.tasks && again.samples == 32;
            }
        ok(equal, "... a seed gives the same estimate every time and everywhere");
    }
}

/* The steps of 30 searches, each from a few samples: 27 of the 30 intervals must hold the truth. Seeds
   and numbers of samples are fixed, so nothing depends on time. */
static void test_coverage(void)
{
    static const int kinds[10][3] = {/* side, class, parts of which one is searched */
                                     {9, COMBGPU_NO3_ALL, 1},   {11, COMBGPU_NO3_ALL, 12},
                                     {22, COMBGPU_NO3_ROT4, 1}, {26, COMBGPU_NO3_ROT4, 8},
                                     {13, COMBGPU_NO3_ROT2, 1}, {15, COMBGPU_NO3_ROT2, 3},
                                     {13, COMBGPU_NO3_DIA1, 1}, {25, COMBGPU_NO3_NEAR_ROT4, 3},
                                     {23, COMBGPU_NO3_DIA2, 1}, {18, COMBGPU_NO3_ORT1, 8}};
    int i, inside = 0, order = 0, count = 0;
    double squares = 0;
    for (i = 0; i < (test_small() ? 3 : 30); i++) {
        search s = {"", 0, kinds[i % 10][0], (combgpu_no3_class)kinds[i % 10][1], 0, 0};
        combgpu_estimate e;
        double steps, off;
        s.shards = kinds[i % 10][2] > 1 ? kinds[i % 10][2] : 0;
        s.shard = s.shards ? i / 10 : 0;
        if (!s.shards && i >= 10) s.n -= i / 10; /* smaller sides instead of other parts */
        steps = truth(&s);
        e = estimate(CPU, &s, 1000 + (uint64_t)i, 10);
        off = e.steps / steps - 1;
        count++;
        squares += off * off;
        inside += e.steps_low <= steps && steps <= e.steps_high;
        order += e.steps_error > 0
                     ? e.steps_high - e.steps >= e.steps - e.steps_low && e.steps_low < e.steps
                     : e.steps == steps;
        if (e.steps_low > steps || steps > e.steps_high)
            printf("# n = %d, %s, part %d: %.4g steps, not %.4g to %.4g\n", s.n,
                   combgpu_no3_class_string(s.symmetry), s.shard, steps, e.steps_low, e.steps_high);
    }
    ok(inside >= (test_small() ? 2 : 27), "of %d searches %d lie in their 95 %% interval", count,
       inside);
    ok(order == count, "... which reaches further up than down");
    ok(squares / count < 0.08 * 0.08, "... the estimates are %.1f %% off (root mean square)",
       100 * test_sqrt(squares / count));
}

static void test_time(void)
{
    search s = {"no3, n = 28, rot4", 0, 28, COMBGPU_NO3_ROT4, 0, 0};
    combgpu_estimate_desc desc;
    combgpu_estimate e, end;
    combgpu_job *job;
    double begun, spent, rest;
    memset(&desc, 0, sizeof desc);
    desc.calibrate_s = 0.3;
    if (test_small()) s.n = 20;
    begin(CPU, &s, &job);
    begun = test_now();
    equal_status(CPU, combgpu_job_estimate(job, &desc, &e), COMBGPU_OK,
                 "an estimate with its time");
    spent = test_now() - begun;
    rest = e.done ? 0 : (e.steps - (double)steps_of(job)) / e.steps_per_s;
    ok(e.done ||
           (e.seconds > 0.999 * rest && e.seconds < 1.001 * (rest + spent) && e.seconds_error > 0 &&
            e.samples == 64 && e.seconds_low < e.seconds && e.seconds < e.seconds_high),
       "it says %.2f s +- %.2f s: for the steps that are left, at the speed measured, %.2f s",
       e.seconds, e.seconds_error, rest);
    test_run(job);
    combgpu_job_estimate(job, &desc, &end);
    ok(end.done && end.steps == (double)steps_of(job) && end.steps_error == 0 && end.tasks == 0,
       "of a job that is done the steps are known");
    combgpu_job_cancel(job);
    s.n = 8;
    begin(CPU, &s, &job);
    combgpu_job_estimate(job, NULL, &e);
    ok(e.done && e.steps == (double)steps_of(job) && e.seconds_error == 0 &&
           combgpu_step(job) == COMBGPU_OK,
       "a search that ends in the calibration has been measured");
    combgpu_job_cancel(job);
}

/* Runs the job and asks it after each slice; at[] becomes what it says at 25, 50 and 75 % of its
   true steps. Returns how far off the worst of them is, or -1: too short to say. *broken counts
   what must never be. */
static double follow(combgpu_job *job, double steps, double at[3], int *broken)
{
    combgpu_progress progress;
    double worst = 0, last = 0;
    int asked = 0, known = 0, part;
    at[0] = at[1] = at[2] = -1;
    while (combgpu_step(job) == COMBGPU_RUNNING) {
        double true_part, off;
        combgpu_job_progress(job, &progress);
        true_part = (double)progress.steps / steps;
        asked++;
        *broken += progress.fraction < last ||
                   !(progress.fraction >= 0 && progress.fraction < 0.9995) ||
                   (progress.remaining_s >= 0 && progress.remaining_s <= 0);
        last = progress.fraction;
        if (progress.remaining_s >= 0) known += progress.remaining_error_s >= 0;
        off = last > true_part ? last - true_part : true_part - last;
        for (part = 0; part < 3; part++)
            if (at[part] < 0 && true_part >= 0.25 * (part + 1)) {
                at[part] = last;
                if (part < 2 && progress.remaining_s < 0)
                    continue; /* a fast or a busy machine: no samples yet */
                if (off > worst) worst = off;
            }
    }
    combgpu_job_progress(job, &progress);
    *broken +=
        progress.fraction != 1 || progress.remaining_s != 0 || progress.remaining_error_s != 0;
    if (test_small() || test_has_gpu() || asked < 20) return -1;
    return known ? worst : 1;
}

/* A few samples are sometimes wrong: of five runs two must be followed well. */
static void test_fraction(void)
{
    search s = {"no3, n = 30, rot4", 0, 30, COMBGPU_NO3_ROT4, 0, 0}; /* a second */
    int i, runs, good, broken;
    double steps, worst, at[3];
    if (test_small()) s.n = 20;
    steps = truth(&s);
    for (i = 0; i < TEST_PLACES; i++) {
        const char *name = test_places[i].name;
        combgpu_job *job;
        if (!opened[i]) continue;
        worst = 0;
        for (runs = good = broken = 0; runs < 5 && good < 2 && worst >= 0; runs++) {
            if (begin(opened[i], &s, &job)) break;
            worst = follow(job, steps, at, &broken);
            good += worst >= 0 && worst < 0.08;
            combgpu_job_cancel(job);
        }
        ok(!broken, "%s: the fraction never falls, is 1 at the end and not before", name);
        if (worst < 0)
            skip("too short here", "the fraction at a quarter, half, three quarters of the steps");
        else
            ok(good == 2, "%s: at 25, 50, 75 %% of the steps it says %.1f, %.1f, %.1f %%", name,
               100 * at[0], 100 * at[1], 100 * at[2]);
    }
}

COMBGPU_PERM_VISITOR(first_is_least, { return perm[0] == 0; })

static void test_others(void)
{
    combgpu_estimate_desc desc;
    combgpu_estimate e;
    combgpu_perm_desc perm;
    combgpu_job *job;
    memset(&perm, 0, sizeof perm);
    memset(&desc, 0, sizeof desc);
    perm.n = 12;
    perm.goal = COMBGPU_PERM_COUNT;
    perm.visitor = &first_is_least;
    desc.calibrate_s = 0.05;
    combgpu_perm_begin(CPU, &perm, &job);
    equal_status(CPU, combgpu_job_estimate(job, &desc, &e), COMBGPU_OK,
                 "an estimate of permutations");
    ok(e.samples == 0 && e.steps > 0.999 * 479001600.0 && e.steps < 1.001 * 479001600.0,
       "a search that knows its size needs no samples: %.0f steps", e.steps);
    desc.samples = 1;
    equal_status(CPU, combgpu_job_estimate(job, &desc, &e), COMBGPU_INVALID_ARGUMENT,
                 "one sample has no spread");
    desc.samples = 0;
    desc.calibrate_s = -1;
    equal_status(CPU, combgpu_job_estimate(job, &desc, &e), COMBGPU_INVALID_ARGUMENT,
                 "a negative time is refused");
    equal_status(CPU, combgpu_job_estimate(job, NULL, NULL), COMBGPU_INVALID_ARGUMENT,
                 "so is a missing result");
    ok(combgpu_job_estimate(NULL, NULL, &e) == COMBGPU_INVALID_ARGUMENT, "and no job");
    combgpu_job_cancel(job);
}

/* The run's answer does not depend on whether somebody asks how it goes. */
static void test_harmless(void)
{
    combgpu_no3_desc no3;
    combgpu_no3_result asked, plain;
    combgpu_magic_desc magic;
    combgpu_magic_result magic_asked, magic_plain;
    combgpu_estimate_desc desc;
    combgpu_estimate e;
    combgpu_job *job;
    int i;
    memset(&no3, 0, sizeof no3);
    memset(&magic, 0, sizeof magic);
    memset(&desc, 0, sizeof desc);
    desc.samples = 4;
    desc.calibrate_s = 1e-6;
    no3.n = 9;
    magic.order = 4;
    for (i = 0; i < TEST_PLACES; i++) {
        if (!opened[i]) continue;
        combgpu_no3(opened[i], &no3, &plain);
        combgpu_magic(opened[i], &magic, &magic_plain);
        combgpu_no3_begin(opened[i], &no3, &job);
        do
            combgpu_job_estimate(job, &desc, &e);
        while (combgpu_step(job) == COMBGPU_RUNNING);
        combgpu_no3_end(job, &asked);
        combgpu_magic_begin(opened[i], &magic, &job);
        do
            combgpu_job_estimate(job, &desc, &e);
        while (combgpu_step(job) == COMBGPU_RUNNING);
        combgpu_magic_end(job, &magic_asked);
        ok(asked.all == plain.all && asked.run.checksum == plain.run.checksum &&
               asked.run.steps == plain.run.steps &&
               magic_asked.run.checksum == magic_plain.run.checksum &&
               magic_asked.run.steps == magic_plain.run.steps,
           "%s: estimates between the slices change nothing", test_places[i].name);
    }
}

static int stop_at_once(const combgpu_progress *progress, void *user)
{
    (void)progress;
    ++*(int *)user;
    return 1;
}

/* Sampling can be stopped: by the progress callback, by the time limit. */
static void test_stop(void)
{
    int way, calls;
    for (way = 0; way < 2; way++) {
        combgpu_no3_desc desc;
        combgpu_no3_result result;
        combgpu_estimate e;
        combgpu_job *job = NULL;
        calls = 0;
        memset(&desc, 0, sizeof desc);
        memset(&result, 0, sizeof result);
        desc.n = 8;
        desc.run.slice_ms = 1;
        desc.run.progress_interval_s = 1e-9;
        desc.run.progress_user = &calls;
        if (way)
            desc.run.time_limit_s = 1e-9;
        else
            desc.run.progress = stop_at_once;
        ok(combgpu_no3_begin(CPU, &desc, &job) == COMBGPU_OK &&
               combgpu_job_estimate(job, NULL, &e) == COMBGPU_STOPPED && steps_of(job) == 0 &&
               e.samples == 0 && e.steps_error < 0 && calls == !way,
           "%s stops an estimate while it samples", way ? "the time limit" : "the callback");
        while (job && combgpu_step(job) != COMBGPU_OK) {
        }
        ok(combgpu_no3_end(job, &result) == COMBGPU_OK && result.all == 380,
           "... and the job can be stepped on to its end");
    }
}

/* Estimates, and then runs the job to its end whatever the estimate's status. */
static combgpu_status estimating(combgpu_context *ctx, void *user)
{
    search s = {"no3", 0, test_small() ? 7 : 9, COMBGPU_NO3_ALL, 0, 0};
    combgpu_estimate e;
    combgpu_job *job;
    combgpu_status status = begin(ctx, &s, &job), estimated;
    if (status) return status;
    estimated = combgpu_job_estimate(job, (const combgpu_estimate_desc *)user, &e);
    status = test_run(job);
    combgpu_job_cancel(job);
    return estimated ? estimated : status;
}

/* Many samples hold no more tasks at once than a few hundred. */
static void many_samples(void)
{
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    combgpu_estimate_desc desc;
    combgpu_no3_desc no3;
    combgpu_estimate e;
    combgpu_job *job;
    test_meter meter;
    memset(&meter, 0, sizeof meter);
    memset(&desc, 0, sizeof desc);
    memset(&no3, 0, sizeof no3);
    test_meter_use(&open, &meter);
    desc.samples = 600;
    desc.calibrate_s = 1e-6;
    no3.n = 8;
    if (!equal_status(NULL, combgpu_open(&ctx, &open), COMBGPU_OK, "open") ||
        !equal_status(ctx, combgpu_no3_begin(ctx, &no3, &job), COMBGPU_OK, "begin"))
        return;
    ok(combgpu_job_estimate(job, &desc, &e) >= 0, "an estimate of 600 samples");
    ok(meter.largest < 16 << 20, "it takes at most %.0f MiB at once",
       (double)meter.largest / (1 << 20));
    combgpu_job_cancel(job);
    combgpu_close(ctx);
}

static void test_memory(void)
{
    combgpu_context_desc one_thread = test_context(0);
    combgpu_estimate_desc desc;
    int failures;
    memset(&desc, 0, sizeof desc);
    desc.samples = 3;
    desc.calibrate_s = 1e-6;
    failures = test_out_of_memory(&one_thread, 0, estimating, &desc);
    ok(failures > 5,
       "each of %d allocations fails once: out of memory, nothing leaks, the job continues",
       failures);
    many_samples();
}

/* A few samples that agree, perhaps by chance, say nothing; more do, unless they spread. */
static void test_few_samples(combgpu_context *ctx)
{
    static const double alike[] = {9e9, 1e10, 1.1e10, 1e10}, apart[] = {1e6, 1e10, 1e8, 1e12};
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_job *job;
    memset(&desc, 0, sizeof desc);
    desc.n = 18;
    if (!equal_status(ctx, combgpu_no3_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    inside_set_budget(job, 1);
    equal_status(ctx, combgpu_step(job), COMBGPU_RUNNING, "a step");
    ok(!(inside_fraction(job, alike, 4, 2) > 0), "8 samples that agree say nothing");
    ok(inside_fraction(job, alike, 4, 8) > 0, "32 say how much is done");
    ok(!(inside_fraction(job, apart, 4, 8) > 0), "32 that spread do not");
    combgpu_no3_end(job, &result);
}

int main(void)
{
    open_places();
    test_steps();
    test_coverage();
    test_time();
    test_fraction();
    test_few_samples(opened[0]);
    test_others();
    test_harmless();
    test_stop();
    test_memory();
    close_places();
    return tap_end();
}
