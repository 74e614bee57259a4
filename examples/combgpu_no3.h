/* combgpu no3: counts, lists, draws and checks solutions of no-three-in-line. */
#ifndef COMBGPU_EXAMPLES_NO3_H
#define COMBGPU_EXAMPLES_NO3_H

#include "combgpu_input.h"
#include "combgpu_parts.h"
#include "combgpu_picture.h"
#include "combgpu_result.h"

/* Prints a board in the form that `write` makes; 0 if it has no such form. */
typedef combgpu_status (*board_writer)(combgpu_context *ctx, int n, const uint64_t *rows,
                                       char *text, size_t bytes, size_t *needed);

static int print_board_as(FILE *to, board_writer write, combgpu_context *ctx, const uint64_t *rows,
                          int n)
{
    static char text[40000]; /* a drawing of side 128 */
    if (write(ctx, n, rows, text, sizeof text, NULL) != COMBGPU_OK) return 0;
    fprintf(to, "%s\n", text);
    return 1;
}

/* Nonzero if a board has a point in column x of row y. */
static int point_at(const uint64_t *rows, int n, int x, int y)
{
    return (int)(rows[y * COMBGPU_NO3_ROW_WORDS(n) + x / 64] >> x % 64 & 1);
}

/* A board whose side is not yet known: two words a row. */
typedef uint64_t open_board[COMBGPU_NO3_BOARD_WORDS];

static void set_point(uint64_t *board, int x, int y)
{
    board[2 * y + x / 64] |= UINT64_C(1) << x % 64;
}

/* Converts an open board to the form of its side. Returns a column beyond the side, or -1. */
static int close_board(uint64_t *board, int n)
{
    int x, y, outside = -1;
    for (y = 0; y < n; y++)
        for (x = n; x < 128; x++)
            if (board[2 * y + x / 64] >> x % 64 & 1) outside = x;
    for (y = 0; y < n && n <= 64; y++)
        board[y] = board[2 * y];
    return outside;
}

/* "rot4 1,2 0,3 ...": the columns of row 0, row 1 ... */
static void print_board_text(FILE *to, const uint64_t *rows, int n, const char *symmetry)
{
    int x, y;
    fputs(symmetry, to);
    for (y = 0; y < n; y++) {
        const char *separator = " ";
        for (x = 0; x < n; x++)
            if (point_at(rows, n, x, y)) {
                fprintf(to, "%s%d", separator, x);
                separator = ",";
            }
        if (*separator == ' ') fputs(" -", to);
    }
    putc('\n', to);
}

static void json_board(const uint64_t *rows, int n)
{
    int x, y;
    json_open("rows", '[');
    for (y = 0; y < n; y++) {
        json_open(NULL, '[');
        for (x = 0; x < n; x++)
            if (point_at(rows, n, x, y)) json_u64(NULL, (uint64_t)x);
        json_close();
    }
    json_close();
}

/* Lists a board of any side, with any points, in the object of --json. */
static void list_board_in_json(const uint64_t *rows, int n, const char *name)
{
    json_open(NULL, '{');
    json_string("class", name);
    json_board(rows, n);
    json_close();
}

/* Lists a board. */
static void list_board_now(combgpu_context *ctx, const uint64_t *rows, int n,
                           combgpu_no3_class symmetry)
{
    const char *name = combgpu_no3_class_string(symmetry);
    int numbers[2 * 128] = {0}, x, y, in_row, irregular = 0;
    for (y = 0; y < n; y++) {
        for (x = in_row = 0; x < n; x++)
            if (point_at(rows, n, x, y) && ++in_row <= 2) numbers[2 * y + in_row - 1] = x;
        irregular |= in_row != 2;
    }
    if (irregular && list.format != LIST_TEXT && list.format < LIST_RLE)
        usage("--format %s holds boards with two points in each row", text_of(OPTION_FORMAT));
    if (list_item(name, numbers)) return;
    if (list.format == LIST_IN_JSON) list_board_in_json(rows, n, name);
    if (list.format == LIST_TEXT) print_board_text(list.to, rows, n, name);
    if (list.format == LIST_RLE) fprintf(list.to, "#C %s\n", name);
    if (list.format == LIST_RLE) print_board_as(list.to, combgpu_no3_to_rle, ctx, rows, n);
    if (list.format == LIST_DRAW) print_board_as(list.to, combgpu_no3_draw, ctx, rows, n);
    if (list.format == LIST_FLAMMENKAMP &&
        !print_board_as(list.to, combgpu_no3_to_flammenkamp, ctx, rows, n))
        usage("--format flammenkamp: %s", combgpu_message(ctx));
}

/* --sort: boards wait for the end. */
static struct {
    uint64_t *words; /* of each board: its class, then the board */
    size_t count, room;
    int n;
} sorted;

static int compare_boards(const void *a, const void *b)
{
    const uint64_t *x = (const uint64_t *)a + 1, *y = (const uint64_t *)b + 1;
    int words = COMBGPU_NO3_ROW_WORDS(sorted.n), row, i;
    for (row = 0; row < sorted.n; row++)
        for (i = words; i-- > 0;)
            if (x[row * words + i] != y[row * words + i])
                return x[row * words + i] < y[row * words + i] ? -1 : 1;
    return 0;
}

static size_t sorted_words(void)
{
    return 1 + (size_t)(sorted.n * COMBGPU_NO3_ROW_WORDS(sorted.n));
}

static void list_board(combgpu_context *ctx, const uint64_t *rows, int n,
                       combgpu_no3_class symmetry)
{
    uint64_t *to;
    if (!given(OPTION_SORT)) {
        list_board_now(ctx, rows, n, symmetry);
        return;
    }
    if (sorted.count && sorted.n != n)
        usage("--sort needs boards of one side; board %s is of side %d, those before it of %d",
              commas(sorted.count + 1), n, sorted.n);
    sorted.n = n;
    if (sorted.count == sorted.room) {
        sorted.room = 2 * sorted.room + 256;
        sorted.words =
            (uint64_t *)realloc(sorted.words, sorted.room * sorted_words() * sizeof *sorted.words);
        if (!sorted.words) usage("out of memory");
    }
    to = sorted.words + sorted.count++ * sorted_words();
    to[0] = (uint64_t)symmetry;
    combgpu_no3_canonical(ctx, n, rows, to + 1);
}

/* Lists the boards that wait. */
static void list_sorted(combgpu_context *ctx)
{
    size_t i;
    if (sorted.count)
        qsort(sorted.words, sorted.count, sorted_words() * sizeof *sorted.words, compare_boards);
    for (i = 0; i < sorted.count; i++) {
        const uint64_t *board = sorted.words + i * sorted_words();
        list_board_now(ctx, board + 1, sorted.n, (combgpu_no3_class)board[0]);
    }
    free(sorted.words);
    memset(&sorted, 0, sizeof sorted);
}

static char *board_picture(combgpu_context *ctx, const uint64_t *rows, int n, const char *title)
{
    size_t bytes = 0;
    char *text;
    combgpu_no3_to_svg(ctx, n, rows, title, NULL, 0, &bytes);
    text = (char *)malloc(bytes);
    if (text) combgpu_no3_to_svg(ctx, n, rows, title, text, bytes, NULL);
    return text;
}

/* Draws a board, with the full title if it is the only one, else with its class. */
static void draw_board(combgpu_context *ctx, const uint64_t *rows, int n,
                       combgpu_no3_class symmetry, int alone)
{
    const char *name = combgpu_no3_class_string(symmetry);
    char title[160];
    snprintf(title, sizeof title, "No three in line: %d x %d, %d points, %s", n, n, 2 * n, name);
    if (!alone && picture_may_be_alone())
        picture_alone(board_picture(ctx, rows, n, picture_title("")));
    picture_add(board_picture(ctx, rows, n, alone ? picture_title(title) : name));
}

typedef struct no3_output {
    combgpu_context *ctx;
    int alone;
} no3_output;

/* The library's solution callback. */
static int no3_show(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    no3_output *out = (no3_output *)user;
    if (list.begun) {
        list_item_begin();
        list_board(out->ctx, rows, n, symmetry);
        list_item_end();
    }
    if (pictures_wanted()) draw_board(out->ctx, rows, n, symmetry, out->alone);
    return stop_wanted();
}

static void no3_list_begin(int n)
{
    if (!list_wanted()) return;
    if (list_format() == LIST_FLAMMENKAMP && n > 90)
        usage("--format flammenkamp has characters for 90 columns; a board here has %d", n);
    list_begin("solutions", "class", n, 2, 1);
}

/* ---- fixed cells */

static void read_cells(int id, uint64_t *rows)
{
    const char *may_be = options[id].may_be, *text;
    int at = 0;
    while ((text = option_each(id, &at)) != NULL) {
        const char *comma = strchr(text, ',');
        char first[24];
        uint64_t x, y;
        if (!comma || comma - text >= (int)sizeof first) wrong_value(id, text, may_be);
        memcpy(first, text, (size_t)(comma - text));
        first[comma - text] = 0;
        if (!parse_u64(first, &x) || !parse_u64(comma + 1, &y) || x > 127 || y > 127)
            wrong_value(id, text, may_be);
        set_point(rows, (int)x, (int)y);
    }
}

/* Converts fixed cells to a board of side n. */
static void fixed_inside(int id, uint64_t *rows, int n)
{
    int outside = close_board(rows, n);
    if (outside >= 0)
        usage("%s: a cell is fixed in column %d; with --n %d columns are 0 to %d", option_name(id),
              outside, n, n - 1);
}

#define POINT_CELLS "oO#*xX1@" /* read in drawings; the first of each is written */
#define EMPTY_CELLS ".-_0"

/* A drawing of fixed cells. */
static void read_fixed(uint64_t *on, uint64_t *off)
{
    const char *path = text_of(OPTION_FIXED);
    char *text = read_file("--fixed", path, NULL), *at;
    int x = 0, y = 0;
    for (at = text; *at; at++) {
        if (*at == ' ' || *at == '\t' || *at == '\r') continue;
        if (*at == '\n') {
            y++;
            x = 0;
            continue;
        }
        if (!strchr(POINT_CELLS "-0._?", *at) || x > 127 || y > 127)
            usage("--fixed %.100s, line %d: %s", path, y + 1,
                  x > 127 || y > 127 ? "there are at most 128 rows and columns"
                                     : "a character other than o # * x 1, - 0, and . _ ?");
        if (!strchr("._?", *at)) set_point(strchr("-0", *at) ? off : on, x, y);
        x++;
    }
    free(text);
}

/* ---- --check */

#define BLANKS " \t\r" /* anywhere between words and behind lines */

/* The list read so far, and how many boards are solutions. */
static struct {
    combgpu_context *ctx;
    uint64_t boards, solutions, first_wrong;
    open_board rows;
    uint64_t classes[COMBGPU_NO3_CLASS_COUNT];
    int n; /* of the last one, as the report and rows are */
    combgpu_no3_report report;
} checked;

/* Draws the last board. */
static void draw_checked(int alone)
{
    if (pictures_wanted())
        draw_board(checked.ctx, checked.rows, checked.n, checked.report.symmetry, alone);
}

static combgpu_status check_board(int n, const uint64_t *rows)
{
    combgpu_status status;
    if (given(OPTION_N) && (uint64_t)n != number_of(OPTION_N, 0))
        usage("--n is %s; board %s of --check %.200s is of side %d", text_of(OPTION_N),
              commas(checked.boards + 1), text_of(OPTION_CHECK), n);
    if (checked.boards) draw_checked(0);
    status = combgpu_no3_check(checked.ctx, n, rows, &checked.report);
    if (status < 0) return status;
    if (list_wanted() && !list.begun) no3_list_begin(n);
    if (list.begun && list.rows != n && list.format != LIST_TEXT && list.format < LIST_RLE)
        usage("--check: board %s is of side %d, those before it of side %d",
              commas(checked.boards + 1), n, list.rows);
    if (list.begun) list_board(checked.ctx, rows, n, checked.report.symmetry);
    checked.boards++;
    checked.solutions += checked.report.is_solution != 0;
    if (!checked.report.is_solution && !checked.first_wrong) checked.first_wrong = checked.boards;
    checked.classes[checked.report.symmetry]++;
    checked.n = n;
    memcpy(checked.rows, rows, (size_t)(n * COMBGPU_NO3_ROW_WORDS(n)) * sizeof *rows);
    return COMBGPU_OK;
}

/* The same for a board whose side was unknown while reading. */
static combgpu_status check_open(int n, uint64_t *rows, const char *path)
{
    int outside = close_board(rows, n);
    if (outside >= 0)
        usage("--check %.200s: board %s has a point in column %d; with %d rows columns are 0 to %d",
              path, commas(checked.boards + 1), outside, n, n - 1);
    return check_board(n, rows);
}

/* Lines of "class 1,2 0,3 ...", also without the class. */
static combgpu_status check_text(const char *text, const char *path)
{
    int line = 1;
    for (; *text; line++) {
        const char *end = text + strcspn(text, "\n"), *at = text;
        open_board rows;
        combgpu_status status;
        int n = 0, x;
        memset(rows, 0, sizeof rows);
        if (!strchr("-0123456789", *at)) at += strcspn(at, BLANKS "\n");
        for (at += strspn(at, BLANKS); at < end; at += strspn(at, BLANKS)) {
            if (n == 128) usage("--check %.200s, line %d: more than 128 rows", path, line);
            for (; at < end && !strchr(BLANKS, *at); at += *at == ',') {
                const char *stop = at + 1;
                if (*at != '-' && (!parse_int(at, &stop, &x) || x < 0 || x > 127))
                    usage("--check %.200s, line %d: \"%.10s\" is not a column", path, line, at);
                if (*at != '-') set_point(rows, x, n);
                at = stop;
            }
            n++;
        }
        if (n && (status = check_open(n, rows, path)) < 0) return status;
        text = end + (*end == '\n');
    }
    return COMBGPU_OK;
}

#define CELL_ENDS BLANKS ",;" /* between the cells of drawings */

/* Nonzero if lines of cells begin here, of at most one character for points and one for none. Other formats
   have three: Flammenkamp's code its class, columns and more. "0,1 0,1" is text, # begins a comment of RLE. */
static int is_drawing(const char *at)
{
    char kinds[2] = {0, 0};
    const char *line = at;
    int rows = 0, digits_or_remark = *at == '#';
    for (; line[strspn(line, BLANKS)] && line[strspn(line, BLANKS)] != '\n'; rows++) {
        int cells = 0, commas = 0;
        for (; *line && *line != '\n'; line++) {
            char *kind = &kinds[!strchr(EMPTY_CELLS, *line)], c = (char)lower_case(*line);
            if (*line == ',' || *line == ';') commas++;
            if (strchr(CELL_ENDS, *line)) continue;
            if (!strchr(POINT_CELLS EMPTY_CELLS, *line) || (*kind && *kind != c))
                return rows && !digits_or_remark; /* a wrong one */
            if (*line == '0' || *line == '1') digits_or_remark = 1;
            *kind = c;
            cells++;
        }
        if (commas && commas != cells - 1 && commas != cells) return 0;
        line += *line == '\n';
    }
    return rows > 1 || (rows && !digits_or_remark);
}

/* Drawings, like ". o" or "#..#" a line, with an empty line behind each. */
static combgpu_status check_drawings(const char *text, const char *path)
{
    open_board rows;
    combgpu_status status = COMBGPU_OK;
    int n = 0, line = 1, width[128], y;
    memset(rows, 0, sizeof rows);
    for (; *text || n; line++) {
        const char *end = text + strcspn(text, "\n");
        int x = 0;
        for (; text < end; text++) {
            if (strchr(CELL_ENDS, *text)) continue;
            if (!strchr(POINT_CELLS EMPTY_CELLS, *text) || x > 127 || n > 127)
                usage("--check %.200s, line %d: %s", path, line,
                      x > 127 || n > 127
                          ? "there are at most 128 rows and columns"
                          : "in a drawing o # * x 1 is a point, and . - _ 0 is empty");
            if (!strchr(EMPTY_CELLS, *text)) set_point(rows, x, n);
            x++;
        }
        if (x)
            width[n++] = x;
        else if (n) {
            for (y = 0; y < n; y++)
                if (width[y] != n)
                    usage("--check %.200s, line %d: board %s has %d rows, and row %d has %d cells",
                          path, line - n + y, commas(checked.boards + 1), n, y, width[y]);
            if ((status = check_open(n, rows, path)) < 0) return status;
            memset(rows, 0, sizeof rows);
            n = 0;
        }
        text += *text == '\n';
    }
    return status;
}

/* CSV, JSON, .npy: an item has the columns of each row; an item of one row has two columns a row. */
static combgpu_status check_table(const table *t, const char *path)
{
    combgpu_status status = COMBGPU_OK;
    open_board rows;
    size_t r, i;
    int n = 0;
    memset(rows, 0, sizeof rows);
    for (r = 0; r < t->rows && status >= 0; r++) {
        const int *row;
        size_t length = table_get(t, r, &row);
        int whole = t->in_one_row;
        if (t->in_one_row && (length % 2 || length > 256))
            usage("--check %.200s: board %s has %d numbers; it needs two per row", path,
                  commas(checked.boards + 1), (int)length);
        for (i = 0; i < length; i++) {
            if (row[i] < 0 || row[i] > 127 || n > 127)
                usage("--check %.200s: board %s: %d is not a column", path,
                      commas(checked.boards + 1), row[i]);
            set_point(rows, row[i], whole ? (int)(i / 2) : n);
        }
        n = whole ? (int)length / 2 : n + 1;
        if (!whole && r + 1 < t->rows && t->items[r + 1] == t->items[r]) continue;
        status = check_open(n, rows, path);
        memset(rows, 0, sizeof rows);
        n = 0;
    }
    return status;
}

/* Returns the text behind an RLE pattern, which ends with the first ! outside comment lines. */
static const char *pattern_end(const char *text)
{
    for (;;) {
        text += strspn(text, BLANKS "\n");
        if (*text != '#') {
            text += strcspn(text, "!\n");
            if (*text != '\n') return text + (*text == '!');
        } else
            text += strcspn(text, "\n");
    }
}

/* Boards of RLE, each ended by !, or lines of Flammenkamp's code. */
static combgpu_status check_patterns(const char *text, size_t bytes, int is_rle)
{
    open_board rows;
    const char *end = text + bytes;
    combgpu_status status = COMBGPU_OK;
    int n;
    while (status >= 0 && text[strspn(text, BLANKS "\n")]) {
        size_t used = (size_t)(end - text);
        if (is_rle) {
            status = combgpu_no3_from_rle(checked.ctx, text, used, &n, rows);
            used = (size_t)(pattern_end(text) - text);
        } else
            status = combgpu_no3_from_flammenkamp(checked.ctx, text, used, &n, rows, NULL, &used);
        if (status >= 0) status = check_board(n, rows);
        text += used;
    }
    return status;
}

static combgpu_status check_boards(const char *path)
{
    size_t bytes;
    char *text = read_file("--check", path, &bytes);
    const char *at = text + strspn(text, BLANKS "\n");
    size_t word = strcspn(at, BLANKS "\n"), next = word + strspn(at + word, BLANKS);
    combgpu_status status;
    int is_header = 0;
    (void)sscanf(at, "x = %*[0-9] , y =%n", &is_header);
    if (strlen(text) == bytes && is_drawing(at))
        status = check_drawings(text, path);
    else if (strlen(text) == bytes &&
             (*at == '#' || is_header || (strstr(at, "x =") && strchr(at, ','))))
        status = check_patterns(text, bytes, 1);
    else if (*at == '[' || *at == '{' || (unsigned char)*text == 0x93 ||
             !strncmp(at, "class,", 6) || number_of(OPTION_FORMAT, 0) == LIST_BYTES) {
        table t;
        read_table(&t, text, bytes, OPTION_CHECK, 2 * (size_t)int_of(OPTION_N, 1, 128, 0));
        status = check_table(&t, path);
        table_free(&t);
    } else if (strlen(text) != bytes)
        usage("--check %.200s is neither text nor .npy; bytes need --format bytes and --n", path);
    else if (next > word && at[next] && at[next] != '\n' && word > 2)
        status = check_text(text, path);
    else
        status = check_patterns(text, bytes, 0);
    free(text);
    return status;
}

/* Says why the last board is not a solution. */
static void say_no3_fault(void)
{
    const combgpu_no3_report *report = &checked.report;
    if (report->is_solution)
        say("a solution\n");
    else if (report->has_line)
        say("not a solution: column,row %d,%d  %d,%d  %d,%d are in line\n", report->line_x[0],
            report->line_y[0], report->line_x[1], report->line_y[1], report->line_x[2],
            report->line_y[2]);
    else if (report->bad_row >= 0)
        say("not a solution: row %d does not have two points\n", report->bad_row);
    else
        say("not a solution: column %d does not have two points\n", report->bad_column);
}

/* The only board of a list. */
static void tell_board(void)
{
    const combgpu_no3_report *report = &checked.report;
    if (!json_wanted() && !list_wanted())
        print_board_as(summary(), combgpu_no3_draw, checked.ctx, checked.rows, checked.n);
    say("%d x %d", checked.n, checked.n);
    tell_u64("points", ", %s points", (uint64_t)report->points);
    json_bool("solution", report->is_solution);
    json_bool("three_in_line", report->has_line);
    tell_string("class", ", symmetry %s: ", combgpu_no3_class_string(report->symmetry));
    json_board(checked.rows, checked.n);
    say_no3_fault();
}

static void say_boards(void)
{
    int i;
    say("%s boards, %s of them solutions:", commas(checked.boards), commas(checked.solutions));
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
        if (checked.classes[i])
            say(" %s %s", combgpu_no3_class_string((combgpu_no3_class)i),
                commas(checked.classes[i]));
    say("\n");
    if (checked.first_wrong)
        say("board %s is the first that is not a solution\n", commas(checked.first_wrong));
}

/* no3 --check FILE: 0 if all are solutions, 1 if not. */
static int no3_check(void)
{
    const char *path = text_of(OPTION_CHECK);
    combgpu_status status;
    int end;
    checked.ctx = open_cpu("no3");
    status = check_boards(path);
    if (status >= 0 && !checked.boards) usage("--check %.200s holds no board", path);
    if (status < 0) return failed(checked.ctx, status);
    list_sorted(checked.ctx);
    if (list.format != LIST_IN_JSON) list_end();
    draw_checked(checked.boards == 1 && checked.report.is_solution);
    pictures_end("");
    list_end();
    json_status(COMBGPU_OK);
    json_u64("boards", checked.boards);
    json_u64("solutions_found", checked.solutions);
    if (checked.first_wrong) json_u64("first_wrong", checked.first_wrong);
    json_u64("n", (uint64_t)checked.n);
    if (checked.boards == 1)
        tell_board();
    else
        say_boards();
    end = finish(checked.ctx, NULL);
    return end ? end : checked.solutions != checked.boards;
}

/* ---- searches */

static void tell_no3_result(const combgpu_no3_desc *desc, const combgpu_no3_result *result)
{
    int i, told = 0;
    tell_u64("n", "n = %s: ", (uint64_t)desc->n);
    json_u64("all", result->all);
    if (desc->symmetry == COMBGPU_NO3_ALL && !desc->limit)
        say("%s solutions, ", commas(result->all));
    tell_u64("up_to_symmetry", "%s up to symmetry", result->up_to_symmetry);
    say("%s", result->run.status == COMBGPU_FOUND ? ", as many as asked for"
                                                  : so_far(result->run.status));
    if (desc->seed) json_u64("restarts", result->restarts);
    json_open("classes", '{');
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++) {
        const char *name = combgpu_no3_class_string((combgpu_no3_class)i);
        json_u64(name, result->classes[i]);
        if (result->classes[i] && i == COMBGPU_NO3_NEAR_ROT4) /* is part of rot2 */
            say(" (near_rot4 %s)", commas(result->classes[i]));
        else if (result->classes[i])
            say("%s %s %s", told++ ? "," : ":", name, commas(result->classes[i]));
    }
    json_close();
    say("\n");
    tell_run(&result->run);
}

/* ---- --parts */

static combgpu_status no3_part_begin(combgpu_context *ctx, const combgpu_run_desc *desc,
                                     combgpu_job **job, void *user)
{
    combgpu_no3_desc part = *(const combgpu_no3_desc *)user;
    part.run = *desc;
    return combgpu_no3_begin(ctx, &part, job);
}

static combgpu_no3_result no3_part; /* the last one that ended */

static combgpu_status no3_part_end(combgpu_job *job, char *sums, size_t size,
                                   combgpu_run_info *info, void *user)
{
    combgpu_status status = combgpu_no3_end(job, &no3_part);
    size_t at;
    int i;
    (void)user;
    *info = no3_part.run;
    at = (size_t)snprintf(sums, size, "\"all\": %llu, \"up_to_symmetry\": %llu, \"classes\": {",
                          (unsigned long long)no3_part.all,
                          (unsigned long long)no3_part.up_to_symmetry);
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
        at += (size_t)snprintf(sums + at, size - at, "%s\"%s\": %llu",
                               i > COMBGPU_NO3_IDEN ? ", " : "",
                               combgpu_no3_class_string((combgpu_no3_class)i),
                               (unsigned long long)no3_part.classes[i]);
    snprintf(sums + at, size - at, "}");
    return status;
}

static void no3_parts_print(void *user)
{
    tell_no3_result((const combgpu_no3_desc *)user, &no3_part);
}

static int no3_parts(combgpu_no3_desc *desc)
{
    char what[200], cells[40] = "";
    parts_search search;
    uint64_t hash = 0, any = 0;
    int i;
    for (i = 0; i < desc->n * COMBGPU_NO3_ROW_WORDS(desc->n); i++) {
        any |= desc->on[i] | desc->off[i];
        hash = parts_hash(parts_hash(hash, desc->on[i]), desc->off[i]);
    }
    if (any) snprintf(cells, sizeof cells, ", fixed %016llx", (unsigned long long)hash);
    snprintf(what, sizeof what, "no3, n = %d, %s%s", desc->n,
             combgpu_no3_class_string(desc->symmetry), cells);
    search.name = "no3";
    search.what = what;
    search.begin = no3_part_begin;
    search.end = no3_part_end;
    search.print = no3_parts_print;
    search.user = desc;
    return parts_main(&search);
}

static int no3_search(combgpu_no3_desc *desc)
{
    static combgpu_no3_result result;
    combgpu_status status;
    combgpu_job *job = NULL;
    no3_output out;
    char label[40], title[120];
    snprintf(label, sizeof label, "no3, n = %d", desc->n);
    out.alone = desc->limit == 1;
    out.ctx = open_context(label);
    desc->run = run.desc;
    if (given(OPTION_FORECAST))
        return forecast(out.ctx, combgpu_no3_begin(out.ctx, desc, &job), &job);
    if (list_wanted() || pictures_wanted()) {
        desc->solution = no3_show;
        desc->solution_user = &out;
    }
    no3_list_begin(desc->n);
    if (list.begun) desc->run.resume = list.resumed; /* see list_begin */
    status = ended(out.ctx, combgpu_no3(out.ctx, desc, &result), &result.run);
    if (status < 0) return failed(out.ctx, status);
    terminal_clear();
    list_sorted(out.ctx);
    if (status == COMBGPU_OK)
        list_complete(desc->every_orientation ? result.all : result.up_to_symmetry);
    list_end();
    snprintf(title, sizeof title, "No three in line: %s solutions on %d x %d, %s%s",
             commas(pictures.count), desc->n, desc->n,
             desc->every_orientation ? "every orientation" : "up to symmetry",
             result.run.status == COMBGPU_OK ? "" : " (not all)");
    pictures_end(title);
    if (summary() == stdout || !given(OPTION_QUIET)) tell_no3_result(desc, &result);
    return finish(out.ctx, &result.run);
}

/* no3 --cnf FILE */
static int no3_cnf(const combgpu_no3_desc *desc)
{
    combgpu_context *ctx = open_cpu("no3");
    size_t bytes = 0;
    combgpu_status status = combgpu_no3_to_dimacs(ctx, desc, NULL, 0, &bytes);
    char *text = status < 0 ? NULL : (char *)malloc(bytes);
    FILE *to;
    if (status < 0) return failed(ctx, status);
    if (!text) usage("out of memory: the clauses take %s bytes", commas(bytes));
    status = combgpu_no3_to_dimacs(ctx, desc, text, bytes, NULL);
    if (status < 0) {
        free(text);
        return failed(ctx, status);
    }
    to = open_output(OPTION_CNF);
    fwrite(text, 1, bytes - 1, to);
    free(text);
    close_output(OPTION_CNF, to);
    json_status(COMBGPU_OK);
    json_string("cnf", text_of(OPTION_CNF));
    json_u64("bytes", bytes - 1);
    return finish(ctx, NULL);
}

/* no3 --bfile WHICH: writes the counts of sides 1 to n as an OEIS b-file. --time-limit covers all
   sides together. */
static int no3_bfile(combgpu_no3_desc *desc)
{
    combgpu_context *ctx = open_context("no3 --bfile");
    FILE *to = given(OPTION_OUTPUT) ? open_output(OPTION_OUTPUT) : stdout;
    int last = desc->n, status = EXIT_OK;
    desc->run = run.desc;
    parts.start = wall_clock();
    for (desc->n = 1; desc->n <= last && status == EXIT_OK; desc->n++) {
        combgpu_no3_result result;
        memset(&result, 0, sizeof result); /* n = 1: two points do not fit */
        if (!time_left(&desc->run.time_limit_s))
            status = EXIT_STOPPED;
        else if (desc->n > 1) {
            combgpu_status done = combgpu_no3(ctx, desc, &result);
            if (done < 0) return failed(ctx, done);
            if (done != COMBGPU_OK) status = EXIT_STOPPED;
        }
        terminal_clear();
        if (status == EXIT_OK)
            fprintf(to, "%d %llu\n", desc->n,
                    (unsigned long long)(!number_of(OPTION_BFILE, 0) ? result.all
                                         : desc->symmetry ? result.classes[desc->symmetry]
                                                          : result.up_to_symmetry));
        fflush(to);
    }
    combgpu_close(ctx);
    if (given(OPTION_OUTPUT) && close_output(OPTION_OUTPUT, to)) return EXIT_FAILED;
    if (flush_output()) return EXIT_FAILED;
    if (status == EXIT_STOPPED) fprintf(stderr, "%s: stopped before the end\n", cmd.program);
    return status;
}

static int command_no3(void)
{
    static const int with_check[] = {OPTION_POINT_ON,
                                     OPTION_POINT_OFF,
                                     OPTION_FIXED,
                                     OPTION_CLASS,
                                     OPTION_LIMIT,
                                     OPTION_SEED,
                                     OPTION_FORECAST,
                                     OPTION_BFILE,
                                     OPTION_CNF,
                                     OPTION_EVERY,
                                     -1};
    static const int with_bfile[] = {OPTION_POINT_ON, OPTION_POINT_OFF,  OPTION_FIXED,
                                     OPTION_LIMIT,    OPTION_SEED,       OPTION_FORECAST,
                                     OPTION_LIST,     OPTION_DRAW,       OPTION_FORMAT,
                                     OPTION_SVG,      OPTION_CNF,        OPTION_SHARD,
                                     OPTION_MERGE,    OPTION_CHECKPOINT, OPTION_JSON,
                                     OPTION_EVERY,    OPTION_SORT,       -1};
    static const int with_cnf[] = {OPTION_LIMIT,  OPTION_SEED,   OPTION_LIST, OPTION_DRAW,
                                   OPTION_FORMAT, OPTION_OUTPUT, OPTION_SVG,  -1};
    static const int with_parts[] = {OPTION_CHECK, OPTION_BFILE, OPTION_CNF, -1};
    static open_board on, off;
    combgpu_no3_desc desc;
    int i;
    memset(&desc, 0, sizeof desc);
    goes_without(OPTION_PARTS, with_parts);
    goes_without(OPTION_CHECK, with_check);
    searches_nothing(OPTION_CHECK);
    goes_without(OPTION_CNF, with_cnf);
    searches_nothing(OPTION_CNF);
    goes_without(OPTION_BFILE, with_bfile);
    if (given(OPTION_SORT) && !list_wanted()) usage("--sort needs --list");
    if (given(OPTION_CHECK)) return no3_check();
    desc.n = int_of(OPTION_N, 2, 128, 0);
    if (!desc.n) usage("--n N is needed: the side of the grid; --help lists the options");
    i = (int)number_of(OPTION_CLASS, 0); /* all, dia1 ... full: iden is only counted */
    desc.symmetry = i ? (combgpu_no3_class)(i + 1) : COMBGPU_NO3_ALL;
    desc.limit = number_of(OPTION_LIMIT, 0);
    desc.seed = number_of(OPTION_SEED, 0);
    if (given(OPTION_BFILE) && !i && desc.n > 32)
        usage("--n is %d; with --bfile and without a --class it may be 2 to 32", desc.n);
    if (given(OPTION_BFILE)) return no3_bfile(&desc);
    if (given(OPTION_SEED) && !desc.seed)
        wrong_value(OPTION_SEED, text_of(OPTION_SEED), "a whole number, 1 or more");
    desc.every_orientation = given(OPTION_EVERY);
    if (desc.every_orientation && !list_wanted() && !pictures_wanted())
        usage("--every-orientation needs --list or --svg");
    read_cells(OPTION_POINT_ON, on);
    read_cells(OPTION_POINT_OFF, off);
    if (given(OPTION_FIXED)) read_fixed(on, off);
    for (i = 2 * desc.n; i < COMBGPU_NO3_BOARD_WORDS; i++)
        if (on[i] || off[i])
            usage("a cell is fixed in row %d; with --n %d rows are 0 to %d", i / 2, desc.n,
                  desc.n - 1);
    fixed_inside(OPTION_POINT_ON, on, desc.n);
    fixed_inside(OPTION_POINT_OFF, off, desc.n);
    desc.on = on;
    desc.off = off;
    if (given(OPTION_SORT) && given(OPTION_CHECKPOINT))
        usage("--sort cannot be combined with --checkpoint: --check FILE --sort sorts a list");
    if (given(OPTION_CNF)) return no3_cnf(&desc);
    if (parts_wanted()) return no3_parts(&desc);
    return no3_search(&desc);
}

#endif
