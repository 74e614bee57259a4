/* ---- self-test: what every search kernel relies on (tasks taken and given back, records, 64-bit
   totals, groups of 4, 8 and 32 lanes), in a job that hashes numbers */

#define COMBGPU__PROBE_TASKS 300u
#define COMBGPU__PROBE_BITS 0x11u

COMBGPU__PRIVATE uint32_t combgpu__probe_hash(uint32_t seed, uint32_t lane)
{
    uint32_t x = seed * 0x9e3779b9u + lane * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    return x ^ x >> 13;
}

/* What a group of lanes must compute for a task. */
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
    uint32_t lanes = (uint32_t)worker->job->kernel.lanes_per_worker;
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

COMBGPU__PRIVATE combgpu_status combgpu__probe_record(combgpu_job *job, const uint32_t *record)
{
    if (record[0] >= COMBGPU__PROBE_TASKS ||
        record[1] != combgpu__probe_value(record[0], (uint32_t)job->kernel.lanes_per_worker))
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT, "kernel %s: task %u gave %u",
                             job->kernel.name, record[0], record[1]);
    job->sums[COMBGPU__TOTALS]++;
    return COMBGPU_RUNNING;
}

/* The probe has no checkpoints. */
COMBGPU__PRIVATE int combgpu__probe_adopt_task(combgpu_job *job, uint32_t *task)
{
    (void)job, (void)task;
    return 0;
}

COMBGPU__PRIVATE int combgpu__probe_adopt_record(combgpu_job *job, const uint32_t *record)
{
    (void)job, (void)record;
    return 0;
}

static const combgpu__problem combgpu__probe = {
    "probe", combgpu__probe_frontier,   combgpu__probe_record,       NULL, NULL,
    NULL,    combgpu__probe_adopt_task, combgpu__probe_adopt_record, NULL};
static const combgpu__kernel combgpu__probe_kernels[3] = {
    {"combgpu_probe4", "PROBE", combgpu__probe_solve, 4, 64, 1, 16, NULL, NULL},
    {"combgpu_probe8", "PROBE", combgpu__probe_solve, 8, 64, 1, 16, NULL, NULL},
    {"combgpu_probe32", "PROBE", combgpu__probe_solve, 32, 64, 1, 16, NULL, NULL}};

/* One form of the probe, with a record buffer that runs full several times. */
COMBGPU__PRIVATE combgpu_status combgpu__probe_run(combgpu_context *ctx,
                                                   const combgpu__kernel *kernel)
{
    uint32_t lanes = (uint32_t)kernel->lanes_per_worker, task;
    uint64_t total = 0;
    combgpu_run_desc run;
    combgpu_job *job;
    combgpu_status status;
    memset(&run, 0, sizeof run);
    status = combgpu__job_create(ctx, &combgpu__probe, 1, &run, &job);
    if (status) return status;
    job->kernel = *kernel;
    job->task_words = 1;
    job->record_words = 2;
    job->record_capacity = COMBGPU__PROBE_TASKS / 3;
    job->work_bytes_per_worker = lanes * sizeof(uint32_t);
    status = combgpu__job_tables(job, 1);
    if (!status) {
        job->tables[0] = COMBGPU__PROBE_BITS;
        status = combgpu__job_start(job);
    }
    while (!status || status == COMBGPU_RUNNING) {
        status = combgpu_step(job);
        if (!status) break;
    }
    for (task = 0; task < COMBGPU__PROBE_TASKS; task++)
        total += (uint64_t)combgpu__probe_value(task, lanes) << 32 | combgpu__probe_hash(task, 0);
    if (!status && (job->sums[0] != COMBGPU__PROBE_TASKS || job->sums[1] != total ||
                    job->sums[COMBGPU__TOTALS] != COMBGPU__PROBE_TASKS))
        status = combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                               "kernel %s: %llu steps, %llu records, total %llx; expected %u, %u, "
                               "%llx",
                               kernel->name, (unsigned long long)job->sums[0],
                               (unsigned long long)job->sums[COMBGPU__TOTALS],
                               (unsigned long long)job->sums[1], COMBGPU__PROBE_TASKS,
                               COMBGPU__PROBE_TASKS, (unsigned long long)total);
    combgpu_job_cancel(job);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__backend_self_test(combgpu_context *ctx)
{
    combgpu_status status = COMBGPU_OK;
    int i;
    for (i = 0; i < 3 && !status; i++)
        status = combgpu__probe_run(ctx, &combgpu__probe_kernels[i]);
    return status;
}

