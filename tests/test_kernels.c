/* Every kernel with a small problem: a row of the table for each entry of the lists of kernels, whose
   answer on devices is the CPU's. tests/oclgrind.sh runs it where each access to memory is watched
   (COMBGPU_TEST_WATCHED, without the costly rows): so a row's search is small, and is cut into slices, in
   which tasks are given back. COMBGPU_TEST_LANES, COMBGPU_TEST_LOCAL and COMBGPU_TEST_DOUBLES=0 make an OpenCL
   device a smaller one: tests/test_opencl_devices.sh; COMBGPU_TEST_SUBGROUPS packs groups of lanes into its sub-groups, of that
   many lanes where that can be chosen: tests/platforms_opencl.sh. */
#include "searches.h"
#include "board.h"

typedef struct kernel_row {
    search_row search; /* its name is the kernel's; no kind: a probe or a list */
    /* a board: least words (inside_no3_begin), side, class, orbits fixed, and their seed */
    int words, n;
    combgpu_no3_class symmetry;
    int fixed;
    uint32_t seed;
    int costly; /* needs gigabytes or minutes where each access is watched */
} kernel_row;

/* ---- problems */

static void four_associative(search_desc *desc)
{
    desc->magic.order = 4;
    desc->magic.kind = COMBGPU_MAGIC_ASSOCIATIVE;
}

static void five_joined(search_desc *desc)
{
    desc->magic.order = 5;
    desc->magic.run.shard_count = 227225; /* a pair of diagonals, in its 36 ways */
    desc->magic.run.shard_index = 49380;
}

static void five_semi(search_desc *desc)
{
    desc->magic.order = 5;
    desc->magic.kind = COMBGPU_MAGIC_SEMI;
    desc->magic.run.shard_count = 5919;
    desc->magic.run.shard_index = 1234;
}

static void seven_ultra(search_desc *desc)
{
    desc->magic.order = 7;
    desc->magic.kind = COMBGPU_MAGIC_ULTRAMAGIC;
    desc->magic.run.shard_count = 240000;
    desc->magic.run.shard_index = 117;
}

static void seven_associative(search_desc *desc)
{
    desc->magic.order = 7;
    desc->magic.kind = COMBGPU_MAGIC_ASSOCIATIVE;
    desc->magic.run.shard_count = 2147483647;
    desc->magic.run.shard_index = 636337;
}

static void four_primes(search_desc *desc)
{
    static const int primes[16] = {31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101};
    static const int givens[16] = {31};
    desc->magic.order = 4;
    desc->magic.givens = givens;
    desc->magic.numbers = primes;
}

static void sampled(search_desc *desc, int order, uint64_t samples)
{
    desc->magic_estimate.order = order;
    desc->magic_estimate.samples = samples;
    desc->magic_estimate.seed = 6;
}

static void five_sampled(search_desc *desc)
{
    sampled(desc, 5, 250);
}

static void six_sampled(search_desc *desc)
{
    sampled(desc, 6, 8);
}

static void eight_sampled(search_desc *desc)
{
    sampled(desc, 8, 8);
}

static void six_counted(search_desc *desc)
{
    desc->magic_diagonals.first = UINT64_C(579022818216);
    desc->magic_diagonals.count = 1;
    desc->magic_diagonals.run.shard_count = 20000;
    desc->magic_diagonals.run.shard_index = 3;
}

static void seven_counted(search_desc *desc)
{
    desc->perm.n = 7;
    desc->perm.goal = COMBGPU_PERM_COUNT;
    desc->perm.visitor = &search_few_ascents;
}

static void seven_visited(search_desc *desc)
{
    desc->perm.n = 7;
    desc->perm.goal = COMBGPU_PERM_MAXIMUM;
    desc->perm.visitor = &search_ascents;
}

static void seven_queens(search_desc *desc)
{
    desc->perm_search.n = 7;
    desc->perm_search.searcher = &search_queens;
}

/* Written to the device's memory, to be read from there: see kernel_runs. */
static void all_written(search_desc *desc)
{
    desc->perm.n = 7;
}

static void places_written(search_desc *desc)
{
    static const combgpu_perm_set places_of_seven = {COMBGPU_PERM_PARTIAL, 7, 4, NULL};
    desc->perm.set = &places_of_seven;
}

static void multiset_written(search_desc *desc)
{
    static const uint8_t repeats[4] = {2, 1, 3, 1};
    static const combgpu_perm_set seven = {COMBGPU_PERM_MULTISET, 4, 0, repeats};
    desc->perm.set = &seven;
}

/* Cities in a street grid with ties; `more` on each way: 0.5 needs 64-bit tables. */
static const combgpu_tsp_instance *streets(int n, int symmetric, double more)
{
    static combgpu_tsp_instance instance;
    static double weights[16 * 16];
    int i;
    for (i = 0; i < n * n; i++) {
        int swap = symmetric && i / n > i % n;
        int from = swap ? i % n : i / n, to = swap ? i / n : i % n;
        weights[i] = (37 * from + 11 * to * to + 5 * from * to + 7) % 29 + 1 + more;
    }
    instance.n = n;
    instance.weights = weights;
    return &instance;
}

static void brute_narrow(search_desc *desc)
{
    desc->tsp.instance = streets(7, 0, 0);
    desc->tsp.method = COMBGPU_TSP_BRUTE_FORCE;
}

static void brute_wide(search_desc *desc)
{
    desc->tsp.instance = streets(7, 1, 0.5);
    desc->tsp.method = COMBGPU_TSP_BRUTE_FORCE;
}

static void table_narrow(search_desc *desc)
{
    desc->tsp.instance = streets(8, 0, 0);
    desc->tsp.method = COMBGPU_TSP_HELD_KARP;
}

static void table_wide(search_desc *desc)
{
    desc->tsp.instance = streets(8, 1, 0.5);
    desc->tsp.method = COMBGPU_TSP_HELD_KARP;
}

static void batch_narrow(search_desc *desc)
{
    tsp_batched(desc);
    desc->tsp_batch.count = 5;
}

/* Points, of which a device with doubles computes the distances. */
static void batch_points(search_desc *desc)
{
    static double at[2 * 5 * 7];
    int i;
    for (i = 0; i < 2 * 5 * 7; i++)
        at[i] = (double)(test_mix((uint64_t)i) % 1000) / 8;
    desc->tsp_batch.count = 5;
    desc->tsp_batch.n = 7;
    desc->tsp_batch.x = at;
    desc->tsp_batch.y = at + 5 * 7;
    desc->tsp_batch.metric = COMBGPU_TSP_EUC_2D;
}

static void batch_wide(search_desc *desc)
{
    desc->tsp_batch.count = 1;
    desc->tsp_batch.n = 8;
    desc->tsp_batch.weights = streets(8, 1, 0.5)->weights;
}

static void tours_directed(search_desc *desc)
{
    desc->tsp_tours.instance = streets(7, 0, 0);
    desc->tsp_tours.count = 20;
}

static void tours_symmetric(search_desc *desc)
{
    desc->tsp_tours.instance = streets(7, 1, 0.5);
    desc->tsp_tours.count = 20;
}

static void prism_solved(search_desc *desc, int n, double *weights)
{
    static combgpu_tsp_instance instance;
    search_prism(n, n > 12 ? 12 : n, 1, weights);
    instance.n = n;
    instance.weights = weights;
    desc->tsp.instance = &instance;
    desc->tsp.method = COMBGPU_TSP_BRANCH_AND_BOUND;
}

static void branch_narrow(search_desc *desc)
{
    static double weights[12 * 12];
    prism_solved(desc, 12, weights);
}

static void branch_wide(search_desc *desc)
{
    static double weights[132 * 132];
    prism_solved(desc, 132, weights);
}

static void branch_batch(search_desc *desc)
{
    static double weights[3 * 18 * 18];
    int i;
    for (i = 0; i < 3; i++)
        search_prism(18, 18, 100 * (uint64_t)i, weights + i * 18 * 18);
    desc->tsp_batch.count = 3;
    desc->tsp_batch.n = 18;
    desc->tsp_batch.weights = weights;
}

/* ---- the table */

enum { STEADY = SEARCH_STEADY };
#define KERNEL(name, kind, describe, can, budget)                                                  \
    {                                                                                              \
        {name, kind, describe, can, budget}, 0, 0, COMBGPU_NO3_ALL, 0, 0, 0                        \
    }
#define COSTLY(name, kind, describe, can, budget)                                                  \
    {                                                                                              \
        {name, kind, describe, can, budget}, 0, 0, COMBGPU_NO3_ALL, 0, 0, 1                        \
    }
#define BOARD(name, words, n, symmetry, fixed, seed)                                               \
    {                                                                                              \
        {"combgpu_no3_search_" name, &no3_kind, NULL, STEADY, n == 5 ? 12 : 60}, words, n,         \
            COMBGPU_NO3_##symmetry, fixed, seed, 0                                                 \
    }

static const kernel_row rows[] = {
    KERNEL("combgpu_probe4", NULL, NULL, 0, 4),
    KERNEL("combgpu_probe8", NULL, NULL, 0, 8),
    KERNEL("combgpu_probe32", NULL, NULL, 0, 32),
    KERNEL("combgpu_magic_search", &magic_kind, four_associative, STEADY, 100),
    KERNEL("combgpu_magic_join", &magic_kind, five_joined, STEADY, 600),
    KERNEL("combgpu_magic_lists", NULL, NULL, 0, 0),
    KERNEL("combgpu_magic_four", &magic_kind, magic_4, STEADY, 2000),
    KERNEL("combgpu_magic_ultra", &magic_kind, seven_ultra, STEADY, 30),
    COSTLY("combgpu_magic_associative", &magic_kind, seven_associative, STEADY, 2),
    KERNEL("combgpu_magic_semi", &magic_kind, five_semi, STEADY, 1),
    KERNEL("combgpu_magic_samples", &magic_estimate_kind, five_sampled, STEADY, 20),
    KERNEL("combgpu_magic_arranged", &magic_estimate_kind, six_sampled, STEADY, 8),
    KERNEL("combgpu_magic_arranged_wide", &magic_estimate_kind, eight_sampled, STEADY, 8),
    COSTLY("combgpu_magic_six", &magic_diagonals_kind, six_counted, STEADY, 100),
    KERNEL("combgpu_magic_ranks", &magic_kind, four_primes, STEADY, 1000),
    BOARD("solo", 0, 8, ALL, 2, 1),
    BOARD("solo17", 0, 17, ALL, 16, 1),
    BOARD("solo18", 0, 18, ALL, 17, 1),
    BOARD("solo19", 0, 19, ALL, 18, 1),
    BOARD("solo20", 0, 20, ALL, 19, 1),
    BOARD("solo21", 0, 21, ALL, 20, 1),
    BOARD("24", 24, 7, ALL, 2, 1),
    BOARD("fold", 20, 10, ROT4, 0, 0),
    BOARD("fold_odd", 20, 13, NEAR_ROT4, 0, 0),
    BOARD("half", 20, 8, ROT2, 0, 0),
    BOARD("half_ort1", 20, 6, ORT1, 0, 0),
    BOARD("fold24", 24, 10, ROT4, 0, 0),
    BOARD("fold32", 0, 50, ROT4, 9, 1),
    BOARD("dia2_24", 24, 8, DIA2, 0, 0),
    BOARD("dia2_32", 0, 48, DIA2, 9, 1),
    BOARD("ort1_24", 24, 6, ORT1, 0, 0),
    BOARD("dia1_24", 24, 7, DIA1, 0, 0),
    BOARD("16", 0, 12, ROT4, 0, 0),
    BOARD("32", 32, 5, ALL, 0, 0),
    BOARD("48", 48, 5, ALL, 0, 0),
    BOARD("48w", 49, 5, ALL, 0, 0),
    BOARD("64", 64, 5, ALL, 0, 0),
    BOARD("64w", 65, 5, ALL, 0, 0),
    BOARD("128w", 128, 5, ALL, 0, 0),
    BOARD("192w", 192, 5, ALL, 0, 0),
    KERNEL("combgpu_perm_write", &perm_kind, all_written, STEADY, 300),
    KERNEL("combgpu_perm_write_set", &perm_kind, places_written, STEADY, 300),
    KERNEL("combgpu_perm_write_multiset", &perm_kind, multiset_written, STEADY, 300),
    KERNEL("combgpu_perm_visit", &perm_kind, seven_counted, STEADY, 500),
    KERNEL("combgpu_perm_visit", &perm_kind, seven_visited, 0, 500),
    KERNEL("combgpu_perm_tree", &perm_search_kind, seven_queens, STEADY, 50),
    KERNEL("combgpu_tsp_brute", &tsp_kind, brute_narrow, STEADY, 200),
    KERNEL("combgpu_tsp_brute", &tsp_kind, brute_wide, STEADY, 200),
    KERNEL("combgpu_tsp_table", &tsp_kind, table_narrow, STEADY, 300),
    KERNEL("combgpu_tsp_table", &tsp_kind, table_wide, STEADY, 300),
    KERNEL("combgpu_tsp_batched", &tsp_batch_kind, batch_narrow, STEADY, 100),
    KERNEL("combgpu_tsp_batched", &tsp_batch_kind, batch_wide, STEADY, 100),
    KERNEL("combgpu_tsp_batched", &tsp_batch_kind, batch_points, STEADY, 100),
    KERNEL("combgpu_tsp_shortest", &tsp_tours_kind, tours_directed, STEADY, 100),
    KERNEL("combgpu_tsp_shortest", &tsp_tours_kind, tours_symmetric, STEADY, 100),
    COSTLY("combgpu_tsp_branch", &tsp_kind, branch_narrow, 0, 16),
    COSTLY("combgpu_tsp_branch_wide", &tsp_kind, branch_wide, 0, 4),
    COSTLY("combgpu_tsp_branch_batch", &tsp_batch_kind, branch_batch, 0, 16),
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

/* ---- runs */

static search_desc describe(const kernel_row *row)
{
    search_desc desc;
    if (row->search.describe) return search_describe(&row->search);
    memset(&desc, 0, sizeof desc);
    desc.no3.n = row->n;
    desc.no3.symmetry = row->symmetry;
    if (row->fixed) {
        board_fix(row->n, row->symmetry, row->fixed, row->seed);
        desc.no3.on = board_on;
    }
    return desc;
}

static combgpu_status begin(combgpu_context *ctx, const kernel_row *row, const search_desc *desc,
                            combgpu_job **job)
{
    combgpu_status status;
    if (row->search.kind == &no3_kind) return inside_no3_begin(ctx, &desc->no3, row->words, job);
    status = row->search.kind->begin(ctx, desc, job);
    if (!status && row->search.kind == &tsp_kind &&
        desc->tsp.method == COMBGPU_TSP_BRANCH_AND_BOUND)
        inside_tsp_on_device(*job);
    return status;
}

static int in_its_place; /* nonzero: the CPU worked in the device's place */
static int packed;       /* nonzero: groups of lanes shared a sub-group */

/* Runs a search in slices of the row's budget. *ran: slices with the row's kernel. */
static combgpu_status run(combgpu_context *ctx, const kernel_row *row, search_answer *answer,
                          int *ran)
{
    static uint8_t written[5040 * 7];
    search_desc desc = describe(row);
    search_result result;
    combgpu_status status;
    combgpu_job *job;
    const int writes = row->search.kind == &perm_kind && !desc.perm.visitor;
    memset(written, 0, sizeof written);
    status =
        writes ? combgpu_device_allocate(ctx, sizeof written, &desc.perm.device_out) : COMBGPU_OK;
    if (!status && writes) status = combgpu_device_fill(ctx, &desc.perm.device_out, 0, NULL);
    if (!status) status = begin(ctx, row, &desc, &job);
    if (status) return status;
    do {
        const char *kernel = inside_kernel(job);
        *ran += kernel && !strcmp(kernel, row->search.name);
        inside_set_budget(job, (uint32_t)row->search.budget);
    } while (combgpu_step(job) == COMBGPU_RUNNING);
    in_its_place = inside_on_cpu(job);
#ifdef COMBGPU_OPENCL
    packed = !in_its_place && inside_packed(job);
#endif
    status = row->search.kind->end(job, &result);
    if (status) return status;
    *answer = search_answer_of(&row->search, &result);
    if (!writes) return status;
    status = combgpu_device_read(ctx, &desc.perm.device_out, 0, written, sizeof written);
    combgpu_device_release(ctx, &desc.perm.device_out);
    search_says(answer, test_fnv(written, sizeof written));
    return status;
}

/* A probe knows its answer. */
static combgpu_status run_probe(combgpu_context *ctx, const kernel_row *row, search_answer *answer,
                                int *ran)
{
    *ran = 1;
    memset(answer, 0, sizeof *answer);
    return inside_probe(ctx, row->search.budget);
}

/* How many squares of order 5 a pair of diagonals has. */
static combgpu_status run_list(combgpu_context *ctx, const kernel_row *row, search_answer *answer,
                               int *ran)
{
    static uint32_t counts[INSIDE_MAGIC_PAIRS];
    combgpu_status status;
    (void)row;
    memset(counts, 0, sizeof counts);
    *ran = 1;
    status = inside_magic_list_counts(ctx, 1, 1010, 1011, counts);
    memset(answer, 0, sizeof *answer);
    search_says(answer, counts[1010]);
    search_says(answer, test_fnv(counts, sizeof counts));
    return status;
}

/* The number in COMBGPU_TEST_LANES, _LOCAL, _DOUBLES or _SUBGROUPS. */
static size_t most(const char *what)
{
    char name[32];
    snprintf(name, sizeof name, "COMBGPU_TEST_%s", what);
    return getenv(name) ? (size_t)atoi(getenv(name)) : SIZE_MAX;
}

/* In the memory of `small`, unless that is too little. */
static void test_row(combgpu_context *cpu, combgpu_context *small, combgpu_context *ctx,
                     const kernel_row *row)
{
    combgpu_status (*const work)(combgpu_context *, const kernel_row *, search_answer *, int *) =
        row->search.kind                    ? run
        : strstr(row->search.name, "probe") ? run_probe
                                            : run_list;
    search_answer want, got;
    int ran = 0, unused = 0;
    combgpu_status status = work(cpu, row, &want, &unused);
    in_its_place = packed = 0;
    if (!status) status = work(small, row, &got, &ran);
    if (status == COMBGPU_DEVICE_OUT_OF_MEMORY && small != ctx) status = work(ctx, row, &got, &ran);
    if (status == COMBGPU_UNSUPPORTED && (most("LANES") != SIZE_MAX || most("LOCAL") != SIZE_MAX))
        ok(strstr(combgpu_message(ctx), " needs ") != NULL, "%s: refused: %s", row->search.name,
           combgpu_message(ctx));
    else if (status)
        equal_status(*combgpu_message(ctx) ? ctx : cpu, status, COMBGPU_OK, "%s", row->search.name);
    else
        ok(search_equal(&got, &want) && ran, "%s: the CPU's answer (slices: %d%s)",
           row->search.name, ran,
           in_its_place ? ", by the CPU in the device's place"
           : packed     ? ", groups in sub-groups"
                        : "");
}

static void test_complete(void)
{
    const char *name;
    int i, k, missing = 0;
    for (i = 0; (name = inside_kernel_name(i)) != NULL; i++) {
        for (k = 0; k < ROWS && strcmp(rows[k].search.name, name) != 0;)
            k++;
        missing += k == ROWS;
        if (k == ROWS) printf("# no row: %s\n", name);
    }
    if (i)
        ok(!missing, "each of %d kernels has a row", i);
    else
        skip("built without a device's backend", "each kernel has a row");
}

int main(void)
{
    const char *only = getenv("COMBGPU_TEST_KERNEL"); /* its rows alone */
    const int watched = getenv("COMBGPU_TEST_WATCHED") != NULL;
    combgpu_context *cpu, *ctx, *small;
    combgpu_context_desc open;
    combgpu_device device;
    int place, k;
    test_complete();
    if (!test_open(0, &cpu)) return tap_end();
    for (place = 2; place < TEST_PLACES; place++) {
        if (!test_open(place, &ctx)) continue;
        memset(&device, 0, sizeof device);
        combgpu_context_device(ctx, &device);
        printf("# %s\n", device.name);
#ifdef COMBGPU_OPENCL
        inside_limit_device(ctx, most("LANES"), most("LOCAL"), most("DOUBLES") != 0);
        if (most("SUBGROUPS") != SIZE_MAX && !inside_pack(ctx, most("SUBGROUPS")))
            printf("# no sub-groups\n");
#endif
        /* a watched device makes a record for each byte of a job's memory */
        open = test_context(place);
        open.memory_limit = 15000000;
        small = ctx;
        if (watched) combgpu_open(&small, &open); /* if it is not open, every row says so */
        for (k = 0; k < ROWS; k++)
            if ((!only || !*only || !strcmp(rows[k].search.name, only)) &&
                !(watched && rows[k].costly))
                test_row(cpu, small, ctx, &rows[k]);
        if (small != ctx) combgpu_close(small);
        combgpu_close(ctx);
    }
    combgpu_close(cpu);
    return tap_end();
}
