/* ============================================================= SECTION 30: no-three-in-line == */
/* No-three-in-line: the model of a search, and the constants of its host side.

   Under a symmetry group G the cells fall into orbits, and a solution with that symmetry is a set
   of whole orbits. Rows and columns that G maps to each other count as one *line*. A line must get
   2 points; an orbit gives 1 or 2 (its weight) to each of the one or two lines on which it lies. In
   the full search G is trivial: an orbit is a cell, and the lines are all rows and columns.

   For each line, a board holds a mask of its open orbits: those that can still be placed. Rows and
   columns are indexed from the centre out (0 is a central one), and the highest bit of a line is
   its most central orbit. Tables list, for each pair of orbits, the others that share a straight
   line with the pair.

   A step is one pass over the lines and at most one orbit placed, which removes all orbits that it
   now excludes. A line that needs all points that its open orbits can give is forced; a line that
   needs more is dead. On a branch the board without the placed orbit goes on the stack.

   Lines are taken in the order of their classes, given by the points needed and the points that
   open orbits can give, then from the centre out. This order decides the size of the tree; it beats
   every dynamic criterion tried (src/no3/NOTES.md).

   Only the frontier cuts off symmetric copies (combgpu__no3_break). So combgpu__no3_record tests
   the few complete boards again, exactly. */

#define COMBGPU__NO3_SIDE 128    /* largest grid that is searched */
#define COMBGPU__NO3_TABLED 64   /* largest grid with tables of pairs, which devices search */
#define COMBGPU__NO3_ALL_SIDE 32 /* largest grid of a full search */
#define COMBGPU__NO3_CELLS (COMBGPU__NO3_SIDE * COMBGPU__NO3_SIDE)
#define COMBGPU__NO3_MOST_ORBITS 8256 /* of the largest board */
#define COMBGPU__NO3_TABLED_WORDS 192 /* words of the largest board with tables of pairs */
#define COMBGPU__NO3_WORDS 768        /* words of the largest board */
#define COMBGPU__NO3_LINES 192        /* lines of the largest board */
#define COMBGPU__NO3_ORBITS 144       /* bound on placed orbits */
#define COMBGPU__NO3_TASK_ROOM COMBGPU__NO3_TASK_WORDS(COMBGPU__NO3_WORDS)
#define COMBGPU__NO3_RECORD_ROOM COMBGPU__NO3_RECORD_WORDS(COMBGPU__NO3_WORDS)
#define COMBGPU__NO3_NO_ORBIT 0xffffu
#define COMBGPU__NO3_SOLVED 0xffffffffu

/* sums */
#define COMBGPU__NO3_ALL_SUM (COMBGPU__TOTALS + 0)
#define COMBGPU__NO3_CHECKSUM (COMBGPU__TOTALS + 1)
#define COMBGPU__NO3_CALLS (COMBGPU__TOTALS + 2) /* of desc.solution; without it, classes */
#define COMBGPU__NO3_IMAGE (COMBGPU__TOTALS + 3) /* images of the next record that were shown */
#define COMBGPU__NO3_CHUNK (COMBGPU__TOTALS + 4) /* random order: the next chunk of the tree */
#define COMBGPU__NO3_MERGE (COMBGPU__TOTALS + 5) /* log2 of the chunks joined into one */
#define COMBGPU__NO3_CLASSES (COMBGPU__TOTALS + 6)

#ifdef __GNUC__
#define COMBGPU__NO3_INLINE static inline __attribute__((always_inline))
#else
#define COMBGPU__NO3_INLINE static inline
#endif
