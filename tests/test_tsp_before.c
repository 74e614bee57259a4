/* Tests the travelling salesman with precedence against dynamic programming over all sets, on small
   instances of every kind, and on TSPLIB's. COMBGPU_TEST_SLOW=1 adds those that take seconds. */
#include "test.h"

/* A call is refused with this status, and a message that says so. */
static void test_refused(combgpu_context *ctx, combgpu_status got, combgpu_status want,
                         const char *says, const char *name)
{
    const char *message = combgpu_message(ctx);
    if (!ok(got == want && strstr(message, says), "refused: %s", name))
        printf("# status %d: %s\n", (int)got, message);
}

/* ---- the oracle: least[visited][last], without thought for speed */

#define ORACLE_MOST 10
static double oracle_least[1 << ORACLE_MOST][ORACLE_MOST];

static double oracle(const combgpu_tsp_desc *desc)
{
    const combgpu_tsp_instance *instance = desc->instance;
    int n = instance->n, all = (1 << n) - 1, cycle = desc->shape == COMBGPU_TSP_CYCLE, set, i, j, k;
    double best = HUGE_VAL;
    for (set = 0; set <= all; set++)
        for (i = 0; i < n; i++)
            oracle_least[set][i] = HUGE_VAL;
    for (i = 0; i < n; i++) {
        int fine = cycle ? i == 0 : TEST_START(*desc) < 0 || i == TEST_START(*desc);
        for (k = 0; k < instance->before_count; k++)
            fine &= instance->before[2 * k + 1] != i;
        if (fine) oracle_least[1 << i][i] = 0;
    }
    for (set = 0; set <= all; set++)
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                double length = oracle_least[set][i] + instance->weights[i * n + j];
                int fine = !(set >> j & 1) && set >> i & 1;
                for (k = 0; k < instance->before_count && fine; k++)
                    fine = instance->before[2 * k + 1] != j || set >> instance->before[2 * k] & 1;
                if (fine && length < oracle_least[set | 1 << j][j])
                    oracle_least[set | 1 << j][j] = length;
            }
    for (i = 0; i < n; i++) {
        double length = oracle_least[all][i];
        if (cycle && n > 1) length += instance->weights[i * n];
        if (TEST_END(*desc) >= 0 && i != TEST_END(*desc)) continue;
        if (length < best) best = length;
    }
    return best;
}

/* ---- random instances */

typedef struct problem {
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    double weights[ORACLE_MOST * ORACLE_MOST];
    int pairs[40];
} problem;

/* Kinds of weights: large, few different ones (ties, twins), decimals, with a common divisor. Pairs
   follow a random order, so that a tour is left; some contradict the ends. */
static void random_problem(problem *p, int kind)
{
    int order[ORACLE_MOST], n = 1 + (int)(random_u64() % ORACLE_MOST), i, k;
    memset(p, 0, sizeof *p);
    for (i = 0; i < n; i++) {
        k = (int)(random_u64() % (uint64_t)(i + 1));
        order[i] = order[k];
        order[k] = i;
    }
    for (i = 0; i < n * n; i++) {
        uint64_t x = random_u64();
        p->weights[i] = kind == 0   ? (double)(x % 1000000007)
                        : kind == 1 ? (double)(x % 3)
                        : kind == 2 ? (double)(x % 100000) / 7
                                    : (double)(x % 60) * 35;
    }
    if (random_u64() % 2)
        for (i = 0; i < n * n; i++)
            p->weights[i] = p->weights[i / n < i % n ? i : i % n * n + i / n];
    p->instance.n = n;
    p->instance.weights = p->weights;
    p->desc.shape = random_u64() % 2 ? COMBGPU_TSP_PATH : COMBGPU_TSP_CYCLE;
    if (p->desc.shape == COMBGPU_TSP_CYCLE)
        for (i = 0; i < n; i++)
            if (!order[i]) {
                order[i] = order[0];
                order[0] = 0;
            }
    if (p->desc.shape == COMBGPU_TSP_PATH) {
        int start = random_u64() % 2 ? order[0] : -1;
        int end = n > 1 && random_u64() % 2 ? order[n - 1] : -1;
        TEST_SET_ENDS(p->desc, start, end);
    }
    p->instance.before = p->pairs;
    k = n > 1 ? 1 + (int)(random_u64() % 15) : 0;
    for (i = 0; i < k; i++) {
        int a = (int)(random_u64() % (uint64_t)n), b = (int)(random_u64() % (uint64_t)n);
        if (a == b) continue;
        p->pairs[2 * p->instance.before_count] = order[a < b ? a : b];
        p->pairs[2 * p->instance.before_count++ + 1] = order[a < b ? b : a];
    }
    p->desc.instance = &p->instance;
}

static int keeps_pairs(const combgpu_tsp_instance *instance, const int *tour)
{
    int place[COMBGPU_TSP_MAX_TOUR], i;
    memset(place, 0xff, sizeof place);
    for (i = 0; i < instance->n; i++) {
        if (tour[i] < 0 || tour[i] >= instance->n || place[tour[i]] >= 0) return 0;
        place[tour[i]] = i;
    }
    for (i = 0; i < instance->before_count; i++)
        if (place[instance->before[2 * i]] >= place[instance->before[2 * i + 1]]) return 0;
    return 1;
}

static double length_of(const combgpu_tsp_desc *desc, const int *tour)
{
    int n = desc->instance->n, i;
    double length = 0;
    for (i = 1; i < n + (desc->shape == COMBGPU_TSP_CYCLE && n > 1); i++)
        length += desc->instance->weights[tour[i - 1] * n + tour[i % n]];
    return length;
}

static int is_answer(const combgpu_tsp_desc *desc, combgpu_status status,
                     const combgpu_tsp_result *result, double want)
{
    double nearby = 1e-9 * (want + 1);
    return status == COMBGPU_OK && result->optimal && result->n == desc->instance->n &&
           keeps_pairs(desc->instance, result->tour) && fabs(result->length - want) <= nearby &&
           fabs(length_of(desc, result->tour) - want) <= nearby && result->feasible &&
           result->lower_bound <= result->length &&
           result->lower_bound >= result->length * (1 - 1e-14) &&
           (desc->shape == COMBGPU_TSP_PATH || !result->tour[0]) &&
           TEST_HAS_ENDS(*desc, result->tour, result->n);
}

static void random_instances(void)
{
    int kind, k, times = test_small() ? 20 : 150;
    for (kind = 0; kind < 4; kind++) {
        int wrong = 0, tried = 0;
        for (k = 0; k < times; k++) {
            problem p;
            combgpu_tsp_result result;
            combgpu_status status;
            random_problem(&p, kind);
            if (!p.instance.before_count) continue;
            status = combgpu_tsp(random_place(), &p.desc, &result);
            tried++;
            if (!is_answer(&p.desc, status, &result, oracle(&p.desc))) {
                wrong++;
                printf("# n %d, %d pairs: status %d, %.17g\n", p.instance.n,
                       p.instance.before_count, (int)status, result.length);
            }
        }
        ok(tried && !wrong, "%d random instances of kind %d: the oracle's length", tried, kind);
    }
}

/* ---- TSPLIB */

static void tsplib_optima(void)
{
    static const struct {
        const char *name;
        int n, optimum, slow;
    } files[] = {{"ESC07", 9, 2125, 0},   {"ESC11", 13, 2075, 0}, {"ESC12", 14, 1675, 0},
                 {"br17.10", 18, 55, 0},  {"br17.12", 18, 55, 0}, {"ESC25", 27, 1681, 0},
                 {"p43.1", 44, 28140, 1}, {"ESC47", 49, 1288, 1}};
    int i, slow = getenv("COMBGPU_TEST_SLOW") != NULL;
    for (i = 0; i < (int)(sizeof files / sizeof files[0]); i++) {
        char path[80];
        combgpu_tsp_instance instance;
        combgpu_tsp_desc desc;
        combgpu_tsp_result result;
        combgpu_status status;
        memset(&desc, 0, sizeof desc);
        snprintf(path, sizeof path, "tests/data/sop/%s.sop", files[i].name);
        if (!equal_status(CPU, combgpu_tsp_read(CPU, path, &instance), COMBGPU_OK, "%s is read",
                          files[i].name))
            continue;
        equal_u64((uint64_t)instance.n, (uint64_t)files[i].n, "%s: cities", files[i].name);
        desc.instance = &instance;
        desc.shape = i % 2 ? COMBGPU_TSP_PATH : COMBGPU_TSP_CYCLE; /* the weight back is 0 */
        if (files[i].slow && !slow)
            skip("COMBGPU_TEST_SLOW=1 proves it", files[i].name);
        else {
            status = combgpu_tsp(random_place(), &desc, &result);
            ok(is_answer(&desc, status, &result, files[i].optimum), "%s: %d, as published",
               files[i].name, files[i].optimum);
        }
        combgpu_tsp_free(CPU, &instance);
    }
}

/* ---- stopped early, first tours */

static combgpu_tsp_instance esc47;

static void stopped_early(void)
{
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_job *job;
    combgpu_status status;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.instance = &esc47;
    desc.shape = COMBGPU_TSP_PATH;
    equal_status(CPU, combgpu_tsp_begin(CPU, &desc, &job), COMBGPU_OK, "ESC47 begins");
    inside_limit_workers(job, 2);
    for (i = 0; i < 3; i++) {
        inside_set_budget(job, 100);
        combgpu_step(job);
    }
    status = combgpu_tsp_end(job, &result);
    equal_status(CPU, status, COMBGPU_STOPPED, "ESC47, stopped after 3 slices");
    ok(!result.optimal && keeps_pairs(&esc47, result.tour) && result.length >= 1288 &&
           length_of(&desc, result.tour) == result.length,
       "the best tour so far keeps all pairs");
    ok(result.lower_bound >= 438 && result.lower_bound <= 1288, "its bound is proven: %g",
       result.lower_bound);
}

static void first_tours(void)
{
    int pairs[4] = {3, 1, 2, 4}, fine[6] = {0, 3, 2, 5, 4, 1}, bad[6] = {0, 1, 2, 3, 4, 5};
    int rotated[6] = {3, 2, 5, 4, 1, 0}, i;
    double weights[36];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    for (i = 0; i < 36; i++)
        weights[i] = 1 + i * 37 % 19;
    memset(&desc, 0, sizeof desc);
    combgpu_tsp_from_matrix(CPU, 6, weights, &instance);
    equal_status(CPU, combgpu_tsp_set_before(CPU, &instance, 2, pairs), COMBGPU_OK, "two pairs");
    desc.instance = &instance;
    desc.start = fine;
    equal_status(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_OK, "a first tour is taken");
    ok(result.length == oracle(&desc), "and improved");
    desc.start = bad;
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_INVALID_ARGUMENT, "desc.start",
                 "a first tour that does not keep the pairs");
    desc.start = rotated;
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_INVALID_ARGUMENT, "desc.start[0]",
                 "a first tour that begins elsewhere");
    combgpu_tsp_free(CPU, &instance);
}

/* ---- errors */

static void refusals(void)
{
    int circle[6] = {1, 2, 2, 3, 3, 1}, itself[2] = {2, 2}, zero[2] = {1, 0}, away[2] = {0, 5};
    int pair[2] = {1, 2}, tour[5] = {0, 2, 1, 3, 4};
    double weights[25] = {0}, length;
    unsigned char foreign[] = "combgpu checkpoint 1\nproblem tsp heuristic\nparameters n 5\n    ";
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    memset(&desc, 0, sizeof desc);
    combgpu_tsp_from_matrix(CPU, 5, weights, &instance);
    desc.instance = &instance;
    test_refused(CPU, combgpu_tsp_set_before(CPU, &instance, 1, away), COMBGPU_INVALID_ARGUMENT,
                 "before[1] is 5", "a city that does not exist");
    test_refused(CPU, combgpu_tsp_set_before(CPU, &instance, -1, pair), COMBGPU_INVALID_ARGUMENT,
                 "before_count", "fewer pairs than none");
    test_refused(CPU, combgpu_tsp_set_before(CPU, &instance, 1, NULL), COMBGPU_INVALID_ARGUMENT,
                 "before", "no pairs");
    test_refused(CPU, combgpu_tsp_set_before(CPU, NULL, 1, pair), COMBGPU_INVALID_ARGUMENT,
                 "instance", "no instance");
    combgpu_tsp_set_before(CPU, &instance, 3, circle);
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_INVALID_ARGUMENT, "leaves no tour",
                 "pairs in a circle");
    combgpu_tsp_set_before(CPU, &instance, 1, itself);
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_INVALID_ARGUMENT, "before itself",
                 "a city before itself");
    combgpu_tsp_set_before(CPU, &instance, 1, zero);
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_INVALID_ARGUMENT, "a cycle begins",
                 "a city before the cycle's first");
    desc.shape = COMBGPU_TSP_PATH;
    TEST_SET_ENDS(desc, 0, -1);
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_INVALID_ARGUMENT, "desc.path_start",
                 "a city before the path's first");
    TEST_SET_ENDS(desc, -1, 1);
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_INVALID_ARGUMENT, "desc.path_end",
                 "a city after the path's last");
    TEST_SET_ENDS(desc, -1, -1);
    desc.method = COMBGPU_TSP_BRUTE_FORCE;
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_UNSUPPORTED, "desc.method",
                 "brute force with precedence");
    desc.method = COMBGPU_TSP_AUTO;
    desc.run.shard_count = 2;
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "desc.run.shard_count", "shards with precedence");
    combgpu_tsp_set_before(CPU, &instance, 1, pair);
    test_refused(CPU, combgpu_tsp_length(CPU, &instance, COMBGPU_TSP_CYCLE, tour, &length),
                 COMBGPU_INVALID_ARGUMENT, "city 1 must come before city 2",
                 "the length of a tour that does not keep a pair");
    desc.run.shard_count = 0;
    desc.run.resume_data = test_mend(foreign, sizeof foreign - 1);
    desc.run.resume_bytes = sizeof foreign - 1;
    test_refused(CPU, combgpu_tsp(CPU, &desc, &result), COMBGPU_WRONG_JOB, "another job",
                 "a checkpoint of the heuristic with precedence");
    equal_status(CPU, combgpu_tsp_set_before(CPU, &instance, 0, NULL), COMBGPU_OK, "pairs removed");
    equal_status(CPU, combgpu_tsp_length(CPU, &instance, COMBGPU_TSP_CYCLE, tour, &length),
                 COMBGPU_OK, "then the tour is one");
    combgpu_tsp_free(CPU, &instance);
}

/* A pair in place of a minute of service, or of a longer leg, is another job. */
static void other_jobs(void)
{
    const int pair[2] = {1, 3};
    double weights[25], service[5] = {0, 0, 0, 1, 0};
    static unsigned char saved[2][8192];
    size_t bytes[2];
    combgpu_tsp_instance instance, longer;
    combgpu_tsp_windows_desc windows;
    combgpu_tsp_windows_result visited;
    combgpu_tsp_tours_desc tours;
    combgpu_tsp_tours_result listed;
    combgpu_job *job;
    int i;
    for (i = 0; i < 25; i++)
        weights[i] = 1 + i * 7 % 11;
    combgpu_tsp_from_matrix(CPU, 5, weights, &instance);
    weights[3 * 5]++;
    combgpu_tsp_from_matrix(CPU, 5, weights, &longer);
    memset(&windows, 0, sizeof windows);
    memset(&tours, 0, sizeof tours);
    windows.instance = &instance;
    windows.service = service;
    tours.instance = &longer;
    tours.count = 3;
    combgpu_tsp_windows_begin(CPU, &windows, &job);
    combgpu_save(job, saved[0], sizeof saved[0], &bytes[0]);
    combgpu_tsp_windows_end(job, &visited);
    combgpu_tsp_tours_begin(CPU, &tours, &job);
    combgpu_save(job, saved[1], sizeof saved[1], &bytes[1]);
    combgpu_tsp_tours_end(job, &listed);
    combgpu_tsp_set_before(CPU, &instance, 1, pair);
    service[3] = 0;
    windows.run.resume_data = saved[0];
    windows.run.resume_bytes = bytes[0];
    tours.instance = &instance;
    tours.run.resume_data = saved[1];
    tours.run.resume_bytes = bytes[1];
    test_refused(CPU, combgpu_tsp_windows(CPU, &windows, &visited), COMBGPU_WRONG_JOB,
                 "another job", "time windows: a checkpoint with service, none with the pair");
    test_refused(CPU, combgpu_tsp_tours(CPU, &tours, &listed), COMBGPU_WRONG_JOB, "another job",
                 "shortest tours: a checkpoint of a longer leg and no pair");
    combgpu_tsp_free(CPU, &instance);
    combgpu_tsp_free(CPU, &longer);
}

static void bad_file(const char *body, const char *says, const char *name)
{
    char text[400];
    combgpu_tsp_instance instance;
    snprintf(text, sizeof text, "TYPE: SOP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n%s", body);
    test_refused(CPU, combgpu_tsp_parse(CPU, text, strlen(text), &instance),
                 strstr(says, "FULL") ? COMBGPU_UNSUPPORTED : COMBGPU_BAD_FILE, says, name);
}

static void files(void)
{
    static const char good[] = "TYPE: SOP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                               "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                               "0 1 2\n-1 0 3\n-1 -1 0\nEOF\n";
    combgpu_tsp_instance instance;
    equal_status(CPU, combgpu_tsp_parse(CPU, good, strlen(good), &instance), COMBGPU_OK,
                 "a SOP without the dimension in its section is read");
    ok(instance.before_count == 3 && instance.before[0] == 0 && instance.before[1] == 1 &&
           instance.weights[3] == 0 && instance.weights[5] == 3,
       "-1 becomes a pair and the weight 0");
    combgpu_tsp_free(CPU, &instance);
    ok(!instance.before && !instance.before_count, "and is freed with the instance");
    bad_file("EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n3\n0 1 2 -1 0 3 -1 -0.5 0\n",
             "it may be -1 or 0", "a weight below 0 that is not -1");
    bad_file("EDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n3\n1 2 3\n", "FULL_MATRIX",
             "a triangle");
    bad_file("EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n3\n0 1 2 -1 0 3 -1 -1\n",
             "has 8 numbers", "a matrix that ends early");
}

int main(void)
{
    open_places();
    random_instances();
    tsplib_optima();
    combgpu_tsp_read(CPU, "tests/data/sop/ESC47.sop", &esc47);
    stopped_early();
    combgpu_tsp_free(CPU, &esc47);
    first_tours();
    refusals();
    other_jobs();
    files();
    close_places();
    return tap_end();
}
