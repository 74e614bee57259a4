/* The local search of many cities whose weights depend on the direction: or-3opt. */

/* a [b .. c] [d .. e] f becomes a [d .. e] [b .. c] f, so that a nearer city follows `a`. The second
   part has at most `within` cities. */
COMBGPU__PRIVATE int combgpu__large_or_three_opt(combgpu__large_search *search, int a)
{
    const combgpu__large *large = search->large;
    int row = a + large->cities, b = combgpu__large_after(search, a), n = search->cities;
    int within = n < 100 ? n : 100, k, c, d, e, f, count;
    int64_t old = combgpu__large_way(search, a, b);
    for (k = large->near_begin[row]; k < large->near_begin[row + 1]; k++) {
        int64_t first;
        d = large->nearby[k];
        if (d == a || d == b) continue;
        first = old - large->near_cost[k];
        if (first <= 0) break;
        c = combgpu__large_before(search, d);
        first += combgpu__large_way(search, c, d);
        for (e = d, count = 1; e != a && count <= within; e = f, count++) {
            int64_t gain;
            f = combgpu__large_after(search, e);
            gain = first + combgpu__large_way(search, e, f) - combgpu__large_way(search, e, b) -
                   combgpu__large_way(search, c, f);
            if (gain <= 0) continue;
            combgpu__large_swap(search, search->place[b],
                                (search->place[d] - search->place[b] + n) % n, count);
            search->length -= gain;
            combgpu__large_touch(search, a), combgpu__large_touch(search, b);
            combgpu__large_touch(search, c), combgpu__large_touch(search, d);
            combgpu__large_touch(search, e), combgpu__large_touch(search, f);
            return 1;
        }
    }
    return 0;
}

/* Makes the nearest neighbour tour; the end of a path comes last. */
COMBGPU__PRIVATE combgpu_status combgpu__large_follow(combgpu_context *ctx, combgpu__large *large)
{
    combgpu_status status = COMBGPU_OK;
    int m = large->cities, at, u, city = large->special;
    char *seen = (char *)combgpu__large_array(ctx, m, 1, &status);
    for (at = 0; !status; at++) {
        int next = -1;
        large->tour[at] = city;
        seen[city] = 1;
        if (at + 1 == m) break;
        for (u = 0; u < m; u++)
            if (!seen[u] && (u != large->end || at + 2 == m) &&
                (next < 0 ||
                 combgpu__large_leg(large, city, u) < combgpu__large_leg(large, city, next)))
                next = u;
        city = next;
    }
    combgpu__release(ctx, seen);
    return status;
}
