/* GeoJSON (RFC 7946): the points of all features, or if there are none the places of its lines. What other members
   hold is none of them. */
#ifndef COMBGPU_EXAMPLES_GEOJSON_H
#define COMBGPU_EXAMPLES_GEOJSON_H

#include "combgpu_input.h"
#include "combgpu_names.h"

static void add_point(double x, double y, const char *name, size_t length, const char *source);
static double decimal(const char *at, char **end);

/* ---- JSON */

/* A walk through an array or an object. */
typedef struct json_walk {
    const char *at;  /* at first its bracket; at the end behind it */
    const char *key; /* of a member: its opening quote */
    const char *value;
    char close; /* the bracket that ends it; 0 before the first value */
    int depth;
} json_walk;

static const char *json_source; /* for messages */

static const char *json_past(const char *at, int depth);

static void no_json(const char *at)
{
    size_t length = strcspn(at, "\r\n");
    if (!*at) usage("%.200s ends in the middle", json_source);
    usage("%.200s: \"%.*s\" is no JSON", json_source, length > 40 ? 40 : (int)length, at);
}

static const char *json_past_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *json_past_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    if (!*at) usage("%.200s: a string does not end", json_source);
    return at + 1;
}

/* Goes to the next value. Returns 0 if there is none. */
static int json_next(json_walk *w)
{
    const char *at = w->at;
    int first = !w->close;
    if (first) w->close = *at++ == '{' ? '}' : ']';
    at = json_past_blanks(at);
    if (*at == w->close) {
        w->at = at + 1;
        return 0;
    }
    if (!first && *at != ',') no_json(at);
    at = json_past_blanks(at + !first);
    w->key = at;
    if (w->close == '}') {
        if (*at != '"') no_json(at);
        at = json_past_blanks(json_past_string(at));
        if (*at != ':') no_json(at);
        at = json_past_blanks(at + 1);
    }
    w->value = at;
    w->at = json_past(at, w->depth + 1);
    return 1;
}

static json_walk json_begin(const char *at, int depth)
{
    json_walk w;
    memset(&w, 0, sizeof w);
    w.at = at;
    w.depth = depth;
    return w;
}

/* Returns what is behind the value at `at`. */
static const char *json_past(const char *at, int depth)
{
    size_t length = strcspn(at, ",]} \t\r\n");
    char *end;
    if (*at == '{' || *at == '[') {
        json_walk w = json_begin(at, depth);
        if (depth == 100) usage("%.200s: nested too deep", json_source);
        while (json_next(&w))
            ;
        return w.at;
    }
    if (*at == '"') return json_past_string(at);
    if (*at == '-' || (*at >= '0' && *at <= '9')) {
        decimal(at, &end);
        if (end != at + length)
            usage("%.200s: \"%.*s\" is no number", json_source, length > 40 ? 40 : (int)length, at);
    } else if ((length != 4 || (strncmp(at, "true", 4) && strncmp(at, "null", 4))) &&
               (length != 5 || strncmp(at, "false", 5)))
        no_json(at);
    return at + length;
}

/* Nonzero if the string at `at` is this word. */
static int json_is(const char *at, const char *word)
{
    name_text text;
    if (*at != '"') return 0;
    name_from_json(&text, at + 1, json_past_string(at) - 1);
    return !strcmp(text.text, word);
}

/* ---- features and geometries */

enum {
    GEOJSON_FEATURES,
    GEOJSON_GEOMETRY,
    GEOJSON_GEOMETRIES,
    GEOJSON_COORDINATES,
    GEOJSON_TYPE,
    GEOJSON_PROPERTIES,
    GEOJSON_NAME,
    GEOJSON_KEYS
};

/* Finds the members of an object; NULL for those that it has not. */
static void geojson_members(const char *object, const char *member[GEOJSON_KEYS])
{
    static const char *const keys[] = {"features", "geometry",   "geometries", "coordinates",
                                       "type",     "properties", "name"};
    json_walk w = json_begin(object, 0);
    int i;
    memset(member, 0, GEOJSON_KEYS * sizeof *member);
    if (*object != '{') no_json(object);
    while (json_next(&w))
        for (i = 0; i < GEOJSON_KEYS; i++)
            if (json_is(w.key, keys[i])) member[i] = w.value;
}

/* Adds the places of arrays `levels` deep. */
static void geojson_places(const char *at, int levels, const name_text *name)
{
    json_walk w = json_begin(at, 0);
    double number[2];
    int numbers = 0;
    while (at && *at == '[' && json_next(&w)) {
        char *end;
        if (levels > 1)
            geojson_places(w.value, levels - 1, name);
        else if (*w.value != '-' && (*w.value < '0' || *w.value > '9'))
            break;
        else if (numbers < 2)
            number[numbers] = decimal(w.value, &end);
        numbers++;
    }
    if (!at || *at != '[' || (levels == 1 && numbers < 2))
        usage("%.200s: a place without two numbers", json_source);
    if (levels == 1) add_point(number[1], number[0], name->text, name->length, json_source);
}

/* Adds the points of an object; with `lines` every place. `name` is that of the feature. */
static void geojson_object(const char *object, int lines, const name_text *name)
{
    static const struct {
        const char *type;
        int inside, levels;
    } types[] = {
        {"FeatureCollection", GEOJSON_FEATURES, 0},    {"Feature", GEOJSON_GEOMETRY, 0},
        {"GeometryCollection", GEOJSON_GEOMETRIES, 0}, {"Point", GEOJSON_COORDINATES, 1},
        {"MultiPoint", GEOJSON_COORDINATES, 2},        {"LineString", GEOJSON_COORDINATES, 2},
        {"MultiLineString", GEOJSON_COORDINATES, 3},   {"Polygon", GEOJSON_COORDINATES, 3},
        {"MultiPolygon", GEOJSON_COORDINATES, 4}};
    const char *member[GEOJSON_KEYS], *of_feature[GEOJSON_KEYS], *inside;
    int i = 0, n = (int)(sizeof types / sizeof types[0]);
    name_text own;
    geojson_members(object, member);
    while (i < n && (member[GEOJSON_TYPE] ? !json_is(member[GEOJSON_TYPE], types[i].type)
                                          : !member[types[i].inside] || types[i].levels))
        i++;
    if (i == n)
        usage("%.200s: \"%.*s\" has no type of GeoJSON", json_source,
              (int)(strcspn(object, "\r\n") > 40 ? 40 : strcspn(object, "\r\n")), object);
    inside = member[types[i].inside];
    if (types[i].levels) {
        if (lines || i < 5) geojson_places(inside, types[i].levels, name);
    } else if (types[i].inside == GEOJSON_GEOMETRY) {
        const char *text = member[GEOJSON_NAME], *properties = member[GEOJSON_PROPERTIES];
        memset(&own, 0, sizeof own);
        if (properties && *properties == '{') {
            geojson_members(properties, of_feature);
            if (of_feature[GEOJSON_NAME]) text = of_feature[GEOJSON_NAME];
        }
        if (text && *text == '"' && !lines)
            name_from_json(&own, text + 1, json_past_string(text) - 1);
        if (inside && *inside == '{') geojson_object(inside, lines, &own);
    } else {
        json_walk w;
        if (!inside || *inside != '[')
            usage("%.200s: a %s without its list", json_source, types[i].type);
        for (w = json_begin(inside, 0); json_next(&w);)
            geojson_object(w.value, lines, name);
    }
}

/* Adds the points of a text: of one object, or of several behind each other. */
static void read_geojson(const char *text, int lines, const char *source)
{
    const char *at = json_past_blanks(text), *end;
    name_text name;
    memset(&name, 0, sizeof name);
    json_source = source;
    for (; *at; at = json_past_blanks(end)) {
        end = json_past(at, 0); /* it is JSON, and not too deep */
        geojson_object(at, lines, &name);
    }
}

#endif
