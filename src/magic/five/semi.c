/* Counts semi-magic squares of order 5. A unit is two disjoint rows, one with 1 and one with the
   least number not in it, and every 8th candidate for the third row, which holds the least number
   left. */

COMBGPU__PRIVATE combgpu_status combgpu__five_semi_tables(combgpu_job *job)
{
    combgpu_status status = combgpu__job_tables(job, COMBGPU__SEMI_AT_WORDS);
    uint32_t *tables = combgpu__tables(job), *first, *series, *pair, a, i, k;
    uint64_t sets[COMBGPU__MAGIC_SERIES];
    if (status) return status;
    first = tables + COMBGPU__SEMI_AT_FIRST;
    series = tables + COMBGPU__SEMI_AT_SERIES;
    pair = tables + COMBGPU__SEMI_AT_PAIR;
    combgpu__magic_series(5, 1, 25, 65, 0, sets);
    for (i = 0; i < COMBGPU__MAGIC_SERIES; i++)
        series[i] = (uint32_t)sets[i];
    for (a = 1, i = 0; a <= 26; a++) {
        first[a] = i;
        while (i < COMBGPU__MAGIC_SERIES && series[i] >> a & 1)
            i++;
    }
    for (i = 0; i < first[2]; i++) {
        a = (uint32_t)combgpu__lowest_bit64(~series[i] & 0x3fffffe);
        for (k = first[a]; k < first[a + 1]; k++)
            if (!(series[i] & series[k])) {
                *pair++ = series[i];
                *pair++ = series[k];
            }
    }
    tables[COMBGPU__SEMI_AT_UNITS] =
        (uint32_t)(pair - tables - COMBGPU__SEMI_AT_PAIR) / 2 * COMBGPU__MAGIC_SEMI_PARTS;
    return COMBGPU_OK;
}

/* The columns through a number of row 0, each as one place in every other row, 3 bits a place. */
typedef struct combgpu__five_columns {
    int count;
    uint16_t places[64]; /* at most 59 */
} combgpu__five_columns;

/* Sets of columns: all, and those that use a place (5 * row + place). */
typedef struct combgpu__five_users {
    uint64_t all, user[20];
} combgpu__five_users;

COMBGPU__PRIVATE uint64_t combgpu__five_free(const combgpu__five_users *users, int places)
{
    const uint64_t *user = users->user;
    return ~(user[places & 7] | user[5 + (places >> 3 & 7)] | user[10 + (places >> 6 & 7)] |
             user[15 + (places >> 9)]);
}

COMBGPU__PRIVATE void combgpu__five_use(const combgpu__five_columns *columns,
                                        combgpu__five_users *users)
{
    int i;
    memset(users, 0, sizeof *users);
    for (i = 0; i < columns->count; i++) {
        uint64_t bit = UINT64_C(1) << i;
        int places = columns->places[i];
        users->all |= bit;
        users->user[places & 7] |= bit;
        users->user[5 + (places >> 3 & 7)] |= bit;
        users->user[10 + (places >> 6 & 7)] |= bit;
        users->user[15 + (places >> 9)] |= bit;
    }
}

/* Makes the columns through the first four numbers of row 0. The pairs of numbers of rows 3 and 4
   are listed by sum. */
COMBGPU__PRIVATE void combgpu__five_make_columns(const uint32_t *rows,
                                                 combgpu__five_columns *columns)
{
    uint32_t by_sum[64] = {0}, set, found;
    int number[5][5], c, i, k, at;
    for (c = 0; c < 5; c++)
        for (i = 0, set = rows[c]; i < 5; i++, set &= set - 1)
            number[c][i] = combgpu__lowest_bit64(set);
    for (i = 0; i < 25; i++)
        by_sum[number[3][i / 5] + number[4][i % 5]] |= 1u << i;
    for (c = 0; c < 4; c++)
        for (columns[c].count = i = 0; i < 25; i++) {
            at = 65 - number[0][c] - number[1][i / 5] - number[2][i % 5];
            found = at > 0 && at < 64 ? by_sum[at] : 0;
            for (; found; found &= found - 1) {
                k = combgpu__lowest_bit64(found);
                columns[c].places[columns[c].count++] =
                    (uint16_t)(i / 5 | (i % 5) << 3 | (k / 5) << 6 | (k % 5) << 9);
            }
        }
}

/* Counts the partitions into columns that meet every row in one number: for each column 0, 1 and 2
   in turn, the columns 3 that are left; the last column follows. */
COMBGPU__PRIVATE uint32_t combgpu__five_orthogonal(const uint32_t *rows)
{
    combgpu__five_columns columns[4];
    combgpu__five_users two, three;
    uint64_t free2[64], free3[64], last[64];
    uint32_t sum = 0;
    int i, k;
    combgpu__five_make_columns(rows, columns);
    combgpu__five_use(&columns[2], &two);
    combgpu__five_use(&columns[3], &three);
    for (i = 0; i < columns[1].count; i++) {
        free2[i] = combgpu__five_free(&two, columns[1].places[i]);
        free3[i] = combgpu__five_free(&three, columns[1].places[i]);
    }
    for (i = 0; i < columns[2].count; i++)
        last[i] = combgpu__five_free(&three, columns[2].places[i]);
    for (i = 0; i < columns[0].count; i++) {
        int places = columns[0].places[i];
        uint64_t may2 = two.all & combgpu__five_free(&two, places);
        uint64_t may3 = three.all & combgpu__five_free(&three, places);
        for (k = 0; k < columns[1].count; k++) {
            int d = places ^ columns[1].places[k];
            uint64_t may = may2 & free2[k], then = may3 & free3[k];
            if (!(d & 7) || !(d & 070) || !(d & 0700) || !(d & 07000) || !then) continue;
            for (; may; may &= may - 1)
                sum += (uint32_t)combgpu__popcount64(then & last[combgpu__lowest_bit64(may)]);
        }
    }
    return sum;
}

/* Returns how often partitions with these rows count, or 3 if the row with 25 is not among the
   rows. Partitions whose row with 1 is less than the complement of the row with 25 also stand for
   their complements. */
COMBGPU__PRIVATE uint32_t combgpu__five_semi_weight(const uint32_t *rows, int count)
{
    uint32_t turned = 0;
    int i, v;
    for (i = 0; i < count; i++)
        if (rows[i] >> 25 & 1) {
            for (v = 1; v <= 25; v++)
                turned |= (rows[i] >> v & 1) << (26 - v);
            return turned > rows[0] ? 2 : turned == rows[0];
        }
    return 3;
}

/* Counts the orthogonal pairs of partitions in a unit. */
COMBGPU__PRIVATE uint64_t combgpu__five_semi_unit(const uint32_t *tables, uint32_t unit)
{
    const uint32_t *pair = tables + COMBGPU__SEMI_AT_PAIR + 2 * (unit / COMBGPU__MAGIC_SEMI_PARTS);
    const uint32_t *first = tables + COMBGPU__SEMI_AT_FIRST;
    const uint32_t *series = tables + COMBGPU__SEMI_AT_SERIES;
    uint32_t rows[5], unused = ~(pair[0] | pair[1]) & 0x3fffffe, left, i, k, weight;
    uint64_t sum = 0;
    int least = combgpu__lowest_bit64(unused), next;
    rows[0] = pair[0];
    rows[1] = pair[1];
    if (!combgpu__five_semi_weight(rows, 2)) return 0;
    for (i = first[least] + unit % COMBGPU__MAGIC_SEMI_PARTS; i < first[least + 1];
         i += COMBGPU__MAGIC_SEMI_PARTS) {
        rows[2] = series[i];
        if ((rows[2] & ~unused) || !combgpu__five_semi_weight(rows, 3)) continue;
        left = unused & ~rows[2];
        next = combgpu__lowest_bit64(left);
        for (k = first[next]; k < first[next + 1]; k++) {
            rows[3] = series[k];
            rows[4] = left & ~rows[3];
            if (rows[3] & ~left) continue;
            weight = combgpu__five_semi_weight(rows, 5);
            if (weight) sum += weight * combgpu__five_orthogonal(rows);
        }
    }
    return sum;
}

COMBGPU__PRIVATE int combgpu__five_semi_step(combgpu__worker *worker, void *memory, uint64_t unit)
{
    uint64_t found = combgpu__five_semi_unit(worker->tables, (uint32_t)unit);
    (void)memory;
    worker->totals[COMBGPU__MAGIC_HASH] += combgpu__mix(unit << 32 | found);
    worker->totals[COMBGPU__MAGIC_ORTHOGONAL] += found;
    return 1;
}

COMBGPU__PRIVATE void combgpu__five_semi_solve(combgpu__worker *worker)
{
    combgpu__magic_range_solve(worker, NULL, combgpu__five_semi_step);
}
