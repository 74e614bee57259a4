/* Tests wrong clocks: one jumps, one runs a thousand times too fast, one stands still. Runs end, with the
   right answer and without negative times. */
#define TEST_OWN_IMPLEMENTATION /* with another clock */
#define COMBGPU_ONLY_MAGIC 1
#define COMBGPU_ONLY_NO3 1
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

static int wrong_clock(clockid_t id, struct timespec *t);
#define clock_gettime wrong_clock
#include "test.h"
#undef clock_gettime

static double clock_factor = 1; /* how fast the clock is */
static double clock_jump;       /* by which it goes forth and back every 100 readings */
static unsigned clock_readings;

static int wrong_clock(clockid_t id, struct timespec *t)
{
    static struct timespec first;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    double seconds;
    int failed = clock_gettime(id, t), jumps;
    unsigned readings;
    pthread_mutex_lock(&lock);
    if (!first.tv_sec) first = *t;
    readings = clock_readings++;
    pthread_mutex_unlock(&lock);
    jumps = readings / 100 % 2 != 0;
    seconds = (double)(t->tv_sec - first.tv_sec) + 1e-9 * (double)(t->tv_nsec - first.tv_nsec);
    seconds = 1e6 + clock_factor * seconds + (jumps ? clock_jump : 0);
    t->tv_sec = (time_t)seconds;
    t->tv_nsec = (long)(1e9 * (seconds - (double)t->tv_sec));
    return failed;
}

typedef struct seen {
    int calls, bad;
} seen;

static int look(const combgpu_progress *progress, void *user)
{
    seen *s = (seen *)user;
    s->calls++;
    s->bad += !(progress->elapsed_s >= 0 && progress->fraction >= 0 && progress->fraction <= 1 &&
                progress->steps_per_s >= 0 && progress->remaining_s >= -1);
    return 0;
}

static void test_searches(combgpu_context *ctx, const char *clock)
{
    combgpu_no3_desc no3;
    combgpu_no3_result no3_result;
    combgpu_magic_desc magic;
    combgpu_magic_result magic_result;
    combgpu_job *job;
    seen s;
    size_t bytes = 0;
    void *saved;
    memset(&s, 0, sizeof s);
    memset(&no3, 0, sizeof no3);
    no3.n = test_small() ? 8 : 10;
    no3.run.progress = look;
    no3.run.progress_user = &s;
    no3.run.progress_interval_s = 0.01;
    equal_status(ctx, combgpu_no3(ctx, &no3, &no3_result), COMBGPU_OK, "no3 ends, %s", clock);
    equal_u64(no3_result.all, test_small() ? 380 : 1135, "with the right count");
    ok(s.calls > 0 && !s.bad, "progress makes sense (%d reports)", s.calls);
    ok(no3_result.run.seconds >= 0 && no3_result.run.device_seconds >= 0, "seconds: %g and %g",
       no3_result.run.seconds, no3_result.run.device_seconds);

    /* the clock goes back in the middle of a job */
    memset(&magic, 0, sizeof magic);
    magic.order = 4;
    clock_readings = 100;
    equal_status(ctx, combgpu_magic_begin(ctx, &magic, &job), COMBGPU_OK, "magic begins");
    clock_readings = 200;
    equal_status(ctx, combgpu_save(job, NULL, 0, &bytes), COMBGPU_OK, "it can be saved");
    saved = malloc(bytes);
    equal_status(ctx, combgpu_save(job, saved, bytes, &bytes), COMBGPU_OK, "it is saved");
    ok(strstr((const char *)saved, "\nelapsed_s 000000") != NULL, "after a time that is not "
                                                                  "negative");
    combgpu_job_cancel(job);
    magic.run.resume_data = saved;
    magic.run.resume_bytes = bytes;
    equal_status(ctx, combgpu_magic(ctx, &magic, &magic_result), COMBGPU_OK, "and continues");
    equal_u64(magic_result.count, 7040, "to the right count");
    ok(magic_result.run.seconds >= 0, "in %g seconds", magic_result.run.seconds);
    free(saved);
}

int main(void)
{
    combgpu_context *ctx;
    if (!test_open(1, &ctx)) return 1;
    test_searches(ctx, "with a right clock");
    clock_jump = 245;
    test_searches(ctx, "with a clock that jumps forth and back");
    clock_jump = -245;
    test_searches(ctx, "with a clock that jumps back and forth");
    clock_jump = 0;
    clock_factor = 1000;
    test_searches(ctx, "with a clock that is a thousand times too fast");
    clock_factor = 0;
    test_searches(ctx, "with a clock that stands still");
    combgpu_close(ctx);
    return tap_end();
}
