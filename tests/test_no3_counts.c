/* Tests the known counts of no-three-in-line that only a GPU reaches in time; skipped without one. It also
   skips searches longer than COMBGPU_TEST_SECONDS (12). */
#define COMBGPU_ONLY_NO3 1
#include "test.h"

static double seconds = 12;

/* Searches, or skips; 0 if there is no result. */
static int search(combgpu_context *ctx, int n, combgpu_no3_class symmetry, int shard, int shards,
                  combgpu_no3_result *result)
{
    combgpu_no3_desc desc;
    combgpu_status status;
    char name[80];
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.symmetry = symmetry;
    desc.run.shard_index = shard;
    desc.run.shard_count = shards;
    desc.run.time_limit_s = seconds;
    status = combgpu_no3(ctx, &desc, result);
    snprintf(name, sizeof name, "n = %d, %s", n, combgpu_no3_class_string(symmetry));
    if (status == COMBGPU_STOPPED) {
        skip("takes too long here", name);
        return 0;
    }
    printf("# %s: %.3f s, %llu steps\n", name, result->run.seconds,
           (unsigned long long)result->run.steps);
    if (status == COMBGPU_OK) return 1;
    equal_status(ctx, status, COMBGPU_OK, "%s", name);
    return 0;
}

static void all_row(combgpu_context *ctx, const char *line)
{
    static const combgpu_no3_class classes[8] = {
        COMBGPU_NO3_IDEN,      COMBGPU_NO3_DIA1, COMBGPU_NO3_ORT1, COMBGPU_NO3_ROT2,
        COMBGPU_NO3_NEAR_ROT4, COMBGPU_NO3_DIA2, COMBGPU_NO3_ROT4, COMBGPU_NO3_FULL};
    unsigned long long all, number[8], total;
    combgpu_no3_result result;
    int n, i;
    if (sscanf(line, "%d,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu", &n, &all, &number[0],
               &number[1], &number[2], &number[3], &number[4], &number[5], &number[6], &number[7],
               &total) != 11 ||
        n < 12 || !search(ctx, n, COMBGPU_NO3_ALL, 0, 1, &result))
        return;
    equal_u64(result.all, all, "n = %d: %llu in all", n, all);
    equal_u64(result.up_to_symmetry, total, "n = %d: %llu up to symmetry", n, total);
    for (i = 0; i < 8; i++)
        equal_u64(result.classes[classes[i]], number[i], "n = %d: %llu of class %s", n, number[i],
                  combgpu_no3_class_string(classes[i]));
}

static void class_row(combgpu_context *ctx, const char *line)
{
    combgpu_no3_result result;
    unsigned long long count;
    char name[8];
    int n, i;
    if (sscanf(line, "%7[^,],%d,%llu", name, &n, &count) != 3) return;
    for (i = COMBGPU_NO3_DIA1; i < COMBGPU_NO3_CLASS_COUNT; i++)
        if (!strcmp(!strcmp(name, "rct4") ? "near_rot4" : name,
                    combgpu_no3_class_string((combgpu_no3_class)i)))
            break;
    ok(i < COMBGPU_NO3_CLASS_COUNT, "class %s is known", name);
    if (i < COMBGPU_NO3_CLASS_COUNT && search(ctx, n, (combgpu_no3_class)i, 0, 1, &result))
        equal_u64(result.classes[i], count, "n = %d, %s: %llu", n, name, count);
}

/* Shards add up, for boards of several formats. */
static void shards_add_up(combgpu_context *ctx)
{
    static const int cases[][2] = {{13, COMBGPU_NO3_ALL},  {28, COMBGPU_NO3_ROT4},
                                   {34, COMBGPU_NO3_ROT4}, {33, COMBGPU_NO3_NEAR_ROT4},
                                   {22, COMBGPU_NO3_ORT1}, {33, COMBGPU_NO3_DIA2}};
    size_t c;
    int shards, i;
    for (c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        combgpu_no3_class symmetry = (combgpu_no3_class)cases[c][1];
        combgpu_no3_result whole, part;
        if (!search(ctx, cases[c][0], symmetry, 0, 1, &whole)) continue;
        for (shards = 3; shards <= 7; shards += 4) {
            combgpu_no3_result sum;
            memset(&sum, 0, sizeof sum);
            for (i = 0; i < shards; i++) {
                if (!search(ctx, cases[c][0], symmetry, i, shards, &part)) break;
                sum.all += part.all;
                sum.run.steps += part.run.steps;
                sum.run.checksum += part.run.checksum;
            }
            ok(i < shards || (sum.all == whole.all && sum.run.steps == whole.run.steps &&
                              sum.run.checksum == whole.run.checksum),
               "n = %d, %s: %d shards add up", cases[c][0], combgpu_no3_class_string(symmetry),
               shards);
        }
    }
}

static void test_place_counts(combgpu_context *ctx, int all, int classes, int shards)
{
    char line[256];
    FILE *file = test_open_file("no3_counts.csv");
    while (file && fgets(line, sizeof line, file))
        if (all) all_row(ctx, line);
    if (file) fclose(file);
    file = test_open_file("no3_symmetric_counts.csv");
    while (file && fgets(line, sizeof line, file))
        if (classes && line[0] != '#' && strncmp(line, "class", 5)) class_row(ctx, line);
    if (file) fclose(file);
    if (shards) shards_add_up(ctx);
}

/* A backend's first GPU, or NULL. */
static combgpu_context *gpu_of(combgpu_backend backend)
{
    combgpu_context_desc desc;
    combgpu_context *ctx;
    combgpu_device device;
    memset(&desc, 0, sizeof desc);
    desc.backend = backend;
    if (combgpu_open(&ctx, &desc) == COMBGPU_OK) {
        combgpu_context_device(ctx, &device);
        if (device.is_gpu) return ctx;
    }
    combgpu_close(ctx);
    return NULL;
}

/* test_no3_counts [a][c][s]: the full search, the classes, the shards */
int main(int argc, char **argv)
{
    static const combgpu_backend backends[2] = {COMBGPU_BACKEND_CUDA, COMBGPU_BACKEND_OPENCL};
    const char *parts = argc > 1 ? argv[1] : "acs", *limit = getenv("COMBGPU_TEST_SECONDS");
    int i, found = 0;
    if (limit) seconds = strtod(limit, NULL);
    for (i = 0; i < 2; i++) {
        combgpu_context *ctx = gpu_of(backends[i]);
        if (!ctx) continue;
        printf("# %s\n", combgpu_backend_string(backends[i]));
        if (found)
            seconds = seconds < 2 ? seconds : 2; /* the same counts, as far as they are short */
        found = 1;
        test_place_counts(ctx, strchr(parts, 'a') != NULL, strchr(parts, 'c') != NULL,
                          strchr(parts, 's') != NULL);
        combgpu_close(ctx);
    }
    if (!found) {
        printf("1..0 # SKIP no GPU\n");
        return 0;
    }
    return tap_end();
}
