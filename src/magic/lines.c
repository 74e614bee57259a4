/* ---- what a square of a kind is */

/* A line of cells first, first + step, first + 2 step ... */
COMBGPU__PRIVATE combgpu__magic_line *combgpu__magic_add_line(combgpu__magic_state *state,
                                                              const char *name, int number,
                                                              int length, int first, int step)
{
    combgpu__magic_line *line = &state->lines[state->line_count++];
    int64_t sum = (int64_t)state->sum * length;
    int i;
    if (sum % state->order) state->hopeless = 1; /* opposite cells, or the centre */
    line->name = name;
    line->number = number;
    line->sum = (int)(sum / state->order);
    line->length = length;
    for (i = 0; i < length; i++)
        line->cells[i] = (unsigned char)(first + i * step);
    return line;
}

/* Column of the diagonal that begins in row 0 at `first`: 0 down to the right, 1 to the left. */
COMBGPU__PRIVATE int combgpu__magic_diagonal(int order, int direction, int first, int row)
{
    return direction ? (first + order - row) % order : (first + row) % order;
}

/* All lines of the kind, and one more group for pandiagonal order 5: a cell and its four
   neighbours, around the edges, have the magic sum. */
COMBGPU__PRIVATE void combgpu__magic_lines(combgpu__magic_state *state)
{
    combgpu_magic_kind kind = state->desc.kind;
    combgpu__magic_line *line;
    int n = state->order, last = n * n - 1, i, k, direction;
    int all = kind == COMBGPU_MAGIC_PANDIAGONAL || kind == COMBGPU_MAGIC_ULTRAMAGIC;
    for (k = 0; k < n; k++)
        combgpu__magic_add_line(state, "row", k, n, k * n, 1);
    for (k = 0; k < n; k++)
        combgpu__magic_add_line(state, "column", k, n, k, n);
    for (direction = 0; direction < 2; direction++)
        for (k = 0; k < n && kind != COMBGPU_MAGIC_SEMI; k++) {
            if (!all && k != direction * (n - 1)) continue;
            line = combgpu__magic_add_line(
                state, direction ? "diagonal to the left from column" : "diagonal from column", k,
                n, 0, n);
            for (i = 0; i < n; i++)
                line->cells[i] =
                    (unsigned char)(line->cells[i] + combgpu__magic_diagonal(n, direction, k, i));
        }
    for (k = 0; k < 25 && all && n == 5; k++) { /* it follows; without it 12 levels, with it 8 */
        int row = k / 5, column = k % 5;
        line = combgpu__magic_add_line(state, "plus around cell", k, n, k, 0);
        line->cells[1] = (unsigned char)((row + 1) % 5 * 5 + column);
        line->cells[2] = (unsigned char)((row + 4) % 5 * 5 + column);
        line->cells[3] = (unsigned char)(row * 5 + (column + 1) % 5);
        line->cells[4] = (unsigned char)(row * 5 + (column + 4) % 5);
    }
    if (kind != COMBGPU_MAGIC_ASSOCIATIVE && kind != COMBGPU_MAGIC_ULTRAMAGIC) return;
    for (k = 0; 2 * k <= last; k++)
        combgpu__magic_add_line(state, "pair opposite the centre", k, 2 * k == last ? 1 : 2, k,
                                last - 2 * k);
}

/* What the squares of a line's ranks add up to; 0 = anything. */
COMBGPU__PRIVATE uint32_t combgpu__magic_square_sum(const combgpu__magic_state *state)
{
    uint32_t n = (uint32_t)state->order;
    if (state->desc.kind != COMBGPU_MAGIC_BIMAGIC) return 0;
    return n * (n * n + 1) * (2 * n * n + 1) / 6;
}

/* The cell that image g (bits: 1 transpose, 2 flip rows, 4 flip columns) has at a row and column. */
COMBGPU__PRIVATE size_t combgpu__magic_image(size_t n, int g, size_t row, size_t column)
{
    size_t t = row;
    if (g & 1) row = column, column = t;
    if (g & 2) row = n - 1 - row;
    if (g & 4) column = n - 1 - column;
    return row * n + column;
}

/* Finds the images that fix all given cells, and the inequalities that keep one of each class. */
COMBGPU__PRIVATE void combgpu__magic_symmetry(combgpu__magic_state *state)
{
    int n = state->order, g, i, last = n * n - 1;
    for (g = 0; g < 8; g++) {
        int fixes = 1;
        for (i = 0; i < state->cells; i++) {
            state->image[g][i] =
                (unsigned char)combgpu__magic_image((size_t)n, g, (size_t)(i / n), (size_t)(i % n));
            if (state->givens[i] && state->image[g][i] != i) fixes = 0;
        }
        if (fixes) state->images[state->image_count++] = g;
    }
    if (state->image_count == 8) { /* Frenicle's (1693) */
        const int less[4][2] = {{0, n - 1}, {0, last + 1 - n}, {0, last}, {1, n}};
        for (i = 0; i < 8; i++)
            state->less[i / 2][i % 2] = (unsigned char)less[i / 2][i % 2];
        state->less_count = 4;
    } else if (state->image_count == 2) { /* a reflection: any two cells that it swaps */
        const unsigned char *image = state->image[state->images[1]];
        for (i = 0; image[i] == i; i++) {
        }
        state->less[0][0] = (unsigned char)i;
        state->less[0][1] = image[i];
        state->less_count = 1;
    }
}

