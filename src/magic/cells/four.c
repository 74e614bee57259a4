/* Magic squares of order 4. A step is a pair of diagonals: two sets of 4 numbers with sum 34.

   a00  t1  t2 a03    row 0     t1 + t2 = 34 - a00 - a03      The same for l1 l2 r1 r2, with rows 1
    l1 a11 a12  r1    row 3     b1 + b2 = 34 - a30 - a33      and 2, columns 0 and 3. Two rows minus
    l2 a21 a22  r2    column 1  t1 + b1 = 34 - a11 - a21      two columns show that the four corners
   a30  b1  b2 a33    column 2  t2 + b2 = 34 - a12 - a22      have sum 34 as well. */

#define COMBGPU__MAGIC_FOUR_PAIRS 2048 /* 1,075 exist */
#define COMBGPU__MAGIC_FOUR_SQUARES 64 /* of a pair; at most 4 */

COMBGPU__PRIVATE combgpu_status combgpu__cells_four_tables(combgpu_job *job)
{
    combgpu_status status =
        combgpu__job_tables(job, COMBGPU__FOUR_AT_PAIR + 2 * COMBGPU__MAGIC_FOUR_PAIRS);
    uint32_t sets[128], count = 0, *pair;
    int n = 0, i, j;
    if (status) return status;
    for (i = 15; i < 1 << 16; i++) { /* bit v - 1 for number v */
        uint32_t v, sum = 0;
        if (combgpu__popcount64((uint64_t)i) != 4) continue;
        for (v = 0; v < 16; v++)
            sum += (uint32_t)i >> v & 1 ? v + 1 : 0;
        if (sum == 34) sets[n++] = (uint32_t)i << 1;
    }
    pair = combgpu__tables(job) + COMBGPU__FOUR_AT_PAIR;
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++) {
            if (sets[i] & sets[j]) continue;
            pair[2 * count] = combgpu__magic_packed(sets[i]);
            pair[2 * count++ + 1] = combgpu__magic_packed(sets[j]);
        }
    combgpu__tables(job)[COMBGPU__FOUR_AT_PAIRS] = count;
    combgpu__job_trim_tables(job, COMBGPU__FOUR_AT_PAIR + 2 * (size_t)count);
    combgpu__magic_ways(combgpu__tables(job) + COMBGPU__FOUR_AT_WAY);
    return COMBGPU_OK;
}

/* Fills a ring of 4 cells: p + q and r + s are the sums `rows`, p + r and q + s the sums `columns`.
   Writes the fillings to out, bytes p q r s, and their sets to `sets`; returns their number, at
   most 8. */
COMBGPU__PRIVATE int combgpu__cells_four_ring(uint32_t unused, const int *rows, const int *columns,
                                              uint32_t *out, uint32_t *sets)
{
    uint32_t left = unused, set;
    int count = 0, p, q, r, s;
    for (; left; left &= left - 1) {
        p = combgpu__lowest_bit64(left);
        q = rows[0] - p;
        r = columns[0] - p;
        s = columns[1] - q;
        if (q < 1 || r < 1 || s < 1 || q > 16 || r > 16 || s > 16) continue;
        set = 1u << p | 1u << q | 1u << r | 1u << s;
        if ((set & ~unused) || combgpu__popcount64(set) != 4) continue;
        sets[count] = set;
        out[count++] = (uint32_t)p | (uint32_t)q << 8 | (uint32_t)r << 16 | (uint32_t)s << 24;
    }
    return count;
}

/* Appends the squares of a way to put the pair on the diagonals, 16 bytes each, to the `count`
   squares in `squares`; returns the new count. */
COMBGPU__PRIVATE int combgpu__cells_four_way(const uint32_t *a, const uint32_t *b, uint32_t way,
                                             uint32_t unused, uint32_t (*squares)[4], int count)
{
    /* the way's first half: a00 b03, a33 b30, a11 b21, a22 b12 as 4 * A + B */
    int a00 = (int)a[way >> 2 & 3], a03 = (int)b[way & 3], a33 = (int)a[way >> 6 & 3];
    int a30 = (int)b[way >> 4 & 3], a11 = (int)a[way >> 10 & 3], a21 = (int)b[way >> 8 & 3];
    int a22 = (int)a[way >> 14 & 3], a12 = (int)b[way >> 12 & 3];
    int rows[4] = {34 - a00 - a03, 34 - a30 - a33, 34 - a11 - a12, 34 - a21 - a22};
    int columns[4] = {34 - a11 - a21, 34 - a12 - a22, 34 - a00 - a30, 34 - a03 - a33};
    uint32_t ring[2][8], sets[2][8];
    int i, k, counts[2];
    if (a00 + a33 + a03 + a30 != 34) return count;
    counts[0] = combgpu__cells_four_ring(unused, rows, columns, ring[0], sets[0]);
    if (!counts[0]) return count;
    counts[1] = combgpu__cells_four_ring(unused, rows + 2, columns + 2, ring[1], sets[1]);
    for (i = 0; i < counts[0]; i++)
        for (k = 0; k < counts[1]; k++) {
            uint32_t t = ring[0][i], l = ring[1][k], *square = squares[count]; /* t1 t2 b1 b2 */
            if (sets[0][i] & sets[1][k]) continue;                             /* l1 r1 l2 r2 */
            square[0] = (uint32_t)a00 | (t & 0xffff) << 8 | (uint32_t)a03 << 24;
            square[1] = (l & 255) | (uint32_t)a11 << 8 | (uint32_t)a12 << 16 | (l & 0xff00) << 16;
            square[2] =
                (l >> 16 & 255) | (uint32_t)a21 << 8 | (uint32_t)a22 << 16 | (l & 0xff000000);
            square[3] = (uint32_t)a30 | (t >> 16) << 8 | (uint32_t)a33 << 24;
            count++;
        }
    return count;
}

/* Makes all squares of a pair, up to the M-group; returns their number. */
COMBGPU__PRIVATE int combgpu__cells_four_squares(const uint32_t *tables, uint32_t number,
                                                 uint32_t (*squares)[4])
{
    const uint32_t *pair = tables + COMBGPU__FOUR_AT_PAIR + 2 * (size_t)number;
    uint32_t a[4], b[4], unused = 0x1fffe, w;
    int i, count = 0;
    for (i = 0; i < 4; i++) {
        a[i] = pair[0] >> 5 * i & 31;
        b[i] = pair[1] >> 5 * i & 31;
        unused &= ~(1u << a[i] | 1u << b[i]);
    }
    for (w = 0; w < COMBGPU__MAGIC_WAYS; w++)
        count =
            combgpu__cells_four_way(a, b, tables[COMBGPU__FOUR_AT_WAY + w], unused, squares, count);
    return count;
}

/* A record is a pair and the number of its squares, above 0. */
COMBGPU__PRIVATE int combgpu__cells_four_step(combgpu__worker *worker, void *memory, uint64_t pair)
{
    uint32_t squares[COMBGPU__MAGIC_FOUR_SQUARES][4], record[2];
    (void)memory;
    record[0] = (uint32_t)pair;
    record[1] = (uint32_t)combgpu__cells_four_squares(worker->tables, record[0], squares);
    return !record[1] || combgpu__emit(worker, record);
}

COMBGPU__PRIVATE void combgpu__cells_four_solve(combgpu__worker *worker)
{
    combgpu__magic_range_solve(worker, NULL, combgpu__cells_four_step);
}

COMBGPU__PRIVATE int combgpu__cells_four_validate_record(combgpu_job *job, const uint32_t *record)
{
    uint32_t squares[COMBGPU__MAGIC_FOUR_SQUARES][4];
    return record[0] < combgpu__tables(job)[COMBGPU__FOUR_AT_PAIRS] && record[1] &&
           record[1] ==
               (uint32_t)combgpu__cells_four_squares(combgpu__tables(job), record[0], squares);
}

COMBGPU__PRIVATE combgpu__result combgpu__cells_four_record(combgpu_job *job,
                                                            const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    uint64_t calls = state->desc.frenicle ? 1 : 8;
    uint32_t squares[COMBGPU__MAGIC_FOUR_SQUARES][4], k;
    combgpu__result result = COMBGPU__CONTINUE;
    int square[16], i;
    if (!combgpu__cells_four_validate_record(job, record)) /* a device may be faulty */
        return combgpu__as_result(combgpu__fail(
            combgpu__context(job), COMBGPU_WRONG_RESULT,
            "kernel combgpu_magic_four: pair %u does not have %u squares", record[0], record[1]));
    combgpu__cells_four_squares(combgpu__tables(job), record[0], squares);
    for (k = 0; k < record[1] && result == COMBGPU__CONTINUE; k++) {
        for (i = 0; i < 16; i++)
            square[i] = (int)(squares[k][i / 4] >> 8 * (i % 4) & 255);
        result = combgpu__magic_deliver_m_group(job, square, 4 * calls * k, calls);
    }
    return combgpu__magic_delivered(job, result, 4 * calls * record[1]);
}
