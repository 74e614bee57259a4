/* Recognises lists in files: the header, the ends of items, complete items; and checks the file that a resumed
   run continues. */
#ifndef COMBGPU_EXAMPLES_LIST_ITEM_H
#define COMBGPU_EXAMPLES_LIST_ITEM_H

#include "combgpu_files.h"

enum list_format {
    LIST_TEXT,
    LIST_CSV,
    LIST_JSONL,
    LIST_NPY,
    LIST_BYTES,
    LIST_RLE,
    LIST_FLAMMENKAMP,
    LIST_DRAW,
    LIST_IN_JSON /* inside the object of --json */
};

enum { NPY_HEADER = 128 };

static struct {
    int begun;   /* 2: and opened, at the first item or the end: a refused command harms no file */
    int resumed; /* as it was when the list began: the run writes a checkpoint of its own */
    int more;    /* the file has what earlier runs wrote */
    FILE *to;
    const char *key, *label; /* in JSON, and the first column of CSV or NULL */
    enum list_format format;
    int rows, columns; /* of an item */
    int width;         /* bytes of a number in .npy: 1 or 4; words: their length */
    int words;         /* the items are words */
    uint64_t count;
    FILE *spool; /* .npy to a pipe: the count is known only at the end */
    int failed;  /* writing failed */
} list;

/* The end of an item, or NULL: all items have equally many bytes. */
static const char *item_end(void)
{
    int square = cmd.command == COMMAND_MAGIC && list.rows > 1 && !given(OPTION_ONE_LINE);
    switch (list.format) {
    case LIST_NPY:
    case LIST_BYTES:
        return NULL;
    case LIST_RLE:
        return "!\n\n";
    case LIST_DRAW:
        return "\n\n";
    default:
        return list.format == LIST_TEXT && square ? "\n\n" : "\n";
    }
}

/* Nonzero if numbers are a complete item, down to the last digit. */
static int numbers_whole(const int *numbers, int count)
{
    const int n = list.rows, last = (list.rows - 1) * list.columns;
    int used[128] = {0}, sum = 0, i;
    if (count != list.rows * list.columns) return 0;
    if (cmd.command == COMMAND_MAGIC) { /* the last row has the sum of the first */
        for (i = 0; i < list.columns; i++)
            sum += numbers[i] - numbers[last + i];
        return !sum;
    }
    for (i = 0; i < count; i++) /* boards have two points in each column */
        if (numbers[i] < 0 || numbers[i] >= n || used[numbers[i]]++ == 2) return 0;
    return 1;
}

/* Nonzero if a text is an item that lacks no more than the ends of its lines. */
static int item_whole(const char *text)
{
    int numbers[2 * 128 + 1], count = 0, cells = 0;
    size_t length = strlen(text);
    const char *at = text;
    char *end;
    while (length && text[length - 1] == '\n')
        length--;
    switch (list.format) {
    case LIST_JSONL:
        return length > 2 && text[length - 1] == (cmd.command == COMMAND_NO3 ? '}' : ']') &&
               (list.rows == 1 || cmd.command == COMMAND_NO3 || text[length - 2] == ']');
    case LIST_RLE:
        return length && text[length - 1] == '!';
    case LIST_FLAMMENKAMP:
        return length == 2 * (size_t)list.rows + 1;
    case LIST_DRAW:
        for (; *at; at++)
            cells += *at == 'o' || *at == '.';
        return cells == list.rows * list.rows;
    default:
        if (cmd.command == COMMAND_NO3) at += strcspn(at, " ,"); /* the class */
        for (; count < 2 * 128 + 1; at = end) {
            at += strspn(at, " ,\n");
            numbers[count] = (int)strtol(at, &end, 10);
            if (end == at) break;
            count++;
        }
        return !*at && numbers_whole(numbers, count);
    }
}

/* The most bytes of an item: more without an end are not a list. */
static size_t item_most(void)
{
    return 512 + (size_t)list.rows * (size_t)(list.rows + list.columns) * 16;
}

/* ---- is the file a list of this run? */

/* Only a list of an earlier run may be cut off and continued. */
static void list_refuse(void)
{
    usage("--output %.200s is not what an earlier run wrote with this --format; --resume continues "
          "the file: give another one, or remove it",
          text_of(OPTION_OUTPUT));
}

/* The name of a column of CSV. */
static void csv_name(int r, int c, char *text, size_t size)
{
    if (list.rows == 1)
        snprintf(text, size, "p%d", c);
    else
        snprintf(text, size, "r%dc%d", r, c);
}

/* Reads an expected text from a file, or its beginning if the file ends there. */
static void list_expect(FILE *file, const char *text)
{
    int c;
    for (; *text && (c = getc(file)) != EOF; text++)
        if (c != *text) list_refuse();
}

/* Skips the header of the list, which must be that of this one. Returns its bytes, 0 if it is
   incomplete. */
static uint64_t list_pass_header(FILE *file)
{
    char text[NPY_HEADER + 1];
    int r, c;
    size_t got;
    if (list.format == LIST_CSV) {
        if (list.label) list_expect(file, list.label);
        for (r = 1; r <= list.rows; r++)
            for (c = 1; c <= list.columns; c++) {
                if (list.label || r > 1 || c > 1) list_expect(file, ",");
                csv_name(r, c, text, sizeof text);
                list_expect(file, text);
            }
        list_expect(file, "\n");
        return feof(file) ? 0 : (uint64_t)ftell(file);
    }
    if (list.format != LIST_NPY) return 0;
    got = fread(text, 1, NPY_HEADER, file);
    if (memcmp(text, "\x93NUMPY", got < 6 ? got : 6)) list_refuse();
    return got == NPY_HEADER ? got : 0;
}

/* Nonzero if bytes of a list without item ends are numbers of an item. */
static int bytes_whole(const char *bytes, size_t length)
{
    int numbers[2 * 128], k;
    size_t i, count = (size_t)list.rows * (size_t)list.columns;
    if (length != count * (size_t)list.width || count > 2 * 128) return 0;
    for (i = 0; i < count; i++) {
        unsigned value = 0;
        for (k = list.width; k-- > 0;)
            value = value << 8 | (unsigned char)bytes[i * (size_t)list.width + (size_t)k];
        numbers[i] = (int)value;
    }
    return numbers_whole(numbers, (int)count);
}

/* Nonzero if all characters may occur in such a list, also those of an incomplete item. */
static int item_characters(const char *text, size_t length)
{
    const int magic = cmd.command == COMMAND_MAGIC, draw = list.format == LIST_DRAW;
    const int least = magic, most = magic ? list.rows * list.columns : list.rows - 1; /* bytes */
    size_t i;
    if (list.format == LIST_RLE && strncmp(text, "#C ", length < 3 ? length : 3)) return 0;
    for (i = 0; i < length; i++) {
        const int c = (unsigned char)text[i];
        if (list.format == LIST_BYTES && (c < least || c > most)) return 0;
        if (!item_end()) continue;
        if (c < ' ' && c != '\n') return 0;
        if ((draw || magic) && !strchr(draw ? "o. \n" : "0123456789-, []\n", c)) return 0;
    }
    return 1;
}

/* Checks the first item of the file that a resumed run continues. */
static void list_look(void)
{
    const char *end = item_end();
    const size_t most = item_most(), want = end ? strlen(end) : 0,
                 bytes = (size_t)list.width * (size_t)list.rows * (size_t)list.columns;
    FILE *file = fopen(text_of(OPTION_OUTPUT), "rb");
    char *text = (char *)malloc(most + 1);
    size_t length = 0;
    int c, whole = 0;
    if (!text) usage("--resume: out of memory for the list of --output");
    if (file) list_pass_header(file);
    while (file && !whole && length < most && (c = getc(file)) != EOF) {
        text[length++] = (char)c;
        whole = end ? length >= want && !memcmp(text + length - want, end, want) : length == bytes;
    }
    text[length] = 0;
    if (!whole && length == most) list_refuse();
    if (!item_characters(text, length) || (whole && end && !item_whole(text))) list_refuse();
    if (!end && whole && !bytes_whole(text, length)) list_refuse();
    free(text);
    if (file) (void)fclose(file);
}

#endif
