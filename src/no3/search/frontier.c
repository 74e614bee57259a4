/* Makes the frontier of no-three-in-line, and cuts off symmetric copies. */

/* Makes a board on which every orbit is open. */
COMBGPU__PRIVATE void combgpu__no3_empty(const combgpu__no3 *model, combgpu__no3_board *board)
{
    uint32_t orbit;
    int i;
    memset(board, 0, sizeof *board);
    for (orbit = 0; orbit < model->orbits; orbit++)
        combgpu__no3_set(model, orbit, board->now.words);
    for (i = 0; i < model->lines; i++)
        board->now.need[i] = model->line_mask[i >> 5] >> (i & 31) & 1 ? 2 : 0;
}

/* Rows and columns of the whole grid, at 2 * index + is_column: bit i of a mask is the cell of
   index i. A line's open cells are found when first needed. */
typedef struct combgpu__no3_grid {
    uint64_t on[2 * COMBGPU__NO3_TABLED], open[2 * COMBGPU__NO3_TABLED];
    uint8_t known[2 * COMBGPU__NO3_TABLED]; /* nonzero if open[i] is set */
} combgpu__no3_grid;

/* Sets or clears an orbit's cells in the masks `lines`. */
COMBGPU__PRIVATE void combgpu__no3_mark(const combgpu__no3 *model, uint32_t orbit, uint64_t *lines,
                                        int set)
{
    int i;
    for (i = 0; i < model->size[orbit]; i++) {
        int x = model->cells[orbit][i] % model->n, y = model->cells[orbit][i] / model->n;
        uint64_t to_row = UINT64_C(1) << x, to_column = UINT64_C(1) << y;
        lines[2 * y] = (lines[2 * y] & ~to_row) | (set ? to_row : 0);
        lines[2 * x + 1] = (lines[2 * x + 1] & ~to_column) | (set ? to_column : 0);
    }
}

/* Nonzero if an orbit is open. It is open on both of its lines or on neither. */
COMBGPU__PRIVATE int combgpu__no3_is_open(const combgpu__no3 *model, const combgpu__no3_level *now,
                                          uint32_t orbit)
{
    int word;
    uint32_t bit = combgpu__no3_bit(model, orbit, 0, &word);
    return (now->words[word] & bit) != 0;
}

COMBGPU__PRIVATE uint64_t combgpu__no3_open_cells(const combgpu__no3 *model,
                                                  const combgpu__no3_level *now, int line)
{
    uint64_t open = 0;
    int i;
    for (i = 0; i < model->n; i++) {
        uint32_t place = model->place[line][i];
        if (place != COMBGPU__NO3_NO_ORBIT)
            open |= (uint64_t)(now->words[place >> 5] >> (place & 31) & 1) << i;
    }
    return open;
}

/* Mirrors the cells of a mask. */
COMBGPU__PRIVATE uint64_t combgpu__no3_mirror_mask(const combgpu__no3 *model, uint64_t mask)
{
    const uint64_t lower = UINT64_C(0x5555555555555555);
    uint64_t before = 0, middle = 0, after = mask;
    if (model->middle >= 0) {
        before = mask & ((UINT64_C(1) << model->middle) - 1);
        middle = mask & UINT64_C(1) << model->middle;
        after = mask >> (model->middle + 1);
    }
    before = (before & lower) << 1 | (before >> 1 & lower);
    after = (after & lower) << 1 | (after >> 1 & lower);
    return before | middle | after << (model->middle + 1);
}

/* The highest set bit; x is not 0. */
COMBGPU__PRIVATE int combgpu__no3_highest(uint64_t x)
{
    return x >> 32 ? 63 - combgpu__no3_leading((uint32_t)(x >> 32))
                   : 31 - combgpu__no3_leading((uint32_t)x);
}

/* The possible range of the index of a line's first point. A line without points needs two, so its
   first point is at most the last open cell but one. */
COMBGPU__PRIVATE void combgpu__no3_interval(const combgpu__no3 *model,
                                            const combgpu__no3_level *now, combgpu__no3_grid *grid,
                                            int line, int mirrored, int *low, int *high)
{
    uint64_t on = grid->on[line], open;
    if (!grid->known[line]) {
        grid->open[line] = combgpu__no3_open_cells(model, now, line);
        grid->known[line] = 1;
    }
    open = grid->open[line];
    if (mirrored) {
        on = combgpu__no3_mirror_mask(model, on);
        open = combgpu__no3_mirror_mask(model, open);
    }
    *low = on | open ? combgpu__lowest_bit64(on | open) : 99;
    if (on)
        *high = combgpu__lowest_bit64(on);
    else {
        if (open) open &= ~(UINT64_C(1) << combgpu__no3_highest(open));
        *high = open ? combgpu__no3_highest(open) : -1;
    }
}

/* The index of line k in the key below: from the centre out; the middle of an odd side is third. */
COMBGPU__PRIVATE int combgpu__no3_key_line(const combgpu__no3 *model, int k)
{
    return model->middle || k > 2 ? k : k == 2 ? 0 : k + 1;
}

/* The row or column of the board that becomes `line` in image `map`; *mirrored: read it
   mirrored. */
COMBGPU__PRIVATE int combgpu__no3_source(const combgpu__no3 *model, int map, int line,
                                         int *mirrored)
{
    int is_column = line & 1, i = line >> 1;
    if (map & (is_column ? 2 : 1)) i = combgpu__no3_mirror(model, i);
    *mirrored = (map & (is_column ? 1 : 2)) != 0;
    return 2 * i + (is_column ^ (map >> 2));
}

/* Symmetry breaking. The key of a solution lists the index of the first point on each line, for the
   central half of the lines: rows and columns alternately, from the centre out. The key is known
   early, since every line gets its most central point first. The search keeps only boards whose key
   is the smallest of all their images. Returns 0 if some image certainly has a smaller key. `live`
   has a bit for each image whose key may still be smaller; cells that would make it smaller are
   removed. The cut is sound at any depth; the exact test of complete boards catches copies that
   escape it. */
COMBGPU__PRIVATE int combgpu__no3_break(const combgpu__no3 *model, combgpu__no3_board *board,
                                        unsigned *live)
{
    combgpu__no3_level *now = &board->now;
    combgpu__no3_grid grid;
    uint32_t j;
    int n = model->n, map, k;
    memset(&grid, 0, sizeof grid);
    for (j = 0; j < now->count; j++)
        combgpu__no3_mark(model, board->placed[j], grid.on, 1);
    for (map = 1; map < 8; map++)
        for (k = 0; k < 2 * (n / 2) && *live >> map & 1; k++) {
            int line = 2 * combgpu__no3_key_line(model, k / 2) + (k & 1), mirrored, low, high, x;
            int from = combgpu__no3_source(model, map, line, &mirrored), own_low, own_high,
                own_start;
            combgpu__no3_interval(model, now, &grid, line, 0, &own_low, &own_high);
            combgpu__no3_interval(model, now, &grid, from, mirrored, &low, &high);
            own_start = own_low;
            for (x = low; x < own_start && high >= own_low; x++) {
                /* the image's first point must not come before own_low */
                int at = mirrored ? combgpu__no3_mirror(model, x) : x;
                uint32_t orbit;
                if (!(grid.open[from] >> at & 1)) continue;
                orbit = model->orbit_of[combgpu__no3_cell_on(n, from, at)];
                combgpu__no3_remove(&model->view, now, orbit, model->words);
                combgpu__no3_mark(model, orbit, grid.open, 0);
            }
            combgpu__no3_interval(model, now, &grid, line, 0, &own_low, &own_high);
            combgpu__no3_interval(model, now, &grid, from, mirrored, &low, &high);
            if (high < own_low || own_low > own_high) return 0;
            if (low > own_high) *live &= ~(1u << map); /* the image's key is certainly larger */
            if (low != high || own_low != own_high || low != own_low) break;
        }
    return 1;
}

/* Makes a task of a board. The order of its first two orbits tells its frame. */
COMBGPU__PRIVATE void combgpu__no3_make_task(const combgpu__no3 *model,
                                             const combgpu__no3_board *board, uint32_t frame,
                                             uint32_t *task)
{
    uint16_t placed[COMBGPU__NO3_ORBITS], first = board->placed[0];
    memcpy(placed, board->placed, sizeof placed);
    if (model->given.frames == 2 && (placed[0] > placed[1]) != (int)frame) {
        placed[0] = placed[1];
        placed[1] = first;
    }
    combgpu__no3_put_task(task, &board->now, placed, model->words, model->lines);
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_push(combgpu_job *job, const uint32_t *task)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    return model->own_chunks ? combgpu__push_mine(job, task) : combgpu__push(job, task);
}

/* A board on the way from the root to a task. */
typedef struct combgpu__no3_node {
    combgpu__no3_board board;
    uint32_t live; /* images that may have a smaller key */
    uint32_t frame;
    uint64_t hash; /* of the path from the root, for the random order */
} combgpu__no3_node;

COMBGPU__PRIVATE void combgpu__no3_copy_node(combgpu__no3_node *to, const combgpu__no3_node *from,
                                             const combgpu__no3_view *view)
{
    combgpu__no3_copy(&to->board.now, &from->board.now, view->words, view->lines);
    memcpy(to->board.placed, from->board.placed, sizeof to->board.placed);
    to->live = from->live;
    to->frame = from->frame;
    to->hash = from->hash;
}

/* A queue of nodes, [head, tail): a task each, then live, frame and hash. */
typedef struct combgpu__no3_nodes {
    uint32_t *words;
    size_t head, tail, capacity;
} combgpu__no3_nodes;

COMBGPU__PRIVATE uint32_t *combgpu__no3_node_words(const combgpu_job *job,
                                                   const combgpu__no3_nodes *list, size_t i)
{
    return list->words + i * (combgpu__desc(job)->task_words + 4);
}

COMBGPU__PRIVATE void combgpu__no3_put_node(const combgpu_job *job, const combgpu__no3_node *node,
                                            uint32_t *words)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    combgpu__no3_put_task(words, &node->board.now, node->board.placed, model->words, model->lines);
    words += combgpu__desc(job)->task_words;
    words[0] = node->live;
    words[1] = node->frame;
    combgpu__put64(words + 2, node->hash);
}

/* Makes room for one more node. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_node_room(combgpu_job *job, combgpu__no3_nodes *list)
{
    if (list->tail == list->capacity) {
        size_t waiting = list->tail - list->head;
        size_t bytes = (combgpu__desc(job)->task_words + 4) * sizeof(uint32_t);
        size_t capacity = waiting < 128 ? 256 : 2 * waiting;
        uint32_t *grown =
            (uint32_t *)combgpu__allocate(combgpu__context(job), combgpu__bytes(capacity, bytes));
        if (!grown)
            return combgpu__no_memory(combgpu__context(job), combgpu__bytes(capacity, bytes));
        if (waiting) memcpy(grown, combgpu__no3_node_words(job, list, list->head), waiting * bytes);
        combgpu__release(combgpu__context(job), list->words);
        list->words = grown;
        list->capacity = capacity;
        list->head = 0;
        list->tail = waiting;
    }
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_add_node(combgpu_job *job, combgpu__no3_nodes *list,
                                                      const combgpu__no3_node *node)
{
    combgpu_status status = combgpu__no3_node_room(job, list);
    if (!status) combgpu__no3_put_node(job, node, combgpu__no3_node_words(job, list, list->tail++));
    return status;
}

COMBGPU__PRIVATE void combgpu__no3_get_node(const combgpu_job *job, const combgpu__no3_nodes *list,
                                            size_t i, combgpu__no3_node *node)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    const uint32_t *words = combgpu__no3_node_words(job, list, i);
    combgpu__no3_get_task(words, &node->board, model->words, model->lines);
    words += combgpu__desc(job)->task_words;
    node->live = words[0];
    node->frame = words[1];
    node->hash = combgpu__get64(words + 2);
}

/* Takes a board through forced placements and all branches of one line. Writes the results to `out`
   as nodes: boards with one more orbit; or, if `split` is 0 or splitting would not help, a task,
   marked by `live` = COMBGPU__NO3_DONE. Returns the number of results, or -1 if `room` is less. */
#define COMBGPU__NO3_DONE UINT32_MAX
COMBGPU__PRIVATE int combgpu__no3_grow(const combgpu_job *job, combgpu__no3_node *node, int split,
                                       uint32_t *out, int room)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    const combgpu__no3_view *view = &model->view;
    combgpu__no3_board *board = &node->board;
    uint32_t count = board->now.count;
    size_t words = combgpu__desc(job)->task_words + 4;
    int made = 0;
    if (node->live && !combgpu__no3_break(model, board, &node->live)) return 0;
    for (;;) {
        uint32_t key, place;
        key = combgpu__no3_select_any(view, &board->now);
        if (made == room) return -1;
        if (key == COMBGPU__NO3_SOLVED || !split ||
            board->now.count - model->given.count[node->frame] >=
                (node->live ? model->deepest : 3)) {
            combgpu__no3_make_task(model, board, node->frame, out + (size_t)made * words);
            out[(size_t)made * words + combgpu__desc(job)->task_words] = COMBGPU__NO3_DONE;
            return made + 1;
        }
        if (!(key >> 28)) return made;
        place = combgpu__no3_place_of(view, key);
        if (key >> 28 > 1) {
            combgpu__no3_node with;
            if (board->now.count > count) { /* another line branches: later */
                combgpu__no3_put_node(job, node, out + (size_t)made * words);
                return made + 1;
            }
            combgpu__no3_copy_node(&with, node, view);
            combgpu__no3_place_any(view, &with.board, key >> 8 & 255, place);
            combgpu__no3_put_node(job, &with, out + (size_t)made++ * words);
            combgpu__no3_remove(view, &board->now, COMBGPU__NO3_PLACE_ORBIT(place), view->words);
        } else
            combgpu__no3_place_any(view, board, key >> 8 & 255, place);
    }
}

COMBGPU__PRIVATE void combgpu__no3_place_orbit(const combgpu__no3 *model, combgpu__no3_board *board,
                                               uint32_t orbit)
{
    uint32_t line = model->line[orbit][0];
    combgpu__no3_place_any(&model->view, board, line,
                           combgpu__no3_place_of(&model->view, line << 8 | model->rank[orbit][0]));
}

COMBGPU__COLD_BEGIN
/* Makes a frame's board with the fixed cells alone. Returns 0 if these exclude each other. */
COMBGPU__PRIVATE int combgpu__no3_root(combgpu__no3 *model, int frame, combgpu__no3_board *board)
{
    uint32_t orbit;
    int n = model->n, x, y, j;
    combgpu__no3_empty(model, board);
    for (y = 0; y < n; y++) {
        const uint64_t *off = model->given.off[frame];
        for (x = combgpu__no3_next(n, off, 0, y); x < n; x = combgpu__no3_next(n, off, x + 1, y)) {
            orbit = combgpu__no3_orbit_at(model, x, y);
            if (orbit != COMBGPU__NO3_NO_ORBIT)
                combgpu__no3_remove(&model->view, &board->now, orbit, model->words);
        }
    }
    for (y = 0; y < model->n; y++) {
        const uint64_t *on = model->given.on[frame];
        for (x = combgpu__no3_next(n, on, 0, y); x < n; x = combgpu__no3_next(n, on, x + 1, y)) {
            orbit = combgpu__no3_orbit_at(model, x, y);
            for (j = 0; j < (int)board->now.count && board->placed[j] != orbit; j++) {
            }
            if (j < (int)board->now.count) continue;
            if (orbit == COMBGPU__NO3_NO_ORBIT || !combgpu__no3_is_open(model, &board->now, orbit))
                return 0;
            combgpu__no3_place_orbit(model, board, orbit);
        }
    }
    model->given.count[frame] = board->now.count;
    return 1;
}

/* Makes the first nodes of a search, one for each frame, as the whole list. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_roots(combgpu_job *job, combgpu__no3_nodes *list)
{
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    combgpu_status status = COMBGPU_OK;
    combgpu__no3_node node;
    int frame;
    list->head = list->tail = 0;
    for (frame = 0; frame < model->given.frames && !status; frame++) {
        if (!combgpu__no3_root(model, frame, &node.board)) continue;
        /* the masks of combgpu__no3_break have 64 bits */
        node.live = model->n > COMBGPU__NO3_TABLED ? 0 : model->images & model->given.keep[frame];
        node.frame = (uint32_t)frame;
        node.hash = combgpu__mix(model->desc.seed + (uint64_t)frame);
        status = combgpu__no3_add_node(job, list, &node);
    }
    return status;
}
COMBGPU__COLD_END

#define COMBGPU__NO3_GROWN 16384 /* nodes that threads grow at a time */
#define COMBGPU__NO3_ROOM 24     /* results of one node; a node with more is grown again */
#define COMBGPU__NO3_AGAIN 4096  /* results of a node that is grown again */

typedef struct combgpu__no3_growing {
    combgpu_job *job;
    const combgpu__no3_nodes *queue;
    int split, room;
    uint32_t *out;
    int *made;
} combgpu__no3_growing;

COMBGPU__PRIVATE void combgpu__no3_grow_pass(void *user, int i, int thread)
{
    const combgpu__no3_growing *g = (const combgpu__no3_growing *)user;
    size_t words = combgpu__desc(g->job)->task_words + 4;
    combgpu__no3_node node;
    (void)thread;
    combgpu__no3_get_node(g->job, g->queue, g->queue->head + (size_t)i, &node);
    g->made[i] =
        combgpu__no3_grow(g->job, &node, g->split, g->out + (size_t)(i * g->room) * words, g->room);
}

COMBGPU__COLD_BEGIN
/* Grows the queue's first `count` nodes, each into its own part of `out`; made[] gets the numbers
   of results. */
COMBGPU__PRIVATE void combgpu__no3_grow_many(combgpu_job *job, const combgpu__no3_nodes *queue,
                                             int count, int split, uint32_t *out, int *made)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__no3_growing g;
    g.job = job;
    g.queue = queue;
    g.split = split;
    g.room = split ? COMBGPU__NO3_ROOM : 1;
    g.out = out;
    g.made = made;
    combgpu__loop(ctx, count > 512 ? combgpu__host_threads(ctx) : 1, count, 64,
                  combgpu__no3_grow_pass, &g);
}

/* Adds the results of a node: tasks to the reserve, nodes to the queue. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_add_grown(combgpu_job *job, combgpu__no3_nodes *queue,
                                                       const uint32_t *grown, int count)
{
    size_t words = combgpu__desc(job)->task_words + 4;
    combgpu_status status = COMBGPU_OK;
    for (; count && !status; count--, grown += words)
        if (grown[combgpu__desc(job)->task_words] == COMBGPU__NO3_DONE)
            status = combgpu__no3_push(job, grown);
        else {
            status = combgpu__no3_node_room(job, queue);
            if (!status)
                memcpy(combgpu__no3_node_words(job, queue, queue->tail++), grown,
                       words * sizeof *grown);
        }
    return status;
}

/* Makes the frontier, breadth first, until nodes and tasks reach model->tasks. More would save few
   steps (NOTES.md), and workers split large tasks anyway. Whether a node is split depends on the
   nodes before it, so threads speculate. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_frontier(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    size_t words = combgpu__desc(job)->task_words + 4;
    size_t most = model->view.large ? COMBGPU__NO3_GROWN / 8 : COMBGPU__NO3_GROWN;
    size_t room = 2 * most; /* fewer nodes at once if they are split */
    size_t bytes = (room + COMBGPU__NO3_AGAIN) * words * sizeof(uint32_t);
    combgpu_status status;
    combgpu__no3_nodes queue;
    uint32_t *out, *again;
    int *made;
    memset(&queue, 0, sizeof queue);
    out = (uint32_t *)combgpu__allocate(combgpu__context(job), bytes);
    made = (int *)combgpu__allocate(combgpu__context(job), most * sizeof *made);
    status = out && made ? combgpu__no3_roots(job, &queue)
                         : combgpu__no_memory(combgpu__context(job), bytes);
    again = out ? out + room * words : NULL;
    if (!status && combgpu__shards(job) < 2) status = combgpu__reserve_room(job, model->tasks);
    while (!status && queue.head < queue.tail) {
        size_t waiting = queue.tail - queue.head, known = waiting + (size_t)combgpu__pushed(job);
        int split = known < model->tasks, each = split ? COMBGPU__NO3_ROOM : 1, i;
        size_t likely = split ? (model->tasks - known) / 8 + 1 : most;
        size_t fits = split ? room / COMBGPU__NO3_ROOM : most;
        int count = (int)(waiting < likely ? waiting : likely);
        if ((size_t)count > fits) count = (int)fits;
        combgpu__no3_grow_many(job, &queue, count, split, out, made);
        for (i = 0; i < count && !status; i++) {
            const uint32_t *grown = out + (size_t)(i * each) * words;
            int now, ready = made[i];
            queue.head++;
            now = queue.tail - queue.head + combgpu__pushed(job) < model->tasks;
            if (ready < 0 || (now != split && (ready || split))) {
                combgpu__no3_node node;
                combgpu__no3_get_node(job, &queue, queue.head - 1, &node);
                ready = combgpu__no3_grow(job, &node, now, again, COMBGPU__NO3_AGAIN);
                grown = again;
            }
            status = combgpu__no3_add_grown(job, &queue, grown, ready);
        }
    }
    combgpu__release(combgpu__context(job), queue.words);
    combgpu__release(combgpu__context(job), out);
    combgpu__release(combgpu__context(job), made);
    return status;
}
COMBGPU__COLD_END
