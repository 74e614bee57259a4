/* Tests every kernel with n = 8, some positions of it and a multiset, and the search with
   queens. */

#ifdef COMBGPU_CUDA
/* n = 8 needs no blocks; compiling them took nvcc 12 of 18 s for all permutation kernels */
struct combgpu__perm_test_visitor_functor;
template <> struct combgpu_visit_blocks_of<combgpu__perm_test_visitor_functor> {
    enum { value = 0 };
};
#endif

/* Weighted fixed points, and a count of all permutations that have one. */
COMBGPU_PERM_VISITOR(combgpu__perm_test_visitor, {
    int64_t sum = 0;
    int i;
    for (i = 0; i < n; i++)
        if (perm[i] == i) sum += combgpu_data_i32(data, i);
    return sum;
})

/* Writes all members of a set to device memory, and checks them. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_test_write(combgpu_context *ctx,
                                                         const combgpu_perm_set *set,
                                                         const char *kernel)
{
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    uint64_t count = 0, rank, right = 0;
    int length = 0;
    uint8_t *perms = NULL;
    combgpu_status status = combgpu_perm_set_count(ctx, set, &count, &length);
    size_t bytes = (size_t)count * (size_t)length;
    memset(&desc, 0, sizeof desc);
    if (set->family == COMBGPU_PERM_ALL)
        desc.n = set->n;
    else
        desc.set = set;
    perms = (uint8_t *)combgpu__allocate(ctx, bytes);
    if (!perms) return combgpu__no_memory(ctx, bytes);
    if (!status) status = combgpu_device_allocate(ctx, bytes, &desc.device_out);
    if (!status) status = combgpu_perm(ctx, &desc, &result);
    if (!status) status = combgpu_device_read(ctx, &desc.device_out, 0, perms, bytes);
    for (rank = 0; rank < count && !status; rank++) {
        uint8_t perm[COMBGPU__PERM_MOST];
        right += !combgpu_perm_set_unrank(NULL, set, rank, perm) &&
                 !memcmp(perm, perms + rank * (unsigned)length, (size_t)length);
    }
    combgpu_device_release(ctx, &desc.device_out);
    combgpu__release(ctx, perms);
    if (!status && (result.visited != count || right != count))
        status =
            combgpu__fail(ctx, COMBGPU_WRONG_RESULT, "kernel %s: %llu of %llu permutations right",
                          kernel, (unsigned long long)right, (unsigned long long)count);
    return status;
}

/* Peaceful queens; a value is the sum of row times column. */
COMBGPU_PERM_SEARCH(combgpu__perm_test_searcher, state({
                        uint32_t up;
                        uint32_t down;
                        int32_t sum;
                    }),
                    allowed({ return ~(uint64_t)(state->up | state->down); }), step({
                        state->up = (state->up | 1u << value) << 1;
                        state->down = (state->down | 1u << value) >> 1;
                        state->sum += place * value;
                        return 1;
                    }),
                    bound({ return state->sum; }), leaf({ return state->sum; }))

/* n = 8: 92 solutions; a check of all of them found the least value, 86. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_test_search(combgpu_context *ctx)
{
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    uint64_t hits;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.n = 8;
    desc.searcher = &combgpu__perm_test_searcher;
    status = combgpu_perm_search(ctx, &desc, &result);
    hits = result.hits;
    desc.goal = COMBGPU_SEARCH_MINIMUM;
    if (!status) status = combgpu_perm_search(ctx, &desc, &result);
    if (!status && (hits != 92 || !result.found || result.best_value != 86))
        status = combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                               "kernel combgpu_perm_tree, queens, n = 8: count %llu, minimum %lld; "
                               "right: 92, 86",
                               (unsigned long long)hits, (long long)result.best_value);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_self_test(combgpu_context *ctx)
{
    static const uint8_t repeats[4] = {3, 2, 4, 1};
    static const combgpu_perm_set eight = {COMBGPU_PERM_ALL, 8, 0, NULL};
    static const combgpu_perm_set places = {COMBGPU_PERM_PARTIAL, 8, 5, NULL};
    static const combgpu_perm_set ten = {COMBGPU_PERM_MULTISET, 4, 0, repeats};
    static const int32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t mixed[8] = {-4, -3, -2, -1, 0, 1, 2, 3};
    combgpu_perm_desc desc;
    combgpu_perm_result result; /* one at a time: they are large */
    uint64_t hits = 0;
    int64_t least = 0;
    uint64_t least_rank = 0;
    combgpu_status status = combgpu__perm_test_write(ctx, &eight, "combgpu_perm_write");
    if (!status) status = combgpu__perm_test_write(ctx, &places, "combgpu_perm_write_set");
    if (!status) status = combgpu__perm_test_write(ctx, &ten, "combgpu_perm_write_multiset");
    memset(&desc, 0, sizeof desc);
    desc.n = 8;
    desc.visitor = &combgpu__perm_test_visitor;
    desc.data_bytes = sizeof ones;
    desc.goal = COMBGPU_PERM_COUNT;
    desc.data = ones;
    if (!status) status = combgpu_perm(ctx, &desc, &result);
    if (!status) hits = result.hits;
    desc.goal = COMBGPU_PERM_MINIMUM;
    desc.data = mixed;
    if (!status) status = combgpu_perm(ctx, &desc, &result);
    if (!status) {
        least = result.best_value;
        least_rank = result.best_rank;
    }
    desc.goal = COMBGPU_PERM_MAXIMUM;
    if (!status) status = combgpu_perm(ctx, &desc, &result);
    if (!status) status = combgpu__perm_test_search(ctx);
    if (status) return status;
    /* 8! less the 14833 derangements; 0 1 2 3 4 6 7 5 and 1 0 3 2 4 5 6 7 by hand */
    if (hits != 40320 - 14833 || least != -10 || least_rank != 3 || result.best_value != 6 ||
        result.best_rank != 5160)
        return combgpu__fail(
            ctx, COMBGPU_WRONG_RESULT,
            "kernel combgpu_perm_visit, n = 8: count %llu, minimum %lld at %llu, maximum %lld at "
            "%llu; right: 25487, -10 at 3, 6 at 5160",
            (unsigned long long)hits, (long long)least, (unsigned long long)least_rank,
            (long long)result.best_value, (unsigned long long)result.best_rank);
    return COMBGPU_OK;
}
