/* Makes instances from matrices and coordinates. */

COMBGPU__COLD_BEGIN
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

/* Empties an instance that will have n cities. */
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
    combgpu__release(ctx, instance->z);
    combgpu__release(ctx, instance->before);
    combgpu__release(ctx, instance->fixed);
    combgpu__release(ctx, instance->ready);
    combgpu__release(ctx, instance->due);
    combgpu__release(ctx, instance->service);
    memset(instance, 0, sizeof *instance);
}

COMBGPU__DEF double combgpu_tsp_weight(const combgpu_tsp_instance *instance, int from, int to)
{
    return from == to ? 0 : combgpu__tsp_weight(instance, from, to);
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

/* Makes an instance from one of the two matrices. */
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
        instance->weights[i] = !weights                           ? int_weights[i]
                               : combgpu__tsp_missing(weights[i]) ? COMBGPU_TSP_NO_CONNECTION
                                                                  : weights[i];
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
COMBGPU__COLD_END

/* Computes weights[n*n] from coordinates and checks both. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_measure(combgpu_context *ctx, int cities,
                                                     const double *x, const double *y,
                                                     combgpu_tsp_metric metric, double *weights)
{
    size_t n = (size_t)cities, i, j;
    combgpu_status status = combgpu__tsp_check_points(ctx, cities, x, y, metric);
    if (status) return status;
    for (i = 0; i < n; i++) {
        weights[i * n + i] = 0;
        for (j = 0; j < i; j++) {
            double d = combgpu__tsp_distance(metric, x[i], y[i], x[j], y[j]);
            status = combgpu__tsp_check_distance(ctx, (int)j, (int)i, metric, d);
            if (status) return status;
            weights[i * n + j] = weights[j * n + i] = d;
        }
    }
    return COMBGPU_OK;
}

COMBGPU__COLD_BEGIN
/* Computes instance->weights from its coordinates, up to `most` cities. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_measure_instance(combgpu_context *ctx,
                                                              combgpu_tsp_instance *instance,
                                                              int most)
{
    int n = instance->n, i, j;
    double *weights;
    combgpu_status status = combgpu__tsp_check_places(ctx, "instance", instance);
    if (status || n > most) return status ? status : combgpu__tsp_classify(ctx, instance);
    weights = combgpu__tsp_doubles(ctx, (size_t)n * (size_t)n, &status);
    for (i = 0; !status && i < n; i++) {
        weights[i * n + i] = 0;
        for (j = 0; j < i; j++)
            weights[i * n + j] = weights[j * n + i] = combgpu__tsp_weight(instance, i, j);
    }
    instance->weights = weights;
    return status ? status : combgpu__tsp_classify(ctx, instance);
}

/* Gives weights to desc->instance if it has only coordinates: a copy, *measured, takes its place.
   The caller releases measured->weights, NULL where nothing was made. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_measure_desc(combgpu_context *ctx,
                                                          combgpu_tsp_desc *desc,
                                                          combgpu_tsp_instance *measured)
{
    memset(measured, 0, sizeof *measured);
    if (desc->instance->weights) return COMBGPU_OK;
    *measured = *desc->instance;
    desc->instance = measured;
    return combgpu__tsp_measure_instance(ctx, measured, COMBGPU_TSP_MAX_DIMENSION);
}

/* The instance and the tour's shape from another search's description. */
COMBGPU__PRIVATE combgpu_tsp_desc combgpu__tsp_like(const combgpu_tsp_instance *instance,
                                                    combgpu_tsp_shape shape, combgpu_tsp_ends ends,
                                                    int start, int end)
{
    combgpu_tsp_desc like;
    memset(&like, 0, sizeof like);
    like.instance = instance;
    like.shape = shape;
    like.path_ends = ends;
    like.path_start = start;
    like.path_end = end;
    return like;
}

/* Copies an array of n coordinates. */
COMBGPU__PRIVATE double *combgpu__tsp_copy_axis(combgpu_context *ctx, int n, const double *from,
                                                combgpu_status *status)
{
    double *copy = *status ? NULL : combgpu__tsp_doubles(ctx, (size_t)n, status);
    if (copy) memcpy(copy, from, (size_t)n * sizeof *copy);
    return copy;
}

/* Makes an instance from coordinates; z is NULL for metrics of the plane and the sphere. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_from_places(combgpu_context *ctx, int n,
                                                         const double *x, const double *y,
                                                         const double *z, combgpu_tsp_metric metric,
                                                         combgpu_tsp_instance *instance)
{
    combgpu_status status;
    if (!x || !y) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", x ? "y" : "x");
    instance->n = n;
    instance->metric = metric;
    status = COMBGPU_OK;
    instance->x = combgpu__tsp_copy_axis(ctx, n, x, &status);
    instance->y = combgpu__tsp_copy_axis(ctx, n, y, &status);
    if (z) instance->z = combgpu__tsp_copy_axis(ctx, n, z, &status);
    if (!status) status = combgpu__tsp_measure_instance(ctx, instance, COMBGPU_TSP_MAX_MATRIX);
    if (status) combgpu_tsp_free(ctx, instance);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp_from_coordinates(combgpu_context *ctx, int n,
                                                         const double *x, const double *y,
                                                         combgpu_tsp_metric metric,
                                                         combgpu_tsp_instance *instance)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, n, instance);
    if (!status) status = combgpu__tsp_check_metric(ctx, "metric", metric);
    return status ? status : combgpu__tsp_from_places(ctx, n, x, y, NULL, metric, instance);
}

COMBGPU__DEF combgpu_status combgpu_tsp_from_coordinates_3d(combgpu_context *ctx, int n,
                                                            const double *x, const double *y,
                                                            const double *z,
                                                            combgpu_tsp_metric metric,
                                                            combgpu_tsp_instance *instance)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, n, instance);
    if (!status && !combgpu__tsp_has_z(metric))
        status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                               "metric is %d; with z it may be %d (EUC_3D) to %d (XRAY2)",
                               (int)metric, (int)COMBGPU_TSP_EUC_3D, (int)COMBGPU_TSP_XRAY2);
    if (!status && !z) status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "z is NULL");
    return status ? status : combgpu__tsp_from_places(ctx, n, x, y, z, metric, instance);
}
COMBGPU__COLD_END
