/* No-three-in-line kernels: count open cells of all lines at once, classify lines, convert boards
   of tasks. */

/* Counts are added up bit by bit (carry-save adders). */
#define COMBGPU__NO3_MAJORITY(a, b, c) (((a) & (b)) | ((c) & ((a) | (b))))

/* Bit i counts line i: 1 * s + 2 * t + 4 * f open cells, or, if e is set, 8 or more. */
typedef struct combgpu_no3_counts {
    uint32_t s, t, f, e;
} combgpu_no3_counts;

/* Adds counts line by line. */
COMBGPU__DEVICE void combgpu_no3_add_counts(combgpu_no3_counts *to, combgpu_no3_counts more)
{
    uint32_t c = to->s & more.s, c2 = COMBGPU__NO3_MAJORITY(to->t, more.t, c);
    to->s ^= more.s;
    to->t ^= more.t ^ c;
    to->e |= more.e | COMBGPU__NO3_MAJORITY(to->f, more.f, c2);
    to->f ^= more.f ^ c2;
}

/* Spreads a count, at most 15: bit i becomes the low bit of byte i. */
COMBGPU__DEVICE uint32_t combgpu_no3_spread(uint32_t count)
{
    return min(count, 15u) * 0x00204081u & 0x01010101u;
}

/* Returns the counts of another lane. */
COMBGPU__DEVICE combgpu_no3_counts combgpu_no3_counts_from(COMBGPU__GROUP_PARAMETER,
                                                           combgpu_no3_counts counts, uint32_t lane)
{
    combgpu_no3_counts other;
    other.s = COMBGPU__GROUP_FROM(counts.s, lane);
    other.t = COMBGPU__GROUP_FROM(counts.t, lane);
    other.f = COMBGPU__GROUP_FROM(counts.f, lane);
    other.e = COMBGPU__GROUP_FROM(counts.e, lane);
    return other;
}

/* Adds up the counts of four lanes, without a loop: Mesa 25's rusticl loses its first round. */
COMBGPU__DEVICE void combgpu_no3_counts_sum(COMBGPU__GROUP_PARAMETER, combgpu_no3_counts *lines)
{
    const uint32_t lane = COMBGPU__GROUP_LANE;
    combgpu_no3_add_counts(lines, combgpu_no3_counts_from(COMBGPU__GROUP, *lines, lane ^ 1));
    combgpu_no3_add_counts(lines, combgpu_no3_counts_from(COMBGPU__GROUP, *lines, lane ^ 2));
}

/* Makes a mask of lines for each class: kind[0] dead, kind[1] forced, then in order. `one` has the
   lines with any point, `two` those that need none. */
COMBGPU__DEVICE void combgpu_no3_kinds(uint32_t *kind, combgpu_no3_counts counts, uint32_t one,
                                       uint32_t two, const uint32_t steep)
{
    uint32_t s = counts.s, t = counts.t, f = counts.f, e = counts.e;
    uint32_t few = ~(two | f | e), rest = ~(two | one), single = one & ~two;
    kind[0] = few & ~t & ~(s & one);
    kind[1] = few & (s ^ t) & ~(s ^ one);
    kind[2] = few & t & (s ^ one);
    kind[3] = rest & f & ~(e | t | s);
    kind[4] = rest & f & s & ~(e | t);
    if (steep) {
        kind[3] |= single & s & t & ~(f | e);
        kind[5] = (rest & f & t & ~(s | e)) | (single & f & ~(s | t | e));
        kind[6] = (rest & (e | (f & t & s))) | (single & f & s & ~(t | e));
        kind[7] = single & (e | (f & t));
    } else {
        kind[5] = rest & (e | (f & t));
        kind[6] = single & (e | f | (s & t));
        kind[7] = 0;
    }
}

/* Returns the first line of the best class in `kind` and `kind_y`; *is_first and *is_second tell
   which has it. */
COMBGPU__DEVICE uint32_t combgpu_no3_best_line(const uint32_t *kind, const uint32_t *kind_y,
                                               uint32_t *is_first, uint32_t *is_second)
{
    uint32_t best = 0, best_y = 0, i, j;
    COMBGPU__NO3_UNROLL
    for (j = 7; j > 0; j--)
        if (kind[j] | kind_y[j]) {
            best = kind[j];
            best_y = kind_y[j];
        }
    i = COMBGPU__CLZ(best | best_y) & 31;
    *is_first = best << i >> 31;
    *is_second = best_y << i >> 31;
    return i;
}

/* ---- boards with a row of cells in a word, `share` words in each of four lanes */

/* Reads the lane's words, 6 or 8: see COMBGPU__NO3_LANE_WORD. */
COMBGPU__DEVICE void combgpu_no3_load_lane(uint32_t *words, COMBGPU__GLOBAL const uint32_t *from,
                                           const uint32_t share, const uint32_t lane)
{
    combgpu_no3_load(words, from + 4 * lane, 4);
    if (share == 8)
        combgpu_no3_load(words + 4, from + 16 + 4 * lane, 4);
    else {
        uint2 pair = *(COMBGPU__GLOBAL const uint2 *)(from + 16 + 2 * lane);
        words[4] = pair.x;
        words[5] = pair.y;
    }
}

COMBGPU__DEVICE void combgpu_no3_store_lane(COMBGPU__GLOBAL uint32_t *to, const uint32_t *words,
                                            const uint32_t share, const uint32_t lane)
{
    combgpu_no3_store(to + 4 * lane, words, 4);
    if (share == 8)
        combgpu_no3_store(to + 16 + 4 * lane, words + 4, 4);
    else {
        to[16 + 2 * lane] = words[4];
        to[17 + 2 * lane] = words[5];
    }
}

/* Makes such words of a task's board. `places`: see COMBGPU__NO3_PLACES. */
COMBGPU__DEVICE void combgpu_no3_load_board(uint32_t *words, const uint32_t share,
                                            const uint32_t lane,
                                            COMBGPU__GLOBAL const uint32_t *places,
                                            COMBGPU__GLOBAL const uint32_t *from)
{
    uint32_t j, k;
    places += 32 * share * lane;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++) {
        uint32_t word = 0;
        for (k = 0; k < 32; k++) {
            uint32_t place = places[32 * j + k];
            if (place != COMBGPU__NO3_NO_PLACE)
                word |= (from[place & 255] >> (place >> 8 & 31) & 1) << k;
        }
        words[j] = word;
    }
}

/* Makes a task's board, whose words are 0 before, of such words. */
COMBGPU__DEVICE void combgpu_no3_give_board(const uint32_t *words, const uint32_t share,
                                            const uint32_t lane,
                                            COMBGPU__GLOBAL const uint32_t *places,
                                            COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t j, word;
    places += 32 * share * lane;
    COMBGPU__NO3_UNROLL
    for (j = 0; j < share; j++)
        for (word = words[j]; word; word &= word - 1) {
            uint32_t place = places[32 * j + COMBGPU__CTZ(word)];
            COMBGPU__ATOMIC_OR(&to[place & 255], 1u << (place >> 8 & 31));
            COMBGPU__ATOMIC_OR(&to[place >> 16 & 255], 1u << (place >> 24));
        }
}
