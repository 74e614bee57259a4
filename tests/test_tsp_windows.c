/* The travelling salesman with time windows: against all orders of the cities. */
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
        p->due[i] = random_below(8) ? middle + wide : random_below(2) ? HUGE_VAL : 1e18;
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

/* ---- numbers that stand for "no limit" and "no leg" */

static void stand_ins(void)
{
    static const double large[] = {9e15, 1e18, 1e300};
    size_t k;
    for (k = 0; k < sizeof large / sizeof large[0]; k++) {
        double none = large[k], due[4] = {60, 0, 5.25, 60};
        double weights[16] = {0, 3, none, 1.125, 3, 0, 2, none, 1, 2, 0, none, 1.125, 1, none, 0};
        combgpu_tsp_instance instance;
        combgpu_tsp_windows_desc desc;
        combgpu_tsp_windows_result result;
        memset(&instance, 0, sizeof instance);
        memset(&desc, 0, sizeof desc);
        instance.n = 4;
        instance.weights = weights;
        due[1] = none;
        desc.instance = &instance;
        desc.due = due;
        equal_status(CPU, combgpu_tsp_windows(random_place(), &desc, &result), COMBGPU_OK, "%g",
                     none);
        ok(result.feasible && result.length == 5.125 && result.tour[1] == 3 && result.end == 5.125,
           "%g for no limit and no leg: 1.125 + 1 + 2 + 1", none);
        due[0] = 5.0625;
        equal_status(CPU, combgpu_tsp_windows(random_place(), &desc, &result), COMBGPU_OK, "%g",
                     none);
        ok(!result.feasible, "too late by a sixteenth: no tour");
    }
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

/* ---- published files */

/* Reads the file and finds its best tour. */
static double best_of_file(const char *name, int earliest, combgpu_tsp_instance *instance)
{
    combgpu_tsp_windows_desc desc;
    combgpu_tsp_windows_result result;
    char path[100];
    double best = -1;
    memset(&desc, 0, sizeof desc);
    snprintf(path, sizeof path, "tests/data/tsptw/%s", name);
    if (combgpu_tsp_read(CPU, path, instance)) {
        printf("# %s\n", combgpu_message(CPU));
        return -1;
    }
    desc.instance = instance;
    desc.earliest_end = earliest;
    if (!combgpu_tsp_windows(random_place(), &desc, &result) && result.feasible)
        best = earliest ? result.end : result.length;
    return best;
}

static void published(void)
{
    FILE *list = fopen("tests/data/tsptw/OPTIMA.txt", "r");
    char line[200], name[64];
    double travel, makespan;
    int n, files = 0;
    while (list && fgets(line, sizeof line, list)) {
        combgpu_tsp_instance instance;
        double length;
        if (*line == '#' || sscanf(line, "%63s %d %lf %lf", name, &n, &travel, &makespan) != 4)
            continue;
        if (test_small() && n > 12) continue;
        files++;
        length = best_of_file(name, 0, &instance);
        ok(length == travel && instance.n == n && instance.integral, "%s: travel time %g", name,
           length);
        combgpu_tsp_free(CPU, &instance);
        if (makespan < 0) continue;
        length = best_of_file(name, 1, &instance);
        ok(length == makespan, "%s: makespan %g", name, length);
        combgpu_tsp_free(CPU, &instance);
    }
    if (list) fclose(list);
    ok(files > 0, "published files were read");
}

#define CUSTOMERS "CUST NO.   XCOORD.   YCOORD.    DEMAND   READY TIME   DUE DATE   SERVICE TIME\n"

/* The forms of a file, and what is wrong in one. */
static void forms(void)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"2\n0 1\n2 0\n0 9\n5 4\n",
         "text, line 5: the due time of city 2 is 4; it may be 5 or more"},
        {"2\n0 1\n2 0\n0 9\n", "text, line 5: the file ends before the ready time of city 2"},
        {"2\n0 1\n-2 0\n0 9\n0 9\n", "text, line 3: the weight from city 2 to 1 is -2"},
        {"2\n0 1\n2 0\n0 9\n0 9\n7\n",
         "text, line 6: \"7\" after the time windows of the 2 cities"},
        {"2\n0 1\n2 x\n", "text, line 3: the weight from city 2 to 2 is \"x\", not a number"},
        {"0\n", "text, line 1: the number of cities is 0; it may be 1 to"},
        {CUSTOMERS "1 0 0 0 0 9 0\n3 0 0 0 0 9 0\n",
         "text, line 3: customer 3 where 2 is expected"},
        {CUSTOMERS "1 0 0 0 0 9\n",
         "text, line 3: the file ends before the service time of customer 1"},
        {CUSTOMERS "1 0 0 0 0 9 -1\n", "text, line 2: the service time of customer 1 is -1"},
        {"!! none\n" CUSTOMERS "999 0 0 0 0 0 0\n",
         "text, line 3: the file ends before customer 1"},
        {CUSTOMERS "1 0 0 0 0 9 0\n2 1 0 0 0 9 0\n",
         "text, line 4: the file ends before customer 999"},
        {CUSTOMERS "1 0 0 0 0 9 0\n2 1e200 0 0 0 9 0\n999 0 0 0 0 0 0\n",
         "the distance of customers 1 and 2 is 1e+200"},
        {"TYPE : TSPTW\nDIMENSION : 1\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : "
         "FULL_MATRIX\n"
         "EDGE_WEIGHT_SECTION\n0\nEOF\n",
         "TIME_WINDOW_SECTION is missing"},
        {"TYPE : TSPTW\nDIMENSION : 2\nTIME_WINDOW_SECTION\n1 0 4\n1 0 4\n",
         "text, line 5: node 1 is given twice"},
        {"TYPE : TSPTW\nTIME_WINDOW_SECTION\n1 0 4\n",
         "text, line 2: DIMENSION must come before TIME_WINDOW_SECTION"},
        {"TYPE : TSPTW\nSERVICE_TIME : 0\nSERVICE_TIME : 10\n",
         "text, line 3: SERVICE_TIME is \"10\"; it may be 0"},
        {"TYPE : TSPTW\nSERVICE_TIME_SECTION\n1 0\n",
         "text, line 2: SERVICE_TIME_SECTION is not supported"},
        {"TYPE : TSPTW\nDEPOT_SECTION\n1\n2\n-1\n",
         "text, line 4: the depot is city 2; with time windows it must be 1"},
    };
    const char *good = "!! three    21.80 299\r\n\r\n" CUSTOMERS
                       "\n1 0 0 0 0 99.5 0\n2 1 1 5 7.5 9 2.5\n3 4 4.5 0 0 9 0\n999 0 0 0 0 0 0\n";
    combgpu_tsp_instance instance;
    size_t i;
    equal_status(CPU, combgpu_tsp_parse(CPU, good, strlen(good), &instance), COMBGPU_OK,
                 "three customers");
    ok(instance.n == 3 && !strcmp(instance.name, "three") && instance.weights[1] == 1 &&
           instance.weights[2] == 6 && instance.weights[5] == 4 && instance.ready[1] == 7.5 &&
           instance.due[0] == 99.5 && instance.service[1] == 2.5 && instance.x[2] == 4,
       "distances are truncated, times as they are written");
    combgpu_tsp_free(CPU, &instance);
    ok(!instance.ready && !instance.due && !instance.service, "freed");
    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        combgpu_status status =
            combgpu_tsp_parse(CPU, wrong[i].text, strlen(wrong[i].text), &instance);
        if (!ok((status == COMBGPU_BAD_FILE || status == COMBGPU_UNSUPPORTED) &&
                    strstr(combgpu_message(CPU), wrong[i].says),
                "refused: %s", wrong[i].says))
            printf("# status %d: %s\n", (int)status, combgpu_message(CPU));
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
    int i;
    static double weights[22 * 22], times[22];
    combgpu_tsp_instance instance;
    combgpu_tsp_windows_desc desc;
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.instance is NULL");
    instance.n = 22;
    instance.weights = weights;
    desc.instance = &instance;
    refused(&desc, COMBGPU_UNSUPPORTED, "desc.instance->n is 22");
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
    open.memory_limit = 4 << 20; /* the labels of windows that leave one tour would fit */
    instance.n = 18;
    for (i = 0; i < 18; i++)
        times[i] = 7 * i;
    desc.ready = desc.due = times;
    if (ok(combgpu_open(&ctx, &open) == COMBGPU_OK, "a context with less memory than the table")) {
        combgpu_tsp_windows_result result;
        equal_status(ctx, combgpu_tsp_windows(ctx, &desc, &result), COMBGPU_OUT_OF_MEMORY,
                     "a table that does not fit");
        ok(strstr(combgpu_message(ctx), "a table of 8912900 bytes") != NULL, "and its size");
        combgpu_close(ctx);
    }
}

int main(void)
{
    open_places();
    random_instances();
    stand_ins();
    without_windows();
    published();
    forms();
    refusals();
    close_places();
    return tap_end();
}
