/* The linear search for magic squares: stack, frontier and C solver. It runs on the CPU alone. */

/* Sets of numbers have bit v for number v, 1 to 100; the mirror of a set has bit n*n + 1 - v. */
typedef struct combgpu__cells_set {
    uint64_t low, high;
} combgpu__cells_set;

typedef struct combgpu__cells_linear_stack {
    const combgpu__cells_linear *plan;
    const combgpu__magic_state *state;
    int root;
    int value[COMBGPU__MAGIC_CELLS];  /* of cells */
    int chosen[COMBGPU__MAGIC_CELLS]; /* of levels */
    int rest[COMBGPU__MAGIC_CELLS];   /* of followers: all but the part of their own level */
    int ahead[COMBGPU__MAGIC_CELLS];  /* of the next level's: without the part of this level, too */
    combgpu__cells_set unused[COMBGPU__MAGIC_CELLS],
        mirror[COMBGPU__MAGIC_CELLS];              /* before the level */
    combgpu__cells_set mask[COMBGPU__MAGIC_CELLS]; /* still to try */
} combgpu__cells_linear_stack;

/* A task: level | root << 8, mask, then the chosen numbers of the levels before, a byte each. */
#define COMBGPU__LINEAR_TASK (5 + COMBGPU__MAGIC_CELLS / 4)

/* Squares of up to 63 numbers need only the low words of sets: `wide` is a constant 0 there. */

COMBGPU__INLINE int combgpu__cells_has(const combgpu__cells_set *set, int v, int wide)
{
    return (int)((wide && v > 63 ? set->high >> (v - 64) : set->low >> v) & 1);
}

COMBGPU__INLINE void combgpu__cells_drop(combgpu__cells_set *set, int v, int wide)
{
    if (wide && v > 63)
        set->high &= ~(UINT64_C(1) << (v - 64));
    else
        set->low &= ~(UINT64_C(1) << v);
}

/* Keeps the members v of a set for which v + shift is in the other one. */
COMBGPU__INLINE void combgpu__cells_keep(combgpu__cells_set *set, combgpu__cells_set other,
                                         int shift, int wide)
{
    if (!wide) {
        set->low &= shift > 63 || shift < -63 ? 0
                    : shift >= 0              ? other.low >> shift
                                              : other.low << -shift;
        return;
    }
    if (shift >= 64 || shift <= -64) {
        uint32_t rest = (uint32_t)(shift > 0 ? shift : -shift) - 64;
        uint64_t moved = rest > 63 ? 0 : shift > 0 ? other.high >> rest : other.low << rest;
        set->low &= shift > 0 ? moved : 0;
        set->high &= shift > 0 ? 0 : moved;
    } else if (shift > 0) {
        set->low &= other.low >> shift | other.high << (64 - shift);
        set->high &= other.high >> shift;
    } else if (shift < 0) {
        set->high &= other.high << -shift | other.low >> (64 + shift);
        set->low &= other.low << -shift;
    } else {
        set->low &= other.low;
        set->high &= other.high;
    }
}

/* Returns the set of low .. high, 1 to 127. */
COMBGPU__PRIVATE combgpu__cells_set combgpu__cells_interval(int low, int high)
{
    combgpu__cells_set set = {0, 0};
    if (low < 1) low = 1;
    if (high > 126) high = 126;
    if (low > high) return set;
    if (low < 64) set.low = UINT64_MAX << low;
    if (high < 63) set.low &= (UINT64_C(2) << high) - 1;
    if (high > 63) set.high = (UINT64_C(2) << (high - 64)) - 1;
    if (low > 63) set.high &= UINT64_MAX << (low - 64);
    return set;
}

/* Keeps the numbers that the inequalities leave for a level's cell. */
COMBGPU__PRIVATE void combgpu__cells_bound(const combgpu__cells_linear_stack *stack, int level,
                                           combgpu__cells_set *mask)
{
    const combgpu__cells_linear *plan = stack->plan;
    int i, all = plan->numbers + 1, low = 1, high = plan->numbers, x;
    combgpu__cells_set set;
    for (i = plan->first_relation[level]; i < plan->first_relation[level + 1]; i++) {
        const combgpu__cells_relation *r = &plan->relations[i];
        int less = stack->value[r->less], greater = stack->value[r->greater];
        if (r->bound == 1 && less >= low) low = less + 1;
        if (r->bound == 2 && greater <= high) high = greater - 1;
        x = all - less;
        if (r->bound == 3 && x <= high) high = x - 1;
        x = all - greater;
        if (r->bound == 4 && x >= low) low = x + 1;
    }
    if (low == 1 && high == plan->numbers) return;
    set = combgpu__cells_interval(low, high);
    mask->low &= set.low;
    mask->high &= set.high;
}

/* Computes what is known of a level's followers, and the numbers to try: those that make each
   follower, taken alone, another unused number. */
COMBGPU__INLINE void combgpu__cells_open_level(combgpu__cells_linear_stack *stack, int level,
                                               int wide, int paired)
{
    const combgpu__cells_linear *plan = stack->plan;
    combgpu__cells_set mask = stack->unused[level];
    int i, k, before = level ? stack->chosen[level - 1] : 0;
    for (i = plan->first_follower[level]; i < plan->first_follower[level + 1]; i++) {
        const combgpu__cells_follower *f = &plan->followers[i];
        int rest = stack->ahead[i] + f->before * before;
        stack->rest[i] = rest;
        if (f->own != f->divisor && f->own != -f->divisor) continue;
        if (f->divisor != 1 && rest % f->divisor) { /* no number is whole */
            mask.low = mask.high = 0;
            break;
        }
        rest /= f->divisor;
        if (f->own > 0)
            combgpu__cells_keep(&mask, stack->unused[level], rest, wide);
        else /* rest - v is unused: bit v + n*n + 1 - rest of the mirror */
            combgpu__cells_keep(&mask, paired ? stack->unused[level] : stack->mirror[level],
                                plan->numbers + 1 - rest, wide);
    }
    stack->mask[level] = mask;
    if (!(mask.low | (wide ? mask.high : 0))) return;
    if (plan->first_relation[level] < plan->first_relation[level + 1])
        combgpu__cells_bound(stack, level, &stack->mask[level]);
    if (level + 1 == plan->levels) return;
    for (i = plan->first_follower[level + 1]; i < plan->first_follower[level + 2]; i++) {
        const combgpu__cells_follower *f = &plan->followers[i];
        int rest = f->constant;
        for (k = f->first; k < f->first + f->terms; k++)
            rest += plan->term[k] * stack->chosen[plan->term_level[k]];
        stack->ahead[i] = rest;
    }
}

/* Checks the inequalities and the lines that a level completes. */
COMBGPU__PRIVATE int combgpu__cells_level_fits(const combgpu__cells_linear_stack *stack, int level)
{
    const combgpu__cells_linear *plan = stack->plan;
    int i, k;
    for (i = plan->first_relation[level]; i < plan->first_relation[level + 1]; i++)
        if (stack->value[plan->relations[i].less] > stack->value[plan->relations[i].greater])
            return 0;
    for (i = plan->first_line[level]; i < plan->first_line[level + 1]; i++) {
        const combgpu__magic_line *line = &stack->state->lines[plan->lines[i]];
        uint32_t squares = 0;
        for (k = 0; k < line->length; k++)
            squares += (uint32_t)(stack->value[line->cells[k]] * stack->value[line->cells[k]]);
        if (squares != combgpu__magic_square_sum(stack->state)) return 0;
    }
    return 1;
}

/* Puts `number` into the level's cell and fills the cells that follow. Returns 0 if that is
   impossible, 1 if the next level is ready, 2 if the square is full. */
COMBGPU__INLINE int combgpu__cells_enter_level(combgpu__cells_linear_stack *stack, int level,
                                               int number, int wide, int paired)
{
    const combgpu__cells_linear *plan = stack->plan;
    combgpu__cells_set unused = stack->unused[level], mirror;
    int i, end = plan->first_follower[level + 1], all = plan->numbers + 1;
    combgpu__cells_drop(&unused, number, wide);
    if (paired) combgpu__cells_drop(&unused, all - number, wide);
    for (i = plan->first_follower[level]; i < end; i++) {
        const combgpu__cells_follower *f = &plan->followers[i];
        int follows = stack->rest[i] + f->own * number;
        if (f->divisor != 1) {
            if (follows % f->divisor) return 0;
            follows /= f->divisor;
        }
        if (follows < 1 || follows >= all || !combgpu__cells_has(&unused, follows, wide)) return 0;
        combgpu__cells_drop(&unused, follows, wide);
        if (paired) combgpu__cells_drop(&unused, all - follows, wide);
        stack->value[f->cell] = follows;
        if (paired) stack->value[plan->partner[f->cell]] = all - follows;
    }
    stack->chosen[level] = stack->value[plan->cell[level]] = number;
    if (paired) stack->value[plan->partner[plan->cell[level]]] = all - number;
    if ((plan->first_relation[level] < plan->first_relation[level + 1] ||
         plan->first_line[level] < plan->first_line[level + 1]) &&
        !combgpu__cells_level_fits(stack, level))
        return 0;
    if (level + 1 == plan->levels) return 2;
    stack->unused[level + 1] = unused;
    if (!paired) {
        mirror = stack->mirror[level];
        combgpu__cells_drop(&mirror, all - number, wide);
        for (i = plan->first_follower[level]; i < end; i++)
            combgpu__cells_drop(&mirror, all - stack->value[plan->followers[i].cell], wide);
        stack->mirror[level + 1] = mirror;
    }
    combgpu__cells_open_level(stack, level + 1, wide, paired);
    return 1;
}

/* The same for callers that need no speed. */
COMBGPU__PRIVATE int combgpu__cells_enter_any(combgpu__cells_linear_stack *stack, int level,
                                              int number)
{
    return combgpu__cells_enter_level(stack, level, number, 1, stack->plan->paired);
}

/* Returns the next number to try at a level. Levels begin with different numbers, since a row
   filled with the least numbers stays fruitless for ages. */
COMBGPU__INLINE int combgpu__cells_pick_number(const combgpu__cells_linear_stack *stack, int level,
                                               int wide)
{
    const combgpu__cells_set *mask = &stack->mask[level];
    int start = 1 + (11 + 23 * level) % stack->plan->numbers;
    uint64_t from;
    if (wide && start > 63) {
        from = mask->high & UINT64_MAX << (start - 64);
        if (from) return 64 + combgpu__lowest_bit64(from);
        return mask->low ? combgpu__lowest_bit64(mask->low)
                         : 64 + combgpu__lowest_bit64(mask->high);
    }
    from = mask->low & UINT64_MAX << start;
    if (from) return combgpu__lowest_bit64(from);
    if (wide && mask->high) return 64 + combgpu__lowest_bit64(mask->high);
    return combgpu__lowest_bit64(mask->low);
}

COMBGPU__INLINE int combgpu__cells_more(const combgpu__cells_set *set)
{
    return (set->low | set->high) != 0;
}

/* Sets a stack to the beginning of a plan. Only bimagic squares need the state. */
COMBGPU__PRIVATE void combgpu__cells_linear_start(combgpu__cells_linear_stack *stack,
                                                  const combgpu__magic_state *state,
                                                  const combgpu__cells_linear *plan, int root)
{
    int i;
    memset(stack, 0, sizeof *stack);
    stack->plan = plan;
    stack->root = root;
    stack->state = state;
    stack->unused[0] = stack->mirror[0] = combgpu__cells_interval(1, plan->numbers);
    for (i = 0; i < plan->numbers; i++) {
        stack->value[i] = plan->fixed[i];
        if (!plan->fixed[i]) continue;
        combgpu__cells_drop(&stack->unused[0], plan->fixed[i], 1);
        combgpu__cells_drop(&stack->mirror[0], plan->numbers + 1 - plan->fixed[i], 1);
    }
    for (i = 0; i < plan->first_follower[1]; i++) /* of level 0; of level 1 when it is opened */
        stack->ahead[i] = plan->followers[i].constant;
    combgpu__cells_open_level(stack, 0, 1, plan->paired);
    if (plan->only) stack->mask[0] = combgpu__cells_interval(plan->only, plan->only);
}

/* Sets a stack to the beginning of the job's search. */
COMBGPU__PRIVATE void combgpu__cells_linear_root(combgpu__cells_linear_stack *stack,
                                                 const combgpu_job *job, int root)
{
    combgpu__cells_linear_start(
        stack, (const combgpu__magic_state *)combgpu__state(job),
        (const combgpu__cells_linear *)(const void *)combgpu__tables(job) + root, root);
}

COMBGPU__PRIVATE void combgpu__cells_linear_store(const combgpu__cells_linear_stack *stack,
                                                  int level, uint32_t task_words, uint32_t *task)
{
    int i;
    memset(task, 0, task_words * sizeof *task);
    task[0] = (uint32_t)(level | stack->root << 8);
    combgpu__put64(task + 1, stack->mask[level].low);
    combgpu__put64(task + 3, stack->mask[level].high);
    for (i = 0; i < level; i++)
        task[5 + i / 4] |= (uint32_t)stack->chosen[i] << 8 * (i % 4);
}

/* Loads a task into a stack that was at the root before. Returns its level, or -1 if it is
   unreachable. */
COMBGPU__PRIVATE int combgpu__cells_linear_load(combgpu__cells_linear_stack *stack,
                                                const uint32_t *task)
{
    int level, end = (int)(task[0] & 255);
    combgpu__cells_set *mask;
    if (end >= stack->plan->levels) return -1;
    for (level = 0; level < end; level++) {
        int number = (int)(task[5 + level / 4] >> 8 * (level % 4) & 255);
        if (number < 1 || number > stack->plan->numbers ||
            !combgpu__cells_has(&stack->unused[level], number, 1) ||
            combgpu__cells_enter_any(stack, level, number) != 1)
            return -1;
    }
    mask = &stack->mask[end];
    if (combgpu__get64(task + 1) & ~mask->low || combgpu__get64(task + 3) & ~mask->high) return -1;
    mask->low = combgpu__get64(task + 1);
    mask->high = combgpu__get64(task + 3);
    return combgpu__cells_more(mask) ? end : -1;
}

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE int combgpu__cells_linear_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    combgpu__cells_linear_stack stack;
    uint32_t copy[COMBGPU__LINEAR_TASK], words = combgpu__desc(job)->task_words;
    int level;
    if (state->hopeless || task[0] >> 8 >= (uint32_t)state->roots) return 0;
    combgpu__cells_linear_root(&stack, job, (int)(task[0] >> 8));
    level = combgpu__cells_linear_load(&stack, task);
    if (level < 0) return 0;
    combgpu__cells_linear_store(&stack, level, words, copy);
    return !memcmp(copy, task, words * sizeof *task);
}

/* Counts the nodes at `depth`, or pushes them as tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__cells_linear_walk(combgpu_job *job,
                                                           combgpu__cells_linear_stack *stack,
                                                           int depth, int push, uint64_t *count)
{
    uint32_t task[COMBGPU__LINEAR_TASK];
    combgpu_status status = COMBGPU_OK;
    int level = 0;
    while (level >= 0 && !status) {
        int number;
        if (level == depth || !combgpu__cells_more(&stack->mask[level])) {
            *count += level == depth;
            if (level == depth && push) {
                combgpu__cells_linear_store(stack, level, combgpu__desc(job)->task_words, task);
                status = combgpu__push(job, task);
            }
            level--;
            continue;
        }
        number = combgpu__cells_pick_number(stack, level, 1);
        combgpu__cells_drop(&stack->mask[level], number, 1);
        if (combgpu__cells_enter_any(stack, level, number) == 1 &&
            combgpu__cells_more(&stack->mask[level + 1]))
            level++;
    }
    return status;
}

/* Pushes all nodes of the first depth with enough of them, root by root. */
COMBGPU__PRIVATE combgpu_status combgpu__cells_linear_frontier(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    combgpu__cells_linear_stack stack;
    combgpu_status status = COMBGPU_OK;
    int depth, root;
    for (root = 0; root < state->roots && !state->hopeless && !status; root++) {
        uint64_t count = 1;
        combgpu__cells_linear_root(&stack, job, root);
        for (depth = 0;
             depth < stack.plan->levels - 1 && count && count < COMBGPU__MAGIC_FRONTIER;) {
            count = 0;
            depth++;
            combgpu__cells_linear_root(&stack, job, root);
            combgpu__cells_linear_walk(job, &stack, depth, 0, &count);
        }
        combgpu__cells_linear_root(&stack, job, root);
        status = combgpu__cells_linear_walk(job, &stack, depth, 1, &count);
    }
    return status;
}
COMBGPU__COLD_END

COMBGPU__PRIVATE int combgpu__cells_linear_emit(combgpu__worker *worker,
                                                const combgpu__cells_linear_stack *stack)
{
    uint32_t record[COMBGPU__MAGIC_CELLS / 4] = {0};
    int i;
    for (i = 0; i < stack->plan->numbers; i++)
        record[i / 4] |= (uint32_t)stack->value[i] << 8 * (i % 4);
    return combgpu__emit(worker, record);
}

/* Works on a task until it or the slice ends. */
COMBGPU__INLINE void combgpu__cells_linear_task(combgpu__worker *worker,
                                                combgpu__cells_linear_stack *stack, int bottom,
                                                int wide, int paired)
{
    uint32_t left[COMBGPU__LINEAR_TASK];
    int level = bottom, number, found;
    while (level >= bottom) {
        combgpu__cells_set mask = stack->mask[level];
        if (!(mask.low | (wide ? mask.high : 0))) {
            level--;
            continue;
        }
        if (combgpu__spent(worker)) break;
        number = combgpu__cells_pick_number(stack, level, wide);
        combgpu__cells_drop(&stack->mask[level], number, wide);
        found = combgpu__cells_enter_level(stack, level, number, wide, paired);
        if (found == 2 && !combgpu__cells_linear_emit(worker, stack)) {
            stack->mask[level] = mask; /* not counted: the number is tried again */
            break;
        }
        worker->totals[0]++;
        level += found == 1;
    }
    for (; level >= bottom; level--)
        if (combgpu__cells_more(&stack->mask[level])) {
            combgpu__cells_linear_store(stack, level, worker->slice->task_words, left);
            combgpu__give(worker, left);
        }
}

COMBGPU__PRIVATE void combgpu__cells_linear_narrow(combgpu__worker *worker,
                                                   combgpu__cells_linear_stack *stack, int bottom)
{
    combgpu__cells_linear_task(worker, stack, bottom, 0, 0);
}

COMBGPU__PRIVATE void combgpu__cells_linear_pairs(combgpu__worker *worker,
                                                  combgpu__cells_linear_stack *stack, int bottom)
{
    combgpu__cells_linear_task(worker, stack, bottom, 0, 1);
}

COMBGPU__PRIVATE void combgpu__cells_linear_wide(combgpu__worker *worker,
                                                 combgpu__cells_linear_stack *stack, int bottom)
{
    combgpu__cells_linear_task(worker, stack, bottom, 1, stack->plan->paired);
}

COMBGPU__PRIVATE void combgpu__cells_linear_solve(combgpu__worker *worker)
{
    combgpu__cells_linear_stack stack;
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        int bottom;
        combgpu__cells_linear_root(&stack, worker->job, (int)(task[0] >> 8));
        bottom = combgpu__cells_linear_load(&stack, task);
        if (bottom < 0) continue; /* no such task is pushed or validated */
        if (stack.plan->numbers < 64 && stack.plan->paired)
            combgpu__cells_linear_pairs(worker, &stack, bottom);
        else if (stack.plan->numbers < 64)
            combgpu__cells_linear_narrow(worker, &stack, bottom);
        else
            combgpu__cells_linear_wide(worker, &stack, bottom);
    }
}
