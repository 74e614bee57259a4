/* Tests each kernel of the travelling salesman. */

/* The weights of 8 cities; `more` is added to each. */
COMBGPU__PRIVATE void combgpu__tsp_self_test_weights(int symmetric, double more, double *weights)
{
    int i;
    for (i = 0; i < 64; i++) {
        int swap = symmetric && i / 8 > i % 8;
        int from = swap ? i % 8 : i / 8, to = swap ? i / 8 : i % 8;
        weights[i] = (37 * from + 11 * to * to + 5 * from * to + 7) % 29 + 1 + more;
    }
}

/* Lists the 20 shortest tours of 8 cities; the checksums are those of the C solver. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_self_test_lists(combgpu_context *ctx)
{
    static const int lengths[2] = {56, 73};
    static const uint64_t checksums[2] = {UINT64_C(0x1231b9f37a156c66),
                                          UINT64_C(0xd046d2b6b6411b20)};
    combgpu_status status = COMBGPU_OK;
    int k;
    for (k = 0; k < 2 && !status; k++) {
        double weights[64];
        combgpu_tsp_instance instance;
        combgpu_tsp_tours_desc desc;
        combgpu_tsp_tours_result result;
        combgpu__tsp_self_test_weights(k, 0.5 * k, weights);
        memset(&instance, 0, sizeof instance);
        instance.n = 8;
        instance.weights = weights;
        memset(&desc, 0, sizeof desc);
        desc.instance = &instance;
        desc.count = 20;
        status = combgpu_tsp_tours(ctx, &desc, &result);
        if (!status && (result.length != lengths[k] || result.optima != 1 || result.count != 20 ||
                        result.run.checksum != checksums[k]))
            status = combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                                   "kernel combgpu_tsp_shortest: %llu tours of length %g, checksum "
                                   "%016llx; expected 1 of %d, %016llx",
                                   (unsigned long long)result.optima, result.length,
                                   (unsigned long long)result.run.checksum, lengths[k],
                                   (unsigned long long)checksums[k]);
    }
    return status;
}

/* Solves 8 cities with each kernel and both kinds of table. The answers come from all 5040 orders
   and are unique, in the symmetric instance up to direction. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_self_test(combgpu_context *ctx)
{
    static const struct {
        combgpu_tsp_method method;
        int symmetric;
        double more; /* added to each weight: 0.5 requires a 64-bit table */
        const char *name;
    } cases[] = {{COMBGPU_TSP_BRUTE_FORCE, 0, 0, "combgpu_tsp_brute"},
                 {COMBGPU_TSP_BRUTE_FORCE, 1, 0.5, "combgpu_tsp_brute"},
                 {COMBGPU_TSP_HELD_KARP, 0, 0, "combgpu_tsp_table (32-bit)"},
                 {COMBGPU_TSP_HELD_KARP, 1, 0.5, "combgpu_tsp_table (64-bit)"},
                 {COMBGPU_TSP_AUTO, 0, 0, "combgpu_tsp_batched (32-bit)"}, /* a batch of one */
                 {COMBGPU_TSP_AUTO, 1, 0.5, "combgpu_tsp_batched (64-bit)"}};
    static const int lengths[2] = {56, 69};
    static const int tours[2][8] = {{0, 4, 6, 1, 2, 5, 7, 3}, {0, 3, 2, 5, 7, 1, 6, 4}};
    combgpu_status status = combgpu__tsp_self_test_lists(ctx);
    int k, j;
    for (k = 0; k < (int)(sizeof cases / sizeof cases[0]) && !status; k++) {
        const int *tour = tours[cases[k].symmetric];
        double weights[64], length = lengths[cases[k].symmetric] + 8 * cases[k].more;
        combgpu_tsp_instance instance;
        combgpu_tsp_desc desc;
        combgpu_tsp_result result;
        combgpu_tsp_batch_desc batch;
        combgpu_tsp_batch_result solved;
        uint8_t found[8];
        combgpu__tsp_self_test_weights(cases[k].symmetric, cases[k].more, weights);
        memset(&instance, 0, sizeof instance);
        instance.n = 8;
        instance.weights = weights;
        memset(&desc, 0, sizeof desc);
        desc.instance = &instance;
        desc.method = cases[k].method;
        memset(&batch, 0, sizeof batch);
        batch.count = 1;
        batch.n = 8;
        batch.weights = weights;
        batch.lengths = &result.length;
        batch.tours = found;
        status = desc.method ? combgpu_tsp(ctx, &desc, &result)
                             : combgpu_tsp_batch(ctx, &batch, &solved);
        for (j = 0; !status && !desc.method && j < 8; j++)
            result.tour[j] = found[j];
        for (j = 0; !status && j < 8; j++)
            if (result.tour[j] != tour[j] || result.length != length)
                status =
                    combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                                  "kernel %s: city %d of the tour is %d, not %d, its length "
                                  "%g, not %g",
                                  cases[k].name, j, result.tour[j], tour[j], result.length, length);
    }
    return status;
}
