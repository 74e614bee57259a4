/* Tests every search on a thread with 96 KB of stack, less than any system's default. The need depends on
   how the library is compiled: the Makefile compiles it as users do. */
#include "test.h"

#include <pthread.h>

#if defined(__SANITIZE_ADDRESS__) /* its frames are several times as large */
#define STACK_KB 1024
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STACK_KB 1024
#endif
#endif
#ifndef STACK_KB
#define STACK_KB 96
#endif

static int nobody(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)count, (void)n, (void)user;
    return 0;
}

static int64_t first_item(const unsigned char *perm, int n, const unsigned char *data)
{
    (void)n, (void)data;
    return perm[0];
}

static void perms(combgpu_context *ctx)
{
    static uint32_t written[5040 * 7];
    static uint64_t histogram[4096];
    static combgpu_perm_visitor visitor;
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    int goal;
    visitor.name = "first";
    visitor.cpu = first_item;
    for (goal = COMBGPU_PERM_WRITE; goal <= COMBGPU_PERM_HISTOGRAM; goal++) {
        memset(&desc, 0, sizeof desc);
        desc.n = 7;
        desc.goal = (combgpu_perm_goal)goal;
        if (goal == COMBGPU_PERM_WRITE) {
            desc.out = written;
            desc.out_bytes = sizeof written;
            desc.item_bytes = 4;
        } else
            desc.visitor = &visitor;
        if (goal == COMBGPU_PERM_COUNT) desc.solution = nobody;
        if (goal == COMBGPU_PERM_HISTOGRAM) {
            desc.bins = 4096;
            desc.histogram = histogram;
        }
        equal_status(ctx, combgpu_perm(ctx, &desc, &result), COMBGPU_OK, "perm, goal %d", goal);
        equal_u64(result.visited, 5040, "all are visited");
    }
}

static void no3s(combgpu_context *ctx)
{
    static const struct {
        int n;
        combgpu_no3_class symmetry;
        uint64_t seed;
    } cases[] = {{8, COMBGPU_NO3_ALL, 0},   {17, COMBGPU_NO3_ALL, 0},  {20, COMBGPU_NO3_ALL, 1},
                 {32, COMBGPU_NO3_ALL, 0},  {40, COMBGPU_NO3_ROT4, 0}, {63, COMBGPU_NO3_ROT2, 0},
                 {64, COMBGPU_NO3_DIA1, 0}, {64, COMBGPU_NO3_FULL, 0}};
    int i, steps;
    for (i = 0; i < 8; i++) {
        combgpu_no3_desc desc;
        combgpu_job *job;
        combgpu_status status = COMBGPU_RUNNING;
        memset(&desc, 0, sizeof desc);
        desc.n = cases[i].n;
        desc.symmetry = cases[i].symmetry;
        desc.seed = cases[i].seed;
        desc.run.slice_ms = 1;
        if (!equal_status(ctx, combgpu_no3_begin(ctx, &desc, &job), COMBGPU_OK, "no3, n %d",
                          desc.n))
            continue;
        for (steps = 0; steps < 5 && status == COMBGPU_RUNNING; steps++)
            status = combgpu_step(job);
        ok(status >= 0, "works");
        combgpu_job_cancel(job);
    }
}

static void magics(combgpu_context *ctx)
{
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    combgpu_magic_list_desc list;
    combgpu_magic_list_result listed;
    combgpu_magic_estimate_desc estimate;
    combgpu_magic_estimate_result estimated;
    static unsigned char out[16 * 7040];
    int order, kind;
    for (order = 3; order <= 6; order++)
        for (kind = COMBGPU_MAGIC_NORMAL; kind <= COMBGPU_MAGIC_SEMI; kind++) {
            memset(&desc, 0, sizeof desc);
            desc.order = order;
            desc.kind = (combgpu_magic_kind)kind;
            desc.limit = 1000;
            desc.run.time_limit_s = 0.05;
            ok(combgpu_magic(ctx, &desc, &result) >= 0, "magic, order %d, kind %d", order, kind);
        }
    memset(&list, 0, sizeof list);
    list.order = 4;
    list.out = out;
    list.out_bytes = sizeof out;
    equal_status(ctx, combgpu_magic_list(ctx, &list, &listed), COMBGPU_OK, "magic, list");
    memset(&estimate, 0, sizeof estimate);
    estimate.order = 6;
    estimate.samples = 1000;
    equal_status(ctx, combgpu_magic_estimate(ctx, &estimate, &estimated), COMBGPU_OK,
                 "magic, estimate");
}

static void tsps(combgpu_context *ctx)
{
    static double x[60], y[60], lengths[20];
    combgpu_tsp_desc desc;
    combgpu_tsp_result *result = (combgpu_tsp_result *)malloc(sizeof *result);
    combgpu_tsp_batch_desc batch;
    combgpu_tsp_batch_result solved;
    int i, method;
    for (i = 0; i < 60; i++) {
        x[i] = random_below(1000);
        y[i] = random_below(1000);
    }
    for (method = COMBGPU_TSP_BRUTE_FORCE; method <= COMBGPU_TSP_BRANCH_AND_BOUND; method++) {
        combgpu_tsp_instance instance;
        const int n = method == COMBGPU_TSP_BRUTE_FORCE ? 9
                      : method == COMBGPU_TSP_HELD_KARP ? 12
                                                        : 40;
        memset(&desc, 0, sizeof desc);
        equal_status(ctx, combgpu_tsp_from_coordinates(ctx, n, x, y, COMBGPU_TSP_EUC_2D, &instance),
                     COMBGPU_OK, "an instance");
        desc.instance = &instance;
        desc.method = (combgpu_tsp_method)method;
        equal_status(ctx, combgpu_tsp(ctx, &desc, result), COMBGPU_OK, "tsp, method %d", method);
        combgpu_tsp_free(ctx, &instance);
    }
    memset(&batch, 0, sizeof batch);
    batch.count = 20;
    batch.n = 3;
    batch.x = x;
    batch.y = y;
    batch.metric = COMBGPU_TSP_EUC_2D;
    batch.lengths = lengths;
    equal_status(ctx, combgpu_tsp_batch(ctx, &batch, &solved), COMBGPU_OK, "tsp, batch");
    free(result);
}

/* Files, and checkpoints with sums, too. */
static void files(combgpu_context *ctx)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    char path[200], checkpoint[220], more[240];
    const char *merged[1];
    if (!ok(test_folder(path, sizeof path), "a folder")) return;
    snprintf(checkpoint, sizeof checkpoint, "%s/c", path);
    snprintf(more, sizeof more, "%s.bak", checkpoint);
    memset(&desc, 0, sizeof desc);
    desc.n = 7;
    desc.run.checkpoint_path = checkpoint;
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "with a checkpoint");
    desc.run.resume = 1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "resumed");
    memset(&desc.run, 0, sizeof desc.run);
    merged[0] = checkpoint;
    desc.run.merge_paths = merged;
    desc.run.merge_count = 1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "merged");
    equal_u64(result.all, 132, "right");
    unlink(checkpoint);
    unlink(more);
    rmdir(path);
}

static void *everything(void *user)
{
    combgpu_context *ctx = (combgpu_context *)user;
    equal_status(ctx, combgpu_self_test(ctx), COMBGPU_OK, "self-test");
    perms(ctx);
    no3s(ctx);
    magics(ctx);
    tsps(ctx);
    files(ctx);
    return NULL;
}

int main(void)
{
    combgpu_context *ctx;
    pthread_attr_t attributes;
    pthread_t thread;
    if (!test_open(0, &ctx)) return 1;
    pthread_attr_init(&attributes);
    if (ok(!pthread_attr_setstacksize(&attributes, STACK_KB * 1024), "%d KB of stack", STACK_KB) &&
        ok(!pthread_create(&thread, &attributes, everything, ctx), "a thread"))
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    combgpu_close(ctx);
    return tap_end();
}
