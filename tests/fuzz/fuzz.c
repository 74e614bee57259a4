/* Inputs from strangers: whatever the bytes, an answer or a message, and nothing else. The environment
   variable FUZZ names the target; built by tests/fuzz.sh with libFuzzer, or with -DREPLAY as a
   program that runs the files it is given. */
#define COMBGPU_IMPLEMENTATION
#include "../../combgpu.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The command's readers end the program where they refuse a file; here they come back to `refused`, and leave
   behind the list that they were making. */
static jmp_buf refused;
static void *made;

__attribute__((noreturn)) static void end(int status)
{
    longjmp(refused, status);
}

static void *make_room(size_t bytes)
{
    return made = malloc(bytes);
}

#define exit(status) end(status)
#include "../../examples/combgpu_points.h"
#define malloc(bytes) make_room(bytes)
#include "../../examples/combgpu_words.h"
#undef malloc
#undef exit

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static combgpu_context *context(void)
{
    static combgpu_context *ctx;
    combgpu_context_desc desc;
    if (ctx) return ctx;
    memset(&desc, 0, sizeof desc);
    desc.backend = COMBGPU_BACKEND_CPU;
    desc.threads = 1;
    desc.memory_limit = 64 << 20;
    if (combgpu_open(&ctx, &desc)) abort();
    return ctx;
}

/* A failure has a message; success has none that says otherwise. */
static void expect(int condition)
{
    if (!condition) abort();
}

static void fuzz_tsplib(const uint8_t *data, size_t size)
{
    combgpu_tsp_instance instance;
    combgpu_status status = combgpu_tsp_parse(context(), (const char *)data, size, &instance);
    int i;
    expect(status == COMBGPU_OK || *combgpu_message(context()));
    if (!status && instance.weights)
        for (i = 0; i < instance.n * instance.n; i++)
            expect(instance.weights[i] == instance.weights[i]);
    combgpu_tsp_free(context(), &instance);
}

static void fuzz_tour(const uint8_t *data, size_t size)
{
    int tour[16], seen[16] = {0}, n = size ? 1 + data[0] % 16 : 1, i;
    if (!size) return;
    if (combgpu_tsp_parse_tour(context(), (const char *)data + 1, size - 1, n, tour)) {
        expect(*combgpu_message(context()));
        return;
    }
    for (i = 0; i < n; i++)
        expect(tour[i] >= 0 && tour[i] < n && !seen[tour[i]]++);
}

static combgpu_status read_board(int rle, const char *text, size_t bytes, int *n, uint64_t *rows)
{
    if (rle) return combgpu_no3_from_rle(context(), text, bytes, n, rows);
    return combgpu_no3_from_flammenkamp(context(), text, bytes, n, rows, NULL, NULL);
}

/* What can be read and written again is the same board. */
static void fuzz_board(int rle, const uint8_t *data, size_t size)
{
    char back[32768];
    uint64_t rows[COMBGPU_NO3_BOARD_WORDS], again[COMBGPU_NO3_BOARD_WORDS];
    size_t needed = 0;
    int n = 0, m = 0;
    combgpu_status status = read_board(rle, (const char *)data, size, &n, rows);
    expect(status == COMBGPU_OK || *combgpu_message(context()));
    if (status) return;
    expect(n >= 1 && n <= 128);
    status = rle ? combgpu_no3_to_rle(context(), n, rows, back, sizeof back, &needed)
                 : combgpu_no3_to_flammenkamp(context(), n, rows, back, sizeof back, &needed);
    if (status) return;
    expect(!read_board(rle, back, strlen(back), &m, again));
    expect(n == m && !memcmp(rows, again, (size_t)(n * COMBGPU_NO3_ROW_WORDS(n)) * sizeof rows[0]));
}

static void fuzz_rle(const uint8_t *data, size_t size)
{
    fuzz_board(1, data, size);
}

static void fuzz_line(const uint8_t *data, size_t size)
{
    fuzz_board(0, data, size);
}

/* A description of each search, small. */
typedef union descs {
    combgpu_magic_desc magic;
    combgpu_no3_desc no3;
    combgpu_perm_desc perm;
    combgpu_tsp_desc tsp;
    combgpu_tsp_batch_desc batch;
    combgpu_magic_estimate_desc estimate;
} descs;

enum { SEARCHES = 9 };

static int64_t first_item(const unsigned char *perm, int n, const unsigned char *data)
{
    (void)n, (void)data;
    return perm[0];
}

static combgpu_run_desc *describe(int search, descs *d)
{
    static combgpu_perm_visitor visitor;
    static combgpu_tsp_instance instance;
    static const double x[60] = {0, 5, 9, 2, 7, 3, 8, 1, 6, 4, 11, 10};
    static const double y[60] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    static unsigned char out[5040 * 7];
    memset(d, 0, sizeof *d);
    visitor.name = "first";
    visitor.cpu = first_item;
    if (!instance.n)
        expect(!combgpu_tsp_from_coordinates(context(), 9, x, y, COMBGPU_TSP_EUC_2D, &instance));
    switch (search) {
    case 0:
        d->magic.order = 4;
        return &d->magic.run;
    case 1:
        d->no3.n = 7;
        return &d->no3.run;
    case 2:
        d->no3.n = 10;
        d->no3.seed = 1;
        return &d->no3.run;
    case 3:
        d->perm.n = 7;
        d->perm.out = out;
        d->perm.out_bytes = sizeof out;
        return &d->perm.run;
    case 4:
        d->perm.n = 7;
        d->perm.goal = COMBGPU_PERM_COUNT;
        d->perm.visitor = &visitor;
        return &d->perm.run;
    case 5:
    case 6:
    case 7:
        d->tsp.instance = &instance;
        d->tsp.method = (combgpu_tsp_method)(COMBGPU_TSP_BRUTE_FORCE + search - 5);
        return &d->tsp.run;
    default:
        d->batch.count = 3;
        d->batch.n = 4;
        d->batch.x = x;
        d->batch.y = y;
        d->batch.metric = COMBGPU_TSP_EUC_2D;
        return &d->batch.run;
    }
}

static combgpu_status begin(int search, const descs *d, combgpu_job **job)
{
    if (search < 1) return combgpu_magic_begin(context(), &d->magic, job);
    if (search < 3) return combgpu_no3_begin(context(), &d->no3, job);
    if (search < 5) return combgpu_perm_begin(context(), &d->perm, job);
    if (search < 8) return combgpu_tsp_begin(context(), &d->tsp, job);
    return combgpu_tsp_batch_begin(context(), &d->batch, job);
}

/* A few steps of a job that could begin, then its end. */
static void work(int search, const descs *d)
{
    combgpu_job *job = NULL;
    combgpu_status status = begin(search, d, &job);
    int steps;
    expect(status == COMBGPU_OK || (status < 0 && !job && *combgpu_message(context())));
    if (status) return;
    for (steps = 0; steps < 3; steps++)
        if (combgpu_step(job) != COMBGPU_RUNNING) break;
    combgpu_job_cancel(job);
}

/* Byte 0 chooses the search; then three bytes each: where, and what, is changed in its checkpoint. */
static void fuzz_checkpoint(const uint8_t *data, size_t size)
{
    static unsigned char *whole[SEARCHES];
    static size_t bytes[SEARCHES];
    int search = size ? data[0] % SEARCHES : 0;
    descs d;
    combgpu_run_desc *run = describe(search, &d);
    unsigned char *edited;
    size_t i;
    if (!whole[search]) {
        combgpu_job *job;
        expect(!begin(search, &d, &job));
        expect(!combgpu_save(job, NULL, 0, &bytes[search]));
        whole[search] = (unsigned char *)malloc(bytes[search]);
        expect(!combgpu_save(job, whole[search], bytes[search], NULL));
        combgpu_job_cancel(job);
    }
    edited = (unsigned char *)malloc(bytes[search]);
    memcpy(edited, whole[search], bytes[search]);
    for (i = 1; i + 2 < size; i += 3)
        edited[(data[i] << 8 | data[i + 1]) % bytes[search]] = data[i + 2];
    combgpu__seal(edited, bytes[search]);
    run->resume_data = edited;
    run->resume_bytes = bytes[search];
    run->slice_ms = 1;
    work(search, &d);
    free(edited);
}

/* Byte 0 chooses the search; then nine bytes each: a number of the description, and its value. */
static void fuzz_desc(const uint8_t *data, size_t size)
{
    int search = size ? data[0] % SEARCHES : 0;
    descs d;
    combgpu_run_desc *run = describe(search, &d);
    size_t i;
    for (i = 1; i + 8 < size; i += 9) {
        uint64_t value;
        double real;
        memcpy(&value, data + i + 1, sizeof value);
        memcpy(&real, data + i + 1, sizeof real);
        switch (data[i] % 13) {
        case 0:
            run->shard_index = (int)(uint32_t)value % 70000;
            break;
        case 1:
            run->shard_count = (int)(uint32_t)value % 70000;
            break;
        case 2:
            run->time_limit_s = real;
            break;
        case 3:
            run->slice_ms = real;
            break;
        case 4:
            run->verify_share = real;
            break;
        case 5:
            run->verify = (int)(value & 1);
            break;
        case 6:
            run->resume_data = data;
            run->resume_bytes = value % (size + 1);
            break;
        case 7:
            run->merge_count = (int)(uint32_t)value;
            break;
        case 8: /* n, order: the first number of each */
            if (search < 5) d.magic.order = (int)(uint32_t)value % 300 - 20;
            if (search == 8) d.batch.n = (int)(uint32_t)value % 24 - 4;
            break;
        case 9:
            if (search == 0) d.magic.kind = (combgpu_magic_kind)(value % 12);
            if (search == 1 || search == 2) d.no3.symmetry = (combgpu_no3_class)(value % 14);
            if (search == 3 || search == 4) d.perm.goal = (combgpu_perm_goal)(value % 9);
            if (search >= 5 && search < 8) {
                d.tsp.shape = (combgpu_tsp_shape)(value % 5);
                d.tsp.path_ends = (combgpu_tsp_ends)(value / 5 % 6);
            }
            if (search == 8) {
                d.batch.shape = (combgpu_tsp_shape)(value % 5);
                d.batch.path_ends = (combgpu_tsp_ends)(value / 5 % 6);
            }
            break;
        case 10:
            if (search == 0) d.magic.limit = value;
            if (search == 1 || search == 2) d.no3.limit = value;
            if (search == 3 || search == 4) d.perm.first = value;
            if (search >= 5 && search < 8) d.tsp.path_start = (int)(uint32_t)value;
            if (search == 8) d.batch.path_start = (int)(uint32_t)value;
            break;
        case 11:
            if (search == 1 || search == 2) d.no3.seed = value;
            if (search == 3 || search == 4) d.perm.count = value;
            if (search >= 5 && search < 8) d.tsp.path_end = (int)(uint32_t)value;
            if (search == 8) d.batch.metric = (combgpu_tsp_metric)(value % 10);
            break;
        default:
            run->slice_limit_s = real;
        }
    }
    if (search == 0 && d.magic.order > 4) d.magic.run.time_limit_s = 0.01;
    if (search == 1 || search == 2) { /* large tables and many tasks take time */
        if (d.no3.n > 12 && d.no3.n <= 72) d.no3.n = 12;
        if (run->shard_count > 100 && run->shard_count <= 65536) run->shard_count = 100;
    }
    work(search, &d);
}

/* ---- the command's readers */

/* As a file is read: with a NUL at its end. */
static char *as_text(const uint8_t *data, size_t size)
{
    char *text = (char *)malloc(size + 1);
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

static void fuzz_points(const uint8_t *data, size_t size)
{
    char *text = as_text(data, size);
    int i;
    if (!setjmp(refused)) {
        read_points(text, size, "points");
        expect(points.count > 0 || points.weights);
        for (i = 0; points.weights && i < points.n * points.n; i++)
            expect(points.weights[i] == points.weights[i]);
        for (i = 0; i < points.count; i++) {
            const char *name = points.name[i];
            expect(!points.x || (points.x[i] == points.x[i] && points.y[i] == points.y[i]));
            expect(*name != 0);
            for (; *name; name += utf8_length(name))
                expect(utf8_length(name) && (unsigned char)*name >= ' ');
        }
    }
    free(points.x);
    free(points.y);
    free(points.name);
    free(points.weights);
    grid_free(&sheet);
    memset(&points, 0, sizeof points);
    free(text);
}

static void fuzz_words(const uint8_t *data, size_t size)
{
    static const char *const words[] = {"a", "\"", "[", "x y", "\\", "1", "\xc3\xa4"};
    enum { WORDS = sizeof words / sizeof words[0] };
    char *text = as_text(data, size);
    if (!setjmp(refused)) { /* lines of numbers of words, for combgpu's own reader of lists */
        const char *at = word_numbers(text, size, words, WORDS, WORDS, "words");
        for (; *at; at++)
            expect(*at == ' ' || *at == '\n' || (*at >= '0' && *at < '0' + WORDS));
    }
    free(made);
    made = NULL;
    free(text);
}

static const struct {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} targets[] = {{"tsplib", fuzz_tsplib},
               {"tour", fuzz_tour},
               {"rle", fuzz_rle},
               {"line", fuzz_line},
               {"checkpoint", fuzz_checkpoint},
               {"desc", fuzz_desc},
               {"points", fuzz_points},
               {"words", fuzz_words}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static size_t k, known;
    const char *name = getenv("FUZZ");
    while (!known && k < sizeof targets / sizeof targets[0])
        if (name && !strcmp(name, targets[k].name))
            known = 1;
        else
            k++;
    if (!known) {
        fprintf(stderr, "FUZZ=%s: no such target\n", name ? name : "");
        exit(2);
    }
    targets[k].run(data, size);
    return 0;
}

#ifdef REPLAY
int main(int argc, char **argv)
{
    static uint8_t bytes[1 << 20];
    int i;
    for (i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        uint8_t *exact = (uint8_t *)malloc(size ? size : 1); /* so that reading past it is seen */
        if (!file) return 1;
        fclose(file);
        memcpy(exact, bytes, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%d files\n", argc - 1);
    return 0;
}
#endif
