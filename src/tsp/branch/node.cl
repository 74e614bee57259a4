/* A node of the search tree on a GPU: the phases of a worker's round that read and write tasks. All
   lanes take part; the caller puts barriers between the phases. */

/* Reads multipliers and marks from a task. */
COMBGPU__DEVICE void combgpu_branch_unpack(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                           COMBGPU__GLOBAL const uint32_t *task)
{
    uint32_t i;
    for (i = COMBGPU__GROUP_LANE; i < b->nodes; i += COMBGPU__BRANCH_LANES)
        b->now[i] = (int64_t)combgpu_load64(task + COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * i);
    task += COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * b->nodes;
    for (i = COMBGPU__GROUP_LANE; i < b->edges; i += COMBGPU__BRANCH_LANES)
        b->marks[i] = (uint8_t)((task[i / 16] >> (i % 16 * 2)) & 3);
}

/* Counts the open edges of each node and lists the forced edges. Returns 0 if there are more forced
   edges than nodes. */
COMBGPU__DEVICE uint32_t combgpu_branch_degrees(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b)
{
    uint32_t fine = 1, v, i;
    for (v = COMBGPU__GROUP_LANE; v < b->nodes; v += COMBGPU__BRANCH_LANES) {
        uint32_t open = 0;
        for (i = b->begin[v]; i < b->begin[v + 1]; i++)
            open += b->marks[b->incident[i]] != COMBGPU__EDGE_FORBIDDEN;
        b->open[v] = open;
        b->forced[v] = 0;
        b->other_end[v] = (uint16_t)v;
    }
    for (i = COMBGPU__GROUP_LANE; i < b->edges; i += COMBGPU__BRANCH_LANES)
        if (b->marks[i] == COMBGPU__EDGE_FORCED) {
            uint32_t at = COMBGPU__LOCAL_ATOMIC_ADD(b->counts + 1, 1);
            if (at < b->nodes)
                b->list[at] = (uint16_t)i;
            else
                fine = 0;
        }
    return fine;
}

/* Queues the nodes whose last two edges are not both forced. Returns 0 if a node has fewer than
   two. */
COMBGPU__DEVICE uint32_t combgpu_branch_queue(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b)
{
    uint32_t fine = 1, v;
    for (v = COMBGPU__GROUP_LANE; v < b->nodes; v += COMBGPU__BRANCH_LANES) {
        uint32_t need = b->open[v] == 2 && b->forced[v] < 2;
        if (b->open[v] < 2) fine = 0;
        if (need) b->queue[COMBGPU__LOCAL_ATOMIC_ADD(b->counts, 1)] = (uint16_t)v;
        b->flag[v] = need;
    }
    return fine;
}

/* Lists the edges that are not forbidden, node by node. */
COMBGPU__DEVICE void combgpu_branch_arcs(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b)
{
    uint32_t v, i;
    for (v = COMBGPU__GROUP_LANE; v < b->nodes; v += COMBGPU__BRANCH_LANES) {
        uint32_t at = b->begin[v], end = b->begin[v + 1];
        for (i = at; i < end; i++) {
            uint32_t edge = b->incident[i], mark = b->marks[edge], ends = b->ends[edge];
            if (mark != COMBGPU__EDGE_FORBIDDEN)
                b->arcs[at++] = (ends & 0xffff) + (ends >> 16) - v + (edge << 9) +
                                (mark == COMBGPU__EDGE_FORCED ? 1u << 31 : 0);
        }
    }
}

/* Begins a record of a tour, and stores its city at place i: as a word, or of a batch as a byte. */
COMBGPU__DEVICE void combgpu_branch_head(const combgpu_branch_t *b,
                                         COMBGPU__GLOBAL uint32_t *record, int64_t length)
{
    uint32_t i;
    for (i = 0; b->number && i < COMBGPU__BATCH_TREE_WORDS; i++)
        record[i] = 0;
    if (b->number) {
        record[0] = b->number - 1;
        record[COMBGPU__BATCH_TREE_STATUS] = COMBGPU__BATCH_TREE_NEWS;
    }
    combgpu_store64(record + (b->number ? COMBGPU__BATCH_TREE_LENGTH : 0), (uint64_t)length);
}

COMBGPU__DEVICE void combgpu_branch_city(const combgpu_branch_t *b,
                                         COMBGPU__GLOBAL uint32_t *record, uint32_t i,
                                         uint32_t city)
{
    if (b->number)
        record[COMBGPU__BATCH_TREE_TOUR + i / 4] |= city << (i % 4 * 8);
    else
        record[2 + i] = city;
}

/* Emits the 1-tree, a tour, if it is shorter and there is room. Returns its length, otherwise the
   old one. By lane 0. */
COMBGPU__DEVICE int64_t combgpu_branch_tour(COMBGPU__GLOBAL combgpu__slice *slice,
                                            const combgpu_branch_t *b,
                                            COMBGPU__GLOBAL uint32_t *records, uint32_t second,
                                            int64_t known)
{
    uint32_t node = 0, last, at, i;
    int64_t length = 0;
    for (i = 0; i < b->nodes; i++)
        b->flag[i] = 0;
    for (i = 0; i < b->nodes; i++) {
        uint32_t edge = i ? b->parent_edge[i] : second, u = b->ends[edge] & 0xffff;
        uint32_t v = b->ends[edge] >> 16;
        (b->flag[u]++ ? b->list : b->queue)[u] = (uint16_t)v;
        (b->flag[v]++ ? b->list : b->queue)[v] = (uint16_t)u;
        length += b->weights[edge];
    }
    if (length >= known) return known;
    at = combgpu_emit(slice);
    if (at == COMBGPU__NONE) return known;
    if (!b->number) /* the host then passes the length on to all workers */
        COMBGPU__ATOMIC_OR(&slice->stop, COMBGPU__STOP_NOW);
    records += (uint64_t)at * slice->record_words;
    combgpu_branch_head(b, records, length);
    /* directed: nodes below `cities` are "in", where tours enter a city */
    last = b->queue[0];
    if (b->tables[COMBGPU__BRANCH_AT_DIRECTED] && last == b->tables[COMBGPU__BRANCH_AT_CITIES])
        last = b->list[0];
    for (i = 0; i < b->nodes; i++) {
        uint32_t to = b->queue[node] == last ? b->list[node] : b->queue[node];
        if (!b->tables[COMBGPU__BRANCH_AT_DIRECTED])
            combgpu_branch_city(b, records, i, node);
        else if (i % 2 == 0)
            combgpu_branch_city(b, records, i / 2, node);
        last = node;
        node = to;
    }
    return length;
}

/* Returns the most expensive free edge of the 1-tree at a node, other than `except`. */
COMBGPU__DEVICE uint32_t combgpu_branch_dearest(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                                uint32_t node, uint32_t second, uint32_t except)
{
    int64_t x = COMBGPU__BRANCH_FAR;
    uint32_t y = COMBGPU__NONE, a, end = node == COMBGPU__NONE ? 0 : b->begin[node] + b->open[node];
    for (a = node == COMBGPU__NONE ? 0 : b->begin[node] + COMBGPU__GROUP_LANE; a < end;
         a += COMBGPU__BRANCH_LANES) {
        uint32_t arc = b->arcs[a], edge = (arc >> 9) & 0x7fff;
        int64_t cost = -combgpu_branch_cost(b, edge);
        if (arc >> 31 || edge == except || cost >= x) continue;
        if (edge != second && b->parent_edge[node] != edge && b->parent_edge[arc & 511] != edge)
            continue;
        x = cost;
        y = edge;
    }
    combgpu_branch_least(COMBGPU__GROUP, b, &x, &y);
    return y;
}

/* Writes a child as a task. `first` gets a mark of its own; so does `other`, unless other_mark is
   0. */
COMBGPU__DEVICE void combgpu_branch_pack(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                         COMBGPU__GLOBAL uint32_t *task, int64_t bound,
                                         uint64_t share, uint32_t first, uint32_t first_mark,
                                         uint32_t other, uint32_t other_mark)
{
    uint32_t words = (b->edges + 15) / 16, i, j;
    if (COMBGPU__GROUP_LANE == 0) {
        combgpu_store64(task + COMBGPU__BRANCH_TASK_BOUND, (uint64_t)bound);
        combgpu_store64(task + COMBGPU__BRANCH_TASK_SHARE, share);
    }
    for (i = COMBGPU__GROUP_LANE; i < b->nodes; i += COMBGPU__BRANCH_LANES)
        combgpu_store64(task + COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * i, (uint64_t)b->now[i]);
    task += COMBGPU__BRANCH_TASK_MULTIPLIERS + 2 * b->nodes;
    for (i = COMBGPU__GROUP_LANE; i < words; i += COMBGPU__BRANCH_LANES) {
        uint32_t word = 0;
        for (j = 0; j < 16 && i * 16 + j < b->edges; j++) {
            uint32_t edge = i * 16 + j, mark = b->marks[edge];
            if (edge == first) mark = first_mark;
            if (edge == other && other_mark) mark = other_mark;
            word |= mark << (2 * j);
        }
        task[i] = word;
    }
}

/* Makes a step of the multipliers along 7/10 of this 1-tree's degrees less 2 plus 3/10 of the
   previous one's. */
COMBGPU__DEVICE void combgpu_branch_move(COMBGPU__GROUP_PARAMETER, const combgpu_branch_t *b,
                                         uint32_t rows, int32_t *last, int64_t distance,
                                         uint32_t squares, uint32_t boldness, uint32_t begun)
{
    int64_t step = distance / squares;
    uint32_t k;
    step = (step >> 10) * boldness + (((step & 1023) * boldness) >> 10);
    if (step < 1) step = 1;
    if (step > COMBGPU__BRANCH_MULTIPLIER) step = COMBGPU__BRANCH_MULTIPLIER;
    for (k = 0; k < rows; k++) {
        uint32_t v = COMBGPU__GROUP_LANE + k * COMBGPU__BRANCH_LANES;
        int32_t excess;
        int64_t value;
        if (v >= b->nodes) continue;
        excess = (int32_t)b->degree[v] - 2;
        value = b->now[v] + step * (begun ? 7 * excess + 3 * last[k] : 10 * excess) / 10;
        b->now[v] = value > COMBGPU__BRANCH_MULTIPLIER    ? COMBGPU__BRANCH_MULTIPLIER
                    : value < -COMBGPU__BRANCH_MULTIPLIER ? -COMBGPU__BRANCH_MULTIPLIER
                                                          : value;
        last[k] = excess;
    }
}
