/* The kernels of branch and bound, and a worker's slice. */

/* A worker's mode: to begin a new node; the ascent; to fix edges by the tree of the ascent's best
   multipliers; to make the last tree after the last edges were fixed. */
#define COMBGPU__BRANCH_NEW 0u
#define COMBGPU__BRANCH_ASCENT 1u
#define COMBGPU__BRANCH_FIX 2u
#define COMBGPU__BRANCH_LAST 3u

/* A worker's state. */
typedef struct combgpu_branch_state_t {
    uint32_t count, mode;  /* count: nodes on the stack */
    int64_t grain, length; /* least gain of a better tour; length of the best tour */
    /* the current node's bound and share of the search; the ascent's best 1-tree, its trees so far and
       at most, trees since the best one, size of steps; rounds of ascent and fixing */
    int64_t bound, best;
    uint64_t share;
    uint32_t made, limit, waited, boldness, round;
    uint32_t trees, pending; /* trees: of the node; pending: the previous 1-tree fixed edges */
    /* the last 1-tree: degrees less 2; node 0's first child; the leaf with a second edge, that edge and
       its cost; number of edges that the tree forbade */
    int32_t *last;
    uint32_t first, special, second, forbidden;
    int64_t second_cost;
    /* this round begins a node; makes a 1-tree, which is a tour; the node is to branch; is done without
       children */
    uint32_t fresh, run, tour, branch, done;
    uint32_t steps, nodes; /* totals */
    uint64_t shares;
} combgpu_branch_state_t;

/* Fixes the edges of a new node, or those by the previous 1-tree. Returns 0 if no tour is left;
   *fixed gets the number of edges fixed. */
COMBGPU__DEVICE uint32_t combgpu_branch_fix(COMBGPU__GROUP_PARAMETER, combgpu_branch_t *b,
                                            uint32_t fresh, uint32_t pending, uint32_t *fixed)
{
    uint32_t fine = 1, fail;
    if (fresh) fine = combgpu_branch_degrees(COMBGPU__GROUP, b);
    COMBGPU__WARP_BARRIER();
    if (fresh || pending) fine &= combgpu_branch_queue(COMBGPU__GROUP, b);
    COMBGPU__WARP_BARRIER();
    fail = COMBGPU__GROUP_ANY(!fine);
    b->fixed = 0;
    if (fresh) b->forced_count = 0;
    if ((fresh || pending) && !fail && COMBGPU__GROUP_LANE == 0)
        fine = combgpu_branch_settle(b, fresh);
    COMBGPU__WARP_BARRIER();
    fail = COMBGPU__GROUP_ANY(!fine);
    *fixed = COMBGPU__GROUP_FROM(b->fixed, 0);
    if (COMBGPU__GROUP_LANE == 0) b->counts[0] = b->counts[1] = 0;
    return !fail;
}

/* Chooses the next mode after edges were fixed: the ascent or the last tree. Returns 1 if the node
   is to branch. */
COMBGPU__DEVICE uint32_t combgpu_branch_plan(combgpu_branch_state_t *s, uint32_t fixed)
{
    if (s->fresh) s->round = 0;
    if (s->pending && !fixed) return 1;
    if (s->pending && s->round && fixed < 3) {
        s->mode = COMBGPU__BRANCH_LAST;
        return 0;
    }
    s->limit = s->fresh ? 20 : s->limit * 2 / 3 + 3;
    s->boldness = s->fresh ? 1024 : 512;
    s->round += s->pending;
    s->made = s->waited = 0;
    s->best = -COMBGPU__BRANCH_FAR;
    s->mode = COMBGPU__BRANCH_ASCENT;
    return 0;
}

/* Makes a step of the ascent after a 1-tree of this value. Returns 1 if the 1-tree is a tour. */
COMBGPU__DEVICE uint32_t combgpu_branch_ascend(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                               uint32_t rows, combgpu_branch_state_t *s,
                                               int64_t value, uint32_t squares)
{
    uint32_t end = 1, tour = 0, i;
    s->waited++;
    if (value > s->best) {
        s->best = value;
        s->waited = 0;
        for (i = COMBGPU__GROUP_LANE; value != COMBGPU__BRANCH_FAR && i < b->nodes;
             i += COMBGPU__BRANCH_LANES)
            b->best[i] = b->now[i];
    }
    if (value <= s->length - s->grain) {
        tour = !squares;
        if (squares && s->made + 1 < s->limit) {
            if (s->waited >= 3) {
                s->boldness = s->boldness * 7 / 10;
                s->waited = 0;
            }
            end = s->boldness < 2;
        }
    }
    if (!end)
        combgpu_branch_move(COMBGPU__GROUP, b, rows, s->last, s->length - value, squares,
                            s->boldness, s->made++);
    else {
        for (i = COMBGPU__GROUP_LANE; i < b->nodes; i += COMBGPU__BRANCH_LANES)
            b->now[i] = b->best[i];
        if (s->best > s->bound) s->bound = s->best;
        s->mode = COMBGPU__BRANCH_FIX;
    }
    return tour;
}

/* Returns the node to branch on: of those of degree 3 or more in the 1-tree, the one with the
   fewest free edges. COMBGPU__NONE: the 1-tree is a tour. */
COMBGPU__DEVICE uint32_t combgpu_branch_fork(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                             uint32_t run)
{
    uint32_t least = COMBGPU__NONE, i;
    for (i = COMBGPU__GROUP_LANE; run && i < b->nodes; i += COMBGPU__BRANCH_LANES) {
        uint32_t rated = (b->open[i] - b->forced[i]) << 9 | i;
        if (b->degree[i] >= 3 && rated < least) least = rated;
    }
    least = COMBGPU__GROUP_MIN(least);
    return run && least != COMBGPU__NONE ? least & 511 : COMBGPU__NONE;
}

/* Pushes the children of a node on the stack and returns their number. */
COMBGPU__DEVICE uint32_t combgpu_branch_children(COMBGPU__GROUP_PARAMETER,
                                                 const combgpu_branch_t *b,
                                                 COMBGPU__GLOBAL uint32_t *to, uint32_t words,
                                                 uint32_t fork, uint32_t second, int64_t bound,
                                                 uint64_t share)
{
    const uint32_t e0 = combgpu_branch_dearest(COMBGPU__GROUP, b, fork, second, COMBGPU__NONE);
    const uint32_t e1 = combgpu_branch_dearest(COMBGPU__GROUP, b, fork, second, e0);
    uint32_t children = fork == COMBGPU__NONE ? 0 : b->forced[fork] ? 2 : 3, i;
    for (i = 0; i < children; i++) {
        combgpu_branch_pack(COMBGPU__GROUP, b, to + i * words, bound,
                            share / children + (i ? 0 : share % children), e0,
                            i ? COMBGPU__EDGE_FORCED : COMBGPU__EDGE_FORBIDDEN, e1,
                            !i || children == 2 ? COMBGPU__EDGE_FREE
                            : i == 1            ? COMBGPU__EDGE_FORBIDDEN
                                                : COMBGPU__EDGE_FORCED);
        if (b->number && COMBGPU__GROUP_LANE == 0) to[i * words + words - 1] = b->number;
    }
    return children;
}

/* Sets the pointers to a graph in the tables. */
COMBGPU__DEVICE void combgpu_branch_graph(combgpu_branch_t *b,
                                          COMBGPU__GLOBAL const uint32_t *tables)
{
    uint32_t nodes = tables[COMBGPU__BRANCH_AT_NODES], edges = tables[COMBGPU__BRANCH_AT_EDGES];
    b->tables = tables;
    b->nodes = nodes;
    b->edges = edges;
    b->ends = tables + COMBGPU__BRANCH_AT_ENDS;
    b->begin = b->ends + edges;
    b->incident = b->begin + nodes + 1;
    b->weights =
        (COMBGPU__GLOBAL const int64_t *)(tables + COMBGPU__BRANCH_AT_WEIGHTS(nodes, edges));
}

/* Turns to the graph of instance `number` of a batch. */
COMBGPU__DEVICE void combgpu_branch_turn(combgpu_branch_t *b, combgpu_branch_state_t *s,
                                         COMBGPU__GLOBAL const uint32_t *tables, uint32_t number)
{
    b->number = number;
    combgpu_branch_graph(
        b, tables + combgpu_load64(tables + COMBGPU__BATCH_AT_GRAPHS + 2 * (uint64_t)(number - 1)));
    s->grain = (int64_t)combgpu_load64(b->tables + COMBGPU__BRANCH_AT_GRAIN);
    s->length = (int64_t)combgpu_load64(b->tables + COMBGPU__BRANCH_AT_LENGTH);
}

/* Finds a node of the search tree for the next round: the current one, the stack's last, or a task.
   Returns 0 if there is none or the worker's budget is spent. */
COMBGPU__DEVICE uint32_t combgpu_branch_next(COMBGPU__GROUP_PARAMETER,
                                             COMBGPU__GLOBAL combgpu__slice *slice,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL const uint32_t *tasks,
                                             combgpu_branch_t *b, combgpu_branch_state_t *s,
                                             uint32_t many)
{
    const uint32_t words = slice->task_words, busy = COMBGPU__GROUP_INDEX < slice->workers;
    const uint32_t want = s->mode == COMBGPU__BRANCH_NEW;
    COMBGPU__GLOBAL uint32_t *top = b->stack;
    uint32_t fail, task, over, i;
    fail = COMBGPU__GROUP_FROM(COMBGPU__GROUP_LANE == 0 ? combgpu_spent(slice, s->steps) : 0, 0);
    fail |= (uint32_t)(!busy | (s->count + 3 > (uint32_t)COMBGPU__BRANCH_OPEN));
    task = COMBGPU__GROUP_TAKE(slice, want & (uint32_t)(!s->count & !fail));
    over = want ? (s->count ? fail : task == COMBGPU__NONE) : 0;
    for (i = COMBGPU__GROUP_LANE; task != COMBGPU__NONE && i < words; i += COMBGPU__BRANCH_LANES)
        b->stack[i] = tasks[(uint64_t)task * words + i];
    s->count += task != COMBGPU__NONE;
    COMBGPU__WARP_BARRIER();
    if (many && task != COMBGPU__NONE) combgpu_branch_turn(b, s, tables, b->stack[words - 1]);
    s->fresh = s->done = 0;
    if (want && !over) {
        top += --s->count * words;
        s->bound = (int64_t)combgpu_load64(top + COMBGPU__BRANCH_TASK_BOUND);
        s->share = combgpu_load64(top + COMBGPU__BRANCH_TASK_SHARE);
        s->fresh = s->bound <= s->length - s->grain;
        s->done = !s->fresh;
    }
    if (s->fresh) combgpu_branch_unpack(COMBGPU__GROUP, b, top);
    COMBGPU__WARP_BARRIER();
    return !over;
}

/* Fixes edges, and decides what the round does with the node. */
COMBGPU__DEVICE void combgpu_branch_prepare(COMBGPU__GROUP_PARAMETER, combgpu_branch_t *b,
                                            combgpu_branch_state_t *s)
{
    const uint32_t changed = s->fresh || s->pending;
    uint32_t fixed, fine = combgpu_branch_fix(COMBGPU__GROUP, b, s->fresh, s->pending, &fixed);
    s->nodes += s->fresh;
    s->branch = 0;
    if (changed && !fine)
        s->done = 1;
    else if (changed)
        s->branch = combgpu_branch_plan(s, s->forbidden + fixed);
    s->run = !s->done && !s->branch;
    if (s->run && changed) combgpu_branch_arcs(COMBGPU__GROUP, b);
    s->pending = 0;
    COMBGPU__WARP_BARRIER();
}

/* Makes a 1-tree if the round does, and draws its conclusions. */
COMBGPU__DEVICE void combgpu_branch_relax(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                          combgpu_branch_state_t *s, uint32_t rows)
{
    uint32_t run = s->run, squares = 0, i;
    int64_t total = combgpu_branch_spanning_tree(COMBGPU__GROUP, b, rows, run, &s->first);
    int64_t value = combgpu_branch_one_tree(COMBGPU__GROUP, b, rows, run, total, s->first,
                                            &s->special, &s->second, &s->second_cost);
    s->trees += run;
    for (i = COMBGPU__GROUP_LANE; i < b->nodes; i += COMBGPU__BRANCH_LANES)
        squares += (b->degree[i] - 2) * (b->degree[i] - 2);
    squares = COMBGPU__GROUP_ADD(squares);
    s->tour = 0;
    if (run && s->mode == COMBGPU__BRANCH_ASCENT) {
        s->tour = combgpu_branch_ascend(COMBGPU__GROUP, b, rows, s, value, squares);
        if (s->mode == COMBGPU__BRANCH_FIX) s->done = s->tour || s->bound > s->length - s->grain;
        run = 0;
    }
    COMBGPU__WARP_BARRIER();
    if (run && s->mode == COMBGPU__BRANCH_FIX) s->pending = 1;
    s->forbidden =
        combgpu_branch_reduce(COMBGPU__GROUP, b, s->pending, s->length - s->grain - value, s->first,
                              s->special, s->second, s->second_cost);
    if (run && s->mode == COMBGPU__BRANCH_LAST) {
        s->branch = value <= s->length - s->grain;
        s->done = !s->branch;
    }
}

/* Ends the node if this round does: children, a tour, or nothing. */
COMBGPU__DEVICE void combgpu_branch_close(COMBGPU__GROUP_PARAMETER,
                                          COMBGPU__GLOBAL combgpu__slice *slice,
                                          const combgpu_branch_t *b, combgpu_branch_state_t *s,
                                          COMBGPU__GLOBAL uint32_t *records)
{
    const uint32_t words = slice->task_words;
    const uint32_t fork = combgpu_branch_fork(COMBGPU__GROUP, b, s->branch);
    int64_t length = s->length;
    uint32_t again;
    if (s->branch && fork == COMBGPU__NONE) s->tour = 1;
    s->count += combgpu_branch_children(COMBGPU__GROUP, b, b->stack + s->count * words, words, fork,
                                        s->second, s->bound, s->share);
    if (s->tour && COMBGPU__GROUP_LANE == 0)
        length = combgpu_branch_tour(slice, b, records, s->second, s->length);
    again = COMBGPU__GROUP_FROM((uint32_t)((uint64_t)length >> 32), 0);
    length = (int64_t)((uint64_t)again << 32 | COMBGPU__GROUP_FROM((uint32_t)length, 0));
    again = s->tour && length == s->length; /* no room for the record: find it again */
    s->length = length;
    if (again) {
        s->count++;
        s->nodes--;
    } else if (s->tour || s->done)
        s->shares += s->share;
    if (s->tour || s->done || fork != COMBGPU__NONE) {
        if (!again) s->steps += s->trees;
        s->trees = 0;
        s->mode = COMBGPU__BRANCH_NEW;
    }
}

/* A worker's slice. Each round makes a 1-tree of the current node, or begins or ends a node. With
   `many`, the nodes are of many instances, and a worker's stack of one. */
COMBGPU__DEVICE void combgpu_branch_slice(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS,
                                          combgpu_branch_t *b, uint32_t rows, uint32_t many)
{
    const uint32_t words = slice->task_words;
    int32_t last[9];
    combgpu_branch_state_t s;
    uint32_t i;
    (void)work;
    s.count = s.steps = s.nodes = s.trees = s.forbidden = 0;
    s.first = s.special = s.second = 0;
    s.second_cost = 0;
    s.shares = s.share = 0;
    s.grain = (int64_t)combgpu_load64(tables + COMBGPU__BRANCH_AT_GRAIN);
    s.length = (int64_t)combgpu_load64(tables + COMBGPU__BRANCH_AT_LENGTH);
    s.bound = s.best = 0;
    s.made = s.limit = s.waited = s.boldness = s.round = s.pending = 0;
    s.mode = COMBGPU__BRANCH_NEW;
    s.last = last;
    for (i = 0; i < 9; i++)
        last[i] = 0;
    if (COMBGPU__GROUP_LANE == 0) b->counts[0] = b->counts[1] = 0;
    while (combgpu_branch_next(COMBGPU__GROUP, slice, tables, tasks, b, &s, many)) {
        combgpu_branch_prepare(COMBGPU__GROUP, b, &s);
        combgpu_branch_relax(COMBGPU__GROUP, b, &s, rows);
        combgpu_branch_close(COMBGPU__GROUP, slice, b, &s, records);
    }
    while (s.count) { /* deepest first: the next slice takes them first */
        uint32_t at = COMBGPU__GROUP_GIVE(slice, 1);
        s.count--;
        for (i = COMBGPU__GROUP_LANE; i < words; i += COMBGPU__BRANCH_LANES)
            left[(uint64_t)at * words + i] = b->stack[s.count * words + i];
    }
    if (COMBGPU__GROUP_LANE == 0) {
        combgpu_add_total(slice, 0, s.steps);
        if (!many) combgpu_add_total(slice, COMBGPU__BRANCH_S_NODES, s.nodes);
        combgpu_add_total(slice, COMBGPU__BRANCH_S_SHARES, s.shares);
    }
}

/* Sets the pointers to the graph in `tables` and to the worker's memory; of a batch, the tables begin
   with the most nodes and edges of a graph. */
COMBGPU__DEVICE void combgpu_branch_layout(COMBGPU__GROUP_PARAMETER, combgpu_branch_t *b,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL uint32_t *work, uint32_t task_words)
{
    uint32_t nodes = tables[COMBGPU__BRANCH_AT_NODES], edges = tables[COMBGPU__BRANCH_AT_EDGES];
    work += (uint64_t)COMBGPU__GROUP_INDEX * COMBGPU__BRANCH_WORK_WORDS(nodes, edges, task_words);
    combgpu_branch_graph(b, tables);
    b->best = (COMBGPU__GLOBAL int64_t *)work;
    b->arcs = work + 2 * nodes;
    b->marks = (COMBGPU__GLOBAL uint8_t *)(b->arcs + 2 * edges);
    b->stack = b->arcs + 2 * edges + COMBGPU__BRANCH_MARK_WORDS(edges);
    b->fixed = b->forced_count = b->number = 0;
}

#ifdef COMBGPU__PACKED
#define COMBGPU__BRANCH_SCRATCH
#define COMBGPU__BRANCH_SCRATCH_SET
#else
#define COMBGPU__BRANCH_SCRATCH                                                                    \
    COMBGPU__LOCAL_ARRAY int64_t lane_x[32];                                                       \
    COMBGPU__LOCAL_ARRAY uint32_t lane_y[32];
#define COMBGPU__BRANCH_SCRATCH_SET                                                                \
    b.lane_x = lane_x;                                                                             \
    b.lane_y = lane_y;
#endif
#define COMBGPU__BRANCH_KERNEL(ROWS, MANY)                                                         \
    COMBGPU__LOCAL_ARRAY int64_t now[32 * ROWS], key[32 * ROWS];                                   \
    COMBGPU__LOCAL_ARRAY uint32_t degree[32 * ROWS], open[32 * ROWS], flag[32 * ROWS], counts[2];  \
    COMBGPU__LOCAL_ARRAY uint16_t parent[32 * ROWS], parent_edge[32 * ROWS], rank[32 * ROWS];      \
    COMBGPU__LOCAL_ARRAY uint16_t forced[32 * ROWS], other_end[32 * ROWS], queue[32 * ROWS],       \
        list[32 * ROWS];                                                                           \
    COMBGPU__BRANCH_SCRATCH                                                                        \
    combgpu_branch_t b;                                                                            \
    COMBGPU__GROUP_BEGIN(32);                                                                      \
    combgpu_branch_layout(COMBGPU__GROUP, &b, tables, work, slice->task_words);                    \
    b.now = now;                                                                                   \
    b.key = key;                                                                                   \
    b.degree = degree;                                                                             \
    b.open = open;                                                                                 \
    b.flag = flag;                                                                                 \
    b.parent = parent;                                                                             \
    b.parent_edge = parent_edge;                                                                   \
    b.rank = rank;                                                                                 \
    b.forced = forced;                                                                             \
    b.other_end = other_end;                                                                       \
    b.queue = queue;                                                                               \
    b.list = list;                                                                                 \
    b.counts = counts;                                                                             \
    COMBGPU__BRANCH_SCRATCH_SET                                                                    \
    combgpu_branch_slice(COMBGPU__GROUP, slice, tables, tasks, left, records, work, &b, ROWS, MANY)

/* A block is one group: its local memory is the worker's. */
COMBGPU__KERNEL combgpu_tsp_branch(COMBGPU__SLICE_ARGUMENTS) /* up to 128 nodes */
{
    COMBGPU__BRANCH_KERNEL(COMBGPU__BRANCH_NARROW / 32, 0);
}

COMBGPU__KERNEL combgpu_tsp_branch_wide(COMBGPU__SLICE_ARGUMENTS) /* up to 288 */
{
    COMBGPU__BRANCH_KERNEL(9, 0);
}

COMBGPU__KERNEL combgpu_tsp_branch_batch(COMBGPU__SLICE_ARGUMENTS) /* up to 128, many instances */
{
    COMBGPU__BRANCH_KERNEL(COMBGPU__BRANCH_NARROW / 32, 1);
}
