/* Makes the tables of no-three-in-line, and the rows that pairs of orbits exclude. */

/* Sets an orbit in a row of board words, and in a row for combgpu_no3_square. */
COMBGPU__PRIVATE void combgpu__no3_add(const combgpu__no3_rows *rows, uint32_t orbit, uint32_t *row,
                                       uint32_t *square)
{
    uint32_t spot, word, share = (uint32_t)rows->model->share;
    combgpu__no3_set(rows->model, orbit, row);
    if (!rows->spots) return;
    spot = rows->spots[2 * orbit], word = COMBGPU__NO3_SPOT_WORD(spot);
    if (rows->model->plate) word = COMBGPU__NO3_LANE_WORD(share, word / share, word % share);
    square[word] |= 1u << COMBGPU__NO3_SPOT_BIT(spot);
}

/* The rows of orbit p with other orbits: *own is that with itself. */
COMBGPU__PRIVATE uint32_t *combgpu__no3_square_of(const combgpu__no3_rows *rows, uint32_t p,
                                                  uint32_t **own)
{
    size_t at = p * ((size_t)p + 1) / 2, cell = p;
    if (!rows->model->plate) {
        cell = COMBGPU__NO3_SPOT_CELL(rows->spots[2 * p]);
        at = cell * rows->square_cells;
    }
    *own = rows->square + (at + cell) * rows->square_words;
    return rows->square + at * rows->square_words;
}

/* To the rows of p with each orbit on the straight line through a cell of p (coordinates), adds
   what that line excludes. */
COMBGPU__PRIVATE void combgpu__no3_unite(const combgpu__no3_rows *rows, uint32_t p, int x, int y,
                                         int dx, int dy)
{
    const combgpu__no3 *model = rows->model;
    size_t words = (size_t)model->words, i;
    uint32_t mask[COMBGPU__NO3_TABLED_WORDS], mask_square[32], *squares = mask_square;
    uint32_t *own, *own_square = mask_square;
    uint16_t orbits[COMBGPU__NO3_TABLED];
    int left = combgpu__no3_line_through(model->n, &x, &y, dx, dy), count = 0, twice = 0, word, j;
    if (left < 3) return;
    if (rows->spots) squares = combgpu__no3_square_of(rows, p, &own_square);
    own = rows->row + combgpu__no3_union(model, p, p) * words;
    memset(mask, 0, words * sizeof *mask);
    memset(mask_square, 0, sizeof mask_square);
    for (; left; left--, x += dx, y += dy) {
        uint32_t orbit = combgpu__no3_orbit_at(model, x, y), bit;
        if (orbit == COMBGPU__NO3_NO_ORBIT) continue;
        bit = combgpu__no3_bit(model, orbit, 0, &word);
        if (!(mask[word] & bit)) {
            combgpu__no3_add(rows, orbit, mask, mask_square);
            if (orbit != p) orbits[count++] = (uint16_t)orbit;
        } else if (orbit == p)
            twice = 1;
        else
            combgpu__no3_add(rows, orbit, own, own_square);
    }
    for (j = 0; j < count; j++) {
        uint32_t q = orbits[j];
        if (twice) combgpu__no3_add(rows, q, own, own_square);
        if (q < p && model->parts == 1) {
            uint32_t *row = rows->row + combgpu__no3_union(model, p, q) * words;
            for (i = 0; i < words; i++)
                row[i] |= mask[i];
        }
        if (rows->spots && (q < p || !model->plate)) {
            size_t number = model->plate ? q : COMBGPU__NO3_SPOT_CELL(rows->spots[2 * q]);
            uint32_t *row = squares + number * rows->square_words;
            for (i = 0; i < rows->square_words; i++)
                row[i] |= mask_square[i];
        }
    }
}

/* Makes the rows of an orbit with each orbit up to itself, and their numbers. The lines through its
   first cell represent all: the others are their images. With near_rot4 only a half turn does that,
   which takes cells 0 and 2 to 1 and 3. */
COMBGPU__PRIVATE void combgpu__no3_unions(const combgpu__no3_rows *rows, uint32_t p)
{
    const combgpu__no3 *model = rows->model;
    size_t words = (size_t)model->words, i;
    uint32_t q;
    int cell, d;
    for (cell = 0; cell < (model->near_rot4 ? model->size[p] : 1); cell += 2)
        for (d = 0; d < rows->directions; d++)
            combgpu__no3_unite(rows, p, model->coordinate[model->cells[p][cell] % model->n],
                               model->coordinate[model->cells[p][cell] / model->n],
                               rows->direction[d][0], rows->direction[d][1]);
    for (q = model->parts > 1 ? p : 0; q <= p; q++) {
        size_t row = combgpu__no3_union(model, p, q);
        uint32_t any = 0;
        for (i = 0; i < words; i++)
            any |= rows->row[row * words + i];
        row = any ? rows->first + row : 0;
        combgpu__no3_set_pair(rows->tables, p, q, 0, row);
        if (p != q) combgpu__no3_set_pair(rows->tables, q, p, 0, row);
    }
}

/* Classes of lines, a nibble for each number of points that open orbits can give: 0 dead, 1 forced,
   then in the order in which lines are taken. Flat ones are fastest for the full search and rot2,
   steep ones for the other classes, which have more orbits on a line. */
#define COMBGPU__NO3_FLAT_TWO 0x55432100u
#define COMBGPU__NO3_FLAT_ONE 0x77777210u
#define COMBGPU__NO3_STEEP_TWO 0x65432100u
#define COMBGPU__NO3_STEEP_ONE 0x99653210u

COMBGPU__COLD_BEGIN
/* Makes the places, and the rows of orbits and of lines; large boards have none of orbits. */
COMBGPU__PRIVATE void combgpu__no3_fill_tables(const combgpu__no3 *model, uint32_t *tables)
{
    uint32_t *places = tables + tables[COMBGPU__NO3_AT_PLACES];
    uint32_t *twice = tables + tables[COMBGPU__NO3_AT_TWICE];
    uint32_t *rows = tables + tables[COMBGPU__NO3_AT_ROWS], p;
    size_t words = (size_t)model->words;
    int k, word;
    for (p = 0; p < model->orbits; p++) {
        if (model->wide < 2) combgpu__no3_set(model, p, rows + (1 + p) * words);
        for (k = 0; k < 2; k++) {
            uint32_t weight = model->weight[p][k], bit = combgpu__no3_bit(model, p, k, &word);
            int line = model->line[p][k];
            if (!weight) continue;
            places[line * (model->wide < 2 ? 64 : 128) + model->rank[p][k]] = COMBGPU__NO3_PLACE(
                p, (uint32_t)model->line[p][1 - k], weight, (uint32_t)model->weight[p][1 - k]);
            combgpu__no3_set(model, p, rows + combgpu__no3_line_row(model, line, 0) * words);
            if (weight < 2) continue;
            combgpu__no3_set(model, p, rows + combgpu__no3_line_row(model, line, 1) * words);
            twice[word] |= bit;
            tables[COMBGPU__NO3_AT_WEIGHTED] = 1;
        }
    }
}
COMBGPU__COLD_END

/* Finds the parts of the tables. */
COMBGPU__PRIVATE void combgpu__no3_make_view(const uint32_t *tables, combgpu__no3_view *view)
{
    view->tables = tables;
    view->places = tables + tables[COMBGPU__NO3_AT_PLACES];
    view->twice = tables + tables[COMBGPU__NO3_AT_TWICE];
    view->pairs = tables + tables[COMBGPU__NO3_AT_PAIRS];
    view->rows = tables + tables[COMBGPU__NO3_AT_ROWS];
    view->stride = tables[COMBGPU__NO3_AT_STRIDE];
    view->line_rows = tables[COMBGPU__NO3_AT_LINE_ROWS];
    view->words = (int)tables[COMBGPU__NO3_AT_WORDS];
    view->parts = tables[COMBGPU__NO3_AT_PARTS];
    view->split = (int)tables[COMBGPU__NO3_AT_SPLIT];
    view->wide = (int)tables[COMBGPU__NO3_AT_WIDE];
    view->lines = view->split ? 32 : view->words >> view->wide;
    view->large = tables[COMBGPU__NO3_AT_LARGE] ? tables + tables[COMBGPU__NO3_AT_LARGE] : NULL;
    view->ranks = view->large ? 128 : 64;
    view->weighted = (int)tables[COMBGPU__NO3_AT_WEIGHTED];
    view->steep = tables[COMBGPU__NO3_AT_TWO] == COMBGPU__NO3_STEEP_TWO;
}

/* Fills in the header fields that all forms of the tables share. */
COMBGPU__PRIVATE void combgpu__no3_fill_header(const combgpu__no3 *model, uint32_t *tables,
                                               size_t rows_at)
{
    int flat = model->group == 1 || model->desc.symmetry == COMBGPU_NO3_ROT2;
    uint32_t ranks = model->wide < 2 ? 64 : 128, words = (uint32_t)model->words;
    tables[COMBGPU__NO3_AT_WORDS] = words;
    tables[COMBGPU__NO3_AT_ORBITS] = model->orbits;
    tables[COMBGPU__NO3_AT_SPLIT] = (uint32_t)model->split;
    tables[COMBGPU__NO3_AT_PARTS] = model->parts;
    tables[COMBGPU__NO3_AT_TWO] = flat ? COMBGPU__NO3_FLAT_TWO : COMBGPU__NO3_STEEP_TWO;
    tables[COMBGPU__NO3_AT_ONE] = flat ? COMBGPU__NO3_FLAT_ONE : COMBGPU__NO3_STEEP_ONE;
    tables[COMBGPU__NO3_AT_LINE_ROWS] = (uint32_t)combgpu__no3_line_row(model, 0, 0);
    tables[COMBGPU__NO3_AT_PLACES] = COMBGPU__NO3_HEADER;
    tables[COMBGPU__NO3_AT_TWICE] = COMBGPU__NO3_HEADER + ranks * (uint32_t)model->lines;
    tables[COMBGPU__NO3_AT_PAIRS] = tables[COMBGPU__NO3_AT_TWICE] + words;
    tables[COMBGPU__NO3_AT_ROWS] = (uint32_t)rows_at;
    tables[COMBGPU__NO3_AT_SIDE] = (uint32_t)model->n;
    tables[COMBGPU__NO3_AT_WIDE] = (uint32_t)model->wide;
}

/* ---- Large boards: tables of size O(orbits * words); the search itself finds what a pair
   excludes. */

/* Adds to a row what orbit p excludes by a straight line through its cell `at` and another of its
   cells, or with two cells of another orbit. */
COMBGPU__PRIVATE void combgpu__no3_large_own(const combgpu__no3 *model, const uint32_t *large,
                                             uint32_t p, int at, uint32_t *row)
{
    uint32_t q;
    int i, j;
    for (i = 0; i < model->size[p]; i++)
        if (i != at)
            combgpu__no3_large_line(large, combgpu__no3_large_point(large, p, at),
                                    combgpu__no3_large_point(large, p, i), row, 1);
    for (q = 0; q < model->orbits; q++)
        for (i = 1; i < model->size[q] && q != p; i++)
            for (j = 0; j < i; j++)
                if (combgpu__no3_cells_in_line(model, model->cells[p][at], model->cells[q][i],
                                               model->cells[q][j]))
                    combgpu__no3_set(model, q, row);
}

typedef struct combgpu__no3_owning {
    combgpu__no3 *model;
    uint32_t *tables;
    size_t own, end; /* where the orbits' own sets and the table of large boards begin */
} combgpu__no3_owning;

/* Writes the set of orbit p, and the orbits that a point of it excludes. */
COMBGPU__PRIVATE void combgpu__no3_large_pass(void *user, int p, int thread)
{
    const combgpu__no3_owning *o = (const combgpu__no3_owning *)user;
    uint32_t *row = o->tables + o->own + (size_t)p * (size_t)o->model->words;
    int cell;
    (void)thread;
    combgpu__no3_set(o->model, (uint32_t)p, row);
    for (cell = 0; cell < (o->model->near_rot4 ? o->model->size[p] : 1); cell += 2)
        combgpu__no3_large_own(o->model, o->tables + o->end, (uint32_t)p, cell, row);
}

/* Lays out and fills the tables of a large board. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_large_tables(combgpu_job *job)
{
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    size_t orbits = model->orbits, words = (size_t)model->words, own, end, at;
    uint32_t *tables;
    combgpu_status status;
    combgpu__no3_owning o;
    at = (COMBGPU__NO3_HEADER + 128 * (size_t)model->lines + words + 31) / 32 * 32;
    own = at + 3 * (size_t)model->lines * words;
    end = own + orbits * words;
    status = combgpu__job_tables(job, end + combgpu__no3_large_words(model));
    if (status) return status;
    tables = combgpu__tables(job);
    combgpu__no3_fill_header(model, tables, at);
    tables[COMBGPU__NO3_AT_LARGE] = (uint32_t)end;
    combgpu__no3_make_view(tables, &model->view);
    combgpu__no3_fill_tables(model, tables);
    combgpu__no3_large_fill(model, tables + end, (uint32_t)own);
    o.model = model;
    o.tables = tables;
    o.own = own;
    o.end = end;
    combgpu__loop(combgpu__context(job), combgpu__host_threads(combgpu__context(job)), (int)orbits,
                  16, combgpu__no3_large_pass, &o);
    combgpu__no3_make_view(tables, &model->view);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__no3_unions_pass(void *user, int p, int thread)
{
    (void)thread;
    combgpu__no3_unions((combgpu__no3_rows *)user, (uint32_t)p);
}

COMBGPU__COLD_BEGIN
/* Lays out and fills the tables. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_make_tables(combgpu_job *job)
{
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    size_t orbits = model->orbits, words = (size_t)model->words, count, at, grid, matrix, end;
    size_t stride = orbits + orbits % 2, pairs = stride * orbits * model->parts;
    uint32_t *tables;
    combgpu__no3_rows rows;
    combgpu_status status;
    if (model->wide == 2) return combgpu__no3_large_tables(job);
    memset(&rows, 0, sizeof rows);
    rows.model = model;
    combgpu__no3_find_directions(&rows);
    rows.first = combgpu__no3_line_row(model, model->lines, 0);
    if (model->group == 1 || model->parts > 1) combgpu__no3_straights(&rows);
    count = rows.first + rows.count;
    if (model->group != 1) count += model->parts > 1 ? orbits : orbits * (orbits + 1) / 2;
    if (words == 16) pairs /= 2;
    /* rows begin at multiples of 128 bytes, a line of a GPU's cache */
    at = (COMBGPU__NO3_HEADER + 64 * (size_t)model->lines + words + pairs + 31) / 32 * 32;
    grid = (at + count * words + 31) / 32 * 32;
    matrix = grid + COMBGPU__NO3_MATRIX_SPOTS + 2 * orbits + (model->group == 1 ? pairs / 2 : 0);
    matrix = (matrix + 31) / 32 * 32;
    end = grid;
    if (model->solo) end = grid + COMBGPU__NO3_SOLO_BYTES((unsigned)model->solo - 1) / 4;
    if (model->matrix) end = matrix + count * 4 * COMBGPU__NO3_MATRIX_SHARE;
    if (model->square) {
        size_t cells = combgpu__no3_square_cells(model);
        matrix = grid + COMBGPU__NO3_SQUARE_WORDS;
        end = matrix + cells * cells * 16;
    }
    if (model->plate) {
        matrix = grid + COMBGPU__NO3_PLATE_PLACES + COMBGPU__NO3_PLACES((size_t)model->share);
        matrix = (matrix + 2 * orbits + 31) / 32 * 32;
        end = matrix + orbits * (orbits + 1) / 2 * 4 * (size_t)model->share;
    }
    status = combgpu__job_tables(job, end);
    if (status) return status;
    tables = combgpu__tables(job);
    combgpu__no3_fill_header(model, tables, at);
    tables[COMBGPU__NO3_AT_STRIDE] = (uint32_t)stride;
    if (model->matrix || model->square || model->plate) {
        tables[COMBGPU__NO3_AT_GRID] = (uint32_t)grid;
        tables[COMBGPU__NO3_AT_MATRIX] = (uint32_t)matrix;
    }
    combgpu__no3_fill_tables(model, tables);
    rows.tables = tables;
    rows.row = tables + at + rows.first * words;
    rows.count = 0;
    if (model->square) combgpu__no3_fill_square(&rows);
    if (model->plate) combgpu__no3_fill_plate(&rows);
    if (model->group == 1 || model->parts > 1) combgpu__no3_straights(&rows);
    if (model->group != 1)
        combgpu__loop(combgpu__context(job),
                      model->orbits > 128 ? combgpu__host_threads(combgpu__context(job)) : 1,
                      (int)model->orbits, 4, combgpu__no3_unions_pass, &rows);
    if (model->matrix) combgpu__no3_fill_matrix(&rows, count);
    if (model->solo) {
        tables[COMBGPU__NO3_AT_SOLO] = (uint32_t)grid;
        status = combgpu__no3_fill_solo(job, &rows);
    }
    combgpu__no3_make_view(tables, &model->view);
    return status;
}
COMBGPU__COLD_END
