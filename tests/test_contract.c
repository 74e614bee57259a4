/* Tests the promises of every search, for each row of the table in searches.h: NULL arguments, end
   functions of other searches, backends, steps, chunks, shards and their merged files, devices, verified
   runs, estimates, failing allocations, damaged checkpoints. */
#include "searches.h"

#include <unistd.h>

/* ---- the answer to compare with: in one go, on one thread */

static search_answer right[SEARCH_ROWS];
static uint8_t right_written[sizeof search_written];

static combgpu_status solve(combgpu_context *ctx, const search_row *row, const search_desc *desc,
                            search_answer *answer)
{
    search_result result;
    combgpu_status status;
    memset(&result, 0, sizeof result);
    status = row->kind->once(ctx, desc, &result);
    *answer = search_answer_of(row, &result);
    return status;
}

/* An answer is the right one, and so is the memory that was written. */
static int is_right(int i, const search_answer *answer)
{
    int written = !(search_rows[i].can & SEARCH_WRITES) ||
                  !memcmp(search_written, right_written, sizeof right_written);
    return search_equal(answer, &right[i]) && written;
}

static void right_answers(void)
{
    int i;
    for (i = 0; i < SEARCH_ROWS; i++) {
        search_desc desc = search_describe(&search_rows[i]);
        equal_status(CPU, solve(CPU, &search_rows[i], &desc, &right[i]), COMBGPU_OK, "%s",
                     search_rows[i].name);
        if (search_rows[i].can & SEARCH_WRITES)
            memcpy(right_written, search_written, sizeof right_written);
    }
    for (i = 0; i < SEARCH_ROWS; i++) {
        uint64_t want = search_count(&search_rows[i]);
        if (want) equal_u64(right[i].words[3], want, "%s: the known count", search_rows[i].name);
    }
#ifdef COMBGPU__HAS_PERM
    for (i = 1; i < 5040; i++)
        if (memcmp(right_written + 7 * (i - 1), right_written + 7 * i, 7) >= 0) break;
    equal_u64(i, 5040, "7! permutations were written in order");
#endif
}

/* ---- arguments */

static int refused(combgpu_context *ctx, combgpu_status status)
{
    int fine = status == COMBGPU_INVALID_ARGUMENT && (!ctx || *combgpu_message(ctx));
    if (ctx) inside_forget_message(ctx);
    return fine;
}

static const search_row *row_of(const search_kind *kind)
{
    int i;
    for (i = 0; search_rows[i].kind != kind; i++) {
    }
    return &search_rows[i];
}

static void null_arguments(void)
{
    int k;
    for (k = 0; k < SEARCH_KINDS; k++) {
        const search_kind *kind = search_kinds[k];
        search_desc desc = search_describe(row_of(kind));
        search_result result;
        combgpu_job *job = NULL;
        inside_forget_message(CPU);
        ok(refused(NULL, kind->once(NULL, &desc, &result)), "%s: no context", kind->name);
        ok(refused(CPU, kind->once(CPU, NULL, &result)), "%s: no description", kind->name);
        ok(refused(NULL, kind->begin(NULL, &desc, &job)), "%s_begin: no context", kind->name);
        ok(refused(CPU, kind->begin(CPU, NULL, &job)) && !job, "%s_begin: no description",
           kind->name);
        ok(refused(CPU, kind->begin(CPU, &desc, NULL)), "%s_begin: no job", kind->name);
        ok(refused(NULL, kind->end(NULL, &result)), "%s_end: no job", kind->name);
    }
}

/* A _begin that refuses sets the job to NULL, whatever it was. */
static void refused_runs(void)
{
    int i;
    for (i = 0; i < SEARCH_ROWS; i++) {
        const search_row *row = &search_rows[i];
        search_desc desc = search_describe(row);
        search_result result;
        combgpu_job *job = (combgpu_job *)&desc;
        row->kind->run(&desc)->slice_ms = 501;
        ok(refused(CPU, row->kind->begin(CPU, &desc, &job)) && !job, "%s: a bad run description",
           row->name);
        ok(refused(CPU, row->kind->once(CPU, &desc, &result)), "%s: by the one-shot form as well",
           row->name);
    }
}

/* Each _end takes jobs of its own _begin; one that it refuses is still there. */
static void wrong_ends(void)
{
    int i, k;
    for (i = 0; i < SEARCH_ROWS; i++) {
        const search_row *row = &search_rows[i];
        search_desc desc = search_describe(row);
        search_result result;
        search_answer answer;
        combgpu_job *job;
        int others = 0;
        if (!equal_status(CPU, row->kind->begin(CPU, &desc, &job), COMBGPU_OK, "%s: begin",
                          row->name))
            continue;
        inside_forget_message(CPU);
        for (k = 0; k < SEARCH_KINDS; k++)
            others +=
                search_kinds[k] != row->kind && refused(CPU, search_kinds[k]->end(job, &result));
        equal_u64(others, SEARCH_KINDS - 1, "%s: every other _end refuses its job", row->name);
        test_run(job);
        equal_status(CPU, row->kind->end(job, &result), COMBGPU_OK, "%s: its own ends it",
                     row->name);
        answer = search_answer_of(row, &result);
        ok(is_right(i, &answer), "%s: step by step the same answer", row->name);
    }
}

/* Ended before its first step, with a result and without, and cancelled: nothing is left. */
static void ended_at_once(void)
{
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    test_meter memory;
    int i, how;
    memset(&memory, 0, sizeof memory);
    test_meter_use(&open, &memory);
    if (!ok(combgpu_open(&ctx, &open) == COMBGPU_OK, "open")) return;
    for (i = 0; i < SEARCH_ROWS; i++) {
        const search_row *row = &search_rows[i];
        search_desc desc = search_describe(row);
        search_result result;
        long before = 0;
        int fine = 1;
        for (how = 0; how < 4; how++) { /* the first time a context may keep something */
            combgpu_job *job;
            combgpu_status status = row->kind->begin(ctx, &desc, &job);
            if (status)
                fine = 0;
            else if (how < 2) {
                status = row->kind->end(job, &result);
                fine &= status == COMBGPU_STOPPED || status == COMBGPU_OK;
            } else if (how == 2)
                fine &= row->kind->end(job, NULL) == COMBGPU_STOPPED;
            else
                combgpu_job_cancel(job);
            if (how) fine &= memory.live == before;
            before = memory.live;
        }
        ok(fine, "%s: a job that is ended at once leaves nothing behind", row->name);
        ok(row->kind->once(ctx, &desc, NULL) == COMBGPU_OK, "%s: no result is wanted", row->name);
    }
    combgpu_close(ctx);
    equal_u64(memory.live, 0, "nothing is left in memory");
}

/* ---- everywhere */

static void equal_everywhere(void)
{
    int i, place;
    for (place = 0; place < TEST_PLACES; place++)
        for (i = 0; i < SEARCH_ROWS && opened[place]; i++) {
            search_desc desc = search_describe(&search_rows[i]);
            search_answer answer;
            combgpu_status status = solve(opened[place], &search_rows[i], &desc, &answer);
            equal_status(opened[place], status, COMBGPU_OK, "%s: %s", test_places[place].name,
                         search_rows[i].name);
            ok(is_right(i, &answer), "%s: %s: the same answer", test_places[place].name,
               search_rows[i].name);
        }
}

/* ---- pieces: stopped, saved, and resumed at another place */

static const search_row *in_pieces;

static combgpu_status piece_begin(combgpu_context *ctx, void *desc, combgpu_job **job)
{
    return in_pieces->kind->begin(ctx, (const search_desc *)desc, job);
}

static combgpu_status piece_end(combgpu_job *job, void *result)
{
    return in_pieces->kind->end(job, (search_result *)result);
}

static void stopped_and_resumed(void)
{
    int i, k, times = test_small() ? 1 : 3;
    for (i = 0; i < SEARCH_ROWS; i++) {
        int wrong = 0, pieces = 0;
        in_pieces = &search_rows[i];
        for (k = 0; k < times; k++) {
            search_desc desc = search_describe(in_pieces);
            search_result result;
            search_answer answer;
            test_search s;
            int made;
            memset(&s, 0, sizeof s);
            s.begin = piece_begin;
            s.end = piece_end;
            s.desc = &desc;
            s.result = &result;
            s.run = in_pieces->kind->run(&desc);
            s.budget = in_pieces->budget;
            s.workers = 8;
            s.most = 40;
            if (k == 0) s.one = s.other = CPU;
            made = test_pieces(&s);
            pieces += made;
            if (made < 0) {
                wrong++;
                continue;
            }
            answer = search_answer_of(in_pieces, &result);
            wrong += !is_right(i, &answer);
        }
        ok(!wrong, "%s: in %d chunks, from backend to backend: the same answer", in_pieces->name,
           pieces);
    }
}

/* ---- shards, and their finished files merged */

static char folder[200], shard_paths[7][220];

static void forget_files(void)
{
    static const char *const endings[] = {"", ".bak", ".lock"};
    char path[240];
    int i, k;
    for (i = 0; i < 7; i++)
        for (k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "%.220s%s", shard_paths[i], endings[k]);
            remove(path);
        }
}

static void shards_add_up(void)
{
    static const int counts[3] = {1, 3, 7};
    int i, c, k;
    for (i = 0; i < SEARCH_ROWS; i++)
        for (c = 0; c < 3 && search_rows[i].can & SEARCH_SHARDS; c++) {
            search_desc desc = search_describe(&search_rows[i]);
            combgpu_run_desc *run = search_rows[i].kind->run(&desc);
            search_answer sum, part;
            int bad = 0;
            memset(&sum, 0, sizeof sum);
            run->shard_count = counts[c];
            for (k = 0; k < counts[c]; k++) {
                run->shard_index = k;
                bad += solve(random_place(), &search_rows[i], &desc, &part) != COMBGPU_OK;
                search_add(&sum, &part);
            }
            ok(!bad && is_right(i, &sum), "%s: %d shards add up", search_rows[i].name, counts[c]);
        }
}

/* The files may come in any order, and from several places. An answer in the caller's memory is merged by
   nobody. */
static void shards_are_merged(combgpu_context *ctx, const char *place)
{
    static const int counts[3] = {1, 3, 7};
    const char *paths[7];
    int i, c, k;
    for (i = 0; i < SEARCH_ROWS; i++)
        for (c = 0; c < 3; c++) {
            search_desc desc = search_describe(&search_rows[i]);
            combgpu_run_desc *run = search_rows[i].kind->run(&desc), whole = *run;
            search_answer answer;
            combgpu_status status;
            int bad = 0;
            if (!(search_rows[i].can & SEARCH_SHARDS) || search_rows[i].can & SEARCH_WRITES)
                continue;
            forget_files();
            run->shard_count = counts[c];
            for (k = 0; k < counts[c]; k++) {
                run->shard_index = k;
                run->checkpoint_path = paths[counts[c] - 1 - k] = shard_paths[k];
                bad += solve(search_brief() && k % 3 ? CPU : ctx, &search_rows[i], &desc,
                             &answer) != COMBGPU_OK;
            }
            *run = whole;
            run->merge_paths = paths;
            run->merge_count = counts[c];
            status = solve(ctx, &search_rows[i], &desc, &answer);
            if (!ok(!bad && !status && is_right(i, &answer),
                    "%s: %s: the files of %d shards, merged, give the whole's answer", place,
                    search_rows[i].name, counts[c]))
                printf("# %s\n", combgpu_message(ctx));
        }
    forget_files();
}

/* ---- checkpoints that the caller writes */

/* With a negative interval the run writes no file: combgpu_checkpoint does, after a random step, and a run
   goes on from there. Every second one is asked for by the progress callback. */
static struct {
    combgpu_job *job;
    int steps_left, in_callback, failed;
} wish;

static void ask(int in_callback)
{
    if (--wish.steps_left == 0 && in_callback == wish.in_callback)
        wish.failed = combgpu_checkpoint(wish.job) != COMBGPU_OK;
}

static int asks_for_checkpoint(const combgpu_progress *progress, void *user)
{
    (void)progress, (void)user;
    if (wish.in_callback) ask(1);
    return 0;
}

static void written_when_asked(void)
{
    int i;
    for (i = 0; i < SEARCH_ROWS; i++) {
        const search_row *row = &search_rows[i];
        search_desc desc = search_describe(row);
        combgpu_run_desc *run = row->kind->run(&desc);
        search_result result;
        search_answer whole, rest;
        combgpu_context *ctx = random_place();
        combgpu_status status;
        int begun, steps = 1 + (int)random_below(5), wrong;
        run->checkpoint_path = shard_paths[0];
        run->checkpoint_interval_s = -1;
        run->progress = asks_for_checkpoint;
        run->progress_interval_s = 1e-9;
        memset(&wish, 0, sizeof wish);
        wish.steps_left = steps;
        wish.in_callback = i % 2;
        begun = row->kind->begin(ctx, &desc, &wish.job) == COMBGPU_OK;
        if (begun) inside_set_budget(wish.job, (uint32_t)row->budget);
        do {
            status = begun ? combgpu_step(wish.job) : COMBGPU_DEVICE_ERROR;
            if (!wish.in_callback) ask(0);
        } while (status == COMBGPU_RUNNING);
        memset(&result, 0, sizeof result);
        wrong = (begun && row->kind->end(wish.job, &result)) + wish.failed;
        wrong += status != COMBGPU_OK;
        whole = search_answer_of(row, &result);
        wrong += !is_right(i, &whole) ||
                 row->kind->info(&result)->checkpoints != (unsigned)(wish.steps_left <= 0);
        run->progress = NULL;
        run->checkpoint_interval_s = 0;
        run->resume = 1;
        status = solve(random_place(), row, &desc, &rest);
        ok(!wrong && !status && is_right(i, &rest),
           "%s: a checkpoint is written when the caller asks, here in step %d", row->name, steps);
        forget_files();
    }
}

/* ---- several devices; and results that are computed twice */

static void several_devices(void)
{
    static const char *const lists[] = {"cc", "ccc", "o",  "oo", "oc",
                                        "co", "ooc", "uu", "uv", "uvc"};
    int l, i, k;
    for (l = 0; l < (int)(sizeof lists / sizeof lists[0]); l++) {
        combgpu_device_id devices[3];
        combgpu_context_desc open;
        combgpu_context *ctx;
        memset(&open, 0, sizeof open);
        for (k = 0; lists[l][k]; k++) {
            devices[k].backend = lists[l][k] == 'c'   ? COMBGPU_BACKEND_CPU
                                 : lists[l][k] == 'o' ? COMBGPU_BACKEND_OPENCL
                                                      : COMBGPU_BACKEND_CUDA;
            devices[k].index = lists[l][k] == 'v';
        }
        open.threads = 2;
        open.devices = devices;
        open.device_count = k;
        if (combgpu_open(&ctx, &open))
            skip(combgpu_message(ctx), lists[l]);
        else
            for (i = 0; i < SEARCH_ROWS; i++) {
                search_desc desc = search_describe(&search_rows[i]);
                search_answer answer;
                combgpu_run_desc *run = search_rows[i].kind->run(&desc);
                run->verify = l == 1;
                run->verify_share = l == 1;
                ok(solve(ctx, &search_rows[i], &desc, &answer) == COMBGPU_OK &&
                       is_right(i, &answer),
                   "devices %s: %s: the same answer%s", lists[l], search_rows[i].name,
                   l == 1 ? ", all of it verified" : "");
            }
        combgpu_close(ctx);
    }
}

static void verified(double share)
{
    int i, place;
    for (place = 0; place < TEST_PLACES; place++)
        for (i = 0; i < SEARCH_ROWS && opened[place]; i++) {
            search_desc desc = search_describe(&search_rows[i]);
            combgpu_run_desc *run = search_rows[i].kind->run(&desc);
            search_result result;
            search_answer answer;
            const combgpu_run_info *info = search_rows[i].kind->info(&result);
            combgpu_status status;
            run->verify = 1;
            run->verify_share = share;
            status = search_rows[i].kind->once(opened[place], &desc, &result);
            equal_status(opened[place], status, COMBGPU_OK, "%s: %s, verified",
                         test_places[place].name, search_rows[i].name);
            answer = search_answer_of(&search_rows[i], &result);
            ok(is_right(i, &answer) && !info->mismatches &&
                   (search_rows[i].can & SEARCH_VERIFIED ? info->verified > 0 || share < 1
                                                         : !info->verified),
               "%s: %s: the same answer, %d tasks verified", test_places[place].name,
               search_rows[i].name, (int)info->verified);
        }
}

/* Before it begins, a search that cannot be verified says so, and no other does. */
static void unverified_says_so(void)
{
    int i;
    for (i = 0; i < SEARCH_ROWS; i++) {
        const search_row *row = &search_rows[i];
        combgpu_context_desc open = test_context(0);
        combgpu_context *ctx;
        combgpu_job *job = NULL;
        search_desc desc = search_describe(row);
        test_log log;
        const char *says;
        memset(&log, 0, sizeof log);
        test_log_use(&open, &log);
        row->kind->run(&desc)->verify = 1;
        equal_status(NULL, combgpu_open(&ctx, &open), COMBGPU_OK, "a context with a log");
        equal_status(ctx, row->kind->begin(ctx, &desc, &job), COMBGPU_OK, "%s", row->name);
        says = strstr(log.last[COMBGPU_LOG_WARNING], "is not verified");
        ok(!says == ((row->can & SEARCH_VERIFIED) != 0), "%s: %s", row->name,
           says ? log.last[COMBGPU_LOG_WARNING] : "is verified, or nothing is said");
        combgpu_job_cancel(job);
        combgpu_close(ctx);
    }
}

/* ---- estimates change nothing */

static void estimated(void)
{
    int i;
    for (i = 0; i < SEARCH_ROWS; i++) {
        const search_row *row = &search_rows[i];
        search_desc desc = search_describe(row);
        search_result result;
        search_answer answer;
        combgpu_estimate_desc how;
        combgpu_estimate e;
        combgpu_progress progress;
        combgpu_status status;
        combgpu_job *job;
        double last = 0;
        int asked = 0, fell = 0;
        memset(&how, 0, sizeof how);
        how.samples = 4;
        how.calibrate_s = 1e-6;
        if (row->kind->begin(CPU, &desc, &job)) {
            ok(0, "%s: begin: %s", row->name, combgpu_message(CPU));
            continue;
        }
        do {
            inside_set_budget(job, (uint32_t)row->budget);
            if (asked++ < 3) combgpu_job_estimate(job, &how, &e);
            status = combgpu_step(job);
            combgpu_job_progress(job, &progress);
            fell += progress.fraction < last || progress.fraction > 1;
            last = progress.fraction;
        } while (status == COMBGPU_RUNNING);
        ok(!fell && last == 1, "%s: the fraction never falls, and is 1 at the end", row->name);
        status = row->kind->end(job, &result);
        answer = search_answer_of(row, &result);
        ok(!status && is_right(i, &answer), "%s: asked how long it takes: the same answer",
           row->name);
    }
}

/* ---- memory */

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    int i = *(const int *)user;
    search_desc desc = search_describe(&search_rows[i]);
    search_answer answer;
    combgpu_status status = solve(ctx, &search_rows[i], &desc, &answer);
    return status || is_right(i, &answer) ? status : COMBGPU_WRONG_RESULT;
}

static void memory_runs_out(void)
{
    combgpu_context_desc one = test_context(0);
    int i, fresh;
    for (i = 0; i < SEARCH_ROWS; i++)
        for (fresh = 0; fresh < 2; fresh++) {
            int number = i, failed;
            if (test_small() && fresh != i % 2) continue; /* begins that make long tables */
            failed = test_out_of_memory(&one, fresh, allocating, &number);
            ok(failed > 2, "%s, %s context: each of %d allocations may fail: a status, no leak",
               search_rows[i].name, fresh ? "a new" : "one", failed);
        }
}

/* ---- callbacks */

static struct {
    const search_row *row;
    combgpu_job *job;
    int calls, refused;
} reported;

static int asks_too_much(const combgpu_progress *progress, void *user)
{
    search_result result;
    combgpu_estimate estimate;
    size_t bytes;
    combgpu_job *job = reported.job;
    (void)progress, (void)user;
    reported.calls++;
    reported.refused += refused(CPU, reported.row->kind->end(job, &result)) &&
                        refused(CPU, combgpu_step(job)) &&
                        refused(CPU, combgpu_job_estimate(job, NULL, &estimate)) &&
                        combgpu_save(job, NULL, 0, &bytes) == COMBGPU_OK;
    return 0;
}

/* A callback for progress can save its job, but neither end, step nor estimate it, be it in a step or
   in an estimate. */
static void called_back(void)
{
    int i;
    for (i = 0; i < SEARCH_ROWS; i++) {
        const search_row *row = &search_rows[i];
        search_desc desc = search_describe(row);
        combgpu_estimate_desc short_one;
        combgpu_estimate estimate;
        search_result result;
        search_answer answer;
        row->kind->run(&desc)->progress = asks_too_much;
        row->kind->run(&desc)->progress_interval_s = 1e-9;
        memset(&short_one, 0, sizeof short_one);
        short_one.samples = 2;
        short_one.calibrate_s = 1e-9;
        memset(&reported, 0, sizeof reported);
        reported.row = row;
        if (row->kind->begin(CPU, &desc, &reported.job) != COMBGPU_OK) continue;
        inside_set_budget(reported.job, (uint32_t)row->budget);
        (void)combgpu_job_estimate(reported.job, &short_one, &estimate);
        test_run(reported.job);
        row->kind->end(reported.job, &result);
        answer = search_answer_of(row, &result);
        ok(is_right(i, &answer) && reported.calls && reported.refused == reported.calls,
           "%s: a callback for progress can save it and no more", row->name);
    }
}

int main(void)
{
    int i;
    open_places();
    if (!test_folder(folder, sizeof folder)) return 1;
    for (i = 0; i < 7; i++)
        snprintf(shard_paths[i], sizeof shard_paths[i], "%s/%d", folder, i);
    right_answers();
    null_arguments();
    refused_runs();
    wrong_ends();
    ended_at_once();
    equal_everywhere();
    stopped_and_resumed();
    shards_add_up();
    for (i = 0; i < TEST_PLACES; i++)
        if (opened[i]) shards_are_merged(opened[i], test_places[i].name);
    written_when_asked();
    several_devices();
    verified(1);
    verified(0.3);
    unverified_says_so();
    estimated();
    called_back();
    memory_runs_out();
    ok(rmdir(folder) == 0, "no file is left behind");
    close_places();
    return tap_end();
}
