/* The relaxation of tours with cutting planes, as a linear program: rows, columns and their memory. */

/* Cutting planes are of the form: a handle H and disjoint teeth T, inside which tours have few
   edges, x(H) + sum of x(T) <= rhs. Without teeth that is a subtour constraint, else a comb (V. Chvatal,
   1973). Twice that, less the equations of H's nodes, has half as many numbers in a basis: an edge's coefficient
   is 2 inside a tooth, else 0, less 1 if it leaves H. Those of
   sequences of cities: see src/tsp/branch/directed.c. Cuts are kept as sets, from which the coefficient of any edge
   follows, and as lists of their columns.

   Minimise cost * x, where x is 0 to 1 for each edge, each node has two edges (the first rows), and
   cuts hold (the other rows, with a slack of 0 or more each). All edges have two bounds, so every
   basis is dual feasible once its nonbasic edges stand at the right ones: bounds may be changed, rows
   and columns added at any time. Arithmetic is that of doubles. */
typedef struct combgpu__branch_lp {
    int nodes, columns, column_room, rows, row_room;
    uint16_t *ends; /* two per column */
    int32_t *edge;  /* of the graph */
    /* of cuts, by row - nodes */
    unsigned char
        *sets; /* [...][node]: 1 in the handle, + 2 * tooth; or the place in the sequence */
    unsigned char *kind; /* combgpu__branch_lp_kind */
    int32_t *
        list_begin; /* of the columns in `list`, as often as their coefficients; above 0, then below */
    uint16_t *list;
    int list_room;
    int32_t *age;  /* rounds in which a cut was slack */
    double *right; /* of the rows */
    double *cost;  /* of variables: columns, then the rows' slacks from column_room on */
    double *exact; /* costs of the columns without noise */
    double *lower, *upper, *x, *reduced, *alpha;
    double *way;    /* 1: may rise from the lower bound, -1: may fall, else 0 */
    int32_t *place; /* in the basis, or -1 */
    int32_t *basis;
    double *norm; /* squared, of the rows of the basis's inverse */
    double *column, *dual, *row, *second, *work;
    int32_t *candidate;    /* variables that may enter the basis */
    int32_t *column_begin; /* of each column's cuts in column_row; valid if `listed` */
    uint16_t *column_row;  /* + LP_MINUS where the coefficient is below 0 */
    int listed;
    int rough; /* norms, in trials */
    /* the basis as a product of triangles (src/tsp/branch/factor.c): step k has a row and a place */
    int32_t *step_row, *step_place, *step_of_row, *count, *queue, *done;
    double *diagonal;
    int32_t *low_begin, *low_index, *low_row, *high_begin, *high_index;
    double *low_value, *high_value;
    /* the upper triangle by rows, for combgpu__branch_lp_backward: places of later steps */
    int32_t *across_begin, *across_place;
    double *across_value;
    int low_steps, factor_room;
    /* and its changes since, row_room numbers each, of which `count` are not 0 */
    int32_t *change_count, *change_place, *change_index;
    double *change_pivot, *change_value;
    int changes;
    int factored; /* the factors are those of the basis, or of its first factored_rows rows */
    int factored_rows;
    uint32_t factors; /* made so far */
    double objective;
    uint64_t pivots;
} combgpu__branch_lp;

enum { COMBGPU__LP_OPTIMAL, COMBGPU__LP_ABOVE, COMBGPU__LP_LIMIT, COMBGPU__LP_TROUBLE };

typedef enum combgpu__branch_lp_kind {
    COMBGPU__LP_COMB,
    COMBGPU__LP_SEQUENCE,
    COMBGPU__LP_TURNED /* sequence */
} combgpu__branch_lp_kind;

#define COMBGPU__LP_CLOSE 1e-7     /* a value this far beyond its bound is there */
#define COMBGPU__LP_CHANGES 100    /* pivots before the basis is factored anew */
#define COMBGPU__LP_MOST_TEETH 127 /* of a cut */
#define COMBGPU__LP_MINUS 0x8000

/* Lays out the arrays at `memory`, unless that is NULL, and returns their size. Arrays up to
   `column` keep the state of the method (see combgpu__branch_lp_copy). */
COMBGPU__PRIVATE size_t combgpu__branch_lp_layout(combgpu__branch_lp *lp, void *memory)
{
    size_t rows = (size_t)lp->row_room, columns = (size_t)lp->column_room, all = rows + columns;
    size_t cuts = rows - (size_t)lp->nodes, bytes = 0;
    size_t factors = 40 * rows + rows * rows / 8 + 20000, changes = COMBGPU__LP_CHANGES * rows;
    size_t list = cuts < 32 ? 2 * cuts * columns : 64 * columns;
    lp->list_room = (int)list;
    lp->factor_room = (int)factors;
    COMBGPU__LAY(lp->x, double, all);
    COMBGPU__LAY(lp->reduced, double, all);
    COMBGPU__LAY(lp->lower, double, all);
    COMBGPU__LAY(lp->upper, double, all);
    COMBGPU__LAY(lp->place, int32_t, all);
    COMBGPU__LAY(lp->basis, int32_t, rows);
    COMBGPU__LAY(lp->norm, double, rows);
    COMBGPU__LAY(lp->column, double, rows);
    COMBGPU__LAY(lp->dual, double, rows);
    COMBGPU__LAY(lp->row, double, rows);
    COMBGPU__LAY(lp->second, double, rows);
    COMBGPU__LAY(lp->work, double, 5 * rows);
    COMBGPU__LAY(lp->candidate, int32_t, all);
    COMBGPU__LAY(lp->cost, double, all);
    COMBGPU__LAY(lp->exact, double, columns);
    COMBGPU__LAY(lp->alpha, double, all);
    COMBGPU__LAY(lp->way, double, all);
    COMBGPU__LAY(lp->right, double, rows);
    COMBGPU__LAY(lp->ends, uint16_t, 2 * columns);
    COMBGPU__LAY(lp->edge, int32_t, columns);
    COMBGPU__LAY(lp->sets, unsigned char, cuts *(size_t)lp->nodes);
    COMBGPU__LAY(lp->kind, unsigned char, cuts);
    COMBGPU__LAY(lp->age, int32_t, cuts);
    COMBGPU__LAY(lp->list_begin, int32_t, 2 * cuts + 1);
    COMBGPU__LAY(lp->list, uint16_t, list);
    COMBGPU__LAY(lp->column_begin, int32_t, columns + 1);
    COMBGPU__LAY(lp->column_row, uint16_t, list);
    COMBGPU__LAY(lp->step_row, int32_t, rows);
    COMBGPU__LAY(lp->step_place, int32_t, rows);
    COMBGPU__LAY(lp->step_of_row, int32_t, rows);
    COMBGPU__LAY(lp->count, int32_t, rows + 1);
    COMBGPU__LAY(lp->queue, int32_t, rows + 1);
    COMBGPU__LAY(lp->done, int32_t, rows);
    COMBGPU__LAY(lp->diagonal, double, rows);
    COMBGPU__LAY(lp->low_begin, int32_t, rows + 1);
    COMBGPU__LAY(lp->low_row, int32_t, rows);
    COMBGPU__LAY(lp->high_begin, int32_t, rows + 1);
    COMBGPU__LAY(lp->low_index, int32_t, factors);
    COMBGPU__LAY(lp->low_value, double, factors);
    COMBGPU__LAY(lp->high_index, int32_t, factors);
    COMBGPU__LAY(lp->high_value, double, factors);
    COMBGPU__LAY(lp->across_begin, int32_t, rows + 1);
    COMBGPU__LAY(lp->across_place, int32_t, factors);
    COMBGPU__LAY(lp->across_value, double, factors);
    COMBGPU__LAY(lp->change_count, int32_t, COMBGPU__LP_CHANGES);
    COMBGPU__LAY(lp->change_place, int32_t, COMBGPU__LP_CHANGES);
    COMBGPU__LAY(lp->change_pivot, double, COMBGPU__LP_CHANGES);
    COMBGPU__LAY(lp->change_index, int32_t, changes);
    COMBGPU__LAY(lp->change_value, double, changes);
    return bytes;
}

/* The bytes that combgpu__branch_lp_copy keeps. */
COMBGPU__PRIVATE size_t combgpu__branch_lp_copy_bytes(const combgpu__branch_lp *lp)
{
    size_t rows = (size_t)lp->row_room, all = rows + (size_t)lp->column_room;
    return all * (4 * sizeof(double) + sizeof(int32_t)) +
           rows * (sizeof(double) + sizeof(int32_t)) + 8 * 64;
}

/* Copies values, bounds, basis and norms to `other`, or back: then pivots made since are undone, if the
   factors are still those from before. */
COMBGPU__PRIVATE void combgpu__branch_lp_copy(combgpu__branch_lp *lp, char *other, int back)
{
    size_t bytes = (size_t)((const char *)lp->column - (const char *)lp->x);
    uint32_t *tail = (uint32_t *)(void *)(other + bytes);
    char *own = (char *)(void *)lp->x;
    memcpy(back ? own : other, back ? other : own, bytes);
    if (!back) {
        tail[0] = lp->factors;
        tail[1] = (uint32_t)lp->changes;
    } else if (tail[0] == lp->factors)
        lp->changes = (int)tail[1];
    else
        lp->factored = 0;
}

COMBGPU__PRIVATE unsigned char *combgpu__branch_lp_sets(const combgpu__branch_lp *lp, int row)
{
    return lp->sets + (size_t)(row - lp->nodes) * (size_t)lp->nodes;
}

/* The coefficient of the edge u v in a sequence's cut; cities stand in their places, 1 and on. */
COMBGPU__PRIVATE int combgpu__branch_lp_in_sequence(const combgpu__branch_lp *lp, int row, int u,
                                                    int v)
{
    const unsigned char *place = combgpu__branch_lp_sets(lp, row);
    int turned = lp->kind[row - lp->nodes] == COMBGPU__LP_TURNED;
    int last = (int)lp->right[row] + 1, out = u > v ? u : v, in = u > v ? v : u;
    int from = place[turned ? in : out], to = place[turned ? out : in];
    if (from == to || !from || !to) return 0;
    if (from == 1) return to < last ? 2 : 1;
    return from == to + 1 || (to > from && to < last);
}

COMBGPU__PRIVATE int combgpu__branch_lp_coefficient(const combgpu__branch_lp *lp, int row, int u,
                                                    int v)
{
    const unsigned char *sets = combgpu__branch_lp_sets(lp, row);
    if (lp->kind[row - lp->nodes] != COMBGPU__LP_COMB)
        return combgpu__branch_lp_in_sequence(lp, row, u, v);
    return 2 * ((sets[u] > 1) & (sets[u] >> 1 == sets[v] >> 1)) - ((sets[u] ^ sets[v]) & 1);
}

/* Lists the cuts of each column. */
COMBGPU__PRIVATE void combgpu__branch_lp_index(combgpu__branch_lp *lp)
{
    int32_t *begin = lp->column_begin;
    int part = 2 * (lp->rows - lp->nodes), used = lp->list_begin[part], k;
    if (lp->listed) return;
    lp->listed = 1;
    memset(begin, 0, (size_t)(lp->columns + 1) * sizeof *begin);
    for (k = 0; k < used; k++)
        begin[lp->list[k]]++;
    for (k = 1; k <= lp->columns; k++)
        begin[k] += begin[k - 1];
    for (k = used - 1; part--;)
        for (; k >= lp->list_begin[part]; k--)
            lp->column_row[--begin[lp->list[k]]] =
                (uint16_t)(lp->nodes + part / 2 + part % 2 * COMBGPU__LP_MINUS);
}

/* Sets lp->alpha to vector * A for the edges; a slack's is vector[row]. */
COMBGPU__PRIVATE void combgpu__branch_lp_price(combgpu__branch_lp *lp, const double *vector)
{
    double *alpha = lp->alpha;
    int row, j;
    for (j = 0; j < lp->columns; j++)
        alpha[j] = vector[lp->ends[2 * j]] + vector[lp->ends[2 * j + 1]];
    for (row = lp->nodes; row < lp->rows; row++) {
        const int32_t *begin = lp->list_begin + 2 * (row - lp->nodes);
        double y = vector[row];
        if (fabs(y) < 1e-12) continue;
        for (j = begin[0]; j < begin[1]; j++)
            alpha[lp->list[j]] += y;
        for (; j < begin[2]; j++)
            alpha[lp->list[j]] -= y;
    }
    memcpy(alpha + lp->column_room, vector, (size_t)lp->rows * sizeof *alpha);
}

/* Adds `factor` times a variable's column to a vector. */
COMBGPU__PRIVATE void combgpu__branch_lp_scatter(const combgpu__branch_lp *lp, int variable,
                                                 double factor, double *to)
{
    int k;
    if (variable >= lp->column_room) {
        to[variable - lp->column_room] += factor;
        return;
    }
    to[lp->ends[2 * variable]] += factor;
    to[lp->ends[2 * variable + 1]] += factor;
    for (k = lp->column_begin[variable]; k < lp->column_begin[variable + 1]; k++) {
        int row = lp->column_row[k];
        to[row & ~COMBGPU__LP_MINUS] += row & COMBGPU__LP_MINUS ? -factor : factor;
    }
}
