/* No-three-in-line: boards above n = 64, without tables of pairs.

   A walk along the straight lines through the cells of two orbits finds what they exclude: some
   thousand cells a step, as most lines have two or three. The tables of such a job have, at
   COMBGPU__NO3_AT_LARGE: where the rows of single orbits begin (what an orbit excludes alone:
   itself, lines through two of its cells, and orbits with two cells in line with one of its own);
   side and near_rot4; for each orbit its places; its number of cells and these, x | y << 8; the
   orbit of each cell; and the reduced direction of (dx, dy), step_x | step_y << 8. */
enum {
    COMBGPU__NO3_LARGE_OWN,
    COMBGPU__NO3_LARGE_SIDE,
    COMBGPU__NO3_LARGE_NEAR,
    COMBGPU__NO3_LARGE_CELLS,  /* offset of 9 words for each orbit */
    COMBGPU__NO3_LARGE_ORBITS, /* offset of the cells' orbits, y * side + x */
    COMBGPU__NO3_LARGE_STEPS,  /* offset of the directions, dy * side + dx */
    COMBGPU__NO3_LARGE_PLACES  /* two words for each orbit begin here: word << 5 | bit */
};

COMBGPU__PRIVATE size_t combgpu__no3_large_words(const combgpu__no3 *model)
{
    return COMBGPU__NO3_LARGE_PLACES + 11 * (size_t)model->orbits +
           2 * (size_t)model->n * (size_t)model->n;
}

COMBGPU__PRIVATE void combgpu__no3_large_fill(const combgpu__no3 *model, uint32_t *large,
                                              uint32_t own)
{
    uint32_t orbits = model->orbits, p;
    int n = model->n, x, y, k, word;
    large[COMBGPU__NO3_LARGE_OWN] = own;
    large[COMBGPU__NO3_LARGE_SIDE] = (uint32_t)n;
    large[COMBGPU__NO3_LARGE_NEAR] = (uint32_t)model->near_rot4;
    large[COMBGPU__NO3_LARGE_CELLS] = COMBGPU__NO3_LARGE_PLACES + 2 * orbits;
    large[COMBGPU__NO3_LARGE_ORBITS] = large[COMBGPU__NO3_LARGE_CELLS] + 9 * orbits;
    large[COMBGPU__NO3_LARGE_STEPS] = large[COMBGPU__NO3_LARGE_ORBITS] + (uint32_t)(n * n);
    for (p = 0; p < orbits; p++) {
        uint32_t *cells = large + large[COMBGPU__NO3_LARGE_CELLS] + 9 * p;
        *cells++ = model->size[p];
        for (k = 0; k < model->size[p]; k++)
            *cells++ = (uint32_t)(model->coordinate[model->cells[p][k] % n] |
                                  model->coordinate[model->cells[p][k] / n] << 8);
        for (k = 0; k < 2; k++) {
            uint32_t bit = combgpu__no3_bit(model, p, k, &word);
            large[COMBGPU__NO3_LARGE_PLACES + 2 * p + (uint32_t)k] =
                (uint32_t)(word << 5 | combgpu__lowest_bit64(bit));
        }
    }
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++) {
            int dx = x, dy = y;
            combgpu__no3_reduce(&dx, &dy);
            large[large[COMBGPU__NO3_LARGE_ORBITS] + (uint32_t)(y * n + x)] =
                combgpu__no3_orbit_at(model, x, y);
            large[large[COMBGPU__NO3_LARGE_STEPS] + (uint32_t)(y * n + x)] =
                (uint32_t)(dx | dy << 8);
        }
}

/* Cell i of an orbit, x | y << 8. */
COMBGPU__INLINE uint32_t combgpu__no3_large_point(const uint32_t *large, uint32_t orbit, int i)
{
    return large[large[COMBGPU__NO3_LARGE_CELLS] + 9 * orbit + 1 + (uint32_t)i];
}

/* Sets or clears the orbit of a cell in a row of board words. */
COMBGPU__INLINE void combgpu__no3_large_mark(const uint32_t *large, uint32_t orbit, uint32_t *row,
                                             int set)
{
    const uint32_t *places = large + COMBGPU__NO3_LARGE_PLACES + 2 * orbit;
    int k;
    for (k = 0; k < 2; k++) {
        uint32_t bit = 1u << (places[k] & 31);
        row[places[k] >> 5] = (row[places[k] >> 5] & ~bit) | (set ? bit : 0);
    }
}

/* Sets or clears the orbits of all cells in line with two cells. */
COMBGPU__INLINE void combgpu__no3_large_line(const uint32_t *large, uint32_t from, uint32_t to,
                                             uint32_t *row, int set)
{
    const uint32_t *orbits = large + large[COMBGPU__NO3_LARGE_ORBITS];
    int n = (int)large[COMBGPU__NO3_LARGE_SIDE], side;
    int dx = (int)(to & 255) - (int)(from & 255), dy = (int)(to >> 8) - (int)(from >> 8);
    int far_x = dx < 0 ? -dx : dx, far_y = dy < 0 ? -dy : dy;
    uint32_t step = large[large[COMBGPU__NO3_LARGE_STEPS] + (uint32_t)(far_y * n + far_x)];
    int step_x = dx < 0 ? -(int)(step & 255) : (int)(step & 255);
    int step_y = dy < 0 ? -(int)(step >> 8) : (int)(step >> 8);
    for (side = 0; side < 2; side++, step_x = -step_x, step_y = -step_y) {
        int x = (int)(from & 255) + step_x, y = (int)(from >> 8) + step_y;
        for (; combgpu__no3_inside(n, x, y); x += step_x, y += step_y) {
            uint32_t orbit = orbits[y * n + x];
            if (orbit != COMBGPU__NO3_NO_ORBIT) combgpu__no3_large_mark(large, orbit, row, set);
        }
    }
}

/* Removes from `words` what orbit p excludes alone and with each of the placed orbits. A line
   through the first cell of p represents its images; with near_rot4 only those under a half turn,
   which takes cells 0 and 2 to 1 and 3. */
COMBGPU__PRIVATE void combgpu__no3_large_exclude(const uint32_t *tables, const uint32_t *large,
                                                 uint32_t p, const uint16_t *placed, uint32_t count,
                                                 uint32_t *words, int board)
{
    const uint32_t *own = tables + large[COMBGPU__NO3_LARGE_OWN] + (size_t)p * (size_t)board;
    const uint32_t *cells = large + large[COMBGPU__NO3_LARGE_CELLS];
    uint32_t starts = large[COMBGPU__NO3_LARGE_NEAR] ? cells[9 * p] : 1, start, j, k;
    int i;
    for (i = 0; i < board; i++)
        words[i] &= ~own[i];
    for (start = 0; start < starts; start += 2)
        for (j = 0; j < count; j++)
            for (k = 0; k < cells[9u * placed[j]]; k++)
                combgpu__no3_large_line(large, cells[9 * p + 1 + start],
                                        cells[9u * placed[j] + 1 + k], words, 0);
}
