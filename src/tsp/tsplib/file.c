/* Reads TSPLIB files: keywords, matrices, instances. */

/* EDGE_WEIGHT_FORMAT. In a symmetric matrix a lower triangle by columns equals the upper one by
   rows. From 2 on: even = above, odd = below the diagonal; from 4 on with the diagonal. */
static const char *const combgpu__tsplib_formats[] = {
    "FUNCTION",       "FULL_MATRIX",    "UPPER_ROW", "LOWER_ROW",
    "UPPER_DIAG_ROW", "LOWER_DIAG_ROW", "LOWER_COL", "UPPER_COL",
    "LOWER_DIAG_COL", "UPPER_DIAG_COL", NULL};

/* Reads a value that is one of several words; a remark may follow, as in TSPLIB's "TYPE: TSP
   (M.~Hofmeister)". *choice gets the word's place; `may` lists the words for the message. */
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
    return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED, "%s is \"%s\"; it may be %s", keyword,
                                combgpu__tsplib_quote(in, value, word), may);
}

/* Reads a keyword with a value. Skips unknown keywords: files have remarks of many kinds. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_keyword(combgpu__tsplib *in, const char *word,
                                                        int word_length)
{
    static const char *const types[] = {"TSP", "ATSP",   "SOP",   "TSPTW",
                                        "HCP", "CVRPTW", "VRPTW", NULL};
    static const char *const tour_types[] = {"TOUR", NULL};
    static const char *const edge_formats[] = {"EDGE_LIST", "ADJ_LIST", NULL};
    int length;
    combgpu_status status = COMBGPU_OK;
    if (combgpu__tsplib_equal(word, word_length, "DIMENSION")) {
        double dimension = 0;
        if (in->dimension)
            return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "DIMENSION is given twice");
        while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == ':'))
            in->at++;
        status = combgpu__tsplib_number(in, 1, COMBGPU_TSP_MAX_DIMENSION, &dimension, "DIMENSION");
        in->dimension = (int)dimension;
    } else if (combgpu__tsplib_equal(word, word_length, "TYPE")) {
        status = combgpu__tsplib_word(in, "TYPE", in->tour ? tour_types : types,
                                      in->tour ? "TOUR" : "TSP, ATSP, SOP, HCP, TSPTW or CVRPTW",
                                      &in->kind);
        if (in->kind > COMBGPU__TSPLIB_HCP) in->kind = 3; /* with a single vehicle */
    } else if (combgpu__tsplib_equal(word, word_length, "EDGE_WEIGHT_TYPE"))
        status =
            combgpu__tsplib_word(in, "EDGE_WEIGHT_TYPE", combgpu__tsplib_metrics,
                                 "EXPLICIT, EUC_2D, CEIL_2D, FLOOR_2D, EXACT_2D, MAN_2D, MAX_2D, "
                                 "ATT, GEO, GEOM, EUC_3D, MAN_3D, MAX_3D, XRAY1 or XRAY2",
                                 &in->metric);
    else if (combgpu__tsplib_equal(word, word_length, "EDGE_WEIGHT_FORMAT"))
        status = combgpu__tsplib_word(in, "EDGE_WEIGHT_FORMAT", combgpu__tsplib_formats,
                                      "FULL_MATRIX, or UPPER, LOWER, UPPER_DIAG or LOWER_DIAG with "
                                      "_ROW or _COL",
                                      &in->format);
    else if (combgpu__tsplib_equal(word, word_length, "EDGE_DATA_FORMAT"))
        status = combgpu__tsplib_word(in, "EDGE_DATA_FORMAT", edge_formats, "EDGE_LIST or ADJ_LIST",
                                      &in->edge_format);
    else if (in->instance && combgpu__tsplib_windows_keyword(in, word, word_length, &status))
        return status;
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

/* Advances row and column to the cell of the format's next number. */
COMBGPU__PRIVATE void combgpu__tsplib_next_cell(int format, int n, int *row, int *column)
{
    int last = format == 3 ? *row - 1 : format == 5 ? *row : n - 1; /* last column of the row */
    if (++*column <= last) return;
    ++*row;
    *column = format == 2 ? *row + 1 : format == 4 ? *row : 0;
}

/* Makes pairs of the weights -1, "the row's city comes after the column's". */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_take_pairs(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    size_t n = (size_t)in->dimension, cells = n * n, i;
    int count = 0, *pairs;
    for (i = 0; i < cells; i++)
        if (instance->weights[i] < 0 && i / n != i % n) {
            if (instance->weights[i] != -1)
                return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                            "the weight from city %d to %d is %g; it may be -1 or "
                                            "0 or more",
                                            (int)(i / n) + 1, (int)(i % n) + 1,
                                            instance->weights[i]);
            if (count++ == COMBGPU_TSP_MAX_PAIRS)
                return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED,
                                            "more than %d pairs of cities with precedence",
                                            COMBGPU_TSP_MAX_PAIRS);
        }
    pairs = (int *)combgpu__allocate(in->ctx, 2 * (size_t)count * sizeof *pairs + 1);
    if (!pairs) return combgpu__no_memory(in->ctx, 2 * (size_t)count * sizeof *pairs + 1);
    instance->before = pairs;
    instance->before_count = count;
    for (i = 0; i < cells; i++)
        if (instance->weights[i] < 0 && i / n != i % n) {
            *pairs++ = (int)(i % n);
            *pairs++ = (int)(i / n);
            instance->weights[i] = 0;
        }
    return COMBGPU_OK;
}

/* Reads EDGE_WEIGHT_SECTION. That of a sequential ordering problem begins with the dimension. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_weights(combgpu__tsplib *in)
{
    combgpu_status status = combgpu__tsplib_section(in, "EDGE_WEIGHT_SECTION", &in->has_weights);
    int n = in->dimension, format = in->format > 5 ? in->format - 4 : in->format, row, column;
    size_t needed, k, size = (size_t)n;
    combgpu__tsplib_count count = combgpu__tsplib_count_ahead(in, 1);
    double *weights = NULL, value = 0;
    if (status) return status;
    if (format < 1 || (format > 1 && in->kind == 2))
        return combgpu__tsplib_fail(
            in, in->kind == 2 ? COMBGPU_UNSUPPORTED : COMBGPU_BAD_FILE,
            in->kind == 2 ? "TYPE is SOP: EDGE_WEIGHT_FORMAT must be FULL_MATRIX"
                          : "EDGE_WEIGHT_SECTION needs EDGE_WEIGHT_FORMAT (and not FUNCTION)");
    needed = format == 1 ? size * size : format < 4 ? size * (size - 1) / 2 : size * (size + 1) / 2;
    if (in->kind == 2 && combgpu__tsplib_peek(in) && combgpu__tsplib_whole(in) == n) {
        in->at += in->length;
        count.numbers--;
    }
    if (count.clean && count.numbers != needed)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "EDGE_WEIGHT_SECTION has %llu numbers; DIMENSION is %d, and "
                                    "%s needs %llu",
                                    (unsigned long long)count.numbers, n,
                                    combgpu__tsplib_formats[in->format],
                                    (unsigned long long)needed);
    if (count.numbers >= needed) { /* else it ends at the first non-number */
        in->instance->weights = weights = combgpu__tsp_doubles(in->ctx, size * size, &status);
        if (status) return status;
        for (k = 0; k < size * size; k++)
            weights[k] = 0;
    }
    row = format == 3; /* without diagonal: lower triangles begin at 1, 0, upper ones at 0, 1 */
    column = format == 2;
    for (k = 0; k < needed; k++) {
        if (combgpu__tsplib_peek(in) && combgpu__tsplib_is_missing(in)) {
            value = COMBGPU_TSP_NO_CONNECTION;
            in->at += in->length;
        } else
            status = combgpu__tsplib_number(
                in, -1e300, 0, &value, "weight %llu of %llu (from city %d to %d)",
                (unsigned long long)k + 1, (unsigned long long)needed, row + 1, column + 1);
        if (status) return status;
        if (weights && row != column) {
            weights[(size_t)row * size + (size_t)column] = value;
            if (format > 1) weights[(size_t)column * size + (size_t)row] = value;
        }
        combgpu__tsplib_next_cell(format, n, &row, &column);
    }
    return COMBGPU_OK;
}

/* Reads a section by its name, or skips a useless one. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_any_section(combgpu__tsplib *in, const char *name,
                                                            int length)
{
    combgpu_status status = COMBGPU_OK;
    if (in->instance && combgpu__tsplib_equal(name, length, "NODE_COORD_SECTION"))
        return combgpu__tsplib_coordinates(in);
    if (in->instance && combgpu__tsplib_equal(name, length, "EDGE_WEIGHT_SECTION"))
        return combgpu__tsplib_weights(in);
    if (in->tour && combgpu__tsplib_equal(name, length, "TOUR_SECTION"))
        return combgpu__tsplib_tour(in);
    if (in->instance && combgpu__tsplib_equal(name, length, "FIXED_EDGES_SECTION"))
        return combgpu__tsplib_fixed(in);
    if (in->instance && combgpu__tsplib_equal(name, length, "EDGE_DATA_SECTION"))
        return combgpu__tsplib_edges(in);
    if (in->instance && combgpu__tsplib_windows_section(in, name, length, &status)) return status;
    while (combgpu__tsplib_peek(in) && combgpu__tsplib_is_number(in)) {
        in->at += in->length;
        in->ended = 1;
    }
    return COMBGPU_OK;
}

/* Reports the error in a token other than a keyword. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_unexpected(combgpu__tsplib *in)
{
    const char *quote = combgpu__tsplib_quote(in, in->token, in->length);
    char first = *in->token;
    if (combgpu__tsplib_is_number(in))
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "the number %s where a keyword is expected: a section has more "
                                    "numbers than it needs",
                                    quote);
    if ((first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z'))
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "\"%s\" is not a keyword (a remark needs \"COMMENT :\" or #)",
                                    quote);
    return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "\"%s\" where a keyword is expected", quote);
}

/* The purpose of a pass over the text. Passes allow keywords and sections in any order. */
typedef enum combgpu__tsplib_walk {
    COMBGPU__TSPLIB_KEYWORDS = 0, /* to read the keywords, */
    COMBGPU__TSPLIB_NODES,        /* to find the number of the first node, */
    COMBGPU__TSPLIB_SECTIONS      /* to read the sections */
} combgpu__tsplib_walk;

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_over(combgpu__tsplib *in, combgpu__tsplib_walk walk)
{
    combgpu_status status = COMBGPU_OK;
    int zero = 0, last = 0;
    while (!status && combgpu__tsplib_peek(in)) {
        const char *word = in->token;
        int line = in->token_line, length;
        combgpu__tsplib_token token = combgpu__tsplib_classify(in, &length);
        if (!token && walk == COMBGPU__TSPLIB_SECTIONS) return combgpu__tsplib_unexpected(in);
        in->at += token ? length : in->length;
        in->eof = in->ended = token == COMBGPU__TSPLIB_EOF;
        if (in->eof) break;
        if (token == COMBGPU__TSPLIB_KEYWORD && walk == COMBGPU__TSPLIB_KEYWORDS)
            status = combgpu__tsplib_keyword(in, word, length);
        else if (token == COMBGPU__TSPLIB_KEYWORD)
            (void)combgpu__tsplib_value(in, &length);
        if (token != COMBGPU__TSPLIB_SECTION || walk == COMBGPU__TSPLIB_KEYWORDS) continue;
        if (combgpu__tsplib_colon(in)) in->at++;
        in->token_line = line; /* messages about the section name this line */
        if (walk == COMBGPU__TSPLIB_SECTIONS)
            status = combgpu__tsplib_any_section(in, word, length);
        else
            combgpu__tsplib_look(in, word, length, &zero, &last);
    }
    if (zero && in->dimension > 1) in->base = 0; /* so that no number of a node is 0 at most */
    if (status || !zero || !last) return status;
    in->token_line = zero > last ? zero : last;
    return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                "nodes 0 (line %d) and %d (line %d): they must be numbered from 1 "
                                "to %d, or from 0 to %d",
                                zero, in->dimension, last, in->dimension, in->dimension - 1);
}

/* Reads the whole text. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_read(combgpu__tsplib *in)
{
    const char *begin = in->at;
    int line = in->line, walk;
    combgpu_status status = combgpu__tsplib_over(in, COMBGPU__TSPLIB_KEYWORDS);
    for (walk = COMBGPU__TSPLIB_NODES; !status && walk <= COMBGPU__TSPLIB_SECTIONS; walk++) {
        in->at = begin;
        in->line = line;
        status = combgpu__tsplib_over(in, (combgpu__tsplib_walk)walk);
    }
    return status;
}

/* Checks that weights fit the type, which may be missing. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_check_type(combgpu__tsplib *in)
{
    const double *weights = in->instance->weights;
    size_t n = (size_t)in->dimension, i, j;
    if (in->kind > 0 || in->instance->symmetric) return COMBGPU_OK;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double there = weights[j * n + i], back = weights[i * n + j];
            if (in->kind < 0 && i != j && there == -1)
                return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                            "TYPE is missing: the weight from city %d to %d is -1, "
                                            "which means precedence in a SOP and not in an ATSP",
                                            (int)j + 1, (int)i + 1);
            if (!in->kind && j < i && !combgpu__tsp_alike(there, back))
                return combgpu__tsplib_fail(
                    in, COMBGPU_BAD_FILE,
                    "TYPE is TSP, but the weight from city %d to %d is %g and back %g: for such "
                    "weights it must be ATSP",
                    (int)j + 1, (int)i + 1, there, back);
        }
    return COMBGPU_OK;
}

/* Returns the missing or contradictory part, or NULL. */
COMBGPU__PRIVATE const char *combgpu__tsplib_wrong(const combgpu__tsplib *in)
{
    int hcp = in->kind == COMBGPU__TSPLIB_HCP, sparse = hcp || in->edge_weight;
    if (!in->dimension) return "the file ends: DIMENSION is missing";
    if ((hcp || in->edge_format >= 0) && !in->edges)
        return "the file ends: EDGE_DATA_SECTION is missing";
    if (sparse && in->has_weights) return "the file has two sections of weights";
    if (sparse && in->metric > 0) return "the edges and EDGE_WEIGHT_TYPE both give weights";
    if (hcp && in->edge_weight) return "TYPE is HCP, but the edges have weights: it must be TSP";
    if (in->metric < 0 && !in->has_weights && !sparse)
        return "the file ends: EDGE_WEIGHT_TYPE is missing";
    if (in->metric <= 0 && !in->has_weights && !sparse)
        return "the file ends: EDGE_WEIGHT_SECTION is missing";
    if (in->metric > 0 && !in->has_coordinates)
        return "the file ends: NODE_COORD_SECTION is missing";
    if (in->metric > 0 && in->has_weights)
        return "EDGE_WEIGHT_SECTION is given, but EDGE_WEIGHT_TYPE is not EXPLICIT";
    if (in->kind == 3 && !in->has_windows) return "the file ends: TIME_WINDOW_SECTION is missing";
    if (in->kind == 2 && in->metric > 0) return "TYPE is SOP: EDGE_WEIGHT_TYPE must be EXPLICIT";
    return NULL;
}

/* Checks that nothing is missing, then computes the weights. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_build(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    const char *wrong = combgpu__tsplib_wrong(in);
    combgpu_status status;
    if (wrong) return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s", wrong);
    if (in->metric < 0) in->metric = COMBGPU_TSP_MATRIX;
    instance->n = in->dimension;
    instance->metric = (combgpu_tsp_metric)in->metric;
    status = in->kind == 2 ? combgpu__tsplib_take_pairs(in) : COMBGPU_OK;
    if (!status) status = combgpu__tsplib_windows_finish(in);
    if (!status && in->metric)
        status = combgpu__tsp_measure_instance(in->ctx, instance, COMBGPU_TSP_MAX_MATRIX);
    if (!status && in->edges) combgpu__tsplib_take_edges(in);
    if (!status && !instance->metric) status = combgpu__tsp_classify(in->ctx, instance);
    if (status == COMBGPU_INVALID_ARGUMENT) { /* an impossible coordinate or distance */
        char reason[200];
        snprintf(reason, sizeof reason, "%.199s", combgpu_message(in->ctx));
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s", reason);
    }
    return status || !instance->weights ? status : combgpu__tsplib_check_type(in);
}

/* Refuses a text whose last number may be the beginning of a longer one. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_check_end(combgpu__tsplib *in)
{
    if (in->ended || in->at < in->end || combgpu__tsplib_space(in->end[-1])) return COMBGPU_OK;
    return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                "the file ends within a line: it may be cut off. If it is "
                                "whole, end the line");
}

/* Reads an instance, or a tour of n cities. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_text(combgpu_context *ctx, const char *source,
                                                     const char *text, size_t bytes,
                                                     combgpu_tsp_instance *instance, int n,
                                                     int *tour)
{
    combgpu__tsplib in;
    combgpu_status status;
    size_t length;
    if (!text) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "text is NULL");
    memset(&in, 0, sizeof in);
    in.ctx = ctx;
    in.source = source;
    in.at = text;
    in.end = text + bytes;
    in.line = 1;
    in.kind = in.metric = in.format = in.edge_format = -1;
    in.instance = instance;
    in.tour = tour;
    in.n = n;
    length = (size_t)snprintf(in.quote, sizeof in.quote, "%.1f", 0.5) - 2; /* of the point */
    memcpy(in.point, in.quote + 1, length < sizeof in.point ? length : 1);
    if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) in.at += 3; /* UTF-8 byte order mark */
    in.service_time = in.capacity = -1;
    in.base = 1;
    if (instance && combgpu__tsplib_points_begin(&in)) {
        status = combgpu__tsplib_points_read(&in);
        if (!status) status = combgpu__tsplib_build(&in);
    } else if (instance && combgpu__tsplib_windows_begin(&in))
        status = combgpu__tsplib_windows_read(&in);
    else if (tour && combgpu__tsplib_peek(&in) && combgpu__tsplib_is_number(&in))
        status = combgpu__tsplib_list(&in);
    else {
        status = combgpu__tsplib_read(&in);
        if (!status && instance) status = combgpu__tsplib_build(&in);
        if (!status && tour && !in.has_tour)
            status = combgpu__tsplib_fail(&in, COMBGPU_BAD_FILE,
                                          "the file ends: TOUR_SECTION is missing");
    }
    if (!status && instance) status = combgpu__tsplib_check_end(&in);
    if (status) combgpu_tsp_free(ctx, instance);
    combgpu__release(ctx, in.edges);
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
#ifdef COMBGPU__FILES
    status = combgpu__read_file(ctx, path, &bytes, &size);
    if (!status && !bytes)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s does not exist", path);
#else
    status =
        combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                      "%s: this build cannot read files; use the function that reads text", path);
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
