/* Runs a search inside a program's own loop: one step of about 16 ms, then the program's other work, again
   and again. Nothing runs in the background. Halfway, the search moves through memory to another context,
   which may be another device.

       cc -O3 examples/main_loop.c -o main_loop
       ./main_loop 12 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_NO3 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program's other work: here, a line of progress. */
static void draw_frame(unsigned frame, const combgpu_progress *progress)
{
    if (frame % 30 == 0)
        fprintf(stderr, "frame %u: %5.1f %%, %llu solutions\n", frame, 100 * progress->fraction,
                (unsigned long long)progress->solutions);
}

/* Moves the job to another context, where it continues. NULL: *status says why. */
static combgpu_job *move_job(combgpu_job *job, combgpu_context *to, combgpu_no3_desc *desc,
                             combgpu_status *status)
{
    combgpu_job *job_there = NULL;
    size_t bytes = 0;
    void *state = NULL;
    *status = combgpu_save(job, NULL, 0, &bytes); /* its size */
    if (*status == COMBGPU_OK) state = malloc(bytes);
    if (state && (*status = combgpu_save(job, state, bytes, &bytes)) == COMBGPU_OK) {
        desc->run.resume_data = state;
        desc->run.resume_bytes = bytes;
        *status = combgpu_no3_begin(to, desc, &job_there);
    }
    free(state);
    combgpu_job_cancel(job);
    return job_there;
}

int main(int argc, char **argv)
{
    combgpu_context *ctx, *other;
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_job *job = NULL;
    combgpu_progress progress;
    combgpu_status status;
    unsigned frame = 0;
    int moved = 0;
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 12;

    if (argc > 2 || (end && *end) || n < 2 || n > 32) {
        fprintf(stderr, "main_loop [N], N from 2 to 32\n");
        return 2;
    }
    memset(&desc, 0, sizeof desc);
    desc.n = (int)n;
    desc.run.slice_ms = 16; /* 60 frames a second */

    status = combgpu_open(&ctx, NULL);
    if (status == COMBGPU_OK) status = combgpu_open(&other, NULL);
    if (status == COMBGPU_OK) status = combgpu_no3_begin(ctx, &desc, &job);
    if (status < 0) {
        fprintf(stderr, "%s\n", combgpu_message(ctx));
        return 1;
    }
    while (combgpu_step(job) == COMBGPU_RUNNING) {
        combgpu_job_progress(job, &progress);
        draw_frame(++frame, &progress);
        if (!moved && progress.fraction >= 0.5) {
            job = move_job(job, other, &desc, &status);
            moved = 1;
            if (!job) {
                fprintf(stderr, "%s\n", combgpu_message(other));
                return 1;
            }
        }
    }
    status = combgpu_no3_end(job, &result);
    if (status < 0)
        fprintf(stderr, "%s\n", combgpu_message(moved ? other : ctx));
    else
        printf("n = %d: %llu solutions, %llu up to symmetry; %u turns of the loop\n", desc.n,
               (unsigned long long)result.all, (unsigned long long)result.up_to_symmetry, frame);
    combgpu_close(other);
    combgpu_close(ctx);
    return status < 0;
}
