/* ---- tables: rows of board words that a step removes

   row 0 is empty; 1 + orbit: the orbit alone; then for each line what goes when it needs no point
   any more (all its orbits), one (those of weight 2), two (nothing); then what is in line with two
   points:
     in the full search a row for each straight line, which all pairs on it share;
     in a class one for each pair of orbits, the union of all lines between them, and for each orbit
     with itself all that it excludes alone: by a line through two of its points, or through two
     points of the other and one of its own;
     with boards of 128 words and more, where those would be gigabytes, the latter for each orbit,
     then the straight lines, of which a pair has two (groups of order 2). */
typedef struct combgpu__no3_rows {
    const combgpu__no3 *model;
    uint32_t *tables;          /* NULL: count only */
    uint32_t *row;             /* the first of these rows */
    size_t first;              /* its number */
    size_t count;              /* straight lines so far */
    int8_t direction[1280][2]; /* of all straight lines but rows and columns */
    int directions;
    const uint32_t *spots; /* see combgpu__no3_fill_square; NULL: another kernel */
    uint32_t *square;      /* rows for it */
    size_t square_cells;   /* of them, for an orbit */
} combgpu__no3_rows;

COMBGPU__PRIVATE size_t combgpu__no3_line_row(const combgpu__no3 *model, int line, int need)
{
    return 1 + model->orbits + 3 * (size_t)line + (size_t)need;
}

/* The row of two orbits among the rows above. */
COMBGPU__PRIVATE size_t combgpu__no3_union(const combgpu__no3 *model, size_t p, size_t q)
{
    if (model->parts > 1) return p;
    return p < q ? q * (q + 1) / 2 + p : p * (p + 1) / 2 + q;
}

COMBGPU__PRIVATE void combgpu__no3_set_pair(uint32_t *tables, uint32_t p, uint32_t q, uint32_t part,
                                            size_t row)
{
    uint32_t *pairs = tables + tables[COMBGPU__NO3_AT_PAIRS];
    size_t at = ((size_t)p * tables[COMBGPU__NO3_AT_STRIDE] + q) * tables[COMBGPU__NO3_AT_PARTS];
    uint16_t short_row = (uint16_t)row;
    if (tables[COMBGPU__NO3_AT_WORDS] == 16)
        memcpy((char *)pairs + 2 * at, &short_row, sizeof short_row);
    else
        pairs[at + part] = (uint32_t)row;
}

/* Gives pairs of points on a straight line, and on its images, their row. */
COMBGPU__PRIVATE void combgpu__no3_share(const combgpu__no3_rows *rows, const uint16_t *cells,
                                         int count, size_t row)
{
    const combgpu__no3 *model = rows->model;
    int map, a, b, j;
    for (map = 0; map < 8; map++)
        for (a = 0; model->group >> map & 1 && a < count; a++) {
            int from = combgpu__no3_map_cell(model->n, map, cells[a]);
            uint32_t p = model->orbit_of[from], q;
            if (p == COMBGPU__NO3_NO_ORBIT || model->cells[p][0] != from) continue;
            for (b = 0; b < count; b++) {
                int to = combgpu__no3_map_cell(model->n, map, cells[b]);
                q = model->orbit_of[to];
                if (q == COMBGPU__NO3_NO_ORBIT || q == p) continue;
                for (j = 0; model->cells[q][j] != to; j++) {
                }
                combgpu__no3_set_pair(rows->tables, p, q, (uint32_t)j, row);
            }
        }
}

/* The straight line from a cell (coordinates) on; nothing if an image of it comes before it. */
COMBGPU__PRIVATE void combgpu__no3_straight(combgpu__no3_rows *rows, int x, int y, int dx, int dy)
{
    const combgpu__no3 *model = rows->model;
    uint16_t cells[COMBGPU__NO3_SIDE];
    uint32_t mask[COMBGPU__NO3_WORDS];
    size_t words = (size_t)model->words, at;
    int n = model->n, count = 0, map, a, b, first, last;
    unsigned group = model->near ? 0x09u : model->group;
    for (; x < n && y >= 0 && y < n; x += dx, y += dy)
        cells[count++] = (uint16_t)(model->index[y] * n + model->index[x]);
    first = cells[0] < cells[count - 1] ? cells[0] : cells[count - 1];
    last = cells[0] ^ cells[count - 1] ^ first;
    for (map = 1; map < 8; map++) {
        if (!(group >> map & 1)) continue;
        a = combgpu__no3_map_cell(n, map, first);
        b = combgpu__no3_map_cell(n, map, last);
        if (b < a) a ^= b, b ^= a, a ^= b;
        if (a < first || (a == first && b < last)) return;
    }
    at = rows->count++ + (model->parts > 1 ? model->orbits : 0);
    if (!rows->tables) return;
    memset(mask, 0, words * sizeof *mask);
    for (a = 0; a < count; a++)
        if (model->orbit_of[cells[a]] != COMBGPU__NO3_NO_ORBIT)
            combgpu__no3_set(model, model->orbit_of[cells[a]], mask);
    memcpy(rows->row + at * words, mask, words * sizeof *mask);
    combgpu__no3_share(rows, cells, count, rows->first + at);
}

/* All straight lines of three cells or more but rows and columns, one of those that are images. */
COMBGPU__PRIVATE void combgpu__no3_straights(combgpu__no3_rows *rows)
{
    int n = rows->model->n, i, x, y;
    for (i = 0; i < rows->directions; i++) {
        int dx = rows->direction[i][0], dy = rows->direction[i][1];
        for (x = 0; x + 2 * dx < n; x++)
            for (y = dy < 0 ? -2 * dy : 0; y < n && y + 2 * dy < n; y++)
                if (x < dx || y < dy || y - dy >= n) combgpu__no3_straight(rows, x, y, dx, dy);
    }
}

COMBGPU__PRIVATE void combgpu__no3_find_directions(combgpu__no3_rows *rows)
{
    int n = rows->model->n, dx, dy;
    for (dx = 1; 2 * dx < n; dx++)
        for (dy = -(n - 1) / 2; 2 * dy < n; dy++) {
            int g = dx, r = dy < 0 ? -dy : dy;
            while (r) {
                int t = g % r;
                g = r;
                r = t;
            }
            if (g != 1 || dy == 0) continue;
            rows->direction[rows->directions][0] = (int8_t)dx;
            rows->direction[rows->directions++][1] = (int8_t)dy;
        }
}

/* The table of the kernels with a board in a lane (combgpu_kernels.cl): the rows of straight lines, the
   empty one first, as three arrays of 4, 4 and 1 words (n = 17 only); then the bytes before the row of
   a pair of points: n = 17 a triangle, else [256][256]. */
#define COMBGPU__NO3_SOLO_ROWS(wide) ((wide) ? 3495u : 2723u)
#define COMBGPU__NO3_SOLO_BYTES(wide)                                                              \
    ((wide) ? (36 * 3495u + 289 * 290 + 15) / 16 * 16 : 32 * 2723u + 2 * 256 * 256)
#define COMBGPU__NO3_SOLO_LEVELS 15
#define COMBGPU__NO3_SOLO_LEVEL 12

COMBGPU__PRIVATE combgpu_status combgpu__no3_fill_solo(combgpu_job *job,
                                                       const combgpu__no3_rows *rows)
{
    const combgpu__no3 *model = rows->model;
    uint32_t *tables = rows->tables, *solo = tables + tables[COMBGPU__NO3_AT_SOLO], p, q, number;
    uint32_t wide = !model->split, all = COMBGPU__NO3_SOLO_ROWS(wide), n = (uint32_t)model->n;
    size_t words = (size_t)model->words, i;
    uint16_t *place = (uint16_t *)combgpu__allocate(job->ctx, (rows->count + 1) * sizeof *place);
    uint32_t corner, j;
    if (!place) return combgpu__no_memory(job->ctx, (rows->count + 1) * sizeof *place);
    place[0] = 0;
    for (corner = 0, number = 1; corner < 2; corner++) {
        if (corner) tables[COMBGPU__NO3_AT_SOLO_CORNER] = 16 * number;
        for (i = 0; i < rows->count; i++) {
            const uint32_t *row = rows->row + i * words;
            if (wide ? (row[32] >> 15 & 1) != corner : corner) continue;
            for (j = 0; j < 8; j++)
                solo[(j < 4 ? 0 : 4 * all) + 4 * number + j % 4] =
                    wide ? (row[2 * j] & 0xffff0000u) | row[2 * j + 16] >> 16
                         : row[j] << 16 | (row[j + 8] & 0xffff);
            if (wide) solo[8 * all + number] = (row[33] & 0xffff0000u) | row[32] >> 16;
            place[i + 1] = (uint16_t)(16 * number++);
        }
    }
    for (p = 0; p < model->orbits; p++)
        for (q = 0; q < model->orbits; q++) {
            size_t at = (size_t)p * tables[COMBGPU__NO3_AT_STRIDE] + q;
            const uint32_t *pairs = tables + tables[COMBGPU__NO3_AT_PAIRS];
            uint32_t to = p > q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
            uint32_t pair = pairs[wide ? at : 0];
            uint16_t id;
            memcpy(&id, (const char *)pairs + (wide ? 0 : 2 * at), sizeof id);
            if (!wide) pair = id;
            id = pair ? place[pair - rows->first + 1] : 0;
            if (!wide) to = (p / n << 4 | p % n) << 8 | (q / n << 4 | q % n);
            memcpy((char *)solo + (wide ? 36 : 32) * all + 2 * to, &id, sizeof id);
        }
    combgpu__release(job->ctx, place);
    return COMBGPU_OK;
}

/* The tables of the kernels for matrices (their offsets): for each cell its orbit, weight on the line
   of its row << 12, and of its column << 14; for each orbit row | column << 5, then word and bit of
   its two places in a board; in the full search the numbers of pairs, in 16 bits. Then the rows that
   a step removes, as matrices. */
#define COMBGPU__NO3_MATRIX_SPOTS 1024

COMBGPU__PRIVATE void combgpu__no3_fill_matrix(const combgpu__no3_rows *rows, size_t count)
{
    const combgpu__no3 *model = rows->model;
    uint32_t *tables = rows->tables, *cells = tables + tables[COMBGPU__NO3_AT_GRID];
    const uint32_t *row = tables + tables[COMBGPU__NO3_AT_ROWS];
    uint32_t *spots = cells + COMBGPU__NO3_MATRIX_SPOTS, share = (uint32_t)model->matrix, p;
    uint32_t *to = tables + tables[COMBGPU__NO3_AT_MATRIX];
    int n = model->n, cell, word, other;
    size_t i;
    for (cell = 0; cell < n * n; cell++) {
        int x = cell % n, y = cell / n, k;
        uint32_t bit;
        if (model->group != 1) { /* one cell of each orbit: see the kernel */
            if (n % 2 == 0 && (x % 2 || y % 2)) continue;
            if (n % 2 && (x % 2 == 0 || (y && y % 2 == 0))) continue;
            x = (x + n % 2) / 2, y = (y + n % 2) / 2;
        }
        p = model->orbit_of[cell];
        if (p == COMBGPU__NO3_NO_ORBIT) continue;
        k = model->group == 1 ? 0 : model->line[p][0] != y;
        cells[y * 32 + x] =
            p | (uint32_t)model->weight[p][k] << 12 | (uint32_t)(model->weight[p][1 - k]) << 14;
        spots[2 * p] = (uint32_t)y | (uint32_t)x << 5;
        bit = combgpu__no3_bit(model, p, 0, &word);
        spots[2 * p + 1] = (uint32_t)word | (uint32_t)combgpu__lowest_bit64(bit) << 8;
        bit = combgpu__no3_bit(model, p, 1, &other);
        spots[2 * p + 1] |= (uint32_t)other << 16 | (uint32_t)combgpu__lowest_bit64(bit) << 24;
    }
    for (i = 0; model->group == 1 && i < (size_t)model->orbits * tables[COMBGPU__NO3_AT_STRIDE];
         i++) {
        uint16_t number = (uint16_t)tables[tables[COMBGPU__NO3_AT_PAIRS] + i];
        memcpy((char *)(spots + 2 * model->orbits) + 2 * i, &number, sizeof number);
    }
    for (i = 0; i < count; i++, row += model->words, to += 4 * share)
        for (p = 0; p < model->orbits; p++) {
            uint32_t place = spots[2 * p + 1], y = spots[2 * p] & 31, lane = y / share,
                     j = y % share;
            if (row[place & 255] >> (place >> 8 & 31) & 1)
                to[j < 4 ? 4 * lane + j : 16 + (share - 4) * lane + j - 4] |=
                    0x80000000u >> (spots[2 * p] >> 5);
        }
}

/* The tables of combgpu_no3_square: the orbits of its cells; for each orbit the word and bit << 4 of
   its cell in a board, the cell << 16, then word and bit of its two places in a task's board; for
   each line what goes when it needs one point, none. Then, for cells p and q, what they exclude:
   rows of 16 words. */
#define COMBGPU__NO3_SQUARE_SPOTS 544
#define COMBGPU__NO3_SQUARE_LINES 1632
#define COMBGPU__NO3_SQUARE_WORDS 3168

typedef struct combgpu__no3_spot {
    uint32_t cell, word, bit;
} combgpu__no3_spot;

COMBGPU__PRIVATE uint32_t combgpu__no3_square_columns(const combgpu__no3 *model)
{
    uint32_t n = (uint32_t)model->n;
    return model->square < 3 ? n / 2 : model->square == 3 ? n + n % 2 : n;
}

COMBGPU__PRIVATE size_t combgpu__no3_square_cells(const combgpu__no3 *model)
{
    size_t n = (size_t)model->n;
    return combgpu__no3_square_columns(model) * (model->square == 4 ? n / 2 : (n + 1) / 2);
}

/* The cell of an orbit, and where it is in a board. */
COMBGPU__PRIVATE combgpu__no3_spot combgpu__no3_spot_of(const combgpu__no3 *model, uint32_t orbit)
{
    uint32_t n = (uint32_t)model->n, odd = n % 2, i, x = 0, y = 0, lane;
    combgpu__no3_spot spot;
    for (i = 0; i < model->size[orbit]; i++) {
        x = model->cells[orbit][i] % n, y = model->cells[orbit][i] / n;
        if (model->square == 4) { /* a pair of columns is a row */
            uint32_t column = x;
            x = y, y = column;
        }
        if (y % 2 != (y ? odd : 0)) continue; /* one of two mirror images */
        if (model->square > 2 || (x && x % 2 == odd) || (!x && !odd)) break;
    }
    y = (y + odd) / 2;
    if (model->square < 3) x = (x + odd) / 2 - odd;
    if (model->square == 3) x += odd;
    spot.cell = y * combgpu__no3_square_columns(model) + x;
    spot.word = y, spot.bit = 31 - x;
    if (model->square > 2) return spot;
    if (model->square == 2 && !y--) { /* the axis */
        spot.word = x < 12 ? 2 : 3, spot.bit = x < 12 ? 11 - x : 23 - x;
        return spot;
    }
    lane = y / 5, i = y % 5;
    if (i == 4) i = x < 12 ? 0 : 1, spot.bit = x < 12 ? 11 - x : 23 - x;
    spot.word = 4 * lane + i;
    return spot;
}

COMBGPU__PRIVATE void combgpu__no3_fill_square(combgpu__no3_rows *rows)
{
    const combgpu__no3 *model = rows->model;
    uint32_t *tables = rows->tables, *cell_orbits = tables + tables[COMBGPU__NO3_AT_GRID];
    uint32_t *spots = cell_orbits + COMBGPU__NO3_SQUARE_SPOTS;
    uint32_t *lines = cell_orbits + COMBGPU__NO3_SQUARE_LINES, p, bit;
    int word, k;
    rows->square_cells = combgpu__no3_square_cells(model);
    rows->square = tables + tables[COMBGPU__NO3_AT_MATRIX];
    rows->spots = spots;
    for (p = 0; p < model->orbits; p++) {
        combgpu__no3_spot spot = combgpu__no3_spot_of(model, p);
        cell_orbits[spot.cell] = p;
        spots[2 * p] = spot.word | spot.bit << 4 | spot.cell << 16;
        for (k = 0; k < 2; k++) { /* the kernel's number of the line */
            uint32_t line = model->line[p][k];
            bit = combgpu__no3_bit(model, p, k, &word);
            spots[2 * p + 1] |= ((uint32_t)word | (uint32_t)combgpu__lowest_bit64(bit) << 8)
                                << 16 * k;
            if (!model->weight[p][k]) continue;
            if (model->square == 4)
                line = line % 3 == 1 ? line / 3 * 2 : 64 + line / 3 * 2 + line % 3 / 2;
            if (line >= 64) lines[16 * line + spot.word] |= 1u << spot.bit;
            if (line >= 64) continue;
            lines[16 * (2 * line + 1) + spot.word] |= 1u << spot.bit;
            if (model->weight[p][k] > 1 && model->square == 1)
                lines[16 * 2 * line + spot.word] |= 1u << spot.bit;
        }
    }
}

