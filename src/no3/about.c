
#ifdef COMBGPU__HAS_NO3

/* ============================================================= SECTION 30: no-three-in-line == */
/* The model. Under a symmetry group G the cells fall into orbits, and a solution with that symmetry
   is a set of whole orbits. Rows and columns that G maps to each other count as one *line*; a line
   must get 2 points, and an orbit gives 1 or 2 (its weight) to each of the one or two lines that it
   lies on. In the full search G is trivial: an orbit is a cell, lines are all rows and columns.

   A board holds, for each line, a mask of the orbits on it that are still unknown. Rows and columns
   are indexed from the centre out (0 is a central one), and the highest bit of a line is its most
   central orbit. Tables say, for each pair of orbits, which others share a straight line with them.

   One step = one pass over the lines (a line that needs as many points as its unknown orbits can
   give is forced; one that needs more is dead) + at most one orbit placed, which removes all orbits
   that it now excludes. On a branch the board without that orbit goes on the stack.

   Order of the lines: by class of (points needed, points that unknown orbits can give), then from
   the centre out. It decides the size of the tree: the classes below need a fifth of the steps of a
   search from the edge, and beat every dynamic criterion that was tried.

   Symmetric copies are cut off in the frontier only (combgpu__no3_break), so leaves are tested
   again, exactly, by combgpu__no3_record; there are few.

   What was tried. Whole calls on one H200 (CUDA) unless said; G = 10^9 steps.

     full search, 8 lanes a board, words for rows and for columns (prototype)          5.0 G/s
     4 lanes, the same words; L1 80 % busy, ALU 69 %                       n = 15      8.0 G/s
     2 lanes, rows alone, columns counted bit by bit, and of the rows that pairs of points
     remove only those that remove anything (half of them)                 n = 15     12.0 G/s
     now one lane, the tables in shared memory, where 16 bytes a lane take the fewest cycles:
                                   quarter of n = 16    120th of n = 17    NVIDIA's OpenCL, same
       2 lanes; n = 17 a matrix    11.8 G/s              2.9 G/s           2.2 G/s, -
       a lane, tables in L1         -                    7.2               13.1, 7.0
       in shared memory            15.9                 10.4
         empty rows skipped        17.3                  9.1               (n <= 16: now)
         skipped by predicate      16.3                 10.1
         256 lanes                 14.0                  9.8               (512 and 384: now)
         640 and 448 lanes         15.7                  8.7
         masks from a table        16.6                 10.4
     whole, and the frontier by threads: n = 14 1.00 G 0.119 s (2 lanes 0.141 s), n = 15 10.6 G 0.66 s
     (1.02 s), n = 16 88.9 G 4.52 s (7.23 s), n = 17 928 G 55.7 s
     in a line of class 2 the less central of index and first cell decides: 4 % fewer steps, but the
     first cells of all such lines are to be found; left out
     tasks of the frontier, n = 12: 1,000 15.2 M steps, 4,000 14.6 M, 16,000 14.3 M, 64,000 14.1 M;
     a task takes the host 0.8 us

     classes, words for all lines: boards of 32 words (dia1, n = 25, 31.9 G)         4.5 G/s
     48 words (138 registers, rows of 192 bytes: L1 78 % busy, a third of it
     missed): rot4 n = 36 1.28 G 0.52 s, n = 40 3.1 G/s; near_rot4 n = 37 1.01 G 0.45 s, n = 41
     2.9 G/s; ort1 n = 26 3.2 G/s; dia2 n = 41 3.2 G/s
     a matrix of rows alone, 4 lanes a board (59 to 64 registers): rot4 n = 36 0.46 s, n = 40 24.0 G
     4.67 s; near_rot4 n = 37 0.43 s; all n = 17 2.6 G/s (48 words, the same minute: 2.3)
     now where it fits a matrix of 16 words, rows of 64 bytes, no table of numbers (62 registers,
     near_rot4 48), G/s in kernels, before and now:
       rot4 n = 36 4.4, 6.2; n = 40 -, 8.5 (whole call 3.02 s); near_rot4 n = 37 3.6, 5.3; n = 41
       19.8 G -, 7.3 (2.81 s); ort1 n = 26 5.93 G 3.4, 8.3 (0.77 s); rot2 n = 22 1.59 G 4.5, 7.5;
       n = 25 53.9 G -, 8.7 (7.10 s, 0.8 s of it between slices)
       a row comes from L2 nine times in ten (a cache of 160 KB holds 11 % of them): 7.3 rows of 64
       bytes a step at 8.5 G/s are 4 TB/s, which is near what L2 gives; shorter rows are what is left
       eight rows of a step at once, not four: rot4 n = 36 5.9, ort1 8.2; rows past the L1 cache: 6.1,
       7.8; 48 registers: 6.2, 7.8, rot4 n = 40 8.5; near_rot4 with 62: n = 37 4.9, n = 41 5.9
       begin, one thread, and now with 16 threads, an orbit's rows after the other and lines looked at
       as needed: rot4 n = 36 0.14 s, 0.05; n = 40 0.15, 0.07; near_rot4 n = 41 0.21, 0.07
     64 words, all n = 32 0.8 G/s; 128 and 192 words, n = 64: rot2 0.25 G/s, ort1 0.14 G/s

     one core of a Xeon with AVX-512 (gcc 13 -O3 -march=native): the text below n = 12 0.60 s; a board
     in one register n = 12 0.56 s, n = 13 4.50 s, rot4 n = 30 0.63 s */

#define COMBGPU__NO3_SIDE 64     /* largest grid that is searched */
#define COMBGPU__NO3_ALL_SIDE 32 /* by a search for all */
#define COMBGPU__NO3_CELLS (COMBGPU__NO3_SIDE * COMBGPU__NO3_SIDE)
#define COMBGPU__NO3_WORDS 192  /* words of the largest board */
#define COMBGPU__NO3_LINES 96   /* its lines */
#define COMBGPU__NO3_ORBITS 128 /* most orbits on a board, placed */
#define COMBGPU__NO3_NO_ORBIT 0xffffu
#define COMBGPU__NO3_SOLVED 0xffffffffu

/* sums */
#define COMBGPU__NO3_ALL_SUM (COMBGPU__TOTALS + 0)
#define COMBGPU__NO3_CHECKSUM (COMBGPU__TOTALS + 1)
#define COMBGPU__NO3_CALLS (COMBGPU__TOTALS + 2) /* of solution, or classes without one */
#define COMBGPU__NO3_IMAGE (COMBGPU__TOTALS + 3) /* images of the next record already shown */
#define COMBGPU__NO3_PIECE (COMBGPU__TOTALS + 4) /* random order: the next piece of the tree */
#define COMBGPU__NO3_MERGE (COMBGPU__TOTALS + 5) /* log2 of how many pieces are worked as one */
#define COMBGPU__NO3_CLASSES (COMBGPU__TOTALS + 6)

#ifdef __GNUC__
#define COMBGPU__NO3_INLINE static inline __attribute__((always_inline))
#else
#define COMBGPU__NO3_INLINE static inline
#endif

