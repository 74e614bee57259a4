/* Tests the travelling salesman without a matrix: metrics of three coordinates, distances computed on
   demand, and tours with proven gaps of more cities than branch and bound takes. */
#define COMBGPU_ONLY_TSP 1
#include "test.h"

/* ---- instances */

static void test_metrics(combgpu_context *ctx)
{
    static const double x[2] = {10, 350.25}, y[2] = {-3, 41.5}, z[2] = {2, 33.25};
    static const struct {
        combgpu_tsp_metric metric;
        double distance;
        const char *name;
    } cases[] = {
        {COMBGPU_TSP_EUC_3D, 345, "EUC_3D"}, /* sqrt(340.25^2 + 44.5^2 + 31.25^2) = 344.57 */
        {COMBGPU_TSP_MAN_3D, 416, "MAN_3D"}, /* 340.25 + 44.5 + 31.25 = 416 */
        {COMBGPU_TSP_MAX_3D, 340, "MAX_3D"},
        {COMBGPU_TSP_XRAY1, 4450, "XRAY1"}, /* 100 max(19.75, 44.5, 31.25) */
        {COMBGPU_TSP_XRAY2, 2967, "XRAY2"}  /* 100 max(15.8, 29.667, 27.17) */
    };
    char text[300];
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        combgpu_tsp_instance instance, read;
        combgpu_status status =
            combgpu_tsp_from_coordinates_3d(ctx, 2, x, y, z, cases[i].metric, &instance);
        ok(!status && instance.weights[1] == cases[i].distance &&
               combgpu_tsp_weight(&instance, 1, 0) == cases[i].distance && instance.integral,
           "%s: %g", cases[i].name, status ? -1 : instance.weights[1]);
        snprintf(text, sizeof text,
                 "TYPE: TSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: %s\nNODE_COORD_SECTION\n"
                 "2 350.25 41.5 33.25\n1 10 -3 2\nEOF\n",
                 cases[i].name);
        status = combgpu_tsp_parse(ctx, text, strlen(text), &read);
        ok(!status && read.weights[1] == cases[i].distance && read.z && read.z[1] == 33.25,
           "%s in a file", cases[i].name);
        combgpu_tsp_free(ctx, &read);
        combgpu_tsp_free(ctx, &instance);
    }
}

/* `count` points from 0 to 999 in each direction. */
static void random_points(int count, double *x, double *y, double *z)
{
    int i;
    for (i = 0; i < count; i++) {
        x[i] = random_below(1000);
        y[i] = random_below(1000);
        z[i] = random_below(1000);
    }
}

/* With and without a matrix all distances, lengths and shortest tours are equal. */
static void test_without_matrix(combgpu_context *ctx)
{
    enum { N = 9 };
    double x[N], y[N], z[N];
    int metric;
    for (metric = COMBGPU_TSP_EUC_2D; metric <= COMBGPU_TSP_GEOM; metric++) {
        combgpu_tsp_instance with, without;
        combgpu_tsp_desc desc;
        combgpu_tsp_result one, other;
        int three = metric >= COMBGPU_TSP_EUC_3D && metric <= COMBGPU_TSP_XRAY2, equal = 1, i, j;
        double length = 0;
        combgpu_status status;
        random_points(N, x, y, z);
        for (i = 0; i < N && !three; i++) {
            x[i] /= 12; /* as latitude and longitude */
            y[i] /= 12;
        }
        status =
            three ? combgpu_tsp_from_coordinates_3d(ctx, N, x, y, z, (combgpu_tsp_metric)metric,
                                                    &with)
                  : combgpu_tsp_from_coordinates(ctx, N, x, y, (combgpu_tsp_metric)metric, &with);
        if (!equal_status(ctx, status, COMBGPU_OK, "metric %d", metric)) continue;
        memset(&without, 0, sizeof without);
        without.n = N;
        without.metric = (combgpu_tsp_metric)metric;
        without.x = x;
        without.y = y;
        without.z = three ? z : NULL;
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                equal &= with.weights[i * N + j] == combgpu_tsp_weight(&without, i, j);
        memset(&desc, 0, sizeof desc);
        desc.instance = &with;
        status = combgpu_tsp(ctx, &desc, &one);
        desc.instance = &without;
        if (!status) status = combgpu_tsp(ctx, &desc, &other);
        if (!status)
            status = combgpu_tsp_length(ctx, &without, COMBGPU_TSP_CYCLE, one.tour, &length);
        ok(!status && equal && one.optimal && other.optimal && one.length == other.length &&
               fabs(length - one.length) <= 1e-12 * length &&
               !memcmp(one.tour, other.tour, N * sizeof(int)),
           "metric %d: the same without a matrix", metric);
        combgpu_tsp_free(ctx, &with);
    }
}

static void refused(combgpu_context *ctx, combgpu_status status, const char *says)
{
    ok(status == COMBGPU_INVALID_ARGUMENT && strstr(combgpu_message(ctx), says), "refused: %s",
       says);
    if (!strstr(combgpu_message(ctx), says)) printf("# got: %s\n", combgpu_message(ctx));
    inside_forget_message(ctx);
}

static void test_refused(combgpu_context *ctx)
{
    int wrong = 16; /* no constant, of which C++ warns */
    static double x[2] = {0, 1}, y[2] = {0, 1}, z[2] = {0, 1};
    static const char flat[] = "TYPE: TSP\nDIMENSION: 1\nNODE_COORD_SECTION\n1 2 3\n"
                               "EDGE_WEIGHT_TYPE: EUC_3D\n";
    combgpu_tsp_instance made;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    int tour[2] = {0, 1};
    double length;
    refused(ctx, combgpu_tsp_from_coordinates(ctx, 2, x, y, COMBGPU_TSP_EUC_3D, &made),
            "metric is 9; for coordinates it may be 1 (EUC_2D) to 8 (EARTH)");
    refused(ctx, combgpu_tsp_from_coordinates_3d(ctx, 2, x, y, z, COMBGPU_TSP_EUC_2D, &made),
            "metric is 1; with z it may be 9 (EUC_3D) to 13 (XRAY2)");
    refused(ctx, combgpu_tsp_from_coordinates_3d(ctx, 2, x, y, NULL, COMBGPU_TSP_EUC_3D, &made),
            "z is NULL");
    refused(ctx, combgpu_tsp_from_coordinates_3d(ctx, 2, x, NULL, z, COMBGPU_TSP_EUC_3D, &made),
            "y is NULL");
    ok(combgpu_tsp_parse(ctx, flat, sizeof flat - 1, &made) == COMBGPU_BAD_FILE &&
           strstr(combgpu_message(ctx), "the nodes have 2 coordinates"),
       "a type of three coordinates with two of them");
    memset(&made, 0, sizeof made);
    memset(&desc, 0, sizeof desc);
    desc.instance = &made;
    made.n = 2;
    refused(ctx, combgpu_tsp(ctx, &desc, &result), "desc.instance->weights is NULL");
    made.metric = COMBGPU_TSP_EUC_2D;
    refused(ctx, combgpu_tsp(ctx, &desc, &result), "desc.instance->x is NULL");
    made.x = x;
    refused(ctx, combgpu_tsp_length(ctx, &made, COMBGPU_TSP_CYCLE, tour, &length),
            "instance->y is NULL");
    made.y = y;
    made.z = z;
    refused(ctx, combgpu_tsp(ctx, &desc, &result), "desc.instance->z is set");
    made.metric = COMBGPU_TSP_EUC_3D;
    made.z = NULL;
    refused(ctx, combgpu_tsp(ctx, &desc, &result), "desc.instance->z is NULL");
    made.metric = (combgpu_tsp_metric)wrong;
    refused(ctx, combgpu_tsp(ctx, &desc, &result), "metric is 16");
}

/* ---- the heuristic */

/* A random request of few cities: weights of a matrix, symmetric or not, or coordinates alone. */
typedef struct request {
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    double weights[12 * 12], x[12], y[12], z[12];
} request;

static void random_request(request *r)
{
    int n = 8 + random_below(5), kind = random_below(4), i, j;
    memset(r, 0, sizeof *r);
    r->instance.n = n;
    random_points(n, r->x, r->y, r->z);
    if (kind < 2) {
        int below = random_below(2) ? 1000 : 4; /* many ties */
        r->instance.weights = r->weights;
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                r->weights[i * n + j] = kind && j < i
                                            ? r->weights[j * n + i]
                                            : random_below(below) / (1.0 + random_below(2));
    } else {
        r->instance.metric = (combgpu_tsp_metric)(1 + random_below(13));
        r->instance.x = r->x;
        r->instance.y = r->y;
        if (r->instance.metric >= COMBGPU_TSP_EUC_3D) r->instance.z = r->z;
        for (i = 0; i < n && (r->instance.metric == COMBGPU_TSP_EARTH ||
                              r->instance.metric == COMBGPU_TSP_GEO);
             i++) {
            r->x[i] /= 12;
            r->y[i] /= 4;
        }
    }
    r->desc.instance = &r->instance;
    if (random_below(2)) {
        int start = random_below(2) ? random_below(n) : -1;
        int end = random_below(2) ? random_below(n) : -1;
        r->desc.shape = COMBGPU_TSP_PATH;
        if (start == end) end = -1;
        TEST_SET_ENDS(r->desc, start, end);
    }
    r->desc.kicks = 200;
    r->desc.seed = random_u64();
}

/* The place of a tour among all permutations: counts those that come before it. */
static int result_rank_is_right(combgpu_context *ctx)
{
    static double weights[36];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    uint64_t before = 0;
    int p[6], number, i, k;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    instance.n = 6;
    instance.weights = weights;
    for (i = 0; i < 36; i++)
        weights[i] = random_below(1000);
    desc.instance = &instance;
    desc.shape = COMBGPU_TSP_PATH;
    if (combgpu_tsp(ctx, &desc, &result)) return 0;
    for (number = 0; number < 46656; number++) { /* 6 digits of base 6 */
        int seen = 0, less = 0;
        for (i = 0, k = number; i < 6; i++, k /= 6) {
            p[5 - i] = k % 6;
            seen |= 1 << k % 6;
        }
        for (i = 0; i < 6 && !less; i++)
            less = p[i] - result.tour[i];
        before += seen == 63 && less < 0;
    }
    return result.rank == before && result.gap == 0;
}

/* The bound is not above the optimum, the tour is not shorter, and both are nearly equal. */
static void test_few_cities(combgpu_context *ctx, int cases)
{
    int i, wrong = 0, optimal = 0;
    for (i = 0; i < cases && !wrong; i++) {
        request r;
        combgpu_tsp_result exact, result;
        int tour[12], n;
        double length = -1, best = -1;
        combgpu_status status;
        random_request(&r);
        n = r.instance.n;
        r.desc.method = COMBGPU_TSP_HELD_KARP;
        status = combgpu_tsp(ctx, &r.desc, &exact);
        r.desc.method = COMBGPU_TSP_HEURISTIC;
        r.desc.tour = tour;
        if (!status) status = combgpu_tsp(ctx, &r.desc, &result);
        if (!status) status = combgpu_tsp_length(ctx, &r.instance, r.desc.shape, tour, &length);
        if (!status) status = combgpu_tsp_length(ctx, &r.instance, r.desc.shape, exact.tour, &best);
        wrong = status || fabs(length - result.length) > 1e-12 * length ||
                result.lower_bound > exact.length * (1 + 1e-14) ||
                result.length < exact.length * (1 - 1e-14) ||
                result.method != COMBGPU_TSP_HEURISTIC || result.n != n ||
                (result.optimal && fabs(result.length - exact.length) > 1e-12 * exact.length) ||
                memcmp(tour, result.tour, sizeof *tour * (size_t)n) ||
                (r.desc.shape == COMBGPU_TSP_CYCLE && tour[0] != 0) ||
                !TEST_HAS_ENDS(r.desc, tour, n);
        optimal += result.length <= exact.length * (1 + 1e-14);
        if (wrong)
            printf(
                "# case %d: n %d, metric %d, shape %d from %d to %d: status %d, bound %.17g, exact "
                "%.17g, length %.17g, %.17g %s\n",
                i, n, (int)r.instance.metric, (int)r.desc.shape, TEST_START(r.desc),
                TEST_END(r.desc), (int)status, result.lower_bound, exact.length, result.length,
                length, combgpu_message(ctx));
    }
    ok(result_rank_is_right(ctx), "a result has its tour's rank");
    ok(!wrong, "%d instances of 8 to 12 cities: bound <= optimum <= tour", i);
    ok(optimal * 10 >= cases * 9, "%d of them optimal", optimal);
}

/* ---- fixed edges */

static int next_to(const int *tour, int n, int cycle, int a, int b)
{
    int i;
    for (i = 0; i < n - 1 + cycle; i++) {
        int u = tour[i], v = tour[(i + 1) % n];
        if ((u == a && v == b) || (u == b && v == a)) return 1;
    }
    return 0;
}

static int has_fixed(const request *r, const int *tour)
{
    int k, n = r->instance.n;
    for (k = 0; k < r->instance.fixed_count; k++)
        if (!next_to(tour, n, r->desc.shape == COMBGPU_TSP_CYCLE, r->instance.fixed[2 * k],
                     r->instance.fixed[2 * k + 1]))
            return 0;
    return TEST_HAS_ENDS(r->desc, tour, n);
}

/* Tries all orders; returns the length of the best that has the edges, -1 if none has. */
static double best_fixed(const request *r, int *tour, int place)
{
    double best = -1, length;
    int n = r->instance.n, i, swap;
    if (place == n) {
        if (!has_fixed(r, tour)) return -1;
        for (i = 0, length = 0; i < n - (r->desc.shape == COMBGPU_TSP_PATH); i++)
            length += r->weights[tour[i] * n + tour[(i + 1) % n]];
        return length;
    }
    for (i = place; i < n; i++) {
        swap = tour[place];
        tour[place] = tour[i];
        tour[i] = swap;
        length = best_fixed(r, tour, place + 1);
        if (length >= 0 && (best < 0 || length < best)) best = length;
        swap = tour[place];
        tour[place] = tour[i];
        tour[i] = swap;
    }
    return best;
}

static void test_fixed_edges(combgpu_context *ctx, int cases)
{
    int i, k, j, wrong = 0, optimal = 0, none = 0;
    for (i = 0; i < cases && !wrong; i++) {
        static request r;
        int edges[6], tour[8] = {0, 1, 2, 3, 4, 5, 6, 7}, n;
        combgpu_tsp_result result, exact;
        combgpu_status status;
        double best;
        memset(&r, 0, sizeof r);
        r.instance.n = n = 5 + random_below(3);
        r.instance.weights = r.weights;
        r.instance.fixed_count = 1 + random_below(3);
        r.instance.fixed = edges;
        for (k = 0; k < n; k++)
            for (j = 0; j < k; j++)
                r.weights[k * n + j] = r.weights[j * n + k] = random_below(100);
        for (k = 0; k < 6; k++)
            edges[k] = random_below(n);
        if (random_below(2)) {
            int start = random_below(2) ? random_below(n) : -1;
            int end = random_below(2) ? random_below(n) : -1;
            r.desc.shape = COMBGPU_TSP_PATH;
            if (start == end) end = -1;
            TEST_SET_ENDS(r.desc, start, end);
        }
        r.desc.instance = &r.instance;
        r.desc.kicks = 100;
        r.desc.method = COMBGPU_TSP_HEURISTIC;
        best = best_fixed(&r, tour, 0);
        status = combgpu_tsp(ctx, &r.desc, &result);
        if (best < 0) {
            none++;
            wrong = status != COMBGPU_INVALID_ARGUMENT ||
                    !strstr(combgpu_message(ctx), "no tour has this edge");
        } else
            wrong = status || !has_fixed(&r, result.tour) || result.lower_bound > best ||
                    result.length < best || (result.optimal && result.length != best);
        r.desc.method = random_below(2) ? COMBGPU_TSP_AUTO : COMBGPU_TSP_BRANCH_AND_BOUND;
        if (best < 0)
            wrong |= combgpu_tsp(ctx, &r.desc, &exact) != COMBGPU_INVALID_ARGUMENT;
        else
            wrong |= combgpu_tsp(ctx, &r.desc, &exact) || !has_fixed(&r, exact.tour) ||
                     exact.length != best || !exact.optimal ||
                     exact.method != COMBGPU_TSP_BRANCH_AND_BOUND;
        inside_forget_message(ctx);
        optimal += best < 0 || result.length == best;
        if (wrong) printf("# case %d: n %d, status %d, best %g\n", i, n, (int)status, best);
    }
    ok(!wrong, "%d instances with fixed edges, %d without a tour: the oracle's", i, none);
    ok(optimal * 10 >= cases * 9, "%d of them optimal", optimal);
}

/* Fixed edges proven: every other edge costs so much more that the best tour without them fixed has them. */
static void test_fixed_proven(combgpu_context *ctx, int cases)
{
    int i, k, j, wrong = 0;
    for (i = 0; i < cases && !wrong; i++) {
        static request r;
        static double dearer[60 * 60];
        int edges[60], n = 9 + random_below(i % 4 ? 20 : 42), whole = random_below(3) > 0;
        int edge_count = 1 + random_below(n / 3), arcs, start;
        double more = 1 << 20, gap, x[60], y[60];
        combgpu_tsp_result with, without;
        combgpu_status status;
        memset(&r, 0, sizeof r);
        r.instance.n = n;
        r.instance.metric = whole ? COMBGPU_TSP_EUC_2D : COMBGPU_TSP_PLANE;
        r.instance.x = x;
        r.instance.y = y;
        for (k = 0; k < n; k++) {
            x[k] = random_below(10000) / 7.0;
            y[k] = random_below(10000) / 7.0;
        }
        for (k = 0; k < n; k++)
            for (j = 0; j < n; j++)
                dearer[k * n + j] = k == j ? 0 : combgpu_tsp_weight(&r.instance, k, j) + more;
        for (k = 0; k < edge_count; k++) { /* each city in one edge at most; twice the first */
            edges[2 * k] = 3 * k;
            edges[2 * k + 1] = 3 * k + 1 + random_below(2);
            dearer[edges[2 * k] * n + edges[2 * k + 1]] -= more;
            dearer[edges[2 * k + 1] * n + edges[2 * k]] -= more;
        }
        edges[2 * k] = edges[1];
        edges[2 * k + 1] = edges[0];
        r.instance.fixed = edges;
        r.instance.fixed_count = edge_count + 1;
        arcs = n;
        if (random_below(2)) {
            r.desc.shape = COMBGPU_TSP_PATH;
            arcs--;
            start = random_below(2) ? random_below(n) : -1;
            TEST_SET_ENDS(r.desc, start, -1);
        }
        r.desc.instance = &r.instance;
        status = combgpu_tsp(ctx, &r.desc, &with);
        wrong = status || !with.optimal || !has_fixed(&r, with.tour);
        r.instance.fixed_count = 0;
        r.instance.metric = COMBGPU_TSP_MATRIX;
        r.instance.weights = dearer;
        r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
        status = combgpu_tsp(ctx, &r.desc, &without);
        gap = without.length - more * (arcs - edge_count) - with.length;
        wrong |= status || gap > (whole ? 0 : 1e-4) || -gap > (whole ? 0 : 1e-4);
        if (wrong)
            printf("# case %d: n %d, %d fixed, shape %d, status %d, %.9g and %.9g: %s\n", i, n,
                   edge_count, (int)r.desc.shape, (int)status, with.length,
                   without.length - more * (arcs - edge_count), combgpu_message(ctx));
    }
    ok(!wrong, "%d tours of 9 to 50 cities with fixed edges, proven: as with dearer other edges",
       i);
}

static void test_fixed_file(combgpu_context *ctx)
{
    static const char text[] = "TYPE: TSP\nDIMENSION: 6\nEDGE_WEIGHT_TYPE: EUC_2D\n"
                               "FIXED_EDGES_SECTION\n1 4\n2 5\n-1\nNODE_COORD_SECTION\n"
                               "1 0 0\n2 1 0\n3 2 0\n4 2 2\n5 1 2\n6 0 2\nEOF\n";
    static int edges[4] = {0, 3, 3, 0};
    static const int closed[6] = {0, 1, 2, 4, 5, 3};
    double length;
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_tsp_tours_desc list;
    combgpu_tsp_tours_result tours;
    combgpu_tsp_windows_desc windows;
    combgpu_tsp_windows_result in_time;
    memset(&desc, 0, sizeof desc);
    desc.instance = &instance;
    if (!equal_status(ctx, combgpu_tsp_parse(ctx, text, sizeof text - 1, &instance), COMBGPU_OK,
                      "FIXED_EDGES_SECTION"))
        return;
    ok(instance.fixed_count == 2 && instance.fixed[2] == 1 && instance.fixed[3] == 4 &&
           !combgpu_tsp(ctx, &desc, &result) && next_to(result.tour, 6, 1, 0, 3) &&
           next_to(result.tour, 6, 1, 1, 4),
       "its edges are in the tour");
    desc.method = COMBGPU_TSP_HELD_KARP;
    ok(combgpu_tsp(ctx, &desc, &result) == COMBGPU_UNSUPPORTED &&
           strstr(combgpu_message(ctx), "desc.method is 2 (Held-Karp); with fixed edges"),
       "other methods refuse fixed edges");
    inside_forget_message(ctx);
    desc.method = (combgpu_tsp_method)5;
    refused(ctx, combgpu_tsp(ctx, &desc, &result), "desc.method is 5; it may be 0 (auto)");
    desc.method = COMBGPU_TSP_AUTO;
    memset(&list, 0, sizeof list);
    memset(&windows, 0, sizeof windows);
    list.instance = windows.instance = &instance;
    ok(combgpu_tsp_tours(ctx, &list, &tours) == COMBGPU_UNSUPPORTED &&
           strstr(combgpu_message(ctx),
                  "cannot be combined with a list or count of shortest tours"),
       "so do lists of shortest tours");
    inside_forget_message(ctx);
    ok(combgpu_tsp_windows(ctx, &windows, &in_time) == COMBGPU_UNSUPPORTED &&
           strstr(combgpu_message(ctx), "cannot be combined with time windows"),
       "and time windows");
    inside_forget_message(ctx);
    ok(!combgpu_tsp_set_fixed(ctx, &instance, 2, edges) && !combgpu_tsp(ctx, &desc, &result) &&
           next_to(result.tour, 6, 1, 0, 3),
       "an edge given twice counts once");
    ok(!combgpu_tsp_length(ctx, &instance, COMBGPU_TSP_CYCLE, closed, &length) && length == 10,
       "the length of a tour with the edge, which closes it");
    refused(ctx, combgpu_tsp_length(ctx, &instance, COMBGPU_TSP_PATH, closed, &length),
            "tour does not join cities 0 and 3 (counted from 0), which are a fixed edge");
    edges[3] = 3;
    ok(!combgpu_tsp_set_fixed(ctx, &instance, 2, edges), "an edge from a city to itself");
    refused(ctx, combgpu_tsp(ctx, &desc, &result), "joins city 3 (counted from 0) with itself");
    edges[0] = 6;
    refused(ctx, combgpu_tsp_set_fixed(ctx, &instance, 2, edges), "fixed[0] is 6");
    combgpu_tsp_free(ctx, &instance);
}

/* 1,000 points: within 2 % of the bound after 5 kicks for each; equal with any number of threads. */
/* AUTO tries a proof of some hundred cities, unless the time limit is shorter than its beginning. */
static void test_hasty(combgpu_context *ctx)
{
    enum { SOME = 260 };
    static double x[SOME], y[SOME], z[SOME];
    static const double limits[] = {0.5, 1000};
    static const combgpu_tsp_method methods[] = {COMBGPU_TSP_HEURISTIC,
                                                 COMBGPU_TSP_BRANCH_AND_BOUND};
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    int i;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    random_points(SOME, x, y, z);
    instance.n = SOME;
    instance.x = x;
    instance.y = y;
    instance.metric = COMBGPU_TSP_EUC_2D;
    desc.instance = &instance;
    for (i = 0; i < (test_small() ? 1 : 2); i++) {
        combgpu_tsp_result result;
        combgpu_job *job;
        desc.run.time_limit_s = limits[i];
        if (equal_status(ctx, combgpu_tsp_begin(ctx, &desc, &job), COMBGPU_OK, "%d cities in %g s",
                         SOME, limits[i])) {
            combgpu_tsp_end(job, &result);
            ok(result.method == methods[i] && result.lower_bound <= result.length,
               "the method is %d", (int)result.method);
        }
    }
}

static void test_many_cities(combgpu_context *ctx)
{
    enum { MANY = 1001 };
    static double x[MANY], y[MANY], z[MANY];
    static int tours[2][MANY];
    combgpu_tsp_result results[2];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_context_desc open = test_context(0);
    combgpu_context *other;
    double length = 0;
    int i, n = test_small() ? 200 : MANY;
    memset(results, 0, sizeof results);
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    random_points(n, x, y, z);
    instance.n = n;
    instance.x = x;
    instance.y = y;
    instance.metric = COMBGPU_TSP_EUC_2D;
    desc.instance = &instance;
    desc.method = n == MANY ? COMBGPU_TSP_AUTO : COMBGPU_TSP_HEURISTIC;
    desc.kicks = 5 * MANY;
    open.threads = 1;
    if (!ok(combgpu_open(&other, &open) == COMBGPU_OK, "a context of one thread")) return;
    for (i = 0; i < 2; i++) {
        desc.tour = tours[i];
        equal_status(i ? other : ctx, combgpu_tsp(i ? other : ctx, &desc, &results[i]), COMBGPU_OK,
                     "%d points", n);
    }
    combgpu_tsp_length(ctx, &instance, COMBGPU_TSP_CYCLE, tours[0], &length);
    ok(length == results[0].length && results[0].lower_bound <= length &&
           results[0].method == COMBGPU_TSP_HEURISTIC && results[0].gap < 0.02 &&
           fabs(results[0].gap * results[0].lower_bound + results[0].lower_bound - length) < 1e-6,
       "%d points: %g, at least %g: %.2f %%", n, length, results[0].lower_bound,
       100 * results[0].gap);
    ok(!memcmp(tours[0], tours[1], (size_t)n * sizeof(int)) &&
           results[0].length == results[1].length &&
           results[0].lower_bound == results[1].lower_bound &&
           results[0].run.steps == results[1].run.steps,
       "the same with another number of threads");
    desc.run.time_limit_s = 1e-6;
    desc.kicks = 0;
    ok(combgpu_tsp(ctx, &desc, &results[1]) == COMBGPU_STOPPED && results[1].lower_bound > 0 &&
           results[1].lower_bound < length && results[1].length > results[1].lower_bound,
       "stopped at once: a tour of %g, at least %g", results[1].length, results[1].lower_bound);
    desc.run.shard_count = 2;
    refused(ctx, combgpu_tsp(ctx, &desc, &results[1]), "the heuristic cannot be split into shards");
    combgpu_close(other);
}

/* Weights of every size that doubles have: `power` is that of 2 by which small integers are scaled.
   Eight cities, so that brute force knows the shortest tour; its lengths are multiples of the same
   power. */
static void test_sizes(combgpu_context *ctx)
{
    static const int powers[] = {-1070, -1024, -990, -960, -500, 40, 500, 980};
    static const char *const shapes[] = {"cycle", "path"};
    double weights[64], unit, scaled[64];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result best, got;
    uint64_t sums[2][2];
    int k, i, j, shape;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < 8; i++)
        for (j = 0; j <= i; j++)
            weights[8 * i + j] = weights[8 * j + i] = i == j ? 0 : random_below(1000);
    instance.n = 8;
    desc.instance = &instance;
    desc.kicks = 300;
    for (shape = 0; shape < 2; shape++)
        for (k = 0; k < (int)(sizeof powers / sizeof powers[0]); k++) {
            desc.shape = (combgpu_tsp_shape)shape;
            unit = ldexp(1, powers[k]);
            for (i = 0; i < 64; i++)
                scaled[i] = weights[i] * unit;
            instance.weights = weights;
            desc.method = COMBGPU_TSP_BRUTE_FORCE;
            combgpu_tsp(ctx, &desc, &best);
            instance.weights = scaled;
            desc.method = COMBGPU_TSP_HEURISTIC;
            equal_status(ctx, combgpu_tsp(ctx, &desc, &got), COMBGPU_OK, "%s, weights of 2^%d",
                         shapes[shape], powers[k]);
            ok(got.length >= best.length * unit && got.length <= 1.5 * best.length * unit &&
                   got.lower_bound <= best.length * unit &&
                   got.lower_bound >= 0.5 * best.length * unit,
               "%s, weights of 2^%d: %g, at least %g; the shortest is %g", shapes[shape], powers[k],
               got.length / unit, got.lower_bound / unit, best.length);
            sums[shape][k == 0] = got.run.checksum;
        }
    ok(sums[0][0] != sums[1][0], "the checksum tells large lengths apart");
}

/* Points without a matrix whose squares no double holds: as they are near 1. */
static void test_far_points(combgpu_context *ctx)
{
    enum { N = 1100 };
    static const int powers[] = {-560, 560, 900};
    static double x[N], y[N], z[N], at_x[N], at_y[N];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result want, got;
    int k, i;
    random_points(N, x, y, z);
    memset(&desc, 0, sizeof desc);
    desc.kicks = 100;
    desc.instance = &instance;
    combgpu_tsp_from_coordinates(ctx, N, x, y, COMBGPU_TSP_PLANE, &instance);
    equal_status(ctx, combgpu_tsp(ctx, &desc, &want), COMBGPU_OK, "%d points", N);
    combgpu_tsp_free(ctx, &instance);
    for (k = 0; k < 3; k++) {
        double unit = ldexp(1, powers[k]);
        for (i = 0; i < N; i++) {
            at_x[i] = x[i] * unit;
            at_y[i] = y[i] * unit;
        }
        combgpu_tsp_from_coordinates(ctx, N, at_x, at_y, COMBGPU_TSP_PLANE, &instance);
        equal_status(ctx, combgpu_tsp(ctx, &desc, &got), COMBGPU_OK, "%d points times 2^%d", N,
                     powers[k]);
        ok(fabs(got.length / unit - want.length) <= 1e-9 * want.length &&
               fabs(got.lower_bound / unit - want.lower_bound) <= 1e-9 * want.length,
           "%d points times 2^%d: %g, at least %g, as without", N, powers[k], got.length / unit,
           got.lower_bound / unit);
        combgpu_tsp_free(ctx, &instance);
    }
}

/* Nonzero if a job that was saved at once is gone on with to the tour, which has this length. */
static int resumed(combgpu_context *ctx, int n, const double *weights, int fixed, double length)
{
    static const int edge[2] = {0, 1};
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_job *job = NULL;
    size_t bytes = 0;
    void *saved;
    combgpu_tsp_from_matrix(ctx, n, weights, &instance);
    combgpu_tsp_set_fixed(ctx, &instance, fixed, edge);
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.instance = &instance;
    desc.method = COMBGPU_TSP_HEURISTIC;
    combgpu_tsp_begin(ctx, &desc, &job);
    saved = test_save(job, &bytes);
    combgpu_job_cancel(job);
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    combgpu_tsp(ctx, &desc, &result);
    free(saved);
    combgpu_tsp_free(ctx, &instance);
    return fabs(result.length - length) < 1e-9 * length && result.optimal;
}

/* What was saved before its first step goes on: few cities, and tours that are as long in units, which
   are as small as possible, as they can be. */
static void test_resumed_at_once(combgpu_context *ctx)
{
    double weights[81];
    int n, i;
    for (n = 2; n <= 9; n++)
        for (i = 0; i < 4; i++) {
            int k, power;
            frexp(n + 1, &power);
            for (k = 0; k < n * n; k++) /* times n + 1: just below a power of 2, or 3 / 4 of it */
                weights[k] = ldexp(i & 1 ? 0.99 : 0.75, power) / (n + 1);
            if (n < 5 && i & 2) continue;
            ok(resumed(ctx, n, weights, i / 2, n * weights[0]), "%d cities, %d fixed edges, %g", n,
               i / 2, weights[0]);
        }
}

/* A checkpoint whose tour has a city twice or another length, or with more 1-trees than are made:
   refused. */
static void test_untrusted(combgpu_context *ctx)
{
    enum { LENGTH = 17, TOUR = 18 }; /* numbers of sums */
    double x[12], y[12];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_job *job = NULL;
    unsigned char *saved;
    size_t bytes = 0;
    int i, number;
    for (i = 0; i < 12; i++) {
        x[i] = random_below(100);
        y[i] = random_below(100);
    }
    combgpu_tsp_from_coordinates(ctx, 12, x, y, COMBGPU_TSP_EUC_2D, &instance);
    memset(&desc, 0, sizeof desc);
    desc.instance = &instance;
    desc.method = COMBGPU_TSP_HEURISTIC;
    combgpu_tsp_begin(ctx, &desc, &job);
    saved = test_save(job, &bytes);
    test_put32(saved + test_data_begin(saved, bytes) + 4 * 3, 0x80000000u); /* of the first task */
    desc.run.resume_data = test_mend(saved, bytes);
    desc.run.resume_bytes = bytes;
    equal_status(ctx, combgpu_tsp(ctx, &desc, NULL), COMBGPU_BAD_FILE, "2^63 1-trees: refused");
    free(saved);
    (void)test_run(job);
    for (number = LENGTH; number <= TOUR; number++) {
        char *digit;
        saved = test_save(job, &bytes);
        desc.run.resume_data = saved;
        desc.run.resume_bytes = bytes;
        equal_status(ctx, combgpu_tsp(ctx, &desc, NULL), COMBGPU_OK, "the checkpoint of the end");
        digit = test_sum(saved, bytes, number);
        if (ok(digit != NULL, "it has sum %d", number)) *digit = *digit == '1' ? '2' : '1';
        test_mend(saved, bytes);
        equal_status(ctx, combgpu_tsp(ctx, &desc, NULL), COMBGPU_BAD_FILE,
                     "with another %s: refused", number == TOUR ? "city" : "length");
        free(saved);
    }
    combgpu_job_cancel(job);
    combgpu_tsp_free(ctx, &instance);
}

/* A search that has done its kicks goes on when it is resumed with more, to the same tour. */
static void test_more_kicks(combgpu_context *ctx)
{
    enum { N = 200 };
    double x[N], y[N], z[N];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result few, many, got;
    combgpu_job *job = NULL;
    size_t bytes = 0;
    void *saved;
    random_points(N, x, y, z);
    combgpu_tsp_from_coordinates(ctx, N, x, y, COMBGPU_TSP_EUC_2D, &instance);
    memset(&desc, 0, sizeof desc);
    memset(&got, 0, sizeof got);
    desc.instance = &instance;
    desc.method = COMBGPU_TSP_HEURISTIC;
    desc.kicks = 4000;
    equal_status(ctx, combgpu_tsp(ctx, &desc, &many), COMBGPU_OK, "4000 kicks");
    desc.kicks = 50;
    combgpu_tsp_begin(ctx, &desc, &job);
    (void)test_run(job);
    saved = test_save(job, &bytes);
    equal_status(ctx, combgpu_tsp_end(job, &few), COMBGPU_OK, "50 kicks");
    desc.kicks = 4000;
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    equal_status(ctx, combgpu_tsp(ctx, &desc, &got), COMBGPU_OK, "resumed with 4000 kicks");
    ok(got.length == many.length && got.lower_bound == many.lower_bound &&
           got.run.steps == many.run.steps && !memcmp(got.tour, many.tour, sizeof got.tour),
       "after 50 kicks %g, after 4000 %g, as at once", few.length, got.length);
    desc.kicks = 20;
    equal_status(ctx, combgpu_tsp(ctx, &desc, &got), COMBGPU_OK, "resumed with fewer kicks");
    ok(got.length == few.length && got.run.steps == few.run.steps, "which are done: %g",
       got.length);
    free(saved);
    combgpu_tsp_free(ctx, &instance);
}

/* What the instance says of another instance's checkpoint, which was saved at once. */
static combgpu_status of_another(combgpu_context *ctx, const combgpu_tsp_instance *instance,
                                 const void *saved, size_t bytes)
{
    combgpu_tsp_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.instance = instance;
    desc.method = COMBGPU_TSP_HEURISTIC;
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    return combgpu_tsp(ctx, &desc, NULL);
}

/* A checkpoint is that of one instance: each weight counts, also one that is in no list of
   neighbours and one of which only the highest bits differ; without a matrix each coordinate. */
static void test_one_instance(combgpu_context *ctx)
{
    enum { N = 24 };
    double weights[N * N], x[N], y[N], *numbers[3];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    int kind, i, j;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    instance.n = N;
    desc.instance = &instance;
    desc.method = COMBGPU_TSP_HEURISTIC;
    numbers[0] = numbers[1] = weights;
    numbers[2] = x;
    for (kind = 0; kind < 3; kind++) { /* far cities, halves, places */
        combgpu_job *job = NULL;
        double unit = kind == 1 ? 0.5 : 1;
        size_t bytes = 0;
        int count = kind < 2 ? N * (N - 1) / 2 : N, taken = 0;
        void *saved;
        for (i = 0; i < N; i++)
            for (j = 0; j < i; j++)
                weights[i * N + j] = weights[j * N + i] =
                    unit * (i * (i - 1) + 2 * j + (!kind && i / 12 != j / 12 ? 5001 : 501));
        for (i = 0; i < N; i++) {
            x[i] = 3 * i * i;
            y[i] = 100 * (i % 5);
        }
        instance.metric = kind < 2 ? COMBGPU_TSP_MATRIX : COMBGPU_TSP_CEIL_2D;
        instance.weights = kind < 2 ? weights : NULL;
        instance.x = kind < 2 ? NULL : x;
        instance.y = kind < 2 ? NULL : y;
        equal_status(ctx, combgpu_tsp_begin(ctx, &desc, &job), COMBGPU_OK, "one instance");
        saved = test_save(job, &bytes);
        combgpu_job_cancel(job);
        for (i = 0; i < N; i++)
            for (j = 0; j < (kind < 2 ? i : 1); j++) {
                double *one = &numbers[kind][kind < 2 ? i * N + j : i], old = *one;
                *one -= kind < 2 ? unit : 1e-9;
                if (kind < 2) weights[j * N + i] = *one;
                taken += of_another(ctx, &instance, saved, bytes) != COMBGPU_WRONG_JOB;
                *one = old;
                if (kind < 2) weights[j * N + i] = old;
            }
        ok(!taken, "%s: of %d instances that differ in a number %d take the checkpoint",
           kind ? kind == 1 ? "halves" : "places" : "far cities", count, taken);
        for (i = 0; i < N; i++)
            weights[i * N + i] = 7;
        equal_status(ctx, of_another(ctx, &instance, saved, bytes), COMBGPU_OK,
                     "the diagonal does not count");
        free(saved);
    }
}

enum { OPENING = 289 }; /* cities of a grid of 17 x 17, whose shortest tour has one diagonal */

static void grid(request *r, double *x, double *y)
{
    int i;
    memset(&r->instance, 0, sizeof r->instance);
    memset(&r->desc, 0, sizeof r->desc);
    for (i = 0; i < OPENING; i++) {
        x[i] = 100 * (i % 17);
        y[i] = 100 * (i / 17);
    }
    r->instance.n = OPENING;
    r->instance.x = x;
    r->instance.y = y;
    r->instance.metric = COMBGPU_TSP_EUC_2D;
    r->desc.instance = &r->instance;
    r->desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    r->desc.run.progress_interval_s = 1e-9;
}

typedef struct opening {
    int calls, most; /* of progress; the one that stops */
    uint64_t steps;
} opening;

static int stop_opening(const combgpu_progress *progress, void *user)
{
    opening *o = (opening *)user;
    o->steps = progress->steps;
    return ++o->calls == o->most;
}

/* The first tour and the root of many cities come step by step: they can be stopped, with a bound, and go on. */
static void test_opening(combgpu_context *ctx)
{
    static double x[OPENING], y[OPENING];
    static int tour[OPENING];
    request r;
    combgpu_tsp_result result;
    combgpu_job *job;
    opening seen;
    combgpu_estimate estimate;
    char folder[256], path[300];
    size_t bytes = 0, more = 0;
    void *saved;
    int k;
    grid(&r, x, y);
    r.desc.tour = tour;
    r.desc.run.progress = stop_opening;
    r.desc.run.progress_user = &seen;
    ok(test_folder(folder, sizeof folder), "a folder");
    snprintf(path, sizeof path, "%s/opening", folder);
    r.desc.run.checkpoint_path = path;
    for (k = 0; k < 2; k++) {
        memset(&seen, 0, sizeof seen);
        seen.most = 1 + 4 * k;
        r.desc.run.resume = k;
        equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_STOPPED, "stopped at call %d",
                     seen.most);
        ok(seen.calls == seen.most && !result.run.steps, "before the search");
        ok(!result.optimal && result.length >= 100 * OPENING && result.lower_bound > 90 * OPENING &&
               result.lower_bound <= 100 * OPENING,
           "bound %g, length %g", result.lower_bound, result.length);
        ok(!result.run.checkpoints, "nothing to save yet");
    }

    memset(&seen, 0, sizeof seen);
    r.desc.run.resume = 0;
    r.desc.run.checkpoint_path = NULL;
    (void)rmdir(folder);
    equal_status(ctx, combgpu_tsp_begin(ctx, &r.desc, &job), COMBGPU_OK, "begun anew");
    for (k = 0; k < 3; k++)
        combgpu_step(job);
    equal_status(ctx, combgpu_save(job, NULL, 0, &bytes), COMBGPU_OK, "saved while it begins");
    saved = malloc(bytes);
    if (saved) equal_status(ctx, combgpu_save(job, saved, bytes, NULL), COMBGPU_OK, "and again");
    combgpu_job_cancel(job);
    equal_status(ctx, combgpu_tsp_begin(ctx, &r.desc, &job), COMBGPU_OK, "once more");
    equal_status(ctx, combgpu_save(job, NULL, 0, &more), COMBGPU_OK, "saved before any step");
    ok(more == bytes, "steps make no difference");
    combgpu_job_cancel(job);
    equal_status(ctx, combgpu_tsp_begin(ctx, &r.desc, &job), COMBGPU_OK, "to be estimated");
    equal_status(ctx, combgpu_job_estimate(job, NULL, &estimate), COMBGPU_OK, "at once");
    ok(estimate.done, "done meanwhile");
    combgpu_job_cancel(job);

    r.desc.run.resume_data = saved;
    r.desc.run.resume_bytes = bytes;
    equal_status(ctx, combgpu_tsp_begin(ctx, &r.desc, &job), COMBGPU_OK, "resumed");
    if (saved) memset(saved, 0, bytes);
    free(saved);
    while (combgpu_step(job) == COMBGPU_RUNNING) {
    }
    equal_status(ctx, combgpu_tsp_end(job, &result), COMBGPU_OK, "by what begin has read");
    ok(result.optimal && result.length == 100 * (OPENING - 1) + 141, "%g is proven", result.length);
}

int main(void)
{
    combgpu_context *ctx;
    if (!test_open(0, &ctx)) return tap_end();
    test_resumed_at_once(ctx);
    test_one_instance(ctx);
    test_more_kicks(ctx);
    test_metrics(ctx);
    test_without_matrix(ctx);
    test_refused(ctx);
    test_few_cities(ctx, test_small() ? 10 : 100);
    test_fixed_edges(ctx, test_small() ? 20 : 200);
    test_fixed_proven(ctx, test_small() ? 12 : 60);
    test_fixed_file(ctx);
    test_hasty(ctx);
    test_opening(ctx);
    test_many_cities(ctx);
    test_sizes(ctx);
    test_far_points(ctx);
    test_untrusted(ctx);
    combgpu_close(ctx);
    return tap_end();
}
