/* combgpu tsp: finds a proven shortest tour of a file's cities, waypoints or random points. */
#ifndef COMBGPU_EXAMPLES_TSP_H
#define COMBGPU_EXAMPLES_TSP_H

#include "combgpu_batch.h"
#include "combgpu_conditions.h"
#include "combgpu_picture.h"
#include "combgpu_points.h"
#include "combgpu_routes.h"
#include "combgpu_tsplib.h"
#include "combgpu_weights.h"
#include "combgpu_windows.h"
#include "combgpu_words.h"

static const char *const tsp_methods[] = {"auto", "brute-force", "held-karp", "branch-and-bound",
                                          "heuristic"};

/* ---- instances */

/* An instance of n random points. */
static combgpu_status random_tsp(combgpu_context *ctx, int n, uint64_t seed,
                                 combgpu_tsp_metric metric, combgpu_tsp_instance *instance)
{
    double *xy = (double *)malloc(2 * (size_t)n * sizeof *xy);
    combgpu_status status;
    int i;
    if (!xy) usage("--random: out of memory");
    for (i = 0; i < n; i++)
        random_point(&seed, &xy[i], &xy[n + i]);
    status = combgpu_tsp_from_coordinates(ctx, n, xy, xy + n, metric, instance);
    free(xy);
    if (!status) snprintf(instance->name, sizeof instance->name, "random%d", n);
    return status;
}

/* Nonzero if a line is, or begins with, a keyword of customer files. */
static int is_customer_head(const char *line)
{
    static const char *const heads[] = {"cust no", "vehicle", "customer"};
    size_t i, k;
    for (i = 0; i < 3; i++) {
        for (k = 0; heads[i][k] && lower_case(line[k]) == heads[i][k];)
            k++;
        if (!heads[i][k] && (!i || strchr("\r\n", line[k + strspn(line + k, " \t")]))) return 1;
    }
    return 0;
}

/* Nonzero if a file with time windows begins: "!!", "CUST NO.", the number of cities alone, or Solomon's name
   and "VEHICLE". */
static int is_windows_file(const char *text)
{
    const char *line = text + strspn(text, " \t\r\n"), *next;
    size_t digits;
    for (; *line == '#'; line += strspn(line, " \t\r\n")) /* remarks */
        line += strcspn(line, "\r\n");
    next = line + strcspn(line, "\r\n");
    digits = strspn(line, "0123456789");
    if (!strncmp(line, "!!", 2) || is_customer_head(line)) return 1;
    if (!digits) return customers_from_0 = is_customer_head(next + strspn(next, " \t\r\n"));
    line += digits + strspn(line + digits, " \t");
    return *line == '\n' || *line == '\r';
}

/* Names the instance after the file. */
static void name_by_file(combgpu_tsp_instance *instance)
{
    const char *name = strrchr(cmd.argument, '/');
    snprintf(instance->name, sizeof instance->name, "%.63s", name ? name + 1 : cmd.argument);
}

/* Reads the instance of the command line. */
static combgpu_status tsp_instance(combgpu_context *ctx, combgpu_tsp_instance *instance)
{
    combgpu_status status;
    size_t bytes = 0;
    char *text = NULL;
    if (!cmd.argument && matrix_wanted())
        usage("--metric %s is for a file", text_of(OPTION_METRIC));
    if (given(OPTION_RANDOM))
        return random_tsp(ctx, int_of(OPTION_RANDOM, 1, COMBGPU_TSP_MAX_DIMENSION, 0),
                          number_of(OPTION_SEED, 1),
                          points_wanted() ? points_metric() : COMBGPU_TSP_EUC_2D, instance);
    if (given(OPTION_EUROPE)) {
        char forty[sizeof points_of_europe];
        memcpy(forty, points_of_europe, sizeof forty);
        read_points(forty, sizeof forty - 1, "the forty");
        *points.why = 0;
    } else {
        text = read_file("", cmd.argument, &bytes);
        if (is_tsplib(text) || is_windows_file(text)) {
            message_source = cmd.argument;
            status = combgpu_tsp_parse(ctx, text, bytes, instance);
            if (!status && !*instance->name) name_by_file(instance);
            if (!status && given(OPTION_METRIC)) status = measure_again(ctx, instance);
            if (!status) note_reading(instance, text);
            free(text);
            return status;
        }
        read_points(text, bytes, cmd.argument);
        grid_free(&sheet);
        free(text);
    }
    if (points.weights) {
        status = combgpu_tsp_from_matrix(ctx, points.n, points.weights, instance);
        free(points.weights);
        points.weights = NULL;
        if (!status) name_by_file(instance);
        return status;
    }
    status = combgpu_tsp_from_coordinates(ctx, points.count, points.x, points.y, points_metric(),
                                          instance);
    if (!status)
        snprintf(instance->name, sizeof instance->name, "%s",
                 given(OPTION_EUROPE) ? "Europe" : "waypoints");
    return status;
}

/* ---- output */

static void write_tour(const combgpu_tsp_instance *instance, const combgpu_tsp_result *result)
{
    FILE *to = open_output(OPTION_TOUR);
    int i;
    fprintf(to, "NAME : %s.tour\nCOMMENT : length %.15g%s\nTYPE : TOUR\nDIMENSION : %d\n",
            instance->name, result->length, result->optimal ? ", optimal" : "", result->n);
    fprintf(to, "TOUR_SECTION\n");
    for (i = 0; i < result->n; i++)
        fprintf(to, "%d\n", tsp_tour[i] + 1);
    fprintf(to, "-1\nEOF\n");
    close_output(OPTION_TOUR, to);
}

static void draw_tour(combgpu_context *ctx, const combgpu_tsp_instance *instance,
                      const combgpu_tsp_result *result)
{
    const int on_earth = instance->metric == COMBGPU_TSP_EARTH;
    const char **names = NULL;
    combgpu_tsp_drawing drawing;
    char title[160], legend[200], *text;
    size_t bytes = 0;
    int i;
    memset(&drawing, 0, sizeof drawing);
    drawing.instance = instance;
    drawing.shape = result->shape;
    drawing.tour = tsp_tour;
    snprintf(title, sizeof title,
             on_earth ? "%s: %s through %d cities, %.1f km"
                      : "%s: %s through %d cities, length %.10g",
             instance->name, result->shape == COMBGPU_TSP_PATH ? "path" : "tour", result->n,
             result->length);
    snprintf(legend, sizeof legend, "%s; green ring: start%s",
             !result->optimal         ? "the best so far"
             : given(OPTION_MAXIMIZE) ? "proven longest"
                                      : "proven shortest",
             result->shape == COMBGPU_TSP_PATH ? ", red ring: end" : "");
    drawing.title = picture_title(title);
    drawing.legend = legend;
    if (!*drawing.title) drawing.title = NULL;
    if (points.count) names = (const char **)malloc((size_t)points.count * sizeof *names);
    if (points.count && !names) usage("--svg: out of memory");
    for (i = 0; i < points.count; i++)
        names[i] = points.name[i];
    drawing.names = names;
    if (combgpu_tsp_draw(ctx, &drawing, NULL, 0, &bytes)) usage("--svg: %s", combgpu_message(ctx));
    text = (char *)malloc(bytes);
    if (text && combgpu_tsp_draw(ctx, &drawing, text, bytes, NULL))
        usage("--svg: %s", combgpu_message(ctx));
    free((void *)names);
    picture_add(text);
}

/* Prints at most 24 characters of a name, and blanks up to that width. */
static void say_name(const char *name)
{
    size_t bytes = 0;
    int width = 0;
    for (; width < 24 && name[bytes]; width++)
        bytes += utf8_length(name + bytes);
    say("%.*s%*s", (int)bytes, name, 24 - width, "");
}

/* Prints a line for each city with a name: position, distance so far, next leg. */
static void say_route(const combgpu_tsp_instance *instance, const combgpu_tsp_result *result)
{
    const char *unit = instance->metric == COMBGPU_TSP_EARTH ? " km" : "";
    int legs = result->shape == COMBGPU_TSP_CYCLE ? result->n : result->n - 1, i;
    double sum = 0;
    for (i = 0; i < result->n; i++) {
        int from = tsp_tour[i], next = tsp_tour[(i + 1) % result->n];
        say("%4d  ", from + 1);
        say_name(points.name[from]);
        if (points.x) say(" %9.4f %9.4f", points.x[from], points.y[from]);
        say(points.x ? " %10.1f%s" : " %10.10g%s", sum, unit);
        if (i < legs) {
            double leg = combgpu_tsp_weight(instance, from, next);
            say(points.x ? "  + %.1f" : "  + %.10g", leg);
            sum += leg;
        }
        say("\n");
    }
    say_what(instance);
    say(points.x ? ": %.3f%s, %s%s\n" : ": %.15g%s, %s%s\n", result->length, unit,
        result->optimal ? "proven " : "the best so far", result->optimal ? best_word() : "");
    if (!result->optimal)
        say("no route is %s than %.3f%s\n", given(OPTION_MAXIMIZE) ? "longer" : "shorter",
            result->lower_bound, unit);
}

/* The same for cities without names: just their numbers. */
static void say_tour(const combgpu_tsp_instance *instance, const combgpu_tsp_result *result)
{
    int i;
    say_head(instance);
    say(": %s of length %.15g, %s (%s)\n", shape_word(result->shape), result->length,
        result->optimal ? "proven optimal" : "the best so far", tsp_methods[result->method]);
    for (i = 0; i < result->n && result->n <= COMBGPU_TSP_MAX_TOUR; i++)
        say("%s%d", i == 0 ? "    " : i % 16 == 0 ? "\n    " : " ", tsp_tour[i] + 1);
    if (result->n <= COMBGPU_TSP_MAX_TOUR) say("\n");
    if (!result->optimal)
        say("proven %s bound %.15g, gap %.2f %%\n", given(OPTION_MAXIMIZE) ? "upper" : "lower",
            result->lower_bound, 100 * result->gap);
}

static void tell_tsp_result(const combgpu_tsp_instance *instance, const combgpu_tsp_result *result)
{
    const int on_earth = instance->metric == COMBGPU_TSP_EARTH, good = result->feasible;
    json_head(instance);
    json_shape(result->shape);
    json_string("method", tsp_methods[result->method]);
    json_bool("feasible", good);
    if (good) json_double("length", result->length);
    if (good && on_earth) json_double("km", result->length);
    json_bool("optimal", good && result->optimal);
    if (!good) json_bool("no_tour_exists", result->optimal);
    if (fabs(result->lower_bound) <= 1e305) /* no infinity */
        json_double(given(OPTION_MAXIMIZE) ? "upper_bound" : "lower_bound", result->lower_bound);
    if (result->tolerance > 0) json_double("tolerance", result->tolerance);
    if (good && result->gap <= 1e305) json_double("gap", result->gap);
    if (instance->before_count) json_u64("before", (uint64_t)instance->before_count);
    if (instance->fixed_count) json_u64("fixed", (uint64_t)instance->fixed_count);
    if (!good) {
        say_head(instance);
        say(": %s (%s)\n", no_tour(result->optimal), tsp_methods[result->method]);
        return;
    }
    if (points.count)
        say_route(instance, result);
    else
        say_tour(instance, result);
    json_cities(tsp_tour, result->n);
    json_names(tsp_tour, result->n);
    if (result->n <= 20) json_u64("rank", result->rank);
    if (result->tours) json_u64("tours", result->tours);
}

/* ---- --check: the length of a tour */

static int tsp_check(combgpu_context *ctx, const combgpu_tsp_instance *instance,
                     const combgpu_tsp_desc *desc)
{
    combgpu_tsp_shape shape = desc->shape;
    int *tour = (int *)malloc((size_t)instance->n * sizeof *tour), good, end;
    double length = 0;
    combgpu_status status;
    char why[300] = "";
    if (!tour) usage("--check: out of memory");
    status = read_tour(ctx, OPTION_CHECK, instance->n, tour);
    if (status < 0) {
        free(tour);
        return failed(ctx, status);
    }
    status = combgpu_tsp_length(ctx, instance, shape, tour, &length);
    good = status >= 0;
    if (!good)
        translate(combgpu_message(ctx), why, sizeof why);
    else
        good = ends_kept(desc->path_ends, desc->path_start, desc->path_end, tour, instance->n, why,
                         sizeof why);
    json_string("status", "ok");
    json_what();
    json_bool("is_tour", good);
    if (good) {
        say("%s%s%s: a %s", instance->name, *points.what ? ", " : "", points.what,
            shape_word(shape));
        tell_double("length", " of length %.15g\n", length);
    } else {
        say("%s: not a tour", instance->name);
        tell_string("error", ": %s\n", why);
    }
    free(tour);
    end = finish(ctx, NULL);
    return end ? end : !good;
}

/* ---- one instance */

/* Writes the result's files. */
static void tsp_files(combgpu_context *ctx, const combgpu_tsp_instance *instance,
                      const combgpu_tsp_result *result)
{
    if (given(OPTION_TOUR)) write_tour(instance, result);
    if (given(OPTION_GEOJSON)) write_geojson(instance, result);
    if (given(OPTION_GPX)) write_gpx(instance, result);
    if (pictures_wanted()) {
        draw_tour(ctx, instance, result);
        pictures_end("");
    }
}

/* Before the search, refuses instances that cannot be drawn or mapped. */
static void check_coordinates(const combgpu_tsp_instance *instance)
{
    int on_earth = instance->metric == COMBGPU_TSP_EARTH || instance->metric == COMBGPU_TSP_GEO;
    if (pictures_wanted() && !instance->x) usage("--svg: the instance has no coordinates to draw");
    if ((given(OPTION_GEOJSON) || given(OPTION_GPX)) && !(instance->x && on_earth))
        usage("%s: the instance has no latitudes and longitudes",
              given(OPTION_GPX) ? "--gpx" : "--geojson");
}

/* Checks the options for time windows, of --windows or the file. Returns whether there are any. */
static int has_windows(const combgpu_tsp_instance *instance, const int *without)
{
    int i;
    if (!given(OPTION_WINDOWS) && !instance->ready) {
        if (given(OPTION_EARLIEST_END))
            usage("--earliest-end needs --windows, or a file with time windows");
        return 0;
    }
    for (i = 0; without[i] >= 0; i++)
        if (given(without[i]))
            usage("time windows cannot be combined with %s", option_name(without[i]));
    if (given(OPTION_SHORTEST) || given(OPTION_COUNT_OPTIMAL))
        usage("time windows cannot be combined with --shortest and --count-optimal");
    return 1;
}

/* Nonzero if the method uses --kicks, --from or --search-seed. */
static int method_uses(combgpu_tsp_method method, int id)
{
    return method == COMBGPU_TSP_HEURISTIC ||
           (method == COMBGPU_TSP_BRANCH_AND_BOUND && id != OPTION_KICKS);
}

static const int some_methods[] = {OPTION_KICKS, OPTION_FROM, OPTION_SEARCH_SEED, -1};

/* Ends the program if the requested method does not use an option. */
static void method_takes(combgpu_tsp_method method)
{
    int i;
    for (i = 0; method && some_methods[i] >= 0; i++)
        if (given(some_methods[i]) && !method_uses(method, some_methods[i]))
            usage("--method %s does not use %s", tsp_methods[method], option_name(some_methods[i]));
}

/* Reports such options of the chosen method. */
static void note_not_used(combgpu_tsp_method method)
{
    int i;
    for (i = 0; some_methods[i] >= 0; i++)
        if (given(some_methods[i]) && !method_uses(method, some_methods[i]) && !given(OPTION_QUIET))
            fprintf(stderr, "%s: %s is ignored: the method was %s\n", cmd.program,
                    option_name(some_methods[i]), tsp_methods[method]);
}

static int tsp_solve(combgpu_tsp_desc *desc, const int *not_with_windows)
{
    static combgpu_tsp_instance
        instance; /* for code that closes the context, and so cannot free it */
    static combgpu_tsp_result result;
    combgpu_context *ctx = open_context("tsp");
    combgpu_status status;
    int *start = NULL, windows;
    memset(&instance, 0, sizeof instance);
    status = tsp_instance(ctx, &instance);
    if (status >= 0 && instance.before_count) desc->shape = COMBGPU_TSP_PATH; /* TYPE: SOP */
    if (status >= 0) status = take_pairs(ctx, &instance, OPTION_BEFORE);
    if (status >= 0) status = take_pairs(ctx, &instance, OPTION_EDGE);
    if (status < 0) return failed(ctx, status);
    take_weights(&instance);
    windows = has_windows(&instance, not_with_windows);
    if (windows && given(OPTION_MAXIMIZE)) usage("time windows cannot be combined with --maximize");
    desc->path_ends = ends_given();
    desc->path_start = city_of(OPTION_START, instance.n);
    desc->path_end = city_of(OPTION_END, instance.n);
    check_ends(desc->path_ends, desc->path_start, desc->path_end, instance.n);
    tsp_tour = (int *)malloc((size_t)instance.n * sizeof *tsp_tour);
    if (!tsp_tour) usage("out of memory for a tour of %d cities", instance.n);
    check_coordinates(&instance);
    if (given(OPTION_CHECK)) turn_weights(&instance); /* back */
    if (given(OPTION_CHECK)) return tsp_check(ctx, &instance, desc);
    run.label = instance.name;
    desc->instance = &instance;
    desc->tour = tsp_tour;
    desc->run = run.desc;
    if (windows) return tsp_windows(ctx, desc);
    if (given(OPTION_SHORTEST) || given(OPTION_COUNT_OPTIMAL)) return tsp_tours(ctx, desc);
    if (given(OPTION_FROM) && instance.fixed_count)
        usage("--from cannot be combined with fixed edges");
    if (given(OPTION_FROM)) {
        start = (int *)malloc((size_t)instance.n * sizeof *start);
        if (!start) usage("--from: out of memory");
        status = read_tour(ctx, OPTION_FROM, instance.n, start);
        desc->start = start;
    }
    if (status >= 0 && given(OPTION_FORECAST)) {
        combgpu_job *job = NULL;
        status = combgpu_tsp_begin(ctx, desc, &job);
        free(start);
        combgpu_tsp_free(ctx, &instance);
        return forecast(ctx, status, &job);
    }
    if (status >= 0) status = ended(ctx, combgpu_tsp(ctx, desc, &result), &result.run);
    free(start);
    if (status < 0) {
        combgpu_tsp_free(ctx, &instance);
        return failed(ctx, status);
    }
    terminal_clear();
    note_not_used(result.method);
    turn_weights(&instance); /* back */
    result.length = own_length(result.length);
    result.lower_bound = own_length(result.lower_bound);
    tell_tsp_result(&instance, &result);
    if (result.feasible) tsp_files(ctx, &instance, &result);
    tell_run(&result.run); /* how it ended: the files, too */
    combgpu_tsp_free(ctx, &instance);
    return finish(ctx, &result.run);
}

static int command_tsp(void)
{
    static const int not_in_batch[] = {
        OPTION_FROM,    OPTION_TOUR,         OPTION_SVG,           OPTION_METHOD,   OPTION_GPX,
        OPTION_GEOJSON, OPTION_SEARCH_SEED,  OPTION_BEFORE,        OPTION_EDGE,     OPTION_EUROPE,
        OPTION_KICKS,   OPTION_EARLIEST_END, OPTION_NO_CONNECTION, OPTION_MAXIMIZE, -1};
    static const int not_in_check[] = {
        OPTION_FROM,    OPTION_TOUR,           OPTION_GEOJSON,       OPTION_GPX,  OPTION_SVG,
        OPTION_METHOD,  OPTION_SEARCH_SEED,    OPTION_KICKS,         OPTION_LIST, OPTION_OUTPUT,
        OPTION_LENGTHS, OPTION_INSTANCE_STEPS, OPTION_INSTANCE_TIME, -1};
    static const int not_in_list[] = {
        OPTION_FROM,  OPTION_TOUR,  OPTION_SVG,         OPTION_METHOD, OPTION_GPX, OPTION_GEOJSON,
        OPTION_CHECK, OPTION_BATCH, OPTION_SEARCH_SEED, OPTION_KICKS,  -1};
    static const int no_formats[] = {OPTION_FORMAT, -1};
    combgpu_tsp_desc desc;
    message_hook = name_cities;
    memset(&desc, 0, sizeof desc);
    desc.method = (combgpu_tsp_method)number_of(OPTION_METHOD, 0);
    desc.shape = given(OPTION_PATH) ? COMBGPU_TSP_PATH : COMBGPU_TSP_CYCLE;
    desc.seed = number_of(OPTION_SEARCH_SEED, 0);
    desc.kicks = number_of(OPTION_KICKS, 0);
    if ((cmd.argument != NULL) + !!given(OPTION_RANDOM) + !!given(OPTION_EUROPE) != 1)
        usage("give a file of cities, --random N or --europe");
    if ((given(OPTION_START) || given(OPTION_END)) && !given(OPTION_PATH))
        usage("--start and --end need --path: a closed tour has no ends");
    goes_without(OPTION_BATCH, not_in_batch);
    goes_without(OPTION_CHECK, not_in_check);
    check_recognises();
    if (!given(OPTION_BATCH)) goes_without(OPTION_CHECK, no_formats);
    searches_nothing(OPTION_CHECK);
    method_takes(desc.method);
    goes_without(OPTION_SHORTEST, not_in_list);
    goes_without(OPTION_COUNT_OPTIMAL, not_in_list);
    goes_with(OPTION_LENGTHS, OPTION_BATCH);
    goes_with(OPTION_INSTANCE_STEPS, OPTION_BATCH);
    goes_with(OPTION_INSTANCE_TIME, OPTION_BATCH);
    goes_without(OPTION_WINDOWS, not_in_list);
    goes_with(OPTION_SPEED, OPTION_WINDOWS);
    if (given(OPTION_BATCH) && number_of(OPTION_RANDOM, 1) > COMBGPU_TSP_BATCH_DIMENSION)
        usage("--random is %s; with --batch it may be 1 to %d", text_of(OPTION_RANDOM),
              COMBGPU_TSP_BATCH_DIMENSION);
    if (!given(OPTION_FORECAST)) goes_with(OPTION_SEED, OPTION_RANDOM);
    if (list_wanted() && !given(OPTION_BATCH))
        usage("--list and --output are for --batch; --tour FILE writes the tour");
    return given(OPTION_BATCH) ? tsp_batch(desc.shape) : tsp_solve(&desc, not_in_list);
}

#endif
