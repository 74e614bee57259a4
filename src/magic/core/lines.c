/* Finds the lines and symmetries of each kind of magic square. */

COMBGPU__COLD_BEGIN
/* Adds the line of cells first, first + step, first + 2 step ... */
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

/* Returns the column, in a row, of the diagonal that begins in row 0 at column `first`; direction 0
   goes down to the right, 1 to the left. */
COMBGPU__PRIVATE int combgpu__magic_diagonal(int order, int direction, int first, int row)
{
    return direction ? (first + order - row) % order : (first + row) % order;
}

/* Adds the lines of most-perfect squares (blocks of 2 x 2 across the edges, and pairs half a
   diagonal apart) or of Franklin's (blocks, halves of rows and columns, and diagonals bent at a
   right angle in the middle, across the edges). */
COMBGPU__PRIVATE void combgpu__magic_block_lines(combgpu__magic_state *state)
{
    int n = state->order, k, i, direction;
    combgpu__magic_line *line;
    for (k = 0; k < n * n; k++) {
        int row = k / n, column = k % n, below = (row + 1) % n, right = (column + 1) % n;
        line = combgpu__magic_add_line(state, "block of 2 x 2 at cell", k, 4, k, 0);
        line->cells[1] = (unsigned char)(row * n + right);
        line->cells[2] = (unsigned char)(below * n + column);
        line->cells[3] = (unsigned char)(below * n + right);
    }
    for (k = 0; k < n * n / 2 && state->desc.kind == COMBGPU_MAGIC_MOST_PERFECT; k++) {
        line = combgpu__magic_add_line(state, "pair half a diagonal apart from cell", k, 2, k, 0);
        line->cells[1] = (unsigned char)((k / n + n / 2) * n + (k + n / 2) % n);
    }
    for (k = 0; k < 2 * n && state->desc.kind == COMBGPU_MAGIC_FRANKLIN; k++) {
        combgpu__magic_add_line(state, "half row", k, n / 2, k * (n / 2), 1);
        combgpu__magic_add_line(state, "half column", k, n / 2, k % n + k / n * (n * n / 2), n);
    }
    for (direction = 0; direction < 4 && state->desc.kind == COMBGPU_MAGIC_FRANKLIN; direction++)
        for (k = 0; k < n; k++) {
            line = combgpu__magic_add_line(state, "bent diagonal", direction * n + k, n, 0, 0);
            for (i = 0; i < n && i < COMBGPU__MAGIC_LENGTH; i++) { /* for gcc 13's analysis */
                int depth = i < n / 2 ? i : n - 1 - i;
                int other = direction % 2 ? (k + n - depth) % n : (k + depth) % n;
                line->cells[i] = (unsigned char)(direction < 2 ? other * n + i : i * n + other);
            }
        }
}

/* Adds all lines of the kind. For pandiagonal order 5 adds the groups of a cell and its four
   neighbours, across the edges: they have the magic sum too. */
COMBGPU__PRIVATE void combgpu__magic_lines(combgpu__magic_state *state)
{
    combgpu_magic_kind kind = state->desc.kind;
    combgpu__magic_line *line;
    int n = state->order, last = n * n - 1, i, k, direction;
    int all = kind == COMBGPU_MAGIC_PANDIAGONAL || kind == COMBGPU_MAGIC_ULTRAMAGIC ||
              kind == COMBGPU_MAGIC_MOST_PERFECT;
    for (k = 0; k < n; k++)
        combgpu__magic_add_line(state, "row", k, n, k * n, 1);
    for (k = 0; k < n; k++)
        combgpu__magic_add_line(state, "column", k, n, k, n);
    for (direction = 0; direction < 2; direction++)
        for (k = 0; k < n && kind != COMBGPU_MAGIC_SEMI && kind != COMBGPU_MAGIC_FRANKLIN; k++) {
            if (!all && k != direction * (n - 1)) continue;
            line = combgpu__magic_add_line(
                state, direction ? "diagonal to the left from column" : "diagonal from column", k,
                n, 0, n);
            for (i = 0; i < n; i++)
                line->cells[i] =
                    (unsigned char)(line->cells[i] + combgpu__magic_diagonal(n, direction, k, i));
        }
    for (k = 0; k < 25 && all && n == 5; k++) { /* redundant, but saves 4 of 12 levels */
        int row = k / 5, column = k % 5;
        line = combgpu__magic_add_line(state, "plus around cell", k, n, k, 0);
        line->cells[1] = (unsigned char)((row + 1) % 5 * 5 + column);
        line->cells[2] = (unsigned char)((row + 4) % 5 * 5 + column);
        line->cells[3] = (unsigned char)(row * 5 + (column + 1) % 5);
        line->cells[4] = (unsigned char)(row * 5 + (column + 4) % 5);
    }
    if ((kind == COMBGPU_MAGIC_MOST_PERFECT || kind == COMBGPU_MAGIC_FRANKLIN) && n % 4 == 0)
        combgpu__magic_block_lines(state); /* other orders have no square */
    if (kind != COMBGPU_MAGIC_ASSOCIATIVE && kind != COMBGPU_MAGIC_ULTRAMAGIC) return;
    for (k = 0; 2 * k <= last; k++)
        combgpu__magic_add_line(state, "pair opposite the centre", k, 2 * k == last ? 1 : 2, k,
                                last - 2 * k);
}

COMBGPU__COLD_END

/* Returns the sum of the squares of a line's ranks; 0 = any. */
COMBGPU__PRIVATE uint32_t combgpu__magic_square_sum(const combgpu__magic_state *state)
{
    uint32_t n = (uint32_t)state->order;
    if (state->desc.kind != COMBGPU_MAGIC_BIMAGIC) return 0;
    return n * (n * n + 1) * (2 * n * n + 1) / 6;
}

/* Returns the cell that image g (bits: 1 transpose, 2 flip rows, 4 flip columns) has at a row and
   column. */
COMBGPU__PRIVATE size_t combgpu__magic_image(size_t n, int g, size_t row, size_t column)
{
    size_t t = row;
    if (g & 1) row = column, column = t;
    if (g & 2) row = n - 1 - row;
    if (g & 4) column = n - 1 - column;
    return row * n + column;
}

COMBGPU__COLD_BEGIN
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
    state->more_count = 1;
    for (i = 0; i < state->cells; i++)
        state->more[0][i] = (unsigned char)i;
    if (n == 1) state->image_count = 1; /* all images are the same */
    if (state->image_count == 8) {      /* Frenicle's inequalities (1693) */
        const int less[4][2] = {{0, n - 1}, {0, last + 1 - n}, {0, last}, {1, n}};
        for (i = 0; i < 8; i++)
            state->less[i / 2][i % 2] = (unsigned char)less[i / 2][i % 2];
        state->less_count = 4;
    } else if (state->image_count == 2) { /* a reflection: the first two cells that it swaps */
        const unsigned char *image = state->image[state->images[1]];
        for (i = 0; image[i] == i; i++) {
        }
        state->less[0][0] = (unsigned char)i;
        state->less[0][1] = image[i];
        state->less_count = 1;
    }
}

/* Finds the symmetries of ultramagic squares of order 7 beyond D4: linear maps of rows and columns
   mod 7, from the centre, that permute rows, columns and both kinds of diagonals. There are 48, 6
   times those of D4. */
COMBGPU__PRIVATE void combgpu__magic_linear_maps(combgpu__magic_state *state)
{
    int n = 7, code, i, g, m, map[49];
    if (state->desc.kind != COMBGPU_MAGIC_ULTRAMAGIC || state->order != n ||
        state->image_count != 8)
        return;
    for (code = 0; code < n * n * n * n && state->more_count < COMBGPU__MAGIC_MORE; code++) {
        int a = code % n, b = code / n % n, c = code / (n * n) % n, d = code / (n * n * n),
            known = 0;
        /* images of the directions (1, 0), (0, 1), (1, 1) and (1, -1); such lines have x y (x - y)
           (x + y) = 0 */
        int keeps = a * c * (a - c) * (a + c) % n == 0 && b * d * (b - d) * (b + d) % n == 0 &&
                    (a + b) * (c + d) * (a + b - c - d) * (a + b + c + d) % n == 0 &&
                    (a - b) * (c - d) * (a - b - c + d) * (a - b + c - d) % n == 0;
        if (!keeps || (a * d - b * c) % n == 0) continue;
        for (i = 0; i < n * n; i++) {
            int x = i / n - 3, y = i % n - 3;
            map[i] = (a * x + b * y + 3 + 9 * n) % n * n + (c * x + d * y + 3 + 9 * n) % n;
        }
        for (m = 0; m < state->more_count && !known; m++)
            for (g = 0; g < 8 && !known; g++)
                for (i = 0, known = 1; i < n * n; i++)
                    known = known && map[i] == state->more[m][state->image[g][i]];
        if (known) continue;
        for (i = 0; i < n * n; i++)
            state->more[state->more_count][i] = (unsigned char)map[i];
        state->more_count++;
    }
}
COMBGPU__COLD_END
