/* ---- the expansion of COMBGPU_PERM_SEARCH, which callers' files must see

   Each part becomes a function for host and CUDA device, and a string for OpenCL. The depth-first
   walk is compiled here, too, once for each set of callbacks, to inline their parts. */

#define COMBGPU__PERM_SEARCH_MOST 64  /* places and values */
#define COMBGPU__PERM_SEARCH_STATE 64 /* bytes */
/* combgpu_perm_searcher.parts */
#define COMBGPU__PERM_SEARCH_HAS_BOUND 1
#define COMBGPU__PERM_SEARCH_HAS_LEAF 2
/* What prunes: nothing, a lower bound, an upper bound, an earlier hit. */
#define COMBGPU__PERM_SEARCH_PRUNES_ABOVE 1
#define COMBGPU__PERM_SEARCH_PRUNES_BELOW 2
#define COMBGPU__PERM_SEARCH_PRUNES_LATER 3

/* A CPU worker's walk through the tree. */
typedef struct combgpu__perm_search_walk {
    const unsigned char *data;
    int n, length, family;
    int is_multi;   /* values have repeats */
    int is_ordered; /* order[] is not ascending */
    int prunes;
    int base, place;    /* of the task; of the walk: positions 0 .. place-1 are filled */
    uint64_t available; /* values still available */
    uint64_t steps;     /* the walk's budget; run subtracts the steps taken */
    uint64_t todo[COMBGPU__PERM_SEARCH_MOST]; /* values to try at positions base .. place */
    unsigned char perm[COMBGPU__PERM_SEARCH_MOST];
    unsigned char left[COMBGPU__PERM_SEARCH_MOST]; /* is_multi: how many of each value are left */
    unsigned char repeats[COMBGPU__PERM_SEARCH_MOST];
    unsigned char order[COMBGPU__PERM_SEARCH_MOST],
        rank[COMBGPU__PERM_SEARCH_MOST]; /* rank[order[i]] = i */
    int64_t best_key; /* smaller is better: the best value, or the complement of the greatest */
    unsigned char best[COMBGPU__PERM_SEARCH_MOST]; /* the ranks of its elements */
    int asks_bounds;   /* combgpu_perm_searcher.go asks `bound` at each position ... */
    int64_t bound_key; /* ... and keeps the key of the strongest here, */
    int bound_places;  /* with the number of positions filled then */
    /* takes the complete perm with its value; returns nonzero if it lacks room */
    int (*leaf)(struct combgpu__perm_search_walk *walk, int64_t value);
    void *user;
} combgpu__perm_search_walk;

/* For callbacks: the number of 1 bits in x; the index of the lowest (x is not 0). */
COMBGPU__VISITOR_FUNCTION int combgpu_bit_count(uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __popcll(x);
#elif defined(__GNUC__)
    return __builtin_popcountll(x);
#else
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
#endif
}

COMBGPU__VISITOR_FUNCTION int combgpu_lowest_bit(uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __ffsll((long long)x) - 1;
#elif defined(__GNUC__)
    return __builtin_ctzll(x);
#else
    int n = 0;
    for (; !(x & 1); x >>= 1)
        n++;
    return n;
#endif
}

/* The values that a set allows at a position. combgpu_perm_search_open (src/perm/search/solve.cl)
   does the same for kernels. */
COMBGPU__VISITOR_FUNCTION uint64_t combgpu__perm_search_open(const combgpu__perm_search_walk *walk,
                                                             const unsigned char *perm, int place,
                                                             uint64_t available)
{
    switch (walk->family) {
    case COMBGPU_PERM_COMBINATION: /* ascending, leaving enough for later positions */
        if (place) available &= ~(uint64_t)1 << perm[place - 1];
        return available & ~(uint64_t)0 >> (64 - (walk->n - walk->length + place + 1));
    case COMBGPU_PERM_DERANGEMENT:
        return available & ~((uint64_t)1 << place);
    case COMBGPU_PERM_CIRCULAR:
        return place ? available : 1;
    default:
        return available;
    }
}

COMBGPU__VISITOR_FUNCTION int combgpu__perm_search_next(const combgpu__perm_search_walk *walk,
                                                        uint64_t todo)
{
    int i = 0;
    if (!walk->is_ordered) return combgpu_lowest_bit(todo);
    while (!(todo >> walk->order[i] & 1))
        i++;
    return walk->order[i];
}

/* Nonzero if no completion of perm[0 .. place], with this bound, is better than the best, or as good
   and earlier. */
COMBGPU__VISITOR_FUNCTION int combgpu__perm_search_beaten(const combgpu__perm_search_walk *walk,
                                                          const unsigned char *perm, int place,
                                                          int64_t bound)
{
    int64_t key = walk->prunes == COMBGPU__PERM_SEARCH_PRUNES_BELOW ? ~bound : bound;
    int i;
    if (key != walk->best_key) return key > walk->best_key;
    for (i = 0; i <= place; i++)
        if (walk->rank[perm[i]] != walk->best[i]) return walk->rank[perm[i]] > walk->best[i];
    return 0;
}

COMBGPU__VISITOR_FUNCTION void combgpu__perm_search_use(combgpu__perm_search_walk *walk,
                                                        uint64_t *available, int value)
{
    if (!walk->is_multi || !--walk->left[value]) *available &= ~((uint64_t)1 << value);
}

COMBGPU__VISITOR_FUNCTION void combgpu__perm_search_free(combgpu__perm_search_walk *walk,
                                                         uint64_t *available, int value)
{
    if (walk->is_multi) walk->left[value]++;
    *available |= (uint64_t)1 << value;
}

COMBGPU__VISITOR_FUNCTION void combgpu__perm_search_keep_bound(combgpu__perm_search_walk *walk,
                                                               int64_t key, int places)
{
    if (places > 1 && key <= walk->bound_key) return;
    walk->bound_key = key;
    walk->bound_places = places;
}

/* Returns to before the first position. */
COMBGPU__VISITOR_FUNCTION void combgpu__perm_search_reset(combgpu__perm_search_walk *walk)
{
    int i;
    walk->place = walk->base = 0;
    walk->available = 0;
    for (i = 0; i < walk->n; i++) {
        walk->left[i] = walk->repeats[i];
        if (walk->repeats[i]) walk->available |= (uint64_t)1 << i;
    }
}

/* ---- the parts of callbacks: picks one body from the arguments step({ ... }), ..., or its default
   if missing */

#define COMBGPU__PART_state_state(...) , (__VA_ARGS__),
#define COMBGPU__PART_begin_begin(...) , (__VA_ARGS__),
#define COMBGPU__PART_allowed_allowed(...) , (__VA_ARGS__),
#define COMBGPU__PART_step_step(...) , (__VA_ARGS__),
#define COMBGPU__PART_bound_bound(...) , (__VA_ARGS__),
#define COMBGPU__PART_leaf_leaf(...) , (__VA_ARGS__),
/* how often each part occurs, four bits each */
#define COMBGPU__COUNT_none(...)
#define COMBGPU__COUNT_state(...) +1L
#define COMBGPU__COUNT_begin(...) +0x10L
#define COMBGPU__COUNT_allowed(...) +0x100L
#define COMBGPU__COUNT_step(...) +0x1000L
#define COMBGPU__COUNT_bound(...) +0x10000L
#define COMBGPU__COUNT_leaf(...) +0x100000L
#define COMBGPU__TWICE 0xeeeeeeL
/* empty for a known part; else the word's name, COMBGPU__KNOWN_word */
#define COMBGPU__KNOWN_none(...)
#define COMBGPU__KNOWN_state(...)
#define COMBGPU__KNOWN_begin(...)
#define COMBGPU__KNOWN_allowed(...)
#define COMBGPU__KNOWN_step(...)
#define COMBGPU__KNOWN_bound(...)
#define COMBGPU__KNOWN_leaf(...)

#define COMBGPU__SECOND(...) COMBGPU__SECOND_OF(__VA_ARGS__)
#define COMBGPU__SECOND_OF(a, b, ...) b
#define COMBGPU__PART(part, otherwise, a, b, c, d, e, f)                                           \
    COMBGPU__SECOND(                                                                               \
        ~COMBGPU__PART_##part##_##a COMBGPU__PART_##part##_##b COMBGPU__PART_##part##_##c          \
            COMBGPU__PART_##part##_##d COMBGPU__PART_##part##_##e COMBGPU__PART_##part##_##f,      \
        otherwise, ~)
#define COMBGPU__COUNT(a, b, c, d, e, f)                                                           \
    (0L COMBGPU__COUNT_##a COMBGPU__COUNT_##b COMBGPU__COUNT_##c COMBGPU__COUNT_##d                \
         COMBGPU__COUNT_##e COMBGPU__COUNT_##f)
#define COMBGPU__KNOWN(a, b, c, d, e, f)                                                           \
    COMBGPU__KNOWN_##a COMBGPU__KNOWN_##b COMBGPU__KNOWN_##c COMBGPU__KNOWN_##d COMBGPU__KNOWN_##e \
        COMBGPU__KNOWN_##f
#define COMBGPU__BARE(...) __VA_ARGS__
#define COMBGPU__TEXT(...) COMBGPU__TEXT_OF(__VA_ARGS__)
#define COMBGPU__TEXT_OF(...) #__VA_ARGS__

#define COMBGPU__PERM_SEARCH(NAME, a, b, c, d, e, f, ...)                                          \
    typedef char NAME##_has_a_part_that_is_no_state_begin_allowed_step_bound_or_leaf               \
        [sizeof(COMBGPU__TEXT(COMBGPU__KNOWN(a, b, c, d, e, f))) == 1 ? 1 : -1];                   \
    typedef char                                                                                   \
        NAME##_has_a_part_twice[COMBGPU__COUNT(a, b, c, d, e, f) & COMBGPU__TWICE ? -1 : 1];       \
    COMBGPU__PERM_SEARCH_FORMS(                                                                    \
        NAME, COMBGPU__PART(state, ({ int32_t none; }), a, b, c, d, e, f),                         \
        COMBGPU__PART(begin, ({}), a, b, c, d, e, f),                                              \
        COMBGPU__PART(allowed, ({ return ~(uint64_t)0; }), a, b, c, d, e, f),                      \
        COMBGPU__PART(step, ({ return 1; }), a, b, c, d, e, f),                                    \
        COMBGPU__PART(bound, ({ return 0; }), a, b, c, d, e, f),                                   \
        COMBGPU__PART(leaf, ({ return 1; }), a, b, c, d, e, f),                                    \
        (COMBGPU__COUNT(a, b, c, d, e, f) >> 16 & 1),                                              \
        (COMBGPU__COUNT(a, b, c, d, e, f) >> 20 & 1))
#define COMBGPU__PERM_SEARCH_FORMS(NAME, STATE, BEGIN, ALLOWED, STEP, BOUND, LEAF, HAS_BOUND,      \
                                   HAS_LEAF)                                                       \
    typedef struct NAME##_state COMBGPU__BARE STATE NAME##_state;                                  \
    typedef char NAME##_state_is_larger_than_64_bytes                                              \
        [sizeof(NAME##_state) <= COMBGPU__PERM_SEARCH_STATE ? 1 : -1];                             \
    COMBGPU__PERM_SEARCH_PARTS(NAME, BEGIN, ALLOWED, STEP, BOUND, LEAF)                            \
    COMBGPU__PERM_SEARCH_RUN(NAME)                                                                 \
    COMBGPU__PERM_SEARCH_GO(NAME)                                                                  \
    COMBGPU__PERM_SEARCH_CUDA_FUNCTOR(NAME, HAS_BOUND)                                             \
    static const combgpu_perm_searcher NAME = {                                                    \
        #NAME,                                                                                     \
        HAS_BOUND * COMBGPU__PERM_SEARCH_HAS_BOUND + HAS_LEAF * COMBGPU__PERM_SEARCH_HAS_LEAF,     \
        NAME##_run,                                                                                \
        NAME##_go,                                                                                 \
        {COMBGPU__TEXT STATE, COMBGPU__TEXT BEGIN, COMBGPU__TEXT ALLOWED, COMBGPU__TEXT STEP,      \
         COMBGPU__TEXT BOUND, COMBGPU__TEXT LEAF},                                                 \
        {COMBGPU__PERM_SEARCH_CUDA_KERNEL(NAME, 24, 1),                                            \
         COMBGPU__PERM_SEARCH_CUDA_KERNEL(NAME, 24, 0),                                            \
         COMBGPU__PERM_SEARCH_CUDA_KERNEL(NAME, 64, 0)}};

/* ---- C and CUDA */

#define COMBGPU__PERM_SEARCH_PARTS(NAME, BEGIN, ALLOWED, STEP, BOUND, LEAF)                        \
    COMBGPU__VISITOR_FUNCTION void NAME##_begin(int n, int length, NAME##_state *state,            \
                                                const unsigned char *data)                         \
    {                                                                                              \
        (void)n, (void)length, (void)state, (void)data;                                            \
        COMBGPU__BARE BEGIN                                                                        \
    }                                                                                              \
    COMBGPU__VISITOR_FUNCTION uint64_t NAME##_allowed(const unsigned char *perm, int place, int n, \
                                                      int length, const NAME##_state *state,       \
                                                      const unsigned char *data)                   \
    {                                                                                              \
        (void)perm, (void)place, (void)n, (void)length, (void)state, (void)data;                   \
        COMBGPU__BARE ALLOWED                                                                      \
    }                                                                                              \
    COMBGPU__VISITOR_FUNCTION int NAME##_step(const unsigned char *perm, int place, int value,     \
                                              int n, int length, NAME##_state *state,              \
                                              const unsigned char *data)                           \
    {                                                                                              \
        (void)perm, (void)place, (void)value, (void)n, (void)length, (void)state, (void)data;      \
        COMBGPU__BARE STEP                                                                         \
    }                                                                                              \
    COMBGPU__VISITOR_FUNCTION int64_t NAME##_bound(                                                \
        const unsigned char *perm, int place, int value, int n, int length,                        \
        const NAME##_state *state, const unsigned char *data, int64_t best)                        \
    {                                                                                              \
        (void)perm, (void)place, (void)value, (void)n, (void)length, (void)state, (void)data,      \
            (void)best;                                                                            \
        COMBGPU__BARE BOUND                                                                        \
    }                                                                                              \
    COMBGPU__VISITOR_FUNCTION int64_t NAME##_leaf(const unsigned char *perm, int n, int length,    \
                                                  const NAME##_state *state,                       \
                                                  const unsigned char *data)                       \
    {                                                                                              \
        (void)perm, (void)n, (void)length, (void)state, (void)data;                                \
        COMBGPU__BARE LEAF                                                                         \
    }

/* combgpu_perm_searcher.run. Local variables and arrays hold what the walk changes often: no
   pointer of the caller's reaches them, so the compiler keeps them in registers. */
#define COMBGPU__PERM_SEARCH_RUN(NAME)                                                             \
    static void NAME##_run(combgpu__perm_search_walk *walk)                                        \
    {                                                                                              \
        NAME##_state states[COMBGPU__PERM_SEARCH_MOST + 1];                                        \
        unsigned char perm[COMBGPU__PERM_SEARCH_MOST];                                             \
        uint64_t todos[COMBGPU__PERM_SEARCH_MOST];                                                 \
        const unsigned char *data = walk->data;                                                    \
        const int n = walk->n, length = walk->length, base = walk->base, prunes = walk->prunes;    \
        int place = walk->place, i;                                                                \
        uint64_t available = walk->available, todo = walk->todo[place], steps = walk->steps;       \
        memcpy(perm, walk->perm, sizeof perm);                                                     \
        memcpy(todos, walk->todo, sizeof todos);                                                   \
        memset(&states[0], 0, sizeof states[0]);                                                   \
        NAME##_begin(n, length, &states[0], data);                                                 \
        for (i = 0; i < place; i++) {                                                              \
            states[i + 1] = states[i];                                                             \
            (void)NAME##_step(perm, i, perm[i], n, length, &states[i + 1], data);                  \
        }                                                                                          \
        for (;;) {                                                                                 \
            int value;                                                                             \
            while (!todo && place > base) {                                                        \
                place--;                                                                           \
                combgpu__perm_search_free(walk, &available, perm[place]);                          \
                todo = todos[place];                                                               \
            }                                                                                      \
            if (!todo || !steps) break;                                                            \
            value = combgpu__perm_search_next(walk, todo);                                         \
            todo &= ~((uint64_t)1 << value);                                                       \
            steps--;                                                                               \
            perm[place] = (unsigned char)value;                                                    \
            states[place + 1] = states[place];                                                     \
            if (!NAME##_step(perm, place, value, n, length, &states[place + 1], data)) continue;   \
            if (prunes) {                                                                          \
                int64_t bound = 0;                                                                 \
                if (prunes != COMBGPU__PERM_SEARCH_PRUNES_LATER)                                   \
                    bound = NAME##_bound(perm, place, value, n, length, &states[place + 1], data,  \
                                         prunes == COMBGPU__PERM_SEARCH_PRUNES_BELOW               \
                                             ? ~walk->best_key                                     \
                                             : walk->best_key);                                    \
                if (combgpu__perm_search_beaten(walk, perm, place, bound)) continue;               \
            }                                                                                      \
            if (place + 1 == length) {                                                             \
                memcpy(walk->perm, perm, sizeof perm);                                             \
                if (walk->leaf(walk, NAME##_leaf(perm, n, length, &states[place + 1], data))) {    \
                    todo |= (uint64_t)1 << value;                                                  \
                    steps++;                                                                       \
                    break;                                                                         \
                }                                                                                  \
                continue;                                                                          \
            }                                                                                      \
            todos[place++] = todo;                                                                 \
            combgpu__perm_search_use(walk, &available, value);                                     \
            todo = combgpu__perm_search_open(walk, perm, place, available) &                       \
                   NAME##_allowed(perm, place, n, length, &states[place], data);                   \
        }                                                                                          \
        todos[place] = todo;                                                                       \
        memcpy(walk->perm, perm, sizeof perm);                                                     \
        memcpy(walk->todo, todos, sizeof todos);                                                   \
        walk->place = place;                                                                       \
        walk->available = available;                                                               \
        walk->steps = steps;                                                                       \
    }

/* combgpu_perm_searcher.go */
#define COMBGPU__PERM_SEARCH_GO(NAME)                                                              \
    static int NAME##_go(combgpu__perm_search_walk *walk, const unsigned char *perm, int filled,   \
                         uint64_t *allowed, int64_t *value)                                        \
    {                                                                                              \
        NAME##_state state;                                                                        \
        int place;                                                                                 \
        memset(&state, 0, sizeof state);                                                           \
        memset(walk->perm, 0, sizeof walk->perm);                                                  \
        combgpu__perm_search_reset(walk);                                                          \
        NAME##_begin(walk->n, walk->length, &state, walk->data);                                   \
        for (place = 0; place < filled; place++) {                                                 \
            int next = perm[place];                                                                \
            uint64_t open =                                                                        \
                combgpu__perm_search_open(walk, walk->perm, place, walk->available) &              \
                NAME##_allowed(walk->perm, place, walk->n, walk->length, &state, walk->data);      \
            if (next >= walk->n || !(open >> next & 1)) return 0;                                  \
            walk->perm[place] = (unsigned char)next;                                               \
            if (!NAME##_step(walk->perm, place, next, walk->n, walk->length, &state, walk->data))  \
                return 0;                                                                          \
            combgpu__perm_search_use(walk, &walk->available, next);                                \
            if (walk->asks_bounds) {                                                               \
                int is_below = walk->prunes == COMBGPU__PERM_SEARCH_PRUNES_BELOW;                  \
                int64_t key = NAME##_bound(walk->perm, place, next, walk->n, walk->length, &state, \
                                           walk->data, is_below ? INT64_MIN : INT64_MAX);          \
                combgpu__perm_search_keep_bound(walk, is_below ? ~key : key, place + 1);           \
            }                                                                                      \
        }                                                                                          \
        walk->place = walk->base = filled;                                                         \
        if (filled < walk->length)                                                                 \
            *allowed =                                                                             \
                combgpu__perm_search_open(walk, walk->perm, filled, walk->available) &             \
                NAME##_allowed(walk->perm, filled, walk->n, walk->length, &state, walk->data);     \
        else                                                                                       \
            *value = NAME##_leaf(walk->perm, walk->n, walk->length, &state, walk->data);           \
        return 1;                                                                                  \
    }

#if defined(COMBGPU_CUDA) && defined(__CUDACC__)
#define COMBGPU__PERM_SEARCH_CUDA_FUNCTOR(NAME, HAS_BOUND)                                         \
    struct NAME##_functor {                                                                        \
        typedef NAME##_state state_t;                                                              \
        enum { has_bound = HAS_BOUND };                                                            \
        static __device__ __forceinline__ void begin(int n, int length, state_t *state,            \
                                                     const unsigned char *data)                    \
        {                                                                                          \
            NAME##_begin(n, length, state, data);                                                  \
        }                                                                                          \
        static __device__ __forceinline__ uint64_t allowed(const unsigned char *perm, int place,   \
                                                           int n, int length,                      \
                                                           const state_t *state,                   \
                                                           const unsigned char *data)              \
        {                                                                                          \
            return NAME##_allowed(perm, place, n, length, state, data);                            \
        }                                                                                          \
        static __device__ __forceinline__ int step(const unsigned char *perm, int place,           \
                                                   int value, int n, int length, state_t *state,   \
                                                   const unsigned char *data)                      \
        {                                                                                          \
            return NAME##_step(perm, place, value, n, length, state, data);                        \
        }                                                                                          \
        static __device__ __forceinline__ int64_t bound(const unsigned char *perm, int place,      \
                                                        int value, int n, int length,              \
                                                        const state_t *state,                      \
                                                        const unsigned char *data, int64_t best)   \
        {                                                                                          \
            return NAME##_bound(perm, place, value, n, length, state, data, best);                 \
        }                                                                                          \
        static __device__ __forceinline__ int64_t leaf(const unsigned char *perm, int n,           \
                                                       int length, const state_t *state,           \
                                                       const unsigned char *data)                  \
        {                                                                                          \
            return NAME##_leaf(perm, n, length, state, data);                                      \
        }                                                                                          \
    };
#define COMBGPU__PERM_SEARCH_CUDA_KERNEL(NAME, PLACES, PLAIN)                                      \
    reinterpret_cast<const void *>(&combgpu_perm_tree<NAME##_functor, PLACES, PLAIN>)
#else
#define COMBGPU__PERM_SEARCH_CUDA_FUNCTOR(NAME, HAS_BOUND)
#define COMBGPU__PERM_SEARCH_CUDA_KERNEL(NAME, PLACES, PLAIN) NULL
#endif
