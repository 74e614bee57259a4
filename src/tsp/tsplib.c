/* The reader of TSPLIB files: sections, instances, tours. */

/* EDGE_WEIGHT_TYPE in the order of combgpu_tsp_metric, EXPLICIT for MATRIX. PLANE and EARTH are not
   in files: no word equals a space. */
static const char *const combgpu__tsplib_metrics[] = {
    "EXPLICIT", "EUC_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "ATT",   "GEO", " ",
    " ",        "EUC_3D", "MAN_3D",  "MAX_3D", "XRAY1",  "XRAY2", NULL};

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
    static const char *const types[] = {"TSP", "ATSP", "SOP", "TSPTW", "CVRPTW", "VRPTW", NULL};
    static const char *const tour_types[] = {"TOUR", NULL};
    static const char *const kinds[] = {"TWOD_COORDS", "NO_COORDS", "THREED_COORDS", NULL};
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
        status =
            combgpu__tsplib_word(in, "TYPE", in->tour ? tour_types : types,
                                 in->tour ? "TOUR" : "TSP, ATSP, SOP, TSPTW or CVRPTW", &in->kind);
        if (in->kind > 3) in->kind = 3; /* of vehicles there is one */
    } else if (combgpu__tsplib_equal(word, word_length, "EDGE_WEIGHT_TYPE"))
        status =
            combgpu__tsplib_word(in, "EDGE_WEIGHT_TYPE", combgpu__tsplib_metrics,
                                 "EXPLICIT, EUC_2D, CEIL_2D, MAN_2D, MAX_2D, ATT, GEO, EUC_3D, "
                                 "MAN_3D, MAX_3D, XRAY1 or XRAY2",
                                 &in->metric);
    else if (combgpu__tsplib_equal(word, word_length, "EDGE_WEIGHT_FORMAT"))
        status = combgpu__tsplib_word(in, "EDGE_WEIGHT_FORMAT", combgpu__tsplib_formats,
                                      "FULL_MATRIX, or UPPER, LOWER, UPPER_DIAG or LOWER_DIAG with "
                                      "_ROW or _COL",
                                      &in->format);
    else if (combgpu__tsplib_equal(word, word_length, "NODE_COORD_TYPE"))
        status = combgpu__tsplib_word(in, "NODE_COORD_TYPE", kinds,
                                      "TWOD_COORDS, THREED_COORDS or NO_COORDS", &in->coordinates);
    else if (in->instance && combgpu__windows_keyword(in, word, word_length, &status))
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

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_coordinates(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    int n = in->dimension, i, city;
    int has_z = in->coordinates == 2 || combgpu__tsp_has_z((combgpu_tsp_metric)in->metric);
    combgpu_status status = combgpu__tsplib_section(in, "NODE_COORD_SECTION", &in->has_coordinates);
    if (!status) instance->x = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    if (!status) instance->y = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    if (!status && has_z) instance->z = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    for (i = 0; !status && i < n; i++)
        instance->x[i] = HUGE_VAL; /* missing so far: no number in a file is infinite */
    for (i = 1; !status && i <= n; i++) {
        double node = 1, x = 0, y = 0, z = 0;
        status = combgpu__tsplib_number(in, 1, n, &node, "node number %d of %d", i, n);
        city = (int)node;
        if (!status && instance->x[city - 1] < HUGE_VAL)
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "node %d is given twice", city);
        if (!status)
            status = combgpu__tsplib_number(in, -1e300, 0, &x, "a coordinate of node %d", city);
        if (!status)
            status = combgpu__tsplib_number(in, -1e300, 0, &y, "a coordinate of node %d", city);
        if (!status && has_z)
            status = combgpu__tsplib_number(in, -1e300, 0, &z, "a coordinate of node %d", city);
        if (status) break;
        instance->x[city - 1] = x;
        instance->y[city - 1] = y;
        if (has_z) instance->z[city - 1] = z;
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

/* Begins the weights of a sequential ordering problem: TSPLIB repeats the dimension there. */
COMBGPU__PRIVATE combgpu_status combgpu__sop_section(combgpu__tsplib *in, int format)
{
    char dimension[16];
    snprintf(dimension, sizeof dimension, "%d", in->dimension);
    if (format != 1)
        return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED,
                                    "TYPE is SOP: EDGE_WEIGHT_FORMAT must be FULL_MATRIX");
    if (combgpu__tsplib_peek(in) && combgpu__tsplib_equal(in->token, in->length, dimension))
        in->at += in->length;
    return COMBGPU_OK;
}

/* Makes pairs of the weights -1, "the row's city comes after the column's". */
COMBGPU__PRIVATE combgpu_status combgpu__sop_take_pairs(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    size_t n = (size_t)in->dimension, cells = n * n, i;
    int count = 0, *pairs;
    if (in->metric)
        return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED,
                                    "TYPE is SOP: EDGE_WEIGHT_TYPE must be EXPLICIT");
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

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_weights(combgpu__tsplib *in)
{
    combgpu_status status = combgpu__tsplib_section(in, "EDGE_WEIGHT_SECTION", &in->has_weights);
    int n = in->dimension, format = in->format > 5 ? in->format - 4 : in->format, row, column;
    size_t count, k, size = (size_t)n;
    double *weights = NULL, value = 0;
    if (status) return status;
    if (format < 1)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "EDGE_WEIGHT_FORMAT (and not FUNCTION) must come before "
                                    "EDGE_WEIGHT_SECTION");
    if (in->kind == 2) {
        status = combgpu__sop_section(in, format);
        if (status) return status;
    }
    count = format == 1 ? size * size : format < 4 ? size * (size - 1) / 2 : size * (size + 1) / 2;
    /* each number takes two bytes, so a short file cannot cause a large allocation */
    if ((size_t)(in->end - in->at) / 2 + 1 >= count) {
        weights = combgpu__tsp_doubles(in->ctx, size * size, &status);
        if (status) return status;
        in->instance->weights = weights;
        for (k = 0; k < size * size; k++)
            weights[k] = 0;
    }
    row = format == 3; /* without diagonal: lower triangles begin at 1, 0, upper ones at 0, 1 */
    column = format == 2;
    for (k = 0; k < count; k++) {
        status = combgpu__tsplib_number(in,
                                        row == column   ? -1e300
                                        : in->kind == 2 ? -1
                                                        : 0,
                                        0, &value, "weight %llu of %llu (from city %d to %d)",
                                        (unsigned long long)k + 1, (unsigned long long)count,
                                        row + 1, column + 1);
        if (status) return status;
        if (weights && row != column) {
            weights[(size_t)row * size + (size_t)column] = value;
            if (format > 1) weights[(size_t)column * size + (size_t)row] = value;
        }
        combgpu__tsplib_next_cell(format, n, &row, &column);
    }
    return COMBGPU_OK;
}

/* Reads the fixed edges, up to -1; no more than cities. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_fixed(combgpu__tsplib *in)
{
    int seen = in->instance->fixed != NULL, count;
    combgpu_status status = combgpu__tsplib_section(in, "FIXED_EDGES_SECTION", &seen);
    size_t bytes = 2 * (size_t)in->dimension * sizeof(int);
    if (!status) {
        in->instance->fixed = (int *)combgpu__allocate_zeroed(in->ctx, bytes);
        if (!in->instance->fixed) return combgpu__no_memory(in->ctx, bytes);
    }
    for (count = 0; !status; count++) {
        double from = 1, to = 1;
        if (!combgpu__tsplib_peek(in)) break;
        if (combgpu__tsplib_equal(in->token, in->length, "-1")) {
            in->at += in->length;
            break;
        }
        if (!combgpu__tsplib_is_number(in)) break;
        if (count == in->dimension)
            return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                        "FIXED_EDGES_SECTION has more than %d edges", count);
        status = combgpu__tsplib_number(in, 1, in->dimension, &from, "fixed edge %d", count + 1);
        if (!status)
            status = combgpu__tsplib_number(in, 1, in->dimension, &to, "fixed edge %d", count + 1);
        in->instance->fixed[2 * count] = (int)from - 1;
        in->instance->fixed[2 * count + 1] = (int)to - 1;
    }
    in->instance->fixed_count = count;
    return status;
}

/* Reads the cities of a tour, up to -1 or the end. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_tour(combgpu__tsplib *in)
{
    int i, count;
    combgpu_status status;
    if (!in->dimension) in->dimension = in->n;
    status = combgpu__tsplib_section(in, "TOUR_SECTION", &in->has_tour);
    if (!status && in->dimension != in->n)
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                      "DIMENSION is %d; the tour must have %d cities",
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

/* Reads a section by its name, or skips one that is of no use here. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_any_section(combgpu__tsplib *in, const char *name,
                                                            int length)
{
    int line = in->token_line;
    combgpu_status status = COMBGPU_OK;
    if (in->at < in->end && *in->at == ':') in->at++;
    if (combgpu__tsplib_peek(in) && combgpu__tsplib_equal(in->token, in->length, ":")) in->at++;
    in->token_line = line; /* messages about the section name this line */
    if (in->instance && combgpu__tsplib_equal(name, length, "NODE_COORD_SECTION"))
        return combgpu__tsplib_coordinates(in);
    if (in->instance && combgpu__tsplib_equal(name, length, "EDGE_WEIGHT_SECTION"))
        return combgpu__tsplib_weights(in);
    if (in->tour && combgpu__tsplib_equal(name, length, "TOUR_SECTION"))
        return combgpu__tsplib_tour(in);
    if (in->instance && combgpu__tsplib_equal(name, length, "FIXED_EDGES_SECTION"))
        return combgpu__tsplib_fixed(in);
    if (in->instance && combgpu__windows_section(in, name, length, &status)) return status;
    if (combgpu__tsplib_equal(name, length, "EDGE_DATA_SECTION"))
        return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED, "%s is not supported",
                                    combgpu__tsplib_quote(in, name, length));
    while (combgpu__tsplib_peek(in) && combgpu__tsplib_is_number(in))
        in->at += in->length;
    return COMBGPU_OK;
}

/* Nonzero if a ':' follows on this line. */
COMBGPU__PRIVATE int combgpu__tsplib_colon(combgpu__tsplib *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
        in->at++;
    return in->at < in->end && *in->at == ':';
}

/* Reads the whole text, keyword by keyword. */
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
        in->ends = combgpu__tsplib_equal(word, length, "EOF");
        if (in->ends) break;
        if (length > 8 && combgpu__tsplib_equal(word + length - 8, 8, "_SECTION"))
            status = combgpu__tsplib_any_section(in, word, length);
        else if (combgpu__tsplib_colon(in) ||
                 combgpu__tsplib_choice(word, length, without_colon) >= 0)
            status = combgpu__tsplib_keyword(in, word, length);
        else
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                          "\"%s\" is not a keyword (a remark needs \"COMMENT :\")",
                                          combgpu__tsplib_quote(in, word, length));
    }
    return status;
}

/* Checks that nothing is missing, then computes the weights. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_build(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    const char *missing = in->kind < 0                              ? "TYPE"
                          : !in->dimension                          ? "DIMENSION"
                          : in->metric < 0                          ? "EDGE_WEIGHT_TYPE"
                          : in->metric == 0 && !in->has_weights     ? "EDGE_WEIGHT_SECTION"
                          : in->metric != 0 && !in->has_coordinates ? "NODE_COORD_SECTION"
                          : in->kind == 3 && !in->has_windows       ? "TIME_WINDOW_SECTION"
                                                                    : NULL;
    size_t n = (size_t)in->dimension, i, j;
    combgpu_status status;
    if (missing)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the file ends: %s is missing", missing);
    if (in->metric != 0 && in->has_weights)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "EDGE_WEIGHT_TYPE is %s, but there is an EDGE_WEIGHT_SECTION",
                                    combgpu__tsplib_metrics[in->metric]);
    if (in->metric && !instance->z != !combgpu__tsp_has_z((combgpu_tsp_metric)in->metric))
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "EDGE_WEIGHT_TYPE is %s, but the nodes have %s coordinates%s",
                                    combgpu__tsplib_metrics[in->metric], instance->z ? "3" : "2",
                                    instance->z ? "" : ": the type must come before them");
    instance->n = in->dimension;
    instance->metric = (combgpu_tsp_metric)in->metric;
    status = in->kind == 2 ? combgpu__sop_take_pairs(in) : COMBGPU_OK;
    if (!status) status = combgpu__windows_finish(in);
    if (status) return status;
    status = in->metric ? combgpu__tsp_measure_instance(in->ctx, instance)
                        : combgpu__tsp_classify(in->ctx, instance);
    if (status == COMBGPU_INVALID_ARGUMENT) { /* an impossible coordinate or distance */
        char reason[200];
        snprintf(reason, sizeof reason, "%.199s", combgpu_message(in->ctx));
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s", reason);
    }
    if (status || in->kind > 0 || instance->symmetric) return status;
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            if (instance->weights[i * n + j] != instance->weights[j * n + i])
                return combgpu__tsplib_fail(
                    in, COMBGPU_BAD_FILE,
                    "TYPE is TSP, but the weight from city %d to %d is %g and back %g: for such "
                    "weights it must be ATSP",
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
    size_t length;
    if (!text) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "text is NULL");
    memset(&in, 0, sizeof in);
    in.ctx = ctx;
    in.source = source;
    in.at = text;
    in.end = text + bytes;
    in.line = 1;
    in.kind = in.metric = in.format = -1;
    in.service_time = in.capacity = -1;
    in.instance = instance;
    in.tour = tour;
    in.n = n;
    length = (size_t)snprintf(in.quote, sizeof in.quote, "%.1f", 0.5) - 2; /* of the point */
    memcpy(in.point, in.quote + 1, length < sizeof in.point ? length : 1);
    if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) in.at += 3; /* UTF-8 byte order mark */
    if (instance && combgpu__windows_begin(&in)) {
        status = combgpu__windows_read(&in);
        if (status) combgpu_tsp_free(ctx, instance);
        return status;
    }
    status = combgpu__tsplib_read(&in);
    if (!status && instance) status = combgpu__tsplib_build(&in);
    if (!status && tour && !in.has_tour)
        status =
            combgpu__tsplib_fail(&in, COMBGPU_BAD_FILE, "the file ends: TOUR_SECTION is missing");
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
