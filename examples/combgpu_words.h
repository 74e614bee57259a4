/* Finds the word nearest to a mistyped one, and reads lists of words, as perm --items writes them, as numbers:
   the positions of the words among the items. */
#ifndef COMBGPU_EXAMPLES_WORDS_H
#define COMBGPU_EXAMPLES_WORDS_H

#include "combgpu_input.h"
#include "combgpu_names.h"

enum { NEAR_BYTES = 64 }; /* longer words are not near any */

static int lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* Returns the number of insertions, deletions, replacements and swaps of neighbours between two words, ignoring
   case. */
static int edits(const char *a, const char *b)
{
    int rows[3][NEAR_BYTES], i,
        j; /* rows[i % 3][j]: of the first i bytes of a and the first j of b */
    for (i = 0; !i || a[i - 1]; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        row[0] = i;
        for (j = 1; b[j - 1]; j++) {
            int ca = i ? lower_case(a[i - 1]) : 0, cb = lower_case(b[j - 1]);
            row[j] = i ? above[j - 1] + (ca != cb) : j;
            if (row[j - 1] + 1 < row[j]) row[j] = row[j - 1] + 1;
            if (i && above[j] + 1 < row[j]) row[j] = above[j] + 1;
            if (i > 1 && j > 1 && ca == lower_case(b[j - 2]) && lower_case(a[i - 2]) == cb &&
                rows[(i + 1) % 3][j - 2] + 1 < row[j])
                row[j] = rows[(i + 1) % 3][j - 2] + 1;
        }
    }
    return rows[(i + 2) % 3][strlen(b)];
}

/* Returns the word that was probably meant: the first with the fewest edits, if few for its length; else one that
   begins with what was typed. NULL if none is near. */
static const char *nearest_word(const char *word, const char *const *words, int count)
{
    const char *nearest = NULL;
    int length = (int)strlen(word), least = (length + 1) / 3 + 1, i, j;
    if (length >= NEAR_BYTES) return NULL;
    for (i = 0; i < count; i++) {
        int distance = strlen(words[i]) < NEAR_BYTES ? edits(word, words[i]) : least;
        if (distance >= least) continue;
        least = distance;
        nearest = words[i];
    }
    for (i = 0; i < count && !nearest && length > 2; i++) {
        for (j = 0; word[j] && lower_case(word[j]) == lower_case(words[i][j]);)
            j++;
        if (!word[j]) nearest = words[i];
    }
    return nearest;
}

/* Returns "; did you mean PREFIX..." with the nearest of the words, "" if none is near. */
static const char *did_you_mean(const char *word, const char *prefix, const char *const *words,
                                int count)
{
    static char text[120];
    const char *nearest = nearest_word(word, words, count);
    *text = 0;
    if (nearest) snprintf(text, sizeof text, "; did you mean %s%s?", prefix, nearest);
    return text;
}

/* Returns the number of the word of `length` bytes at `at`, or n. */
static int word_number(const char *const *words, int n, const char *at, size_t length)
{
    int i = 0;
    while (i < n && (strlen(words[i]) != length || memcmp(words[i], at, length)))
        i++;
    return i;
}

/* Writes the number of a word, and a blank; returns their end. */
static char *put_word_number(char *to, int number, int n, const char *at, size_t length,
                             const char *source)
{
    if (number == n)
        usage("--check %.200s: \"%.*s\" is not in --items", source,
              length < 100 ? (int)length : 100, at);
    if (number >= 10) *to++ = (char)('0' + number / 10);
    *to++ = (char)('0' + number % 10);
    *to++ = ' ';
    return to;
}

/* Reads a .npy file of words of fixed width, padded with zero bytes: `length` words per line. */
static char *npy_word_numbers(char *to, const char *text, size_t bytes, const char *const *words,
                              int n, int length, const char *source)
{
    size_t header = 10, width = 0, at;
    const char *descr;
    int i = 0;
    if (bytes >= 12)
        header += (size_t)(unsigned char)text[8] + ((size_t)(unsigned char)text[9] << 8);
    descr = bytes < header || bytes < 12 ? NULL : strstr(text + 10, "'|S");
    if (descr) width = (size_t)strtoul(descr + 3, NULL, 10);
    if (!width || (bytes - header) % width)
        usage("--check %.200s is not a complete .npy array of words", source);
    for (at = header; at < bytes; at += width) {
        const char *end = (const char *)memchr(text + at, 0, width);
        size_t size = end ? (size_t)(end - text) - at : width;
        to =
            put_word_number(to, word_number(words, n, text + at, size), n, text + at, size, source);
        if (++i % length == 0) *to++ = '\n';
    }
    return to;
}

/* Finds a JSON string, without its quotes: as written, or decoded. */
static int json_word_number(const char *const *words, int n, const char *at, size_t length)
{
    int number = word_number(words, n, at, length), i;
    name_text wanted, word;
    if (number < n) return number;
    name_from_json(&wanted, at, at + length);
    for (i = 0; i < n; i++) {
        const char *from = words[i];
        memset(&word, 0, sizeof word);
        while (*from)
            from = name_add_from(&word, from);
        if (!strcmp(word.text, wanted.text)) return i;
    }
    return n;
}

/* Returns the bytes of a quoted word of CSV at `at`, where "" is one quote; 0 if it is another word. */
static size_t quoted_length(const char *word, const char *at)
{
    const char *from = at + 1;
    for (; *word && *from == *word && (*from != '"' || from[1] == '"'); word++)
        from += *from == '"' ? 2 : 1;
    return !*word && from[0] == '"' && from[1] != '"' ? (size_t)(from + 1 - at) : 0;
}

/* Returns its number; *length gets all its bytes. */
static int quoted_word_number(const char *const *words, int n, const char *at, size_t *length)
{
    size_t size = 0;
    int i = 0;
    while (i < n && !(size = quoted_length(words[i], at)))
        i++;
    if (i < n) *length = size;
    return i;
}

/* Returns the array of JSON, as lines of numbers. */
static char *json_word_numbers(char *to, const char *at, const char *const *words, int n,
                               const char *source)
{
    int in_row = 0;
    for (; *at; at++) {
        if (*at == '"') {
            const char *begin = ++at;
            while (*at && *at != '"')
                at += *at == '\\' && at[1] ? 2 : 1;
            if (!*at) usage("--check %.200s: a string does not end", source);
            to = put_word_number(to, json_word_number(words, n, begin, (size_t)(at - begin)), n,
                                 begin, (size_t)(at - begin), source);
            in_row = 1;
        } else if (*at == ']') {
            if (!in_row) break; /* the end of the object's array */
            *to++ = '\n';
            in_row = 0;
        } else if (!strchr("[, \t\r\n", *at))
            usage("--check %.200s: \"%.20s\" is not JSON", source, at);
    }
    return to;
}

/* Returns lines of words as lines of numbers. In CSV a quote begins a quoted word; in text it may, too. */
static char *line_word_numbers(char *to, const char *at, int csv, const char *const *words, int n,
                               const char *source)
{
    static const char ends[] = " ,\t\r\n";
    int in_row = 0;
    while (*at) {
        size_t length = strcspn(at, ends);
        int number = csv && *at == '"' ? n : word_number(words, n, at, length);
        if (*at == '\n' && in_row) {
            *to++ = '\n';
            in_row = 0;
        }
        at += !length;
        if (!length) continue;
        if (number == n && *at == '"') number = quoted_word_number(words, n, at, &length);
        to = put_word_number(to, number, n, at, length, source);
        in_row = 1;
        at += length;
    }
    return to;
}

/* Returns the list as lines of numbers, for the caller to free; a member has `length` of the n words. Members are
   lines in text and CSV, brackets in JSON, and an array in the object of --json. */
static char *word_numbers(const char *text, size_t bytes, const char *const *words, int n,
                          int length, const char *source)
{
    char *numbers = (char *)malloc(3 * bytes + 1), *to = numbers;
    const char *at = text + strspn(text, " \t\r\n");
    char opener = at[0] ? at[1 + strspn(at + 1, " \t\r\n[")] : '\0';
    size_t names = strspn(at, "p0123456789,"); /* the first line of CSV */
    if (!numbers) usage("--check %.200s cannot be read: out of memory", source);
    if (bytes >= 6 && !memcmp(text, "\x93NUMPY", 6))
        to = npy_word_numbers(to, text, bytes, words, n, length, source);
    else if ((*at == '{' || *at == '[') && opener == '"') {
        const char *array = *at == '{' ? strstr(at, "\"permutations\": [") : at;
        if (!array) array = strstr(at, "\"members\": [");
        if (!array) usage("--check %.200s has no array \"permutations\"", source);
        at = array;
        to = json_word_numbers(to, at + strcspn(at, "["), words, n, source);
    } else if (!strncmp(at, length > 1 ? "p1," : "p1", length > 1 ? 3 : 2) &&
               strchr("\r\n", at[names]) && at[names])
        to = line_word_numbers(to, at + names, 1, words, n, source);
    else
        to = line_word_numbers(to, at, 0, words, n, source);
    *to = 0;
    return numbers;
}

#endif
