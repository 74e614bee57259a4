/* Tests shards of many machines: which files merge, and which are refused. test_contract.c tests for every
   search that they give the answer of the whole. */
#include "test.h"

#include <unistd.h>

#define MOST_SHARDS 7
static char folder[200], paths[MOST_SHARDS + 1][220];
static const char *merged[MOST_SHARDS + 1];

typedef struct answer {
    combgpu_status status;
    uint64_t all;
} answer;

enum { NO3, MAGIC4 };

static answer search(combgpu_context *ctx, int which, const combgpu_run_desc *run)
{
    answer made;
    memset(&made, 0, sizeof made);
    if (which == NO3) {
        combgpu_no3_desc desc;
        combgpu_no3_result result;
        memset(&desc, 0, sizeof desc);
        desc.n = 8;
        desc.run = *run;
        made.status = combgpu_no3(ctx, &desc, &result);
        made.all = result.all;
    } else {
        combgpu_magic_desc desc;
        combgpu_magic_result result;
        memset(&desc, 0, sizeof desc);
        desc.order = 4;
        desc.run = *run;
        made.status = combgpu_magic(ctx, &desc, &result);
        made.all = result.count;
    }
    return made;
}

static void forget(void)
{
    static const char *const endings[] = {"", ".bak", ".lock"};
    char path[240];
    int i, k;
    for (i = 0; i <= MOST_SHARDS; i++)
        for (k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "%.80s%s", paths[i], endings[k]);
            remove(path);
        }
}

/* Runs the shards, each with its checkpoint; the last file is the first shard's. */
static int run_shards(combgpu_context *ctx, int which, int count)
{
    combgpu_run_desc run;
    int i, failed = 0;
    forget();
    for (i = 0; i < count; i++) {
        memset(&run, 0, sizeof run);
        run.shard_index = i;
        run.shard_count = count;
        run.checkpoint_path = merged[count - 1 - i] = paths[i];
        failed += search(ctx, which, &run).status != COMBGPU_OK;
    }
    return !failed;
}

static combgpu_run_desc merging(int count)
{
    combgpu_run_desc run;
    memset(&run, 0, sizeof run);
    run.merge_paths = merged;
    run.merge_count = count;
    return run;
}

static void refused(combgpu_context *ctx, int which, const combgpu_run_desc *run,
                    combgpu_status want, const char *text)
{
    answer got = search(ctx, which, run);
    if (!ok(got.status == want && strstr(combgpu_message(ctx), text), "refused: %s", text))
        printf("#   %s: %s\n", combgpu_status_string(got.status), combgpu_message(ctx));
}

/* Takes 20 ms: a shard's time, as its checkpoint has it. */
static int wait(const combgpu_progress *progress, void *user)
{
    double end = test_now() + 0.02;
    (void)progress, (void)user;
    while (test_now() < end)
        continue;
    return 0;
}

/* The time of all shards is the whole's, as if one machine had done them in turn. */
static void test_seconds(combgpu_context *ctx)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    int i;
    forget();
    memset(&desc, 0, sizeof desc);
    desc.n = 6;
    desc.run.shard_count = MOST_SHARDS;
    desc.run.progress = wait;
    desc.run.progress_interval_s = 1e-9;
    for (i = 0; i < MOST_SHARDS; i++) {
        desc.run.shard_index = i;
        desc.run.checkpoint_path = merged[i] = paths[i];
        equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "shard %d", i);
    }
    memset(&desc.run, 0, sizeof desc.run);
    desc.run = merging(MOST_SHARDS);
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "merged");
    ok(result.run.seconds >= 0.02 * MOST_SHARDS, "the time of all shards: %.3f s",
       result.run.seconds);
}

static int stop(const combgpu_progress *progress, void *user)
{
    (void)progress, (void)user;
    return 1;
}

static void test_refused(combgpu_context *ctx)
{
    combgpu_run_desc run;
    unsigned char byte;
    FILE *file;
    run_shards(ctx, NO3, 3);
    run = merging(2);
    refused(ctx, NO3, &run, COMBGPU_WRONG_JOB, "is shard 2/3, but 2 files are to be merged");
    run = merging(3);
    refused(ctx, MAGIC4, &run, COMBGPU_WRONG_JOB,
            "belongs to another job: problem is no3 there and magic here");
    merged[1] = merged[0];
    refused(ctx, NO3, &run, COMBGPU_WRONG_JOB, "is given twice, so another one is missing");
    merged[1] = paths[MOST_SHARDS];
    refused(ctx, NO3, &run, COMBGPU_FILE_ERROR, "does not exist: its shard is missing");
    file = fopen(paths[MOST_SHARDS], "wb");
    fputs("combgpu checkpoint 1\na\nb\nshard 18446744073709551615/3\n", file);
    fclose(file);
    refused(ctx, NO3, &run, COMBGPU_WRONG_JOB, "is shard 18446744073709551615/3");
    file = fopen(paths[MOST_SHARDS], "wb");
    fclose(file);
    refused(ctx, NO3, &run, COMBGPU_BAD_FILE, paths[MOST_SHARDS]);
    merged[1] = paths[1];
    file = fopen(paths[1], "r+b");
    fseek(file, -9, SEEK_END);
    byte = (unsigned char)fgetc(file);
    fseek(file, -9, SEEK_END);
    fputc(byte ^ 4, file);
    fclose(file);
    refused(ctx, NO3, &run, COMBGPU_BAD_FILE, "the CRC is wrong");
    run.merge_paths = NULL;
    refused(ctx, NO3, &run, COMBGPU_INVALID_ARGUMENT,
            "run.merge_count is 3 and run.merge_paths is");
    run = merging(-1);
    refused(ctx, NO3, &run, COMBGPU_INVALID_ARGUMENT, "run.merge_count is -1");
    run = merging(3);
    run.checkpoint_path = paths[MOST_SHARDS];
    refused(ctx, NO3, &run, COMBGPU_INVALID_ARGUMENT, "run.checkpoint_path is set");
    run = merging(3);
    run.shard_count = 3;
    refused(ctx, NO3, &run, COMBGPU_INVALID_ARGUMENT, "run.shard_count is set");

    /* a shard that was stopped, and then finished */
    forget();
    run_shards(ctx, NO3, 1);
    remove(paths[0]);
    memset(&run, 0, sizeof run);
    run.checkpoint_path = paths[0];
    run.progress = stop;
    run.progress_interval_s = 1e-9;
    run.slice_ms = 1;
    ok(search(ctx, NO3, &run).status == COMBGPU_STOPPED, "a shard was stopped");
    run = merging(1);
    refused(ctx, NO3, &run, COMBGPU_WRONG_JOB, "shard 0/1 is not finished");
    memset(&run, 0, sizeof run);
    run.checkpoint_path = paths[0];
    run.resume = 1;
    search(ctx, NO3, &run);
    run = merging(1);
    ok(search(ctx, NO3, &run).all == 380, "finished later, it can be merged");
}

/* Merging is no search: a tour gets no kicks beyond those of its checkpoint. */
static void test_kicks(combgpu_context *ctx)
{
    enum { N = 60 };
    double x[N], y[N];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result few, got;
    int i;
    forget();
    for (i = 0; i < N; i++) {
        x[i] = random_below(1000);
        y[i] = random_below(1000);
    }
    combgpu_tsp_from_coordinates(ctx, N, x, y, COMBGPU_TSP_EUC_2D, &instance);
    memset(&desc, 0, sizeof desc);
    memset(&got, 0, sizeof got);
    desc.instance = &instance;
    desc.method = COMBGPU_TSP_HEURISTIC;
    desc.kicks = 5;
    desc.run.checkpoint_path = merged[0] = paths[0];
    equal_status(ctx, combgpu_tsp(ctx, &desc, &few), COMBGPU_OK, "5 kicks");
    desc.kicks = 0;
    desc.run = merging(1);
    equal_status(ctx, combgpu_tsp(ctx, &desc, &got), COMBGPU_OK, "a tour merged");
    ok(got.length == few.length && got.run.steps == few.run.steps, "%g, as before: %g", got.length,
       few.length);
    combgpu_tsp_free(ctx, &instance);
}

int main(void)
{
    combgpu_context *ctx;
    int i;
    if (!test_folder(folder, sizeof folder)) return 1;
    for (i = 0; i <= MOST_SHARDS; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%d", folder, i);
    if (test_open(0, &ctx)) {
        test_refused(ctx);
        test_seconds(ctx);
        test_kicks(ctx);
    }
    combgpu_close(ctx);
    forget();
    rmdir(folder);
    return tap_end();
}
