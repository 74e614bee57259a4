/* A failing driver for test_cl_faults.c and cuda_faults.cu: which call fails, and the scenarios. A test
   includes this file first, wraps the driver's functions in ones that ask fault(), includes test.h, and
   then this file again, for the scenarios. */
#ifndef COMBGPU_TEST_FAULTS_H
#define COMBGPU_TEST_FAULTS_H

enum { NO_FAULT, ONE_FAILS, ALL_FAIL, HANGS, WRONG_DATA };
static int fault_kind, fault_at; /* the call, or look at an event, or read, from 1 on */
static int fault_calls, fault_looks, fault_reads;

/* Nonzero: this call is to fail. */
static int fault(void)
{
    fault_calls++;
    if (fault_kind == ONE_FAILS) return fault_calls == fault_at;
    return fault_kind == ALL_FAIL && fault_calls >= fault_at;
}

/* Nonzero: the kernel that this event follows has not ended. */
static int fault_hangs(void)
{
    return fault_kind == HANGS && ++fault_looks >= fault_at;
}

/* What comes back from the device. */
static void fault_read(void *to, size_t bytes)
{
    if (fault_kind == WRONG_DATA && ++fault_reads == fault_at && bytes)
        ((unsigned char *)to)[(size_t)fault_at * 7919 % bytes] ^=
            (unsigned char)(1 << fault_at % 8);
}

#elif !defined(COMBGPU_TEST_FAULTS_SCENARIOS)
#define COMBGPU_TEST_FAULTS_SCENARIOS

static char folder[400], checkpoint[420];
static const uint64_t right = 132; /* boards of size 7 (A000755) */
static int all_twice;              /* everything twice */

static void clean(void)
{
    static const char *const endings[] = {"", ".bak", ".new", ".lock"};
    char path[440];
    int i;
    for (i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", checkpoint, endings[i]);
        (void)unlink(path);
    }
}

static combgpu_status solve(combgpu_context *ctx, uint64_t *all)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.n = 7;
    desc.run.checkpoint_path = checkpoint;
    desc.run.checkpoint_interval_s = 1e-9;
    desc.run.resume = 1;
    desc.run.slice_ms = 1;
    if (fault_kind == HANGS) desc.run.slice_limit_s = 0.05;
    desc.run.verify = all_twice;
    desc.run.verify_share = all_twice;
    status = combgpu_no3(ctx, &desc, &result);
    *all = result.all;
    return status;
}

/* Runs with the fault on the device, alone or beside the CPU; what is left, the CPU takes from the
   checkpoint. Returns whether all went well. *ended: the first run gave the answer. */
static int survives(combgpu_backend backend, int beside, int *ended)
{
    const combgpu_device_id both[2] = {{backend, 0}, {COMBGPU_BACKEND_CPU, 0}};
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    combgpu_status status;
    uint64_t all = 0;
    char why[600] = "";
    int fine, kind = fault_kind;
    open.backend = backend;
    if (beside) {
        open.devices = both;
        open.device_count = 2;
    }
    fault_calls = fault_looks = fault_reads = 0;
    status = combgpu_open(&ctx, &open);
    if (!status) status = solve(ctx, &all);
    if (status) snprintf(why, sizeof why, "%s", combgpu_message(ctx));
    fault_kind = NO_FAULT;
    combgpu_close(ctx);
    *ended = status == COMBGPU_OK;
    fine = *ended ? all == right : status < 0 && *why;
    if (!fine) printf("# %s, %d: %s\n", combgpu_status_string(status), (int)all, why);
    open = test_context(0);
    (void)combgpu_open(&ctx, &open);
    all = 0;
    all_twice = 0;
    status = solve(ctx, &all);
    if (status || all != right) {
        printf("# the CPU goes on: %s, %d: %s\n", combgpu_status_string(status), (int)all,
               combgpu_message(ctx));
        fine = 0;
    }
    combgpu_close(ctx);
    clean();
    fault_kind = kind;
    return fine;
}

static void every(combgpu_backend backend, int kind, int beside, int last, int step,
                  const char *name)
{
    int n, ended, wrong = 0, right_at_once = 0, tried = 0;
    for (n = 1; n <= last; n += step) {
        fault_kind = kind;
        fault_at = n;
        all_twice = kind == WRONG_DATA;
        tried++;
        if (!survives(backend, beside, &ended)) {
            wrong++;
            printf("# %s %d\n", name, n);
        }
        right_at_once += ended;
    }
    fault_kind = NO_FAULT;
    ok(!wrong, "%s%s: %d times the right answer, %d times a status and a checkpoint", name,
       beside ? ", the CPU beside it" : "", right_at_once, tried - right_at_once);
}

/* What a device says of itself, its memory and kernels, and the first slices and checkpoints; of
   the calls every step-th. */
static void scenarios(combgpu_backend backend, int step)
{
    int beside, ended, calls;
    if (!test_folder(folder, sizeof folder)) {
        ok(0, "a folder for checkpoints");
        return;
    }
    snprintf(checkpoint, sizeof checkpoint, "%s/c", folder);
    ok(survives(backend, 0, &ended) && ended, "without a fault: 132 boards");
    calls = fault_calls < 90 ? fault_calls : 90;
    for (beside = 0; beside < 2; beside++) {
        every(backend, ONE_FAILS, beside, calls, step, "call n fails");
        every(backend, ALL_FAIL, beside, calls, step, "lost from call n on");
        every(backend, HANGS, beside, 5, 1, "the kernel never ends");
        every(backend, WRONG_DATA, beside, 60, step, "read n is wrong");
    }
    rmdir(folder);
}
#endif
