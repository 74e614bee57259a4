/* Lists the cases of combgpu bench: each a command with the same answer, and how it runs. */
#ifndef COMBGPU_EXAMPLES_BENCH_CASES_H
#define COMBGPU_EXAMPLES_BENCH_CASES_H

#include <time.h>

#include "combgpu_tsp.h"

typedef struct bench_case bench_case;

/* The result of a run. Its seconds may be those inside kernels. */
typedef struct bench_result {
    combgpu_run_info run;
    double answer;
    double fill_s; /* the best time for filling the same memory; may be 0 */
} bench_result;

typedef enum bench_search {
    BENCH_MAGIC,
    BENCH_NO3,
    BENCH_PERM,
    BENCH_VISIT,
    BENCH_TSP,
    BENCH_SEARCHES
} bench_search;
static const char *const bench_searches[] = {"magic", "no3", "perm", "visit", "tsp"};

struct bench_case {
    bench_search search;
    int is_long; /* with --long; 2: seconds on a GPU, with --only or --longest; 3: minutes */
    combgpu_status (*run)(combgpu_context *ctx, const bench_case *which, bench_result *out);
    const char *command; /* says all the rest */
};

/* The number after a word of the command, or 0. */
static double bench_number(const bench_case *which, const char *word)
{
    const char *at = strstr(which->command, word);
    return at ? strtod(at + strlen(word), NULL) : 0;
}

/* Nonzero if the command contains the words. */
static int bench_says(const bench_case *which, const char *words)
{
    return strstr(which->command, words) != NULL;
}

/* Defines NAME: a case that describes a search, runs it and keeps what it found. */
#define BENCH_RUN(name, search, describe, found)                                                   \
    static combgpu_status name(combgpu_context *ctx, const bench_case *which, bench_result *out)   \
    {                                                                                              \
        combgpu_##search##_desc desc;                                                              \
        combgpu_##search##_result result;                                                          \
        combgpu_status status;                                                                     \
        memset(&desc, 0, sizeof desc);                                                             \
        memset(&result, 0, sizeof result);                                                         \
        desc.run = run.desc;                                                                       \
        describe;                                                                                  \
        status = combgpu_##search(ctx, &desc, &result);                                            \
        out->answer = (double)(found);                                                             \
        out->run = result.run;                                                                     \
        return status;                                                                             \
    }

/* ---- magic squares */

static void describe_magic(const bench_case *which, combgpu_magic_desc *desc)
{
    desc->order = (int)bench_number(which, "--order ");
    desc->run.shard_count = (int)bench_number(which, "--shard 0/");
    desc->checksum = bench_says(which, "--checksum");
    if (bench_says(which, "semimagic")) desc->kind = COMBGPU_MAGIC_SEMI;
    if (bench_says(which, "ultramagic")) desc->kind = COMBGPU_MAGIC_ULTRAMAGIC;
    if (bench_says(which, "associative")) desc->kind = COMBGPU_MAGIC_ASSOCIATIVE;
}
BENCH_RUN(run_magic, magic, describe_magic(which, &desc), result.count)

static void describe_estimate(const bench_case *which, combgpu_magic_estimate_desc *desc)
{
    desc->order = (int)bench_number(which, "--order ");
    desc->samples = (uint64_t)bench_number(which, "--samples ");
    desc->relative_error = bench_number(which, "--error ");
}
BENCH_RUN(run_estimate, magic_estimate, describe_estimate(which, &desc), result.count)

static void describe_diagonals(const bench_case *which, combgpu_magic_diagonals_desc *desc)
{
    desc->first = (uint64_t)bench_number(which, "--diagonals ");
    desc->count = (uint64_t)bench_number(which, ":");
}
BENCH_RUN(run_diagonals, magic_diagonals, describe_diagonals(which, &desc), result.squares)

/* Writes all Frenicle forms of order 5 to device memory; on a CPU, 4 million. The first run also
   counts where each square goes. */
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
    desc->n = (int)bench_number(which, "--n ");
    while (name &&
           strcmp(name + strlen("--class "), combgpu_no3_class_string((combgpu_no3_class)c)))
        c++;
    desc->symmetry = (combgpu_no3_class)c;
}
BENCH_RUN(run_no3, no3, describe_no3(which, &desc), result.up_to_symmetry)

/* ---- permutations */

/* Takes chunks of permutations and drops them. */
static int bench_drop(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)count, (void)n, (void)user;
    return 0;
}

BENCH_RUN(run_perm, perm, (desc.n = (int)bench_number(which, "--n "), desc.solution = bench_drop),
          result.visited)

/* Unranks numbers spread over 0 .. n!-1, one a step. */
static combgpu_status run_unrank(combgpu_context *ctx, const bench_case *which, bench_result *out)
{
    const int n = (int)bench_number(which, "--n ");
    const uint64_t all = combgpu_factorial(n).lo, count = 2000000;
    uint64_t rank = all / 3, sum = 0, i;
    uint8_t perm[34];
    double begin = wall_clock();
    for (i = 0; i < count; i++) {
        combgpu_perm_unrank(ctx, n, rank, perm);
        sum += perm[i % 8];
        rank += all / 7919 + 1;
        if (rank >= all) rank -= all;
    }
    out->run.seconds = wall_clock() - begin;
    out->run.steps = count;
    out->answer = (double)sum;
    return COMBGPU_OK;
}

/* Writes all permutations of n to memory of the host or of the device. If the memory belongs to the
   backend, the seconds are those inside kernels, as memset's are. */
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
    desc.n = (int)bench_number(which, "--n ");
    desc.run = run.desc;
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
COMBGPU_PERM_VISITOR(bench_no_fixed_point, {
    int i, fixed = 0;
    for (i = 0; i < n; i++)
        fixed += perm[i] == i;
    return fixed == 0;
})

static void describe_visit(const bench_case *which, combgpu_perm_desc *desc)
{
    desc->n = (int)bench_number(which, "--n ");
    desc->goal = COMBGPU_PERM_COUNT;
    desc->visitor = &bench_no_fixed_point;
}
BENCH_RUN(run_visit, perm, describe_visit(which, &desc), result.hits)

/* Writes every arrangement of a multiset to device memory, then fills that memory by memset. The
   seconds are the device's. */
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
    memset(repeats, (int)bench_number(which, "("), sizeof repeats);
    memset(&set, 0, sizeof set);
    set.family = COMBGPU_PERM_MULTISET;
    set.n = (int)bench_number(which, "each of ");
    set.repeats = repeats;
    memset(&desc, 0, sizeof desc);
    desc.set = &set;
    desc.run = run.desc;
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

static combgpu_status bench_solve(combgpu_context *ctx, combgpu_tsp_instance *instance,
                                  combgpu_tsp_method method, bench_result *out)
{
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.instance = instance;
    desc.method = method;
    desc.run = run.desc;
    status = combgpu_tsp(ctx, &desc, &result);
    combgpu_tsp_free(ctx, instance);
    out->answer = result.length;
    out->run = result.run;
    return status;
}

static combgpu_status run_tsp(combgpu_context *ctx, const bench_case *which, bench_result *out)
{
    combgpu_tsp_instance instance;
    combgpu_status status =
        random_tsp(ctx, (int)bench_number(which, "--random "), 1, COMBGPU_TSP_EUC_2D, &instance);
    return status ? status
                  : bench_solve(ctx, &instance,
                                bench_says(which, "brute-force") ? COMBGPU_TSP_BRUTE_FORCE
                                : bench_says(which, "held-karp") ? COMBGPU_TSP_HELD_KARP
                                                                 : COMBGPU_TSP_BRANCH_AND_BOUND,
                                out);
}

/* The command's file. */
static const char *bench_file(const bench_case *which)
{
    return which->command + strlen("tsp ");
}

static combgpu_status run_tsp_file(combgpu_context *ctx, const bench_case *which, bench_result *out)
{
    combgpu_tsp_instance instance;
    combgpu_status status = combgpu_tsp_read(ctx, bench_file(which), &instance);
    return status ? status : bench_solve(ctx, &instance, COMBGPU_TSP_AUTO, out);
}

/* The answer is the length of the last tour of the list. */
static combgpu_status run_tsp_tours(combgpu_context *ctx, const bench_case *which,
                                    bench_result *out)
{
    static double lengths[COMBGPU_TSP_MAX_TOURS];
    combgpu_tsp_instance instance;
    combgpu_tsp_tours_desc desc;
    combgpu_tsp_tours_result result;
    combgpu_status status =
        random_tsp(ctx, (int)bench_number(which, "--random "), 1, COMBGPU_TSP_EUC_2D, &instance);
    if (status) return status;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.instance = &instance;
    desc.count = (int)bench_number(which, "--shortest ");
    desc.lengths = lengths;
    desc.run = run.desc;
    status = combgpu_tsp_tours(ctx, &desc, &result);
    combgpu_tsp_free(ctx, &instance);
    if (result.count) out->answer = lengths[result.count - 1];
    out->run = result.run;
    return status;
}

/* The answer is the sum of the lengths. */
static combgpu_status run_tsp_batch(combgpu_context *ctx, const bench_case *which,
                                    bench_result *out)
{
    combgpu_tsp_batch_desc desc;
    combgpu_tsp_batch_result result;
    combgpu_status status = COMBGPU_OUT_OF_MEMORY;
    const int n = (int)bench_number(which, "--random ");
    size_t count = (size_t)bench_number(which, "--batch "), all = count * (size_t)n, i;
    double *x = (double *)malloc(2 * all * sizeof *x);
    double *lengths = (double *)malloc(count * sizeof *lengths);
    uint64_t seed = 1;
    memset(&result, 0, sizeof result);
    if (x && lengths) {
        for (i = 0; i < all; i++)
            random_point(&seed, x + i, x + all + i);
        memset(&desc, 0, sizeof desc);
        desc.count = count;
        desc.n = n;
        desc.x = x;
        desc.y = x + all;
        desc.metric = COMBGPU_TSP_EUC_2D;
        desc.lengths = lengths;
        desc.run = run.desc;
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

static const bench_case bench_cases[] = {
    {BENCH_MAGIC, 0, run_magic, "magic --order 4"},
    {BENCH_MAGIC, 0, run_magic, "magic --order 5 --shard 0/100"},
    {BENCH_MAGIC, 1, run_magic, "magic --order 5"},
    {BENCH_MAGIC, 1, run_magic, "magic --order 5 --checksum"},
    {BENCH_MAGIC, 1, run_magic, "magic --order 5 --kind semimagic"},
    {BENCH_MAGIC, 0, run_magic, "magic --order 7 --kind ultramagic --shard 0/1000"},
    {BENCH_MAGIC, 2, run_magic, "magic --order 7 --kind ultramagic"},
    {BENCH_MAGIC, 0, run_magic, "magic --order 7 --kind associative --shard 0/10000000"},
    {BENCH_MAGIC, 1, run_magic, "magic --order 7 --kind associative --shard 0/100000"},
    {BENCH_MAGIC, 1, run_magic_device, "order 5, Frenicle forms to device memory"},
    {BENCH_MAGIC, 0, run_estimate, "magic --order 6 --estimate --samples 200000"},
    {BENCH_MAGIC, 2, run_estimate, "magic --order 6 --estimate --error 0.0001"},
    {BENCH_MAGIC, 1, run_estimate, "magic --order 10 --estimate --samples 200000"},
    {BENCH_MAGIC, 2, run_diagonals, "magic --diagonals 430000000000:16"},
    {BENCH_NO3, 0, run_no3, "no3 --n 10"},
    {BENCH_NO3, 0, run_no3, "no3 --n 11"},
    {BENCH_NO3, 0, run_no3, "no3 --n 12"},
    {BENCH_NO3, 1, run_no3, "no3 --n 13"},
    {BENCH_NO3, 1, run_no3, "no3 --n 14"},
    {BENCH_NO3, 1, run_no3, "no3 --n 15"},
    {BENCH_NO3, 2, run_no3, "no3 --n 16"},
    {BENCH_NO3, 3, run_no3, "no3 --n 17"},
    {BENCH_NO3, 1, run_no3, "no3 --n 28 --class rot4"},
    {BENCH_NO3, 1, run_no3, "no3 --n 30 --class rot4"},
    {BENCH_NO3, 2, run_no3, "no3 --n 36 --class rot4"},
    {BENCH_NO3, 3, run_no3, "no3 --n 40 --class rot4"},
    {BENCH_NO3, 2, run_no3, "no3 --n 37 --class near_rot4"},
    {BENCH_NO3, 3, run_no3, "no3 --n 41 --class near_rot4"},
    {BENCH_NO3, 2, run_no3, "no3 --n 26 --class ort1"},
    {BENCH_NO3, 2, run_no3, "no3 --n 25 --class rot2"},
    {BENCH_NO3, 2, run_no3, "no3 --n 25 --class dia1"},
    {BENCH_NO3, 2, run_no3, "no3 --n 41 --class dia2"},
    {BENCH_PERM, 0, run_perm, "perm --n 10"},
    {BENCH_PERM, 0, run_perm, "perm --n 11"},
    {BENCH_PERM, 1, run_perm, "perm --n 12"},
    {BENCH_PERM, 0, run_perm_to_host, "perm --n 11 --to host"},
    {BENCH_PERM, 1, run_perm_to_host, "perm --n 12 --to host"},
    {BENCH_PERM, 0, run_perm_to_device, "perm --n 11 --to device"},
    {BENCH_PERM, 1, run_perm_to_device, "perm --n 12 --to device"},
    {BENCH_PERM, 1, run_perm_to_device, "perm --n 13 --to device"},
    {BENCH_PERM, 0, run_unrank, "perm --n 12 --unrank R"},
    {BENCH_PERM, 0, run_unrank, "perm --n 20 --unrank R"},
    {BENCH_VISIT, 0, run_visit, "perm --n 11 --fixed-points 0"},
    {BENCH_VISIT, 1, run_visit, "perm --n 12 --fixed-points 0"},
    {BENCH_VISIT, 1, run_visit, "perm --n 13 --fixed-points 0"},
    {BENCH_VISIT, 0, run_multiset,
     "(2 each of 6 to device memory; answer: part of memset's speed)"},
    {BENCH_VISIT, 1, run_multiset,
     "(2 each of 7 to device memory; answer: part of memset's speed)"},
    {BENCH_TSP, 0, run_tsp, "tsp --random 11 --method brute-force"},
    {BENCH_TSP, 1, run_tsp, "tsp --random 13 --method brute-force"},
    {BENCH_TSP, 2, run_tsp, "tsp --random 14 --method brute-force"},
    {BENCH_TSP, 2, run_tsp, "tsp --random 15 --method brute-force"},
    {BENCH_TSP, 3, run_tsp, "tsp --random 16 --method brute-force"},
    {BENCH_TSP, 0, run_tsp, "tsp --random 16 --method held-karp"},
    {BENCH_TSP, 1, run_tsp, "tsp --random 20 --method held-karp"},
    {BENCH_TSP, 1, run_tsp, "tsp --random 24 --method held-karp"},
    {BENCH_TSP, 3, run_tsp, "tsp --random 30 --method held-karp"},
    {BENCH_TSP, 1, run_tsp_tours, "tsp --random 15 --shortest 1"},
    {BENCH_TSP, 1, run_tsp_tours, "tsp --random 15 --shortest 2000"},
    {BENCH_TSP, 0, run_tsp_batch, "tsp --random 12 --batch 10000"},
    {BENCH_TSP, 1, run_tsp_batch, "tsp --random 12 --batch 100000"},
    {BENCH_TSP, 1, run_tsp, "tsp --random 60 --method branch-and-bound"},
    {BENCH_TSP, 1, run_tsp_file, "tsp tests/data/tsplib/gr48.tsp"},
    {BENCH_TSP, 1, run_tsp_file, "tsp tests/data/tsplib/eil51.tsp"},
    {BENCH_TSP, 1, run_tsp_file, "tsp tests/data/tsplib/kroA100.tsp"},
    {BENCH_TSP, 1, run_tsp_file, "tsp tests/data/tsplib/kroB100.tsp"},
    {BENCH_TSP, 1, run_tsp_file, "tsp tests/data/tsplib/eil101.tsp"},
    {BENCH_TSP, 2, run_tsp_file, "tsp tests/data/tsplib/pr76.tsp"},
    {BENCH_TSP, 1, run_tsp_file, "tsp tests/data/tsplib/p43.atsp"},
    {BENCH_TSP, 1, run_tsp_file, "tsp tests/data/tsplib/ry48p.atsp"},
    {BENCH_TSP, 1, run_tsp_file, "tsp tests/data/hard_tsplib/20004_hard.tsp"},
    {BENCH_TSP, 1, run_tsp_file, "tsp tests/data/hard_tsplib/25001_hard.tsp"},
    {BENCH_TSP, 2, run_tsp_file, "tsp tests/data/hard_tsplib/30001_hard.tsp"},
};
enum { BENCH_CASES = sizeof bench_cases / sizeof bench_cases[0] };

#endif
