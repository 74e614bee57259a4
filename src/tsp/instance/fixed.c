/* Handles edges that every tour must have. */

COMBGPU__DEF combgpu_status combgpu_tsp_set_fixed(combgpu_context *ctx,
                                                  combgpu_tsp_instance *instance, int count,
                                                  const int *edges)
{
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!instance) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "instance is NULL");
    return combgpu__tsp_set_pairs(ctx, "fixed", instance, count, edges, &instance->fixed,
                                  &instance->fixed_count);
}

/* Refuses fixed edges in a search that does not support them. `with`: what it has instead. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_without_fixed(combgpu_context *ctx,
                                                           const combgpu_tsp_instance *instance,
                                                           const char *with)
{
    if (!instance->fixed_count) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                         "fixed edges (desc.instance->fixed) cannot be combined with %s", with);
}

/* Checks that a tour has the instance's fixed edges; the message counts cities from 0. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_joined(combgpu_context *ctx, const char *name,
                                                          const combgpu_tsp_instance *instance,
                                                          combgpu_tsp_shape shape, const int *tour)
{
    int n = instance->n, k, i;
    combgpu_status status =
        combgpu__tsp_check_pairs(ctx, "instance->fixed", n, instance->fixed_count, instance->fixed);
    int *place;
    if (status || !instance->fixed_count) return status;
    place = (int *)combgpu__allocate(ctx, (size_t)n * sizeof *place);
    if (!place) return combgpu__no_memory(ctx, (size_t)n * sizeof *place);
    for (i = 0; i < n; i++)
        place[tour[i]] = i;
    for (k = 0; k < instance->fixed_count && !status; k++) {
        int a = instance->fixed[2 * k], b = instance->fixed[2 * k + 1];
        int apart = place[a] < place[b] ? place[b] - place[a] : place[a] - place[b];
        if (apart != 1 && (shape == COMBGPU_TSP_PATH || apart == 0 || apart != n - 1))
            status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                   "%s does not join cities %d and %d (counted from 0), which are "
                                   "a fixed edge",
                                   name, a, b);
    }
    combgpu__release(ctx, place);
    return status;
}

/* The name of a method, for messages. */
COMBGPU__PRIVATE const char *combgpu__tsp_method_name(combgpu_tsp_method method)
{
    return method == COMBGPU_TSP_AUTO               ? "auto"
           : method == COMBGPU_TSP_BRUTE_FORCE      ? "brute force"
           : method == COMBGPU_TSP_HELD_KARP        ? "Held-Karp"
           : method == COMBGPU_TSP_BRANCH_AND_BOUND ? "branch and bound"
           : method == COMBGPU_TSP_HEURISTIC        ? "heuristic"
                                                    : "no method";
}

/* Refuses what cannot be combined with fixed edges. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_fixed(combgpu_context *ctx,
                                                         const combgpu_tsp_desc *desc)
{
    const combgpu_tsp_instance *instance = desc->instance;
    combgpu_status status = combgpu__tsp_check_pairs(ctx, "desc.instance->fixed", instance->n,
                                                     instance->fixed_count, instance->fixed);
    if (status) return status;
    if (instance->n < 5)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "desc.instance->n is %d; with fixed edges (desc.instance->fixed) it "
                             "must be 5 or more",
                             instance->n);
    if (desc->method == COMBGPU_TSP_BRUTE_FORCE || desc->method == COMBGPU_TSP_HELD_KARP)
        return combgpu__fail(
            ctx, COMBGPU_UNSUPPORTED,
            "desc.method is %d (%s); with fixed edges (desc.instance->fixed) it may "
            "be 0 (auto), 3 (branch and bound) or 4 (heuristic)",
            (int)desc->method, combgpu__tsp_method_name(desc->method));
    if (instance->before_count)
        return combgpu__tsp_without_fixed(ctx, instance, "precedence (desc.instance->before)");
    return COMBGPU_OK;
}

/* The end of the path of fixed edges that begins at u with the edge to v; u itself if they are a
   circle. */
COMBGPU__PRIVATE int combgpu__tsp_fixed_end(int (*mates)[2], int u, int v)
{
    int last = u, next;
    for (; v != u; v = next) {
        next = mates[v][mates[v][0] == last];
        if (next < 0) break;
        last = v;
    }
    return v;
}

/* Adds an edge to those of each node. Returns 0 if a node then has three, or the edges a circle of
   fewer than all `nodes`. A repeated edge changes nothing. */
COMBGPU__PRIVATE int combgpu__tsp_fixed_add(int (*mates)[2], int nodes, int u, int v)
{
    int last = u, at = v, next, count = 2;
    if (u == v) return 0;
    if (mates[u][0] == v || mates[u][1] == v) return 1;
    if (mates[u][1] >= 0 || mates[v][1] >= 0) return 0;
    mates[u][mates[u][0] >= 0] = v;
    mates[v][mates[v][0] >= 0] = u;
    if (combgpu__tsp_fixed_end(mates, u, v) != u) return 1;
    for (; (next = mates[at][mates[at][0] == last]) != u; count++) {
        last = at;
        at = next;
    }
    return count == nodes;
}
