/* A function of your own on every permutation, on any backend: two puzzles.

       cc -O3 -fopenmp examples/own_kernel.c -o own_kernel
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/own_kernel.c -o own_kernel
       cc -O3 -DCOMBGPU_OPENCL examples/own_kernel.c -o own_kernel -lOpenCL

       ./own_kernel                    two numbers that add up to 933; nine workshops on a floor
       ./own_kernel --sum 1000 --json */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_PERM
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "own_kernel - a function of your own on every permutation, on any backend\n\n"
    "A radio station asked: which two three-digit numbers, six different digits in\n"
    "all, add up to 933? And where on a floor of 3 x 3 places should nine workshops\n"
    "stand?\n\n"
    "Options:\n"
    "  --sum S             another sum, 1 to 1998 (default: 933)\n";

/* ---- the radio prize: six different ones of ten digits, abc and def */

COMBGPU_PERM_VISITOR(radio_prize, {
    int left = 100 * perm[0] + 10 * perm[1] + perm[2];
    int right = 100 * perm[3] + 10 * perm[4] + perm[5];
    return left >= 100 && right > left && left + right == combgpu_data_i32(data, 0);
})

static int print_pair(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    const int sum = *(const int *)user;
    const int left = 100 * perms[0] + 10 * perms[1] + perms[2];
    (void)rank, (void)count, (void)n;
    common_clear();
    if (common.json)
        json_i64(NULL, left);
    else
        printf("    %d + %d = %d\n", left, sum - left, sum);
    return 0;
}

/* ---- quadratic assignment (T. C. Koopmans and M. Beckmann 1957): workshop i stands on place
   perm[i], and the loads carried between each two, times the way, are to be least. data: n*n loads,
   then n*n ways. */

COMBGPU_PERM_VISITOR(transport, {
    int64_t sum = 0;
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            sum += combgpu_data_i32(data, i * n + j) *
                   combgpu_data_i32(data, n * n + perm[i] * n + perm[j]);
    return sum;
})

#define SHOPS 9
static const char *const shop_names[SHOPS] = {"store",  "saw",   "lathe",    "mill",    "weld",
                                              "polish", "paint", "assembly", "dispatch"};
/* loads a day; the part below the diagonal is used */
static const int32_t loads[SHOPS][SHOPS] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0}, {9, 0, 0, 0, 0, 0, 0, 0, 0}, {4, 6, 0, 0, 0, 0, 0, 0, 0},
    {3, 5, 7, 0, 0, 0, 0, 0, 0}, {2, 4, 3, 5, 0, 0, 0, 0, 0}, {0, 0, 5, 4, 6, 0, 0, 0, 0},
    {1, 0, 0, 0, 3, 8, 0, 0, 0}, {5, 0, 2, 1, 2, 3, 7, 0, 0}, {2, 0, 0, 0, 0, 0, 1, 9, 0}};

typedef struct transport_data {
    int32_t loads[SHOPS][SHOPS], ways[SHOPS][SHOPS];
} transport_data;

/* Places row by row; ways along the aisles. */
static transport_data floor_plan(void)
{
    transport_data plan;
    int a, b;
    memcpy(plan.loads, loads, sizeof loads);
    for (a = 0; a < SHOPS; a++)
        for (b = 0; b < SHOPS; b++)
            plan.ways[a][b] = abs(a / 3 - b / 3) + abs(a % 3 - b % 3);
    return plan;
}

static void print_floor(const combgpu_perm_result *result)
{
    int place, shop;
    if (common.json) {
        json_i64("transport", result->best_value);
        json_open("places", '[');
    } else
        printf("nine workshops: %lld load-ways a day\n", (long long)result->best_value);
    for (place = 0; place < SHOPS; place++)
        for (shop = 0; shop < SHOPS; shop++)
            if (result->best[shop] != place)
                continue;
            else if (common.json)
                json_string(NULL, shop_names[shop]);
            else
                printf("    %-9s%s", shop_names[shop], place % 3 == 2 ? "\n" : "");
    if (common.json) json_close();
}

int main(int argc, char **argv)
{
    static const combgpu_perm_set six_of_ten = {COMBGPU_PERM_PARTIAL, 10, 6, NULL};
    int32_t sum = 933;
    transport_data plan = floor_plan();
    combgpu_perm_desc prize, shops;
    combgpu_perm_result result;
    combgpu_status status;
    combgpu_context *ctx;

    common_start(argc, argv, help);
    common.many_runs = 1;
    while (common_next())
        if (common_is("--sum"))
            sum = (int32_t)common_number(1, 1998);
        else
            common_unknown();
    ctx = common_open("radio prize");

    memset(&prize, 0, sizeof prize);
    prize.set = &six_of_ten;
    prize.goal = COMBGPU_PERM_COUNT;
    prize.ordered = 1; /* by the smaller number */
    prize.visitor = &radio_prize;
    prize.data = &sum;
    prize.data_bytes = sizeof sum;
    prize.solution = print_pair;
    prize.solution_user = &sum;
    prize.run = common.run;
    if (common.json) json_open("smaller_numbers", '[');
    status = combgpu_perm(ctx, &prize, &result);
    if (common.json) json_close();
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    if (common.json)
        json_u64("pairs", result.hits);
    else
        printf("%llu pairs of numbers with six different digits add up to %d\n",
               (unsigned long long)result.hits, (int)sum);
    if (status == COMBGPU_STOPPED) return common_end(ctx, &result.run);

    common.label = "workshops";
    memset(&shops, 0, sizeof shops);
    shops.n = SHOPS;
    shops.goal = COMBGPU_PERM_MINIMUM;
    shops.visitor = &transport;
    shops.data = &plan;
    shops.data_bytes = sizeof plan;
    shops.run = common.run;
    status = combgpu_perm(ctx, &shops, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    if (result.visited) print_floor(&result);
    if (common.json)
        json_run(&result.run);
    else
        common_print_run(stdout, &result.run);
    return common_end(ctx, &result.run);
}
