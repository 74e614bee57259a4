/* Tests no-three-in-line from fixed cells and in random order against a filter of all solutions; and
   boards in Flammenkamp's code and as SVG. */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU__NO3_TASK 40 /* many pieces although the searches are short */
#define COMBGPU_ONLY_NO3 1
#include "test.h"

/* ---- solutions as a callback gets them */

enum { MOST = 2000 };
typedef struct list {
    uint64_t rows[MOST][64];
    combgpu_no3_class symmetry[MOST];
    int count, stop;
} list;
static list solutions, got;

static int add(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    list *l = (list *)user;
    memset(l->rows[l->count], 0, sizeof l->rows[0]);
    memcpy(l->rows[l->count], rows, (size_t)n * sizeof *rows);
    l->symmetry[l->count++] = symmetry;
    return l->stop && random_below(l->stop) == 0;
}

static int same_rows(const uint64_t *a, const uint64_t *b)
{
    return !memcmp(a, b, 64 * sizeof *a);
}

static int holds(const list *l, const uint64_t *rows)
{
    int i, found = 0;
    for (i = 0; i < l->count; i++)
        found += same_rows(l->rows[i], rows);
    return found;
}

static void list_all(int n)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.solution = add;
    desc.solution_user = &solutions;
    desc.every_orientation = 1;
    solutions.count = 0;
    combgpu_no3(CPU, &desc, &result);
}

/* ---- which of them a search should find: point by point */

static int point(const uint64_t *rows, int x, int y)
{
    return (int)(rows[y] >> x & 1);
}

/* Is the board its own image under a map? 0 to 4: mirrored left to right, top to bottom, in the main
   and the other diagonal, quarter turn off the diagonals; 5: quarter turn; 6: half turn */
static int keeps(int n, const uint64_t *rows, int map)
{
    int x, y, last = n - 1;
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++) {
            int to_x = map == 0 || map == 6 ? last - x : map == 1 ? x : map == 2 ? y : last - y;
            int to_y = map == 1 || map == 6 ? last - y : map == 0 ? y : map == 3 ? last - x : x;
            if (map == 4 && (x == y || x == last - y)) continue;
            if (point(rows, x, y) != point(rows, to_x, to_y)) return 0;
        }
    return 1;
}

static int has_class(int n, const uint64_t *b, combgpu_no3_class symmetry)
{
    switch (symmetry) {
    case COMBGPU_NO3_DIA1:
        return keeps(n, b, 2) || keeps(n, b, 3);
    case COMBGPU_NO3_ORT1:
        return keeps(n, b, 0) || keeps(n, b, 1);
    case COMBGPU_NO3_ROT2:
        return keeps(n, b, 6);
    case COMBGPU_NO3_NEAR_ROT4:
        return keeps(n, b, 6) && keeps(n, b, 4);
    case COMBGPU_NO3_DIA2:
        return keeps(n, b, 2) && keeps(n, b, 3);
    case COMBGPU_NO3_ROT4:
        return keeps(n, b, 5);
    case COMBGPU_NO3_ORT2:
        return keeps(n, b, 0) && keeps(n, b, 1);
    case COMBGPU_NO3_FULL:
        return keeps(n, b, 5) && keeps(n, b, 0);
    default:
        return 1;
    }
}

typedef struct expected {
    uint64_t all, classes, sum_all,
        sum_first; /* sums of hashes: of all, of each class's smallest */
} expected;

static uint64_t hash_of(int n, const uint64_t *rows)
{
    uint64_t hash = (uint64_t)n;
    int y;
    for (y = 0; y < n; y++)
        hash = test_mix(hash ^ rows[y]);
    return hash;
}

static int before(int n, const uint64_t *a, const uint64_t *b)
{
    int y;
    for (y = 0; y < n; y++)
        if (a[y] != b[y]) return a[y] < b[y];
    return 0;
}

static expected expect(const combgpu_no3_desc *desc)
{
    static uint64_t first[MOST][64], canonical[MOST][64];
    expected want;
    int i, j, y, n = desc->n, count = 0;
    memset(&want, 0, sizeof want);
    for (i = 0; i < solutions.count; i++) {
        uint64_t *rows = solutions.rows[i];
        int fits = has_class(n, rows, desc->symmetry);
        for (y = 0; y < n && fits; y++)
            fits = !(desc->on[y] & ~rows[y]) && !(desc->off[y] & rows[y]);
        if (!fits) continue;
        want.all++;
        want.sum_all += hash_of(n, rows);
        memset(canonical[count], 0, sizeof canonical[0]);
        combgpu_no3_canonical(CPU, n, rows, canonical[count]);
        for (j = 0; !same_rows(canonical[j], canonical[count]); j++) {
        }
        if (j == count) count++;
        if (j == count - 1 && (want.classes < (uint64_t)count || before(n, rows, first[j])))
            memcpy(first[j], rows, sizeof first[0]);
        else if (before(n, rows, first[j]))
            memcpy(first[j], rows, sizeof first[0]);
        want.classes = (uint64_t)count;
    }
    for (j = 0; j < count; j++)
        want.sum_first += hash_of(n, first[j]);
    return want;
}

/* ---- fixed cells */

/* Some cells on, most of them from a solution, and some off. */
static void fix_cells(int n, int how, uint64_t *on, uint64_t *off)
{
    int some = random_below(4), i, x, y;
    memset(on, 0, 64 * sizeof *on);
    memset(off, 0, 64 * sizeof *off);
    for (i = 0; i < some; i++) {
        const uint64_t *from = solutions.rows[random_below(solutions.count ? solutions.count : 1)];
        y = random_below(n);
        if (how % 3 && solutions.count)
            on[y] |= from[y] & (~from[y] + 1);
        else
            on[y] |= UINT64_C(1) << random_below(n);
    }
    some = random_below(6);
    for (i = 0; i < some; i++)
        off[random_below(n)] |= UINT64_C(1) << random_below(n);
    for (y = 0; y < n && how % 4 == 3; y++) /* with a half turn */
        for (x = 0; x < n; x++)
            if (on[y] >> x & 1) on[n - 1 - y] |= UINT64_C(1) << (n - 1 - x);
    for (y = 0; y < n; y++)
        off[y] &= ~on[y];
}

static int check_search(combgpu_context *ctx, combgpu_no3_desc desc, const expected *want)
{
    combgpu_no3_result result;
    uint64_t sum = 0;
    int i;
    got.count = 0;
    if (combgpu_no3(ctx, &desc, &result) != COMBGPU_OK) return 0;
    for (i = 0; i < got.count; i++)
        sum += hash_of(desc.n, got.rows[i]);
    return result.all == want->all && result.up_to_symmetry == want->classes &&
           result.run.checksum == want->sum_first &&
           (!desc.solution ||
            (desc.every_orientation
                 ? sum == want->sum_all && (uint64_t)got.count == want->all
                 : sum == want->sum_first && (uint64_t)got.count == want->classes));
}

static void test_fixed(void)
{
    uint64_t on[64], off[64];
    combgpu_no3_desc desc;
    int n, c, k, i, most = test_small() ? 5 : 8;
    for (n = 2; n <= most; n++) {
        int wrong = 0, searches = 0, found = 0;
        list_all(n);
        for (c = 0; c < COMBGPU_NO3_CLASS_COUNT; c++)
            for (k = 0; k < 12 && c != COMBGPU_NO3_IDEN; k++) {
                expected want;
                memset(&desc, 0, sizeof desc);
                fix_cells(n, k, on, off);
                desc.n = n;
                desc.symmetry = (combgpu_no3_class)c;
                desc.on = on;
                desc.off = off;
                want = expect(&desc);
                desc.solution = k & 1 ? add : NULL;
                desc.solution_user = &got;
                desc.every_orientation = k >> 1 & 1;
                desc.seed = k & 4 ? (uint64_t)k : 0;
                for (i = 0; i < TEST_PLACES; i++) {
                    if (!opened[i] || (i > 1 && k % 4 != i - 1)) continue;
                    searches++;
                    found += want.all > 0;
                    if (check_search(opened[i], desc, &want)) continue;
                    if (!wrong++)
                        printf("# %s, class %d, case %d: want %d, %d up to symmetry; %s\n",
                               test_places[i].name, c, k, (int)want.all, (int)want.classes,
                               combgpu_message(opened[i]));
                }
            }
        ok(!wrong && (found > 20 || n < 4 || test_small()),
           "fixed cells, n = %d: %d searches find the boards that a filter of all %d leaves (%d "
           "find some)",
           n, searches, solutions.count, found);
    }
}

/* ---- random order: the whole search, shards, stop and resume */

static combgpu_no3_desc describe(int n, combgpu_no3_class symmetry, uint64_t seed)
{
    combgpu_no3_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.symmetry = symmetry;
    desc.seed = seed;
    return desc;
}

static int equal_counts(const combgpu_no3_result *a, const combgpu_no3_result *b)
{
    return a->all == b->all && a->up_to_symmetry == b->up_to_symmetry &&
           !memcmp(a->classes, b->classes, sizeof a->classes) && a->run.checksum == b->run.checksum;
}

static const struct {
    int n;
    combgpu_no3_class symmetry;
} cases[] = {{8, COMBGPU_NO3_ALL},        {10, COMBGPU_NO3_ALL},  {18, COMBGPU_NO3_ROT4},
             {22, COMBGPU_NO3_ROT4},      {12, COMBGPU_NO3_ORT1}, {13, COMBGPU_NO3_ROT2},
             {17, COMBGPU_NO3_NEAR_ROT4}, {13, COMBGPU_NO3_DIA1}};

static void test_seed_counts(void)
{
    size_t c;
    int i;
    for (c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        combgpu_no3_desc desc = describe(cases[c].n, cases[c].symmetry, 0);
        combgpu_no3_result plain, first, result;
        int equal, shard, k;
        static const int shards[] = {3, 7};
        if (test_small() && cases[c].n != 8) continue;
        combgpu_no3(CPU, &desc, &plain);
        desc.seed = 5 + c;
        equal = combgpu_no3(CPU, &desc, &first) == COMBGPU_OK && equal_counts(&plain, &first);
        for (i = 1; i < TEST_PLACES; i++)
            if (opened[i])
                equal &= combgpu_no3(opened[i], &desc, &result) == COMBGPU_OK &&
                         equal_counts(&plain, &result) &&
                         (i > 1 || result.run.steps == first.run.steps);
        ok(equal && first.restarts > 0,
           "n = %d, %s, seed %d: the counts of the search without a seed, everywhere (%d chunks)",
           desc.n, combgpu_no3_class_string(desc.symmetry), (int)desc.seed, (int)first.restarts);
        for (k = 0; k < 2; k++) {
            combgpu_no3_result sum;
            memset(&sum, 0, sizeof sum);
            desc.run.shard_count = shards[k];
            for (shard = 0; shard < shards[k]; shard++) {
                desc.run.shard_index = shard;
                combgpu_no3(CPU, &desc, &result);
                sum.all += result.all;
                add_run(&sum.run, &result.run);
            }
            ok(sum.all == first.all && equal_runs(&sum.run, &first.run),
               "... %d shards add up, steps too", shards[k]);
        }
    }
}

TEST_SEARCH(no3)

/* Stopped, saved and resumed on all places, the search gives what it gives in one go. */
static void moves(combgpu_no3_desc desc, int budget, const char *name)
{
    combgpu_no3_result whole, result;
    test_search s = no3_search(&desc, &result, budget);
    int pieces;
    s.workers = 2; /* few, so that no place is through within a slice */
    combgpu_no3(CPU, &desc, &whole);
    pieces = test_pieces(&s);
    ok(pieces > (test_small() ? 0 : 2) && equal_counts(&whole, &result) && whole.all > 0 &&
           equal_runs(&whole.run, &result.run),
       "%s: stopped, saved and resumed %d times: nothing changes", name, pieces);
}

static void test_resume(void)
{
    combgpu_no3_desc desc = describe(test_small() ? 6 : 8, COMBGPU_NO3_ALL, 3);
    uint64_t on[64], off[64];
    memset(on, 0, sizeof on);
    memset(off, 0, sizeof off);
    moves(desc, 300, "seed");
    off[2] = 1 << 3;
    desc.off = off;
    desc.on = on;
    moves(desc, 300, "seed and fixed cells");
    desc.seed = 0;
    moves(desc, 300, "fixed cells");
    desc = describe(7, COMBGPU_NO3_DIA1, 0); /* two frames */
    on[0] = 4;
    desc.on = on;
    moves(desc, 3, "dia1 with a point that tells the diagonals apart");
}

/* ---- the first solution */

static combgpu_status find_first(combgpu_context *ctx, combgpu_no3_desc desc, uint64_t *rows,
                                 combgpu_no3_result *result)
{
    combgpu_status status;
    desc.limit = 1;
    desc.solution = add;
    desc.solution_user = &got;
    got.count = 0;
    status = combgpu_no3(ctx, &desc, result);
    memcpy(rows, got.rows[0], sizeof got.rows[0]);
    return got.count == 1 && status == COMBGPU_FOUND ? COMBGPU_FOUND : COMBGPU_WRONG_RESULT;
}

static void test_first(void)
{
    uint64_t first[64], rows[64], seen[8][64];
    combgpu_no3_desc desc = describe(test_small() ? 8 : 24, COMBGPU_NO3_ROT4, 1);
    combgpu_no3_result result, again;
    combgpu_no3_report report;
    test_search search = no3_search(&desc, &again, 3000);
    int different = 0, good = 1, pieces, i, j;
    for (desc.seed = 1; desc.seed <= 6; desc.seed++) {
        good &= find_first(CPU, desc, rows, &result) == COMBGPU_FOUND;
        combgpu_no3_check(CPU, desc.n, rows, &report);
        good &= report.is_solution && has_class(desc.n, rows, desc.symmetry);
        for (j = 0; j < different && !same_rows(seen[j], rows); j++) {
        }
        if (j == different) memcpy(seen[different++], rows, sizeof rows);
    }
    ok(good && (different > 3 || test_small()),
       "first solution, n = %d: six seeds give %d different ones, all solutions", desc.n,
       different);
    search.one = opened[0];
    search.other = opened[1];
    for (desc.seed = 1; desc.seed <= 3; desc.seed++) {
        find_first(CPU, desc, first, &result);
        good = 1;
        for (i = 0; i < 3; i++) {
            desc.run.slice_ms = 1 + 17 * i;
            good &= find_first(opened[i & 1], desc, rows, &again) == COMBGPU_FOUND &&
                    same_rows(first, rows) && again.restarts == result.restarts;
        }
        desc.run.slice_ms = 0;
        desc.limit = 1;
        desc.solution = add;
        desc.solution_user = &got;
        got.count = 0;
        pieces = test_pieces(&search);
        good &= pieces > 0 && got.count == 1 && same_rows(first, got.rows[0]);
        ok(good,
           "seed %d: the same one with 1 and 3 threads, short and long slices, and %d resumes",
           (int)desc.seed, pieces);
        for (i = 2; i < TEST_PLACES; i++)
            if (opened[i]) {
                good = find_first(opened[i], desc, first, &result) == COMBGPU_FOUND &&
                       find_first(opened[i], desc, rows, &again) == COMBGPU_FOUND &&
                       same_rows(first, rows);
                combgpu_no3_check(CPU, desc.n, rows, &report);
                ok(good && report.is_solution, "seed %d on %s: the same one twice", (int)desc.seed,
                   test_places[i].name);
            }
    }
    desc = describe(5, COMBGPU_NO3_ORT1, 4);
    equal_status(CPU, combgpu_no3(CPU, &desc, &result), COMBGPU_OK,
                 "without a solution the search ends with OK");
    ok(result.all == 0, "... and counts 0");
    desc = describe(9, COMBGPU_NO3_ALL, 4);
    desc.limit = 1;
    got.count = 0;
    desc.solution = add;
    desc.solution_user = &got;
    {
        combgpu_job *job;
        int calls = 0, distinct = 1;
        combgpu_no3_begin(CPU, &desc, &job);
        while (combgpu_step(job) == COMBGPU_RUNNING || job->status == COMBGPU_FOUND)
            if (job->status == COMBGPU_FOUND) calls++;
        for (i = 0; i < got.count; i++)
            distinct &= holds(&got, got.rows[i]) == 1;
        combgpu_no3_end(job, &result);
        ok(calls == 51 && got.count == 51 && distinct && result.up_to_symmetry == 51,
           "a job that is stepped on gives one solution after the other: all 51 of n = 9");
    }
}

/* A record that waits as a task for the end of its piece is the same afterwards. */
static void test_hold(void)
{
    static const int words[] = {16, 32, 64, 128, 192};
    int i, good = 1;
    for (i = 0; i < 5; i++) {
        combgpu_no3_desc desc = describe(6, COMBGPU_NO3_ALL, 3);
        uint32_t record[66];
        combgpu_job *job;
        size_t bytes;
        int done = 0;
        desc.limit = 1;
        combgpu__no3_begin(CPU, &desc, words[i], &job);
        while (combgpu_step(job) == COMBGPU_RUNNING) {
        }
        bytes = job->desc.record_words * sizeof *record;
        memcpy(record, job->pending.records, bytes);
        job->reserve.count = job->pending.next = 0;
        job->pending.count = 1;
        good &= combgpu__no3_hold(job) == COMBGPU_OK && job->reserve.count == 1 &&
                combgpu__no3_chunk_done(job, &done) == COMBGPU_OK && done &&
                job->pending.count == 1 && !memcmp(record, job->pending.records, bytes);
        combgpu_job_cancel(job);
    }
    ok(good, "seed: records that wait for the end of a piece come back as they were");
}

/* A task says on which line the board's next orbit is. One that cannot be is refused; any line that
   can get its points leads to the same solutions. */
static void test_task_line(void)
{
    static const int words[] = {16, 32, 64, 65, 192, 256};
    int i, k, refused = 1, taken = 0, wrong = 0;
    for (i = 0; i < 6; i++) {
        combgpu_no3_desc desc = describe(7, COMBGPU_NO3_ALL, 0);
        for (k = 0; k < 250; k += 1 + k / 20) {
            combgpu_no3_result result;
            combgpu_job *job;
            uint32_t *task, at, line;
            combgpu__no3_begin(CPU, &desc, words[i], &job);
            task = job->reserve.tasks + (job->reserve.count - 1) * job->desc.task_words;
            at = (uint32_t)((const combgpu__no3 *)combgpu__state(job))->words + 1;
            line = (uint32_t)k << COMBGPU__NO3_COUNT_SHIFT;
            task[at] = (task[at] & 0xffffff) | line;
            if (!job->desc.validate_task(job, task))
                task[at] &= 0xffffff;
            else {
                refused &= k <= 14;
                taken += k > 0;
            }
            test_run(job);
            combgpu_no3_end(job, &result);
            wrong += result.all != 132;
        }
    }
    ok(refused && taken > 6 && !wrong,
       "a task's line: %d are taken, others refused, no count differs", taken);
}

/* Runs a shard; `units`: it begins as on a GPU with as many, which has larger pieces. Its place in
   the folder is `path`. */
static uint64_t run_shard(combgpu_no3_desc desc, int shard, int units, const char *path)
{
    combgpu_context_desc how = test_context(0);
    combgpu_context *ctx;
    combgpu_no3_result result;
    combgpu_job *job;
    desc.run.shard_index = shard;
    desc.run.checkpoint_path = path;
    memset(&result, 0, sizeof result);
    combgpu_open(&ctx, &how);
    ctx->device.is_gpu = units > 0;
    ctx->device.compute_units = units;
    if (combgpu_no3_begin(ctx, &desc, &job) == COMBGPU_OK) {
        ctx->device.is_gpu = 0;
        test_run(job);
        combgpu_no3_end(job, &result);
    }
    combgpu_close(ctx);
    return result.up_to_symmetry;
}

/* Shards that cut the tree into different pieces, as on GPUs of different sizes, do not add up. */
static void test_mixed_shards(void)
{
    static const char *const endings[] = {"", ".bak", ".lock"};
    combgpu_no3_desc desc = describe(8, COMBGPU_NO3_ALL, 3);
    combgpu_no3_result result;
    char folder[200], paths[3][220], path[240];
    const char *merged[3];
    int mixed, i, k;
    if (!test_folder(folder, sizeof folder)) return;
    for (mixed = 0; mixed < 2; mixed++) {
        uint64_t sum = 0;
        desc.run.shard_count = 3;
        for (i = 0; i < 3; i++) {
            snprintf(paths[i], sizeof paths[i], "%s/%d", folder, i);
            merged[i] = paths[i];
            sum += run_shard(desc, i, mixed && i < 1 ? 0 : 132, paths[i]);
        }
        memset(&desc.run, 0, sizeof desc.run);
        desc.run.merge_paths = merged;
        desc.run.merge_count = 3;
        if (equal_status(CPU, combgpu_no3(CPU, &desc, &result),
                         mixed ? COMBGPU_WRONG_JOB : COMBGPU_OK, "seed: three shards, %s, are %s",
                         mixed ? "one with other pieces" : "alike", mixed ? "refused" : "merged") &&
            !mixed)
            equal_u64(result.up_to_symmetry, 57, "... and add up to all: %d", (int)sum);
        memset(&desc.run, 0, sizeof desc.run);
        for (i = 0; i < 9; i++) {
            k = i / 3;
            snprintf(path, sizeof path, "%s%s", paths[k], endings[i % 3]);
            remove(path);
        }
    }
    rmdir(folder);
}

/* What is said of the whole is not said of the first piece alone. */
static void test_many_pieces(void)
{
    combgpu_no3_desc desc = describe(test_small() ? 8 : 9, COMBGPU_NO3_ALL, 7);
    combgpu_estimate_desc how;
    combgpu_no3_result result;
    combgpu_estimate e;
    combgpu_job *job;
    uint64_t restarts = 0, whole;
    int i, good = 1;
    combgpu_no3(CPU, &desc, &result);
    whole = result.restarts;
    memset(&how, 0, sizeof how);
    how.calibrate_s = 1e-6;
    combgpu_no3_begin(CPU, &desc, &job);
    combgpu_job_estimate(job, &how, &e);
    combgpu_job_cancel(job);
    ok(whole > 1 && (e.done || (e.steps > 0.5 * (double)result.run.steps &&
                                e.steps < 2 * (double)result.run.steps && e.steps_error < 0)),
       "seed: %.0f steps expected for %d chunks, %d taken", e.steps, (int)whole,
       (int)result.run.steps);
    desc.run.shard_count = 2;
    for (i = 0; i < 2; i++) {
        desc.run.shard_index = i;
        good &= combgpu_no3(CPU, &desc, &result) == COMBGPU_OK;
        restarts += result.restarts;
    }
    ok(good && (restarts == whole || restarts == 2 * whole),
       "seed: two shards begin the pieces of the whole between them, or parts of each");
    desc = describe(56, COMBGPU_NO3_DIA1, 5); /* a tree of more than 2^60 pieces */
    desc.run.time_limit_s = 0.01;
    if (!test_small())
        equal_status(CPU, combgpu_no3(CPU, &desc, &result), COMBGPU_STOPPED,
                     "seed: dia1, n = 56, is cut into pieces in no time (%.1f s)",
                     result.run.seconds);
}

/* ---- Flammenkamp's code and SVG */

static void test_code(void)
{
    static const struct {
        const char *code, *wrong;
    } bad[] = {{"", "no board"},       {"  \n \n", "no board"}, {"ab", "begin with"},
               {".", "characters"},    {".010", "characters"},  {".0112", "column"},
               {".00", "column"},      {".0111", "twice"},      {"o0g1101", "column"},
               {"!0101", "begin with"}};
    combgpu_no3_class symmetry;
    uint64_t rows[COMBGPU_NO3_BOARD_WORDS], copy[COMBGPU_NO3_BOARD_WORDS];
    char text[200];
    size_t needed = 0, used;
    int n, i, same = 1, total = 0;
    for (n = 2; n <= 8; n++) {
        list_all(n);
        for (i = 0; i < solutions.count; i++) {
            int m = 0;
            memset(copy, 0, sizeof copy);
            same &= combgpu_no3_to_flammenkamp(CPU, n, solutions.rows[i], text, sizeof text,
                                               &needed) == COMBGPU_OK &&
                    strlen(text) == 2 * (size_t)n + 1 && needed == 2 * (size_t)n + 2 &&
                    combgpu_no3_from_flammenkamp(CPU, text, strlen(text), &m, copy, &symmetry,
                                                 &used) == COMBGPU_OK &&
                    m == n && symmetry == solutions.symmetry[i] && used == strlen(text) &&
                    same_rows(copy, solutions.rows[i]);
            total++;
        }
    }
    ok(same, "Flammenkamp: %d boards, written and read, are themselves with their class", total);
    /* the solution with full symmetry of n = 10, point by point */
    memset(rows, 0, sizeof rows);
    for (i = 0; i < 10; i++) {
        static const int left[10] = {4, 2, 1, 3, 0, 0, 3, 1, 2, 4};
        rows[i] = UINT64_C(1) << left[i] | UINT64_C(1) << (9 - left[i]);
    }
    combgpu_no3_to_flammenkamp(CPU, 10, rows, text, sizeof text, NULL);
    ok(!strcmp(text, "*45271836090936182745"), "the code of the symmetric one, n = 10: %s", text);
    {
        static const char two[] = "\r\n  o1032\r\n\n:20312031  \n";
        combgpu_status status =
            combgpu_no3_from_flammenkamp(CPU, two, strlen(two), &n, rows, &symmetry, &used);
        ok(status == COMBGPU_BAD_FILE && strstr(combgpu_message(CPU), "line 2"),
           "a column outside the side is refused: %s", combgpu_message(CPU));
        status = combgpu_no3_from_flammenkamp(CPU, two + used, strlen(two) - used, &n, rows,
                                              &symmetry, NULL);
        ok(status == COMBGPU_OK && n == 4 && symmetry == COMBGPU_NO3_ROT2 && rows[0] == 5 &&
               rows[1] == 10 && rows[2] == 5 && rows[3] == 10,
           "a list is read line by line, the columns of a row in any order");
    }
    for (i = 0; i < 64; i++)
        rows[i] = UINT64_C(1) << i | UINT64_C(1) << (i + 1) % 64;
    combgpu_no3_to_flammenkamp(CPU, 64, rows, text, sizeof text, NULL);
    ok(!strncmp(text + 1, "0112", 4) && !strcmp(text + 125, "#$0$"),
       "columns 62 and 63 are # and $: ...%s", text + 121);
    combgpu_no3_from_flammenkamp(CPU, text, 129, &n, copy, NULL, NULL);
    ok(n == 64 && same_rows(rows, copy), "... and are read so");
    for (i = 0; i < (int)(sizeof bad / sizeof bad[0]); i++)
        ok(combgpu_no3_from_flammenkamp(CPU, bad[i].code, strlen(bad[i].code), &n, rows, NULL,
                                        NULL) == COMBGPU_BAD_FILE &&
               strstr(combgpu_message(CPU), bad[i].wrong),
           "\"%s\" is refused: %s", bad[i].code[0] == ' ' ? "" : bad[i].code, combgpu_message(CPU));
    rows[0] = 7;
    rows[1] = 3;
    ok(combgpu_no3_to_flammenkamp(CPU, 3, rows, text, sizeof text, NULL) ==
               COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(CPU), "rows[0]"),
       "a row of three has no code: %s", combgpu_message(CPU));
}

static int count_of(const char *text, const char *piece)
{
    int count = 0;
    for (text = strstr(text, piece); text; text = strstr(text + 1, piece))
        count++;
    return count;
}

static void test_svg(void)
{
    static char text[40000];
    uint64_t rows[64];
    size_t needed = 0;
    memset(rows, 0, sizeof rows);
    rows[0] = 6, rows[1] = 9, rows[2] = 9, rows[3] = 6;
    combgpu_no3_to_svg(CPU, 4, rows, "a < b & \"c\"", NULL, 0, &needed);
    ok(combgpu_no3_to_svg(CPU, 4, rows, "a < b & \"c\"", text, needed, NULL) == COMBGPU_OK &&
           strlen(text) + 1 == needed && count_of(text, "<circle") == 8 &&
           strstr(text, "a &lt; b &amp; \"c\"") && strstr(text, "</svg>\n") &&
           strstr(text, "<circle cx='40' cy='52'"),
       "SVG: a disc for each of 8 points, the title escaped, %d bytes as announced", (int)needed);
    ok(combgpu_no3_to_svg(CPU, 4, rows, NULL, text, needed - 200, NULL) ==
               COMBGPU_INVALID_ARGUMENT ||
           !strstr(text, "<text"),
       "SVG without a title has none");
    rows[0] = 7;
    combgpu_no3_to_svg(CPU, 4, rows, NULL, text, sizeof text, NULL);
    ok(count_of(text, "<circle") == 9 + 3 && strstr(text, "stroke='#d03030'"),
       "SVG: three in line are marked");
}

/* ---- errors, memory */

static void refused(combgpu_no3_desc *desc, const char *word)
{
    combgpu_no3_result result;
    combgpu_status status = combgpu_no3(CPU, desc, &result);
    ok(status == COMBGPU_INVALID_ARGUMENT && strstr(combgpu_message(CPU), word), "refused: %s",
       combgpu_message(CPU));
}

static void test_errors(void)
{
    uint64_t on[64], off[64];
    combgpu_no3_desc desc = describe(6, COMBGPU_NO3_ALL, 0);
    combgpu_no3_result result;
    unsigned char saved[200000];
    size_t bytes;
    combgpu_job *job;
    memset(on, 0, sizeof on);
    memset(off, 0, sizeof off);
    desc.on = on;
    desc.off = off;
    on[3] = 1 << 6;
    refused(&desc, "desc.on[3]");
    on[3] = 4;
    off[5] = 1 << 9;
    refused(&desc, "desc.off[5]");
    off[5] = 0;
    off[3] = 4;
    refused(&desc, "desc.on[3] and desc.off[3] both have column 2");
    off[3] = 0;
    on[3] = 7;
    equal_status(CPU, combgpu_no3(CPU, &desc, &result), COMBGPU_OK,
                 "three points in a row are no error");
    ok(result.all == 0, "... but no solution exists");
    on[3] = 4;
    combgpu_no3_begin(CPU, &desc, &job);
    combgpu_save(job, saved, sizeof saved, &bytes);
    combgpu_job_cancel(job);
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    on[3] = 8;
    equal_status(CPU, combgpu_no3_begin(CPU, &desc, &job), COMBGPU_WRONG_JOB,
                 "a checkpoint is of the job with the same fixed cells");
    on[3] = 4;
    desc.seed = 1;
    equal_status(CPU, combgpu_no3_begin(CPU, &desc, &job), COMBGPU_WRONG_JOB,
                 "... and the same seed");
}

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_no3_result result;
    combgpu_status status = combgpu_no3(ctx, (const combgpu_no3_desc *)user, &result);
    return status || result.all == 380 ? status : COMBGPU_WRONG_RESULT;
}

static void test_memory(void)
{
    combgpu_context_desc one_thread = test_context(0);
    combgpu_no3_desc desc = describe(8, COMBGPU_NO3_ALL, 2);
    int failures = test_out_of_memory(&one_thread, 1, allocating, &desc);
    ok(failures > 10, "seed: each of %d allocations fails once: out of memory, nothing leaks",
       failures);
}

/* ---- private parts */

/* Boards of 16-bit halves and of words are searched by two forms of one function. */
static void test_select(void)
{
    static combgpu__no3_view view; /* flat classes, weights 1 */
    combgpu__no3_level halves, words;
    int i, k, line, wrong = 0, dead = 0, solved = 0;
    for (i = 0; i < 5000; i++) {
        uint32_t key;
        memset(&halves, 0, sizeof halves);
        memset(&words, 0, sizeof words);
        for (line = 0; line < 32; line++) {
            uint32_t open = i % 3 ? 0x0110 : 0; /* at least two, or few or none */
            for (k = random_below(9); k; k--)
                open |= 1u << random_below(16);
            halves.words[line / 2] |= open << 16 * (line % 2);
            words.words[line] = open << 16;
            halves.need[line] = words.need[line] = (int16_t)(i % 50 ? random_below(3) : 0);
        }
        key = combgpu__no3_select(&view, &halves, 16, 1, 0);
        wrong += key != combgpu__no3_select(&view, &words, 32, 0, 0);
        dead += key == 0;
        solved += key == COMBGPU__NO3_SOLVED;
    }
    ok(!wrong && dead > 100 && dead < 4900 && solved == 100,
       "the next line is the same in both forms of a board (%d cannot be completed)", dead);
}

/* An orbit is open on both of its lines or on none: a checkpoint's task is refused otherwise. */
static void test_half_open(void)
{
    combgpu_no3_desc desc = describe(8, COMBGPU_NO3_ALL, 0);
    combgpu_job *job;
    size_t count = 0;
    const uint32_t *first;
    int bits = 0, refused = 0, taken = 0, i;
    combgpu_no3_begin(CPU, &desc, &job);
    first = combgpu__reserve(job, &count);
    for (i = 0; count && i < 32 * 16; i++) {
        uint32_t task[COMBGPU__NO3_TASK_ROOM];
        memcpy(task, first, combgpu__desc(job)->task_words * sizeof *task);
        if (!i) taken = combgpu__no3_validate_task(job, task);
        if (!(task[i / 32] >> i % 32 & 1)) continue;
        task[i / 32] &= ~(1u << i % 32);
        bits++;
        refused += !combgpu__no3_validate_task(job, task);
    }
    ok(taken && bits > 20 && refused == bits,
       "a task whose orbit is open on one of its two lines is refused (%d)", refused);
    combgpu_job_cancel(job);
}

int main(void)
{
    open_places();
    test_fixed();
    test_seed_counts();
    test_resume();
    test_first();
    test_hold();
    test_task_line();
    test_select();
    test_half_open();
    test_mixed_shards();
    test_many_pieces();
    test_code();
    test_svg();
    test_errors();
    test_memory();
    close_places();
    return tap_end();
}
