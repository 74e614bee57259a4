/* Reads GPX (the waypoints, or else the points of its route or track) and KML (the points of all placemarks, or
   else those of their lines). Refuses XML that is not well-formed, such as a truncated file. */
#ifndef COMBGPU_EXAMPLES_XML_H
#define COMBGPU_EXAMPLES_XML_H

#include "combgpu_places.h"

static const char xml_blanks[] = " \t\r\n";

/* ---- is it well-formed? */

static struct {
    const char *text, *source;
    const char *open[100]; /* the tags of open elements, outermost first */
    int depth, roots;
} xml;

static int xml_line(const char *at)
{
    return 1 + lines_between(xml.text, at);
}

/* The length of the name of a tag. */
static int xml_name_length(const char *name)
{
    size_t length = strcspn(name, "<>/= \t\r\n");
    return length > 40 ? 40 : (int)length;
}

/* Returns the bracket that ends the tag at `at`, outside attributes; NULL if missing. */
static const char *xml_bracket(const char *at)
{
    for (at += strcspn(at, "\"'>"); *at && *at != '>'; at += strcspn(at, "\"'>")) {
        at = strchr(at + 1, *at);
        if (!at) return NULL;
        at++;
    }
    return *at ? at : NULL;
}

/* Skips "<!--", "<![CDATA[", "<?" or "<!" at `at`. */
static const char *xml_past_other(const char *at)
{
    static const char *const begins[] = {"<!--", "<![CDATA[", "<?", "<!"};
    static const char *const ends[] = {"-->", "]]>", "?>", ">"};
    const char *end;
    int i = 0;
    while (strncmp(at, begins[i], strlen(begins[i])))
        i++;
    end = strstr(at + strlen(begins[i]),
                 i == 3 && at[2 + strcspn(at + 2, "[>")] == '[' ? "]" : ends[i]);
    if (end && i == 3) end = strchr(end, '>');
    if (!end) usage("%.200s, line %d: %s does not end", xml.source, xml_line(at), begins[i]);
    return end + strlen(ends[i]);
}

/* Skips an end tag, which must be that of the innermost element. */
static const char *xml_past_end(const char *at)
{
    const char *end = at + 2 + strcspn(at + 2, "<> \t\r\n");
    size_t length = (size_t)(end - at) - 2;
    const char *open = xml.depth ? xml.open[xml.depth - 1] : NULL;
    end += strspn(end, xml_blanks);
    if (*end != '>')
        usage("%.200s, line %d: </%.*s does not end", xml.source, xml_line(at),
              xml_name_length(at + 2), at + 2);
    if (!open)
        usage("%.200s, line %d: </%.*s> ends nothing", xml.source, xml_line(at),
              xml_name_length(at + 2), at + 2);
    if (strncmp(open + 1, at + 2, length) || !strchr("/> \t\r\n", open[1 + length]))
        usage("%.200s, line %d: </%.*s> where <%.*s> should end", xml.source, xml_line(at),
              xml_name_length(at + 2), at + 2, xml_name_length(open + 1), open + 1);
    xml.depth--;
    return end + 1;
}

/* Skips a start tag. */
static const char *xml_past_start(const char *at)
{
    const char *bracket = xml_bracket(at);
    int letter = (at[1] >= 'A' && at[1] <= 'Z') || (at[1] >= 'a' && at[1] <= 'z') ||
                 strchr("_:", at[1]) || (unsigned char)at[1] >= 0x80;
    if (!letter || !at[1] || !bracket || memchr(at + 1, '<', (size_t)(bracket - at) - 1))
        usage("%.200s, line %d: <%.*s does not end", xml.source, xml_line(at),
              xml_name_length(at + 1), at + 1);
    if (!xml.depth && xml.roots++)
        usage("%.200s, line %d: <%.*s> behind the end", xml.source, xml_line(at),
              xml_name_length(at + 1), at + 1);
    if (bracket[-1] == '/') return bracket + 1;
    if (xml.depth == 100) usage("%.200s: nested too deep", xml.source);
    xml.open[xml.depth++] = at;
    return bracket + 1;
}

/* Ends the program if a text is not well-formed XML; skips DTDs. */
static void xml_check(const char *text, const char *source)
{
    const char *at = text;
    memset(&xml, 0, sizeof xml);
    xml.text = text;
    xml.source = source;
    while (*at) {
        size_t other = xml.depth ? strcspn(at, "<") : strspn(at, xml_blanks);
        at += other;
        if (!*at) break;
        if (*at != '<')
            usage("%.200s, line %d: \"%.20s\" outside of all elements", source, xml_line(at), at);
        at = at[1] == '!' || at[1] == '?' ? xml_past_other(at)
             : at[1] == '/'               ? xml_past_end(at)
                                          : xml_past_start(at);
    }
    if (xml.depth)
        usage("%.200s is cut off: <%.*s> of line %d does not end", source,
              xml_name_length(xml.open[xml.depth - 1] + 1), xml.open[xml.depth - 1] + 1,
              xml_line(xml.open[xml.depth - 1]));
    if (!xml.roots) usage("%.200s has no element", source);
}

/* ---- elements of well-formed text */

/* Returns the next start tag of an element ("": any) before `end` (NULL: of the text), outside comments, CDATA,
   instructions and DTDs; NULL if none. */
static const char *xml_tag(const char *at, const char *tag, const char *end)
{
    size_t length = strlen(tag);
    for (at = strchr(at, '<'); at && (!end || at < end); at = strchr(at, '<')) {
        if (at[1] == '!' || at[1] == '?')
            at = xml_past_other(at);
        else if (!strncmp(at + 1, tag, length) &&
                 (!length || strchr(" \t\r\n/>", at[1 + length]) != NULL))
            return at;
        else
            at++;
    }
    return NULL;
}

/* Returns the end tag of an element, outside comments and CDATA; NULL if none. */
static const char *xml_end_tag(const char *at, const char *tag)
{
    char name[32];
    const char *behind_it;
    snprintf(name, sizeof name, "/%.30s", tag);
    while ((at = xml_tag(at, name, NULL)) != NULL) {
        behind_it = at + 1 + strlen(name);
        if (behind_it[strspn(behind_it, " \t\r\n")] == '>') return at;
        at++;
    }
    return NULL;
}

/* The number in an attribute of the tag from `at` to `end`; ends the program if missing. */
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
                usage("%.200s: <%s> whose %s is not a number: %.*s", source, tag, key,
                      (int)(strcspn(value, ">") > 40 ? 40 : strcspn(value, ">")), value);
            return number;
        }
        if (!close) break;
        at = close + 1;
    }
    usage("%.200s: <%s> without lat and lon", source, tag);
}

/* Puts the prefix of the root before the name of an element: both come from the same namespace. */
static const char *xml_named(char name[40], const char *root, const char *tag)
{
    int prefix = (int)strcspn(root + 1, ":<> \t\r\n") + 1;
    if (root[prefix] != ':' || prefix > 12) prefix = 0;
    snprintf(name, 40, "%.*s%s", prefix, root + 1, tag);
    return name;
}

/* The text of the first element of a name before `end`; may be empty. */
static void xml_text(name_text *text, const char *at, const char *name, const char *end)
{
    const char *begin = xml_tag(at, name, end), *close;
    memset(text, 0, sizeof *text);
    if (begin) begin = xml_bracket(begin);
    close = begin && begin[-1] != '/' ? xml_end_tag(begin, name) : NULL;
    if (close) name_from_xml(text, begin + 1, close);
}

/* ---- GPX */

/* Adds the points of elements `tag`. */
static void read_gpx_points(const char *root, const char *tag, const char *source)
{
    const char *at = root;
    char element[40], name_element[40];
    xml_named(element, root, tag);
    xml_named(name_element, root, "name");
    while ((at = xml_tag(at, element, NULL)) != NULL) {
        const char *bracket = xml_bracket(at), *end;
        name_text name;
        double lat = xml_number(at, bracket, "lat", tag, source);
        double lon = xml_number(at, bracket, "lon", tag, source);
        end = bracket[-1] == '/' ? bracket : xml_end_tag(bracket, element);
        xml_text(&name, bracket, name_element, end);
        add_point(lat, lon, name.text, name.length, source);
        at = end;
    }
}

/* ---- KML */

/* Adds the points of <coordinates>: "lon,lat" or "lon,lat,alt", separated by blanks. */
static void read_kml_places(const char *at, const char *end, const name_text *name,
                            const char *source)
{
    double number[3];
    for (at += strspn(at, xml_blanks); at < end; at += strspn(at, xml_blanks)) {
        const char *place = at;
        int numbers = 0;
        char *stop = NULL;
        do {
            at += numbers > 0;
            number[numbers++] = decimal(at, &stop);
        } while (stop > at && *(at = stop) == ',' && numbers < 3);
        if (stop != at || at == place || numbers < 2 || !strchr(" \t\r\n<", *at))
            usage("%.200s, line %d: \"%.*s\" is not \"longitude,latitude,altitude\"", source,
                  xml_line(place), (int)strcspn(place, " \t\r\n<"), place);
        add_point(number[1], number[0], name->text, name->length, source);
    }
}

/* Adds the points of elements `tag` of all placemarks. */
static void read_kml_points(const char *root, const char *tag, const char *source)
{
    char placemark[40], element[40], coordinates[40], name_element[40];
    const char *at = root, *end, *inside, *inside_end;
    name_text name;
    xml_named(placemark, root, "Placemark");
    xml_named(element, root, tag);
    xml_named(coordinates, root, "coordinates");
    xml_named(name_element, root, "name");
    while ((at = xml_tag(at, placemark, NULL)) != NULL) {
        inside = xml_bracket(at);
        end = inside[-1] == '/' ? inside : xml_end_tag(inside, placemark);
        xml_text(&name, at, name_element, end);
        while ((inside = xml_tag(inside, element, end)) != NULL) {
            inside_end = xml_end_tag(inside, element);
            if (!inside_end || xml_bracket(inside)[-1] == '/') inside_end = xml_bracket(inside);
            inside = xml_tag(inside, coordinates, inside_end);
            if (!inside) usage("%.200s: a <%s> without <coordinates>", source, tag);
            inside = xml_bracket(inside);
            if (inside[-1] != '/')
                read_kml_places(inside + 1, xml_end_tag(inside, coordinates), &name, source);
            inside = inside_end;
        }
        at = end;
    }
}

/* Reads the points of GPX or KML. */
static void read_xml(const char *text, const char *source)
{
    static const char *const gpx[] = {"wpt", "rtept", "trkpt"};
    static const char *const kml[] = {"Point", "LineString", "LinearRing"};
    const char *root;
    char name[40];
    int i, is_gpx;
    xml_check(text, source);
    root = xml_tag(text, "", NULL);
    is_gpx = xml_tag(root, xml_named(name, root, "gpx"), root + 1) != NULL;
    if (!is_gpx && !xml_tag(root, xml_named(name, root, "kml"), root + 1))
        usage("%.200s has the element <%.*s>; GPX and KML are the supported kinds of XML", source,
              xml_name_length(root + 1), root + 1);
    for (i = 0; i < 3 && !points.count; i++) {
        if (is_gpx)
            read_gpx_points(root, gpx[i], source);
        else
            read_kml_points(root, kml[i], source);
        if (i) drop_last_if_first();
    }
}

#endif
