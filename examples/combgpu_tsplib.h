/* Recognises TSPLIB files, notes pitfalls of their distances, and reads tours. */
#ifndef COMBGPU_EXAMPLES_TSPLIB_H
#define COMBGPU_EXAMPLES_TSPLIB_H

#include "combgpu_places.h"

/* Nonzero if the text begins with the word, in either case. */
static int begins_with_keyword(const char *text, const char *word)
{
    size_t k = 0;
    while (word[k] && (text[k] == word[k] || text[k] == word[k] + 32))
        k++;
    return !word[k];
}

/* Nonzero if the first line that is not a comment is "KEYWORD : value", or any line begins with a word that only
   TSPLIB has. */
static int is_tsplib(const char *text)
{
    static const char *const keywords[] = {"NAME", "TYPE", "COMMENT", "DISPLAY_DATA_TYPE"};
    static const char *const unmistakable[] = {
        "EDGE_WEIGHT_TYPE",   "EDGE_WEIGHT_FORMAT", "EDGE_WEIGHT_SECTION", "NODE_COORD_TYPE",
        "NODE_COORD_SECTION", "EDGE_DATA_FORMAT",   "EDGE_DATA_SECTION",   "TOUR_SECTION"};
    int first = 1;
    size_t i;
    for (; *text; text += strcspn(text, "\r\n")) {
        text += strspn(text, " \t\r\n");
        if (first && !strncmp(text, "\xef\xbb\xbf", 3)) text += 3; /* UTF-8's mark */
        if (*text == '#') continue;
        for (i = 0; first && i < sizeof keywords / sizeof keywords[0]; i++) {
            const char *end = text + strlen(keywords[i]);
            if (begins_with_keyword(text, keywords[i]) && end[strspn(end, " \t")] == ':') return 1;
        }
        for (i = 0; i < sizeof unmistakable / sizeof unmistakable[0]; i++)
            if (begins_with_keyword(text, unmistakable[i])) return 1;
        if (begins_with_keyword(text, "DIMENSION") && text[9] && strchr(" \t:", text[9])) {
            const char *value = text + 9 + strspn(text + 9, " \t:");
            if (*value >= '0' && *value <= '9') return 1;
        }
        first = 0;
    }
    return 0;
}

/* Measures a file's coordinates by --metric instead of its own type. */
static combgpu_status measure_again(combgpu_context *ctx, combgpu_tsp_instance *instance)
{
    combgpu_tsp_instance other;
    combgpu_status status;
    double *weights = instance->weights;
    char count[24];
    if (!points_wanted() || !instance->metric || instance->z)
        usage("--metric is for points; %.200s has distances of its own", cmd.argument);
    status = combgpu_tsp_from_coordinates(ctx, instance->n, instance->x, instance->y,
                                          points_metric(), &other);
    if (status) return status;
    instance->weights = other.weights;
    other.weights = weights;
    instance->metric = other.metric;
    instance->symmetric = other.symmetric;
    instance->integral = other.integral;
    combgpu_tsp_free(ctx, &other);
    snprintf(count, sizeof count, "%d", instance->n);
    points_text(points.what, sizeof points.what, count, instance->n == 1, points_metric());
    return COMBGPU_OK;
}

/* The fraction. Needs no libm: one command compiles the program. */
static double decimals_of(double value)
{
    value = fabs(value);
    return value < 4503599627370496.0 ? value - (double)(int64_t)value : 0;
}

/* The largest distance, if it is below 10 and coordinates have decimals; else -1. */
static double small_distances(const combgpu_tsp_instance *instance)
{
    double largest = 0;
    int decimals = 0, i, j;
    for (i = 0; i < instance->n; i++) {
        const double x = instance->x[i], y = instance->y[i];
        decimals |= decimals_of(x) > 0 || decimals_of(y) > 0;
        for (j = 0; j < i; j++) {
            const double weight = combgpu_tsp_weight(instance, j, i);
            if (weight > largest) largest = weight;
            if (largest >= 10) return -1;
        }
    }
    return decimals ? largest : -1;
}

/* A coordinate whose minutes, the decimals of GEO, are 60 or more; 0 if there is none. */
static double above_59_minutes(const combgpu_tsp_instance *instance)
{
    int i;
    for (i = 0; i < 2 * instance->n; i++) {
        const double value = i % 2 ? instance->y[i / 2] : instance->x[i / 2];
        if (decimals_of(value) > 0.6 - 1e-9) return value;
    }
    return 0;
}

/* Nonzero if a section of a file that was read numbers nodes from 0: one of its lines begins with 0. */
static int has_node_0(const char *text)
{
    static const char *const sections[] = {"NODE_COORD_SECTION", "EDGE_DATA_SECTION",
                                           "FIXED_EDGES_SECTION"};
    int within = 0;
    size_t i;
    for (; *text; text += strcspn(text, "\r\n")) {
        text += strspn(text, " \t\r\n");
        if (begins_with_keyword(text, "EOF")) return 0;
        if (within && *text == '0' && text[1] && strchr(" \t", text[1])) return 1;
        if (strchr("#-0123456789", *text)) continue;
        for (within = 0, i = 0; i < sizeof sections / sizeof sections[0]; i++)
            within |= begins_with_keyword(text, sections[i]);
    }
    return 0;
}

static void add_note(const char *format, ...) COMMAND_PRINTF(1, 2);
static void add_note(const char *format, ...)
{
    size_t length = strlen(points.why);
    va_list args;
    if (length) length += (size_t)snprintf(points.why + length, sizeof points.why - length, "; ");
    va_start(args, format);
    vsnprintf(points.why + length, sizeof points.why - length, format, args);
    va_end(args);
}

/* Notes for the summary what a file leaves open, and whether its type of distances perhaps does not fit its
   coordinates. */
static void note_reading(const combgpu_tsp_instance *instance, const char *text)
{
    const combgpu_tsp_metric metric = instance->metric;
    const int tsplib = is_tsplib(text);
    const int concorde = metric == COMBGPU_TSP_EUC_2D && !tsplib && !given(OPTION_METRIC);
    const double minutes = metric == COMBGPU_TSP_GEO ? above_59_minutes(instance) : 0;
    double largest = -1;
    if ((metric >= COMBGPU_TSP_EUC_2D && metric <= COMBGPU_TSP_ATT) ||
        metric == COMBGPU_TSP_FLOOR_2D)
        largest = small_distances(instance);
    if (concorde) add_note("EUC_2D, as concorde reads such a file");
    if (tsplib && has_node_0(text)) add_note("node 0 of the file is city 1");
    if (minutes != 0)
        add_note(
            "note: GEO has degrees and minutes, so that %g is %d degrees, %.4g minutes; if they "
            "are decimal degrees: --metric earth",
            minutes, (int)minutes, 100 * decimals_of(minutes));
    if (largest >= 0)
        add_note(largest > 0
                     ? "note: no rounded distance is above %g; --metric plane does not round"
                     : "note: all rounded distances are %g; --metric plane does not round",
                 largest);
    if (*points.why && !*points.what)
        snprintf(points.what, sizeof points.what, "%d %s", instance->n,
                 concorde ? "points" : "cities");
}

/* ---- tours: of TSPLIB; or as lists, the object of --json, concorde's n and cities from 0 */

static combgpu_status read_tour(combgpu_context *ctx, int id, int n, int *tour)
{
    size_t bytes, i, skip;
    char *text = read_file(option_name(id), text_of(id), &bytes);
    combgpu_status status = COMBGPU_OK;
    int zero = 0, last = 0;
    table t;
    if (is_tsplib(text)) {
        message_source = text_of(id);
        status = combgpu_tsp_parse_tour(ctx, text, bytes, n, tour);
    } else {
        read_table(&t, text, bytes, id, 0);
        skip = t.count == (size_t)n + 1 && t.numbers[0] == n;
        if (t.count - skip != (size_t)n)
            usage("%s %.200s has %d cities; the instance has %d", option_name(id), text_of(id),
                  (int)t.count, n);
        for (i = skip; i < t.count; i++) {
            zero |= t.numbers[i] == 0;
            last |= t.numbers[i] == n;
        }
        for (i = skip; i < t.count;
             i++) /* cities count from 0 if there is a city 0 and no city n */
            tour[i - skip] = zero && !last ? t.numbers[i] : from_one(t.numbers[i]);
        table_free(&t);
    }
    free(text);
    return status;
}

#endif
