/* Reads the sections of a TSPLIB file that number nodes: coordinates, fixed edges, the edges of a
   graph. Nodes are numbered from 1 or, by other makers, from 0. A pass ahead over all sections
   tells: either node 0 or node DIMENSION is in none of them. */

/* How many numbers an entry of NODE_COORD_SECTION has: 3, or 4 with a third coordinate. */
COMBGPU__PRIVATE int combgpu__tsplib_coordinates_across(const combgpu__tsplib *in,
                                                        const combgpu__tsplib_count *count)
{
    if (count->across == 3 || count->across == 4) return count->across;
    return count->numbers == 4 * (size_t)in->dimension ? 4 : 3;
}

/* Searches the node numbers of a section, whose name was read last, for 0 and DIMENSION: *zero and
   *last get their lines. */
COMBGPU__PRIVATE void combgpu__tsplib_look(combgpu__tsplib *in, const char *name, int length,
                                           int *zero, int *last)
{
    static const char *const sections[] = {"NODE_COORD_SECTION",
                                           "TIME_WINDOW_SECTION",
                                           "SERVICE_TIME_SECTION",
                                           "DEMAND_SECTION",
                                           "EDGE_DATA_SECTION",
                                           "FIXED_EDGES_SECTION",
                                           NULL};
    combgpu__tsplib_count count = combgpu__tsplib_count_ahead(in, 0);
    int section = combgpu__tsplib_choice(name, length, sections), k;
    int across = section == 0   ? combgpu__tsplib_coordinates_across(in, &count)
                 : section == 1 ? 3
                 : section == 4 ? count.across == 3 && !in->edge_format ? 3 : 2
                                : 2;
    int nodes = section < 4 ? 1 : 2; /* the first ones of each entry */
    if (section < 0) return;
    if (section < 4 && count.numbers != (size_t)across * (size_t)in->dimension) return;
    for (k = 0; combgpu__tsplib_peek(in) && combgpu__tsplib_is_number(in); k++) {
        int node = k % across < nodes ? combgpu__tsplib_whole(in) : -1;
        if (!node) *zero = in->token_line;
        if (node == in->dimension) *last = in->token_line;
        in->at += in->length;
    }
}

/* Reads the number of a node, the k-th `what`; *city counts from 0. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_node(combgpu__tsplib *in, const char *what, int k,
                                                     int *city)
{
    double node = in->base;
    combgpu_status status =
        combgpu__tsplib_number(in, in->base, in->dimension - 1 + in->base, &node, "%s %d", what, k);
    *city = (int)node - in->base;
    return status;
}

/* Checks that a section has `across` numbers for each node. Its reader finds other errors. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_rows(combgpu__tsplib *in, const char *name,
                                                     int across)
{
    combgpu__tsplib_count count = combgpu__tsplib_count_ahead(in, 0);
    size_t n = (size_t)in->dimension, each = (size_t)across;
    if (!count.clean || count.numbers == n * each) return COMBGPU_OK;
    if (count.numbers % each)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "%s has %llu numbers; DIMENSION is %d, and each node has %d",
                                    name, (unsigned long long)count.numbers, in->dimension, across);
    return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                "DIMENSION is %d, but the number of nodes in %s is %llu",
                                in->dimension, name, (unsigned long long)(count.numbers / each));
}

/* Reads NODE_COORD_SECTION. In files of flat types it ignores a third coordinate if all are equal,
   as at height 0. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_coordinates(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    int n = in->dimension, i, k, city = 0, has_z;
    combgpu_status status = combgpu__tsplib_section(in, "NODE_COORD_SECTION", &in->has_coordinates);
    combgpu__tsplib_count count = combgpu__tsplib_count_ahead(in, 0);
    int across = combgpu__tsplib_coordinates_across(in, &count);
    double height = 0, *axis[3];
    has_z = in->metric > 0 && combgpu__tsp_has_z((combgpu_tsp_metric)in->metric);
    if (!status && has_z && across == 3)
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                      "EDGE_WEIGHT_TYPE is %s, but the nodes have 2 coordinates",
                                      combgpu__tsplib_metrics[in->metric]);
    if (!status) status = combgpu__tsplib_rows(in, "NODE_COORD_SECTION", across);
    if (!status) instance->x = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    if (!status) instance->y = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    if (!status && has_z) instance->z = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    axis[0] = instance->x;
    axis[1] = instance->y;
    axis[2] = instance->z;
    for (i = 0; !status && i < n; i++)
        axis[0][i] = COMBGPU__TSPLIB_NONE;
    for (i = 1; !status && i <= n; i++) {
        double at[3] = {0, 0, 0};
        status = combgpu__tsplib_node(in, "node number", i, &city);
        if (!status && axis[0][city] < COMBGPU__TSPLIB_NONE)
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "node %d is given twice",
                                          city + in->base);
        for (k = 0; !status && k < across - 1; k++)
            status = combgpu__tsplib_number(in, -1e300, 0, &at[k], "a coordinate of node %d",
                                            city + in->base);
        if (i == 1) height = at[2];
        if (!status && in->metric > 0 && !has_z && at[2] != height)
            status = combgpu__tsplib_fail(
                in, COMBGPU_BAD_FILE,
                "node %d has a third coordinate, %g, and another node %g: EDGE_WEIGHT_TYPE %s has "
                "two (EUC_3D would use all three)",
                city + in->base, at[2], height, combgpu__tsplib_metrics[in->metric]);
        for (k = 0; !status && k < 2 + has_z; k++)
            axis[k][city] = at[k];
    }
    return status;
}

/* Nonzero while a list of nodes continues. It ends with -1, which is read, or before a keyword; at
   the end of the text, *status is an error. */
COMBGPU__PRIVATE int combgpu__tsplib_goes_on(combgpu__tsplib *in, const char *name,
                                             combgpu_status *status)
{
    int length;
    if (*status) return 0;
    if (!combgpu__tsplib_peek(in)) {
        *status =
            combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the file ends before the -1 of %s", name);
        return 0;
    }
    if (!combgpu__tsplib_equal(in->token, in->length, "-1"))
        return !combgpu__tsplib_classify(in, &length);
    in->at += in->length;
    in->ended = 1;
    return 0;
}

/* Reads FIXED_EDGES_SECTION: no more edges than cities. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_fixed(combgpu__tsplib *in)
{
    static const char name[] = "FIXED_EDGES_SECTION";
    int seen = in->instance->fixed != NULL, count;
    combgpu_status status = combgpu__tsplib_section(in, name, &seen);
    size_t bytes = 2 * (size_t)in->dimension * sizeof(int);
    if (!status) {
        in->instance->fixed = (int *)combgpu__allocate_zeroed(in->ctx, bytes);
        if (!in->instance->fixed) return combgpu__no_memory(in->ctx, bytes);
    }
    for (count = 0; combgpu__tsplib_goes_on(in, name, &status); count++) {
        int *edge = in->instance->fixed + 2 * count;
        if (count == in->dimension)
            return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s has more than %d edges", name,
                                        count);
        status = combgpu__tsplib_node(in, "fixed edge", count + 1, &edge[0]);
        if (!status) status = combgpu__tsplib_node(in, "fixed edge", count + 1, &edge[1]);
    }
    in->instance->fixed_count = count;
    return status;
}

/* ---- EDGE_DATA_SECTION */

/* Puts an edge into the graph, of a given weight or 1. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_edge(combgpu__tsplib *in, int from, int to,
                                                     double weight)
{
    size_t n = (size_t)in->dimension;
    double *there = in->edges + (size_t)from * n + (size_t)to;
    if (from == to)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "an edge joins node %d to itself",
                                    from + in->base);
    if (*there < COMBGPU__TSPLIB_NONE && *there != weight)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "the edge of nodes %d and %d has the weights %g and %g",
                                    from + in->base, to + in->base, *there, weight);
    *there = in->edges[(size_t)to * n + (size_t)from] = weight;
    return COMBGPU_OK;
}

/* Reads the edges of a graph; in a list of edges, the third number of a line is a weight. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_edges(combgpu__tsplib *in)
{
    static const char name[] = "EDGE_DATA_SECTION";
    int seen = in->edges != NULL, from = 0, to = 0, count = 0;
    combgpu_status status = combgpu__tsplib_section(in, name, &seen);
    size_t size = (size_t)in->dimension * (size_t)in->dimension, i;
    if (status) return status;
    if (in->edge_format < 0)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "%s needs EDGE_DATA_FORMAT, EDGE_LIST or ADJ_LIST", name);
    if (in->kind > 0 && in->kind != COMBGPU__TSPLIB_HCP)
        return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED,
                                    "%s is for TYPE TSP and HCP; for others, a FULL_MATRIX may "
                                    "mark missing connections by the weight inf",
                                    name);
    if (in->dimension > COMBGPU_TSP_MAX_MATRIX)
        return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED, "%s: DIMENSION is %d; it may be %d",
                                    name, in->dimension, COMBGPU_TSP_MAX_MATRIX);
    in->edges = combgpu__tsp_doubles(in->ctx, size, &status);
    for (i = 0; !status && i < size; i++)
        in->edges[i] = i % ((size_t)in->dimension + 1) ? COMBGPU__TSPLIB_NONE : 0;
    in->edge_weight = !in->edge_format && combgpu__tsplib_count_ahead(in, 0).across == 3;
    while (combgpu__tsplib_goes_on(in, name, &status)) {
        double weight = 1;
        status = combgpu__tsplib_node(
            in, in->edge_format ? "the first node of list" : "a node of edge", ++count, &from);
        if (in->edge_format)
            while (combgpu__tsplib_goes_on(in, name, &status)) {
                status = combgpu__tsplib_node(in, "a neighbour of node", from + in->base, &to);
                if (!status) status = combgpu__tsplib_edge(in, from, to, 1);
            }
        else {
            if (!status) status = combgpu__tsplib_node(in, "a node of edge", count, &to);
            if (!status && in->edge_weight)
                status =
                    combgpu__tsplib_number(in, -1e300, 0, &weight, "the weight of edge %d", count);
            if (!status) status = combgpu__tsplib_edge(in, from, to, weight);
        }
    }
    return status;
}

/* Takes the weights of the edges, or removes the others from existing weights. */
COMBGPU__PRIVATE void combgpu__tsplib_take_edges(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    size_t size = (size_t)in->dimension * (size_t)in->dimension, i;
    if (!instance->weights) {
        instance->weights = in->edges;
        in->edges = NULL;
    }
    for (i = 0; i < size; i++)
        if ((in->edges ? in->edges : instance->weights)[i] >= COMBGPU__TSPLIB_NONE)
            instance->weights[i] = COMBGPU_TSP_NO_CONNECTION;
    instance->metric = COMBGPU_TSP_MATRIX;
}

/* ---- concorde's points: n, then n lines "x y" */

/* Nonzero if the text is in this form: a line with n alone, and one with two numbers. A matrix of
   n rows has n numbers there, or its rows are of any length, so that n is 3 or more. */
COMBGPU__PRIVATE int combgpu__tsplib_points_begin(const combgpu__tsplib *in)
{
    combgpu__tsplib ahead = *in;
    if (!combgpu__tsplib_peek(&ahead) || combgpu__tsplib_whole(&ahead) < 3 ||
        combgpu__tsplib_count_ahead(&ahead, 0).across != 1)
        return 0;
    ahead.at += ahead.length;
    return combgpu__tsplib_count_ahead(&ahead, 0).across == 2;
}

/* Reads such points: EUC_2D, as for concorde. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_points_read(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    combgpu__tsplib_count count;
    double number = 1;
    combgpu_status status =
        combgpu__tsplib_number(in, 3, COMBGPU_TSP_MAX_DIMENSION, &number, "the number of points");
    int n = (int)number, i;
    count = combgpu__tsplib_count_ahead(in, 0);
    if (!status && count.clean && count.numbers != 2 * (size_t)n)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "%d points need two coordinates each, but %llu numbers "
                                    "follow",
                                    n, (unsigned long long)count.numbers);
    if (!status) instance->x = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    if (!status) instance->y = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    for (i = 0; !status && i < n; i++) {
        status = combgpu__tsplib_number(in, -1e300, 0, &instance->x[i], "a coordinate of point %d",
                                        i + 1);
        if (!status)
            status = combgpu__tsplib_number(in, -1e300, 0, &instance->y[i],
                                            "a coordinate of point %d", i + 1);
    }
    if (!status && combgpu__tsplib_peek(in))
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "\"%s\" after the last point",
                                      combgpu__tsplib_quote(in, in->token, in->length));
    in->dimension = n;
    in->has_coordinates = in->metric = COMBGPU_TSP_EUC_2D;
    return status;
}
