/* Searches: checks the description, and makes the walks' beginning. */

/* Checks the fields of the goal. */
COMBGPU__PRIVATE combgpu_status
combgpu__perm_search_check_goal(combgpu_context *ctx, const combgpu_perm_search_desc *desc)
{
    const int counts = desc->goal == COMBGPU_SEARCH_COUNT;
    const int bins = desc->goal == COMBGPU_SEARCH_HISTOGRAM;
    const int best = desc->goal >= COMBGPU_SEARCH_FIRST && desc->goal <= COMBGPU_SEARCH_MAXIMUM;
    const struct {
        const char *name;
        int set, belongs;
        const char *where;
    } fields[] = {{"start", desc->start != NULL, best, "goals FIRST, MINIMUM and MAXIMUM"},
                  {"solution", desc->solution != NULL, counts, "goal COUNT"},
                  {"limit", desc->limit != 0, counts, "goal COUNT"},
                  {"out", desc->out || desc->out_bytes, counts, "goal COUNT"},
                  {"bins", desc->bins != 0, bins, "goal HISTOGRAM"},
                  {"histogram", desc->histogram != NULL, bins, "goal HISTOGRAM"}};
    size_t i;
    if ((int)desc->goal < 0 || (int)desc->goal > COMBGPU_SEARCH_HISTOGRAM)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.goal is %d; it may be 0 (count), 1 (first), 2 (minimum), "
                             "3 (maximum), 4 (sum), 5 (histogram)",
                             (int)desc->goal);
    for (i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].set && !fields[i].belongs)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.%s is set; it is for %s",
                                 fields[i].name, fields[i].where);
    if (!desc->out != !desc->out_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.out is %s, but desc.out_bytes is %llu",
                             desc->out ? "set" : "NULL", (unsigned long long)desc->out_bytes);
    if (bins && (desc->bins < 1 || desc->bins > COMBGPU__VISIT_BINS))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.bins is %d; with goal HISTOGRAM it may be 1 to %d", desc->bins,
                             COMBGPU__VISIT_BINS);
    if (bins && !desc->histogram)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.histogram is NULL; goal HISTOGRAM needs it");
    return COMBGPU_OK;
}

/* Checks the callbacks and their data. */
COMBGPU__PRIVATE combgpu_status
combgpu__perm_search_check_parts(combgpu_context *ctx, const combgpu_perm_search_desc *desc)
{
    const combgpu_perm_searcher *searcher = desc->searcher;
    const combgpu_context *device;
    int i;
    if (!searcher) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.searcher is NULL");
    if (!searcher->name || !searcher->run || !searcher->go)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.searcher is incomplete; define it with COMBGPU_PERM_SEARCH");
    if (desc->goal > COMBGPU_SEARCH_FIRST && !(searcher->parts & COMBGPU__PERM_SEARCH_HAS_LEAF))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "searcher %.100s has no leaf(); only goals COUNT and FIRST need none",
                             searcher->name);
    for (i = 0; (device = combgpu__device_context(ctx, i)) != NULL; i++)
        if (combgpu__device(device)->backend == COMBGPU_BACKEND_CUDA && !searcher->cuda_kernels[0])
            return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                                 "searcher %.100s has no form for cuda: the file that defines it "
                                 "must be compiled by nvcc with COMBGPU_CUDA",
                                 searcher->name);
    return combgpu__perm_check_data(ctx, desc->data, desc->data_bytes);
}

/* Checks the set, of any number of members, and makes state->set of it. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_check_set(combgpu_context *ctx,
                                                               combgpu__perm_search_state *state)
{
    static const char *const names[] = {"ALL",         "PARTIAL", "MULTISET", "DERANGEMENT",
                                        "COMBINATION", "GRAY",    "CYCLE",    "CIRCULAR"};
    combgpu_perm_search_desc *desc = &state->desc;
    const combgpu_perm_set *from = desc->set;
    combgpu__perm_set *set = &state->set;
    int takes_k, sum = 0, i;
    if (from && ((int)from->family < 0 || from->family > COMBGPU_PERM_CIRCULAR ||
                 from->family == COMBGPU_PERM_GRAY || from->family == COMBGPU_PERM_CYCLE))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.set->family is %d; a search takes 0 (ALL), 1 (PARTIAL), "
                             "2 (MULTISET), 3 (DERANGEMENT), 4 (COMBINATION), 7 (CIRCULAR)",
                             (int)from->family);
    set->family = from ? from->family : COMBGPU_PERM_ALL;
    set->n = set->length = from ? from->n : desc->n;
    if (set->n < 1 || set->n > COMBGPU__PERM_MOST)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.%s is %d; it may be 1 to %d",
                             from ? "set->n" : "n", set->n, COMBGPU__PERM_MOST);
    if (from && desc->n && desc->n != from->n)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.n is %d; with desc.set->n = %d it may be 0 or %d", desc->n,
                             from->n, from->n);
    memset(set->repeats, 1, (size_t)set->n);
    if (!from) return COMBGPU_OK;
    takes_k = set->family == COMBGPU_PERM_PARTIAL || set->family == COMBGPU_PERM_COMBINATION;
    if (takes_k ? from->k < 1 || from->k > from->n : from->k != 0)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             takes_k
                                 ? "desc.set->k is %d; with family %s and n = %d it may be 1 to n"
                                 : "desc.set->k is %d; with family %s and n = %d it must be 0",
                             from->k, names[set->family], from->n);
    if (!from->repeats != (set->family != COMBGPU_PERM_MULTISET))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.set->repeats is %s; it is for family MULTISET, which needs it",
                             from->repeats ? "set" : "NULL");
    set->k = from->k;
    if (takes_k) set->length = set->k;
    if (!from->repeats) return COMBGPU_OK;
    for (i = 0; i < set->n; i++) {
        set->repeats[i] = from->repeats[i];
        sum += from->repeats[i];
    }
    if (sum < 1 || sum > COMBGPU__PERM_MOST)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "the sum of desc.set->repeats is %d; it may be 1 to %d", sum,
                             COMBGPU__PERM_MOST);
    set->length = sum;
    return COMBGPU_OK;
}

/* Makes the walk before the first position; checks the order. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_root(combgpu_context *ctx,
                                                          combgpu__perm_search_state *state)
{
    combgpu__perm_search_walk *walk = &state->root;
    const combgpu_perm_search_desc *desc = &state->desc;
    uint64_t seen = 0;
    int has_bound = desc->searcher->parts & COMBGPU__PERM_SEARCH_HAS_BOUND, i;
    walk->n = state->set.n;
    walk->length = state->set.length;
    walk->family = (int)state->set.family;
    walk->is_multi = state->set.family == COMBGPU_PERM_MULTISET;
    walk->data = state->data;
    memcpy(walk->repeats, state->set.repeats, sizeof walk->repeats);
    walk->best_key = INT64_MAX;
    memset(walk->best, 255, sizeof walk->best); /* none yet: others with this key come first */
    walk->prunes =
        desc->goal == COMBGPU_SEARCH_FIRST                  ? COMBGPU__PERM_SEARCH_PRUNES_LATER
        : desc->goal == COMBGPU_SEARCH_MINIMUM && has_bound ? COMBGPU__PERM_SEARCH_PRUNES_ABOVE
        : desc->goal == COMBGPU_SEARCH_MAXIMUM && has_bound ? COMBGPU__PERM_SEARCH_PRUNES_BELOW
                                                            : 0;
    for (i = 0; i < walk->n; i++) {
        int value = desc->order ? desc->order[i] : i;
        if (value >= walk->n || seen >> value & 1)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.order[%d] is %d, which is %s; it has each of 0 to %d once",
                                 i, value, value >= walk->n ? "no value" : "there before",
                                 walk->n - 1);
        seen |= UINT64_C(1) << value;
        walk->is_ordered |= value != i;
        walk->order[i] = (uint8_t)value;
        walk->rank[value] = (uint8_t)i;
    }
    combgpu__perm_search_reset(walk);
    return COMBGPU_OK;
}

/* Takes desc.start as the best member so far. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_take_start(combgpu_context *ctx,
                                                                combgpu__perm_search_state *state)
{
    combgpu__perm_search_walk walk = state->root;
    const combgpu_perm_search_desc *desc = &state->desc;
    uint64_t allowed = 0;
    int64_t value = 0;
    if (!desc->start) return COMBGPU_OK;
    if (!desc->searcher->go(&walk, desc->start, walk.length, &allowed, &value) ||
        (desc->goal == COMBGPU_SEARCH_FIRST && !value))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.start is not a member of the set, or searcher %.100s rejects it",
                             desc->searcher->name);
    state->version += (uint32_t)combgpu__perm_search_improve(
        state, combgpu__perm_search_key(state, value), value, desc->start);
    return COMBGPU_OK;
}
