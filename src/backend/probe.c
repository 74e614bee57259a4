/* The probe: a job that hashes numbers to test what every kernel relies on: taking and spilling
   tasks, records, 64-bit totals, groups of 4, 8 and 32 lanes. */

#define COMBGPU__PROBE_TASKS 300u
#define COMBGPU__PROBE_BITS 0x11u

COMBGPU__PRIVATE uint32_t combgpu__probe_hash(uint32_t seed, uint32_t lane)
{
    uint32_t x = seed * 0x9e3779b9u + lane * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    return x ^ x >> 13;
}

/* Returns the correct result of a task for a group of lanes. */
COMBGPU__PRIVATE uint32_t combgpu__probe_value(uint32_t seed, uint32_t lanes)
{
    uint32_t x[32], i, least = UINT32_MAX, sum = 0, bits = 0, value = 0;
    for (i = 0; i < lanes; i++) {
        x[i] = combgpu__probe_hash(seed, i);
        if (x[i] < least) least = x[i];
        sum += x[i];
        if (x[i] & COMBGPU__PROBE_BITS) bits |= 1u << i;
    }
    for (i = 0; i < lanes; i++)
        value +=
            (least * 3 + bits * 5 + sum * 7) ^ (x[x[i] >> 8 & (lanes - 1)] + x[lanes - 1 - i] * 9);
    return value;
}

COMBGPU__PRIVATE void combgpu__probe_solve(combgpu__worker *worker)
{
    uint32_t lanes = (uint32_t)combgpu__desc(worker->job)->kernel.lanes_per_worker;
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        uint32_t record[2];
        record[0] = *task;
        record[1] = combgpu__probe_value(*task, lanes);
        if (!combgpu__emit(worker, record)) {
            combgpu__give(worker, task);
            return;
        }
        worker->totals[0]++;
        worker->totals[1] += (uint64_t)record[1] << 32 | combgpu__probe_hash(*task, 0);
    }
}

COMBGPU__PRIVATE combgpu_status combgpu__probe_frontier(combgpu_job *job)
{
    combgpu_status status = COMBGPU_OK;
    uint32_t task;
    for (task = 0; task < COMBGPU__PROBE_TASKS && !status; task++)
        status = combgpu__push(job, &task);
    return status;
}

COMBGPU__PRIVATE combgpu__result combgpu__probe_record(combgpu_job *job, const uint32_t *record)
{
    if (record[0] >= COMBGPU__PROBE_TASKS ||
        record[1] !=
            combgpu__probe_value(record[0], (uint32_t)combgpu__desc(job)->kernel.lanes_per_worker))
        return combgpu__as_result(
            combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT, "kernel %s: task %u gave %u",
                          combgpu__desc(job)->kernel.name, record[0], record[1]));
    combgpu__accumulators(job)[COMBGPU__TOTALS]++;
    return COMBGPU__CONTINUE;
}

/* The probe has no checkpoints. */
COMBGPU__PRIVATE int combgpu__probe_validate_task(combgpu_job *job, uint32_t *task)
{
    (void)job, (void)task;
    return 0;
}

COMBGPU__PRIVATE int combgpu__probe_validate_record(combgpu_job *job, const uint32_t *record)
{
    (void)job, (void)record;
    return 0;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__probe_describe(int lanes)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "probe";
    search.frontier = combgpu__probe_frontier;
    search.record = combgpu__probe_record;
    search.validate_task = combgpu__probe_validate_task;
    search.validate_record = combgpu__probe_validate_record;
    search.kernel.name = lanes == 4   ? "combgpu_probe4"
                         : lanes == 8 ? "combgpu_probe8"
                                      : "combgpu_probe32";
    search.kernel.solve = combgpu__probe_solve;
    search.kernel.lanes_per_worker = lanes;
    search.kernel.lanes_per_block = 64;
    search.kernel.left_per_worker = 1;
    search.kernel.first_budget = 16;
    search.task_words = 1;
    search.record_words = 2;
    search.record_capacity = COMBGPU__PROBE_TASKS / 3;
    search.work_bytes_per_worker = (size_t)lanes * sizeof(uint32_t);
    strcpy(search.parameters, "probe");
    return search;
}

/* Runs one form of the probe, whose record buffer fills up several times. */
COMBGPU__PRIVATE combgpu_status combgpu__probe_run(combgpu_context *ctx,
                                                   const combgpu__kernel *kernel)
{
    combgpu__job_desc search = combgpu__probe_describe(kernel->lanes_per_worker);
    uint32_t lanes = (uint32_t)kernel->lanes_per_worker, task;
    uint64_t total = 0;
    combgpu_run_desc run;
    combgpu_job *job;
    combgpu_status status;
    memset(&run, 0, sizeof run);
    search.kernel = *kernel;
    status = combgpu__job_create(ctx, &search, 1, &run, &job);
    if (status) return status;
    status = combgpu__job_tables(job, 1);
    if (!status) {
        combgpu__tables(job)[0] = COMBGPU__PROBE_BITS;
        status = combgpu__job_start(job);
    }
    while (!status || status == COMBGPU_RUNNING) {
        status = combgpu_step(job);
        if (!status) break;
    }
    for (task = 0; task < COMBGPU__PROBE_TASKS; task++)
        total += (uint64_t)combgpu__probe_value(task, lanes) << 32 | combgpu__probe_hash(task, 0);
    if (!status && (combgpu__accumulators(job)[0] != COMBGPU__PROBE_TASKS ||
                    combgpu__accumulators(job)[1] != total ||
                    combgpu__accumulators(job)[COMBGPU__TOTALS] != COMBGPU__PROBE_TASKS))
        status =
            combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                          "kernel %s: %llu steps, %llu records, total %llx; expected %u, %u, "
                          "%llx",
                          kernel->name, (unsigned long long)combgpu__accumulators(job)[0],
                          (unsigned long long)combgpu__accumulators(job)[COMBGPU__TOTALS],
                          (unsigned long long)combgpu__accumulators(job)[1], COMBGPU__PROBE_TASKS,
                          COMBGPU__PROBE_TASKS, (unsigned long long)total);
    combgpu_job_cancel(job);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__backend_self_test(combgpu_context *ctx)
{
    combgpu_status status = COMBGPU_OK;
    static const int lanes[3] = {4, 8, 32};
    int i;
    for (i = 0; i < 3 && !status; i++) {
        combgpu__kernel kernel = combgpu__probe_describe(lanes[i]).kernel;
        status = combgpu__probe_run(ctx, &kernel);
    }
    return status;
}
