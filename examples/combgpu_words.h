/* Lists of words, as perm --items writes them, read back as numbers: each word becomes its place among
   the items. */
#ifndef COMBGPU_EXAMPLES_WORDS_H
#define COMBGPU_EXAMPLES_WORDS_H

#include "combgpu_input.h"

/* Writes the number of a word of `length` bytes, and a blank; returns where it ends. */
static char *put_word_number(char *to, const char *const *words, int n, const char *at,
                             size_t length, const char *source)
{
    int i = 0;
    while (i < n && (strlen(words[i]) != length || memcmp(words[i], at, length)))
        i++;
    if (i == n)
        usage("--check %.200s: \"%.*s\" is none of --items", source,
              length < 100 ? (int)length : 100, at);
    if (i >= 10) *to++ = (char)('0' + i / 10);
    *to++ = (char)('0' + i % 10);
    *to++ = ' ';
    return to;
}

/* Of a .npy file of words of a fixed width, padded with zero bytes: n words a line. */
static char *npy_word_numbers(char *to, const char *text, size_t bytes, const char *const *words,
                              int n, const char *source)
{
    size_t header = 10, width = 0, at;
    const char *descr;
    int i = 0;
    if (bytes >= 12)
        header += (size_t)(unsigned char)text[8] + ((size_t)(unsigned char)text[9] << 8);
    descr = bytes < header || bytes < 12 ? NULL : strstr(text + 10, "'|S");
    if (descr) width = (size_t)strtoul(descr + 3, NULL, 10);
    if (!width || (bytes - header) % width)
        usage("--check %.200s is no whole .npy array of words", source);
    for (at = header; at < bytes; at += width) {
        const char *end = (const char *)memchr(text + at, 0, width);
        size_t length = end ? (size_t)(end - text) - at : width;
        to = put_word_number(to, words, n, text + at, length, source);
        if (++i % n == 0) *to++ = '\n';
    }
    return to;
}

/* Returns the list as lines of numbers, for the caller to free. Text and CSV have a member in a line, JSON
   in brackets; of the object of --json the array is read. */
static char *word_numbers(const char *text, size_t bytes, const char *const *words, int n,
                          const char *source)
{
    char *numbers = (char *)malloc(3 * bytes + 1), *to = numbers;
    const char *at = text + strspn(text, " \t\r\n");
    int is_json = *at == '[' || *at == '{', in_row = 0;
    if (!numbers) usage("--check %.200s is too large", source);
    if (bytes >= 6 && !memcmp(text, "\x93NUMPY", 6)) {
        *npy_word_numbers(to, text, bytes, words, n, source) = 0;
        return numbers;
    }
    if (*at == '{') at = strstr(at, "\"permutations\": [");
    if (!at) usage("--check %.200s has no array \"permutations\"", source);
    if (*at == '"') at = strchr(at, '[');
    if (!strncmp(at, "p1,", 3)) at += strcspn(at, "\n"); /* the first line of CSV */
    while (*at) {
        size_t length = strcspn(at, " ,\"[]\t\r\n");
        if (length) {
            to = put_word_number(to, words, n, at, length, source);
            in_row = 1;
            at += length;
            continue;
        }
        if (*at == (is_json ? ']' : '\n')) {
            if (in_row) *to++ = '\n';
            /* the end of the object's array */
            if (is_json && !in_row) break;
            in_row = 0;
        }
        at++;
    }
    *to = 0;
    return numbers;
}

#endif
