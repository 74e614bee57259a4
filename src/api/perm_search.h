/* ---- A caller's own search with pruning, on every backend

   A visitor sees every complete permutation. *Callbacks* see them grow, position by position, and
   prune a beginning that leads nowhere, with all its completions. Six steps lead from a predicate
   to a pruned search.

   1. Take the predicate apart. "No two neighbours differ by less than 3" tests each new element, so
   it goes into `step`, which sees perm[0 .. place], where perm[place] == value is new, and returns
   0 to prune or another number to go on:

       COMBGPU_PERM_SEARCH(far_apart, step({
           int gap = place ? value - perm[place - 1] : 3;
           return gap >= 3 || gap <= -3;
       }))

       combgpu_perm_search_desc desc = {0};
       combgpu_perm_search_result result;
       desc.n = 14;
       desc.searcher = &far_apart;
       combgpu_perm_search(ctx, &desc, &result);       result.hits permutations

   2. Keep in the `state` what each step would otherwise recompute: at most 64 bytes, zero before
   the first position, copied down the tree, so nothing needs undoing. `begin` may set it up; `step`
   changes it.

   3. If you can tell at once which values may come next, let `allowed` return them as a set, bit v
   for value v, before position `place` is filled; it need not exclude values in use. `step` then
   sees these alone. Non-attacking queens, with a row of the board for each position:

       COMBGPU_PERM_SEARCH(queens,
           state({ uint32_t up, down; }),
           allowed({ return ~(uint64_t)(state->up | state->down); }),
           step({
               state->up = (state->up | 1u << value) << 1;
               state->down = (state->down | 1u << value) >> 1;
               return 1;
           }))

   4. A complete permutation counts 1, or what `leaf` returns. Goal COUNT counts all but 0 as hits;
   other goals add the numbers or find the best.

   5. With goals MINIMUM and MAXIMUM `bound` returns a number that no completion of perm[0 .. place]
   beats; `best` is the best so far, INT64_MAX or INT64_MIN at first. Beginnings that are certain to
   be worse are pruned. A bound of 0 is a start if no value is negative; a good bound makes the
   search short. desc.start, a good permutation, helps from the first step on.

   6. Fill first the positions that decide most (number them so), and try first the values that
   succeed (desc.order).

   The parts come in any order, each at most once; all are optional. They see

       perm          const unsigned char *, the elements so far. step, bound: perm[0 .. place];
                     allowed: perm[0 .. place-1]; leaf: perm[0 .. length-1]
       place, value  int; step and bound: the new element; allowed: the position to fill
       n, length     int, of the set: values are 0 .. n-1, positions 0 .. length-1
       data          desc.data, as a visitor sees it: data[i], combgpu_data_i32(data, i), _i64
       state         pointer to the fields; only begin and step may change them
       best          int64_t; bound

   and return an int (step), a uint64_t (allowed), an int64_t (leaf, bound) or nothing (begin). Each
   part becomes a function in C, CUDA and OpenCL C: write it in their common subset. It may declare
   variables and use the integer types int8_t .. uint64_t, combgpu_bit_count(x) and
   combgpu_lowest_bit(x) of 64-bit numbers, but no other functions or preprocessor lines. Its result
   must depend only on what it sees. Compiler errors name the part: "NAME, step".

   The compiler checks the state's size and the parts' names; the host checks that a best
   permutation has its value there, too, and beats no bound on its way. Nothing checks bounds
   elsewhere: one above the true minimum silently loses permutations. Try n = 7 with and without
   it. */

typedef enum combgpu_search_goal {
    COMBGPU_SEARCH_COUNT = 0, /* count hits; list them to `solution` or `out` if set */
    COMBGPU_SEARCH_FIRST,     /* the lexicographically first hit */
    COMBGPU_SEARCH_MINIMUM,   /* the smallest value, and the first permutation with it */
    COMBGPU_SEARCH_MAXIMUM,
    COMBGPU_SEARCH_SUM,      /* the sum of all values, 128 bits */
    COMBGPU_SEARCH_HISTOGRAM /* the number of values in each bin */
} combgpu_search_goal;

struct combgpu__perm_search_walk; /* a worker's walk: src/api/searcher.h */

/* Callbacks in all their forms, made by COMBGPU_PERM_SEARCH. */
typedef struct combgpu_perm_searcher {
    const char *name; /* identifies it in messages and checkpoints */
    int parts;        /* COMBGPU__PERM_SEARCH_HAS_... */
    /* works until it is done, has used its steps, or a leaf finds no room */
    void (*run)(struct combgpu__perm_search_walk *walk);
    /* goes to perm[0 .. places-1]; returns 0 if the callbacks prune it. Sets *allowed, the next
       position's values, or *value, the leaf's */
    int (*go)(struct combgpu__perm_search_walk *walk, const unsigned char *perm, int places,
              uint64_t *allowed, int64_t *value);
    const char *texts[6];        /* of state, begin, allowed, step, bound, leaf, for OpenCL */
    const void *cuda_kernels[3]; /* counts, up to 24 elements; up to 24; up to 64 */
} combgpu_perm_searcher;

/* Receives a hit: `length` elements and the value of `leaf`. Hits come in any order. The memory is
   valid only during the call. Nonzero stops the run. */
typedef int (*combgpu_search_fn)(const uint8_t *perm, int length, int64_t value, void *user);

typedef struct combgpu_perm_search_desc {
    int n;                       /* 1 to 64, without a set: permutations of 0 .. n-1 */
    const combgpu_perm_set *set; /* NULL = all of them; else ALL, PARTIAL, MULTISET, DERANGEMENT,
                                    COMBINATION or CIRCULAR with n and length up to 64 and any
                                    number of members; desc.n must be set->n or 0. Copied */
    combgpu_search_goal goal;
    const combgpu_perm_searcher *searcher; /* must outlive the job */
    const void *data;     /* passed to the parts; copied when the job begins. NULL if data_bytes
                               is 0 */
    size_t data_bytes;    /* at most 1 GiB */
    const uint8_t *order; /* the n values in the order each position tries them, which then defines
                               lexicographic order; NULL = ascending. Copied */
    const uint8_t *start; /* FIRST, MINIMUM, MAXIMUM: an initial member by which others are pruned;
                               the callbacks must not prune it. NULL = none. Copied */
    combgpu_search_fn solution; /* COUNT: receives each hit; may be NULL */
    void *solution_user;
    uint64_t limit; /* COUNT: end with FOUND after this many hits, including those before a resume;
                         a job resumed after that gets as many more. 0 = no limit. With several
                         workers, which hits is unspecified */
    uint8_t *out; /* COUNT: the caller's memory for hits, `length` bytes each; further hits are only
                         counted. Hits are sorted lexicographically once the search is complete or
                         reaches `limit`; a run that ends otherwise leaves them unsorted. A resumed
                         run adds to earlier runs' hits; while these are unsorted it may resume from
                         any of their checkpoints, which makes newer ones invalid */
    size_t out_bytes; /* size of `out` */
    int bins;         /* HISTOGRAM: as in combgpu_perm_desc */
    uint64_t *histogram;
    int64_t bin_first;
    uint64_t bin_width;
    combgpu_run_desc run;
} combgpu_perm_search_desc;

typedef struct combgpu_perm_search_result {
    uint64_t hits;        /* COUNT: hits; SUM, HISTOGRAM: leaves; else 0 */
    uint64_t written;     /* COUNT: hits in `out` */
    int found;            /* FIRST, MINIMUM, MAXIMUM: nonzero = the next two are set */
    int64_t best_value;   /* FIRST: its leaf's value */
    uint8_t best[64];     /* the first member with that value */
    combgpu_u128 sum;     /* SUM: in two's complement; exact for up to 2^48 leaves */
    uint64_t outside;     /* HISTOGRAM: values outside every bin */
    combgpu_run_info run; /* steps: calls of `step` below the frontier, pruned ones included.
                             checksum: COUNT: sum of a hash of each hit; SUM, HISTOGRAM: of the
                             numbers; else a hash of best value and member */
} combgpu_perm_search_result;

/* Searches depth first. Tasks are beginnings of members, so a search runs in slices, on several
   devices and in shards, and is saved and resumed, like every other.

   With goals COUNT, SUM and HISTOGRAM, steps and checksum are equal on every backend with any
   number of threads, shards add up, and run.verify applies. With FIRST, MINIMUM and MAXIMUM workers
   prune by what others have found (devices from slice to slice), so steps depend on timing and
   run.verify does nothing. The result is still exact: beginnings whose bound equals the best value
   are pruned only behind the best member, so the first member with that value is returned. Each
   shard returns its own best.

   Time: each task of some thousand steps copies O(length) bytes; a step calls `step` and copies the
   state, and each beginning calls `allowed` once. Errors: INVALID_ARGUMENT (n, set, goal, missing
   callbacks, data, order, start, out or bins; no `leaf` for a goal that needs its value; a `bound`
   that the best member beats), DEVICE_ERROR (a part that does not compile for OpenCL: the message
   quotes the compiler's error), WRONG_RESULT (a device's best member that the host prunes or values
   differently), and all errors of runs. */
COMBGPU_API combgpu_status combgpu_perm_search(combgpu_context *ctx,
                                               const combgpu_perm_search_desc *desc,
                                               combgpu_perm_search_result *result);
COMBGPU_API combgpu_status combgpu_perm_search_begin(combgpu_context *ctx,
                                                     const combgpu_perm_search_desc *desc,
                                                     combgpu_job **job);
COMBGPU_API combgpu_status combgpu_perm_search_end(combgpu_job *job,
                                                   combgpu_perm_search_result *result);

/* Defines the callbacks NAME from their parts, each a word and a body in braces: state, begin,
   allowed, step, bound, leaf. Use the macro at file scope. With CUDA, NAME must be unique in the
   program. */
#define COMBGPU_PERM_SEARCH(NAME, ...)                                                             \
    COMBGPU__PERM_SEARCH(NAME, __VA_ARGS__, none({}), none({}), none({}), none({}), none({}),      \
                         none({}))
