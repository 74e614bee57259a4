/* ---- the model of a job: its `state` */

/* Where things lie in the tables. */
typedef struct combgpu__no3_view {
    const uint32_t *tables, *places, *twice, *pairs, *rows;
    uint32_t stride, line_rows, parts;
    int words, lines, split, wide, weighted, steep;
} combgpu__no3_view;

/* Cells that the caller fixed. A class whose symmetry lies in two ways in the square (dia1, ort1,
   near_rot4 with an odd side) is searched in one frame where that does not matter, in two where the
   fixed cells tell the two apart: in frame 1 the fixed cells are turned, not the model. */
typedef struct combgpu__no3_given {
    int any, frames, turn;          /* turn: the map between the frames, its own inverse */
    unsigned keep[2];               /* by frame: the maps that keep the fixed cells */
    uint64_t on[2][64], off[2][64]; /* by frame and row */
    uint32_t count[2];              /* orbits that the fixed cells place */
} combgpu__no3_given;

#define COMBGPU__NO3_LEVELS 130 /* more than orbits on any board */

typedef struct combgpu__no3 {
    combgpu_no3_desc desc; /* without run */
    combgpu__no3_given given;
    combgpu__no3_view view;             /* of the tables, once they are made */
    uint8_t shift[COMBGPU__NO3_LEVELS]; /* random order: see combgpu__no3_plan */
    uint32_t stop;
    int whole; /* random order: a piece is one shard's, not shared among all */
    int n;
    int index[COMBGPU__NO3_SIDE], coordinate[COMBGPU__NO3_SIDE]; /* inverse to each other */
    unsigned group; /* bit g: the search is for boards that map g keeps */
    unsigned
        images; /* bit g: map g takes orbits to orbits in a way of its own, not the identity's */
    int near;   /* NEAR_ROT4: a quarter turn off the diagonals; on them only a half turn */
    int split;  /* a word holds two lines of 16 orbits */
    int wide;   /* a line of up to 64 orbits has two words; else one, of up to 32 */
    int words;  /* of a board: 16, 32, 48, 64, 128 or 192 */
    int lines;  /* room for so many */
    int matrix; /* a kernel for matrices has so many of their rows in a lane; 0: another kernel */
    int solo;   /* a kernel has a board in a lane */
    int square; /* combgpu_no3_square: its form + 1; 0: another kernel */
    uint32_t parts;                              /* rows for a pair: see the tables */
    uint32_t line_mask[COMBGPU__NO3_LINES / 32]; /* bit i of [i >> 5]: line number i is used */
    uint32_t orbits;
    uint32_t most;           /* no board has more orbits */
    uint32_t deepest, tasks; /* frontier: the most orbits on its boards; about so many of them */
    uint32_t depth;          /* random order: copies are cut off on boards of so many orbits */
    uint16_t orbit_of[COMBGPU__NO3_CELLS]; /* of cell y * n + x (indices), or NO_ORBIT */
    uint8_t size[COMBGPU__NO3_CELLS];
    uint16_t cells[COMBGPU__NO3_CELLS][8];
    /* the lines of an orbit: number, rank on it (0 = most central), weight; one line: weight 0 */
    uint8_t line[COMBGPU__NO3_CELLS][2], rank[COMBGPU__NO3_CELLS][2], weight[COMBGPU__NO3_CELLS][2];
    /* by row or column, 2 * index + is column: word << 5 | bit of its cells' orbits, or NO_ORBIT */
    uint16_t place[2 * COMBGPU__NO3_SIDE][COMBGPU__NO3_SIDE];
} combgpu__no3;

/* Index of the mirrored row or column. */
COMBGPU__PRIVATE int combgpu__no3_mirror(int n, int i)
{
    if (n % 2 == 0) return i ^ 1;
    return i ? ((i - 1) ^ 1) + 1 : 0;
}

/* A cell's image, in indices. */
COMBGPU__PRIVATE int combgpu__no3_map_cell(int n, int map, int cell)
{
    int x = cell % n, y = cell / n, swapped = x;
    if (map & 4) x = y, y = swapped;
    if (map & 2) x = combgpu__no3_mirror(n, x);
    if (map & 1) y = combgpu__no3_mirror(n, y);
    return y * n + x;
}

/* The orbit of the cell in column x of row y, or NO_ORBIT. */
COMBGPU__PRIVATE uint32_t combgpu__no3_orbit_at(const combgpu__no3 *model, int x, int y)
{
    return model->orbit_of[model->index[y] * model->n + model->index[x]];
}

/* Adds an orbit's points to a board. */
COMBGPU__PRIVATE void combgpu__no3_add_orbit(const combgpu__no3 *model, uint32_t orbit,
                                             uint64_t *rows)
{
    int i;
    for (i = 0; i < model->size[orbit]; i++) {
        int cell = model->cells[orbit][i];
        rows[model->coordinate[cell / model->n]] |= UINT64_C(1)
                                                    << model->coordinate[cell % model->n];
    }
}

/* Are three cells in line? */
COMBGPU__PRIVATE int combgpu__no3_in_line(const combgpu__no3 *model, int a, int b, int c)
{
    const int *at = model->coordinate;
    int n = model->n;
    int bx = at[b % n] - at[a % n], by = at[b / n] - at[a / n];
    int cx = at[c % n] - at[a % n], cy = at[c / n] - at[a / n];
    return bx * cy == by * cx;
}

/* ---- validate */

COMBGPU__PRIVATE combgpu_status combgpu__no3_validate_cells(combgpu_context *ctx,
                                                            const combgpu_no3_desc *desc)
{
    int y, k;
    for (y = 0; y < desc->n; y++)
        for (k = 0; k < 2; k++) {
            const uint64_t *rows = k ? desc->off : desc->on;
            uint64_t both = desc->on && desc->off ? desc->on[y] & desc->off[y] : 0;
            uint64_t outside = rows && desc->n < 64 ? rows[y] >> desc->n : 0;
            if (outside)
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "desc.%s[%d] has a point in column %d; with n = %d columns "
                                     "are 0 to %d",
                                     k ? "off" : "on", y, desc->n + combgpu__lowest_bit64(outside),
                                     desc->n, desc->n - 1);
            if (both)
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "row %d, column %d is in desc.on and in desc.off; a cell may "
                                     "be in one of them",
                                     y, combgpu__lowest_bit64(both));
        }
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_validate(combgpu_context *ctx,
                                                      const combgpu_no3_desc *desc)
{
    if (desc->n < 2 || desc->n > COMBGPU__NO3_SIDE)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.n is %d; it may be 2 to %d",
                             desc->n, COMBGPU__NO3_SIDE);
    if ((int)desc->symmetry < COMBGPU_NO3_ALL || (int)desc->symmetry >= COMBGPU_NO3_CLASS_COUNT)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.symmetry is %d; it may be 0 (all) or %d (dia1) to %d (full)",
                             (int)desc->symmetry, COMBGPU_NO3_DIA1, COMBGPU_NO3_FULL);
    if (desc->symmetry == COMBGPU_NO3_IDEN)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.symmetry is iden, which every solution has at least; search all "
                             "(0) and read classes[COMBGPU_NO3_IDEN]");
    if (desc->symmetry == COMBGPU_NO3_ALL && desc->n > COMBGPU__NO3_ALL_SIDE)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "desc.n is %d; without a symmetry class grids up to %d are searched",
                             desc->n, COMBGPU__NO3_ALL_SIDE);
    return combgpu__no3_validate_cells(ctx, desc);
}

