/* Tours with precedence: remembers the beginnings that the search has seen.

   Two beginnings with the same cities and the same last one differ only in their costs: the search
   goes on with the cheaper (M. Held and R. M. Karp, 1962). A table remembers the cheapest beginning
   of each kind that was pushed. When it is full, an entry with more cities, so with less below it,
   gives way; a forgotten beginning may be processed again. */

#define COMBGPU__SOP_LOCKS 256
#define COMBGPU__SOP_WAYS 4                          /* entries that a beginning may take */
#define COMBGPU__SOP_TABLE_BYTES (UINT64_C(1) << 30) /* limit if the context sets none */

typedef struct combgpu__sop_entry {
    combgpu__tsp_cities set;
    int64_t cost;
    uint32_t last, count; /* count: cities of the set; 0 = a free entry */
} combgpu__sop_entry;

typedef struct combgpu__sop_history {
    combgpu__sop_entry *entries;
    uint64_t mask; /* groups of WAYS entries, less 1 */
    uint64_t used;
    combgpu__lock locks[COMBGPU__SOP_LOCKS];
} combgpu__sop_history;

COMBGPU__PRIVATE combgpu_status combgpu__sop_history_make(combgpu_context *ctx,
                                                          combgpu__sop_history *history)
{
    size_t groups = 1 << 8, bytes = groups * COMBGPU__SOP_WAYS * sizeof *history->entries;
    history->entries = (combgpu__sop_entry *)combgpu__allocate_zeroed(ctx, bytes);
    if (!history->entries) return combgpu__no_memory(ctx, bytes);
    history->mask = groups - 1;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__sop_history_release(combgpu_context *ctx,
                                                   combgpu__sop_history *history)
{
    combgpu__release(ctx, history->entries);
    history->entries = NULL;
}

COMBGPU__INLINE uint64_t combgpu__sop_hash(const combgpu__tsp_cities *set, uint32_t last)
{
    return combgpu__mix(combgpu__mix(set->words[0] + last * UINT64_C(0x9e3779b97f4a7c15)) +
                        set->words[1]);
}

COMBGPU__INLINE int combgpu__sop_is(const combgpu__sop_entry *entry, const combgpu__tsp_cities *set,
                                    uint32_t last)
{
    return entry->count && entry->last == last && entry->set.words[0] == set->words[0] &&
           entry->set.words[1] == set->words[1];
}

/* Returns the group's entry for a beginning, or the one that may be overwritten. */
COMBGPU__INLINE combgpu__sop_entry *combgpu__sop_find(combgpu__sop_entry *group,
                                                      const combgpu__tsp_cities *set, uint32_t last)
{
    combgpu__sop_entry *worst = group;
    int k;
    for (k = 0; k < COMBGPU__SOP_WAYS; k++) {
        if (combgpu__sop_is(group + k, set, last)) return group + k;
        if (worst->count && (!group[k].count || group[k].count > worst->count)) worst = group + k;
    }
    return worst;
}

/* Asks about a beginning. `pushed`: nonzero: it is about to be pushed: returns whether it is
   cheaper than all before, and remembers it. Zero: it was pushed: returns whether none was cheaper
   since. *fresh counts the entries taken. */
COMBGPU__PRIVATE int combgpu__sop_ask(combgpu__sop_history *history, const combgpu__tsp_cities *set,
                                      int last, int count, int64_t cost, int pushed,
                                      uint64_t *fresh)
{
    uint64_t hash = combgpu__sop_hash(set, (uint32_t)last);
    combgpu__sop_entry *entry, *group;
    int better = 1;
    combgpu__lock *lock = &history->locks[hash % COMBGPU__SOP_LOCKS];
    combgpu__lock_take(lock);
    group = history->entries + (hash & history->mask) * COMBGPU__SOP_WAYS;
    entry = combgpu__sop_find(group, set, (uint32_t)last);
    if (combgpu__sop_is(entry, set, (uint32_t)last)) {
        better = pushed ? cost < entry->cost : cost <= entry->cost;
        if (better) entry->cost = cost;
    } else if (pushed && (!entry->count || entry->count >= (uint32_t)count)) {
        *fresh += !entry->count;
        entry->set = *set;
        entry->cost = cost;
        entry->last = (uint32_t)last;
        entry->count = (uint32_t)count;
    }
    combgpu__lock_free(lock);
    return better;
}

/* Between slices: makes the table four times as large if it is half full and memory allows. */
COMBGPU__PRIVATE void combgpu__sop_history_grow(combgpu_context *ctx, combgpu__sop_history *history,
                                                uint64_t used, uint64_t limit)
{
    uint64_t old = (history->mask + 1) * COMBGPU__SOP_WAYS, i;
    uint64_t bytes = old * 4 * sizeof *history->entries;
    combgpu__sop_entry *entries;
    history->used += used;
    if (history->used * 2 < old || bytes > limit || bytes > SIZE_MAX) return;
    entries = (combgpu__sop_entry *)combgpu__allocate_zeroed(ctx, (size_t)bytes);
    if (!entries) return;
    history->mask = history->mask * 4 + 3;
    history->used = 0;
    for (i = 0; i < old; i++) {
        const combgpu__sop_entry *from = history->entries + i;
        combgpu__sop_entry *group, *to;
        if (!from->count) continue;
        group = entries +
                (combgpu__sop_hash(&from->set, from->last) & history->mask) * COMBGPU__SOP_WAYS;
        to = combgpu__sop_find(group, &from->set, from->last);
        history->used += !to->count;
        *to = *from;
    }
    combgpu__release(ctx, history->entries);
    history->entries = entries;
}
