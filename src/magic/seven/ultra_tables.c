/* Makes the tables of the lifting search for ultramagic squares of order 7 (seven/ultra.c). */

typedef struct combgpu__seven_ultra_group {
    unsigned char to[48][24]; /* symmetry g takes the value of cell to[g][i] & 31 to cell i ... */
    uint32_t turned[48];      /* ... and turns the signs of these */
} combgpu__seven_ultra_group;

/* The pair of a cell: the first of the two cells opposite each other. */
COMBGPU__PRIVATE int combgpu__seven_ultra_pair(int cell)
{
    return cell < 24 ? cell : 48 - cell;
}

COMBGPU__PRIVATE void combgpu__seven_ultra_symmetries(const combgpu__magic_state *state,
                                                      combgpu__seven_ultra_group *group)
{
    int g, i, cell;
    memset(group, 0, sizeof *group);
    for (g = 0; g < 48; g++)
        for (i = 0; i < 24; i++) {
            cell = state->image[g % 8][state->more[g / 8][i]];
            group->to[g][i] = (unsigned char)combgpu__seven_ultra_pair(cell);
            if (cell > 24) {
                group->to[g][i] |= 128;
                group->turned[g] |= 1u << i;
            }
        }
}

/* Writes the lines as two words each: the cells with sign + and with sign -. Lines through the
   centre add nothing, and a line and its opposite are equivalent. */
COMBGPU__PRIVATE void combgpu__seven_ultra_lines(const combgpu__magic_state *state, uint32_t *lines)
{
    int k, i, m, count = 0;
    for (k = 0; k < state->line_count; k++) {
        uint32_t plus = 0, minus = 0, known = 0;
        if (state->lines[k].length != 7) continue;
        for (i = 0; i < 7; i++) {
            int cell = state->lines[k].cells[i];
            if (cell < 24) plus |= 1u << cell;
            if (cell > 24) minus |= 1u << (48 - cell);
        }
        known = plus == minus;
        for (m = 0; m < count; m++)
            known |= lines[2 * m] == minus && lines[2 * m + 1] == plus;
        if (known || count == COMBGPU__ULTRA_LINES) continue;
        lines[2 * count] = plus;
        lines[2 * count + 1] = minus;
        count++;
    }
}

/* Solves the equations mod 64: value i is the sum of vector[k][i] times coordinate k. Every row has
   a pivot that is odd, since the equations are independent mod 2. */
COMBGPU__PRIVATE void combgpu__seven_ultra_vectors(const uint32_t *lines,
                                                   unsigned char vector[12][24])
{
    unsigned row[COMBGPU__ULTRA_LINES][24], t;
    int pivot[24], column, k, i, m, done = 0;
    for (k = 0; k < COMBGPU__ULTRA_LINES; k++)
        for (i = 0; i < 24; i++)
            row[k][i] = (lines[2 * k] >> i & 1) + 63 * (lines[2 * k + 1] >> i & 1);
    for (column = 23; column >= 0; column--) {
        pivot[column] = -1;
        for (k = done; k < COMBGPU__ULTRA_LINES && !(row[k][column] & 1); k++) {
        }
        if (k == COMBGPU__ULTRA_LINES) continue;
        for (i = 0; i < 24; i++)
            t = row[k][i], row[k][i] = row[done][i], row[done][i] = t;
        while (row[done][column] != 1) /* the powers of an odd number reach 1 */
            for (t = row[done][column], i = 0; i < 24; i++)
                row[done][i] = row[done][i] * t & 63;
        for (m = 0; m < COMBGPU__ULTRA_LINES; m++)
            for (t = row[m][column], i = 0; i < 24 && m != done; i++)
                row[m][i] = (row[m][i] + (64 - t) * row[done][i]) & 63;
        pivot[column] = done++;
    }
    for (column = k = 0; column < 24 && k < 12; column++) {
        if (pivot[column] >= 0) continue;
        for (i = 0; i < 24; i++)
            vector[k][i] =
                (unsigned char)(pivot[i] < 0 ? i == column : (64 - row[pivot[i]][column]) & 63);
        k++;
    }
}

/* Writes the tables of words, sums and rows, each for 6 coordinates or cells at a time. */
COMBGPU__PRIVATE void combgpu__seven_ultra_sums(unsigned char vector[12][24], uint32_t *tables)
{
    int part, set, k, i;
    for (part = 0; part < 4; part++)
        for (set = 0; set < 64; set++) {
            uint32_t word = 0, row = 0;
            for (i = 0; i < 24 && part < 2; i++) {
                unsigned sum = 0;
                for (k = 0; k < 6; k++)
                    sum += (set >> k & 1) * vector[6 * part + k][i];
                word |= (uint32_t)(sum & 1) << i;
                tables[COMBGPU__ULTRA_AT_SUM + 6 * (64 * part + set) + i / 4] |=
                    (uint32_t)(sum & 63) << 8 * (i % 4);
            }
            if (part < 2) tables[COMBGPU__ULTRA_AT_WORD + 64 * part + set] = word;
            for (k = 0; k < 12; k++)
                for (i = 0; i < 6; i++)
                    row ^= (uint32_t)(set >> i & vector[k][6 * part + i] & 1) << k;
            tables[COMBGPU__ULTRA_AT_ROW + 64 * part + set] = row;
        }
}

/* Returns the image of a plane 0, or of plane 1 above plane 0, whose image is `odd`. */
COMBGPU__PRIVATE uint32_t combgpu__seven_ultra_image(const combgpu__seven_ultra_group *group, int g,
                                                     uint32_t word, uint32_t odd)
{
    uint32_t image = group->turned[g] & odd;
    int i;
    for (i = 0; i < 24; i++)
        image ^= (word >> (group->to[g][i] & 31) & 1) << i;
    return image;
}

/* Returns the symmetries in `keep` that keep a plane, or 0 if one makes it less. */
COMBGPU__PRIVATE uint64_t combgpu__seven_ultra_keeps(const combgpu__seven_ultra_group *group,
                                                     uint64_t keep, uint32_t word, uint32_t odd)
{
    uint64_t left = keep;
    for (; left; left &= left - 1) {
        int g = combgpu__lowest_bit64(left);
        uint32_t image = combgpu__seven_ultra_image(group, g, word, odd);
        if (image < word) return 0;
        if (image > word) keep ^= UINT64_C(1) << g;
    }
    return keep;
}

/* Writes the origins to `to`. Returns their number. */
COMBGPU__PRIVATE uint32_t combgpu__seven_ultra_find(const uint32_t *tables,
                                                    const combgpu__seven_ultra_group *group,
                                                    uint32_t *to)
{
    uint32_t first, second, count = 0;
    for (first = 0; first < 4096; first++) {
        combgpu__seven_ultra_sum sum = {{0, 0, 0}};
        uint32_t odd = combgpu__seven_ultra_word(tables, first), base;
        uint64_t keep = (UINT64_C(1) << 48) - 1, kept;
        if (combgpu__popcount64(odd) != 12) continue;
        keep = combgpu__seven_ultra_keeps(group, keep, odd, 0);
        combgpu__seven_ultra_add(tables, &sum, first, 0);
        base = combgpu__seven_ultra_bit(&sum, 1);
        for (second = 0; second < 4096 && keep; second++) {
            uint32_t plane = base ^ combgpu__seven_ultra_word(tables, second);
            if (combgpu__popcount64(plane & ~odd) != 6) continue;
            kept = combgpu__seven_ultra_keeps(group, keep, plane, odd);
            if (!kept || count == COMBGPU__ULTRA_MOST) continue;
            *to = first | second << 12;
            combgpu__put64(to + 1, kept ^ 1); /* without the identity */
            to += COMBGPU__ULTRA_ORIGIN;
            count++;
        }
    }
    return count;
}

COMBGPU__PRIVATE combgpu_status combgpu__seven_ultra_tables(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    combgpu__seven_ultra_group group;
    unsigned char vector[12][24];
    uint32_t *tables;
    int i, g;
    combgpu_status status = combgpu__job_tables(
        job, COMBGPU__ULTRA_AT_ORIGIN + COMBGPU__ULTRA_ORIGIN * COMBGPU__ULTRA_MOST);
    if (status) return status;
    tables = combgpu__tables(job);
    combgpu__seven_ultra_symmetries(state, &group);
    combgpu__seven_ultra_lines(state, tables + COMBGPU__ULTRA_AT_LINE);
    combgpu__seven_ultra_vectors(tables + COMBGPU__ULTRA_AT_LINE, vector);
    combgpu__seven_ultra_sums(vector, tables);
    for (i = 0; i < 48 * 24; i++)
        tables[COMBGPU__ULTRA_AT_IMAGE + i / 4] |= (uint32_t)group.to[i / 24][i % 24]
                                                   << 8 * (i % 4);
    for (g = 0; g < 6; g++)
        for (i = 0; i < 49; i++)
            tables[COMBGPU__ULTRA_AT_CELL + 13 * g + i / 4] |= (uint32_t)state->more[g][i]
                                                               << 8 * (i % 4);
    tables[COMBGPU__ULTRA_AT_LIST] = state->desc.solution != NULL;
    tables[COMBGPU__ULTRA_AT_ORIGINS] =
        combgpu__seven_ultra_find(tables, &group, tables + COMBGPU__ULTRA_AT_ORIGIN);
    return COMBGPU_OK;
}
