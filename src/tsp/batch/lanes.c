/* Solves a batch on a CPU with vectors: Held-Karp for as many instances at once as a vector has
   lanes. Every entry of the table is a vector, an instance's costs in one lane, so no lane idles.
   Lanes with fewer cities hold garbage in the entries for the others' extra cities, and never read
   it. */

#ifdef COMBGPU__X86
#define COMBGPU__BATCH_LANES_MOST 32 /* lanes of the widest vector */

/* A worker's table and the instances that share it. f(c, T) is entry base[T] + the number of cities
   below c outside T: the entries for members of T take no room. */
typedef struct combgpu__batch_group {
    int lanes; /* of the group, at most */
    int count; /* instances in it */
    int m;     /* middle cities of the largest */
    int based; /* base[] is for this m */
    const void *numbers[COMBGPU__BATCH_LANES_MOST];
    uint64_t number[COMBGPU__BATCH_LANES_MOST], order[COMBGPU__BATCH_LANES_MOST];
    int64_t length[COMBGPU__BATCH_LANES_MOST];
} combgpu__batch_group;

/* A worker's memory: base[], the vectors of first, last and legs, the table. */
#define COMBGPU__BATCH_VECTOR 64
COMBGPU__PRIVATE size_t combgpu__batch_lanes_bytes(int most)
{
    return ((size_t)4 << most) + COMBGPU__BATCH_VECTOR * (1 + (size_t)most * ((size_t)most + 2) +
                                                          ((size_t)most << most) / 2 + 1);
}

COMBGPU__PRIVATE void combgpu__batch_base(combgpu__batch_group *group, uint32_t *base)
{
    uint32_t set, at = 0;
    if (group->based == group->m) return;
    group->based = group->m;
    for (set = 0; set >> group->m == 0; set++) {
        base[set] = at;
        at += (uint32_t)(group->m - combgpu__popcount64(set));
    }
}

/* Defines NAME_table, which fills in the table for costs of one width in vectors V. */
#define COMBGPU__BATCH_LANES_TABLE(name, target, V, COST, LOAD, STORE, ADD, MIN)                   \
    /* f(c, set) for one or two cities outside the set. */                                         \
    static inline target void name##_entries(const COST *const *rows, const int *members, int k,   \
                                             const COST *legs, const COST *more, COST *to,         \
                                             COST *next)                                           \
    {                                                                                              \
        enum { LANES = sizeof(V) / sizeof(COST) };                                                 \
        V row = LOAD(rows[0]);                                                                     \
        V a = ADD(row, LOAD(legs + members[0] * LANES));                                           \
        V b = ADD(row, LOAD(more + members[0] * LANES));                                           \
        int j;                                                                                     \
        for (j = 1; j < k; j++) {                                                                  \
            V other_a, other_b;                                                                    \
            row = LOAD(rows[j]);                                                                   \
            other_a = ADD(row, LOAD(legs + members[j] * LANES));                                   \
            other_b = ADD(row, LOAD(more + members[j] * LANES));                                   \
            a = MIN(a, other_a);                                                                   \
            b = MIN(b, other_b);                                                                   \
        }                                                                                          \
        STORE(to, a);                                                                              \
        STORE(next, b);                                                                            \
    }                                                                                              \
                                                                                                   \
    static target void name##_table(const combgpu__batch_group *group, const uint32_t *base,       \
                                    const COST *legs, const COST *last, COST *f)                   \
    {                                                                                              \
        enum { LANES = sizeof(V) / sizeof(COST) };                                                 \
        int m = group->m, c, k, outside, j;                                                        \
        uint32_t set, rest;                                                                        \
        memcpy(f, last, (size_t)m * sizeof(V));                                                    \
        for (set = 1; set + 1 < 1u << m; set++) {                                                  \
            const COST *rows[COMBGPU__BATCH_MOST];                                                 \
            int members[COMBGPU__BATCH_MOST], others[COMBGPU__BATCH_MOST + 1];                     \
            COST *to = f + (size_t)base[set] * LANES;                                              \
            for (k = outside = c = 0; c < m; c++) {                                                \
                others[outside] = members[k] = c;                                                  \
                rows[k] = f + (base[set & ~(1u << c)] + (uint32_t)outside) * LANES;                \
                rest = set >> c & 1;                                                               \
                k += (int)rest;                                                                    \
                outside += 1 - (int)rest;                                                          \
            }                                                                                      \
            if (outside & 1) others[outside] = others[outside - 1];                                \
            for (j = 0; j < outside; j += 2)                                                       \
                name##_entries(rows, members, k, legs + others[j] * m * LANES,                     \
                               legs + others[j + 1] * m * LANES, to + j * LANES,                   \
                               to + (j + 1 < outside ? j + 1 : j) * LANES);                        \
        }                                                                                          \
    }

/* Around the table, for costs of one width and vectors of any: once for all of them. */
#define COMBGPU__BATCH_LANES_COST(name, COST, NUMBER)                                              \
    /* Finds the order of one lane: at each place the smallest city that continues optimally. */   \
    static COMBGPU__AVX2 void name##_order(combgpu__batch_group *group, int at, int lane,          \
                                           int lanes, const uint32_t *base, const COST *first,     \
                                           const COST *legs)                                       \
    {                                                                                              \
        int own = (int)*(const NUMBER *)group->numbers[at], m = group->m, before = -1;             \
        const COST *f = legs + m * m * lanes;                                                      \
        uint32_t rest = (1u << own) - 1;                                                           \
        int place, c;                                                                              \
        group->order[at] = 0;                                                                      \
        for (place = 0; place < own; place++) {                                                    \
            uint64_t best = UINT64_MAX;                                                            \
            uint32_t left = rest;                                                                  \
            int chosen = 0;                                                                        \
            for (; left; left &= left - 1) {                                                       \
                uint32_t after, below;                                                             \
                uint64_t cost;                                                                     \
                c = combgpu__lowest_bit64(left);                                                   \
                after = rest & ~(1u << c);                                                         \
                below = (uint32_t)c - (uint32_t)combgpu__popcount64(after & ((1u << c) - 1));      \
                cost = (uint64_t)(before < 0 ? first[c * lanes + lane]                             \
                                             : legs[(before * m + c) * lanes + lane]) +            \
                       (uint64_t)f[(base[after] + below) * (uint32_t)lanes + (uint32_t)lane];      \
                if (cost >= best) continue;                                                        \
                best = cost;                                                                       \
                chosen = c;                                                                        \
            }                                                                                      \
            if (!place) group->length[at] = (int64_t)best;                                         \
            group->order[at] |= (uint64_t)chosen << 4 * place;                                     \
            rest &= ~(1u << chosen);                                                               \
            before = chosen;                                                                       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Solves the group's instances at .. end - 1: lengths and orders. */                          \
    static COMBGPU__AVX2 void name(combgpu__batch_group *group, int at, int end, int most,         \
                                   void *memory, int lanes,                                        \
                                   void (*table)(const combgpu__batch_group *, const uint32_t *,   \
                                                 const COST *, const COST *, COST *))              \
    {                                                                                              \
        uint32_t *base = (uint32_t *)memory;                                                       \
        COST *first = (COST *)(void *)(base + ((size_t)1 << most)), *last, *legs;                  \
        int m = group->m, lane, i, c;                                                              \
        combgpu__batch_base(group, base);                                                          \
        last = first + m * lanes;                                                                  \
        legs = last + m * lanes;                                                                   \
        for (lane = 0; lane < lanes; lane++) {                                                     \
            const NUMBER *from = (const NUMBER *)group->numbers[at + lane < end ? at + lane : at]; \
            if (*from == 0 && at + lane < end) group->length[at + lane] = (int64_t)from[1];        \
            for (c = 0; c < m; c++) {                                                              \
                first[c * lanes + lane] = (COST)from[1 + c];                                       \
                last[c * lanes + lane] = (COST)from[1 + most + c];                                 \
            }                                                                                      \
            for (i = 0; i < m; i++)                                                                \
                for (c = 0; c < m; c++)                                                            \
                    legs[(i * m + c) * lanes + lane] = (COST)from[1 + (2 + i) * most + c];         \
        }                                                                                          \
        table(group, base, legs, last, legs + m * m * lanes);                                      \
        for (lane = 0; at + lane < end; lane++)                                                    \
            name##_order(group, at + lane, lane, lanes, base, first, legs);                        \
    }

#define COMBGPU__LOAD512(p) _mm512_loadu_si512((const void *)(p))
#define COMBGPU__STORE512(p, x) _mm512_storeu_si512((void *)(p), x)
/* 64-bit numbers lack this minimum; costs are far from overflow. */
#define COMBGPU__MIN256_64(x, y) _mm256_blendv_epi8(x, y, _mm256_cmpgt_epi64(x, y))

COMBGPU__BATCH_LANES_TABLE(combgpu__batch_avx2_16, COMBGPU__AVX2, __m256i, uint16_t, COMBGPU__LOAD,
                           COMBGPU__STORE, _mm256_add_epi16, _mm256_min_epu16)
COMBGPU__BATCH_LANES_TABLE(combgpu__batch_avx2_32, COMBGPU__AVX2, __m256i, uint32_t, COMBGPU__LOAD,
                           COMBGPU__STORE, _mm256_add_epi32, _mm256_min_epu32)
COMBGPU__BATCH_LANES_TABLE(combgpu__batch_avx2_64, COMBGPU__AVX2, __m256i, int64_t, COMBGPU__LOAD,
                           COMBGPU__STORE, _mm256_add_epi64, COMBGPU__MIN256_64)
COMBGPU__BATCH_LANES_TABLE(combgpu__batch_avx512_16, COMBGPU__AVX512, __m512i, uint16_t,
                           COMBGPU__LOAD512, COMBGPU__STORE512, _mm512_add_epi16, _mm512_min_epu16)
COMBGPU__BATCH_LANES_TABLE(combgpu__batch_avx512_32, COMBGPU__AVX512, __m512i, uint32_t,
                           COMBGPU__LOAD512, COMBGPU__STORE512, _mm512_add_epi32, _mm512_min_epu32)
COMBGPU__BATCH_LANES_TABLE(combgpu__batch_avx512_64, COMBGPU__AVX512, __m512i, int64_t,
                           COMBGPU__LOAD512, COMBGPU__STORE512, _mm512_add_epi64, _mm512_min_epi64)

COMBGPU__BATCH_LANES_COST(combgpu__batch_lanes_16, uint16_t, uint32_t)
COMBGPU__BATCH_LANES_COST(combgpu__batch_lanes_32, uint32_t, uint32_t)
COMBGPU__BATCH_LANES_COST(combgpu__batch_lanes_64, int64_t, int64_t)
#endif
