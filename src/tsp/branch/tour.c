/* The local search for a good first tour. */

#define COMBGPU__TOUR_NEAR 10 /* neighbours of a city that are tried */

/* A tour and what its improvement needs. Costs need not be symmetric. */
typedef struct combgpu__branch_tour_search {
    int cities, symmetric, neighbours, kicks;
    int part; /* cities of a part that or-3opt moves, at most */
    const int64_t *costs;
    uint64_t random;
    int *tour, *position, *spare, *best;
    int (*nearest)[COMBGPU__TOUR_NEAR];   /* cheapest to go to, in ascending order */
    int *queue, queue_first, queue_count; /* cities whose legs changed */
    unsigned char *queued;
} combgpu__branch_tour_search;

/* The bytes of a search, with its arrays. */
COMBGPU__PRIVATE size_t combgpu__branch_tour_bytes(int cities)
{
    return sizeof(combgpu__branch_tour_search) +
           (size_t)cities * ((5 + COMBGPU__TOUR_NEAR) * sizeof(int) + 1);
}

/* Sets the pointers to the arrays, which follow the struct. */
COMBGPU__PRIVATE void combgpu__branch_tour_arrays(combgpu__branch_tour_search *search, int cities)
{
    search->cities = cities;
    search->tour = (int *)(void *)(search + 1);
    search->position = search->tour + cities;
    search->spare = search->position + cities;
    search->best = search->spare + cities;
    search->queue = search->best + cities;
    search->nearest = (int(*)[COMBGPU__TOUR_NEAR])(void *)(search->queue + cities);
    search->queued = (unsigned char *)(search->nearest + cities);
}

COMBGPU__PRIVATE int combgpu__branch_next_city(const combgpu__branch_tour_search *search, int city)
{
    int at = search->position[city] + 1;
    return search->tour[at == search->cities ? 0 : at];
}

COMBGPU__PRIVATE int combgpu__branch_last_city(const combgpu__branch_tour_search *search, int city)
{
    int at = search->position[city];
    return search->tour[(at ? at : search->cities) - 1];
}

COMBGPU__PRIVATE void combgpu__branch_tour_queue(combgpu__branch_tour_search *search, int city)
{
    int at = search->queue_first + search->queue_count;
    if (search->queued[city]) return;
    search->queued[city] = 1;
    search->queue[at < search->cities ? at : at - search->cities] = city;
    search->queue_count++;
}

COMBGPU__PRIVATE void combgpu__branch_tour_place(combgpu__branch_tour_search *search, int position,
                                                 int city)
{
    search->tour[position] = city;
    search->position[city] = position;
}

COMBGPU__PRIVATE int64_t combgpu__branch_cycle_cost(const int64_t *costs, int cities,
                                                    const int *tour)
{
    int64_t cost = costs[tour[cities - 1] * cities + tour[0]];
    int i;
    for (i = 1; i < cities; i++)
        cost += costs[tour[i - 1] * cities + tour[i]];
    return cost;
}

COMBGPU__PRIVATE int64_t combgpu__branch_tour_cost(const combgpu__branch_tour_search *search)
{
    return combgpu__branch_cycle_cost(search->costs, search->cities, search->tour);
}

/* Reverses the part of the tour from one city to another. */
COMBGPU__PRIVATE void combgpu__branch_tour_reverse(combgpu__branch_tour_search *search, int from,
                                                   int to)
{
    int n = search->cities, i = search->position[from], j = search->position[to];
    int length = (j < i ? j - i + n : j - i) + 1;
    if (search->part < n && 2 * length > n) { /* the rest instead */
        int swap =
            i ? i - 1 : n - 1; /* but for the full effort, whose tours old checkpoints know */
        i = j + 1 == n ? 0 : j + 1;
        j = swap;
        length = n - length;
    }
    for (length /= 2; length; length--) {
        int a = search->tour[i], b = search->tour[j];
        combgpu__branch_tour_place(search, i, b);
        combgpu__branch_tour_place(search, j, a);
        i = i + 1 == n ? 0 : i + 1;
        j = j ? j - 1 : n - 1;
    }
}

/* Swaps two neighbouring parts: a [b .. c][d .. e] f becomes a [d .. e][b .. c] f. */
COMBGPU__PRIVATE void combgpu__branch_tour_swap(combgpu__branch_tour_search *search, int a, int b,
                                                int c, int d, int e, int f)
{
    const int *tour = search->tour;
    int n = search->cities, *spare = search->spare, count = 0, middle = 0, at, i;
    for (at = search->position[b];; at = at + 1 == n ? 0 : at + 1) {
        if (tour[at] == d) middle = count;
        spare[count++] = tour[at];
        if (tour[at] == e) break;
    }
    at = search->position[b];
    for (i = 0; i < count; i++, at = at + 1 == n ? 0 : at + 1)
        combgpu__branch_tour_place(search, at,
                                   spare[i + middle - (i + middle < count ? 0 : count)]);
    combgpu__branch_tour_queue(search, a), combgpu__branch_tour_queue(search, b);
    combgpu__branch_tour_queue(search, c), combgpu__branch_tour_queue(search, d);
    combgpu__branch_tour_queue(search, e), combgpu__branch_tour_queue(search, f);
}

/* 2-opt, for symmetric costs: reverses a part so that `a` gets a cheaper neighbour. */
COMBGPU__PRIVATE int combgpu__branch_tour_two_opt(combgpu__branch_tour_search *search, int a)
{
    const int64_t *costs = search->costs, *from = costs + a * search->cities;
    const int *nearest = search->nearest[a];
    int n = search->cities, neighbours = search->neighbours, forward, k;
    for (forward = 0; forward < 2; forward++) {
        int b =
            forward ? combgpu__branch_next_city(search, a) : combgpu__branch_last_city(search, a);
        for (k = 0; k < neighbours; k++) {
            int c = nearest[k], d;
            int64_t gain = from[b] - from[c];
            if (gain <= 0) break;
            d = forward ? combgpu__branch_next_city(search, c)
                        : combgpu__branch_last_city(search, c);
            gain += costs[c * n + d] - costs[b * n + d];
            if (gain <= 0 || c == b || d == a) continue;
            if (forward)
                combgpu__branch_tour_reverse(search, b, c);
            else
                combgpu__branch_tour_reverse(search, c, b);
            combgpu__branch_tour_queue(search, a), combgpu__branch_tour_queue(search, b);
            combgpu__branch_tour_queue(search, c), combgpu__branch_tour_queue(search, d);
            return 1;
        }
    }
    return 0;
}

/* Or-3opt: swaps two neighbouring parts, without reversal, so that a nearer city follows `a`. */
COMBGPU__PRIVATE int combgpu__branch_tour_or_three_opt(combgpu__branch_tour_search *search, int a)
{
    const int64_t *costs = search->costs, *from = costs + a * search->cities;
    const int *tour = search->tour, *nearest = search->nearest[a];
    int n = search->cities, neighbours = search->neighbours, k;
    int b = combgpu__branch_next_city(search, a);
    for (k = 0; k < neighbours; k++) {
        int d = nearest[k], at = search->position[d], left = search->part, c, e, f;
        int64_t first = from[b] - from[d];
        if (first <= 0) break;
        if (d == b) continue;
        c = tour[(at ? at : n) - 1];
        first += costs[c * n + d];
        for (e = d; e != a && left--; e = f) {
            at = at + 1 == n ? 0 : at + 1;
            f = tour[at];
            if (first + costs[e * n + f] - costs[e * n + b] - costs[c * n + f] <= 0) continue;
            combgpu__branch_tour_swap(search, a, b, c, d, e, f);
            return 1;
        }
    }
    return 0;
}

/* Improves the tour until no move at any city does. */
COMBGPU__PRIVATE void combgpu__branch_tour_improve(combgpu__branch_tour_search *search)
{
    while (search->queue_count) {
        int city = search->queue[search->queue_first];
        if (++search->queue_first == search->cities) search->queue_first = 0;
        search->queue_count--;
        search->queued[city] = 0;
        while ((search->symmetric && combgpu__branch_tour_two_opt(search, city)) ||
               combgpu__branch_tour_or_three_opt(search, city)) {
        }
    }
}

/* Returns a number below `limit` (xorshift64, G. Marsaglia 2003). */
COMBGPU__PRIVATE int combgpu__branch_tour_random(combgpu__branch_tour_search *search, int limit)
{
    search->random ^= search->random << 13;
    search->random ^= search->random >> 7;
    search->random ^= search->random << 17;
    return (int)((search->random >> 20) % (uint64_t)limit);
}

/* Swaps two random neighbouring parts of at most 50 cities (a local double bridge). */
COMBGPU__PRIVATE void combgpu__branch_tour_kick(combgpu__branch_tour_search *search)
{
    int n = search->cities, within = n < 50 ? n : 50, start, i, j, a, b, c, d, e, f;
    start = combgpu__branch_tour_random(search, n);
    i = 1 + combgpu__branch_tour_random(search, within - 2);
    j = 1 + combgpu__branch_tour_random(search, within - 3);
    if (j >= i) j++;
    if (i > j) {
        int swap = i;
        i = j;
        j = swap;
    }
    a = search->tour[start];
    b = combgpu__branch_next_city(search, a);
    c = search->tour[(start + i) % n];
    d = combgpu__branch_next_city(search, c);
    e = search->tour[(start + j) % n];
    f = combgpu__branch_next_city(search, e);
    combgpu__branch_tour_swap(search, a, b, c, d, e, f);
}

/* Makes the nearest neighbour tour from `first`. */
COMBGPU__PRIVATE void combgpu__branch_tour_nearest(combgpu__branch_tour_search *search, int first)
{
    unsigned char *seen = search->queued;
    int i, city, to;
    for (i = 0, city = first;; city = to) {
        const int64_t *from = search->costs + city * search->cities;
        seen[city] = 1;
        combgpu__branch_tour_place(search, i++, city);
        if (i == search->cities) break;
        for (to = -1, first = 0; first < search->cities; first++)
            if (!seen[first] && (to < 0 || from[first] < from[to])) to = first;
    }
    memset(seen, 0, (size_t)search->cities);
}

COMBGPU__PRIVATE void combgpu__branch_tour_neighbours(combgpu__branch_tour_search *search)
{
    int i, j, k;
    search->neighbours =
        search->cities - 1 < COMBGPU__TOUR_NEAR ? search->cities - 1 : COMBGPU__TOUR_NEAR;
    for (i = 0; i < search->cities; i++) {
        const int64_t *from = search->costs + i * search->cities;
        int *nearest = search->nearest[i], count = 0;
        for (j = 0; j < search->cities; j++) {
            if (j == i || (count == search->neighbours && from[j] >= from[nearest[count - 1]]))
                continue;
            if (count < search->neighbours) count++;
            for (k = count - 1; k > 0 && from[j] < from[nearest[k - 1]]; k--)
                nearest[k] = nearest[k - 1];
            nearest[k] = j;
        }
    }
}

COMBGPU__PRIVATE void combgpu__branch_tour_set(combgpu__branch_tour_search *search, const int *tour)
{
    int i;
    for (i = 0; i < search->cities; i++)
        combgpu__branch_tour_place(search, i, tour[i]);
}

/* Iterated local search (2-opt and or-3opt, local double bridges) from the nearest neighbour tour
   or `start`, whichever is shorter. `search` has costs; on return its tour is the best one found. */
COMBGPU__PRIVATE void combgpu__branch_tour_find(combgpu__branch_tour_search *search, int first,
                                                const int *start)
{
    int n = search->cities, kicks = search->kicks, i;
    int *best = search->best;
    size_t bytes = (size_t)n * sizeof *best;
    int64_t cost;
    combgpu__branch_tour_neighbours(search);
    combgpu__branch_tour_nearest(search, first);
    if (start) {
        memcpy(best, search->tour, bytes);
        cost = combgpu__branch_tour_cost(search);
        combgpu__branch_tour_set(search, start);
        if (combgpu__branch_tour_cost(search) > cost) combgpu__branch_tour_set(search, best);
    }
    if (n == 3) { /* there are two tours */
        cost = combgpu__branch_tour_cost(search);
        combgpu__branch_tour_reverse(search, search->tour[1], search->tour[2]);
        if (combgpu__branch_tour_cost(search) > cost)
            combgpu__branch_tour_reverse(search, search->tour[1], search->tour[2]);
    }
    if (n < 4) return;
    for (i = 0; i < n; i++)
        combgpu__branch_tour_queue(search, search->tour[i]);
    combgpu__branch_tour_improve(search);
    cost = combgpu__branch_tour_cost(search);
    memcpy(best, search->tour, bytes);
    for (; kicks; kicks--) {
        int64_t now;
        combgpu__branch_tour_kick(search);
        combgpu__branch_tour_improve(search);
        now = combgpu__branch_tour_cost(search);
        if (now <= cost) {
            cost = now;
            memcpy(best, search->tour, bytes);
        } else
            combgpu__branch_tour_set(search, best);
    }
}
