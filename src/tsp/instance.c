/* ---- instances */

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_n(combgpu_context *ctx, int n)
{
    if (n < 1 || n > COMBGPU_TSP_MAX_DIMENSION)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to %d", n,
                             COMBGPU_TSP_MAX_DIMENSION);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_tour_size(combgpu_context *ctx, int n,
                                                             const int *tour)
{
    combgpu_status status = combgpu__tsp_check_n(ctx, n);
    if (status || tour) return status;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "tour is NULL");
}

/* Empties an instance that is to have n cities. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_empty(combgpu_context *ctx, int n,
                                                   combgpu_tsp_instance *instance)
{
    if (!instance) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "instance is NULL");
    memset(instance, 0, sizeof *instance);
    return combgpu__tsp_check_n(ctx, n);
}

COMBGPU__PRIVATE double *combgpu__tsp_doubles(combgpu_context *ctx, size_t count,
                                              combgpu_status *status)
{
    size_t bytes = combgpu__bytes(count, sizeof(double));
    double *made = (double *)combgpu__allocate(ctx, bytes);
    if (!made) *status = combgpu__no_memory(ctx, bytes);
    return made;
}

COMBGPU__DEF void combgpu_tsp_free(combgpu_context *ctx, combgpu_tsp_instance *instance)
{
    if (!ctx || !instance) return;
    combgpu__release(ctx, instance->weights);
    combgpu__release(ctx, instance->x);
    combgpu__release(ctx, instance->y);
    memset(instance, 0, sizeof *instance);
}

/* Checks the weights and sets the flags that depend on them. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_classify(combgpu_context *ctx,
                                                      combgpu_tsp_instance *instance)
{
    combgpu__tsp_weights weights;
    combgpu_status status = combgpu__tsp_check_weights(ctx, instance, &weights);
    instance->symmetric = weights.symmetric;
    instance->integral = weights.integral;
    return status;
}

/* From one of the two matrices. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_copy(combgpu_context *ctx, int n,
                                                  const double *weights, const int *int_weights,
                                                  combgpu_tsp_instance *instance)
{
    combgpu_status status;
    size_t count, i;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, n, instance);
    if (!status && !weights && !int_weights)
        status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "weights is NULL");
    if (status) return status;
    count = (size_t)n * (size_t)n;
    instance->n = n;
    instance->weights = combgpu__tsp_doubles(ctx, count, &status);
    for (i = 0; !status && i < count; i++)
        instance->weights[i] = weights ? weights[i] : int_weights[i];
    if (!status) status = combgpu__tsp_classify(ctx, instance);
    if (status) combgpu_tsp_free(ctx, instance);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp_from_matrix(combgpu_context *ctx, int n,
                                                    const double *weights,
                                                    combgpu_tsp_instance *instance)
{
    return combgpu__tsp_copy(ctx, n, weights, NULL, instance);
}

COMBGPU__DEF combgpu_status combgpu_tsp_from_int_matrix(combgpu_context *ctx, int n,
                                                        const int *weights,
                                                        combgpu_tsp_instance *instance)
{
    return combgpu__tsp_copy(ctx, n, NULL, weights, instance);
}

/* sqrt((dx^2 + dy^2) / divisor), each square rounded: no compiler may fuse them, or distances that are
   halves would depend on its options. Where no double can hold a square, dx and dy are scaled. */
COMBGPU__PRIVATE double combgpu__tsp_root(double dx, double dy, double divisor)
{
    volatile double xx, yy;
    double larger = dx > dy ? dx : dy;
    int exponent = 0;
    if (larger > 1e150 || (larger > 0 && larger < 1e-140)) (void)frexp(larger, &exponent);
    if (exponent) {
        dx = ldexp(dx, -exponent);
        dy = ldexp(dy, -exponent);
    }
    xx = dx * dx;
    yy = dy * dy;
    return ldexp(combgpu__sqrt((xx + yy) / divisor), exponent);
}

/* Degrees and minutes DDD.MM to radians, with TSPLIB's constant; the degrees are cut off. */
COMBGPU__PRIVATE double combgpu__tsp_geo_radians(double x)
{
    double degrees = x < 0 ? combgpu__ceil(x) : combgpu__floor(x);
    return 3.141592 * (degrees + 5.0 * (x - degrees) / 3.0) / 180.0;
}

/* TSPLIB's GEO: whole kilometres on a sphere of radius 6378.388, plus one. */
COMBGPU__PRIVATE double combgpu__tsp_geo(double x1, double y1, double x2, double y2)
{
    double lat1 = combgpu__tsp_geo_radians(x1), lon1 = combgpu__tsp_geo_radians(y1);
    double lat2 = combgpu__tsp_geo_radians(x2), lon2 = combgpu__tsp_geo_radians(y2);
    double q1 = combgpu__cos(lon1 - lon2), q2 = combgpu__cos(lat1 - lat2);
    double q3 = combgpu__cos(lat1 + lat2);
    volatile double a = (1.0 + q1) * q2, b = (1.0 - q1) * q3;
    double c = 0.5 * (a - b);
    return combgpu__floor(6378.388 * combgpu__arc_cosine(c > 1 ? 1 : c < -1 ? -1 : c) + 1.0);
}

/* Great circle by the haversine formula, stable for near points; degrees. */
COMBGPU__PRIVATE double combgpu__tsp_earth(double x1, double y1, double x2, double y2)
{
    double radians = 3.14159265358979323846 / 180;
    double a = combgpu__sin((x2 - x1) * radians / 2), b = combgpu__sin((y2 - y1) * radians / 2);
    volatile double aa = a * a;
    volatile double bb = combgpu__cos(x1 * radians) * combgpu__cos(x2 * radians) * b * b;
    double c = combgpu__sqrt(aa + bb);
    return 2 * 6371.0088 * combgpu__arc_sine(c > 1 ? 1 : c);
}

/* The metrics as TSPLIB95 defines them (G. Reinelt, 1995); "nearest" is floor(x + 0.5) there. */
COMBGPU__PRIVATE double combgpu__tsp_distance(combgpu_tsp_metric metric, double x1, double y1,
                                              double x2, double y2)
{
    double dx = fabs(x1 - x2), dy = fabs(y1 - y2), exact, nearest;
    switch (metric) {
    case COMBGPU_TSP_EUC_2D:
        return combgpu__floor(combgpu__tsp_root(dx, dy, 1) + 0.5);
    case COMBGPU_TSP_CEIL_2D:
        return combgpu__ceil(combgpu__tsp_root(dx, dy, 1));
    case COMBGPU_TSP_MAN_2D:
        return combgpu__floor(dx + dy + 0.5);
    case COMBGPU_TSP_MAX_2D:
        dx = combgpu__floor(dx + 0.5);
        dy = combgpu__floor(dy + 0.5);
        return dx > dy ? dx : dy;
    case COMBGPU_TSP_ATT:
        exact = combgpu__tsp_root(dx, dy, 10);
        nearest = combgpu__floor(exact + 0.5);
        return nearest < exact ? nearest + 1 : nearest;
    case COMBGPU_TSP_GEO:
        return combgpu__tsp_geo(x1, y1, x2, y2);
    case COMBGPU_TSP_EARTH:
        return combgpu__tsp_earth(x1, y1, x2, y2);
    case COMBGPU_TSP_PLANE:
    case COMBGPU_TSP_MATRIX:
        break;
    }
    return combgpu__tsp_root(dx, dy, 1);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_metric(combgpu_context *ctx,
                                                          combgpu_tsp_metric metric)
{
    if ((int)metric > COMBGPU_TSP_MATRIX && (int)metric <= COMBGPU_TSP_EARTH) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                         "metric is %d; for coordinates it may be 1 (EUC_2D) to %d (EARTH)",
                         (int)metric, (int)COMBGPU_TSP_EARTH);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_points(combgpu_context *ctx, int n,
                                                          const double *x, const double *y,
                                                          combgpu_tsp_metric metric)
{
    int i;
    for (i = 0; i < n; i++) {
        if (!(fabs(x[i]) <= 1e300 && fabs(y[i]) <= 1e300))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "city %d (counted from 0) is at %g, %g; coordinates may be "
                                 "-1e300 to 1e300",
                                 i, x[i], y[i]);
        if ((metric == COMBGPU_TSP_EARTH || metric == COMBGPU_TSP_GEO) &&
            !(fabs(x[i]) <= 90 && fabs(y[i]) <= 360))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "city %d (counted from 0) is at latitude %g, longitude %g; they "
                                 "may be -90 to 90 and -360 to 360 degrees",
                                 i, x[i], y[i]);
    }
    return COMBGPU_OK;
}

/* weights[n*n] from coordinates, both checked. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_measure(combgpu_context *ctx, int cities,
                                                     const double *x, const double *y,
                                                     combgpu_tsp_metric metric, double *weights)
{
    int rounded = metric != COMBGPU_TSP_PLANE && metric != COMBGPU_TSP_EARTH;
    size_t n = (size_t)cities, i, j;
    combgpu_status status = combgpu__tsp_check_points(ctx, cities, x, y, metric);
    if (status) return status;
    for (i = 0; i < n; i++) {
        weights[i * n + i] = 0;
        for (j = 0; j < i; j++) {
            double d = combgpu__tsp_distance(metric, x[i], y[i], x[j], y[j]);
            if (!(d <= (rounded ? 9007199254740992.0 : 1e300)))
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "the distance between cities %d and %d (counted from 0) is "
                                     "%g; it may be %s",
                                     (int)j, (int)i, d,
                                     rounded ? "at most 2^53, else rounding is not exact"
                                             : "at most 1e300");
            weights[i * n + j] = weights[j * n + i] = d;
        }
    }
    return COMBGPU_OK;
}

/* instance->weights from its coordinates. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_measure_instance(combgpu_context *ctx,
                                                              combgpu_tsp_instance *instance)
{
    size_t n = (size_t)instance->n;
    combgpu_status status = COMBGPU_OK;
    instance->weights = combgpu__tsp_doubles(ctx, n * n, &status);
    if (!status)
        status = combgpu__tsp_measure(ctx, instance->n, instance->x, instance->y, instance->metric,
                                      instance->weights);
    return status ? status : combgpu__tsp_classify(ctx, instance);
}

COMBGPU__DEF combgpu_status combgpu_tsp_from_coordinates(combgpu_context *ctx, int n,
                                                         const double *x, const double *y,
                                                         combgpu_tsp_metric metric,
                                                         combgpu_tsp_instance *instance)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, n, instance);
    if (status) return status;
    if (!x || !y) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", x ? "y" : "x");
    status = combgpu__tsp_check_metric(ctx, metric);
    if (status) return status;
    instance->n = n;
    instance->metric = metric;
    instance->x = combgpu__tsp_doubles(ctx, (size_t)n, &status);
    if (!status) instance->y = combgpu__tsp_doubles(ctx, (size_t)n, &status);
    if (!status) {
        memcpy(instance->x, x, (size_t)n * sizeof *x);
        memcpy(instance->y, y, (size_t)n * sizeof *y);
        status = combgpu__tsp_measure_instance(ctx, instance);
    }
    if (status) combgpu_tsp_free(ctx, instance);
    return status;
}

