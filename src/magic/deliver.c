/* ---- solutions: counted and handed out class by class */

COMBGPU__PRIVATE void combgpu__magic_swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

/* Brings a square into Frenicle form: the smallest corner top left by swapping columns and rows, then
   the lesser of its neighbours to the right of it. */
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

/* Rows and columns in another order, so that the diagonals stay: the M-group but for D4. */
static const unsigned char combgpu__magic_m_order[2][4][5] = {
    {{0, 1, 2, 3}, {1, 0, 3, 2}, {0, 2, 1, 3}, {1, 3, 0, 2}},
    {{0, 1, 2, 3, 4}, {1, 0, 2, 4, 3}, {0, 3, 2, 1, 4}, {1, 4, 2, 0, 3}}};

/* Is the M-group one of symmetries of this job's squares? */
COMBGPU__PRIVATE int combgpu__magic_has_m_group(const combgpu__magic_state *state)
{
    return state->order <= 5 && state->image_count == 8 &&
           state->desc.kind != COMBGPU_MAGIC_PANDIAGONAL &&
           state->desc.kind != COMBGPU_MAGIC_ULTRAMAGIC;
}

/* Image k of a square of order 4 or 5: 0 to 3 the M-group, 4 to 7 the same of its complement. */
COMBGPU__PRIVATE void combgpu__magic_m_image(int n, const int *square, int k, int *image)
{
    const unsigned char *to = combgpu__magic_m_order[n - 4][k % 4];
    int i;
    for (i = 0; i < n * n; i++) {
        int number = square[n * to[i / n] + to[i % n]];
        image[i] = k < 4 ? number : n * n + 1 - number;
    }
}

/* The first of those images that four and join stand for, and the one behind the last: of order 5
   those of the complement too, unless the centre is 13; with a given centre those that have it. */
COMBGPU__PRIVATE int combgpu__magic_m_images(const combgpu__magic_state *state, const int *square,
                                             int *end)
{
    int given = state->order == 5 ? state->centre : 0;
    int only_complement = given && square[12] != given;
    *end = only_complement || (state->order == 5 && !given && square[12] != 13) ? 8 : 4;
    return only_complement ? 4 : 0;
}

/* Is a Frenicle form the least of those that the M-group makes of it? */
COMBGPU__PRIVATE int combgpu__magic_is_m_least(int n, const int *form)
{
    int image[25], k, i;
    for (k = 1; k < 4 && n > 3; k++) {
        combgpu__magic_m_image(n, form, k, image);
        combgpu__magic_to_frenicle(n, image);
        for (i = 0; image[i] == form[i]; i++) { /* they differ: a number stands once */
        }
        if (image[i] < form[i]) return 0;
    }
    return 1;
}

/* Counts a class, given by one of its squares. */
COMBGPU__PRIVATE void combgpu__magic_count(combgpu_job *job, const int *square)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    int form[COMBGPU__MAGIC_CELLS], i;
    unsigned char bytes[COMBGPU__MAGIC_CELLS];
    memcpy(form, square, (size_t)state->cells * sizeof *form);
    combgpu__magic_to_frenicle(state->order, form);
    for (i = 0; i < state->cells; i++)
        bytes[i] = (unsigned char)form[i];
    job->sums[COMBGPU__MAGIC_CLASSES]++;
    job->sums[COMBGPU__MAGIC_CHECKSUM] +=
        combgpu__fnv(COMBGPU__FNV_OFFSET, bytes, (size_t)state->cells);
    if (state->order & 1) job->sums[COMBGPU__MAGIC_BY_CENTRE + square[state->cells / 2]]++;
    if ((state->method == COMBGPU__MAGIC_SEARCH || state->method == COMBGPU__MAGIC_NUMBERS) &&
        combgpu__magic_has_m_group(state))
        job->sums[COMBGPU__MAGIC_M_CLASSES] +=
            (uint64_t)combgpu__magic_is_m_least(state->order, form);
}

/* Does the device count, so that the host never sees a square? */
COMBGPU__PRIVATE int combgpu__magic_is_joined(const combgpu__magic_state *state)
{
    return state->method == COMBGPU__MAGIC_LIST ||
           (state->method == COMBGPU__MAGIC_JOIN && !state->desc.solution);
}

/* Squares found so far, every orientation. */
COMBGPU__PRIVATE uint64_t combgpu__magic_solutions(const combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    uint64_t classes = job->sums[COMBGPU__MAGIC_CLASSES];
    int c;
    if (state->method == COMBGPU__MAGIC_SEMIS)
        return job->sums[COMBGPU__MAGIC_ORTHOGONAL] * 120 * 120;
    for (c = 1; c <= 13 && combgpu__magic_is_joined(state); c++)
        classes += job->sums[COMBGPU__MAGIC_JOINED + c] * (c == 13 || state->centre ? 4 : 8);
    return classes * (uint64_t)state->image_count;
}

/* Counts a class and hands it out. A record may hold several classes and each class takes several
   calls; `first` is the number of calls for the record before this class. Those below
   sums[COMBGPU__MAGIC_PART] were made before a stop. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_deliver(combgpu_job *job, const int *square,
                                                       uint64_t first)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    uint64_t *sums = job->sums, call = 0, calls;
    int image[COMBGPU__MAGIC_CELLS], i, stop;
    if (sums[COMBGPU__MAGIC_PART] <= first)
        combgpu__magic_count(job, square);
    else
        call = sums[COMBGPU__MAGIC_PART] - first;
    if (!state->desc.solution) return COMBGPU_RUNNING;
    calls = state->desc.frenicle ? 1 : (uint64_t)state->image_count;
    for (; call < calls; call++) {
        for (i = 0; i < state->cells; i++)
            image[i] = square[state->image[state->images[call]][i]];
        if (state->desc.frenicle) combgpu__magic_to_frenicle(state->order, image);
        for (i = 0; i < state->cells; i++)
            image[i] = state->number[image[i] - 1];
        stop = state->desc.solution(image, state->order, state->desc.solution_user);
        sums[COMBGPU__MAGIC_PART] = first + call + 1;
        if (++sums[COMBGPU__MAGIC_CALLS] == state->desc.limit) return COMBGPU_FOUND;
        if (stop) return COMBGPU_STOPPED;
    }
    return COMBGPU_RUNNING;
}

/* The limit of a job that only counts. */
COMBGPU__PRIVATE int combgpu__magic_limit_reached(const combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    return state->desc.limit && !state->desc.solution &&
           combgpu__magic_solutions(job) >= state->desc.limit;
}

/* Ends the delivery of a record with `calls` calls in all: one that was stopped half way stays
   pending, and its other calls are made when the job goes on. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_delivered(combgpu_job *job, combgpu_status status,
                                                         uint64_t calls)
{
    if (status >= 0 && status != COMBGPU_RUNNING && job->sums[COMBGPU__MAGIC_PART] < calls)
        job->pending_next--;
    else
        job->sums[COMBGPU__MAGIC_PART] = 0;
    return combgpu__magic_limit_reached(job) ? COMBGPU_FOUND : status;
}

/* Hands out the squares that one of order 4 or 5 stands for, which are not rotations or reflections
   of each other. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_deliver_m_group(combgpu_job *job, const int *square,
                                                               uint64_t first, uint64_t calls)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    combgpu_status status = COMBGPU_RUNNING;
    int image[25], end, k = combgpu__magic_m_images(state, square, &end);
    for (; k < end && status == COMBGPU_RUNNING; k++, first += calls) {
        if (job->sums[COMBGPU__MAGIC_PART] >= first + calls) continue;
        combgpu__magic_m_image(state->order, square, k, image);
        status = combgpu__magic_deliver(job, image, first);
    }
    return status;
}

/* A record is possible if it is a square of the kind, with the givens and the inequalities. */
COMBGPU__PRIVATE int combgpu__magic_search_adopt_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    int square[COMBGPU__MAGIC_CELLS], i, k, numbers = state->method == COMBGPU__MAGIC_NUMBERS;
    uint32_t square_sum = combgpu__magic_square_sum(state);
    uint64_t used = 0;
    for (i = 0; i < state->cells; i++) {
        square[i] = (int)(record[i / 4] >> 8 * (i % 4) & 255);
        if (square[i] < 1 || square[i] > state->cells || used >> square[i] & 1) return 0;
        if (state->givens[i] && square[i] != state->givens[i]) return 0;
        used |= UINT64_C(1) << square[i];
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

COMBGPU__PRIVATE combgpu_status combgpu__magic_search_record(combgpu_job *job,
                                                             const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    int square[COMBGPU__MAGIC_CELLS], i;
    if (!combgpu__magic_search_adopt_record(job, record)) /* a device may err */
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel %s: a record is no square of the search", job->kernel.name);
    for (i = 0; i < state->cells; i++)
        square[i] = (int)(record[i / 4] >> 8 * (i % 4) & 255);
    return combgpu__magic_delivered(job, combgpu__magic_deliver(job, square, 0),
                                    state->desc.frenicle ? 1 : (uint64_t)state->image_count);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_slice_done(combgpu_job *job,
                                                          const combgpu__share *share)
{
    (void)share;
    return combgpu__magic_limit_reached(job) ? COMBGPU_FOUND : COMBGPU_OK;
}

