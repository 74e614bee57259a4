/* Reads GeoJSON (RFC 7946): the points of all features, or else the positions of its lines. Ignores other
   members. */
#ifndef COMBGPU_EXAMPLES_GEOJSON_H
#define COMBGPU_EXAMPLES_GEOJSON_H

#include "combgpu_places.h"

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

/* Finds the members of an object; NULL for missing ones. */
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
        else if (!json_is_number(w.value))
            break;
        else if (numbers < 2) {
            number[numbers] = decimal(w.value, &end);
            if (end == w.value)
                usage("%s: \"%.*s\" is too large", json_source, json_shown(w.value, json_ends),
                      w.value);
        }
        numbers++;
    }
    if (!at || *at != '[' || (levels == 1 && numbers < 2))
        usage("%s: a place without two numbers", json_source);
    if (levels == 1) add_point(number[1], number[0], name->text, name->length, json_source);
}

/* Adds the points of an object; with `lines` every position. `name` is the feature's. */
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
        usage("%s: \"%.*s\" has no GeoJSON type", json_source, json_shown(object, "\r\n"), object);
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
            usage("%s: a %s without its list", json_source, types[i].type);
        for (w = json_begin(inside, 0); json_next(&w);)
            geojson_object(w.value, lines, name);
    }
}

/* Adds the points of a text: of one object, or of several in sequence. */
static void read_geojson(const char *text, int lines, const char *source)
{
    const char *at = json_past_blanks(text), *end;
    name_text name;
    memset(&name, 0, sizeof name);
    snprintf(json_source, sizeof json_source, "%.200s", source);
    for (; *at; at = json_past_blanks(end)) {
        end = json_past(at, 0); /* it is JSON, and not too deep */
        geojson_object(at, lines, &name);
    }
}

#endif
