/* A bounded dual simplex method for the relaxation of tours with cutting planes. */

/* Cutting planes are of the form: a handle H and disjoint teeth T, inside which tours have few
   edges, x(H) + sum of x(T) <= rhs. An edge's coefficient is the number of these sets that contain
   both its ends. Without teeth that is a subtour constraint, else a comb (V. Chvatal, 1973).

   Minimise cost * x, where x is 0 to 1 for each edge, each node has two edges (the first rows), and
   cuts hold (the other rows, with a slack of 0 or more each). All edges have two bounds, so every
   basis is dual feasible once its nonbasic edges stand at the right ones: bounds may be changed
   and rows added at any time. The inverse of the basis is explicit. Arithmetic is that of doubles:
   what follows from it is proven elsewhere, by a 1-tree in whole numbers. */
typedef struct combgpu__branch_lp {
    int nodes, columns, column_room, rows, row_room;
    uint16_t *ends;       /* two per column */
    int32_t *edge;        /* of the graph */
    unsigned char *count; /* coefficients: [row - nodes][column] */
    uint16_t *list;       /* [row - nodes][...]: columns, as often as their coefficients */
    int32_t *list_count;
    double *right; /* of the rows */
    int32_t *age;  /* rounds in which a cut was slack */
    double *cost;  /* of variables: columns, then the rows' slacks from column_room on */
    double *exact; /* costs of the columns without noise */
    double *lower, *upper, *x, *reduced, *alpha;
    int32_t *place; /* in the basis, or -1 */
    int32_t *basis;
    double *inverse; /* [place][row], row_room apart */
    double *norm;    /* squared, of its rows */
    double *column, *dual;
    int32_t *support;
    double objective;
    uint64_t pivots;
} combgpu__branch_lp;

enum { COMBGPU__LP_OPTIMAL, COMBGPU__LP_ABOVE, COMBGPU__LP_LIMIT, COMBGPU__LP_TROUBLE };

#define COMBGPU__LP_CLOSE 1e-7 /* a value this far beyond its bound is there */

/* Lays out the arrays at `memory`, unless that is NULL, and returns their size. Arrays up to
   `column` keep the state of the method (see combgpu__branch_lp_copy). */
COMBGPU__PRIVATE size_t combgpu__branch_lp_layout(combgpu__branch_lp *lp, void *memory)
{
    size_t rows = (size_t)lp->row_room, columns = (size_t)lp->column_room, all = rows + columns;
    size_t cuts = rows - (size_t)lp->nodes, bytes = 0;
#define COMBGPU__LP_ARRAY(name, type, number)                                                      \
    do {                                                                                           \
        if (memory) lp->name = (type *)(void *)((char *)memory + bytes);                           \
        bytes += ((number) * sizeof(type) + 63) / 64 * 64;                                         \
    } while (0)
    COMBGPU__LP_ARRAY(x, double, all);
    COMBGPU__LP_ARRAY(reduced, double, all);
    COMBGPU__LP_ARRAY(lower, double, all);
    COMBGPU__LP_ARRAY(upper, double, all);
    COMBGPU__LP_ARRAY(place, int32_t, all);
    COMBGPU__LP_ARRAY(basis, int32_t, rows);
    COMBGPU__LP_ARRAY(norm, double, rows);
    COMBGPU__LP_ARRAY(inverse, double, rows *rows);
    COMBGPU__LP_ARRAY(column, double, rows);
    COMBGPU__LP_ARRAY(dual, double, rows);
    COMBGPU__LP_ARRAY(support, int32_t, rows);
    COMBGPU__LP_ARRAY(cost, double, all);
    COMBGPU__LP_ARRAY(exact, double, columns);
    COMBGPU__LP_ARRAY(alpha, double, all);
    COMBGPU__LP_ARRAY(right, double, rows);
    COMBGPU__LP_ARRAY(age, int32_t, rows);
    COMBGPU__LP_ARRAY(ends, uint16_t, 2 * columns);
    COMBGPU__LP_ARRAY(edge, int32_t, columns);
    COMBGPU__LP_ARRAY(list_count, int32_t, rows);
    COMBGPU__LP_ARRAY(count, unsigned char, cuts *columns);
    COMBGPU__LP_ARRAY(list, uint16_t, 2 * cuts * columns);
#undef COMBGPU__LP_ARRAY
    return bytes;
}

COMBGPU__PRIVATE double *combgpu__branch_lp_row(const combgpu__branch_lp *lp, int place)
{
    return lp->inverse + (size_t)place * (size_t)lp->row_room;
}

/* Copies values, bounds and basis to `other`, or back; the inverse only as far as it is used. */
COMBGPU__PRIVATE void combgpu__branch_lp_copy(combgpu__branch_lp *lp, char *other, int back)
{
    size_t head = (size_t)((const char *)lp->inverse - (const char *)lp->x);
    size_t row = (size_t)lp->rows * sizeof(double);
    char *own = (char *)(void *)lp->x;
    int i;
    memcpy(back ? own : other, back ? other : own, head);
    for (i = 0; i < lp->rows; i++) {
        own = (char *)(void *)combgpu__branch_lp_row(lp, i);
        memcpy(back ? own : other + head + (size_t)i * row,
               back ? other + head + (size_t)i * row : own, row);
    }
}

COMBGPU__PRIVATE unsigned char *combgpu__branch_lp_count(const combgpu__branch_lp *lp, int row)
{
    return lp->count + (size_t)(row - lp->nodes) * (size_t)lp->column_room;
}

COMBGPU__PRIVATE uint16_t *combgpu__branch_lp_list(const combgpu__branch_lp *lp, int row)
{
    return lp->list + 2 * (size_t)(row - lp->nodes) * (size_t)lp->column_room;
}

/* Sets lp->alpha to vector * A for the edges; a slack's is vector[row]. */
COMBGPU__PRIVATE void combgpu__branch_lp_price(combgpu__branch_lp *lp, const double *vector)
{
    double *alpha = lp->alpha;
    int row, j;
    for (j = 0; j < lp->columns; j++)
        alpha[j] = vector[lp->ends[2 * j]] + vector[lp->ends[2 * j + 1]];
    for (row = lp->nodes; row < lp->rows; row++) {
        const uint16_t *list = combgpu__branch_lp_list(lp, row);
        double y = vector[row];
        if (fabs(y) < 1e-12) continue;
        for (j = 0; j < lp->list_count[row]; j++)
            alpha[list[j]] += y;
    }
    for (row = 0; row < lp->rows; row++)
        alpha[lp->column_room + row] = vector[row];
}

/* Sets lp->column to inverse * (the variable's column). */
COMBGPU__PRIVATE void combgpu__branch_lp_column(combgpu__branch_lp *lp, int variable)
{
    int rows[2], row, count = 0, i, k;
    double *to = lp->column;
    int32_t *cuts = lp->support;
    if (variable >= lp->column_room) {
        for (i = 0; i < lp->rows; i++)
            to[i] = combgpu__branch_lp_row(lp, i)[variable - lp->column_room];
        return;
    }
    rows[0] = lp->ends[2 * variable];
    rows[1] = lp->ends[2 * variable + 1];
    for (row = lp->nodes; row < lp->rows; row++)
        if (combgpu__branch_lp_count(lp, row)[variable]) cuts[count++] = row;
    for (i = 0; i < lp->rows; i++) {
        const double *from = combgpu__branch_lp_row(lp, i);
        double sum = from[rows[0]] + from[rows[1]];
        for (k = 0; k < count; k++)
            sum += from[cuts[k]] * combgpu__branch_lp_count(lp, cuts[k])[variable];
        to[i] = sum;
    }
}

/* Subtracts `factor` times one row from another and returns the other's squared norm. Four sums, so
   that compilers use vectors. */
COMBGPU__PRIVATE double combgpu__branch_lp_subtract(double *row, const double *own, double factor,
                                                    int count)
{
    double a = 0, b = 0, c = 0, d = 0;
    int k;
    for (k = 0; k + 4 <= count; k += 4) {
        row[k] -= factor * own[k];
        row[k + 1] -= factor * own[k + 1];
        row[k + 2] -= factor * own[k + 2];
        row[k + 3] -= factor * own[k + 3];
        a += row[k] * row[k];
        b += row[k + 1] * row[k + 1];
        c += row[k + 2] * row[k + 2];
        d += row[k + 3] * row[k + 3];
    }
    for (; k < count; k++) {
        row[k] -= factor * own[k];
        a += row[k] * row[k];
    }
    return (a + b) + (c + d);
}

/* The same where the first row has few numbers other than 0. */
COMBGPU__PRIVATE double combgpu__branch_lp_subtract_few(double *row, const double *own,
                                                        double factor, const int32_t *support,
                                                        int count)
{
    double more = 0;
    int k;
    for (k = 0; k < count; k++) {
        double old = row[support[k]], now = old - factor * own[support[k]];
        row[support[k]] = now;
        more += now * now - old * old;
    }
    return more;
}

/* Lets a variable, whose column is in lp->column, take a place of the basis. */
COMBGPU__PRIVATE void combgpu__branch_lp_enter(combgpu__branch_lp *lp, int variable, int place)
{
    double *own = combgpu__branch_lp_row(lp, place), *column = lp->column, sum = 0;
    int32_t *support = lp->support;
    int count = 0, rows = lp->rows, i, k;
    lp->place[lp->basis[place]] = -1;
    lp->basis[place] = variable;
    lp->place[variable] = place;
    for (k = 0; k < rows; k++)
        if (fabs(own[k]) > 1e-13) {
            own[k] /= column[place];
            sum += own[k] * own[k];
            support[count++] = k;
        } else
            own[k] = 0;
    lp->norm[place] = sum;
    for (i = 0; i < rows; i++) {
        double *row = combgpu__branch_lp_row(lp, i), factor = column[i];
        if (i == place || fabs(factor) < 1e-13) continue;
        if (count > rows / 5)
            lp->norm[i] = combgpu__branch_lp_subtract(row, own, factor, rows);
        else
            lp->norm[i] += combgpu__branch_lp_subtract_few(row, own, factor, support, count);
        if (lp->norm[i] < 1e-6) lp->norm[i] = 1e-6;
    }
}

/* Puts nonbasic variables at the bounds that their reduced costs ask for, and computes the basic
   ones, reduced costs and objective anew. */
COMBGPU__PRIVATE void combgpu__branch_lp_values(combgpu__branch_lp *lp)
{
    double *rest = lp->column, *x = lp->x;
    int all = lp->column_room + lp->rows, i, j, k;
    for (k = 0; k < lp->rows; k++)
        lp->dual[k] = 0;
    for (i = 0; i < lp->rows; i++) {
        const double *row = combgpu__branch_lp_row(lp, i);
        double cost = lp->cost[lp->basis[i]];
        for (k = 0; cost != 0 && k < lp->rows; k++)
            lp->dual[k] += cost * row[k];
    }
    combgpu__branch_lp_price(lp, lp->dual);
    for (k = 0; k < lp->rows; k++)
        rest[k] = lp->right[k];
    lp->objective = 0;
    for (j = 0; j < all; j++) {
        if (j == lp->columns) j = lp->column_room;
        lp->reduced[j] = lp->place[j] >= 0 ? 0 : lp->cost[j] - lp->alpha[j];
        if (lp->place[j] >= 0) continue;
        x[j] = lp->reduced[j] >= 0 || j >= lp->column_room ? lp->lower[j] : lp->upper[j];
        lp->objective += lp->cost[j] * x[j];
        if (x[j] == 0) continue;
        rest[lp->ends[2 * j]] -= x[j];
        rest[lp->ends[2 * j + 1]] -= x[j];
        for (k = lp->nodes; k < lp->rows; k++)
            rest[k] -= combgpu__branch_lp_count(lp, k)[j] * x[j];
    }
    for (i = 0; i < lp->rows; i++) {
        const double *row = combgpu__branch_lp_row(lp, i);
        double sum = 0;
        for (k = 0; k < lp->rows; k++)
            sum += row[k] * rest[k];
        x[lp->basis[i]] = sum;
        lp->objective += lp->cost[lp->basis[i]] * sum;
    }
}

/* Computes the dual values of this basis for the costs without noise. */
COMBGPU__PRIVATE void combgpu__branch_lp_exact_duals(combgpu__branch_lp *lp)
{
    int i, k;
    for (k = 0; k < lp->rows; k++)
        lp->dual[k] = 0;
    for (i = 0; i < lp->rows; i++) {
        const double *row = combgpu__branch_lp_row(lp, i);
        double cost = lp->basis[i] < lp->column_room ? lp->exact[lp->basis[i]] : 0;
        for (k = 0; cost != 0 && k < lp->rows; k++)
            lp->dual[k] += cost * row[k];
    }
}

/* Begins with the basis of all slacks. */
COMBGPU__PRIVATE void combgpu__branch_lp_slacks(combgpu__branch_lp *lp)
{
    int i, j;
    for (j = 0; j < lp->columns; j++)
        lp->place[j] = -1;
    for (i = 0; i < lp->rows; i++) {
        double *row = combgpu__branch_lp_row(lp, i);
        for (j = 0; j < lp->rows; j++)
            row[j] = i == j;
        lp->norm[i] = 1;
        lp->basis[i] = lp->column_room + i;
        lp->place[lp->column_room + i] = i;
    }
}

/* Computes the inverse anew. Returns 0 if the basis is singular. `wanted` holds as many numbers as
   there are rows. */
COMBGPU__PRIVATE int combgpu__branch_lp_invert(combgpu__branch_lp *lp, int32_t *wanted)
{
    int count = 0, i, k;
    unsigned char *stays = (unsigned char *)(void *)lp->alpha; /* of slacks, by row */
    memset(stays, 0, (size_t)lp->rows);
    for (i = 0; i < lp->rows; i++)
        if (lp->basis[i] < lp->column_room)
            wanted[count++] = lp->basis[i];
        else
            stays[lp->basis[i] - lp->column_room] = 1;
    combgpu__branch_lp_slacks(lp);
    for (k = 0; k < count; k++) {
        int best = -1;
        combgpu__branch_lp_column(lp, wanted[k]);
        for (i = 0; i < lp->rows; i++)
            if (lp->basis[i] >= lp->column_room && !stays[lp->basis[i] - lp->column_room] &&
                (best < 0 || fabs(lp->column[i]) > fabs(lp->column[best])))
                best = i;
        if (best < 0 || fabs(lp->column[best]) < 1e-9) return 0;
        combgpu__branch_lp_enter(lp, wanted[k], best);
    }
    combgpu__branch_lp_values(lp);
    return 1;
}

/* Returns the place of the basic variable that is farthest beyond a bound, by the norms of the
   inverse's rows (steepest edges: J. J. Forrest and D. Goldfarb, 1992), or -1. */
COMBGPU__PRIVATE int combgpu__branch_lp_leaving(const combgpu__branch_lp *lp)
{
    double most = 0;
    int chosen = -1, i;
    for (i = 0; i < lp->rows; i++) {
        int j = lp->basis[i];
        double beyond = lp->lower[j] - lp->x[j], other = lp->x[j] - lp->upper[j];
        if (other > beyond) beyond = other;
        if (beyond <= COMBGPU__LP_CLOSE || beyond * beyond <= most * lp->norm[i]) continue;
        most = beyond * beyond / lp->norm[i];
        chosen = i;
    }
    return chosen;
}

/* Returns the variable that enters, by the ratio test in two passes (P. M. J. Harris, 1973); -1: no
   values keep all bounds. sign: 1 if the leaving variable falls, -1 if it rises. */
COMBGPU__PRIVATE int combgpu__branch_lp_entering(const combgpu__branch_lp *lp, double sign)
{
    const double *reduced = lp->reduced;
    double least = HUGE_VAL, largest = 0;
    int pass, chosen = -1, all = lp->column_room + lp->rows, j;
    for (pass = 0; pass < 2; pass++)
        for (j = 0; j < all; j++) {
            double a, d;
            if (j == lp->columns) j = lp->column_room;
            if (lp->place[j] >= 0 || lp->lower[j] == lp->upper[j]) continue;
            a = sign * lp->alpha[j];
            d = reduced[j];
            if (lp->x[j] == lp->upper[j]) {
                a = -a;
                d = -d;
            }
            if (a < 1e-8) continue;
            if (d < 0) d = 0;
            if (!pass) {
                if (d + 1e-7 < least * a) least = (d + 1e-7) / a;
            } else if (d <= least * a && a > largest) {
                largest = a;
                chosen = j;
            }
        }
    return chosen;
}

/* Makes at most `limit` pivots from values that are up to date. ABOVE: the objective exceeds
   `cutoff`, or rises as far as one likes: then the row of place *ray, *ray_step times for each unit of the
   objective, goes to the dual values. */
COMBGPU__PRIVATE int combgpu__branch_lp_pivots(combgpu__branch_lp *lp, double cutoff, int limit,
                                               int32_t *spare, int *ray, double *ray_step)
{
    int inverted = 0, result = COMBGPU__LP_LIMIT, i, k;
    *ray = -1;
    for (; limit > 0; limit--) {
        int place = combgpu__branch_lp_leaving(lp), leaving, entering;
        double sign, beyond, step, pivot;
        const double *row;
        result = lp->objective > cutoff ? COMBGPU__LP_ABOVE
                 : place < 0            ? COMBGPU__LP_OPTIMAL
                                        : COMBGPU__LP_LIMIT;
        if (result != COMBGPU__LP_LIMIT) break;
        leaving = lp->basis[place];
        sign = lp->x[leaving] > lp->upper[leaving] ? 1 : -1;
        beyond =
            sign > 0 ? lp->x[leaving] - lp->upper[leaving] : lp->lower[leaving] - lp->x[leaving];
        row = combgpu__branch_lp_row(lp, place);
        combgpu__branch_lp_price(lp, row);
        entering = combgpu__branch_lp_entering(lp, sign);
        if (entering < 0) { /* the dual ray raises the objective as far as one likes */
            *ray = place;
            *ray_step = sign / beyond;
            return COMBGPU__LP_ABOVE;
        }
        pivot = lp->alpha[entering];
        combgpu__branch_lp_column(lp, entering);
        if (fabs(lp->column[place] - pivot) > 1e-7 * (1 + fabs(pivot))) {
            if (inverted++ > 3 || !combgpu__branch_lp_invert(lp, spare)) return COMBGPU__LP_TROUBLE;
            continue;
        }
        step = lp->reduced[entering] / pivot;
        for (k = 0; k < lp->columns; k++)
            lp->reduced[k] -= step * lp->alpha[k];
        for (k = 0; k < lp->rows; k++)
            lp->reduced[lp->column_room + k] -= step * lp->alpha[lp->column_room + k];
        lp->objective += fabs(step) * beyond;
        lp->reduced[leaving] = -step;
        lp->reduced[entering] = 0;
        step = sign * beyond / lp->column[place];
        for (i = 0; i < lp->rows; i++)
            lp->x[lp->basis[i]] -= step * lp->column[i];
        lp->x[entering] += step;
        lp->x[leaving] = sign > 0 ? lp->upper[leaving] : lp->lower[leaving];
        combgpu__branch_lp_enter(lp, entering, place);
        lp->pivots++;
    }
    return result;
}

/* Makes at most `limit` pivots. ABOVE: the objective exceeds `cutoff`. In that case and at the
   optimum lp->dual gets the dual values. */
COMBGPU__PRIVATE int combgpu__branch_lp_solve(combgpu__branch_lp *lp, double cutoff, int limit,
                                              int32_t *spare)
{
    int result, ray, k;
    double step = 0;
    combgpu__branch_lp_values(lp);
    result = combgpu__branch_lp_pivots(lp, cutoff, limit, spare, &ray, &step);
    combgpu__branch_lp_values(lp);
    step *= cutoff > lp->objective ? (cutoff - lp->objective) * 1.5 : 0;
    for (k = 0; ray >= 0 && k < lp->rows; k++)
        lp->dual[k] += step * combgpu__branch_lp_row(lp, ray)[k];
    return result;
}
