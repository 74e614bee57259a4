/* ---- TSPLIB files

   Lines "KEYWORD : value" and sections of numbers that wrap anywhere. Every function of the reader
   returns OK or has set the message, which names the line of the last token. */

typedef struct combgpu__tsplib {
    combgpu_context *ctx;
    const char *source; /* a path, or "text" */
    const char *at, *end;
    int line;
    const char *token; /* the last one read */
    int length, token_line;
    char point; /* strtod's decimal point: the C library's locale decides */
    char quote[48];
    /* from keywords; -1 or 0 = not yet given */
    int dimension, metric, format, kind;
    int has_tour, has_weights, has_coordinates;
    combgpu_tsp_instance *instance; /* what is read: this, */
    int *tour;                      /* or a tour of n cities */
    int n;
} combgpu__tsplib;

/* "SOURCE, line N: reason". */
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

/* Text from the file as it may stand in a message: printable, at most 40 bytes. */
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

/* Moves to the next token (text without spaces); 0 at the end. Does not take it. */
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

/* Is the token a number? 0 no, 1 an integer, 2 a decimal. [+-] digits [. digits] [e [+-] digits] */
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

/* Reads the next token as a number; `format` says what it is for, in messages. If most is not 0 it
   must be an integer least .. most, else at least `least`. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_number(combgpu__tsplib *in, double least, int most,
                                                       double *value, const char *format, ...)
    COMBGPU__PRINTF(5, 6);
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_number(combgpu__tsplib *in, double least, int most,
                                                       double *value, const char *format, ...)
{
    char text[128], what[128], *point;
    int there = combgpu__tsplib_peek(in), kind = combgpu__tsplib_is_number(in);
    va_list args;
    if (kind && in->length < (int)sizeof text) {
        memcpy(text, in->token, (size_t)in->length);
        text[in->length] = 0;
        point = strchr(text, '.');
        if (point) *point = in->point;
        *value = strtod(text, NULL);
        in->at += in->length;
        if (fabs(*value) <= (kind == 1 ? 9007199254740991.0 : 1e300) && *value >= least &&
            (!most || (*value <= most && *value == combgpu__floor(*value))))
            return COMBGPU_OK;
    }
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (!there) return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the file ends before %s", what);
    combgpu__tsplib_quote(in, in->token, in->length);
    if (!kind)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is \"%s\", no number", what,
                                    in->quote);
    if (in->length >= (int)sizeof text)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s has %d digits; it may have 127", what,
                                    in->length);
    if (most)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is %s; it may be %.0f to %d", what,
                                    in->quote, least, most);
    if (*value<least && * value> - 1e300)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is %s; it may be %g or more", what,
                                    in->quote, least);
    return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                "%s is %s, which is too large: integers must be below 2^53, "
                                "decimals at most 1e300",
                                what, in->quote);
}

/* The value of a keyword: the rest of the line after an optional ':', without spaces around it. */
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

/* Words may be written in small letters. */
COMBGPU__PRIVATE int combgpu__tsplib_equal(const char *text, int length, const char *word)
{
    int i;
    for (i = 0; i < length && word[i]; i++)
        if ((text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]) != word[i]) return 0;
    return i == length && !word[i];
}

/* The place of the text in a list of words that ends with NULL, or -1. */
COMBGPU__PRIVATE int combgpu__tsplib_choice(const char *text, int length, const char *const *words)
{
    int i;
    for (i = 0; words[i]; i++)
        if (combgpu__tsplib_equal(text, length, words[i])) return i;
    return -1;
}

/* EDGE_WEIGHT_TYPE in the order of combgpu_tsp_metric, EXPLICIT for MATRIX. */
static const char *const combgpu__tsplib_metrics[] = {"EXPLICIT", "EUC_2D", "CEIL_2D", "MAN_2D",
                                                      "MAX_2D",   "ATT",    "GEO",     NULL};

/* EDGE_WEIGHT_FORMAT. Of a symmetric matrix a lower triangle by columns is the upper one by rows:
   from 2 on, even = above, odd = below the diagonal; from 4 on it holds the diagonal. */
static const char *const combgpu__tsplib_formats[] = {
    "FUNCTION",       "FULL_MATRIX",    "UPPER_ROW", "LOWER_ROW",
    "UPPER_DIAG_ROW", "LOWER_DIAG_ROW", "LOWER_COL", "UPPER_COL",
    "LOWER_DIAG_COL", "UPPER_DIAG_COL", NULL};

/* The value as one of some words; a remark may follow it, as in TSPLIB's "TYPE: TSP (M.~Hofmeister)".
   *choice gets its place; `may` names the words. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_word(combgpu__tsplib *in, const char *keyword,
                                                     const char *const *words, const char *may,
                                                     int *choice)
{
    int length, word = 0;
    const char *value = combgpu__tsplib_value(in, &length);
    while (word < length && !combgpu__tsplib_space(value[word]))
        word++;
    *choice = combgpu__tsplib_choice(value, word, words);
    if (*choice >= 0) return COMBGPU_OK;
    return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED, "%s is \"%s\"; this reads %s", keyword,
                                combgpu__tsplib_quote(in, value, word), may);
}

/* A keyword with a value. Unknown ones are passed over: files carry remarks of many kinds. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_keyword(combgpu__tsplib *in, const char *word,
                                                        int word_length)
{
    static const char *const types[] = {"TSP", "ATSP", NULL}, *const tour_types[] = {"TOUR", NULL};
    static const char *const kinds[] = {"TWOD_COORDS", "NO_COORDS", NULL};
    int length, ignored;
    combgpu_status status = COMBGPU_OK;
    if (combgpu__tsplib_equal(word, word_length, "DIMENSION")) {
        double dimension = 0;
        if (in->dimension)
            return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "DIMENSION is given twice");
        while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == ':'))
            in->at++;
        status = combgpu__tsplib_number(in, 1, COMBGPU_TSP_MAX_DIMENSION, &dimension, "DIMENSION");
        in->dimension = (int)dimension;
    } else if (combgpu__tsplib_equal(word, word_length, "TYPE"))
        status = combgpu__tsplib_word(in, "TYPE", in->tour ? tour_types : types,
                                      in->tour ? "TOUR" : "TSP and ATSP", &in->kind);
    else if (combgpu__tsplib_equal(word, word_length, "EDGE_WEIGHT_TYPE"))
        status = combgpu__tsplib_word(in, "EDGE_WEIGHT_TYPE", combgpu__tsplib_metrics,
                                      "EXPLICIT, EUC_2D, CEIL_2D, MAN_2D, MAX_2D, ATT, GEO",
                                      &in->metric);
    else if (combgpu__tsplib_equal(word, word_length, "EDGE_WEIGHT_FORMAT"))
        status = combgpu__tsplib_word(in, "EDGE_WEIGHT_FORMAT", combgpu__tsplib_formats,
                                      "FULL_MATRIX, and UPPER, LOWER, UPPER_DIAG, LOWER_DIAG with "
                                      "_ROW or _COL",
                                      &in->format);
    else if (combgpu__tsplib_equal(word, word_length, "NODE_COORD_TYPE"))
        status = combgpu__tsplib_word(in, "NODE_COORD_TYPE", kinds, "TWOD_COORDS and NO_COORDS",
                                      &ignored);
    else {
        const char *value = combgpu__tsplib_value(in, &length);
        int i, most = (int)sizeof in->instance->name - 1;
        if (!in->instance || !combgpu__tsplib_equal(word, word_length, "NAME")) return COMBGPU_OK;
        for (i = 0; i < length && i < most; i++)
            in->instance->name[i] = (unsigned char)value[i] < ' ' ? '?' : value[i];
        in->instance->name[i] = 0;
    }
    return status;
}

/* What a section needs: DIMENSION before it, and that it is the first of its kind. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_section(combgpu__tsplib *in, const char *name,
                                                        int *seen)
{
    if ((*seen)++) return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "a second %s", name);
    if (!in->dimension)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "DIMENSION must come before %s", name);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_coordinates(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    int n = in->dimension, i, city;
    combgpu_status status = combgpu__tsplib_section(in, "NODE_COORD_SECTION", &in->has_coordinates);
    if (!status) instance->x = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    if (!status) instance->y = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    for (i = 0; !status && i < n; i++)
        instance->x[i] = HUGE_VAL; /* not yet given: no number in a file is infinite */
    for (i = 1; !status && i <= n; i++) {
        double node = 1, x = 0, y = 0;
        status = combgpu__tsplib_number(in, 1, n, &node, "node number %d of %d", i, n);
        city = (int)node;
        if (!status && instance->x[city - 1] < HUGE_VAL)
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "node %d is given twice", city);
        if (!status)
            status = combgpu__tsplib_number(in, -1e300, 0, &x, "a coordinate of node %d", city);
        if (!status)
            status = combgpu__tsplib_number(in, -1e300, 0, &y, "a coordinate of node %d", city);
        if (status) break;
        instance->x[city - 1] = x;
        instance->y[city - 1] = y;
    }
    return status;
}

/* Where the k-th number of the format goes: row and column; the triangles count along. */
COMBGPU__PRIVATE void combgpu__tsplib_next_cell(int format, int n, int *row, int *column)
{
    int last = format == 3 ? *row - 1 : format == 5 ? *row : n - 1; /* column that ends the row */
    if (++*column <= last) return;
    ++*row;
    *column = format == 2 ? *row + 1 : format == 4 ? *row : 0;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_weights(combgpu__tsplib *in)
{
    combgpu_status status = combgpu__tsplib_section(in, "EDGE_WEIGHT_SECTION", &in->has_weights);
    int n = in->dimension, format = in->format > 5 ? in->format - 4 : in->format, row, column;
    size_t count, k, size = (size_t)n;
    double *weights = NULL, value;
    if (status) return status;
    if (format < 1)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "EDGE_WEIGHT_FORMAT (and not FUNCTION) must come before "
                                    "EDGE_WEIGHT_SECTION");
    count = format == 1 ? size * size : format < 4 ? size * (size - 1) / 2 : size * (size + 1) / 2;
    /* a file of a few bytes cannot make us allocate a large matrix: each number needs two */
    if ((size_t)(in->end - in->at) / 2 + 1 >= count) {
        weights = combgpu__tsp_doubles(in->ctx, size * size, &status);
        if (status) return status;
        in->instance->weights = weights;
        for (k = 0; k < size * size; k++)
            weights[k] = 0;
    }
    row = format == 3; /* a lower triangle without diagonal begins in row 1, an upper one at 0, 1 */
    column = format == 2;
    for (k = 0; k < count; k++) {
        status = combgpu__tsplib_number(
            in, row == column ? -1e300 : 0, 0, &value, "weight %llu of %llu (from city %d to %d)",
            (unsigned long long)k + 1, (unsigned long long)count, row + 1, column + 1);
        if (status) return status;
        if (weights && row != column) {
            weights[(size_t)row * size + (size_t)column] = value;
            if (format > 1) weights[(size_t)column * size + (size_t)row] = value;
        }
        combgpu__tsplib_next_cell(format, n, &row, &column);
    }
    return COMBGPU_OK;
}

/* The cities of a tour, up to -1 or the end. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_tour(combgpu__tsplib *in)
{
    int i, count;
    combgpu_status status;
    if (!in->dimension) in->dimension = in->n;
    status = combgpu__tsplib_section(in, "TOUR_SECTION", &in->has_tour);
    if (!status && in->dimension != in->n)
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                      "the tour has DIMENSION %d; %d cities are asked for",
                                      in->dimension, in->n);
    for (count = 0; !status; count++) {
        double city = 0;
        if (!combgpu__tsplib_peek(in) || combgpu__tsplib_equal(in->token, in->length, "-1") ||
            combgpu__tsplib_equal(in->token, in->length, "EOF"))
            break;
        status = combgpu__tsplib_number(in, 1, in->n, &city, "city %d of the tour", count + 1);
        for (i = 0; !status && i < count; i++)
            if (in->tour[i] == (int)city - 1)
                status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the tour visits city %d twice",
                                              (int)city);
        if (!status) in->tour[count] = (int)city - 1;
    }
    if (!status && count < in->n)
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the tour ends after %d of %d cities",
                                      count, in->n);
    for (i = 0; !status && i < 2; i++) /* -1 ends a tour, a second one the section */
        if (combgpu__tsplib_peek(in) && combgpu__tsplib_equal(in->token, in->length, "-1"))
            in->at += in->length;
    return status;
}

/* A section, by its name; what is of no use here is passed over. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_any_section(combgpu__tsplib *in, const char *name,
                                                            int length)
{
    int line = in->token_line;
    if (in->at < in->end && *in->at == ':') in->at++;
    if (combgpu__tsplib_peek(in) && combgpu__tsplib_equal(in->token, in->length, ":")) in->at++;
    in->token_line = line; /* what complaints about the section itself name */
    if (in->instance && combgpu__tsplib_equal(name, length, "NODE_COORD_SECTION"))
        return combgpu__tsplib_coordinates(in);
    if (in->instance && combgpu__tsplib_equal(name, length, "EDGE_WEIGHT_SECTION"))
        return combgpu__tsplib_weights(in);
    if (in->tour && combgpu__tsplib_equal(name, length, "TOUR_SECTION"))
        return combgpu__tsplib_tour(in);
    if (combgpu__tsplib_equal(name, length, "FIXED_EDGES_SECTION") ||
        combgpu__tsplib_equal(name, length, "EDGE_DATA_SECTION"))
        return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED, "this does not read %s",
                                    combgpu__tsplib_quote(in, name, length));
    while (combgpu__tsplib_peek(in) && combgpu__tsplib_is_number(in))
        in->at += in->length;
    return COMBGPU_OK;
}

/* Does a ':' follow on this line? */
COMBGPU__PRIVATE int combgpu__tsplib_colon(combgpu__tsplib *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
        in->at++;
    return in->at < in->end && *in->at == ':';
}

/* Reads all of the text, keyword by keyword. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_read(combgpu__tsplib *in)
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
    combgpu_status status = COMBGPU_OK;
    while (!status && combgpu__tsplib_peek(in)) {
        const char *word = in->token, *colon = (const char *)memchr(word, ':', (size_t)in->length);
        int length = colon ? (int)(colon - word) : in->length;
        if (combgpu__tsplib_is_number(in))
            return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                        "the number %s where a keyword is expected: a section has "
                                        "more numbers than it needs",
                                        combgpu__tsplib_quote(in, word, length));
        if (!length || !((*word >= 'A' && *word <= 'Z') || (*word >= 'a' && *word <= 'z')))
            return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "\"%s\" where a keyword is expected",
                                        combgpu__tsplib_quote(in, word, in->length));
        in->at += length;
        if (combgpu__tsplib_equal(word, length, "EOF")) break;
        if (length > 8 && combgpu__tsplib_equal(word + length - 8, 8, "_SECTION"))
            status = combgpu__tsplib_any_section(in, word, length);
        else if (combgpu__tsplib_colon(in) ||
                 combgpu__tsplib_choice(word, length, without_colon) >= 0)
            status = combgpu__tsplib_keyword(in, word, length);
        else
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                          "\"%s\" is no keyword (a remark needs \"COMMENT :\")",
                                          combgpu__tsplib_quote(in, word, length));
    }
    return status;
}

/* What must have been given, then the weights. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_build(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    const char *missing = in->kind < 0                              ? "TYPE"
                          : !in->dimension                          ? "DIMENSION"
                          : in->metric < 0                          ? "EDGE_WEIGHT_TYPE"
                          : in->metric == 0 && !in->has_weights     ? "EDGE_WEIGHT_SECTION"
                          : in->metric != 0 && !in->has_coordinates ? "NODE_COORD_SECTION"
                                                                    : NULL;
    size_t n = (size_t)in->dimension, i, j;
    combgpu_status status;
    if (missing)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the file ends, %s is missing", missing);
    if (in->metric != 0 && in->has_weights)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "EDGE_WEIGHT_TYPE is %s, yet there is an EDGE_WEIGHT_SECTION",
                                    combgpu__tsplib_metrics[in->metric]);
    instance->n = in->dimension;
    instance->metric = (combgpu_tsp_metric)in->metric;
    status = in->metric ? combgpu__tsp_measure_instance(in->ctx, instance)
                        : combgpu__tsp_classify(in->ctx, instance);
    if (status == COMBGPU_INVALID_ARGUMENT) { /* a coordinate or a distance that cannot be */
        char reason[200];
        snprintf(reason, sizeof reason, "%.199s", in->ctx->message);
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s", reason);
    }
    if (status || in->kind == 1 || instance->symmetric) return status;
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            if (instance->weights[i * n + j] != instance->weights[j * n + i])
                return combgpu__tsplib_fail(
                    in, COMBGPU_BAD_FILE,
                    "TYPE is TSP, but the weight from city %d to %d is %g and back %g: it may be "
                    "ATSP",
                    (int)j + 1, (int)i + 1, instance->weights[j * n + i],
                    instance->weights[i * n + j]);
    return status;
}

/* Reads an instance, or a tour of n cities. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_text(combgpu_context *ctx, const char *source,
                                                     const char *text, size_t bytes,
                                                     combgpu_tsp_instance *instance, int n,
                                                     int *tour)
{
    combgpu__tsplib in;
    combgpu_status status;
    if (!text) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "text is NULL");
    memset(&in, 0, sizeof in);
    in.ctx = ctx;
    in.source = source;
    in.at = text;
    in.end = text + bytes;
    in.line = 1;
    in.kind = in.metric = in.format = -1;
    in.instance = instance;
    in.tour = tour;
    in.n = n;
    snprintf(in.quote, sizeof in.quote, "%.1f", 0.5);
    in.point = in.quote[1];
    if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) in.at += 3; /* UTF-8's mark */
    status = combgpu__tsplib_read(&in);
    if (!status && instance) status = combgpu__tsplib_build(&in);
    if (!status && tour && !in.has_tour)
        status =
            combgpu__tsplib_fail(&in, COMBGPU_BAD_FILE, "the file ends, TOUR_SECTION is missing");
    if (status) combgpu_tsp_free(ctx, instance);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_file(combgpu_context *ctx, const char *path,
                                                     combgpu_tsp_instance *instance, int n,
                                                     int *tour)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    combgpu_status status;
    if (!path) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "path is NULL");
#if !defined(COMBGPU_NO_STDIO) && (defined(__unix__) || defined(__APPLE__)) &&                     \
    defined(CLOCK_MONOTONIC)
    status = combgpu__read_file(ctx, path, &bytes, &size);
    if (!status && !bytes)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s does not exist", path);
#else
    status = combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                           "%s: this build has no files; use the function that reads text", path);
#endif
    if (!status)
        status = combgpu__tsplib_text(ctx, path, (const char *)bytes, size, instance, n, tour);
    combgpu__release(ctx, bytes);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp_read(combgpu_context *ctx, const char *path,
                                             combgpu_tsp_instance *instance)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, 1, instance);
    return status ? status : combgpu__tsplib_file(ctx, path, instance, 0, NULL);
}

COMBGPU__DEF combgpu_status combgpu_tsp_parse(combgpu_context *ctx, const char *text, size_t bytes,
                                              combgpu_tsp_instance *instance)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, 1, instance);
    return status ? status : combgpu__tsplib_text(ctx, "text", text, bytes, instance, 0, NULL);
}

COMBGPU__DEF combgpu_status combgpu_tsp_read_tour(combgpu_context *ctx, const char *path, int n,
                                                  int *tour)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_tour_size(ctx, n, tour);
    return status ? status : combgpu__tsplib_file(ctx, path, NULL, n, tour);
}

COMBGPU__DEF combgpu_status combgpu_tsp_parse_tour(combgpu_context *ctx, const char *text,
                                                   size_t bytes, int n, int *tour)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_tour_size(ctx, n, tour);
    return status ? status : combgpu__tsplib_text(ctx, "text", text, bytes, NULL, n, tour);
}

