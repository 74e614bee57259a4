/* Quadratic assignment (T. C. Koopmans and M. Beckmann 1957): n facilities to n places, so that the
   loads carried between each two, times the way, are least. By trying every permutation on the device.

       cc -O3 -fopenmp examples/qap.c -o qap
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/qap.c -o qap
       cc -O3 -DCOMBGPU_OPENCL examples/qap.c -o qap -lOpenCL

       ./qap                           nug12 of QAPLIB: optimum 578; 479 million permutations
       ./qap --file had12.dat          an instance of QAPLIB: n, then two matrices
       ./qap --random 10 --histogram 20

   With matrices a and b the cost of p is the sum of a[i][j] * b[p[i]][p[j]], as in QAPLIB (R. E.
   Burkard, S. E. Karisch, F. Rendl 1997). */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_PERM
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "qap - the quadratic assignment problem, by all permutations\n\n"
    "Without a file: nug12 of QAPLIB, 12 facilities on a floor of 3 x 4 places\n"
    "(C. E. Nugent, T. E. Vollmann, J. Ruml 1968), whose least cost is 578.\n\n"
    "Options:\n"
    "  --file F            an instance: n, then two n x n matrices; - = stdin\n"
    "  --random N          a random one of N facilities, 2 to 16\n"
    "  --seed S            of the random one (default: 1)\n"
    "  --size K            only the first K rows and columns, 2 to 16\n"
    "  --assignment \"P\"    the cost of this one, places from 1 on\n"
    "  --histogram B       how the costs are distributed, in B bins, 1 to 1000\n";

#define MOST 16

/* Facilities i < j add (a[i][j] + a[j][i]) * b[..][..] where b is symmetric: so the host adds up a, and
   the kernel looks at half of the pairs. data: n*n numbers a, n*n numbers b. */
COMBGPU_PERM_VISITOR(symmetric_cost, {
    int64_t sum = 0;
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++)
            sum += (int64_t)combgpu_data_i32(data, i * n + j) *
                   combgpu_data_i32(data, n * n + perm[i] * n + perm[j]);
    return sum;
})

COMBGPU_PERM_VISITOR(cost, {
    int64_t sum = 0;
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            sum += (int64_t)combgpu_data_i32(data, i * n + j) *
                   combgpu_data_i32(data, n * n + perm[i] * n + perm[j]);
    return sum;
})

typedef struct instance {
    int n;
    int32_t a[MOST][MOST], b[MOST][MOST];
    int32_t data[2 * MOST * MOST];
} instance;

static const uint8_t nug12_flows[12][12] = {
    {0, 5, 2, 4, 1, 0, 0, 6, 2, 1, 1, 1},   {5, 0, 3, 0, 2, 2, 2, 0, 4, 5, 0, 0},
    {2, 3, 0, 0, 0, 0, 0, 5, 5, 2, 2, 2},   {4, 0, 0, 0, 5, 2, 2, 10, 0, 0, 5, 5},
    {1, 2, 0, 5, 0, 10, 0, 0, 0, 5, 1, 1},  {0, 2, 0, 2, 10, 0, 5, 1, 1, 5, 4, 0},
    {0, 2, 0, 2, 0, 5, 0, 10, 5, 2, 3, 3},  {6, 0, 5, 10, 0, 1, 10, 0, 0, 0, 5, 0},
    {2, 4, 5, 0, 0, 1, 5, 0, 0, 0, 10, 10}, {1, 5, 2, 0, 5, 5, 2, 0, 0, 0, 5, 0},
    {1, 0, 2, 5, 1, 4, 3, 5, 10, 5, 0, 2},  {1, 0, 2, 5, 1, 0, 3, 0, 10, 0, 2, 0}};

static void nug12(instance *q)
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
static void random_instance(instance *q, int n, uint64_t seed)
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

/* The next number of a file, or an error that says which one it is. */
static int32_t file_number(const char *path, const char **at, int number, int most)
{
    char *end;
    long value;
    errno = 0;
    value = strtol(*at, &end, 10);
    if (end == *at || errno || value < -1000000 || value > most)
        common_usage("%s: number %d is missing or none of -1000000 to %d", path, number, most);
    *at = end;
    return (int32_t)value;
}

static void read_instance(instance *q, const char *path)
{
    size_t bytes = 0;
    char *text = common_read(path, &bytes);
    const char *at = text;
    int i, k;
    q->n = file_number(path, &at, 1, 1000000);
    if (q->n < 2 || q->n > MOST) common_usage("%s: n is %d; it may be 2 to %d", path, q->n, MOST);
    for (k = 0; k < 2; k++)
        for (i = 0; i < q->n * q->n; i++)
            (k ? q->b : q->a)[i / q->n][i % q->n] =
                file_number(path, &at, 2 + k * q->n * q->n + i, 1000000);
    free(text);
}

/* Fills q->data; the visitor that can read it. */
static const combgpu_perm_visitor *prepare(instance *q)
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
    return symmetric ? &symmetric_cost : &cost;
}

/* perm: places from 1 on. */
static int print_cost(const instance *q, uint8_t *perm, int places)
{
    int64_t sum = 0;
    combgpu_context *ctx;
    uint64_t rank;
    int i, j;
    for (i = 0; i < places; i++)
        perm[i]--;
    if (places != q->n || combgpu_perm_rank(NULL, q->n, perm, &rank))
        common_usage("--assignment is no permutation of 1 .. %d", q->n);
    for (i = 0; i < q->n; i++)
        for (j = 0; j < q->n; j++)
            sum += (int64_t)q->a[i][j] * q->b[perm[i]][perm[j]];
    common.context.backend = COMBGPU_BACKEND_CPU;
    ctx = common_open("qap");
    if (common.json) {
        json_string("status", "ok");
        json_i64("cost", sum);
    } else
        printf("%lld\n", (long long)sum);
    return common_end(ctx, NULL);
}

/* One run of all permutations with a goal. */
static combgpu_status visit(combgpu_context *ctx, instance *q, combgpu_perm_desc *desc,
                            combgpu_perm_goal goal, combgpu_perm_result *result)
{
    desc->n = q->n;
    desc->goal = goal;
    desc->visitor = prepare(q);
    desc->data = q->data;
    desc->data_bytes = 2 * (size_t)q->n * (size_t)q->n * sizeof q->data[0];
    desc->run = common.run;
    return combgpu_perm(ctx, desc, result);
}

/* The least and the largest cost, then how many permutations have which. */
static int print_histogram(combgpu_context *ctx, instance *q, int bins)
{
    static uint64_t counts[1000];
    combgpu_perm_desc desc;
    combgpu_perm_result least, most, result;
    combgpu_status status;
    int i;
    memset(&desc, 0, sizeof desc);
    status = visit(ctx, q, &desc, COMBGPU_PERM_MINIMUM, &least);
    if (!status) status = visit(ctx, q, &desc, COMBGPU_PERM_MAXIMUM, &most);
    if (!status) {
        desc.bins = bins;
        desc.histogram = counts;
        desc.bin_first = least.best_value;
        desc.bin_width =
            ((uint64_t)most.best_value - (uint64_t)least.best_value) / (uint64_t)bins + 1;
        status = visit(ctx, q, &desc, COMBGPU_PERM_HISTOGRAM, &result);
    }
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    if (status == COMBGPU_STOPPED) {
        if (common.json) json_string("status", "stopped");
        memset(&result, 0, sizeof result);
        result.run.status = status;
        return common_end(ctx, &result.run);
    }
    if (common.json) {
        json_i64("least", least.best_value);
        json_i64("largest", most.best_value);
        json_u64("bin_width", desc.bin_width);
        json_open("histogram", '[');
    }
    for (i = 0; i < bins; i++)
        if (common.json)
            json_u64(NULL, counts[i]);
        else
            printf("%12lld  %s\n", (long long)(desc.bin_first + i * (int64_t)desc.bin_width),
                   common_commas(counts[i]));
    if (common.json) {
        json_close();
        json_run(&result.run);
    } else
        common_print_run(stdout, &result.run);
    return common_end(ctx, &result.run);
}

static int print_least(combgpu_context *ctx, instance *q)
{
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_status status;
    int i;
    memset(&desc, 0, sizeof desc);
    status = visit(ctx, q, &desc, COMBGPU_PERM_MINIMUM, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    if (common.json) {
        json_u64("n", (uint64_t)q->n);
        json_u64("permutations", result.visited);
        if (result.visited) {
            json_i64("cost", result.best_value);
            json_open("assignment", '[');
            for (i = 0; i < q->n; i++)
                json_u64(NULL, result.best[i] + 1u);
            json_close();
        }
        json_run(&result.run);
    } else {
        if (result.visited)
            printf("least cost of %s assignments%s: %lld\n   ", common_commas(result.visited),
                   result.run.status == COMBGPU_STOPPED ? " so far" : "",
                   (long long)result.best_value);
        for (i = 0; i < q->n && result.visited; i++)
            printf(" %d%s", result.best[i] + 1, i == q->n - 1 ? "\n" : "");
        common_print_run(stdout, &result.run);
    }
    return common_end(ctx, &result.run);
}

int main(int argc, char **argv)
{
    static instance q;
    const char *file = NULL;
    uint8_t assignment[MOST];
    uint64_t seed = 1;
    int n = 0, size = 0, bins = 0, places = 0;
    combgpu_context *ctx;

    common_start(argc, argv, help);
    while (common_next())
        if (common_is("--file"))
            file = common_text("a file");
        else if (common_is("--random"))
            n = (int)common_number(2, MOST);
        else if (common_is("--seed"))
            seed = common_number(0, UINT64_MAX);
        else if (common_is("--size"))
            size = (int)common_number(2, MOST);
        else if (common_is("--assignment"))
            places = common_numbers(assignment, MOST, MOST, "a permutation of 1 .. n");
        else if (common_is("--histogram"))
            bins = (int)common_number(1, 1000);
        else
            common_unknown();
    if (file && n) common_usage("--file and --random are both given");
    if (file)
        read_instance(&q, file);
    else if (n)
        random_instance(&q, n, seed);
    else
        nug12(&q);
    if (size > q.n) common_usage("--size is %d; the instance has %d", size, q.n);
    if (size) q.n = size;
    if (places) return print_cost(&q, assignment, places);
    if (bins && (common.run.checkpoint_path || common.run.shard_count))
        common_usage("--histogram goes without --checkpoint and --shard: it takes three runs");
    common.many_runs = bins != 0;
    ctx = common_open("qap");
    return bins ? print_histogram(ctx, &q, bins) : print_least(ctx, &q);
}
