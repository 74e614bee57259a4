/* Checks descriptions of magic square searches. */

/* Returns the number that the caller gives a cell; 0 = free. */
COMBGPU__PRIVATE int combgpu__magic_given(const combgpu__magic_state *state, int cell)
{
    return state->givens[cell] ? state->number[state->givens[cell] - 1] : 0;
}

/* Writes the given cells of a line as "(row,column)=number ...". */
COMBGPU__PRIVATE void combgpu__magic_cells_text(const combgpu__magic_state *state,
                                                const combgpu__magic_line *line, char *text,
                                                size_t size)
{
    size_t at = 0;
    int i;
    text[0] = 0;
    for (i = 0; i < line->length; i++) {
        int cell = line->cells[i];
        if (state->givens[cell] && at < size)
            at += (size_t)snprintf(text + at, size - at, " (%d,%d)=%d", cell / state->order,
                                   cell % state->order, combgpu__magic_given(state, cell));
    }
}

/* Checks that no full line has a wrong sum and no other must exceed its sum. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_lines(combgpu_context *ctx,
                                                           const combgpu__magic_state *state)
{
    int64_t all_squares = 0, wanted, found;
    char cells[160];
    int k, i;
    for (i = 0; i < state->cells && state->desc.kind == COMBGPU_MAGIC_BIMAGIC; i++)
        all_squares += (int64_t)state->number[i] * state->number[i];
    for (k = 0; k < state->line_count; k++) {
        const combgpu__magic_line *line = &state->lines[k];
        int64_t sum = 0, squares = 0;
        int free_cells = 0, wrong_squares;
        char least[48] = "";
        for (i = 0; i < line->length; i++) {
            int64_t number = combgpu__magic_given(state, line->cells[i]);
            sum += number;
            squares += number * number;
            if (!state->givens[line->cells[i]]) sum += state->number[free_cells++];
        }
        wrong_squares = sum == line->sum && all_squares && squares * state->order != all_squares;
        if (free_cells ? sum <= line->sum : sum == line->sum && !wrong_squares) continue;
        combgpu__magic_cells_text(state, line, cells, sizeof cells);
        wanted = wrong_squares ? all_squares / state->order : line->sum;
        found = wrong_squares ? squares : sum;
        if (free_cells)
            snprintf(least, sizeof least, " at least, with %d cell%s free,", free_cells,
                     free_cells > 1 ? "s" : "");
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.givens: %s%s %d add%s up to%s %lld and must add up to %lld:%s (rows and "
            "columns from 0)",
            wrong_squares ? "the squares of " : "", line->name, line->number,
            wrong_squares ? "" : "s", least, (long long)found, (long long)wanted, cells);
    }
    return COMBGPU_OK;
}

/* Returns the rank of a number, or 0 if it is not one of the `count` numbers. */
COMBGPU__PRIVATE int combgpu__magic_rank_of(const int *numbers, int count, int64_t number)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && numbers[low] == number ? low + 1 : 0;
}

COMBGPU__COLD_BEGIN
/* Sorts the numbers into the state and sets the sum of a line. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_numbers(combgpu_context *ctx,
                                                             const combgpu_magic_desc *desc,
                                                             combgpu__magic_state *state)
{
    int64_t total = 0;
    int i, k;
    if (desc->sum && !desc->numbers)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.sum is %d, but desc.numbers is NULL; it may be 0", desc->sum);
    for (i = 0; i < state->cells; i++) {
        int number = desc->numbers ? desc->numbers[i] : i + 1;
        if (number < -COMBGPU__MAGIC_MOST_NUMBER || number > COMBGPU__MAGIC_MOST_NUMBER)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.numbers[%d] is %d; it may be %d to %d", i, number,
                                 -COMBGPU__MAGIC_MOST_NUMBER, COMBGPU__MAGIC_MOST_NUMBER);
        for (k = i; k && state->number[k - 1] > number; k--)
            state->number[k] = state->number[k - 1];
        if (k && state->number[k - 1] == number)
            return combgpu__fail(
                ctx, COMBGPU_INVALID_ARGUMENT,
                "desc.numbers[%d] is %d, and so is an earlier one; they must differ", i, number);
        state->number[k] = number;
        total += number;
    }
    if (total % state->order)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.numbers add up to %lld, not a multiple of desc.order, %d: "
                             "no line sum exists",
                             (long long)total, state->order);
    state->sum = (int)(total / state->order);
    if (desc->sum && desc->sum != state->sum)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.sum is %d; the rows hold all the numbers, so it must be %d, or 0", desc->sum,
            state->sum);
    return COMBGPU_OK;
}

/* Copies the givens to the state, as ranks. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_givens(combgpu_context *ctx,
                                                            const combgpu_magic_desc *desc,
                                                            combgpu__magic_state *state)
{
    int i, k, n = state->order, rank;
    char range[24] = "one of desc.numbers";
    if (!desc->numbers) snprintf(range, sizeof range, "1 to %d", state->cells);
    for (i = 0; i < state->cells && desc->givens; i++) {
        if (!desc->givens[i]) continue;
        rank = combgpu__magic_rank_of(state->number, state->cells, desc->givens[i]);
        if (!rank)
            return combgpu__fail(
                ctx, COMBGPU_INVALID_ARGUMENT,
                "desc.givens[%d] (row %d, column %d, from 0) is %d; it may be 0 (free) "
                "or %s",
                i, i / n, i % n, desc->givens[i], range);
        for (k = 0; k < i; k++)
            if (state->givens[k] == rank)
                return combgpu__fail(
                    ctx, COMBGPU_INVALID_ARGUMENT,
                    "desc.givens[%d] (row %d, column %d, from 0) and desc.givens[%d] (row "
                    "%d, column %d) are both %d; a number stands once in a square",
                    k, k / n, k % n, i, i / n, i % n, desc->givens[i]);
        state->givens[i] = rank;
        state->given_count++;
    }
    return COMBGPU_OK;
}

/* Sets the centre of associative squares of odd order, which their kind fixes. */
COMBGPU__PRIVATE void combgpu__magic_give_centre(combgpu__magic_state *state)
{
    const combgpu__magic_line *last = &state->lines[state->line_count - 1];
    int centre = state->cells / 2, i, rank;
    if (last->length > 1 || state->givens[centre]) return;
    rank = combgpu__magic_rank_of(state->number, state->cells, last->sum);
    for (i = 0; i < state->cells; i++)
        if (state->givens[i] == rank) rank = 0; /* the number is in another cell */
    if (!rank) state->hopeless = 1;
    state->givens[centre] = rank;
    state->given_count += rank != 0;
}

COMBGPU__PRIVATE int combgpu__magic_evenly_spaced(const combgpu__magic_state *state)
{
    int64_t step = (int64_t)state->number[1] - state->number[0];
    int i;
    for (i = 1; i < state->cells; i++)
        if ((int64_t)state->number[i] - state->number[i - 1] != step) return 0;
    return 1;
}

#define COMBGPU__GIVEN_MOST 3 /* numbers on the diagonals, without the centre */

/* Returns whether the join counts with these givens (five/join_given.c). */
COMBGPU__PRIVATE int combgpu__magic_given_fits(const combgpu__magic_state *state)
{
    int i, on = 0;
    if (state->order != 5 || state->desc.kind != COMBGPU_MAGIC_NORMAL || state->desc.solution ||
        state->desc.checksum)
        return 0;
    for (i = 0; i < 25; i++) {
        int diagonal = i / 5 == i % 5 || i / 5 + i % 5 == 4;
        if (!state->givens[i] || i == 12) continue;
        if (!diagonal) return 0;
        on++;
    }
    return on >= 1 && on <= COMBGPU__GIVEN_MOST;
}

COMBGPU__PRIVATE combgpu__magic_method combgpu__magic_method_of(const combgpu__magic_state *state)
{
    int normal = state->desc.kind == COMBGPU_MAGIC_NORMAL;
    if (state->order == 7 && state->desc.kind == COMBGPU_MAGIC_ULTRAMAGIC &&
        state->given_count == 1 && state->givens[24])
        return COMBGPU__MAGIC_ULTRA;
    if (state->order == 7 && state->desc.kind == COMBGPU_MAGIC_ASSOCIATIVE &&
        state->given_count == 1 && state->givens[24] && !state->desc.solution &&
        !state->desc.limit && !state->desc.checksum)
        return COMBGPU__MAGIC_PARTS;
    if (!combgpu__magic_evenly_spaced(state)) return COMBGPU__MAGIC_NUMBERS;
    if (state->order > 6 || state->desc.kind >= COMBGPU_MAGIC_MOST_PERFECT)
        return COMBGPU__MAGIC_LINEAR;
    if (state->order == 5 && normal && state->given_count == (state->givens[12] != 0))
        return state->desc.checksum && !state->desc.solution ? COMBGPU__MAGIC_LIST
                                                             : COMBGPU__MAGIC_JOIN;
    if (combgpu__magic_given_fits(state)) return COMBGPU__MAGIC_GIVEN;
    if (state->order == 4 && normal && !state->given_count) return COMBGPU__MAGIC_FOUR;

    if (state->order == 5 && state->desc.kind == COMBGPU_MAGIC_SEMI && !state->given_count &&
        !state->desc.solution)
        return COMBGPU__MAGIC_SEMIS;
    return COMBGPU__MAGIC_SEARCH;
}

/* Checks a description and fills a zeroed state with it. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_validate(combgpu_context *ctx,
                                                        const combgpu_magic_desc *desc,
                                                        combgpu__magic_state *state)
{
    combgpu_status status;
    int i;
    int most = desc->numbers ? 5 : 10;
    if (desc->order < 1 || desc->order > most)
        return combgpu__fail(ctx, desc->order < 1 ? COMBGPU_INVALID_ARGUMENT : COMBGPU_UNSUPPORTED,
                             "desc.order is %d; %s may be 1 to %d", desc->order,
                             desc->numbers ? "with desc.numbers it" : "it", most);
    if ((int)desc->kind < 0 || (int)desc->kind > COMBGPU_MAGIC_FRANKLIN)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.kind is %d; it may be 0 (normal), 1 (semi-magic), 2 (pandiagonal), 3 "
            "(associative), 4 (ultramagic), 5 (bimagic), 6 (most-perfect), 7 (Franklin)",
            (int)desc->kind);
    state->desc = *desc;
    state->order = desc->order;
    state->cells = desc->order * desc->order;
    /* no square of order 4k+2 is pandiagonal or associative (C. Planck 1919) */
    state->hopeless = state->order % 4 == 2 && desc->kind >= COMBGPU_MAGIC_PANDIAGONAL &&
                      desc->kind <= COMBGPU_MAGIC_ULTRAMAGIC;
    if (desc->kind >= COMBGPU_MAGIC_MOST_PERFECT && state->order % 4) state->hopeless = 1;
    status = combgpu__magic_check_numbers(ctx, desc, state);
    if (!status) status = combgpu__magic_check_givens(ctx, desc, state);
    if (status) return status;
    combgpu__magic_lines(state);
    status = combgpu__magic_check_lines(ctx, state);
    if (status) return status;
    combgpu__magic_give_centre(state);
    combgpu__magic_symmetry(state);
    combgpu__magic_linear_maps(state);
    state->method = combgpu__magic_method_of(state);
    if (state->method == COMBGPU__MAGIC_NUMBERS && desc->kind == COMBGPU_MAGIC_BIMAGIC)
        return combgpu__fail(
            ctx, COMBGPU_UNSUPPORTED,
            "desc.kind is 5 (bimagic), which desc.numbers do not support unless they "
            "are evenly spaced");
    for (i = 0; i < state->line_count && state->method != COMBGPU__MAGIC_NUMBERS; i++)
        state->lines[i].sum = state->lines[i].length * (state->cells + 1) / 2; /* of ranks */
    return COMBGPU_OK;
}
COMBGPU__COLD_END
