/* Tests the legs that all shortest tours share against all tours, the k shortest tours, and lattices. */
#define COMBGPU_ONLY_TSP 1
#include "test.h"

#define MOST 40
#define N 128
static struct {
    double weights[MOST * 15 * 15], x[MOST * N], y[MOST * N];
    int cities[MOST];
    uint8_t tours[MOST * N], states[MOST], common[MOST * N], others[MOST * N];
} data;

TEST_SEARCH(tsp_common)

static combgpu_tsp_batch_desc description(int n, int count)
{
    combgpu_tsp_batch_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.count = (uint64_t)count;
    desc.tours = data.tours;
    desc.states = data.states;
    return desc;
}

static combgpu_tsp_common_desc asked(const combgpu_tsp_batch_desc *batch)
{
    combgpu_tsp_common_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.batch = batch;
    desc.common = data.common;
    return desc;
}

static void scatter(int n, int count, int side, combgpu_tsp_batch_desc *desc)
{
    int i;
    for (i = 0; i < n * count; i++) {
        data.x[i] = random_below(side);
        data.y[i] = random_below(side);
    }
    desc->x = data.x;
    desc->y = data.y;
    desc->metric = COMBGPU_TSP_EUC_2D;
}

/* Kinds of instances: matrices with many ties or few, symmetric or not; points of a small grid, which
   often coincide, with rounded or exact distances. */
static void fill(int n, int count, int kind, combgpu_tsp_batch_desc *desc)
{
    int symmetric = random_below(2), k, a, b;
    if (kind >= 4) {
        scatter(n, count, kind == 6 ? 50 : 3 + n / 3, desc);
        desc->metric = kind == 4 ? COMBGPU_TSP_EUC_2D : COMBGPU_TSP_PLANE;
        return;
    }
    for (a = 0; a < count * n * n; a++)
        data.weights[a] = kind == 3 && random_below(3) == 0 ? COMBGPU_TSP_NO_CONNECTION
                                                            : random_below(kind ? 8 * kind : 3);
    for (k = 0; symmetric && k < count; k++)
        for (a = 0; a < n; a++)
            for (b = 0; b < a; b++)
                data.weights[(k * n + a) * n + b] = data.weights[(k * n + b) * n + a];
    desc->weights = data.weights;
}

static void choose(int n, combgpu_tsp_batch_desc *desc)
{
    int k, start, end;
    for (k = 0; k < MOST; k++)
        data.cities[k] = 1 + random_below(n);
    if (random_below(3) == 0) desc->cities = data.cities;
    if (!random_below(2)) return;
    desc->shape = COMBGPU_TSP_PATH;
    start = random_below(2) ? 0 : -1;
    end = random_below(2) && !desc->cities ? n - 1 : -1;
    TEST_SET_ENDS(*desc, start, end);
}

/* ---- all shortest tours of an instance */

typedef struct all_tours {
    int n, legs, symmetric;
    const combgpu_tsp_batch_desc *desc;
    double weights[15 * 15], least;
    const uint8_t *tour;
    uint8_t common[15];
    int count;
} all_tours;

static void count_tour(all_tours *all, const uint8_t *tour)
{
    int after[15], i;
    for (i = 0; i < all->n; i++)
        after[i] = -1;
    for (i = 0; i < all->legs; i++)
        after[tour[i]] = tour[(i + 1) % all->n];
    for (i = 0; i < all->legs; i++) {
        int from = all->tour[i], to = all->tour[(i + 1) % all->n];
        all->common[i] &= after[from] == to || (all->symmetric && after[to] == from);
    }
    all->count++;
}

static void extend(all_tours *all, uint8_t *tour, int at, unsigned used, double length)
{
    int n = all->n, i;
    if (length > all->least * (1 + 1e-12)) return;
    if (at == n) {
        if (all->legs == n) length += all->weights[tour[n - 1] * n + tour[0]];
        if (!TEST_HAS_ENDS(*all->desc, tour, n) || length > all->least * (1 + 1e-12)) return;
        count_tour(all, tour);
        return;
    }
    for (i = 0; i < n; i++) {
        if (used >> i & 1 || (at == 0 && i && all->legs == n)) continue;
        tour[at] = (uint8_t)i;
        extend(all, tour, at + 1, used | 1u << i,
               length + (at ? all->weights[tour[at - 1] * n + i] : 0));
    }
}

/* Poses instance k; returns 0 if it is not proven. */
static int pose(combgpu_context *ctx, const combgpu_tsp_batch_desc *desc, int k, all_tours *all)
{
    combgpu_tsp_instance instance;
    int n = desc->cities ? desc->cities[k] : desc->n, i, j;
    memset(all, 0, sizeof *all);
    all->desc = desc;
    all->n = n;
    all->legs = n - (n == 1 || desc->shape == COMBGPU_TSP_PATH);
    all->tour = desc->tours + k * desc->n;
    all->symmetric = 1;
    memset(all->common, COMBGPU_TSP_LEG_COMMON, sizeof all->common);
    if (desc->states[k] != COMBGPU_TSP_PROVEN) return 0;
    if (desc->x)
        combgpu_tsp_from_coordinates(ctx, n, desc->x + k * desc->n, desc->y + k * desc->n,
                                     desc->metric, &instance);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            all->weights[i * n + j] = desc->x ? instance.weights[i * n + j]
                                              : desc->weights[(k * desc->n + i) * desc->n + j];
    if (desc->x) combgpu_tsp_free(ctx, &instance);
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            all->symmetric &= all->weights[i * n + j] == all->weights[j * n + i];
    for (i = 0; i < all->legs; i++)
        all->least += all->weights[all->tour[i] * n + all->tour[(i + 1) % n]];
    return 1;
}

/* Nonzero unless entries of instance k are as in `all`, or unknown and it is not proven. */
static int differs(const all_tours *all, int k, int proven)
{
    int i, wrong = 0;
    for (i = 0; i < all->desc->n; i++)
        wrong |= data.common[k * all->desc->n + i] != (i >= all->legs ? (int)COMBGPU_TSP_LEG_COMMON
                                                       : proven       ? (int)all->common[i]
                                                                : (int)COMBGPU_TSP_LEG_UNKNOWN);
    return wrong;
}

static void test_all_tours(combgpu_context *ctx, int rounds)
{
    int round, k, wrong = 0, failed = 0, unique = 0, said = 0;
    uint8_t tours[15];
    for (round = 0; round < rounds; round++) {
        int n = 1 + random_below(8);
        combgpu_tsp_batch_desc batch = description(n, MOST);
        combgpu_tsp_common_desc desc = asked(&batch);
        combgpu_tsp_common_result result;
        all_tours all;
        fill(n, MOST, round % 7, &batch);
        choose(n, &batch);
        failed += combgpu_tsp_batch(ctx, &batch, NULL) || combgpu_tsp_common(ctx, &desc, &result);
        said += (int)result.unique;
        for (k = 0; k < MOST; k++) {
            int proven = pose(ctx, &batch, k, &all), i, alone = proven;
            if (proven) extend(&all, tours, 0, 0, 0);
            for (i = 0; i < all.legs; i++)
                alone &= all.common[i];
            unique += alone;
            wrong += differs(&all, k, proven);
        }
    }
    ok(!failed && !wrong && unique == said,
       "the legs that all shortest tours of %d instances of 1 to 8 cities share; %d have one tour",
       rounds * MOST, unique);
}

/* ---- the k shortest tours */

static void test_shortest(combgpu_context *ctx, int rounds)
{
    static uint8_t list[2000 * 15];
    int round, i, k, wrong = 0, failed = 0, checked = 0;
    for (round = 0; round < rounds; round++) {
        int n = 9 + random_below(5);
        combgpu_tsp_batch_desc batch = description(n, 3);
        combgpu_tsp_common_desc desc = asked(&batch);
        all_tours all;
        fill(n, 3, round % 7, &batch);
        choose(n, &batch);
        failed += combgpu_tsp_batch(ctx, &batch, NULL) || combgpu_tsp_common(ctx, &desc, NULL);
        for (k = 0; k < 3; k++) {
            combgpu_tsp_tours_desc tours;
            combgpu_tsp_tours_result shortest;
            combgpu_tsp_instance instance;
            if (!pose(ctx, &batch, k, &all) || all.n < 3) continue;
            failed += combgpu_tsp_from_matrix(ctx, all.n, all.weights, &instance) != COMBGPU_OK;
            memset(&tours, 0, sizeof tours);
            tours.instance = &instance;
            tours.shape = batch.shape;
            tours.path_ends = batch.path_ends;
            tours.path_start = batch.path_start;
            tours.path_end = batch.path_end;
            tours.count = 2000;
            tours.tours = list;
            failed += combgpu_tsp_tours(ctx, &tours, &shortest) != COMBGPU_OK;
            combgpu_tsp_free(ctx, &instance);
            if (shortest.optima > 2000 || batch.metric == COMBGPU_TSP_PLANE) continue;
            for (i = 0; i < (int)shortest.optima; i++)
                count_tour(&all, list + i * all.n);
            wrong += differs(&all, k, 1);
            checked++;
        }
    }
    ok(!failed && !wrong && checked > rounds, "of %d instances of 9 to 13 cities, all tours listed",
       checked);
}

/* ---- more cities */

/* A shortest tour of a lattice has legs of length 1 alone: so all of them have the corners' two legs, and
   every other leg has an alternative. */
static void test_lattice(combgpu_context *ctx, int width, int height)
{
    int n = width * height, common = 0, wrong = 0, i;
    combgpu_tsp_batch_desc batch = description(n, 1);
    combgpu_tsp_common_desc desc = asked(&batch);
    combgpu_tsp_common_result result;
    combgpu_status status;
    for (i = 0; i < n; i++) {
        data.x[i] = i % width;
        data.y[i] = i / width; /* NOLINT: whole */
    }
    batch.x = data.x;
    batch.y = data.y;
    batch.metric = COMBGPU_TSP_MAN_2D;
    status = combgpu_tsp_batch(ctx, &batch, NULL);
    if (!status) status = combgpu_tsp_common(ctx, &desc, &result);
    for (i = 0; i < n; i++) {
        int from = data.tours[i], to = data.tours[(i + 1) % n], k, corner = 0;
        for (k = 0; k < 4; k++) {
            int at = k % 2 * (width - 1) + k / 2 * (height - 1) * width;
            corner |= from == at || to == at;
        }
        common += data.common[i] == COMBGPU_TSP_LEG_COMMON;
        wrong += data.common[i] != (corner ? COMBGPU_TSP_LEG_COMMON : COMBGPU_TSP_LEG_OTHER);
    }
    ok(!status && result.known == 1 && !result.unique && common == 8 && !wrong,
       "of %d x %d points only the corners' legs are common", width, height);
}

/* Where ascent leaves a gap that no tree closes. */
static void test_towns(combgpu_context *ctx)
{
    combgpu_tsp_batch_desc batch = description(40, 4);
    combgpu_tsp_common_desc desc = asked(&batch);
    combgpu_tsp_common_result result;
    int i;
    for (i = 0; i < 160; i++) {
        data.x[i] = 10 + i % 2 + random_below(1000) / 1000.0 * 1e-5;
        data.y[i] = 20 + random_below(1000) / 1000.0 * 1e-5;
    }
    batch.x = data.x;
    batch.y = data.y;
    batch.metric = COMBGPU_TSP_EARTH;
    equal_status(ctx, combgpu_tsp_batch(ctx, &batch, NULL), COMBGPU_OK, "two towns");
    equal_status(ctx, combgpu_tsp_common(ctx, &desc, &result), COMBGPU_OK, "their legs");
    ok(result.known == 4, "in two towns, %d of 4 tours are the only ones", (int)result.unique);
}

/* Threads, slices and pieces do not matter. */
static void test_alike(combgpu_context *ctx, combgpu_context *one, int n, int count)
{
    combgpu_tsp_batch_desc batch = description(n, count);
    combgpu_tsp_common_desc desc = asked(&batch);
    combgpu_tsp_common_result whole, result;
    test_search search = tsp_common_search(&desc, &result, 50);
    int pieces, i, unknown = 0;
    scatter(n, count, 60, &batch);
    combgpu_tsp_batch(ctx, &batch, NULL);
    equal_status(ctx, combgpu_tsp_common(one, &desc, &whole), COMBGPU_OK, "%d x %d cities", count,
                 n);
    ok(whole.known == (uint64_t)count && whole.unique && whole.unique < whole.known,
       "%d have one tour", (int)whole.unique);
    memcpy(data.others, data.common, sizeof data.others);
    memset(data.common, 7, sizeof data.common);
    ok(!combgpu_tsp_common(ctx, &desc, &result) && equal_runs(&result.run, &whole.run) &&
           result.unique == whole.unique && !memcmp(data.common, data.others, (size_t)(count * n)),
       "with several threads the same");
    memset(data.common, 7, sizeof data.common);
    search.one = ctx;
    search.other = one;
    search.workers = 1;
    search.most = 20;
    pieces = test_pieces(&search);
    ok(pieces > 1 && equal_runs(&result.run, &whole.run) && result.unique == whole.unique &&
           !memcmp(data.common, data.others, (size_t)(count * n)),
       "stopped and resumed %d times, the same", pieces - 1);
    batch.instance_steps = 1;
    data.states[count - 1] = COMBGPU_TSP_BOUNDED;
    ok(!combgpu_tsp_common(ctx, &desc, &result) && result.known < (uint64_t)count &&
           result.unique <= result.known,
       "a limit of steps leaves legs unknown");
    for (i = 0; i < count * n; i++) {
        unknown += data.common[i] == COMBGPU_TSP_LEG_UNKNOWN;
        pieces = data.common[i] == data.others[i] || data.common[i] == COMBGPU_TSP_LEG_UNKNOWN;
        if (!pieces) break;
    }
    ok(i == count * n && unknown > n && data.common[(count - 1) * n] == COMBGPU_TSP_LEG_UNKNOWN,
       "the others are right");
}

/* ---- arguments */

#define REFUSED(desc, part) INVALID(combgpu_tsp_common(ctx, desc, NULL), part)

static void test_arguments(combgpu_context *ctx)
{
    combgpu_tsp_batch_desc batch = description(20, 4);
    combgpu_tsp_common_desc desc = asked(&batch);
    uint8_t first;
    scatter(20, 4, 1000, &batch);
    ok(!combgpu_tsp_batch(ctx, &batch, NULL), "a batch");
    desc.batch = NULL;
    REFUSED(&desc, "desc.batch is NULL");
    desc.batch = &batch;
    batch.tours = NULL;
    REFUSED(&desc, "desc.batch->tours is NULL");
    batch.tours = data.tours;
    first = data.tours[40];
    data.tours[40] = data.tours[41];
    REFUSED(&desc, "that of instance 2 (counted from 0) is not a tour of its cities");
    data.tours[41] = first; /* two cities in each other's places */
    REFUSED(&desc, "the tour of instance 2 (counted from 0) is not a shortest one");
    data.states[2] = COMBGPU_TSP_BOUNDED;
    desc.common = NULL;
    ok(!combgpu_tsp_common(ctx, &desc, NULL), "nothing wanted");
    batch.n = 0;
    REFUSED(&desc, "desc.n is 0");
}

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_tsp_common_result result;
    return combgpu_tsp_common(ctx, (const combgpu_tsp_common_desc *)user, &result);
}

static void test_allocation_failures(combgpu_context *cpu)
{
    combgpu_context_desc context = test_context(1);
    combgpu_tsp_batch_desc batch = description(16, 3);
    combgpu_tsp_common_desc desc = asked(&batch);
    scatter(16, 3, 20, &batch);
    combgpu_tsp_batch(cpu, &batch, NULL);
    ok(test_out_of_memory(&context, 1, allocating, &desc) > 6,
       "allocation failures leak nothing, and the context lives on");
}

int main(void)
{
    combgpu_context *cpu, *one;
    combgpu_context_desc single = test_context(1);
    int small = test_small();
    if (!test_open(0, &cpu)) return tap_end();
    if (combgpu_open(&one, &single)) return tap_end();
    test_arguments(cpu);
    test_allocation_failures(cpu);
    test_all_tours(cpu, small ? 14 : 84);
    test_shortest(cpu, small ? 7 : 21);
    test_lattice(cpu, 6, 4);
    if (!small) test_lattice(cpu, 12, 10);
    test_towns(cpu);
    test_alike(cpu, one, 30, small ? 8 : 24);
    combgpu_close(one);
    combgpu_close(cpu);
    return tap_end();
}
