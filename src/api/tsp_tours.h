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
