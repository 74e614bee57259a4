/* Writes routes for maps: GeoJSON and GPX. */
#ifndef COMBGPU_EXAMPLES_ROUTES_H
#define COMBGPU_EXAMPLES_ROUTES_H

#include "combgpu_points.h"
#include "combgpu_result.h"

static int *tsp_tour; /* the best tour found; a result holds fewer cities */

/* Degrees of a city; GEO has DDD.MM. */
static double degrees(const combgpu_tsp_instance *instance, double value)
{
    double whole;
    if (instance->metric != COMBGPU_TSP_GEO) return value;
    whole = (double)(int)value;
    return whole + (value - whole) * 5 / 3;
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
