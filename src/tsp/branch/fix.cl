/* Branch and bound on a GPU (see src/tsp/branch/data.c): a worker's memory, and what follows from forced
   and forbidden edges. 32 lanes work on a node of the search tree. Results do not depend on the
   order of the lanes: of edges of equal cost the one with the smaller number counts as cheaper, so
   the minimum tree is unique, and the conclusions from fixed edges are a closure. The C solver
   keeps the same rules, so both make the same 1-trees. */
#define COMBGPU__BRANCH_LANES 32u
#define COMBGPU__BRANCH_FORCE ((int64_t)1 << 58)
#define COMBGPU__BRANCH_FAR (~((int64_t)1 << 63))
#define COMBGPU__BRANCH_OUTSIDE                                                                    \
    0xffffu /* rank of a node outside the tree, edge of a node not reached */

/* The graph and the worker's memory. Lane 0 alone fixes edges. */
typedef struct combgpu_branch_t {
    COMBGPU__GLOBAL const uint32_t *tables;
    uint32_t nodes, edges;
    COMBGPU__GLOBAL const uint32_t *ends, *begin,
        *incident; /* begin[node]: place of its edges in `incident` */
    COMBGPU__GLOBAL const int64_t *weights;
    COMBGPU__GLOBAL int64_t *best;  /* multipliers */
    COMBGPU__GLOBAL uint32_t *arcs; /* at begin[node]: node, edge << 9, forced << 31 */
    COMBGPU__GLOBAL uint8_t *marks; /* of the edges */
    COMBGPU__GLOBAL uint32_t *stack;
    COMBGPU__LOCAL int64_t *now, *key; /* multipliers; cost of the edge to the parent */
    COMBGPU__LOCAL uint32_t *degree, *open, *flag;
    COMBGPU__LOCAL uint16_t *parent, *parent_edge, *rank; /* of the tree, from node 0 */
    COMBGPU__LOCAL uint16_t *forced, *other_end, *queue, *list;
    COMBGPU__LOCAL uint32_t *counts; /* of queue, list */
#ifndef COMBGPU__PACKED
    COMBGPU__LOCAL int64_t *lane_x;
    COMBGPU__LOCAL uint32_t *lane_y;
#endif
    uint32_t fixed, forced_count;
    uint32_t number; /* of the instance in a batch, from 1; 0 = there is one alone */
} combgpu_branch_t;

COMBGPU__DEVICE int64_t combgpu_branch_cost(const combgpu_branch_t *b, uint32_t edge)
{
    return b->weights[edge] + b->now[b->ends[edge] & 0xffff] + b->now[b->ends[edge] >> 16];
}

/* combgpu_branch_least gives all lanes the group's smallest (x, y); combgpu_branch_sum returns the
   group's sum. */
#ifdef COMBGPU__PACKED
COMBGPU__DEVICE void combgpu_branch_least(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                          int64_t *x, uint32_t *y)
{
    uint64_t bits = (uint64_t)*x ^ (uint64_t)1 << 63;
    uint32_t high = (uint32_t)(bits >> 32), low = (uint32_t)bits;
    uint32_t least_high = COMBGPU__GROUP_MIN(high),
             least_low = COMBGPU__GROUP_MIN(high == least_high ? low : COMBGPU__NONE);
    (void)b;
    *y = COMBGPU__GROUP_MIN(high == least_high && low == least_low ? *y : COMBGPU__NONE);
    *x = (int64_t)(((uint64_t)least_high << 32 | least_low) ^ (uint64_t)1 << 63);
}

COMBGPU__DEVICE int64_t combgpu_branch_sum(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                           int64_t x)
{
    uint64_t bits = (uint64_t)x;
    uint64_t low = COMBGPU__GROUP_ADD((uint32_t)bits & 0xffffff),
             middle = COMBGPU__GROUP_ADD((uint32_t)(bits >> 24) & 0xffffff);
    uint64_t high = COMBGPU__GROUP_ADD((uint32_t)(bits >> 48));
    (void)b;
    return (int64_t)(low + (middle << 24) + (high << 48));
}
#else /* few barriers: PoCL compiles each of them slowly */
COMBGPU__DEVICE void combgpu_branch_least(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                          int64_t *x, uint32_t *y)
{
    uint32_t i;
    b->lane_x[COMBGPU__GROUP_LANE] = *x;
    b->lane_y[COMBGPU__GROUP_LANE] = *y;
    COMBGPU__WARP_BARRIER();
    for (i = 0; i < COMBGPU__BRANCH_LANES; i++)
        if (b->lane_x[i] < *x || (b->lane_x[i] == *x && b->lane_y[i] < *y)) {
            *x = b->lane_x[i];
            *y = b->lane_y[i];
        }
    COMBGPU__WARP_BARRIER();
}

COMBGPU__DEVICE int64_t combgpu_branch_sum(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                           int64_t x)
{
    uint32_t i;
    b->lane_x[COMBGPU__GROUP_LANE] = x;
    COMBGPU__WARP_BARRIER();
    for (i = 0, x = 0; i < COMBGPU__BRANCH_LANES; i++)
        x += b->lane_x[i];
    COMBGPU__WARP_BARRIER();
    return x;
}
#endif

/* ---- forced and forbidden edges, by lane 0. Functions return 0 if no tour is left. */

COMBGPU__DEVICE void combgpu_branch_touch(const combgpu_branch_t *b, uint32_t node)
{
    if (b->flag[node]) return;
    b->flag[node] = 1;
    b->queue[b->counts[0]++] = (uint16_t)node;
}

COMBGPU__DEVICE uint32_t combgpu_branch_forbid(combgpu_branch_t *b, uint32_t edge)
{
    uint32_t ends = b->ends[edge], u = ends & 0xffff, v = ends >> 16;
    if (b->marks[edge] == COMBGPU__EDGE_FORBIDDEN) return 1;
    if (b->marks[edge] == COMBGPU__EDGE_FORCED) return 0;
    b->marks[edge] = (uint8_t)COMBGPU__EDGE_FORBIDDEN;
    b->fixed++;
    combgpu_branch_touch(b, u);
    combgpu_branch_touch(b, v);
    b->open[u]--;
    b->open[v]--;
    return b->open[u] >= 2 && b->open[v] >= 2;
}

/* Adds a forced edge; forbids the edge that would close its path too early. */
COMBGPU__DEVICE uint32_t combgpu_branch_join(combgpu_branch_t *b, uint32_t edge)
{
    uint32_t ends = b->ends[edge], u = ends & 0xffff, v = ends >> 16, p, q, i;
    if (b->forced[u] == 2 || b->forced[v] == 2) return 0;
    b->forced[u]++;
    b->forced[v]++;
    b->forced_count++;
    combgpu_branch_touch(b, u);
    combgpu_branch_touch(b, v);
    p = b->other_end[u];
    q = b->other_end[v];
    if (p == v) return b->forced_count == b->nodes;
    b->other_end[p] = (uint16_t)q;
    b->other_end[q] = (uint16_t)p;
    if (b->forced_count == b->nodes - 1) return 1;
    for (i = b->begin[p]; i < b->begin[p + 1]; i++) {
        uint32_t closing = b->incident[i], other = b->ends[closing];
        if ((other & 0xffff) + (other >> 16) == p + q && b->marks[closing] == COMBGPU__EDGE_FREE)
            return combgpu_branch_forbid(b, closing);
    }
    return 1;
}

COMBGPU__DEVICE uint32_t combgpu_branch_force(combgpu_branch_t *b, uint32_t edge)
{
    if (b->marks[edge] != COMBGPU__EDGE_FREE) return b->marks[edge] == COMBGPU__EDGE_FORCED;
    b->marks[edge] = (uint8_t)COMBGPU__EDGE_FORCED;
    b->fixed++;
    return combgpu_branch_join(b, edge);
}

/* Adds the edges of the list, already forced (`fresh`) or to be forced now, then draws all
   conclusions: a node with two forced edges needs no other edge; a node with two edges left needs
   both. */
COMBGPU__DEVICE uint32_t combgpu_branch_settle(combgpu_branch_t *b, uint32_t fresh)
{
    uint32_t fine = 1, i;
    for (i = 0; fine && i < b->counts[1]; i++)
        fine = fresh ? combgpu_branch_join(b, b->list[i]) : combgpu_branch_force(b, b->list[i]);
    while (fine && b->counts[0]) {
        uint32_t node = b->queue[--b->counts[0]], force = b->open[node] == 2;
        b->flag[node] = 0;
        if (b->open[node] == b->forced[node] || (!force && b->forced[node] < 2)) continue;
        for (i = b->begin[node]; fine && i < b->begin[node + 1]; i++) {
            uint32_t edge = b->incident[i];
            if (b->marks[edge] != COMBGPU__EDGE_FREE) continue;
            fine = force ? combgpu_branch_force(b, edge) : combgpu_branch_forbid(b, edge);
        }
    }
    return fine;
}
