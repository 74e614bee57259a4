/* Forty waypoints given as latitude and longitude: the shortest round trip, proven, on a CPU.

       cc -O3 -fopenmp examples/waypoints.c -o waypoints

       ./waypoints                          the forty in this file
       ./waypoints FILE                     yours: a line each, "latitude longitude name"
       ./waypoints --svg route.svg          draws the route
       ./waypoints --one-way --start 3      no way back; begins at the third */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_TSP
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "waypoints - the shortest route through points on the earth, proven\n\n"
    "  waypoints                     a round trip through forty cities of Europe\n"
    "  waypoints FILE                a line for each point: latitude longitude name\n\n"
    "Options:\n"
    "  --one-way           no way back to the start\n"
    "  --start I, --end I  where the route begins and ends: line numbers, from 1\n"
    "  --svg FILE          draw the route as an SVG picture\n";

/* Decimal degrees, north and east positive. */
static const char europe[] = "52.37 4.90 Amsterdam\n37.98 23.73 Athens\n41.39 2.17 Barcelona\n"
                             "44.79 20.45 Belgrade\n52.52 13.40 Berlin\n46.95 7.45 Bern\n"
                             "48.15 17.11 Bratislava\n50.85 4.35 Brussels\n44.43 26.10 Bucharest\n"
                             "47.50 19.04 Budapest\n47.01 28.86 Chisinau\n55.68 12.57 Copenhagen\n"
                             "53.35 -6.26 Dublin\n55.95 -3.19 Edinburgh\n60.17 24.94 Helsinki\n"
                             "50.45 30.52 Kyiv\n38.72 -9.14 Lisbon\n46.06 14.51 Ljubljana\n"
                             "51.51 -0.13 London\n49.61 6.13 Luxembourg\n40.42 -3.70 Madrid\n"
                             "43.30 5.37 Marseille\n45.46 9.19 Milan\n43.73 7.42 Monaco\n"
                             "48.14 11.58 Munich\n59.91 10.75 Oslo\n48.86 2.35 Paris\n"
                             "42.44 19.26 Podgorica\n50.08 14.44 Prague\n56.95 24.11 Riga\n"
                             "41.90 12.50 Rome\n43.86 18.41 Sarajevo\n41.99 21.43 Skopje\n"
                             "42.70 23.32 Sofia\n59.33 18.07 Stockholm\n59.44 24.75 Tallinn\n"
                             "41.33 19.82 Tirana\n48.21 16.37 Vienna\n54.69 25.28 Vilnius\n"
                             "52.23 21.01 Warsaw\n";

#define MOST COMBGPU_TSP_MAX_TOUR
static struct {
    double latitude[MOST], longitude[MOST];
    char name[MOST][40];
    int count;
} points;

/* Reads lines of points; ends the program if one is wrong. Empty lines and # lines are skipped. */
static void read_points(const char *text, const char *source)
{
    int line = 1, used;
    for (; *text; line++) {
        size_t length = strcspn(text, "\n");
        char copy[200];
        snprintf(copy, sizeof copy, "%.*s", length < 199 ? (int)length : 199, text);
        text += length + (text[length] == '\n');
        copy[strcspn(copy, "\r")] = 0;
        if (!copy[strspn(copy, " \t")] || copy[strspn(copy, " \t")] == '#') continue;
        if (points.count == MOST)
            common_usage("%s, line %d: more than %d points", source, line, MOST);
        used = 0;
        if (sscanf(copy, "%lf%*[ ,\t]%lf%*[ ,\t]%n", &points.latitude[points.count],
                   &points.longitude[points.count], &used) < 2)
            common_usage("%s, line %d: \"%.40s\" is not \"latitude longitude name\"", source, line,
                         copy);
        snprintf(points.name[points.count], sizeof points.name[0], "%.39s",
                 used && copy[used] ? copy + used : "-");
        points.count++;
    }
}

static void read_file(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    size_t size;
    if (!file) common_usage("%.200s cannot be read: %s", path, strerror(errno));
    size = fread(text, 1, sizeof text - 1, file);
    if (ferror(file) || size == sizeof text - 1)
        common_usage("%.200s cannot be read whole: at most %d bytes", path, (int)sizeof text - 2);
    fclose(file);
    text[size] = 0;
    if (strlen(text) != size) common_usage("%.200s is not a text", path);
    read_points(text, path);
    if (!points.count) common_usage("%.200s has no points", path);
}

static void print_route(const combgpu_tsp_instance *instance, const combgpu_tsp_result *result)
{
    int legs = result->shape == COMBGPU_TSP_CYCLE ? result->n : result->n - 1, i;
    double sum = 0;
    if (common.json) {
        json_double("km", result->length);
        json_double("lower_bound", result->lower_bound);
        json_bool("optimal", result->optimal);
        json_open("route", '[');
        for (i = 0; i < result->n; i++)
            json_string(NULL, points.name[result->tour[i]]);
        json_close();
        json_run(&result->run);
        return;
    }
    for (i = 0; i < result->n; i++) {
        int from = result->tour[i], to = result->tour[(i + 1) % result->n];
        printf("%4d  %-24.24s %9.4f %9.4f %10.1f km", from + 1, points.name[from],
               points.latitude[from], points.longitude[from], sum);
        if (i < legs) {
            double leg = instance->weights[from * instance->n + to];
            printf("  + %.1f", leg);
            sum += leg;
        }
        printf("\n");
    }
    printf("%d waypoints, %.3f km, %s\n", result->n, result->length,
           result->optimal ? "proven shortest" : "the best so far");
    if (!result->optimal) printf("no route is shorter than %.3f km\n", result->lower_bound);
    common_print_run(stdout, &result->run);
}

static int write_svg(combgpu_context *ctx, const char *path, const combgpu_tsp_instance *instance,
                     const combgpu_tsp_result *result)
{
    static char text[1 << 16]; /* 128 points take 20 KB */
    FILE *file;
    int good;
    if (combgpu_tsp_to_svg(ctx, instance, result->shape, result->tour, text, sizeof text, NULL))
        return 0;
    file = fopen(path, "w");
    if (!file) return 0;
    good = fputs(text, file) >= 0;
    return fclose(file) == 0 && good;
}

int main(int argc, char **argv)
{
    const char *path = NULL, *svg = NULL;
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_status status;
    combgpu_context *ctx;
    int failed, end;
    memset(&desc, 0, sizeof desc);

    common_start(argc, argv, help);
    while (common_next())
        if (common_is("--one-way"))
            desc.shape = COMBGPU_TSP_PATH;
        else if (common_is("--start"))
            desc.path_start = (int)common_number(1, MOST);
        else if (common_is("--end"))
            desc.path_end = (int)common_number(1, MOST);
        else if (common_is("--svg"))
            svg = common_text("a file name");
        else if (common_is_argument() && !path)
            path = common_text("a file name");
        else
            common_unknown();
    if ((desc.path_start || desc.path_end) && desc.shape != COMBGPU_TSP_PATH)
        common_usage("--start and --end need --one-way: a round trip has no ends");
    if (path)
        read_file(path);
    else
        read_points(europe, "the forty");

    ctx = common_open("waypoints");
    status = combgpu_tsp_from_coordinates(ctx, points.count, points.latitude, points.longitude,
                                          COMBGPU_TSP_EARTH, &instance);
    if (status < 0) return common_failed(ctx, status);
    common.label = "waypoints";
    desc.instance = &instance;
    desc.run = common.run;
    status = combgpu_tsp(ctx, &desc, &result);
    if (status < 0) {
        combgpu_tsp_free(ctx, &instance);
        return common_failed(ctx, status);
    }
    common_clear();
    print_route(&instance, &result);
    failed = svg && !write_svg(ctx, svg, &instance, &result);
    if (failed)
        fprintf(stderr, "waypoints: --svg %s cannot be written: %s\n", svg, strerror(errno));
    combgpu_tsp_free(ctx, &instance);
    end = common_end(ctx, &result.run);
    return failed ? COMMON_EXIT_USAGE : end;
}
