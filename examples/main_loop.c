/* A search inside a program that has a loop of its own: one step of about 50 ms, then the program's
   other work, again and again. Nothing runs in the background, no thread is started.

       cc -O3 -fopenmp examples/main_loop.c -o main_loop
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/main_loop.c -o main_loop
       cc -O3 -DCOMBGPU_OPENCL examples/main_loop.c -o main_loop -lOpenCL

       ./main_loop --n 12 --slice-ms 16         60 frames a second
       ./main_loop --n 12 --move-to cpu         half way, the search moves to another device */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_NO3
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "main_loop - the step-wise form of a search (no-three-in-line)\n\n"
    "Options:\n"
    "  --n N               side of the grid, 2 to 18 (default: 12)\n"
    "  --move-to NAME      half way, save the search to memory and go on with it on\n"
    "                      this backend: cpu, cuda or opencl\n";

/* The program's other work: here, a line about what is known. */
static void draw_frame(unsigned frame, const combgpu_progress *progress)
{
    char line[100];
    if (!common.draws) return;
    snprintf(line, sizeof line, "frame %u %c %5.1f %%, %llu solutions", frame, "|/-\\"[frame % 4],
             100 * progress -> fraction, (unsigned long long)progress -> solutions);
    fprintf(stderr, "\r%.*s\033[K\r", common_width() - 1, line);
    common.drawn = 1;
}

/* The library's progress callback: here it only says whether to stop. */
static int stop_asked(const combgpu_progress *progress, void *user)
{
    (void)progress, (void)user;
    return common_stop();
}

/* Moves the search to another context: a checkpoint in memory, which every backend can read.
   Returns the job there; on failure NULL, and *status says why. Both contexts stay open. */
static combgpu_job *move_job(combgpu_job *job, combgpu_context *to, const combgpu_no3_desc *desc,
                             combgpu_status *status)
{
    combgpu_no3_desc desc_there = *desc;
    combgpu_job *job_there = NULL;
    size_t bytes = 0;
    void *data = NULL;
    *status = combgpu_save(job, NULL, 0, &bytes);
    if (!*status) {
        data = malloc(bytes);
        *status = data ? combgpu_save(job, data, bytes, &bytes) : COMBGPU_OUT_OF_MEMORY;
    }
    if (!*status) {
        desc_there.run.resume_data = data;
        desc_there.run.resume_bytes = bytes;
        *status = combgpu_no3_begin(to, &desc_there, &job_there);
    }
    free(data);
    return job_there;
}

int main(int argc, char **argv)
{
    static const char *const backends[] = {"cpu", "cuda", "opencl"};
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_context *ctx, *other = NULL;
    combgpu_job *job;
    combgpu_status status;
    combgpu_progress progress;
    unsigned frame = 0;
    int move_to = 0;
    memset(&desc, 0, sizeof desc);
    desc.n = 12;

    common_start(argc, argv, help);
    while (common_next())
        if (common_is("--n"))
            desc.n = (int)common_number(2, 18);
        else if (common_is("--move-to"))
            move_to = 1 + common_choice(backends, 3);
        else
            common_unknown();

    ctx = common_open("");
    desc.run = common.run;
    desc.run.progress = stop_asked;

    status = combgpu_no3_begin(ctx, &desc, &job);
    if (status < 0) return common_failed(ctx, status);

    /* the program's loop */
    while (combgpu_step(job) == COMBGPU_RUNNING) {
        combgpu_job_progress(job, &progress);
        draw_frame(++frame, &progress);
        if (move_to && progress.fraction >= 0.5) {
            combgpu_job *job_there;
            common.context.backend = (combgpu_backend)move_to;
            common.context.device = 0;
            other = common_open("");
            job_there = move_job(job, other, &desc, &status);
            combgpu_job_cancel(job);
            combgpu_close(ctx);
            if (!job_there) return common_failed(other, status);
            ctx = other;
            job = job_there;
            move_to = 0;
        }
    }
    common_clear();

    status = combgpu_no3_end(job, &result);
    if (status < 0) return common_failed(ctx, status);
    if (common.json) {
        json_u64("n", (uint64_t)desc.n);
        json_u64("all", result.all);
        json_u64("up_to_symmetry", result.up_to_symmetry);
        json_u64("frames", frame);
        json_run(&result.run);
    } else {
        printf("n = %d: %s solutions, %s up to symmetry; %u turns of the loop\n", desc.n,
               common_commas(result.all), common_commas(result.up_to_symmetry), frame);
        common_print_run(stdout, &result.run);
    }
    return common_end(ctx, &result.run);
}
