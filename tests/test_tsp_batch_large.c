/* Tests batches of 16 to 256 cities against Held-Karp and published optima; limits, chunks. */
#define COMBGPU_ONLY_TSP 1
#include "test.h"

#define MOST 40
#define N 19
static struct {
    double weights[MOST * N * N], x[MOST * 100], y[MOST * 100];
    double lengths[MOST], bounds[MOST], others[MOST];
    int32_t int_weights[MOST * N * N];
    int cities[MOST];
    uint8_t tours[MOST * 100], states[MOST];
} data;

TEST_SEARCH(tsp_batch)

/* Kinds of weights: ties and zeros, ordinary, halves, large. */
static void fill(int n, int count, int kind)
{
    int all = count * n * n, symmetric = random_below(2), k, a, b, i;
    for (i = 0; i < all; i++) {
        data.int_weights[i] = random_below(kind == 0 ? 4 : kind == 3 ? 2000000000 : 1000);
        data.weights[i] = data.int_weights[i] / (kind == 2 ? 2.0 : 1.0);
    }
    for (k = 0; symmetric && k < count; k++)
        for (a = 0; a < n; a++)
            for (b = 0; b < a; b++) {
                data.int_weights[(k * n + a) * n + b] = data.int_weights[(k * n + b) * n + a];
                data.weights[(k * n + a) * n + b] = data.weights[(k * n + b) * n + a];
            }
    for (i = 0; i < count * n; i++) {
        data.x[i] = random_below(kind == 0 ? 5 : 180) / 2.0;
        data.y[i] = random_below(kind == 0 ? 5 : 180) / 2.0;
    }
    for (k = 0; k < count; k++)
        data.cities[k] = 1 + random_below(n);
}

static combgpu_tsp_batch_desc description(int n, int count)
{
    combgpu_tsp_batch_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.count = (uint64_t)count;
    desc.lengths = data.lengths;
    desc.tours = data.tours;
    desc.lower_bounds = data.bounds;
    desc.states = data.states;
    return desc;
}

/* Instance k alone, by Held-Karp. */
static double alone(combgpu_context *ctx, const combgpu_tsp_batch_desc *batch, int k,
                    combgpu_tsp_instance *instance)
{
    static double weights[N * N];
    combgpu_tsp_result result;
    combgpu_tsp_desc desc;
    int n = batch->cities ? batch->cities[k] : batch->n, i, j, failed;
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            int at = (k * batch->n + i) * batch->n + j;
            weights[i * n + j] = batch->weights       ? batch->weights[at]
                                 : batch->int_weights ? batch->int_weights[at]
                                                      : 0;
        }
    failed = batch->x
                 ? combgpu_tsp_from_coordinates(ctx, n, batch->x + k * batch->n,
                                                batch->y + k * batch->n, batch->metric, instance)
                 : combgpu_tsp_from_matrix(ctx, n, weights, instance);
    desc.instance = instance;
    desc.method = COMBGPU_TSP_HELD_KARP;
    desc.shape = batch->shape;
    desc.path_ends = batch->path_ends;
    desc.path_start = batch->path_start;
    desc.path_end = batch->path_end;
    return failed || combgpu_tsp(ctx, &desc, &result) ? -1 : result.length;
}

/* Nonzero for the bound of a tour that is proven: its length, less what rounding may hide. */
static int is_bound(double bound, double length)
{
    return bound <= length && bound >= length * (1 - 1e-9);
}

/* Instances whose length is not Held-Karp's, or whose tour is not as long, or has wrong ends. */
static int differing(combgpu_context *cpu, const combgpu_tsp_batch_desc *desc)
{
    int wrong = 0, k, i;
    for (k = 0; k < (int)desc->count; k++) {
        combgpu_tsp_instance instance;
        int tour[128], n = desc->cities ? desc->cities[k] : desc->n;
        double want = alone(cpu, desc, k, &instance), length = -2;
        for (i = 0; i < n; i++)
            tour[i] = desc->tours[k * desc->n + i];
        combgpu_tsp_length(cpu, &instance, desc->shape, tour, &length);
        wrong += length != desc->lengths[k] || fabs(length - want) > 1e-9 * want ||
                 desc->states[k] != COMBGPU_TSP_PROVEN ||
                 !is_bound(desc->lower_bounds[k], length) || !TEST_HAS_ENDS(*desc, tour, n);
        combgpu_tsp_free(cpu, &instance);
    }
    return wrong;
}

static void test_batches(combgpu_context *ctx, combgpu_context *cpu, const char *name, int rounds)
{
    int round, wrong = 0, failed = 0, solved = 0;
    for (round = 0; round < rounds; round++) {
        int n = 16 + random_below(N - 15), count = 1 + random_below(6), start, end;
        combgpu_tsp_batch_desc desc = description(n, count);
        combgpu_tsp_batch_result result;
        fill(n, count, random_below(4));
        if (round % 3 == 0)
            desc.weights = data.weights;
        else if (round % 3 == 1)
            desc.int_weights = data.int_weights;
        else {
            desc.x = data.x;
            desc.y = data.y;
            desc.metric = (combgpu_tsp_metric)(1 + round % 8);
        }
        if (random_below(3) == 0) desc.cities = data.cities;
        if (random_below(2)) {
            desc.shape = COMBGPU_TSP_PATH;
            start = random_below(2) ? 0 : -1;
            end = random_below(2) && !desc.cities ? n - 1 : -1;
            TEST_SET_ENDS(desc, start, end);
        }
        failed += combgpu_tsp_batch(ctx, &desc, &result) != COMBGPU_OK ||
                  result.solved != desc.count || result.bounded;
        wrong += differing(cpu, &desc);
        solved += count;
    }
    ok(!wrong && !failed, "%s: %d instances in %d batches, each as long as Held-Karp's", name,
       solved, rounds);
}

/* Files whose optimum is published, of 24 to 100 cities in one batch. */
static void test_published(combgpu_context *ctx)
{
    static const struct {
        const char *name;
        double optimum;
    } files[] = {{"eil51", 426},     {"berlin52", 7542}, {"st70", 675},
                 {"kroA100", 21282}, {"kroB100", 22141}, {"rd100", 7910}};
    combgpu_tsp_batch_desc desc = description(100, 6);
    combgpu_tsp_batch_result result;
    int k;
    for (k = 0; k < 6; k++) {
        combgpu_tsp_instance instance;
        char path[100];
        snprintf(path, sizeof path, "tests/data/tsplib/%s.tsp", files[k].name);
        if (combgpu_tsp_read(ctx, path, &instance)) {
            ok(0, "%s is read", path);
            return;
        }
        data.cities[k] = instance.n;
        memcpy(data.x + 100 * k, instance.x, (size_t)instance.n * sizeof *data.x);
        memcpy(data.y + 100 * k, instance.y, (size_t)instance.n * sizeof *data.y);
        combgpu_tsp_free(ctx, &instance);
    }
    desc.cities = data.cities;
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_EUC_2D;
    equal_status(ctx, combgpu_tsp_batch(ctx, &desc, &result), COMBGPU_OK, "six files of TSPLIB");
    for (k = 0; k < 6; k++)
        ok(data.lengths[k] == files[k].optimum && data.states[k] == COMBGPU_TSP_PROVEN,
           "%s: %.0f, proven", files[k].name, data.lengths[k]);
}

/* Instances that end at a limit have a tour and a bound, and are the same everywhere. */
static void test_limits(combgpu_context *ctx, combgpu_context *one)
{
    enum { COUNT = 30, CITIES = 18 };
    combgpu_tsp_batch_desc desc = description(CITIES, COUNT);
    combgpu_tsp_batch_result result, again;
    int k, right = 0;
    random_state = 4;
    fill(CITIES, COUNT, 1);
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_PLANE;
    combgpu_tsp_batch(ctx, &desc, &result);
    memcpy(data.others, data.lengths, sizeof data.others);
    desc.instance_steps = 1;
    equal_status(ctx, combgpu_tsp_batch(ctx, &desc, &again), COMBGPU_OK, "a limit of steps");
    for (k = 0; k < COUNT; k++)
        right += data.states[k] == COMBGPU_TSP_BOUNDED
                     ? data.bounds[k] <= data.others[k] && data.bounds[k] > 0.8 * data.others[k] &&
                           data.lengths[k] >= data.others[k]
                     : data.states[k] == COMBGPU_TSP_PROVEN && data.lengths[k] == data.others[k] &&
                           is_bound(data.bounds[k], data.lengths[k]);
    ok(right == COUNT && again.bounded && again.solved && again.solved + again.bounded == COUNT,
       "%d proven and %d with a bound below and a tour at or above the optimum", (int)again.solved,
       (int)again.bounded);
    ok(again.run.steps < result.run.steps, "the limit saves steps");
    combgpu_tsp_batch(one, &desc, &result);
    ok(equal_runs(&again.run, &result.run) && again.bounded == result.bounded,
       "one thread comes to the same limits");
    desc.instance_steps = 0;
    desc.instance_seconds = 1e-9;
    equal_status(ctx, combgpu_tsp_batch(ctx, &desc, &again), COMBGPU_OK, "a limit of time");
    ok(again.solved + again.bounded == COUNT && again.bounded, "it ends all trees at their roots");
}

/* Two towns far apart, where a short ascent at the root leaves a gap that no tree closes. */
static void test_towns(combgpu_context *ctx)
{
    combgpu_tsp_batch_desc desc = description(20, 3);
    combgpu_tsp_batch_result result;
    int i;
    random_state = 5;
    for (i = 0; i < 60; i++) {
        data.x[i] = random_below(1000) + i % 2 * 1e6;
        data.y[i] = random_below(1000);
    }
    desc.x = data.x;
    desc.y = data.y;
    desc.cities = NULL;
    desc.metric = COMBGPU_TSP_PLANE;
    desc.instance_steps = 10000;
    combgpu_tsp_batch(ctx, &desc, &result);
    ok(result.solved == 3, "two towns far apart: %d of 3 tours are proven in 10,000 1-trees",
       (int)result.solved);
}

/* A batch on the CPU; its lengths are kept in data.others. */
static void on_cpu(combgpu_context *cpu, combgpu_tsp_batch_desc *desc,
                   combgpu_tsp_batch_result *result)
{
    combgpu_tsp_batch(cpu, desc, result);
    memcpy(data.others, data.lengths, sizeof data.others);
    memset(data.lengths, 0, sizeof data.lengths);
}

static int all_proven(const combgpu_tsp_batch_desc *desc, const combgpu_tsp_batch_result *result)
{
    int right = 0, k;
    for (k = 0; k < (int)desc->count; k++)
        right += data.lengths[k] == data.others[k] && is_bound(data.bounds[k], data.others[k]) &&
                 data.states[k] == COMBGPU_TSP_PROVEN;
    return right == (int)desc->count && result->solved == desc->count && !result->bounded;
}

/* Points in `towns` towns, a degree apart and `width` degrees wide. */
static combgpu_tsp_batch_desc in_towns(int n, int count, int towns, double width)
{
    combgpu_tsp_batch_desc desc = description(n, count);
    int i;
    random_state = 7;
    for (i = 0; i < n * count; i++) {
        int town = i % n % towns;
        data.x[i] = 10 + town + random_below(1000) / 1000.0 * width;
        data.y[i] = 20 + (town == 2) + random_below(1000) / 1000.0 * width;
    }
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_EARTH;
    desc.shape = COMBGPU_TSP_PATH;
    return desc;
}

/* Towns of a centimetre, a metre and 100 m, where ascent leaves a gap that is small beside the tour: all
   are proven at the root or soon after, in whatever slices and pieces, and by one thread alike. */
static void test_far_towns(combgpu_context *ctx, combgpu_context *one)
{
    static const double widths[] = {1e-7, 1e-5, 1e-3};
    combgpu_tsp_batch_result whole, result;
    combgpu_tsp_batch_desc desc;
    test_search search = tsp_batch_search(&desc, &result, 300);
    int wrong = 0, k;
    for (k = 0; k < 6; k++) {
        desc = in_towns(24, 6, 2 + k % 2, widths[k / 2]);
        desc.instance_steps = 100000;
        on_cpu(ctx, &desc, &whole);
        ok(whole.solved == 6, "24 cities in %d towns %g degrees wide: %d of 6 paths are proven",
           2 + k % 2, widths[k / 2], (int)whole.solved);
        wrong += combgpu_tsp_batch(one, &desc, &result) || !all_proven(&desc, &result) ||
                 !equal_runs(&result.run, &whole.run);
    }
    ok(!wrong, "one thread comes to the same");
    search.one = ctx;
    search.other = one;
    search.workers = 1;
    memset(data.lengths, 0, sizeof data.lengths);
    k = test_pieces(&search);
    ok(k > 1 && all_proven(&desc, &result) && equal_runs(&result.run, &whole.run),
       "stopped and resumed %d times, too", k - 1);
    desc = in_towns(17, 6, 2, 1e-5);
    desc.shape = COMBGPU_TSP_CYCLE;
    desc.instance_steps = 100000;
    combgpu_tsp_batch(ctx, &desc, &result);
    ok(result.solved == 6 && !differing(ctx, &desc), "and the tours are as long as Held-Karp's");
}

/* The same towns, one instance at a time. */
static void test_far_towns_alone(combgpu_context *ctx)
{
    combgpu_tsp_batch_desc batch = in_towns(60, 2, 2, 1e-5);
    combgpu_tsp_instance instance;
    combgpu_tsp_result result;
    combgpu_tsp_desc desc;
    memset(&desc, 0, sizeof desc);
    combgpu_tsp_from_coordinates(ctx, 60, batch.x, batch.y, batch.metric, &instance);
    desc.instance = &instance;
    desc.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    ok(!combgpu_tsp(ctx, &desc, &result) && result.optimal &&
           is_bound(result.lower_bound, result.length),
       "60 cities in two towns are proven by branch and bound");
    combgpu_tsp_free(ctx, &instance);
}

/* On a device, without limits. */
static void test_far_towns_on(combgpu_context *ctx, combgpu_context *cpu, const char *name)
{
    combgpu_tsp_batch_desc desc = in_towns(24, 12, 2, 1e-6);
    combgpu_tsp_batch_result whole, result;
    desc.instance_steps = 100000;
    on_cpu(cpu, &desc, &whole);
    desc.instance_steps = 0;
    ok(!whole.bounded && !combgpu_tsp_batch(ctx, &desc, &result) && all_proven(&desc, &result) &&
           equal_runs(&result.run, &whole.run),
       "%s: towns far apart, the same answer", name);
}

/* Random points in a square of 1000: `skip` instances of n cities, then those of the batch. */
static void scatter(int n, int count, int skip)
{
    uint64_t x = UINT64_C(88172645463325252);
    int i, j;
    for (i = -skip * n; i < count * n; i++)
        for (j = 0; j < 2; j++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            if (i >= 0) (j ? data.y : data.x)[i] = (double)(x >> 40) / (1 << 24) * 1000;
        }
}

/* Trees that are larger than a slice wait, and go on where they were. */
static void test_slices(combgpu_context *ctx, combgpu_context *one)
{
    combgpu_tsp_batch_desc desc = description(75, 3);
    combgpu_tsp_batch_result whole, cut;
    combgpu_job *job;
    combgpu_status status;
    scatter(75, 3, 25);
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_PLANE;
    equal_status(one, combgpu_tsp_batch(one, &desc, &whole), COMBGPU_OK, "3 x 75 cities");
    memcpy(data.others, data.lengths, sizeof data.others);
    status = combgpu_tsp_batch_begin(ctx, &desc, &job);
    while (!status) {
        inside_set_budget(job, 1);
        inside_set_record_room(job, 1);
        status = combgpu_step(job);
        if (status == COMBGPU_RUNNING)
            status = COMBGPU_OK;
        else
            break;
    }
    status = combgpu_tsp_batch_end(job, &cut);
    ok(!status && cut.run.slices > 15 && cut.solved == 3 && equal_runs(&cut.run, &whole.run) &&
           !memcmp(data.lengths, data.others, 3 * sizeof(double)),
       "in %llu slices of one step and room for one record the same answer",
       (unsigned long long)cut.run.slices);
}

/* Counts large blocks of memory, which parts of trees are, and calls of two threads at a time; above
   `most` blocks there is no memory, unless it is 0. */
static struct {
    int inside, clashes, blocks, most;
} counted;

static void *counting_allocate(size_t bytes, void *user)
{
    void *memory;
    (void)user;
    counted.clashes += counted.inside++;
    counted.blocks += bytes > 500000;
    memory = bytes > 500000 && counted.most && counted.blocks > counted.most ? NULL : malloc(bytes);
    counted.inside--;
    return memory;
}

static void counting_release(void *memory, void *user)
{
    (void)user;
    counted.clashes += counted.inside++;
    free(memory);
    counted.inside--;
}

/* Runs a batch without limits, in slices if wanted. Nonzero if the answers are those of `whole`. */
static int shares(combgpu_context *ctx, const combgpu_tsp_batch_desc *desc, int sliced,
                  const combgpu_run_info *whole)
{
    combgpu_tsp_batch_result result;
    combgpu_job *job;
    counted.blocks = 0;
    if (combgpu_tsp_batch_begin(ctx, desc, &job)) return 0;
    do
        if (sliced) inside_set_budget(job, 3000);
    while (combgpu_step(job) == COMBGPU_RUNNING);
    return !combgpu_tsp_batch_end(job, &result) && all_proven(desc, &result) &&
           equal_runs(&result.run, whole);
}

/* Fewer instances than threads: these share the trees, in one slice as in many, and the answers are
   those of one thread; a thread that a busy machine starts too late gets another chance. Without
   memory for parts trees stay whole. With a limit for each instance a tree keeps to its thread, and
   the nodes are the same, too. */
static void test_shared(combgpu_context *one, combgpu_tsp_batch_desc desc, const char *what)
{
    combgpu_context_desc open = test_context(0);
    combgpu_tsp_batch_result whole, result;
    combgpu_context *four;
    uint64_t nodes[2][2];
    int blocks, sliced, fine, tries;
    open.threads = 4;
    open.allocator.allocate = counting_allocate;
    open.allocator.release = counting_release;
    desc.nodes = nodes[0];
    if (!ok(!combgpu_open(&four, &open), "%s, four threads", what)) return;
    on_cpu(one, &desc, &whole);
    memset(&counted, 0, sizeof counted);
    desc.nodes = nodes[1];
    desc.instance_steps = 1000000;
    ok(!combgpu_tsp_batch(four, &desc, &result) && all_proven(&desc, &result) &&
           equal_runs(&result.run, &whole.run) && !memcmp(nodes[0], nodes[1], desc.count * 8),
       "with a limit: the same nodes");
    blocks = counted.blocks;
    desc.instance_steps = 0;
    for (sliced = 0; sliced < 2; sliced++) {
        counted.blocks = 0;
        for (tries = 0, fine = 1; fine && counted.blocks <= blocks && tries < 50; tries++)
            fine = shares(four, &desc, sliced, &whole.run);
        ok(fine, "%s: the same answer", sliced ? "in slices" : "without");
        ok(counted.blocks > blocks, "%d large blocks, more than %d", counted.blocks, blocks);
    }
    counted.most = desc.count == 1 ? blocks : 0;
    ok(shares(four, &desc, 1, &whole.run), "without memory for parts, too");
    ok(nodes[0][0] > 10 && !counted.clashes,
       "trees of some nodes; one call of the allocator at a time");
    combgpu_close(four);
}

static void test_sharing(combgpu_context *one)
{
    static int32_t weights[70 * 70];
    combgpu_tsp_batch_desc desc = description(100, 2);
    int i, k;
    scatter(100, 2, 4);
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_EUC_2D;
    test_shared(one, desc, "100 points");
    desc = description(70, 1);
    for (i = 0; i < 70; i++)
        for (k = 0; k < 70; k++)
            weights[i * 70 + k] =
                (int32_t)((fabs(data.x[i] - data.x[k]) + fabs(data.y[i] - data.y[k])) *
                          (1 + random_below(300) / 1000.0)) +
                random_below(20);
    desc.int_weights = weights;
    test_shared(one, desc, "70 stops of a map");
}

/* Points of a lattice have a small gap and a tree of hundreds of thousands of nodes, which is cut after
   4,000 1-trees; common legs likewise. */
static void test_lattices(combgpu_context *one)
{
    combgpu_tsp_batch_desc desc = description(100, 2);
    combgpu_tsp_batch_result result;
    combgpu_tsp_common_desc common;
    combgpu_tsp_common_result legs;
    int i;
    random_state = 11;
    for (i = 0; i < 200; i++) {
        data.x[i] = random_below(20);
        data.y[i] = random_below(20);
    }
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_PLANE;
    equal_status(one, combgpu_tsp_batch(one, &desc, &result), COMBGPU_OK,
                 "100 points of a lattice");
    ok(result.solved == 2 && result.run.steps >= 8000 && result.run.steps < 9000,
       "trees are cut after 4,000 1-trees each: %llu steps", (unsigned long long)result.run.steps);
    memset(&common, 0, sizeof common);
    common.batch = &desc;
    equal_status(one, combgpu_tsp_common(one, &common, &legs), COMBGPU_OK, "what tours share");
    ok(legs.known == 2 && legs.run.steps < 100000, "%llu steps",
       (unsigned long long)legs.run.steps);
}

/* Stops after every slice or two and resumes elsewhere from what was saved. */
static void test_resume(combgpu_context *ctx, combgpu_context *other, const char *name)
{
    combgpu_tsp_batch_desc desc = description(17, MOST);
    combgpu_tsp_batch_result whole, result;
    test_search search = tsp_batch_search(&desc, &result, 300);
    int pieces;
    random_state = 5;
    fill(17, MOST, 1);
    desc.int_weights = data.int_weights;
    desc.instance_steps = 100;
    combgpu_tsp_batch(ctx, &desc, &whole);
    memcpy(data.others, data.lengths, sizeof data.others);
    memset(data.lengths, 0, sizeof data.lengths);
    search.one = ctx;
    search.other = other;
    search.workers = 1; /* sixteen threads would end it in one slice */
    pieces = test_pieces(&search);
    ok(pieces > 1 && result.solved == whole.solved && result.bounded == whole.bounded &&
           equal_runs(&result.run, &whole.run) &&
           !memcmp(data.lengths, data.others, sizeof data.lengths),
       "%s: stopped and resumed %d times, the same answer", name, pieces - 1);
}

/* Trees of more than a few hundred 1-trees, whose nodes devices share: the same answers as one thread
   gives, which cuts some of them, in whatever slices and pieces. In the second batch a tree finds a
   better tour than the heuristic, so that its steps depend on the order of its nodes. */
static void test_trees(combgpu_context *ctx, combgpu_context *cpu, const char *name)
{
    combgpu_tsp_batch_desc desc = description(40, 12);
    combgpu_tsp_batch_result whole, result;
    test_search search = tsp_batch_search(&desc, &result, 200);
    combgpu_status status;
    combgpu_job *job;
    uint64_t steps;
    int pieces;
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_EUC_2D;
    scatter(40, 12, 117);
    on_cpu(cpu, &desc, &whole);
    status = combgpu_tsp_batch(ctx, &desc, &result);
    steps = result.run.steps;
    ok(!status && all_proven(&desc, &result) && result.run.checksum == whole.run.checksum,
       "%s: trees of 40 cities, %llu steps", name, (unsigned long long)steps);
    memset(data.lengths, 0, sizeof data.lengths);
    status = combgpu_tsp_batch_begin(ctx, &desc, &job);
    while (!status && (inside_set_budget(job, 1), inside_set_record_room(job, 1),
                       status = combgpu_step(job)) == COMBGPU_RUNNING)
        status = COMBGPU_OK;
    status = combgpu_tsp_batch_end(job, &result);
    ok(!status && all_proven(&desc, &result) && result.run.checksum == whole.run.checksum &&
           result.run.steps == steps,
       "%s: in %llu slices of one node a worker the same", name,
       (unsigned long long)result.run.slices);
    scatter(40, 6, 130);
    desc.count = 6;
    desc.shape = COMBGPU_TSP_CYCLE;
    on_cpu(cpu, &desc, &whole);
    status = combgpu_tsp_batch_begin(ctx, &desc, &job);
    while (!status &&
           (inside_set_record_room(job, 1), status = combgpu_step(job)) == COMBGPU_RUNNING)
        status = COMBGPU_OK;
    status = combgpu_tsp_batch_end(job, &result);
    ok(!status && all_proven(&desc, &result) && result.run.checksum == whole.run.checksum,
       "%s: a tree that finds a better tour", name);
    desc.shape = COMBGPU_TSP_PATH;
    TEST_SET_ENDS(desc, 3, -1);
    on_cpu(cpu, &desc, &whole);
    status = combgpu_tsp_batch(ctx, &desc, &result);
    ok(!status && all_proven(&desc, &result) && result.run.checksum == whole.run.checksum,
       "%s: paths from a fixed start", name);
    search.one = ctx;
    search.other = cpu;
    search.workers = 1;
    memset(data.lengths, 0, sizeof data.lengths);
    pieces = test_pieces(&search);
    ok(pieces > 1 && all_proven(&desc, &result) && result.run.checksum == whole.run.checksum,
       "%s: stopped and resumed %d times", name, pieces - 1);
}

/* Slices in which two trees find better tours and there is room for one: the other is found again. */
static void test_two_tours(combgpu_context *ctx, combgpu_context *cpu, const char *name)
{
    combgpu_tsp_batch_desc desc = description(54, 31);
    combgpu_tsp_batch_result whole, result;
    combgpu_status status;
    combgpu_job *job;
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_EUC_2D;
    scatter(54, 31, 130);
    on_cpu(cpu, &desc, &whole);
    status = combgpu_tsp_batch_begin(ctx, &desc, &job);
    while (!status &&
           (inside_set_record_room(job, 1), status = combgpu_step(job)) == COMBGPU_RUNNING)
        status = COMBGPU_OK;
    status = combgpu_tsp_batch_end(job, &result);
    ok(!status && all_proven(&desc, &result) && result.run.checksum == whole.run.checksum,
       "%s: two trees that find better tours, and room for one", name);
}

/* Saved among the nodes, when some instances have an answer, some trees are done without one and
   others are under way: another run goes on to the end. */
static void test_saved_among_nodes(combgpu_context *ctx, combgpu_context *cpu, const char *name)
{
    combgpu_tsp_batch_desc desc = description(40, 12);
    combgpu_tsp_batch_result whole, result;
    combgpu_status status;
    combgpu_job *job;
    int saves = 0, right = 0;
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_EUC_2D;
    scatter(40, 12, 117);
    on_cpu(cpu, &desc, &whole);
    status = combgpu_tsp_batch_begin(ctx, &desc, &job);
    while (!status && saves < 4 &&
           (inside_set_budget(job, 1), status = combgpu_step(job)) == COMBGPU_RUNNING) {
        combgpu_tsp_batch_desc rest = desc;
        size_t bytes;
        status = COMBGPU_OK;
        if (!inside_kernel(job) || strcmp(inside_kernel(job), "combgpu_tsp_branch_batch")) continue;
        rest.run.resume_data = test_save(job, &bytes);
        rest.run.resume_bytes = bytes;
        right += !combgpu_tsp_batch(cpu, &rest, &result) && all_proven(&desc, &result) &&
                 result.run.checksum == whole.run.checksum;
        free((void *)rest.run.resume_data);
        saves++;
    }
    combgpu_job_cancel(job);
    ok(saves && right == saves, "%s: saved %d times among the nodes, and taken up", name, saves);
}

/* Begin works on no instance, a step of one worker and the least budget on one; what is known when a
   run is left is kept, and another goes on with the rest. */
static void test_roots(combgpu_context *ctx, combgpu_context *cpu, const char *name)
{
    enum { COUNT = 12, CITIES = 22, STEPS = 5 };
    combgpu_tsp_batch_desc desc = description(CITIES, COUNT);
    combgpu_tsp_batch_result whole, result;
    combgpu_progress progress;
    combgpu_status status;
    combgpu_job *job;
    unsigned char *saved;
    size_t bytes;
    uint64_t before = 0;
    int steps, known = 0, one_each = 1, k;
    scatter(CITIES, COUNT, 7);
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_PLANE;
    on_cpu(cpu, &desc, &whole);
    status = combgpu_tsp_batch_begin(ctx, &desc, &job);
    if (!ok(!status && !combgpu_job_progress(job, &progress) && !progress.solutions &&
                !progress.steps && progress.fraction <= 0,
            "%s: begin leaves all roots to the steps", name))
        return;
    inside_limit_workers(job, 1);
    for (steps = 0; steps < STEPS; steps++) {
        inside_set_budget(job, 1);
        status = combgpu_step(job);
        one_each &= status == COMBGPU_RUNNING && !combgpu_job_progress(job, &progress) &&
                    progress.solutions <= before + 1;
        before = progress.solutions;
    }
    for (k = 0; k < COUNT; k++)
        known += data.states[k] == COMBGPU_TSP_PROVEN && data.lengths[k] == data.others[k];
    ok(one_each && before && (uint64_t)known == before,
       "%s: one root a step; after %d steps %d instances are known", name, STEPS, known);
    saved = test_save(job, &bytes);
    combgpu_job_cancel(job);
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    status = combgpu_tsp_batch(ctx, &desc, &result);
    free(saved);
    ok(saved && !status && all_proven(&desc, &result) && result.run.checksum == whole.run.checksum,
       "%s: and a resumed run knows them all", name);
}

/* The arrays are the caller's again after begin. */
static void test_arrays(combgpu_context *ctx)
{
    combgpu_tsp_batch_desc desc = description(18, 12);
    combgpu_tsp_batch_result result;
    combgpu_job *job;
    combgpu_status status;
    random_state = 6;
    fill(18, 12, 1);
    desc.weights = data.weights;
    desc.cities = data.cities;
    combgpu_tsp_batch(ctx, &desc, &result);
    memcpy(data.others, data.lengths, sizeof data.others);
    status = combgpu_tsp_batch_begin(ctx, &desc, &job);
    memset(data.weights, 0, sizeof data.weights);
    memset(data.cities, 0, sizeof data.cities);
    while (!status && (status = combgpu_step(job)) == COMBGPU_RUNNING)
        status = COMBGPU_OK;
    status = combgpu_tsp_batch_end(job, &result);
    ok(!status && !memcmp(data.lengths, data.others, 12 * sizeof(double)),
       "weights and cities are read during begin only");
}

/* The largest instances fit the memory that is set aside. */
static void test_largest(combgpu_context *ctx, int n)
{
    static double weights[2 * COMBGPU_TSP_BATCH_DIMENSION * COMBGPU_TSP_BATCH_DIMENSION];
    static uint8_t tours[2 * COMBGPU_TSP_BATCH_DIMENSION];
    combgpu_tsp_batch_desc desc = description(n, 2);
    combgpu_tsp_batch_result result;
    int i;
    for (i = 0; i < 2 * n * n; i++)
        weights[i] = random_below(1000);
    desc.weights = weights;
    desc.tours = tours;
    desc.shape = COMBGPU_TSP_PATH;
    desc.instance_steps = 1;
    equal_status(ctx, combgpu_tsp_batch(ctx, &desc, &result), COMBGPU_OK,
                 "%d cities with one-way streets, a path", n);
    ok(data.bounds[0] > 0 && data.bounds[0] <= data.lengths[0], "its bound is %.0f, its tour %.0f",
       data.bounds[0], data.lengths[0]);
}

/* Above 128 cities records are longer, and the last city's number takes all of a byte. One instance
   is of half the cities. */
static void test_beyond_devices(combgpu_context *ctx, int n)
{
    static double x[3 * COMBGPU_TSP_BATCH_DIMENSION], y[3 * COMBGPU_TSP_BATCH_DIMENSION];
    static uint8_t tours[3 * COMBGPU_TSP_BATCH_DIMENSION];
    int cities[3], k, i, right = 0;
    combgpu_tsp_batch_desc desc = description(n, 3);
    combgpu_tsp_batch_result result;
    for (i = 0; i < 3 * n; i++) {
        x[i] = random_below(1000);
        y[i] = random_below(1000);
    }
    cities[0] = cities[2] = n;
    cities[1] = n / 2;
    desc.cities = cities;
    desc.x = x;
    desc.y = y;
    desc.metric = COMBGPU_TSP_EUC_2D;
    desc.tours = tours;
    equal_status(ctx, combgpu_tsp_batch(ctx, &desc, &result), COMBGPU_OK, "%d cities in a batch",
                 n);
    for (k = 0; k < 3; k++) {
        combgpu_tsp_instance instance;
        combgpu_tsp_desc one;
        combgpu_tsp_result alone;
        double length = 0;
        memset(&instance, 0, sizeof instance);
        memset(&one, 0, sizeof one);
        instance.n = cities[k];
        instance.x = x + k * n;
        instance.y = y + k * n;
        instance.metric = COMBGPU_TSP_EUC_2D;
        one.instance = &instance;
        for (i = 0; i < cities[k]; i++) {
            const uint8_t *tour = tours + k * n;
            length += combgpu_tsp_weight(&instance, tour[i], tour[(i + 1) % cities[k]]);
        }
        if (combgpu_tsp(ctx, &one, &alone)) break;
        right += data.states[k] == COMBGPU_TSP_PROVEN && alone.optimal && length == alone.length &&
                 data.lengths[k] == length && data.bounds[k] == length;
    }
    ok(right == 3, "%d of 3 are as long as alone", right);
}

/* ---- arguments */

#define REFUSED(desc, part) INVALID(combgpu_tsp_batch(ctx, desc, NULL), part)

static void test_arguments(combgpu_context *ctx)
{
    combgpu_tsp_batch_desc good = description(16, 20), desc;
    fill(16, 20, 1);
    good.weights = data.weights;
    desc = good;
    desc.instance_seconds = -1;
    REFUSED(&desc, "desc.instance_seconds is -1; it may be 0 (no limit) to 1e300");
    desc = good;
    data.weights[256 * 13 + 1] = -2e300;
    REFUSED(&desc, "instance 13 (counted from 0): the weight from city 0 to city 1");
    data.weights[256 * 13 + 1] = 1;
    desc.weights = NULL;
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_EARTH;
    data.x[16 * 7 + 2] = 91;
    REFUSED(&desc, "instance 7 (counted from 0): city 2 (counted from 0) is at latitude 91");
    desc.metric = COMBGPU_TSP_EUC_2D;
    data.x[16 * 7 + 2] = 1e17;
    REFUSED(&desc, "instance 7 (counted from 0): the distance between cities");
    desc = good;
    desc.cities = data.cities;
    data.cities[11] = 17;
    REFUSED(&desc, "desc.cities[11] is 17; it may be 1 to desc.n, 16");
    data.cities[11] = 2;
    data.cities[0] = 2;
    desc.shape = COMBGPU_TSP_PATH;
    TEST_SET_ENDS(desc, -1, 2);
    REFUSED(&desc, "instance 0 (counted from 0): desc.path_end is 2");
}

static int stop_at_once(const combgpu_progress *progress, void *user)
{
    (void)progress, (void)user;
    return 1;
}

static void test_stopped(combgpu_context *ctx)
{
    combgpu_tsp_batch_desc desc = description(18, MOST);
    combgpu_tsp_batch_result result;
    int k, known = 0, right = 0;
    fill(18, MOST, 1);
    desc.weights = data.weights;
    desc.run.progress = stop_at_once;
    desc.run.progress_interval_s = 1e-9;
    ok(combgpu_tsp_batch(ctx, &desc, &result) == COMBGPU_STOPPED, "stopped");
    for (k = 0; k < MOST; k++) {
        known += data.lengths[k] >= 0;
        right += (data.lengths[k] >= 0) == (data.states[k] != COMBGPU_TSP_UNKNOWN) &&
                 (data.lengths[k] >= 0) == (data.bounds[k] >= 0);
    }
    ok(known == (int)result.solved && known < MOST && right == MOST,
       "the others have length and bound -1, and state 0");
}

/* The nodes of each tree, whoever searches it, in whatever slices; none where the root proves the tour. */
static void test_nodes(combgpu_context *one, combgpu_context *three)
{
    static uint64_t nodes[30], others[30];
    combgpu_tsp_batch_desc desc = description(40, 30);
    combgpu_tsp_batch_result result, cut;
    combgpu_job *job;
    combgpu_status status;
    uint64_t sum = 0;
    int k, none = 0;
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_EUC_2D;
    desc.nodes = nodes;
    scatter(40, 30, 117);
    memset(nodes, 255, sizeof nodes);
    equal_status(one, combgpu_tsp_batch(one, &desc, &result), COMBGPU_OK, "30 x 40 cities");
    for (k = 0; k < 30; k++) {
        sum += nodes[k];
        none += !nodes[k];
    }
    ok(none > 2 && none < 28 && sum <= result.run.steps && sum > result.run.steps / 50,
       "their trees have %llu nodes, and %d none (%llu 1-trees)", (unsigned long long)sum, none,
       (unsigned long long)result.run.steps);
    desc.nodes = others;
    status = combgpu_tsp_batch_begin(three, &desc, &job);
    while (!status && (inside_set_budget(job, 1), status = combgpu_step(job)) == COMBGPU_RUNNING)
        status = COMBGPU_OK;
    status = combgpu_tsp_batch_end(job, &cut);
    ok(!status && cut.run.slices > 1 && !memcmp(nodes, others, sizeof nodes),
       "as many in %llu slices of three threads", (unsigned long long)cut.run.slices);
}

/* A GPU with few compute units for the host's threads is left out, which a note says. Trees of few cities need not
   reach a device: there the note alone tells. */
static void test_outrun(int place, combgpu_context *cpu, int n, int each)
{
    combgpu_context_desc open = test_context(place);
    combgpu_tsp_batch_desc desc = description(n, 2);
    combgpu_tsp_batch_result result;
    combgpu_context *ctx;
    test_log log;
    int less;
    desc.x = data.x;
    desc.y = data.y;
    desc.metric = COMBGPU_TSP_EUC_2D;
    scatter(n, 2, 0);
    on_cpu(cpu, &desc, &result);
    open.threads = 2;
    for (less = 0; less < 2; less++) {
        memset(&log, 0, sizeof log);
        test_log_use(&open, &log);
        if (combgpu_open(&ctx, &open)) return;
        inside_pretend_gpu(ctx, 2 * each - less);
        ok(!combgpu_tsp_batch(ctx, &desc, &result) && all_proven(&desc, &result) &&
               (n < 60 || (result.run.backend == COMBGPU_BACKEND_CPU) == less) &&
               (strstr(log.last[COMBGPU_LOG_INFO], "the GPU stays idle") != NULL) == less,
           "%s: %d cities, 2 threads and %d compute units: %s", test_places[place].name, n,
           2 * each - less, less ? "without the GPU" : "on the GPU");
        combgpu_close(ctx);
    }
}

static int silent; /* messages that do not say that memory ran out */

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_tsp_batch_result result;
    combgpu_status status = combgpu_tsp_batch(ctx, (const combgpu_tsp_batch_desc *)user, &result);
    silent += status == COMBGPU_OUT_OF_MEMORY && strncmp(combgpu_message(ctx), "out of memory", 13);
    return status;
}

static void test_allocation_failures(void)
{
    combgpu_context_desc context = test_context(1);
    combgpu_tsp_batch_desc desc = description(16, 3), towns = in_towns(20, 1, 2, 1e-5);
    int failed = test_out_of_memory(&context, 1, allocating, &towns), more;
    fill(16, 3, 1);
    desc.weights = data.weights;
    desc.cities = data.cities;
    more = test_out_of_memory(&context, 1, allocating, &desc);
    ok(failed > 4 && more > 4, "%d allocation failures leak nothing, and the context lives on",
       failed + more);
    ok(!silent, "each says that memory ran out");
}

int main(void)
{
    combgpu_context *cpu, *one, *two, *ctx;
    combgpu_context_desc single = test_context(1), both = test_context(2);
    combgpu_device_id cpus[2];
    int place, small = test_small();
    if (!test_open(0, &cpu)) return tap_end();
    if (combgpu_open(&one, &single)) return tap_end();
    memset(cpus, 0, sizeof cpus);
    cpus[0].backend = cpus[1].backend = COMBGPU_BACKEND_CPU;
    both.devices = cpus;
    both.device_count = 2;
    test_arguments(cpu);
    test_stopped(cpu);
    test_allocation_failures();
    if (!small) test_published(cpu);
    test_limits(cpu, one);
    test_towns(cpu);
    test_far_towns(cpu, one);
    test_far_towns_alone(cpu);
    if (!small) test_slices(cpu, one);
    if (!small) test_sharing(cpu);
    if (!small) test_lattices(cpu);
    test_nodes(cpu, one);
    test_arrays(cpu);
    test_largest(cpu, small ? 40 : COMBGPU_TSP_BATCH_DIMENSION);
    if (!small) test_beyond_devices(cpu, 150);
    for (place = 0; place < TEST_PLACES; place++) {
        if (!test_open(place, &ctx)) continue;
        random_state = 88172645463325252u;
        test_batches(ctx, cpu, test_places[place].name, small ? 4 : 24);
        test_resume(ctx, cpu, test_places[place].name);
        test_roots(ctx, cpu, test_places[place].name);
        test_far_towns_on(ctx, cpu, test_places[place].name);
        if (test_places[place].backend != COMBGPU_BACKEND_CPU) {
            test_outrun(place, cpu, 64, 8);
            test_outrun(place, cpu, 65, 16);
            test_outrun(place, cpu, 30, 8);
            test_outrun(place, cpu, 29, 16);
        }
        if (!small) test_trees(ctx, cpu, test_places[place].name);
        combgpu_close(ctx);
    }
    if (!ok(!combgpu_open(&two, &both), "two devices open")) return tap_end();
    test_trees(two, cpu, "two devices");
    test_two_tours(two, cpu, "two devices");
    test_saved_among_nodes(two, cpu, "two devices");
    combgpu_close(two);
    combgpu_close(one);
    combgpu_close(cpu);
    return tap_end();
}
