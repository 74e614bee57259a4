/* Magic squares: the words of tables and the totals of slices, shared by host and kernels. */
#ifndef COMBGPU__MAGIC_LAYOUT_H
#define COMBGPU__MAGIC_LAYOUT_H

#define COMBGPU__MAGIC_LEVELS 32 /* of a plan, at most: see combgpu__cells_plan */
#define COMBGPU__MAGIC_SPREAD 15 /* from so many levels on, each begins with another number */
#define COMBGPU__MAGIC_WAYS 36u  /* arrangements of a pair of diagonals */

/* Totals of slices, beyond the steps. */
enum {
    COMBGPU__MAGIC_HASH = 1,      /* of the configurations and their counts */
    COMBGPU__MAGIC_JOINED = 1,    /* + centre, 1 to 13: squares up to the M-group */
    COMBGPU__MAGIC_ORTHOGONAL = 2 /* pairs of partitions (semi) */
};

/* The search: words of `tables`. The entry of a position begins with a word cell | lines << 8 |
   relations << 16. Two words for each of its lines follow: a byte with the sum, then a byte each
   for the positions of 5 cells filled before (the position after the last one always holds 0). Then
   comes a word for each relation: a position | 256 if this number must be greater than the one
   there.

   The lines of a position that begins a level have one more free cell after it. Those of other
   positions have none: the first line gives the number, the others check it.

   NUMBERS: a line has three words, the sum and 8 positions, and this position is its last cell. */
enum {
    COMBGPU__SEARCH_AT_CELLS = 0,
    COMBGPU__SEARCH_AT_LEVELS = 1,
    COMBGPU__SEARCH_AT_SQUARES = 2, /* sum of the squares of a line's numbers; 0 = any */
    COMBGPU__SEARCH_AT_START =
        3, /* + level: first position; one more for the end of the last level */
    COMBGPU__SEARCH_AT_ENTRY = 36, /* + position: index of its entry */
    COMBGPU__SEARCH_AT_FIRST = 72, /* of the entries */
    COMBGPU__SEARCH_AT_WORDS = COMBGPU__SEARCH_AT_FIRST + 36 * 25,
    COMBGPU__RANKS_AT_START = 2, /* for NUMBERS, in place of the above */
    COMBGPU__RANKS_AT_ENTRY = 28,
    COMBGPU__RANKS_AT_NUMBER = 53, /* by rank - 1 */
    COMBGPU__RANKS_AT_FIRST = 78,
    COMBGPU__RANKS_AT_WORDS = COMBGPU__RANKS_AT_FIRST + 25 * (1 + 3 * 17 + 4)
};
#define COMBGPU__MAGIC_TASK 12 /* words of a task, at most */

/* The join: words of `tables`. LIST is nonzero if configurations with squares become records. A
   rank entry is low | high << 16; the rank of a set with 8 bits is low[set & 255] + high[set >> 8].
   A way is 8 sides of 4 bits: top, bottom, left, right of ring 1, then of ring 2. A pair is two
   words: centre | A[i] << 5 + 5i, then B[i] << 5i. */
enum {
    COMBGPU__JOIN_AT_LIST = 0,
    COMBGPU__JOIN_AT_PAIRS = 1,
    COMBGPU__JOIN_AT_RANK = 2,
    COMBGPU__JOIN_AT_WAY = COMBGPU__JOIN_AT_RANK + 256,
    COMBGPU__JOIN_AT_PAIR = COMBGPU__JOIN_AT_WAY + 36 /* WAYS */
};

/* What a list does with the squares. */
enum { COMBGPU__MAGIC_HASHES = 0, COMBGPU__MAGIC_WRITES = 1, COMBGPU__MAGIC_COUNTS = 2 };

/* The list: words as in the join, with the goal in place of JOIN_AT_LIST. After the pairs come the
   first square of each pair, then these parameters. */
enum {
    COMBGPU__LIST_AT_CENTRE = 0,   /* given; 0 = none */
    COMBGPU__LIST_AT_FRENICLE = 1, /* one square of each class, else all orientations */
    COMBGPU__LIST_AT_FIRST = 2,    /* the square that is written first */
    COMBGPU__LIST_AT_COUNT = 3,
    COMBGPU__LIST_AT_SHIFT = 4, /* bytes from the work memory to the output, two words */
    COMBGPU__LIST_AT_WORDS = 6
};

/* Order 4: words of `tables`: the number of pairs, the ways as in the join, then two words a pair:
   A[i] << 5i and B[i] << 5i. */
enum { COMBGPU__FOUR_AT_PAIRS = 0, COMBGPU__FOUR_AT_WAY = 1, COMBGPU__FOUR_AT_PAIR = 37 };

#define COMBGPU__MAGIC_SERIES 1394 /* sets of 5 numbers with sum 65 */
#define COMBGPU__MAGIC_SEMI_PAIRS 23676
#define COMBGPU__MAGIC_SEMI_PARTS 8u

/* Semi-magic: words of `tables`: the number of units; for each least number, 1 to 26, the first of
   the series, which are in lexicographic order; the series, bit v for number v; the pairs, two
   words each. */
enum {
    COMBGPU__SEMI_AT_UNITS = 0,
    COMBGPU__SEMI_AT_FIRST = 1,
    COMBGPU__SEMI_AT_SERIES = 28,
    COMBGPU__SEMI_AT_PAIR = COMBGPU__SEMI_AT_SERIES + COMBGPU__MAGIC_SERIES,
    COMBGPU__SEMI_AT_WORDS = COMBGPU__SEMI_AT_PAIR + 2 * COMBGPU__MAGIC_SEMI_PAIRS
};

#define COMBGPU__MAGIC_SLOTS 25 /* 2n + 2 lines of order 11, and an unused one */

/* Estimates: words of `tables`. A line of the plan is a word (the slot of its sum | single cells <<
   8 | pairs, 0 or 1, << 16), then 6 words for each cell: four lines (slot | k - 1 << 8 | weight
   4096 / (k - 1) << 16; weight 0 = no such line, or the line that the pair completes), the sum of
   the weights (in the first cell of a pair: of both cells; never 0) and the number of unused numbers
   | the place, 1 to 8, of a number that may be rearranged << 8. */
enum {
    COMBGPU__ESTIMATE_AT_ORDER = 0,
    COMBGPU__ESTIMATE_AT_NUMBERS = 1, /* n * n */
    COMBGPU__ESTIMATE_AT_SUM = 2,
    COMBGPU__ESTIMATE_AT_LINES = 3,
    COMBGPU__ESTIMATE_AT_PICKS = 4, /* log2 of the arrangements that are counted */
    COMBGPU__ESTIMATE_AT_CURVE = 5, /* (x / s)^2 / 16 in 1/2^40 for 16 x^2 = 1 and weight 1 */
    COMBGPU__ESTIMATE_AT_SCALE = 6, /* samples are in units of 2^(scale - 65536) */
    COMBGPU__ESTIMATE_AT_SEED = 7,  /* two words */
    COMBGPU__ESTIMATE_AT_PLAN = 9,
    COMBGPU__ESTIMATE_AT_WORDS = COMBGPU__ESTIMATE_AT_PLAN + 32 + 6 * 121
};

/* Totals of an estimate's slices: the sums of samples and of their squares, in 32-bit digits; of their
   third and fourth powers in units of 2^12, for the error of the error. */
enum {
    COMBGPU__ESTIMATE_ADDED = 1,
    COMBGPU__ESTIMATE_SQUARES = 3,
    COMBGPU__ESTIMATE_HASH = 7,
    COMBGPU__ESTIMATE_TOO_LARGE = 8, /* samples without room: only if a kernel is broken */
    COMBGPU__ESTIMATE_CUBES = 9,
    COMBGPU__ESTIMATE_FOURTHS = 12,
    COMBGPU__ESTIMATE_TOTALS = 16
};

/* Order 6 in parts: words of `tables`: the first configuration (two words); from word 8 on, 3 words
   for each configuration: its numbers, 6 bits each, 5 in a word: a00 a55 a11 a44 a22, a33 a05 a50
   a14 a41, a23 a32. */
enum {
    COMBGPU__PARTS_AT_FIRST = 0,
    COMBGPU__PARTS_AT_AREAS = 2,  /* that blocks of lanes share; not read where each has its own */
    COMBGPU__PARTS_AT_NONCE = 3,  /* differs from job to job */
    COMBGPU__PARTS_AT_CHUNKS = 4, /* steps of a task of the frontier */
    COMBGPU__PARTS_AT_SHARES = 5, /* that a step is shared by, a power of 2 */
    COMBGPU__PARTS_AT_CONFIGURATION = 8
};
enum { COMBGPU__PARTS_HASH = 1, COMBGPU__PARTS_SQUARES = 2 }; /* totals of slices */

/* Order 6 with both diagonals given: the three-set join (six_tables.c). A step is a configuration
   and a part of its sets of row pair 0. */
#define COMBGPU__SIX_PARTS 32
#define COMBGPU__SIX_TOTALS 128 /* totals of a block */
/* Sets of 8 of 24 numbers with one sum, at most: as many as of 1 to 24 (R. P. Stanley 1980). */
#define COMBGPU__SIX_SETS 17575
/* Splittings of a row pair, at most: 318 sets of 4 of 24 numbers have one sum, 177 sets of 4 of the
   other 20, and each is put into the blocks in 6 ways. */
#define COMBGPU__SIX_SPLITS (318 * 177 * 36)

/* The work memory: control words and areas with the tables of a configuration, then a list for each
   block of lanes; or a list and an area for each block. Offsets are in words. An area's spaces for
   segments and splittings serve all three row pairs; they have a third more room than any of some
   thousand configurations needed. */
#define COMBGPU__SIX_LANES 256
#define COMBGPU__SIX_ROOM 17576 /* for sets of a pair: SIX_SETS, a multiple of 4 */
#define COMBGPU__SIX_BUCKETS 4096
#define COMBGPU__SIX_SEGMENT_ROOM 1572864 /* below 2^SIX_SEGMENT_BITS */
#define COMBGPU__SIX_SPLIT_ROOM 4194304   /* 2^22: a word has a place and a number below 2^10 */
#define COMBGPU__SIX_MOST_AREAS 128
/* control words */
#define COMBGPU__SIX_AT_FULL 0   /* nonzero: no area was free for a block */
#define COMBGPU__SIX_AT_OWNER 64 /* + area: configuration + 1 */
#define COMBGPU__SIX_AT_LISTED (COMBGPU__SIX_AT_OWNER + COMBGPU__SIX_MOST_AREAS) /* + area */
#define COMBGPU__SIX_CONTROL (COMBGPU__SIX_AT_LISTED + COMBGPU__SIX_MOST_AREAS)
/* an area */
#define COMBGPU__SIX_AT_COUNT 0    /* sets of each pair */
#define COMBGPU__SIX_AT_NEXT 4     /* batch of sets to take */
#define COMBGPU__SIX_AT_DONE 5     /* batches */
#define COMBGPU__SIX_AT_SEGMENTS 6 /* made, or more if room ran out; likewise splittings: */
#define COMBGPU__SIX_AT_SPLITS_MADE 7
#define COMBGPU__SIX_AT_SQUARES 8                                             /* + part */
#define COMBGPU__SIX_AT_SHARES (COMBGPU__SIX_AT_SQUARES + COMBGPU__SIX_PARTS) /* + part: done */
#define COMBGPU__SIX_AT_BUCKET (COMBGPU__SIX_AT_SHARES + COMBGPU__SIX_PARTS)
#define COMBGPU__SIX_AT_NUMBERS (COMBGPU__SIX_AT_BUCKET + 3 * COMBGPU__SIX_BUCKETS)
#define COMBGPU__SIX_AT_SEGMENT (COMBGPU__SIX_AT_NUMBERS + 3 * COMBGPU__SIX_ROOM)
#define COMBGPU__SIX_AT_TOTALS (COMBGPU__SIX_AT_SEGMENT + 3 * COMBGPU__SIX_ROOM)
#define COMBGPU__SIX_AT_KEYS (COMBGPU__SIX_AT_TOTALS + 12 * COMBGPU__SIX_ROOM)
#define COMBGPU__SIX_AT_FIRST (COMBGPU__SIX_AT_KEYS + 2 * COMBGPU__SIX_SEGMENT_ROOM)
#define COMBGPU__SIX_AT_SPLITS (COMBGPU__SIX_AT_FIRST + COMBGPU__SIX_SEGMENT_ROOM)
#define COMBGPU__SIX_WORDS (COMBGPU__SIX_AT_SPLITS + COMBGPU__SIX_SPLIT_ROOM)

/* Ultramagic squares of order 7 (ultra.c): words of `tables`. */
#define COMBGPU__ULTRA_LINES 12
#define COMBGPU__ULTRA_MOST 12302 /* origins */
/* Words of an origin: coordinates of planes 0 and 1, 12 bits each; then two, the symmetries that
   keep it, without the identity. */
#define COMBGPU__ULTRA_ORIGIN 3
#define COMBGPU__ULTRA_PARTS 512u  /* units of an origin */
#define COMBGPU__ULTRA_NUMBERS 64u /* of squares of a unit */
enum {
    COMBGPU__ULTRA_AT_LIST = 0, /* squares become records */
    COMBGPU__ULTRA_AT_ORIGINS = 1,
    COMBGPU__ULTRA_AT_WORD = 2, /* + the lower 6 coordinates; + 64 + the upper ones */
    COMBGPU__ULTRA_AT_SUM = COMBGPU__ULTRA_AT_WORD + 128,   /* likewise, 24 bytes mod 64 each */
    COMBGPU__ULTRA_AT_ROW = COMBGPU__ULTRA_AT_SUM + 768,    /* + 64 k + cells 6 k to 6 k + 5 */
    COMBGPU__ULTRA_AT_LINE = COMBGPU__ULTRA_AT_ROW + 256,   /* cells with sign +, with sign - */
    COMBGPU__ULTRA_AT_IMAGE = COMBGPU__ULTRA_AT_LINE + 24,  /* 24 bytes: cell | 128 if turned */
    COMBGPU__ULTRA_AT_CELL = COMBGPU__ULTRA_AT_IMAGE + 288, /* 49 bytes in 13 words: the cells of
                                              an image, one of each class up to D4 */
    COMBGPU__ULTRA_AT_ORIGIN = COMBGPU__ULTRA_AT_CELL + 78
};
enum { COMBGPU__MAGIC_LIFTED = 2 }; /* total of slices: squares, one of 48 images */

/* Associative squares of order 7 (associative.c): words of `tables`. */
#define COMBGPU__ASSOCIATIVE_FRAMES 335940
#define COMBGPU__ASSOCIATIVE_SETS 18564 /* of 6 of 18 */
#define COMBGPU__ASSOCIATIVE_HALVES 924 /* of 12 */
#define COMBGPU__ASSOCIATIVE_STEPS                                                                 \
    ((uint64_t)COMBGPU__ASSOCIATIVE_FRAMES * COMBGPU__ASSOCIATIVE_SETS)
#define COMBGPU__ASSOCIATIVE_STRIDE 2382089117u /* a prime, no divisor of STEPS */
#define COMBGPU__ASSOCIATIVE_AGAIN 24           /* a code of gaps; others: half of a gap, 0 to 23 */
#define COMBGPU__ASSOCIATIVE_ROOM 518           /* fillings of a row, at most */
enum {
    /* three pairs, 4 bits each; pair v (v - 1) / 2 + u is of numbers u < v, 0 to 5 */
    COMBGPU__ASSOCIATIVE_AT_PAIRING = 0,
    COMBGPU__ASSOCIATIVE_AT_HALF = COMBGPU__ASSOCIATIVE_AT_PAIRING + 90,
    COMBGPU__ASSOCIATIVE_AT_SET = COMBGPU__ASSOCIATIVE_AT_HALF + COMBGPU__ASSOCIATIVE_HALVES,
    /* six sizes, bit i for i + 1; from bit 24 on, which of them are the column's: bit k for the
       k-th after the least, which always is */
    COMBGPU__ASSOCIATIVE_AT_FRAME = COMBGPU__ASSOCIATIVE_AT_SET + COMBGPU__ASSOCIATIVE_SETS,
    COMBGPU__ASSOCIATIVE_AT_WORDS = COMBGPU__ASSOCIATIVE_AT_FRAME + COMBGPU__ASSOCIATIVE_FRAMES
};
enum { COMBGPU__MAGIC_SPLIT = 2 }; /* total of slices: squares, one of 4,608 images */

/* FNV-1a, 64 bits, as combgpu__fnv; CUDA and OpenCL write 64-bit constants differently. */
#define COMBGPU__MAGIC_FNV_OFFSET ((uint64_t)0xcbf29ce4u << 32 | 0x84222325u)
#define COMBGPU__MAGIC_FNV_PRIME ((uint64_t)0x100 << 32 | 0x1b3)

#endif /* COMBGPU__MAGIC_LAYOUT_H */
