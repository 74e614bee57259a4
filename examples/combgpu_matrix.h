/* Reads distances: a table of n rows of n numbers, perhaps with the cities' names. */
#ifndef COMBGPU_EXAMPLES_MATRIX_H
#define COMBGPU_EXAMPLES_MATRIX_H

#include "combgpu_grid.h"

typedef struct matrix {
    size_t top, left, n; /* rows and columns of labels before the numbers: 0 or 1 */
    size_t short_top;    /* the row of labels lacks a cell above the column of labels */
} matrix;

static const table_cell *matrix_cell(const grid *g, const matrix *m, size_t i, size_t j)
{
    size_t row = i + m->top;
    return g->cells + (row ? g->ends[row - 1] : 0) + m->left + j;
}

/* The label of city k: that of its row, or else of its column. */
static const table_cell *matrix_label(const grid *g, const matrix *m, size_t k, int of_row)
{
    if (of_row) return matrix_cell(g, m, k, 0) - 1;
    return g->cells + k + (m->left && !m->short_top);
}

/* Nonzero if labels count from 0 or 1. */
static int labels_count(const grid *g, const matrix *m, int of_row)
{
    size_t k;
    double first = matrix_label(g, m, 0, of_row)->value;
    if (first != 0 && first != 1) return 0;
    for (k = 1; k < m->n; k++)
        if (matrix_label(g, m, k, of_row)->value != first + (double)k) return 0;
    return 1;
}

/* Nonzero if some label is a word. */
static int labels_are_words(const grid *g, const matrix *m, int of_row)
{
    size_t k;
    for (k = 0; k < m->n; k++)
        if (matrix_label(g, m, k, of_row)->value == NO_NUMBER) return 1;
    return 0;
}

/* Returns how many labels of rows equal those of columns, from the first on. */
static size_t labels_agree(const grid *g, const matrix *m, size_t rows)
{
    size_t k;
    for (k = 0; k < rows; k++) {
        const table_cell *a = matrix_label(g, m, k, 1), *b = matrix_label(g, m, k, 0);
        if (a->length != b->length || memcmp(a->text, b->text, a->length)) break;
    }
    return k;
}

/* The diagonal of distances: all zeros or empty, or one number that means "none", like 9999. */
static int diagonal_fits(const grid *g, const matrix *m)
{
    double first = NO_CONNECTION;
    int zeros = 1, equal = 1;
    size_t k;
    for (k = 0; k < m->n; k++) {
        double value = matrix_cell(g, m, k, k)->value;
        if (!k) first = value;
        if (value != first) equal = 0;
        if (value != 0 && value != NO_CONNECTION) zeros = 0;
    }
    return zeros || equal;
}

/* Nonzero if the cells inside are numbers or mean no connection. */
static int matrix_of_numbers(const grid *g, const matrix *m)
{
    size_t i, j;
    for (i = 0; i < m->n; i++)
        for (j = 0; j < m->n; j++)
            if (matrix_cell(g, m, i, j)->value == NO_NUMBER) return 0;
    return 1;
}

/* The answer of find_matrix. */
enum { NO_MATRIX, MATRIX, MATRIX_DOUBTED, MATRIX_CUT };

/* Numbers in the first row and column are labels if they are equal and the corner is not a number, and if they
   count from 0 or 1 or the diagonal behind the corner has zeros. */
static int numbers_are_labels(const grid *g, const matrix *m)
{
    const table_cell *corner = g->cells;
    size_t k;
    if (labels_agree(g, m, m->n) < m->n) return 0;
    if (m->short_top || corner->value == NO_NUMBER) return 1;
    if (corner->value != NO_CONNECTION) return 0;
    if (labels_count(g, m, 1)) return 1;
    for (k = 0; k < m->n; k++)
        if (matrix_cell(g, m, k, k)->value != 0) return 0;
    return 1;
}

/* Tells whether a table holds distances. MATRIX_DOUBTED: distances or points. */
static int find_matrix(const grid *g, matrix *m)
{
    size_t width = 0, least = SIZE_MAX, first = 0, r, count;
    int labels = 0;
    memset(m, 0, sizeof *m);
    for (r = 0; r < g->rows; r++) {
        size_t all = g->ends[r] - (r ? g->ends[r - 1] : 0);
        grid_row(g, r, &count);
        if (!r) first = count;
        if (count > width) width = count;
        if (r && all < least) least = all;
    }
    if (g->rows < 2 || width < 2) return NO_MATRIX;
    m->short_top = first + 1 == width && g->ends[0] == first && g->rows == width;
    if (least < width || (g->ends[0] < width && !m->short_top)) return NO_MATRIX;
    m->top = m->left = 1; /* do both have labels, and the same? */
    m->n = width - 1;
    r = g->rows - 1 < m->n ? g->rows - 1 : m->n;
    if (width > 2 && (labels_are_words(g, m, 0) || (r == m->n && numbers_are_labels(g, m))) &&
        labels_agree(g, m, r) == r && r) {
        if (g->rows != width) return g->rows < width ? MATRIX_CUT : NO_MATRIX;
        return matrix_of_numbers(g, m) ? MATRIX : NO_MATRIX;
    }
    if (m->short_top) return NO_MATRIX;
    m->top = g->rows == width + 1;
    m->left = width == g->rows + 1;
    m->n = width - m->left;
    if (m->n != g->rows - m->top || !matrix_of_numbers(g, m)) return NO_MATRIX;
    if (m->top) labels = labels_are_words(g, m, 0) || labels_count(g, m, 0);
    if (m->left) labels = labels_are_words(g, m, 1) || labels_count(g, m, 1);
    if ((m->top || m->left) && !labels) return NO_MATRIX;
    if (matrix_wanted()) return MATRIX;
    if (!diagonal_fits(g, m)) return m->n > 2 ? MATRIX_DOUBTED : NO_MATRIX;
    if (m->n > 2 || matrix_cell(g, m, 0, 0)->value == NO_CONNECTION) return MATRIX;
    return matrix_cell(g, m, 0, 0)->value == 0 && matrix_cell(g, m, 0, 1)->value >= 0 &&
                   matrix_cell(g, m, 1, 0)->value >= 0
               ? MATRIX_DOUBTED
               : NO_MATRIX;
}

/* Nonzero if just the cells on one side of the diagonal are empty: `below` says which side. */
static int is_triangle(const grid *g, const matrix *m, int below)
{
    size_t i, j;
    for (i = 0; i < m->n; i++)
        for (j = 0; j < m->n; j++)
            if (i != j && !matrix_cell(g, m, i, j)->length != (below == (i > j))) return 0;
    return m->n > 2;
}

static void read_matrix(const grid *g, const matrix *m, const char *source)
{
    int below = is_triangle(g, m, 1), above = is_triangle(g, m, 0), of_row = m->left > 0;
    size_t i, j, missing = 0;
    name_text name;
    grid_not_wrong(g, 0, source);
    begin_weights((int)m->n, source);
    points.durations = metric_given() == METRIC_DURATIONS;
    for (i = 0; i < m->n; i++)
        for (j = 0; j < m->n; j++) {
            int mirrored = (below && i > j) || (above && i < j);
            double value = matrix_cell(g, m, mirrored ? j : i, mirrored ? i : j)->value;
            if (i == j) value = 0;
            if (value == NO_CONNECTION) missing++;
            points.weights[i * m->n + j] =
                value == NO_CONNECTION ? COMBGPU_TSP_NO_CONNECTION : value;
        }
    if (below || above)
        snprintf(points.why, sizeof points.why, "a triangle of them, the same both ways");
    else if (missing)
        snprintf(points.why, sizeof points.why, "%llu without a connection",
                 (unsigned long long)missing);
    if ((!m->top && !m->left) ||
        (labels_count(g, m, of_row) && matrix_label(g, m, 0, of_row)->value == 1))
        return; /* the cities' own numbers are not names */
    for (i = 0; i < m->n; i++) {
        cell_name(&name, g, matrix_label(g, m, i, of_row));
        add_city(NULL, NULL, name.text, name.length, source);
    }
}

#endif
