/* Reads files for Python with the command's readers, whose output for the user becomes a message, and whose errors
   free what was read and return. */
#include "combgpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf py_begun;
static combgpu_status py_status; /* why it has ended */
static char py_message[800];

/* ---- memory that is freed as a whole */

typedef union py_block {
    struct {
        union py_block *next, *before;
    } in;
    double aligned[4];
} py_block;

static py_block *py_blocks;

static void py_link(py_block *block)
{
    block->in.next = py_blocks;
    block->in.before = NULL;
    if (py_blocks) py_blocks->in.before = block;
    py_blocks = block;
}

static void py_unlink(py_block *block)
{
    if (block->in.next) block->in.next->in.before = block->in.before;
    if (block->in.before)
        block->in.before->in.next = block->in.next;
    else
        py_blocks = block->in.next;
}

static void py_release(void *memory)
{
    py_block *block = memory ? (py_block *)memory - 1 : NULL;
    if (block) py_unlink(block);
    free(block);
}

static void *py_resize(void *memory, size_t bytes)
{
    py_block *block = memory ? (py_block *)memory - 1 : NULL, *larger;
    if (block) py_unlink(block);
    larger = bytes > SIZE_MAX / 2 ? NULL : (py_block *)realloc(block, sizeof *block + bytes);
    if (larger || block) py_link(larger ? larger : block);
    return larger ? larger + 1 : NULL;
}

static void *py_zeroed(size_t count, size_t bytes)
{
    void *memory = count > SIZE_MAX / 2 / (bytes + 1) ? NULL : py_resize(NULL, count * bytes);
    if (memory) memset(memory, 0, count * bytes);
    return memory;
}

/* ---- the command, in part */

#define malloc(bytes) py_resize(NULL, bytes)
#define calloc py_zeroed
#define realloc py_resize
#define free py_release
#define exit(status) longjmp(py_begun, 1)

#include "combgpu_options.h"
#define report_error report_error_of_the_command
#include "combgpu_output.h"
#undef report_error

static void report_error(combgpu_status status, const char *message)
{
    py_status = status == COMBGPU_INVALID_ARGUMENT ? COMBGPU_BAD_FILE : status;
    snprintf(py_message, sizeof py_message, "%s", message);
}

/* ---- lists: each item is its size, then its numbers */

static uint64_t *py_words;
static size_t py_count, py_room;

static void py_put(uint64_t word)
{
    if (py_count == py_room) {
        py_room = py_room ? 2 * py_room : 1024;
        py_words = (uint64_t *)realloc(py_words, py_room * sizeof *py_words);
        if (!py_words) usage("out of memory");
    }
    py_words[py_count++] = word;
}

static void py_put_all(const int *numbers, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        py_put((uint64_t)(int64_t)numbers[i]);
}

/* Receives a board where the command checks it. */
static combgpu_status py_board(combgpu_context *ctx, int n, const uint64_t *rows,
                                 combgpu_no3_report *report)
{
    int i;
    (void)ctx;
    memset(report, 0, sizeof *report);
    report->is_solution = 1;
    py_put((uint64_t)n);
    for (i = 0; i < n * COMBGPU_NO3_ROW_WORDS(n); i++)
        py_put(rows[i]);
    return COMBGPU_OK;
}

#include "combgpu_magic.h"
#include "combgpu_words.h"
#define combgpu_no3_check py_board
#include "combgpu_no3.h"
#undef combgpu_no3_check
#include "combgpu_family.h"
#include "combgpu_qap.h"
#include "combgpu_sum.h"
#include "combgpu_tsp.h"

/* ---- for glue.c */

static combgpu_status py_read_cities(combgpu_context *ctx, combgpu_tsp_instance *instance)
{
    if (setjmp(py_begun)) return py_status;
    py_status = tsp_instance(ctx, instance);
    if (py_status < 0) translate(combgpu_message(ctx), py_message, sizeof py_message);
    return py_status;
}

/* Frees what was read. */
void combgpu_py_read_end(void)
{
    while (py_blocks)
        py_release(py_blocks + 1);
    points.count = 0;
}

static void py_read_begin(int command, const char *path)
{
    combgpu_py_read_end();
    memset(&cmd, 0, sizeof cmd);
    memset(&points, 0, sizeof points);
    memset(&sheet, 0, sizeof sheet);
    memset(&checked, 0, sizeof checked);
    py_words = NULL;
    py_count = py_room = 0;
    cmd.command = command;
    cmd.program = "";
    cmd.argument = cmd.value[OPTION_CHECK].text = path;
    cmd.value[OPTION_CHECK].times = 1;
    message_source = NULL;
    customers_from_0 = 0;
    *py_message = 0;
}

/* Reads a file into *instance; `metric` is --metric's number, 0 = as the file says. A failure has its message, of
   up to 800 bytes. */
combgpu_status combgpu_py_read(combgpu_context *ctx, const char *path, int metric,
                               combgpu_tsp_instance *instance, char *message, size_t bytes)
{
    combgpu_status status;
    py_read_begin(COMMAND_TSP, path);
    cmd.value[OPTION_METRIC].times = metric > 0;
    cmd.value[OPTION_METRIC].number = (uint64_t)metric;
    status = py_read_cities(ctx, instance);
    if (status < 0) combgpu_tsp_free(ctx, instance);
    snprintf(message, bytes, "%s", py_message);
    return status;
}

/* The cities' names; may be NULL. */
const char *combgpu_py_read_name(int city)
{
    return city < points.count ? points.name[city] : NULL;
}

/* What an ambiguous file was read as, and how; "" = it was unambiguous. */
const char *combgpu_py_read_what(void)
{
    return points.what;
}

const char *combgpu_py_read_why(void)
{
    return points.why;
}

static void py_table_of(const char *path, table *t)
{
    size_t bytes;
    char *text = read_file("--check", path, &bytes);
    read_table(t, text, bytes, OPTION_CHECK, 0);
}

static combgpu_status py_read_list(combgpu_context *ctx, char kind, const char *path)
{
    static qap_instance q;
    table t;
    size_t i;
    if (setjmp(py_begun)) return py_status;
    if (kind == 'b') {
        checked.ctx = ctx;
        py_status = check_boards(path);
        if (py_status < 0) translate(combgpu_message(ctx), py_message, sizeof py_message);
        return py_status;
    }
    if (kind == 'q') {
        qap_read(&q, path);
        py_put((uint64_t)q.n);
        for (i = 0; i < 2 * (size_t)q.n; i++)
            py_put_all(i < (size_t)q.n ? q.a[i] : q.b[i - (size_t)q.n], (size_t)q.n);
        return COMBGPU_OK;
    }
    py_table_of(path, &t);
    if (kind == 's') {
        py_put((uint64_t)order_of_table(&t, path, 0));
        py_put_all(t.numbers, t.count);
    }
    for (i = 0; kind == 'r' && i < t.rows; i++) {
        const int *row;
        size_t length = table_get(&t, i, &row);
        py_put(length);
        py_put_all(row, length);
    }
    return COMBGPU_OK;
}

/* Reads a list of squares, boards or rows of numbers, or an instance of quadratic assignment: 's', 'b', 'r' or 'q'. *words
   lasts until combgpu_py_read_end. */
combgpu_status combgpu_py_read_list(combgpu_context *ctx, char kind, const char *path,
                                    const uint64_t **words, size_t *count, char *message,
                                    size_t bytes)
{
    combgpu_status status;
    py_read_begin(kind == 'b'   ? COMMAND_NO3
               : kind == 's' ? COMMAND_MAGIC
               : kind == 'q' ? COMMAND_QAP
                             : COMMAND_PERM,
               path);
    status = py_read_list(ctx, kind, path);
    *words = py_words;
    *count = status < 0 ? 0 : py_count;
    snprintf(message, bytes, "%s", py_message);
    return status;
}
