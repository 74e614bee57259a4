/* combgpu qap: solves quadratic assignment (T. C. Koopmans and M. Beckmann 1957) by branch and bound, and
   makes histograms by all permutations. n facilities go to n locations, minimising the sum of flow times
   distance over all pairs: with matrices a and b the cost of p is the sum of a[i][j] * b[p[i]][p[j]], as in
   QAPLIB (R. E. Burkard, S. E. Karisch, F. Rendl 1997). */
#ifndef COMBGPU_EXAMPLES_QAP_H
#define COMBGPU_EXAMPLES_QAP_H

#include "combgpu_perm.h"
#include "qap_bound.h"

#define QAP_MOST 16

/* Where b is symmetric, facilities i < j add (a[i][j] + a[j][i]) * b[..][..]: the host adds up a, and the
   kernel reads half of the pairs. data: n*n numbers a, n*n numbers b. */
COMBGPU_PERM_VISITOR(qap_symmetric_cost, {
    int64_t sum = 0;
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++)
            sum += (int64_t)combgpu_data_i32(data, i * n + j) *
                   combgpu_data_i32(data, n * n + perm[i] * n + perm[j]);
    return sum;
})

COMBGPU_PERM_VISITOR(qap_cost, {
    int64_t sum = 0;
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            sum += (int64_t)combgpu_data_i32(data, i * n + j) *
                   combgpu_data_i32(data, n * n + perm[i] * n + perm[j]);
    return sum;
})

typedef struct qap_instance {
    int n;
    int32_t a[QAP_MOST][QAP_MOST], b[QAP_MOST][QAP_MOST];
    int32_t data[2 * QAP_MOST * QAP_MOST];
} qap_instance;

static const uint8_t nug12_flows[12][12] = {
    {0, 5, 2, 4, 1, 0, 0, 6, 2, 1, 1, 1},   {5, 0, 3, 0, 2, 2, 2, 0, 4, 5, 0, 0},
    {2, 3, 0, 0, 0, 0, 0, 5, 5, 2, 2, 2},   {4, 0, 0, 0, 5, 2, 2, 10, 0, 0, 5, 5},
    {1, 2, 0, 5, 0, 10, 0, 0, 0, 5, 1, 1},  {0, 2, 0, 2, 10, 0, 5, 1, 1, 5, 4, 0},
    {0, 2, 0, 2, 0, 5, 0, 10, 5, 2, 3, 3},  {6, 0, 5, 10, 0, 1, 10, 0, 0, 0, 5, 0},
    {2, 4, 5, 0, 0, 1, 5, 0, 0, 0, 10, 10}, {1, 5, 2, 0, 5, 5, 2, 0, 0, 0, 5, 0},
    {1, 0, 2, 5, 1, 4, 3, 5, 10, 5, 0, 2},  {1, 0, 2, 5, 1, 0, 3, 0, 10, 0, 2, 0}};

static void qap_nug12(qap_instance *q)
{
    int i, j;
    q->n = 12;
    for (i = 0; i < 12; i++)
        for (j = 0; j < 12; j++) {
            q->a[i][j] = abs(i / 4 - j / 4) + abs(i % 4 - j % 4);
            q->b[i][j] = nug12_flows[i][j];
        }
}

/* Symmetric, with numbers 0 .. 9 and zeros on the diagonal (splitmix64, S. Vigna). */
static void qap_random(qap_instance *q, int n, uint64_t seed)
{
    int k, i, j;
    q->n = n;
    for (k = 0; k < 2; k++)
        for (i = 0; i < n; i++)
            for (j = 0; j < i; j++) {
                uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);
                x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
                x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
                x = (x ^ (x >> 31)) % 10;
                if (k)
                    q->b[i][j] = q->b[j][i] = (int32_t)x;
                else
                    q->a[i][j] = q->a[j][i] = (int32_t)x;
            }
}

/* Reads the next number of a file; an error names its position. */
static int32_t qap_number(const char *path, const char **at, int number, int most)
{
    char *end;
    long value;
    errno = 0;
    value = strtol(*at, &end, 10);
    if (end == *at || errno || value < -1000000 || value > most)
        usage("%s: number %d is missing or not within -1000000 to %d", path, number, most);
    *at = end;
    return (int32_t)value;
}

static void qap_read(qap_instance *q, const char *path)
{
    size_t bytes = 0;
    char *text = read_file("", path, &bytes);
    const char *at = text;
    int i, k;
    q->n = qap_number(path, &at, 1, 1000000);
    if (q->n < 2 || q->n > QAP_MOST) usage("%s: n is %d; it may be 2 to %d", path, q->n, QAP_MOST);
    for (k = 0; k < 2; k++)
        for (i = 0; i < q->n * q->n; i++)
            (k ? q->b : q->a)[i / q->n][i % q->n] =
                qap_number(path, &at, 2 + k * q->n * q->n + i, 1000000);
    at += strspn(at, " \t\r\n");
    if (*at || at != text + bytes)
        usage("%s: \"%.*s\" follows the two matrices of %d rows", path,
              (int)(strcspn(at, " \t\r\n") < 20 ? strcspn(at, " \t\r\n") : 20), at, q->n);
    free(text);
}

/* Fills q->data. Returns the visitor that reads it. */
static const combgpu_perm_visitor *qap_prepare(qap_instance *q)
{
    int i, j, n = q->n, symmetric = 1;
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            symmetric &= q->b[i][j] == q->b[j][i];
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            q->data[i * n + j] = q->a[i][j] + (symmetric && j < i ? q->a[j][i] : 0);
            q->data[n * n + i * n + j] = q->b[i][j];
        }
    return symmetric ? &qap_symmetric_cost : &qap_cost;
}

/* perm: locations, from 1. */
static int qap_print_cost(const qap_instance *q, uint8_t *perm, int places)
{
    int64_t sum = 0;
    combgpu_context *ctx;
    uint64_t rank;
    int i, j;
    for (i = 0; i < places; i++)
        perm[i]--;
    if (places != q->n || combgpu_perm_rank(NULL, q->n, perm, &rank))
        usage("--assignment is not a permutation of 1 .. %d", q->n);
    for (i = 0; i < q->n; i++)
        for (j = 0; j < q->n; j++)
            sum += (int64_t)q->a[i][j] * q->b[perm[i]][perm[j]];
    ctx = open_cpu("qap");
    json_string("status", "ok");
    tell_i64("cost", "%lld\n", sum);
    return finish(ctx, NULL);
}

/* Runs all permutations with a goal. */
static combgpu_status qap_visit(combgpu_context *ctx, qap_instance *q, combgpu_perm_desc *desc,
                                combgpu_perm_goal goal, combgpu_perm_result *result)
{
    desc->n = q->n;
    desc->goal = goal;
    desc->visitor = qap_prepare(q);
    desc->data = q->data;
    desc->data_bytes = 2 * (size_t)q->n * (size_t)q->n * sizeof q->data[0];
    desc->run = run.desc;
    return combgpu_perm(ctx, desc, result);
}

/* Prints the least and the largest cost, then the histogram. */
static int qap_histogram(combgpu_context *ctx, qap_instance *q, int bins)
{
    static uint64_t counts[1000];
    combgpu_perm_desc desc;
    combgpu_perm_result least, most, result;
    combgpu_status status;
    int i;
    memset(&desc, 0, sizeof desc);
    status = qap_visit(ctx, q, &desc, COMBGPU_PERM_MINIMUM, &least);
    if (!status) status = qap_visit(ctx, q, &desc, COMBGPU_PERM_MAXIMUM, &most);
    if (!status) {
        desc.bins = bins;
        desc.histogram = counts;
        desc.bin_first = least.best_value;
        desc.bin_width =
            ((uint64_t)most.best_value - (uint64_t)least.best_value) / (uint64_t)bins + 1;
        status = qap_visit(ctx, q, &desc, COMBGPU_PERM_HISTOGRAM, &result);
    }
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    if (status == COMBGPU_STOPPED) {
        json_string("status", "stopped");
        memset(&result, 0, sizeof result);
        result.run.status = status;
        return finish(ctx, &result.run);
    }
    json_i64("least", least.best_value);
    json_i64("largest", most.best_value);
    json_u64("bin_width", desc.bin_width);
    json_open("histogram", '[');
    for (i = 0; i < bins; i++) {
        say("%12lld", (long long)(desc.bin_first + i * (int64_t)desc.bin_width));
        tell_u64(NULL, "  %s\n", counts[i]);
    }
    json_close();
    tell_run(&result.run);
    return finish(ctx, &result.run);
}

/* Finds the least cost, proven, and an assignment with it. */
static int qap_least(combgpu_context *ctx, const qap_instance *q)
{
    static int32_t a[QAP_MOST * QAP_MOST], b[QAP_MOST * QAP_MOST];
    static int32_t data[1 + 4 * QAP_MOST * QAP_MOST];
    combgpu_perm_search_desc desc;
    static combgpu_perm_search_result result;
    combgpu_status status;
    combgpu_job *job = NULL;
    uint8_t facility[QAP_MOST], start[QAP_MOST], place[QAP_MOST];
    int i, proven, n = q->n;
    for (i = 0; i < n * n; i++) {
        a[i] = q->a[i / n][i % n];
        b[i] = q->b[i / n][i % n];
    }
    qap_order(n, a, facility);
    qap_fill(n, a, b, facility, data);
    qap_start(n, data, start);
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.searcher = &qap_search;
    desc.goal = COMBGPU_SEARCH_MINIMUM;
    desc.data = data;
    desc.data_bytes = (1 + 4 * (size_t)(n * n)) * sizeof data[0];
    desc.start = start;
    desc.run = run.desc;
    if (given(OPTION_FORECAST))
        return forecast(ctx, combgpu_perm_search_begin(ctx, &desc, &job), &job);
    status = ended(ctx, combgpu_perm_search(ctx, &desc, &result), &result.run);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    proven = status == COMBGPU_OK && run.desc.shard_count < 2; /* another part may have less */
    for (i = 0; i < n; i++)
        place[facility[i]] = result.best[i];
    json_u64("n", (uint64_t)n);
    say("least cost%s", proven ? ", proven" : " so far");
    tell_i64("cost", ": %lld\n   ", result.best_value);
    json_bool("proven", proven);
    json_open("assignment", '[');
    for (i = 0; i < n; i++)
        tell_u64(NULL, " %s", place[i] + 1u);
    say("\n");
    json_close();
    tell_run(&result.run);
    return finish(ctx, &result.run);
}

static int command_qap(void)
{
    static const int not_cost[] = {OPTION_HISTOGRAM, -1};
    static qap_instance q;
    uint8_t assignment[QAP_MOST];
    int size = int_of(OPTION_SIZE, 2, QAP_MOST, 0), n = int_of(OPTION_RANDOM, 2, QAP_MOST, 0);
    int places = 0, bins = int_of(OPTION_HISTOGRAM, 1, 1000, 0);
    combgpu_context *ctx;
    goes_without(OPTION_ASSIGNMENT, not_cost);
    searches_nothing(OPTION_ASSIGNMENT);
    if (!given(OPTION_FORECAST)) goes_with(OPTION_SEED, OPTION_RANDOM);
    if (cmd.argument && n) usage("a file and --random are both given");
    if (cmd.argument)
        qap_read(&q, cmd.argument);
    else if (n)
        qap_random(&q, n, number_of(OPTION_SEED, 1));
    else
        qap_nug12(&q);
    if (size > q.n) usage("--size is %d; the instance has %d", size, q.n);
    if (size) q.n = size;
    if (given(OPTION_ASSIGNMENT)) {
        places = read_numbers(OPTION_ASSIGNMENT, assignment, QAP_MOST, QAP_MOST);
        return qap_print_cost(&q, assignment, places);
    }
    if (bins && (run.desc.checkpoint_path || run.desc.shard_count))
        usage("--histogram cannot be combined with --checkpoint and --shard: it takes three runs");
    run.many = bins != 0;
    ctx = open_context("qap");
    if (bins && given(OPTION_FORECAST)) usage("--forecast cannot be combined with --histogram");
    return bins ? qap_histogram(ctx, &q, bins) : qap_least(ctx, &q);
}

#endif
