/* The metrics: distances from coordinates, and the weight between two cities. */

/* Returns sqrt((dx^2 + dy^2 + dz^2) / divisor), each square rounded. `volatile` keeps compilers from
   fusing them; otherwise the rounding of a half would depend on compiler options. Scales them if a
   square would overflow or underflow. */
COMBGPU__PRIVATE double combgpu__tsp_root(double dx, double dy, double dz, double divisor)
{
    volatile double xx, yy, zz;
    double larger = dx > dy ? dx : dy;
    int exponent = 0;
    if (dz > larger) larger = dz;
    if (larger > 1e150 || (larger > 0 && larger < 1e-140)) (void)frexp(larger, &exponent);
    if (exponent) {
        dx = ldexp(dx, -exponent);
        dy = ldexp(dy, -exponent);
        dz = ldexp(dz, -exponent);
    }
    xx = dx * dx;
    yy = dy * dy;
    zz = dz * dz;
    larger = combgpu__sqrt((xx + yy + zz) / divisor);
    return exponent ? ldexp(larger, exponent) : larger;
}

/* Converts degrees and minutes, DDD.MM, to radians with TSPLIB's constant; truncates degrees. */
COMBGPU__PRIVATE double combgpu__tsp_geo_radians(double x)
{
    double degrees = x < 0 ? combgpu__ceil(x) : combgpu__floor(x);
    return 3.141592 * (degrees + 5.0 * (x - degrees) / 3.0) / 180.0;
}

/* TSPLIB's GEO: whole kilometres on a sphere of radius 6378.388 km, plus one. */
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

/* Half the angle between points in degrees, by the haversine formula, stable for near points. */
COMBGPU__PRIVATE double combgpu__tsp_half_angle(double x1, double y1, double x2, double y2)
{
    double radians = 3.14159265358979323846 / 180;
    double a = combgpu__sin((x2 - x1) * radians / 2), b = combgpu__sin((y2 - y1) * radians / 2);
    volatile double aa = a * a;
    volatile double bb = combgpu__cos(x1 * radians) * combgpu__cos(x2 * radians) * b * b;
    double c = combgpu__sqrt(aa + bb);
    return combgpu__arc_sine(c > 1 ? 1 : c);
}

/* Returns the largest of three numbers. */
COMBGPU__PRIVATE double combgpu__tsp_largest(double a, double b, double c)
{
    return a > b ? a > c ? a : c : b > c ? b : c;
}

/* The nearest integer as TSPLIB has it: a half goes up. */
COMBGPU__PRIVATE double combgpu__tsp_nearest_integer(double x)
{
    return combgpu__floor(x + 0.5);
}

/* The distances of diffractometer angles: phi turns either way, the slowest motor counts. */
COMBGPU__PRIVATE double combgpu__tsp_xray(combgpu_tsp_metric metric, double phi, double chi,
                                          double theta)
{
    double other = fabs(phi - 360), cost;
    if (other < phi) phi = other;
    cost = metric == COMBGPU_TSP_XRAY1 ? combgpu__tsp_largest(phi, chi, theta)
                                       : combgpu__tsp_largest(phi / 1.25, chi / 1.5, theta / 1.15);
    return combgpu__tsp_nearest_integer(100 * cost);
}

/* The metrics that depend on the differences dx, dy, dz >= 0 alone, as TSPLIB95 defines them
   (G. Reinelt, 1995). */
COMBGPU__PRIVATE double combgpu__tsp_flat(combgpu_tsp_metric metric, double dx, double dy,
                                          double dz)
{
    double exact, nearest;
    switch (metric) {
    case COMBGPU_TSP_EUC_2D:
    case COMBGPU_TSP_EUC_3D:
        return combgpu__tsp_nearest_integer(combgpu__tsp_root(dx, dy, dz, 1));
    case COMBGPU_TSP_CEIL_2D:
        return combgpu__ceil(combgpu__tsp_root(dx, dy, dz, 1));
    case COMBGPU_TSP_FLOOR_2D:
        return combgpu__floor(combgpu__tsp_root(dx, dy, dz, 1));
    case COMBGPU_TSP_MAN_2D:
    case COMBGPU_TSP_MAN_3D:
        return combgpu__tsp_nearest_integer(dx + dy + dz);
    case COMBGPU_TSP_MAX_2D:
    case COMBGPU_TSP_MAX_3D:
        return combgpu__tsp_largest(combgpu__tsp_nearest_integer(dx),
                                    combgpu__tsp_nearest_integer(dy),
                                    combgpu__tsp_nearest_integer(dz));
    case COMBGPU_TSP_XRAY1:
    case COMBGPU_TSP_XRAY2:
        return combgpu__tsp_xray(metric, dx, dy, dz);
    case COMBGPU_TSP_ATT:
        exact = combgpu__tsp_root(dx, dy, dz, 10);
        nearest = combgpu__tsp_nearest_integer(exact);
        return nearest < exact ? nearest + 1 : nearest;
    case COMBGPU_TSP_GEO:
    case COMBGPU_TSP_GEOM:
    case COMBGPU_TSP_EARTH:
    case COMBGPU_TSP_PLANE:
    case COMBGPU_TSP_MATRIX:
        break;
    }
    return combgpu__tsp_root(dx, dy, dz, 1);
}

COMBGPU__PRIVATE int combgpu__tsp_on_sphere(combgpu_tsp_metric metric)
{
    return metric == COMBGPU_TSP_GEO || metric == COMBGPU_TSP_GEOM || metric == COMBGPU_TSP_EARTH;
}

/* Nonzero for metrics of x, y and z. */
COMBGPU__PRIVATE int combgpu__tsp_has_z(combgpu_tsp_metric metric)
{
    return (int)metric >= COMBGPU_TSP_EUC_3D && (int)metric <= COMBGPU_TSP_XRAY2;
}

/* Nonzero for metrics whose distances are whole numbers. */
COMBGPU__PRIVATE int combgpu__tsp_rounds(combgpu_tsp_metric metric)
{
    return metric != COMBGPU_TSP_PLANE && metric != COMBGPU_TSP_EARTH;
}

COMBGPU__PRIVATE double combgpu__tsp_distance(combgpu_tsp_metric metric, double x1, double y1,
                                              double x2, double y2)
{
    if (metric == COMBGPU_TSP_GEO) return combgpu__tsp_geo(x1, y1, x2, y2);
    if (metric == COMBGPU_TSP_EARTH) return 2 * 6371.0088 * combgpu__tsp_half_angle(x1, y1, x2, y2);
    if (metric == COMBGPU_TSP_GEOM)
        return combgpu__floor(2 * 6378388.0 * combgpu__tsp_half_angle(x1, y1, x2, y2) + 1);
    return combgpu__tsp_flat(metric, fabs(x1 - x2), fabs(y1 - y2), 0);
}

/* The weight of an instance from one city to another, from its matrix or its coordinates. */
COMBGPU__PRIVATE double combgpu__tsp_weight(const combgpu_tsp_instance *instance, int from, int to)
{
    const double *x = instance->x, *y = instance->y, *z = instance->z;
    if (instance->weights)
        return instance->weights[(size_t)from * (size_t)instance->n + (size_t)to];
    if (from > to) { /* as in a matrix: the same in both directions, to the last bit */
        int swap = from;
        from = to;
        to = swap;
    }
    if (!z) return combgpu__tsp_distance(instance->metric, x[to], y[to], x[from], y[from]);
    return combgpu__tsp_flat(instance->metric, fabs(x[to] - x[from]), fabs(y[to] - y[from]),
                             fabs(z[to] - z[from]));
}

/* An upper bound of the distances between an instance's points: that of the corners of the box
   around them, half of the circumference on a sphere. */
COMBGPU__PRIVATE double combgpu__tsp_span(const combgpu_tsp_instance *instance)
{
    const double *at[3];
    double across[3] = {0, 0, 0};
    int axis, i;
    at[0] = instance->x;
    at[1] = instance->y;
    at[2] = instance->z;
    if (instance->metric == COMBGPU_TSP_GEO) return 20039;
    if (instance->metric == COMBGPU_TSP_GEOM) return 20038299;
    if (instance->metric == COMBGPU_TSP_EARTH) return 20016;
    for (axis = 0; axis < 3 && at[axis]; axis++) {
        double least = at[axis][0], most = at[axis][0];
        for (i = 1; i < instance->n; i++) {
            if (at[axis][i] < least) least = at[axis][i];
            if (at[axis][i] > most) most = at[axis][i];
        }
        across[axis] = most - least;
    }
    if (instance->metric == COMBGPU_TSP_XRAY1 || instance->metric == COMBGPU_TSP_XRAY2)
        return 100 * combgpu__tsp_largest(across[0], across[1], across[2]) + 1;
    return combgpu__tsp_flat(instance->metric, across[0], across[1], across[2]);
}

/* ---- checks of coordinates */

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_metric(combgpu_context *ctx, const char *name,
                                                          combgpu_tsp_metric metric)
{
    if ((int)metric > COMBGPU_TSP_MATRIX && (int)metric <= COMBGPU_TSP_GEOM &&
        !combgpu__tsp_has_z(metric))
        return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                         "%s is %d; for coordinates it may be 1 (EUC_2D) to %d (EARTH), %d "
                         "(FLOOR_2D) or %d (GEOM)",
                         name, (int)metric, (int)COMBGPU_TSP_EARTH, (int)COMBGPU_TSP_FLOOR_2D,
                         (int)COMBGPU_TSP_GEOM);
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
        if (combgpu__tsp_on_sphere(metric) && !(fabs(x[i]) <= 90 && fabs(y[i]) <= 360))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "city %d (counted from 0) is at latitude %g, longitude %g; these "
                                 "may be -90 to 90 and -360 to 360 degrees",
                                 i, x[i], y[i]);
    }
    return COMBGPU_OK;
}

/* The distances that an instance of points may have. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_distance(combgpu_context *ctx, int from, int to,
                                                            combgpu_tsp_metric metric,
                                                            double distance)
{
    int rounds = combgpu__tsp_rounds(metric);
    if (distance <= (rounds ? 9007199254740992.0 : 1e300)) return COMBGPU_OK;
    return combgpu__fail(
        ctx, COMBGPU_INVALID_ARGUMENT,
        "the distance between cities %d and %d (counted from 0) is %g; it may be %s", from, to,
        distance, rounds ? "at most 2^53, so that rounding is exact" : "at most 1e300");
}

/* Checks the coordinates of an instance of points, the argument or field `name`. If the box around
   them is within the limit it checks no distance, else all. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_places(combgpu_context *ctx, const char *name,
                                                          const combgpu_tsp_instance *instance)
{
    combgpu_tsp_metric metric = instance->metric;
    int has_z = combgpu__tsp_has_z(metric), i, j;
    combgpu_status status = COMBGPU_OK;
    if (!has_z) status = combgpu__tsp_check_metric(ctx, "metric", metric);
    if (!status && (!instance->x || !instance->y || !instance->z != !has_z))
        status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s->%s; metric %d takes %s", name,
                               !instance->x   ? "x is NULL"
                               : !instance->y ? "y is NULL"
                               : has_z        ? "z is NULL"
                                              : "z is set",
                               (int)metric, has_z ? "x, y and z" : "x and y");
    if (!status)
        status = combgpu__tsp_check_points(ctx, instance->n, instance->x, instance->y, metric);
    for (i = 0; !status && has_z && i < instance->n; i++)
        if (!(fabs(instance->z[i]) <= 1e300))
            status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                   "city %d (counted from 0) has z = %g; coordinates may be "
                                   "-1e300 to 1e300",
                                   i, instance->z[i]);
    if (status ||
        combgpu__tsp_span(instance) <= (combgpu__tsp_rounds(metric) ? 9007199254740992.0 : 1e300))
        return status;
    for (i = 0; !status && i < instance->n; i++)
        for (j = 0; !status && j < i; j++)
            status =
                combgpu__tsp_check_distance(ctx, j, i, metric, combgpu__tsp_weight(instance, i, j));
    return status;
}
