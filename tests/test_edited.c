/* Tests changed checkpoints with a right CRC, for every search of searches.h and for more of their kinds:
   fields of the header, accumulators, words of tasks and records, whole tasks and records. Such a
   checkpoint may give a wrong count, which is undetectable, but otherwise ends in an error with a message
   or a finished run: no crash, no endless run, no more memory than a true one takes (run this with the
   sanitizers).

       test_edited                    some edits of every search
       test_edited ROW FIRST COUNT    edits FIRST to FIRST + COUNT - 1 of one search (its number), each
                                      named before it is tried */
#include "searches.h"

#include <time.h>
#include <unistd.h>

/* ---- more searches: what has tasks, records or sums of its own beside the table's rows */

static int square_seen(const int *square, int order, void *user)
{
    (void)square, (void)order, (void)user;
    return 0;
}

static int board_seen(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    (void)rows, (void)n, (void)symmetry, (void)user;
    return 0;
}

static int perms_seen(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)count, (void)n, (void)user;
    return 0;
}

static int hit_seen(const uint8_t *perm, int length, int64_t value, void *user)
{
    (void)perm, (void)length, (void)value, (void)user;
    return 0;
}

static void more_magic(search_desc *desc, int order, combgpu_magic_kind kind, int listed)
{
    desc->magic.order = order;
    desc->magic.kind = kind;
    if (listed) desc->magic.solution = square_seen;
}

static void magic_4_listed(search_desc *desc)
{
    more_magic(desc, 4, COMBGPU_MAGIC_NORMAL, 1);
    desc->magic.frenicle = 1;
}

static void magic_4_semi(search_desc *desc)
{
    more_magic(desc, 4, COMBGPU_MAGIC_SEMI, 0);
    desc->magic.run.shard_count = 50;
}

static void magic_5_listed(search_desc *desc)
{
    magic_joined(desc);
    desc->magic.solution = square_seen;
}

static void magic_5_summed(search_desc *desc)
{
    magic_joined(desc);
    desc->magic.checksum = 1;
}

static void magic_5_semi(search_desc *desc)
{
    more_magic(desc, 5, COMBGPU_MAGIC_SEMI, 0);
    desc->magic.run.shard_count = 2000;
    desc->magic.run.shard_index = 3;
}

static void magic_5_diagonal(search_desc *desc)
{
    static const int givens[25] = {1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 13};
    more_magic(desc, 5, COMBGPU_MAGIC_NORMAL, 0);
    desc->magic.givens = givens;
    desc->magic.run.shard_count = 100;
}

static void magic_5_numbers(search_desc *desc)
{
    static int numbers[25];
    int i;
    for (i = 0; i < 25; i++)
        numbers[i] = i < 20 ? i : 2 * i - 20;
    more_magic(desc, 5, COMBGPU_MAGIC_PANDIAGONAL, 1);
    desc->magic.numbers = numbers;
    desc->magic.run.shard_count = 100;
}

static void magic_7_listed(search_desc *desc)
{
    magic_lifted(desc);
    desc->magic.solution = square_seen;
}

static void magic_8_bimagic(search_desc *desc)
{
    more_magic(desc, 8, COMBGPU_MAGIC_BIMAGIC, 1);
    desc->magic.run.shard_count = 1000;
}

static void more_estimate(search_desc *desc, int order, combgpu_magic_kind kind, uint64_t samples)
{
    desc->magic_estimate.order = order;
    desc->magic_estimate.kind = kind;
    desc->magic_estimate.samples = samples;
    desc->magic_estimate.seed = 3;
}

static void estimate_6(search_desc *desc)
{
    more_estimate(desc, 6, COMBGPU_MAGIC_NORMAL, 40);
}

static void estimate_semi_4(search_desc *desc)
{
    more_estimate(desc, 4, COMBGPU_MAGIC_SEMI, 300);
}

static void estimate_to_error(search_desc *desc)
{
    more_estimate(desc, 4, COMBGPU_MAGIC_NORMAL, 0);
    desc->magic_estimate.relative_error = 0.02;
}

static void estimate_associative(search_desc *desc)
{
    more_estimate(desc, 5, COMBGPU_MAGIC_ASSOCIATIVE, 100);
}

static void estimate_ultra(search_desc *desc)
{
    more_estimate(desc, 7, COMBGPU_MAGIC_ULTRAMAGIC, 60);
}

static void more_no3(search_desc *desc, int n, combgpu_no3_class symmetry, int listed)
{
    desc->no3.n = n;
    desc->no3.symmetry = symmetry;
    if (listed) desc->no3.solution = board_seen;
}

static void no3_listed(search_desc *desc)
{
    more_no3(desc, 8, COMBGPU_NO3_ALL, 1);
    desc->no3.every_orientation = 1;
}

static void no3_in_random_order(search_desc *desc)
{
    more_no3(desc, 9, COMBGPU_NO3_ALL, 1);
    desc->no3.seed = 5;
    desc->no3.limit = 20;
}

static void no3_rot4_in_random_order(search_desc *desc)
{
    more_no3(desc, 20, COMBGPU_NO3_ROT4, 0);
    desc->no3.seed = 5;
    desc->no3.limit = 5;
}

static void no3_large(search_desc *desc)
{
    more_no3(desc, 66, COMBGPU_NO3_FULL, 0);
    desc->no3.run.shard_count = 200;
}

static void no3_near(search_desc *desc)
{
    more_no3(desc, 11, COMBGPU_NO3_NEAR_ROT4, 1);
}

static void no3_half_turn(search_desc *desc)
{
    more_no3(desc, 10, COMBGPU_NO3_ROT2, 1);
}

static void no3_wide(search_desc *desc)
{
    more_no3(desc, 40, COMBGPU_NO3_ORT2, 0);
    desc->no3.run.shard_count = 500;
}

static void no3_given(search_desc *desc)
{
    static const uint64_t on[8] = {1}, off[8] = {0, 1};
    more_no3(desc, 8, COMBGPU_NO3_ALL, 1);
    desc->no3.on = on;
    desc->no3.off = off;
}

static void more_perm(search_desc *desc, combgpu_perm_family family, int n, int k)
{
    static combgpu_perm_set set;
    set.family = family;
    set.n = n;
    set.k = k;
    desc->perm.set = &set;
    desc->perm.solution = perms_seen;
}

static void perm_partial(search_desc *desc)
{
    more_perm(desc, COMBGPU_PERM_PARTIAL, 9, 4);
}

static void perm_derangements(search_desc *desc)
{
    more_perm(desc, COMBGPU_PERM_DERANGEMENT, 7, 0);
    desc->perm.goal = COMBGPU_PERM_COUNT;
    desc->perm.visitor = &search_few_ascents;
}

static void perm_combinations(search_desc *desc)
{
    more_perm(desc, COMBGPU_PERM_COMBINATION, 20, 4);
    desc->perm.goal = COMBGPU_PERM_MINIMUM;
    desc->perm.visitor = &search_ascents;
    desc->perm.solution = NULL;
}

static void perm_gray(search_desc *desc)
{
    more_perm(desc, COMBGPU_PERM_GRAY, 7, 0);
}

static void perm_cycles(search_desc *desc)
{
    more_perm(desc, COMBGPU_PERM_CYCLE, 8, 0);
    desc->perm.goal = COMBGPU_PERM_MAXIMUM;
    desc->perm.visitor = &search_ascents;
    desc->perm.solution = NULL;
}

static void perm_multiset_written(search_desc *desc)
{
    perm_multiset(desc);
    desc->perm.goal = COMBGPU_PERM_WRITE;
    desc->perm.visitor = NULL;
    desc->perm.solution = perms_seen;
}

static void perm_ordered(search_desc *desc)
{
    perm_count(desc);
    desc->perm.solution = perms_seen;
    desc->perm.ordered = 1;
    desc->perm.limit = 100;
}

static void perm_listed(search_desc *desc)
{
    perm_count(desc);
    desc->perm.solution = perms_seen;
}

static void perm_long(search_desc *desc)
{
    desc->perm.n = 25;
    desc->perm.first_hi = 5;
    desc->perm.first = UINT64_MAX - 1000;
    desc->perm.count = 5000;
    desc->perm.solution = perms_seen;
}

static void perm_items(search_desc *desc)
{
    static const uint32_t items[7] = {7, 6, 5, 4, 3, 2, 1};
    static uint32_t out[300 * 7];
    desc->perm.n = 7;
    desc->perm.first = 100;
    desc->perm.count = 300;
    desc->perm.items = items;
    desc->perm.item_bytes = 4;
    desc->perm.out = out;
    desc->perm.out_bytes = sizeof out;
}

/* Combinations and multisets, each with the sum of row times column. */
COMBGPU_PERM_SEARCH(search_any, state({ int32_t sum; }), step({
                        state->sum += place * value;
                        return 1;
                    }),
                    leaf({ return state->sum; }))

static void perm_search_first(search_desc *desc)
{
    perm_search_count(desc);
    desc->perm_search.goal = COMBGPU_SEARCH_FIRST;
}

static void perm_search_most(search_desc *desc)
{
    static const uint8_t order[9] = {8, 7, 6, 5, 4, 3, 2, 1, 0};
    perm_search_count(desc);
    desc->perm_search.searcher = &search_any;
    desc->perm_search.n = 8;
    desc->perm_search.goal = COMBGPU_SEARCH_MAXIMUM;
    desc->perm_search.order = order + 1;
}

static void perm_search_listed(search_desc *desc)
{
    perm_search_count(desc);
    desc->perm_search.solution = hit_seen;
    desc->perm_search.limit = 60;
}

static void perm_search_written(search_desc *desc)
{
    perm_search_count(desc);
    desc->perm_search.out = search_written;
    desc->perm_search.out_bytes = 50 * 9;
}

static void perm_search_wide(search_desc *desc)
{
    static const combgpu_perm_set set = {COMBGPU_PERM_COMBINATION, 40, 3, NULL};
    desc->perm_search.set = &set;
    desc->perm_search.searcher = &search_any;
    desc->perm_search.solution = hit_seen;
}

static void perm_search_multiset(search_desc *desc)
{
    static const uint8_t repeats[4] = {2, 3, 1, 2};
    static const combgpu_perm_set set = {COMBGPU_PERM_MULTISET, 4, 0, repeats};
    desc->perm_search.set = &set;
    desc->perm_search.searcher = &search_any;
    desc->perm_search.goal = COMBGPU_SEARCH_SUM;
}

/* Points at random, without a matrix of their own where there are many. */
static const combgpu_tsp_instance *points(int n, combgpu_tsp_metric metric)
{
    static combgpu_tsp_instance instance;
    static double x[300], y[300];
    int i;
    for (i = 0; i < n; i++) {
        x[i] = (double)(test_mix((uint64_t)i) % 1000);
        y[i] = (double)(test_mix((uint64_t)i + 12345) % 1000);
    }
    memset(&instance, 0, sizeof instance);
    instance.n = n;
    instance.symmetric = 1;
    instance.metric = metric;
    instance.x = x;
    instance.y = y;
    return &instance;
}

static void more_tsp(search_desc *desc, const combgpu_tsp_instance *instance,
                     combgpu_tsp_method method, combgpu_tsp_shape shape)
{
    desc->tsp.instance = instance;
    desc->tsp.method = method;
    desc->tsp.shape = shape;
}

static void tsp_brute_path(search_desc *desc)
{
    more_tsp(desc, search_cities(), COMBGPU_TSP_BRUTE_FORCE, COMBGPU_TSP_PATH);
    TEST_SET_ENDS(desc->tsp, 3, -1);
}

static void tsp_table_path(search_desc *desc)
{
    more_tsp(desc, points(12, COMBGPU_TSP_PLANE), COMBGPU_TSP_HELD_KARP, COMBGPU_TSP_PATH);
}

static void tsp_auto(search_desc *desc)
{
    more_tsp(desc, points(18, COMBGPU_TSP_EUC_2D), COMBGPU_TSP_AUTO, COMBGPU_TSP_CYCLE);
}

/* A prism with a tree of bounds, the same in one direction longer, and points. */
static const combgpu_tsp_instance *prism(int one_way)
{
    static combgpu_tsp_instance instance;
    static double weights[18 * 18];
    int i, j;
    search_prism(18, 18, 7, weights);
    for (i = 0; i < 18 && one_way; i++)
        for (j = 0; j < i; j++)
            weights[i * 18 + j] += 1;
    instance.n = 18;
    instance.weights = weights;
    instance.symmetric = !one_way;
    return &instance;
}

static void tsp_bounds_prism(search_desc *desc)
{
    more_tsp(desc, prism(0), COMBGPU_TSP_BRANCH_AND_BOUND, COMBGPU_TSP_CYCLE);
}

static void tsp_bounds_points(search_desc *desc)
{
    more_tsp(desc, points(60, COMBGPU_TSP_EUC_2D), COMBGPU_TSP_BRANCH_AND_BOUND, COMBGPU_TSP_CYCLE);
}

static void tsp_bounds_path(search_desc *desc)
{
    more_tsp(desc, points(60, COMBGPU_TSP_EUC_2D), COMBGPU_TSP_BRANCH_AND_BOUND, COMBGPU_TSP_PATH);
    TEST_SET_ENDS(desc->tsp, 3, -1);
}

static void tsp_bounds_one_way(search_desc *desc)
{
    more_tsp(desc, prism(1), COMBGPU_TSP_BRANCH_AND_BOUND, COMBGPU_TSP_CYCLE);
}

static void tsp_fixed(search_desc *desc)
{
    static int fixed[4] = {1, 7, 3, 9};
    static combgpu_tsp_instance instance;
    instance = *points(20, COMBGPU_TSP_EUC_2D);
    instance.fixed = fixed;
    instance.fixed_count = 2;
    more_tsp(desc, &instance, COMBGPU_TSP_BRANCH_AND_BOUND, COMBGPU_TSP_CYCLE);
}

static void tsp_pairs_path(search_desc *desc)
{
    static int pairs[8] = {7, 2, 2, 5, 11, 4, 3, 1};
    static combgpu_tsp_instance instance;
    instance = *points(14, COMBGPU_TSP_EUC_2D);
    instance.before = pairs;
    instance.before_count = 4;
    more_tsp(desc, &instance, COMBGPU_TSP_AUTO, COMBGPU_TSP_PATH);
}

static void tsp_heuristic_path(search_desc *desc)
{
    static int tour[280];
    more_tsp(desc, points(280, COMBGPU_TSP_EUC_2D), COMBGPU_TSP_HEURISTIC, COMBGPU_TSP_PATH);
    desc->tsp.kicks = 300;
    desc->tsp.tour = tour;
}

static void tsp_heuristic_fixed(search_desc *desc)
{
    tsp_fixed(desc);
    desc->tsp.method = COMBGPU_TSP_HEURISTIC;
    desc->tsp.kicks = 300;
}

static void tsp_shortest_listed(search_desc *desc)
{
    static double lengths[300];
    static uint8_t tours[300 * 9];
    tsp_shortest(desc);
    desc->tsp_tours.count = 300;
    desc->tsp_tours.lengths = lengths;
    desc->tsp_tours.tours = tours;
    desc->tsp_tours.shape = COMBGPU_TSP_PATH;
    TEST_SET_ENDS(desc->tsp_tours, 3, 5);
}

static void tsp_in_windows_path(search_desc *desc)
{
    tsp_in_windows(desc);
    desc->tsp_windows.shape = COMBGPU_TSP_PATH;
    desc->tsp_windows.earliest_end = 1;
}

static double batch_lengths[60], batch_bounds[60];
static uint8_t batch_tours[60 * 18], batch_states[60];

static void batch_outputs(search_desc *desc)
{
    desc->tsp_batch.lengths = batch_lengths;
    desc->tsp_batch.lower_bounds = batch_bounds;
    desc->tsp_batch.tours = batch_tours;
    desc->tsp_batch.states = batch_states;
}

static void tsp_batched_out(search_desc *desc)
{
    tsp_batched(desc);
    batch_outputs(desc);
    desc->tsp_batch.shape = COMBGPU_TSP_PATH;
}

static void tsp_batched_large_out(search_desc *desc)
{
    tsp_batched_large(desc);
    batch_outputs(desc);
    desc->tsp_batch.instance_steps = 0;
}

enum {
    IS_TREE = 64, /* branch and bound, which is to leave open nodes */
    IS_SLOW = 128 /* takes too long for every run of the tests */
};

static const search_row more_rows[] = {
    {"magic order 4, listed", &magic_kind, magic_4_listed, 0, 2000},
    {"semi-magic order 4", &magic_kind, magic_4_semi, 0, 2000},
    {"magic order 5, listed", &magic_kind, magic_5_listed, 0, 30},
    {"magic order 5 with a checksum", &magic_kind, magic_5_summed, 0, 30},
    {"semi-magic order 5", &magic_kind, magic_5_semi, 0, 30},
    {"magic order 5, numbers of a diagonal given", &magic_kind, magic_5_diagonal, 0, 30},
    {"magic order 5 of other numbers", &magic_kind, magic_5_numbers, 0, 2000},
    {"magic ultra, listed", &magic_kind, magic_7_listed, 0, 30},
    {"bimagic order 8", &magic_kind, magic_8_bimagic, IS_SLOW, 2000},
    {"magic estimate, order 6", &magic_estimate_kind, estimate_6, 0, 10},
    {"magic estimate, semi-magic order 4", &magic_estimate_kind, estimate_semi_4, 0, 30},
    {"magic estimate to an error", &magic_estimate_kind, estimate_to_error, IS_SLOW, 8000},
    {"magic estimate, associative", &magic_estimate_kind, estimate_associative, 0, 20},
    {"magic estimate, ultramagic", &magic_estimate_kind, estimate_ultra, 0, 20},
    {"no3, listed", &no3_kind, no3_listed, 0, 500},
    {"no3 in random order", &no3_kind, no3_in_random_order, 0, 500},
    {"no3 of a class in random order", &no3_kind, no3_rot4_in_random_order, 0, 500},
    {"no3, large", &no3_kind, no3_large, IS_SLOW, 100},
    {"no3, near rot4", &no3_kind, no3_near, 0, 50},
    {"no3, half turn", &no3_kind, no3_half_turn, 0, 200},
    {"no3, wide", &no3_kind, no3_wide, IS_SLOW, 200},
    {"no3 with given cells", &no3_kind, no3_given, 0, 200},
    {"partial permutations", &perm_kind, perm_partial, 0, 300},
    {"derangements listed", &perm_kind, perm_derangements, 0, 300},
    {"combinations, least", &perm_kind, perm_combinations, 0, 300},
    {"permutations in Gray order", &perm_kind, perm_gray, 0, 300},
    {"cycles, greatest", &perm_kind, perm_cycles, 0, 300},
    {"multisets written", &perm_kind, perm_multiset_written, 0, 300},
    {"permutations in order", &perm_kind, perm_ordered, 0, 2000},
    {"permutations listed", &perm_kind, perm_listed, 0, 2000},
    {"permutations of 25", &perm_kind, perm_long, 0, 300},
    {"permutations of items", &perm_kind, perm_items, 0, 30},
    {"permutation search, first", &perm_search_kind, perm_search_first, 0, 20},
    {"permutation search, greatest", &perm_search_kind, perm_search_most, 0, 100},
    {"permutation search, listed", &perm_search_kind, perm_search_listed, 0, 100},
    {"permutation search, written", &perm_search_kind, perm_search_written, 0, 100},
    {"permutation search, wide", &perm_search_kind, perm_search_wide, 0, 200},
    {"permutation search, multisets", &perm_search_kind, perm_search_multiset, 0, 100},
    {"tsp, brute force, path", &tsp_kind, tsp_brute_path, 0, 2000},
    {"tsp, Held-Karp, path", &tsp_kind, tsp_table_path, 0, 2000},
    {"tsp, any method", &tsp_kind, tsp_auto, 0, 4},
    {"tsp, branch and bound, points", &tsp_kind, tsp_bounds_points, IS_TREE | IS_SLOW, 4},
    {"tsp, branch and bound, prism", &tsp_kind, tsp_bounds_prism, IS_TREE, 4},
    {"tsp, branch and bound, path", &tsp_kind, tsp_bounds_path, IS_TREE | IS_SLOW, 4},
    {"tsp, branch and bound, one-way", &tsp_kind, tsp_bounds_one_way, IS_TREE, 4},
    {"tsp with fixed edges", &tsp_kind, tsp_fixed, IS_TREE, 4},
    {"tsp with precedence, path", &tsp_kind, tsp_pairs_path, IS_SLOW, 4},
    {"tsp, heuristic, path", &tsp_kind, tsp_heuristic_path, 0, 100},
    {"tsp, heuristic, fixed edges", &tsp_kind, tsp_heuristic_fixed, 0, 100},
    {"tsp, shortest paths listed", &tsp_tours_kind, tsp_shortest_listed, 0, 400},
    {"tsp, time windows, path", &tsp_windows_kind, tsp_in_windows_path, 0, 200},
    {"tsp batch, paths written", &tsp_batch_kind, tsp_batched_out, 0, 500},
    {"tsp batch, branch and bound, written", &tsp_batch_kind, tsp_batched_large_out, 0, 200},
};
#define MORE_ROWS ((int)(sizeof more_rows / sizeof more_rows[0]))
#define ROWS (SEARCH_ROWS + MORE_ROWS)

static const search_row *row_at(int i)
{
    return i < SEARCH_ROWS ? &search_rows[i] : &more_rows[i - SEARCH_ROWS];
}

/* ---- a checkpoint in its parts */

enum { SUMS = 4352 };

/* The numbers of the header that can be changed, but for the sums. */
enum {
    STATUS,
    FRONTIER,
    MINE,
    FRESH,
    SUM_COUNT,
    TASKS,
    TASK_WORDS,
    RECORDS,
    RECORD_WORDS,
    NUMBERS
};

typedef struct parts {
    char *head; /* to the number of the status */
    uint64_t numbers[NUMBERS], sums[SUMS];
    uint32_t *words; /* tasks, then records */
    size_t count;    /* of words */
} parts;

static void parts_free(parts *p)
{
    free(p->head);
    free(p->words);
    memset(p, 0, sizeof *p);
}

static uint64_t number_at(const char **at, int base)
{
    const char *digits = "0123456789abcdef", *digit;
    uint64_t number = 0;
    while (!strchr(digits, **at))
        ++*at;
    for (; **at && (digit = strchr(digits, **at)) != NULL; ++*at)
        number = number * (uint64_t)base + (uint64_t)(digit - digits);
    return number;
}

static uint64_t number_after(const char **at, const char *word)
{
    *at = strstr(*at, word) + strlen(word);
    return number_at(at, 10);
}

/* Takes a true checkpoint apart. */
static void parts_read(parts *p, const unsigned char *bytes, size_t size)
{
    size_t header = test_data_begin(bytes, size), i, k;
    char *text = (char *)calloc(header + 1, 1);
    const char *at;
    memset(p, 0, sizeof *p);
    memcpy(text, bytes, header);
    at = strstr(text, "\nstatus ") + 8;
    p->head = (char *)calloc((size_t)(at - text) + 1, 1);
    memcpy(p->head, text, (size_t)(at - text));
    p->numbers[STATUS] = number_at(&at, 10);
    p->numbers[FRONTIER] = number_after(&at, "\nfrontier ");
    p->numbers[MINE] = number_at(&at, 10);
    p->numbers[FRESH] = number_at(&at, 10);
    p->numbers[SUM_COUNT] = number_after(&at, "\nsums ");
    for (i = 0; i < p->numbers[SUM_COUNT]; i++)
        p->sums[i] = number_at(&at, 16);
    p->numbers[TASKS] = number_after(&at, "\ntasks ");
    p->numbers[TASK_WORDS] = number_at(&at, 10);
    p->numbers[RECORDS] = number_after(&at, "\nrecords ");
    p->numbers[RECORD_WORDS] = number_at(&at, 10);
    free(text);
    p->count = (size - 4 - header) / 4;
    p->words = (uint32_t *)malloc(4 * p->count + 4);
    for (i = 0; i < p->count; i++)
        for (k = p->words[i] = 0; k < 4; k++)
            p->words[i] |= (uint32_t)bytes[header + 4 * i + k] << 8 * k;
}

static parts parts_copy(const parts *from)
{
    parts p = *from;
    p.head = (char *)malloc(strlen(from->head) + 1);
    strcpy(p.head, from->head);
    p.words = (uint32_t *)malloc(4 * p.count + 4);
    memcpy(p.words, from->words, 4 * p.count);
    return p;
}

/* The checkpoint of these parts, with a right CRC; to be given to free. `more` bytes are added at the end,
   or taken away there. */
static unsigned char *parts_write(const parts *p, long more, size_t *size)
{
    size_t room =
               strlen(p->head) + 400 + 17 * SUMS + 4 * p->count + 4 + (size_t)(more < 0 ? 0 : more),
           i, at;
    char *text = (char *)calloc(room, 1);
    unsigned char *tight;
    const uint64_t *n = p->numbers;
    at = (size_t)snprintf(text, room, "%s%llu\nfrontier %llu %llu %llu\nsums %llu", p->head,
                          (unsigned long long)n[STATUS], (unsigned long long)n[FRONTIER],
                          (unsigned long long)n[MINE], (unsigned long long)n[FRESH],
                          (unsigned long long)n[SUM_COUNT]);
    for (i = 0; i < n[SUM_COUNT] && i < SUMS; i++)
        at += (size_t)snprintf(text + at, room - at, " %llx", (unsigned long long)p->sums[i]);
    at += (size_t)snprintf(text + at, room - at, "\ntasks %llu %llu\nrecords %llu %llu\ndata\n",
                           (unsigned long long)n[TASKS], (unsigned long long)n[TASK_WORDS],
                           (unsigned long long)n[RECORDS], (unsigned long long)n[RECORD_WORDS]);
    for (i = 0; i < p->count; i++, at += 4)
        test_put32((unsigned char *)text + at, p->words[i]);
    *size = more < 0 && at < (size_t)-more ? 4 : (size_t)((long)at + more) + 4;
    tight = (unsigned char *)malloc(*size);
    memcpy(tight, text, *size);
    free(text);
    return test_mend(tight, *size);
}

/* ---- edits */

static uint64_t another(uint64_t value)
{
    switch (random_below(12)) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return 0x7fffffff;
    case 3:
        return 0xffffffff;
    case 4:
        return UINT64_MAX;
    case 5:
        return value + 1;
    case 6:
        return value - 1;
    case 7:
        return 2 * value;
    case 8:
        return UINT64_C(1) << random_below(64);
    case 9:
        return value ^ UINT64_C(1) << random_below(64);
    case 10:
        return random_u64_below(256);
    default:
        return random_u64() >> random_below(64);
    }
}

/* Words [begin, end) of the data, a task or a record, come `times` times; 0 = they are taken away. */
static void repeat_words(parts *p, size_t begin, size_t end, size_t times)
{
    size_t length = end - begin, count = p->count - length + times * length, i;
    uint32_t *words = (uint32_t *)malloc(4 * count + 4);
    memcpy(words, p->words, 4 * begin);
    for (i = 0; i < times; i++)
        memcpy(words + begin + i * length, p->words + begin, 4 * length);
    memcpy(words + begin + times * length, p->words + end, 4 * (p->count - end));
    free(p->words);
    p->words = words;
    p->count = count;
}

/* One task or record is taken away or comes more than once; or all but some are taken away. */
static void edit_items(parts *p)
{
    int number = p->numbers[RECORDS] && random_below(2) ? RECORDS : TASKS, all = !random_below(4);
    uint64_t words = p->numbers[number + 1], count = p->numbers[number], which;
    size_t begin = number == RECORDS ? (size_t)(p->numbers[TASKS] * p->numbers[TASK_WORDS]) : 0;
    size_t times = all || random_below(2) ? 0 : random_below(8) ? 2 : 1000;
    if (!count) return;
    which = all ? 0 : random_u64_below(count);
    if (all && random_below(2)) which = random_u64_below(count);
    repeat_words(p, begin + (size_t)(which * words),
                 begin + (size_t)((all ? count : which + 1) * words), times);
    p->numbers[number] += all ? which - count : times - 1;
}

/* Words of the data. */
static void edit_words(parts *p)
{
    size_t at = (size_t)random_u64_below(p->count), other = (size_t)random_u64_below(p->count), i;
    uint64_t value = p->words[at];
    switch (random_below(8)) {
    case 0: /* 8 bytes */
        if (at + 1 < p->count) {
            value |= (uint64_t)p->words[at + 1] << 32;
            value = another(value);
            p->words[at + 1] = (uint32_t)(value >> 32);
        }
        p->words[at] = (uint32_t)value;
        break;
    case 1:
        p->words[at] = p->words[other];
        p->words[other] = (uint32_t)value;
        break;
    case 2: /* a byte */
        p->words[at] ^= random_u32_below(256) << 8 * random_below(4);
        break;
    case 3: /* several words */
        for (i = at; i < p->count && i < at + 8; i++)
            if (random_below(2)) p->words[i] = (uint32_t)another(p->words[i]);
        break;
    default:
        p->words[at] = (uint32_t)another(value);
    }
}

static void edit_sums(parts *p)
{
    uint64_t count = p->numbers[SUM_COUNT];
    int at = random_below((int)count + 4);
    if (!random_below(8)) at = random_below(random_below(4) ? 256 : SUMS);
    if (at >= SUMS) at = SUMS - 1;
    p->sums[at] = another(p->sums[at]);
    if ((uint64_t)at >= count) p->numbers[SUM_COUNT] = (uint64_t)at + 1;
}

/* One edit or some; what no longer fits together comes last. */
static void edit(parts *p, long *more)
{
    int times = random_below(4) ? 1 : 3, last = 0;
    while (times--) {
        int kind = random_below(p->count ? 15 : 8);
        if (kind < 1)
            last = 1;
        else if (kind < 6)
            edit_sums(p);
        else if (kind < 7)
            edit_items(p);
        else if (p->count)
            edit_words(p);
    }
    if (last && random_below(2))
        *more = random_below(40) - 20;
    else if (last) {
        int number = random_below(NUMBERS);
        p->numbers[number] = another(p->numbers[number]);
    }
}

/* ---- a run of what comes out */

static test_meter memory;
static int longest_edit;
static double longest_s;

static int wrong_at(int wrong, int k, const char *what, combgpu_context *ctx)
{
    if (wrong) printf("# edit %d: %s; %s\n", k, what, combgpu_message(ctx));
    return wrong;
}

static char folder[200], shard_paths[2][220];

static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size) ok(0, "%s is written", path);
    if (file) fclose(file);
}

/* Is what the result has as a tour a tour? */
static int is_possible(const search_row *row, const search_result *result)
{
    const int *tour = row->kind == &tsp_kind ? result->tsp.tour : result->tsp_windows.tour;
    int n = row->kind == &tsp_kind ? result->tsp.n : result->tsp_windows.n, i;
    char seen[COMBGPU_TSP_MAX_TOUR] = {0};
    if (row->kind == &tsp_kind ? n > COMBGPU_TSP_MAX_TOUR
                               : row->kind != &tsp_windows_kind || !result->tsp_windows.feasible)
        return 1;
    for (i = 0; i < n; i++)
        if (tour[i] < 0 || tour[i] >= n || seen[tour[i]]++) return 0;
    return row->kind != &tsp_kind || result->tsp.lower_bound <= result->tsp.length;
}

/* Some steps of a job, what may be asked of it, and its end. Returns the faults. */
static int work(combgpu_context *ctx, const search_row *row, combgpu_job *job, int k)
{
    combgpu_status status = COMBGPU_RUNNING;
    combgpu_progress progress;
    search_result result;
    int wrong = 0, steps, most = random_below(8) ? 3 : 60;
    size_t size;
    if (row->can & IS_TREE && !random_below(4)) inside_tsp_on_device(job);
    if (!random_below(16)) {
        combgpu_estimate_desc how;
        combgpu_estimate e;
        memset(&how, 0, sizeof how);
        how.samples = 2;
        how.calibrate_s = 1e-6;
        status = combgpu_job_estimate(job, &how, &e);
        wrong +=
            wrong_at(status < 0 && !*combgpu_message(ctx), k, "estimate without a message", ctx);
        if (status >= 0) status = COMBGPU_RUNNING;
    }
    for (steps = 0; steps < most && status == COMBGPU_RUNNING; steps++) {
        inside_set_budget(job, (uint32_t)row->budget);
        status = combgpu_step(job);
    }
    combgpu_job_progress(job, &progress);
    wrong += wrong_at(!(progress.fraction >= 0 && progress.fraction <= 1), k, "fraction", ctx);
    if (status >= 0) free(test_save(job, &size));
    memset(&result, 0, sizeof result);
    status = row->kind->end(job, &result);
    wrong += wrong_at(status < 0 && !*combgpu_message(ctx), k, "end without a message", ctx);
    wrong += wrong_at(status >= 0 && !is_possible(row, &result), k, "a result that cannot be", ctx);
    return wrong;
}

/* Begins, from what the run description says; works on it if that is accepted. Returns the faults. */
static int attempt(combgpu_context *ctx, const search_row *row, const search_desc *desc, int k,
                   int *accepted)
{
    combgpu_job *job = NULL;
    combgpu_status status;
    int wrong = 0;
    const clock_t began = clock(); /* of the processor: the machine may be busy */
    double seconds;
    inside_forget_message(ctx);
    status = row->kind->begin(ctx, desc, &job);
    if (status)
        wrong +=
            wrong_at(status > 0 || job || !*combgpu_message(ctx), k, "refused without a word", ctx);
    else {
        ++*accepted;
        wrong += work(ctx, row, job, k);
    }
    seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    if (seconds > longest_s) {
        longest_s = seconds;
        longest_edit = k;
    }
    return wrong;
}

static int resume(combgpu_context *ctx, const search_row *row, const unsigned char *bytes,
                  size_t size, int k, int *accepted)
{
    search_desc desc = search_describe(row);
    combgpu_run_desc *run = row->kind->run(&desc);
    run->slice_ms = 1;
    run->time_limit_s = 0.5;
    run->resume_data = bytes;
    run->resume_bytes = size;
    run->verify = !random_below(8);
    run->verify_share = 1;
    return attempt(ctx, row, &desc, k, accepted);
}

/* The same of the first of two shards: it is merged with the second. */
static int merge(combgpu_context *ctx, const search_row *row, const unsigned char *bytes,
                 size_t size, int k, int *accepted)
{
    search_desc desc = search_describe(row);
    combgpu_run_desc *run = row->kind->run(&desc);
    const char *paths[2];
    paths[0] = shard_paths[0];
    paths[1] = shard_paths[1];
    write_file(paths[0], bytes, size);
    run->merge_paths = paths;
    run->merge_count = 2;
    return attempt(ctx, row, &desc, k, accepted);
}

/* Of a search, or of a shard of two: how a checkpoint is made. */
enum { BEGUN, HALF_WAY, ENDED, FIRST_ENDED, SECOND_ENDED, STAGES };

/* A true checkpoint; half way with records that wait. */
static unsigned char *true_checkpoint(combgpu_context *ctx, const search_row *row, int stage,
                                      size_t *size)
{
    combgpu_job *job;
    unsigned char *bytes = NULL;
    int steps = 0, most = stage >= FIRST_ENDED ? INT_MAX : 100, pass;
    for (pass = 0; pass < 2; pass++) {
        search_desc desc = search_describe(row);
        combgpu_run_desc *run = row->kind->run(&desc);
        run->slice_ms = 1;
        if (stage >= FIRST_ENDED) run->shard_count = 2;
        if (stage == SECOND_ENDED) run->shard_index = 1;
        if (row->kind->begin(ctx, &desc, &job)) return NULL;
        if (row->can & IS_TREE) inside_tsp_on_device(job);
        if (pass && stage == BEGUN) most = 0;
        if (pass && stage == HALF_WAY) most = steps / 2 ? steps / 2 : 1;
        for (steps = 0; steps < most; steps++) {
            inside_set_budget(job, (uint32_t)row->budget);
            if (combgpu_step(job) != COMBGPU_RUNNING) break;
        }
        if (pass && stage == HALF_WAY) inside_undeliver(job);
        if (pass) bytes = test_save(job, size);
        combgpu_job_cancel(job);
    }
    return bytes;
}

/* What is edited of a search: its checkpoints, and how many there are. */
typedef struct edited {
    const search_row *row;
    parts whole[STAGES];
    int stages;
} edited;

/* The k-th edit of a search, tried. Returns the faults. */
static int edit_and_try(combgpu_context *ctx, const edited *e, uint64_t seed, int k, int *accepted)
{
    parts p;
    long more = 0;
    unsigned char *bytes;
    size_t size;
    int wrong;
    random_state = test_mix(seed + ((uint64_t)k << 32));
    p = parts_copy(&e->whole[k % e->stages]);
    edit(&p, &more);
    bytes = parts_write(&p, more, &size);
    if (k % e->stages == FIRST_ENDED)
        wrong = merge(ctx, e->row, bytes, size, k, accepted);
    else
        wrong = resume(ctx, e->row, bytes, size, k, accepted);
    free(bytes);
    parts_free(&p);
    return wrong;
}

/* Makes the checkpoints; each is accepted, and so are its parts put together again. */
static int checkpoints(combgpu_context *ctx, edited *e)
{
    const int merged = e->row->can & SEARCH_SHARDS && !(e->row->can & SEARCH_WRITES);
    int accepted = 0, wrong = 0, i;
    e->stages = merged ? FIRST_ENDED + 1 : ENDED + 1;
    for (i = 0; i < e->stages + merged; i++) {
        size_t size = 0, again = 0;
        unsigned char *bytes = true_checkpoint(ctx, e->row, i, &size), *same;
        if (!bytes) return 0;
        parts_read(&e->whole[i], bytes, size);
        same = parts_write(&e->whole[i], 0, &again);
        wrong += again != size || memcmp(same, bytes, size);
        random_state = 1;
        if (i < FIRST_ENDED) wrong += resume(ctx, e->row, same, size, -1, &accepted);
        if (i == SECOND_ENDED) write_file(shard_paths[1], bytes, size);
        free(same);
        free(bytes);
    }
    if (merged) {
        size_t size;
        unsigned char *bytes = parts_write(&e->whole[FIRST_ENDED], 0, &size);
        wrong += merge(ctx, e->row, bytes, size, -1, &accepted);
        free(bytes);
    }
    return !wrong && accepted == e->stages;
}

static void search_edited(combgpu_context *ctx, int r, uint64_t seed, int first, int count,
                          int told)
{
    edited e;
    int k, wrong = 0, accepted = 0;
    long live;
    size_t most;
    memset(&e, 0, sizeof e);
    e.row = row_at(r);
    memory.largest = 0;
    longest_s = 0;
    ok(checkpoints(ctx, &e), "%s: true checkpoints are accepted", e.row->name);
    for (k = 0; k < e.stages && told; k++)
        printf("# %d: %d tasks, %d records, %d sums, %d words\n", k, (int)e.whole[k].numbers[TASKS],
               (int)e.whole[k].numbers[RECORDS], (int)e.whole[k].numbers[SUM_COUNT],
               (int)e.whole[k].count);
    live = memory.live;
    most = memory.largest + ((size_t)16 << 20);
    for (k = first; k < first + count && e.whole[e.stages - 1].head; k++) {
        if (told) printf("# edit %d\n", k);
        fflush(stdout);
        memory.largest = 0;
        wrong += edit_and_try(ctx, &e, seed + (uint64_t)r, k, &accepted);
        wrong += wrong_at(memory.live != live, k, "leaves memory behind", ctx);
        wrong += wrong_at(memory.largest > most, k, "takes too much memory", ctx);
        live = memory.live;
    }
    wrong += wrong_at(longest_s > 5, longest_edit, "takes too long", ctx);
    for (k = 0; k < STAGES; k++)
        parts_free(&e.whole[k]);
    equal_u64(wrong, 0, "%s: %d edits do no harm, %d were accepted", e.row->name, count, accepted);
    if (told) printf("# edit %d took longest, %.3f s\n", longest_edit, longest_s);
}

/* How many edits are tried of a search, whose begin may make long tables; 0 = only if it is named. */
static int edits_of(const search_row *row)
{
    int edits = row->can & IS_SLOW                                               ? 0
                : row->kind == &magic_kind || row->kind == &magic_diagonals_kind ? 10
                : row->kind == &no3_kind || row->kind == &tsp_kind               ? 40
                                                                                 : 200;
    return test_small() ? edits / 4 : edits;
}

int main(int argc, char **argv)
{
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    uint64_t seed = random_u64();
    int i;
    test_meter_use(&open, &memory);
    if (!test_folder(folder, sizeof folder) || combgpu_open(&ctx, &open)) {
        printf("Bail out! the tests cannot begin\n");
        return 1;
    }
    for (i = 0; i < 2; i++)
        snprintf(shard_paths[i], sizeof shard_paths[i], "%s/%d", folder, i);
    if (argc > 3) search_edited(ctx, atoi(argv[1]), seed, atoi(argv[2]), atoi(argv[3]), 1);
    for (i = 0; i < ROWS && argc <= 3; i++)
        if (edits_of(row_at(i))) search_edited(ctx, i, seed, 0, edits_of(row_at(i)), 0);
    combgpu_close(ctx);
    for (i = 0; i < 2; i++)
        remove(shard_paths[i]);
    ok(rmdir(folder) == 0, "no file is left behind");
    return tap_end();
}
