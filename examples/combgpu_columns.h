/* What a table of cells is: columns with a header, n x n distances, or rows of two coordinates. The rule stands in
   combgpu_points.h. */
#ifndef COMBGPU_EXAMPLES_COLUMNS_H
#define COMBGPU_EXAMPLES_COLUMNS_H

#include "combgpu_grid.h"

/* ---- a header */

/* Kinds of columns, and the words for them. */
enum column_kind { LATITUDE, LONGITUDE, EAST, NORTH, HEIGHT, NAME, COLUMN_KINDS };

static const char *const column_words[COLUMN_KINDS] = {
    "lat latitude latitud latitudine breite breitengrad",
    "lon lng long longitude longitud longitudine l\xc3\xa4nge laenge l\xc3\xa4ngengrad",
    "x east easting rechtswert",
    "y north northing hochwert",
    "z",
    "name nom nombre title label city place town ort stadt station stop address adresse id"};

typedef struct columns {
    int of[COLUMN_KINDS]; /* from 0; -1 = there is none */
    int twice;            /* a kind that two columns may be, or -1 */
    int x, y, plane;      /* the columns that are taken: latitude and longitude, or x and y */
} columns;

/* How well a column's name fits a list of words: 2 the whole name, 1 a part of it as in "stop_lat" or "X [m]". */
static int column_fits(const cell *c, int kind)
{
    static const char between[] = " _-.:/([";
    const char *at = c->text, *end = c->text + c->length;
    if (is_one_of(at, c->length, column_words[kind])) return c->length > 0 ? 2 : 0;
    if (is_one_of(at, c->length, column_words[LATITUDE]) || memchr(at, ',', c->length)) return 0;
    while (at < end) {
        size_t size = 0;
        while (at + size < end && !strchr(between, at[size]))
            size++;
        if (kind == NAME
                ? is_one_of(at, size, "name")
                : size && !is_one_of(at, size, "long") && is_one_of(at, size, column_words[kind]))
            return 1;
        at += size + 1;
    }
    return 0;
}

/* Finds the column of a kind: the one that fits best, of names the first word of the list. */
static void find_column(columns *c, int kind, const cell *row, size_t count)
{
    int best = 0, many = 0;
    size_t k;
    c->of[kind] = -1;
    for (k = 0; k < count; k++) {
        int fits = column_fits(&row[k], kind);
        if (!fits || fits < best) continue;
        many = fits > best ? 1 : many + 1;
        if (fits > best) c->of[kind] = (int)k;
        best = fits;
    }
    if (many > 1 && kind < NAME) c->twice = kind;
}

/* Of several names, the one whose word comes first in the list. */
static void find_name(columns *c, const cell *row, size_t count)
{
    const char *words = column_words[NAME];
    int first = c->of[NAME];
    while (first >= 0 && *words) {
        char word[32];
        size_t size = strcspn(words, " "), k;
        snprintf(word, sizeof word, "%.*s", (int)size, words);
        for (k = 0; k < count; k++)
            if (is_one_of(row[k].text, row[k].length, word)) {
                c->of[NAME] = (int)k;
                return;
            }
        words += size + (words[size] == ' ');
    }
}

/* Returns 0 if a row names no two coordinates. Latitude and longitude go before x and y, unless --metric says a
   plane. A remark, as of numpy.savetxt, may be a header if nothing in it is in doubt. */
static int find_columns(columns *c, const cell *row, size_t count, int remark)
{
    int kind, geo, flat;
    c->twice = -1;
    for (kind = 0; kind < COLUMN_KINDS; kind++)
        find_column(c, kind, row, count);
    find_name(c, row, count);
    geo = c->of[LATITUDE] >= 0 && c->of[LONGITUDE] >= 0;
    flat = c->of[EAST] >= 0 && c->of[NORTH] >= 0;
    if (!geo && !flat) return 0;
    if (geo && flat) geo = metric_given() != METRIC_PLANE && metric_given() != METRIC_EUC_2D;
    c->plane = !geo;
    c->x = geo ? c->of[LATITUDE] : c->of[EAST];
    c->y = geo ? c->of[LONGITUDE] : c->of[NORTH];
    if (c->twice != (geo ? LATITUDE : EAST) && c->twice != (geo ? LONGITUDE : NORTH)) c->twice = -1;
    if (c->x == c->y) return 0;
    return !remark || (c->twice < 0 && column_fits(&row[c->x], geo ? LATITUDE : EAST) == 2 &&
                       column_fits(&row[c->y], geo ? LONGITUDE : NORTH) == 2);
}

/* ---- names of cells */

static void cell_name(name_text *name, const grid *g, const cell *c)
{
    const char *at = c->text, *end = c->text + c->length;
    memset(name, 0, sizeof *name);
    if (g->json)
        name_from_json(name, at, end);
    else
        while (at < end) {
            if (*at == '"' && at + 1 < end && at[1] == '"') at++; /* two are one, in quotes */
            at = name_add_from(name, at);
        }
}

static const char *grid_place(const grid *g, size_t row)
{
    static char place[40];
    snprintf(place, sizeof place, "%s %d", g->json ? "row" : "line", g->lines[row]);
    return place;
}

/* How much of a cell a message shows. */
static int cell_shown(const cell *c)
{
    return c->length > 40 ? 40 : (int)c->length;
}

/* Ends the program if the last line is short of cells, and has no end. */
static void grid_whole(const grid *g, size_t cells, const char *source)
{
    size_t count;
    if (!g->open || !g->rows) return;
    grid_row(g, g->rows - 1, &count);
    if (count < cells)
        usage("%.200s, %s: the last line has %d cells of %d and no end: is the file cut off?",
              source, grid_place(g, g->rows - 1), (int)count, (int)cells);
}

static void grid_not_wrong(const grid *g, const char *source)
{
    if (g->wrong) usage("%.200s, line %d: %s", source, g->wrong_line, g->wrong);
    if (g->points && g->commas)
        usage("%.200s has decimal points and decimal commas; they must be one or the other",
              source);
}

/* ---- points in columns with a header, which is row 0 */

static double coordinate(const grid *g, size_t r, const cell *row, const char *source)
{
    if (row->value >= NO_NUMBER)
        usage("%.200s, %s: \"%.*s\" is no coordinate; it may be a number, degrees with decimals",
              source, grid_place(g, r), cell_shown(row), row->text);
    return row->value;
}

/* In a plane a third coordinate would count. */
static void check_height(const grid *g, size_t r, const columns *c, const cell *row, size_t count,
                         double *height, const char *source)
{
    if (!c->plane || metric_given() == METRIC_EARTH || c->of[HEIGHT] < 0 ||
        c->of[HEIGHT] >= (int)count || row[c->of[HEIGHT]].value >= NO_NUMBER)
        return;
    if (r == 1) *height = row[c->of[HEIGHT]].value;
    if (row[c->of[HEIGHT]].value != *height)
        usage("%.200s, %s: points in space, with x, y and z, are read from TSPLIB files of "
              "EDGE_WEIGHT_TYPE EUC_3D",
              source, grid_place(g, r));
}

static void read_columns(grid *g, const columns *c, int blanks, const char *source)
{
    size_t titles, count, r, k;
    const cell *title = grid_row(g, 0, &titles), *row;
    static const char *const kinds[] = {"lat", "lon", "x", "y"};
    const int swap = c->plane && metric_given() == METRIC_EARTH; /* x is east, y is north */
    double height = 0;
    name_text name;
    grid_not_wrong(g, source);
    if (c->twice >= 0)
        usage("%.200s, %s: several columns may be %s; name one of them \"%s\"", source,
              grid_place(g, 0), kinds[c->twice], kinds[c->twice]);
    grid_whole(g, titles, source);
    points.plane = c->plane;
    for (r = 1; r < g->rows; r++) {
        const int needed = c->x > c->y ? c->x : c->y;
        double x, y;
        row = grid_row(g, r, &count);
        if (count > titles && !(blanks && c->of[NAME] == (int)titles - 1))
            usage(
                "%.200s, %s: more fields than columns; a decimal comma or a comma in a name needs "
                "quotes",
                source, grid_place(g, r));
        if ((int)count <= needed)
            usage("%.200s, %s: %d fields; the coordinates are in columns %d and %d", source,
                  grid_place(g, r), (int)count, c->x + 1, c->y + 1);
        x = coordinate(g, r, &row[c->x], source);
        y = coordinate(g, r, &row[c->y], source);
        check_height(g, r, c, row, count, &height, source);
        memset(&name, 0, sizeof name);
        if (c->of[NAME] >= 0 && c->of[NAME] < (int)count) {
            cell whole = row[c->of[NAME]];
            if (blanks && c->of[NAME] == (int)titles - 1)
                whole.length = (size_t)(row[count - 1].text + row[count - 1].length - whole.text);
            cell_name(&name, g, &whole);
        }
        add_point(swap ? y : x, swap ? x : y, name.text, name.length, source);
    }
    k = (size_t)(swap ? c->y : c->x);
    snprintf(points.why, sizeof points.why, "%s: column \"%.*s\", ",
             swap || !c->plane ? "latitude" : "x", cell_shown(&title[k]), title[k].text);
    k = (size_t)(swap ? c->x : c->y);
    snprintf(points.why + strlen(points.why), 100, "%s: column \"%.*s\"",
             swap || !c->plane ? "longitude" : "y", cell_shown(&title[k]), title[k].text);
}

/* ---- n x n distances */

typedef struct matrix {
    size_t top, left, n; /* rows and columns of labels before the numbers: 0 or 1 */
    size_t short_top;    /* the row of labels has no cell above the column of labels */
} matrix;

static const cell *matrix_cell(const grid *g, const matrix *m, size_t i, size_t j)
{
    size_t row = i + m->top;
    return g->cells + (row ? g->ends[row - 1] : 0) + m->left + j;
}

/* The label of city k: that of its row, or else of its column. */
static const cell *matrix_label(const grid *g, const matrix *m, size_t k, int of_row)
{
    if (of_row) return matrix_cell(g, m, k, 0) - 1;
    return g->cells + k + (m->left && !m->short_top);
}

/* Nonzero if labels count from 0 or 1. */
static int labels_count(const grid *g, const matrix *m, int of_row)
{
    size_t k;
    double first = matrix_label(g, m, 0, of_row)->value;
    if (first != 0 && first != 1) return 0;
    for (k = 1; k < m->n; k++)
        if (matrix_label(g, m, k, of_row)->value != first + (double)k) return 0;
    return 1;
}

/* Nonzero if some label is a word. */
static int labels_are_words(const grid *g, const matrix *m, int of_row)
{
    size_t k;
    for (k = 0; k < m->n; k++)
        if (matrix_label(g, m, k, of_row)->value == NO_NUMBER) return 1;
    return 0;
}

/* Returns how many labels of rows equal those of columns, from the first on. */
static size_t labels_agree(const grid *g, const matrix *m, size_t rows)
{
    size_t k;
    for (k = 0; k < rows; k++) {
        const cell *a = matrix_label(g, m, k, 1), *b = matrix_label(g, m, k, 0);
        if (a->length != b->length || memcmp(a->text, b->text, a->length)) break;
    }
    return k;
}

/* The diagonal of distances: all zeros or empty, or one number that stands for "none", as 9999. */
static int diagonal_fits(const grid *g, const matrix *m)
{
    double first = NO_CONNECTION;
    int zeros = 1, equal = 1;
    size_t k;
    for (k = 0; k < m->n; k++) {
        double value = matrix_cell(g, m, k, k)->value;
        if (!k) first = value;
        if (value != first) equal = 0;
        if (value != 0 && value != NO_CONNECTION) zeros = 0;
    }
    return zeros || equal;
}

/* Nonzero if the cells inside are numbers, or say that there is no connection. */
static int matrix_of_numbers(const grid *g, const matrix *m)
{
    size_t i, j;
    for (i = 0; i < m->n; i++)
        for (j = 0; j < m->n; j++)
            if (matrix_cell(g, m, i, j)->value == NO_NUMBER) return 0;
    return 1;
}

/* The answer of find_matrix. */
enum { NO_MATRIX, MATRIX, MATRIX_DOUBTED, MATRIX_CUT };

/* Numbers in the first row and column are labels if they are equal, and the corner is no number: they count from 0
   or 1, or the diagonal behind the corner has zeros. */
static int numbers_are_labels(const grid *g, const matrix *m)
{
    const cell *corner = g->cells;
    size_t k;
    if (labels_agree(g, m, m->n) < m->n) return 0;
    if (m->short_top || corner->value == NO_NUMBER) return 1;
    if (corner->value != NO_CONNECTION) return 0;
    if (labels_count(g, m, 1)) return 1;
    for (k = 0; k < m->n; k++)
        if (matrix_cell(g, m, k, k)->value != 0) return 0;
    return 1;
}

/* Finds out whether a table is one of distances. MATRIX_DOUBTED: it may be, and so may be points. */
static int find_matrix(const grid *g, matrix *m)
{
    size_t width = 0, least = SIZE_MAX, first = 0, r, count;
    int labels; /* the rows and the columns have the same */
    memset(m, 0, sizeof *m);
    for (r = 0; r < g->rows; r++) {
        size_t all = g->ends[r] - (r ? g->ends[r - 1] : 0);
        grid_row(g, r, &count);
        if (!r) first = count;
        if (count > width) width = count;
        if (r && all < least) least = all;
    }
    if (g->rows < 2 || width < 2) return NO_MATRIX;
    m->short_top = first + 1 == width && g->ends[0] == first && g->rows == width;
    if (least < width || (g->ends[0] < width && !m->short_top)) return NO_MATRIX;
    m->top = m->left = 1; /* do both have labels, and the same? */
    m->n = width - 1;
    r = g->rows - 1 < m->n ? g->rows - 1 : m->n;
    if (width > 2 && (labels_are_words(g, m, 0) || numbers_are_labels(g, m) * (r == m->n)) &&
        labels_agree(g, m, r) == r && r) {
        if (g->rows != width) return g->rows < width ? MATRIX_CUT : NO_MATRIX;
        return matrix_of_numbers(g, m) ? MATRIX : NO_MATRIX;
    }
    if (m->short_top) return NO_MATRIX;
    labels = 0;
    m->top = g->rows == width + 1;
    m->left = width == g->rows + 1;
    m->n = width - m->left;
    if (m->n != g->rows - m->top || !matrix_of_numbers(g, m)) return NO_MATRIX;
    if (m->top) labels = labels_are_words(g, m, 0) || labels_count(g, m, 0);
    if (m->left) labels = labels_are_words(g, m, 1) || labels_count(g, m, 1);
    if ((m->top || m->left) && !labels) return NO_MATRIX;
    if (!diagonal_fits(g, m)) return m->n > 2 ? MATRIX_DOUBTED : NO_MATRIX;
    if (m->n > 2 || matrix_cell(g, m, 0, 0)->value == NO_CONNECTION) return MATRIX;
    return matrix_cell(g, m, 0, 0)->value == 0 && matrix_cell(g, m, 0, 1)->value >= 0 &&
                   matrix_cell(g, m, 1, 0)->value >= 0
               ? MATRIX_DOUBTED
               : NO_MATRIX;
}

/* Nonzero if all cells on one side of the diagonal are empty, and none on the other: `below` says which one. */
static int is_triangle(const grid *g, const matrix *m, int below)
{
    size_t i, j;
    for (i = 0; i < m->n; i++)
        for (j = 0; j < m->n; j++)
            if (i != j && !matrix_cell(g, m, i, j)->length != (below == (i > j))) return 0;
    return m->n > 2;
}

static void read_matrix(const grid *g, const matrix *m, const char *source)
{
    int below = is_triangle(g, m, 1), above = is_triangle(g, m, 0), of_row = m->left > 0;
    size_t i, j, missing = 0;
    name_text name;
    grid_not_wrong(g, source);
    begin_weights((int)m->n, source);
    for (i = 0; i < m->n; i++)
        for (j = 0; j < m->n; j++) {
            int mirrored = (below && i > j) || (above && i < j);
            double value = matrix_cell(g, m, mirrored ? j : i, mirrored ? i : j)->value;
            if (i == j) value = 0;
            if (value == NO_CONNECTION) missing++;
            points.weights[i * m->n + j] =
                value == NO_CONNECTION ? COMBGPU_TSP_NO_CONNECTION : value;
        }
    if (below || above)
        snprintf(points.why, sizeof points.why, "a triangle of them, the same both ways");
    else if (missing)
        snprintf(points.why, sizeof points.why, "%llu without a connection",
                 (unsigned long long)missing);
    if ((!m->top && !m->left) ||
        (labels_count(g, m, of_row) && matrix_label(g, m, 0, of_row)->value == 1))
        return; /* names that are the numbers of the cities are none */
    for (i = 0; i < m->n; i++) {
        cell_name(&name, g, matrix_label(g, m, i, of_row));
        add_city(NULL, NULL, name.text, name.length, source);
    }
}

/* ---- rows of two coordinates, perhaps a number of the point before them and a name behind them */

typedef struct pair {
    double number[4]; /* the numbers that the row begins with */
    int numbers;
    const char *third;      /* what begins behind two numbers */
    const char *name, *end; /* what is behind the numbers, which may be nothing */
    int more;               /* cells behind that */
} pair;

static void pair_of_cells(pair *p, const grid *g, size_t r)
{
    size_t count, k = 0, first = 0;
    const cell *row = grid_row(g, r, &count);
    memset(p, 0, sizeof *p);
    if (count == 3 && row[0].value == NO_NUMBER && row[1].value < NO_NUMBER &&
        row[2].value < NO_NUMBER)
        first = 1; /* name, latitude, longitude */
    for (k = first; k < count && p->numbers < 4 && row[k].value < NO_NUMBER; k++)
        p->number[p->numbers++] = row[k].value;
    if (first) k = 0;
    p->more = !first && k + 1 < count;
    p->name = k < count ? row[k].text : "";
    p->end = p->name + (k < count ? row[k].length : 0);
    p->third = p->name;
}

/* Of a line that is one cell, with any of blanks, commas and semicolons between the numbers; the name may have them,
   too. */
static void pair_of_line(pair *p, const char *at, const char *end)
{
    static const char between[] = " ,\t;\r";
    char *stop;
    memset(p, 0, sizeof *p);
    for (; at < end && p->numbers < 4; at = stop + strspn(stop, between)) {
        double value = decimal(at, &stop);
        if (stop == at || stop > end || (stop < end && !strchr(between, *stop))) break;
        if (p->numbers == 2) p->third = at;
        p->number[p->numbers++] = value;
    }
    if (p->numbers == 2) p->third = at;
    if (end - at > 1 && *at == '"' && end[-1] == '"') at++, end--;
    p->name = at;
    p->end = end > at ? end : at;
}

static void pair_of_row(pair *p, const grid *g, size_t r, int in_lines)
{
    size_t count;
    const cell *row = grid_row(g, r, &count);
    if (in_lines)
        pair_of_line(p, row->text, row->text + row->length);
    else
        pair_of_cells(p, g, r);
}

/* Nonzero for "48,85 2,35 Paris": read with commas between numbers it is another place. */
static int has_decimal_commas(const char *at)
{
    static const char digits[] = "0123456789";
    int k;
    for (k = 0; k < 2; k++) {
        at += strspn(at, " \t;");
        at += strspn(at, "+-0123456789");
        if (*at != ',' || !at[1] || !strchr(digits, at[1])) return 0;
        at += 1 + strspn(at + 1, digits);
        if (!k && !strchr(" \t;", *at)) return 0;
    }
    return 1;
}

/* What a message shows of a row, and how much of it. */
static const char *row_shown(const grid *g, size_t r, int *length)
{
    size_t count;
    const cell *row = grid_row(g, r, &count);
    const char *at, *end;
    *length = 0;
    if (!count) return "";
    at = row->text;
    end = row[count - 1].text + row[count - 1].length;
    if (at > g->text && at[-1] == '"') at--;
    *length = end - at > 40 ? 40 : (int)(end - at);
    return at;
}

/* Ends the program if a row is no pair. */
static void check_pair(const grid *g, size_t r, const pair *p, int in_lines, const char *source)
{
    int length;
    const char *row = row_shown(g, r, &length), *why = NULL;
    char advice[120] = "";
    if (in_lines && p->numbers >= 2 && has_decimal_commas(row))
        why = "has decimal commas; they must be points";
    else if (p->numbers < 2) {
        why = "is not \"latitude longitude name\"";
        snprintf(advice, sizeof advice,
                 "; other files are CSV with a header, n x n distances, TSPLIB, GPX, KML, JSON and "
                 ".npy");
    } else if (p->numbers == 4 || p->more) {
        why = "has more than latitude, longitude and a name";
        if (strstr(row, " output"))
            snprintf(advice, sizeof advice, "; --batch %d reads lines \"x y x y ... output\"",
                     (int)g->rows);
        else if (p->numbers == 4)
            snprintf(advice, sizeof advice,
                     "; distances are n lines of n numbers, and here are %d lines", (int)g->rows);
        else
            snprintf(advice, sizeof advice, "; a name with a separator in it needs quotes");
    }
    if (why) usage("%.200s, %s: \"%.*s\" %s%s", source, grid_place(g, r), length, row, why, advice);
}

/* Three numbers in a row may be anything. */
static void refuse_three(const grid *g, size_t r, const char *source) COMMAND_NORETURN;
static void refuse_three(const grid *g, size_t r, const char *source)
{
    int length;
    const char *row = row_shown(g, r, &length);
    usage("%.200s, %s: \"%.*s\": the third number may be part of a name, which then needs quotes, "
          "or a "
          "height; a first line such as \"id,lat,lon\" or \"lat,lon,height\" says what the columns "
          "are",
          source, grid_place(g, r), length, row);
}

/* Reads rows "latitude longitude name", where all begin with a number of their own, from 0 or 1 on, or none does. */
static void read_pairs(const grid *g, int in_lines, const char *source)
{
    size_t r, threes = 0, counted = 0, named = 0;
    int in_range = 1, edges = 1, last_named = 0, alone = -1;
    double first = 0;
    pair p;
    if (!g->rows) return;
    for (r = 0; r < g->rows; r++) {
        pair_of_row(&p, g, r, in_lines);
        check_pair(g, r, &p, in_lines, source);
        if (!r) first = p.number[0];
        counted += p.numbers == 3 && p.number[0] == first + (double)r;
        threes += p.numbers == 3;
        last_named = p.name < p.end;
        named += (size_t)last_named;
        if (p.numbers == 3 && !last_named && alone < 0) alone = (int)r;
        edges &= p.number[1] >= 0 && p.number[1] <= (double)g->rows &&
                 p.number[1] == (double)(int)p.number[1];
    }
    if (threes == g->rows && (counted < g->rows || (first != 0 && first != 1) || edges ||
                              (g->rows < 4 && !points_wanted())))
        refuse_three(g, 0, source);
    if (threes < g->rows && alone >= 0) refuse_three(g, (size_t)alone, source);
    if (g->open && (g->rows == 1 || (named == g->rows - 1 && !last_named)))
        usage("%.200s, %s: the last line has no %s and no end: is the file cut off?", source,
              grid_place(g, g->rows - 1), g->rows == 1 ? "other before it" : "name");
    for (r = 0; r < g->rows; r++) {
        const int from = threes == g->rows;
        name_text name;
        cell text;
        pair_of_row(&p, g, r, in_lines);
        text.text = !from && p.numbers == 3 ? p.third : p.name;
        text.length = (size_t)(p.end - text.text);
        cell_name(&name, g, &text);
        if (from && !text.length)
            name.length = (size_t)snprintf(name.text, sizeof name.text, "%.15g", p.number[0]);
        add_point(p.number[from], p.number[from + 1], name.text, name.length, source);
        in_range &= p.number[from + 1] >= -180 && p.number[from + 1] <= 180;
    }
    if (in_range && metric_given() == METRIC_AUTO)
        snprintf(points.why, sizeof points.why,
                 "without a header %s latitude, longitude; --metric plane takes them for x, y",
                 threes == g->rows ? "the numbers behind the first are" : "numbers are");
}

/* ---- which of them */

static void refuse_doubted(size_t n, const char *source) COMMAND_NORETURN;
static void refuse_doubted(size_t n, const char *source)
{
    usage("%.200s may be %d x %d distances or %d points: --metric matrix takes it for distances, "
          "--metric earth or plane for points",
          source, (int)n, (int)n, (int)n);
}

/* Reads the table as distances if it is one. */
static int take_matrix(const grid *g, const char *source)
{
    matrix m;
    int found = points_wanted() || g->wrong ? NO_MATRIX : find_matrix(g, &m);
    if (found == MATRIX_CUT)
        usage("%.200s names more cities in its first line than it has lines: is it cut off?",
              source);
    if (found == MATRIX_DOUBTED && !matrix_wanted()) refuse_doubted(m.n, source);
    if (found != NO_MATRIX) read_matrix(g, &m, source);
    return found != NO_MATRIX;
}

static void refuse_points(const char *source)
{
    if (matrix_wanted())
        usage("%.200s is no table of n rows of n numbers, which --metric %s needs", source,
              text_of(OPTION_METRIC));
}

/* Finds the line that names the columns, before the first line of numbers: the last one, if a remark above it does, too.
   *line and *separator are set. Returns NULL if there is none. */
static const char *find_header(const char *text, int *line, char *separator, const char *separators)
{
    const char *at = text, *found = NULL, *next;
    int of_line = *line, lines = 0, k;
    columns c;
    for (; *at && lines < 100; at = next) {
        const char *begin = at + strspn(at, " \t\r"), *end = at + strcspn(at, "\n");
        int remark = *begin == '#';
        pair p;
        next = end + (*end == '\n');
        if (remark) begin++;
        pair_of_line(&p, begin, end);
        if (!remark && p.numbers >= 2) break;
        for (k = 0; separators[k]; k++) {
            size_t count;
            const cell *row;
            grid_clear(&sheet);
            sheet.wrong_line = 0;
            if (separators[k] != ' ' && !memchr(begin, separators[k], (size_t)(end - begin)))
                continue;
            next = grid_line(&sheet, begin, separators[k], of_line);
            row = grid_row(&sheet, 0, &count);
            if (!sheet.wrong && find_columns(&c, row, count, remark)) {
                found = begin;
                *line = of_line;
                *separator = separators[k];
                break;
            }
            next = end + (*end == '\n');
            if (found && separators[k] == *separator && c.x < (int)count && c.y < (int)count &&
                row[c.x].value < NO_NUMBER && row[c.y].value < NO_NUMBER)
                return found;
        }
        of_line += lines_between(at, next);
        lines++;
    }
    return found;
}

/* Reads the table that has a header. */
static void read_headed(const char *header, int line, char separator, const char *source)
{
    columns c;
    matrix m;
    size_t count;
    const cell *row;
    grid_lines(&sheet, header, separator, line);
    row = grid_row(&sheet, 0, &count);
    find_columns(&c, row, count, 0);
    if (!sheet.wrong &&
        (matrix_wanted() || (find_matrix(&sheet, &m) == MATRIX && m.top && m.left)) &&
        take_matrix(&sheet, source))
        return;
    refuse_points(source);
    read_columns(&sheet, &c, separator == ' ', source);
}

/* Nonzero if all rows begin with two numbers, or with a name and two numbers. */
static int are_pairs(const grid *g)
{
    size_t r;
    pair p;
    for (r = 0; r < g->rows && !g->wrong; r++) {
        pair_of_cells(&p, g, r);
        if (p.numbers < 2) return 0;
    }
    return !g->wrong;
}

/* Reads lines of cells. */
static void read_lines_of_cells(const char *text, const char *source)
{
    char separators[] = "\t;|, ", separator = 0;
    int line = 1, header_line, k;
    const char *header;
    sheet.text = text;
    if (is_one_of(text, 4, "sep=") && text[4]) { /* Excel's first line */
        separators[0] = text[4];
        separators[1] = 0;
        text += strcspn(text, "\n");
        text += *text == '\n';
        line = 2;
    }
    header_line = line;
    header = find_header(text, &header_line, &separator, separators);
    if (header) {
        read_headed(header, header_line, separator, source);
        return;
    }
    for (k = 0; separators[k]; k++) {
        if (separators[k] != ' ' && !strchr(text, separators[k])) continue;
        grid_lines(&sheet, text, separators[k], line);
        if (take_matrix(&sheet, source)) return;
    }
    refuse_points(source);
    for (k = 0; separators[k] && separators[k] != ' '; k++) {
        if (!strchr(text, separators[k])) continue;
        grid_lines(&sheet, text, separators[k], line);
        if (are_pairs(&sheet)) break;
    }
    if (!separators[k] || separators[k] == ' ') grid_lines(&sheet, text, '\n', line);
    if (!separators[k] || separators[k] == ' ')
        read_pairs(&sheet, 1, source);
    else {
        grid_not_wrong(&sheet, source);
        read_pairs(&sheet, 0, source);
    }
}

/* Reads cells that are there: of JSON, of .npy. */
static void read_sheet(const char *source)
{
    if (take_matrix(&sheet, source)) return;
    refuse_points(source);
    read_pairs(&sheet, 0, source);
}

#endif
