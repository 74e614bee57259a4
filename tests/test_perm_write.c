/* Tests written ranges of permutations, on every backend and in every form, against a slow oracle; and
   functions of single permutations. */
#define COMBGPU_ONLY_PERM 1
#include "test.h"

/* ---- the oracle: 128-bit numbers by hand, and the textbook's next permutation */

static int less(combgpu_u128 a, combgpu_u128 b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

static combgpu_u128 minus(combgpu_u128 a, combgpu_u128 b)
{
    combgpu_u128 x;
    x.lo = a.lo - b.lo;
    x.hi = a.hi - b.hi - (a.lo < b.lo);
    return x;
}

static combgpu_u128 number(uint64_t hi, uint64_t lo)
{
    combgpu_u128 x;
    x.hi = hi;
    x.lo = lo;
    return x;
}

/* The first element stays the same for (n-1)! permutations, and so on. */
static void slow_unrank(int n, combgpu_u128 rank, uint8_t *perm)
{
    int used[34] = {0}, i, x;
    for (i = 0; i < n; i++) {
        combgpu_u128 block = combgpu_factorial(n - 1 - i);
        for (x = 0; used[x]; x++) {
        }
        while (!less(rank, block)) {
            rank = minus(rank, block);
            for (x++; used[x]; x++) {
            }
        }
        perm[i] = (uint8_t)x;
        used[x] = 1;
    }
}

static void slow_next(int n, uint8_t *perm)
{
    int i = n - 2, j, k;
    uint8_t rest[34];
    while (i >= 0 && perm[i] > perm[i + 1])
        i--;
    if (i < 0) return;
    for (j = n - 1; perm[j] < perm[i]; j--) {
    }
    rest[0] = perm[i];
    perm[i] = perm[j];
    perm[j] = rest[0];
    memcpy(rest, perm, sizeof rest);
    for (k = i + 1; k < n; k++)
        perm[k] = rest[n - (k - i)];
}

/* ---- a random range, and what of it is right */

enum { HOST, DEVICE_MEMORY, CHUNKS, FORMS };
static const char *const forms[FORMS] = {"out", "device_out", "chunks"};

typedef struct range {
    combgpu_perm_desc desc;
    combgpu_u128 first;
    uint8_t items[34 * 8];
    int wrong, sorted;
    uint64_t seen;
    uint8_t *memory; /* chunks are put together here */
} range;

#define MOST 14000 /* permutations: more than a piece of 16 groups */
static uint8_t buffer[MOST * 34 * 8 + 256];

static int on_chunk(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    range *r = (range *)user;
    uint64_t at = rank - r->desc.first;
    size_t object = (size_t)n * (size_t)(r->desc.item_bytes ? r->desc.item_bytes : 1);
    r->wrong += n != r->desc.n || at > r->desc.count || count > r->desc.count - at ||
                (uintptr_t)perms % (object / (unsigned)n);
    if (!r->wrong) memcpy(r->memory + at * object, perms, (size_t)count * object);
    r->seen += count;
    return 0;
}

static void random_range(range *r, int i)
{
    static const int sizes[5] = {0, 1, 2, 4, 8};
    combgpu_u128 all, last;
    int j;
    memset(r, 0, sizeof *r);
    r->desc.n = 1 + i % 34;
    r->desc.item_bytes = i < 40 ? 0 : sizes[random_u64_below(5)];
    all = combgpu_factorial(r->desc.n);
    r->desc.count = 1 + random_u64_below(random_u64_below(3) ? MOST : 60);
    if (!all.hi && all.lo < r->desc.count) r->desc.count = 1 + random_u64_below(all.lo);
    last = minus(all, number(0, r->desc.count)); /* the last possible first */
    switch (random_u64_below(4)) {
    case 0:
        r->first = last;
        break;
    case 1: /* around a multiple of 2^64 or of 8! */
        r->first = last.hi > 1 ? number(1 + random_u64_below(last.hi - 1), 0) : number(0, 0);
        r->first = minus(r->first, number(0, random_u64_below(20000)));
        if (less(last, r->first))
            r->first = number(0, last.lo < 40320 || last.hi ? 0 : 40320 - random_u64_below(1500));
        if (less(last, r->first)) r->first = last;
        break;
    default:
        r->first.lo = random_u64();
        r->first.hi = last.hi ? random_u64_below(last.hi) : 0;
        if (!last.hi) r->first.lo = last.lo ? random_u64_below(last.lo) : 0;
    }
    r->desc.first = r->first.lo;
    r->desc.first_hi = r->first.hi;
    if (random_u64_below(2)) {
        for (j = 0; j < (int)sizeof r->items; j++)
            r->items[j] = (uint8_t)random_u64();
        r->desc.items = r->items;
    }
}

/* Compares count permutations as they should have been written. */
static int compare(const range *r, const uint8_t *made)
{
    size_t item = r->desc.item_bytes ? (size_t)r->desc.item_bytes : 1, n = (size_t)r->desc.n, j;
    uint8_t perm[34], want[8];
    uint64_t i;
    int wrong = 0;
    slow_unrank(r->desc.n, r->first, perm);
    for (i = 0; i < r->desc.count; i++, slow_next(r->desc.n, perm))
        for (j = 0; j < n; j++, made += item) {
            uint16_t two = perm[j];
            uint32_t four = perm[j];
            uint64_t eight = perm[j];
            if (r->desc.items)
                memcpy(want, r->items + perm[j] * item, item);
            else if (item == 1)
                want[0] = perm[j];
            else
                memcpy(want, item == 2 ? (void *)&two : item == 4 ? (void *)&four : &eight, item);
            wrong += memcmp(made, want, item) != 0;
        }
    return wrong;
}

static combgpu_status run_range(combgpu_context *ctx, combgpu_device_memory *device, range *r,
                                int form, size_t at, combgpu_perm_result *result)
{
    size_t item = r->desc.item_bytes ? (size_t)r->desc.item_bytes : 1;
    size_t bytes = (size_t)r->desc.count * (size_t)r->desc.n * item;
    combgpu_status status;
    memset(buffer, 99, sizeof buffer);
    r->memory = buffer + at;
    if (form == HOST) {
        r->desc.out = buffer + at;
        r->desc.out_bytes = bytes;
    } else if (form == CHUNKS) {
        r->desc.solution = on_chunk;
        r->desc.solution_user = r;
    } else {
        if (combgpu_device_fill(ctx, device, 99, NULL)) return COMBGPU_WRONG_RESULT;
        r->desc.device_out = *device;
        r->desc.device_out.offset = at;
        r->desc.device_out.bytes = bytes;
    }
    status = combgpu_perm(ctx, &r->desc, result);
    if (form == DEVICE_MEMORY && combgpu_device_read(ctx, device, 0, buffer, sizeof buffer))
        return COMBGPU_WRONG_RESULT;
    if (form == CHUNKS) r->wrong += r->seen != r->desc.count;
    return status;
}

static void ranges_are_right(combgpu_context *ctx, const char *place)
{
    combgpu_device_memory device;
    combgpu_perm_result result;
    int form, i, rounds = test_small() ? 40 : 150;
    equal_status(ctx, combgpu_device_allocate(ctx, sizeof buffer, &device), COMBGPU_OK,
                 "%s: device memory", place);
    for (form = 0; form < FORMS; form++) {
        int failed = 0, wrong = 0, outside = 0;
        for (i = 0; i < rounds; i++) {
            range r;
            size_t item, at, j, end;
            random_range(&r, i);
            item = r.desc.item_bytes ? (size_t)r.desc.item_bytes : 1;
            at = 64 + item * random_u64_below(64 / item);
            end = at + (size_t)r.desc.count * (size_t)r.desc.n * item;
            if (run_range(ctx, &device, &r, form, at, &result)) {
                printf("# %s\n", combgpu_message(ctx));
                failed++;
                continue;
            }
            wrong += r.wrong || result.visited != r.desc.count || compare(&r, buffer + at);
            if (wrong == 1)
                printf("# first wrong: n %d item %d first %llu:%llu count %llu at %d\n", r.desc.n,
                       (int)item, (unsigned long long)r.first.hi, (unsigned long long)r.first.lo,
                       (unsigned long long)r.desc.count, (int)at);
            for (j = 0; j < at; j++)
                outside += buffer[j] != 99;
            for (j = end; j < end + 128; j++)
                outside += buffer[j] != 99;
        }
        equal_u64(failed, 0, "%s, %s: %d ranges of n = 1 to 34 are written", place, forms[form],
                  rounds);
        equal_u64(wrong, 0, "%s, %s: items of 1, 2, 4, 8 bytes, any alignment: as the oracle",
                  place, forms[form]);
        equal_u64(outside, 0, "%s, %s: not a byte outside", place, forms[form]);
    }
    combgpu_device_release(ctx, &device);
    ok(!device.memory, "%s: released", place);
}

/* All permutations of 1, 2, 3 or 5 elements are no whole number of units of 16 bytes: nothing
   around them is touched, wherever they begin. */
static void short_ranges(combgpu_context *ctx, const char *place)
{
    combgpu_device_memory device;
    combgpu_perm_result result;
    int form, n, wrong = 0, outside = 0;
    size_t at, end, j;
    equal_status(ctx, combgpu_device_allocate(ctx, sizeof buffer, &device), COMBGPU_OK,
                 "%s: device memory for short ranges", place);
    for (form = 0; form < FORMS; form++)
        for (n = 1; n <= 6; n++)
            for (at = 64; at < 82; at++) {
                range r;
                memset(&r, 0, sizeof r);
                r.desc.n = n;
                r.desc.count = combgpu_factorial(n).lo;
                end = at + (size_t)r.desc.count * (size_t)n;
                wrong += run_range(ctx, &device, &r, form, at, &result) != COMBGPU_OK || r.wrong ||
                         compare(&r, buffer + at);
                for (j = 0; j < end + 128; j++)
                    outside += (j < at || j >= end) && buffer[j] != 99;
            }
    equal_u64(wrong, 0, "%s: all permutations of 1 to 6 elements, at any place", place);
    equal_u64(outside, 0, "%s: ... and not a byte around them", place);
    combgpu_device_release(ctx, &device);
}

/* Past the caches, all alignments of a vector; n = 11 is 439 MB, so a part of it. */
static void large_ranges(combgpu_context *ctx, const char *place)
{
    const uint64_t count = test_small() ? 40000 : 3600000;
    const size_t most = (size_t)count * 13 + 64;
    uint8_t *memory = (uint8_t *)malloc(most);
    int i, wrong = 0;
    for (i = 0; i < 4 && memory; i++) {
        combgpu_perm_desc desc;
        combgpu_perm_result result;
        uint8_t perm[34];
        uint64_t rank;
        memset(&desc, 0, sizeof desc);
        memset(memory, 99, most);
        desc.n = 10 + i;
        desc.first = i ? random_u64_below(combgpu_factorial(desc.n).lo - count) : 0;
        desc.count = count;
        desc.out = memory + random_u64_below(64);
        desc.out_bytes = (size_t)count * (size_t)desc.n;
        wrong += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK || result.visited != count;
        slow_unrank(desc.n, number(0, desc.first), perm);
        for (rank = 0; rank < count; rank++, combgpu_perm_next(desc.n, perm))
            wrong += memcmp((uint8_t *)desc.out + rank * (size_t)desc.n, perm, (size_t)desc.n) != 0;
    }
    ok(memory && !wrong, "%s: large ranges, also past the caches", place);
    free(memory);
}

/* ---- through the engine: stop, resume elsewhere, shards */

static int stop_at_once(const combgpu_progress *progress, void *user)
{
    (void)progress;
    return --*(int *)user < 0;
}

/* A run that stops after each slice and resumes at another place, first to the device's memory. */
static void in_pieces(combgpu_context **contexts, int count, const char *name)
{
    int i, wrong = 0, resumes = 0, form;
    for (form = 0; form < 2; form++)
        for (i = 0; i < 6; i++) {
            combgpu_device_memory device[TEST_PLACES];
            combgpu_perm_result result, whole;
            combgpu_status status = COMBGPU_STOPPED;
            unsigned char *saved = NULL;
            size_t saved_bytes = 0;
            range r;
            int place = 0, k, patience = 0;
            random_range(&r, 40 + 34 + 6 + 4 * i);
            r.desc.count = MOST - 7;
            r.first = number(0, 1000);
            r.desc.first = 1000;
            r.desc.first_hi = 0;
            if (run_range(contexts[0], NULL, &r, HOST, 64, &whole)) wrong++;
            memset(buffer, 99, sizeof buffer);
            for (k = 0; k < count; k++) {
                wrong += combgpu_device_allocate(contexts[k], sizeof buffer, &device[k]) != 0;
                combgpu_device_fill(contexts[k], &device[k], 99, NULL);
            }
            r.desc.out = NULL;
            while (status == COMBGPU_STOPPED && patience++ < 100) {
                combgpu_job *job;
                size_t bytes = sizeof buffer;
                r.desc.run.resume_data = saved;
                r.desc.run.resume_bytes = saved_bytes;
                memset(&r.desc.device_out, 0, sizeof r.desc.device_out);
                r.desc.solution = NULL;
                if (form == 0 || random_u64_below(2)) {
                    r.desc.device_out = device[place];
                    r.desc.device_out.offset = 72;
                    r.desc.device_out.bytes = bytes - 72;
                } else {
                    r.memory = buffer + 72;
                    r.desc.solution = on_chunk;
                    r.desc.solution_user = &r;
                }
                status = combgpu_perm_begin(contexts[place], &r.desc, &job);
                if (status) {
                    printf("# %s\n", combgpu_message(contexts[place]));
                    break;
                }
                inside_set_budget(job, 16 + (uint32_t)random_u64_below(2000));
                if (r.desc.solution) inside_set_record_room(job, 1);
                status = combgpu_step(job);
                if (status == COMBGPU_RUNNING) {
                    status = COMBGPU_STOPPED;
                    combgpu_save(job, NULL, 0, &saved_bytes);
                    free(saved);
                    saved = (unsigned char *)malloc(saved_bytes);
                    wrong += combgpu_save(job, saved, saved_bytes, &saved_bytes) != COMBGPU_OK;
                    combgpu_job_cancel(job);
                    place = (int)random_u64_below((uint64_t)count);
                    resumes++;
                } else
                    wrong += combgpu_perm_end(job, &result) != status ||
                             result.visited != r.desc.count ||
                             result.run.checksum != whole.run.checksum;
            }
            wrong += status != COMBGPU_OK;
            /* put the places' parts together: a byte that is not 99 is there */
            for (k = 0; k < count; k++) {
                static uint8_t part[sizeof buffer];
                size_t j;
                wrong += combgpu_device_read(contexts[k], &device[k], 0, part, sizeof part) != 0;
                for (j = 0; j < sizeof part; j++)
                    if (part[j] != 99) buffer[j] = part[j];
                combgpu_device_release(contexts[k], &device[k]);
            }
            wrong += compare(&r, buffer + 72) != 0;
            free(saved);
        }
    ok(!wrong && resumes > 10, "%s: stopped and resumed %d times, the bytes are right", name,
       resumes);
}

static void shards_write_their_part(combgpu_context *ctx, const char *place)
{
    static const int shards[3] = {1, 3, 7};
    combgpu_device_memory device;
    int k, i, wrong = combgpu_device_allocate(ctx, sizeof buffer, &device) != COMBGPU_OK;
    for (k = 0; k < 3; k++) {
        combgpu_perm_result result, whole;
        uint64_t visited = 0, checksum = 0, steps = 0;
        range r;
        random_range(&r, 22);
        r.desc.count = MOST;
        r.desc.first = 12345;
        r.first = number(r.first.hi = r.desc.first_hi = 5, 12345);
        combgpu_device_fill(ctx, &device, 99, NULL);
        wrong += run_range(ctx, &device, &r, HOST, 0, &whole) != COMBGPU_OK;
        r.desc.out = NULL;
        r.desc.device_out = device;
        for (i = 0; i < shards[k]; i++) {
            r.desc.run.shard_index = i;
            r.desc.run.shard_count = shards[k];
            wrong += combgpu_perm(ctx, &r.desc, &result) != COMBGPU_OK;
            visited += result.visited;
            checksum += result.run.checksum;
            steps += result.run.steps;
        }
        wrong += combgpu_device_read(ctx, &device, 0, buffer, sizeof buffer) != COMBGPU_OK;
        wrong += visited != MOST || steps != MOST || compare(&r, buffer) ||
                 checksum != whole.run.checksum;
    }
    combgpu_device_release(ctx, &device);
    equal_u64(wrong, 0, "%s: 1, 3 and 7 shards write the whole range of n = 23", place);
}

static void stops(combgpu_context *ctx, const char *place)
{
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_device_memory device;
    int calls = 0;
    memset(&desc, 0, sizeof desc);
    memset(&device, 0, sizeof device);
    desc.n = 10;
    combgpu_device_allocate(ctx, 36288000, &device);
    desc.device_out = device;
    desc.run.progress = stop_at_once;
    desc.run.progress_user = &calls;
    desc.run.progress_interval_s = 1e-9;
    desc.run.slice_ms = 1;
    {
        combgpu_job *job = NULL;
        combgpu_perm_begin(ctx, &desc, &job);
        inside_set_budget(job, 720);
        combgpu_step(job);
        ok(combgpu_perm_end(job, &result) == COMBGPU_STOPPED && result.visited > 0 &&
               result.visited == result.run.steps,
           "%s: progress stops a run to device memory; %llu written", place,
           (unsigned long long)result.visited);
    }
    combgpu_device_release(ctx, &device);
}

/* ---- arguments */

static int64_t nothing(const unsigned char *perm, int n, const unsigned char *data)
{
    (void)perm, (void)n, (void)data;
    return 0;
}

static void bad_arguments(combgpu_context *ctx)
{
    static const combgpu_perm_set set = {COMBGPU_PERM_DERANGEMENT, 4, 0, NULL};
    combgpu_perm_visitor visitor;
    static uint64_t out[64];
    combgpu_perm_desc good, desc;
    combgpu_device_memory device, other;
    double seconds;
    combgpu_device_allocate(ctx, sizeof out, &device);
    memset(&good, 0, sizeof good);
    good.n = 4;
    good.out = out;
    good.out_bytes = sizeof out;
#define EXPECT(change, status, part)                                                               \
    do {                                                                                           \
        desc = good;                                                                               \
        change;                                                                                    \
        refused_as(ctx, combgpu_perm(ctx, &desc, NULL), status, part);                             \
    } while (0)
#define REFUSED(change, part) EXPECT(change, COMBGPU_INVALID_ARGUMENT, part)
    REFUSED(desc.item_bytes = 3, "desc.item_bytes is 3; it may be 1, 2, 4 or 8");
    REFUSED(desc.item_bytes = -1, "desc.item_bytes is -1");
    REFUSED(desc.item_bytes = 8, "out_bytes is 512; 24 permutations of 4 "
                                 "items of 8 bytes need 768");
    REFUSED((desc.item_bytes = 4, desc.out = (uint8_t *)out + 2, desc.out_bytes = 510),
            "desc.out begins 2 bytes after a multiple of desc.item_bytes");
    REFUSED((desc.set = &set, desc.items = out),
            "desc.items is set; it is for goal WRITE without a set");
    REFUSED((desc.set = &set, desc.item_bytes = 2),
            "desc.item_bytes is set; it is for goal WRITE without a set");
    REFUSED(desc.first_hi = 1, "desc.first_hi * 2^64 + desc.first is 1 * 2^64 + 0");
    REFUSED((desc.n = 34, desc.first_hi = UINT64_MAX), "must be below n!");
    REFUSED(desc.n = 34, "desc.count is 0 (all), which is more than 2^63");
    REFUSED((desc.n = 34, desc.count = UINT64_MAX), "desc.count is 18446744");
    REFUSED((desc.n = 34, desc.count = UINT64_C(1) << 60),
            "permutations of 34 items of 1 bytes fit no memory");
    REFUSED((desc.n = 20, desc.item_bytes = 8, desc.count = UINT64_C(1) << 57),
            "permutations of 20 items of 8 bytes fit no memory");
    REFUSED((desc.n = 21, desc.first_hi = 2, desc.first = UINT64_C(14197454024290336767),
             desc.count = 2),
            "count is 2; with n = 21");
    REFUSED(desc.n = 35, "desc.n is 35; it may be 1 to 34");
    REFUSED((desc.n = 35, desc.goal = COMBGPU_PERM_COUNT), "desc.n is 35");
    REFUSED(desc.device_out = device, "the first and the second");
    good.out = NULL;
    good.out_bytes = 0;
    good.device_out = device;
    REFUSED(desc.solution = on_chunk, "the second and the last");
    REFUSED(desc.device_out.bytes = 95,
            "device_out.bytes is 95; 24 permutations of 4 items of 1 bytes need 96");
    REFUSED((desc.item_bytes = 2, desc.device_out.offset = 3),
            "device_out begins 1 bytes after a multiple of desc.item_bytes");
    REFUSED(desc.device_out.offset = SIZE_MAX, "no memory is that large");
    REFUSED(desc.device_out.backend = (combgpu_backend)((int)device.backend % 3 + 1),
            "device_out.backend is");
    if (device.backend == COMBGPU_BACKEND_CPU)
        REFUSED(desc.device_out.backend = COMBGPU_BACKEND_AUTO, "the context is on the cpu");
    else
        EXPECT(desc.device_out.backend = COMBGPU_BACKEND_AUTO, COMBGPU_OK, "");
    if (device.backend == COMBGPU_BACKEND_CUDA)
        REFUSED(desc.device_out.memory = out, "not CUDA device memory");
    if (device.backend == COMBGPU_BACKEND_OPENCL)
        REFUSED((desc.device_out.offset = 8), "a cl_mem of 512 bytes");
    memset(&visitor, 0, sizeof visitor);
    visitor.name = "nothing";
    visitor.cpu = nothing;
    REFUSED((desc.goal = COMBGPU_PERM_COUNT, desc.visitor = &visitor),
            "device_out is set; it is for goal WRITE");
    INVALID(combgpu_device_allocate(ctx, 0, &other), "bytes is 0");
    INVALID(combgpu_device_allocate(ctx, 1, NULL), "memory is NULL");
    INVALID(combgpu_device_fill(ctx, NULL, 0, NULL), "memory is NULL");
    INVALID(combgpu_device_fill(ctx, &other, 0, NULL), "memory");
    INVALID(combgpu_device_read(ctx, &device, 500, out, 13), "the memory has 512 bytes");
    INVALID(combgpu_device_read(ctx, &device, 0, NULL, 1), "to is NULL");
    ok(combgpu_device_fill(ctx, &device, 7, &seconds) == COMBGPU_OK && seconds >= 0 &&
           combgpu_device_read(ctx, &device, 3, out, 8) == COMBGPU_OK &&
           out[0] == UINT64_C(0x0707070707070707),
       "fill sets every byte");
    combgpu_device_release(ctx, &device);
    combgpu_device_release(ctx, &device);
    combgpu_device_release(NULL, NULL);
}

/* ---- memory that runs out */

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_perm_result result;
    return combgpu_perm(ctx, &((range *)user)->desc, &result);
}

static void memory_runs_out(combgpu_context *ctx, int place)
{
    combgpu_context_desc open = test_context(place);
    combgpu_device_memory device;
    int form, failed = 0, wrong = 0;
    wrong += combgpu_device_allocate(ctx, sizeof buffer, &device) != COMBGPU_OK;
    for (form = 0; form < FORMS; form++) {
        combgpu_perm_result result;
        range r;
        int failures;
        random_range(&r, 40 + 34 + 22);
        r.desc.count = 3000;
        r.first = number(0, r.desc.first = r.desc.first_hi = 0);
        wrong += run_range(ctx, &device, &r, form, 64, &result) != COMBGPU_OK;
        if (form == DEVICE_MEMORY && test_places[place].backend != COMBGPU_BACKEND_CPU)
            continue; /* the memory is another context's */
        failures = test_out_of_memory(&open, 0, allocating, &r);
        wrong += failures < 0 || compare(&r, buffer + 64);
        failed += failures;
    }
    combgpu_device_release(ctx, &device);
    ok(!wrong && failed > 15, "%s: each of %d failing allocations is OUT_OF_MEMORY, and none leaks",
       test_places[place].name, failed);
}

/* Of up to seven places, which have at most seven values: n! by the product of their repeats'
   factorials. */
static void orders_of_tails(void)
{
    int wrong = 0, n, i;
    uint32_t shape;
    for (n = 1; n <= 7; n++)
        for (shape = 0; shape < 1u << (n - 1); shape++) {
            uint64_t want = combgpu_factorial(n).lo;
            int same = 1;
            for (i = 0; i < n; i++) {
                same = i && !(shape >> (i - 1) & 1) ? same + 1 : 1;
                if (i == n - 1 || shape >> i & 1) want /= combgpu_factorial(same).lo;
            }
            wrong += inside_multi_orders(n, shape) != want;
        }
    equal_u64(wrong, 0, "lists of the last places of multisets have all of their orders");
}

/* ---- random, parity, inverse, product */

static void philox_is_right(void)
{
    /* from the known-answer file of Random123, philox4x32 10 */
    static const uint32_t counters[3][4] = {
        {0, 0, 0, 0}, {~0u, ~0u, ~0u, ~0u}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
    static const uint64_t keys[3] = {0, UINT64_MAX, UINT64_C(0x299f31d0a4093822)};
    static const uint32_t want[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                        {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    uint32_t words[4];
    int i, wrong = 0;
    for (i = 0; i < 3; i++) {
        inside_philox(keys[i], counters[i], words);
        wrong += memcmp(words, want[i], sizeof words) != 0;
    }
    equal_u64(wrong, 0, "Philox4x32-10 gives the published words");
}

static void random_is_uniform(void)
{
    int seen[120] = {0}, times[34][34] = {{0}}, i, j, n, wrong = 0;
    double chi = 0;
    uint8_t perm[34], again[34];
    for (i = 0; i < 120000; i++) {
        uint64_t rank;
        wrong += combgpu_perm_random(NULL, 5, 7, (uint64_t)i, perm) ||
                 combgpu_perm_rank(NULL, 5, perm, &rank);
        if (!wrong) seen[rank]++;
    }
    for (i = 0; i < 120; i++)
        chi += (seen[i] - 1000.0) * (seen[i] - 1000.0) / 1000;
    ok(!wrong && chi > 60 && chi < 200, "random: 120 permutations of 5, chi^2 = %.0f for 119", chi);
    for (i = 0; i < 34000; i++) {
        combgpu_perm_random(NULL, 34, UINT64_C(1) << 63, (uint64_t)i << 40, perm);
        for (j = 0; j < 34; j++)
            times[j][perm[j]]++;
    }
    for (i = 0, chi = 0; i < 34; i++)
        for (j = 0; j < 34; j++)
            chi += (times[i][j] - 1000.0) * (times[i][j] - 1000.0) / 1000;
    ok(chi > 850 && chi < 1350, "random: every element at every position, chi^2 = %.0f for 1089",
       chi);
    for (n = 1; n <= 34; n++) {
        uint64_t seed = random_u64(), index = random_u64();
        int seed_matters = 0, index_matters = 0;
        combgpu_perm_random(NULL, n, seed, index, perm);
        combgpu_perm_random(NULL, n, seed, index, again);
        wrong += memcmp(perm, again, (size_t)n) != 0;
        for (i = 0; i < 64; i++) {
            combgpu_perm_random(NULL, n, seed ^ UINT64_C(1) << i, index, again);
            seed_matters += memcmp(perm, again, (size_t)n) != 0;
            combgpu_perm_random(NULL, n, seed, index ^ UINT64_C(1) << i, again);
            index_matters += memcmp(perm, again, (size_t)n) != 0;
        }
        if (n > 9) wrong += seed_matters < 64 || index_matters < 64;
    }
    equal_u64(wrong, 0, "random: seed and index fix it, and every bit of them matters");
}

static void group_laws(void)
{
    uint8_t a[34], b[34], ab[34], inverse[34], identity[34];
    int n, i, k, wrong = 0, parity[3];
    for (k = 0; k < 340; k++) {
        int transposition;
        n = 1 + k % 34;
        combgpu_perm_random(NULL, n, 1, (uint64_t)k, a);
        combgpu_perm_random(NULL, n, 2, (uint64_t)k, b);
        wrong +=
            combgpu_perm_compose(NULL, n, a, b, ab) || combgpu_perm_inverse(NULL, n, a, inverse);
        for (i = 0; i < n; i++)
            wrong += ab[i] != a[b[i]] || inverse[a[i]] != i;
        wrong += combgpu_perm_compose(NULL, n, inverse, a, identity);
        for (i = 0; i < n; i++)
            wrong += identity[i] != i;
        wrong += combgpu_perm_parity(NULL, n, a, &parity[0]) ||
                 combgpu_perm_parity(NULL, n, b, &parity[1]) ||
                 combgpu_perm_parity(NULL, n, ab, &parity[2]);
        wrong += (parity[0] ^ parity[1]) != parity[2];
        wrong += combgpu_perm_parity(NULL, n, identity, &parity[0]) || parity[0];
        if (n > 1) { /* an exchange of two is odd */
            transposition = (int)random_u64_below((uint64_t)n - 1);
            identity[transposition] = (uint8_t)(n - 1);
            identity[n - 1] = (uint8_t)transposition;
            wrong += combgpu_perm_parity(NULL, n, identity, &parity[0]) || parity[0] != 1;
        }
        wrong += combgpu_perm_compose(NULL, n, a, b, a) || memcmp(a, ab, (size_t)n); /* in place */
        memcpy(b, inverse, sizeof b);
        wrong += combgpu_perm_inverse(NULL, n, b, b) || combgpu_perm_inverse(NULL, n, b, b) ||
                 memcmp(b, inverse, (size_t)n);
    }
    equal_u64(wrong, 0, "inverse, product and parity obey the laws of the group, n = 1 to 34");
}

static void bad_single_arguments(combgpu_context *ctx)
{
    uint8_t perm[40] = {0, 1, 1}, good[3] = {1, 2, 0};
    uint8_t *volatile none = NULL; /* the compiler is not to look ahead */
    int parity;
    INVALID(combgpu_perm_random(ctx, 0, 1, 1, perm), "n is 0; it may be 1 to 34");
    INVALID(combgpu_perm_random(ctx, 35, 1, 1, perm), "n is 35");
    INVALID(combgpu_perm_random(ctx, 3, 1, 1, none), "perm is NULL");
    INVALID(combgpu_perm_parity(ctx, 3, perm, &parity), "perm[2] is 1");
    INVALID(combgpu_perm_parity(ctx, 3, good, NULL), "parity is NULL");
    INVALID(combgpu_perm_inverse(ctx, 3, perm, good), "perm[2] is 1");
    INVALID(combgpu_perm_inverse(ctx, 3, good, none), "inverse is NULL");
    INVALID(combgpu_perm_compose(ctx, 3, good, perm, good), "right[2] is 1");
    INVALID(combgpu_perm_compose(ctx, 3, perm, good, good), "left[2] is 1");
    INVALID(combgpu_perm_compose(ctx, 3, none, perm, good), "left is NULL");
    INVALID(combgpu_perm_compose(ctx, 3, good, good, none), "product is NULL");
}

/* Both ends of 20! and 34!, and every digit of the quick unranking at its borders. */
static void ranks_round_trip(void)
{
    int n, i, wrong = 0;
    uint8_t perm[34], want[34];
    uint64_t back;
    combgpu_u128 back128;
    for (n = 1; n <= 34; n++)
        for (i = 0; i < 400; i++) {
            combgpu_u128 all = combgpu_factorial(n), rank = number(0, random_u64_below(1000));
            if (i % 4 == 1) rank = minus(all, number(0, 1 + random_u64_below(1000)));
            if (i % 4 == 2) rank = number(all.hi ? random_u64_below(all.hi) : 0, random_u64());
            if (i % 4 == 3) { /* next to a multiple of k! */
                uint64_t block = combgpu_factorial((int)random_u64_below(20) + 1).lo;
                rank = number(0, all.lo && !all.hi ? random_u64_below(all.lo) / block * block
                                                   : random_u64() / block * block);
                if (random_u64_below(2) && rank.lo) rank.lo--;
            }
            if (!less(rank, all)) rank = number(0, all.hi ? rank.lo : rank.lo % all.lo);
            slow_unrank(n, rank, want);
            wrong += combgpu_perm_unrank128(NULL, n, rank, perm) || memcmp(perm, want, (size_t)n) ||
                     combgpu_perm_rank128(NULL, n, perm, &back128) || back128.lo != rank.lo ||
                     back128.hi != rank.hi;
            if (n <= 20)
                wrong += combgpu_perm_unrank(NULL, n, rank.lo, perm) ||
                         memcmp(perm, want, (size_t)n) || combgpu_perm_rank(NULL, n, perm, &back) ||
                         back != rank.lo;
        }
    equal_u64(wrong, 0, "ranks round-trip at both ends of n!, n = 1 to 34, and in between");
}

int main(void)
{
    combgpu_context *contexts[TEST_PLACES];
    int place, open = 0;
    orders_of_tails();
    philox_is_right();
    random_is_uniform();
    group_laws();
    ranks_round_trip();
    for (place = 0; place < TEST_PLACES; place++) {
        const char *name = test_places[place].name;
        combgpu_context *ctx;
        if (!test_open(place, &ctx)) continue;
        if (place == 0) bad_single_arguments(ctx);
        bad_arguments(ctx);
        ranges_are_right(ctx, name);
        short_ranges(ctx, name);
        if (place != 1) shards_write_their_part(ctx, name);
        if (place != 2) large_ranges(ctx, name);
        stops(ctx, name);
        memory_runs_out(ctx, place);
        contexts[open++] = ctx;
    }
    in_pieces(contexts, 1, "one place");
    in_pieces(contexts, open, "from place to place");
    while (open)
        combgpu_close(contexts[--open]);
    return tap_end();
}
