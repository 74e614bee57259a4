/* The state of a magic square job, and tasks that are ranges of steps, which all solvers but the
   search use. */

/* The beginning of a job's state: the range of all steps and the number of its tasks. */
typedef struct combgpu__magic_range {
    uint64_t begin, end, chunks;
} combgpu__magic_range;

COMBGPU__PRIVATE combgpu_status combgpu__magic_range_frontier(combgpu_job *job)
{
    const combgpu__magic_range *range = (const combgpu__magic_range *)combgpu__state(job);
    if (range->begin == range->end) return COMBGPU_OK;
    return combgpu__push_range(job, range->begin, range->end, range->chunks);
}

/* The same tasks, last one first: in order 5 the last pairs have the most squares, and a device
   that begins one of these at the end waits for it. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_last_first_frontier(combgpu_job *job)
{
    combgpu_status status = combgpu__magic_range_frontier(job);
    size_t count, i;
    uint32_t *task = combgpu__reserve(job, &count);
    for (i = 0; !status && i < count / 2; i++) {
        uint32_t other[4];
        memcpy(other, task + 4 * i, sizeof other);
        memcpy(task + 4 * i, task + 4 * (count - 1 - i), sizeof other);
        memcpy(task + 4 * (count - 1 - i), other, sizeof other);
    }
    return status;
}

/* None is longer than a chunk: progress relies on samples of the tasks. */
COMBGPU__PRIVATE int combgpu__magic_range_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__magic_range *range = (const combgpu__magic_range *)combgpu__state(job);
    uint64_t begin = combgpu__get64(task), end = combgpu__get64(task + 2);
    uint64_t size = range->end - range->begin;
    if (range->chunks) size = size / range->chunks + (size % range->chunks != 0);
    return range->begin <= begin && begin < end && end <= range->end && end - begin <= size;
}

/* Works through the steps of a slice's tasks. `step` returns 0 without room for a record, and must
   then have counted nothing. */
COMBGPU__PRIVATE void combgpu__magic_range_solve(combgpu__worker *worker, void *memory,
                                                 int (*step)(combgpu__worker *worker, void *memory,
                                                             uint64_t number))
{
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t number = combgpu__get64(task), end = combgpu__get64(task + 2);
        for (; number < end && !combgpu__spent(worker); number++) {
            if (!step(worker, memory, number)) break;
            worker->totals[0]++;
        }
        if (number == end) continue;
        combgpu__give_range(worker, number, end);
        return;
    }
}

/* Returns this worker's part of the work memory. */
COMBGPU__PRIVATE void *combgpu__magic_work(const combgpu__worker *worker, size_t bytes)
{
    return (char *)worker->work + worker->index * bytes;
}

/* ---- common to all jobs */

/* Returns a description for tasks that are ranges, without records until the caller adds them. */
COMBGPU__PRIVATE combgpu__job_desc combgpu__magic_ranges(const char *name)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = name;
    search.frontier = combgpu__magic_range_frontier;
    search.validate_task = combgpu__magic_range_validate_task;
    search.kernel.left_per_worker = 1;
    search.task_words = 4;
    search.record_words = 2;
    search.record_capacity = 1;
    return search;
}

/* ---- the state of a job */

/* The solver of a job (core/about.c). */
typedef enum combgpu__magic_method {
    COMBGPU__MAGIC_SEARCH,
    COMBGPU__MAGIC_JOIN,
    COMBGPU__MAGIC_FOUR,
    COMBGPU__MAGIC_SEMIS,
    COMBGPU__MAGIC_LIST,   /* the join, but the squares are made where the solver runs */
    COMBGPU__MAGIC_GIVEN,  /* the join with a few givens, only counted */
    COMBGPU__MAGIC_LINEAR, /* the search by linear equations */
    COMBGPU__MAGIC_ULTRA,  /* ultramagic squares of order 7 */
    COMBGPU__MAGIC_PARTS,  /* associative squares of order 7, only counted */
    COMBGPU__MAGIC_NUMBERS /* the search, for unevenly spaced numbers */
} combgpu__magic_method;

/* Sums of a job: the totals of slices (layout.h), then what the host counts. */
enum {
    COMBGPU__MAGIC_CLASSES = COMBGPU__TOTALS, /* squares up to symmetry */
    COMBGPU__MAGIC_CHECKSUM,                  /* of their Frenicle forms */
    COMBGPU__MAGIC_CALLS,                     /* of the solution callback */
    COMBGPU__MAGIC_PART,                      /* of these, for the record under delivery */
    COMBGPU__MAGIC_M_CLASSES,                 /* squares up to the M-group */
    COMBGPU__MAGIC_BY_CENTRE                  /* + centre: classes */
};

/* Cells that add up to a known sum. */
typedef struct combgpu__magic_line {
    const char *name;
    int number, sum, length;
    unsigned char cells[COMBGPU__MAGIC_LENGTH];
} combgpu__magic_line;

typedef struct combgpu__magic_lister combgpu__magic_lister;

typedef struct combgpu__magic_state {
    combgpu__magic_range range; /* of steps; unused by the search */
    combgpu_magic_desc desc;
    combgpu__magic_method method;
    int order, cells, line_count, given_count;
    /* the numbers in ascending order, and the sum of a line. The search works on ranks, 1 .. n*n,
       so records, symmetry, Frenicle form and checksum do not depend on the numbers. Evenly spaced
       numbers form the same squares as 1 .. n*n; for others (NUMBERS) lines add up number[rank -
       1] */
    int number[COMBGPU__MAGIC_CELLS], sum;
    combgpu__magic_line lines[COMBGPU__MAGIC_LINES];
    int givens[COMBGPU__MAGIC_CELLS];             /* ranks */
    int hopeless;                                 /* no square exists */
    unsigned char image[8][COMBGPU__MAGIC_CELLS]; /* cell i of image g is cell image[g][i] */
    int image_count, images[8]; /* the rotations and reflections that fix all given cells */
    /* symmetries of the kind beyond D4, one of each coset: cell i of image m is cell more[m][i] */
    int more_count;
    unsigned char more[COMBGPU__MAGIC_MORE][COMBGPU__MAGIC_CELLS];
    int roots; /* of the linear search */
    int less_count;
    unsigned char less[64][2]; /* the number in the first cell is less than that in the second */
    /* the search's plan: positions are cells in the order in which they are filled */
    int levels, start[COMBGPU__MAGIC_LEVELS + 1]; /* a level's first position */
    unsigned char cell[COMBGPU__MAGIC_CELLS], position[COMBGPU__MAGIC_CELLS];
    /* the join */
    int centre;                    /* given; 0 = none */
    combgpu__magic_lister *lister; /* of the join with a callback */
    /* the join with givens, which are on the diagonals */
    int given_on;
    unsigned char given_want[4], given_from[32][4];
    /* the list */
    int goal;
    uint32_t first, count;             /* WRITES: these squares of the list */
    uint32_t *index;                   /* COUNTS: squares up to the M-group, by pair */
    const uint32_t *offsets;           /* WRITES: first square, by pair */
    unsigned char *out;                /* WRITES on the CPU */
    const combgpu__memory *device_out; /* WRITES elsewhere */
    size_t shift;
} combgpu__magic_state;
