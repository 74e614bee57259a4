/* No-three-in-line: places 2n points on an n x n grid so that no three lie on one line.

       cc -O3 -fopenmp examples/no3.c -o no3
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/no3.c -o no3
       cc -O3 -DCOMBGPU_OPENCL examples/no3.c -o no3 -lOpenCL

       ./no3 --n 10                         all solutions, counted by symmetry class
       ./no3 --n 10 --first --draw          one of them, drawn
       ./no3 --n 22 --class rot4 --rle      those with a quarter turn, as Life patterns
       ./no3 --check board.rle              is this a solution? */
#define COMBGPU_IMPLEMENTATION
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "no3 - all ways to place 2n points on an n x n grid, no three in line\n\n"
    "  no3 --n 10                    counts the solutions, by symmetry class\n"
    "  no3 --n 10 --first --draw     draws one\n"
    "  no3 --check FILE              says whether the board in an RLE file is one\n\n"
    "Options:\n"
    "  --n N               side of the grid, 2 to 32\n"
    "  --class NAME        only solutions with this symmetry: dia1, ort1, rot2,\n"
    "                      near_rot4, dia2, rot4, ort2, full (default: all)\n"
    "  --list              print each solution: class, columns of row 0, row 1 ...\n"
    "  --rle               print each as a run-length encoded Life pattern\n"
    "  --draw              print each as a picture\n"
    "  --first             stop at the first solution\n"
    "  --limit K           stop after K solutions\n"
    "  --every-orientation print all rotations and reflections of a solution too\n"
    "  --check FILE        check a board instead; - is standard input\n";

/* How solutions are shown, and with what. */
typedef struct output {
    combgpu_context *ctx;
    int list, rle, draw;
} output;

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

static void print_drawing(combgpu_context *ctx, const uint64_t *rows, int n)
{
    static char text[64 * 130];
    if (combgpu_no3_draw(ctx, n, rows, text, sizeof text, NULL) == COMBGPU_OK) printf("%s", text);
}

/* The library's solution callback. */
static int show(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    output *out = (output *)user;
    static char text[16384];
    common_make_room();
    if (common.json) {
        json_open(NULL, '{');
        json_string("class", combgpu_no3_class_string(symmetry));
        json_board("rows", rows, n);
        json_close();
        return common_interrupted;
    }
    if (out->list) print_list(rows, n, symmetry);
    if (out->rle && combgpu_no3_to_rle(out->ctx, n, rows, text, sizeof text, NULL) == COMBGPU_OK)
        printf("#C %s\n%s\n", combgpu_no3_class_string(symmetry), text);
    if (out->draw) {
        print_drawing(out->ctx, rows, n);
        printf("\n");
    }
    return common_interrupted;
}

/* no3 --check FILE: 0 if it is a solution, 1 if not. */
static int check(const char *path)
{
    combgpu_no3_report report;
    combgpu_status status;
    combgpu_context *ctx;
    uint64_t rows[64];
    size_t bytes;
    int n;
    char *text = common_read(path, &bytes);
    common.context.backend = COMBGPU_BACKEND_CPU; /* nothing to search */
    ctx = common_open("no3");
    status = combgpu_no3_from_rle(ctx, text, bytes, &n, rows);
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
        print_drawing(ctx, rows, n);
        printf("%d x %d, %d points, symmetry %s: ", n, n, report.points,
               combgpu_no3_class_string(report.symmetry));
        if (report.is_solution)
            printf("a solution\n");
        else if (report.has_line)
            printf("no solution: column,row %d,%d  %d,%d  %d,%d are in line\n", report.line_x[0],
                   report.line_y[0], report.line_x[1], report.line_y[1], report.line_x[2],
                   report.line_y[2]);
        else if (report.bad_row >= 0)
            printf("no solution: row %d does not have two points\n", report.bad_row);
        else
            printf("no solution: column %d does not have two points\n", report.bad_column);
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
    int i;
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
        else if (common_is("--first"))
            desc.limit = 1;
        else if (common_is("--limit"))
            desc.limit = common_number(1, UINT64_MAX);
        else if (common_is("--seed"))
            desc.seed = common_number(1, UINT64_MAX);
        else if (common_is("--every-orientation"))
            desc.every_orientation = 1;
        else if (common_is("--check"))
            file = common_text("an RLE file, or - for standard input");
        else
            common_unknown();
    if (file) return check(file);
    if (!desc.n) common_usage("--n N is needed: the side of the grid; --help lists the options");

    snprintf(label, sizeof label, "no3, n = %d", desc.n);
    out.ctx = ctx = common_open(label);
    desc.run = common.run;
    if (out.list || out.rle || out.draw) {
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
