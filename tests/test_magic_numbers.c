/* Magic squares of numbers other than 1 .. n*n. */
#define COMBGPU_ONLY_MAGIC 1
#include "test.h"

static const int primes3[9] = {5, 17, 29, 47, 59, 71, 89, 101, 113};
static const int primes4[16] = {31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101};

/* Slow oracle: counts squares of order 3 in every orientation. */
static int brute3(const int *numbers, int semi)
{
    int p[9], used[9], count = 0, at = 0, i;
    int64_t total = 0;
    for (i = 0; i < 9; i++) {
        used[i] = 0;
        total += numbers[i];
    }
    if (total % 3) return 0;
    total /= 3;
    p[0] = -1;
    while (at >= 0) { /* all permutations, cell by cell */
        if (p[at] >= 0) used[p[at]] = 0;
        do
            p[at]++;
        while (p[at] < 9 && used[p[at]]);
        if (p[at] == 9) {
            at--;
            continue;
        }
        used[p[at]] = 1;
        if (at % 3 == 2 &&
            (int64_t)numbers[p[at]] + numbers[p[at - 1]] + numbers[p[at - 2]] != total)
            continue;
        if (at < 8) {
            p[++at] = -1;
            continue;
        }
#define AT(k) (int64_t) numbers[p[k]]
        count += AT(0) + AT(3) + AT(6) == total && AT(1) + AT(4) + AT(7) == total &&
                 (semi || (AT(0) + AT(4) + AT(8) == total && AT(2) + AT(4) + AT(6) == total));
    }
    return count;
}

/* Slow oracle: order 4, cell by cell; a line is checked when it is full. */
static uint64_t brute4(const int *numbers, int *cells, unsigned used, int at, int sum)
{
    static const int order[16] = {0, 1, 2, 3, 4, 8, 12, 9, 6, 5, 7, 13, 10, 11, 14, 15};
    static const int lines[10][4] = {
        {0, 1, 2, 3},  {4, 5, 6, 7},   {8, 9, 10, 11}, {12, 13, 14, 15}, {0, 4, 8, 12},
        {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}, {0, 5, 10, 15},   {3, 6, 9, 12}};
    uint64_t count = 0;
    int i, k;
    for (i = 0; i < 10; i++) {
        int full = 1, total = 0;
        for (k = 0; k < 4; k++) {
            full = full && cells[lines[i][k]] != INT_MAX;
            total += full ? cells[lines[i][k]] : 0;
        }
        if (full && total != sum) return 0;
    }
    if (at == 16) return 1;
    for (i = 0; i < 16; i++)
        if (!(used >> i & 1)) {
            cells[order[at]] = numbers[i];
            count += brute4(numbers, cells, used | 1u << i, at + 1, sum);
            cells[order[at]] = INT_MAX;
        }
    return count;
}

typedef struct seen {
    const int *numbers;
    int cells, wrong, frenicle;
    int64_t sum;
    uint64_t calls;
} seen;

/* Checks every line with its own arithmetic. */
static int look(const int *square, int order, void *user)
{
    seen *s = (seen *)user;
    int i, k, right = 1;
    int64_t down = 0, up = 0;
    for (i = 0; i < order; i++) {
        int64_t row = 0, column = 0;
        for (k = 0; k < order; k++) {
            row += square[i * order + k];
            column += square[k * order + i];
        }
        down += square[i * order + i];
        up += square[i * order + order - 1 - i];
        right = right && row == s->sum && column == s->sum;
    }
    for (i = 0; i < s->cells; i++) {
        for (k = 0; k < s->cells && square[k] != s->numbers[i]; k++) {
        }
        right = right && k < s->cells;
    }
    s->frenicle += square[0] < square[order - 1] && square[0] < square[order * order - 1] &&
                   square[0] < square[order * (order - 1)] && square[1] < square[order];
    s->wrong += !right || down != s->sum || up != s->sum;
    s->calls++;
    return 0;
}

static uint64_t count_of(combgpu_context *ctx, int order, const int *numbers,
                         combgpu_magic_kind kind, combgpu_magic_result *result)
{
    combgpu_magic_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.order = order;
    desc.numbers = numbers;
    desc.kind = kind;
    if (combgpu_magic(ctx, &desc, result)) ok(0, "%s", combgpu_message(ctx));
    return result->count;
}

static void test_known(combgpu_context *ctx, const char *place)
{
    static const int consecutive[9] = {23, 15, 16, 17, 18, 19, 20, 21, 22};
    static const int negative[9] = {-4, -3, -2, -1, 0, 1, 2, 3, 4};
    static const int large[9] = {400000000, -400000000, 0,         100000000, -100000000,
                                 200000000, -200000000, 300000000, -300000000};
    combgpu_magic_result result, one;
    int numbers[25], i, random = 12345, k, same = 1;
    uint64_t some = 0;
    equal_u64(count_of(ctx, 3, primes3, COMBGPU_MAGIC_NORMAL, &result), 8,
              "%s: 9 primes with sum 177: one square (H. E. Dudeney, E. Bergholt)", place);
    equal_u64(result.run.checksum,
              (count_of(ctx, 3, NULL, COMBGPU_MAGIC_NORMAL, &one), one.run.checksum),
              "%s: by rank, the Lo Shu", place);
    count_of(ctx, 4, primes4, COMBGPU_MAGIC_NORMAL, &result);
    ok(result.up_to_d4 > 0 && result.count == 8 * result.up_to_d4 &&
           result.up_to_d4 == 4 * result.up_to_m_group,
       "%s: 16 consecutive primes from 31 on: %llu squares", place,
       (unsigned long long)result.up_to_d4);
    {
        static const int high[4] = {0, 20, 47, 93}, low[4] = {0, 3, 7, 10};
        int cells[16];
        for (i = 0; i < 16; i++) {
            numbers[i] = high[i / 4] + low[i % 4];
            cells[i] = INT_MAX;
        }
        equal_u64(result.count, test_small() ? 32 : brute4(primes4, cells, 0, 0, 258),
                  "%s: as many as brute force finds", place);
        count_of(ctx, 4, numbers, COMBGPU_MAGIC_NORMAL, &one);
        equal_u64(one.count, test_small() ? one.count : brute4(numbers, cells, 0, 0, 180),
                  "%s: %llu squares of sums of two, equal to brute force", place,
                  (unsigned long long)one.count);
    }
    equal_u64(count_of(ctx, 3, consecutive, COMBGPU_MAGIC_NORMAL, &result), 8, "%s: 15 to 23",
              place);
    equal_u64(count_of(ctx, 3, negative, COMBGPU_MAGIC_SEMI, &result), 72,
              "%s: -4 to 4, semi-magic", place);
    equal_u64(count_of(ctx, 3, large, COMBGPU_MAGIC_NORMAL, &result), 8, "%s: large ones", place);
    for (k = 0; k < 16; k++) { /* pairs and triples about a middle: many have squares */
        int a, b, semi = k & 1;
        random = (int)((unsigned)random * 1103515245u + 12345u) & 0x7fffffff;
        a = 1 + random / 7 % 5;
        b = a + 1 + random / 1000 % 9;
        for (i = 0; i < 9; i++)
            numbers[i] = 50 + (i / 3 - 1) * a + (i % 3 - 1) * b;
        if (k % 4 == 3) numbers[0] += 3;
        if (b == 2 * a) continue;
        count_of(ctx, 3, numbers, semi ? COMBGPU_MAGIC_SEMI : COMBGPU_MAGIC_NORMAL, &result);
        same = same && result.count == (uint64_t)brute3(numbers, semi);
        some += result.count;
    }
    ok(same && some, "%s: order 3 equals brute force, %llu squares", place,
       (unsigned long long)some);
    for (i = 0; i < 16; i++) /* almost in arithmetic progression */
        numbers[i] = 3 * (16 - i) + (i == 0 ? 1 : i == 15 ? -1 : 0);
    count_of(ctx, 4, numbers, COMBGPU_MAGIC_PANDIAGONAL, &result);
    equal_u64(result.count, 0, "%s: pairs must be even in a pandiagonal square of order 4", place);
    count_of(ctx, 4, numbers, COMBGPU_MAGIC_MOST_PERFECT, &result);
    equal_u64(result.count, 0, "%s: and in a most-perfect one", place);
    for (i = 0; i < 16; i++) /* weights other than 1, 2, 4, 8 */
        numbers[i] = (i & 1) + (i & 2) / 2 * 3 + (i & 4) / 4 * 9 + (i & 8) / 8 * 30;
    count_of(ctx, 4, numbers, COMBGPU_MAGIC_MOST_PERFECT, &result);
    equal_u64(result.count, 384, "%s: most-perfect squares of sums of 1, 3, 9, 30", place);
}

/* Numbers in arithmetic progression. */
static void test_same_as_plain(combgpu_context *ctx, const char *place)
{
    static const int orders[6] = {3, 3, 4, 4, 4, 5}, kinds[6] = {0, 1, 0, 2, 3, 4};
    int k;
    for (k = 0; k < (test_small() ? 2 : 6); k++) {
        int spread[25], i, n = orders[k];
        combgpu_magic_result plain, result;
        for (i = 0; i < n * n; i++)
            spread[i] = 7 * i + 3;
        count_of(ctx, n, NULL, (combgpu_magic_kind)kinds[k], &plain);
        count_of(ctx, n, spread, (combgpu_magic_kind)kinds[k], &result);
        ok(plain.count == result.count && plain.run.checksum == result.run.checksum &&
               plain.up_to_m_group == result.up_to_m_group,
           "%s: order %d kind %d, 3, 10, 17 ... as 1, 2, 3 ...", place, n, kinds[k]);
    }
}

static void test_lists(combgpu_context *ctx, const char *place)
{
    combgpu_magic_desc desc;
    combgpu_magic_result result, counted;
    int even[16], k, i;
    for (i = 0; i < 16; i++)
        even[i] = 100 - 5 * i;
    for (k = 0; k < 4; k++) {
        seen s;
        memset(&desc, 0, sizeof desc);
        memset(&s, 0, sizeof s);
        desc.order = 4;
        desc.numbers = k / 2 ? even : primes4;
        desc.sum = k / 2 ? 250 : 258;
        desc.frenicle = k % 2;
        desc.solution = look;
        desc.solution_user = &s;
        s.numbers = desc.numbers;
        s.cells = 16;
        s.sum = desc.sum;
        combgpu_magic(ctx, &desc, &result);
        count_of(ctx, 4, desc.numbers, COMBGPU_MAGIC_NORMAL, &counted);
        ok(result.count == counted.count && result.run.checksum == counted.run.checksum &&
               s.calls == (k % 2 ? result.up_to_d4 : result.count) && !s.wrong &&
               s.frenicle == (int)result.up_to_d4,
           "%s: %llu squares of %s listed, all right%s", place, (unsigned long long)s.calls,
           k / 2 ? "25, 30 .. 100" : "primes", k % 2 ? ", in Frenicle form" : "");
    }
    {
        seen s;
        int givens[16] = {0};
        memset(&s, 0, sizeof s);
        desc.numbers = s.numbers = primes4;
        desc.givens = givens;
        desc.frenicle = 0;
        desc.sum = 0;
        desc.solution_user = &s;
        s.cells = 16;
        s.sum = 258;
        counted.count = 0;
        for (i = 0; i < 16; i++) { /* by the number in one cell: the parts add up */
            givens[6] = primes4[i];
            combgpu_magic(ctx, &desc, &result);
            counted.count += result.count;
        }
        count_of(ctx, 4, primes4, COMBGPU_MAGIC_NORMAL, &result);
        ok(counted.count == result.count && !s.wrong, "%s: givens by each number add up", place);
        desc.limit = 5;
        givens[6] = 0;
        s.calls = 0;
        ok(combgpu_magic(ctx, &desc, &result) == COMBGPU_FOUND && s.calls == 5, "%s: limit 5",
           place);
    }
}

static void test_places_equal(void)
{
    combgpu_context *ctx;
    combgpu_magic_result want, result, sum;
    combgpu_magic_desc desc;
    int place, shard;
    memset(&want, 0, sizeof want);
    for (place = 0; place < TEST_PLACES; place++) {
        if (!test_open(place, &ctx)) continue;
        test_known(ctx, test_places[place].name);
        test_same_as_plain(ctx, test_places[place].name);
        test_lists(ctx, test_places[place].name);
        count_of(ctx, 4, primes4, COMBGPU_MAGIC_NORMAL, &result);
        if (!place) want = result;
        ok(result.count == want.count && equal_runs(&result.run, &want.run),
           "%s: equal count, checksum and steps", test_places[place].name);
        memset(&desc, 0, sizeof desc);
        memset(&sum, 0, sizeof sum);
        desc.order = 4;
        desc.numbers = primes4;
        desc.run.shard_count = 7;
        for (shard = 0; shard < 7; shard++) {
            desc.run.shard_index = shard;
            combgpu_magic(ctx, &desc, &result);
            sum.count += result.count;
            add_run(&sum.run, &result.run);
        }
        ok(sum.count == want.count && equal_runs(&sum.run, &want.run), "%s: 7 shards add up",
           test_places[place].name);
        combgpu_close(ctx);
    }
}

TEST_SEARCH(magic)

static void test_resume(combgpu_context *ctx, combgpu_context *other, const char *name)
{
    combgpu_magic_desc desc;
    combgpu_magic_result want, got;
    test_search s = magic_search(&desc, &got, 400);
    combgpu_job *job;
    unsigned char *saved;
    size_t bytes;
    int pieces, moved[16];
    count_of(ctx, 4, primes4, COMBGPU_MAGIC_NORMAL, &want);
    memset(&desc, 0, sizeof desc);
    desc.order = 4;
    desc.numbers = primes4;
    s.one = ctx;
    s.other = other;
    pieces = test_pieces(&s);
    ok(pieces > (test_has_gpu() ? 0 : 1) && got.count == want.count &&
           equal_runs(&got.run, &want.run),
       "%s: equal after %d stops", name, pieces - 1);
    combgpu_magic_begin(ctx, &desc, &job);
    desc.run.resume_data = saved = test_save(job, &bytes);
    desc.run.resume_bytes = bytes;
    combgpu_job_cancel(job);
    memcpy(moved, primes4, sizeof moved);
    moved[15] += 4;
    desc.numbers = moved;
    equal_status(ctx, combgpu_magic_begin(ctx, &desc, &job), COMBGPU_WRONG_JOB,
                 "other numbers refuse the checkpoint");
    free(saved);
}

static void refuses(combgpu_context *ctx, const combgpu_magic_desc *desc, combgpu_status want,
                    const char *text)
{
    combgpu_magic_result result;
    combgpu_status status = combgpu_magic(ctx, desc, &result);
    ok(status == want && strstr(combgpu_message(ctx), text), "refused: %s", combgpu_message(ctx));
}

static void test_arguments(combgpu_context *ctx)
{
    combgpu_magic_desc desc;
    int numbers[36], givens[16] = {0}, i;
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < 36; i++)
        numbers[i] = i * i;
    desc.order = 4;
    desc.numbers = numbers;
    desc.sum = 311;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT, "must be 310");
    desc.sum = 310;
    desc.kind = COMBGPU_MAGIC_BIMAGIC;
    refuses(ctx, &desc, COMBGPU_UNSUPPORTED, "bimagic");
    desc.kind = COMBGPU_MAGIC_NORMAL;
    numbers[15]++;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT,
            "desc.numbers add up to 1241, not a multiple of desc.order, 4");
    numbers[15] = numbers[3];
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT, "numbers[15] is 9");
    numbers[15] = 400000001;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT, "numbers[15] is 400000001");
    desc.order = 6;
    refuses(ctx, &desc, COMBGPU_UNSUPPORTED, "order is 6");
    desc.order = -2;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT, "order is -2");
    desc.order = 4;
    desc.numbers = primes4;
    desc.sum = 0;
    desc.givens = givens;
    givens[3] = 32;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT, "givens[3]");
    givens[3] = givens[5] = 31;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT, "both 31");
    givens[5] = 0;
    givens[0] = 37, givens[1] = 41, givens[2] = 43;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT,
            "row 0 adds up to 152 and must add up to 258: (0,0)=37 (0,1)=41 (0,2)=43 (0,3)=31");
    givens[0] = 101, givens[1] = 97, givens[2] = 0;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT,
            "row 0 adds up to at least, with 1 cell free, 260 and must add up to 258: (0,0)=101");
    for (i = 0; i < 16; i++)
        numbers[i] = 1000 - 10 * i; /* evenly spaced: the message still has the numbers */
    desc.numbers = numbers;
    givens[0] = 850, givens[1] = 860, givens[2] = 870, givens[3] = 880;
    refuses(
        ctx, &desc, COMBGPU_INVALID_ARGUMENT,
        "row 0 adds up to 3460 and must add up to 3700: (0,0)=850 (0,1)=860 (0,2)=870 (0,3)=880");
    desc.order = INT_MIN;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT, "order is -2147483648");
    desc.order = 4;
    desc.numbers = NULL;
    desc.givens = NULL;
    desc.sum = 34;
    refuses(ctx, &desc, COMBGPU_INVALID_ARGUMENT, "numbers is NULL");
}

int main(void)
{
    combgpu_context *ctx, *other;
    int place;
    if (!test_open(0, &ctx)) return 1;
    test_arguments(ctx);
    for (place = 1; place < TEST_PLACES; place++)
        if (test_open(place, &other)) {
            test_resume(ctx, other, test_places[place].name);
            combgpu_close(other);
        }
    combgpu_close(ctx);
    test_places_equal();
    return tap_end();
}
