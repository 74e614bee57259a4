/* The table of all searches for the contract tests, which test the same promises for each row
   (test_contract.c). The entry points are those of src/searches.h; a search's rows are in
   searches/ROOM.h. Every row takes some milliseconds on a CPU core. */
#ifndef COMBGPU_TEST_SEARCHES_H
#define COMBGPU_TEST_SEARCHES_H

#include "test.h"

#define SEARCH_DESC(call) combgpu_##call##_desc call;
#define SEARCH_RESULT(call) combgpu_##call##_result call;
typedef union search_desc {
    COMBGPU__CALLS(SEARCH_DESC)
} search_desc;

typedef union search_result {
    COMBGPU__CALLS(SEARCH_RESULT)
} search_result;

/* What a result says, as words: equal wherever and however the search ran. Of shards, the first
   `added` words add up; the others belong to the best one, which has the smallest words. */
typedef struct search_answer {
    int added, count;
    uint64_t words[40];
} search_answer;

/* An entry point: combgpu_NAME, its _begin and its _end. NULL descriptions and results go through.
   */
typedef struct search_kind {
    const char *name;
    combgpu_status (*once)(combgpu_context *ctx, const search_desc *desc, search_result *result);
    combgpu_status (*begin)(combgpu_context *ctx, const search_desc *desc, combgpu_job **job);
    combgpu_status (*end)(combgpu_job *job, search_result *result);
    combgpu_run_desc *(*run)(search_desc *desc);
    const combgpu_run_info *(*info)(const search_result *result);
    void (*says)(const search_result *result, search_answer *answer);
} search_kind;

enum {
    SEARCH_SHARDS = 1,   /* parts add up */
    SEARCH_STEADY = 2,   /* equal steps and checksum wherever it runs */
    SEARCH_VERIFIED = 4, /* run.verify applies */
    SEARCH_WRITES = 8    /* it fills memory of the caller's, too: search_written */
};

typedef struct search_row {
    const char *name; /* stable */
    const search_kind *kind;
    void (*describe)(search_desc *desc); /* desc has been zeroed */
    int can;
    int budget; /* steps of a slice that cut it into some ten pieces */
} search_row;

TEST_HELPER void search_says(search_answer *answer, uint64_t word)
{
    answer->words[answer->count++] = word;
}

/* ---- what the rooms' rows use */

enum { SEARCH_ALL_OF_IT = SEARCH_SHARDS | SEARCH_STEADY | SEARCH_VERIFIED };

static uint8_t search_written[5040 * 7]; /* what a SEARCH_WRITES row writes, tight */
static uint64_t search_bins[8];

/* Sizes that only a GPU needs: more workers than a CPU has. */
static int search_brief(void)
{
    static int brief = -1;
    if (brief < 0) brief = test_small() || !test_has_gpu();
    return brief;
}

/* ---- the rooms: a file of each search's rows */

#define SEARCH_SAYS(call) static void call##_says(const search_result *, search_answer *);
COMBGPU__CALLS(SEARCH_SAYS)

#define SEARCH_KIND(name)                                                                          \
    static combgpu_status name##_once(combgpu_context *ctx, const search_desc *desc,               \
                                      search_result *result)                                       \
    {                                                                                              \
        return combgpu_##name(ctx, desc ? &desc->name : NULL, result ? &result->name : NULL);      \
    }                                                                                              \
    static combgpu_status name##_start(combgpu_context *ctx, const search_desc *desc,              \
                                       combgpu_job **job)                                          \
    {                                                                                              \
        return combgpu_##name##_begin(ctx, desc ? &desc->name : NULL, job);                        \
    }                                                                                              \
    static combgpu_status name##_finish(combgpu_job *job, search_result *result)                   \
    {                                                                                              \
        return combgpu_##name##_end(job, result ? &result->name : NULL);                           \
    }                                                                                              \
    static combgpu_run_desc *name##_run(search_desc *desc)                                         \
    {                                                                                              \
        return &desc->name.run;                                                                    \
    }                                                                                              \
    static const combgpu_run_info *name##_info(const search_result *result)                        \
    {                                                                                              \
        return &result->name.run;                                                                  \
    }                                                                                              \
    static const search_kind name##_kind = {"combgpu_" #name, name##_once, name##_start,           \
                                            name##_finish,    name##_run,  name##_info,            \
                                            name##_says};
COMBGPU__CALLS(SEARCH_KIND)

#ifdef COMBGPU__HAS_MAGIC
#include "searches/magic.h"
#endif
#ifdef COMBGPU__HAS_NO3
#include "searches/no3.h"
#endif
#ifdef COMBGPU__HAS_PERM
#include "searches/perm.h"
#endif
#ifdef COMBGPU__HAS_TSP
#include "searches/tsp.h"
#endif
/* a new search: likewise */

#define SEARCH_KIND_AT(call) &call##_kind,
static const search_kind *const search_kinds[] = {COMBGPU__CALLS(SEARCH_KIND_AT)};
#define SEARCH_KINDS ((int)(sizeof search_kinds / sizeof search_kinds[0]))

#define SEARCH_ROWS_OF(room, NAME) NAME##_ROWS
static const search_row search_rows[] = {COMBGPU__SEARCHES(SEARCH_ROWS_OF)};
#define SEARCH_ROWS ((int)(sizeof search_rows / sizeof search_rows[0]))

/* Counts that are known from elsewhere: the first word that a row's kind says, and the same where
   test_small() makes it smaller. */
#define SEARCH_KNOWN_OF(room, NAME) NAME##_KNOWN
static const struct {
    const char *row;
    uint64_t count, small;
} search_known[] = {COMBGPU__SEARCHES(SEARCH_KNOWN_OF){NULL, 0, 0}};

/* The known count of a row, 0 = none. */
TEST_HELPER uint64_t search_count(const search_row *row)
{
    int i;
    for (i = 0; search_known[i].row; i++)
        if (!strcmp(search_known[i].row, row->name))
            return test_small() ? search_known[i].small : search_known[i].count;
    return 0;
}

TEST_HELPER search_desc search_describe(const search_row *row)
{
    search_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(search_written, 0xee, sizeof search_written);
    row->describe(&desc);
    return desc;
}

/* What the result says: the run's facts where they do not depend on who ran it, then the answer. */
TEST_HELPER search_answer search_answer_of(const search_row *row, const search_result *result)
{
    const combgpu_run_info *info = row->kind->info(result);
    search_answer answer;
    int added, steady = (row->can & SEARCH_STEADY) != 0;
    memset(&answer, 0, sizeof answer);
    search_says(&answer, info->tasks_left);
    search_says(&answer, steady ? info->steps : 0);
    search_says(&answer, steady ? info->checksum : 0);
    added = answer.count;
    row->kind->says(result, &answer);
    if (answer.added < added) answer.added = added;
    return answer;
}

/* Equal answers, as one test point; the first words that differ are shown. */
TEST_HELPER int search_equal(const search_answer *got, const search_answer *want)
{
    int i;
    for (i = 0; i < want->count; i++)
        if (got->words[i] != want->words[i]) {
            printf("# word %d: got %llu, want %llu\n", i, (unsigned long long)got->words[i],
                   (unsigned long long)want->words[i]);
            return 0;
        }
    return got->count == want->count;
}

/* Adds a shard's answer. */
TEST_HELPER void search_add(search_answer *sum, const search_answer *part)
{
    int i, less = 0;
    for (i = 0; i < part->added; i++)
        sum->words[i] += part->words[i];
    for (i = part->added; i < part->count && !less; i++)
        if (sum->count && part->words[i] != sum->words[i])
            less = part->words[i] < sum->words[i] ? 1 : -1;
    if (!sum->count || less > 0)
        for (i = part->added; i < part->count; i++)
            sum->words[i] = part->words[i];
    sum->added = part->added;
    sum->count = part->count;
}

#endif
