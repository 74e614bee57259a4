/* ================================================================= SECTION 2: magic squares == */
/* A magic square of order n holds 1 .. n*n once each; every row, every column and both diagonals
   add up to n(n*n+1)/2. Squares are arrays of n*n ints, row by row; rows and columns count from 0.
   Two squares are equal up to symmetry if one of the 8 rotations and reflections (the group D4)
   maps one to the other. The Frenicle form is the image with the smallest corner top left and
   a[0][1] < a[1][0]. */

typedef enum combgpu_magic_kind {
    COMBGPU_MAGIC_NORMAL = 0,   /* rows, columns, both diagonals */
    COMBGPU_MAGIC_SEMI,         /* rows and columns; the diagonals may have any sum */
    COMBGPU_MAGIC_PANDIAGONAL,  /* normal, with all broken diagonals */
    COMBGPU_MAGIC_ASSOCIATIVE,  /* normal; cells opposite each other about the centre add up to
                                   n*n+1 */
    COMBGPU_MAGIC_ULTRAMAGIC,   /* pandiagonal and associative */
    COMBGPU_MAGIC_BIMAGIC,      /* normal, and the squares of the numbers in each of these lines
                                  add up to n(n*n+1)(2*n*n+1)/6 */
    COMBGPU_MAGIC_MOST_PERFECT, /* pandiagonal of order 4k; each 2 x 2 block, across the edges too,
                                  adds up to 2(n*n+1), and two cells n/2 rows and n/2 columns apart
                                  to n*n+1 */
    COMBGPU_MAGIC_FRANKLIN /* order 4k; half rows, half columns, 2 x 2 blocks and diagonals bent in
                                  the middle, across the edges too, have their share of the magic
                                  sum. The straight diagonals may have any sum */
} combgpu_magic_kind;

/* Receives one square. Nonzero stops the run; the next step, or a resumed run, continues with the
   next square. */
typedef int (*combgpu_magic_fn)(const int *square, int order, void *user);

typedef struct combgpu_magic_desc {
    int order; /* 1 to 10. From order 6 on the whole search would take too long, except for kinds
                  with few squares: set givens (order 6 with 24 free cells takes seconds), a limit,
                  run.time_limit_s or a small shard */
    combgpu_magic_kind kind;
    const int *givens;  /* order*order numbers, 0 = free; NULL = none. Read only by begin */
    const int *numbers; /* orders 1 to 5: order*order different integers from -400,000,000 to
                                  400,000,000 in any order, instead of 1 .. n*n; NULL = 1 .. n*n.
                                  Read only by begin. n*n+1 above then means twice their mean;
                                  by_centre and checksum use ranks (1 for the smallest number, then
                                  2 ...). An arithmetic progression is as fast as 1 .. n*n; other
                                  numbers are searched cell by cell and cannot be bimagic */
    int sum; /* with `numbers`: the line sum, which must be their sum / order; 0 = derive it */
    combgpu_magic_fn solution; /* NULL = count only; takes a quarter of the time for order 5 */
    void *solution_user;
    int frenicle;   /* 0: solution gets every square; 1: one of each class up to symmetry, in
                       Frenicle form (which may move the givens) */
    uint64_t limit; /* end with FOUND after this many calls of solution or, without solution, when
                       `count` reaches it; 0 = no limit. With solution, a job resumed after that
                       gets as many more */
    int checksum;   /* nonzero: run.checksum covers the squares even if normal squares of order 5
                       are only counted; takes 1.6 times as long on a GPU, 3 times on a
                       CPU */
    combgpu_run_desc run;
} combgpu_magic_desc;

typedef struct combgpu_magic_result {
    uint64_t count;         /* squares in every orientation (with givens: those that agree) */
    uint64_t up_to_d4;      /* classes up to symmetry that have a square counted in `count` */
    uint64_t up_to_m_group; /* classes up to symmetry and M-group (permutations of rows and columns
                               that keep both diagonals). Only for orders 3 to 5 with at most the
                               centre given; else 0. Also 0 for pandiagonal, ultramagic,
                               most-perfect and Franklin squares, whose images may be of another
                               kind */
    uint64_t by_centre[26]; /* up_to_d4 by the number in the centre; orders 3 and 5 only */
    combgpu_run_info run;   /* steps: numbers tried in cells, diagonal configurations joined, or
                               chunks of other searches. checksum: sum over classes of FNV-1a-64 of
                               the Frenicle form's bytes. Where associative order 7 or order 5 is
                               only counted (order 5: no solution; at most the centre given, and on
                               the diagonals of normal squares up to 3 other numbers; normal without
                               desc.checksum, or semi-magic): sum of a hash of each chunk of the
                               search and its count */

} combgpu_magic_result;

/* Counts or lists all magic squares of a kind that agree with the givens.
   Errors: INVALID_ARGUMENT (order or kind; givens that repeat a number, are out of range or already
   break a line: the message names the cells), UNSUPPORTED (order above 10), and all errors of runs.
   The method is a depth-first search over cells. For orders 7 to 10, most-perfect and Franklin
   squares it solves the lines' linear equations, chooses numbers for a smallest set of cells that
   fixes all others, and runs on the CPU whatever the context. All most-perfect squares of order 8
   (368,640 up to symmetry) take seconds; two missing rows of order 7 take no time. Without givens
   it uses other methods:
      normal order 4      assembled from both diagonals: half a millisecond
      normal order 5      (also with the centre given) counted by joining two rings of 8 cells
                          over both diagonals, 8.2 million configurations: 12 s on one core with
                          AVX-512 (VBMI2), half a minute without, 0.02 s on an H200
                          With 1 to 3 numbers on the diagonals given as well, and no solution, only
                          configurations that agree with them are joined: never slower than all
      ultramagic order 7  lifted from residues mod 4 to residues mod 64, on every backend: all
                          20,190,684 squares, counted or listed
      associative order 7 without solution, limit and checksum: counted in shards, on every
                          backend: 1,125,154,039,419,854,784 up to symmetry in all (W. Trump), so
                          set run.shard_count, to any int. A shard's steps are spread evenly
                          over all 6,236,390,160, so its count times shard_count estimates the
                          total. A shard of 1,000,000 takes 9 s on one core with AVX-512 (VBMI2),
                          some 50 s with AVX2
      semi-magic order 5  without solution: counted by partitions of 1 .. 25 into 5 rows and into
                          5 columns: 4 s on one core, 0.1 s on an H200. */
COMBGPU_API combgpu_status combgpu_magic(combgpu_context *ctx, const combgpu_magic_desc *desc,
                                         combgpu_magic_result *result);
COMBGPU_API combgpu_status combgpu_magic_begin(combgpu_context *ctx, const combgpu_magic_desc *desc,
                                               combgpu_job **job);
/* Fills *result and frees the job. Returns OK, FOUND, STOPPED or the error that ended the job. */
COMBGPU_API combgpu_status combgpu_magic_end(combgpu_job *job, combgpu_magic_result *result);

/* A LIST of squares in a fixed order: request any range. Square number k is the same on every
   backend.

   Normal squares of order 5, with at most the centre given, are ordered by
      - the smaller of the centre and 26 - centre; then the numbers of the two diagonals without the
        centre: each diagonal an ascending set, the lexicographically lesser one (A) before the
        other (B), pairs of sets in lexicographic order
      - the way A and B lie on the diagonals, 36 up to the M-group: A[0] in the corner
        (0,0) with A[1], A[2], A[3] opposite; for each of these, B[i] in (0,4) and B[j] in (4,0),
        i < j in lexicographic order; for each of these, the greater of the other two numbers of B
        in (3,1), then in (1,3)
      - the numbers in cells (0,1) (0,3) (4,1) (4,3) (1,0) (3,0) (1,4) (3,4)
      - the square before its complement; rows and columns in the orders 01234, 10243, 03214, 14203;
        and, unless `frenicle` is set, orientations 0 to 7 (the sum of 1 = transposed, 2 = rows
        reversed, 4 = columns reversed).
   Only the parts of the search that hold the requested squares run. Once per context, locating them
   takes as long as counting all squares.

   All other lists are in lexicographic order of their squares, row by row (with `frenicle`: of the
   Frenicle forms). A search finds all squares and sorts them in memory, so order 6 and semi-magic
   order 5 need givens that leave few completions. If run.time_limit_s ends such a search, it
   delivers no squares. */
typedef struct combgpu_magic_list_desc {
    int order; /* this and the next three fields: as in combgpu_magic_desc */
    combgpu_magic_kind kind;
    const int *givens;
    int frenicle;
    uint64_t first, count; /* squares first .. first + count - 1 of the list, as far as they exist;
                              count 0 = all from `first` on */
    /* where to write: exactly one of solution, out, device_out and path */
    combgpu_magic_fn solution; /* each square in turn */
    void *solution_user;
    unsigned char *out;               /* order*order bytes a square, row by row */
    size_t out_bytes;                 /* size of out; too small is an error */
    combgpu_device_memory device_out; /* the same bytes on the device; only the first result.count
                                         squares are defined */
    const char *path;                 /* a file to overwrite: the same bytes, or text */
    int text;             /* with path: one line per row, an empty line after each square */
    combgpu_run_desc run; /* checkpoints are unsupported: continue a stopped list at first +
                             result.count. A shard is an equal part of the range. Normal squares of
                             order 5 are not verified */
} combgpu_magic_list_desc;

typedef struct combgpu_magic_list_result {
    uint64_t total;       /* squares in the whole list */
    uint64_t count;       /* squares delivered, from `first` (or the shard's first square) on */
    combgpu_run_info run; /* checksum: sum of FNV-1a-64 over the squares delivered; 0 for
                             device_out. device_seconds: excludes locating squares */
} combgpu_magic_list_result;

/* Delivers a range of a list. Returns OK, STOPPED (solution or run.progress returned nonzero, or
   the time limit passed), or an error: those of combgpu_magic; FILE_ERROR; INVALID_ARGUMENT if
   `first` lies beyond the list, the squares do not fit, not exactly one output is set, or run asks
   for a checkpoint or a merge. */
COMBGPU_API combgpu_status combgpu_magic_list(combgpu_context *ctx,
                                              const combgpu_magic_list_desc *desc,
                                              combgpu_magic_list_result *result);

/* Properties of a square, line by line. */
typedef struct combgpu_magic_report {
    int64_t magic_sum;             /* n(n*n+1)/2 */
    int64_t rows[64], columns[64]; /* the first `order` are set */
    int64_t diagonals[2];          /* main (top left to bottom right), other */
    int64_t broken[2][64];         /* sums of the diagonals that begin in row 0, by column, and wrap
                                      around: [0] down to the right, [1] down to the left */
    int is_permutation;            /* 1 .. n*n once each */
    int is_semimagic, is_magic, is_pandiagonal, is_associative, is_ultramagic, is_frenicle;
    int is_bimagic;
    int wrong_cell;  /* index of the first cell out of range or repeated; -1 if none */
    int repeats;     /* index of an earlier cell with the same number; -1 if none */
    int wrong_lines; /* number of rows, columns and (two) diagonals with a wrong sum */
    char wrong[160]; /* the first fault in words: cell or line, sum and magic sum; "" if magic */
    int is_trimagic; /* bimagic, and magic with cubes */
    int is_most_perfect, is_franklin; /* as the kinds of these names */
    int is_self_complementary; /* replacing each number x by n*n + 1 - x rotates or reflects the
                                  square, which need not be magic */
    int inner_squares; /* how many of the central squares of order n-2, n-4 ... 3 have equal sums of
                          rows, columns and diagonals */
    int is_concentric; /* magic, of order 5 or more, with all of these */
    int64_t corners,
        middle; /* the sums of the four corners and of the middle 2 x 2 cells (odd orders: the
                                centre). In every magic square of order 4 both equal the magic
                                sum */
} combgpu_magic_report;

/* Checks a square of order 1 to 64 (ctx only carries the message). All is_ fields except
   is_frenicle also require is_permutation. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_check(combgpu_context *ctx, int order, const int *square,
                                               combgpu_magic_report *report);

/* Writes the Frenicle form of `square` to `out` (order*order ints each, may be the same array), for
   orders 1 to 10000. The square need not be magic: the first of equal corners counts, and a[0][1] =
   a[1][0] means no transposition. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_frenicle(combgpu_context *ctx, int order,
                                                  const int *square, int *out);

/* Writes one magic square of any order from 3 to 10000 to out[order*order]: odd orders by the
   Siamese method, multiples of 4 by complementing, the others by Strachey's method. Errors:
   INVALID_ARGUMENT. O(n^2). */
COMBGPU_API combgpu_status combgpu_magic_construct(combgpu_context *ctx, int order, int *out);

/* Writes one square of a kind, of order 3 to 10000, if one is known:
      NORMAL, SEMI   a normal square of any order
      ASSOCIATIVE    odd orders and multiples of 4
      PANDIAGONAL    odd orders from 5 on and multiples of 4
      ULTRAMAGIC     odd orders from 5 on and multiples of 4 from 8 on
      BIMAGIC        orders whose prime factors all occur twice or more, except 4 times odd
                     numbers: 8, 9, 16, 25, 27, 32, 49, 64, 72 ...
   Odd orders: two linear forms mod n, with the residues renamed if n is a multiple of 3.
   Multiples of 4: complements with periodic signs. Bimagic: linear forms over finite fields (after
   G. Tarry 1903). Errors: INVALID_ARGUMENT (also if no such square exists: associative, pandiagonal
   and ultramagic orders 4k + 2; pandiagonal 3; ultramagic 3 and 4; bimagic 3 to 7), UNSUPPORTED
   (bimagic squares of other orders). O(n^2), bimagic O(n^2 log n). */
COMBGPU_API combgpu_status combgpu_magic_construct_kind(combgpu_context *ctx, int order,
                                                        combgpu_magic_kind kind, int *out);

/* Writes rotation or reflection number `symmetry` (0 to 7) of the square to `out`, another array.
   The bits of `symmetry` are applied in the order 4 = flip columns, 2 = flip rows (upside down), 1
   = transpose. Orders 1 to 10000. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_symmetry(combgpu_context *ctx, int order,
                                                  const int *square, int symmetry, int *out);

/* Sets *count to the number of M-transformations, 2^h h! with h = n/2 rounded down, for orders 1 to
   33. An M-transformation permutes rows and columns alike by a permutation p of 0 .. n-1 with
   p(n-1-i) = n-1-p(i); a magic square stays magic. With the rotations and reflections they form a
   group of 4 * 2^h h! elements: 32 for orders 4 and 5, 192 for 6 and 7. */
COMBGPU_API combgpu_status combgpu_magic_m_count(combgpu_context *ctx, int order, uint64_t *count);

/* Writes M-transformation number `index` (less than that count; 0 is the identity) of the square to
   `out`, another array: out[i][j] = square[p(i)][p(j)]. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_m_transform(combgpu_context *ctx, int order,
                                                     const int *square, uint64_t index, int *out);

/* Writes the lexicographically first image of the square, row by row, under that group of 4 * 2^h
   h! elements to `out`, another array. Two squares have the same canonical form if and only if the
   group takes one to the other. Orders 1 to 10000. Errors: INVALID_ARGUMENT (also if equal numbers
   leave the choice open). O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_canonical(combgpu_context *ctx, int order,
                                                   const int *square, int *out);

/* Sets *type to the class of a magic square of order 4, 1 to 12, by the positions of the pairs that
   add up to 17 (H. E. Dudeney, The Queen, 1910), or to 0 for a pairing that no magic square has. In
   the pictures equal letters form a pair; each class's number of squares up to rotation and
   reflection follows, 880 in all. The numbers I, II, III and VI are Dudeney's; where classes have
   equal size, the pictures define the others.

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
    combgpu_magic_kind kind; /* NORMAL, SEMI; ASSOCIATIVE of order 4, 5, 7, 8, 9; ULTRAMAGIC of
                                order 5, 7, 8; PANDIAGONAL of order 5, 7 */
    uint64_t samples;        /* at most 2^40; 0 = 1,000,000. With relative_error: the maximum, and
                                0 = 2^40 */
    double relative_error;   /* nonzero: sample until standard error / estimate is at most this,
                                tested after 2^16 samples, then after the number that their error
                                suggests, at most 8 times as many; not with shards */
    uint64_t seed;
    combgpu_run_desc run;
} combgpu_magic_estimate_desc;

typedef struct combgpu_magic_estimate_result {
    double count;          /* squares in every orientation */
    double standard_error; /* of count; 0 = unknown (a single sample, or no square found) */
    double up_to_d4;       /* count / 8 */
    double relative_error; /* standard_error / count */
    double error_of_error; /* relative standard error of standard_error, from the samples' fourth
                              powers. Up to 0.05, the true value lies within 1.96 standard errors in
                              19 of 20 cases; above, in fewer. 0 = unknown (a
                              checkpoint of version 0.3.0) */
    double low, high; /* hold the true value in 19 of 20 cases, even with few samples: wider than
                              1.96 standard errors where these are uncertain. 0 = unknown (fewer
                              than 100 samples, or an unknown error) */
    uint64_t samples;
    uint64_t sum[2], squares[4]; /* of the samples and of their squares: 64-bit sums of 32-bit
                                    digits, lowest first. Add these to combine shards */
    int scale;                   /* count = (sum[0] + 2^32 sum[1]) * 2^scale / samples / repeats */
    int repeats;                 /* exact counts per sample, at most */
    combgpu_run_info run; /* steps: samples; checksum: sum of a hash of each sample and its value */
} combgpu_magic_estimate_result;

/* Estimates the number of squares of an order. A sample fills both diagonals (kind NORMAL), all
   rows except two outer pairs and all columns except three mirror pairs at random, cell by cell
   with known probabilities (numbers that keep the open lines near their mean are likelier). From
   order 6 on it then rearranges two of the rows, preferring ways that leave the outer columns more
   pairs: 4 of 576 ways for order 6, 16 for larger orders. For each it counts exactly the ways to
   fill the last 16 cells (8 for order 4, 12 for order 5), and divides by the probability of its
   choices: the mean of the samples is an unbiased estimate of the count. Sample i depends only on
   seed and i, and sums are integers, so value and error do not depend on backend, threads, slices
   or shards. Time for a standard error on one core: order 6,
   0.1 % in 28 s; order 8, 1 % in 7 s. On an H200: order 6, 0.01 % in 5 s; order 7, 0.1 % in 0.3 s;
   order 8, 1 % in 0.05 s.

   Associative and ultramagic squares: a sample chooses numbers for all but the last levels of the
   search by linear equations (combgpu_magic), preferring those that keep the equations near their
   mean, and counts the completions. For a standard error of 1 % one core needs: associative squares
   of order 7 0.6 s, order 8 20 s, order 9 6 s; ultramagic squares of order 8 2 minutes.

   Pandiagonal squares, and ultramagic ones of order 7: a sample draws residues mod 8 that the lines
   allow, takes some of the residues mod 16 above them, and counts the squares above these. For a
   standard error of 1 % one core needs: ultramagic squares 0.8 s, pandiagonal squares of order 7
   42 s.

   Estimates of these three kinds run on the CPU whatever the context. Errors: INVALID_ARGUMENT
   (also other kinds, and orders without squares of the kind), UNSUPPORTED (order above 11, or not
   named above), and all errors of runs. */
COMBGPU_API combgpu_status combgpu_magic_estimate(combgpu_context *ctx,
                                                  const combgpu_magic_estimate_desc *desc,
                                                  combgpu_magic_estimate_result *result);
COMBGPU_API combgpu_status combgpu_magic_estimate_begin(combgpu_context *ctx,
                                                        const combgpu_magic_estimate_desc *desc,
                                                        combgpu_job **job);
COMBGPU_API combgpu_status combgpu_magic_estimate_end(combgpu_job *job,
                                                      combgpu_magic_estimate_result *result);

/* Order 6 exactly, in parts. A magic square of order 6 has two disjoint magic series (6
   numbers that add up to 111) on its diagonals. Up to the group of 192 above there are
   861,985,427,400 such pairs of filled diagonals, the *configurations*; every square has exactly
   one up to the group. They are numbered by pairs of disjoint series A < B in lexicographic order,
   then by the 15 ways to put A on the main diagonal (as pairs of opposite cells, from the outside
   in by their smaller number, smaller number first), then by the 360 ways to put B on the other
   (a[0][5] < a[5][0]). */
#define COMBGPU_MAGIC_CONFIGURATIONS UINT64_C(861985427400)

typedef struct combgpu_magic_diagonals_desc {
    uint64_t first, count; /* configurations first .. first + count - 1; count 1 to 262144 */
    combgpu_run_desc run;
} combgpu_magic_diagonals_desc;

typedef struct combgpu_magic_diagonals_result {
    uint64_t squares;     /* with exactly these diagonals; about 860,000 per configuration */
    combgpu_u128 count;   /* with their images: 192 * squares. Summed over all configurations: the
                             number of magic squares of order 6 in every orientation */
    combgpu_run_info run; /* steps: 32 per configuration, equal parts of its search. checksum: sum
                             of a hash of each step's number and its squares */
} combgpu_magic_diagonals_result;

/* Counts the squares of a range of configurations by a three-set join: the 24 free numbers are
   split into a set of 8 for each pair of mirror rows, and the fillings that the sets allow in the 2
   x 2 blocks where mirror rows meet mirror columns are joined. Results of ranges, like those of
   shards, add up. Memory: a CPU thread reserves 150 MB and touches about 20 MB; a block on a GPU
   takes 37 MB; an NVIDIA GPU takes 37 MB for each of up to 128 configurations, at most a quarter of
   its free memory or half of memory_limit. Errors: INVALID_ARGUMENT, and all errors of runs. */
COMBGPU_API combgpu_status combgpu_magic_diagonals(combgpu_context *ctx,
                                                   const combgpu_magic_diagonals_desc *desc,
                                                   combgpu_magic_diagonals_result *result);
COMBGPU_API combgpu_status combgpu_magic_diagonals_begin(combgpu_context *ctx,
                                                         const combgpu_magic_diagonals_desc *desc,
                                                         combgpu_job **job);
COMBGPU_API combgpu_status combgpu_magic_diagonals_end(combgpu_job *job,
                                                       combgpu_magic_diagonals_result *result);

/* Writes a configuration to square[36]: its 12 numbers, 0 elsewhere (as givens of combgpu_magic).
   Takes up to 0.3 s. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY. */
COMBGPU_API combgpu_status combgpu_magic_diagonals_get(combgpu_context *ctx, uint64_t configuration,
                                                       int *square);
