/* =========================================================== SECTION 5: travelling salesman == */
/* Cities are 0 .. n-1. A tour is an array of n city numbers: the order of the visits.

   LENGTHS ARE EXACT. Before a search each weight becomes a whole number: integers stay as they are,
   other weights are rounded once, to a multiple of the power of two that keeps n+1 times the
   largest weight W just below 2^62 units. That moves a weight by at most (n+1) W / 2^62, and leaves
   weights of W/8 and more as they are up to 31 cities. Whole numbers have no order of summation, so
   every method, backend and thread count finds the same optimum and the same ties. The length that
   is handed out is this exact sum as a double (rounded once, where it needs more than 53 bits).

   NORMAL FORM. A cycle is written from city 0. Where a tour and its reverse are the same (symmetric
   weights; cycles, and paths with two free ends) it is written so that the second city of a cycle
   is smaller than its last one, and the first city of a path than its last. Of all shortest tours
   the result is the lexicographically smallest one in this form. */

/* The largest number of cities of an instance, and of a tour in a result. */
#define COMBGPU_TSP_MAX_DIMENSION 5000
#define COMBGPU_TSP_MAX_TOUR 128

typedef enum combgpu_tsp_metric {
    COMBGPU_TSP_MATRIX = 0, /* weights given, row by row: weights[i*n+j] from i to j */
    COMBGPU_TSP_EUC_2D,     /* TSPLIB: rounded to the nearest integer */
    COMBGPU_TSP_CEIL_2D,    /* rounded up */
    COMBGPU_TSP_MAN_2D,     /* |dx| + |dy|, rounded to the nearest integer */
    COMBGPU_TSP_MAX_2D,     /* max(|dx|, |dy|), each rounded to the nearest integer */
    COMBGPU_TSP_ATT,        /* pseudo-Euclidean: sqrt((dx^2+dy^2)/10), rounded up */
    COMBGPU_TSP_GEO,        /* x = latitude, y = longitude as DDD.MM; km on TSPLIB's sphere */
    COMBGPU_TSP_PLANE,      /* exact Euclidean distance, double */
    COMBGPU_TSP_EARTH       /* x = latitude, y = longitude in decimal degrees; great circle, km,
                               double (sphere of radius 6371.0088 km) */
} combgpu_tsp_metric;

/* A problem instance; made by combgpu_tsp_from_*, _read or _parse, or filled in by hand (then the
   arrays are the caller's, and combgpu_tsp_free must not be called on it). */
typedef struct combgpu_tsp_instance {
    char name[64];
    int n;         /* cities */
    int symmetric; /* weights[i*n+j] == weights[j*n+i] for all i, j */
    int integral;  /* all weights are integers, at most 2^53 */
    combgpu_tsp_metric metric;
    double *weights; /* n*n, finite, 0 or more; the diagonal is not used */
    double *x, *y;   /* coordinates, or NULL */
} combgpu_tsp_instance;

/* Builds an instance from coordinates x[n], y[n] (copied). Errors: INVALID_ARGUMENT (n, metric, a
   coordinate that is NaN, infinite or no latitude or longitude, a distance above 2^53 where the
   metric rounds, above 1e300 else), OUT_OF_MEMORY. O(n^2). */
COMBGPU_API combgpu_status combgpu_tsp_from_coordinates(combgpu_context *ctx, int n,
                                                        const double *x, const double *y,
                                                        combgpu_tsp_metric metric,
                                                        combgpu_tsp_instance *instance);
/* Builds an instance from a matrix (copied), symmetric or not. Errors: INVALID_ARGUMENT (n; weights
   that are negative, NaN, or above 1e300), OUT_OF_MEMORY. */
COMBGPU_API combgpu_status combgpu_tsp_from_matrix(combgpu_context *ctx, int n,
                                                   const double *weights,
                                                   combgpu_tsp_instance *instance);
COMBGPU_API combgpu_status combgpu_tsp_from_int_matrix(combgpu_context *ctx, int n,
                                                       const int *weights,
                                                       combgpu_tsp_instance *instance);
/* Reads a TSPLIB file: TYPE TSP and ATSP; EDGE_WEIGHT_TYPE EUC_2D, CEIL_2D, MAN_2D, MAX_2D, ATT,
   GEO, or EXPLICIT as FULL_MATRIX or any of the eight triangular forms, integers or decimals.
   Keywords may come in any order (DIMENSION and EDGE_WEIGHT_FORMAT before the sections that need
   them), in small letters too; nodes are numbered from 1, in any order.
   Errors: FILE_ERROR; BAD_FILE with line and reason; UNSUPPORTED, likewise; OUT_OF_MEMORY. */
COMBGPU_API combgpu_status combgpu_tsp_read(combgpu_context *ctx, const char *path,
                                            combgpu_tsp_instance *instance);
/* The same from memory; the text need not end in a NUL. */
COMBGPU_API combgpu_status combgpu_tsp_parse(combgpu_context *ctx, const char *text, size_t bytes,
                                             combgpu_tsp_instance *instance);
/* Reads a TSPLIB tour (TOUR_SECTION, cities from 1, ended by -1 or EOF) of n cities into tour[n],
   cities from 0. DIMENSION may be missing. Errors: as combgpu_tsp_read. */
COMBGPU_API combgpu_status combgpu_tsp_read_tour(combgpu_context *ctx, const char *path, int n,
                                                 int *tour);
COMBGPU_API combgpu_status combgpu_tsp_parse_tour(combgpu_context *ctx, const char *text,
                                                  size_t bytes, int n, int *tour);
/* Writes a tour as a TSPLIB tour file's text, NUL-terminated. *needed (may be NULL) gets the size
   with its NUL. name may be NULL. Errors: INVALID_ARGUMENT (no permutation; `bytes` is less). */
COMBGPU_API combgpu_status combgpu_tsp_write_tour(combgpu_context *ctx, const char *name, int n,
                                                  const int *tour, char *text, size_t bytes,
                                                  size_t *needed);
/* Frees what the functions above allocated; the struct becomes empty. */
COMBGPU_API void combgpu_tsp_free(combgpu_context *ctx, combgpu_tsp_instance *instance);

typedef enum combgpu_tsp_method {
    COMBGPU_TSP_AUTO = 0,        /* see combgpu_tsp */
    COMBGPU_TSP_BRUTE_FORCE,     /* looks at every tour; n <= 16 */
    COMBGPU_TSP_HELD_KARP,       /* dynamic programming over subsets; n <= 32, memory permitting */
    COMBGPU_TSP_BRANCH_AND_BOUND /* 1-tree bounds; n <= COMBGPU_TSP_MAX_TOUR */
} combgpu_tsp_method;

typedef enum combgpu_tsp_shape {
    COMBGPU_TSP_CYCLE = 0, /* closed tour, from city 0 back to it */
    COMBGPU_TSP_PATH       /* open path; ends free, or fixed by path_start, path_end */
} combgpu_tsp_shape;

typedef struct combgpu_tsp_desc {
    const combgpu_tsp_instance *instance; /* read during the call */
    combgpu_tsp_method method;
    combgpu_tsp_shape shape;
    int path_start, path_end; /* PATH: city + 1; 0 = free */
    const int *start; /* branch and bound: a tour of n cities to begin with, read during the call;
                         NULL = it finds one itself */
    uint64_t seed;    /* branch and bound: of the random restarts in its search for a first tour */
    combgpu_run_desc run;
} combgpu_tsp_desc;

typedef struct combgpu_tsp_result {
    double length;             /* of the tour below */
    double lower_bound;        /* proven; equal to length when optimal */
    int optimal;               /* nonzero: proven, and the smallest in normal form (branch and
                                  bound: one of the shortest) */
    combgpu_tsp_method method; /* the one that was used */
    combgpu_tsp_shape shape;
    int n;
    int tour[COMBGPU_TSP_MAX_TOUR]; /* n cities. Not optimal: the best one known, at least a nearest
                                       neighbour tour */
    uint64_t tours;                 /* BRUTE_FORCE: tours looked at, exact */
    combgpu_run_info run; /* steps: tours looked at; Held-Karp: states (city, set of cities still to
                             visit). checksum: brute force: sum of a hash of every prefix's shortest
                             tour; Held-Karp: a hash of the answer; branch and bound: steps are
                             1-trees */
} combgpu_tsp_result;

/* Finds a shortest tour and proves it.

   BRUTE FORCE forms the length of every tour, without pruning: (n-1)!/2 cycles and n!/2 paths with
   free ends if the weights are symmetric, twice as many if not, (n-1)! and (n-2)! paths with one
   and two fixed ends. Sums are shared down the prefix: 0.76 G tours/s on one core, 1,300 G tours/s
   on an H200 (n = 16: 0.5 s). Of the results of all shards the whole's is the one with the smallest
   length, and of these the lexicographically smallest tour.

   HELD-KARP (Bellman 1962; Held and Karp 1962) takes O(2^n n^2) time and O(2^n n) memory: for a
   cycle of n cities about (n-5) 2^(n-2) weights of 4 bytes, or of 8 if n+1 times the largest
   weight reaches 2^30 or weights are not integers: 0.3 GB for n = 24, 26 GB for n = 30. One
   core takes 0.7 ms for n = 16, 16 ms for 20, 0.46 s for 24; an H200 5 ms for 24, 0.28 s for 30. It
   cannot be sharded, and a resumed run begins its table again. On the CPU the table may take 2 GiB
   if memory_limit is 0.

   BRANCH AND BOUND proves with 1-tree bounds (Held and Karp 1970) that no tour is shorter than the
   one it returns, which may be any of the shortest: a proof is complete when no part of the search
   tree has a bound below the tour. Every search begins on the host's threads. Where the context
   has a GPU, or several devices, they take over the open nodes of a tree that is not done after
   50,000 1-trees for each thread (0.2 s); run.backend says who was last at work. pr76, the hardest
   instance of TSPLIB up to 101 cities that the tests hold, takes 6.5 M 1-trees: 7.4 s on two cores
   (Sapphire Rapids), 0.5 s with an H200; the others take less than 0.4 s on one core. A search
   that ends early returns the best tour, the least bound of the open nodes, which is proven, and
   STOPPED. `start` is improved before the search begins; the search's own first tour (nearest
   neighbour, then 2-opt and or-3opt with random restarts from `seed`) is tried as well. It cannot
   be sharded. run.steps counts 1-trees. While the first tour is optimal, which it nearly always
   is, they are the same on every device and with any number of threads; otherwise they depend on
   who found a better tour first, and the length does not. Call L n times the largest weight, or
   n times the first tour if that is shorter than this weight. Integers are exact if L is at most
   2^53. Other weights are rounded to 2^-49 L, and a tour shorter by less than 2^-41 L may be
   missed: the proof's tolerance.

   AUTO: brute force up to 9 cities and for shards; Held-Karp up to 16; above, branch
   and bound, unless its first bound is more than a twelfth off, where Held-Karp is faster up to 26
   cities, and on a GPU up to what its memory holds. A checkpoint keeps what it chose: resumed with
   AUTO, also on another device, or merged, a search goes on with the same method.

   Errors: INVALID_ARGUMENT (instance, method, shape, ends, start; shards with other methods than
   brute force), UNSUPPORTED (too many cities for the method: the message says what it would take),
   DEVICE_OUT_OF_MEMORY (the table does not fit: the message says its size), and all errors of runs.
 */
COMBGPU_API combgpu_status combgpu_tsp(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                       combgpu_tsp_result *result);
COMBGPU_API combgpu_status combgpu_tsp_begin(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                             combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_end(combgpu_job *job, combgpu_tsp_result *result);

/* The length of a tour (CYCLE: with the leg back). Errors: INVALID_ARGUMENT (not a permutation). */
COMBGPU_API combgpu_status combgpu_tsp_length(combgpu_context *ctx,
                                              const combgpu_tsp_instance *instance,
                                              combgpu_tsp_shape shape, const int *tour,
                                              double *length);

/* ---- batches: many small instances in one call */

#define COMBGPU_TSP_BATCH_DIMENSION 15 /* the most cities of an instance of a batch */

/* A batch: `count` instances, all of one shape. Exactly one of weights, int_weights, and x with y is
   set; they are read during begin. Zero-initialise it, then set what you need. */
typedef struct combgpu_tsp_batch_desc {
    uint64_t count;        /* instances, 1 to 4,000,000,000 */
    int n;                 /* cities of the largest instance, 1 to 15 */
    const int *cities;     /* cities of each instance, 1 to n; NULL = n each */
    const double *weights; /* from i to j in instance k: weights[(k*n + i)*n + j], also where it
                                   has fewer cities than n; symmetric or not */
    const int32_t *int_weights; /* likewise */
    const double *x, *y;        /* city i of instance k: x[k*n + i], y[k*n + i] */
    combgpu_tsp_metric metric;  /* of coordinates: EUC_2D to EARTH */
    combgpu_tsp_shape shape;
    int path_start, path_end; /* PATH: city + 1; 0 = free */
    double *lengths; /* gets the length of each instance's tour: count doubles, each -1 until
                                 it is known; NULL = not wanted */
    uint8_t *tours;  /* gets the tours: instance k's from tours + k*n on; NULL = not wanted */
    combgpu_run_desc run;
} combgpu_tsp_batch_desc;

typedef struct combgpu_tsp_batch_result {
    uint64_t solved;      /* instances: their tours are proven, and the smallest in normal form */
    combgpu_run_info run; /* steps: states (city, set of cities still to visit). checksum: sum of a
                             hash of each instance's number, length and tour */
} combgpu_tsp_batch_result;

/* Solves a batch exactly, side by side, by Held-Karp's dynamic programming: O(n^2 2^n) each. A GPU's
   block, or a CPU's thread, takes an instance at a time. Lengths, normal form and ties are as above.
   A shard writes its part of the arrays, and so does a resumed run: what earlier runs wrote must
   still be there (with shards, lengths are not set to -1 either).
   Errors: INVALID_ARGUMENT (count, n, cities, weights or coordinates, shape, ends; the message names
   the instance), OUT_OF_MEMORY, and all errors of runs. */
COMBGPU_API combgpu_status combgpu_tsp_batch(combgpu_context *ctx,
                                             const combgpu_tsp_batch_desc *desc,
                                             combgpu_tsp_batch_result *result);
COMBGPU_API combgpu_status combgpu_tsp_batch_begin(combgpu_context *ctx,
                                                   const combgpu_tsp_batch_desc *desc,
                                                   combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_batch_end(combgpu_job *job,
                                                 combgpu_tsp_batch_result *result);

/* Draws a tour as an SVG picture, 800 wide, NUL-terminated: y goes up; for GEO and EARTH north is up,
   and degrees of longitude are as long as in the middle of the picture. An instance of up to 60
   cities gets its city numbers, counted from 1. tour may be NULL: the cities alone. Sizes as for
   combgpu_tsp_write_tour. Errors: INVALID_ARGUMENT (an instance without coordinates, more than
   5000 cities, no permutation, bytes too small). */
COMBGPU_API combgpu_status combgpu_tsp_to_svg(combgpu_context *ctx,
                                              const combgpu_tsp_instance *instance,
                                              combgpu_tsp_shape shape, const int *tour, char *text,
                                              size_t bytes, size_t *needed);

#ifdef __cplusplus
}
#endif

