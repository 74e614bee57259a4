/* ================================================================== SECTION 4: permutations == */
/* Permutations of 0 .. n-1 as n bytes, in lexicographic order; the rank is the position in that
   order, 0 .. n!-1. 64-bit ranks reach n = 20, 128-bit ranks n = 34. Where ctx may be NULL, NULL
   gives no message, but the other arguments are still checked. */

/* n! for n from 0 to 34; 0 for other n. */
COMBGPU_API combgpu_u128 combgpu_factorial(int n);

/* Rank of a permutation, and the permutation of a rank (Lehmer code); n: 1 to 20, in the 128-bit
   forms 1 to 34. Unranking takes about 15 ns for n = 12 and 30 ns for n = 20. ctx may be NULL.
   Errors: INVALID_ARGUMENT (n, a NULL pointer, perm[i] out of range or repeated, rank >= n!). */
COMBGPU_API combgpu_status combgpu_perm_rank(combgpu_context *ctx, int n, const uint8_t *perm,
                                             uint64_t *rank);
COMBGPU_API combgpu_status combgpu_perm_unrank(combgpu_context *ctx, int n, uint64_t rank,
                                               uint8_t *perm);
COMBGPU_API combgpu_status combgpu_perm_rank128(combgpu_context *ctx, int n, const uint8_t *perm,
                                                combgpu_u128 *rank);
COMBGPU_API combgpu_status combgpu_perm_unrank128(combgpu_context *ctx, int n, combgpu_u128 rank,
                                                  uint8_t *perm);

/* Replaces perm by its successor or predecessor and returns 1; from the last or first, wraps around
   and returns 0. Any n; equal elements give the permutations of a multiset. Amortised O(1)
   (Narayana Pandita's method). */
COMBGPU_API int combgpu_perm_next(int n, uint8_t *perm);
COMBGPU_API int combgpu_perm_previous(int n, uint8_t *perm);

/* The index-th random permutation of the stream `seed`; n: 1 to 34. All n! are equally likely. Seed
   and index alone determine the permutation: every machine, device and thread, in any order, gets
   the same. Fisher and Yates' shuffle with words of Philox4x32-10 (J. K. Salmon et
   al. 2011; key: the seed; counter: the index), rejecting words that would favour a value (D.
   Lemire 2019). ctx may be NULL. Errors: INVALID_ARGUMENT (n, perm NULL). */
COMBGPU_API combgpu_status combgpu_perm_random(combgpu_context *ctx, int n, uint64_t seed,
                                               uint64_t index, uint8_t *perm);

/* parity: 0 for an even permutation, 1 for an odd one. inverse: inverse[perm[i]] = i. compose:
   product[i] = left[right[i]]: right is applied first. n: 1 to 34; the output may be an input. ctx
   may be NULL. Errors: INVALID_ARGUMENT (n, a NULL pointer, an element out of range or
   repeated). */
COMBGPU_API combgpu_status combgpu_perm_parity(combgpu_context *ctx, int n, const uint8_t *perm,
                                               int *parity);
COMBGPU_API combgpu_status combgpu_perm_inverse(combgpu_context *ctx, int n, const uint8_t *perm,
                                                uint8_t *inverse);
COMBGPU_API combgpu_status combgpu_perm_compose(combgpu_context *ctx, int n, const uint8_t *left,
                                                const uint8_t *right, uint8_t *product);

/* A caller's own function on permutations, in one form per backend. COMBGPU_PERM_VISITOR below
   makes all forms from one text. If you fill in the struct by hand, leave unneeded forms NULL: a
   run on a backend without a form is UNSUPPORTED. Backends agree only if their forms return equal
   values. */
typedef struct combgpu_perm_visitor {
    const char *name; /* identifies it in messages and checkpoints */
    /* CPU. Called from several threads at once. */
    int64_t (*cpu)(const unsigned char *perm, int n, const unsigned char *data);
    /* CPU, may be NULL: the values of `count` permutations stored one after another. Faster,
       because the compiler can inline the function into the loop. */
    void (*cpu_many)(const unsigned char *perms, int n, const unsigned char *data, int count,
                     int64_t *values);
    /* OpenCL C 1.2, put before the text of combgpu_kernels.cl. Defines the macro COMBGPU_VISITOR
       and static long combgpu_visit(const uchar *perm, int n, __global const uchar *data). The driver
       compiles it in your process: a compiler that aborts on it, as PoCL 6.0's does on some loops,
       ends your program. */
    const char *opencl_source;
    /* CUDA: combgpu_perm_visit<F>, where F has
       static __device__ long long visit(const unsigned char *, int, const unsigned char *) */
    const void *cuda_kernel;
    /* CPU, may be NULL: 720 permutations at once, in columns for SIMD. They begin with head[0 ..
       n-7]; number j has columns[720*t + j] in position n-6+t. Writes their values, or to hits,
       unless NULL, 1 for each nonzero value and 0 for each zero. Returns 0 for an n that it was not
       compiled for. */
    int (*cpu_group)(const unsigned char *head, int n, const unsigned char *columns,
                     const unsigned char *data, int64_t *values, unsigned char *hits);
    /* The same for a CPU with AVX2 and BMI2; may be NULL. */
    int (*cpu_group_avx2)(const unsigned char *head, int n, const unsigned char *columns,
                          const unsigned char *data, int64_t *values, unsigned char *hits);
} combgpu_perm_visitor;

/* What a range runs through. Ranks are 64-bit numbers. "Lexicographic" compares lists of bytes.

   family        members                                          number          n        order
   ALL           permutations of 0 .. n-1                         n!              1 to 20  lexicographic
   PARTIAL       k different ones of 0 .. n-1, in any order       n!/(n-k)!       1 to 64  lexicographic
   MULTISET      value v (0 .. n-1) occurs repeats[v] times,      multinomial     1 to 64  lexicographic
                 each arrangement once; at most 64 elements
   DERANGEMENT   permutations without a fixed point, perm[i] != i subfactorial    1 to 20  lexicographic
   COMBINATION   k different ones of 0 .. n-1, ascending          n!/k!/(n-k)!    1 to 64  lexicographic
   GRAY          permutations of 0 .. n-1                         n!              1 to 20  each member is
                 the previous one with two neighbours swapped (Steinhaus, Johnson, Trotter)
   CYCLE         permutations that are one cycle: i, perm[i],     (n-1)!          1 to 21  lexicographic
                 perm[perm[i]], ... visits all n
   CIRCULAR      seats round a table: of the rotations of an      (n-1)!          1 to 21  lexicographic
                 order, the one that begins with 0 */
typedef enum combgpu_perm_family {
    COMBGPU_PERM_ALL = 0,
    COMBGPU_PERM_PARTIAL,
    COMBGPU_PERM_MULTISET,
    COMBGPU_PERM_DERANGEMENT,
    COMBGPU_PERM_COMBINATION,
    COMBGPU_PERM_GRAY,
    COMBGPU_PERM_CYCLE,
    COMBGPU_PERM_CIRCULAR
} combgpu_perm_family;

/* A family with its parameters; a member has `length` elements: n, k or the sum of repeats. */
typedef struct combgpu_perm_set {
    combgpu_perm_family family;
    int n;
    int k; /* PARTIAL, COMBINATION: 1 to n, for counting also 0 (one empty member); else 0 */
    const uint8_t *repeats; /* MULTISET: n numbers, their sum 1 to 64; else NULL */
} combgpu_perm_set;

/* Number and length of a set's members (either pointer may be NULL); the rank of a member, and the
   member of a rank, in O(length * n). The 128-bit forms take up to 2^128 - 1 members, n up to 34
   instead of 20 and up to 35 instead of 21. (Ranges use 64-bit ranks.) ctx may be NULL. Errors:
   INVALID_ARGUMENT (family, n, k, repeats; more than 2^64 - 1 or 2^128 - 1 members; perm not a
   member; rank too large). */
COMBGPU_API combgpu_status combgpu_perm_set_count(combgpu_context *ctx, const combgpu_perm_set *set,
                                                  uint64_t *count, int *length);
COMBGPU_API combgpu_status combgpu_perm_set_rank(combgpu_context *ctx, const combgpu_perm_set *set,
                                                 const uint8_t *perm, uint64_t *rank);
COMBGPU_API combgpu_status combgpu_perm_set_unrank(combgpu_context *ctx,
                                                   const combgpu_perm_set *set, uint64_t rank,
                                                   uint8_t *perm);
COMBGPU_API combgpu_status combgpu_perm_set_count128(combgpu_context *ctx,
                                                     const combgpu_perm_set *set,
                                                     combgpu_u128 *count, int *length);
COMBGPU_API combgpu_status combgpu_perm_set_rank128(combgpu_context *ctx,
                                                    const combgpu_perm_set *set,
                                                    const uint8_t *perm, combgpu_u128 *rank);
COMBGPU_API combgpu_status combgpu_perm_set_unrank128(combgpu_context *ctx,
                                                      const combgpu_perm_set *set,
                                                      combgpu_u128 rank, uint8_t *perm);

typedef enum combgpu_perm_goal {
    COMBGPU_PERM_WRITE = 0, /* write the range to `out` or `device_out`, or pass it in chunks to
                               `solution`. The device writes `device_out`; host threads write host
                               memory */
    COMBGPU_PERM_COUNT,     /* count the permutations whose value is not 0; list them to `solution`
                               if that is set */
    COMBGPU_PERM_MINIMUM,   /* the smallest value, and the first permutation with it */
    COMBGPU_PERM_MAXIMUM,
    COMBGPU_PERM_SUM,      /* the sum of all values, 128 bits */
    COMBGPU_PERM_HISTOGRAM /* the number of values in each bin */
} combgpu_perm_goal;

/* Receives a hit (COUNT; count is 1), or a chunk (WRITE): `count` permutations, n bytes each (or n
   items, if `items` or `item_bytes` is set: then perms points to them), of consecutive ranks from
   `rank` on; for n > 20 `rank` is the lower half. Hits and chunks come in any order (sorted only
   within a slice) unless `ordered` is set. The memory is valid only during the call. Nonzero stops
   the run. */
typedef int (*combgpu_perm_fn)(uint64_t rank, const uint8_t *perms, uint64_t count, int n,
                               void *user);

/* A range of permutations and what to do with it. */
typedef struct combgpu_perm_desc {
    int n;          /* 1 to 20; WRITE: 1 to 34 */
    uint64_t first; /* rank of the first permutation */
    uint64_t count; /* number of permutations; 0 = all from first on. For n > 20 at most 2^63 */
    combgpu_perm_goal goal;
    const combgpu_perm_set *set; /* NULL = all permutations of 0 .. n-1. Else n must be set->n or 0,
                                    and first and count are ranks in the set. Copied */
    const combgpu_perm_visitor *visitor; /* for all goals except WRITE. Must outlive the job */
    const void
        *data; /* passed to the visitor; copied when the job begins. NULL if data_bytes is 0 */
    size_t data_bytes; /* at most 1 GiB */
    void *out;         /* WRITE: the caller's memory for count*n items: permutation first + i begins
                         at item i*n. A shard writes its part. A resumed run writes only the rest:
                         keep what earlier runs wrote */
    size_t out_bytes;  /* size of `out`, at least count*n*item_bytes */
    combgpu_perm_fn solution; /* COUNT: receives each hit, may be NULL; WRITE: receives chunks, if
                                 out is NULL */
    void *solution_user;
    uint64_t limit; /* COUNT: end with FOUND after this many hits, including those before a resume;
                       a job resumed after that gets as many more. 0 = no limit */
    int ordered; /* COUNT with solution: nonzero = hits come in ascending order of rank within each
                    shard, so a limit keeps the first ones */
    int bins;    /* HISTOGRAM: 1 to 4096 */
    uint64_t *histogram; /* HISTOGRAM: `bins` numbers, set by _end: histogram[i] counts the values
                            in [bin_first + i*bin_width, bin_first + (i+1)*bin_width) */
    int64_t bin_first;
    uint64_t bin_width; /* 0 = 1 */
    combgpu_run_desc run;
    uint64_t first_hi; /* upper half of `first`, for n > 20 */
    const void *items; /* WRITE without a set: the caller's n items, copied when the job begins;
                       items[perm[i]] replaces perm[i]. NULL = the numbers 0 .. n-1 */
    int item_bytes;    /* size of an item: 1, 2, 4 or 8, with a set 1; 0 = 1. `out` and `device_out`
                       must begin at a multiple of item_bytes */
    combgpu_device_memory device_out; /* WRITE: as `out`, on the device; see combgpu_device_memory.
                                         Unused if device_out.memory is NULL */
} combgpu_perm_desc;

typedef struct combgpu_perm_result {
    uint64_t visited;     /* permutations visited, or (WRITE) written or passed on */
    uint64_t hits;        /* COUNT; with `solution` or `limit`, the hits passed on or counted */
    int64_t best_value;   /* MINIMUM, MAXIMUM; valid if visited > 0 */
    uint64_t best_rank;   /* smallest rank with that value */
    uint8_t best[64];     /* that permutation, n bytes */
    combgpu_u128 sum;     /* SUM: in two's complement, exact for any range. sum.lo is the sum modulo
                             2^64, (int64_t)sum.lo the 64-bit signed sum with wrap-around */
    uint64_t outside;     /* HISTOGRAM: values outside every bin */
    combgpu_run_info run; /* steps: permutations. checksum: COUNT: sum of a hash of each hit's rank;
                             MINIMUM, MAXIMUM: a hash of best value and rank; SUM: of the sum;
                             HISTOGRAM: sum of a hash of each value's bin; WRITE: a hash of the
                             ranges (their borders, not the bytes) that were written */
} combgpu_perm_result;

/* Writes, counts or scores the range [first, first + count). Errors: INVALID_ARGUMENT (n, first, a
   range past n!, goal, a missing visitor, data, out or solution, a short or misaligned buffer,
   memory of another device), UNSUPPORTED (a visitor without a form for this backend), DEVICE_ERROR
   (an OpenCL visitor that does not compile: the message quotes the compiler's error), and all
   errors of runs. */
COMBGPU_API combgpu_status combgpu_perm(combgpu_context *ctx, const combgpu_perm_desc *desc,
                                        combgpu_perm_result *result);
COMBGPU_API combgpu_status combgpu_perm_begin(combgpu_context *ctx, const combgpu_perm_desc *desc,
                                              combgpu_job **job);
COMBGPU_API combgpu_status combgpu_perm_end(combgpu_job *job, combgpu_perm_result *result);

/* Defines the visitor NAME from one function body, in the common subset of C, CUDA and OpenCL C:

       COMBGPU_PERM_VISITOR(fixed_points, {
           int i, fixed = 0;
           for (i = 0; i < n; i++) fixed += perm[i] == i;
           return fixed;
       })
       ... desc.visitor = &fixed_points;

   The body sees `perm` (n values 0 .. n-1), `n` and `data`, and returns a 64-bit integer. `data` is
   desc.data, aligned to 4 bytes. On every backend data[i] is a byte; if the data is an array of
   int32_t or int64_t, combgpu_data_i32(data, i) or combgpu_data_i64(data, i) is its i-th number.
   The body may use the integer types int8_t .. uint64_t. Macros in it are expanded as in C; it must
   not contain preprocessor lines, and cannot call the program's other functions. Use the macro at
   file scope. With CUDA, NAME must be unique in the program. */
#define COMBGPU_PERM_VISITOR(NAME, ...) COMBGPU__PERM_VISITOR(NAME, __VA_ARGS__)

/* Device functions for a caller's own kernels (combgpu_kernels.cl, part PERM); n is 1 to 20 for
   64-bit ranks, else 1 to 34. Arguments are not checked.

       void combgpu_unrank(int n, uint64_t rank, uint8_t *perm)
       uint64_t combgpu_rank(int n, const uint8_t *perm)
       void combgpu_unrank128(int n, uint64_t high, uint64_t low, uint8_t *perm)
       uint64_t combgpu_rank128(int n, const uint8_t *perm, uint64_t *high)    returns the lower half
       int combgpu_next_permutation(int n, uint8_t *perm)                      as combgpu_perm_next
       int combgpu_previous_permutation(int n, uint8_t *perm)
       void combgpu_random_permutation(int n, uint64_t seed, uint64_t index, uint8_t *perm)
       int combgpu_parity(int n, const uint8_t *perm)
       void combgpu_inverse(int n, const uint8_t *perm, uint8_t *inverse)      into another array
       void combgpu_compose(int n, const uint8_t *left, const uint8_t *right, uint8_t *product)

   Arrays are in private memory. CUDA: combgpu.h, included with COMBGPU_CUDA, defines these
   functions. OpenCL: give clCreateProgramWithSource the text of combgpu_kernels.cl, then your own,
   and build with -DCOMBGPU_KERNELS_PERM. A visitor precedes that text and must declare the
   functions that it calls: static inline uint64_t combgpu_rank(int n, const uint8_t *perm); */
