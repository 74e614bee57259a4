/* Checks weights, and converts them to whole numbers of units. */

/* A weight as a whole number of units of 2^-scale; exact where it is an integer and scale is 0. */
COMBGPU__PRIVATE int64_t combgpu__tsp_cost(double weight, int scale)
{
    double units = scale ? ldexp(weight, scale) : weight, whole = combgpu__floor(units);
    return (int64_t)whole + (units - whole >= 0.5);
}

/* Nonzero for a missing connection: infinity or NaN, by the bits, since -ffast-math ignores
   both. */
COMBGPU__INLINE int combgpu__tsp_missing(double weight)
{
    uint64_t bits;
    memcpy(&bits, &weight, sizeof bits);
    return (bits >> 52 & 2047) == 2047 && bits != UINT64_C(0xfff) << 52;
}

/* Nonzero for two equivalent weights. */
COMBGPU__INLINE int combgpu__tsp_alike(double a, double b)
{
    int missing = combgpu__tsp_missing(a);
    return missing == combgpu__tsp_missing(b) && (missing || a == b);
}

typedef struct combgpu__tsp_weights {
    double largest, least; /* of the finite ones; least: 0 if none is negative */
    int missing;           /* pairs that are not connected */
    int symmetric, integral;
    int scale; /* the unit of costs is 2^-scale */
} combgpu__tsp_weights;

/* Checks a weight other than a missing one. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_weight(combgpu_context *ctx, int from, int to,
                                                          double weight)
{
    if (weight >= -1e300 && weight <= 1e300) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                         "the weight from city %d to city %d (counted from 0) is %g; it may be "
                         "-1e300 to 1e300, or infinite (COMBGPU_TSP_NO_CONNECTION)",
                         from, to, weight);
}

/* Checks an instance's weights and describes them. Without a matrix the largest weight is an upper
   bound, and combgpu__tsp_check_instance has checked the coordinates. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_weights(combgpu_context *ctx,
                                                           const combgpu_tsp_instance *instance,
                                                           combgpu__tsp_weights *weights)
{
    int n = instance->n, points = !instance->weights, i, j, exponent;
    combgpu_status status;
    memset(weights, 0, sizeof *weights);
    weights->symmetric = weights->integral = 1;
    if (points) {
        weights->largest = combgpu__tsp_span(instance);
        weights->integral = combgpu__tsp_rounds(instance->metric);
    }
    for (i = 0; !points && i < n; i++)
        for (j = 0; j < n; j++) {
            double w = instance->weights[(size_t)i * (size_t)n + (size_t)j];
            if (i == j) continue;
            if (!combgpu__tsp_alike(w, instance->weights[(size_t)j * (size_t)n + (size_t)i]))
                weights->symmetric = 0;
            if (combgpu__tsp_missing(w)) {
                weights->missing++;
                continue;
            }
            status = combgpu__tsp_check_weight(ctx, i, j, w);
            if (status) return status;
            if (w > weights->largest) weights->largest = w;
            if (w < weights->least) weights->least = w;
            if (fabs(w) > 9007199254740992.0 || w != combgpu__floor(w)) weights->integral = 0;
        }
    frexp(weights->largest * (n + 1), &exponent); /* that product is below 2^exponent */
    if (!weights->integral || exponent > 62) weights->scale = 62 - exponent;
    return COMBGPU_OK;
}

/* The greatest error of a cost in units of 2^-scale. */
COMBGPU__PRIVATE double combgpu__tsp_unit_error(const combgpu_tsp_instance *instance, int scale)
{
    size_t n = (size_t)instance->n, i;
    int exact = !scale;
    if (!exact && instance->weights)
        for (i = 1, exact = 1; exact && i < n * n; i++) {
            double units = ldexp(instance->weights[i], scale);
            exact = i % (n + 1) == 0 || units == combgpu__floor(units);
        }
    return exact ? 0 : ldexp(0.5, -scale);
}

/* A power of two that divides all weights, and so the lengths of all tours; 0 = unknown. */
COMBGPU__PRIVATE double combgpu__tsp_grid(const combgpu_tsp_instance *instance)
{
    size_t n = (size_t)instance->n, i;
    int least = 1000, exponent;
    for (i = 1; instance->weights && i < n * n; i++) {
        double weight = instance->weights[i];
        uint64_t whole;
        if (i % (n + 1) == 0 || combgpu__tsp_missing(weight) || !(fabs(weight) > 0)) continue;
        whole = (uint64_t)ldexp(fabs(frexp(weight, &exponent)), 53);
        exponent += combgpu__lowest_bit64(whole) - 53;
        if (exponent < least) least = exponent;
    }
    return instance->weights && least > -1000 ? ldexp(1, least) : 0;
}
