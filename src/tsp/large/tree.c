/* The least spanning tree of all edges (O. Boruvka, 1926), and lists of near neighbours. */

/* What the making of a tree needs, in one piece of memory. Trees leave out large->special. */
typedef struct combgpu__large_forest {
    combgpu__large_parts parts; /* extra: the multipliers */
    int *parent;                /* of each node, or itself, in the union-find forest */
    int *best_from, *best_to;   /* of each part: the cheapest edge that leaves it */
    int64_t *best;
    int (*edge)[2]; /* of the tree: nodes - 2 */
    int edges;
    int64_t cost; /* of the tree, with the multipliers */
    int *degree;  /* of each node in the 1-tree */
} combgpu__large_forest;

COMBGPU__PRIVATE size_t combgpu__large_forest_bytes(const combgpu__large *large)
{
    size_t nodes = (size_t)large->nodes, boxes = (size_t)large->boxes;
    return nodes * (2 * sizeof(int64_t) + 7 * sizeof(int)) +
           boxes * (sizeof(int64_t) + sizeof(int)) + 64;
}

/* Lays a forest out in memory of combgpu__large_forest_bytes. */
COMBGPU__PRIVATE void combgpu__large_forest_at(const combgpu__large *large, void *memory,
                                               combgpu__large_forest *forest)
{
    size_t nodes = (size_t)large->nodes, boxes = (size_t)large->boxes;
    int *words;
    memset(forest, 0, sizeof *forest);
    forest->parts.extra = (int64_t *)memory;
    forest->best = forest->parts.extra + nodes;
    forest->parts.box_extra = forest->best + nodes;
    words = (int *)(void *)(forest->parts.box_extra + boxes);
    forest->parts.part = words;
    forest->parent = words + nodes;
    forest->best_from = words + 2 * nodes;
    forest->best_to = words + 3 * nodes;
    forest->degree = words + 4 * nodes;
    forest->edge = (int(*)[2])(void *)(words + 5 * nodes);
    forest->parts.box_part = words + 7 * nodes;
    forest->parts.fine = large->fine;
}

COMBGPU__PRIVATE int combgpu__large_root(combgpu__large_forest *forest, int v)
{
    while (forest->parent[v] != v) {
        forest->parent[v] = forest->parent[forest->parent[v]];
        v = forest->parent[v];
    }
    return v;
}

/* The cost of an edge with the multipliers of its nodes. */
COMBGPU__PRIVATE int64_t combgpu__large_bent(const combgpu__large *large,
                                             const combgpu__large_forest *forest, int u, int v)
{
    return combgpu__large_cost(large, u, v) * ((int64_t)1 << large->fine) + forest->parts.extra[u] +
           forest->parts.extra[v];
}

/* Adds an edge if it joins two parts. */
COMBGPU__PRIVATE void combgpu__large_join(const combgpu__large *large,
                                          combgpu__large_forest *forest, int u, int v)
{
    int a = combgpu__large_root(forest, u), b = combgpu__large_root(forest, v);
    if (a == b) return;
    forest->parent[a < b ? b : a] = a < b ? a : b;
    forest->edge[forest->edges][0] = u;
    forest->edge[forest->edges++][1] = v;
    forest->cost += combgpu__large_bent(large, forest, u, v);
}

/* Begins a forest with the edges that every tour has. */
COMBGPU__PRIVATE void combgpu__large_forest_begin(const combgpu__large *large,
                                                  combgpu__large_forest *forest)
{
    int v, k;
    forest->edges = 0;
    forest->cost = 0;
    for (v = 0; v < large->nodes; v++)
        forest->parent[v] = v;
    for (v = 0; v < large->nodes; v++)
        for (k = 0; k < 2; k++)
            if (large->fixed[v][k] > v && v != large->special &&
                large->fixed[v][k] != large->special)
                combgpu__large_join(large, forest, v, large->fixed[v][k]);
}

/* Looks at a node's lists, then at all nodes, for its part's cheapest edge. */
COMBGPU__PRIVATE void combgpu__large_offer(const combgpu__large *large,
                                           combgpu__large_forest *forest, int v, int all)
{
    int part = forest->parts.part[v], i;
    combgpu__large_nearest nearest;
    nearest.large = large;
    nearest.parts = &forest->parts;
    nearest.v = v;
    nearest.to = -1;
    nearest.cost = forest->best[part];
    if (all)
        combgpu__large_find(&nearest);
    else
        for (i = large->near_begin[v]; i < large->near_begin[v + 1]; i++) {
            int u = large->nearby[i];
            int64_t cost = large->near_cost[i] * ((int64_t)1 << large->fine) +
                           forest->parts.extra[v] + forest->parts.extra[u];
            if (forest->parts.part[u] == part || u == large->special || cost >= nearest.cost)
                continue;
            nearest.cost = cost;
            nearest.to = u;
        }
    if (nearest.to < 0) return;
    forest->best[part] = nearest.cost;
    forest->best_from[part] = v;
    forest->best_to[part] = nearest.to;
}

/* The same from a matrix: the node that is cheapest to reach joins (R. C. Prim, 1957). */
COMBGPU__PRIVATE void combgpu__large_dense(const combgpu__large *large,
                                           combgpu__large_forest *forest)
{
    const int64_t low = COMBGPU__LARGE_NONE / 2;
    int nodes = large->nodes, s = large->special, count, v = s ? 0 : 1, u;
    forest->edges = 0;
    forest->cost = 0;
    for (u = 0; u < nodes; u++) {
        forest->best[u] = COMBGPU__LARGE_NONE;
        forest->parts.part[u] = u == s || u == v; /* joined */
    }
    for (count = nodes - 2; count; count--) {
        int next = -1;
        for (u = 0; u < nodes; u++) {
            int64_t cost;
            if (forest->parts.part[u]) continue;
            cost = combgpu__large_cost(large, v, u);
            if (cost < COMBGPU__LARGE_NONE) {
                cost = cost * ((int64_t)1 << large->fine) + forest->parts.extra[v] +
                       forest->parts.extra[u];
                if (combgpu__large_fixed(large, v, u)) cost -= low; /* comes first */
                if (cost < forest->best[u]) {
                    forest->best[u] = cost;
                    forest->best_from[u] = v;
                }
            }
            if (next < 0 || forest->best[u] < forest->best[next]) next = u;
        }
        v = next;
        forest->parts.part[v] = 1;
        forest->edge[forest->edges][0] = forest->best_from[v];
        forest->edge[forest->edges++][1] = v;
        forest->cost += combgpu__large_bent(large, forest, forest->best_from[v], v);
    }
}

/* Makes the least spanning tree of all nodes but the special one. Each round joins every part to
   another by its cheapest edge; of equal ones any will do, if no edge closes a circle. */
COMBGPU__PRIVATE void combgpu__large_tree(const combgpu__large *large,
                                          combgpu__large_forest *forest)
{
    int64_t special = forest->parts.extra[large->special];
    int v, before = -1, nodes = large->nodes;
    if (!large->box) {
        combgpu__large_dense(large, forest);
        return;
    }
    combgpu__large_forest_begin(large, forest);
    forest->parts.extra[large->special] = COMBGPU__LARGE_NONE;
    while (forest->edges < nodes - 2 && forest->edges > before) {
        before = forest->edges;
        for (v = 0; v < nodes; v++) {
            forest->parts.part[v] = combgpu__large_root(forest, v);
            forest->best[v] = COMBGPU__LARGE_NONE;
        }
        combgpu__large_summarise(large, &forest->parts);
        for (v = 0; v < nodes && large->nearby; v++)
            if (v != large->special) combgpu__large_offer(large, forest, v, 0);
        for (v = 0; v < nodes; v++) {
            int u = large->box && v < large->n ? large->point[v] : v;
            if (u != large->special) combgpu__large_offer(large, forest, u, 1);
        }
        for (v = 0; v < nodes; v++)
            if (forest->best[v] < COMBGPU__LARGE_NONE)
                combgpu__large_join(large, forest, forest->best_from[v], forest->best_to[v]);
    }
    forest->parts.extra[large->special] = special;
}

/* Adds the special node with its two cheapest edges, fixed ones first, counts degrees, and returns
   the bound in units of the multipliers. */
COMBGPU__PRIVATE int64_t combgpu__large_close(const combgpu__large *large,
                                              combgpu__large_forest *forest)
{
    int s = large->special, v, k, to[2] = {-1, -1};
    int64_t cost[2] = {COMBGPU__LARGE_NONE, COMBGPU__LARGE_NONE}, bound = forest->cost;
    memset(forest->degree, 0, (size_t)large->nodes * sizeof(int));
    for (k = 0; k < forest->edges; k++) {
        forest->degree[forest->edge[k][0]]++;
        forest->degree[forest->edge[k][1]]++;
    }
    for (v = 0; v < large->nodes; v++) {
        int64_t bent;
        if (v == s || combgpu__large_cost(large, s, v) >= COMBGPU__LARGE_NONE) continue;
        bent = combgpu__large_bent(large, forest, s, v);
        if (combgpu__large_fixed(large, s, v)) bent -= COMBGPU__LARGE_NONE;
        for (k = 0; k < 2 && bent >= cost[k];)
            k++;
        if (k == 2) continue;
        if (!k) {
            cost[1] = cost[0];
            to[1] = to[0];
        }
        cost[k] = bent;
        to[k] = v;
    }
    for (k = 0; k < 2; k++)
        if (to[k] >= 0) {
            bound += combgpu__large_bent(large, forest, s, to[k]);
            forest->degree[to[k]]++;
        }
    forest->degree[s] = 2;
    for (v = 0; v < large->nodes; v++)
        bound -= 2 * forest->parts.extra[v];
    return bound;
}

/* ---- lists of neighbours */

/* The nearest nodes of one, in ascending order; one list for each quarter of the directions, in
   which one list is for all of them. */
typedef struct combgpu__large_list {
    int count, most, quarter; /* quarter: -1 = all */
    int to[COMBGPU__LARGE_NEAR];
    int64_t cost[COMBGPU__LARGE_NEAR];
} combgpu__large_list;

COMBGPU__PRIVATE void combgpu__large_list_add(const combgpu__large *large,
                                              combgpu__large_list *list, int v, int u)
{
    int64_t cost;
    int k;
    if (u == v) return;
    if (list->quarter >= 0) {
        double dx = large->instance.x[u] - large->instance.x[v];
        double dy = large->instance.y[u] - large->instance.y[v];
        if ((dx > 0 || (dx == 0 && dy > 0)) != list->quarter % 2 ||
            (dy > 0 || (dy == 0 && dx < 0)) != list->quarter / 2)
            return;
    }
    cost = combgpu__large_cost(large, v, u);
    if (cost >= COMBGPU__LARGE_NONE) return;
    if (list->count == list->most && cost >= list->cost[list->count - 1]) return;
    if (list->count < list->most) list->count++;
    for (k = list->count - 1; k > 0 && cost < list->cost[k - 1]; k--) {
        list->cost[k] = list->cost[k - 1];
        list->to[k] = list->to[k - 1];
    }
    list->cost[k] = cost;
    list->to[k] = u;
}

/* Nonzero if a box has no point in the list's quarter of the directions. */
COMBGPU__PRIVATE int combgpu__large_deferred(const combgpu__large *large,
                                             const combgpu__large_list *list, int v,
                                             const combgpu__large_box *box)
{
    const double *at = large->place[v];
    if (list->quarter < 0) return 0;
    return (list->quarter % 2 ? box->most[0] < at[0] : box->least[0] > at[0]) ||
           (list->quarter / 2 ? box->most[1] < at[1] : box->least[1] > at[1]);
}

COMBGPU__PRIVATE void combgpu__large_list_visit(const combgpu__large *large,
                                                combgpu__large_list *list, int v, int b,
                                                double distance)
{
    const combgpu__large_box *box = &large->box[b];
    int one = 2 * b + 1, other = 2 * b + 2, i;
    if (list->count == list->most && distance > (double)list->cost[list->count - 1]) return;
    if (combgpu__large_deferred(large, list, v, box)) return;
    if (other >= large->boxes) {
        for (i = box->first; i < box->end; i++)
            combgpu__large_list_add(large, list, v, large->point[i]);
    } else {
        double a = combgpu__large_box_cost(large, large->place[v], &large->box[one]);
        double c = combgpu__large_box_cost(large, large->place[v], &large->box[other]);
        combgpu__large_list_visit(large, list, v, a <= c ? one : other, a <= c ? a : c);
        combgpu__large_list_visit(large, list, v, a <= c ? other : one, a <= c ? c : a);
    }
}

/* Finds the neighbours of node v: the nearest, and the two nearest of each quarter in the plane, so
   that clusters are joined. Returns how many; at most COMBGPU__LARGE_LISTED. */
#define COMBGPU__LARGE_LISTED (COMBGPU__LARGE_NEAR + 8)
COMBGPU__PRIVATE int combgpu__large_neighbours(const combgpu__large *large, int v, int *to)
{
    int plane = large->box && !large->instance.z && !combgpu__tsp_on_sphere(large->instance.metric);
    int count = 0, quarter, k, u;
    for (quarter = -1; quarter < (plane ? 4 : 0); quarter++) {
        combgpu__large_list list;
        memset(&list, 0, sizeof list);
        list.quarter = quarter;
        list.most = quarter >= 0 ? 2 : plane ? COMBGPU__LARGE_NEAR - 2 : COMBGPU__LARGE_NEAR;
        if (large->box)
            combgpu__large_list_visit(large, &list, v, 0, 0);
        else
            for (u = 0; u < large->nodes; u++)
                if (u != large->depot || large->directed)
                    combgpu__large_list_add(large, &list, v, u);
        for (k = 0; k < list.count; k++)
            to[count++] = list.to[k];
    }
    return count;
}

/* Sorts a node's list by cost and removes what is twice in it. Returns the new end. */
COMBGPU__PRIVATE int combgpu__large_sort(combgpu__large *large, int first, int end)
{
    int i, k, out = first;
    for (i = first; i < end; i++) {
        int u = large->nearby[i];
        int64_t cost = large->near_cost[i];
        for (k = i; k > first && (large->near_cost[k - 1] > cost ||
                                  (large->near_cost[k - 1] == cost && large->nearby[k - 1] > u));
             k--) {
            large->nearby[k] = large->nearby[k - 1];
            large->near_cost[k] = large->near_cost[k - 1];
        }
        large->nearby[k] = u;
        large->near_cost[k] = cost;
    }
    for (i = first; i < end; i++) {
        if (i > first && large->nearby[i] == large->nearby[i - 1]) continue;
        large->nearby[out] = large->nearby[i];
        large->near_cost[out++] = large->near_cost[i];
    }
    return out;
}

/* Makes all lists from pairs of nodes, in both directions, each edge once. */
COMBGPU__PRIVATE combgpu_status combgpu__large_lists(combgpu_context *ctx, combgpu__large *large,
                                                     int (*pair)[2], int pairs)
{
    int nodes = large->nodes, i, k, v, at = 0;
    int *begin;
    combgpu_status status = COMBGPU_OK;
    large->near_begin = begin = (int *)combgpu__large_array(ctx, nodes + 2, sizeof(int), &status);
    large->nearby = (int *)combgpu__large_array(ctx, 2 * pairs, sizeof(int), &status);
    large->near_cost = (int64_t *)combgpu__large_array(ctx, 2 * pairs, sizeof(int64_t), &status);
    if (status) return status;
    for (i = 0; i < pairs; i++) {
        begin[pair[i][0] + 2]++;
        begin[pair[i][1] + 2]++;
    }
    for (v = 0; v < nodes; v++)
        begin[v + 2] += begin[v + 1];
    for (i = 0; i < pairs; i++)
        for (k = 0; k < 2; k++) {
            int to = begin[pair[i][k] + 1]++;
            large->nearby[to] = pair[i][!k];
            large->near_cost[to] = combgpu__large_cost(large, pair[i][0], pair[i][1]);
        }
    for (v = 0; v < nodes; v++) { /* rows move down as they shrink */
        int first = begin[v], end = combgpu__large_sort(large, first, begin[v + 1]);
        begin[v] = at;
        for (i = first; i < end; i++, at++) {
            large->nearby[at] = large->nearby[i];
            large->near_cost[at] = large->near_cost[i];
        }
    }
    begin[nodes] = at;
    return COMBGPU_OK;
}

/* Makes the lists of neighbours, which have the edges of a least spanning tree, and the first
   bound, that of this tree. */
COMBGPU__PRIVATE combgpu_status combgpu__large_graph(combgpu_context *ctx, combgpu__large *large)
{
    int nodes = large->nodes, pairs = 0, v, i, count, to[COMBGPU__LARGE_LISTED];
    combgpu__large_forest forest;
    combgpu_status status = combgpu__large_points(ctx, large);
    int(*pair)[2] = (int(*)[2])combgpu__large_array(ctx, nodes * (COMBGPU__LARGE_LISTED + 1),
                                                    sizeof *pair, &status);
    void *memory = combgpu__large_array(ctx, 1, combgpu__large_forest_bytes(large), &status);
    if (!status) {
        combgpu__large_forest_at(large, memory, &forest);
        combgpu__large_tree(large, &forest);
        large->bound = combgpu__large_close(large, &forest);
        for (i = 0; i < forest.edges; i++, pairs++)
            memcpy(pair[pairs], forest.edge[i], sizeof *pair);
        for (v = 0; v < nodes; v++) {
            if (v == large->depot && !large->directed) continue;
            count = combgpu__large_neighbours(large, v, to);
            for (i = 0; i < count; i++, pairs++) {
                pair[pairs][0] = v;
                pair[pairs][1] = to[i];
            }
        }
        status = combgpu__large_lists(ctx, large, pair, pairs);
    }
    combgpu__release(ctx, pair);
    combgpu__release(ctx, memory);
    return status;
}
