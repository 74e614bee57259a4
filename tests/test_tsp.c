/* Tests the travelling salesman: brute force and Held-Karp against an oracle, TSPLIB files in and out. */
#define COMBGPU_ONLY_TSP 1
#include "test.h"

/* ---- the oracle: every tour by recursion, in lexicographic order; the first shortest one stays */

#define MOST 24
static struct {
    const double *weights;
    int n, cycle, start, end, symmetric;
    int tour[MOST], best[MOST];
    double length;
    uint64_t tours;
} oracle;

static void oracle_visit(int place, unsigned used, double length)
{
    int n = oracle.n, c;
    if (place == n) {
        if (oracle.end >= 0 && oracle.tour[n - 1] != oracle.end) return;
        if (oracle.symmetric && oracle.cycle && n > 2 && oracle.tour[1] > oracle.tour[n - 1])
            return;
        if (oracle.symmetric && !oracle.cycle && n > 1 && oracle.start < 0 && oracle.end < 0 &&
            oracle.tour[0] > oracle.tour[n - 1])
            return;
        if (oracle.cycle && n > 1) length += oracle.weights[oracle.tour[n - 1] * n];
        if (!oracle.tours++ || length < oracle.length) {
            oracle.length = length;
            memcpy(oracle.best, oracle.tour, sizeof oracle.best);
        }
        return;
    }
    for (c = 0; c < n; c++) {
        if (used >> c & 1) continue;
        if (!place && oracle.cycle && c) continue;
        if (!place && oracle.start >= 0 && c != oracle.start) continue;
        oracle.tour[place] = c;
        oracle_visit(place + 1, used | 1u << c,
                     length + (place ? oracle.weights[oracle.tour[place - 1] * n + c] : 0));
    }
}

/* Weights must be sums of few powers of two, so that the oracle's sums of doubles are exact. */
static void oracle_solve(const combgpu_tsp_desc *desc)
{
    int n = desc->instance->n, i, j;
    memset(&oracle, 0, sizeof oracle);
    oracle.weights = desc->instance->weights;
    oracle.n = n;
    oracle.cycle = desc->shape == COMBGPU_TSP_CYCLE;
    oracle.start = TEST_START(*desc);
    oracle.end = TEST_END(*desc);
    oracle.symmetric = 1;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (oracle.weights[i * n + j] != oracle.weights[j * n + i]) oracle.symmetric = 0;
    oracle_visit(0, 0, 0);
}

/* ---- random instances */

static double random_weights[MOST * MOST];

/* Kinds of weights: ties, zeros, ordinary, large, halves, quarters of large numbers. */
static combgpu_tsp_instance random_instance(int n, int symmetric, int kind)
{
    static const int ranges[6] = {2, 5, 1000, 1000000000, 64, 1 << 30};
    combgpu_tsp_instance instance;
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double w = random_below(ranges[kind]);
            if (kind == 1) w = w < 3 ? 0 : w;
            if (kind == 4) w /= 2;
            if (kind == 5) w *= 0.25;
            random_weights[i * n + j] = symmetric && j < i ? random_weights[j * n + i] : w;
        }
    memset(&instance, 0, sizeof instance);
    instance.n = n;
    instance.weights = random_weights;
    return instance;
}

static combgpu_tsp_desc description(const combgpu_tsp_instance *instance, combgpu_tsp_method method)
{
    combgpu_tsp_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.instance = instance;
    desc.method = method;
    return desc;
}

static int equal_tours(const int *a, const int *b, int n)
{
    return !memcmp(a, b, (size_t)n * sizeof *a);
}

static double length_of(combgpu_context *ctx, const combgpu_tsp_instance *instance,
                        combgpu_tsp_shape shape, const int *tour)
{
    double length = -1;
    combgpu_tsp_length(ctx, instance, shape, tour, &length);
    return length;
}

/* One random instance at one place, both methods; the name of what is wrong, or NULL. */
static const char *random_case(combgpu_context *ctx, int n, combgpu_tsp_instance *instance,
                               combgpu_tsp_shape shape, int start, int end)
{
    combgpu_tsp_desc desc = description(instance, COMBGPU_TSP_AUTO);
    combgpu_tsp_result result;
    int method;
    desc.shape = shape;
    TEST_SET_ENDS(desc, start, end);
    oracle_solve(&desc);
    for (method = COMBGPU_TSP_BRUTE_FORCE; method <= COMBGPU_TSP_HELD_KARP; method++) {
        desc.method = (combgpu_tsp_method)method;
        if (combgpu_tsp(ctx, &desc, &result)) return combgpu_message(ctx);
        if (result.length != oracle.length) return "length";
        if (!equal_tours(result.tour, oracle.best, n)) return "tour";
        if (!result.optimal || result.lower_bound != result.length || result.n != n) return "proof";
        if (method == COMBGPU_TSP_BRUTE_FORCE &&
            (result.tours != oracle.tours || result.run.steps != oracle.tours))
            return "tours looked at";
        if (length_of(ctx, instance, shape, result.tour) != result.length) return "tsp_length";
    }
    return NULL;
}

/* What AUTO chooses for few cities, as the header says. */
static void test_automatic(combgpu_context *ctx)
{
    static const int most[4][3] = {{9, -1, -1}, {8, -1, -1}, {9, 0, -1}, {10, 0, 1}};
    combgpu_tsp_result result;
    int k, n, wrong = 0;
    for (k = 0; k < 4; k++)
        for (n = 7; n <= 12; n++) {
            combgpu_tsp_instance instance = random_instance(n, 1, 2);
            combgpu_tsp_desc desc = description(&instance, COMBGPU_TSP_AUTO);
            desc.shape = k ? COMBGPU_TSP_PATH : COMBGPU_TSP_CYCLE;
            if (k) TEST_SET_ENDS(desc, most[k][1], most[k][2]);
            wrong += combgpu_tsp(ctx, &desc, &result) ||
                     result.method !=
                         (n <= most[k][0] ? COMBGPU_TSP_BRUTE_FORCE : COMBGPU_TSP_HELD_KARP);
        }
    ok(!wrong, "brute force up to 9 cities; paths: 8, with one end given 9, with both 10");
}

static void test_random(combgpu_context *ctx, const char *place, int cases, int most)
{
    int i, wrong = 0;
    for (i = 0; i < cases && !wrong; i++) {
        int n = 1 + random_below(most), symmetric = random_below(2), kind = random_below(6);
        combgpu_tsp_instance instance = random_instance(n, symmetric, kind);
        int path = random_below(2), start = -1, end = -1;
        const char *what;
        if (path && random_below(2)) start = random_below(n);
        if (path && random_below(2)) end = random_below(n);
        if (start == end && n > 1) end = -1;
        what =
            random_case(ctx, n, &instance, path ? COMBGPU_TSP_PATH : COMBGPU_TSP_CYCLE, start, end);
        if (what) {
            wrong = 1;
            printf("# case %d: n %d, symmetric %d, kind %d, path %d from %d to %d: %s\n", i, n,
                   symmetric, kind, path, start, end, what);
        }
    }
    ok(!wrong, "%s: %d random instances up to n = %d: brute force = Held-Karp = oracle, tour too",
       place, cases, most);
}

/* ---- every place gives the same */

typedef struct answer {
    double length;
    int tour[MOST];
    uint64_t steps, tours, checksum;
} answer;

static answer answer_of(const combgpu_tsp_result *result)
{
    answer a;
    memset(&a, 0, sizeof a);
    a.length = result->length;
    memcpy(a.tour, result->tour, (size_t)result->n * sizeof *a.tour);
    a.steps = result->run.steps;
    a.tours = result->tours;
    a.checksum = result->run.checksum;
    return a;
}

static int equal_answers(const answer *a, const answer *b)
{
    return a->length == b->length && a->steps == b->steps && a->tours == b->tours &&
           a->checksum == b->checksum && equal_tours(a->tour, b->tour, MOST);
}

/* The requests that all places must agree on. */
typedef struct request {
    const char *name;
    int n, symmetric, kind;
    combgpu_tsp_method method;
    combgpu_tsp_shape shape;
    int start, end;
} request;
static const request requests[] = {
    {"brute force, cycle", 11, 1, 2, COMBGPU_TSP_BRUTE_FORCE, COMBGPU_TSP_CYCLE, -1, -1},
    {"brute force, one way", 11, 0, 0, COMBGPU_TSP_BRUTE_FORCE, COMBGPU_TSP_CYCLE, -1, -1},
    {"brute force, path of halves", 10, 1, 4, COMBGPU_TSP_BRUTE_FORCE, COMBGPU_TSP_PATH, -1, -1},
    {"Held-Karp, cycle", 13, 1, 2, COMBGPU_TSP_HELD_KARP, COMBGPU_TSP_CYCLE, -1, -1},
    {"Held-Karp, one way, ties", 13, 0, 0, COMBGPU_TSP_HELD_KARP, COMBGPU_TSP_CYCLE, -1, -1},
    {"Held-Karp, path, 64-bit", 12, 1, 5, COMBGPU_TSP_HELD_KARP, COMBGPU_TSP_PATH, -1, 2},
};
#define REQUESTS ((int)(sizeof requests / sizeof requests[0]))
static double request_weights[REQUESTS][MOST * MOST];
static combgpu_tsp_instance request_instances[REQUESTS];
static answer expected[REQUESTS];

static combgpu_tsp_desc request_desc(int i)
{
    combgpu_tsp_desc desc = description(&request_instances[i], requests[i].method);
    desc.shape = requests[i].shape;
    TEST_SET_ENDS(desc, requests[i].start, requests[i].end);
    return desc;
}

static void make_requests(void)
{
    int i;
    for (i = 0; i < REQUESTS; i++) {
        request_instances[i] =
            random_instance(requests[i].n, requests[i].symmetric, requests[i].kind);
        memcpy(request_weights[i], random_weights, sizeof random_weights);
        request_instances[i].weights = request_weights[i];
    }
}

static void test_equal(combgpu_context *ctx, const char *place, int first)
{
    int i;
    for (i = 0; i < REQUESTS; i++) {
        combgpu_tsp_desc desc = request_desc(i);
        combgpu_tsp_result result;
        answer got;
        if (!equal_status(ctx, combgpu_tsp(ctx, &desc, &result), COMBGPU_OK, "%s: %s: solved",
                          place, requests[i].name))
            continue;
        got = answer_of(&result);
        if (first) expected[i] = got;
        ok(equal_answers(&got, &expected[i]), "%s: %s: equal length, tour, steps, checksum", place,
           requests[i].name);
    }
}

static void test_shards(combgpu_context *ctx, const char *place)
{
    static const int counts[3] = {1, 3, 7};
    int i, k, s;
    for (i = 0; i < REQUESTS; i++) {
        if (requests[i].method != COMBGPU_TSP_BRUTE_FORCE) continue;
        for (k = 0; k < 3; k++) {
            combgpu_tsp_desc desc = request_desc(i);
            combgpu_tsp_result result;
            answer sum;
            int wrong = 0;
            memset(&sum, 0, sizeof sum);
            sum.length = HUGE_VAL;
            desc.run.shard_count = counts[k];
            for (s = 0; s < counts[k]; s++) {
                answer part;
                desc.run.shard_index = s;
                if (combgpu_tsp(ctx, &desc, &result)) wrong = 1;
                part = answer_of(&result);
                if (counts[k] > 1 && (result.optimal || result.lower_bound > expected[i].length))
                    wrong = 1;
                sum.steps += part.steps;
                sum.tours += part.tours;
                sum.checksum += part.checksum;
                if (part.length < sum.length ||
                    (part.length == sum.length && memcmp(part.tour, sum.tour, sizeof part.tour) &&
                     part.tour[1] < sum.tour[1])) {
                    sum.length = part.length;
                    memcpy(sum.tour, part.tour, sizeof sum.tour);
                }
            }
            ok(!wrong && sum.length == expected[i].length && sum.tours == expected[i].tours &&
                   sum.steps == expected[i].steps && sum.checksum == expected[i].checksum,
               "%s: %s: %d shards add up", place, requests[i].name, counts[k]);
        }
    }
}

TEST_SEARCH(tsp)

/* Stops and resumes at random moments, each time in the other context. */
static void test_resume(combgpu_context *a, combgpu_context *b, const char *place)
{
    int i;
    for (i = 0; i < REQUESTS; i++) {
        combgpu_tsp_desc desc = request_desc(i);
        combgpu_tsp_result result;
        test_search search = tsp_search(&desc, &result, 3000);
        answer got;
        int pieces;
        /* else a large GPU is through in four slices, since a worker takes 128 prefixes at once */
        if (desc.method == COMBGPU_TSP_BRUTE_FORCE) search.workers = 2;
        search.most = 13; /* Held-Karp begins again: some time it must get through */
        search.one = a;
        search.other = b;
        memset(&result, 0, sizeof result);
        pieces = test_pieces(&search);
        got = answer_of(&result);
        ok(pieces > 2 && equal_answers(&got, &expected[i]), "%s: %s: equal after %d stops", place,
           requests[i].name, pieces - 1);
    }
}

/* A record buffer of one loses nothing: the others find their prefix again. */
static void test_overflow(combgpu_context *ctx, const char *place)
{
    combgpu_tsp_desc desc = request_desc(0);
    combgpu_tsp_result result;
    combgpu_job *job;
    answer got;
    if (combgpu_tsp_begin(ctx, &desc, &job)) {
        ok(0, "%s: begin: %s", place, combgpu_message(ctx));
        return;
    }
    inside_set_record_room(job, 1);
    inside_set_budget(job, 2000);
    while (combgpu_step(job) == COMBGPU_RUNNING)
        inside_set_budget(job, 2000);
    combgpu_tsp_end(job, &result);
    got = answer_of(&result);
    ok(equal_answers(&got, &expected[0]), "%s: room for one record: still equal", place);
}

/* ---- things that depend on no backend */

static void test_small_cases(combgpu_context *ctx)
{
    double w[9] = {0, 2, 9, 4, 0, 1, 3, 8, 0};
    int n, method;
    for (n = 1; n <= 3; n++)
        for (method = 0; method <= 2; method++) {
            double weights[9];
            combgpu_tsp_instance instance;
            combgpu_tsp_desc desc;
            combgpu_tsp_result result;
            int i;
            for (i = 0; i < n * n; i++)
                weights[i] = w[i / n * 3 + i % n];
            memset(&instance, 0, sizeof instance);
            instance.n = n;
            instance.weights = weights;
            desc = description(&instance, (combgpu_tsp_method)method);
            ok(!combgpu_tsp(ctx, &desc, &result) && result.optimal &&
                   result.length == (n == 1 ? 0 : 6) && result.tour[0] == 0 &&
                   (method == 2) == (result.method == COMBGPU_TSP_HELD_KARP),
               "n = %d, method %d: a cycle", n, method);
            desc.shape = COMBGPU_TSP_PATH;
            ok(!combgpu_tsp(ctx, &desc, &result) && result.length == (n == 1   ? 0
                                                                      : n == 2 ? 2
                                                                               : 3),
               "n = %d, method %d: a path", n, method);
            TEST_SET_ENDS(desc, n - 1, n - 1);
            if (n == 1)
                ok(!combgpu_tsp(ctx, &desc, &result) && result.length == 0 && result.n == 1,
                   "method %d: a path from the only city to itself", method);
            desc.path_end = 0;
            if (n == 2)
                ok(!combgpu_tsp(ctx, &desc, &result) && result.length == 4 && result.tour[0] == 1 &&
                       result.tour[1] == 0,
                   "method %d: a path of two fixed ends", method);
            if (n == 3)
                ok(!combgpu_tsp(ctx, &desc, &result) && result.length == 12 &&
                       result.tour[1] == 1 && result.tours == (result.method == 1),
                   "method %d: a path of two fixed ends and one city", method);
        }
}

/* A few cities are done on the host: by one of the shards. */
static void test_small_shards(combgpu_context *ctx)
{
    combgpu_tsp_instance instance = random_instance(6, 1, 2);
    combgpu_tsp_desc desc = description(&instance, COMBGPU_TSP_BRUTE_FORCE);
    combgpu_tsp_result result, sum;
    int wrong = 0;
    memset(&sum, 0, sizeof sum);
    desc.run.shard_count = 3;
    for (desc.run.shard_index = 0; desc.run.shard_index < 3; desc.run.shard_index++) {
        wrong += combgpu_tsp(ctx, &desc, &result) != COMBGPU_OK;
        sum.tours += result.tours;
        add_run(&sum.run, &result.run);
    }
    desc.run.shard_count = desc.run.shard_index = 0;
    wrong += combgpu_tsp(ctx, &desc, &result) != COMBGPU_OK;
    ok(!wrong && sum.tours == 60 && result.tours == 60 && equal_runs(&sum.run, &result.run),
       "6 cities, 3 shards: each of the 60 tours is looked at once");
}

/* Sums of decimals are exact: 0.1 + 0.2 and 0.3 are no tie, and direction does not matter. */
static void test_decimals(combgpu_context *ctx)
{
    static double w[16];
    int i, j, k, method, agree = 1, symmetric_agree = 1;
    combgpu_tsp_instance instance;
    memset(&instance, 0, sizeof instance);
    instance.n = 12;
    for (k = 0; k < 20; k++) {
        static double weights[144];
        combgpu_tsp_result results[2];
        int reverse[12];
        for (i = 0; i < 12; i++)
            for (j = 0; j <= i; j++)
                weights[i * 12 + j] = weights[j * 12 + i] = random_below(30) * 0.1;
        instance.weights = weights;
        for (method = 1; method <= 2; method++) {
            combgpu_tsp_desc desc = description(&instance, (combgpu_tsp_method)method);
            if (method == 1 && k > 1) continue;
            if (combgpu_tsp(ctx, &desc, &results[method - 1])) agree = 0;
        }
        if (k < 2)
            agree = agree && results[0].length == results[1].length &&
                    equal_tours(results[0].tour, results[1].tour, 12);
        reverse[0] = 0;
        for (i = 1; i < 12; i++)
            reverse[i] = results[1].tour[12 - i];
        symmetric_agree =
            symmetric_agree &&
            length_of(ctx, &instance, COMBGPU_TSP_CYCLE, reverse) == results[1].length &&
            length_of(ctx, &instance, COMBGPU_TSP_CYCLE, results[1].tour) == results[1].length;
    }
    ok(agree, "decimals: brute force and Held-Karp agree on length and tour");
    ok(symmetric_agree, "decimals: a tour is exactly as long as its reverse");
    /* 1/3 of the earth: weights in units, not in sums of rounded doubles */
    for (i = 0; i < 16; i++)
        w[i] = i % 5 ? 1e-3 / 3 : 0;
    instance.n = 4;
    instance.weights = w;
    {
        combgpu_tsp_desc desc = description(&instance, COMBGPU_TSP_HELD_KARP);
        combgpu_tsp_result result;
        ok(!combgpu_tsp(ctx, &desc, &result) && fabs(result.length - 4e-3 / 3) < 1e-18,
           "decimals: four thirds of a thousandth");
        w[1] = w[4] = 1e300;
        w[7] = w[13] = 1e-300;
        ok(!combgpu_tsp(ctx, &desc, &result) && result.length < 1e299,
           "decimals: weights of 1e300 and 1e-300 in one instance");
    }
}

static void test_metrics(combgpu_context *ctx)
{
    static const struct {
        combgpu_tsp_metric metric;
        double x, y, want;
        const char *why;
    } cases[] = {{COMBGPU_TSP_EUC_2D, 1, 1, 1, "1.41 to 1"},
                 {COMBGPU_TSP_EUC_2D, 1.5, 2, 3, "2.5 to 3"},
                 {COMBGPU_TSP_CEIL_2D, 1, 1, 2, "1.41 up to 2"},
                 {COMBGPU_TSP_CEIL_2D, 3, 4, 5, "5 stays"},
                 {COMBGPU_TSP_MAN_2D, 1.2, -2.2, 3, "3.4 to 3"},
                 {COMBGPU_TSP_MAN_2D, 1.3, 2.2, 4, "3.5 to 4"},
                 {COMBGPU_TSP_MAX_2D, -2.5, 2.2, 3, "2.5 to 3"},
                 {COMBGPU_TSP_ATT, 1, 1, 1, "0.447 up to 1"},
                 {COMBGPU_TSP_ATT, 10, 0, 4, "3.16 up to 4"},
                 {COMBGPU_TSP_ATT, 30, 10, 10, "10 stays"},
                 {COMBGPU_TSP_PLANE, 1.5, 2, 2.5, "2.5"},
                 {COMBGPU_TSP_PLANE, 0, 1e200, 1e200, "no square that is infinite"},
                 {COMBGPU_TSP_PLANE, 1e-200, 0, 1e-200, "no square that is zero"},
                 {COMBGPU_TSP_GEO, 0, 0, 1, "the same place is 1 away"},
                 {COMBGPU_TSP_GEO, 0.30, 0, 56, "half a degree, written .30"},
                 {COMBGPU_TSP_FLOOR_2D, 1, 1, 1, "1.41 down to 1"},
                 {COMBGPU_TSP_FLOOR_2D, 3, 4, 5, "5 stays"},
                 {COMBGPU_TSP_GEOM, 0, 0, 1, "the same place is 1 away"},
                 {COMBGPU_TSP_GEOM, 0.5, 0, 55662, "half a degree in metres"},
                 {COMBGPU_TSP_GEOM, 60, 90, 10019149, "a quarter of a circle"}};
    double x[2] = {0, 52.52}, y[2] = {0, 13.405}, length;
    int i, tour[2] = {0, 1};
    combgpu_tsp_instance instance;
    for (i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        x[1] = cases[i].x;
        y[1] = cases[i].y;
        ok(!combgpu_tsp_from_coordinates(ctx, 2, x, y, cases[i].metric, &instance) &&
               instance.weights[1] == cases[i].want && instance.symmetric &&
               instance.integral == (cases[i].metric != COMBGPU_TSP_PLANE),
           "metric %d rounds %s", (int)cases[i].metric, cases[i].why);
        combgpu_tsp_free(ctx, &instance);
    }
    x[0] = 48.8566; /* Paris to Berlin: 877.46 km on this sphere */
    y[0] = 2.3522;
    x[1] = 52.52;
    y[1] = 13.405;
    ok(!combgpu_tsp_from_coordinates(ctx, 2, x, y, COMBGPU_TSP_EARTH, &instance) &&
           fabs(instance.weights[1] - 877.46) < 0.02,
       "EARTH: great circle in km");
    ok(!combgpu_tsp_length(ctx, &instance, COMBGPU_TSP_CYCLE, tour, &length) &&
           length == 2 * instance.weights[1],
       "tsp_length: there and back");
    ok(!combgpu_tsp_length(ctx, &instance, COMBGPU_TSP_PATH, tour, &length) &&
           length == instance.weights[1],
       "tsp_length: there");
    combgpu_tsp_free(ctx, &instance);
    {
        int weights[4] = {-1, 5, 7, 99};
        ok(!combgpu_tsp_from_int_matrix(ctx, 2, weights, &instance) && instance.weights[2] == 7 &&
               !instance.symmetric && instance.integral,
           "from_int_matrix keeps the weights, and ignores the diagonal");
        combgpu_tsp_free(ctx, &instance);
        ok(!instance.weights && !instance.n, "tsp_free leaves an empty struct");
    }
}

/* A message is right if it holds this. */
static void test_arguments(combgpu_context *ctx)
{
    double w[4] = {0, 1, 2, 0}, x[2] = {0, 1}, y[2] = {0, 1}, length;
    static double large[64 * 64];
    combgpu_tsp_instance instance, made;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_job *job;
    int tour[2] = {0, 1}, bad[2] = {1, 1}, i, nine = 9;
    char text[64];
    memset(&instance, 0, sizeof instance);
    instance.n = 2;
    instance.weights = w;
#define REFUSED(change, want, part)                                                                \
    desc = description(&instance, COMBGPU_TSP_AUTO);                                               \
    change;                                                                                        \
    refused_as(ctx, combgpu_tsp(ctx, &desc, &result), want, part)
#define BAD(change, part) REFUSED(change, COMBGPU_INVALID_ARGUMENT, part)
    BAD(desc.instance = NULL, "desc.instance is NULL");
    BAD(memcpy(&desc.method, &nine, sizeof desc.method), "desc.method is 9");
    BAD(memcpy(&desc.shape, &nine, sizeof desc.shape), "desc.shape is 9");
    BAD(memcpy(&desc.path_ends, &nine, sizeof desc.path_ends), "desc.path_ends is 9");
    BAD(TEST_SET_ENDS(desc, 1, -1), "desc.path_ends is 1, but desc.shape is a cycle");
    BAD(desc.path_start = 1, "desc.path_start is 1, but desc.path_ends does not fix the start");
    BAD((desc.shape = COMBGPU_TSP_PATH, TEST_SET_ENDS(desc, 0, -1), desc.path_end = 1),
        "desc.path_end is 1, but desc.path_ends does not fix the end");
    BAD((desc.shape = COMBGPU_TSP_PATH, TEST_SET_ENDS(desc, -1, 2)),
        "desc.path_end is 2; it may be a city, 0 to 1");
    BAD((desc.shape = COMBGPU_TSP_PATH, TEST_SET_ENDS(desc, 0, -1), desc.path_start = -1),
        "desc.path_start is -1");
    BAD((desc.shape = COMBGPU_TSP_PATH, TEST_SET_ENDS(desc, 1, 1)),
        "desc.path_start and desc.path_end are both 1");
    BAD((desc.method = COMBGPU_TSP_HELD_KARP, desc.run.shard_count = 2),
        "desc.run.shard_count is 2; Held-Karp");
    BAD(desc.run.slice_ms = -1, "run.slice_ms");
    instance.n = 0;
    BAD((void)0, "desc.instance->n is 0");
    instance.n = COMBGPU_TSP_MAX_DIMENSION + 1;
    BAD((void)0, "desc.instance->n is 10001");
    instance.n = 2;
    instance.weights = NULL;
    BAD((void)0, "desc.instance->weights is NULL");
    instance.weights = w;
    w[1] = -2e300;
    BAD((void)0, "from city 0 to city 1 (counted from 0) is -2e+300");
    w[1] = 2e300;
    BAD((void)0, "is 2e+300; it may be -1e300 to 1e300, or infinite");
    w[1] = -HUGE_VAL;
    BAD((void)0, "is -inf; it may be");
    w[1] = 1;
    instance.weights = large;
    instance.n = 17;
    REFUSED(desc.method = COMBGPU_TSP_BRUTE_FORCE, COMBGPU_UNSUPPORTED,
            "desc.instance->n is 17; brute force takes at most 16 cities (here 1.05e+13 tours");
    instance.n = 33;
    REFUSED(desc.method = COMBGPU_TSP_HELD_KARP, COMBGPU_UNSUPPORTED,
            "Held-Karp takes at most 32 cities");
    instance.n = 64;
    REFUSED(
        desc.method = COMBGPU_TSP_HELD_KARP, COMBGPU_UNSUPPORTED,
        "desc.instance->n is 64; Held-Karp takes at most 32 cities for this shape (here its table");
    BAD(desc.run.shard_count = 2, "Held-Karp cannot be split");
    instance.n = 32;
    REFUSED(desc.method = COMBGPU_TSP_HELD_KARP, COMBGPU_DEVICE_OUT_OF_MEMORY,
            "needs a table of 115964116992 bytes");
    instance.weights = w;
    instance.n = 2;
    desc = description(&instance, COMBGPU_TSP_AUTO);
    INVALID(combgpu_tsp(ctx, NULL, &result), "desc is NULL");
    equal_status(ctx, combgpu_tsp(ctx, &desc, NULL), COMBGPU_OK, "result may be NULL");
    INVALID(combgpu_tsp_begin(ctx, &desc, NULL), "job is NULL");
    ok(combgpu_tsp_begin(ctx, &desc, &job) == COMBGPU_OK, "begin");
    equal_status(ctx, combgpu_tsp_end(job, NULL), COMBGPU_STOPPED, "so at the end of a job");
    ok(combgpu_tsp(NULL, &desc, &result) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_tsp_end(NULL, &result) == COMBGPU_INVALID_ARGUMENT,
       "NULL contexts and jobs are refused");

    INVALID(combgpu_tsp_from_matrix(ctx, 0, w, &made), "n is 0");
    INVALID(combgpu_tsp_from_matrix(ctx, 2, NULL, &made), "weights is NULL");
    INVALID(combgpu_tsp_from_int_matrix(ctx, 2, bad, NULL), "instance is NULL");
    INVALID(combgpu_tsp_from_coordinates(ctx, 2, x, NULL, COMBGPU_TSP_GEO, &made), "y is NULL");
    INVALID(combgpu_tsp_from_coordinates(ctx, 2, x, y, COMBGPU_TSP_MATRIX, &made), "metric is 0");
    x[1] = NAN;
    INVALID(combgpu_tsp_from_coordinates(ctx, 2, x, y, COMBGPU_TSP_GEO, &made),
            "city 1 (counted from 0) is at");
    x[1] = 91;
    INVALID(combgpu_tsp_from_coordinates(ctx, 2, x, y, COMBGPU_TSP_EARTH, &made), "latitude 91");
    x[1] = 1e17;
    INVALID(combgpu_tsp_from_coordinates(ctx, 2, x, y, COMBGPU_TSP_EUC_2D, &made),
            "the distance between cities 0 and 1 (counted from 0) is");
    x[0] = -1e300;
    x[1] = 1e300;
    INVALID(combgpu_tsp_from_coordinates(ctx, 2, x, y, COMBGPU_TSP_PLANE, &made),
            "may be at most 1e300");
    INVALID(combgpu_tsp_length(ctx, &instance, COMBGPU_TSP_CYCLE, bad, &length),
            "tour[1] is city 1 (counted from 0), which the tour has already visited");
    bad[0] = 2;
    INVALID(combgpu_tsp_length(ctx, &instance, COMBGPU_TSP_CYCLE, bad, &length),
            "tour[0] is city 2; it may be city 0 to city 1 (counted from 0)");
    memcpy(&desc.shape, &nine, sizeof desc.shape);
    INVALID(combgpu_tsp_length(ctx, &instance, desc.shape, tour, &length), "shape is 9");
    INVALID(combgpu_tsp_write_tour(ctx, "x", 2, tour, text, 10, NULL),
            "bytes is 10; this tour needs");
    refused_as(ctx, combgpu_tsp_read(ctx, "/nowhere/a.tsp", &made), COMBGPU_FILE_ERROR,
               "/nowhere/a.tsp does not exist");
    INVALID(combgpu_tsp_read_tour(ctx, NULL, 2, tour), "path is NULL");
    INVALID(combgpu_tsp_parse_tour(ctx, "", 0, 0, tour), "n is 0");
    for (i = 0; i < 2; i++)
        w[1 + i] = i + 1;
}

/* A run that ends early: a tour, a bound below it, no claim. */
static int stop_at_once(const combgpu_progress *progress, void *user)
{
    (void)user;
    return progress->steps > 0;
}

static void test_stopped(combgpu_context *ctx)
{
    int method;
    for (method = 1; method <= 2; method++) {
        combgpu_tsp_instance instance = random_instance(16, 1, 2);
        combgpu_tsp_desc desc = description(&instance, (combgpu_tsp_method)method);
        combgpu_tsp_result result;
        combgpu_progress progress;
        combgpu_job *job;
        desc.run.progress = stop_at_once;
        desc.run.progress_interval_s = 1e-9;
        ok(combgpu_tsp(ctx, &desc, &result) == COMBGPU_STOPPED && !result.optimal &&
               result.lower_bound <= result.length && result.run.status == COMBGPU_STOPPED &&
               length_of(ctx, &instance, COMBGPU_TSP_CYCLE, result.tour) == result.length,
           "method %d, stopped: a tour and a bound, not called optimal", method);
        desc.run.progress = NULL;
        ok(!combgpu_tsp_begin(ctx, &desc, &job) && combgpu_step(job) == COMBGPU_RUNNING &&
               !combgpu_job_progress(job, &progress) && progress.fraction > 0 &&
               progress.fraction < 1,
           "method %d: progress knows its fraction", method);
        ok(combgpu_tsp_end(job, &result) == COMBGPU_STOPPED, "method %d: end of a running job",
           method);
    }
}

/* ---- allocation failures */

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    int what = *(const int *)user;
    static const char text[] = "TYPE:TSP\nDIMENSION:4\nEDGE_WEIGHT_TYPE:EUC_2D\n"
                               "NODE_COORD_SECTION\n1 0 0\n2 9 0\n3 9 9\n4 0 9\nEOF\n";
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_status status;
    double length;
    int i, tour[4] = {0, 1, 2, 3};
    if (what == 0) {
        status = combgpu_tsp_parse(ctx, text, sizeof text - 1, &instance);
        if (!status) status = combgpu_tsp_length(ctx, &instance, COMBGPU_TSP_CYCLE, tour, &length);
        combgpu_tsp_free(ctx, &instance);
        return status;
    }
    instance = random_instance(8, 0, 2);
    desc = description(&instance, (combgpu_tsp_method)what);
    status = combgpu_tsp(ctx, &desc, &result);
    for (i = 1; !status && i < 8; i++)
        if (result.tour[i] == result.tour[i - 1]) status = COMBGPU_WRONG_RESULT;
    return status;
}

static void test_allocation_failures(void)
{
    static const char *const names[3] = {"the reader", "brute force", "Held-Karp"};
    combgpu_context_desc context = test_context(1);
    int what;
    for (what = 0; what < 3; what++) {
        int failed = test_out_of_memory(&context, 1, allocating, &what);
        ok(failed > 2,
           "allocation failures (%d of them) in %s leak nothing, and the context lives on", failed,
           names[what]);
    }
}

/* ---- TSPLIB */

static double nearest_bound(combgpu_context *ctx, const combgpu_tsp_instance *instance)
{
    combgpu_tsp_desc desc = description(instance, COMBGPU_TSP_HELD_KARP);
    combgpu_tsp_result result;
    return combgpu_tsp(ctx, &desc, &result) ? -1 : result.length;
}

static void test_tsplib_files(combgpu_context *ctx)
{
    FILE *list = fopen(test_file("tsplib/OPTIMA.txt"), "r");
    char line[256], kind[16], name[64], type[32], format[32], file[128];
    int n, optimum, files = 0;
    if (!ok(list != NULL, "tsplib/OPTIMA.txt opens")) return;
    while (fgets(line, sizeof line, list)) {
        combgpu_tsp_instance instance;
        int tour[COMBGPU_TSP_MAX_TOUR] = {0}, copy[COMBGPU_TSP_MAX_TOUR];
        static char text[8192];
        size_t needed;
        double length = -1;
        if (*line == '#' ||
            sscanf(line, "%15s %63s %d %31s %31s %d", kind, name, &n, type, format, &optimum) != 6)
            continue;
        files++;
        snprintf(file, sizeof file, "tsplib/%s.%s", name, kind);
        if (!equal_status(ctx, combgpu_tsp_read(ctx, test_file(file), &instance), COMBGPU_OK,
                          "%s is read", file))
            continue;
        ok(instance.n == n && instance.integral && instance.symmetric == !strcmp(kind, "tsp") &&
               !strncmp(instance.name, name, strlen(name)),
           "%s: %d cities, integral, %s", file, n, kind);
        snprintf(file, sizeof file, "tsplib/%s.optimal.tour", name);
        equal_status(ctx, combgpu_tsp_read_tour(ctx, test_file(file), n, tour), COMBGPU_OK,
                     "%s is read", file);
        combgpu_tsp_length(ctx, &instance, COMBGPU_TSP_CYCLE, tour, &length);
        equal_u64(length, optimum, "%s: its length is the optimum", file);
        ok(!combgpu_tsp_write_tour(ctx, name, n, tour, NULL, 0, &needed) && needed <= sizeof text &&
               !combgpu_tsp_write_tour(ctx, name, n, tour, text, needed, NULL) &&
               strlen(text) + 1 == needed &&
               !combgpu_tsp_parse_tour(ctx, text, needed - 1, n, copy) &&
               equal_tours(tour, copy, n),
           "%s: written and read again", file);
        if (n <= (test_small() ? 14 : 22))
            equal_u64(nearest_bound(ctx, &instance), optimum, "%s: Held-Karp finds the optimum",
                      name);
        combgpu_tsp_free(ctx, &instance);
    }
    fclose(list);
    equal_u64(files, 29, "all 29 files of TSPLIB were looked at");
}

static void test_hard_files(combgpu_context *ctx)
{
    FILE *list = fopen(test_file("hard_tsplib/OPTIMA.txt"), "r");
    char line[256], name[64], file[128];
    int n, optimum, files = 0;
    if (!ok(list != NULL, "hard_tsplib/OPTIMA.txt opens")) return;
    while (fgets(line, sizeof line, list)) {
        combgpu_tsp_instance instance;
        if (*line == '#' || sscanf(line, "%63s %d %d", name, &n, &optimum) != 3) continue;
        files++;
        snprintf(file, sizeof file, "hard_tsplib/%s.tsp", name);
        if (!equal_status(ctx, combgpu_tsp_read(ctx, test_file(file), &instance), COMBGPU_OK,
                          "%s is read", file))
            continue;
        ok(instance.n == n && instance.symmetric && instance.integral, "%s: %d cities", name, n);
        if (n <= (test_small() ? 12 : 20))
            equal_u64(nearest_bound(ctx, &instance), optimum, "%s: Held-Karp finds the optimum",
                      name);
        combgpu_tsp_free(ctx, &instance);
    }
    fclose(list);
    equal_u64(files, 9, "all 9 files of HardTSPLIB were looked at");
}

static combgpu_status parse(combgpu_context *ctx, const char *text, combgpu_tsp_instance *instance)
{
    return combgpu_tsp_parse(ctx, text, strlen(text), instance);
}

/* One matrix in every form. */
static void test_formats(combgpu_context *ctx)
{
    static const struct {
        const char *format, *numbers;
    } forms[] = {{"FULL_MATRIX", "7 1 2 3 1 7 4 5 2 4 7 6 3 5 6 7"},
                 {"UPPER_ROW", "1 2 3 4 5 6"},
                 {"LOWER_ROW", "1 2 4 3 5 6"},
                 {"UPPER_DIAG_ROW", "0 1 2 3 0 4 5 0 6 0"},
                 {"LOWER_DIAG_ROW", "0 1 0 2 4 0 3 5 6 0"},
                 {"UPPER_COL", "1 2 4 3 5 6"},
                 {"LOWER_COL", "1 2 3 4 5 6"},
                 {"UPPER_DIAG_COL", "0 1 0 2 4 0 3 5 6 0"},
                 {"LOWER_DIAG_COL", "0 1 2 3 0 4 5 0 6 0"}};
    static const double want[16] = {0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 6, 0};
    char text[512];
    int i, k;
    for (i = 0; i < 9; i++) {
        combgpu_tsp_instance instance;
        int right;
        snprintf(text, sizeof text,
                 "NAME: x\nTYPE : TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE :EXPLICIT\n"
                 "EDGE_WEIGHT_FORMAT:%s\nEDGE_WEIGHT_SECTION\n%s\nEOF\n",
                 forms[i].format, forms[i].numbers);
        right = !parse(ctx, text, &instance);
        for (k = 0; right && k < 16; k++)
            right = k % 5 == 0 || instance.weights[k] == want[k];
        ok(right && instance.symmetric, "EDGE_WEIGHT_FORMAT %s", forms[i].format);
        combgpu_tsp_free(ctx, &instance);
    }
}

#define HEAD "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: "
#define COORDS HEAD "EUC_2D\nNODE_COORD_SECTION\n"
#define UPPER HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n"

/* Texts that are right, each in a way of its own. */
static void test_accepted(combgpu_context *ctx)
{
    static const struct {
        const char *why, *text;
        double weight01;
    } cases[] = {
        {"CRLF",
         "TYPE: TSP\r\nDIMENSION : 2\r\nEDGE_WEIGHT_TYPE: EUC_2D\r\n"
         "NODE_COORD_SECTION\r\n1 0 0\r\n2 3 4\r\nEOF\r\n",
         5},
        {"no EOF", COORDS "1 0 0 2 3 4 3 1e1 -2.5E+0\n", 5},
        {"nodes in any order", COORDS "3 1 1\n2 3 4\n1 0 0\n", 5},
        {"comments, unknown keywords, colons anywhere",
         "COMMENT a: b\nCOMMENT : c\nSOURCE: me\nTYPE TSP\nDIMENSION 3\nEDGE_WEIGHT_TYPE EUC_2D\n"
         "NODE_COORD_SECTION :\n1 0 0\n2 3 4\n3 0 9\nEOF",
         5},
        {"keywords after the section",
         "DIMENSION:2\nNODE_COORD_SECTION\n1 0 0\n2 3 4\nTYPE:TSP\nEDGE_WEIGHT_TYPE:CEIL_2D\n", 5},
        {"DISPLAY_DATA_SECTION before and after",
         "TYPE: TSP\nDIMENSION: 3\nDISPLAY_DATA_TYPE: TWOD_DISPLAY\nDISPLAY_DATA_SECTION\n1 0 0\n"
         "2 1 1\n3 2 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\n"
         "EDGE_WEIGHT_SECTION\n5 6 7\nEOF",
         5},
        {"text after EOF", UPPER "5 6 7\nEOF\nnothing of ours 8 8", 5},
        {"small letters, a remark after a word, a mark of UTF-8",
         "\xef\xbb\xbfname: x\nType: tsp (M.~Hofmeister)\ndimension: 2\nedge_weight_type: Euc_2d\n"
         "Node_Coord_Section\n1 0 0\n2 3 4\neof",
         5},
        {"numbers that wrap", UPPER "5\n\n6\n  7 EOF", 5},
        {"decimals", UPPER "+5.0 6. .7e1\n", 5},
        {"one city",
         "TYPE:TSP\nDIMENSION:1\nEDGE_WEIGHT_TYPE:EXPLICIT\n"
         "EDGE_WEIGHT_FORMAT:UPPER_ROW\nEDGE_WEIGHT_SECTION\nEOF",
         0},
        {"ATSP that is symmetric",
         "TYPE:ATSP\nDIMENSION:2\nEDGE_WEIGHT_TYPE:EXPLICIT\nEDGE_WEIGHT_FORMAT:FULL_MATRIX\n"
         "EDGE_WEIGHT_SECTION\n-1 5 5 1e300\n",
         5}};
    int i;
    for (i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        combgpu_tsp_instance instance;
        combgpu_status status = parse(ctx, cases[i].text, &instance);
        if (!ok(!status && (instance.n == 1 || instance.weights[1] == cases[i].weight01),
                "read: %s", cases[i].why))
            printf("# %s\n", combgpu_message(ctx));
        combgpu_tsp_free(ctx, &instance);
    }
}

/* Texts that are wrong: the status, the line, the reason. */
static void test_refused_texts(combgpu_context *ctx)
{
    static const struct {
        const char *text;
        int unsupported;
        const char *part;
    } cases[] = {
        {"", 0, "line 1: the file ends: DIMENSION is missing"},
        {"TYPE: TSP\n", 0, "line 2: the file ends: DIMENSION is missing"},
        {"TYPE: TSP\nDIMENSION: 3", 0, "EDGE_WEIGHT_TYPE is missing"},
        {HEAD "EUC_2D\n", 0, "NODE_COORD_SECTION is missing"},
        {HEAD "EXPLICIT\n", 0, "EDGE_WEIGHT_SECTION is missing"},
        {COORDS "1 0 0\n2 1 1\n3 2 21", 0, "line 7: the file ends within a line: it may be cut"},
        {"TYPE: TSP\nDIMENSION: 0", 0, "line 2: DIMENSION is 0; it may be 1 to 10000"},
        {"TYPE: TSP\nDIMENSION: 10001", 0, "line 2: DIMENSION is 10001"},
        {"TYPE: TSP\nDIMENSION: 99999999999999999999", 0, "line 2: DIMENSION is 9999"},
        {"TYPE: TSP\nDIMENSION: 99999999999", 0, "line 2: DIMENSION is 99999999999; it may be 1"},
        {"TYPE: TSP\nDIMENSION: 2.5", 0, "line 2: DIMENSION is 2.5"},
        {"TYPE: TSP\nDIMENSION: many", 0, "line 2: DIMENSION is \"many\", not a number"},
        {"TYPE: TSP\nDIMENSION: 3\nDIMENSION: 4", 0, "line 3: DIMENSION is given twice"},
        {"TYPE: CVRP\n", 1,
         "line 1: TYPE is \"CVRP\"; it may be TSP, ATSP, SOP, HCP, TSPTW or CVRPTW"},
        {"TYPE: TOUR\n", 1, "line 1: TYPE is \"TOUR\""},
        {HEAD "XRAY3\n", 1, "line 3: EDGE_WEIGHT_TYPE is \"XRAY3\""},
        {HEAD "EUC_4D\n", 1, "line 3: EDGE_WEIGHT_TYPE is \"EUC_4D\""},
        {HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: DIAGONAL\n", 1, "line 4: EDGE_WEIGHT_FORMAT is"},
        {HEAD "EUC_2D\nEDGE_DATA_SECTION\n1 2\n-1", 0,
         "line 4: EDGE_DATA_SECTION needs EDGE_DATA_FORMAT"},
        {"TYPE: TSP\nNODE_COORD_SECTION\n1 1 1\n", 0, "line 2: NODE_COORD_SECTION needs DIMENSION"},
        {HEAD "EXPLICIT\nEDGE_WEIGHT_SECTION\n1 2 3", 0,
         "line 4: EDGE_WEIGHT_SECTION needs EDGE_WEIGHT_FORMAT"},
        {COORDS "1 0 0\n2 1 1\n", 0,
         "line 4: DIMENSION is 3, but the number of nodes in NODE_COORD_SECTION is 2"},
        {COORDS "1 0 0\n2 1 1\nEOF", 0, "the number of nodes in NODE_COORD_SECTION is 2"},
        {COORDS "1 0 0\n2 1 1\n3 5", 0,
         "NODE_COORD_SECTION has 8 numbers; DIMENSION is 3, and each node has 3"},
        {COORDS "1 0 0\n2 1 1\n2 5 5\n", 0, "line 7: node 2 is given twice"},
        {COORDS "1 0 0\n4 1 1\n3 2 2\n", 0, "line 6: node number 2 is 4; it may be 1 to 3"},
        {COORDS "0 0 0\n1 1 1\n3 2 2\n", 0,
         "line 7: nodes 0 (line 5) and 3 (line 7): they must be numbered from 1 to 3, or from 0 "
         "to"},
        {COORDS "2147483648 0 0\n1 0 0\n2 0 0\n", 0,
         "node number 1 is 2147483648; it may be 1 to 3"},
        {COORDS "-1e300 0 0\n2 0 0\n3 0 0\n", 0, "node number 1 is -1e300; it may be 1 to 3"},
        {COORDS "1 0 0\n2 1 x1\n", 0, "line 6: a coordinate of node 2 is \"x1\", not a number"},
        {COORDS "1 0 0\n2 1 nan\n", 0, "line 6: a coordinate of node 2 is \"nan\", not a number"},
        {COORDS "1 0 0\n2 1 inf\n", 0, "\"inf\", not a number"},
        {COORDS "1 0 0\n2 1 0x10\n", 0, "\"0x10\", not a number"},
        {COORDS "1 0 0\n2 1 1e999\n3 0 0\n", 0,
         "line 6: a coordinate of node 2 is 1e999, which is too"},
        {COORDS "1 0 0\n2 1 1e40\n3 1 1\n", 0, "the distance between cities 0 and 1"},
        {HEAD "GEO\nNODE_COORD_SECTION\n1 0 0\n2 91 0\n3 0 0\n", 0, "at latitude 91, longitude 0"},
        {COORDS "1 0 0\n2 1 1\n3 2 2\n4 3 3\n", 0,
         "the number of nodes in NODE_COORD_SECTION is 4"},
        {HEAD "EUC_2D\n4 3 3\n", 0, "line 4: the number 4 where a keyword is expected"},
        {COORDS "1 0 0\n2 1 1\n3 2 2\nNODE_COORD_SECTION\n", 0,
         "line 8: NODE_COORD_SECTION is given twice"},
        {UPPER "1 2", 0,
         "line 5: EDGE_WEIGHT_SECTION has 2 numbers; DIMENSION is 3, and UPPER_ROW needs 3"},
        {UPPER "1 2\nEOF\n", 0, "EDGE_WEIGHT_SECTION has 2 numbers"},
        {UPPER "1 2\n3 4\n", 0, "EDGE_WEIGHT_SECTION has 4 numbers"},
        {UPPER "1 two 3\n", 0, "line 6: weight 2 of 3 (from city 1 to 3) is \"two\", not a number"},
        {UPPER "1 9007199254740993 3\n", 0, "which is too large"},
        {UPPER "1 1e400 3\n", 0, "which is too large"},
        {"TYPE: TSP\nDIMENSION: 5000\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
         "EDGE_WEIGHT_SECTION\n1 2 3\n",
         0, "EDGE_WEIGHT_SECTION has 3 numbers; DIMENSION is 5000, and FULL_MATRIX needs 25000000"},
        {HEAD "EUC_2D\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3\n"
              "NODE_COORD_SECTION\n1 0 0 2 0 0 3 0 0",
         0, "EDGE_WEIGHT_SECTION is given, but EDGE_WEIGHT_TYPE is not EXPLICIT"},
        {HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2 3 0 4 2 4 0\n",
         0, "TYPE is TSP, but the weight from city 1 to 2 is 1 and back 3"},
        {"hello world\n", 0, "line 1: \"hello\" is not a keyword"},
        {"\n\n%&?\001\n", 0, "line 3: \"%&??\" where a keyword is expected"},
    };
    char file_name[] = "text, line";
    int i;
    for (i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        combgpu_tsp_instance instance;
        combgpu_status status = parse(ctx, cases[i].text, &instance);
        refused_as(ctx, status, cases[i].unsupported ? COMBGPU_UNSUPPORTED : COMBGPU_BAD_FILE,
                   cases[i].part);
        if (instance.weights || instance.x || !strstr(combgpu_message(ctx), file_name))
            ok(0, "a refused text leaves nothing, and its line is named");
    }
}

static void test_tour_texts(combgpu_context *ctx)
{
    static const struct {
        const char *text, *part; /* NULL: it is right */
    } cases[] = {
        {"TOUR_SECTION\n2\n1\n3\n-1\nEOF\n", NULL},
        {"TYPE: TOUR\nDIMENSION: 3\nTOUR_SECTION\n2 1 3 -1 -1\nEOF\n", NULL},
        {"TYPE: TOUR\nTOUR_SECTION\r\n2 1 3\r\nEOF", NULL},
        {"TOUR_SECTION 2 1 3", NULL},
        {"TOUR_SECTION 1 0 2 -1", NULL},
        {"2 1 3", NULL},
        {"1\n0\n2\n", NULL},
        {"3\n1 0\n2\n", NULL},
        {"3 2 1 3\n-1\n", NULL},
        {"TYPE: TSP\n", "line 1: TYPE is \"TSP\"; it may be TOUR"},
        {"TYPE: TOUR\n", "line 2: the file ends: TOUR_SECTION is missing"},
        {"DIMENSION: 4\nTOUR_SECTION\n", "line 2: DIMENSION is 4; the tour must have 3 cities"},
        {"TOUR_SECTION\n2\n1\n-1\n", "line 4: the tour ends after 2 of 3 cities"},
        {"TOUR_SECTION\n2\n1\n2\n-1\n", "line 4: the tour visits city 2 twice"},
        {"TOUR_SECTION\n2 1 3 1 -1\n", "line 2: the tour visits city 1 twice"},
        {"TOUR_SECTION\n4\n", "line 2: city 1 of the tour is 4; it may be 0 to 3"},
        {"TOUR_SECTION\n0 3 1\n", "line 2: the tour visits city 0 and city 3"},
        {"0 2 1 3\n", "line 1: the tour visits city 0 and city 3"},
        {"2 1 3 1 2\n", "line 1: the tour visits city 1 twice"},
        {"2 1 3 0\n", "line 1: the tour visits city 0 and city 3"},
        {"3\n0 2\n", "line 2: the tour visits city 0 and city 3"},
        {"2 1 3 x\n", "line 1: city 4 of the tour is \"x\", not a number"},
        {"2 1 3 NAME: x\n", "line 1: \"NAME:\" after the tour"},
        {"TOUR_SECTION\n2 99999999999\n", "line 2: city 2 of the tour is 99999999999; it may be"},
        {"TOUR_SECTION\n1 b\n", "line 2: city 2 of the tour is \"b\", not a number"},
    };
    int i;
    for (i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        int tour[3];
        combgpu_status status =
            combgpu_tsp_parse_tour(ctx, cases[i].text, strlen(cases[i].text), 3, tour);
        if (!cases[i].part)
            ok(!status && tour[0] == 1 && tour[1] == 0 && tour[2] == 2, "tour text %d is read", i);
        else
            refused_as(ctx, status,
                       !strncmp(cases[i].text, "TYPE: TSP", 9) ? COMBGPU_UNSUPPORTED
                                                               : COMBGPU_BAD_FILE,
                       cases[i].part);
    }
}

/* Mutations of right texts: whatever comes, an answer or a message, and nothing else. */
static void test_mutations(combgpu_context *ctx)
{
    static const char *const seeds[] = {
        COORDS "1 0 0\n2 3 4\n3 1e1 -2.5E+0\nEOF\n", UPPER "5 6 7\nEOF\n",
        "NAME : m\nTYPE : ATSP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT: "
        "FULL_MATRIX\nDISPLAY_DATA_SECTION\n1 2 3\nEDGE_WEIGHT_SECTION\n0 1 2 3 4 5 6 7 8 9 1 2 3 "
        "4 5 6\nEOF",
        "TYPE: TOUR\nDIMENSION: 4\nTOUR_SECTION\n2 1 3 4 -1\nEOF\n"};
    static const char *const words[] = {
        "EOF", "-1",       "999999999999", "1e308", "DIMENSION", "_SECTION", ":",           "0",
        "-",   "EXPLICIT", "\n",           "GEO",   "LOWER_ROW", ".",        "TOUR_SECTION"};
    int i, k, wrong = 0, accepted = 0, cases = test_small() ? 200 : 20000;
    for (i = 0; i < cases; i++) {
        char text[600];
        size_t length = strlen(seeds[i % 4]);
        combgpu_tsp_instance instance;
        combgpu_status status;
        int tour[4];
        memcpy(text, seeds[i % 4], length);
        for (k = random_below(4); k >= 0; k--) {
            size_t at = (size_t)random_below((int)length + 1), cut = length - at;
            const char *word = words[random_below(15)];
            size_t put = strlen(word);
            switch (random_below(4)) {
            case 0: /* another byte */
                if (at < length) text[at] = (char)random_below(256);
                break;
            case 1: /* a word more */
                if (length + put > sizeof text) break;
                memmove(text + at + put, text + at, cut);
                memcpy(text + at, word, put);
                length += put;
                break;
            case 2: /* a few bytes less */
                if (cut > 5) cut = (size_t)random_below(6);
                memmove(text + at, text + at + cut, length - at - cut);
                length -= cut;
                break;
            default: /* cut short */
                if (random_below(4) == 0) length = at;
            }
        }
        if (i % 4 == 3)
            status = combgpu_tsp_parse_tour(ctx, text, length, 4, tour);
        else {
            status = combgpu_tsp_parse(ctx, text, length, &instance);
            if (!status != (instance.weights != NULL)) wrong = 1;
            combgpu_tsp_free(ctx, &instance);
        }
        accepted += !status;
        if (status && status != COMBGPU_BAD_FILE && status != COMBGPU_UNSUPPORTED) wrong = 1;
        if (status && !strstr(combgpu_message(ctx), "text, line ")) wrong = 1;
    }
    ok(!wrong && accepted > cases / 20 && accepted < cases,
       "%d damaged texts: %d read, the others refused with line and reason", cases, accepted);
}

/* Two cities between which nothing is left to choose: the distance is a part of the job. */
static void test_two_cities(combgpu_context *ctx)
{
    double weights[4] = {0, 5, 5, 0};
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_job *job = NULL;
    size_t bytes = 0;
    void *saved;
    memset(&instance, 0, sizeof instance);
    instance.n = 2;
    instance.weights = weights;
    desc = description(&instance, COMBGPU_TSP_AUTO);
    desc.shape = COMBGPU_TSP_PATH;
    desc.path_ends = COMBGPU_TSP_FIXED_ENDS;
    desc.path_end = 1;
    equal_status(ctx, combgpu_tsp_begin(ctx, &desc, &job), COMBGPU_OK, "two cities");
    (void)test_run(job);
    saved = test_save(job, &bytes);
    combgpu_job_cancel(job);
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    weights[1] = weights[2] = 7;
    refused_as(ctx, combgpu_tsp(ctx, &desc, &result), COMBGPU_WRONG_JOB, "weights: another value");
    free(saved);
}

/* Checkpoints of other jobs, and damaged ones that the CRC does not catch. */
static void test_checkpoints(combgpu_context *ctx)
{
    static unsigned char saved[1 << 20];
    int i;
    for (i = 0; i < 4; i += 3) { /* brute force, Held-Karp */
        combgpu_tsp_desc desc = request_desc(i);
        combgpu_tsp_instance other = request_instances[i];
        combgpu_job *job = NULL;
        combgpu_tsp_result result;
        size_t bytes = 0;
        combgpu_status status = combgpu_tsp_begin(ctx, &desc, &job);
        if (!status) inside_set_budget(job, 1000);
        if (!status) combgpu_step(job);
        if (!status) status = combgpu_save(job, saved, sizeof saved, &bytes);
        combgpu_job_cancel(job);
        ok(!status, "%s: saved", requests[i].name);
        desc.run.resume_data = saved;
        desc.run.resume_bytes = bytes;
        request_weights[i][1] += 1;
        other.weights = request_weights[i];
        desc.instance = &other;
        refused_as(ctx, combgpu_tsp(ctx, &desc, &result), COMBGPU_WRONG_JOB,
                   "belongs to another job: weights: another value");
        request_weights[i][1] -= 1;
        if (requests[i].method == COMBGPU_TSP_BRUTE_FORCE) { /* the last task ends nowhere */
            memset(saved + bytes - 12, 0xff, 8);
            test_mend(saved, bytes);
            refused_as(ctx, combgpu_tsp(ctx, &desc, &result), COMBGPU_BAD_FILE, "cannot occur");
        }
    }
}

int main(void)
{
    combgpu_context *cpu, *ctx;
    int place, first = 1, small = test_small();
    make_requests();
    if (!test_open(0, &cpu)) return tap_end();
    test_automatic(cpu);
    test_small_cases(cpu);
    test_small_shards(cpu);
    test_decimals(cpu);
    test_metrics(cpu);
    test_arguments(cpu);
    test_stopped(cpu);
    test_allocation_failures();
    test_formats(cpu);
    test_accepted(cpu);
    test_refused_texts(cpu);
    test_tour_texts(cpu);
    test_mutations(cpu);
    test_tsplib_files(cpu);
    test_hard_files(cpu);
    test_two_cities(cpu);
    for (place = 0; place < TEST_PLACES; place++) {
        const char *name = test_places[place].name;
        int on_cpu = test_places[place].backend == COMBGPU_BACKEND_CPU;
        if (!test_open(place, &ctx)) continue;
        test_random(ctx, name,
                    small        ? 10
                    : place == 0 ? 10000
                    : on_cpu     ? 500
                                 : 120,
                    small || !on_cpu ? 9 : 8);
        test_equal(ctx, name, first);
        test_shards(ctx, name);
        test_overflow(ctx, name);
        test_resume(ctx, ctx, name);
        if (!first) test_resume(ctx, cpu, "to the CPU and back");
        first = 0;
        combgpu_close(ctx);
    }
    test_checkpoints(cpu);
    combgpu_close(cpu);
    return tap_end();
}
