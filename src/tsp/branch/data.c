/* ======================================== SECTION 51: travelling salesman, branch and bound == */
/* The data of branch and bound, on the 1-tree bound of M. Held and R. M. Karp (The
   traveling-salesman problem and minimum spanning trees, 1970; part II, 1971). A minimum 1-tree (a
   spanning tree and one more edge) never weighs more than the shortest tour. A multiplier on each
   node, added to the weights of its edges, changes all tours by the same amount but not all
   1-trees; sub-gradient ascent finds multipliers under which the 1-tree is nearly a tour. The
   branching rule and the fixing of edges are those of T. Volgenant and R. Jonker (A branch and
   bound algorithm for the symmetric traveling salesman problem based on the 1-tree relaxation,
   1982).

   Every request becomes one problem: the shortest Hamiltonian cycle of a sparse undirected graph
   that contains certain forced edges.

   A path with a free end becomes a cycle through a further city, the "depot", at distance 0 from
   all others. If one end is fixed, its edge to the depot is forced. If both ends are fixed, a
   forced edge of weight 0 joins them, without a depot.

   An asymmetric instance becomes symmetric with two nodes for each city, "in" and "out", and a
   forced edge of weight 0 between them (R. Jonker and T. Volgenant, 1983).

   Weights and multipliers are 64-bit integers in units of about 2^-12 of the instance's unit, so
   bounds are exact and equal on every machine. A node of the search tree is a task: its bound,
   multipliers and marks of the edges. The C solver treats a chain of forced edges as one node of
   the 1-tree, the kernel (src/tsp/branch/solve.cl) builds the 1-tree edge by edge; both make the same
   trees. */

/* Open nodes of the search tree that a worker can hold: the depth is seldom above 60. */
#define COMBGPU__BRANCH_STACK 128
#define COMBGPU__BRANCH_INFINITE INT64_MAX
/* The unit of integral weights is 2^-12, or coarser to keep tours below 2^50 units. */
#define COMBGPU__BRANCH_FINEST 12

/* Cities of asymmetric instances for which labels come before branch and cut, at most. */
#define COMBGPU__LABEL_CITIES 64

typedef enum combgpu__branch_effort {
    COMBGPU__BRANCH_FULL,  /* at the root, as before a tree */
    COMBGPU__BRANCH_BRIEF, /* before branch and cut */
    COMBGPU__BRANCH_MANY   /* one instance of many */
} combgpu__branch_effort;

/* The graph, its multipliers at the root, and the best tour known. */
typedef struct combgpu__branch_graph {
    int cities, directed;
    combgpu__branch_effort brief; /* little effort before branch and cut, or a tree of many */
    int integral;                 /* weights are whole numbers */
    int depot;                    /* the city that closes a path to a cycle, or -1 */
    int forced_from, forced_to;   /* the arc that a fixed end forces, or -1 */
    int fixed;                    /* nonzero if there are fixed edges */
    int64_t *costs;               /* cities * cities, in units */
    int scale;                    /* a unit is 2^-scale */
    int64_t divisor;              /* integral: lengths are multiples of this */
    int64_t grain;                /* a better tour is better by at least this */
    int16_t (*mates)[2];          /* a city's neighbours by fixed edges + 1; 0 = none */
    int nodes, edges;
    uint16_t *ends;       /* two per edge */
    int64_t *weights;     /* per edge */
    unsigned char *marks; /* per edge, at the root */
    int32_t *incident;    /* each node's edges begin at incident_begin[node] */
    int32_t *incident_begin;
    int64_t *multipliers;
    int *spare;         /* two numbers for each node, for whoever needs them for a moment */
    int64_t bound;      /* at the root */
    int open;           /* nonzero if the root did not prove the tour optimal */
    int closed;         /* nonzero if branch and cut did */
    int64_t length;     /* of the best tour; workers read and lower it atomically */
    combgpu__lock lock; /* for those that lower it */
    int *tour;
    void *arrays; /* of the cities and nodes above, if they are allocated */
} combgpu__branch_graph;

/* Bytes of a graph's arrays of cities and nodes. An asymmetric instance has two nodes per city. */
#define COMBGPU__BRANCH_ARRAYS(cities) (64 * (cities) + 256)

/* Lays out these arrays, as 0, at `memory`. */
COMBGPU__PRIVATE void combgpu__branch_arrays_at(combgpu__branch_graph *graph, int cities,
                                                void *memory)
{
    size_t n = (size_t)cities;
    memset(memory, 0, COMBGPU__BRANCH_ARRAYS(n));
    graph->multipliers = (int64_t *)memory;
    graph->spare = (int *)(void *)(graph->multipliers + 2 * n);
    graph->incident_begin = (int32_t *)(graph->spare + 4 * n + 4);
    graph->tour = (int *)(graph->incident_begin + 2 * n + 1);
    graph->mates = (int16_t(*)[2])(void *)(graph->tour + n);
}

/* Allocates them. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_arrays(combgpu_context *ctx,
                                                       combgpu__branch_graph *graph, int cities)
{
    size_t bytes = COMBGPU__BRANCH_ARRAYS((size_t)cities);
    graph->arrays = combgpu__allocate(ctx, bytes);
    if (!graph->arrays) return combgpu__no_memory(ctx, bytes);
    combgpu__branch_arrays_at(graph, cities, graph->arrays);
    return COMBGPU_OK;
}

/* An edge, seen from one end. */
typedef struct combgpu__branch_arc {
    int64_t weight;
    int32_t edge;
    uint16_t to, chain; /* chain: of node `to` */
} combgpu__branch_arc;

/* A worker's memory: one node of the search tree, and the stack of open nodes. */
typedef struct combgpu__branch_work {
    const combgpu__branch_graph *graph;
    int64_t length; /* only shorter tours are of interest */
    int found;      /* nonzero if tour[] is a new, shorter tour */
    int *tour;
    uint64_t trees; /* 1-trees made */

    unsigned char *marks;
    combgpu__branch_arc *arcs; /* free edges, at both ends */
    int32_t *arc_begin;
    int64_t *multipliers;

    /* degrees and paths of forced edges */
    int32_t *forced_degree; /* forced edges at a node */
    int32_t *open_degree;   /* edges not forbidden */
    int32_t *other_end;     /* of the path that ends at a node */
    int32_t *dirty;         /* nodes whose degrees changed */
    unsigned char *is_dirty;
    int dirty_count, forced_count;
    int fixed; /* edges forced or forbidden so far */

    /* chains: paths of forced edges, and single nodes without forced edges */
    int32_t *chain;           /* of an outer node */
    int32_t (*chain_ends)[2]; /* the second is -1 for a single node */
    int32_t *outer;           /* nodes with fewer than two forced edges */
    int chain_count, outer_count;
    int64_t forced_weight;

    /* the 1-tree: a spanning tree of the chains with root order[0], and a second edge at the leaf
       `special` */
    int32_t *order, *rank;
    int32_t *parent, *parent_edge;
    int32_t *degree; /* of a node, with its forced edges */
    int64_t *key;
    int64_t *parent_cost; /* of the edge, with multipliers */
    int32_t *fringe, *place;
    int32_t special, special_edge, second_edge; /* special_edge: -1 = forced */
    int64_t second_cost;

    int64_t *ascent, *best;
    int32_t *last_degree;
    int64_t *replacement;

    int32_t *spare; /* three numbers for each node */

    uint32_t *stack; /* tasks */
    int stack_count;
} combgpu__branch_work;

#define COMBGPU__BRANCH_ALL ((uint64_t)1 << 62) /* the share of the whole search */

/* Words of a task: bound, share of the tree (2^62 = all), multipliers, two bits per edge. */
COMBGPU__PRIVATE size_t combgpu__branch_task_words(int nodes, int edges)
{
    return 4 + 2 * (size_t)nodes + ((size_t)edges + 15) / 16;
}

/* Lays out an array behind `bytes` of others, unless `memory` is NULL. */
#define COMBGPU__LAY(array, type, number)                                                          \
    do {                                                                                           \
        if (memory) array = (type *)(void *)((char *)memory + bytes);                              \
        bytes += ((number) * sizeof(type) + 63) / 64 * 64;                                         \
    } while (0)

/* Lays out a worker's arrays at `memory`, unless that is NULL, and returns their size. */
COMBGPU__PRIVATE size_t combgpu__branch_work_layout(combgpu__branch_work *work, int nodes,
                                                    int edges, void *memory)
{
    size_t n = (size_t)nodes, m = (size_t)edges;
    size_t bytes = (sizeof *work + 63) / 64 * 64;
    COMBGPU__LAY(work->multipliers, int64_t, n);
    COMBGPU__LAY(work->key, int64_t, n);
    COMBGPU__LAY(work->parent_cost, int64_t, n);
    COMBGPU__LAY(work->ascent, int64_t, n);
    COMBGPU__LAY(work->best, int64_t, n);
    COMBGPU__LAY(work->replacement, int64_t, n);
    COMBGPU__LAY(work->arc_begin, int32_t, n + 1);
    COMBGPU__LAY(work->forced_degree, int32_t, n);
    COMBGPU__LAY(work->open_degree, int32_t, n);
    COMBGPU__LAY(work->other_end, int32_t, n);
    COMBGPU__LAY(work->dirty, int32_t, n);
    COMBGPU__LAY(work->chain, int32_t, n);
    COMBGPU__LAY(work->outer, int32_t, n);
    COMBGPU__LAY(work->order, int32_t, n);
    COMBGPU__LAY(work->rank, int32_t, n);
    COMBGPU__LAY(work->parent, int32_t, n);
    COMBGPU__LAY(work->parent_edge, int32_t, n);
    COMBGPU__LAY(work->degree, int32_t, n);
    COMBGPU__LAY(work->fringe, int32_t, n);
    COMBGPU__LAY(work->place, int32_t, n);
    COMBGPU__LAY(work->last_degree, int32_t, n);
    COMBGPU__LAY(work->is_dirty, unsigned char, n);
    COMBGPU__LAY(work->spare, int32_t, 3 * n);
    COMBGPU__LAY(work->tour, int, n);
    if (memory) work->chain_ends = (int32_t(*)[2])(void *)((char *)memory + bytes);
    bytes += (2 * n * sizeof(int32_t) + 63) / 64 * 64;
    COMBGPU__LAY(work->arcs, combgpu__branch_arc, 2 * m);
    COMBGPU__LAY(work->stack, uint32_t,
                 COMBGPU__BRANCH_STACK * combgpu__branch_task_words(nodes, edges));
    COMBGPU__LAY(work->marks, unsigned char, m);
    return bytes;
}

COMBGPU__PRIVATE size_t combgpu__branch_work_bytes(int nodes, int edges)
{
    combgpu__branch_work work;
    return combgpu__branch_work_layout(&work, nodes, edges, NULL);
}

/* Makes a worker's memory of combgpu__branch_work_bytes bytes at `memory`. */
COMBGPU__PRIVATE combgpu__branch_work *combgpu__branch_work_at(void *memory,
                                                               const combgpu__branch_graph *graph)
{
    combgpu__branch_work *work = (combgpu__branch_work *)memory;
    memset(work, 0, sizeof *work);
    work->graph = graph;
    (void)combgpu__branch_work_layout(work, graph->nodes, graph->edges, memory);
    memset(work + 1, 0, (size_t)((char *)work->arcs - (char *)(work + 1)));
    return work;
}
