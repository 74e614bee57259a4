/* Tests searches with callbacks: published numbers, every family and goal against visitors that see all
   members, order, start, lists, limits, chunks, wrong input, errors in the caller's text. */
#include "test.h"

#include "../examples/qap_bound.h"

/* ---- published numbers */

COMBGPU_PERM_SEARCH(queens, state({
                        uint32_t up;
                        uint32_t down;
                    }),
                    allowed({ return ~(uint64_t)(state->up | state->down); }), step({
                        state->up = (state->up | 1u << value) << 1;
                        state->down = (state->down | 1u << value) >> 1;
                        return 1;
                    }))

/* The same, from the predicate alone. */
COMBGPU_PERM_SEARCH(plain_queens, step({
                        int i;
                        for (i = 0; i < place; i++)
                            if (perm[i] - value == place - i || value - perm[i] == place - i)
                                return 0;
                        return 1;
                    }))

static void published_queens(void)
{
    static const int counts[13] = {0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
    int place, n, wrong = 0;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result, other;
    for (n = 1; n <= (test_small() ? 9 : 12); n++) {
        memset(&desc, 0, sizeof desc);
        desc.n = n;
        desc.searcher = &queens;
        wrong += combgpu_perm_search(CPU, &desc, &result) || result.hits != (uint64_t)counts[n];
        desc.searcher = &plain_queens;
        if (n <= 10)
            wrong += combgpu_perm_search(CPU, &desc, &other) || other.hits != result.hits ||
                     other.run.checksum != result.run.checksum;
    }
    ok(!wrong, "queens on boards up to 12 x 12 (OEIS A000170)");
    for (place = 0; place < TEST_PLACES; place++) {
        if (!opened[place]) continue;
        memset(&desc, 0, sizeof desc);
        desc.n = 10;
        desc.searcher = &queens;
        equal_status(opened[place], combgpu_perm_search(opened[place], &desc, &result), COMBGPU_OK,
                     "%s: queens", test_places[place].name);
        ok(result.hits == 724 && !combgpu_perm_search(CPU, &desc, &other) &&
               other.run.steps == result.run.steps && other.run.checksum == result.run.checksum,
           "%s: 724, steps and checksum as on one thread", test_places[place].name);
    }
}

/* ---- every family and goal, against visitors

   The value: weights of the elements in their places, which are data, if no neighbours are equal or
   one apart but downwards. data: 12 x 12 numbers 0 .. 8, so that many members tie. */

COMBGPU_PERM_VISITOR(visited, {
    int64_t sum = 1;
    int i;
    for (i = 0; i < n; i++) {
        if (i && perm[i] == perm[i - 1] + 1) return 0;
        sum += combgpu_data_i32(data, 12 * i + perm[i]);
    }
    return sum;
})

COMBGPU_PERM_SEARCH(searched, step({
                        if (place && value == perm[place - 1] + 1) return 0;
                        state->sum += combgpu_data_i32(data, 12 * place + value);
                        return 1;
                    }),
                    state({ int64_t sum; }), begin({ state->sum = 1; }), bound({
                        int64_t rest = combgpu_data_i32(data, 144) * (length - 1 - place);
                        (void)best;
                        return state->sum + rest;
                    }),
                    leaf({ return state->sum; }))

static int32_t weights[145];

static void fill_weights(int rest)
{
    int i;
    for (i = 0; i < 144; i++)
        weights[i] = (int32_t)(test_mix((uint64_t)i) % 9);
    weights[144] = rest; /* what a place adds at most, or at least */
}

/* One set, all goals: the searcher and the visitor agree. */
static int agree(combgpu_context *ctx, const combgpu_perm_set *set, int shards)
{
    static uint64_t bins[2][16];
    combgpu_perm_desc all;
    combgpu_perm_search_desc desc;
    combgpu_perm_result want;
    combgpu_perm_search_result got;
    uint64_t hits = 0, first;
    int length, wrong = 0, goal;
    memset(&desc, 0, sizeof desc);
    memset(&all, 0, sizeof all);
    desc.set = all.set = set;
    desc.searcher = &searched;
    all.visitor = &visited;
    fill_weights(0);
    all.data = weights;
    all.data_bytes = sizeof weights;
    combgpu_perm_set_count(NULL, set, &first, &length);
    for (goal = COMBGPU_SEARCH_COUNT; goal <= COMBGPU_SEARCH_HISTOGRAM; goal++) {
        combgpu_status status;
        fill_weights(goal == COMBGPU_SEARCH_MAXIMUM ? 8 : 0);
        desc.data = weights;
        desc.data_bytes = sizeof weights;
        desc.goal = (combgpu_search_goal)goal;
        desc.bins = goal == COMBGPU_SEARCH_HISTOGRAM ? 16 : 0;
        desc.histogram = goal == COMBGPU_SEARCH_HISTOGRAM ? bins[0] : NULL;
        desc.bin_first = 10;
        desc.bin_width = 2;
        desc.run.shard_count = shards && goal == COMBGPU_SEARCH_COUNT ? shards : 0;
        status = combgpu_perm_search(ctx, &desc, &got);
        all.goal = goal == COMBGPU_SEARCH_FIRST     ? COMBGPU_PERM_COUNT
                   : goal == COMBGPU_SEARCH_COUNT   ? COMBGPU_PERM_COUNT
                   : goal == COMBGPU_SEARCH_MINIMUM ? COMBGPU_PERM_HISTOGRAM
                   : goal == COMBGPU_SEARCH_MAXIMUM ? COMBGPU_PERM_MAXIMUM
                   : goal == COMBGPU_SEARCH_SUM     ? COMBGPU_PERM_SUM
                                                    : COMBGPU_PERM_HISTOGRAM;
        all.bins = all.goal == COMBGPU_PERM_HISTOGRAM ? 16 : 0;
        all.histogram = all.bins ? bins[1] : NULL;
        all.bin_first = goal == COMBGPU_SEARCH_MINIMUM ? 1 : 10;
        all.bin_width = goal == COMBGPU_SEARCH_MINIMUM ? 1 : 2;
        status = status ? status : combgpu_perm(CPU, &all, &want);
        if (status) return -1;
        if (goal == COMBGPU_SEARCH_COUNT) {
            hits = want.hits;
            wrong += !shards && got.hits != hits;
        } else if (goal == COMBGPU_SEARCH_MAXIMUM)
            wrong +=
                got.found != (hits > 0) || (hits && (got.best_value != want.best_value ||
                                                     memcmp(got.best, want.best, sizeof got.best)));
        else if (goal == COMBGPU_SEARCH_SUM)
            wrong += got.hits != hits || got.sum.lo != want.sum.lo || got.sum.hi != want.sum.hi;
        else if (goal == COMBGPU_SEARCH_HISTOGRAM)
            /* the visitor's zeros are those that the searcher prunes */
            wrong += memcmp(bins[0], bins[1], sizeof bins[0]) != 0 || got.hits != hits ||
                     got.outside != want.outside - (want.visited - hits);
    }
    return wrong;
}

typedef struct seen_members {
    uint64_t count, order_breaks, rank;
    uint8_t least[64], first[64];
    int64_t least_value;
} seen_members;

/* FIRST and MINIMUM, by a look at every member. */
static int first_and_least(combgpu_context *ctx, const combgpu_perm_set *set)
{
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result got;
    seen_members seen;
    uint64_t count, rank;
    int length, wrong = 0;
    memset(&seen, 0, sizeof seen);
    fill_weights(0);
    combgpu_perm_set_count(NULL, set, &count, &length);
    for (rank = 0; rank < count; rank++) {
        uint8_t perm[64];
        int64_t value;
        memset(perm, 0, sizeof perm);
        combgpu_perm_set_unrank(NULL, set, rank, perm);
        value = visited.cpu(perm, length, (const unsigned char *)weights);
        if (!value) continue;
        if (!seen.count++) memcpy(seen.first, perm, sizeof perm);
        if (seen.count == 1 || value < seen.least_value) {
            seen.least_value = value;
            memcpy(seen.least, perm, sizeof perm);
        }
    }
    memset(&desc, 0, sizeof desc);
    desc.set = set;
    desc.searcher = &searched;
    desc.data = weights;
    desc.data_bytes = sizeof weights;
    desc.goal = COMBGPU_SEARCH_FIRST;
    if (combgpu_perm_search(ctx, &desc, &got)) return -1;
    wrong += got.found != (seen.count > 0) || memcmp(got.best, seen.first, sizeof got.best);
    desc.goal = COMBGPU_SEARCH_MINIMUM;
    if (combgpu_perm_search(ctx, &desc, &got)) return -1;
    wrong += got.found != (seen.count > 0) || memcmp(got.best, seen.least, sizeof got.best) ||
             got.best_value != seen.least_value;
    return wrong;
}

static void families(void)
{
    static const uint8_t repeats[5] = {2, 1, 3, 0, 2};
    static const struct {
        const char *name;
        combgpu_perm_set set;
    } sets[] = {{"all", {COMBGPU_PERM_ALL, 8, 0, NULL}},
                {"all of one", {COMBGPU_PERM_ALL, 1, 0, NULL}},
                {"5 of 8", {COMBGPU_PERM_PARTIAL, 8, 5, NULL}},
                {"a multiset", {COMBGPU_PERM_MULTISET, 5, 0, repeats}},
                {"derangements", {COMBGPU_PERM_DERANGEMENT, 8, 0, NULL}},
                {"combinations", {COMBGPU_PERM_COMBINATION, 12, 5, NULL}},
                {"all 12 of 12", {COMBGPU_PERM_COMBINATION, 12, 12, NULL}},
                {"seats round a table", {COMBGPU_PERM_CIRCULAR, 8, 0, NULL}}};
    int i, place;
    for (i = 0; i < (int)(sizeof sets / sizeof sets[0]); i++)
        for (place = 0; place < TEST_PLACES; place++) {
            int wrong;
            if (!opened[place]) continue;
            wrong = agree(opened[place], &sets[i].set, 0);
            if (!wrong) wrong = first_and_least(opened[place], &sets[i].set);
            if (!ok(!wrong, "%s: %s: every goal equals a scan of all members",
                    test_places[place].name, sets[i].name))
                printf("# %d wrong: %s\n", wrong, combgpu_message(opened[place]));
        }
}

/* Sets without a rank in 64 bits, and the largest of all. */
COMBGPU_PERM_SEARCH(ascending, allowed({
                        return place ? (uint64_t)1 << (perm[place - 1] + 1) % 64 : (uint64_t)1;
                    }))

static void large_sets(void)
{
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    int place, i;
    for (place = 0; place < TEST_PLACES; place++) {
        int right = 1;
        if (!opened[place]) continue;
        memset(&desc, 0, sizeof desc);
        desc.n = 64;
        desc.searcher = &ascending;
        equal_status(opened[place], combgpu_perm_search(opened[place], &desc, &result), COMBGPU_OK,
                     "%s: 64 places", test_places[place].name);
        right &= result.hits == 1;
        desc.goal = COMBGPU_SEARCH_FIRST;
        right &= !combgpu_perm_search(opened[place], &desc, &result) && result.found;
        for (i = 0; i < 64; i++)
            right &= result.best[i] == i;
        ok(right, "%s: of 64! permutations the one that ascends", test_places[place].name);
    }
}

/* Every member has the worst number that there is, which is best while there is no other. */
COMBGPU_PERM_SEARCH(worst, leaf({ return combgpu_data_i64(data, 0); }))
COMBGPU_PERM_SEARCH(worst_bounded, leaf({ return combgpu_data_i64(data, 0); }),
                    bound({ return combgpu_data_i64(data, 0); }))

static void worst_values(void)
{
    static const combgpu_perm_searcher *const searchers[] = {&worst, &worst_bounded};
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    int place, i, k;
    for (place = 0; place < TEST_PLACES; place++)
        for (i = 0; i < 4 && opened[place]; i++) {
            int64_t value = i & 1 ? INT64_MIN : INT64_MAX;
            int right;
            memset(&desc, 0, sizeof desc);
            desc.n = 7;
            desc.searcher = searchers[i / 2];
            desc.goal = i & 1 ? COMBGPU_SEARCH_MAXIMUM : COMBGPU_SEARCH_MINIMUM;
            desc.data = &value;
            desc.data_bytes = sizeof value;
            right = !combgpu_perm_search(opened[place], &desc, &result) && result.found &&
                    result.best_value == value;
            for (k = 0; k < 7; k++)
                right &= result.best[k] == k;
            ok(right, "%s: %s: of members that all have INT64_%s the first is found",
               test_places[place].name, desc.searcher->name, i & 1 ? "MIN" : "MAX");
        }
}

/* Long members that branch at the first places, whose frames differ from those of the last: any of 24
   values, one of the two least that are left, the least. */
COMBGPU_PERM_SEARCH(fans, state({ uint64_t taken; }), allowed({
                        uint64_t open = ~state->taken;
                        uint64_t least = open & (state->taken + 1);
                        if (place < 3) return open & 0xffffff;
                        if (place >= 6) return least;
                        open ^= least;
                        return least | (open & (~open + 1));
                    }),
                    step({
                        state->taken |= (uint64_t)1 << value;
                        return 1;
                    }))

static void long_members(void)
{
    static const combgpu_perm_set some = {COMBGPU_PERM_PARTIAL, 40, 30, NULL};
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result, want;
    uint8_t order[24];
    int place, kind, i;
    for (i = 0; i < 24; i++)
        order[i] = (uint8_t)(i ^ 1);
    for (kind = 0; kind < 3; kind++) {
        memset(&desc, 0, sizeof desc);
        desc.searcher = &fans;
        desc.n = kind == 2 ? 0 : 24;
        desc.set = kind == 2 ? &some : NULL;
        desc.order = kind == 1 ? order : NULL;
        memset(&want, 0, sizeof want);
        for (place = 0; place < TEST_PLACES; place++) {
            if (!opened[place]) continue;
            ok(!combgpu_perm_search(opened[place], &desc, &result) &&
                   result.hits == 24 * 23 * 22 * 8 &&
                   (opened[place] == CPU || (result.run.steps == want.run.steps &&
                                             result.run.checksum == want.run.checksum)),
               "%s: %d places, branches at the first: hits, steps and checksum",
               test_places[place].name, kind == 2 ? 30 : 24);
            if (opened[place] == CPU) want = result;
        }
    }
}

/* ---- quadratic assignment: the Gilmore-Lawler bound of the examples against all permutations */

COMBGPU_PERM_VISITOR(qap_all, {
    int64_t sum = 0;
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            sum += (int64_t)combgpu_data_i32(data, 1 + i * n + j) *
                   combgpu_data_i32(data, 1 + (n + perm[i]) * n + perm[j]);
    return sum;
})

static int qap_wrong(combgpu_context *ctx, int n, int kind)
{
    static int32_t a[64], b[64], data[1 + 4 * 64];
    combgpu_perm_desc all;
    combgpu_perm_result want;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result got;
    uint8_t facility[8], start[8];
    int i;
    for (i = 0; i < n * n; i++) {
        int other = i % n * n + i / n, from = kind & 1 && other < i ? other : i;
        a[i] = kind & 1 && i == other ? 0 : (int32_t)(random_u64() % 10) - (kind & 2);
        b[i] = kind & 1 && i == other ? 0 : (int32_t)(random_u64() % 10);
        a[i] = from == i ? a[i] : a[from]; /* kind 1: symmetric, so that costs are even */
        b[i] = from == i ? b[i] : b[from];
    }
    qap_order(n, a, facility);
    qap_fill(n, a, b, facility, data);
    qap_start(n, data, start);
    memset(&desc, 0, sizeof desc);
    memset(&all, 0, sizeof all);
    desc.n = all.n = n;
    desc.data = all.data = data;
    desc.data_bytes = all.data_bytes = sizeof data;
    desc.searcher = &qap_search;
    desc.goal = COMBGPU_SEARCH_MINIMUM;
    if (kind & 4) desc.start = start;
    all.visitor = &qap_all;
    all.goal = COMBGPU_PERM_MINIMUM;
    if (combgpu_perm(CPU, &all, &want) || combgpu_perm_search(ctx, &desc, &got)) return 1;
    return !got.found || got.best_value != want.best_value ||
           memcmp(got.best, want.best, sizeof got.best) != 0;
}

static void assignments(void)
{
    int place, kind, k;
    for (place = 0; place < TEST_PLACES; place++) {
        int wrong = 0, tries = 0;
        combgpu_device device;
        if (!opened[place]) continue;
        combgpu_context_device(opened[place], &device);
        for (k = 0; k < (device.backend == COMBGPU_BACKEND_CPU && !test_small() ? 12 : 1); k++)
            for (kind = 0; kind < 8; kind++, tries++)
                wrong += qap_wrong(opened[place], 5 + k % 3, kind);
        equal_u64(wrong, 0,
                  "%s: %d quadratic assignments: least and first equal those of all permutations",
                  test_places[place].name, tries);
    }
}

/* Bounds that lie: data[0] is added to the least value of a completion. */
COMBGPU_PERM_SEARCH(bounded, state({ int64_t sum; }), step({
                        state->sum += (place + 1) * (value + 1);
                        return 1;
                    }),
                    bound({ return state->sum + combgpu_data_i32(data, 0); }),
                    leaf({ return state->sum; }))

static void false_bounds(void)
{
    static const int32_t none = 0, low = 1, high = -300;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    int place;
    memset(&desc, 0, sizeof desc);
    desc.n = 6;
    desc.searcher = &bounded;
    desc.data_bytes = sizeof none;
    for (place = 0; place < TEST_PLACES; place++) {
        combgpu_context *ctx = opened[place];
        const char *name = test_places[place].name;
        if (!ctx) continue;
        desc.goal = COMBGPU_SEARCH_MINIMUM;
        desc.data = &none;
        ok(!combgpu_perm_search(ctx, &desc, &result) && result.best_value == 56,
           "%s: a bound that holds", name);
        desc.data = &low;
        ok(combgpu_perm_search(ctx, &desc, &result) == COMBGPU_INVALID_ARGUMENT &&
               strstr(combgpu_message(ctx), "bounded, bound: "),
           "%s: one that does not: %s", name, combgpu_message(ctx));
        desc.goal = COMBGPU_SEARCH_MAXIMUM;
        desc.data = &high;
        ok(combgpu_perm_search(ctx, &desc, &result) == COMBGPU_INVALID_ARGUMENT &&
               strstr(combgpu_message(ctx), "bounded, bound: "),
           "%s: nor of a greatest value: %s", name, combgpu_message(ctx));
    }
}

/* ---- order, start, lists */

static void orders(void)
{
    static const uint8_t down[8] = {7, 6, 5, 4, 3, 2, 1, 0};
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result up, result;
    uint8_t last[64] = {7, 3, 0, 2, 5, 1, 6, 4};
    int place, i;
    for (place = 0; place < TEST_PLACES; place++) {
        if (!opened[place]) continue;
        memset(&desc, 0, sizeof desc);
        desc.n = 8;
        desc.searcher = &queens;
        ok(!combgpu_perm_search(opened[place], &desc, &up), "%s: queens, ascending",
           test_places[place].name);
        desc.order = down;
        ok(!combgpu_perm_search(opened[place], &desc, &result) && result.hits == up.hits &&
               result.run.steps == up.run.steps && result.run.checksum == up.run.checksum,
           "%s: another order of values: the same hits", test_places[place].name);
        desc.goal = COMBGPU_SEARCH_FIRST;
        ok(!combgpu_perm_search(opened[place], &desc, &result) && result.found &&
               !memcmp(result.best, last, sizeof last),
           "%s: in descending order the last comes first", test_places[place].name);
        for (i = 0; i < 2; i++) { /* a start that is not the answer, and one that is */
            uint8_t start[8] = {3, 1, 6, 2, 5, 7, 4, 0};
            desc.start = i ? last : start;
            ok(!combgpu_perm_search(opened[place], &desc, &result) && result.found &&
                   !memcmp(result.best, last, sizeof last),
               "%s: with a start as well", test_places[place].name);
        }
    }
}

typedef struct heard {
    uint64_t count, most;
    int64_t sum;
} heard;

static int hear(const uint8_t *perm, int length, int64_t value, void *user)
{
    heard *h = (heard *)user;
    h->sum += value + perm[0] * 0 + length * 0;
    return ++h->count == h->most;
}

static void lists(void)
{
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    uint8_t out[92 * 8], part[50 * 8 + 3];
    heard h;
    int place, i;
    for (place = 0; place < TEST_PLACES; place++) {
        const char *name = test_places[place].name;
        int sorted = 1;
        if (!opened[place]) continue;
        memset(&desc, 0, sizeof desc);
        memset(&h, 0, sizeof h);
        desc.n = 8;
        desc.searcher = &queens;
        desc.out = out;
        desc.out_bytes = sizeof out;
        desc.solution = hear;
        desc.solution_user = &h;
        equal_status(opened[place], combgpu_perm_search(opened[place], &desc, &result), COMBGPU_OK,
                     "%s: a list", name);
        for (i = 1; i < 92; i++)
            sorted &= memcmp(out + 8 * (i - 1), out + 8 * i, 8) < 0;
        ok(sorted && result.written == 92 && result.hits == 92 && h.count == 92 && h.sum == 92 &&
               out[0] == 0 && out[1] == 4,
           "%s: 92 hits in order, and heard one by one", name);
        desc.out = part;
        desc.out_bytes = sizeof part;
        part[400] = 77;
        desc.solution = NULL;
        ok(!combgpu_perm_search(opened[place], &desc, &result) && result.written == 50 &&
               result.hits == 92 && part[400] == 77,
           "%s: what finds no room is counted", name);
        desc.out = NULL;
        desc.out_bytes = 0;
        desc.limit = 17;
        ok(combgpu_perm_search(opened[place], &desc, &result) == COMBGPU_FOUND && result.hits == 17,
           "%s: a limit of 17 hits", name);
        desc.limit = 0;
        desc.solution = hear;
        memset(&h, 0, sizeof h);
        h.most = 5;
        ok(combgpu_perm_search(opened[place], &desc, &result) == COMBGPU_STOPPED && h.count == 5,
           "%s: stopped at the fifth", name);
    }
}

TEST_SEARCH(perm_search)

/* A list in pieces with little room for records: each hit once. */
static void listed_in_pieces(void)
{
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    test_search s;
    uint8_t whole[352 * 9], out[352 * 9];
    int k, wrong = 0;
    memset(&desc, 0, sizeof desc);
    desc.n = 9;
    desc.searcher = &queens;
    desc.out = whole;
    desc.out_bytes = sizeof whole;
    ok(!combgpu_perm_search(CPU, &desc, &result) && result.written == 352, "a list in one go");
    for (k = 0; k < (test_small() ? 2 : 6); k++) {
        desc.out = out;
        memset(out, 0, sizeof out);
        s = perm_search_search(&desc, &result, 300);
        s.records = 20;
        s.workers = 4;
        s.most = 20;
        if (k % 2) s.one = s.other = CPU;
        wrong += test_pieces(&s) < 0 || result.written != 352 || memcmp(out, whole, sizeof out);
    }
    ok(!wrong, "lists in chunks, on changing backends: each hit once");
}

/* A job goes on after a save and is stopped; another resumes the earlier save and relies on what
   stood in `out` at that time. */
static void list_of_an_earlier_save(void)
{
    static uint8_t whole[352 * 9], out[352 * 9];
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    int k, stopped = 0, wrong = 0;
    memset(&desc, 0, sizeof desc);
    desc.n = 9;
    desc.searcher = &queens;
    desc.out = whole;
    desc.out_bytes = sizeof whole;
    if (combgpu_perm_search(CPU, &desc, &result)) wrong++;
    for (k = 0; k < (test_small() ? 3 : 12); k++) {
        combgpu_job *job;
        unsigned char *saved;
        size_t bytes;
        int steps, more = 1 + random_below(3);
        desc.out = out;
        memset(out, 0, sizeof out);
        if (combgpu_perm_search_begin(opened[1] ? opened[1] : CPU, &desc, &job)) break;
        inside_limit_workers(job, 3);
        for (steps = 1 + random_below(4); steps; steps--) {
            inside_set_budget(job, 200);
            (void)combgpu_step(job);
        }
        saved = test_save(job, &bytes);
        for (; more; more--) {
            inside_set_budget(job, 200);
            (void)combgpu_step(job);
        }
        stopped += combgpu_perm_search_end(job, &result) == COMBGPU_STOPPED;
        desc.run.resume_data = saved;
        desc.run.resume_bytes = bytes;
        wrong += combgpu_perm_search(CPU, &desc, &result) || result.written != 352 ||
                 memcmp(out, whole, sizeof out);
        memset(&desc.run, 0, sizeof desc.run);
        free(saved);
    }
    equal_u64(stopped, k, "jobs are stopped some steps after they were saved");
    equal_u64(wrong, 0, "the earlier saves resumed: each hit once, in order");
}

/* ---- wrong input */

static void refused(const combgpu_perm_search_desc *desc, const char *what)
{
    combgpu_perm_search_result result;
    inside_forget_message(CPU);
    ok(combgpu_perm_search(CPU, desc, &result) == COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(CPU), what),
       "refused: %s", combgpu_message(CPU));
}

static void wrong_input(void)
{
    static const uint8_t order[4] = {0, 1, 1, 3}, far_off[4] = {0, 1, 2, 4};
    static const uint8_t attacked[4] = {0, 1, 2, 3}, many[2] = {60, 5};
    combgpu_perm_search_desc good, desc;
    combgpu_perm_set set;
    uint64_t bins[2];
    memset(&good, 0, sizeof good);
    memset(&set, 0, sizeof set);
    good.n = 4;
    good.searcher = &queens;
#define REFUSED(change, what)                                                                      \
    desc = good;                                                                                   \
    change;                                                                                        \
    refused(&desc, what)
    REFUSED(desc.n = 0, "desc.n is 0");
    REFUSED(desc.n = 65, "desc.n is 65");
    REFUSED(desc.searcher = NULL, "desc.searcher");
    REFUSED(desc.goal = (combgpu_search_goal)6, "desc.goal");
    REFUSED(desc.goal = COMBGPU_SEARCH_MINIMUM, "leaf");
    REFUSED(desc.order = order, "desc.order[2]");
    REFUSED(desc.order = far_off, "desc.order[3]");
    REFUSED(desc.start = attacked, "desc.start");
    REFUSED((desc.goal = COMBGPU_SEARCH_FIRST, desc.start = attacked), "desc.start");
    REFUSED((desc.goal = COMBGPU_SEARCH_FIRST, desc.limit = 1), "desc.limit");
    REFUSED(desc.bins = 2, "desc.bins");
    REFUSED(desc.histogram = bins, "desc.histogram");
    REFUSED(desc.out_bytes = 8, "desc.out");
    REFUSED(desc.data_bytes = 8, "desc.data");
    good.n = 0;
    good.set = &set;
    set.family = COMBGPU_PERM_GRAY;
    set.n = 4;
    REFUSED(desc.n = 0, "desc.set->family");
    set.family = COMBGPU_PERM_PARTIAL;
    REFUSED(desc.n = 0, "desc.set->k");
    set.k = 3;
    REFUSED(desc.n = 5, "desc.n is 5");
    set.family = COMBGPU_PERM_MULTISET;
    set.k = 0;
    REFUSED(desc.n = 0, "desc.set->repeats");
    set.n = 2;
    set.repeats = many;
    REFUSED(desc.n = 0, "65");
}

/* A caller's text with a type that OpenCL C does not have: the message shows its part and line. */
COMBGPU_PERM_SEARCH(c_alone, step({
                        uint_least8_t first = (uint_least8_t)value;
                        return first != 1;
                    }))

static void error_in_the_text(void)
{
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    int place;
    memset(&desc, 0, sizeof desc);
    desc.n = 5;
    desc.searcher = &c_alone;
    ok(!combgpu_perm_search(CPU, &desc, &result) && result.hits == 0, "a text for C alone, in C");
    for (place = 0; place < TEST_PLACES; place++) {
        combgpu_device device;
        if (!opened[place]) continue;
        combgpu_context_device(opened[place], &device);
        if (device.backend != COMBGPU_BACKEND_OPENCL) continue;
        ok(combgpu_perm_search(opened[place], &desc, &result) < 0 &&
               strstr(combgpu_message(opened[place]), "c_alone, step"),
           "%s: the message names the part: %.200s", test_places[place].name,
           combgpu_message(opened[place]));
    }
}

int main(void)
{
    open_places();
    published_queens();
    families();
    large_sets();
    worst_values();
    long_members();
    assignments();
    false_bounds();
    orders();
    lists();
    listed_in_pieces();
    list_of_an_earlier_save();
    wrong_input();
    error_in_the_text();
    close_places();
    return tap_end();
}
