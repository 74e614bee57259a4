/* Waypoints: read from CSV with a header, GeoJSON, GPX or plain lines; routes as GeoJSON and GPX. */
#ifndef COMBGPU_EXAMPLES_POINTS_H
#define COMBGPU_EXAMPLES_POINTS_H

#include "combgpu_geojson.h"
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

static int is_latitude(const char *word)
{
    return is_one_of(word, "lat latitude y_lat breite");
}

static int is_longitude(const char *word)
{
    return is_one_of(word, "lon lng long longitude");
}

/* Returns 0 if the text has no such header. */
static int read_point_csv(const char *text, const char *source)
{
    const char *at;
    char field[200], separator;
    int column, columns, x_column = -1, y_column = -1, name_column = -1, plane = 0, line = 1;
    size_t first = strcspn(text, "\n");
    separator = memchr(text, '\t', first) ? '\t' : memchr(text, ';', first) ? ';' : ',';
    for (at = text, column = 0; at; column++) {
        at = csv_field(at, separator, field, sizeof field);
        if (is_latitude(field)) x_column = column;
        if (is_longitude(field)) y_column = column;
        if (is_one_of(field, "x")) x_column = column, plane = 1;
        if (is_one_of(field, "y")) y_column = column;
        if (name_column < 0 && is_one_of(field, "name city title label place id"))
            name_column = column;
    }
    if (x_column < 0 || y_column < 0) return 0;
    points.plane = plane;
    columns = column;
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
            else {
                at = csv_field(at, separator, field, sizeof field);
                if (column >= columns && *field) /* decimal commas; a comma in a name */
                    usage("%.200s, line %d: more fields than columns", source, line);
            }
        value_x = decimal(x, &stop_x);
        value_y = decimal(y, &stop_y);
        if (!*x || !*y || stop_x[strspn(stop_x, " ")] || stop_y[strspn(stop_y, " ")])
            usage("%.200s, line %d: \"%.40s\" and \"%.40s\" are no coordinates", source, line, x,
                  y);
        add_point(value_x, value_y, name, strlen(name), source);
    }
    return 1;
}

/* Drops the last place of a closed line, which repeats the first. */
static void drop_last_if_first(void)
{
    int last = points.count - 1;
    if (last > 0 && points.x[0] == points.x[last] && points.y[0] == points.y[last]) points.count--;
}

/* ---- GPX: waypoints, or if there are none the points of its route or track */

/* Returns where the next start tag of an element begins ("": of any), before `end` (NULL: of the text), but not in a
   comment, in CDATA or in an instruction; NULL if there is none. */
static const char *xml_tag(const char *at, const char *tag, const char *end)
{
    size_t length = strlen(tag);
    for (at = strchr(at, '<'); at && (!end || at < end); at = strchr(at + 1, '<')) {
        const char *close = !strncmp(at, "<!--", 4)        ? "-->"
                            : !strncmp(at, "<![CDATA[", 9) ? "]]>"
                            : at[1] == '?'                 ? "?>"
                                                           : NULL;
        if (close) at = strstr(at, close);
        if (!at) return NULL;
        if (!close && !strncmp(at + 1, tag, length) &&
            (length ? strchr(" \t\r\n/>", at[1 + length]) != NULL : at[1] != '!'))
            return at;
    }
    return NULL;
}

/* Returns where the end tag of an element begins, which is not in a comment or in CDATA; NULL if there is
   none. */
static const char *xml_end_tag(const char *at, const char *tag)
{
    char name[32];
    const char *behind_it;
    snprintf(name, sizeof name, "/%s", tag);
    while ((at = xml_tag(at, name, NULL)) != NULL) {
        behind_it = at + 1 + strlen(name);
        if (behind_it[strspn(behind_it, " \t\r\n")] == '>') return at;
        at++;
    }
    return NULL;
}

static const char xml_blanks[] = " \t\r\n";

/* Returns the bracket that ends the tag at `at`, which is not in an attribute; NULL if there is none. */
static const char *xml_bracket(const char *at)
{
    for (at += strcspn(at, "\"'>"); *at && *at != '>'; at += strcspn(at, "\"'>")) {
        at = strchr(at + 1, *at);
        if (!at) return NULL;
        at++;
    }
    return *at ? at : NULL;
}

/* The number in an attribute of the tag from `at` to `end`; ends the program if there is none. */
static double xml_number(const char *at, const char *end, const char *key, const char *tag,
                         const char *source)
{
    for (at += strcspn(at, xml_blanks); at < end;) {
        const char *name = at + strspn(at, xml_blanks), *value, *close;
        size_t length = strcspn(name, "=> \t\r\n");
        at = name + length;
        at += strspn(at, xml_blanks);
        if (*at != '=') break;
        value = at + 1 + strspn(at + 1, xml_blanks);
        close = *value == '"' || *value == '\'' ? strchr(value + 1, *value) : NULL;
        if (length == strlen(key) && !strncmp(name, key, length)) {
            char *stop;
            double number = decimal(value + 1, &stop);
            if (!close || stop == value + 1 || stop + strspn(stop, xml_blanks) != close)
                usage("%.200s: <%s> with a %s that is no number: %.*s", source, tag, key,
                      (int)(strcspn(value, ">") > 40 ? 40 : strcspn(value, ">")), value);
            return number;
        }
        if (!close) break;
        at = close + 1;
    }
    usage("%.200s: <%s> without lat and lon", source, tag);
}

/* Adds the points of elements `tag`, which have the prefix of <gpx>, as their names have. */
static void read_gpx_points(const char *text, const char *tag, const char *source)
{
    const char *at = text, *root = xml_tag(text, "", NULL);
    char element[24], name_element[24];
    int prefix = root ? (int)strcspn(root + 1, ":<> \t\r\n") + 1 : 0;
    if (!root || root[prefix] != ':' || prefix > 12) prefix = 0;
    snprintf(element, sizeof element, "%.*s%s", prefix, root ? root + 1 : "", tag);
    snprintf(name_element, sizeof name_element, "%.*sname", prefix, root ? root + 1 : "");
    while ((at = xml_tag(at, element, NULL)) != NULL) {
        const char *bracket = xml_bracket(at), *end, *begin, *name_end;
        name_text name;
        double lat, lon;
        if (!bracket) usage("%.200s: <%s> does not end", source, tag);
        lat = xml_number(at, bracket, "lat", tag, source);
        lon = xml_number(at, bracket, "lon", tag, source);
        end = bracket[-1] == '/' ? bracket : xml_end_tag(bracket, element);
        if (!end) usage("%.200s: <%s> does not end", source, tag);
        memset(&name, 0, sizeof name);
        begin = xml_tag(bracket, name_element, end);
        if (begin) begin = xml_bracket(begin);
        name_end = begin && begin[-1] != '/' ? xml_end_tag(begin, name_element) : NULL;
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
        read_geojson(text, 0, source);
        if (!points.count) {
            read_geojson(text, 1, source);
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
