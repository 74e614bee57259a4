/* ================================================== SECTION 52: travelling salesman, batches == */
/* A batch's state and checks. Held-Karp for many small instances: f(c, T) = the least cost of
   going from c through all of the set T to the end, in the form of src/tsp/instance/state.c, held in a
   worker's own memory. A task is a range of instances. A solved instance is a record {number, cost,
   order}, 64 bits each; an order has 4 bits per city. */

#define COMBGPU__BATCH_ROW 16 /* C solver: entries of a row, f(0 .. 15, T) */
#define COMBGPU__BATCH_RECORD_WORDS 6
#define COMBGPU__BATCH_SOLVED COMBGPU__TOTALS        /* in combgpu__accumulators(job) */
#define COMBGPU__BATCH_BOUNDED (COMBGPU__TOTALS + 1) /* of larger instances: ended at a limit */

/* Words of the tables before the instances. */
#define COMBGPU__BATCH_HEAD(most) (COMBGPU__BATCH_AT_SUBSETS + ((size_t)2 << (most)))

/* Words of a task, at most: a node of a tree, 128 nodes, 128 * 127 / 2 edges. */
#define COMBGPU__BATCH_TASK_MOST 1024

/* The terms of an instance with altered weights, in memory that the job holds. */
typedef struct combgpu__batch_terms {
    combgpu__tsp_terms terms;
    int64_t cap; /* in units */
    double weights[COMBGPU__BATCH_MOST * COMBGPU__BATCH_MOST];
} combgpu__batch_terms;

typedef struct combgpu__batch {
    combgpu_tsp_batch_desc desc;
    int most, wide;
    int points;                         /* the tables have points: devices compute the costs */
    size_t stride;                      /* numbers of an instance */
    int16_t *scales;                    /* the unit of instance k's costs is 2^-scales[k] */
    unsigned char *exact;               /* instance k's costs are its weights; or NULL */
    combgpu__batch_terms **terms;       /* of each instance, or NULL; NULL: none has any */
    struct combgpu__batch_trees *trees; /* of larger instances: those at work */
    struct combgpu__batch_nodes *nodes; /* of larger instances: those that devices search */
    void *copies[4];                    /* of larger instances: the caller's, in `desc` */
} combgpu__batch;

/* ---- validate */

COMBGPU__PRIVATE combgpu_status combgpu__batch_check(combgpu_context *ctx,
                                                     const combgpu_tsp_batch_desc *desc)
{
    int given = (desc->weights != NULL) + (desc->int_weights != NULL) + (desc->x || desc->y);
    if (desc->count < 1 || desc->count > UINT64_C(4000000000))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.count is %llu; it may be 1 to 4000000000",
                             (unsigned long long)desc->count);
    if (desc->n < 1 || desc->n > COMBGPU_TSP_BATCH_DIMENSION)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.n is %d; it may be 1 to %d",
                             desc->n, COMBGPU_TSP_BATCH_DIMENSION);
    if (given != 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%d of desc.weights, desc.int_weights, and desc.x with desc.y are "
                             "set; exactly one must be",
                             given);
    if (!desc->x != !desc->y)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.%s is NULL", desc->x ? "y" : "x");
    if (!(desc->instance_seconds >= 0 && desc->instance_seconds <= 1e300))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.instance_seconds is %g; it may be 0 (no limit) to 1e300",
                             desc->instance_seconds);
    return desc->x ? combgpu__tsp_check_metric(ctx, "desc.metric", desc->metric) : COMBGPU_OK;
}

/* Instance k as in a search for it alone, but for its weights. Messages do not name k. */
typedef struct combgpu__batch_one {
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
} combgpu__batch_one;

COMBGPU__PRIVATE combgpu_status combgpu__batch_pose(combgpu_context *ctx,
                                                    const combgpu_tsp_batch_desc *desc, uint64_t k,
                                                    combgpu__batch_one *one)
{
    int n = desc->cities ? desc->cities[k] : desc->n;
    memset(one, 0, sizeof *one);
    if (n < 1 || n > desc->n)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.cities[%llu] is %d; it may be 1 to desc.n, %d",
                             (unsigned long long)k, n, desc->n);
    one->instance.n = n;
    one->instance.metric = desc->x ? desc->metric : COMBGPU_TSP_MATRIX;
    one->desc.instance = &one->instance;
    one->desc.shape = desc->shape;
    one->desc.path_ends = desc->path_ends;
    one->desc.path_start = desc->path_start;
    one->desc.path_end = desc->path_end;
    one->desc.seed = desc->seed;
    return COMBGPU_OK;
}

/* One weight of instance k, given as a matrix. */
COMBGPU__PRIVATE double combgpu__batch_given(const combgpu_tsp_batch_desc *desc, uint64_t k,
                                             int from, int to)
{
    size_t n = (size_t)desc->n, at = ((size_t)k * n + (size_t)from) * n + (size_t)to;
    return desc->weights ? desc->weights[at] : (double)desc->int_weights[at];
}

/* Computes or copies the weights of instance k, n*n for its own n, and poses it. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_weigh(combgpu_context *ctx,
                                                     const combgpu_tsp_batch_desc *desc, uint64_t k,
                                                     double *weights, combgpu__batch_one *one)
{
    size_t at = (size_t)k * (size_t)desc->n;
    combgpu_status status = combgpu__batch_pose(ctx, desc, k, one);
    int n = one->instance.n, i, j;
    if (status) return status;
    one->instance.weights = weights;
    if (desc->x)
        status = combgpu__tsp_measure(ctx, n, desc->x + at, desc->y + at, desc->metric, weights);
    else
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                weights[i * n + j] = combgpu__batch_given(desc, k, i, j);
    return status ? status : combgpu__tsp_check_desc(ctx, &one->desc);
}

/* Brings instance k, of at most COMBGPU__BATCH_MOST cities, to the form of src/tsp/instance/state.c; weights gets
   n * n. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_form(combgpu_context *ctx,
                                                    const combgpu_tsp_batch_desc *desc, uint64_t k,
                                                    combgpu__tsp *tsp, double *weights)
{
    double key[COMBGPU__BATCH_MOST];
    double searched[COMBGPU__BATCH_MOST * COMBGPU__BATCH_MOST];
    combgpu__batch_one one;
    combgpu__tsp_weights kind;
    int wanted = 0;
    combgpu_status status = combgpu__batch_weigh(ctx, desc, k, weights, &one);
    if (!status) status = combgpu__tsp_terms_wanted(ctx, &one.instance, &kind, &wanted);
    if (!status && wanted) {
        status = combgpu__tsp_terms_set(ctx, &one.instance, &kind, searched, key, &tsp->terms);
        one.instance.weights = searched;
    }
    return status ? status : combgpu__tsp_form(ctx, &one.desc, tsp);
}

/* Checks instance k, of any size, and adds its numbers to a hash; ctx may be NULL. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_check_one(combgpu_context *ctx,
                                                         const combgpu_tsp_batch_desc *desc,
                                                         uint64_t k, uint64_t *hash)
{
    combgpu__batch_one one;
    uint64_t sum, bits, at = k * (uint64_t)desc->n;
    combgpu_status status = combgpu__batch_pose(ctx, desc, k, &one);
    int n = one.instance.n, i, j;
    double weight = 0;
    if (status) return status;
    one.instance.weights = &weight; /* not read */
    status = combgpu__tsp_check_desc(ctx, &one.desc);
    one.instance.weights = NULL;
    sum = combgpu__mix(combgpu__mix(k) + (uint64_t)n);
    if (desc->x) {
        one.instance.x = (double *)desc->x + at; /* read only */
        one.instance.y = (double *)desc->y + at;
        if (!status) status = combgpu__tsp_check_places(ctx, "desc", &one.instance);
    }
    for (i = 0; !status && i < n; i++)
        for (j = 0; !status && j < (desc->x ? 2 : n); j++) {
            if (!desc->x && i == j) continue;
            weight = desc->x ? (j ? one.instance.y : one.instance.x)[i]
                             : combgpu__batch_given(desc, k, i, j);
            if (!desc->x && combgpu__tsp_missing(weight))
                weight = COMBGPU_TSP_NO_CONNECTION;
            else if (!desc->x)
                status = combgpu__tsp_check_weight(ctx, i, j, weight);
            memcpy(&bits, &weight, sizeof bits);
            sum = (sum ^ bits) * UINT64_C(0x9fb21c651e98df25);
            sum ^= sum >> 32;
        }
    *hash += combgpu__mix(sum);
    return status;
}

/* Puts the instance before the context's message. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_name_instance(combgpu_context *ctx,
                                                             combgpu_status status, uint64_t k)
{
    char why[512];
    snprintf(why, sizeof why, "%s", combgpu_message(ctx));
    return combgpu__fail(ctx, status, "instance %llu (counted from 0): %.400s",
                         (unsigned long long)k, why);
}

/* Fails with the message of instance k, which is invalid. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_refuse(combgpu_context *ctx,
                                                      const combgpu_tsp_batch_desc *desc,
                                                      uint64_t k)
{
    combgpu_logger none, logger;
    combgpu_status status;
    combgpu__tsp tsp;
    double weights[COMBGPU__BATCH_MOST * COMBGPU__BATCH_MOST];
    uint64_t hash = 0;
    memset(&none, 0, sizeof none);
    memset(&tsp, 0, sizeof tsp);
    logger = combgpu__set_logger(ctx, none); /* the message becomes part of the one below */
    status = desc->n > COMBGPU__BATCH_MOST ? combgpu__batch_check_one(ctx, desc, k, &hash)
                                           : combgpu__batch_form(ctx, desc, k, &tsp, weights);
    combgpu__set_logger(ctx, logger);
    return combgpu__batch_name_instance(ctx, status, k);
}
