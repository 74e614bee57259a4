/* No-three-in-line: places 2n points on an n x n grid so that no three lie on one line.

       cc -O3 -fopenmp examples/no3.c -o no3
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/no3.c -o no3
       cc -O3 -DCOMBGPU_OPENCL examples/no3.c -o no3 -lOpenCL

       ./no3 --n 10                         all solutions, counted by symmetry class
       ./no3 --n 10 --first --draw          one of them, drawn
       ./no3 --n 22 --class rot4 --rle      those with a quarter turn, as Life patterns
       ./no3 --n 32 --class rot4 --first --seed 1 --time-limit 60 --svg >one.svg
       ./no3 --n 10 --on 0,0 --on 1,0       all with these two points
       ./no3 --check board.rle              is this a solution? */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_NO3
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "no3 - all ways to place 2n points on an n x n grid, no three in line\n\n"
    "  no3 --n 10                    counts the solutions, by symmetry class\n"
    "  no3 --n 10 --first --draw     draws one\n"
    "  no3 --check FILE              says whether the board in an RLE file is one\n\n"
    "Options:\n"
    "  --n N               side of the grid, 2 to 64 (without --class: 32)\n"
    "  --class NAME        only solutions with this symmetry: dia1, ort1, rot2,\n"
    "                      near_rot4, dia2, rot4, ort2, full (default: all)\n"
    "  --list              print each solution: class, columns of row 0, row 1 ...\n"
    "  --rle               print each as a run-length encoded Life pattern\n"
    "  --flammenkamp       print each as a line of A. Flammenkamp's code\n"
    "  --draw              print each as a picture of characters\n"
    "  --svg               print the first one as an SVG picture\n"
    "  --first             stop at the first solution\n"
    "  --seed S            search in a random order that S gives: for the first\n"
    "                      solution of a large side, with --first, --time-limit\n"
    "  --on X,Y            only boards with a point in column X of row Y, from 0;\n"
    "                      may be given again\n"
    "  --off X,Y           only boards without one there\n"
    "  --fixed FILE        the same from a drawing, a line a row: o a point, - none,\n"
    "                      . either\n"
    "  --limit K           stop after K solutions\n"
    "  --every-orientation print all rotations and reflections of a solution too\n"
    "  --check FILE        check a board: RLE or a line of Flammenkamp's code,\n"
    "                      and print it in the form asked for; - is standard input\n";

/* How solutions are shown, and with what. */
typedef struct output {
    combgpu_context *ctx;
    int list, rle, draw, flammenkamp, svg;
} output;

/* One board as text, in the form that `write` makes. */
typedef combgpu_status (*board_writer)(combgpu_context *ctx, int n, const uint64_t *rows,
                                       char *text, size_t bytes, size_t *needed);

static void print_as(board_writer write, combgpu_context *ctx, const uint64_t *rows, int n)
{
    static char text[16384];
    if (write(ctx, n, rows, text, sizeof text, NULL) == COMBGPU_OK) printf("%s", text);
}

static void print_svg(combgpu_context *ctx, const uint64_t *rows, int n, combgpu_no3_class symmetry)
{
    static char text[32768];
    char title[80];
    snprintf(title, sizeof title, "No three in line, n = %d, %s", n,
             combgpu_no3_class_string(symmetry));
    if (combgpu_no3_to_svg(ctx, n, rows, title, text, sizeof text, NULL) == COMBGPU_OK)
        printf("%s", text);
}

static void print_list(const uint64_t *rows, int n, combgpu_no3_class symmetry)
{
    int x, y;
    printf("%s", combgpu_no3_class_string(symmetry));
    for (y = 0; y < n; y++) {
        const char *separator = " ";
        for (x = 0; x < n; x++)
            if (rows[y] >> x & 1) {
                printf("%s%d", separator, x);
                separator = ",";
            }
    }
    printf("\n");
}

static void json_board(const char *key, const uint64_t *rows, int n)
{
    int x, y;
    json_open(key, '[');
    for (y = 0; y < n; y++) {
        json_open(NULL, '[');
        for (x = 0; x < n; x++)
            if (rows[y] >> x & 1) json_u64(NULL, (uint64_t)x);
        json_close();
    }
    json_close();
}

/* Prints a board in every form asked for. */
static void print_board(output *out, const uint64_t *rows, int n, combgpu_no3_class symmetry)
{
    if (out->list) print_list(rows, n, symmetry);
    if (out->flammenkamp) {
        print_as(combgpu_no3_to_flammenkamp, out->ctx, rows, n);
        printf("\n");
    }
    if (out->rle) {
        printf("#C %s\n", combgpu_no3_class_string(symmetry));
        print_as(combgpu_no3_to_rle, out->ctx, rows, n);
        printf("\n");
    }
    if (out->draw) {
        print_as(combgpu_no3_draw, out->ctx, rows, n);
        printf("\n");
    }
    if (out->svg) print_svg(out->ctx, rows, n, symmetry);
}

/* The library's solution callback. */
static int show(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    output *out = (output *)user;
    common_make_room();
    if (common.json) {
        json_open(NULL, '{');
        json_string("class", combgpu_no3_class_string(symmetry));
        json_board("rows", rows, n);
        json_close();
        return common_stop();
    }
    print_board(out, rows, n, symmetry);
    return common_stop();
}

/* Reads "X,Y" and sets that cell. */
static void read_cell(uint64_t *rows)
{
    const char *may_be = "X,Y: a column and a row from 0 to 63", *text = common_text(may_be);
    const char *comma = strchr(text, ',');
    char first[24];
    uint64_t x, y;
    if (!comma || comma - text >= (int)sizeof first) common_wrong(text, may_be);
    memcpy(first, text, (size_t)(comma - text));
    first[comma - text] = 0;
    if (!common_parse_u64(first, &x) || !common_parse_u64(comma + 1, &y) || x > 63 || y > 63)
        common_wrong(text, may_be);
    rows[y] |= UINT64_C(1) << x;
}

/* Reads a drawing of fixed cells. */
static void read_fixed(uint64_t *on, uint64_t *off)
{
    const char *path = common_text("a drawing of fixed cells, or - for standard input");
    char *text = common_read(path, NULL), *at;
    int x = 0, y = 0;
    for (at = text; *at; at++) {
        if (*at == ' ' || *at == '\t' || *at == '\r') continue;
        if (*at == '\n') {
            y++;
            x = 0;
            continue;
        }
        if (!strchr("oO.-", *at) || x > 63 || y > 63)
            common_usage("--fixed: %.100s, line %d: %s", path, y + 1,
                         x > 63 || y > 63 ? "there are at most 64 rows and columns"
                                          : "a character other than o, - and .");
        if (*at == '-')
            off[y] |= UINT64_C(1) << x;
        else if (*at != '.')
            on[y] |= UINT64_C(1) << x;
        x++;
    }
    free(text);
}

/* no3 --check FILE: 0 if it is a solution, 1 if not. */
static int check(const char *path, output *out)
{
    int drawn = out->list || out->rle || out->draw || out->flammenkamp || out->svg;
    FILE *to = common_summary(drawn);
    combgpu_no3_report report;
    combgpu_status status;
    combgpu_context *ctx;
    uint64_t rows[64];
    size_t bytes;
    int n;
    char *text = common_read(path, &bytes);
    common.context.backend = COMBGPU_BACKEND_CPU; /* nothing to search */
    ctx = common_open("no3");
    out->ctx = ctx;
    /* an RLE header has a comma, comments before it begin with #, which is no class */
    if (text[0] == '#' || strchr(text, ','))
        status = combgpu_no3_from_rle(ctx, text, bytes, &n, rows);
    else
        status = combgpu_no3_from_flammenkamp(ctx, text, bytes, &n, rows, NULL, NULL);
    free(text);
    if (!status) status = combgpu_no3_check(ctx, n, rows, &report);
    if (status < 0) return common_failed(ctx, status);
    if (common.json) {
        json_string("status", "ok");
        json_u64("n", (uint64_t)n);
        json_u64("points", (uint64_t)report.points);
        json_bool("solution", report.is_solution);
        json_bool("three_in_line", report.has_line);
        json_string("class", combgpu_no3_class_string(report.symmetry));
        json_board("rows", rows, n);
    } else {
        if (!drawn) print_as(combgpu_no3_draw, ctx, rows, n);
        print_board(out, rows, n, report.symmetry);
        fprintf(to, "%d x %d, %d points, symmetry %s: ", n, n, report.points,
                combgpu_no3_class_string(report.symmetry));
        if (report.is_solution)
            fprintf(to, "a solution\n");
        else if (report.has_line)
            fprintf(to, "no solution: column,row %d,%d  %d,%d  %d,%d are in line\n",
                    report.line_x[0], report.line_y[0], report.line_x[1], report.line_y[1],
                    report.line_x[2], report.line_y[2]);
        else if (report.bad_row >= 0)
            fprintf(to, "no solution: row %d does not have two points\n", report.bad_row);
        else
            fprintf(to, "no solution: column %d does not have two points\n", report.bad_column);
    }
    n = common_end(ctx, NULL);
    return n ? n : !report.is_solution;
}

static void print_result(const combgpu_no3_desc *desc, const combgpu_no3_result *result)
{
    FILE *to = common_summary(desc->solution != NULL);
    int i, printed = 0;
    if (common.json) {
        json_u64("n", (uint64_t)desc->n);
        json_u64("all", result->all);
        json_u64("up_to_symmetry", result->up_to_symmetry);
        if (desc->seed) json_u64("restarts", result->restarts);
        json_open("classes", '{');
        for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
            json_u64(combgpu_no3_class_string((combgpu_no3_class)i), result->classes[i]);
        json_close();
        json_run(&result->run);
        return;
    }
    fprintf(to, "n = %d: ", desc->n);
    if (desc->symmetry == COMBGPU_NO3_ALL && !desc->limit)
        fprintf(to, "%s solutions, ", common_commas(result->all));
    fprintf(to, "%s up to symmetry%s", common_commas(result->up_to_symmetry),
            result->run.status == COMBGPU_STOPPED ? " so far"
            : result->run.status == COMBGPU_FOUND ? ", as many as asked for"
                                                  : "");
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
        if (result->classes[i] && i == COMBGPU_NO3_NEAR_ROT4) /* is part of rot2 */
            fprintf(to, " (near_rot4 %s)", common_commas(result->classes[i]));
        else if (result->classes[i])
            fprintf(to, "%s %s %s", printed++ ? "," : ":",
                    combgpu_no3_class_string((combgpu_no3_class)i),
                    common_commas(result->classes[i]));
    fprintf(to, "\n");
    common_print_run(to, &result->run);
}

int main(int argc, char **argv)
{
    enum { CLASSES = COMBGPU_NO3_CLASS_COUNT - 1 }; /* all, dia1 ... full: iden is only counted */
    const char *names[CLASSES], *file = NULL;
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;
    combgpu_context *ctx;
    output out;
    char label[40];
    uint64_t on[64], off[64];
    int i;
    memset(on, 0, sizeof on);
    memset(off, 0, sizeof off);
    memset(&desc, 0, sizeof desc);
    memset(&out, 0, sizeof out);
    for (i = 0; i < CLASSES; i++)
        names[i] = combgpu_no3_class_string(i ? (combgpu_no3_class)(i + 1) : COMBGPU_NO3_ALL);

    common_start(argc, argv, help);
    while (common_next())
        if (common_is("--n"))
            desc.n = (int)common_number(2, 64);
        else if (common_is("--class")) {
            i = common_choice(names, CLASSES);
            desc.symmetry = i ? (combgpu_no3_class)(i + 1) : COMBGPU_NO3_ALL;
        } else if (common_is("--list"))
            out.list = 1;
        else if (common_is("--rle"))
            out.rle = 1;
        else if (common_is("--draw"))
            out.draw = 1;
        else if (common_is("--flammenkamp"))
            out.flammenkamp = 1;
        else if (common_is("--svg"))
            out.svg = 1;
        else if (common_is("--on"))
            read_cell(on);
        else if (common_is("--off"))
            read_cell(off);
        else if (common_is("--fixed"))
            read_fixed(on, off);
        else if (common_is("--first"))
            desc.limit = 1;
        else if (common_is("--limit"))
            desc.limit = common_number(1, UINT64_MAX);
        else if (common_is("--seed"))
            desc.seed = common_number(1, UINT64_MAX);
        else if (common_is("--every-orientation"))
            desc.every_orientation = 1;
        else if (common_is("--check"))
            file = common_text("a file with a board, or - for standard input");
        else
            common_unknown();
    if (file) return check(file, &out);
    if (!desc.n) common_usage("--n N is needed: the side of the grid; --help lists the options");

    snprintf(label, sizeof label, "no3, n = %d", desc.n);
    out.ctx = ctx = common_open(label);
    desc.run = common.run;
    for (i = desc.n; i < 64; i++)
        if (on[i] || off[i])
            common_usage("a cell is fixed in row %d; with --n %d rows are 0 to %d", i, desc.n,
                         desc.n - 1);
    desc.on = on;
    desc.off = off;
    if (common.forecast) {
        combgpu_job *job = NULL;
        status = combgpu_no3_begin(ctx, &desc, &job);
        return common_forecast(ctx, status, job);
    }
    if (out.svg) desc.limit = 1; /* a file has one picture */
    if (out.list || out.rle || out.draw || out.flammenkamp || out.svg) {
        desc.solution = show;
        desc.solution_user = &out;
        if (common.json) json_open("solutions", '[');
    }
    status = combgpu_no3(ctx, &desc, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    if (common.json && desc.solution) json_close();
    if (!desc.solution || !common.quiet || common.json) print_result(&desc, &result);
    return common_end(ctx, &result.run);
}
