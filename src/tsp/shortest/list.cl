/* Lists the k shortest orders that end with one city, position by position.

   Of all beginnings of a length, it keeps the `keep` best, by the least length that they lead to
   and then as orders. The `keep` best orders begin with these: were `keep` other beginnings better
   than that of an order, each would lead to a better order too. */

/* A block's next phase. */
enum {
    COMBGPU__SHORTEST_END,
    COMBGPU__SHORTEST_LOAD,   /* the task's costs */
    COMBGPU__SHORTEST_LAYER,  /* a layer of the table */
    COMBGPU__SHORTEST_EXTEND, /* the list's beginnings by a city */
    COMBGPU__SHORTEST_DIGIT,  /* counts digits, to find the limit of those to be kept */
    COMBGPU__SHORTEST_KEEP,   /* moves these to the list */
    COMBGPU__SHORTEST_FIRST,  /* looks for the list's first order */
    COMBGPU__SHORTEST_EMIT
};

#define COMBGPU__SHORTEST_DIGITS 64 /* values of a digit: 6 bits */
#define COMBGPU__SHORTEST_START 15  /* row of `legs`: from the start; below are at most 14 cities */

typedef struct combgpu_shortest_ways_t {
    uint64_t least, ways;
} combgpu_shortest_ways_t;

/* As combgpu__shortest_entry; of a beginning, `length` is the least that it leads to. */
typedef struct combgpu_shortest_entry_t {
    uint64_t length, order;
} combgpu_shortest_entry_t;

/* The block's state. */
typedef struct combgpu_shortest_t {
    uint64_t legs[COMBGPU__SHORTEST_SIDE * COMBGPU__SHORTEST_SIDE];
    uint64_t least, ways; /* of the task's orders */
    uint64_t bound;       /* no longer orders than `least` plus this are in the list */
    /* the greatest (length - least, order) to be kept, with the digits that are known */
    uint64_t limit_length, limit_order;
    uint64_t firsts[COMBGPU__SHORTEST_LANES]; /* FIRST: the smallest shortest order of each lane */
    uint32_t before[COMBGPU__SHORTEST_SIDE];
    uint32_t digits[COMBGPU__SHORTEST_DIGITS]; /* how often each occurs */
    uint32_t span[2];                          /* length - least of what was found: all bits */
    uint32_t phase, b, cities, keep, reversible, steps, tasks;
    uint32_t size, first_set, sets; /* of the table's layer */
    uint32_t place;                 /* cities in the list's beginnings */
    uint32_t count, found;          /* in the list, and among its extensions */
    uint32_t digit, need;           /* the next one from below; how many with the limit's digits */
} combgpu_shortest_t;

/* City i of the task: those without b, then b. */
COMBGPU__DEVICE uint32_t combgpu_shortest_city(uint32_t b, uint32_t cities, uint32_t i)
{
    return i == cities ? b : i + (i >= b);
}

/* Nonzero if orders may begin with city i. */
COMBGPU__DEVICE uint32_t combgpu_shortest_begins(COMBGPU__LOCAL const combgpu_shortest_t *tours,
                                                 uint32_t i)
{
    return !tours->before[i] && (!tours->reversible || i < tours->b);
}

/* The bit offset in an order of the city at this position. */
COMBGPU__DEVICE uint32_t combgpu_shortest_shift(COMBGPU__LOCAL const combgpu_shortest_t *tours,
                                                uint32_t place)
{
    return 4 * (tours->cities - place);
}

/* Extends every beginning of the list by every city that may follow; omits what leads to too long
   orders. */
COMBGPU__DEVICE void combgpu_shortest_extend(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                             COMBGPU__GLOBAL const combgpu_shortest_ways_t *table,
                                             COMBGPU__GLOBAL const combgpu_shortest_entry_t *list,
                                             COMBGPU__GLOBAL combgpu_shortest_entry_t *longer)
{
    uint32_t n = tours->cities, place = tours->place, i, k;
    uint64_t span = 0;
    for (i = COMBGPU__LANE_ID; i < tours->count * n; i += COMBGPU__SHORTEST_LANES) {
        combgpu_shortest_entry_t entry = list[i / n];
        uint32_t j = i % n, left = (1u << n) - 1, from = COMBGPU__SHORTEST_START;
        uint64_t on;
        for (k = 0; k < place; k++) {
            uint32_t city = (uint32_t)(entry.order >> combgpu_shortest_shift(tours, k)) & 15;
            from = city - (city > tours->b);
            left ^= 1u << from;
        }
        if (!(left >> j & 1) || tours->before[j] & left) continue;
        if (!place && !combgpu_shortest_begins(tours, j)) continue;
        on = table[(left ^ 1u << j) * n + j].least;
        if (on == COMBGPU__TSP_FAR(1)) continue;
        if (place) entry.length -= table[left * n + from].least;
        if (!place) entry.length = 0;
        entry.length += tours->legs[from * COMBGPU__SHORTEST_SIDE + j] + on;
        if (entry.length - tours->least > tours->bound) continue;
        span |= entry.length - tours->least;
        entry.order |= (uint64_t)combgpu_shortest_city(tours->b, n, j)
                       << combgpu_shortest_shift(tours, place);
        longer[COMBGPU__LOCAL_ATOMIC_ADD(&tours->found, 1)] = entry;
    }
    if ((uint32_t)span) COMBGPU__LOCAL_ATOMIC_OR(&tours->span[0], (uint32_t)span);
    if (span >> 32) COMBGPU__LOCAL_ATOMIC_OR(&tours->span[1], (uint32_t)(span >> 32));
}

/* Digits of (length - least, order): 0 to 9 are the order's, 10 to 20 the length's. Counts the
   values of the next one in those entries that agree with the limit above it. */
COMBGPU__DEVICE void combgpu_shortest_digit(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                            COMBGPU__GLOBAL const combgpu_shortest_entry_t *longer)
{
    uint32_t of_length = tours->digit >= 10, shift = 6 * (tours->digit - 10 * of_length), i;
    uint64_t limit = of_length ? tours->limit_length : tours->limit_order;
    for (i = COMBGPU__LANE_ID; i < tours->found; i += COMBGPU__SHORTEST_LANES) {
        uint64_t length = longer[i].length - tours->least;
        uint64_t word = of_length ? length : longer[i].order;
        if (!of_length && length != tours->limit_length) continue;
        if (word >> shift >> 6 == limit >> shift >> 6)
            COMBGPU__LOCAL_ATOMIC_ADD(&tours->digits[word >> shift & 63], 1);
    }
}

/* Moves entries within the limit to the list. */
COMBGPU__DEVICE void combgpu_shortest_keep(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                           COMBGPU__GLOBAL const combgpu_shortest_entry_t *longer,
                                           COMBGPU__GLOBAL combgpu_shortest_entry_t *list)
{
    uint32_t i;
    for (i = COMBGPU__LANE_ID; i < tours->found; i += COMBGPU__SHORTEST_LANES) {
        combgpu_shortest_entry_t entry = longer[i];
        uint64_t length = entry.length - tours->least;
        if (length < tours->limit_length ||
            (length == tours->limit_length && entry.order <= tours->limit_order))
            list[COMBGPU__LOCAL_ATOMIC_ADD(&tours->count, 1)] = entry;
    }
}

/* Looks for the smallest of the shortest orders: firsts[lane] gets that of the lane's share. */
COMBGPU__DEVICE void combgpu_shortest_first(COMBGPU__LOCAL combgpu_shortest_t *tours,
                                            COMBGPU__GLOBAL const combgpu_shortest_entry_t *list)
{
    uint64_t first = ~(uint64_t)0;
    uint32_t i;
    for (i = COMBGPU__LANE_ID; i < tours->count; i += COMBGPU__SHORTEST_LANES)
        if (list[i].length == tours->least) first = combgpu_table_min(first, list[i].order);
    tours->firsts[COMBGPU__LANE_ID] = first;
}

/* Emits the list; the first order's record has the number of shortest ones. Returns the lane's part
   of the checksum. */
COMBGPU__DEVICE uint64_t combgpu_shortest_emit(COMBGPU__GLOBAL combgpu__slice *slice,
                                               COMBGPU__LOCAL const combgpu_shortest_t *tours,
                                               COMBGPU__GLOBAL const combgpu_shortest_entry_t *list,
                                               COMBGPU__GLOBAL uint32_t *records)
{
    uint64_t hash = 0;
    uint32_t i;
    for (i = COMBGPU__LANE_ID; i < tours->count; i += COMBGPU__SHORTEST_LANES) {
        uint64_t length = list[i].length, order = list[i].order | tours->b;
        uint32_t at = combgpu_emit(slice);
        COMBGPU__GLOBAL uint32_t *record = records + COMBGPU__SHORTEST_RECORD_WORDS * (uint64_t)at;
        if (at == COMBGPU__NONE) continue; /* never: the records of all tasks have room */
        combgpu_store64(record, length);
        combgpu_store64(record + 2, order);
        combgpu_store64(record + 4, length == tours->least && list[i].order == tours->firsts[0]
                                        ? tours->ways
                                        : 0);
        hash += combgpu_mix(combgpu_mix(length) + order);
    }
    return hash;
}

/* Ends the phase DIGIT: sets the limit's digit. If that decides what is kept, or with `all`, the next
   phase is KEEP, else the next digit. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_limit(COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t of_length = tours->digit >= 10, shift = 6 * (tours->digit - 10 * of_length), value = 0,
             i;
    for (; tours->digits[value] < tours->need; value++)
        tours->need -= tours->digits[value];
    if (of_length)
        tours->limit_length |= (uint64_t)value << shift;
    else
        tours->limit_order |= (uint64_t)value << shift;
    if (tours->digits[value] == tours->need) { /* all smaller digits are within the limit */
        uint64_t below = ((uint64_t)1 << shift) - 1;
        tours->limit_length |= of_length ? below : 0;
        tours->limit_order |= of_length ? ~(uint64_t)0 : below;
        tours->phase = COMBGPU__SHORTEST_KEEP;
        tours->count = 0;
        return;
    }
    tours->digit--;
    for (i = 0; i < COMBGPU__SHORTEST_DIGITS; i++)
        tours->digits[i] = 0;
}

/* Ends the phase EXTEND: keeps all, or starts to find the limit. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_choose(COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint64_t span = (uint64_t)tours->span[1] << 32 | tours->span[0];
    uint32_t i;
    tours->count = 0;
    tours->limit_length = tours->limit_order = ~(uint64_t)0;
    tours->phase = COMBGPU__SHORTEST_KEEP;
    if (tours->found <= tours->keep) return;
    tours->limit_length = tours->limit_order = 0;
    tours->need = tours->keep;
    for (tours->digit = 10; span >> 6; span >>= 6)
        tours->digit++;
    for (i = 0; i < COMBGPU__SHORTEST_DIGITS; i++)
        tours->digits[i] = 0;
    tours->phase = COMBGPU__SHORTEST_DIGIT;
}

/* Says what follows a phase of the list. By lane 0. */
COMBGPU__DEVICE void combgpu_shortest_list(COMBGPU__LOCAL combgpu_shortest_t *tours)
{
    uint32_t i;
    if (tours->phase == COMBGPU__SHORTEST_EXTEND) {
        combgpu_shortest_choose(tours);
    } else if (tours->phase == COMBGPU__SHORTEST_DIGIT) {
        combgpu_shortest_limit(tours);
    } else if (tours->phase == COMBGPU__SHORTEST_KEEP) {
        tours->bound = combgpu_table_min(tours->bound, tours->limit_length);
        tours->found = tours->span[0] = tours->span[1] = 0;
        tours->phase =
            ++tours->place < tours->cities ? COMBGPU__SHORTEST_EXTEND : COMBGPU__SHORTEST_FIRST;
    } else { /* FIRST */
        for (i = 1; i < COMBGPU__SHORTEST_LANES; i++)
            tours->firsts[0] = combgpu_table_min(tours->firsts[0], tours->firsts[i]);
        tours->phase = COMBGPU__SHORTEST_EMIT;
    }
}
