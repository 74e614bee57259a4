/* Recognises and reads a file of cities. This is the rule:

   1. A line "KEYWORD : value" of TSPLIB, or the first line of a published file with time windows: the library's reader.
   2. The first bytes of .npy: n x n distances, or n x 2 coordinates.
   3. A text that begins with "<": GPX or KML, well-formed to its last tag.
   4. A text that begins with "{" or "[": JSON. A table of OSRM, Valhalla, GraphHopper or Google; GeoJSON; Overpass; a
      list of objects with coordinates; a list of rows, as below.
   5. Any other text: lines of cells, separated by tabs, semicolons, commas, | or blanks. A number may have a decimal
      comma if it is quoted or commas are not separators; distances and x and y in which every comma may mean
      thousands, as in 1,234, are refused. Lines that begin with # are comments.
      a. The first row and the first column hold the same names, with numbers inside: n x n distances.
      b. A line names columns of latitude and longitude, or x (east) and y (north): points in columns. Lines above it
         are comments.
      c. n rows of n numbers, perhaps with a row or column of names, and 0 or nothing or one number throughout on the
         diagonal: n x n distances. Two rows "0 5" and "7 0", and other diagonals, may be points: refused without
         --metric. An empty cell, inf, nan, none, null, x or - means no connection.
      d. Rows of "latitude longitude name"; also "number latitude longitude name" where the numbers count from 0 or 1.
      Anything else is refused: three numbers, more cells, a truncated last line.

   --metric matrix reads rows as distances, --metric earth, plane or euc_2d as points. With latitude and longitude in
   the header, or without a header, points are on the Earth, and the summary says so; x and y are in a plane, or with
   --metric earth longitude and latitude. */
#ifndef COMBGPU_EXAMPLES_POINTS_H
#define COMBGPU_EXAMPLES_POINTS_H

#include "combgpu_json_places.h"
#include "combgpu_result.h"
#include "combgpu_xml.h"

/* ---- binary files */

/* What a file is by its first bytes, and what to do; NULL if unknown. */
static const char *binary_kind(const char *text, size_t bytes)
{
    static const struct {
        const char *bytes, *kind;
    } kinds[] = {
        {"PK\3\4", "a zip archive (a sheet of Excel or LibreOffice, KMZ): save it as CSV or KML"},
        {"\xd0\xcf\x11\xe0", "a sheet of Excel: save it as CSV"},
        {"%PDF", "PDF: copy the table into a text file"},
        {"\x1f\x8b", "compressed: unpack it with gunzip"},
        {"SQLite format 3", "a database, perhaps a GeoPackage: export it as GeoJSON or CSV"}};
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (bytes >= strlen(kinds[i].bytes) &&
            !memcmp(text, kinds[i].bytes, strlen(kinds[i].bytes)))
            return kinds[i].kind;
    return NULL;
}

static void check_is_text(const char *text, size_t bytes, const char *source)
{
    const char *kind = binary_kind(text, bytes);
    if (kind) usage("%.200s is not text but %s", source, kind);
    if (strlen(text) != bytes || !is_text(text))
        usage(
            "%.200s is not a text; TSPLIB, CSV, lines of numbers, GPX, KML, JSON and .npy are read",
            source);
}

/* ---- the reader */

/* Ends the program if a point is not on the Earth. */
static void check_degrees(const char *source)
{
    int i;
    for (i = 0; i < points.count; i++) {
        const double lat = points.x[i], lon = points.y[i];
        if (lat >= -90 && lat <= 90 && lon >= -360 && lon <= 360) continue;
        usage("%.200s: point %d, \"%s\", has latitude %g and longitude %g; these may be -90 to 90 "
              "and -360 "
              "to 360. If they are x and y in a plane: --metric plane%s",
              source, i + 1, points.name[i], lat, lon,
              points.bare && lon >= -90 && lon <= 90 && lat >= -360 && lat <= 360
                  ? "; if the longitude comes first: a first line lon,lat"
                  : "");
    }
}

/* Sets points.what: what the file was read as. */
static void describe_places(void)
{
    char count[24];
    snprintf(count, sizeof count, "%d", points.count);
    if (points.weights)
        snprintf(points.what, sizeof points.what, "%d x %d %s", points.n, points.n,
                 points.durations ? "durations" : "distances");
    else
        points_text(points.what, sizeof points.what, count, points.count == 1, points_metric());
}

/* Reads a file of points or distances into `points`, or ends the program. Line ends may change. */
static void read_points(char *text, size_t bytes, const char *source)
{
    const char *at;
    char *end;
    if (bytes >= 6 && !memcmp(text, "\x93NUMPY", 6)) {
        grid_npy(&sheet, text, bytes, source);
        read_sheet(source);
    } else {
        check_is_text(text, bytes, source);
        if (!strchr(text, '\n')) /* lines end with a carriage return alone */
            for (end = text; (end = strchr(end, '\r')) != NULL;)
                *end = '\n';
        at = text + strspn(text, " \t\r\n");
        if (*at == '<')
            read_xml(at, source);
        else if (*at == '{' || *at == '[')
            read_json_places(at, source);
        else
            read_lines_of_cells(text, source);
    }
    if (!points.count && !points.weights) usage("%.200s has no points", source);
    if (!points.weights && matrix_wanted())
        usage("%.200s has points; --metric %s is for a table of numbers", source,
              text_of(OPTION_METRIC));
    if (!points.weights && points_metric() == COMBGPU_TSP_EARTH) check_degrees(source);
    describe_places();
}

#endif
