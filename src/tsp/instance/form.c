/* Brings an instance to its form (see tsp/instance/state.c), and makes bounds, first tours and
   tables. */

/* Brings the instance to the form of src/tsp/state.c. Sets only m and n if m is too large. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_form(combgpu_context *ctx,
                                                  const combgpu_tsp_desc *desc, combgpu__tsp *tsp)
{
    const combgpu_tsp_instance *instance = desc->instance;
    int n = instance->n, cycle = desc->shape == COMBGPU_TSP_CYCLE, i, j;
    combgpu__tsp_weights weights;
    combgpu_status status = combgpu__tsp_check_weights(ctx, instance, &weights);
    if (status) return status;
    tsp->scale = weights.scale;
    tsp->error = combgpu__tsp_unit_error(instance, weights.scale);
    tsp->n = n;
    tsp->shape = desc->shape;
    tsp->front = cycle ? 0 : COMBGPU__TSP_START(desc);
    tsp->back = cycle ? 0 : COMBGPU__TSP_END(desc);
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

/* Returns a bound for searches that end early: every middle city is entered once and left once. */
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

/* Returns the cost of an order of the middle cities. */
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

/* Reverses first, ..., last. */
COMBGPU__PRIVATE void combgpu__tsp_reverse(int *first, int *last)
{
    for (; first < last; first++, last--) {
        int swap = *first;
        *first = *last;
        *last = swap;
    }
}

/* Makes the nearest neighbour tour, for searches that end before they find one. */
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

/* Fills in the tables (src/tsp/layout.h). */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_tables(combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    size_t words = COMBGPU__TSP_AT_BINOMIALS + COMBGPU__TSP_MOST * COMBGPU__TSP_MOST;
    int brute = tsp->method == COMBGPU_TSP_BRUTE_FORCE, i, j;
    uint32_t *binomials;
    int64_t *costs;
    combgpu_status status = combgpu__job_tables(job, words);
    if (status) return status;
    combgpu__tables(job)[COMBGPU__TSP_AT_CITIES] = (uint32_t)tsp->m;
    combgpu__tables(job)[brute ? COMBGPU__TSP_AT_DEPTH : COMBGPU__TSP_AT_HIGH] =
        (uint32_t)(brute ? tsp->depth : tsp->high);
    combgpu__tables(job)[COMBGPU__TSP_AT_REVERSIBLE] = (uint32_t)tsp->reversible;
    combgpu__tables(job)[COMBGPU__TSP_AT_WIDE] = (uint32_t)tsp->wide;
    combgpu__tables(job)[COMBGPU__TSP_AT_LOW] = (uint32_t)tsp->low;
    costs = (int64_t *)(void *)(combgpu__tables(job) + COMBGPU__TSP_AT_COSTS);
    memcpy(costs, tsp->first, sizeof tsp->first);
    memcpy(costs + COMBGPU__TSP_MOST, tsp->last, sizeof tsp->last);
    memcpy(costs + 2 * COMBGPU__TSP_MOST, tsp->legs, sizeof tsp->legs);
    binomials = combgpu__tables(job) + COMBGPU__TSP_AT_BINOMIALS;
    for (i = 0; i < COMBGPU__TSP_MOST; i++)
        for (j = 0; j <= i; j++)
            binomials[i * COMBGPU__TSP_MOST + j] =
                j && j < i ? binomials[(i - 1) * COMBGPU__TSP_MOST + j - 1] +
                                 binomials[(i - 1) * COMBGPU__TSP_MOST + j]
                           : 1;
    return COMBGPU_OK;
}

/* ---- frontier */

/* Brute force: the size of a range of prefixes is a multiple of this, whole rounds of a block. */
#define COMBGPU__TSP_RANGE 512
#define COMBGPU__TSP_RANGES 16384
