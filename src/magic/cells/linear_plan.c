/* Plans the linear search for magic squares: which cells it chooses, and how the others follow. */

/* It serves orders 7 to 10, and kinds with many lines. The lines are linear equations. Gaussian
   elimination over the rationals, with the cells in an order, tells for each cell whether the
   equations give it from cells before it: it *follows*, and its number is (constant + sum of
   coefficients times chosen numbers) / divisor. The other cells are levels, whose numbers are
   chosen. So a cell that several lines determine together is found as early as one that completes a
   line.

   The order decides how many beginnings squares have. The plan starts from an order that completes
   lines early, and keeps random moves of a cell unless an estimate of the largest number of
   beginnings grows. The estimate uses integers only, so the plan is the same everywhere. */

#define COMBGPU__LINEAR_TERMS 4096
#define COMBGPU__LINEAR_RELATIONS 96
#define COMBGPU__LINEAR_MOVES 500
#define COMBGPU__LINEAR_ORDERS 40
#define COMBGPU__LINEAR_ROOTS 2

/* A cell that follows: divisor * number = constant + own * (the level's number) + before * (that of
   the level before) + terms. */
typedef struct combgpu__cells_follower {
    int32_t cell, constant, own, before, divisor, first, terms;
} combgpu__cells_follower;

typedef struct combgpu__cells_relation {
    int32_t less, greater; /* cells */
    int32_t
        bound; /* a known cell: 1 less, 2 greater; 3, 4: the level's partner likewise; 0: none */
} combgpu__cells_relation;

/* The tables of a job are plans, one for each root. With symmetries beyond D4, a root is a cell
   that holds number 1, one cell of each orbit. */
typedef struct combgpu__cells_linear {
    int32_t levels, numbers, only; /* only: the one number of level 0; 0 = any */
    /* the cells that are not fixed are pairs with the sum n*n + 1; a level has one of a pair */
    int32_t paired;
    /* if paired: the other cell; of others the cell itself */
    int32_t partner[COMBGPU__MAGIC_CELLS];
    int32_t fixed[COMBGPU__MAGIC_CELLS]; /* numbers that do not depend on levels; 0 = none */
    int32_t cell[COMBGPU__MAGIC_CELLS];  /* of a level */
    int32_t first_follower[COMBGPU__MAGIC_CELLS + 1];
    int32_t first_relation[COMBGPU__MAGIC_CELLS + 1];
    int32_t first_line[COMBGPU__MAGIC_CELLS + 1];
    combgpu__cells_follower followers[COMBGPU__MAGIC_CELLS];
    combgpu__cells_relation relations[COMBGPU__LINEAR_RELATIONS];
    int32_t lines[COMBGPU__MAGIC_LINES]; /* bimagic: lines that a level completes */
    int32_t term_count;
    int32_t term_level[COMBGPU__LINEAR_TERMS], term[COMBGPU__LINEAR_TERMS];
} combgpu__cells_linear;

/* Equations over the unknown cells: rows of `columns` + 1 numbers, the last one the right side. */
typedef struct combgpu__cells_system {
    int columns, rows, numbers, paired;
    int sampled;                       /* for samples: any cost will do */
    int cell[COMBGPU__MAGIC_CELLS];    /* of a column */
    int partner[COMBGPU__MAGIC_CELLS]; /* by cell: the cell with the complement; -1 = none */
    int order[COMBGPU__MAGIC_CELLS];   /* columns in the order in which they are filled */
    int pivot[COMBGPU__MAGIC_CELLS];   /* row that gives a column; -1 = it is chosen */
    int64_t *base, *work;              /* the equations, and the same solved for an order */
    int impossible;
} combgpu__cells_system;

/* Divides a row by the common divisor of its numbers. */
COMBGPU__PRIVATE void combgpu__cells_shorten(int64_t *row, int columns)
{
    int64_t divide = 0;
    int i;
    for (i = 0; i <= columns && divide != 1; i++)
        if (row[i]) divide = combgpu__gcd(divide, row[i]);
    for (i = 0; i <= columns && divide > 1; i++)
        row[i] /= divide;
}

/* Subtracts multiples of row `from` so that row `to` is 0 in a column; both stay integers. */
COMBGPU__PRIVATE void combgpu__cells_eliminate(int64_t *to, const int64_t *from, int column,
                                               int columns)
{
    int64_t a = from[column], b = to[column], common = combgpu__gcd(a, b);
    int i;
    a /= common, b /= common;
    if (a < 0) a = -a, b = -b;
    for (i = 0; i <= columns; i++)
        to[i] = a * to[i] - b * from[i];
    if (a != 1) combgpu__cells_shorten(to, columns);
}

/* Solves the equations for the order: each row gives the last of its columns. */
COMBGPU__PRIVATE void combgpu__cells_solve(combgpu__cells_system *system)
{
    size_t width = (size_t)system->columns + 1;
    int64_t *work = system->work;
    int at, row, done = 0, i;
    memcpy(work, system->base, (size_t)system->rows * width * sizeof *work);
    for (at = system->columns; at-- > 0;) {
        int column = system->order[at];
        system->pivot[column] = -1;
        for (row = done; row < system->rows && !work[(size_t)row * width + (size_t)column]; row++) {
        }
        if (row == system->rows) continue;
        for (i = 0; i < (int)width && row != done; i++) {
            int64_t t = work[(size_t)row * width + (size_t)i];
            work[(size_t)row * width + (size_t)i] = work[(size_t)done * width + (size_t)i];
            work[(size_t)done * width + (size_t)i] = t;
        }
        for (row = 0; row < system->rows; row++)
            if (row != done && work[(size_t)row * width + (size_t)column])
                combgpu__cells_eliminate(work + (size_t)row * width, work + (size_t)done * width,
                                         column, system->columns);
        system->pivot[column] = done++;
    }
    for (row = 0; row < done; row++)
        combgpu__cells_shorten(work + (size_t)row * width, system->columns);
    for (row = done; row < system->rows; row++)
        if (work[(size_t)row * width + width - 1]) system->impossible = 1;
    system->rows = done; /* the others are 0 = 0 */
}

/* Returns 16 times the binary logarithm of x, rounded down; x is 1 or more. */
COMBGPU__PRIVATE int combgpu__cells_log(uint64_t x)
{
    int whole = 0, i, fraction = 0;
    while (x >> whole > 1)
        whole++;
    x = whole > 30 ? x >> (whole - 30) : x << (30 - whole);
    for (i = 0; i < 4; i++) {
        x = x * x >> 30;
        fraction = 2 * fraction + (x >> 31 != 0);
        if (x >> 31) x >>= 1;
    }
    return 16 * whole + fraction;
}

/* Returns the row that gives a column, or NULL. */
COMBGPU__PRIVATE const int64_t *combgpu__cells_row(const combgpu__cells_system *system, int column)
{
    return system->pivot[column] < 0
               ? NULL
               : system->work + (size_t)system->pivot[column] * ((size_t)system->columns + 1);
}

/* Sets after[column] to the position in the order of the last chosen column that it depends on: its
   own if it is chosen, -1 if it depends on none. */
COMBGPU__PRIVATE void combgpu__cells_dependence(const combgpu__cells_system *system, int *after)
{
    int at, place[COMBGPU__MAGIC_CELLS], i;
    for (at = 0; at < system->columns; at++)
        place[system->order[at]] = at;
    for (at = 0; at < system->columns; at++) {
        int column = system->order[at];
        const int64_t *row = combgpu__cells_row(system, column);
        after[column] = row ? -1 : at;
        for (i = 0; row && i < system->columns; i++)
            if (i != column && row[i] && place[i] > after[column]) after[column] = place[i];
    }
}

/* Estimates how many beginnings of squares the order has: the logarithm of the largest number, then
   their mean. */
COMBGPU__PRIVATE int64_t combgpu__cells_cost(combgpu__cells_system *system)
{
    int after[COMBGPU__MAGIC_CELLS], at, i, k, levels = 0, each = 1 + system->paired;
    int64_t most = 0, sum = 0, count = 0, chance;
    uint64_t left = (uint64_t)system->columns, squares, spread = (uint64_t)system->numbers;
    spread = spread * spread * 5236 / 10000; /* 2 pi times the variance of a number */
    combgpu__cells_solve(system);
    combgpu__cells_dependence(system, after);
    for (at = 0; at < system->columns; at++) {
        if (system->pivot[system->order[at]] >= 0) continue;
        count += combgpu__cells_log((uint64_t)each * left--);
        for (i = 0; i < system->columns; i++) { /* what follows */
            const int64_t *row = combgpu__cells_row(system, i);
            if (!row || after[i] != at || !left) continue;
            for (k = 0, squares = 0; k < system->columns; k++)
                squares += k != i ? (uint64_t)(row[k] * row[k]) : 0;
            /* the chance that a sum with this deviation is one of the numbers left. Other lines
               often make the sum a multiple of the divisor */
            squares /= (uint64_t)(row[i] * row[i]);
            chance = combgpu__cells_log((uint64_t)each * left--) -
                     combgpu__cells_log(spread * squares + 1) / 2;
            count += chance < 0 ? chance : 0;
        }
        if (count > most) most = count;
        sum += count > 0 ? count : 0;
        levels++;
    }
    return most * 4096 + (levels ? sum / levels : 0);
}

/* Puts the columns into an order that completes lines early. */
COMBGPU__PRIVATE void combgpu__cells_first_order(const combgpu__magic_state *state,
                                                 combgpu__cells_system *system)
{
    int open[COMBGPU__MAGIC_LINES], column_of[COMBGPU__MAGIC_CELLS],
        done[COMBGPU__MAGIC_CELLS] = {0};
    int at, k, i, best, score[COMBGPU__MAGIC_CELLS];
    for (i = 0; i < state->cells; i++)
        column_of[i] = -1;
    for (i = 0; i < system->columns; i++) {
        column_of[system->cell[i]] = i;
        if (system->paired) column_of[system->partner[system->cell[i]]] = i;
    }
    for (k = 0; k < state->line_count; k++)
        for (open[k] = i = 0; i < state->lines[k].length; i++)
            open[k] += column_of[state->lines[k].cells[i]] >= 0;
    for (at = 0; at < system->columns; at++) {
        memset(score, 0, sizeof score);
        for (k = 0; k < state->line_count; k++)
            for (i = 0; i < state->lines[k].length && open[k]; i++)
                if (column_of[state->lines[k].cells[i]] >= 0)
                    score[column_of[state->lines[k].cells[i]]] += 1 << 2 * (10 - open[k]);
        for (best = -1, i = 0; i < system->columns; i++)
            if (!done[i] && (best < 0 || score[i] > score[best])) best = i;
        done[best] = 1;
        system->order[at] = best;
        for (k = 0; k < state->line_count; k++)
            for (i = 0; i < state->lines[k].length; i++)
                open[k] -= column_of[state->lines[k].cells[i]] == best;
    }
}

COMBGPU__PRIVATE int combgpu__cells_plan_random(uint64_t *seed, int n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((*seed >> 33) % (uint64_t)n);
}

/* Moves a column to another position in the order. */
COMBGPU__PRIVATE void combgpu__cells_move(int *order, int from, int to)
{
    int column = order[from];
    for (; from < to; from++)
        order[from] = order[from + 1];
    for (; from > to; from--)
        order[from] = order[from - 1];
    order[to] = column;
}

/* Improves the order by random moves. Returns its cost. */
COMBGPU__PRIVATE int64_t combgpu__cells_improve(combgpu__cells_system *system, uint64_t *seed)
{
    int64_t cost = combgpu__cells_cost(system), other;
    int moves, from, to;
    for (moves = 0; moves < COMBGPU__LINEAR_MOVES && system->columns > 2; moves++) {
        from = combgpu__cells_plan_random(seed, system->columns);
        to = combgpu__cells_plan_random(seed, system->columns);
        combgpu__cells_move(system->order, from, to);
        other = combgpu__cells_cost(system);
        if (other <= cost)
            cost = other;
        else
            combgpu__cells_move(system->order, to, from);
    }
    return cost;
}

/* Chooses the order. For a search of hours it tries many; for one too long to finish it completes
   lines early, to reach a first square. */
COMBGPU__PRIVATE void combgpu__cells_choose_order(const combgpu__magic_state *state,
                                                  combgpu__cells_system *system)
{
    int best[COMBGPU__MAGIC_CELLS], attempt, i;
    int64_t cost, least;
    uint64_t seed = 1;
    combgpu__cells_first_order(state, system);
    memcpy(best, system->order, sizeof best);
    least = combgpu__cells_cost(system);
    for (attempt = 0; attempt < COMBGPU__LINEAR_ORDERS; attempt++) {
        for (i = system->columns - 1; i > 0 && attempt; i--)
            combgpu__cells_move(system->order, i, combgpu__cells_plan_random(&seed, i + 1));
        cost = combgpu__cells_improve(system, &seed);
        if (cost < least || (!attempt && cost <= least)) {
            least = cost;
            memcpy(best, system->order, sizeof best);
        }
        /* the cost's unit is 1/16 of a factor 2 */
        if (least >> 12 < 16 * 28 || (least >> 12 > 16 * 60 && !system->sampled)) break;
    }
    if (least >> 12 > 16 * 60 && !system->sampled)
        combgpu__cells_first_order(state, system);
    else
        memcpy(system->order, best, sizeof best);
    (void)combgpu__cells_cost(system); /* solves the equations for it */
}
