/* ---- helpers */

COMBGPU__DEF const char *combgpu_no3_class_string(combgpu_no3_class symmetry)
{
    static const char *const names[COMBGPU_NO3_CLASS_COUNT] = {
        "all", "iden", "dia1", "ort1", "rot2", "near_rot4", "dia2", "rot4", "ort2", "full"};
    if ((int)symmetry < 0 || symmetry >= COMBGPU_NO3_CLASS_COUNT) return "unknown class";
    return names[symmetry];
}

/* Checks the side and that all points lie inside. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_check_board(combgpu_context *ctx, int n,
                                                         const uint64_t *rows)
{
    int y;
    if (ctx) ctx->message[0] = 0;
    if (n < 1 || n > 64)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to 64", n);
    if (!rows) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "rows is NULL");
    for (y = 0; y < n; y++)
        if (n < 64 && rows[y] >> n)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "rows[%d] has a point in column %d; with n = %d columns are 0 "
                                 "to %d",
                                 y, n + combgpu__lowest_bit64(rows[y] >> n), n, n - 1);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_no3_check(combgpu_context *ctx, int n, const uint64_t *rows,
                                              combgpu_no3_report *report)
{
    uint64_t images[8][64];
    combgpu_status status = combgpu__no3_check_board(ctx, n, rows);
    int i;
    if (status) return status;
    if (!report) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "report is NULL");
    memset(report, 0, sizeof *report);
    report->bad_row = report->bad_column = -1;
    report->symmetry = combgpu__no3_class(n, rows, combgpu__no3_images(n, rows, images));
    for (i = n - 1; i >= 0; i--) {
        report->points += combgpu__popcount64(rows[i]);
        if (combgpu__popcount64(rows[i]) != 2) report->bad_row = i;
        if (combgpu__popcount64(images[4][i]) != 2) report->bad_column = i;
    }
    report->has_line = combgpu__no3_find_line(n, rows, report->line_x, report->line_y);
    report->is_solution = report->bad_row < 0 && report->bad_column < 0 && !report->has_line;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_no3_canonical(combgpu_context *ctx, int n, const uint64_t *rows,
                                                  uint64_t *out)
{
    uint64_t images[8][64];
    combgpu_status status = combgpu__no3_check_board(ctx, n, rows);
    if (status) return status;
    if (!out) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "out is NULL");
    combgpu__no3_images(n, rows, images);
    memcpy(out, combgpu__no3_smallest(n, images, 0xff), (size_t)n * sizeof *out);
    return COMBGPU_OK;
}

/* Text into a caller's buffer: counts what does not fit. */
typedef struct combgpu__no3_text {
    char *text;
    size_t bytes, length, line; /* line: where the last one begins */
} combgpu__no3_text;

/* Checks the board of a text, too. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_put_begin(combgpu_context *ctx, int n,
                                                       const uint64_t *rows, char *text,
                                                       size_t bytes, combgpu__no3_text *out)
{
    memset(out, 0, sizeof *out);
    out->text = text;
    out->bytes = text ? bytes : 0;
    return combgpu__no3_check_board(ctx, n, rows);
}

COMBGPU__PRIVATE void combgpu__no3_put(combgpu__no3_text *out, const char *format, ...)
    COMBGPU__PRINTF(2, 3);
COMBGPU__PRIVATE void combgpu__no3_put(combgpu__no3_text *out, const char *format, ...)
{
    int fits = out->length < out->bytes;
    va_list args;
    va_start(args, format);
    out->length += (size_t)vsnprintf(fits ? out->text + out->length : NULL,
                                     fits ? out->bytes - out->length : 0, format, args);
    va_end(args);
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_put_end(combgpu_context *ctx,
                                                     const combgpu__no3_text *out, size_t *needed)
{
    size_t size = out->length + 1;
    if (needed) *needed = size;
    if (out->bytes >= size || (!out->text && needed)) return COMBGPU_OK;
    if (out->bytes) out->text[0] = 0;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "bytes is %llu; this text needs %llu",
                         (unsigned long long)out->bytes, (unsigned long long)size);
}

/* A run of an RLE text; lines stay within 70 characters. */
COMBGPU__PRIVATE void combgpu__no3_put_run(combgpu__no3_text *out, int count, char tag)
{
    char piece[16];
    const char *run = count > 1 ? piece : piece + 1;
    if (!count) return;
    snprintf(piece, sizeof piece, "%d%c", count, tag);
    if (out->length - out->line + strlen(run) > 70) {
        combgpu__no3_put(out, "\n");
        out->line = out->length;
    }
    combgpu__no3_put(out, "%s", run);
}

COMBGPU__DEF combgpu_status combgpu_no3_to_rle(combgpu_context *ctx, int n, const uint64_t *rows,
                                               char *text, size_t bytes, size_t *needed)
{
    combgpu__no3_text out;
    int y, ends = 0;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    combgpu__no3_put(&out, "x = %d, y = %d\n", n, n);
    out.line = out.length;
    for (y = 0; y < n; y++, ends++) {
        uint64_t rest = rows[y]; /* trailing empty cells are left out */
        while (rest) {
            int run = 0, point = (int)(rest & 1);
            for (; rest && (int)(rest & 1) == point; rest >>= 1)
                run++;
            combgpu__no3_put_run(&out, ends, '$');
            combgpu__no3_put_run(&out, run, point ? 'o' : 'b');
            ends = 0;
        }
    }
    combgpu__no3_put_run(&out, 1, '!');
    combgpu__no3_put(&out, "\n");
    return combgpu__no3_put_end(ctx, &out, needed);
}

/* Moves past spaces, `word`, spaces. 0 if the word is not there. */
COMBGPU__PRIVATE int combgpu__no3_read_spaced(combgpu__reader *reader, const char *word)
{
    while (combgpu__read_word(reader, " ")) {
    }
    if (!combgpu__read_word(reader, word)) return 0;
    while (combgpu__read_word(reader, " ")) {
    }
    return 1;
}

/* Reads "NAME = NUMBER" with any spaces. 0 if it is not there or is not 1 to 64. */
COMBGPU__PRIVATE int combgpu__no3_read_side(combgpu__reader *reader, const char *name, int *side)
{
    uint64_t value;
    if (!combgpu__no3_read_spaced(reader, name) || !combgpu__no3_read_spaced(reader, "=") ||
        !combgpu__read_number(reader, 10, &value) || value < 1 || value > 64)
        return 0;
    *side = (int)value;
    return combgpu__no3_read_spaced(reader, "");
}

/* Moves past the rest of a line. */
COMBGPU__PRIVATE void combgpu__no3_skip_line(combgpu__reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
    combgpu__read_word(reader, "\n");
}

/* The pattern after the header. Returns NULL, or why it is wrong. */
COMBGPU__PRIVATE const char *combgpu__no3_read_pattern(combgpu__reader *reader, int n,
                                                       uint64_t *rows)
{
    int x = 0, y = 0;
    while (reader->at < reader->end) {
        uint64_t count = 1;
        char c = *reader->at;
        if (c == ' ' || c == '\t' || c == '\r') {
            reader->at++;
            continue;
        }
        if (combgpu__read_word(reader, "\n")) continue;
        if (c >= '0' && c <= '9') {
            if (!combgpu__read_number(reader, 10, &count) || count < 1 || count > 64)
                return "a run is 1 to 64 long";
            if (reader->at == reader->end) return "a number without b, o or $ after it";
            c = *reader->at;
        }
        reader->at++;
        if (c == '!') return NULL;
        if (c == '$') {
            x = 0;
            y += (int)count;
            if (y > n) return "more rows than the header says";
        } else if (c == 'b' || c == 'o') {
            if (x + (int)count > n) return "a row is longer than the header says";
            if (y >= n) return "more rows than the header says";
            for (; count; count--, x++)
                if (c == 'o') rows[y] |= UINT64_C(1) << x;
        } else
            return "a character other than b, o, $, ! and digits";
    }
    return "the text ends without !";
}

/* Is there a place for all that reading a board gives? */
COMBGPU__PRIVATE combgpu_status combgpu__no3_check_reading(combgpu_context *ctx, const char *text,
                                                           const int *n, const uint64_t *rows)
{
    const char *missing = !text ? "text" : !n ? "n" : !rows ? "rows" : NULL;
    if (ctx) ctx->message[0] = 0;
    if (!missing) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", missing);
}

COMBGPU__DEF combgpu_status combgpu_no3_from_rle(combgpu_context *ctx, const char *text,
                                                 size_t bytes, int *n, uint64_t *rows)
{
    combgpu__reader reader;
    const char *wrong;
    int width = 0, height = 0;
    combgpu_status status = combgpu__no3_check_reading(ctx, text, n, rows);
    if (status) return status;
    reader.at = text;
    reader.end = text + bytes;
    reader.line = 1;
    while (reader.at < reader.end &&
           (*reader.at == '#' || *reader.at == '\n' || *reader.at == '\r'))
        combgpu__no3_skip_line(&reader);
    if (!combgpu__no3_read_side(&reader, "x", &width) || !combgpu__read_word(&reader, ",") ||
        !combgpu__no3_read_side(&reader, "y", &height))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "line %d: expected a header \"x = N, y = N\" with N from 1 to 64",
                             reader.line);
    if (width != height)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "line %d: the pattern is %d x %d; a board is square", reader.line,
                             width, height);
    combgpu__no3_skip_line(&reader); /* a rule may follow */
    memset(rows, 0, 64 * sizeof *rows);
    wrong = combgpu__no3_read_pattern(&reader, width, rows);
    if (wrong) return combgpu__fail(ctx, COMBGPU_BAD_FILE, "line %d: %s", reader.line, wrong);
    *n = width;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_no3_draw(combgpu_context *ctx, int n, const uint64_t *rows,
                                             char *text, size_t bytes, size_t *needed)
{
    combgpu__no3_text out;
    int x, y;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++)
            combgpu__no3_put(&out, "%c%c", rows[y] >> x & 1 ? 'o' : '.', x < n - 1 ? ' ' : '\n');
    return combgpu__no3_put_end(ctx, &out, needed);
}

/* ---- Flammenkamp's code */

static const char combgpu__no3_columns[65] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$";
static const char combgpu__no3_signs[COMBGPU_NO3_CLASS_COUNT + 1] = " ./-:cxo+*"; /* by class */

COMBGPU__DEF combgpu_status combgpu_no3_to_flammenkamp(combgpu_context *ctx, int n,
                                                       const uint64_t *rows, char *text,
                                                       size_t bytes, size_t *needed)
{
    uint64_t images[8][64];
    combgpu__no3_text out;
    int y;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    for (y = 0; y < n; y++)
        if (combgpu__popcount64(rows[y]) != 2)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "rows[%d] has %d points; this format is for boards with two in "
                                 "each row",
                                 y, combgpu__popcount64(rows[y]));
    combgpu__no3_put(
        &out, "%c",
        combgpu__no3_signs[combgpu__no3_class(n, rows, combgpu__no3_images(n, rows, images))]);
    for (y = 0; y < n; y++)
        combgpu__no3_put(&out, "%c%c", combgpu__no3_columns[combgpu__lowest_bit64(rows[y])],
                         combgpu__no3_columns[combgpu__lowest_bit64(rows[y] & (rows[y] - 1))]);
    return combgpu__no3_put_end(ctx, &out, needed);
}

COMBGPU__DEF combgpu_status combgpu_no3_from_flammenkamp(combgpu_context *ctx, const char *text,
                                                         size_t bytes, int *n, uint64_t *rows,
                                                         combgpu_no3_class *symmetry, size_t *used)
{
    const char *at = text, *end = text ? text + bytes : NULL, *stop, *sign;
    int line = 1, side, i;
    combgpu_status status = combgpu__no3_check_reading(ctx, text, n, rows);
    if (status) return status;
    for (; at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'); at++)
        line += *at == '\n';
    for (stop = at; stop < end && *stop != '\n'; stop++) {
    }
    if (used) *used = (size_t)(stop - text) + (stop < end);
    while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
        stop--;
    sign = at < stop && *at ? strchr(combgpu__no3_signs + 1, *at) : NULL;
    if (!sign)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             at < stop
                                 ? "line %d: it does not begin with one of %s"
                                 : "line %d: there is no board (its code begins with one of %s)",
                             line, combgpu__no3_signs + 1);
    side = (int)((stop - ++at) / 2 > 65 ? 65 : (stop - at) / 2);
    if (side < 1 || side > 64 || (stop - at) % 2)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "line %d: %llu characters after the class; there are two for each of "
                             "1 to 64 rows",
                             line, (unsigned long long)(stop - at));
    memset(rows, 0, 64 * sizeof *rows);
    for (i = 0; i < 2 * side; i++) {
        const char *column = at[i] ? strchr(combgpu__no3_columns, at[i]) : NULL;
        int x = column ? (int)(column - combgpu__no3_columns) : 64;
        if (x >= side || rows[i / 2] >> x & 1)
            return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                                 x >= side ? "line %d, row %d: a character that is no column of %d"
                                           : "line %d, row %d: column %d twice",
                                 line, i / 2, x >= side ? side : x);
        rows[i / 2] |= UINT64_C(1) << x;
    }
    *n = side;
    if (symmetry) *symmetry = (combgpu_no3_class)(sign - combgpu__no3_signs);
    return COMBGPU_OK;
}

