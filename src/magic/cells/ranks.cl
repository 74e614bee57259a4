/* Searches for squares of unevenly spaced numbers: cells/search.cl over ranks, with sums of the
   numbers. Words of `tables`: layout.h. */
#define COMBGPU__RANKS_START(level) (tables[COMBGPU__RANKS_AT_START + (level)])
#define COMBGPU__RANKS_ENTRY(position) (tables[COMBGPU__RANKS_AT_ENTRY + (position)])
#define COMBGPU__RANKS_NUMBER(rank) ((int32_t)tables[COMBGPU__RANKS_AT_NUMBER + (rank)-1])

typedef struct combgpu_cells_ranks_t {
    uint32_t cells, levels;
    uint32_t unused[26], mask[26]; /* before a level; still to try at it */
    int32_t values[26];            /* by position; [cells] stays 0 */
    uint8_t ranks[28];
} combgpu_cells_ranks_t;

/* Returns what a line leaves for its last cell; sums of five numbers have 32 bits. */
COMBGPU__DEVICE int64_t combgpu_cells_ranks_leaves(const combgpu_cells_ranks_t *m,
                                                   COMBGPU__GLOBAL const uint32_t *line)
{
    uint32_t a = line[1], b = line[2];
    return (int64_t)(int32_t)line[0] - m->values[a & 255] - m->values[(a >> 8) & 255] -
           m->values[(a >> 16) & 255] - m->values[a >> 24] - m->values[b & 255];
}

/* Tries a rank in a level's first cell. Returns 0 if impossible, 1 if the next level is ready, 2 if
   the square is full. */
COMBGPU__DEVICE uint32_t combgpu_cells_ranks_enter(combgpu_cells_ranks_t *m,
                                                   COMBGPU__GLOBAL const uint32_t *tables,
                                                   uint32_t level, uint32_t rank)
{
    uint32_t position = COMBGPU__RANKS_START(level), end = COMBGPU__RANKS_START(level + 1),
             unused = m->unused[level];
    for (;;) {
        uint32_t at = COMBGPU__RANKS_ENTRY(position), head = tables[at++], i, step;
        int32_t value = COMBGPU__RANKS_NUMBER(rank);
        int64_t rest;
        m->ranks[position] = (uint8_t)rank;
        m->values[position] = value;
        unused &= ~(1u << rank);
        for (i = (head >> 8) & 255; i; i--, at += 3)
            if (combgpu_cells_ranks_leaves(m, tables + at) != value) return 0;
        for (i = head >> 16; i; i--, at++)
            if ((value > m->values[tables[at] & 255]) != ((tables[at] & 256) != 0)) return 0;
        if (++position == end) break;
        rest = combgpu_cells_ranks_leaves(m, tables + COMBGPU__RANKS_ENTRY(position) + 1);
        for (rank = 0, step = 16; step; step >>= 1) /* the last rank whose number is at most rest */
            if (rank + step <= m->cells && COMBGPU__RANKS_NUMBER(rank + step) <= rest) rank += step;
        if (!rank || COMBGPU__RANKS_NUMBER(rank) != rest || !((unused >> rank) & 1)) return 0;
    }
    if (level + 1 == m->levels) return 2;
    m->unused[level + 1] = m->mask[level + 1] = unused;
    return 1;
}

/* Returns the rank to try next, as combgpu_cells_pick. */
COMBGPU__DEVICE uint32_t combgpu_cells_ranks_pick(const combgpu_cells_ranks_t *m, uint32_t level,
                                                  uint32_t mask)
{
    uint32_t from =
        m->levels < COMBGPU__MAGIC_SPREAD ? 0 : mask & ~0u << (1 + (11 + 23 * level) % m->cells);
    return COMBGPU__CTZ(from ? from : mask);
}

COMBGPU__KERNEL combgpu_magic_ranks(COMBGPU__SLICE_ARGUMENTS)
{
    combgpu_cells_ranks_t m;
    uint32_t steps = 0, full = 0, task, bottom, level, found, mask, rank, p, w, at, word;
    (void)work;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    m.cells = tables[COMBGPU__SEARCH_AT_CELLS];
    m.levels = tables[COMBGPU__SEARCH_AT_LEVELS];
    m.values[m.cells] = 0;
    while (!full && !combgpu_spent(slice, steps)) {
        task = combgpu_take(slice);
        if (task == COMBGPU__NONE) break;
        task *= slice->task_words;
        bottom = level = tasks[task];
        m.unused[level] = (2u << m.cells) - 2;
        m.mask[level] = tasks[task + 1];
        for (p = 0; p < COMBGPU__RANKS_START(level); p++) {
            word = (tasks[task + 2 + p / 4] >> (8 * (p & 3))) & 255;
            m.ranks[p] = (uint8_t)word;
            m.values[p] = COMBGPU__RANKS_NUMBER(word);
            m.unused[level] &= ~(1u << word);
        }
        for (;;) {
            mask = m.mask[level];
            if (!mask) {
                if (level == bottom) break;
                level--;
                continue;
            }
            if (full || combgpu_spent(slice, steps)) {
                for (;; level--) { /* the whole stack becomes tasks */
                    if (m.mask[level]) {
                        at = combgpu_give(slice) * slice->task_words;
                        left[at] = level;
                        left[at + 1] = m.mask[level];
                        for (w = 0; w + 2 < slice->task_words; w++) {
                            for (word = 0, p = 4 * w;
                                 p < 4 * w + 4 && p < COMBGPU__RANKS_START(level); p++)
                                word |= (uint32_t)m.ranks[p] << (8 * (p & 3));
                            left[at + 2 + w] = word;
                        }
                    }
                    if (level == bottom) break;
                }
                break;
            }
            rank = combgpu_cells_ranks_pick(&m, level, mask);
            m.mask[level] = mask & ~(1u << rank);
            found = combgpu_cells_ranks_enter(&m, tables, level, rank);
            if (found == 2) {
                at = combgpu_emit(slice);
                if (at == COMBGPU__NONE) {
                    m.mask[level] = mask; /* not counted: the rank is tried again */
                    full = 1;
                    continue;
                }
                at *= slice->record_words;
                for (w = 0; w < slice->record_words; w++)
                    records[at + w] = 0;
                for (p = 0; p < m.cells; p++) {
                    word = tables[COMBGPU__RANKS_ENTRY(p)] & 255;
                    records[at + word / 4] |= (uint32_t)m.ranks[p] << (8 * (word & 3));
                }
            }
            steps++;
            level += found & 1;
        }
    }
    combgpu_add_total(slice, 0, steps);
}
