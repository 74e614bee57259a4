/* Makes the tables of combgpu_no3_plate for no-three-in-line. */

/* An orbit of a class with line i = row i and column i, or of DIA2. */
COMBGPU__PRIVATE combgpu__no3_spot combgpu__no3_plate_fold(const combgpu__no3 *model,
                                                           uint32_t orbit)
{
    uint32_t n = (uint32_t)model->n, odd = n % 2, i = 0, x = 0, y = 0;
    combgpu__no3_spot spot;
    if (model->plate == COMBGPU__NO3_PLATE_DIA2) {
        uint32_t main;
        x = model->cells[orbit][0] % n, y = model->cells[orbit][0] / n;
        /* the signs of both coordinates are equal */
        main = (odd && (!x || !y)) || x % 2 == y % 2;
        x = (x + odd) / 2, y = (y + odd) / 2;
        spot.word = main == (x < y) ? x : y;
        spot.bit = 31 - (main == (x < y) ? y : x);
        if (x == y) spot.word = main ? x : 4 * (uint32_t)model->share - 1, spot.bit = 31 - x;
    } else {
        for (; i < model->size[orbit]; i++) {
            x = model->cells[orbit][i] % n, y = model->cells[orbit][i] / n;
            if (y % 2 == (y ? odd : 0) && x % 2 == odd) break;
        }
        spot.word = (y + odd) / 2;
        spot.bit = 31 - (x + odd) / 2;
    }
    spot.cell = spot.word * 64 + 31 - spot.bit;
    return spot;
}

/* An orbit of ORT1 or DIA1. */
COMBGPU__PRIVATE combgpu__no3_spot combgpu__no3_plate_half(const combgpu__no3 *model,
                                                           uint32_t orbit)
{
    uint32_t n = (uint32_t)model->n, half = (n + 1) / 2, a, b, row, column;
    combgpu__no3_spot spot;
    a = model->cells[orbit][0] % n, b = model->cells[orbit][0] / n;
    if (model->plate == COMBGPU__NO3_PLATE_ORT1) {
        row = a / 2, column = b;
    } else {
        uint32_t low = (a < b ? a : b) / 2, high = (a < b ? b : a) / 2;
        if (a % 2 != b % 2)
            row = (a % 2 ? b : a) / 2, column = half + 1 + (a % 2 ? a : b) / 2;
        else if (a % 2)
            row = high, column = low;
        else
            row = low, column = high + 1;
    }
    spot.cell = row * 64 + column;
    spot.word = row / 5 * 6 + (column < 32 ? row % 5 : 5);
    spot.bit = column < 32 ? 31 - column : 63 - column - 6 * (row % 5);
    return spot;
}

COMBGPU__PRIVATE void combgpu__no3_fill_plate(combgpu__no3_rows *rows)
{
    const combgpu__no3 *model = rows->model;
    uint32_t *tables = rows->tables, *cells = tables + tables[COMBGPU__NO3_AT_GRID];
    uint32_t *places = cells + COMBGPU__NO3_PLATE_PLACES, share = (uint32_t)model->share;
    uint32_t *spots = places + COMBGPU__NO3_PLACES(share), p;
    rows->square_words = 4 * share;
    rows->square = tables + tables[COMBGPU__NO3_AT_MATRIX];
    rows->spots = spots;
    for (p = 0; p < model->orbits; p++) {
        combgpu__no3_spot spot = model->plate <= COMBGPU__NO3_PLATE_DIA2
                                     ? combgpu__no3_plate_fold(model, p)
                                     : combgpu__no3_plate_half(model, p);
        cells[spot.cell] = p;
        spots[2 * p] = COMBGPU__NO3_SPOT(spot.word, spot.bit, spot.cell);
        spots[2 * p + 1] = combgpu__no3_spot_places(model, p);
    }
    combgpu__no3_fill_places(model, places, share);
}
