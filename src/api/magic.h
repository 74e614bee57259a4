/* ================================================================= SECTION 2: magic squares == */
/* A magic square of order n holds 1 .. n*n once each; every row, column and both diagonals add up
   to n(n*n+1)/2. Squares are arrays of n*n ints, row by row; rows and columns count from 0. Two
   squares are equal up to symmetry if one of the 8 rotations and reflections (the group D4) takes
   one to the other; the Frenicle form is the one of the 8 with the smallest corner top left and
   a[0][1] < a[1][0]. */

typedef enum combgpu_magic_kind {
    COMBGPU_MAGIC_NORMAL = 0,  /* rows, columns, both diagonals */
    COMBGPU_MAGIC_SEMI,        /* rows and columns; the diagonals may be anything */
    COMBGPU_MAGIC_PANDIAGONAL, /* normal, and all broken diagonals */
    COMBGPU_MAGIC_ASSOCIATIVE, /* normal, and cells opposite the centre add up to n*n+1 */
    COMBGPU_MAGIC_ULTRAMAGIC,  /* pandiagonal and associative */
    COMBGPU_MAGIC_BIMAGIC      /* normal, and the squares of the numbers add up alike in the same
                                  lines: to n(n*n+1)(2*n*n+1)/6 */
} combgpu_magic_kind;

/* Receives one square. Nonzero stops the run; a run that is stepped on or resumed goes on with the
   next one. */
typedef int (*combgpu_magic_fn)(const int *square, int order, void *user);

typedef struct combgpu_magic_desc {
    int order; /* 3 to 6. Order 6 ends in your lifetime only with givens (24 free cells: seconds),
                  or with limit or run.time_limit_s */
    combgpu_magic_kind kind;
    const int *givens;  /* order*order numbers, 0 = free; NULL = none. Read during begin */
    const int *numbers; /* orders 3 to 5: order*order different integers from -400,000,000 to
                                  400,000,000, in any order, instead of 1 .. n*n; NULL = those. Read
                                  during begin. Then n*n+1 above means twice their mean, and
                                  by_centre and checksum go by rank: as if the smallest were 1, the
                                  next 2 and so on. In arithmetic progression they are as fast as
                                  1 .. n*n; others are searched cell by cell: not bimagic */
    int sum;            /* with numbers: the line sum, which must be their sum / order; 0 = so */
    combgpu_magic_fn solution; /* NULL = count only: a quarter of the time for all of order 5 */
    void *solution_user;
    int frenicle;   /* solution gets: 0 = every square; 1 = one per class of squares that
                       are equal up to symmetry, in Frenicle form (givens may then lie elsewhere) */
    uint64_t limit; /* end with FOUND at this many calls of solution, or without it as soon as
                       `count` is as large; 0 = no limit */
    int checksum;   /* nonzero: run.checksum is that of the squares also where normal squares of
                       order 5 are only counted; takes longer by half on a GPU, 3 times on a CPU */
    combgpu_run_desc run;
} combgpu_magic_desc;

typedef struct combgpu_magic_result {
    uint64_t count;         /* squares, every orientation (with givens: as the givens stand) */
    uint64_t up_to_d4;      /* classes up to symmetry that have a square counted in `count` */
    uint64_t up_to_m_group; /* classes up to the M-group as well: rows and columns may change places
                               as long as both diagonals stay what they are. Orders 3 to 5, nothing
                               given but perhaps the centre; 0 else, and for pandiagonal and
                               ultramagic squares, which other images of the group are not */
    uint64_t by_centre[26]; /* up_to_d4 by the number in the centre cell; orders 3 and 5 */
    combgpu_run_info run;   /* steps: numbers tried in cells, or diagonal configurations joined.
                               checksum: sum over classes of FNV-1a-64 of the Frenicle form's bytes;
                               where squares are only counted (order 5, nothing given but perhaps
                               the centre, no callback: normal without `checksum`, and semi-magic)
                               of a hash of each part of the search and its count */
} combgpu_magic_result;

/* Counts or lists all magic squares of a kind that agree with the givens.
   Errors: INVALID_ARGUMENT (order, kind, givens that repeat a number, are out of range or already
   break a line: the message names the cells), UNSUPPORTED (order above 6), and all errors of runs.
   A depth-first search over cells; but with nothing given
      normal order 4      is put together from both diagonals: half a millisecond
      normal order 5      (also with the centre given) is counted by a join of two rings of 8 cells over
                          both diagonals, 8.2 million configurations: 12 s on one core with AVX-512
                          (VBMI2), half a minute without, 0.04 s on an H200
      semi-magic order 5  is counted, without solution, by partitions of 1..25 into 5 rows and into 5
                          columns: 4 s on one core, 0.1 s on an H200. */
COMBGPU_API combgpu_status combgpu_magic(combgpu_context *ctx, const combgpu_magic_desc *desc,
                                         combgpu_magic_result *result);
COMBGPU_API combgpu_status combgpu_magic_begin(combgpu_context *ctx, const combgpu_magic_desc *desc,
                                               combgpu_job **job);
/* Fills *result (may be NULL) and frees the job. Returns OK, FOUND or STOPPED, or the error that
   ended the job. */
COMBGPU_API combgpu_status combgpu_magic_end(combgpu_job *job, combgpu_magic_result *result);

/* A LIST in order, of which any part can be had: square number k of it is the same on every backend.

   Normal squares of order 5, nothing given but perhaps the centre, are ordered by
      - the centre, 26 - centre if that is less; then the numbers of the two diagonals without it,
        each as an ascending set, the sets in lexicographic order, the lesser set first
      - the way these stand on the diagonals, 36 up to the M-group: A[0] in the corner (0,0) with
        A[1], A[2], A[3] opposite; for each of these, B[i] in (0,4) and B[j] in (4,0), i < j in
        lexicographic order; for each of these, the greater of the other two in (3,1), then in (1,3)
      - the numbers in cells (0,1) (0,3) (4,1) (4,3) (1,0) (3,0) (1,4) (3,4)
      - the square before its complement; rows and columns in the orders 01234, 10243, 03214, 14203;
        and unless `frenicle` is set, the orientations (1 = transposed, 2 = rows, 4 = columns turned
        around, added up; 0 to 7).
   Only the parts of the search are run that hold the squares asked for. Where they are is counted
   once for each context, as long as a count of all takes.

   All other lists are in lexicographic order of their squares (with `frenicle` of those in Frenicle
   form), row by row; they are found by a search, and sorted in memory. So order 6, and order 5
   semi-magic, need givens that leave few completions: here run.time_limit_s ends the search, and
   nothing is handed out. */
typedef struct combgpu_magic_list_desc {
    int order; /* as in combgpu_magic_desc, these four */
    combgpu_magic_kind kind;
    const int *givens;
    int frenicle;
    uint64_t first, count; /* squares first .. first + count - 1 of the list; count 0 = all from
                              `first` on. The list may end before that */
    /* where to, one of these: */
    combgpu_magic_fn solution; /* each square in turn */
    void *solution_user;
    unsigned char *out;               /* order*order bytes a square, row by row */
    size_t out_bytes;                 /* room there; too little for all is an error */
    combgpu_device_memory device_out; /* likewise, on the device; its contents are defined up to
                                         result.count squares */
    const char *path;     /* a file, which is overwritten: the same bytes, or lines of text */
    int text;             /* of path: a row a line, an empty line behind each square */
    combgpu_run_desc run; /* no checkpoint: a list that was stopped goes on with `first` +
                             result.count. A shard is an equal part of the range. Normal squares of
                             order 5 are not verified */
} combgpu_magic_list_desc;

typedef struct combgpu_magic_list_result {
    uint64_t total;       /* squares in the whole list */
    uint64_t count;       /* squares handed out, from `first` on (of a shard: from its part on) */
    combgpu_run_info run; /* checksum: sum of FNV-1a-64 over the squares handed out; 0 for
                             device_out. device_seconds: without the count of where they are */
} combgpu_magic_list_result;

/* Hands out a range of a list. Returns OK, STOPPED (solution or run.progress returned nonzero, or the
   time limit passed), or an error: those of combgpu_magic, FILE_ERROR; INVALID_ARGUMENT where `first`
   lies behind the end of the list, there is too little room, none or several places to write to, or
   run.checkpoint_path is set. */
COMBGPU_API combgpu_status combgpu_magic_list(combgpu_context *ctx,
                                              const combgpu_magic_list_desc *desc,
                                              combgpu_magic_list_result *result);

/* What a square is, line by line. */
typedef struct combgpu_magic_report {
    int64_t magic_sum;             /* n(n*n+1)/2 */
    int64_t rows[64], columns[64]; /* the first `order` are set */
    int64_t diagonals[2];          /* main (top left to bottom right), other */
    int64_t broken[2][64];         /* the diagonals that begin in row 0, by column, and wrap around:
                                      [0] down to the right, [1] down to the left */
    int is_permutation;            /* 1 .. n*n once each */
    int is_semimagic, is_magic, is_pandiagonal, is_associative, is_ultramagic, is_frenicle;
    int is_bimagic;
    int wrong_cell;  /* index of the first cell out of range or repeated; -1 if none */
    int repeats;     /* index of the cell before it that holds the same number; -1 if none */
    int wrong_lines; /* how many rows, columns and (the two) diagonals have a wrong sum */
    char wrong[160]; /* the first fault in words: cell or line, sum and magic sum; "" if magic */
} combgpu_magic_report;

/* Checks a square of order 1 to 64 (ctx only carries the message). All is_ fields but is_frenicle
   ask for is_permutation as well. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_check(combgpu_context *ctx, int order, const int *square,
                                               combgpu_magic_report *report);

/* Writes the Frenicle form of `square` to `out` (order*order ints each, may be the same array), for
   orders 1 to 10000. The square need not be magic; of equal corners the first one counts, and a
   square with a[0][1] = a[1][0] is left as it is. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_frenicle(combgpu_context *ctx, int order,
                                                  const int *square, int *out);

/* Writes one magic square of any order from 3 to 10000 to out[order*order]: odd orders by the
   Siamese method, multiples of 4 by complementing, the others by Strachey's method. Errors:
   INVALID_ARGUMENT. O(n^2). */
COMBGPU_API combgpu_status combgpu_magic_construct(combgpu_context *ctx, int order, int *out);

/* The same for kinds: ASSOCIATIVE (odd orders and multiples of 4), PANDIAGONAL (orders prime to 6, by
   two linear Latin squares; multiples of 4) and ULTRAMAGIC (orders prime to 6); SEMI gives a normal
   one. Errors: INVALID_ARGUMENT (also where no such square exists: orders 4k + 2; pandiagonal 3;
   ultramagic 3 and 4), UNSUPPORTED (the other orders). */
COMBGPU_API combgpu_status combgpu_magic_construct_kind(combgpu_context *ctx, int order,
                                                        combgpu_magic_kind kind, int *out);

/* Writes rotation or reflection number `symmetry` (0 to 7) of the square to `out`, another array: the
   bits mean 1 transpose, 2 flip rows (upside down), 4 flip columns, done in the order 4, 2, 1. Orders
   1 to 10000. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_symmetry(combgpu_context *ctx, int order,
                                                  const int *square, int symmetry, int *out);

/* M-transformations: rows and columns are permuted alike by a permutation p of 0 .. n-1 with
   p(n-1-i) = n-1-p(i); a magic square stays one. There are 2^h h! with h = n/2 rounded down. With the
   rotations and reflections they make a group of 4 times as many: 32 for orders 4 and 5, 192 for 6
   and 7. *count gets 2^h h! for orders 1 to 33. */
COMBGPU_API combgpu_status combgpu_magic_m_count(combgpu_context *ctx, int order, uint64_t *count);

/* Writes M-transformation number `index` (below that count; 0 changes nothing) of the square to `out`,
   another array: out[i][j] = square[p(i)][p(j)]. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_m_transform(combgpu_context *ctx, int order,
                                                     const int *square, uint64_t index, int *out);

/* Writes the first of all images of the square under that group of 4 * 2^h h!, compared number by
   number, row by row, to `out`, another array: equal for two squares if and only if the group takes
   one to the other. Orders 1 to 10000. Errors: INVALID_ARGUMENT (also two equal numbers that it has
   to choose from). O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_canonical(combgpu_context *ctx, int order,
                                                   const int *square, int *out);

/* The class of a magic square of order 4 by where the pairs that add up to 17 lie (H. E. Dudeney, The
   Queen, 1910), 1 to 12; *type gets 0 for the pairings that no magic square has. Equal letters are a
   pair; squares of each class up to rotation and reflection, 880 in all. I, II, III, VI are Dudeney's;
   among classes of one size he drew, the pictures here settle the numbers.

      I 48      II 48     III 48    IV 96     V 96      VI 304
      a b c d   a b c d   a b c d   a a b b   a b a b   a b b a
      e f g h   b a d c   e f g h   c c d d   c d c d   c d d c
      c d a b   e f g h   h g f e   e e f f   e f e f   e f f e
      g h e f   f e h g   d c b a   g g h h   g h g h   g h h g

      VII 56    VIII 56   IX 56     X 56      XI 8      XII 8
      a a b b   a b b a   a b a b   a b b a   a b a b   a a b b
      c d d c   c c d d   c d d c   c d c d   c d c d   c d e f
      e f f e   e e f f   e f f e   e f e f   e f g h   g g h h
      g g h h   g h h g   g h g h   g h h g   g h e f   d c f e

   Errors: INVALID_ARGUMENT (not 1 .. 16 once each). */
COMBGPU_API combgpu_status combgpu_magic_dudeney(combgpu_context *ctx, const int *square,
                                                 int *type);

/* ---- magic squares: estimates, and order 6 exactly in parts */

typedef struct combgpu_magic_estimate_desc {
    int order;               /* 4 to 11 */
    combgpu_magic_kind kind; /* NORMAL or SEMI */
    uint64_t samples; /* at most 2^40; 0 = 1,000,000. With relative_error the most to take; then
                                0 = 2^40 */
    double relative_error; /* nonzero: take samples until the standard error is at most this part
                                of the estimate, asked after 2^16 and then after each 2^k * 4, 5, 6,
                                7 samples; not with shards */
    uint64_t seed;
    combgpu_run_desc run;
} combgpu_magic_estimate_desc;

typedef struct combgpu_magic_estimate_result {
    double count;          /* squares, every orientation */
    double standard_error; /* of count: the true value lies within 1.96 of them in 19 of 20 cases,
                              if there are enough samples for the estimate of the error itself;
                              0 = not known (a single sample, or none that found a square) */
    double up_to_d4;       /* count / 8 */
    double relative_error; /* standard_error / count */
    uint64_t samples;
    uint64_t sum[2], squares[4]; /* of the samples and of their squares, in 32-bit digits, lowest
                                    first, each a 64-bit sum: what shards add up */
    int scale;                   /* count = (sum[0] + 2^32 sum[1]) * 2^scale / samples / repeats */
    int repeats;                 /* tails counted for a sample */
    combgpu_run_info run; /* steps: samples; checksum: sum of a hash of each sample and its value */
} combgpu_magic_estimate_result;

/* Estimates how many squares of an order there are. A sample fills both diagonals (kind NORMAL), all
   rows but two outer pairs and all columns but three mirror pairs at random, cell by cell with known
   probabilities (numbers that leave the open lines near their mean are likelier), counts exactly in
   how many ways the last 16 cells (8 for order 4, 12 for order 5) can be filled, and divides by the
   probability of what it chose: the mean is the count, without bias. Sample i depends on seed and i
   alone, and sums are of integers: so value and error are equal on every backend, thread count, slice
   and shard split. Standard errors: order 6 0.1 % in 53 s on one core, 0.01 % in 24 s on an H200;
   order 8 1 % in 0.2 s and order 10 1 % in about 30 s there. Errors: INVALID_ARGUMENT, UNSUPPORTED
   (order above 11), and all errors of runs. */
COMBGPU_API combgpu_status combgpu_magic_estimate(combgpu_context *ctx,
                                                  const combgpu_magic_estimate_desc *desc,
                                                  combgpu_magic_estimate_result *result);
COMBGPU_API combgpu_status combgpu_magic_estimate_begin(combgpu_context *ctx,
                                                        const combgpu_magic_estimate_desc *desc,
                                                        combgpu_job **job);
COMBGPU_API combgpu_status combgpu_magic_estimate_end(combgpu_job *job,
                                                      combgpu_magic_estimate_result *result);

/* Order 6 exactly, in parts. A magic square of order 6 has two disjoint magic series (6 numbers that
   add up to 111) on its diagonals; up to the group of 192 above there are 861,985,427,400 such pairs
   of filled diagonals, the *configurations*, and every square has one of them up to the group.
   Numbered: all pairs of disjoint series A < B in lexicographic order, and for each pair 15 ways to
   put A on the main diagonal (as pairs of opposite cells, from the outside in the order of their
   smaller numbers, smaller number first) times 360 for B on the other (a[0][5] < a[5][0]). */
#define COMBGPU_MAGIC_CONFIGURATIONS UINT64_C(861985427400)

typedef struct combgpu_magic_diagonals_desc {
    uint64_t first, count; /* configurations first .. first + count - 1; count 1 to 262144 */
    combgpu_run_desc run;
} combgpu_magic_diagonals_desc;

typedef struct combgpu_magic_diagonals_result {
    uint64_t squares;   /* with these diagonals as they stand; about 860,000 for a configuration */
    combgpu_u128 count; /* every image of them: 192 * squares. The sum over all configurations is
                             the number of magic squares of order 6, every orientation */
    combgpu_run_info run; /* steps: 24 * 23 * 22 * 20 * 19 for a configuration, choices of five
                             cells. checksum: sum of a hash of each step's number and its squares */
} combgpu_magic_diagonals_result;

/* Counts the squares over a range of configurations: for each way to fill rows 2 and 3 the rest as in
   combgpu_magic_estimate, all of them. About 5 s for a configuration on a CPU core, 0.11 s on an
   H200. Ranges, like shards, add up. Errors: INVALID_ARGUMENT, and all errors of runs. */
COMBGPU_API combgpu_status combgpu_magic_diagonals(combgpu_context *ctx,
                                                   const combgpu_magic_diagonals_desc *desc,
                                                   combgpu_magic_diagonals_result *result);
COMBGPU_API combgpu_status combgpu_magic_diagonals_begin(combgpu_context *ctx,
                                                         const combgpu_magic_diagonals_desc *desc,
                                                         combgpu_job **job);
COMBGPU_API combgpu_status combgpu_magic_diagonals_end(combgpu_job *job,
                                                       combgpu_magic_diagonals_result *result);

/* Writes a configuration to square[36]: its 12 numbers, 0 elsewhere (as combgpu_magic takes givens).
   Errors: INVALID_ARGUMENT, OUT_OF_MEMORY. Up to 0.3 s. */
COMBGPU_API combgpu_status combgpu_magic_diagonals_get(combgpu_context *ctx, uint64_t configuration,
                                                       int *square);

