/* Works on every search of searches.h for a while, to carry checkpoints between builds and machines
   (platforms.sh). */
#define _POSIX_C_SOURCE 200809L
#include "searches.h"

enum { SLICES = 1 };

static const char *path_of(const char *folder, int row)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%d", folder, row);
    return path;
}

static unsigned char *load(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data;
    long size;
    *bytes = 0;
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    data = (unsigned char *)malloc(size > 0 ? (size_t)size : 1);
    if (data && size > 0) *bytes = fread(data, 1, (size_t)size, file);
    fclose(file);
    return data;
}

/* Writes the job's checkpoint; 0 if it cannot. */
static int store(combgpu_job *job, const char *path)
{
    size_t bytes = 0;
    unsigned char *data = test_save(job, &bytes);
    FILE *file = data ? fopen(path, "wb") : NULL;
    int stored = file && fwrite(data, 1, bytes, file) == bytes;
    if (file && fclose(file)) stored = 0;
    free(data);
    return stored;
}

/* Some slices of the row, or all that are left: then its answer, as a line. */
static int work(combgpu_context *ctx, int i, const char *folder, int whole)
{
    const search_row *row = &search_rows[i];
    search_desc desc = search_describe(row);
    search_result result;
    search_answer answer;
    combgpu_job *job;
    combgpu_status status;
    size_t bytes = 0;
    unsigned char *saved = folder ? load(path_of(folder, i), &bytes) : NULL;
    int k, done;
    row->kind->run(&desc)->resume_data = saved;
    row->kind->run(&desc)->resume_bytes = bytes;
    status = row->kind->begin(ctx, &desc, &job);
    free(saved);
    if (status) {
        fprintf(stderr, "%s: %s\n", row->name, combgpu_message(ctx));
        return 0;
    }
    inside_limit_workers(job, 2);
    for (k = 0; (whole || k < SLICES) && (!k || status == COMBGPU_RUNNING); k++) {
        if (!whole || folder) inside_set_budget(job, (uint32_t)row->budget / 2 + 1);
        status = combgpu_step(job);
    }
    if (!whole) {
        done = store(job, path_of(folder, i));
        combgpu_job_cancel(job);
        return done;
    }
    memset(&result, 0, sizeof result);
    status = row->kind->end(job, &result);
    answer = search_answer_of(row, &result);
    printf("%s: %s:", row->name, combgpu_status_string(status));
    for (k = 0; k < answer.count; k++)
        printf(" %llx", (unsigned long long)answer.words[k]);
    printf("\n");
    return 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *folder = argc > 2 ? argv[2] : NULL;
    const char *backend = getenv("TRAVEL_BACKEND");
    combgpu_context_desc open;
    combgpu_context *ctx;
    int i, right = 1;
    if ((strcmp(what, "piece") != 0 || !folder) && strcmp(what, "end") != 0) {
        fprintf(stderr,
                "usage: travel piece FOLDER  a few slices of each search, from and to FOLDER\n"
                "       travel end [FOLDER]  the rest, or all of it: prints the answers\n");
        return 2;
    }
    memset(&open, 0, sizeof open);
    open.backend =
        backend && !strcmp(backend, "opencl") ? COMBGPU_BACKEND_OPENCL : COMBGPU_BACKEND_CPU;
    open.threads = 2;
    if (combgpu_open(&ctx, &open)) {
        fprintf(stderr, "%s\n", combgpu_message(ctx));
        return 1;
    }
    for (i = 0; i < SEARCH_ROWS; i++)
        right &= work(ctx, i, folder, *what == 'e');
    combgpu_close(ctx);
    return !right;
}
