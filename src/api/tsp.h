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

/* ---- tours: shapes, length, drawings */

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

/* Computes the length of a tour (CYCLE: with the leg back). Errors: INVALID_ARGUMENT (tour is not a
   permutation, violates instance->before, or lacks an edge of instance->fixed: the message names
   the cities). */
COMBGPU_API combgpu_status combgpu_tsp_length(combgpu_context *ctx,
                                              const combgpu_tsp_instance *instance,
                                              combgpu_tsp_shape shape, const int *tour,
                                              double *length);

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
