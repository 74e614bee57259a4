/* Travelling salesman: limits, words of tables and totals, shared by host and kernels. */
#ifndef COMBGPU__TSP_LAYOUT_H
#define COMBGPU__TSP_LAYOUT_H

#define COMBGPU__TSP_MOST 32   /* stride of tables: the largest number of middle cities, plus 1 */
#define COMBGPU__TSP_LANES 128 /* brute force: lanes of a block */
#define COMBGPU__TSP_GPU_LOW 5 /* Held-Karp: low cities of a GPU's table: a row entry per lane */
#define COMBGPU__TSP_HASH 1    /* total of a slice after the steps, for batches, too */

/* Brute force and Held-Karp: words of `tables`. */
enum {
    COMBGPU__TSP_AT_CITIES = 0, /* middle cities */
    COMBGPU__TSP_AT_DEPTH = 1,  /* brute force: cities of a prefix */
    COMBGPU__TSP_AT_HIGH = 1,   /* Held-Karp: high cities */
    COMBGPU__TSP_AT_REVERSIBLE = 2,
    COMBGPU__TSP_AT_WIDE = 3,  /* Held-Karp: 64-bit table */
    COMBGPU__TSP_AT_LOW = 4,   /* Held-Karp: low cities */
    COMBGPU__TSP_AT_COSTS = 8, /* 64-bit: first[32], last[32], legs[32 * 32] */
    /* Held-Karp: C(a, b) at 32 a + b, to number the sets of a layer */
    COMBGPU__TSP_AT_BINOMIALS =
        COMBGPU__TSP_AT_COSTS + 2 * COMBGPU__TSP_MOST * (COMBGPU__TSP_MOST + 2)
};

#define COMBGPU__BATCH_LANES 128
#define COMBGPU__BATCH_MOST 15  /* middle cities of an instance, at most */
#define COMBGPU__BATCH_LOCAL 11 /* middle cities whose table of 16 bits fits in local memory */

/* Batches: words of `tables`. The instances follow the 2 << MOST words of the subsets. With METRIC 0
   each has m, first[MOST], last[MOST], legs[MOST * MOST] (from * MOST + to): all 32-bit or all
   64-bit. Else it has x[N], y[N]: all float or all double. */
enum {
    COMBGPU__BATCH_AT_MOST = 0, /* middle cities of an instance, at most */
    COMBGPU__BATCH_AT_WIDE = 1,
    COMBGPU__BATCH_AT_BITS = 2,   /* of a cost in a GPU's table; 16: the table is local */
    COMBGPU__BATCH_AT_METRIC = 3, /* of points: COMBGPU__BATCH_EUC_2D ... */
    COMBGPU__BATCH_AT_N = 4,      /* cities of an instance, at most */
    COMBGPU__BATCH_AT_FRONT = 5,  /* the fixed ends, or NONE; equal in a cycle */
    COMBGPU__BATCH_AT_BACK = 6,
    COMBGPU__BATCH_AT_SINGLE = 7,  /* points are float */
    COMBGPU__BATCH_AT_CITIES = 8,  /* 64 bits: offset of each instance's cities; 0 = N each */
    COMBGPU__BATCH_AT_SUBSETS = 16 /* + (1 << m), for each m: the subsets of m cities by size */
};

/* Metrics that devices compute, as in combgpu_tsp_metric. */
enum {
    COMBGPU__BATCH_EUC_2D = 1,
    COMBGPU__BATCH_CEIL_2D = 2,
    COMBGPU__BATCH_MAN_2D = 3,
    COMBGPU__BATCH_MAX_2D = 4,
    COMBGPU__BATCH_ATT = 5,
    COMBGPU__BATCH_PLANE = 7
};

/* The k shortest tours: words of `tables`. The cities' predecessors as bits; first[SIDE], last[SIDE],
   legs[SIDE * SIDE] (from * SIDE + to), 64 bits each; the subsets of all cities but one, by size. */
#define COMBGPU__SHORTEST_LANES 256 /* of a block */
#define COMBGPU__SHORTEST_SIDE 16   /* middle cities, at most, plus 1 */
enum {
    COMBGPU__SHORTEST_AT_CITIES = 0, /* middle cities */
    COMBGPU__SHORTEST_AT_KEEP = 1,   /* tours to list */
    COMBGPU__SHORTEST_AT_REVERSIBLE = 2,
    COMBGPU__SHORTEST_AT_BEFORE = 4,
    COMBGPU__SHORTEST_AT_COSTS = COMBGPU__SHORTEST_AT_BEFORE + COMBGPU__SHORTEST_SIDE,
    COMBGPU__SHORTEST_AT_SUBSETS =
        COMBGPU__SHORTEST_AT_COSTS + 2 * COMBGPU__SHORTEST_SIDE * (COMBGPU__SHORTEST_SIDE + 2)
};

/* Words of a block's memory: table, list, and extensions of the list's entries, each of two 64-bit
   numbers. */
#define COMBGPU__SHORTEST_WORK_WORDS(m, keep) (4 * ((((m)-1) << ((m)-1)) + (keep) * (m)))

/* Words of a record: length, order, and the number of tours of a task's least length, in the
   record of the first one; 0 in others. */
#define COMBGPU__SHORTEST_RECORD_WORDS 6

/* Totals after the steps. */
enum { COMBGPU__SHORTEST_S_HASH = 1, COMBGPU__SHORTEST_S_TASKS = 2 };

/* Multipliers stay within +- this, so that two of them plus a weight stay below 2^58, by which the
   kernel lowers the weights of forced edges. */
#define COMBGPU__BRANCH_MULTIPLIER ((int64_t)1 << 51)
#define COMBGPU__BRANCH_OPEN 64     /* open nodes of a device's worker, at most */
#define COMBGPU__BRANCH_NARROW 128  /* nodes of the graph for combgpu_tsp_branch, at most */
#define COMBGPU__BRANCH_WIDE 288    /* for combgpu_tsp_branch_wide */
#define COMBGPU__BRANCH_EDGES 32767 /* of a graph for either; larger graphs stay on the host */

/* Marks of an edge. */
#define COMBGPU__EDGE_FREE 0
#define COMBGPU__EDGE_FORBIDDEN 1
#define COMBGPU__EDGE_FORCED 2

/* Branch and bound: words of `tables`. The edges' ends are followed by the start of each node's
   list of edges (nodes + 1 words), by these lists, and at WEIGHTS by the edges' weights, 64 bits
   each. */
enum {
    COMBGPU__BRANCH_AT_NODES = 0,
    COMBGPU__BRANCH_AT_EDGES = 1,
    COMBGPU__BRANCH_AT_CITIES = 2,
    COMBGPU__BRANCH_AT_DIRECTED = 3,
    COMBGPU__BRANCH_AT_GRAIN = 4,  /* two words */
    COMBGPU__BRANCH_AT_LENGTH = 6, /* of the best tour, two words */
    COMBGPU__BRANCH_AT_ENDS = 8    /* of each edge: one node | the other << 16 */
};
#define COMBGPU__BRANCH_AT_WEIGHTS(nodes, edges)                                                   \
    ((COMBGPU__BRANCH_AT_ENDS + 3 * (edges) + (nodes) + 2) / 2 * 2)

/* Words of a worker's memory: multipliers, arcs, marks, and the open nodes as tasks. */
#define COMBGPU__BRANCH_MARK_WORDS(edges) (((edges) + 7) / 8 * 2)
#define COMBGPU__BRANCH_WORK_WORDS(nodes, edges, task_words)                                       \
    ((2 * (nodes) + 2 * (edges) + COMBGPU__BRANCH_MARK_WORDS(edges) +                              \
      COMBGPU__BRANCH_OPEN * (task_words) + 1) /                                                   \
     2 * 2)

/* Words of a task: bound, share of the whole search, multipliers, 64 bits each; then the edges'
   marks, 2 bits each. */
enum {
    COMBGPU__BRANCH_TASK_BOUND = 0,
    COMBGPU__BRANCH_TASK_SHARE = 2,
    COMBGPU__BRANCH_TASK_MULTIPLIERS = 4
};

/* Batches of trees: in place of one graph, the tables begin with the most nodes and edges of a graph, as
   BRANCH_AT_NODES and _EDGES; then the offset of each instance's graph, 64 bits (0 = not searched
   by nodes). A task has one more word at its end: the instance, from 1; 0 = a range of
   instances. */
#define COMBGPU__BATCH_AT_GRAPHS 8

/* Words of the record of such an instance: its number, status, scale of its length, length, lower bound
   as a double, then the tour's bytes. NEWS in place of a status: a better tour of an unfinished
   tree, its length in the graph's unit. BITS in place of a scale: the length has a double's bits,
   and the search takes altered weights. */
#define COMBGPU__BATCH_TREE_STATUS 2
#define COMBGPU__BATCH_TREE_SCALE 3
#define COMBGPU__BATCH_TREE_LENGTH 4
#define COMBGPU__BATCH_TREE_BOUND 6
#define COMBGPU__BATCH_TREE_TOUR 8
#define COMBGPU__BATCH_TREE_WORDS (COMBGPU__BATCH_TREE_TOUR + 128 / 4)
#define COMBGPU__BATCH_TREE_NEWS 100
#define COMBGPU__BATCH_TREE_BITS 3000

/* Totals of slices after the steps. */
enum { COMBGPU__BRANCH_S_NODES = 1, COMBGPU__BRANCH_S_SHARES = 2 };

#endif /* COMBGPU__TSP_LAYOUT_H */
