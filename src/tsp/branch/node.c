/* The search tree of branch and bound, and its C solver. */

/* Bounds the node of the search tree in `work` and fixes edges. Returns 0 if no tour of interest is
   left in it; otherwise the 1-tree is that of work->multipliers. */
COMBGPU__PRIVATE int combgpu__branch_evaluate(combgpu__branch_work *work, int64_t *bound)
{
    int steps = 20, round;
    for (round = 0;; round++) {
        int before = work->fixed;
        int64_t found;
        combgpu__branch_arcs(work);
        found = combgpu__branch_ascend(work, steps, steps, 3, round ? 512 : 1024);
        if (found > *bound) *bound = found;
        if (*bound > combgpu__branch_threshold(work)) return 0;
        found = combgpu__branch_one_tree(work, work->multipliers);
        if (!combgpu__branch_reduce(work, found)) return 0;
        if (work->fixed == before) return 1;
        if (round && work->fixed - before < 3) break;
        steps = steps * 2 / 3 + 3;
    }
    combgpu__branch_arcs(work);
    return combgpu__branch_one_tree(work, work->multipliers) <= combgpu__branch_threshold(work);
}

COMBGPU__PRIVATE void combgpu__branch_pack(const combgpu__branch_graph *graph, int64_t bound,
                                           uint64_t share, const int64_t *multipliers,
                                           const unsigned char *marks, uint32_t *task)
{
    int i;
    combgpu__put64(task, (uint64_t)bound);
    combgpu__put64(task + 2, share);
    task += 4;
    for (i = 0; i < graph->nodes; i++, task += 2)
        combgpu__put64(task, (uint64_t)multipliers[i]);
    memset(task, 0, ((size_t)graph->edges + 15) / 16 * sizeof(uint32_t));
    for (i = 0; i < graph->edges; i++)
        task[i / 16] |= (uint32_t)marks[i] << i % 16 * 2;
}

COMBGPU__PRIVATE void combgpu__branch_unpack(combgpu__branch_work *work, const uint32_t *task)
{
    const combgpu__branch_graph *graph = work->graph;
    int i;
    task += 4;
    for (i = 0; i < graph->nodes; i++, task += 2)
        work->multipliers[i] = (int64_t)combgpu__get64(task);
    for (i = 0; i < graph->edges; i++)
        work->marks[i] = (unsigned char)(task[i / 16] >> i % 16 * 2 & 3);
}

COMBGPU__PRIVATE uint32_t *combgpu__branch_top(combgpu__branch_work *work)
{
    return work->stack + (size_t)work->stack_count *
                             combgpu__branch_task_words(work->graph->nodes, work->graph->edges);
}

/* Returns the node to branch on: of those of degree 3 or more in the 1-tree, the one with the
   fewest free edges; -1 if the 1-tree is a tour. edges[] gets the node's two most expensive free
   edges in the 1-tree. */
COMBGPU__PRIVATE int combgpu__branch_choose(const combgpu__branch_work *work, int edges[2])
{
    int64_t costs[2] = {-COMBGPU__BRANCH_INFINITE, -COMBGPU__BRANCH_INFINITE};
    int chosen = -1, fewest = INT_MAX, i;
    for (i = 0; i < work->outer_count; i++) {
        int node = work->outer[i], open = work->open_degree[node] - work->forced_degree[node];
        if (work->degree[node] < 3 || open >= fewest) continue;
        chosen = node;
        fewest = open;
    }
    edges[0] = edges[1] = -1;
    if (chosen < 0) return chosen;
    for (i = work->arc_begin[chosen]; i < work->arc_begin[chosen + 1]; i++) {
        const combgpu__branch_arc *arc = work->arcs + i;
        int64_t cost = arc->weight + work->multipliers[arc->to];
        if (!combgpu__branch_in_tree(work, arc->edge)) continue;
        if (cost > costs[0]) {
            costs[1] = costs[0];
            edges[1] = edges[0];
            costs[0] = cost;
            edges[0] = arc->edge;
        } else if (cost > costs[1]) {
            costs[1] = cost;
            edges[1] = arc->edge;
        }
    }
    return chosen;
}

/* Pushes the children: without the first edge; with it but without the second; with both. If an
   edge is forced already: without and with the first. The last child is explored first. */
COMBGPU__PRIVATE void combgpu__branch_children(combgpu__branch_work *work, int node,
                                               const int edges[2], int64_t bound, uint64_t share)
{
    int children = work->forced_degree[node] ? 2 : 3, i;
    for (i = 0; i < children; i++) {
        work->marks[edges[0]] = i ? COMBGPU__EDGE_FORCED : COMBGPU__EDGE_FORBIDDEN;
        if (i && children == 3)
            work->marks[edges[1]] = i == 1 ? COMBGPU__EDGE_FORBIDDEN : COMBGPU__EDGE_FORCED;
        combgpu__branch_pack(work->graph, bound,
                             share / (uint64_t)children + (i ? 0 : share % (uint64_t)children),
                             work->multipliers, work->marks, combgpu__branch_top(work));
        work->stack_count++;
    }
}

/* Publishes a new tour to the other workers and emits it. Returns 0 if there is no room. */
COMBGPU__PRIVATE int combgpu__branch_publish(combgpu__worker *worker, combgpu__branch_work *work,
                                             combgpu__branch_graph *shared)
{
    uint32_t *record = (uint32_t *)work->spare;
    int i, fine = 1;
    combgpu__put64(record, (uint64_t)work->length);
    for (i = 0; i < shared->cities; i++)
        record[2 + i] = (uint32_t)work->tour[i];
    work->found = 0;
    combgpu__lock_take(&shared->lock);
    if (work->length < shared->length) {
        fine = combgpu__emit(worker, record);
        if (fine) combgpu__shared64_set(&shared->length, work->length);
    }
    combgpu__lock_free(&shared->lock);
    return fine;
}

/* Works off one node of the search tree, the top of the stack. */
COMBGPU__PRIVATE void combgpu__branch_node(combgpu__worker *worker, combgpu__branch_work *work,
                                           combgpu__branch_graph *shared)
{
    const uint32_t *task;
    int64_t bound, length;
    uint64_t share;
    int open, node = -1, edges[2];
    work->stack_count--;
    task = combgpu__branch_top(work);
    bound = (int64_t)combgpu__get64(task);
    share = combgpu__get64(task + 2);
    length = combgpu__shared64(&shared->length);
    work->length = length;
    if (!shared->closed && bound <= combgpu__branch_threshold(work)) {
        combgpu__branch_unpack(work, task);
        work->trees = 0;
        open = combgpu__branch_restore(work) && combgpu__branch_evaluate(work, &bound);
        if (open) node = combgpu__branch_choose(work, edges);
        if (open && node < 0) combgpu__branch_tour(work);
        if (work->found && !combgpu__branch_publish(worker, work, shared)) {
            work->stack_count++; /* no room for the record: find it again */
            return;
        }
        worker->totals[0] += work->trees;
        worker->totals[1]++;
        if (node >= 0) {
            combgpu__branch_children(work, node, edges, bound, share);
            return;
        }
    }
    worker->totals[2] += share;
}

/* The state of a search by branch and bound. */
typedef struct combgpu__branch_state {
    combgpu__tsp_terms terms;
    combgpu__branch_graph graph;
    combgpu_tsp_shape shape;
    int n, symmetric;
    int front;           /* where the path begins; -1 = anywhere */
    int scale;           /* of lengths in checksums, as in combgpu__tsp_cost */
    uint64_t host_trees; /* 1-trees on the host before a device takes over */
    /* Branch and cut comes first, by one worker until its tree is large; if it gives up, more effort at the
       root, by one; then the tree. */
    int phase;
    combgpu__branch_cuts *cut; /* the parts while they are under way, or NULL */
    int divided;               /* several workers cut */
    volatile uint32_t idle;    /* workers without a part */
} combgpu__branch_state;

enum { COMBGPU__BRANCH_TREE, COMBGPU__BRANCH_CUT, COMBGPU__BRANCH_ROOT };

/* Works on a part of branch and cut until it ends or the slice does. */
COMBGPU__PRIVATE void combgpu__branch_cut_part(combgpu__worker *worker,
                                               combgpu__branch_state *state,
                                               combgpu__branch_cuts *part)
{
    combgpu__branch_graph *shared = &state->graph;
    combgpu_context *ctx = combgpu__context(worker->job);
    while (part->outcome == COMBGPU__CUT_GOES_ON && !combgpu__spent(worker)) {
        uint64_t nodes = part->nodes;
        int64_t before = combgpu__shared64(&shared->length), length = before;
        part->work->trees = 0;
        part->outcome = combgpu__branch_cut_step(part, &length);
        worker->totals[0] +=
            part->work->trees + COMBGPU__CUT_PIVOT * (part->lp.pivots - part->pivots);
        worker->totals[1] += part->nodes - nodes;
        part->pivots = part->lp.pivots;
        part->work->length = length;
        if (length < before) /* without room for the record it is found again */
            (void)combgpu__branch_publish(worker, part->work, shared);
        combgpu__branch_part_share(ctx, &state->idle, state->cut, part);
    }
    if (part->outcome == COMBGPU__CUT_GIVES_UP)
        combgpu__shared_or(&worker->slice->stop, COMBGPU__STOP_SPENT);
    combgpu__branch_part_free(ctx, state->cut, part);
}

/* Branch and cut, before any task is taken. Its outcome counts when the slice is done
   (src/tsp/branch/job.c). The first worker whose budget is spent ends the slice for all. */
COMBGPU__PRIVATE void combgpu__branch_cut(combgpu__worker *worker, combgpu__branch_state *state)
{
    combgpu_context *ctx = combgpu__context(worker->job);
    volatile uint32_t *stop = &worker->slice->stop;
    int busy = 1;
    while (busy && !combgpu__spent(worker)) {
        combgpu__branch_cuts *part = combgpu__branch_part_take(ctx, state->cut, &busy);
        if (part) {
            busy = 1;
            combgpu__branch_cut_part(worker, state, part);
        } else if (combgpu__shared(stop))
            busy = 0;
        else if (busy)
            combgpu__branch_part_nap(&state->idle);
    }
    combgpu__shared_or(stop, COMBGPU__STOP_SPENT);
}

/* Takes the root as a task, if it is not divided yet, and puts into it what the full effort finds: a
   better bound, fewer edges, a shorter tour. */
COMBGPU__PRIVATE void combgpu__branch_deepen(combgpu__worker *worker, combgpu__branch_work *work,
                                             combgpu__branch_graph *shared)
{
    const uint32_t *task = combgpu__take(worker);
    combgpu_context *ctx = combgpu__context(worker->job);
    int64_t length = combgpu__shared64(&shared->length);
    uint64_t share;
    int open, round;
    if (!task) return;
    memcpy(work->stack, task, worker->slice->task_words * sizeof(uint32_t));
    share = combgpu__get64(work->stack + COMBGPU__BRANCH_TASK_SHARE);
    work->length = length;
    if (share == COMBGPU__BRANCH_ALL) {
        combgpu__branch_unpack(work, work->stack);
        shared->brief = COMBGPU__BRANCH_FULL;
        for (round = 0, open = COMBGPU__ROOT_RISES; open == COMBGPU__ROOT_RISES; round++)
            open = combgpu__branch_root_round(shared, work, 0, round);
        if (!open) shared->bound = work->length;
        memcpy(shared->multipliers, work->multipliers,
               (size_t)shared->nodes * sizeof *shared->multipliers);
        combgpu__lock_take(combgpu__context_lock(ctx));
        if (open && !combgpu__branch_start(ctx, shared, NULL, 1) && shared->length < work->length) {
            work->length = shared->length;
            work->found = 1;
            memcpy(work->tour, shared->tour, (size_t)shared->cities * sizeof *work->tour);
        }
        combgpu__lock_free(combgpu__context_lock(ctx));
        shared->length = length;
        worker->totals[0] += work->trees;
        if (work->found) (void)combgpu__branch_publish(worker, work, shared);
        combgpu__branch_pack(shared, shared->bound, share, work->multipliers, work->marks,
                             work->stack);
    }
    combgpu__give(worker, work->stack);
}

/* The C solver; its slices run on the CPU whatever the context's backend. */
COMBGPU__PRIVATE void combgpu__branch_solve(combgpu__worker *worker)
{
    combgpu__branch_state *state = (combgpu__branch_state *)combgpu__state(worker->job);
    combgpu__branch_graph *shared = &state->graph;
    size_t bytes = combgpu__desc(worker->job)->cpu_work_bytes_per_worker,
           words = worker->slice->task_words;
    int room = combgpu__desc(worker->job)->kernel.left_per_worker;
    combgpu__branch_work *work;
    int sample = worker->slice->least == worker->slice->budget; /* not a slice of the search */
    int phase = sample ? COMBGPU__BRANCH_TREE : state->phase;
    int many = phase == COMBGPU__BRANCH_TREE || (phase == COMBGPU__BRANCH_CUT && state->divided);
    if (worker->slice->task_count == 0 || (worker->index && !many)) return;
    if (phase == COMBGPU__BRANCH_CUT) {
        combgpu__branch_cut(worker, state);
        return;
    }
    work = combgpu__branch_work_at((char *)worker->work + worker->index * bytes, shared);
    if (phase == COMBGPU__BRANCH_ROOT) {
        combgpu__branch_deepen(worker, work, shared);
        return;
    }
    for (;;) {
        if (!work->stack_count) {
            const uint32_t *task = combgpu__take(worker);
            if (!task) break;
            memcpy(work->stack, task, words * sizeof(uint32_t));
            work->stack_count = 1;
        }
        if (combgpu__spent(worker) || work->stack_count + 3 > room) break;
        combgpu__branch_node(worker, work, shared);
    }
    while (work->stack_count) { /* deepest first: the next slice takes them first */
        work->stack_count--;
        combgpu__give(worker, combgpu__branch_top(work));
    }
}
