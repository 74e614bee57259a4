/* 1-trees on a GPU, and the edges that they fix. All lanes take part. */

/* Makes the minimum spanning tree (R. C. Prim, 1957) from node 0 if `run` is set. Returns its cost,
   or infinity; *first gets node 0's first child. Barriers stand outside conditions. */
COMBGPU__DEVICE int64_t combgpu_branch_spanning_tree(COMBGPU__GROUP_PARAMETER,
                                                     const combgpu_branch_t *b, uint32_t rows,
                                                     uint32_t run, uint32_t *first)
{
    int64_t total = 0;
    uint32_t node = 0, outside = 0, count = run ? b->nodes : 0, i, k;
    for (k = 0; k < rows; k++) {
        uint32_t v = COMBGPU__GROUP_LANE + k * COMBGPU__BRANCH_LANES;
        if (v >= b->nodes || !run) continue;
        outside |= 1u << k;
        b->key[v] = COMBGPU__BRANCH_FAR;
        b->rank[v] = COMBGPU__BRANCH_OUTSIDE;
        b->parent_edge[v] = COMBGPU__BRANCH_OUTSIDE;
        b->degree[v] = v != 0;
    }
    COMBGPU__WARP_BARRIER();
    for (i = 0; i < count; i++) {
        uint32_t begin = b->begin[node], end = begin + b->open[node], a, y = COMBGPU__NONE;
        int64_t multiplier = b->now[node], x = COMBGPU__BRANCH_FAR;
        if ((node & 31) == COMBGPU__GROUP_LANE) {
            b->rank[node] = (uint16_t)i;
            outside &= ~(1u << (node >> 5));
        }
        for (a = begin + COMBGPU__GROUP_LANE; a < end; a += COMBGPU__BRANCH_LANES) {
            uint32_t arc = b->arcs[a], to = arc & 511, edge = (arc >> 9) & 0x7fff;
            int64_t cost = b->weights[edge] + multiplier + b->now[to];
            if (arc >> 31) cost -= COMBGPU__BRANCH_FORCE;
            if (b->rank[to] == COMBGPU__BRANCH_OUTSIDE &&
                (cost < b->key[to] || (cost == b->key[to] && edge < b->parent_edge[to]))) {
                b->key[to] = cost;
                b->parent[to] = (uint16_t)node;
                b->parent_edge[to] = (uint16_t)edge;
            }
        }
        COMBGPU__WARP_BARRIER();
        for (k = 0; k < rows; k++) {
            uint32_t v = COMBGPU__GROUP_LANE + k * COMBGPU__BRANCH_LANES, own;
            if (!(outside >> k & 1)) continue;
            own = (uint32_t)b->parent_edge[v] << 9 | v;
            if (b->key[v] < x || (b->key[v] == x && x != COMBGPU__BRANCH_FAR && own < y)) {
                x = b->key[v];
                y = own;
            }
        }
        combgpu_branch_least(COMBGPU__GROUP, b, &x, &y);
        COMBGPU__WARP_BARRIER();
        if (y == COMBGPU__NONE) break; /* all nodes are in the tree, or the rest is out of reach */
        total += x < -COMBGPU__BRANCH_FORCE / 2 ? x + COMBGPU__BRANCH_FORCE : x;
        node = y & 511;
        if (!i) *first = node;
    }
    if (i + 1 < count) total = COMBGPU__BRANCH_FAR;
    if (run && total != COMBGPU__BRANCH_FAR)
        for (k = COMBGPU__GROUP_LANE; k < b->nodes; k += COMBGPU__BRANCH_LANES)
            if (k) COMBGPU__LOCAL_ATOMIC_ADD(b->degree + b->parent[k], 1);
    COMBGPU__WARP_BARRIER();
    return total;
}

/* Completes the spanning tree to a 1-tree by the second edge of the leaf whose second edge is the
   most expensive. Returns the 1-tree's cost less twice the multipliers, or infinity. */
COMBGPU__DEVICE int64_t combgpu_branch_one_tree(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                                uint32_t rows, uint32_t run, int64_t total,
                                                uint32_t first, uint32_t *special, uint32_t *second,
                                                int64_t *second_cost)
{
    int64_t dearest = COMBGPU__BRANCH_FAR, sum = 0; /* dearest: the negative of the cost */
    uint32_t leaf = COMBGPU__NONE, none = total == COMBGPU__BRANCH_FAR, k, a;
    for (k = 0; k < rows; k++) {
        uint32_t v = COMBGPU__GROUP_LANE + k * COMBGPU__BRANCH_LANES, only, edge = 0, begin;
        int64_t cost = COMBGPU__BRANCH_FAR;
        if (v >= b->nodes || !run || none) continue;
        sum += b->now[v];
        if (b->degree[v] != 1) continue;
        only = b->parent_edge[v ? v : first];
        begin = b->begin[v];
        for (a = begin; a < begin + b->open[v]; a++) {
            uint32_t arc = b->arcs[a], other = (arc >> 9) & 0x7fff;
            int64_t c = b->weights[other] + b->now[v] + b->now[arc & 511];
            if (arc >> 31) c -= COMBGPU__BRANCH_FORCE;
            if (other != only && c < cost) {
                cost = c;
                edge = other;
            }
        }
        if (cost == COMBGPU__BRANCH_FAR) none = 1;
        if (cost < -COMBGPU__BRANCH_FORCE / 2) cost += COMBGPU__BRANCH_FORCE;
        if (leaf == COMBGPU__NONE || -cost < dearest) {
            dearest = -cost;
            leaf = v << 15 | edge;
        }
    }
    combgpu_branch_least(COMBGPU__GROUP, b, &dearest, &leaf);
    sum = combgpu_branch_sum(COMBGPU__GROUP, b, sum);
    none = COMBGPU__GROUP_ANY(none);
    if (run && !none) {
        *special = leaf >> 15;
        *second = leaf & 0x7fff;
        *second_cost = -dearest;
        if (COMBGPU__GROUP_LANE < 2) {
            uint32_t ends = b->ends[*second];
            COMBGPU__LOCAL_ATOMIC_ADD(
                b->degree + (COMBGPU__GROUP_LANE ? ends >> 16 : ends & 0xffff), 1);
        }
    }
    COMBGPU__WARP_BARRIER();
    return none ? COMBGPU__BRANCH_FAR : total - 2 * sum - dearest;
}

/* Follows the cycle that a free edge closes with the tree. Flags the nodes whose edge to the parent
   it could replace within `limit`; returns the cost of the most expensive edge that it could
   replace. */
COMBGPU__DEVICE int64_t combgpu_branch_cycle(const combgpu_branch_t *b, uint32_t u, uint32_t v,
                                             int64_t cost, int64_t room)
{
    int64_t dearest = -COMBGPU__BRANCH_FAR;
    while (u != v) {
        uint32_t swap = b->rank[u] < b->rank[v], w = swap ? v : u;
        int64_t key = b->key[w];
        if (cost - key <= room) COMBGPU__LOCAL_ATOMIC_ADD(b->flag + w, 1);
        if (key > -COMBGPU__BRANCH_FORCE / 2 && key > dearest) dearest = key;
        v = swap ? u : v;
        u = b->parent[w];
    }
    return dearest;
}

/* Forbids the edges whose presence, and lists those whose absence, raises the bound by more than
   `room`. Returns the number of edges forbidden. */
COMBGPU__DEVICE uint32_t combgpu_branch_reduce(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                               uint32_t run, int64_t room, uint32_t first,
                                               uint32_t special, uint32_t second,
                                               int64_t second_cost)
{
    uint32_t forbidden = 0, third = 0,
             i; /* third: bit 1 = can replace the leaf's tree edge, 2 = its second */
    uint32_t at_leaf = special ? special : first;
    for (i = COMBGPU__GROUP_LANE; run && i < b->edges; i += COMBGPU__BRANCH_LANES) {
        uint32_t u = b->ends[i] & 0xffff, v = b->ends[i] >> 16;
        int64_t cost, dearest = -COMBGPU__BRANCH_FAR;
        if (b->marks[i] != COMBGPU__EDGE_FREE || i == second || b->parent_edge[u] == i ||
            b->parent_edge[v] == i)
            continue;
        cost = combgpu_branch_cost(b, i);
        if (u == special || v == special) {
            third |= (cost - b->key[at_leaf] <= room) | (uint32_t)(cost - second_cost <= room) << 1;
            if (b->marks[second] == COMBGPU__EDGE_FREE) dearest = second_cost;
        } else
            dearest = combgpu_branch_cycle(b, u, v, cost, room);
        if (dearest != -COMBGPU__BRANCH_FAR && cost - dearest <= room) continue;
        b->marks[i] = (uint8_t)COMBGPU__EDGE_FORBIDDEN;
        forbidden++;
        COMBGPU__LOCAL_ATOMIC_ADD(b->open + u, COMBGPU__NONE);
        COMBGPU__LOCAL_ATOMIC_ADD(b->open + v, COMBGPU__NONE);
    }
    COMBGPU__WARP_BARRIER();
    third = (COMBGPU__GROUP_ANY(third & 1) ? 1u : 0u) | (COMBGPU__GROUP_ANY(third & 2) ? 2u : 0u);
    for (i = COMBGPU__GROUP_LANE; run && i < b->nodes; i += COMBGPU__BRANCH_LANES) {
        uint32_t edge = i ? b->parent_edge[i] : second;
        uint32_t keep = !i ? third & 2 : i == at_leaf ? third & 1 : b->flag[i];
        if (b->marks[edge] == COMBGPU__EDGE_FREE && !keep)
            b->list[COMBGPU__LOCAL_ATOMIC_ADD(b->counts + 1, 1)] = (uint16_t)edge;
    }
    forbidden = COMBGPU__GROUP_ADD(forbidden);
    COMBGPU__WARP_BARRIER();
    return forbidden;
}
