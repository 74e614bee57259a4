/* Neighbours: a k-d tree over the cities (J. L. Bentley, 1975), and the nearest node by cost. */

#define COMBGPU__LARGE_LEAF 8 /* points of a box that is not split */

/* The distance of two places as the metric measures them before it rounds. */
COMBGPU__PRIVATE double combgpu__large_norm(combgpu_tsp_metric metric, double x, double y, double z)
{
    double larger = combgpu__tsp_largest(x, y, z);
    switch (metric) {
    case COMBGPU_TSP_MAN_2D:
    case COMBGPU_TSP_MAN_3D:
        return x + y + z;
    case COMBGPU_TSP_MAX_2D:
    case COMBGPU_TSP_MAX_3D:
    case COMBGPU_TSP_XRAY1:
    case COMBGPU_TSP_XRAY2:
        return larger;
    default: /* squares that overflow or underflow are scaled */
        if (larger > 1e150 || (larger > 0 && larger < 1e-140)) return combgpu__tsp_root(x, y, z, 1);
        return combgpu__sqrt(x * x + y * y + z * z);
    }
}

/* Puts a city at a place where combgpu__large_norm agrees with the metric. */
COMBGPU__PRIVATE void combgpu__large_locate(const combgpu_tsp_instance *instance, int city,
                                            double place[3])
{
    double x = instance->x[city], y = instance->y[city], z = instance->z ? instance->z[city] : 0;
    double degree = 3.14159265358979323846 / 180;
    if (combgpu__tsp_on_sphere(instance->metric)) {
        double radius = instance->metric == COMBGPU_TSP_GEO    ? 6378.388
                        : instance->metric == COMBGPU_TSP_GEOM ? 6378388
                                                               : 6371.0088;
        x = instance->metric == COMBGPU_TSP_GEO ? combgpu__tsp_geo_radians(x) : x * degree;
        y = instance->metric == COMBGPU_TSP_GEO ? combgpu__tsp_geo_radians(y) : y * degree;
        place[0] = radius * combgpu__cos(x) * combgpu__cos(y);
        place[1] = radius * combgpu__cos(x) * combgpu__sin(y);
        place[2] = radius * combgpu__sin(x);
        return;
    }
    if (instance->metric == COMBGPU_TSP_XRAY2) {
        x /= 1.25;
        y /= 1.5;
        z /= 1.15;
    }
    place[0] = x;
    place[1] = y;
    place[2] = z;
}

/* Returns a lower bound, as a cost, of the distance from a place to a box. A chord is shorter than
   its arc; phi of XRAY turns either way. */
COMBGPU__PRIVATE double combgpu__large_box_cost(const combgpu__large *large, const double place[3],
                                                const combgpu__large_box *box)
{
    combgpu_tsp_metric metric = large->instance.metric;
    double away[3], distance, round = 360;
    int axis;
    for (axis = 0; axis < 3; axis++)
        away[axis] = place[axis] < box->least[axis]  ? box->least[axis] - place[axis]
                     : place[axis] > box->most[axis] ? place[axis] - box->most[axis]
                                                     : 0;
    if (metric == COMBGPU_TSP_XRAY2) round /= 1.25;
    if (metric == COMBGPU_TSP_XRAY1 || metric == COMBGPU_TSP_XRAY2) {
        double over = box->least[0] + round - place[0], under = place[0] - (box->most[0] - round);
        if (over < away[0]) away[0] = over > 0 ? over : 0;
        if (under < away[0]) away[0] = under > 0 ? under : 0;
    }
    distance = combgpu__large_norm(metric, away[0], away[1], away[2]) * (1 - 1e-9);
    if (metric == COMBGPU_TSP_XRAY1 || metric == COMBGPU_TSP_XRAY2) distance *= 100;
    if (metric == COMBGPU_TSP_ATT) distance *= 0.31622776; /* 1 / sqrt(10), rounded down */
    distance -= combgpu__tsp_rounds(metric) ? 1 : metric == COMBGPU_TSP_EARTH ? 1e-6 : 0;
    return distance > 0 ? distance * large->unit * large->lift : 0;
}

/* Puts the k-th smallest of points first .. end-1 along an axis in its place. */
COMBGPU__PRIVATE void combgpu__large_select(combgpu__large *large, int first, int end, int k,
                                            int axis)
{
    int *point = large->point;
    while (end - first > 1) {
        double pivot = large->place[point[first + (end - first) / 2]][axis];
        int i = first, j = end - 1;
        while (i <= j) {
            while (large->place[point[i]][axis] < pivot)
                i++;
            while (large->place[point[j]][axis] > pivot)
                j--;
            if (i <= j) {
                int swap = point[i];
                point[i++] = point[j];
                point[j--] = swap;
            }
        }
        if (k <= j)
            end = j + 1;
        else if (k >= i)
            first = i;
        else
            return;
    }
}

/* Sets box b to points first .. end-1 and splits it; its halves are 2b+1 and 2b+2. */
COMBGPU__PRIVATE void combgpu__large_split(combgpu__large *large, int b, int first, int end)
{
    combgpu__large_box *box = &large->box[b];
    int axis, i, widest = 0;
    box->first = first;
    box->end = end;
    for (axis = 0; axis < 3; axis++) {
        box->least[axis] = box->most[axis] = large->place[large->point[first]][axis];
        for (i = first; i < end; i++) {
            double at = large->place[large->point[i]][axis];
            if (at < box->least[axis]) box->least[axis] = at;
            if (at > box->most[axis]) box->most[axis] = at;
        }
        if (box->most[axis] - box->least[axis] > box->most[widest] - box->least[widest])
            widest = axis;
    }
    if (2 * b + 2 >= large->boxes) return;
    i = first + (end - first) / 2;
    combgpu__large_select(large, first, end, i, widest);
    combgpu__large_split(large, 2 * b + 1, first, i);
    combgpu__large_split(large, 2 * b + 2, i, end);
}

/* Makes the k-d tree: all its leaves have the same depth. */
COMBGPU__PRIVATE combgpu_status combgpu__large_points(combgpu_context *ctx, combgpu__large *large)
{
    combgpu_status status = COMBGPU_OK;
    int leaves = 1, i;
    if (!large->instance.x) return COMBGPU_OK;
    while (leaves * COMBGPU__LARGE_LEAF < large->n)
        leaves *= 2;
    large->boxes = 2 * leaves - 1;
    large->place = (double(*)[3])combgpu__large_array(ctx, large->n, sizeof *large->place, &status);
    large->point = (int *)combgpu__large_array(ctx, large->n, sizeof(int), &status);
    large->box =
        (combgpu__large_box *)combgpu__large_array(ctx, large->boxes, sizeof *large->box, &status);
    if (status) return status;
    for (i = 0; i < large->n; i++) {
        large->point[i] = i;
        combgpu__large_locate(&large->instance, i, large->place[i]);
    }
    combgpu__large_split(large, 0, 0, large->n);
    return COMBGPU_OK;
}

/* ---- the nearest node of another part */

/* A partition of the nodes, as a spanning forest has it; costs are those of the edges plus both
   nodes' `extra`. For each box: the part that all of its points are in, or -1, and their least
   extra. */
typedef struct combgpu__large_parts {
    int *part;
    int64_t *extra;
    int *box_part;
    int64_t *box_extra;
    int fine; /* costs are multiplied by 2^fine */
} combgpu__large_parts;

/* Fills in what the boxes have. */
COMBGPU__PRIVATE void combgpu__large_summarise(const combgpu__large *large,
                                               combgpu__large_parts *parts)
{
    int b, i;
    for (b = large->boxes - 1; b >= 0; b--) {
        const combgpu__large_box *box = &large->box[b];
        int one = 2 * b + 1, other = 2 * b + 2;
        if (other < large->boxes) {
            parts->box_part[b] =
                parts->box_part[one] == parts->box_part[other] ? parts->box_part[one] : -1;
            parts->box_extra[b] = parts->box_extra[one] < parts->box_extra[other]
                                      ? parts->box_extra[one]
                                      : parts->box_extra[other];
            continue;
        }
        parts->box_part[b] = parts->part[large->point[box->first]];
        parts->box_extra[b] = COMBGPU__LARGE_NONE;
        for (i = box->first; i < box->end; i++) {
            int v = large->point[i];
            if (parts->part[v] != parts->box_part[b]) parts->box_part[b] = -1;
            if (parts->extra[v] < parts->box_extra[b]) parts->box_extra[b] = parts->extra[v];
        }
    }
}

/* A search for the edge of least cost from node v to another part, below `cost`. */
typedef struct combgpu__large_nearest {
    const combgpu__large *large;
    const combgpu__large_parts *parts;
    int v, to; /* -1 = none found */
    int64_t cost;
} combgpu__large_nearest;

COMBGPU__PRIVATE void combgpu__large_try(combgpu__large_nearest *nearest, int u)
{
    const combgpu__large_parts *parts = nearest->parts;
    int64_t cost;
    if (parts->part[u] == parts->part[nearest->v] || parts->extra[u] >= COMBGPU__LARGE_NONE) return;
    cost = combgpu__large_cost(nearest->large, nearest->v, u);
    if (cost >= COMBGPU__LARGE_NONE) return;
    cost = cost * ((int64_t)1 << parts->fine) + parts->extra[nearest->v] + parts->extra[u];
    if (cost >= nearest->cost) return;
    nearest->cost = cost;
    nearest->to = u;
}

/* Nonzero if a box cannot have the nearest node. */
COMBGPU__PRIVATE int combgpu__large_beyond(const combgpu__large_nearest *nearest, int b,
                                           double distance)
{
    const combgpu__large_parts *parts = nearest->parts;
    double least;
    if (parts->box_part[b] == parts->part[nearest->v] || parts->box_extra[b] >= COMBGPU__LARGE_NONE)
        return 1;
    least = distance * (double)((int64_t)1 << parts->fine) + (double)parts->extra[nearest->v] +
            (double)parts->box_extra[b];
    return least * (1 - 1e-9) - 1e-9 * fabs(least) - 1 > (double)nearest->cost;
}

COMBGPU__PRIVATE void combgpu__large_visit(combgpu__large_nearest *nearest, int b, double distance)
{
    const combgpu__large *large = nearest->large;
    const combgpu__large_box *box = &large->box[b];
    int one = 2 * b + 1, other = 2 * b + 2, i;
    if (combgpu__large_beyond(nearest, b, distance)) return;
    if (other >= large->boxes) {
        for (i = box->first; i < box->end; i++)
            combgpu__large_try(nearest, large->point[i]);
    } else {
        double a = combgpu__large_box_cost(large, large->place[nearest->v], &large->box[one]);
        double c = combgpu__large_box_cost(large, large->place[nearest->v], &large->box[other]);
        combgpu__large_visit(nearest, a <= c ? one : other, a <= c ? a : c);
        combgpu__large_visit(nearest, a <= c ? other : one, a <= c ? c : a);
    }
}

/* Looks for a cheaper edge from nearest->v to a node of another part. */
COMBGPU__PRIVATE void combgpu__large_find(combgpu__large_nearest *nearest)
{
    const combgpu__large *large = nearest->large;
    int u;
    if (large->box)
        combgpu__large_visit(nearest, 0, 0);
    else
        for (u = 0; u < large->nodes; u++)
            combgpu__large_try(nearest, u);
}
