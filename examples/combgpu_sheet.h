/* Recognises a table: distances, columns with a header, or points without one, by the rule in combgpu_points.h. */
#ifndef COMBGPU_EXAMPLES_SHEET_H
#define COMBGPU_EXAMPLES_SHEET_H

#include "combgpu_columns.h"
#include "combgpu_matrix.h"
#include "combgpu_pairs.h"

static void refuse_doubted(size_t n, const char *source) COMMAND_NORETURN;
static void refuse_doubted(size_t n, const char *source)
{
    usage("%.200s may be %d x %d distances or %d points: --metric matrix takes it for distances, "
          "--metric earth or plane for points",
          source, (int)n, (int)n, (int)n);
}

/* Reads the table as distances if it is one. */
static int take_matrix(const grid *g, const char *source)
{
    matrix m;
    int found = points_wanted() || g->wrong ? NO_MATRIX : find_matrix(g, &m);
    if (found == MATRIX_CUT)
        usage("%.200s names more cities in its first line than it has lines: is it cut off?",
              source);
    if (found == MATRIX_DOUBTED) refuse_doubted(m.n, source);
    if (found != NO_MATRIX) read_matrix(g, &m, source);
    return found != NO_MATRIX;
}

static void refuse_points(const char *source)
{
    if (matrix_wanted())
        usage("%.200s is not a table of n rows of n numbers, which --metric %s needs", source,
              text_of(OPTION_METRIC));
}

/* Finds the last line that names the columns before the first line of numbers, and sets *line and *separator.
   Returns NULL if no line does. */
static const char *find_header(const char *text, int *line, char *separator, const char *separators)
{
    const char *at = text, *found = NULL, *next;
    int of_line = *line, lines = 0, k;
    column_set c;
    for (; *at && lines < 100; at = next) {
        const char *begin = at + strspn(at, " \t\r"), *end = at + strcspn(at, "\n");
        int remark = *begin == '#';
        pair p;
        next = end + (*end == '\n');
        if (remark) begin++;
        pair_of_line(&p, begin, end);
        if (!remark && p.numbers >= 2) break;
        for (k = 0; separators[k]; k++) {
            size_t count;
            const table_cell *row;
            grid_clear(&sheet);
            sheet.wrong_line = 0;
            if (separators[k] != ' ' && !memchr(begin, separators[k], (size_t)(end - begin)))
                continue;
            next = grid_line(&sheet, begin, separators[k], of_line);
            row = grid_row(&sheet, 0, &count);
            if (!sheet.wrong && find_columns(&c, row, count, remark)) {
                found = begin;
                *line = of_line;
                *separator = separators[k];
                break;
            }
            next = end + (*end == '\n');
            if (found && separators[k] == *separator && c.x < (int)count && c.y < (int)count &&
                row[c.x].value < NO_NUMBER && row[c.y].value < NO_NUMBER)
                return found;
        }
        of_line += lines_between(at, next);
        lines++;
    }
    return found;
}

/* Reads the table that has a header. */
static void read_headed(const char *header, int line, char separator, const char *source)
{
    column_set c;
    matrix m;
    size_t count;
    const table_cell *row;
    int found;
    grid_lines(&sheet, header, separator, line);
    row = grid_row(&sheet, 0, &count);
    find_columns(&c, row, count, 0);
    found = points_wanted() || sheet.wrong ? NO_MATRIX : find_matrix(&sheet, &m);
    if ((matrix_wanted() || (found == MATRIX && m.top && m.left) || found == MATRIX_CUT) &&
        take_matrix(&sheet, source))
        return;
    refuse_points(source);
    read_columns(&sheet, &c, separator == ' ', source);
}

/* Nonzero if all rows begin with two numbers, or with a name and two numbers. */
static int are_pairs(const grid *g)
{
    size_t r;
    pair p;
    for (r = 0; r < g->rows && !g->wrong; r++) {
        pair_of_cells(&p, g, r);
        if (p.numbers < 2) return 0;
    }
    return !g->wrong;
}

/* Reads lines of cells. */
static void read_lines_of_cells(const char *text, const char *source)
{
    char separators[] = "\t;|, ", separator = 0;
    int line = 1, header_line, k;
    const char *header;
    sheet.text = text;
    if (is_one_of(text, 4, "sep=") && text[4]) { /* Excel's first line */
        separators[0] = text[4];
        separators[1] = 0;
        text += strcspn(text, "\n");
        text += *text == '\n';
        line = 2;
    }
    header_line = line;
    header = find_header(text, &header_line, &separator, separators);
    if (header) {
        read_headed(header, header_line, separator, source);
        return;
    }
    for (k = 0; separators[k]; k++) {
        if (separators[k] != ' ' && !strchr(text, separators[k])) continue;
        grid_lines(&sheet, text, separators[k], line);
        if (take_matrix(&sheet, source)) return;
    }
    refuse_points(source);
    for (k = 0; separators[k] && separators[k] != ' '; k++) {
        if (!strchr(text, separators[k])) continue;
        grid_lines(&sheet, text, separators[k], line);
        if (are_pairs(&sheet)) break;
    }
    if (!separators[k] || separators[k] == ' ') grid_lines(&sheet, text, '\n', line);
    if (!separators[k] || separators[k] == ' ')
        read_pairs(&sheet, 1, source);
    else {
        grid_not_wrong(&sheet, points_metric() == COMBGPU_TSP_EARTH, source);
        read_pairs(&sheet, 0, source);
    }
}

/* Reads cells in memory: of JSON, of .npy. */
static void read_sheet(const char *source)
{
    if (take_matrix(&sheet, source)) return;
    refuse_points(source);
    read_pairs(&sheet, 0, source);
}

#endif
