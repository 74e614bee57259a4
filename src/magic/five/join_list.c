/* Delivers (join) or lists (list) the order 5 squares of configurations. */

/* A filled ring: t1 t2 t3, m1 m3, b1 b2 b3 (five/join.c). */
typedef struct combgpu__five_filling {
    uint16_t key, next; /* next filling with the same key; UINT16_MAX = none */
    unsigned char number[8];
} combgpu__five_filling;
#define COMBGPU__MAGIC_FILLINGS (COMBGPU__MAGIC_SIDES * 12 * 10) /* left, t3, b3 */
#define COMBGPU__MAGIC_MATCHES 1280 /* squares of a configuration: at most 1,256 */

/* A square: fillings of rings 1 and 2. The code orders the squares of a configuration: 4 bits for
   each of t1 t3 b1 b3 of ring 1, then of ring 2. */
typedef struct combgpu__five_match {
    uint32_t code;
    uint16_t one, two;
} combgpu__five_match;

struct combgpu__magic_lister {
    combgpu__five_join join;
    combgpu__five_filling fillings[2][COMBGPU__MAGIC_FILLINGS];
    uint16_t heads[COMBGPU__MAGIC_SUBSETS]; /* first filling of ring 1 with a set, by its rank */
    combgpu__five_match matches[COMBGPU__MAGIC_MATCHES];
};

/* Makes the fillings of a ring whose left and top triples are given; returns their number. */
COMBGPU__PRIVATE int combgpu__five_fill(const combgpu__five_join *join, const combgpu__five_side *l,
                                        const combgpu__five_side *t, int below, int beside,
                                        combgpu__five_filling *out)
{
    uint64_t mirror = join->mirror & ~(l->mirror | t->mirror);
    uint32_t used = l->used | t->used, first = 1u << l->first, last_l = 1u << l->last;
    uint32_t corners = join->unused & ~used & combgpu__five_mirrored(mirror, below) &
                       combgpu__five_mirrored(mirror, beside) & combgpu__five_not_half(below) &
                       combgpu__five_not_half(beside);
    int count = 0, b3;
    if ((t->used & l->used) != first || below == beside) return 0;
    for (; corners; corners &= corners - 1, count++, out++) {
        b3 = combgpu__lowest_bit64(corners);
        out->number[0] = l->first;
        out->number[1] = (unsigned char)combgpu__lowest_bit64(t->used & ~(first | 1u << t->last));
        out->number[2] = t->last;
        out->number[3] = (unsigned char)combgpu__lowest_bit64(l->used & ~(first | last_l));
        out->number[4] = (unsigned char)(beside - b3);
        out->number[5] = l->last;
        out->number[6] = (unsigned char)(below - b3);
        out->number[7] = (unsigned char)b3;
        out->key = (uint16_t)(l->key | t->key | join->bit[b3] | join->bit[below - b3] |
                              join->bit[beside - b3]);
    }
    return count;
}

/* Makes all fillings of a ring; returns their number. */
COMBGPU__PRIVATE int combgpu__five_fillings(const combgpu__five_join *join, uint32_t way,
                                            combgpu__five_filling *out)
{
    const combgpu__five_sides *top = &join->sides[way & 15], *left = &join->sides[way >> 8 & 15];
    int bottom = join->sides[way >> 4 & 15].sum, right = join->sides[way >> 12 & 15].sum;
    int i, k, count = 0;
    for (i = 0; i < left->count; i++) {
        const combgpu__five_side *l = &left->side[i];
        for (k = top->begin[l->first]; k < top->begin[l->first + 1]; k++)
            count += combgpu__five_fill(join, l, &top->side[k], bottom - l->last,
                                        right - top->side[k].last, out + count);
    }
    return count;
}

/* Makes the square of a configuration and two fillings. */
COMBGPU__PRIVATE void combgpu__five_square(const uint32_t *pair, uint32_t way,
                                           const unsigned char *ring1, const unsigned char *ring2,
                                           int *square)
{
    /* cells of t1 .. b3, then a00 a44 a11 a33, a04 a40 a31 a13 (as in a way's first 16 bits) */
    static const unsigned char cells1[8] = {1, 2, 3, 11, 13, 21, 22, 23};
    static const unsigned char cells2[8] = {5, 10, 15, 7, 17, 9, 14, 19};
    static const unsigned char main_cells[4] = {0, 24, 6, 18}, other_cells[4] = {4, 20, 16, 8};
    int i;
    square[12] = (int)(pair[0] & 31);
    for (i = 0; i < 4; i++) {
        square[main_cells[i]] = combgpu__five_diagonal_number(pair, (int)(way >> (4 * i + 2) & 3));
        square[other_cells[i]] = combgpu__five_diagonal_number(pair, 4 + (int)(way >> 4 * i & 3));
    }
    for (i = 0; i < 8; i++) {
        square[cells1[i]] = ring1[i];
        square[cells2[i]] = ring2[i];
    }
}

COMBGPU__PRIVATE void combgpu__five_lister_start(combgpu__magic_lister *lister,
                                                 const uint32_t *tables)
{
    memset(lister->heads, 255, sizeof lister->heads);
    combgpu__five_join_start(&lister->join, tables);
}

/* Returns the head of a set's chain of fillings. */
COMBGPU__PRIVATE uint16_t *combgpu__five_head(combgpu__magic_lister *lister, uint32_t set)
{
    return &lister->heads[lister->join.high[set >> 8 & 255] + lister->join.low[set & 255]];
}

COMBGPU__PRIVATE uint32_t combgpu__five_code(const combgpu__five_join *join,
                                             const unsigned char *number)
{
    static const unsigned char corners[4] = {0, 2, 5, 7};
    uint32_t code = 0;
    int i;
    for (i = 0; i < 4; i++)
        code = code << 4 | (uint32_t)combgpu__lowest_bit64(join->bit[number[corners[i]]]);
    return code;
}

/* Finds the squares of a configuration, in order, as matches; returns their number. */
COMBGPU__PRIVATE uint32_t combgpu__five_matches(combgpu__magic_lister *lister,
                                                const uint32_t *tables, uint32_t number)
{
    uint32_t way = tables[COMBGPU__JOIN_AT_WAY + number % COMBGPU__MAGIC_WAYS], count = 0, at;
    combgpu__five_match *matches = lister->matches;
    combgpu__five_filling *one = lister->fillings[0], *two = lister->fillings[1];
    int count1, count2, i;
    combgpu__five_join_pair(&lister->join, tables, number / COMBGPU__MAGIC_WAYS);
    count1 = combgpu__five_fillings(&lister->join, way & 0xffff, one);
    for (i = 0; i < count1; i++) {
        uint16_t *head = combgpu__five_head(lister, one[i].key);
        one[i].next = *head;
        *head = (uint16_t)i;
    }
    count2 = combgpu__five_fillings(&lister->join, way >> 16, two);
    for (i = 0; i < count2; i++) {
        uint32_t k = *combgpu__five_head(lister, ~(uint32_t)two[i].key);
        for (; k != UINT16_MAX && count < COMBGPU__MAGIC_MATCHES; k = one[k].next) {
            combgpu__five_match match;
            match.code = combgpu__five_code(&lister->join, one[k].number) << 16 |
                         combgpu__five_code(&lister->join, two[i].number);
            match.one = (uint16_t)k;
            match.two = (uint16_t)i;
            for (at = count++; at && matches[at - 1].code > match.code; at--)
                matches[at] = matches[at - 1];
            matches[at] = match;
        }
    }
    for (i = 0; i < count1; i++)
        *combgpu__five_head(lister, one[i].key) = UINT16_MAX;
    return count;
}

/* Makes the square of a match. */
COMBGPU__PRIVATE void combgpu__five_match_square(const combgpu__magic_lister *lister,
                                                 const uint32_t *tables, uint32_t number,
                                                 const combgpu__five_match *match, int *square)
{
    combgpu__five_square(
        tables + COMBGPU__JOIN_AT_PAIR + 2 * (size_t)(number / COMBGPU__MAGIC_WAYS),
        tables[COMBGPU__JOIN_AT_WAY + number % COMBGPU__MAGIC_WAYS],
        lister->fillings[0][match->one].number, lister->fillings[1][match->two].number, square);
}

/* Returns how many squares of the list one square represents, in a pair with this centre. */
COMBGPU__PRIVATE uint32_t combgpu__five_images(int given, int frenicle, uint32_t centre)
{
    return (given || centre == 13 ? 4u : 8u) * (frenicle ? 1u : 8u);
}

/* Delivers the squares of a configuration, whose number must equal the device's count. */
COMBGPU__PRIVATE combgpu__result combgpu__five_hand_out(combgpu_job *job, uint32_t number,
                                                        uint32_t expected)
{
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    uint32_t centre =
        combgpu__tables(job)[COMBGPU__JOIN_AT_PAIR + 2 * (size_t)(number / COMBGPU__MAGIC_WAYS)] &
        31;
    uint32_t squares = combgpu__five_matches(state->lister, combgpu__tables(job), number), i;
    uint64_t calls = state->desc.frenicle ? 1 : 8;
    uint64_t each = combgpu__five_images(state->centre, state->desc.frenicle, centre);
    combgpu__result result = COMBGPU__CONTINUE;
    int square[25];
    if (squares != expected)
        return combgpu__as_result(
            combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                          "kernel combgpu_magic_join: configuration %u has %u squares, not %u",
                          number, squares, expected));
    for (i = 0; i < squares && result == COMBGPU__CONTINUE; i++) {
        combgpu__five_match_square(state->lister, combgpu__tables(job), number,
                                   &state->lister->matches[i], square);
        result = combgpu__magic_deliver_m_group(job, square, i * each, calls);
    }
    return combgpu__magic_delivered(job, result, squares * each);
}

COMBGPU__PRIVATE combgpu__result combgpu__five_join_record(combgpu_job *job, const uint32_t *record)
{
    if (!combgpu__five_join_validate_record(job, record)) /* a device may be faulty */
        return combgpu__as_result(
            combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                          "kernel combgpu_magic_join: invalid configuration %u", record[0]));
    return combgpu__five_hand_out(job, record[0], record[1]);
}

COMBGPU__PRIVATE void combgpu__five_release(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    combgpu__release(combgpu__context(job), state->lister);
}

/* ---- the list: squares are made where the solver runs; a step is a pair of diagonals */

COMBGPU__PRIVATE combgpu_status combgpu__five_list_tables(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    combgpu_status status =
        combgpu__five_join_tables(job, COMBGPU__MAGIC_PAIRS + COMBGPU__LIST_AT_WORDS);
    uint32_t pairs, *more;
    if (status) return status;
    pairs = combgpu__tables(job)[COMBGPU__JOIN_AT_PAIRS];
    more = combgpu__tables(job) + COMBGPU__JOIN_AT_PAIR + 2 * (size_t)pairs;
    if (state->offsets) memcpy(more, state->offsets, pairs * sizeof *more);
    more += pairs;
    more[COMBGPU__LIST_AT_CENTRE] = (uint32_t)state->centre;
    more[COMBGPU__LIST_AT_FRENICLE] = state->goal != COMBGPU__MAGIC_WRITES || state->desc.frenicle;
    more[COMBGPU__LIST_AT_FIRST] = state->first;
    more[COMBGPU__LIST_AT_COUNT] = state->count;
    combgpu__put64(more + COMBGPU__LIST_AT_SHIFT, state->shift);
    combgpu__tables(job)[COMBGPU__JOIN_AT_LIST] = (uint32_t)state->goal;
    combgpu__job_trim_tables(job,
                             COMBGPU__JOIN_AT_PAIR + 3 * (size_t)pairs + COMBGPU__LIST_AT_WORDS);
    return COMBGPU_OK;
}

/* A record is a pair and the number of its squares up to the M-group. */
COMBGPU__PRIVATE int combgpu__five_list_validate_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(job);
    return state->goal == COMBGPU__MAGIC_COUNTS && record[0] >= state->range.begin &&
           record[0] < state->range.end;
}

COMBGPU__PRIVATE combgpu__result combgpu__five_list_record(combgpu_job *job, const uint32_t *record)
{
    combgpu__magic_state *state = (combgpu__magic_state *)combgpu__state(job);
    if (!combgpu__five_list_validate_record(job, record)) /* a device may be faulty */
        return combgpu__as_result(combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                                                "kernel combgpu_magic_lists: invalid pair %u",
                                                record[0]));
    state->index[record[0]] = record[1];
    return COMBGPU__CONTINUE;
}

/* Hashes or writes one square of the list, given its number; returns the hash. */
COMBGPU__PRIVATE uint64_t combgpu__five_put_one(const combgpu__magic_state *state,
                                                const int *square, uint32_t at)
{
    unsigned char bytes[25], *to = bytes;
    int i;
    if (state->goal == COMBGPU__MAGIC_WRITES) {
        if (at - state->first >= state->count) return 0;
        to = state->out + (size_t)(at - state->first) * 25;
    }
    for (i = 0; i < 25; i++)
        to[i] = (unsigned char)square[i];
    return state->goal == COMBGPU__MAGIC_HASHES ? combgpu__fnv(COMBGPU__FNV_OFFSET, bytes, 25) : 0;
}

/* Lists the images of a square from number `at` on, each in all orientations or in Frenicle form.
   Returns the sum of the hashes. */
COMBGPU__PRIVATE uint64_t combgpu__five_put_images(const combgpu__magic_state *state,
                                                   const int *square, uint32_t at)
{
    int frenicle = state->goal != COMBGPU__MAGIC_WRITES || state->desc.frenicle;
    int image[25], turned[25], g, i, end, k = combgpu__magic_m_images(state, square, &end);
    uint64_t hash = 0;
    for (; k < end; k++) {
        combgpu__magic_m_image(5, square, k, image);
        if (frenicle) {
            combgpu__magic_to_frenicle(5, image);
            hash += combgpu__five_put_one(state, image, at++);
            continue;
        }
        for (g = 0; g < 8; g++) {
            for (i = 0; i < 25; i++)
                turned[i] = image[state->image[g][i]];
            combgpu__five_put_one(state, turned, at++);
        }
    }
    return hash;
}

/* The memory of a worker. */
typedef struct combgpu__five_list_work {
    combgpu__five_joiner join; /* for COUNTS, and to find the configurations with squares */
    combgpu__magic_lister lister;
} combgpu__five_list_work;

/* Counts, hashes or writes the squares of a pair; returns their number up to the M-group. */
COMBGPU__PRIVATE uint32_t combgpu__five_list_pair(combgpu__worker *worker,
                                                  combgpu__five_list_work *work, uint32_t pair)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(worker->job);
    const uint32_t *tables = worker->tables;
    uint32_t centre = tables[COMBGPU__JOIN_AT_PAIR + 2 * (size_t)pair] & 31, w, i, found, sum = 0;
    uint32_t images = combgpu__five_images(state->centre, state->desc.frenicle, centre);
    uint32_t at = tables[COMBGPU__JOIN_AT_PAIR + 2 * (size_t)tables[COMBGPU__JOIN_AT_PAIRS] + pair];
    for (w = 0; w < COMBGPU__MAGIC_WAYS; w++, sum += found) {
        uint32_t number = pair * COMBGPU__MAGIC_WAYS + w;
        found = combgpu__five_joined(&work->join, worker, number);
        if (!found || state->goal == COMBGPU__MAGIC_COUNTS) continue;
        if (state->goal == COMBGPU__MAGIC_WRITES &&
            (at + (sum + found) * images <= state->first ||
             at + sum * images >= state->first + state->count))
            continue;
        combgpu__five_matches(&work->lister, tables, number);
        for (i = 0; i < found; i++) {
            int square[25];
            combgpu__five_match_square(&work->lister, tables, number, &work->lister.matches[i],
                                       square);
            worker->totals[COMBGPU__MAGIC_HASH] +=
                combgpu__five_put_images(state, square, at + (sum + i) * images);
        }
    }
    return sum;
}

COMBGPU__PRIVATE int combgpu__five_list_step(combgpu__worker *worker, void *memory, uint64_t pair)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)combgpu__state(worker->job);
    uint32_t centre = worker->tables[COMBGPU__JOIN_AT_PAIR + 2 * pair] & 31, record[2];
    record[0] = (uint32_t)pair;
    record[1] = combgpu__five_list_pair(worker, (combgpu__five_list_work *)memory, (uint32_t)pair);
    if (state->goal == COMBGPU__MAGIC_COUNTS && !combgpu__emit(worker, record)) return 0;
    worker->totals[COMBGPU__MAGIC_JOINED + centre] += record[1];
    return 1;
}

COMBGPU__PRIVATE void combgpu__five_list_solve(combgpu__worker *worker)
{
    combgpu__five_list_work *work =
        (combgpu__five_list_work *)combgpu__magic_work(worker, sizeof(combgpu__five_list_work));
    combgpu__five_joiner_start(&work->join, worker);
    combgpu__five_lister_start(&work->lister, worker->tables);
    combgpu__magic_range_solve(worker, work, combgpu__five_list_step);
}
