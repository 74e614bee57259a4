/* No-three-in-line: rows of the table of searches. */
static void no3_says(const search_result *result, search_answer *answer)
{
    int i;
    search_says(answer, result->no3.all);
    search_says(answer, result->no3.up_to_symmetry);
    for (i = 0; i < COMBGPU_NO3_CLASS_COUNT; i++)
        search_says(answer, result->no3.classes[i]);
    answer->added = answer->count;
}

static void no3_all(search_desc *desc)
{
    desc->no3.n = test_small() ? 7 : 8;
}

static void no3_rot4(search_desc *desc)
{
    desc->no3.n = test_small() ? 12 : 16;
    desc->no3.symmetry = COMBGPU_NO3_ROT4;
}

/* clang-format off */
#define NO3_ROWS                                                                                   \
    {"no3", &no3_kind, no3_all, SEARCH_ALL_OF_IT, 500},                                            \
    {"no3 of a class", &no3_kind, no3_rot4, SEARCH_ALL_OF_IT, 500},
#define NO3_KNOWN                                                                                  \
    {"no3", 380, 132},
/* clang-format on */
