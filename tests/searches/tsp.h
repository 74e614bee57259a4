/* The travelling salesman: rows of the table of searches. */
static void tsp_says(const search_result *result, search_answer *answer)
{
    int i;
    search_says(answer, result->tsp.tours);
    answer->added = answer->count;
    search_says(answer, (uint64_t)result->tsp.length);
    for (i = 0; i < result->tsp.n && result->tsp.method != COMBGPU_TSP_BRANCH_AND_BOUND; i++)
        search_says(answer, (uint64_t)result->tsp.tour[i]);
}

static void tsp_batch_says(const search_result *result, search_answer *answer)
{
    search_says(answer, result->tsp_batch.solved);
    search_says(answer, result->tsp_batch.bounded);
    answer->added = answer->count;
}

static void tsp_common_says(const search_result *result, search_answer *answer)
{
    search_says(answer, result->tsp_common.known);
    search_says(answer, result->tsp_common.unique);
    answer->added = answer->count;
}

/* A shard may have no tour at all. */
static void tsp_tours_says(const search_result *result, search_answer *answer)
{
    const combgpu_tsp_tours_result *r = &result->tsp_tours;
    answer->added = answer->count;
    search_says(answer, r->optima ? (uint64_t)r->length : UINT64_MAX);
}

static void tsp_windows_says(const search_result *result, search_answer *answer)
{
    answer->added = answer->count;
    search_says(answer, (uint64_t)result->tsp_windows.length);
    search_says(answer, (uint64_t)result->tsp_windows.end);
}

/* One-way streets with many ties. */
static const combgpu_tsp_instance *search_cities(void)
{
    static combgpu_tsp_instance instance;
    static double weights[9 * 9];
    int i;
    for (i = 0; i < 81; i++)
        weights[i] = i * 37 % 19;
    instance.n = 9;
    instance.weights = weights;
    return &instance;
}

/* Two triangles joined by three paths of m / 3 cities: the root's bound is far below the best tour, which goes
   along one path twice. The cities from m on lie in a row between cities 3 and 0; skipping cities then costs 100
   more, or many tours were equally long. */
TEST_HELPER void search_prism(int n, int m, uint64_t seed, double *weights)
{
    int i, j, k;
    for (i = 0; i < n * n; i++)
        weights[i] = i / n == i % n ? 0 : 1e6;
    for (i = 0; i < m; i++)
        for (k = 0; k < 2; k++) {
            int ends = i < 3 || i >= m - 3, to = k ? i + 3 : i % 3 == 2 ? i - 2 : i + 1;
            if (k ? i >= m - 3 : !ends) continue;
            weights[i * n + to] = weights[to * n + i] = 100 + (double)(test_mix(seed++) % 5);
        }
    for (i = m; i < n; i++) {
        int to = i + 1 < n ? i + 1 : 0;
        weights[i * n + to] = weights[to * n + i] = 1;
    }
    if (n > m) {
        weights[3 * n + m] = weights[m * n + 3] = 100;
        weights[3] = weights[3 * n] = 1e6;
    }
    for (k = 0; k < n; k++)
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                if (weights[i * n + k] + weights[k * n + j] < weights[i * n + j])
                    weights[i * n + j] = weights[i * n + k] + weights[k * n + j];
    for (i = m; i < n; i++)
        for (j = 0; j < i; j++)
            if (i == m ? j != 3 : j != i - 1 && (i != n - 1 || j))
                weights[i * n + j] = weights[j * n + i] += 100;
}

static void tsp_brute(search_desc *desc)
{
    desc->tsp.instance = search_cities();
    desc->tsp.method = COMBGPU_TSP_BRUTE_FORCE;
}

static void tsp_table(search_desc *desc)
{
    desc->tsp.instance = search_cities();
    desc->tsp.method = COMBGPU_TSP_HELD_KARP;
}

static void tsp_bounds(search_desc *desc)
{
    desc->tsp.instance = search_cities();
    desc->tsp.method = COMBGPU_TSP_BRANCH_AND_BOUND;
}

/* The same with precedence. */
static void tsp_pairs(search_desc *desc)
{
    static int pairs[8] = {7, 2, 2, 5, 8, 4, 3, 1};
    static combgpu_tsp_instance instance;
    instance = *search_cities();
    instance.before = pairs;
    instance.before_count = 4;
    desc->tsp.instance = &instance;
}

static void tsp_heuristic(search_desc *desc)
{
    desc->tsp.instance = search_cities();
    desc->tsp.method = COMBGPU_TSP_HEURISTIC;
    desc->tsp.kicks = 500;
}

static void tsp_shortest(search_desc *desc)
{
    desc->tsp_tours.instance = search_cities();
    desc->tsp_tours.count = 50;
}

/* Paths with precedence, counted alone. */
static void tsp_shortest_paths(search_desc *desc)
{
    static int pairs[4] = {7, 2, 3, 1};
    static combgpu_tsp_instance instance;
    instance = *search_cities();
    instance.before = pairs;
    instance.before_count = 2;
    desc->tsp_tours.instance = &instance;
    desc->tsp_tours.shape = COMBGPU_TSP_PATH;
}

static void tsp_in_windows(search_desc *desc)
{
    static const double ready[9] = {0, 20, 0, 0, 5, 30, 0, 10, 0};
    static const double due[9] = {99, 60, 50, 90, 40, 70, 99, 60, 80};
    desc->tsp_windows.instance = search_cities();
    desc->tsp_windows.ready = ready;
    desc->tsp_windows.due = due;
}

static void tsp_batched(search_desc *desc)
{
    static int32_t weights[60 * 7 * 7];
    int i;
    for (i = 0; i < 60 * 49; i++)
        weights[i] = (int32_t)(test_mix((uint64_t)i) % 100);
    desc->tsp_batch.count = 60;
    desc->tsp_batch.n = 7;
    desc->tsp_batch.int_weights = weights;
}

/* By branch and bound, to a limit of steps that some come to. */
static void tsp_batched_large(search_desc *desc)
{
    enum { COUNT = 24, CITIES = 18 };
    static double x[COUNT * CITIES], y[COUNT * CITIES];
    int i;
    for (i = 0; i < COUNT * CITIES; i++) {
        x[i] = (double)(test_mix((uint64_t)i) % 100);
        y[i] = (double)(test_mix((uint64_t)i + 12345) % 100);
    }
    desc->tsp_batch.count = COUNT;
    desc->tsp_batch.n = CITIES;
    desc->tsp_batch.x = x;
    desc->tsp_batch.y = y;
    desc->tsp_batch.metric = COMBGPU_TSP_PLANE;
    desc->tsp_batch.instance_steps = 20;
}

/* Points of a parabola: the tour that visits them in order is the only shortest one. Half of the
   instances have points twice, and so other tours. */
static void tsp_in_common(search_desc *desc)
{
    enum { COUNT = 24, CITIES = 12 };
    static double x[COUNT * CITIES], y[COUNT * CITIES];
    static uint8_t tours[COUNT * CITIES];
    static combgpu_tsp_batch_desc batch;
    int i;
    for (i = 0; i < COUNT * CITIES; i++) {
        int at = i % CITIES / (i / CITIES % 2 + 1);
        x[i] = 100 * at + (double)(test_mix((uint64_t)(i / CITIES * CITIES + at)) % 50);
        y[i] = x[i] * x[i];
        tours[i] = (uint8_t)(i % CITIES);
    }
    memset(&batch, 0, sizeof batch);
    batch.count = COUNT;
    batch.n = CITIES;
    batch.x = x;
    batch.y = y;
    batch.metric = COMBGPU_TSP_PLANE;
    batch.tours = tours;
    desc->tsp_common.batch = &batch;
}

/* clang-format off */
#define TSP_ROWS                                                                                   \
    {"tsp, brute force", &tsp_kind, tsp_brute, SEARCH_ALL_OF_IT, 2000},                            \
    {"tsp, Held-Karp", &tsp_kind, tsp_table, SEARCH_STEADY, 1000},                                 \
    {"tsp, branch and bound", &tsp_kind, tsp_bounds, 0, 4},                                        \
    {"tsp with precedence", &tsp_kind, tsp_pairs, 0, 4},                                           \
    {"tsp, heuristic", &tsp_kind, tsp_heuristic, SEARCH_STEADY, 500},                              \
    {"tsp, shortest tours", &tsp_tours_kind, tsp_shortest, SEARCH_ALL_OF_IT, 400},                 \
    {"tsp, shortest paths with precedence", &tsp_tours_kind, tsp_shortest_paths, SEARCH_ALL_OF_IT, 400},\
    {"tsp, time windows", &tsp_windows_kind, tsp_in_windows, SEARCH_STEADY, 200},                  \
    {"tsp batch", &tsp_batch_kind, tsp_batched, SEARCH_ALL_OF_IT, 500},                            \
    {"tsp batch, branch and bound", &tsp_batch_kind, tsp_batched_large, SEARCH_ALL_OF_IT, 2000},\
    {"tsp, common legs", &tsp_common_kind, tsp_in_common, SEARCH_ALL_OF_IT, 200},
#define TSP_KNOWN
/* clang-format on */
