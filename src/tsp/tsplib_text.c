/* The words and numbers of a TSPLIB file.

   A file has lines "KEYWORD : value", and sections of numbers that wrap anywhere. Every function of
   the reader returns OK or sets the message, which names the line of the last token. */

typedef struct combgpu__tsplib {
    combgpu_context *ctx;
    const char *source; /* a path, or "text" */
    const char *at, *end;
    int line;
    const char *token; /* the last one read */
    int length, token_line;
    char point[8]; /* strtod's decimal point: that of the locale, which may have several bytes */
    char quote[48];
    /* from keywords; -1 or 0 = missing so far */
    int dimension, metric, format, kind, coordinates;
    int has_tour, has_weights, has_coordinates;
    /* of files with time windows: sections seen, and what is said of the vehicle */
    int has_windows, has_service, depots, ends;
    double service_time, capacity, demand; /* -1 = not given; the sum */
    combgpu_tsp_instance *instance;        /* to be read: an instance, */
    int *tour;                             /* or a tour of n cities */
    int n;
} combgpu__tsplib;

/* Sets the message "SOURCE, line N: reason". */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_fail(combgpu__tsplib *in, combgpu_status status,
                                                     const char *format, ...) COMBGPU__PRINTF(3, 4);
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_fail(combgpu__tsplib *in, combgpu_status status,
                                                     const char *format, ...)
{
    char reason[300];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return combgpu__fail(in->ctx, status, "%.150s, line %d: %s", in->source, in->token_line,
                         reason);
}

/* Returns text from the file for a message: printable, at most 40 bytes. */
COMBGPU__PRIVATE const char *combgpu__tsplib_quote(combgpu__tsplib *in, const char *text,
                                                   int length)
{
    int i, most = length > 40 ? 40 : length;
    for (i = 0; i < most; i++)
        in->quote[i] = text[i] >= ' ' && text[i] < 127 ? text[i] : '?';
    snprintf(in->quote + most, 4, "%s", length > 40 ? "..." : "");
    return in->quote;
}

COMBGPU__PRIVATE int combgpu__tsplib_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Moves to the next token (text without spaces) without reading it. Returns 0 at the end. */
COMBGPU__PRIVATE int combgpu__tsplib_peek(combgpu__tsplib *in)
{
    const char *p;
    for (; in->at < in->end && combgpu__tsplib_space(*in->at); in->at++)
        in->line += *in->at == '\n';
    for (p = in->at; p < in->end && !combgpu__tsplib_space(*p);)
        p++;
    in->token = in->at;
    in->token_line = in->line;
    in->length = p - in->at < 100000 ? (int)(p - in->at) : 100000;
    return in->length > 0;
}

COMBGPU__PRIVATE int combgpu__tsplib_digits(const char **p, const char *end)
{
    int digits = 0;
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
        digits++;
    return digits;
}

/* Classifies the token: 0 = no number, 1 = integer, 2 = decimal: [+-] digits [. digits] [e [+-]
   digits]. */
COMBGPU__PRIVATE int combgpu__tsplib_is_number(const combgpu__tsplib *in)
{
    const char *p = in->token, *end = p + in->length;
    int digits, kind = 1;
    if (p < end && (*p == '+' || *p == '-')) p++;
    digits = combgpu__tsplib_digits(&p, end);
    if (p < end && *p == '.') {
        kind = 2;
        p++;
        digits += combgpu__tsplib_digits(&p, end);
    }
    if (digits && p < end && (*p == 'e' || *p == 'E')) {
        kind = 2;
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        digits = combgpu__tsplib_digits(&p, end);
    }
    return digits && p == end ? kind : 0;
}

/* Reads the next token as a number; `format` names it in messages. It must be an integer least ..
   most, or, if most is 0, a number of at least `least`. Sets *value only if it is valid: callers
   convert it to int. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_number(combgpu__tsplib *in, double least, int most,
                                                       double *value, const char *format, ...)
    COMBGPU__PRINTF(5, 6);
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_number(combgpu__tsplib *in, double least, int most,
                                                       double *value, const char *format, ...)
{
    enum { ROOM = 128 };
    char text[ROOM + sizeof in->point], what[128];
    const char *point;
    int there = combgpu__tsplib_peek(in), kind = combgpu__tsplib_is_number(in), whole;
    double number = 0;
    va_list args;
    if (kind && in->length < ROOM) {
        point = (const char *)memchr(in->token, '.', (size_t)in->length);
        whole = point ? (int)(point - in->token) : in->length;
        snprintf(text, sizeof text, "%.*s%s%.*s", whole, in->token, point ? in->point : "",
                 point ? in->length - whole - 1 : 0, point ? point + 1 : "");
        number = strtod(text, NULL);
        in->at += in->length;
        if (fabs(number) <= (kind == 1 ? 9007199254740991.0 : 1e300) && number >= least &&
            (!most || (number <= most && number == combgpu__floor(number)))) {
            *value = number;
            return COMBGPU_OK;
        }
    }
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (!there) return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the file ends before %s", what);
    combgpu__tsplib_quote(in, in->token, in->length);
    if (!kind)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is \"%s\", not a number", what,
                                    in->quote);
    if (in->length >= ROOM)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s has %d digits; it may have 127", what,
                                    in->length);
    if (most)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is %s; it may be %.0f to %d", what,
                                    in->quote, least, most);
    if (number < least && number > -1e300)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is %s; it may be %g or more", what,
                                    in->quote, least);
    return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                "%s is %s, which is too large: integers must be below 2^53, "
                                "decimals at most 1e300",
                                what, in->quote);
}

/* Returns a keyword's value: the rest of the line after an optional ':', without outer spaces. */
COMBGPU__PRIVATE const char *combgpu__tsplib_value(combgpu__tsplib *in, int *length)
{
    const char *value, *end;
    int colons = 0;
    while (in->at < in->end && *in->at != '\n' &&
           (combgpu__tsplib_space(*in->at) || (*in->at == ':' && !colons++)))
        in->at++;
    value = in->at;
    while (in->at < in->end && *in->at != '\n')
        in->at++;
    for (end = in->at; end > value && combgpu__tsplib_space(end[-1]);)
        end--;
    *length = end - value < 100000 ? (int)(end - value) : 100000;
    return value;
}

/* Nonzero if the text is the word, in either case. */
COMBGPU__PRIVATE int combgpu__tsplib_equal(const char *text, int length, const char *word)
{
    int i;
    for (i = 0; i < length && word[i]; i++)
        if ((text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]) != word[i]) return 0;
    return i == length && !word[i];
}

/* Returns the text's place in a list of words that ends with NULL, or -1. */
COMBGPU__PRIVATE int combgpu__tsplib_choice(const char *text, int length, const char *const *words)
{
    int i;
    for (i = 0; words[i]; i++)
        if (combgpu__tsplib_equal(text, length, words[i])) return i;
    return -1;
}

/* Checks that a section is the first of its kind and comes after DIMENSION. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_section(combgpu__tsplib *in, const char *name,
                                                        int *seen)
{
    if ((*seen)++) return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is given twice", name);
    if (!in->dimension)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "DIMENSION must come before %s", name);
    return COMBGPU_OK;
}
