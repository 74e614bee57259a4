/* Tests of several devices in one context: every search gives equal sums with any set of them, a
   device may be listed twice, may be slow, may fail, hang or run out of memory. */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU_ONLY_NO3 1
#include "test.h"

#include <signal.h>
#include <unistd.h>
#ifndef _WIN32
#include <sys/wait.h>
#endif

/* What opens the devices of `list`: c = CPU, o = OpenCL device 0, u = CUDA device 0, v = CUDA
   device 1. Valid until the next call. */
static combgpu_context_desc context_of(const char *list)
{
    static combgpu_device_id devices[COMBGPU_MAX_DEVICES];
    combgpu_context_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = 2;
    desc.devices = devices;
    for (; *list; list++, desc.device_count++) {
        devices[desc.device_count].backend = *list == 'c'   ? COMBGPU_BACKEND_CPU
                                             : *list == 'o' ? COMBGPU_BACKEND_OPENCL
                                                            : COMBGPU_BACKEND_CUDA;
        devices[desc.device_count].index = *list == 'v';
    }
    return desc;
}

static combgpu_status open_list(combgpu_context **ctx, const char *list, test_log *log,
                                test_meter *memory)
{
    combgpu_context_desc desc = context_of(list);
    if (log) test_log_use(&desc, log);
    if (memory) test_meter_use(&desc, memory);
    return combgpu_open(ctx, &desc);
}

static const char *const lists[] = {"cc", "ccc", "o", "oo", "oc", "co", "ooc", "uu", "uv", "uvc"};
#define LISTS (sizeof lists / sizeof lists[0])

/* 1 if the devices are there; otherwise a SKIP has been printed. */
static int open_or_skip(combgpu_context **ctx, const char *list)
{
    char name[64];
    snprintf(name, sizeof name, "devices %s", list);
    if (open_list(ctx, list, NULL, NULL) == COMBGPU_OK) return 1;
    skip(combgpu_message(*ctx), name);
    combgpu_close(*ctx);
    return 0;
}

/* ---- devices that fail, hang, are slow, have little memory: the CPU's backend with errors put in
   */

static combgpu__backend faulty;
static int fail_at;         /* the call that fails, on a device that is `faulty`; 0 = none */
static int fail_for_good;   /* and all after it */
static int hangs_at;        /* the slice that never ends */
static int allocations_bad; /* this many allocations find no memory */
static int launches_bad;    /* this many slices, from the first on */
static double slow_s;       /* time that a slice takes */
static double steps_per_s;  /* or that a step takes */
static double ends[8];      /* when the slice of launch i ends */
static combgpu_context *members[8];
static void *hung_memory[64]; /* what the library rightly leaves alone */
static int hung_count, calls, slices;

static int fails(void)
{
    calls++;
    return fail_at && (calls == fail_at || (fail_for_good && calls > fail_at));
}

static combgpu_status faulty_allocate(combgpu_context *ctx, size_t bytes, combgpu__memory *memory)
{
    combgpu_status status;
    if (allocations_bad && allocations_bad--)
        return combgpu__fail(ctx, COMBGPU_DEVICE_OUT_OF_MEMORY, "full, says the test");
    status = combgpu__cpu.allocate(ctx, bytes, memory);
    if (!status && hangs_at && hung_count < 64) hung_memory[hung_count++] = memory->handle;
    return status;
}

static void faulty_release(combgpu_context *ctx, combgpu__memory *memory)
{
    int i;
    for (i = 0; i < hung_count; i++)
        if (hung_memory[i] == memory->handle) hung_memory[i] = NULL;
    combgpu__cpu.release(ctx, memory);
}

static combgpu_status faulty_upload(combgpu_context *ctx, combgpu__memory *to, size_t offset,
                                    const void *from, size_t bytes)
{
    if (fails()) return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "upload, says the test");
    return combgpu__cpu.upload(ctx, to, offset, from, bytes);
}

static combgpu_status faulty_download(combgpu_context *ctx, void *to, const combgpu__memory *from,
                                      size_t offset, size_t bytes)
{
    if (fails()) return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "download, says the test");
    return combgpu__cpu.download(ctx, to, from, offset, bytes);
}

static int member_of(const combgpu_context *ctx)
{
    int i;
    for (i = 0; i < 7 && members[i] != ctx; i++) {
    }
    return i;
}

static combgpu_status faulty_start(combgpu_context *ctx, combgpu__launch *launch)
{
    combgpu_status status;
    double steps;
    slices++;
    if (launches_bad && launches_bad--)
        return combgpu__fail(ctx, COMBGPU_DEVICE_OUT_OF_MEMORY, "full, says the test");
    if (fails()) return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "start, says the test");
    status = combgpu__cpu.start(ctx, launch);
    steps = (double)combgpu__get64(((combgpu__slice *)launch->control->handle)->totals);
    if (steps_per_s > 0) launch->seconds = steps / steps_per_s + 1e-4;
    if (slow_s > 0) launch->seconds = slow_s;
    ends[member_of(ctx)] = test_now() + launch->seconds;
    return status;
}

static combgpu__result faulty_poll(combgpu_context *ctx, combgpu__launch *launch)
{
    (void)launch;
    if (fails())
        return combgpu__as_result(combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "poll, says the test"));
    if (hangs_at && slices >= hangs_at) return COMBGPU__WORKING;
    return (slow_s > 0 || steps_per_s > 0) && test_now() < ends[member_of(ctx)] ? COMBGPU__WORKING
                                                                                : COMBGPU__DONE;
}

/* `count` CPUs, those from `honest` on with faults. */
static combgpu_context *open_faulty(int count, int honest, test_log *log, test_meter *memory)
{
    combgpu_context *ctx;
    char list[9] = "cccccccc";
    int i;
    list[count] = 0;
    memset(log, 0, sizeof *log);
    if (open_list(&ctx, list, log, memory)) ok(0, "%s: %s", list, combgpu_message(ctx));
    faulty = combgpu__cpu;
    faulty.allocate = faulty_allocate;
    faulty.release = faulty_release;
    faulty.upload = faulty_upload;
    faulty.download = faulty_download;
    faulty.start = faulty_start;
    faulty.poll = faulty_poll;
    for (i = 0; i < count; i++) {
        members[i] = i ? ctx->others[i - 1] : ctx;
        if (i >= honest) members[i]->backend = &faulty;
    }
    fail_at = fail_for_good = hangs_at = allocations_bad = launches_bad = hung_count = calls =
        slices = 0;
    slow_s = steps_per_s = 0;
    return ctx;
}

static void small_no3(combgpu_no3_desc *desc, int n)
{
    memset(desc, 0, sizeof *desc);
    desc->n = n;
    desc->run.slice_ms = 1;
}

static int same(const combgpu_no3_result *a, const combgpu_no3_result *b)
{
    return a->all == b->all && a->up_to_symmetry == b->up_to_symmetry &&
           a->run.steps == b->run.steps && a->run.checksum == b->run.checksum;
}

static void a_device_fails(void)
{
    combgpu_no3_desc desc;
    combgpu_no3_result want, got;
    test_log log;
    test_meter memory = {0, 0, 0, 0, 0, 0};
    combgpu_context *ctx = open_faulty(2, 1, &log, &memory);
    int k, all, bad = 0, wrong = 0, unnamed = 0, leaks = 0, lost = 0;
    small_no3(&desc, 7);
    equal_status(ctx, combgpu_no3(ctx, &desc, &want), COMBGPU_OK, "two devices");
    all = calls;
    combgpu_close(ctx);
    equal_u64(memory.live, 0, "nothing leaks");
    for (k = 1; k <= all; k += all < 60 ? 1 : 1 + random_below(all / 20)) {
        combgpu_status status;
        ctx = open_faulty(2, 1, &log, &memory);
        fail_at = k;
        fail_for_good = k % 2;
        status = combgpu_no3(ctx, &desc, &got);
        if (calls >= k) { /* else it did not come to that */
            /* while the job begins a device that fails is an error: the caller is still there */
            bad += status != COMBGPU_OK && status != COMBGPU_DEVICE_ERROR;
            wrong += status == COMBGPU_OK && !same(&got, &want);
            lost += status == COMBGPU_OK && got.run.devices[1].lost && got.run.device_errors == 1 &&
                    got.run.devices[1].errors == 1;
            unnamed += status == COMBGPU_OK ? !strstr(log.last[COMBGPU_LOG_ERROR], "cpu")
                                            : !strstr(combgpu_message(ctx), "says the test");
        }
        combgpu_close(ctx);
        leaks += memory.live != 0;
    }
    printf("# %d calls of the device that fails, %d times it was lost in the run\n", all, lost);
    equal_u64(bad, 0, "a device that fails at any call: the other one continues, or an error");
    equal_u64(wrong, 0, "a device that fails at any call: equal sums");
    equal_u64(unnamed, 0, "a device that fails: the message says which and why");
    equal_u64(leaks, 0, "a device that fails: nothing leaks");
    ok(lost > 3, "%d runs went on without it, and the result says so", lost);
}

/* The next job of a context leaves out what was lost before. */
static void lost_devices_stay_out(void)
{
    combgpu_no3_desc desc;
    combgpu_no3_result first, second;
    test_log log;
    combgpu_context *ctx = open_faulty(3, 2, &log, NULL);
    small_no3(&desc, 8);
    fail_at = 6;
    fail_for_good = 1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &first), COMBGPU_OK, "one of three is lost");
    equal_u64(first.run.devices[2].lost, 1, "it is the last one");
    equal_status(ctx, combgpu_no3(ctx, &desc, &second), COMBGPU_OK, "the next run");
    equal_u64(second.run.device_count, 2, "the next run has two devices");
    ok(same(&first, &second), "equal sums");
    combgpu_close(ctx);
}

/* A slice that had a part of the budget, since another device waits, says how long the whole takes.
   */
static void shortened_slices_aim_right(void)
{
    combgpu_job *job = (combgpu_job *)calloc(1, sizeof *job);
    combgpu__slice slice;
    memset(&slice, 0, sizeof slice);
    slice.budget = 250;
    slice.left_count = 1;
    if (job) {
        uint32_t next = combgpu__next_budget(job, &slice, 1000, 0.0125);
        ok(next > 900 && next < 1100, "a quarter of the budget in a quarter of the time: %u", next);
        slice.stop = COMBGPU__STOP_STARVED;
        equal_u64(combgpu__next_budget(job, &slice, 1000, 0.03), 1000,
                  "a slice that ended since tasks ran out says little");
    }
    free(job);
}

static char folder[200], checkpoint[220];

static void remove_checkpoints(void)
{
    char path[230];
    remove(checkpoint);
    snprintf(path, sizeof path, "%s.bak", checkpoint);
    remove(path);
}

static void all_devices_fail(void)
{
    combgpu_no3_desc desc;
    combgpu_no3_result want, got;
    test_log log;
    combgpu_context *ctx = open_faulty(2, 2, &log, NULL);
    combgpu_status status;
    int k, resumed = 0, bad = 0, unnamed = 0, wrong = 0;
    small_no3(&desc, 8);
    equal_status(ctx, combgpu_no3(ctx, &desc, &want), COMBGPU_OK, "two devices");
    combgpu_close(ctx);
    for (k = 8; k < 80; k += 6) {
        ctx = open_faulty(2, 0, &log, NULL);
        fail_at = k;
        fail_for_good = 1;
        desc.run.checkpoint_path = checkpoint;
        desc.run.resume = 0;
        status = combgpu_no3(ctx, &desc, &got);
        bad += status != COMBGPU_OK && status != COMBGPU_DEVICE_ERROR;
        unnamed += status == COMBGPU_DEVICE_ERROR && !strstr(combgpu_message(ctx), "cpu failed: ");
        combgpu_close(ctx);
        if (status == COMBGPU_DEVICE_ERROR && access(checkpoint, F_OK) == 0) {
            ctx = open_faulty(1, 1, &log, NULL);
            desc.run.resume = 1;
            if (combgpu_no3(ctx, &desc, &got) != COMBGPU_OK || !same(&got, &want)) {
                printf("# call %d: %s\n", k, combgpu_message(ctx));
                wrong++;
            }
            combgpu_close(ctx);
            resumed++;
        }
        remove_checkpoints();
    }
    equal_u64(unnamed, 0, "all devices fail: the message says which");
    equal_u64(wrong, 0, "all devices fail: the checkpoint resumes to the end");
    equal_u64(bad, 0, "all devices fail: a device error");
    ok(resumed > 0, "%d times there was a checkpoint", resumed);
}

/* A run with a negative interval leaves the caller's last file as it is: from there on solutions come again. */
static void only_the_caller_writes(void)
{
    combgpu_no3_desc desc;
    combgpu_no3_result got;
    combgpu_job *job;
    test_log log;
    int k, ran = 0, failed = 0, written = 0;
    for (k = 8; k < 40; k++) {
        combgpu_context *ctx = open_faulty(1 + k % 2, 0, &log, NULL);
        combgpu_status status;
        fail_at = k;
        fail_for_good = 1;
        small_no3(&desc, 8);
        desc.run.checkpoint_path = checkpoint;
        desc.run.checkpoint_interval_s = -1;
        if (combgpu_no3_begin(ctx, &desc, &job) == COMBGPU_OK) {
            ran++;
            while ((status = combgpu_step(job)) == COMBGPU_RUNNING) {
            }
            failed += status == COMBGPU_DEVICE_ERROR;
            (void)combgpu_no3_end(job, &got);
        }
        written += access(checkpoint, F_OK) == 0;
        combgpu_close(ctx);
        remove_checkpoints();
    }
    ok(failed > 0, "all devices fail in %d of %d runs", failed, ran);
    equal_u64(written, 0, "all devices fail, interval negative: no file is written");
}

/* ---- a device that fails while the job is saved: its tasks are gone, and no file may lack them */

static struct {
    combgpu_job *job;
    int in_memory, failed;
} saving;

static int saves(const combgpu_progress *progress, void *user)
{
    size_t bytes;
    combgpu_status status = saving.in_memory ? combgpu_save(saving.job, NULL, 0, &bytes)
                                             : combgpu_checkpoint(saving.job);
    (void)progress, (void)user;
    saving.failed += status < 0;
    return status < 0;
}

/* Steps a job whose device fails at call k; saves it in the progress callback, which stops it if that fails,
   or after each step, twice. */
static void save_until_it_fails(const combgpu_no3_desc *desc, int k, int between)
{
    test_log log;
    combgpu_context *ctx = open_faulty(1, 0, &log, NULL);
    combgpu_status status;
    fail_at = k;
    fail_for_good = 1;
    status = combgpu_no3_begin(ctx, desc, &saving.job) ? COMBGPU_DEVICE_ERROR : COMBGPU_RUNNING;
    while (status == COMBGPU_RUNNING) {
        saving.job->budget = 30;
        status = combgpu_step(saving.job);
        if (between && status == COMBGPU_RUNNING && saves(NULL, NULL)) (void)saves(NULL, NULL);
    }
    combgpu_job_cancel(saving.job);
    combgpu_close(ctx);
}

static void saved_with_all_tasks(void)
{
    static const char *const names[] = {"combgpu_checkpoint in the progress callback",
                                        "combgpu_checkpoint after a step",
                                        "combgpu_save in the progress callback"};
    combgpu_no3_desc desc;
    combgpu_no3_result want, got;
    test_log log;
    combgpu_context *ctx = open_faulty(1, 1, &log, NULL);
    int way, k, wrong;
    small_no3(&desc, 7);
    equal_status(ctx, combgpu_no3(ctx, &desc, &want), COMBGPU_OK, "one device");
    combgpu_close(ctx);
    for (way = 0; way < 3; way++) {
        memset(&saving, 0, sizeof saving);
        saving.in_memory = way == 2;
        for (wrong = 0, k = 5; k < 40; k++) {
            small_no3(&desc, 7);
            desc.run.checkpoint_path = checkpoint;
            desc.run.progress = way == 1 ? NULL : saves;
            desc.run.progress_interval_s = 1e-9;
            save_until_it_fails(&desc, k, way == 1);
            ctx = open_faulty(1, 1, &log, NULL);
            desc.run.progress = NULL;
            desc.run.resume = 1;
            wrong += combgpu_no3(ctx, &desc, &got) != COMBGPU_OK || !same(&got, &want);
            combgpu_close(ctx);
            remove_checkpoints();
        }
        ok(saving.failed > 0, "%s fails %d times", names[way], saving.failed);
        equal_u64(wrong, 0, "%s fails: the file has all tasks", names[way]);
    }
}

static void a_device_hangs(void)
{
    combgpu_no3_desc desc;
    combgpu_no3_result want, got;
    test_log log;
    combgpu_context *ctx = open_faulty(2, 1, &log, NULL);
    int i;
    small_no3(&desc, 8);
    equal_status(ctx, combgpu_no3(ctx, &desc, &want), COMBGPU_OK, "two devices");
    desc.run.slice_limit_s = 0.05;
    slices = 0;
    hangs_at = 1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_OK,
                 "one of them hangs: it is not waited for");
    ok(same(&got, &want), "one hangs: equal sums");
    equal_u64(got.run.devices[1].lost, 1, "the one that hangs is lost");
    ok(strstr(log.last[COMBGPU_LOG_ERROR], "hangs") != NULL, "the log says so: %s",
       log.last[COMBGPU_LOG_ERROR]);
    combgpu_close(ctx);
    for (i = 0; i < hung_count; i++)
        free(hung_memory[i]);
    /* the only one */
    ctx = open_faulty(1, 0, &log, NULL);
    hangs_at = 1;
    desc.run.checkpoint_path = checkpoint;
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_DEVICE_ERROR, "the only one hangs");
    ok(strstr(combgpu_message(ctx), "hangs") != NULL, "the message says so: %s",
       combgpu_message(ctx));
    combgpu_close(ctx);
    for (i = 0; i < hung_count; i++)
        free(hung_memory[i]);
    ctx = open_faulty(1, 1, &log, NULL);
    desc.run.resume = 1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_OK, "its checkpoint");
    ok(same(&got, &want), "its checkpoint resumes to the end");
    combgpu_close(ctx);
    remove_checkpoints();
    desc.run.checkpoint_path = NULL;
    desc.run.resume = 0;
    ctx = open_faulty(1, 1, &log, NULL);
    desc.run.slice_limit_s = -1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_INVALID_ARGUMENT, "slice_limit_s -1");
    combgpu_close(ctx);
}

static void little_memory(void)
{
    combgpu_no3_desc desc;
    combgpu_no3_result want, got;
    test_log log;
    combgpu_context *ctx = open_faulty(2, 1, &log, NULL);
    small_no3(&desc, 8);
    equal_status(ctx, combgpu_no3(ctx, &desc, &want), COMBGPU_OK, "two devices");
    allocations_bad = 1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_OK, "one of them is short of memory");
    ok(same(&got, &want), "short of memory: equal sums");
    ok(strstr(log.last[COMBGPU_LOG_WARNING], "out of memory") != NULL, "a warning says so: %s",
       log.last[COMBGPU_LOG_WARNING]);
    combgpu_close(ctx);
    ctx = open_faulty(2, 1, &log, NULL);
    launches_bad = 1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_OK, "no memory for a launch");
    ok(same(&got, &want) && !got.run.device_errors, "no memory for a launch: equal sums");
    ok(log.count[COMBGPU_LOG_WARNING] == 1, "a warning says so: %s", log.last[COMBGPU_LOG_WARNING]);
    launches_bad = 100;
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_OK, "never any memory for a launch");
    ok(same(&got, &want) && got.run.devices[1].lost, "the other device does it all");
    combgpu_close(ctx);
}

static void slow_beside_fast(void)
{
    combgpu_no3_desc desc;
    combgpu_no3_result want, got;
    test_log log;
    combgpu_context *ctx = open_faulty(1, 1, &log, NULL);
    double alone;
    small_no3(&desc, test_small() ? 9 : 10);
    combgpu_no3(ctx, &desc, &want); /* warms up */
    alone = test_now();
    equal_status(ctx, combgpu_no3(ctx, &desc, &want), COMBGPU_OK, "one device");
    alone = test_now() - alone;
    combgpu_close(ctx);
    ctx = open_faulty(2, 1, &log, NULL);
    slow_s = 0.25;
    equal_status(ctx, combgpu_no3(ctx, &desc, &got), COMBGPU_OK, "a slow one beside it");
    ok(same(&got, &want), "slow beside fast: equal sums");
    printf("# alone %.3f s, with the slow one %.3f s: %llu of %llu steps there\n", alone,
           got.run.seconds, (unsigned long long)got.run.devices[1].steps,
           (unsigned long long)got.run.steps);
    ok(got.run.devices[0].steps > got.run.devices[1].steps, "the fast one does most");
    combgpu_close(ctx);
}

/* Devices whose slices take as long as their steps say, without using a processor. */
static void shared_evenly(void)
{
    static const int counts[] = {1, 2, 4};
    combgpu_no3_desc desc;
    combgpu_no3_result got[3];
    test_log log;
    int i, k;
    small_no3(&desc, 8);
    desc.run.slice_ms = 20;
    for (i = 0; i < 3; i++) {
        combgpu_context *ctx = open_faulty(counts[i], 0, &log, NULL);
        uint64_t least = UINT64_MAX;
        steps_per_s = 4000;
        equal_status(ctx, combgpu_no3(ctx, &desc, &got[i]), COMBGPU_OK, "%d devices", counts[i]);
        for (k = 0; k < counts[i]; k++)
            if (got[i].run.devices[k].steps < least) least = got[i].run.devices[k].steps;
        printf("# %d devices: %.3f s, %.1f %%; the one with the fewest steps did %llu of %llu\n",
               counts[i], got[i].run.seconds,
               100 * got[0].run.seconds / got[i].run.seconds / counts[i], (unsigned long long)least,
               (unsigned long long)got[i].run.steps);
        ok(same(&got[i], &got[0]), "%d devices: equal sums", counts[i]);
        ok(least * (uint64_t)counts[i] * 2 > got[i].run.steps, "%d devices: each does its part",
           counts[i]);
        equal_u64(got[i].run.device_count, counts[i], "%d devices: the result has %d reports",
                  counts[i], counts[i]);
        combgpu_close(ctx);
    }
}

/* ---- stop, resume, shards, checkpoints with several devices */

static int stop_now(const combgpu_progress *progress, void *user)
{
    int *left = (int *)user, i;
    uint64_t tasks = 0;
    for (i = 0; i < progress->device_count; i++)
        tasks += progress->devices[i].tasks_left;
    if (tasks > progress->tasks_left || progress->device_count < 1) *left = -1000000;
    return --*left < 0;
}

static void stopped_and_resumed(const char *list)
{
    combgpu_context *ctx;
    combgpu_no3_desc desc;
    combgpu_no3_result want, got, sum;
    combgpu_status status;
    int stops = 0, shards, i;
    if (!open_or_skip(&ctx, list)) return;
    small_no3(&desc, 8);
    equal_status(ctx, combgpu_no3(ctx, &desc, &want), COMBGPU_OK, "%s", list);
    desc.run.progress = stop_now;
    desc.run.progress_interval_s = 1e-9;
    desc.run.checkpoint_path = checkpoint;
    desc.run.checkpoint_interval_s = 1e-3;
    desc.run.resume = 1;
    do {
        int left = random_below(6);
        desc.run.progress_user = &left;
        status = combgpu_no3(ctx, &desc, &got);
        ok(left > -1000, "%s: progress tells of each device", list);
    } while (status == COMBGPU_STOPPED && ++stops < 300);
    equal_status(ctx, status, COMBGPU_OK, "%s: stopped %d times and resumed", list, stops);
    ok(same(&got, &want), "%s: stopped and resumed: equal sums", list);
    ok(got.run.checkpoints > 0, "%s: checkpoints are counted", list);
    remove_checkpoints();
    for (shards = 3; shards <= 7; shards += 4) {
        memset(&sum, 0, sizeof sum);
        small_no3(&desc, 8);
        desc.run.shard_count = shards;
        for (i = 0; i < shards; i++) {
            desc.run.shard_index = i;
            if (combgpu_no3(ctx, &desc, &got)) ok(0, "%s: shard %d", list, i);
            sum.all += got.all;
            sum.up_to_symmetry += got.up_to_symmetry;
            sum.run.steps += got.run.steps;
            sum.run.checksum += got.run.checksum;
        }
        ok(same(&sum, &want), "%s: %d shards add up", list, shards);
    }
    combgpu_close(ctx);
}

/* ---- arguments */

static void opens(combgpu_context **ctx, const combgpu_context_desc *desc, combgpu_status want,
                  const char *name)
{
    combgpu_status status = combgpu_open(ctx, desc);
    equal_status(*ctx, status, want, "%s", name);
}

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_no3_result result;
    return combgpu_no3(ctx, (const combgpu_no3_desc *)user, &result);
}

static void arguments(void)
{
    int seven = 7;
    combgpu_device_id ids[COMBGPU_MAX_DEVICES + 1];
    combgpu_context_desc desc;
    combgpu_context *ctx;
    combgpu_no3_desc no3;
    combgpu_no3_result result;
    int fresh, failed;
    memset(ids, 0, sizeof ids);
    memset(&desc, 0, sizeof desc);
    desc.backend = COMBGPU_BACKEND_CPU;
    desc.device_count = 2;
    opens(&ctx, &desc, COMBGPU_INVALID_ARGUMENT, "devices NULL");
    combgpu_close(ctx);
    desc.devices = ids;
    desc.device_count = -1;
    opens(&ctx, &desc, COMBGPU_INVALID_ARGUMENT, "device_count -1");
    ok(strstr(combgpu_message(ctx), "-1") != NULL, "%s", combgpu_message(ctx));
    combgpu_close(ctx);
    desc.device_count = COMBGPU_MAX_DEVICES + 1;
    opens(&ctx, &desc, COMBGPU_INVALID_ARGUMENT, "too many devices");
    combgpu_close(ctx);
    desc.device_count = COMBGPU_MAX_DEVICES;
    opens(&ctx, &desc, COMBGPU_OK, "as many as there may be");
    combgpu_close(ctx);
    desc.device_count = 2;
    desc.device = 1;
    opens(&ctx, &desc, COMBGPU_INVALID_ARGUMENT, "device and devices");
    combgpu_close(ctx);
    desc.device = 0;
    ids[1].index = 5;
    opens(&ctx, &desc, COMBGPU_NO_DEVICE, "the device is missing");
    ok(strstr(combgpu_message(ctx), "devices[1].index is 5") != NULL, "%s", combgpu_message(ctx));
    memset(&no3, 0, sizeof no3);
    no3.n = 5;
    ok(combgpu_no3(ctx, &no3, &result) < 0, "the context is not open");
    combgpu_close(ctx);
    ids[1].index = -1;
    opens(&ctx, &desc, COMBGPU_INVALID_ARGUMENT, "index -1");
    combgpu_close(ctx);
    ids[1].index = 0;
    ids[1].backend = (combgpu_backend)seven;
    opens(&ctx, &desc, COMBGPU_INVALID_ARGUMENT, "backend 7");
    combgpu_close(ctx);
    ids[1].backend = COMBGPU_BACKEND_AUTO;
    for (fresh = 0; fresh < 2; fresh++) {
        desc = context_of("ccc");
        failed = test_out_of_memory(&desc, fresh, allocating, &no3);
        ok(failed > 20, "three devices, %s: each of %d allocations may fail, nothing leaks",
           fresh ? "opened anew" : "open", failed);
    }
    desc = context_of("c");
    failed = test_out_of_memory(&desc, 1, allocating, &no3);
    ok(failed > 10, "one device: each of %d allocations may fail", failed);
}

/* ---- two runs, one checkpoint */

static void locked_checkpoint(void)
{
    combgpu_context *ctx, *other;
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_job *job, *second = NULL;
    char lock[240], pid[32];
    combgpu_status status;
#ifndef _WIN32
    char begun[240];
    int child, code;
#endif
    open_list(&ctx, "c", NULL, NULL);
    open_list(&other, "c", NULL, NULL);
    small_no3(&desc, 9);
    desc.run.checkpoint_path = checkpoint;
    desc.run.resume = 1;
    snprintf(lock, sizeof lock, "%s.lock", checkpoint);
    snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    if (!equal_status(ctx, combgpu_no3_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    combgpu_step(job);
    status = combgpu_no3_begin(other, &desc, &second);
    equal_status(other, status, COMBGPU_FILE_ERROR, "a second run on the same checkpoint");
    ok(strstr(combgpu_message(other), "in use") && strstr(combgpu_message(other), pid),
       "the message says by whom: %s", combgpu_message(other));
    ok(access(lock, F_OK) == 0, "the lock file is still there");
    combgpu_job_cancel(job);
    ok(access(lock, F_OK) != 0, "it is gone with its job");
    equal_status(other, combgpu_no3(other, &desc, &result), COMBGPU_OK,
                 "then there may be another");
    remove_checkpoints();
#ifndef _WIN32
    snprintf(begun, sizeof begun, "%s.begun", checkpoint);
    child = fork();
    if (child == 0) { /* begins, and waits to be killed */
        desc.run.resume = 1;
        if (combgpu_no3_begin(ctx, &desc, &job)) _exit(1);
        fclose(fopen(begun, "w"));
        for (;;)
            pause();
    }
    while (access(begun, F_OK) != 0 && waitpid(child, &code, WNOHANG) == 0)
        combgpu__nap(0);
    equal_status(other, combgpu_no3_begin(other, &desc, &second), COMBGPU_FILE_ERROR,
                 "another process has the checkpoint");
    kill(child, SIGKILL);
    waitpid(child, &code, 0);
    ok(access(lock, F_OK) == 0, "kill -9 leaves the lock file");
    equal_status(other, combgpu_no3(other, &desc, &result), COMBGPU_OK, "but not the lock");
    remove(begun);
#endif
    remove_checkpoints();
    /* left behind by a process that was killed: nobody holds it */
    fclose(fopen(lock, "w"));
    desc.run.resume = 0;
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK,
                 "a stale lock file does not lock");
    remove_checkpoints();
    combgpu_close(ctx);
    combgpu_close(other);
}

int main(void)
{
    size_t i;
    if (!test_folder(folder, sizeof folder)) {
        printf("Bail out! no temporary folder\n");
        return 1;
    }
    snprintf(checkpoint, sizeof checkpoint, "%s/c", folder);
    arguments();
    locked_checkpoint();
    for (i = 0; i < LISTS; i++)
        stopped_and_resumed(lists[i]);
    a_device_fails();
    lost_devices_stay_out();
    all_devices_fail();
    only_the_caller_writes();
    saved_with_all_tasks();
    a_device_hangs();
    little_memory();
    slow_beside_fast();
    shortened_slices_aim_right();
    shared_evenly();
    ok(rmdir(folder) == 0, "no file is left behind");
    return tap_end();
}
