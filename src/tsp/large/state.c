/* Tours of many cities with a proven gap: the state, costs, and edges that tours must have. */

/* A tour by local search, and a bound by 1-trees (M. Held, R. M. Karp, 1970) on the nearest
   neighbours, proven by trees on all edges. Memory grows with the number of cities where their
   coordinates give the weights.

   A path becomes a cycle through one more city, the depot, whose legs cost nothing. Weights that
   depend on the direction make two nodes of each city, where arcs come in and where they leave
   (R. Jonker and T. Volgenant, 1983); an edge that every tree has joins them. */

#define COMBGPU__LARGE_NONE ((int64_t)1 << 61)    /* the cost of an edge that does not exist */
#define COMBGPU__LARGE_LONGEST ((int64_t)1 << 62) /* every tour is shorter */
#define COMBGPU__LARGE_NEAR 10                    /* neighbours that the local search looks at */

/* A box of the k-d tree: points first .. end-1 in the order of `point`. */
typedef struct combgpu__large_box {
    double least[3], most[3];
    int first, end;
} combgpu__large_box;

typedef struct combgpu__large {
    combgpu__tsp_terms terms;
    combgpu_tsp_instance instance; /* with copies of its arrays */
    combgpu_tsp_shape shape;
    int n, cities, nodes; /* cities: with the depot; nodes: twice as many if directed */
    int directed, depot;  /* -1 = no depot */
    int special;          /* the node of a 1-tree that is not in its tree */
    int start, end;       /* of a path; -1 = free */
    int symmetric;
    int scale;         /* the unit of costs is 2^-scale, */
    double error;      /* which is at most this off a weight */
    double unit, lift; /* 2^scale is their product: alone it may exceed a double */
    int fine;          /* that of multipliers 2^-fine costs */
    int whole;         /* EUC_2D with whole coordinates whose squares are exact */
    int (*fixed)[2];   /* of each node: those it must be joined to, or -1 */
    uint64_t seed, kicks;
    /* the k-d tree, if there are coordinates */
    double (*place)[3];
    int *point, boxes;
    combgpu__large_box *box;
    /* each node's neighbours, nearby[near_begin[v]] .., in ascending order of cost, without the
       special node's */
    int *near_begin, *nearby;
    int64_t *near_cost;
    int *tour;      /* the first one */
    int64_t length; /* its length */
    int64_t bound;  /* the first bound, in units of the multipliers */
} combgpu__large;

/* Nonzero for an edge that every tour has. */
COMBGPU__PRIVATE int combgpu__large_fixed(const combgpu__large *large, int u, int v)
{
    return large->fixed[u][0] == v || large->fixed[u][1] == v;
}

/* combgpu__tsp_cost of a weight that is in units already. */
COMBGPU__PRIVATE int64_t combgpu__large_whole(double units)
{
    int64_t whole = (int64_t)units;
    return whole + (units - (double)whole >= 0.5);
}

/* The cost of the leg from one city to another; NONE for a leg that no tour has. */
COMBGPU__PRIVATE int64_t combgpu__large_leg(const combgpu__large *large, int from, int to)
{
    const combgpu_tsp_instance *instance = &large->instance;
    if (from == large->depot)
        return !large->directed || large->start < 0 || to == large->start ? 0 : COMBGPU__LARGE_NONE;
    if (to == large->depot)
        return !large->directed || large->end < 0 || from == large->end ? 0 : COMBGPU__LARGE_NONE;
    if (large->whole) {
        double dx = instance->x[from] - instance->x[to], dy = instance->y[from] - instance->y[to];
        return (int64_t)(combgpu__sqrt(dx * dx + dy * dy) + 0.5);
    }
    return combgpu__large_whole(combgpu__tsp_weight(instance, from, to) * large->unit *
                                large->lift);
}

/* The cost of the edge between two nodes. */
COMBGPU__PRIVATE int64_t combgpu__large_cost(const combgpu__large *large, int u, int v)
{
    int m = large->cities;
    if (!large->directed) return combgpu__large_leg(large, u, v);
    if ((u < m) == (v < m)) return COMBGPU__LARGE_NONE;
    if (u > v) { /* u: where arcs come in; v: where they leave */
        int swap = u;
        u = v;
        v = swap;
    }
    return u == v - m ? 0 : combgpu__large_leg(large, v - m, u);
}

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE int64_t combgpu__large_length(const combgpu__large *large, const int *tour)
{
    int64_t length = combgpu__large_leg(large, tour[large->cities - 1], tour[0]);
    int i;
    for (i = 1; i < large->cities; i++)
        length += combgpu__large_leg(large, tour[i - 1], tour[i]);
    return length;
}

COMBGPU__PRIVATE void combgpu__large_release(combgpu_context *ctx, combgpu__large *large)
{
    combgpu__tsp_terms_release(ctx, &large->terms);
    combgpu__release(ctx, large->instance.weights);
    combgpu__release(ctx, large->instance.x);
    combgpu__release(ctx, large->instance.y);
    combgpu__release(ctx, large->instance.z);
    combgpu__release(ctx, large->fixed);
    combgpu__release(ctx, large->place);
    combgpu__release(ctx, large->point);
    combgpu__release(ctx, large->box);
    combgpu__release(ctx, large->near_begin);
    combgpu__release(ctx, large->nearby);
    combgpu__release(ctx, large->near_cost);
    combgpu__release(ctx, large->tour);
}

/* Joins two nodes in every tour. */
COMBGPU__PRIVATE void combgpu__large_fix(combgpu__large *large, int u, int v)
{
    large->fixed[u][large->fixed[u][0] >= 0] = v;
    large->fixed[v][large->fixed[v][0] >= 0] = u;
}

/* Allocates `count` items; *status keeps the first failure. */
COMBGPU__PRIVATE void *combgpu__large_array(combgpu_context *ctx, int count, size_t size,
                                            combgpu_status *status)
{
    size_t bytes = combgpu__bytes((size_t)count, size);
    void *made = *status ? NULL : combgpu__allocate_zeroed(ctx, bytes);
    if (!made && !*status) *status = combgpu__no_memory(ctx, bytes);
    return made;
}

/* Copies an array of doubles, which may be NULL. */
COMBGPU__PRIVATE double *combgpu__large_copy(combgpu_context *ctx, const double *from, size_t count,
                                             combgpu_status *status)
{
    double *copy = from && !*status ? combgpu__tsp_doubles(ctx, count, status) : NULL;
    if (copy) memcpy(copy, from, count * sizeof *copy);
    return copy;
}

/* Takes the request: instance, shape, ends, units, fixed edges. */
COMBGPU__PRIVATE combgpu_status combgpu__large_request(combgpu_context *ctx, combgpu__large *large,
                                                       const combgpu_tsp_desc *desc)
{
    const combgpu_tsp_instance *from = desc->instance;
    size_t n = (size_t)from->n;
    int points = from->metric != COMBGPU_TSP_MATRIX && !from->weights, v;
    combgpu__tsp_weights kind;
    combgpu_status status = combgpu__tsp_check_weights(ctx, from, &kind);
    if (status) return status;
    large->error = combgpu__tsp_unit_error(from, kind.scale);
    large->instance.n = large->n = from->n;
    large->instance.fixed_count = from->fixed_count;
    large->instance.metric = from->metric;
    large->instance.weights = combgpu__large_copy(ctx, from->weights, n * n, &status);
    large->instance.x = combgpu__large_copy(ctx, points ? from->x : NULL, n, &status);
    large->instance.y = combgpu__large_copy(ctx, points ? from->y : NULL, n, &status);
    large->instance.z = combgpu__large_copy(ctx, points ? from->z : NULL, n, &status);
    large->shape = desc->shape;
    large->symmetric = kind.symmetric;
    large->directed = !kind.symmetric;
    large->scale = kind.scale;
    large->terms.given = large->instance;
    large->unit = ldexp(1, kind.scale < 1000 ? kind.scale : 1000);
    large->lift = ldexp(1, kind.scale < 1000 ? 0 : kind.scale - 1000);
    large->seed = desc->seed;
    large->depot = desc->shape == COMBGPU_TSP_PATH ? from->n : -1;
    large->cities = from->n + (large->depot >= 0);
    large->nodes = large->directed ? 2 * large->cities : large->cities;
    large->special = large->depot < 0 ? 0 : large->depot;
    large->start = COMBGPU__TSP_START(desc);
    large->end = COMBGPU__TSP_END(desc);
    large->fixed =
        (int(*)[2])combgpu__large_array(ctx, large->nodes, sizeof *large->fixed, &status);
    if (status) return status;
    for (v = 0; v < large->nodes; v++)
        large->fixed[v][0] = large->fixed[v][1] = -1;
    for (v = 0; large->directed && v < large->cities; v++)
        combgpu__large_fix(large, v, v + large->cities);
    if (large->start >= 0)
        combgpu__large_fix(large, large->start,
                           large->directed ? large->depot + large->cities : large->depot);
    if (large->end >= 0 && large->end != large->start)
        combgpu__large_fix(large, large->directed ? large->end + large->cities : large->end,
                           large->depot);
    for (v = 0; v < from->fixed_count; v++) {
        int a = from->fixed[2 * v], b = from->fixed[2 * v + 1];
        if (large->directed)
            return combgpu__tsp_without_fixed(ctx, from, "weights that depend on the direction");
        if (a == b)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.instance->fixed joins city %d (counted from 0) with itself: "
                                 "no tour has this edge",
                                 a);
        if (!combgpu__tsp_fixed_add(large->fixed, large->cities, a, b))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.instance->fixed joins cities %d and %d (counted from 0): "
                                 "with the edges before it and the ends of a path no tour has this "
                                 "edge",
                                 a, b);
    }
    for (; large->fine < 10 && ldexp(kind.largest, kind.scale + large->fine) * large->nodes < 1e15;)
        large->fine++;
    large->whole = points && from->metric == COMBGPU_TSP_EUC_2D && kind.largest < 5e7;
    for (v = 0; large->whole && v < from->n; v++)
        large->whole =
            from->x[v] == combgpu__floor(from->x[v]) && from->y[v] == combgpu__floor(from->y[v]);
    return COMBGPU_OK;
}
COMBGPU__COLD_END
