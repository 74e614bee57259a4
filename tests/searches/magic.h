/* Magic squares: rows of the table of searches. */
static void magic_says(const search_result *result, search_answer *answer)
{
    int c;
    search_says(answer, result->magic.count);
    search_says(answer, result->magic.up_to_d4);
    search_says(answer, result->magic.up_to_m_group);
    for (c = 0; c <= 25; c++)
        search_says(answer, result->magic.by_centre[c]);
    answer->added = answer->count;
}

static void magic_estimate_says(const search_result *result, search_answer *answer)
{
    int i;
    search_says(answer, result->magic_estimate.samples);
    for (i = 0; i < 2; i++)
        search_says(answer, result->magic_estimate.sum[i]);
    for (i = 0; i < 4; i++)
        search_says(answer, result->magic_estimate.squares[i]);
    answer->added = answer->count;
}

static void magic_diagonals_says(const search_result *result, search_answer *answer)
{
    search_says(answer, result->magic_diagonals.squares);
    answer->added = answer->count;
}

static void magic_4(search_desc *desc)
{
    desc->magic.order = 4;
}

static void magic_givens(search_desc *desc)
{
    static int givens[25] = {17, 24, 1, 8, 15, 0, 0, 7};
    givens[5] = search_brief() ? 23 : 0;
    desc->magic.order = 5;
    desc->magic.givens = givens;
}

/* Most-perfect squares of order 8 that begin with 1 62 (3). */
static void magic_equations(search_desc *desc)
{
    static int givens[64] = {1, 62};
    givens[2] = search_brief() ? 4 : 0;
    desc->magic.order = 8;
    desc->magic.kind = COMBGPU_MAGIC_MOST_PERFECT;
    desc->magic.givens = givens;
}

static void magic_joined(search_desc *desc)
{
    desc->magic.order = 5;
    desc->magic.run.shard_count = test_small() ? 40000 : 8000;
    desc->magic.run.shard_index = 17;
}

static void magic_lifted(search_desc *desc)
{
    desc->magic.order = 7;
    desc->magic.kind = COMBGPU_MAGIC_ULTRAMAGIC;
    desc->magic.run.shard_count = search_brief() ? 60000 : 10000;
    desc->magic.run.shard_index = 29;
}

static void magic_parted(search_desc *desc)
{
    desc->magic.order = 7;
    desc->magic.kind = COMBGPU_MAGIC_ASSOCIATIVE;
    desc->magic.run.shard_count = search_brief() ? 800000000 : 200000000;
    desc->magic.run.shard_index = 29;
}

static void magic_sampled(search_desc *desc)
{
    desc->magic_estimate.order = 5;
    desc->magic_estimate.samples = test_small() ? 500 : 5000;
    desc->magic_estimate.seed = 7;
}

static void magic_pandiagonal_sampled(search_desc *desc)
{
    desc->magic_estimate.order = 7;
    desc->magic_estimate.kind = COMBGPU_MAGIC_PANDIAGONAL;
    desc->magic_estimate.samples = search_brief() ? 60 : 300;
    desc->magic_estimate.seed = 7;
}

/* A configuration with few sets: of 32 steps three or four, or two. */
static void magic_six(search_desc *desc)
{
    desc->magic_diagonals.first = UINT64_C(123456789012);
    desc->magic_diagonals.count = 1;
    desc->magic_diagonals.run.shard_count = test_small() ? 16 : 10;
    desc->magic_diagonals.run.shard_index = 3;
}

/* clang-format off */
#define MAGIC_ROWS                                                                                 \
    {"magic order 4", &magic_kind, magic_4, SEARCH_ALL_OF_IT, 20000},                              \
    {"magic order 5 with givens", &magic_kind, magic_givens, SEARCH_ALL_OF_IT, 2000},              \
    {"magic by equations", &magic_kind, magic_equations, SEARCH_ALL_OF_IT, 20000},                 \
    {"magic order 5", &magic_kind, magic_joined, SEARCH_STEADY | SEARCH_VERIFIED, 30},             \
    {"magic ultra", &magic_kind, magic_lifted, SEARCH_STEADY | SEARCH_VERIFIED, 30},               \
    {"magic associative", &magic_kind, magic_parted, SEARCH_STEADY | SEARCH_VERIFIED, 20},         \
    {"magic estimate", &magic_estimate_kind, magic_sampled, SEARCH_ALL_OF_IT, 200},                \
    {"magic estimate by lifting", &magic_estimate_kind, magic_pandiagonal_sampled, SEARCH_ALL_OF_IT, 40},\
    {"magic diagonals", &magic_diagonals_kind, magic_six, SEARCH_STEADY | SEARCH_VERIFIED, 1},
#define MAGIC_KNOWN                                                                                \
    {"magic order 4", 7040, 7040},
/* clang-format on */
