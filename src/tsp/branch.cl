/* ------------------------------------------------------------------------------- BRANCH */
#if defined(COMBGPU_KERNELS_BRANCH) || defined(COMBGPU__HAS_TSP)
/* Branch and bound for the travelling salesman (combgpu.h, SECTION 51): 32 lanes work on a node of
   the search tree. Results do not depend on the order of the lanes: of edges of equal cost the one
   with the smaller number counts as cheaper, so that every minimum tree is unique, and what follows
   from fixed edges is a closure. The C solver keeps the same rules: both make the same 1-trees. */
#define BRANCH_LANES 32u
#define BRANCH_STACK 64u /* open nodes of a worker */
#define BRANCH_FORCE ((i64)1 << 58)
#define BRANCH_INFINITE (~((i64)1 << 63))
#define BRANCH_MULTIPLIER ((i64)1 << 51)
#define BRANCH_OUTSIDE 0xffffu /* rank of a node that is not in the tree, edge of one not reached */
#define BRANCH_FREE 0u
#define BRANCH_FORBIDDEN 1u
#define BRANCH_FORCED 2u
/* what a worker does next: a new node; the ascent; fixing edges with the tree of the ascent's best
   multipliers; a last tree after the last fixing */
#define BRANCH_NEW 0u
#define BRANCH_ASCENT 1u
#define BRANCH_FIX 2u
#define BRANCH_LAST 3u

/* The graph, the worker's memory, and the fixing of edges, which lane 0 does alone. */
typedef struct branch_t {
    GLOBAL const u32 *tables;
    u32 nodes, edges;
    GLOBAL const u32 *ends, *begin, *incident; /* begin[node]: its edges in `incident` */
    GLOBAL const i64 *weights;
    GLOBAL i64 *best; /* multipliers */
    GLOBAL u32 *arcs; /* at begin[node]: node, edge << 9, forced << 31 */
    GLOBAL u8 *marks; /* of the edges */
    GLOBAL u32 *stack;
    LOCAL i64 *now, *key; /* multipliers; cost of the edge to the parent */
    LOCAL u32 *degree, *open, *flag;
    LOCAL u16 *parent, *parent_edge, *rank; /* of the tree, from node 0 */
    LOCAL u16 *forced, *other_end, *queue, *list;
    LOCAL u32 *counts; /* of queue, list */
#ifndef COMBGPU_SHUFFLE
    LOCAL i64 *lane_x;
    LOCAL u32 *lane_y;
#endif
    u32 fixed, forced_count;
} branch_t;

DEVICE i64 branch_cost(const branch_t *b, u32 edge)
{
    return b->weights[edge] + b->now[b->ends[edge] & 0xffff] + b->now[b->ends[edge] >> 16];
}

/* branch_least: the smallest (x, y) of the group, in all its lanes; branch_sum: the sum. */
#ifdef COMBGPU_SHUFFLE
DEVICE void branch_least(GROUP_PARAMETER, const branch_t *b, i64 *x, u32 *y)
{
    u64 bits = (u64)*x ^ (u64)1 << 63;
    u32 high = (u32)(bits >> 32), low = (u32)bits;
    u32 least_high = GROUP_MIN(high), least_low = GROUP_MIN(high == least_high ? low : NONE);
    (void)b;
    *y = GROUP_MIN(high == least_high && low == least_low ? *y : NONE);
    *x = (i64)(((u64)least_high << 32 | least_low) ^ (u64)1 << 63);
}

DEVICE i64 branch_sum(GROUP_PARAMETER, const branch_t *b, i64 x)
{
    u64 bits = (u64)x;
    u64 low = GROUP_ADD((u32)bits & 0xffffff), middle = GROUP_ADD((u32)(bits >> 24) & 0xffffff);
    u64 high = GROUP_ADD((u32)(bits >> 48));
    (void)b;
    return (i64)(low + (middle << 24) + (high << 48));
}
#else /* fewer barriers: PoCL takes long to compile each */
DEVICE void branch_least(GROUP_PARAMETER, const branch_t *b, i64 *x, u32 *y)
{
    u32 i;
    b->lane_x[GROUP_LANE] = *x;
    b->lane_y[GROUP_LANE] = *y;
    CREW_BARRIER();
    for (i = 0; i < BRANCH_LANES; i++)
        if (b->lane_x[i] < *x || (b->lane_x[i] == *x && b->lane_y[i] < *y)) {
            *x = b->lane_x[i];
            *y = b->lane_y[i];
        }
    CREW_BARRIER();
}

DEVICE i64 branch_sum(GROUP_PARAMETER, const branch_t *b, i64 x)
{
    u32 i;
    b->lane_x[GROUP_LANE] = x;
    CREW_BARRIER();
    for (i = 0, x = 0; i < BRANCH_LANES; i++)
        x += b->lane_x[i];
    CREW_BARRIER();
    return x;
}
#endif

