/* Golomb rulers: rows of the table of searches, the shortest rulers of 4 to 8 marks (A036501). */
static void golomb_says(const search_result *result, search_answer *answer)
{
    search_says(answer, result->golomb.count);
    answer->added = answer->count;
}

#define GOLOMB_ROW(marks_, length_)                                                                \
    static void golomb_##marks_(search_desc *desc)                                                 \
    {                                                                                              \
        desc->golomb.marks = marks_;                                                               \
        desc->golomb.length = length_;                                                             \
    }
GOLOMB_ROW(4, 6)
GOLOMB_ROW(5, 11)
GOLOMB_ROW(6, 17)
GOLOMB_ROW(7, 25)
GOLOMB_ROW(8, 34)

/* clang-format off */
#define GOLOMB_ROWS                                                                                \
    {"golomb 4", &golomb_kind, golomb_4, SEARCH_ALL_OF_IT, 2},                                     \
    {"golomb 5", &golomb_kind, golomb_5, SEARCH_ALL_OF_IT, 20},                                    \
    {"golomb 6", &golomb_kind, golomb_6, SEARCH_ALL_OF_IT, 100},                                   \
    {"golomb 7", &golomb_kind, golomb_7, SEARCH_ALL_OF_IT, 2000},                                  \
    {"golomb 8", &golomb_kind, golomb_8, SEARCH_ALL_OF_IT, 20000},
#define GOLOMB_KNOWN                                                                               \
    {"golomb 4", 1, 1}, {"golomb 5", 2, 2}, {"golomb 6", 4, 4}, {"golomb 7", 5, 5}, {"golomb 8", 1, 1},
/* clang-format on */
