/* A text reader: `at` advances past what was read. */

/* A position in a text; `line` counts from 1. */
typedef struct combgpu__reader {
    const char *at, *end;
    int line;
} combgpu__reader;

/* Moves past `word` and returns 1 if it comes next; else returns 0. */
COMBGPU__PRIVATE int combgpu__read_word(combgpu__reader *reader, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length)) return 0;
    reader->at += length;
    if (length && word[length - 1] == '\n') reader->line++;
    return 1;
}

/* Reads a 64-bit number in base 10 or 16; returns 0 if it is missing or too large. */
COMBGPU__PRIVATE int combgpu__read_number(combgpu__reader *reader, unsigned base, uint64_t *value)
{
    int digits = 0;
    *value = 0;
    for (; reader->at < reader->end; reader->at++, digits++) {
        char c = *reader->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        if (digit >= base) break;
        if (*value > (UINT64_MAX - digit) / base) return 0;
        *value = *value * base + digit;
    }
    return digits > 0;
}
