/* Searches: what a lane knows of its search, and what it does with a leaf. */
#if defined(COMBGPU_SEARCHER) || defined(__CUDACC__)
/* combgpu_search_goal for OpenCL, which lacks the API; what prunes (src/api/searcher.h) */
#define COMBGPU__PERM_SEARCH_FIRST 1u
#define COMBGPU__PERM_SEARCH_MINIMUM 2u
#define COMBGPU__PERM_SEARCH_MAXIMUM 3u
#define COMBGPU__PERM_SEARCH_SUM 4u
#define COMBGPU__PERM_SEARCH_HISTOGRAM 5u
#define COMBGPU__PERM_SEARCH_BELOW 2u
#define COMBGPU__PERM_SEARCH_LATER 3u
#define COMBGPU__PERM_SEARCH_NO_KEY ((int64_t)(~(uint64_t)0 >> 1)) /* the largest */
/* Reads the hint, which others may just have lowered; see COMBGPU__STOPPED. */
#ifdef COMBGPU_RACE_CHECK
#define COMBGPU__PERM_SEARCH_HINT(work) COMBGPU__ATOMIC_OR(work, 0)
#else
#define COMBGPU__PERM_SEARCH_HINT(work) (*(volatile COMBGPU__GLOBAL uint32_t *)(work))
#endif

/* The data common to all tasks of a lane, and its results. */
typedef struct combgpu_perm_search_t {
    COMBGPU__GLOBAL const uint8_t *data, *order, *rank;
    int n, length;
    uint32_t goal, family, multi, ordered, prunes;
    int64_t key;    /* of the best member this lane knows; smaller is better */
    uint32_t known; /* the member itself: 0 = tables have it, 1 = best[] */
    uint64_t hits, hash, outside, sum[4];
} combgpu_perm_search_t;

COMBGPU__DEVICE void combgpu_perm_search_read_tables(combgpu_perm_search_t *t,
                                                     COMBGPU__GLOBAL const uint32_t *tables,
                                                     int plain)
{
    t->data = (COMBGPU__GLOBAL const uint8_t *)(tables + tables[COMBGPU__PERM_SEARCH_AT_DATA]);
    t->order = (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_ORDER);
    t->rank = (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_RANK);
    t->n = (int)tables[COMBGPU__PERM_SEARCH_AT_N];
    t->length = (int)tables[COMBGPU__PERM_SEARCH_AT_LENGTH];
    t->goal = tables[COMBGPU__PERM_SEARCH_AT_GOAL];
    t->family = tables[COMBGPU__PERM_SEARCH_AT_FAMILY];
    t->multi = plain ? 0 : tables[COMBGPU__PERM_SEARCH_AT_MULTI];
    t->ordered = plain ? 0 : tables[COMBGPU__PERM_SEARCH_AT_ORDERED];
    t->prunes = plain ? 0 : tables[COMBGPU__PERM_SEARCH_AT_PRUNES];
    t->key = (int64_t)combgpu_load64(tables + COMBGPU__PERM_SEARCH_AT_KEY);
    t->known = 0;
    t->hits = t->hash = t->outside = t->sum[0] = t->sum[1] = t->sum[2] = t->sum[3] = 0;
}

/* As combgpu__perm_search_open (src/api/searcher.h). */
COMBGPU__DEVICE uint64_t combgpu_perm_search_open(const combgpu_perm_search_t *t,
                                                  COMBGPU__LOCAL const uint8_t *perm, int place,
                                                  uint64_t available)
{
    if (t->family == COMBGPU__SET_COMBINATION) {
        if (place) available &= ~(uint64_t)1 << perm[place - 1];
        return available & ~(uint64_t)0 >> (64 - (t->n - t->length + place + 1));
    }
    if (t->family == COMBGPU__SET_DERANGEMENT) return available & ~((uint64_t)1 << place);
    if (t->family == COMBGPU__SET_CIRCULAR && !place) return 1;
    return available;
}

/* As combgpu__perm_search_hint (search/collect.c). */
COMBGPU__DEVICE uint32_t combgpu_perm_search_hint(int64_t key)
{
    const int64_t most = 0x7fffffff;
    return key <= -most - 1 ? 0 : key >= most ? 0xffffffffu : (uint32_t)key ^ 0x80000000u;
}

#if defined(__CUDACC__) || defined(__ENDIAN_LITTLE__)
#define COMBGPU__PERM_SEARCH_WORD(x) (x)
#else
#define COMBGPU__PERM_SEARCH_WORD(x) as_uint(as_uchar4(x).wzyx)
#endif
/* As combgpu__perm_search_hash (search/state.c). The bytes after the last one are 0. */
COMBGPU__DEVICE uint64_t combgpu_perm_search_hash(COMBGPU__LOCAL const uint32_t *row, int length)
{
    uint64_t hash = (uint64_t)length;
    int i = 0;
    do
        hash = combgpu_mix(hash ^ (COMBGPU__PERM_SEARCH_WORD(row[i]) |
                                   (uint64_t)COMBGPU__PERM_SEARCH_WORD(row[i + 1]) << 32));
    while ((i += 2) * 4 < length);
    return hash;
}

/* Nonzero if perm[0 .. place] comes after the best member, in the order of ranks. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_later(COMBGPU__GLOBAL const uint32_t *tables,
                                                   const combgpu_perm_search_t *t,
                                                   COMBGPU__LOCAL const uint8_t *perm,
                                                   const uint8_t *best, int place)
{
    COMBGPU__GLOBAL const uint8_t *tables_best =
        (COMBGPU__GLOBAL const uint8_t *)(tables + COMBGPU__PERM_SEARCH_AT_BEST);
    int i;
    for (i = 0; i <= place; i++) {
        uint8_t rank = t->rank[perm[i]], other = t->known ? best[i] : tables_best[i];
        if (rank != other) return rank > other;
    }
    return 0;
}

/* A bin's count in global memory: 64 bits by 32-bit atomics. */
COMBGPU__DEVICE void combgpu_perm_search_bin(COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL uint32_t *work,
                                             combgpu_perm_search_t *t, int64_t value)
{
    int64_t first = (int64_t)combgpu_load64(tables + COMBGPU__PERM_SEARCH_AT_FIRST);
    uint64_t bin = (uint64_t)value - (uint64_t)first;
    bin /= combgpu_load64(tables + COMBGPU__PERM_SEARCH_AT_WIDTH);
    if (value < first || bin >= tables[COMBGPU__PERM_SEARCH_AT_BINS])
        t->outside++;
    else if (COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin, 1) == 0xffffffffu)
        COMBGPU__ATOMIC_ADD(work + 2 * (uint32_t)bin + 1, 1);
}

/* Stores a record; returns 0 without room. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_emit(COMBGPU__GLOBAL combgpu__slice *slice,
                                                  COMBGPU__GLOBAL uint32_t *records,
                                                  COMBGPU__LOCAL const uint8_t *perm, int length,
                                                  int64_t value)
{
    uint32_t at = combgpu_emit(slice), word = 0;
    int i;
    if (at == COMBGPU__NONE) return 0;
    records += (uint64_t)at * slice->record_words;
    for (i = 0; i < length; i++) {
        word |= (uint32_t)perm[i] << i % 4 * 8;
        if (i % 4 == 3 || i == length - 1) {
            records[i / 4] = word;
            word = 0;
        }
    }
    combgpu_store64(records + (length + 3) / 4, (uint64_t)value);
    return 1;
}

/* Takes a leaf. Returns 0 if its record finds no room. */
COMBGPU__DEVICE uint32_t combgpu_perm_search_leaf_of(
    COMBGPU__GLOBAL combgpu__slice *slice, COMBGPU__GLOBAL const uint32_t *tables,
    COMBGPU__GLOBAL uint32_t *records, COMBGPU__GLOBAL uint32_t *work, combgpu_perm_search_t *t,
    COMBGPU__LOCAL const uint8_t *perm, uint8_t *best, int64_t value)
{
    if (t->goal == COMBGPU__PERM_SEARCH_SUM || t->goal == COMBGPU__PERM_SEARCH_HISTOGRAM) {
        t->hits++;
        if (t->goal == COMBGPU__PERM_SEARCH_HISTOGRAM)
            combgpu_perm_search_bin(tables, work, t, value);
        else {
            t->sum[0] += (uint64_t)value & 65535;
            t->sum[1] += (uint64_t)value >> 16 & 65535;
            t->sum[2] += (uint64_t)value >> 32 & 65535;
            t->sum[3] += ((uint64_t)value >> 48) - (value < 0 ? 65536u : 0u);
        }
    } else if (t->goal == COMBGPU__PERM_SEARCH_MINIMUM || t->goal == COMBGPU__PERM_SEARCH_MAXIMUM ||
               t->goal == COMBGPU__PERM_SEARCH_FIRST) {
        int64_t key = t->goal == COMBGPU__PERM_SEARCH_MAXIMUM ? ~value : value;
        uint32_t hint;
        int i;
        if (t->goal == COMBGPU__PERM_SEARCH_FIRST) {
            if (!value) return 1;
            key = 0;
        }
        hint = combgpu_perm_search_hint(key);
        if (key > t->key || hint > COMBGPU__PERM_SEARCH_HINT(work)) return 1;
        if (key == t->key && combgpu_perm_search_later(tables, t, perm, best, t->length - 1))
            return 1;
        if (!combgpu_perm_search_emit(slice, records, perm, t->length, value)) return 0;
        COMBGPU__ATOMIC_MIN(work, hint);
        t->key = key;
        t->known = 1;
        for (i = 0; i < t->length; i++)
            best[i] = t->rank[perm[i]];
    } else if (value) {
        if (tables[COMBGPU__PERM_SEARCH_AT_LIST])
            return combgpu_perm_search_emit(slice, records, perm, t->length, value);
        t->hits++;
        t->hash += combgpu_perm_search_hash((COMBGPU__LOCAL const uint32_t *)perm, t->length);
    }
    return 1;
}
#endif /* searcher */
