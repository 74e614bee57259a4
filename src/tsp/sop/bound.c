/* Tours with precedence: computes lower bounds for every way to go on.

   bounds[p][i][Q] is at most the cost of completing any order whose place p holds city i, when the
   cities Q, of the few that i watches, have been visited. It is computed from the last place
   to the first over walks that may visit a city again once no city on the way watches it (R.
   Baldacci, A. Mingozzi and R. Roberti, 2011: ng-routes). A walk never visits a city after one that
   must come later, if that one is watched. A price for each city, charged at each visit, leads
   walks to visit every city once: sub-gradient ascent finds prices that raise the bound, and a city
   that the best walk visits again becomes watched on the way between (R. Roberti and A. Mingozzi,
   2014).

   Bounds are in units of costs / 2^shift, rounded down, so that they stay below 2^30. */

#define COMBGPU__SOP_WATCHED 12             /* cities that a city watches, at most */
#define COMBGPU__SOP_FAR ((int32_t)1 << 30) /* no way to go on */
#define COMBGPU__SOP_NONE UINT32_MAX

typedef struct combgpu__sop_bounds {
    const combgpu__sop_form *form;
    int m, shift;    /* unit = cost * 2^shift; or * 2^-(-shift) */
    int most;        /* units of a price, at most */
    int64_t length;  /* only shorter tours are of interest */
    int64_t known;   /* that in units */
    size_t room;     /* words of `rows` */
    size_t map_room; /* entries of `maps` */
    int arc_count;
    uint16_t arc_from[COMBGPU__SOP_MOST * COMBGPU__SOP_MOST];
    uint16_t arc_to[COMBGPU__SOP_MOST * COMBGPU__SOP_MOST];
    int arc_begin[COMBGPU__SOP_MOST + 1]; /* arcs from a city */
    int32_t *weights;                     /* of the arcs; then of beginning and of ending */
    uint32_t *row;                        /* [(p - 1) * m + i]: where its row begins, or NONE */
    int32_t *rows;  /* 2^watched + 1 entries each, the last one FAR for what is not allowed */
    uint32_t *map;  /* of each arc: where its map begins */
    uint16_t *maps; /* from Q at the arc's beginning to Q at its end */
    int watched[COMBGPU__SOP_MOST];
    unsigned char watch[COMBGPU__SOP_MOST][COMBGPU__SOP_WATCHED];
    combgpu__tsp_cities watches[COMBGPU__SOP_MOST];
    int before[COMBGPU__SOP_MOST], after[COMBGPU__SOP_MOST]; /* how many */
    int32_t price[COMBGPU__SOP_MOST], best[COMBGPU__SOP_MOST];
    int32_t excess[COMBGPU__SOP_MOST], last[COMBGPU__SOP_MOST]; /* visits of a walk, less 1 */
    int walk[COMBGPU__SOP_MOST];
    int64_t bound; /* the best so far, units */
    int boldness, waited, passes;
    int cap;               /* cities that a city may watch now */
    int mapped;            /* the maps are those of the layout */
    int finished;          /* the ascent has ended */
    int settled;           /* the rows are those of the best prices */
    uint64_t steps, until; /* of the ascent so far; after that it rests */
    uint64_t pass_steps;   /* relaxations of a pass */
} combgpu__sop_bounds;

COMBGPU__PRIVATE int32_t combgpu__sop_units(const combgpu__sop_bounds *b, int64_t cost)
{
    return (int32_t)(b->shift >= 0 ? cost << b->shift : cost >> -b->shift);
}

/* Units of a completion's bound as a cost, rounded up: costs are whole numbers. */
COMBGPU__INLINE int64_t combgpu__sop_whole(const combgpu__sop_bounds *b, int64_t units)
{
    if (units <= 0) return 0;
    return b->shift >= 0 ? (units + ((int64_t)1 << b->shift) - 1) >> b->shift : units << -b->shift;
}

COMBGPU__INLINE int32_t *combgpu__sop_row(const combgpu__sop_bounds *b, int place, int city)
{
    return b->rows + b->row[(size_t)(place - 1) * (size_t)b->m + (size_t)city];
}

COMBGPU__PRIVATE int combgpu__sop_may_hold(const combgpu__sop_bounds *b, int place, int city)
{
    return place > b->before[city] && place <= b->m - b->after[city];
}

/* Which of the cities that `city` watches are in the set. */
COMBGPU__INLINE uint32_t combgpu__sop_seen(const combgpu__sop_bounds *b, int city,
                                           const combgpu__tsp_cities *set)
{
    uint32_t seen = 0;
    int k;
    for (k = 0; k < b->watched[city]; k++)
        seen |= (uint32_t)combgpu__tsp_cities_has(set, b->watch[city][k]) << k;
    return seen;
}

/* Allocates nothing: lays out rows and maps for what is watched now. Returns 0 if they are too
   large. */
COMBGPU__PRIVATE int combgpu__sop_lay_out(combgpu__sop_bounds *b)
{
    size_t at = 0;
    int p, i, a;
    uint64_t steps = 0;
    for (p = 1; p <= b->m; p++)
        for (i = 0; i < b->m; i++) {
            uint32_t *row = b->row + (size_t)(p - 1) * (size_t)b->m + i;
            *row = COMBGPU__SOP_NONE;
            if (!combgpu__sop_may_hold(b, p, i)) continue;
            *row = (uint32_t)at;
            at += ((size_t)1 << b->watched[i]) + 1;
            steps += (uint64_t)(b->arc_begin[i + 1] - b->arc_begin[i]) << b->watched[i];
        }
    if (at > b->room) return 0;
    for (a = 0, at = 0; a < b->arc_count; a++) {
        b->map[a] = (uint32_t)at;
        at += (size_t)1 << b->watched[b->arc_from[a]];
    }
    if (at > b->map_room) return 0;
    b->pass_steps = steps;
    b->mapped = 0;
    return 1;
}

/* Fills in the arcs' maps. */
COMBGPU__PRIVATE void combgpu__sop_make_maps(combgpu__sop_bounds *b)
{
    const combgpu__sop_form *form = b->form;
    int a, k, x;
    for (a = 0; a < b->arc_count; a++) {
        int i = b->arc_from[a], j = b->arc_to[a];
        uint16_t *map = b->maps + b->map[a], none = (uint16_t)(1u << b->watched[j]), base = 0;
        uint16_t bit[COMBGPU__SOP_WATCHED];
        uint32_t set;
        for (x = 0; x < b->watched[j]; x++) {
            k = b->watch[j][x];
            if (k == i || combgpu__tsp_cities_has(&form->before[i], k))
                base = (uint16_t)(base | 1u << x);
        }
        for (x = 0; x < b->watched[i]; x++) {
            k = b->watch[i][x];
            bit[x] = k == j || combgpu__tsp_cities_has(&form->after[j], k) ? none : 0;
        }
        for (x = 0; x < b->watched[j]; x++)
            for (k = 0; k < b->watched[i]; k++)
                if (b->watch[i][k] == b->watch[j][x] && bit[k] != none)
                    bit[k] = (uint16_t)(1u << x);
        map[0] = base;
        for (set = 1; set < 1u << b->watched[i]; set++) {
            int low = combgpu__lowest_bit64(set);
            uint16_t rest = map[set & (set - 1)];
            map[set] = rest == none || bit[low] == none ? none : (uint16_t)(rest | bit[low]);
        }
    }
    b->mapped = 1;
}

/* out[q] = min(out[q], weight + to[map[q]]) */
COMBGPU__INLINE void combgpu__sop_relax(int32_t *out, const int32_t *to, const uint16_t *map,
                                        int32_t weight, uint32_t count)
{
    uint32_t q;
    for (q = 0; q < count; q++) {
        int32_t cost = to[map[q]] + weight;
        out[q] = cost < out[q] ? cost : out[q];
    }
}

/* Computes all rows under the prices. */
COMBGPU__PRIVATE void combgpu__sop_fill(combgpu__sop_bounds *b)
{
    const int32_t *ending = b->weights + b->arc_count + b->m;
    int p, i, a;
    uint32_t q;
    if (!b->mapped) combgpu__sop_make_maps(b);
    for (p = b->m; p >= 1; p--)
        for (i = 0; i < b->m; i++) {
            uint32_t count = 1u << b->watched[i];
            int32_t *out;
            if (!combgpu__sop_may_hold(b, p, i)) continue;
            out = combgpu__sop_row(b, p, i);
            for (q = 0; q <= count; q++)
                out[q] = COMBGPU__SOP_FAR;
            if (p == b->m) {
                for (q = 0; q < count; q++)
                    out[q] = ending[i];
                continue;
            }
            for (a = b->arc_begin[i]; a < b->arc_begin[i + 1]; a++) {
                int j = b->arc_to[a];
                if (combgpu__sop_may_hold(b, p + 1, j))
                    combgpu__sop_relax(out, combgpu__sop_row(b, p + 1, j), b->maps + b->map[a],
                                       b->weights[a] + b->price[j], count);
            }
            for (q = 0; q < count; q++) /* sums of FAR stay FAR */
                if (out[q] > COMBGPU__SOP_FAR / 2) out[q] = COMBGPU__SOP_FAR;
        }
}

/* Follows the cheapest walk through the rows. Returns its bound, or FAR. */
COMBGPU__PRIVATE int64_t combgpu__sop_walk(combgpu__sop_bounds *b)
{
    const int32_t *begin = b->weights + b->arc_count;
    int64_t prices = 0;
    int32_t least = COMBGPU__SOP_FAR;
    uint32_t seen = 0;
    int p, i, a, city = -1;
    for (i = 0; i < b->m; i++) {
        prices += b->price[i];
        b->excess[i] = -1;
        if (combgpu__sop_may_hold(b, 1, i)) {
            int32_t cost = combgpu__sop_row(b, 1, i)[0];
            if (cost >= COMBGPU__SOP_FAR || begin[i] >= COMBGPU__SOP_FAR) continue;
            cost += begin[i] + b->price[i];
            if (cost >= least) continue;
            least = cost;
            city = i;
        }
    }
    if (city < 0) return COMBGPU__SOP_FAR;
    for (p = 1;; p++) {
        int32_t rest = COMBGPU__SOP_FAR;
        uint32_t next_seen = 0;
        int next = -1;
        b->walk[p - 1] = city;
        b->excess[city]++;
        if (p == b->m) break;
        for (a = b->arc_begin[city]; a < b->arc_begin[city + 1]; a++) {
            int j = b->arc_to[a];
            uint32_t to = b->maps[b->map[a] + seen];
            int32_t cost;
            if (!combgpu__sop_may_hold(b, p + 1, j)) continue;
            cost = combgpu__sop_row(b, p + 1, j)[to];
            if (cost >= COMBGPU__SOP_FAR) continue;
            cost += b->weights[a] + b->price[j];
            if (cost >= rest) continue;
            rest = cost;
            next = j;
            next_seen = to;
        }
        city = next;
        seen = next_seen;
    }
    return (int64_t)least - prices;
}

/* Lets the cities of the walk between places first and last watch `city`. Returns 0 if one of them
   watches too many. */
COMBGPU__PRIVATE int combgpu__sop_watch(combgpu__sop_bounds *b, int first, int last, int city,
                                        int most)
{
    int k;
    for (k = first + 1; k < last; k++)
        if (b->watched[b->walk[k]] >= most &&
            !combgpu__tsp_cities_has(&b->watches[b->walk[k]], city))
            return 0;
    for (k = first + 1; k < last; k++) {
        int by = b->walk[k];
        if (by == city || combgpu__tsp_cities_has(&b->watches[by], city)) continue;
        b->watch[by][b->watched[by]++] = (unsigned char)city;
        combgpu__tsp_cities_add(&b->watches[by], city);
    }
    return 1;
}

/* Watches the last walk's faults: it came back to a city, or visited one too late. Returns how many
   it removed. */
COMBGPU__PRIVATE int combgpu__sop_watch_more(combgpu__sop_bounds *b, int most)
{
    int apart, first, done = 0;
    for (apart = 2; apart < b->m && done < 8; apart++)
        for (first = 0; first + apart < b->m && done < 8; first++) {
            int city = b->walk[first], later = b->walk[first + apart];
            if (city == later || combgpu__tsp_cities_has(&b->form->before[city], later))
                done += combgpu__sop_watch(b, first, first + apart, city, most);
        }
    return done;
}
