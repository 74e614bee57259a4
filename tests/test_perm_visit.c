/* Tests families of permutations, and callers' visitors on their members, on every backend. */
#define COMBGPU_ONLY_PERM 1
#include "test.h"

/* ---- the oracle: all words of `length` values, one after another, that are members */

#define MOST 400000
static uint8_t *members; /* of the set last listed, `length` bytes each */
static uint64_t member_count;

static int is_member(const combgpu_perm_set *set, int length, const uint8_t *word)
{
    int i, at, times[64] = {0};
    for (i = 0; i < length; i++)
        times[word[i]]++;
    for (i = 0; i < set->n; i++) {
        if (set->family == COMBGPU_PERM_MULTISET ? times[i] != set->repeats[i] : times[i] > 1)
            return 0;
        if (set->family == COMBGPU_PERM_DERANGEMENT && word[i] == i) return 0;
    }
    for (i = 1; i < length && set->family == COMBGPU_PERM_COMBINATION; i++)
        if (word[i] < word[i - 1]) return 0;
    if (set->family == COMBGPU_PERM_CIRCULAR) return word[0] == 0;
    for (i = 1, at = word[0]; set->family == COMBGPU_PERM_CYCLE && i < length; i++, at = word[at])
        if (at == 0) return 0;
    return 1;
}

/* Gray code by the picture: a new largest element zigzags through each permutation of the others. */
static void gray_by_hand(int n)
{
    int m, at;
    uint64_t count = 1, i, j;
    uint8_t *next = (uint8_t *)malloc(MOST * 9);
    members[0] = 0;
    for (m = 2; m <= n; m++, count *= (uint64_t)m - 1) {
        for (i = j = 0; i < count; i++)
            for (at = 0; at < m; at++, j++) {
                int place = i % 2 ? at : m - 1 - at;
                uint8_t *to = next + j * (unsigned)m, *from = members + i * (unsigned)(m - 1);
                memcpy(to, from, (size_t)place);
                to[place] = (uint8_t)(m - 1);
                memcpy(to + place + 1, from + place, (size_t)(m - 1 - place));
            }
        memcpy(members, next, (size_t)(j * (unsigned)m));
    }
    free(next);
    member_count = count;
}

static void list_members(const combgpu_perm_set *set)
{
    uint8_t word[64] = {0};
    int length = set->n, i;
    if (!members) members = (uint8_t *)malloc(MOST * 12);
    if (set->family == COMBGPU_PERM_GRAY) {
        gray_by_hand(set->n);
        return;
    }
    if (set->k) length = set->k;
    for (i = 0; set->repeats && i < set->n; i++)
        length = i ? length + set->repeats[i] : set->repeats[i];
    for (member_count = 0;;) {
        if (is_member(set, length, word))
            memcpy(members + member_count++ * (unsigned)length, word, (size_t)length);
        for (i = length - 1; i >= 0 && word[i] == set->n - 1; i--)
            word[i] = 0;
        if (i < 0) return;
        word[i]++;
    }
}

static const uint8_t twos[3] = {2, 2, 2}, mixed[4] = {1, 3, 0, 2}, one_kind[1] = {5};
static const combgpu_perm_set sets[] = {
    {COMBGPU_PERM_ALL, 6, 0, NULL},          {COMBGPU_PERM_PARTIAL, 7, 3, NULL},
    {COMBGPU_PERM_PARTIAL, 6, 6, NULL},      {COMBGPU_PERM_PARTIAL, 9, 1, NULL},
    {COMBGPU_PERM_MULTISET, 3, 0, twos},     {COMBGPU_PERM_MULTISET, 4, 0, mixed},
    {COMBGPU_PERM_MULTISET, 1, 0, one_kind}, {COMBGPU_PERM_DERANGEMENT, 2, 0, NULL},
    {COMBGPU_PERM_DERANGEMENT, 3, 0, NULL},  {COMBGPU_PERM_DERANGEMENT, 7, 0, NULL},
    {COMBGPU_PERM_COMBINATION, 7, 4, NULL},  {COMBGPU_PERM_COMBINATION, 5, 5, NULL},
    {COMBGPU_PERM_GRAY, 1, 0, NULL},         {COMBGPU_PERM_GRAY, 5, 0, NULL},
    {COMBGPU_PERM_GRAY, 8, 0, NULL},         {COMBGPU_PERM_CYCLE, 1, 0, NULL},
    {COMBGPU_PERM_CYCLE, 2, 0, NULL},        {COMBGPU_PERM_CYCLE, 7, 0, NULL},
    {COMBGPU_PERM_CIRCULAR, 1, 0, NULL},     {COMBGPU_PERM_CIRCULAR, 7, 0, NULL}};
#define SETS ((int)(sizeof sets / sizeof sets[0]))

/* Larger ones, for ranges that no list holds. */
static const uint8_t pairs[6] = {2, 2, 2, 2, 2, 2}, halves[2] = {31, 33},
                     uneven[5] = {1, 5, 4, 2, 3},
                     singles[20] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const combgpu_perm_set large[] = {
    {COMBGPU_PERM_ALL, 10, 0, NULL},          {COMBGPU_PERM_ALL, 13, 0, NULL},
    {COMBGPU_PERM_ALL, 16, 0, NULL},          {COMBGPU_PERM_ALL, 20, 0, NULL},
    {COMBGPU_PERM_PARTIAL, 64, 10, NULL},     {COMBGPU_PERM_PARTIAL, 30, 12, NULL},
    {COMBGPU_PERM_MULTISET, 6, 0, pairs},     {COMBGPU_PERM_MULTISET, 20, 0, singles},
    {COMBGPU_PERM_DERANGEMENT, 20, 0, NULL},  {COMBGPU_PERM_DERANGEMENT, 13, 0, NULL},
    {COMBGPU_PERM_COMBINATION, 64, 32, NULL}, {COMBGPU_PERM_COMBINATION, 49, 6, NULL},
    {COMBGPU_PERM_MULTISET, 2, 0, halves},    {COMBGPU_PERM_MULTISET, 5, 0, uneven},
    {COMBGPU_PERM_GRAY, 20, 0, NULL},         {COMBGPU_PERM_GRAY, 12, 0, NULL},
    {COMBGPU_PERM_CYCLE, 21, 0, NULL},        {COMBGPU_PERM_CYCLE, 12, 0, NULL},
    {COMBGPU_PERM_CIRCULAR, 21, 0, NULL},     {COMBGPU_PERM_CIRCULAR, 14, 0, NULL}};
#define LARGE ((int)(sizeof large / sizeof large[0]))

static void counts_and_ranks(void)
{
    int i, wrong = 0, length, sum = 0;
    uint64_t count = 0, j, rank, back;
    uint8_t perm[64], next[64];
    for (i = 0; i < SETS; i++) {
        list_members(&sets[i]);
        wrong += combgpu_perm_set_count(NULL, &sets[i], &count, &length) || count != member_count;
        for (j = 0; j < count; j++)
            wrong += combgpu_perm_set_unrank(NULL, &sets[i], j, perm) ||
                     memcmp(perm, members + j * (unsigned)length, (size_t)length) ||
                     combgpu_perm_set_rank(NULL, &sets[i], perm, &rank) || rank != j;
        wrong += combgpu_perm_set_unrank(NULL, &sets[i], count, perm) != COMBGPU_INVALID_ARGUMENT;
    }
    equal_u64(wrong, 0, "count, rank, unrank of every family as the oracle lists it");
    for (i = 0, wrong = 0; i < LARGE; i++) {
        wrong += combgpu_perm_set_count(NULL, &large[i], &count, &length) != COMBGPU_OK;
        for (j = 0; j < 300; j++) {
            rank = j == 0 ? 0 : j == 1 ? count - 1 : random_u64_below(count);
            wrong += combgpu_perm_set_unrank(NULL, &large[i], rank, perm) ||
                     combgpu_perm_set_rank(NULL, &large[i], perm, &back) || back != rank;
            if (rank + 1 == count) continue;
            wrong +=
                combgpu_perm_set_unrank(NULL, &large[i], rank + 1, next) ||
                (large[i].family == COMBGPU_PERM_GRAY ? !memcmp(perm, next, (size_t)length)
                                                      : memcmp(perm, next, (size_t)length) >= 0);
            if (large[i].family != COMBGPU_PERM_GRAY) continue;
            for (length = 0; perm[length] == next[length];)
                length++;
            wrong +=
                perm[length] != next[length + 1] || perm[length + 1] != next[length] ||
                memcmp(perm + length + 2, next + length + 2, (size_t)(large[i].n - length - 2));
            length = large[i].n;
        }
    }
    equal_u64(wrong, 0, "ranks round-trip at both ends and at random, neighbours are in order");
    for (i = 0; i < LARGE; i++) {
        static const uint64_t known[] = {3628800,
                                         UINT64_C(6227020800),
                                         UINT64_C(20922789888000),
                                         UINT64_C(2432902008176640000),
                                         UINT64_C(549666001924300800),
                                         UINT64_C(41430393164160000),
                                         7484400,
                                         UINT64_C(2432902008176640000),
                                         UINT64_C(895014631192902121),
                                         UINT64_C(2290792932),
                                         UINT64_C(1832624140942590534),
                                         13983816,
                                         UINT64_C(1777090076065542336),
                                         37837800,
                                         UINT64_C(2432902008176640000),
                                         479001600,
                                         UINT64_C(2432902008176640000),
                                         39916800,
                                         UINT64_C(2432902008176640000),
                                         UINT64_C(6227020800)};
        combgpu_perm_set_count(NULL, &large[i], &count, NULL);
        if (count != known[i]) printf("# large %d: %llu\n", i, (unsigned long long)count);
        sum += count == known[i];
    }
    equal_u64(sum, LARGE, "known counts: 20!, 64 P 10, 12!/2^6, D(20), C(64, 32), 20!, ...");
}

static void bad_sets(void)
{
    static const uint8_t none[2] = {0, 0}, too_many[2] = {40, 40};
    combgpu_perm_set set;
    combgpu_context *ctx;
    uint64_t count = 0;
    combgpu_u128 wide;
    uint8_t perm[64] = {0, 0, 1};
    if (!test_open(0, &ctx)) return;
#define BAD(family_, n_, k_, repeats_, part)                                                       \
    (set.family = family_, set.n = n_, set.k = k_, set.repeats = repeats_,                         \
     ok(combgpu_perm_set_count(ctx, &set, &count, NULL) == COMBGPU_INVALID_ARGUMENT &&             \
            strstr(combgpu_message(ctx), part),                                                    \
        "\"%s\"", combgpu_message(ctx)))
    BAD(COMBGPU_PERM_ALL, 0, 0, NULL, "set->n is 0; with family ALL it may be 1 to 20");
    BAD(COMBGPU_PERM_CYCLE, 22, 0, NULL,
        "set->n is 22; with family CYCLE it may be 1 to 21, because ranks");
    BAD(COMBGPU_PERM_PARTIAL, 65, 1, NULL, "set->n is 65");
    BAD(COMBGPU_PERM_PARTIAL, 64, -1, NULL,
        "set->k is -1; with family PARTIAL and n = 64 it may be 0 to n");
    BAD(COMBGPU_PERM_PARTIAL, 64, 11, NULL, "more than 2^64 - 1 members");
    BAD(COMBGPU_PERM_COMBINATION, 5, 6, NULL, "set->k is 6");
    BAD(COMBGPU_PERM_GRAY, 5, 1, NULL, "set->k is 1; with family GRAY and n = 5 it must be 0");
    BAD(COMBGPU_PERM_MULTISET, 2, 0, NULL, "set->repeats is NULL");
    BAD(COMBGPU_PERM_GRAY, 2, 0, none, "set->repeats is set");
    BAD(COMBGPU_PERM_MULTISET, 2, 0, none, "the sum of set->repeats is 0; it may be 1 to 64");
    BAD(COMBGPU_PERM_MULTISET, 2, 0, too_many, "the sum of set->repeats is 80");
    BAD(COMBGPU_PERM_MULTISET, 21, 0, (const uint8_t *)"\3\3\3\3\3\3\3\3\3\3\3\3\3\3\3\3\3\3\3\3\3",
        "more than 2^64 - 1 members");
#undef BAD
#define BAD(family_, n_, k_, repeats_, part)                                                       \
    (set.family = family_, set.n = n_, set.k = k_, set.repeats = repeats_,                         \
     ok(combgpu_perm_set_count128(ctx, &set, &wide, NULL) == COMBGPU_INVALID_ARGUMENT &&           \
            strstr(combgpu_message(ctx), part),                                                    \
        "\"%s\"", combgpu_message(ctx)))
    BAD(COMBGPU_PERM_GRAY, 35, 0, NULL,
        "set->n is 35; with family GRAY it may be 1 to 34, because ranks have 128 bits");
    BAD(COMBGPU_PERM_CIRCULAR, 36, 0, NULL, "it may be 1 to 35");
    BAD(COMBGPU_PERM_PARTIAL, 64, 23, NULL, "more than 2^128 - 1 members; ranks have 128 bits");
    memset(&set.family, 0x11, sizeof set.family);
    ok(combgpu_perm_set_count(ctx, &set, &count, NULL) == COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(ctx), "set->family is"),
       "\"%s\"", combgpu_message(ctx));
    set.family = COMBGPU_PERM_GRAY;
    set.n = 3;
    set.k = 0;
    set.repeats = NULL;
    ok(combgpu_perm_set_rank(ctx, &set, perm, &count) == COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(ctx), "perm is not a member of the set") &&
           combgpu_perm_set_unrank(ctx, &set, 6, perm) == COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(ctx), "rank is 6; the set has 6 members"),
       "a nonmember has no rank, and a too large rank no member");
    combgpu_close(ctx);
}

/* ---- ranges of every family */

static combgpu_perm_desc set_desc(const combgpu_perm_set *set, combgpu_perm_goal goal)
{
    combgpu_perm_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.set = set;
    desc.goal = goal;
    return desc;
}

/* A random range of a set, at most `most` long; every fourth goes to the end. */
static int random_range(combgpu_perm_desc *desc, uint64_t most)
{
    uint64_t all = 0;
    int length = 0;
    combgpu_perm_set_count(NULL, desc->set, &all, &length);
    desc->first = random_u64_below(4) ? random_u64_below(all)
                                      : all - 1 - random_u64_below(all < most ? all : most);
    desc->count = 1 + random_u64_below(all - desc->first < most ? all - desc->first : most);
    return length;
}

typedef struct chunks {
    const combgpu_perm_set *set;
    int wrong;
    uint64_t members, calls, stop_at, last, hash;
} chunks;

static int on_chunk(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    chunks *c = (chunks *)user;
    uint64_t i, of = 0;
    for (i = 0; i < count; i++, perms += n) {
        c->wrong += combgpu_perm_set_rank(NULL, c->set, perms, &of) || of != rank + i;
        c->hash += test_mix(rank + i);
    }
    c->wrong += c->members && count == 1 && rank <= c->last;
    c->last = rank;
    c->members += count;
    return ++c->calls == c->stop_at;
}

static void writes_sets(combgpu_context *ctx, const char *place)
{
    static uint8_t out[5000 * 64 + 2];
    int i, j, wrong = 0, guards = 0, wrong_chunks = 0;
    for (i = 0; i < SETS + LARGE; i++) {
        const combgpu_perm_set *set = i < SETS ? &sets[i] : &large[i - SETS];
        combgpu_perm_desc desc = set_desc(set, COMBGPU_PERM_WRITE);
        combgpu_perm_result result;
        int length = random_range(&desc, 5000);
        uint8_t perm[64];
        uint64_t hash = 0;
        chunks c;
        desc.out = out + 1;
        desc.out_bytes = (size_t)desc.count * (unsigned)length;
        memset(out, 99, sizeof out);
        wrong += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK || result.visited != desc.count ||
                 result.run.steps != desc.count ||
                 result.run.checksum != test_mix(desc.first + desc.count) - test_mix(desc.first);
        guards += out[0] != 99 || out[desc.out_bytes + 1] != 99;
        for (j = 0; j < (int)desc.count; j++) {
            combgpu_perm_set_unrank(NULL, set, desc.first + (unsigned)j, perm);
            wrong += memcmp(perm, out + 1 + j * length, (size_t)length) != 0;
            hash += test_mix(desc.first + (unsigned)j);
        }
        memset(&c, 0, sizeof c);
        c.set = set;
        desc.out = NULL;
        desc.out_bytes = 0;
        desc.solution = on_chunk;
        desc.solution_user = &c;
        wrong_chunks += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK || c.hash != hash ||
                        c.members != desc.count || (c.wrong && desc.count > 1);
    }
    equal_u64(wrong, 0, "%s: writes ranges of every family", place);
    equal_u64(guards, 0, "%s: not a byte outside of out", place);
    equal_u64(wrong_chunks, 0, "%s: hands them over in chunks", place);
}

/* Into memory on the device, at any offset: not a byte elsewhere. */
static void writes_to_device(combgpu_context *ctx, const char *place)
{
    static uint8_t want[5000 * 64], got[5000 * 64 + 64];
    combgpu_device_memory memory, piece;
    int i, j, wrong = 0;
    if (combgpu_device_allocate(ctx, sizeof got, &memory)) return;
    for (i = 0; i < SETS + LARGE; i++) {
        const combgpu_perm_set *set = i < SETS ? &sets[i] : &large[i - SETS];
        combgpu_perm_desc desc = set_desc(set, COMBGPU_PERM_WRITE);
        combgpu_perm_result result;
        int length = random_range(&desc, 5000);
        size_t bytes = (size_t)desc.count * (unsigned)length;
        piece = memory;
        piece.offset += 1 + (size_t)i % 33;
        piece.bytes = bytes;
        desc.device_out = piece;
        for (j = 0; j < (int)desc.count; j++)
            combgpu_perm_set_unrank(NULL, set, desc.first + (unsigned)j, want + j * length);
        wrong += combgpu_device_fill(ctx, &memory, 99, NULL) != COMBGPU_OK ||
                 combgpu_perm(ctx, &desc, &result) != COMBGPU_OK || result.visited != desc.count ||
                 result.run.checksum != test_mix(desc.first + desc.count) - test_mix(desc.first) ||
                 combgpu_device_read(ctx, &memory, 0, got, sizeof got) != COMBGPU_OK ||
                 memcmp(got + 1 + i % 33, want, bytes) || got[i % 33] != 99 ||
                 got[1 + (size_t)i % 33 + bytes] != 99;
    }
    combgpu_device_release(ctx, &memory);
    equal_u64(wrong, 0, "%s: writes ranges of every family to the device's memory", place);
}

TEST_SEARCH(perm)

/* Random multisets into memory on the device: many blocks of the kernel for them, and in pieces. */
static void writes_multisets(combgpu_context *ctx, const char *place)
{
    const uint64_t most = test_small() ? 3000 : 60000;
    combgpu_device_memory memory;
    uint8_t *want = (uint8_t *)malloc((size_t)most * 64), *got = (uint8_t *)malloc(most * 64 + 64);
    int i, j, wrong = 0, pieces = 0;
    if (!want || !got || combgpu_device_allocate(ctx, (size_t)most * 64 + 64, &memory)) return;
    for (i = 0; i < 24; i++) {
        combgpu_perm_set set = {COMBGPU_PERM_MULTISET, 0, 0, NULL};
        combgpu_perm_desc desc;
        combgpu_perm_result result;
        test_search search;
        uint8_t repeats[9];
        uint64_t all = 0;
        int length, at = i % 3 ? random_below(40) : 0;
        do {
            set.n = 1 + random_below(9);
            for (j = 0; j < set.n; j++)
                repeats[j] = (uint8_t)random_below(1 + random_below(9));
            set.repeats = repeats;
        } while (combgpu_perm_set_count(NULL, &set, &all, &length) || length > 40);
        desc = set_desc(&set, COMBGPU_PERM_WRITE);
        random_range(&desc, most);
        memset(&result, 0, sizeof result);
        desc.device_out = memory;
        desc.device_out.offset += (size_t)at;
        desc.device_out.bytes = (size_t)desc.count * (unsigned)length;
        for (j = 0; j < (int)desc.count; j++)
            combgpu_perm_set_unrank(NULL, &set, desc.first + (unsigned)j, want + j * length);
        wrong += combgpu_device_fill(ctx, &memory, 99, NULL) != COMBGPU_OK;
        search = perm_search(&desc, &result, i % 2 ? 3000 : 0);
        search.workers = i % 2 ? 3 : 0;
        search.one = search.other = ctx;
        pieces += test_pieces(&search);
        wrong += result.visited != desc.count || result.run.steps != desc.count ||
                 combgpu_device_read(ctx, &memory, 0, got, (size_t)most * 64 + 64) ||
                 memcmp(got + at, want, desc.device_out.bytes) || (at && got[at - 1] != 99) ||
                 got[(size_t)at + desc.device_out.bytes] != 99;
    }
    combgpu_device_release(ctx, &memory);
    free(want);
    free(got);
    ok(!wrong, "%s: writes 24 multisets to the device's memory, in %d chunks", place, pieces);
}

/* ---- every goal on every family, against a loop over unranked members */

COMBGPU_PERM_VISITOR(weigh, {
    int64_t sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum += (int64_t)combgpu_data_i32(data, 1 + i % 15) * perm[i];
    if (combgpu_data_i32(data, 0)) return sum % combgpu_data_i32(data, 0) == 0;
    return sum * ((int64_t)1 << 40);
})

typedef struct answer {
    uint64_t hits, hash, rank[2], low, high, bins[50], outside;
    int64_t best[2];
} answer;

#define BIN_FIRST (-((int64_t)20 << 40))
#define BIN_WIDTH ((uint64_t)3 << 40)

static answer visit_oracle(const combgpu_perm_desc *desc, const int32_t *data, int length)
{
    answer a;
    uint8_t perm[64];
    uint64_t i, bin;
    memset(&a, 0, sizeof a);
    for (i = desc->first; i < desc->first + desc->count; i++) {
        int64_t value;
        combgpu_perm_set_unrank(NULL, desc->set, i, perm);
        value = weigh.cpu(perm, length, (const unsigned char *)data);
        if (value) {
            a.hits++;
            a.hash += test_visit_hash(i);
        }
        if (i == desc->first || value < a.best[0]) a.best[0] = value, a.rank[0] = i;
        if (i == desc->first || value > a.best[1]) a.best[1] = value, a.rank[1] = i;
        a.high += value < 0 ? UINT64_MAX : 0;
        a.high += a.low + (uint64_t)value < a.low;
        a.low += (uint64_t)value;
        bin = value < BIN_FIRST ? 50 : ((uint64_t)value - (uint64_t)BIN_FIRST) / BIN_WIDTH;
        if (bin < 50)
            a.bins[bin]++;
        else
            a.outside++;
    }
    return a;
}

/* In pieces, on one context, or with NULL from place to place; 0 if it fails. */
static int in_pieces(combgpu_context *ctx, combgpu_perm_desc *desc, int records,
                     combgpu_perm_result *result, int *resumes)
{
    test_search search = perm_search(desc, result, 300);
    int pieces;
    search.records = records;
    search.most = 7; /* a visitor is compiled again for each */
    search.one = search.other = ctx;
    pieces = test_pieces(&search);
    *resumes += pieces - 1;
    return pieces > 0;
}

/* One goal of one range, whole or in shards; without ctx in pieces, from place to place. 1 if
   anything is wrong. */
static int goal_is_wrong(combgpu_context *ctx, combgpu_perm_desc *desc, const answer *want,
                         int shards, int *resumes)
{
    combgpu_perm_result result, all;
    uint64_t bins[50], sums[50] = {0};
    int i, j, wrong = 0, most = desc->goal == COMBGPU_PERM_MAXIMUM;
    memset(&all, 0, sizeof all);
    desc->bins = desc->goal == COMBGPU_PERM_HISTOGRAM ? 50 : 0;
    desc->histogram = desc->bins ? bins : NULL;
    for (i = 0; i < shards; i++) {
        desc->run.shard_index = i;
        desc->run.shard_count = shards;
        memset(&result, 0, sizeof result);
        wrong += ctx ? combgpu_perm(ctx, desc, &result) != COMBGPU_OK
                     : !in_pieces(NULL, desc, 0, &result, resumes);
        all.visited += result.visited;
        add_run(&all.run, &result.run);
        all.hits += result.hits;
        all.sum.lo += result.sum.lo;
        all.sum.hi += result.sum.hi + (all.sum.lo < result.sum.lo);
        all.outside += result.outside;
        for (j = 0; j < desc->bins; j++)
            sums[j] += bins[j];
        if (result.visited &&
            (!all.best[63] ||
             (most ? result.best_value > all.best_value : result.best_value < all.best_value) ||
             (result.best_value == all.best_value && result.best_rank < all.best_rank))) {
            all.best_value = result.best_value;
            all.best_rank = result.best_rank;
            all.best[63] = 1;
        }
    }
    memset(&desc->run, 0, sizeof desc->run);
    wrong += all.visited != desc->count || all.run.steps != desc->count;
    switch (desc->goal) {
    case COMBGPU_PERM_COUNT:
        return wrong || all.hits != want->hits || all.run.checksum != want->hash;
    case COMBGPU_PERM_SUM:
        return wrong || all.sum.lo != want->low || all.sum.hi != want->high;
    case COMBGPU_PERM_HISTOGRAM:
        return wrong || all.outside != want->outside || memcmp(sums, want->bins, sizeof sums);
    default:
        return wrong || all.best_value != want->best[most] || all.best_rank != want->rank[most];
    }
}

static void fill_data(int32_t *data, int modulus)
{
    int i;
    data[0] = modulus;
    for (i = 1; i < 16; i++)
        data[i] = (int32_t)random_u64_below(9) - 4;
}

/* Without ctx in pieces, from place to place. */
static void visits(combgpu_context *ctx, const char *place, int each)
{
    int compiles = ctx ? backend_of(ctx) == COMBGPU_BACKEND_OPENCL : opened[2] != NULL;
    int resumes = 0;
    int wrong[6] = {0, 0, 0, 0, 0, 0}, i, goal, tries = 0;
    static const int shards[3] = {1, 3, 7};
    for (i = 0; i < SETS + LARGE; i += each) {
        const combgpu_perm_set *set = i < SETS ? &sets[i] : &large[i - SETS];
        for (goal = COMBGPU_PERM_COUNT; goal <= COMBGPU_PERM_HISTOGRAM; goal++) {
            combgpu_perm_desc desc = set_desc(set, (combgpu_perm_goal)goal);
            int32_t data[16];
            answer want;
            int length = random_range(&desc, compiles ? 3000 : 9000);
            if (compiles && ctx && (i + 3 * goal) % 16) continue; /* each takes a second */
            fill_data(data, goal == COMBGPU_PERM_COUNT ? 2 + (int)random_u64_below(20) : 0);
            desc.visitor = &weigh;
            desc.data = data;
            desc.data_bytes = sizeof data;
            if (goal == COMBGPU_PERM_HISTOGRAM) {
                desc.bin_first = BIN_FIRST;
                desc.bin_width = BIN_WIDTH;
            }
            want = visit_oracle(&desc, data, length);
            wrong[goal] += goal_is_wrong(ctx, &desc, &want, shards[tries++ % 3], &resumes);
        }
    }
    equal_u64(wrong[1], 0, "%s: hits of every family as the oracle counts them", place);
    equal_u64(wrong[2] + wrong[3], 0, "%s: minimum and maximum likewise", place);
    equal_u64(wrong[4], 0, "%s: sums of 128 bits likewise", place);
    equal_u64(wrong[5], 0, "%s: histograms likewise", place);
    if (!ctx) ok(resumes > 2, "%s: there were %d resumes", place, resumes);
}

/* ---- hits in order */

/* On ctx, or with NULL from place to place. */
static void in_order(combgpu_context *ctx, const char *place)
{
    static const combgpu_perm_set used[3] = {{COMBGPU_PERM_ALL, 10, 0, NULL},
                                             {COMBGPU_PERM_COMBINATION, 49, 6, NULL},
                                             {COMBGPU_PERM_ALL, 9, 0, NULL}};
    int i, wrong = 0, resumes = 0;
    for (i = 0; i < 6; i++) {
        combgpu_perm_desc desc = set_desc(&used[i % 3], COMBGPU_PERM_COUNT);
        combgpu_perm_result result;
        int32_t data[16];
        answer want;
        chunks c;
        int length = random_range(&desc, 20000);
        fill_data(data, i < 3 ? 1 : 7);
        desc.visitor = &weigh;
        desc.data = data;
        desc.data_bytes = sizeof data;
        desc.solution = on_chunk;
        desc.solution_user = &c;
        desc.ordered = 1;
        want = visit_oracle(&desc, data, length);
        memset(&c, 0, sizeof c);
        c.set = desc.set;
        wrong += !in_pieces(ctx, &desc, i % 2 ? 100 : 0, &result, &resumes) || c.wrong ||
                 c.members != want.hits || result.run.checksum != want.hash ||
                 result.visited != desc.count;
        /* the first ones */
        desc.limit = 1 + random_u64_below(30);
        if (want.hits <= desc.limit) continue;
        memset(&c, 0, sizeof c);
        c.set = desc.set;
        wrong += combgpu_perm(ctx ? ctx : CPU, &desc, &result) != COMBGPU_FOUND ||
                 result.hits != desc.limit || c.members != desc.limit || c.wrong;
        desc.count = c.last + 1 - desc.first; /* no hit was left out */
        want = visit_oracle(&desc, data, length);
        wrong += want.hits != c.members;
    }
    equal_u64(wrong, 0,
              "%s: ordered hits come in order, each once, and the limit has the first ones", place);
}

/* A large range: a window after the other, while the first hits are far apart. */
COMBGPU_PERM_VISITOR(rare, { return perm[0] == 1 && perm[1] == 3 && perm[n - 1] == 0; })

static void first_of_many(combgpu_context *ctx, const char *place)
{
    static const combgpu_perm_set set = {COMBGPU_PERM_ALL, 11, 0, NULL};
    combgpu_perm_desc desc = set_desc(&set, COMBGPU_PERM_COUNT);
    combgpu_perm_result result;
    uint8_t perm[11] = {1, 3, 2, 4, 5, 6, 7, 8, 9, 10, 0};
    uint64_t rank = 0, first = 0;
    chunks c;
    memset(&c, 0, sizeof c);
    c.set = &set;
    desc.visitor = &rare;
    desc.solution = on_chunk;
    desc.solution_user = &c;
    desc.ordered = 1;
    desc.limit = 3;
    combgpu_perm_set_rank(NULL, &set, perm, &first);
    combgpu_perm_next(8, perm + 2);
    combgpu_perm_next(8, perm + 2);
    combgpu_perm_set_rank(NULL, &set, perm, &rank);
    ok(combgpu_perm(ctx, &desc, &result) == COMBGPU_FOUND && !c.wrong && c.members == 3 &&
           c.last == rank && rank > first && result.visited < combgpu_factorial(11).lo,
       "%s: the first 3 hits of n = 11 end the search before its end", place);
}

static void bad_visits(combgpu_context *ctx)
{
    static uint64_t bins[4097];
    combgpu_perm_desc good = set_desc(&sets[0], COMBGPU_PERM_COUNT), desc;
    combgpu_perm_set empty = sets[0];
    combgpu_job *job;
    good.visitor = &rare;
    empty.n = 0;
#define BAD_VISIT(change, part)                                                                    \
    (desc = good, change,                                                                          \
     ok(combgpu_perm_begin(ctx, &desc, &job) == COMBGPU_INVALID_ARGUMENT && !job &&                \
            strstr(combgpu_message(ctx), part),                                                    \
        "\"%s\"", combgpu_message(ctx)))
    BAD_VISIT(desc.set = &empty, "desc.set->n is 0; with family");
    BAD_VISIT(desc.n = 5, "desc.n is 5; with desc.set->n = 6 it may be 0 or 6");
    BAD_VISIT(desc.first = 720, "desc.first is 720; with n = 6 it may be 0 to 719");
    BAD_VISIT(desc.count = 721, "desc.count is 721");
    BAD_VISIT(desc.ordered = 1, "desc.ordered is set; it is for goal COUNT with solution");
    BAD_VISIT(desc.bins = 1, "desc.bins is set; it is for goal HISTOGRAM");
    BAD_VISIT(desc.histogram = bins, "desc.histogram is set; it is for goal HISTOGRAM");
    good.goal = COMBGPU_PERM_HISTOGRAM;
    good.bins = 10;
    BAD_VISIT(desc.histogram = NULL, "desc.histogram is NULL");
    good.histogram = bins;
    BAD_VISIT(desc.bins = 4097, "desc.bins is 4097; with goal HISTOGRAM it may be 1 to 4096");
    BAD_VISIT(desc.limit = 1, "desc.limit is set; it is for goal COUNT");
    good.goal = COMBGPU_PERM_WRITE;
    BAD_VISIT(desc.visitor = &rare, "desc.visitor is set; it is for goals other than WRITE");
    good.visitor = NULL;
    good.bins = 0;
    good.histogram = NULL;
    BAD_VISIT(desc.n = 0, "solution are all NULL");
    BAD_VISIT((desc.out = (uint8_t *)bins, desc.out_bytes = 719 * 6),
              "720 permutations of 6 items of 1 bytes need 4320");
    desc.set = &sets[0];
}

/* More bins than local memory has, and values on their borders. */
COMBGPU_PERM_VISITOR(spread, { return (int64_t)perm[0] * 1000 + perm[1] * 100 + perm[2] * 10 - 7; })

static void many_bins(combgpu_context *ctx, const char *place)
{
    static const combgpu_perm_set set = {COMBGPU_PERM_ALL, 8, 0, NULL};
    static uint64_t bins[4096], want[4096];
    combgpu_perm_desc desc = set_desc(&set, COMBGPU_PERM_HISTOGRAM);
    combgpu_perm_result result;
    uint8_t perm[64];
    uint64_t i, outside = 0;
    memset(want, 0, sizeof want);
    for (i = 0; i < 40320; i++) {
        int64_t value;
        combgpu_perm_set_unrank(NULL, &set, i, perm);
        value = spread.cpu(perm, 8, NULL);
        if (value >= 0 && value < 4096)
            want[value]++;
        else
            outside++;
    }
    desc.visitor = &spread;
    desc.bins = 4096;
    desc.histogram = bins;
    ok(combgpu_perm(ctx, &desc, &result) == COMBGPU_OK && result.outside == outside &&
           !memcmp(bins, want, sizeof bins),
       "%s: a histogram of 4096 bins", place);
}

/* ---- memory that runs out */

static chunks handed_over;

static combgpu_status allocating(combgpu_context *ctx, void *user)
{
    combgpu_perm_result result;
    return combgpu_perm(ctx, (const combgpu_perm_desc *)user, &result);
}

static void memory_runs_out(int place)
{
    static uint64_t bins[10];
    combgpu_context_desc context = test_context(place);
    int goal, failed;
    for (goal = COMBGPU_PERM_WRITE; goal <= COMBGPU_PERM_HISTOGRAM; goal++) {
        combgpu_perm_desc desc = set_desc(&sets[9], (combgpu_perm_goal)goal);
        int32_t data[16] = {1};
        memset(&handed_over, 0, sizeof handed_over);
        handed_over.set = desc.set;
        if (goal) {
            desc.visitor = &weigh;
            desc.data = data;
            desc.data_bytes = sizeof data;
        }
        desc.bins = goal == COMBGPU_PERM_HISTOGRAM ? 10 : 0;
        desc.histogram = desc.bins ? bins : NULL;
        desc.ordered = goal == COMBGPU_PERM_COUNT;
        desc.solution = goal < 2 ? on_chunk : NULL;
        desc.solution_user = &handed_over;
        failed = test_out_of_memory(&context, 0, allocating, &desc);
        ok(failed > 4, "%s, goal %d: each of %d failing allocations is OUT_OF_MEMORY, none leaks",
           test_places[place].name, goal, failed);
    }
}

/* Sets of more than 2^64 members: numbers of OEIS A000142, A000166 and 64!/42!, and each set is another one
   or all permutations in disguise. */
static void wide_sets(void)
{
    static const uint8_t ones[34] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                         pairs_of_20[20] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                            2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    static const struct {
        combgpu_perm_set set;
        uint64_t hi, lo;
        int like_all; /* a member is a permutation of 34 behind this many zeros; -1: it is not */
    } rows[] = {
        {{COMBGPU_PERM_ALL, 34, 0, NULL}, 16004602105385757826u, 4926277576697053184u, 0},
        {{COMBGPU_PERM_PARTIAL, 34, 34, NULL}, 16004602105385757826u, 4926277576697053184u, 0},
        {{COMBGPU_PERM_MULTISET, 34, 0, ones}, 16004602105385757826u, 4926277576697053184u, 0},
        {{COMBGPU_PERM_CIRCULAR, 35, 0, NULL}, 16004602105385757826u, 4926277576697053184u, 1},
        {{COMBGPU_PERM_CYCLE, 35, 0, NULL}, 16004602105385757826u, 4926277576697053184u, -1},
        {{COMBGPU_PERM_GRAY, 34, 0, NULL}, 16004602105385757826u, 4926277576697053184u, -1},
        {{COMBGPU_PERM_DERANGEMENT, 34, 0, NULL}, 5887764078700601819u, 11961622696523980225u, -1},
        {{COMBGPU_PERM_PARTIAL, 64, 22, NULL}, 4895746922297502628u, 5829547392763953152u, -1},
        {{COMBGPU_PERM_MULTISET, 20, 0, pairs_of_20}, 0, 0, -2}};
    size_t i;
    int j, k;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const combgpu_perm_set *set = &rows[i].set;
        combgpu_u128 all, rank, back;
        uint64_t count64;
        int length = 0, wrong = 0, zeros = rows[i].like_all;
        uint8_t perm[64], next[64], want[64];
        if (zeros == -2) { /* 40!/2^20 has 140 bits */
            ok(combgpu_perm_set_count128(NULL, set, &all, &length) == COMBGPU_INVALID_ARGUMENT,
               "a multiset of more than 2^128 members");
            continue;
        }
        wrong += combgpu_perm_set_count(NULL, set, &count64, NULL) != COMBGPU_INVALID_ARGUMENT;
        wrong += combgpu_perm_set_count128(NULL, set, &all, &length) != COMBGPU_OK;
        wrong += all.hi != rows[i].hi || all.lo != rows[i].lo;
        wrong += combgpu_perm_set_unrank128(NULL, set, all, perm) != COMBGPU_INVALID_ARGUMENT;
        for (j = 0; j < 300 && !wrong; j++) {
            rank.hi = j < 100 ? 0 : random_u64_below(all.hi);
            rank.lo = j ? random_u64() : UINT64_MAX; /* where the upper word changes */
            if (j == 1) {
                rank = all;
                rank.hi -= !rank.lo--;
            }
            wrong += combgpu_perm_set_unrank128(NULL, set, rank, perm) != COMBGPU_OK;
            wrong += combgpu_perm_set_rank128(NULL, set, perm, &back) != COMBGPU_OK ||
                     back.hi != rank.hi || back.lo != rank.lo;
            if (zeros >= 0) {
                memset(want, 0, sizeof want);
                wrong += combgpu_perm_unrank128(NULL, 34, rank, want + zeros) != COMBGPU_OK;
                for (k = zeros; k < length; k++)
                    want[k] = (uint8_t)(want[k] + zeros);
                wrong += memcmp(perm, want, (size_t)length) != 0;
            }
            rank.hi += !++rank.lo;
            if (j == 1 || set->family == COMBGPU_PERM_GRAY) continue;
            wrong += combgpu_perm_set_unrank128(NULL, set, rank, next) != COMBGPU_OK ||
                     memcmp(perm, next, (size_t)length) >= 0;
        }
        ok(!wrong, "family %d, n = %d, in 128 bits: %d wrong", (int)set->family, set->n, wrong);
    }
}

/* Answers that are 0 or 1, and no errors. */
static void empty_sets(void)
{
    combgpu_perm_set set;
    uint64_t count = 7, rank = 7;
    uint8_t none[1] = {9};
    int length = 7, family;
    memset(&set, 0, sizeof set);
    set.family = COMBGPU_PERM_DERANGEMENT;
    set.n = 1;
    ok(!combgpu_perm_set_count(CPU, &set, &count, &length) && count == 0 && length == 1,
       "no derangement of one");
    set.n = 5;
    for (family = COMBGPU_PERM_PARTIAL; family <= COMBGPU_PERM_COMBINATION;
         family += COMBGPU_PERM_COMBINATION - COMBGPU_PERM_PARTIAL) {
        combgpu_perm_desc desc;
        combgpu_perm_result result;
        set.family = (combgpu_perm_family)family;
        ok(!combgpu_perm_set_count(CPU, &set, &count, &length) && count == 1 && length == 0 &&
               !combgpu_perm_set_rank(CPU, &set, none, &rank) && rank == 0 &&
               !combgpu_perm_set_unrank(CPU, &set, 0, none) && none[0] == 9,
           "none of five, in one way, family %d", family);
        memset(&desc, 0, sizeof desc);
        desc.set = &set;
        desc.goal = COMBGPU_PERM_COUNT;
        ok(combgpu_perm(CPU, &desc, &result) == COMBGPU_INVALID_ARGUMENT &&
               strstr(combgpu_message(CPU), "desc.set->k is 0"),
           "but no range of it: %s", combgpu_message(CPU));
    }
}

int main(void)
{
    int place;
    open_places();
    counts_and_ranks();
    bad_sets();
    for (place = 0; place < TEST_PLACES; place++) {
        const char *name = test_places[place].name;
        combgpu_context *ctx = opened[place];
        if (!ctx) continue;
        if (ctx == CPU) bad_visits(ctx);
        writes_sets(ctx, name);
        writes_to_device(ctx, name);
        writes_multisets(ctx, name);
        visits(ctx, name, 1);
        in_order(ctx, name);
        first_of_many(ctx, name);
        many_bins(ctx, name);
        memory_runs_out(place);
    }
    visits(NULL, "in pieces, from place to place", 7);
    in_order(NULL, "in pieces, from place to place");
    wide_sets();
    empty_sets();
    close_places();
    free(members);
    return tap_end();
}
