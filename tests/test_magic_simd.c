/* The join of order 5 with AVX-512 counts what its portable form counts. This program is compiled for
   AVX-512 whatever the flags, where the compiler can, and skips its tests where the processor cannot. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__clang__) && !defined(__CUDACC__) &&     \
    __GNUC__ >= 9
#pragma GCC target("avx512bw,avx512vl,avx512vbmi2,popcnt")
#endif
#define COMBGPU_ONLY_MAGIC
#include "test.h"

#if defined(COMBGPU__MAGIC_WIDE) && defined(__GNUC__)
static void test_configurations(void)
{
    combgpu__magic_join *join = (combgpu__magic_join *)malloc(sizeof *join);
    combgpu__magic_wide *wide = (combgpu__magic_wide *)malloc(sizeof *wide);
    uint32_t *tables =
        (uint32_t *)calloc(COMBGPU__MAGIC_J_PAIR + 2 * (COMBGPU__MAGIC_PAIRS + 1), sizeof *tables);
    uint32_t pairs = combgpu__magic_pairs(1, 13, tables + COMBGPU__MAGIC_J_PAIR), pair, way;
    uint64_t squares = 0, wrong = 0;
    combgpu__magic_ranks(tables + COMBGPU__MAGIC_J_RANK);
    combgpu__magic_ways(tables + COMBGPU__MAGIC_J_WAY);
    combgpu__magic_join_start(join, tables);
    combgpu__magic_wide_start(wide);
    for (pair = 5; pair < pairs; pair += 563)
        for (way = 0; way < 36; way++) {
            uint32_t found = combgpu__magic_wide_configuration(wide, tables, 36 * pair + way);
            wrong += found != combgpu__magic_configuration(join, tables, 36 * pair + way);
            squares += found;
        }
    ok(!wrong && squares > 10000, "%llu squares of 404 pairs of diagonals: the same in both forms",
       (unsigned long long)squares);
    free(join);
    free(wide);
    free(tables);
}

/* One of the 56,807 tasks, whose count was also made by filling cell after cell. */
static void test_task(void)
{
    combgpu_context *ctx;
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    if (!test_open(0, &ctx)) return;
    memset(&desc, 0, sizeof desc);
    desc.order = 5;
    desc.run.shard_index = 12345;
    desc.run.shard_count = 56807;
    combgpu_magic(ctx, &desc, &result);
    equal_u64(result.count, 26816, "a task of order 5: the known count");
    equal_u64(result.run.checksum, UINT64_C(0x57a901504e6d0dc4), "the known checksum");
    desc.checksum = 1;
    combgpu_magic(ctx, &desc, &result);
    equal_u64(result.count, 26816, "with the checksum of all squares: the known count");
    combgpu_close(ctx);
}

int main(void)
{
    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512vbmi2")) {
        skip("the processor has no AVX-512 with VBMI2", "the join of order 5 with AVX-512");
        return tap_end();
    }
    test_configurations();
    test_task();
    return tap_end();
}
#else
int main(void)
{
    skip("this compiler is not asked for AVX-512", "the join of order 5 with AVX-512");
    return tap_end();
}
#endif
