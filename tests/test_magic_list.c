/* Tests ordered lists of magic squares: every range is a part of the whole list, the same on every
   backend and in every form of output. */
#define COMBGPU_ONLY_MAGIC 1
#include "test.h"

static combgpu_magic_list_desc describe(int order, combgpu_magic_kind kind, const int *givens,
                                        int frenicle)
{
    combgpu_magic_list_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.order = order;
    desc.kind = kind;
    desc.givens = givens;
    desc.frenicle = frenicle;
    return desc;
}

/* Returns whether a square is magic, agrees with the givens and, where asked, is in Frenicle form.
   */
static int right(const unsigned char *bytes, const combgpu_magic_list_desc *desc)
{
    int square[36], i;
    combgpu_magic_report report;
    for (i = 0; i < desc->order * desc->order; i++) {
        square[i] = bytes[i];
        if (desc->givens && desc->givens[i] && !desc->frenicle && desc->givens[i] != bytes[i])
            return 0;
    }
    combgpu_magic_check(NULL, desc->order, square, &report);
    return (desc->kind == COMBGPU_MAGIC_SEMI ? report.is_semimagic : report.is_magic) &&
           (!desc->frenicle || report.is_frenicle);
}

/* The whole of a short list, against a count, in lexicographic order. */
static void test_short(void)
{
    static const int givens[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 14, 0};
    static unsigned char whole[7040 * 16], part[7040 * 16];
    int which, i, place;
    for (which = 0; which < 5; which++) {
        static const uint64_t totals[5] = {7040, 880, 32, 384, 8};
        combgpu_magic_list_desc desc = describe(
            which == 4 ? 3 : 4, which == 3 ? COMBGPU_MAGIC_ASSOCIATIVE : COMBGPU_MAGIC_NORMAL,
            which == 2 ? givens : NULL, which == 1);
        combgpu_magic_list_result result;
        size_t bytes = (size_t)(desc.order * desc.order);
        int wrong = 0, same = 1;
        desc.out = whole;
        desc.out_bytes = sizeof whole;
        equal_status(CPU, combgpu_magic_list(CPU, &desc, &result), COMBGPU_OK, "list %d", which);
        ok(result.total == totals[which] && result.count == totals[which],
           "list %d: all %llu squares", which, (unsigned long long)totals[which]);
        for (i = 0; i < (int)result.count; i++)
            if (!right(whole + (size_t)i * bytes, &desc) ||
                (i &&
                 memcmp(whole + (size_t)(i - 1) * bytes, whole + (size_t)i * bytes, bytes) >= 0))
                wrong++;
        ok(!wrong, "list %d: magic squares in lexicographic order", which);
        for (place = 0; place < TEST_PLACES; place++) {
            if (!opened[place]) continue;
            desc.first = totals[which] / 3;
            desc.count = totals[which] / 4;
            desc.out = part;
            memset(part, 0, sizeof part);
            combgpu_magic_list(opened[place], &desc, &result);
            same = same && result.count == desc.count &&
                   !memcmp(part, whole + desc.first * bytes, desc.count * bytes);
        }
        ok(same, "list %d: a range is the same everywhere", which);
    }
}

/* Order 5 with 1 in the centre, where the index is quickly made. */
static int centre_1[25], centre_25[25];

static int keep(const int *square, int order, void *user)
{
    unsigned char **to = (unsigned char **)user;
    int i;
    for (i = 0; i < order * order; i++)
        *(*to)++ = (unsigned char)square[i];
    return 0;
}

static int is_gpu(combgpu_context *ctx)
{
    combgpu_device device;
    memset(&device, 0, sizeof device);
    combgpu_context_device(ctx, &device);
    return device.is_gpu;
}

static void test_index(void)
{
    static uint32_t counts[INSIDE_MAGIC_PAIRS];
    int place;
    for (place = 1; place < TEST_PLACES; place++) {
        const uint32_t *kept = inside_magic_list_index(CPU);
        if (!opened[place]) continue;
        memset(counts, 0, sizeof counts);
        equal_status(opened[place], inside_magic_list_counts(opened[place], 1, 1000, 1050, counts),
                     COMBGPU_OK, "50 pairs are counted");
        ok(kept && !memcmp(counts + 1000, kept + 1000, 50 * sizeof *counts) && !counts[999] &&
               !counts[1050] && counts[1010] + counts[1011] + counts[1012],
           "%s: how many squares each pair has", test_places[place].name);
    }
}

static unsigned char *whole[2]; /* a range of the list: all orientations, Frenicle forms */
#define RANGE 30000u

static void test_five(void)
{
    int f, place, i;
    centre_1[12] = 1;
    centre_25[12] = 25;
    for (f = 0; f < 2; f++) {
        combgpu_magic_list_desc desc = describe(5, COMBGPU_MAGIC_NORMAL, centre_1, f);
        combgpu_magic_list_result result;
        uint64_t hash = 0;
        int wrong = 0;
        whole[f] = (unsigned char *)malloc(RANGE * 25);
        desc.first = f ? 1234567 : 7654321;
        desc.count = RANGE;
        desc.out = whole[f];
        desc.out_bytes = RANGE * 25;
        equal_status(CPU, combgpu_magic_list(CPU, &desc, &result), COMBGPU_OK, "order 5, a range");
        ok(result.total == 4365792u * (f ? 1 : 8) && result.count == RANGE,
           "order 5 with 1 in the centre: %llu squares", (unsigned long long)result.total);
        for (i = 0; i < (int)RANGE; i++) {
            wrong += !right(whole[f] + 25 * i, &desc);
            hash += test_fnv(whole[f] + 25 * i, 25);
        }
        ok(!wrong && hash == result.run.checksum, "they are magic, and the checksum is theirs");
        for (place = 0; place < TEST_PLACES; place++) {
            unsigned char *part = (unsigned char *)calloc(RANGE, 25), *to = part;
            int pieces = 0, same = 1;
            if (!opened[place]) {
                free(part);
                continue;
            }
            if (place && !f && !is_gpu(opened[place]))
                equal_status(CPU,
                             inside_magic_list_keep(opened[place], inside_magic_list_index(CPU)),
                             COMBGPU_OK, "kept");
            while (to < part + RANGE * 25) { /* in pieces, to a buffer or a callback */
                uint64_t at = (uint64_t)(to - part) / 25;
                desc.first = (f ? 1234567 : 7654321) + at;
                desc.count = 1 + (uint64_t)random_below(9000);
                if (desc.count > RANGE - at) desc.count = RANGE - at;
                desc.out = pieces & 1 ? to : NULL;
                desc.out_bytes = pieces & 1 ? desc.count * 25 : 0;
                desc.solution = pieces & 1 ? NULL : keep;
                desc.solution_user = &to;
                if (combgpu_magic_list(opened[place], &desc, &result) ||
                    result.count != desc.count) {
                    printf("# %s\n", combgpu_message(opened[place]));
                    same = 0;
                    break;
                }
                if (pieces++ & 1) to += desc.count * 25;
            }
            ok(same && !memcmp(part, whole[f], RANGE * 25),
               "%s: the same range of order 5 in %d chunks", test_places[place].name, pieces);
            free(part);
        }
    }
}

static int compare25(const void *a, const void *b)
{
    return memcmp(a, b, 25);
}

/* The list has every square once: those of a few whole pairs against the search with a callback. */
static void test_complete(void)
{
    combgpu_magic_list_desc desc = describe(5, COMBGPU_MAGIC_NORMAL, centre_1, 0);
    combgpu_magic_list_result result;
    unsigned char *a = (unsigned char *)malloc(RANGE * 25);
    int i, repeated = 0;
    desc.first = 7654321;
    desc.count = RANGE;
    memcpy(a, whole[0], RANGE * 25);
    qsort(a, RANGE, 25, compare25);
    for (i = 1; i < (int)RANGE; i++)
        repeated += !memcmp(a + 25 * (i - 1), a + 25 * i, 25);
    ok(!repeated, "no square stands twice in a range");
    desc = describe(5, COMBGPU_MAGIC_NORMAL, centre_25, 0); /* the complements, in the same order */
    desc.first = 7654321;
    desc.count = RANGE;
    desc.out = a;
    desc.out_bytes = RANGE * 25;
    combgpu_magic_list(CPU, &desc, &result);
    for (i = 0, repeated = 0; i < (int)RANGE * 25; i++)
        repeated += a[i] + whole[0][i] != 26;
    ok(!repeated && result.count == RANGE, "with 25 in the centre the list holds the complements");
    free(a);
}

static void test_files(void)
{
    combgpu_magic_list_desc desc = describe(5, COMBGPU_MAGIC_NORMAL, centre_1, 1);
    combgpu_magic_list_result result;
    unsigned char *bytes = (unsigned char *)malloc(RANGE * 25);
    char name[100];
    int number, shard, i;
    size_t at = 0;
    FILE *file;
    snprintf(name, sizeof name, "/tmp/combgpu_test_magic_list_%ld", (long)getpid());
    desc.first = 1234567;
    desc.count = RANGE;
    desc.path = name;
    for (shard = 0; shard < 3; shard++) {
        desc.run.shard_count = 3;
        desc.run.shard_index = shard;
        equal_status(CPU, combgpu_magic_list(CPU, &desc, &result), COMBGPU_OK, "a file, shard %d",
                     shard);
        file = fopen(name, "rb");
        if (file) {
            at += fread(bytes + at, 1, RANGE * 25 - at, file);
            fclose(file);
        }
    }
    ok(at == RANGE * 25 && !memcmp(bytes, whole[1], at), "three files of bytes make the range");
    desc.run.shard_count = desc.run.shard_index = 0;
    desc.text = 1;
    combgpu_magic_list(CPU, &desc, &result);
    file = fopen(name, "r");
    for (i = 0; file && fscanf(file, "%d", &number) == 1 && i < (int)RANGE * 25; i++)
        bytes[i] = (unsigned char)number;
    ok(i == (int)RANGE * 25 && !memcmp(bytes, whole[1], (size_t)i), "text holds the same numbers");
    if (file) {
        rewind(file);
        for (i = 0; i < 5; i++)
            if (fgets((char *)bytes, 100, file) && i == 4) number = (int)strlen((char *)bytes);
        ok(number == 15 && fgets((char *)bytes, 100, file) && !strcmp((char *)bytes, "\n"),
           "text: a row a line, an empty line behind each square");
        fclose(file);
    }
    remove(name);
    desc.path = "/nonexistent/list";
    equal_status(CPU, combgpu_magic_list(CPU, &desc, &result), COMBGPU_FILE_ERROR,
                 "a file that cannot be opened");
    free(bytes);
}

/* Device memory of the context; on the CPU host memory. */
static void test_device(void)
{
    int place;
    for (place = 0; place < TEST_PLACES; place++) {
        combgpu_magic_list_desc desc = describe(5, COMBGPU_MAGIC_NORMAL, centre_1, 1);
        combgpu_magic_list_result result;
        combgpu_device_memory memory;
        unsigned char *bytes = (unsigned char *)calloc(RANGE, 25);
        combgpu_context *ctx = opened[place];
        int shifted;
        if (ctx && combgpu_device_allocate(ctx, 100 + RANGE * 25, &memory) == COMBGPU_OK) {
            for (shifted = 0; shifted < 2; shifted++) {
                desc.first = 1234567;
                desc.count = RANGE;
                desc.device_out = memory;
                desc.device_out.offset = shifted ? 64 : 0;
                desc.device_out.bytes = RANGE * 25;
                equal_status(ctx, combgpu_magic_list(ctx, &desc, &result), COMBGPU_OK,
                             "%s: into device memory", test_places[place].name);
                combgpu_device_read(ctx, &desc.device_out, 0, bytes, RANGE * 25);
                ok(result.count == RANGE && !memcmp(bytes, whole[1], RANGE * 25),
                   "%s: the same squares in device memory", test_places[place].name);
            }
            desc = describe(4, COMBGPU_MAGIC_NORMAL, NULL, 1);
            desc.device_out = memory;
            combgpu_magic_list(ctx, &desc, &result);
            combgpu_device_read(ctx, &desc.device_out, 0, bytes, 880 * 16);
            ok(result.count == 880 && bytes[0] == 1 && bytes[1] == 2 && bytes[2] == 15 &&
                   bytes[879 * 16] == 7,
               "%s: order 4 in device memory", test_places[place].name);
            combgpu_device_release(ctx, &memory);
        }
        free(bytes);
    }
}

static int stop_third(const int *square, int order, void *user)
{
    (void)square, (void)order;
    return ++*(int *)user == 3;
}

static int stop_at_once(const combgpu_progress *progress, void *user)
{
    (void)progress, (void)user;
    return 1;
}

static int falls(const combgpu_progress *progress, void *user)
{
    double *part = (double *)user;
    int fell = progress->fraction < *part;
    *part = fell ? -1 : progress->fraction;
    return fell;
}

static void refused(combgpu_magic_list_desc desc, const char *part)
{
    combgpu_magic_list_result result;
    combgpu_status status = combgpu_magic_list(CPU, &desc, &result);
    ok(status == COMBGPU_INVALID_ARGUMENT && strstr(combgpu_message(CPU), part), "refused: %s",
       combgpu_message(CPU));
}

static void test_stops_and_errors(void)
{
    static const int nine = 9; /* as no conversion would give it */
    combgpu_magic_list_desc desc = describe(4, COMBGPU_MAGIC_NORMAL, NULL, 1), bad;
    combgpu_magic_list_result result;
    static const char *const paths[1] = {"x"};
    unsigned char out[160];
    uint64_t checksum;
    double part = 0;
    int calls = 0;
    desc.first = 5;
    desc.solution = stop_third;
    desc.solution_user = &calls;
    equal_status(CPU, combgpu_magic_list(CPU, &desc, &result), COMBGPU_STOPPED, "a callback stops");
    ok(result.count == 3 && result.total == 880, "it was given three squares");
    checksum = result.run.checksum;
    bad = desc;
    bad.count = 3;
    bad.solution = NULL;
    bad.out = out;
    bad.out_bytes = sizeof out;
    combgpu_magic_list(CPU, &bad, &result);
    ok(result.run.checksum == checksum, "the checksum is that of these three");
    bad.run.progress = falls;
    bad.run.progress_user = &part;
    equal_status(CPU, combgpu_magic_list(CPU, &bad, &result), COMBGPU_OK, "with progress");
    ok(part == 1, "the part that is done never falls, and ends at 1");
    bad = desc;
    bad.out = out;
    refused(bad, "more than one of desc.solution");
    bad.solution = NULL;
    bad.out_bytes = sizeof out;
    refused(bad, "out_bytes is 160; these 875 squares of 16 bytes need 14000");
    bad.out = NULL;
    refused(bad, "none");
    bad = desc;
    bad.first = 881;
    refused(bad, "first is 881; the list has 880 squares");
    bad = desc;
    bad.run.checkpoint_path = "x";
    refused(bad, "checkpoint");
    bad = desc;
    bad.run.merge_paths = paths;
    bad.run.merge_count = 1;
    refused(bad, "merge");
    bad = desc;
    bad.order = -2;
    refused(bad, "order is -2");
    bad = desc;
    memcpy(&bad.kind, &nine, sizeof bad.kind);
    refused(bad, "kind is 9");
    ok(combgpu_magic_list(NULL, &desc, &result) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_list(CPU, NULL, &result) == COMBGPU_INVALID_ARGUMENT,
       "NULL pointers are refused");
    desc = describe(5, COMBGPU_MAGIC_NORMAL, NULL, 1);
    desc.solution = stop_third;
    desc.solution_user = &calls;
    desc.run.time_limit_s = 0.001;
    equal_status(CPU, combgpu_magic_list(CPU, &desc, &result), COMBGPU_STOPPED,
                 "the time limit also holds while the squares are counted");
    ok(result.count == 0, "and no square was handed out");
    desc.run.time_limit_s = 0;
    desc.run.progress = stop_at_once;
    equal_status(CPU, combgpu_magic_list(CPU, &desc, &result), COMBGPU_STOPPED,
                 "and the progress callback is called meanwhile");
}

/* ---- memory */

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    const combgpu_magic_list_desc *desc = (const combgpu_magic_list_desc *)user;
    combgpu_magic_list_result result;
    if (desc->order == 5) { /* no need to count for each allocation that fails */
        static uint32_t index[INSIDE_MAGIC_PAIRS] = {1000};
        combgpu_status status = inside_magic_list_keep(ctx, index);
        if (status) return status;
    }
    return combgpu_magic_list(ctx, desc, &result);
}

static void test_memory(void)
{
    static unsigned char out[7040 * 25];
    combgpu_context_desc one_thread = test_context(0);
    int which, failed[2];
    for (which = 0; which < 2; which++) {
        combgpu_magic_list_desc desc =
            describe(which ? 5 : 4, COMBGPU_MAGIC_NORMAL, which ? centre_1 : NULL, 1);
        desc.count = which ? 8 : 0;
        desc.out = out;
        desc.out_bytes = sizeof out;
        failed[which] = test_out_of_memory(&one_thread, 1, allocating, &desc);
    }
    ok(failed[0] > 5 && failed[1] > 5,
       "every allocation may fail (%d, %d did): a status, and nothing leaks", failed[0], failed[1]);
}

/* The pair that a square of the list belongs to; some pairs have none. */
static void test_pairs(void)
{
    static const uint32_t offsets[7] = {0, 3, 3, 7, 8, 8, 10};
    uint64_t square;
    int wrong = 0;
    for (square = 0; square < 10; square++) {
        uint32_t pair = inside_magic_pair_of(offsets, 6, square);
        wrong += offsets[pair] > square || offsets[pair + 1] <= square;
    }
    ok(!wrong, "every square is in its pair, the first ones too");
}

/* Of the forms that the M-group maps to each other one is the least. */
static void test_least(void)
{
    static unsigned char forms[880 * 16];
    combgpu_magic_list_desc desc = describe(4, COMBGPU_MAGIC_NORMAL, NULL, 1);
    combgpu_magic_list_result result;
    int form[16], least = 0, first = 0, last = 0, i, k;
    desc.out = forms;
    desc.out_bytes = sizeof forms;
    combgpu_magic_list(CPU, &desc, &result);
    for (i = 0; i < 880; i++) {
        for (k = 0; k < 16; k++)
            form[k] = forms[16 * i + k];
        last = inside_magic_is_m_least(4, form);
        least += last;
        if (!i) first = last;
    }
    ok(least == 220 && first && !last,
       "order 4: 220 forms are the least of their four, so the first of all and not the last");
}

int main(void)
{
    open_places();
    test_short();
    test_pairs();
    test_least();
    test_five();
    test_index();
    test_complete();
    test_files();
    test_device();
    test_stops_and_errors();
    test_memory();
    close_places();
    free(whole[0]);
    free(whole[1]);
    return tap_end();
}
