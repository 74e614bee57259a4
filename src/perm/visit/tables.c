/* Makes the tables for writing all permutations, and for sets. */

/* The pattern of kernel combgpu_perm_write, for groups that begin `shift` bytes after a 16-byte
   unit:

   1. Two words for each unit that a group touches. Items of one byte: 16 nibbles, each an index
      into the suffix (the last six elements), or 6 for another element. Larger items: up to 8
      bytes, each a position.
   2. Items of one byte only: words of positions, a byte each, 63 = none. First the suffix, padded
      to 16 bytes; then the units without the bytes of the suffix, until positions repeat.

   Returns the number of words. If words is NULL, only counts. */
COMBGPU__PRIVATE size_t combgpu__perm_pattern(const combgpu__perm_state *state, size_t shift,
                                              size_t units, size_t period, uint32_t *words)
{
    size_t n = (size_t)state->desc.n, item = (size_t)state->desc.item_bytes, i, place;
    size_t suffix = n < COMBGPU__PERM_PLACES ? n : COMBGPU__PERM_PLACES;
    size_t total = 2 * units + (item == 1 ? 4 + 4 * period : 0), from = 2 * units + 4;
    uint8_t perm[COMBGPU__PERM_MAX128];
    if (!words) return total;
    memset(words, 0, total * sizeof(uint32_t));
    for (i = 0; i < n; i++)
        perm[i] = (uint8_t)i;
    for (i = 0; item == 1 && i < 2 * units; i++)
        words[i] = 0x66666666u;
    for (i = 0; i < (size_t)state->orders * n; i++) { /* item i of the group */
        size_t at = i + shift / item, place_in = at % (16 / item);
        uint32_t *unit = words + 2 * (at / (16 / item));
        place = i % n;
        if (item > 1)
            unit[place_in / 4] |= (uint32_t)perm[place] << 8 * (place_in % 4);
        else if (place >= n - suffix)
            unit[place_in / 8] ^= (6u ^ (uint32_t)(perm[place] - (n - suffix)))
                                  << 4 * (place_in % 8);
        if (place == n - 1) combgpu_perm_next((int)n, perm);
    }
    for (i = 0; item == 1 && i < 16 + 16 * period; i++) {
        if (i < 16)
            place = i < suffix ? n - suffix + i : 63;
        else {
            place = (i - 16 + 16 * n - shift) % n;
            if (place >= n - suffix) place = 63;
        }
        words[from - 4 + i / 4] |= (uint32_t)place << 8 * (i % 4);
    }
    return total;
}

/* Sets the items and, for a kernel, where they go. */
COMBGPU__PRIVATE void combgpu__perm_items(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    int n = state->desc.n, bytes = state->desc.item_bytes, i;
    for (i = 0; i < n; i++) {
        uint64_t x = (uint64_t)i;
        if (bytes == 1)
            x = state->items.b1[i] =
                state->desc.items ? ((const uint8_t *)state->desc.items)[i] : (uint8_t)i;
        else if (!state->desc.items) {
            if (bytes == 2) state->items.b2[i] = (uint16_t)i;
            if (bytes == 4) state->items.b4[i] = (uint32_t)i;
            if (bytes == 8) state->items.b8[i] = (uint64_t)i;
        } else { /* the caller's items may be unaligned */
            const unsigned char *item = (const unsigned char *)state->desc.items + i * bytes;
            memcpy((unsigned char *)&state->items + i * bytes, item, (size_t)bytes);
            x = bytes == 2   ? state->items.b2[i]
                : bytes == 4 ? state->items.b4[i]
                             : state->items.b8[i];
        }
        combgpu__put64(combgpu__tables(job) + COMBGPU__WRITE_AT_ITEMS + 2 * i, x);
        state->translates |= bytes > 1 || x != (uint64_t)i;
    }
}

/* Sets the divisors for unranking: a digit of a group's number is (number / divisor) % (elements
   left). */
COMBGPU__PRIVATE void combgpu__perm_divisors(combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    uint8_t perm[COMBGPU__PERM_MAX128], digits[COMBGPU__PERM_MAX128];
    int n = state->desc.n, i;
    for (i = COMBGPU__PERM_PLACES; i <= COMBGPU__PERM_MAX; i++)
        combgpu__put64(combgpu__tables(job) + COMBGPU__WRITE_AT_DIVISORS + 2 * i,
                       combgpu_factorial(i).lo / COMBGPU__PERM_GROUP);
    if (n <= COMBGPU__PERM_MAX) return;
    combgpu_perm_unrank128(NULL, n, state->base, perm);
    combgpu__perm_digits(n, perm, digits);
    for (i = 0; i < n - COMBGPU__PERM_PLACES; i++)
        combgpu__tables(job)[COMBGPU__WRITE_AT_BASE + i] = digits[i];
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_tables(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)combgpu__state(job);
    const combgpu_perm_desc *desc = &state->desc;
    int on_device = combgpu__desc(job)->caller_work.handle != NULL;
    size_t period = (size_t)desc->n, data = COMBGPU__WRITE_AT_PATTERN, shift = 0, units = 0;
    combgpu_status status;
    while (period % 2 == 0 && (size_t)desc->n / period < 16)
        period /= 2; /* n / gcd(n, 16) */
    if (on_device) {
        size_t from = state->caller_shift % 16 + 16 * state->object -
                      (size_t)(desc->first % state->orders) * state->object % 16;
        shift = from % 16;
        units = ((size_t)state->orders * state->object + shift + 15) / 16;
        data += combgpu__perm_pattern(state, shift, units, period, NULL);
    }
    status = combgpu__job_tables(job, data);
    if (status) return status;
    combgpu__perm_items(job);
    if (!on_device) return COMBGPU_OK;
    combgpu__tables(job)[COMBGPU__WRITE_AT_N] = (uint32_t)desc->n;
    combgpu__tables(job)[COMBGPU__WRITE_AT_PREFIX] = (uint32_t)(desc->n > 6 ? desc->n - 6 : 0);
    combgpu__tables(job)[COMBGPU__WRITE_AT_ORDERS] = (uint32_t)state->orders;
    combgpu__tables(job)[COMBGPU__WRITE_AT_TASK_GROUPS] = (uint32_t)(state->piece / state->orders);
    combgpu__tables(job)[COMBGPU__WRITE_AT_ITEM_BYTES] = (uint32_t)desc->item_bytes;
    combgpu__tables(job)[COMBGPU__WRITE_AT_SHIFT] = (uint32_t)shift;
    combgpu__tables(job)[COMBGPU__WRITE_AT_UNITS] = (uint32_t)units;
    combgpu__tables(job)[COMBGPU__WRITE_AT_PERIOD] = (uint32_t)period;
    combgpu__put64(combgpu__tables(job) + COMBGPU__WRITE_AT_FIRST, desc->first);
    combgpu__put64(combgpu__tables(job) + COMBGPU__WRITE_AT_OFFSET, state->caller_shift);
    combgpu__perm_divisors(job);
    combgpu__perm_pattern(state, shift, units, period,
                          combgpu__tables(job) + COMBGPU__WRITE_AT_PATTERN);
    return COMBGPU_OK;
}

/* ---- tables for sets and visits */

/* layout.h numbers families and goals like the API. */
typedef char
    combgpu__perm_numbers_agree[(int)COMBGPU_PERM_PARTIAL == COMBGPU__SET_PARTIAL &&
                                        (int)COMBGPU_PERM_MULTISET == COMBGPU__SET_MULTISET &&
                                        (int)COMBGPU_PERM_DERANGEMENT == COMBGPU__SET_DERANGEMENT &&
                                        (int)COMBGPU_PERM_COMBINATION == COMBGPU__SET_COMBINATION &&
                                        (int)COMBGPU_PERM_GRAY == COMBGPU__SET_GRAY &&
                                        (int)COMBGPU_PERM_CYCLE == COMBGPU__SET_CYCLE &&
                                        (int)COMBGPU_PERM_CIRCULAR == COMBGPU__SET_CIRCULAR &&
                                        (int)COMBGPU_PERM_COUNT == COMBGPU__GOAL_COUNT &&
                                        (int)COMBGPU_PERM_MINIMUM == COMBGPU__GOAL_MINIMUM &&
                                        (int)COMBGPU_PERM_MAXIMUM == COMBGPU__GOAL_MAXIMUM &&
                                        (int)COMBGPU_PERM_SUM == COMBGPU__GOAL_SUM &&
                                        (int)COMBGPU_PERM_HISTOGRAM == COMBGPU__GOAL_HISTOGRAM
                                    ? 1
                                    : -1];

COMBGPU__PRIVATE void combgpu__visit_fill_set(uint32_t *tables, const combgpu__perm_set *set)
{
    int i;
    tables[COMBGPU__SET_AT_FAMILY] = (uint32_t)set->family;
    tables[COMBGPU__SET_AT_N] = (uint32_t)set->n;
    tables[COMBGPU__SET_AT_K] = (uint32_t)set->k;
    tables[COMBGPU__SET_AT_LENGTH] = (uint32_t)set->length;
    combgpu__put64(tables + COMBGPU__SET_AT_COUNT, set->count);
    memcpy(tables + COMBGPU__SET_AT_REPEATS, set->repeats, sizeof set->repeats);
    for (i = 0; i < 21 * 21; i++)
        combgpu__put64(tables + COMBGPU__SET_AT_DERANGEMENTS + 2 * i,
                       i % 21 <= i / 21 ? combgpu__perm_set_derangement(set, i / 21, i % 21).lo
                                        : 0);
}

/* Fills in the orders of a multiset's last six positions, for each shape. A shape marks equal
   values: bit i is set if, in ascending order, position i + 1 has another value than position i. An
   order has a nibble for each position, an index into the six. There are 4683 orders, the ordered
   partitions of six. */
COMBGPU__PRIVATE void combgpu__visit_fill_shapes(uint32_t *tables)
{
    uint32_t *orders = tables + COMBGPU__SET_AT_ORDERS, used = 0;
    uint32_t shape, i;
    for (shape = 0; shape < 32; shape++) {
        uint8_t six[6] = {0, 0, 0, 0, 0, 0};
        tables[COMBGPU__SET_AT_SHAPES + shape] = used;
        for (i = 1; i < 6; i++) /* the first of equal values stands for all */
            six[i] = (uint8_t)(shape >> (i - 1) & 1 ? i : six[i - 1]);
        do {
            orders[used] = 0;
            for (i = 0; i < 6; i++)
                orders[used] |= (uint32_t)six[i] << (4 * i);
            used++;
        } while (combgpu_perm_next(6, six));
    }
    tables[COMBGPU__SET_AT_SHAPES + 32] = used;
    for (i = 1; i <= 64; i++)
        tables[COMBGPU__SET_AT_RECIPROCALS + i] = (uint32_t)(UINT64_C(0xffffffff) / i + 1);
}
