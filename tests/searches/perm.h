/* Permutations: rows of the table of searches. */
/* The best value comes negated where the greatest wins: see perm_maximum. */
static void perm_says(const search_result *result, search_answer *answer)
{
    const combgpu_perm_result *r = &result->perm;
    search_says(answer, r->hits);
    search_says(answer, r->visited);
    search_says(answer, r->sum.lo);
    search_says(answer, r->outside);
    answer->added = answer->count;
    search_says(answer, 1000 - (uint64_t)r->best_value);
    search_says(answer, r->best_rank);
    search_says(answer, test_fnv(r->best, sizeof r->best));
}

/* The best member as a number: the first is the smallest. */
static void perm_search_says(const search_result *result, search_answer *answer)
{
    const combgpu_perm_search_result *r = &result->perm_search;
    uint64_t member = 0;
    int i;
    for (i = 0; i < 8; i++)
        member = member << 8 | r->best[i];
    search_says(answer, r->hits);
    search_says(answer, r->sum.lo);
    search_says(answer, r->outside);
    answer->added = answer->count;
    search_says(answer, (uint64_t)r->best_value);
    search_says(answer, member);
}

COMBGPU_PERM_VISITOR(search_ascents, {
    int i, sum = 0;
    (void)data;
    for (i = 0; i + 1 < n; i++)
        sum += perm[i] < perm[i + 1];
    return sum;
})

COMBGPU_PERM_VISITOR(search_few_ascents, {
    int i, sum = 0;
    (void)data;
    for (i = 0; i + 1 < n; i++)
        sum += perm[i] < perm[i + 1];
    return sum < 2;
})

static void perm_written(search_desc *desc)
{
    desc->perm.n = 7;
    desc->perm.out = search_written;
    desc->perm.out_bytes = sizeof search_written;
}

static void perm_count(search_desc *desc)
{
    desc->perm.n = 8;
    desc->perm.goal = COMBGPU_PERM_COUNT;
    desc->perm.visitor = &search_few_ascents;
}

static void perm_maximum(search_desc *desc)
{
    desc->perm.n = 8;
    desc->perm.goal = COMBGPU_PERM_MAXIMUM;
    desc->perm.visitor = &search_ascents;
}

static void perm_sum(search_desc *desc)
{
    desc->perm.n = 8;
    desc->perm.goal = COMBGPU_PERM_SUM;
    desc->perm.visitor = &search_ascents;
}

static void perm_histogram(search_desc *desc)
{
    desc->perm.n = 8;
    desc->perm.goal = COMBGPU_PERM_HISTOGRAM;
    desc->perm.visitor = &search_ascents;
    desc->perm.bins = 8;
    desc->perm.histogram = search_bins;
}

static void perm_multiset(search_desc *desc)
{
    static const uint8_t repeats[4] = {2, 3, 1, 2};
    static const combgpu_perm_set set = {COMBGPU_PERM_MULTISET, 4, 0, repeats};
    desc->perm.set = &set;
    desc->perm.goal = COMBGPU_PERM_COUNT;
    desc->perm.visitor = &search_few_ascents;
}

/* Queens that do not attack each other; a value is the sum of row times column. */
COMBGPU_PERM_SEARCH(search_queens, state({
                        uint32_t up;
                        uint32_t down;
                        int32_t sum;
                    }),
                    allowed({ return ~(uint64_t)(state->up | state->down); }), step({
                        state->up = (state->up | 1u << value) << 1;
                        state->down = (state->down | 1u << value) >> 1;
                        state->sum += place * value;
                        return 1;
                    }),
                    bound({ return state->sum; }), leaf({ return state->sum; }))

static void perm_search_count(search_desc *desc)
{
    desc->perm_search.n = test_small() ? 8 : 9;
    desc->perm_search.searcher = &search_queens;
}

static void perm_search_least(search_desc *desc)
{
    perm_search_count(desc);
    desc->perm_search.goal = COMBGPU_SEARCH_MINIMUM;
}

static void perm_search_sum(search_desc *desc)
{
    perm_search_count(desc);
    desc->perm_search.goal = COMBGPU_SEARCH_SUM;
}

static void perm_search_histogram(search_desc *desc)
{
    perm_search_count(desc);
    desc->perm_search.goal = COMBGPU_SEARCH_HISTOGRAM;
    desc->perm_search.bins = 8;
    desc->perm_search.histogram = search_bins;
    desc->perm_search.bin_first = 100;
    desc->perm_search.bin_width = 5;
}

/* clang-format off */
#define PERM_ROWS                                                                                  \
    {"permutations written", &perm_kind, perm_written, SEARCH_SHARDS | SEARCH_STEADY | SEARCH_WRITES, 300},\
    {"permutations counted", &perm_kind, perm_count, SEARCH_ALL_OF_IT, 2000},                      \
    {"permutations, greatest", &perm_kind, perm_maximum, SEARCH_VERIFIED | SEARCH_SHARDS, 2000},   \
    {"permutations, sum", &perm_kind, perm_sum, SEARCH_VERIFIED | SEARCH_SHARDS, 2000},            \
    {"permutations, histogram", &perm_kind, perm_histogram, SEARCH_ALL_OF_IT, 2000},               \
    {"multisets counted", &perm_kind, perm_multiset, SEARCH_ALL_OF_IT, 100},                       \
    {"permutation search", &perm_search_kind, perm_search_count, SEARCH_ALL_OF_IT, 200},           \
    {"permutation search, least", &perm_search_kind, perm_search_least, SEARCH_SHARDS, 100},       \
    {"permutation search, sum", &perm_search_kind, perm_search_sum, SEARCH_ALL_OF_IT, 200},        \
    {"permutation search, histogram", &perm_search_kind, perm_search_histogram, SEARCH_ALL_OF_IT, 200},
#define PERM_KNOWN                                                                                 \
    {"permutations counted", 248, 248},
/* clang-format on */
