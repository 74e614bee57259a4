/* Tests the engine with a made-up search: trees of very different sizes, whose nodes, leaves and
   solutions a recursion counts, too. What holds here holds for every search of the library. */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU_ONLY_PERM 1 /* one search is enough to compile */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#ifndef _WIN32
#include <sys/resource.h>
#include <sys/wait.h>
#endif

/* ---- the made-up search
   A task is a node: x (two words) and the levels that may still follow below it. Root r stands
   r % 10 == 0 ? `deep` : 3 levels high; a node has 0 to 3 children; x decides everything. A leaf
   whose hash ends in three zero bits is a solution. */

typedef struct toy_desc {
    uint64_t seed;
    int roots, deep;
    uint64_t limit;       /* FOUND after this many solutions; 0 = no limit */
    uint32_t records;     /* record capacity; 0 = 1000 */
    int left_extra;       /* ask for more left-over room than is needed */
    uint32_t budget;      /* of the first slice */
    uint64_t work_shared; /* bytes of extra work memory */
    combgpu_run_desc run;
} toy_desc;

typedef struct toy_state {
    toy_desc desc;
    uint64_t delivered; /* in this process */
    void *owned;        /* something for release to free */
} toy_state;

typedef struct toy_result {
    uint64_t nodes, leaves, leaf_sum, solutions, solution_sum;
} toy_result;

enum { TOY_TASK = 3, TOY_RECORD = 2, TOY_STACK = 3 * 40 };
enum { TOY_WIDE = 64 }; /* added to `deep`: every node has three children */

static int toy_children(uint64_t x, uint32_t levels)
{
    uint64_t hash = test_mix(x);
    if (levels % TOY_WIDE == 0) return 0;
    if (levels > TOY_WIDE) return 3;
    return (int)(hash % 8 < 1 ? 0 : hash % 8 < 3 ? 1 : hash % 8 < 7 ? 2 : 3);
}

static uint64_t toy_child(uint64_t x, int i)
{
    return test_mix(x ^ (uint64_t)(i + 1) << 60);
}

static int toy_is_solution(uint64_t x)
{
    return test_mix(x + 1) % 8 == 0;
}

static void toy_root(const toy_desc *desc, int r, uint64_t *x, uint32_t *levels)
{
    *x = test_mix(desc->seed + (uint64_t)r);
    *levels = r % 10 == 0 || desc->deep > TOY_WIDE ? (uint32_t)desc->deep : 3;
}

/* The oracle. */
static void toy_count(uint64_t x, uint32_t levels, toy_result *sum)
{
    int i, children = toy_children(x, levels);
    sum->nodes++;
    for (i = 0; i < children; i++)
        toy_count(toy_child(x, i), levels - 1, sum);
    if (children) return;
    sum->leaves++;
    sum->leaf_sum += test_mix(x);
    if (!toy_is_solution(x)) return;
    sum->solutions++;
    sum->solution_sum += test_mix(x + 2);
}

static toy_result toy_oracle(const toy_desc *desc)
{
    toy_result sum;
    uint64_t x;
    uint32_t levels;
    int r;
    memset(&sum, 0, sizeof sum);
    for (r = 0; r < desc->roots; r++) {
        toy_root(desc, r, &x, &levels);
        toy_count(x, levels, &sum);
    }
    return sum;
}

static combgpu_status toy_frontier(combgpu_job *job)
{
    const toy_desc *desc = &((const toy_state *)job->state)->desc;
    combgpu_status status = COMBGPU_OK;
    int r;
    for (r = 0; r < desc->roots && !status; r++) {
        uint32_t task[TOY_TASK];
        uint64_t x;
        toy_root(desc, r, &x, &task[2]);
        combgpu__put64(task, x);
        status = combgpu__push(job, task);
    }
    return status;
}

/* Depth first; the stack lies in the worker's work memory, so that this is used as well. */
static void toy_solve(combgpu__worker *worker)
{
    uint32_t *stack = worker->work + (size_t)worker->index * TOY_STACK * TOY_TASK;
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        int height = 1, i;
        memcpy(stack, task, TOY_TASK * sizeof(uint32_t));
        while (height && !combgpu__spent(worker)) {
            uint64_t x = combgpu__get64(stack + (height - 1) * TOY_TASK);
            uint32_t levels = stack[(height - 1) * TOY_TASK + 2];
            int children = toy_children(x, levels);
            if (!children) {
                uint32_t record[TOY_RECORD];
                combgpu__put64(record, x);
                if (toy_is_solution(x) && !combgpu__emit(worker, record)) break;
                worker->totals[1]++;
                worker->totals[2] += test_mix(x);
            }
            worker->totals[0]++;
            height--;
            for (i = 0; i < children; i++, height++) {
                combgpu__put64(stack + height * TOY_TASK, toy_child(x, i));
                stack[height * TOY_TASK + 2] = levels - 1;
            }
        }
        while (height)
            combgpu__give(worker, stack + --height * TOY_TASK);
    }
}

static combgpu__result toy_record(combgpu_job *job, const uint32_t *record)
{
    toy_state *state = (toy_state *)job->state;
    job->accumulators[COMBGPU__TOTALS]++;
    job->accumulators[COMBGPU__TOTALS + 1] += test_mix(combgpu__get64(record) + 2);
    return ++state->delivered == state->desc.limit ? COMBGPU__ENOUGH : COMBGPU__CONTINUE;
}

static uint64_t toy_solutions(const combgpu_job *job)
{
    return job->accumulators[COMBGPU__TOTALS];
}

static int toy_validate_task(combgpu_job *job, uint32_t *task)
{
    return task[2] <= (uint32_t)((const toy_state *)job->state)->desc.deep;
}

static int toy_validate_record(combgpu_job *job, const uint32_t *record)
{
    (void)job;
    return toy_is_solution(combgpu__get64(record));
}

static void toy_release(combgpu_job *job)
{
    combgpu__release(job->ctx, ((toy_state *)job->state)->owned);
}

static combgpu__job_desc toy_describe(const toy_desc *desc)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "toy";
    search.frontier = toy_frontier;
    search.record = toy_record;
    search.solutions = toy_solutions;
    search.validate_task = toy_validate_task;
    search.validate_record = toy_validate_record;
    search.release = toy_release;
    search.kernel.name = "toy";
    search.kernel.solve = toy_solve;
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 1;
    search.kernel.left_per_worker = TOY_STACK + desc->left_extra;
    search.kernel.first_budget = desc->budget;
    search.task_words = TOY_TASK;
    search.record_words = TOY_RECORD;
    search.record_capacity = desc->records ? desc->records : 1000;
    search.work_bytes_per_worker = TOY_STACK * TOY_TASK * sizeof(uint32_t);
    search.work_bytes_shared = (size_t)desc->work_shared;
    snprintf(search.parameters, sizeof search.parameters, "seed %llu roots %d deep %d",
             (unsigned long long)desc->seed, desc->roots, desc->deep);
    return search;
}

static combgpu_status toy_begin(combgpu_context *ctx, const toy_desc *desc, combgpu_job **out)
{
    combgpu__job_desc search = toy_describe(desc);
    combgpu_job *job;
    toy_state *state;
    combgpu_status status = combgpu__job_create(ctx, &search, sizeof(toy_state), &desc->run, &job);
    if (status) return status;
    state = (toy_state *)job->state;
    state->desc = *desc;
    state->owned = combgpu__allocate(ctx, 100);
    if (!state->owned) return combgpu__job_begun(job, combgpu__no_memory(ctx, 100), out);
    status = combgpu__job_tables(job, 16);
    if (!status) status = combgpu__job_start(job);
    return combgpu__job_begun(job, status, out);
}

static toy_result toy_accumulators(const combgpu_job *job)
{
    toy_result result;
    result.nodes = job->accumulators[0];
    result.leaves = job->accumulators[1];
    result.leaf_sum = job->accumulators[2];
    result.solutions = job->accumulators[COMBGPU__TOTALS];
    result.solution_sum = job->accumulators[COMBGPU__TOTALS + 1];
    return result;
}

static void toy_add(toy_result *sum, const toy_result *part)
{
    sum->nodes += part->nodes;
    sum->leaves += part->leaves;
    sum->leaf_sum += part->leaf_sum;
    sum->solutions += part->solutions;
    sum->solution_sum += part->solution_sum;
}

/* ---- helpers of the tests */

static int small_cases;

static toy_desc toy_default(void)
{
    toy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.seed = 1;
    desc.roots = 500;
    desc.deep = small_cases ? 12 : 16;
    desc.run.slice_ms = 1;
    return desc;
}

static combgpu_context *open_cpu(int threads)
{
    combgpu_context *ctx;
    combgpu_context_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = COMBGPU_BACKEND_CPU;
    desc.threads = threads;
    if (combgpu_open(&ctx, &desc)) {
        printf("Bail out! the CPU cannot be opened: %s\n", combgpu_message(ctx));
        exit(1);
    }
    return ctx;
}

/* All sums at once; one test point. */
static int equal_sums(const toy_result *got, const toy_result *want, const char *name)
{
    if (ok(!memcmp(got, want, sizeof *got), "%s", name)) return 1;
    printf("#   got %llu nodes, %llu leaves, %llu solutions; want %llu, %llu, %llu\n",
           (unsigned long long)got->nodes, (unsigned long long)got->leaves,
           (unsigned long long)got->solutions, (unsigned long long)want->nodes,
           (unsigned long long)want->leaves, (unsigned long long)want->solutions);
    return 0;
}

/* Begins and runs to the end; sums are zero if it fails. */
static combgpu_status toy_run(combgpu_context *ctx, const toy_desc *desc, toy_result *result)
{
    combgpu_job *job;
    combgpu_status status = toy_begin(ctx, desc, &job);
    memset(result, 0, sizeof *result);
    if (status) return status;
    test_run(job);
    status = job->status;
    *result = toy_accumulators(job);
    combgpu_job_cancel(job);
    return status;
}

/* The checkpoint of a job in memory; the caller frees it. */
static char folder[200];

static char checkpoint[210]; /* "c" there */

/* A path in the test's own folder, valid for the next three calls. */
static const char *in_folder(const char *name)
{
    static char paths[4][260];
    static int next;
    char *path = paths[next = (next + 1) % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void remove_checkpoints(void)
{
    unlink(in_folder("c"));
    unlink(in_folder("c.bak"));
    unlink(in_folder("c.new"));
}

static int write_whole(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    size_t written = file ? fwrite(data, 1, bytes, file) : 0;
    return file && !fclose(file) && written == bytes;
}

static unsigned char *read_whole(const char *path, size_t *bytes)
{
    static unsigned char data[1 << 20];
    FILE *file = fopen(path, "rb");
    *bytes = file ? fread(data, 1, sizeof data, file) : 0;
    if (file) fclose(file);
    return file ? data : NULL;
}

static void nap(uint32_t milliseconds)
{
    struct timespec t;
    t.tv_sec = milliseconds / 1000;
    t.tv_nsec = (long)(milliseconds % 1000) * 1000000;
    nanosleep(&t, NULL);
}

static int exists(const char *path)
{
    struct stat info;
    return !stat(path, &info);
}

static combgpu_context *open_counting(test_meter *c, int threads)
{
    combgpu_context *ctx;
    combgpu_context_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(c, 0, sizeof *c);
    desc.backend = COMBGPU_BACKEND_CPU;
    desc.threads = threads;
    test_meter_use(&desc, c);
    return combgpu_open(&ctx, &desc) ? NULL : ctx;
}

#ifdef COMBGPU__THREADS
enum { CONTEXT_BLOCKS = 2 }; /* a context that has searched with several threads, and its team */
#else
enum { CONTEXT_BLOCKS = 1 };
#endif

/* ---- the tests */

/* A child process works with a checkpoint and is killed at random moments; each new one goes on. */
static void killed_at_any_moment(void)
{
#ifdef _WIN32
    skip("tests/windows.sh does it with the command", "killed at any moment and resumed");
#else
    toy_desc desc = toy_default();
    toy_result want, got;
    int kills = 0, done = 0, code = -1, most = small_cases ? 3 : 20;
    desc.deep = small_cases ? 14 : 22;
    want = toy_oracle(&desc);
    desc.run.checkpoint_path = checkpoint;
    desc.run.checkpoint_interval_s = 1e-9;
    desc.run.resume = 1;
    remove_checkpoints();
    while (!done && kills < 1000) {
        pid_t child = fork();
        int status = 0;
        if (child == 0) {
            combgpu_context *ctx = open_cpu(3);
            code = toy_run(ctx, &desc, &got) ? 3 : memcmp(&got, &want, sizeof got) ? 4 : 0;
            combgpu_close(ctx);
            _exit(code);
        }
        if (kills < most) {
            nap(2 + random_u32_below(20));
            kill(child, SIGKILL);
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
            kills++;
        else {
            done = 1;
            code = WIFEXITED(status) ? WEXITSTATUS(status) : 100;
        }
    }
    equal_u64(code, 0, "killed_at_any_moment_and_resumed_gives_equal_sums");
    printf("# killed %d times\n", kills);
    remove_checkpoints();
#endif
}

static void equal_for_threads_and_budgets(void)
{
    static const uint32_t budgets[] = {1, 2, 3, 17, 1000, 1000000000};
    toy_desc desc = toy_default();
    toy_result want = toy_oracle(&desc), got;
    int threads, equal = 1;
    unsigned b;
    printf("# the tree has %llu nodes, %llu leaves, %llu solutions\n",
           (unsigned long long)want.nodes, (unsigned long long)want.leaves,
           (unsigned long long)want.solutions);
    ok(want.nodes > 5000 && want.solutions > 100, "the tree is worth searching");
    for (threads = 1; threads <= 7; threads++) {
        combgpu_context *ctx = open_cpu(threads);
        char name[80];
        snprintf(name, sizeof name, "%d threads: sums equal the oracle's", threads);
        equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_OK, "%d threads: complete", threads);
        equal_sums(&got, &want, name);
        combgpu_close(ctx);
    }
    desc.deep = 9;
    want = toy_oracle(&desc);
    for (b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
        combgpu_context *ctx = open_cpu(3);
        combgpu_job *job;
        if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) continue;
        do
            job->budget = budgets[b];
        while (combgpu_step(job) == COMBGPU_RUNNING);
        got = toy_accumulators(job);
        equal &= job->status == COMBGPU_OK && !memcmp(&got, &want, sizeof got);
        if (!equal) printf("#   differs at budget %u\n", budgets[b]);
        combgpu_job_cancel(job);
        combgpu_close(ctx);
    }
    ok(equal, "sums are equal for any slice budget, from 1 step on");
}

static void shards_add_up(void)
{
    static const int counts[] = {1, 2, 3, 7, 100, 501, 100000};
    toy_desc desc = toy_default();
    toy_result want, part, sum;
    combgpu_context *ctx = open_cpu(2);
    unsigned c;
    desc.deep = 12;
    want = toy_oracle(&desc);
    for (c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        int i, fine = 1, step = counts[c] > 1000 ? 499 : 1;
        char name[80];
        memset(&sum, 0, sizeof sum);
        desc.run.shard_count = counts[c];
        /* of 100,000 shards 500 have a task; of the others only a few are run */
        for (i = 0; i < counts[c]; i += i < 500 ? 1 : step * 7) {
            desc.run.shard_index = i;
            fine &= toy_run(ctx, &desc, &part) == COMBGPU_OK;
            toy_add(&sum, &part);
        }
        snprintf(name, sizeof name, "%d shards add up to the whole", counts[c]);
        equal_sums(&sum, &want, name);
        ok(fine, "%d shards: each is complete, an empty one too", counts[c]);
    }
    combgpu_close(ctx);
}

/* Runs in pieces: random budgets, and after random many steps the job is saved, thrown away and
   begun again from memory, in a context with another number of threads. */
static void resumed_from_memory(void)
{
    toy_desc desc = toy_default();
    toy_result want, got;
    int round, rounds = small_cases ? 3 : 20, resumes = 0, equal = 1;
    desc.deep = 12;
    want = toy_oracle(&desc);
    for (round = 0; round < rounds && equal; round++) {
        combgpu_context *ctx = open_cpu(1 + random_below(4));
        combgpu_job *job;
        unsigned char *data = NULL;
        size_t bytes = 0;
        desc.records = 1 + random_u32_below(40);
        desc.run.resume_data = NULL;
        desc.run.resume_bytes = 0;
        equal = toy_begin(ctx, &desc, &job) == COMBGPU_OK;
        while (equal) {
            uint32_t steps = 1 + random_u32_below(8);
            combgpu_status status = COMBGPU_RUNNING;
            while (steps-- && status == COMBGPU_RUNNING) {
                job->budget = 1 + random_u32_below(400);
                status = combgpu_step(job);
            }
            if (status != COMBGPU_RUNNING) {
                equal = status == COMBGPU_OK;
                break;
            }
            free(data);
            data = test_save(job, &bytes);
            combgpu_job_cancel(job);
            combgpu_close(ctx);
            ctx = open_cpu(1 + random_below(4));
            desc.run.resume_data = data;
            desc.run.resume_bytes = bytes;
            resumes++;
            if (!data || toy_begin(ctx, &desc, &job)) {
                printf("#   cannot resume: %s\n", combgpu_message(ctx));
                equal = 0;
            }
        }
        if (equal) {
            got = toy_accumulators(job);
            equal = !memcmp(&got, &want, sizeof got);
        }
        if (equal) combgpu_job_cancel(job);
        free(data);
        combgpu_close(ctx);
    }
    ok(equal && resumes > rounds, "saved and resumed at %d random moments: equal sums", resumes);
}

/* The time of all runs so far is in a checkpoint, also in that of a run that was resumed itself. */
static void time_adds_up(void)
{
    toy_desc desc = toy_default();
    combgpu_context *ctx = open_cpu(2);
    combgpu_progress progress;
    unsigned char *data = NULL;
    int round;
    memset(&progress, 0, sizeof progress);
    desc.deep = 12;
    for (round = 0; round < 3; round++) {
        combgpu_job *job;
        size_t bytes;
        if (toy_begin(ctx, &desc, &job)) break;
        free(data);
        nap(30);
        combgpu_job_progress(job, &progress);
        data = test_save(job, &bytes);
        combgpu_job_cancel(job);
        desc.run.resume_data = data;
        desc.run.resume_bytes = bytes;
    }
    ok(round == 3 && progress.elapsed_s >= 0.09,
       "resumed twice: %.3f s have passed in all three runs", progress.elapsed_s);
    free(data);
    combgpu_close(ctx);
}

static int stop_at_once(const combgpu_progress *progress, void *user)
{
    (void)progress;
    return ++*(int *)user % 3 == 0;
}

/* A job is stopped by the callback again and again; each time a new job resumes from the file. */
static void resumed_from_file(void)
{
    toy_desc desc = toy_default();
    toy_result want, got;
    combgpu_run_info info;
    combgpu_job *job;
    combgpu_status status = COMBGPU_STOPPED;
    combgpu_context *ctx = open_cpu(3);
    int calls = 0, stops = 0;
    desc.deep = 12;
    desc.budget = 16;
    want = toy_oracle(&desc);
    remove_checkpoints();
    desc.run.checkpoint_path = checkpoint;
    desc.run.progress = stop_at_once;
    desc.run.progress_user = &calls;
    desc.run.progress_interval_s = 1e-9;
    desc.run.resume = 1;
    while (status == COMBGPU_STOPPED && stops < 10000) {
        status = toy_run(ctx, &desc, &got);
        stops += status == COMBGPU_STOPPED;
    }
    equal_status(ctx, status, COMBGPU_OK, "stopped %d times and resumed from its file: complete",
                 stops);
    ok(stops >= 2, "it was stopped more than once");
    equal_sums(&got, &want, "and its sums are equal");
    ok(exists(in_folder("c.bak")), "the checkpoint before is kept as .bak");
    ok(!exists(in_folder("c.new")), "no .new is left behind");
    desc.run.progress = NULL;
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_OK, "a finished job may be resumed");
    equal_sums(&got, &want, "it gives its answer again");
    remove_checkpoints();
    calls = 0;
    desc.run.progress = stop_at_once;
    if (equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) {
        for (stops = 1; stops <= 2; stops++) {
            test_run(job);
            combgpu__run_info(job, 0, &info);
            equal_u64(info.checkpoints, stops, "stopped %d times: as many files written", stops);
        }
        combgpu_job_cancel(job);
    }
    remove_checkpoints();
    combgpu_close(ctx);
}

/* Leaves a half-done job's checkpoint at "c" and an older one at "c.bak". */
static void leave_checkpoints(combgpu_context *ctx, toy_desc *desc)
{
    combgpu_job *job;
    int calls = 0, generation;
    remove_checkpoints();
    desc->run.checkpoint_path = checkpoint;
    desc->run.progress = stop_at_once;
    desc->run.progress_interval_s = 1e-9;
    desc->run.progress_user = &calls;
    desc->run.resume = 1;
    for (generation = 0; generation < 2; generation++)
        if (toy_begin(ctx, desc, &job) == COMBGPU_OK) {
            do
                job->budget = 10;
            while (combgpu_step(job) == COMBGPU_RUNNING);
            combgpu_job_cancel(job);
        }
    desc->run.progress = NULL;
}

static void damaged_foreign_and_existing_files(void)
{
    toy_desc desc = toy_default(), other;
    toy_result want, got;
    combgpu_context *ctx;
    combgpu_context_desc open_desc;
    test_log log;
    unsigned char *data, copy[8];
    static unsigned char before[1 << 20];
    size_t bytes, before_bytes;
    memset(&open_desc, 0, sizeof open_desc);
    memset(&log, 0, sizeof log);
    open_desc.backend = COMBGPU_BACKEND_CPU;
    test_log_use(&open_desc, &log);
    combgpu_open(&ctx, &open_desc);
    desc.deep = 12;
    want = toy_oracle(&desc);

    leave_checkpoints(ctx, &desc);
    ok(exists(in_folder("c")) && exists(in_folder("c.bak")), "two generations were written");
    data = read_whole(in_folder("c"), &bytes);
    data[bytes / 2] ^= 4;
    write_whole(in_folder("c"), data, bytes);
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_OK, "damaged file: resumes from .bak");
    equal_sums(&got, &want, "damaged file: sums are equal");
    ok(strstr(log.last[COMBGPU_LOG_WARNING], "CRC") &&
           strstr(log.last[COMBGPU_LOG_WARNING], ".bak"),
       "damaged file: a warning says so");
    ok(!*combgpu_message(ctx), "damaged file: no error message stays");

    leave_checkpoints(ctx, &desc);
    unlink(in_folder("c"));
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_OK,
                 "power lost between the two renames: resumes from .bak");
    equal_sums(&got, &want, "power lost between the two renames: sums are equal");

    /* the good .bak must survive until there is a good new file */
    leave_checkpoints(ctx, &desc);
    write_whole(in_folder("c"), "combgpu", 7);
    data = read_whole(in_folder("c.bak"), &before_bytes);
    memcpy(before, data, before_bytes);
    desc.run.time_limit_s = 1e-9;
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_STOPPED, "resumed from .bak and stopped");
    desc.run.time_limit_s = 0;
    data = read_whole(in_folder("c.bak"), &bytes);
    ok(bytes == before_bytes && !memcmp(data, before, bytes),
       "a damaged file never replaces the good .bak");

    leave_checkpoints(ctx, &desc);
    write_whole(in_folder("c"), "", 0);
    write_whole(in_folder("c.bak"), "combgpu checkpoint 1\nproblem toy\n", 33);
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_BAD_FILE, "both are damaged: bad file");
    ok(strstr(combgpu_message(ctx), "line 1") != NULL, "the message gives line and reason: %s",
       combgpu_message(ctx));
    data = read_whole(in_folder("c"), &bytes);
    ok(data && bytes == 0, "and the file is as it was");

    leave_checkpoints(ctx, &desc);
    data = read_whole(in_folder("c"), &before_bytes);
    memcpy(before, data, before_bytes);
    other = desc;
    other.seed = 2;
    equal_status(ctx, toy_run(ctx, &other, &got), COMBGPU_WRONG_JOB, "another seed: wrong job");
    ok(strstr(combgpu_message(ctx), "seed is 1 there and 2 here") != NULL,
       "the message names both seeds: %s", combgpu_message(ctx));
    other = desc;
    other.run.shard_count = 2;
    equal_status(ctx, toy_run(ctx, &other, &got), COMBGPU_WRONG_JOB, "another shard: wrong job");
    other = desc;
    other.run.resume = 0;
    equal_status(ctx, toy_run(ctx, &other, &got), COMBGPU_FILE_ERROR,
                 "an existing file without resume is refused");
    ok(strstr(combgpu_message(ctx), "resume") != NULL, "the message says what to do: %s",
       combgpu_message(ctx));
    other = desc;
    other.run.resume_data = before;
    other.run.resume_bytes = before_bytes;
    equal_status(ctx, toy_run(ctx, &other, &got), COMBGPU_FILE_ERROR,
                 "an existing file is refused when resume_data says where to go on");
    data = read_whole(in_folder("c"), &bytes);
    ok(bytes == before_bytes && !memcmp(data, before, bytes), "the file was not touched");
    unlink(in_folder("c"));
    other.run.resume = 0;
    equal_status(ctx, toy_run(ctx, &other, &got), COMBGPU_FILE_ERROR,
                 "an existing .bak without resume is refused");
    unlink(in_folder("c.bak"));
    equal_status(ctx, toy_run(ctx, &other, &got), COMBGPU_OK,
                 "resume_data and a new checkpoint file go together");
    equal_sums(&got, &want, "resume_data and a new file: sums are equal");
    write_whole(in_folder("c"), "my thesis", 9);
    unlink(in_folder("c.bak"));
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_BAD_FILE, "somebody's file: refused");
    data = read_whole(in_folder("c"), &bytes);
    memcpy(copy, data, 8);
    ok(bytes == 9 && !memcmp(copy, "my thesi", 8), "somebody's file was not touched");
    remove_checkpoints();
    combgpu_close(ctx);
}

/* Pipes, devices and limits of POSIX. */
#ifndef _WIN32
static void files_that_cannot_be_written(void)
{
    toy_desc desc = toy_default();
    toy_result want, got;
    combgpu_context *ctx = open_cpu(2);
    combgpu_job *job;
    unsigned char *data;
    size_t bytes;
    struct rlimit limit, small;
    desc.deep = 12;
    desc.run.resume = 1;
    want = toy_oracle(&desc);
    desc.run.checkpoint_path = in_folder("no/such/folder/c");
    equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_FILE_ERROR,
                 "a folder that does not exist: refused before the work starts");
    ok(strstr(combgpu_message(ctx), "no/such/folder/c") != NULL, "the message names the file: %s",
       combgpu_message(ctx));
    write_whole(in_folder("file"), "x", 1);
    desc.run.checkpoint_path = in_folder("file/c");
    equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_FILE_ERROR, "a file for a folder");
    unlink(in_folder("file"));
    desc.run.checkpoint_path = folder;
    equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_FILE_ERROR, "a folder for a file");
    desc.run.checkpoint_path = "/dev/full";
    equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_FILE_ERROR, "a device for a file");
    desc.run.checkpoint_path = checkpoint;
    mkfifo(desc.run.checkpoint_path, 0666);
    equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_FILE_ERROR, "a pipe for a file");

    /* full disk, as far as a process can make one for itself: files end after 200 bytes */
    remove_checkpoints();
    desc.run.checkpoint_path = checkpoint;
    desc.run.checkpoint_interval_s = 1e-9;
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    job->budget = 50;
    equal_status(ctx, combgpu_step(job), COMBGPU_RUNNING, "a step writes a checkpoint");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 200;
    data = read_whole(in_folder("c"), &bytes);
    ok(data && bytes > 200, "there is one");
    setrlimit(RLIMIT_FSIZE, &small);
    job->budget = 50;
    combgpu_step(job);
    setrlimit(RLIMIT_FSIZE, &limit);
    equal_status(ctx, job->status, COMBGPU_RUNNING,
                 "full disk in the middle of a run: the run continues");
    equal_u64(job->file.failed, 1, "full disk: it is counted");
    ok(!exists(in_folder("c.new")), "full disk: the half-written file is removed");
    data = read_whole(in_folder("c"), &bytes);
    ok(data && bytes > 200, "full disk: the checkpoint before is still there");
    job->run.time_limit_s = 1e-9;
    setrlimit(RLIMIT_FSIZE, &small);
    job->budget = 50;
    combgpu_step(job);
    setrlimit(RLIMIT_FSIZE, &limit); /* before the next line of output */
    equal_status(ctx, job->status, COMBGPU_FILE_ERROR, "full disk at the end: file error");
    ok(strstr(combgpu_message(ctx), in_folder("c")) != NULL, "the message names the file: %s",
       combgpu_message(ctx));
    data = test_save(job, &bytes);
    ok(data != NULL, "the job can still be saved to memory");
    free(data);
    job->run.time_limit_s = 0;
    test_run(job);
    equal_status(ctx, job->status, COMBGPU_OK, "and it continues when the disk has room again");
    got = toy_accumulators(job);
    equal_sums(&got, &want, "with equal sums");
    combgpu_job_cancel(job);

    /* a .bak that cannot be replaced */
    remove_checkpoints();
    mkdir(in_folder("c.bak"), 0777);
    mkdir(in_folder("c.bak/x"), 0777);
    equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_FILE_ERROR, "a folder for a .bak");
    rmdir(in_folder("c.bak/x"));
    rmdir(in_folder("c.bak"));
    remove_checkpoints();
    combgpu_close(ctx);
}
#endif

static void full_record_buffer(void)
{
    static const uint32_t capacities[] = {1, 2, 3, 10};
    toy_desc desc = toy_default();
    toy_result want, got;
    unsigned c;
    int threads;
    desc.deep = 12;
    want = toy_oracle(&desc);
    for (c = 0; c < 4; c++)
        for (threads = 1; threads <= 4; threads += 3) {
            combgpu_context *ctx = open_cpu(threads);
            char name[80];
            desc.records = capacities[c];
            toy_run(ctx, &desc, &got);
            snprintf(name, sizeof name, "room for %u records, %d threads: none is lost",
                     capacities[c], threads);
            equal_sums(&got, &want, name);
            combgpu_close(ctx);
        }
}

/* Little device memory: left-over tasks spill to the host. */
static void little_device_memory(void)
{
    toy_desc desc = toy_default();
    toy_result want, got;
    combgpu_context *ctx;
    combgpu_context_desc open_desc;
    combgpu_job *job;
    test_meter c;
    int spilled = 0, full = 0;
    memset(&open_desc, 0, sizeof open_desc);
    open_desc.backend = COMBGPU_BACKEND_CPU;
    open_desc.threads = 64;
    open_desc.memory_limit = 100000;
    combgpu_open(&ctx, &open_desc);
    desc.roots = 5000;
    desc.deep = 11;
    want = toy_oracle(&desc);
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "100 kB of device memory"))
        return;
    ok(job->executors[0].workers < 64 && job->executors[0].pool_capacity * 12 * 2 <= 100000,
       "fewer workers: %u", job->executors[0].workers);
    do {
        size_t before = job->reserve.count;
        job->budget = 30;
        combgpu_step(job);
        spilled += job->reserve.count > before;
        if (job->executors[0].fresh > job->executors[0].pool_count ||
            job->reserve.fresh > job->reserve.count)
            ok(0, "fresh tasks are never more than there are tasks");
    } while (job->status == COMBGPU_RUNNING);
    got = toy_accumulators(job);
    equal_sums(&got, &want, "little device memory: equal sums");
    printf("# %d slices spilled, %llu slices\n", spilled, (unsigned long long)job->slices);
    combgpu_job_cancel(job);
    /* the reserve's top comes back after the spill: force many, by workers that give back nearly
       all that they may, and the smallest pool */
    desc.roots = 1000;
    desc.deep = TOY_WIDE + 5;
    desc.left_extra = 1 + 2 * 5 - TOY_STACK;
    want = toy_oracle(&desc);
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    job->executors[0].pool_capacity = combgpu__left_room(job, &job->executors[0]);
    do {
        job->budget = 3;
        combgpu_step(job);
        full += job->executors[0].pool_count == job->executors[0].pool_capacity;
    } while (job->status == COMBGPU_RUNNING);
    got = toy_accumulators(job);
    equal_sums(&got, &want, "1,000 roots, budget 3: equal sums");
    ok(full > 0, "the pool is full after %d of %llu slices", full, (unsigned long long)job->slices);
    desc.left_extra = 0;
    combgpu_job_cancel(job);
    combgpu_close(ctx);

    open_desc.memory_limit = 1000;
    combgpu_open(&ctx, &open_desc);
    equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_DEVICE_OUT_OF_MEMORY,
                 "too little device memory is refused");
    ok(strstr(combgpu_message(ctx), "1000") != NULL, "the message says how much there may be: %s",
       combgpu_message(ctx));
    combgpu_close(ctx);
    ctx = open_counting(&c, 4);
    desc.left_extra = INT_MAX - TOY_STACK;
    equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_DEVICE_OUT_OF_MEMORY,
                 "a pool of more than 2^32 tasks is refused, not cut to 32 bits");
    desc.left_extra = 0;
    desc.work_shared = UINT64_MAX / 4;
    ok(toy_begin(ctx, &desc, &job) < 0, "so is absurd work memory: %s", combgpu_message(ctx));
    combgpu_close(ctx);
}

static void limit_and_on(void)
{
    toy_desc desc = toy_default();
    toy_result want, got;
    combgpu_context *ctx = open_cpu(3);
    combgpu_job *job;
    want = toy_oracle(&desc);
    desc.limit = 10;
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    test_run(job);
    equal_status(ctx, job->status, COMBGPU_FOUND, "limit 10: found");
    equal_u64(toy_accumulators(job).solutions, 10, "limit 10: exactly 10 were delivered");
    test_run(job);
    equal_status(ctx, job->status, COMBGPU_OK, "stepped on: complete");
    got = toy_accumulators(job);
    equal_sums(&got, &want, "stepped on: the rest comes");
    combgpu_job_cancel(job);
    /* what waits for delivery is in a checkpoint */
    desc.records = 0;
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    test_run(job);
    {
        size_t bytes, waiting = job->pending.count - job->pending.next;
        unsigned char *data = test_save(job, &bytes);
        combgpu_job_cancel(job);
        ok(waiting > 0, "%d records wait for delivery", (int)waiting);
        desc.limit = 0;
        desc.records = 1; /* less room than there are waiting records */
        desc.run.resume_data = data;
        desc.run.resume_bytes = bytes;
        equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_OK, "found, saved, resumed");
        equal_sums(&got, &want, "records that wait are saved, too");
        free(data);
    }
    combgpu_close(ctx);
}

typedef struct watching {
    combgpu_progress last;
    int calls, bad, stop_at;
} watching;

static int watch(const combgpu_progress *progress, void *user)
{
    watching *w = (watching *)user;
    if (!(progress->fraction >= 0 && progress->fraction <= 1) || progress->steps < w->last.steps ||
        progress->elapsed_s < w->last.elapsed_s || progress->solutions < w->last.solutions ||
        !(progress->steps_per_s >= 0))
        w->bad++;
    w->last = *progress;
    return ++w->calls == w->stop_at;
}

static void progress_and_time_limit(void)
{
    toy_desc desc = toy_default();
    toy_result want, got;
    combgpu_context *ctx = open_cpu(2);
    combgpu_progress progress;
    combgpu_job *job;
    watching w;
    double begun;
    int i;
    want = toy_oracle(&desc);
    memset(&w, 0, sizeof w);
    desc.budget = 100;
    desc.run.progress = watch;
    desc.run.progress_user = &w;
    desc.run.progress_interval_s = 1e-9;
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_OK, "with a progress callback: complete");
    ok(w.calls > 3, "it is called (%d times)", w.calls);
    equal_u64(w.bad, 0, "fraction is within 0 to 1; steps, time, solutions never fall");
    equal_u64(w.last.steps, want.nodes, "the last call has all steps");
    equal_u64(w.last.solutions, want.solutions, "and all solutions");
    ok(w.last.fraction == 1 && !w.last.tasks_left && w.last.remaining_s == 0,
       "and says that nothing is left");
    memset(&w, 0, sizeof w);
    w.stop_at = 2;
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    test_run(job);
    equal_status(ctx, job->status, COMBGPU_STOPPED,
                 "a callback that returns nonzero stops the run");
    equal_u64(w.calls, 2, "at once");
    equal_status(ctx, combgpu_job_progress(job, &progress), COMBGPU_OK, "combgpu_job_progress");
    ok(progress.fraction < 1 && progress.tasks_left > 0, "it knows that it is not done");
    test_run(job);
    got = toy_accumulators(job);
    equal_sums(&got, &want, "a stopped job may be stepped on");
    combgpu_job_progress(job, &progress);
    ok(progress.devices[0].slices > 1, "that took several slices");
    equal_u64(progress.devices[0].steps, want.nodes, "the device's report has the steps of all");
    combgpu_job_cancel(job);

    desc.run.progress = NULL;
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    for (i = 0; i < 2; i++) {
        job->outlook.shown = 0.75; /* more than the estimates will say */
        combgpu_job_progress(job, &progress);
        ok(progress.fraction >= 0.75 && progress.fraction < 1, "the fraction never falls (%g)",
           progress.fraction);
        combgpu_step(job);
    }
    combgpu_job_cancel(job);
    desc.deep = 60; /* more than can be done */
    desc.run.time_limit_s = 0.1;
    begun = test_now();
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_STOPPED, "a time limit stops the run");
    begun = test_now() - begun;
    ok(begun >= 0.1, "not before 0.1 s (%.3f)", begun);
    combgpu_close(ctx);
}

/* The budget after a slice of 1000 steps whose aim was 4 ms, by the time that it took. */
static void slices_keep_their_time(void)
{
    enum { HUNGRY = COMBGPU__STOP_STARVED };
    static const struct {
        double seconds;
        uint32_t left, stop, before, after;
    } slices[] = {
        {0.004, 1, 0, 1000, 1000},       /* as aimed */
        {0.001, 1, 0, 1000, 4000},       /* shorter */
        {0.001, 1, 0, 4000, 4000},       /* a slice may have had less than the device's budget */
        {0.016, 1, 0, 1000, 250},        /* longer */
        {0, 1, 0, 1000, 8000},           /* no clock is that fine: at most 8 times as much */
        {60, 1, 0, 1000, 125},           /* and as little */
        {0.001, 0, 0, 1000, 1000},       /* out of tasks: says nothing */
        {0.016, 0, 0, 1000, 250},        /* unless it took too long */
        {0.001, 1, HUNGRY, 1000, 1000},  /* ended early, */
        {0.0001, 1, HUNGRY, 1000, 2500}, /* too early, */
        {0.016, 1, HUNGRY, 1000, 250},   /* or too late all the same */
    };
    toy_desc desc = toy_default();
    combgpu_context *ctx = open_cpu(1);
    combgpu_job *job;
    size_t i;
    desc.run.slice_ms = 4;
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    for (i = 0; i < sizeof slices / sizeof slices[0]; i++) {
        combgpu__slice slice;
        uint32_t next;
        memset(&slice, 0, sizeof slice);
        slice.budget = 1000;
        slice.left_count = slices[i].left;
        slice.stop = slices[i].stop;
        next = combgpu__next_budget(job, &slice, slices[i].before, slices[i].seconds);
        ok(next + 1 >= slices[i].after && next <= slices[i].after + 1,
           "a slice of %g ms%s: the next has a budget of %u", 1e3 * slices[i].seconds,
           slices[i].stop ? ", starved" : "", next);
    }
    combgpu_job_cancel(job);
    combgpu_close(ctx);
}

/* One whole life of a job: begin, steps, save, resume in memory, file. Any status is allowed. */
static combgpu_status whole_life(combgpu_context *ctx, const toy_desc *base, toy_result *result)
{
    toy_desc desc = *base;
    combgpu_job *job;
    combgpu_status status;
    unsigned char *data = NULL;
    size_t bytes = 0;
    int calls = 0;
    desc.run.progress = stop_at_once;
    desc.run.progress_user = &calls;
    desc.run.progress_interval_s = 1e-9;
    status = toy_begin(ctx, &desc, &job);
    if (status) return status;
    do
        status = combgpu_step(job);
    while (status == COMBGPU_RUNNING);
    if (status >= 0) {
        status = combgpu_save(job, NULL, 0, &bytes);
        if (!status) data = (unsigned char *)malloc(bytes);
        if (!status) status = combgpu_save(job, data, bytes, NULL);
    }
    combgpu_job_cancel(job);
    if (!status) {
        desc.run.progress = NULL;
        desc.run.resume_data = data;
        desc.run.resume_bytes = bytes;
        desc.run.checkpoint_path = in_folder("c2");
        desc.run.resume = 0;
        unlink(in_folder("c2"));
        unlink(in_folder("c2.bak"));
        status = toy_run(ctx, &desc, result);
    }
    free(data);
    unlink(in_folder("c2"));
    unlink(in_folder("c2.bak"));
    return status;
}

static void memory_runs_out(void)
{
    toy_desc desc = toy_default();
    toy_result want, got;
    test_meter c;
    combgpu_context *ctx = open_counting(&c, 2);
    long k, calls;
    int mode, wrong_status = 0, leaks = 0, unusable = 0, no_message = 0;
    desc.deep = 9;
    desc.budget = 50;
    desc.records = 5;
    desc.run.checkpoint_path = checkpoint;
    desc.run.resume = 1;
    want = toy_oracle(&desc);
    remove_checkpoints();
    equal_status(ctx, whole_life(ctx, &desc, &got), COMBGPU_OK, "begin, stop, save, resume, end");
    equal_sums(&got, &want, "begin, stop, save, resume, end: sums are equal");
    equal_u64(c.live, CONTEXT_BLOCKS, "only the context and its threads are left in memory");
    calls = c.calls;
    for (mode = 0; mode < 2; mode++)
        for (k = 1; k <= calls; k++) {
            combgpu_status status;
            remove_checkpoints();
            c.fail_at = c.calls + k;
            c.for_good = mode;
            status = whole_life(ctx, &desc, &got);
            if (c.calls < c.fail_at) break; /* this life needed fewer */
            wrong_status += status != COMBGPU_OUT_OF_MEMORY && status != COMBGPU_OK;
            /* OK only where a failed checkpoint in the middle was logged and the run went on */
            if (status == COMBGPU_OK && memcmp(&got, &want, sizeof got)) wrong_status++;
            no_message += status && !*combgpu_message(ctx);
            leaks += c.live != CONTEXT_BLOCKS;
            c.fail_at = 0;
            if (k % 7 == 0) {
                remove_checkpoints();
                unusable += whole_life(ctx, &desc, &got) || memcmp(&got, &want, sizeof got);
            }
        }
    printf("# %ld allocations\n", calls);
    ok(calls > 20, "the life of a job has many allocations");
    equal_u64(wrong_status, 0, "each of them may fail: out of memory");
    equal_u64(no_message, 0, "with a message");
    equal_u64(leaks, 0, "nothing leaks");
    equal_u64(unusable, 0, "the context stays usable");
    remove_checkpoints();
    combgpu_close(ctx);
    equal_u64(c.live, 0, "combgpu_close frees the context");
}

/* ---- a backend that fails: the CPU's, with errors put in */

static combgpu__backend failing;
static long failing_countdown; /* the call that fails; 0 = none */
static int failing_lie;        /* launch claims too many left-over tasks */

static int fails_now(void)
{
    return failing_countdown && !--failing_countdown;
}

static int failing_full; /* there is no device memory at all */

static combgpu_status failing_allocate(combgpu_context *ctx, size_t bytes, combgpu__memory *memory)
{
    if (fails_now() || failing_full)
        return combgpu__fail(ctx, COMBGPU_DEVICE_OUT_OF_MEMORY, "no device memory, says the test");
    return combgpu__cpu.allocate(ctx, bytes, memory);
}

static combgpu_status failing_upload(combgpu_context *ctx, combgpu__memory *to, size_t offset,
                                     const void *from, size_t bytes)
{
    if (fails_now()) return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "upload, says the test");
    if (offset + bytes > to->bytes) return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "overflow");
    return combgpu__cpu.upload(ctx, to, offset, from, bytes);
}

static combgpu_status failing_download(combgpu_context *ctx, void *to, const combgpu__memory *from,
                                       size_t offset, size_t bytes)
{
    if (fails_now()) return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "download, says the test");
    if (offset + bytes > from->bytes) return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "overflow");
    return combgpu__cpu.download(ctx, to, from, offset, bytes);
}

static combgpu_status failing_copy(combgpu_context *ctx, combgpu__memory *to, size_t to_offset,
                                   const combgpu__memory *from, size_t from_offset, size_t bytes)
{
    if (fails_now()) return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "copy, says the test");
    if (to_offset + bytes > to->bytes || from_offset + bytes > from->bytes)
        return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "overflow");
    return combgpu__cpu.copy(ctx, to, to_offset, from, from_offset, bytes);
}

static combgpu_status failing_start(combgpu_context *ctx, combgpu__launch *launch)
{
    combgpu_status status;
    if (fails_now()) return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "start, says the test");
    status = combgpu__cpu.start(ctx, launch);
    if (failing_lie)
        ((combgpu__slice *)launch->control->handle)->left_count =
            launch->job->executors[0].pool_capacity;
    return status;
}

static combgpu__result failing_poll(combgpu_context *ctx, combgpu__launch *launch)
{
    if (fails_now())
        return combgpu__as_result(combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "poll, says the test"));
    return combgpu__cpu.poll(ctx, launch);
}

static void the_device_fails(void)
{
    toy_desc desc = toy_default();
    toy_result want, got;
    test_meter c;
    combgpu_context *ctx = open_counting(&c, 3);
    const combgpu__backend *real = ctx->backend;
    long k, calls;
    int bad = 0, leaks = 0, shrunk = 0;
    int alone = ctx->device.compute_units == 1; /* without threads: one worker, not to be halved */
    combgpu_job *job;
    failing = *real;
    failing.allocate = failing_allocate;
    failing.upload = failing_upload;
    failing.download = failing_download;
    failing.copy = failing_copy;
    failing.start = failing_start;
    failing.poll = failing_poll;
    ctx->backend = &failing;
    desc.deep = 9;
    desc.budget = 200;
    want = toy_oracle(&desc);
    failing_countdown = 1000000;
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_OK,
                 "no access leaves the device's memory");
    equal_sums(&got, &want, "a backend of the test's own: equal sums");
    calls = 1000000 - failing_countdown;
    for (k = 1; k <= calls; k++) {
        combgpu_status status;
        failing_countdown = k;
        status = toy_run(ctx, &desc, &got);
        if (failing_countdown == 0 &&
            !status) /* out of memory: with fewer workers there is enough */
            shrunk += !memcmp(&got, &want, sizeof got);
        else
            bad +=
                failing_countdown == 0 && ((status != COMBGPU_DEVICE_ERROR &&
                                            !(alone && status == COMBGPU_DEVICE_OUT_OF_MEMORY)) ||
                                           !strstr(combgpu_message(ctx), "says the test"));
        leaks += c.live != CONTEXT_BLOCKS;
    }
    failing_countdown = 0;
    printf("# %ld calls of the backend\n", calls);
    equal_u64(shrunk, alone ? 0 : 6,
              "where one of 6 allocations fails, the pool shrinks, and sums are equal");
    failing_full = 1;
    equal_status(ctx, toy_run(ctx, &desc, &got), COMBGPU_DEVICE_OUT_OF_MEMORY,
                 "no device memory at all");
    ok(strstr(combgpu_message(ctx), "says the test") != NULL, "the message says so: %s",
       combgpu_message(ctx));
    failing_full = 0;
    equal_u64(bad, 0, "each call of the backend may fail: its status and message come out");
    equal_u64(leaks, 0, "nothing leaks");
    if (equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) {
        size_t needed;
        failing_lie = 1;
        equal_status(ctx, combgpu_step(job), COMBGPU_DEVICE_ERROR,
                     "a kernel that claims more left-over tasks than it may is an error");
        failing_lie = 0;
        equal_status(ctx, combgpu_step(job), COMBGPU_DEVICE_ERROR, "a failed job stays failed");
        ok(combgpu_save(job, NULL, 0, &needed) < 0, "and is not saved");
        combgpu_job_cancel(job);
    }
    ctx->backend = real;
    combgpu_close(ctx);
    equal_u64(c.live, 0, "nothing leaks");
}

/* ---- checkpoints as untrusted input */

static void checkpoint_bytes(void)
{
    /* the same on every machine: numbers are text, words little-endian */
    static const char want[] = "combgpu checkpoint 1\n"
                               "problem toy\n"
                               "parameters seed 1 roots 2 deep 5\n"
                               "shard 0/1\n"
                               "elapsed_s 0000000000.000000\n"
                               "status 3\n"
                               "frontier 2 2 2\n"
                               "sums 0\n"
                               "tasks 2 3\n"
                               "records 0 2\n"
                               "data\n"
                               "\xc1\x5c\x02\x89\xec\x2d\x0a\x91\x05\x00\x00\x00"
                               "\xce\x56\x97\x1c\xde\x35\x58\x97\x03\x00\x00\x00";
    combgpu_context *ctx = open_cpu(1);
    combgpu_job *job;
    toy_desc desc = toy_default();
    unsigned char *data;
    char *elapsed;
    size_t bytes, needed;
    uint32_t crc;
    desc.roots = 2;
    desc.deep = 5;
    ok(combgpu__crc32("123456789", 9) == 0xcbf43926u, "CRC-32 of \"123456789\" is cbf43926");
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    data = test_save(job, &bytes);
    elapsed = data ? strstr((char *)data, "elapsed_s ") : NULL;
    if (ok(elapsed != NULL, "a checkpoint is text up to its data")) {
        char *end = strchr(elapsed, '\n');
        combgpu__load_words(&crc, data + bytes - 4, 1);
        ok(crc == combgpu__crc32(data, bytes - 4), "its last word is the CRC of the rest");
        equal_u64(end - elapsed, 27, "the time has a fixed width, so that the size is known");
        memcpy(elapsed, "elapsed_s 0000000000.000000", 27);
        equal_u64(bytes, sizeof want - 1 + 4, "size as expected");
        ok(bytes == sizeof want + 3 && !memcmp(data, want, sizeof want - 1),
           "the bytes are the expected ones");
    }
    free(data);
    job->clock.earlier_s = 99999.9999;
    combgpu_save(job, NULL, 0, &bytes);
    job->clock.earlier_s = 100000;
    combgpu_save(job, NULL, 0, &needed);
    equal_u64(bytes, needed, "the size does not depend on the time that passes");
    equal_status(ctx, combgpu_save(job, &crc, 4, &needed), COMBGPU_INVALID_ARGUMENT,
                 "combgpu_save to too few bytes");
    equal_u64(needed, bytes, "says how many it needs");
    equal_status(ctx, combgpu_save(job, NULL, 0, NULL), COMBGPU_INVALID_ARGUMENT,
                 "combgpu_save with neither");
    equal_status(ctx, combgpu_save(NULL, NULL, 0, &needed), COMBGPU_INVALID_ARGUMENT,
                 "combgpu_save of no job");
    combgpu_job_cancel(job);
    combgpu_close(ctx);
}

/* Begins from forged bytes, takes a few small steps if that is allowed. Must not crash. */
static combgpu_status try_checkpoint(combgpu_context *ctx, const toy_desc *base,
                                     const unsigned char *bytes, size_t size, toy_result *result)
{
    toy_desc desc = *base;
    unsigned char *copy = (unsigned char *)malloc(size + !size); /* tight, for the sanitizer */
    combgpu_job *job;
    combgpu_progress progress;
    combgpu_status status;
    memcpy(copy, bytes, size);
    desc.run.resume_data = copy;
    desc.run.resume_bytes = size;
    status = toy_begin(ctx, &desc, &job);
    if (!status) {
        int steps = 0;
        size_t again;
        unsigned char *saved;
        combgpu_job_progress(job, &progress);
        saved = test_save(job, &again);
        if (!saved) status = COMBGPU_WRONG_RESULT;
        free(saved);
        while (steps++ < 300 && combgpu_step(job) == COMBGPU_RUNNING) {
        }
        combgpu_job_progress(job, &progress);
        if (!(progress.fraction >= 0 && progress.fraction <= 1)) status = COMBGPU_WRONG_RESULT;
        *result = toy_accumulators(job);
        if (!status) status = job->status;
        combgpu_job_cancel(job);
    }
    free(copy);
    return status;
}

static void mutated_checkpoints(void)
{
    static const char *const edits[][2] = {
        {"elapsed_s ", "99999999999999999999"},
        {"elapsed_s ", "-1.0"},
        {"elapsed_s ", "1e9"},
        {"elapsed_s ", "18446744073709551615.0"},
        {"status ", "99"},
        {"status ", "-3"},
        {"frontier ", "0 0 0"},
        {"frontier ", "1 1 18446744073709551615"},
        {"frontier ", "18446744073709551615 18446744073709551615 18446744073709551615"},
        {"frontier ", "18446744073709551616 1 1"},
        {"sums ", "257 1"},
        {"sums ", "1"},
        {"sums ", "0"},
        {"sums ", "18446744073709551615"},
        {"sums ", "1 fffffffffffffffff"},
        {"tasks ", "0 3"},
        {"tasks ", "1 3"},
        {"tasks ", "18446744073709551615 3"},
        {"tasks ", "6148914691236517206 3"},
        {"tasks ", "1537228672809129302 3"},
        {"tasks ", "10 0"},
        {"tasks ", "10 4"},
        {"records ", "1 2"},
        {"records ", "0 0"},
        {"records ", "2305843009213693952 2"},
        {"records ", "18446744073709551615 2"},
        {"problem ", "tsp"},
        {"parameters ", ""},
        {"parameters ", "%s%s%n"},
        {"shard ", "0/0"},
        {"shard ", "1/2"},
        {"shard ", "-1/1"},
        {"data", ""},
        {"data", "data"}};
    toy_desc desc = toy_default();
    toy_result want, got;
    combgpu_context *ctx = open_cpu(2);
    combgpu_job *job;
    unsigned char *data, *changed;
    size_t bytes, n;
    unsigned e;
    int i, accepted = 0, bad = 0, tries = small_cases ? 200 : 2000;
    char *text;
    desc.roots = 60;
    desc.deep = 10;
    desc.limit = 1; /* so that there are records, too */
    want = toy_oracle(&desc);
    if (!equal_status(ctx, toy_begin(ctx, &desc, &job), COMBGPU_OK, "begin")) return;
    job->budget = 100;
    combgpu_step(job);
    data = test_save(job, &bytes);
    combgpu_job_cancel(job);
    desc.limit = 0;
    changed = (unsigned char *)malloc(2 * bytes + 100);
    ok(!try_checkpoint(ctx, &desc, data, bytes, &got), "the checkpoint itself is accepted");
    equal_sums(&got, &want, "and gives equal sums");

    for (i = 0; i < tries; i++) {
        int flips = 1 + random_below(4);
        memcpy(changed, data, bytes);
        while (flips--)
            changed[random_u32_below((uint32_t)bytes)] ^=
                (unsigned char)(1u << random_u32_below(8));
        if (!memcmp(changed, data, bytes)) continue;
        accepted += try_checkpoint(ctx, &desc, changed, bytes, &got) >= 0;
    }
    equal_u64(accepted, 0, "%d checkpoints with flipped bits: each is refused", tries);
    accepted = 0;
    for (n = 1; n < bytes; n += 1 + random_u32_below(7))
        accepted += try_checkpoint(ctx, &desc, data, n, &got) >= 0;
    memcpy(changed, data, bytes);
    changed[bytes] = 0;
    accepted += try_checkpoint(ctx, &desc, changed, bytes + 1, &got) >= 0;
    equal_u64(accepted, 0, "cut short or made longer: each is refused");

    /* with a right CRC a forged file may be accepted, but must do no harm */
    for (i = 0; i < tries; i++) {
        int flips = 1 + random_below(4);
        n = bytes - (random_u32_below(4) ? 0 : random_u32_below((uint32_t)bytes - 30));
        memcpy(changed, data, n);
        while (flips--)
            changed[random_u32_below((uint32_t)n)] ^= (unsigned char)(1u << random_u32_below(8));
        bad += try_checkpoint(ctx, &desc, test_mend(changed, n), n, &got) == COMBGPU_WRONG_RESULT;
    }
    equal_u64(bad, 0, "%d forged checkpoints with a right CRC do no harm", tries);
    bad = accepted = 0;
    for (e = 0; e < sizeof edits / sizeof edits[0]; e++) {
        char *line, *end;
        size_t head, tail, key = strlen(edits[e][0]), value = strlen(edits[e][1]);
        combgpu_status status;
        text = (char *)data;
        line = strstr(text, edits[e][0]);
        end = line ? strchr(line, '\n') : NULL;
        if (!end) {
            ok(0, "the header has a line \"%s\"", edits[e][0]);
            continue;
        }
        head = (size_t)(line - text) + (edits[e][0][key - 1] == ' ' ? key : 0);
        tail = bytes - (size_t)(end - text);
        memcpy(changed, data, head);
        memcpy(changed + head, edits[e][1], value);
        memcpy(changed + head + value, end, tail);
        n = head + value + tail;
        status = try_checkpoint(ctx, &desc, test_mend(changed, n), n, &got);
        bad += status == COMBGPU_WRONG_RESULT;
        accepted += status >= 0;
        if (status == COMBGPU_WRONG_RESULT) printf("#   %s%s\n", edits[e][0], edits[e][1]);
    }
    equal_u64(bad, 0, "edited fields with a right CRC do no harm");
    printf("# %d of %d edits were accepted\n", accepted, (int)e);
    free(changed);
    free(data);
    combgpu_close(ctx);
}

/* A description that lacks something is refused when the job starts, with the reason. */
static void wrong_descriptions(void)
{
    static const char *const reasons[] = {"record or validate_record is NULL",
                                          "kernel.solve and kernel.name are NULL",
                                          "lanes_per_worker is no power",
                                          "lanes_per_block is no mul",
                                          "left_per_worker is 0",
                                          "task_words is 0",
                                          "range_tasks needs 4 words",
                                          "slice_accumulators needs slice_done",
                                          "parameters has no end"};
    toy_desc desc = toy_default();
    combgpu_context *ctx = open_cpu(1);
    int i;
    for (i = 0; i < (int)(sizeof reasons / sizeof reasons[0]); i++) {
        combgpu__job_desc search = toy_describe(&desc);
        combgpu_job *job;
        if (i == 0) search.validate_record = NULL;
        if (i == 1) search.kernel.solve = NULL, search.kernel.name = NULL;
        if (i == 2) search.kernel.lanes_per_worker = 3;
        if (i == 3) search.kernel.lanes_per_worker = 2;
        if (i == 4) search.kernel.left_per_worker = 0;
        if (i == 5) search.task_words = 0;
        if (i == 6) search.range_tasks = 1;
        if (i == 7) search.slice_accumulators = 1;
        if (i == 8) memset(search.parameters, 'x', sizeof search.parameters);
        if (combgpu__job_create(ctx, &search, sizeof(toy_state), &desc.run, &job)) continue;
        equal_status(ctx, combgpu__job_start(job), COMBGPU_INVALID_ARGUMENT, "%s", reasons[i]);
        ok(strstr(combgpu_message(ctx), reasons[i]) != NULL, "%s", combgpu_message(ctx));
        combgpu_job_cancel(job);
    }
    combgpu_close(ctx);
}

/* A search without records has record_words 0. */
static void no_records(void)
{
    static unsigned char data[4096];
    toy_desc desc = toy_default();
    combgpu__job_desc search;
    combgpu_context *ctx = open_cpu(1);
    combgpu_job *job, *second;
    size_t bytes = 0;
    desc.roots = 2;
    desc.deep = 3;
    search = toy_describe(&desc);
    search.record_words = 0;
    if (toy_begin(ctx, &desc, &job)) return;
    job->desc.record_words = 0;
    combgpu_save(job, data, sizeof data, &bytes);
    combgpu__job_create(ctx, &search, sizeof(toy_state), &desc.run, &second);
    ((toy_state *)second->state)->desc = desc;
    equal_status(ctx, combgpu__deserialize(second, data, bytes, "data"), COMBGPU_OK,
                 "a search without records can be saved and resumed");
    equal_u64(second->reserve.count, 2, "with its tasks");
    combgpu_job_cancel(second);
    combgpu_job_cancel(job);
    combgpu_close(ctx);
}

/* Two jobs in one context, stepped in turn. */
static void jobs_side_by_side(void)
{
    toy_desc desc = toy_default(), other;
    toy_result want[2], got;
    combgpu_context *ctx = open_cpu(2);
    combgpu_job *job[2];
    combgpu_status status[2];
    int i;
    desc.deep = 11;
    other = desc;
    other.seed = 77;
    want[0] = toy_oracle(&desc);
    want[1] = toy_oracle(&other);
    if (toy_begin(ctx, &desc, &job[0]) || toy_begin(ctx, &other, &job[1])) {
        ok(0, "two jobs begin: %s", combgpu_message(ctx));
        return;
    }
    do
        for (i = 0; i < 2; i++) {
            job[i]->budget = 100;
            status[i] = combgpu_step(job[i]);
        }
    while (status[0] == COMBGPU_RUNNING || status[1] == COMBGPU_RUNNING);
    for (i = 0; i < 2; i++) {
        got = toy_accumulators(job[i]);
        equal_sums(&got, &want[i], i ? "second of two jobs in turn" : "first of two jobs in turn");
        combgpu_job_cancel(job[i]);
    }
    equal_status(ctx, combgpu_step(NULL), COMBGPU_INVALID_ARGUMENT, "combgpu_step(NULL)");
    combgpu_job_cancel(NULL);
    combgpu_close(ctx);
}

int main(void)
{
    small_cases = test_small();
    if (!test_folder(folder, sizeof folder)) {
        printf("Bail out! no temporary folder: %s\n", strerror(errno));
        return 1;
    }
    snprintf(checkpoint, sizeof checkpoint, "%s/c", folder);
    killed_at_any_moment();
    equal_for_threads_and_budgets();
    shards_add_up();
    resumed_from_memory();
    time_adds_up();
    resumed_from_file();
    damaged_foreign_and_existing_files();
#ifndef _WIN32
    files_that_cannot_be_written();
#endif
    full_record_buffer();
    little_device_memory();
    limit_and_on();
    progress_and_time_limit();
    slices_keep_their_time();
    memory_runs_out();
    the_device_fails();
    checkpoint_bytes();
    mutated_checkpoints();
    wrong_descriptions();
    no_records();
    jobs_side_by_side();
    rmdir(folder);
    return tap_end();
}
