/* No-three-in-line: the tables of combgpu_no3_solo, a board in a lane. */

/* A row of board words in that kernel's words. Returns the corner if that is one cell. */
COMBGPU__PRIVATE uint32_t combgpu__no3_solo_words(uint32_t extra, const uint32_t *row, uint32_t *to)
{
    uint32_t j;
    if (!extra) {
        for (j = 0; j < 8; j++)
            to[j] = row[j] << 16 | (row[j + 8] & 0xffff);
        return 0;
    }
    for (j = 0; j < 8; j++)
        to[j] = (row[2 * j] & 0xffff0000u) | row[2 * j + 16] >> 16;
    if (extra > 1) to[8 + extra] = 0;
    for (j = 0; j < extra; j++) {
        to[8 + j] = (row[33 + 2 * j] & 0xffff0000u) | row[32 + 2 * j] >> 16;
        if (extra > 1)
            to[8 + extra] |= (row[32 + 2 * j] & 0xffff) >> (16 - extra) << (32 - extra * (j + 1));
    }
    return extra == 1 ? row[32] >> 15 & 1 : 0;
}

/* Writes row `number`: arrays of 4, 4 and, as there are more words, 4, 2 or 1. */
COMBGPU__PRIVATE void combgpu__no3_solo_put(uint32_t extra, uint32_t *solo, uint32_t number,
                                            const uint32_t *words)
{
    uint32_t share = COMBGPU__NO3_SOLO_SHARE(extra), rows = COMBGPU__NO3_SOLO_ROWS(extra), j, k;
    for (j = 0; j < share; j += k, solo += k * rows) {
        uint32_t i;
        k = share - j < 3 ? share - j : 4;
        for (i = 0; i < k && j + i < share; i++)
            solo[k * number + i] = words[j + i];
    }
}

/* Up to n = 17: a row for each straight line, numbers by pairs. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_fill_solo_pairs(combgpu_job *job,
                                                             const combgpu__no3_rows *rows)
{
    const combgpu__no3 *model = rows->model;
    uint32_t *tables = rows->tables, *solo = tables + tables[COMBGPU__NO3_AT_SOLO], p, q, number;
    uint32_t extra = (uint32_t)model->solo - 1, n = (uint32_t)model->n, row[16];
    size_t words = (size_t)model->words, i;
    uint16_t *place =
        (uint16_t *)combgpu__allocate(combgpu__context(job), (rows->count + 1) * sizeof *place);
    uint32_t corner;
    if (!place) return combgpu__no_memory(combgpu__context(job), (rows->count + 1) * sizeof *place);
    place[0] = 0;
    for (corner = 0, number = 1; corner < 2; corner++) {
        if (corner) tables[COMBGPU__NO3_AT_SOLO_CORNER] = 16 * number;
        for (i = 0; i < rows->count; i++) {
            if (combgpu__no3_solo_words(extra, rows->row + i * words, row) != corner) continue;
            combgpu__no3_solo_put(extra, solo, number, row);
            place[i + 1] = (uint16_t)(16 * number++);
        }
    }
    for (p = 0; p < model->orbits; p++)
        for (q = 0; q < model->orbits; q++) {
            size_t at = (size_t)p * tables[COMBGPU__NO3_AT_STRIDE] + q;
            const uint32_t *pairs = tables + tables[COMBGPU__NO3_AT_PAIRS];
            uint32_t to = p > q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
            uint32_t pair = pairs[extra ? at : 0];
            uint16_t id;
            memcpy(&id, (const char *)pairs + (extra ? 0 : 2 * at), sizeof id);
            if (!extra) pair = id;
            id = pair ? place[pair - rows->first + 1] : 0;
            if (!extra) to = (p / n << 4 | p % n) << 8 | (q / n << 4 | q % n);
            memcpy((char *)solo + COMBGPU__NO3_SOLO_PAIRS(extra) + 2 * to, &id, sizeof id);
        }
    combgpu__release(combgpu__context(job), place);
    return COMBGPU_OK;
}

/* The tables from n = 18 on while they are made. */
typedef struct combgpu__no3_solo {
    const combgpu__no3 *model;
    uint32_t extra, n, number; /* number: the next row for a line */
    uint32_t *rows, *directions;
    uint16_t *lines;
    uint32_t at; /* the next place in `lines` */
} combgpu__no3_solo;

/* Writes a line of three cells or more: its row, its word in `lines`. */
COMBGPU__PRIVATE void combgpu__no3_solo_line(combgpu__no3_solo *solo, int x, int y, int dx, int dy,
                                             int count, uint16_t *to)
{
    const combgpu__no3 *model = solo->model;
    uint32_t extra = solo->extra, side = COMBGPU__NO3_SOLO_SIDE(extra), sum = 0, row[16];
    uint32_t board[48];
    int i;
    memset(board, 0, sizeof board);
    for (i = 0; i < count; i++, x += dx, y += dy) {
        sum += COMBGPU__NO3_SOLO_CODE(extra, (uint32_t)x, (uint32_t)y);
        combgpu__no3_set(model, combgpu__no3_orbit_at(model, x, y), board);
    }
    if (count == 3) {
        *to = (uint16_t)(COMBGPU__NO3_SOLO_THIRD + 4 + sum);
        return;
    }
    /* rows of cells have taken their numbers */
    while (solo->number <= side * solo->n && (solo->number - 1) % side < solo->n)
        solo->number++;
    combgpu__no3_solo_words(extra, board, row);
    combgpu__no3_solo_put(extra, solo->rows, solo->number, row);
    *to = (uint16_t)(4 * solo->number++);
}

/* Writes all lines of a direction. They have numbers a * x + b * y; those of two cells, which have
   `flank` numbers at either end, share them with the next directions. */
COMBGPU__PRIVATE void combgpu__no3_solo_direction(combgpu__no3_solo *solo, int dx, int dy,
                                                  int flank)
{
    int n = (int)solo->n, side = (int)COMBGPU__NO3_SOLO_SIDE(solo->extra), x, y, k, count;
    int a = dy < 0 ? -dy : dy, b = dy < 0 ? dx : -dx;
    int low = (b < 0 ? b * (n - 1) : 0) + 2 * flank;
    uint32_t word;
    for (x = 0; x < n; x++)
        for (y = 0; y < n; y++)
            if ((count = combgpu__no3_line_from(n, x, y, dx, dy)) > 2)
                combgpu__no3_solo_line(solo, x, y, dx, dy, count,
                                       solo->lines + ((int)solo->at - low + a * x + b * y));
    word = ((uint32_t)(2 * ((int)solo->at - low)) << 16) + ((uint32_t)(2 * b) & 255) * 256 +
           ((uint32_t)(2 * a) & 255);
    for (k = 1; k * dx < n && k * dy < n && k * dy > -n; k++) {
        int centre = (int)COMBGPU__NO3_SOLO_CENTRE(solo->extra) / 4, step = k * (side * dy + dx);
        solo->directions[centre + step] = solo->directions[centre - step] = word;
    }
    solo->at += (uint32_t)((a + (b < 0 ? -b : b)) * (n - 1) - 4 * flank + 1 + flank);
}

COMBGPU__PRIVATE void combgpu__no3_fill_solo_lines(const combgpu__no3_rows *rows)
{
    const combgpu__no3 *model = rows->model;
    combgpu__no3_solo solo;
    uint32_t p, row[16];
    int flank, i, most = (model->n - 1) / 2;
    memset(&solo, 0, sizeof solo);
    solo.model = model;
    solo.extra = (uint32_t)model->solo - 1;
    solo.n = (uint32_t)model->n;
    solo.number = 1;
    solo.rows = rows->tables + rows->tables[COMBGPU__NO3_AT_SOLO];
    solo.directions = solo.rows + COMBGPU__NO3_SOLO_PAIRS(solo.extra) / 4;
    solo.lines =
        (uint16_t *)(void *)(solo.directions + COMBGPU__NO3_SOLO_DIRECTIONS(solo.extra) / 4);
    for (p = 0; p < model->orbits; p++) {
        uint32_t x = (uint32_t)model->coordinate[p % solo.n];
        uint32_t y = (uint32_t)model->coordinate[p / solo.n], board[48];
        memset(board, 0, sizeof board);
        combgpu__no3_set(model, p, board);
        combgpu__no3_solo_words(solo.extra, board, row);
        combgpu__no3_solo_put(solo.extra, solo.rows,
                              1 + COMBGPU__NO3_SOLO_CODE(solo.extra, x, y) / 4, row);
    }
    solo.at = 1 + 2 * (uint32_t)(most * (most - 1));
    for (flank = most * most; flank > 0; flank--)
        for (i = 0; i < rows->directions; i++) {
            int dx = rows->direction[i][0], dy = rows->direction[i][1];
            if (dx * dy == flank || dx * dy == -flank)
                combgpu__no3_solo_direction(&solo, dx, dy, flank);
        }
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_fill_solo(combgpu_job *job,
                                                       const combgpu__no3_rows *rows)
{
    if (rows->model->solo < 3) return combgpu__no3_fill_solo_pairs(job, rows);
    combgpu__no3_fill_solo_lines(rows);
    return COMBGPU_OK;
}
