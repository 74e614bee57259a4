/* ============================================================== SECTION 3: no-three-in-line == */
/* Place 2n points on an n x n grid so that no three lie on one line of any slope: two in every row
   and column. A board is an array of n masks, one a row; bit x of row y is the point in column x.
 */

/* Symmetry classes: the subgroup of D4 that maps a solution to itself. NEAR_ROT4 (rct4) solutions
   are quarter-turn symmetric except on the two long diagonals; they are part of ROT2. The name is
   used for odd sides alone; on an even side a search for NEAR_ROT4 finds such solutions too, beside
   those with a quarter turn, and counts them as ROT2 (n = 4, 24 and 26 have some). */
typedef enum combgpu_no3_class {
    COMBGPU_NO3_ALL = 0, /* in a description: search everything */
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

/* Receives one solution (n row masks) and its exact class. Nonzero stops the run. */
typedef int (*combgpu_no3_fn)(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user);

typedef struct combgpu_no3_desc {
    int n;                      /* grid side, 2 to 64; to 32 if symmetry is ALL */
    combgpu_no3_class symmetry; /* ALL, or search only solutions with at least this symmetry */
    combgpu_no3_fn solution;    /* NULL = count only */
    void *solution_user;
    int every_orientation;    /* solution gets: 0 = one of each class, canonical; 1 = all its images
                              that differ (8, fewer if it is symmetric) */
    uint64_t limit;           /* end with FOUND after this many calls of solution, or, without one,
                              this many solutions up to symmetry; 0 = no limit. A job that is
                              stepped on goes on to as many again */
    const uint64_t *on, *off; /* n row masks each, copied; NULL = none: search only boards that have
                                 all points of `on` and none of `off`. See "fixed cells" below */
    uint64_t seed;            /* 0 = from the centre out; else in a random order that this number
                                 gives. See "first solution" below */
    combgpu_run_desc run;
} combgpu_no3_desc;

typedef struct combgpu_no3_result {
    uint64_t all;            /* boards as they stand, every orientation (ALL: OEIS A000755) */
    uint64_t up_to_symmetry; /* up to the 8 symmetries (ALL: A000769): the sum of classes, without
                                near_rot4, which is part of rot2 */
    uint64_t classes[COMBGPU_NO3_CLASS_COUNT]; /* up to symmetry, by exact class */
    uint64_t restarts;    /* this shard's pieces of the tree begun; 0 without a seed */
    combgpu_run_info run; /* steps: propagation passes after the frontier; checksum: sum of a hash
                             of each canonical solution */
} combgpu_no3_result;

/* Enumerates solutions: exhaustive, depth-first, lines from the centre out, symmetric copies cut
   off near the root. A search for one class finds the solutions that have that symmetry, or a
   larger one, and counts them by their exact class. Boards are those orbits of cells under the
   symmetry that a solution is made of, so such a search is far shorter than the full one.
   On one core n = 10 takes 0.02 s, n = 12 half a second to a second; each further step up to nine
   times as much, with rot4 twice as much. An H200 does n = 14 in 0.12 s, n = 16 in 8 s, and uses
   less than 1 GiB. Errors: INVALID_ARGUMENT, UNSUPPORTED (ALL with n > 32), and all errors of runs.
   Method: A. Flammenkamp 1992, 1998 (two points a line, symmetry classes).

   Fixed cells. With desc.on or desc.off the search is for the boards that have all of those points
   and none of these, in the one orientation in which they are given: result.all counts such boards
   as they stand, with the symmetry asked for about any of its axes (dia1: either diagonal; ort1:
   either middle line). result.up_to_symmetry and classes count two of them that are images of each
   other once, and `solution` gets the smallest of these, or with every_orientation each of them.
   Symmetric copies are cut off as far as the fixed cells are symmetric themselves. Cells that no
   solution can have together are no error: the answer is 0. NULL and all zeros mean the same.

   First solution. With limit 1 and a seed the search stops at the first solution of a random order
   that the seed gives; with run.time_limit_s it gives up in time. The tree is cut into pieces of
   some 10 million steps (on a GPU, of some billions), at random; they are searched one after the
   other, each from places all over the tree, as with restarts, but none twice: COMBGPU_OK means that
   there are no more solutions. That is what large sides need: all solutions for rot4, n = 44, take
   a thousand times as long as one. The solutions of a piece come when it is done, in an order that
   the seed gives too, so the first does not depend on threads, slices, stop and resume, nor on the
   device if it is a CPU; GPUs of another size have other pieces. Counts are those of the search
   without a seed; the steps can differ by a few percent. Progress and combgpu_job_estimate take the
   pieces to come for as large as those begun; the error of that is not known. */
COMBGPU_API combgpu_status combgpu_no3(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                       combgpu_no3_result *result);
COMBGPU_API combgpu_status combgpu_no3_begin(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                             combgpu_job **job);
COMBGPU_API combgpu_status combgpu_no3_end(combgpu_job *job, combgpu_no3_result *result);

typedef struct combgpu_no3_report {
    int is_solution; /* 2n points, two in each row and column, no three in line */
    int points;
    int bad_row, bad_column; /* first with other than two points; -1 if none */
    int has_line;            /* three collinear points exist: line_x, line_y (columns, rows) */
    int line_x[3], line_y[3];
    combgpu_no3_class symmetry; /* IDEN to FULL (NEAR_ROT4 where it applies) */
} combgpu_no3_report;

/* Checks a board of side 1 to 64. Errors: INVALID_ARGUMENT (n, a point outside the grid). O(n^3) */
COMBGPU_API combgpu_status combgpu_no3_check(combgpu_context *ctx, int n, const uint64_t *rows,
                                             combgpu_no3_report *report);

/* Writes the smallest of the 8 images (rows compared as numbers, first row first) to out[n], which
   may be `rows`. Errors: as above. */
COMBGPU_API combgpu_status combgpu_no3_canonical(combgpu_context *ctx, int n, const uint64_t *rows,
                                                 uint64_t *out);

/* Board as run-length encoded pattern text ("x = 4, y = 4" header, b = empty, o = point, $ = end of
   row, ! = end), as Life programs read it, NUL-terminated. *needed (may be NULL) gets the size with
   its NUL; if `bytes` is less, the text is "" (call it with NULL, 0 to ask).
   Errors: INVALID_ARGUMENT (n, a point outside the grid, bytes too small). */
COMBGPU_API combgpu_status combgpu_no3_to_rle(combgpu_context *ctx, int n, const uint64_t *rows,
                                              char *text, size_t bytes, size_t *needed);

/* Reads such text (comment lines that begin with #, any rule, runs of $ and a missing tail of a row
   are understood) into rows[64]; *n gets the side. Text after ! is not looked at.
   Errors: INVALID_ARGUMENT, BAD_FILE with line and reason (not square, larger than 64). */
COMBGPU_API combgpu_status combgpu_no3_from_rle(combgpu_context *ctx, const char *text,
                                                size_t bytes, int *n, uint64_t *rows);

/* Draws a board as text, one line a row, ". o " characters; sizes as for combgpu_no3_to_rle. */
COMBGPU_API combgpu_status combgpu_no3_draw(combgpu_context *ctx, int n, const uint64_t *rows,
                                            char *text, size_t bytes, size_t *needed);

/* A board as an SVG picture: the grid's lines, a disc at each point, and above them a title (UTF-8;
   NULL or "" = none). Three points that combgpu_no3_check would name are red and joined by a line.
   Sizes as for combgpu_no3_to_rle. Errors: INVALID_ARGUMENT. */
COMBGPU_API combgpu_status combgpu_no3_to_svg(combgpu_context *ctx, int n, const uint64_t *rows,
                                              const char *title, char *text, size_t bytes,
                                              size_t *needed);

/* A board in A. Flammenkamp's one-line code, in which his lists of solutions are written: a
   character for the symmetry class, then for each row, the first one first, the two columns of its
   points, smaller one first, a character each: 0-9 A-Z a-z # $ are 0 to 63. Classes: . iden, / dia1,
   - ort1, : rot2, c near_rot4, x dia2, o rot4, + ort2, * full. No newline; sizes as for
   combgpu_no3_to_rle. Errors: INVALID_ARGUMENT (also a row that has not two points). */
COMBGPU_API combgpu_status combgpu_no3_to_flammenkamp(combgpu_context *ctx, int n,
                                                      const uint64_t *rows, char *text,
                                                      size_t bytes, size_t *needed);

/* Reads such a line: the first of `text` that has more than spaces in it; spaces and a carriage
   return at its ends are skipped, the columns of a row may come in either order. rows[64] gets the
   board, *n its side, *symmetry (may be NULL) the class that the line claims: it is not checked, nor
   is the board. *used (may be NULL) gets how many bytes were read, the newline included: the next
   board of a list begins there. Errors: INVALID_ARGUMENT, BAD_FILE with line and reason. */
COMBGPU_API combgpu_status combgpu_no3_from_flammenkamp(combgpu_context *ctx, const char *text,
                                                        size_t bytes, int *n, uint64_t *rows,
                                                        combgpu_no3_class *symmetry, size_t *used);

