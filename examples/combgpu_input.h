/* Reads files and lists of numbers: text, CSV, JSON, JSON lines and .npy. */
#ifndef COMBGPU_EXAMPLES_INPUT_H
#define COMBGPU_EXAMPLES_INPUT_H

#include "combgpu_json.h"

#define UTF_8_MARK "\xef\xbb\xbf" /* editors put it at the beginning of a text */

/* Nonzero for a text with UTF-16's mark; lists of bytes may begin with it, too. */
static int is_utf_16(const char *text)
{
    return (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)) &&
           !(given(OPTION_FORMAT) && number_of(OPTION_FORMAT, 0) == 4);
}

/* Converts UTF-16 with a byte order mark to UTF-8. Returns the new text, and frees the old one. */
static char *text_from_utf_16(char *text, size_t *bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    const size_t low_first = *at == 0xff;
    size_t units = *bytes / 2, i, used = 0;
    char *made = (char *)malloc(3 * units + 1);
    name_text one;
    for (i = 1; made && i < units; i++) {
        unsigned code = at[2 * i + !low_first] | (unsigned)at[2 * i + low_first] << 8, low;
        if (code >= 0xd800 && code < 0xdc00 && i + 1 < units) {
            low = at[2 * i + 2 + !low_first] | (unsigned)at[2 * i + 2 + low_first] << 8;
            if (low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                i++;
            }
        }
        memset(&one, 0, sizeof one);
        if (code < 0x80)
            one.text[one.length++] = (char)code;
        else
            name_add(&one, code);
        memcpy(made + used, one.text, one.length);
        used += one.length;
    }
    free(text);
    *bytes = used;
    return made;
}

/* Reads a whole file, UTF-16 as UTF-8, without byte order marks; "-" is standard input. `what`, an option's name,
   begins messages. The text ends with a NUL; the caller frees it. Without `bytes` a NUL in the file is an error. */
static char *read_file(const char *what, const char *path, size_t *bytes)
{
    size_t room = 65536, got = 0;
    char *text = (char *)malloc(room);
    FILE *file;
    if (!*path) usage("%s: the name of the file is empty", what);
    reading = 1;
    if (interrupted) on_signal(SIGINT); /* Ctrl-C came earlier: the program still ends */
    file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    while (file && text) {
        char *larger;
        got += fread(text + got, 1, room - got - 1, file);
        if (got + 1 < room) break;
        room *= 2;
        larger = room > (size_t)1 << 31 ? NULL : (char *)realloc(text, room);
        if (!larger) free(text);
        text = larger;
    }
    reading = 0;
    if (!file || (text && ferror(file))) {
        char message[400];
        snprintf(message, sizeof message, "%s%s%.200s cannot be read: %s", what, *what ? " " : "",
                 path, strerror(errno));
        report_error(COMBGPU_FILE_ERROR, message);
        free(text);
        exit(2);
    }
    if (!text)
        usage("%s%s%.200s %s", what, *what ? " " : "", path,
              room > (size_t)1 << 31 ? "is too large" : "cannot be read: out of memory");
    if (file != stdin) (void)fclose(file);
    if (got >= 3 && !memcmp(text, UTF_8_MARK, 3)) memmove(text, text + 3, got -= 3);
    if (got >= 4 && got % 2 == 0 && is_utf_16(text)) text = text_from_utf_16(text, &got);
    if (!text) usage("%s%s%.200s cannot be read: out of memory", what, *what ? " " : "", path);
    text[got] = 0;
    if (!bytes && strlen(text) != got)
        usage("%s%s%.200s is not a text", what, *what ? " " : "", path);
    if (bytes) *bytes = got;
    return text;
}

/* The value of an option that is a text, or @FILE; the caller frees it. */
static char *text_or_file(int id)
{
    const char *text = text_of(id);
    char *copy;
    size_t size = strlen(text) + 1;
    if (text[0] == '@') return read_file(option_name(id), text + 1, NULL);
    copy = (char *)malloc(size);
    if (!copy) usage("%s: out of memory", option_name(id));
    memcpy(copy, text, size);
    return copy;
}

/* The value of an option that is "A", or "A:B" for all from A to B. */
static void limits_of(int id, int64_t *least, int64_t *most)
{
    const char *text = text_of(id);
    char *end;
    errno = 0;
    *least = *most = strtoll(text, &end, 10);
    if (end != text && *end == ':') {
        text = end + 1;
        *most = strtoll(text, &end, 10);
    }
    if (end == text || *end || errno || *least > *most)
        wrong_value(id, text_of(id), options[id].may_be);
}

/* A list of numbers in rows; an item has one or more rows. */
typedef struct table {
    int *numbers;
    size_t count, room;
    size_t *row_ends; /* in numbers */
    size_t *items;    /* the item that each row belongs to */
    size_t rows, row_room;
    int in_one_row; /* an item is one row: CSV, .npy */
} table;

#define FREE_CELLS "0?._" /* of a square, in --givens */

static const char *table_option; /* for messages: whose file is read */

static void table_free(table *t)
{
    free(t->numbers);
    free(t->row_ends);
    free(t->items);
    memset(t, 0, sizeof *t);
}

static void table_number(table *t, int number)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->numbers = (int *)realloc(t->numbers, t->room * sizeof *t->numbers);
        if (!t->numbers) usage("%s: out of memory", table_option);
    }
    t->numbers[t->count++] = number;
}

static void table_row(table *t, size_t item)
{
    if (t->rows == t->row_room) {
        t->row_room = t->row_room ? 2 * t->row_room : 256;
        t->row_ends = (size_t *)realloc(t->row_ends, t->row_room * sizeof *t->row_ends);
        t->items = (size_t *)realloc(t->items, t->row_room * sizeof *t->items);
        if (!t->row_ends || !t->items) usage("%s: out of memory", table_option);
    }
    t->items[t->rows] = item;
    t->row_ends[t->rows++] = t->count;
}

/* Returns the length of row r. *row gets its numbers. */
static size_t table_get(const table *t, size_t r, const int **row)
{
    size_t begin = r ? t->row_ends[r - 1] : 0;
    *row = t->count ? t->numbers + begin : NULL;
    return t->row_ends[r] - begin;
}

/* strtod, without hexadecimal numbers, NaN and numbers above 1e300. */
static double decimal(const char *at, char **end)
{
    double value = strtod(at, end);
    size_t blanks = strspn(at, " \t\r\n");
    if (*end > at + blanks + strspn(at + blanks, "+-.0123456789eE") ||
        !(value >= -1e300 && value <= 1e300))
        *end += at - *end;
    return value;
}

static int parse_int(const char *at, const char **end, int *number)
{
    long value;
    char *stop;
    errno = 0;
    value = strtol(at, &stop, 10);
    *end = stop;
    *number = (int)value;
    return stop != at && !errno && value >= INT_MIN && value <= INT_MAX;
}

/* Converts a number that counts from 1 to one from 0; the least int stays, just as wrong. */
static int from_one(int number)
{
    return number > INT_MIN ? number - 1 : number;
}

/* Nonzero for the keys whose arrays are lists. */
static int is_list_key(const char *key)
{
    static const char *const keys[] = {"squares",      "square",  "solutions",   "rows",
                                       "permutations", "members", "permutation", "member",
                                       "tours",        "tour"};
    size_t i;
    for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (json_is(key, keys[i])) return 1;
    return 0;
}

/* Adds the rows of an array or object: if `wanted`, the innermost arrays. *ids counts arrays and objects;
   `item` is the enclosing array's, 0 without one. Returns the text behind it. */
static const char *json_rows(table *t, const char *at, int depth, int wanted, size_t item,
                             size_t *ids)
{
    const int in_object = *at == '{';
    const size_t id = ++*ids, rows = t->rows;
    int inner = 0, numbers = 0, is_board = 0, number;
    json_walk w = json_begin(at, depth);
    while (json_next(&w)) {
        const int takes = in_object ? is_list_key(w.key) : wanted;
        if (in_object && json_is(w.key, "class")) is_board = 1;
        if (*w.value == '{' || *w.value == '[') {
            inner = 1;
            w.at = json_rows(t, w.value, depth + 1, takes, in_object ? 0 : id, ids);
        } else if (takes && !in_object) {
            numbers = 1;
            if (json_is_number(w.value)) w.at = json_past_number(w.value);
            if (!parse_int(w.value, &at, &number) || at != w.at)
                usage("%s: \"%.*s\" is not a whole number", json_source,
                      json_shown(w.value, json_ends), w.value);
            table_number(t, number);
        }
        if (numbers && inner) usage("%s: a number beside rows of numbers", json_source);
    }
    if (is_board && inner && t->rows == rows) usage("%s: a board without \"rows\"", json_source);
    if (!in_object && wanted && !inner && (item || numbers)) table_row(t, item ? item : id);
    return w.at;
}

/* Reads JSON lines, or the object that --json prints: the integers in arrays that have a list's key
   or no key. The innermost arrays are rows; an array of rows is an item. */
static void read_json(table *t, const char *text, const char *source)
{
    const char *at;
    size_t ids = 0;
    snprintf(json_source, sizeof json_source, "%s %.200s", table_option, source);
    for (at = json_past_blanks(text); *at; at = json_past_blanks(at)) {
        if (*at != '{' && *at != '[') no_json(at);
        at = json_rows(t, at, 0, 1, 0, &ids);
    }
}

/* Skips the first line of CSV, the names of columns. Numbers in it mean that its line end is missing, and an
   item would be lost. */
static const char *csv_names(const char *at, const char *source)
{
    const char *cell;
    for (cell = at; *cell && *cell != '\n'; cell += *cell == ',') {
        cell += strspn(cell, " \t\r");
        if (*cell == '-' || (*cell >= '0' && *cell <= '9'))
            usage("%s %.200s, line 1: \"%.*s\" is not a column name", table_option, source,
                  (int)(strcspn(cell, ",\r\n") > 40 ? 40 : strcspn(cell, ",\r\n")), cell);
        cell += strcspn(cell, ",\n");
    }
    return cell;
}

/* Reads lines of numbers: a line is a row, a blank line ends an item. In CSV a line is an item; the
   first line, and words in the first column, are names. */
static void read_lines(table *t, const char *text, const char *source, int csv)
{
    static const char blanks[] = " \t\r,|";
    size_t item = 0;
    int number, of_line = 1;
    for (; *text; of_line++) {
        const char *end = text + strcspn(text, "\n"), *at = text + strspn(text, blanks);
        size_t before = t->count;
        if (*at == '#') at = end;
        if (csv && of_line == 1) at = csv_names(at, source);
        if (csv && *at >= 'a' && *at <= 'z') at += strcspn(at, ",\n");
        for (at += strspn(at, blanks); at < end; at += strspn(at, blanks)) {
            const char *stop;
            if (!parse_int(at, &stop, &number) || (stop < end && !strchr(blanks, *stop)))
                usage("%s %.200s, line %d: \"%.*s\" is not a whole number%s", table_option, source,
                      of_line,
                      (int)strcspn(at, " \t\r,|\n") > 40 ? 40 : (int)strcspn(at, " \t\r,|\n"), at,
                      cmd.command == COMMAND_MAGIC && strchr(FREE_CELLS, *at)
                          ? "; --givens completes squares with free cells"
                          : "");
            table_number(t, number);
            at = stop;
        }
        if (t->count > before)
            table_row(t, item);
        else
            item++;
        if (csv) item++;
        text = end + (*end == '\n');
    }
}

/* Reads a .npy file of integers in C order. */
static void read_npy(table *t, const char *text, size_t bytes, const char *source)
{
    size_t header, width = 0, item = 1, items = 1, i, k, dimension = 0;
    const char *descr, *shape, *at;
    int is_signed;
    if (bytes < 12) usage("%s %.200s: the .npy header is cut off", table_option, source);
    header = 10 + (size_t)(unsigned char)text[8] + ((size_t)(unsigned char)text[9] << 8);
    descr = strstr(text + 10, "'descr': '");
    shape = strstr(text + 10, "'shape': (");
    if (text[6] != 1 || header > bytes || !descr || !descr[10] || !descr[11] || !shape ||
        shape > text + header)
        usage("%s %.200s: a .npy header of another kind", table_option, source);
    is_signed = descr[11] == 'i';
    if (strchr("|<", descr[10]) && strchr("iu", descr[11])) width = (size_t)(descr[12] - '0');
    if ((width != 1 && width != 2 && width != 4 && width != 8) ||
        strstr(text + 10, "'fortran_order': T"))
        usage("%s %.200s: the .npy array may hold |u1 to <i8 in C order", table_option, source);
    for (at = shape + 10; *at && *at != ')'; dimension++) {
        size_t extent = (size_t)strtoull(at, NULL, 10);
        if (dimension && (!extent || item > 100000000 / extent))
            usage("%s %.200s: an array whose shape is not that of a list", table_option, source);
        if (dimension)
            item *= extent;
        else
            items = extent;
        at += strcspn(at, ",)");
        at += strspn(at, ", ");
    }
    for (i = header; i + width <= bytes; i += width) {
        uint64_t value = 0;
        for (k = 0; k < width; k++)
            value |= (uint64_t)(unsigned char)text[i + k] << 8 * k;
        if (is_signed && width < 8 && value >> (8 * width - 1)) value -= UINT64_C(1) << 8 * width;
        if ((int64_t)value > INT_MAX || (int64_t)value < INT_MIN)
            usage("%s %.200s: a number does not fit 32 bits", table_option, source);
        table_number(t, (int)(int64_t)value);
        if (t->count % item == 0) table_row(t, t->rows);
    }
    if (t->count != (t->rows ? t->row_ends[t->rows - 1] : 0))
        usage("%s %.200s: the last item is cut off", table_option, source);
    if (t->rows != items)
        usage("%s %.200s: the header says %llu items, and there are %llu", table_option, source,
              (unsigned long long)items, (unsigned long long)t->rows);
}

/* Nonzero if white space is the only control characters. */
static int is_text(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' && !strchr("\t\n\v\f\r", *text)) return 0;
    return 1;
}

/* Reads an option's list and recognises its format, except --format bytes: `item` bytes per item. */
static void read_table(table *t, const char *text, size_t bytes, int id, size_t item)
{
    const char *at = text + strspn(text, " \t\r\n"), *source = text_of(id);
    memset(t, 0, sizeof *t);
    table_option = option_name(id);
    if (given(OPTION_FORMAT) && number_of(OPTION_FORMAT, 0) == 4) {
        size_t i;
        if (!item)
            usage("%s with --format bytes needs %s", table_option,
                  cmd.command == COMMAND_MAGIC ? "--order" : "--n");
        for (i = 0; i < bytes; i++) {
            table_number(t, (unsigned char)text[i]);
            if (t->count % item == 0) table_row(t, t->rows);
        }
        if (bytes % item) usage("%s %.200s: the last item is cut off", table_option, source);
        t->in_one_row = 1;
    } else if (bytes >= 6 && !memcmp(text, "\x93NUMPY", 6)) {
        read_npy(t, text, bytes, source);
        t->in_one_row = 1;
    } else if (strlen(text) != bytes || !is_text(text))
        usage("%s %.200s is neither text nor .npy; bytes need --format bytes and %s", table_option,
              source, cmd.command == COMMAND_MAGIC ? "--order" : "--n");
    else if (*at == '{' || *at == '[')
        read_json(t, text, source);
    else {
        t->in_one_row =
            !strncmp(at, "r1c1", 4) || !strncmp(at, "p1", 2) || !strncmp(at, "class,", 6);
        read_lines(t, text, source, t->in_one_row);
    }
    if (!t->rows) usage("%s %.200s holds no numbers", table_option, source);
}

#endif
