/* Tests batches of small instances against single searches (see test_tsp.c), and drawings. */
#define COMBGPU_ONLY_TSP 1
#include "test.h"

/* ---- batches to solve */

#define MOST 700
#define N 15 /* above: test_tsp_batch_large.c */
static struct {
    double weights[MOST * N * N], x[MOST * N], y[MOST * N], lengths[MOST];
    int32_t int_weights[MOST * N * N];
    int cities[MOST];
    uint8_t tours[MOST * N];
} data, want;

/* Kinds of weights: ties and zeros, ordinary, large, halves, mixed with huge ones, of 17 bits; of
   coordinates also those whose squares vanish. */
static void fill(int n, int count, int kind)
{
    size_t i, all = (size_t)count * (size_t)(n * n);
    int symmetric = random_below(2), k, a, b;
    for (i = 0; i < all; i++) {
        int32_t whole = random_below(kind == 0   ? 3
                                     : kind == 2 ? 2000000000
                                     : kind == 5 ? 100000
                                                 : 1000);
        data.int_weights[i] = whole;
        data.weights[i] = kind == 3 ? whole / 2.0 : kind == 4 && i % 7 == 0 ? whole * 1e30 : whole;
    }
    for (k = 0; symmetric && k < count; k++)
        for (a = 0; a < n; a++)
            for (b = 0; b < a; b++) {
                data.int_weights[(k * n + a) * n + b] = data.int_weights[(k * n + b) * n + a];
                data.weights[(k * n + a) * n + b] = data.weights[(k * n + b) * n + a];
            }
    for (i = 0; i < (size_t)(count * n); i++) {
        data.x[i] = random_below(kind == 0 ? 4 : 160) / 2.0;
        data.y[i] = random_below(kind == 0 ? 4 : 160) / 2.0;
        if (kind == 6) data.x[i] *= 1e-160, data.y[i] *= 1e-160;
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
    return desc;
}

/* Instance k alone. */
static combgpu_status alone(combgpu_context *ctx, const combgpu_tsp_batch_desc *batch, int k,
                            combgpu_tsp_result *result)
{
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_status status;
    double weights[N * N];
    int n = batch->cities ? batch->cities[k] : batch->n, i, j;
    memset(&desc, 0, sizeof desc);
    memset(&instance, 0, sizeof instance);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            size_t at = (size_t)((k * batch->n + i) * batch->n + j);
            weights[i * n + j] = batch->weights       ? batch->weights[at]
                                 : batch->int_weights ? batch->int_weights[at]
                                                      : 0;
        }
    if (batch->x)
        status = combgpu_tsp_from_coordinates(ctx, n, batch->x + k * batch->n,
                                              batch->y + k * batch->n, batch->metric, &instance);
    else
        status = combgpu_tsp_from_matrix(ctx, n, weights, &instance);
    desc.instance = &instance;
    desc.method = COMBGPU_TSP_HELD_KARP;
    desc.shape = batch->shape;
    desc.path_ends = batch->path_ends;
    desc.path_start = batch->path_start;
    desc.path_end = batch->path_end;
    if (!status) status = combgpu_tsp(ctx, &desc, result);
    combgpu_tsp_free(ctx, &instance);
    return status;
}

/* Instances whose length and tour are not those of a search for them alone. */
static int differing(combgpu_context *cpu, const combgpu_tsp_batch_desc *desc)
{
    int wrong = 0, k, i;
    for (k = 0; k < (int)desc->count; k++) {
        combgpu_tsp_result result;
        combgpu_status status = alone(cpu, desc, k, &result);
        if (status == COMBGPU_UNSUPPORTED && desc->weights) /* every tour has a huge leg */
            wrong += desc->lengths[k] < 1e29;
        else if (status || /* the last bit of decimals may be another */
                 fabs(desc->lengths[k] - result.length) > 3e-16 * result.length)
            wrong++;
        else
            for (i = 0; i < result.n; i++)
                if (desc->tours[k * desc->n + i] != result.tour[i]) {
                    wrong++;
                    break;
                }
    }
    return wrong;
}

static void test_batches(combgpu_context *ctx, combgpu_context *cpu, const char *name, int rounds)
{
    int round, wrong = 0, failed = 0, solved = 0;
    for (round = 0; round < rounds; round++) {
        int n = 1 + round % 9, count = 1 + random_below(60), kind = random_below(7);
        int start, end;
        combgpu_tsp_batch_desc desc = description(n, count);
        combgpu_tsp_batch_result result;
        fill(n, count, kind);
        if (round % 3 == 0)
            desc.weights = data.weights;
        else if (round % 3 == 1)
            desc.int_weights = data.int_weights;
        else {
            desc.x = data.x;
            desc.y = data.y;
            desc.metric = (combgpu_tsp_metric)(1 + round % 8);
        }
        if (round % 2) desc.cities = data.cities;
        if (random_below(2)) {
            desc.shape = COMBGPU_TSP_PATH;
            start = random_below(2) ? 0 : -1;
            end = random_below(2) && n > 1 && !desc.cities ? n - 1 : -1;
            TEST_SET_ENDS(desc, start, end);
        }
        failed +=
            combgpu_tsp_batch(ctx, &desc, &result) != COMBGPU_OK || result.solved != desc.count;
        wrong += differing(cpu, &desc);
        solved += count;
    }
    ok(!wrong && !failed, "%s: %d instances in %d batches, each as if searched for alone", name,
       solved, rounds);
}

/* Coordinates by which the solvers choose the width of costs, or leave devices out: what 16 bits hold
   and just not, 32 bits, 64; fractions, signs, huge and tiny ones, all cities in one place. */
static double coordinate(int kind)
{
    double unit = random_below(1 << 20) / 1048576.0;
    switch (kind) {
    case 0:
        return random_below(1200);
    case 1:
        return random_below(40000) - 20000;
    case 2:
        return random_below(1 << 29);
    case 3:
        return 2000 * unit - 1000;
    case 4:
        return 1e12 * unit;
    case 5:
        return random_below(3) ? unit : 1e-150 * unit;
    case 6:
        return 7;
    default:
        return unit;
    }
}

/* Points of every metric, most of which devices compute, as if searched for alone. */
static void test_points(combgpu_context *ctx, combgpu_context *cpu, const char *name, int rounds)
{
    int round, wrong = 0, failed = 0, solved = 0, i;
    for (round = 0; round < rounds; round++) {
        int n = 1 + random_below(10), count = 1 + random_below(40), kind = round / 8 % 8;
        combgpu_tsp_batch_desc desc = description(n, count);
        combgpu_tsp_batch_result result;
        fill(n, count, 1); /* cities */
        desc.metric = (combgpu_tsp_metric)(1 + round % 10);
        if ((int)desc.metric > COMBGPU_TSP_EARTH) /* 9, 10 */
            desc.metric = (combgpu_tsp_metric)((int)desc.metric - 9 + COMBGPU_TSP_FLOOR_2D);
        if (desc.metric == COMBGPU_TSP_GEO || desc.metric == COMBGPU_TSP_EARTH ||
            desc.metric == COMBGPU_TSP_GEOM)
            kind = 7;
        for (i = 0; i < n * count; i++) {
            data.x[i] = coordinate(kind);
            data.y[i] = coordinate(kind);
        }
        desc.x = data.x;
        desc.y = data.y;
        if (random_below(2)) desc.cities = data.cities;
        if (random_below(2)) {
            int start = random_below(2) ? random_below(desc.cities ? 1 : n) : -1;
            int end = random_below(2) && n > 1 && !desc.cities ? random_below(n) : -1;
            if (end == start) end = -1;
            desc.shape = COMBGPU_TSP_PATH;
            TEST_SET_ENDS(desc, start, end);
        }
        failed +=
            combgpu_tsp_batch(ctx, &desc, &result) != COMBGPU_OK || result.solved != desc.count;
        wrong += differing(cpu, &desc);
        solved += count;
    }
    ok(!wrong && !failed, "%s: %d instances of points in %d batches, each as if searched for alone",
       name, solved, rounds);
}

/* The largest instances, wide and narrow, and the sums that every place must agree on. */
static void test_large(combgpu_context *ctx, combgpu_context *cpu, const char *name, int first)
{
    static uint64_t sums[2][2];
    int wide;
    for (wide = 0; wide < 2; wide++) {
        combgpu_tsp_batch_desc desc = description(N, 6);
        combgpu_tsp_batch_result result;
        random_state = 1234567 + (uint64_t)wide;
        fill(N, 6, wide ? 4 : 1);
        desc.weights = data.weights;
        if (wide) desc.shape = COMBGPU_TSP_PATH; /* 15 middle cities */
        equal_status(ctx, combgpu_tsp_batch(ctx, &desc, &result), COMBGPU_OK, "%s: %d cities, %s",
                     name, N, wide ? "64-bit" : "32-bit");
        ok(!differing(cpu, &desc), "%s: %d cities, %s: right", name, N, wide ? "64-bit" : "32-bit");
        if (first) {
            sums[wide][0] = result.run.steps;
            sums[wide][1] = result.run.checksum;
        }
        ok(sums[wide][0] == result.run.steps && sums[wide][1] == result.run.checksum,
           "%s: steps and checksum are those of the first place", name);
    }
}

/* Nothing to choose: one city, or two that are the ends. */
static void test_only_tours(combgpu_context *ctx, const char *name)
{
    static const double weights[] = {0, 3, 5, 0, 0, 7, 9, 0};
    combgpu_tsp_batch_desc desc = description(2, 2);
    combgpu_tsp_batch_result result;
    desc.weights = weights;
    desc.shape = COMBGPU_TSP_PATH;
    TEST_SET_ENDS(desc, 1, 0);
    ok(!combgpu_tsp_batch(ctx, &desc, &result) && data.lengths[0] == 5 && data.lengths[1] == 9 &&
           data.tours[2] == 1 && data.tours[3] == 0,
       "%s: paths of two fixed ends and nothing between", name);
    desc.n = 1;
    TEST_SET_ENDS(desc, 0, 0);
    ok(!combgpu_tsp_batch(ctx, &desc, &result) && data.lengths[1] == 0 && data.tours[1] == 0,
       "%s: one city", name);
}

static void test_shards(combgpu_context *ctx, const char *name)
{
    static const int counts[] = {3, 7};
    combgpu_tsp_batch_desc desc = description(7, MOST);
    combgpu_tsp_batch_result whole, part;
    int c, i;
    fill(7, MOST, 1);
    desc.weights = data.weights;
    equal_status(ctx, combgpu_tsp_batch(ctx, &desc, &whole), COMBGPU_OK, "%s: the whole", name);
    memcpy(&want, &data, sizeof data);
    for (c = 0; c < 2; c++) {
        uint64_t solved = 0, steps = 0, checksum = 0;
        memset(data.lengths, 0, sizeof data.lengths);
        memset(data.tours, 99, sizeof data.tours);
        for (i = 0; i < counts[c]; i++) {
            desc.run.shard_index = i;
            desc.run.shard_count = counts[c];
            if (combgpu_tsp_batch(ctx, &desc, &part)) break;
            solved += part.solved;
            steps += part.run.steps;
            checksum += part.run.checksum;
        }
        ok(solved == MOST && steps == whole.run.steps && checksum == whole.run.checksum &&
               !memcmp(data.lengths, want.lengths, sizeof data.lengths) &&
               !memcmp(data.tours, want.tours, 7 * MOST),
           "%s: %d shards add up, and write their parts", name, counts[c]);
    }
}

static int stop_at_once(const combgpu_progress *progress, void *user)
{
    (void)progress, (void)user;
    return 1;
}

TEST_SEARCH(tsp_batch)

/* Two weights change places: another batch. Halves have many low bits that are 0. */
static void test_changed_places(combgpu_context *ctx)
{
    double weights[5 * 5];
    combgpu_tsp_batch_desc desc;
    int i, tried = 0, taken = 0;
    memset(&desc, 0, sizeof desc);
    desc.count = 1;
    desc.n = 5;
    desc.weights = weights;
    for (i = 0; i < 2000; i++) {
        combgpu_job *job = NULL;
        size_t bytes = 0;
        void *saved;
        int k, one = 1 + random_below(4), other = 7 + random_below(3);
        double old;
        for (k = 0; k < 25; k++)
            weights[k] = 0.5 + random_below(8);
        old = weights[one];
        if (old == weights[other]) continue;
        combgpu_tsp_batch_begin(ctx, &desc, &job);
        saved = test_save(job, &bytes);
        combgpu_job_cancel(job);
        weights[one] = weights[other];
        weights[other] = old;
        desc.run.resume_data = saved;
        desc.run.resume_bytes = bytes;
        tried++;
        taken += combgpu_tsp_batch(ctx, &desc, NULL) != COMBGPU_WRONG_JOB;
        desc.run.resume_data = NULL;
        desc.run.resume_bytes = 0;
        free(saved);
    }
    ok(!taken, "of %d batches with two weights in each other's place %d take the checkpoint", tried,
       taken);
}

/* Stops after every slice or two and resumes elsewhere from what was saved; with a metric, points. */
static void test_resume(combgpu_context *ctx, combgpu_context *other, const char *name,
                        combgpu_tsp_metric metric)
{
    combgpu_tsp_batch_desc desc = description(10, MOST);
    combgpu_tsp_batch_result whole, result;
    test_search search = tsp_batch_search(&desc, &result, 0);
    int pieces;
    fill(10, MOST, 1);
    desc.metric = metric;
    desc.int_weights = metric ? NULL : data.int_weights;
    desc.x = metric ? data.x : NULL;
    desc.y = metric ? data.y : NULL;
    combgpu_tsp_batch(ctx, &desc, &whole);
    memcpy(&want, &data, sizeof data);
    memset(data.tours, 99, sizeof data.tours);
    desc.run.slice_ms = 1;
    search.one = ctx;
    search.other = other;
    pieces = test_pieces(&search);
    ok(pieces > 0 && result.solved == MOST && equal_runs(&result.run, &whole.run) &&
           !memcmp(data.lengths, want.lengths, sizeof data.lengths) &&
           !memcmp(data.tours, want.tours, 10 * MOST),
       "%s, metric %d: stopped and resumed %d times, the same answer", name, (int)metric,
       pieces - 1);
}

/* A record buffer that is always full: instances come again, and count once. */
static void test_overflow(combgpu_context *ctx, const char *name)
{
    combgpu_tsp_batch_desc desc = description(6, MOST);
    combgpu_tsp_batch_result whole, result;
    combgpu_job *job;
    combgpu_status status;
    fill(6, MOST, 0);
    desc.weights = data.weights;
    combgpu_tsp_batch(ctx, &desc, &whole);
    status = combgpu_tsp_batch_begin(ctx, &desc, &job);
    if (!status) inside_set_record_room(job, 5);
    while (!status && (status = combgpu_step(job)) == COMBGPU_RUNNING)
        status = COMBGPU_OK;
    status = combgpu_tsp_batch_end(job, &result);
    ok(!status && result.solved == MOST && result.run.steps == whole.run.steps &&
           result.run.checksum == whole.run.checksum,
       "%s: a full record buffer loses nothing and counts nothing twice", name);
}

/* ---- arguments */

#define REFUSED(desc, part) INVALID(combgpu_tsp_batch(ctx, desc, NULL), part)

static void test_arguments(combgpu_context *ctx)
{
    combgpu_tsp_batch_desc good = description(5, 20), desc;
    fill(5, 20, 1);
    good.weights = data.weights;
    desc = good;
    desc.count = 0;
    REFUSED(&desc, "desc.count is 0; it may be 1 to 4000000000");
    desc = good;
    desc.n = INT_MIN;
    REFUSED(&desc, "desc.n is -2147483648; it may be 1 to 256");
    desc.n = 257;
    REFUSED(&desc, "desc.n is 257; it may be 1 to 256");
    desc = good;
    desc.int_weights = data.int_weights;
    REFUSED(&desc, "2 of desc.weights, desc.int_weights, and desc.x with desc.y are set");
    desc = good;
    desc.weights = NULL;
    REFUSED(&desc, "0 of desc.weights, desc.int_weights, and desc.x with desc.y are set");
    desc.x = data.x;
    REFUSED(&desc, "desc.y is NULL");
    desc.y = data.y;
    REFUSED(&desc, "desc.metric is 0");
    desc.metric = COMBGPU_TSP_EARTH;
    data.x[5 * 7 + 2] = 91;
    REFUSED(&desc, "instance 7 (counted from 0): city 2 (counted from 0) is at latitude 91");
    desc = good;
    data.weights[25 * 13 + 1] = -2e300;
    data.weights[25 * 17 + 1] = 2e300;
    REFUSED(&desc, "instance 13 (counted from 0): the weight from city 0 to city 1");
    data.weights[25 * 13 + 1] = data.weights[25 * 17 + 1] = 1;
    desc = good;
    desc.cities = data.cities;
    data.cities[11] = 6;
    REFUSED(&desc, "instance 11 (counted from 0): desc.cities[11] is 6; it may be 1 to desc.n, 5");
    data.cities[11] = 2;
    desc.shape = COMBGPU_TSP_PATH;
    TEST_SET_ENDS(desc, -1, 2);
    data.cities[0] = 2;
    REFUSED(&desc, "instance 0 (counted from 0): desc.path_end is 2");
    desc = good;
    TEST_SET_ENDS(desc, 0, -1);
    REFUSED(&desc, "desc.path_ends is 1, but desc.shape is a cycle");
}

/* A stopped batch says which instances are solved. */
static void test_stopped(combgpu_context *ctx)
{
    combgpu_tsp_batch_desc desc = description(12, MOST);
    combgpu_tsp_batch_result result;
    int k, known = 0;
    fill(12, MOST, 1);
    desc.weights = data.weights;
    desc.run.slice_ms = 1;
    desc.run.progress = stop_at_once;
    desc.run.progress_interval_s = 1e-9;
    ok(combgpu_tsp_batch(ctx, &desc, &result) == COMBGPU_STOPPED, "stopped");
    for (k = 0; k < MOST; k++)
        known += data.lengths[k] >= 0;
    ok(known == (int)result.solved && known < MOST, "the others have length -1");
}

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_tsp_batch_result result;
    return combgpu_tsp_batch(ctx, (const combgpu_tsp_batch_desc *)user, &result);
}

static void test_allocation_failures(void)
{
    combgpu_context_desc context = test_context(1);
    combgpu_tsp_batch_desc desc = description(6, 30);
    int failed;
    fill(6, 30, 1);
    desc.weights = data.weights;
    failed = test_out_of_memory(&context, 1, allocating, &desc);
    ok(failed > 2, "allocation failures (%d of them) leak nothing, and the context lives on",
       failed);
}

/* ---- drawings */

static int occurrences(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        count++;
    return count;
}

static void test_drawing(combgpu_context *ctx)
{
    static const double x[] = {-90, 48.2, 52.5, 1e-3, 90}, y[] = {-360, 16.4, 13.4, 0, 360};
    static const double far[] = {-1e300, 1e300, 0, 5, 7}, same[] = {3, 3, 3, 3, 3};
    static const double near[] = {0, 1e-310, 2e-310, 3e-310, 4e-310};
    static const int tour[] = {0, 2, 1, 3, 4}, bad[] = {0, 2, 2, 3, 4};
    static char text[4000];
    combgpu_tsp_instance instance;
    combgpu_tsp_metric metric;
    size_t needed = 0;
    int made, drawn = 0;
    for (metric = COMBGPU_TSP_EUC_2D; metric <= COMBGPU_TSP_EARTH;
         metric = (combgpu_tsp_metric)(metric + 1)) {
        if (combgpu_tsp_from_coordinates(ctx, 5, x, y, metric, &instance)) break;
        made = combgpu_tsp_to_svg(ctx, &instance, COMBGPU_TSP_CYCLE, tour, NULL, 0, &needed) ==
                   COMBGPU_OK &&
               needed < sizeof text &&
               combgpu_tsp_to_svg(ctx, &instance, COMBGPU_TSP_CYCLE, tour, text, needed, NULL) ==
                   COMBGPU_OK;
        drawn += made && strlen(text) + 1 == needed && occurrences(text, "<circle") == 5 &&
                 occurrences(text, "</text>") == 5 && occurrences(text, "Z\"") == 1 &&
                 occurrences(text, "nan") + occurrences(text, "inf") == 0;
        if (metric == COMBGPU_TSP_EARTH) {
            ok(combgpu_tsp_to_svg(ctx, &instance, COMBGPU_TSP_CYCLE, tour, text, needed - 1,
                                  NULL) == COMBGPU_INVALID_ARGUMENT &&
                   strstr(combgpu_message(ctx), "this drawing needs"),
               "a short buffer is refused");
            ok(combgpu_tsp_to_svg(ctx, &instance, COMBGPU_TSP_CYCLE, bad, text, needed, NULL) ==
                   COMBGPU_INVALID_ARGUMENT,
               "a tour that is not a permutation is refused");
            ok(!combgpu_tsp_to_svg(ctx, &instance, COMBGPU_TSP_PATH, NULL, text, needed, NULL) &&
                   !strstr(text, "<path"),
               "no tour: the cities alone");
        }
        combgpu_tsp_free(ctx, &instance);
    }
    equal_u64(drawn, 8, "a drawing of every metric has all cities, numbers and a closed tour");
    memset(&instance, 0, sizeof instance);
    instance.n = 5;
    instance.metric = COMBGPU_TSP_PLANE;
    instance.weights = data.weights;
    ok(combgpu_tsp_to_svg(ctx, &instance, COMBGPU_TSP_CYCLE, NULL, text, sizeof text, NULL) ==
               COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(ctx), "no coordinates"),
       "an instance without coordinates is refused");
    memcpy(data.x, far, sizeof far);
    memcpy(data.y, same, sizeof same);
    instance.x = data.x;
    instance.y = data.y;
    ok(!combgpu_tsp_to_svg(ctx, &instance, COMBGPU_TSP_PATH, tour, text, sizeof text, NULL) &&
           strstr(text, "cx=\"780.0\" cy=\"20.0\"") && strstr(text, "cx=\"400.0\""),
       "coordinates as far apart as can be fit the picture");
    memcpy(data.x, near, sizeof near);
    ok(!combgpu_tsp_to_svg(ctx, &instance, COMBGPU_TSP_PATH, tour, text, sizeof text, NULL),
       "coordinates as near as can be");
    memcpy(data.x, same, sizeof same);
    ok(!combgpu_tsp_to_svg(ctx, &instance, COMBGPU_TSP_PATH, tour, text, sizeof text, NULL) &&
           occurrences(text, "cx=\"20.0\" cy=\"20.0\"") == 5,
       "all cities in one place can be drawn");
}

/* Do two labels of the drawing overlap? A character is at most 7 wide, a line 11 high. */
static int labels_meet(const char *text)
{
    double x[128], y[128], width[128];
    int count = 0, i, k;
    for (text = strstr(text, "<g "); text && (text = strstr(text, "<text x=")) != NULL; text++) {
        const char *end = strstr(text, "</text>"), *begin = strchr(text, '>');
        x[count] = atof(text + 9);
        y[count] = atof(strstr(text, "y=") + 3);
        width[count++] = 5.0 * (double)(end - begin - 1);
    }
    for (i = 0; i < count; i++)
        for (k = 0; k < i; k++)
            if (x[i] < x[k] + width[k] && x[k] < x[i] + width[i] && y[i] < y[k] + 9 &&
                y[k] < y[i] + 9)
                return 1;
    return count < 20;
}

static void test_titled_drawing(combgpu_context *ctx)
{
    static const char *names[100];
    static char text[40000];
    double x[100], y[100];
    int tour[100], i;
    size_t needed = 0;
    uint64_t seed = 7;
    combgpu_tsp_instance instance;
    combgpu_tsp_drawing drawing;
    for (i = 0; i < 100; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        x[i] = (double)(seed >> 40 & 1023);
        y[i] = (double)(seed >> 50 & 1023);
        tour[i] = i;
        names[i] = i ? "Quebec" : "Q & A";
    }
    if (combgpu_tsp_from_coordinates(ctx, 100, x, y, COMBGPU_TSP_PLANE, &instance)) return;
    memset(&drawing, 0, sizeof drawing);
    drawing.instance = &instance;
    drawing.shape = COMBGPU_TSP_PATH;
    drawing.tour = tour;
    drawing.title = "a < b";
    drawing.legend = "second line";
    drawing.names = names;
    ok(!combgpu_tsp_draw(ctx, &drawing, NULL, 0, &needed) &&
           !combgpu_tsp_draw(ctx, &drawing, text, needed, NULL) && strlen(text) + 1 == needed,
       "a drawing with title, legend and names has the size that was told");
    ok(strstr(text, ">a &#60; b</text>") && strstr(text, ">second line</text>") &&
           strstr(text, ">Q &#38; A</text>"),
       "its texts are in it, as XML");
    equal_u64((uint64_t)occurrences(text, "<ellipse"), 2,
              "rings mark where a path begins and ends");
    ok(!labels_meet(text), "of 100 cities' names no two overlap, and more than 20 are there");
    drawing.shape = COMBGPU_TSP_CYCLE;
    ok(!combgpu_tsp_draw(ctx, &drawing, text, sizeof text, NULL) &&
           occurrences(text, "<ellipse") == 1,
       "a cycle only begins");
    ok(combgpu_tsp_draw(ctx, NULL, text, sizeof text, NULL) == COMBGPU_INVALID_ARGUMENT,
       "no drawing: refused");
    combgpu_tsp_free(ctx, &instance);
}

int main(void)
{
    combgpu_context *cpu, *ctx;
    int place, first = 1, small = test_small();
    if (!test_open(0, &cpu)) return tap_end();
    test_arguments(cpu);
    test_stopped(cpu);
    test_allocation_failures();
    test_drawing(cpu);
    test_titled_drawing(cpu);
    test_changed_places(cpu);
    for (place = 0; place < TEST_PLACES; place++) {
        const char *name = test_places[place].name;
        if (!test_open(place, &ctx)) continue;
        random_state = 88172645463325252u;
        test_batches(ctx, cpu, name, small ? 10 : 90);
        if (!small) test_large(ctx, cpu, name, first);
        test_only_tours(ctx, name);
        test_shards(ctx, name);
        test_overflow(ctx, name);
        test_points(ctx, cpu, name, small ? 16 : 128);
        test_resume(ctx, ctx, name, COMBGPU_TSP_MATRIX);
        test_resume(ctx, ctx, name, COMBGPU_TSP_PLANE);
        if (!first) {
            test_resume(ctx, cpu, "to the CPU and back", COMBGPU_TSP_MATRIX);
            test_resume(ctx, cpu, "to the CPU and back", COMBGPU_TSP_EUC_2D);
            test_resume(ctx, cpu, "to the CPU and back", COMBGPU_TSP_PLANE);
        }
        first = 0;
        combgpu_close(ctx);
    }
    combgpu_close(cpu);
    return tap_end();
}
