/* Tests what the recipe of src/README.md promises to the author of a search: an incomplete description is
   refused by the missing field's name; records start as zeros; a solver whose answers vary is reported,
   without a fault of a device. tests/fifth.sh tries the recipe itself. */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU_ONLY_NO3 1
#define COMBGPU_DEBUG
#include "test.h"

/* ---- a search: 100 tasks, and a record for each, of which the solver writes one word of four */

enum { TASKS = 100, WORDS = 4 };

typedef enum toy_way { STEADY, FICKLE } toy_way;

typedef struct combgpu_toy_desc {
    toy_way way;
    const char *lacks; /* a field that the description lacks; NULL = none */
    combgpu_run_desc run;
} combgpu_toy_desc;

typedef struct combgpu_toy_result {
    uint64_t sum, dirty; /* of records; those with words that nobody wrote */
    combgpu_run_info run;
} combgpu_toy_result;

static uint64_t fickle;

static combgpu_toy_desc *toy_of(const combgpu_job *job)
{
    return (combgpu_toy_desc *)combgpu__state(job);
}

static void toy_solve(combgpu__worker *worker)
{
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        uint32_t *record = combgpu__new_record(worker);
        if (!record) {
            combgpu__give(worker, task);
            return;
        }
        record[0] = task[0];
        worker->totals[0]++;
        if (toy_of(worker->job)->way == FICKLE) worker->totals[1] += fickle++;
    }
}

static combgpu_status toy_frontier(combgpu_job *job)
{
    combgpu_status status = COMBGPU_OK;
    uint32_t task;
    for (task = 1; task <= TASKS && !status; task++)
        status = combgpu__push(job, &task);
    return status;
}

static combgpu__result toy_record(combgpu_job *job, const uint32_t *record)
{
    combgpu__accumulators(job)[COMBGPU__TOTALS] += record[0];
    combgpu__accumulators(job)[COMBGPU__TOTALS + 1] += (record[1] | record[2] | record[3]) != 0;
    return COMBGPU__CONTINUE;
}

static int toy_validate_task(combgpu_job *job, uint32_t *task)
{
    (void)job;
    return task[0] > 0 && task[0] <= TASKS;
}

static int toy_validate_record(combgpu_job *job, const uint32_t *record)
{
    (void)job;
    return record[0] > 0 && record[0] <= TASKS;
}

static combgpu__job_desc toy_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "toy";
    search.frontier = toy_frontier;
    search.record = toy_record;
    search.validate_task = toy_validate_task;
    search.validate_record = toy_validate_record;
    search.task_words = 1;
    search.record_words = WORDS;
    search.record_capacity = 7;
    search.records_repeat = 1;
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 1;
    search.kernel.left_per_worker = 1;
    return search;
}

static combgpu_status toy_check(combgpu_context *ctx, const void *desc, void *draft)
{
    (void)ctx;
    *(combgpu_toy_desc *)draft = *(const combgpu_toy_desc *)desc;
    return COMBGPU_OK;
}

static int lacks(const combgpu_toy_desc *desc, const char *field)
{
    return desc->lacks && !strcmp(desc->lacks, field);
}

static combgpu_status toy_begin(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu_toy_desc *desc = toy_of(job);
    *desc = *(const combgpu_toy_desc *)draft;
    snprintf(search->parameters, sizeof search->parameters, "way %d", (int)desc->way);
    if (lacks(desc, "name")) search->name = NULL;
    if (lacks(desc, "frontier")) search->frontier = NULL;
    if (lacks(desc, "validate_task")) search->validate_task = NULL;
    if (lacks(desc, "validate_record")) search->validate_record = NULL;
    if (lacks(desc, "record_words")) search->record_words = 0;
    if (lacks(desc, "task_words")) search->task_words = 0;
    if (lacks(desc, "parameters")) search->parameters[0] = 0;
    if (lacks(desc, "kernel.solve")) search->kernel.solve = NULL;
    if (lacks(desc, "kernel.lanes_per_worker")) search->kernel.lanes_per_worker = 0;
    if (lacks(desc, "kernel.lanes_per_block")) search->kernel.lanes_per_block = 0;
    if (lacks(desc, "kernel.left_per_worker")) search->kernel.left_per_worker = 0;
    if (lacks(desc, "no field")) search->record = NULL, search->validate_record = NULL;
    return COMBGPU_OK;
}

static combgpu_status toy_end(combgpu_job *job, void *result, uint64_t *checksum)
{
    ((combgpu_toy_result *)result)->sum = *checksum = combgpu__accumulators(job)[COMBGPU__TOTALS];
    ((combgpu_toy_result *)result)->dirty = combgpu__accumulators(job)[COMBGPU__TOTALS + 1];
    return COMBGPU_OK;
}

static const combgpu__method toy_methods[] = {
    {NULL, toy_describe, sizeof(combgpu_toy_desc), toy_begin, toy_solve, NULL, toy_end}};
static const combgpu__search toy_calls = {
    COMBGPU__SEARCH_OF(toy), sizeof(combgpu_toy_desc), toy_check, NULL, NULL, toy_methods};
COMBGPU__SEARCH_CALLS(toy, toy_calls)

/* ---- memory that is never clean, and a CPU that looks at its records before a slice */

static void *junk_allocate(size_t bytes, void *user)
{
    unsigned char *memory = (unsigned char *)malloc(bytes);
    size_t i;
    (void)user;
    for (i = 0; memory && i < bytes; i++)
        memory[i] = (unsigned char)random_u64();
    return memory;
}

static void junk_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

static combgpu__backend looking;
static int slices, dirty_slices;

static combgpu_status looking_start(combgpu_context *ctx, combgpu__launch *launch)
{
    const uint32_t *word = (const uint32_t *)launch->records->handle;
    const combgpu__slice *slice = (const combgpu__slice *)launch->control->handle;
    uint32_t i, set = 0;
    for (i = 0; i < slice->record_capacity * slice->record_words; i++)
        set |= word[i];
    slices++;
    dirty_slices += set != 0;
    return combgpu__cpu.start(ctx, launch);
}

static combgpu_context *open_toy(test_log *log)
{
    combgpu_context_desc open;
    combgpu_context *ctx;
    memset(&open, 0, sizeof open);
    memset(log, 0, sizeof *log);
    open.backend = COMBGPU_BACKEND_CPU;
    open.threads = 1;
    open.allocator.allocate = junk_allocate;
    open.allocator.release = junk_release;
    test_log_use(&open, log);
    if (!ok(combgpu_open(&ctx, &open) == COMBGPU_OK, "open")) exit(tap_end());
    return ctx;
}

static void records_are_zeros(void)
{
    test_log log;
    combgpu_context *ctx = open_toy(&log);
    combgpu_toy_desc desc;
    combgpu_toy_result result;
    memset(&desc, 0, sizeof desc);
    looking = combgpu__cpu;
    looking.start = looking_start;
    ctx->backend = ctx->host = &looking;
    equal_status(ctx, combgpu_toy(ctx, &desc, &result), COMBGPU_OK, "a search");
    equal_u64(result.sum, TASKS * (TASKS + 1) / 2, "each record comes once");
    equal_u64(result.dirty, 0, "words of a record that the solver does not write are 0");
    ok(slices > 10 && !dirty_slices, "the records are zeros before each of %d slices", slices);
    ctx->backend = ctx->host = &combgpu__cpu;
    desc.run.verify = 1;
    desc.run.verify_share = 1;
    equal_status(ctx, combgpu_toy(ctx, &desc, &result), COMBGPU_OK, "verified");
    ok(result.run.verified >= TASKS && !result.run.mismatches && !result.dirty,
       "%d tasks verified, none is different", (int)result.run.verified);
    combgpu_close(ctx);
}

static void fickle_solvers(void)
{
    test_log log;
    combgpu_context *ctx = open_toy(&log);
    combgpu_toy_desc desc;
    combgpu_toy_result result;
    memset(&desc, 0, sizeof desc);
    desc.way = FICKLE;
    desc.run.verify = 1;
    desc.run.verify_share = 1;
    equal_status(ctx, combgpu_toy(ctx, &desc, &result), COMBGPU_WRONG_RESULT,
                 "a solver that answers differently each time");
    ok(strstr(combgpu_message(ctx), "the solver of \"toy\" is not deterministic") != NULL,
       "is told so: %s", combgpu_message(ctx));
    ok(!result.run.mismatches && !strstr(log.last[COMBGPU_LOG_ERROR], "wrong result"),
       "and no device is blamed");
    combgpu_close(ctx);
}

/* Each mandatory field is asked for by its name. */
static void fields(void)
{
    static const char *const mandatory[] = {"name",
                                            "frontier",
                                            "validate_task",
                                            "validate_record",
                                            "record_words",
                                            "task_words",
                                            "parameters",
                                            "kernel.solve",
                                            "kernel.lanes_per_worker",
                                            "kernel.lanes_per_block",
                                            "kernel.left_per_worker"};
    test_log log;
    combgpu_context *ctx = open_toy(&log);
    combgpu_toy_desc desc;
    combgpu_toy_result result;
    size_t i;
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < sizeof mandatory / sizeof mandatory[0]; i++) {
        desc.lacks = mandatory[i];
        ok(combgpu_toy(ctx, &desc, &result) == COMBGPU_INVALID_ARGUMENT &&
               strstr(combgpu_message(ctx), i ? "\"toy\"" : "\"\"") &&
               strstr(combgpu_message(ctx), mandatory[i]),
           "%s: %s", mandatory[i], combgpu_message(ctx));
    }
    desc.lacks = "no field"; /* a search without records, whose solver has some */
    equal_status(ctx, combgpu_toy(ctx, &desc, &result), COMBGPU_WRONG_RESULT,
                 "record and validate_record may both be NULL");
    ok(strstr(combgpu_message(ctx), "has no records") != NULL, "then there are none: %s",
       combgpu_message(ctx));
    combgpu_close(ctx);
}

int main(void)
{
    records_are_zeros();
    fickle_solvers();
    fields();
    return tap_end();
}
