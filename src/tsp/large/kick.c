/* The local search until nothing helps, and kicks to get away from there. */

/* Tries one move at a city. Returns 0 if none improves the tour. */
COMBGPU__PRIVATE int combgpu__large_move_at(combgpu__large_search *search, int city)
{
    if (search->reversals > COMBGPU__LARGE_JOURNAL) {
        search->lost = 1;
        search->reversals = 0;
    }
    if (search->large->directed) return combgpu__large_or_three_opt(search, city);
    return combgpu__large_improves(search, city, combgpu__large_after(search, city)) ||
           combgpu__large_improves(search, city, combgpu__large_before(search, city)) ||
           combgpu__large_insert(search, city, combgpu__large_after(search, city)) ||
           combgpu__large_insert(search, city, combgpu__large_before(search, city));
}

/* Improves the tour until no move at any touched city does. */
COMBGPU__PRIVATE void combgpu__large_improve(combgpu__large_search *search)
{
    while (search->queue_count) {
        int city = search->queue[search->queue_first];
        if (++search->queue_first == search->cities) search->queue_first = 0;
        search->queue_count--;
        search->queued[city] = 0;
        while (combgpu__large_move_at(search, city)) {
        }
    }
}

COMBGPU__PRIVATE int combgpu__large_random(combgpu__large_search *search, int limit)
{
    search->random = combgpu__mix(search->random);
    return (int)((search->random >> 20) % (uint64_t)limit);
}

/* Nonzero if one of three legs does not exist. */
COMBGPU__PRIVATE int combgpu__large_barred(const combgpu__large_search *search, int a, int d, int e,
                                           int b, int c, int f)
{
    return combgpu__large_way(search, a, d) >= COMBGPU__LARGE_NONE ||
           combgpu__large_way(search, e, b) >= COMBGPU__LARGE_NONE ||
           combgpu__large_way(search, c, f) >= COMBGPU__LARGE_NONE;
}

/* Swaps two random neighbouring parts of at most 50 cities (a local double bridge; O. Martin, S.
   W. Otto, E. W. Felten, 1991). Returns 0 if that would cut a fixed edge. */
COMBGPU__PRIVATE int combgpu__large_kick(combgpu__large_search *search)
{
    int n = search->cities, within = n / 3 < 50 ? n / 3 : 50, a, b, c, d, e, f;
    int start = combgpu__large_random(search, n), next = start + 1 == n ? 0 : start + 1,
        one = 1 + combgpu__large_random(search, within);
    int other = 1 + combgpu__large_random(search, within);
    a = combgpu__large_at(search, start);
    b = combgpu__large_after(search, a);
    c = combgpu__large_at(search, start + one);
    d = combgpu__large_after(search, c);
    e = combgpu__large_at(search,
                          start + one + other >= n ? start + one + other - n : start + one + other);
    f = combgpu__large_after(search, e);
    if (!search->large->directed &&
        (combgpu__large_fixed(search->large, a, b) || combgpu__large_fixed(search->large, c, d) ||
         combgpu__large_fixed(search->large, e, f)))
        return 0;
    if (search->large->directed && combgpu__large_barred(search, a, d, e, b, c, f)) return 0;
    search->length += combgpu__large_way(search, a, d) + combgpu__large_way(search, e, b) +
                      combgpu__large_way(search, c, f) - combgpu__large_way(search, a, b) -
                      combgpu__large_way(search, c, d) - combgpu__large_way(search, e, f);
    combgpu__large_swap(search, next, one, other);
    combgpu__large_touch(search, a), combgpu__large_touch(search, b);
    combgpu__large_touch(search, c), combgpu__large_touch(search, d);
    combgpu__large_touch(search, e), combgpu__large_touch(search, f);
    return 1;
}

/* Kicks number first .. end-1: each depends on the tour and its number alone. A change that makes
   the tour longer is undone. */
COMBGPU__PRIVATE void combgpu__large_kicks(combgpu__large_search *search, uint64_t first,
                                           uint64_t end)
{
    for (; first < end; first++) {
        int64_t before = search->length;
        search->random = combgpu__mix(search->large->seed ^ combgpu__mix(first));
        search->reversals = search->lost = 0;
        if (!combgpu__large_kick(search)) continue;
        combgpu__large_improve(search);
        if (search->length > before && !search->lost) {
            combgpu__large_undo(search, 0);
            search->length = before;
        }
    }
}
