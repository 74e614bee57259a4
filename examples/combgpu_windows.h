/* combgpu tsp --windows: reads the cities' times from a file and prints the tour within them, or why none
   exists. */
#ifndef COMBGPU_EXAMPLES_WINDOWS_H
#define COMBGPU_EXAMPLES_WINDOWS_H

#include "combgpu_conditions.h"

enum { WINDOW_CELLS = 100 }; /* in a line, at most */
enum { NO_TIME, PLAIN_TIME, CLOCK_TIME };
enum { CITY_CELL, READY_CELL, DUE_CELL, SERVICE_CELL, CELL_KINDS, NUMBER_CELL = CELL_KINDS };

static struct {
    double
        *times; /* ready, due, service of n cities: [3][n]; clock times in seconds from midnight */
    int *lines; /* the line of each city; 0 = none yet */
    int n, count;
    int kind;                   /* PLAIN_TIME or CLOCK_TIME, as in the first line */
    int kind_line;              /* which that is */
    int named;                  /* lines begin with a city, */
    int header;                 /* as this line says, or 0, and */
    int column[CELL_KINDS + 1]; /* the column of each kind of cell; -1 = none */
    int threes;                 /* lines of three plain numbers, no header */
    int cells;                  /* in the fullest line */
    double speed;               /* km/h; 0 = weights are times */
} timetable;

static int customers_from_0; /* the file is in Solomon's form */

/* ---- times */

/* Reads "8:30", "08:30:15" or "8:30 pm" as seconds from midnight; hours from 24 on are the next day. */
static int clock_time(const char *text, double *seconds)
{
    int part[3] = {0, 0, 0}, parts = 0, digits;
    for (;; text++) {
        for (digits = 0; *text >= '0' && *text <= '9' && digits < 3; digits++)
            part[parts] = 10 * part[parts] + (*text++ - '0');
        if (!digits || digits > 2 || (parts && (digits < 2 || part[parts] > 59))) return 0;
        if (++parts == 3 || *text != ':') break;
    }
    text += *text == ' ';
    if (*text && lower_case(text[1]) == 'm' && !text[2] && part[0] >= 1 && part[0] <= 12) {
        const int half = lower_case(*text);
        if (half != 'a' && half != 'p') return 0;
        part[0] = part[0] % 12 + (half == 'p' ? 12 : 0);
        text += 2;
    }
    *seconds = 3600.0 * part[0] + 60 * part[1] + part[2];
    return parts > 1 && !*text;
}

/* Says what a cell is. */
static int time_kind(const char *cell, double *time)
{
    char *end;
    if (clock_time(cell, time)) return CLOCK_TIME;
    *time = strtod(cell, &end);
    return end > cell && !*end ? PLAIN_TIME : NO_TIME;
}

/* A time for people: a clock time if the file has them. Valid until the fourth next call. */
static const char *time_text(double time)
{
    static char text[4][32];
    static int next;
    long long seconds = timetable.kind == CLOCK_TIME && time < 1e15 ? (long long)(time + 0.5) : 0;
    char *to = text[next = (next + 1) % 4];
    if (timetable.kind != CLOCK_TIME)
        snprintf(to, sizeof text[0], "%.15g", time);
    else if (seconds % 60)
        snprintf(to, sizeof text[0], "%02lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60,
                 seconds % 60);
    else
        snprintf(to, sizeof text[0], "%02lld:%02lld", seconds / 3600, seconds / 60 % 60);
    return to;
}

/* The same for programs: minutes. */
static double time_number(double time)
{
    return timetable.kind == CLOCK_TIME ? time / 60 : time;
}

/* ---- the file */

static void wrong_window(int line, const char *format, ...) COMMAND_PRINTF(2, 3) COMMAND_NORETURN;
static void wrong_window(int line, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    usage("--windows %.200s, line %d: %s", text_of(OPTION_WINDOWS), line, text);
}

/* Returns the separator of a line's cells: a tab, a semicolon, a comma, or else a blank. */
static char line_separator(const char *line)
{
    static const char separators[] = "\t;,";
    int i, quoted;
    const char *at;
    for (i = 0; i < 3; i++)
        for (at = line, quoted = 0; *at; at++) {
            quoted ^= *at == '"';
            if (!quoted && *at == separators[i]) return separators[i];
        }
    return ' ';
}

/* Makes one cell of the words before the times. Returns how many cells there are. */
static int join_name(char **cells, int count)
{
    int words = 0, i;
    double time;
    while (words < count && !time_kind(cells[words], &time))
        words++;
    if (words < 2 || words == count) return count;
    for (i = 1; i < words; i++)
        memset(cells[i - 1] + strlen(cells[i - 1]), ' ',
               (size_t)(cells[i] - cells[i - 1]) - strlen(cells[i - 1]));
    memmove(cells + 1, cells + words, (size_t)(count - words) * sizeof *cells);
    return count - words + 1;
}

/* Splits a line into cells in place, strips quotes and blanks, and turns decimal commas into points. Returns
   their number. */
static int split_line(char *line, int number, char **cells)
{
    const char separator = line_separator(line);
    char *at = line + strspn(line, " ");
    int count = 0, more = 1;
    while (more) {
        char *to = at, *comma;
        int quoted = *at == '"';
        if (count == WINDOW_CELLS) wrong_window(number, "more than %d cells", WINDOW_CELLS);
        cells[count++] = at;
        for (at += quoted; *at && (quoted || *at != separator);) {
            if (quoted && *at == '"' && *++at != '"')
                quoted = 0;
            else
                *to++ = *at++;
        }
        if (quoted) wrong_window(number, "a quote does not end");
        more = *at++ == separator;
        while (more && *at == ' ')
            at++;
        if (separator == ' ' && !*at) more = 0;
        while (to > cells[count - 1] && (to[-1] == ' ' || to[-1] == '\t'))
            to--;
        *to = 0;
        comma = strchr(cells[count - 1], ',');
        if (comma && strspn(cells[count - 1], "0123456789,") == strlen(cells[count - 1]) &&
            !strchr(comma + 1, ','))
            *comma = '.';
    }
    while (count > 1 && !*cells[count - 1])
        count--;
    return separator == ' ' ? join_name(cells, count) : count;
}

/* The kind of column of a header's cell, or -1. */
static int header_kind(const char *cell)
{
    static const char *const words[CELL_KINDS + 1] = {
        " name city place customer location stop ",
        " ready ready_time open opens opening from start earliest begin begins after tw_start "
        "window_start ",
        " due due_date due_time close closes closing to until till end ends latest before deadline "
        "tw_end window_end ",
        " service service_time service_duration duration stay ",
        " id no no. nr number node cust_no. "};
    char word[32];
    size_t length = strlen(cell), i;
    int kind;
    if (!length || length + 3 > sizeof word) return -1;
    word[0] = ' ';
    for (i = 0; i < length; i++)
        word[i + 1] = (char)(cell[i] == ' ' || cell[i] == '-' ? '_' : lower_case(cell[i]));
    memcpy(word + length + 1, " ", 2);
    for (kind = 0; kind <= NUMBER_CELL; kind++)
        if (strstr(words[kind], word)) return kind;
    return -1;
}

/* Reads a line without times as a header. */
static void window_header(char *const *cells, int count, int number, const char *line)
{
    int i, kind;
    for (i = 0; i <= NUMBER_CELL; i++)
        timetable.column[i] = -1;
    for (i = 0; i < count; i++) {
        kind = header_kind(cells[i]);
        if (kind >= 0 && timetable.column[kind] < 0) timetable.column[kind] = i;
    }
    if (timetable.column[READY_CELL] < 0 || timetable.column[DUE_CELL] < 0)
        wrong_window(number,
                     "\"%.60s\" is neither \"city,ready,due,service\" (city and service may be "
                     "left out) nor a header with the words ready and due",
                     line);
    if (!points.count || timetable.column[CITY_CELL] < 0) /* no names, or no column of them */
        if (timetable.column[NUMBER_CELL] >= 0)
            timetable.column[CITY_CELL] = timetable.column[NUMBER_CELL];
    timetable.header = number;
    timetable.named = timetable.column[CITY_CELL] >= 0;
}

/* Without a header: finds the columns of this line's city and times. */
static void window_columns(char *const *cells, int count, int number, const char *line)
{
    int kinds[5], i, named;
    double time;
    if (count < 2 || count > 4)
        wrong_window(number, "\"%.60s\" is not \"ready,due\" or \"city,ready,due,service\"%s", line,
                     count > 4 ? "; it has more cells" : "");
    for (i = 0; i < count; i++)
        kinds[i] = time_kind(cells[i], &time);
    named =
        count == 4 || !kinds[0] ||
        (count == 3 && kinds[0] == PLAIN_TIME && kinds[1] == CLOCK_TIME && kinds[2] == CLOCK_TIME);
    if (count - named < 2)
        wrong_window(number, "\"%.60s\" is not \"ready,due\" or \"city,ready,due\"", line);
    if (timetable.count && named != timetable.named)
        wrong_window(number, "\"%.60s\" %s a city, unlike the lines before", line,
                     named ? "has" : "is without");
    timetable.named = named;
    timetable.threes += count == 3 && !named && kinds[0] == PLAIN_TIME;
    timetable.column[CITY_CELL] = named ? 0 : -1;
    timetable.column[READY_CELL] = named;
    timetable.column[DUE_CELL] = named + 1;
    timetable.column[SERVICE_CELL] = count - named > 2 ? named + 2 : -1;
}

/* Takes a time of a city from a cell. */
static void take_time(int what, int city, const char *cell, int number, const char *line)
{
    static const char *const names[] = {"", "ready", "due", "service"};
    double time, *to = timetable.times + (what - 1) * timetable.n + city;
    int kind = time_kind(cell, &time), is_free = kind == PLAIN_TIME && time > 1e300;
    if (!kind)
        wrong_window(number,
                     "\"%.60s\" is not \"ready,due\" or \"ready,due,service\": %s is \"%.20s\"",
                     line, names[what], cell);
    if (!(time >= 0 && (time <= 1e300 || what == DUE_CELL)))
        wrong_window(number, "%s is %g; it may be 0 to 1e300%s", names[what], time,
                     what == DUE_CELL ? ", or inf" : "");
    if (what == SERVICE_CELL ? kind == CLOCK_TIME : !is_free) {
        if (!timetable.kind) timetable.kind_line = number;
        if (!timetable.kind && what < SERVICE_CELL) timetable.kind = kind;
        if (kind != timetable.kind)
            wrong_window(number, "%s is %.20s, but line %d has %s: write all times the same way",
                         names[what], cell, timetable.kind_line,
                         timetable.kind == CLOCK_TIME ? "clock times" : "plain numbers");
    } else if (what == SERVICE_CELL && timetable.kind == CLOCK_TIME)
        time *= 60; /* minutes */
    *to = time;
}

/* Reads a line. `open`: its end is missing, and it may be cut off. */
static void window_line(char *line, int number, int open)
{
    char *cells[WINDOW_CELLS], shown[61];
    double time;
    int count, i, times = 0, city = timetable.count, what;
    snprintf(shown, sizeof shown, "%.60s", line);
    count = split_line(line, number, cells);
    if (count == 1 && !*cells[0]) return; /* ",,", as Excel ends a table */
    if (open && count < timetable.cells)
        wrong_window(number,
                     "\"%.60s\" has no line end and only %d cells of %d: is the file cut off?",
                     shown, count, timetable.cells);
    if (timetable.header && count > timetable.cells)
        wrong_window(number, "\"%.60s\" has %d cells; the header, line %d, has %d", shown, count,
                     timetable.header, timetable.cells);
    if (count > timetable.cells) timetable.cells = count;
    for (i = 0; i < count; i++)
        times += time_kind(cells[i], &time) != NO_TIME;
    if (!times && !timetable.header && !timetable.count) {
        window_header(cells, count, number, shown);
        return;
    }
    if (!timetable.header) window_columns(cells, count, number, shown);
    for (i = count; i < WINDOW_CELLS; i++)
        cells[i] = line + strlen(line); /* empty */
    if (timetable.named) {
        pair_file.path = text_of(OPTION_WINDOWS);
        pair_file.line = number;
        city = city_named(OPTION_WINDOWS, cells[timetable.column[CITY_CELL]], timetable.n);
        pair_file.path = NULL;
    } else if (city >= timetable.n)
        usage("--windows %.200s: more than %d lines, one per city", text_of(OPTION_WINDOWS),
              timetable.n);
    if (timetable.lines[city])
        wrong_window(number, "%s is already in line %d", city_label(city), timetable.lines[city]);
    timetable.lines[city] = number;
    timetable.count++;
    for (what = READY_CELL; what < CELL_KINDS; what++)
        if (timetable.column[what] >= 0 && (what < SERVICE_CELL || *cells[timetable.column[what]]))
            take_time(what, city, cells[timetable.column[what]], number, shown);
}

/* Ends the program if lines of three numbers may begin with the city. */
static void check_threes(void)
{
    int first, i, counted;
    for (first = 0; first < 2; first++) {
        char *seen = (char *)calloc((size_t)timetable.n, 1);
        if (!seen) usage("--windows: out of memory");
        for (i = counted = 0; i < timetable.n; i++) {
            double number = timetable.times[i] - first;
            if (number >= 0 && number < timetable.n && number == (int)number &&
                !seen[(int)number]++)
                counted++;
        }
        free(seen);
        if (counted == timetable.n && timetable.threes == timetable.n && timetable.n > 1)
            usage("--windows %.200s: the first numbers of the lines may be the cities' or ready "
                  "times; begin the file with a line \"city,ready,due\" or \"ready,due,service\"",
                  text_of(OPTION_WINDOWS));
    }
}

/* Ends the program if a city is missing, or due before it is ready. */
static void check_windows(void)
{
    const char *path = text_of(OPTION_WINDOWS);
    int city;
    if (!timetable.named && timetable.count < timetable.n)
        usage("--windows %.200s: %d lines; there are %d cities", path, timetable.count,
              timetable.n);
    for (city = 0; city < timetable.n; city++)
        if (!timetable.lines[city])
            usage("--windows %.200s has no line for %s; without limits it is \"0,inf\"", path,
                  city_label(city));
    check_threes();
    for (city = 0; city < timetable.n; city++)
        if (timetable.times[timetable.n + city] < timetable.times[city])
            wrong_window(timetable.lines[city], "%s is due at %s, before it is ready at %s%s",
                         city_label(city), time_text(timetable.times[timetable.n + city]),
                         time_text(timetable.times[city]),
                         timetable.kind == CLOCK_TIME ? "; after midnight, count on: 25:30" : "");
}

/* Reads the file. */
static void read_windows(int n)
{
    char *text = read_file("--windows", text_of(OPTION_WINDOWS), NULL), *line, *rest;
    const char *end = text + strlen(text);
    const int ended = end > text && strchr("\r\n", end[-1]) != NULL;
    int number = 0;
    timetable.n = n;
    timetable.times = (double *)calloc((size_t)n, 3 * sizeof *timetable.times);
    timetable.lines = (int *)calloc((size_t)n, sizeof *timetable.lines);
    if (!timetable.times || !timetable.lines) usage("--windows: out of memory");
    for (line = text; *line; line = rest) {
        rest = next_line(line);
        number++;
        line += strspn(line, " \t");
        if (*line && *line != '#') window_line(line, number, rest == end && !ended);
    }
    free(text);
    check_windows();
}

/* ---- units */

static int in_kilometres(const combgpu_tsp_instance *instance)
{
    return instance->metric == COMBGPU_TSP_EARTH || instance->metric == COMBGPU_TSP_GEO;
}

/* Sets *timed to the instance with weights in the unit of the times. The caller frees timed->weights if they are
   new. */
static const combgpu_tsp_instance *timed_instance(const combgpu_tsp_instance *instance,
                                                  combgpu_tsp_instance *timed)
{
    const int in_seconds = points.service && points.durations;
    const double seconds = timetable.kind == CLOCK_TIME && !in_seconds ? 60 : 1;
    const int n = instance->n;
    int i, j;
    *timed = *instance;
    timetable.speed = decimal_of(OPTION_SPEED, 0);
    if (timetable.kind == CLOCK_TIME && !given(OPTION_SPEED) && in_kilometres(instance))
        usage(
            "--windows %.200s has clock times, and the distances are kilometres: add --speed KM/H",
            text_of(OPTION_WINDOWS));
    if (timetable.kind == CLOCK_TIME && points.service && !in_seconds)
        usage(
            "--windows %.200s has clock times, and the table has distances: add --metric durations",
            text_of(OPTION_WINDOWS));
    if (given(OPTION_SPEED) && points.service)
        usage("--speed is for kilometres; %.200s %s", cmd.argument,
              in_seconds ? "has durations" : "may have durations: add --metric durations");
    timed->weights = NULL;
    if ((seconds == 1 && !given(OPTION_SPEED)) || n > COMBGPU_TSP_WINDOWS_DIMENSION)
        return instance;
    timed->metric = COMBGPU_TSP_MATRIX;
    timed->weights = (double *)calloc((size_t)n * (size_t)n, sizeof *timed->weights);
    if (!timed->weights) usage("--windows: out of memory");
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double weight = combgpu_tsp_weight(instance, i, j) * seconds;
            timed->weights[i * n + j] =
                timetable.speed > 0 ? weight * 60 / timetable.speed : weight;
        }
    return timed;
}

/* Prints what the weights are, and the unit of the times. */
static void say_units(const combgpu_tsp_instance *instance)
{
    if (timetable.speed > 0)
        say("weights: km, at %g km/h; times: %s\n", timetable.speed,
            timetable.kind == CLOCK_TIME ? "hours and minutes" : "minutes");
    else if (timetable.kind == CLOCK_TIME)
        say("weights: %s; times: hours and minutes\n", points.service ? "seconds" : "minutes");
    else if (in_kilometres(instance))
        say("weights: km, each taken as one unit of time; with --speed KM/H times are "
            "minutes\n");
    else if (instance->x && !given(OPTION_WINDOWS))
        say("weights: distances, %s\n", instance->metric == COMBGPU_TSP_PLANE ? "not rounded"
                                        : instance->metric == COMBGPU_TSP_MATRIX
                                            ? "truncated to whole numbers"
                                            : "rounded as EDGE_WEIGHT_TYPE says");
    if (customers_from_0) say("city 1 is customer 0, the depot, city 2 is customer 1 ...\n");
}

/* ---- output */

/* "city 3 is due at 08:30, but is reached at 09:10 at the earliest". */
static void late_text(char *text, size_t size, const combgpu_tsp_late *late,
                      const combgpu_tsp_windows_desc *desc, const char *must)
{
    const int cycle = desc->shape == COMBGPU_TSP_CYCLE;
    const double due = desc->due ? desc->due[late->city] : desc->instance->due[late->city];
    const int back = cycle && late->city == desc->instance->depot && late->after >= 0;
    const double up = timetable.kind == CLOCK_TIME ? 0.499999 : 0; /* to the next second */
    char after[140] = "", limit[80] = "";
    if (late->after >= 0)
        snprintf(after, sizeof after, " after %s%s", city_label(late->after), back ? "" : must);
    if (due <= 1e300)
        snprintf(limit, sizeof limit, " is due%s at %s, but", back ? " back" : "", time_text(due));
    if (late->earliest > 1e300)
        snprintf(text, size, "%s%s cannot be reached%s in time", city_label(late->city), limit,
                 after);
    else
        snprintf(text, size, "%s%s is reached%s%s at %s at the earliest", city_label(late->city),
                 limit, after,
                 late->after < 0 && cycle && late->city != desc->instance->depot ? " from the depot"
                                                                                 : "",
                 time_text(late->earliest + up));
}

/* Says why no tour exists. */
static void no_tour_text(char *text, size_t size, const combgpu_tsp_windows_desc *desc,
                         const combgpu_tsp_windows_result *result)
{
    char first[400], second[400];
    if (result->run.status != COMBGPU_OK)
        snprintf(text, size, "stopped before a tour was found");
    else if (!result->late_count)
        snprintf(text, size, "no tour meets all windows (proven)");
    else if (result->late_count == 1) {
        late_text(first, sizeof first, &result->late[0], desc, ", which comes before,");
        snprintf(text, size, "no tour (proven): %s", first);
    } else {
        late_text(first, sizeof first, &result->late[0], desc, "");
        late_text(second, sizeof second, &result->late[1], desc, "");
        snprintf(text, size, "no tour (proven): neither order of two cities works: %s; %s", first,
                 second);
    }
}

/* Finds out why no tour exists. */
static void tell_no_tour(const combgpu_tsp_windows_desc *desc,
                         const combgpu_tsp_windows_result *result)
{
    char why[900];
    int i;
    no_tour_text(why, sizeof why, desc, result);
    tell_string("reason", ": %s\n", why);
    json_open("late", '[');
    for (i = 0; i < result->late_count; i++) {
        const combgpu_tsp_late *late = &result->late[i];
        json_open(NULL, '{');
        json_i64("city", late->city + 1);
        if (late->after >= 0) json_i64("after", late->after + 1);
        if (late->earliest <= 1e300) json_double("earliest", time_number(late->earliest));
        json_close();
    }
    json_close();
}

/* The tour, and when each city's service starts. */
static void tell_timed_tour(const combgpu_tsp_windows_result *result)
{
    const int clock = timetable.kind == CLOCK_TIME;
    int i;
    say(": %s", shape_word(result->shape));
    tell_double("length", " of length %.15g", result->length);
    json_double("end", time_number(result->end));
    say(", which ends at %s, proven optimal\n", time_text(result->end));
    for (i = 0; i < result->n; i++)
        say("%6d at %s%s%s\n", result->tour[i] + 1, time_text(result->start[i]),
            points.count ? "  " : "", points.count ? points.name[result->tour[i]] : "");
    json_cities(result->tour, result->n);
    json_names(result->tour, result->n);
    json_open("start", '[');
    for (i = 0; i < result->n; i++)
        json_double(NULL, time_number(result->start[i]));
    json_close();
    if (clock) json_string("end_clock", time_text(result->end));
    if (clock) json_open("start_clock", '[');
    for (i = 0; clock && i < result->n; i++)
        json_string(NULL, time_text(result->start[i]));
    if (clock) json_close();
}

static void tell_windows(const combgpu_tsp_instance *instance, const combgpu_tsp_windows_desc *desc,
                         const combgpu_tsp_windows_result *result)
{
    json_head(instance);
    say_head(instance);
    json_shape(result->shape);
    json_bool("feasible", result->feasible);
    if (timetable.kind == CLOCK_TIME || timetable.speed > 0) json_string("time_unit", "minutes");
    if (result->feasible)
        tell_timed_tour(result);
    else
        tell_no_tour(desc, result);
    say_units(instance);
    if (timetable.kind == CLOCK_TIME && result->end >= 86400)
        say("24:00 and later: the next day\n");
    tell_run(&result->run);
}

/* ---- the search */

/* Searches the instance in `like` within time windows. */
static int tsp_windows(combgpu_context *ctx, const combgpu_tsp_desc *like)
{
    const combgpu_tsp_instance *instance = like->instance;
    const int n = instance->n;
    static combgpu_tsp_instance timed; /* like tsp_solve's */
    combgpu_tsp_windows_desc desc;
    static combgpu_tsp_windows_result result;
    combgpu_job *job = NULL;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.instance = instance;
    desc.shape = like->shape;
    desc.path_ends = like->path_ends;
    desc.path_start = like->path_start;
    desc.path_end = like->path_end;
    if (given(OPTION_WINDOWS)) { /* in place of the file's */
        read_windows(n);
        desc.instance = timed_instance(instance, &timed);
        desc.ready = timetable.times;
        desc.due = timetable.times + n;
        desc.service = timetable.times + 2 * n;
    }
    desc.earliest_end = given(OPTION_EARLIEST_END);
    desc.run = run.desc;
    if (given(OPTION_FORECAST))
        return forecast(ctx, combgpu_tsp_windows_begin(ctx, &desc, &job), &job);
    status = ended(ctx, combgpu_tsp_windows(ctx, &desc, &result), &result.run);
    if (status >= 0 && timed.weights && result.feasible) /* in the given weights */
        combgpu_tsp_length(ctx, instance, result.shape, result.tour, &result.length);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    tell_windows(instance, &desc, &result);
    free(timed.weights);
    free(timetable.times);
    free(timetable.lines);
    return finish(ctx, &result.run);
}

#endif
