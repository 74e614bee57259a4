/* Runs a long search that Ctrl-C, a time limit or a power cut may stop at any time; the same command resumes
   it, also on another machine or backend.

       cc -O3 examples/stop_resume.c -o stop_resume
       ./stop_resume run.ck 13 5        n = 13, five seconds at a time; run it until it is done */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_NO3 1
#include "../combgpu.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

/* Called between slices; nonzero stops the search, which then saves its state. */
static int on_progress(const combgpu_progress *progress, void *user)
{
    (void)user;
    fprintf(stderr, "\r%5.1f %%, %.0f s ", 100 * progress->fraction, progress->elapsed_s);
    return interrupted;
}

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;
    char *end = NULL, *end_s = NULL;
    long n = argc > 2 ? strtol(argv[2], &end, 10) : 13;
    double seconds = argc > 3 ? strtod(argv[3], &end_s) : 0;

    if (argc < 2 || argc > 4 || (end && *end) || n < 2 || n > 32 || (end_s && *end_s) ||
        (argc > 3 && !(seconds > 0 && seconds <= 1e9))) {
        fprintf(stderr, "stop_resume FILE [N [SECONDS]], N from 2 to 32, SECONDS above 0\n");
        return 2;
    }
    memset(&desc, 0, sizeof desc);
    desc.n = (int)n;
    desc.run.time_limit_s = seconds;
    desc.run.checkpoint_path = argv[1];
    desc.run.checkpoint_interval_s = 10; /* what a power cut can cost */
    desc.run.resume = 1;                 /* if the file exists */
    desc.run.progress = on_progress;
    signal(SIGINT, on_signal);

    status = combgpu_open(&ctx, NULL);
    if (status == COMBGPU_OK) status = combgpu_no3(ctx, &desc, &result);
    fprintf(stderr, "\n");
    if (status < 0)
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    else
        printf("n = %d: %llu solutions%s\n", desc.n, (unsigned long long)result.all,
               status == COMBGPU_STOPPED ? " so far; the same command resumes" : "");
    combgpu_close(ctx);
    return status < 0 ? 1 : status == COMBGPU_STOPPED ? 3 : 0;
}
