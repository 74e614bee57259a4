/* Tests 95 % intervals of estimates: each must contain the truth for 93 % of the seeds, or be withheld. Short;
   INTERVALS=long in the environment (make intervals) takes 200 seeds and more sizes. */
#define COMBGPU_ONLY_MAGIC 1
#define COMBGPU_ONLY_NO3 1
#include "test.h"

static int is_long(void)
{
    return getenv("INTERVALS") != NULL;
}

/* A point: 93 of 100 intervals that were given hold the truth, but for two of them: that is chance. */
static void covered(int inside, int given, const char *what, double samples)
{
    ok(given && 100 * inside >= 93 * given - 200,
       "%s, %.0f samples: %d of %d intervals hold the truth", what, samples, inside, given);
}

/* Estimates of counts that are known. */
static void test_magic(void)
{
    static const struct {
        const char *what;
        int order, kind;
        double up_to_d4;
        int brief; /* the largest number of samples */
    } known[] = {{"normal 4", 4, COMBGPU_MAGIC_NORMAL, 880, 1000},
                 {"semi-magic 4", 4, COMBGPU_MAGIC_SEMI, 68688, 1000},
                 {"normal 5", 5, COMBGPU_MAGIC_NORMAL, 275305224, 1000},
                 {"semi-magic 5", 5, COMBGPU_MAGIC_SEMI, 579043051200.0, 1000},
                 {"normal 6", 6, COMBGPU_MAGIC_NORMAL, 17753889197660635632.0, 300},
                 {"semi-magic 6", 6, COMBGPU_MAGIC_SEMI, 94590660245399996601600.0, 100},
                 {"associative 5", 5, COMBGPU_MAGIC_ASSOCIATIVE, 48544, 1000},
                 {"ultramagic 7", 7, COMBGPU_MAGIC_ULTRAMAGIC, 20190684, 100}};
    static const int sizes[] = {100, 300, 1000, 3000, 10000, 30000};
    size_t k, s;
    for (k = 0; k < sizeof known / sizeof known[0]; k++)
        for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const int seeds = is_long() ? 200 : test_small() ? 5 : 100;
            int seed, inside = 0, given = 0, known_error = 0, wider = 1;
            if (sizes[s] > known[k].brief * (is_long() ? 30 : 1)) continue;
            if (test_small() && s) continue;
            for (seed = 1; seed <= seeds; seed++) {
                combgpu_magic_estimate_desc desc;
                combgpu_magic_estimate_result r;
                memset(&desc, 0, sizeof desc);
                desc.order = known[k].order;
                desc.kind = (combgpu_magic_kind)known[k].kind;
                desc.samples = (uint64_t)sizes[s];
                desc.seed = (uint64_t)seed + 5000;
                if (combgpu_magic_estimate(CPU, &desc, &r)) continue;
                known_error += r.standard_error > 0 && r.error_of_error > 0;
                given += r.low > 0;
                inside +=
                    r.low > 0 && r.low <= 8 * known[k].up_to_d4 && 8 * known[k].up_to_d4 <= r.high;
                if (r.low > 0) wider &= r.high - r.count > 1.9 * r.standard_error;
            }
            if (!test_small()) covered(inside, given, known[k].what, sizes[s]);
            ok(given == known_error && wider,
               "... given with each error and its own, and wider than 1.9 of them");
        }
}

/* 99 samples have no interval, and neither have any that found nothing. */
static void test_few(void)
{
    combgpu_magic_estimate_desc desc;
    combgpu_magic_estimate_result r;
    memset(&desc, 0, sizeof desc);
    desc.order = 6;
    desc.samples = 99;
    equal_status(CPU, combgpu_magic_estimate(CPU, &desc, &r), COMBGPU_OK, "99 samples");
    ok(r.standard_error > 0 && r.error_of_error > 0 && r.low <= 0 && r.high <= 0,
       "... have an error, but no interval");
    desc.order = 11;
    desc.samples = 200;
    equal_status(CPU, combgpu_magic_estimate(CPU, &desc, &r), COMBGPU_OK, "samples of order 11");
    ok(r.count <= 0 && r.standard_error <= 0 && r.error_of_error <= 0 && r.low <= 0,
       "... found nothing, and say nothing");
}

typedef struct forecast {
    const char *what;
    int magic, order, kind;
} forecast;

static combgpu_job *begin(const forecast *f)
{
    combgpu_magic_desc magic;
    combgpu_no3_desc no3;
    combgpu_job *job = NULL;
    memset(&magic, 0, sizeof magic);
    memset(&no3, 0, sizeof no3);
    magic.order = no3.n = f->order;
    magic.kind = (combgpu_magic_kind)f->kind;
    no3.symmetry = (combgpu_no3_class)f->kind;
    magic.run.slice_ms = no3.run.slice_ms = 1;
    if (f->magic)
        combgpu_magic_begin(CPU, &magic, &job);
    else
        combgpu_no3_begin(CPU, &no3, &job);
    return job;
}

static combgpu_estimate estimate(const forecast *f, uint64_t seed, int samples)
{
    combgpu_estimate_desc desc;
    combgpu_estimate e;
    combgpu_job *job = begin(f);
    memset(&desc, 0, sizeof desc);
    memset(&e, 0, sizeof e);
    desc.seed = seed;
    desc.samples = samples;
    desc.calibrate_s = 1e-9;
    if (combgpu_job_estimate(job, &desc, &e) < 0) e.done = 1;
    combgpu_job_cancel(job);
    return e;
}

/* Forecasts of searches whose steps are known. */
static void test_forecasts(void)
{
    static const forecast known[] = {{"no3, n = 10", 0, 10, 0},
                                     {"no3, n = 25, near_rot4", 0, 25, COMBGPU_NO3_NEAR_ROT4},
                                     {"pandiagonal 5", 1, 5, COMBGPU_MAGIC_PANDIAGONAL},
                                     {"no3, n = 12", 0, 12, 0}};
    static const int sizes[] = {8, 16, 64};
    size_t k, s;
    for (k = 0; k < sizeof known / sizeof known[0]; k++) {
        combgpu_job *job;
        double steps;
        if (test_small() && k) break;
        job = begin(&known[k]);
        test_run(job);
        steps = (double)steps_of(job);
        combgpu_job_cancel(job);
        for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const int seeds = is_long() ? 200 : test_small() || s > 1 ? 5 : s || k > 2 ? 10 : 40;
            int seed, inside = 0, given = 0, counted = 0;
            for (seed = 1; seed <= seeds; seed++) {
                combgpu_estimate e = estimate(&known[k], (uint64_t)seed, sizes[s]);
                if (e.done) continue; /* it ended meanwhile */
                counted++;
                given += e.steps >= 0;
                inside += e.steps >= 0 && e.steps_low <= steps && steps <= e.steps_high;
            }
            covered(inside, given, known[k].what, sizes[s]);
            ok(given >= counted * (s ? 9 : 5) / 10, "... and are given: %d of %d", given, counted);
        }
    }
}

/* Order 6 has at least as many steps as squares up to its group of 192: no number of samples that is taken in
   seconds sees them, and all numbers are not known. */
static void test_unknown(void)
{
    static const forecast six = {"order 6", 1, 6, 0}, wide = {"no3, n = 24", 0, 24, 0};
    static const int sizes[] = {2, 4, 16, 64, 256};
    combgpu_progress progress;
    combgpu_job *job;
    double end;
    size_t s;
    int seed, unknown = 1;
    for (s = 0; s < (is_long() ? 5 : test_small() ? 2 : 3); s++)
        for (seed = 1; seed <= (is_long() ? 50 : sizes[s] > 16 ? 1 : 3); seed++) {
            combgpu_estimate e = estimate(seed % 2 ? &six : &wide, (uint64_t)seed, sizes[s]);
            if (e.steps < 0 && e.seconds < 0 && e.steps_low < 0 && e.steps_high < 0 &&
                e.seconds_low < 0 && e.seconds_high < 0 && e.steps_error < 0 &&
                e.samples == sizes[s])
                continue;
            printf("# seed %d, %d samples: %.3g steps\n", seed, sizes[s], e.steps);
            unknown = 0;
        }
    ok(unknown, "forecasts of order 6 and of n = 24 are not known");
    job = begin(&six);
    unknown = 1;
    for (end = test_now() + (test_small() ? 0.1 : 0.8); test_now() < end;) {
        combgpu_step(job);
        combgpu_job_progress(job, &progress);
        unknown &=
            progress.fraction <= 0 && progress.remaining_s < 0 && progress.remaining_error_s < 0;
    }
    ok(unknown, "... neither is the progress of order 6");
    combgpu_job_cancel(job);
}

int main(void)
{
    open_places();
    test_few();
    test_magic();
    test_forecasts();
    test_unknown();
    close_places();
    return tap_end();
}
