/* Tests the travelling salesman with time windows against all orders of the cities. */
#include "test.h"

#define MOST 7 /* cities of the oracle */

static int late_too; /* follow tours that are late, too */

/* Follows a tour. Returns 0 if it is late somewhere, or does not keep precedence or ends. */
static int follow(const combgpu_tsp_windows_desc *desc, const int *tour, double *length,
                  double *end, double *start)
{
    const combgpu_tsp_instance *instance = desc->instance;
    int n = instance->n, cycle = desc->shape == COMBGPU_TSP_CYCLE, i, k;
    double time = 0;
    *length = 0;
    if (cycle && tour[0] != instance->depot) return 0;
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
        if (desc->due && time > desc->due[city] && !late_too) return 0;
        start[i] = time;
        if (desc->service) time += desc->service[city];
    }
    if (cycle && n > 1) {
        *length += instance->weights[tour[n - 1] * n + tour[0]];
        time += instance->weights[tour[n - 1] * n + tour[0]];
        if (desc->due && time > desc->due[tour[0]] && !late_too) return 0;
    }
    *end = time;
    return 1;
}

static double best_length, best_end;
static int found;
static const combgpu_tsp_windows_result
    *reasons;           /* to be checked, instead of a search for the best */
static int unexplained; /* orders that no reason rules out */

/* Nonzero if a reason why there is no tour rules this order out. */
static int ruled_out(const combgpu_tsp_windows_desc *desc, const int *tour, const double *start,
                     double end)
{
    int n = desc->instance->n, cycle = desc->shape == COMBGPU_TSP_CYCLE, k, i, j;
    for (k = 0; k < reasons->late_count; k++) {
        const combgpu_tsp_late *late = &reasons->late[k];
        int back = cycle && late->city == tour[0] && (late->after >= 0 || n == 1);
        for (i = j = 0; tour[i] != late->city;)
            i++;
        while (late->after >= 0 && tour[j] != late->after)
            j++;
        if (late->after >= 0 && !back && j > i) continue;
        if (desc->due && late->earliest > desc->due[late->city] &&
            (back ? end : start[i]) >= late->earliest)
            return 1;
    }
    return 0;
}

static void try_orders(const combgpu_tsp_windows_desc *desc, int *tour, int place)
{
    int n = desc->instance->n, i;
    double length, end, start[MOST];
    if (place == n) {
        if (!follow(desc, tour, &length, &end, start)) return;
        if (reasons) {
            unexplained += !ruled_out(desc, tour, start, end);
            return;
        }
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

/* Nonzero if the reasons why there is no tour are true, or there is none. */
static int are_true(const combgpu_tsp_windows_desc *desc, const combgpu_tsp_windows_result *result)
{
    if (!result->late_count) return 1;
    reasons = result;
    unexplained = 0;
    late_too = 1;
    oracle(desc);
    late_too = 0;
    reasons = NULL;
    return !unexplained && !result->feasible;
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
    p->instance.depot = random_below(3) ? 0 : random_below(n);
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
        if (a >= b || (p->desc.shape == COMBGPU_TSP_CYCLE && b == p->instance.depot) ||
            TEST_START(p->desc) == b || TEST_END(p->desc) == a)
            continue;
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
    int times = test_small() ? 40 : 400, wrong = 0, none = 0, lies = 0, said[3] = {0}, k;
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
        lies += !are_true(&p.desc, &result);
        if (!result.feasible) said[result.late_count]++;
    }
    ok(!wrong, "%d random instances, %d of them without a tour: the oracle's answer", times, none);
    ok(none > times / 20 && none < times * 9 / 10, "some have a tour, some have none");
    ok(!lies, "the reasons hold for every order: %d of one, %d of two, %d without", said[1],
       said[2], said[0]);
    ok(said[1] && (said[2] || test_small()), "there are reasons of both kinds");
}

/* ---- more cities than a table of sets has: some that all tours must begin with, then a small problem */

#define HEAD 22
#define ALL (HEAD + MOST)

static void lead_in(const problem *p, problem *later, double *weights, double *times)
{
    double *ready = times, *due = times + ALL, *service = times + 2 * ALL;
    int n = p->instance.n, all = HEAD + n, i, j;
    memset(later, 0, sizeof *later);
    for (i = 0; i < all * all; i++)
        weights[i] = 1 + random_below(9);
    for (i = 0; i < HEAD; i++) {
        ready[i] = due[i] = i;
        service[i] = 0;
        if (i) weights[(i - 1) * all + i] = 1;
    }
    for (i = 0; i < n; i++) {
        weights[(HEAD - 1) * all + HEAD + i] = 0;
        ready[HEAD + i] = HEAD - 1 + (p->desc.ready ? p->ready[i] : 0);
        due[HEAD + i] = HEAD - 1 + (p->desc.due ? p->due[i] : HUGE_VAL);
        service[HEAD + i] = p->desc.service ? p->service[i] : 0;
        for (j = 0; j < n; j++)
            weights[(HEAD + i) * all + HEAD + j] = p->weights[i * n + j];
    }
    for (i = 0; i < 2 * p->instance.before_count; i++)
        later->pairs[i] = HEAD + p->pairs[i];
    later->instance = p->instance;
    later->instance.n = all;
    later->instance.weights = weights;
    later->instance.before = later->pairs;
    later->instance.depot = 0;
    later->desc = p->desc;
    later->desc.instance = &later->instance;
    later->desc.ready = ready;
    later->desc.due = due;
    later->desc.service = service;
    TEST_SET_ENDS(later->desc, 0, TEST_END(p->desc) < 0 ? -1 : HEAD + TEST_END(p->desc));
}

static void many_cities(void)
{
    int times = test_small() ? 40 : 400, wrong = 0, none = 0, k, i;
    for (k = 0; k < times; k++) {
        problem p, later;
        double weights[ALL * ALL], numbers[3 * ALL];
        combgpu_tsp_windows_result result;
        do
            random_problem(&p);
        while (p.desc.shape != COMBGPU_TSP_PATH || TEST_START(p.desc) >= 0);
        oracle(&p.desc);
        none += !found;
        lead_in(&p, &later, weights, numbers);
        if (combgpu_tsp_windows(random_place(), &later.desc, &result) || result.feasible != found) {
            wrong++;
            continue;
        }
        for (i = 0; found && i < HEAD; i++)
            wrong += result.tour[i] != i || result.start[i] != i;
        if (found)
            wrong += result.end != HEAD - 1 + best_end ||
                     (!p.desc.earliest_end && result.length != HEAD - 1 + best_length);
    }
    ok(!wrong, "%d problems behind %d more cities, %d without a tour: the oracle's answer", times,
       HEAD, none);
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
#define SOLOMON "C1\nVEHICLE\nNUMBER CAPACITY\n1 200\nCUSTOMER\n" CUSTOMERS "0 1 1 0 0 9 0\n"
#define TWO                                                                                        \
    "TYPE : TSPTW\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n"   \
    "TIME_WINDOW_SECTION\n1 0 9\n2 0 9\n"

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
         "text, line 2: TIME_WINDOW_SECTION needs DIMENSION, which is missing"},
        {"TYPE : TSPTW\nSERVICE_TIME : 0\nSERVICE_TIME : ten\n",
         "text, line 3: SERVICE_TIME is \"ten\", not a number"},
        {"TYPE : TSPTW\nSERVICE_TIME_SECTION\n1 0\n",
         "text, line 2: SERVICE_TIME_SECTION needs DIMENSION, which is missing"},
        {"TYPE : TSPTW\nDIMENSION : 2\nSERVICE_TIME_SECTION\n1 0\n2 -1\n",
         "text, line 5: the service time of city 2 is -1; it may be 0 or more"},
        {"TYPE : CVRPTW\nDIMENSION : 2\nDEMAND_SECTION\n1 0\n1 3\n",
         "text, line 5: node 1 is given twice"},
        {"NAME : C1\nVEHICLE : 3\nDIMENSION : 0\n", "text, line 3: DIMENSION is 0"},
        {"TYPE : TSPTW\nDISTANCE : 200\n", "text, line 2: DISTANCE, a limit"},
        {"TYPE : TSPTW\nDIMENSION : 2\nDEPOT_SECTION\n1\n3\n-1\n",
         "text, line 5: depot 2 is 3; it may be 1 to 2"},
        {TWO "DEPOT_SECTION\n1\n2\n-1\nEOF\n", "DEPOT_SECTION has 2 depots"},
        {TWO "SERVICE_TIME : 2\nSERVICE_TIME_SECTION\n1 0\n2 0\nEOF\n",
         "both SERVICE_TIME and SERVICE_TIME_SECTION are given"},
        {TWO, "the file ends without EOF, and without DEPOT_SECTION"},
        {TWO "DEPOT_SECTION\n1\n-1\n", "the file ends without EOF, and without service times"},
        {SOLOMON, "the file ends before customer 1"},
        {SOLOMON "1 1 1 5 0 9 0", "the last line has no line end: is the file cut off?"},
        {SOLOMON "2 1 1 5 0 9 0\n", "customer 2 where 1 is expected"},
        {"C1\nVEHICLE\nNUMBER CAPACITY\n0 200\n", "the number of vehicles is 0"},
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

/* Reads a text; 0 = refused. */
static int parsed(const char *text, size_t bytes, combgpu_tsp_instance *instance)
{
    char *copy = (char *)malloc(bytes + 1); /* so that a sanitizer sees what is read behind it */
    combgpu_status status;
    memcpy(copy, text, bytes);
    status = combgpu_tsp_parse(CPU, copy, bytes, instance);
    free(copy);
    return !status;
}

static int same_times(const combgpu_tsp_instance *a, const combgpu_tsp_instance *b)
{
    size_t bytes = (size_t)a->n * sizeof(double);
    return a->n == b->n && a->depot == b->depot && a->ready && b->ready &&
           !memcmp(a->ready, b->ready, bytes) && !memcmp(a->due, b->due, bytes) &&
           !memcmp(a->service, b->service, bytes) &&
           !memcmp(a->weights, b->weights, bytes * (size_t)a->n);
}

/* Cuts a file before and behind each token: an error, or the same instance. `plain`: a form without an end, in
   which a cut between two lines is seen only if something of the next line is left. */
static void cut(const char *name, int plain)
{
    char path[100], text[4000];
    combgpu_tsp_instance whole, part;
    size_t bytes, at;
    int wrong = 0, cuts = 0;
    FILE *file;
    snprintf(path, sizeof path, "tests/data/cases/%s", name);
    file = fopen(path, "rb");
    if (!ok(file != NULL, "%s", path)) return;
    bytes = fread(text, 1, sizeof text, file);
    fclose(file);
    if (!ok(parsed(text, bytes, &whole), "%s: read", name)) return;
    for (at = 1; at < bytes; at++) {
        int here = text[at] <= ' ', before = text[at - 1] <= ' ';
        if (here == before || (plain && text[at - 1] == '\n')) continue;
        cuts++;
        if (!parsed(text, at, &part)) continue;
        if (!same_times(&whole, &part)) {
            wrong++;
            printf("# cut after byte %d: %.20s|\n", (int)at, text + (at > 20 ? at - 20 : 0));
        }
        combgpu_tsp_free(CPU, &part);
    }
    ok(!wrong && cuts > 30, "%s: cut at %d places", name, cuts);
    combgpu_tsp_free(CPU, &whole);
}

static int notes;

static void count_note(combgpu_log_level level, const char *message, void *user)
{
    (void)user;
    notes += level == COMBGPU_LOG_WARNING && strstr(message, "add up to 40, more than") != NULL;
}

/* Service times, depots and vehicles. */
static void vehicles(void)
{
    static const char *const names[] = {"w10_tsptw_service.tsp", "w11_tsptw_servicekw.tsp",
                                        "w12_cvrptw.vrp"};
    static const char head[] = "TYPE : VRPTW\nDIMENSION : 3\nVEHICLES : 25\nCAPACITY : %s\n"
                               "EDGE_WEIGHT_TYPE : EUC_2D\nSERVICE_TIME : 7\n"
                               "NODE_COORD_SECTION\n1 0 4\n2 0 0\n3 3 0\n"
                               "DEMAND_SECTION\n1 20\n2 0\n3 20\nDEPOT_SECTION\n2\n-1\n"
                               "TIME_WINDOW_SECTION\n1 0 99\n2 5 50\n3 0 99\n";
    char text[400];
    combgpu_tsp_instance instance;
    combgpu_tsp_windows_desc desc;
    combgpu_tsp_windows_result result;
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    size_t k;
    memset(&desc, 0, sizeof desc);
    desc.instance = &instance;
    for (k = 0; k < 3; k++) {
        char path[100];
        snprintf(path, sizeof path, "tests/data/cases/%s", names[k]);
        equal_status(CPU, combgpu_tsp_read(CPU, path, &instance), COMBGPU_OK, "%s", names[k]);
        equal_status(CPU, combgpu_tsp_windows(CPU, &desc, &result), COMBGPU_OK, "solved");
        ok(result.length == 14 && result.end == 78 && instance.service[0] == 0 &&
               instance.service[4] == 10,
           "the tour of length 14 ends at 78");
        combgpu_tsp_free(CPU, &instance);
        cut(names[k], 0);
    }
    cut("w09_solomon.txt", 1);
    equal_status(CPU, combgpu_tsp_read(CPU, "tests/data/cases/w09_solomon.txt", &instance),
                 COMBGPU_OK, "Solomon's form");
    ok(instance.n == 5 && instance.depot == 0 && instance.metric == COMBGPU_TSP_PLANE &&
           instance.weights[1] == sqrt(349.0) && instance.due[0] == 1236 &&
           instance.service[4] == 90 && !strcmp(instance.name, "C101"),
       "customer 0 is the depot, distances are not rounded");
    combgpu_tsp_free(CPU, &instance);
    open.logger.log = count_note;
    if (!ok(combgpu_open(&ctx, &open) == COMBGPU_OK, "a context with a logger")) return;
    snprintf(text, sizeof text, head, "40");
    equal_status(ctx, combgpu_tsp_parse(ctx, text, strlen(text), &instance), COMBGPU_OK,
                 "a depot that is not city 1, without EOF");
    ok(!notes && instance.depot == 1 && instance.service[0] == 7 && instance.service[1] == 0,
       "all but the depot are served");
    equal_status(ctx, combgpu_tsp_windows(ctx, &desc, &result), COMBGPU_OK, "solved");
    ok(result.tour[0] == 1 && result.length == 12 && result.start[0] == 5 && result.end == 31,
       "the tour begins and ends at the depot");
    instance.depot = 3;
    equal_status(ctx, combgpu_tsp_windows(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "a depot that is not a city");
    combgpu_tsp_free(ctx, &instance);
    snprintf(text, sizeof text, head, "39");
    equal_status(ctx, combgpu_tsp_parse(ctx, text, strlen(text), &instance), COMBGPU_OK,
                 "more than one vehicle takes");
    ok(notes == 1, "is noted");
    combgpu_tsp_free(ctx, &instance);
    combgpu_close(ctx);
}

/* ---- why there is no tour */

static void reasons_given(void)
{
    double weights[16] = {0, 5, 5, 9, 5, 0, 5, 9, 5, 5, 0, 9, 9, 9, 9, 0};
    double ready[4] = {0, 0, 0, 0}, due[4] = {40, 40, 40, 40}, service[4] = {1, 2, 2, 2};
    int pair[2] = {2, 1};
    combgpu_tsp_instance instance;
    combgpu_tsp_windows_desc desc;
    combgpu_tsp_windows_result result;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    instance.n = 4;
    instance.weights = weights;
    instance.before = pair;
    desc.instance = &instance;
    desc.ready = ready;
    desc.due = due;
    desc.service = service;
    combgpu_tsp_windows(CPU, &desc, &result);
    ok(result.feasible && !result.late_count, "a tour needs no reason");
    due[3] = 9;
    combgpu_tsp_windows(CPU, &desc, &result);
    ok(result.late_count == 1 && result.late[0].city == 3 && result.late[0].after == -1 &&
           result.late[0].earliest == 10,
       "a city that is due before it is reached");
    due[3] = 40;
    ready[3] = 35;
    combgpu_tsp_windows(CPU, &desc, &result);
    ok(result.late_count == 1 && result.late[0].city == 0 && result.late[0].after == 3 &&
           result.late[0].earliest == 46,
       "a city from which the depot is not reached");
    ready[3] = 0;
    due[1] = due[2] = 12;
    combgpu_tsp_windows(CPU, &desc, &result);
    ok(result.late_count == 2 && result.late[0].after == result.late[1].city &&
           result.late[1].after == result.late[0].city && result.late[0].earliest == 13,
       "two cities in neither order");
    due[2] = 40;
    instance.before_count = 1;
    combgpu_tsp_windows(CPU, &desc, &result);
    ok(result.late_count == 1 && result.late[0].city == 1 && result.late[0].after == 2,
       "two cities of which one must come first");
    instance.before_count = 0;
    weights[3] = weights[7] = weights[11] = 1e19;
    due[1] = 40;
    combgpu_tsp_windows(CPU, &desc, &result);
    ok(result.late_count == 1 && result.late[0].city == 3 && result.late[0].earliest > 1e300,
       "a city to which no way leads");
    weights[3] = weights[7] = weights[11] = 9;
    due[1] = due[2] = due[3] = 17;
    combgpu_tsp_windows(CPU, &desc, &result);
    ok(!result.feasible && !result.late_count, "three cities: no reason");
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
    static double weights[129 * 129], times[129];
    combgpu_tsp_instance instance;
    combgpu_tsp_windows_desc desc;
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.instance is NULL");
    instance.n = 129;
    instance.weights = weights;
    desc.instance = &instance;
    refused(&desc, COMBGPU_UNSUPPORTED, "desc.instance->n is 129");
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
        instance.n = 60; /* free to come in any order */
        desc.ready = desc.due = NULL;
        equal_status(ctx, combgpu_tsp_windows(ctx, &desc, &result), COMBGPU_OUT_OF_MEMORY,
                     "labels without a table that do not fit");
        ok(strstr(combgpu_message(ctx), "so loose") != NULL, "and why");
        combgpu_close(ctx);
    }
}

int main(void)
{
    open_places();
    random_instances();
    many_cities();
    stand_ins();
    without_windows();
    published();
    forms();
    vehicles();
    reasons_given();
    refusals();
    close_places();
    return tap_end();
}
