/* Checks boards of no-three-in-line, and reads and writes them as patterns, drawings and
   Flammenkamp's code. */

/* Checks that the side is valid and that all points lie inside the grid. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_check_board(combgpu_context *ctx, int n,
                                                         const uint64_t *rows)
{
    int y;
    combgpu__clear_message(ctx);
    if (n < 1 || n > COMBGPU__NO3_SIDE)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to %d", n,
                             COMBGPU__NO3_SIDE);
    if (!rows) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "rows is NULL");
    for (y = 0; y < n; y++)
        if (combgpu__no3_outside(n, rows, y) >= 0)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "rows[%d] has a point in column %d; with n = %d columns are 0 "
                                 "to %d",
                                 y, combgpu__no3_outside(n, rows, y), n, n - 1);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_no3_check(combgpu_context *ctx, int n, const uint64_t *rows,
                                              combgpu_no3_report *report)
{
    uint64_t swapped[COMBGPU__NO3_BOARD];
    combgpu_status status = combgpu__no3_check_board(ctx, n, rows);
    int i;
    if (status) return status;
    if (!report) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "report is NULL");
    memset(report, 0, sizeof *report);
    report->bad_row = report->bad_column = -1;
    report->symmetry = combgpu__no3_class(n, rows, combgpu__no3_same(n, rows));
    combgpu__no3_image(n, 4, rows, swapped);
    for (i = n - 1; i >= 0; i--) {
        report->points += combgpu__no3_row_points(n, rows, i);
        if (combgpu__no3_row_points(n, rows, i) != 2) report->bad_row = i;
        if (combgpu__no3_row_points(n, swapped, i) != 2) report->bad_column = i;
    }
    report->has_line = combgpu__no3_find_line(n, rows, report->line_x, report->line_y);
    report->is_solution = report->bad_row < 0 && report->bad_column < 0 && !report->has_line;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_no3_canonical(combgpu_context *ctx, int n, const uint64_t *rows,
                                                  uint64_t *out)
{
    uint64_t image[COMBGPU__NO3_BOARD], best[COMBGPU__NO3_BOARD];
    combgpu_status status = combgpu__no3_check_board(ctx, n, rows);
    size_t bytes;
    int map;
    if (status) return status;
    if (!out) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "out is NULL");
    bytes = (size_t)combgpu__no3_board_words(n) * sizeof *out;
    memcpy(best, rows, bytes);
    for (map = 1; map < 8; map++) {
        combgpu__no3_image(n, map, rows, image);
        if (combgpu__no3_compare(n, image, best) < 0) memcpy(best, image, bytes);
    }
    memcpy(out, best, bytes);
    return COMBGPU_OK;
}

/* Text in a caller's buffer; `length` also counts what does not fit. */
typedef struct combgpu__no3_text {
    char *text;
    size_t bytes, length, line; /* line: where the last line begins */
} combgpu__no3_text;

/* Begins a text, and checks its board. */
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

/* Writes a run of an RLE text, in lines of at most 70 characters. */
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
    int x, y, ends = 0;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    combgpu__no3_put(&out, "x = %d, y = %d\n", n, n);
    out.line = out.length;
    for (y = 0; y < n; y++, ends++) {
        x = 0; /* omits trailing empty cells */
        while (combgpu__no3_next(n, rows, x, y) < n) {
            int run = 0, point = combgpu__no3_has(n, rows, x, y);
            for (; x < n && combgpu__no3_has(n, rows, x, y) == point; x++)
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

/* Moves past spaces, tabs and carriage returns. */
COMBGPU__PRIVATE void combgpu__no3_skip_blanks(combgpu__reader *reader)
{
    while (reader->at < reader->end &&
           (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r'))
        reader->at++;
}

/* Moves past blanks, `word`, blanks. Returns 0 if the word is missing. */
COMBGPU__PRIVATE int combgpu__no3_read_spaced(combgpu__reader *reader, const char *word)
{
    combgpu__no3_skip_blanks(reader);
    if (!combgpu__read_word(reader, word)) return 0;
    combgpu__no3_skip_blanks(reader);
    return 1;
}

/* Reads "NAME = NUMBER" with any spaces. Returns 0 if it is missing or not a side. */
COMBGPU__PRIVATE int combgpu__no3_read_side(combgpu__reader *reader, const char *name, int *side)
{
    uint64_t value;
    if (!combgpu__no3_read_spaced(reader, name) || !combgpu__no3_read_spaced(reader, "=") ||
        !combgpu__read_number(reader, 10, &value) || value < 1 || value > COMBGPU__NO3_SIDE)
        return 0;
    *side = (int)value;
    return combgpu__no3_read_spaced(reader, "");
}

/* Moves to the next line. */
COMBGPU__PRIVATE void combgpu__no3_skip_line(combgpu__reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
    combgpu__read_word(reader, "\n");
}

/* At the beginning of a line: moves past blank lines, lines that begin with #, and blanks. */
COMBGPU__PRIVATE void combgpu__no3_skip_comments(combgpu__reader *reader)
{
    for (;;) {
        combgpu__no3_skip_blanks(reader);
        if (reader->at == reader->end || (*reader->at != '#' && *reader->at != '\n')) return;
        combgpu__no3_skip_line(reader);
    }
}

/* Reads the pattern after the header. Returns NULL, or the error. */
COMBGPU__PRIVATE const char *combgpu__no3_read_pattern(combgpu__reader *reader, int n,
                                                       uint64_t *rows)
{
    int x = 0, y = 0;
    combgpu__no3_skip_comments(reader);
    for (; reader->at < reader->end; combgpu__no3_skip_blanks(reader)) {
        uint64_t count = 1;
        char c = *reader->at;
        if (c == '\n') {
            combgpu__no3_skip_comments(reader);
            continue;
        }
        if (c >= '0' && c <= '9') {
            if (!combgpu__read_number(reader, 10, &count) || count < 1 || count > COMBGPU__NO3_SIDE)
                return "a run is 1 to 128 long";
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
                if (c == 'o') combgpu__no3_put_point(n, rows, x, y);
        } else
            return "a character other than b, o, $, ! and digits";
    }
    return "the text ends without !";
}

/* Empties a board that is read, and the unused rows of one that is 64 words long. */
COMBGPU__PRIVATE void combgpu__no3_clear(int n, uint64_t *rows)
{
    int words = combgpu__no3_board_words(n);
    memset(rows, 0, (size_t)(words < 64 ? 64 : words) * sizeof *rows);
}

/* Checks the pointers of a call that reads a board. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_check_reading(combgpu_context *ctx, const char *text,
                                                           const int *n, const uint64_t *rows)
{
    const char *missing = !text ? "text" : !n ? "n" : !rows ? "rows" : NULL;
    combgpu__clear_message(ctx);
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
    combgpu__no3_skip_comments(&reader);
    if (!combgpu__no3_read_side(&reader, "x", &width) || !combgpu__read_word(&reader, ",") ||
        !combgpu__no3_read_side(&reader, "y", &height))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "line %d: expected a header \"x = N, y = N\" with N from 1 to 128",
                             reader.line);
    if (width != height)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "line %d: the pattern is %d x %d; it must be square", reader.line,
                             width, height);
    combgpu__no3_skip_line(&reader); /* a rule may follow */
    combgpu__no3_clear(width, rows);
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
            combgpu__no3_put(&out, "%c%c", combgpu__no3_has(n, rows, x, y) ? 'o' : '.',
                             x < n - 1 ? ' ' : '\n');
    return combgpu__no3_put_end(ctx, &out, needed);
}

/* ---- Flammenkamp's code */

#define COMBGPU__NO3_CODED 90 /* columns that have a character */
static const char combgpu__no3_columns[COMBGPU__NO3_CODED + 1] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    "#$%&@?!()[]<>{}=*+|-/~^_:;,.";
static const char combgpu__no3_signs[COMBGPU_NO3_CLASS_COUNT + 1] = "?./-:cxo+*"; /* by class */

COMBGPU__DEF combgpu_status combgpu_no3_to_flammenkamp(combgpu_context *ctx, int n,
                                                       const uint64_t *rows, char *text,
                                                       size_t bytes, size_t *needed)
{
    combgpu__no3_text out;
    int x, y;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    if (n > COMBGPU__NO3_CODED)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "n is %d; this format has characters for %d columns", n,
                             COMBGPU__NO3_CODED);
    for (y = 0; y < n; y++)
        if (combgpu__no3_row_points(n, rows, y) != 2)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "rows[%d] has %d points; this format is for boards with two in "
                                 "each row",
                                 y, combgpu__no3_row_points(n, rows, y));
    combgpu__no3_put(&out, "%c",
                     combgpu__no3_signs[combgpu__no3_class(n, rows, combgpu__no3_same(n, rows))]);
    for (y = 0; y < n; y++)
        for (x = combgpu__no3_next(n, rows, 0, y); x < n; x = combgpu__no3_next(n, rows, x + 1, y))
            combgpu__no3_put(&out, "%c", combgpu__no3_columns[x]);
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
    sign = at < stop && *at ? strchr(combgpu__no3_signs, *at) : NULL;
    if (!sign)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             at < stop ? "line %d: the code does not begin with one of %s"
                                       : "line %d: no board found (a code begins with one of %s)",
                             line, combgpu__no3_signs);
    side = (int)((stop - ++at) / 2 > 99 ? 99 : (stop - at) / 2);
    if (side < 1 || side > COMBGPU__NO3_CODED || (stop - at) % 2)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "line %d: %llu characters after the class; a code has two for each of "
                             "1 to %d rows",
                             line, (unsigned long long)(stop - at), COMBGPU__NO3_CODED);
    combgpu__no3_clear(side, rows);
    for (i = 0; i < 2 * side; i++) {
        const char *column = at[i] ? strchr(combgpu__no3_columns, at[i]) : NULL;
        int x = column ? (int)(column - combgpu__no3_columns) : COMBGPU__NO3_CODED;
        if (x >= side || combgpu__no3_has(side, rows, x, i / 2))
            return combgpu__fail(
                ctx, COMBGPU_BAD_FILE,
                x >= side
                    ? "line %d, row %d: a character that is not a column of a board of side %d"
                    : "line %d, row %d: column %d twice",
                line, i / 2, x >= side ? side : x);
        combgpu__no3_put_point(side, rows, x, i / 2);
    }
    *n = side;
    if (symmetry) *symmetry = (combgpu_no3_class)(sign - combgpu__no3_signs);
    return COMBGPU_OK;
}
