/* ---- tables */

/* Brings the instance to the form above. m may exceed what fits: then only m and n are set. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_form(combgpu_context *ctx,
                                                  const combgpu_tsp_desc *desc, combgpu__tsp *tsp)
{
    const combgpu_tsp_instance *instance = desc->instance;
    int n = instance->n, cycle = desc->shape == COMBGPU_TSP_CYCLE, i, j;
    combgpu__tsp_weights weights;
    combgpu_status status = combgpu__tsp_check_weights(ctx, instance, &weights);
    if (status) return status;
    tsp->scale = weights.scale;
    tsp->n = n;
    tsp->shape = desc->shape;
    tsp->front = cycle ? 0 : desc->path_start - 1;
    tsp->back = cycle ? 0 : desc->path_end - 1;
    if (n == 1 && tsp->front == tsp->back) tsp->back = -1;
    tsp->m = n - (tsp->front >= 0) - (tsp->back >= 0 && tsp->back != tsp->front);
    tsp->reversible =
        weights.symmetric && tsp->m > 1 && (cycle || (tsp->front < 0 && tsp->back < 0));
    tsp->wide = tsp->scale != 0 || weights.largest * (n + 1) > COMBGPU__TSP_NARROW;
    if (tsp->m >= COMBGPU__TSP_MOST) return COMBGPU_OK;
    for (i = j = 0; i < n; i++)
        if (i != tsp->front && i != tsp->back) tsp->city[j++] = i;
#define COMBGPU__TSP_WEIGHT(from, to)                                                              \
    combgpu__tsp_cost(instance->weights[(from)*n + (to)], tsp->scale)
    for (i = 0; i < tsp->m; i++) {
        if (tsp->front >= 0) tsp->first[i] = COMBGPU__TSP_WEIGHT(tsp->front, tsp->city[i]);
        if (tsp->back >= 0) tsp->last[i] = COMBGPU__TSP_WEIGHT(tsp->city[i], tsp->back);
        for (j = 0; j < tsp->m; j++)
            if (i != j)
                tsp->legs[i * COMBGPU__TSP_MOST + j] =
                    COMBGPU__TSP_WEIGHT(tsp->city[i], tsp->city[j]);
    }
    if (!tsp->m && n > 1) tsp->nothing = COMBGPU__TSP_WEIGHT(tsp->front, tsp->back);
#undef COMBGPU__TSP_WEIGHT
    return COMBGPU_OK;
}

/* A bound for searches that end early: every middle city is entered once and left once. */
COMBGPU__PRIVATE int64_t combgpu__tsp_simple_bound(const combgpu__tsp *tsp)
{
    int64_t in = 0, out = 0, begin = INT64_MAX, end = INT64_MAX;
    int i, j;
    if (!tsp->m) return tsp->nothing;
    for (i = 0; i < tsp->m; i++) {
        int64_t least_in = tsp->first[i], least_out = tsp->last[i];
        for (j = 0; j < tsp->m; j++) {
            int64_t to = tsp->legs[j * COMBGPU__TSP_MOST + i],
                    from = tsp->legs[i * COMBGPU__TSP_MOST + j];
            if (i != j && to < least_in) least_in = to;
            if (i != j && from < least_out) least_out = from;
        }
        in += least_in;
        out += least_out;
        if (tsp->first[i] < begin) begin = tsp->first[i];
        if (tsp->last[i] < end) end = tsp->last[i];
    }
    in += end;
    out += begin;
    return in > out ? in : out;
}

/* The cost of an order of the middle cities. */
COMBGPU__PRIVATE int64_t combgpu__tsp_order_cost(const combgpu__tsp *tsp, const int *order)
{
    int64_t cost;
    int i;
    if (!tsp->m) return tsp->nothing;
    cost = tsp->first[order[0]] + tsp->last[order[tsp->m - 1]];
    for (i = 1; i < tsp->m; i++)
        cost += tsp->legs[order[i - 1] * COMBGPU__TSP_MOST + order[i]];
    return cost;
}

/* first, ..., last the other way round. */
COMBGPU__PRIVATE void combgpu__tsp_reverse(int *first, int *last)
{
    for (; first < last; first++, last--) {
        int swap = *first;
        *first = *last;
        *last = swap;
    }
}

/* A first tour, for searches that end before they have one: always on to the nearest city. */
COMBGPU__PRIVATE void combgpu__tsp_nearest(const combgpu__tsp *tsp, int *order)
{
    uint32_t used = 0;
    int i, j;
    for (i = 0; i < tsp->m; i++) {
        int64_t least = INT64_MAX;
        for (j = 0; j < tsp->m; j++) {
            int64_t cost = i ? tsp->legs[order[i - 1] * COMBGPU__TSP_MOST + j] : tsp->first[j];
            if (used >> j & 1 || cost >= least) continue;
            least = cost;
            order[i] = j;
        }
        used |= 1u << order[i];
    }
    if (tsp->reversible && order[0] > order[tsp->m - 1])
        combgpu__tsp_reverse(order, order + tsp->m - 1);
}

/* What the solvers and kernels read:

     words 0..7   m, depth of a prefix or high cities, reversible, wide, low cities, 0, 0, 0
     then         64-bit: first[32], last[32], legs[32 * 32]
     then         Held-Karp: binomials C(a, b) at 32 a + b, for the numbers of a layer's sets */
#define COMBGPU__TSP_COSTS 8
#define COMBGPU__TSP_BINOMIALS                                                                     \
    (COMBGPU__TSP_COSTS + 2 * COMBGPU__TSP_MOST * (COMBGPU__TSP_MOST + 2))

COMBGPU__PRIVATE combgpu_status combgpu__tsp_tables(combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    size_t words = COMBGPU__TSP_BINOMIALS + COMBGPU__TSP_MOST * COMBGPU__TSP_MOST;
    int brute = tsp->method == COMBGPU_TSP_BRUTE_FORCE, i, j;
    uint32_t *binomials;
    int64_t *costs;
    combgpu_status status = combgpu__job_tables(job, words);
    if (status) return status;
    job->tables[0] = (uint32_t)tsp->m;
    job->tables[1] = (uint32_t)(brute ? tsp->depth : tsp->high);
    job->tables[2] = (uint32_t)tsp->reversible;
    job->tables[3] = (uint32_t)tsp->wide;
    job->tables[4] = (uint32_t)tsp->low;
    costs = (int64_t *)(void *)(job->tables + COMBGPU__TSP_COSTS);
    memcpy(costs, tsp->first, sizeof tsp->first);
    memcpy(costs + COMBGPU__TSP_MOST, tsp->last, sizeof tsp->last);
    memcpy(costs + 2 * COMBGPU__TSP_MOST, tsp->legs, sizeof tsp->legs);
    binomials = job->tables + COMBGPU__TSP_BINOMIALS;
    for (i = 0; i < COMBGPU__TSP_MOST; i++)
        for (j = 0; j <= i; j++)
            binomials[i * COMBGPU__TSP_MOST + j] =
                j && j < i ? binomials[(i - 1) * COMBGPU__TSP_MOST + j - 1] +
                                 binomials[(i - 1) * COMBGPU__TSP_MOST + j]
                           : 1;
    return COMBGPU_OK;
}

/* ---- frontier */

/* Brute force: ranges of prefixes, of a size that gives a GPU's blocks whole rounds. */
#define COMBGPU__TSP_RANGE 512
#define COMBGPU__TSP_RANGES 16384

COMBGPU__PRIVATE void combgpu__tsp_small(combgpu_job *job);

COMBGPU__PRIVATE combgpu_status combgpu__tsp_frontier(combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    uint64_t size = tsp->prefixes / COMBGPU__TSP_RANGES + 1, begin;
    uint32_t task[4] = {0, 0, 0, 0};
    combgpu_status status = COMBGPU_OK;
    if (!tsp->m || (tsp->method == COMBGPU_TSP_BRUTE_FORCE && tsp->m <= COMBGPU__TSP_SUFFIX)) {
        combgpu__tsp_small(job);
        return COMBGPU_OK;
    }
    if (tsp->method == COMBGPU_TSP_HELD_KARP) return combgpu__push(job, task); /* layer 0, from 0 */
    size = (size + COMBGPU__TSP_RANGE - 1) / COMBGPU__TSP_RANGE * COMBGPU__TSP_RANGE;
    for (begin = 0; begin < tsp->prefixes && !status; begin += size) {
        combgpu__put64(task, begin);
        combgpu__put64(task + 2, begin + size < tsp->prefixes ? begin + size : tsp->prefixes);
        status = combgpu__push(job, task);
    }
    return status;
}

