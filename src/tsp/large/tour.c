/* A tour of many cities under local search: places, reversals, neighbours. */

#define COMBGPU__LARGE_JOURNAL 4096 /* reversals after a kick that can be undone */
#define COMBGPU__LARGE_MOVE 64      /* reversals of one move, at most */

/* A tour under improvement. */
typedef struct combgpu__large_search {
    const combgpu__large *large;
    int cities;
    int *tour, *place;                    /* place: of each city in the tour */
    int *queue, queue_first, queue_count; /* cities whose legs changed */
    unsigned char *queued;
    int (*journal)[2]; /* places from and to which were reversed */
    int reversals;     /* in the journal */
    int lost;          /* nonzero if there were more */
    int64_t length;
    uint64_t random;
    int64_t
        slack; /* how much longer than the best tour kicks may leave one; 0 = not longer than it was */
    int64_t least; /* with slack: the best tour's length */
    int *best;     /* and that tour */
} combgpu__large_search;

COMBGPU__PRIVATE size_t combgpu__large_search_bytes(const combgpu__large *large)
{
    return (size_t)large->cities * (4 * sizeof(int) + 8) +
           2 * (COMBGPU__LARGE_JOURNAL + COMBGPU__LARGE_MOVE) * sizeof(int) + 64;
}

COMBGPU__PRIVATE void combgpu__large_search_at(const combgpu__large *large, void *memory,
                                               combgpu__large_search *search)
{
    size_t cities = (size_t)large->cities;
    memset(search, 0, sizeof *search);
    search->large = large;
    search->cities = large->cities;
    search->tour = (int *)memory;
    search->place = search->tour + cities;
    search->queue = search->place + cities;
    search->best = search->queue + cities;
    search->journal = (int(*)[2])(void *)(search->best + cities);
    search->queued =
        (unsigned char *)(search->journal + COMBGPU__LARGE_JOURNAL + COMBGPU__LARGE_MOVE);
    memset(search->queued, 0, cities);
}

COMBGPU__PRIVATE void combgpu__large_put(combgpu__large_search *search, int place, int city)
{
    search->tour[place] = city;
    search->place[city] = place;
}

COMBGPU__PRIVATE int combgpu__large_at(const combgpu__large_search *search, int place)
{
    return search->tour[place >= search->cities ? place - search->cities : place];
}

COMBGPU__PRIVATE int combgpu__large_after(const combgpu__large_search *search, int city)
{
    return combgpu__large_at(search, search->place[city] + 1);
}

COMBGPU__PRIVATE int combgpu__large_before(const combgpu__large_search *search, int city)
{
    int place = search->place[city];
    return search->tour[(place ? place : search->cities) - 1];
}

COMBGPU__PRIVATE void combgpu__large_touch(combgpu__large_search *search, int city)
{
    int at = search->queue_first + search->queue_count;
    if (search->queued[city]) return;
    search->queued[city] = 1;
    search->queue[at >= search->cities ? at - search->cities : at] = city;
    search->queue_count++;
}

/* Lays a search out and begins with a tour. */
COMBGPU__PRIVATE void combgpu__large_search_set(const combgpu__large *large, void *memory,
                                                const int *tour, combgpu__large_search *search)
{
    int i;
    combgpu__large_search_at(large, memory, search);
    for (i = 0; i < large->cities; i++)
        combgpu__large_put(search, i, tour[i]);
}

COMBGPU__PRIVATE void combgpu__large_search_touch(combgpu__large_search *search)
{
    int i;
    for (i = 0; i < search->cities; i++)
        combgpu__large_touch(search, search->tour[i]);
}

/* Reverses the cities at places i, i+1 ..., j, counted around the end. */
COMBGPU__PRIVATE void combgpu__large_turn(combgpu__large_search *search, int i, int j)
{
    int n = search->cities, count = j - i + (j < i ? n : 0) + 1;
    for (count /= 2; count; count--) {
        int a = search->tour[i], b = search->tour[j];
        combgpu__large_put(search, i, b);
        combgpu__large_put(search, j, a);
        if (++i == n) i = 0;
        if (--j < 0) j = n - 1;
    }
}

/* The same, and remembers it. */
COMBGPU__PRIVATE void combgpu__large_noted_turn(combgpu__large_search *search, int i, int j)
{
    combgpu__large_turn(search, i, j);
    search->journal[search->reversals][0] = i;
    search->journal[search->reversals++][1] = j;
}

/* Takes back reversals until so many are left. */
COMBGPU__PRIVATE void combgpu__large_undo(combgpu__large_search *search, int left)
{
    while (search->reversals > left) {
        search->reversals--;
        combgpu__large_turn(search, search->journal[search->reversals][0],
                            search->journal[search->reversals][1]);
    }
}

/* Reverses the part of the tour from one city to another, or all the rest instead, which is the
   same, if that is shorter. */
COMBGPU__PRIVATE void combgpu__large_reverse(combgpu__large_search *search, int from, int to)
{
    int n = search->cities, i = search->place[from], j = search->place[to];
    int count = j - i + (j < i ? n : 0) + 1;
    if (2 * count > n) {
        int first = i;
        i = j + 1 == n ? 0 : j + 1;
        j = first ? first - 1 : n - 1;
        if (count == n) return;
    }
    combgpu__large_noted_turn(search, i, j);
}

/* The same for the part from u to v, which `outside` comes before; earlier reversals of all the rest
   may have turned the tour around. */
COMBGPU__PRIVATE void combgpu__large_flip(combgpu__large_search *search, int outside, int u, int v)
{
    if (combgpu__large_before(search, u) == outside)
        combgpu__large_reverse(search, u, v);
    else
        combgpu__large_reverse(search, v, u);
}

/* Swaps two neighbouring parts of `one` and `other` cities, the first of which begins at place i,
   or the shorter of the two with the rest, which makes the same cycle. */
COMBGPU__PRIVATE void combgpu__large_swap(combgpu__large_search *search, int i, int one, int other)
{
    int n = search->cities, rest = n - one - other;
    if (rest < one || rest < other) {
        if (one >= other) {
            i = (i + one) % n; /* other, rest */
            one = other;
            other = rest;
        } else {
            i = (i + one + other) % n; /* rest, one */
            other = one;
            one = rest;
        }
    }
    if (one > 1) combgpu__large_noted_turn(search, i, (i + one - 1) % n);
    if (other > 1) combgpu__large_noted_turn(search, (i + one) % n, (i + one + other - 1) % n);
    combgpu__large_noted_turn(search, i, (i + one + other - 1) % n);
}

COMBGPU__PRIVATE int64_t combgpu__large_way(const combgpu__large_search *search, int a, int b)
{
    return combgpu__large_leg(search->large, a, b);
}

/* The k-th neighbour of a city and the cost to it; the depot is the first of all. Returns -1 after
   the last. */
COMBGPU__PRIVATE int combgpu__large_neighbour(const combgpu__large_search *search, int city, int k,
                                              int64_t *cost)
{
    const combgpu__large *large = search->large;
    int at;
    if (large->depot >= 0) {
        if (!k) {
            *cost = 0;
            return city == large->depot ? -1 : large->depot;
        }
        k--;
    }
    at = large->near_begin[city] + k;
    if (k >= COMBGPU__LARGE_NEAR || at >= large->near_begin[city + 1]) return -1;
    *cost = large->near_cost[at];
    return large->nearby[at];
}
