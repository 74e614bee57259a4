/* Tests the k shortest tours and the number of shortest ones against a list of all tours, and every device
   against the CPU. */
#include "test.h"
#include "inside.h"

#define MOST 7 /* cities of the oracle */
#define LARGE COMBGPU_TSP_TOURS_DIMENSION

typedef struct listed {
    double length;
    uint8_t tour[MOST];
} listed;

static listed all_tours[5040];
static int all_count;

static int compare(const void *a, const void *b)
{
    const listed *x = (const listed *)a, *y = (const listed *)b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    return memcmp(x->tour, y->tour, MOST);
}

/* Nonzero if a tour is in normal form, has the ends that are wanted, and keeps precedence. */
static int counts(const combgpu_tsp_tours_desc *desc, const uint8_t *tour)
{
    const combgpu_tsp_instance *instance = desc->instance;
    int n = instance->n, cycle = desc->shape == COMBGPU_TSP_CYCLE, symmetric = 1, place[MOST], i;
    for (i = 0; i < n; i++)
        place[tour[i]] = i;
    for (i = 0; i < n * n; i++)
        symmetric &= instance->weights[i] == instance->weights[i % n * n + i / n] || i / n == i % n;
    if (cycle && tour[0]) return 0;
    if (!TEST_HAS_ENDS(*desc, tour, n)) return 0;
    for (i = 0; i < instance->before_count; i++)
        if (place[instance->before[2 * i]] > place[instance->before[2 * i + 1]]) return 0;
    if (!symmetric || instance->before_count || desc->path_ends) return 1;
    return cycle ? n < 3 || tour[1] < tour[n - 1] : n < 2 || tour[0] < tour[n - 1];
}

static void list_from(const combgpu_tsp_tours_desc *desc, uint8_t *tour, int place)
{
    const combgpu_tsp_instance *instance = desc->instance;
    int n = instance->n, i;
    if (place == n) {
        listed *to = all_tours + all_count;
        if (!counts(desc, tour)) return;
        memset(to, 0, sizeof *to);
        memcpy(to->tour, tour, (size_t)n);
        for (i = 1; i < n + (desc->shape == COMBGPU_TSP_CYCLE && n > 1); i++)
            to->length += instance->weights[tour[i - 1] * n + tour[i % n]];
        all_count++;
        return;
    }
    for (i = place; i < n; i++) {
        uint8_t swap = tour[place];
        tour[place] = tour[i];
        tour[i] = swap;
        list_from(desc, tour, place + 1);
        tour[i] = tour[place];
        tour[place] = swap;
    }
}

static uint64_t oracle(const combgpu_tsp_tours_desc *desc)
{
    uint8_t tour[MOST];
    int i;
    for (i = 0; i < MOST; i++)
        tour[i] = (uint8_t)i;
    all_count = 0;
    list_from(desc, tour, 0);
    qsort(all_tours, (size_t)all_count, sizeof *all_tours, compare);
    for (i = 0; i < all_count && all_tours[i].length == all_tours[0].length;)
        i++;
    return (uint64_t)i;
}

static double lengths[COMBGPU_TSP_MAX_TOURS];
static uint8_t tours[COMBGPU_TSP_MAX_TOURS * COMBGPU_TSP_TOURS_DIMENSION];

static int is_list(const combgpu_tsp_tours_desc *desc, const combgpu_tsp_tours_result *result,
                   uint64_t optima)
{
    int n = desc->instance->n, want = all_count < desc->count ? all_count : desc->count, i;
    if (result->count != want || result->optima != optima || result->length != all_tours[0].length)
        return 0;
    for (i = 0; i < want; i++)
        if (lengths[i] != all_tours[i].length ||
            memcmp(tours + i * n, all_tours[i].tour, (size_t)n) != 0)
            return 0;
    return 1;
}

/* ---- random instances */

typedef struct problem {
    combgpu_tsp_instance instance;
    combgpu_tsp_tours_desc desc;
    double weights[LARGE * LARGE];
    int pairs[6];
} problem;

/* Kinds of weights: 0 whole numbers, 1 mostly equal ones, 2 fractions. */
static void random_problem(problem *p, int kind, int n)
{
    int i, a, b;
    memset(p, 0, sizeof *p);
    for (i = 0; i < n * n; i++) {
        uint64_t x = random_u64();
        p->weights[i] = kind == 0   ? (double)(x % 1000)
                        : kind == 1 ? (double)(x % 3)
                                    : (double)(x % 64) / 8;
    }
    if (random_below(2))
        for (i = 0; i < n * n; i++)
            p->weights[i] = p->weights[i / n < i % n ? i : i % n * n + i / n];
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
    for (i = 0; i < 3 && random_below(2); i++) { /* upwards, so that a tour is left */
        a = random_below(n);
        b = random_below(n);
        if (a >= b || TEST_START(p->desc) == b || TEST_END(p->desc) == a) continue;
        p->pairs[2 * p->instance.before_count] = a;
        p->pairs[2 * p->instance.before_count++ + 1] = b;
    }
    p->desc.count = random_below(4) ? 1 + random_below(200) : 2000;
    p->desc.lengths = lengths;
    p->desc.tours = tours;
}

static void random_instances(void)
{
    int kind, k, times = test_small() ? 20 : 100;
    for (kind = 0; kind < 3; kind++) {
        int wrong = 0;
        for (k = 0; k < times; k++) {
            problem p;
            combgpu_tsp_tours_result result;
            uint64_t optima;
            combgpu_status status;
            random_problem(&p, kind, 1 + random_below(MOST));
            optima = oracle(&p.desc);
            status = combgpu_tsp_tours(random_place(), &p.desc, &result);
            if (status || !is_list(&p.desc, &result, optima)) {
                wrong++;
                printf("# n %d: status %d %s, %d of %d, %d optima\n", p.instance.n, (int)status,
                       combgpu_message(CPU), result.count, all_count, (int)result.optima);
            }
        }
        ok(!wrong, "%d random instances of kind %d: the oracle's list and count", times, kind);
    }
}

/* ---- devices against the CPU */

/* What a run says, to be compared: the caller's memory behind the list, too. */
typedef struct said {
    combgpu_status status;
    combgpu_tsp_tours_result result;
    double lengths[COMBGPU_TSP_MAX_TOURS];
    uint8_t tours[COMBGPU_TSP_MAX_TOURS * LARGE];
} said;

static void clear(problem *p, said *to)
{
    memset(to, 0xee, sizeof *to);
    p->desc.lengths = to->lengths;
    p->desc.tours = to->tours;
}

static int equal_said(const said *a, const said *b)
{
    const combgpu_tsp_tours_result *x = &a->result, *y = &b->result;
    return !a->status && !b->status && x->count == y->count && x->optima == y->optima &&
           x->length == y->length && equal_runs(&x->run, &y->run) &&
           !memcmp(a->lengths, b->lengths, sizeof a->lengths) &&
           !memcmp(a->tours, b->tours, sizeof a->tours);
}

TEST_SEARCH(tsp_tours)

/* Runs a problem on the CPU and at a place: in one piece, all of it verified, and in pieces in turn
   here and there, to either side first. Returns how often they disagree. */
static int disagree(problem *p, combgpu_context *ctx, int many)
{
    static said want, got;
    test_search s;
    int wrong = 0, way, pieces;
    clear(p, &want);
    want.status = combgpu_tsp_tours(CPU, &p->desc, &want.result);
    clear(p, &got);
    got.status = combgpu_tsp_tours(ctx, &p->desc, &got.result);
    wrong += !equal_said(&got, &want);
    p->desc.run.verify = 1;
    p->desc.run.verify_share = 1;
    clear(p, &got);
    got.status = combgpu_tsp_tours(ctx, &p->desc, &got.result);
    wrong += !equal_said(&got, &want) || got.result.run.mismatches;
    memset(&p->desc.run, 0, sizeof p->desc.run);
    for (way = 0; way < 2 && many; way++) {
        clear(p, &got);
        s = tsp_tours_search(&p->desc, &got.result, 1);
        s.workers = 2;
        s.most = 4;
        s.one = way ? ctx : CPU;
        s.other = way ? CPU : ctx;
        pieces = test_pieces(&s);
        got.status = pieces < 0 ? COMBGPU_WRONG_RESULT : COMBGPU_OK;
        wrong += !equal_said(&got, &want);
    }
    return wrong;
}

static void devices_agree(void)
{
    static const int counts[4] = {0, 1, 7, 2000};
    int place, n, k, most = test_small() ? 9 : LARGE;
    for (place = 1; place < TEST_PLACES; place++)
        for (n = 4; n <= most && opened[place]; n++) {
            int wrong = 0, times = n < 12 ? 16 : 4;
            for (k = 0; k < times; k++) {
                problem p;
                int bad;
                random_problem(&p, random_below(3), n);
                p.desc.count = counts[k % 4];
                bad = disagree(&p, opened[place], n < 13 || k % 4 == 2);
                if (bad)
                    printf("# count %d shape %d pairs %d: %d differ: %s\n", p.desc.count,
                           (int)p.desc.shape, p.instance.before_count, bad,
                           combgpu_message(opened[place]));
                wrong += bad;
            }
            ok(!wrong, "%s, %d cities: %d instances as on the CPU, also verified and in chunks",
               test_places[place].name, n, times);
        }
}

/* All tours equally long: the list is decided by the orders alone, from the first place on. */
static void ties_on_devices(void)
{
    int place, i, n = test_small() ? 8 : 12;
    for (place = 1; place < TEST_PLACES; place++) {
        problem p;
        if (!opened[place]) continue;
        random_problem(&p, 1, n);
        for (i = 0; i < n * n; i++)
            p.weights[i] = 7;
        p.instance.before_count = 0;
        p.desc.count = 2000;
        ok(!disagree(&p, opened[place], 1), "%s, %d cities at equal distances: as on the CPU",
           test_places[place].name, n);
    }
}

/* A device that may use too little memory for the search leaves it to the CPU. */
static void short_of_memory(void)
{
    combgpu_context_desc open = test_context(2);
    combgpu_context *ctx;
    combgpu_job *job = NULL;
    static said want, got;
    problem p;
    int k;
    random_problem(&p, 0, 10);
    p.desc.count = 7;
    clear(&p, &want);
    want.status = combgpu_tsp_tours(CPU, &p.desc, &want.result);
    for (k = 0; k < 2; k++) {
        open.memory_limit = k ? 1u << 20 : 10000;
        if (combgpu_open(&ctx, &open)) {
            skip(combgpu_message(ctx), "opencl with little memory");
        } else {
            clear(&p, &got);
            got.status = combgpu_tsp_tours_begin(ctx, &p.desc, &job);
            ok(!got.status && !inside_kernel(job) == !k, "memory for the kernel: %s",
               k ? "enough" : "too little");
            while (combgpu_step(job) == COMBGPU_RUNNING) {
            }
            got.status = combgpu_tsp_tours_end(job, &got.result);
            ok(equal_said(&got, &want), "the same list and count");
        }
        combgpu_close(ctx);
    }
}

/* ---- shards */

static void shards_merged(void)
{
    static const char *const names[3] = {"/tmp/combgpu_tours_0", "/tmp/combgpu_tours_1",
                                         "/tmp/combgpu_tours_2"};
    problem p;
    combgpu_tsp_tours_result result;
    uint64_t optima;
    char path[100];
    int k, bad = 0;
    do
        random_problem(&p, 1, MOST);
    while (p.desc.count < 100);
    optima = oracle(&p.desc);
    p.desc.run.shard_count = 3;
    for (k = 0; k < 3; k++) {
        remove(names[k]);
        p.desc.run.shard_index = k;
        p.desc.run.checkpoint_path = names[k];
        bad += combgpu_tsp_tours(CPU, &p.desc, &result) != COMBGPU_OK;
    }
    memset(&p.desc.run, 0, sizeof p.desc.run);
    p.desc.run.merge_paths = names;
    p.desc.run.merge_count = 3;
    memset(tours, 0, sizeof tours);
    bad += combgpu_tsp_tours(CPU, &p.desc, &result) != COMBGPU_OK;
    ok(!bad && is_list(&p.desc, &result, optima), "three shards, merged: list and count");
    for (k = 0; k < 3; k++) {
        remove(names[k]);
        snprintf(path, sizeof path, "%s.lock", names[k]);
        remove(path);
        snprintf(path, sizeof path, "%s.bak", names[k]);
        remove(path);
    }
}

/* ---- large */

static void equal_weights(void)
{
    static double weights[15 * 15];
    combgpu_tsp_instance instance;
    combgpu_tsp_tours_desc desc;
    combgpu_tsp_tours_result result;
    int n = test_small() ? 11 : 15, i;
    uint64_t half = 1;
    for (i = 3; i < n; i++)
        half *= (uint64_t)i;
    for (i = 0; i < n * n; i++)
        weights[i] = 7;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    instance.n = n;
    instance.weights = weights;
    desc.instance = &instance;
    desc.count = 3;
    desc.lengths = lengths;
    desc.tours = tours;
    equal_status(CPU, combgpu_tsp_tours(random_place(), &desc, &result), COMBGPU_OK,
                 "%d cities at equal distances", n);
    equal_u64(result.optima, half, "all (n-1)!/2 cycles are shortest");
    ok(result.count == 3 && tours[2 * n + n - 3] == n - 2 && tours[2 * n + n - 2] == n - 3 &&
           tours[2 * n + n - 1] == n - 1,
       "the third of them, in lexicographic order: ... %d %d %d", tours[2 * n + n - 3],
       tours[2 * n + n - 2], tours[2 * n + n - 1]);
}

/* ---- errors */

static void refused(combgpu_tsp_tours_desc *desc, combgpu_status want, const char *says)
{
    combgpu_tsp_tours_result result;
    combgpu_status status = combgpu_tsp_tours(CPU, desc, &result);
    if (!ok(status == want && strstr(combgpu_message(CPU), says), "refused: %s", says))
        printf("# status %d: %s\n", (int)status, combgpu_message(CPU));
}

static void refusals(void)
{
    static double weights[16 * 16];
    combgpu_tsp_instance instance;
    combgpu_tsp_tours_desc desc;
    int circle[4] = {1, 2, 2, 1};
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.instance is NULL");
    instance.n = 16;
    instance.weights = weights;
    desc.instance = &instance;
    refused(&desc, COMBGPU_UNSUPPORTED, "desc.instance->n is 16");
    instance.n = 5;
    desc.count = 2001;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.count is 2001");
    desc.count = -1;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.count is -1");
    desc.count = 1;
    desc.path_start = 2;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.path_start");
    desc.path_start = 0;
    instance.before = circle;
    instance.before_count = 2;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "leaves no tour");
}

/* A checkpoint whose list is longer than asked for, or has a tour that does not exist: refused. */
static void untrusted(void)
{
    enum { COUNT = 17, LENGTH = 18, ORDER = 19 }; /* numbers of sums */
    static double weights[7 * 7];
    combgpu_tsp_instance instance;
    combgpu_tsp_tours_desc desc;
    combgpu_job *job = NULL;
    unsigned char *saved;
    size_t bytes = 0;
    int i, number;
    for (i = 0; i < 49; i++)
        weights[i] = 16 + random_below(100);
    combgpu_tsp_from_matrix(CPU, 7, weights, &instance);
    memset(&desc, 0, sizeof desc);
    desc.instance = &instance;
    desc.count = 9;
    combgpu_tsp_tours_begin(CPU, &desc, &job);
    inside_limit_workers(job, 1);
    inside_set_budget(job, 1);
    (void)combgpu_step(job);
    for (number = COUNT; number <= ORDER; number++) {
        char *digit;
        saved = (unsigned char *)test_save(job, &bytes);
        desc.run.resume_data = saved;
        desc.run.resume_bytes = bytes;
        equal_status(CPU, combgpu_tsp_tours(CPU, &desc, NULL), COMBGPU_OK, "a checkpoint");
        digit = test_sum(saved, bytes, number);
        if (ok(digit != NULL, "it has sum %d", number)) *digit = *digit == 'a' ? 'b' : 'a';
        test_mend(saved, bytes);
        equal_status(CPU, combgpu_tsp_tours(CPU, &desc, NULL), COMBGPU_BAD_FILE,
                     "with another %s: refused",
                     number == COUNT    ? "number of tours"
                     : number == LENGTH ? "length"
                                        : "order");
        free(saved);
    }
    combgpu_job_cancel(job);
    combgpu_tsp_free(CPU, &instance);
}

int main(void)
{
    open_places();
    random_instances();
    devices_agree();
    ties_on_devices();
    short_of_memory();
    shards_merged();
    equal_weights();
    refusals();
    untrusted();
    close_places();
    return tap_end();
}
