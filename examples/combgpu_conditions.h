/* combgpu tsp: precedence, the K shortest tours, and time windows of one instance. */
#ifndef COMBGPU_EXAMPLES_CONDITIONS_H
#define COMBGPU_EXAMPLES_CONDITIONS_H

#include "combgpu_points.h"
#include "combgpu_weights.h"

/* The file and line that a pair of cities is in, for messages; NULL if it was typed. */
static struct {
    const char *path;
    int line;
} pair_file;

/* The option for messages, with file and line. The text is valid until the next call. */
static const char *pair_place(int id)
{
    static char place[300];
    if (!pair_file.path) return option_name(id);
    snprintf(place, sizeof place, "%s @%.200s, line %d:", option_name(id), pair_file.path,
             pair_file.line);
    return place;
}

/* Returns "; did you mean ...?" with the name of a point; "" if none is near. */
static const char *point_meant(const char *text)
{
    const char **names = (const char **)malloc((size_t)points.count * sizeof *names);
    const char *meant;
    int i;
    for (i = 0; names && i < points.count; i++)
        names[i] = points.name[i];
    meant = names ? did_you_mean(text, "", names, points.count) : "";
    free(names);
    return meant;
}

/* A city, from 0, by its number from 1 or its name. */
static int city_named(int id, const char *text, int n)
{
    uint64_t number;
    int i, found = -1;
    if (parse_u64(text, &number) && number >= 1 && number <= (uint64_t)n) return (int)number - 1;
    for (i = 0; i < points.count; i++) {
        if (strcmp(points.name[i], text)) continue;
        if (found >= 0)
            usage("%s %s\"%.60s\", the name of cities %d and %d; give a number", pair_place(id),
                  pair_file.path ? "" : "is ", text, found + 1, i + 1);
        found = i;
    }
    if (found >= 0) return found;
    if (points.count)
        usage("%s %s\"%.60s\"; it may be a number from 1 to %d or a name%s", pair_place(id),
              pair_file.path ? "" : "is ", text, n, point_meant(text));
    usage("%s %s\"%.60s\"; it may be a whole number from 1 to %d", pair_place(id),
          pair_file.path ? "" : "is ", text, n);
}

/* --start, --end: 0 if it is not given. */
static int city_of(int id, int n)
{
    return text_of(id) ? city_named(id, text_of(id), n) : 0;
}

static combgpu_tsp_ends ends_given(void)
{
    return (combgpu_tsp_ends)((text_of(OPTION_START) ? COMBGPU_TSP_FIXED_START : 0) |
                              (text_of(OPTION_END) ? COMBGPU_TSP_FIXED_END : 0));
}

/* Says so with the cities as typed. */
static void check_ends(combgpu_tsp_ends ends, int start, int end, int n)
{
    if (ends == COMBGPU_TSP_FIXED_ENDS && start == end && n > 1)
        usage("--start and --end are both %s; a path of %d cities has two ends",
              text_of(OPTION_START), n);
}

/* Nonzero if a path begins and ends where --start and --end say; else `why` says what is wrong. */
static int ends_kept(combgpu_tsp_ends ends, int start, int end, const int *tour, int n, char *why,
                     size_t size)
{
    if (ends & COMBGPU_TSP_FIXED_START && tour[0] != start)
        snprintf(why, size, "it begins at city %d; --start is %d", tour[0] + 1, start + 1);
    else if (ends & COMBGPU_TSP_FIXED_END && tour[n - 1] != end)
        snprintf(why, size, "it ends at city %d; --end is %d", tour[n - 1] + 1, end + 1);
    else
        return 1;
    return 0;
}

/* Copies a text without blanks around it. Returns 0 if it does not fit. */
static int copy_trimmed(const char *text, size_t length, char *to, size_t size)
{
    while (length && strchr(" \t", *text))
        text++, length--;
    while (length && strchr(" \t", text[length - 1]))
        length--;
    if (length >= size) return 0;
    memcpy(to, text, length);
    to[length] = 0;
    return 1;
}

/* Adds "A,B", a value of the option, to pairs of cities. */
static void add_pair(int id, const char *text, int n, int **pairs, int *count)
{
    const char *comma = strchr(text, ',');
    char first[100], second[100];
    int *more = (int *)realloc(*pairs, 2 * (size_t)(*count + 1) * sizeof **pairs);
    if (!comma || !copy_trimmed(text, (size_t)(comma - text), first, sizeof first) ||
        !copy_trimmed(comma + 1, strlen(comma + 1), second, sizeof second)) {
        if (pair_file.path) usage("%s \"%.60s\" is no pair A,B", pair_place(id), text);
        wrong_value(id, text, options[id].may_be);
    }
    if (!more) usage("%s: out of memory", option_name(id));
    *pairs = more;
    more[2 * *count] = city_named(id, first, n);
    more[2 * *count + 1] = city_named(id, second, n);
    ++*count;
}

/* Ends a line of a file, which may be that of a carriage return alone, with a NUL; returns where the next one
   begins. */
static char *next_line(char *line)
{
    size_t length = strcspn(line, "\r\n");
    char *next = line + length + (line[length] != 0);
    if (line[length] == '\r' && *next == '\n') next++;
    line[length] = 0;
    return next;
}

/* Adds the pairs of an option to those of an instance. */
static combgpu_status take_pairs(combgpu_context *ctx, combgpu_tsp_instance *instance, int id)
{
    int before = id == OPTION_BEFORE, at = 0, *pairs = NULL;
    int count = before ? instance->before_count : instance->fixed_count;
    const char *text;
    combgpu_status status;
    if (!given(id)) return COMBGPU_OK;
    if (count) {
        pairs = (int *)malloc(2 * (size_t)count * sizeof *pairs);
        if (!pairs) usage("%s: out of memory", option_name(id));
        memcpy(pairs, before ? instance->before : instance->fixed,
               2 * (size_t)count * sizeof *pairs);
    }
    while ((text = option_each(id, &at)) != NULL) {
        char *file, *line, *rest;
        if (*text != '@') {
            add_pair(id, text, instance->n, &pairs, &count);
            continue;
        }
        file = read_file(option_name(id), text + 1, NULL);
        pair_file.path = text + 1;
        pair_file.line = 0;
        for (line = file; *line; line = rest) {
            rest = next_line(line);
            pair_file.line++;
            line += strspn(line, " \t");
            if (*line && *line != '#') add_pair(id, line, instance->n, &pairs, &count);
        }
        pair_file.path = NULL;
        free(file);
    }
    status = before ? combgpu_tsp_set_before(ctx, instance, count, pairs)
                    : combgpu_tsp_set_fixed(ctx, instance, count, pairs);
    free(pairs);
    return status;
}

/* ---- --count-optimal, --shortest */

static void print_tours(const combgpu_tsp_instance *instance, const combgpu_tsp_tours_desc *desc,
                        const combgpu_tsp_tours_result *result)
{
    FILE *to = summary();
    const int n = instance->n;
    int k, i;
    if (json_wanted()) {
        json_string("name", instance->name);
        json_u64("n", (uint64_t)n);
        json_what();
        json_string("shape", desc->shape == COMBGPU_TSP_PATH ? "path" : "cycle");
        if (result->optima) json_double("length", own_length(result->length));
        json_u64("optima", result->optima);
        if (result->tolerance > 0) json_double("tolerance", result->tolerance);
        json_open("tours", '[');
        for (k = 0; k < result->count; k++) {
            json_open(NULL, '{');
            json_double("length", own_length(desc->lengths[k]));
            json_open("tour", '[');
            for (i = 0; i < n; i++)
                json_i64(NULL, desc->tours[k * n + i] + 1);
            json_close();
            json_close();
        }
        json_close();
        json_run(&result->run);
        return;
    }
    fprintf(to, "%s, ", instance->name);
    print_what(to, instance);
    if (!result->optima)
        fprintf(to, ": %s\n", no_tour(result->run.status == COMBGPU_OK));
    else
        fprintf(to, ": %llu %s %s%s of length %.15g\n", (unsigned long long)result->optima,
                best_word(), desc->shape == COMBGPU_TSP_PATH ? "path" : "tour",
                result->optima == 1 ? "" : "s", own_length(result->length));
    for (k = 0; k < result->count; k++) {
        fprintf(to, "%8.15g  ", own_length(desc->lengths[k]));
        for (i = 0; i < n; i++)
            fprintf(to, " %d", desc->tours[k * n + i] + 1);
        fprintf(to, "\n");
    }
    print_run(to, &result->run);
}

/* Lists and counts the shortest tours of the instance in `like`, instead of searching for one. */
static int tsp_tours(combgpu_context *ctx, const combgpu_tsp_desc *like)
{
    const int most = (int)number_of(OPTION_SHORTEST, 0), n = like->instance->n;
    combgpu_tsp_tours_desc desc;
    static combgpu_tsp_tours_result result;
    combgpu_job *job = NULL;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.instance = like->instance;
    desc.shape = like->shape;
    desc.path_ends = like->path_ends;
    desc.path_start = like->path_start;
    desc.path_end = like->path_end;
    desc.count = most;
    desc.lengths = (double *)malloc((size_t)(most + 1) * sizeof *desc.lengths);
    desc.tours = (uint8_t *)malloc((size_t)(most + 1) * (size_t)n);
    desc.run = run.desc;
    if (!desc.lengths || !desc.tours) usage("--shortest: out of memory");
    if (given(OPTION_FORECAST)) {
        status = combgpu_tsp_tours_begin(ctx, &desc, &job);
        free(desc.lengths);
        free(desc.tours);
        return forecast(ctx, status, job);
    }
    status = ended(ctx, combgpu_tsp_tours(ctx, &desc, &result), &result.run);
    if (status >= 0) {
        terminal_clear();
        print_tours(like->instance, &desc, &result);
    }
    free(desc.lengths);
    free(desc.tours);
    return status < 0 ? failed(ctx, status) : finish(ctx, &result.run);
}

/* ---- --windows */

/* A number of a line of --windows; only a due time (number 1) may be infinite. */
static double window_time(const char *text, char **end, int number, int line)
{
    static const char *const names[] = {"ready", "due", "service"};
    double value = strtod(text, end);
    if (*end != text && !(value >= 0 && (value <= 1e300 || number == 1)))
        usage("--windows %.200s, line %d: %s is %g; it may be 0 to 1e300%s",
              text_of(OPTION_WINDOWS), line, names[number], value, number == 1 ? ", or inf" : "");
    return value;
}

/* Reads ready, due and perhaps service of n cities into times[3][n]. */
static void read_windows(int n, double *times)
{
    const char *path = text_of(OPTION_WINDOWS);
    char *text = read_file("--windows", path, NULL), *line, *rest;
    int city = 0, number = 0, k;
    for (line = text; *line; line = rest) {
        char *at = line, *end;
        rest = next_line(line);
        number++;
        at += strspn(at, " \t");
        if (!*at || *at == '#' || !strncmp(at, "ready", 5)) continue;
        if (city == n) usage("--windows %.200s: more than %d lines, one a city", path, n);
        for (k = 0; k < 3; k++) {
            double value = window_time(at, &end, k, number);
            if (end == at && k == 2) break; /* without service */
            if (end == at)
                usage("--windows %.200s, line %d: \"%.60s\" is not \"ready,due\" or "
                      "\"ready,due,service\"",
                      path, number, line);
            times[k * n + city] = value;
            at = end + strspn(end, " \t");
            if (*at == ',' || *at == ';') at += 1 + strspn(at + 1, " \t");
        }
        if (*at)
            usage("--windows %.200s, line %d: \"%.60s\" has more than three numbers", path, number,
                  line);
        city++;
    }
    free(text);
    if (city < n) usage("--windows %.200s: %d lines; there are %d cities", path, city, n);
}

static void print_windows(const combgpu_tsp_instance *instance,
                          const combgpu_tsp_windows_result *result)
{
    FILE *to = summary();
    int i;
    if (json_wanted()) {
        json_string("name", instance->name);
        json_u64("n", (uint64_t)instance->n);
        json_what();
        json_string("shape", result->shape == COMBGPU_TSP_PATH ? "path" : "cycle");
        json_bool("feasible", result->feasible);
        if (result->feasible) {
            json_double("length", result->length);
            json_double("end", result->end);
            json_open("tour", '[');
            for (i = 0; i < result->n; i++)
                json_i64(NULL, result->tour[i] + 1);
            json_close();
            json_open("start", '[');
            for (i = 0; i < result->n; i++)
                json_double(NULL, result->start[i]);
            json_close();
        }
        json_run(&result->run);
        return;
    }
    fprintf(to, "%s, ", instance->name);
    print_what(to, instance);
    fprintf(to, ": ");
    if (!result->feasible)
        fprintf(to, result->run.status == COMBGPU_OK ? "no tour keeps the time windows\n"
                                                     : "stopped before a tour was found\n");
    else {
        fprintf(to, "%s of length %.15g, which ends at %.15g, proven optimal\n",
                result->shape == COMBGPU_TSP_PATH ? "path" : "tour", result->length, result->end);
        for (i = 0; i < result->n; i++)
            fprintf(to, "%6d at %.15g\n", result->tour[i] + 1, result->start[i]);
    }
    print_run(to, &result->run);
}

/* Searches the instance in `like` within time windows. */
static int tsp_windows(combgpu_context *ctx, const combgpu_tsp_desc *like)
{
    const int n = like->instance->n;
    combgpu_tsp_windows_desc desc;
    static combgpu_tsp_windows_result result;
    combgpu_job *job = NULL;
    combgpu_status status;
    double *times = NULL;
    memset(&desc, 0, sizeof desc);
    desc.instance = like->instance;
    desc.shape = like->shape;
    desc.path_ends = like->path_ends;
    desc.path_start = like->path_start;
    desc.path_end = like->path_end;
    if (given(OPTION_WINDOWS)) { /* in place of the file's */
        times = (double *)calloc((size_t)n, 3 * sizeof *times);
        if (!times) usage("--windows: out of memory");
        read_windows(n, times);
        desc.ready = times;
        desc.due = times + n;
        desc.service = times + 2 * n;
    }
    desc.earliest_end = given(OPTION_EARLIEST_END);
    desc.run = run.desc;
    if (given(OPTION_FORECAST)) {
        status = combgpu_tsp_windows_begin(ctx, &desc, &job);
        free(times);
        return forecast(ctx, status, job);
    }
    status = ended(ctx, combgpu_tsp_windows(ctx, &desc, &result), &result.run);
    free(times);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    print_windows(like->instance, &result);
    return finish(ctx, &result.run);
}

#endif
