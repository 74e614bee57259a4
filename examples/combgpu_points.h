/* Waypoints: read from CSV with a header, GeoJSON, GPX or plain lines; routes as GeoJSON and GPX. */
#ifndef COMBGPU_EXAMPLES_POINTS_H
#define COMBGPU_EXAMPLES_POINTS_H

#include "combgpu_input.h"
#include "combgpu_names.h"
#include "combgpu_result.h"

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
    double *x, *y; /* latitude, longitude; or x, y in a plane */
    char (*name)[64];
    int count, room, plane;
} points;

static int *tsp_tour; /* the best tour found: a result has room for fewer cities */

/* Copies the name of a point, as UTF-8 without control characters and blanks around it, and cut between two
   characters; without a name it gets its number. */
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

/* Adds a point. `length` bytes of text are its name. */
static void add_point(double x, double y, const char *name, size_t length, const char *source)
{
    if (points.count == COMBGPU_TSP_MAX_DIMENSION)
        usage("%.200s has more than %d points", source, COMBGPU_TSP_MAX_DIMENSION);
    if (points.count == points.room) {
        points.room = points.room ? 2 * points.room : 64;
        points.x = (double *)realloc(points.x, (size_t)points.room * sizeof *points.x);
        points.y = (double *)realloc(points.y, (size_t)points.room * sizeof *points.y);
        points.name = (char(*)[64])realloc(points.name, (size_t)points.room * sizeof *points.name);
        if (!points.x || !points.y || !points.name) usage("%.200s: out of memory", source);
    }
    points.x[points.count] = x;
    points.y[points.count] = y;
    name_point(points.name[points.count], points.count + 1, name, length);
    points.count++;
}

/* As strtod, but no hexadecimal number, NaN or one above 1e300. */
static double decimal(const char *at, char **end)
{
    double value = strtod(at, end);
    size_t blanks = strspn(at, " \t\r\n");
    if (*end > at + blanks + strspn(at + blanks, "+-.0123456789eE") ||
        !(value >= -1e300 && value <= 1e300))
        *end += at - *end;
    return value;
}

/* ---- lines of "latitude longitude name" */

/* Nonzero for "48,85 2,35 Paris": read with commas between numbers it is another place. */
static int has_decimal_commas(const char *at, const char *y, const char *y_end, const char *name)
{
    size_t digits = strspn(name, "+-0123456789");
    return y[-1] == ',' && !memchr(at, '.', (size_t)(y_end - at)) && strchr(" \t;", *y_end) &&
           digits && name[digits] == ',' && name[digits + 1] >= '0' && name[digits + 1] <= '9';
}

static void read_point_lines(const char *text, const char *source)
{
    int line = 1;
    for (; *text; line++) {
        const char *end = text + strcspn(text, "\n"), *at = text + strspn(text, " \t\r");
        const char *after;
        char *stop;
        double x, y;
        if (at < end && *at != '#') {
            const char *y_end;
            x = decimal(at, &stop);
            after = stop + strspn(stop, " ,\t;");
            y = after > stop && stop > at ? decimal(after, &stop) : 0;
            if (stop <= after || stop > end || !strchr(" ,\t;\r\n", *stop))
                usage("%.200s, line %d: \"%.*s\" is not \"latitude longitude name\"", source, line,
                      (int)(end - at) > 40 ? 40 : (int)(end - at), at);
            y_end = stop;
            stop += strspn(stop, " ,\t;");
            if (has_decimal_commas(at, after, y_end, stop))
                usage("%.200s, line %d: \"%.*s\" has decimal commas; they must be points", source,
                      line, (int)(end - at) > 40 ? 40 : (int)(end - at), at);
            for (after = end; after > stop && strchr(" \t\r", after[-1]);)
                after--;
            if (after - stop > 1 && *stop == '"' && after[-1] == '"') /* a name in quotes */
                stop++, after--;
            add_point(x, y, stop, after > stop ? (size_t)(after - stop) : 0, source);
        }
        text = end + (*end == '\n');
    }
}

/* ---- CSV with a header: lat, lon or x, y, perhaps name */

/* The next field of a line: copied to `field`, quotes and blanks around it taken off. Returns where
   the next one begins, NULL after the last. */
static const char *csv_field(const char *at, char separator, char *field, size_t size)
{
    size_t to = 0;
    int quoted = *(at += strspn(at, " ")) == '"';
    for (at += quoted; *at && *at != '\n' && (quoted || *at != separator); at++) {
        if (quoted && *at == '"' && *++at != '"') break;
        if (to + 1 < size && *at != '\r') field[to++] = *at;
    }
    while (!quoted && to && field[to - 1] == ' ')
        to--;
    field[to] = 0;
    if (quoted && (!*at || *at == '\n') && at[-1] != '"')
        usage("%.200s: a quote does not end", cmd.argument);
    while (*at && *at != separator && *at != '\n')
        at++;
    return *at == separator ? at + 1 : NULL;
}

static int is_one_of(const char *word, const char *words)
{
    char lower[32];
    const char *found;
    size_t i, length = strlen(word);
    if (!length || length + 1 > sizeof lower) return 0;
    for (i = 0; i <= length; i++)
        lower[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] + 32 : word[i]);
    for (found = strstr(words, lower); found; found = strstr(found + 1, lower))
        if ((found == words || found[-1] == ' ') && (!found[length] || found[length] == ' '))
            return 1;
    return 0;
}

/* Returns 0 if the text has no such header. */
static int read_point_csv(const char *text, const char *source)
{
    const char *at;
    char field[200], separator;
    int column, x_column = -1, y_column = -1, name_column = -1, plane = 0, line = 1;
    size_t first = strcspn(text, "\n");
    separator = memchr(text, '\t', first) ? '\t' : memchr(text, ';', first) ? ';' : ',';
    for (at = text, column = 0; at; column++) {
        at = csv_field(at, separator, field, sizeof field);
        if (is_one_of(field, "lat latitude y_lat breite")) x_column = column;
        if (is_one_of(field, "lon lng long longitude")) y_column = column;
        if (is_one_of(field, "x")) x_column = column, plane = 1;
        if (is_one_of(field, "y")) y_column = column;
        if (name_column < 0 && is_one_of(field, "name city title label place id"))
            name_column = column;
    }
    if (x_column < 0 || y_column < 0) return 0;
    points.plane = plane;
    for (text += first; *text; text += strcspn(text, "\n")) {
        char x[64] = "", y[64] = "", name[200] = "", *stop_x, *stop_y;
        double value_x, value_y;
        text++;
        line++;
        if (!text[strspn(text, " \t\r")] || text[strspn(text, " \t\r")] == '\n') continue;
        for (at = text, column = 0; at; column++)
            if (column == x_column)
                at = csv_field(at, separator, x, sizeof x);
            else if (column == y_column)
                at = csv_field(at, separator, y, sizeof y);
            else if (column == name_column)
                at = csv_field(at, separator, name, sizeof name);
            else
                at = csv_field(at, separator, field, sizeof field);
        value_x = decimal(x, &stop_x);
        value_y = decimal(y, &stop_y);
        if (!*x || !*y || stop_x[strspn(stop_x, " ")] || stop_y[strspn(stop_y, " ")])
            usage("%.200s, line %d: \"%.40s\" and \"%.40s\" are no coordinates", source, line, x,
                  y);
        add_point(value_x, value_y, name, strlen(name), source);
    }
    return 1;
}

/* ---- GeoJSON: the points of all features, or if there are none the places of its lines */

typedef struct geojson_feature {
    char type[24]; /* of the geometry that is being read */
    name_text name;
    double x;     /* the first number of a place */
    int first;    /* the points from there on are of this feature */
    int geometry; /* the points from there on are of this geometry */
} geojson_feature;

/* Where in the text a pass is. */
typedef struct geojson_place {
    const char *key;
    size_t key_length;
    int depth, feature_depth, properties; /* the depth of a feature's properties, in them; else 0 */
} geojson_place;

static int geojson_key_is(const geojson_place *place, const char *word)
{
    return place->key_length == strlen(word) && !strncmp(place->key, word, place->key_length);
}

/* Nonzero also as long as the type of the geometry is not known. */
static int geojson_may_be_points(const geojson_feature *f)
{
    return !*f->type || !strcmp(f->type, "Point") || !strcmp(f->type, "MultiPoint");
}

/* Nonzero in a geometry, where other objects are members that only its writer knows. */
static int geojson_has_begun(const geojson_feature *f)
{
    return *f->type || points.count > f->geometry;
}

/* Nonzero for a member of a feature, in a list of them, that is no geometry. */
static int geojson_is_foreign(const geojson_place *place)
{
    return place->feature_depth == 3 && place->depth == 4 && !geojson_key_is(place, "geometry") &&
           !geojson_key_is(place, "geometries") && !geojson_key_is(place, "coordinates");
}

/* The end of an object: what is no geometry of points has none. */
static void geojson_geometry_ends(geojson_feature *f, const char *source)
{
    if (!strcmp(f->type, "Point") && points.count == f->geometry)
        usage("%.200s: a Point without two numbers", source);
    if (!*f->type || !geojson_may_be_points(f)) points.count = f->geometry;
    f->geometry = points.count;
    f->type[0] = 0;
}

static void geojson_feature_ends(geojson_feature *f)
{
    for (; f->first < points.count; f->first++)
        name_point(points.name[f->first], f->first + 1, f->name.text, f->name.length);
    memset(&f->name, 0, sizeof f->name);
}

/* Takes a string: a key, a geometry's type, or a feature's name, which is a property or stands beside them. */
static void geojson_string(geojson_place *place, geojson_feature *feature, const char *begin,
                           const char *end)
{
    int inside = place->properties ? place->properties : place->feature_depth;
    if (end[1 + strspn(end + 1, " \t\r\n")] == ':') {
        place->key = begin;
        place->key_length = (size_t)(end - begin);
        if (geojson_key_is(place, "features") && place->depth == 1) {
            place->feature_depth = 3;
            memset(&feature->name, 0, sizeof feature->name); /* a name so far is that of all */
            feature->type[0] = 0;
        }
    } else if (geojson_key_is(place, "type") && !place->properties) {
        if (end - begin < 24 && strncmp(begin, "Feature", 7))
            snprintf(feature->type, sizeof feature->type, "%.*s", (int)(end - begin), begin);
    } else if (geojson_key_is(place, "name") && place->depth == inside)
        name_from_json(&feature->name, begin, end);
}

/* One pass; with `lines` every place, else those of points. */
static void read_geojson_pass(const char *text, int lines, const char *source)
{
    geojson_feature feature;
    geojson_place place;
    const char *at;
    int numbers = 0;
    memset(&feature, 0, sizeof feature);
    memset(&place, 0, sizeof place);
    place.key = "";
    place.feature_depth = 1;
    for (at = text; *at; at++) {
        if (*at == '"') {
            const char *begin = ++at;
            while (*at && *at != '"')
                at += *at == '\\' && at[1] ? 2 : 1;
            if (!*at) usage("%.200s: a string does not end", source);
            geojson_string(&place, &feature, begin, at);
        } else if (*at == '{' || *at == '[') {
            place.depth++;
            numbers = 0;
            if (!place.properties && geojson_is_foreign(&place)) place.properties = place.depth;
            if (*at == '{' && !place.properties &&
                (geojson_key_is(&place, "properties") || geojson_key_is(&place, "crs") ||
                 (!lines && geojson_has_begun(&feature) && !geojson_key_is(&place, "geometries"))))
                place.properties = place.depth;
            if (*at == '{' && !place.properties) feature.type[0] = 0;
            if (*at == '{') place.key_length = 0;
        } else if (*at == '}' || *at == ']') {
            if (*at == '}' && !place.properties && !lines) geojson_geometry_ends(&feature, source);
            if (*at == '}' && place.depth == place.feature_depth && !lines)
                geojson_feature_ends(&feature);
            if (*at == ']' && numbers == 1 && geojson_key_is(&place, "coordinates") &&
                !place.properties)
                usage("%.200s: a place without two numbers", source);
            if (place.depth == place.properties) place.properties = 0;
            place.depth--;
            if (*at == '}') place.key_length = 0;
        } else if (*at == '-' || (*at >= '0' && *at <= '9')) {
            char *end;
            double value = decimal(at, &end);
            size_t length = strcspn(at, ",]} \t\r\n");
            if (end != at + length)
                usage("%.200s: \"%.*s\" is no number", source, length > 40 ? 40 : (int)length, at);
            if (geojson_key_is(&place, "coordinates") && !place.properties) {
                if (numbers == 0) feature.x = value;
                if (numbers == 1 && (lines || geojson_may_be_points(&feature)))
                    add_point(value, feature.x, NULL, 0, source);
                numbers++;
            }
            at = end - 1;
        }
        if (place.depth < 0) usage("%.200s: a bracket too many", source);
    }
    if (place.depth) usage("%.200s ends in the middle", source);
}

/* Drops the last place of a closed line, which repeats the first. */
static void drop_last_if_first(void)
{
    int last = points.count - 1;
    if (last > 0 && points.x[0] == points.x[last] && points.y[0] == points.y[last]) points.count--;
}

/* ---- GPX: waypoints, or if there are none the points of its route or track */

/* Returns where the next start tag of an element begins, before `end` (NULL: of the text), but not in a comment or
   in CDATA; NULL if there is none. */
static const char *xml_tag(const char *at, const char *tag, const char *end)
{
    size_t length = strlen(tag);
    for (at = strchr(at, '<'); at && (!end || at < end); at = strchr(at + 1, '<')) {
        const char *close = !strncmp(at, "<!--", 4)        ? "-->"
                            : !strncmp(at, "<![CDATA[", 9) ? "]]>"
                                                           : NULL;
        if (close) at = strstr(at, close);
        if (!at) return NULL;
        if (!close && !strncmp(at + 1, tag, length) && strchr(" \t\r\n/>", at[1 + length]))
            return at;
    }
    return NULL;
}

/* Returns where the end tag of an element begins, which is not in a comment or in CDATA; NULL if there is
   none. */
static const char *xml_end_tag(const char *at, const char *tag)
{
    char name[16];
    const char *behind_it;
    snprintf(name, sizeof name, "/%s", tag);
    while ((at = xml_tag(at, name, NULL)) != NULL) {
        behind_it = at + 1 + strlen(name);
        if (behind_it[strspn(behind_it, " \t\r\n")] == '>') return at;
        at++;
    }
    return NULL;
}

/* The number in an attribute of the tag from `at` to `end`; ends the program if there is none. */
static double xml_number(const char *at, const char *end, const char *key, const char *tag,
                         const char *source)
{
    static const char blanks[] = " \t\r\n";
    double value;
    char *stop;
    while ((at = strstr(at, key)) != NULL && at < end) {
        const char *before = at - 1;
        at += strlen(key);
        at += strspn(at, blanks);
        if (!strchr(blanks, *before) || *at != '=') continue;
        at += 1 + strspn(at + 1, blanks);
        value = decimal(at + 1, &stop);
        if ((*at != '"' && *at != '\'') || stop == at + 1 || stop[strspn(stop, blanks)] != *at)
            usage("%.200s: <%s> with a %s that is no number: %.*s", source, tag, key,
                  (int)(strcspn(at, ">") > 40 ? 40 : strcspn(at, ">")), at);
        return value;
    }
    usage("%.200s: <%s> without lat and lon", source, tag);
}

static void read_gpx_points(const char *text, const char *tag, const char *source)
{
    const char *at = text;
    while ((at = xml_tag(at, tag, NULL)) != NULL) {
        const char *bracket = strchr(at, '>'), *end, *begin, *name_end;
        name_text name;
        double lat, lon;
        if (!bracket) usage("%.200s: <%s> does not end", source, tag);
        lat = xml_number(at, bracket, "lat", tag, source);
        lon = xml_number(at, bracket, "lon", tag, source);
        end = bracket[-1] == '/' ? bracket : xml_end_tag(bracket, tag);
        if (!end) usage("%.200s: <%s> does not end", source, tag);
        memset(&name, 0, sizeof name);
        begin = xml_tag(bracket, "name", end);
        if (begin) begin += strcspn(begin, ">");
        name_end = begin && *begin && begin[-1] != '/' ? xml_end_tag(begin, "name") : NULL;
        if (name_end) name_from_xml(&name, begin + 1, name_end);
        add_point(lat, lon, name.text, name.length, source);
        at = end;
    }
}

/* Reads points of any of these forms; ends the program if there are none. */
static void read_points(const char *text, const char *source)
{
    const char *at = text + strspn(text, " \t\r\n");
    if (*at == '<') {
        read_gpx_points(text, "wpt", source);
        if (!points.count) {
            read_gpx_points(text, "rtept", source);
            if (!points.count) read_gpx_points(text, "trkpt", source);
            drop_last_if_first();
        }
    } else if (*at == '{') {
        read_geojson_pass(text, 0, source);
        if (!points.count) {
            read_geojson_pass(text, 1, source);
            drop_last_if_first();
        }
    } else if (!read_point_csv(text, source))
        read_point_lines(text, source);
    if (!points.count) usage("%.200s has no points", source);
}

/* ---- routes for maps */

/* Degrees of a city; GEO has DDD.MM. */
static double degrees(const combgpu_tsp_instance *instance, double value)
{
    double whole;
    if (instance->metric != COMBGPU_TSP_GEO) return value;
    whole = (double)(int)value;
    return whole + (value - whole) * 5 / 3;
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

static void write_geojson(const combgpu_tsp_instance *instance, const combgpu_tsp_result *result)
{
    FILE *to = open_output(OPTION_GEOJSON);
    int places = result->n + (result->shape == COMBGPU_TSP_CYCLE), i;
    fprintf(to, "{\"type\": \"FeatureCollection\", \"features\": [\n{\"type\": \"Feature\", "
                "\"properties\": {\"name\": ");
    json_text_to(to, instance->name);
    fprintf(to,
            ", \"length_km\": %.15g, \"optimal\": %s}, \"geometry\": {\"type\": \"LineString\", "
            "\"coordinates\": [",
            result->length, result->optimal ? "true" : "false");
    for (i = 0; i < places; i++) {
        int city = tsp_tour[i % result->n];
        fprintf(to, "%s[%.10g, %.10g]", i ? ", " : "", degrees(instance, instance->y[city]),
                degrees(instance, instance->x[city]));
    }
    fprintf(to, "]}}");
    for (i = 0; i < result->n; i++) {
        int city = tsp_tour[i];
        fprintf(to, ",\n{\"type\": \"Feature\", \"properties\": {\"name\": ");
        json_text_to(to, city_name(city));
        fprintf(to,
                ", \"place\": %d, \"city\": %d}, \"geometry\": {\"type\": \"Point\", "
                "\"coordinates\": [%.10g, %.10g]}}",
                i + 1, city + 1, degrees(instance, instance->y[city]),
                degrees(instance, instance->x[city]));
    }
    fprintf(to, "\n]}\n");
    close_output(OPTION_GEOJSON, to);
}

static void write_gpx(const combgpu_tsp_instance *instance, const combgpu_tsp_result *result)
{
    FILE *to = open_output(OPTION_GPX);
    int places = result->n + (result->shape == COMBGPU_TSP_CYCLE), i;
    fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" "
                "creator=\"combgpu\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n<rte>\n<name>");
    put_xml(to, instance->name);
    fprintf(to, "</name>\n<desc>%.15g km%s</desc>\n", result->length,
            result->optimal ? ", proven shortest" : "");
    for (i = 0; i < places; i++) {
        int city = tsp_tour[i % result->n];
        fprintf(to, "<rtept lat=\"%.10g\" lon=\"%.10g\"><name>",
                degrees(instance, instance->x[city]), degrees(instance, instance->y[city]));
        put_xml(to, city_name(city));
        fprintf(to, "</name></rtept>\n");
    }
    fprintf(to, "</rte>\n</gpx>\n");
    close_output(OPTION_GPX, to);
}

#endif
