/* Unranks members of families and moves to the next, as src/perm/set/tree.c does on the CPU. */
#ifdef COMBGPU_VISIT_FAMILY /* OpenCL compiles for each visitor: constants keep the kernels small */
#define COMBGPU__SET_FAMILY COMBGPU_VISIT_FAMILY
#define COMBGPU__VISIT_GOAL COMBGPU_VISIT_GOAL
#define COMBGPU__VISIT_LIST COMBGPU_VISIT_LIST
#else
#define COMBGPU__SET_FAMILY tables[COMBGPU__SET_AT_FAMILY]
#define COMBGPU__VISIT_GOAL tables[COMBGPU__SET_AT_GOAL]
#define COMBGPU__VISIT_LIST tables[COMBGPU__SET_AT_LIST]
#endif
#define COMBGPU__SET_N ((int)tables[COMBGPU__SET_AT_N])
#define COMBGPU__SET_K ((int)tables[COMBGPU__SET_AT_K])
#define COMBGPU__SET_LENGTH ((int)tables[COMBGPU__SET_AT_LENGTH])
#define COMBGPU__SET_COUNT combgpu_load64(tables + COMBGPU__SET_AT_COUNT)
#define COMBGPU__SET_REPEATS ((COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__SET_AT_REPEATS))
#define COMBGPU__SET_DERANGEMENTS(m, f)                                                            \
    combgpu_load64(tables + COMBGPU__SET_AT_DERANGEMENTS +                                         \
                   2 * ((COMBGPU__PERM_MAX + 1) * (m) + (f)))

#define COMBGPU__SET_PARAMETERS COMBGPU__GLOBAL const uint32_t *tables, combgpu_set_member_t *at

/* A member of a family. place[v]: CYCLE: the position of v; MULTISET: copies of v left. */
typedef struct combgpu_set_member_t {
    uint64_t rank, unused;
    uint8_t perm[COMBGPU__PERM_MOST], place[COMBGPU__PERM_MOST];
} combgpu_set_member_t;

/* c * r / m, if m divides c * r. Most c are small, and a 32-bit division takes a quarter of the
   time. */
COMBGPU__DEVICE uint64_t combgpu_set_scale(uint64_t c, uint32_t r, uint32_t m)
{
    uint32_t low = (uint32_t)c, quotient;
    if (c >> 32) return c / m * r + c % m * r / m;
    quotient = low / m;
    return (uint64_t)quotient * r + (low - quotient * m) * r / m;
}

COMBGPU__DEVICE uint64_t combgpu_set_allowed(COMBGPU__SET_PARAMETERS, int i)
{
    int first = i;
    if (COMBGPU__SET_FAMILY == COMBGPU__SET_DERANGEMENT) return at->unused & ~((uint64_t)1 << i);
    if (COMBGPU__SET_FAMILY == COMBGPU__SET_CIRCULAR) return i ? at->unused : 1;
    if (COMBGPU__SET_FAMILY != COMBGPU__SET_CYCLE || i == COMBGPU__SET_N - 1) return at->unused;
    while (at->place[first] != COMBGPU__SET_FREE)
        first = at->place[first];
    return at->unused & ~((uint64_t)1 << first);
}

COMBGPU__DEVICE void combgpu_set_choose(combgpu_set_member_t *at, int i, int value)
{
    at->perm[i] = (uint8_t)value;
    at->place[value] = (uint8_t)i;
    at->unused &= ~((uint64_t)1 << value);
}

COMBGPU__DEVICE void combgpu_set_unrank_tree(COMBGPU__SET_PARAMETERS, uint64_t rank)
{
    uint64_t each = COMBGPU__SET_COUNT, allowed, weight, open;
    int i, value = 0;
    for (i = 0; i < COMBGPU__SET_LENGTH; i++) {
        allowed = combgpu_set_allowed(tables, at, i);
        each /= combgpu_popcount64(allowed);
        for (weight = each; allowed; allowed &= allowed - 1, rank -= weight) {
            value = (int)combgpu_lowest_bit64(allowed);
            if (COMBGPU__SET_FAMILY == COMBGPU__SET_DERANGEMENT) {
                open = at->unused & ~((uint64_t)1 << value) & ~(((uint64_t)2 << i) - 1);
                weight = COMBGPU__SET_DERANGEMENTS(COMBGPU__SET_N - 1 - i,
                                                   (int)combgpu_popcount64(open));
            }
            if (rank < weight) break;
        }
        combgpu_set_choose(at, i, value);
    }
}

COMBGPU__DEVICE void combgpu_set_next_tree(COMBGPU__SET_PARAMETERS)
{
    uint64_t larger = 0;
    int i = COMBGPU__SET_LENGTH;
    while (i < COMBGPU__SET_LENGTH || !larger) {
        if (larger) {
            combgpu_set_choose(at, i++, (int)combgpu_lowest_bit64(larger));
            larger = i < COMBGPU__SET_LENGTH ? combgpu_set_allowed(tables, at, i) : 1;
        } else {
            int value;
            if (!i) return;
            value = at->perm[--i];
            at->unused |= (uint64_t)1 << value;
            at->place[value] = COMBGPU__SET_FREE;
            larger = combgpu_set_allowed(tables, at, i) & ~(((uint64_t)2 << value) - 1);
        }
    }
}

/* Moves to the member of a rank. */
COMBGPU__DEVICE void combgpu_set_unrank(COMBGPU__SET_PARAMETERS, uint64_t rank)
{
    uint64_t all = COMBGPU__SET_COUNT, part = 0, rest;
    int i, v;
    at->rank = rank;
    at->unused = ~(uint64_t)0 >> (64 - COMBGPU__SET_N);
    for (i = 0; i < COMBGPU__PERM_MOST; i++)
        at->place[i] = COMBGPU__SET_FAMILY == COMBGPU__SET_MULTISET ? COMBGPU__SET_REPEATS[i]
                                                                    : COMBGPU__SET_FREE;
    if (COMBGPU__SET_FAMILY == COMBGPU__SET_ALL) {
        combgpu_unrank(COMBGPU__SET_N, rank, at->perm);
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_MULTISET) {
        for (i = 0; i < COMBGPU__SET_LENGTH; i++, all = part) {
            for (v = 0; v < COMBGPU__SET_N - 1; v++, rank -= part) {
                part = combgpu_set_scale(all, at->place[v], (uint32_t)(COMBGPU__SET_LENGTH - i));
                if (rank < part) break;
            }
            if (v == COMBGPU__SET_N - 1)
                part = combgpu_set_scale(all, at->place[v], (uint32_t)(COMBGPU__SET_LENGTH - i));
            at->perm[i] = (uint8_t)v;
            at->place[v]--;
        }
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_COMBINATION) {
        for (i = v = 0; i < COMBGPU__SET_K && v < COMBGPU__SET_N; v++) {
            part = combgpu_set_scale(all, (uint32_t)(COMBGPU__SET_K - i),
                                     (uint32_t)(COMBGPU__SET_N - v));
            if (rank < part) {
                at->perm[i++] = (uint8_t)v;
                all = part;
            } else {
                rank -= part;
                all -= part;
            }
        }
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_GRAY) {
        for (v = COMBGPU__SET_N; v; v--) {
            i = (int)(rank % (uint32_t)v);
            rank /= (uint32_t)v;
            if (!(rank & 1)) i = v - 1 - i;
            for (rest = at->unused; i; i--)
                rest &= rest - 1;
            at->perm[combgpu_lowest_bit64(rest)] = (uint8_t)(v - 1);
            at->unused &= ~(rest & (0 - rest));
        }
    } else
        combgpu_set_unrank_tree(tables, at, rank);
}

/* Moves to the next member. */
COMBGPU__DEVICE void combgpu_set_next(COMBGPU__SET_PARAMETERS)
{
    uint64_t rank = ++at->rank;
    int i, v;
    if ((1u << COMBGPU__SET_FAMILY) &
        (1u << COMBGPU__SET_ALL | 1u << COMBGPU__SET_MULTISET | 1u << COMBGPU__SET_CIRCULAR)) {
        combgpu_next_permutation(COMBGPU__SET_LENGTH, at->perm);
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_COMBINATION) {
        for (i = COMBGPU__SET_K - 1; i >= 0 && at->perm[i] == COMBGPU__SET_N - COMBGPU__SET_K + i;)
            i--;
        if (i < 0) return;
        for (at->perm[i]++; ++i < COMBGPU__SET_K;)
            at->perm[i] = (uint8_t)(at->perm[i - 1] + 1);
    } else if (COMBGPU__SET_FAMILY == COMBGPU__SET_GRAY) {
        for (v = COMBGPU__SET_N; v && rank % (uint32_t)v == 0; v--)
            rank /= (uint32_t)v;
        if (!v) return;
        for (i = 0; at->perm[i] != v - 1;)
            i++;
        if (!(rank / (uint32_t)v & 1)) i--;
        v = at->perm[i];
        at->perm[i] = at->perm[i + 1];
        at->perm[i + 1] = (uint8_t)v;
    } else
        combgpu_set_next_tree(tables, at);
}
