/* Counts magic squares and delivers them class by class. */

COMBGPU__PRIVATE void combgpu__magic_swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

/* Brings a square into Frenicle form: swaps columns and rows until the smallest corner is top left,
   then transposes if needed so that the lesser of its neighbours is to its right. */
COMBGPU__PRIVATE void combgpu__magic_to_frenicle(int order, int *square)
{
    size_t n = (size_t)order, last = n * n - 1, corners[4], best = 0, i, j;
    corners[0] = 0, corners[1] = n - 1, corners[2] = last + 1 - n, corners[3] = last;
    for (i = 1; i < 4; i++)
        if (square[corners[i]] < square[corners[best]]) best = i;
    for (i = 0; i < n && best & 1; i++)
        for (j = 0; j < n / 2; j++)
            combgpu__magic_swap(&square[i * n + j], &square[i * n + n - 1 - j]);
    for (i = 0; i < n / 2 && best & 2; i++)
        for (j = 0; j < n; j++)
            combgpu__magic_swap(&square[i * n + j], &square[(n - 1 - i) * n + j]);
    if (n < 2 || square[1] <= square[n]) return;
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            combgpu__magic_swap(&square[i * n + j], &square[j * n + i]);
}

/* Orders of rows and columns that keep the diagonals: the M-group without D4. */
static const unsigned char combgpu__magic_m_order[2][4][5] = {
    {{0, 1, 2, 3}, {1, 0, 3, 2}, {0, 2, 1, 3}, {1, 3, 0, 2}},
    {{0, 1, 2, 3, 4}, {1, 0, 2, 4, 3}, {0, 3, 2, 1, 4}, {1, 4, 2, 0, 3}}};

/* Returns whether the M-group maps this job's squares to each other. */
COMBGPU__PRIVATE int combgpu__magic_has_m_group(const combgpu__magic_state *state)
{
    return state->order <= 5 && state->image_count == 8 &&
           state->desc.kind != COMBGPU_MAGIC_PANDIAGONAL &&
           state->desc.kind != COMBGPU_MAGIC_ULTRAMAGIC &&
           state->desc.kind != COMBGPU_MAGIC_MOST_PERFECT &&
           state->desc.kind != COMBGPU_MAGIC_FRANKLIN;
}

/* Makes image k of a square of order 4 or 5: 0 to 3 under the M-group, 4 to 7 the same of the
   complement. */
COMBGPU__PRIVATE void combgpu__magic_m_image(int n, const int *square, int k, int *image)
{
    const unsigned char *to = combgpu__magic_m_order[n - 4][k % 4];
    int i;
    for (i = 0; i < n * n; i++) {
        int number = square[n * to[i / n] + to[i % n]];
        image[i] = k < 4 ? number : n * n + 1 - number;
    }
}

/* Returns the first of the images that a square of `four` or `join` represents, and sets *end past
   the last. In order 5 the complement's images belong to them unless the centre is 13; with a given
   centre only the images that have it do. */
COMBGPU__PRIVATE int combgpu__magic_m_images(const combgpu__magic_state *state, const int *square,
                                             int *end)
{
    int given = state->order == 5 ? state->centre : 0;
    int only_complement = given && square[12] != given;
    *end = only_complement || (state->order == 5 && !given && square[12] != 13) ? 8 : 4;
    return only_complement ? 4 : 0;
}

/* Returns whether a Frenicle form is the least of its images under the M-group. */
COMBGPU__PRIVATE int combgpu__magic_is_m_least(int n, const int *form)
{
    int image[25], k, i;
    for (k = 1; k < 4 && n > 3; k++) {
        combgpu__magic_m_image(n, form, k, image);
        combgpu__magic_to_frenicle(n, image);
        for (i = 0; image[i] == form[i]; i++) { /* ends: the images differ somewhere */
        }
        if (image[i] < form[i]) return 0;
    }
    return 1;
}

/* Counts a class, given by one of its squares. */
COMBGPU__PRIVATE void combgpu__magic_count(combgpu_job *job, const int *square)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    int form[COMBGPU__MAGIC_CELLS], i;
    unsigned char bytes[COMBGPU__MAGIC_CELLS];
    memcpy(form, square, (size_t)state->cells * sizeof *form);
    combgpu__magic_to_frenicle(state->order, form);
    for (i = 0; i < state->cells; i++)
        bytes[i] = (unsigned char)form[i];
    combgpu__accumulators(job)[COMBGPU__MAGIC_CLASSES]++;
    combgpu__accumulators(job)[COMBGPU__MAGIC_CHECKSUM] +=
        combgpu__fnv(COMBGPU__FNV_OFFSET, bytes, (size_t)state->cells);
    if (state->order & 1)
        combgpu__accumulators(job)[COMBGPU__MAGIC_BY_CENTRE + square[state->cells / 2]]++;
    if ((state->method == COMBGPU__MAGIC_SEARCH || state->method == COMBGPU__MAGIC_NUMBERS) &&
        combgpu__magic_has_m_group(state))
        combgpu__accumulators(job)[COMBGPU__MAGIC_M_CLASSES] +=
            (uint64_t)combgpu__magic_is_m_least(state->order, form);
}

/* Returns whether the device only counts, so that the host never sees a square. */
COMBGPU__PRIVATE int combgpu__magic_is_joined(const combgpu__magic_state *state)
{
    return state->method == COMBGPU__MAGIC_LIST || state->method == COMBGPU__MAGIC_PARTS ||
           ((state->method == COMBGPU__MAGIC_JOIN || state->method == COMBGPU__MAGIC_ULTRA) &&
            !state->desc.solution);
}

/* Returns the number of squares found so far, in every orientation. */
COMBGPU__PRIVATE uint64_t combgpu__magic_solutions(const combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    uint64_t classes = combgpu__accumulators(job)[COMBGPU__MAGIC_CLASSES];
    int c;
    if (state->method == COMBGPU__MAGIC_SEMIS)
        return combgpu__accumulators(job)[COMBGPU__MAGIC_ORTHOGONAL] * 120 * 120;
    if (state->method == COMBGPU__MAGIC_ULTRA && !state->desc.solution)
        return combgpu__accumulators(job)[COMBGPU__MAGIC_LIFTED] * 48;
    if (state->method == COMBGPU__MAGIC_PARTS)
        return combgpu__accumulators(job)[COMBGPU__MAGIC_SPLIT] * 4608;
    for (c = 1; c <= 13 && combgpu__magic_is_joined(state); c++)
        classes += combgpu__accumulators(job)[COMBGPU__MAGIC_JOINED + c] *
                   (c == 13 || state->centre ? 4 : 8);
    return classes * (uint64_t)state->image_count;
}

/* Counts a class and delivers it. A record may hold several classes, and each class takes several
   calls; `first` is the number of the record's calls before this class. Calls below
   sums[COMBGPU__MAGIC_PART] were made before a stop. */
COMBGPU__PRIVATE combgpu__result combgpu__magic_deliver(combgpu_job *job, const int *square,
                                                        uint64_t first)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    uint64_t *accumulators = combgpu__accumulators(job), call = 0, calls;
    int image[COMBGPU__MAGIC_CELLS], i, stop;
    if (accumulators[COMBGPU__MAGIC_PART] <= first)
        combgpu__magic_count(job, square);
    else
        call = accumulators[COMBGPU__MAGIC_PART] - first;
    if (!state->desc.solution) return COMBGPU__CONTINUE;
    calls = state->desc.frenicle ? 1 : (uint64_t)state->image_count;
    for (; call < calls; call++) {
        for (i = 0; i < state->cells; i++)
            image[i] = square[state->image[state->images[call]][i]];
        if (state->desc.frenicle) combgpu__magic_to_frenicle(state->order, image);
        for (i = 0; i < state->cells; i++)
            image[i] = state->number[image[i] - 1];
        stop = state->desc.solution(image, state->order, state->desc.solution_user);
        accumulators[COMBGPU__MAGIC_PART] = first + call + 1;
        if (combgpu__is_enough(job, state->desc.limit, ++accumulators[COMBGPU__MAGIC_CALLS]))
            return COMBGPU__ENOUGH;
        if (stop) return COMBGPU__STOP;
    }
    return COMBGPU__CONTINUE;
}

/* Returns whether a job that only counts has reached its limit. */
COMBGPU__PRIVATE int combgpu__magic_limit_reached(const combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    return state->desc.limit && !state->desc.solution &&
           combgpu__magic_solutions(job) >= state->desc.limit;
}

/* Ends the delivery of a record of `calls` calls. A record stopped half-way stays pending; the
   resumed job makes its other calls. */
COMBGPU__PRIVATE combgpu__result combgpu__magic_delivered(combgpu_job *job, combgpu__result result,
                                                          uint64_t calls)
{
    if (result >= 0 && result != COMBGPU__CONTINUE &&
        combgpu__accumulators(job)[COMBGPU__MAGIC_PART] < calls)
        combgpu__deliver_again(job);
    else
        combgpu__accumulators(job)[COMBGPU__MAGIC_PART] = 0;
    return combgpu__magic_limit_reached(job) ? COMBGPU__ENOUGH : result;
}

/* Delivers the classes up to symmetry that a square of order 4 or 5 represents. */
COMBGPU__PRIVATE combgpu__result combgpu__magic_deliver_m_group(combgpu_job *job, const int *square,
                                                                uint64_t first, uint64_t calls)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    combgpu__result result = COMBGPU__CONTINUE;
    int image[25], end, k = combgpu__magic_m_images(state, square, &end);
    for (; k < end && result == COMBGPU__CONTINUE; k++, first += calls) {
        if (combgpu__accumulators(job)[COMBGPU__MAGIC_PART] >= first + calls) continue;
        combgpu__magic_m_image(state->order, square, k, image);
        result = combgpu__magic_deliver(job, image, first);
    }
    return result;
}

/* Returns whether a record is a square of the kind and satisfies the givens and inequalities. */
COMBGPU__PRIVATE int combgpu__magic_search_validate_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    int square[COMBGPU__MAGIC_CELLS], i, k, numbers = state->method == COMBGPU__MAGIC_NUMBERS;
    uint32_t square_sum = combgpu__magic_square_sum(state);
    unsigned char used[COMBGPU__MAGIC_CELLS + 1] = {0};
    for (i = 0; i < state->cells; i++) {
        square[i] = (int)(record[i / 4] >> 8 * (i % 4) & 255);
        if (square[i] < 1 || square[i] > state->cells || used[square[i]]) return 0;
        if (state->givens[i] && square[i] != state->givens[i]) return 0;
        used[square[i]] = 1;
    }
    for (k = 0; k < state->line_count; k++) {
        int64_t sum = 0;
        uint32_t squares = 0;
        for (i = 0; i < state->lines[k].length; i++) {
            int number = square[state->lines[k].cells[i]];
            sum += numbers ? state->number[number - 1] : number;
            squares += (uint32_t)(number * number);
        }
        if (sum != state->lines[k].sum || (square_sum && squares != square_sum)) return 0;
    }
    for (k = 0; k < state->less_count; k++)
        if (square[state->less[k][0]] > square[state->less[k][1]]) return 0;
    return 1;
}

COMBGPU__PRIVATE combgpu__result combgpu__magic_search_record(combgpu_job *job,
                                                              const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    combgpu__result result = COMBGPU__CONTINUE;
    uint64_t calls;
    int square[COMBGPU__MAGIC_CELLS], i, m;
    if (!combgpu__magic_search_validate_record(job, record)) /* a device may be faulty */
        return combgpu__as_result(combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                                                "kernel %s: a record is no square of the search",
                                                combgpu__desc(job)->kernel.name
                                                    ? combgpu__desc(job)->kernel.name
                                                    : combgpu__desc(job)->name));
    for (i = 0; i < state->cells; i++)
        square[i] = (int)(record[i / 4] >> 8 * (i % 4) & 255);
    calls = state->desc.frenicle ? 1 : (uint64_t)state->image_count;
    for (m = 0; m < state->more_count && result == COMBGPU__CONTINUE; m++) {
        int image[COMBGPU__MAGIC_CELLS];
        if (combgpu__accumulators(job)[COMBGPU__MAGIC_PART] >= (uint64_t)(m + 1) * calls) continue;
        for (i = 0; i < state->cells; i++)
            image[i] = square[state->more[m][i]];
        result = combgpu__magic_deliver(job, image, (uint64_t)m * calls);
    }
    return combgpu__magic_delivered(job, result, (uint64_t)state->more_count * calls);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_slice_done(combgpu_job *job,
                                                          const combgpu__executor *executor,
                                                          uint64_t *accumulators)
{
    (void)executor, (void)accumulators;
    return combgpu__magic_limit_reached(job) ? COMBGPU_FOUND : COMBGPU_OK;
}
