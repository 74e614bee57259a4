/* The bound: an ascent over the multipliers of 1-trees. */

/* Words of a task: what it is, then counts of 64 bits each, then for each node what is listed. */
enum {
    COMBGPU__LARGE_TASK_KIND = 0,
    COMBGPU__LARGE_TASK_BEGUN = 1, /* of a tour: it is a local optimum */
    COMBGPU__LARGE_TASK_COUNT = 2, /* 1-trees made, or kicks tried */
    COMBGPU__LARGE_TASK_VALUE = 4, /* the best bound, or the tour's length */
    COMBGPU__LARGE_TASK_STEP = 6,  /* of the ascent, in units of the multipliers */
    COMBGPU__LARGE_TASK_DATA = 8   /* multipliers and last degrees; or the tour's cities */
};
enum { COMBGPU__LARGE_BOUND = 0, COMBGPU__LARGE_TOUR = 1 };

#define COMBGPU__LARGE_STEP ((int64_t)1 << 45) /* of the ascent, at most */
#define COMBGPU__LARGE_SHORT 300               /* 1-trees of the first part of a long ascent */
#define COMBGPU__LARGE_CHECK 25 /* 1-trees from one that is made of all edges to the next */

/* 1-trees of a whole ascent. */
COMBGPU__PRIVATE int combgpu__large_trees(const combgpu__large *large)
{
    int trees = 3000000 / (large->nodes + 1000), few = 200 + 20 * large->nodes;
    if (few < trees) trees = few;
    return trees / COMBGPU__LARGE_CHECK * COMBGPU__LARGE_CHECK;
}

COMBGPU__PRIVATE uint32_t combgpu__large_task_words(const combgpu__large *large)
{
    return COMBGPU__LARGE_TASK_DATA + 3 * (uint32_t)large->nodes;
}

/* A queue of nodes by the cost of joining the tree, as a binary heap (R. C. Prim, 1957). */
typedef struct combgpu__large_queue {
    int64_t *cost;                   /* of each node; NONE = not met */
    int *heap, *place, *from, count; /* place in the heap; -1 = not in it */
} combgpu__large_queue;

COMBGPU__PRIVATE void combgpu__large_rise(combgpu__large_queue *queue, int at)
{
    int v = queue->heap[at];
    while (at) {
        int up = (at - 1) / 2, u = queue->heap[up];
        if (queue->cost[u] <= queue->cost[v]) break;
        queue->heap[at] = u;
        queue->place[u] = at;
        at = up;
    }
    queue->heap[at] = v;
    queue->place[v] = at;
}

/* Removes and returns the node of least cost. */
COMBGPU__PRIVATE int combgpu__large_next(combgpu__large_queue *queue)
{
    int first = queue->heap[0], v = queue->heap[--queue->count], at = 0;
    while (2 * at + 1 < queue->count) {
        int down = 2 * at + 1, u;
        if (down + 1 < queue->count &&
            queue->cost[queue->heap[down + 1]] < queue->cost[queue->heap[down]])
            down++;
        u = queue->heap[down];
        if (queue->cost[u] >= queue->cost[v]) break;
        queue->heap[at] = u;
        queue->place[u] = at;
        at = down;
    }
    if (queue->count) {
        queue->heap[at] = v;
        queue->place[v] = at;
    }
    queue->place[first] = -1;
    return first;
}

/* Offers node u a way into the tree. */
COMBGPU__PRIVATE void combgpu__large_reach(combgpu__large_queue *queue, int from, int u,
                                           int64_t cost)
{
    if (cost >= queue->cost[u]) return;
    if (queue->cost[u] == COMBGPU__LARGE_NONE) {
        queue->place[u] = queue->count++;
        queue->heap[queue->place[u]] = u;
    }
    queue->cost[u] = cost;
    queue->from[u] = from;
    combgpu__large_rise(queue, queue->place[u]);
}

/* Makes the least spanning tree of the listed edges, without the special node. Fixed edges come
   first: they have a low cost in the queue. */
COMBGPU__PRIVATE void combgpu__large_sparse(const combgpu__large *large,
                                            combgpu__large_forest *forest,
                                            combgpu__large_queue *queue)
{
    const int64_t low = COMBGPU__LARGE_NONE / 2, *extra = forest->parts.extra;
    int v, i, k, s = large->special;
    forest->edges = 0;
    forest->cost = 0;
    queue->count = 0;
    for (v = 0; v < large->nodes; v++)
        queue->cost[v] = COMBGPU__LARGE_NONE;
    v = s ? 0 : 1;
    queue->cost[s] = queue->cost[v] = -COMBGPU__LARGE_NONE; /* never reached again */
    for (;;) {
        for (k = 0; k < 2; k++)
            if (large->fixed[v][k] >= 0)
                combgpu__large_reach(queue, v, large->fixed[v][k],
                                     combgpu__large_bent(large, forest, v, large->fixed[v][k]) -
                                         low);
        for (i = large->near_begin[v]; i < large->near_begin[v + 1]; i++) {
            int u = large->nearby[i];
            combgpu__large_reach(queue, v, u,
                                 large->near_cost[i] * ((int64_t)1 << large->fine) + extra[v] +
                                     extra[u]);
        }
        if (!queue->count) break;
        v = combgpu__large_next(queue);
        forest->edge[forest->edges][0] = queue->from[v];
        forest->edge[forest->edges++][1] = v;
        forest->cost += queue->cost[v] < -low / 2 ? queue->cost[v] + low : queue->cost[v];
        queue->cost[v] = -COMBGPU__LARGE_NONE;
    }
}

/* An ascent in memory of combgpu__large_bound_bytes. */
COMBGPU__PRIVATE size_t combgpu__large_bound_bytes(const combgpu__large *large)
{
    return (combgpu__large_forest_bytes(large) + 63) / 64 * 64 +
           (size_t)large->nodes * (sizeof(int64_t) + 3 * sizeof(int));
}

/* Moves the multipliers by the degrees of the last two 1-trees. */
COMBGPU__PRIVATE void combgpu__large_move(const combgpu__large *large,
                                          combgpu__large_forest *forest, int64_t step,
                                          uint32_t *last)
{
    int64_t *extra = forest->parts.extra, most = COMBGPU__LARGE_NONE >> 12;
    int v;
    for (v = 0; v < large->nodes; v++) {
        int now = forest->degree[v] - 2, before = (int)last[v] - 2;
        extra[v] += step * (7 * now + 3 * before) / 10;
        if (extra[v] > most) extra[v] = most;
        if (extra[v] < -most) extra[v] = -most;
        last[v] = (uint32_t)forest->degree[v];
    }
}

/* The step of a 1-tree: it falls to 0 in the end (T. Volgenant, R. Jonker, 1982). A long ascent is a short
   one first, whose bound is good if it is stopped soon, and goes on with a tenth of the steps. */
COMBGPU__PRIVATE int64_t combgpu__large_step(int64_t first, int64_t done, int64_t all)
{
    if (all > 2 * COMBGPU__LARGE_SHORT) {
        if (done >= COMBGPU__LARGE_SHORT) {
            done -= COMBGPU__LARGE_SHORT;
            all -= COMBGPU__LARGE_SHORT;
            first /= 10;
        } else
            all = COMBGPU__LARGE_SHORT;
    }
    return first * (all - done) / all * (2 * all - done) / (2 * all);
}

/* Makes 1-trees until `steps` are spent. A tree of the listed edges says where to go, and now and
   then one of all edges what is proven. Returns the number of trees. */
COMBGPU__PRIVATE int combgpu__large_ascend(const combgpu__large *large, uint32_t *task,
                                           void *memory, int trees)
{
    size_t nodes = (size_t)large->nodes;
    combgpu__large_forest forest;
    combgpu__large_queue queue;
    uint32_t *data = task + COMBGPU__LARGE_TASK_DATA;
    int64_t all = combgpu__large_trees(large),
            done = (int64_t)combgpu__get64(task + COMBGPU__LARGE_TASK_COUNT),
            best = (int64_t)combgpu__get64(task + COMBGPU__LARGE_TASK_VALUE),
            first = (int64_t)combgpu__get64(task + COMBGPU__LARGE_TASK_STEP);
    int made = 0;
    size_t v;
    combgpu__large_forest_at(large, memory, &forest);
    queue.cost =
        (int64_t *)(void *)((char *)memory + (combgpu__large_forest_bytes(large) + 63) / 64 * 64);
    queue.heap = (int *)(void *)(queue.cost + nodes);
    queue.place = queue.heap + nodes;
    queue.from = queue.place + nodes;
    for (v = 0; v < nodes; v++)
        forest.parts.extra[v] = (int64_t)combgpu__get64(data + 2 * v);
    for (; made < trees && done < all; made++, done++) {
        int64_t step = combgpu__large_step(first, done, all);
        int check = (done + 1) % COMBGPU__LARGE_CHECK == 0;
        int64_t bound;
        if (check)
            combgpu__large_tree(large, &forest);
        else
            combgpu__large_sparse(large, &forest, &queue);
        bound = combgpu__large_close(large, &forest);
        if (check && bound > best) best = bound;
        combgpu__large_move(large, &forest, step, data + 2 * nodes);
    }
    for (v = 0; v < nodes; v++)
        combgpu__put64(data + 2 * v, (uint64_t)forest.parts.extra[v]);
    combgpu__put64(task + COMBGPU__LARGE_TASK_COUNT, (uint64_t)done);
    combgpu__put64(task + COMBGPU__LARGE_TASK_VALUE, (uint64_t)best);
    return made;
}

/* Fills in the task of an ascent that begins. */
COMBGPU__PRIVATE void combgpu__large_bound_task(const combgpu__large *large, uint32_t *task)
{
    uint32_t *last = task + COMBGPU__LARGE_TASK_DATA + 2 * large->nodes;
    int64_t first = large->bound / (2 * large->nodes) + 1;
    int v;
    memset(task, 0, combgpu__large_task_words(large) * sizeof *task);
    task[COMBGPU__LARGE_TASK_KIND] = COMBGPU__LARGE_BOUND;
    combgpu__put64(task + COMBGPU__LARGE_TASK_VALUE, (uint64_t)large->bound);
    combgpu__put64(task + COMBGPU__LARGE_TASK_STEP,
                   (uint64_t)(first < COMBGPU__LARGE_STEP ? first : COMBGPU__LARGE_STEP));
    for (v = 0; v < large->nodes; v++)
        last[v] = 2;
}
