/* Makes the tables of the linear search from its plan. */

/* Finds the partners of the cells that are not fixed, and whether all have one. */
COMBGPU__PRIVATE void combgpu__cells_partners_of(const combgpu__magic_state *state,
                                                 const int32_t *fixed,
                                                 combgpu__cells_system *system)
{
    int i, k;
    memset(system->partner, 255, sizeof system->partner);
    for (k = 0; k < state->line_count; k++) {
        int a = state->lines[k].cells[0], b = state->lines[k].cells[1];
        if (state->lines[k].length != 2 || fixed[a] || fixed[b]) continue;
        system->partner[a] = b;
        system->partner[b] = a;
    }
    system->paired = 1;
    for (i = 0; i < state->cells; i++)
        if (!fixed[i] && system->partner[i] < 0) system->paired = 0;
}

/* Makes the equations of the lines over the cells that are not fixed; the cells in `fixed` have
   numbers. Only the first cell of a pair has a column. */
COMBGPU__PRIVATE void combgpu__cells_equations(const combgpu__magic_state *state,
                                               const int32_t *fixed, combgpu__cells_system *system)
{
    int column_of[COMBGPU__MAGIC_CELLS], i, k;
    combgpu__cells_partners_of(state, fixed, system);
    system->columns = 0;
    system->rows = state->line_count;
    system->numbers = state->cells;
    for (i = 0; i < state->cells; i++) {
        int second = system->paired && !fixed[i] && system->partner[i] < i;
        column_of[i] = fixed[i] ? -1 : second ? column_of[system->partner[i]] : system->columns;
        if (!fixed[i] && !second) system->cell[system->columns++] = i;
    }
    memset(system->base, 0,
           (size_t)system->rows * ((size_t)system->columns + 1) * sizeof *system->base);
    for (k = 0; k < state->line_count; k++) {
        const combgpu__magic_line *line = &state->lines[k];
        int64_t *row = system->base + (size_t)k * ((size_t)system->columns + 1);
        row[system->columns] = line->sum;
        for (i = 0; i < line->length; i++) {
            int cell = line->cells[i], column = column_of[cell];
            if (column < 0)
                row[system->columns] -= fixed[cell];
            else if (system->cell[column] == cell)
                row[column]++;
            else {
                row[column]--;
                row[system->columns] -= state->cells + 1;
            }
        }
    }
    for (i = 0; i < system->columns; i++)
        system->order[i] = i;
    combgpu__cells_solve(system); /* leaves independent equations */
    memcpy(system->base, system->work,
           (size_t)system->rows * ((size_t)system->columns + 1) * sizeof *system->base);
}

/* Fixes the cells that the equations give at once. Returns their number; marks contradictions. */
COMBGPU__PRIVATE int combgpu__cells_fix(const combgpu__magic_state *state,
                                        combgpu__cells_system *system, int32_t *fixed)
{
    int after[COMBGPU__MAGIC_CELLS], column, k, count = 0;
    combgpu__cells_dependence(system, after);
    for (column = 0; column < system->columns && !system->impossible; column++) {
        const int64_t *row = combgpu__cells_row(system, column);
        int64_t number;
        if (!row || after[column] >= 0) continue;
        number = row[system->columns] / row[column];
        if (number < 1 || number > state->cells || number * row[column] != row[system->columns])
            system->impossible = 1;
        for (k = 0; k < state->cells; k++)
            if (fixed[k] == number) system->impossible = 1;
        if (!system->impossible) fixed[system->cell[column]] = (int32_t)number;
        count++;
    }
    return count;
}

/* Adds a cell that follows from level `level` and levels before. */
COMBGPU__PRIVATE int combgpu__cells_add_follower(const combgpu__cells_system *system, int column,
                                                 const int *level_of, int level, int index,
                                                 combgpu__cells_linear *plan)
{
    const int64_t *row = combgpu__cells_row(system, column);
    combgpu__cells_follower *follower = &plan->followers[index];
    int64_t sign = row[column] < 0 ? -1 : 1;
    int i;
    follower->cell = system->cell[column];
    follower->constant = (int32_t)(sign * row[system->columns]);
    follower->divisor = (int32_t)(sign * row[column]);
    follower->first = plan->term_count;
    for (i = 0; i < system->columns; i++) {
        if (i == column || !row[i]) continue;
        if (row[i] > 30000 || row[i] < -30000) return 0;
        if (level_of[i] == level) {
            follower->own = (int32_t)(-sign * row[i]);
            continue;
        }
        if (level_of[i] == level - 1) {
            follower->before = (int32_t)(-sign * row[i]);
            continue;
        }
        if (plan->term_count == COMBGPU__LINEAR_TERMS) return 0;
        plan->term_level[plan->term_count] = level_of[i];
        plan->term[plan->term_count++] = (int32_t)(-sign * row[i]);
        follower->terms++;
    }
    return follower->divisor < 30000;
}

/* Makes levels and followers. Returns 0 if a number of the plan is too large. */
COMBGPU__PRIVATE int combgpu__cells_levels(combgpu__cells_system *system,
                                           combgpu__cells_linear *plan)
{
    int after[COMBGPU__MAGIC_CELLS], level_of[COMBGPU__MAGIC_CELLS], at, i, count = 0;
    combgpu__cells_dependence(system, after);
    for (at = 0; at < system->columns; at++) {
        int column = system->order[at], level = plan->levels;
        if (system->pivot[column] >= 0) continue;
        level_of[column] = level;
        plan->cell[level] = system->cell[column];
        plan->first_follower[level] = count;
        plan->levels++;
        for (i = 0; i < system->columns; i++)
            if (system->pivot[i] >= 0 && after[i] == at &&
                !combgpu__cells_add_follower(system, i, level_of, level, count++, plan))
                return 0;
    }
    plan->first_follower[plan->levels] = count;
    return 1;
}

/* Returns the level after which a cell has its number; -1 if it is fixed. */
COMBGPU__PRIVATE int combgpu__cells_level_of(const combgpu__cells_linear *plan, int cell)
{
    int level, i, partner = plan->partner[cell];
    for (level = 0; level < plan->levels; level++) {
        if (plan->cell[level] == cell || plan->cell[level] == partner) return level;
        for (i = plan->first_follower[level]; i < plan->first_follower[level + 1]; i++)
            if (plan->followers[i].cell == cell || plan->followers[i].cell == partner) return level;
    }
    return -1;
}

/* Returns the cell of image g of the job's group that has the number of a cell. */
COMBGPU__PRIVATE int combgpu__cells_group_image(const combgpu__magic_state *state, int g, int cell)
{
    return state
        ->image[state->images[g % state->image_count]][state->more[g / state->image_count][cell]];
}

/* Of the cells that the live part of the group moves, returns the one whose images all have numbers
   earliest; -1 if it moves none. */
COMBGPU__PRIVATE int combgpu__cells_base(const combgpu__magic_state *state,
                                         const combgpu__cells_linear *plan,
                                         const unsigned char *live, int group)
{
    int cell, g, best = -1, least = plan->levels;
    for (cell = 0; cell < state->cells; cell++) {
        int last = combgpu__cells_level_of(plan, cell), moves = 0;
        for (g = 0; g < group; g++) {
            int image = combgpu__cells_group_image(state, g, cell), level;
            if (!live[g] || image == cell) continue;
            level = combgpu__cells_level_of(plan, image);
            moves = 1;
            if (level > last) last = level;
        }
        if (!moves || last >= least) continue;
        least = last;
        best = cell;
    }
    return best;
}

/* Writes inequalities that keep one image of each square under the group, or the part of it that
   fixes cell `root` (-1 = all): a cell has the smallest number of its images, then another one in
   the part of the group that fixes it, and so on. Returns their number. */
COMBGPU__PRIVATE int combgpu__cells_inequalities(const combgpu__magic_state *state,
                                                 const combgpu__cells_linear *plan, int root,
                                                 unsigned char less[][2])
{
    unsigned char live[8 * COMBGPU__MAGIC_MORE], seen[COMBGPU__MAGIC_CELLS];
    int group = state->image_count * state->more_count, g, count = 0, cell;
    for (g = 0; g < group; g++)
        live[g] = (unsigned char)(root < 0 || combgpu__cells_group_image(state, g, root) == root);
    while ((cell = combgpu__cells_base(state, plan, live, group)) >= 0) {
        memset(seen, 0, sizeof seen);
        for (g = 0; g < group; g++) {
            int image = combgpu__cells_group_image(state, g, cell);
            if (!live[g] || image == cell) continue;
            live[g] = 0;
            if (seen[image]) continue;
            seen[image] = 1;
            less[count][0] = (unsigned char)cell;
            less[count++][1] = (unsigned char)image;
        }
    }
    return count;
}

/* Gives each level the inequalities and lines to check. */
COMBGPU__PRIVATE void combgpu__cells_level_checks(const combgpu__magic_state *state, int root,
                                                  combgpu__cells_linear *plan)
{
    unsigned char less_than[COMBGPU__LINEAR_RELATIONS][2];
    int less_count = combgpu__cells_inequalities(state, plan, root, less_than);

    int level, k, i, relations = 0, lines = 0;
    for (level = 0; level < plan->levels; level++) {
        plan->first_relation[level] = relations;
        plan->first_line[level] = lines;
        for (k = 0; k < less_count; k++) {
            combgpu__cells_relation *relation = &plan->relations[relations];
            int less = combgpu__cells_level_of(plan, less_than[k][0]);
            int greater = combgpu__cells_level_of(plan, less_than[k][1]);
            if ((less > greater ? less : greater) != level) continue;
            relation->less = less_than[k][0];
            relation->greater = less_than[k][1];
            if (less < level && relation->greater == plan->cell[level])
                relation->bound = 1;
            else if (greater < level && relation->less == plan->cell[level])
                relation->bound = 2;
            else if (less < level && plan->partner[relation->greater] == plan->cell[level])
                relation->bound = 3;
            else if (greater < level && plan->partner[relation->less] == plan->cell[level])
                relation->bound = 4;
            relations++;
        }
        for (k = 0; k < state->line_count && state->desc.kind == COMBGPU_MAGIC_BIMAGIC; k++) {
            int last = -1, at;
            for (i = 0; i < state->lines[k].length; i++) {
                at = combgpu__cells_level_of(plan, state->lines[k].cells[i]);
                if (at > last) last = at;
            }
            if (last == level) plan->lines[lines++] = k;
        }
    }
    plan->first_relation[level] = relations;
    plan->first_line[level] = lines;
}

/* Plans the search for a root: a cell that holds number 1, or -1. A square given in full has a
   level for its first cell. Returns 0 if no square can exist. */
COMBGPU__PRIVATE int combgpu__cells_linear_plan(const combgpu__magic_state *state, int root,
                                                combgpu__cells_system *system,
                                                combgpu__cells_linear *plan)
{
    int i;
    plan->numbers = state->cells;
    for (i = 0; i < state->cells; i++)
        plan->fixed[i] = i == root ? 1 : state->givens[i];
    do
        combgpu__cells_equations(state, plan->fixed, system);
    while (!system->impossible && combgpu__cells_fix(state, system, plan->fixed));
    if (system->impossible) return 0;
    plan->paired = system->paired && system->columns;
    for (i = 0; i < state->cells; i++)
        plan->partner[i] = plan->paired && system->partner[i] >= 0 ? system->partner[i] : i;
    if (system->columns) {
        combgpu__cells_choose_order(state, system);
        if (!combgpu__cells_levels(system, plan)) return 0;
    } else {
        plan->levels = 1;
        plan->only = plan->fixed[0];
        plan->fixed[0] = 0;
    }
    combgpu__cells_level_checks(state, root, plan);
    return 1;
}

/* Writes the roots of a search; returns their number. */
COMBGPU__PRIVATE int combgpu__cells_roots(const combgpu__magic_state *state, int *roots)
{
    int group = state->image_count * state->more_count, cell, g, count = 0;
    roots[0] = -1;
    if (state->more_count == 1) return 1;
    for (cell = 0; cell < state->cells && count < COMBGPU__LINEAR_ROOTS; cell++) {
        int first = !state->givens[cell]; /* the centre is given */
        for (g = 0; g < group; g++)
            first = first && combgpu__cells_group_image(state, g, cell) >= cell;
        if (first) roots[count++] = cell;
    }
    return count;
}

COMBGPU__PRIVATE combgpu_status combgpu__cells_linear_tables(combgpu_job *job)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    size_t room = (size_t)state->line_count * ((size_t)state->cells + 1) * sizeof(int64_t);
    combgpu__cells_system *system =
        (combgpu__cells_system *)combgpu__allocate(ctx, sizeof *system + 2 * room);
    combgpu__cells_linear *plan;
    combgpu_status status;
    int roots[COMBGPU__LINEAR_ROOTS], i, hopeless = state->hopeless;
    state->roots = combgpu__cells_roots(state, roots);
    state->less_count = 0; /* the plans have their own */
    if (!system) return combgpu__no_memory(ctx, sizeof *system + 2 * room);
    status = combgpu__job_tables(job, (size_t)state->roots * sizeof *plan / sizeof(uint32_t));
    plan = (combgpu__cells_linear *)(void *)combgpu__tables(job);
    for (i = 0; i < state->roots && !status && !hopeless; i++) {
        memset(system, 0, sizeof *system);
        system->base = (int64_t *)(void *)(system + 1);
        system->work = system->base + room / sizeof(int64_t);
        if (!combgpu__cells_linear_plan(state, roots[i], system, &plan[i])) state->hopeless = 1;
    }
    combgpu__release(ctx, system);
    return status;
}
