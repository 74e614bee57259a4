/* Tests magic squares: known counts, slow oracles, every backend, shards, stop and resume. With
   COMBGPU_TEST_SLOW in the environment it counts and lists all of order 5 (minutes). */
#define COMBGPU_ONLY_MAGIC 1
#include "test.h"

#define KINDS 6
static const char *const kinds[KINDS] = {"normal",      "semi-magic", "pandiagonal",
                                         "associative", "ultramagic", "bimagic"};

static combgpu_magic_desc describe(int order, int kind, const int *givens)
{
    combgpu_magic_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.order = order;
    desc.kind = (combgpu_magic_kind)kind;
    desc.givens = givens;
    return desc;
}

static int same_result(const combgpu_magic_result *a, const combgpu_magic_result *b)
{
    return a->count == b->count && a->up_to_d4 == b->up_to_d4 &&
           a->up_to_m_group == b->up_to_m_group &&
           !memcmp(a->by_centre, b->by_centre, sizeof a->by_centre) &&
           a->run.checksum == b->run.checksum && a->run.steps == b->run.steps;
}

/* Runs a search at every place and tests that all results are equal. Returns the first result. */
static combgpu_magic_result everywhere(const combgpu_magic_desc *desc, const char *name)
{
    combgpu_magic_result first, result;
    combgpu_status status = combgpu_magic(CPU, desc, &first);
    int i, same = status == COMBGPU_OK;
    if (!same) printf("# %s: %s\n", name, combgpu_message(CPU));
    for (i = 1; i < TEST_PLACES; i++) {
        if (!opened[i]) continue;
        status = combgpu_magic(opened[i], desc, &result);
        if (status == COMBGPU_OK && same_result(&first, &result)) continue;
        same = 0;
        printf("# %s: %s: count %llu, not %llu; checksum %llx, not %llx; steps %llu, not %llu %s\n",
               name, test_places[i].name, (unsigned long long)result.count,
               (unsigned long long)first.count, (unsigned long long)result.run.checksum,
               (unsigned long long)first.run.checksum, (unsigned long long)result.run.steps,
               (unsigned long long)first.run.steps, combgpu_message(opened[i]));
    }
    ok(same, "%s: count, checksum and steps are equal on every backend", name);
    return first;
}

/* ---- the oracle: fills row 0, then column 0, row 1, column 1 ...; the last cell of a row or
   column is computed, not tried, and diagonals are checked in full squares */

typedef struct oracle {
    int order, square[25], used[26];
    const int *givens;                                      /* NULL = none */
    uint64_t count[KINDS], classes[KINDS], checksum[KINDS]; /* by kind */
} oracle;

static int oracle_sum(const oracle *o, int cell, int step_row, int step_column)
{
    int n = o->order, row = cell / n, column = cell % n, sum = 0, i;
    for (i = 0; i < n; i++)
        sum += o->square[(row + i * step_row) % n * n + (column + i * step_column) % n];
    return sum;
}

/* Returns whether the squares of the numbers have the same sum in rows, columns and diagonals. */
static int oracle_bimagic(const oracle *o)
{
    static const int way[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    int n = o->order, k, i, w;
    for (w = 0; w < 4; w++)
        for (k = 0; k < n; k++) {
            int row = w == 0 ? k : 0, column = w == 1 ? k : w == 3 ? n - 1 : 0, sum = 0;
            for (i = 0; i < n; i++) {
                int x = o->square[(row + i * way[w][0]) * n + column + i * way[w][1]];
                sum += x * x;
            }
            if (6 * sum != n * (n * n + 1) * (2 * n * n + 1)) return 0;
        }
    return 1;
}

/* Returns whether the full semi-magic square is of a kind. */
static int oracle_is(const oracle *o, int kind)
{
    int n = o->order, magic = n * (n * n + 1) / 2, i;
    int normal = oracle_sum(o, 0, 1, 1) == magic && oracle_sum(o, n - 1, 1, n - 1) == magic;
    int broken = normal, pairs = normal;
    for (i = 0; i < n; i++)
        if (oracle_sum(o, i, 1, 1) != magic || oracle_sum(o, i, 1, n - 1) != magic) broken = 0;
    for (i = 0; i < n * n; i++)
        if (o->square[i] + o->square[n * n - 1 - i] != n * n + 1) pairs = 0;
    return kind == COMBGPU_MAGIC_SEMI          ? 1
           : kind == COMBGPU_MAGIC_PANDIAGONAL ? broken
           : kind == COMBGPU_MAGIC_ASSOCIATIVE ? pairs
           : kind == COMBGPU_MAGIC_ULTRAMAGIC  ? broken && pairs
           : kind == COMBGPU_MAGIC_BIMAGIC     ? normal && oracle_bimagic(o)
                                               : normal;
}

static int oracle_agrees(const oracle *o, const int *square)
{
    int i;
    for (i = 0; o->givens && i < o->order * o->order; i++)
        if (o->givens[i] && o->givens[i] != square[i]) return 0;
    return 1;
}

/* Makes the image of a square turned by 90 degrees, or transposed. */
static void oracle_turn(int n, const int *square, int *image, int transpose)
{
    int r, c;
    for (r = 0; r < n; r++)
        for (c = 0; c < n; c++)
            image[r * n + c] = transpose ? square[c * n + r] : square[(n - 1 - c) * n + r];
}

/* Counts the full square, and its class only at the smallest image that agrees with the givens. */
static void oracle_count(oracle *o)
{
    int n = o->order, image[2][25], g, i, kind, smallest = 1;
    size_t bytes = (size_t)(n * n) * sizeof(int);
    uint64_t hash = 0;
    memcpy(image[0], o->square, bytes);
    for (g = 0; g < 8; g++) {
        const int *a = image[g & 1];
        unsigned char form[25];
        for (i = 0; i < n * n; i++)
            form[i] = (unsigned char)a[i];
        if (a[0] < a[n - 1] && a[0] < a[n * n - n] && a[0] < a[n * n - 1] && a[1] < a[n])
            hash = test_fnv(form, (size_t)(n * n));
        for (i = 0; i < n * n && a[i] == o->square[i]; i++) {
        }
        if (i < n * n && a[i] < o->square[i] && oracle_agrees(o, a)) smallest = 0;
        oracle_turn(n, a, image[(g + 1) & 1], g == 3);
    }
    for (kind = 0; kind < KINDS; kind++)
        if (oracle_is(o, kind)) {
            o->count[kind]++;
            o->classes[kind] += (uint64_t)smallest;
            o->checksum[kind] += smallest ? hash : 0;
        }
}

/* Fills from (k, k) on to the right, then from (k + 1, k) on down, then the rest. */
static void oracle_fill(oracle *o, int row, int column)
{
    int n = o->order, magic = n * (n * n + 1) / 2, number, first = 1, last = n * n;
    int cell = row * n + column;
    if (row == n && column == n - 1) {
        oracle_count(o);
        return;
    }
    if (column == n) {
        oracle_fill(o, row + 1, row);
        return;
    }
    if (row == n) {
        oracle_fill(o, column + 1, column + 1);
        return;
    }
    o->square[cell] = 0;
    if (cell % n == n - 1) first = last = magic - oracle_sum(o, cell, 0, 1);
    if (cell / n == n - 1) first = last = magic - oracle_sum(o, cell, 1, 0);
    if (o->givens && o->givens[cell]) first = last = o->givens[cell];
    for (number = first; number <= last; number++) {
        if (number < 1 || number > n * n || o->used[number]) continue;
        o->square[cell] = number;
        if (cell % n == n - 1 && oracle_sum(o, cell, 0, 1) != magic) continue;
        if (cell / n == n - 1 && oracle_sum(o, cell, 1, 0) != magic) continue;
        o->used[number] = 1;
        oracle_fill(o, row + (row > column), column + (row <= column));
        o->used[number] = 0;
    }
}

static const oracle *oracle_of(int order, const int *givens)
{
    static oracle o;
    memset(&o, 0, sizeof o);
    o.order = order;
    o.givens = givens;
    oracle_fill(&o, 0, 0);
    return &o;
}

static void agrees_with_oracle(const combgpu_magic_desc *desc, const oracle *o, const char *name)
{
    combgpu_magic_result result = everywhere(desc, name);
    int kind = (int)desc->kind;
    equal_u64(result.count, o->count[kind], "%s: count as the oracle's", name);
    equal_u64(result.up_to_d4, o->classes[kind], "%s: classes as the oracle's", name);
    equal_u64(result.run.checksum, o->checksum[kind], "%s: checksum as the oracle's", name);
}

static void test_oracle(void)
{
    int order, kind;
    for (order = 3; order <= 4; order++) {
        const oracle *o = oracle_of(order, NULL);
        for (kind = 0; kind < KINDS; kind++) {
            combgpu_magic_desc desc = describe(order, kind, NULL);
            char name[64];
            snprintf(name, sizeof name, "order %d %s", order, kinds[kind]);
            agrees_with_oracle(&desc, o, name);
        }
    }
}

/* ---- known numbers */

static FILE *open_data(void)
{
    FILE *file = fopen("tests/data/magic_oracles.txt", "r");
    if (!file) file = fopen("data/magic_oracles.txt", "r");
    if (!file) file = fopen("../tests/data/magic_oracles.txt", "r");
    return file;
}

static int kind_of(const char *name)
{
    int kind = 0;
    while (kind < KINDS - 1 && strcmp(kinds[kind], name))
        kind++;
    return kind;
}

static void known_squares(int order, const char *kind, unsigned long long classes,
                          unsigned long long checksum, int checked)
{
    combgpu_magic_desc desc = describe(order, kind_of(kind), NULL);
    combgpu_magic_result result;
    char name[64];
    desc.checksum = checked;
    snprintf(name, sizeof name, "all %s squares of order %d", kind, order);
    if (test_small() && order == 5) { /* the places agree on a part */
        desc.run.shard_count = 20;
        snprintf(name, sizeof name, "1/20 of all %s squares of order 5", kind);
        everywhere(&desc, name);
        return;
    }
    result = everywhere(&desc, name);
    equal_u64(result.up_to_d4, classes, "%s: the known number", name);
    equal_u64(result.count, 8 * classes, "%s: eight orientations", name);
    if (checked) equal_u64(result.run.checksum, checksum, "%s: the known checksum", name);
    if (order > 3 && order < 6 && !strchr("pu", kind[0]))
        equal_u64(result.up_to_m_group, classes / 4, "%s: a quarter up to the M-group", name);
}

static void known_givens(int order, unsigned long long completions, const int *givens)
{
    combgpu_magic_desc desc = describe(order, 0, givens);
    combgpu_magic_result result = everywhere(&desc, "known completions");
    equal_u64(result.count, completions, "%llu completions of order %d", completions, order);
}

static void known_centre(int centre, unsigned long long classes)
{
    int givens[25] = {0}, c;
    combgpu_magic_desc desc = describe(5, 0, givens);
    combgpu_magic_result result;
    if (test_small() || (centre != 1 && !getenv("COMBGPU_TEST_SLOW"))) return;
    for (c = centre;; c = 26 - centre) {
        givens[12] = c;
        combgpu_magic(CPU, &desc, &result);
        equal_u64(result.up_to_d4, classes, "order 5 with %d in the centre: the known number", c);
        equal_u64(result.by_centre[c], classes, "order 5 with %d in the centre: by_centre", c);
        if (c == 26 - centre || !getenv("COMBGPU_TEST_SLOW")) break;
    }
}

/* Squares of order 4 in Frenicle form by their corner. */
static int by_corner[17], known_corner[17];

static int corner_call(const int *square, int order, void *user)
{
    (void)order, (void)user;
    by_corner[square[0]]++;
    return 0;
}

static void test_known(void)
{
    FILE *file = open_data();
    char line[256], kind[20];
    unsigned long long number, checksum;
    int order, corner, got, lines = 0;
    combgpu_magic_desc desc = describe(4, 0, NULL);
    while (file && fgets(line, sizeof line, file)) {
        lines++;
        got = sscanf(line, "squares %d %19s %llu %llx", &order, kind, &number, &checksum);
        if (got >= 3) known_squares(order, kind, number, checksum, got == 4);
        got = sscanf(line, "slow %d %19s %llu %llx", &order, kind, &number, &checksum);
        if (got == 4 && getenv("COMBGPU_TEST_SLOW"))
            known_squares(order, kind, number, checksum, checksum != 0);
        if (sscanf(line, "corner %d %llu", &corner, &number) == 2 && corner < 17)
            known_corner[corner] = (int)number;
        if (sscanf(line, "centre %d %llu", &corner, &number) == 2) known_centre(corner, number);
        if (sscanf(line, "givens %d %llu", &order, &number) == 2) {
            int givens[36] = {0}, i;
            char *at = line + strlen("givens ");
            strtol(at, &at, 10);
            strtol(at, &at, 10);
            for (i = 0; i < order * order; i++)
                givens[i] = (int)strtol(at, &at, 10);
            known_givens(order, number, givens);
        }
    }
    ok(lines > 40, "tests/data/magic_oracles.txt is there");
    if (file) fclose(file);
    desc.solution = corner_call;
    desc.frenicle = 1;
    combgpu_magic(CPU, &desc, NULL);
    ok(!memcmp(by_corner, known_corner, sizeof by_corner),
       "order 4: the known numbers by the corner of the Frenicle form");
}

/* ---- listing */

typedef struct list {
    uint64_t calls, sum; /* sum of a hash of the squares */
    int wrong;           /* not of the kind, or not in Frenicle form */
    combgpu_magic_desc *desc;
    int (*stop)(struct list *); /* may end the run */
    int stop_at;                /* stop at random, at one call in this many */
} list;

static int list_call(const int *square, int order, void *user)
{
    list *l = (list *)user;
    combgpu_magic_report report;
    unsigned char bytes[36];
    int i, kind = (int)l->desc->kind, right;
    combgpu_magic_check(NULL, order, square, &report);
    right = kind == COMBGPU_MAGIC_SEMI          ? report.is_semimagic
            : kind == COMBGPU_MAGIC_PANDIAGONAL ? report.is_pandiagonal
            : kind == COMBGPU_MAGIC_ASSOCIATIVE ? report.is_associative
            : kind == COMBGPU_MAGIC_ULTRAMAGIC  ? report.is_ultramagic
                                                : report.is_magic;
    if (l->desc->frenicle && !report.is_frenicle) right = 0;
    for (i = 0; i < order * order; i++) {
        bytes[i] = (unsigned char)square[i];
        if (l->desc->givens && !l->desc->frenicle && l->desc->givens[i] &&
            l->desc->givens[i] != square[i])
            right = 0;
    }
    l->wrong += !right;
    l->calls++;
    l->sum += test_fnv(bytes, (size_t)(order * order));
    return l->stop ? l->stop(l) : 0;
}

static combgpu_magic_result list_all(combgpu_context *ctx, combgpu_magic_desc *desc, list *l)
{
    combgpu_magic_result result;
    memset(l, 0, sizeof *l);
    l->desc = desc;
    desc->solution = list_call;
    desc->solution_user = l;
    if (combgpu_magic(ctx, desc, &result) < 0) printf("# %s\n", combgpu_message(ctx));
    return result;
}

static int first_square[16];

static int first_call(const int *square, int order, void *user)
{
    (void)user;
    if (memcmp(square, first_square, (size_t)(order * order) * sizeof *square) < 0)
        memcpy(first_square, square, (size_t)(order * order) * sizeof *square);
    return 0;
}

/* The only square of order 1 is its own image; four numbers make no square of order 2. */
static void test_orders_1_and_2(void)
{
    int place, kind, right;
    for (place = 0; place < TEST_PLACES; place++) {
        if (!opened[place]) continue;
        for (kind = COMBGPU_MAGIC_NORMAL, right = 0; kind <= COMBGPU_MAGIC_BIMAGIC; kind++) {
            combgpu_magic_desc one = describe(1, kind, NULL), two = describe(2, kind, NULL);
            combgpu_magic_result result;
            right += !combgpu_magic(opened[place], &one, &result) && result.count == 1 &&
                     result.up_to_d4 == 1;
            right += !combgpu_magic(opened[place], &two, &result) && !result.count;
        }
        ok(right == 12, "%s: one square of order 1, none of order 2, of every kind",
           test_places[place].name);
    }
}

static void test_listing(void)
{
    static const int smallest[16] = {1, 2, 15, 16, 12, 14, 3, 5, 13, 7, 10, 4, 8, 11, 6, 9};
    int middle[9] = {0, 0, 0, 0, 5, 0, 0, 0, 0}, diagonal[16] = {1, 0, 0, 0, 0, 6, 0, 0};
    combgpu_magic_desc desc = describe(4, 0, NULL);
    combgpu_magic_result result;
    list l;
    int i;
    for (i = 0; i < TEST_PLACES; i++) {
        if (!opened[i]) continue;
        desc.frenicle = 0;
        result = list_all(opened[i], &desc, &l);
        ok(l.calls == 7040 && result.count == 7040 && !l.wrong,
           "%s: all 7,040 squares of order 4 are listed", test_places[i].name);
        desc.frenicle = 1;
        result = list_all(opened[i], &desc, &l);
        ok(l.calls == 880 && l.sum == result.run.checksum && !l.wrong,
           "%s: all 880 classes of order 4 are listed in Frenicle form", test_places[i].name);
    }
    first_square[0] = 99;
    desc.solution = first_call;
    combgpu_magic(CPU, &desc, NULL);
    ok(!memcmp(first_square, smallest, sizeof smallest),
       "the first square of order 4 is Frenicle's first");

    desc = describe(3, 0, middle);
    result = list_all(CPU, &desc, &l);
    ok(l.calls == 8 && result.count == 8 && result.up_to_d4 == 1 && !l.wrong,
       "order 3 with 5 in the centre has 8 completions in 1 class");
    desc = describe(4, 0, diagonal);
    result = list_all(CPU, &desc, &l);
    ok(l.calls == result.count && result.count == 2 * result.up_to_d4 && !l.wrong,
       "givens on a diagonal: two completions in each class, both listed");
    desc.frenicle = 1;
    result = list_all(CPU, &desc, &l);
    ok(l.calls == result.up_to_d4 && l.sum == result.run.checksum && !l.wrong,
       "givens on a diagonal, Frenicle forms: one of each class");
}

static void test_limit(void)
{
    combgpu_magic_desc desc = describe(4, 0, NULL);
    combgpu_magic_result result;
    combgpu_job *job;
    combgpu_status status;
    list l;
    memset(&l, 0, sizeof l);
    l.desc = &desc;
    desc.solution = list_call;
    desc.solution_user = &l;
    desc.limit = 13;
    status = combgpu_magic(CPU, &desc, &result);
    ok(status == COMBGPU_FOUND && l.calls == 13 && result.run.status == COMBGPU_FOUND,
       "limit 13 ends with FOUND after 13 calls");
    l.calls = l.sum = 0;
    combgpu_magic_begin(CPU, &desc, &job);
    while ((status = combgpu_step(job)) == COMBGPU_RUNNING) {
    }
    ok(status == COMBGPU_FOUND && l.calls == 13, "step by step as well");
    while ((status = combgpu_step(job)) == COMBGPU_RUNNING) {
    }
    status = combgpu_magic_end(job, &result);
    ok(status == COMBGPU_OK && l.calls == 7040 && result.count == 7040,
       "stepped on, it lists the rest");
}

/* Callbacks that take two milliseconds each: a slice finds thousands of squares, and they must not
   hold up a time limit that passed long ago. */
static int slow_call(const int *square, int order, void *user)
{
    int *calls = (int *)user;
    double until = test_now() + 0.002;
    (void)square, (void)order;
    if (++*calls < 1000)
        while (test_now() < until)
            continue;
    return 0;
}

static void test_slow_callbacks(void)
{
    combgpu_magic_desc desc = describe(4, COMBGPU_MAGIC_NORMAL, NULL);
    combgpu_job *job;
    combgpu_magic_result result;
    combgpu_status status;
    int calls = 0;
    desc.solution = slow_call;
    desc.solution_user = &calls;
    desc.run.time_limit_s = 0.001;
    desc.run.slice_ms = 500;
    equal_status(CPU, combgpu_magic_begin(CPU, &desc, &job), COMBGPU_OK, "slow callbacks: begin");
    equal_status(CPU, combgpu_step(job), COMBGPU_STOPPED, "slow callbacks: the time limit holds");
    ok(calls && calls < 200, "slow callbacks: %d of 7,040 squares after it", calls);
    calls = 1000 + calls;
    do
        status = combgpu_step(job);
    while (status == COMBGPU_RUNNING || status == COMBGPU_STOPPED);
    equal_status(CPU, status, COMBGPU_OK, "slow callbacks: the rest comes later");
    combgpu_magic_end(job, &result);
    ok(calls == 8040 && result.count == 7040, "slow callbacks: each square once");
}

/* ---- order 5: the join */

/* One shard of all squares of order 5: every place, its parts, and its list. */
static void test_join_shard(void)
{
    combgpu_magic_desc desc = describe(5, 0, NULL);
    combgpu_magic_result whole, part;
    uint64_t count = 0, checksum = 0, steps = 0;
    list l;
    int i;
    desc.run.shard_count = 400;
    desc.run.shard_index = 123;
    whole = everywhere(&desc, "1/400 of order 5");
    ok(whole.count > 275305224 / 50 / 2 && whole.count < 275305224 / 50 * 2 && whole.by_centre[3] &&
           whole.by_centre[3] == whole.by_centre[23],
       "1/400 of order 5 has about 1/400 of the squares");
    for (i = 0; i < 3; i++) {
        desc.run.shard_count = 1200;
        desc.run.shard_index = 123 + 400 * i;
        combgpu_magic(random_place(), &desc, &part);
        count += part.count;
        checksum += part.run.checksum;
        steps += part.run.steps;
    }
    ok(count == whole.count && checksum == whole.run.checksum && steps == whole.run.steps,
       "three shards of 1,200 add up to one of 400");

    desc.run.shard_count = 8000;
    desc.run.shard_index = 4321;
    whole = everywhere(&desc, "1/8000 of order 5");
    for (i = 0; i < TEST_PLACES; i++) {
        if (!opened[i]) continue;
        desc.frenicle = 1;
        part = list_all(opened[i], &desc, &l);
        ok(l.calls == whole.up_to_d4 && part.count == whole.count && !l.wrong &&
               l.sum == part.run.checksum &&
               !memcmp(part.by_centre, whole.by_centre, sizeof whole.by_centre),
           "%s: 1/8000 of order 5 listed in Frenicle form", test_places[i].name);
    }
    desc.frenicle = 0;
    part = list_all(CPU, &desc, &l);
    ok(l.calls == whole.count && part.count == whole.count && !l.wrong,
       "1/8000 of order 5 listed in every orientation");
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

static uint64_t *hashes;

static int hash_call(const int *square, int order, void *user)
{
    size_t *count = (size_t *)user;
    hashes[(*count)++] = test_fnv(square, (size_t)(order * order) * sizeof *square);
    return 0;
}

/* Order 5 with the centre given is listed through complements and the M-group. */
static void test_join_centre(void)
{
    int givens[25] = {0}, c, repeated;
    combgpu_magic_desc desc = describe(5, 0, givens);
    combgpu_magic_result counted, listed;
    size_t count, i;
    desc.run.shard_count = test_small() ? 400 : 40;
    for (c = 13; c <= 25; c += 12) {
        givens[12] = c;
        desc.solution = NULL;
        combgpu_magic(CPU, &desc, &counted);
        hashes = (uint64_t *)malloc((size_t)counted.count * sizeof *hashes);
        desc.solution = hash_call;
        desc.solution_user = &count;
        count = 0;
        combgpu_magic(CPU, &desc, &listed);
        qsort(hashes, count, sizeof *hashes, compare_words);
        for (i = 1, repeated = 0; i < count; i++)
            repeated += hashes[i] == hashes[i - 1];
        ok(count == counted.count && listed.count == counted.count && !repeated &&
               listed.by_centre[c] == listed.up_to_d4,
           "1/%d of order 5 with %d in the centre: %llu squares, all different",
           desc.run.shard_count, c, (unsigned long long)count);
        free(hashes);
    }
}

static void test_slow(void)
{
    combgpu_magic_desc desc = describe(5, 0, NULL);
    combgpu_magic_result result;
    list l;
    if (!getenv("COMBGPU_TEST_SLOW")) {
        skip("minutes; set COMBGPU_TEST_SLOW", "all squares of order 5");
        return;
    }
    desc.frenicle = 1;
    result = list_all(CPU, &desc, &l);
    equal_u64(l.calls, 275305224, "all squares of order 5 are listed");
    equal_u64(result.run.checksum, UINT64_C(0xa98b1e25bca0bf00), "their checksum is the known one");
}

/* ---- givens against the oracle */

static int order5[25] = {17, 24, 1,  8,  15, 23, 5, 7,  14, 16, 4, 6, 13,
                         20, 22, 10, 12, 19, 21, 3, 11, 18, 25, 2, 9};

/* Leaves `keep` cells of a square, those for which allowed is true. */
static void pick(int order, const int *square, int keep, int (*allowed)(int, int, int), int *givens)
{
    memset(givens, 0, 25 * sizeof *givens);
    while (keep) {
        int cell = random_below(order * order);
        if (givens[cell] || (allowed && !allowed(order, cell / order, cell % order))) continue;
        givens[cell] = square[cell];
        keep--;
    }
}

static int on_diagonal(int order, int row, int column)
{
    (void)order;
    return row == column;
}

static int on_other_diagonal(int order, int row, int column)
{
    return row + column == order - 1;
}

static int not_middle_rows(int order, int row, int column)
{
    (void)column;
    return row < 2 || row == order - 1;
}

static void test_givens(void)
{
    static const int durer[16] = {16, 3, 2, 13, 5, 10, 11, 8, 9, 6, 7, 12, 4, 15, 14, 1};
    static const int pandiagonal[16] = {1, 8, 13, 12, 14, 11, 2, 7, 4, 5, 16, 9, 15, 10, 3, 6};
    int givens[25], i;
    char name[64];
    for (i = 0; i < 8; i++) {
        const int *square = i % 2 ? pandiagonal : durer;
        combgpu_magic_desc desc;
        pick(4, square, 2 + i % 4 / 2,
             i < 4   ? NULL
             : i < 6 ? on_diagonal
                     : on_other_diagonal,
             givens);
        desc = describe(4,
                        i % 4 == 3 ? COMBGPU_MAGIC_PANDIAGONAL
                        : i % 3    ? 0
                                   : COMBGPU_MAGIC_SEMI,
                        givens);
        snprintf(name, sizeof name, "order 4 %s, givens %d", kinds[desc.kind], i);
        agrees_with_oracle(&desc, oracle_of(4, givens), name);
    }
    for (i = 0; i < 4; i++) {
        combgpu_magic_desc desc = describe(5, i % 2, givens);
        pick(5, order5, i < 2 ? 13 : 14, i < 2 ? NULL : not_middle_rows, givens);
        snprintf(name, sizeof name, "order 5 %s, givens %d", kinds[desc.kind], i);
        agrees_with_oracle(&desc, oracle_of(5, givens), name);
    }
    {
        combgpu_magic_desc desc = describe(5, COMBGPU_MAGIC_ASSOCIATIVE, order5);
        combgpu_magic_result result = everywhere(&desc, "a full square as givens");
        ok(result.count == 1 && result.up_to_d4 == 1, "a full square has itself as completion");
        memset(givens, 0, sizeof givens);
        givens[0] = 13; /* 13 opposite 13, in an associative square */
        desc.givens = givens;
        combgpu_magic(CPU, &desc, &result);
        equal_u64(result.count, 0, "associative with 13 in a corner has no completion");
    }
}

static void test_order6(void)
{
    int square[36], givens[36] = {0}, i;
    combgpu_magic_desc desc = describe(6, 0, givens);
    combgpu_magic_result result;
    combgpu_magic_construct(CPU, 6, square);
    memcpy(givens, square, sizeof square);
    for (i = 12; i < 32; i++)
        givens[i] = 0;
    result = everywhere(&desc, "order 6 with 20 free cells");
    ok(result.count > 1 && result.up_to_d4 == result.count, "order 6 with 20 free cells: %llu",
       (unsigned long long)result.count);
    memset(givens, 0, sizeof givens);
    memcpy(givens, square, 6 * sizeof *square);
    desc.limit = 100;
    desc.solution = list_call;
    for (i = 0; i < 4; i++) {
        list l;
        desc.givens = i % 2 ? NULL : givens;
        desc.kind = i < 2 ? COMBGPU_MAGIC_NORMAL : COMBGPU_MAGIC_SEMI;
        list_all(random_place(), &desc, &l);
        ok(l.calls == 100 && !l.wrong, "order 6 %s, %d free cells: the first 100", kinds[desc.kind],
           i % 2 ? 36 : 30);
    }
    desc = describe(6, 0, givens);
    desc.limit = 100;
    equal_status(CPU, combgpu_magic(CPU, &desc, &result), COMBGPU_FOUND, "a count up to a limit");
    ok(result.count >= 100 && result.count < 200, "the count ends near the limit");
}

static void test_semi_limit(void)
{
    int uneven[25], i, place;
    for (i = 0; i < 25; i++)
        uneven[i] = i < 24 ? i + 1 : 30;
    for (i = 0; i < 2; i++)
        for (place = 0; place < TEST_PLACES; place++) {
            combgpu_magic_desc desc = describe(5, COMBGPU_MAGIC_SEMI, NULL);
            list l;
            if (!opened[place]) continue;
            desc.numbers = i ? uneven : NULL;
            desc.limit = 100;
            desc.solution = list_call;
            desc.run.time_limit_s = 30;
            list_all(opened[place], &desc, &l);
            ok(l.calls == 100 && (i || !l.wrong),
               "order 5 semi-magic%s, nothing given, %s: the first 100",
               i ? ", uneven numbers" : "", test_places[place].name);
        }
}

/* ---- shards, slices, stop and resume */

static void test_shards(void)
{
    static const int counts[3] = {1, 3, 7};
    int s, i, which;
    for (which = 0; which < 3; which++)
        for (s = 0; s < 3; s++) {
            combgpu_magic_desc desc = describe(4, which ? COMBGPU_MAGIC_SEMI : 0, NULL);
            combgpu_magic_result whole, part;
            uint64_t count = 0, classes = 0, m = 0, checksum = 0, steps = 0;
            desc.kind = which ? COMBGPU_MAGIC_SEMI : COMBGPU_MAGIC_NORMAL;
            combgpu_magic(CPU, &desc, &whole);
            desc.run.shard_count = counts[s];
            for (i = 0; i < counts[s]; i++) {
                desc.run.shard_index = i;
                if (which == 2) { /* 1/500 of semi-magic order 5, in parts */
                    desc.order = 5;
                    desc.run.shard_count = 500;
                    desc.run.shard_index = 123;
                    combgpu_magic(CPU, &desc, &whole);
                    desc.run.shard_count = 500 * counts[s];
                    desc.run.shard_index = 123 + 500 * i;
                }
                combgpu_magic(random_place(), &desc, &part);
                count += part.count;
                classes += part.up_to_d4;
                m += part.up_to_m_group;
                checksum += part.run.checksum;
                steps += part.run.steps;
            }
            ok(count == whole.count && classes == whole.up_to_d4 && m == whole.up_to_m_group &&
                   checksum == whole.run.checksum && steps == whole.run.steps && count,
               "%s order %d: %d shards add up to the whole", kinds[desc.kind], desc.order,
               counts[s]);
        }
}

TEST_SEARCH(magic)

static int wander(combgpu_magic_desc desc, int budget, combgpu_magic_result *result)
{
    test_search s = magic_search(&desc, result, budget);
    s.records = 400;
    return test_pieces(&s);
}

static int stop_often(list *l)
{
    return random_below(l->stop_at) == 0;
}

static int hash_nothing(const int *square, int order, void *user)
{
    (void)square, (void)order, (void)user;
    return 0;
}

static void test_resume(void)
{
    combgpu_magic_desc desc = describe(4, 0, NULL);
    combgpu_magic_result whole, result;
    list l, pieces_list;
    int pieces, i;
    combgpu_magic(CPU, &desc, &whole);
    for (i = pieces = 0; i < 6; i++) { /* how many pieces a run has is chance */
        int more = wander(desc, 50, &result);
        pieces = more > 0 && same_result(&whole, &result) ? pieces + more : -100;
    }
    ok(pieces > (test_has_gpu() ? 5 : 11),
       "order 4 stopped, saved and resumed, %d chunks in 6 runs: nothing changes", pieces);

    desc.frenicle = 0;
    list_all(CPU, &desc, &l);
    memset(&pieces_list, 0, sizeof pieces_list);
    pieces_list.desc = &desc;
    pieces_list.stop = stop_often;
    pieces_list.stop_at = 100;
    desc.solution_user = &pieces_list;
    pieces = wander(desc, 20000, &result);
    ok(pieces > 20 && same_result(&whole, &result) && pieces_list.calls == 7040 &&
           pieces_list.sum == l.sum,
       "a callback that stops order 4 %d times gets every square once", pieces);

    desc = describe(5, COMBGPU_MAGIC_SEMI, NULL);
    desc.run.shard_index = 11;
    desc.run.shard_count = 1000;
    whole = everywhere(&desc, "1/1000 of semi-magic order 5");
    ok(whole.count > 4632344409600u / 1000 / 3 && whole.count < 4632344409600u / 1000 * 3 &&
           whole.by_centre[7] * 25 == whole.up_to_d4,
       "1/1000 of semi-magic order 5 has about 1/1000 of the squares");
    for (i = pieces = 0; i < 6; i++) { /* a place with many lanes is done at once */
        int more = wander(desc, 5, &result);
        pieces = more > 0 && same_result(&whole, &result) ? pieces + more : -100;
    }
    ok(pieces > (test_has_gpu() ? 5 : 6), "it is stopped, saved and resumed: nothing changes");

    desc = describe(5, 0, NULL);
    desc.run.shard_index = 7;
    desc.run.shard_count = 4000;
    combgpu_magic(CPU, &desc, &whole);
    pieces = wander(desc, 20, &result); /* a task has 144 steps and one worker */
    ok(pieces > 3 && same_result(&whole, &result),
       "a shard of order 5 stopped, saved and resumed %d times: nothing changes", pieces);

    desc.checksum = 1;
    desc.run.shard_count = 8000;
    whole = everywhere(&desc, "1/8000 of order 5 with the checksum of its squares");
    desc.solution = hash_nothing;
    combgpu_magic(CPU, &desc, &result);
    ok(result.run.checksum == whole.run.checksum && result.count == whole.count,
       "it is the checksum that a list has");
    desc.solution = NULL;
    for (i = pieces = 0; i < 6; i++) { /* 8 pairs of diagonals */
        int more = wander(desc, 3, &result);
        pieces = more > 0 && same_result(&whole, &result) ? pieces + more : -100;
    }
    ok(pieces > (test_has_gpu() ? 5 : 6),
       "it is stopped, saved and resumed %d times: nothing changes", pieces);

    desc.run.shard_count = 16000;
    whole = list_all(CPU, &desc, &l);
    memset(&pieces_list, 0, sizeof pieces_list);
    pieces_list.desc = &desc;
    pieces_list.stop = stop_often;
    pieces_list.stop_at = 2000;
    desc.solution_user = &pieces_list;
    pieces = wander(desc, 400, &result);
    ok(pieces > 20 && same_result(&whole, &result) && pieces_list.calls == l.calls &&
           pieces_list.sum == l.sum,
       "a callback that stops the list of a shard of order 5 %d times gets every square once",
       pieces);
}

/* A checkpoint is untrusted: with a changed task or record and a repaired CRC it is refused or
   gives a result, and nothing worse happens. */
static void test_damaged(void)
{
    combgpu_magic_desc desc = describe(4, 0, NULL);
    combgpu_job *job;
    unsigned char *saved;
    size_t bytes, begin, i;
    int refused = 0, tries;
    combgpu_magic_begin(CPU, &desc, &job);
    combgpu_step(job);
    saved = test_save(job, &bytes);
    combgpu_job_cancel(job);
    begin = test_data_begin(saved, bytes);
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    for (tries = 0; tries < 200; tries++) {
        unsigned char old;
        i = begin + random_u64_below(bytes - begin - 4);
        old = saved[i];
        saved[i] = (unsigned char)(old ^ (1u << random_below(8)));
        test_mend(saved, bytes);
        if (combgpu_magic_begin(CPU, &desc, &job) == COMBGPU_BAD_FILE) refused++;
        combgpu_job_cancel(job);
        saved[i] = old;
    }
    ok(refused > 150, "of 200 checkpoints with a changed bit %d are refused as impossible",
       refused);
    free(saved);
}

/* Records of a device are checked. */
static void test_wrong_records(void)
{
    static const uint32_t records[3][4] = {{0, 0, 0, 0}, {UINT32_MAX, 1, 0, 0}, {0, 1, 0, 0}};
    int form, wrong = 0;
    for (form = 0; form < 3; form++) {
        combgpu_magic_desc desc = describe(form ? 5 : 4, 0, NULL);
        combgpu_job *job;
        desc.solution = corner_call;
        combgpu_magic_begin(CPU, &desc, &job);
        wrong += inside_record(job, records[form]) == COMBGPU_WRONG_RESULT &&
                 strstr(combgpu_message(CPU), "kernel combgpu_magic") != NULL;
        combgpu_job_cancel(job);
    }
    equal_u64(wrong, 3, "records that cannot be right are WRONG_RESULT");
}

/* ---- errors */

static void refused(const combgpu_magic_desc *desc, combgpu_status want, const char *first,
                    const char *second)
{
    combgpu_job *job = (combgpu_job *)(void *)&desc;
    combgpu_status status = combgpu_magic_begin(CPU, desc, &job);
    ok(status == want && !job && strstr(combgpu_message(CPU), first) &&
           strstr(combgpu_message(CPU), second),
       "refused: %s", combgpu_message(CPU));
    if (!status) combgpu_job_cancel(job);
}

/* Order 5 with givens on the diagonals is counted by the join, with `checksum` by the search. */
static void test_givens_on_diagonals(void)
{
    static const int cases[4][8] = {{0, 3, 4, 7, 8, 22, 12, 25},
                                    {4, 12, 8, 7, 24, 1, 12, 14},
                                    {0, 1, 4, 2, 20, 3},
                                    {4, 12, 6, 22, 12, 13}};
    int givens[25], k, i;
    for (k = 0; k < (test_small() ? 1 : 4); k++) {
        combgpu_magic_desc desc = describe(5, 0, givens);
        combgpu_magic_result joined, searched, part, sum;
        memset(givens, 0, sizeof givens);
        memset(&sum, 0, sizeof sum);
        for (i = 0; i < 8; i += 2)
            if (cases[k][i + 1]) givens[cases[k][i]] = cases[k][i + 1];
        desc.checksum = 1;
        equal_status(CPU, combgpu_magic(CPU, &desc, &searched), COMBGPU_OK, "searched");
        desc.checksum = 0;
        equal_status(CPU, combgpu_magic(CPU, &desc, &joined), COMBGPU_OK, "joined");
        equal_u64(joined.count, searched.count, "equal counts: %llu",
                  (unsigned long long)joined.count);
        ok(joined.up_to_d4 == searched.up_to_d4 &&
               !memcmp(joined.by_centre, searched.by_centre, sizeof joined.by_centre),
           "and up to symmetry, and by centre");
        desc.run.shard_count = 3;
        for (i = 0; i < 3; i++) {
            desc.run.shard_index = i;
            combgpu_magic(CPU, &desc, &part);
            sum.count += part.count;
            sum.run.checksum += part.run.checksum;
        }
        ok(sum.count == joined.count && sum.run.checksum == joined.run.checksum, "shards add up");
    }
}

static void test_errors(void)
{
    static const int bad_row[6] = {35, 1, 6, 26, 19, 25};
    int givens[25], wide[36] = {0}, out[9] = {8, 1, 6, 3, 5, 7, 4, 9, 2};
    combgpu_magic_desc desc = describe(0, 0, NULL);
    combgpu_magic_report report;
    combgpu_job *job;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "order is 0", "1 to 10");
    desc.order = 11;
    refused(&desc, COMBGPU_UNSUPPORTED, "order is 11", "1 to 10");
    desc = describe(4, 9, NULL);
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "kind is 9", "5 (bimagic)");
    desc = describe(4, 0, givens);
    memset(givens, 0, sizeof givens);
    givens[6] = 17;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "row 1, column 2", "is 17");
    givens[6] = -1;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "row 1, column 2", "is -1");
    givens[6] = 3;
    givens[13] = 3;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "row 1, column 2", "row 3, column 1");
    givens[13] = 0;
    givens[4] = 1, givens[5] = 2, givens[7] = 4;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "row 1 adds up to 10", "(1,0)=1 (1,1)=2 (1,2)=3");
    memset(givens, 0, sizeof givens);
    givens[1] = 16, givens[5] = 15, givens[9] = 14;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "column 1", "(0,1)=16 (1,1)=15 (2,1)=14");
    givens[1] = 0, givens[9] = 0, givens[0] = 16, givens[10] = 4;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "diagonal from column 0", "(0,0)=16 (1,1)=15 (2,2)=4");
    memcpy(wide, bad_row, sizeof bad_row);
    desc = describe(6, 0, wide);
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "row 0 adds up to 112", "(0,5)=25");
    wide[5] = 24;
    desc.kind = COMBGPU_MAGIC_BIMAGIC;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "squares of row 0 add up to 2875", "2701");
    ok(combgpu_magic_begin(NULL, &desc, &job) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_begin(CPU, NULL, &job) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_begin(CPU, &desc, NULL) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_end(NULL, NULL) == COMBGPU_INVALID_ARGUMENT,
       "NULL pointers are refused");
    equal_status(CPU, combgpu_magic_check(CPU, 65, out, &report), COMBGPU_INVALID_ARGUMENT,
                 "check refuses order 65");
    equal_status(CPU, combgpu_magic_check(CPU, 3, NULL, &report), COMBGPU_INVALID_ARGUMENT,
                 "check refuses no square");
    equal_status(CPU, combgpu_magic_frenicle(CPU, 0, out, out), COMBGPU_INVALID_ARGUMENT,
                 "frenicle refuses order 0");
    equal_status(CPU, combgpu_magic_construct(CPU, 2, out), COMBGPU_INVALID_ARGUMENT,
                 "construct refuses order 2");
    equal_status(CPU, combgpu_magic_construct(CPU, 10001, out), COMBGPU_INVALID_ARGUMENT,
                 "construct refuses order 10001");
}

/* ---- memory */

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_magic_result result;
    return combgpu_magic(ctx, (const combgpu_magic_desc *)user, &result);
}

static void test_memory(void)
{
    combgpu_context_desc one_thread = test_context(0);
    int form, wrong = 0, failures = 0;
    for (form = 0; form < 5; form++) { /* order 4; order 5: count, list, checksum, semi-magic */
        combgpu_magic_desc desc = describe(form ? 5 : 4, form == 4 ? COMBGPU_MAGIC_SEMI : 0, NULL);
        int failed;
        if (form) desc.run.shard_count = 28000;
        if (form == 2) desc.solution = hash_nothing;
        desc.checksum = form == 3;
        failed = test_out_of_memory(&one_thread, 1, allocating, &desc);
        wrong += failed < 4;
        failures += failed;
    }
    ok(!wrong && failures > 20,
       "each of %d allocations may fail: a status, no leak, and the context stays usable",
       failures);
}

/* ---- columns of five rows, against a search */

/* Columns from number `column` of row 0 on; used: numbers that have one. */
static uint32_t oracle_columns(int rows[5][5], int column, uint32_t used)
{
    uint32_t ways = 0;
    int i;
    if (column == 5) return 1;
    for (i = 0; i < 5 * 5 * 5 * 5; i++) {
        int a = rows[1][i % 5], b = rows[2][i / 5 % 5], c = rows[3][i / 25 % 5],
            d = rows[4][i / 125];
        uint32_t four = 1u << a | 1u << b | 1u << c | 1u << d;
        if (rows[0][column] + a + b + c + d == 65 && !(four & used))
            ways += oracle_columns(rows, column + 1, used | four);
    }
    return ways;
}

static void test_orthogonal(void)
{
    int wrong = 0, i, k;
    uint32_t most = 0;
    for (i = 0; i < 40; i++) {
        int cells[25], rows[5][5], swap;
        uint32_t sets[5], want;
        combgpu_magic_construct(CPU, 5, cells);
        /* two numbers of a row for two of another with the same sum */
        for (k = 0; k < 4000; k++) {
            int a = random_below(25), b = random_below(25), c = random_below(5),
                d = random_below(5);
            int e = a / 5 * 5 + c, f = b / 5 * 5 + d;
            if (a / 5 == b / 5 || a == e || b == f || cells[a] + cells[e] != cells[b] + cells[f])
                continue;
            swap = cells[a], cells[a] = cells[b], cells[b] = swap;
            swap = cells[e], cells[e] = cells[f], cells[f] = swap;
        }
        memset(sets, 0, sizeof sets);
        for (k = 0; k < 25; k++) {
            rows[k / 5][k % 5] = cells[k];
            sets[k / 5] |= 1u << cells[k];
        }
        want = oracle_columns(rows, 0, 0);
        wrong += inside_magic_orthogonal(sets) != want;
        if (want > most) most = want;
    }
    ok(!wrong && most > 1, "columns of five rows: as a search finds them, up to %d ways",
       (int)most);
}

/* ---- helpers */

static void test_check(void)
{
    static const int lo_shu[9] = {8, 1, 6, 3, 5, 7, 4, 9, 2};
    static const int ultra[25] = {1,  15, 24, 8,  17, 23, 7, 16, 5,  14, 20, 4, 13,
                                  22, 6,  12, 21, 10, 19, 3, 9,  18, 2,  11, 25};
    static const int bimagic[64] = {/* G. Pfeffermann 1890 */
                                    56, 34, 8,  57, 18, 47, 9,  31, 33, 20, 54, 48, 7,  29, 59, 10,
                                    26, 43, 13, 23, 64, 38, 4,  49, 19, 5,  35, 30, 53, 12, 46, 60,
                                    15, 25, 63, 2,  41, 24, 50, 40, 6,  55, 17, 11, 36, 58, 32, 45,
                                    61, 16, 42, 52, 27, 1,  39, 22, 44, 62, 28, 37, 14, 51, 21, 3};
    static const int order[8] = {0, 1, 2, 4, 6, 7, 3, 5};
    int one = 1, square[64 * 64], i;
    combgpu_magic_report report;
    combgpu_magic_check(CPU, 3, lo_shu, &report);
    ok(report.is_magic && report.is_semimagic && report.is_associative && !report.is_pandiagonal &&
           !report.is_frenicle && report.magic_sum == 15 && report.wrong_cell == -1,
       "check: Lo Shu is associative");
    ok(report.rows[2] == 15 && report.columns[1] == 15 && report.diagonals[1] == 15 &&
           report.broken[0][1] == 1 + 7 + 4 && report.broken[1][0] == 8 + 7 + 9,
       "check: its sums");
    combgpu_magic_check(CPU, 5, ultra, &report);
    ok(report.is_ultramagic && report.is_pandiagonal && report.is_associative && report.is_frenicle,
       "check: an ultramagic square");
    combgpu_magic_check(CPU, 1, &one, &report);
    ok(report.is_ultramagic && report.is_frenicle, "check: order 1");
    memcpy(square, ultra, sizeof ultra);
    square[7] = 15;
    combgpu_magic_check(CPU, 5, square, &report);
    ok(!report.is_permutation && report.wrong_cell == 7 && !report.is_semimagic &&
           report.repeats == 1 && report.wrong_lines == 2 &&
           strstr(report.wrong, "row 0, column 1 and row 1, column 2 are both 15"),
       "check: a repeated number is found: %s", report.wrong);
    square[7] = INT_MAX;
    combgpu_magic_check(CPU, 5, square, &report);
    ok(report.wrong_cell == 7 && report.rows[1] == (int64_t)INT_MAX + 23 + 7 + 5 + 14,
       "check: large numbers do not overflow");
    memcpy(square, lo_shu, sizeof lo_shu);
    for (i = 0; i < 3; i++)
        square[i] = lo_shu[3 + i], square[3 + i] = lo_shu[i];
    combgpu_magic_check(CPU, 3, square, &report);
    ok(report.is_semimagic && !report.is_magic && report.wrong_lines == 2 &&
           !strcmp(report.wrong, "diagonal 0 adds up to 6 and must add up to 15"),
       "check: a semi-magic square: %s", report.wrong);
    combgpu_magic_check(CPU, 8, bimagic, &report);
    ok(report.is_bimagic && report.is_magic && !report.wrong[0] && !report.wrong_lines,
       "check: a bimagic square");
    memcpy(square, bimagic, sizeof bimagic);
    for (i = 0; i < 8; i++)
        square[i] = bimagic[56 + i], square[56 + i] = bimagic[i];
    combgpu_magic_check(CPU, 8, square, &report);
    ok(!report.is_bimagic, "check: a square that is not bimagic");
    for (i = 0; i < 64; i++)
        square[i] = bimagic[8 * order[i / 8] + i % 8];
    combgpu_magic_check(CPU, 8, square, &report);
    ok(report.is_magic && !report.is_bimagic, "check: ... because of one diagonal's squares");
    ok(combgpu_magic_check(CPU, INT_MAX, square, &report) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_construct(CPU, INT_MIN, square) == COMBGPU_INVALID_ARGUMENT,
       "check and construct refuse all other orders");
    ok(combgpu_magic_construct(CPU, 3, NULL) == COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(CPU), "out is NULL"),
       "the message names the pointer: %s", combgpu_message(CPU));
    combgpu_magic_construct(CPU, 64, square);
    combgpu_magic_check(CPU, 64, square, &report);
    ok(report.is_magic && report.broken[1][63] == report.magic_sum, "check: order 64");
}

static void test_frenicle(void)
{
    static const int lo_shu[9] = {2, 7, 6, 9, 5, 1, 4, 3, 8};
    int image[2][64], form[64], g, n, i, right = 0;
    memcpy(image[0], lo_shu, sizeof lo_shu);
    for (g = 0; g < 8; g++) {
        combgpu_magic_frenicle(CPU, 3, image[g & 1], form);
        right += !memcmp(form, lo_shu, sizeof lo_shu);
        oracle_turn(3, image[g & 1], image[(g + 1) & 1], g == 3);
    }
    equal_u64(right, 8, "all eight images of Lo Shu have one Frenicle form");
    for (n = 2, right = 0; n <= 8; n++) {
        combgpu_magic_report report;
        for (i = 0; i < n * n; i++)
            form[i] = i + 1;
        for (i = n * n - 1; i > 0; i--) {
            int k = random_below(i + 1), t = form[i];
            form[i] = form[k];
            form[k] = t;
        }
        combgpu_magic_frenicle(CPU, n, form, form); /* in place */
        combgpu_magic_check(CPU, n, form, &report);
        right += report.is_frenicle && report.is_permutation;
    }
    equal_u64(right, 7, "Frenicle form in place, orders 2 to 8");
}

/* Is it a magic square? In 64 bits and with its own memory. */
static int is_magic(int n, const int *square)
{
    int64_t sum = (int64_t)n * ((int64_t)n * n + 1) / 2, diagonal = 0, other = 0;
    unsigned char *seen = (unsigned char *)calloc((size_t)n * (size_t)n + 1, 1);
    int r, c, right = seen != NULL;
    for (r = 0; r < n && right; r++) {
        int64_t row = 0, column = 0;
        for (c = 0; c < n; c++) {
            int number = square[(size_t)r * (size_t)n + (size_t)c];
            row += number;
            column += square[(size_t)c * (size_t)n + (size_t)r];
            if (number < 1 || number > n * n || seen[number]++) right = 0;
        }
        diagonal += square[(size_t)r * (size_t)n + (size_t)r];
        other += square[(size_t)r * (size_t)n + (size_t)(n - 1 - r)];
        if (row != sum || column != sum) right = 0;
    }
    free(seen);
    return right && diagonal == sum && other == sum;
}

static void test_construct(void)
{
    int most = getenv("COMBGPU_TEST_SLOW") ? 10000 : 1002, n, right = 0;
    int *square = (int *)malloc((size_t)most * (size_t)most * sizeof *square);
    for (n = 3; n <= 160; n++)
        right += combgpu_magic_construct(CPU, n, square) == COMBGPU_OK && is_magic(n, square);
    equal_u64(right, 158, "construct: orders 3 to 160 are magic");
    for (n = most - 3, right = 0; n <= most; n++)
        right += combgpu_magic_construct(CPU, n, square) == COMBGPU_OK && is_magic(n, square);
    equal_u64(right, 4, "construct: orders %d to %d are magic", most - 3, most);
    free(square);
}

int main(void)
{
    open_places();
    test_oracle();
    test_known();
    test_orders_1_and_2();
    test_listing();
    test_limit();
    test_slow_callbacks();
    test_join_shard();
    test_join_centre();
    test_givens();
    test_order6();
    test_semi_limit();
    test_shards();
    test_resume();
    test_damaged();
    test_wrong_records();
    test_givens_on_diagonals();
    test_errors();
    test_memory();
    test_orthogonal();
    test_check();
    test_frenicle();
    test_construct();
    test_slow();
    close_places();
    return tap_end();
}
