/* ======================================================= SECTION 41: families of permutations == */
/* Families: number of members, member of a rank, next member, rank of a member.

   PARTIAL, DERANGEMENT, CYCLE and CIRCULAR are one tree: each place in turn takes one of the unused
   values *allowed* there. All choices at a place lead to equally many members, except for
   derangements, where the number depends on whether the place of the chosen value is still open. (A
   CYCLE may not close early: of the n-i unused values at place i just one is forbidden, the first
   of the path that ends in i. So there are n-1-i choices, and (n-1)! members.) */

typedef struct combgpu__set {
    combgpu_perm_family family;
    int n, k, length;
    uint64_t count;
    uint8_t repeats[COMBGPU__PERM_MOST];
    /* [m][f], f <= m: bijections of m places to m values, f of which have a forbidden place */
    uint64_t derangements[COMBGPU__PERM_MAX + 1][COMBGPU__PERM_MAX + 1];
} combgpu__set;

/* c * r / m, if m divides c * r and the result fits. */
COMBGPU__PRIVATE uint64_t combgpu__set_scale(uint64_t c, uint64_t r, uint64_t m)
{
    return c / m * r + c % m * r / m;
}

/* Multiplies *c by r / m, 1 <= m <= r; returns 0 if that does not fit. */
COMBGPU__PRIVATE int combgpu__set_grow(uint64_t *c, uint64_t r, uint64_t m)
{
    if (*c / m > (UINT64_MAX - *c % m * r / m) / r) return 0;
    *c = combgpu__set_scale(*c, r, m);
    return 1;
}

COMBGPU__PRIVATE void combgpu__set_derangements(combgpu__set *set)
{
    int m, f;
    for (m = 0; m <= set->n; m++) {
        set->derangements[m][0] = combgpu_factorial(m).lo;
        for (f = 1; f <= m; f++)
            set->derangements[m][f] = set->derangements[m][f - 1] - set->derangements[m - 1][f - 1];
    }
}

/* Sets the length and returns the number of members; 0 if it does not fit 64 bits or is 0. */
COMBGPU__PRIVATE uint64_t combgpu__set_members(combgpu__set *set)
{
    uint64_t count = 1;
    int i, j, fits = 1;
    set->length = set->n;
    switch (set->family) {
    case COMBGPU_PERM_PARTIAL:
    case COMBGPU_PERM_COMBINATION:
        set->length = set->k;
        for (i = 1; i <= set->k && fits; i++)
            fits = set->family == COMBGPU_PERM_PARTIAL
                       ? combgpu__set_grow(&count, (uint64_t)(set->n + 1 - i), 1)
                       : combgpu__set_grow(&count, (uint64_t)(set->n - set->k + i), (uint64_t)i);
        break;
    case COMBGPU_PERM_MULTISET:
        for (set->length = i = 0; i < set->n; i++)
            for (j = 1; j <= set->repeats[i] && fits; j++)
                fits = combgpu__set_grow(&count, (uint64_t)++set->length, (uint64_t)j);
        break;
    case COMBGPU_PERM_DERANGEMENT:
        combgpu__set_derangements(set);
        count = set->derangements[set->n][set->n];
        break;
    case COMBGPU_PERM_CYCLE:
    case COMBGPU_PERM_CIRCULAR:
        count = combgpu_factorial(set->n - 1).lo;
        break;
    default:
        count = combgpu_factorial(set->n).lo;
    }
    return fits ? count : 0;
}

/* Checks a caller's set, which messages call `name`, and makes `set` from it. */
COMBGPU__PRIVATE combgpu_status combgpu__set_check(combgpu_context *ctx, const char *name,
                                                   const combgpu_perm_set *from, combgpu__set *set)
{
    static const struct {
        const char *name;
        int most;
    } kinds[] = {{"ALL", 20},         {"PARTIAL", 64}, {"MULTISET", 64}, {"DERANGEMENT", 20},
                 {"COMBINATION", 64}, {"GRAY", 20},    {"CYCLE", 21},    {"CIRCULAR", 21}};
    int takes_k, sum = 0, i;
    if (!from) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", name);
    if ((int)from->family < 0 || (int)from->family > COMBGPU_PERM_CIRCULAR)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s->family is %d; it may be 0 (ALL) to %d (CIRCULAR)", name,
                             (int)from->family, (int)COMBGPU_PERM_CIRCULAR);
    if (from->n < 1 || from->n > kinds[from->family].most)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT, "%s->n is %d; with family %s it may be 1 to %d%s", name,
            from->n, kinds[from->family].name, kinds[from->family].most,
            kinds[from->family].most < COMBGPU__PERM_MOST ? ", for ranks have 64 bits" : "");
    takes_k = from->family == COMBGPU_PERM_PARTIAL || from->family == COMBGPU_PERM_COMBINATION;
    if (takes_k ? from->k < 0 || from->k > from->n : from->k != 0)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             takes_k ? "%s->k is %d; with family %s and n = %d it may be 0 to n"
                                     : "%s->k is %d; with family %s and n = %d it must be 0",
                             name, from->k, kinds[from->family].name, from->n);
    if (!from->repeats != (from->family != COMBGPU_PERM_MULTISET))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s->repeats is %s; it is for family MULTISET, which needs it", name,
                             from->repeats ? "set" : "NULL");
    memset(set, 0, sizeof *set);
    set->family = from->family;
    set->n = from->n;
    set->k = from->k;
    for (i = 0; from->repeats && i < from->n; i++) {
        set->repeats[i] = from->repeats[i];
        sum += from->repeats[i];
    }
    if (from->repeats && (sum < 1 || sum > COMBGPU__PERM_MOST))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "the sum of %s->repeats is %d; it may be 1 to %d", name, sum,
                             COMBGPU__PERM_MOST);
    set->count = combgpu__set_members(set);
    if (!set->count && set->family != COMBGPU_PERM_DERANGEMENT)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s is family %s with n = %d, k = %d, which has more than 2^64 - 1 "
                             "members; ranks have 64 bits",
                             name, kinds[set->family].name, set->n, set->k);
    return COMBGPU_OK;
}

/* ---- the tree: allowed values, and choosing one */

COMBGPU__PRIVATE uint64_t combgpu__set_allowed(const combgpu__set *set,
                                               const combgpu__perm_walk *walk, int i)
{
    int first = i;
    switch (set->family) {
    case COMBGPU_PERM_DERANGEMENT:
        return walk->unused & ~(UINT64_C(1) << i);
    case COMBGPU_PERM_CIRCULAR:
        return i ? walk->unused : 1;
    case COMBGPU_PERM_CYCLE:
        if (i == set->n - 1) return walk->unused;
        while (walk->place[first] != COMBGPU__SET_FREE)
            first = walk->place[first];
        return walk->unused & ~(UINT64_C(1) << first);
    default:
        return walk->unused;
    }
}

/* Starts before the first place. */
COMBGPU__PRIVATE void combgpu__set_start(const combgpu__set *set, combgpu__perm_walk *walk)
{
    memset(walk, 0, sizeof *walk);
    walk->unused = ~UINT64_C(0) >> (64 - set->n);
    if (set->family == COMBGPU_PERM_MULTISET)
        memcpy(walk->place, set->repeats, sizeof walk->place);
    else
        memset(walk->place, COMBGPU__SET_FREE, sizeof walk->place);
}

COMBGPU__PRIVATE void combgpu__set_choose(combgpu__perm_walk *walk, int i, int value)
{
    walk->perm[i] = (uint8_t)value;
    walk->place[value] = (uint8_t)i;
    walk->unused &= ~(UINT64_C(1) << value);
}

/* Number of members that begin with the walk's places 0 .. i-1 and `value`; `each` if it is equal
   for all choices. */
COMBGPU__PRIVATE uint64_t combgpu__set_weight(const combgpu__set *set,
                                              const combgpu__perm_walk *walk, int i, int value,
                                              uint64_t each)
{
    uint64_t open;
    if (set->family != COMBGPU_PERM_DERANGEMENT) return each;
    open = walk->unused & ~(UINT64_C(1) << value) & ~UINT64_C(0) << i & ~(UINT64_C(1) << i);
    return set->derangements[set->n - 1 - i][combgpu__popcount64(open)];
}

COMBGPU__PRIVATE void combgpu__set_tree_unrank(const combgpu__set *set, combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank, each = set->count;
    int i;
    for (i = 0; i < set->length; i++) {
        uint64_t allowed = combgpu__set_allowed(set, walk, i), weight;
        int value;
        each /= (uint64_t)combgpu__popcount64(allowed);
        for (;; allowed &= allowed - 1, rank -= weight) {
            value = combgpu__lowest_bit64(allowed);
            weight = combgpu__set_weight(set, walk, i, value, each);
            if (rank < weight) break;
        }
        combgpu__set_choose(walk, i, value);
    }
}

COMBGPU__PRIVATE uint64_t combgpu__set_tree_rank(const combgpu__set *set, const uint8_t *perm)
{
    combgpu__perm_walk walk;
    uint64_t rank = 0, each = set->count;
    int i, value;
    combgpu__set_start(set, &walk);
    for (i = 0; i < set->length; i++) {
        uint64_t allowed = combgpu__set_allowed(set, &walk, i);
        if (perm[i] >= set->n || !(allowed >> perm[i] & 1)) return COMBGPU__PERM_NO_RANK;
        each /= (uint64_t)combgpu__popcount64(allowed);
        for (; (value = combgpu__lowest_bit64(allowed)) < perm[i]; allowed &= allowed - 1)
            rank += combgpu__set_weight(set, &walk, i, value, each);
        combgpu__set_choose(&walk, i, value);
    }
    return rank;
}

/* Moves to the next leaf of the tree, if any: back to the last place that can take a larger value,
   then forward with the smallest values. (A derangement's last place may find its only value
   forbidden.) */
COMBGPU__PRIVATE void combgpu__set_tree_next(const combgpu__set *set, combgpu__perm_walk *walk)
{
    uint64_t larger = 0;
    int i = set->length;
    while (i < set->length || !larger) {
        if (larger) { /* takes the smallest value allowed at place i */
            combgpu__set_choose(walk, i++, combgpu__lowest_bit64(larger));
            larger = i < set->length ? combgpu__set_allowed(set, walk, i) : 1;
        } else {
            int value;
            if (!i) return;
            value = walk->perm[--i];
            walk->unused |= UINT64_C(1) << value;
            walk->place[value] = COMBGPU__SET_FREE;
            larger = combgpu__set_allowed(set, walk, i) & ~UINT64_C(1) << value;
        }
    }
}

/* ---- multisets, combinations (multisets of "in" and "out"), Gray code */

COMBGPU__PRIVATE void combgpu__set_multiset_unrank(const combgpu__set *set,
                                                   combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank, all = set->count, part;
    int i, v;
    for (i = 0; i < set->length; i++) {
        for (v = 0;; v++, rank -= part) {
            part = combgpu__set_scale(all, walk->place[v], (uint64_t)(set->length - i));
            if (rank < part) break;
        }
        walk->perm[i] = (uint8_t)v;
        walk->place[v]--;
        all = part;
    }
}

COMBGPU__PRIVATE uint64_t combgpu__set_multiset_rank(const combgpu__set *set, const uint8_t *perm)
{
    uint8_t left[COMBGPU__PERM_MOST];
    uint64_t rank = 0, all = set->count, part;
    int i, v;
    memcpy(left, set->repeats, sizeof left);
    for (i = 0; i < set->length; i++) {
        if (perm[i] >= set->n || !left[perm[i]]) return COMBGPU__PERM_NO_RANK;
        for (v = 0;; v++, rank += part) {
            part = combgpu__set_scale(all, left[v], (uint64_t)(set->length - i));
            if (v == perm[i]) break;
        }
        left[v]--;
        all = part;
    }
    return rank;
}

COMBGPU__PRIVATE void combgpu__set_combination_unrank(const combgpu__set *set,
                                                      combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank, all = set->count, part;
    int i = 0, v;
    for (v = 0; i < set->k; v++) {
        part = combgpu__set_scale(all, (uint64_t)(set->k - i), (uint64_t)(set->n - v));
        if (rank < part) {
            walk->perm[i++] = (uint8_t)v;
            all = part;
        } else {
            rank -= part;
            all -= part;
        }
    }
}

COMBGPU__PRIVATE uint64_t combgpu__set_combination_rank(const combgpu__set *set,
                                                        const uint8_t *perm)
{
    uint64_t rank = 0, all = set->count, part;
    int i, v = 0;
    for (i = 0; i < set->k; i++, v++) {
        if (perm[i] < v || perm[i] >= set->n) return COMBGPU__PERM_NO_RANK;
        for (;; v++, rank += part, all -= part) {
            part = combgpu__set_scale(all, (uint64_t)(set->k - i), (uint64_t)(set->n - v));
            if (v == perm[i]) break;
        }
        all = part;
    }
    return rank;
}

/* Element m-1 moves through the permutation of the smaller elements from right to left or, if the
   rank of that permutation is odd, from left to right. Unranking places the largest element first,
   among the free places. */
COMBGPU__PRIVATE void combgpu__set_gray_unrank(const combgpu__set *set, combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank, open = walk->unused, rest;
    int m;
    for (m = set->n; m; m--) {
        int at = (int)(rank % (uint64_t)m);
        rank /= (uint64_t)m;
        if (!(rank & 1)) at = m - 1 - at;
        for (rest = open; at; at--)
            rest &= rest - 1;
        walk->perm[combgpu__lowest_bit64(rest)] = (uint8_t)(m - 1);
        open &= ~(rest & (0 - rest));
    }
}

COMBGPU__PRIVATE uint64_t combgpu__set_gray_rank(const combgpu__set *set, const uint8_t *perm)
{
    uint8_t place[COMBGPU__PERM_MOST];
    uint64_t rank = 0;
    int m, v;
    if (combgpu__set_tree_rank(set, perm) == COMBGPU__PERM_NO_RANK) return COMBGPU__PERM_NO_RANK;
    for (v = 0; v < set->n; v++)
        place[perm[v]] = (uint8_t)v;
    for (m = 2; m <= set->n; m++) {
        int at = 0;
        for (v = 0; v < m - 1; v++)
            at += place[v] < place[m - 1];
        rank = rank * (uint64_t)m + (uint64_t)(rank & 1 ? at : m - 1 - at);
    }
    return rank;
}

/* Moves to the member of walk->rank from the one before. */
COMBGPU__PRIVATE void combgpu__set_gray_next(const combgpu__set *set, combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank;
    int m = set->n, at = 0;
    for (; m && rank % (uint64_t)m == 0; m--)
        rank /= (uint64_t)m;
    if (!m) return;
    while (walk->perm[at] != m - 1)
        at++;
    if (!(rank / (uint64_t)m & 1)) at--;
    m = walk->perm[at];
    walk->perm[at] = walk->perm[at + 1];
    walk->perm[at + 1] = (uint8_t)m;
}

/* ---- any family: member of a rank, next member, rank of a member */

COMBGPU__PRIVATE void combgpu__set_walk_to(const combgpu__set *set, combgpu__perm_walk *walk,
                                           uint64_t rank)
{
    combgpu__set_start(set, walk);
    walk->rank = rank;
    switch (set->family) {
    case COMBGPU_PERM_ALL:
        combgpu__perm_unrank(set->n, rank, walk->perm);
        break;
    case COMBGPU_PERM_MULTISET:
        combgpu__set_multiset_unrank(set, walk);
        break;
    case COMBGPU_PERM_COMBINATION:
        combgpu__set_combination_unrank(set, walk);
        break;
    case COMBGPU_PERM_GRAY:
        combgpu__set_gray_unrank(set, walk);
        break;
    default:
        combgpu__set_tree_unrank(set, walk);
    }
}

COMBGPU__PRIVATE void combgpu__set_walk_next(const combgpu__set *set, combgpu__perm_walk *walk)
{
    int i = set->k - 1;
    walk->rank++;
    switch (set->family) {
    case COMBGPU_PERM_ALL:
    case COMBGPU_PERM_MULTISET:
    case COMBGPU_PERM_CIRCULAR:
        combgpu_perm_next(set->length, walk->perm);
        break;
    case COMBGPU_PERM_COMBINATION:
        while (i >= 0 && walk->perm[i] == set->n - set->k + i)
            i--;
        if (i < 0) return;
        for (walk->perm[i]++; ++i < set->k;)
            walk->perm[i] = (uint8_t)(walk->perm[i - 1] + 1);
        break;
    case COMBGPU_PERM_GRAY:
        combgpu__set_gray_next(set, walk);
        break;
    default:
        combgpu__set_tree_next(set, walk);
    }
}

/* Writes the next `count` members and moves past them. */
COMBGPU__PRIVATE void combgpu__set_walk_write(const combgpu__set *set, combgpu__perm_walk *walk,
                                              uint64_t count, uint8_t *out)
{
    if (set->family == COMBGPU_PERM_ALL) {
        combgpu__perm_walk_write(walk, set->n, count, out);
        return;
    }
    for (; count; count--, out += set->length) {
        memcpy(out, walk->perm, (size_t)set->length);
        combgpu__set_walk_next(set, walk);
    }
}

/* Returns the rank, or NO_RANK if perm is no member. */
COMBGPU__PRIVATE uint64_t combgpu__set_rank(const combgpu__set *set, const uint8_t *perm)
{
    switch (set->family) {
    case COMBGPU_PERM_MULTISET:
        return combgpu__set_multiset_rank(set, perm);
    case COMBGPU_PERM_COMBINATION:
        return combgpu__set_combination_rank(set, perm);
    case COMBGPU_PERM_GRAY:
        return combgpu__set_gray_rank(set, perm);
    default:
        return combgpu__set_tree_rank(set, perm);
    }
}

COMBGPU__DEF combgpu_status combgpu_perm_set_count(combgpu_context *ctx,
                                                   const combgpu_perm_set *set, uint64_t *count,
                                                   int *length)
{
    combgpu__set checked;
    combgpu_status status = combgpu__set_check(ctx, "set", set, &checked);
    if (status) return status;
    if (count) *count = checked.count;
    if (length) *length = checked.length;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_set_rank(combgpu_context *ctx, const combgpu_perm_set *set,
                                                  const uint8_t *perm, uint64_t *rank)
{
    combgpu__set checked;
    combgpu_status status = combgpu__set_check(ctx, "set", set, &checked);
    uint64_t found;
    if (status) return status;
    if (!perm) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "perm is NULL");
    if (!rank) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "rank is NULL");
    found = combgpu__set_rank(&checked, perm);
    if (found == COMBGPU__PERM_NO_RANK)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "perm is no member of the set");
    *rank = found;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_set_unrank(combgpu_context *ctx,
                                                    const combgpu_perm_set *set, uint64_t rank,
                                                    uint8_t *perm)
{
    combgpu__set checked;
    combgpu__perm_walk walk;
    combgpu_status status = combgpu__set_check(ctx, "set", set, &checked);
    if (status) return status;
    if (!perm) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "perm is NULL");
    if (rank >= checked.count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "rank is %llu; the set has %llu members, so it must be less",
                             (unsigned long long)rank, (unsigned long long)checked.count);
    combgpu__set_walk_to(&checked, &walk, rank);
    memcpy(perm, walk.perm, (size_t)checked.length);
    return COMBGPU_OK;
}
