/* ---- A caller's own search with pruning, on every backend

   A visitor sees whole permutations: all of them. A *searcher* sees them grow, place by place, and
   cuts off a beginning that leads nowhere, with all that begin so. Six steps lead from a predicate
   to a pruned search.

   1. Take the predicate apart. "No two neighbours differ by less than 3" is a question to each new
   element; it goes into `step`, which sees perm[0 .. place], where perm[place] == value is the new
   one, and returns 0 to prune or another number to go on:

       COMBGPU_PERM_SEARCH(far_apart, step({
           int gap = place ? value - perm[place - 1] : 3;
           return gap >= 3 || gap <= -3;
       }))

       combgpu_perm_search_desc desc = {0};
       combgpu_perm_search_result result;
       desc.n = 14;
       desc.searcher = &far_apart;
       combgpu_perm_search(ctx, &desc, &result);       result.hits permutations

   2. What each step would compute again belongs into the `state`: at most 64 bytes, zero before the
   first place, copied down the tree, so that nothing needs to be undone. `begin` may set it up.
   `step` changes it.

   3. Where the values that may come next can be told at once, `allowed` returns them as a set, bit v
   for value v, before place `place` is filled; values in use need not be left out. Then `step` is
   called for these alone. Queens that do not attack each other, a row of the board for each place:

       COMBGPU_PERM_SEARCH(queens,
           state({ uint32_t up, down; }),
           allowed({ return ~(uint64_t)(state->up | state->down); }),
           step({
               state->up = (state->up | 1u << value) << 1;
               state->down = (state->down | 1u << value) >> 1;
               return 1;
           }))

   4. What is complete counts 1 each, or what `leaf` returns: with goal COUNT any number but 0 is a
   hit; the other goals add the numbers up or look for the least.

   5. With goals MINIMUM and MAXIMUM `bound` returns a number that no completion of perm[0 .. place]
   beats; `best` is the best so far, INT64_MAX or INT64_MIN while there is none. What is
   certain to be worse is cut off. A bound of 0 for numbers that are never negative is a beginning;
   a good bound is what makes the search short. desc.start, a good permutation, helps from the first
   step on.

   6. Try other places and values first: fill first the places that decide most (number them so),
   try first the values that succeed (desc.order).

   The parts stand in any order, each at most once; all are optional. They see

       perm          const unsigned char *, the elements so far. step, bound: perm[0 .. place];
                     allowed: perm[0 .. place-1]; leaf: perm[0 .. length-1]
       place, value  int; step and bound: the new element; allowed: the place to be filled
       n, length     int, of the set: values are 0 .. n-1, places 0 .. length-1
       data          desc.data, as a visitor sees it: data[i], combgpu_data_i32(data, i), _i64
       state         pointer to the fields; only begin and step may change them
       best          int64_t; bound

   and return an int (step), a uint64_t (allowed), an int64_t (leaf, bound) or nothing (begin). Each
   part becomes a function in C, CUDA and OpenCL C, and is written in what these have in common. It
   may declare variables and use the integer types int8_t .. uint64_t, combgpu_bit_count(x) and
   combgpu_lowest_bit(x) of 64-bit numbers; no other functions, and no preprocessor lines. Its result
   may depend on nothing but what it sees. A compiler's error names the part: "NAME, step".

   What is checked: the size of the state and the names of parts, when the program is compiled; that
   a best permutation has its value on the host, too, and beats no bound on the way to it. What is
   not: that bounds hold elsewhere. A bound above the true least value loses permutations without a
   word; try n = 7 with and without it. */

typedef enum combgpu_search_goal {
    COMBGPU_SEARCH_COUNT = 0, /* count hits; list them to `solution` or `out` if these are set */
    COMBGPU_SEARCH_FIRST,     /* the hit that comes first in lexicographic order */
    COMBGPU_SEARCH_MINIMUM,   /* the smallest value, and the first permutation with it */
    COMBGPU_SEARCH_MAXIMUM,
    COMBGPU_SEARCH_SUM,      /* the sum of all values, 128 bits */
    COMBGPU_SEARCH_HISTOGRAM /* the number of values in each bin */
} combgpu_search_goal;

struct combgpu__perm_search_walk; /* a worker on its way: src/api/searcher.h */

/* A searcher in all its forms, made by COMBGPU_PERM_SEARCH. */
typedef struct combgpu_perm_searcher {
    const char *name; /* identifies it in messages and checkpoints */
    int parts;        /* COMBGPU__PERM_SEARCH_HAS_... */
    /* works on until it is done, has taken its steps, or a leaf finds no room */
    void (*run)(struct combgpu__perm_search_walk *walk);
    /* goes to perm[0 .. places-1]; returns 0 if the searcher would not. Sets *allowed, the values
       for the next place, or *value, that of the whole */
    int (*go)(struct combgpu__perm_search_walk *walk, const unsigned char *perm, int places,
              uint64_t *allowed, int64_t *value);
    const char *texts[6];        /* of state, begin, allowed, step, bound, leaf, for OpenCL */
    const void *cuda_kernels[3]; /* counts, up to 24 places; up to 24; up to 64 */
} combgpu_perm_searcher;

/* Receives a hit: `length` elements and the value of `leaf`. Hits come in any order. The memory is
   valid only during the call. Returning nonzero stops the run. */
typedef int (*combgpu_search_fn)(const uint8_t *perm, int length, int64_t value, void *user);

typedef struct combgpu_perm_search_desc {
    int n;                       /* 1 to 64, without a set: permutations of 0 .. n-1 */
    const combgpu_perm_set *set; /* NULL = all of them; else ALL, PARTIAL, MULTISET, DERANGEMENT,
                                    COMBINATION or CIRCULAR with n and length up to 64, however many
                                    members; desc.n must be set->n or 0. Copied */
    combgpu_search_goal goal;
    const combgpu_perm_searcher *searcher; /* must outlive the job */
    const void *data;     /* handed to the parts; copied when the job begins. NULL if data_bytes
                               is 0 */
    size_t data_bytes;    /* at most 1 GiB */
    const uint8_t *order; /* the n values in the order in which each place tries them, which is
                               then the lexicographic order; NULL = ascending. Copied */
    const uint8_t *start; /* FIRST, MINIMUM, MAXIMUM: a member to begin with, by which others are
                               pruned; the searcher must not prune it. NULL = none. Copied */
    combgpu_search_fn solution; /* COUNT: receives each hit; NULL = none does */
    void *solution_user;
    uint64_t limit; /* COUNT: ends with FOUND after this many hits, those before a resume included;
                         a job that is resumed after that gets as many more. 0 = no limit. With
                         several workers it is open which hits these are */
    uint8_t *out; /* COUNT: the caller's memory for hits, `length` bytes each. Hits for which there
                         is no room are only counted. A resumed run adds to what the earlier runs
                         wrote; it may resume from any checkpoint of theirs while the list is not
                         sorted; newer ones no longer fit the list then. The list is
                         sorted lexicographically once the search is complete or has reached
                         `limit`; a run that ends otherwise leaves hits as they came */
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
    int64_t best_value;   /* FIRST: the value of its leaf */
    uint8_t best[64];     /* of all members with that value the first */
    combgpu_u128 sum;     /* SUM: in two's complement; exact for up to 2^48 leaves */
    uint64_t outside;     /* HISTOGRAM: values that are in no bin */
    combgpu_run_info run; /* steps: calls of `step` below the frontier, pruned ones included.
                             checksum: COUNT: sum of a hash of each hit; SUM, HISTOGRAM: of the
                             numbers; else a hash of best value and member */
} combgpu_perm_search_result;

/* Searches depth first. Tasks are beginnings of members, so a search runs in slices, is shared among
   devices, cut into shards, saved and resumed as every other.

   With goals COUNT, SUM and HISTOGRAM, steps and checksum are equal on every backend, for every
   number of threads, and of shards they add up; run.verify applies. With FIRST, MINIMUM and MAXIMUM
   workers prune by what others have found, devices from slice to slice: the steps depend on timing,
   run.verify does nothing, but the result does not: the value is exact, and of all members that
   have it the first is returned, because beginnings whose bound equals the best value are pruned
   only if they come after the best member. Each shard returns its own best.

   Time: O(length) bytes copied for each task of some thousand steps; a step is a call of `step`, a
   copy of the state, and of `allowed` once for each beginning. Errors: INVALID_ARGUMENT (n, set,
   goal, a missing searcher, data, order, start, out or bins; no `leaf` for a goal that needs its
   value; a `bound` that the best member beats), DEVICE_ERROR (a part that does not compile for
   OpenCL: the message quotes the compiler's), WRONG_RESULT (a device's best member that the host
   prunes or values otherwise), and all errors of runs. */
COMBGPU_API combgpu_status combgpu_perm_search(combgpu_context *ctx,
                                               const combgpu_perm_search_desc *desc,
                                               combgpu_perm_search_result *result);
COMBGPU_API combgpu_status combgpu_perm_search_begin(combgpu_context *ctx,
                                                     const combgpu_perm_search_desc *desc,
                                                     combgpu_job **job);
COMBGPU_API combgpu_status combgpu_perm_search_end(combgpu_job *job,
                                                   combgpu_perm_search_result *result);

/* Defines the searcher NAME from its parts, each one a word and a body in braces: state, begin,
   allowed, step, bound, leaf. Use the macro at file scope. With CUDA, NAME must be unique in the
   program. */
#define COMBGPU_PERM_SEARCH(NAME, ...)                                                             \
    COMBGPU__PERM_SEARCH(NAME, __VA_ARGS__, none({}), none({}), none({}), none({}), none({}),      \
                         none({}))
