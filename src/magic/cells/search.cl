/* The search over cells: one lane is a worker. Words of `tables`: layout.h; tasks and records:
   cells/search.c. Sets of numbers are 64 bits, bit v for number v; a mirror has bit cells + 1 - v. */
#define COMBGPU__MAGIC_LEVEL_COUNT (tables[COMBGPU__SEARCH_AT_LEVELS])
#define COMBGPU__MAGIC_START(level) (tables[COMBGPU__SEARCH_AT_START + (level)])
#define COMBGPU__MAGIC_ENTRY(position) (tables[COMBGPU__SEARCH_AT_ENTRY + (position)])

typedef struct combgpu_cells_t {
    uint32_t cells;
    uint64_t unused[COMBGPU__MAGIC_LEVELS], mirror[COMBGPU__MAGIC_LEVELS]; /* before a level */
    uint64_t mask[COMBGPU__MAGIC_LEVELS]; /* numbers still to try at a level */
    uint8_t values[40];                   /* by position; [cells] stays 0 */
} combgpu_cells_t;

/* Returns what is left of the sum of a line, given by its two words. */
COMBGPU__DEVICE int32_t combgpu_cells_rest(const combgpu_cells_t *m, uint32_t a, uint32_t b)
{
    return (int32_t)(a & 255) -
           (int32_t)(m->values[(a >> 8) & 255] + m->values[(a >> 16) & 255] + m->values[a >> 24] +
                     m->values[b & 255] + m->values[(b >> 8) & 255]);
}

/* Bimagic squares: returns whether `number` may complete the line of these two words. */
COMBGPU__DEVICE uint32_t combgpu_cells_squares(const combgpu_cells_t *m, uint32_t sum, uint32_t a,
                                               uint32_t b, uint32_t number)
{
    uint32_t i, value;
    for (i = 8; i < 48; i += 8) {
        value = m->values[((i < 32 ? a : b) >> (i & 31)) & 255];
        sum -= value * value;
    }
    return sum == number * number;
}

/* Sets up `level`: the numbers to try leave its lines a partner and satisfy its relations. */
COMBGPU__DEVICE void combgpu_cells_ready(combgpu_cells_t *m, COMBGPU__GLOBAL const uint32_t *tables,
                                         uint32_t level, uint64_t unused, uint64_t mirror)
{
    uint32_t at = COMBGPU__MAGIC_ENTRY(COMBGPU__MAGIC_START(level)), head = tables[at++], i;
    uint64_t mask = unused;
    for (i = (head >> 8) & 255; i; i--, at += 2) {
        int32_t rest = combgpu_cells_rest(m, tables[at], tables[at + 1]);
        int32_t shift = (int32_t)m->cells + 1 - rest;
        if (rest < 2 || rest > 2 * (int32_t)m->cells) {
            mask = 0;
            break;
        }
        mask &= shift < 0 ? mirror << -shift : mirror >> shift;
        if ((rest & 1) == 0) mask &= ~((uint64_t)1 << (rest / 2));
    }
    for (i = mask ? head >> 16 : 0; i; i--, at++) {
        uint64_t below = ((uint64_t)1 << m->values[tables[at] & 255]) - 1;
        mask &= tables[at] & 256 ? ~below : below; /* the number itself is used already */
    }
    m->unused[level] = unused;
    m->mirror[level] = mirror;
    m->mask[level] = mask;
}

/* Tries a number in a level's first cell. Returns 0 if impossible, 1 if the next level is ready, 2
   if the square is full. */
COMBGPU__DEVICE uint32_t combgpu_cells_try(combgpu_cells_t *m,
                                           COMBGPU__GLOBAL const uint32_t *tables, uint32_t level,
                                           uint32_t number)
{
    uint32_t position = COMBGPU__MAGIC_START(level), end = COMBGPU__MAGIC_START(level + 1), at,
             head, i;
    uint64_t unused = m->unused[level], mirror = m->mirror[level];
    for (;;) {
        int32_t rest;
        m->values[position] = (uint8_t)number;
        unused ^= (uint64_t)1 << number;
        mirror ^= (uint64_t)1 << (m->cells + 1 - number);
        if (++position == end) break;
        at = COMBGPU__MAGIC_ENTRY(position);
        head = tables[at];
        rest = combgpu_cells_rest(m, tables[at + 1], tables[at + 2]);
        if (rest < 1 || rest > (int32_t)m->cells || !((unused >> rest) & 1)) return 0;
        number = (uint32_t)rest;
        at++;
        for (i = (head >> 8) & 255; i; i--, at += 2)
            if (combgpu_cells_rest(m, tables[at], tables[at + 1]) != rest ||
                (tables[COMBGPU__SEARCH_AT_SQUARES] &&
                 !combgpu_cells_squares(m, tables[COMBGPU__SEARCH_AT_SQUARES], tables[at],
                                        tables[at + 1], number)))
                return 0;
        for (i = head >> 16; i; i--, at++)
            if ((number > m->values[tables[at] & 255]) != ((tables[at] & 256) != 0)) return 0;
    }
    if (level + 1 == COMBGPU__MAGIC_LEVEL_COUNT) return 2;
    combgpu_cells_ready(m, tables, level + 1, unused, mirror);
    return 1;
}

COMBGPU__DEVICE uint32_t combgpu_cells_load(combgpu_cells_t *m,
                                            COMBGPU__GLOBAL const uint32_t *tables,
                                            COMBGPU__GLOBAL const uint32_t *task)
{
    uint32_t level = task[0], end = COMBGPU__MAGIC_START(level), p;
    uint64_t unused = ((uint64_t)2 << m->cells) - 2, mirror = unused;
    for (p = 0; p < end; p++) {
        uint32_t number = (task[3 + p / 4] >> (8 * (p & 3))) & 255;
        m->values[p] = (uint8_t)number;
        unused &= ~((uint64_t)1 << number);
        mirror &= ~((uint64_t)1 << (m->cells + 1 - number));
    }
    m->unused[level] = unused;
    m->mirror[level] = mirror;
    m->mask[level] = task[1] | (uint64_t)task[2] << 32;
    return level;
}

/* Spills what is left of a level. */
COMBGPU__DEVICE void combgpu_cells_give(const combgpu_cells_t *m,
                                        COMBGPU__GLOBAL combgpu__slice *slice,
                                        COMBGPU__GLOBAL const uint32_t *tables,
                                        COMBGPU__GLOBAL uint32_t *left, uint32_t level)
{
    COMBGPU__GLOBAL uint32_t *task = left + combgpu_give(slice) * slice->task_words;
    uint32_t end = COMBGPU__MAGIC_START(level), words = slice->task_words - 3, w, p, word;
    task[0] = level;
    task[1] = (uint32_t)m->mask[level];
    task[2] = (uint32_t)(m->mask[level] >> 32);
    for (w = 0; w < words; w++) {
        word = 0;
        for (p = 4 * w; p < 4 * w + 4 && p < end; p++)
            word |= (uint32_t)m->values[p] << (8 * (p & 3));
        task[3 + w] = word;
    }
}

/* Emits the full square. Returns 0 without room. */
COMBGPU__DEVICE uint32_t combgpu_cells_emit(const combgpu_cells_t *m,
                                            COMBGPU__GLOBAL combgpu__slice *slice,
                                            COMBGPU__GLOBAL const uint32_t *tables,
                                            COMBGPU__GLOBAL uint32_t *records)
{
    uint32_t at = combgpu_emit(slice), w, p;
    COMBGPU__GLOBAL uint32_t *record;
    if (at == COMBGPU__NONE) return 0;
    record = records + at * slice->record_words;
    for (w = 0; w < slice->record_words; w++)
        record[w] = 0;
    for (p = 0; p < m->cells; p++) {
        uint32_t cell = tables[COMBGPU__MAGIC_ENTRY(p)] & 255;
        record[cell / 4] |= (uint32_t)m->values[p] << (8 * (cell & 3));
    }
    return 1;
}

/* Returns the number to try next: the lowest; in order 6 and with many levels each of these begins
   with another number. */
COMBGPU__DEVICE uint32_t combgpu_cells_pick(uint32_t cells, uint32_t levels, uint32_t level,
                                            uint64_t mask)
{
    uint64_t from = cells < 36 && levels < COMBGPU__MAGIC_SPREAD
                        ? 0
                        : mask & ~(uint64_t)0 << (1 + (11 + 23 * level) % cells);
    if (from) mask = from;
    return combgpu_lowest_bit64(mask);
}

COMBGPU__KERNEL combgpu_magic_search(COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_cells_t m;
    uint32_t steps = 0, full = 0, task, bottom, level, found, number;
    (void)work;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    m.cells = tables[COMBGPU__SEARCH_AT_CELLS];
    m.values[m.cells] = 0;
    while (!combgpu_spent(slice, steps) && !full) {
        task = combgpu_take(slice);
        if (task == COMBGPU__NONE) break;
        bottom = combgpu_cells_load(&m, tables, tasks + task * slice->task_words);
        level = bottom;
        for (;;) {
            uint64_t mask = m.mask[level];
            if (!mask) {
                if (level == bottom) break;
                level--;
                continue;
            }
            if (full || combgpu_spent(slice, steps)) {
                for (;; level--) { /* the whole stack becomes tasks */
                    if (m.mask[level]) combgpu_cells_give(&m, slice, tables, left, level);
                    if (level == bottom) break;
                }
                break;
            }
            number = combgpu_cells_pick(m.cells, tables[COMBGPU__SEARCH_AT_LEVELS], level, mask);
            m.mask[level] = mask & ~((uint64_t)1 << number);
            found = combgpu_cells_try(&m, tables, level, number);
            if (found == 2 && !combgpu_cells_emit(&m, slice, tables, records)) {
                m.mask[level] = mask; /* not counted: the number is tried again */
                full = 1;
                continue;
            }
            steps++;
            level += found & 1;
        }
    }
    combgpu_add_total(slice, 0, steps);
}
