/* Loads a batch's instances quickly as the whole numbers of combgpu__batch_form, to which it leaves
   invalid instances and extreme numbers. */

#define COMBGPU__BATCH_SIDE 16 /* entries of a row of an instance's weights */

/* The plan for loading instances of one size. */
typedef struct combgpu__batch_plan {
    int valid; /* the ends fit the size */
    int n, m;  /* cities, middle cities */
    int front, back;
    int city[COMBGPU__BATCH_SIDE]; /* middle cities in ascending order, then the fixed ends */
} combgpu__batch_plan;

COMBGPU__PRIVATE void combgpu__batch_arrange(const combgpu_tsp_batch_desc *desc, int n,
                                             combgpu__batch_plan *plan)
{
    combgpu_tsp_instance instance;
    combgpu_tsp_desc one;
    double weight = 0;
    int cycle = desc->shape == COMBGPU_TSP_CYCLE, front, back, city, at = 0;
    memset(plan, 0, sizeof *plan);
    memset(&instance, 0, sizeof instance);
    memset(&one, 0, sizeof one);
    instance.n = n;
    instance.weights = &weight; /* not read */
    one.instance = &instance;
    one.shape = desc->shape;
    one.path_ends = desc->path_ends;
    one.path_start = desc->path_start;
    one.path_end = desc->path_end;
    plan->valid = !combgpu__tsp_check_desc(NULL, &one);
    if (!plan->valid) return;
    front = cycle ? 0 : COMBGPU__TSP_START(desc);
    back = cycle ? 0 : COMBGPU__TSP_END(desc);
    if (n == 1 && front == back) back = -1;
    for (city = 0; city < n; city++)
        if (city != front && city != back) plan->city[at++] = city;
    plan->n = n;
    plan->m = at;
    plan->front = plan->back = -1;
    if (front >= 0) {
        plan->front = at;
        plan->city[at++] = front;
    }
    if (back >= 0) plan->back = back == front ? plan->front : at;
    if (back >= 0 && back != front) plan->city[at++] = back;
}

#ifdef COMBGPU__SSE2
/* Nonzero for the metrics that combgpu__batch_distance knows. */
COMBGPU__PRIVATE int combgpu__batch_pairs(combgpu_tsp_metric metric)
{
    return metric == COMBGPU_TSP_EUC_2D || metric == COMBGPU_TSP_CEIL_2D ||
           metric == COMBGPU_TSP_MAN_2D || metric == COMBGPU_TSP_MAX_2D ||
           metric == COMBGPU_TSP_ATT || metric == COMBGPU_TSP_PLANE;
}

/* Two distances, as combgpu__tsp_distance computes them if no square needs to be scaled and, but for
   PLANE, they are below 2^31. */
COMBGPU__INLINE __m128d combgpu__batch_distance(combgpu_tsp_metric metric, __m128d dx, __m128d dy)
{
    const __m128d minus = _mm_set1_pd(-0.0), half = _mm_set1_pd(0.5), one = _mm_set1_pd(1);
    const int up = metric == COMBGPU_TSP_CEIL_2D || metric == COMBGPU_TSP_ATT;
    __m128d d, whole;
    dx = _mm_andnot_pd(minus, dx);
    dy = _mm_andnot_pd(minus, dy);
    if (metric == COMBGPU_TSP_MAN_2D)
        d = _mm_add_pd(_mm_add_pd(dx, dy), half);
    else if (metric == COMBGPU_TSP_MAX_2D)
        d = _mm_add_pd(_mm_max_pd(dx, dy), half);
    else {
        __m128d xx = _mm_mul_pd(dx, dx), yy = _mm_mul_pd(dy, dy);
        __asm__("" : "+x"(xx), "+x"(yy)); /* as in combgpu__tsp_root: not fused */
        d = _mm_add_pd(xx, yy);
        if (metric == COMBGPU_TSP_ATT) {
            __m128d divisor = _mm_set1_pd(10);
            __asm__("" : "+x"(divisor)); /* with -ffast-math, too, a division */
            d = _mm_div_pd(d, divisor);
        }
        d = _mm_sqrt_pd(d);
    }
    if (metric == COMBGPU_TSP_PLANE) return d;
    whole = d;
    if (metric == COMBGPU_TSP_EUC_2D || metric == COMBGPU_TSP_ATT) whole = _mm_add_pd(d, half);
    whole = _mm_cvtepi32_pd(_mm_cvttpd_epi32(whole));
    if (up) whole = _mm_add_pd(whole, _mm_and_pd(_mm_cmplt_pd(whole, d), one));
    return whole;
}

/* The distances between n cities. Returns 0 if a square needs to be scaled. */
COMBGPU__INLINE int combgpu__batch_distances(combgpu_tsp_metric metric, int n, const double *x,
                                             const double *y, double *weights)
{
    const __m128d minus = _mm_set1_pd(-0.0), large = _mm_set1_pd(1e150), tiny = _mm_set1_pd(1e-140);
    __m128d extreme = _mm_setzero_pd();
    int i, j;
    for (i = 0; i < n; i++) {
        double *row = weights + i * COMBGPU__BATCH_SIDE;
        const __m128d xi = _mm_set1_pd(x[i]), yi = _mm_set1_pd(y[i]);
        for (j = 0; j < i; j += 2) {
            __m128d dx = _mm_sub_pd(xi, _mm_loadu_pd(x + j));
            __m128d dy = _mm_sub_pd(yi, _mm_loadu_pd(y + j));
            __m128d larger = _mm_max_pd(_mm_andnot_pd(minus, dx), _mm_andnot_pd(minus, dy));
            extreme = _mm_or_pd(extreme, _mm_cmpgt_pd(larger, large));
            extreme = _mm_or_pd(extreme, _mm_and_pd(_mm_cmplt_pd(larger, tiny),
                                                    _mm_cmpgt_pd(larger, _mm_setzero_pd())));
            _mm_storeu_pd(row + j, combgpu__batch_distance(metric, dx, dy));
        }
        row[i] = 0;
        for (j = 0; j < i; j++)
            weights[j * COMBGPU__BATCH_SIDE + i] = row[j];
    }
    return !_mm_movemask_pd(extreme);
}

COMBGPU__WARM_BEGIN
/* The same for a metric that is no constant. */
COMBGPU__APART int combgpu__batch_distances_of(combgpu_tsp_metric metric, int n, const double *x,
                                               const double *y, double *weights)
{
    return combgpu__batch_distances(metric, n, x, y, weights);
}
COMBGPU__WARM_END
#endif

/* Computes the weights between an instance's cities, in the plan's order. Returns 0 if
   combgpu__batch_form must. `narrow`: coordinates are such that distances are below 2^31. */
COMBGPU__PRIVATE int combgpu__batch_points(combgpu_tsp_metric metric, int narrow,
                                           const combgpu__batch_plan *plan, const double *x,
                                           const double *y, double *weights)
{
    double own_x[COMBGPU__BATCH_SIDE] = {0}, own_y[COMBGPU__BATCH_SIDE] = {0};
    double square[COMBGPU__BATCH_MOST * COMBGPU__BATCH_MOST];
    int n = plan->n, i, j;
    for (i = 0; i < n; i++) {
        own_x[i] = x[plan->city[i]];
        own_y[i] = y[plan->city[i]];
        if (!(fabs(own_x[i]) <= 1e150 && fabs(own_y[i]) <= 1e150)) return 0;
    }
#ifdef COMBGPU__SSE2
    if (narrow && metric == COMBGPU_TSP_EUC_2D)
        return combgpu__batch_distances(COMBGPU_TSP_EUC_2D, n, own_x, own_y, weights);
    if (metric == COMBGPU_TSP_PLANE)
        return combgpu__batch_distances(COMBGPU_TSP_PLANE, n, own_x, own_y, weights);
    if (narrow && combgpu__batch_pairs(metric))
        return combgpu__batch_distances_of(metric, n, own_x, own_y, weights);
#else
    (void)narrow;
#endif
    if (combgpu__tsp_measure(NULL, n, own_x, own_y, metric, square)) return 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            weights[i * COMBGPU__BATCH_SIDE + j] = square[i * n + j];
    return 1;
}

/* Copies the weights between an instance's cities from the caller's, row by row. */
COMBGPU__PRIVATE void combgpu__batch_matrix(const combgpu_tsp_batch_desc *desc, uint64_t k,
                                            const combgpu__batch_plan *plan, double *weights)
{
    size_t n = (size_t)desc->n, at = (size_t)k * n * n;
    int i, j;
    for (i = 0; i < plan->n; i++) {
        size_t from = at + (size_t)plan->city[i] * n;
        double *row = weights + i * COMBGPU__BATCH_SIDE;
        if (desc->weights)
            for (j = 0; j < plan->n; j++)
                row[j] = desc->weights[from + (size_t)plan->city[j]];
        else
            for (j = 0; j < plan->n; j++)
                row[j] = desc->int_weights[from + (size_t)plan->city[j]];
        row[i] = 0; /* unused */
    }
}

/* Nonzero if a weight may be too large beside the others to search unaltered: not below 1024 times
   the loneliest city's distance from its nearest one. */
COMBGPU__PRIVATE int combgpu__batch_far(int n, const double *weights, double largest)
{
    double most = 0;
    int i, j;
    for (i = 0; i < n; i++) {
        double least = largest;
        for (j = 0; j < n; j++) {
            double out = weights[i * COMBGPU__BATCH_SIDE + j];
            double in = weights[j * COMBGPU__BATCH_SIDE + i];
            if (in < out) out = in;
            if (i != j && out < least) least = out;
        }
        if (least > most) most = least;
    }
    return largest > most * COMBGPU__TERMS_FAR;
}

/* Checks the weights and sets *scale, the unit 2^-scale of costs (combgpu__tsp_check_weights).
   Returns 0 if combgpu__batch_form must decide. */
COMBGPU__PRIVATE int combgpu__batch_unit(int n, const double *weights, int points, int *scale)
{
    const double integers = 4503599627370496.0; /* 2^52: from there on every double is whole */
    double largest = 0;
    int bad = 0, fractional = 0, exponent, i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double w = weights[i * COMBGPU__BATCH_SIDE + j];
            double below = w >= 0 && w < integers ? w : 0;
            bad |= combgpu__tsp_missing(w) | (w < 0) | (w > 1e300);
            fractional |= (below != (double)(int64_t)below) | (w > 2 * integers);
            largest = w > largest ? w : largest;
        }
    if (bad) return 0;
    (void)frexp(largest * (n + 1), &exponent);
    *scale = fractional || exponent > 62 ? 62 - exponent : 0;
    if (*scale && !points && combgpu__batch_far(n, weights, largest)) return 0;
    return *scale > -1000 && *scale < 1000; /* so that 2^scale is a double */
}

/* As combgpu__tsp_cost, for a factor of 2^scale. */
COMBGPU__INLINE uint64_t combgpu__batch_cost(double weight, double factor)
{
    double units = weight * factor;
    int64_t whole = (int64_t)units;
    return (uint64_t)(whole + (units - (double)whole >= 0.5));
}

/* Nonzero if the weights are whole numbers of units. */
COMBGPU__PRIVATE int combgpu__batch_exact(int n, const double *weights, double factor)
{
    int exact = 1, i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double units = weights[i * COMBGPU__BATCH_SIDE + j] * factor;
            exact &= units == (double)(int64_t)units;
        }
    return exact;
}

/* Stores `count` costs. */
COMBGPU__PRIVATE void combgpu__batch_costs(int wide, double factor, const double *weights,
                                           int count, uint32_t *to)
{
    int i;
    if (!wide)
        for (i = 0; i < count; i++)
            to[i] = (uint32_t)(int32_t)weights[i];
    else
        for (i = 0; i < count; i++) {
            uint64_t cost = combgpu__batch_cost(weights[i], factor);
            memcpy(to + 2 * i, &cost, sizeof cost);
        }
}

/* Loads instance k, whose points, if it has any, are x and y: its numbers (src/tsp/layout.h) to `to`,
   the scale to *scale. Returns 0 to leave it to combgpu__batch_form. */
COMBGPU__PRIVATE int combgpu__batch_load_one(const combgpu__batch *batch,
                                             const combgpu__batch_plan *plan, uint64_t k,
                                             const double *x, const double *y, uint32_t *to,
                                             int *scale)
{
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    double weights[COMBGPU__BATCH_SIDE * COMBGPU__BATCH_SIDE], factor;
    int most = batch->most, wide = batch->wide, m = plan->m, words = 1 + wide, i;
    int64_t number;
    if (!plan->valid) return 0;
    if (!x)
        combgpu__batch_matrix(desc, k, plan, weights);
    else if (!combgpu__batch_points(desc->metric, !wide, plan, x, y, weights))
        return 0;
    *scale = 0;
    if (wide || !x)
        if (!combgpu__batch_unit(plan->n, weights, x != NULL, scale)) return 0;
    factor = ldexp(1, *scale);
    if (batch->exact)
        batch->exact[k] = (unsigned char)combgpu__batch_exact(plan->n, weights, factor);
    if (m < most || plan->front < 0 || plan->back < 0)
        memset(to, 0, batch->stride * (size_t)words * sizeof *to);
    number = m;
    to[0] = (uint32_t)m;
    if (wide) memcpy(to, &number, sizeof number);
    to += words;
    if (!m) {
        if (plan->n > 1)
            combgpu__batch_costs(wide, factor,
                                 weights + plan->front * COMBGPU__BATCH_SIDE + plan->back, 1, to);
        return 1;
    }
    if (plan->front >= 0)
        combgpu__batch_costs(wide, factor, weights + plan->front * COMBGPU__BATCH_SIDE, m, to);
    if (plan->back >= 0) {
        double last[COMBGPU__BATCH_SIDE];
        for (i = 0; i < m; i++)
            last[i] = weights[i * COMBGPU__BATCH_SIDE + plan->back];
        combgpu__batch_costs(wide, factor, last, m, to + most * words);
    }
    for (i = 0; i < m; i++)
        combgpu__batch_costs(wide, factor, weights + i * COMBGPU__BATCH_SIDE, m,
                             to + (2 + i) * most * words);
    return 1;
}

/* Number i of an instance; as in memory, since solvers read 64-bit numbers. */
COMBGPU__INLINE uint64_t combgpu__batch_word(const uint32_t *numbers, size_t i, int wide)
{
    uint64_t number;
    if (!wide) return numbers[i];
    memcpy(&number, numbers + 2 * i, sizeof number);
    return number;
}

/* Hashes the numbers of up to 8 instances, side by side since each hash is a chain of
   multiplications: FNV-1a by 64-bit words. */
COMBGPU__PRIVATE void combgpu__batch_hashes(const combgpu__batch *batch, const uint32_t *numbers,
                                            const int16_t *scales, int count, uint64_t *hashes)
{
    const uint64_t prime = UINT64_C(1099511628211);
    size_t stride = batch->stride, words = stride * (batch->wide ? 2 : 1), i;
    int wide = batch->wide, k;
    for (k = 0; k < count; k++)
        hashes[k] = combgpu__batch_word(numbers + (size_t)k * words, 0, wide) << 16 |
                    (uint64_t)(uint16_t)scales[k];
    if (count == 8 && !wide)
        for (i = 0; i < stride; i++)
            for (k = 0; k < 8; k++)
                hashes[k] = (hashes[k] ^ numbers[(size_t)k * stride + i]) * prime;
    else
        for (k = 0; k < count; k++)
            for (i = 0; i < stride; i++) {
                hashes[k] =
                    (hashes[k] ^ combgpu__batch_word(numbers + (size_t)k * words, i, wide)) * prime;
                if (wide) hashes[k] ^= hashes[k] >> 32; /* halves have low bits that are 0 */
            }
}

/* Writes the text that identifies the job. */
COMBGPU__PRIVATE void combgpu__batch_name(combgpu_job *job, uint64_t hash)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu_tsp_batch_desc *desc = &((const combgpu__batch *)combgpu__state(job))->desc;
    snprintf(search->parameters, sizeof search->parameters,
             "batch %llu n %d shape %d ends %d %d weights %016llx", (unsigned long long)desc->count,
             desc->n, (int)desc->shape, COMBGPU__TSP_START(desc) + 1, COMBGPU__TSP_END(desc) + 1,
             (unsigned long long)hash);
}
