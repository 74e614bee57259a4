/* The count of associative squares of order 7 in parts: tables of sets, a step's frame, the
   tasks. */

/* Returns the next number with as many bits (R. W. Gosper 1972). */
COMBGPU__INLINE uint32_t combgpu__seven_associative_next(uint32_t set)
{
    uint32_t low = set & (0u - set), next = set + low;
    return next | (set ^ next) / low >> 2;
}

/* Writes all sets of 6 of `of` elements in ascending order. */
COMBGPU__PRIVATE void combgpu__seven_associative_sixes(int of, uint32_t *to)
{
    uint32_t set;
    for (set = 63; set < 1u << of; set = combgpu__seven_associative_next(set))
        *to++ = set;
}

/* Writes all frames: column and row must have even sums, since rows 0 to 2 together, and columns, add
   up to 0. */
COMBGPU__PRIVATE void combgpu__seven_associative_frames(uint32_t *to)
{
    const uint32_t odd = 0x555555;
    uint32_t six, column, pick, left, i;
    for (six = 63; six < 1u << 24; six = combgpu__seven_associative_next(six))
        for (pick = 3; combgpu__popcount64(six & odd) % 2 == 0 && pick < 32;
             pick = combgpu__seven_associative_next(pick)) {
            left = six;
            column = left & (0u - left);
            for (left &= left - 1, i = 0; i < 5; i++, left &= left - 1)
                if (pick >> i & 1) column |= left & (0u - left);
            if (combgpu__popcount64(column & odd) % 2 == 0) *to++ = six | pick << 24;
        }
}

/* Writes the 90 ways to put six numbers as pairs into three columns. */
COMBGPU__PRIVATE void combgpu__seven_associative_pairings(uint32_t *to)
{
    uint32_t pair[15], u, v, i, j, k;
    for (v = 1; v < 6; v++)
        for (u = 0; u < v; u++)
            pair[v * (v - 1) / 2 + u] = 1u << u | 1u << v;
    for (i = 0; i < 15; i++)
        for (j = 0; j < 15; j++)
            for (k = 0; k < 15; k++)
                if ((pair[i] | pair[j] | pair[k]) == 63) *to++ = i | j << 4 | k << 8;
}

COMBGPU__PRIVATE combgpu_status combgpu__seven_associative_tables(combgpu_job *job)
{
    uint32_t *tables;
    combgpu_status status = combgpu__job_tables(job, COMBGPU__ASSOCIATIVE_AT_WORDS);
    if (status) return status;
    tables = combgpu__tables(job);
    combgpu__seven_associative_pairings(tables + COMBGPU__ASSOCIATIVE_AT_PAIRING);
    combgpu__seven_associative_sixes(12, tables + COMBGPU__ASSOCIATIVE_AT_HALF);
    combgpu__seven_associative_sixes(18, tables + COMBGPU__ASSOCIATIVE_AT_SET);
    combgpu__seven_associative_frames(tables + COMBGPU__ASSOCIATIVE_AT_FRAME);
    return COMBGPU_OK;
}

/* A step's frame and sets. Sizes are 1 to 24, ascending in each array. */
typedef struct combgpu__seven_associative_frame {
    int column[3], row[3]; /* of the middle column, by row; of the middle row, by column */
    int last[6];           /* of row 2 */
    int rest[12];          /* of rows 0 and 1 */
} combgpu__seven_associative_frame;

/* Writes the elements of a set, or those of `from` at its bits. */
COMBGPU__INLINE void combgpu__seven_associative_elements(uint32_t set, const int *from, int *to)
{
    for (; set; set &= set - 1) {
        int at = combgpu__lowest_bit64(set);
        *to++ = from ? from[at] : at + 1;
    }
}

/* Spreads the steps: neighbours have different frames and sets, so any range of them is a fair sample
   of all. */
COMBGPU__INLINE uint64_t combgpu__seven_associative_unit(uint64_t step)
{
    return step * COMBGPU__ASSOCIATIVE_STRIDE % COMBGPU__ASSOCIATIVE_STEPS;
}

COMBGPU__PRIVATE void combgpu__seven_associative_frame_of(const uint32_t *tables, uint64_t step,
                                                          combgpu__seven_associative_frame *frame)
{
    const uint64_t unit = combgpu__seven_associative_unit(step);
    const uint32_t set = tables[COMBGPU__ASSOCIATIVE_AT_SET + unit % COMBGPU__ASSOCIATIVE_SETS];
    const uint32_t six = tables[COMBGPU__ASSOCIATIVE_AT_FRAME + unit / COMBGPU__ASSOCIATIVE_SETS];
    const uint32_t pick = six >> 24 << 1 | 1;
    int number[18], of_six[6];
    combgpu__seven_associative_elements(six & 0xffffff, NULL, of_six);
    combgpu__seven_associative_elements(pick, of_six, frame->column);
    combgpu__seven_associative_elements(63 ^ pick, of_six, frame->row);
    combgpu__seven_associative_elements(0xffffff ^ (six & 0xffffff), NULL, number);
    combgpu__seven_associative_elements(set, number, frame->last);
    combgpu__seven_associative_elements(0x3ffff ^ set, number, frame->rest);
}

/* The tasks of one shard, at most. */
#define COMBGPU__ASSOCIATIVE_TASKS 65536

/* All steps are cut into chunks that differ by at most one step, equally many for each shard. */
typedef struct combgpu__seven_associative_cut {
    uint64_t shards, chunks; /* of a shard */
    uint64_t least, longer;  /* steps of a chunk; so many chunks have one more */
} combgpu__seven_associative_cut;

COMBGPU__PRIVATE combgpu__seven_associative_cut
combgpu__seven_associative_cut_of(const combgpu_job *job)
{
    combgpu__seven_associative_cut cut;
    cut.shards = (uint64_t)combgpu__shards(job);
    cut.chunks = COMBGPU__ASSOCIATIVE_STEPS / cut.shards / 64;
    if (cut.chunks < 1) cut.chunks = 1;
    if (cut.chunks > COMBGPU__ASSOCIATIVE_TASKS) cut.chunks = COMBGPU__ASSOCIATIVE_TASKS;
    cut.least = COMBGPU__ASSOCIATIVE_STEPS / (cut.shards * cut.chunks);
    cut.longer = COMBGPU__ASSOCIATIVE_STEPS % (cut.shards * cut.chunks);
    return cut;
}

/* Pushes this shard's chunks only: an int may count that many shards. */
COMBGPU__PRIVATE combgpu_status combgpu__seven_associative_frontier(combgpu_job *job)
{
    const combgpu__seven_associative_cut cut = combgpu__seven_associative_cut_of(job);
    combgpu_status status = COMBGPU_OK;
    uint64_t i, k, begin;
    uint32_t task[4];
    for (i = 0; i < cut.chunks && !status; i++) {
        k = i * cut.shards + (uint64_t)combgpu__shard(job);
        begin = k * cut.least + (k < cut.longer ? k : cut.longer);
        combgpu__put64(task, begin);
        combgpu__put64(task + 2, begin + cut.least + (k < cut.longer));
        status = combgpu__push_mine(job, task);
    }
    return status;
}

/* Returns the steps of this shard. */
COMBGPU__PRIVATE uint64_t combgpu__seven_associative_steps(const combgpu_job *job)
{
    const combgpu__seven_associative_cut cut = combgpu__seven_associative_cut_of(job);
    const uint64_t shard = (uint64_t)combgpu__shard(job);
    return cut.chunks * cut.least +
           (cut.longer > shard ? (cut.longer - shard - 1) / cut.shards + 1 : 0);
}

COMBGPU__PRIVATE double combgpu__seven_associative_fraction(const combgpu_job *job)
{
    return (double)combgpu__accumulators(job)[0] / (double)combgpu__seven_associative_steps(job);
}
