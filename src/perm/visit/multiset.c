/* Makes the tables for visits and for multisets written to the caller's memory. */

#define COMBGPU__MULTI_LENGTH 32   /* positions, at most */
#define COMBGPU__MULTI_LISTS 98304 /* words of the lists, at most */
#define COMBGPU__MULTI_TAIL 10     /* positions of a tail, at most */
#define COMBGPU__MULTI_LEAST 4096  /* bytes of a chunk, about at least */
#define COMBGPU__MULTI_MOST 65536  /* at most */

/* The letters of a shape's positions, in ascending order: bit i is set if position i + 1 has
   another letter than position i. Returns the number of their orders, or 0 if the set has no such
   tail. */
COMBGPU__PRIVATE uint32_t combgpu__perm_multi_shape(const combgpu__perm_set *set, int tail,
                                                    uint32_t shape, uint8_t *letters)
{
    int value = -1, same = 0, i, parts = 0;
    uint32_t orders = 1;
    for (i = 0; i < tail; i++) {
        same = i && !(shape >> (i - 1) & 1) ? same + 1 : 1;
        parts += same == 1;
        letters[i] = (uint8_t)(parts - 1);
        orders = orders * (uint32_t)(i + 1) / (uint32_t)same;
    }
    for (i = 0; i < tail; i += same) { /* the first values that occur often enough */
        for (same = 1; i + same < tail && letters[i + same] == letters[i];)
            same++;
        do
            value++;
        while (value < set->n && set->repeats[value] < same);
        if (value >= set->n) return 0;
    }
    return parts > 7 ? UINT32_MAX / COMBGPU__MULTI_LENGTH : orders;
}

/* Writes a shape's list: `orders` members of `length` nibbles. `letters` has the tail's first order;
   then it has the last one. */
COMBGPU__PRIVATE void combgpu__perm_multi_list(uint32_t *list, uint32_t orders, size_t length,
                                               int tail, uint8_t *letters)
{
    size_t words = (orders * length + 7) / 8, at = length - (size_t)tail, i;
    for (i = 0; i < words; i++)
        list[i] = 0x77777777;
    for (; at < orders * length; at += length) {
        const unsigned shift = 4 * (unsigned)(at % 8);
        uint64_t nibbles = 0; /* 40 bits at most */
        for (i = (size_t)tail; i-- > 0;)
            nibbles = nibbles << 4 | (7u ^ letters[i]);
        list[at / 8] ^= (uint32_t)(nibbles << shift);
        if (shift + 4 * (unsigned)tail > 32)
            list[at / 8 + 1] ^= (uint32_t)(nibbles >> (32 - shift));
        if (shift + 4 * (unsigned)tail > 64)
            list[at / 8 + 2] ^= (uint32_t)(nibbles >> (64 - shift));
        combgpu_perm_next(tail, letters);
    }
}

/* Makes the lists for tails of `tail` positions, as the kernel reads them; returns their number of
   words. If tables is NULL, only counts. */
COMBGPU__PRIVATE size_t combgpu__perm_multi_lists(const combgpu__perm_set *set, int tail,
                                                  uint32_t *tables)
{
    size_t words = 0, used = COMBGPU__MULTI_AT_SHAPES + ((size_t)1 << tail);
    uint32_t shape;
    uint8_t letters[COMBGPU__MULTI_TAIL];
    for (shape = 0; shape < 1u << (tail - 1); shape++) {
        uint32_t orders = combgpu__perm_multi_shape(set, tail, shape, letters);
        if (tables && orders) {
            tables[COMBGPU__MULTI_AT_SHAPES + 2 * shape] = (uint32_t)(used + words);
            tables[COMBGPU__MULTI_AT_SHAPES + 2 * shape + 1] = orders;
            combgpu__perm_multi_list(tables + used + words, orders, (size_t)set->length, tail,
                                     letters);
        }
        words += (orders * (size_t)set->length + 7) / 8;
    }
    return words;
}

/* Inverse of the odd part of x modulo 2^64; 0 for x = 0. */
COMBGPU__PRIVATE uint64_t combgpu__perm_multi_inverse(uint64_t x)
{
    uint64_t inverse;
    int i;
    while (x && x % 2 == 0)
        x /= 2;
    for (inverse = x, i = 0; i < 5; i++)
        inverse *= 2 - x * inverse;
    return inverse;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_multi_tables(combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    const combgpu__perm_set *set = &state->set;
    uint32_t length = (uint32_t)set->length, period = length, before = 0, letters = 0, i;
    int tail = set->length < COMBGPU__MULTI_TAIL ? set->length : COMBGPU__MULTI_TAIL;
    size_t lists;
    combgpu_status status;
    while ((lists = combgpu__perm_multi_lists(set, tail, NULL)) > COMBGPU__MULTI_LISTS)
        tail--;
    /* the kernel reads up to 2 words before a list and 4 past it */
    status = combgpu__job_tables(job, COMBGPU__MULTI_AT_SHAPES + ((size_t)1 << tail) + lists + 4);
    if (status) return status;
    combgpu__perm_multi_lists(set, tail, combgpu__tables(job));
    while (period % 2 == 0 && length / period < 16)
        period /= 2; /* length / gcd(length, 16) */
    for (i = 0; i < (uint32_t)set->n; i++) {
        if (!set->repeats[i]) continue;
        combgpu__tables(job)[COMBGPU__MULTI_AT_LETTER + letters++] =
            i | (uint32_t)set->repeats[i] << 8 | before << 16;
        before += set->repeats[i];
    }
    for (i = 1; i <= COMBGPU__MULTI_LENGTH; i++)
        combgpu__put64(combgpu__tables(job) + COMBGPU__MULTI_AT_INVERSES + 2 * i,
                       combgpu__perm_multi_inverse(i));
    combgpu__tables(job)[COMBGPU__MULTI_AT_LENGTH] = length;
    combgpu__tables(job)[COMBGPU__MULTI_AT_LETTERS] = letters;
    combgpu__tables(job)[COMBGPU__MULTI_AT_PREFIX] = length - (uint32_t)tail;
    combgpu__tables(job)[COMBGPU__MULTI_AT_PERIOD] = period;
    combgpu__put64(combgpu__tables(job) + COMBGPU__MULTI_AT_COUNT, set->count);
    combgpu__put64(combgpu__tables(job) + COMBGPU__MULTI_AT_FIRST, state->desc.first);
    combgpu__put64(combgpu__tables(job) + COMBGPU__MULTI_AT_OFFSET, state->caller_shift);
    combgpu__tables(job)[COMBGPU__MULTI_AT_TASK] = (uint32_t)state->piece;
    combgpu__tables(job)[COMBGPU__MULTI_AT_LEAST] = COMBGPU__MULTI_LEAST / length;
    combgpu__tables(job)[COMBGPU__MULTI_AT_MOST] = COMBGPU__MULTI_MOST / length;
    return COMBGPU_OK;
}

/* Fills in the orders and masks for combgpu__visit_columns. */
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
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    const combgpu_perm_desc *desc = &state->desc;
    int writes = desc->goal == COMBGPU_PERM_WRITE;
    size_t data = COMBGPU__SET_AT_END;
    combgpu_status status = combgpu__job_tables(job, data + (desc->data_bytes + 3) / 4);
    if (status) return status;
    combgpu__visit_fill_set(combgpu__tables(job), &state->set);
    if (writes)
        combgpu__visit_fill_shapes(combgpu__tables(job));
    else
        combgpu__visit_fill_columns(state);
    combgpu__tables(job)[COMBGPU__SET_AT_GOAL] = (uint32_t)desc->goal;
    combgpu__tables(job)[COMBGPU__SET_AT_LIST] = desc->solution || desc->limit;
    combgpu__tables(job)[COMBGPU__SET_AT_DATA] = (uint32_t)data;
    combgpu__tables(job)[COMBGPU__SET_AT_BINS] = (uint32_t)desc->bins;
    combgpu__put64(combgpu__tables(job) + COMBGPU__SET_AT_FIRST, (uint64_t)desc->bin_first);
    combgpu__put64(combgpu__tables(job) + COMBGPU__SET_AT_WIDTH, desc->bin_width);
    state->data = (const unsigned char *)(combgpu__tables(job) + data);
    if (desc->data_bytes) memcpy(combgpu__tables(job) + data, desc->data, desc->data_bytes);
    combgpu__put64(combgpu__tables(job) + COMBGPU__SET_AT_RANK, desc->first);
    combgpu__put64(combgpu__tables(job) + COMBGPU__SET_AT_OFFSET, state->caller_shift);
    return COMBGPU_OK;
}

/* Nonzero if the job runs the kernel for multisets. */
COMBGPU__PRIVATE int combgpu__perm_is_multi(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    return state->set.family == COMBGPU_PERM_MULTISET && combgpu__desc(job)->caller_work.handle &&
           state->set.length <= COMBGPU__MULTI_LENGTH;
}
