/* Labels: the tours of a few cities within the root's gap, by dynamic programming.

   A label is the shortest path from one city, the start, through a set of cities to the last of them. Its
   tours go on to a city that is left, through all of these, which a tree joins, and from one of them back.
   With the root's multipliers in the costs this bound is sharp: among 30 stops of a map some hundreds of
   labels are of interest. Those of equally many cities are a layer, where the same set and last city count
   once. A first pass keeps to half of the gap. It finds most shortest tours, and what costs more need not be
   made. All sums are whole numbers. */

#define COMBGPU__LABEL_ROOM 131072
#define COMBGPU__LABEL_LAYER 8192 /* labels of a layer: more would have too many after them */
#define COMBGPU__LABEL_SLOTS 32768
#define COMBGPU__LABEL_AT_ONCE 64
#define COMBGPU__LABEL_REWARD ((int64_t)1 << 55) /* of a forced arc, so that all trees have it */

/* What follows a step, of branch and cut too. */
enum { COMBGPU__CUT_GOES_ON, COMBGPU__CUT_PROVEN, COMBGPU__CUT_GIVES_UP };

typedef struct combgpu__branch_label {
    uint64_t left;   /* cities that are not on the path */
    int64_t cost;    /* of the path */
    uint32_t before; /* label whose path it continues */
    int32_t last;
} combgpu__branch_label;

typedef struct combgpu__branch_label_edge {
    uint64_t both;
    unsigned char ends[2];
    int64_t cost; /* of the cheaper arc */
} combgpu__branch_label_edge;

typedef struct combgpu__branch_labels {
    int cities, edges;
    int64_t costs[COMBGPU__LABEL_CITIES][COMBGPU__LABEL_CITIES];
    signed char to[COMBGPU__LABEL_CITIES][COMBGPU__LABEL_CITIES]; /* by cost, then -1 */
    int64_t back[COMBGPU__LABEL_CITIES];                          /* costs to the start */
    signed char from[COMBGPU__LABEL_CITIES];                      /* by these */
    combgpu__branch_label_edge edge[COMBGPU__LABEL_CITIES * COMBGPU__LABEL_CITIES / 2];
    int64_t constant;        /* a tour's cost is its length plus this */
    int64_t limit, most;     /* of tours' costs, in this pass and in all */
    int left;                /* cities that the labels of the layer have left */
    uint32_t at, end, count; /* labels: the next to be continued, the layer's end, all */
    uint32_t slots[COMBGPU__LABEL_SLOTS]; /* by hash: labels of the next layer */
    int found, over; /* found: tour[] costs `limit` + 1; over: without a proof */
    int tour[COMBGPU__LABEL_CITIES];
    combgpu__branch_label label[COMBGPU__LABEL_ROOM];
} combgpu__branch_labels;

COMBGPU__PRIVATE int combgpu__branch_label_compare(const void *a, const void *b)
{
    int64_t x = ((const combgpu__branch_label_edge *)a)->cost;
    int64_t y = ((const combgpu__branch_label_edge *)b)->cost;
    return (x > y) - (x < y);
}

/* Orders the cities by costs. */
COMBGPU__PRIVATE void combgpu__branch_label_order(const int64_t *costs, int cities,
                                                  signed char *order)
{
    int count = 0, j, k;
    for (j = 0; j < cities; j++) {
        if (costs[j] == COMBGPU__BRANCH_INFINITE) continue;
        for (k = count++; k && costs[order[k - 1]] > costs[j]; k--)
            order[k] = order[k - 1];
        order[k] = (signed char)j;
    }
    order[count] = -1; /* a city has no arc to itself */
}

/* Takes the graph's arcs. */
COMBGPU__PRIVATE void combgpu__branch_label_arcs(combgpu__branch_labels *l,
                                                 const combgpu__branch_graph *graph)
{
    int n = l->cities = graph->cities, i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            l->costs[i][j] = COMBGPU__BRANCH_INFINITE;
    l->constant = l->edges = 0;
    for (i = 0; i < 2 * n; i++)
        l->constant += graph->multipliers[i];
    for (i = 0; i < graph->edges; i++) {
        int u = graph->ends[2 * i], v = graph->ends[2 * i + 1], to = u < v ? u : v;
        int64_t reward = graph->marks[i] == COMBGPU__EDGE_FORCED ? COMBGPU__LABEL_REWARD : 0;
        if (u + v == 2 * to + n) continue; /* both nodes of a city */
        l->costs[u + v - to - n][to] =
            graph->weights[i] + graph->multipliers[u] + graph->multipliers[v] - reward;
        l->constant -= reward;
    }
    for (i = 0; i < n; i++) {
        combgpu__branch_label_order(l->costs[i], n, l->to[i]);
        for (j = 0; j < i; j++) {
            combgpu__branch_label_edge *edge = l->edge + l->edges;
            edge->both = UINT64_C(1) << i | UINT64_C(1) << j;
            edge->ends[0] = (unsigned char)i;
            edge->ends[1] = (unsigned char)j;
            edge->cost = l->costs[i][j] < l->costs[j][i] ? l->costs[i][j] : l->costs[j][i];
            l->edges += edge->cost != COMBGPU__BRANCH_INFINITE;
        }
    }
    qsort(l->edge, (size_t)l->edges, sizeof *l->edge, combgpu__branch_label_compare);
}

/* The cost of the minimum tree of the cities that are left, which has `joints` edges; infinity if it exceeds
   `most` or there is none (J. B. Kruskal, 1956). */
COMBGPU__PRIVATE int64_t combgpu__branch_label_tree(const combgpu__branch_labels *l, uint64_t left,
                                                    int joints, int64_t most)
{
    const combgpu__branch_label_edge *edge = l->edge, *end = edge + l->edges;
    unsigned char up[COMBGPU__LABEL_CITIES];
    int64_t total = 0;
    int i;
    for (i = 0; i < COMBGPU__LABEL_CITIES; i++)
        up[i] = (unsigned char)i;
    for (; joints && edge < end; edge++) {
        int u, v;
        if (edge->both & ~left) continue;
        for (u = edge->ends[0]; up[u] != u; u = up[u])
            up[u] = up[up[u]];
        for (v = edge->ends[1]; up[v] != v; v = up[v])
            up[v] = up[up[v]];
        if (u == v) continue;
        if (total + joints * edge->cost > most) break;
        total += edge->cost;
        up[u] = (unsigned char)v;
        joints--;
    }
    return joints || total > most ? COMBGPU__BRANCH_INFINITE : total;
}

/* The first of the cities in order that is left; -1 if none is. */
COMBGPU__PRIVATE int combgpu__branch_label_first(const signed char *order, uint64_t left)
{
    while (*order >= 0 && !(left >> *order & 1))
        order++;
    return *order;
}

/* Returns what the label's next arc may cost at most. */
COMBGPU__PRIVATE int64_t combgpu__branch_label_rest(const combgpu__branch_labels *l,
                                                    const combgpu__branch_label *label)
{
    int to = combgpu__branch_label_first(l->to[label->last], label->left);
    int from = combgpu__branch_label_first(l->from, label->left);
    int64_t room = l->limit - label->cost, tree;
    if (to < 0 || from < 0) return -COMBGPU__BRANCH_INFINITE;
    room -= l->back[from];
    tree =
        combgpu__branch_label_tree(l, label->left, l->left - 1, room - l->costs[label->last][to]);
    return tree == COMBGPU__BRANCH_INFINITE ? -tree : room - tree;
}

/* Begins a pass. */
COMBGPU__PRIVATE void combgpu__branch_label_pass(combgpu__branch_labels *l)
{
    l->label[l->count] = l->label[0];
    l->at = l->count++;
    l->end = l->count;
    l->left = l->cities - 1;
}

/* Begins, from the start that has the best bound. */
COMBGPU__PRIVATE void combgpu__branch_label_begin(combgpu__branch_labels *l,
                                                  const combgpu__branch_graph *graph)
{
    combgpu__branch_label label;
    int64_t gap = COMBGPU__BRANCH_INFINITE;
    int i;
    combgpu__branch_label_arcs(l, graph);
    l->limit = l->most = graph->length - graph->grain + l->constant;
    l->left = l->cities - 1;
    label.cost = label.before = 0;
    for (label.last = 0; label.last < l->cities; label.last++) {
        int64_t room;
        label.left = (UINT64_MAX >> (64 - l->cities)) & ~(UINT64_C(1) << label.last);
        for (i = 0; i < l->cities; i++)
            l->back[i] = l->costs[i][label.last];
        combgpu__branch_label_order(l->back, l->cities, l->from);
        room = combgpu__branch_label_rest(l, &label);
        if (room != -COMBGPU__BRANCH_INFINITE) room -= l->costs[label.last][l->to[label.last][0]];
        if (room >= gap) continue;
        gap = room;
        l->label[0] = label;
    }
    for (i = 0; i < l->cities; i++)
        l->back[i] = l->costs[i][l->label[0].last];
    combgpu__branch_label_order(l->back, l->cities, l->from);
    if (gap > 0) l->limit -= gap / 2;
    memset(l->slots, 0, sizeof l->slots);
    l->count = 0;
    l->found = l->over = 0;
    combgpu__branch_label_pass(l);
}

/* Continues a label to a city. Returns 0 without room. */
COMBGPU__PRIVATE int combgpu__branch_label_add(combgpu__branch_labels *l, uint32_t from, int city)
{
    combgpu__branch_label label = l->label[from], *same;
    uint32_t *slot;
    uint64_t hash;
    int i;
    label.cost += l->costs[label.last][city];
    label.left &= ~(UINT64_C(1) << city);
    label.before = from;
    label.last = city;
    if (!label.left) {
        l->limit = label.cost + l->back[city] - 1;
        for (i = l->cities; i; i--, label = l->label[label.before])
            l->tour[i - 1] = label.last;
        l->found = 1;
        return 1;
    }
    for (hash = combgpu__mix(label.left ^ (uint64_t)city << 58);; hash++) {
        slot = l->slots + hash % COMBGPU__LABEL_SLOTS;
        same = l->label + *slot;
        if (*slot < l->end || (same->left == label.left && same->last == city)) break;
    }
    if (*slot >= l->end) {
        if (label.cost < same->cost) *same = label;
        return 1;
    }
    if (l->count == COMBGPU__LABEL_ROOM || l->count - l->end == COMBGPU__LABEL_LAYER) return 0;
    *slot = l->count;
    l->label[l->count++] = label;
    return 1;
}

/* Continues some labels. A shorter tour becomes `work`'s, and its length *length, until that is known. */
COMBGPU__PRIVATE int combgpu__branch_label_step(combgpu__branch_labels *l,
                                                combgpu__branch_work *work, int64_t *length)
{
    int k, i;
    for (k = 0; k < COMBGPU__LABEL_AT_ONCE && l->at < l->end; k++, l->at++, work->trees++) {
        const combgpu__branch_label *label = l->label + l->at;
        const signed char *to = l->to[label->last];
        int64_t room = combgpu__branch_label_rest(l, label);
        for (; *to >= 0 && l->costs[label->last][*to] <= room; to++)
            if (label->left >> *to & 1 && !combgpu__branch_label_add(l, l->at, *to))
                return COMBGPU__CUT_GIVES_UP;
    }
    if (l->at < l->end) return COMBGPU__CUT_GOES_ON;
    if (l->count > l->end) { /* the next layer */
        l->left--;
        l->end = l->count;
        return COMBGPU__CUT_GOES_ON;
    }
    if (l->found && l->limit + 1 - l->constant < *length) {
        *length = l->limit + 1 - l->constant;
        for (i = 0; i < l->cities; i++)
            work->tour[i] = l->tour[i];
        return COMBGPU__CUT_GOES_ON;
    }
    if (l->found || l->limit == l->most) return COMBGPU__CUT_PROVEN;
    if (l->count == COMBGPU__LABEL_ROOM) return COMBGPU__CUT_GIVES_UP;
    l->limit = l->most;
    combgpu__branch_label_pass(l);
    return COMBGPU__CUT_GOES_ON;
}
