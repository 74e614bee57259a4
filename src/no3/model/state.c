/* No-three-in-line: the model of a job (its `state`), and checks of its description. */

/* The parts of the tables. */
typedef struct combgpu__no3_view {
    const uint32_t *tables, *places, *twice, *pairs, *rows;
    const uint32_t *large; /* tables of large boards: see model/large.c; NULL: another form */
    uint32_t stride, line_rows, parts, ranks;
    int words, lines, split, wide, weighted, steep;
} combgpu__no3_view;

/* Cells that the caller fixed. The symmetry of dia1, of ort1 and, on an odd side, of near_rot4 has
   two possible axes. The search takes one frame, with one axis, if fixed cells do not tell the axes
   apart, else two: frame 1 turns the fixed cells, not the model. */
typedef struct combgpu__no3_given {
    int any, frames, turn; /* turn: the map between the frames, its own inverse */
    unsigned keep[2];      /* by frame: the maps that keep the fixed cells */
    uint64_t on[2][COMBGPU__NO3_BOARD], off[2][COMBGPU__NO3_BOARD]; /* by frame */
    uint32_t count[2]; /* orbits placed by the fixed cells */
} combgpu__no3_given;

#define COMBGPU__NO3_LEVELS 146 /* more than the orbits on any board */

typedef struct combgpu__no3_walk combgpu__no3_walk; /* see search/random.c */

typedef struct combgpu__no3 {
    combgpu_no3_desc desc; /* without run */
    combgpu__no3_given given;
    combgpu__no3_view view;             /* of the tables, once they are made */
    uint8_t shift[COMBGPU__NO3_LEVELS]; /* random order: see combgpu__no3_plan */
    uint32_t stop;
    int own_chunks;          /* random order: a chunk belongs to one shard, not to all */
    int mixed;               /* random order: merged shards have different chunks */
    combgpu__no3_walk *walk; /* random order: memory for making chunks */
    int n;
    int index[COMBGPU__NO3_SIDE], coordinate[COMBGPU__NO3_SIDE]; /* inverse to each other */
    int middle;      /* index of the middle row and column of an odd side, else -1 */
    unsigned group;  /* bit g: the search finds boards that map g keeps */
    unsigned images; /* bit g: map g permutes the orbits, unlike any smaller map */
    int near_rot4;   /* NEAR_ROT4: a quarter turn off the diagonals; on them only a half turn */
    int split;       /* a word holds two lines of 16 orbits */
    int wide;        /* a line has 1 << wide words, for up to 32 << wide orbits */
    int words;       /* of a board: 16, 32, 48, 64, 128 or 192; large ones 256, 512 or 768 */
    int lines;       /* that a board has room for */
    int matrix;      /* combgpu_no3_matrix */
    int solo;        /* combgpu_no3_solo: its lines beyond 16 + 1; 0: another kernel */
    int square;      /* combgpu_no3_square: its form; 0: another kernel */
    int plate;       /* combgpu_no3_plate: its form; 0: another kernel */
    int share;       /* of that: words in a lane, 6 or 8 */
    uint32_t parts;  /* rows that a pair has: see forms/rows.c */
    uint32_t line_mask[COMBGPU__NO3_LINES / 32]; /* bit i & 31 of [i >> 5]: line i is used */
    uint32_t orbits;
    uint32_t most;           /* bound on placed orbits */
    uint32_t deepest, tasks; /* frontier: orbits placed, at most; tasks, about */
    uint32_t depth;          /* random order: up to this number of orbits copies are cut off */
    uint16_t orbit_of[COMBGPU__NO3_CELLS]; /* of cell y * n + x (indices), or NO_ORBIT */
    uint8_t size[COMBGPU__NO3_MOST_ORBITS];
    uint16_t cells[COMBGPU__NO3_MOST_ORBITS][8];
    /* the lines of an orbit: number, rank on it (0 = most central), weight; one line: weight 0 */
    uint8_t line[COMBGPU__NO3_MOST_ORBITS][2], rank[COMBGPU__NO3_MOST_ORBITS][2];
    uint8_t weight[COMBGPU__NO3_MOST_ORBITS][2];
    /* by row or column, 2 * index + is_column: word << 5 | bit of its cells' orbits, or NO_ORBIT */
    uint16_t place[2 * COMBGPU__NO3_SIDE][COMBGPU__NO3_SIDE];
    uint64_t image[8][COMBGPU__NO3_BOARD]; /* all images of the record under delivery */
} combgpu__no3;

/* The index of the mirrored row or column. */
COMBGPU__PRIVATE int combgpu__no3_mirror(const combgpu__no3 *model, int i)
{
    if (model->middle < 0 || i < model->middle) return i ^ 1;
    return i > model->middle ? ((i - 1) ^ 1) + 1 : i;
}

/* The image of a cell, in indices. */
COMBGPU__PRIVATE int combgpu__no3_map_cell(const combgpu__no3 *model, int map, int cell)
{
    int n = model->n, x = cell % n, y = cell / n, swapped = x;
    if (map & 4) x = y, y = swapped;
    if (map & 2) x = combgpu__no3_mirror(model, x);
    if (map & 1) y = combgpu__no3_mirror(model, y);
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
        combgpu__no3_put_point(model->n, rows, model->coordinate[cell % model->n],
                               model->coordinate[cell / model->n]);
    }
}

/* Nonzero if three cells are in line. */
COMBGPU__PRIVATE int combgpu__no3_cells_in_line(const combgpu__no3 *model, int a, int b, int c)
{
    const int *at = model->coordinate;
    int n = model->n;
    return combgpu__no3_in_line(at[b % n] - at[a % n], at[b / n] - at[a / n], at[c % n] - at[a % n],
                                at[c / n] - at[a / n]);
}

/* ---- validation */

COMBGPU__PRIVATE combgpu_status combgpu__no3_validate_cells(combgpu_context *ctx,
                                                            const combgpu_no3_desc *desc)
{
    int n = desc->n, y, k;
    for (y = 0; y < n; y++)
        for (k = 0; k < 2; k++) {
            const uint64_t *rows = k ? desc->off : desc->on;
            int outside = rows ? combgpu__no3_outside(n, rows, y) : -1, x = n;
            if (outside >= 0)
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "desc.%s[%d] has a point in column %d; with n = %d columns "
                                     "are 0 to %d",
                                     k ? "off" : "on", y, outside, n, n - 1);
            if (desc->on && desc->off)
                for (x = combgpu__no3_next(n, desc->on, 0, y);
                     x < n && !combgpu__no3_has(n, desc->off, x, y);)
                    x = combgpu__no3_next(n, desc->on, x + 1, y);
            if (x < n)
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "desc.on[%d] and desc.off[%d] both have column %d; a cell may "
                                     "be in one of them",
                                     y, y, x);
        }
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_validate_instance(combgpu_context *ctx,
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
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.symmetry is %d (iden), which every solution has; search 0 (all) and "
            "read result.classes[COMBGPU_NO3_IDEN]",
            COMBGPU_NO3_IDEN);
    return combgpu__no3_validate_cells(ctx, desc);
}

/* The same for a search. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_validate(combgpu_context *ctx,
                                                      const combgpu_no3_desc *desc)
{
    if (desc->symmetry == COMBGPU_NO3_ALL && desc->n > COMBGPU__NO3_ALL_SIDE &&
        desc->n <= COMBGPU__NO3_SIDE)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "desc.n is %d; with desc.symmetry 0 (all) it may be 2 to %d", desc->n,
                             COMBGPU__NO3_ALL_SIDE);
    return combgpu__no3_validate_instance(ctx, desc);
}
