/* =========================================================== SECTION 5: travelling salesman == */
/* Cities are 0 .. n-1. A tour is an array of n city numbers in visiting order.

   LENGTHS ARE EXACT. A result's length is the exact sum of the caller's weights, rounded once to a
   double (batches of up to 15 cities with decimals: except for the last bit). Lower bounds are
   rounded down, so never above the shortest tour. A search compares whole numbers: integers up to
   2^53 stay unchanged; other weights are rounded to a multiple of the power of two that keeps n+1
   times the largest weight W just below 2^62 units, which changes a weight by at most (n+1) W /
   2^62 (branch and bound: see there). The result's tolerance is what rounding may hide (0 =
   nothing); every method subtracts it from the lower bound. Sums of whole numbers do not depend on
   their order, so every method, backend and thread count finds the same optimum and the same ties.

   NO CONNECTION. With weight COMBGPU_TSP_NO_CONNECTION (infinity), or NaN, no tour goes from i
   straight to j. A search can prove that no tour exists: status OK, `optimal` but not `feasible`,
   infinite length; a list is empty. A stopped search, and the heuristic, may end with neither tour
   nor proof: neither feasible nor optimal.

   LARGE WEIGHTS. 1e18 for "no road" costs no precision. A weight that would increase rounding
   (beyond 2^-30 of the tour) and is 1024 times as large as all tours of smaller weights counts as
   just longer than those. If every tour needs such a leg, or weights differ so much in size that
   rounding may change the answer, the status is UNSUPPORTED: the message names the weight, its
   cities and the cure, COMBGPU_TSP_NO_CONNECTION. (In a batch the instance becomes BOUNDED.)

   NEGATIVE WEIGHTS work in all searches except time windows. Tours have equally many legs, so the
   search subtracts the least weight from each; lengths, bounds and tolerance are in the caller's
   numbers. Negate all weights to find a longest tour.

   NORMAL FORM. A cycle starts at city 0. If reversal keeps the length (symmetric weights; cycles,
   and paths with two free ends), the second city of a cycle, or the first of a path, is smaller
   than its last. Of all shortest tours the result is the lexicographically smallest in this
   form. */

/* AUTO proves tours of up to COMBGPU_TSP_MAX_MATRIX cities. Above that, and above COMBGPU_TSP_MAX_TOUR
   with a time limit below 10 (n / 1000)^2 s, the heuristic gives a good tour and a proven lower bound. */

/* Limits in cities: of any instance, of one whose coordinates get a matrix of weights, and of a
   tour in a result. */
#define COMBGPU_TSP_MAX_DIMENSION 10000
#define COMBGPU_TSP_MAX_MATRIX 1000
#define COMBGPU_TSP_MAX_TOUR 256
/* The limit of precedence pairs. */
#define COMBGPU_TSP_MAX_PAIRS 1000000
/* The weight of an absent connection; NaN means the same. */
#define COMBGPU_TSP_NO_CONNECTION HUGE_VAL

typedef enum combgpu_tsp_metric {
    COMBGPU_TSP_MATRIX = 0, /* weights given, row by row: weights[i*n+j] from i to j */
    COMBGPU_TSP_EUC_2D,     /* TSPLIB: rounded to the nearest integer */
    COMBGPU_TSP_CEIL_2D,    /* rounded up */
    COMBGPU_TSP_MAN_2D,     /* |dx| + |dy|, rounded to the nearest integer */
    COMBGPU_TSP_MAX_2D,     /* max(|dx|, |dy|), each rounded to the nearest integer */
    COMBGPU_TSP_ATT,        /* pseudo-Euclidean: sqrt((dx^2+dy^2)/10), rounded up */
    COMBGPU_TSP_GEO,        /* x = latitude, y = longitude as DDD.MM; km on TSPLIB's sphere */
    COMBGPU_TSP_PLANE,      /* exact Euclidean distance, double */
    COMBGPU_TSP_EARTH,      /* x = latitude, y = longitude in decimal degrees; great circle, km,
                               double (sphere of radius 6371.0088 km) */
    /* with z: TSPLIB */
    COMBGPU_TSP_EUC_3D, /* rounded to the nearest integer */
    COMBGPU_TSP_MAN_3D, /* |dx| + |dy| + |dz|, rounded to the nearest integer */
    COMBGPU_TSP_MAX_3D, /* the largest of |dx|, |dy|, |dz|, each rounded to the nearest integer */
    COMBGPU_TSP_XRAY1,  /* angles of a diffractometer in degrees: 100 max(p, |dy|, |dz|) with p =
                           min(|dx|, ||dx| - 360|), rounded to the nearest integer */
    COMBGPU_TSP_XRAY2,  /* 100 max(p / 1.25, |dy| / 1.5, |dz| / 1.15), likewise */
    /* without z: from LKH and concorde, not TSPLIB */
    COMBGPU_TSP_FLOOR_2D, /* Euclidean, rounded down */
    COMBGPU_TSP_GEOM      /* x = latitude, y = longitude in decimal degrees; great circle, metres on
                             a sphere of radius 6378.388 km, rounded down, plus 1 */
} combgpu_tsp_metric;

/* A problem instance: made by combgpu_tsp_from_*, _read or _parse, or by the caller, who then owns
   the arrays and must not call combgpu_tsp_free on it. */
typedef struct combgpu_tsp_instance {
    char name[64];
    int n;         /* cities */
    int symmetric; /* weights[i*n+j] == weights[j*n+i] for all i, j */
    int integral;  /* all weights are integers of at most 2^53 */
    combgpu_tsp_metric metric;
    double *weights;  /* n*n, -1e300 to 1e300 or COMBGPU_TSP_NO_CONNECTION; the diagonal is ignored.
                        NULL = the distances of the coordinates, computed when needed */
    double *x, *y;    /* coordinates, or NULL */
    double *z;        /* for the metrics with z, else NULL */
    int before_count; /* precedence: city before[2k] comes before city before[2k + 1], */
    int *before;      /* for k = 0 .. before_count-1; NULL = none */
    int fixed_count;  /* edges of every tour: cities fixed[2k] and fixed[2k + 1] are */
    int *fixed;       /* neighbours in either order; NULL = none */
    double *ready, *due, *service; /* n times each, of a file with time windows, and the city where
                                      a cycle within them begins: combgpu_tsp_windows reads them, */
    int depot;                     /* other searches do not; NULL = none */
} combgpu_tsp_instance;

/* Builds an instance from coordinates x[n], y[n] (copied). Above COMBGPU_TSP_MAX_MATRIX cities it
   stores only coordinates, in 16 n bytes; W (see above) is then the diagonal of the box around all
   cities (half a great circle on a sphere). Errors: INVALID_ARGUMENT (n, metric, a coordinate that
   is NaN or out of range, a distance above 2^53 if the metric rounds, else above 1e300),
   OUT_OF_MEMORY. O(n^2) with weights, else O(n). */
COMBGPU_API combgpu_status combgpu_tsp_from_coordinates(combgpu_context *ctx, int n,
                                                        const double *x, const double *y,
                                                        combgpu_tsp_metric metric,
                                                        combgpu_tsp_instance *instance);
/* The same for the metrics of x, y and z: COMBGPU_TSP_EUC_3D to XRAY2. */
COMBGPU_API combgpu_status combgpu_tsp_from_coordinates_3d(combgpu_context *ctx, int n,
                                                           const double *x, const double *y,
                                                           const double *z,
                                                           combgpu_tsp_metric metric,
                                                           combgpu_tsp_instance *instance);
/* Returns the weight from one city to another, by matrix or coordinates; 0 for equal cities. Cities
   must be 0 to n-1. */
COMBGPU_API double combgpu_tsp_weight(const combgpu_tsp_instance *instance, int from, int to);
/* Builds an instance from a matrix (copied), symmetric or not. NaN becomes
   COMBGPU_TSP_NO_CONNECTION. Errors: INVALID_ARGUMENT (n; weights below -1e300, or finite and above
   1e300), OUT_OF_MEMORY. */
COMBGPU_API combgpu_status combgpu_tsp_from_matrix(combgpu_context *ctx, int n,
                                                   const double *weights,
                                                   combgpu_tsp_instance *instance);
COMBGPU_API combgpu_status combgpu_tsp_from_int_matrix(combgpu_context *ctx, int n,
                                                       const int *weights,
                                                       combgpu_tsp_instance *instance);
/* Reads a TSPLIB file: TYPE TSP, ATSP, SOP and HCP; EDGE_WEIGHT_TYPE EUC_2D, CEIL_2D, MAN_2D, MAX_2D,
   ATT, GEO, EUC_3D, MAN_3D, MAX_3D, XRAY1, XRAY2, or EXPLICIT as FULL_MATRIX or any of the eight
   triangular forms, integers or decimals; and, from LKH and concorde, FLOOR_2D, EXACT_2D
   (unrounded: COMBGPU_TSP_PLANE) and GEOM.
   - Keywords and sections may come in any order and in either case; known keywords need no ":". A #
     begins a comment, up to the end of the line. Without TYPE, weights that differ by direction
     make an ATSP.
   - Nodes may come in any order. They count from 1, or from 0 if the file has a node 0 and no node
     DIMENSION.
   - A flat type ignores equal third coordinates and refuses others.
   - In a matrix, inf, infinity, nan, null, none, na and - mean no connection; other weights may be
     negative. In a SOP, -1 puts the row's city after the column's: it becomes a pair of `before`
     with weight 0.
   - EDGE_DATA_SECTION, up to 1000 cities: its EDGE_LIST or ADJ_LIST connects only the pairs listed.
     A third number in a line of an EDGE_LIST is the edge's weight. Edges of TYPE HCP weigh 1: a
     Hamiltonian cycle is a tour of length DIMENSION.
   - FIXED_EDGES_SECTION and EDGE_DATA_SECTION end with -1 or before a keyword. Sections that no
     search uses are skipped.
   - Truncated text is refused; without EOF it counts as complete if its last line ends and it has
     all sections that its keywords require.

   A line with n alone and n lines "x y" are points as concorde reads them: EUC_2D.

   Files with time windows are recognised, too. One vehicle visits all cities; a note is logged if
   its capacity is too small:
   - TYPE TSPTW, or CVRPTW or VRPTW (K. Helsgaun's LKH-3, VRPLIB): lines "node ready due" in a
     TIME_WINDOW_SECTION; service times in a SERVICE_TIME_SECTION, or one SERVICE_TIME for all
     cities except the depot, which is city 1 or that of the DEPOT_SECTION. EDGE_WEIGHT_TYPE gives
     the weights: EUC_2D rounds to the nearest integer. A file must have EOF, or else a depot and
     service times, to reveal truncation.
   - M. Solomon's: a name, VEHICLE with NUMBER and CAPACITY, then CUSTOMER with seven numbers a line as
     below, from customer 0, the depot, here city 0. Weights are unrounded Euclidean distances. The
     last line must end.
   - n, the n x n matrix, n lines "ready due", as on M. Lopez-Ibanez's and C. Blum's page for the
     sets of Ascheuer, Dumas and others. The first city is the depot; weights include service.
   - A head "CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME", a line of these seven
     numbers for each customer from 1, the depot, and customer 999 at the end, as R. F. da Silva and
     S. Urrutia publish them. Weights are Euclidean distances truncated to integers, as in the
     matrices published for the same instances; they violate the triangle inequality, and nothing
     here restores it.

   Errors: FILE_ERROR; BAD_FILE and UNSUPPORTED, with line and reason; OUT_OF_MEMORY. */
COMBGPU_API combgpu_status combgpu_tsp_read(combgpu_context *ctx, const char *path,
                                            combgpu_tsp_instance *instance);
/* The same from memory; the text needs no NUL. */
COMBGPU_API combgpu_status combgpu_tsp_parse(combgpu_context *ctx, const char *text, size_t bytes,
                                             combgpu_tsp_instance *instance);
/* Reads a tour of n cities into tour[n], cities from 0: a TSPLIB tour (TOUR_SECTION, ended by -1 or
   EOF; DIMENSION may be missing), or the n numbers alone, or after n, as in concorde's .sol. Cities
   count from 1 in the text, or from 0 if it has a city 0. Errors: as combgpu_tsp_read. */
COMBGPU_API combgpu_status combgpu_tsp_read_tour(combgpu_context *ctx, const char *path, int n,
                                                 int *tour);
COMBGPU_API combgpu_status combgpu_tsp_parse_tour(combgpu_context *ctx, const char *text,
                                                  size_t bytes, int n, int *tour);
/* Writes a tour as the NUL-terminated text of a TSPLIB tour file. *needed (may be NULL) gets the
   size with the NUL. text may be NULL to get only the size; name may be NULL.
   Errors: INVALID_ARGUMENT (tour is not a permutation, bytes is too small). */
COMBGPU_API combgpu_status combgpu_tsp_write_tour(combgpu_context *ctx, const char *name, int n,
                                                  const int *tour, char *text, size_t bytes,
                                                  size_t *needed);
/* Replaces the precedence of an instance that the functions above made: `count` pairs (copied),
   city pairs[2k] before city pairs[2k + 1]; 0 = none. Errors: INVALID_ARGUMENT (count, a city
   outside 0 to n-1), OUT_OF_MEMORY. The search tells whether the pairs leave a tour. */
COMBGPU_API combgpu_status combgpu_tsp_set_before(combgpu_context *ctx,
                                                  combgpu_tsp_instance *instance, int count,
                                                  const int *pairs);
/* Replaces such an instance's fixed edges (copied); 0 = none. Errors: as combgpu_tsp_set_before.
   The search tells whether they leave a tour. */
COMBGPU_API combgpu_status combgpu_tsp_set_fixed(combgpu_context *ctx,
                                                 combgpu_tsp_instance *instance, int count,
                                                 const int *edges);
/* Frees what the functions above allocated and empties the struct. */
COMBGPU_API void combgpu_tsp_free(combgpu_context *ctx, combgpu_tsp_instance *instance);

typedef enum combgpu_tsp_method {
    COMBGPU_TSP_AUTO = 0,         /* see combgpu_tsp */
    COMBGPU_TSP_BRUTE_FORCE,      /* computes every tour's length; n <= 16 */
    COMBGPU_TSP_HELD_KARP,        /* dynamic programming over subsets; n <= 32, memory permitting */
    COMBGPU_TSP_BRANCH_AND_BOUND, /* linear relaxations and 1-trees; memory permitting */
    COMBGPU_TSP_HEURISTIC         /* a good tour and a proven bound; any n */
} combgpu_tsp_method;

typedef enum combgpu_tsp_shape {
    COMBGPU_TSP_CYCLE = 0, /* closed tour, from city 0 back to it */
    COMBGPU_TSP_PATH       /* open path, with free ends or fixed as path_ends says */
} combgpu_tsp_shape;

/* Which ends of a path are fixed at a city. The search chooses the others. */
typedef enum combgpu_tsp_ends {
    COMBGPU_TSP_FREE_ENDS = 0,
    COMBGPU_TSP_FIXED_START = 1, /* it begins at path_start */
    COMBGPU_TSP_FIXED_END = 2,   /* it ends at path_end */
    COMBGPU_TSP_FIXED_ENDS = 3   /* both */
} combgpu_tsp_ends;

typedef struct combgpu_tsp_desc {
    const combgpu_tsp_instance *instance; /* read during the call */
    combgpu_tsp_method method;
    combgpu_tsp_shape shape;
    combgpu_tsp_ends path_ends; /* PATH: which ends are fixed, */
    int path_start, path_end;   /* and at which cities; 0 if free */
    const int *start;           /* branch and bound: a first tour of n cities, read during the call;
                         NULL = the search finds one */
    uint64_t seed;  /* branch and bound: for the random restarts in the search for a first tour;
                      heuristic: for the kicks */
    uint64_t kicks; /* heuristic: random changes tried; 0 = 25 n, or as many as run.time_limit_s
                       allows */
    int *tour;      /* gets the tour, n cities; NULL = only in the result, if it fits */
    combgpu_run_desc run;
} combgpu_tsp_desc;

typedef struct combgpu_tsp_result {
    int feasible;       /* 0: no tour over connections is known, and the length is infinite; with
                                  `optimal`, proven that none exists */
    double length;      /* of the tour below */
    double lower_bound; /* proven: no tour is shorter. If optimal, length minus tolerance, rounded
                                  down */
    double gap;         /* (length - lower_bound) / |lower_bound|; 0 if optimal, HUGE_VAL if the
                                  bound is 0 or without a tour */
    int optimal;        /* nonzero: the tour is proven shortest, and the smallest such in normal
                                 form (branch and bound, heuristic: any shortest); or none exists,
                                 proven */
    double tolerance;   /* rounded weights may hide a tour shorter by at most this; 0 = none */
    combgpu_tsp_method method; /* the one used */
    combgpu_tsp_shape shape;
    int n;
    int tour[COMBGPU_TSP_MAX_TOUR]; /* n cities, for n up to COMBGPU_TSP_MAX_TOUR (desc.tour takes
                                       more); if not optimal, the best known tour, at worst a
                                       nearest neighbour tour */
    uint64_t rank;  /* the tour's lexicographic rank, from 0, among all n! permutations; UINT64_MAX
                      above 20 cities */
    uint64_t tours; /* BRUTE_FORCE: exact number of tours computed */
    combgpu_run_info run; /* steps: brute force: tours; Held-Karp: states (city, set of cities
                             still to visit); branch and bound: 1-trees
                             and labels, and 10 for each pivot; heuristic: kicks, and n/150 + 4 for
                             each 1-tree. checksum: brute force: sum
                             of a hash of every prefix's shortest tour; Held-Karp: hash of the
                             answer; branch and bound: hash of the optimal length; heuristic: hash of the
                             length */
} combgpu_tsp_result;

/* Finds a shortest tour and proves it.

   BRUTE FORCE computes the length of every tour, without pruning: (n-1)!/2 cycles or n!/2 paths
   with free ends if the weights are symmetric, twice as many if not; (n-1)! or (n-2)! paths with
   one or two fixed ends. Tours share the sums of their prefixes: 0.76 G tours/s on one core, 1,300
   G tours/s on an H200 (n = 16: 0.5 s). The best of all shards' results (smallest length, then
   lexicographically smallest tour) is the result of the whole search.

   HELD-KARP (Bellman 1962; Held and Karp 1962) takes O(2^n n^2) time and O(2^n n) memory: for a
   cycle of n cities about (n-5) 2^(n-2) weights of 4 bytes, or of 8 bytes if n+1 times the largest
   weight reaches 2^30 or weights are not integers. That is 0.3 GB for n = 24 and 26 GB for n = 30.
   One core takes 0.7 ms for n = 16, 16 ms for 20, 0.46 s for 24; an H200 takes 5 ms for 24, 0.28 s
   for 30. Held-Karp cannot be sharded, and a resumed run recomputes its table. On the CPU the table
   may take 2 GiB if memory_limit is 0.

   BRANCH AND BOUND proves with 1-tree bounds (Held and Karp 1970) that no tour is shorter than the
   one it returns, which may be any of the shortest. The proof is complete when no part of the
   search tree has a bound within a step of that tour: lengths differ by multiples of what the
   weights have in common (2 for whole numbers in MAN_2D, 200 on a grid of 100). One thread first
   tries branch and cut: linear relaxations with subtour and comb inequalities (Dantzig, Fulkerson
   and Johnson 1954; Chvatal 1973; Padberg and Rinaldi 1991). The relaxations are solved in doubles,
   but each bound is proven by a 1-tree in whole numbers. For up to 64 asymmetric cities, labels
   come first: dynamic programming over shortest paths through sets of cities, as far as their
   bounds are below the first tour. They take 4 MB; 30 stops of a map take 4 ms. If the first
   relaxation leaves a gap of a twelfth, or the tree of up to 150 nodes (cities, or twice as many
   if asymmetric) is too large, it gives up, and all threads search with 1-trees alone. If the
   context has a GPU, or several devices, they then take over the open nodes of a tree that is
   not done after 50,000 1-trees per thread, unless the instance is asymmetric and has more than
   143 cities, or more than 32,767 edges are in question; run.backend names the backend that
   worked last. On one core (Sapphire Rapids) pr76 takes 0.3 s, kroA200 0.4 s, d198 0.7 s, and
   the other TSPLIB instances up to 200 cities among the tests less than 0.4 s. A search that
   ends early returns STOPPED, the best tour, and the least bound of the open nodes, which is
   proven. One that is resumed begins branch and cut anew. The search improves `start` before it
   begins; it also tries a first tour of its own (nearest neighbour, then 2-opt and or-3opt with
   random restarts from `seed`; above 256 cities the heuristic's too, in the first steps, which a
   resumed run repeats). It cannot be sharded. If the first tour is optimal, run.steps is the
   same on every device with any number of threads; with branch and cut, the compiler's rounding
   may change it. Otherwise run.steps depends on which worker finds a better tour first; the
   length does not.

   The precision of branch and bound depends on L: n (for a path with a free end n + 1) times the
   largest weight, or times the first tour's length if that is smaller. Integers are exact for L up
   to 2^55. Other weights are rounded to 2^-49 L, and the search may miss a tour shorter by less
   than 2^-41 L, the result's tolerance.

   FIXED EDGES (instance->fixed; FIXED_EDGES_SECTION of a file) require symmetric weights and at
   least 5 cities. The methods are AUTO, BRANCH_AND_BOUND (proven) and HEURISTIC.
   AUTO prefers branch and bound; `start` is ignored. Integers are then exact for L (see above) up
   to 2^50. Edges that branch or close a subtour are INVALID_ARGUMENT; other methods, asymmetric
   weights, precedence, time windows and lists of shortest tours are UNSUPPORTED.

   THE HEURISTIC gives a tour and a proven lower bound for any number of cities, at any time limit:
   a result is optimal only if they meet. With coordinates instead of a matrix, memory grows with n:
   8 MB for 10,000 cities. The tour: greedy, then chains of exchanges (S. Lin, B. W. Kernighan, 1973)
   and insertions (I. Or, 1976) on neighbour lists, then kicks: swap two neighbouring segments of at
   most 50 cities (O. Martin, S. W. Otto, E. W. Felten, 1991), repair the tour around them, and undo
   if it is longer. Asymmetric weights use or-3opt instead. The bound: an ascent of 1-trees on the
   lists (M. Held, R. M. Karp, 1971), proven now and then, and at its end, by a least spanning tree
   of all edges. The bound begins 10 to 15 % below the optimum and ends 0.7 to 1 % below. Two cores,
   10 s: pr1002 1.2 % above
   the bound, pcb3038 1.0 %, 10,000 random points 1.1 %. Without a time limit the search ends with
   status OK after `kicks`; the result then depends only on the seed, not on threads or device (it
   runs on the CPU, with at most two threads). With a limit, and kicks 0, it runs until the limit
   (STOPPED). A `start` shorter than the greedy tour replaces it. It cannot be sharded; up to 7
   cities use brute force instead.

   AUTO chooses brute force up to 9 cities (paths: 8, with one fixed end 9, with both 10) and for
   shards, Held-Karp up to 16 cities, and branch and bound above, unless only Held-Karp is exact or
   the first bound is more than a twelfth off: then Held-Karp is faster up to 26 cities, and on a
   GPU as far as its memory reaches. A checkpoint keeps the method: a search resumed (on any device)
   or merged with AUTO uses the same one.

   PRECEDENCE (instance->before; "sequential ordering"; n <= 128). A cycle begins at city 0, so no
   city precedes it; its direction counts. The methods are AUTO and BRANCH_AND_BOUND, which may
   return any of the shortest tours. The search extends beginnings of tours. Of two with the same
   cities and last city it keeps the cheaper (Held and Karp 1962), in a table of up to 1 GiB, or
   memory_limit. A bound gives the least cost of the rest for each position, city there and choice
   of a few cities visited before: dynamic programming over walks that may revisit unwatched cities
   (Baldacci, Mingozzi and Roberti 2011), with city prices from sub-gradient ascent. It runs on the
   host's threads, whatever the device. All lengths are exact; run.steps counts beginnings and, by
   the thousand, entries of bounds, and depends on the threads. TSPLIB's ESC07 to ESC25 and br17
   take 0.03 to 0.3 s of one core, ESC47 4 s, p43.1 9 s; looser precedence takes longer.

   Errors: INVALID_ARGUMENT (instance, method, shape, ends, start; pairs that leave no tour; shards
   with a method other than brute force), UNSUPPORTED (too many cities for the method; large weights),
   DEVICE_OUT_OF_MEMORY (the table does not fit: the message gives its size), and all errors of
   runs. */
COMBGPU_API combgpu_status combgpu_tsp(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                       combgpu_tsp_result *result);
COMBGPU_API combgpu_status combgpu_tsp_begin(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                             combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_end(combgpu_job *job, combgpu_tsp_result *result);

/* Computes the length of a tour (CYCLE: with the leg back). Errors: INVALID_ARGUMENT (tour is not a
   permutation, violates instance->before, or lacks an edge of instance->fixed: the message names
   the cities). */
COMBGPU_API combgpu_status combgpu_tsp_length(combgpu_context *ctx,
                                              const combgpu_tsp_instance *instance,
                                              combgpu_tsp_shape shape, const int *tour,
                                              double *length);

/* ---- the k shortest tours, and the number of optima */

#define COMBGPU_TSP_TOURS_DIMENSION 15 /* cities, at most */
#define COMBGPU_TSP_MAX_TOURS 2000     /* tours in a list, at most */

/* Zero-initialise it, then set what you need. */
typedef struct combgpu_tsp_tours_desc {
    const combgpu_tsp_instance *instance; /* read during begin; may have precedence */
    combgpu_tsp_shape shape;
    combgpu_tsp_ends path_ends; /* PATH: which ends are fixed, */
    int path_start, path_end;   /* and at which cities; a free one is 0 */
    int count;                  /* tours to list, 0 (only count the shortest) to 2000 */
    double *lengths;            /* get lengths and tours, in order: `count` doubles, and */
    uint8_t *tours;             /* tour k's n cities at tours + k*n; NULL = not wanted. Written by
                                 _end; entries beyond result.count stay unchanged */
    combgpu_run_desc run;
} combgpu_tsp_tours_desc;

typedef struct combgpu_tsp_tours_result {
    double length;        /* of the shortest tour; infinite if none exists */
    uint64_t optima;      /* tours of that length */
    double tolerance;     /* rounded weights may make tours equal whose lengths differ by at most
                             this; 0 = exact */
    int count;            /* tours listed: desc.count, or all if fewer */
    combgpu_run_info run; /* steps: states (city, cities left). checksum: sum of a hash of the best
                             `count` tours for each last city */
} combgpu_tsp_tours_result;

/* Lists the shortest tours and counts the optima: dynamic programming over sets for each last city,
   then a search in which every beginning leads to a listed tour. Tours are in normal form (with
   precedence, in its direction), sorted by length, then lexicographically. Every backend gives the
   same list, steps and checksum; the 2000 shortest of 15 cities take 0.12 s of one core. A task is
   a last city, so at most 15 of a device's blocks work. Memory: n 2^(n+3) bytes per thread; on a
   device about that and 16 n `count` for each task, 5 MB at most. If memory_limit is too small for
   one task, the host's threads search instead. A shard lists its own shortest tours; merged shards
   give the whole list. A run that ends early (STOPPED) lists those it has seen. Errors:
   INVALID_ARGUMENT (instance, shape, ends, count, pairs that leave no tour), UNSUPPORTED
   (n, fixed edges), OUT_OF_MEMORY, and all errors of runs. O(n^3 2^n + count n^2) time. */
COMBGPU_API combgpu_status combgpu_tsp_tours(combgpu_context *ctx,
                                             const combgpu_tsp_tours_desc *desc,
                                             combgpu_tsp_tours_result *result);
COMBGPU_API combgpu_status combgpu_tsp_tours_begin(combgpu_context *ctx,
                                                   const combgpu_tsp_tours_desc *desc,
                                                   combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_tours_end(combgpu_job *job,
                                                 combgpu_tsp_tours_result *result);

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

/* ---- batches: many instances in one call */

#define COMBGPU_TSP_BATCH_DIMENSION 256 /* cities per instance, at most */

/* What a batch knows of an instance. */
typedef enum combgpu_tsp_batch_state {
    COMBGPU_TSP_UNKNOWN = 0, /* not begun, or unfinished when the run stopped */
    COMBGPU_TSP_PROVEN = 1,  /* its tour is proven shortest */
    COMBGPU_TSP_BOUNDED = 2, /* ended at its limit: a tour (infinite length: none yet) and a proven
                                lower bound */
    COMBGPU_TSP_NO_TOUR = 3  /* proven: none exists. Length and lower bound are infinite */
} combgpu_tsp_batch_state;

/* A batch: `count` instances, all of one shape. Zero-initialise it, then set what you need, with
   exactly one of weights, int_weights, and x with y, read during begin. */
typedef struct combgpu_tsp_batch_desc {
    uint64_t count;             /* instances, 1 to 4,000,000,000 */
    int n;                      /* cities of the largest instance, 1 to 256 */
    const int *cities;          /* cities of each instance, 1 to n; NULL = n each */
    const double *weights;      /* from i to j in instance k: weights[(k*n + i)*n + j], even if the
                                   instance has fewer than n cities; symmetric or not */
    const int32_t *int_weights; /* likewise */
    const double *x, *y;        /* city i of instance k: x[k*n + i], y[k*n + i] */
    combgpu_tsp_metric metric;  /* with x and y: EUC_2D to EARTH, FLOOR_2D, GEOM */
    combgpu_tsp_shape shape;
    combgpu_tsp_ends path_ends; /* PATH: which ends are fixed, */
    int path_start, path_end;   /* and at which cities; a free one is 0 */
    double *lengths;      /* gets the length of each instance's tour: count doubles, each -1 until
                                 known; NULL = not wanted */
    uint8_t *tours;       /* gets the tours: instance k's at tours + k*n; NULL = not wanted */
    double *lower_bounds; /* gets a proven lower bound of each instance (a proven tour's length),
                                minus what rounding may hide: count doubles, -1 until known
                                (negative weights: see states); NULL = not wanted */
    uint8_t *states;      /* gets each instance's combgpu_tsp_batch_state; NULL = not wanted */
    uint64_t instance_steps; /* n above 15: 1-trees below the root of an instance's tree, after
                                which it ends with what it has; 0 = no limit */
    double instance_seconds; /* n above 15: time of an instance, likewise, checked after the root.
                                Results then depend on the machine's speed. 0 = no limit */
    uint64_t seed;           /* n above 15: as in combgpu_tsp_desc */
    combgpu_run_desc run;
} combgpu_tsp_batch_desc;

typedef struct combgpu_tsp_batch_result {
    uint64_t solved;      /* instances proven */
    uint64_t bounded;     /* instances that ended at their limit */
    combgpu_run_info run; /* steps: n up to 15: states (city, set of cities still to visit), above:
                             1-trees below the roots. checksum: sum of a hash of each instance's
                             number, length, and tour (n up to 15) or lower bound */
} combgpu_tsp_batch_result;

/* Solves a batch, with lengths and shapes as above.

   UP TO 15 CITIES (desc.n) by Held-Karp's dynamic programming, O(n^2 2^n) per instance; tours are the
   smallest in normal form. Each block of a GPU solves one instance at a time, each thread of a CPU
   with AVX2 or AVX-512 up to 32 of them side by side. 100,000 instances of 12 cities take 0.6 s on
   one core.

   FROM 16 TO 256 CITIES by branch and bound, one instance per thread of the host. Tours may be any of
   the shortest; the proof's tolerance is that of branch and bound. An instance that reaches
   instance_steps or instance_seconds ends with its best tour, nearly always a shortest one, and a
   proven lower bound; the run is OK and result.bounded counts it. Results do not depend on threads
   or resumes, unless instance_seconds is set. A checkpoint stores finished instances; unfinished
   ones, up to 8 more than threads, begin anew. Each takes 0.1 (20 cities) to 14 MB (256 cities,
   matrices). On one core an instance of random points takes in the mean 0.4 ms for 20 cities, 7 ms
   for 50, 60 ms for 100, 0.2 s for 150 and 0.7 s for 200. If the root's gap is large compared with
   the tour's legs, branch and cut continues there, uncounted in steps, and an instance takes 2 (50
   cities) to 10 MB (256 cities) more.

   First the host's threads work on every root and up to 256 1-trees below it; then devices search
   the larger trees, node by node. Lengths, bounds, states and checksum equal the CPU's. Steps may
   differ: branch and cut begins only at larger gaps, a tree may find a better tour than the
   heuristic, and trees that begin anew after a resume count their steps again. run.verify skips
   these trees. The host does everything, and run.backend says so, with instance_steps or
   instance_seconds, without a device, above 1,048,576 instances, and for graphs of more than 128
   nodes: paths of 128 cities, matrices above 64 cities (63 for paths).

   A shard or a resumed run writes only its part of lengths, tours, lower_bounds and states: keep
   earlier runs' values. Shards do not initialise them to -1 and 0. Errors: INVALID_ARGUMENT (count,
   n, cities, weights or coordinates, shape, ends, instance_seconds; the message names the
   instance), OUT_OF_MEMORY, and all errors of runs. */
COMBGPU_API combgpu_status combgpu_tsp_batch(combgpu_context *ctx,
                                             const combgpu_tsp_batch_desc *desc,
                                             combgpu_tsp_batch_result *result);
COMBGPU_API combgpu_status combgpu_tsp_batch_begin(combgpu_context *ctx,
                                                   const combgpu_tsp_batch_desc *desc,
                                                   combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_batch_end(combgpu_job *job,
                                                 combgpu_tsp_batch_result *result);

/* ---- what the shortest tours of a batch's instances have in common */

/* What is known of a leg of an instance's tour. */
typedef enum combgpu_tsp_leg {
    COMBGPU_TSP_LEG_OTHER = 0,  /* another shortest tour lacks it */
    COMBGPU_TSP_LEG_COMMON = 1, /* every shortest tour has it */
    COMBGPU_TSP_LEG_UNKNOWN =
        2 /* the instance is not proven, ended at its limit, or was not reached */
} combgpu_tsp_leg;

typedef struct combgpu_tsp_common_desc {
    const combgpu_tsp_batch_desc *batch; /* a batch, as it was solved; read during begin. It needs
                                            `tours`; of `states`, instances that are PROVEN count, or
                                            all if it is NULL. Lengths, bounds and run are not read */
    uint8_t
        *common; /* gets a combgpu_tsp_leg for each leg: count * n bytes, that of instance k from
                        tours[k*n + i] to the next city at common[k*n + i]. Entries without a leg (the
                        last of a path, those beyond an instance's cities) are COMMON: so a tour is
                        the only shortest one if all of its n entries are. NULL = not wanted */
    combgpu_run_desc run;
} combgpu_tsp_common_desc;

typedef struct combgpu_tsp_common_result {
    uint64_t known;  /* instances of whose legs none is UNKNOWN */
    uint64_t unique; /* those with one shortest tour, up to direction if weights are symmetric */
    combgpu_run_info run; /* steps: 1-trees. checksum: sum of a hash of each instance's legs */
} combgpu_tsp_common_result;

/* Tells for each leg of a batch's tours whether every shortest tour of its instance has it.

   The bound of branch and bound excludes edges from all tours of the shortest length, and forces
   others. For each leg that this leaves open a search tree without it looks for such a tour; one that
   it finds settles all legs that it lacks. Tours whose lengths differ by less than the tolerance of
   branch and bound (see combgpu_tsp) count as equally long; of integers, only equal ones. The host's
   threads work, an instance on each, for any number of cities that a batch takes. 50 random cities take
   as long as in the batch, with many ties 1.3 times, 100 cities 1.5 to 5 times. It can be sharded and
   resumed like a batch; desc.batch->instance_steps (here all 1-trees of an instance) and instance_seconds
   limit it likewise, and leave legs UNKNOWN.

   Errors: INVALID_ARGUMENT (batch, or a tour that is none; a PROVEN instance whose tour turns out not
   to be a shortest one, during the run), OUT_OF_MEMORY, and all errors of runs. */
COMBGPU_API combgpu_status combgpu_tsp_common(combgpu_context *ctx,
                                              const combgpu_tsp_common_desc *desc,
                                              combgpu_tsp_common_result *result);
COMBGPU_API combgpu_status combgpu_tsp_common_begin(combgpu_context *ctx,
                                                    const combgpu_tsp_common_desc *desc,
                                                    combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_common_end(combgpu_job *job,
                                                  combgpu_tsp_common_result *result);

/* A drawing of a tour; zero-initialise it, then set what you need. Text is UTF-8. */
typedef struct combgpu_tsp_drawing {
    const combgpu_tsp_instance *instance; /* with coordinates */
    combgpu_tsp_shape shape;
    const int *tour;          /* NULL = the cities alone */
    const char *title;        /* above the picture; it adds rings where the tour begins (green) and
                                 a path ends (red). NULL = none */
    const char *legend;       /* a smaller line below the title; NULL = none */
    const char *const *names; /* of the n cities; NULL = their numbers, from 1 */
} combgpu_tsp_drawing;

/* Draws a tour as a NUL-terminated SVG picture, 800 wide. y points up; on a sphere north is up, and
   longitude is scaled for the picture's middle latitude. Up to 128 cities are labelled, except
   where a label would cover another label or a city. text, bytes and needed are as
   for combgpu_tsp_write_tour. Errors: INVALID_ARGUMENT (the instance has no coordinates or more
   than 5000 cities, tour is not a permutation, bytes is too small). */
COMBGPU_API combgpu_status combgpu_tsp_draw(combgpu_context *ctx,
                                            const combgpu_tsp_drawing *drawing, char *text,
                                            size_t bytes, size_t *needed);

/* Draws without title, legend and names. tour may be NULL. */
COMBGPU_API combgpu_status combgpu_tsp_to_svg(combgpu_context *ctx,
                                              const combgpu_tsp_instance *instance,
                                              combgpu_tsp_shape shape, const int *tour, char *text,
                                              size_t bytes, size_t *needed);
