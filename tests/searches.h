/* The table of all searches that the contract tests share: what holds for every search is tested
   for each row alike (test_contract.c). A new search is a row; a new entry point is a kind as well.
   Every row takes some milliseconds on a CPU core. */
#ifndef COMBGPU_TEST_SEARCHES_H
#define COMBGPU_TEST_SEARCHES_H

#include "test.h"

typedef union search_desc {
    combgpu_magic_desc magic;
    combgpu_magic_estimate_desc estimate;
    combgpu_magic_diagonals_desc diagonals;
    combgpu_no3_desc no3;
    combgpu_perm_desc perm;
    combgpu_perm_search_desc search;
    combgpu_tsp_desc tsp;
    combgpu_tsp_tours_desc tours;
    combgpu_tsp_windows_desc windows;
    combgpu_tsp_batch_desc batch;
} search_desc;

typedef union search_result {
    combgpu_magic_result magic;
    combgpu_magic_estimate_result estimate;
    combgpu_magic_diagonals_result diagonals;
    combgpu_no3_result no3;
    combgpu_perm_result perm;
    combgpu_perm_search_result search;
    combgpu_tsp_result tsp;
    combgpu_tsp_tours_result tours;
    combgpu_tsp_windows_result windows;
    combgpu_tsp_batch_result batch;
} search_result;

/* What a result says, as words: equal wherever and however the search ran. Of shards, the first
   `added` words add up; the others belong to the best one, which has the smallest words. */
typedef struct search_answer {
    int added, count;
    uint64_t words[40];
} search_answer;

/* An entry point: combgpu_NAME, its _begin and its _end. NULL descriptions and results go through.
   */
typedef struct search_kind {
    const char *name;
    combgpu_status (*once)(combgpu_context *ctx, const search_desc *desc, search_result *result);
    combgpu_status (*begin)(combgpu_context *ctx, const search_desc *desc, combgpu_job **job);
    combgpu_status (*end)(combgpu_job *job, search_result *result);
    combgpu_run_desc *(*run)(search_desc *desc);
    const combgpu_run_info *(*info)(const search_result *result);
    void (*says)(const search_result *result, search_answer *answer);
} search_kind;

enum {
    SEARCH_SHARDS = 1,   /* parts add up */
    SEARCH_STEADY = 2,   /* equal steps and checksum wherever it runs */
    SEARCH_VERIFIED = 4, /* run.verify applies */
    SEARCH_WRITES = 8    /* it fills memory of the caller's, too: search_written */
};

typedef struct search_row {
    const char *name; /* stable */
    const search_kind *kind;
    void (*describe)(search_desc *desc); /* desc has been zeroed */
    int can;
    int budget; /* steps of a slice that cut it into some ten pieces */
} search_row;

TEST_HELPER void search_says(search_answer *answer, uint64_t word)
{
    answer->words[answer->count++] = word;
}

/* ---- kinds */

#define SEARCH_KIND(name, member)                                                                  \
    static combgpu_status name##_once(combgpu_context *ctx, const search_desc *desc,               \
                                      search_result *result)                                       \
    {                                                                                              \
        return combgpu_##name(ctx, desc ? &desc->member : NULL, result ? &result->member : NULL);  \
    }                                                                                              \
    static combgpu_status name##_start(combgpu_context *ctx, const search_desc *desc,              \
                                       combgpu_job **job)                                          \
    {                                                                                              \
        return combgpu_##name##_begin(ctx, desc ? &desc->member : NULL, job);                      \
    }                                                                                              \
    static combgpu_status name##_finish(combgpu_job *job, search_result *result)                   \
    {                                                                                              \
        return combgpu_##name##_end(job, result ? &result->member : NULL);                         \
    }                                                                                              \
    static combgpu_run_desc *name##_run(search_desc *desc)                                         \
    {                                                                                              \
        return &desc->member.run;                                                                  \
    }                                                                                              \
    static const combgpu_run_info *name##_info(const search_result *result)                        \
    {                                                                                              \
        return &result->member.run;                                                                \
    }                                                                                              \
    static const search_kind name##_kind = {"combgpu_" #name, name##_once, name##_start,           \
                                            name##_finish,    name##_run,  name##_info,            \
                                            name##_says}

static void magic_says(const search_result *result, search_answer *answer)
{
    int c;
    search_says(answer, result->magic.count);
    search_says(answer, result->magic.up_to_d4);
    search_says(answer, result->magic.up_to_m_group);
    for (c = 0; c <= 25; c++)
        search_says(answer, result->magic.by_centre[c]);
    answer->added = answer->count;
}

static void magic_estimate_says(const search_result *result, search_answer *answer)
{
    int i;
    search_says(answer, result->estimate.samples);
    for (i = 0; i < 2; i++)
        search_says(answer, result->estimate.sum[i]);
    for (i = 0; i < 4; i++)
        search_says(answer, result->estimate.squares[i]);
    answer->added = answer->count;
}

static void magic_diagonals_says(const search_result *result, search_answer *answer)
{
    search_says(answer, result->diagonals.squares);
    answer->added = answer->count;
}

static void no3_says(const search_result *result, search_answer *answer)
{
    int i;
    search_says(answer, result->no3.all);
    search_says(answer, result->no3.up_to_symmetry);
    for (i = 0; i < COMBGPU_NO3_CLASS_COUNT; i++)
        search_says(answer, result->no3.classes[i]);
    answer->added = answer->count;
}

/* The best value comes negated where the greatest wins: see perm_maximum. */
static void perm_says(const search_result *result, search_answer *answer)
{
    const combgpu_perm_result *r = &result->perm;
    search_says(answer, r->visited);
    search_says(answer, r->hits);
    search_says(answer, r->sum.lo);
    search_says(answer, r->outside);
    answer->added = answer->count;
    search_says(answer, 1000 - (uint64_t)r->best_value);
    search_says(answer, r->best_rank);
    search_says(answer, test_fnv(r->best, sizeof r->best));
}

/* The best member as a number: the first is the smallest. */
static void perm_search_says(const search_result *result, search_answer *answer)
{
    const combgpu_perm_search_result *r = &result->search;
    uint64_t member = 0;
    int i;
    for (i = 0; i < 8; i++)
        member = member << 8 | r->best[i];
    search_says(answer, r->hits);
    search_says(answer, r->sum.lo);
    search_says(answer, r->outside);
    answer->added = answer->count;
    search_says(answer, (uint64_t)r->best_value);
    search_says(answer, member);
}

static void tsp_says(const search_result *result, search_answer *answer)
{
    int i;
    search_says(answer, result->tsp.tours);
    answer->added = answer->count;
    search_says(answer, (uint64_t)result->tsp.length);
    for (i = 0; i < result->tsp.n && result->tsp.method != COMBGPU_TSP_BRANCH_AND_BOUND; i++)
        search_says(answer, (uint64_t)result->tsp.tour[i]);
}

static void tsp_batch_says(const search_result *result, search_answer *answer)
{
    search_says(answer, result->batch.solved);
    search_says(answer, result->batch.bounded);
    answer->added = answer->count;
}

/* A shard may have no tour at all. */
static void tsp_tours_says(const search_result *result, search_answer *answer)
{
    const combgpu_tsp_tours_result *r = &result->tours;
    answer->added = answer->count;
    search_says(answer, r->optima ? (uint64_t)r->length : UINT64_MAX);
}

static void tsp_windows_says(const search_result *result, search_answer *answer)
{
    answer->added = answer->count;
    search_says(answer, (uint64_t)result->windows.length);
    search_says(answer, (uint64_t)result->windows.end);
}

SEARCH_KIND(magic, magic);
SEARCH_KIND(magic_estimate, estimate);
SEARCH_KIND(magic_diagonals, diagonals);
SEARCH_KIND(no3, no3);
SEARCH_KIND(perm, perm);
SEARCH_KIND(perm_search, search);
SEARCH_KIND(tsp, tsp);
SEARCH_KIND(tsp_tours, tours);
SEARCH_KIND(tsp_windows, windows);
SEARCH_KIND(tsp_batch, batch);

static const search_kind *const search_kinds[] = {
    &magic_kind,    &magic_estimate_kind, &magic_diagonals_kind,
    &no3_kind,      &perm_kind,           &perm_search_kind,
    &tsp_kind,      &tsp_tours_kind,      &tsp_windows_kind,
    &tsp_batch_kind};
#define SEARCH_KINDS ((int)(sizeof search_kinds / sizeof search_kinds[0]))

/* ---- rows */

static uint8_t search_written[5040 * 7]; /* what a SEARCH_WRITES row writes, tight */
static uint64_t search_bins[8];

COMBGPU_PERM_VISITOR(search_ascents, {
    int i, sum = 0;
    (void)data;
    for (i = 0; i + 1 < n; i++)
        sum += perm[i] < perm[i + 1];
    return sum;
})

COMBGPU_PERM_VISITOR(search_few_ascents, {
    int i, sum = 0;
    (void)data;
    for (i = 0; i + 1 < n; i++)
        sum += perm[i] < perm[i + 1];
    return sum < 2;
})

/* Sizes that only a GPU needs: more workers than a CPU has. */
static int search_brief(void)
{
    static int brief = -1;
    if (brief < 0) brief = test_small() || !test_has_gpu();
    return brief;
}

static void no3_all(search_desc *desc)
{
    desc->no3.n = test_small() ? 7 : 8;
}

static void no3_rot4(search_desc *desc)
{
    desc->no3.n = test_small() ? 12 : 16;
    desc->no3.symmetry = COMBGPU_NO3_ROT4;
}

static void magic_4(search_desc *desc)
{
    desc->magic.order = 4;
}

static void magic_givens(search_desc *desc)
{
    static int givens[25] = {17, 24, 1, 8, 15, 0, 0, 7};
    givens[5] = search_brief() ? 23 : 0;
    desc->magic.order = 5;
    desc->magic.givens = givens;
}

/* Most-perfect squares of order 8 that begin with 1 62 (3). */
static void magic_equations(search_desc *desc)
{
    static int givens[64] = {1, 62};
    givens[2] = search_brief() ? 4 : 0;
    desc->magic.order = 8;
    desc->magic.kind = COMBGPU_MAGIC_MOST_PERFECT;
    desc->magic.givens = givens;
}

static void magic_joined(search_desc *desc)
{
    desc->magic.order = 5;
    desc->magic.run.shard_count = test_small() ? 40000 : 8000;
    desc->magic.run.shard_index = 17;
}

static void magic_lifted(search_desc *desc)
{
    desc->magic.order = 7;
    desc->magic.kind = COMBGPU_MAGIC_ULTRAMAGIC;
    desc->magic.run.shard_count = search_brief() ? 60000 : 10000;
    desc->magic.run.shard_index = 29;
}

static void magic_parted(search_desc *desc)
{
    desc->magic.order = 7;
    desc->magic.kind = COMBGPU_MAGIC_ASSOCIATIVE;
    desc->magic.run.shard_count = search_brief() ? 800000000 : 200000000;
    desc->magic.run.shard_index = 29;
}

static void magic_sampled(search_desc *desc)
{
    desc->estimate.order = 5;
    desc->estimate.samples = test_small() ? 500 : 5000;
    desc->estimate.seed = 7;
}

static void magic_pandiagonal_sampled(search_desc *desc)
{
    desc->estimate.order = 7;
    desc->estimate.kind = COMBGPU_MAGIC_PANDIAGONAL;
    desc->estimate.samples = search_brief() ? 60 : 300;
    desc->estimate.seed = 7;
}

/* A configuration with few sets: of 32 steps three or four, or two. */
static void magic_six(search_desc *desc)
{
    desc->diagonals.first = UINT64_C(123456789012);
    desc->diagonals.count = 1;
    desc->diagonals.run.shard_count = test_small() ? 16 : 10;
    desc->diagonals.run.shard_index = 3;
}

static void perm_written(search_desc *desc)
{
    desc->perm.n = 7;
    desc->perm.out = search_written;
    desc->perm.out_bytes = sizeof search_written;
}

static void perm_count(search_desc *desc)
{
    desc->perm.n = 8;
    desc->perm.goal = COMBGPU_PERM_COUNT;
    desc->perm.visitor = &search_few_ascents;
}

static void perm_maximum(search_desc *desc)
{
    desc->perm.n = 8;
    desc->perm.goal = COMBGPU_PERM_MAXIMUM;
    desc->perm.visitor = &search_ascents;
}

static void perm_sum(search_desc *desc)
{
    desc->perm.n = 8;
    desc->perm.goal = COMBGPU_PERM_SUM;
    desc->perm.visitor = &search_ascents;
}

static void perm_histogram(search_desc *desc)
{
    desc->perm.n = 8;
    desc->perm.goal = COMBGPU_PERM_HISTOGRAM;
    desc->perm.visitor = &search_ascents;
    desc->perm.bins = 8;
    desc->perm.histogram = search_bins;
}

static void perm_multiset(search_desc *desc)
{
    static const uint8_t repeats[4] = {2, 3, 1, 2};
    static const combgpu_perm_set set = {COMBGPU_PERM_MULTISET, 4, 0, repeats};
    desc->perm.set = &set;
    desc->perm.goal = COMBGPU_PERM_COUNT;
    desc->perm.visitor = &search_few_ascents;
}

/* Queens that do not attack each other; a value is the sum of row times column. */
COMBGPU_PERM_SEARCH(search_queens, state({
                        uint32_t up;
                        uint32_t down;
                        int32_t sum;
                    }),
                    allowed({ return ~(uint64_t)(state->up | state->down); }), step({
                        state->up = (state->up | 1u << value) << 1;
                        state->down = (state->down | 1u << value) >> 1;
                        state->sum += place * value;
                        return 1;
                    }),
                    bound({ return state->sum; }), leaf({ return state->sum; }))

static void perm_search_count(search_desc *desc)
{
    desc->search.n = test_small() ? 8 : 9;
    desc->search.searcher = &search_queens;
}

static void perm_search_least(search_desc *desc)
{
    perm_search_count(desc);
    desc->search.goal = COMBGPU_SEARCH_MINIMUM;
}

static void perm_search_sum(search_desc *desc)
{
    perm_search_count(desc);
    desc->search.goal = COMBGPU_SEARCH_SUM;
}

static void perm_search_histogram(search_desc *desc)
{
    perm_search_count(desc);
    desc->search.goal = COMBGPU_SEARCH_HISTOGRAM;
    desc->search.bins = 8;
    desc->search.histogram = search_bins;
    desc->search.bin_first = 100;
    desc->search.bin_width = 5;
}

/* One-way streets with many ties. */
static const combgpu_tsp_instance *search_cities(void)
{
    static combgpu_tsp_instance instance;
    static double weights[9 * 9];
    int i;
    for (i = 0; i < 81; i++)
        weights[i] = i * 37 % 19;
    instance.n = 9;
    instance.weights = weights;
    return &instance;
}

/* Two triangles joined by three paths of m / 3 cities: the root's bound is far below the best tour, which goes
   along one path twice. The cities from m on lie in a row between cities 3 and 0. */
TEST_HELPER void search_prism(int n, int m, uint64_t seed, double *weights)
{
    int i, j, k;
    for (i = 0; i < n * n; i++)
        weights[i] = i / n == i % n ? 0 : 1e6;
    for (i = 0; i < m; i++)
        for (k = 0; k < 2; k++) {
            int ends = i < 3 || i >= m - 3, to = k ? i + 3 : i % 3 == 2 ? i - 2 : i + 1;
            if (k ? i >= m - 3 : !ends) continue;
            weights[i * n + to] = weights[to * n + i] = 100 + (double)(test_mix(seed++) % 5);
        }
    for (i = m; i < n; i++) {
        int to = i + 1 < n ? i + 1 : 0;
        weights[i * n + to] = weights[to * n + i] = 1;
    }
    if (n > m) {
        weights[3 * n + m] = weights[m * n + 3] = 100;
        weights[3] = weights[3 * n] = 1e6;
    }
    for (k = 0; k < n; k++)
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                if (weights[i * n + k] + weights[k * n + j] < weights[i * n + j])
                    weights[i * n + j] = weights[i * n + k] + weights[k * n + j];
}

static void tsp_brute(search_desc *desc)
{
    desc->tsp.instance = search_cities();
    desc->tsp.method = COMBGPU_TSP_BRUTE_FORCE;
}

static void tsp_table(search_desc *desc)
{
    desc->tsp.instance = search_cities();
    desc->tsp.method = COMBGPU_TSP_HELD_KARP;
}

static void tsp_bounds(search_desc *desc)
{
    desc->tsp.instance = search_cities();
    desc->tsp.method = COMBGPU_TSP_BRANCH_AND_BOUND;
}

/* The same with precedence. */
static void tsp_pairs(search_desc *desc)
{
    static int pairs[8] = {7, 2, 2, 5, 8, 4, 3, 1};
    static combgpu_tsp_instance instance;
    instance = *search_cities();
    instance.before = pairs;
    instance.before_count = 4;
    desc->tsp.instance = &instance;
}

static void tsp_heuristic(search_desc *desc)
{
    desc->tsp.instance = search_cities();
    desc->tsp.method = COMBGPU_TSP_HEURISTIC;
    desc->tsp.kicks = 500;
}

static void tsp_shortest(search_desc *desc)
{
    desc->tours.instance = search_cities();
    desc->tours.count = 50;
}

/* Paths with precedence, counted alone. */
static void tsp_shortest_paths(search_desc *desc)
{
    static int pairs[4] = {7, 2, 3, 1};
    static combgpu_tsp_instance instance;
    instance = *search_cities();
    instance.before = pairs;
    instance.before_count = 2;
    desc->tours.instance = &instance;
    desc->tours.shape = COMBGPU_TSP_PATH;
}

static void tsp_in_windows(search_desc *desc)
{
    static const double ready[9] = {0, 20, 0, 0, 5, 30, 0, 10, 0};
    static const double due[9] = {99, 60, 50, 90, 40, 70, 99, 60, 80};
    desc->windows.instance = search_cities();
    desc->windows.ready = ready;
    desc->windows.due = due;
}

static void tsp_batched(search_desc *desc)
{
    static int32_t weights[60 * 7 * 7];
    int i;
    for (i = 0; i < 60 * 49; i++)
        weights[i] = (int32_t)(test_mix((uint64_t)i) % 100);
    desc->batch.count = 60;
    desc->batch.n = 7;
    desc->batch.int_weights = weights;
}

/* By branch and bound, to a limit of steps that some come to. */
static void tsp_batched_large(search_desc *desc)
{
    enum { COUNT = 24, CITIES = 18 };
    static double x[COUNT * CITIES], y[COUNT * CITIES];
    int i;
    for (i = 0; i < COUNT * CITIES; i++) {
        x[i] = (double)(test_mix((uint64_t)i) % 100);
        y[i] = (double)(test_mix((uint64_t)i + 12345) % 100);
    }
    desc->batch.count = COUNT;
    desc->batch.n = CITIES;
    desc->batch.x = x;
    desc->batch.y = y;
    desc->batch.metric = COMBGPU_TSP_PLANE;
    desc->batch.instance_steps = 20;
}

enum { SEARCH_ALL_OF_IT = SEARCH_SHARDS | SEARCH_STEADY | SEARCH_VERIFIED };

static const search_row search_rows[] = {
    {"no3", &no3_kind, no3_all, SEARCH_ALL_OF_IT, 500},
    {"no3 of a class", &no3_kind, no3_rot4, SEARCH_ALL_OF_IT, 500},
    {"magic order 4", &magic_kind, magic_4, SEARCH_ALL_OF_IT, 20000},
    {"magic order 5 with givens", &magic_kind, magic_givens, SEARCH_ALL_OF_IT, 2000},
    {"magic by equations", &magic_kind, magic_equations, SEARCH_ALL_OF_IT, 20000},
    {"magic order 5", &magic_kind, magic_joined, SEARCH_STEADY | SEARCH_VERIFIED, 30},
    {"magic ultra", &magic_kind, magic_lifted, SEARCH_STEADY | SEARCH_VERIFIED, 30},
    {"magic associative", &magic_kind, magic_parted, SEARCH_STEADY | SEARCH_VERIFIED, 20},
    {"magic estimate", &magic_estimate_kind, magic_sampled, SEARCH_ALL_OF_IT, 200},
    {"magic estimate by lifting", &magic_estimate_kind, magic_pandiagonal_sampled, SEARCH_ALL_OF_IT,
     40},
    {"magic diagonals", &magic_diagonals_kind, magic_six, SEARCH_STEADY | SEARCH_VERIFIED, 1},
    {"permutations written", &perm_kind, perm_written,
     SEARCH_SHARDS | SEARCH_STEADY | SEARCH_WRITES, 300},
    {"permutations counted", &perm_kind, perm_count, SEARCH_ALL_OF_IT, 2000},
    {"permutations, greatest", &perm_kind, perm_maximum, SEARCH_VERIFIED | SEARCH_SHARDS, 2000},
    {"permutations, sum", &perm_kind, perm_sum, SEARCH_VERIFIED | SEARCH_SHARDS, 2000},
    {"permutations, histogram", &perm_kind, perm_histogram, SEARCH_ALL_OF_IT, 2000},
    {"multisets counted", &perm_kind, perm_multiset, SEARCH_ALL_OF_IT, 100},
    {"permutation search", &perm_search_kind, perm_search_count, SEARCH_ALL_OF_IT, 200},
    {"permutation search, least", &perm_search_kind, perm_search_least, SEARCH_SHARDS, 100},
    {"permutation search, sum", &perm_search_kind, perm_search_sum, SEARCH_ALL_OF_IT, 200},
    {"permutation search, histogram", &perm_search_kind, perm_search_histogram, SEARCH_ALL_OF_IT,
     200},
    {"tsp, brute force", &tsp_kind, tsp_brute, SEARCH_ALL_OF_IT, 2000},
    {"tsp, Held-Karp", &tsp_kind, tsp_table, SEARCH_STEADY, 1000},
    {"tsp, branch and bound", &tsp_kind, tsp_bounds, 0, 4},
    {"tsp with precedence", &tsp_kind, tsp_pairs, 0, 4},
    {"tsp, heuristic", &tsp_kind, tsp_heuristic, SEARCH_STEADY, 500},
    {"tsp, shortest tours", &tsp_tours_kind, tsp_shortest, SEARCH_ALL_OF_IT, 400},
    {"tsp, shortest paths with precedence", &tsp_tours_kind, tsp_shortest_paths, SEARCH_ALL_OF_IT,
     400},
    {"tsp, time windows", &tsp_windows_kind, tsp_in_windows, SEARCH_STEADY, 200},
    {"tsp batch", &tsp_batch_kind, tsp_batched, SEARCH_ALL_OF_IT, 500},
    {"tsp batch, branch and bound", &tsp_batch_kind, tsp_batched_large, SEARCH_ALL_OF_IT, 2000},
};
#define SEARCH_ROWS ((int)(sizeof search_rows / sizeof search_rows[0]))

TEST_HELPER search_desc search_describe(const search_row *row)
{
    search_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(search_written, 0xee, sizeof search_written);
    row->describe(&desc);
    return desc;
}

/* What the result says: the run's facts where they do not depend on who ran it, then the answer. */
TEST_HELPER search_answer search_answer_of(const search_row *row, const search_result *result)
{
    const combgpu_run_info *info = row->kind->info(result);
    search_answer answer;
    int added, steady = (row->can & SEARCH_STEADY) != 0;
    memset(&answer, 0, sizeof answer);
    search_says(&answer, info->tasks_left);
    search_says(&answer, steady ? info->steps : 0);
    search_says(&answer, steady ? info->checksum : 0);
    added = answer.count;
    row->kind->says(result, &answer);
    if (answer.added < added) answer.added = added;
    return answer;
}

/* Equal answers, as one test point; the first words that differ are shown. */
TEST_HELPER int search_equal(const search_answer *got, const search_answer *want)
{
    int i;
    for (i = 0; i < want->count; i++)
        if (got->words[i] != want->words[i]) {
            printf("# word %d: got %llu, want %llu\n", i, (unsigned long long)got->words[i],
                   (unsigned long long)want->words[i]);
            return 0;
        }
    return got->count == want->count;
}

/* Adds a shard's answer. */
TEST_HELPER void search_add(search_answer *sum, const search_answer *part)
{
    int i, less = 0;
    for (i = 0; i < part->added; i++)
        sum->words[i] += part->words[i];
    for (i = part->added; i < part->count && !less; i++)
        if (sum->count && part->words[i] != sum->words[i])
            less = part->words[i] < sum->words[i] ? 1 : -1;
    if (!sum->count || less > 0)
        for (i = part->added; i < part->count; i++)
            sum->words[i] = part->words[i];
    sum->added = part->added;
    sum->count = part->count;
}

#endif
