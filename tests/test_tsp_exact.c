/* Tests weights: missing, negative, huge and decimal ones; lengths, bounds and proofs of every method
   against all tours, in whole numbers. */
#include "test.h"

/* An instance whose weights are whole multiples of 2^-40, so that the oracle is exact; a cell may be
   missing, or FAR as people write "no road". */
#define MOST 9
#define MISSING INT64_MIN
typedef struct problem {
    int n, directed, has_missing;
    double huge; /* what FAR cells weigh; 0 = there are none */
    int64_t cell[MOST][MOST];
    double weights[MOST * MOST];
    int before[2], fixed[2];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
} problem;

/* The oracle's answer: tours without a missing or FAR leg. */
typedef struct answer {
    int found;        /* nonzero if there is one */
    int64_t length;   /* of the shortest */
    uint64_t count;   /* of all of them, a cycle or its reverse once if not directed */
    int64_t list[40]; /* the least lengths, in order */
    int listed;
    int order[MOST]; /* the smallest shortest one */
} answer;

static int allowed(const problem *p, const int *order)
{
    int place[MOST], n = p->n, i, apart;
    if (p->desc.shape == COMBGPU_TSP_CYCLE && order[0]) return 0;
    if (p->desc.path_ends & 1 && order[0] != p->desc.path_start) return 0;
    if (p->desc.path_ends & 2 && order[n - 1] != p->desc.path_end) return 0;
    for (i = 0; i < n; i++)
        place[order[i]] = i;
    if (p->instance.before_count && place[p->before[0]] > place[p->before[1]]) return 0;
    apart = abs(place[p->fixed[0]] - place[p->fixed[1]]);
    if (p->instance.fixed_count && apart != 1 &&
        (p->desc.shape == COMBGPU_TSP_PATH || apart != n - 1))
        return 0;
    if (p->directed || p->instance.before_count) return 1;
    if (p->desc.shape == COMBGPU_TSP_CYCLE) return n < 3 || order[1] < order[n - 1];
    return p->desc.path_ends || n < 2 || order[0] < order[n - 1];
}

static void look(const problem *p, const int *order, answer *a)
{
    int legs = p->n - 1 + (p->desc.shape == COMBGPU_TSP_CYCLE && p->n > 1), i, k;
    int64_t sum = 0;
    if (!allowed(p, order)) return;
    for (i = 0; i < legs; i++) {
        int64_t cell = p->cell[order[i]][order[(i + 1) % p->n]];
        if (cell == MISSING) return;
        sum += cell;
    }
    if (!a->found || sum < a->length) {
        a->length = sum;
        memcpy(a->order, order, sizeof a->order);
    }
    a->found = 1;
    a->count++;
    for (k = a->listed < 40 ? a->listed++ : 40; k > 0 && a->list[k - 1] > sum; k--)
        if (k < 40) a->list[k] = a->list[k - 1];
    if (k < 40) a->list[k] = sum;
}

static void permute(const problem *p, int *order, int at, answer *a)
{
    int used[MOST] = {0}, i;
    if (at == p->n) {
        look(p, order, a);
        return;
    }
    for (i = 0; i < at; i++)
        used[order[i]] = 1;
    for (i = 0; i < p->n; i++)
        if (!used[i]) {
            order[at] = i;
            permute(p, order, at + 1, a);
        }
}

static answer solve(const problem *p)
{
    answer a;
    int order[MOST] = {0};
    memset(&a, 0, sizeof a);
    permute(p, order, 0, &a);
    return a;
}

enum { WHOLE, NEGATIVE, DECIMALS, NEGATIVE_DECIMALS, HUGE_ONES, KINDS };

static int64_t random_cell(int kind)
{
    const int64_t one = (int64_t)1 << 40;
    if (kind == WHOLE || kind == HUGE_ONES) return random_below(100) * one;
    if (kind == NEGATIVE) return (random_below(100) - 60) * one;
    return (int64_t)(random_u64() >> 15) - (kind == DECIMALS ? 0 : one * 300);
}

/* sparse: how many of 8 cells are missing, or FAR. */
static void make(problem *p, int n, int kind, int sparse, double huge)
{
    int i, j, hole;
    memset(p, 0, sizeof *p);
    p->n = n;
    p->directed = random_below(2);
    p->huge = huge;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double *weight = p->weights + i * n + j;
            hole = random_below(8) < sparse;
            p->cell[i][j] = hole ? MISSING : random_cell(kind);
            if (!p->directed && j < i) p->cell[i][j] = p->cell[j][i];
            if (i == j) p->cell[i][j] = MISSING;
            hole = p->cell[i][j] == MISSING;
            if (hole && i != j && !(huge > 0)) p->has_missing = 1;
            *weight = !hole             ? ldexp((double)p->cell[i][j], -40)
                      : huge > 0        ? huge
                      : random_below(2) ? NAN
                      : random_below(2) ? -HUGE_VAL
                                        : COMBGPU_TSP_NO_CONNECTION;
            if (hole && i != j && !(huge > 0) && *weight < 0) *weight = COMBGPU_TSP_NO_CONNECTION;
        }
    p->instance.n = n;
    p->instance.weights = p->weights;
    p->desc.instance = &p->instance;
    if (random_below(2)) {
        p->desc.shape = COMBGPU_TSP_PATH;
        p->desc.path_ends = (combgpu_tsp_ends)(n > 1 ? random_below(4) : 0);
        if (p->desc.path_ends & 1) p->desc.path_start = random_below(n);
        if (p->desc.path_ends & 2) do
                p->desc.path_end = random_below(n);
            while (p->desc.path_ends == 3 && p->desc.path_end == p->desc.path_start);
    }
}

static double number(int64_t length)
{
    return ldexp((double)length, -40);
}

/* Nonzero if a bound is not above the length, as whole numbers. */
static int below(double bound, int64_t length)
{
    double units = ldexp(bound, 40);
    int64_t whole = units < 9e18 && units > -9e18 ? (int64_t)units : INT64_MAX; /* toward zero */
    return units <= -9e18 || (units < 9e18 && whole + (units > (double)whole) <= length);
}

static int64_t length_of(const problem *p, const int *tour)
{
    int legs = p->n - 1 + (p->desc.shape == COMBGPU_TSP_CYCLE && p->n > 1), i;
    int64_t sum = 0;
    for (i = 0; i < legs; i++)
        sum += p->cell[tour[i]][tour[(i + 1) % p->n]];
    return sum;
}

/* What is wrong with a result, or NULL. */
static const char *fault(const problem *p, const combgpu_tsp_result *r, const answer *a)
{
    double slack;
    if (r->n != p->n) return "n";
    if (!r->optimal && r->method != COMBGPU_TSP_HEURISTIC) return "not optimal";
    if (!r->feasible) {
        if (a->found && r->optimal) return "no tour, though there is one";
        if (!(r->length > 1e308) || r->tolerance != 0) return "a length without a tour";
        if (r->optimal && !(r->lower_bound > 1e308)) return "a bound without a tour";
        if (r->optimal && r->gap != 0) return "a gap without a tour";
        return a->found && !below(r->lower_bound, a->length) ? "a bound above a tour" : NULL;
    }
    if (!a->found && p->huge > 0) return r->length >= p->huge ? NULL : "a tour, though none is";
    if (!a->found) return "a tour, though none exists";
    if (!allowed(p, r->tour) && !(p->desc.shape == COMBGPU_TSP_PATH)) return "the tour's form";
    if (p->huge > 0 &&
        r->length >= p->huge) /* the heuristic may take a huge leg, and has not proven it */
        return r->optimal ? "a huge leg, though there is a tour without" : NULL;
    if (r->length != number(length_of(p, r->tour))) return "the tour's length";
    if (!below(r->lower_bound, a->length)) return "a bound above the shortest";
    if (!r->optimal) return NULL;
    slack = r->tolerance + 1e-15 * fabs(r->length);
    if (r->length > number(a->length) + r->tolerance) return "not the shortest";
    if (r->lower_bound < r->length - slack * 1.01) return "a loose bound";
    if (r->tolerance > 1e-9 * (1 + fabs(r->length))) return "the tolerance";
    if (r->tolerance == 0 && r->length != number(a->length)) return "not quite the shortest";
    if (r->gap != 0) return "a gap";
    return NULL;
}

/* The methods that go with the problem; brute force and Held-Karp give the smallest tour. */
static void check(combgpu_context *ctx, problem *p, const char *what, int *wrong)
{
    answer a = solve(p);
    combgpu_tsp_result r;
    int method;
    for (method = 0; method <= COMBGPU_TSP_HEURISTIC; method++) {
        const char *why;
        combgpu_status status;
        if (p->instance.before_count && method != 0 && method != 3) continue;
        if (p->instance.fixed_count && method != 0 && method < 3) continue;
        p->desc.method = (combgpu_tsp_method)method;
        status = combgpu_tsp(ctx, &p->desc, &r);
        if (status == COMBGPU_UNSUPPORTED && p->huge > 0 && !a.found &&
            strstr(combgpu_message(ctx), "no connection"))
            continue; /* every tour has such a leg */
        why = status ? combgpu_message(ctx) : fault(p, &r, &a);
        if (!why && method && method < 3 && r.feasible && a.found && r.tolerance == 0 &&
            memcmp(r.tour, a.order, (size_t)p->n * sizeof(int)))
            why = "not the smallest";
        if (!why) continue;
        ++*wrong;
        printf(
            "# %s, n %d, method %d, shape %d, ends %d, %s: %s (length %.17g bound %.17g tolerance "
            "%g; %.17g)\n",
            what, p->n, method, (int)p->desc.shape, (int)p->desc.path_ends,
            p->directed ? "directed" : "undirected", why, r.length, r.lower_bound, r.tolerance,
            a.found ? number(a.length) : -1);
    }
    p->desc.method = COMBGPU_TSP_AUTO;
}

static void test_methods(combgpu_context *ctx, const char *place)
{
    static const char *const names[] = {"whole numbers", "negative ones", "decimals",
                                        "negative decimals", "huge ones"};
    static const double huge[] = {1e15, 1e18, 1e20, 1e30, 1e300};
    int kind, sparse, k;
    for (kind = 0; kind < KINDS; kind++)
        for (sparse = 0; sparse < 6; sparse += kind == HUGE_ONES ? 1 : 2) {
            int wrong = 0;
            for (k = 0; k < (test_small() ? 5 : 25); k++) {
                static problem p;
                make(&p, 1 + random_below(8), kind, sparse,
                     kind == HUGE_ONES ? huge[random_below(5)] : 0);
                check(ctx, &p, names[kind], &wrong);
                if (p.n >= 5 && !p.directed) {
                    p.fixed[0] = random_below(p.n);
                    p.fixed[1] = (p.fixed[0] + 1 + random_below(p.n - 1)) % p.n;
                    p.instance.fixed_count = p.desc.path_ends != COMBGPU_TSP_FIXED_ENDS;
                    p.instance.fixed = p.fixed;
                    check(ctx, &p, "with a fixed edge", &wrong);
                    p.instance.fixed_count = 0;
                }
                if (p.n < 4 || p.desc.path_ends) continue;
                p.before[0] = 1 + random_below(p.n - 1);
                p.before[1] = 1 + p.before[0] % (p.n - 1);
                p.instance.before_count = 1;
                p.instance.before = p.before;
                check(ctx, &p, "with precedence", &wrong);
            }
            equal_u64(wrong, 0, "%s, %s, %d of 8 legs missing: every method", place, names[kind],
                      sparse);
        }
}

/* ---- lists, batches, time windows */

/* What is wrong with the list of the 40 shortest tours, or NULL. */
static const char *list_fault(combgpu_context *ctx, const problem *p, const answer *a)
{
    double lengths[40];
    combgpu_tsp_tours_desc desc;
    combgpu_tsp_tours_result r;
    int i, optima = 0;
    memset(&desc, 0, sizeof desc);
    desc.instance = &p->instance;
    desc.shape = p->desc.shape;
    desc.path_ends = p->desc.path_ends;
    desc.path_start = p->desc.path_start;
    desc.path_end = p->desc.path_end;
    desc.count = p->huge > 0 ? 1 : 40; /* more would have huge legs */
    desc.lengths = lengths;
    if (combgpu_tsp_tours(ctx, &desc, &r))
        return p->huge > 0 && !a->found ? NULL : "the list's status";
    if (p->huge > 0 && !a->found) return NULL;
    if (r.count != (a->listed < desc.count ? a->listed : desc.count)) return "the list's size";
    for (i = 0; i < a->listed; i++) {
        if (i < r.count && fabs(lengths[i] - number(a->list[i])) > r.tolerance) return "the list";
        optima += a->list[i] == a->length;
    }
    if (a->count <= 40 && !(r.tolerance > 0) && r.optima != (uint64_t)optima) return "optima";
    return a->found || r.length > 1e308 ? NULL : "a list's length without a tour";
}

/* The same of a batch of this instance and one of two cities; n of the batch: own, or 16. */
static const char *batch_fault(combgpu_context *ctx, const problem *p, const answer *a, int n)
{
    static double weights[2 * 16 * 16];
    double lengths[2], bounds[2];
    uint8_t states[2];
    int cities[2], i, j;
    combgpu_tsp_batch_desc desc;
    combgpu_tsp_batch_result r;
    memset(&desc, 0, sizeof desc);
    memset(weights, 0, sizeof weights);
    for (i = 0; i < p->n; i++)
        for (j = 0; j < p->n; j++)
            weights[i * n + j] = p->weights[i * p->n + j];
    cities[0] = p->n;
    cities[1] = n == 16 ? 16 : p->n;
    desc.count = 2;
    desc.n = n;
    desc.cities = cities;
    desc.weights = weights;
    desc.shape = p->desc.shape;
    desc.path_ends = p->desc.path_ends;
    desc.path_start = p->desc.path_start;
    desc.path_end = p->desc.path_end;
    desc.lengths = lengths;
    desc.lower_bounds = bounds;
    desc.states = states;
    if (combgpu_tsp_batch(ctx, &desc, &r)) return combgpu_message(ctx);
    if (!a->found && p->huge > 0) return lengths[0] >= p->huge ? NULL : "a batch's tour";
    if (!a->found)
        return states[0] == COMBGPU_TSP_NO_TOUR && lengths[0] > 1e308 ? NULL : "a batch: no tour";
    if (states[0] != COMBGPU_TSP_PROVEN || states[1] != COMBGPU_TSP_PROVEN) return "a batch: state";
    if (!below(bounds[0], a->length)) return "a batch's bound";
    if (bounds[0] < number(a->length) - 1e-9 * (1 + fabs(lengths[0]))) return "a loose bound";
    return fabs(lengths[0] - number(a->length)) <= 1e-9 * (1 + fabs(lengths[0]))
               ? NULL
               : "a batch's length";
}

/* Without windows the shortest tour, and the one that ends first, are that of all tours. */
static const char *windows_fault(combgpu_context *ctx, const problem *p, const answer *a)
{
    combgpu_tsp_windows_desc desc;
    combgpu_tsp_windows_result r;
    memset(&desc, 0, sizeof desc);
    desc.instance = &p->instance;
    desc.shape = p->desc.shape;
    desc.path_ends = p->desc.path_ends;
    desc.path_start = p->desc.path_start;
    desc.path_end = p->desc.path_end;
    desc.earliest_end = random_below(2);
    if (combgpu_tsp_windows(ctx, &desc, &r)) return p->huge > 0 && !a->found ? NULL : "windows";
    if (p->huge > 0 && !a->found)
        return !r.feasible || r.length >= p->huge ? NULL : "windows: a tour";
    if (r.feasible != a->found) return "windows: feasible";
    return !a->found || fabs(r.length - number(a->length)) <= r.tolerance ? NULL
                                                                          : "windows: length";
}

static void test_others(combgpu_context *ctx, const char *place)
{
    static const double huge[] = {1e15, 1e18, 1e20, 1e30, 1e300};
    int kind, k, wrong = 0;
    for (kind = 0; kind < KINDS; kind++)
        for (k = 0; k < (test_small() ? 10 : 60); k++) {
            static problem p;
            const char *why[4];
            answer a;
            int i, negative = kind == NEGATIVE || kind == NEGATIVE_DECIMALS;
            make(&p, 2 + random_below(6), kind, random_below(6),
                 kind == HUGE_ONES ? huge[random_below(5)] : 0);
            a = solve(&p);
            why[0] = list_fault(ctx, &p, &a);
            why[1] = batch_fault(ctx, &p, &a, p.n);
            why[2] = batch_fault(ctx, &p, &a, 16);
            why[3] = negative ? NULL : windows_fault(ctx, &p, &a);
            for (i = 0; i < 4; i++)
                if (why[i]) {
                    wrong++;
                    printf("# n %d, kind %d, shape %d, ends %d, %s: %s\n", p.n, kind,
                           (int)p.desc.shape, (int)p.desc.path_ends,
                           p.directed ? "directed" : "undirected", why[i]);
                }
        }
    equal_u64(wrong, 0, "%s: lists, batches and time windows", place);
}

/* As people write it: "no road" in a table of distances. */
static void test_table(combgpu_context *ctx)
{
    static const double large[] = {9999, 1e9, 1e15, 1e17, 1e18, 1e19, 1e20, 1e30, 1e300, HUGE_VAL};
    int k, i, j;
    for (k = 0; k < 10; k++) {
        double m = large[k], unit;
        const double table[6][6] = {{0, 89, 42, m, m, 93},  {89, 0, 13, 69, m, m},
                                    {42, 13, 0, 24, 57, m}, {m, 69, 24, 0, 23, 83},
                                    {m, m, 57, 23, 0, 45},  {93, m, m, 83, 45, 0}};
        int method;
        for (unit = 1; unit > 0.01; unit /= 10)
            for (method = 0; method < 5; method++) {
                double weights[36];
                combgpu_tsp_instance instance;
                combgpu_tsp_desc desc;
                combgpu_tsp_result r;
                memset(&instance, 0, sizeof instance);
                memset(&desc, 0, sizeof desc);
                memset(&r, 0, sizeof r);
                for (i = 0; i < 6; i++)
                    for (j = 0; j < 6; j++)
                        weights[6 * i + j] = table[i][j] < 100 ? table[i][j] * unit : table[i][j];
                instance.n = 6;
                instance.weights = weights;
                desc.instance = &instance;
                desc.method = (combgpu_tsp_method)method;
                ok(!combgpu_tsp(ctx, &desc, &r) && r.optimal && r.feasible &&
                       fabs(r.length - 285 * unit) < 1e-13 * r.length &&
                       r.lower_bound <= r.length && r.lower_bound > r.length * (1 - 1e-9) &&
                       (unit < 1 || (r.length == 285 && r.lower_bound == 285 && r.tolerance == 0)),
                   "no road: %g, method %d: %.17g, at least %.17g", m, method, r.length,
                   r.lower_bound);
            }
    }
}

int main(void)
{
    int place;
    for (place = 0; place < TEST_PLACES; place++) {
        combgpu_context *ctx;
        if (!test_open(place, &ctx)) continue;
        test_methods(ctx, test_places[place].name);
        test_others(ctx, test_places[place].name);
        if (!place) test_table(ctx);
        combgpu_close(ctx);
    }
    return tap_end();
}
