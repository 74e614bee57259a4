/* The local search of many cities: 2-opt and Or-opt on neighbour lists, with kicks. */

#define COMBGPU__LARGE_JOURNAL 4096 /* reversals between a kick and its end that can be undone */

/* A tour under improvement. Weights are symmetric here; large/arcs.c has the other form. */
typedef struct combgpu__large_search {
    const combgpu__large *large;
    int cities;
    int *tour, *place;                    /* place: of each city in the tour */
    int *queue, queue_first, queue_count; /* cities whose legs changed */
    unsigned char *queued;
    int (*journal)[2]; /* places from and to which were reversed */
    int reversals;     /* above the journal's size: cannot be undone */
    int64_t length;
    uint64_t random;
} combgpu__large_search;

COMBGPU__PRIVATE size_t combgpu__large_search_bytes(const combgpu__large *large)
{
    return (size_t)large->cities * (3 * sizeof(int) + 8) +
           2 * COMBGPU__LARGE_JOURNAL * 3 * sizeof(int) + 64;
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
    search->journal = (int(*)[2])(void *)(search->queue + cities);
    search->queued = (unsigned char *)(search->journal + 3 * COMBGPU__LARGE_JOURNAL);
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
    combgpu__large_turn(search, i, j);
    if (search->reversals < COMBGPU__LARGE_JOURNAL) {
        search->journal[search->reversals][0] = i;
        search->journal[search->reversals][1] = j;
    }
    search->reversals++;
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

/* 2-opt: a b .. c d becomes a c .. b d, where b is after a, or before it. */
COMBGPU__PRIVATE int combgpu__large_two_opt(combgpu__large_search *search, int a, int forward)
{
    int b = forward ? combgpu__large_after(search, a) : combgpu__large_before(search, a), c, d, k;
    int64_t old = combgpu__large_way(search, a, b), joined = 0;
    if (combgpu__large_fixed(search->large, a, b)) return 0;
    for (k = 0; (c = combgpu__large_neighbour(search, a, k, &joined)) >= 0; k++) {
        int64_t gain = old - joined;
        if (gain <= 0) break;
        d = forward ? combgpu__large_after(search, c) : combgpu__large_before(search, c);
        if (c == b || d == a) continue;
        gain += combgpu__large_way(search, c, d) - combgpu__large_way(search, b, d);
        if (gain <= 0 || combgpu__large_fixed(search->large, c, d)) continue;
        if (forward)
            combgpu__large_reverse(search, b, c);
        else
            combgpu__large_reverse(search, c, b);
        search->length -= gain;
        combgpu__large_touch(search, a);
        combgpu__large_touch(search, b);
        combgpu__large_touch(search, c);
        combgpu__large_touch(search, d);
        return 1;
    }
    return 0;
}

/* Moves the part first .. last between c and the city after it, d: by reversals of what lies
   between. `turned`: last then follows c. */
COMBGPU__PRIVATE void combgpu__large_carry(combgpu__large_search *search, int first, int last,
                                           int c, int d, int turned)
{
    int before = combgpu__large_before(search, first), after = combgpu__large_after(search, last);
    int n = search->cities, at = search->place[first];
    int ahead = search->place[c] - at, behind = at - search->place[d];
    if (ahead < 0) ahead += n;
    if (behind < 0) behind += n;
    if (ahead <= behind) {                        /* before [first .. last] [after .. c] d */
        combgpu__large_reverse(search, first, c); /* before [c .. after] [last .. first] d */
        if (c != after) combgpu__large_flip(search, before, c, after);
        if (!turned && first != last) combgpu__large_flip(search, c, last, first);
    } else {                                     /* c [d .. before] [first .. last] after */
        combgpu__large_reverse(search, d, last); /* c [last .. first] [before .. d] after */
        if (d != before) combgpu__large_flip(search, first, before, d);
        if (!turned && first != last) combgpu__large_flip(search, c, last, first);
    }
}

/* Or-opt (I. Or, 1976): moves the part of up to three cities that begins with `a`, in one or the
   other direction, next to a neighbour of `a`. */
COMBGPU__PRIVATE int combgpu__large_or_opt(combgpu__large_search *search, int a, int forward)
{
    const combgpu__large *large = search->large;
    int size, e = a, c, k, side;
    for (size = 1; size <= 3 && size + 2 < search->cities; size++) {
        /* the part is a .. e; p and q are the cities beside it */
        int p = forward ? combgpu__large_before(search, a) : combgpu__large_after(search, a), q;
        int64_t freed, joined = 0;
        if (size > 1)
            e = forward ? combgpu__large_after(search, e) : combgpu__large_before(search, e);
        q = forward ? combgpu__large_after(search, e) : combgpu__large_before(search, e);
        if (combgpu__large_fixed(large, p, a) || combgpu__large_fixed(large, e, q)) continue;
        freed = combgpu__large_way(search, p, a) + combgpu__large_way(search, e, q) -
                combgpu__large_way(search, p, q);
        for (k = 0; (c = combgpu__large_neighbour(search, a, k, &joined)) >= 0; k++) {
            if (freed - joined <= 0) break;
            for (side = 0; side < 2; side++) { /* between c and the city after, or before, it */
                int d = side ? combgpu__large_after(search, c) : combgpu__large_before(search, c);
                int i = search->place[c] - search->place[a], from = forward ? a : e,
                    to = forward ? e : a;
                int64_t gain;
                if (!forward) i = -i;
                if (i < 0) i += search->cities;
                if (i < size || d == a || d == e) continue; /* c is of the part, or d is */
                gain = freed - joined + combgpu__large_way(search, c, d) -
                       combgpu__large_way(search, e, d);
                if (gain <= 0 || combgpu__large_fixed(large, c, d)) continue;
                /* side: c then a .. e then d; the part keeps its direction if it is forward */
                if (side)
                    combgpu__large_carry(search, from, to, c, d, !forward);
                else
                    combgpu__large_carry(search, from, to, d, c, forward);
                search->length -= gain;
                combgpu__large_touch(search, p), combgpu__large_touch(search, q);
                combgpu__large_touch(search, a), combgpu__large_touch(search, e);
                combgpu__large_touch(search, c), combgpu__large_touch(search, d);
                return 1;
            }
        }
    }
    return 0;
}
