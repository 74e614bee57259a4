/* Lists of squares, boards and permutations, written as text, CSV, JSON lines, .npy or bytes. */
#ifndef COMBGPU_EXAMPLES_LIST_H
#define COMBGPU_EXAMPLES_LIST_H

#include "combgpu_list_file.h"

static enum list_format list_format(void)
{
    if (given(OPTION_DRAW)) {
        if (given(OPTION_FORMAT)) usage("--draw and --format are both given");
        return LIST_DRAW;
    }
    if (given(OPTION_FORMAT)) return (enum list_format)number_of(OPTION_FORMAT, 0);
    return json_wanted() && !given(OPTION_OUTPUT) ? LIST_IN_JSON : LIST_TEXT;
}

/* The header of a .npy file, version 1.0 (NumPy Enhancement Proposal 1). */
static void npy_header(FILE *to)
{
    static const char magic[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 0x76, 0};
    char header[NPY_HEADER + 1], type[16], shape[80];
    int length;
    if (list.words)
        snprintf(type, sizeof type, "|S%d", list.width);
    else
        snprintf(type, sizeof type, "%s", list.width == 1 ? "|u1" : "<i4");
    if (list.rows == 1)
        snprintf(shape, sizeof shape, "(%llu, %d)", (unsigned long long)list.count, list.columns);
    else
        snprintf(shape, sizeof shape, "(%llu, %d, %d)", (unsigned long long)list.count, list.rows,
                 list.columns);
    memset(header, ' ', sizeof header);
    memcpy(header, magic, sizeof magic);
    length = snprintf(header + 10, NPY_HEADER - 10,
                      "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    header[10 + length] = ' ';
    header[NPY_HEADER - 1] = '\n';
    fwrite(header, 1, NPY_HEADER, to);
}

static void csv_header(const char *label)
{
    char name[32];
    int r, c;
    if (label) fprintf(list.to, "%s,", label);
    for (r = 1; r <= list.rows; r++)
        for (c = 1; c <= list.columns; c++) {
            csv_name(r, c, name, sizeof name);
            fputs(name, list.to);
            fputs(r == list.rows && c == list.columns ? "\n" : ",", list.to);
        }
}

/* Ends the program if the list cannot be as asked for, before a search that writes it at the end. */
static void list_fits(int width)
{
    const enum list_format format = list_format();
    if (format >= LIST_RLE && format <= LIST_DRAW && cmd.command != COMMAND_NO3)
        usage("--format %s is for no3; it may be text, csv, jsonl, npy or bytes",
              text_of(OPTION_FORMAT));
    if (format != LIST_TEXT && given(OPTION_ONE_LINE)) usage("--one-line is for lists as text");
    if (format == LIST_BYTES && width != 1)
        usage("--format bytes: numbers here may take more than a byte; npy has room for them");
    if (json_wanted() && format != LIST_IN_JSON && !given(OPTION_OUTPUT))
        usage("--json uses standard output: with --format, give the list a file by --output FILE");
}

/* Begins a list. key: name of the array in the object of --json; label: name of the first column of
   CSV, or NULL; width: bytes of a number in .npy. The search may resume only if list.resumed is set: a new list
   lacks what a checkpoint, written by another run meanwhile, counts as listed. */
static void list_begin(const char *key, const char *label, int rows, int columns, int width)
{
    memset(&list, 0, sizeof list);
    list.begun = 1;
    list.resumed = list_resumed();
    list.key = key;
    list.label = label;
    list.format = list_format();
    list.rows = rows;
    list.columns = columns;
    list.width = width;
    list_fits(width);
    if (list.resumed && file_goes_on()) list_look(); /* now: refusing later would lose the run */
}

/* Opens the list, once. */
static void list_start(void)
{
    if (list.begun != 1) return;
    list.begun = 2;
    list.to = list_open();
    if (list.format == LIST_IN_JSON) json_open(list.key, '[');
    if (list.format == LIST_CSV && !list.more) csv_header(list.label);
    if (list.format != LIST_NPY || list.more) return;
    if (fseek(list.to, 0, SEEK_CUR) || list.to == stdout) {
        list.spool = tmpfile();
        if (!list.spool) usage("--format npy: no temporary file: %s", strerror(errno));
    } else
        npy_header(list.to);
}

/* Nonzero if the list can no longer be written, e.g. on a full disk. */
static int list_broken(void)
{
    return (list.to && ferror(list.to)) || (list.spool && ferror(list.spool));
}

/* Copies the temporary file to the list, behind the header. */
static void spool_end(void)
{
    char block[65536];
    size_t got;
    int failed = ferror(list.spool);
    errno = 0;
    failed |= fflush(list.spool) || fseek(list.spool, 0, SEEK_SET);
    if (!failed) {
        npy_header(list.to);
        while ((got = fread(block, 1, sizeof block, list.spool)) > 0)
            fwrite(block, 1, got, list.to);
    }
    if (failed || ferror(list.spool))
        list.failed = output_fails(OPTION_FORMAT, "npy: its temporary file");
    (void)fclose(list.spool);
}

/* Reports a resumed list that does not have the `all` items of the finished search: the file was changed
   between runs, or an earlier run wrote to another file or listed other images of the solutions. */
static void list_complete(uint64_t all)
{
    const char *path = text_of(OPTION_OUTPUT);
    if (!list.begun || !list.resumed || !path || !strcmp(path, "-")) return;
    list_start();
    if (list.count == all) return;
    if (!list.more) {
        fprintf(stderr, "%s: --output %.400s has %s of %s: earlier runs found the others\n",
                cmd.program, path, commas(list.count), commas(all));
        return;
    }
    snprintf(output_error, sizeof output_error,
             "--output %.300s has %s, the search %s: an earlier run wrote to another file, or this "
             "file or its options changed; to list all, remove it and the checkpoint",
             path, commas(list.count), commas(all));
    output_wrong();
}

/* Ends the list; nonzero if writing it failed. */
static int list_end(void)
{
    if (!list.begun) return list.failed;
    list_start();
    if (list.format == LIST_IN_JSON) json_close();
    if (list.spool)
        spool_end();
    else if (list.format == LIST_NPY && fseek(list.to, 0, SEEK_SET))
        list.failed = output_fails(OPTION_OUTPUT, text_of(OPTION_OUTPUT));
    else if (list.format == LIST_NPY)
        npy_header(list.to);
    if (given(OPTION_OUTPUT)) list.failed |= close_output(OPTION_OUTPUT, list.to);
    list.begun = 0;
    list.to = NULL;
    list.spool = NULL;
    return list.failed;
}

static char *put_int(char *to, int value)
{
    char digits[12];
    unsigned rest = value < 0 ? 0u - (unsigned)value : (unsigned)value;
    int count = 0;
    if (value < 0) *to++ = '-';
    do
        digits[count++] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    while (count)
        *to++ = digits[--count];
    return to;
}

static void json_numbers(const int *numbers, int rows, int columns)
{
    int r, c;
    for (r = 0; r < rows; r++) {
        if (rows > 1) json_open(NULL, '[');
        for (c = 0; c < columns; c++)
            json_i64(NULL, numbers[r * columns + c]);
        if (rows > 1) json_close();
    }
}

/* Writes a line: "[[1, 2], [3, 4]]" or, with a label, {"class": "iden", "rows": ...}. */
static void jsonl_item(const char *label, const int *numbers)
{
    char text[40], *end;
    int r, c;
    if (label) fprintf(list.to, "{\"class\": \"%s\", \"rows\": ", label);
    if (list.rows > 1) putc('[', list.to);
    for (r = 0; r < list.rows; r++) {
        fputs(r ? ", [" : "[", list.to);
        for (c = 0; c < list.columns; c++) {
            end = put_int(text, numbers[r * list.columns + c]);
            *end = 0;
            fprintf(list.to, "%s%s", c ? ", " : "", text);
        }
        putc(']', list.to);
    }
    if (list.rows > 1) putc(']', list.to);
    fputs(label ? "}\n" : "\n", list.to);
}

static void binary_item(const int *numbers)
{
    FILE *to = list.spool ? list.spool : list.to;
    int i, k;
    for (i = 0; i < list.rows * list.columns; i++)
        for (k = 0; k < list.width; k++)
            putc((int)((unsigned)numbers[i] >> 8 * k & 255), to);
}

/* Writes all numbers on one line, separated by `between`. */
static void flat_item(const char *label, const int *numbers, char between)
{
    char text[4096], *at = text;
    int i, all = list.rows * list.columns;
    if (label) fprintf(list.to, "%s%c", label, between);
    for (i = 0; i < all; i++) {
        at = put_int(at, numbers[i]);
        *at++ = i == all - 1 ? '\n' : between;
        if (at - text > (long)sizeof text - 16 || i == all - 1) {
            fwrite(text, 1, (size_t)(at - text), list.to);
            at = text;
        }
    }
}

/* Writes an item. Returns 0 if the caller must print it to list.to: several rows as text, and
   formats that only boards have. */
static int list_item(const char *label, const int *numbers)
{
    list_start();
    if (list.to == stdout && terminal_drawn && is_terminal(stdout)) terminal_clear();
    list.count++;
    switch (list.format) {
    case LIST_CSV:
        flat_item(label, numbers, ',');
        return 1;
    case LIST_JSONL:
        jsonl_item(label, numbers);
        return 1;
    case LIST_NPY:
    case LIST_BYTES:
        binary_item(numbers);
        return 1;
    case LIST_IN_JSON:
        if (cmd.command == COMMAND_NO3) return 0;
        json_open(NULL, '[');
        json_numbers(numbers, list.rows, list.columns);
        json_close();
        return 1;
    default:
        if (list.format != LIST_TEXT || list.rows > 1) return 0;
        flat_item(label, numbers, ' ');
        return 1;
    }
}

/* Writes an item of words. */
static void list_words(const char *const *words)
{
    FILE *to;
    int i, k, n = list.columns;
    list_start();
    to = list.spool ? list.spool : list.to;
    list.count++;
    if (list.format == LIST_IN_JSON) json_open(NULL, '[');
    if (list.format == LIST_JSONL) putc('[', to);
    for (i = 0; i < n; i++)
        if (list.format == LIST_IN_JSON)
            json_string(NULL, words[i]);
        else if (list.format == LIST_JSONL) {
            json_text_to(to, words[i]);
            fputs(i == n - 1 ? "]\n" : ", ", to);
        } else if (list.format == LIST_NPY) {
            int length = (int)strlen(words[i]);
            for (k = 0; k < list.width; k++)
                putc(k < length ? words[i][k] : 0, to);
        } else {
            int quoted = list.format == LIST_CSV && strpbrk(words[i], ",\"") != NULL;
            const char *p;
            if (quoted) putc('"', to);
            for (p = words[i]; *p; p++) {
                if (quoted && *p == '"') putc('"', to);
                putc(*p, to);
            }
            if (quoted) putc('"', to);
            putc(i == n - 1 ? '\n' : list.format == LIST_CSV ? ',' : ' ', to);
        }
    if (list.format == LIST_IN_JSON) json_close();
}

#endif
