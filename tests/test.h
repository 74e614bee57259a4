/* Helpers of all test programs. Each includes this file once, runs its tests, and returns tap_end().

       points      ok, equal_u64, equal_status, INVALID, skip; printed as TAP
       chance      random_u64, random_below: the same in every run, unless the environment variable
                   COMBGPU_TEST_SEED has a number: then other cases
       places      test_open, or open_places for all of them: every count must be equal on each.
                   One that is absent is a visible SKIP, or a failure if the environment variable
                   COMBGPU_REQUIRE names it ("opencl", "cuda", "opencl,cuda")
       memory      test_meter, test_out_of_memory: the k-th allocation fails, for every k
       pieces      test_save, test_pieces: stopped, saved, and gone on with at another place
       files       test_folder, a new folder; test_variable sets an environment variable
       damage      test_data_begin, test_sum, test_mend: checkpoints that are changed and have a right CRC */
#ifndef COMBGPU_TEST_H
#define COMBGPU_TEST_H

/* The Makefile compiles the implementation once (inside.c) and links it with the tests: there
   COMBGPU__IMPLEMENTED keeps it out of here. Without that a test is complete in one file. */
#define COMBGPU_IMPLEMENTATION
#ifdef COMBGPU__IMPLEMENTED
#include "inside.h"
#else
#include "inside.c"
#endif

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __GNUC__
#define TEST_HELPER static __attribute__((unused))
#define TEST_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define TEST_HELPER static
#define TEST_PRINTF(format_at, args_at)
#endif

#ifdef _WIN32
#include <direct.h>
#include <process.h>
#else
#include <sys/stat.h>
#include <unistd.h>
#endif

static int tap_number, tap_failed;

/* One test point; the name says what is promised. Returns the condition. */
TEST_HELPER int ok(int condition, const char *format, ...) TEST_PRINTF(2, 3);
TEST_HELPER int ok(int condition, const char *format, ...)
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
TEST_HELPER int equal_u64_at(uint64_t got, uint64_t want, int line, const char *format, ...)
    TEST_PRINTF(4, 5);
TEST_HELPER int equal_u64_at(uint64_t got, uint64_t want, int line, const char *format, ...)
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
TEST_HELPER int equal_status_at(combgpu_context *ctx, combgpu_status got, combgpu_status want,
                                int line, const char *format, ...) TEST_PRINTF(5, 6);
TEST_HELPER int equal_status_at(combgpu_context *ctx, combgpu_status got, combgpu_status want,
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

/* A call is refused: with this status and a message that has `part`. */
TEST_HELPER int refused_as(combgpu_context *ctx, combgpu_status got, combgpu_status want,
                           const char *part)
{
    int good = ok(got == want && strstr(combgpu_message(ctx), part), "refused: %s", part);
    if (!good) printf("# got \"%s\": %s\n", combgpu_status_string(got), combgpu_message(ctx));
    return good;
}

/* The same for the status that most such calls return, on the context `ctx`. */
#define INVALID(call, part) refused_as(ctx, call, COMBGPU_INVALID_ARGUMENT, part)

TEST_HELPER void skip(const char *reason, const char *name)
{
    printf("ok %d - %s # SKIP %s\n", ++tap_number, name, reason);
}

/* Prints the plan; the exit status of the program. */
TEST_HELPER int tap_end(void)
{
    printf("1..%d\n", tap_number);
    return tap_failed != 0;
}

/* Seconds on a clock that never goes back. */
TEST_HELPER double test_now(void)
{
#ifdef CLOCK_MONOTONIC
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
    return (double)time(NULL);
#endif
}

/* ---- the hashes that checksums are sums of, written again */

/* splitmix64's finaliser (S. Vigna) */
TEST_HELPER uint64_t test_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* FNV-1a-64 (G. Fowler, L. C. Noll, K.-P. Vo) */
TEST_HELPER uint64_t test_fnv(const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; bytes; bytes--, p++)
        hash = (hash ^ *p) * UINT64_C(1099511628211);
    return hash;
}

/* of a permutation that was visited */
TEST_HELPER uint64_t test_visit_hash(uint64_t rank)
{
    return test_mix(rank / 24) << rank % 24;
}

/* Newton's: the tests need no libm, either. */
TEST_HELPER double test_sqrt(double x)
{
    double root = x > 1 ? x : 1, next = (root + x / root) / 2;
    while (next < root) {
        root = next;
        next = (root + x / root) / 2;
    }
    return x > 0 ? root : 0;
}

/* ---- chance */

static uint64_t random_state = UINT64_C(88172645463325252);

TEST_HELPER uint64_t random_u64(void) /* xorshift64* (S. Vigna) */
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
TEST_HELPER uint64_t random_u64_below(uint64_t n)
{
    return random_u64() % n;
}

TEST_HELPER uint32_t random_u32_below(uint32_t n)
{
    return (uint32_t)random_u64_below(n);
}

TEST_HELPER int random_below(int n)
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
TEST_HELPER int test_small(void)
{
    return getenv("COMBGPU_TEST_SMALL") != NULL;
}

/* A GPU has thousands of workers, and is done with a small search before it can be stopped often.
 */
TEST_HELPER int test_has_gpu(void)
{
    combgpu_device devices[16];
    int i, count = 0;
    combgpu_devices(devices, 16, &count);
    for (i = 0; i < count && i < 16; i++)
        if (devices[i].is_gpu) return 1;
    return 0;
}

/* What opens a place: to be changed, and given to combgpu_open. */
TEST_HELPER combgpu_context_desc test_context(int place)
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
TEST_HELPER int test_open(int place, combgpu_context **ctx)
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
static combgpu_context *opened[TEST_PLACES];
#define CPU opened[0] /* one thread; always there */

TEST_HELPER void open_places(void)
{
    int i;
    for (i = 0; i < TEST_PLACES; i++)
        if (!test_open(i, &opened[i])) opened[i] = NULL;
}

TEST_HELPER void close_places(void)
{
    int i;
    for (i = 0; i < TEST_PLACES; i++)
        combgpu_close(opened[i]);
}

TEST_HELPER combgpu_context *random_place(void)
{
    combgpu_context *ctx;
    do
        ctx = opened[random_below(TEST_PLACES)];
    while (!ctx);
    return ctx;
}

TEST_HELPER combgpu_backend backend_of(const combgpu_context *ctx)
{
    combgpu_device device;
    memset(&device, 0, sizeof device);
    combgpu_context_device(ctx, &device);
    return device.backend;
}

/* The path of a file in tests/data, wherever the program is started; valid for three more calls. */
TEST_HELPER const char *test_file(const char *name)
{
    static char paths[4][600];
    static int next;
    const char *here = __FILE__, *slash = strrchr(here, '/');
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%.*sdata/%s", slash ? (int)(slash - here) + 1 : 0, here, name);
    return path;
}

TEST_HELPER FILE *test_open_file(const char *name)
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

TEST_HELPER void test_log_keep(combgpu_log_level level, const char *message, void *user)
{
    test_log *log = (test_log *)user;
    log->count[level]++;
    snprintf(log->last[level], sizeof log->last[level], "%s", message);
}

TEST_HELPER void test_log_use(combgpu_context_desc *desc, test_log *log)
{
    desc->logger.log = test_log_keep;
    desc->logger.user = log;
}

/* ---- memory: an allocator that counts, and finds no memory when told to */

typedef struct test_meter {
    long live, calls; /* blocks in use; allocations asked for */
    long fail_at;     /* the call, from 1 on, that finds no memory; 0 = none */
    int for_good;     /* nonzero: nor do all later ones */
    size_t largest;   /* bytes of an allocation */
    int zeros;        /* nonzero: new memory has zeros; else other bytes */
} test_meter;

TEST_HELPER void *test_allocate(size_t bytes, void *user)
{
    test_meter *m = (test_meter *)user;
    void *memory;
    m->calls++;
    if (m->fail_at && (m->calls == m->fail_at || (m->for_good && m->calls > m->fail_at)))
        return NULL;
    if (bytes >> 31) return NULL; /* what a sanitizer's malloc would die of */
    memory = malloc(bytes);
    m->live += memory != NULL;
    if (memory) memset(memory, m->zeros ? 0 : 0xa5, bytes < 1 << 24 ? bytes : 1 << 24);
    if (bytes > m->largest) m->largest = bytes;
    return memory;
}

TEST_HELPER void test_release(void *memory, void *user)
{
    ((test_meter *)user)->live -= memory != NULL;
    free(memory);
}

TEST_HELPER void test_meter_use(combgpu_context_desc *desc, test_meter *memory)
{
    desc->allocator.allocate = test_allocate;
    desc->allocator.release = test_release;
    desc->allocator.user = memory;
}

typedef combgpu_status (*test_work)(combgpu_context *ctx, void *user);

TEST_HELPER int test_bad(int bad, int k, const char *what, combgpu_context *ctx)
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
TEST_HELPER int test_out_of_memory(const combgpu_context_desc *how, int fresh, test_work work,
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
        int is_open;
        m.calls = 0;
        m.fail_at = k;
        status = fresh ? combgpu_open(&ctx, &desc) : COMBGPU_OK;
        is_open = !status;
        if (is_open) status = work(ctx, user);
        reached = m.calls >= k;
        m.fail_at = 0;
        failed += status != COMBGPU_OK;
        wrong += test_bad(
            status && (status != COMBGPU_OUT_OF_MEMORY || !reached || !*combgpu_message(ctx)), k,
            combgpu_status_string(status), ctx);
        wrong += test_bad(!fresh && m.live != before, k, "leaves blocks behind", ctx);
        wrong += test_bad(status && is_open && work(ctx, user), k, "is not survived", ctx);
        if (!fresh) continue;
        combgpu_close(ctx);
        wrong += test_bad(m.live != 0, k, "leaves blocks behind", NULL);
    }
    if (!fresh) combgpu_close(ctx);
    wrong += test_bad(m.live != 0, 0, "leaves blocks behind", NULL);
    return wrong || reached ? -1 : failed;
}

/* ---- pieces */

/* Steps the job to its end; its status there. */
TEST_HELPER combgpu_status test_run(combgpu_job *job)
{
    combgpu_status status;
    do
        status = combgpu_step(job);
    while (status == COMBGPU_RUNNING);
    return status;
}

/* The steps that the job has taken. */
TEST_HELPER uint64_t steps_of(combgpu_job *job)
{
    combgpu_progress progress;
    memset(&progress, 0, sizeof progress);
    combgpu_job_progress(job, &progress);
    return progress.steps;
}

/* What combgpu_save writes, to be given to free; NULL if it fails. */
TEST_HELPER unsigned char *test_save(combgpu_job *job, size_t *bytes)
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
    int budget;            /* a slice has 1 to this many steps; 0 = the job's choice */
    int records;           /* it mostly has room for 1 to this many records; 0 = the job's choice */
    int workers;           /* workers on each device, at most; 0 = all */
    int most;              /* pieces, at most, before the run to the end; 0 = no limit */
    combgpu_context *one, *other; /* pieces in turn here and there; NULL = at random places */
} test_search;

/* Runs a search in pieces of one to three slices; each piece is a new job at another place, resumed
   from what combgpu_save wrote. Returns the number of pieces, or -1 after an error. */
TEST_HELPER int test_pieces(const test_search *s)
{
    combgpu_status status = COMBGPU_RUNNING;
    unsigned char *saved = NULL;
    size_t bytes = 0;
    int pieces = 0;
    while (status == COMBGPU_RUNNING || status == COMBGPU_STOPPED) {
        int slices = 1 + random_below(3), last = s->most && pieces + 1 >= s->most;
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
        room = inside_record_room(job);
        if (s->workers) inside_limit_workers(job, (uint32_t)s->workers);
        do {
            if (s->budget) inside_set_budget(job, 1 + random_u32_below((uint32_t)s->budget));
            if (s->records) {
                uint32_t records = 1 + random_u32_below(random_below(3) ? (uint32_t)s->records : 3);
                inside_set_record_room(job, records < room ? records : room);
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
TEST_HELPER int equal_runs(const combgpu_run_info *a, const combgpu_run_info *b)
{
    return a->steps == b->steps && a->checksum == b->checksum;
}

TEST_HELPER void add_run(combgpu_run_info *sum, const combgpu_run_info *part)
{
    sum->steps += part->steps;
    sum->checksum += part->checksum;
}

/* ---- files */

/* Makes a new folder for a test's files and writes its name to folder[size]. */
TEST_HELPER int test_folder(char *folder, size_t size)
{
#ifdef _WIN32
    const char *above = getenv("TEMP");
#else
    const char *above = getenv("TMPDIR");
#endif
    int i, made = 0;
    for (i = 0; i < 1000 && !made; i++) {
        int length =
            snprintf(folder, size, "%s/combgpu_%ld_%d", above ? above : "/tmp", (long)getpid(), i);
        if (length < 0 || (size_t)length >= size) break;
#ifdef _WIN32
        made = !_mkdir(folder);
#else
        made = !mkdir(folder, 0700);
#endif
    }
    return made;
}

/* value = NULL takes the variable away. */
TEST_HELPER void test_variable(const char *name, const char *value)
{
#ifdef _WIN32
    _putenv_s(name, value ? value : "");
#else
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
#endif
}

/* ---- ends of paths */

/* In any description of tours: where a path begins and ends; -1 = anywhere. */
#define TEST_START(desc) ((desc).path_ends & COMBGPU_TSP_FIXED_START ? (desc).path_start : -1)
#define TEST_END(desc) ((desc).path_ends & COMBGPU_TSP_FIXED_END ? (desc).path_end : -1)
#define TEST_SET_ENDS(desc, start, end)                                                            \
    ((desc).path_ends = (combgpu_tsp_ends)(((start) >= 0) + 2 * ((end) >= 0)),                     \
     (desc).path_start = (start) < 0 ? 0 : (start), (desc).path_end = (end) < 0 ? 0 : (end))
/* Nonzero if a tour has the ends that are wanted. */
#define TEST_HAS_ENDS(desc, tour, n)                                                               \
    ((TEST_START(desc) < 0 || (tour)[0] == TEST_START(desc)) &&                                    \
     (TEST_END(desc) < 0 || (tour)[(n)-1] == TEST_END(desc)))

/* ---- damage */

/* Where the data of a checkpoint begins, behind its lines of text. */
TEST_HELPER size_t test_data_begin(const unsigned char *checkpoint, size_t bytes)
{
    size_t at = 0;
    while (at + 6 < bytes && memcmp(checkpoint + at, "\ndata\n", 6))
        at++;
    return at + 6;
}

/* A word of a checkpoint: little-endian. */
TEST_HELPER void test_put32(unsigned char *to, uint32_t word)
{
    int i;
    for (i = 0; i < 4; i++)
        to[i] = (unsigned char)(word >> 8 * i);
}

/* Where the sum of this number stands in a checkpoint, in hexadecimal; NULL: it has fewer sums. */
TEST_HELPER char *test_sum(unsigned char *checkpoint, size_t bytes, int number)
{
    char *at = (char *)checkpoint, *end = at + test_data_begin(checkpoint, bytes);
    while (at < end && memcmp(at, "\nsums ", 6))
        at++;
    for (at++; at < end && *at != '\n'; at++)
        if (*at == ' ' && number-- < 0) return at + 1;
    return NULL;
}

/* Gives a changed checkpoint a right CRC. */
TEST_HELPER unsigned char *test_mend(unsigned char *checkpoint, size_t bytes)
{
    test_put32(checkpoint + bytes - 4, inside_crc32(checkpoint, bytes - 4));
    return checkpoint;
}

#endif
