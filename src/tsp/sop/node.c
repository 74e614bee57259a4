/* Tours with precedence: the search tree, and its C solver.

   A node is the beginning of an order. Its children go on with each city that may come next. A
   child is dropped if its cost and the bound of the rest reach the best tour, or if a beginning with
   the same cities and the same last one was as cheap. */

#define COMBGPU__SOP_STACK 512 /* tasks that a worker holds before it pushes more, at most */

/* Words of a task: bound, cost, share of the whole search (2^62 = all), 64 bits each; the number of
   cities; the cities, 4 a word. */
enum {
    COMBGPU__SOP_TASK_BOUND = 0,
    COMBGPU__SOP_TASK_COST = 2,
    COMBGPU__SOP_TASK_SHARE = 4,
    COMBGPU__SOP_TASK_COUNT = 6,
    COMBGPU__SOP_TASK_CITIES = 7
};

/* Totals of slices after the steps. */
enum { COMBGPU__SOP_S_FRESH = 1, COMBGPU__SOP_S_SHARES = 2, COMBGPU__SOP_S_NODES = 3 };

#define COMBGPU__SOP_STEP 1024 /* relaxations of a pass that count as one step */

typedef struct combgpu__sop {
    combgpu__tsp_terms terms;
    combgpu__sop_form form;
    combgpu__sop_bounds bounds;
    combgpu__sop_history history;
    combgpu__tsp_cities free[COMBGPU__SOP_MOST]; /* before[] as the caller has it: without twins */
    int64_t length;                              /* of the best tour; atomic */
    combgpu__lock lock;                          /* for those that improve it */
    int ascending;        /* worker 0 raises the bounds while others wait; set between slices */
    int64_t gap;          /* when the bounds last rested, units */
    uint64_t nodes_until; /* until then the bounds rest */
    int order[COMBGPU__SOP_MOST]; /* the first tour */
    uint64_t table_limit;
} combgpu__sop;

COMBGPU__PRIVATE uint32_t combgpu__sop_task_words(int m)
{
    return COMBGPU__SOP_TASK_CITIES + (uint32_t)(m + 3) / 4;
}

COMBGPU__INLINE int combgpu__sop_city(const uint32_t *cities, int i)
{
    return (int)(cities[i / 4] >> i % 4 * 8 & 255);
}

typedef struct combgpu__sop_child {
    int64_t bound, cost;
    int city;
} combgpu__sop_child;

/* An unpacked node. */
typedef struct combgpu__sop_node {
    int count, last;
    int64_t cost, prices; /* prices of the cities that are left, units */
    combgpu__tsp_cities set;
} combgpu__sop_node;

COMBGPU__PRIVATE void combgpu__sop_unpack(const combgpu__sop *sop, const uint32_t *task,
                                          combgpu__sop_node *node)
{
    int i;
    memset(node, 0, sizeof *node);
    node->count = (int)task[COMBGPU__SOP_TASK_COUNT];
    node->cost = (int64_t)combgpu__get64(task + COMBGPU__SOP_TASK_COST);
    node->last = node->count ? combgpu__sop_city(task + COMBGPU__SOP_TASK_CITIES, node->count - 1)
                             : sop->form.m;
    for (i = 0; i < node->count; i++)
        combgpu__tsp_cities_add(&node->set, combgpu__sop_city(task + COMBGPU__SOP_TASK_CITIES, i));
    for (i = 0; i < sop->form.m; i++)
        if (!combgpu__tsp_cities_has(&node->set, i)) node->prices += sop->bounds.price[i];
}

/* Returns a bound of the tours below a node. The bounds may have risen since it was pushed. */
COMBGPU__PRIVATE int64_t combgpu__sop_bound(const combgpu__sop *sop, const combgpu__sop_node *node)
{
    const combgpu__sop_bounds *b = &sop->bounds;
    int32_t rest;
    if (!node->count) return combgpu__sop_whole(b, b->bound);
    rest =
        combgpu__sop_row(b, node->count, node->last)[combgpu__sop_seen(b, node->last, &node->set)];
    return rest >= COMBGPU__SOP_FAR ? INT64_MAX
                                    : node->cost + combgpu__sop_whole(b, rest - node->prices);
}

/* Returns child `city` of a node, with bound INT64_MAX if it cannot come next. */
COMBGPU__INLINE combgpu__sop_child combgpu__sop_child_of(const combgpu__sop *sop,
                                                         const combgpu__sop_node *node, int city)
{
    const combgpu__sop_bounds *b = &sop->bounds;
    combgpu__sop_child child;
    int32_t rest;
    child.city = city;
    child.cost = 0;
    child.bound = INT64_MAX;
    if (combgpu__tsp_cities_has(&node->set, city) ||
        !combgpu__tsp_cities_within(&sop->form.before[city], &node->set))
        return child;
    rest = combgpu__sop_row(b, node->count + 1, city)[combgpu__sop_seen(b, city, &node->set)];
    if (rest >= COMBGPU__SOP_FAR) return child;
    child.cost = node->cost + combgpu__sop_cost(&sop->form, node->last, city);
    child.bound = child.cost + combgpu__sop_whole(b, rest - (node->prices - b->price[city]));
    return child;
}

/* Lists the children that may lead to a tour shorter than `length`, dearest first. */
COMBGPU__PRIVATE int combgpu__sop_children(combgpu__sop *sop, const combgpu__sop_node *node,
                                           int64_t length, combgpu__sop_child *children,
                                           uint64_t *fresh)
{
    const combgpu__sop_bounds *b = &sop->bounds;
    int from = node->count ? b->arc_begin[node->last] : 0;
    int to = node->count ? b->arc_begin[node->last + 1] : b->m, count = 0, a, k;
    for (a = from; a < to; a++) {
        combgpu__sop_child child = combgpu__sop_child_of(sop, node, node->count ? b->arc_to[a] : a);
        combgpu__tsp_cities set = node->set;
        if (child.bound >= length) continue;
        combgpu__tsp_cities_add(&set, child.city);
        if (!combgpu__sop_ask(&sop->history, &set, child.city, node->count + 1, child.cost, 1,
                              fresh))
            continue;
        for (k = count++; k > 0 && children[k - 1].bound < child.bound; k--)
            children[k] = children[k - 1];
        children[k] = child;
    }
    return count;
}

/* Goes down to the child with the least bound, over and over. Returns 0 in a dead end. */
COMBGPU__PRIVATE int combgpu__sop_down(const combgpu__sop *sop, int *order)
{
    const combgpu__sop_bounds *b = &sop->bounds;
    combgpu__sop_node node;
    int i, a;
    memset(&node, 0, sizeof node);
    node.last = b->m;
    for (i = 0; i < b->m; i++)
        node.prices += b->price[i];
    while (node.count < b->m) {
        int from = node.count ? b->arc_begin[node.last] : 0;
        int to = node.count ? b->arc_begin[node.last + 1] : b->m;
        combgpu__sop_child best;
        best.bound = INT64_MAX;
        best.cost = 0;
        best.city = 0;
        for (a = from; a < to; a++) {
            combgpu__sop_child child =
                combgpu__sop_child_of(sop, &node, node.count ? b->arc_to[a] : a);
            if (child.bound < best.bound) best = child;
        }
        if (best.bound == INT64_MAX) return 0;
        order[node.count++] = node.last = best.city;
        node.cost = best.cost;
        node.prices -= b->price[best.city];
        combgpu__tsp_cities_add(&node.set, best.city);
    }
    return 1;
}

/* Publishes a better tour to the other workers and emits it. Returns 0 without room. */
COMBGPU__PRIVATE int combgpu__sop_publish(combgpu__worker *worker, combgpu__sop *sop,
                                          const uint32_t *task, int64_t length)
{
    uint32_t record[2 + COMBGPU__SOP_MOST / 4];
    int fine = 1;
    combgpu__put64(record, (uint64_t)length);
    memcpy(record + 2, task + COMBGPU__SOP_TASK_CITIES,
           (size_t)(sop->form.m + 3) / 4 * sizeof *record);
    combgpu__lock_take(&sop->lock);
    if (length < sop->length) {
        fine = combgpu__emit(worker, record);
        if (fine) combgpu__shared64_set(&sop->length, length);
    }
    combgpu__lock_free(&sop->lock);
    return fine;
}

/* Pushes the children of a task, which is at *stack; each gets a part of its share. */
COMBGPU__PRIVATE int combgpu__sop_push(const uint32_t *task, const combgpu__sop_child *children,
                                       int count, uint32_t words, uint32_t *stack)
{
    uint64_t share = combgpu__get64(task + COMBGPU__SOP_TASK_SHARE), part;
    uint32_t *cities = stack + COMBGPU__SOP_TASK_CITIES;
    int place = (int)task[COMBGPU__SOP_TASK_COUNT], i;
    part = count ? share / (uint64_t)count : 0;
    for (i = 0; i < count; i++, stack += words, cities += words) {
        memcpy(stack, task, words * sizeof *stack);
        combgpu__put64(stack + COMBGPU__SOP_TASK_BOUND, (uint64_t)children[i].bound);
        combgpu__put64(stack + COMBGPU__SOP_TASK_COST, (uint64_t)children[i].cost);
        combgpu__put64(stack + COMBGPU__SOP_TASK_SHARE, part + (i ? 0 : share % (uint64_t)count));
        stack[COMBGPU__SOP_TASK_COUNT] = (uint32_t)place + 1;
        cities[place / 4] &= ~((uint32_t)255 << place % 4 * 8);
        cities[place / 4] |= (uint32_t)children[i].city << place % 4 * 8;
    }
    return count;
}

/* Processes the top of a stack of *held tasks. */
COMBGPU__PRIVATE void combgpu__sop_step(combgpu__worker *worker, combgpu__sop *sop, uint32_t *stack,
                                        int *held)
{
    uint32_t words = worker->slice->task_words;
    uint32_t task[COMBGPU__SOP_TASK_CITIES + COMBGPU__SOP_MOST / 4];
    combgpu__sop_child children[COMBGPU__SOP_MOST];
    combgpu__sop_node node;
    int64_t length, bound, whole;
    int count = 0;
    stack += (size_t)(*held - 1) * words;
    memcpy(task, stack, words * sizeof *task);
    length = combgpu__shared64(&sop->length);
    combgpu__sop_unpack(sop, task, &node);
    bound = combgpu__sop_bound(sop, &node);
    if (bound < length &&
        (!node.count || combgpu__sop_ask(&sop->history, &node.set, node.last, node.count, node.cost,
                                         0, &worker->totals[COMBGPU__SOP_S_FRESH]))) {
        if (node.count == sop->form.m) {
            whole = node.cost + combgpu__sop_cost(&sop->form, node.last, sop->form.m);
            if (!combgpu__sop_publish(worker, sop, task, whole)) return; /* found again later */
        } else
            count = combgpu__sop_children(sop, &node, length, children,
                                          &worker->totals[COMBGPU__SOP_S_FRESH]);
        worker->totals[0]++;
        worker->totals[COMBGPU__SOP_S_NODES]++;
    }
    if (!count)
        worker->totals[COMBGPU__SOP_S_SHARES] += combgpu__get64(task + COMBGPU__SOP_TASK_SHARE);
    *held += combgpu__sop_push(task, children, count, words, stack) - 1;
}

/* Raises the bounds, in worker 0; a pass counts as the steps that take as long. */
COMBGPU__PRIVATE void combgpu__sop_raise(combgpu__worker *worker, combgpu__sop *sop)
{
    combgpu__sop_bounds *b = &sop->bounds;
    int settled = 0;
    if (worker->index) return;
    while (!settled && !combgpu__spent(worker)) {
        settled = b->finished || b->steps >= b->until;
        if (settled)
            combgpu__sop_settle(b);
        else
            combgpu__sop_pass(b);
        worker->totals[0] += 1 + b->pass_steps / COMBGPU__SOP_STEP;
        b->steps += 1 + b->pass_steps / COMBGPU__SOP_STEP;
    }
    b->settled = settled;
}

COMBGPU__PRIVATE void combgpu__sop_solve(combgpu__worker *worker)
{
    combgpu__sop *sop = (combgpu__sop *)combgpu__state(worker->job);
    uint32_t words = worker->slice->task_words, *stack;
    int held = 0;
    if (!worker->slice->task_count) return;
    if (sop->ascending) {
        combgpu__sop_raise(worker, sop);
        return;
    }
    stack = (uint32_t *)(void *)((char *)worker->work +
                                 worker->index * combgpu__desc(worker->job)->work_bytes_per_worker);
    for (;;) {
        if (!held) {
            const uint32_t *task = combgpu__take(worker);
            if (!task) break;
            memcpy(stack, task, words * sizeof *stack);
            held = 1;
        }
        if (combgpu__spent(worker) || held >= COMBGPU__SOP_STACK) break;
        combgpu__sop_step(worker, sop, stack, &held);
    }
    while (held--) /* deepest first: the next slice takes them first */
        combgpu__give(worker, stack + (size_t)held * words);
}
