/* A tree of branch and cut on several threads.

   The tree's parts are a list, whose first part is the root's and stays to the end. Each part has open nodes and
   a linear program of its own, and one thread at a time holds it. A thread without work says so; another one
   whose part has nodes to spare, at its next step, copies the part, with the open node nearest the root alone,
   which leaves its own. The context's lock guards list and `held`. */

#define COMBGPU__PARTS_LEAST 400 /* pivots, with CUT_STEP for each step, before a part is divided */
#define COMBGPU__PARTS_BYTES ((size_t)1 << 30) /* of a tree, at most: 64 MB each at 1,000 cities */
#define COMBGPU__PARTS_NAP 1e-4 /* seconds between two looks of a thread without work */

/* Holds a part of a tree that goes on and that no thread holds; NULL without one, or after a part gave up. *busy:
   a thread holds a part. The caller has the lock. */
COMBGPU__PRIVATE combgpu__branch_cuts *combgpu__branch_part_hold(combgpu__branch_cuts *first,
                                                                 int *busy)
{
    combgpu__branch_cuts *part, *found = NULL;
    int over = 0;
    *busy = 0;
    for (part = first; part; part = part->next) {
        *busy |= part->held;
        if (part->held) continue; /* and its outcome is not known */
        over |= part->outcome == COMBGPU__CUT_GIVES_UP;
        if (part->outcome == COMBGPU__CUT_GOES_ON && !found) found = part;
    }
    if (over || !found) return NULL;
    found->held = 1;
    return found;
}

/* The same, with the lock. */
COMBGPU__PRIVATE combgpu__branch_cuts *combgpu__branch_part_take(combgpu_context *ctx,
                                                                 combgpu__branch_cuts *first,
                                                                 int *busy)
{
    combgpu__branch_cuts *part;
    combgpu__lock_take(combgpu__context_lock(ctx));
    part = combgpu__branch_part_hold(first, busy);
    combgpu__lock_free(combgpu__context_lock(ctx));
    return part;
}

/* Waits a moment for a part; *idle counts those who wait. */
COMBGPU__PRIVATE void combgpu__branch_part_nap(volatile uint32_t *idle)
{
    (void)combgpu__shared_add(idle, 1);
    combgpu__sleep(COMBGPU__PARTS_NAP);
    (void)combgpu__shared_add(idle, (uint32_t)-1);
}

/* Nonzero if a thread holds a part. */
COMBGPU__PRIVATE int combgpu__branch_parts_held(const combgpu__branch_cuts *first)
{
    while (first && !first->held)
        first = first->next;
    return first != NULL;
}

/* Lets a part go, and removes it once it is done. */
COMBGPU__PRIVATE void combgpu__branch_part_free(combgpu_context *ctx, combgpu__branch_cuts *first,
                                                combgpu__branch_cuts *part)
{
    combgpu__branch_cuts *before = first;
    combgpu__lock_take(combgpu__context_lock(ctx));
    part->held = 0;
    if (part != first && part->outcome == COMBGPU__CUT_PROVEN) {
        while (before->next != part)
            before = before->next;
        before->next = part->next;
        combgpu__release(ctx, part);
    }
    combgpu__lock_free(combgpu__context_lock(ctx));
}

/* How all parts end together, when no thread holds one. */
COMBGPU__PRIVATE int combgpu__branch_parts_outcome(const combgpu__branch_cuts *first)
{
    int outcome = COMBGPU__CUT_PROVEN;
    for (; first; first = first->next) {
        if (first->outcome == COMBGPU__CUT_GIVES_UP) return COMBGPU__CUT_GIVES_UP;
        if (first->outcome == COMBGPU__CUT_GOES_ON) outcome = COMBGPU__CUT_GOES_ON;
    }
    return outcome;
}

/* The least bound of the open nodes of all parts; `length` if there are none. */
COMBGPU__PRIVATE int64_t combgpu__branch_parts_least(const combgpu__branch_cuts *first,
                                                     int64_t length)
{
    for (; first; first = first->next)
        length = combgpu__branch_cut_least(first, length);
    return length;
}

/* Releases all parts, or those after the first. */
COMBGPU__PRIVATE void combgpu__branch_parts_release(combgpu_context *ctx,
                                                    combgpu__branch_cuts *first)
{
    while (first) {
        combgpu__branch_cuts *next = first->next;
        combgpu__release(ctx, first->labels);
        combgpu__release(ctx, first);
        first = next;
    }
}

/* Nonzero if a part has nodes to spare, and was worked on for long enough to make up for a copy. */
COMBGPU__PRIVATE int combgpu__branch_part_spares(const combgpu__branch_cuts *part)
{
    return part->open_count + part->loaded > 1 && part->outcome == COMBGPU__CUT_GOES_ON &&
           part->lp.pivots + COMBGPU__CUT_STEP * part->steps > COMBGPU__PARTS_LEAST;
}

/* Turns a copy of a part, byte by byte, into a part of its own, without nodes. */
COMBGPU__PRIVATE void combgpu__branch_part_adopt(combgpu__branch_cuts *copy,
                                                 const combgpu__branch_cuts *from)
{
    combgpu__branch_graph *graph = &copy->folded;
    (void)combgpu__branch_cut_layout(copy, graph, copy + 1);
    (void)combgpu__branch_work_layout(copy->work, graph->nodes, graph->edges, copy->work);
    copy->work->graph = graph;
    copy->support.lp = &copy->lp;
    if (graph->marks == from->marks) graph->marks = copy->marks; /* after a refinement */
    if (graph->multipliers == from->multipliers) graph->multipliers = copy->multipliers;
    copy->labels = NULL;
    copy->done = 0;
    copy->nodes = copy->steps = copy->pivots = copy->lp.pivots = 0;
    copy->open_count = copy->loaded = copy->held = 0;
}

/* Divides a part that the caller holds; without memory for a copy it stays whole. */
COMBGPU__PRIVATE void combgpu__branch_part_divide(combgpu_context *ctx, combgpu__branch_cuts *first,
                                                  combgpu__branch_cuts *part)
{
    combgpu__branch_cuts *copy = NULL, *other;
    size_t bytes = sizeof *part + combgpu__branch_cut_layout(part, &part->folded, NULL),
           all = bytes;
    combgpu__lock_take(combgpu__context_lock(ctx));
    for (other = first; other; other = other->next)
        all += bytes;
    if (all <= COMBGPU__PARTS_BYTES) copy = (combgpu__branch_cuts *)combgpu__allocate(ctx, bytes);
    if (copy) *copy = *part; /* and `next`, which others may change */
    combgpu__lock_free(combgpu__context_lock(ctx));
    if (!copy) return;
    memcpy(copy + 1, part + 1, bytes - sizeof *copy);
    combgpu__branch_part_adopt(copy, part);
    copy->open_count = 1; /* the first, of which the copy has the path */
    copy->whole = ldexp(1, -part->open[0].depth);
    part->whole -= copy->whole;
    part->open_count--;
    memmove(part->open, part->open + 1, (size_t)part->open_count * sizeof *part->open);
    combgpu__lock_take(combgpu__context_lock(ctx));
    copy->next = first->next;
    first->next = copy;
    combgpu__lock_free(combgpu__context_lock(ctx));
}

/* Divides a part that the caller holds if a thread waits. */
COMBGPU__PRIVATE void combgpu__branch_part_share(combgpu_context *ctx, volatile uint32_t *idle,
                                                 combgpu__branch_cuts *first,
                                                 combgpu__branch_cuts *part)
{
    if (combgpu__shared(idle) && combgpu__branch_part_spares(part))
        combgpu__branch_part_divide(ctx, first, part);
}
