/* Tests no-three-in-line: a slow oracle, the published numbers (tests/data), every backend, shards, stop
   and resume, boards as text. */
#define COMBGPU_ONLY_NO3 1
#include "test.h"

static combgpu_no3_desc describe(int n, combgpu_no3_class symmetry)
{
    combgpu_no3_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.symmetry = symmetry;
    return desc;
}

static const char *label(const combgpu_no3_desc *desc)
{
    static char text[64];
    snprintf(text, sizeof text, "n = %d, %s", desc->n, combgpu_no3_class_string(desc->symmetry));
    return text;
}

static int same_result(const combgpu_no3_result *a, const combgpu_no3_result *b)
{
    return a->all == b->all && a->up_to_symmetry == b->up_to_symmetry &&
           !memcmp(a->classes, b->classes, sizeof a->classes) &&
           a->run.checksum == b->run.checksum && a->run.steps == b->run.steps;
}

static int complain(const combgpu_no3_desc *desc, int place, const combgpu_no3_result *result,
                    const combgpu_no3_result *want)
{
    printf("# %s, %s: all %llu, not %llu; checksum %llx, not %llx; steps %llu, not %llu; %s\n",
           label(desc), test_places[place].name, (unsigned long long)result->all,
           (unsigned long long)want->all, (unsigned long long)result->run.checksum,
           (unsigned long long)want->run.checksum, (unsigned long long)result->run.steps,
           (unsigned long long)want->run.steps, combgpu_message(opened[place]));
    return 0;
}

/* Runs a search everywhere; one test point: all results are equal. Returns the first place's. */
static combgpu_no3_result everywhere(const combgpu_no3_desc *desc)
{
    combgpu_no3_result first, result;
    int i, same;
    memset(&first, 0, sizeof first);
    same = combgpu_no3(CPU, desc, &first) == COMBGPU_OK;
    if (!same) printf("# %s: %s\n", label(desc), combgpu_message(CPU));
    for (i = 1; i < TEST_PLACES; i++) {
        combgpu_status status;
        if (!opened[i]) continue;
        memset(&result, 0, sizeof result);
        status = combgpu_no3(opened[i], desc, &result);
        if (status != COMBGPU_OK || !same_result(&first, &result))
            same = complain(desc, i, &result, &first);
    }
    ok(same, "%s: counts, checksum and steps are equal on every backend", label(desc));
    return first;
}

/* ---- the oracle: row by row, each pair of columns, each new point against each pair of old ones.
   Classes come from the eight maps, written out. */

#define ORACLE_SIDE 8

typedef struct oracle {
    int n, x[2 * ORACLE_SIDE], column[ORACLE_SIDE]; /* point i is in row i / 2 */
    uint64_t all, classes[COMBGPU_NO3_CLASS_COUNT], checksum, every;
    uint64_t off_quarter; /* half turn, and a quarter turn off the diagonals; up to symmetry */
} oracle;

static int oracle_in_line(const oracle *o, int a, int b, int c)
{
    return (o->x[b] - o->x[a]) * (c / 2 - a / 2) == (o->x[c] - o->x[a]) * (b / 2 - a / 2);
}

/* Returns whether point c is allowed beside points 0 .. c-1. */
static int oracle_allowed(const oracle *o, int c)
{
    int a, b;
    if (o->column[o->x[c]] == 2) return 0;
    for (a = 0; a < c; a++)
        for (b = 0; b < a; b++)
            if (oracle_in_line(o, a, b, c)) return 0;
    return 1;
}

static void oracle_map(int n, int map, int x, int y, int *to_x, int *to_y)
{
    int last = n - 1;
    switch (map) {
    case 0:
        *to_x = x, *to_y = y;
        break;
    case 1: /* quarter turn */
        *to_x = last - y, *to_y = x;
        break;
    case 2: /* half turn */
        *to_x = last - x, *to_y = last - y;
        break;
    case 3:
        *to_x = y, *to_y = last - x;
        break;
    case 4: /* left and right */
        *to_x = last - x, *to_y = y;
        break;
    case 5: /* up and down */
        *to_x = x, *to_y = last - y;
        break;
    case 6: /* main diagonal */
        *to_x = y, *to_y = x;
        break;
    default: /* other diagonal */
        *to_x = last - y, *to_y = last - x;
    }
}

/* The image of the board, or of what is off both diagonals. */
static void oracle_image(const oracle *o, int map, int off, uint64_t *rows)
{
    int i, x, y;
    memset(rows, 0, 64 * sizeof *rows);
    for (i = 0; i < 2 * o->n; i++) {
        oracle_map(o->n, map, o->x[i], i / 2, &x, &y);
        if (!off || (x != y && x != o->n - 1 - y)) rows[y] |= UINT64_C(1) << x;
    }
}

static int oracle_compare(int n, const uint64_t *a, const uint64_t *b)
{
    int y;
    for (y = 0; y < n && a[y] == b[y]; y++) {
    }
    return y == n ? 0 : a[y] < b[y] ? -1 : 1;
}

static combgpu_no3_class oracle_class(const int *keeps, int near)
{
    int turns = keeps[1] + keeps[2] + keeps[3], orthogonal = keeps[4] + keeps[5];
    int diagonal = keeps[6] + keeps[7];
    if (turns == 3) return orthogonal ? COMBGPU_NO3_FULL : COMBGPU_NO3_ROT4;
    if (turns == 1)
        return orthogonal ? COMBGPU_NO3_ORT2
               : diagonal ? COMBGPU_NO3_DIA2
               : near     ? COMBGPU_NO3_NEAR_ROT4
                          : COMBGPU_NO3_ROT2;
    return orthogonal ? COMBGPU_NO3_ORT1 : diagonal ? COMBGPU_NO3_DIA1 : COMBGPU_NO3_IDEN;
}

static uint64_t board_hash(int n, const uint64_t *rows)
{
    uint64_t hash = (uint64_t)n;
    int y;
    for (y = 0; y < n; y++)
        hash = test_mix(hash ^ rows[y]);
    return hash;
}

static void oracle_count(oracle *o)
{
    uint64_t own[64], image[64], off[64], off_turned[64];
    int keeps[8], map, smallest = 1, near;
    combgpu_no3_class symmetry;
    oracle_image(o, 0, 0, own);
    o->all++;
    o->every += board_hash(o->n, own);
    for (map = 0; map < 8; map++) {
        int order;
        oracle_image(o, map, 0, image);
        order = oracle_compare(o->n, image, own);
        keeps[map] = order == 0;
        if (order < 0) smallest = 0;
    }
    if (!smallest) return; /* its class is counted at the smallest image */
    oracle_image(o, 0, 1, off);
    oracle_image(o, 1, 1, off_turned);
    near = !oracle_compare(o->n, off, off_turned);
    symmetry = oracle_class(keeps, near && o->n % 2);
    o->classes[symmetry]++;
    if (symmetry == COMBGPU_NO3_NEAR_ROT4) o->classes[COMBGPU_NO3_ROT2]++;
    if (near && keeps[2]) o->off_quarter++;
    o->checksum += board_hash(o->n, own);
}

static void oracle_fill(oracle *o, int row)
{
    int n = o->n, *first = &o->x[2 * row], *second = first + 1;
    if (row == n) {
        oracle_count(o);
        return;
    }
    for (*first = 0; *first < n; ++*first) {
        if (!oracle_allowed(o, 2 * row)) continue;
        o->column[*first]++;
        for (*second = *first + 1; *second < n; ++*second) {
            if (!oracle_allowed(o, 2 * row + 1)) continue;
            o->column[*second]++;
            oracle_fill(o, row + 1);
            o->column[*second]--;
        }
        o->column[*first]--;
    }
}

static const oracle *oracle_of(int n)
{
    static oracle made[ORACLE_SIDE + 1];
    oracle *o = &made[n];
    if (!o->n) {
        o->n = n;
        oracle_fill(o, 0);
    }
    return o;
}

/* Returns whether a board of class `of` has at least the symmetry `least`. */
static int contains(combgpu_no3_class of, combgpu_no3_class least)
{
    switch (least) {
    case COMBGPU_NO3_ALL:
        return 1;
    case COMBGPU_NO3_DIA1:
        return of == COMBGPU_NO3_DIA1 || of == COMBGPU_NO3_DIA2 || of == COMBGPU_NO3_FULL;
    case COMBGPU_NO3_ORT1:
        return of == COMBGPU_NO3_ORT1 || of == COMBGPU_NO3_ORT2 || of == COMBGPU_NO3_FULL;
    case COMBGPU_NO3_ROT2:
        return of >= COMBGPU_NO3_ROT2;
    case COMBGPU_NO3_DIA2:
    case COMBGPU_NO3_ROT4:
    case COMBGPU_NO3_ORT2:
        return of == least || of == COMBGPU_NO3_FULL;
    default:
        return of == least;
    }
}

static void test_oracle(void)
{
    int n, c, k, last = test_small() ? 5 : ORACLE_SIDE;
    for (n = 2; n <= last; n++) {
        const oracle *o = oracle_of(n);
        combgpu_no3_desc desc = describe(n, COMBGPU_NO3_ALL);
        combgpu_no3_result result = everywhere(&desc);
        equal_u64(result.all, o->all, "n = %d: every orientation as the oracle's", n);
        ok(!memcmp(result.classes, o->classes, sizeof o->classes),
           "n = %d: every class as the oracle's", n);
        equal_u64(result.run.checksum, o->checksum, "n = %d: checksum as the oracle's", n);
        for (c = COMBGPU_NO3_DIA1; c < COMBGPU_NO3_CLASS_COUNT; c++) {
            int right = 1;
            desc.symmetry = (combgpu_no3_class)c;
            result = everywhere(&desc);
            for (k = COMBGPU_NO3_IDEN; k < COMBGPU_NO3_CLASS_COUNT; k++)
                if (c != COMBGPU_NO3_NEAR_ROT4 &&
                    result.classes[k] !=
                        (contains((combgpu_no3_class)k, desc.symmetry) ? o->classes[k] : 0))
                    right = 0;
            if (c == COMBGPU_NO3_NEAR_ROT4)
                right =
                    result.up_to_symmetry == o->off_quarter && result.classes[c] == o->classes[c];
            ok(right, "%s: its classes, and no others, as the oracle's", label(&desc));
        }
    }
}

/* ---- published numbers */

/* A search that some places can do in time. */
static combgpu_no3_result known_search(int n, combgpu_no3_class symmetry, int all_places)
{
    combgpu_no3_desc desc = describe(n, symmetry);
    combgpu_no3_result result;
    if (all_places) return everywhere(&desc);
    memset(&result, 0, sizeof result);
    if (combgpu_no3(CPU, &desc, &result)) printf("# %s\n", combgpu_message(CPU));
    return result;
}

/* The classes of no3_counts.csv in its order. */
static const combgpu_no3_class columns[8] = {
    COMBGPU_NO3_IDEN,      COMBGPU_NO3_DIA1, COMBGPU_NO3_ORT1, COMBGPU_NO3_ROT2,
    COMBGPU_NO3_NEAR_ROT4, COMBGPU_NO3_DIA2, COMBGPU_NO3_ROT4, COMBGPU_NO3_FULL};

/* Up to which side a class is searched here: everywhere, and on one core. */
static const int sides[8][2] = {{0, 0},   {13, 15}, {12, 14}, {13, 15},
                                {17, 19}, {18, 20}, {18, 20}, {20, 20}};

static void known_row(int n, unsigned long long all, const unsigned long long *number,
                      unsigned long long total)
{
    combgpu_no3_result result;
    int i, small = test_small();
    if (n <= (small ? 5 : 12)) {
        int right = 1;
        result = known_search(n, COMBGPU_NO3_ALL, n <= 11);
        for (i = 0; i < 8; i++)
            right &= result.classes[columns[i]] == number[i];
        ok(right && result.classes[COMBGPU_NO3_ORT2] == 0 && result.all == all &&
               result.up_to_symmetry == total,
           "n = %d: %llu solutions, %llu up to symmetry, and the numbers of each class", n, all,
           total);
    }
    for (i = 1; i < 8; i++) {
        if (n > (small ? 7 : sides[i][1])) continue;
        result = known_search(n, columns[i], n <= sides[i][0]);
        equal_u64(result.classes[columns[i]], number[i], "n = %d, %s: %llu up to symmetry", n,
                  combgpu_no3_class_string(columns[i]), number[i]);
    }
}

static void test_known(void)
{
    static const char *const names[4] = {"rot4", "rct4", "dia2", "ort1"};
    static const combgpu_no3_class classes[4] = {COMBGPU_NO3_ROT4, COMBGPU_NO3_NEAR_ROT4,
                                                 COMBGPU_NO3_DIA2, COMBGPU_NO3_ORT1};
    unsigned long long all, number[8], total;
    char line[256], name[8];
    int n, i, rows = 0;
    FILE *file = test_open_file("no3_counts.csv");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%d,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu", &n, &all,
                   &number[0], &number[1], &number[2], &number[3], &number[4], &number[5],
                   &number[6], &number[7], &total) != 11)
            continue;
        known_row(n, all, number, total);
        rows++;
    }
    if (file) fclose(file);
    equal_u64(rows, 19, "no3_counts.csv has the sides 2 to 20");
    file = test_open_file("no3_symmetric_counts.csv");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%7[^,],%d,%llu", name, &n, &total) != 3) continue;
        rows++;
        for (i = 0; i < 3; i++)
            if (!strcmp(name, names[i]) && n <= 26 && !test_small())
                equal_u64(known_search(n, classes[i], n < 24).classes[classes[i]], total,
                          "n = %d, %s: %llu up to symmetry", n, name, total);
    }
    if (file) fclose(file);
    ok(rows > 50, "no3_symmetric_counts.csv has %d rows", rows - 19);
}

/* The tree is part of what a version promises: shards and checkpoints of one search are of one
   tree. Who changes it changes the numbers here and `order` in the job's parameters. */
static void test_steps(void)
{
    static const struct {
        int n;
        combgpu_no3_class symmetry;
        uint64_t steps;
    } known[] = {{9, COMBGPU_NO3_ALL, 30853},    {10, COMBGPU_NO3_ALL, 187742},
                 {11, COMBGPU_NO3_ALL, 1195530}, {13, COMBGPU_NO3_ROT2, 16730},
                 {13, COMBGPU_NO3_DIA1, 28454},  {23, COMBGPU_NO3_NEAR_ROT4, 52418},
                 {21, COMBGPU_NO3_DIA2, 13749}};
    size_t i;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        combgpu_no3_desc desc = describe(known[i].n, known[i].symmetry);
        combgpu_no3_result result;
        if (test_small() && known[i].steps > 40000) continue;
        memset(&result, 0, sizeof result);
        combgpu_no3(CPU, &desc, &result);
        equal_u64(result.run.steps, known[i].steps, "%s: the steps of this version", label(&desc));
    }
}

/* ---- the formats of the board */

static combgpu_no3_result with_words(combgpu_context *ctx, const combgpu_no3_desc *desc, int words)
{
    combgpu_no3_result result;
    combgpu_job *job;
    memset(&result, 0, sizeof result);
    if (inside_no3_begin(ctx, desc, words, &job)) {
        printf("# %s\n", combgpu_message(ctx));
        return result;
    }
    test_run(job);
    combgpu_no3_end(job, &result);
    return result;
}

static void test_formats(void)
{
    static const int searches[][2] = {{8, COMBGPU_NO3_ALL},        {9, COMBGPU_NO3_ROT2},
                                      {11, COMBGPU_NO3_DIA1},      {8, COMBGPU_NO3_ORT1},
                                      {17, COMBGPU_NO3_NEAR_ROT4}, {18, COMBGPU_NO3_DIA2},
                                      {16, COMBGPU_NO3_ROT4}};
    /* odd: two words a line, as from 128; 20 and 24: kernels that work on a matrix */
    static const int words[] = {20, 24, 32, 48, 49, 64, 65, 128, 192, 256};
    size_t s, w;
    int i;
    for (s = 0; s < sizeof searches / sizeof searches[0]; s++) {
        combgpu_no3_desc desc = describe(searches[s][0], (combgpu_no3_class)searches[s][1]);
        combgpu_no3_result narrow, wide;
        int same = 1;
        if (test_small()) desc.n = 4;
        narrow = with_words(CPU, &desc, 16);
        for (i = 0; i < TEST_PLACES; i++)
            for (w = 0; opened[i] && w < sizeof words / sizeof words[0]; w++) {
                /* PoCL takes seconds to compile each of these */
                if (words[w] == 24 && opened[i] != CPU && !test_has_gpu()) continue;
                wide = with_words(opened[i], &desc, words[w]);
                if (!same_result(&narrow, &wide)) same = complain(&desc, i, &wide, &narrow);
            }
        ok(same && narrow.run.steps, "%s: boards of 16 to 256 words take the same steps",
           label(&desc));
    }
}

/* Larger sides than anybody can search: they begin, find solutions where there are, and stop. */
static int few(const combgpu_progress *progress, void *user)
{
    (void)user;
    return progress->steps > 20000;
}

static void test_large(void)
{
    static const int cases[][2] = {
        {16, COMBGPU_NO3_ALL},       {17, COMBGPU_NO3_ALL},  {24, COMBGPU_NO3_ALL},
        {32, COMBGPU_NO3_DIA1},      {32, COMBGPU_NO3_ORT1}, {32, COMBGPU_NO3_ROT2},
        {31, COMBGPU_NO3_NEAR_ROT4}, {32, COMBGPU_NO3_DIA2}, {32, COMBGPU_NO3_ROT4},
        {32, COMBGPU_NO3_ORT2},      {32, COMBGPU_NO3_FULL}, {33, COMBGPU_NO3_ROT2},
        {35, COMBGPU_NO3_DIA1},      {34, COMBGPU_NO3_ORT1}, {44, COMBGPU_NO3_ORT1},
        {37, COMBGPU_NO3_NEAR_ROT4}, {33, COMBGPU_NO3_DIA2}, {40, COMBGPU_NO3_ROT4},
        {64, COMBGPU_NO3_ORT2},      {64, COMBGPU_NO3_FULL}};
    size_t c;
    if (test_small()) return;
    for (c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        combgpu_no3_desc desc = describe(cases[c][0], (combgpu_no3_class)cases[c][1]);
        combgpu_no3_result result;
        combgpu_status status;
        desc.run.progress = few;
        desc.run.progress_interval_s = 1e-9;
        desc.run.shard_count = 1000; /* the frontier is for one shard only, too */
        status = combgpu_no3(CPU, &desc, &result);
        ok(status == COMBGPU_STOPPED || status == COMBGPU_OK, "%s: begins and stops (%llu steps)",
           label(&desc), (unsigned long long)result.run.steps);
    }
}

/* ---- listing */

typedef struct list {
    uint64_t calls, sum, by_class[COMBGPU_NO3_CLASS_COUNT];
    int wrong;                  /* no solution, or of another class, or not canonical */
    int every;                  /* every orientation */
    int (*stop)(struct list *); /* may end the run */
} list;

static int list_call(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    list *l = (list *)user;
    combgpu_no3_report report;
    uint64_t canonical[64];
    combgpu_no3_check(NULL, n, rows, &report);
    combgpu_no3_canonical(NULL, n, rows, canonical);
    if (!report.is_solution || report.symmetry != symmetry ||
        (!l->every && memcmp(rows, canonical, (size_t)n * sizeof *rows)))
        l->wrong++;
    l->calls++;
    l->by_class[symmetry]++;
    l->sum += board_hash(n, rows);
    return l->stop ? l->stop(l) : 0;
}

static combgpu_no3_result list_all(combgpu_context *ctx, combgpu_no3_desc *desc, int every, list *l)
{
    combgpu_no3_result result;
    memset(l, 0, sizeof *l);
    memset(&result, 0, sizeof result);
    l->every = desc->every_orientation = every;
    desc->solution = list_call;
    desc->solution_user = l;
    if (combgpu_no3(ctx, desc, &result) < 0) printf("# %s\n", combgpu_message(ctx));
    return result;
}

static void test_listing(void)
{
    combgpu_no3_desc desc = describe(test_small() ? 5 : 8, COMBGPU_NO3_ALL);
    const oracle *o = oracle_of(desc.n);
    combgpu_no3_result result;
    list l;
    int i;
    for (i = 0; i < TEST_PLACES; i++) {
        if (!opened[i]) continue;
        result = list_all(opened[i], &desc, 0, &l);
        ok(l.calls == result.up_to_symmetry && l.sum == o->checksum && !l.wrong &&
               l.sum == result.run.checksum,
           "%s: one canonical solution of each class is listed", test_places[i].name);
        result = list_all(opened[i], &desc, 1, &l);
        ok(l.calls == o->all && l.sum == o->every && !l.wrong && result.all == o->all,
           "%s: every orientation is listed once", test_places[i].name);
    }
    desc = describe(test_small() ? 8 : 16, COMBGPU_NO3_ROT4);
    result = list_all(CPU, &desc, 0, &l);
    ok(l.calls == result.up_to_symmetry && l.sum == result.run.checksum && !l.wrong &&
           l.by_class[COMBGPU_NO3_ROT4] == result.classes[COMBGPU_NO3_ROT4],
       "%s: the list is what the count says", label(&desc));
    result = list_all(CPU, &desc, 1, &l);
    ok(l.calls == result.all && !l.wrong, "%s: in every orientation too", label(&desc));
    desc = describe(9, COMBGPU_NO3_NEAR_ROT4);
    result = list_all(CPU, &desc, 0, &l);
    ok(l.calls == 1 && l.by_class[COMBGPU_NO3_NEAR_ROT4] == 1 && !l.wrong,
       "n = 9: the near_rot4 solution is shown as such");
}

static void test_limit(void)
{
    combgpu_no3_desc desc = describe(7, COMBGPU_NO3_ALL);
    combgpu_no3_result result;
    combgpu_job *job;
    combgpu_status status;
    list l;
    int every, found;
    for (every = 0; every < 2; every++) {
        desc.limit = 5;
        result = list_all(CPU, &desc, every, &l);
        ok(result.run.status == COMBGPU_FOUND && l.calls == 5, "limit 5, %s: FOUND after 5 calls",
           every ? "every orientation" : "canonical");
        memset(&l, 0, sizeof l);
        l.every = every;
        status = combgpu_no3_begin(CPU, &desc, &job);
        for (found = 0; status >= 0;) {
            status = combgpu_step(job);
            found += status == COMBGPU_FOUND;
            if (status != COMBGPU_RUNNING && status != COMBGPU_FOUND) break;
        }
        status = combgpu_no3_end(job, &result);
        ok(status == COMBGPU_OK && result.all == 132 && result.up_to_symmetry == 22 &&
               l.calls == (every ? 132u : 22u) && found == (every ? 26 : 4) && !l.wrong,
           "stepped on, it finds 5 more each time, and all in the end");
    }
    desc = describe(8, COMBGPU_NO3_ALL);
    desc.limit = 1;
    status = combgpu_no3(CPU, &desc, &result);
    ok(status == COMBGPU_FOUND && result.up_to_symmetry == 1,
       "limit 1 without a callback ends at the first solution");
}

/* ---- shards, slices, stop and resume */

static void add(combgpu_no3_result *sum, const combgpu_no3_result *part)
{
    int c;
    sum->all += part->all;
    sum->up_to_symmetry += part->up_to_symmetry;
    for (c = 0; c < COMBGPU_NO3_CLASS_COUNT; c++)
        sum->classes[c] += part->classes[c];
    sum->run.checksum += part->run.checksum;
    sum->run.steps += part->run.steps;
}

static void test_shards(void)
{
    static const int counts[3] = {1, 3, 7};
    combgpu_no3_desc desc = describe(test_small() ? 5 : 9, COMBGPU_NO3_ALL);
    int s, i, which;
    for (which = 0; which < 2; which++) {
        combgpu_no3_result whole;
        desc.run.shard_index = desc.run.shard_count = 0;
        combgpu_no3(CPU, &desc, &whole);
        for (s = 0; s < 3; s++) {
            combgpu_no3_result sum, part;
            memset(&sum, 0, sizeof sum);
            desc.run.shard_count = counts[s];
            for (i = 0; i < counts[s]; i++) {
                desc.run.shard_index = i;
                if (combgpu_no3(random_place(), &desc, &part) == COMBGPU_OK) add(&sum, &part);
            }
            ok(same_result(&sum, &whole), "%s: %d shards add up to the whole", label(&desc),
               counts[s]);
        }
        desc = describe(test_small() ? 8 : 20, COMBGPU_NO3_ROT4);
    }
}

TEST_SEARCH(no3)

/* The number of words of a board; 0 = the library's choice. */
static int begin_words;

static combgpu_status begin_with_words(combgpu_context *ctx, void *desc, combgpu_job **job)
{
    return inside_no3_begin(ctx, (const combgpu_no3_desc *)desc, begin_words, job);
}

/* Runs a search in pieces of up to three slices, whose workers have at most `budget` steps each. */
static int wander(combgpu_no3_desc desc, int words, int budget, int workers,
                  combgpu_no3_result *result)
{
    test_search s = no3_search(&desc, result, budget);
    s.workers = workers;
    begin_words = words;
    s.begin = begin_with_words;
    s.records = 40;
    return test_pieces(&s);
}

static int stop_often(list *l)
{
    (void)l;
    return random_below(4) == 0; /* of 50 solutions: more than three pieces */
}

static void test_resume(void)
{
    /* Side, class, words, budget: of two workers, so that six budgets are less than a quarter of the
       steps, and no search ends too soon. */
    static const int cases[][4] = {
        {8, COMBGPU_NO3_ALL, 0, 140},   {7, COMBGPU_NO3_ALL, 32, 18},
        {7, COMBGPU_NO3_ALL, 64, 18},   {7, COMBGPU_NO3_ALL, 49, 18},
        {7, COMBGPU_NO3_ALL, 20, 18},   {8, COMBGPU_NO3_ALL, 20, 140},
        {18, COMBGPU_NO3_ROT4, 20, 80}, {17, COMBGPU_NO3_NEAR_ROT4, 20, 15},
        {7, COMBGPU_NO3_ALL, 192, 18},  {10, COMBGPU_NO3_ROT2, 128, 20},
        {18, COMBGPU_NO3_ROT4, 0, 80},  {17, COMBGPU_NO3_NEAR_ROT4, 0, 15},
        {11, COMBGPU_NO3_DIA1, 0, 50},  {11, COMBGPU_NO3_ROT2, 0, 30},
        {18, COMBGPU_NO3_DIA2, 0, 60},  {12, COMBGPU_NO3_ORT1, 0, 30},
        {10, COMBGPU_NO3_ROT2, 0, 10},  {10, COMBGPU_NO3_ROT2, 256, 20},
        {18, COMBGPU_NO3_ROT4, 256, 80}};
    combgpu_no3_desc desc;
    combgpu_no3_result whole, result;
    const oracle *o = oracle_of(6);
    list l;
    size_t c;
    int pieces;
    for (c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        int n = test_small() ? 4 + cases[c][0] % 3 : cases[c][0];
        desc = describe(n, (combgpu_no3_class)cases[c][1]);
        whole = with_words(CPU, &desc, cases[c][2]);
        pieces = wander(desc, cases[c][2], cases[c][3], 2, &result);
        ok(pieces > 0 && (pieces > 4 || test_small() || test_has_gpu()) &&
               same_result(&whole, &result),
           "%s: stopped, saved and resumed %d times: nothing changes", label(&desc), pieces);
    }
    memset(&l, 0, sizeof l);
    l.every = 1;
    l.stop = stop_often;
    desc = describe(6, COMBGPU_NO3_ALL);
    desc.solution = list_call;
    desc.solution_user = &l;
    desc.every_orientation = 1;
    pieces = wander(desc, 0, 100, 0, &result);
    ok(pieces > 3 && l.calls == o->all && l.sum == o->every && !l.wrong && result.all == o->all &&
           result.run.checksum == o->checksum,
       "a callback that stops n = 6 %d times, in the midst of images, gets each image once",
       pieces);
}

static int keep_rows(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    (void)symmetry;
    memcpy(user, rows, (size_t)n * sizeof *rows);
    return 1;
}

/* The full search on large boards, from rows of a solution (side, rows, budget), moved from place
   to place. One form of a board is for sides up to 16, one each for 17 to 21; from 18 on a matrix can
   be searched, too. */
static void test_large_sides(void)
{
    static const int cases[][3] = {{13, 4, 300}, {15, 5, 300}, {16, 5, 1000},
                                   {17, 6, 300}, {18, 6, 300}, {19, 6, 300},
                                   {20, 7, 300}, {21, 7, 300}, {22, 8, 300}};
    size_t c;
    for (c = test_small() ? 3 : 0; c < sizeof cases / sizeof cases[0]; c += test_small() ? 2 : 1) {
        int n = cases[c][0], pieces, same = 1, i;
        uint64_t on[64] = {0};
        combgpu_no3_desc desc = describe(n, COMBGPU_NO3_ROT2);
        combgpu_no3_result whole, result;
        desc.solution = keep_rows;
        desc.solution_user = on;
        combgpu_no3(CPU, &desc, &whole);
        memset(on + cases[c][1], 0, (size_t)(n - cases[c][1]) * sizeof *on);
        desc = describe(n, COMBGPU_NO3_ALL);
        desc.on = on;
        whole = everywhere(&desc);
        for (i = 0; i < TEST_PLACES && n > 17; i++) {
            if (!opened[i]) continue;
            result = with_words(opened[i], &desc, 24);
            if (!same_result(&whole, &result)) same = complain(&desc, i, &result, &whole);
        }
        pieces = wander(desc, 0, cases[c][2], 0, &result);
        ok(same && whole.all && pieces > 0 && same_result(&whole, &result),
           "n = %d, %d rows given: %llu solutions, %llu steps, stopped, saved and resumed %d times",
           n, cases[c][1], (unsigned long long)whole.all, (unsigned long long)whole.run.steps,
           pieces);
    }
}

/* A checkpoint is untrusted: one with a changed task or record is refused or gives a result, and
   never more than that; a changed CRC is mended first. */
static void test_damaged(void)
{
    combgpu_no3_desc desc = describe(8, COMBGPU_NO3_ALL);
    combgpu_job *job;
    unsigned char *saved;
    size_t bytes, begin, i;
    int refused = 0, tries, tried = test_small() ? 40 : 300;
    combgpu_no3_begin(CPU, &desc, &job);
    inside_set_budget(job, 500);
    combgpu_step(job);
    saved = test_save(job, &bytes);
    combgpu_job_cancel(job);
    begin = test_data_begin(saved, bytes);
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    for (tries = 0; tries < tried; tries++) {
        unsigned char old;
        combgpu_no3_result result;
        i = begin + random_u64_below(bytes - begin - 4);
        old = saved[i];
        saved[i] = (unsigned char)(old ^ (1u << random_below(8)));
        test_mend(saved, bytes);
        if (combgpu_no3_begin(CPU, &desc, &job) == COMBGPU_BAD_FILE)
            refused++;
        else {
            test_run(job);
            combgpu_no3_end(job, &result);
        }
        saved[i] = old;
    }
    ok(refused > tried / 3, "of %d checkpoints with a changed bit %d are refused as impossible",
       tried, refused);
    free(saved);
}

/* What a device hands over is checked. */
static void test_wrong_record(void)
{
    combgpu_no3_desc desc = describe(4, COMBGPU_NO3_ALL);
    uint32_t record[65] = {8, 0x00010000, 0x00030002};
    combgpu_job *job;
    combgpu_status status;
    combgpu_no3_begin(CPU, &desc, &job);
    status = inside_record(job, record);
    ok(status == COMBGPU_WRONG_RESULT && strstr(combgpu_message(CPU), "combgpu_no3_search"),
       "a record that is not a solution is WRONG_RESULT: %s", combgpu_message(CPU));
    combgpu_job_cancel(job);
}

/* ---- boards */

static const uint64_t board4[4] = {6, 9, 9, 6}; /* .oo. o..o o..o .oo. */

static void test_check(void)
{
    uint64_t rows[64], other[64], wide[COMBGPU_NO3_BOARD_WORDS];
    combgpu_no3_report report;
    combgpu_no3_desc desc = describe(10, COMBGPU_NO3_FULL);
    int i, wrong = 0;
    list l;
    combgpu_no3_check(CPU, 4, board4, &report);
    ok(report.is_solution && report.points == 8 && report.bad_row == -1 &&
           report.bad_column == -1 && !report.has_line && report.symmetry == COMBGPU_NO3_FULL,
       "check: a solution with full symmetry");
    memcpy(rows, board4, sizeof board4);
    rows[2] = 1;
    combgpu_no3_check(CPU, 4, rows, &report);
    ok(!report.is_solution && report.points == 7 && report.bad_row == 2 && report.bad_column == 3,
       "check: the row and the column that lack a point are named");
    memset(rows, 0, sizeof rows);
    rows[0] = 9, rows[1] = 6, rows[2] = 6, rows[3] = 9;
    combgpu_no3_check(CPU, 4, rows, &report);
    ok(!report.is_solution && report.bad_row == -1 && report.bad_column == -1 && report.has_line &&
           report.line_x[0] == 0 && report.line_y[0] == 0 && report.line_x[1] == 1 &&
           report.line_y[1] == 1 && report.line_x[2] == 2 && report.line_y[2] == 2,
       "check: three points in line are named");
    memset(rows, 0, sizeof rows);
    rows[5] = UINT64_C(1) << 63 | 1 | 1 << 10;
    combgpu_no3_check(CPU, 64, rows, &report);
    ok(report.has_line && report.line_y[0] == 5 && report.line_x[0] == 0 &&
           report.line_x[1] == 10 && report.line_x[2] == 63 && report.points == 3,
       "check: three points in a row of 64");
    for (i = 0; i < 64; i++)
        rows[i] = UINT64_C(3) << i % 63;
    rows[63] = 7;
    combgpu_no3_check(CPU, 64, rows, &report);
    ok(report.has_line && report.points == 129, "check: two points in 63 rows, three in the last");
    memset(rows, 0xff, sizeof rows);
    combgpu_no3_check(CPU, 64, rows, &report);
    ok(report.has_line && report.points == 4096 && report.symmetry == COMBGPU_NO3_FULL,
       "check: a full board");
    rows[0] = 1;
    combgpu_no3_check(CPU, 1, rows, &report);
    ok(!report.is_solution && report.points == 1 && !report.has_line, "check: side 1");
    memset(rows, 0, sizeof rows);
    rows[0] = 1, rows[1] = 2, rows[2] = 4, rows[9] = 0x38;
    combgpu_no3_check(CPU, 10, rows, &report);
    ok(report.has_line && report.line_y[0] == 9 && report.line_y[2] == 9 && report.line_x[0] == 3,
       "check: a row with three points comes before a diagonal");
    memset(wide, 0, sizeof wide);
    wide[2 * 7 + 1] = 7;
    combgpu_no3_check(CPU, 100, wide, &report);
    ok(report.has_line && report.line_y[0] == 7 && report.line_x[0] == 64 &&
           report.line_x[2] == 66 && report.points == 3,
       "check: a row whose first point is in column 64");

    /* every board with a point moved is none, whatever check says of it is so */
    list_all(CPU, &desc, 0, &l);
    ok(l.calls == 1 && !l.wrong, "check: the solution of n = 10 with full symmetry");
    for (i = 0; i < 200; i++) {
        int n = 3 + random_below(8), x, y, points = 0, k, straight;
        for (y = 0; y < n; y++) {
            rows[y] = UINT64_C(1) << random_below(n) | UINT64_C(1) << random_below(n);
            for (x = 0; x < n; x++)
                points += (int)(rows[y] >> x & 1);
        }
        combgpu_no3_check(CPU, n, rows, &report);
        wrong += report.points != points;
        if (!report.has_line) continue;
        straight = (report.line_x[1] - report.line_x[0]) * (report.line_y[2] - report.line_y[0]) ==
                   (report.line_y[1] - report.line_y[0]) * (report.line_x[2] - report.line_x[0]);
        for (k = 0; k < 3; k++)
            wrong += !(rows[report.line_y[k]] >> report.line_x[k] & 1);
        wrong += !straight ||
                 (report.line_x[0] == report.line_x[1] && report.line_y[0] == report.line_y[1]);
    }
    equal_u64(wrong, 0, "check: random boards, the line that it names is one");

    for (i = 0; i < 100; i++) {
        uint64_t image[64], smallest[64];
        int n = 1 + random_below(64), y, map;
        for (y = 0; y < n; y++)
            rows[y] = random_u64() & (n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0));
        memcpy(smallest, rows, sizeof rows);
        combgpu_no3_canonical(CPU, n, rows, other);
        for (map = 0; map < 8; map++) {
            int x, to_x, to_y;
            memset(image, 0, sizeof image);
            for (y = 0; y < n; y++)
                for (x = 0; x < n; x++) {
                    oracle_map(n, map, x, y, &to_x, &to_y);
                    image[to_y] |= (rows[y] >> x & 1) << to_x;
                }
            if (oracle_compare(n, image, smallest) < 0) memcpy(smallest, image, sizeof image);
            combgpu_no3_canonical(CPU, n, image, image);
            wrong += oracle_compare(n, image, other) != 0;
        }
        wrong += oracle_compare(n, smallest, other) != 0;
    }
    equal_u64(wrong, 0, "canonical: the smallest image, the same for all images, also in place");
}

static void test_text(void)
{
    char text[8192], small[16];
    uint64_t rows[64], back[COMBGPU_NO3_BOARD_WORDS];
    size_t needed = 0;
    int i, n, side, wrong = 0;
    combgpu_no3_to_rle(CPU, 4, board4, text, sizeof text, &needed);
    ok(!strcmp(text, "x = 4, y = 4\nb2o$o2bo$o2bo$b2o!\n") && needed == strlen(text) + 1,
       "to_rle writes a board of side 4");
    equal_status(CPU, combgpu_no3_to_rle(CPU, 4, board4, NULL, 0, &needed), COMBGPU_OK,
                 "to_rle tells the size");
    memset(small, 'x', sizeof small);
    equal_status(CPU, combgpu_no3_to_rle(CPU, 4, board4, small, 10, &needed),
                 COMBGPU_INVALID_ARGUMENT, "to_rle refuses a buffer that is too small");
    ok(small[10] == 'x' && strstr(combgpu_message(CPU), "bytes is 10") != NULL, "and says so: %s",
       combgpu_message(CPU));
    combgpu_no3_draw(CPU, 4, board4, text, sizeof text, &needed);
    ok(!strcmp(text, ". o o .\no . . o\no . . o\n. o o .\n") && needed == strlen(text) + 1,
       "draw draws a board of side 4");
    equal_status(CPU, combgpu_no3_draw(CPU, 4, board4, text, needed - 1, NULL),
                 COMBGPU_INVALID_ARGUMENT, "draw refuses a buffer that is too small");
    for (i = 0; i < 300; i++) {
        char *line;
        int y, empty = random_below(4);
        n = 1 + random_below(64);
        for (y = 0; y < n; y++) {
            rows[y] =
                random_u64() & random_u64() & (n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0));
            if (random_below(4) < empty) rows[y] = 0;
        }
        memset(back, 0x55, sizeof back);
        wrong += combgpu_no3_to_rle(CPU, n, rows, text, sizeof text, &needed) != COMBGPU_OK ||
                 combgpu_no3_from_rle(CPU, text, needed - 1, &side, back) != COMBGPU_OK ||
                 side != n || memcmp(rows, back, (size_t)n * sizeof *rows);
        for (line = text; *line; line += strcspn(line, "\n") + 1)
            wrong += strcspn(line, "\n") > 70;
    }
    equal_u64(wrong, 0, "300 random boards: RLE and back, no line longer than 70");
}

static void rle_refused(const char *text, int line, const char *reason)
{
    uint64_t rows[COMBGPU_NO3_BOARD_WORDS];
    char where[16];
    int n = 0;
    combgpu_status status = combgpu_no3_from_rle(CPU, text, strlen(text), &n, rows);
    snprintf(where, sizeof where, "line %d:", line);
    ok(status == COMBGPU_BAD_FILE && strstr(combgpu_message(CPU), where) &&
           strstr(combgpu_message(CPU), reason),
       "from_rle refuses: %s", combgpu_message(CPU));
}

static void test_rle_reader(void)
{
    static const char *const same[] = {
        "x = 4, y = 4\nb2o$o2bo$o2bo$b2o!",
        "#N a name\n#C b2o!\nx = 4, y = 4, rule = B3/S23\nb2o$o2bo$o2bo$b2o!",
        "x=4,y=4\r\nb2ob$\r\no2bo\r\n$o2bo$b2o$!",
        "\nx = 4 , y = 4\n  b 2o $ 1o2b1o$o2b\no$boo! what follows is not read",
        " \n\t\r\n #C stop!\r\n\tx\t= 4 ,\ty =4\t\r\nb2o \t\r\n#C and here!\n$o2bo$ \no2bo$b2o \n!",
        "x = 4, y = 4\nbbob$obbo$obbo$booo!"};
    uint64_t rows[COMBGPU_NO3_BOARD_WORDS];
    int n, i;
    for (i = 0; i < 6; i++) {
        combgpu_status status = combgpu_no3_from_rle(CPU, same[i], strlen(same[i]), &n, rows);
        int equal = status == COMBGPU_OK && n == 4 && !memcmp(rows, board4, sizeof board4);
        ok(equal == (i < 5), "from_rle reads form %d%s", i,
           i < 5 ? "" : ", which is another board");
    }
    ok(combgpu_no3_from_rle(CPU, "x = 3, y = 3\n3$!", 16, &n, rows) == COMBGPU_OK && n == 3 &&
           !(rows[0] | rows[1] | rows[2]),
       "from_rle reads an empty board");
    rle_refused("", 1, "header");
    rle_refused("#C only\n#C comments", 2, "header");
    rle_refused("b2o!", 1, "header");
    rle_refused("x = 129, y = 129\n!", 1, "1 to 128");
    rle_refused("x = 0, y = 0\n!", 1, "1 to 128");
    rle_refused("x = 99999999999999999999999, y = 4\n!", 1, "1 to 128");
    rle_refused("#\nx = 4, y = 5\n!", 2, "square");
    rle_refused("x = 4, y = 4\nb2o$\n5o!", 3, "longer");
    rle_refused("x = 4, y = 4\n4$o!", 2, "more rows");
    rle_refused("x = 4, y = 4\n5$!", 2, "more rows");
    rle_refused("x = 4, y = 4\n199o!", 2, "1 to 128");
    rle_refused("x = 4, y = 4\n0o!", 2, "1 to 128");
    rle_refused("x = 4, y = 4\no$\n\n2x!", 4, "character");
    rle_refused("x = 4, y = 4\nb2o$3", 2, "number without");
    rle_refused("x = 4, y = 4\nb2o$o\n", 3, "without !");
}

/* Random damage to a text: an answer, and if it is a board, one that fits. */
static void test_rle_damage(void)
{
    char text[256];
    uint64_t rows[COMBGPU_NO3_BOARD_WORDS];
    size_t bytes, i;
    int tries, n, y, wrong = 0, read = 0;
    combgpu_no3_to_rle(CPU, 4, board4, text, sizeof text, &bytes);
    for (tries = 0; tries < 20000; tries++) {
        char damaged[256];
        memcpy(damaged, text, bytes);
        for (i = 0; i < 1 + (size_t)random_below(3); i++)
            damaged[random_below((int)bytes)] = (char)random_below(256);
        if (combgpu_no3_from_rle(CPU, damaged, (size_t)random_below((int)bytes + 1), &n, rows))
            continue;
        read++;
        wrong += n < 1 || n > 128;
        for (y = 0; y < n && n < 64; y++)
            wrong += rows[y] >> n != 0;
    }
    ok(!wrong && read, "20,000 damaged RLE texts: refused, or (%d) a board that fits", read);
}

/* ---- errors */

static void refused(const combgpu_no3_desc *desc, combgpu_status want, const char *first,
                    const char *second)
{
    combgpu_job *job = (combgpu_job *)(void *)&desc;
    combgpu_status status = combgpu_no3_begin(CPU, desc, &job);
    ok(status == want && !job && strstr(combgpu_message(CPU), first) &&
           strstr(combgpu_message(CPU), second),
       "refused: %s", combgpu_message(CPU));
    if (!status) combgpu_job_cancel(job);
}

static void test_errors(void)
{
    uint64_t rows[64] = {6, 9, 25, 6};
    combgpu_no3_desc desc = describe(1, COMBGPU_NO3_ALL);
    combgpu_no3_result result;
    combgpu_no3_report report;
    combgpu_job *job;
    size_t needed;
    int n;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "n is 1", "2 to 128");
    desc.n = -5;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "n is -5", "2 to 128");
    desc.n = 33;
    refused(&desc, COMBGPU_UNSUPPORTED, "n is 33", "32");
    desc.n = 129;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "n is 129", "2 to 128");
    desc = describe(8, COMBGPU_NO3_CLASS_COUNT);
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "symmetry is 10", "0 (all)");
    desc = describe(8, COMBGPU_NO3_IDEN);
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "desc.symmetry is 1 (iden)", "search 0 (all)");
    desc = describe(8, COMBGPU_NO3_ALL);
    desc.run.shard_index = 2;
    desc.run.shard_count = 2;
    refused(&desc, COMBGPU_INVALID_ARGUMENT, "shard_index is 2", "0 to 1");
    desc = describe(8, COMBGPU_NO3_ALL);
    ok(combgpu_no3_begin(NULL, &desc, &job) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_begin(CPU, NULL, &job) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_begin(CPU, &desc, NULL) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3(NULL, &desc, &result) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_end(NULL, &result) == COMBGPU_INVALID_ARGUMENT,
       "NULL pointers are refused");
    equal_status(CPU, combgpu_no3_check(CPU, 4, rows, &report), COMBGPU_INVALID_ARGUMENT,
                 "check refuses a point outside the grid");
    ok(strstr(combgpu_message(CPU), "rows[2]") && strstr(combgpu_message(CPU), "column 4"),
       "and names it: %s", combgpu_message(CPU));
    ok(combgpu_no3_check(CPU, 0, rows, &report) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_check(CPU, 129, rows, &report) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_check(CPU, 4, NULL, &report) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_check(CPU, 4, board4, NULL) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_canonical(CPU, 4, board4, NULL) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_canonical(CPU, 4, rows, rows) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_to_rle(CPU, 4, rows, NULL, 0, &needed) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_to_rle(CPU, 4, board4, NULL, 0, NULL) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_draw(CPU, 129, rows, NULL, 0, &needed) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_from_rle(CPU, NULL, 0, &n, rows) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_from_rle(CPU, "", 0, NULL, rows) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_from_rle(CPU, "", 0, &n, NULL) == COMBGPU_INVALID_ARGUMENT,
       "helpers refuse wrong sides and NULL pointers");
    ok(!strcmp(combgpu_no3_class_string(COMBGPU_NO3_ALL), "all") &&
           !strcmp(combgpu_no3_class_string(COMBGPU_NO3_FULL), "full") &&
           !strcmp(combgpu_no3_class_string((combgpu_no3_class)15), "unknown class"),
       "classes have names");
}

/* ---- memory */

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_no3_result result;
    return combgpu_no3(ctx, (const combgpu_no3_desc *)user, &result);
}

static void test_memory(void)
{
    combgpu_context_desc one_thread = test_context(0);
    combgpu_no3_desc desc = describe(6, COMBGPU_NO3_ALL);
    int which;
    for (which = 0; which < 4; which++) {
        int failed = test_out_of_memory(&one_thread, which % 2, allocating, &desc);
        ok(failed > 8, "%s, %s context: each of %d allocations may fail", label(&desc),
           which % 2 ? "a new" : "one", failed);
        if (which == 1) desc.symmetry = COMBGPU_NO3_ROT4;
    }
}

int main(void)
{
    open_places();
    test_oracle();
    test_known();
    test_steps();
    test_formats();
    test_large();
    test_listing();
    test_limit();
    test_shards();
    test_resume();
    test_large_sides();
    test_damaged();
    test_wrong_record();
    test_check();
    test_text();
    test_rle_reader();
    test_rle_damage();
    test_errors();
    test_memory();
    close_places();
    return tap_end();
}
