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

typedef struct bench_case bench_case;

/* What a run says; its seconds may be those inside kernels. */
typedef struct bench_result {
    combgpu_run_info run;
    double answer;
    double fill_s; /* the best time for filling the same memory; 0 = it has none */
} bench_result;

typedef enum bench_search { MAGIC, NO3, PERM, VISIT, TSP, SEARCHES } bench_search;
static const char *const searches[] = {"magic", "no3", "perm", "visit", "tsp"};

struct bench_case {
    bench_search search;
    int is_long; /* with --long; 2: seconds on a GPU, with --only or --longest; 3: minutes */
    combgpu_status (*run)(combgpu_context *ctx, const bench_case *which, bench_result *out);
    const char *command; /* says all the rest */
};

/* The number after a word of the command, or 0. */
static double told(const bench_case *which, const char *word)
{
    const char *at = strstr(which->command, word);
    return at ? strtod(at + strlen(word), NULL) : 0;
}

/* Does the command say so? */
static int says(const bench_case *which, const char *words)
{
    return strstr(which->command, words) != NULL;
}

/* Defines NAME: a case that describes a search, runs it and keeps what it found. */
#define RUN(name, search, describe, found)                                                         \
    static combgpu_status name(combgpu_context *ctx, const bench_case *which, bench_result *out)   \
    {                                                                                              \
        combgpu_##search##_desc desc;                                                              \
        combgpu_##search##_result result;                                                          \
        combgpu_status status;                                                                     \
        memset(&desc, 0, sizeof desc);                                                             \
        memset(&result, 0, sizeof result);                                                         \
        desc.run = common.run;                                                                     \
        describe;                                                                                  \
        status = combgpu_##search(ctx, &desc, &result);                                            \
        out->answer = (double)(found);                                                             \
        out->run = result.run;                                                                     \
        return status;                                                                             \
    }

/* ---- magic squares */

static void describe_magic(const bench_case *which, combgpu_magic_desc *desc)
{
    desc->order = (int)told(which, "--order ");
    desc->run.shard_count = (int)told(which, "--shard 0/");
    desc->checksum = says(which, "--checksum");
    if (says(which, "semimagic")) desc->kind = COMBGPU_MAGIC_SEMI;
}
RUN(run_magic, magic, describe_magic(which, &desc), result.count)

static void describe_estimate(const bench_case *which, combgpu_magic_estimate_desc *desc)
{
    desc->order = (int)told(which, "--order ");
    desc->samples = (uint64_t)told(which, "--samples ");
    desc->relative_error = told(which, "--error ");
}
RUN(run_estimate, magic_estimate, describe_estimate(which, &desc), result.count)

static void describe_diagonals(const bench_case *which, combgpu_magic_diagonals_desc *desc)
{
    desc->first = (uint64_t)told(which, "--diagonals ");
    desc->count = (uint64_t)told(which, ":");
}
RUN(run_diagonals, magic_diagonals, describe_diagonals(which, &desc), result.squares)

/* All Frenicle forms of order 5 to device memory; on a CPU, 4 million. Where the squares are is counted
   in the first run. */
static combgpu_status run_magic_device(combgpu_context *ctx, const bench_case *which,
                                       bench_result *out)
{
    combgpu_magic_list_desc desc;
    combgpu_magic_list_result result;
    combgpu_device device;
    combgpu_status status;
    (void)which;
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
    out->answer = (double)result.count;
    out->run = result.run;
    return status;
}

/* ---- no three in line */

static void describe_no3(const bench_case *which, combgpu_no3_desc *desc)
{
    const char *name = strstr(which->command, "--class ");
    int c = 0;
    desc->n = (int)told(which, "--n ");
    while (name &&
           strcmp(name + strlen("--class "), combgpu_no3_class_string((combgpu_no3_class)c)))
        c++;
    desc->symmetry = (combgpu_no3_class)c;
}
RUN(run_no3, no3, describe_no3(which, &desc), result.up_to_symmetry)

/* ---- permutations */

/* Takes chunks of permutations and drops them. */
static int drop(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)count, (void)n, (void)user;
    return 0;
}

RUN(run_perm, perm, (desc.n = (int)told(which, "--n "), desc.solution = drop), result.visited)

/* Ranks all over 0 .. n!-1; a step is one of them. */
static combgpu_status run_unrank(combgpu_context *ctx, const bench_case *which, bench_result *out)
{
    const int n = (int)told(which, "--n ");
    const uint64_t all = combgpu_factorial(n).lo, count = 2000000;
    uint64_t rank = all / 3, sum = 0, i;
    uint8_t perm[34];
    clock_t begin = clock();
    for (i = 0; i < count; i++) {
        combgpu_perm_unrank(ctx, n, rank, perm);
        sum += perm[i % 8];
        rank += all / 7919 + 1;
        if (rank >= all) rank -= all;
    }
    out->run.seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    out->run.steps = count;
    out->answer = (double)sum;
    return COMBGPU_OK;
}

/* Writes all of n to memory of the host or of the device. Where that is the backend's own, seconds
   are those inside kernels: memset has nothing else either. */
static combgpu_status run_perm_to(combgpu_context *ctx, const bench_case *which, int to_device,
                                  bench_result *out)
{
    combgpu_device_memory memory;
    combgpu_context_desc host;
    combgpu_context *owner = ctx;
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_status status;
    double seconds = 0;
    int i;
    memset(&host, 0, sizeof host);
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.n = (int)told(which, "--n ");
    desc.run = common.run;
    host.backend = COMBGPU_BACKEND_CPU;
    if (!to_device && combgpu_open(&owner, &host)) {
        combgpu_close(owner);
        return COMBGPU_OUT_OF_MEMORY;
    }
    status = combgpu_device_allocate(
        owner, (size_t)(combgpu_factorial(desc.n).lo * (uint64_t)desc.n), &memory);
    for (i = 0; i < 3 && !status; i++) {
        status = combgpu_device_fill(owner, &memory, i, &seconds);
        if (i && (out->fill_s <= 0 || seconds < out->fill_s)) out->fill_s = seconds;
    }
    if (to_device)
        desc.device_out = memory;
    else {
        desc.out = memory.memory;
        desc.out_bytes = memory.bytes;
    }
    if (!status) status = combgpu_perm(ctx, &desc, &result);
    if (to_device || result.run.backend == COMBGPU_BACKEND_CPU)
        result.run.seconds = result.run.device_seconds;
    out->answer = (double)result.visited;
    out->run = result.run;
    combgpu_device_release(owner, &memory);
    if (owner != ctx) combgpu_close(owner);
    return status;
}

static combgpu_status run_perm_to_host(combgpu_context *ctx, const bench_case *which,
                                       bench_result *out)
{
    return run_perm_to(ctx, which, 0, out);
}

static combgpu_status run_perm_to_device(combgpu_context *ctx, const bench_case *which,
                                         bench_result *out)
{
    return run_perm_to(ctx, which, 1, out);
}

/* A visitor as a user would write it. */
COMBGPU_PERM_VISITOR(no_fixed_point, {
    int i, fixed = 0;
    for (i = 0; i < n; i++)
        fixed += perm[i] == i;
    return fixed == 0;
})

static void describe_visit(const bench_case *which, combgpu_perm_desc *desc)
{
    desc->n = (int)told(which, "--n ");
    desc->goal = COMBGPU_PERM_COUNT;
    desc->visitor = &no_fixed_point;
}
RUN(run_visit, perm, describe_visit(which, &desc), result.hits)

/* Writes every arrangement of so many values, each so many times, to memory of the device, which is
   then set by memset; the seconds are the device's. */
static combgpu_status run_multiset(combgpu_context *ctx, const bench_case *which, bench_result *out)
{
    uint8_t repeats[64];
    combgpu_perm_set set;
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_status status;
    uint64_t count = 0;
    double seconds = 0;
    int length = 0;
    memset(repeats, (int)told(which, "("), sizeof repeats);
    memset(&set, 0, sizeof set);
    set.family = COMBGPU_PERM_MULTISET;
    set.n = (int)told(which, "each of ");
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
        out->run = result.run;
        out->run.seconds = result.run.device_seconds;
        out->answer = seconds / result.run.device_seconds;
    }
    combgpu_device_release(ctx, &desc.device_out);
    return status;
}

/* ---- travelling salesman */

static combgpu_status solve(combgpu_context *ctx, combgpu_tsp_instance *instance,
                            combgpu_tsp_method method, bench_result *out)
{
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.instance = instance;
    desc.method = method;
    desc.run = common.run;
    status = combgpu_tsp(ctx, &desc, &result);
    combgpu_tsp_free(ctx, instance);
    out->answer = result.length;
    out->run = result.run;
    return status;
}

static combgpu_status run_tsp(combgpu_context *ctx, const bench_case *which, bench_result *out)
{
    combgpu_tsp_instance instance;
    combgpu_status status = common_random_tsp(ctx, (int)told(which, "--random "), 1, &instance);
    return status ? status
                  : solve(ctx, &instance,
                          says(which, "brute-force") ? COMBGPU_TSP_BRUTE_FORCE
                          : says(which, "held-karp") ? COMBGPU_TSP_HELD_KARP
                                                     : COMBGPU_TSP_BRANCH_AND_BOUND,
                          out);
}

/* The command's file. */
static const char *file_of(const bench_case *which)
{
    return which->command + strlen("tsp ");
}

static combgpu_status run_tsp_file(combgpu_context *ctx, const bench_case *which, bench_result *out)
{
    combgpu_tsp_instance instance;
    combgpu_status status = combgpu_tsp_read(ctx, file_of(which), &instance);
    return status ? status : solve(ctx, &instance, COMBGPU_TSP_AUTO, out);
}

/* The answer is the sum of the lengths. */
static combgpu_status run_batch(combgpu_context *ctx, const bench_case *which, bench_result *out)
{
    combgpu_tsp_batch_desc desc;
    combgpu_tsp_batch_result result;
    combgpu_status status = COMBGPU_OUT_OF_MEMORY;
    const int n = (int)told(which, "--random ");
    size_t count = (size_t)told(which, "--batch "), all = count * (size_t)n, i;
    double *x = (double *)malloc(2 * all * sizeof *x);
    double *lengths = (double *)malloc(count * sizeof *lengths);
    uint64_t seed = 1;
    memset(&result, 0, sizeof result);
    if (x && lengths) {
        for (i = 0; i < all; i++)
            common_random_point(&seed, x + i, x + all + i);
        memset(&desc, 0, sizeof desc);
        desc.count = count;
        desc.n = n;
        desc.x = x;
        desc.y = x + all;
        desc.metric = COMBGPU_TSP_EUC_2D;
        desc.lengths = lengths;
        desc.run = common.run;
        status = combgpu_tsp_batch(ctx, &desc, &result);
        for (i = 0; i < count; i++)
            out->answer += lengths[i];
    }
    free(x);
    free(lengths);
    out->run = result.run;
    return status;
}

/* ---- the cases */

static const bench_case cases[] = {
    {MAGIC, 0, run_magic, "magic --order 4"},
    {MAGIC, 0, run_magic, "magic --order 5 --shard 0/100"},
    {MAGIC, 1, run_magic, "magic --order 5"},
    {MAGIC, 1, run_magic, "magic --order 5 --checksum"},
    {MAGIC, 1, run_magic, "magic --order 5 --kind semimagic"},
    {MAGIC, 1, run_magic_device, "order 5, Frenicle forms to device memory"},
    {MAGIC, 0, run_estimate, "magic --order 6 --estimate --samples 200000"},
    {MAGIC, 2, run_estimate, "magic --order 6 --estimate --error 0.0001"},
    {MAGIC, 1, run_estimate, "magic --order 10 --estimate --samples 200000"},
    {MAGIC, 2, run_diagonals, "magic --diagonals 430000000000:16"},
    {NO3, 0, run_no3, "no3 --n 10"},
    {NO3, 0, run_no3, "no3 --n 11"},
    {NO3, 0, run_no3, "no3 --n 12"},
    {NO3, 1, run_no3, "no3 --n 13"},
    {NO3, 1, run_no3, "no3 --n 14"},
    {NO3, 1, run_no3, "no3 --n 15"},
    {NO3, 2, run_no3, "no3 --n 16"},
    {NO3, 3, run_no3, "no3 --n 17"},
    {NO3, 1, run_no3, "no3 --n 28 --class rot4"},
    {NO3, 1, run_no3, "no3 --n 30 --class rot4"},
    {NO3, 2, run_no3, "no3 --n 36 --class rot4"},
    {NO3, 3, run_no3, "no3 --n 40 --class rot4"},
    {NO3, 2, run_no3, "no3 --n 37 --class near_rot4"},
    {NO3, 3, run_no3, "no3 --n 41 --class near_rot4"},
    {NO3, 2, run_no3, "no3 --n 26 --class ort1"},
    {NO3, 2, run_no3, "no3 --n 25 --class rot2"},
    {NO3, 2, run_no3, "no3 --n 25 --class dia1"},
    {NO3, 2, run_no3, "no3 --n 41 --class dia2"},
    {PERM, 0, run_perm, "perm --n 10"},
    {PERM, 0, run_perm, "perm --n 11"},
    {PERM, 1, run_perm, "perm --n 12"},
    {PERM, 0, run_perm_to_host, "perm --n 11 --to host"},
    {PERM, 1, run_perm_to_host, "perm --n 12 --to host"},
    {PERM, 0, run_perm_to_device, "perm --n 11 --to device"},
    {PERM, 1, run_perm_to_device, "perm --n 12 --to device"},
    {PERM, 1, run_perm_to_device, "perm --n 13 --to device"},
    {PERM, 0, run_unrank, "perm --n 12 --unrank R"},
    {PERM, 0, run_unrank, "perm --n 20 --unrank R"},
    {VISIT, 0, run_visit, "families --n 11 --fixed 0"},
    {VISIT, 1, run_visit, "families --n 12 --fixed 0"},
    {VISIT, 1, run_visit, "families --n 13 --fixed 0"},
    {VISIT, 0, run_multiset, "(2 each of 6 to device memory; answer: part of memset's speed)"},
    {VISIT, 1, run_multiset, "(2 each of 7 to device memory; answer: part of memset's speed)"},
    {TSP, 0, run_tsp, "tsp --random 11 --method brute-force"},
    {TSP, 1, run_tsp, "tsp --random 13 --method brute-force"},
    {TSP, 2, run_tsp, "tsp --random 14 --method brute-force"},
    {TSP, 3, run_tsp, "tsp --random 16 --method brute-force"},
    {TSP, 0, run_tsp, "tsp --random 16 --method held-karp"},
    {TSP, 1, run_tsp, "tsp --random 20 --method held-karp"},
    {TSP, 1, run_tsp, "tsp --random 24 --method held-karp"},
    {TSP, 3, run_tsp, "tsp --random 30 --method held-karp"},
    {TSP, 0, run_batch, "tsp --random 12 --batch 10000"},
    {TSP, 1, run_batch, "tsp --random 12 --batch 100000"},
    {TSP, 1, run_tsp, "tsp --random 60 --method branch-and-bound"},
    {TSP, 1, run_tsp_file, "tsp tests/data/tsplib/gr48.tsp"},
    {TSP, 1, run_tsp_file, "tsp tests/data/tsplib/eil51.tsp"},
    {TSP, 1, run_tsp_file, "tsp tests/data/tsplib/kroA100.tsp"},
    {TSP, 1, run_tsp_file, "tsp tests/data/tsplib/kroB100.tsp"},
    {TSP, 1, run_tsp_file, "tsp tests/data/tsplib/eil101.tsp"},
    {TSP, 2, run_tsp_file, "tsp tests/data/tsplib/pr76.tsp"},
    {TSP, 1, run_tsp_file, "tsp tests/data/tsplib/p43.atsp"},
    {TSP, 1, run_tsp_file, "tsp tests/data/tsplib/ry48p.atsp"},
    {TSP, 1, run_tsp_file, "tsp tests/data/hard_tsplib/20004_hard.tsp"},
    {TSP, 1, run_tsp_file, "tsp tests/data/hard_tsplib/25001_hard.tsp"},
    {TSP, 2, run_tsp_file, "tsp tests/data/hard_tsplib/30001_hard.tsp"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void print_case(const bench_case *which, const bench_result *result)
{
    char steps[32], speed[32];
    const combgpu_run_info *best = &result->run;
    double answer = result->answer, fill_s = result->fill_s;
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

/* The best of so many runs; the last one's status. A run that is stopped ends it. */
static combgpu_status best_of(combgpu_context *ctx, const bench_case *which, uint64_t repeat,
                              bench_result *best)
{
    combgpu_status status = COMBGPU_OK;
    uint64_t r;
    common.label = which->command;
    memset(best, 0, sizeof *best);
    for (r = 0; r < repeat && status >= 0 && status != COMBGPU_STOPPED; r++) {
        bench_result result;
        memset(&result, 0, sizeof result);
        status = which->run(ctx, which, &result);
        if (r == 0 || status == COMBGPU_STOPPED || result.run.seconds < best->run.seconds)
            *best = result;
    }
    return status;
}

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_device device;
    combgpu_run_info total;
    combgpu_status stopped = COMBGPU_OK;
    uint64_t repeat = 3;
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
    if (common.json) {
        json_string("backend", combgpu_backend_string(device.backend));
        json_string("device", device.name);
        json_open("results", '[');
    } else {
        printf("%s (%s), best of %llu\n\n", combgpu_backend_string(device.backend), device.name,
               (unsigned long long)repeat);
        printf("  seconds     steps   steps/s         answer  command\n");
    }
    for (i = 0; i < (int)CASES && stopped != COMBGPU_STOPPED; i++) {
        bench_result best;
        combgpu_status status;
        if (search != SEARCHES && (int)cases[i].search != search) continue;
        if (only ? !strstr(cases[i].command, only) : cases[i].is_long > is_long) continue;
        if (cases[i].run == run_tsp_file && access(file_of(&cases[i]), R_OK)) {
            fprintf(stderr, "bench: left out, there is no file %s here\n", file_of(&cases[i]));
            continue;
        }
        if (cases[i].run == run_perm_to_device && device.backend == COMBGPU_BACKEND_CPU) continue;
        status = best_of(ctx, &cases[i], repeat, &best);
        stopped = best.run.status;
        if (cases[i].search == PERM &&
            (status == COMBGPU_DEVICE_OUT_OF_MEMORY || status == COMBGPU_OUT_OF_MEMORY)) {
            if (!common.json)
                printf("        -         -         -              -  %s: not enough memory\n",
                       cases[i].command);
        } else if (status < 0)
            return common_failed(ctx, status);
        else if (stopped != COMBGPU_STOPPED)
            print_case(&cases[i], &best);
    }
    if (common.json) {
        json_close();
        json_string("status", combgpu_status_string(stopped));
    }
    memset(&total, 0, sizeof total);
    total.status = stopped;
    return common_end(ctx, &total);
}
