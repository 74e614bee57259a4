/* Associative squares of order 7, counted in parts: tables of sets, a step's frame, the tasks. */

/* Writes all sets of 6 of `of` elements in ascending order, or those whose sum is even if bit i stands
   for i + 1. Returns their number. */
COMBGPU__PRIVATE uint32_t combgpu__associative_sixes(int of, int even, uint32_t *to)
{
    uint32_t odd = 0x555555, set, count = 0;
    for (set = 63; set < 1u << of;) {
        uint32_t low = set & (0u - set), next = set + low;
        if (!even || combgpu__popcount64(set & odd) % 2 == 0) to[count++] = set;
        set = next | (set ^ next) / low >> 2; /* as many bits (R. W. Gosper 1972) */
    }
    return count;
}

/* Writes the 90 ways to put six numbers as pairs into three columns: six places, 3 bits each. */
COMBGPU__PRIVATE void combgpu__associative_pairings(uint32_t *to)
{
    uint32_t code, k, used, place[6];
    for (code = 0; code < 1u << 18; code++) {
        for (used = k = 0; k < 6; k++) {
            place[k] = code >> 3 * k & 7;
            used |= 1u << place[k];
        }
        if (used == 63 && place[0] < place[1] && place[2] < place[3] && place[4] < place[5])
            *to++ = code;
    }
}

COMBGPU__PRIVATE combgpu_status combgpu__associative_tables(combgpu_job *job)
{
    uint32_t *tables;
    combgpu_status status = combgpu__job_tables(job, COMBGPU__ASSOCIATIVE_AT_WORDS);
    if (status) return status;
    tables = combgpu__tables(job);
    combgpu__associative_pairings(tables + COMBGPU__ASSOCIATIVE_AT_PAIRING);
    combgpu__associative_sixes(12, 0, tables + COMBGPU__ASSOCIATIVE_AT_HALF);
    combgpu__associative_sixes(18, 0, tables + COMBGPU__ASSOCIATIVE_AT_SET);
    combgpu__associative_sixes(24, 1, tables + COMBGPU__ASSOCIATIVE_AT_FRAME);
    return COMBGPU_OK;
}

/* What a step is about. Sizes are 1 to 24, ascending in each array. */
typedef struct combgpu__associative_frame {
    int column[3], row[3]; /* of the middle column, by row; of the middle row, by column */
    int last[6];           /* of row 2 */
    int rest[12];          /* of rows 0 and 1 */
} combgpu__associative_frame;

/* Writes the elements of a set, or those of `from` at its bits. */
COMBGPU__INLINE void combgpu__associative_elements(uint32_t set, const int *from, int *to)
{
    for (; set; set &= set - 1) {
        int at = combgpu__lowest_bit64(set);
        *to++ = from ? from[at] : at + 1;
    }
}

/* Spreads the steps: neighbours have different frames and sets, so any range of them is a fair sample
   of all. */
COMBGPU__INLINE uint64_t combgpu__associative_unit(uint64_t step)
{
    return step * COMBGPU__ASSOCIATIVE_STRIDE % COMBGPU__ASSOCIATIVE_STEPS;
}

COMBGPU__PRIVATE void combgpu__associative_frame_of(const uint32_t *tables, uint64_t step,
                                                    combgpu__associative_frame *frame)
{
    uint64_t unit = combgpu__associative_unit(step), way;
    uint32_t set = tables[COMBGPU__ASSOCIATIVE_AT_SET + unit % COMBGPU__ASSOCIATIVE_SETS], pick = 1;
    uint32_t six;
    int number[18], of_six[6], i, k;
    unit /= COMBGPU__ASSOCIATIVE_SETS;
    six = tables[COMBGPU__ASSOCIATIVE_AT_FRAME + unit / 10];
    way = unit % 10;
    for (i = 1; i < 5; i++) /* the column has the least of the six and two others */
        for (k = i + 1; k < 6; k++)
            if (!way--) pick |= 1u << i | 1u << k;
    combgpu__associative_elements(six, NULL, of_six);
    combgpu__associative_elements(pick, of_six, frame->column);
    combgpu__associative_elements(63 ^ pick, of_six, frame->row);
    combgpu__associative_elements(0xffffff ^ six, NULL, number);
    combgpu__associative_elements(set, number, frame->last);
    combgpu__associative_elements(0x3ffff ^ set, number, frame->rest);
}

/* The tasks of one shard, at most. */
#define COMBGPU__ASSOCIATIVE_TASKS 65536

/* All steps are cut into pieces that differ by at most one step, as many for each shard. */
typedef struct combgpu__associative_cut {
    uint64_t shards, pieces; /* of a shard */
    uint64_t least, longer;  /* steps of a piece; so many pieces have one more */
} combgpu__associative_cut;

COMBGPU__PRIVATE combgpu__associative_cut combgpu__associative_cut_of(const combgpu_job *job)
{
    combgpu__associative_cut cut;
    cut.shards = (uint64_t)combgpu__shards(job);
    cut.pieces = COMBGPU__ASSOCIATIVE_STEPS / cut.shards / 64;
    if (cut.pieces < 1) cut.pieces = 1;
    if (cut.pieces > COMBGPU__ASSOCIATIVE_TASKS) cut.pieces = COMBGPU__ASSOCIATIVE_TASKS;
    cut.least = COMBGPU__ASSOCIATIVE_STEPS / (cut.shards * cut.pieces);
    cut.longer = COMBGPU__ASSOCIATIVE_STEPS % (cut.shards * cut.pieces);
    return cut;
}

/* Pushes this shard's pieces only: there may be as many shards as an int can count. */
COMBGPU__PRIVATE combgpu_status combgpu__associative_frontier(combgpu_job *job)
{
    const combgpu__associative_cut cut = combgpu__associative_cut_of(job);
    combgpu_status status = COMBGPU_OK;
    uint64_t i, k, begin;
    uint32_t task[4];
    for (i = 0; i < cut.pieces && !status; i++) {
        k = i * cut.shards + (uint64_t)combgpu__shard(job);
        begin = k * cut.least + (k < cut.longer ? k : cut.longer);
        combgpu__put64(task, begin);
        combgpu__put64(task + 2, begin + cut.least + (k < cut.longer));
        status = combgpu__push_mine(job, task);
    }
    return status;
}

/* Returns the steps of this shard. */
COMBGPU__PRIVATE uint64_t combgpu__associative_steps(const combgpu_job *job)
{
    const combgpu__associative_cut cut = combgpu__associative_cut_of(job);
    const uint64_t shard = (uint64_t)combgpu__shard(job);
    return cut.pieces * cut.least +
           (cut.longer > shard ? (cut.longer - shard - 1) / cut.shards + 1 : 0);
}

COMBGPU__PRIVATE double combgpu__associative_fraction(const combgpu_job *job)
{
    return (double)combgpu__sums(job)[0] / (double)combgpu__associative_steps(job);
}
