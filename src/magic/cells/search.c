/* The search over cells for magic squares: plan, stack, frontier and C solver (tables:
   layout.h). */

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE int combgpu__cells_line_has(const combgpu__magic_line *line, int cell)
{
    int i;
    for (i = 0; i < line->length; i++)
        if (line->cells[i] == cell) return 1;
    return 0;
}

/* Returns how many cells of a line, other than `cell`, have position `from` or a later one (255 =
   none yet). */
COMBGPU__PRIVATE int combgpu__cells_open(const combgpu__magic_state *state,
                                         const combgpu__magic_line *line, int from, int cell)
{
    int i, count = 0;
    for (i = 0; i < line->length; i++)
        count += line->cells[i] != cell && state->position[line->cells[i]] >= from;
    return count;
}

/* Returns the best cell to choose next: one on many lines with few free cells. */
COMBGPU__PRIVATE int combgpu__cells_next_cell(const combgpu__magic_state *state)
{
    static const int weight[6] = {0, 16, 8, 4, 2, 1}; /* by cells that stay free */
    int best = -1, most = -1, cell, k;
    for (cell = 0; cell < state->cells; cell++) {
        int score = 0;
        if (state->position[cell] != 255) continue;
        for (k = 0; k < state->line_count; k++)
            if (combgpu__cells_line_has(&state->lines[k], cell))
                score += weight[combgpu__cells_open(state, &state->lines[k], 255, cell)];
        if (score > most) {
            most = score;
            best = cell;
        }
    }
    return best;
}

/* Orders the cells: given cells, then levels. The last given cell begins level 0, so the search
   also finds what follows from the givens. All levels have room: each row's last cell in the order
   begins none, and 36 - 6 + 1 < 32. */
COMBGPU__PRIVATE void combgpu__cells_plan(combgpu__magic_state *state)
{
    int count = 0, i, k, cell;
    memset(state->position, 255, sizeof state->position);
    for (i = 0; i < state->cells; i++)
        if (state->givens[i]) {
            state->position[i] = (unsigned char)count;
            state->cell[count++] = (unsigned char)i;
        }
    if (count) state->start[state->levels++] = count - 1;
    while (count < state->cells) {
        for (k = 0, cell = -1; k < state->line_count && cell < 0; k++)
            if (combgpu__cells_open(state, &state->lines[k], 255, -1) == 1)
                for (i = 0; i < state->lines[k].length; i++)
                    if (state->position[state->lines[k].cells[i]] == 255)
                        cell = state->lines[k].cells[i];
        if (cell < 0) {
            state->start[state->levels++] = count;
            cell = combgpu__cells_next_cell(state);
        }
        state->position[cell] = (unsigned char)count;
        state->cell[count++] = (unsigned char)cell;
    }
    state->start[state->levels] = count;
}

/* Makes the words of a line at a position; returns their number. */
COMBGPU__PRIVATE uint32_t combgpu__cells_line_words(const combgpu__magic_state *state,
                                                    const combgpu__magic_line *line, int position,
                                                    uint32_t *words)
{
    uint32_t bytes[12] = {0}, i, numbers = state->method == COMBGPU__MAGIC_NUMBERS;
    uint32_t at = numbers ? 4 : 1, end = numbers ? 12 : 6;
    int k;
    for (i = 0; i < at; i++)
        bytes[i] = (uint32_t)line->sum >> 8 * i & 255;
    for (k = 0; k < line->length; k++)
        if (state->position[line->cells[k]] < position)
            bytes[at++] = state->position[line->cells[k]];
    while (at < end)
        bytes[at++] = (uint32_t)state->cells;
    for (i = 0; i < 2 + numbers; i++)
        words[i] =
            bytes[4 * i] | bytes[4 * i + 1] << 8 | bytes[4 * i + 2] << 16 | bytes[4 * i + 3] << 24;
    return 2 + numbers;
}

/* Writes a position's entry; returns the index after it. */
COMBGPU__PRIVATE uint32_t combgpu__cells_entry(const combgpu__magic_state *state, int position,
                                               int begins_level, uint32_t *tables, uint32_t at)
{
    int cell = state->cell[position], greater, k, numbers = state->method == COMBGPU__MAGIC_NUMBERS;
    uint32_t *head = &tables[at++];
    *head = (uint32_t)cell;
    if (position < state->given_count && !numbers) return at;
    for (k = 0; k < state->line_count; k++)
        if (combgpu__cells_line_has(&state->lines[k], cell) &&
            combgpu__cells_open(state, &state->lines[k], position + 1, -1) ==
                (begins_level && !numbers)) {
            at += combgpu__cells_line_words(state, &state->lines[k], position, &tables[at]);
            *head += 1u << 8;
        }
    for (k = 0; k < state->less_count; k++)
        for (greater = 0; greater < 2; greater++) {
            int other = state->position[state->less[k][!greater]];
            if (state->less[k][greater] != cell || other > position) continue;
            tables[at++] = (uint32_t)(other + 256 * greater);
            *head += 1u << 16;
        }
    return at;
}

COMBGPU__PRIVATE combgpu_status combgpu__cells_search_tables(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    int numbers = state->method == COMBGPU__MAGIC_NUMBERS, p, level = 0;
    combgpu_status status =
        combgpu__job_tables(job, numbers ? COMBGPU__RANKS_AT_WORDS : COMBGPU__SEARCH_AT_WORDS);
    uint32_t at = numbers ? COMBGPU__RANKS_AT_FIRST : COMBGPU__SEARCH_AT_FIRST, *start, *entry;
    if (status) return status;
    combgpu__tables(job)[COMBGPU__SEARCH_AT_CELLS] = (uint32_t)state->cells;
    combgpu__tables(job)[COMBGPU__SEARCH_AT_LEVELS] = (uint32_t)state->levels;
    if (!numbers)
        combgpu__tables(job)[COMBGPU__SEARCH_AT_SQUARES] = combgpu__magic_square_sum(state);
    start = combgpu__tables(job) + (numbers ? COMBGPU__RANKS_AT_START : COMBGPU__SEARCH_AT_START);
    entry = combgpu__tables(job) + (numbers ? COMBGPU__RANKS_AT_ENTRY : COMBGPU__SEARCH_AT_ENTRY);
    for (p = 0; p <= state->levels; p++)
        start[p] = (uint32_t)state->start[p];
    for (p = 0; p < state->cells; p++) {
        int begins = p == state->start[level];
        level += begins;
        if (numbers)
            combgpu__tables(job)[COMBGPU__RANKS_AT_NUMBER + p] = (uint32_t)state->number[p];
        entry[p] = at;
        at = combgpu__cells_entry(state, p, begins, combgpu__tables(job), at);
    }
    return COMBGPU_OK;
}
COMBGPU__COLD_END

/* ---- the stack, used by the C solver and by the frontier */

/* Sets of numbers (or ranks) have bit v for number v; the mirror of a set has bit cells + 1 - v. */
typedef struct combgpu__cells_stack {
    const uint32_t *tables, *start, *entry;     /* start: by level; entry: by position */
    const int *numbers;                         /* NUMBERS: by rank - 1. NULL = 1 .. n*n */
    int cells, levels, head;                    /* head: words before the numbers of a task */
    int values[COMBGPU__MAGIC_CELLS + 4];       /* what lines sum, by position; [cells] is 0 */
    unsigned char chosen[COMBGPU__MAGIC_CELLS]; /* numbers or ranks, by position */
    uint64_t unused[COMBGPU__MAGIC_LEVELS], mirror[COMBGPU__MAGIC_LEVELS]; /* before the level */
    uint64_t mask[COMBGPU__MAGIC_LEVELS]; /* still to try in the level's first cell */
} combgpu__cells_stack;

COMBGPU__PRIVATE void combgpu__cells_stack_start(combgpu__cells_stack *stack,
                                                 const combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    const uint32_t *tables = combgpu__tables(job);
    int numbers = state->method == COMBGPU__MAGIC_NUMBERS;
    memset(stack, 0, sizeof *stack);
    stack->tables = tables;
    stack->start = tables + (numbers ? COMBGPU__RANKS_AT_START : COMBGPU__SEARCH_AT_START);
    stack->entry = tables + (numbers ? COMBGPU__RANKS_AT_ENTRY : COMBGPU__SEARCH_AT_ENTRY);
    stack->numbers = numbers ? state->number : NULL;
    stack->head = numbers ? 2 : 3;
    stack->cells = state->cells;
    stack->levels = state->levels;
}

/* Returns what is left of a line's sum. */
COMBGPU__PRIVATE int combgpu__cells_rest(const combgpu__cells_stack *stack, const uint32_t *line)
{
    const int *values = stack->values;
    return (int)(line[0] & 255) - values[line[0] >> 8 & 255] - values[line[0] >> 16 & 255] -
           values[line[0] >> 24] - values[line[1] & 255] - values[line[1] >> 8 & 255];
}

/* Returns bits low .. high, of 0 .. 62. */
COMBGPU__PRIVATE uint64_t combgpu__cells_bits(int low, int high)
{
    return low > high ? 0 : ((UINT64_C(2) << high) - 1) & ~((UINT64_C(1) << low) - 1);
}

/* Returns the numbers v for which rest - v is another unused number. */
COMBGPU__PRIVATE uint64_t combgpu__cells_partners(uint64_t mirror, int cells, int rest)
{
    int shift = cells + 1 - rest; /* rest - v is bit v + shift of the mirror */
    uint64_t partners;
    if (rest < 3 || rest > 2 * cells - 1) return 0;
    partners = shift >= 0 ? mirror >> shift : mirror << -shift;
    return rest & 1 ? partners : partners & ~(UINT64_C(1) << rest / 2);
}

/* Returns whether the sum of squares is right in a line that `number` completes. */
COMBGPU__PRIVATE int combgpu__cells_squares(const combgpu__cells_stack *stack, const uint32_t *line,
                                            int number)
{
    const int *values = stack->values;
    int sum = (int)stack->tables[COMBGPU__SEARCH_AT_SQUARES], i;
    if (!sum) return 1;
    for (i = 1; i < 6; i++) {
        int value = values[line[i / 4] >> 8 * (i % 4) & 255];
        sum -= value * value;
    }
    return sum == number * number;
}

/* Returns the numbers to try in a level's first cell: those that leave every line possible. */
COMBGPU__PRIVATE uint64_t combgpu__cells_candidates(const combgpu__cells_stack *stack, int level)
{
    const uint32_t *at = stack->tables + stack->entry[stack->start[level]];
    uint32_t head = *at++, k;
    uint64_t mask = stack->unused[level];
    for (k = head >> 8 & 255; k; k--, at += 2)
        mask &= combgpu__cells_partners(stack->mirror[level], stack->cells,
                                        combgpu__cells_rest(stack, at));
    for (k = head >> 16; k; k--, at++) {
        int other = stack->values[*at & 255];
        mask &= *at & 256 ? combgpu__cells_bits(other + 1, 62) : combgpu__cells_bits(1, other - 1);
    }
    return mask;
}

/* Returns the number that must stand at a position, or 0 if none can. */
COMBGPU__PRIVATE int combgpu__cells_forced(const combgpu__cells_stack *stack, uint32_t position,
                                           uint64_t unused)
{
    const uint32_t *at = stack->tables + stack->entry[position];
    uint32_t head = *at++, k;
    int number = combgpu__cells_rest(stack, at);
    if (number < 1 || number > stack->cells || !(unused >> number & 1)) return 0;
    for (k = head >> 8 & 255; k; k--, at += 2)
        if (combgpu__cells_rest(stack, at) != number || !combgpu__cells_squares(stack, at, number))
            return 0;
    for (k = head >> 16; k; k--, at++) {
        int other = stack->values[*at & 255];
        if (*at & 256 ? number < other : number > other) return 0;
    }
    return number;
}

/* NUMBERS: returns what is left of a line's sum. */
COMBGPU__PRIVATE int64_t combgpu__cells_number_rest(const combgpu__cells_stack *stack,
                                                    const uint32_t *line)
{
    int64_t rest = (int32_t)line[0];
    int i;
    for (i = 0; i < 8; i++)
        rest -= stack->values[line[1 + i / 4] >> 8 * (i % 4) & 255];
    return rest;
}

/* NUMBERS: returns whether the value at a position keeps its lines and relations. */
COMBGPU__PRIVATE int combgpu__cells_number_fits(const combgpu__cells_stack *stack,
                                                uint32_t position)
{
    const uint32_t *at = stack->tables + stack->entry[position];
    uint32_t head = *at++, k;
    int value = stack->values[position];
    for (k = head >> 8 & 255; k; k--, at += 3)
        if (combgpu__cells_number_rest(stack, at) != value) return 0;
    for (k = head >> 16; k; k--, at++)
        if ((value > stack->values[*at & 255]) != ((*at & 256) != 0)) return 0;
    return 1;
}

/* NUMBERS: returns the rank that the first line of a position needs, or 0. */
COMBGPU__PRIVATE int combgpu__cells_number_forced(const combgpu__cells_stack *stack,
                                                  uint32_t position, uint64_t unused)
{
    const uint32_t *line = stack->tables + stack->entry[position] + 1;
    int rank = combgpu__magic_rank_of(stack->numbers, stack->cells,
                                      combgpu__cells_number_rest(stack, line));
    return unused >> rank & 1 ? rank : 0;
}

COMBGPU__PRIVATE void combgpu__cells_choose_number(combgpu__cells_stack *stack, uint32_t position,
                                                   int number, uint64_t *unused, uint64_t *mirror)
{
    stack->chosen[position] = (unsigned char)number;
    stack->values[position] = stack->numbers ? stack->numbers[number - 1] : number;
    *unused &= ~(UINT64_C(1) << number);
    *mirror &= ~(UINT64_C(1) << (stack->cells + 1 - number));
}

/* Puts `number` into the level's first cell and fills the cells that follow. Returns 0 if
   impossible, 1 if the next level is ready, 2 if the square is full. */
COMBGPU__PRIVATE int combgpu__cells_enter(combgpu__cells_stack *stack, int level, int number)
{
    uint64_t unused = stack->unused[level], mirror = stack->mirror[level];
    uint32_t position = stack->start[level], end = stack->start[level + 1];
    for (;;) {
        combgpu__cells_choose_number(stack, position, number, &unused, &mirror);
        if (stack->numbers && !combgpu__cells_number_fits(stack, position)) return 0;
        if (++position == end) break;
        number = stack->numbers ? combgpu__cells_number_forced(stack, position, unused)
                                : combgpu__cells_forced(stack, position, unused);
        if (!number) return 0;
    }
    if (level + 1 == stack->levels) return 2;
    stack->unused[level + 1] = unused;
    stack->mirror[level + 1] = mirror;
    stack->mask[level + 1] = stack->numbers ? unused : combgpu__cells_candidates(stack, level + 1);
    return 1;
}

/* A task: level, mask as two words (NUMBERS: one), then the numbers of the positions before the
   level, four in a word. */
COMBGPU__PRIVATE void combgpu__cells_store(const combgpu__cells_stack *stack, int level,
                                           uint64_t mask, uint32_t task_words, uint32_t *task)
{
    uint32_t *numbers = task + stack->head, p;
    memset(task, 0, task_words * sizeof *task);
    task[0] = (uint32_t)level;
    combgpu__put64(task + 1, mask); /* with a one-word mask the second word is 0 */
    for (p = 0; p < stack->start[level]; p++)
        numbers[p / 4] |= (uint32_t)stack->chosen[p] << 8 * (p % 4);
}

/* Loads a task into the stack; returns its level. */
COMBGPU__PRIVATE int combgpu__cells_load(combgpu__cells_stack *stack, const uint32_t *task)
{
    const uint32_t *numbers = task + stack->head;
    int level = (int)task[0];
    uint64_t unused = combgpu__cells_bits(1, stack->cells), mirror = unused;
    uint32_t p;
    for (p = 0; p < stack->start[level]; p++)
        combgpu__cells_choose_number(stack, p, (int)(numbers[p / 4] >> 8 * (p % 4) & 255), &unused,
                                     &mirror);
    stack->unused[level] = unused;
    stack->mirror[level] = mirror;
    stack->mask[level] = stack->head == 3 ? combgpu__get64(task + 1) : task[1];
    return level;
}

/* Returns the next number to try at a level. In order 6, and in order 5 without diagonals
   (semi-magic, with more levels), each level begins with another number: a search without givens
   stops at a limit, and a row filled with the least numbers stays fruitless for ages. */
COMBGPU__PRIVATE int combgpu__cells_pick(const combgpu__cells_stack *stack, int level)
{
    uint64_t mask = stack->mask[level], from;
    if (stack->cells < 36 && stack->levels < COMBGPU__MAGIC_SPREAD)
        return combgpu__lowest_bit64(mask);
    from = mask & UINT64_MAX << (1 + (11 + 23 * level) % stack->cells);
    return combgpu__lowest_bit64(from ? from : mask);
}

/* ---- frontier */

COMBGPU__COLD_BEGIN
/* Sets a stack to the beginning of the job's search. */
COMBGPU__PRIVATE void combgpu__cells_root(const combgpu_job *job, combgpu__cells_stack *stack)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    uint32_t task[COMBGPU__MAGIC_TASK] = {0};
    uint64_t mask = combgpu__cells_bits(1, state->cells);
    int p;
    combgpu__cells_stack_start(stack, job);
    if (state->given_count) mask = UINT64_C(1) << state->givens[state->cell[state->start[0]]];
    combgpu__put64(task + 1, mask);
    for (p = 0; p < state->start[0]; p++)
        task[stack->head + p / 4] |= (uint32_t)state->givens[state->cell[p]] << 8 * (p % 4);
    combgpu__cells_load(stack, task);
}

/* Counts the nodes at `depth` below a level, or pushes them as tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__cells_walk(combgpu_job *job, combgpu__cells_stack *stack,
                                                    int level, int depth, int push, uint64_t *count)
{
    uint32_t task[COMBGPU__MAGIC_TASK];
    combgpu_status status = COMBGPU_OK;
    if (level == depth) {
        ++*count;
        if (!push) return COMBGPU_OK;
        combgpu__cells_store(stack, level, stack->mask[level], combgpu__desc(job)->task_words,
                             task);
        return combgpu__push(job, task);
    }
    while (stack->mask[level] && !status) {
        int number = combgpu__cells_pick(stack, level);
        stack->mask[level] &= ~(UINT64_C(1) << number);
        if (combgpu__cells_enter(stack, level, number) == 1 && stack->mask[level + 1])
            status = combgpu__cells_walk(job, stack, level + 1, depth, push, count);
    }
    return status;
}

/* Pushes all nodes of the first depth with enough of them. */
COMBGPU__PRIVATE combgpu_status combgpu__cells_search_frontier(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    combgpu__cells_stack stack;
    uint64_t count = 1;
    int depth = 0;
    if (state->hopeless) return COMBGPU_OK;
    while (depth < state->levels - 1 && count && count < COMBGPU__MAGIC_FRONTIER) {
        count = 0;
        depth++;
        combgpu__cells_root(job, &stack);
        combgpu__cells_walk(job, &stack, 0, depth, 0, &count);
    }
    combgpu__cells_root(job, &stack);
    return combgpu__cells_walk(job, &stack, 0, depth, 1, &count);
}

/* Returns whether the numbers of a task lead from the root to its level. */
COMBGPU__PRIVATE int combgpu__cells_search_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    uint32_t copy[COMBGPU__MAGIC_TASK];
    combgpu__cells_stack stack;
    uint64_t mask;
    int level;
    if (state->hopeless || task[0] >= (uint32_t)state->levels) return 0;
    combgpu__cells_root(job, &stack);
    for (level = 0; level < (int)task[0]; level++) {
        int p = state->start[level];
        uint32_t number = task[stack.head + p / 4] >> 8 * (p % 4) & 255;
        if (number > 62 || !(stack.mask[level] >> number & 1)) return 0;
        if (combgpu__cells_enter(&stack, level, (int)number) != 1) return 0;
    }
    mask = stack.head == 3 ? combgpu__get64(task + 1) : task[1];
    combgpu__cells_store(&stack, level, mask, combgpu__desc(job)->task_words, copy);
    return mask && !(mask & ~stack.mask[level]) &&
           !memcmp(copy, task, combgpu__desc(job)->task_words * sizeof(uint32_t));
}
COMBGPU__COLD_END

/* ---- C solver */

/* Emits the full square: its numbers cell by cell, four in a word. */
COMBGPU__PRIVATE int combgpu__cells_emit(combgpu__worker *worker, const combgpu__cells_stack *stack)
{
    uint32_t record[COMBGPU__MAGIC_CELLS / 4] = {0};
    int p;
    for (p = 0; p < stack->cells; p++) {
        uint32_t cell = stack->tables[stack->entry[p]] & 255;
        record[cell / 4] |= (uint32_t)stack->chosen[p] << 8 * (cell % 4);
    }
    return combgpu__emit(worker, record);
}

/* Works on a task until it or the slice ends. */
COMBGPU__PRIVATE void combgpu__cells_search_task(combgpu__worker *worker,
                                                 combgpu__cells_stack *stack, const uint32_t *task)
{
    uint32_t left[COMBGPU__MAGIC_TASK];
    int bottom = combgpu__cells_load(stack, task), level = bottom, number, found;
    while (level >= bottom) {
        uint64_t mask = stack->mask[level];
        if (!mask) {
            level--;
            continue;
        }
        if (combgpu__spent(worker)) break;
        number = combgpu__cells_pick(stack, level);
        stack->mask[level] = mask & ~(UINT64_C(1) << number);
        found = combgpu__cells_enter(stack, level, number);
        if (found == 2 && !combgpu__cells_emit(worker, stack)) {
            stack->mask[level] = mask; /* not counted: the number is tried again */
            break;
        }
        worker->totals[0]++;
        level += found == 1;
    }
    for (; level >= bottom; level--)
        if (stack->mask[level]) {
            combgpu__cells_store(stack, level, stack->mask[level], worker->slice->task_words, left);
            combgpu__give(worker, left);
        }
}

COMBGPU__PRIVATE void combgpu__cells_search_solve(combgpu__worker *worker)
{
    combgpu__cells_stack stack;
    const uint32_t *task;
    combgpu__cells_stack_start(&stack, worker->job);
    while ((task = combgpu__take(worker)) != NULL)
        combgpu__cells_search_task(worker, &stack, task);
}
