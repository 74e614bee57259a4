/* The library behind functions of plain numbers and arrays, which oracle.py calls through ctypes: no
   struct is described twice. */
#define COMBGPU_IMPLEMENTATION
#include "../../combgpu.h"

#include <string.h>

#ifdef __cplusplus
extern "C" { /* Python asks for the plain names */
#endif

static combgpu_context *ctx;
static combgpu_run_desc run; /* of the next searches */

int oracle_open(int backend, int threads);
int oracle_open(int backend, int threads)
{
    combgpu_context_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = (combgpu_backend)backend;
    desc.threads = threads;
    combgpu_close(ctx);
    return combgpu_open(&ctx, &desc);
}

const char *oracle_message(void);
const char *oracle_message(void)
{
    return combgpu_message(ctx);
}

void oracle_run(int shard_index, int shard_count, double verify_share);
void oracle_run(int shard_index, int shard_count, double verify_share)
{
    run.shard_index = shard_index;
    run.shard_count = shard_count;
    run.verify = verify_share > 0;
    run.verify_share = verify_share;
    run.slice_ms = 20;
}

/* ---- what callbacks receive, kept one after the other */

typedef struct kept {
    unsigned char *bytes;
    size_t room, used, times;
} kept;

static int keep(kept *k, const void *bytes, size_t size)
{
    if (k->used + size <= k->room) memcpy(k->bytes + k->used, bytes, size);
    k->used += size;
    k->times++;
    return 0;
}

static int keep_square(const int *square, int order, void *user)
{
    return keep((kept *)user, square, (size_t)(order * order) * sizeof *square);
}

static int keep_board(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    (void)symmetry;
    return keep((kept *)user, rows, (size_t)n * sizeof *rows);
}

/* ---- searches; squares or boards NULL = count only */

/* counts: count, up_to_d4, squares handed out */
int oracle_magic(int order, int kind, const int *givens, const int *numbers, int frenicle,
                 int *squares, size_t room, uint64_t *counts);
int oracle_magic(int order, int kind, const int *givens, const int *numbers, int frenicle,
                 int *squares, size_t room, uint64_t *counts)
{
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    kept k = {(unsigned char *)squares, room, 0, 0};
    int status;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.order = order;
    desc.kind = (combgpu_magic_kind)kind;
    desc.givens = givens;
    desc.numbers = numbers;
    desc.frenicle = frenicle;
    desc.run = run;
    if (squares) desc.solution = keep_square;
    desc.solution_user = &k;
    status = combgpu_magic(ctx, &desc, &result);
    counts[0] = result.count;
    counts[1] = result.up_to_d4;
    counts[2] = k.times;
    return status;
}

/* counts: all, up_to_symmetry, boards handed out, then the classes */
int oracle_no3(int n, int symmetry, int every, const uint64_t *on, const uint64_t *off,
               uint64_t seed, uint64_t *boards, size_t room, uint64_t *counts);
int oracle_no3(int n, int symmetry, int every, const uint64_t *on, const uint64_t *off,
               uint64_t seed, uint64_t *boards, size_t room, uint64_t *counts)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    kept k = {(unsigned char *)boards, room, 0, 0};
    int status, i;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.n = n;
    desc.symmetry = (combgpu_no3_class)symmetry;
    desc.every_orientation = every;
    desc.on = on;
    desc.off = off;
    desc.seed = seed;
    desc.run = run;
    if (boards) desc.solution = keep_board;
    desc.solution_user = &k;
    status = combgpu_no3(ctx, &desc, &result);
    counts[0] = result.all;
    counts[1] = result.up_to_symmetry;
    counts[2] = k.times;
    for (i = 0; i < COMBGPU_NO3_CLASS_COUNT; i++)
        counts[3 + i] = result.classes[i];
    return status;
}

/* weights, or, if it is NULL, x and y with a metric; start and end: a city from 1, 0 = free */
int oracle_tsp(int n, const double *weights, const double *x, const double *y, int metric,
               int method, int shape, int start, int end, double *length, int *tour,
               uint64_t *tours);
int oracle_tsp(int n, const double *weights, const double *x, const double *y, int metric,
               int method, int shape, int start, int end, double *length, int *tour,
               uint64_t *tours)
{
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    int status, i;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    status =
        weights ? combgpu_tsp_from_matrix(ctx, n, weights, &instance)
                : combgpu_tsp_from_coordinates(ctx, n, x, y, (combgpu_tsp_metric)metric, &instance);
    if (status) return status;
    desc.instance = &instance;
    desc.method = (combgpu_tsp_method)method;
    desc.shape = (combgpu_tsp_shape)shape;
    desc.path_ends = (combgpu_tsp_ends)((start > 0) + 2 * (end > 0));
    desc.path_start = start ? start - 1 : 0;
    desc.path_end = end ? end - 1 : 0;
    desc.run = run;
    status = combgpu_tsp(ctx, &desc, &result);
    *length = result.length;
    *tours = result.tours;
    for (i = 0; i < n; i++)
        tour[i] = result.tour[i];
    combgpu_tsp_free(ctx, &instance);
    return status;
}

/* ---- side conditions: an instance, then pairs of precedence and fixed edges */

static combgpu_tsp_instance held; /* what the next calls search; oracle_release frees it */

int oracle_instance(int n, const double *weights, int befores, const int *before, int edges,
                    const int *fixed);
int oracle_instance(int n, const double *weights, int befores, const int *before, int edges,
                    const int *fixed)
{
    int status = combgpu_tsp_from_matrix(ctx, n, weights, &held);
    if (!status) status = combgpu_tsp_set_before(ctx, &held, befores, before);
    if (!status) status = combgpu_tsp_set_fixed(ctx, &held, edges, fixed);
    return status;
}

void oracle_release(void);
void oracle_release(void)
{
    combgpu_tsp_free(ctx, &held);
}

/* out: length, lower bound, optimal, feasible, tolerance */
int oracle_held(int method, int shape, int start, int end, double *out, int *tour);
int oracle_held(int method, int shape, int start, int end, double *out, int *tour)
{
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    int status;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.instance = &held;
    desc.method = (combgpu_tsp_method)method;
    desc.shape = (combgpu_tsp_shape)shape;
    desc.path_ends = (combgpu_tsp_ends)((start > 0) + 2 * (end > 0));
    desc.path_start = start ? start - 1 : 0;
    desc.path_end = end ? end - 1 : 0;
    desc.tour = tour;
    desc.run = run;
    status = combgpu_tsp(ctx, &desc, &result);
    out[0] = result.length;
    out[1] = result.lower_bound;
    out[2] = result.optimal;
    out[3] = result.feasible;
    out[4] = result.tolerance;
    return status;
}

/* counts: shortest tours, tours listed */
int oracle_tours(int count, int shape, int start, int end, double *length, uint64_t *counts,
                 double *lengths, uint8_t *tours);
int oracle_tours(int count, int shape, int start, int end, double *length, uint64_t *counts,
                 double *lengths, uint8_t *tours)
{
    combgpu_tsp_tours_desc desc;
    combgpu_tsp_tours_result result;
    int status;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.instance = &held;
    desc.shape = (combgpu_tsp_shape)shape;
    desc.path_ends = (combgpu_tsp_ends)((start > 0) + 2 * (end > 0));
    desc.path_start = start ? start - 1 : 0;
    desc.path_end = end ? end - 1 : 0;
    desc.count = count;
    desc.lengths = lengths;
    desc.tours = tours;
    desc.run = run;
    status = combgpu_tsp_tours(ctx, &desc, &result);
    *length = result.length;
    counts[0] = result.optima;
    counts[1] = (uint64_t)result.count;
    return status;
}

/* times: n ready, n due, n service. out: feasible, length, end, then the starts */
int oracle_windows(const double *times, int earliest, int shape, int start, int end, double *out,
                   int *tour);
int oracle_windows(const double *times, int earliest, int shape, int start, int end, double *out,
                   int *tour)
{
    combgpu_tsp_windows_desc desc;
    combgpu_tsp_windows_result result;
    int status, i;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.instance = &held;
    desc.shape = (combgpu_tsp_shape)shape;
    desc.path_ends = (combgpu_tsp_ends)((start > 0) + 2 * (end > 0));
    desc.path_start = start ? start - 1 : 0;
    desc.path_end = end ? end - 1 : 0;
    desc.ready = times;
    desc.due = times + held.n;
    desc.service = times + 2 * held.n;
    desc.earliest_end = earliest;
    desc.run = run;
    desc.run.verify = 0;
    status = combgpu_tsp_windows(ctx, &desc, &result);
    out[0] = result.feasible;
    out[1] = result.length;
    out[2] = result.end;
    for (i = 0; i < held.n; i++) {
        out[3 + i] = result.start[i];
        tour[i] = result.tour[i];
    }
    return status;
}

/* steps: of an instance, at most; 0 = no limit */
int oracle_batch(uint64_t count, int n, const int *cities, const double *weights, int shape,
                 int start, int end, uint64_t steps, double *lengths, double *bounds,
                 uint8_t *states, uint8_t *tours);
int oracle_batch(uint64_t count, int n, const int *cities, const double *weights, int shape,
                 int start, int end, uint64_t steps, double *lengths, double *bounds,
                 uint8_t *states, uint8_t *tours)
{
    combgpu_tsp_batch_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.count = count;
    desc.n = n;
    desc.cities = cities;
    desc.weights = weights;
    desc.shape = (combgpu_tsp_shape)shape;
    desc.path_ends = (combgpu_tsp_ends)((start > 0) + 2 * (end > 0));
    desc.path_start = start ? start - 1 : 0;
    desc.path_end = end ? end - 1 : 0;
    desc.instance_steps = steps;
    desc.lengths = lengths;
    desc.lower_bounds = bounds;
    desc.states = states;
    desc.tours = tours;
    desc.run = run;
    return combgpu_tsp_batch(ctx, &desc, NULL);
}

/* ---- permutations */

static combgpu_perm_set set_of(int family, int n, int k, const uint8_t *repeats)
{
    combgpu_perm_set set;
    memset(&set, 0, sizeof set);
    set.family = (combgpu_perm_family)family;
    set.n = n;
    set.k = k;
    set.repeats = repeats;
    return set;
}

/* data: a factor for each place, and a divisor at place 64 */
COMBGPU_PERM_VISITOR(oracle_value, {
    int64_t sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum += combgpu_data_i32(data, i) * perm[i];
    return sum % combgpu_data_i32(data, 64) + combgpu_data_i32(data, 65);
})

/* out: count, length of the set; then visited, hits, best value, best rank, sum, outside */
int oracle_perm(int family, int n, int k, const uint8_t *repeats, uint64_t first, uint64_t count,
                int goal, const int32_t *data, uint8_t *written, size_t bytes, uint64_t *histogram,
                int bins, uint64_t *out);
int oracle_perm(int family, int n, int k, const uint8_t *repeats, uint64_t first, uint64_t count,
                int goal, const int32_t *data, uint8_t *written, size_t bytes, uint64_t *histogram,
                int bins, uint64_t *out)
{
    combgpu_perm_set set = set_of(family, n, k, repeats);
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    int status, length;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    status = combgpu_perm_set_count(ctx, &set, &out[0], &length);
    if (status) return status;
    out[1] = (uint64_t)length;
    desc.set = &set;
    desc.first = first;
    desc.count = count;
    desc.goal = (combgpu_perm_goal)goal;
    desc.run = run;
    if (goal) {
        desc.visitor = &oracle_value;
        desc.data = data;
        desc.data_bytes = 66 * sizeof *data;
    } else {
        desc.out = written;
        desc.out_bytes = bytes;
    }
    if (goal == COMBGPU_PERM_HISTOGRAM) {
        desc.bins = bins;
        desc.histogram = histogram;
    }
    status = combgpu_perm(ctx, &desc, &result);
    out[2] = result.visited;
    out[3] = result.hits;
    out[4] = (uint64_t)result.best_value;
    out[5] = result.best_rank;
    out[6] = result.sum.lo;
    out[7] = result.outside;
    return status;
}

/* The member of a rank; then `again` gets the rank of that member. Where 64 bits are enough, the
   forms of 64 bits must agree. */
int oracle_unrank(int family, int n, int k, const uint8_t *repeats, const combgpu_u128 *rank,
                  uint8_t *perm, combgpu_u128 *again, combgpu_u128 *count);
int oracle_unrank(int family, int n, int k, const uint8_t *repeats, const combgpu_u128 *rank,
                  uint8_t *perm, combgpu_u128 *again, combgpu_u128 *count)
{
    combgpu_perm_set set = set_of(family, n, k, repeats);
    uint8_t other[64];
    uint64_t small_count, back = 0;
    int length, status = combgpu_perm_set_count128(ctx, &set, count, &length);
    if (!status) status = combgpu_perm_set_unrank128(ctx, &set, *rank, perm);
    if (!status) status = combgpu_perm_set_rank128(ctx, &set, perm, again);
    if (status || count->hi) return status;
    status = combgpu_perm_set_count(ctx, &set, &small_count, NULL);
    if (!status) status = combgpu_perm_set_unrank(ctx, &set, rank->lo, other);
    if (!status) status = combgpu_perm_set_rank(ctx, &set, other, &back);
    if (status) return status;
    return small_count == count->lo && back == rank->lo && !memcmp(other, perm, (size_t)length)
               ? 0
               : 99;
}

#ifdef __cplusplus
}
#endif
