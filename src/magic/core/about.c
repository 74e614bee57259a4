/* ================================================================ SECTION 20: magic squares == */
/* Magic squares: the solvers, and the constants of their host side.

     search   depth first over the cells. The plan, made once by the host, orders the cells so that
              lines are completed early. A *level* is one cell whose number is chosen, and the cells
              that follow from it because each is then the last free one of a line. Also takes
              unevenly spaced numbers (`numbers`).
     linear   the same on the CPU for orders 7 to 10 and for kinds with many lines: linear equations
              combine several lines to give a cell (cells/linear_plan.c).
     join     order 5, normal, nothing given except perhaps the centre. Both diagonals, 9 cells, are
              fixed. The other 16 cells form two rings of 8, which share only row 2 and column 2;
              the sums of these two lines follow from the others. So a pair of diagonals has as many
              squares as the sum, over all sets of 8 of the 16 free numbers, of (ways to fill ring 1
              with the set) times (ways to fill ring 2 with the rest).
     list     the same join, but it hashes or writes squares where it finds them, in an order in
              which a range of the list is a range of diagonals.
     four     order 4, normal, nothing given. Both diagonals are fixed; the other 8 cells form two
              rings of 4 with one free number each.
     semi     order 5, semi-magic, only counted, nothing given. Up to the order of rows and of
              columns, a square is a partition of 1 .. 25 into 5 rows and another into 5 columns,
              all of sum 65, where each row meets each column in one number. So for each of the
              3,245,664 partitions into rows, it counts the partitions into columns.
     ultra    ultramagic, order 7, nothing given: binary digits of the numbers, from the last one on,
              each from linear equations mod 2 (seven/ultra.c).
     parts    associative, order 7, only counted, nothing given but the centre: frames of a middle
              row and column, joined by three rows of pairs of opposite cells (seven/associative.c).
     six      order 6 with both diagonals given, only counted (six/tables.c).

   Symmetry is used in full. Each number occurs once in a square, so an image of a completion agrees
   with the givens only if the rotation or reflection leaves every given cell in place. There are 8
   such images (nothing given, or the centre alone), 2 (all given cells on one axis) or 1, the same
   for every completion. Inequalities between cells then keep one square of each class. The join
   counts up to the 32 maps that keep the pair of diagonals (the M-group), and up to complement. */

#define COMBGPU__MAGIC_CELLS 100 /* order 10 */
#define COMBGPU__MAGIC_LINES 160 /* Franklin squares of order 8 have 144 */
#define COMBGPU__MAGIC_LENGTH 10 /* of a line */
#define COMBGPU__MAGIC_MORE 6    /* images beyond D4: of ultramagic squares of order 7 */
#define COMBGPU__MAGIC_FRONTIER 4096
#define COMBGPU__MAGIC_RECORDS 16384
/* Of ultramagic squares of order 7: the lanes of a large GPU find 1e5 in their first units; a lane
   without room does its unit twice. */
#define COMBGPU__ULTRA_RECORDS 262144
#define COMBGPU__MAGIC_MOST_NUMBER 400000000 /* sums of 5 have 32 bits */
