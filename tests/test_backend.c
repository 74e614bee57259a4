/* Tests the backends: devices, opening, memory, kernels that fail to build, and the probe kernels that
   check tasks, records, totals and groups of lanes (combgpu__backend_self_test). */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU_ONLY_PERM 1 /* one search is enough to compile */
#include "test.h"

/* Opens a place without TAP output; used after test_open has shown that it is there. */
static combgpu_status open_context(int place, combgpu_context **ctx)
{
    combgpu_context_desc desc = test_context(place);
    return combgpu_open(ctx, &desc);
}

/* ---- devices and opening */

static void test_devices(void)
{
    combgpu_device devices[80], first;
    int count = 0, again = 0, i, sane = 1;
    ok(combgpu_devices(NULL, 0, NULL) == COMBGPU_INVALID_ARGUMENT, "devices refuses a NULL count");
    ok(combgpu_devices(NULL, 3, &count) == COMBGPU_INVALID_ARGUMENT,
       "devices refuses a NULL list with capacity");
    ok(combgpu_devices(devices, -1, &count) == COMBGPU_INVALID_ARGUMENT,
       "devices refuses a negative capacity");
    ok(combgpu_devices(NULL, 0, &count) == COMBGPU_OK && count >= 1,
       "without a list, devices only counts");
    ok(combgpu_devices(devices, 80, &again) == COMBGPU_OK && again == count,
       "the count does not depend on the capacity");
    ok(devices[0].backend == COMBGPU_BACKEND_CPU, "the CPU comes first");
    for (i = 0; i < count && i < 80; i++) {
        int expected =
            i && devices[i].backend == devices[i - 1].backend ? devices[i - 1].index + 1 : 0;
        sane = sane && devices[i].index == expected && devices[i].name[0] &&
               devices[i].compute_units > 0;
        printf("# %s %d: %s, %s, %d units, %llu bytes%s\n",
               combgpu_backend_string(devices[i].backend), devices[i].index, devices[i].name,
               devices[i].capability, devices[i].compute_units,
               (unsigned long long)devices[i].memory_bytes, devices[i].is_gpu ? ", GPU" : "");
    }
    ok(sane, "every device has a name, units, and its number within the backend");
    ok(combgpu_devices(&first, 1, &again) == COMBGPU_OK && again == count &&
           !memcmp(&first, devices, sizeof first),
       "a short list gets the first devices");
}

static void test_open_errors(void)
{
    static const combgpu_backend backends[] = {COMBGPU_BACKEND_CPU, COMBGPU_BACKEND_CUDA,
                                               COMBGPU_BACKEND_OPENCL};
    combgpu_context *ctx;
    combgpu_context_desc desc;
    combgpu_status status;
    int i, unknown = 7;
    memset(&desc, 0, sizeof desc);
    desc.backend = (combgpu_backend)unknown;
    status = combgpu_open(&ctx, &desc);
    equal_status(ctx, status, COMBGPU_INVALID_ARGUMENT, "an unknown backend is refused");
    ok(strstr(combgpu_message(ctx), "desc.backend is 7") != NULL, "the message names it");
    combgpu_close(ctx);
    for (i = 0; i < 3; i++) {
        desc.backend = backends[i];
        desc.device = 1000;
        status = combgpu_open(&ctx, &desc);
        equal_status(ctx, status, COMBGPU_NO_DEVICE, "%s has no device 1000",
                     combgpu_backend_string(backends[i]));
        ok(strstr(combgpu_message(ctx), combgpu_backend_string(backends[i])) != NULL,
           "the message says so: %s", combgpu_message(ctx));
        ok(combgpu_self_test(ctx) == COMBGPU_INVALID_ARGUMENT,
           "a context that is not open refuses work");
        combgpu_close(ctx);
    }
}

/* ---- memory */

/* Uploads, copies within the device and downloads, with offsets that are no multiples of anything.
   Nonzero if all bytes are right. */
static int round_trip(combgpu_context *ctx, size_t bytes)
{
    const combgpu__backend *backend = ctx->backend;
    size_t third = bytes / 3, rest = bytes - third, i;
    unsigned char *sent = (unsigned char *)malloc(bytes + 1);
    unsigned char *got = (unsigned char *)malloc(bytes + 1);
    combgpu__memory a, b;
    int good;
    for (i = 0; i < bytes; i++)
        sent[i] = (unsigned char)(test_mix(i) >> 7);
    memset(&b, 0, sizeof b);
    /* a = first third, then all but the last third; b = a with its parts exchanged */
    good =
        !backend->allocate(ctx, bytes, &a) && !backend->allocate(ctx, bytes, &b) &&
        !backend->upload(ctx, &a, 0, sent, bytes) && !backend->upload(ctx, &a, third, sent, rest) &&
        !backend->copy(ctx, &b, 0, &a, third, rest) &&
        !backend->copy(ctx, &b, rest, &a, 0, third) && !backend->download(ctx, got, &b, 0, rest) &&
        !backend->download(ctx, got + rest, &b, rest, third);
    good = good && !memcmp(got, sent, rest) && !memcmp(got + rest, sent, third);
    backend->release(ctx, &a);
    backend->release(ctx, &b);
    good = good && !a.handle && !b.handle;
    free(sent);
    free(got);
    return good;
}

static void test_memory(combgpu_context *ctx, const char *name)
{
    static const size_t sizes[] = {0, 1, 3, 64, 1000, 4096, 1000003};
    combgpu__memory memory;
    combgpu_status expected = ctx->backend->id == COMBGPU_BACKEND_CPU
                                  ? COMBGPU_OUT_OF_MEMORY
                                  : COMBGPU_DEVICE_OUT_OF_MEMORY;
    size_t i;
    int good = 1;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        good = good && round_trip(ctx, sizes[i]);
    ok(good, "%s: what is uploaded and copied comes back", name);
    equal_status(ctx, ctx->backend->allocate(ctx, SIZE_MAX, &memory), expected,
                 "%s: more memory than there can be is an error", name);
    ok(strstr(combgpu_message(ctx), "bytes") != NULL, "%s: with a message: %s", name,
       combgpu_message(ctx));
    ctx->backend->release(ctx, &memory);
    equal_status(ctx, combgpu_self_test(ctx), COMBGPU_OK, "%s: afterwards all works", name);
}

/* Fewer workers where there is less memory, down to none: also numbers that do not fill a block. */
static void test_memory_limit(combgpu_context *ctx, const char *name)
{
    int worked = 0, refused = 0, other = 0;
    uint64_t limit;
    for (limit = 256; limit < (UINT64_C(1) << 20); limit = limit * 3 / 2) {
        combgpu_status status;
        ctx->desc.memory_limit = limit;
        status = combgpu__backend_self_test(ctx);
        worked += status == COMBGPU_OK;
        refused += status == COMBGPU_DEVICE_OUT_OF_MEMORY && !worked &&
                   strstr(combgpu_message(ctx), "memory_limit");
        other += status != COMBGPU_OK && status != COMBGPU_DEVICE_OUT_OF_MEMORY;
    }
    ctx->desc.memory_limit = 0;
    ok(refused && worked && !other,
       "%s: a memory limit is refused when too small, and else gives the same result", name);
}

/* ---- kernels */

typedef struct log_lines {
    int count, with_reason;
} log_lines;

static void count_lines(combgpu_log_level level, const char *message, void *user)
{
    log_lines *lines = (log_lines *)user;
    lines->count += level == COMBGPU_LOG_ERROR;
    lines->with_reason += strstr(message, "no_such_type") != NULL;
    if (strchr(message, '\n')) lines->count = -1000;
}

/* A caller's source in front of the kernels (OpenCL). */
static void test_opencl_source(combgpu_context *ctx, const char *name)
{
    combgpu__kernel kernel = combgpu__probe_describe(4).kernel;
    log_lines lines = {0, 0};
    void *program = NULL;
    uint32_t workers = 0;
    ctx->desc.logger.log = count_lines;
    ctx->desc.logger.user = &lines;
    kernel.opencl_source = "no_such_type f(void);\n";
    equal_status(ctx, ctx->backend->prepare(ctx, &kernel, &program, &workers), COMBGPU_DEVICE_ERROR,
                 "%s: a source that does not compile is an error", name);
    ok(!program && strstr(combgpu_message(ctx), "no_such_type"),
       "%s: the message shows the compiler's: %s", name, combgpu_message(ctx));
    ok(lines.count >= 2 && lines.with_reason >= 2,
       "%s: the logger gets the compiler's log, line by line", name);
    memset(&ctx->desc.logger, 0, sizeof ctx->desc.logger);
    kernel.opencl_source = "static uint f(uint x) { return x; }";
    equal_status(ctx, combgpu__probe_run(ctx, &kernel), COMBGPU_OK,
                 "%s: a source that does compile leaves the kernels as they were", name);
}

/* Writes the kernels' text with one constant changed. */
static int write_wrong_kernels(const char *path)
{
    int changed = 0;
#ifdef COMBGPU_OPENCL
    size_t lines, i;
    const char *const *text = combgpu__cl_text(&lines);
    FILE *file = fopen(path, "w");
    if (!file) return 0;
    for (i = 0; i < lines; i++) {
        const char *at = strstr(text[i], "0x2c1b3c6du");
        changed += at != NULL;
        if (at)
            fprintf(file, "%.*s0x2c1b3c6fu%s", (int)(at - text[i]), text[i], at + 11);
        else
            fputs(text[i], file);
    }
    fclose(file);
#else
    (void)path;
#endif
    return changed == 1;
}

static void test_wrong_result(int place)
{
    char path[64];
    combgpu_context *ctx;
    snprintf(path, sizeof path, "/tmp/combgpu_test_%ld.cl", (long)getpid());
    ok(write_wrong_kernels(path), "kernels with a mistake are written");
    test_variable("COMBGPU_KERNELS_FILE", path);
    open_context(place, &ctx);
    equal_status(ctx, combgpu_self_test(ctx), COMBGPU_WRONG_RESULT,
                 "COMBGPU_KERNELS_FILE replaces the kernels, and the self-test finds a mistake");
    ok(strstr(combgpu_message(ctx), "combgpu_probe4") != NULL, "and names the kernel: %s",
       combgpu_message(ctx));
    test_variable("COMBGPU_KERNELS_FILE", NULL);
    remove(path);
    combgpu_close(ctx);
}

static void test_kernels(combgpu_context *ctx, const char *name)
{
    combgpu__kernel kernel = combgpu__probe_describe(4).kernel;
    void *program = NULL;
    uint32_t workers = 0;
    kernel.name = "no_such_kernel";
    equal_status(ctx, ctx->backend->prepare(ctx, &kernel, &program, &workers), COMBGPU_DEVICE_ERROR,
                 "%s: a kernel that does not exist is an error", name);
    ok(!program && strstr(combgpu_message(ctx), "no_such_kernel"), "%s: the message names it: %s",
       name, combgpu_message(ctx));
    equal_status(ctx, combgpu_self_test(ctx), COMBGPU_OK, "%s: afterwards all works", name);
}

/* ---- host memory that runs out at every place in turn */

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    (void)user;
    return combgpu__backend_self_test(ctx);
}

static void test_no_host_memory(int place)
{
    combgpu_context_desc context = test_context(place);
    int failed = test_out_of_memory(&context, 1, allocating, NULL);
    ok(failed > 10,
       "%s: each of %d allocations may fail: a status, nothing lost, and the next run works",
       test_places[place].name, failed);
}

#ifdef COMBGPU_OPENCL
/* Where NVIDIA's compiler counts lines from the beginning of all text, #line or not. */
static void test_callers_line(void)
{
    static const char source[] = "int a;\n#line 1 \"queens, step\"\nb\nc\n";
    static const struct {
        const char *log, *want;
    } cases[] = {{"x\n<kernel>:2:1: error", "source, line 1: "},
                 {"<kernel>:4:17: error", "queens, step, line 1: "},
                 {"<kernel>:5:1: error\n<kernel>:4:1: error", "queens, step, line 2: "},
                 {"<kernel>:6:1: error", ""},
                 {"<kernel>:0:1: error", ""},
                 {"queens, step:2:1: error", ""}};
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char place[64];
        combgpu__cl_callers_line(source, cases[i].log, place, sizeof place);
        ok(!strcmp(place, cases[i].want), "a caller's line: \"%s\"", place);
    }
}
#endif

int main(void)
{
    int place;
    test_devices();
    test_open_errors();
#ifdef COMBGPU_OPENCL
    test_callers_line();
#endif
    for (place = 0; place < TEST_PLACES; place++) {
        const char *name = test_places[place].name;
        combgpu_context *ctx, *second;
        combgpu_status status;
        if (!test_open(place, &ctx)) continue;
        equal_status(ctx, combgpu_self_test(ctx), COMBGPU_OK, "%s: the self-test passes", name);
        status = open_context(place, &second);
        equal_status(second, status, COMBGPU_OK, "%s: a second context opens beside the first",
                     name);
        test_memory(ctx, name);
        test_memory_limit(ctx, name);
        if (ctx->backend->id != COMBGPU_BACKEND_CPU) test_kernels(ctx, name);
        if (ctx->backend->id == COMBGPU_BACKEND_OPENCL) test_opencl_source(ctx, name);
        combgpu_close(ctx);
        equal_status(second, combgpu_self_test(second), COMBGPU_OK,
                     "%s: the second works on after the first is closed", name);
        combgpu_close(second);
        if (test_places[place].backend == COMBGPU_BACKEND_OPENCL) test_wrong_result(place);
        test_no_host_memory(place);
    }
    return tap_end();
}
