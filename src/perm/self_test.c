/* ---- self-test: n = 8 and a multiset through every kernel */

/* Weighted fixed points, and a count of all permutations that have one. */
COMBGPU_PERM_VISITOR(combgpu__perm_test_visitor, {
    int64_t sum = 0;
    int i;
    for (i = 0; i < n; i++)
        if (perm[i] == i) sum += combgpu_data_i32(data, i);
    return sum;
})

typedef struct combgpu__perm_test {
    combgpu_perm_set set;
    uint64_t right; /* members */
} combgpu__perm_test;

COMBGPU__PRIVATE int combgpu__perm_test_chunk(uint64_t rank, const uint8_t *perms, uint64_t count,
                                              int n, void *user)
{
    combgpu__perm_test *test = (combgpu__perm_test *)user;
    for (; count; count--, rank++, perms += n) {
        uint8_t perm[COMBGPU__PERM_MOST];
        test->right += !combgpu_perm_set_unrank(NULL, &test->set, rank, perm) &&
                       !memcmp(perm, perms, (size_t)n);
    }
    return 0;
}

/* Writes all of a set, through chunks or to device memory: are they right? */
COMBGPU__PRIVATE combgpu_status combgpu__perm_test_write(combgpu_context *ctx,
                                                         const combgpu_perm_set *set, int to_device,
                                                         const char *kernel)
{
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu__perm_test test;
    uint64_t count = 0;
    int length = 0;
    uint8_t *perms = NULL;
    combgpu_status status = combgpu_perm_set_count(ctx, set, &count, &length);
    size_t bytes = (size_t)count * (size_t)length;
    memset(&desc, 0, sizeof desc);
    test.set = *set;
    test.right = 0;
    if (set->family == COMBGPU_PERM_ALL)
        desc.n = set->n;
    else
        desc.set = set;
    if (to_device) {
        perms = (uint8_t *)combgpu__allocate(ctx, bytes);
        if (!perms) return combgpu__no_memory(ctx, bytes);
        status = combgpu_device_allocate(ctx, bytes, &desc.device_out);
    } else {
        desc.solution = combgpu__perm_test_chunk;
        desc.solution_user = &test;
    }
    if (!status) status = combgpu_perm(ctx, &desc, &result);
    if (!status && to_device) {
        status = combgpu_device_read(ctx, &desc.device_out, 0, perms, bytes);
        if (!status) combgpu__perm_test_chunk(0, perms, count, length, &test);
    }
    combgpu_device_release(ctx, &desc.device_out);
    combgpu__release(ctx, perms);
    if (!status && (result.visited != count || test.right != count))
        status =
            combgpu__fail(ctx, COMBGPU_WRONG_RESULT, "kernel %s: %llu of %llu permutations right",
                          kernel, (unsigned long long)test.right, (unsigned long long)count);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_self_test(combgpu_context *ctx)
{
    static const uint8_t repeats[4] = {3, 2, 4, 1};
    static const combgpu_perm_set eight = {COMBGPU_PERM_ALL, 8, 0, NULL};
    static const combgpu_perm_set nine = {COMBGPU_PERM_MULTISET, 3, 0, repeats};
    static const combgpu_perm_set ten = {COMBGPU_PERM_MULTISET, 4, 0, repeats};
    static const int32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t mixed[8] = {-4, -3, -2, -1, 0, 1, 2, 3};
    combgpu_perm_desc desc;
    combgpu_perm_result count, least, most;
    combgpu_status status = combgpu__perm_test_write(ctx, &eight, 0, "combgpu_perm_write");
    if (!status) status = combgpu__perm_test_write(ctx, &eight, 1, "combgpu_perm_write_direct");
    if (!status) status = combgpu__perm_test_write(ctx, &nine, 0, "combgpu_perm_write_set");
    if (!status) status = combgpu__perm_test_write(ctx, &ten, 1, "combgpu_perm_write_multiset");
    memset(&desc, 0, sizeof desc);
    desc.n = 8;
    desc.visitor = &combgpu__perm_test_visitor;
    desc.data_bytes = sizeof ones;
    desc.goal = COMBGPU_PERM_COUNT;
    desc.data = ones;
    if (!status) status = combgpu_perm(ctx, &desc, &count);
    desc.goal = COMBGPU_PERM_MINIMUM;
    desc.data = mixed;
    if (!status) status = combgpu_perm(ctx, &desc, &least);
    desc.goal = COMBGPU_PERM_MAXIMUM;
    if (!status) status = combgpu_perm(ctx, &desc, &most);
    if (status) return status;
    /* 8! less the 14833 derangements; 0 1 2 3 4 6 7 5 and 1 0 3 2 4 5 6 7 by hand */
    if (count.hits != 40320 - 14833 || least.best_value != -10 || least.best_rank != 3 ||
        most.best_value != 6 || most.best_rank != 5160)
        return combgpu__fail(
            ctx, COMBGPU_WRONG_RESULT,
            "kernel combgpu_perm_visit, n = 8: count %llu, minimum %lld at %llu, maximum %lld at "
            "%llu; right: 25487, -10 at 3, 6 at 5160",
            (unsigned long long)count.hits, (long long)least.best_value,
            (unsigned long long)least.best_rank, (long long)most.best_value,
            (unsigned long long)most.best_rank);
    return COMBGPU_OK;
}

/* (end of SECTION 42) */

#endif /* COMBGPU__HAS_PERM */
