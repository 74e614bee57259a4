/* The library as the page calls it: for each search begin, step and end, and what is known in between, as JSON.

       sh examples/web/build.sh build/web

   It reads files of cities as the command does: the page hands one over as standard input. A reader that refuses
   a file prints why and ends the program; the page then begins with a new one. */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_NO_THREADS
#define COMBGPU_NO_STDIO
#include "../../combgpu.h"

#include <stdio.h>
#define fopen(path, mode) stdin
#include "../combgpu_tsp.h"

#define CALL(name) __attribute__((export_name(#name)))
#define SLICE_MS 20 /* a step: the page can stop a search after each */

static combgpu_context *ctx;
static combgpu_job *job;
static char web_json[1 << 20]; /* of a call: JSON; the longest one has the names of 10,000 cities */
static size_t web_json_length;

static void web_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void web_say(const char *format, ...)
{
    va_list args;
    int length;
    va_start(args, format);
    length = vsnprintf(web_json + web_json_length, sizeof web_json - web_json_length, format, args);
    va_end(args);
    if (length > 0 && (size_t)length < sizeof web_json - web_json_length)
        web_json_length += (size_t)length;
}

static void web_say_text(const char *text)
{
    web_say("\"");
    for (; *text; text++)
        if (strchr("\"\\", *text))
            web_say("\\%c", *text);
        else if ((unsigned char)*text >= ' ')
            web_say("%c", *text);
    web_say("\"");
}

/* Numbers of 64 bits are texts: those of JSON are doubles. */
static void web_say_u64(const char *name, uint64_t value)
{
    web_say("%s\"%s\": \"%llu\"", web_json_length > 1 ? ", " : "", name, (unsigned long long)value);
}

/* Infinity and the unknown are null. */
static void web_say_double(const char *name, double value)
{
    if (value >= -1e300 && value <= 1e300)
        web_say("%s\"%s\": %.17g", web_json_length > 1 ? ", " : "", name, value);
    else
        web_say("%s\"%s\": null", web_json_length > 1 ? ", " : "", name);
}

static void web_begin_reply(void)
{
    web_json_length = 0;
    web_say("{");
}

/* Ends the reply of a call that had this status. */
static int web_end_reply(combgpu_status status)
{
    web_say("%s\"status\": %d, \"message\": ", web_json_length > 1 ? ", " : "", (int)status);
    web_say_text(status < 0 ? combgpu_message(ctx) : "");
    web_say("}");
    return (int)status;
}

CALL(reply) const char *web_reply(void)
{
    return web_json;
}

CALL(allocate) void *web_allocate(size_t bytes)
{
    return malloc(bytes);
}

CALL(open) int web_open(void)
{
    web_begin_reply();
    return web_end_reply(combgpu_open(&ctx, NULL));
}

/* ---- any job */

CALL(step) int web_step(void)
{
    return (int)combgpu_step(job);
}

CALL(progress) int web_progress(void)
{
    combgpu_progress progress;
    combgpu_status status;
    web_begin_reply();
    status = combgpu_job_progress(job, &progress);
    if (status >= 0) {
        web_say_double("fraction", progress.fraction);
        web_say_double("remaining", progress.remaining_s);
        web_say_double("steps_per_s", progress.steps_per_s);
        web_say_u64("steps", progress.steps);
        web_say_u64("solutions", progress.solutions);
    }
    return web_end_reply(status);
}

CALL(cancel) void web_cancel(void)
{
    combgpu_job_cancel(job);
    job = NULL;
}

/* ---- tours: a short heuristic gives the first tours, then the search that proves */

static combgpu_tsp_instance cities;
static combgpu_tsp_desc tour_desc;
static int *tour,
    *first_tour; /* what a search found, and what it began with: its checkpoints name that */

static int web_say_cities(combgpu_status status)
{
    int i;
    if (status < 0) return web_end_reply(status);
    web_say("\"n\": %d, \"metric\": %d, \"placed\": %s, \"name\": ", cities.n, (int)cities.metric,
            cities.x ? "true" : "false");
    web_say_text(cities.name);
    web_say(", \"what\": ");
    web_say_text(points.what);
    web_say(", \"why\": ");
    web_say_text(points.why);
    web_say(", \"windows\": %s, \"path\": %s, \"names\": [", cities.ready ? "true" : "false",
            cities.before_count ? "true" : "false");
    for (i = 0; i < points.count; i++) {
        if (i) web_say(", ");
        web_say_text(points.name[i]);
    }
    web_say("]");
    return web_end_reply(status);
}

/* Reads standard input, named `name`, as a file of cities; without a name takes forty of Europe. `metric`: as
   --metric, by number. */
CALL(read) int web_read(const char *name, int metric)
{
    cmd.command = COMMAND_TSP;
    cmd.program = "";
    cmd.argument = name;
    cmd.value[OPTION_EUROPE].times = !*name;
    cmd.value[OPTION_METRIC].times = metric > 0;
    cmd.value[OPTION_METRIC].number = (uint64_t)metric;
    web_begin_reply();
    return web_say_cities(tsp_instance(ctx, &cities));
}

CALL(points) int web_points(int n, const double *x, const double *y)
{
    combgpu_tsp_free(ctx, &cities);
    web_begin_reply();
    return web_say_cities(combgpu_tsp_from_coordinates(ctx, n, x, y, COMBGPU_TSP_PLANE, &cities));
}

CALL(x) const double *web_x(void)
{
    return cities.x;
}

CALL(y) const double *web_y(void)
{
    return cities.y;
}

CALL(tour) const int *web_tour(void)
{
    return tour;
}

/* `shape`: 0 = round trip, 1 = path, 2 = path from the first city, 3 = path from the first to the last. */
CALL(tour_shape) void web_tour_shape(int shape)
{
    memset(&tour_desc, 0, sizeof tour_desc);
    tour_desc.instance = &cities;
    tour_desc.shape = shape || cities.before_count ? COMBGPU_TSP_PATH : COMBGPU_TSP_CYCLE;
    tour_desc.path_ends = shape == 3   ? COMBGPU_TSP_FIXED_ENDS
                          : shape == 2 ? COMBGPU_TSP_FIXED_START
                                       : COMBGPU_TSP_FREE_ENDS;
    tour_desc.path_end = shape == 3 ? cities.n - 1 : 0;
    tour_desc.run.slice_ms = SLICE_MS;
    tour_desc.tour = tour = (int *)calloc((size_t)cities.n, sizeof *tour);
    first_tour = (int *)calloc((size_t)cities.n, sizeof *tour);
}

static int web_say_tour(combgpu_status status, const combgpu_tsp_result *result)
{
    if (status >= 0) {
        web_say_double("length", result->feasible ? result->length : HUGE_VAL);
        web_say_double("bound", result->lower_bound);
        web_say_double("gap", result->gap);
        web_say_double("tolerance", result->tolerance);
        web_say_u64("steps", result->run.steps);
        web_say(", \"optimal\": %s, \"feasible\": %s, \"method\": \"%s\"",
                result->optimal ? "true" : "false", result->feasible ? "true" : "false",
                tsp_methods[result->method]);
    }
    return web_end_reply(status);
}

/* A tour by the heuristic, which improves the one before. Precedence is not for it: UNSUPPORTED. */
CALL(tour_first) int web_tour_first(int kicks, int again)
{
    static combgpu_tsp_result result;
    combgpu_tsp_desc first = tour_desc;
    first.method = COMBGPU_TSP_HEURISTIC;
    first.kicks = (uint64_t)kicks;
    first.start = again && !cities.fixed_count ? tour : NULL;
    web_begin_reply();
    return web_say_tour(combgpu_tsp(ctx, &first, &result), &result);
}

/* Begins the search that proves, up to 256 cities, or goes on with the heuristic: by another seed, other kicks. */
CALL(tour_begin) int web_tour_begin(int again, int kicks, int seed)
{
    combgpu_status status;
    web_begin_reply();
    tour_desc.kicks = (uint64_t)kicks;
    tour_desc.seed = (uint64_t)seed;
    if (again && !cities.fixed_count && !cities.before_count) {
        memcpy(first_tour, tour, (size_t)cities.n * sizeof *tour);
        tour_desc.start = first_tour;
    }
    status = combgpu_tsp_begin(ctx, &tour_desc, &job);
    return web_end_reply(status);
}

/* What is known of the running search: its copy, resumed and ended at once. */
CALL(tour_look) int web_tour_look(void)
{
    static combgpu_tsp_result result;
    combgpu_tsp_desc copy = tour_desc;
    combgpu_job *copied = NULL;
    size_t bytes = 0;
    combgpu_status status = combgpu_save(job, NULL, 0, &bytes);
    void *state = status ? NULL : malloc(bytes);
    web_begin_reply();
    if (state) status = combgpu_save(job, state, bytes, &bytes);
    copy.run.resume_data = state;
    copy.run.resume_bytes = bytes;
    if (state && !status) status = combgpu_tsp_begin(ctx, &copy, &copied);
    if (copied) status = combgpu_tsp_end(copied, &result);
    free(state);
    return web_say_tour(status, &result);
}

CALL(tour_end) int web_tour_end(void)
{
    static combgpu_tsp_result result;
    combgpu_job *ended = job;
    web_begin_reply();
    job = NULL;
    return web_say_tour(combgpu_tsp_end(ended, &result), &result);
}

/* ---- squares and boards: what was found since the page last looked */

static unsigned char found[1 << 16];
static int web_found_bytes;

CALL(found) const unsigned char *web_found(void)
{
    return found;
}

/* Bytes that wait in found[]. The page copies them after each step. */
CALL(take_found) int web_take_found(void)
{
    int bytes = web_found_bytes;
    web_found_bytes = 0;
    return bytes;
}

static int web_keep_square(const int *square, int order, void *user)
{
    int i;
    (void)user;
    for (i = 0; i < order * order && web_found_bytes < (int)sizeof found; i++)
        found[web_found_bytes++] = (unsigned char)square[i];
    return 1; /* stops the search; its next step goes on with the next square */
}

/* Begins with the givens, 0 = free. With `one` the search stops at each square. */
CALL(magic_begin) int web_magic_begin(int order, int kind, const int *givens, int one)
{
    combgpu_magic_desc desc;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.order = order;
    desc.kind = (combgpu_magic_kind)kind;
    desc.givens = givens;
    desc.solution = one ? web_keep_square : NULL;
    desc.run.slice_ms = SLICE_MS;
    web_begin_reply();
    web_found_bytes = 0;
    status = combgpu_magic_begin(ctx, &desc, &job);
    return web_end_reply(status);
}

CALL(magic_end) int web_magic_end(void)
{
    combgpu_magic_result result;
    combgpu_job *ended = job;
    combgpu_status status;
    job = NULL;
    web_begin_reply();
    status = combgpu_magic_end(ended, &result);
    if (status >= 0) {
        web_say_u64("count", result.count);
        web_say_u64("classes", result.up_to_d4);
        web_say_u64("steps", result.run.steps);
    }
    return web_end_reply(status);
}

/* Boards: a byte for the class, then n rows of 16 bytes, the lowest columns first. Those for which there is no room are
   counted all the same. */
static int web_keep_board(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    const int words = COMBGPU_NO3_ROW_WORDS(n);
    int i;
    (void)user;
    if (web_found_bytes + 1 + 16 * n > (int)sizeof found) return 0;
    found[web_found_bytes++] = (unsigned char)symmetry;
    memset(found + web_found_bytes, 0, 16 * (size_t)n);
    for (i = 0; i < n; i++, web_found_bytes += 16)
        memcpy(found + web_found_bytes, rows + words * i, 8 * (size_t)words);
    return 0;
}

CALL(no3_begin) int web_no3_begin(int n, int symmetry, uint64_t seed)
{
    combgpu_no3_desc desc;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.symmetry = (combgpu_no3_class)symmetry;
    desc.solution = web_keep_board;
    desc.seed = seed;
    desc.limit = seed ? 1 : 0;
    desc.run.slice_ms = SLICE_MS;
    web_begin_reply();
    web_found_bytes = 0;
    status = combgpu_no3_begin(ctx, &desc, &job);
    return web_end_reply(status);
}

CALL(no3_end) int web_no3_end(void)
{
    combgpu_no3_result result;
    combgpu_job *ended = job;
    combgpu_status status;
    int i;
    job = NULL;
    web_begin_reply();
    status = combgpu_no3_end(ended, &result);
    if (status >= 0) {
        web_say_u64("all", result.all);
        web_say_u64("classes", result.up_to_symmetry);
        web_say_u64("steps", result.run.steps);
        web_say(", \"by_class\": {");
        for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
            web_say("%s\"%s\": \"%llu\"", i == COMBGPU_NO3_IDEN ? "" : ", ",
                    combgpu_no3_class_string((combgpu_no3_class)i),
                    (unsigned long long)result.classes[i]);
        web_say("}");
    }
    return web_end_reply(status);
}

/* ---- permutations */

static unsigned char member[64];

CALL(member) unsigned char *web_member(void)
{
    return member;
}

static combgpu_perm_set web_perm_set(int family, int n, int k)
{
    combgpu_perm_set set;
    memset(&set, 0, sizeof set);
    set.family = (combgpu_perm_family)family;
    set.n = n;
    set.k = k;
    return set;
}

CALL(perm_count) int web_perm_count(int family, int n, int k)
{
    combgpu_perm_set set = web_perm_set(family, n, k);
    combgpu_u128 count;
    int length = 0;
    combgpu_status status = combgpu_perm_set_count128(ctx, &set, &count, &length);
    web_begin_reply();
    if (!status) {
        web_say_u64("high", count.hi);
        web_say_u64("low", count.lo);
        web_say(", \"length\": %d", length);
    }
    return web_end_reply(status);
}

/* The member of a rank to member[]. */
CALL(perm_unrank) int web_perm_unrank(int family, int n, int k, uint64_t high, uint64_t low)
{
    combgpu_perm_set set = web_perm_set(family, n, k);
    combgpu_u128 rank;
    rank.hi = high;
    rank.lo = low;
    web_begin_reply();
    return web_end_reply(combgpu_perm_set_unrank128(ctx, &set, rank, member));
}

/* The rank of member[]. */
CALL(perm_rank) int web_perm_rank(int family, int n, int k)
{
    combgpu_perm_set set = web_perm_set(family, n, k);
    combgpu_u128 rank;
    combgpu_status status = combgpu_perm_set_rank128(ctx, &set, member, &rank);
    web_begin_reply();
    if (!status) {
        web_say_u64("high", rank.hi);
        web_say_u64("low", rank.lo);
    }
    return web_end_reply(status);
}
