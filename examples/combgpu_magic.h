/* combgpu magic: counts, lists, completes, checks, makes and estimates magic squares. */
#ifndef COMBGPU_EXAMPLES_MAGIC_H
#define COMBGPU_EXAMPLES_MAGIC_H

#include "combgpu_magic_numbers.h"
#include "combgpu_parts.h"
#include "combgpu_picture.h"

static const char *const magic_kinds[] = {"normal",     "semimagic", "pandiagonal",  "associative",
                                          "ultramagic", "bimagic",   "most-perfect", "franklin"};

static int magic_givens[64 * 64];

static void print_square(FILE *to, const int *square, int order)
{
    int i, width = snprintf(NULL, 0, "%d", order * order);
    for (i = 0; i < order * order; i++) {
        int wide = snprintf(NULL, 0, "%d", square[i]);
        if (wide > width) width = wide;
    }
    for (i = 0; i < order * order; i++)
        fprintf(to, "%*d%s", width, square[i],
                i + 1 < order * order && (given(OPTION_ONE_LINE) || i % order < order - 1) ? " "
                                                                                           : "\n");
}

/* Lists and draws a square, if asked to. */
static void show_square(const int *square, int order, const char *title)
{
    const int *marked = given(OPTION_GIVENS) && !given(OPTION_FRENICLE) ? magic_givens : NULL;
    if (list.begun) {
        list_item_begin();
        if (!list_item(NULL, square)) {
            print_square(list.to, square, order);
            if (!given(OPTION_ONE_LINE)) fputs("\n", list.to);
        }
        list_item_end();
    }
    if (!pictures_wanted()) return;
    if (!*title && picture_may_be_alone())
        picture_alone(square_picture(square, order, picture_title(""), marked));
    picture_add(square_picture(square, order, title, marked));
}

static void square_title(char *title, size_t size, int order)
{
    uint64_t kind = number_of(OPTION_KIND, COMBGPU_MAGIC_NORMAL);
    snprintf(title, size, "%s square of order %d",
             kind == COMBGPU_MAGIC_NORMAL ? "Magic" : magic_kinds[kind], order);
}

/* The library's solution callback. */
static int magic_show(const int *square, int order, void *user)
{
    char title[40] = "";
    const uint64_t *limit = (const uint64_t *)user;
    if (*limit == 1) square_title(title, sizeof title, order);
    show_square(square, order, *limit == 1 ? picture_title(title) : "");
    return stop_wanted();
}

static void magic_list_begin(int order, int values_fit_byte)
{
    list_begin("squares", NULL, order, order, values_fit_byte && order < 16 ? 1 : 4);
}

/* ---- texts on the command line */

/* --givens: numbers, and 0, ?, . or _ for a free cell. Derives *order from their count if it is 0. */
static void read_givens(int *order)
{
    static const char ends[] = " \t\r\n,;|/[]";
    char *text = text_or_file(OPTION_GIVENS), *at;
    int count = 0;
    for (at = strtok(text, ends); at && count < 64 * 64; at = strtok(NULL, ends)) {
        uint64_t value = 0;
        if ((at[1] || !strchr(FREE_CELLS, *at)) && (!parse_u64(at, &value) || value > INT_MAX))
            usage("--givens: number %d is \"%.20s\"; it may be a whole number from 1 on, or 0, ?, "
                  ". or _ for a free cell",
                  count + 1, at);
        magic_givens[count++] = (int)value;
    }
    free(text);
    order_of_count(OPTION_GIVENS, "cells", count, order);
}

/* ---- --check */

/* The properties of squares, in JSON and in reports. */
enum { MAGIC_PROPERTIES = 13 };

static const struct {
    const char *name, *text;
    size_t at; /* in the report */
} magic_properties[MAGIC_PROPERTIES] = {
#define PROPERTY(field, text)                                                                      \
    {                                                                                              \
#field, text, offsetof(combgpu_magic_report, is_##field)                                   \
    }
    PROPERTY(permutation, "normal: 1 to n*n once each"),
    PROPERTY(semimagic, "semi-magic: rows and columns"),
    PROPERTY(magic, "magic: and both diagonals"),
    PROPERTY(pandiagonal, "pandiagonal: and all broken diagonals"),
    PROPERTY(associative, "associative: opposite cells add up to n*n + 1"),
    PROPERTY(ultramagic, "ultramagic: pandiagonal and associative"),
    PROPERTY(bimagic, "bimagic: squares of the numbers, too"),
    PROPERTY(trimagic, "trimagic: cubes, too"),
    PROPERTY(most_perfect, "most-perfect: 2 x 2 blocks, and complements half a diagonal apart"),
    PROPERTY(franklin, "Franklin: half rows and columns, bent diagonals, 2 x 2 blocks"),
    PROPERTY(self_complementary, "self-complementary: the complement is an image of it"),
    PROPERTY(concentric, "concentric: every inner square has one sum"),
    PROPERTY(frenicle, "in Frenicle form"),
#undef PROPERTY
};

static int magic_property(const combgpu_magic_report *report, int property)
{
    int has;
    memcpy(&has, (const char *)report + magic_properties[property].at, sizeof has);
    return has != 0 && report->is_permutation;
}

static const char *magic_property_text(int property)
{
    return !property && given(OPTION_NUMBERS) ? "the numbers of --numbers once each"
                                              : magic_properties[property].text;
}

static void json_magic_properties(const uint64_t *having)
{
    int k;
    for (k = 0; k < MAGIC_PROPERTIES; k++)
        if (!given(OPTION_NUMBERS) || judged_with_numbers(magic_properties[k].name))
            json_u64(magic_properties[k].name, having[k]);
}

static void say_magic_report(const combgpu_magic_report *report, const int *square, int order,
                             int type)
{
    static const char *const types[13] = {"",    "I",    "II", "III", "IV", "V",  "VI",
                                          "VII", "VIII", "IX", "X",   "XI", "XII"};
    int i;
    if (!json_wanted()) print_square(stdout, square, order);
    say("rows     ");
    for (i = 0; i < order; i++)
        say(" %lld", (long long)report->rows[i]);
    say("\ncolumns  ");
    for (i = 0; i < order; i++)
        say(" %lld", (long long)report->columns[i]);
    say("\ndiagonals %lld %lld; the magic sum is %lld\n", (long long)report->diagonals[0],
        (long long)report->diagonals[1], (long long)report->magic_sum);
    if (report->wrong[0]) say("%s (rows and columns from 0)\n", report->wrong);
    if (report->wrong_lines)
        say("%d rows, columns and diagonals have a wrong sum\n", report->wrong_lines);
    if (order == 4)
        say("corners   %lld; inner square %lld%s\n", (long long)report->corners,
            (long long)report->middle,
            report->is_magic ? ": the magic sum, as in every magic square of order 4" : "");
    for (i = 0; i < MAGIC_PROPERTIES; i++)
        if (magic_property(report, i)) say("%s\n", magic_property_text(i));
    if (report->is_semimagic && !report->is_magic) say("semimagic only: a diagonal is wrong\n");
    if (report->inner_squares && !report->is_concentric && !given(OPTION_NUMBERS))
        say("with %d inner square%s of one sum\n", report->inner_squares,
            report->inner_squares == 1 ? "" : "s");
    if (type) say("of Dudeney's class %s\n", types[type]);
    if (!report->is_semimagic) say("not magic\n");
}

/* The order of a list's squares; `known`: the expected one, or 0. */
static int order_of_table(const table *t, const char *path, int known)
{
    const int *row;
    size_t length = table_get(t, 0, &row), side = 1, sum = 0, i;
    if (t->in_one_row) {
        while (side * side < length)
            side++;
        if (side * side != length)
            usage("--check %.200s: %d numbers do not form a square", path, (int)length);
        length = side;
    }
    for (i = 0; i < length; i++)
        sum += (size_t)row[i];
    while (side * side < length)
        side++;
    if (side * side == length && (known ? side == (size_t)known : 2 * sum == length * (length + 1)))
        length = side; /* one a line */
    if (length < 1 || length > 64)
        usage("--check %.200s: the first row has %d numbers; it may have 1 to 64", path,
              (int)length);
    if (t->count % (length * length)) {
        char one_a_line[60] = "";
        if (side * side == length && !known)
            snprintf(one_a_line, sizeof one_a_line, "; --order %d reads a square from each line",
                     (int)side);
        usage("--check %.200s: square %llu ends after %d numbers; order %d needs %d%s", path,
              (unsigned long long)(t->count / (length * length) + 1),
              (int)(t->count % (length * length)), (int)length, (int)(length * length), one_a_line);
    }
    return (int)length;
}

static combgpu_status show_form(combgpu_context *ctx, const int *square, int order)
{
    static int out[64 * 64];
    combgpu_status status = number_of(OPTION_FORM, 0)
                                ? combgpu_magic_canonical(ctx, order, square, out)
                                : combgpu_magic_frenicle(ctx, order, square, out);
    if (status >= 0) show_square(out, order, "");
    return status;
}

/* magic --check FILE: 0 if all squares are magic, 1 if not. */
static int magic_check(void)
{
    const char *path = text_of(OPTION_CHECK);
    size_t bytes, squares = 0, i;
    char *text;
    int order = int_of(OPTION_ORDER, 1, 15, 0), type = 0, k, end;
    uint64_t dudeney[12] = {0}, magic = 0, having[MAGIC_PROPERTIES] = {0};
    uint64_t first_wrong = 0;
    combgpu_magic_report report;
    combgpu_run_info info;
    combgpu_context *ctx;
    table t;
    memset(&info, 0, sizeof info);
    run.many = 1; /* there is nothing to resume */
    if (given(OPTION_NUMBERS)) numbers_begin(&order);
    text = read_file("--check", path, &bytes);
    read_table(&t, text, bytes, OPTION_CHECK, (size_t)order * (size_t)order);
    free(text);
    k = order_of_table(&t, path, order);
    if (order && order != k)
        usage("--order is %d; the squares of --check %.200s are of order %d", order, path, k);
    order = k;
    ctx = open_cpu("magic");
    if (given(OPTION_FORM) || list_wanted()) magic_list_begin(order, 0);
    for (i = 0; i < t.count && !stop_wanted(); i += (size_t)(order * order)) {
        const int *square = t.numbers + i;
        combgpu_status status = combgpu_magic_check(ctx, order, square, &report);
        type = 0;
        if (status >= 0 && given(OPTION_NUMBERS)) numbers_check(order, square, &report);
        if (order == 4 && report.is_magic && !given(OPTION_NUMBERS))
            combgpu_magic_dudeney(ctx, square, &type);
        if (type) dudeney[type - 1]++;
        if (status >= 0 && given(OPTION_FORM))
            status = show_form(ctx, square, order);
        else if (status >= 0 && (list_wanted() || pictures_wanted()))
            show_square(square, order, "");
        if (status < 0) return failed(ctx, status);
        squares++;
        magic += report.is_magic != 0;
        for (k = 0; k < MAGIC_PROPERTIES; k++)
            having[k] += (uint64_t)magic_property(&report, k);
        if (!report.is_magic && !first_wrong) first_wrong = squares;
    }
    info.status = i < t.count ? COMBGPU_STOPPED : COMBGPU_OK;
    list_end();
    pictures_end("");
    json_status(info.status);
    json_u64("order", (uint64_t)order);
    json_u64(list.format == LIST_IN_JSON ? "count" : "squares", squares); /* no key twice */
    json_magic_properties(having);
    if (first_wrong) json_u64("first_wrong", first_wrong);
    if (!given(OPTION_NUMBERS)) {
        json_open("dudeney", '[');
        for (k = 0; order == 4 && k < 12; k++)
            json_u64(NULL, dudeney[k]);
        json_close();
    }
    if (given(OPTION_FORM) || list_wanted()) {
        /* people want just the squares */
    } else if (squares == 1 && !info.status) {
        say_magic_report(&report, t.numbers, order, type);
    } else {
        say("%s squares of order %d%s: %s magic, %s not magic\n", commas(squares), order,
            so_far(info.status), commas(magic), commas(squares - magic));
        for (k = 0; k < MAGIC_PROPERTIES; k++)
            if (having[k] && strcmp(magic_properties[k].name, "magic"))
                say("%12s %s\n", commas(having[k]), magic_property_text(k));
        if (first_wrong) say("square %s is the first that is not magic\n", commas(first_wrong));
    }
    table_free(&t);
    end = finish(ctx, &info);
    return end ? end : magic != squares;
}

/* ---- --construct, --estimate, --diagonals */

static int magic_construct(int order, combgpu_magic_kind kind)
{
    int *square;
    combgpu_context *ctx;
    combgpu_status status;
    char title[60];
    int x, y;
    if (kind > COMBGPU_MAGIC_BIMAGIC)
        usage("--construct: --kind is %s; it may be normal, semimagic, pandiagonal, associative, "
              "ultramagic or bimagic",
              magic_kinds[kind]);
    square = (int *)malloc((size_t)order * (size_t)order * sizeof(int));
    if (!square) usage("--order is %d, which needs more memory than is available", order);
    if (pictures_wanted() && order > 100) usage("--svg: order %d; it may be up to 100", order);
    ctx = open_cpu("magic");
    status = combgpu_magic_construct_kind(ctx, order, kind, square);
    if (status < 0) {
        free(square);
        return failed(ctx, status);
    }
    if (list_wanted()) magic_list_begin(order, 1);
    square_title(title, sizeof title, order);
    show_square(square, order, picture_title(title));
    if (!json_wanted() && !list_wanted() && output_on_stdout() < 0)
        print_square(stdout, square, order);
    list_end();
    pictures_end("");
    json_status(COMBGPU_OK);
    json_u64("order", (uint64_t)order);
    json_open("square", '[');
    for (y = 0; y < order; y++) {
        json_open(NULL, '[');
        for (x = 0; x < order; x++)
            json_i64(NULL, square[y * order + x]);
        json_close();
    }
    json_close();
    free(square);
    return finish(ctx, NULL);
}

/* Formats a count, perhaps far above 2^64, to the digits that its error leaves. */
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

/* An estimate's error in JSON; null if unknown. */
static void json_error(const char *key, double error)
{
    json_known(key, error > 0 ? error : -1);
}

static void tell_magic_estimate(const combgpu_magic_estimate_desc *desc,
                                const combgpu_magic_estimate_result *r)
{
    char text[2][32];
    /* where the error is unknown, two digits */
    const double error = r->standard_error > 0 ? r->standard_error : r->count / 10;
    json_u64("order", (uint64_t)desc->order);
    json_string("kind", magic_kinds[desc->kind]);
    json_double("count", r->count);
    json_error("standard_error", r->standard_error);
    json_double("up_to_d4", r->up_to_d4);
    json_error("relative_error", r->relative_error);
    json_error("error_of_error", r->error_of_error);
    json_error("low", r->low);
    json_error("high", r->high);
    json_u64("samples", r->samples);
    json_u64("seed", desc->seed);
    say("order %d, %s: ", desc->order, magic_kinds[desc->kind]);
    if (r->count > 0)
        say("about %s squares, %s up to rotation and reflection\n",
            about(r->count, error, text[0], sizeof text[0]),
            about(r->up_to_d4, error / 8, text[1], sizeof text[1]));
    else
        say("no sample found a square: take more samples\n");
    if (r->standard_error > 0)
        say("  standard error %.2g (%.3g %%", r->standard_error, 100 * r->relative_error);
    else
        say("  standard error not known");
    if (r->error_of_error > 0) say(", itself +-%.2g %%", 100 * r->error_of_error);
    say("%s, %s sample%s, seed %llu\n", r->standard_error > 0 ? ")" : "", commas(r->samples),
        r->samples == 1 ? "" : "s", (unsigned long long)desc->seed);
    if (r->low > 0)
        say("  95 %%: %s to %s squares\n", about(r->low, error, text[0], sizeof text[0]),
            about(r->high, error, text[1], sizeof text[1]));
    else if (r->count > 0)
        say("  95 %% interval not known: too few samples\n");
    tell_run(&r->run);
}

static int magic_estimate(int order, combgpu_magic_kind kind)
{
    combgpu_magic_estimate_desc desc;
    static combgpu_magic_estimate_result result;
    combgpu_status status;
    combgpu_job *job = NULL;
    combgpu_context *ctx;
    char label[40];
    memset(&desc, 0, sizeof desc);
    desc.order = order;
    desc.kind = kind;
    desc.samples = number_of(OPTION_SAMPLES, 0);
    desc.relative_error = decimal_of(OPTION_ERROR, 0);
    desc.seed = number_of(OPTION_SEED, 0);
    if (kind > COMBGPU_MAGIC_ULTRAMAGIC)
        usage("--estimate: --kind is %s; it may be normal, semimagic, pandiagonal, associative or "
              "ultramagic",
              magic_kinds[kind]);
    snprintf(label, sizeof label, "magic, order %d, estimate", order);
    ctx = open_context(label);
    desc.run = run.desc;
    if (given(OPTION_FORECAST))
        return forecast(ctx, combgpu_magic_estimate_begin(ctx, &desc, &job), &job);
    status = ended(ctx, combgpu_magic_estimate(ctx, &desc, &result), &result.run);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    tell_magic_estimate(&desc, &result);
    return finish(ctx, &result.run);
}

static void tell_diagonals(const combgpu_magic_diagonals_desc *desc,
                           const combgpu_magic_diagonals_result *result)
{
    json_u64("order", 6);
    json_u64("first", desc->first);
    json_u64("configurations", desc->count);
    say("order 6, diagonals %llu to %llu", (unsigned long long)desc->first,
        (unsigned long long)(desc->first + desc->count - 1));
    tell_u64("squares", ": %s squares", result->squares);
    say("%s, %s with their images\n", so_far(result->run.status), u128_text(result->count));
    tell_run(&result->run);
}

/* For --parts: the search, and the last result. */
typedef struct diagonals_part {
    const combgpu_magic_diagonals_desc *desc;
    combgpu_magic_diagonals_result result;
} diagonals_part;

static combgpu_status diagonals_part_begin(combgpu_context *ctx, const combgpu_run_desc *desc,
                                           combgpu_job **job, void *user)
{
    combgpu_magic_diagonals_desc part = *((const diagonals_part *)user)->desc;
    part.run = *desc;
    return combgpu_magic_diagonals_begin(ctx, &part, job);
}

static combgpu_status diagonals_part_end(combgpu_job *job, char *sums, size_t size,
                                         combgpu_run_info *info, void *user)
{
    combgpu_magic_diagonals_result *result = &((diagonals_part *)user)->result;
    combgpu_status status = combgpu_magic_diagonals_end(job, result);
    *info = result->run;
    snprintf(sums, size, "\"squares\": %llu", (unsigned long long)result->squares);
    return status;
}

static void diagonals_parts_print(void *user)
{
    const diagonals_part *part = (const diagonals_part *)user;
    tell_diagonals(part->desc, &part->result);
}

static int diagonals_parts(const combgpu_magic_diagonals_desc *desc)
{
    parts_search search;
    diagonals_part part;
    char what[100];
    part.desc = desc;
    snprintf(what, sizeof what, "magic, order 6, diagonals %llu:%llu",
             (unsigned long long)desc->first, (unsigned long long)desc->count);
    search.name = "magic, diagonals";
    search.what = what;
    search.begin = diagonals_part_begin;
    search.end = diagonals_part_end;
    search.print = diagonals_parts_print;
    search.user = &part;
    return parts_main(&search);
}

static int magic_diagonals(void)
{
    const char *range = text_of(OPTION_DIAGONALS);
    combgpu_magic_diagonals_desc desc;
    static combgpu_magic_diagonals_result result;
    combgpu_status status;
    combgpu_job *job = NULL;
    combgpu_context *ctx;
    size_t length;
    char first[24];
    memset(&desc, 0, sizeof desc);
    desc.count = 1;
    length = strcspn(range, ":");
    snprintf(first, sizeof first, "%.23s", length < sizeof first ? range : "");
    first[length < sizeof first ? length : 0] = 0;
    range += length;
    if (!parse_u64(first, &desc.first) || (*range && !parse_u64(range + 1, &desc.count)))
        usage("--diagonals needs a first configuration and perhaps a count, as 1000:20");
    if (parts_wanted()) return diagonals_parts(&desc);
    ctx = open_context("magic, order 6, diagonals");
    desc.run = run.desc;
    if (given(OPTION_FORECAST))
        return forecast(ctx, combgpu_magic_diagonals_begin(ctx, &desc, &job), &job);
    status = ended(ctx, combgpu_magic_diagonals(ctx, &desc, &result), &result.run);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    tell_diagonals(&desc, &result);
    return finish(ctx, &result.run);
}

/* ---- counts and lists */

/* The number whose rank is i, from 1. */
static int centre_number(const combgpu_magic_desc *desc, int i)
{
    int j, k, smaller;
    for (j = 0; desc->numbers && j < desc->order * desc->order; j++) {
        for (k = smaller = 0; k < desc->order * desc->order; k++)
            smaller += desc->numbers[k] < desc->numbers[j];
        if (smaller == i - 1) return desc->numbers[j];
    }
    return i;
}

/* How many squares have each number in their centre, three a line. */
static void tell_centres(const combgpu_magic_desc *desc, const uint64_t *by_centre)
{
    char number[16];
    int i, told = 0;
    json_open("by_centre", '{');
    for (i = 1; i <= 25; i++) {
        if (!by_centre[i]) continue;
        snprintf(number, sizeof number, "%d", centre_number(desc, i));
        json_u64(number, by_centre[i]);
        say("%scentre %2s: %11s",
            told % 3 ? "   "
            : told   ? "\n  "
                     : "  ",
            number, commas(by_centre[i]));
        told++;
    }
    if (told) say("\n");
    json_close();
}

static void tell_magic_result(const combgpu_magic_desc *desc, const combgpu_magic_result *result)
{
    json_u64("order", (uint64_t)desc->order);
    say("order %d", desc->order);
    tell_string("kind", ", %s", magic_kinds[desc->kind]);
    tell_u64("count", ": %s square", result->count);
    say("%s%s", result->count == 1 ? "" : "s",
        result->run.status == COMBGPU_FOUND ? " so far (--limit)" : so_far(result->run.status));
    tell_u64("up_to_d4", ", %s up to rotation and reflection\n", result->up_to_d4);
    if (result->up_to_m_group)
        tell_u64("up_to_m_group", "%s up to the M-group\n", result->up_to_m_group);
    if (desc->order % 2) tell_centres(desc, result->by_centre);
    tell_run(&result->run);
}

static void magic_gallery(const combgpu_magic_desc *desc, uint64_t count)
{
    char title[120];
    snprintf(title, sizeof title, "%s magic squares of order %d%s%s", commas(count), desc->order,
             desc->kind ? ", " : "", desc->kind ? magic_kinds[desc->kind] : "");
    pictures_end(title);
}

/* Warns that a list in order begins only after all squares are found. */
static void note_order(const combgpu_magic_desc *desc)
{
    if (given(OPTION_QUIET) || desc->givens || desc->order < 5 ||
        (desc->order == 5 && desc->kind != COMBGPU_MAGIC_SEMI))
        return;
    fprintf(stderr,
            "%s: a list in order first finds and sorts all squares; --limit K lists any K "
            "as they are found\n",
            cmd.program);
}

/* Lists a range in order. The library itself writes text and bytes to a file. */
static int magic_range(const combgpu_magic_desc *like)
{
    combgpu_magic_list_desc desc;
    combgpu_magic_list_result result;
    combgpu_status status;
    combgpu_context *ctx;
    uint64_t first = 0;
    int broken;
    enum list_format format = list_format();
    int whole_file = given(OPTION_OUTPUT) && strcmp(text_of(OPTION_OUTPUT), "-") &&
                     (format == LIST_TEXT || format == LIST_BYTES) && !pictures_wanted() &&
                     !given(OPTION_ONE_LINE);
    if (text_of(OPTION_FIRST) && !parse_u64(text_of(OPTION_FIRST), &first))
        wrong_value(OPTION_FIRST, text_of(OPTION_FIRST), options[OPTION_FIRST].may_be);
    memset(&desc, 0, sizeof desc);
    desc.order = like->order;
    desc.kind = like->kind;
    desc.givens = like->givens;
    desc.frenicle = like->frenicle;
    desc.first = first;
    desc.count = number_of(OPTION_COUNT, 0);
    if (given(OPTION_FORECAST)) usage("--forecast cannot be combined with a list in order");
    if (given(OPTION_CHECKSUM)) usage("--checksum cannot be combined with a list in order");
    ctx = open_context("magic, a list");
    note_order(like);
    desc.run = run.desc;
    desc.solution_user = (void *)&like->limit;
    if (whole_file) {
        desc.path = text_of(OPTION_OUTPUT);
        desc.text = format == LIST_TEXT;
    } else {
        desc.solution = magic_show;
        if (list_wanted()) magic_list_begin(desc.order, 1);
    }
    status = combgpu_magic_list(ctx, &desc, &result);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    broken = list_end();
    magic_gallery(like, result.count);
    if (summary() == stdout || !given(OPTION_QUIET)) {
        json_u64("order", (uint64_t)desc.order);
        json_u64("total", result.total);
        json_u64("first", desc.first);
        json_u64("count", result.count);
        say("order %d, %s: %s square%s %sfrom number %s on, of %s\n", desc.order,
            magic_kinds[desc.kind], commas(result.count), result.count == 1 ? "" : "s",
            given(OPTION_SHARD) ? "of those " : "", commas(desc.first), commas(result.total));
        tell_run(&result.run);
    }
    run.many = 1; /* a list has no checkpoint: */
    if (result.run.status == COMBGPU_STOPPED && !result.total)
        fprintf(stderr, "%s: stopped before the first square of the list\n", cmd.program);
    else if (result.run.status == COMBGPU_STOPPED && !run.desc.shard_count && !broken &&
             !ferror(stdout)) /* else it is not known what was written */
        fprintf(stderr, "%s: resume with --first %llu\n", cmd.program,
                (unsigned long long)(desc.first + result.count));
    return finish(ctx, &result.run);
}

/* For --parts: the search, and the last result. */
typedef struct magic_part {
    const combgpu_magic_desc *desc;
    combgpu_magic_result result;
} magic_part;

static combgpu_status magic_part_begin(combgpu_context *ctx, const combgpu_run_desc *desc,
                                       combgpu_job **job, void *user)
{
    combgpu_magic_desc part = *((const magic_part *)user)->desc;
    part.run = *desc;
    return combgpu_magic_begin(ctx, &part, job);
}

static combgpu_status magic_part_end(combgpu_job *job, char *sums, size_t size,
                                     combgpu_run_info *info, void *user)
{
    magic_part *part = (magic_part *)user;
    combgpu_magic_result *result = &part->result;
    combgpu_status status = combgpu_magic_end(job, result);
    const int order = part->desc->order, last = order < 5 ? order * order : 25;
    size_t at;
    int i;
    *info = result->run;
    at = (size_t)snprintf(sums, size, "\"count\": %llu, \"up_to_d4\": %llu, \"by_centre\": {",
                          (unsigned long long)result->count, (unsigned long long)result->up_to_d4);
    for (i = 1; order % 2 && i <= last; i++) /* all of them: every line has the same keys */
        at += (size_t)snprintf(sums + at, size - at, "%s\"%d\": %llu", i > 1 ? ", " : "",
                               centre_number(part->desc, i),
                               (unsigned long long)result->by_centre[i]);
    snprintf(sums + at, size - at, "}");
    return status;
}

static void magic_parts_print(void *user)
{
    const magic_part *part = (const magic_part *)user;
    tell_magic_result(part->desc, &part->result);
}

/* Returns a hash of the numbers; 0 for NULL. */
static uint64_t numbers_hash(const int *numbers, int count)
{
    uint64_t hash = 0;
    int i;
    for (i = 0; numbers && i < count; i++)
        hash = parts_hash(hash, (uint64_t)(int64_t)numbers[i]);
    return hash;
}

static int magic_parts(const combgpu_magic_desc *desc)
{
    int cells = desc->order * desc->order;
    uint64_t givens = numbers_hash(desc->givens, cells);
    uint64_t numbers = numbers_hash(desc->numbers, cells);
    char what[200], more[100] = "";
    parts_search search;
    magic_part part;
    part.desc = desc;
    if (givens) snprintf(more, sizeof more, ", givens %016llx", (unsigned long long)givens);
    if (numbers)
        snprintf(more, sizeof more, ", numbers %016llx, sum %d", (unsigned long long)numbers,
                 desc->sum);
    snprintf(what, sizeof what, "magic, order %d, %s%s%s", desc->order, magic_kinds[desc->kind],
             more, desc->checksum ? ", checksum" : "");
    search.name = "magic";
    search.what = what;
    search.begin = magic_part_begin;
    search.end = magic_part_end;
    search.print = magic_parts_print;
    search.user = &part;
    return parts_main(&search);
}

static int magic_search(combgpu_magic_desc *desc)
{
    static combgpu_magic_result result;
    combgpu_status status;
    combgpu_job *job = NULL;
    combgpu_context *ctx;
    char label[40];
    snprintf(label, sizeof label, "magic, order %d", desc->order);
    ctx = open_context(label);
    desc->run = run.desc;
    if (given(OPTION_FORECAST)) return forecast(ctx, combgpu_magic_begin(ctx, desc, &job), &job);
    if (given(OPTION_LIST) || list_wanted() || pictures_wanted()) { /* --merge: that of lists */
        desc->solution = magic_show;
        desc->solution_user = &desc->limit;
    }
    if (list_wanted()) magic_list_begin(desc->order, !desc->numbers);
    if (list.begun) desc->run.resume = list.resumed; /* see list_begin */
    status = ended(ctx, combgpu_magic(ctx, desc, &result), &result.run);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    if (status == COMBGPU_OK) list_complete(desc->frenicle ? result.up_to_d4 : result.count);
    list_end();
    magic_gallery(desc, pictures.count);
    if (summary() == stdout || !given(OPTION_QUIET)) tell_magic_result(desc, &result);
    return finish(ctx, &result.run);
}

/* Ends the program if options do not go together. */
static void magic_options_fit(int order)
{
    static const int actions[] = {OPTION_CHECK,     OPTION_CONSTRUCT, OPTION_ESTIMATE,
                                  OPTION_DIAGONALS, OPTION_GIVENS,    -1};
    static const int no_numbers[] = {OPTION_CONSTRUCT, OPTION_ESTIMATE, OPTION_DIAGONALS,
                                     OPTION_GIVENS, -1};
    static const int no_list[] = {OPTION_LIST,  OPTION_FORMAT, OPTION_OUTPUT, OPTION_FIRST,
                                  OPTION_COUNT, OPTION_LIMIT,  OPTION_SVG,    -1};
    static const int no_kind[] = {OPTION_KIND, OPTION_FRENICLE, OPTION_CHECKSUM, -1};
    static const int no_limit[] = {OPTION_FIRST, OPTION_COUNT, -1};
    /* a list in order has no checkpoint: --first continues it */
    static const int no_place[] = {OPTION_CHECKPOINT, OPTION_MERGE, -1};
    static const int no_parts[] = {OPTION_CHECK, OPTION_CONSTRUCT, OPTION_ESTIMATE, OPTION_FRENICLE,
                                   -1};
    static const int no_search[] = {OPTION_FRENICLE, OPTION_CHECKSUM, OPTION_FIRST,
                                    OPTION_COUNT,    OPTION_LIMIT,    -1};
    static const int no_kind_of_list[] = {OPTION_KIND, -1}; /* it reports their kinds */
    exclusive(actions);
    goes_without(OPTION_NUMBERS, no_numbers);
    goes_without(OPTION_CHECK, no_search);
    goes_without(OPTION_CHECK, no_kind_of_list);
    searches_nothing(OPTION_CHECK);
    goes_without(OPTION_CONSTRUCT, no_search);
    searches_nothing(OPTION_CONSTRUCT);
    goes_without(OPTION_ESTIMATE, no_list);
    goes_without(OPTION_DIAGONALS, no_list);
    goes_without(OPTION_DIAGONALS, no_kind);
    goes_without(OPTION_ESTIMATE, no_kind + 1);
    if (!given(OPTION_FORECAST)) goes_with(OPTION_SAMPLES, OPTION_ESTIMATE);
    goes_with(OPTION_ERROR, OPTION_ESTIMATE);
    if (!given(OPTION_FORECAST)) goes_with(OPTION_SEED, OPTION_ESTIMATE);
    goes_with(OPTION_FORM, OPTION_CHECK);
    goes_with(OPTION_SUM, OPTION_NUMBERS);
    goes_without(OPTION_LIMIT, no_limit);
    goes_without(OPTION_FIRST, no_place);
    goes_without(OPTION_COUNT, no_place);
    if (given(OPTION_CHECK))
        goes_with(OPTION_ONE_LINE, OPTION_FORM);
    else if (given(OPTION_ONE_LINE) && !given(OPTION_LIST) && !list_wanted() &&
             !given(OPTION_CONSTRUCT))
        usage("--one-line needs --list");
    if (given(OPTION_DIAGONALS) && order && order != 6)
        usage("--diagonals needs --order 6, not %d", order);
    goes_without(OPTION_PARTS, no_parts);
}

static int command_magic(void)
{
    combgpu_magic_desc desc;
    int ordered;
    memset(&desc, 0, sizeof desc);
    desc.order = int_of(OPTION_ORDER, 1, 10000, 0);
    desc.kind = (combgpu_magic_kind)number_of(OPTION_KIND, 0);
    desc.frenicle = given(OPTION_FRENICLE);
    desc.limit = number_of(OPTION_LIMIT, 0);
    desc.checksum = given(OPTION_CHECKSUM);
    magic_options_fit(desc.order);
    if (given(OPTION_DIAGONALS)) return magic_diagonals();
    if (given(OPTION_CHECK)) return magic_check();
    if (given(OPTION_NUMBERS)) {
        read_values(&desc.order);
        desc.numbers = magic_numbers;
        if (given(OPTION_SUM)) check_line_sum(desc.order);
    }
    if (given(OPTION_GIVENS)) {
        read_givens(&desc.order);
        desc.givens = magic_givens;
    }
    if (!desc.order) usage("--order N is needed; --help lists the options");
    if (given(OPTION_CONSTRUCT)) return magic_construct(desc.order, desc.kind);
    if (given(OPTION_ESTIMATE)) return magic_estimate(desc.order, desc.kind);
    if (desc.order > 10) usage("--order is %d; a search needs 1 to 10", desc.order);
    if (parts_wanted()) return magic_parts(&desc);

    ordered = given(OPTION_FIRST) || given(OPTION_COUNT) ||
              (given(OPTION_OUTPUT) && !given(OPTION_LIMIT) && !given(OPTION_CHECKPOINT) &&
               !given(OPTION_SHARD) && !desc.numbers); /* a list in order has other shards */
    if ((given(OPTION_FIRST) || given(OPTION_COUNT)) && !given(OPTION_LIST) && !list_wanted() &&
        !pictures_wanted())
        usage("%s needs --list or --output", given(OPTION_COUNT) ? "--count" : "--first");
    if (ordered && desc.numbers) usage("--numbers cannot be combined with --first and --count");
    if (desc.frenicle && !given(OPTION_LIST) && !list_wanted() && !pictures_wanted())
        usage("--frenicle needs --list");
    return ordered ? magic_range(&desc) : magic_search(&desc);
}

#endif
