/* The travelling salesman with time windows: against all orders of the cities. */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU_ONLY_TSP 1
#include "test.h"

#define MOST 7 /* cities of the oracle */

/* Follows a tour. Returns 0 if it is late somewhere, or does not keep precedence or ends. */
static int follow(const combgpu_tsp_windows_desc *desc, const int *tour, double *length,
                  double *end, double *start)
{
    const combgpu_tsp_instance *instance = desc->instance;
    int n = instance->n, cycle = desc->shape == COMBGPU_TSP_CYCLE, i, k;
    double time = 0;
    *length = 0;
    if (cycle && tour[0]) return 0;
    if (!TEST_HAS_ENDS(*desc, tour, n)) return 0;
    for (i = 0; i < n; i++) {
        int city = tour[i];
        for (k = 0; k < instance->before_count; k++) {
            int j = 0;
            if (instance->before[2 * k + 1] != city) continue;
            while (j < i && tour[j] != instance->before[2 * k])
                j++;
            if (j == i) return 0;
        }
        if (i) {
            double leg = instance->weights[tour[i - 1] * n + city];
            *length += leg;
            time += leg;
        }
        if (desc->ready && time < desc->ready[city]) time = desc->ready[city];
        if (desc->due && time > desc->due[city]) return 0;
        start[i] = time;
        if (desc->service) time += desc->service[city];
    }
    if (cycle && n > 1) {
        *length += instance->weights[tour[n - 1] * n];
        time += instance->weights[tour[n - 1] * n];
        if (desc->due && time > desc->due[0]) return 0;
    }
    *end = time;
    return 1;
}

static double best_length, best_end;
static int found;

static void try_orders(const combgpu_tsp_windows_desc *desc, int *tour, int place)
{
    int n = desc->instance->n, i;
    double length, end, start[MOST];
    if (place == n) {
        if (!follow(desc, tour, &length, &end, start)) return;
        if (!found || (desc->earliest_end
                           ? end < best_end || (end == best_end && length < best_length)
                           : length < best_length || (length == best_length && end < best_end))) {
            best_length = length;
            best_end = end;
        }
        found = 1;
        return;
    }
    for (i = place; i < n; i++) {
        int swap = tour[place];
        tour[place] = tour[i];
        tour[i] = swap;
        try_orders(desc, tour, place + 1);
        tour[i] = tour[place];
        tour[place] = swap;
    }
}

static void oracle(const combgpu_tsp_windows_desc *desc)
{
    int tour[MOST], i;
    for (i = 0; i < MOST; i++)
        tour[i] = i;
    found = 0;
    try_orders(desc, tour, 0);
}

typedef struct problem {
    combgpu_tsp_instance instance;
    combgpu_tsp_windows_desc desc;
    double weights[MOST * MOST], ready[MOST], due[MOST], service[MOST];
    int pairs[6];
} problem;

/* Weights and times in quarters; the windows are about a random time, narrow or wide. */
static void random_problem(problem *p)
{
    int n = 1 + random_below(MOST), wide = 5 + random_below(60), i, a, b;
    memset(p, 0, sizeof *p);
    for (i = 0; i < n * n; i++)
        p->weights[i] = 1 + random_below(200) / 4.0;
    for (i = 0; i < n; i++) {
        double middle = random_below(800) / 4.0;
        p->ready[i] = middle > wide ? middle - wide : 0;
        p->due[i] = random_below(8) ? middle + wide : HUGE_VAL;
        p->service[i] = random_below(40) / 4.0;
    }
    p->ready[0] = 0;
    p->due[0] += 200;
    p->instance.n = n;
    p->instance.weights = p->weights;
    p->instance.before = p->pairs;
    p->desc.instance = &p->instance;
    p->desc.shape = random_below(2) ? COMBGPU_TSP_PATH : COMBGPU_TSP_CYCLE;
    if (p->desc.shape == COMBGPU_TSP_PATH) {
        int start = random_below(2) ? random_below(n) : -1;
        int end = random_below(2) ? random_below(n) : -1;
        if (start == end) end = -1;
        TEST_SET_ENDS(p->desc, start, end);
    }
    for (i = 0; i < 3 && random_below(3) == 0; i++) {
        a = random_below(n);
        b = random_below(n);
        if (a >= b || TEST_START(p->desc) == b || TEST_END(p->desc) == a) continue;
        p->pairs[2 * p->instance.before_count] = a;
        p->pairs[2 * p->instance.before_count++ + 1] = b;
    }
    if (random_below(8)) p->desc.ready = p->ready;
    if (random_below(8)) p->desc.due = p->due;
    if (random_below(3)) p->desc.service = p->service;
    p->desc.earliest_end = random_below(2);
}

static int is_answer(const combgpu_tsp_windows_desc *desc, const combgpu_tsp_windows_result *result)
{
    double length, end, start[MOST];
    int i;
    if (result->feasible != found) return 0;
    if (!found) return 1;
    if (!follow(desc, result->tour, &length, &end, start) || length != result->length ||
        end != result->end)
        return 0;
    for (i = 0; i < result->n; i++)
        if (start[i] != result->start[i]) return 0;
    return desc->earliest_end ? end == best_end : length == best_length && end == best_end;
}

static void random_instances(void)
{
    int times = test_small() ? 40 : 400, wrong = 0, none = 0, k;
    for (k = 0; k < times; k++) {
        problem p;
        combgpu_tsp_windows_result result;
        combgpu_status status;
        random_problem(&p);
        oracle(&p.desc);
        none += !found;
        status = combgpu_tsp_windows(random_place(), &p.desc, &result);
        if (status || !is_answer(&p.desc, &result)) {
            wrong++;
            printf(
                "# n %d shape %d ends %d %d: status %d, feasible %d (%d), %g (%g), end %g (%g)\n",
                p.instance.n, (int)p.desc.shape, TEST_START(p.desc), TEST_END(p.desc), (int)status,
                result.feasible, found, result.length, best_length, result.end, best_end);
        }
    }
    ok(!wrong, "%d random instances, %d of them without a tour: the oracle's answer", times, none);
    ok(none > times / 20 && none < times * 9 / 10, "some have a tour, some have none");
}

/* ---- larger: against branch and bound where the windows do not bind */

static void without_windows(void)
{
    double weights[15 * 15], ready[15] = {0}, due[15];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc like;
    combgpu_tsp_windows_desc desc;
    combgpu_tsp_result want;
    combgpu_tsp_windows_result result;
    int n = test_small() ? 9 : 15, i;
    for (i = 0; i < n * n; i++)
        weights[i] = random_below(1000);
    for (i = 0; i < n; i++)
        due[i] = 1e6;
    memset(&instance, 0, sizeof instance);
    memset(&like, 0, sizeof like);
    memset(&desc, 0, sizeof desc);
    instance.n = n;
    instance.weights = weights;
    like.instance = desc.instance = &instance;
    desc.ready = ready;
    desc.due = due;
    equal_status(CPU, combgpu_tsp(CPU, &like, &want), COMBGPU_OK, "without windows");
    for (i = 0; i < 2; i++) {
        desc.earliest_end = i;
        equal_status(CPU, combgpu_tsp_windows(random_place(), &desc, &result), COMBGPU_OK,
                     "%d cities, wide windows", n);
        ok(result.feasible && result.length == want.length && result.end == want.length,
           "the shortest tour");
    }
}

/* ---- errors */

static void refused(combgpu_tsp_windows_desc *desc, combgpu_status want, const char *says)
{
    combgpu_tsp_windows_result result;
    combgpu_status status = combgpu_tsp_windows(CPU, desc, &result);
    if (!ok(status == want && strstr(combgpu_message(CPU), says), "refused: %s", says))
        printf("# status %d: %s\n", (int)status, combgpu_message(CPU));
}

static void refusals(void)
{
    static double weights[21 * 21], times[21];
    combgpu_tsp_instance instance;
    combgpu_tsp_windows_desc desc;
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.instance is NULL");
    instance.n = 21;
    instance.weights = weights;
    desc.instance = &instance;
    refused(&desc, COMBGPU_UNSUPPORTED, "desc.instance->n is 21");
    instance.n = 5;
    times[3] = -1;
    desc.ready = times;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.ready[3] is -1");
    desc.ready = NULL;
    desc.due = times;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.due[3] is -1");
    times[3] = NAN;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.due[3] is");
    times[3] = HUGE_VAL;
    desc.due = NULL;
    desc.service = times;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.service[3] is inf");
    desc.service = NULL;
    desc.run.shard_count = 2;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.run.shard_count");
    desc.run.shard_count = 0;
    open.memory_limit = 1 << 16;
    instance.n = 14;
    if (ok(combgpu_open(&ctx, &open) == COMBGPU_OK, "a context with little memory")) {
        combgpu_tsp_windows_result result;
        equal_status(ctx, combgpu_tsp_windows(ctx, &desc, &result), COMBGPU_OUT_OF_MEMORY,
                     "labels that do not fit");
        ok(strstr(combgpu_message(ctx), "memory_limit") != NULL, "and a message that says so");
        combgpu_close(ctx);
    }
}

int main(void)
{
    open_places();
    random_instances();
    without_windows();
    refusals();
    close_places();
    return tap_end();
}
