/* Searches: the C solver, and its treatment of leaves. */

#define COMBGPU__PERM_SEARCH_CHUNK 65536    /* steps between polls of the slice */
#define COMBGPU__PERM_SEARCH_CHUNK_BEST 256 /* the same where the best member is shared */

/* The data that a walk's leaves need. */
typedef struct combgpu__perm_search_hand {
    combgpu__worker *worker;
    combgpu__perm_search_state *state;
    uint32_t version; /* of the best member known to the walk */
    int full;         /* a record found no room */
    uint64_t *bins;
} combgpu__perm_search_hand;

COMBGPU__PRIVATE int combgpu__perm_search_leaf_count(combgpu__perm_search_walk *walk, int64_t value)
{
    combgpu__perm_search_hand *hand = (combgpu__perm_search_hand *)walk->user;
    uint32_t record[COMBGPU__PERM_SEARCH_RECORD_WORDS(COMBGPU__PERM_MOST)];
    if (!value) return 0;
    if (!hand->state->lists) {
        hand->worker->totals[COMBGPU__PERM_SEARCH_S_HITS]++;
        hand->worker->totals[COMBGPU__PERM_SEARCH_S_HASH] +=
            combgpu__perm_search_hash(walk->perm, walk->length);
        return 0;
    }
    combgpu__perm_search_put_perm(record, walk->perm, walk->length, walk->length);
    combgpu__put64(record + (walk->length + 3) / 4, (uint64_t)value);
    hand->full = !combgpu__emit(hand->worker, record);
    return hand->full;
}

COMBGPU__PRIVATE int combgpu__perm_search_leaf_sum(combgpu__perm_search_walk *walk, int64_t value)
{
    uint64_t *totals = ((combgpu__perm_search_hand *)walk->user)->worker->totals;
    uint64_t bits = (uint64_t)value;
    totals[COMBGPU__PERM_SEARCH_S_HITS]++;
    totals[COMBGPU__PERM_SEARCH_S_SUM] += bits & 65535;
    totals[COMBGPU__PERM_SEARCH_S_SUM + 1] += bits >> 16 & 65535;
    totals[COMBGPU__PERM_SEARCH_S_SUM + 2] += bits >> 32 & 65535;
    totals[COMBGPU__PERM_SEARCH_S_SUM + 3] += (bits >> 48) - (value < 0 ? 65536u : 0u);
    return 0;
}

COMBGPU__PRIVATE int combgpu__perm_search_leaf_bin(combgpu__perm_search_walk *walk, int64_t value)
{
    combgpu__perm_search_hand *hand = (combgpu__perm_search_hand *)walk->user;
    const combgpu_perm_search_desc *desc = &hand->state->desc;
    uint64_t bin = ((uint64_t)value - (uint64_t)desc->bin_first) / desc->bin_width;
    hand->worker->totals[COMBGPU__PERM_SEARCH_S_HITS]++;
    if (value >= desc->bin_first && bin < (uint64_t)desc->bins)
        hand->bins[bin]++;
    else
        hand->worker->totals[COMBGPU__PERM_SEARCH_S_OUTSIDE]++;
    return 0;
}

/* Brings the walk up to the shared best member. */
COMBGPU__PRIVATE void combgpu__perm_search_refresh(combgpu__perm_search_walk *walk)
{
    combgpu__perm_search_hand *hand = (combgpu__perm_search_hand *)walk->user;
    const combgpu__perm_search_best *best = &hand->state->best;
    int i;
    if (combgpu__shared(&hand->state->version) == hand->version) return;
    combgpu__lock_take(&hand->state->lock);
    hand->version = hand->state->version;
    walk->best_key = best->key;
    for (i = 0; i < walk->length; i++)
        walk->best[i] = walk->rank[best->perm[i]];
    combgpu__lock_free(&hand->state->lock);
}

COMBGPU__PRIVATE int combgpu__perm_search_leaf_best(combgpu__perm_search_walk *walk, int64_t value)
{
    combgpu__perm_search_hand *hand = (combgpu__perm_search_hand *)walk->user;
    combgpu__perm_search_state *state = hand->state;
    int64_t key = combgpu__perm_search_key(state, value);
    if ((state->desc.goal == COMBGPU_SEARCH_FIRST && !value) || key > walk->best_key) return 0;
    combgpu__lock_take(&state->lock);
    if (combgpu__perm_search_improve(state, key, value, walk->perm))
        (void)combgpu__shared_add(&state->version, 1);
    combgpu__lock_free(&state->lock);
    combgpu__perm_search_refresh(walk);
    return 0;
}

/* Spills all that is left, the deepest position first, which the next slice takes first. */
COMBGPU__PRIVATE void combgpu__perm_search_give(combgpu__worker *worker,
                                                const combgpu__perm_search_walk *walk)
{
    uint32_t task[COMBGPU__PERM_SEARCH_TASK_WORDS(COMBGPU__PERM_MOST)];
    int place;
    for (place = walk->place; place >= walk->base; place--) {
        if (!walk->todo[place]) continue;
        combgpu__perm_search_put_task(task, walk->perm, place, walk->length, walk->todo[place]);
        combgpu__give(worker, task);
    }
}

/* Begins a walk for a worker. */
COMBGPU__PRIVATE void combgpu__perm_search_begin_walk(combgpu__worker *worker,
                                                      combgpu__perm_search_hand *hand,
                                                      combgpu__perm_search_walk *walk)
{
    combgpu__perm_search_state *state = combgpu__perm_search_of(worker->job);
    size_t bins = (size_t)state->desc.bins;
    memset(hand, 0, sizeof *hand);
    hand->worker = worker;
    hand->state = state;
    *walk = state->root;
    walk->user = hand;
    walk->leaf = state->best_goal                               ? combgpu__perm_search_leaf_best
                 : state->desc.goal == COMBGPU_SEARCH_SUM       ? combgpu__perm_search_leaf_sum
                 : state->desc.goal == COMBGPU_SEARCH_HISTOGRAM ? combgpu__perm_search_leaf_bin
                                                                : combgpu__perm_search_leaf_count;
    if (state->desc.goal == COMBGPU_SEARCH_HISTOGRAM) {
        hand->bins = (uint64_t *)(void *)worker->work + bins * (1 + (size_t)worker->index);
        memset(hand->bins, 0, bins * sizeof *hand->bins);
    }
}

COMBGPU__PRIVATE void combgpu__perm_search_solve(combgpu__worker *worker)
{
    combgpu__perm_search_state *state = combgpu__perm_search_of(worker->job);
    combgpu__perm_search_walk walk;
    combgpu__perm_search_hand hand;
    const uint32_t *task;
    uint64_t chunk, left;
    combgpu__perm_search_begin_walk(worker, &hand, &walk);
    while ((task = combgpu__take(worker)) != NULL) {
        if (!combgpu__perm_search_go_to(state, &walk, task)) continue; /* never */
        while (walk.place > walk.base || walk.todo[walk.base]) {
            if (hand.full || combgpu__spent(worker)) {
                combgpu__perm_search_give(worker, &walk);
                return;
            }
            chunk = state->best_goal ? COMBGPU__PERM_SEARCH_CHUNK_BEST : COMBGPU__PERM_SEARCH_CHUNK;
            left = worker->slice->budget - worker->totals[0]; /* > 0: not spent */
            if (chunk > left) chunk = left;
            if (state->best_goal) combgpu__perm_search_refresh(&walk);
            walk.steps = chunk;
            state->desc.searcher->run(&walk);
            worker->totals[0] += chunk - walk.steps;
        }
    }
}
