/* Builds the kernels with planted wrong results (COMBGPU_TEST_FAULT): verify finds them, and with
   verify_share 1 the results are still right. */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU_TEST_FAULT
#define COMBGPU_ONLY_NO3 1
#define COMBGPU_ONLY_TSP 1
#include "test.h"

static void wrong_kernels(combgpu_backend backend)
{
    static const double xy[2][9] = {{3, 1, 4, 1, 5, 9, 2, 6, 5}, {2, 7, 1, 8, 2, 8, 1, 8, 3}};
    const char *name = combgpu_backend_string(backend);
    combgpu_context *ctx, *cpu;
    combgpu_context_desc open;
    combgpu_no3_desc no3;
    combgpu_no3_result right, got;
    combgpu_tsp_desc tsp;
    combgpu_tsp_result tour, right_tour;
    combgpu_tsp_instance instance;
    test_log log;
    memset(&open, 0, sizeof open);
    memset(&no3, 0, sizeof no3);
    memset(&tsp, 0, sizeof tsp);
    memset(&log, 0, sizeof log);
    open.backend = COMBGPU_BACKEND_CPU;
    combgpu_open(&cpu, &open);
    open.backend = backend;
    test_log_use(&open, &log);
    if (combgpu_open(&ctx, &open)) {
        skip(combgpu_message(ctx), name);
        combgpu_close(ctx);
        combgpu_close(cpu);
        return;
    }
    no3.n = 10;
    no3.run.slice_ms = 1; /* many slices: each adds to its totals */
    equal_status(cpu, combgpu_no3(cpu, &no3, &right), COMBGPU_OK, "no3 on the CPU");
    equal_status(ctx, combgpu_no3(ctx, &no3, &got), COMBGPU_OK, "%s: no3, wrong kernel", name);
    ok(got.run.steps != right.run.steps, "%s: the fault that was put in shows in the steps", name);
    no3.run.verify = 1;
    no3.run.verify_share = 1;
    equal_status(ctx, combgpu_no3(ctx, &no3, &got), COMBGPU_OK, "%s: no3, verified", name);
    equal_u64(got.run.steps, right.run.steps, "%s: steps are right", name);
    equal_u64(got.all, right.all, "%s: the count is right", name);
    equal_u64(got.run.checksum, right.run.checksum, "%s: the checksum is right", name);
    ok(got.run.mismatches > 0 && got.run.mismatches == got.run.devices[0].mismatches,
       "%s: wrong results are counted: %d", name, (int)got.run.mismatches);
    ok(strstr(log.last[COMBGPU_LOG_ERROR], name) && strstr(log.last[COMBGPU_LOG_ERROR], "task"),
       "%s: the message names the device and the task: %s", name, log.last[COMBGPU_LOG_ERROR]);

    combgpu_tsp_from_coordinates(ctx, 9, xy[0], xy[1], COMBGPU_TSP_EUC_2D, &instance);
    tsp.instance = &instance;
    tsp.method = COMBGPU_TSP_BRUTE_FORCE;
    equal_status(cpu, combgpu_tsp(cpu, &tsp, &right_tour), COMBGPU_OK, "tsp on the CPU");
    tsp.run = no3.run;
    equal_status(ctx, combgpu_tsp(ctx, &tsp, &tour), COMBGPU_OK, "%s: tsp, verified", name);
    equal_u64(tour.run.steps, right_tour.run.steps, "%s: tsp, steps are right", name);
    equal_u64(tour.run.checksum, right_tour.run.checksum, "%s: tsp, the checksum is right", name);
    combgpu_tsp_free(ctx, &instance);

    no3.run.self_test = 1;
    equal_status(ctx, combgpu_no3(ctx, &no3, &got), COMBGPU_WRONG_RESULT,
                 "%s: the self-test before a run refuses the device", name);
    combgpu_close(ctx);
    combgpu_close(cpu);
}

int main(void)
{
    wrong_kernels(COMBGPU_BACKEND_OPENCL);
    wrong_kernels(COMBGPU_BACKEND_CUDA);
    return tap_end();
}
