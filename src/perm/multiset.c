/* ---- tables for multisets to the caller's memory */

#define COMBGPU__MULTI_LENGTH 32   /* places, at most */
#define COMBGPU__MULTI_LISTS 16384 /* words of the lists, at most: they should stay in L1 */
#define COMBGPU__MULTI_TAIL 10     /* places of a tail, at most */
#define COMBGPU__MULTI_LEAST 4096  /* bytes of a piece, about */
#define COMBGPU__MULTI_MOST 65536

/* The letters of a shape's places, which are in ascending order: a set bit i says that place i + 1 has
   another one than place i. Returns how many orders they have, or 0 if the set has no such tail. */
COMBGPU__PRIVATE uint32_t combgpu__multi_shape(const combgpu__set *set, int tail, uint32_t shape,
                                               uint8_t *letters)
{
    int value = -1, same = 0, i, parts = 0;
    uint32_t orders = 1;
    for (i = 0; i < tail; i++) {
        same = i && !(shape >> (i - 1) & 1) ? same + 1 : 1;
        parts += same == 1;
        letters[i] = (uint8_t)(parts - 1);
        orders = orders * (uint32_t)(i + 1) / (uint32_t)same;
    }
    for (i = 0; i < tail; i += same) { /* the first values that occur so often */
        for (same = 1; i + same < tail && letters[i + same] == letters[i];)
            same++;
        do
            value++;
        while (value < set->n && set->repeats[value] < same);
        if (value >= set->n) return 0;
    }
    return parts > 7 ? UINT32_MAX / COMBGPU__MULTI_LENGTH : orders;
}

/* The lists for tails of so many places, as the kernel reads them; returns their words. tables NULL:
   only counts. */
COMBGPU__PRIVATE size_t combgpu__multi_lists(const combgpu__set *set, int tail, uint32_t *tables)
{
    size_t length = (size_t)set->length, words = 0, at, i;
    size_t used = COMBGPU__MULTI_T_SHAPES + ((size_t)1 << tail);
    uint32_t shape;
    uint8_t letters[COMBGPU__MULTI_TAIL];
    for (shape = 0; shape < 1u << (tail - 1); shape++) {
        uint32_t orders = combgpu__multi_shape(set, tail, shape, letters);
        size_t list = (orders * length + 7) / 8;
        if (tables && orders) {
            tables[COMBGPU__MULTI_T_SHAPES + 2 * shape] = (uint32_t)(used + words);
            tables[COMBGPU__MULTI_T_SHAPES + 2 * shape + 1] = orders;
            for (at = 0; at < orders * length; at++) {
                i = at % length;
                tables[used + words + at / 8] |=
                    (i < length - (size_t)tail ? 7u : (uint32_t)letters[i + (size_t)tail - length])
                    << 4 * (at % 8);
                if (i == length - 1) combgpu_perm_next(tail, letters);
            }
        }
        words += list;
    }
    return words;
}

/* Of the odd part of x, modulo 2^64; of 0: 0. */
COMBGPU__PRIVATE uint64_t combgpu__multi_inverse(uint64_t x)
{
    uint64_t inverse;
    int i;
    while (x && x % 2 == 0)
        x /= 2;
    for (inverse = x, i = 0; i < 5; i++)
        inverse *= 2 - x * inverse;
    return inverse;
}

COMBGPU__PRIVATE combgpu_status combgpu__multi_tables(combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    const combgpu__set *set = &state->set;
    uint32_t length = (uint32_t)set->length, period = length, before = 0, letters = 0, i;
    int tail = set->length < COMBGPU__MULTI_TAIL ? set->length : COMBGPU__MULTI_TAIL;
    size_t lists;
    combgpu_status status;
    while ((lists = combgpu__multi_lists(set, tail, NULL)) > COMBGPU__MULTI_LISTS)
        tail--;
    /* the kernel reads up to 2 words before a list and 4 behind it */
    status = combgpu__job_tables(job, COMBGPU__MULTI_T_SHAPES + ((size_t)1 << tail) + lists + 4);
    if (status) return status;
    combgpu__multi_lists(set, tail, job->tables);
    while (period % 2 == 0 && length / period < 16)
        period /= 2; /* length / gcd(length, 16) */
    for (i = 0; i < (uint32_t)set->n; i++) {
        if (!set->repeats[i]) continue;
        job->tables[COMBGPU__MULTI_T_LETTER + letters++] =
            i | (uint32_t)set->repeats[i] << 8 | before << 16;
        before += set->repeats[i];
    }
    for (i = 1; i <= COMBGPU__MULTI_LENGTH; i++)
        combgpu__put64(job->tables + COMBGPU__MULTI_T_INVERSES + 2 * i, combgpu__multi_inverse(i));
    job->tables[COMBGPU__MULTI_T_LENGTH] = length;
    job->tables[COMBGPU__MULTI_T_LETTERS] = letters;
    job->tables[COMBGPU__MULTI_T_PREFIX] = length - (uint32_t)tail;
    job->tables[COMBGPU__MULTI_T_PERIOD] = period;
    combgpu__put64(job->tables + COMBGPU__MULTI_T_COUNT, set->count);
    combgpu__put64(job->tables + COMBGPU__MULTI_T_FIRST, state->desc.first);
    combgpu__put64(job->tables + COMBGPU__MULTI_T_OFFSET, state->caller_shift);
    job->tables[COMBGPU__MULTI_T_TASK] = (uint32_t)state->piece;
    job->tables[COMBGPU__MULTI_T_LEAST] = COMBGPU__MULTI_LEAST / length;
    job->tables[COMBGPU__MULTI_T_MOST] = COMBGPU__MULTI_MOST / length;
    return COMBGPU_OK;
}

/* For combgpu__visit_columns. */
COMBGPU__PRIVATE void combgpu__visit_fill_columns(combgpu__perm_state *state)
{
    uint8_t four[4] = {0, 1, 2, 3}, six[6] = {0, 1, 2, 3, 4, 5};
    int i, j;
    for (j = 0; j < 24; j++, combgpu_perm_next(4, four))
        for (i = 0; i < 4; i++)
            state->masks[four[i]][24 * i + j] = 255;
    for (j = 0; j < COMBGPU__PERM_GROUP; j++, combgpu_perm_next(6, six))
        for (i = 0; i < 6; i++)
            state->columns[i * COMBGPU__PERM_GROUP + j] = six[i];
}

COMBGPU__PRIVATE combgpu_status combgpu__visit_tables(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    const combgpu_perm_desc *desc = &state->desc;
    int writes = desc->goal == COMBGPU_PERM_WRITE;
    size_t data = COMBGPU__VISIT_T_END, bytes = combgpu__perm_area_most(job->ctx);
    combgpu_status status = combgpu__job_tables(job, data + (desc->data_bytes + 3) / 4);
    if (status) return status;
    combgpu__visit_fill_set(job->tables, &state->set);
    if (writes)
        combgpu__visit_fill_shapes(job->tables);
    else
        combgpu__visit_fill_columns(state);
    job->tables[COMBGPU__VISIT_T_GOAL] = (uint32_t)desc->goal;
    job->tables[COMBGPU__VISIT_T_LIST] = desc->solution || desc->limit;
    job->tables[COMBGPU__VISIT_T_DATA] = (uint32_t)data;
    job->tables[COMBGPU__VISIT_T_BINS] = (uint32_t)desc->bins;
    combgpu__put64(job->tables + COMBGPU__VISIT_T_FIRST, (uint64_t)desc->bin_first);
    combgpu__put64(job->tables + COMBGPU__VISIT_T_WIDTH, desc->bin_width);
    state->data = (const unsigned char *)(job->tables + data);
    if (desc->data_bytes) memcpy(job->tables + data, desc->data, desc->data_bytes);
    job->tables[COMBGPU__VISIT_T_DIRECT] = job->caller_work.handle != NULL;
    combgpu__put64(job->tables + COMBGPU__VISIT_T_RANK, desc->first);
    combgpu__put64(job->tables + COMBGPU__VISIT_T_OFFSET, state->caller_shift);
    if (!writes || job->caller_work.handle || job->ctx->device.backend == COMBGPU_BACKEND_CPU)
        return COMBGPU_OK;
    if (desc->count < bytes / (unsigned)desc->n)
        bytes = (size_t)desc->count * (unsigned)desc->n + ((size_t)1 << 20);
    state->area_bytes = (bytes < ((size_t)1 << 18) ? (size_t)1 << 18 : bytes) / 16 * 16;
    job->tables[COMBGPU__VISIT_T_AREA] = (uint32_t)(state->area_bytes / 16);
    return COMBGPU_OK;
}

/* Has the multiset a kernel of its own? */
COMBGPU__PRIVATE int combgpu__perm_is_multi(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    return state->set.family == COMBGPU_PERM_MULTISET && job->caller_work.handle &&
           state->set.length <= COMBGPU__MULTI_LENGTH;
}

