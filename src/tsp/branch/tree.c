/* 1-trees, the ascent of their multipliers, and the edges that they fix.
   The trees of interest contain all forced edges. So a path of forced edges, a *chain*, counts as
   one node of the spanning tree, and so does a node without forced edges. Deep in the search most
   nodes are inside chains. */

/* Lists the chains and, node by node, the free edges. */
COMBGPU__PRIVATE void combgpu__branch_arcs(combgpu__branch_work *work)
{
    const combgpu__branch_graph *graph = work->graph;
    int32_t *next = work->fringe;
    int node, edge, end, arcs = 0;
    work->chain_count = work->outer_count = 0;
    work->forced_weight = 0;
    for (node = 0; node < graph->nodes; node++) {
        int other = work->other_end[node];
        work->degree[node] = 2;
        work->arc_begin[node] = next[node] = arcs;
        if (work->forced_degree[node] == 2) continue;
        work->outer[work->outer_count++] = node;
        arcs += work->open_degree[node] - work->forced_degree[node];
        if (other < node) {
            work->chain[node] = work->chain[other];
            continue;
        }
        work->chain_ends[work->chain_count][0] = node;
        work->chain_ends[work->chain_count][1] = other == node ? -1 : other;
        work->chain[node] = work->chain_count++;
    }
    work->arc_begin[node] = arcs;
    for (edge = 0; edge < graph->edges; edge++)
        if (work->marks[edge] == COMBGPU__EDGE_FORCED)
            work->forced_weight += graph->weights[edge];
        else if (work->marks[edge] == COMBGPU__EDGE_FREE)
            for (end = 0; end < 2; end++) {
                combgpu__branch_arc *arc = work->arcs + next[graph->ends[2 * edge + end]]++;
                arc->to = graph->ends[2 * edge + 1 - end];
                arc->chain = (uint16_t)work->chain[arc->to];
                arc->edge = edge;
                arc->weight = graph->weights[edge];
            }
}

/* Offers the fringe the edges at a node whose chain has joined the tree. */
COMBGPU__PRIVATE int combgpu__branch_reach(combgpu__branch_work *work, int node, int chain,
                                           const int64_t *multipliers, int fringe_count)
{
    const combgpu__branch_arc *arc = work->arcs + work->arc_begin[node];
    const combgpu__branch_arc *end = work->arcs + work->arc_begin[node + 1];
    int32_t *place = work->place, *edges = work->parent_edge;
    int64_t *key = work->key, *least = work->replacement, multiplier = multipliers[node];
    for (; arc < end; arc++) {
        int other = arc->chain, at;
        int64_t cost = arc->weight + multiplier + multipliers[arc->to];
        if (cost >= least[other] && (cost > least[other] || arc->edge > edges[other])) continue;
        at = place[other];
        if (at < 0) {
            place[other] = at = fringe_count++;
            work->fringe[at] = other;
        }
        key[at] = least[other] = cost;
        work->parent[other] = chain;
        edges[other] = arc->edge;
    }
    return fringe_count;
}

/* Makes the minimum spanning tree of the chains under the multipliers (R. C. Prim, 1957; the graph
   is sparse and its fringe short, so a linear scan beats a heap). Returns the cost of its free
   edges, or infinity. Of edges of equal cost the one with the smaller number counts as cheaper, so
   the minimum tree is unique and the kernel finds the same one. */
COMBGPU__PRIVATE int64_t combgpu__branch_spanning_tree(combgpu__branch_work *work,
                                                       const int64_t *multipliers)
{
    const uint16_t *ends = work->graph->ends;
    int64_t *key = work->key, total = 0;  /* of the fringe's chains */
    int64_t *reached = work->replacement; /* key of each chain; below all if it is in the tree */
    int32_t *fringe = work->fringe, *place = work->place, *edges = work->parent_edge;
    int fringe_count = 0, count = 0, chain = 0, i;
    for (i = 0; i < work->chain_count; i++) {
        place[i] = -1; /* in the fringe */
        reached[i] = COMBGPU__BRANCH_INFINITE;
    }
    edges[0] = -1;
    for (;;) {
        int64_t least;
        int at = 0, equal = 0;
        reached[chain] = -COMBGPU__BRANCH_INFINITE;
        work->order[count] = chain;
        work->rank[chain] = count++;
        for (i = 0; i < 2 && work->chain_ends[chain][i] >= 0; i++)
            fringe_count = combgpu__branch_reach(work, work->chain_ends[chain][i], chain,
                                                 multipliers, fringe_count);
        if (!fringe_count) break;
        least = key[0];
        for (i = 1; i < fringe_count; i++) { /* without branches */
            equal |= key[i] == least;
            at = key[i] < least ? i : at;
            least = key[i] < least ? key[i] : least;
        }
        for (i = 0; equal && i < fringe_count; i++)
            if (key[i] == least && edges[fringe[i]] < edges[fringe[at]]) at = i;
        chain = fringe[at];
        key[at] = key[--fringe_count];
        fringe[at] = fringe[fringe_count];
        place[fringe[at]] = at;
        work->parent_cost[chain] = least;
        total += least;
        work->degree[ends[2 * edges[chain]]]++;
        work->degree[ends[2 * edges[chain] + 1]]++;
    }
    return count == work->chain_count ? total : COMBGPU__BRANCH_INFINITE;
}

/* Chooses the leaf of the spanning tree whose second edge is the most expensive (K. Helsgaun,
   2000). Returns that edge's cost, or infinity if a leaf has none. */
COMBGPU__PRIVATE int64_t combgpu__branch_second(combgpu__branch_work *work,
                                                const int64_t *multipliers)
{
    int k, i;
    work->special = -1;
    for (k = 0; k < work->outer_count; k++) {
        int node = work->outer[k], chain = work->chain[node], only = -1, second = -1;
        int64_t cost = COMBGPU__BRANCH_INFINITE;
        if (work->degree[node] != 1) continue;
        if (!work->forced_degree[node]) only = work->parent_edge[chain ? chain : work->order[1]];
        for (i = work->arc_begin[node]; i < work->arc_begin[node + 1]; i++) {
            const combgpu__branch_arc *arc = work->arcs + i;
            int64_t c = arc->weight + multipliers[node] + multipliers[arc->to];
            if (arc->edge != only && c < cost) {
                cost = c;
                second = arc->edge;
            }
        }
        if (second < 0) return COMBGPU__BRANCH_INFINITE;
        if (work->special < 0 || cost > work->second_cost) {
            work->special = node;
            work->special_edge = only;
            work->second_edge = second;
            work->second_cost = cost;
        }
    }
    return work->second_cost;
}

/* Returns the minimum 1-tree's cost less twice the multipliers: a lower bound for tours within the
   marks. The spanning tree without a leaf, plus the leaf's two cheapest edges, is a minimum 1-tree
   for that leaf. */
COMBGPU__PRIVATE int64_t combgpu__branch_one_tree(combgpu__branch_work *work,
                                                  const int64_t *multipliers)
{
    int64_t total = work->forced_weight, cost;
    int i;
    for (i = 0; i < work->outer_count; i++) {
        int node = work->outer[i];
        work->degree[node] = work->forced_degree[node];
        total += (work->forced_degree[node] - 2) * multipliers[node];
    }
    work->trees++;
    if (!work->chain_count) return total; /* the forced edges are a tour */
    cost = combgpu__branch_spanning_tree(work, multipliers);
    if (cost == COMBGPU__BRANCH_INFINITE) return cost;
    total += cost;
    cost = combgpu__branch_second(work, multipliers);
    if (cost == COMBGPU__BRANCH_INFINITE) return cost;
    work->degree[work->graph->ends[2 * work->second_edge]]++;
    work->degree[work->graph->ends[2 * work->second_edge + 1]]++;
    return total + cost;
}

/* Nonzero if a free edge is in the 1-tree. */
COMBGPU__PRIVATE int combgpu__branch_in_tree(const combgpu__branch_work *work, int edge)
{
    const uint16_t *ends = work->graph->ends + 2 * edge;
    return edge == work->second_edge || work->parent_edge[work->chain[ends[0]]] == edge ||
           work->parent_edge[work->chain[ends[1]]] == edge;
}

/* Follows the two neighbours of each node, and lists the cities. Returns 0 unless it is one tour. */
COMBGPU__PRIVATE int combgpu__branch_walk(const combgpu__branch_graph *graph, int32_t (*next)[2],
                                          int32_t *tour)
{
    /* directed: nodes below `cities` are "in", where tours enter a city */
    int last = next[0][graph->directed && next[0][0] == graph->cities], node = 0, i;
    for (i = 0; i < graph->nodes; i++) {
        int to = next[node][next[node][0] == last];
        if (!graph->directed)
            tour[i] = node;
        else if (i % 2 == 0)
            tour[i / 2] = node;
        last = node;
        node = to;
        if (!node && i + 1 < graph->nodes) return 0;
    }
    return !node;
}

/* Takes the 1-tree, a tour, if it is shorter than the known one. */
COMBGPU__PRIVATE void combgpu__branch_tour(combgpu__branch_work *work)
{
    const combgpu__branch_graph *graph = work->graph;
    int32_t(*next)[2] = (int32_t(*)[2])(void *)work->spare, *count = work->spare + 2 * graph->nodes;
    int64_t length = 0;
    int i;
    memset(count, 0, (size_t)graph->nodes * sizeof *count);
    for (i = 0; i < graph->edges; i++) {
        int u = graph->ends[2 * i], v = graph->ends[2 * i + 1];
        if (work->marks[i] == COMBGPU__EDGE_FORBIDDEN ||
            (work->marks[i] == COMBGPU__EDGE_FREE && !combgpu__branch_in_tree(work, i)))
            continue;
        next[u][count[u]++] = v;
        next[v][count[v]++] = u;
        length += graph->weights[i];
    }
    if (length >= work->length || !combgpu__branch_walk(graph, next, work->tour)) return;
    work->length = length;
    work->found = 1;
}

COMBGPU__PRIVATE int64_t combgpu__branch_threshold(const combgpu__branch_work *work)
{
    return work->length - work->graph->grain;
}

/* Sub-gradient ascent from work->multipliers, which become the best found. Returns their bound, and
   stops at one above the threshold. It makes `steps` 1-trees, and up to `most` while each quarter
   more closes a good part of the gap, as on clustered points (on few nodes less would not pay). The
   size of a step is `boldness`/1024 times (known length -
   bound) / (sum of squares); boldness falls by 3/10 after `patience` steps without progress. The
   direction is 7/10 of this 1-tree's degrees less 2 plus 3/10 of the previous one's. */
COMBGPU__PRIVATE int64_t combgpu__branch_ascend(combgpu__branch_work *work, int steps, int most,
                                                int patience, int64_t boldness)
{
    int64_t *now = work->ascent, best = -COMBGPU__BRANCH_INFINITE, mark = best;
    size_t bytes = (size_t)work->graph->nodes * sizeof *now;
    int waited = 0, share = work->graph->nodes > 128 ? 20 : 6, i, k;
    memcpy(now, work->multipliers, bytes);
    memcpy(work->best, now, bytes);
    for (k = 0;; k++) {
        int64_t bound = combgpu__branch_one_tree(work, now), squares = 0, step;
        if (bound > best) {
            best = bound;
            waited = 0;
            if (bound != COMBGPU__BRANCH_INFINITE) memcpy(work->best, now, bytes);
        } else
            waited++;
        if (bound > combgpu__branch_threshold(work)) break;
        for (i = 0; i < work->outer_count; i++) {
            int32_t excess = work->degree[work->outer[i]] - 2;
            squares += excess * excess;
        }
        if (!squares) {
            combgpu__branch_tour(work);
            break;
        }
        if (k + 1 + steps / 4 == steps) mark = best;
        if (k + 1 >= steps) {
            if (k + 1 >= most || best - mark < (work->length - best) / share) break;
            mark = best;
            steps += steps / 4;
        }
        if (waited >= patience) {
            boldness = boldness * 7 / 10;
            waited = 0;
            if (boldness < 2) break;
        }
        step = (work->length - bound) / squares;
        step = (step >> 10) * boldness + (((step & 1023) * boldness) >> 10);
        if (step < 1) step = 1;
        if (step > COMBGPU__BRANCH_MULTIPLIER) step = COMBGPU__BRANCH_MULTIPLIER;
        for (i = 0; i < work->outer_count; i++) {
            int node = work->outer[i];
            int32_t excess = work->degree[node] - 2;
            int64_t value =
                now[node] +
                step * (k ? 7 * excess + 3 * work->last_degree[node] : 10 * excess) / 10;
            now[node] = value > COMBGPU__BRANCH_MULTIPLIER    ? COMBGPU__BRANCH_MULTIPLIER
                        : value < -COMBGPU__BRANCH_MULTIPLIER ? -COMBGPU__BRANCH_MULTIPLIER
                                                              : value;
            work->last_degree[node] = excess;
        }
    }
    memcpy(work->multipliers, work->best, bytes);
    return best;
}

/* Forbids every edge whose presence, and forces every edge whose absence, raises the 1-tree's bound
   above the threshold. Returns 0 if no tour is left. */
COMBGPU__PRIVATE int combgpu__branch_reduce(combgpu__branch_work *work, int64_t bound)
{
    const combgpu__branch_graph *graph = work->graph;
    const int64_t *multipliers = work->multipliers;
    int64_t room = combgpu__branch_threshold(work) - bound, third = COMBGPU__BRANCH_INFINITE;
    int64_t *replacement = work->replacement; /* of the edge to a chain's parent */
    int edge, i, fine = 1;
    for (i = 0; i < work->chain_count; i++)
        replacement[i] = COMBGPU__BRANCH_INFINITE;
    for (edge = 0; fine && edge < graph->edges; edge++) {
        int u = graph->ends[2 * edge], v = graph->ends[2 * edge + 1];
        int64_t cost = graph->weights[edge] + multipliers[u] + multipliers[v];
        int64_t dearest = work->second_cost; /* cost of the edge that it can replace */
        if (work->marks[edge] != COMBGPU__EDGE_FREE || combgpu__branch_in_tree(work, edge))
            continue;
        if (u == work->special || v == work->special) {
            if (cost < third) third = cost;
        } else { /* the most expensive edge of the cycle that it closes */
            dearest = -COMBGPU__BRANCH_INFINITE;
            u = work->chain[u];
            v = work->chain[v];
            while (u != v) {
                if (work->rank[u] < work->rank[v]) {
                    int swap = u;
                    u = v;
                    v = swap;
                }
                if (cost < replacement[u]) replacement[u] = cost;
                if (work->parent_cost[u] > dearest) dearest = work->parent_cost[u];
                u = work->parent[u];
            }
        }
        if (cost - dearest > room) fine = combgpu__branch_forbid(work, edge);
    }
    for (i = 1; fine && i <= work->chain_count; i++) { /* the last i is for the second edge */
        int chain = i < work->chain_count ? work->order[i] : 0, second = i == work->chain_count;
        int64_t other, own = second ? work->second_cost : work->parent_cost[chain];
        edge = second ? work->second_edge : work->parent_edge[chain];
        other = second || edge == work->special_edge ? third : replacement[chain];
        if (other == COMBGPU__BRANCH_INFINITE || other - own > room)
            fine = combgpu__branch_force(work, edge);
    }
    return fine && combgpu__branch_settle(work);
}
