/* The join of order 5 where a few numbers are given. */

/* A configuration stands for the 32 images of its squares under rotations, reflections and the
   M-group, and, unless the centre is 13, for their complements. If all givens are on the diagonals,
   the configuration tells how many of these images agree with them; its squares count so many
   times. Counting thus never takes longer than without givens. The search takes at least twice as
   long until several are given. */

/* Finds the cell of a configuration that each image takes to a given cell. */
COMBGPU__PRIVATE void combgpu__five_given_start(combgpu__magic_state *state)
{
    int map, i, count = 0;
    for (i = 0; i < 25; i++) {
        if (!state->givens[i]) continue;
        for (map = 0; map < 32; map++) { /* first the M-group, then D4: see core/deliver.c */
            const unsigned char *to = combgpu__magic_m_order[1][map / 8];
            int cell = state->image[map % 8][i];
            state->given_from[map][count] = (unsigned char)(5 * to[cell / 5] + to[cell % 5]);
        }
        state->given_want[count++] = (unsigned char)state->givens[i];
    }
    state->given_on = count;
}

/* Writes the diagonals of a configuration, in a square of 25 cells. */
COMBGPU__PRIVATE void combgpu__five_given_square(const uint32_t *pair, uint32_t way,
                                                 unsigned char *square)
{
    static const unsigned char cells[8] = {0, 24, 6, 18,
                                           4, 20, 8, 16}; /* of a then b, as in ways */
    static const unsigned char split[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
    static const unsigned char outer[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                              {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    const unsigned char *a = split[way / 12], *b = outer[way / 2 % 6];
    int i;
    memset(square, 0, 25);
    square[12] = (unsigned char)(pair[0] & 31);
    for (i = 0; i < 4; i++)
        square[cells[i]] = (unsigned char)combgpu__five_diagonal_number(pair, a[i]);
    square[4] = (unsigned char)combgpu__five_diagonal_number(pair, 4 + b[0]);
    square[20] = (unsigned char)combgpu__five_diagonal_number(pair, 4 + b[1]);
    square[8] = (unsigned char)combgpu__five_diagonal_number(pair, 4 + b[2 + way % 2]);
    square[16] = (unsigned char)combgpu__five_diagonal_number(pair, 4 + b[3 - way % 2]);
}

/* Returns how many images of a configuration, or of its complement, agree with the givens. */
COMBGPU__PRIVATE uint32_t combgpu__five_given_weight(const combgpu__magic_state *state,
                                                     const unsigned char *square, int complement)
{
    uint32_t weight = 0;
    int map, i;
    for (map = 0; map < 32; map++) {
        for (i = 0; i < state->given_on; i++) {
            int number = square[state->given_from[map][i]];
            if ((complement ? 26 - number : number) != state->given_want[i]) break;
        }
        weight += i == state->given_on;
    }
    return weight;
}

/* A record is a configuration and the number of its squares. */
COMBGPU__PRIVATE combgpu__result combgpu__five_given_record(combgpu_job *job,
                                                            const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    uint64_t *accumulators = combgpu__accumulators(job), classes;
    uint32_t part[3];
    unsigned char square[25];
    const uint32_t *pair;
    if (!combgpu__five_join_validate_record(job, record)) /* a device may be faulty */
        return combgpu__as_result(
            combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                          "kernel combgpu_magic_join: invalid configuration %u", record[0]));
    pair = combgpu__tables(job) + COMBGPU__JOIN_AT_PAIR +
           2 * (size_t)(record[0] / COMBGPU__MAGIC_WAYS);
    combgpu__five_given_square(pair, record[0] % COMBGPU__MAGIC_WAYS, square);
    part[0] = record[0];
    for (part[1] = 0; part[1] < (square[12] == 13 ? 1u : 2u); part[1]++) {
        uint32_t weight = combgpu__five_given_weight(state, square, (int)part[1]);
        part[2] = weight * record[1];
        if (!weight) continue;
        classes = (uint64_t)(weight / (uint32_t)state->image_count) * record[1];
        accumulators[COMBGPU__MAGIC_CLASSES] += classes;
        accumulators[COMBGPU__MAGIC_BY_CENTRE + (part[1] ? 26 - square[12] : square[12])] +=
            classes;
        accumulators[COMBGPU__MAGIC_CHECKSUM] +=
            combgpu__fnv(COMBGPU__FNV_OFFSET, part, sizeof part);
    }
    return combgpu__magic_limit_reached(job) ? COMBGPU__ENOUGH : COMBGPU__CONTINUE;
}
