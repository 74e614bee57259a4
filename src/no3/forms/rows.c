/* Makes the rows of board words that a step of no-three-in-line removes.

   Row 0 is empty. Row 1 + orbit has the orbit alone. Then come three rows for each line, removed
   when it needs no more points (all its orbits), one (its orbits of weight 2), two (nothing). The
   rest are rows of orbits in line with two points:
   - in the full search a row for each straight line, which all pairs on it share;
   - in a class, a row for each pair of orbits, the union of all lines between them, and for each
     orbit with itself all that it excludes alone: by a line through two of its points, or through
     two points of the other orbit and one of its own;
   - with boards of 128 words and more, where rows for pairs would be gigabytes, the row of each
     orbit with itself, then the straight lines, of which a pair has two (groups of order 2). */
typedef struct combgpu__no3_rows {
    const combgpu__no3 *model;
    uint32_t *tables;          /* NULL: count only */
    uint32_t *row;             /* the first row for two points */
    size_t first;              /* its number */
    size_t count;              /* straight lines so far */
    int8_t direction[1280][2]; /* (dx, dy) of all straight lines but rows and columns */
    int directions;
    const uint32_t *spots; /* for combgpu_no3_square and _plate; NULL: another kernel */
    uint32_t *square;      /* their rows */
    size_t square_cells;   /* rows of a cell in _square: one with each cell */
    size_t square_words;   /* of such a row */
} combgpu__no3_rows;

COMBGPU__PRIVATE size_t combgpu__no3_line_row(const combgpu__no3 *model, int line, int need)
{
    return (model->wide < 2 ? 1 + model->orbits : 0) + 3 * (size_t)line + (size_t)need;
}

/* The row of two orbits, counted from combgpu__no3_rows.row. */
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

COMBGPU__COLD_BEGIN
/* Sets the row of all pairs of points on a straight line, and on its images. */
COMBGPU__PRIVATE void combgpu__no3_share(const combgpu__no3_rows *rows, const uint16_t *cells,
                                         int count, size_t row)
{
    const combgpu__no3 *model = rows->model;
    int map, a, b, j;
    for (map = 0; map < 8; map++)
        for (a = 0; model->group >> map & 1 && a < count; a++) {
            int from = combgpu__no3_map_cell(model, map, cells[a]);
            uint32_t p = model->orbit_of[from], q;
            if (p == COMBGPU__NO3_NO_ORBIT || model->cells[p][0] != from) continue;
            for (b = 0; b < count; b++) {
                int to = combgpu__no3_map_cell(model, map, cells[b]);
                q = model->orbit_of[to];
                if (q == COMBGPU__NO3_NO_ORBIT || q == p) continue;
                for (j = 0; model->cells[q][j] != to; j++) {
                }
                combgpu__no3_set_pair(rows->tables, p, q, (uint32_t)j, row);
            }
        }
}

/* Adds the line with `count` cells from one (coordinates) on, unless one of its images comes first. */
COMBGPU__PRIVATE void combgpu__no3_straight(combgpu__no3_rows *rows, int x, int y, int dx, int dy,
                                            int count)
{
    const combgpu__no3 *model = rows->model;
    uint16_t cells[COMBGPU__NO3_TABLED];
    uint32_t mask[COMBGPU__NO3_TABLED_WORDS];
    size_t words = (size_t)model->words, at;
    int n = model->n, map, a, b, first, last;
    unsigned group = model->near_rot4 ? 0x09u : model->group;
    for (a = 0; a < count; a++, x += dx, y += dy)
        cells[a] = (uint16_t)(model->index[y] * n + model->index[x]);
    first = cells[0] < cells[count - 1] ? cells[0] : cells[count - 1];
    last = cells[0] ^ cells[count - 1] ^ first;
    for (map = 1; map < 8; map++) {
        if (!(group >> map & 1)) continue;
        a = combgpu__no3_map_cell(model, map, first);
        b = combgpu__no3_map_cell(model, map, last);
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

/* Adds the straight lines of three cells or more, but rows and columns; one line for all images. */
COMBGPU__PRIVATE void combgpu__no3_straights(combgpu__no3_rows *rows)
{
    int n = rows->model->n, i, x, y;
    for (i = 0; i < rows->directions; i++) {
        int dx = rows->direction[i][0], dy = rows->direction[i][1], count;
        for (x = 0; x < n; x++)
            for (y = 0; y < n; y++)
                if ((count = combgpu__no3_line_from(n, x, y, dx, dy)) > 2)
                    combgpu__no3_straight(rows, x, y, dx, dy, count);
    }
}

COMBGPU__PRIVATE void combgpu__no3_find_directions(combgpu__no3_rows *rows)
{
    int n = rows->model->n, dx, dy;
    for (dx = 1; 2 * dx < n; dx++)
        for (dy = -(n - 1) / 2; 2 * dy < n; dy++) {
            if (!dy || !combgpu__no3_is_direction(n, dx, dy)) continue;
            rows->direction[rows->directions][0] = (int8_t)dx;
            rows->direction[rows->directions++][1] = (int8_t)dy;
        }
}

/* The second word of an orbit's spot: its places in a task's board. */
COMBGPU__PRIVATE uint32_t combgpu__no3_spot_places(const combgpu__no3 *model, uint32_t orbit)
{
    uint32_t places = 0, bit;
    int k, word;
    for (k = 0; k < 2; k++) {
        bit = combgpu__no3_bit(model, orbit, k, &word);
        places |= COMBGPU__NO3_SPOT_PLACE((uint32_t)word, (uint32_t)combgpu__lowest_bit64(bit))
                  << 16 * k;
    }
    return places;
}

/* Fills the table of places, for a matrix of 4 * share words, from the spots that follow it. */
COMBGPU__PRIVATE void combgpu__no3_fill_places(const combgpu__no3 *model, uint32_t *places,
                                               uint32_t share)
{
    const uint32_t *spots = places + COMBGPU__NO3_PLACES(share);
    uint32_t i;
    for (i = 0; i < COMBGPU__NO3_PLACES(share); i++)
        places[i] = COMBGPU__NO3_NO_PLACE;
    for (i = 0; i < model->orbits; i++)
        places[32 * COMBGPU__NO3_SPOT_WORD(spots[2 * i]) + COMBGPU__NO3_SPOT_BIT(spots[2 * i])] =
            spots[2 * i + 1];
}

COMBGPU__PRIVATE void combgpu__no3_fill_matrix(const combgpu__no3_rows *rows, size_t count)
{
    const combgpu__no3 *model = rows->model;
    uint32_t *tables = rows->tables, *cells = tables + tables[COMBGPU__NO3_AT_GRID];
    const uint32_t *row = tables + tables[COMBGPU__NO3_AT_ROWS];
    uint32_t *spots = cells + COMBGPU__NO3_MATRIX_SPOTS, share = COMBGPU__NO3_MATRIX_SHARE, p;
    uint32_t *to = tables + tables[COMBGPU__NO3_AT_MATRIX];
    int n = model->n, cell;
    size_t i;
    for (cell = 0; cell < n * n; cell++) {
        int x = cell % n, y = cell / n;
        p = model->orbit_of[cell];
        if (p == COMBGPU__NO3_NO_ORBIT) continue;
        cells[y * 32 + x] = p;
        spots[2 * p] = COMBGPU__NO3_SPOT((uint32_t)y, (uint32_t)(31 - x), (uint32_t)(y * 32 + x));
        spots[2 * p + 1] = combgpu__no3_spot_places(model, p);
    }
    combgpu__no3_fill_places(model, cells + COMBGPU__NO3_MATRIX_PLACES, share);
    for (i = 0; i < (size_t)model->orbits * tables[COMBGPU__NO3_AT_STRIDE]; i++) {
        uint16_t number = (uint16_t)tables[tables[COMBGPU__NO3_AT_PAIRS] + i];
        memcpy((char *)(spots + 2 * model->orbits) + 2 * i, &number, sizeof number);
    }
    for (i = 0; i < count; i++, row += model->words, to += 4 * share)
        for (p = 0; p < model->orbits; p++) {
            uint32_t place = spots[2 * p + 1], y = COMBGPU__NO3_SPOT_WORD(spots[2 * p]);
            uint32_t lane = y / share, j = y % share;
            if (row[place & 255] >> (place >> 8 & 31) & 1)
                to[COMBGPU__NO3_LANE_WORD(share, lane, j)] |=
                    1u << COMBGPU__NO3_SPOT_BIT(spots[2 * p]);
        }
}

COMBGPU__PRIVATE uint32_t combgpu__no3_square_columns(const combgpu__no3 *model)
{
    uint32_t n = (uint32_t)model->n;
    if (model->square <= COMBGPU__NO3_FORM_FOLD_ODD) return n / 2;
    return model->square == COMBGPU__NO3_FORM_HALF ? n + n % 2 : n;
}

COMBGPU__PRIVATE size_t combgpu__no3_square_cells(const combgpu__no3 *model)
{
    size_t n = (size_t)model->n;
    size_t rows = model->square == COMBGPU__NO3_FORM_HALF_ORT1 ? n / 2 : (n + 1) / 2;
    return combgpu__no3_square_columns(model) * rows;
}

/* An orbit in combgpu_no3_square: its cell, word and bit. */
COMBGPU__PRIVATE combgpu__no3_spot combgpu__no3_spot_of(const combgpu__no3 *model, uint32_t orbit)
{
    uint32_t n = (uint32_t)model->n, odd = n % 2, i, x = 0, y = 0, lane;
    const int form = model->square, fold = form <= COMBGPU__NO3_FORM_FOLD_ODD;
    combgpu__no3_spot spot;
    for (i = 0; i < model->size[orbit]; i++) {
        x = model->cells[orbit][i] % n, y = model->cells[orbit][i] / n;
        if (form == COMBGPU__NO3_FORM_HALF_ORT1) { /* a pair of columns is a row of the matrix */
            uint32_t column = x;
            x = y, y = column;
        }
        if (y % 2 != (y ? odd : 0)) continue; /* one of two mirror images */
        if (!fold || (x && x % 2 == odd) || (!x && !odd)) break;
    }
    y = (y + odd) / 2;
    if (fold) x = (x + odd) / 2 - odd;
    if (form == COMBGPU__NO3_FORM_HALF) x += odd;
    spot.cell = y * combgpu__no3_square_columns(model) + x;
    spot.word = y, spot.bit = 31 - x;
    if (!fold) return spot;
    if (form == COMBGPU__NO3_FORM_FOLD_ODD && !y--) { /* the axis */
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
    uint32_t *lines = cell_orbits + COMBGPU__NO3_SQUARE_LINES, p;
    const int ort1 = model->square == COMBGPU__NO3_FORM_HALF_ORT1;
    int k;
    rows->square_cells = combgpu__no3_square_cells(model);
    rows->square = tables + tables[COMBGPU__NO3_AT_MATRIX];
    rows->square_words = 16;
    rows->spots = spots;
    for (p = 0; p < model->orbits; p++) {
        combgpu__no3_spot spot = combgpu__no3_spot_of(model, p);
        cell_orbits[spot.cell] = p;
        spots[2 * p] = COMBGPU__NO3_SPOT(spot.word, spot.bit, spot.cell);
        spots[2 * p + 1] = combgpu__no3_spot_places(model, p);
        for (k = 0; k < 2; k++) { /* the kernel's number of the line */
            uint32_t line = model->line[p][k];
            uint32_t *row = lines + spot.word;
            if (!model->weight[p][k]) continue;
            if (ort1 && line % 3 != 1) {
                line = line / 3 * 2 + line % 3 / 2;
                row[COMBGPU__NO3_SQUARE_SINGLE(line)] |= 1u << spot.bit;
                continue;
            }
            if (ort1) line = line / 3 * 2;
            row[COMBGPU__NO3_SQUARE_LINE(line, 1)] |= 1u << spot.bit;
            if (model->weight[p][k] > 1 && model->square == COMBGPU__NO3_FORM_FOLD)
                row[COMBGPU__NO3_SQUARE_LINE(line, 0)] |= 1u << spot.bit;
        }
    }
    combgpu__no3_fill_places(model, cell_orbits + COMBGPU__NO3_SQUARE_PLACES, 4);
}
COMBGPU__COLD_END
