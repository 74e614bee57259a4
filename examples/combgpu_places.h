/* Keeps a file's cities: points or a table of distances, perhaps names, and what the file was read as. */
#ifndef COMBGPU_EXAMPLES_PLACES_H
#define COMBGPU_EXAMPLES_PLACES_H

#include "combgpu_input.h"

/* Decimal degrees, north and east positive. */
static const char points_of_europe[] =
    "52.37 4.90 Amsterdam\n37.98 23.73 Athens\n41.39 2.17 Barcelona\n44.79 20.45 Belgrade\n"
    "52.52 13.40 Berlin\n46.95 7.45 Bern\n48.15 17.11 Bratislava\n50.85 4.35 Brussels\n"
    "44.43 26.10 Bucharest\n47.50 19.04 Budapest\n47.01 28.86 Chisinau\n55.68 12.57 Copenhagen\n"
    "53.35 -6.26 Dublin\n55.95 -3.19 Edinburgh\n60.17 24.94 Helsinki\n50.45 30.52 Kyiv\n"
    "38.72 -9.14 Lisbon\n46.06 14.51 Ljubljana\n51.51 -0.13 London\n49.61 6.13 Luxembourg\n"
    "40.42 -3.70 Madrid\n43.30 5.37 Marseille\n45.46 9.19 Milan\n43.73 7.42 Monaco\n"
    "48.14 11.58 Munich\n59.91 10.75 Oslo\n48.86 2.35 Paris\n42.44 19.26 Podgorica\n"
    "50.08 14.44 Prague\n56.95 24.11 Riga\n41.90 12.50 Rome\n43.86 18.41 Sarajevo\n"
    "41.99 21.43 Skopje\n42.70 23.32 Sofia\n59.33 18.07 Stockholm\n59.44 24.75 Tallinn\n"
    "41.33 19.82 Tirana\n48.21 16.37 Vienna\n54.69 25.28 Vilnius\n52.23 21.01 Warsaw\n";

static struct {
    double *x, *y;      /* latitude, longitude; or x, y in a plane */
    double *weights;    /* a table of distances, n x n, instead of points */
    char (*name)[64];   /* of each of `count` cities; a table may have none */
    int count, room, n; /* n: of the table */
    int plane;          /* what the points are without --metric */
    int durations;      /* what the table has */
    int service;        /* a service's table: durations are seconds */
    int bare;           /* the points have no header */
    char what[80];      /* what the file was read as: "5 x 5 distances" */
    char why[240];      /* how, if it was ambiguous; "" = it was not */
} points;

/* Copies the name of a point, as trimmed UTF-8 without control characters, cut between characters; a nameless
   point gets its number. */
static void name_point(char *to, int number, const char *name, size_t length)
{
    name_text text;
    const char *at = name ? name : "", *end = name ? name + length : at;
    size_t used = 0;
    memset(&text, 0, sizeof text);
    while (at < end && text.length < 64)
        at = name_add_from(&text, at);
    at = text.text + strspn(text.text, " ");
    while (at[used] && used + utf8_length(at + used) < 64)
        used += utf8_length(at + used);
    while (used && at[used - 1] == ' ')
        used--;
    if (used)
        snprintf(to, 64, "%.*s", (int)used, at);
    else
        snprintf(to, 64, "%d", number);
}

/* Counts the ends of lines from `at` to `end`. */
static int lines_between(const char *at, const char *end)
{
    int lines = 0;
    while ((at = (const char *)memchr(at, '\n', (size_t)(end - at))) != NULL)
        at++, lines++;
    return lines;
}

/* Adds a city; without a position, of a table. `length` bytes of text are its name. */
static void add_city(const double *x, const double *y, const char *name, size_t length,
                     const char *source)
{
    if (points.count == COMBGPU_TSP_MAX_DIMENSION)
        usage("%.200s has more than %d points", source, COMBGPU_TSP_MAX_DIMENSION);
    if (points.count == points.room) {
        points.room = points.room ? 2 * points.room : 64;
        if (x) points.x = (double *)realloc(points.x, (size_t)points.room * sizeof *points.x);
        if (x) points.y = (double *)realloc(points.y, (size_t)points.room * sizeof *points.y);
        points.name = (char(*)[64])realloc(points.name, (size_t)points.room * sizeof *points.name);
        if ((x && (!points.x || !points.y)) || !points.name) usage("%.200s: out of memory", source);
    }
    if (x) points.x[points.count] = *x;
    if (x) points.y[points.count] = *y;
    name_point(points.name[points.count], points.count + 1, name, length);
    points.count++;
}

static void add_point(double x, double y, const char *name, size_t length, const char *source)
{
    add_city(&x, &y, name, length, source);
}

/* Drops the last point of a closed line, which repeats the first. */
static void drop_last_if_first(void)
{
    int last = points.count - 1;
    if (last > 0 && points.x[0] == points.x[last] && points.y[0] == points.y[last]) points.count--;
}

/* Allocates a table of n x n distances. */
static void begin_weights(int n, const char *source)
{
    if (n > COMBGPU_TSP_MAX_DIMENSION)
        usage("%.200s has more than %d cities", source, COMBGPU_TSP_MAX_DIMENSION);
    points.n = n;
    points.weights = (double *)malloc((size_t)n * (size_t)n * sizeof *points.weights);
    if (!points.weights) usage("%.200s: out of memory", source);
}

static const char *city_name(int city)
{
    static char text[4][16];
    static int next;
    if (points.count) return points.name[city];
    next = (next + 1) % 4;
    snprintf(text[next], sizeof text[0], "%d", city + 1);
    return text[next];
}

/* ---- --metric: how to read a file */

enum metric_choice {
    METRIC_AUTO,
    METRIC_EARTH,
    METRIC_PLANE,
    METRIC_EUC_2D,
    METRIC_MATRIX,
    METRIC_DURATIONS,
    METRIC_DISTANCES
};

static int metric_given(void)
{
    return (int)number_of(OPTION_METRIC, METRIC_AUTO);
}

static int points_wanted(void)
{
    return metric_given() >= METRIC_EARTH && metric_given() <= METRIC_EUC_2D;
}

static int matrix_wanted(void)
{
    return metric_given() >= METRIC_MATRIX;
}

static combgpu_tsp_metric points_metric(void)
{
    static const combgpu_tsp_metric metrics[] = {COMBGPU_TSP_EARTH, COMBGPU_TSP_PLANE,
                                                 COMBGPU_TSP_EUC_2D};
    return points_wanted() ? metrics[metric_given() - METRIC_EARTH]
           : points.plane  ? COMBGPU_TSP_PLANE
                           : COMBGPU_TSP_EARTH;
}

/* Says what `count` points were read as; `size` bytes at most. */
static void points_text(char *text, size_t size, const char *count, int one,
                        combgpu_tsp_metric metric)
{
    if (metric == COMBGPU_TSP_EARTH)
        snprintf(text, size, "%.48s waypoint%s, km on the Earth", count, one ? "" : "s");
    else
        snprintf(text, size, "%.40s point%s in a plane%s", count, one ? "" : "s",
                 metric == COMBGPU_TSP_EUC_2D ? ", distances rounded" : "");
}

/* The same for the summary, in text and JSON; for a file with its own keywords, the number of cities. */
static void json_what(void)
{
    if (*points.what) json_string("read_as", points.what);
    if (*points.what && *points.why) json_string("read_so", points.why);
}

static void say_what(const combgpu_tsp_instance *instance)
{
    if (!*points.what)
        say("%d cities", instance->n);
    else
        say(*points.why ? "%s (%s)" : "%s", points.what, points.why);
}

static void say_head(const combgpu_tsp_instance *instance)
{
    say("%s, ", instance->name);
    say_what(instance);
}

static void json_head(const combgpu_tsp_instance *instance)
{
    json_string("name", instance->name);
    json_u64("n", (uint64_t)instance->n);
    json_what();
}

static const char *shape_word(combgpu_tsp_shape shape)
{
    return shape == COMBGPU_TSP_PATH ? "path" : "tour";
}

static void json_shape(combgpu_tsp_shape shape)
{
    json_string("shape", shape == COMBGPU_TSP_PATH ? "path" : "cycle");
}

/* An array of cities, from 1. */
static void json_cities(const int *tour, int n)
{
    int i;
    json_open("tour", '[');
    for (i = 0; i < n; i++)
        json_i64(NULL, tour[i] + 1);
    json_close();
}

#endif
