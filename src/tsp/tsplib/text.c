/* Reads the words and numbers of a TSPLIB file.

   A file has lines "KEYWORD : value", and sections of numbers that wrap anywhere. A token that begins
   with # begins a remark, up to the end of the line. Every function of the reader returns OK or sets
   the message, which names the line of the last token. */

#define COMBGPU__TSPLIB_NONE 1e308 /* a number still missing: none in a file is as large */
#define COMBGPU__TSPLIB_HCP 4      /* a place in the list of TYPEs */

/* EDGE_WEIGHT_TYPE in the order of combgpu_tsp_metric, EXPLICIT for MATRIX, LKH's EXACT_2D for PLANE.
   Files never have EARTH: no word equals a space. */
static const char *const combgpu__tsplib_metrics[] = {
    "EXPLICIT", "EUC_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "ATT",      "GEO",  "EXACT_2D", " ",
    "EUC_3D",   "MAN_3D", "MAX_3D",  "XRAY1",  "XRAY2",  "FLOOR_2D", "GEOM", NULL};

typedef struct combgpu__tsplib {
    combgpu_context *ctx;
    const char *source; /* a path, or "text" */
    const char *at, *end;
    int line;
    const char *token; /* the last one read */
    int length, token_line;
    int eof;       /* the word EOF is read */
    int ended;     /* the last token ends a list, or the text: more would not change it */
    char point[8]; /* strtod's decimal point: that of the locale, which may have several bytes */
    char quote[48];
    /* from keywords; -1 or 0 = missing so far */
    int dimension, metric, format, kind, edge_format;
    int has_tour, has_weights, has_coordinates;
    int base;        /* the number of the first node: 1, or 0 */
    double *edges;   /* of a sparse graph: weights[n*n] of its edges, else no connection; or NULL */
    int edge_weight; /* they are the file's, not 1 */
    /* of files with time windows: sections seen, and the vehicle's data */
    int has_windows, has_service, depots;
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

/* Moves to the end of the line. */
COMBGPU__PRIVATE void combgpu__tsplib_skip_line(combgpu__tsplib *in)
{
    while (in->at < in->end && *in->at != '\n' && *in->at != '\r')
        in->at++;
}

/* Moves to the next token (text without spaces) without reading it. Returns 0 at the end. */
COMBGPU__PRIVATE int combgpu__tsplib_peek(combgpu__tsplib *in)
{
    const char *p;
    for (; in->at < in->end && (combgpu__tsplib_space(*in->at) || *in->at == '#'); in->at++) {
        if (*in->at == '#') combgpu__tsplib_skip_line(in);
        if (in->at == in->end) break;
        in->line += *in->at == '\n';
    }
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
        in->ended = 0;
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
    while (in->at < in->end && *in->at != '\n' && *in->at != '\r' &&
           (combgpu__tsplib_space(*in->at) || (*in->at == ':' && !colons++)))
        in->at++;
    value = in->at;
    combgpu__tsplib_skip_line(in);
    in->ended = 0;
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

/* Nonzero for a word that means "no connection" in place of a weight. */
COMBGPU__PRIVATE int combgpu__tsplib_is_missing(const combgpu__tsplib *in)
{
    static const char *const words[] = {"INF",  "+INF", "INFINITY", "+INFINITY", "NAN",
                                        "NULL", "NONE", "NA",       "-",         NULL};
    return combgpu__tsplib_choice(in->token, in->length, words) >= 0;
}

/* Returns the token as a whole number below 10^9, or -1. */
COMBGPU__PRIVATE int combgpu__tsplib_whole(const combgpu__tsplib *in)
{
    int i, number = 0;
    for (i = 0; i < in->length; i++) {
        if (in->token[i] < '0' || in->token[i] > '9' || i == 9) return -1;
        number = 10 * number + (in->token[i] - '0');
    }
    return in->length ? number : -1;
}

/* Nonzero if a ':' follows on this line, to which it moves. */
COMBGPU__PRIVATE int combgpu__tsplib_colon(combgpu__tsplib *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
        in->at++;
    return in->at < in->end && *in->at == ':';
}

/* A token's role for the reader of a whole text. */
typedef enum combgpu__tsplib_token {
    COMBGPU__TSPLIB_OTHER = 0,
    COMBGPU__TSPLIB_EOF,
    COMBGPU__TSPLIB_SECTION,
    COMBGPU__TSPLIB_KEYWORD
} combgpu__tsplib_token;

/* Classifies the token; *length gets that of the word, without a ':' and what follows. */
COMBGPU__PRIVATE combgpu__tsplib_token combgpu__tsplib_classify(const combgpu__tsplib *in,
                                                                int *length)
{
    static const char *const without_colon[] = {"NAME",
                                                "TYPE",
                                                "COMMENT",
                                                "DIMENSION",
                                                "CAPACITY",
                                                "EDGE_WEIGHT_TYPE",
                                                "EDGE_WEIGHT_FORMAT",
                                                "EDGE_DATA_FORMAT",
                                                "NODE_COORD_TYPE",
                                                "DISPLAY_DATA_TYPE",
                                                NULL};
    const char *word = in->token;
    const char *colon = in->length ? (const char *)memchr(word, ':', (size_t)in->length) : NULL;
    combgpu__tsplib ahead = *in;
    *length = colon ? (int)(colon - word) : in->length;
    ahead.at = word + *length;
    if (!*length || !((*word >= 'A' && *word <= 'Z') || (*word >= 'a' && *word <= 'z')))
        return COMBGPU__TSPLIB_OTHER;
    if (combgpu__tsplib_equal(word, *length, "EOF")) return COMBGPU__TSPLIB_EOF;
    if (*length > 8 && combgpu__tsplib_equal(word + *length - 8, 8, "_SECTION"))
        return COMBGPU__TSPLIB_SECTION;
    return combgpu__tsplib_colon(&ahead) ||
                   combgpu__tsplib_choice(word, *length, without_colon) >= 0
               ? COMBGPU__TSPLIB_KEYWORD
               : COMBGPU__TSPLIB_OTHER;
}

/* The numbers of a section, counted before they are read. */
typedef struct combgpu__tsplib_count {
    size_t numbers;
    int across; /* in the first line */
    int clean;  /* a keyword follows, or the end */
} combgpu__tsplib_count;

/* With `weights`, words for no connection are numbers. */
COMBGPU__PRIVATE combgpu__tsplib_count combgpu__tsplib_count_ahead(const combgpu__tsplib *in,
                                                                   int weights)
{
    combgpu__tsplib ahead = *in;
    combgpu__tsplib_count count;
    int line = 0, length;
    memset(&count, 0, sizeof count);
    while (combgpu__tsplib_peek(&ahead) &&
           (combgpu__tsplib_is_number(&ahead) || (weights && combgpu__tsplib_is_missing(&ahead)))) {
        if (!count.numbers++) line = ahead.token_line;
        count.across += ahead.token_line == line;
        ahead.at += ahead.length;
    }
    count.clean = !ahead.length || combgpu__tsplib_classify(&ahead, &length);
    return count;
}

/* Checks that a section is the first of its kind, and that DIMENSION is known. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_section(combgpu__tsplib *in, const char *name,
                                                        int *seen)
{
    if ((*seen)++) return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is given twice", name);
    if (!in->dimension)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s needs DIMENSION, which is missing",
                                    name);
    return COMBGPU_OK;
}
