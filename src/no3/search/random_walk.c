/* Threads walk the tree of no-three-in-line from the root down, to all nodes at one depth. */

/* Writes those of a node's children (one orbit more) whose hash agrees with `digits` under `mask`
   to `out` as nodes; adds its steps to *passes. A solution has no children; if `push` is nonzero it
   is written as a task, marked by `live` = COMBGPU__NO3_DONE. Returns the number of results, or -1
   if `room` is less. */
COMBGPU__PRIVATE int combgpu__no3_branch(const combgpu_job *job, combgpu__no3_node *node, int push,
                                         uint64_t mask, uint64_t digits, uint64_t *passes,
                                         uint32_t *out, int room)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    const combgpu__no3_view *view = &model->view;
    combgpu__no3_board *board = &node->board;
    uint32_t added = board->now.count - model->given.count[node->frame];
    size_t words = combgpu__desc(job)->task_words + 4;
    int made = 0;
    for (;;) {
        uint32_t key, place;
        uint64_t hash;
        if (node->live && added <= model->depth && !combgpu__no3_break(model, board, &node->live))
            return made;
        ++*passes;
        key = combgpu__no3_select_any(view, &board->now);
        if (key == COMBGPU__NO3_SOLVED && push) {
            combgpu__no3_make_task(model, board, node->frame, out);
            out[combgpu__desc(job)->task_words] = COMBGPU__NO3_DONE;
            return 1;
        }
        if (key == COMBGPU__NO3_SOLVED || !(key >> 28)) return made;
        place = combgpu__no3_place_of(view, key);
        hash = combgpu__mix(node->hash ^ (COMBGPU__NO3_PLACE_ORBIT(place)));
        if (!((hash ^ digits) & mask)) {
            combgpu__no3_node child;
            if (made == room) return -1;
            combgpu__no3_copy_node(&child, node, view);
            combgpu__no3_place_any(view, &child.board, key >> 8 & 255, place);
            child.hash = hash;
            combgpu__no3_put_node(job, &child, out + (size_t)made++ * words);
        }
        if (key >> 28 == 1) return made;
        combgpu__no3_remove(view, &board->now, COMBGPU__NO3_PLACE_ORBIT(place), view->words);
    }
}

#define COMBGPU__NO3_NODES 256 /* nodes that threads branch at a time */

/* Two lists of nodes, and room for the children of COMBGPU__NO3_NODES nodes; a job keeps it. */
struct combgpu__no3_walk {
    combgpu__no3_nodes list[2]; /* list[0] holds the nodes, list[1] is scratch */
    uint32_t *out, *again;      /* COMBGPU__NO3_ROOM results for each node; for one with more */
    int made[COMBGPU__NO3_NODES];
    uint64_t passes[COMBGPU__NO3_NODES];
};

COMBGPU__PRIVATE void combgpu__no3_release(combgpu_job *job)
{
    combgpu__no3_walk *walk = ((combgpu__no3 *)combgpu__state(job))->walk;
    if (!walk) return;
    combgpu__release(combgpu__context(job), walk->list[0].words);
    combgpu__release(combgpu__context(job), walk->list[1].words);
    combgpu__release(combgpu__context(job), walk->out);
    combgpu__release(combgpu__context(job), walk);
}

/* Sets *walk to the job's walk, at the roots. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_walk_begin(combgpu_job *job, combgpu__no3_walk **walk)
{
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    size_t words = combgpu__desc(job)->task_words + 4;
    size_t room = (size_t)COMBGPU__NO3_NODES * COMBGPU__NO3_ROOM;
    size_t bytes = (room + COMBGPU__NO3_AGAIN) * words * sizeof(uint32_t);
    if (!model->walk)
        model->walk = (combgpu__no3_walk *)combgpu__allocate_zeroed(ctx, sizeof **walk);
    if (!model->walk) return combgpu__no_memory(ctx, sizeof **walk);
    *walk = model->walk;
    if (!(*walk)->out) (*walk)->out = (uint32_t *)combgpu__allocate(ctx, bytes);
    if (!(*walk)->out) return combgpu__no_memory(ctx, bytes);
    (*walk)->again = (*walk)->out + room * words;
    return combgpu__no3_roots(job, &(*walk)->list[0]);
}

typedef struct combgpu__no3_branching {
    combgpu_job *job;
    combgpu__no3_walk *walk;
    size_t first; /* the node of pass 0 */
    int push;
    uint64_t mask, digits;
} combgpu__no3_branching;

COMBGPU__PRIVATE void combgpu__no3_branch_pass(void *user, int i, int thread)
{
    const combgpu__no3_branching *b = (const combgpu__no3_branching *)user;
    size_t words = combgpu__desc(b->job)->task_words + 4;
    combgpu__no3_node node;
    (void)thread;
    combgpu__no3_get_node(b->job, &b->walk->list[0], b->first + (size_t)i, &node);
    b->walk->passes[i] = 0;
    b->walk->made[i] = combgpu__no3_branch(
        b->job, &node, b->push, b->mask, b->digits, &b->walk->passes[i],
        b->walk->out + (size_t)(i * COMBGPU__NO3_ROOM) * words, COMBGPU__NO3_ROOM);
}

/* Branches `count` nodes from `first` on. */
COMBGPU__PRIVATE void combgpu__no3_branch_many(combgpu_job *job, combgpu__no3_walk *walk,
                                               size_t first, int count, int push, uint64_t mask,
                                               uint64_t digits)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__no3_branching b;
    b.job = job;
    b.walk = walk;
    b.first = first;
    b.push = push;
    b.mask = mask;
    b.digits = digits;
    combgpu__loop(ctx, count > 64 ? combgpu__host_threads(ctx) : 1, count, 8,
                  combgpu__no3_branch_pass, &b);
}

/* Replaces the nodes by their children, as combgpu__no3_branch does. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_descend(combgpu_job *job, combgpu__no3_walk *walk,
                                                     int push, uint64_t mask, uint64_t digits,
                                                     uint64_t *passes)
{
    combgpu_status status = COMBGPU_OK;
    combgpu__no3_nodes swap;
    size_t first, words = combgpu__desc(job)->task_words + 4;
    walk->list[1].tail = 0;
    for (first = 0; first < walk->list[0].tail && !status; first += COMBGPU__NO3_NODES) {
        size_t left = walk->list[0].tail - first;
        int count = (int)(left < COMBGPU__NO3_NODES ? left : COMBGPU__NO3_NODES), i;
        combgpu__no3_branch_many(job, walk, first, count, push, mask, digits);
        for (i = 0; i < count && !status; i++) {
            const uint32_t *grown = walk->out + (size_t)(i * COMBGPU__NO3_ROOM) * words;
            if (walk->made[i] < 0) {
                combgpu__no3_node node;
                combgpu__no3_get_node(job, &walk->list[0], first + (size_t)i, &node);
                walk->passes[i] = 0;
                walk->made[i] =
                    combgpu__no3_branch(job, &node, push, mask, digits, &walk->passes[i],
                                        walk->again, COMBGPU__NO3_AGAIN);
                grown = walk->again;
            }
            *passes += walk->passes[i];
            status = combgpu__no3_add_grown(job, &walk->list[1], grown, walk->made[i]);
        }
    }
    swap = walk->list[0], walk->list[0] = walk->list[1], walk->list[1] = swap;
    return status;
}
