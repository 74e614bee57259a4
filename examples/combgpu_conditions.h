/* combgpu tsp: reads cities by name, precedence and fixed edges, and lists the K shortest tours. */
#ifndef COMBGPU_EXAMPLES_CONDITIONS_H
#define COMBGPU_EXAMPLES_CONDITIONS_H

#include "combgpu_points.h"
#include "combgpu_weights.h"
#include "combgpu_words.h"

/* The file and line of a pair of cities, for messages; path: NULL if typed. */
static struct {
    const char *path;
    int line;
} pair_file;

/* The option for messages, with file and line. The text is valid until the next call. */
static const char *pair_place(int id)
{
    static char place[300];
    if (!pair_file.path) return option_name(id);
    snprintf(place, sizeof place, "%s %s%.200s, line %d:", option_name(id),
             id == OPTION_WINDOWS ? "" : "@", pair_file.path, pair_file.line);
    return place;
}

/* Returns "; did you mean ...?" with the name of a point; "" if none is near. */
static const char *point_meant(const char *text)
{
    const size_t count = points.count > 0 ? (size_t)points.count : 0;
    const char **names = (const char **)malloc((count + 1) * sizeof *names);
    const char *meant;
    size_t i;
    for (i = 0; names && i < count; i++)
        names[i] = points.name[i];
    meant = names ? did_you_mean(text, "", names, (int)count) : "";
    free(names);
    return meant;
}

/* A city, from 0, by its number from 1 or its name. */
static int city_named(int id, const char *text, int n)
{
    uint64_t number;
    int i, found = -1;
    if (parse_u64(text, &number) && number >= 1 && number <= (uint64_t)n) found = (int)number - 1;
    for (i = 0; i < points.count; i++) {
        if (strcmp(points.name[i], text) || i == found) continue;
        if (found >= 0)
            usage(parse_u64(text, &number)
                      ? "%s %s\"%.60s\", the number of city %d and the name of city %d; rename it"
                      : "%s %s\"%.60s\", the name of cities %d and %d; give a number",
                  pair_place(id), pair_file.path ? "" : "is ", text, found + 1, i + 1);
        found = i;
    }
    if (found >= 0) return found;
    if (points.count)
        usage("%s %s\"%.60s\"; it may be a number from 1 to %d or a name%s", pair_place(id),
              pair_file.path ? "" : "is ", text, n, point_meant(text));
    usage("%s %s\"%.60s\"; it may be a whole number from 1 to %d", pair_place(id),
          pair_file.path ? "" : "is ", text, n);
}

/* "city 3 (Lyon)", or "city 3" without a name; valid until the fourth next call. */
static const char *city_label(int city)
{
    static char text[4][100];
    static int next;
    char *to = text[next = (next + 1) % 4];
    snprintf(to, sizeof text[0], "city %d", city + 1);
    if (points.count && strcmp(points.name[city], to + 5))
        snprintf(to, sizeof text[0], "city %d (%s)", city + 1, points.name[city]);
    return to;
}

/* Adds the names of the cities to a message that has their numbers. */
static void name_cities(char *text, size_t size)
{
    char rest[700];
    char *at = points.count ? strstr(text, "city ") : NULL, *end;
    for (; at; at = strstr(end, "city ")) {
        const size_t room = size - (size_t)(at - text);
        const long city = strtol(at + 5, &end, 10);
        const char *label = city >= 1 && city <= points.count ? city_label((int)city - 1) : "";
        if (!*label || strlen(label) + strlen(end) >= room || strlen(end) >= sizeof rest) continue;
        memcpy(rest, end, strlen(end) + 1);
        snprintf(at, room, "%s%s", label, rest);
        end = at + strlen(label);
    }
}

/* --start, --end: 0 if not given. */
static int city_of(int id, int n)
{
    return text_of(id) ? city_named(id, text_of(id), n) : 0;
}

static combgpu_tsp_ends ends_given(void)
{
    return (combgpu_tsp_ends)((text_of(OPTION_START) ? COMBGPU_TSP_FIXED_START : 0) |
                              (text_of(OPTION_END) ? COMBGPU_TSP_FIXED_END : 0));
}

/* Reports equal ends, with the cities as typed. */
static void check_ends(combgpu_tsp_ends ends, int start, int end, int n)
{
    if (ends == COMBGPU_TSP_FIXED_ENDS && start == end && n > 1)
        usage("--start and --end are both %s; a path of %d cities has two ends",
              text_of(OPTION_START), n);
}

/* Nonzero if a path begins at --start and ends at --end; else `why` says what is wrong. */
static int ends_kept(combgpu_tsp_ends ends, int start, int end, const int *tour, int n, char *why,
                     size_t size)
{
    if (ends & COMBGPU_TSP_FIXED_START && tour[0] != start)
        snprintf(why, size, "it begins at %s; --start is %s", city_label(tour[0]),
                 city_label(start));
    else if (ends & COMBGPU_TSP_FIXED_END && tour[n - 1] != end)
        snprintf(why, size, "it ends at %s; --end is %s", city_label(tour[n - 1]), city_label(end));
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
        if (pair_file.path) usage("%s \"%.60s\" is not a pair A,B", pair_place(id), text);
        wrong_value(id, text, options[id].may_be);
    }
    if (!more) usage("%s: out of memory", option_name(id));
    *pairs = more;
    more[2 * *count] = city_named(id, first, n);
    more[2 * *count + 1] = city_named(id, second, n);
    ++*count;
}

/* Ends a line of a file with a NUL; line ends may be lone carriage returns. Returns the next line. */
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

/* The names of a tour's cities, if any. */
static void json_names(const int *tour, int n)
{
    int i;
    if (!points.count) return;
    json_open("route", '[');
    for (i = 0; i < n; i++)
        json_string(NULL, points.name[tour[i]]);
    json_close();
}

/* Prints one of the shortest tours: for people, names instead of numbers. */
static void tell_tour(double length, const int *tour, int n)
{
    int i;
    json_open(NULL, '{');
    tell_double("length", "%8.15g  ", length);
    for (i = 0; i < n; i++)
        if (points.count)
            say("%s%s", i ? " -> " : " ", points.name[tour[i]]);
        else
            say(" %d", tour[i] + 1);
    say("\n");
    json_cities(tour, n);
    json_names(tour, n);
    json_close();
}

static void tell_tours(const combgpu_tsp_instance *instance, const combgpu_tsp_tours_desc *desc,
                       const combgpu_tsp_tours_result *result)
{
    const int n = instance->n;
    int k, i, tour[COMBGPU_TSP_TOURS_DIMENSION];
    json_head(instance);
    say_head(instance);
    json_shape(desc->shape);
    if (!result->optima)
        say(": %s\n", no_tour(result->run.status == COMBGPU_OK));
    else {
        say(": %llu %s %s%s of length ", (unsigned long long)result->optima, best_word(),
            shape_word(desc->shape), result->optima == 1 ? "" : "s");
        tell_double("length", "%.15g\n", own_length(result->length));
    }
    json_u64("optima", result->optima);
    if (result->tolerance > 0) json_double("tolerance", result->tolerance);
    json_open("tours", '[');
    for (k = 0; k < result->count; k++) {
        for (i = 0; i < n; i++)
            tour[i] = desc->tours[k * n + i];
        tell_tour(own_length(desc->lengths[k]), tour, n);
    }
    json_close();
    tell_run(&result->run);
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
        return forecast(ctx, status, &job);
    }
    status = ended(ctx, combgpu_tsp_tours(ctx, &desc, &result), &result.run);
    if (status >= 0) {
        terminal_clear();
        tell_tours(like->instance, &desc, &result);
    }
    free(desc.lengths);
    free(desc.tours);
    return status < 0 ? failed(ctx, status) : finish(ctx, &result.run);
}

#endif
