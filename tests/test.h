/* What the test programs share. Each includes this file once, runs its tests, returns tap_end().

       points      ok, equal_u64, equal_status, skip; printed as TAP
       chance      random_u64, random_below: the same in every run, unless the environment variable
                   COMBGPU_TEST_SEED has a number: then other cases
       places      test_open, or open_places for all of them: every count must be equal on each.
                   One that is absent is a visible SKIP, or a failure if the environment variable
                   COMBGPU_REQUIRE names it ("opencl", "cuda", "opencl,cuda")
       memory      test_meter, test_out_of_memory: the k-th allocation fails, for every k
       pieces      test_save, test_pieces: stopped, saved, and gone on with at another place
       damage      test_data_begin, test_mend: checkpoints that are changed and have a right CRC */
#ifndef COMBGPU_TEST_H
#define COMBGPU_TEST_H

#define COMBGPU_IMPLEMENTATION
#include "../combgpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_number, tap_failed;

/* One test point; the name says what is promised. Returns the condition. */
COMBGPU__PRIVATE int ok(int condition, const char *format, ...) COMBGPU__PRINTF(2, 3);
COMBGPU__PRIVATE int ok(int condition, const char *format, ...)
{
    va_list args;
    printf("%s %d - ", condition ? "ok" : "not ok", ++tap_number);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    tap_failed += !condition;
    return condition;
}

/* ok(got == want), with both shown when they differ. */
#define equal_u64(got, want, ...)                                                                  \
    equal_u64_at((uint64_t)(got), (uint64_t)(want), __LINE__, __VA_ARGS__)
COMBGPU__PRIVATE int equal_u64_at(uint64_t got, uint64_t want, int line, const char *format, ...)
    COMBGPU__PRINTF(4, 5);
COMBGPU__PRIVATE int equal_u64_at(uint64_t got, uint64_t want, int line, const char *format, ...)
{
    char name[300];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (!ok(got == want, "%s", name))
        printf("#   line %d: got %llu (%llx), want %llu (%llx)\n", line, (unsigned long long)got,
               (unsigned long long)got, (unsigned long long)want, (unsigned long long)want);
    return got == want;
}

/* ok(status == want), with the context's message when it is not. */
#define equal_status(ctx, got, want, ...) equal_status_at(ctx, got, want, __LINE__, __VA_ARGS__)
COMBGPU__PRIVATE int equal_status_at(combgpu_context *ctx, combgpu_status got, combgpu_status want,
                                     int line, const char *format, ...) COMBGPU__PRINTF(5, 6);
COMBGPU__PRIVATE int equal_status_at(combgpu_context *ctx, combgpu_status got, combgpu_status want,
                                     int line, const char *format, ...)
{
    char name[300];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (!ok(got == want, "%s", name))
        printf("#   line %d: got \"%s\", want \"%s\"; message: %s\n", line,
               combgpu_status_string(got), combgpu_status_string(want), combgpu_message(ctx));
    return got == want;
}

COMBGPU__PRIVATE void skip(const char *reason, const char *name)
{
    printf("ok %d - %s # SKIP %s\n", ++tap_number, name, reason);
}

/* Prints the plan; the exit status of the program. */
COMBGPU__PRIVATE int tap_end(void)
{
    printf("1..%d\n", tap_number);
    return tap_failed != 0;
}

/* ---- chance */

static uint64_t random_state = UINT64_C(88172645463325252);

COMBGPU__PRIVATE uint64_t random_u64(void) /* xorshift64* (S. Vigna) */
{
    static int begun;
    const char *seed = begun++ ? NULL : getenv("COMBGPU_TEST_SEED");
    if (seed) random_state ^= strtoull(seed, NULL, 10) * UINT64_C(0x9e3779b97f4a7c15);
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(2685821657736338717);
}

/* 0 .. n-1 */
COMBGPU__PRIVATE uint64_t random_u64_below(uint64_t n)
{
    return random_u64() % n;
}

COMBGPU__PRIVATE uint32_t random_u32_below(uint32_t n)
{
    return (uint32_t)random_u64_below(n);
}

COMBGPU__PRIVATE int random_below(int n)
{
    return (int)random_u64_below((uint64_t)n);
}

/* ---- places: where every count must be the same */

typedef struct test_place {
    const char *name;
    combgpu_backend backend;
    int threads;
} test_place;
static const test_place test_places[] = {{"cpu 1 thread", COMBGPU_BACKEND_CPU, 1},
                                         {"cpu 3 threads", COMBGPU_BACKEND_CPU, 3},
                                         {"opencl", COMBGPU_BACKEND_OPENCL, 0},
                                         {"cuda", COMBGPU_BACKEND_CUDA, 0}};
#define TEST_PLACES 4

/* Nonzero: the environment asks for small cases (COMBGPU_TEST_SMALL), because a tool that checks
   every access makes the program a hundred times slower. */
COMBGPU__PRIVATE int test_small(void)
{
    return getenv("COMBGPU_TEST_SMALL") != NULL;
}

/* A GPU has thousands of workers, and is done with a small search before it can be stopped often.
 */
COMBGPU__PRIVATE int test_has_gpu(void)
{
    combgpu_device devices[16];
    int i, count = 0;
    combgpu_devices(devices, 16, &count);
    for (i = 0; i < count && i < 16; i++)
        if (devices[i].is_gpu) return 1;
    return 0;
}

/* What opens a place: to be changed, and given to combgpu_open. */
COMBGPU__PRIVATE combgpu_context_desc test_context(int place)
{
    combgpu_context_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = test_places[place].backend;
    desc.threads = test_places[place].threads;
    return desc;
}

/* Opens a context at a place; 0 if it is absent (then a SKIP or a failure has been printed). Loop:
   for (place = 0; place < TEST_PLACES; place++)
       if (test_open(place, &ctx)) { ... combgpu_close(ctx); } */
COMBGPU__PRIVATE int test_open(int place, combgpu_context **ctx)
{
    const char *require = getenv("COMBGPU_REQUIRE");
    combgpu_context_desc desc = test_context(place);
    if (combgpu_open(ctx, &desc) == COMBGPU_OK) return 1;
    if (require && strstr(require, combgpu_backend_string(desc.backend)))
        ok(0, "%s: required, but: %s", test_places[place].name, combgpu_message(*ctx));
    else
        skip(combgpu_message(*ctx), test_places[place].name);
    combgpu_close(*ctx);
    return 0;
}

/* All places at once, for tests that go from one to another; absent ones are NULL. */
static combgpu_context *places[TEST_PLACES];
#define CPU places[0] /* one thread; always there */

COMBGPU__PRIVATE void open_places(void)
{
    int i;
    for (i = 0; i < TEST_PLACES; i++)
        if (!test_open(i, &places[i])) places[i] = NULL;
}

COMBGPU__PRIVATE void close_places(void)
{
    int i;
    for (i = 0; i < TEST_PLACES; i++)
        combgpu_close(places[i]);
}

COMBGPU__PRIVATE combgpu_context *random_place(void)
{
    combgpu_context *ctx;
    do
        ctx = places[random_below(TEST_PLACES)];
    while (!ctx);
    return ctx;
}

/* The path of a file in tests/data, wherever the program is started; valid for three more calls. */
COMBGPU__PRIVATE const char *test_file(const char *name)
{
    static char paths[4][600];
    static int next;
    const char *here = __FILE__, *slash = strrchr(here, '/');
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%.*sdata/%s", slash ? (int)(slash - here) + 1 : 0, here, name);
    return path;
}

COMBGPU__PRIVATE FILE *test_open_file(const char *name)
{
    FILE *file = fopen(test_file(name), "r");
    if (!file) ok(0, "tests/data/%s is there", name);
    return file;
}

/* ---- what the library says: the last message of each level (context_desc.logger) */

typedef struct test_log {
    char last[3][600];
    int count[3];
} test_log;

COMBGPU__PRIVATE void test_log_keep(combgpu_log_level level, const char *message, void *user)
{
    test_log *log = (test_log *)user;
    log->count[level]++;
    snprintf(log->last[level], sizeof log->last[level], "%s", message);
}

COMBGPU__PRIVATE void test_log_use(combgpu_context_desc *desc, test_log *log)
{
    desc->logger.log = test_log_keep;
    desc->logger.user = log;
}

/* ---- memory: an allocator that counts, and finds no memory when told to */

typedef struct test_meter {
    long live, calls; /* blocks in use; allocations asked for */
    long fail_at;     /* the call, from 1 on, that finds no memory; 0 = none */
    int for_good;     /* nonzero: nor do all later ones */
} test_meter;

COMBGPU__PRIVATE void *test_allocate(size_t bytes, void *user)
{
    test_meter *m = (test_meter *)user;
    void *memory;
    m->calls++;
    if (m->fail_at && (m->calls == m->fail_at || (m->for_good && m->calls > m->fail_at)))
        return NULL;
    if (bytes >> 31) return NULL; /* what a sanitizer's malloc would die of */
    memory = malloc(bytes);
    m->live += memory != NULL;
    return memory;
}

COMBGPU__PRIVATE void test_release(void *memory, void *user)
{
    ((test_meter *)user)->live -= memory != NULL;
    free(memory);
}

COMBGPU__PRIVATE void test_meter_use(combgpu_context_desc *desc, test_meter *memory)
{
    desc->allocator.allocate = test_allocate;
    desc->allocator.release = test_release;
    desc->allocator.user = memory;
}

typedef combgpu_status (*test_work)(combgpu_context *ctx, void *user);

COMBGPU__PRIVATE int test_bad(int bad, int k, const char *what, combgpu_context *ctx)
{
    if (bad) printf("# failed allocation %d: %s; %s\n", k, what, combgpu_message(ctx));
    return bad;
}

/* Lets the first allocation that work(ctx, user) needs fail, then the second, and so on, until it
   needs fewer: each time it must return OUT_OF_MEMORY with a message, leave no block behind, and
   succeed when it is called again. `fresh`: each k has a context of its own, so that memory which
   a context keeps is asked for each time, and opening may fail, too. Otherwise there is one
   context, and the work was done once before. work must do the same each time.
   Returns how many failed; -1 if anything was wrong, or the place cannot be opened. */
COMBGPU__PRIVATE int test_out_of_memory(const combgpu_context_desc *how, int fresh, test_work work,
                                        void *user)
{
    combgpu_context_desc desc = *how;
    combgpu_context *ctx = NULL;
    test_meter m;
    int failed = 0, wrong, k, reached = 1;
    memset(&m, 0, sizeof m);
    test_meter_use(&desc, &m);
    wrong = test_bad(!fresh && (combgpu_open(&ctx, &desc) || work(ctx, user)), 0, "not done", ctx);
    for (k = 1; reached && !wrong && k < 10000; k++) {
        combgpu_status status;
        long before = m.live;
        int opened;
        m.calls = 0;
        m.fail_at = k;
        status = fresh ? combgpu_open(&ctx, &desc) : COMBGPU_OK;
        opened = !status;
        if (opened) status = work(ctx, user);
        reached = m.calls >= k;
        m.fail_at = 0;
        failed += status != COMBGPU_OK;
        wrong += test_bad(
            status && (status != COMBGPU_OUT_OF_MEMORY || !reached || !*combgpu_message(ctx)), k,
            combgpu_status_string(status), ctx);
        wrong += test_bad(!fresh && m.live != before, k, "leaves blocks behind", ctx);
        wrong += test_bad(status && opened && work(ctx, user), k, "is not survived", ctx);
        if (!fresh) continue;
        combgpu_close(ctx);
        wrong += test_bad(m.live != 0, k, "leaves blocks behind", NULL);
    }
    if (!fresh) combgpu_close(ctx);
    wrong += test_bad(m.live != 0, 0, "leaves blocks behind", NULL);
    return wrong || reached ? -1 : failed;
}

/* ---- pieces */

/* What combgpu_save writes, to be given to free; NULL if it fails. */
COMBGPU__PRIVATE unsigned char *test_save(combgpu_job *job, size_t *bytes)
{
    unsigned char *data = NULL;
    size_t needed = 0;
    *bytes = 0;
    if (combgpu_save(job, NULL, 0, &needed)) return NULL;
    data = (unsigned char *)malloc(needed); /* tight, for the sanitizer */
    if (data && combgpu_save(job, data, needed, bytes) == COMBGPU_OK && *bytes == needed)
        return data;
    free(data);
    return NULL;
}

/* A search that is stopped again and again. begin and end are those of the search, desc and result
   what they take (TEST_SEARCH makes them). */
typedef struct test_search {
    combgpu_status (*begin)(combgpu_context *ctx, void *desc, combgpu_job **job);
    combgpu_status (*end)(combgpu_job *job, void *result);
    void *desc, *result;
    combgpu_run_desc *run; /* the one in desc */
    int budget;            /* a slice has 1 to so many steps; 0 = as many as the job wants */
    int records;           /* and room for 1 to so many records, mostly; 0 = as the job wants */
    int workers;           /* and on each device at most so many workers; 0 = as many as it has */
    int most;              /* so many pieces, then on to the end; 0 = any number */
    combgpu_context *one, *other; /* pieces in turn here and there; NULL = at random places */
} test_search;

/* Runs a search in pieces of one to three slices; each goes on, from what combgpu_save wrote, in a
   new job at another place. Returns the number of pieces, -1 for an error. */
COMBGPU__PRIVATE int test_pieces(const test_search *s)
{
    combgpu_status status = COMBGPU_RUNNING;
    unsigned char *saved = NULL;
    size_t bytes = 0;
    int pieces = 0;
    while (status == COMBGPU_RUNNING || status == COMBGPU_STOPPED) {
        int slices = 1 + random_below(3), last = s->most && pieces + 1 >= s->most, i;
        combgpu_context *ctx = !s->one ? random_place() : pieces % 2 ? s->other : s->one;
        combgpu_job *job;
        uint32_t room;
        s->run->resume_data = saved;
        s->run->resume_bytes = bytes;
        status = s->begin(ctx, s->desc, &job);
        s->run->resume_data = NULL;
        s->run->resume_bytes = 0;
        free(saved);
        saved = NULL;
        if (status) {
            printf("# piece %d: %s\n", pieces, combgpu_message(ctx));
            break;
        }
        pieces++;
        room = job->record_capacity;
        for (i = 0; i < job->share_count && s->workers; i++)
            if (job->shares[i].workers > (uint32_t)s->workers)
                job->shares[i].workers = (uint32_t)s->workers;
        do {
            if (s->budget) job->budget = (uint32_t)(1 + random_below(s->budget));
            if (s->records) {
                job->record_capacity =
                    (uint32_t)(1 + random_below(random_below(3) ? s->records : 3));
                if (job->record_capacity > room) job->record_capacity = room;
            }
            status = combgpu_step(job);
        } while ((last || --slices) && status == COMBGPU_RUNNING);
        if (status == COMBGPU_RUNNING || status == COMBGPU_STOPPED) {
            saved = test_save(job, &bytes);
            if (!saved) {
                printf("# piece %d: saving: %s\n", pieces, combgpu_message(ctx));
                status = COMBGPU_WRONG_RESULT;
            }
            combgpu_job_cancel(job);
        } else
            status = s->end(job, s->result);
    }
    free(saved);
    return status == COMBGPU_OK || status == COMBGPU_FOUND ? pieces : -1;
}

/* Defines NAME_search(desc, result, budget): the search combgpu_NAME for test_pieces. */
#define TEST_SEARCH(name)                                                                          \
    static combgpu_status name##_begin(combgpu_context *ctx, void *desc, combgpu_job **job)        \
    {                                                                                              \
        return combgpu_##name##_begin(ctx, (const combgpu_##name##_desc *)desc, job);              \
    }                                                                                              \
    static combgpu_status name##_end(combgpu_job *job, void *result)                               \
    {                                                                                              \
        return combgpu_##name##_end(job, (combgpu_##name##_result *)result);                       \
    }                                                                                              \
    static test_search name##_search(combgpu_##name##_desc *desc, combgpu_##name##_result *result, \
                                     int budget)                                                   \
    {                                                                                              \
        test_search s;                                                                             \
        memset(&s, 0, sizeof s);                                                                   \
        s.begin = name##_begin;                                                                    \
        s.end = name##_end;                                                                        \
        s.desc = desc;                                                                             \
        s.result = result;                                                                         \
        s.run = &desc->run;                                                                        \
        s.budget = budget;                                                                         \
        return s;                                                                                  \
    }

/* Do two runs have equal sums? For the parts of a whole, add them first. */
COMBGPU__PRIVATE int equal_runs(const combgpu_run_info *a, const combgpu_run_info *b)
{
    return a->steps == b->steps && a->checksum == b->checksum;
}

COMBGPU__PRIVATE void add_run(combgpu_run_info *sum, const combgpu_run_info *part)
{
    sum->steps += part->steps;
    sum->checksum += part->checksum;
}

/* ---- damage */

/* Where the data of a checkpoint begins, behind its lines of text. */
COMBGPU__PRIVATE size_t test_data_begin(const unsigned char *checkpoint, size_t bytes)
{
    size_t at = 0;
    while (at + 6 < bytes && memcmp(checkpoint + at, "\ndata\n", 6))
        at++;
    return at + 6;
}

/* Gives a changed checkpoint a right CRC. */
COMBGPU__PRIVATE unsigned char *test_mend(unsigned char *checkpoint, size_t bytes)
{
    uint32_t crc = combgpu__crc32(checkpoint, bytes - 4);
    combgpu__store_words(checkpoint + bytes - 4, &crc, 1);
    return checkpoint;
}

#endif
