/* Tests a context's threads: loops make each pass once, a forked child has its own threads, a lack of threads
   slows a search without killing the process, and OMP_NUM_THREADS counts. */
#ifdef _WIN32
#include "test.h"

int main(void)
{
    skip("no fork, and other threads", "threads");
    return tap_end();
}

#else

#define TEST_OWN_IMPLEMENTATION /* with threads that cannot be made */
#define COMBGPU_ONLY_NO3 1
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>

static int threads_left = -1; /* that can be made; -1: as many as one likes */

static int scarce_create(pthread_t *thread, const pthread_attr_t *attributes,
                         void *(*begin)(void *), void *user)
{
    if (!threads_left) return 11; /* EAGAIN */
    if (threads_left > 0) threads_left--;
    return pthread_create(thread, attributes, begin, user);
}
#define pthread_create scarce_create
#include "test.h"
#undef pthread_create

#include <sys/wait.h>
#include <unistd.h>

static int warnings;
static char warning[200];

static void hear(combgpu_log_level level, const char *message, void *user)
{
    (void)user;
    if (level > COMBGPU_LOG_WARNING) return;
    warnings++;
    snprintf(warning, sizeof warning, "%s", message);
}

static combgpu_context *open_threads(int threads)
{
    combgpu_context_desc desc;
    combgpu_context *ctx;
    memset(&desc, 0, sizeof desc);
    desc.backend = COMBGPU_BACKEND_CPU;
    desc.threads = threads;
    desc.logger.log = hear;
    warnings = 0;
    return combgpu_open(&ctx, &desc) == COMBGPU_OK ? ctx : NULL;
}

/* The number of boards of size 9 (A000755), or 0. */
static uint64_t count(combgpu_context *ctx)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    memset(&desc, 0, sizeof desc);
    desc.n = 9;
    desc.run.slice_ms = 1;
    return combgpu_no3(ctx, &desc, &result) == COMBGPU_OK ? result.all : 0;
}

#define PASSES 5000
typedef struct tally {
    combgpu_context *ctx;
    uint32_t made[PASSES], by[64], wrong;
    int threads;
    pthread_t caller;
} tally;

static void pass(void *user, int i, int thread)
{
    tally *t = (tally *)user;
    combgpu__shared_add(&t->made[i], 1);
    if (thread < 0 || thread >= t->threads)
        combgpu__shared_or(&t->wrong, 1);
    else
        combgpu__shared_add(&t->by[thread], 1);
    if (!i && (thread || !pthread_equal(pthread_self(), t->caller)))
        combgpu__shared_or(&t->wrong, 2);
}

static void outer(void *user, int i, int thread)
{
    (void)thread;
    if (!i) combgpu__loop(((tally *)user)->ctx, 4, PASSES, 1, pass, user);
}

static void each_pass_is_made_once(void)
{
    combgpu_context *ctx = open_threads(8);
    static tally t;
    int loops, bad = 0, i;
    for (loops = 0; loops < 3000; loops++) {
        const int passes = (int)(random_u64() % (loops % 100 ? 40 : PASSES));
        memset(&t, 0, sizeof t);
        t.threads = 1 + (int)(random_u64() % 8);
        t.caller = pthread_self();
        combgpu__loop(ctx, t.threads, passes, 1 + (int)(random_u64() % 9), pass, &t);
        for (i = 0; i < PASSES; i++)
            bad += t.made[i] != (i < passes);
        bad += t.wrong != 0;
    }
    ok(!bad, "3,000 loops on up to 8 threads: each pass once, pass 0 by the caller: %d wrong", bad);
    memset(&t, 0, sizeof t);
    t.ctx = ctx;
    t.threads = 1;
    t.caller = pthread_self();
    combgpu__loop(ctx, 8, 8, 1, outer, &t);
    for (i = bad = 0; i < PASSES; i++)
        bad += t.made[i] != 1;
    ok(!bad && !t.wrong, "a loop within a loop runs on its thread alone");
    combgpu_close(ctx);
}

static void a_forked_child_has_its_own(void)
{
#ifdef __SANITIZE_THREAD__
    skip("the sanitizer follows no forked child's threads", "forked children");
#else
    combgpu_context *ctx = open_threads(4);
    int fine = count(ctx) == 368, code = -1, round;
    for (round = 0; round < 3; round++) {
        pid_t child = fork();
        if (!child) { /* a child of the child, too */
            int right = count(ctx) == 368, below = 0;
            pid_t next = fork();
            if (!next) {
                right = count(ctx) == 368;
                combgpu_close(ctx);
                _exit(right ? 0 : 1);
            }
            right = right && waitpid(next, &below, 0) == next && !below;
            combgpu_close(ctx);
            _exit(right ? 0 : 1);
        }
        fine = fine && waitpid(child, &code, 0) == child && !code && count(ctx) == 368;
    }
    ok(fine, "a context that has searched searches in forked children, and on in the parent");
    combgpu_close(ctx);
#endif
}

static void threads_that_cannot_be_made(void)
{
    int k;
    for (k = 0; k < 3; k++) {
        combgpu_context *ctx = open_threads(6);
        threads_left = k;
        equal_u64(count(ctx), 368, "%d of 5 more threads can be made: the count is right", k);
        equal_u64(count(ctx), 368, "and again");
        threads_left = -1;
        ok(warnings == 1 && strstr(warning, k ? k == 1 ? "2 of 6" : "3 of 6" : "1 of 6"),
           "said once: %s", warning);
        combgpu_close(ctx);
    }
}

static int units(int threads)
{
    combgpu_context *ctx = open_threads(threads);
    combgpu_device device;
    memset(&device, 0, sizeof device);
    if (ctx) combgpu_context_device(ctx, &device);
    combgpu_close(ctx);
    return device.compute_units;
}

static void how_many(void)
{
    const char *before = getenv("OMP_NUM_THREADS");
    char kept[40];
    snprintf(kept, sizeof kept, "%s", before ? before : "");
    setenv("OMP_NUM_THREADS", "3", 1);
    ok(units(0) == 3, "OMP_NUM_THREADS=3: three threads");
    ok(units(5) == 5, "desc.threads counts more");
    setenv("OMP_NUM_THREADS", "999999", 1);
    ok(units(0) == 4096, "OMP_NUM_THREADS=999999: a context takes 4096");
    setenv("OMP_NUM_THREADS", "many", 1);
    ok(units(0) >= 1 && units(0) <= 4096, "OMP_NUM_THREADS=many: as many as there are processors");
    unsetenv("OMP_NUM_THREADS");
    ok(units(0) >= 1 && units(0) <= sysconf(_SC_NPROCESSORS_CONF),
       "without: the processors that this process may use: %d", units(0));
    if (*kept) setenv("OMP_NUM_THREADS", kept, 1);
}

int main(void)
{
    each_pass_is_made_once();
    a_forked_child_has_its_own();
    threads_that_cannot_be_made();
    how_many();
    return tap_end();
}

#endif
