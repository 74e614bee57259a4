/* TAP for the test programs: each includes this file once, runs its tests, returns tap_end().
   Tests run on every backend of the build; one that is absent is a visible SKIP, or a failure if
   the environment variable COMBGPU_REQUIRE names it ("opencl", "cuda", "opencl,cuda"). */
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

/* The places where every count must be the same. Loop: for (i = 0; i < TEST_PLACES; i++) if
   (test_open( i, &ctx)) { ... combgpu_close(ctx); } */
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

/* Opens a context at a place; 0 if it is absent (then a SKIP or a failure has been printed). */
COMBGPU__PRIVATE int test_open(int place, combgpu_context **ctx)
{
    const char *require = getenv("COMBGPU_REQUIRE");
    combgpu_context_desc desc;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.backend = test_places[place].backend;
    desc.threads = test_places[place].threads;
    status = combgpu_open(ctx, &desc);
    if (status == COMBGPU_OK) return 1;
    if (require && strstr(require, combgpu_backend_string(desc.backend)))
        ok(0, "%s: required, but: %s", test_places[place].name, combgpu_message(*ctx));
    else
        skip(combgpu_message(*ctx), test_places[place].name);
    combgpu_close(*ctx);
    return 0;
}

#endif
