/* ========================================================== SECTION 50: travelling salesman == */
/* Travelling salesman: the search's state, the checks of its description, and the choice of a
   method.

   Every request becomes one form: find the cheapest order of m "middle" cities, given the cost of
   beginning with a city (first), of going from one to the next (legs), and of ending with one
   (last):

     cycle               middle = all but city 0; first and last are the legs from and to it
     path, both ends free   middle = all cities; first = last = 0
     path with fixed ends   middle = the others; a fixed end takes the role of city 0

   Middle cities are in ascending order, so their lexicographically smallest order is the smallest
   tour. Costs are whole numbers (src/api/tsp.h).

   Brute force splits an order into a prefix of m-6 cities and a suffix of 6. A task is only the
   prefix's number in lexicographic order. The last city of the suffix is chosen before the 5
   between: without direction, last > first halves the work and no tour is computed twice. A worker
   keeps the smallest (length, prefix number); the host finds the smallest order with that prefix.

   Held-Karp computes f(c, T) = the least cost of going from c through all of the set T to the end.
   The cities are split into a few low cities and h high ones; all f(c, T) with the same high part H
   of T form a block. Rows of f over the subsets of the low cities are contiguous, and a block is a
   min-plus product of the rows of its predecessors, f(i, H \ i), with the legs: each whole row is
   read once and written once. Blocks of one size |H| are independent and form a layer; a slice
   works on a chunk of a layer. Only the h 2^(h-1) rows of high cities are stored; rows of low
   cities are needed only within their block. */

#define COMBGPU__TSP_TABLE_FIRST 16    /* AUTO: up to this n branch and bound is not tried */
#define COMBGPU__TSP_SUFFIX 6          /* brute force: cities after the prefix */
#define COMBGPU__TSP_CPU_LOW 4         /* low cities; a row is 2^low costs: one cache line */
#define COMBGPU__TSP_NARROW 0x3fffffff /* cost of a path in a 32-bit table, at most */
#define COMBGPU__TSP_SMALL_LAYER 65536 /* states of a layer not worth sharing: about 0.1 ms */
#define COMBGPU__TSP_CPU_BYTES (UINT64_C(2) << 30) /* limit of a CPU's table if none is set */

/* Words of combgpu__accumulators(job) after the slices' totals: the best order so far. */
#define COMBGPU__TSP_HAS COMBGPU__TOTALS          /* nonzero if one exists */
#define COMBGPU__TSP_LENGTH (COMBGPU__TOTALS + 1) /* its cost */
#define COMBGPU__TSP_PREFIX (COMBGPU__TOTALS + 2) /* brute force: the number of its prefix */
#define COMBGPU__TSP_ORDER (COMBGPU__TOTALS + 2)  /* Held-Karp: m bytes, 8 per word */

/* Words of tasks, and of Held-Karp's record: length, order. */
#define COMBGPU__TSP_TASK_WORDS 4
#define COMBGPU__TSP_RECORD_WORDS 10

typedef struct combgpu__tsp {
    combgpu__tsp_terms terms;
    double error; /* of a leg's cost as a weight */
    combgpu_tsp_method method;
    combgpu_tsp_shape shape;
    int n, m;
    int front, back; /* fixed cities before and after the middle; -1 = none */
    int reversible;  /* an order and its reverse cost the same */
    int scale;       /* a cost is a weight * 2^scale */
    int wide;        /* Held-Karp: 64-bit table */
    int low, high;   /* Held-Karp: low and high cities */
    int depth;       /* brute force: cities in a prefix */
    uint64_t prefixes, all_steps;
    uint64_t steps_seen; /* Held-Karp: steps before the slice, and its budget */
    uint32_t budget;
    int64_t bound;   /* no tour is shorter */
    int64_t nothing; /* m == 0: the cost of the only tour */
    int city[COMBGPU__TSP_MOST];
    int64_t first[COMBGPU__TSP_MOST], last[COMBGPU__TSP_MOST];
    int64_t legs[COMBGPU__TSP_MOST * COMBGPU__TSP_MOST]; /* [from * MOST + to] */
} combgpu__tsp;

/* ---- validate */

/* Checks an instance, the argument or field `name`. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_instance(combgpu_context *ctx, const char *name,
                                                            const combgpu_tsp_instance *instance)
{
    if (!instance) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", name);
    if (instance->n < 1 || instance->n > COMBGPU_TSP_MAX_DIMENSION)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s->n is %d; it may be 1 to %d", name,
                             instance->n, COMBGPU_TSP_MAX_DIMENSION);
    if (instance->weights) return COMBGPU_OK;
    if (instance->metric == COMBGPU_TSP_MATRIX)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "%s->weights is NULL; set it to n*n weights, or set %s->metric and the "
            "coordinates x and y",
            name, name);
    return combgpu__tsp_check_places(ctx, name, instance);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_shape(combgpu_context *ctx, const char *name,
                                                         combgpu_tsp_shape shape)
{
    if ((int)shape == COMBGPU_TSP_CYCLE || (int)shape == COMBGPU_TSP_PATH) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is %d; it may be 0 (cycle) or 1 (path)",
                         name, (int)shape);
}

/* Where a path of any description begins or ends; -1 = anywhere. */
#define COMBGPU__TSP_START(desc)                                                                   \
    ((desc)->path_ends & COMBGPU_TSP_FIXED_START ? (desc)->path_start : -1)
#define COMBGPU__TSP_END(desc) ((desc)->path_ends & COMBGPU_TSP_FIXED_END ? (desc)->path_end : -1)

/* Checks one end of a path: "start" or "end". */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_end(combgpu_context *ctx, const char *name,
                                                       int fixed, int city, int n)
{
    if (!fixed && city)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.path_%s is %d, but desc.path_ends does not fix the %s: it must "
                             "be 0",
                             name, city, name);
    if (city < 0 || city >= n)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.path_%s is %d; it may be a city, 0 to %d", name, city, n - 1);
    return COMBGPU_OK;
}

/* Checks the ends of a path; a cycle has none. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_ends(combgpu_context *ctx,
                                                        const combgpu_tsp_desc *desc)
{
    int ends = (int)desc->path_ends, n = desc->instance->n;
    combgpu_status status;
    if (ends < COMBGPU_TSP_FREE_ENDS || ends > COMBGPU_TSP_FIXED_ENDS)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.path_ends is %d; it may be 0 (free), 1 (fixed start), 2 (fixed "
                             "end) or 3 (both)",
                             ends);
    if (desc->shape == COMBGPU_TSP_CYCLE && ends)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.path_ends is %d, but desc.shape is a cycle, which has no ends: "
                             "it must be 0",
                             ends);
    status =
        combgpu__tsp_check_end(ctx, "start", ends & COMBGPU_TSP_FIXED_START, desc->path_start, n);
    if (!status)
        status =
            combgpu__tsp_check_end(ctx, "end", ends & COMBGPU_TSP_FIXED_END, desc->path_end, n);
    if (status) return status;
    if (ends == COMBGPU_TSP_FIXED_ENDS && desc->path_start == desc->path_end && n > 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.path_start and desc.path_end are both %d; a path of %d cities "
                             "has two ends",
                             desc->path_start, n);
    return COMBGPU_OK;
}

/* Checks method, shape and ends. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_desc(combgpu_context *ctx,
                                                        const combgpu_tsp_desc *desc)
{
    combgpu_status status = combgpu__tsp_check_instance(ctx, "desc.instance", desc->instance);
    if (status) return status;
    if ((int)desc->method < COMBGPU_TSP_AUTO || (int)desc->method > COMBGPU_TSP_HEURISTIC)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.method is %d; it may be 0 (auto), 1 (brute force), 2 "
                             "(Held-Karp), 3 (branch and bound) or 4 (heuristic)",
                             (int)desc->method);
    status = combgpu__tsp_check_shape(ctx, "desc.shape", desc->shape);
    return status ? status : combgpu__tsp_check_ends(ctx, desc);
}

/* Returns n! as a double, for messages; about 1e290 if it is larger. */
COMBGPU__PRIVATE double combgpu__tsp_factorial(int n)
{
    double product = 1;
    for (; n > 1 && product < 1e290; n--)
        product *= n;
    return product;
}

/* Bytes of a Held-Karp table for m middle cities; a double because any m may be requested. */
COMBGPU__PRIVATE double combgpu__tsp_table_bytes(int m, int low, int wide)
{
    int high = m > low ? m - low : 0;
    return high ? ldexp((double)high * (wide ? 8 : 4), (high < 900 ? high : 900) - 1 + low) : 0;
}

/* Bytes that a table may take. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_table_limit(const combgpu_context *ctx)
{
    uint64_t limit = combgpu__memory_limit(ctx);
    return !limit && combgpu__is_cpu(ctx) ? COMBGPU__TSP_CPU_BYTES : limit;
}

COMBGPU__PRIVATE int combgpu__tsp_low(const combgpu_context *ctx)
{
    return combgpu__is_cpu(ctx) ? COMBGPU__TSP_CPU_LOW : COMBGPU__TSP_GPU_LOW;
}

/* Middle cities of a description's form (src/tsp/instance/form.c). */
COMBGPU__PRIVATE int combgpu__tsp_middle(const combgpu_tsp_desc *desc)
{
    int n = desc->instance->n, start = COMBGPU__TSP_START(desc), end = COMBGPU__TSP_END(desc);
    if (desc->shape == COMBGPU_TSP_CYCLE) return n - 1;
    return n - (start >= 0) - (end >= 0 && end != start);
}

/* Refuses what brute force cannot do, before allocating. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_brute(combgpu_context *ctx,
                                                         const combgpu__tsp *tsp)
{
    if (tsp->n <= 16) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                         "desc.instance->n is %d; brute force takes at most 16 cities (here "
                         "%.3g tours); try desc.method Held-Karp",
                         tsp->n, combgpu__tsp_factorial(tsp->m) / (tsp->reversible ? 2 : 1));
}

/* Sizes the table of Held-Karp; refuses the impossible before allocating. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_table(combgpu_context *ctx, int shards,
                                                         combgpu__tsp *tsp)
{
    uint64_t limit = combgpu__tsp_table_limit(ctx);
    double bytes;
    tsp->low = combgpu__tsp_low(ctx);
    if (tsp->low > tsp->m) tsp->low = tsp->m;
    tsp->high = tsp->m - tsp->low;
    bytes = combgpu__tsp_table_bytes(tsp->m, tsp->low, tsp->wide);
    if (shards > 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.run.shard_count is %d; Held-Karp cannot be split into shards; "
                             "desc.method brute force can (at most 16 cities)",
                             shards);
    if (tsp->m >= COMBGPU__TSP_MOST)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "desc.instance->n is %d; Held-Karp takes at most %d cities for this "
                             "shape (here its table would take %.3g bytes)",
                             tsp->n, tsp->n - tsp->m + COMBGPU__TSP_MOST - 1, bytes);
    if (bytes > (double)limit)
        return combgpu__fail(
            ctx, COMBGPU_DEVICE_OUT_OF_MEMORY,
            "desc.instance->n is %d: Held-Karp needs a table of %.0f bytes and may "
            "use %llu (memory_limit of the context; without it %s)",
            tsp->n, bytes, (unsigned long long)limit,
            combgpu__is_cpu(ctx) ? "2 GiB on the CPU" : "half of what is free on the device");
    return COMBGPU_OK;
}
