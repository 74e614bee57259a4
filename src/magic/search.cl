/* ---------------------------------------------------------------------------------- MAGIC */
#if defined(COMBGPU_KERNELS_MAGIC) || defined(COMBGPU__HAS_MAGIC)

/* The search over cells: one lane is a worker. Words of `tables`, tasks and records as in combgpu.h,
   SECTION 20. Sets of numbers are 64 bits, bit v for number v; in a mirror bit cells + 1 - v. */
#define MAGIC_LEVELS 32
#define MAGIC_LEVEL_COUNT (tables[1])
#define MAGIC_START(level) (tables[3 + (level)])
#define MAGIC_ENTRY(position) (tables[36 + (position)])

typedef struct combgpu_magic_t {
    u32 cells;
    u64 unused[MAGIC_LEVELS], mirror[MAGIC_LEVELS]; /* before a level */
    u64 mask[MAGIC_LEVELS];                         /* numbers a level has still to try */
    u8 values[40];                                  /* by position; [cells] stays 0 */
} combgpu_magic_t;

/* What the two words of a line leave of its sum. */
DEVICE i32 combgpu_magic_rest(const combgpu_magic_t *m, u32 a, u32 b)
{
    return (i32)(a & 255) - (i32)(m->values[(a >> 8) & 255] + m->values[(a >> 16) & 255] +
                                  m->values[a >> 24] + m->values[b & 255] +
                                  m->values[(b >> 8) & 255]);
}

/* Bimagic squares: may `number` end the line of these two words? */
DEVICE u32 combgpu_magic_squares(const combgpu_magic_t *m, u32 sum, u32 a, u32 b, u32 number)
{
    u32 i, value;
    for (i = 8; i < 48; i += 8) {
        value = m->values[((i < 32 ? a : b) >> (i & 31)) & 255];
        sum -= value * value;
    }
    return sum == number * number;
}

/* Sets up `level` from the sets before it: every number that leaves its lines a partner and keeps
   its relations. */
DEVICE void combgpu_magic_ready(combgpu_magic_t *m, GLOBAL const u32 *tables, u32 level, u64 unused,
                                u64 mirror)
{
    u32 at = MAGIC_ENTRY(MAGIC_START(level)), head = tables[at++], i;
    u64 mask = unused;
    for (i = (head >> 8) & 255; i; i--, at += 2) {
        i32 rest = combgpu_magic_rest(m, tables[at], tables[at + 1]);
        i32 shift = (i32)m->cells + 1 - rest;
        if (rest < 2 || rest > 2 * (i32)m->cells) {
            mask = 0;
            break;
        }
        mask &= shift < 0 ? mirror << -shift : mirror >> shift;
        if ((rest & 1) == 0) mask &= ~((u64)1 << (rest / 2));
    }
    for (i = mask ? head >> 16 : 0; i; i--, at++) {
        u64 below = ((u64)1 << m->values[tables[at] & 255]) - 1;
        mask &= tables[at] & 256 ? ~below : below; /* the number itself is not unused */
    }
    m->unused[level] = unused;
    m->mirror[level] = mirror;
    m->mask[level] = mask;
}

/* Tries a number in the first cell of a level. 0 = impossible, 1 = the next level is ready, 2 = the
   square is full. */
DEVICE u32 combgpu_magic_try(combgpu_magic_t *m, GLOBAL const u32 *tables, u32 level, u32 number)
{
    u32 position = MAGIC_START(level), end = MAGIC_START(level + 1), at, head, i;
    u64 unused = m->unused[level], mirror = m->mirror[level];
    for (;;) {
        i32 rest;
        m->values[position] = (u8)number;
        unused ^= (u64)1 << number;
        mirror ^= (u64)1 << (m->cells + 1 - number);
        if (++position == end) break;
        at = MAGIC_ENTRY(position);
        head = tables[at];
        rest = combgpu_magic_rest(m, tables[at + 1], tables[at + 2]);
        if (rest < 1 || rest > (i32)m->cells || !((unused >> rest) & 1)) return 0;
        number = (u32)rest;
        at++;
        for (i = (head >> 8) & 255; i; i--, at += 2)
            if (combgpu_magic_rest(m, tables[at], tables[at + 1]) != rest ||
                (tables[2] &&
                 !combgpu_magic_squares(m, tables[2], tables[at], tables[at + 1], number)))
                return 0;
        for (i = head >> 16; i; i--, at++)
            if ((number > m->values[tables[at] & 255]) != ((tables[at] & 256) != 0)) return 0;
    }
    if (level + 1 == MAGIC_LEVEL_COUNT) return 2;
    combgpu_magic_ready(m, tables, level + 1, unused, mirror);
    return 1;
}

DEVICE u32 combgpu_magic_load(combgpu_magic_t *m, GLOBAL const u32 *tables, GLOBAL const u32 *task)
{
    u32 level = task[0], end = MAGIC_START(level), p;
    u64 unused = ((u64)2 << m->cells) - 2, mirror = unused;
    for (p = 0; p < end; p++) {
        u32 number = (task[3 + p / 4] >> (8 * (p & 3))) & 255;
        m->values[p] = (u8)number;
        unused &= ~((u64)1 << number);
        mirror &= ~((u64)1 << (m->cells + 1 - number));
    }
    m->unused[level] = unused;
    m->mirror[level] = mirror;
    m->mask[level] = task[1] | (u64)task[2] << 32;
    return level;
}

/* Gives back what is left of a level. */
DEVICE void combgpu_magic_give(const combgpu_magic_t *m, GLOBAL combgpu_slice_t *slice,
                               GLOBAL const u32 *tables, GLOBAL u32 *left, u32 level)
{
    GLOBAL u32 *task = left + combgpu_give(slice) * slice->task_words;
    u32 end = MAGIC_START(level), words = slice->task_words - 3, w, p, word;
    task[0] = level;
    task[1] = (u32)m->mask[level];
    task[2] = (u32)(m->mask[level] >> 32);
    for (w = 0; w < words; w++) {
        word = 0;
        for (p = 4 * w; p < 4 * w + 4 && p < end; p++)
            word |= (u32)m->values[p] << (8 * (p & 3));
        task[3 + w] = word;
    }
}

/* Emits the full square; 0 = no room. */
DEVICE u32 combgpu_magic_emit(const combgpu_magic_t *m, GLOBAL combgpu_slice_t *slice,
                              GLOBAL const u32 *tables, GLOBAL u32 *records)
{
    u32 at = combgpu_emit(slice), w, p;
    GLOBAL u32 *record;
    if (at == NONE) return 0;
    record = records + at * slice->record_words;
    for (w = 0; w < slice->record_words; w++)
        record[w] = 0;
    for (p = 0; p < m->cells; p++) {
        u32 cell = tables[MAGIC_ENTRY(p)] & 255;
        record[cell / 4] |= (u32)m->values[p] << (8 * (cell & 3));
    }
    return 1;
}

/* The number to try next: the lowest, but in order 6 the levels begin with different ones. */
DEVICE u32 combgpu_magic_pick(u32 cells, u32 level, u64 mask)
{
    u64 from = cells < 36 ? 0 : mask & ~(u64)0 << (1 + (11 + 23 * level) % 36);
    if (from) mask = from;
    return combgpu_lowest_bit64(mask);
}

KERNEL combgpu_magic_search(SLICE_ARGUMENTS)
{
    combgpu_magic_t m;
    u32 steps = 0, full = 0, task, bottom, level, found, number;
    (void)work;
    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;
    m.cells = tables[0];
    m.values[m.cells] = 0;
    while (!combgpu_spent(slice, steps) && !full) {
        task = combgpu_take(slice);
        if (task == NONE) break;
        bottom = combgpu_magic_load(&m, tables, tasks + task * slice->task_words);
        level = bottom;
        for (;;) {
            u64 mask = m.mask[level];
            if (!mask) {
                if (level == bottom) break;
                level--;
                continue;
            }
            if (full || combgpu_spent(slice, steps)) {
                for (;; level--) { /* the whole stack becomes tasks */
                    if (m.mask[level]) combgpu_magic_give(&m, slice, tables, left, level);
                    if (level == bottom) break;
                }
                break;
            }
            number = combgpu_magic_pick(m.cells, level, mask);
            m.mask[level] = mask & ~((u64)1 << number);
            found = combgpu_magic_try(&m, tables, level, number);
            if (found == 2 && !combgpu_magic_emit(&m, slice, tables, records)) {
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

