/* Reads tables of cells from lines with one separator, JSON or .npy, without interpreting them. */
#ifndef COMBGPU_EXAMPLES_GRID_H
#define COMBGPU_EXAMPLES_GRID_H

#include "combgpu_json.h"
#include "combgpu_places.h"

/* A cell's value is a number up to 1e300, or: */
#define NO_NUMBER 2e300     /* a word */
#define NO_CONNECTION 3e300 /* an empty cell, or a word that says so */

typedef struct table_cell {
    const char *text; /* without the quotes and blanks around it */
    size_t length;
    double value;
} table_cell;

typedef struct grid {
    table_cell *cells;
    size_t count, room;
    size_t *ends; /* of each row, in cells */
    int *lines;   /* where it begins */
    size_t rows, row_room;
    int points, commas; /* numbers with a decimal point, and with a decimal comma */
    int decimals;       /* one of the latter that cannot mean thousands: "0,5", "12,25" */
    int open;           /* the last line lacks its end: it may be cut off */
    int json;           /* lines are rows, and texts have the escapes of JSON */
    const char *text;   /* where the lines begin */
    const char *wrong;  /* why the lines are not a table; may be NULL */
    int wrong_line;
} grid;

static grid sheet; /* the table that is read */

static void grid_clear(grid *g)
{
    g->count = g->rows = 0;
    g->points = g->commas = g->decimals = g->open = g->json = 0;
    g->wrong = NULL;
}

static void grid_free(grid *g)
{
    free(g->cells);
    free(g->ends);
    free(g->lines);
    memset(g, 0, sizeof *g);
}

static void grid_add(grid *g, const char *text, size_t length, double value)
{
    if (g->count == g->room) {
        g->room = g->room ? 2 * g->room : 1024;
        g->cells = (table_cell *)realloc(g->cells, g->room * sizeof *g->cells);
        if (!g->cells) usage("out of memory for a table");
    }
    g->cells[g->count].text = text;
    g->cells[g->count].length = length;
    g->cells[g->count++].value = value;
}

static void grid_end_row(grid *g, int line)
{
    if (g->rows == g->row_room) {
        g->row_room = g->row_room ? 2 * g->row_room : 256;
        g->ends = (size_t *)realloc(g->ends, g->row_room * sizeof *g->ends);
        g->lines = (int *)realloc(g->lines, g->row_room * sizeof *g->lines);
        if (!g->ends || !g->lines) usage("out of memory for a table");
    }
    g->lines[g->rows] = line;
    g->ends[g->rows++] = g->count;
}

/* Removes the last row. */
static void grid_drop_row(grid *g)
{
    g->count = --g->rows ? g->ends[g->rows - 1] : 0;
}

/* The cells of row r; *count gets how many, without empty ones at the end. */
static const table_cell *grid_row(const grid *g, size_t r, size_t *count)
{
    size_t begin = r ? g->ends[r - 1] : 0;
    *count = g->ends[r] - begin;
    if (!g->count) return NULL;
    while (*count && !g->cells[begin + *count - 1].length)
        --*count;
    return g->cells + begin;
}

/* ---- words and numbers */

/* Nonzero if a text is one of a list's words, separated by blanks; ignores case. */
static int is_one_of(const char *text, size_t length, const char *words)
{
    while (*words) {
        size_t size = strcspn(words, " "), i = 0;
        while (
            i < size && i < length &&
            (text[i] == words[i] || (text[i] >= 'A' && text[i] <= 'Z' && text[i] + 32 == words[i])))
            i++;
        if (i == size && i == length) return 1;
        words += size + (words[size] == ' ');
    }
    return 0;
}

/* The value of a cell, if all its text is a number; `comma` allows a decimal comma. */
static double cell_value(grid *g, const char *text, size_t length, int comma)
{
    char number[64], *end, *at;
    double value;
    if (!length ||
        is_one_of(text, length, "inf infinity +inf nan none null na n/a x - \xe2\x88\x9e"))
        return NO_CONNECTION;
    if (length >= sizeof number) return NO_NUMBER;
    memcpy(number, text, length);
    number[length] = 0;
    at = comma && !memchr(number, '.', length) ? strchr(number, ',') : NULL;
    if (at) *at = at[1] ? '.' : ' '; /* a digit follows */
    value = decimal(number, &end);
    if (end == number || *end) return NO_NUMBER;
    if (at) {
        g->commas = 1;
        if (*number == '0' || at > number + 3 || strspn(at + 1, "0123456789") != 3) g->decimals = 1;
    } else if (memchr(number, '.', length))
        g->points = 1;
    return value;
}

/* ---- lines with a separator; ' ' is any number of blanks and tabs */

/* Adds the cell at `at`. Returns its end: the separator, or the end of the line or text. */
static const char *grid_cell(grid *g, const char *at, char separator)
{
    const char one[] = {separator, '\n', 0}, *ends = separator == ' ' ? " \t\r\n" : one;
    const char *const blanks = separator == '\t' ? " \r" : " \t\r";
    const char *text = at += strspn(at, blanks), *end;
    int quoted = *at == '"' && separator != '\n';
    if (quoted) {
        text = ++at;
        while (*at && (*at != '"' || at[1] == '"'))
            at += *at == '"' ? 2 : 1;
        end = at;
        if (!*at) g->wrong = "a quote does not end";
        at += *at == '"';
        if (separator != ' ') at += strspn(at, blanks);
        if (*at && !strchr(ends, *at) && !g->wrong) g->wrong = "a quote ends inside a field";
    } else {
        at += strcspn(at, ends);
        for (end = at; end > text && strchr(blanks, end[-1]);)
            end--;
    }
    grid_add(g, text, (size_t)(end - text),
             cell_value(g, text, (size_t)(end - text),
                        quoted || (separator != ',' && separator != '\n')));
    return at;
}

/* Adds the row at `at`, in this line. Returns the next line. */
static const char *grid_line(grid *g, const char *at, char separator, int line)
{
    int more = 1;
    if (separator == ' ') at += strspn(at, " \t\r");
    while (more && !g->wrong) {
        at = grid_cell(g, at, separator);
        more = *at && *at != '\n';
        if (separator == ' ') {
            at += strspn(at, " \t\r");
            more = *at && *at != '\n';
        } else
            at += more; /* a cell follows each separator, and may be empty */
    }
    if (g->wrong && !g->wrong_line) g->wrong_line = line;
    g->open = !*at;
    grid_end_row(g, line);
    return at + (*at == '\n');
}

/* Nonzero if a line is blank or a comment. */
static int is_no_row(const char *line)
{
    line += strspn(line, " \t\r");
    return !*line || *line == '\n' || *line == '#';
}

/* Reads the lines from `text` on, which is in this line. Skips rows of empty cells. */
static void grid_lines(grid *g, const char *text, char separator, int line)
{
    grid_clear(g);
    g->wrong_line = 0;
    while (*text && !g->wrong) {
        const char *next = strchr(text, '\n');
        size_t count;
        if (is_no_row(text))
            next = next ? next + 1 : text + strlen(text);
        else {
            next = grid_line(g, text, separator, line);
            grid_row(g, g->rows - 1, &count);
            if (!count) grid_drop_row(g);
        }
        line += lines_between(text, next);
        text = next;
    }
}

/* ---- arrays of JSON: rows of numbers, strings and null */

/* A number, a string, or null as an empty cell; anything else is a word. */
static void grid_json_cell(grid *g, const char *value)
{
    size_t quote = *value == '"', length = (size_t)(json_past(value, 2) - value);
    if (*value == 'n') length = 0;
    if (*value == '[' || *value == '{') length = 1;
    grid_add(g, value + quote, length - 2 * quote,
             cell_value(g, value + quote, length - 2 * quote, 0));
}

static void grid_json(grid *g, const char *array)
{
    json_walk rows = json_begin(array, 0);
    grid_clear(g);
    g->json = 1;
    g->text = array;
    while (json_next(&rows)) {
        json_walk row = json_begin(rows.value, 1);
        if (*rows.value != '[')
            usage("%s: \"%.*s\" where a row [..., ...] is expected", json_source,
                  json_shown(rows.value, json_ends), rows.value);
        while (json_next(&row)) {
            if (*row.value == '[' || *row.value == '{')
                usage("%s: \"%.*s\" in a row of numbers", json_source,
                      json_shown(row.value, json_ends), row.value);
            grid_json_cell(g, row.value);
        }
        rows.at = row.at;
        grid_end_row(g, (int)g->rows + 1);
    }
}

/* ---- names and messages */

static void cell_name(name_text *name, const grid *g, const table_cell *c)
{
    const char *at = c->text, *end = c->text + c->length;
    memset(name, 0, sizeof *name);
    if (g->json)
        name_from_json(name, at, end);
    else
        while (at < end) {
            if (*at == '"' && at + 1 < end && at[1] == '"') at++; /* two are one, in quotes */
            at = name_add_from(name, at);
        }
}

static const char *grid_place(const grid *g, size_t row)
{
    static char place[40];
    snprintf(place, sizeof place, "%s %d", g->json ? "row" : "line", g->lines[row]);
    return place;
}

/* The length of a cell's text in messages. */
static int cell_shown(const table_cell *c)
{
    return c->length > 40 ? 40 : (int)c->length;
}

/* Ends the program if the last line lacks cells and its end. */
static void grid_whole(const grid *g, size_t cells, const char *source)
{
    size_t count;
    if (!g->open || !g->rows) return;
    grid_row(g, g->rows - 1, &count);
    if (count < cells)
        usage("%.200s, %s: the last line has %d cells of %d and no end: is the file cut off?",
              source, grid_place(g, g->rows - 1), (int)count, (int)cells);
}

/* Ends the program if the numbers are ambiguous; `degrees` have no thousands. */
static void grid_not_wrong(const grid *g, int degrees, const char *source)
{
    if (g->wrong) usage("%.200s, line %d: %s", source, g->wrong_line, g->wrong);
    if (g->commas && !g->decimals && !degrees)
        usage("%.200s has commas that may be decimal ones or of thousands, as in 1,234: write "
              "decimal "
              "points",
              source);
    if (g->points && g->commas)
        usage("%.200s has decimal points and decimal commas; they must be one or the other",
              source);
}

/* ---- .npy: an array of numbers, n x n or n x 2 */

/* The value of an item of a .npy array: kind 'f', 'i', 'u' or 'b', bytes in this order. */
static double npy_value(const char *at, char kind, int width, int last_first)
{
    uint64_t bits = 0;
    double value;
    float single;
    int k;
    for (k = 0; k < width; k++)
        bits |= (uint64_t)(unsigned char)at[last_first ? width - 1 - k : k] << 8 * k;
    if (kind ==
        'f') { /* infinity and NaN by their bits: compilers may drop comparisons with them */
        const int places = width == 8 ? 52 : 23;
        const uint64_t exponent = width == 8 ? 0x7ff : 0xff;
        if ((bits >> places & exponent) == exponent)
            return bits >> (8 * width - 1) && !(bits << (64 - places)) ? NO_NUMBER : NO_CONNECTION;
    }
    if (kind == 'f' && width == 8) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (kind == 'f') {
        uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        return single;
    }
    if (kind == 'i' && bits >> (8 * width - 1)) /* negative */
        return -(double)(~bits & (width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1)) - 1;
    return (double)bits;
}

typedef struct npy {
    const char *data;
    size_t shape[3];
    int axes, width, last_first, by_columns;
    char kind;
} npy;

/* Reads the header of an array of numbers with up to three axes, and checks that it has all its items. */
static void npy_begin(npy *a, const char *text, size_t bytes, const char *source)
{
    static const char wanted[] =
        "the .npy array must have the shape (n, n) or (n, 2), or (K, n, 2) with "
        "--batch K, of numbers";
    size_t header = 10, items = 1;
    char *at = NULL;
    const char *descr = NULL;
    memset(a, 0, sizeof *a);
    if (bytes >= 12)
        header += (size_t)(unsigned char)text[8] + ((size_t)(unsigned char)text[9] << 8) +
                  (text[6] == 2 ? 2 : 0);
    if (bytes < 12 || header >= bytes) usage("%.200s: the .npy header is cut off", source);
    if (text[6] == 1 || text[6] == 2) {
        descr = strstr(text + 10, "'descr': '");
        at = strstr((char *)text + 10, "'shape': (");
    }
    if (!descr || !at || at > text + header || descr > text + header)
        usage("%.200s: %s", source, wanted);
    a->last_first = descr[10] == '>';
    a->kind = descr[11];
    a->width = descr[11] ? descr[12] - '0' : 0;
    a->by_columns = strstr(text + 10, "'fortran_order': T") != NULL;
    if (!strchr("<>|=", descr[10]) || !strchr(a->width >= 4 ? "fiu" : "iub", a->kind) ||
        (a->width != 1 && a->width != 2 && a->width != 4 && a->width != 8) || descr[13] != '\'')
        usage("%.200s: %s", source, wanted);
    for (at += 10; *at && *at != ')' && a->axes < 3; at += strspn(at, ", ")) {
        a->shape[a->axes] = (size_t)strtoull(at, &at, 10);
        if (!a->shape[a->axes] || a->shape[a->axes] > SIZE_MAX / 64 / items)
            usage("%.200s: %s", source, wanted);
        items *= a->shape[a->axes++];
        if (!strchr(",)", *at)) break;
    }
    if (*at != ')' || !a->axes) usage("%.200s: %s", source, wanted);
    if (items * (size_t)a->width != bytes - header)
        usage("%.200s: the shape (%llu, %llu%s) takes %llu bytes, and there are %llu", source,
              (unsigned long long)a->shape[0], (unsigned long long)a->shape[1],
              a->axes == 3 ? ", 2" : "", (unsigned long long)(items * (size_t)a->width),
              (unsigned long long)(bytes - header));
    a->data = text + header;
}

static double npy_at(const npy *a, size_t item)
{
    return npy_value(a->data + item * (size_t)a->width, a->kind, a->width, a->last_first);
}

static void grid_npy(grid *g, const char *text, size_t bytes, const char *source)
{
    static const char none[] = "?"; /* cells have no text */
    npy a;
    size_t i, j, rows, columns;
    npy_begin(&a, text, bytes, source);
    rows = a.shape[0];
    columns = a.shape[1];
    if (a.axes != 2 || (columns != 2 && columns != rows) || rows > COMBGPU_TSP_MAX_DIMENSION)
        usage("%.200s: the .npy array must have the shape (n, n) or (n, 2), n up to %d; --batch K "
              "reads "
              "(K, n, 2)",
              source, COMBGPU_TSP_MAX_DIMENSION);
    grid_clear(g);
    g->json = 1; /* has rows, no lines */
    g->text = none;
    for (i = 0; i < rows; i++) {
        for (j = 0; j < columns; j++) {
            double value = npy_at(&a, a.by_columns ? j * rows + i : i * columns + j);
            int fits = value == NO_CONNECTION || (value >= -1e300 && value <= 1e300);
            grid_add(g, none, 1, fits ? value : NO_NUMBER);
        }
        grid_end_row(g, (int)i + 1);
    }
}

#endif
