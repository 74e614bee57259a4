/* ---- a shortest tour, or a good one with a lower bound */

typedef enum combgpu_tsp_method {
    COMBGPU_TSP_AUTO = 0,         /* see combgpu_tsp */
    COMBGPU_TSP_BRUTE_FORCE,      /* computes every tour's length; n <= 16 */
    COMBGPU_TSP_HELD_KARP,        /* dynamic programming over subsets; n <= 32, memory permitting */
    COMBGPU_TSP_BRANCH_AND_BOUND, /* linear relaxations and 1-trees; memory permitting */
    COMBGPU_TSP_HEURISTIC         /* a good tour and a proven bound; any n */
} combgpu_tsp_method;

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
    uint64_t kicks; /* heuristic: random changes tried; 0 = 15 n, or as many as run.time_limit_s
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
                             still to visit); branch and bound: 1-trees and labels, and 10
                             for each pivot; heuristic: kicks, and n/300 + 2 for each 1-tree. checksum:
                             brute force: sum of a hash of every prefix's shortest tour; Held-Karp:
                             hash of the answer; branch and bound: hash of the optimal length;
                             heuristic: hash of the length */
} combgpu_tsp_result;

/* Finds a shortest tour and proves it.

   AUTO proves tours of up to COMBGPU_TSP_MAX_MATRIX cities. It takes brute force up to 9 cities
   (paths: 8, with one fixed end 9, with both 10) and for shards, Held-Karp up to 16 cities, and
   branch and bound above, unless only Held-Karp is exact or the first bound is more than a twelfth
   off: then Held-Karp is faster up to 26 cities, and on a GPU as far as its memory reaches. Above
   COMBGPU_TSP_MAX_MATRIX cities, and above COMBGPU_TSP_MAX_TOUR with a time limit below 10
   (n / 1000)^2 s, it takes the heuristic: a good tour and a proven lower bound. A checkpoint keeps
   the method: a search resumed (on any device) or merged with AUTO uses the same one.

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
   weights have in common (2 for whole numbers in MAN_2D, 200 on a grid of 100). Branch and cut
   comes first, on one thread, after 40,000 steps on all: linear relaxations with subtour and comb
   inequalities (Dantzig, Fulkerson and Johnson 1954; Chvatal 1973; Padberg and Rinaldi 1991). The
   relaxations are solved in doubles, but each bound is proven by a 1-tree in whole numbers. Up to
   64 asymmetric cities, labels come first: dynamic programming over sets of cities, in 4 MB; 30
   stops of a map take 3 ms. If the first relaxation leaves a gap of a twelfth, or the tree of up to
   150 nodes (cities, or twice as many if asymmetric) is too large, it gives up, and all threads
   search with 1-trees alone. A GPU, or the context's other devices, then take over the open nodes
   of a tree that is not done after 50,000 1-trees per thread, except above 143 asymmetric cities or
   32,767 edges in question; run.backend names the backend that worked last. On one core (Sapphire
   Rapids) pr76 takes 0.17 s, kroA200 0.22 s, d198 0.23 s, u574 6 s, u724 92 s. A search that ends
   early returns STOPPED, the best tour and a proven bound, the least of the open nodes; a resumed
   one begins branch and cut anew. The search improves `start`, and tries a tour of its own (2-opt
   and or-3opt with kicks from `seed`; above 256 cities the heuristic's, in the first steps, which a
   resumed run repeats). It cannot be sharded. If the first tour is optimal and branch and cut is
   not needed, run.steps is the same on every device with any number of threads. With branch and cut
   the compiler's rounding may change it, and after 40,000 steps the threads. Otherwise it depends
   on which worker finds a better tour first; the length does not.

   The precision of branch and bound depends on L: n (for a path with a free end n + 1) times the
   largest weight, or times the first tour's length if that is smaller. Integers are exact for L up
   to 2^55. Other weights are rounded to 2^-49 L, and the search may miss a tour shorter by less
   than 2^-41 L, the result's tolerance.

   FIXED EDGES (instance->fixed; FIXED_EDGES_SECTION of a file) require symmetric weights and at
   least 5 cities. Methods: AUTO and BRANCH_AND_BOUND, which prove, and HEURISTIC; `start` is
   ignored. Integers are then exact for L (see above) up to 2^50. Edges that branch or close a
   subtour are INVALID_ARGUMENT; other methods, asymmetric weights, precedence, time windows and
   lists of shortest tours are UNSUPPORTED.

   THE HEURISTIC gives a tour and a proven lower bound for any number of cities, at any time limit:
   a result is optimal only if they meet. With coordinates instead of a matrix, memory grows with n:
   8 MB for 10,000 cities. The tour: greedy, then chains of exchanges (S. Lin, B. W. Kernighan,
   1973) and insertions (I. Or, 1976) on neighbour lists, then kicks: double bridges of four legs
   near each other (O. Martin, S. W. Otto, E. W. Felten, 1991), repaired, and undone if the tour is
   longer. Asymmetric weights use or-3opt. The bound: an ascent of 1-trees on the lists (M. Held, R.
   M. Karp, 1971), proven now and then, and at its end, by a least spanning tree of all edges. It
   begins 10 to 15 % below the optimum and ends 0.7 to 1 % below. On one core pr1002 is 0.9 % above
   the bound after 10 s, 1,000 random points 1.0 % after 1 s, 10,000 1.2 % after 5 s. It runs on at
   most two of the host's threads: without a time limit until `kicks` are tried (OK; the result
   depends on the seed alone), with one and kicks 0 until then (STOPPED). A shorter `start` replaces
   the greedy tour. It cannot be sharded; up to 7 cities use brute force instead.

   PRECEDENCE (instance->before; "sequential ordering"; n <= 128). A cycle begins at city 0, so no
   city precedes it; its direction counts. The methods are AUTO and BRANCH_AND_BOUND, which may
   return any of the shortest tours. The search extends beginnings of tours. Of two with the same
   cities and last city it keeps the cheaper (Held and Karp 1962), in a table of up to 1 GiB, or
   memory_limit. A bound gives the least cost of the rest for each position, city there and choice
   of a few cities visited before: dynamic programming over walks that may revisit unwatched cities
   (Baldacci, Mingozzi and Roberti 2011), with city prices from sub-gradient ascent. It runs on the
   host's threads. run.steps counts beginnings and, by the thousand, entries of bounds, and depends
   on the threads. TSPLIB's ESC07 to ESC25 and br17 take 0.03 to 0.3 s of one core, ESC47 4 s, p43.1
   9 s; looser precedence takes longer.

   Errors: INVALID_ARGUMENT (instance, method, shape, ends, start; pairs that leave no tour; shards
   with a method other than brute force), UNSUPPORTED (too many cities for the method; large weights),
   DEVICE_OUT_OF_MEMORY (the table does not fit: the message gives its size), and all errors of
   runs. */
COMBGPU_API combgpu_status combgpu_tsp(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                       combgpu_tsp_result *result);
COMBGPU_API combgpu_status combgpu_tsp_begin(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                             combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_end(combgpu_job *job, combgpu_tsp_result *result);
