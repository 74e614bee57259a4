/* ======================================================= SECTION 41: families of permutations == */
/* Counts the members of families, and walks the tree of their prefixes.

   PARTIAL, DERANGEMENT, CYCLE and CIRCULAR are one tree: each position in turn takes one of the
   unused values *allowed* there. All choices at a position lead to equally many members, except for
   derangements, where the chosen value's own position matters: is it still open? (A CYCLE may not
   close early: of the n-i unused values at position i just one is forbidden, the first of the path
   that ends in i. So there are n-1-i choices, and (n-1)! members.) */

typedef struct combgpu__perm_set {
    combgpu_perm_family family;
    int n, k, length;
    combgpu_u128 members;
    uint64_t count; /* the same in 64 bits; 0 if too large: then no run covers the set */
    uint8_t repeats[COMBGPU__PERM_MOST];
    /* at m(m+1)/2 + f, f <= m: bijections of m positions to m values, f of which have a forbidden
       position */
    combgpu_u128 derangements[(COMBGPU__PERM_MAX128 + 1) * (COMBGPU__PERM_MAX128 + 2) / 2];
} combgpu__perm_set;

/* The most members that a caller's number can hold. */
typedef enum combgpu__perm_set_bits {
    COMBGPU__SET_64 = 64,
    COMBGPU__SET_128 = 128
} combgpu__perm_set_bits;

/* Sets *scaled to c * r / m if m divides c * r; r and m are 1 to 64. Returns 0 if that is 2^128 or
   more. */
COMBGPU__PRIVATE int combgpu__perm_set_scale(combgpu_u128 c, int r, int m, combgpu_u128 *scaled)
{
    uint32_t rest, factor = (uint32_t)r;
    combgpu_u128 each = combgpu__perm_u128_over(c, (uint32_t)m, &rest), low = {0, 0}, high = {0, 0};
    low.lo = each.lo;
    high.lo = each.hi;
    low = combgpu__perm_u128_times(low, factor, rest * factor / (uint32_t)m);
    high = combgpu__perm_u128_times(high, factor, (uint32_t)low.hi);
    scaled->lo = low.lo;
    scaled->hi = high.lo;
    return !high.hi;
}

COMBGPU__PRIVATE combgpu_u128 combgpu__perm_set_derangement(const combgpu__perm_set *set, int m,
                                                            int f)
{
    return set->derangements[m * (m + 1) / 2 + f];
}

COMBGPU__PRIVATE void combgpu__perm_set_derangements(combgpu__perm_set *set)
{
    combgpu_u128 *at = set->derangements;
    int m, f;
    for (m = 0; m <= set->n; m++) {
        *at++ = combgpu_factorial(m);
        for (f = 1; f <= m; f++, at++)
            *at =
                combgpu__perm_u128_minus(at[-1], combgpu__perm_set_derangement(set, m - 1, f - 1));
    }
}

/* Sets length, members and count; returns 0 for 2^128 members or more. */
COMBGPU__PRIVATE int combgpu__perm_set_size(combgpu__perm_set *set)
{
    combgpu_u128 *all = &set->members;
    int i, j, fits = 1;
    set->length = set->n;
    all->lo = 1;
    switch (set->family) {
    case COMBGPU_PERM_PARTIAL:
    case COMBGPU_PERM_COMBINATION:
        set->length = set->k;
        for (i = 1; i <= set->k && fits; i++)
            fits = set->family == COMBGPU_PERM_PARTIAL
                       ? combgpu__perm_set_scale(*all, set->n + 1 - i, 1, all)
                       : combgpu__perm_set_scale(*all, set->n - set->k + i, i, all);
        break;
    case COMBGPU_PERM_MULTISET:
        for (set->length = i = 0; i < set->n; i++)
            for (j = 1; j <= set->repeats[i] && fits; j++)
                fits = combgpu__perm_set_scale(*all, ++set->length, j, all);
        break;
    case COMBGPU_PERM_DERANGEMENT:
        combgpu__perm_set_derangements(set);
        *all = combgpu__perm_set_derangement(set, set->n, set->n);
        break;
    case COMBGPU_PERM_CYCLE:
    case COMBGPU_PERM_CIRCULAR:
        *all = combgpu_factorial(set->n - 1);
        break;
    default:
        *all = combgpu_factorial(set->n);
    }
    set->count = all->hi ? 0 : all->lo;
    return fits;
}

/* Checks a caller's set, `name` in messages, and makes `set` from it. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_set_check(combgpu_context *ctx, const char *name,
                                                        const combgpu_perm_set *from,
                                                        combgpu__perm_set_bits bits,
                                                        combgpu__perm_set *set)
{
    static const struct {
        const char *name;
        int most, most128;
    } kinds[] = {{"ALL", 20, 34},         {"PARTIAL", 64, 64},     {"MULTISET", 64, 64},
                 {"DERANGEMENT", 20, 34}, {"COMBINATION", 64, 64}, {"GRAY", 20, 34},
                 {"CYCLE", 21, 35},       {"CIRCULAR", 21, 35}};
    int takes_k, most, sum = 0, i;
    if (!from) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", name);
    if ((int)from->family < 0 || (int)from->family > COMBGPU_PERM_CIRCULAR)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s->family is %d; it may be 0 (ALL) to %d (CIRCULAR)", name,
                             (int)from->family, (int)COMBGPU_PERM_CIRCULAR);
    most = bits == COMBGPU__SET_64 ? kinds[from->family].most : kinds[from->family].most128;
    if (from->n < 1 || from->n > most)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s->n is %d; with family %s it may be 1 to %d%s", name, from->n,
                             kinds[from->family].name, most,
                             most == COMBGPU__PERM_MOST ? ""
                             : bits == COMBGPU__SET_64  ? ", because ranks have 64 bits"
                                                        : ", because ranks have 128 bits");
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
    if (!combgpu__perm_set_size(set) || (bits == COMBGPU__SET_64 && set->members.hi))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s is family %s with n = %d, k = %d, which has more than 2^%d - 1 "
                             "members; ranks have %d bits",
                             name, kinds[set->family].name, set->n, set->k, (int)bits, (int)bits);
    return COMBGPU_OK;
}

/* ---- the tree: allowed values, and choosing one */

COMBGPU__PRIVATE uint64_t combgpu__perm_set_allowed(const combgpu__perm_set *set,
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

/* Starts before the first position. */
COMBGPU__PRIVATE void combgpu__perm_set_start(const combgpu__perm_set *set,
                                              combgpu__perm_walk *walk)
{
    memset(walk, 0, sizeof *walk);
    walk->unused = ~UINT64_C(0) >> (64 - set->n);
    if (set->family == COMBGPU_PERM_MULTISET)
        memcpy(walk->place, set->repeats, sizeof walk->place);
    else
        memset(walk->place, COMBGPU__SET_FREE, sizeof walk->place);
}

COMBGPU__PRIVATE void combgpu__perm_set_choose(combgpu__perm_walk *walk, int i, int value)
{
    walk->perm[i] = (uint8_t)value;
    walk->place[value] = (uint8_t)i;
    walk->unused &= ~(UINT64_C(1) << value);
}

/* Number of members that begin with the walk's positions 0 .. i-1 and `value`; `each` if equal for
   all choices. */
COMBGPU__PRIVATE combgpu_u128 combgpu__perm_set_weight(const combgpu__perm_set *set,
                                                       const combgpu__perm_walk *walk, int i,
                                                       int value, combgpu_u128 each)
{
    uint64_t open;
    if (set->family != COMBGPU_PERM_DERANGEMENT) return each;
    open = walk->unused & ~(UINT64_C(1) << value) & ~UINT64_C(0) << i & ~(UINT64_C(1) << i);
    return combgpu__perm_set_derangement(set, set->n - 1 - i, combgpu__popcount64(open));
}
