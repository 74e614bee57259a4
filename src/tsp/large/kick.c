/* The local search until nothing helps, and kicks to get away from there. */

#define COMBGPU__LARGE_WALK 50 /* steps of a random walk to the next leg of a kick, at most */

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

/* The city at the end of a random walk among neighbours. */
COMBGPU__PRIVATE int combgpu__large_wander(combgpu__large_search *search, int city)
{
    const combgpu__large *large = search->large;
    int steps = 1 + combgpu__large_random(search, COMBGPU__LARGE_WALK);
    for (; steps; steps--) {
        int node = city + (large->directed ? large->cities : 0);
        int first = large->near_begin[node], count = large->near_begin[node + 1] - first;
        if (count) city = large->nearby[first + combgpu__large_random(search, count)];
    }
    return city;
}

/* Chooses the places of four cities near each other, in the order of the tour, the longest way last: from the
   fourth to the first. Returns 0 if that fails. */
COMBGPU__PRIVATE int combgpu__large_cuts(combgpu__large_search *search, int *place)
{
    int n = search->cities, city = combgpu__large_random(search, n), count = 0, tries, i;
    int sorted[5], longest = 3;
    for (tries = 0; tries < 16 && count < 4; tries++) {
        int at = search->place[count ? combgpu__large_wander(search, city) : city];
        for (i = 0; i < count && sorted[i] != at; i++) {
        }
        if (i < count) continue;
        for (; i > 0 && sorted[i - 1] > at; i--)
            sorted[i] = sorted[i - 1];
        sorted[i] = at;
        count++;
    }
    if (count < 4) return 0;
    sorted[4] = sorted[0] + n;
    for (i = 0; i < 3; i++)
        if (sorted[i + 1] - sorted[i] > sorted[longest + 1] - sorted[longest]) longest = i;
    for (i = 0; i < 4; i++)
        place[i] = sorted[(longest + 1 + i) % 4];
    return 1;
}

/* A double bridge of four legs near each other: of the parts b, c, d between them the order becomes d, c, b (O.
   Martin, S. W. Otto, E. W. Felten, 1991; near each other by random walks: D. Applegate, W. Cook, A. Rohe,
   2003). Returns 0 if that would cut a fixed edge or take a leg that does not exist. */
COMBGPU__PRIVATE int combgpu__large_kick(combgpu__large_search *search)
{
    int n = search->cities, place[4], from[4], to[4], at, i;
    int64_t longer = 0;
    if (!combgpu__large_cuts(search, place)) return 0;
    for (i = 0; i < 4; i++) {
        from[i] = search->tour[place[i]];
        to[i] = combgpu__large_after(search, from[i]);
        if (!search->large->directed && combgpu__large_fixed(search->large, from[i], to[i]))
            return 0;
    }
    for (i = 0; i < 4; i++) {
        int64_t way = combgpu__large_way(search, from[i], to[i ^ 2]);
        if (way >= COMBGPU__LARGE_NONE) return 0;
        longer += way - combgpu__large_way(search, from[i], to[i]);
    }
    search->length += longer;
    at = (place[0] + 1) % n;
    combgpu__large_noted_turn(search, at, place[3]);
    for (i = 2; i >= 0; i--) {
        int next = (at + place[i + 1] - place[i] + n) % n;
        combgpu__large_noted_turn(search, at, (next ? next : n) - 1);
        at = next;
    }
    for (i = 0; i < 4; i++) {
        combgpu__large_touch(search, from[i]);
        combgpu__large_touch(search, to[i]);
    }
    return 1;
}

/* Kicks number first .. end-1: without slack each depends on the tour and its number alone, and a change
   that makes the tour longer is undone. With slack the tour may be that much longer than the best one
   (threshold accepting: G. Dueck and T. Scheuer, 1990). */
COMBGPU__PRIVATE void combgpu__large_kicks(combgpu__large_search *search, uint64_t first,
                                           uint64_t end)
{
    for (; first < end; first++) {
        int64_t before = search->length;
        int64_t most = search->slack ? search->least + search->slack : before;
        search->random = combgpu__mix(search->large->seed ^ combgpu__mix(first));
        search->reversals = search->lost = 0;
        if (!combgpu__large_kick(search)) continue;
        combgpu__large_improve(search);
        if (search->slack && search->length < search->least) {
            search->least = search->length;
            memcpy(search->best, search->tour, (size_t)search->cities * sizeof *search->best);
        }
        if (search->length > most && !search->lost) {
            combgpu__large_undo(search, 0);
            search->length = before;
        }
    }
}
