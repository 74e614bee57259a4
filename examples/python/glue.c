/* Between Python and combgpu. A signal's handler may raise an exception between any two lines of Python, but
   not in C: what must not be torn apart stands here. cdef.py declares these functions to cffi, and makes
   combgpu_py_no3_end and the like. */

/* A job, its next call, and what its last step found. */
typedef struct combgpu_py_job {
    combgpu_job *job;       /* NULL before it begins and after it ends */
    combgpu_status status;  /* of its last step that did not fail */
    combgpu_status ended;   /* what _end returned */
    int has_result;         /* _end was called */
    unsigned steps;
    size_t count, room;     /* solutions of the last step; how many `found` has room for */
    size_t bytes;           /* of each */
    unsigned char *found;
    int lacks;              /* solutions are missing: out of memory */
} combgpu_py_job;

void combgpu_py_close(combgpu_context **held)
{
    combgpu_context *ctx = *held;
    *held = NULL;
    combgpu_close(ctx);
}

combgpu_status combgpu_py_step(combgpu_py_job *held)
{
    combgpu_status status;
    held->steps++;
    held->count = 0;
    status = combgpu_step(held->job);
    if (status >= 0) held->status = status;
    return status;
}

void combgpu_py_cancel(combgpu_py_job *held)
{
    combgpu_job *job = held->job;
    held->job = NULL;
    combgpu_job_cancel(job);
}

/* For cffi's garbage collector: frees the solutions, not the job, whose context may be gone. */
void combgpu_py_forget(combgpu_py_job *held)
{
    free(held->found);
    held->found = NULL;
}

static int combgpu_py_found(combgpu_py_job *held, const void *solution, size_t bytes)
{
    if (held->count == held->room) {
        size_t room = held->room ? 2 * held->room : 64;
        unsigned char *found = (unsigned char *)realloc(held->found, room * bytes);
        if (!found) return held->lacks = 1;
        held->found = found;
        held->room = room;
    }
    held->bytes = bytes;
    memcpy(held->found + held->count++ * bytes, solution, bytes);
    return 0;
}

int combgpu_py_square(const int *square, int order, void *user)
{
    return combgpu_py_found((combgpu_py_job *)user, square, sizeof *square * (size_t)(order * order));
}

int combgpu_py_board(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    (void)symmetry;
    return combgpu_py_found((combgpu_py_job *)user, rows, sizeof *rows * (size_t)(n > 64 ? 2 * n : n));
}

int combgpu_py_hit(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)count; /* which is 1 */
    return combgpu_py_found((combgpu_py_job *)user, perms, (size_t)n);
}

int combgpu_py_leaf(const uint8_t *perm, int length, int64_t value, void *user)
{
    (void)value;
    return combgpu_py_found((combgpu_py_job *)user, perm, (size_t)length);
}

/* Makes a searcher of functions: addresses of begin, allowed, step, bound and leaf; 0 = there is none. Returns
   0 if there are too many. */
int combgpu_py_searcher(const char *name, uint64_t key, const uintptr_t *functions,
                        combgpu_perm_searcher *searcher)
{
    combgpu_py_parts *parts = combgpu_py_known;
    int i;
    while (parts->key && parts - combgpu_py_known < COMBGPU_PY_MOST - 1)
        parts++;
    if (parts->key) return 0;
    memcpy(&parts->begin, functions, 5 * sizeof *functions);
    parts->key = key;
    *searcher = combgpu_py_called;
    searcher->name = name;
    searcher->parts = (functions[3] ? COMBGPU__PERM_SEARCH_HAS_BOUND : 0) |
                      (functions[4] ? COMBGPU__PERM_SEARCH_HAS_LEAF : 0);
    searcher->run = combgpu_py_run;
    searcher->go = combgpu_py_go;
    for (i = 0; i < 6; i++)
        searcher->texts[i] = "";
    return 1;
}

void combgpu_py_searcher_ends(uint64_t key)
{
    int i;
    for (i = 0; i < COMBGPU_PY_MOST; i++)
        if (combgpu_py_known[i].key == key) combgpu_py_known[i].key = 0;
}

/* Quadratic assignment: facilities in the order of the search, the data of its callbacks (1 + 4 * n * n numbers), and
   a good first assignment. */
const combgpu_perm_searcher *combgpu_py_qap(int n, const int *flows, const int *distances,
                                            uint8_t *facility, int *data, uint8_t *start)
{
    qap_order(n, flows, facility);
    qap_fill(n, flows, distances, facility, data);
    qap_start(n, data, start);
    return &qap_search;
}

/* read.c; what these functions return lasts until combgpu_py_read_end. */
combgpu_status combgpu_py_read(combgpu_context *ctx, const char *path, int metric,
                               combgpu_tsp_instance *instance, char *message, size_t bytes);
const char *combgpu_py_read_name(int city);
const char *combgpu_py_read_what(void);
const char *combgpu_py_read_why(void);
combgpu_status combgpu_py_read_list(combgpu_context *ctx, char kind, const char *path,
                                    const uint64_t **words, size_t *count, char *message,
                                    size_t bytes);
void combgpu_py_read_end(void);
