/* Shards on many machines: their finished checkpoints add up to the whole's result. */
#include "test.h"

#define MOST_SHARDS 7
static char folder[] = "/tmp/combgpu_merge_XXXXXX", paths[MOST_SHARDS + 1][80];
static const char *merged[MOST_SHARDS + 1];

COMBGPU_PERM_VISITOR(descents, {
    int i, count = 0;
    for (i = 1; i < n; i++)
        count += perm[i] < perm[i - 1];
    return count * 10 + perm[n / 2];
})

COMBGPU_PERM_VISITOR(is_derangement, {
    int i;
    for (i = 0; i < n; i++)
        if (perm[i] == i) return 0;
    return 1;
})

/* What a search says, as words to compare. */
typedef struct answer {
    combgpu_status status;
    uint64_t words[24];
} answer;

enum {
    NO3,
    NO3_CLASS,
    MAGIC4,
    MAGIC_GIVENS,
    PERM_COUNT,
    PERM_MINIMUM,
    PERM_MAXIMUM,
    TSP,
    SEARCHES
};
static const char *const names[] = {"no3",          "no3 of a class", "magic order 4",
                                    "magic givens", "perm count",     "perm minimum",
                                    "perm maximum", "tsp brute force"};

static void run_facts(answer *result, const combgpu_run_info *run)
{
    result->words[0] = run->steps;
    result->words[1] = run->checksum;
    result->words[2] = run->tasks_left;
}

static answer search(combgpu_context *ctx, int which, const combgpu_run_desc *run)
{
    static const int givens[25] = {17, 24, 1, 8, 15};
    answer made;
    memset(&made, 0, sizeof made);
    if (which <= NO3_CLASS) {
        combgpu_no3_desc desc;
        combgpu_no3_result result;
        memset(&desc, 0, sizeof desc);
        desc.n = which == NO3 ? 8 : 16;
        if (which == NO3_CLASS) desc.symmetry = COMBGPU_NO3_ROT4;
        desc.run = *run;
        made.status = combgpu_no3(ctx, &desc, &result);
        run_facts(&made, &result.run);
        made.words[3] = result.all;
        made.words[4] = result.up_to_symmetry;
        memcpy(made.words + 5, result.classes, sizeof result.classes);
    } else if (which <= MAGIC_GIVENS) {
        combgpu_magic_desc desc;
        combgpu_magic_result result;
        memset(&desc, 0, sizeof desc);
        desc.order = which == MAGIC4 ? 4 : 5;
        if (which == MAGIC_GIVENS) desc.givens = givens;
        desc.run = *run;
        made.status = combgpu_magic(ctx, &desc, &result);
        run_facts(&made, &result.run);
        made.words[3] = result.count;
        made.words[4] = result.up_to_d4;
    } else if (which <= PERM_MAXIMUM) {
        combgpu_perm_desc desc;
        combgpu_perm_result result;
        memset(&desc, 0, sizeof desc);
        desc.n = 9;
        desc.goal = which == PERM_COUNT     ? COMBGPU_PERM_COUNT
                    : which == PERM_MINIMUM ? COMBGPU_PERM_MINIMUM
                                            : COMBGPU_PERM_MAXIMUM;
        desc.visitor = which == PERM_COUNT ? &is_derangement : &descents;
        desc.run = *run;
        made.status = combgpu_perm(ctx, &desc, &result);
        run_facts(&made, &result.run);
        made.words[3] = result.hits;
        made.words[4] = (uint64_t)result.best_value;
        made.words[5] = result.best_rank;
        memcpy(made.words + 6, result.best, 9);
    } else {
        double weights[100];
        combgpu_tsp_instance instance;
        combgpu_tsp_desc desc;
        combgpu_tsp_result result;
        int i;
        for (i = 0; i < 100; i++)
            weights[i] = i * 37 % 19; /* many ties */
        memset(&instance, 0, sizeof instance);
        instance.n = 10;
        instance.weights = weights;
        memset(&desc, 0, sizeof desc);
        desc.instance = &instance;
        if (!run->merge_count) desc.method = COMBGPU_TSP_BRUTE_FORCE; /* else what they say */
        desc.run = *run;
        made.status = combgpu_tsp(ctx, &desc, &result);
        run_facts(&made, &result.run);
        made.words[3] = result.tours;
        made.words[4] = (uint64_t)result.length;
        made.words[5] = (uint64_t)result.optimal;
        for (i = 0; i < 10; i++)
            made.words[6 + i] = (uint64_t)result.tour[i];
    }
    return made;
}

static void forget(void)
{
    static const char *const endings[] = {"", ".bak", ".lock"};
    char path[100];
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

static void test_merge(combgpu_context *ctx, const char *name)
{
    static const int counts[] = {1, 3, 7};
    int which, c;
    for (which = 0; which < SEARCHES; which++) {
        combgpu_run_desc run;
        answer whole;
        memset(&run, 0, sizeof run);
        whole = search(ctx, which, &run);
        for (c = 0; c < 3; c++) {
            answer sum;
            int good = run_shards(ctx, which, counts[c]);
            run = merging(counts[c]);
            sum = search(ctx, which, &run);
            ok(good && !whole.status && !memcmp(&sum, &whole, sizeof sum),
               "%s: %s: %d shards merged give the whole's answer", name, names[which], counts[c]);
            if (sum.status) printf("#   %s\n", combgpu_message(ctx));
        }
    }
}

static void refused(combgpu_context *ctx, int which, const combgpu_run_desc *run,
                    combgpu_status want, const char *text)
{
    answer got = search(ctx, which, run);
    if (!ok(got.status == want && strstr(combgpu_message(ctx), text), "refused: %s", text))
        printf("#   %s: %s\n", combgpu_status_string(got.status), combgpu_message(ctx));
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
    refused(ctx, MAGIC4, &run, COMBGPU_WRONG_JOB, "belongs to another job");
    merged[1] = merged[0];
    refused(ctx, NO3, &run, COMBGPU_WRONG_JOB, "is there twice, so another one is missing");
    merged[1] = paths[MOST_SHARDS];
    refused(ctx, NO3, &run, COMBGPU_FILE_ERROR, "does not exist: its shard is missing");
    file = fopen(paths[MOST_SHARDS], "wb");
    fputs("combgpu checkpoint 1\na\nb\nshard 18446744073709551615/3\n", file);
    fclose(file);
    refused(ctx, NO3, &run, COMBGPU_WRONG_JOB, "is shard 18446744073709551615/3");
    file = fopen(paths[MOST_SHARDS], "wb");
    fclose(file);
    refused(ctx, NO3, &run, COMBGPU_WRONG_JOB, "is shard 0/1, but 3 files");
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
            "run.merge_count is 3, and run.merge_paths is");
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
    ok(search(ctx, NO3, &run).words[3] == 380, "finished later, it can be merged");
}

int main(void)
{
    combgpu_context *ctx;
    int place, i;
    if (!mkdtemp(folder)) return 1;
    for (i = 0; i <= MOST_SHARDS; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%d", folder, i);
    for (place = 0; place < TEST_PLACES; place++) {
        if (!test_open(place, &ctx)) continue;
        test_merge(ctx, test_places[place].name);
        if (place == 0) test_refused(ctx);
        combgpu_close(ctx);
    }
    forget();
    rmdir(folder);
    return tap_end();
}
