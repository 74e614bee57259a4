/* Tests what all searches share: version, strings, opening, the arguments of a run, messages, hooks,
   self-test. Any search needed is a short one on permutations. */
#include "test.h"

#include <locale.h>

static void version_and_strings(void)
{
    int i, known = 0;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", COMBGPU_VERSION_MAJOR, COMBGPU_VERSION_MINOR,
             COMBGPU_VERSION_PATCH);
    ok(!strcmp(combgpu_version(), text), "combgpu_version() is %s", text);
    ok(!strcmp(COMBGPU_VERSION_STRING, text), "and so is the macro");
    for (i = -40; i <= 40; i++) {
        const char *string = combgpu_status_string((combgpu_status)i);
        if (!string || !*string) break;
        known += strcmp(string, "unknown status") != 0;
    }
    ok(i == 41, "every status, known or not, has a string");
    equal_u64(known, 14, "14 statuses have one of their own");
    for (i = known = 0; i < 4; i++)
        known += strcmp(combgpu_backend_string((combgpu_backend)i), "unknown backend") != 0;
    equal_u64(known, 4, "4 backends have a name of their own");
    ok(!strcmp(combgpu_backend_string(COMBGPU_BACKEND_OPENCL), "opencl"), "\"opencl\"");
}

/* ---- opening */

/* Opening must fail with `want`; the context then serves its message and nothing else. */
static void refuse(const combgpu_context_desc *desc, combgpu_status want, const char *words)
{
    combgpu_context *ctx = NULL;
    combgpu_device device;
    combgpu_perm_desc perm;
    combgpu_perm_result result;
    memset(&perm, 0, sizeof perm);
    perm.n = 3;
    ok(combgpu_open(&ctx, desc) == want, "open is refused: %s", words);
    ok(ctx && strstr(combgpu_message(ctx), words) != NULL, "message: %s", combgpu_message(ctx));
    ok(combgpu_perm(ctx, &perm, &result) == COMBGPU_INVALID_ARGUMENT && *combgpu_message(ctx),
       "a context that is not open runs no search");
    ok(combgpu_self_test(ctx) < 0, "and no self-test");
    memset(&device, 1, sizeof device);
    combgpu_context_device(ctx, &device);
    combgpu_close(ctx);
}

static void opening(void)
{
    combgpu_context_desc desc;
    combgpu_context *ctx = NULL;
    combgpu_device device;
    test_meter memory;
    test_log log;
    memset(&memory, 0, sizeof memory);
    memset(&log, 0, sizeof log);
    memset(&desc, 0, sizeof desc);
    ok(combgpu_open(NULL, &desc) == COMBGPU_INVALID_ARGUMENT, "open(NULL)");
    combgpu_close(NULL);
    ok(!strcmp(combgpu_message(NULL), "out of memory"), "message(NULL) is \"out of memory\"");
    combgpu_context_device(NULL, &device);
    ok(combgpu_open(&ctx, NULL) == COMBGPU_OK, "open with all defaults");
    combgpu_context_device(ctx, &device);
    ok(device.name[0] && device.compute_units > 0, "it uses %s", device.name);
    ok(!*combgpu_message(ctx), "no message where nothing failed");
    combgpu_context_device(ctx, NULL);
    combgpu_close(ctx);

    desc.backend = (combgpu_backend)3;
    desc.device = 1000;
#ifdef COMBGPU_OPENCL
    refuse(&desc, COMBGPU_NO_DEVICE, "opencl");
#else
    desc.device = 0;
    refuse(&desc, COMBGPU_NO_DEVICE, "compile with COMBGPU_OPENCL");
#endif
#ifndef COMBGPU_CUDA
    desc.backend = COMBGPU_BACKEND_CUDA;
    desc.device = 0;
    refuse(&desc, COMBGPU_NO_DEVICE, "compile with COMBGPU_CUDA");
#endif
    desc.backend = COMBGPU_BACKEND_CPU;
    desc.device = 1;
    refuse(&desc, COMBGPU_NO_DEVICE, "desc.device is 1");
    desc.device = -1;
    refuse(&desc, COMBGPU_INVALID_ARGUMENT, "desc.device is -1");
    desc.device = 0;
    desc.threads = -1;
    refuse(&desc, COMBGPU_INVALID_ARGUMENT, "desc.threads is -1; it may be 0 (all) to 4096");
    desc.threads = 4097;
    refuse(&desc, COMBGPU_INVALID_ARGUMENT, "desc.threads is 4097");
    desc.threads = 2;
    desc.allocator.allocate = test_allocate;
    refuse(&desc, COMBGPU_INVALID_ARGUMENT, "desc.allocator");
    desc.allocator.allocate = NULL;
    desc.allocator.release = test_release;
    refuse(&desc, COMBGPU_INVALID_ARGUMENT, "desc.allocator");
    test_meter_use(&desc, &memory);
    test_log_use(&desc, &log);
    memory.fail_at = memory.for_good = 1;
    ctx = (combgpu_context *)&log;
    ok(combgpu_open(&ctx, &desc) == COMBGPU_OUT_OF_MEMORY && !ctx, "open without memory: NULL");
    memory.fail_at = 0;
    ok(combgpu_open(&ctx, &desc) == COMBGPU_OK, "open with hooks");
    ok(memory.live >= 1 && log.count[COMBGPU_LOG_INFO] == 1 &&
           strstr(log.last[COMBGPU_LOG_INFO], "cpu"),
       "the logger hears which device is used: %s", log.last[COMBGPU_LOG_INFO]);
    combgpu_close(ctx);
    equal_u64(memory.live, 0, "close releases all that was allocated");
}

/* ---- the arguments of a run */

static uint8_t written[24 * 4];

static combgpu_perm_desc small_search(void)
{
    combgpu_perm_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.n = 4;
    desc.out = written;
    desc.out_bytes = sizeof written;
    return desc;
}

static void refuse_run(combgpu_context *ctx, const combgpu_perm_desc *desc, const char *words)
{
    combgpu_job *job = (combgpu_job *)ctx;
    combgpu_perm_result result;
    combgpu_status status = combgpu_perm_begin(ctx, desc, &job);
    ok(status == COMBGPU_INVALID_ARGUMENT && !job && strstr(combgpu_message(ctx), words),
       "refused: %s", combgpu_message(ctx));
    if (status != COMBGPU_INVALID_ARGUMENT || !strstr(combgpu_message(ctx), words))
        printf("#   status %d, want the words: %s\n", (int)status, words);
    if (!status) combgpu_job_cancel(job);
    ok(combgpu_perm(ctx, desc, &result) == COMBGPU_INVALID_ARGUMENT,
       "by the one-shot form as well");
}

static int never_called(const combgpu_progress *progress, void *user)
{
    (void)progress;
    ++*(int *)user;
    return 0;
}

static void run_arguments(void)
{
    combgpu_context *ctx;
    combgpu_context_desc open_desc;
    combgpu_perm_desc desc = small_search();
    combgpu_perm_result result;
    combgpu_job *job;
    test_meter memory;
    test_log log;
    double zero = 0, nan;
    int calls = 0;
    nan = zero / zero;
    memset(&memory, 0, sizeof memory);
    memset(&log, 0, sizeof log);
    open_desc = test_context(0);
    test_log_use(&open_desc, &log);
    test_meter_use(&open_desc, &memory);
    if (!ok(combgpu_open(&ctx, &open_desc) == COMBGPU_OK, "open")) return;

    desc.run.shard_count = -1;
    refuse_run(ctx, &desc, "run.shard_count is -1");
    desc.run.shard_count = 0;
    desc.run.shard_index = 1;
    refuse_run(ctx, &desc, "run.shard_index is 1; with run.shard_count 0 it may be 0 to 0");
    desc.run.shard_count = 3;
    desc.run.shard_index = 3;
    refuse_run(ctx, &desc, "run.shard_index is 3; with run.shard_count 3 it may be 0 to 2");
    desc.run.shard_index = -1;
    refuse_run(ctx, &desc, "run.shard_index is -1");
    desc = small_search();
    desc.run.time_limit_s = -1;
    refuse_run(ctx, &desc, "run.time_limit_s is -1");
    desc.run.time_limit_s = nan;
    refuse_run(ctx, &desc, "run.time_limit_s is");
    desc = small_search();
    desc.run.slice_ms = 0.5;
    refuse_run(ctx, &desc, "run.slice_ms is 0.5; it may be 0 (default) or 1 to 500");
    desc.run.slice_ms = 501;
    refuse_run(ctx, &desc, "run.slice_ms is 501");
    desc.run.slice_ms = nan;
    refuse_run(ctx, &desc, "run.slice_ms is");
    desc = small_search();
    desc.run.progress_interval_s = -0.5;
    refuse_run(ctx, &desc, "run.progress_interval_s is -0.5");
    desc = small_search();
    desc.run.checkpoint_interval_s = nan;
    refuse_run(ctx, &desc, "run.checkpoint_interval_s is");
    desc = small_search();
    desc.run.resume = 1;
    refuse_run(ctx, &desc, "run.checkpoint_path");
    desc = small_search();
    desc.run.checkpoint_path = "";
    refuse_run(ctx, &desc, "run.checkpoint_path is empty");
    desc = small_search();
    desc.run.resume_data = &desc;
    refuse_run(ctx, &desc, "run.resume_bytes is 0");
    desc = small_search();
    desc.run.resume_bytes = 10;
    refuse_run(ctx, &desc, "run.resume_data is NULL");
    desc = small_search();
    desc.n = 35;
    refuse_run(ctx, &desc, "n is 35; it may be 1 to 34");
    ok(log.count[COMBGPU_LOG_ERROR] > 0 &&
           !strcmp(log.last[COMBGPU_LOG_ERROR], combgpu_message(ctx)),
       "the logger heard the same: %s", log.last[COMBGPU_LOG_ERROR]);
    equal_u64(memory.live, 1, "a refused search leaves nothing behind");

    desc = small_search();
    desc.run.progress = never_called;
    desc.run.progress_user = &calls;
    desc.run.progress_interval_s = 1e9;
    desc.run.checkpoint_interval_s = 1e9;
    desc.run.time_limit_s = 1e300;
    desc.run.slice_ms = 500;
    desc.run.shard_count = 1;
    equal_status(ctx, combgpu_perm(ctx, &desc, &result), COMBGPU_OK, "large values are fine");
    ok(!*combgpu_message(ctx), "a search that succeeds leaves no message");
    ok(!memcmp(written + 92, "\3\2\1\0", 4), "and has done its work");
    equal_u64(calls, 1, "progress is reported once at the end");
    ok(result.run.status == COMBGPU_OK && result.run.backend == COMBGPU_BACKEND_CPU &&
           result.run.device[0] && result.run.seconds >= result.run.device_seconds &&
           result.run.steps == 24 && result.run.slices > 0 && !result.run.tasks_left,
       "the result says how the run went");

    equal_status(ctx, combgpu_perm_begin(ctx, &desc, &job), COMBGPU_OK, "begin");
    equal_status(ctx, combgpu_job_progress(job, NULL), COMBGPU_INVALID_ARGUMENT,
                 "job_progress to NULL");
    ok(combgpu_job_progress(NULL, NULL) == COMBGPU_INVALID_ARGUMENT, "job_progress of no job");
    combgpu_job_cancel(job);
    equal_status(ctx, combgpu_perm_begin(ctx, &desc, &job), COMBGPU_OK, "begin");
    equal_status(ctx, combgpu_perm_end(job, &result), COMBGPU_STOPPED,
                 "a job that is ended before its first step has stopped");
    combgpu_close(ctx);
    equal_u64(memory.live, 0, "nothing is left in memory");
}

/* NULL for every pointer that a call needs: a status, and a message where there is a context. */
static void null_arguments(void)
{
    combgpu_context *ctx;
    combgpu_context_desc open_desc;
    uint64_t rank;
    combgpu_u128 rank128;
    uint8_t four[4] = {0, 1, 2, 3};
    memset(&open_desc, 0, sizeof open_desc);
    open_desc.backend = COMBGPU_BACKEND_CPU;
    combgpu_open(&ctx, &open_desc);
#define REFUSED(call) ok((call) == COMBGPU_INVALID_ARGUMENT, "%s", #call)
#define REFUSED_WITH_MESSAGE(call)                                                                 \
    (inside_forget_message(ctx), REFUSED(call),                                                    \
     ok(*combgpu_message(ctx), "%s", combgpu_message(ctx)))
    REFUSED(combgpu_self_test(NULL));
    REFUSED(combgpu_step(NULL));
    REFUSED(combgpu_save(NULL, NULL, 0, NULL));
    REFUSED(combgpu_checkpoint(NULL));
    combgpu_job_cancel(NULL);
    REFUSED_WITH_MESSAGE(combgpu_perm_rank(ctx, 4, NULL, &rank));
    REFUSED_WITH_MESSAGE(combgpu_perm_rank(ctx, 4, four, NULL));
    REFUSED_WITH_MESSAGE(combgpu_perm_rank128(ctx, 4, NULL, &rank128));
    REFUSED_WITH_MESSAGE(combgpu_perm_rank128(ctx, 4, four, NULL));
    REFUSED_WITH_MESSAGE(combgpu_perm_unrank(ctx, 4, 0, NULL));
    combgpu_close(ctx);
}

/* A NULL result is ignored, by every search alike: at the end of a job and in the one-shot forms. */
static void no_result(void)
{
    combgpu_context_desc open = test_context(0);
    double weights[9] = {0, 1, 2, 1, 0, 3, 2, 3, 0};
    combgpu_context *ctx;
    combgpu_job *job;
    combgpu_tsp_instance instance;
    combgpu_perm_desc perm = small_search();
    combgpu_no3_desc no3;
    combgpu_magic_desc magic;
    combgpu_magic_list_desc list;
    combgpu_magic_estimate_desc estimate;
    combgpu_magic_diagonals_desc diagonals;
    combgpu_tsp_desc tsp;
    combgpu_tsp_batch_desc batch;
    unsigned char out[9];
    memset(&instance, 0, sizeof instance);
    memset(&no3, 0, sizeof no3);
    memset(&magic, 0, sizeof magic);
    memset(&list, 0, sizeof list);
    memset(&estimate, 0, sizeof estimate);
    memset(&diagonals, 0, sizeof diagonals);
    memset(&tsp, 0, sizeof tsp);
    memset(&batch, 0, sizeof batch);
    no3.n = 4;
    magic.order = list.order = 3;
    list.out = out;
    list.out_bytes = sizeof out;
    list.count = 1;
    estimate.order = 6;
    estimate.samples = 100;
    diagonals.count = 1;
    instance.n = batch.n = 3;
    instance.weights = weights;
    batch.weights = weights;
    instance.symmetric = 1;
    tsp.instance = &instance;
    batch.count = 1;
    combgpu_open(&ctx, &open);
#define NO_RESULT(search, desc)                                                                    \
    equal_status(ctx, combgpu_##search(ctx, desc, NULL), COMBGPU_OK, "no result: " #search);       \
    if (!combgpu_##search##_begin(ctx, desc, &job))                                                \
    equal_status(ctx, combgpu_##search##_end(job, NULL), COMBGPU_STOPPED,                          \
                 "no result: " #search "_end")
    NO_RESULT(perm, &perm);
    NO_RESULT(no3, &no3);
    NO_RESULT(magic, &magic);
    NO_RESULT(tsp, &tsp);
    tsp.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    NO_RESULT(tsp, &tsp);
    NO_RESULT(tsp_batch, &batch);
    if (!combgpu_magic_estimate_begin(ctx, &estimate, &job))
        equal_status(ctx, combgpu_magic_estimate_end(job, NULL), COMBGPU_STOPPED,
                     "no result: magic_estimate_end");
    if (!combgpu_magic_diagonals_begin(ctx, &diagonals, &job))
        equal_status(ctx, combgpu_magic_diagonals_end(job, NULL), COMBGPU_STOPPED,
                     "no result: magic_diagonals_end");
    equal_status(ctx, combgpu_magic_list(ctx, &list, NULL), COMBGPU_OK, "no result: magic_list");
#undef NO_RESULT
    combgpu_close(ctx);
}

/* A callback and the job that calls it. */
static combgpu_job *caller;
static int calls, refused, saved;

static int board_calls(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    size_t bytes;
    (void)rows, (void)n, (void)symmetry, (void)user;
    calls++;
    refused += combgpu_step(caller) == COMBGPU_INVALID_ARGUMENT &&
               combgpu_save(caller, NULL, 0, &bytes) == COMBGPU_INVALID_ARGUMENT &&
               combgpu_checkpoint(caller) == COMBGPU_INVALID_ARGUMENT &&
               combgpu_no3_end(caller, NULL) == COMBGPU_INVALID_ARGUMENT;
    return 0;
}

static int progress_calls(const combgpu_progress *progress, void *user)
{
    size_t bytes;
    (void)progress, (void)user;
    saved += combgpu_save(caller, NULL, 0, &bytes) == COMBGPU_OK &&
             combgpu_no3_end(caller, NULL) == COMBGPU_INVALID_ARGUMENT;
    return 0;
}

/* What a callback may not ask of its own job is refused, and does no harm. */
static void callbacks(void)
{
    int place;
    combgpu_context *ctx;
    for (place = 0; place < TEST_PLACES; place++)
        if (test_open(place, &ctx)) {
            combgpu_no3_desc desc;
            combgpu_no3_result result;
            memset(&desc, 0, sizeof desc);
            memset(&result, 0, sizeof result);
            desc.n = 8;
            desc.solution = board_calls;
            desc.run.progress = progress_calls;
            desc.run.progress_interval_s = 1e-9;
            calls = refused = saved = 0;
            combgpu_no3_begin(ctx, &desc, &caller);
            while (combgpu_step(caller) == COMBGPU_RUNNING) {
            }
            equal_status(ctx, combgpu_no3_end(caller, &result), COMBGPU_OK, "%s: callbacks",
                         test_places[place].name);
            ok(calls == 57 && refused == calls && result.all == 380,
               "a callback for solutions can neither step, save nor end its job");
            ok(saved > 0, "one for progress can save it, but not end it");
            combgpu_close(ctx);
        }
}

static void self_tests(void)
{
    int place, mib;
    combgpu_context *ctx;
    for (mib = 20; mib <= 160; mib += 20) { /* less memory leaves some searches out */
        combgpu_context_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.backend = COMBGPU_BACKEND_CPU;
        desc.threads = 1;
        desc.memory_limit = (uint64_t)mib << 20;
        combgpu_open(&ctx, &desc);
        equal_status(ctx, combgpu_self_test(ctx), COMBGPU_OK, "self-test in %d MiB", mib);
        combgpu_close(ctx);
    }
    for (place = 0; place < TEST_PLACES; place++)
        if (test_open(place, &ctx)) {
            double begin;
            equal_status(ctx, combgpu_self_test(ctx), COMBGPU_OK, "%s: self-test",
                         test_places[place].name);
            begin = test_now();
            equal_status(ctx, combgpu_self_test(ctx), COMBGPU_OK, "%s: and again",
                         test_places[place].name);
            printf("# %.3f s\n", test_now() - begin);
            combgpu_close(ctx);
        }
}

/* ---- locales */

/* Sets a language's locale with this decimal point; makes one where the system has none but can. */
static int use_locale(const char *language, const char *point)
{
    char folder[200], name[40], command[300];
    int made = 0;
    snprintf(name, sizeof name, "%s.UTF-8", language);
    if (setlocale(LC_NUMERIC, name) && !strcmp(localeconv()->decimal_point, point)) return 1;
#ifndef _WIN32
    if (!test_folder(folder, sizeof folder)) return 0;
    snprintf(command, sizeof command, "localedef -i %s -f UTF-8 %s/%s >/dev/null 2>&1", language,
             folder, name);
    if (!system(command)) {
        test_variable("LOCPATH", folder);
        made = setlocale(LC_NUMERIC, name) && !strcmp(localeconv()->decimal_point, point);
        test_variable("LOCPATH", NULL);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command)) made = 0;
#else
    (void)folder;
    (void)command;
#endif
    if (!made) setlocale(LC_NUMERIC, "C");
    return made;
}

/* A batch of two tours through 20 cities. */
static void two_tours(combgpu_tsp_batch_desc *batch)
{
    static double places[40];
    int i;
    for (i = 0; i < 40; i++)
        places[i] = i * i % 41;
    memset(batch, 0, sizeof *batch);
    batch->n = 20;
    batch->count = 2;
    batch->x = batch->y = places;
    batch->metric = COMBGPU_TSP_PLANE;
}

/* A job whose description has a fraction is saved with a comma as decimal point, resumed with a point. */
static void saved_with_a_comma(void)
{
    static char states[2][1 << 16];
    combgpu_tsp_batch_desc batch;
    combgpu_magic_estimate_desc estimate;
    combgpu_context_desc one = test_context(1);
    combgpu_context *ctx;
    combgpu_job *job;
    size_t sizes[2] = {0, 0};
    int i, failed = combgpu_open(&ctx, &one);
    if (!failed && !use_locale("de_DE", ",")) {
        skip("no locale here has one", "decimal commas");
        combgpu_close(ctx);
        return;
    }
    two_tours(&batch);
    batch.instance_seconds = 1000.5;
    memset(&estimate, 0, sizeof estimate);
    estimate.order = 4;
    estimate.samples = 1000;
    estimate.relative_error = 0.5;
    for (i = 0; i < 2 && !failed; i++) {
        failed = i ? combgpu_magic_estimate_begin(ctx, &estimate, &job)
                   : combgpu_tsp_batch_begin(ctx, &batch, &job);
        if (failed) break;
        failed = combgpu_save(job, states[i], sizeof states[i], &sizes[i]);
        combgpu_job_cancel(job);
    }
    setlocale(LC_NUMERIC, "C");
    ok(!failed, "two jobs with fractions in their descriptions are saved where they have commas");
    batch.run.resume_data = states[0];
    batch.run.resume_bytes = sizes[0];
    equal_status(ctx, combgpu_tsp_batch(ctx, &batch, NULL), COMBGPU_OK,
                 "a batch continues where they have points");
    estimate.run.resume_data = states[1];
    estimate.run.resume_bytes = sizes[1];
    equal_status(ctx, combgpu_magic_estimate(ctx, &estimate, NULL), COMBGPU_OK,
                 "so does an estimate");
    combgpu_close(ctx);
}

/* A fraction of -0 makes no other job than 0. */
static void saved_with_minus_zero(void)
{
    static unsigned char state[1 << 16];
    combgpu_tsp_batch_desc batch;
    combgpu_context_desc one = test_context(1);
    combgpu_context *ctx;
    combgpu_job *job;
    if (combgpu_open(&ctx, &one)) return;
    two_tours(&batch);
    batch.instance_seconds = -0.0;
    if (!combgpu_tsp_batch_begin(ctx, &batch, &job)) {
        (void)combgpu_save(job, state, sizeof state, &batch.run.resume_bytes);
        combgpu_job_cancel(job);
    }
    batch.instance_seconds = 0;
    batch.run.resume_data = state;
    equal_status(ctx, combgpu_tsp_batch(ctx, &batch, NULL), COMBGPU_OK,
                 "a batch of instance_seconds -0 goes on with 0");
    combgpu_close(ctx);
}

/* Files have points, whatever the locale has: a comma, or two bytes as in Pashto. */
static void files_have_points(const char *language, const char *point)
{
    static const char text[] = "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n"
                               "NODE_COORD_SECTION\n1 1.5 .25\n2 -7. 1.25E2\n3 4 0.125\nEOF\n";
    combgpu_context_desc one = test_context(1);
    combgpu_tsp_instance instance;
    combgpu_context *ctx;
    int failed = combgpu_open(&ctx, &one);
    if (!failed && !use_locale(language, point)) {
        skip("it is not here", language);
        combgpu_close(ctx);
        return;
    }
    if (!failed) failed = combgpu_tsp_parse(ctx, text, sizeof text - 1, &instance);
    ok(!failed && instance.x[0] == 1.5 && instance.y[0] == 0.25 && instance.x[1] == -7 &&
           instance.y[1] == 125 && instance.x[2] == 4 && instance.y[2] == 0.125,
       "%s: a file's numbers are read with points", language);
    setlocale(LC_NUMERIC, "C");
    if (!failed) combgpu_tsp_free(ctx, &instance);
    combgpu_close(ctx);
}

int main(void)
{
    version_and_strings();
    opening();
    run_arguments();
    null_arguments();
    no_result();
    callbacks();
    self_tests();
    saved_with_a_comma();
    saved_with_minus_zero();
    files_have_points("de_DE", ",");
    files_have_points("ps_AF", "\xd9\xab");
    return tap_end();
}
