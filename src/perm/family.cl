/* ---- families and visits (combgpu.h, SECTION 41: what is counted, the tables, tasks, records) */
#ifdef COMBGPU_VISIT_FAMILY /* constants make kernels small: OpenCL compiles them for each visitor */
#define SET_FAMILY COMBGPU_VISIT_FAMILY
#define VISIT_GOAL COMBGPU_VISIT_GOAL
#define VISIT_LIST COMBGPU_VISIT_LIST
#else
#define SET_FAMILY tables[0] /* SET_ALL .. SET_CIRCULAR */
#define VISIT_GOAL tables[6] /* 1 count, 2 minimum, 3 maximum, 4 sum, 5 histogram */
#define VISIT_LIST tables[7]
#endif
#define SET_N ((int)tables[1])
#define SET_K ((int)tables[2])
#define SET_LENGTH ((int)tables[3])
#define SET_COUNT combgpu_load64(tables + 4)
#define SET_REPEATS ((GLOBAL const u8 *)(tables + 16))
#define SET_DERANGEMENTS(m, f) combgpu_load64(tables + 32 + 2 * (21 * (m) + (f)))
#define SET_ALL 0
#define SET_PARTIAL 1
#define SET_MULTISET 2
#define SET_DERANGEMENT 3
#define SET_COMBINATION 4
#define SET_GRAY 5
#define SET_CYCLE 6
#define SET_CIRCULAR 7
#define SET_MOST 64
#define SET_FREE 255
#define SET_PARAMETERS GLOBAL const u32 *tables, combgpu_member_t *at

/* A member of a family. place[v]: CYCLE: where v stands; MULTISET: how often it is left. */
typedef struct combgpu_member_t {
    u64 rank, unused;
    u8 perm[SET_MOST], place[SET_MOST];
} combgpu_member_t;

/* c * r / m, where m divides it; most are small, and a 32-bit division takes a quarter of the time. */
DEVICE u64 combgpu_set_scale(u64 c, u32 r, u32 m)
{
    u32 low = (u32)c, quotient;
    if (c >> 32) return c / m * r + c % m * r / m;
    quotient = low / m;
    return (u64)quotient * r + (low - quotient * m) * r / m;
}

DEVICE u64 combgpu_set_allowed(SET_PARAMETERS, int i)
{
    int first = i;
    if (SET_FAMILY == SET_DERANGEMENT) return at->unused & ~((u64)1 << i);
    if (SET_FAMILY == SET_CIRCULAR) return i ? at->unused : 1;
    if (SET_FAMILY != SET_CYCLE || i == SET_N - 1) return at->unused;
    while (at->place[first] != SET_FREE)
        first = at->place[first];
    return at->unused & ~((u64)1 << first);
}

DEVICE void combgpu_set_choose(combgpu_member_t *at, int i, int value)
{
    at->perm[i] = (u8)value;
    at->place[value] = (u8)i;
    at->unused &= ~((u64)1 << value);
}

DEVICE void combgpu_set_unrank_tree(SET_PARAMETERS, u64 rank)
{
    u64 each = SET_COUNT, allowed, weight, open;
    int i, value = 0;
    for (i = 0; i < SET_LENGTH; i++) {
        allowed = combgpu_set_allowed(tables, at, i);
        each /= combgpu_popcount64(allowed);
        for (weight = each; allowed; allowed &= allowed - 1, rank -= weight) {
            value = (int)combgpu_lowest_bit64(allowed);
            if (SET_FAMILY == SET_DERANGEMENT) {
                open = at->unused & ~((u64)1 << value) & ~(((u64)2 << i) - 1);
                weight = SET_DERANGEMENTS(SET_N - 1 - i, (int)combgpu_popcount64(open));
            }
            if (rank < weight) break;
        }
        combgpu_set_choose(at, i, value);
    }
}

DEVICE void combgpu_set_next_tree(SET_PARAMETERS)
{
    u64 larger = 0;
    int i = SET_LENGTH;
    while (i < SET_LENGTH || !larger) {
        if (larger) {
            combgpu_set_choose(at, i++, (int)combgpu_lowest_bit64(larger));
            larger = i < SET_LENGTH ? combgpu_set_allowed(tables, at, i) : 1;
        } else {
            int value;
            if (!i) return;
            value = at->perm[--i];
            at->unused |= (u64)1 << value;
            at->place[value] = SET_FREE;
            larger = combgpu_set_allowed(tables, at, i) & ~(((u64)2 << value) - 1);
        }
    }
}

/* To the member of a rank. */
DEVICE void combgpu_set_unrank(SET_PARAMETERS, u64 rank)
{
    u64 all = SET_COUNT, part = 0, rest;
    int i, v;
    at->rank = rank;
    at->unused = ~(u64)0 >> (64 - SET_N);
    for (i = 0; i < SET_MOST; i++)
        at->place[i] = SET_FAMILY == SET_MULTISET ? SET_REPEATS[i] : SET_FREE;
    if (SET_FAMILY == SET_ALL) {
        combgpu_unrank(SET_N, rank, at->perm);
    } else if (SET_FAMILY == SET_MULTISET) {
        for (i = 0; i < SET_LENGTH; i++, all = part) {
            for (v = 0; v < SET_N - 1; v++, rank -= part) {
                part = combgpu_set_scale(all, at->place[v], (u32)(SET_LENGTH - i));
                if (rank < part) break;
            }
            if (v == SET_N - 1) part = combgpu_set_scale(all, at->place[v], (u32)(SET_LENGTH - i));
            at->perm[i] = (u8)v;
            at->place[v]--;
        }
    } else if (SET_FAMILY == SET_COMBINATION) {
        for (i = v = 0; i < SET_K && v < SET_N; v++) {
            part = combgpu_set_scale(all, (u32)(SET_K - i), (u32)(SET_N - v));
            if (rank < part) {
                at->perm[i++] = (u8)v;
                all = part;
            } else {
                rank -= part;
                all -= part;
            }
        }
    } else if (SET_FAMILY == SET_GRAY) {
        for (v = SET_N; v; v--) {
            i = (int)(rank % (u32)v);
            rank /= (u32)v;
            if (!(rank & 1)) i = v - 1 - i;
            for (rest = at->unused; i; i--)
                rest &= rest - 1;
            at->perm[combgpu_lowest_bit64(rest)] = (u8)(v - 1);
            at->unused &= ~(rest & (0 - rest));
        }
    } else
        combgpu_set_unrank_tree(tables, at, rank);
}

/* To the next member. */
DEVICE void combgpu_set_next(SET_PARAMETERS)
{
    u64 rank = ++at->rank;
    int i, v;
    if ((1u << SET_FAMILY) & (1u << SET_ALL | 1u << SET_MULTISET | 1u << SET_CIRCULAR)) {
        combgpu_next_permutation(SET_LENGTH, at->perm);
    } else if (SET_FAMILY == SET_COMBINATION) {
        for (i = SET_K - 1; i >= 0 && at->perm[i] == SET_N - SET_K + i;)
            i--;
        if (i < 0) return;
        for (at->perm[i]++; ++i < SET_K;)
            at->perm[i] = (u8)(at->perm[i - 1] + 1);
    } else if (SET_FAMILY == SET_GRAY) {
        for (v = SET_N; v && rank % (u32)v == 0; v--)
            rank /= (u32)v;
        if (!v) return;
        for (i = 0; at->perm[i] != v - 1;)
            i++;
        if (!(rank / (u32)v & 1)) i--;
        v = at->perm[i];
        at->perm[i] = at->perm[i + 1];
        at->perm[i + 1] = (u8)v;
    } else
        combgpu_set_next_tree(tables, at);
}

