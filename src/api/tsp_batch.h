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
    /* n above 15: gets the nodes of each instance's search tree, but those that devices search; 0 =
       the root proved the tour; NULL = not wanted */
    uint64_t *nodes;
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

   FROM 16 TO 256 CITIES by branch and bound, one instance per thread of the host; once none is
   left, the threads share the trees that are. Tours may be any of the shortest; the proof's
   tolerance is that of branch and bound. An instance that reaches instance_steps or
   instance_seconds ends with its best tour, nearly always a shortest one, and a proven lower bound;
   the run is OK and result.bounded counts it. Results do not depend on threads or resumes, unless
   instance_seconds is set, with one exception: which of several shortest tours a shared tree finds,
   after how many nodes, and the steps where its cuts give up. With instance_steps, say UINT64_MAX,
   no tree is shared. A checkpoint stores finished instances; unfinished ones, up to 8 more than
   threads, begin anew. Each takes 0.1 (20 cities) to 14 MB (256 cities, matrices). On one core an
   instance of random points takes in the mean 0.2 ms for 20 cities, 3.3 ms for 50, 26 ms for 100,
   0.12 s for 150 and 0.3 s for 200. If the root's gap is large compared with the tour's legs, or
   weights are asymmetric, labels and branch and cut continue there, uncounted in steps, and an
   instance takes 3 (50 cities) to 11 MB (256 cities; asymmetric 22) more, for each thread that
   shares its tree.

   First the host's threads work on every root and up to 256 1-trees below it; then devices search
   the larger trees, node by node. Lengths, bounds, states and checksum equal the CPU's. Steps may
   differ: branch and cut begins only at larger gaps, a tree may find a better tour than the
   heuristic, and trees that begin anew after a resume count their steps again. run.verify skips
   these trees. The host does everything, and run.backend says so, with instance_steps or
   instance_seconds, without a device, above 1,048,576 instances, for graphs of more than 128
   nodes: paths of 128 cities, matrices above 64 cities (63 for paths); and where its threads are
   faster, which a note says: beside GPUs with fewer than 8 compute units for each thread, or fewer
   than 16 above 64 and below 30 cities.

   A shard or a resumed run writes only its part of lengths, tours, lower_bounds, states and nodes:
   keep earlier runs' values. Shards do not initialise them to -1 and 0. Errors: INVALID_ARGUMENT (count,
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
   others. For each leg that this leaves open a search tree without it looks for such a tour; one
   that it finds settles all legs that it lacks. Tours whose lengths differ by less than the
   tolerance of branch and bound (see combgpu_tsp) count as equally long; of integers, only equal
   ones. The host's threads work, an instance on each, for any number of cities that a batch takes.
   50 random cities take 1.5 times as long as in the batch, with many ties or asymmetric 2.5 to 3.5
   times, 100 cities 1.5 to 5 times. It can be sharded and resumed like a batch;
   desc.batch->instance_steps (here all 1-trees of an instance) and instance_seconds limit it
   likewise, and leave legs UNKNOWN.

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
