/* Reads points without a header: rows of two coordinates, perhaps the point's number before and a name behind. */
#ifndef COMBGPU_EXAMPLES_PAIRS_H
#define COMBGPU_EXAMPLES_PAIRS_H

#include "combgpu_grid.h"

typedef struct pair {
    double number[4]; /* the numbers that the row begins with */
    int numbers;
    const char *third;      /* what begins behind two numbers */
    const char *name, *end; /* behind the numbers, perhaps nothing */
    int more;               /* cells behind that */
} pair;

static void pair_of_cells(pair *p, const grid *g, size_t r)
{
    size_t count, k = 0, first = 0;
    const table_cell *row = grid_row(g, r, &count);
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

/* Splits a line of one cell: blanks, commas or semicolons separate the numbers; the name may have them, too. */
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
    const table_cell *row = grid_row(g, r, &count);
    if (in_lines)
        pair_of_line(p, row->text, row->text + row->length);
    else
        pair_of_cells(p, g, r);
}

/* Nonzero for "48,85 2,35 Paris", which commas as separators would turn into another place. */
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

/* The part of a row that a message shows. */
static const char *row_shown(const grid *g, size_t r, int *length)
{
    size_t count;
    const table_cell *row = grid_row(g, r, &count);
    const char *at, *end;
    *length = 0;
    if (!count) return "";
    at = row->text;
    end = row[count - 1].text + row[count - 1].length;
    if (at > g->text && at[-1] == '"') at--;
    *length = end - at > 40 ? 40 : (int)(end - at);
    return at;
}

/* Ends the program if a row is not a pair. */
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

/* Three numbers in a row are ambiguous. */
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

/* Reads rows "latitude longitude name"; all or none begin with their own number, from 0 or 1. */
static void read_pairs(const grid *g, int in_lines, const char *source)
{
    size_t r, threes = 0, counted = 0, named = 0;
    int in_range = 1, edges = 1, last_named = 0, alone = -1, few;
    double first = 0;
    pair p;
    if (!g->rows) return;
    points.bare = 1;
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
    few = g->rows < 2 || (g->rows < 4 && (named < g->rows || first == 0)); /* rows of distances? */
    if (threes == g->rows &&
        (counted < g->rows || (first != 0 && first != 1) || edges || (few && !points_wanted())))
        refuse_three(g, 0, source);
    if (threes < g->rows && alone >= 0) refuse_three(g, (size_t)alone, source);
    if (g->open && (g->rows == 1 || (named == g->rows - 1 && !last_named)))
        usage("%.200s, %s: the last line has no %s and no end: is the file cut off?", source,
              grid_place(g, g->rows - 1), g->rows == 1 ? "other before it" : "name");
    for (r = 0; r < g->rows; r++) {
        const int from = threes == g->rows;
        name_text name;
        table_cell text;
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

#endif
