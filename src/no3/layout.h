/* No-three-in-line: the tables that the host makes and the kernels read. */
#ifndef COMBGPU__NO3_LAYOUT_H
#define COMBGPU__NO3_LAYOUT_H

/* The tables begin with this header; its offsets are in words. */
enum {
    COMBGPU__NO3_AT_WORDS, /* words of a board */
    COMBGPU__NO3_AT_ORBITS,
    COMBGPU__NO3_AT_STRIDE,   /* pairs from one orbit to the next, even */
    COMBGPU__NO3_AT_SPLIT,    /* a word holds two lines of 16 orbits */
    COMBGPU__NO3_AT_PARTS,    /* rows that one pair of orbits has */
    COMBGPU__NO3_AT_WEIGHTED, /* nonzero if some weight is 2 */
    COMBGPU__NO3_AT_TWO, /* classes if 2 points are needed: nibble i for i points, 7 for more */
    COMBGPU__NO3_AT_ONE, /* classes if 1 point is needed */
    COMBGPU__NO3_AT_LINE_ROWS, /* number of the first line row */
    COMBGPU__NO3_AT_PLACES,    /* offset of COMBGPU__NO3_PLACE [line][rank], 64 ranks each */
    COMBGPU__NO3_AT_TWICE,     /* offset of a row of board words: places of weight 2 */
    COMBGPU__NO3_AT_PAIRS, /* offset of row numbers by pair: 16 bits each if WORDS is 16, else 32 */
    COMBGPU__NO3_AT_ROWS,  /* offset of the rows, a multiple of 4 */
    COMBGPU__NO3_AT_SIDE,  /* n */
    COMBGPU__NO3_AT_GRID,  /* offset of the cells for _matrix, _square or _plate, or 0 */
    COMBGPU__NO3_AT_WIDE,  /* a line has two words */
    COMBGPU__NO3_AT_MATRIX,      /* offset of the rows for those, or 0 */
    COMBGPU__NO3_AT_SOLO,        /* offset of the table for _solo, or 0 */
    COMBGPU__NO3_AT_SOLO_CORNER, /* rows at this offset in it and beyond hold the last cell */
    COMBGPU__NO3_AT_LARGE, /* offset of the tables of large boards, which no kernel reads, or 0 */
    COMBGPU__NO3_HEADER = 32
};

/* A task: the board; a word for each eighth of the lines, with 2 bits for the points that each line
   needs, in order, and the number of placed orbits << COUNT_SHIFT (in the second word instead 1 + the line
   that the next orbit is on, or 0: any); the list of placed orbits, 16 bits each, spread evenly over
   the kernels' lanes: orbit c is in word SLOT(c), from bit SLOT_SHIFT(c) up. Boards of more than
   192 words, for the CPU alone, have needs by sixteenths. A record is the number of orbits, then
   the list. */
#define COMBGPU__NO3_NEED_WORDS 8
#define COMBGPU__NO3_COUNT_SHIFT 24
#define COMBGPU__NO3_NEEDS(words)                                                                  \
    ((words) > 192 ? 2 * COMBGPU__NO3_NEED_WORDS : COMBGPU__NO3_NEED_WORDS)
#define COMBGPU__NO3_LIST_WORDS(words) ((words) < 64 ? (words) : (words) > 192 ? 72 : 64)
#define COMBGPU__NO3_TASK_WORDS(words)                                                             \
    ((words) + COMBGPU__NO3_NEEDS(words) + COMBGPU__NO3_LIST_WORDS(words))
#define COMBGPU__NO3_RECORD_WORDS(words) (1 + COMBGPU__NO3_LIST_WORDS(words))
#define COMBGPU__NO3_SLOT(c) (8 * ((c) >> 4) + ((c)&7))
#define COMBGPU__NO3_SLOT_SHIFT(c) ((c)&8 ? 16 : 0)

/* A level of a worker's stack, in words: the board, then a word of needs for each lane. Some
   kernels use a shorter one, below. */
#define COMBGPU__NO3_LEVEL_WORDS(words) ((words) + 16)

/* Levels of a worker's stack. A worker with a full stack waits for the next slice; so few do that
   it costs nothing, whereas deeper stacks, and room for their tasks, would leave memory for fewer
   workers. NOTES.md has the depths of searches. */
#define COMBGPU__NO3_ORBIT_LEVELS(words) ((words) <= 48 ? 20u : 30u)
#define COMBGPU__NO3_MATRIX_LEVELS 24u
#define COMBGPU__NO3_SQUARE_LEVELS 15u
#define COMBGPU__NO3_PLATE_LEVELS 16u
#define COMBGPU__NO3_SOLO_LEVELS(extra) ((extra) < 2 ? 15u : (extra) < 4 ? 16u : 18u)

/* An orbit on a line, in the table of places. */
#define COMBGPU__NO3_PLACE(orbit, other, weight, other_weight)                                     \
    ((orbit) | (other) << 14 | (weight) << 22 | (other_weight) << 24)
#define COMBGPU__NO3_PLACE_ORBIT(place) ((place)&16383)
#define COMBGPU__NO3_PLACE_OTHER(place) ((place) >> 14 & 255) /* the other line */
#define COMBGPU__NO3_PLACE_WEIGHT(place) ((place) >> 22 & 3)
#define COMBGPU__NO3_PLACE_OTHER_WEIGHT(place) ((place) >> 24 & 3)

/* The tables for combgpu_no3_solo, a board in a lane, with `extra` lines more than 16 each way. First
   the rows, the empty one first, as arrays of 4 words each and, for the last one or two of an odd
   rest, of 1 or 2 words. Up to n = 17 they are those of straight lines, and from byte SOLO_PAIRS on
   each pair of points has the byte offset of its row, 16 bits each: a triangle if n = 17, else
   [256][256].
     From n = 18 on rows are those of lines of four cells and more, and of cells alone: row 1 + c
   has the cell (x, y) with the number c = SIDE * y + x (coordinates, not indices). SOLO_CODE is 4 *
   c. A pair of points finds its row by its direction. SOLO_PAIRS begins a word for each difference
   of codes, SOLO_CENTRE is that for 0. Its low bytes are factors a and b, its high half an offset:
   at byte offset + a * x + b * y after the words are 16 bits for the line, 0 if it has two cells, 4
   * row if it has four or more, THIRD + 4 + the sum of the codes if it has three: then a pair
   excludes the third. */
#define COMBGPU__NO3_SOLO_ROWS(extra)                                                              \
    ((extra) == 0   ? 2723u                                                                        \
     : (extra) == 1 ? 3495u                                                                        \
     : (extra) == 2 ? 1859u                                                                        \
     : (extra) == 3 ? 2308u                                                                        \
     : (extra) == 4 ? 2807u                                                                        \
                    : 3180u)
#define COMBGPU__NO3_SOLO_SHARE(extra) (8 + (extra) + ((extra) > 1)) /* words of a board */
#define COMBGPU__NO3_SOLO_PAIRS(extra)                                                             \
    (4 * ((extra) == 2 ? 12u : COMBGPU__NO3_SOLO_SHARE(extra)) * COMBGPU__NO3_SOLO_ROWS(extra))
#define COMBGPU__NO3_SOLO_SIDE(extra) (2 * (16u + (extra)) - 1)
#define COMBGPU__NO3_SOLO_CODE(extra, x, y) (4 * (COMBGPU__NO3_SOLO_SIDE(extra) * (y) + (x)))
#define COMBGPU__NO3_SOLO_CENTRE(extra) COMBGPU__NO3_SOLO_CODE(extra, 15u + (extra), 15u + (extra))
#define COMBGPU__NO3_SOLO_DIRECTIONS(extra)                                                        \
    (4 * COMBGPU__NO3_SOLO_SIDE(extra) * COMBGPU__NO3_SOLO_SIDE(extra))
#define COMBGPU__NO3_SOLO_LINES(extra)                                                             \
    ((extra) == 2 ? 8056u : (extra) == 3 ? 11766u : (extra) == 4 ? 12826u : 16330u)
#define COMBGPU__NO3_SOLO_THIRD 16384u
#define COMBGPU__NO3_SOLO_BYTES(extra)                                                             \
    ((COMBGPU__NO3_SOLO_PAIRS(extra) +                                                             \
      ((extra) == 0 ? 2u * 256 * 256                                                               \
       : (extra) == 1                                                                              \
           ? 289u * 290                                                                            \
           : COMBGPU__NO3_SOLO_DIRECTIONS(extra) + 2 * COMBGPU__NO3_SOLO_LINES(extra)) +           \
      15) /                                                                                        \
     16 * 16)
/* Words of a stack level: the board, `one`, `two`, `more`. */
#define COMBGPU__NO3_SOLO_LEVEL(extra) ((COMBGPU__NO3_SOLO_SHARE(extra) + 6) / 4 * 4)

/* Kernels whose board is a matrix have a table of spots, two words for each orbit: its cell in the
   matrix; word and bit of its two places in a task's board. */
#define COMBGPU__NO3_SPOT(word, bit, cell) ((word) | (bit) << 5 | (cell) << 16)
#define COMBGPU__NO3_SPOT_WORD(spot) ((spot)&31)
#define COMBGPU__NO3_SPOT_BIT(spot) ((spot) >> 5 & 31)
#define COMBGPU__NO3_SPOT_CELL(spot) ((spot) >> 16)
#define COMBGPU__NO3_SPOT_PLACE(word, bit) ((word) | (bit) << 8) /* the second: << 16 */
/* The table before it has the places of each cell, bit k of word i at 32 * i + k, or
   COMBGPU__NO3_NO_PLACE; a lane has `share` words. */
#define COMBGPU__NO3_PLACES(share) (128u * (share))
#define COMBGPU__NO3_NO_PLACE 0xffffffffu

/* Word j of a lane in a row or a stack level of combgpu_no3_matrix and combgpu_no3_plate: first come
   four words of each of the four lanes, then the others. */
#define COMBGPU__NO3_LANE_WORD(share, lane, j)                                                     \
    ((j) < 4 ? 4 * (lane) + (j) : 16 + ((share)-4) * (lane) + (j)-4)

/* The tables for combgpu_no3_matrix: the orbits of its cells, 32 * row + column; from PLACES on the
   places, from SPOTS on the spots; the rows' numbers by pair, 16 bits each. Then the rows that a step
   removes, as matrices. */
#define COMBGPU__NO3_MATRIX_SHARE 6u /* rows in each of four lanes */
#define COMBGPU__NO3_MATRIX_PLACES 1024
#define COMBGPU__NO3_MATRIX_SPOTS                                                                  \
    (COMBGPU__NO3_MATRIX_PLACES + COMBGPU__NO3_PLACES(COMBGPU__NO3_MATRIX_SHARE))
#define COMBGPU__NO3_MATRIX_LEVEL (4 * COMBGPU__NO3_MATRIX_SHARE + 8) /* + lines, count */

/* Forms of combgpu_no3_square (see square.cl), in model->square; 0: another kernel. */
enum {
    COMBGPU__NO3_FORM_FOLD = 1,
    COMBGPU__NO3_FORM_FOLD_ODD,
    COMBGPU__NO3_FORM_HALF,
    COMBGPU__NO3_FORM_HALF_ORT1
};

/* The tables for combgpu_no3_square: the orbits of its cells; from PLACES on the places, from SPOTS on
   the spots; from LINES on the rows that a line removes when it needs one more point, and none (HALF_ORT1: lines from
   SINGLE on need one point in all). Then a row of 16 words for cells p and q: the cells that this
   pair excludes. */
#define COMBGPU__NO3_SQUARE_PLACES 544
#define COMBGPU__NO3_SQUARE_SPOTS (COMBGPU__NO3_SQUARE_PLACES + COMBGPU__NO3_PLACES(4))
#define COMBGPU__NO3_SQUARE_LINES (COMBGPU__NO3_SQUARE_SPOTS + 2 * COMBGPU__NO3_SQUARE_PLACES)
#define COMBGPU__NO3_SQUARE_LINE(line, full) (16 * (2 * (line) + (full)))
#define COMBGPU__NO3_SQUARE_SINGLE(line) (16 * (64 + (line)))
#define COMBGPU__NO3_SQUARE_WORDS (COMBGPU__NO3_SQUARE_LINES + 16 * 96)
#define COMBGPU__NO3_SQUARE_LEVEL 20  /* the board, `one`, `two`, `two_y`, the count */
#define COMBGPU__NO3_SQUARE_LISTED 32 /* bound on placed orbits */

/* Forms of combgpu_no3_plate (plate.cl), in model->plate; 0: another kernel. */
enum {
    COMBGPU__NO3_PLATE_FOLD = 1,
    COMBGPU__NO3_PLATE_DIA2,
    COMBGPU__NO3_PLATE_ORT1,
    COMBGPU__NO3_PLATE_DIA1
};

/* The tables for combgpu_no3_plate: the orbits of its cells, 64 * row + column; from PLACES on the
   places, and the spots. Then for orbits p >= q the row p * (p + 1) / 2 + q: the orbits that this
   pair excludes. */
#define COMBGPU__NO3_PLATE_PLACES 2048
#define COMBGPU__NO3_PLATE_LEVEL(share) (4 * (share) + 8) /* the board, lines, the count */
#define COMBGPU__NO3_PLATE_LISTED 40                      /* bound on placed orbits */

typedef struct combgpu__no3_spot {
    uint32_t cell, word, bit;
} combgpu__no3_spot;

#endif /* COMBGPU__NO3_LAYOUT_H */
