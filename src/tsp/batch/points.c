/* A batch whose tables are the caller's points: devices compute the costs, and the host only
   copies. The numbers are those of tsp/batch/load.c. */

/* Returns whether all devices can, and nothing else needs the numbers. */
COMBGPU__PRIVATE int combgpu__batch_points_allowed(const combgpu_job *job)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    const combgpu_context *device;
    int i;
    if (!desc->x || desc->run.verify || desc->metric == COMBGPU_TSP_FLOOR_2D ||
        combgpu__tsp_on_sphere(desc->metric))
        return 0;
    for (i = 0; (device = combgpu__device_context(combgpu__context(job), i)) != NULL; i++)
        if (combgpu__is_cpu(device) || !combgpu__doubles(device)) return 0;
    return 1;
}

/* The plan for copying a batch's points. */
typedef struct combgpu__batch_copy {
    const combgpu_tsp_batch_desc *desc;
    const combgpu__batch_plan *plans;
    double least;      /* magnitude of a coordinate but 0: no square vanishes (combgpu__tsp_root) */
    double most;       /* magnitude, */
    double tight_most; /* for costs of 16 bits */
    int single;        /* to float */
    char *to;
    uint32_t *cities;
} combgpu__batch_copy;

/* Checks one coordinate. Returns 0 if devices cannot have it, else 1, or 3 if 16 bits suffice. */
COMBGPU__INLINE int combgpu__batch_fits(const combgpu__batch_copy *copy, double x)
{
    double size = fabs(x);
    if (!(size <= copy->most) || (size < copy->least && size > 0) ||
        (copy->single && (double)(float)x != x))
        return 0;
    return size <= copy->tight_most ? 3 : 1;
}

/* Copies the points of instances k .. end - 1. Returns the least combgpu__batch_fits of them; 0
   also if a size or the ends are such that combgpu__batch_load decides. */
COMBGPU__PRIVATE int combgpu__batch_copy_block(const combgpu__batch_copy *copy, uint64_t k,
                                               uint64_t end)
{
    const combgpu_tsp_batch_desc *desc = copy->desc;
    size_t n = (size_t)desc->n, i;
    int fits = 3;
    for (; k < end; k++) {
        const double *x = desc->x + k * n, *y = desc->y + k * n;
        int own = desc->cities ? desc->cities[k] : desc->n;
        if (own < 1 || own > desc->n || !copy->plans[own].valid) return 0;
        for (i = 0; i < (size_t)own; i++)
            fits &= combgpu__batch_fits(copy, x[i]) & combgpu__batch_fits(copy, y[i]);
        if (!fits) return 0;
        if (copy->single) {
            float *to = (float *)(void *)copy->to + 2 * k * n;
            for (i = 0; i < n; i++) {
                to[i] = i < (size_t)own ? (float)x[i] : 0;
                to[n + i] = i < (size_t)own ? (float)y[i] : 0;
            }
        } else {
            double *to = (double *)(void *)copy->to + 2 * k * n;
            memcpy(to, x, n * sizeof *x);
            memcpy(to + n, y, n * sizeof *y);
        }
        if (copy->cities) copy->cities[k] = (uint32_t)own;
    }
    return fits;
}

/* Instance k's points, x[n] and then y[n], for the batch's n; *own gets its cities. */
COMBGPU__PRIVATE void combgpu__batch_points_of(const combgpu_job *job, uint64_t k, double *points,
                                               int *own)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    const uint32_t *tables = combgpu__tables(job),
                   *from = tables + COMBGPU__BATCH_HEAD(batch->most);
    uint64_t cities = combgpu__get64(tables + COMBGPU__BATCH_AT_CITIES);
    size_t n = (size_t)batch->desc.n, i;
    *own = cities ? (int)tables[cities + k] : batch->desc.n;
    if (tables[COMBGPU__BATCH_AT_SINGLE])
        for (i = 0; i < 2 * n; i++)
            points[i] = ((const float *)(const void *)from)[2 * k * n + i];
    else
        memcpy(points, (const double *)(const void *)from + 2 * k * n, 2 * n * sizeof *points);
}

/* ---- the hash of the numbers, for checkpoints */

typedef struct combgpu__batch_hashing {
    const combgpu_job *job;
    combgpu__batch_plan plans[COMBGPU__BATCH_MOST + 1];
    uint64_t sum;
    combgpu__lock lock; /* of sum */
} combgpu__batch_hashing;

COMBGPU__PRIVATE uint64_t combgpu__batch_hash_one(const combgpu__batch_hashing *h, uint64_t k)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(h->job);
    uint32_t numbers[2 * (1 + COMBGPU__BATCH_MOST * (COMBGPU__BATCH_MOST + 2))];
    uint64_t hash = 0;
    int16_t unit;
    int own, scale = 0;
    double points[2 * COMBGPU__BATCH_SIDE];
    combgpu__batch_points_of(h->job, k, points, &own);
    if (!combgpu__batch_load_one(batch, &h->plans[own], k, points, points + batch->desc.n, numbers,
                                 &scale))
        return 0; /* never */
    unit = (int16_t)scale;
    combgpu__batch_hashes(batch, numbers, &unit, 1, &hash);
    return combgpu__mix(combgpu__mix(k) + hash);
}

/* 1,024 instances. */
COMBGPU__PRIVATE void combgpu__batch_hash_pass(void *user, int block, int thread)
{
    combgpu__batch_hashing *h = (combgpu__batch_hashing *)user;
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(h->job);
    uint64_t k = (uint64_t)block * 1024, end = k + 1024, sum = 0;
    (void)thread;
    for (; k < end && k < batch->desc.count; k++)
        sum += combgpu__batch_hash_one(h, k);
    combgpu__lock_take(&h->lock);
    h->sum += sum;
    combgpu__lock_free(&h->lock);
}

COMBGPU__PRIVATE uint64_t combgpu__batch_points_hash(const combgpu_job *job)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    combgpu__batch_hashing h;
    int n;
    memset(&h, 0, sizeof h);
    h.job = job;
    for (n = 1; n <= batch->desc.n; n++)
        combgpu__batch_arrange(&batch->desc, n, &h.plans[n]);
    combgpu__loop(ctx, combgpu__threads(ctx), (int)((batch->desc.count + 1023) / 1024), 1,
                  combgpu__batch_hash_pass, &h);
    return h.sum;
}

COMBGPU__PRIVATE void combgpu__batch_identify(combgpu_job *job)
{
    combgpu__batch_name(job, combgpu__batch_points_hash(job));
}

typedef struct combgpu__batch_copying {
    combgpu__batch_copy *copy;
    uint64_t count;
    uint32_t lacks; /* of the bits of 3; shared */
} combgpu__batch_copying;

COMBGPU__PRIVATE void combgpu__batch_copy_pass(void *user, int block, int thread)
{
    combgpu__batch_copying *c = (combgpu__batch_copying *)user;
    uint64_t k = (uint64_t)block * 1024, end = k + 1024 < c->count ? k + 1024 : c->count;
    (void)thread;
    if (combgpu__shared(&c->lacks) != 3)
        combgpu__shared_or(&c->lacks, 3u ^ (uint32_t)combgpu__batch_copy_block(c->copy, k, end));
}

/* Allocates the tables and copies all points. *fits gets the result of
   combgpu__batch_copy_block. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_points_copy(combgpu_job *job,
                                                           combgpu__batch_copy *copy, int *fits)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    uint64_t count = batch->desc.count;
    size_t head = COMBGPU__BATCH_HEAD(batch->most), cities = batch->desc.cities ? (size_t)count : 0;
    size_t words = head + (copy->single ? 2 : 4) * (size_t)count * (size_t)batch->desc.n;
    combgpu_context *ctx = combgpu__context(job);
    int blocks = (int)((count + 1023) / 1024);
    combgpu__batch_copying c;
    combgpu_status status = combgpu__job_raw_tables(job, words + cities);
    if (status) return status;
    copy->to = (char *)(combgpu__tables(job) + head);
    copy->cities = cities ? combgpu__tables(job) + words : NULL;
    c.copy = copy;
    c.count = count;
    c.lacks = 0;
    combgpu__loop(ctx, blocks > 16 ? combgpu__threads(ctx) : 1, blocks, 4, combgpu__batch_copy_pass,
                  &c);
    *fits = 3 ^ (int)c.lacks;
    return COMBGPU_OK;
}

/* Makes the tables, but for the subsets, and sets batch->points, unless the batch needs the numbers.
   Points are float if all are exact as such. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_points_tables(combgpu_job *job,
                                                             const combgpu__batch_plan *plans)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    int exact = desc->metric == COMBGPU_TSP_PLANE, cycle = desc->shape == COMBGPU_TSP_CYCLE, fits;
    combgpu__batch_copy copy;
    combgpu_status status;
    uint32_t *tables;
    double most;
    memset(&copy, 0, sizeof copy);
    copy.desc = desc;
    copy.plans = plans;
    copy.single = 1;
    copy.tight_most =
        exact || batch->most > COMBGPU__BATCH_LOCAL ? -1 : (65535.0 / (batch->most + 1) - 2) / 4;
    /* a rounded distance is at most |dx| + |dy| + 1 */
    most = exact ? 1e100 : (double)COMBGPU__TSP_NARROW / (desc->n + 1) / 4 - 2;
    copy.least = 1e-30; /* devices may have no smaller floats */
    copy.most = most < 1e30 ? most : 1e30;
    status = combgpu__batch_points_copy(job, &copy, &fits);
    if (!status && !fits) {
        copy.single = 0;
        copy.least = 1e-120;
        copy.most = most;
        status = combgpu__batch_points_copy(job, &copy, &fits);
    }
    if (status || !fits) return status;
    tables = combgpu__tables(job);
    memset(tables, 0, COMBGPU__BATCH_AT_SUBSETS * sizeof *tables);
    tables[COMBGPU__BATCH_AT_WIDE] = (uint32_t)exact;
    tables[COMBGPU__BATCH_AT_BITS] = exact ? 64 : fits == 3 ? 16 : 32;
    tables[COMBGPU__BATCH_AT_METRIC] = (uint32_t)desc->metric;
    tables[COMBGPU__BATCH_AT_N] = (uint32_t)desc->n;
    tables[COMBGPU__BATCH_AT_FRONT] = cycle ? 0 : (uint32_t)COMBGPU__TSP_START(desc);
    tables[COMBGPU__BATCH_AT_BACK] = cycle ? 0 : (uint32_t)COMBGPU__TSP_END(desc);
    tables[COMBGPU__BATCH_AT_SINGLE] = (uint32_t)copy.single;
    if (copy.cities)
        combgpu__put64(tables + COMBGPU__BATCH_AT_CITIES, (uint64_t)(copy.cities - tables));
    batch->wide = exact;
    batch->points = 1;
    combgpu__describe(job)->identify = combgpu__batch_identify;
    return COMBGPU_OK;
}

/* ---- records */

/* The distances along a tour of `count` places, 16 at most; x and y have room for 17. */
COMBGPU__PRIVATE void combgpu__batch_along(combgpu_tsp_metric metric, int count, const double *x,
                                           const double *y, double *legs)
{
    int i;
#ifdef COMBGPU__SSE2
#define COMBGPU__BATCH_ALONG(name)                                                                 \
    case name:                                                                                     \
        for (i = 0; i + 1 < count; i += 2)                                                         \
            _mm_storeu_pd(legs + i,                                                                \
                          combgpu__batch_distance(                                                 \
                              name, _mm_sub_pd(_mm_loadu_pd(x + i), _mm_loadu_pd(x + i + 1)),      \
                              _mm_sub_pd(_mm_loadu_pd(y + i), _mm_loadu_pd(y + i + 1))));          \
        return
    switch ((int)metric) {
        COMBGPU__BATCH_ALONG(COMBGPU_TSP_EUC_2D);
        COMBGPU__BATCH_ALONG(COMBGPU_TSP_CEIL_2D);
        COMBGPU__BATCH_ALONG(COMBGPU_TSP_MAN_2D);
        COMBGPU__BATCH_ALONG(COMBGPU_TSP_MAX_2D);
        COMBGPU__BATCH_ALONG(COMBGPU_TSP_ATT);
        COMBGPU__BATCH_ALONG(COMBGPU_TSP_PLANE);
    default:
        break;
    }
#undef COMBGPU__BATCH_ALONG
#endif
    for (i = 0; i + 1 < count; i++)
        legs[i] = combgpu__tsp_distance(metric, x[i], y[i], x[i + 1], y[i + 1]);
}

/* The unit of instance k's costs, as the device computes it. */
COMBGPU__PRIVATE int combgpu__batch_points_scale(const combgpu_job *job, uint64_t k)
{
    const combgpu_tsp_batch_desc *desc = &((const combgpu__batch *)combgpu__state(job))->desc;
    double points[2 * COMBGPU__BATCH_SIDE], weights[COMBGPU__BATCH_SIDE * COMBGPU__BATCH_SIDE];
    combgpu__batch_plan plan;
    int own, scale = 0;
    combgpu__batch_points_of(job, k, points, &own);
    combgpu__batch_arrange(desc, own, &plan);
    if (!combgpu__batch_points(desc->metric, 0, &plan, points, points + desc->n, weights)) return 0;
    return combgpu__batch_unit(own, weights, 1, &scale) ? scale : 0;
}

/* The points of instance k's tour, given as cities. */
COMBGPU__INLINE void combgpu__batch_visit(const combgpu_job *job, uint64_t k, const uint8_t *tour,
                                          int places, double *x, double *y)
{
    const combgpu__batch *batch = (const combgpu__batch *)combgpu__state(job);
    const uint32_t *tables = combgpu__tables(job),
                   *from = tables + COMBGPU__BATCH_HEAD(batch->most);
    size_t n = (size_t)batch->desc.n;
    int i;
    if (tables[COMBGPU__BATCH_AT_SINGLE]) {
        const float *points = (const float *)(const void *)from + 2 * k * n;
        for (i = 0; i < places; i++) {
            x[i] = points[tour[i]];
            y[i] = points[n + tour[i]];
        }
    } else {
        const double *points = (const double *)(const void *)from + 2 * k * n;
        for (i = 0; i < places; i++) {
            x[i] = points[tour[i]];
            y[i] = points[n + tour[i]];
        }
    }
    x[places] = y[places] = 0; /* distances are computed in pairs */
}

/* The cost of instance k's tour, given as cities, in units of 2^-scale. */
COMBGPU__PRIVATE uint64_t combgpu__batch_points_cost(const combgpu_job *job, uint64_t k,
                                                     const uint8_t *tour, int places, int scale)
{
    const combgpu_tsp_batch_desc *desc = &((const combgpu__batch *)combgpu__state(job))->desc;
    double x[COMBGPU__BATCH_SIDE + 2], y[COMBGPU__BATCH_SIDE + 2];
    double legs[COMBGPU__BATCH_SIDE + 2], factor, sum = 0;
    uint64_t cost = 0;
    int i;
    combgpu__batch_visit(job, k, tour, places, x, y);
    combgpu__batch_along(desc->metric, places, x, y, legs);
    if (desc->metric != COMBGPU_TSP_PLANE) {
        for (i = 0; i + 1 < places; i++)
            sum += legs[i]; /* whole numbers */
        return (uint64_t)sum;
    }
    if (scale < -1000 || scale > 1000) return UINT64_MAX; /* wrong, as below */
    factor = ldexp(1, scale);
    for (i = 0; i + 1 < places; i++) {
        if (!(legs[i] * factor < 4611686018427387904.0)) return UINT64_MAX;
        cost += combgpu__batch_cost(legs[i], factor);
    }
    return cost;
}
