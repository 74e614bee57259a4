/* Converts ranks of 128 bits to members of families, and back. */

/* ---- the tree */

COMBGPU__PRIVATE void combgpu__perm_set_tree_unrank(const combgpu__perm_set *set, combgpu_u128 rank,
                                                    combgpu__perm_walk *walk)
{
    combgpu_u128 each = set->members, weight;
    uint32_t rest;
    int i;
    for (i = 0; i < set->length; i++) {
        uint64_t allowed = combgpu__perm_set_allowed(set, walk, i);
        int value;
        each = combgpu__perm_u128_over(each, (uint32_t)combgpu__popcount64(allowed), &rest);
        for (;; allowed &= allowed - 1, rank = combgpu__perm_u128_minus(rank, weight)) {
            value = combgpu__lowest_bit64(allowed);
            weight = combgpu__perm_set_weight(set, walk, i, value, each);
            if (combgpu__perm_u128_less(rank, weight)) break;
        }
        combgpu__perm_set_choose(walk, i, value);
    }
}

/* This and similar functions: nonzero if perm is a member; *rank, which begins as 0, is then its
   rank. */
COMBGPU__PRIVATE int combgpu__perm_set_tree_rank(const combgpu__perm_set *set, const uint8_t *perm,
                                                 combgpu_u128 *rank)
{
    combgpu__perm_walk walk;
    combgpu_u128 each = set->members;
    uint32_t rest;
    int i, value;
    combgpu__perm_set_start(set, &walk);
    for (i = 0; i < set->length; i++) {
        uint64_t allowed = combgpu__perm_set_allowed(set, &walk, i);
        if (perm[i] >= set->n || !(allowed >> perm[i] & 1)) return 0;
        each = combgpu__perm_u128_over(each, (uint32_t)combgpu__popcount64(allowed), &rest);
        for (; (value = combgpu__lowest_bit64(allowed)) < perm[i]; allowed &= allowed - 1)
            *rank = combgpu__perm_u128_plus(*rank,
                                            combgpu__perm_set_weight(set, &walk, i, value, each));
        combgpu__perm_set_choose(&walk, i, value);
    }
    return 1;
}

/* ---- multisets, combinations (multisets of "in" and "out") */

COMBGPU__PRIVATE void combgpu__perm_set_multiset_unrank(const combgpu__perm_set *set,
                                                        combgpu_u128 rank, combgpu__perm_walk *walk)
{
    combgpu_u128 all = set->members, part;
    int i, v;
    for (i = 0; i < set->length; i++) {
        for (v = 0;; v++, rank = combgpu__perm_u128_minus(rank, part)) {
            combgpu__perm_set_scale(all, walk->place[v], set->length - i, &part);
            if (combgpu__perm_u128_less(rank, part)) break;
        }
        walk->perm[i] = (uint8_t)v;
        walk->place[v]--;
        all = part;
    }
}

COMBGPU__PRIVATE int combgpu__perm_set_multiset_rank(const combgpu__perm_set *set,
                                                     const uint8_t *perm, combgpu_u128 *rank)
{
    uint8_t left[COMBGPU__PERM_MOST];
    combgpu_u128 all = set->members, part;
    int i, v;
    memcpy(left, set->repeats, sizeof left);
    for (i = 0; i < set->length; i++) {
        if (perm[i] >= set->n || !left[perm[i]]) return 0;
        for (v = 0;; v++, *rank = combgpu__perm_u128_plus(*rank, part)) {
            combgpu__perm_set_scale(all, left[v], set->length - i, &part);
            if (v == perm[i]) break;
        }
        left[v]--;
        all = part;
    }
    return 1;
}

COMBGPU__PRIVATE void combgpu__perm_set_combination_unrank(const combgpu__perm_set *set,
                                                           combgpu_u128 rank,
                                                           combgpu__perm_walk *walk)
{
    combgpu_u128 all = set->members, part;
    int i = 0, v;
    for (v = 0; i < set->k; v++) {
        combgpu__perm_set_scale(all, set->k - i, set->n - v, &part);
        if (combgpu__perm_u128_less(rank, part)) {
            walk->perm[i++] = (uint8_t)v;
            all = part;
        } else {
            rank = combgpu__perm_u128_minus(rank, part);
            all = combgpu__perm_u128_minus(all, part);
        }
    }
}

COMBGPU__PRIVATE int combgpu__perm_set_combination_rank(const combgpu__perm_set *set,
                                                        const uint8_t *perm, combgpu_u128 *rank)
{
    combgpu_u128 all = set->members, part;
    int i, v = 0;
    for (i = 0; i < set->k; i++, v++) {
        if (perm[i] < v || perm[i] >= set->n) return 0;
        for (;; v++, all = combgpu__perm_u128_minus(all, part)) {
            combgpu__perm_set_scale(all, set->k - i, set->n - v, &part);
            if (v == perm[i]) break;
            *rank = combgpu__perm_u128_plus(*rank, part);
        }
        all = part;
    }
    return 1;
}

/* ---- Gray code */

/* Element m-1 moves through the permutation of the smaller elements from right to left or, if the
   rank of that permutation is odd, from left to right. Unranking puts the largest element first,
   among the free positions. */
COMBGPU__PRIVATE void combgpu__perm_set_gray_unrank(const combgpu__perm_set *set, combgpu_u128 rank,
                                                    combgpu__perm_walk *walk)
{
    uint64_t open = walk->unused, rest;
    int m;
    for (m = set->n; m; m--) {
        uint32_t at;
        rank = combgpu__perm_u128_over(rank, (uint32_t)m, &at);
        if (!(rank.lo & 1)) at = (uint32_t)m - 1 - at;
        for (rest = open; at; at--)
            rest &= rest - 1;
        walk->perm[combgpu__lowest_bit64(rest)] = (uint8_t)(m - 1);
        open &= ~(rest & (0 - rest));
    }
}

COMBGPU__PRIVATE int combgpu__perm_set_gray_rank(const combgpu__perm_set *set, const uint8_t *perm,
                                                 combgpu_u128 *rank)
{
    uint8_t place[COMBGPU__PERM_MOST];
    int m, v;
    if (!combgpu__perm_set_tree_rank(set, perm, rank)) return 0;
    for (v = 0; v < set->n; v++)
        place[perm[v]] = (uint8_t)v;
    for (rank->lo = rank->hi = 0, m = 2; m <= set->n; m++) {
        int at = 0;
        for (v = 0; v < m - 1; v++)
            at += place[v] < place[m - 1];
        *rank = combgpu__perm_u128_times(*rank, (uint32_t)m,
                                         (uint32_t)(rank->lo & 1 ? at : m - 1 - at));
    }
    return 1;
}

/* ---- any family */

/* Fills in the walk's member, but not its rank. */
COMBGPU__PRIVATE void combgpu__perm_set_unrank(const combgpu__perm_set *set, combgpu_u128 rank,
                                               combgpu__perm_walk *walk)
{
    combgpu__perm_set_start(set, walk);
    switch (set->family) {
    case COMBGPU_PERM_MULTISET:
        combgpu__perm_set_multiset_unrank(set, rank, walk);
        break;
    case COMBGPU_PERM_COMBINATION:
        combgpu__perm_set_combination_unrank(set, rank, walk);
        break;
    case COMBGPU_PERM_GRAY:
        combgpu__perm_set_gray_unrank(set, rank, walk);
        break;
    default:
        combgpu__perm_set_tree_unrank(set, rank, walk);
    }
}

COMBGPU__PRIVATE int combgpu__perm_set_rank(const combgpu__perm_set *set, const uint8_t *perm,
                                            combgpu_u128 *rank)
{
    rank->lo = rank->hi = 0;
    switch (set->family) {
    case COMBGPU_PERM_MULTISET:
        return combgpu__perm_set_multiset_rank(set, perm, rank);
    case COMBGPU_PERM_COMBINATION:
        return combgpu__perm_set_combination_rank(set, perm, rank);
    case COMBGPU_PERM_GRAY:
        return combgpu__perm_set_gray_rank(set, perm, rank);
    default:
        return combgpu__perm_set_tree_rank(set, perm, rank);
    }
}

/* ---- the calls; the 64-bit forms refuse larger sets */

COMBGPU__PRIVATE combgpu_status combgpu__perm_set_count_call(combgpu_context *ctx,
                                                             const combgpu_perm_set *set,
                                                             combgpu__perm_set_bits bits,
                                                             combgpu_u128 *count, int *length)
{
    combgpu__perm_set checked;
    combgpu_status status = combgpu__perm_set_check(ctx, "set", set, bits, &checked);
    if (status) return status;
    *count = checked.members;
    if (length) *length = checked.length;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_set_rank_call(combgpu_context *ctx,
                                                            const combgpu_perm_set *set,
                                                            combgpu__perm_set_bits bits,
                                                            const uint8_t *perm, int has_rank,
                                                            combgpu_u128 *rank)
{
    combgpu__perm_set checked;
    combgpu_status status = combgpu__perm_set_check(ctx, "set", set, bits, &checked);
    if (status) return status;
    if (!perm) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "perm is NULL");
    if (!has_rank) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "rank is NULL");
    if (!combgpu__perm_set_rank(&checked, perm, rank))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "perm is not a member of the set");
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_set_unrank_call(combgpu_context *ctx,
                                                              const combgpu_perm_set *set,
                                                              combgpu__perm_set_bits bits,
                                                              combgpu_u128 rank, uint8_t *perm)
{
    combgpu__perm_set checked;
    combgpu__perm_walk walk;
    char number[2][COMBGPU__U128_TEXT];
    combgpu_status status = combgpu__perm_set_check(ctx, "set", set, bits, &checked);
    if (status) return status;
    if (!perm) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "perm is NULL");
    if (!combgpu__perm_u128_less(rank, checked.members))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "rank is %s; the set has %s members, so it must be less",
                             combgpu__perm_u128_text(rank, number[0]),
                             combgpu__perm_u128_text(checked.members, number[1]));
    combgpu__perm_set_unrank(&checked, rank, &walk);
    memcpy(perm, walk.perm, (size_t)checked.length);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_set_count(combgpu_context *ctx,
                                                   const combgpu_perm_set *set, uint64_t *count,
                                                   int *length)
{
    combgpu_u128 all;
    combgpu_status status = combgpu__perm_set_count_call(ctx, set, COMBGPU__SET_64, &all, length);
    if (!status && count) *count = all.lo;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_perm_set_count128(combgpu_context *ctx,
                                                      const combgpu_perm_set *set,
                                                      combgpu_u128 *count, int *length)
{
    combgpu_u128 all;
    combgpu_status status = combgpu__perm_set_count_call(ctx, set, COMBGPU__SET_128, &all, length);
    if (!status && count) *count = all;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_perm_set_rank(combgpu_context *ctx, const combgpu_perm_set *set,
                                                  const uint8_t *perm, uint64_t *rank)
{
    combgpu_u128 found;
    combgpu_status status =
        combgpu__perm_set_rank_call(ctx, set, COMBGPU__SET_64, perm, rank != NULL, &found);
    if (!status) *rank = found.lo;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_perm_set_rank128(combgpu_context *ctx,
                                                     const combgpu_perm_set *set,
                                                     const uint8_t *perm, combgpu_u128 *rank)
{
    combgpu_u128 found;
    combgpu_status status =
        combgpu__perm_set_rank_call(ctx, set, COMBGPU__SET_128, perm, rank != NULL, &found);
    if (!status) *rank = found;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_perm_set_unrank(combgpu_context *ctx,
                                                    const combgpu_perm_set *set, uint64_t rank,
                                                    uint8_t *perm)
{
    combgpu_u128 wide = {0, 0};
    wide.lo = rank;
    return combgpu__perm_set_unrank_call(ctx, set, COMBGPU__SET_64, wide, perm);
}

COMBGPU__DEF combgpu_status combgpu_perm_set_unrank128(combgpu_context *ctx,
                                                       const combgpu_perm_set *set,
                                                       combgpu_u128 rank, uint8_t *perm)
{
    return combgpu__perm_set_unrank_call(ctx, set, COMBGPU__SET_128, rank, perm);
}
