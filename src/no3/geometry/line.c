/* No-three-in-line: this file alone defines a line. A line of an n x n grid has all cells on a
   straight line through two of them. Its direction is the step (dx, dy) from a cell to the next
   one, with dx > 0, or dx = 0 and dy > 0; so it begins in the least column, or row. */

COMBGPU__INLINE int combgpu__no3_inside(int n, int x, int y)
{
    return (unsigned)x < (unsigned)n && (unsigned)y < (unsigned)n;
}

/* Nonzero if three cells are in line; dx, dy: from the first cell to another. */
COMBGPU__INLINE int combgpu__no3_in_line(int dx, int dy, int other_dx, int other_dy)
{
    return dx * other_dy == dy * other_dx;
}

/* Divides the vector between two cells into steps from cell to cell of their line; returns how
   many. */
COMBGPU__PRIVATE int combgpu__no3_reduce(int *dx, int *dy)
{
    int steps = (int)combgpu__gcd(*dx, *dy);
    if (steps) *dx /= steps, *dy /= steps;
    return steps;
}

/* Nonzero if (dx, dy) is the direction of rows, of columns or of a line with three cells or more. */
COMBGPU__PRIVATE int combgpu__no3_is_direction(int n, int dx, int dy)
{
    if (dx && dy && (2 * dx >= n || 2 * dy >= n || -2 * dy >= n)) return 0;
    return combgpu__gcd(dx, dy) == 1;
}

/* The number of cells of the line that begins in x, y; 0 if it begins in another cell. */
COMBGPU__PRIVATE int combgpu__no3_line_from(int n, int x, int y, int dx, int dy)
{
    int across = dx ? (n - 1 - x) / dx : n, along = n;
    if (combgpu__no3_inside(n, x - dx, y - dy)) return 0;
    if (dy) along = dy > 0 ? (n - 1 - y) / dy : y / -dy;
    return 1 + (across < along ? across : along);
}

/* Moves x, y to the first cell of their line; returns the line's number of cells. */
COMBGPU__PRIVATE int combgpu__no3_line_through(int n, int *x, int *y, int dx, int dy)
{
    while (combgpu__no3_inside(n, *x - dx, *y - dy))
        *x -= dx, *y -= dy;
    return combgpu__no3_line_from(n, *x, *y, dx, dy);
}
