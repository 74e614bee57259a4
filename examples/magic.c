/* Magic squares: counts, lists, completes, checks, constructs and estimates them.

       cc -O3 -fopenmp examples/magic.c -o magic
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/magic.c -o magic
       cc -O3 -DCOMBGPU_OPENCL examples/magic.c -o magic -lOpenCL

       ./magic --order 4                         all 7,040 of them
       ./magic --order 4 --list --frenicle       one of each eight, printed
       ./magic --givens "16 3 2 13 / ? ? ? ? / ? ? ? ? / ? 15 14 ?" --list
       ./magic --numbers "5 17 29 47 59 71 89 101 113" --list      other numbers
       ./magic --estimate --order 8 --error 0.01 how many there are, about
       ./magic --diagonals 0:100                 order 6 exactly, a part of it
       ./magic --construct --order 10            one of any order */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_MAGIC
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "magic - magic squares: count, list, complete, check, construct\n\n"
    "  magic --order 4               counts all squares of order 4\n"
    "  magic --order 4 --list        prints them\n"
    "  magic --givens \"? 15 14 ...\"  completes a partly filled square\n"
    "  magic --check FILE            says what the squares in a file are\n"
    "  magic --construct --order 10  makes one square\n\n"
    "Options:\n"
    "  --order N           3 to 6; with --construct to 10000\n"
    "  --kind NAME         normal, semimagic, pandiagonal, associative, ultramagic\n"
    "                      or bimagic\n"
    "  --givens \"TEXT\"     the numbers row by row, ? for a free cell; / and line\n"
    "                      ends may stand between rows; @FILE reads them from a file\n"
    "  --list              print the squares\n"
    "  --frenicle          print one of each eight rotations and reflections\n"
    "  --limit K           stop after K squares\n"
    "  --first K           list in order, from square K on (the first one is 0)\n"
    "  --count K           list in order, K squares\n"
    "  --output FILE       list in order, to a file: order*order bytes a square\n"
    "  --text              --output: numbers in lines, as --list prints them\n"
    "  --checksum          count order 5 with the checksum of all squares\n"
    "  --check FILE        check squares, as --list prints them; - is standard input\n"
    "  --form NAME         --check: print the squares in frenicle or canonical form\n"
    "                      (up to M-transformations as well)\n"
    "  --construct         make one square of the order, and of the kind\n"
    "  --numbers \"TEXT\"    other numbers than 1 to n*n (order 3 to 5), also negative;\n"
    "                      @FILE reads them from a file\n"
    "  --sum S             the line sum that they must have\n"
    "  --estimate          how many there are of order 4 to 11, about (normal and\n"
    "                      semimagic), from random samples; with\n"
    "  --samples N         so many (default: a million), or\n"
    "  --error E           until the standard error is this part of it, like 0.001\n"
    "  --seed S            other samples\n"
    "  --diagonals F[:C]   count order 6 over configurations F to F+C-1 of the\n"
    "                      diagonals, of 861,985,427,400\n";

static const char *const kinds[] = {"normal",      "semimagic",  "pandiagonal",
                                    "associative", "ultramagic", "bimagic"};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void print_square(const int *square, int order)
{
    int i, width = snprintf(NULL, 0, "%d", order * order);
    for (i = 0; i < order * order; i++) {
        int wide = snprintf(NULL, 0, "%d", square[i]);
        if (wide > width) width = wide;
    }
    for (i = 0; i < order * order; i++)
        printf("%*d%s", width, square[i], i % order == order - 1 ? "\n" : " ");
}

static void json_square(const char *key, const int *square, int order)
{
    int x, y;
    json_open(key, '[');
    for (y = 0; y < order; y++) {
        json_open(NULL, '[');
        for (x = 0; x < order; x++)
            json_i64(NULL, square[y * order + x]);
        json_close();
    }
    json_close();
}

/* The library's solution callback. */
static int show(const int *square, int order, void *user)
{
    (void)user;
    common_make_room();
    if (common.json) {
        json_square(NULL, square, order);
    } else {
        print_square(square, order);
        printf("\n");
    }
    return common_stop();
}

/* Reads numbers, and 0 for each ?, from *text on; *text moves behind them. Stops after `most`
   numbers or, with one_line, at the end of the first line that holds any. Returns how many. */
static int read_numbers(const char **text, int *numbers, int most, int one_line, int free_cells)
{
    int count = 0;
    const char *at = *text;
    while (count < most) {
        char word[16];
        size_t length;
        uint64_t value = 0;
        at += strspn(at, one_line && count ? " \t\r,|" : " \t\r,|/\n");
        length = strcspn(at, " \t\r,|/\n");
        if (!length) break;
        memcpy(word, at, length < sizeof word ? length : sizeof word - 1);
        word[length < sizeof word ? length : sizeof word - 1] = 0;
        if (!(free_cells && !strcmp(word, "?")) &&
            (!common_parse_u64(word, &value) || value < 1 || value > INT_MAX))
            common_usage("%s: number %d is \"%s\"; it may be a whole number from 1 on%s",
                         common.option, count + 1, word,
                         free_cells ? ", or ? for a free cell" : "");
        numbers[count++] = (int)value;
        at += length;
    }
    *text = at;
    return count;
}

/* --givens TEXT or @FILE; sets *order from how many there are if it is 0. */
static void read_givens(const char *text, int *givens, int *order)
{
    char *file = text[0] == '@' ? common_read(text + 1, NULL) : NULL;
    const char *at = file ? file : text;
    int count = read_numbers(&at, givens, 64 * 64, 0, 1), side = 1;
    while (side * side < count)
        side++;
    if (!*order) *order = side;
    if (count != *order * *order)
        common_usage("--givens has %d cells; a square of order %d needs %d", count, *order,
                     *order * *order);
    free(file);
}

static void print_report(const combgpu_magic_report *report, const int *square, int order, int type)
{
    static const char *const types[13] = {"",    "I",    "II", "III", "IV", "V",  "VI",
                                          "VII", "VIII", "IX", "X",   "XI", "XII"};
    int i;
    print_square(square, order);
    printf("rows     ");
    for (i = 0; i < order; i++)
        printf(" %lld", (long long)report->rows[i]);
    printf("\ncolumns  ");
    for (i = 0; i < order; i++)
        printf(" %lld", (long long)report->columns[i]);
    printf("\ndiagonals %lld %lld; the magic sum is %lld\n", (long long)report->diagonals[0],
           (long long)report->diagonals[1], (long long)report->magic_sum);
    if (report->wrong[0]) printf("%s (rows and columns from 0)\n", report->wrong);
    if (report->wrong_lines)
        printf("%d rows, columns and diagonals have a wrong sum\n", report->wrong_lines);
    printf("%s%s%s%s%s%s%s\n",
           report->is_magic       ? "magic"
           : report->is_semimagic ? "semimagic only: a diagonal is wrong"
                                  : "not magic",
           report->is_pandiagonal ? ", pandiagonal" : "",
           report->is_associative ? ", associative" : "",
           report->is_bimagic && order > 1 ? ", bimagic" : "",
           report->is_magic && report->is_frenicle ? ", in Frenicle form" : "",
           type ? ", of Dudeney's class " : "", types[type]);
}

static const char *const forms[] = {"frenicle", "canonical"};

/* magic --check FILE --form NAME: prints a square in that form. */
static combgpu_status print_form(combgpu_context *ctx, const int *square, int order, int form)
{
    static int out[64 * 64];
    combgpu_status status = form ? combgpu_magic_canonical(ctx, order, square, out)
                                 : combgpu_magic_frenicle(ctx, order, square, out);
    if (status < 0) return status;
    show(out, order, NULL);
    return status;
}

/* magic --check FILE: 0 if all squares are magic, 1 if not. */
static int check(const char *path, int form)
{
    char *text = common_read(path, NULL);
    const char *at = text;
    static int square[64 * 64];
    combgpu_magic_report report;
    combgpu_status status;
    combgpu_context *ctx;
    uint64_t dudeney[12] = {0};
    int type = 0;
    uint64_t squares = 0, magic = 0, semimagic = 0, pandiagonal = 0, associative = 0;
    int order = read_numbers(&at, square, 65, 1, 0), count, end;
    if (order < 1 || order > 64)
        common_usage("--check: the first row has %d numbers; it may have 1 to 64", order);
    common.context.backend = COMBGPU_BACKEND_CPU; /* nothing to search */
    ctx = common_open("magic");
    at = text;
    while ((count = read_numbers(&at, square, order * order, 0, 0)) > 0) {
        if (count != order * order)
            common_usage("--check: square %llu ends after %d numbers; order %d needs %d",
                         (unsigned long long)squares + 1, count, order, order * order);
        status = combgpu_magic_check(ctx, order, square, &report);
        if (status < 0) return common_failed(ctx, status);
        type = 0;
        if (order == 4 && report.is_magic) combgpu_magic_dudeney(ctx, square, &type);
        if (type) dudeney[type - 1]++;
        if (form >= 0) status = print_form(ctx, square, order, form);
        if (status < 0) return common_failed(ctx, status);
        squares++;
        magic += report.is_magic != 0;
        semimagic += report.is_semimagic != 0;
        pandiagonal += report.is_pandiagonal != 0;
        associative += report.is_associative != 0;
    }
    free(text);
    if (common.json) {
        json_string("status", "ok");
        json_u64("order", (uint64_t)order);
        json_u64("squares", squares);
        json_u64("magic", magic);
        json_u64("semimagic", semimagic);
        json_u64("pandiagonal", pandiagonal);
        json_u64("associative", associative);
        json_open("dudeney", '[');
        for (type = 0; order == 4 && type < 12; type++)
            json_u64(NULL, dudeney[type]);
        json_close();
    } else if (form >= 0) {
        end = 0; /* the squares are all that is asked for */
    } else if (squares == 1) {
        print_report(&report, square, order, type);
    } else {
        printf("%s squares of order %d: %s magic, %s pandiagonal, %s associative, %s not magic\n",
               common_commas(squares), order, common_commas(magic), common_commas(pandiagonal),
               common_commas(associative), common_commas(squares - magic));
    }
    end = common_end(ctx, NULL);
    return end ? end : magic != squares;
}

/* magic --construct --order N --kind KIND */
static int construct(int order, combgpu_magic_kind kind)
{
    int *square = (int *)malloc((size_t)order * (size_t)order * sizeof(int));
    combgpu_context *ctx;
    combgpu_status status;
    if (!square) common_usage("--order is %d; that needs more memory than there is", order);
    common.context.backend = COMBGPU_BACKEND_CPU; /* nothing to search */
    ctx = common_open("magic");
    status = combgpu_magic_construct_kind(ctx, order, kind, square);
    if (status < 0) return common_failed(ctx, status);
    if (common.json) {
        json_string("status", "ok");
        json_u64("order", (uint64_t)order);
        json_square("square", square, order);
    } else {
        print_square(square, order);
    }
    free(square);
    return common_end(ctx, NULL);
}

/* --numbers TEXT or @FILE: whole numbers, also negative. Sets *order. */
static void read_values(const char *text, int *values, int *order)
{
    char *file = text[0] == '@' ? common_read(text + 1, NULL) : NULL;
    const char *at = file ? file : text;
    int count = 0, side = 1;
    for (at += strspn(at, " \t\r\n,|/"); *at; at += strspn(at, " \t\r\n,|/")) {
        char *end;
        long value = strtol(at, &end, 10);
        if (end == at || (*end && !strchr(" \t\r\n,|/", *end)) || value > 400000000 ||
            value < -400000000)
            common_usage("--numbers: number %d is \"%.*s\"; it may be a whole number from "
                         "-400000000 to 400000000",
                         count + 1, (int)strcspn(at, " \t\r\n,|/"), at);
        if (count == 64 * 64) break;
        values[count++] = (int)value;
        at = end;
    }
    while (side * side < count)
        side++;
    if (!*order) *order = side;
    if (count != *order * *order)
        common_usage("--numbers has %d numbers; a square of order %d needs %d", count, *order,
                     *order * *order);
    free(file);
}

/* A count that may be far above 2^64, with the digits that its error leaves. */
static const char *about(double value, double error, char *text, size_t size)
{
    int digits = 1;
    double part = value;
    while (digits < 12 && part > error) {
        digits++;
        part /= 10;
    }
    snprintf(text, size, "%.*e", digits, value);
    return text;
}

/* magic --estimate */
static int estimate(combgpu_magic_estimate_desc *desc)
{
    combgpu_magic_estimate_result result;
    combgpu_status status;
    combgpu_context *ctx;
    char label[40], count[32], up_to_d4[32];
    snprintf(label, sizeof label, "magic, order %d, estimate", desc->order);
    ctx = common_open(label);
    desc->run = common.run;
    status = combgpu_magic_estimate(ctx, desc, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    if (common.json) {
        json_u64("order", (uint64_t)desc->order);
        json_string("kind", kinds[desc->kind]);
        json_double("count", result.count);
        json_double("standard_error", result.standard_error);
        json_double("up_to_d4", result.up_to_d4);
        json_double("relative_error", result.relative_error);
        json_u64("samples", result.samples);
        json_u64("seed", desc->seed);
        json_run(&result.run);
    } else {
        printf("order %d, %s: about %s squares, %s up to rotation and reflection\n", desc->order,
               kinds[desc->kind], about(result.count, result.standard_error, count, sizeof count),
               about(result.up_to_d4, result.standard_error / 8, up_to_d4, sizeof up_to_d4));
        printf("  standard error %.2g (%.3g %%), %s samples, seed %llu\n", result.standard_error,
               100 * result.relative_error, common_commas(result.samples),
               (unsigned long long)desc->seed);
        common_print_run(stdout, &result.run);
    }
    return common_end(ctx, &result.run);
}

/* magic --diagonals FIRST:COUNT */
static int diagonals(const char *range)
{
    combgpu_magic_diagonals_desc desc;
    combgpu_magic_diagonals_result result;
    combgpu_status status;
    combgpu_context *ctx;
    char *end, count[48];
    memset(&desc, 0, sizeof desc);
    desc.count = 1;
    desc.first = strtoull(range, &end, 10);
    if (end != range && *end == ':') desc.count = strtoull(range = end + 1, &end, 10);
    if (end == range || *end || strchr(range, '-'))
        common_usage("--diagonals needs a first configuration and perhaps a count, as 1000:20");
    ctx = common_open("magic, order 6, diagonals");
    desc.run = common.run;
    status = combgpu_magic_diagonals(ctx, &desc, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    snprintf(count, sizeof count, "%.0f",
             (double)result.count.lo + 18446744073709551616.0 * (double)result.count.hi);
    if (common.json) {
        json_u64("order", 6);
        json_u64("first", desc.first);
        json_u64("configurations", desc.count);
        json_u64("squares", result.squares);
        json_run(&result.run);
    } else {
        printf("order 6, diagonals %llu to %llu: %s squares%s, %s with their images\n",
               (unsigned long long)desc.first, (unsigned long long)(desc.first + desc.count - 1),
               common_commas(result.squares), result.run.status == COMBGPU_STOPPED ? " so far" : "",
               count);
        common_print_run(stdout, &result.run);
    }
    return common_end(ctx, &result.run);
}

static void print_result(const combgpu_magic_desc *desc, const combgpu_magic_result *result)
{
    const char *so_far = result->run.status == COMBGPU_STOPPED ? " so far" : "";
    FILE *to = common_summary(desc->solution != NULL);
    char number[16];
    int i, printed = 0;
    if (common.json) {
        json_u64("order", (uint64_t)desc->order);
        json_string("kind", kinds[desc->kind]);
        json_u64("count", result->count);
        json_u64("up_to_d4", result->up_to_d4);
        if (result->up_to_m_group) json_u64("up_to_m_group", result->up_to_m_group);
        if (desc->order % 2) {
            json_open("by_centre", '{');
            for (i = 1; i <= 25; i++) {
                snprintf(number, sizeof number, "%d", i);
                if (result->by_centre[i]) json_u64(number, result->by_centre[i]);
            }
            json_close();
        }
        json_run(&result->run);
        return;
    }
    fprintf(to, "order %d, %s: %s squares%s, %s up to rotation and reflection\n", desc->order,
            kinds[desc->kind], common_commas(result->count), so_far,
            common_commas(result->up_to_d4));
    if (result->up_to_m_group)
        fprintf(to, "%s up to the M-group\n", common_commas(result->up_to_m_group));
    for (i = 1; desc->order % 2 && i <= 25; i++)
        if (result->by_centre[i])
            fprintf(to, "%scentre %2d: %11s",
                    printed++ % 3 ? "   "
                    : printed > 1 ? "\n  "
                                  : "  ",
                    i, common_commas(result->by_centre[i]));
    fprintf(to, "%s", printed ? "\n" : "");
    common_print_run(to, &result->run);
}

/* magic --list --first K --count K, or --output FILE: a range of the list in order. */
static int list_range(combgpu_magic_list_desc *list)
{
    combgpu_magic_list_result result;
    combgpu_status status;
    combgpu_context *ctx = common_open("magic, a list");
    FILE *to;
    list->run = common.run;
    if (!list->path) list->solution = show;
    if (!list->path && common.json) json_open("squares", '[');
    status = combgpu_magic_list(ctx, list, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    if (!list->path && common.json) json_close();
    if (common.json) {
        json_u64("order", (uint64_t)list->order);
        json_u64("total", result.total);
        json_u64("first", list->first);
        json_u64("count", result.count);
        json_run(&result.run);
    } else if (list->path || !common.quiet) {
        to = common_summary(!list->path);
        fprintf(to, "order %d, %s: %s squares from number %s on, of %s\n", list->order,
                kinds[list->kind], common_commas(result.count), common_commas(list->first),
                common_commas(result.total));
        common_print_run(to, &result.run);
    }
    common.many_runs = 1; /* a list has no checkpoint: */
    if (result.run.status == COMBGPU_STOPPED && !common.run.shard_count)
        fprintf(stderr, "magic: go on with --first %llu\n",
                (unsigned long long)(list->first + result.count));
    return common_end(ctx, &result.run);
}

int main(int argc, char **argv)
{
    static int givens[64 * 64], values[64 * 64];
    const char *givens_text = NULL, *file = NULL, *values_text = NULL, *diagonal_range = NULL;
    combgpu_magic_estimate_desc estimated;
    combgpu_magic_desc desc;
    combgpu_magic_list_desc range;
    combgpu_magic_result result;
    combgpu_status status;
    combgpu_context *ctx;
    char label[40];
    int list = 0, constructs = 0, ordered = 0, estimates = 0, asks = 0, form = -1;
    memset(&desc, 0, sizeof desc);
    memset(&range, 0, sizeof range);
    memset(&estimated, 0, sizeof estimated);

    common_start(argc, argv, help);
    while (common_next())
        if (common_is("--order"))
            desc.order = (int)common_number(3, 10000);
        else if (common_is("--kind"))
            desc.kind = (combgpu_magic_kind)common_choice(kinds, KINDS);
        else if (common_is("--givens"))
            givens_text = common_text("numbers row by row with ? for free cells, or @FILE");
        else if (common_is("--list"))
            list = 1;
        else if (common_is("--frenicle"))
            desc.frenicle = 1;
        else if (common_is("--limit"))
            desc.limit = common_number(1, UINT64_MAX);
        else if (common_is("--first"))
            range.first = common_number(0, UINT64_MAX), ordered = 1;
        else if (common_is("--count"))
            range.count = common_number(1, UINT64_MAX), ordered = 1;
        else if (common_is("--output"))
            range.path = common_text("a file"), ordered = 1;
        else if (common_is("--text"))
            range.text = 1;
        else if (common_is("--checksum"))
            desc.checksum = 1;
        else if (common_is("--check"))
            file = common_text("a file of squares, or - for standard input");
        else if (common_is("--form"))
            form = common_choice(forms, 2);
        else if (common_is("--construct"))
            constructs = 1;
        else if (common_is("--numbers"))
            values_text = common_text("n*n whole numbers, or @FILE");
        else if (common_is("--sum"))
            desc.sum = (int)common_decimal(-2e9, 2e9, "a whole number");
        else if (common_is("--estimate"))
            estimates = 1;
        else if (common_is("--samples"))
            asks = (estimated.samples = common_number(1, UINT64_C(1) << 40)) != 0;
        else if (common_is("--error"))
            asks = (estimated.relative_error =
                        common_decimal(1e-9, 0.999, "a part of 1, as 0.001")) > 0;
        else if (common_is("--seed"))
            asks = 1, estimated.seed = common_number(0, UINT64_MAX);
        else if (common_is("--diagonals"))
            diagonal_range = common_text("a first configuration and perhaps a count, as 1000:20");
        else
            common_unknown();
    if (diagonal_range &&
        (file || constructs || estimates || desc.order || givens_text || values_text || list))
        common_usage("--diagonals goes without --check, --order, --givens, --numbers, --list, "
                     "--construct and --estimate");
    if (diagonal_range) return diagonals(diagonal_range);
    if (asks && !estimates) common_usage("--samples, --error and --seed need --estimate");
    if (estimates && (file || constructs || givens_text || values_text || list))
        common_usage("--estimate goes without --check, --givens, --numbers, --list and "
                     "--construct");
    if (estimates && desc.order) {
        estimated.order = desc.order;
        estimated.kind = desc.kind;
        return estimate(&estimated);
    }
    if (file && (constructs || desc.order || givens_text || list))
        common_usage("--check goes without --order, --givens, --list and --construct");
    if (form >= 0 && (!file || common.json))
        common_usage("--form needs --check, and goes without --json");
    if (file) return check(file, form);
    if (constructs && (givens_text || list || values_text))
        common_usage("--construct goes without --givens, --list and --numbers");
    if (constructs && desc.order) return construct(desc.order, desc.kind);
    if (values_text && (givens_text || ordered))
        common_usage("--numbers goes without --givens, --first, --count and --output");
    if (values_text) {
        read_values(values_text, values, &desc.order);
        desc.numbers = values;
    }
    if (desc.sum && !values_text) common_usage("--sum needs --numbers");
    if (givens_text) {
        read_givens(givens_text, givens, &desc.order);
        desc.givens = givens;
    }
    if (!desc.order) common_usage("--order N is needed; --help lists the options");
    if (desc.order > 6) common_usage("--order is %d; a search may have 3 to 6", desc.order);
    if (ordered && !list && !range.path)
        common_usage("%s needs --list or --output", range.count ? "--count" : "--first");
    if (ordered && desc.limit) common_usage("--limit goes without --first, --count and --output");
    if (range.text && !range.path) common_usage("--text needs --output");
    if (desc.frenicle && !list && !range.path) common_usage("--frenicle needs --list");
    if (ordered) {
        range.order = desc.order;
        range.kind = desc.kind;
        range.givens = desc.givens;
        range.frenicle = desc.frenicle;
        return list_range(&range);
    }

    snprintf(label, sizeof label, "magic, order %d", desc.order);
    ctx = common_open(label);
    desc.run = common.run;
    if (common.forecast) {
        combgpu_job *job = NULL;
        status = combgpu_magic_begin(ctx, &desc, &job);
        return common_forecast(ctx, status, job);
    }
    if (list) desc.solution = show;
    if (list && common.json) json_open("squares", '[');
    status = combgpu_magic(ctx, &desc, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    if (list && common.json) json_close();
    if (!list || !common.quiet || common.json) print_result(&desc, &result);
    return common_end(ctx, &result.run);
}
