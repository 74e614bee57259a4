/* Reads points from columns named by a header: latitude and longitude, or x and y, perhaps a name. */
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

typedef struct column_set {
    int of[COLUMN_KINDS]; /* from 0; -1 = missing */
    int twice;            /* a kind that fits two columns, or -1 */
    int x, y, plane;      /* the columns in use: latitude and longitude, or x and y */
} column_set;

/* How well a column's name fits a list of words: 2 the whole name, 1 a part of it, as in "stop_lat", "X [m]". */
static int column_fits(const table_cell *c, int kind)
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

/* Finds the column of a kind: the one that fits best. */
static void find_column(column_set *c, int kind, const table_cell *row, size_t count)
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

/* Of several names, the one whose word comes first in the list; "stop_name" comes after "name". */
static void find_name(column_set *c, const table_cell *row, size_t count)
{
    const char *words = column_words[NAME];
    size_t k;
    while (*words) {
        char word[32];
        size_t size = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)size, words);
        for (k = 0; k < count; k++)
            if (is_one_of(row[k].text, row[k].length, word)) {
                c->of[NAME] = (int)k;
                return;
            }
        for (k = 0; k < count && words == column_words[NAME]; k++)
            if (column_fits(&row[k], NAME) == 1) {
                c->of[NAME] = (int)k;
                return;
            }
        words += size + (words[size] == ' ');
    }
}

/* Returns 0 if a row does not name two coordinates. Latitude and longitude come before x and y, unless --metric
   says a plane. A comment, as of numpy.savetxt, may be a header if it is unambiguous. */
static int find_columns(column_set *c, const table_cell *row, size_t count, int remark)
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

/* ---- points in columns with a header, which is row 0 */

static double coordinate(const grid *g, size_t r, const table_cell *row, const char *source)
{
    if (row->value >= NO_NUMBER)
        usage("%.200s, %s: \"%.*s\" is not a coordinate; it may be a number, degrees with decimals",
              source, grid_place(g, r), cell_shown(row), row->text);
    return row->value;
}

/* In a plane a third coordinate would count. */
static void check_height(const grid *g, size_t r, const column_set *c, const table_cell *row,
                         size_t count, double *height, const char *source)
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

static void read_columns(grid *g, const column_set *c, int blanks, const char *source)
{
    size_t titles, count, r, k;
    const table_cell *title = grid_row(g, 0, &titles), *row;
    static const char *const kinds[] = {"lat", "lon", "x", "y"};
    const int swap = c->plane && metric_given() == METRIC_EARTH; /* x is east, y is north */
    double height = 0;
    name_text name;
    grid_not_wrong(g, !c->plane || metric_given() == METRIC_EARTH, source);
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
            table_cell whole = row[c->of[NAME]];
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

#endif
