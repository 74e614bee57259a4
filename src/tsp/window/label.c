/* Time windows of more cities than a table of sets allows: labels in layers.

   A layer has the labels of all sets of one size; a hash table by set and last city finds those that a
   new one may beat. Of finished layers only the last cities are kept, for the tour. Windows keep
   the layers small: no city precedes those that it would make late. */

#define COMBGPU__WINDOW_CHUNK 64 /* labels extended at a time, */
#define COMBGPU__WINDOW_ROOM(m) (COMBGPU__WINDOW_CHUNK * (uint32_t)(m)) /* to at most so many */
#define COMBGPU__WINDOW_FIRST_ROOM (1u << 14)
#define COMBGPU__WINDOW_NODE_BYTES (2 * sizeof(combgpu__window_node) + 2 * sizeof(uint32_t))

typedef struct combgpu__window_node {
    combgpu__tsp_cities set; /* with the last city */
    int64_t time, cost;
    uint32_t past; /* of the label before it; in `now` its own */
    uint32_t next; /* label of the same set and city that is later and cheaper */
    uint32_t city;
    uint32_t beaten;
} combgpu__window_node;

typedef struct combgpu__window_past {
    uint32_t before, city;
} combgpu__window_past;

/* The labels of one layer, which are extended to those of the next. */
typedef struct combgpu__window_layers {
    int size; /* cities in the sets of `now` */
    combgpu__window_node *now, *then;
    uint32_t now_count, then_count, at; /* at: the label of `now` to be extended next */
    uint32_t room;                      /* for labels, in each of the two */
    uint32_t *heads;                    /* by hash: the first label of a set and city */
    uint32_t head_mask;
    combgpu__window_past *past;
    uint32_t past_count, past_room;
    combgpu__tsp_cities
        *missed;   /* [city * (m + 1) + k]: the first k cities missed by staying there */
    int64_t *late; /* [city * m + k]: a start after this one misses k + 1 of them */
} combgpu__window_layers;

/* Sets for each city the others missed if its service starts too late. */
COMBGPU__PRIVATE void combgpu__window_order_missed(combgpu__window *w)
{
    combgpu__window_layers *layers = w->layers;
    int m = w->form.m, i, k, at;
    for (i = 0; i < m; i++) {
        int64_t *late = layers->late + i * m;
        combgpu__tsp_cities *missed = layers->missed + i * (m + 1);
        uint8_t city[COMBGPU__SOP_MOST];
        for (k = 0; k < m; k++) {
            int64_t last = w->due[k] == COMBGPU__WINDOW_NEVER || k == i
                               ? COMBGPU__WINDOW_NEVER
                               : w->due[k] - w->quickest[i][k];
            for (at = k; at && late[at - 1] > last; at--) {
                late[at] = late[at - 1];
                city[at] = city[at - 1];
            }
            late[at] = last;
            city[at] = (uint8_t)k;
        }
        memset(missed, 0, sizeof *missed);
        for (k = 0; k < m; k++) {
            missed[k + 1] = missed[k];
            combgpu__tsp_cities_add(&missed[k + 1], city[k]);
        }
    }
}

/* Nonzero if every city left can still be reached in time. */
COMBGPU__PRIVATE int combgpu__window_open(const combgpu__window *w,
                                          const combgpu__window_node *label)
{
    const combgpu__window_layers *layers = w->layers;
    int m = w->form.m, city = (int)label->city, low = 0, high = m;
    const int64_t *late = layers->late + city * m;
    if (label->time > w->due[city] || label->time > w->latest[city]) return 0;
    while (low < high) {
        int middle = (low + high) / 2;
        if (late[middle] < label->time)
            low = middle + 1;
        else
            high = middle;
    }
    return combgpu__tsp_cities_within(&layers->missed[city * (m + 1) + low], &label->set);
}

COMBGPU__PRIVATE uint32_t *combgpu__window_head(const combgpu__window_layers *layers,
                                                const combgpu__window_node *nodes,
                                                const combgpu__window_node *label)
{
    uint64_t hash =
        combgpu__mix(combgpu__mix(label->set.words[0] + label->city) + label->set.words[1]);
    uint32_t at = (uint32_t)hash & layers->head_mask;
    while (layers->heads[at] != COMBGPU__WINDOW_NONE) {
        const combgpu__window_node *other = nodes + layers->heads[at];
        if (other->city == label->city && other->set.words[0] == label->set.words[0] &&
            other->set.words[1] == label->set.words[1])
            break;
        at = (at + 1) & layers->head_mask;
    }
    return layers->heads + at;
}

/* Adds a label to the next layer if no other beats it; marks those that it beats. */
COMBGPU__PRIVATE void combgpu__window_enter(combgpu__window *w, const combgpu__window_node *label)
{
    combgpu__window_layers *layers = w->layers;
    combgpu__window_node *then = layers->then;
    uint32_t *link = combgpu__window_head(layers, then, label), next;
    if (w->earliest && *link != COMBGPU__WINDOW_NONE) {
        combgpu__window_node *other = then + *link;
        if (label->time < other->time || (label->time == other->time && label->cost < other->cost))
            *other = *label;
        return;
    }
    while (*link != COMBGPU__WINDOW_NONE && then[*link].time <= label->time) {
        if (then[*link].cost <= label->cost) return;
        if (then[*link].time == label->time) break; /* it has a higher cost */
        link = &then[*link].next;
    }
    for (next = *link; next != COMBGPU__WINDOW_NONE && then[next].cost >= label->cost;
         next = then[next].next)
        then[next].beaten = 1;
    *link = layers->then_count;
    then[layers->then_count] = *label;
    then[layers->then_count++].next = next;
}

/* Extends a label to all cities that may come next. */
COMBGPU__PRIVATE uint64_t combgpu__window_widen(combgpu__window *w,
                                                const combgpu__window_node *from)
{
    int m = w->form.m, city, last = from->city < (uint32_t)m ? (int)from->city : m;
    int first = w->layers->size == 0;
    uint64_t steps = 1;
    for (city = 0; city < m; city++) {
        combgpu__window_node label;
        if (combgpu__tsp_cities_has(&from->set, city) ||
            w->legs[last][city] == COMBGPU__WINDOW_NO_LEG ||
            !combgpu__tsp_cities_within(&w->form.before[city], &from->set))
            continue;
        label.time =
            first && w->form.front < 0 ? 0 : from->time + w->service[last] + w->legs[last][city];
        if (label.time < w->ready[city]) label.time = w->ready[city];
        label.set = from->set;
        combgpu__tsp_cities_add(&label.set, city);
        label.city = (uint32_t)city;
        if (!combgpu__window_open(w, &label)) continue;
        label.cost = from->cost + w->legs[last][city];
        label.past = from->past;
        label.next = COMBGPU__WINDOW_NONE;
        label.beaten = 0;
        combgpu__window_enter(w, &label);
        steps++;
    }
    return steps;
}

/* Makes the next layer the one to be extended. */
COMBGPU__PRIVATE void combgpu__window_turn(combgpu__window_layers *layers)
{
    combgpu__window_node *swap = layers->now;
    uint32_t k, count = 0;
    for (k = 0; k < layers->then_count; k++) {
        combgpu__window_node *label = layers->then + k;
        combgpu__window_past *past = layers->past + layers->past_count;
        if (label->beaten) continue;
        past->before = label->past;
        past->city = label->city;
        label->past = layers->past_count++;
        layers->then[count++] = *label;
    }
    layers->now = layers->then;
    layers->then = swap;
    layers->now_count = count;
    layers->then_count = layers->at = 0;
    layers->size++;
    memset(layers->heads, 255, ((size_t)layers->head_mask + 1) * sizeof *layers->heads);
}

/* Processes some labels. Returns its steps, 0 without room. */
COMBGPU__PRIVATE uint64_t combgpu__window_layer(combgpu__window *w)
{
    combgpu__window_layers *layers = w->layers;
    uint64_t steps = 1;
    uint32_t end = layers->now_count;
    if (end - layers->at > COMBGPU__WINDOW_CHUNK) end = layers->at + COMBGPU__WINDOW_CHUNK;
    w->missing = layers->room - layers->then_count < COMBGPU__WINDOW_ROOM(w->form.m) ||
                 layers->past_room - layers->past_count < layers->room;
    if (w->missing) return 0;
    while (layers->at < end)
        steps += combgpu__window_widen(w, layers->now + layers->at++);
    if (layers->at == layers->now_count) {
        combgpu__window_turn(layers);
        w->next = layers->now_count ? w->next + 1 : (uint32_t)w->form.m + 1;
    }
    return steps;
}

/* Finds the best label of the whole tour. */
COMBGPU__PRIVATE combgpu__window_finish combgpu__window_last(const combgpu__window *w)
{
    combgpu__window_finish best = {COMBGPU__WINDOW_NONE, 0, 0};
    uint32_t k;
    for (k = 0; k < w->layers->now_count; k++) {
        const combgpu__window_node *label = w->layers->now + k;
        combgpu__window_close(w, label->past, (int)label->city, label->time, label->cost, &best);
    }
    return best;
}

/* ---- memory */

COMBGPU__PRIVATE void combgpu__window_release_layers(combgpu_context *ctx,
                                                     combgpu__window_layers *layers)
{
    if (!layers) return;
    combgpu__release(ctx, layers->now);
    combgpu__release(ctx, layers->then);
    combgpu__release(ctx, layers->heads);
    combgpu__release(ctx, layers->past);
    combgpu__release(ctx, layers->missed);
    combgpu__release(ctx, layers->late);
    combgpu__release(ctx, layers);
}

/* Moves an array to memory of `room` entries. */
COMBGPU__PRIVATE combgpu_status combgpu__window_move(combgpu_context *ctx, void *array,
                                                     uint64_t count, uint64_t room, size_t size)
{
    void **at = (void **)array, *more = combgpu__allocate(ctx, (size_t)room * size);
    if (!more) return combgpu__no_memory(ctx, (size_t)room * size);
    if (count) memcpy(more, *at, (size_t)count * size);
    combgpu__release(ctx, *at);
    *at = more;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__window_too_free(combgpu_context *ctx,
                                                         const combgpu__window *w)
{
    return combgpu__fail(ctx, COMBGPU_OUT_OF_MEMORY,
                         "the time windows are so loose that their labels need more than %llu "
                         "bytes (memory_limit of the context; without it 2 GiB)",
                         (unsigned long long)w->limit);
}

/* Makes the hash table larger. */
COMBGPU__PRIVATE combgpu_status combgpu__window_grow_heads(combgpu_context *ctx,
                                                           combgpu__window_layers *layers)
{
    size_t bytes = 2 * (size_t)layers->room * sizeof *layers->heads;
    uint32_t *old = layers->heads, old_mask = old ? layers->head_mask : 0, k;
    uint32_t *heads = (uint32_t *)combgpu__allocate(ctx, bytes);
    if (!heads) return combgpu__no_memory(ctx, bytes);
    memset(heads, 255, bytes);
    layers->heads = heads;
    layers->head_mask = 2 * layers->room - 1;
    for (k = 0; old && k <= old_mask; k++)
        if (old[k] != COMBGPU__WINDOW_NONE)
            *combgpu__window_head(layers, layers->then, layers->then + old[k]) = old[k];
    combgpu__release(ctx, old);
    return COMBGPU_OK;
}

/* Makes room for another layer, or for more labels of the next one. */
COMBGPU__PRIVATE combgpu_status combgpu__window_grow_layers(combgpu_context *ctx,
                                                            combgpu__window *w)
{
    combgpu__window_layers *layers = w->layers;
    uint64_t room = layers->room, past_room = layers->past_room;
    combgpu_status status = COMBGPU_OK;
    if (!room)
        room = COMBGPU__WINDOW_FIRST_ROOM;
    else if (room - layers->then_count < COMBGPU__WINDOW_ROOM(w->form.m))
        room *= 2;
    if (past_room - layers->past_count < room) past_room = 2 * past_room + room;
    if (past_room > UINT32_MAX / 2 ||
        room * COMBGPU__WINDOW_NODE_BYTES + past_room * sizeof *layers->past > w->limit)
        return combgpu__window_too_free(ctx, w);
    if (past_room > layers->past_room)
        status = combgpu__window_move(ctx, &layers->past, layers->past_count, past_room,
                                      sizeof *layers->past);
    if (!status) layers->past_room = (uint32_t)past_room;
    if (status || room == layers->room) return status;
    status = combgpu__window_move(ctx, &layers->now, layers->now_count, room, sizeof *layers->now);
    if (!status)
        status = combgpu__window_move(ctx, &layers->then, layers->then_count, room,
                                      sizeof *layers->then);
    if (status) return status;
    layers->room = (uint32_t)room;
    return combgpu__window_grow_heads(ctx, layers);
}

/* Makes the layer of no city. */
COMBGPU__PRIVATE combgpu_status combgpu__window_first_layer(combgpu_context *ctx,
                                                            combgpu__window *w)
{
    size_t m = (size_t)w->form.m;
    combgpu__window_layers *layers =
        (combgpu__window_layers *)combgpu__allocate_zeroed(ctx, sizeof *layers);
    combgpu_status status;
    w->layers = layers;
    if (!layers) return combgpu__no_memory(ctx, sizeof *layers);
    status = combgpu__window_move(ctx, &layers->late, 0, m * m, sizeof *layers->late);
    if (!status)
        status = combgpu__window_move(ctx, &layers->missed, 0, m * (m + 1), sizeof *layers->missed);
    if (!status) status = combgpu__window_grow_layers(ctx, w);
    if (status) return status;
    combgpu__window_order_missed(w);
    memset(layers->now, 0, sizeof *layers->now);
    layers->now->time = w->ready[m];
    layers->now->past = COMBGPU__WINDOW_NONE;
    layers->now->city = (uint32_t)m;
    layers->now_count = w->form.front < 0 || w->ready[m] <= w->due[m];
    return COMBGPU_OK;
}
