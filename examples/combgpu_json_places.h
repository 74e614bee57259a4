/* Reads JSON other than GeoJSON: tables of routing services, lists of objects with coordinates, arrays. */
#ifndef COMBGPU_EXAMPLES_JSON_PLACES_H
#define COMBGPU_EXAMPLES_JSON_PLACES_H

#include "combgpu_geojson.h"
#include "combgpu_sheet.h"

/* The member of this name, or NULL. */
static const char *json_member(const char *object, const char *key)
{
    json_walk w = json_begin(object, 0);
    const char *found = NULL;
    while (*object == '{' && json_next(&w))
        if (json_is(w.key, key)) found = w.value;
    return found;
}

/* The first existing one of several members, separated by blanks. */
static const char *json_member_of(const char *object, const char *keys)
{
    const char *found = NULL;
    while (*keys && !found) {
        char key[32];
        size_t length = strcspn(keys, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        found = json_member(object, key);
        keys += length + (keys[length] == ' ');
    }
    return found;
}

/* ---- tables: "durations" and "distances" of OSRM and others, Valhalla's "sources_to_targets", Google's "rows" */

static const char *const duration_keys = "durations times duration time";
static const char *const distance_keys = "distances distance";

/* Adds the cell of a table whose cells are objects. */
static void json_route_cell(grid *g, const char *object, const char *keys)
{
    const char *value = json_member_of(object, keys), *status = json_member(object, "status");
    const char *from = json_member(object, "from_index"), *to = json_member(object, "to_index");
    size_t before = g->rows ? g->ends[g->rows - 1] : 0;
    char *end;
    if ((from && strtod(from, &end) != (double)g->rows) ||
        (to && strtod(to, &end) != (double)(g->count - before)))
        usage("%s: \"%.*s\" is not in its place", json_source, json_shown(object, "\r\n"), object);
    if (value && *value == '{') value = json_member(value, "value");
    if (!value && !status)
        usage("%s: \"%.*s\" without a %s", json_source, json_shown(object, "\r\n"), object,
              keys == duration_keys ? "time" : "distance");
    if (value && *value != '{' && *value != '[')
        grid_json_cell(g, value);
    else
        grid_add(g, object, 0, NO_CONNECTION);
}

/* Fills in the table: rows are arrays, or objects with "elements". */
static void grid_routes(grid *g, const char *array, const char *keys)
{
    json_walk rows = json_begin(array, 0);
    if (*array != '[') usage("%s: a table that is not a list of rows", json_source);
    grid_clear(g);
    g->json = 1;
    g->text = array;
    while (json_next(&rows)) {
        const char *list = *rows.value == '{' ? json_member(rows.value, "elements") : rows.value;
        json_walk row;
        if (!list || *list != '[') usage("%s: a table that is not a list of rows", json_source);
        for (row = json_begin(list, 0); json_next(&row);)
            if (*row.value == '{')
                json_route_cell(g, row.value, keys);
            else
                grid_json_cell(g, row.value);
        grid_end_row(g, (int)g->rows + 1);
    }
}

/* Text that identifies a place: its location, or its latitude and longitude. May be NULL. */
static const char *json_location(const char *place, int part)
{
    const char *found = part ? NULL : json_member(place, "location");
    return found ? found : json_member(place, part ? "lon" : "lat");
}

/* Ends the program if sources and destinations differ. */
static void check_same_places(const char *sources, const char *targets)
{
    json_walk a = json_begin(sources, 0), b = json_begin(targets, 0);
    while (json_next(&a) && json_next(&b)) {
        int part;
        for (part = 0; part < 2; part++) {
            const char *of_a = json_location(a.value, part), *of_b = json_location(b.value, part);
            size_t length = of_a ? (size_t)(json_past(of_a, 0) - of_a) : 0;
            if (of_a && of_b && strncmp(of_a, of_b, length))
                usage(
                    "%s: sources and destinations differ; a tour needs distances between the same "
                    "places",
                    json_source);
        }
    }
}

/* Names the cities as in an array of strings, or of objects with a name. */
static void json_city_names(const char *array, size_t n, const char *source)
{
    int pass, named = 0;
    for (pass = 0; pass < 2; pass++) {
        json_walk w = json_begin(array, 0);
        size_t k = 0;
        while (json_next(&w)) {
            const char *text = *w.value == '{' ? json_member_of(w.value, "name street") : w.value;
            name_text name;
            memset(&name, 0, sizeof name);
            if (text && *text == '"') name_from_json(&name, text + 1, json_past_string(text) - 1);
            named |= name.length > 0;
            if (pass) add_city(NULL, NULL, name.text, name.length, source);
            k++;
        }
        if (k != n || !named) return;
    }
}

/* Reads a service's table. Without --metric durations come before distances. */
static void read_routes(const char *object, const char *source)
{
    const char *array = json_member_of(object, "sources_to_targets rows"), *keys, *other = NULL;
    const char *sources = json_member_of(object, "sources origin_addresses");
    const char *targets = json_member_of(object, "destinations targets");
    size_t count, r;
    matrix m;
    if (points_wanted()) usage("--metric is for points; %.200s has distances of its own", source);
    keys = metric_given() == METRIC_DISTANCES ? distance_keys : duration_keys;
    if (!array || *array == '{') { /* a table for each of the two */
        const char *tables = array ? array : object;
        const char *both[2];
        both[0] = json_member_of(tables, duration_keys);
        both[1] = json_member_of(tables, distance_keys);
        if (!both[0] && metric_given() != METRIC_DURATIONS) keys = distance_keys;
        array = both[keys == distance_keys];
        other = both[keys == duration_keys];
        if (!array)
            usage("%.200s has no table of %s", source,
                  keys == duration_keys ? "durations" : "distances");
    } else
        other = array; /* cells have both */
    grid_routes(&sheet, array, keys);
    memset(&m, 0, sizeof m);
    m.n = sheet.rows;
    for (r = 0; r < sheet.rows; r++) {
        count = sheet.ends[r] - (r ? sheet.ends[r - 1] : 0);
        if (count != m.n)
            usage("%.200s, row %d: %d numbers, and there are %d rows; a tour needs the same "
                  "sources and "
                  "destinations",
                  source, (int)r + 1, (int)count, (int)m.n);
    }
    if (m.n < 1 || !matrix_of_numbers(&sheet, &m)) usage("%.200s has no table of numbers", source);
    if (sources && targets && *sources == '[' && *targets == '[')
        check_same_places(sources, targets);
    read_matrix(&sheet, &m, source);
    points.durations = keys == duration_keys;
    points.service = 1;
    if (other && metric_given() <= METRIC_MATRIX)
        snprintf(points.why + strlen(points.why), 100, "%s--metric %s takes the others",
                 *points.why ? "; " : "", keys == duration_keys ? "distances" : "durations");
    if (sources && *sources == '[') json_city_names(sources, m.n, source);
}

/* ---- objects with coordinates */

/* Adds the keys (or values) of an object and of objects inside as cells of a row. */
static void grid_members(grid *g, const char *object, int values, int depth)
{
    json_walk w = json_begin(object, 0);
    while (json_next(&w))
        if (*w.value == '{' && depth < 2)
            grid_members(g, w.value, values, depth + 1);
        else
            grid_json_cell(g, values ? w.value : w.key);
}

/* Adds an object that has a latitude and longitude, or x and y, and perhaps a name: its members are columns. */
static void read_json_object(const char *object, const char *source)
{
    size_t count, values;
    const table_cell *row;
    column_set c;
    name_text name;
    int swap;
    grid_clear(&sheet);
    sheet.json = 1;
    sheet.text = object;
    grid_members(&sheet, object, 0, 0);
    grid_end_row(&sheet, 1);
    grid_members(&sheet, object, 1, 0);
    grid_end_row(&sheet, 1);
    row = grid_row(&sheet, 0, &count);
    if (!find_columns(&c, row, count, 0) || c.twice >= 0)
        usage("%s: \"%.*s\" has %s", json_source, json_shown(object, "\r\n"), object,
              !find_columns(&c, row, count, 0) ? "no lat and lon, nor x and y"
                                               : "several latitudes and longitudes");
    if (points.count && points.plane != c.plane)
        usage("%s: some objects have lat and lon, others x and y", json_source);
    points.plane = c.plane;
    swap = c.plane && metric_given() == METRIC_EARTH;
    row = sheet.cells + sheet.ends[0];
    values = sheet.ends[1] - sheet.ends[0];
    if (values != sheet.ends[0] || row[c.x].value >= NO_NUMBER || row[c.y].value >= NO_NUMBER)
        usage("%s: \"%.*s\" has a coordinate that is not a number", json_source,
              json_shown(object, "\r\n"), object);
    memset(&name, 0, sizeof name);
    if (c.of[NAME] >= 0 && row[c.of[NAME]].text[0] != '{' && row[c.of[NAME]].text[0] != '[')
        cell_name(&name, &sheet, &row[c.of[NAME]]);
    add_point(row[swap ? c.y : c.x].value, row[swap ? c.x : c.y].value, name.text, name.length,
              source);
}

/* Nonzero if an element of Overpass has tags: others are just corners of ways. */
static int has_tags(const char *element)
{
    const char *tags = json_member(element, "tags");
    return tags && *tags == '{' && *json_past_blanks(tags + 1) != '}';
}

/* Reads a list of objects; `elements`: of Overpass, where nodes without tags count only if nothing has tags. */
static void read_json_objects(const char *array, int elements, const char *source)
{
    json_walk w = json_begin(array, 0);
    int tagged = 0;
    while (elements && json_next(&w))
        tagged |= has_tags(w.value);
    for (w = json_begin(array, 0); json_next(&w);) {
        const char *type = elements ? json_member(w.value, "type") : NULL;
        if (*w.value != '{') usage("%s: a list of objects and of others", json_source);
        if (elements && tagged && type && json_is(type, "node") && !has_tags(w.value)) continue;
        if (type && !json_is(type, "node") && !json_member(w.value, "center"))
            usage("%s: \"%.*s\" has no place; ask Overpass for \"out center\"", json_source,
                  json_shown(w.value, "\r\n"), w.value);
        read_json_object(w.value, source);
    }
}

static void read_json_array(const char *array, const char *source)
{
    const char *first = json_past_blanks(array + 1);
    if (*first == '{')
        read_json_objects(array, 0, source);
    else {
        grid_json(&sheet, array);
        read_sheet(source);
    }
}

/* ---- all of them */

/* The only member that is a list of lists or objects; NULL if none or several. */
static const char *json_only_list(const char *object)
{
    json_walk w = json_begin(object, 0);
    const char *found = NULL;
    while (json_next(&w)) {
        if (*w.value != '[' || !strchr("[{", *json_past_blanks(w.value + 1))) continue;
        if (found) return NULL;
        found = w.value;
    }
    return found;
}

static void read_json_places(const char *text, const char *source)
{
    const char *at = json_past_blanks(text), *end, *list = NULL;
    snprintf(json_source, sizeof json_source, "%.200s", source);
    end = json_past_blanks(json_past(at, 0)); /* it is JSON, and not too deep */
    if (*at == '{' && !json_member(at, "features") &&
        json_member_of(at, "durations distances times sources_to_targets rows"))
        read_routes(at, source);
    else if (*at == '{' && !json_member_of(at, "type features geometry geometries")) {
        list = json_member(at, "elements");
        if (list && *list == '[')
            read_json_objects(list, 1, source);
        else {
            list = json_only_list(at);
            if (!list)
                usage("%s: \"%.*s\" is not GeoJSON and has no single list of places or rows",
                      json_source, json_shown(at, "\r\n"), at);
            read_json_array(list, source);
        }
    } else if (*at == '[')
        read_json_array(at, source);
    else {
        read_geojson(text, 0, source);
        if (!points.count) {
            read_geojson(text, 1, source);
            drop_last_if_first();
        }
        return;
    }
    if (*end) no_json(end);
}

#endif
