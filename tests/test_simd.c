/* Tests that the CPU's forms for AVX-512, AVX2 and NEON equal the portable form: every search with several
   forms, at each level of this machine, chosen by the environment variable COMBGPU_SIMD. */
#include "test.h"

/* The answers of one level; `known` are those of the portable form. */
typedef struct answers {
    uint64_t sums[60];
    int count;
} answers;

static void answer(answers *got, uint64_t value)
{
    got->sums[got->count++] = value;
}

static void magic_squares(combgpu_context *ctx, answers *got)
{
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    int sums;
    for (sums = 0; sums < 2; sums++) {
        memset(&desc, 0, sizeof desc);
        desc.order = 5;
        desc.run.shard_index = 12345;
        desc.run.shard_count = 56807;
        desc.checksum = sums;
        equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK, "a task of order 5");
        equal_u64(result.count, 26816, "its count, which is known");
        answer(got, result.run.checksum);
    }
    desc.run.shard_index = 7;
    desc.run.shard_count = test_small() ? 3000 : 400;
    combgpu_magic(ctx, &desc, &result);
    answer(got, result.count);
    answer(got, result.run.checksum);
}

static void no_three(combgpu_context *ctx, answers *got)
{
    static const struct {
        int n;
        combgpu_no3_class symmetry;
    } searches[] = {{8, COMBGPU_NO3_ALL},       {9, COMBGPU_NO3_ALL},   {17, COMBGPU_NO3_DIA2},
                    {20, COMBGPU_NO3_ROT4},     {22, COMBGPU_NO3_ROT4}, {12, COMBGPU_NO3_ORT1},
                    {21, COMBGPU_NO3_NEAR_ROT4}};
    static const int words[] = {32, 48, 49, 64, 65, 128, 192}; /* odd: two words a line */
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    size_t i;
    for (i = 0; i < sizeof searches / sizeof *searches; i++) {
        memset(&desc, 0, sizeof desc);
        memset(&result, 0, sizeof result);
        desc.n = searches[i].n;
        desc.symmetry = searches[i].symmetry;
        equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "no3 n = %d class %d",
                     desc.n, (int)desc.symmetry);
        answer(got, result.run.checksum);
        answer(got, result.run.steps);
    }
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        combgpu_job *job = NULL;
        desc.n = 20;
        desc.symmetry = COMBGPU_NO3_ROT4;
        memset(&result, 0, sizeof result);
        equal_status(ctx, inside_no3_begin(ctx, &desc, words[i], &job), COMBGPU_OK,
                     "no3 with %d words", words[i]);
        while (combgpu_step(job) == COMBGPU_RUNNING) {
        }
        combgpu_no3_end(job, &result);
        answer(got, result.run.checksum);
        answer(got, result.run.steps);
    }
}

/* All sizes, from any byte on, through the caches and past them, with and without items. */
static void written(combgpu_context *ctx, answers *got)
{
    unsigned char *out = (unsigned char *)malloc(40000000), items[34];
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    uint64_t hash = 0, failed = 0;
    int n, shift;
    for (n = 0; n < 34; n++)
        items[n] = (unsigned char)(200 - 3 * n);
    for (n = 4; n <= 34; n++)
        for (shift = 0; shift < 3; shift++) {
            memset(&desc, 0, sizeof desc);
            desc.n = n;
            desc.first = n > 8 ? (uint64_t)(1234567 % n + 700 * shift) : 0;
            desc.count = n > 8 ? 5000 + (uint64_t)shift : 0;
            desc.out = out + 13 * shift;
            desc.out_bytes = 2000000;
            if (shift == 1) desc.items = items;
            memset(out, 0, 2000100);
            failed += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK;
            hash = test_mix(hash ^ test_fnv(out, 2000100));
        }
    memset(&desc, 0, sizeof desc);
    desc.n = 12;
    desc.first = 1000;
    desc.count = 3000000; /* past the caches */
    desc.out = out + 5;
    desc.out_bytes = 36000000;
    failed += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK;
    hash = test_mix(hash ^ test_fnv(out, 36000005));
    equal_u64(failed, 0, "ranges of permutations in memory");
    answer(got, hash);
    free(out);
}

static void unranked(combgpu_context *ctx, answers *got)
{
    uint64_t hash = 0, most = 1;
    unsigned char perm[20];
    int n, i;
    for (n = 1; n <= 20; n++) {
        most *= (uint64_t)n;
        for (i = 0; i < 500; i++) {
            combgpu_perm_unrank(ctx, n, test_mix((uint64_t)(500 * n + i)) % most, perm);
            hash = test_mix(hash ^ test_fnv(perm, (size_t)n));
        }
    }
    answer(got, hash);
}

COMBGPU_PERM_VISITOR(weighted, {
    int i;
    int64_t sum = 0;
    for (i = 0; i < n; i++)
        sum += (perm[i] - 3) * (i ^ 5) * data[i];
    return sum % 17 ? sum : 0;
})

static void visits(combgpu_context *ctx, answers *got)
{
    static const unsigned char data[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    static const combgpu_perm_goal goals[] = {COMBGPU_PERM_COUNT, COMBGPU_PERM_MAXIMUM,
                                              COMBGPU_PERM_SUM};
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    uint64_t failed = 0;
    int n, goal;
    for (n = 8; n <= 15; n++)
        for (goal = 0; goal < 3; goal++) {
            memset(&desc, 0, sizeof desc);
            desc.n = n;
            desc.first = 1000;
            desc.count = 39000;
            desc.goal = goals[goal];
            desc.visitor = &weighted;
            desc.data = data;
            desc.data_bytes = sizeof data;
            failed += combgpu_perm(ctx, &desc, &result) != COMBGPU_OK;
            answer(got, result.run.checksum);
        }
    equal_u64(failed, 0, "visits");
}

/* Brute force and Held-Karp, with weights of 4 bytes and of 8. */
static void tours(combgpu_context *ctx, answers *got)
{
    static const combgpu_tsp_method methods[] = {COMBGPU_TSP_BRUTE_FORCE, COMBGPU_TSP_HELD_KARP};
    double weights[14 * 14];
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    uint64_t failed = 0;
    int n, method, fraction, i;
    for (n = 9; n <= 14; n++)
        for (method = 0; method < 2; method++)
            for (fraction = 0; fraction < 2; fraction++) {
                if (n > 11 && !method) continue;
                for (i = 0; i < n * n; i++)
                    weights[i] =
                        (double)(test_mix((uint64_t)(n * 1000 + i)) % 10000) + 0.5 * fraction;
                combgpu_tsp_from_matrix(ctx, n, weights, &instance);
                memset(&desc, 0, sizeof desc);
                desc.instance = &instance;
                desc.method = methods[method];
                failed += combgpu_tsp(ctx, &desc, &result) != COMBGPU_OK;
                answer(got, result.run.checksum + (uint64_t)result.length);
                combgpu_tsp_free(ctx, &instance);
            }
    equal_u64(failed, 0, "tours");
}

static void batches(combgpu_context *ctx, answers *got)
{
    enum { COUNT = 50, N = 11 };
    static int32_t weights[COUNT * N * N];
    double lengths[COUNT];
    uint8_t orders[COUNT * N];
    combgpu_tsp_batch_desc desc;
    combgpu_tsp_batch_result result;
    int large, i;
    for (large = 0; large < 3; large++) {
        static const uint64_t limits[] = {1000, 10000, 2000000000}; /* 16, 32 and 64 bits */
        for (i = 0; i < COUNT * N * N; i++)
            weights[i] = (int32_t)(test_mix((uint64_t)i) % limits[large]);
        memset(&desc, 0, sizeof desc);
        desc.count = COUNT;
        desc.n = N;
        desc.int_weights = weights;
        desc.lengths = lengths;
        desc.tours = orders;
        equal_status(ctx, combgpu_tsp_batch(ctx, &desc, &result), COMBGPU_OK, "a batch of tours");
        answer(got, test_fnv(lengths, sizeof lengths));
        answer(got, test_fnv(orders, sizeof orders));
    }
}

/* The join of order 5 alone: 404 pairs of diagonals from everywhere, which few shards come to. */
static void joined(combgpu_context *ctx, answers *got)
{
    uint64_t hash = 0, squares = inside_magic_join(ctx, 5, 563, &hash);
    ok(squares > 10000, "%llu squares of 404 pairs of diagonals", (unsigned long long)squares);
    answer(got, hash);
}

int main(void)
{
    static const char *const levels[] = {"none", "avx2", "neon", "avx512"};
    static const struct {
        const char *name;
        void (*run)(combgpu_context *ctx, answers *got);
    } searches[] = {{"magic squares", magic_squares},
                    {"the join of order 5", joined},
                    {"no-three-in-line", no_three},
                    {"permutations in memory", written},
                    {"ranks", unranked},
                    {"visits", visits},
                    {"tours", tours},
                    {"batches", batches}};
    static answers known[8], got;
    int level, search, i;
    for (level = 0; level < 4; level++) {
        combgpu_context *ctx;
        combgpu_context_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.backend = COMBGPU_BACKEND_CPU;
        test_variable("COMBGPU_SIMD", levels[level]);
        combgpu_open(&ctx, &desc);
        if (strcmp(inside_simd_name(ctx), levels[level])) {
            skip("this build or CPU has no such instructions", levels[level]);
            combgpu_close(ctx);
            continue;
        }
        for (search = 0; search < 8; search++) {
            memset(&got, 0, sizeof got);
            searches[search].run(ctx, &got);
            if (!level) known[search] = got;
            for (i = 0; i < got.count && got.sums[i] == known[search].sums[i]; i++) {
            }
            ok(got.count && i == got.count, "%s, %s: as without", searches[search].name,
               levels[level]);
        }
        combgpu_close(ctx);
    }
    return tap_end();
}
