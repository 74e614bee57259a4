/* No-three-in-line: the random order of a search with a seed.

   The tree is cut into 2^b pieces of about equally many tasks, with about COMBGPU__NO3_TASK steps
   each. A node with L orbits belongs to a piece if shift[L] bits of a seeded hash of its path are
   those of the piece's number; b is the sum of the shifts, and the root's children use the lowest
   bits. Consecutive pieces therefore lie in different parts of the tree, as after a restart; but no
   part is searched twice, and all pieces together are the whole tree, so the end of the search is a
   proof.

   The solutions of a piece are held back until it is done, then delivered in an order that the seed
   gives: the first solution does not depend on threads and slices (random_hold.c). */

#ifndef COMBGPU__NO3_TASK
#define COMBGPU__NO3_TASK 200000 /* steps of a task, roughly; tests set fewer, for small pieces */
#endif
#define COMBGPU__NO3_POPULATION 64 /* tasks of a piece, roughly */

/* Adds a node's children, which have one orbit more, to `next`, and its steps to *passes. A
   solution has no children; it is pushed if `push` is nonzero. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_branch(combgpu_job *job, combgpu__no3_node *node,
                                                    combgpu__no3_nodes *next, int push,
                                                    uint64_t *passes)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    const combgpu__no3_view *view = &model->view;
    combgpu__no3_board *board = &node->board;
    uint32_t added = board->now.count - model->given.count[node->frame];
    for (;;) {
        combgpu_status status;
        combgpu__no3_node child;
        uint32_t key, place;
        if (node->live && added <= model->depth && !combgpu__no3_break(model, board, &node->live))
            return COMBGPU_OK;
        ++*passes;
        key = combgpu__no3_select(view, &board->now, view->words, view->split, view->wide);
        if (key == COMBGPU__NO3_SOLVED)
            return push ? combgpu__no3_push(job, board, node->frame) : COMBGPU_OK;
        if (!(key >> 28)) return COMBGPU_OK;
        place = combgpu__no3_place_of(view, key);
        combgpu__no3_copy_node(&child, node, view);
        combgpu__no3_place(view, &child.board, key >> 8 & 255, place, view->words);
        child.hash = combgpu__mix(node->hash ^ (COMBGPU__NO3_PLACE_ORBIT(place)));
        status = combgpu__no3_add_node(job, next, &child);
        if (status || key >> 28 == 1) return status;
        combgpu__no3_remove(view, &board->now, COMBGPU__NO3_PLACE_ORBIT(place), view->words);
    }
}

/* Replaces the nodes of list[0] by their children; list[1] is scratch. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_descend(combgpu_job *job, combgpu__no3_nodes list[2],
                                                     int push, uint64_t *passes)
{
    combgpu_status status = COMBGPU_OK;
    combgpu__no3_nodes swap;
    combgpu__no3_node node;
    size_t i;
    list[1].tail = 0;
    for (i = 0; i < list[0].tail && !status; i++) {
        combgpu__no3_get_node(job, &list[0], i, &node);
        status = combgpu__no3_branch(job, &node, &list[1], push, passes);
    }
    swap = list[0], list[0] = list[1], list[1] = swap;
    return status;
}

/* Keeps the nodes whose `shift` bits of hash are the lowest of `digits`. */
COMBGPU__PRIVATE void combgpu__no3_thin(const combgpu_job *job, combgpu__no3_nodes *list, int shift,
                                        uint64_t digits)
{
    uint64_t mask = (UINT64_C(1) << shift) - 1;
    size_t i, kept = 0, words = combgpu__desc(job)->task_words + 4;
    for (i = 0; i < list->tail; i++) {
        const uint32_t *from = combgpu__no3_node_words(job, list, i);
        if ((combgpu__get64(from + words - 2) ^ digits) & mask) continue;
        memmove(combgpu__no3_node_words(job, list, kept++), from, words * sizeof *from);
    }
    list->tail = kept;
}

/* Chooses shift[] and stop, the number of orbits in a task, by walking down the whole tree with a
   thinned population (stratified sampling: P. C. Chen 1992). Integers make the choice the same on
   all machines. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_plan(combgpu_job *job)
{
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    uint64_t passes[COMBGPU__NO3_LEVELS], alive[COMBGPU__NO3_LEVELS], below = 0;
    combgpu__no3_nodes list[2];
    combgpu_status status;
    uint32_t level = 0, least;
    memset(list, 0, sizeof list);
    memset(passes, 0, sizeof passes);
    status = combgpu__no3_roots(job, &list[0]);
    while (!status && list[0].tail && level + 1 < COMBGPU__NO3_LEVELS) {
        int shift = 0;
        alive[level] = list[0].tail;
        status = combgpu__no3_descend(job, list, 0, &passes[level]);
        while (list[0].tail >> shift > COMBGPU__NO3_POPULATION)
            shift++;
        combgpu__no3_thin(job, &list[0], shift, 0);
        model->shift[++level] = (uint8_t)shift;
    }
    /* from the leaves up: the steps below the kept nodes */
    for (model->stop = level; level-- > 0;) {
        int shift = model->shift[level + 1];
        below = below > UINT64_MAX >> 8 >> shift ? UINT64_MAX >> 8 : below << shift;
        below += passes[level];
        if (below / COMBGPU__NO3_TASK <= alive[level]) model->stop = level;
    }
    /* not above the levels where copies are cut off, nor before two orbits tell the frame */
    least = model->images && model->n <= COMBGPU__NO3_TABLED ? model->depth
            : model->given.frames == 2                       ? 2
                                                             : 0;
    while (model->stop < least)
        model->shift[++model->stop] = 0;
    combgpu__release(combgpu__context(job), list[0].words);
    combgpu__release(combgpu__context(job), list[1].words);
    return status;
}

/* The pieces of a job. Of many pieces a shard has every k-th; of few it has every k-th task of
   each. */
typedef struct combgpu__no3_pieces {
    uint8_t shift[COMBGPU__NO3_LEVELS];
    uint64_t count;       /* at most 2^60: more cannot be searched in any time */
    double all;           /* the true number */
    uint64_t first, step; /* this shard's: first, first + step ... */
} combgpu__no3_pieces;

/* A GPU needs more tasks at once: its pieces are fewer and larger, uncut at the lowest levels. */
COMBGPU__PRIVATE combgpu__no3_pieces combgpu__no3_pieces_of(const combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    uint64_t merge = combgpu__sums(job)[COMBGPU__NO3_MERGE];
    uint64_t shards = (uint64_t)combgpu__shards(job);
    combgpu__no3_pieces pieces;
    uint32_t level;
    int sum = 0;
    memcpy(pieces.shift, model->shift, sizeof pieces.shift);
    for (level = model->stop; level > 0; level--) {
        uint64_t less = merge < pieces.shift[level] ? merge : pieces.shift[level];
        pieces.shift[level] = (uint8_t)(pieces.shift[level] - less);
        merge -= less;
        sum += pieces.shift[level];
    }
    pieces.count = UINT64_C(1) << (sum < 60 ? sum : 60);
    pieces.all = ldexp(1, sum);
    pieces.step = pieces.count / shards >= 64 ? shards : 1;
    pieces.first = pieces.step > 1 ? (uint64_t)combgpu__shard(job) : 0;
    return pieces;
}

/* Pushes the tasks of one piece. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_push_piece(combgpu_job *job, const uint8_t *shift,
                                                        uint64_t piece)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    combgpu__no3_nodes list[2];
    combgpu__no3_node node;
    combgpu_status status;
    uint64_t passes = 0;
    uint32_t level;
    size_t i;
    memset(list, 0, sizeof list);
    status = combgpu__no3_roots(job, &list[0]);
    for (level = 1; level <= model->stop && !status; level++) {
        status = combgpu__no3_descend(job, list, piece == 0, &passes);
        combgpu__no3_thin(job, &list[0], shift[level], piece);
        piece >>= shift[level];
    }
    for (i = 0; i < list[0].tail && !status; i++) {
        combgpu__no3_get_node(job, &list[0], i, &node);
        status = combgpu__no3_push(job, &node.board, node.frame);
    }
    combgpu__release(combgpu__context(job), list[0].words);
    combgpu__release(combgpu__context(job), list[1].words);
    return status;
}

/* Pushes this shard's next piece that has tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_next_piece(combgpu_job *job)
{
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    combgpu__no3_pieces pieces = combgpu__no3_pieces_of(job);
    uint64_t *next = &combgpu__sums(job)[COMBGPU__NO3_PIECE];
    combgpu_status status = COMBGPU_OK;
    model->own_pieces = pieces.step > 1;
    while (!status && !combgpu__tasks_left(job) && *next < pieces.count) {
        uint64_t after = *next > pieces.first ? *next - pieces.first : 0, piece;
        piece = pieces.first + (after + pieces.step - 1) / pieces.step * pieces.step;
        if (piece < pieces.count) status = combgpu__no3_push_piece(job, pieces.shift, piece);
        *next = piece < pieces.count ? piece + 1 : pieces.count;
    }
    return status;
}

/* The number of this shard's pieces whose tasks exist. */
COMBGPU__PRIVATE uint64_t combgpu__no3_pieces_begun(const combgpu_job *job,
                                                    const combgpu__no3_pieces *pieces)
{
    uint64_t next = combgpu__sums(job)[COMBGPU__NO3_PIECE];
    if (next > pieces->count) next = pieces->count; /* merged shards add up */
    return next > pieces->first ? (next - pieces->first + pieces->step - 1) / pieces->step : 0;
}

/* The part of the search whose tasks exist. */
COMBGPU__PRIVATE double combgpu__no3_begun(const combgpu_job *job)
{
    combgpu__no3_pieces pieces = combgpu__no3_pieces_of(job);
    uint64_t begun = combgpu__no3_pieces_begun(job, &pieces);
    if (combgpu__sums(job)[COMBGPU__NO3_PIECE] >= pieces.count) return 1;
    return (double)begun * (double)pieces.step / pieces.all;
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_random_begin(combgpu_job *job)
{
    const combgpu_device *device = combgpu__device(combgpu__context(job));
    uint64_t tasks = COMBGPU__NO3_POPULATION, merge = 0;
    if (device->is_gpu) tasks = 128 * (uint64_t)device->compute_units;
    while (tasks >> merge > COMBGPU__NO3_POPULATION)
        merge++;
    combgpu__sums(job)[COMBGPU__NO3_MERGE] = merge;
    return combgpu__no3_next_piece(job);
}
