/* Tests permutations: ranks, and ranges written, visited and scored, on every backend. */
#define COMBGPU_ONLY_PERM 1
#include "test.h"

/* ---- the oracle: all permutations by recursion, in lexicographic order */

#define ORACLE_MOST 9
static uint8_t oracle_perms[362880 * ORACLE_MOST];
static int oracle_n;

static void oracle_place(int n, int place, unsigned used, uint8_t *perm, uint8_t **at)
{
    int x;
    if (place == n) {
        memcpy(*at, perm, (size_t)n);
        *at += n;
        return;
    }
    for (x = 0; x < n; x++)
        if (!(used >> x & 1)) {
            perm[place] = (uint8_t)x;
            oracle_place(n, place + 1, used | 1u << x, perm, at);
        }
}

/* All n! permutations; returns n!. */
static uint64_t oracle(int n)
{
    uint8_t perm[ORACLE_MOST], *at = oracle_perms;
    if (oracle_n != n) oracle_place(n, 0, 0, perm, &at);
    oracle_n = n;
    return combgpu_factorial(n).lo;
}

/* ---- visitors */

COMBGPU_PERM_VISITOR(derangement, {
    int i;
    for (i = 0; i < n; i++)
        if (perm[i] == i) return 0;
    return 1;
})

/* data: int32_t a modulus, then int32_t weights[n], int64_t is read as well; many ties. */
COMBGPU_PERM_VISITOR(weighted, {
    int64_t sum = 0;
    int i, modulus = combgpu_data_i32(data, 0);
    for (i = 0; i < n; i++)
        sum += (int64_t)combgpu_data_i32(data, 2 + i) * perm[i];
    sum += combgpu_data_i64(data, 11) * 1000 + data[96];
    if (sum == 777777) return INT64_MIN;
    if (sum == 777778) return INT64_MAX;
    return modulus ? sum % modulus == 0 : sum;
})

typedef struct weights {
    int32_t modulus, unused, weight[20];
    int64_t big;
    uint8_t byte;
} weights;

static weights random_weights(int modulus)
{
    weights w;
    int i;
    memset(&w, 0, sizeof w);
    w.modulus = modulus;
    w.big = -3;
    w.byte = 200;
    for (i = 0; i < 20; i++)
        w.weight[i] = (int32_t)random_u64_below(9) - 4;
    return w;
}

/* ---- running */

static combgpu_perm_desc perm_desc(int n, combgpu_perm_goal goal)
{
    combgpu_perm_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.goal = goal;
    return desc;
}

/* What a callback gets: each rank at most once, and with the right permutation. */
typedef struct collected {
    int n, wrong, again;
    uint64_t first, count, calls, permutations;
    uint64_t stop_at; /* call that stops the run; 0 = none */
    uint64_t hash;    /* sum over ranks */
    uint8_t *seen;    /* of ranks first .. first+count-1 */
} collected;

static collected collect(int n, uint64_t first, uint64_t count)
{
    collected c;
    memset(&c, 0, sizeof c);
    c.n = n;
    c.first = first;
    c.count = count;
    c.seen = (uint8_t *)calloc((size_t)count, 1);
    return c;
}

static int on_perms(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    collected *c = (collected *)user;
    uint64_t i;
    c->calls++;
    c->wrong += n != c->n || rank < c->first || rank - c->first + count > c->count;
    for (i = 0; i < count && !c->wrong; i++, perms += n) {
        uint64_t of = UINT64_MAX;
        c->wrong += combgpu_perm_rank(NULL, n, perms, &of) != COMBGPU_OK || of != rank + i;
        c->again += c->seen[rank + i - c->first]++;
        c->hash += test_visit_hash(rank + i);
        c->permutations++;
    }
    return c->calls == c->stop_at;
}

TEST_SEARCH(perm)

/* ---- ranks */

static int equal_u128(combgpu_u128 a, uint64_t hi, uint64_t lo)
{
    return a.hi == hi && a.lo == lo;
}

static void ranks(void)
{
    combgpu_u128 f = combgpu_factorial(34);
    int n, wrong = 0;
    ok(combgpu_factorial(0).lo == 1 && combgpu_factorial(1).lo == 1 &&
           equal_u128(combgpu_factorial(20), 0, UINT64_C(2432902008176640000)),
       "factorials up to 20!");
    ok(equal_u128(f, UINT64_C(0xde1bc4d19efcac82), UINT64_C(0x445da75b00000000)),
       "34! = 295232799039604140847618609643520000000");
    ok(equal_u128(combgpu_factorial(35), 0, 0) && equal_u128(combgpu_factorial(-1), 0, 0),
       "no factorial of 35 and of -1");
    for (n = 1; n <= 8; n++) {
        uint64_t all = oracle(n), i, rank;
        combgpu_u128 rank128;
        uint8_t perm[20], walk[20], back[20];
        combgpu_perm_unrank(NULL, n, 0, walk);
        for (i = 0; i < all; i++) {
            const uint8_t *want = oracle_perms + i * (unsigned)n;
            wrong += combgpu_perm_unrank(NULL, n, i, perm) || memcmp(perm, want, (size_t)n) ||
                     combgpu_perm_rank(NULL, n, want, &rank) || rank != i ||
                     combgpu_perm_rank128(NULL, n, want, &rank128) || !equal_u128(rank128, 0, i) ||
                     memcmp(walk, want, (size_t)n);
            memcpy(back, walk, sizeof back);
            wrong += combgpu_perm_next(n, walk) != (i + 1 < all);
            memcpy(perm, walk, sizeof perm);
            wrong +=
                combgpu_perm_previous(n, perm) != (i + 1 < all) || memcmp(perm, back, (size_t)n);
        }
        wrong += memcmp(walk, oracle_perms, (size_t)n) != 0;
    }
    equal_u64(wrong, 0, "rank, unrank, next, previous: n = 1 to 8 as the oracle lists them");
}

static void ends_of_20_and_34(void)
{
    uint8_t perm[34], next[34];
    combgpu_u128 f = combgpu_factorial(34), rank, back;
    uint64_t rank64, f20 = combgpu_factorial(20).lo;
    int i, wrong = 0;
    for (i = 0; i < 34; i++)
        next[i] = (uint8_t)(33 - i);
    rank = f;
    rank.lo--;
    if (f.lo == 0) rank.hi--;
    wrong += combgpu_perm_unrank128(NULL, 34, rank, perm) || memcmp(perm, next, 34) ||
             combgpu_perm_rank128(NULL, 34, perm, &back) || !equal_u128(back, rank.hi, rank.lo) ||
             combgpu_perm_unrank128(NULL, 34, f, perm) != COMBGPU_INVALID_ARGUMENT;
    wrong += combgpu_perm_unrank(NULL, 20, f20 - 1, perm) || memcmp(perm, next + 14, 20) ||
             combgpu_perm_rank(NULL, 20, perm, &rank64) || rank64 != f20 - 1 ||
             combgpu_perm_unrank(NULL, 20, f20, perm) != COMBGPU_INVALID_ARGUMENT;
    equal_u64(wrong, 0, "the last permutations of 20 and 34 elements, and none after them");
    for (i = 0; i < 20000; i++) {
        int n = 1 + (int)random_u64_below(34);
        f = combgpu_factorial(n);
        rank.lo = random_u64();
        rank.hi = f.hi ? random_u64_below(f.hi) : 0;
        if (!f.hi) rank.lo %= f.lo;
        wrong += combgpu_perm_unrank128(NULL, n, rank, perm) ||
                 combgpu_perm_rank128(NULL, n, perm, &back) || !equal_u128(back, rank.hi, rank.lo);
        if (combgpu_perm_next(n, perm)) {
            if (!++rank.lo) rank.hi++;
            wrong += combgpu_perm_unrank128(NULL, n, rank, next) || memcmp(perm, next, (size_t)n);
        }
        if (n <= 20)
            wrong += combgpu_perm_unrank(NULL, n, rank.lo, next) ||
                     combgpu_perm_rank(NULL, n, next, &rank64) || rank64 != rank.lo;
    }
    equal_u64(wrong, 0, "ranks round-trip and next is rank + 1, n = 1 to 34, at random");
}

static void multisets_and_bad_ranks(void)
{
    static const uint8_t last[4] = {2, 2, 1, 1};
    uint8_t perm[34] = {1, 1, 2, 2}, repeated[3] = {0, 1, 0}, large[3] = {0, 3, 1};
    combgpu_context *ctx;
    combgpu_u128 rank128;
    uint64_t rank;
    int count = 1;
    while (combgpu_perm_next(4, perm))
        count++;
    ok(count == 6 && perm[0] == 1 && perm[3] == 2 && !combgpu_perm_previous(4, perm) &&
           !memcmp(perm, last, 4),
       "next and previous run through the 6 permutations of 1 1 2 2");
    ok(!combgpu_perm_next(0, perm) && !combgpu_perm_next(-1, NULL) &&
           !combgpu_perm_previous(1, perm),
       "no elements and one element have no next");
    if (!test_open(0, &ctx)) return;
    INVALID(combgpu_perm_rank(ctx, 0, perm, &rank), "n is 0; it may be 1 to 20");
    INVALID(combgpu_perm_rank(ctx, 21, perm, &rank), "n is 21");
    INVALID(combgpu_perm_rank(ctx, 3, NULL, &rank), "perm is NULL");
    INVALID(combgpu_perm_rank(ctx, 3, large, NULL), "rank is NULL");
    INVALID(combgpu_perm_rank(ctx, 3, large, &rank), "perm[1] is 3");
    INVALID(combgpu_perm_rank(ctx, 3, repeated, &rank), "perm[2] is 0");
    INVALID(combgpu_perm_rank128(ctx, 35, perm, &rank128), "n is 35; it may be 1 to 34");
    INVALID(combgpu_perm_unrank(ctx, -5, 0, perm), "n is -5");
    INVALID(combgpu_perm_unrank(ctx, 3, 6, perm), "rank is 6; with n = 3 it may be 0 to 5");
    INVALID(combgpu_perm_unrank(ctx, 3, 5, NULL), "perm is NULL");
    rank128.hi = 1;
    rank128.lo = 0;
    INVALID(combgpu_perm_unrank128(ctx, 20, rank128, perm),
            "rank is 18446744073709551616; with n = 20 it must be below n! = 2432902008176640000");
    INVALID(combgpu_perm_unrank128(ctx, 35, rank128, perm), "n is 35");
    combgpu_close(ctx);
}

/* ---- WRITE */

static void writes_ranges(combgpu_context *ctx, const char *place)
{
    static uint8_t out[7 * 6000 * 20 + 64];
    int n, i, wrong = 0, guards = 0;
    for (n = 1; n <= ORACLE_MOST; n++) {
        combgpu_perm_desc desc = perm_desc(n, COMBGPU_PERM_WRITE);
        combgpu_perm_result result;
        uint64_t all = oracle(n);
        uint8_t *memory = (uint8_t *)malloc((size_t)all * (unsigned)n + 1);
        memset(memory, 99, (size_t)all * (unsigned)n + 1);
        desc.out = memory;
        desc.out_bytes = (size_t)all * (unsigned)n;
        wrong += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK || result.visited != all ||
                 result.run.steps != all || result.run.checksum != test_mix(all) - test_mix(0) ||
                 memcmp(memory, oracle_perms, desc.out_bytes);
        guards += memory[desc.out_bytes] != 99;
        free(memory);
    }
    equal_u64(wrong, 0, "%s: writes all permutations, n = 1 to 9", place);
    for (i = 0, wrong = 0; i < 60; i++) {
        combgpu_perm_desc desc = perm_desc(1 + i % 20, COMBGPU_PERM_WRITE);
        combgpu_perm_result result;
        uint64_t all = combgpu_factorial(desc.n).lo, most, j;
        uint8_t want[20];
        n = desc.n;
        desc.first =
            i < 40 ? random_u64_below(all) : all - 1 - random_u64_below(all < 999 ? all : 999);
        most = all - desc.first < 6000 ? all - desc.first : 6000;
        desc.count = i % 7 ? 1 + random_u64_below(most) : 1;
        if (i >= 40) desc.count = 0; /* to the end */
        most = desc.count ? desc.count : all - desc.first;
        desc.out = out + 1 + i % 16; /* any alignment */
        desc.out_bytes = (size_t)most * (unsigned)n;
        memset(out, 99, sizeof out);
        wrong += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK || result.visited != most;
        guards += out[i % 16] != 99 || out[1 + (size_t)i % 16 + desc.out_bytes] != 99;
        combgpu_perm_unrank(NULL, n, desc.first, want);
        for (j = 0; j < most; j++, combgpu_perm_next(n, want))
            wrong += memcmp(want, out + 1 + i % 16 + j * (unsigned)n, (size_t)n) != 0;
    }
    equal_u64(wrong, 0, "%s: writes ranges of n = 1 to 20 at random, and to the end", place);
    equal_u64(guards, 0, "%s: not a byte outside of out", place);
}

static void hands_chunks(combgpu_context *ctx, const char *place)
{
    combgpu_perm_desc desc = perm_desc(9, COMBGPU_PERM_WRITE);
    combgpu_perm_result result;
    collected c;
    desc.first = 1234;
    desc.count = 300001;
    c = collect(desc.n, desc.first, desc.count);
    desc.solution = on_perms;
    desc.solution_user = &c;
    ok(combgpu_perm(ctx, &desc, &result) == COMBGPU_OK && !c.wrong && !c.again &&
           c.permutations == desc.count && result.visited == desc.count,
       "%s: chunks hold every permutation of the range once", place);
    free(c.seen);
    c = collect(desc.n, desc.first, desc.count);
    c.stop_at = 3;
    ok(combgpu_perm(ctx, &desc, &result) == COMBGPU_STOPPED && c.calls == 3 &&
           result.visited == c.permutations,
       "%s: a callback that returns nonzero stops the run", place);
    free(c.seen);
}

/* ---- COUNT, MINIMUM, MAXIMUM against the oracle */

typedef struct answer {
    uint64_t hits, hash, best_rank[2];
    int64_t best[2];
} answer;

/* By the C form of the visitor on permutations that combgpu_perm_next makes. */
static answer visit_oracle(const combgpu_perm_desc *desc)
{
    uint8_t perm[20];
    answer a;
    uint64_t i;
    memset(&a, 0, sizeof a);
    combgpu_perm_unrank(NULL, desc->n, desc->first, perm);
    for (i = desc->first; i < desc->first + desc->count; i++) {
        int64_t value = desc->visitor->cpu(perm, desc->n, (const unsigned char *)desc->data);
        if (value) {
            a.hits++;
            a.hash += test_visit_hash(i);
        }
        if (i == desc->first || value < a.best[0]) {
            a.best[0] = value;
            a.best_rank[0] = i;
        }
        if (i == desc->first || value > a.best[1]) {
            a.best[1] = value;
            a.best_rank[1] = i;
        }
        combgpu_perm_next(desc->n, perm);
    }
    return a;
}

static void visits_known(combgpu_context *ctx, const char *place)
{
    /* OEIS A000166 */
    static const uint64_t derangements[10] = {1, 0, 1, 2, 9, 44, 265, 1854, 14833, 133496};
    combgpu_perm_desc desc = perm_desc(1, COMBGPU_PERM_COUNT);
    combgpu_perm_result result;
    int wrong = 0;
    desc.visitor = &derangement;
    for (desc.n = 1; desc.n <= 9; desc.n++)
        wrong += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK ||
                 result.hits != derangements[desc.n] ||
                 result.visited != combgpu_factorial(desc.n).lo;
    equal_u64(wrong, 0, "%s: derangements of 1 to 9 elements: 0 1 2 9 44 265 1854 14833 133496",
              place);
}

static void visits_ranges(combgpu_context *ctx, const char *place)
{
    int rounds = backend_of(ctx) == COMBGPU_BACKEND_CPU ? 60 : 20, i, wrong_count = 0,
        wrong_list = 0, wrong_best = 0;
    for (i = 0; i < rounds; i++) {
        combgpu_perm_desc desc = perm_desc(1 + i % 20, COMBGPU_PERM_COUNT);
        combgpu_perm_result result;
        uint64_t all = combgpu_factorial(desc.n).lo;
        weights w = random_weights(i % 3 ? 2 + (int)random_u64_below(50) : 0);
        answer want;
        collected c;
        int goal;
        desc.first = random_u64_below(all);
        desc.count = 1 + random_u64_below(all - desc.first < 30000 ? all - desc.first : 30000);
        desc.visitor = &weighted;
        desc.data = &w;
        desc.data_bytes = 97; /* not a multiple of 4 */
        want = visit_oracle(&desc);
        wrong_count += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK ||
                       result.hits != want.hits || result.run.checksum != want.hash ||
                       result.visited != desc.count || result.run.steps != desc.count;
        c = collect(desc.n, desc.first, desc.count);
        desc.solution = on_perms;
        desc.solution_user = &c;
        wrong_list += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK || result.hits != want.hits ||
                      result.run.checksum != want.hash || c.wrong || c.again ||
                      c.hash != want.hash || c.calls != want.hits;
        free(c.seen);
        desc.solution = NULL;
        for (goal = 0; goal < 2; goal++) {
            uint64_t rank = 0;
            desc.goal = goal ? COMBGPU_PERM_MAXIMUM : COMBGPU_PERM_MINIMUM;
            wrong_best += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK ||
                          result.best_value != want.best[goal] ||
                          result.best_rank != want.best_rank[goal] ||
                          combgpu_perm_rank(NULL, desc.n, result.best, &rank) ||
                          rank != want.best_rank[goal] || result.visited != desc.count;
        }
    }
    equal_u64(wrong_count, 0, "%s: counts on ranges of n = 1 to 20 as the oracle", place);
    equal_u64(wrong_list, 0, "%s: lists each hit once", place);
    equal_u64(wrong_best, 0, "%s: minimum and maximum, and the first that has it", place);
}

/* The visitor turns the sums 777777 and 777778 into INT64_MIN and INT64_MAX: here each permutation
   has that sum. */
static void extreme_values(combgpu_context *ctx, const char *place)
{
    combgpu_perm_desc desc = perm_desc(7, COMBGPU_PERM_MINIMUM);
    combgpu_perm_result result;
    weights w;
    int i, wrong = 0;
    memset(&w, 0, sizeof w);
    for (i = 0; i < 7; i++)
        w.weight[i] = 25; /* 21 * 25 = 525 */
    w.big = 777;
    desc.visitor = &weighted;
    desc.data = &w;
    desc.data_bytes = sizeof w;
    desc.first = 17;
    for (i = 0; i < 4; i++) {
        w.byte = (uint8_t)(252 + i % 2);
        desc.goal = i / 2 ? COMBGPU_PERM_MAXIMUM : COMBGPU_PERM_MINIMUM;
        wrong += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK || result.best_rank != 17 ||
                 result.best_value != (i % 2 ? INT64_MAX : INT64_MIN);
    }
    equal_u64(wrong, 0, "%s: values INT64_MIN and INT64_MAX are values like others", place);
}

static void limits(combgpu_context *ctx, const char *place)
{
    combgpu_perm_desc desc = perm_desc(8, COMBGPU_PERM_COUNT);
    combgpu_perm_result result;
    combgpu_job *job;
    collected c = collect(8, 0, 40320);
    combgpu_status status;
    desc.visitor = &derangement;
    desc.limit = 100;
    ok(combgpu_perm(ctx, &desc, &result) == COMBGPU_FOUND && result.hits == 100,
       "%s: a limit without a callback ends with FOUND at the limit", place);
    desc.solution = on_perms;
    desc.solution_user = &c;
    if (combgpu_perm_begin(ctx, &desc, &job)) return;
    while ((status = combgpu_step(job)) == COMBGPU_RUNNING) {
    }
    ok(status == COMBGPU_FOUND && c.calls == 100, "%s: 100 hits are handed over, then FOUND",
       place);
    while ((status = combgpu_step(job)) == COMBGPU_RUNNING) {
    }
    combgpu_perm_end(job, &result);
    ok(status == COMBGPU_OK && c.calls == 14833 && !c.again && !c.wrong && result.hits == 14833 &&
           result.visited == 40320,
       "%s: stepped on, the run finds the others, each once", place);
    free(c.seen);
}

/* Hits counted before a stop, without a limit, count for the limit of the resumed run. */
static void limit_after_resume(combgpu_context *ctx, const char *place)
{
    combgpu_perm_desc desc = perm_desc(9, COMBGPU_PERM_COUNT);
    combgpu_perm_result result;
    combgpu_progress progress;
    combgpu_job *job;
    unsigned char saved[200000];
    size_t bytes;
    desc.visitor = &derangement;
    desc.first = 100000;
    if (combgpu_perm_begin(ctx, &desc, &job)) return;
    inside_set_budget(job, 500);
    combgpu_step(job);
    combgpu_job_progress(job, &progress);
    combgpu_save(job, saved, sizeof saved, &bytes);
    combgpu_job_cancel(job);
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    desc.limit = progress.solutions + 100;
    ok(combgpu_perm(ctx, &desc, &result) == COMBGPU_FOUND && result.hits == desc.limit,
       "%s: a limit includes the %d hits before a resume", place, (int)progress.solutions);
}

/* ---- shards, slices, stops, small buffers */

static void shards_add_up(combgpu_context *ctx, const char *place)
{
    static const int shard_counts[3] = {1, 3, 7};
    static uint8_t out[362880 * 9];
    weights w = random_weights(11);
    combgpu_perm_desc desc = perm_desc(9, COMBGPU_PERM_COUNT), write = desc, least = desc;
    uint64_t checksum = 0;
    answer want;
    int k, i, wrong = 0, wrong_least = 0, wrong_write = 0;
    desc.first = write.first = 777;
    desc.count = write.count = 362880 - 1000;
    desc.visitor = &weighted;
    desc.data = &w;
    desc.data_bytes = sizeof w;
    want = visit_oracle(&desc);
    least = desc;
    least.goal = COMBGPU_PERM_MINIMUM;
    write.goal = COMBGPU_PERM_WRITE;
    write.out = out;
    write.out_bytes = sizeof out;
    oracle(9);
    for (k = 0; k < 3; k++) {
        uint64_t hits = 0, hash = 0, visited = 0, steps = 0, written = 0, write_hash = 0;
        int64_t best = INT64_MAX;
        uint64_t best_rank = UINT64_MAX;
        memset(out, 99, sizeof out);
        for (i = 0; i < shard_counts[k]; i++) {
            combgpu_perm_result result;
            desc.run.shard_index = i;
            desc.run.shard_count = shard_counts[k];
            least.run = write.run = desc.run;
            wrong += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK;
            hits += result.hits;
            hash += result.run.checksum;
            visited += result.visited;
            steps += result.run.steps;
            wrong_least += combgpu_perm(ctx, &least, &result) != COMBGPU_OK || !result.visited;
            if (result.best_value < best ||
                (result.best_value == best && result.best_rank < best_rank)) {
                best = result.best_value;
                best_rank = result.best_rank;
            }
            wrong_write += combgpu_perm(ctx, &write, &result) != COMBGPU_OK;
            written += result.visited;
            write_hash += result.run.checksum;
        }
        if (!k) checksum = write_hash;
        wrong +=
            hits != want.hits || hash != want.hash || visited != desc.count || steps != desc.count;
        wrong_least += best != want.best[0] || best_rank != want.best_rank[0];
        wrong_write += written != write.count || write_hash != checksum ||
                       memcmp(out, oracle_perms + 777 * 9, (size_t)write.count * 9) ||
                       out[write.count * 9] != 99;
    }
    equal_u64(wrong, 0, "%s: 1, 3, 7 shards: hits, checksums, steps add up", place);
    equal_u64(wrong_least, 0, "%s: 1, 3, 7 shards: the best of their minima is the minimum", place);
    equal_u64(wrong_write, 0, "%s: 1, 3, 7 shards write the whole range together", place);
}

/* In pieces, on one context, or with NULL from place to place. */
static void in_pieces(combgpu_context *ctx, const char *place)
{
    static uint8_t out[40320 * 8];
    int rounds = !ctx || backend_of(ctx) == COMBGPU_BACKEND_CPU ? 12 : 6;
    int i, goal, restarts = 0, wrong[4] = {0, 0, 0, 0};
    for (i = 0; i < rounds; i++)
        for (goal = 0; goal < 4; goal++) {
            combgpu_perm_desc desc = perm_desc(8, (combgpu_perm_goal)goal);
            combgpu_perm_result result;
            test_search search = perm_search(&desc, &result, 3000);
            int pieces;
            weights w = random_weights(goal == COMBGPU_PERM_COUNT ? 13 : 0);
            collected c;
            answer want = {0, 0, {0, 0}, {0, 0}};
            desc.first = random_u64_below(20000);
            desc.count = 1 + random_u64_below(20320);
            c = collect(8, desc.first, desc.count);
            if (goal == COMBGPU_PERM_WRITE) {
                memset(out, 99, sizeof out);
                if (i % 2) {
                    desc.out = out;
                    desc.out_bytes = sizeof out;
                } else
                    desc.solution = on_perms;
            } else {
                desc.visitor = &weighted;
                desc.data = &w;
                desc.data_bytes = sizeof w;
                want = visit_oracle(&desc);
                if (goal == COMBGPU_PERM_COUNT && i % 4) desc.solution = on_perms;
            }
            if (desc.solution) desc.solution_user = &c;
            search.records = i % 3 == 0 ? 20 : i % 3 == 1 ? 500 : 0;
            search.most = 21;
            search.one = search.other = ctx;
            memset(&result, 0, sizeof result);
            pieces = test_pieces(&search);
            wrong[goal] +=
                pieces < 1 || result.visited != desc.count || result.run.steps != desc.count;
            restarts += pieces - 1;
            if (goal == COMBGPU_PERM_WRITE) {
                oracle(8);
                wrong[goal] +=
                    result.run.checksum != test_mix(desc.first + desc.count) - test_mix(desc.first);
                if (i % 2)
                    wrong[goal] +=
                        memcmp(out, oracle_perms + desc.first * 8, (size_t)desc.count * 8) != 0;
                else
                    wrong[goal] += c.wrong || c.again || c.permutations != desc.count;
            } else if (goal == COMBGPU_PERM_COUNT)
                wrong[goal] += result.hits != want.hits || result.run.checksum != want.hash ||
                               (desc.solution && (c.wrong || c.again || c.hash != want.hash ||
                                                  c.calls != want.hits));
            else
                wrong[goal] += result.best_value != want.best[goal == COMBGPU_PERM_MAXIMUM] ||
                               result.best_rank != want.best_rank[goal == COMBGPU_PERM_MAXIMUM];
            free(c.seen);
        }
    equal_u64(wrong[0], 0,
              "%s: WRITE in slices of any size, small buffers, resumed: all there once", place);
    equal_u64(wrong[1], 0, "%s: COUNT likewise", place);
    equal_u64(wrong[2] + wrong[3], 0, "%s: MINIMUM and MAXIMUM likewise", place);
    ok(restarts > 10, "%s: there were %d resumes", place, restarts);
}

/* A callback that stops again and again: every permutation still comes once. */
static void stops_again(combgpu_context *ctx, const char *place)
{
    combgpu_perm_desc desc = perm_desc(8, COMBGPU_PERM_WRITE);
    combgpu_perm_result result;
    collected c = collect(8, 0, 40320);
    combgpu_job *job;
    combgpu_status status;
    int stops = 0;
    desc.solution = on_perms;
    desc.solution_user = &c;
    if (combgpu_perm_begin(ctx, &desc, &job)) return;
    do {
        c.stop_at = c.calls + 1;
        inside_set_budget(job, 777);
        status = combgpu_step(job);
        stops += status == COMBGPU_STOPPED;
    } while (status == COMBGPU_STOPPED || status == COMBGPU_RUNNING);
    combgpu_perm_end(job, &result);
    ok(status == COMBGPU_OK && stops > 2 && c.permutations == 40320 && !c.again && !c.wrong,
       "%s: stopped at each chunk and stepped on: each permutation once", place);
    free(c.seen);
}

/* Host memory is the host's to fill, and needs none of the device's. */
static void host_writes(int place)
{
    combgpu_context *ctx;
    combgpu_context_desc context = test_context(place);
    combgpu_perm_desc desc = perm_desc(9, COMBGPU_PERM_WRITE);
    combgpu_perm_result result;
    context.memory_limit = 1 << 16;
    desc.out_bytes = 362880 * 9;
    desc.out = (uint8_t *)malloc(desc.out_bytes);
    oracle(9);
    if (combgpu_open(&ctx, &context) == COMBGPU_OK &&
        equal_status(ctx, combgpu_perm(ctx, &desc, &result), COMBGPU_OK,
                     "%s: writes 3 MB of host memory with 64 KB of the device's",
                     test_places[place].name))
        ok(!memcmp(desc.out, oracle_perms, desc.out_bytes) && result.run.device_count == 1 &&
               result.run.devices[0].backend == COMBGPU_BACKEND_CPU,
           "%s: the CPU did it, and all is right", test_places[place].name);
    combgpu_close(ctx);
    free(desc.out);
}

/* ---- errors */

static void expect(combgpu_context *ctx, combgpu_perm_desc *desc, combgpu_status want,
                   const char *part)
{
    combgpu_job *job = NULL;
    combgpu_status status = combgpu_perm_begin(ctx, desc, &job);
    ok(status == want && !job && strstr(combgpu_message(ctx), part), "%s: \"%s\"",
       combgpu_status_string(want), combgpu_message(ctx));
    combgpu_job_cancel(job);
}

static void bad_arguments(void)
{
    static uint8_t out[64];
    uint64_t bin = 0;
    combgpu_perm_visitor empty;
    combgpu_perm_desc good, desc;
    combgpu_perm_result result;
    combgpu_context *ctx;
    if (!test_open(0, &ctx)) return;
    good = perm_desc(4, COMBGPU_PERM_WRITE);
    good.count = 16;
    good.out = out;
    good.out_bytes = sizeof out;
    ok(combgpu_perm(ctx, &good, &result) == COMBGPU_OK, "out may be just large enough");
    ok(combgpu_perm_begin(NULL, &good, NULL) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_perm_begin(ctx, &good, NULL) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_perm(ctx, NULL, &result) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_perm_end(NULL, &result) == COMBGPU_INVALID_ARGUMENT,
       "NULL pointers are errors");
#define EXPECT(change, status, part) (desc = good, change, expect(ctx, &desc, status, part))
#define REFUSED(change, part) EXPECT(change, COMBGPU_INVALID_ARGUMENT, part)
    REFUSED(desc.n = 0, "desc.n is 0; it may be 1 to 34");
    REFUSED(desc.n = 35, "desc.n is 35");
    REFUSED(desc.first = 24, "desc.first is 24; with n = 4 it may be 0 to 23");
    REFUSED(desc.first = 9, "desc.count is 16");
    REFUSED(desc.count = UINT64_MAX, "desc.count is 18446744073709551615");
    REFUSED(memset(&desc.goal, 1, sizeof desc.goal), "desc.goal is 16843009");
    REFUSED(desc.out_bytes = 63, "out_bytes is 63; 16 permutations of 4 items of 1 bytes need 64");
    REFUSED(desc.out = NULL, "desc.out, desc.device_out.memory and desc.solution are all NULL");
    REFUSED(desc.solution = on_perms, "set, the first and the last");
    REFUSED(desc.visitor = &derangement, "desc.visitor is set");
    REFUSED(desc.limit = 1, "desc.limit is set");
    REFUSED(desc.data = out, "desc.data is set");
    REFUSED((desc.n = 20, desc.count = 0, desc.out_bytes = SIZE_MAX),
            "desc.count is 2432902008176640000");
    REFUSED(desc.run.shard_index = 1, "run.shard_index");
    REFUSED(desc.ordered = 1, "desc.ordered is set; it is for goal COUNT with solution");
    REFUSED(desc.bins = 1, "desc.bins is set; it is for goal HISTOGRAM");
    REFUSED(desc.histogram = &bin, "desc.histogram is set");
    good = perm_desc(4, COMBGPU_PERM_COUNT);
    good.visitor = &derangement;
    REFUSED(desc.n = 21, "desc.n is 21; it may be 1 to 20, with goal WRITE to 34");
    REFUSED(desc.visitor = NULL, "desc.visitor is NULL");
    REFUSED(desc.data_bytes = 1, "desc.data is NULL, but desc.data_bytes is 1");
    REFUSED(desc.data = out, "desc.data is set, but desc.data_bytes is 0");
    REFUSED((desc.data = out, desc.data_bytes = SIZE_MAX), "it may be 0 to 1073741824");
    REFUSED(desc.out = out, "desc.out is set; it is for goal WRITE");
    REFUSED((desc.goal = COMBGPU_PERM_MINIMUM, desc.limit = 2), "desc.limit is set");
    REFUSED((desc.goal = COMBGPU_PERM_MAXIMUM, desc.solution = on_perms), "solution is set");
    memset(&empty, 0, sizeof empty);
    REFUSED(desc.visitor = &empty, "desc.visitor->name is NULL");
    empty.name = "empty";
    EXPECT(desc.visitor = &empty, COMBGPU_UNSUPPORTED,
           "visitor empty has no form for cpu: its cpu is NULL");
    combgpu_close(ctx);
}

/* A visitor in one form only; on the device one that does not compile. */
static void visitors_by_hand(void)
{
    combgpu_perm_visitor visitor = derangement;
    combgpu_perm_desc desc = perm_desc(8, COMBGPU_PERM_COUNT);
    combgpu_perm_result result;
    combgpu_context *ctx;
    desc.visitor = &visitor;
    if (test_open(0, &ctx)) {
        visitor.cpu_many = NULL;
        ok(combgpu_perm(ctx, &desc, &result) == COMBGPU_OK && result.hits == 14833,
           "cpu: a visitor with `cpu` alone");
        visitor = derangement;
        visitor.cpu = NULL;
        ok(combgpu_perm(ctx, &desc, &result) == COMBGPU_OK && result.hits == 14833,
           "cpu: a visitor with `cpu_many` alone");
        combgpu_close(ctx);
    }
    if (test_open(2, &ctx)) {
        visitor.name = "broken";
        visitor.opencl_source =
            "#define COMBGPU_VISITOR\n"
            "static long combgpu_visit(const uchar *perm, int n, __global const uchar *data)\n"
            "{ return perm[0] + undeclared_thing; }\n";
        ok(combgpu_perm(ctx, &desc, &result) == COMBGPU_DEVICE_ERROR &&
               strstr(combgpu_message(ctx), "undeclared_thing"),
           "opencl: a visitor that does not compile: \"%s\"", combgpu_message(ctx));
        visitor.opencl_source =
            "#define COMBGPU_VISITOR\n"
            "static long combgpu_visit(const uchar *perm, int n, __global const uchar *data)\n"
            "{ for (int i = 0; i < n; i++) if (perm[i] == i) return 0; return -1; }\n";
        equal_status(ctx, combgpu_perm(ctx, &desc, &result), COMBGPU_OK,
                     "opencl: the context stays usable, and a source by hand works");
        equal_u64(result.hits, 14833, "opencl: its count is right");
        visitor.opencl_source = NULL;
        expect(ctx, &desc, COMBGPU_UNSUPPORTED, "visitor broken has no form for opencl");
        combgpu_close(ctx);
    }
    if (test_open(3, &ctx)) {
        visitor.cuda_kernel = NULL;
        expect(ctx, &desc, COMBGPU_UNSUPPORTED, "has no form for cuda");
        combgpu_close(ctx);
    }
}

/* A visitor that calls the device functions: a hash of the rank, or the largest value if rank,
   unrank and next do not agree. */
static const char ranked_opencl[] =
    "#define COMBGPU_VISITOR\n"
    "static inline ulong combgpu_rank(int n, const uchar *perm);\n"
    "static inline void combgpu_unrank(int n, ulong rank, uchar *perm);\n"
    "static inline int combgpu_next_permutation(int n, uchar *perm);\n"
    "static long combgpu_visit(const uchar *perm, int n, __global const uchar *data)\n{"
    "unsigned char other[20]; int i, wrong = 0; ulong rank = combgpu_rank(n, perm);"
    "combgpu_unrank(n, rank, other);"
    "for (i = 0; i < n; i++) wrong += other[i] != perm[i];"
    "wrong += combgpu_next_permutation(n, other) ? combgpu_rank(n, other) != rank + 1"
    "                                            : combgpu_rank(n, other) != 0;"
    "return wrong ? 0x7fffffffffffffffL : (long)(rank * 2654435761UL % 1000003UL);}\n";

static int64_t ranked_cpu(const unsigned char *perm, int n, const unsigned char *data)
{
    uint64_t rank = 0;
    (void)data;
    combgpu_perm_rank(NULL, n, perm, &rank);
    return (int64_t)(rank * 2654435761u % 1000003u);
}

#if defined(COMBGPU_CUDA) && defined(__CUDACC__)
struct ranked_cuda {
    static __device__ long long visit(const unsigned char *perm, int n, const unsigned char *)
    {
        unsigned char other[20];
        int i, wrong = 0;
        unsigned long long rank = combgpu_rank(n, perm);
        combgpu_unrank(n, rank, other);
        for (i = 0; i < n; i++)
            wrong += other[i] != perm[i];
        wrong += combgpu_next_permutation(n, other) ? combgpu_rank(n, other) != rank + 1
                                                    : combgpu_rank(n, other) != 0;
        return wrong ? INT64_MAX : (long long)(rank * 2654435761u % 1000003u);
    }
};
#define RANKED_CUDA reinterpret_cast<const void *>(&combgpu_perm_visit<ranked_cuda>)
#else
#define RANKED_CUDA NULL
#endif

static void device_functions(combgpu_context *ctx, const char *place)
{
    combgpu_perm_visitor ranked;
    combgpu_perm_result result;
    int i, wrong = 0;
    memset(&ranked, 0, sizeof ranked);
    ranked.name = "ranked";
    ranked.cpu = ranked_cpu;
    ranked.opencl_source = ranked_opencl;
    ranked.cuda_kernel = RANKED_CUDA;
    for (i = 0; i < 8; i++) {
        combgpu_perm_desc desc = perm_desc(i < 5 ? i + 1 : 5 * (i - 3), COMBGPU_PERM_MAXIMUM);
        uint64_t all = combgpu_factorial(desc.n).lo;
        answer want;
        desc.visitor = &ranked;
        desc.first = all - (all < 5000 ? all : 5000);
        desc.count = all - desc.first;
        want = visit_oracle(&desc);
        wrong += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK ||
                 result.best_value != want.best[1] || result.best_rank != want.best_rank[1];
    }
    equal_u64(wrong, 0, "%s: rank, unrank and next as a caller's own kernel gets them", place);
}

/* A checkpoint whose task or record was changed, with a right CRC. */
static void untrusted_checkpoints(combgpu_context *ctx)
{
    combgpu_perm_desc desc = perm_desc(8, COMBGPU_PERM_COUNT);
    collected c = collect(8, 0, 40320);
    combgpu_job *job;
    unsigned char *saved;
    size_t bytes = 0;
    uint32_t word;
    desc.visitor = &derangement;
    desc.solution = on_perms;
    desc.solution_user = &c;
    c.stop_at = 1;
    if (combgpu_perm_begin(ctx, &desc, &job)) return;
    inside_set_budget(job, 20000);
    ok(combgpu_step(job) == COMBGPU_STOPPED, "stopped at the first hit");
    saved = test_save(job, &bytes);
    combgpu_job_cancel(job);
    free(c.seen);
    desc.run.resume_data = saved;
    desc.run.resume_bytes = bytes;
    desc.n = 9;
    expect(ctx, &desc, COMBGPU_WRONG_JOB, "another job");
    desc.n = 8;
    desc.goal = COMBGPU_PERM_MINIMUM;
    desc.solution = NULL;
    expect(ctx, &desc, COMBGPU_WRONG_JOB, "another job");
    desc.goal = COMBGPU_PERM_COUNT;
    desc.solution = on_perms;
    /* the last record is the last 16 bytes before the CRC: rank 0 is no derangement */
    memset(saved + bytes - 20, 0, 8);
    test_mend(saved, bytes);
    expect(ctx, &desc, COMBGPU_BAD_FILE, "cannot occur in this job");
    word = 40320; /* a rank past the end */
    test_put32(saved + bytes - 20, word);
    test_mend(saved, bytes);
    expect(ctx, &desc, COMBGPU_BAD_FILE, "cannot occur in this job");
    free(saved);
}

/* ---- memory that runs out */

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_perm_result result;
    combgpu_status status = combgpu_perm(ctx, (const combgpu_perm_desc *)user, &result);
    return status || result.visited == 40320 ? status : COMBGPU_WRONG_RESULT;
}

static void memory_runs_out(int place)
{
    static uint8_t out[40320 * 8];
    combgpu_context_desc context = test_context(place);
    int goal, failed;
    for (goal = 0; goal < 3; goal++) {
        combgpu_perm_desc desc = perm_desc(8, (combgpu_perm_goal)goal);
        if (goal)
            desc.visitor = &derangement;
        else {
            desc.out = out;
            desc.out_bytes = sizeof out;
        }
        failed = test_out_of_memory(&context, 0, allocating, &desc);
        ok(failed > 4, "%s, goal %d: each of %d failing allocations is OUT_OF_MEMORY, none leaks",
           test_places[place].name, goal, failed);
    }
}

/* The fraction done is of the shard's own part. */
static void progress_of_a_shard(void)
{
    combgpu_perm_desc desc = perm_desc(9, COMBGPU_PERM_MINIMUM);
    weights w = random_weights(11);
    struct {
        double steps, fraction;
    } seen[100];
    int count = 0, wrong = 0, i;
    combgpu_job *job;
    combgpu_perm_result result;
    combgpu_status status = COMBGPU_RUNNING;
    desc.visitor = &weighted;
    desc.data = &w;
    desc.data_bytes = sizeof w;
    desc.run.shard_index = 1;
    desc.run.shard_count = 3;
    if (combgpu_perm_begin(CPU, &desc, &job)) return;
    inside_limit_workers(job, 1);
    while (status == COMBGPU_RUNNING) {
        combgpu_progress progress;
        inside_set_budget(job, 5000);
        status = combgpu_step(job);
        memset(&progress, 0, sizeof progress);
        combgpu_job_progress(job, &progress);
        if (count == 100 || status != COMBGPU_RUNNING || progress.fraction >= 0.999) continue;
        seen[count].steps = (double)progress.steps;
        seen[count++].fraction = progress.fraction;
    }
    combgpu_perm_end(job, &result);
    for (i = 0; i < count; i++)
        wrong += fabs(seen[i].steps / (double)result.run.steps - seen[i].fraction) > 1e-9;
    ok(count > 5 && !wrong, "a shard's progress is the part done of its own steps, %d times",
       count);
}

int main(void)
{
    int place;
    open_places();
    ranks();
    ends_of_20_and_34();
    multisets_and_bad_ranks();
    bad_arguments();
    visitors_by_hand();
    progress_of_a_shard();
    for (place = 0; place < TEST_PLACES; place++) {
        const char *name = test_places[place].name;
        combgpu_context *ctx = opened[place];
        if (!ctx) continue;
        writes_ranges(ctx, name);
        hands_chunks(ctx, name);
        visits_known(ctx, name);
        visits_ranges(ctx, name);
        extreme_values(ctx, name);
        limits(ctx, name);
        if (place < 3) limit_after_resume(ctx, name); /* a GPU is done after one slice */
        shards_add_up(ctx, name);
        in_pieces(ctx, name);
        stops_again(ctx, name);
        untrusted_checkpoints(ctx);
        device_functions(ctx, name);
        if (place >= 2) host_writes(place);
        memory_runs_out(place);
    }
    in_pieces(NULL, "from place to place");
    close_places();
    return tap_end();
}
