/* Counts semi-magic squares of order 5 (five/semi.c): a lane takes units. A column through a number
   of row 0 is a word with the places in the other rows, 5 bits a row: columns without a common bit
   are disjoint. */
typedef struct combgpu_five_semi_t {
    uint32_t rows[5], count[4];
    uint32_t columns[4][64]; /* at most 59 */
    uint64_t free2[64], free3[64],
        last[64]; /* columns 2 and 3 disjoint from a column 1; columns 3 disjoint from a column 2 */
} combgpu_five_semi_t;

/* Returns the number at a place of a row, which is a set. */
COMBGPU__DEVICE uint32_t combgpu_five_nth(uint32_t set, uint32_t n)
{
    for (; n; n--)
        set &= set - 1;
    return COMBGPU__CTZ(set);
}

COMBGPU__DEVICE void combgpu_five_semi_columns(combgpu_five_semi_t *m)
{
    uint32_t numbers[4], c, i, k, n; /* 5 bits a number */
    for (c = 0; c < 4; c++) {
        numbers[c] = 0;
        for (i = 0, k = m->rows[c]; i < 5; i++, k &= k - 1)
            numbers[c] |= COMBGPU__CTZ(k) << (5 * i);
    }
    for (c = 0; c < 4; c++) {
        uint32_t first = combgpu_magic_nibble(numbers[0], c);
        for (n = i = 0; i < 25; i++) {
            uint32_t two = first + combgpu_magic_nibble(numbers[1], i / 5) +
                           combgpu_magic_nibble(numbers[2], i % 5);
            for (k = 0; k < 5; k++) {
                uint32_t rest = 65 - two - combgpu_magic_nibble(numbers[3], k);
                if (rest > 25 || !((m->rows[4] >> rest) & 1)) continue;
                m->columns[c][n++ & 63] = 1u << (i / 5) | 32u << (i % 5) | 1024u << k |
                                          32768u
                                              << COMBGPU__POPCOUNT(m->rows[4] & ((1u << rest) - 1));
            }
        }
        m->count[c] = n;
    }
}

/* Returns a mask: bit i is set if column i of a group is disjoint from `column`. */
COMBGPU__DEVICE uint64_t combgpu_five_disjoint(const uint32_t *columns, uint32_t count,
                                               uint32_t column)
{
    uint64_t set = 0;
    uint32_t i;
    for (i = 0; i < count; i++)
        set |= (uint64_t)(columns[i] & column ? 0 : 1) << i;
    return set;
}

COMBGPU__DEVICE uint32_t combgpu_five_semi_partition(combgpu_five_semi_t *m)
{
    uint32_t i, k, sum = 0;
    combgpu_five_semi_columns(m);
    for (i = 0; i < m->count[1]; i++) {
        m->free2[i] = combgpu_five_disjoint(m->columns[2], m->count[2], m->columns[1][i]);
        m->free3[i] = combgpu_five_disjoint(m->columns[3], m->count[3], m->columns[1][i]);
    }
    for (i = 0; i < m->count[2]; i++)
        m->last[i] = combgpu_five_disjoint(m->columns[3], m->count[3], m->columns[2][i]);
    for (i = 0; i < m->count[0]; i++) {
        uint32_t column = m->columns[0][i];
        uint64_t may2 = combgpu_five_disjoint(m->columns[2], m->count[2], column);
        uint64_t may3 = combgpu_five_disjoint(m->columns[3], m->count[3], column);
        for (k = 0; k < m->count[1]; k++) {
            uint64_t two = may2 & m->free2[k], three = may3 & m->free3[k];
            if ((column & m->columns[1][k]) || !three) continue;
            for (; two; two &= two - 1) {
                uint64_t ends =
                    three & m->last[(uint32_t)two ? COMBGPU__CTZ((uint32_t)two)
                                                  : 32 + COMBGPU__CTZ((uint32_t)(two >> 32))];
                sum += combgpu_popcount64(ends);
            }
        }
    }
    return sum;
}

/* Returns how often a partition counts: 0, 1 or 2 (combgpu__five_semi_weight in five/semi.c). */
COMBGPU__DEVICE uint32_t combgpu_five_semi_weight(const combgpu_five_semi_t *m)
{
    uint32_t i, v, with25 = 0, turned = 0;
    for (i = 0; i < 5; i++)
        if ((m->rows[i] >> 25) & 1) with25 = m->rows[i];
    for (v = 1; v < 26; v++)
        turned |= ((with25 >> v) & 1) << (26 - v);
    return turned < m->rows[0] ? 0 : turned == m->rows[0] ? 1 : 2;
}

COMBGPU__DEVICE uint64_t combgpu_five_semi_unit(combgpu_five_semi_t *m,
                                                COMBGPU__GLOBAL const uint32_t *tables,
                                                uint32_t unit)
{
    uint32_t pair = COMBGPU__SEMI_AT_PAIR + 2 * (unit / COMBGPU__MAGIC_SEMI_PARTS), unused, least,
             next, i, k, weight;
    uint64_t sum = 0;
    m->rows[0] = tables[pair];
    m->rows[1] = tables[pair + 1];
    unused = 0x3fffffe & ~(m->rows[0] | m->rows[1]);
    least = COMBGPU__CTZ(unused);
    for (i = tables[COMBGPU__SEMI_AT_FIRST + least] + unit % COMBGPU__MAGIC_SEMI_PARTS;
         i < tables[COMBGPU__SEMI_AT_FIRST + least + 1]; i += COMBGPU__MAGIC_SEMI_PARTS) {
        uint32_t rest;
        m->rows[2] = tables[COMBGPU__SEMI_AT_SERIES + i];
        if (m->rows[2] & ~unused) continue;
        rest = unused & ~m->rows[2];
        next = COMBGPU__CTZ(rest);
        for (k = tables[COMBGPU__SEMI_AT_FIRST + next];
             k < tables[COMBGPU__SEMI_AT_FIRST + next + 1]; k++) {
            m->rows[3] = tables[COMBGPU__SEMI_AT_SERIES + k];
            if (m->rows[3] & ~rest) continue;
            m->rows[4] = rest & ~m->rows[3];
            weight = combgpu_five_semi_weight(m);
            if (weight) sum += weight * combgpu_five_semi_partition(m);
        }
    }
    return sum;
}

COMBGPU__KERNEL combgpu_magic_semi(COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_five_semi_t m;
    uint32_t steps = 0;
    uint64_t unit = 0, end = 0, hash = 0, sum = 0;
    (void)work, (void)records;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    while (combgpu_in_range(slice, tasks, left, &unit, &end, steps)) {
        uint64_t found = combgpu_five_semi_unit(&m, tables, (uint32_t)unit);
        hash += combgpu_mix(unit << 32 | found);
        sum += found;
        steps++;
        unit++;
    }
    if (!steps) return;
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, COMBGPU__MAGIC_HASH, hash);
    combgpu_add_total(slice, COMBGPU__MAGIC_ORTHOGONAL, sum);
}
