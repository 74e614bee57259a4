/* Magic squares: the self-test of each kernel. */

COMBGPU__PRIVATE combgpu_status combgpu__magic_expect(combgpu_context *ctx, const char *kernel,
                                                      uint64_t count, uint64_t checksum,
                                                      uint64_t right_count, uint64_t right_checksum)
{
    if (count == right_count && checksum == right_checksum) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                         "kernel %s: %llu squares, checksum %llx; expected %llu, %llx", kernel,
                         (unsigned long long)count, (unsigned long long)checksum,
                         (unsigned long long)right_count, (unsigned long long)right_checksum);
}

/* Runs all squares of order 4, associative squares, one of the 56,807 tasks of order 5 (a
   cell-by-cell search confirmed its count), one task of semi-magic order 5, squares of consecutive
   primes, four tasks of ultramagic order 7, samples of orders 6 and 8. If the memory limit has room
   for the tables of a configuration, also runs one step of it, and three steps of associative order
   7 (confirmed by the oracle of tests/test_magic_associative.c): a low limit makes slow devices
   skip both. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_self_test(combgpu_context *ctx)
{
    static const int primes[16] = {31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101};
    static const struct {
        const char *kernel;
        int order;
        combgpu_magic_kind kind;
        const int *numbers;
        int shard, shards;
        uint64_t count, checksum;
    } searches[7] = {{"combgpu_magic_four", 4, COMBGPU_MAGIC_NORMAL, NULL, 0, 0, 7040,
                      UINT64_C(0x8a8634df4b23d3f8)},
                     {"combgpu_magic_search", 4, COMBGPU_MAGIC_ASSOCIATIVE, NULL, 0, 0, 384,
                      UINT64_C(0x03fe44e36d5cb9e0)},
                     {"combgpu_magic_join", 5, COMBGPU_MAGIC_NORMAL, NULL, 12345, 56807, 26816,
                      UINT64_C(0x57a901504e6d0dc4)},
                     {"combgpu_magic_semi", 5, COMBGPU_MAGIC_SEMI, NULL, 1234, 5919, 846748800,
                      UINT64_C(0x562e5b1e993b9af9)},
                     {"combgpu_magic_ranks", 4, COMBGPU_MAGIC_NORMAL, primes, 0, 0, 32,
                      UINT64_C(0xa90568b0592f37d6)},
                     {"combgpu_magic_ultra", 7, COMBGPU_MAGIC_ULTRAMAGIC, NULL, 29, 60000, 3312,
                      UINT64_C(0xc2b0bedbc22ec9f0)},
                     {"combgpu_magic_associative", 7, COMBGPU_MAGIC_ASSOCIATIVE, NULL, 636337,
                      2147483647, UINT64_C(1511184384), UINT64_C(0xd1f5941ebd44ef2d)}};
    static const struct {
        const char *kernel;
        int order;
        uint64_t samples, checksum;
    } estimates[3] = {{"combgpu_magic_samples", 5, 2000, UINT64_C(0xde05703b8a29914e)},
                      {"combgpu_magic_arranged", 6, 64, UINT64_C(0xe5b967174082b189)},
                      {"combgpu_magic_arranged_wide", 8, 300, UINT64_C(0x6a091e55371abd1d)}};
    combgpu_magic_desc desc;
    combgpu_magic_estimate_desc estimate;
    combgpu_magic_diagonals_desc part;
    union { /* one at a time: they are large */
        combgpu_magic_result found;
        combgpu_magic_estimate_result estimated;
        combgpu_magic_diagonals_result counted;
    } r;
    combgpu_status status = COMBGPU_OK;
    const uint64_t limit = combgpu__memory_limit(ctx);
    const uint64_t tables =
        combgpu__is_cpu(ctx) ? sizeof(combgpu__six_work) : COMBGPU__SIX_WORDS * sizeof(uint32_t);
    const int roomy = !limit || limit > tables + (1 << 20); /* and a pool of tasks */
    int k;
    for (k = 0; k < (roomy ? 7 : 6) && !status; k++) {
        memset(&desc, 0, sizeof desc);
        desc.order = searches[k].order;
        desc.kind = searches[k].kind;
        desc.numbers = searches[k].numbers;
        desc.run.shard_index = searches[k].shard;
        desc.run.shard_count = searches[k].shards;
        status = combgpu_magic(ctx, &desc, &r.found);
        if (!status)
            status =
                combgpu__magic_expect(ctx, searches[k].kernel, r.found.count, r.found.run.checksum,
                                      searches[k].count, searches[k].checksum);
    }
    for (k = 0; k < 3 && !status; k++) {
        memset(&estimate, 0, sizeof estimate);
        estimate.seed = 6;
        estimate.order = estimates[k].order;
        estimate.samples = estimates[k].samples;
        status = combgpu_magic_estimate(ctx, &estimate, &r.estimated);
        if (!status)
            status = combgpu__magic_expect(ctx, estimates[k].kernel, r.estimated.samples,
                                           r.estimated.run.checksum, estimates[k].samples,
                                           estimates[k].checksum);
    }
    if (status || !roomy) return status;
    memset(&part, 0, sizeof part);
    part.first = UINT64_C(579022818216);
    part.count = 1;
    part.run.shard_index = 3;
    part.run.shard_count = COMBGPU__SIX_PARTS;
    status = combgpu_magic_diagonals(ctx, &part, &r.counted);
    if (status) return status;
    return combgpu__magic_expect(ctx, "combgpu_magic_six", r.counted.squares,
                                 r.counted.run.checksum, 331, UINT64_C(0x82eded309afdd92b));
}
