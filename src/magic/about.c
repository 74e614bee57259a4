#ifdef COMBGPU__HAS_MAGIC

/* ================================================================ SECTION 20: magic squares == */
/* The solvers:

     search   depth first over the cells. The plan, made once by the host, orders the cells so that
              lines are completed early. A *level* is one cell whose number is chosen and the cells
              that follow from it, because each is then the last free one of a line. Also for
              numbers that are not evenly spaced (`numbers`)
     join     order 5, normal, nothing given but perhaps the centre. Both diagonals are fixed, 9
              cells. The other 16 fall into two rings of 8 that share no line but row 2 and column
              2, and those hold by themselves. So the squares over a pair of diagonals number the
              sum, over all sets of 8 of the 16 free numbers, of (ways to fill ring 1 with the set)
              times (ways to fill ring 2 with the rest).
     list     the same join, but the squares are made and hashed or written where they are found, in
              an order of their own, so that a range of the whole list needs a range of diagonals.
     four     order 4, normal, nothing given: both diagonals are fixed, and the other 8 cells fall into
              two rings of 4 with one free number each.
     semi     order 5, semi-magic, only counted, nothing given. Up to the order of rows and of columns
              a square is a partition of 1..25 into 5 rows and another one into 5 columns, all of sum
              65, that meet in one number each. So for each of the 3,245,664 partitions into rows
              the partitions into columns are counted.

   Measured for order 5 (whole calls; H200, and one core of a Sapphire Rapids with -march=native):
     27.0 s   C, the portable form; 12.2 s with AVX-512
     37 ms    CUDA: 32 lanes a configuration, 36 warps on a multiprocessor. About 3,400 warp
              instructions a configuration, 0.81 of the issue slots used. OpenCL, the same card:
              39 ms
     68 ms    CUDA, the checksum of all squares; 81 ms written to device memory, once it is known
              where they are (which takes another 70). OpenCL: 81 and 92 ms. The same way as the
              count, with the fillings beside the table (256 lanes a configuration: 83 and 98 ms)
     99 ms    CUDA, semi-magic, with a task for each unit (with 5,919 tasks for 200,000 lanes: 1.1 s)
   What was tried for the count (the kernel alone, all configurations in one launch):
     53.0 ms  256 lanes a configuration; tables of paths in local memory, a count for each of the
              12,870 sets (that is the kernel of devices without shuffles)
     49.9 ms  32 lanes, masks, a hash table of 1,024 sets; a lane probes till it is done
     172 ms   one probe in a pass, equal sets one behind the other: a few full tables take it all
              (512 slots 323, 2,048 slots 118)
     34.3 ms  the same with a count in the slot and at most 32 probes. 2,048 slots: 39.8, 512: 42.2;
              blocks of one warp: 34.7; 40 warps with fewer registers: 35.8; tasks of 1 or 16 pairs
              rather than 4: 34.0, 37.3
     Two or four configurations in a table at a time save a tenth of the passes and need twice or
     four times its memory.

   Symmetry is used in full. A number stands once in a square; so an image of a completion agrees
   with the givens only if the rotation or reflection leaves every given cell in place. Those that
   do are all 8 (nothing given, or the centre alone), 2 (all given cells on one axis) or 1, the same
   for every completion. Inequalities between cells then keep one square of each class. The join
   counts up to the 32 maps that keep the pair of diagonals (the M-group), and up to complement. */

#define COMBGPU__MAGIC_CELLS 36  /* order 6 */
#define COMBGPU__MAGIC_LINES 58  /* order 5 ultramagic; order 6 has 42 at most */
#define COMBGPU__MAGIC_LEVELS 32 /* the most that a plan may have: see magic_plan */
#define COMBGPU__MAGIC_FRONTIER 4096
#define COMBGPU__MAGIC_RECORDS 16384
#define COMBGPU__MAGIC_MOST_NUMBER 400000000 /* sums of 5 have 32 bits */

