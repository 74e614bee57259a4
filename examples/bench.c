/* Times every search on one backend: best of three, with the command that gives the same answer.

       cc -O3 -fopenmp examples/bench.c -o bench
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/bench.c -o bench
       cc -O3 -DCOMBGPU_OPENCL examples/bench.c -o bench -lOpenCL

       ./bench                              all searches, on the best backend
       ./bench --search no3 --long --backend cpu --threads 1 */
#define COMBGPU_IMPLEMENTATION
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "bench - times every search: the best of three runs\n\n"
    "Options:\n"
    "  --search NAME       only magic, no3, perm, visit or tsp\n"
    "  --long              larger cases too\n"
    "  --longest           all cases, also those of minutes on a GPU\n"
    "  --only TEXT         only the cases, of any size, whose command contains TEXT\n"
    "  --repeat R          the best of R runs, 1 to 100 (default: 3)\n";

/* What a case runs: the command line says it, `size` and `variant` are what it means. */
typedef enum bench_search { MAGIC, NO3, PERM, VISIT, TSP, SEARCHES } bench_search;
static const char *const searches[] = {"magic", "no3", "perm", "visit", "tsp"};
enum { ESTIMATE = -1, DIAGONALS = -2 }; /* variants of MAGIC: the command says how many */
enum { MAGIC_CHECKSUM = -3, MAGIC_SEMI = -4, MAGIC_DEVICE = -5 };
enum { PERM_CHUNKS, PERM_HOST, PERM_DEVICE, PERM_UNRANK };
enum { TSP_BATCH = -1 };

typedef struct bench_case {
    bench_search search;
    int is_long; /* with --long; 2: seconds on a GPU, with --only or --longest; 3: minutes */
    int size;    /* order, n, n, cities (0 = those of the file) */
    int variant; /* magic: parts of a shard (0 = all of it); no3: the class; tsp: the method; perm:
                    what is done */
    const char *command;
} bench_case;

static const bench_case cases[] = {
    {MAGIC, 0, 4, 0, "magic --order 4"},
    {MAGIC, 0, 5, 100, "magic --order 5 --shard 0/100"},
    {MAGIC, 1, 5, 0, "magic --order 5"},
    {MAGIC, 1, 5, MAGIC_CHECKSUM, "magic --order 5 --checksum"},
    {MAGIC, 1, 5, MAGIC_SEMI, "magic --order 5 --kind semimagic"},
    {MAGIC, 1, 5, MAGIC_DEVICE, "order 5, Frenicle forms to device memory"},
    {MAGIC, 0, 6, ESTIMATE, "magic --order 6 --estimate --samples 200000"},
    {MAGIC, 2, 6, ESTIMATE, "magic --order 6 --estimate --error 0.0001"},
    {MAGIC, 1, 10, ESTIMATE, "magic --order 10 --estimate --samples 200000"},
    {MAGIC, 2, 6, DIAGONALS, "magic --diagonals 430000000000:16"},
    {NO3, 0, 10, 0, "no3 --n 10"},
    {NO3, 0, 11, 0, "no3 --n 11"},
    {NO3, 0, 12, 0, "no3 --n 12"},
    {NO3, 1, 13, 0, "no3 --n 13"},
    {NO3, 1, 14, 0, "no3 --n 14"},
    {NO3, 1, 15, 0, "no3 --n 15"},
    {NO3, 2, 16, 0, "no3 --n 16"},
    {NO3, 3, 17, 0, "no3 --n 17"},
    {NO3, 1, 28, COMBGPU_NO3_ROT4, "no3 --n 28 --class rot4"},
    {NO3, 1, 30, COMBGPU_NO3_ROT4, "no3 --n 30 --class rot4"},
    {NO3, 2, 36, COMBGPU_NO3_ROT4, "no3 --n 36 --class rot4"},
    {NO3, 3, 40, COMBGPU_NO3_ROT4, "no3 --n 40 --class rot4"},
    {NO3, 2, 37, COMBGPU_NO3_NEAR_ROT4, "no3 --n 37 --class near_rot4"},
    {NO3, 3, 41, COMBGPU_NO3_NEAR_ROT4, "no3 --n 41 --class near_rot4"},
    {NO3, 2, 26, COMBGPU_NO3_ORT1, "no3 --n 26 --class ort1"},
    {NO3, 2, 25, COMBGPU_NO3_ROT2, "no3 --n 25 --class rot2"},
    {NO3, 2, 25, COMBGPU_NO3_DIA1, "no3 --n 25 --class dia1"},
    {NO3, 2, 41, COMBGPU_NO3_DIA2, "no3 --n 41 --class dia2"},
    {PERM, 0, 10, 0, "perm --n 10"},
    {PERM, 0, 11, 0, "perm --n 11"},
    {PERM, 1, 12, 0, "perm --n 12"},
    {PERM, 0, 11, PERM_HOST, "perm --n 11 --to host"},
    {PERM, 1, 12, PERM_HOST, "perm --n 12 --to host"},
    {PERM, 0, 11, PERM_DEVICE, "perm --n 11 --to device"},
    {PERM, 1, 12, PERM_DEVICE, "perm --n 12 --to device"},
    {PERM, 1, 13, PERM_DEVICE, "perm --n 13 --to device"},
    {PERM, 0, 12, PERM_UNRANK, "perm --n 12 --unrank R"},
    {PERM, 0, 20, PERM_UNRANK, "perm --n 20 --unrank R"},
    {VISIT, 0, 11, 0, "families --n 11 --fixed 0"},
    {VISIT, 1, 12, 0, "families --n 12 --fixed 0"},
    {VISIT, 1, 13, 0, "families --n 13 --fixed 0"},
    {VISIT, 0, 6, 2, "(2 each of 6 to device memory; answer: part of memset's speed)"},
    {VISIT, 1, 7, 2, "(2 each of 7 to device memory; answer: part of memset's speed)"},
    {TSP, 0, 11, COMBGPU_TSP_BRUTE_FORCE, "tsp --random 11 --method brute-force"},
    {TSP, 1, 13, COMBGPU_TSP_BRUTE_FORCE, "tsp --random 13 --method brute-force"},
    {TSP, 2, 14, COMBGPU_TSP_BRUTE_FORCE, "tsp --random 14 --method brute-force"},
    {TSP, 3, 16, COMBGPU_TSP_BRUTE_FORCE, "tsp --random 16 --method brute-force"},
    {TSP, 0, 16, COMBGPU_TSP_HELD_KARP, "tsp --random 16 --method held-karp"},
    {TSP, 1, 20, COMBGPU_TSP_HELD_KARP, "tsp --random 20 --method held-karp"},
    {TSP, 1, 24, COMBGPU_TSP_HELD_KARP, "tsp --random 24 --method held-karp"},
    {TSP, 3, 30, COMBGPU_TSP_HELD_KARP, "tsp --random 30 --method held-karp"},
    {TSP, 0, 12, TSP_BATCH, "tsp --random 12 --batch 10000"},
    {TSP, 1, 12, TSP_BATCH, "tsp --random 12 --batch 100000"},
    {TSP, 1, 60, COMBGPU_TSP_BRANCH_AND_BOUND, "tsp --random 60 --method branch-and-bound"},
    {TSP, 1, 0, COMBGPU_TSP_AUTO, "tsp tests/data/tsplib/gr48.tsp"},
    {TSP, 1, 0, COMBGPU_TSP_AUTO, "tsp tests/data/tsplib/eil51.tsp"},
    {TSP, 1, 0, COMBGPU_TSP_AUTO, "tsp tests/data/tsplib/kroA100.tsp"},
    {TSP, 1, 0, COMBGPU_TSP_AUTO, "tsp tests/data/tsplib/kroB100.tsp"},
    {TSP, 1, 0, COMBGPU_TSP_AUTO, "tsp tests/data/tsplib/eil101.tsp"},
    {TSP, 2, 0, COMBGPU_TSP_AUTO, "tsp tests/data/tsplib/pr76.tsp"},
    {TSP, 1, 0, COMBGPU_TSP_AUTO, "tsp tests/data/tsplib/p43.atsp"},
    {TSP, 1, 0, COMBGPU_TSP_AUTO, "tsp tests/data/tsplib/ry48p.atsp"},
    {TSP, 1, 0, COMBGPU_TSP_AUTO, "tsp tests/data/hard_tsplib/20004_hard.tsp"},
    {TSP, 1, 0, COMBGPU_TSP_AUTO, "tsp tests/data/hard_tsplib/25001_hard.tsp"},
    {TSP, 2, 0, COMBGPU_TSP_AUTO, "tsp tests/data/hard_tsplib/30001_hard.tsp"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* Takes chunks of permutations and drops them. */
static int drop(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)count, (void)n, (void)user;
    return 0;
}

/* All Frenicle forms of order 5 to device memory; on a CPU, 4 million. Where the squares are is counted
   in the first run. */
static combgpu_status run_magic_device(combgpu_context *ctx, double *answer, combgpu_run_info *info)
{
    combgpu_magic_list_desc desc;
    combgpu_magic_list_result result;
    combgpu_device device;
    combgpu_status status;
    memset(&device, 0, sizeof device);
    combgpu_context_device(ctx, &device);
    memset(&desc, 0, sizeof desc);
    desc.order = 5;
    desc.frenicle = 1;
    desc.count = device.is_gpu ? 275305224 : 4000000;
    status = combgpu_device_allocate(ctx, (size_t)desc.count * 25, &desc.device_out);
    if (status) return status;
    status = combgpu_magic_list(ctx, &desc, &result);
    combgpu_device_release(ctx, &desc.device_out);
    *answer = (double)result.count;
    *info = result.run;
    return status;
}

static combgpu_status run_magic(combgpu_context *ctx, const bench_case *which, double *answer,
                                combgpu_run_info *info)
{
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.order = which->size;
    desc.run = common.run;
    if (which->variant == MAGIC_DEVICE) return run_magic_device(ctx, answer, info);
    if (which->variant == MAGIC_SEMI) desc.kind = COMBGPU_MAGIC_SEMI;
    desc.checksum = which->variant == MAGIC_CHECKSUM;
    if (which->variant > 0) desc.run.shard_count = which->variant;
    status = combgpu_magic(ctx, &desc, &result);
    *answer = (double)result.count;
    *info = result.run;
    return status;
}

/* The number after a word of the command, or 0. */
static double told(const bench_case *which, const char *word)
{
    const char *at = strstr(which->command, word);
    return at ? strtod(at + strlen(word), NULL) : 0;
}

static combgpu_status run_estimate(combgpu_context *ctx, const bench_case *which, double *answer,
                                   combgpu_run_info *info)
{
    combgpu_magic_estimate_desc desc;
    combgpu_magic_estimate_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.order = which->size;
    desc.samples = (uint64_t)told(which, "--samples ");
    desc.relative_error = told(which, "--error ");
    desc.run = common.run;
    status = combgpu_magic_estimate(ctx, &desc, &result);
    *answer = result.count;
    *info = result.run;
    return status;
}

static combgpu_status run_diagonals(combgpu_context *ctx, const bench_case *which, double *answer,
                                    combgpu_run_info *info)
{
    combgpu_magic_diagonals_desc desc;
    combgpu_magic_diagonals_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.first = (uint64_t)told(which, "--diagonals ");
    desc.count = (uint64_t)told(which, ":");
    desc.run = common.run;
    status = combgpu_magic_diagonals(ctx, &desc, &result);
    *answer = (double)result.squares;
    *info = result.run;
    return status;
}

static combgpu_status run_no3(combgpu_context *ctx, const bench_case *which, double *answer,
                              combgpu_run_info *info)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.n = which->size;
    desc.symmetry = (combgpu_no3_class)which->variant;
    desc.run = common.run;
    status = combgpu_no3(ctx, &desc, &result);
    *answer = (double)result.up_to_symmetry;
    *info = result.run;
    return status;
}

/* Ranks all over 0 .. n!-1; a step is one of them. */
static combgpu_status run_unrank(int n, double *answer, combgpu_run_info *info)
{
    const uint64_t all = combgpu_factorial(n).lo, count = 2000000;
    uint64_t rank = all / 3, sum = 0, i;
    uint8_t perm[34];
    clock_t begin = clock();
    memset(info, 0, sizeof *info);
    for (i = 0; i < count; i++) {
        combgpu_perm_unrank(NULL, n, rank, perm);
        sum += perm[i % 8];
        rank += all / 7919 + 1;
        if (rank >= all) rank -= all;
    }
    info->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    info->steps = count;
    *answer = (double)sum;
    return COMBGPU_OK;
}

static double fill_s; /* of the last case: the best time for filling the same memory */

/* Writes all of n to memory of the host or the device. Where that is the backend's own, seconds are
   those inside kernels: memset has nothing else either. */
static combgpu_status run_perm_to(combgpu_context *ctx, combgpu_perm_desc *desc, int variant,
                                  combgpu_perm_result *result)
{
    const size_t bytes = (size_t)(combgpu_factorial(desc->n).lo * (uint64_t)desc->n);
    combgpu_device_memory memory;
    combgpu_context_desc host;
    combgpu_context *owner = ctx;
    combgpu_status status;
    double seconds = 0;
    int i;
    memset(&host, 0, sizeof host);
    host.backend = COMBGPU_BACKEND_CPU;
    if (variant == PERM_HOST && combgpu_open(&owner, &host)) return COMBGPU_OUT_OF_MEMORY;
    status = combgpu_device_allocate(owner, bytes, &memory);
    for (i = 0; i < 3 && !status; i++) {
        status = combgpu_device_fill(owner, &memory, i, &seconds);
        if (i && (fill_s <= 0 || seconds < fill_s)) fill_s = seconds;
    }
    if (variant == PERM_HOST) {
        desc->out = memory.memory;
        desc->out_bytes = memory.bytes;
    } else
        desc->device_out = memory;
    if (!status) {
        status = combgpu_perm(ctx, desc, result);
        if (variant == PERM_DEVICE || result->run.backend == COMBGPU_BACKEND_CPU)
            result->run.seconds = result->run.device_seconds;
    }
    combgpu_device_release(owner, &memory);
    if (owner != ctx) combgpu_close(owner);
    return status;
}

static combgpu_status run_perm(combgpu_context *ctx, const bench_case *which, double *answer,
                               combgpu_run_info *info)
{
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_status status;
    if (which->variant == PERM_UNRANK) return run_unrank(which->size, answer, info);
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.n = which->size;
    desc.run = common.run;
    if (which->variant != PERM_CHUNKS)
        status = run_perm_to(ctx, &desc, which->variant, &result);
    else {
        desc.solution = drop;
        status = combgpu_perm(ctx, &desc, &result);
    }
    *answer = (double)result.visited;
    *info = result.run;
    return status;
}

/* A visitor as a user would write it. */
COMBGPU_PERM_VISITOR(no_fixed_point, {
    int i, fixed = 0;
    for (i = 0; i < n; i++)
        fixed += perm[i] == i;
    return fixed == 0;
})

static combgpu_status run_visit(combgpu_context *ctx, const bench_case *which, double *answer,
                                combgpu_run_info *info)
{
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.n = which->size;
    desc.goal = COMBGPU_PERM_COUNT;
    desc.visitor = &no_fixed_point;
    desc.run = common.run;
    status = combgpu_perm(ctx, &desc, &result);
    *answer = (double)result.hits;
    *info = result.run;
    return status;
}

/* Writes every arrangement of `size` values, `variant` times each, to memory of the device, which is
   then set by memset; the seconds are the device's. */
static combgpu_status run_multiset(combgpu_context *ctx, const bench_case *which, double *answer,
                                   combgpu_run_info *info)
{
    uint8_t repeats[64];
    combgpu_perm_set set;
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_status status;
    uint64_t count = 0;
    double seconds = 0;
    int length = 0;
    memset(repeats, which->variant, sizeof repeats);
    memset(&set, 0, sizeof set);
    set.family = COMBGPU_PERM_MULTISET;
    set.n = which->size;
    set.repeats = repeats;
    memset(&desc, 0, sizeof desc);
    desc.set = &set;
    desc.run = common.run;
    status = combgpu_perm_set_count(ctx, &set, &count, &length);
    if (!status)
        status = combgpu_device_allocate(ctx, (size_t)count * (size_t)length, &desc.device_out);
    if (status) return status;
    status = combgpu_device_fill(ctx, &desc.device_out, 0, NULL);
    if (!status) status = combgpu_perm(ctx, &desc, &result);
    if (status >= 0 && combgpu_device_fill(ctx, &desc.device_out, 1, &seconds) == COMBGPU_OK) {
        *info = result.run;
        info->seconds = result.run.device_seconds;
        *answer = seconds / result.run.device_seconds;
    }
    combgpu_device_release(ctx, &desc.device_out);
    return status;
}

static combgpu_status run_tsp(combgpu_context *ctx, const bench_case *which, double *answer,
                              combgpu_run_info *info)
{
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_status status = which->size ? common_random_tsp(ctx, which->size, 1, &instance)
                                        : combgpu_tsp_read(ctx, which->command + 4, &instance);
    if (status) return status;
    memset(&desc, 0, sizeof desc);
    desc.instance = &instance;
    desc.method = (combgpu_tsp_method)which->variant;
    desc.run = common.run;
    status = combgpu_tsp(ctx, &desc, &result);
    combgpu_tsp_free(ctx, &instance);
    *answer = result.length;
    *info = result.run;
    return status;
}

/* The answer is the sum of the lengths. */
static combgpu_status run_batch(combgpu_context *ctx, const bench_case *which, double *answer,
                                combgpu_run_info *info)
{
    combgpu_tsp_batch_desc desc;
    combgpu_tsp_batch_result result;
    combgpu_status status = COMBGPU_OUT_OF_MEMORY;
    size_t count = (size_t)strtoul(strrchr(which->command, ' '), NULL, 10);
    size_t all = count * (size_t)which->size, i;
    double *x = (double *)malloc(2 * all * sizeof *x);
    double *lengths = (double *)malloc(count * sizeof *lengths);
    uint64_t seed = 1;
    memset(&result, 0, sizeof result);
    if (x && lengths) {
        for (i = 0; i < all; i++)
            common_random_point(&seed, x + i, x + all + i);
        memset(&desc, 0, sizeof desc);
        desc.count = count;
        desc.n = which->size;
        desc.x = x;
        desc.y = x + all;
        desc.metric = COMBGPU_TSP_EUC_2D;
        desc.lengths = lengths;
        desc.run = common.run;
        status = combgpu_tsp_batch(ctx, &desc, &result);
        *answer = 0;
        for (i = 0; i < count; i++)
            *answer += lengths[i];
    }
    free(x);
    free(lengths);
    *info = result.run;
    return status;
}

static combgpu_status run_case(combgpu_context *ctx, const bench_case *which, double *answer,
                               combgpu_run_info *info)
{
    common.label = which->command;
    switch (which->search) {
    case MAGIC:
        return which->variant == ESTIMATE    ? run_estimate(ctx, which, answer, info)
               : which->variant == DIAGONALS ? run_diagonals(ctx, which, answer, info)
                                             : run_magic(ctx, which, answer, info);
    case NO3:
        return run_no3(ctx, which, answer, info);
    case VISIT:
        return which->variant ? run_multiset(ctx, which, answer, info)
                              : run_visit(ctx, which, answer, info);
    case PERM:
        return run_perm(ctx, which, answer, info);
    default:
        return which->variant == TSP_BATCH ? run_batch(ctx, which, answer, info)
                                           : run_tsp(ctx, which, answer, info);
    }
}

static void print_case(const bench_case *which, double answer, const combgpu_run_info *best)
{
    char steps[32], speed[32];
    double per_second = best->seconds > 0 ? (double)best->steps / best->seconds : 0;
    common_clear();
    if (common.json) {
        json_open(NULL, '{');
        json_string("search", searches[which->search]);
        json_string("command", which->command);
        json_double("answer", answer);
        json_double("seconds", (double)(int64_t)(best->seconds * 1e6) / 1e6);
        json_u64("steps", best->steps);
        json_double("steps_per_s", (double)(int64_t)per_second);
        if (fill_s > 0) json_double("fill_seconds", (double)(int64_t)(fill_s * 1e6) / 1e6);
        json_close();
        return;
    }
    common_short((double)best->steps, steps, sizeof steps);
    common_short(per_second, speed, sizeof speed);
    printf("%9.4f  %8s  %8s  %13.14g  %s", best->seconds, steps, speed, answer, which->command);
    if (fill_s > 0) printf("  (memset %.4f: %.0f %%)", fill_s, 100 * fill_s / best->seconds);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_device device;
    combgpu_run_info total;
    uint64_t repeat = 3, r;
    int i, search = SEARCHES, is_long = 0;
    const char *only = NULL;

    common_start(argc, argv, help);
    common.many_runs = 1;
    while (common_next())
        if (common_is("--search"))
            search = common_choice(searches, SEARCHES);
        else if (common_is("--long"))
            is_long = 1;
        else if (common_is("--longest"))
            is_long = 3;
        else if (common_is("--only"))
            only = common_text("a part of a command");
        else if (common_is("--repeat"))
            repeat = common_number(1, 100);
        else
            common_unknown();

    ctx = common_open("bench");
    combgpu_context_device(ctx, &device);
    memset(&total, 0, sizeof total);
    if (common.json) {
        json_string("backend", combgpu_backend_string(device.backend));
        json_string("device", device.name);
        json_open("results", '[');
    } else {
        printf("%s (%s), best of %llu\n\n", combgpu_backend_string(device.backend), device.name,
               (unsigned long long)repeat);
        printf("  seconds     steps   steps/s         answer  command\n");
    }
    for (i = 0; i < (int)CASES && total.status != COMBGPU_STOPPED; i++) {
        combgpu_run_info best, info;
        double answer = 0;
        if (search != SEARCHES && (int)cases[i].search != search) continue;
        if (only ? !strstr(cases[i].command, only) : cases[i].is_long > is_long) continue;
        if (!cases[i].size) { /* its instance is a file */
            FILE *file = fopen(cases[i].command + 4, "r");
            if (!file) {
                fprintf(stderr, "bench: left out, there is no file %s here\n",
                        cases[i].command + 4);
                continue;
            }
            fclose(file);
        }
        if (cases[i].search == PERM && cases[i].variant == PERM_DEVICE &&
            device.backend == COMBGPU_BACKEND_CPU)
            continue;
        memset(&best, 0, sizeof best);
        fill_s = 0;
        for (r = 0; r < repeat && total.status != COMBGPU_STOPPED; r++) {
            combgpu_status status = run_case(ctx, &cases[i], &answer, &info);
            if (cases[i].search == PERM &&
                (status == COMBGPU_DEVICE_OUT_OF_MEMORY || status == COMBGPU_OUT_OF_MEMORY)) {
                if (!common.json)
                    printf("        -         -         -              -  %s: not enough memory\n",
                           cases[i].command);
                break;
            }
            if (status < 0) return common_failed(ctx, status);
            total.status = info.status;
            if (r == 0 || info.seconds < best.seconds) best = info;
        }
        if (total.status != COMBGPU_STOPPED && r == repeat) print_case(&cases[i], answer, &best);
    }
    if (common.json) {
        json_close();
        json_string("status", combgpu_status_string(total.status));
    }
    return common_end(ctx, &total);
}
