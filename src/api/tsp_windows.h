/* ---- time windows */

#define COMBGPU_TSP_WINDOWS_DIMENSION 128 /* cities, at most */

/* Zero-initialise it, then set what you need; all is read during begin. The weights are times, too:
   a city's service begins when the tour arrives, or at `ready` if later, but not after `due`;
   `service` later the tour continues. */
typedef struct combgpu_tsp_windows_desc {
    const combgpu_tsp_instance *instance; /* may have precedence */
    combgpu_tsp_shape shape;
    combgpu_tsp_ends path_ends; /* PATH: which ends are fixed, */
    int path_start, path_end;   /* and at which cities; a free one is 0 */
    const double *ready;        /* n times, 0 or more; NULL = the instance's, or 0 */
    const double *due;          /* n times; infinite = no limit; NULL = the instance's, or none */
    const double *service;      /* n durations; NULL = the instance's, or 0 */
    int earliest_end; /* 0: the shortest tour (the travel time published for the sets of Dumas and
                                   Ascheuer); 1: the one that ends first (makespan) */
    combgpu_run_desc run;
} combgpu_tsp_windows_desc;

/* A city that no tour reaches in time. */
typedef struct combgpu_tsp_late {
    int city;        /* its service (or a cycle's return to it) starts, */
    int after;       /* if the tour visits it after this city, or always if that is -1, */
    double earliest; /* no earlier than this, after its `due`; infinite: it cannot be reached */
} combgpu_tsp_late;

typedef struct combgpu_tsp_windows_result {
    int feasible;   /* with status OK, 0: no tour keeps the windows (proven) */
    int late_count; /* why not: one reason; or two, neither order of two cities works; or 0, it takes
                       more than two cities to see it. A reason with `after` alone: the other order
                       is excluded, by precedence or since the tour ends at the city */
    combgpu_tsp_late late[2];
    double length;    /* sum of the weights, without waiting and service */
    double end;       /* time at the end: a cycle is back, a path's last service done */
    double tolerance; /* rounding may raise length and end above the least, and shift times, by at
                         most this; 0 = exact */
    combgpu_tsp_shape shape;
    int n;
    int tour[COMBGPU_TSP_WINDOWS_DIMENSION];
    double start[COMBGPU_TSP_WINDOWS_DIMENSION]; /* of service at the city in the same position */
    combgpu_run_info run; /* steps: labels extended. checksum: hash of the tour */
} combgpu_tsp_windows_result;

/* Finds the shortest tour, or the one that ends first, that visits every city in its time window,
   as Dumas and others (1995) and Ascheuer, Fischetti and Gruetschel (2001) define it. A cycle
   leaves city 0, or instance->depot, at its `ready` plus `service`, and is back by its `due`; a
   path with a free start begins at time 0. Of equally short tours it returns one that ends first,
   always the same. Dynamic programming over sets of cities, keeping every undominated pair of time
   and length: over all sets for up to 21 cities between fixed ends, beyond that over those that the
   windows allow. Times are exact as lengths are: whole numbers up to 2^53 stay unchanged, others
   become multiples of a power of two, 61 bits for 2n + 4 times the largest time. The largest time
   excludes a `due` that no tour can miss, a leg longer than the `due` of its end, and large weights
   (see LARGE WEIGHTS), so 1e18 may mean no limit or no road; COMBGPU_TSP_NO_CONNECTION is better
   for weights. One host thread works, whatever the device; a resumed run begins anew. n20w20.002,
   20 customers and the depot, takes 0.4 s of one core and 0.09 GB; 20 cities without any windows 2
   s and 0.4 GB. The table of all sets takes 4 m 2^m bytes for m cities between fixed ends. 100
   customers in windows as wide as 8 legs take 0.05 s; windows of half the day suit 60 customers,
   and without windows more than 21 cities exceed the memory. Errors: INVALID_ARGUMENT (instance,
   shape, ends, times, shards, pairs that leave no tour), UNSUPPORTED (n, fixed edges),
   OUT_OF_MEMORY (table and labels exceed memory_limit, or 2 GiB), and all errors
   of runs. */
COMBGPU_API combgpu_status combgpu_tsp_windows(combgpu_context *ctx,
                                               const combgpu_tsp_windows_desc *desc,
                                               combgpu_tsp_windows_result *result);
COMBGPU_API combgpu_status combgpu_tsp_windows_begin(combgpu_context *ctx,
                                                     const combgpu_tsp_windows_desc *desc,
                                                     combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_windows_end(combgpu_job *job,
                                                   combgpu_tsp_windows_result *result);
