/* ============================================================== SECTION 3: no-three-in-line == */
/* The problem: 2n points on an n x n grid, two in every row and column, no three in line.
   A board is an array of n masks, one for each row; bit x of row y is the point in column x. From n
   = 65 on a row has two words, columns 0 to 63 first: the point in column x of row y is bit x % 64
   of word y * COMBGPU_NO3_ROW_WORDS(n) + x / 64. */
#define COMBGPU_NO3_ROW_WORDS(n) ((n) > 64 ? 2 : 1)
#define COMBGPU_NO3_BOARD_WORDS 256 /* of the largest board, n = 128 */

/* Symmetry classes: the subgroup of D4 that maps a solution to itself. NEAR_ROT4 (rct4) solutions
   have quarter-turn symmetry except on the two long diagonals; they are part of ROT2. Only
   solutions with an odd side count as NEAR_ROT4. With an even side a search for NEAR_ROT4 also
   finds such solutions, besides those with a quarter turn, and counts them as ROT2 (n = 4, 24, 26
   have some). */
typedef enum combgpu_no3_class {
    COMBGPU_NO3_ALL = 0, /* in a description: all solutions */
    COMBGPU_NO3_IDEN,    /* no symmetry (only counted) */
    COMBGPU_NO3_DIA1,    /* one diagonal reflection */
    COMBGPU_NO3_ORT1,    /* one orthogonal reflection */
    COMBGPU_NO3_ROT2,    /* half turn */
    COMBGPU_NO3_NEAR_ROT4,
    COMBGPU_NO3_DIA2, /* both diagonal reflections */
    COMBGPU_NO3_ROT4, /* quarter turn */
    COMBGPU_NO3_ORT2, /* both orthogonal reflections */
    COMBGPU_NO3_FULL, /* all eight */
    COMBGPU_NO3_CLASS_COUNT
} combgpu_no3_class;

/* "iden", "dia1", ... "full"; "all". */
COMBGPU_API const char *combgpu_no3_class_string(combgpu_no3_class symmetry);

/* Receives one solution (a board) and its exact class. Nonzero stops the run. */
typedef int (*combgpu_no3_fn)(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user);

typedef struct combgpu_no3_desc {
    int n;                      /* grid side, 2 to 128; at most 32 if symmetry is ALL */
    combgpu_no3_class symmetry; /* ALL, or a symmetry required of every solution */
    combgpu_no3_fn solution;    /* NULL = count only */
    void *solution_user;
    int every_orientation;    /* 0 = `solution` gets the canonical one of up to 8 images; 1 = all
                              different images. Checkpoints omit this: resume with the same value,
                              or the list mixes both */
    uint64_t limit;           /* end with FOUND after this many calls of `solution` or, without it,
                              this many solutions up to symmetry; 0 = no limit. A job stepped again
                              ends after as many more */
    const uint64_t *on, *off; /* a board each, copied; NULL = none: find boards with all points of
                                 `on` and none of `off`. See "Fixed cells" below */
    uint64_t seed;            /* 0 = search from the centre out; else in a random order of this
                                 seed. See "First solution" below */
    combgpu_run_desc run;
} combgpu_no3_desc;

typedef struct combgpu_no3_result {
    uint64_t all;            /* boards, every orientation counted (ALL: OEIS A000755) */
    uint64_t up_to_symmetry; /* boards up to the 8 symmetries (ALL: OEIS A000769): the sum of
                                classes without near_rot4, part of rot2 */
    uint64_t classes[COMBGPU_NO3_CLASS_COUNT]; /* up to symmetry, by exact class */
    uint64_t restarts;    /* chunks of the tree that this shard began; 0 without a seed */
    combgpu_run_info run; /* steps: propagation passes after the frontier; checksum: sum of a hash
                             of each canonical solution */
} combgpu_no3_result;

/* Enumerates solutions: exhaustive, depth-first, lines from the centre out, symmetric copies cut
   off near the root. A search for one class finds solutions with that symmetry, or a larger one,
   and counts them by exact class. It places whole orbits of cells under the symmetry, and is far
   shorter than the full search. On one core n = 10 takes 0.02 s, n = 12 half a second to a second;
   each further n takes up to nine times as long, with rot4 twice as long. An H200 takes 0.12 s for
   n = 14 and 4.5 s for n = 16, and less than 1 GiB. Above n = 64 the CPU works, whatever the
   device, without tables of pairs: a step takes some 10 to 30 microseconds, and symmetric copies
   are discarded only when complete. Errors: INVALID_ARGUMENT, UNSUPPORTED (ALL with n > 32), and
   all errors of runs. Method: A. Flammenkamp 1992, 1998 (two points a line,
   symmetry classes).

   Fixed cells. The search finds boards with all points of desc.on and none of desc.off, in the
   given orientation. result.all counts them; their symmetry may be about any of its axes (dia1:
   either diagonal; ort1: either middle line). Images of each other count once in
   result.up_to_symmetry and result.classes; `solution` gets the smallest, or with every_orientation
   each. Symmetric copies are cut off as far as the fixed cells are symmetric themselves.
   Contradictory cells are no error: the answer is 0. NULL and all zeros mean the same.

   First solution. With limit 1 and a seed the search stops at the first solution in the seed's
   random order; run.time_limit_s limits the time. Large sides need this: all solutions for rot4, n
   = 44, take a thousand times as long as one. If any board will do, ask for more symmetry: a rot4
   solution also counts for rot2 and all, and one core finds it in 0.01 s for n = 20, 0.1 s for n =
   28, a second for n = 36. The tree is cut at random into chunks of some 10 million steps (on a
   GPU, some billions), each with parts from all over the tree. Chunks are searched one after the
   other, as with restarts, but no part twice: COMBGPU_OK means no more solutions exist. A chunk's
   solutions come when it is done, in an order that also depends on the seed alone. The first
   solution is therefore the same for all threads, slices, stops and resumes, and on every CPU. GPUs
   of different sizes have different chunks: shards begun on unlike devices cannot be merged
   (COMBGPU_WRONG_JOB). Counts equal those of the search without a seed; the steps can differ by a
   few percent. Progress and combgpu_job_estimate assume that later chunks are as large as those
   begun, with unknown error. */
COMBGPU_API combgpu_status combgpu_no3(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                       combgpu_no3_result *result);
COMBGPU_API combgpu_status combgpu_no3_begin(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                             combgpu_job **job);
COMBGPU_API combgpu_status combgpu_no3_end(combgpu_job *job, combgpu_no3_result *result);

typedef struct combgpu_no3_report {
    int is_solution; /* 2n points, two in each row and column, no three in line */
    int points;
    int bad_row, bad_column; /* the first without exactly two points; -1 if none */
    int has_line; /* nonzero if three points are in line: line_x, line_y (columns, rows) */
    int line_x[3], line_y[3];
    combgpu_no3_class symmetry; /* IDEN to FULL (NEAR_ROT4 where it applies) */
} combgpu_no3_report;

/* Checks a board of side 1 to 128, in O(n^3).
   Errors: INVALID_ARGUMENT (n, a point outside the grid). */
COMBGPU_API combgpu_status combgpu_no3_check(combgpu_context *ctx, int n, const uint64_t *rows,
                                             combgpu_no3_report *report);

/* Writes the smallest of the 8 images (rows compared as numbers, first row first) to `out`, which
   has room for such a board and may be `rows`. Errors: as above. */
COMBGPU_API combgpu_status combgpu_no3_canonical(combgpu_context *ctx, int n, const uint64_t *rows,
                                                 uint64_t *out);

/* Writes a board as run-length encoded pattern text, as Life programs read it, NUL-terminated;
   header "x = 4, y = 4", b = empty, o = point, $ = end of row, ! = end. *needed (may be NULL) gets
   the size with its NUL. A smaller `bytes` leaves the text ""; NULL and 0 ask for the size alone.
   Errors: INVALID_ARGUMENT (n, a point outside the grid, bytes too small). */
COMBGPU_API combgpu_status combgpu_no3_to_rle(combgpu_context *ctx, int n, const uint64_t *rows,
                                              char *text, size_t bytes, size_t *needed);

/* Reads such text into rows[COMBGPU_NO3_BOARD_WORDS]; *n gets the side. It accepts comment lines
   that begin with #, blanks (spaces, tabs, carriage returns), any rule, runs of $ and rows without
   their tail, and ignores text after !. Errors: INVALID_ARGUMENT, BAD_FILE with line and reason
   (not square, larger than 128). */
COMBGPU_API combgpu_status combgpu_no3_from_rle(combgpu_context *ctx, const char *text,
                                                size_t bytes, int *n, uint64_t *rows);

/* Draws a board as text, a line for each row: o = point, . = empty, with spaces between. Sizes and
   errors as for combgpu_no3_to_rle. */
COMBGPU_API combgpu_status combgpu_no3_draw(combgpu_context *ctx, int n, const uint64_t *rows,
                                            char *text, size_t bytes, size_t *needed);

/* Writes a board as an SVG picture: the grid's lines, a disc at each point, and above them a title
   (UTF-8; NULL or "" = none). The three points that combgpu_no3_check reports are red and joined by
   a line. Sizes and errors as for combgpu_no3_to_rle. */
COMBGPU_API combgpu_status combgpu_no3_to_svg(combgpu_context *ctx, int n, const uint64_t *rows,
                                              const char *title, char *text, size_t bytes,
                                              size_t *needed);

/* Writes the instance of `desc` (n, symmetry, on and off; the rest is ignored; ALL up to n = 128) as
   clauses in the DIMACS format of SAT solvers. A variable is an orbit of cells under the symmetry;
   comments list its cells. The clauses' solutions are the boards with that symmetry about one
   choice of axes: dia1 the main diagonal, ort1 left to right; near_rot4 with or without a quarter
   turn. Clauses: no three cells in line; whichever cell of a row or column is left out, at least
   one of the others. Sizes as for combgpu_no3_to_rle: 68 KB for all n = 10, 29 MB for rot4, n = 52.
   O(n^4 log n) clauses at most. Errors: INVALID_ARGUMENT. */
COMBGPU_API combgpu_status combgpu_no3_to_dimacs(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                                 char *text, size_t bytes, size_t *needed);

/* Writes a board in the one-line code of A. Flammenkamp's lists of solutions: a character for the
   symmetry class, then for each row from the first on its points' two columns, the smaller first, a
   character each of 0-9 A-Z a-z #$%&@?!()[]<>{}=*+|-/~^_:;,. for columns 0 to 89. Classes:
   . iden, / dia1, - ort1, : rot2, c near_rot4, x dia2, o rot4, + ort2, * full. No newline; sizes as
   for combgpu_no3_to_rle. Errors: INVALID_ARGUMENT (n above 90; a row without exactly two points).
   Source: https://wwwhomes.uni-bielefeld.de/achim/no3in/encoding, the table of 2026. */
COMBGPU_API combgpu_status combgpu_no3_to_flammenkamp(combgpu_context *ctx, int n,
                                                      const uint64_t *rows, char *text,
                                                      size_t bytes, size_t *needed);

/* Reads such code from the first nonblank line of `text`, skipping spaces and a carriage return at
   its ends; a row's columns may come in either order. rows, with room for COMBGPU_NO3_BOARD_WORDS,
   gets the board, *n its side, *symmetry (may be NULL) the class that the line claims, ALL for ?
   (unknown); neither board nor class is checked. *used (may be NULL) gets the bytes read, with the
   newline: a list's next board begins there. Errors: INVALID_ARGUMENT, BAD_FILE with line and
   reason. */
COMBGPU_API combgpu_status combgpu_no3_from_flammenkamp(combgpu_context *ctx, const char *text,
                                                        size_t bytes, int *n, uint64_t *rows,
                                                        combgpu_no3_class *symmetry, size_t *used);
