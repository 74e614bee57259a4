/* Orders the stops of a trip, as a map engine does: from a table of durations, which differ by direction, to the
   fastest order, with its proof, or with a gap when the time is up.

       make combgpu_tsp.h
       cc -O2 -DSMALL examples/map_stops.c -o map_stops       with that small file, or without -DSMALL with combgpu.h

       ./map_stops                        12, 30 and 60 stops of a made-up town, each with every kind of ends
       ./map_stops 30 both 20             30 stops, first and last fixed, in at most 20 ms
       ./map_stops 4 round 20 table.txt   a file: 16 seconds, row by row, from each stop to each
       ./map_stops --bench 1000           processor time of 1,000 towns

   ENDS: round (back to the first stop), start (begins at the first), both (ends at the last, too), free. */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#ifdef SMALL
#include "../combgpu_tsp.h"
#else
#define COMBGPU_NO_SELF_TEST
#define COMBGPU_ONLY_TSP 1
#include "../combgpu.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 200, BLOCKS = 16, CORNERS = BLOCKS * BLOCKS };

/* ---- what an engine takes over */

typedef enum trip_ends { ROUND, START, BOTH, FREE } trip_ends;

/* Orders n stops: seconds[i * n + j] is the drive from i to j, infinite where no road leads. It may take limit_ms
   milliseconds; 0 = as long as the proof takes. order[] gets the n stops, *answer the rest: answer->optimal (proven
   fastest), answer->length (seconds), answer->lower_bound and answer->gap (0.02: at most 2 % above the fastest), or
   answer->feasible == 0 without any order. Returns COMBGPU_OK, or COMBGPU_STOPPED at the limit, with the best order so far;
   what is negative is an error, which combgpu_message(ctx) explains.

   The limit ends a proof but not its begin, which takes up to n * n / 150 ms of a core, or n * n / 50 above 60
   stops: below that the heuristic, which keeps to a limit within some 3 ms, gives an order and a bound.

   The context belongs to one thread; a server keeps one for each of its threads. */
static combgpu_status order_stops(combgpu_context *ctx, int n, double *seconds, trip_ends ends,
                                  double limit_ms, int *order, combgpu_tsp_result *answer)
{
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    memset(&instance, 0, sizeof instance);
    memset(&desc, 0, sizeof desc);
    instance.n = n;
    instance.weights = seconds; /* read, not kept: this instance needs no combgpu_tsp_free */
    desc.instance = &instance;
    desc.tour = order;
    desc.shape = ends == ROUND ? COMBGPU_TSP_CYCLE : COMBGPU_TSP_PATH;
    desc.path_ends = ends == START  ? COMBGPU_TSP_FIXED_START
                     : ends == BOTH ? COMBGPU_TSP_FIXED_ENDS
                                    : COMBGPU_TSP_FREE_ENDS;
    desc.path_end = ends == BOTH ? n - 1 : 0;
    if (n > 12 && limit_ms > 0 && limit_ms < n * n / (n > 60 ? 50.0 : 150.0))
        desc.method = COMBGPU_TSP_HEURISTIC;
    desc.run.time_limit_s = limit_ms / 1000;
    desc.run.slice_ms = limit_ms > 0 ? 1 : 0; /* how often it looks at the clock */
    return combgpu_tsp(ctx, &desc, answer);
}

/* One thread for each request: a server has other requests for its other cores. */
static combgpu_context *open_context(void)
{
    combgpu_context_desc desc;
    combgpu_context *ctx = NULL;
    memset(&desc, 0, sizeof desc);
    desc.backend = COMBGPU_BACKEND_CPU;
    desc.threads = 1;
    if (combgpu_open(&ctx, &desc) == COMBGPU_OK) return ctx;
    fprintf(stderr, "map_stops: %s\n", combgpu_message(ctx));
    exit(1);
}

/* ---- a town in place of a map: streets of 20 to 60 seconds, different by direction, some of them one-way */

static uint64_t state;

static int draw(int most)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)most);
}

/* From one corner to all others, by Dijkstra's algorithm; streets[4 * corner + d] leads east, south, west, north. */
static void drive(const int *streets, int from, double *seconds)
{
    static const int step[4] = {1, BLOCKS, -1, -BLOCKS};
    char done[CORNERS] = {0};
    int i, d;
    for (i = 0; i < CORNERS; i++)
        seconds[i] = HUGE_VAL;
    seconds[from] = 0;
    for (;;) {
        int at = -1;
        for (i = 0; i < CORNERS; i++)
            if (!done[i] && seconds[i] < HUGE_VAL && (at < 0 || seconds[i] < seconds[at])) at = i;
        if (at < 0) return;
        done[at] = 1;
        for (d = 0; d < 4; d++) {
            const int street = streets[4 * at + d];
            if (street && seconds[at] + street < seconds[at + step[d]])
                seconds[at + step[d]] = seconds[at] + street;
        }
    }
}

static void make_town(uint64_t seed, int n, double *seconds)
{
    static int streets[4 * CORNERS];
    double from_here[CORNERS];
    int stops[MOST], i, j, d;
    state = seed;
    for (i = 0; i < CORNERS; i++)
        for (d = 0; d < 4; d++) {
            const int x = i % BLOCKS, y = i / BLOCKS;
            const int is_there = d == 0   ? x < BLOCKS - 1
                                 : d == 1 ? y < BLOCKS - 1
                                 : d == 2 ? x > 0
                                          : y > 0;
            const int time = 20 + draw(41), is_closed = draw(100) < 15;
            streets[4 * i + d] =
                is_there && (!is_closed || d < 2) ? time : 0; /* east and south stay open, */
        }
    for (i = 0; i < BLOCKS; i++) { /* and round the town a road leads back */
        streets[4 * (i * BLOCKS) + 3] = streets[4 * (i * BLOCKS + BLOCKS - 1) + 3] = i ? 20 : 0;
        streets[4 * i + 2] = streets[4 * (CORNERS - BLOCKS + i) + 2] = i ? 20 : 0;
    }
    for (i = 0; i < n; i++)
        stops[i] = draw(CORNERS);
    for (i = 0; i < n; i++) {
        drive(streets, stops[i], from_here);
        for (j = 0; j < n; j++)
            seconds[i * n + j] = from_here[stops[j]];
    }
}

/* ---- the program */

static const char *const names[] = {"round", "start", "both", "free"};

static int show(combgpu_context *ctx, int n, double *seconds, trip_ends ends, double limit_ms)
{
    int order[MOST], i;
    combgpu_tsp_result answer;
    const clock_t begin = clock();
    const combgpu_status status = order_stops(ctx, n, seconds, ends, limit_ms, order, &answer);
    const double ms = 1000.0 * (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (status < 0) {
        fprintf(stderr, "map_stops: %s\n", combgpu_message(ctx));
        return 1;
    }
    if (!answer.feasible) {
        printf("%d stops, %s: %s\n", n, names[ends],
               answer.optimal ? "no order exists" : "no order found in time");
        return 0;
    }
    printf("%d stops, %s: %.0f s, ", n, names[ends], answer.length);
    if (answer.optimal)
        printf("the fastest, proven");
    else
        printf("at most %.1f %% above the fastest", 100 * answer.gap);
    printf("; %.2f ms\n ", ms);
    for (i = 0; i < n; i++)
        printf(" %d", order[i]);
    printf("\n");
    return 0;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds of processor time over many towns; the first call, which warms up, counts too. */
static int bench(combgpu_context *ctx, int towns, int n, trip_ends ends, double limit_ms)
{
    static double seconds[MOST * MOST];
    double *ms = (double *)malloc((size_t)towns * sizeof *ms);
    int order[MOST], i, proven = 0;
    if (!ms) return 1;
    for (i = 0; i < towns; i++) {
        combgpu_tsp_result answer;
        clock_t begin;
        make_town((uint64_t)i, n, seconds);
        begin = clock();
        if (order_stops(ctx, n, seconds, ends, limit_ms, order, &answer) < 0) break;
        ms[i] = 1000.0 * (double)(clock() - begin) / CLOCKS_PER_SEC;
        proven += answer.optimal;
    }
    if (i < towns) fprintf(stderr, "map_stops: %s\n", combgpu_message(ctx));
    qsort(ms, (size_t)i, sizeof *ms, by_value);
    if (i == towns)
        printf("%d stops, %-5s: median %.3f ms, 99 %% within %.3f, worst %.3f; %d of %d proven\n",
               n, names[ends], ms[i / 2], ms[i * 99 / 100], ms[i - 1], proven, towns);
    free(ms);
    return i < towns;
}

static int usage(void)
{
    fprintf(stderr,
            "map_stops [STOPS [ENDS [LIMIT_MS [FILE]]]], 2 to %d stops, ENDS round, start, both or "
            "free; "
            "or --bench TOWNS [LIMIT_MS]\n",
            MOST);
    return 2;
}

static double number(const char *text, double most)
{
    char *end;
    const double value = strtod(text, &end);
    return *text && !*end && value >= 0 && value <= most ? value : -1;
}

static int read_table(const char *path, int n, double *seconds)
{
    FILE *file = fopen(path, "r");
    int i = 0;
    while (file && i < n * n && fscanf(file, "%lf", &seconds[i]) == 1)
        i++;
    if (file) fclose(file);
    if (i < n * n) fprintf(stderr, "map_stops: %s has no %d numbers\n", path, n * n);
    return i == n * n;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {12, 30, 60};
    static double seconds[MOST * MOST];
    const int is_bench = argc > 1 && !strcmp(argv[1], "--bench");
    const double n =
        argc > 1 ? number(argv[is_bench ? 2 - (argc < 3) : 1], is_bench ? 1e6 : (double)MOST) : 0;
    const double limit_ms = argc > 3 ? number(argv[3], 1e9) : 20;
    int chosen = 0, failed = 0, i;
    combgpu_context *ctx;
    while (!is_bench && argc > 2 && chosen < 4 && strcmp(argv[2], names[chosen]))
        chosen++;
    if (n < (argc > 1 ? 2 - is_bench : 0) || n != (int)n || chosen > FREE || limit_ms < 0 ||
        argc > (is_bench ? 4 : 5))
        return usage();
    ctx = open_context();
    if (is_bench || argc == 1) {
        for (i = 0; i < 12 && !failed; i++)
            if (is_bench)
                failed =
                    bench(ctx, (int)n, sizes[i / 4], (trip_ends)(i % 4), argc > 3 ? limit_ms : 0);
            else {
                make_town(1, sizes[i / 4], seconds);
                failed = show(ctx, sizes[i / 4], seconds, (trip_ends)(i % 4), 200);
            }
    } else {
        make_town(1, (int)n, seconds);
        failed = (argc > 4 && !read_table(argv[4], (int)n, seconds)) ||
                 show(ctx, (int)n, seconds, (trip_ends)chosen, limit_ms);
    }
    combgpu_close(ctx);
    return failed;
}
