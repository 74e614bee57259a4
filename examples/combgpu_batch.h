/* combgpu tsp --batch: solves many instances side by side, of random points or from a file. */
#ifndef COMBGPU_EXAMPLES_BATCH_H
#define COMBGPU_EXAMPLES_BATCH_H

#include "combgpu_conditions.h"
#include "combgpu_list.h"
#include "combgpu_points.h"

/* A random point, coordinates 0 .. 999; the generator is splitmix64 (S. Vigna). */
static void random_point(uint64_t *seed, double *x, double *y)
{
    int i;
    for (i = 0; i < 2; i++) {
        uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        *(i ? y : x) = (double)((z ^ (z >> 31)) % 1000);
    }
}

/* ---- the points: x of all instances, then y of all */

typedef struct point_list {
    double *xy; /* pairs */
    size_t count, room;
    size_t each;  /* of lines that are an instance: how many points each has */
    int on_earth; /* so a header says */
} point_list;

static void point_list_add(point_list *pairs, double x, double y)
{
    if (pairs->count == pairs->room) {
        pairs->room = pairs->room ? 2 * pairs->room : 4096;
        pairs->xy = (double *)realloc(pairs->xy, 2 * pairs->room * sizeof *pairs->xy);
        if (!pairs->xy) usage("%.200s: out of memory", cmd.argument);
    }
    pairs->xy[2 * pairs->count] = x;
    pairs->xy[2 * pairs->count++ + 1] = y;
}

/* Ends the program: the line at `at` is wrong. */
static void no_pair(const char *at, int line, const char *wanted) COMMAND_NORETURN;
static void no_pair(const char *at, int line, const char *wanted)
{
    usage("%.200s, line %d: \"%.*s\" is not %s", cmd.argument, line,
          (int)(strcspn(at, "\n") > 40 ? 40 : strcspn(at, "\n")), at, wanted);
}

/* A line "x y x y ... output 1 3 2 1" of training data for neural networks is an instance. */
static void read_training_line(point_list *pairs, const char *at, const char *output, int line)
{
    static const char wanted[] = "\"x y x y ... output\", with as many numbers in each line";
    const char *begin = at;
    size_t before = pairs->count;
    while (at < output) {
        char *stop, *after;
        double x = decimal(at, &stop), y = decimal(stop, &after);
        if (stop == at || after == stop || after > output) no_pair(begin, line, wanted);
        point_list_add(pairs, x, y);
        at = after + strspn(after, " \t,;");
    }
    if (!pairs->each) pairs->each = pairs->count;
    if (before % pairs->each || pairs->count - before != pairs->each) no_pair(begin, line, wanted);
}

/* Reads a line "x y", separated by blanks, commas or semicolons. */
static void read_pair(point_list *pairs, const char *at, const char *end, int line)
{
    char *stop;
    double x = decimal(at, &stop), y;
    const char *after = stop + strspn(stop, " \t,;");
    y = after > stop && stop > at ? decimal(after, &stop) : 0;
    if (stop <= after || stop > end || stop + strspn(stop, " \t\r,;") < end)
        no_pair(at, line, "\"x y\"");
    point_list_add(pairs, x, y);
}

/* Reads a line in columns. */
static void read_row(point_list *pairs, const char *at, const column_set *c, char separator,
                     int line)
{
    size_t count;
    const table_cell *row;
    int swap = c->plane && metric_given() == METRIC_EARTH;
    grid_clear(&sheet);
    grid_line(&sheet, at, separator, line);
    grid_not_wrong(&sheet, 1, cmd.argument);
    row = grid_row(&sheet, 0, &count);
    if (c->x >= (int)count || c->y >= (int)count || row[c->x].value >= NO_NUMBER ||
        row[c->y].value >= NO_NUMBER)
        no_pair(at, line, "a row with both coordinates");
    point_list_add(pairs, row[swap ? c->y : c->x].value, row[swap ? c->x : c->y].value);
}

/* Reads lines of points: pairs, columns named by a header, or training data. Skips blank lines and those
   with #. */
static void read_batch_lines(point_list *pairs, const char *text)
{
    column_set c;
    char separator = 0;
    int line = 1, header_line = 1;
    const char *header;
    sheet.text = text;
    header = find_header(text, &header_line, &separator, "\t;|, ");
    if (header) {
        size_t count;
        const table_cell *row;
        grid_clear(&sheet);
        text = grid_line(&sheet, header, separator, header_line);
        row = grid_row(&sheet, 0, &count);
        find_columns(&c, row, count, 0);
        if (c.twice >= 0)
            usage("%.200s, line %d: several columns may be the same coordinate", cmd.argument,
                  header_line);
        pairs->on_earth = !c.plane;
        line = header_line + 1;
    }
    for (; *text; line++) {
        const char *end = text + strcspn(text, "\n"), *at = text + strspn(text, " \t\r,;|");
        const char *output = strstr(at, "output");
        if (at < end && *at != '#') {
            if (header)
                read_row(pairs, text, &c, separator, line);
            else if (output && output < end)
                read_training_line(pairs, at, output, line);
            else
                read_pair(pairs, at, end, line);
        }
        text = end + (*end == '\n');
    }
}

/* A .npy array of numbers of the shape (count, n, 2). */
static void read_npy_pairs(point_list *pairs, const char *text, size_t bytes, uint64_t count)
{
    npy a;
    size_t i;
    npy_begin(&a, text, bytes, cmd.argument);
    if (a.axes != 3 || a.shape[2] != 2 || a.by_columns)
        usage("%.200s: the .npy array must have the shape (K, n, 2), in C order", cmd.argument);
    if (a.shape[0] != count)
        usage("%.200s holds %llu instances; --batch is %llu", cmd.argument,
              (unsigned long long)a.shape[0], (unsigned long long)count);
    for (i = 0; i < a.shape[0] * a.shape[1]; i++) {
        double x = npy_at(&a, 2 * i), y = npy_at(&a, 2 * i + 1);
        point_list_add(pairs, x, y);
    }
}

/* Reads the file's points; sets n. */
static void read_batch(combgpu_tsp_batch_desc *desc, point_list *pairs)
{
    size_t bytes = 0;
    char *text = read_file("", cmd.argument, &bytes);
    if (bytes >= 6 && !memcmp(text, "\x93NUMPY", 6))
        read_npy_pairs(pairs, text, bytes, desc->count);
    else {
        check_is_text(text, bytes, cmd.argument);
        if (strchr("{[<", text[strspn(text, " \t\r\n")]) && text[strspn(text, " \t\r\n")])
            usage("%.200s: --batch reads lines of numbers, CSV and .npy", cmd.argument);
        read_batch_lines(pairs, text);
    }
    free(text);
    grid_free(&sheet);
    if (pairs->each && pairs->count / pairs->each != desc->count)
        usage("%.200s has %llu lines, one per instance; --batch is %llu", cmd.argument,
              (unsigned long long)(pairs->count / pairs->each), (unsigned long long)desc->count);
    if (!pairs->count || pairs->count % desc->count ||
        pairs->count / desc->count > COMBGPU_TSP_BATCH_DIMENSION)
        usage("%.200s has %llu points; --batch %llu divides them into equal parts of at most %d",
              cmd.argument, (unsigned long long)pairs->count, (unsigned long long)desc->count,
              COMBGPU_TSP_BATCH_DIMENSION);
    desc->n = (int)(pairs->count / desc->count);
}

static combgpu_tsp_metric batch_metric(int on_earth)
{
    if (matrix_wanted())
        usage("--batch cannot be combined with --metric %s", text_of(OPTION_METRIC));
    if (given(OPTION_RANDOM) && !points_wanted()) return COMBGPU_TSP_EUC_2D;
    points.plane = !on_earth;
    return points_metric();
}

/* Fills in count, n, metric, x and y. The caller frees desc->x. */
static void batch_points(combgpu_tsp_batch_desc *desc)
{
    point_list pairs = {NULL, 0, 0, 0, 0};
    uint64_t seed = number_of(OPTION_SEED, 1);
    size_t all, i;
    double *x;
    desc->count = number_of(OPTION_BATCH, 1);
    if (given(OPTION_RANDOM))
        desc->n = (int)number_of(OPTION_RANDOM, 1);
    else
        read_batch(desc, &pairs);
    if (desc->count > SIZE_MAX / 16 / sizeof(double) / (size_t)desc->n)
        usage("--batch is too large");
    all = (size_t)desc->count * (size_t)desc->n;
    x = (double *)malloc(2 * all * sizeof *x);
    if (!x) usage("--batch %s: out of memory", text_of(OPTION_BATCH));
    for (i = 0; i < all; i++)
        if (pairs.xy) {
            x[i] = pairs.xy[2 * i];
            x[all + i] = pairs.xy[2 * i + 1];
        } else
            random_point(&seed, x + i, x + all + i); /* the first instance is that of --seed */
    free(pairs.xy);
    desc->metric = batch_metric(pairs.on_earth);
    if (!given(OPTION_RANDOM)) {
        char count[60];
        snprintf(count, sizeof count, "%llu x %d", (unsigned long long)desc->count, desc->n);
        points_text(points.what, sizeof points.what, count, 0, desc->metric);
    }
    desc->x = x;
    desc->y = x + all;
}

#define NO_CITY 255 /* in an unknown tour */

/* ---- output */

/* Prints the lengths of the first three, and the tours that are known. */
static void say_some(const combgpu_tsp_batch_desc *desc)
{
    const size_t n = (size_t)desc->n;
    size_t i, k;
    for (i = 0; i < (size_t)desc->count && i < 3; i++) {
        if (desc->lengths[i] >= 0)
            say("    %-8.15g", desc->lengths[i]);
        else
            say("    unknown ");
        for (k = 0; desc->tours[i * n] != NO_CITY && k < n; k++)
            say(" %d", desc->tours[i * n + k] + 1);
        say("\n");
    }
    if (desc->count > 3) say("    ...\n");
}

static void tell_batch(const combgpu_tsp_batch_desc *desc, const combgpu_tsp_batch_result *result)
{
    double sum = 0, bounds = 0;
    size_t i;
    uint64_t known = result->solved + result->bounded, here = 0; /* here: read, or of this run */
    for (i = 0; i < (size_t)desc->count; i++)
        if (desc->lengths[i] >= 0) {
            here++;
            sum += desc->lengths[i];
            bounds += desc->lower_bounds[i];
        }
    json_u64("n", (uint64_t)desc->n);
    json_u64("count", desc->count);
    say("%llu of %llu instances of %d cities solved, proven", (unsigned long long)result->solved,
        (unsigned long long)desc->count, desc->n);
    if (here) say("; mean length %.3f", sum / (double)here);
    if (here && here < known) say(" of %llu known here", (unsigned long long)here);
    say("\n");
    json_what();
    if (*points.what) say("read as %s\n", points.what);
    json_u64("solved", result->solved);
    json_u64("bounded", result->bounded);
    if (result->bounded)
        say("%llu ended at their limit; gap of all %.3g %%\n", (unsigned long long)result->bounded,
            sum > 0 ? 100 * (1 - bounds / sum) : 0.0);
    json_u64("in_sums", here);
    json_double("sum_of_lengths", sum);
    json_double("sum_of_lower_bounds", bounds);
    if (here && !list_wanted()) say_some(desc);
    tell_run(&result->run);
}

/* Lists all tours, also after Ctrl-C; unknown ones as zeros. */
static void list_batch(const combgpu_tsp_batch_desc *desc)
{
    size_t i, n = (size_t)desc->n;
    int numbers[COMBGPU_TSP_BATCH_DIMENSION], k;
    list_begin("tours", NULL, 1, desc->n, 1);
    for (i = 0; i < (size_t)desc->count && !output_broken(); i++) {
        for (k = 0; k < desc->n; k++)
            numbers[k] =
                desc->tours[i * n + (size_t)k] == NO_CITY ? 0 : desc->tours[i * n + (size_t)k] + 1;
        list_item(NULL, numbers);
    }
    list_end();
}

static void write_lengths(const combgpu_tsp_batch_desc *desc)
{
    static const char *const states[] = {"unknown", "proven", "bounded", "no tour"};
    FILE *to = open_output(OPTION_LENGTHS);
    size_t i;
    fprintf(to, "length,lower_bound,state\n");
    for (i = 0; i < (size_t)desc->count; i++)
        fprintf(to, "%.17g,%.17g,%s\n", desc->lengths[i], desc->lower_bounds[i],
                states[desc->states[i]]);
    close_output(OPTION_LENGTHS, to);
}

/* ---- --check: the lengths of a list's tours, one for each instance in order */

/* Returns the length of the tour in a row, or -1 if it is not one; `why` gets the reason. */
static double batch_length(combgpu_context *ctx, const combgpu_tsp_batch_desc *desc, size_t k,
                           const int *row, size_t cities, char *why, size_t size)
{
    int tour[COMBGPU_TSP_BATCH_DIMENSION], n = desc->n, i;
    combgpu_tsp_instance instance;
    combgpu_status status;
    double length = -1;
    if (cities != (size_t)n) {
        snprintf(why, size, "it has %d cities; the instance has %d", (int)cities, n);
        return -1;
    }
    for (i = 0; i < n; i++)
        tour[i] = from_one(row[i]);
    status = combgpu_tsp_from_coordinates(ctx, n, desc->x + k * (size_t)n, desc->y + k * (size_t)n,
                                          desc->metric, &instance);
    if (!status) status = combgpu_tsp_length(ctx, &instance, desc->shape, tour, &length);
    if (status) translate(combgpu_message(ctx), why, size);
    combgpu_tsp_free(ctx, &instance);
    if (status || !ends_kept(desc->path_ends, desc->path_start, desc->path_end, tour, n, why, size))
        return -1;
    return length;
}

static int check_batch(combgpu_context *ctx, const combgpu_tsp_batch_desc *desc)
{
    const char *path = text_of(OPTION_CHECK);
    size_t bytes, r, good = 0;
    char *text = read_file("--check", path, &bytes), why[300] = "";
    double sum = 0;
    table t;
    int end;
    read_table(&t, text, bytes, OPTION_CHECK, (size_t)desc->n);
    free(text);
    if (t.rows != (size_t)desc->count)
        usage("--check %.200s has %llu tours; --batch has %llu instances", path,
              (unsigned long long)t.rows, (unsigned long long)desc->count);
    for (r = 0; r < t.rows; r++) {
        const int *row;
        size_t cities = table_get(&t, r, &row);
        double length = batch_length(ctx, desc, r, row, cities, why, sizeof why);
        good += length >= 0;
        sum += length >= 0 ? length : 0;
        if (length < 0) say("instance %llu: not a tour: %s\n", (unsigned long long)r + 1, why);
    }
    json_string("status", "ok");
    json_u64("count", t.rows);
    json_u64("tours", good);
    json_double("sum_of_lengths", sum);
    say("%llu of %llu are tours; mean length %.3f\n", (unsigned long long)good,
        (unsigned long long)t.rows, good ? sum / (double)good : 0.0);
    end = good != t.rows;
    table_free(&t);
    return finish(ctx, NULL) ? EXIT_USAGE : end;
}

/* ---- --resume: writes again what the run before wrote */

/* Reads the file of --lengths that an earlier run wrote, if there is one. */
static void read_earlier_lengths(combgpu_tsp_batch_desc *desc)
{
    const char *path = text_of(OPTION_LENGTHS), *names = "upbn";
    char *text, *at, *end;
    size_t i;
    if (!path || !strcmp(path, "-") || !file_exists(path)) return;
    text = read_file("--lengths", path, NULL);
    at = text + strcspn(text, "\n");
    for (i = 0; *text && i < (size_t)desc->count; i++) {
        const char *name = NULL;
        double length = strtod(at, &end), bound = *end == ',' ? strtod(end + 1, &end) : 0;
        if (end != at && *end == ',' && end[1]) name = strchr(names, end[1]);
        if (!name || (*name != 'u' && !(length >= bound && bound >= 0)))
            usage(
                "--lengths %.200s, line %d: not what an earlier run wrote, and --resume continues "
                "it; to solve all again, remove it and the checkpoint",
                path, (int)i + 2);
        desc->states[i] = (uint8_t)(name - names);
        desc->lengths[i] = *name == 'u' ? -1 : length;
        desc->lower_bounds[i] = *name == 'u' ? -1 : bound;
        at = end + strcspn(end, "\n");
    }
    free(text);
}

/* Reads the tours that an earlier run wrote to --output. */
static void read_earlier_tours(combgpu_context *ctx, combgpu_tsp_batch_desc *desc)
{
    const char *path = text_of(OPTION_OUTPUT);
    size_t bytes, r, k, n = (size_t)desc->n;
    char *text, why[300];
    table t;
    if (!path || !strcmp(path, "-") || !file_exists(path)) return;
    text = read_file("--output", path, &bytes);
    if (bytes) read_table(&t, text, bytes, OPTION_OUTPUT, n);
    for (r = 0; bytes && r < (size_t)desc->count; r++) {
        const int *row = NULL;
        size_t cities = r < t.rows ? table_get(&t, r, &row) : 0;
        double length = 0;
        if (cities == n && !row[0]) continue;
        if (cities) length = batch_length(ctx, desc, r, row, cities, why, sizeof why);
        if (!cities || length < 0 || (desc->lengths[r] >= 0 && desc->lengths[r] != length))
            usage("--output %.200s: tour %llu is not of this batch, and --resume continues the "
                  "file; to solve all again, remove it and the checkpoint",
                  path, (unsigned long long)r + 1);
        for (k = 0; k < n; k++)
            desc->tours[r * n + k] = (uint8_t)(row[k] - 1);
    }
    if (bytes) table_free(&t);
    free(text);
}

/* Says that a file lacks instances that earlier runs solved; an error once no run will add them. */
static void note_lack(const char *what, uint64_t lacks, int over)
{
    char text[200];
    if (!lacks) return;
    snprintf(text, sizeof text,
             "%s lacks %s instances that an earlier run solved; to solve all again, remove the "
             "checkpoint",
             what, commas(lacks));
    if (over) {
        snprintf(output_error, sizeof output_error, "%s", text);
        output_wrong();
    } else
        fprintf(stderr, "%s: %s\n", cmd.program, text);
}

static void note_missing(const combgpu_tsp_batch_desc *desc, const combgpu_tsp_batch_result *result)
{
    uint64_t known = result->solved + result->bounded, lengths = 0, tours = 0;
    int over = result->run.status == COMBGPU_OK;
    size_t i;
    for (i = 0; i < (size_t)desc->count; i++) {
        lengths += desc->states[i] != COMBGPU_TSP_UNKNOWN;
        tours += desc->tours[i * (size_t)desc->n] != NO_CITY;
    }
    if (given(OPTION_LENGTHS)) note_lack("--lengths", known > lengths ? known - lengths : 0, over);
    if (list_wanted()) note_lack("the list", known > tours ? known - tours : 0, over);
}

/* ---- the command */

/* Says that a limit per instance is ignored. */
static void note_limits(int n)
{
    int id = given(OPTION_INSTANCE_STEPS) ? OPTION_INSTANCE_STEPS : OPTION_INSTANCE_TIME;
    if (n > 15 || !given(id) || given(OPTION_QUIET)) return;
    fprintf(stderr, "%s: %s is ignored: instances of %d cities (up to 15) need no limit\n",
            cmd.program, option_name(id), n);
}

static void batch_free(combgpu_tsp_batch_desc *desc)
{
    free((void *)desc->x);
    free(desc->lengths);
    free(desc->lower_bounds);
    free(desc->states);
    free(desc->tours);
}

static int tsp_batch(combgpu_tsp_shape shape)
{
    combgpu_tsp_batch_desc desc;
    static combgpu_tsp_batch_result result;
    combgpu_status status;
    combgpu_context *ctx = open_context("tsp, a batch");
    size_t count, i;
    int end;
    if (list_wanted()) list_fits(1);
    memset(&desc, 0, sizeof desc);
    batch_points(&desc);
    desc.shape = shape;
    desc.path_ends = ends_given();
    desc.path_start = city_of(OPTION_START, desc.n);
    desc.path_end = city_of(OPTION_END, desc.n);
    check_ends(desc.path_ends, desc.path_start, desc.path_end, desc.n);
    desc.run = run.desc;
    desc.instance_steps = number_of(OPTION_INSTANCE_STEPS, 0);
    desc.instance_seconds = decimal_of(OPTION_INSTANCE_TIME, 0);
    note_limits(desc.n);
    if (given(OPTION_CHECK)) {
        end = check_batch(ctx, &desc);
        batch_free(&desc);
        return end;
    }
    if (given(OPTION_FORECAST)) {
        combgpu_job *job = NULL;
        status = combgpu_tsp_batch_begin(ctx, &desc, &job);
        end = forecast(ctx, status, &job);
        batch_free(&desc);
        return end;
    }
    count = (size_t)desc.count;
    desc.lengths = (double *)malloc(count * sizeof *desc.lengths);
    desc.lower_bounds = (double *)malloc(count * sizeof *desc.lower_bounds);
    desc.states = (uint8_t *)calloc(count, 1);
    desc.tours = (uint8_t *)malloc(count * (size_t)desc.n);
    if (!desc.lengths || !desc.lower_bounds || !desc.states || !desc.tours)
        usage("--batch %s: out of memory", text_of(OPTION_BATCH));
    for (i = 0; i < count; i++) /* a resumed run sets only its share */
        desc.lengths[i] = desc.lower_bounds[i] = -1;
    memset(desc.tours, NO_CITY, count * (size_t)desc.n);
    desc.run.resume = run.desc.resume &&
                      checkpoint_exists(); /* asked once: another run may write one meanwhile */
    if (desc.run.resume) {
        read_earlier_lengths(&desc);
        read_earlier_tours(ctx, &desc);
    }
    status = ended(ctx, combgpu_tsp_batch(ctx, &desc, &result), &result.run);
    if (status >= 0) {
        terminal_clear();
        if (list_wanted()) list_batch(&desc);
        if (given(OPTION_LENGTHS)) write_lengths(&desc);
        note_missing(&desc, &result);
        tell_batch(&desc, &result);
    }
    batch_free(&desc);
    if (status < 0) return failed(ctx, status);
    return finish(ctx, &result.run);
}

#endif
