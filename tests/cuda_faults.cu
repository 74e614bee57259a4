/* Tests a failing CUDA device, without a GPU: its n-th call, all from the n-th on, kernels that hang or do
   nothing, data that comes back wrong. The runtime is cuda_fake.cpp; a launch runs the C solver over the
   kernel's memory. Built by test_cuda_faults.sh. */
#define TEST_OWN_IMPLEMENTATION /* with another runtime */
#include "faults.h"
#include "searches.h"
#include "faults.h"
#include <stddef.h>

/* What happens at a slice's launch, the first one or all. */
enum { RUNS, NOT_RUN, FAILS, LOST, WRONG_TOTALS };
static int launch_kind, launches;
static int unlike; /* the kernel's memory is not laid out as the C solver's, which cannot run */

extern "C" {
int fake_live, fake_waited;
extern const size_t fake_slack;
const size_t fake_slack = (size_t)64 << 20; /* where C solvers need more than kernels */

int fake_fault(void)
{
    static const int errors[] = {cudaErrorMemoryAllocation, cudaErrorLaunchFailure,
                                 cudaErrorLaunchTimeout, cudaErrorNoKernelImageForDevice,
                                 cudaErrorIllegalAddress};
    return fault() ? errors[fault_at % 5] : 0;
}

int fake_hangs(void)
{
    return fault_hangs();
}

void fake_read(void *to, size_t bytes)
{
    fault_read(to, bytes);
}

/* The first argument lies in the executor's memory, so it leads to the launch. */
int fake_run(void **arguments)
{
    const combgpu__executor *executor =
        (const combgpu__executor *)((char *)arguments[0] - offsetof(combgpu__executor, memory) -
                                    offsetof(combgpu__memory, handle));
    const combgpu__launch *launch = &executor->launch;
    combgpu__cpu_slice slice;
    int i;
    memset(&slice, 0, sizeof slice);
    slice.ctx = executor->ctx;
    slice.launch = launch;
    launches++;
    if (launch_kind == NOT_RUN || unlike) return 0;
    if (launch_kind == FAILS) return cudaErrorLaunchFailure;
    if (launch_kind == LOST) { /* from the next call on */
        fault_kind = ALL_FAIL;
        fault_at = fault_calls + 1;
    }
    for (i = 0; i < (int)launch->workers; i++)
        combgpu__cpu_worker(&slice, i, 0);
    if (launch_kind == WRONG_TOTALS && launches == 1)
        ((combgpu__slice *)launch->control->handle)->totals[2] ^= 4;
    return 0;
}
}

/* ---- every search */

enum { ALONE, BESIDE, ON_CPU };

typedef struct row_run {
    combgpu_status status;
    search_answer answer; /* if it has ended well */
    char why[600];
    int one_device, calls, left;
} row_run;

static row_run run_row(const search_row *row, int where, int twice)
{
    const combgpu_device_id both[2] = {{COMBGPU_BACKEND_CUDA, 0}, {COMBGPU_BACKEND_CPU, 0}};
    const int kind = fault_kind;
    combgpu_context_desc open = test_context(0);
    search_desc desc = search_describe(row);
    search_result result;
    combgpu_context *ctx;
    test_meter memory;
    test_log log;
    row_run run;
    memset(&result, 0, sizeof result);
    memset(&memory, 0, sizeof memory);
    memset(&log, 0, sizeof log);
    memset(&run, 0, sizeof run);
    if (where != ON_CPU) open.backend = COMBGPU_BACKEND_CUDA;
    if (where == BESIDE) {
        open.devices = both;
        open.device_count = 2;
    }
    test_meter_use(&open, &memory);
    test_log_use(&open, &log);
    fault_calls = fault_looks = fault_reads = fake_live = fake_waited = launches = 0;
    unlike = strstr(row->name, "histogram") || strstr(row->name, "Held-Karp") ||
             strstr(row->name, "diagonals");
    if (kind == HANGS) row->kind->run(&desc)->slice_limit_s = 0.05;
    row->kind->run(&desc)->verify = twice;
    row->kind->run(&desc)->verify_share = twice;
    run.status = combgpu_open(&ctx, &open);
    if (!run.status) run.status = row->kind->once(ctx, &desc, &result);
    if (!run.status) run.answer = search_answer_of(row, &result);
    snprintf(run.why, sizeof run.why, "%s", combgpu_message(ctx));
    run.one_device = strstr(log.last[COMBGPU_LOG_INFO], "uses one device") != NULL;
    run.calls = fault_calls;
    fault_kind = kind == HANGS ? HANGS : NO_FAULT; /* what hangs is not released */
    combgpu_close(ctx);
    run.left = kind == HANGS ? 0 : (int)memory.live + fake_live;
    fault_kind = kind;
    return run;
}

/* The right answer, or a status and a message; with the CPU beside it the answer, unless the search
   uses one device alone. Nothing is left, and nobody waits for a device that hangs. */
static int fine(const search_row *row, const row_run *run, const search_answer *want, int beside)
{
    int good =
        run->status == COMBGPU_OK ? search_equal(&run->answer, want) : run->status < 0 && *run->why;
    if (beside && run->status && !run->one_device) good = 0;
    if (run->left || fake_waited) good = 0;
    if (!good)
        printf("# %s: %s, %d left, %d waits: %s\n", row->name, combgpu_status_string(run->status),
               run->left, fake_waited, run->why);
    return good;
}

static row_run wanted[SEARCH_ROWS];

/* Runs a row alone and beside the CPU; ended[] counts the right answers. Returns what went wrong. */
static int both_ways(int r, int launch, int kind, int at, int ended[2])
{
    int where, wrong = 0;
    for (where = ALONE; where <= BESIDE; where++) {
        row_run run;
        launch_kind = launch;
        fault_kind = kind;
        fault_at = at;
        run = run_row(&search_rows[r], where, launch == WRONG_TOTALS);
        launch_kind = RUNS;
        fault_kind = NO_FAULT;
        wrong += !fine(&search_rows[r], &run, &wanted[r].answer, where == BESIDE && !kind);
        ended[where] += !run.status;
    }
    return wrong;
}

/* Returns how many end on CUDA alone. */
static int every_row(int launch, int kind, const char *name)
{
    int r, tried = 0, wrong = 0, ended[2] = {0, 0};
    for (r = 0; r < SEARCH_ROWS; r++) {
        if (launch == WRONG_TOTALS && !(search_rows[r].can & SEARCH_VERIFIED)) continue;
        wrong += both_ways(r, launch, kind, 1, ended);
        tried++;
    }
    ok(!wrong, "%d searches, %s: alone %d end, beside the CPU %d", tried, name, ended[0], ended[1]);
    return ended[0];
}

/* The n-th call fails, or all from then on, until a search of each problem is through. */
static void every_call(const char *name)
{
    int r = 0, n, calls, wrong = 0, ended[2] = {0, 0};
    while (strcmp(search_rows[r].name, name))
        r++;
    calls = run_row(&search_rows[r], ALONE, 0).calls;
    for (n = 1; n <= calls; n++)
        wrong += both_ways(r, RUNS, ONE_FAILS, n, ended) + both_ways(r, RUNS, ALL_FAIL, n, ended);
    ok(!wrong,
       "%s, each of %d calls fails, or all from it on: alone %d of %d end, beside the CPU %d", name,
       calls, ended[0], 2 * calls, ended[1]);
}

int main(void)
{
    int r, likes = 0;
    for (r = 0; r < SEARCH_ROWS; r++) {
        wanted[r] = run_row(&search_rows[r], ON_CPU, 0);
        likes += !unlike;
    }
    ok(every_row(RUNS, NO_FAULT, "without a fault") == likes && likes > 20,
       "%d searches run on CUDA alone", likes);
    every_row(NOT_RUN, NO_FAULT, "no launch does anything");
    every_row(FAILS, NO_FAULT, "launches fail");
    every_row(LOST, NO_FAULT, "lost after the first launch");
    every_row(RUNS, HANGS, "the first kernel never ends");
    every_row(WRONG_TOTALS, NO_FAULT, "a wrong sum, everything twice");
    every_call("magic order 4");
    every_call("permutations counted");
    every_call("tsp, brute force");
    fake_waited = 0;
    scenarios(COMBGPU_BACKEND_CUDA, 1);
    ok(!fake_waited, "nobody waits for a kernel that never ends");
    return tap_end();
}
