/* Tests the travelling salesman by branch and bound against dynamic programming over subsets, on small
   instances of every kind, and on TSPLIB's. COMBGPU_TEST_SLOW=1 adds those that take seconds. */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU_ONLY_TSP 1
#include "test.h"

/* ---- the oracle: least[visited][last], without thought for speed */

#define ORACLE_MOST 10
static double oracle_least[1 << ORACLE_MOST][ORACLE_MOST];

static double oracle_from(const combgpu_tsp_desc *desc, int start)
{
    int n = desc->instance->n, all = (1 << n) - 1, set, i, j;
    const double *w = desc->instance->weights;
    double best = HUGE_VAL;
    for (set = 0; set <= all; set++)
        for (i = 0; i < n; i++)
            oracle_least[set][i] = HUGE_VAL;
    oracle_least[1 << start][start] = 0;
    for (set = 0; set <= all; set++)
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                double length = oracle_least[set][i] + w[i * n + j];
                if (set >> j & 1 || !(set >> i & 1)) continue;
                if (length < oracle_least[set | 1 << j][j]) oracle_least[set | 1 << j][j] = length;
            }
    for (i = 0; i < n; i++) {
        double length = oracle_least[all][i];
        if (desc->shape == COMBGPU_TSP_CYCLE && n > 1) length += w[i * n + start];
        if (TEST_END(*desc) >= 0 && i != TEST_END(*desc)) continue;
        if (length < best) best = length;
    }
    return best;
}

static double oracle(const combgpu_tsp_desc *desc)
{
    int n = desc->instance->n, i;
    double best = HUGE_VAL;
    if (desc->shape == COMBGPU_TSP_CYCLE) return oracle_from(desc, 0);
    for (i = 0; i < n; i++)
        if (TEST_START(*desc) < 0 || i == TEST_START(*desc)) {
            double length = oracle_from(desc, i);
            if (length < best) best = length;
        }
    return best;
}

/* ---- instances */

typedef struct request {
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    double weights[60 * 60], x[60], y[60];
} request;

enum {
    SMALL,
    TIES,
    ZERO_ONE,
    ZEROS,
    LARGE,
    REALS,
    IN_PLANE,
    EVEN,
    HUGE_REALS,
    TINY_REALS,
    FORBIDDEN,
    RESIDUES,
    KINDS
};

static double random_weight(int kind, const request *r, int i, int j)
{
    double dx = r->x[i] - r->x[j], dy = r->y[i] - r->y[j];
    switch (kind) {
    case SMALL:
        return random_below(1000);
    case TIES:
        return random_below(4);
    case ZERO_ONE:
        return random_below(2);
    case LARGE:
        return (double)((uint64_t)random_below(1 << 30) << 18);
    case REALS:
        return random_below(1000000) / 99991.0;
    case IN_PLANE:
        return combgpu__floor(test_sqrt(dx * dx + dy * dy) + 0.5);
    case EVEN:
        return 30.0 * random_below(40);
    case HUGE_REALS:
        return random_below(1000000) * 1e290;
    case TINY_REALS:
        return (1 + random_below(5)) * 1e-305;
    case FORBIDDEN: /* tours with such a leg are no whole numbers of a double */
        return random_below(4) ? random_below(10) : 1e15 + random_below(9);
    case RESIDUES: /* all tours are equally long up to multiples of 60 */
        return 7 * r->x[i] + 7 * r->x[j] + 60 * random_below(20);
    default:
        return 0;
    }
}

static void random_request(request *r, int n, int kind, int symmetric)
{
    int i, j;
    memset(r, 0, sizeof *r);
    for (i = 0; i < n; i++) {
        r->x[i] = random_below(n < 12 ? 4 : 1000); /* few places: points coincide */
        r->y[i] = random_below(n < 12 ? 4 : 1000);
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            r->weights[i * n + j] = symmetric && j < i ? r->weights[j * n + i]
                                    : i == j           ? 0
                                                       : random_weight(kind, r, i, j);
    r->instance.n = n;
    r->instance.weights = r->weights;
    r->desc.instance = &r->instance;
    r->desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
}

static void random_shape(request *r)
{
    int n = r->instance.n, start = -1, end = -1;
    if (random_below(2)) return;
    r->desc.shape = COMBGPU_TSP_PATH;
    if (random_below(2)) start = random_below(n);
    if (random_below(2)) end = random_below(n);
    if (start == end && n > 1) end = -1;
    TEST_SET_ENDS(r->desc, start, end);
}

/* Returns whether the tour is as long as the result says, in normal form, and keeps its ends. */
static int sound(combgpu_context *ctx, const request *r, const combgpu_tsp_result *result)
{
    const combgpu_tsp_desc *desc = &r->desc;
    int n = result->n, last = n - 1, symmetric = 1, i, j;
    double length;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (desc->instance->weights[i * n + j] != desc->instance->weights[j * n + i])
                symmetric = 0;
    if (combgpu_tsp_length(ctx, desc->instance, desc->shape, result->tour, &length)) return 0;
    if (length != result->length) return 0;
    if (!TEST_HAS_ENDS(*desc, result->tour, n)) return 0;
    if (desc->shape == COMBGPU_TSP_CYCLE)
        return result->tour[0] == 0 &&
               (!symmetric || n < 3 || result->tour[1] < result->tour[last]);
    return desc->path_ends || !symmetric || n < 2 || result->tour[0] < result->tour[last];
}

/* ---- tests */

static void test_kinds(combgpu_context *ctx, const char *place)
{
    static const char *const names[KINDS] = {"small weights", "ties",           "weights 0 and 1",
                                             "zeros",         "large",          "reals",
                                             "points",        "multiples",      "huge reals",
                                             "tiny reals",    "forbidden legs", "residues"};
    int kind, symmetric, k;
    for (kind = 0; kind < KINDS; kind++)
        for (symmetric = 0; symmetric < 2; symmetric++) {
            int wrong = 0;
            for (k = 0; k < (test_small() ? 10 : 300); k++) {
                static request r;
                combgpu_tsp_result result;
                double want;
                random_request(&r, 1 + random_below(9), kind, symmetric);
                random_shape(&r);
                want = oracle(&r.desc);
                if (combgpu_tsp(ctx, &r.desc, &result) != COMBGPU_OK || !result.optimal ||
                    !result.feasible || result.lower_bound > result.length ||
                    result.lower_bound < result.length - result.tolerance * 1.01 - 1e-15 * want ||
                    !sound(ctx, &r, &result) || fabs(result.length - want) > 1e-11 * want)
                    wrong++;
            }
            equal_u64(wrong, 0, "%s, %s, %s: cycles and paths up to 9 cities are optimal", place,
                      names[kind], symmetric ? "symmetric" : "asymmetric");
        }
}

static void test_against_held_karp(combgpu_context *ctx)
{
    int wrong = 0, k;
    uint64_t steps = 0;
    for (k = 0; k < (test_small() ? 40 : 150); k++) {
        static request r;
        combgpu_tsp_result result, other;
        random_request(&r, 11 + random_below(5), random_below(KINDS), random_below(2));
        random_shape(&r);
        wrong += combgpu_tsp(ctx, &r.desc, &result) != COMBGPU_OK || !sound(ctx, &r, &result);
        steps += result.run.steps;
        r.desc.method = COMBGPU_TSP_HELD_KARP;
        wrong += combgpu_tsp(ctx, &r.desc, &other) != COMBGPU_OK;
        wrong += fabs(result.length - other.length) > 1e-11 * other.length;
    }
    equal_u64(wrong, 0, "instances of 11 to 15 cities: as Held-Karp finds");
    ok(steps > (test_small() ? 10u : 1000u), "of these some needed a search (%llu steps)",
       (unsigned long long)steps);
}

/* A large gap between bound and optimum (a third as n grows), so that there is a tree to search:
   three paths between two triangles, distances along the edges. What stop, resume and a bad first
   tour are tried on; Held-Karp says the optimum. */
static void gadget(request *r, int n)
{
    int i, j, k;
    random_request(r, n, ZEROS, 1);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            r->weights[i * n + j] = i == j ? 0 : 1e6;
    for (i = 0; i < n; i++)
        for (k = 0; k < 2; k++) {
            int ends = i < 3 || i >= n - 3, to = k ? i + 3 : i % 3 == 2 ? i - 2 : i + 1;
            if (k ? i >= n - 3 : !ends) continue;
            r->weights[i * n + to] = r->weights[to * n + i] = 100 + random_below(5);
        }
    for (k = 0; k < n; k++)
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                if (r->weights[i * n + k] + r->weights[k * n + j] < r->weights[i * n + j])
                    r->weights[i * n + j] = r->weights[i * n + k] + r->weights[k * n + j];
}

static combgpu_job *begun(combgpu_context *ctx, const combgpu_tsp_desc *desc)
{
    combgpu_job *job = NULL;
    equal_status(ctx, combgpu_tsp_begin(ctx, desc, &job), COMBGPU_OK, "begin");
    return job;
}

/* Begins a search without branch and cut, whose first slice, on the host, is short, and the others
   are on the device if the context has one. */
static combgpu_status begin_on_device(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                      combgpu_job **job)
{
    combgpu_status status = combgpu_tsp_begin(ctx, desc, job);
    if (status) return status;
    combgpu__branch_end_cut(*job);
    ((combgpu__branch_state *)(*job)->state)->host_trees = 0;
    (*job)->budget = 16;
    return status;
}

/* Each stop may go on in the other context. */
static void test_resume(combgpu_context *ctx, combgpu_context *other, const request *r, double want)
{
    const int opencl = ctx->backend->id == COMBGPU_BACKEND_OPENCL;
    int rounds = opencl || test_small() ? 2 : 6, round, resumed = 0, wrong = 0;
    for (round = 0; round < rounds; round++) {
        combgpu_tsp_desc desc = r->desc;
        combgpu_tsp_result result;
        combgpu_job *job = NULL;
        unsigned char *data = NULL;
        size_t bytes = 0;
        if (begin_on_device(ctx, &desc, &job)) wrong++;
        while (job && (job->budget = 64u << random_below(6), combgpu_step(job)) == COMBGPU_RUNNING)
            if (random_below(3) == 0) { /* stop here, go on from a copy */
                free(data);
                data = test_save(job, &bytes);
                if (!data) wrong++;
                combgpu_job_cancel(job);
                desc.run.resume_data = data;
                desc.run.resume_bytes = bytes;
                if (begin_on_device(random_below(2) ? ctx : other, &desc, &job)) wrong++;
                resumed++;
            }
        if (!job || combgpu_tsp_end(job, &result) != COMBGPU_OK || result.length != want ||
            !result.optimal)
            wrong++;
        free(data);
    }
    equal_u64(wrong, 0, "%d searches stopped and resumed %d times give the optimum", rounds,
              resumed);
    ok(resumed > rounds, "and there was something to resume");
}

static void test_stop(combgpu_context *ctx, const request *r, double want)
{
    combgpu_tsp_result result;
    combgpu_job *job = begun(ctx, &r->desc);
    if (!job) return;
    equal_status(ctx, combgpu_tsp_end(job, &result), COMBGPU_STOPPED, "a job ended at once");
    ok(!result.optimal && sound(ctx, r, &result) && result.length >= want &&
           result.lower_bound > 0 && result.lower_bound <= want && result.run.tasks_left == 1,
       "gives a tour and a lower bound: %g <= %g <= %g", result.lower_bound, want, result.length);
    job = begun(ctx, &r->desc);
    if (!job) return;
    job->budget = 64;
    combgpu_step(job);
    job->budget = 64;
    combgpu_step(job);
    equal_status(ctx, combgpu_tsp_end(job, &result), COMBGPU_STOPPED, "a job ended after 2 slices");
    ok(sound(ctx, r, &result) && result.length >= want && result.lower_bound <= want &&
           result.lower_bound > 0 && result.run.tasks_left > 0,
       "likewise: %g <= %g <= %g", result.lower_bound, want, result.length);
}

/* The search alone: a bad first tour, so that it finds the tours, and room for one in a slice. */
static void test_records(combgpu_context *ctx, const request *r, double want, uint32_t capacity)
{
    combgpu__job_desc search = combgpu__branch_describe();
    combgpu_job *job;
    combgpu__branch_state *state;
    combgpu__tsp_weights kind;
    combgpu_tsp_result result;
    combgpu_status status;
    uint64_t slices;
    int i, n = r->instance.n;
    if (combgpu__job_create(ctx, &search, sizeof *state, &r->desc.run, &job)) return;
    job->search = &combgpu__tsp_calls;
    for (job->method = combgpu__tsp_methods; job->method->end != combgpu__branch_end;
         job->method++) {
    }
    state = (combgpu__branch_state *)job->state;
    status = combgpu__branch_begin(job, &r->desc);
    state->terms.given = r->instance;
    combgpu__branch_end_cut(job); /* which reads the graph */
    combgpu__branch_release(ctx, &state->graph);
    memset(&state->graph, 0, sizeof state->graph);
    if (!status) status = combgpu__branch_arrays(ctx, &state->graph, n + 1);
    if (!status) status = combgpu__tsp_check_weights(ctx, &r->instance, &kind);
    if (!status) status = combgpu__branch_costs(ctx, &state->graph, &r->desc, &kind);
    for (i = 0; i < n; i++) {
        state->graph.tour[i] = i;
        state->graph.length += state->graph.costs[i * n + (i + 1) % n];
    }
    if (!status) status = combgpu__branch_edges(ctx, &state->graph);
    if (!status) status = combgpu__branch_root(ctx, &state->graph);
    job->desc.task_words =
        (uint32_t)combgpu__branch_task_words(state->graph.nodes, state->graph.edges);
    job->desc.cpu_work_bytes_per_worker =
        combgpu__branch_work_bytes(state->graph.nodes, state->graph.edges);
    job->desc.record_capacity = capacity;
    if (job->tables) {
        combgpu__release(ctx, job->tables);
        status = combgpu__branch_device(job);
    }
    state->host_trees = 0;
    if (!status) status = combgpu__job_start(job);
    if (!status) status = combgpu__branch_resume(job);
    equal_status(ctx, status, COMBGPU_OK, "a search from a tour of length %g",
                 ldexp((double)state->graph.length, -state->graph.scale));
    job->budget = 16;
    while (combgpu_step(job) == COMBGPU_RUNNING) {
    }
    slices = job->slices;
    status = combgpu_tsp_end(job, &result);
    ok(!status && result.length == want && result.optimal && sound(ctx, r, &result),
       "finds the optimum itself, room for %u tours in a slice (%llu slices)", capacity,
       (unsigned long long)slices);
}

static void test_start(combgpu_context *ctx)
{
    static request r;
    combgpu_tsp_result result, again;
    int shape, wrong = 0;
    for (shape = 0; shape < 6; shape++) {
        random_request(&r, 30, REALS, shape % 2);
        r.desc.shape = shape < 2 ? COMBGPU_TSP_CYCLE : COMBGPU_TSP_PATH;
        if (shape >= 4) TEST_SET_ENDS(r.desc, 4, -1);
        wrong += combgpu_tsp(ctx, &r.desc, &result) != COMBGPU_OK;
        r.desc.start = result.tour;
        wrong += combgpu_tsp(ctx, &r.desc, &again) != COMBGPU_OK;
        wrong += fabs(again.length - result.length) > 1e-11 * result.length;
        wrong += !sound(ctx, &r, &again);
    }
    equal_u64(wrong, 0, "a search that begins with the caller's tour, cycle or path");
    r.desc.start = result.tour;
    result.tour[3] = result.tour[4];
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &again), COMBGPU_INVALID_ARGUMENT,
                 "start is no permutation");
    ok(strstr(combgpu_message(ctx), "desc.start[4]") != NULL, "the message says where: %s",
       combgpu_message(ctx));
    r.desc.path_start = 5;
    wrong = 0;
    memcpy(result.tour, again.tour, sizeof again.tour);
    for (shape = 0; shape < 30; shape++)
        result.tour[shape] = shape;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &again), COMBGPU_INVALID_ARGUMENT,
                 "start begins elsewhere");
    ok(strstr(combgpu_message(ctx), "desc.start[0] is city 0, but the path begins at "
                                    "desc.path_start, city 5 (counted from 0)") != NULL,
       "the message says so: %s", combgpu_message(ctx));
}

static void test_arguments(combgpu_context *ctx)
{
    static double weights[(COMBGPU_TSP_MAX_TOUR + 1) * (COMBGPU_TSP_MAX_TOUR + 1)];
    static request r;
    combgpu_tsp_result result;
    random_request(&r, 20, SMALL, 1);
    r.desc.run.shard_count = 2;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_INVALID_ARGUMENT, "no shards");
    ok(strstr(combgpu_message(ctx), "desc.run.shard_count is 2") != NULL, "%s",
       combgpu_message(ctx));
    r.desc.run.shard_count = 0;
    r.instance.n = COMBGPU_TSP_MAX_TOUR + 1;
    r.instance.weights = weights;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK,
                 "more cities than a result has room for, all in one place");
    r.instance.n = COMBGPU_TSP_MAX_TOUR;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "as many as it has room for");
    weights[1] = -2e300;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "a weight out of range");
}

/* A damaged checkpoint with a right CRC: an error, no crash. */
static void test_untrusted(combgpu_context *ctx, const request *r)
{
    combgpu_tsp_desc desc = r->desc;
    combgpu_job *job;
    unsigned char *data, *copy;
    size_t bytes, text;
    int adopted = 0, refused = 0, k, count = test_small() ? 50 : 150;
    desc.run.slice_ms = 1;
    job = begun(ctx, &desc);
    if (!job) return;
    job->budget = 64;
    combgpu_step(job);
    combgpu_step(job);
    data = test_save(job, &bytes);
    copy = (unsigned char *)malloc(bytes);
    combgpu_job_cancel(job);
    for (text = 0; memcmp(data + text, "\nsums ", 6) != 0; text++) {
    }
    for (k = 0; k < count; k++) {
        combgpu_tsp_result result;
        memcpy(copy, data, bytes);
        copy[text + (size_t)random_below((int)(bytes - text - 4))] ^=
            (unsigned char)(1 << random_below(8));
        test_mend(copy, bytes);
        desc.run.resume_data = copy;
        desc.run.resume_bytes = bytes;
        desc.run.time_limit_s = 0.005;
        if (combgpu_tsp_begin(ctx, &desc, &job)) {
            refused++;
            continue;
        }
        test_run(job);
        adopted++;
        combgpu_tsp_end(job, &result);
    }
    ok(adopted + refused == count && refused > 0,
       "%d damaged checkpoints: %d refused, none crashes", count, refused);
    free(copy);
    free(data);
}

/* ---- allocation failures */

static const request *allocating_request;

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_tsp_result result;
    combgpu_status status = combgpu_tsp(ctx, &allocating_request->desc, &result);
    return status || result.length == *(const double *)user ? status : COMBGPU_WRONG_RESULT;
}

static void test_memory(const request *r, double want)
{
    combgpu_context_desc context = test_context(1);
    int fresh, failed;
    allocating_request = r;
    for (fresh = 0; fresh < 2; fresh++) {
        failed = test_out_of_memory(&context, fresh, allocating, &want);
        ok(failed > 12, "each of %d allocations may fail in %s context: a status, no leak", failed,
           fresh ? "a new" : "one");
    }
}

/* Points of a lattice: many ties, and a bound that is off by less than the next possible length.
   A tour of a x b unit cells is a * b long. If that is odd it is sqrt(2) - 1 longer; where one may
   not go aslant, by a whole unit, because closed walks are even. */
static void test_lattices(combgpu_context *ctx, combgpu_tsp_metric metric, int odd)
{
    static const int sides[][2] = {{4, 5}, {5, 5}, {6, 8}, {7, 7}, {9, 7}, {9, 9}, {10, 10}};
    size_t k;
    for (k = 0; k < sizeof sides / sizeof sides[0]; k++) {
        double x[100], y[100], want = 100.0 * sides[k][0] * sides[k][1];
        int n = sides[k][0] * sides[k][1], i;
        combgpu_tsp_result result;
        request r;
        memset(&r, 0, sizeof r);
        for (i = 0; i < n; i++) {
            x[i] = 100.0 * (i % sides[k][0]);
            y[i] = 100.0 * (i / sides[k][0]);
        }
        combgpu_tsp_from_coordinates(ctx, n, x, y, metric, &r.instance);
        r.desc.instance = &r.instance;
        r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
        equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "a lattice of %d x %d",
                     sides[k][0], sides[k][1]);
        ok(result.length == want + (n % 2 ? odd : 0) && result.optimal, "has a tour of %g",
           result.length);
        combgpu_tsp_free(ctx, &r.instance);
    }
}

/* ---- TSPLIB */

static const struct {
    const char *name;
    int optimum, slow;
} tsplib[] = {/* G. Reinelt, TSPLIB95 */
              {"burma14.tsp", 3323, 0},   {"ulysses16.tsp", 6859, 0}, {"gr17.tsp", 2085, 0},
              {"ulysses22.tsp", 7013, 0}, {"gr24.tsp", 1272, 0},      {"fri26.tsp", 937, 0},
              {"bayg29.tsp", 1610, 0},    {"bays29.tsp", 2020, 0},    {"dantzig42.tsp", 699, 0},
              {"att48.tsp", 10628, 0},    {"gr48.tsp", 5046, 0},      {"eil51.tsp", 426, 0},
              {"berlin52.tsp", 7542, 0},  {"st70.tsp", 675, 0},       {"pr76.tsp", 108159, 0},
              {"kroA100.tsp", 21282, 0},  {"kroB100.tsp", 22141, 0},  {"rd100.tsp", 7910, 0},
              {"eil101.tsp", 629, 0},     {"br17.atsp", 39, 0},       {"ftv33.atsp", 1286, 0},
              {"ftv35.atsp", 1473, 0},    {"p43.atsp", 5620, 0},      {"ry48p.atsp", 14422, 0},
              {"ch130.tsp", 6110, 0},     {"pr144.tsp", 58537, 0},    {"u159.tsp", 42080, 0},
              {"kroB150.tsp", 26130, 0},  {"pr152.tsp", 73682, 0}};

/* E. Vercesi, S. Gualandi, M. Mastrolilli, L. M. Gambardella (2023): large integrality gaps */
static const struct {
    const char *name;
    int slow;
} hard[] = {{"10001_hard.tsp", 0}, {"12290_hard.tsp", 0}, {"14850_hard.tsp", 0},
            {"15002_hard.tsp", 0}, {"16038_hard.tsp", 0}, {"20004_hard.tsp", 0},
            {"20007_hard.tsp", 0}, {"25001_hard.tsp", 1}};

static void solves_file(combgpu_context *ctx, const char *folder, const char *name, int optimum)
{
    char path[300];
    request r;
    combgpu_tsp_result result;
    combgpu_status status;
    snprintf(path, sizeof path, "tests/data/%s/%s", folder, name);
    memset(&r, 0, sizeof r);
    status = combgpu_tsp_read(ctx, path, &r.instance);
    if (!equal_status(ctx, status, COMBGPU_OK, "%s is read", path)) return;
    r.desc.instance = &r.instance;
    r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    status = combgpu_tsp(ctx, &r.desc, &result);
    equal_status(ctx, status, COMBGPU_OK, "%s is solved", path);
    ok(status == COMBGPU_OK && result.optimal && result.length == optimum &&
           result.lower_bound == optimum && sound(ctx, &r, &result),
       "%s: %g, proven (%d; %llu 1-trees, %.2f s)", name, result.length, optimum,
       (unsigned long long)result.run.steps, result.run.seconds);
    combgpu_tsp_free(ctx, &r.instance);
}

static void test_files(combgpu_context *ctx)
{
    int slow = getenv("COMBGPU_TEST_SLOW") != NULL;
    size_t i;
    for (i = 0; i < sizeof tsplib / sizeof tsplib[0]; i++)
        if (slow >= tsplib[i].slow && !(test_small() && tsplib[i].optimum > 6000))
            solves_file(ctx, "tsplib", tsplib[i].name, tsplib[i].optimum);
        else
            skip("slow", tsplib[i].name);
    for (i = 0; i < sizeof hard / sizeof hard[0]; i++)
        if (slow >= hard[i].slow)
            solves_file(ctx, "hard_tsplib", hard[i].name, 1000);
        else
            skip("slow: set COMBGPU_TEST_SLOW", hard[i].name);
}

/* Weights up to 2^53 of few cities are exact; where that ends, the result says so. */
static void test_tolerance(combgpu_context *ctx)
{
    static const double w = 9007199254740992.0; /* 2^53 */
    double weights[16] = {1, 1, w, 1, 1, w / 2, w, 0, w, w, w - 1, w / 2, 1, 0, w / 2, w / 2};
    static request r;
    combgpu_tsp_result result, other;
    int wrong = 0, n, i;
    memset(&r, 0, sizeof r);
    r.instance.n = 4;
    r.instance.weights = weights;
    r.desc.instance = &r.instance;
    r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "weights of 2^53");
    r.desc.method = COMBGPU_TSP_BRUTE_FORCE;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &other), COMBGPU_OK, "by brute force");
    ok(result.length == other.length && result.tolerance == 0, "the same optimum, %.17g",
       result.length);
    for (n = 5; n <= 12; n++) {
        random_request(&r, n, ZEROS, n & 1);
        for (i = 0; i < n * n; i++)
            r.weights[i] = combgpu__floor(w / 64 / (1 + random_below(30)));
        equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "%d cities", n);
        r.desc.method = COMBGPU_TSP_HELD_KARP;
        equal_status(ctx, combgpu_tsp(ctx, &r.desc, &other), COMBGPU_OK, "by Held-Karp");
        wrong += result.length != other.length || result.tolerance != 0;
    }
    equal_u64(wrong, 0, "integers whose tours stay within 2^55 are exact");
    random_request(&r, 18, ZEROS, 0);
    for (i = 0; i < 18 * 18; i++)
        r.weights[i] = combgpu__floor(w / (1 + random_below(3)));
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "beyond that");
    ok(result.tolerance > 0 && result.tolerance < w / 1024, "the result names its tolerance: %g",
       result.tolerance);
    r.desc.method = COMBGPU_TSP_AUTO;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &other), COMBGPU_OK, "and AUTO");
    ok(other.method == COMBGPU_TSP_HELD_KARP && other.tolerance == 0 &&
           other.length <= result.length && other.length >= result.length - result.tolerance,
       "takes Held-Karp, which is exact");
    random_request(&r, 7, ZEROS, 1);
    for (i = 0; i < 7 * 7; i++)
        r.weights[i] = (i / 7 - i % 7) % 5 ? 0 : 1e-300;
    r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "a tour of length 0");
    ok(result.length <= 0 && result.tolerance <= 0, "nothing is shorter: tolerance %g",
       result.tolerance);
}

/* ---- private parts */

/* The graph of a request before its root; NULL: failed. */
static combgpu__branch_graph *graph_of(combgpu_context *ctx, const request *r)
{
    combgpu__branch_graph *graph = (combgpu__branch_graph *)calloc(1, sizeof *graph);
    combgpu__tsp_weights kind;
    combgpu_status status = combgpu__tsp_check_weights(ctx, &r->instance, &kind);
    graph->forced_from = graph->forced_to = -1;
    if (!status) status = combgpu__branch_arrays(ctx, graph, r->instance.n + 1);
    if (!status) combgpu__branch_take_fixed(graph, &r->instance);
    if (!status) status = combgpu__branch_costs(ctx, graph, &r->desc, &kind);
    if (!status) status = combgpu__branch_edges(ctx, graph);
    if (!status) return graph;
    combgpu__branch_release(ctx, graph);
    free(graph);
    return NULL;
}

static void shuffle(uint32_t *tour, int n)
{
    int i, j;
    for (i = 0; i < n; i++) {
        j = random_below(i + 1);
        tour[i] = tour[j];
        tour[j] = (uint32_t)i;
    }
}

static int edge_of(const combgpu__branch_graph *graph, uint32_t a, uint32_t b)
{
    int edge;
    for (edge = 0; edge < graph->edges; edge++)
        if ((graph->ends[2 * edge] == a && graph->ends[2 * edge + 1] == b) ||
            (graph->ends[2 * edge] == b && graph->ends[2 * edge + 1] == a))
            return edge;
    return -1;
}

/* Forces the edges of a random tour one by one. The tour is always left, so no bound is above its
   length, and the last bound is its length. No forced edge can be forbidden. */
static int forces_tour(const combgpu__branch_graph *graph, combgpu__branch_work *work)
{
    uint32_t tour[COMBGPU_TSP_MAX_TOUR + 1];
    int n = graph->cities, i, wrong;
    int64_t length, bound = 0;
    shuffle(tour, n);
    length = combgpu__branch_cycle_cost(graph->costs, n, (const int *)tour);
    memcpy(work->marks, graph->marks, (size_t)graph->edges);
    wrong = !combgpu__branch_restore(work);
    for (i = 0; i < n; i++)
        work->multipliers[i] = random_below(1 << 20) - (1 << 19);
    for (i = 0; i < n && !wrong; i++) {
        int edge = edge_of(graph, tour[i], tour[(i + 1) % n]);
        wrong += edge < 0 || !combgpu__branch_force(work, edge) || !combgpu__branch_settle(work) ||
                 combgpu__branch_forbid(work, edge);
        combgpu__branch_arcs(work);
        bound = combgpu__branch_one_tree(work, work->multipliers);
        wrong += bound > length;
    }
    return !wrong && bound == length;
}

/* Is a tour taken, but not with another length, a city twice or one that does not exist? */
static int takes_tours(const combgpu__branch_graph *graph)
{
    uint32_t tour[COMBGPU_TSP_MAX_TOUR + 1];
    int n = graph->cities, right;
    int64_t length;
    shuffle(tour, n);
    length = combgpu__branch_cycle_cost(graph->costs, n, (const int *)tour);
    right = combgpu__branch_valid(graph, tour, length) &&
            !combgpu__branch_valid(graph, tour, length + 1);
    tour[n - 1] = tour[random_below(n - 1)];
    length = combgpu__branch_cycle_cost(graph->costs, n, (const int *)tour);
    right &= !combgpu__branch_valid(graph, tour, length);
    tour[n - 1] = (uint32_t)n;
    return right && !combgpu__branch_valid(graph, tour, length);
}

/* The whole tree of a graph, node by node, as a batch does it; for every better tour there is no room
   at first. Returns how often; *length: of the best tour. */
static int without_room(combgpu__branch_graph *graph, int64_t *length)
{
    size_t words = combgpu__branch_task_words(graph->nodes, graph->edges) + 1, place = 10;
    size_t graph_words = COMBGPU__BRANCH_AT_WEIGHTS((size_t)graph->nodes, (size_t)graph->edges) +
                         2 * (size_t)graph->edges;
    uint32_t *tables = (uint32_t *)calloc(place + graph_words, sizeof *tables);
    uint32_t *task = (uint32_t *)calloc(words, sizeof *task);
    uint32_t record[COMBGPU__BATCH_TREE_WORDS];
    size_t bytes = combgpu__batch_nodes_bytes(graph->nodes, graph->edges, words);
    combgpu__batch_tree *tree = (combgpu__batch_tree *)calloc(1, bytes);
    combgpu__worker worker;
    combgpu__slice slice;
    int refused = 0, steps;
    combgpu__put64(tables + COMBGPU__BATCH_AT_GRAPHS, place);
    combgpu__branch_write(graph, tables + place);
    combgpu__branch_pack(graph, 0, (uint64_t)1 << 62, graph->multipliers, graph->marks, task);
    task[words - 1] = 1;
    combgpu__batch_nodes_turn(tree, tables, task, words);
    memset(&worker, 0, sizeof worker);
    memset(&slice, 0, sizeof slice);
    worker.slice = &slice;
    worker.records = record;
    slice.record_words = COMBGPU__BATCH_TREE_WORDS;
    for (steps = 0; tree->work->stack_count && steps < 100000; steps++) {
        slice.record_count = 0;
        if (combgpu__batch_nodes_step(&worker, tree))
            slice.record_capacity = 0;
        else {
            slice.record_capacity = 1;
            refused++;
        }
    }
    *length = tree->graph.length;
    free(tree);
    free(task);
    free(tables);
    return refused;
}

static void test_parts(combgpu_context *ctx)
{
    static int fixed[2] = {2, 5};
    static request r;
    static const int line[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    combgpu_tsp_result result;
    int64_t length;
    int better = 0, lost = 0, forced = 0, taken = 0, k, i, together[2] = {0, 0};
    for (k = 0; k < 50; k++) {
        combgpu__branch_graph *graph;
        void *memory;
        random_request(&r, 9, SMALL, 1);
        graph = graph_of(ctx, &r);
        if (!graph) break;
        memory = malloc(combgpu__branch_work_bytes(graph->nodes, graph->edges));
        forced += forces_tour(graph, combgpu__branch_work_at(memory, graph));
        taken += takes_tours(graph);
        graph->length = combgpu__branch_cycle_cost(graph->costs, 9, line);
        better += without_room(graph, &length);
        r.desc.method = COMBGPU_TSP_HELD_KARP;
        lost += combgpu_tsp(ctx, &r.desc, &result) ||
                ldexp((double)length, -graph->scale) != result.length;
        free(memory);
        combgpu__branch_release(ctx, graph);
        free(graph);
    }
    equal_u64(forced, 50, "bounds while a tour's edges are forced: at last its length");
    equal_u64(taken, 50, "a tour is taken only with its length and every city once");
    ok(!lost && better >= 50, "%d better tours for which there was no room: none is lost", better);
    for (i = 0; i < 9; i++) /* city 3 is where city 2 is */
        r.weights[9 * 3 + i] = r.weights[9 * i + 3] = i == 3 ? 0 : r.weights[9 * 2 + i];
    for (k = 0; k < 2; k++) {
        int group[COMBGPU_TSP_MAX_TOUR + 1], place[COMBGPU_TSP_MAX_TOUR + 1];
        combgpu__branch_graph *graph;
        r.instance.fixed = k ? fixed : NULL;
        r.instance.fixed_count = k;
        graph = graph_of(ctx, &r);
        if (!graph) continue;
        combgpu__branch_twins(graph, group, place);
        together[k] = group[2] == group[3];
        combgpu__branch_release(ctx, graph);
        free(graph);
    }
    ok(together[0] && !together[1],
       "cities that coincide can change places, but not if one has a fixed edge");
}

/* The least length of a cycle from city 0 by way of `from`, over the other cities. */
static double least_from(const request *r, int from, unsigned left)
{
    int n = r->instance.n, i;
    double least = left ? HUGE_VAL : r->weights[from * n];
    for (i = 0; i < n; i++)
        if (left >> i & 1) {
            double length = r->weights[from * n + i] + least_from(r, i, left & ~(1u << i));
            if (length < least) least = length;
        }
    return least;
}

/* Brute force of few cities, which the host alone does: the checksum is the sum that it is said to
   be. */
static void test_brute_checksum(combgpu_context *ctx)
{
    int wrong = 0, k;
    for (k = 0; k < 20; k++) {
        static request r;
        combgpu_tsp_result result;
        combgpu_job *job;
        uint64_t sum = 0;
        int n = 4 + k % 3, c;
        random_request(&r, n, SMALL, 0);
        r.desc.method = COMBGPU_TSP_BRUTE_FORCE;
        if (combgpu_tsp_begin(ctx, &r.desc, &job)) break;
        for (c = 1; c < n; c++) { /* a prefix: the city after 0 */
            double length = r.weights[c] + least_from(&r, c, ((1u << n) - 2) & ~(1u << c));
            int scale = ((const combgpu__tsp *)job->state)->scale;
            sum += combgpu__table_hash((uint64_t)c - 1, (int64_t)ldexp(length, scale));
        }
        test_run(job);
        wrong += combgpu_tsp_end(job, &result) || result.run.checksum != sum;
    }
    ok(!wrong && k == 20, "brute force of 4 to 6 cities: the checksum is a sum over the prefixes");
}

/* ---- branch and cut */

/* Begins a search by branch and cut, even if the instance is none that it suits; NULL if the root
   is the whole search. impatient: it gives up at once. */
static combgpu_job *begin_cut(combgpu_context *ctx, const request *r, int impatient)
{
    combgpu_job *job = begun(ctx, &r->desc);
    combgpu__branch_state *state = job ? (combgpu__branch_state *)job->state : NULL;
    if (!state || !state->graph.open) {
        combgpu_job_cancel(job);
        return NULL;
    }
    combgpu__branch_end_cut(job);
    equal_status(ctx, combgpu__branch_begin_cut(job), COMBGPU_OK, "branch and cut begins");
    if (impatient) state->cut->lp.pivots = UINT64_C(1) << 40;
    return job;
}

static void test_cuts(combgpu_context *ctx)
{
    int wrong = 0, searched = 0, k;
    for (k = 0; k < (test_small() ? 40 : 240); k++) {
        static request r;
        combgpu_tsp_result result, other;
        combgpu_job *job;
        if (k % 4)
            random_request(&r, 5 + random_below(9), random_below(KINDS), random_below(2));
        else
            gadget(&r, 12);
        random_shape(&r);
        job = begin_cut(ctx, &r, k % 5 == 4);
        if (!job) continue;
        searched++;
        test_run(job);
        wrong += combgpu_tsp_end(job, &result) != COMBGPU_OK || !sound(ctx, &r, &result);
        r.desc.method = COMBGPU_TSP_HELD_KARP;
        wrong += combgpu_tsp(ctx, &r.desc, &other) != COMBGPU_OK || !result.optimal;
        wrong += fabs(result.length - other.length) > 1e-11 * other.length;
    }
    equal_u64(wrong, 0, "branch and cut, also where it gives up: as Held-Karp finds");
    ok(searched > k / 8, "%d of %d needed a search", searched, k);
}

/* Ended and resumed while branch and cut is under way: a bound, and the same length. */
static void test_cuts_resumed(combgpu_context *ctx, const char *name, double want)
{
    char path[300];
    request r;
    combgpu_tsp_result result;
    combgpu_job *job;
    unsigned char *data;
    size_t bytes;
    uint64_t steps[2];
    int k;
    snprintf(path, sizeof path, "tests/data/tsplib/%s", name);
    memset(&r, 0, sizeof r);
    if (!equal_status(ctx, combgpu_tsp_read(ctx, path, &r.instance), COMBGPU_OK, "%s", path))
        return;
    r.desc.instance = &r.instance;
    r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    job = begun(ctx, &r.desc);
    for (k = 0; job && k < 3; k++) { /* a step each */
        job->budget = 1;
        combgpu_step(job);
    }
    ok(job && ((combgpu__branch_state *)job->state)->cut, "branch and cut is under way");
    data = test_save(job, &bytes);
    equal_status(ctx, combgpu_tsp_end(job, &result), COMBGPU_STOPPED, "%s: ended there", name);
    ok(result.lower_bound > 0 && result.lower_bound < want && result.length >= want &&
           sound(ctx, &r, &result),
       "%g <= %g <= %g", result.lower_bound, want, result.length);
    r.desc.run.resume_data = data;
    r.desc.run.resume_bytes = bytes;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "and resumed");
    ok(result.optimal && result.length == want, "gives the optimum, %g", result.length);
    r.desc.run.resume_data = NULL;
    r.desc.run.resume_bytes = 0;
    for (k = 0; k < 2; k++) {
        combgpu_context *other;
        steps[k] = 0;
        if (!test_open(k, &other)) continue;
        equal_status(other, combgpu_tsp(other, &r.desc, &result), COMBGPU_OK, "%s: again", name);
        steps[k] = result.run.steps;
        combgpu_close(other);
    }
    equal_u64(steps[1], steps[0], "as many steps with any number of threads");
    combgpu_tsp_free(ctx, &r.instance);
    free(data);
}

/* Stopped in the middle of the tree of branch and cut: the bound is that of the open nodes, which rises
   above the root's. */
static void test_open_nodes(combgpu_context *ctx)
{
    request r;
    combgpu_tsp_result result;
    combgpu_job *job;
    const combgpu__branch_cuts *cut;
    int64_t bound, least = 0;
    int wrong = 0, rises = 0;
    memset(&r, 0, sizeof r);
    combgpu_tsp_read(ctx, "tests/data/tsplib/pr76.tsp", &r.instance);
    r.desc.instance = &r.instance;
    r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    job = begun(ctx, &r.desc);
    while (job && (cut = ((combgpu__branch_state *)job->state)->cut) != NULL) {
        wrong += combgpu__branch_lower_bound(job, &bound) != COMBGPU_OK || bound < cut->proven;
        wrong += bound < least || bound > ((combgpu__branch_state *)job->state)->graph.length;
        rises += cut->depth && bound > cut->proven;
        least = bound;
        if (rises > 2) break;
        job->budget = 500;
        if (combgpu_step(job) != COMBGPU_RUNNING) break;
    }
    equal_u64(wrong, 0, "the bound of the open nodes never falls");
    ok(rises > 2, "and rises above the root's");
    equal_status(ctx, job ? combgpu_tsp_end(job, &result) : COMBGPU_OK, COMBGPU_STOPPED, "stopped");
    ok(job && result.lower_bound > 107000 && result.lower_bound <= 108159 &&
           result.length >= 108159,
       "107000 < %.0f <= 108159 <= %.0f", result.lower_bound, result.length);
    combgpu_tsp_free(ctx, &r.instance);
}

/* Four threads cut one tree: its parts lose no node, so the answer is that of one thread. `over`: once
   there are two, one gives up, and all threads search with 1-trees. Returns the most parts that there
   were: a busy machine may start threads too late. */
static int test_divided(const char *name, double want, int over)
{
    char path[300];
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    request r;
    combgpu_tsp_result result;
    combgpu_job *job;
    combgpu__branch_state *state;
    int64_t bound, least = 0;
    int wrong = 0, most = 0, i;
    open.threads = 4;
    if (combgpu_open(&ctx, &open)) return 0;
    snprintf(path, sizeof path, "tests/data/tsplib/%s", name);
    memset(&r, 0, sizeof r);
    combgpu_tsp_read(ctx, path, &r.instance);
    r.desc.instance = &r.instance;
    r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    job = begun(ctx, &r.desc);
    state = job ? (combgpu__branch_state *)job->state : NULL;
    while (job && state->cut) {
        const combgpu__branch_cuts *part;
        double whole = 0;
        int parts = 0;
        for (part = state->cut; part; part = part->next) {
            double left = part->whole - part->done;
            for (i = 0; i < part->open_count; i++)
                left -= ldexp(1, -part->open[i].depth);
            if (part->loaded) left -= ldexp(1, -part->depth);
            whole += part->whole;
            wrong += part->held || fabs(left) > 1e-12;
            parts++;
        }
        if (parts > most) most = parts;
        wrong += whole > 1 || combgpu__branch_lower_bound(job, &bound) != COMBGPU_OK ||
                 bound < least || bound > state->graph.length;
        least = bound;
        job->budget = 2000;
        state->divided = 1;
        if (over && parts > 1) state->cut->next->outcome = COMBGPU__CUT_GIVES_UP;
        if (combgpu_step(job) != COMBGPU_RUNNING) break;
    }
    equal_u64(wrong, 0,
              "%s: no part of %d is held or lacks a node, and the bound of open nodes never falls",
              name, most);
    test_run(job);
    equal_status(ctx, job ? combgpu_tsp_end(job, &result) : COMBGPU_OK, COMBGPU_OK, "proven");
    ok(job && result.optimal && result.length == want, "%g is %g", result.length, want);
    combgpu_tsp_free(ctx, &r.instance);
    combgpu_close(ctx);
    return most;
}

static void test_parts_of_trees(void)
{
    static const struct {
        const char *name;
        double length;
    } small[] = {{"ch130.tsp", 6110}, {"pr144.tsp", 58537}, {"kroB100.tsp", 22141}};
    int k;
    for (k = 0; k < 50 && test_divided("pr76.tsp", 108159, 0) < 2; k++) {
    }
    ok(k < 50, "four threads had parts of a tree");
    for (k = 0; k < 50 && test_divided(small[k % 3].name, small[k % 3].length, 1) < 2; k++) {
    }
    ok(k < 50, "and of one where a part gave up");
}

/* More cities than a result has room for: a grid, whose shortest tour has legs of one pitch only. */
static void test_many(combgpu_context *ctx)
{
    enum { WIDE = 20, MANY = 15 * WIDE };
    static double x[MANY], y[MANY];
    static int tour[MANY];
    static unsigned char seen[MANY];
    combgpu_tsp_instance instance;
    combgpu_tsp_result result;
    combgpu_tsp_desc desc;
    double length = 0;
    int i, missing = 0;
    for (i = 0; i < MANY; i++) {
        x[i] = 100 * (i % WIDE);
        y[i] = 100 * (i / WIDE);
    }
    memset(&desc, 0, sizeof desc);
    combgpu_tsp_from_coordinates(ctx, MANY, x, y, COMBGPU_TSP_EUC_2D, &instance);
    desc.instance = &instance;
    desc.tour = tour;
    equal_status(ctx, combgpu_tsp(ctx, &desc, &result), COMBGPU_OK, "%d cities", MANY);
    for (i = 0; i < MANY; i++) {
        length += combgpu_tsp_weight(&instance, tour[i], tour[(i + 1) % MANY]);
        missing += seen[tour[i]]++ != 0;
    }
    ok(result.optimal && result.method == COMBGPU_TSP_BRANCH_AND_BOUND && !missing &&
           result.length == 100 * MANY && length == result.length,
       "AUTO proves their tour, %g", result.length);
    combgpu_tsp_free(ctx, &instance);
}

/* The least assignment without fixed points, by trying all. */
static int64_t least_assignment(const int64_t *costs, int n, int row, unsigned used)
{
    int64_t least = INT64_MAX / 2;
    int j;
    if (row == n) return 0;
    for (j = 0; j < n; j++)
        if (j != row && !(used >> j & 1)) {
            int64_t sum = costs[row * n + j] + least_assignment(costs, n, row + 1, used | 1u << j);
            if (sum < least) least = sum;
        }
    return least;
}

static void test_assignment(combgpu_context *ctx)
{
    enum { N = 7, CASES = 40 };
    int64_t costs[N * N], multipliers[2 * N];
    combgpu__branch_graph graph;
    int wrong = 0, k, i, j;
    memset(&graph, 0, sizeof graph);
    graph.costs = costs;
    graph.multipliers = multipliers;
    for (k = 0; k < CASES; k++) {
        int64_t sum = 0;
        graph.cities = 2 + k % (N - 1);
        for (i = 0; i < N * N; i++)
            costs[i] = random_below(k % 3 ? 1000 : 4);
        wrong += combgpu__branch_assign(ctx, &graph) != COMBGPU_OK;
        for (i = 0; i < graph.cities; i++)
            for (j = 0; j < graph.cities; j++)
                wrong += i != j && costs[i * graph.cities + j] + multipliers[i + graph.cities] +
                                           multipliers[j] <
                                       0;
        for (i = 0; i < 2 * graph.cities; i++)
            sum -= multipliers[i];
        wrong += sum != least_assignment(costs, graph.cities, 0, 0);
    }
    equal_u64(wrong, 0, "multipliers of %d assignments: a bound, and their costs", CASES);
}

/* Jobs of a crane, in any order: each begins at a place and ends at one. */
static void test_crane(combgpu_context *ctx)
{
    enum { JOBS = 150, PLACES = 40 };
    static double weights[JOBS * JOBS];
    static int tour[JOBS];
    int begins[JOBS], ends[JOBS], i, j;
    combgpu_tsp_instance instance;
    combgpu_tsp_result result;
    combgpu_tsp_desc desc;
    double length = 0;
    for (i = 0; i < JOBS; i++) {
        begins[i] = random_below(PLACES);
        ends[i] = random_below(PLACES);
    }
    for (i = 0; i < JOBS; i++)
        for (j = 0; j < JOBS; j++)
            weights[i * JOBS + j] = i == j ? 0 : abs(ends[i] - begins[j]);
    memset(&desc, 0, sizeof desc);
    combgpu_tsp_from_matrix(ctx, JOBS, weights, &instance);
    desc.instance = &instance;
    desc.tour = tour;
    equal_status(ctx, combgpu_tsp(ctx, &desc, &result), COMBGPU_OK, "%d jobs of a crane", JOBS);
    for (i = 0; i < JOBS; i++)
        length += weights[tour[i] * JOBS + tour[(i + 1) % JOBS]];
    ok(result.optimal && result.length == length && result.run.steps < 1000,
       "proven by their assignment: %g, %d steps", length, (int)result.run.steps);
    combgpu_tsp_free(ctx, &instance);
}

/* Branch and cut may end its last slice without a step, where that begins just before the proof. */
static void test_slices(combgpu_context *ctx)
{
    request r;
    combgpu_tsp_result result;
    int k, wrong = 0, without = 0;
    memset(&r, 0, sizeof r);
    combgpu_tsp_read(ctx, "tests/data/tsplib/kroA100.tsp", &r.instance);
    r.desc.instance = &r.instance;
    r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    for (k = 0; k < 16; k++) {
        combgpu_job *job = begun(ctx, &r.desc);
        uint64_t before = UINT64_MAX;
        if (!job) break;
        do {
            without += job->accumulators[0] == before;
            before = job->accumulators[0];
            job->budget = 1u << k;
        } while (combgpu_step(job) == COMBGPU_RUNNING);
        wrong += combgpu_tsp_end(job, &result) != COMBGPU_OK || result.length != 21282;
    }
    ok(without, "%d slices without a step", without);
    equal_u64(wrong, 0, "all end with the optimum");
    combgpu_tsp_free(ctx, &r.instance);
}

/* ---- devices */

/* Small searches end on the CPU, whatever the context's device is, and the result says so. */
static void test_places_agree(void)
{
    static request r;
    combgpu_tsp_result result;
    double first = 0;
    int i;
    random_state = 1; /* else it depends on how often others were stopped */
    random_request(&r, 40, IN_PLANE, 1);
    for (i = 0; i < TEST_PLACES; i++) {
        combgpu_context *ctx;
        if (!test_open(i, &ctx)) continue;
        equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "%s: 40 points",
                     test_places[i].name);
        if (first == 0) first = result.length;
        ok(result.length == first && result.run.backend == COMBGPU_BACKEND_CPU &&
               strstr(result.run.device, "CPU") && result.method == COMBGPU_TSP_BRANCH_AND_BOUND,
           "%s: the same length, found by %s", test_places[i].name, result.run.device);
        combgpu_close(ctx);
    }
}

/* One search, in the context's device from the first tasks on. */
static combgpu_status solve_on_device(combgpu_context *ctx, const request *r,
                                      combgpu_tsp_result *result)
{
    combgpu_job *job;
    combgpu_status status = begin_on_device(ctx, &r->desc, &job);
    if (status) return status;
    test_run(job);
    return combgpu_tsp_end(job, result);
}

/* From an optimal tour, all that a search does is determined: the kernel, written apart
   from the C solver, makes as many 1-trees. */
static void test_same_trees(combgpu_context *ctx, const char *place)
{
    static const char *const names[] = {"gr48.tsp", "ry48p.atsp", "eil51.tsp"};
    combgpu_context *cpu;
    size_t i;
    if (!test_open(0, &cpu)) return;
    for (i = 0; i < (test_small() ? 1 : sizeof names / sizeof names[0]); i++) {
        char path[300];
        request r;
        combgpu_tsp_result one, other;
        int tour[COMBGPU_TSP_MAX_TOUR];
        snprintf(path, sizeof path, "tests/data/tsplib/%s", names[i]);
        memset(&r, 0, sizeof r);
        if (combgpu_tsp_read(cpu, path, &r.instance)) continue;
        r.desc.instance = &r.instance;
        r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
        equal_status(cpu, combgpu_tsp(cpu, &r.desc, &one), COMBGPU_OK, "%s", names[i]);
        memcpy(tour, one.tour, sizeof tour);
        r.desc.start = tour;
        equal_status(cpu, solve_on_device(cpu, &r, &one), COMBGPU_OK, "%s on the CPU", names[i]);
        equal_status(ctx, solve_on_device(ctx, &r, &other), COMBGPU_OK, "%s on %s", names[i],
                     place);
        ok(other.optimal && other.length == one.length && other.lower_bound == one.length &&
               other.run.backend == test_places[place[0] == 'c' ? 3 : 2].backend,
           "the same optimum, %g, by %s", other.length, other.run.device);
        equal_u64(other.run.steps, one.run.steps, "and as many 1-trees");
        combgpu_tsp_free(cpu, &r.instance);
    }
    combgpu_close(cpu);
}

/* Instances that need a search, of all kinds and shapes: Held-Karp says the optimum. */
static void test_device_kinds(combgpu_context *ctx, const char *place)
{
    int wrong = 0, searched = 0, k;
    for (k = 0; k < (test_small() ? 4 : 30); k++) {
        static request r;
        combgpu_tsp_result result, other;
        if (k % 3)
            random_request(&r, 10 + random_below(6), random_below(KINDS), random_below(2));
        else
            gadget(&r, 12 + 3 * random_below(2));
        random_shape(&r);
        wrong += solve_on_device(ctx, &r, &result) != COMBGPU_OK || !sound(ctx, &r, &result);
        searched += result.run.backend != COMBGPU_BACKEND_CPU;
        r.desc.method = COMBGPU_TSP_HELD_KARP;
        wrong += combgpu_tsp(ctx, &r.desc, &other) != COMBGPU_OK;
        wrong += fabs(result.length - other.length) > 1e-11 * other.length;
    }
    equal_u64(wrong, 0, "%s: cycles and paths of all kinds: as Held-Karp finds (%d of %d searched)",
              place, searched, k);
}

/* Asymmetric, more than 64 cities: the kernel for more than 128 nodes. The weights are those of
   places in a street grid, so that the bound is not tight. Both begin with an optimal tour, so that
   the tree does not depend on who searches it, and it is small: among such instances are some that
   take minutes, which is why it must not depend on the random numbers drawn before. */
static void test_wide(combgpu_context *ctx, const char *place)
{
    static double weights[70 * 70];
    request r;
    combgpu_tsp_result one, other;
    combgpu_context *cpu;
    int n = 66, i, j, x[70], y[70], tour[70];
    uint64_t kept = random_state;
    if (!test_open(0, &cpu)) return;
    memset(&r, 0, sizeof r);
    random_state = 53 * UINT64_C(0x9e3779b97f4a7c15);
    for (i = 0; i < n; i++) {
        x[i] = random_below(40);
        y[i] = random_below(40);
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            int dx = x[j] - x[i], dy = y[j] - y[i];
            weights[i * n + j] = (dx < 0 ? -3 * dx : 2 * dx) + (dy < 0 ? -2 * dy : 3 * dy);
        }
    r.instance.n = n;
    r.instance.weights = weights;
    r.desc.instance = &r.instance;
    r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    random_state = kept;
    r.desc.tour = tour;
    equal_status(cpu, combgpu_tsp(cpu, &r.desc, &one), COMBGPU_OK, "an optimal tour of 66 cities");
    r.desc.tour = NULL;
    r.desc.start = tour;
    equal_status(cpu, solve_on_device(cpu, &r, &one), COMBGPU_OK, "66 asymmetric cities");
    ok(one.run.steps > 5000, "need a search: %llu 1-trees", (unsigned long long)one.run.steps);
    equal_status(ctx, solve_on_device(ctx, &r, &other), COMBGPU_OK, "%s: the same", place);
    ok(one.length == other.length && one.optimal && other.optimal,
       "%s: the same optimum, %g (%llu and %llu 1-trees)", place, one.length,
       (unsigned long long)one.run.steps, (unsigned long long)other.run.steps);
    equal_u64(other.run.steps, one.run.steps, "%s: by as many 1-trees", place);
    combgpu_close(cpu);
}

/* The device and the CPU share a tree; a bad first tour, so that they tell each other of better
   ones. */
static void test_shared_tree(int place, const request *r, double want)
{
    combgpu_device_id devices[2] = {{COMBGPU_BACKEND_CPU, 0}, {COMBGPU_BACKEND_CPU, 0}};
    combgpu_context_desc desc;
    combgpu_context *ctx;
    combgpu_tsp_result result;
    memset(&desc, 0, sizeof desc);
    devices[0].backend = test_places[place].backend;
    desc.devices = devices;
    desc.device_count = 2;
    desc.threads = 2;
    if (equal_status(NULL, combgpu_open(&ctx, &desc), COMBGPU_OK, "%s and cpu in one context",
                     test_places[place].name)) {
        equal_status(ctx, solve_on_device(ctx, r, &result), COMBGPU_OK, "they share a tree");
        ok(result.length == want && result.optimal && sound(ctx, r, &result), "the optimum, by %s",
           result.run.device);
        test_records(ctx, r, want, 2);
    }
    combgpu_close(ctx);
}

/* A device without room for the search: it stays on the CPU. */
static void test_no_room(int place, const request *r, double want)
{
    combgpu_context_desc desc;
    combgpu_context *ctx;
    combgpu_tsp_result result;
    memset(&desc, 0, sizeof desc);
    desc.backend = test_places[place].backend;
    desc.memory_limit = 10000;
    if (combgpu_open(&ctx, &desc) == COMBGPU_OK) {
        equal_status(ctx, solve_on_device(ctx, r, &result), COMBGPU_OK, "10,000 bytes on a device");
        ok(result.length == want && result.optimal && result.run.backend == COMBGPU_BACKEND_CPU,
           "the search stays on the CPU");
    }
    combgpu_close(ctx);
}

static void test_device(int place, const request *r, double want)
{
    const char *name = test_places[place].name;
    combgpu_context *ctx, *cpu;
    if (!test_open(place, &ctx)) return;
    if (test_open(0, &cpu)) {
        test_same_trees(ctx, name);
        test_device_kinds(ctx, name);
        test_resume(ctx, cpu, r, want);
        test_records(ctx, r, want, 1);
        test_records(ctx, r, want, 32);
        if (test_has_gpu()) test_wide(ctx, name);
        test_shared_tree(place, r, want);
        test_no_room(place, r, want);
        combgpu_close(cpu);
    }
    combgpu_close(ctx);
}

/* The checkpoint keeps what AUTO chose, so it can be resumed where AUTO would choose otherwise. */
static void test_auto_resumed(combgpu_context *ctx)
{
    static const combgpu_tsp_method methods[] = {COMBGPU_TSP_BRUTE_FORCE, COMBGPU_TSP_HELD_KARP,
                                                 COMBGPU_TSP_BRANCH_AND_BOUND};
    static request r;
    int k;
    gadget(&r, 12);
    for (k = 0; k < 3; k++) {
        static char data[1 << 16];
        combgpu_tsp_desc desc = r.desc;
        combgpu_tsp_result result;
        combgpu_job *job;
        size_t bytes;
        desc.method = methods[k];
        job = begun(ctx, &desc);
        if (!job) return;
        equal_status(ctx, combgpu_save(job, data, sizeof data, &bytes), COMBGPU_OK, "saved");
        combgpu_job_cancel(job);
        desc.method = COMBGPU_TSP_AUTO;
        desc.run.resume_data = data;
        desc.run.resume_bytes = bytes;
        equal_status(ctx, combgpu_tsp(ctx, &desc, &result), COMBGPU_OK, "AUTO continues");
        ok(result.method == methods[k] && result.optimal, "with the checkpoint's method, %d",
           (int)result.method);
        desc.run.resume_bytes = 40; /* cut off in the head */
        equal_status(ctx, combgpu_tsp(ctx, &desc, &result), COMBGPU_BAD_FILE, "half a head");
    }
}

/* Where a brief root makes AUTO look closer, and it then keeps to the tree, a resumed run has the same root. */
static void test_closer_look_resumed(combgpu_context *ctx)
{
    static request r;
    static char data[1 << 16];
    int looked = 0, rounds, right = 1;
    for (rounds = 0; rounds < 2000 && looked < 3 && right; rounds++) {
        combgpu_tsp_result whole, result;
        combgpu_job *job;
        size_t bytes;
        random_request(&r, 17 + rounds % 9, SMALL, 0);
        r.desc.method = COMBGPU_TSP_AUTO;
        job = begun(ctx, &r.desc);
        if (!job) return;
        if (strncmp(job->desc.parameters, "method 3", 8) || strstr(job->desc.parameters, "brief") ||
            combgpu_save(job, data, sizeof data, &bytes)) {
            combgpu_job_cancel(job);
            continue;
        }
        looked++;
        combgpu_job_cancel(job);
        right = combgpu_tsp(ctx, &r.desc, &whole) == COMBGPU_OK;
        r.desc.run.resume_data = data;
        r.desc.run.resume_bytes = bytes;
        right = right && combgpu_tsp(ctx, &r.desc, &result) == COMBGPU_OK &&
                result.length == whole.length && result.run.steps == whole.run.steps;
    }
    ok(right && looked == 3, "%d searches that AUTO looked at closer are resumed%s%s", looked,
       right ? "" : ": ", right ? "" : combgpu_message(ctx));
}

/* A checkpoint that version 0.3.0 wrote in the middle of a tree, with 853 steps done, goes on: its tasks
   are of a graph that another effort at the root has made. */
static void test_old_checkpoint(combgpu_context *ctx)
{
    char data[4096], path[300];
    combgpu_tsp_result result;
    request r;
    FILE *file;
    snprintf(path, sizeof path, "%s", test_file("checkpoints/20004_hard.checkpoint"));
    file = fopen(path, "rb");
    memset(&r, 0, sizeof r);
    r.desc.run.resume_data = data;
    r.desc.run.resume_bytes = file ? fread(data, 1, sizeof data, file) : 0;
    if (file) fclose(file);
    equal_status(ctx, combgpu_tsp_read(ctx, test_file("hard_tsplib/20004_hard.tsp"), &r.instance),
                 COMBGPU_OK, "20004_hard");
    r.desc.instance = &r.instance;
    equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "a checkpoint of 0.3.0");
    ok(result.optimal && result.length == 1000 && result.run.steps > 853,
       "goes on to the optimum, %g, in %d steps", result.length, (int)result.run.steps);
    combgpu_tsp_free(ctx, &r.instance);
}

/* Branch and cut reads nothing that it has not written: the same steps with other bytes in new memory. */
static void test_memory_unread(int n)
{
    double x[100], y[100], lengths[2] = {0, 0};
    uint64_t steps[2] = {0, 0};
    int solved = 0, zeros, k, i;
    for (zeros = 0; zeros < 2; zeros++) {
        combgpu_context_desc open = test_context(1);
        combgpu_context *ctx;
        test_meter memory;
        memset(&memory, 0, sizeof memory);
        memory.zeros = zeros;
        test_meter_use(&open, &memory);
        if (!ok(!combgpu_open(&ctx, &open), "memory with %s", zeros ? "zeros" : "other bytes"))
            return;
        for (k = 0; k < 8; k++) {
            combgpu_tsp_instance instance;
            combgpu_tsp_desc desc;
            combgpu_tsp_result result;
            memset(&instance, 0, sizeof instance);
            memset(&desc, 0, sizeof desc);
            for (i = 0; i < n; i++) {
                x[i] = (double)(test_mix((uint64_t)(2 * (k * n + i))) % 1000);
                y[i] = (double)(test_mix((uint64_t)(2 * (k * n + i) + 1)) % 1000);
            }
            instance.n = n;
            instance.x = x;
            instance.y = y;
            instance.metric = COMBGPU_TSP_EUC_2D;
            desc.instance = &instance;
            if (combgpu_tsp(ctx, &desc, &result)) break;
            solved += result.optimal;
            lengths[zeros] += result.length;
            steps[zeros] += result.run.steps;
        }
        combgpu_close(ctx);
    }
    ok(solved == 16 && steps[0] == steps[1] && lengths[0] == lengths[1],
       "%llu steps with both, %d tours proven", (unsigned long long)steps[0], solved);
}

int main(void)
{
    static request r;
    combgpu_context *ctx;
    combgpu_tsp_result result;
    if (test_open(0, &ctx)) {
        test_kinds(ctx, "1 thread");
        test_against_held_karp(ctx);
        test_start(ctx);
        test_arguments(ctx);
        test_parts(ctx);
        test_brute_checksum(ctx);
        gadget(&r, 21);
        r.desc.method = COMBGPU_TSP_HELD_KARP;
        equal_status(ctx, combgpu_tsp(ctx, &r.desc, &result), COMBGPU_OK, "Held-Karp, 21 cities");
        r.desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
        test_stop(ctx, &r, result.length);
        test_resume(ctx, ctx, &r, result.length);
        test_records(ctx, &r, result.length, 1);
        test_records(ctx, &r, result.length, 32);
        test_auto_resumed(ctx);
        test_closer_look_resumed(ctx);
        test_old_checkpoint(ctx);
        test_untrusted(ctx, &r);
        test_lattices(ctx, COMBGPU_TSP_EUC_2D, 41);
        test_lattices(ctx, COMBGPU_TSP_MAN_2D, 100);
        test_tolerance(ctx);
        test_cuts(ctx);
        if (!test_small()) test_cuts_resumed(ctx, "kroB100.tsp", 22141);
        test_assignment(ctx);
        test_crane(ctx);
        test_many(ctx);
        test_open_nodes(ctx);
        test_parts_of_trees();
        test_slices(ctx);
        test_files(ctx);
        combgpu_close(ctx);
    }
    if (test_open(1, &ctx)) {
        test_resume(ctx, ctx, &r, result.length);
        test_records(ctx, &r, result.length, 1);
        combgpu_close(ctx);
    }
    test_memory(&r, result.length);
    test_memory_unread(100);
    test_device(2, &r, result.length);
    test_device(3, &r, result.length);
    test_places_agree();
    return tap_end();
}
