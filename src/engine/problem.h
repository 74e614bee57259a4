/* ---- All that a problem may call or fill in.
   A problem has a frontier of tasks, a solver (a C function and a kernel) that works on them, and
   callbacks for results. It describes a search in a combgpu__job_desc, sees no field of the engine,
   and reaches a job through the calls below. */

#define COMBGPU__ACCUMULATORS 4352 /* enough for a histogram */

/* How a call inside the library ended. A negative value is a failure: the combgpu_status of the
   same value. */
typedef enum combgpu__result {
    COMBGPU__FAILURES = -127,
    COMBGPU__DONE = 0, /* a slice has ended; tasks were verified */
    COMBGPU__WORKING,  /* the slice is under way */
    COMBGPU__CONTINUE, /* of a record: delivered; the job continues */
    COMBGPU__STOP,     /* of a record: delivered; a callback ends the run */
    COMBGPU__ENOUGH,   /* of a record: delivered; it reached the caller's limit */
    COMBGPU__LATER,   /* of a record: it and later ones come again after the next slice, before that
                          slice's records */
    COMBGPU__TOO_LONG /* nothing was verified: the tasks take too many steps or too much room */
} combgpu__result;

/* A status, OK or a failure, as a result. */
COMBGPU__PRIVATE combgpu__result combgpu__as_result(combgpu_status status);
/* A result as the status that a caller sees. */
COMBGPU__PRIVATE combgpu_status combgpu__as_status(combgpu__result result);

/* Device memory. */
typedef struct combgpu__memory {
    void *handle;
    size_t bytes;
} combgpu__memory;

typedef struct combgpu__executor combgpu__executor; /* a device at work for a job */
typedef struct combgpu__polls combgpu__polls;       /* a CPU worker's polls of other devices */

/* One CPU thread's view of a slice. A C solver takes tasks until combgpu__take returns NULL, adds
   to totals, emits records, and spills its search stack as tasks once combgpu__spent(worker). A GPU
   worker is a group of lanes that does the same. */
typedef struct combgpu__worker {
    combgpu_job *job; /* for combgpu__state and combgpu__desc; read only */
    combgpu__slice *slice;
    const uint32_t *tables, *tasks;
    uint32_t *left, *records, *work;
    uint32_t index;        /* 0 .. slice->workers-1 */
    int simd;              /* COMBGPU__SIMD_...: vector instructions it may use */
    combgpu__polls *polls; /* unless NULL, checks now and then whether another device waits */
    uint64_t totals[COMBGPU__TOTALS]; /* totals[0] = steps, which the budget limits */
} combgpu__worker;

/* Defines NAME, a C solver, from BODY, an inline function whose loops compilers vectorise: once
   with the compiler's options, once for AVX2. AVX-512 pays only where it is written by hand. */
#ifdef COMBGPU__X86
#define COMBGPU__SOLVER_FORMS(name, body)                                                          \
    COMBGPU__PRIVATE COMBGPU__AVX2 void name##_avx2(combgpu__worker *worker)                       \
    {                                                                                              \
        body(worker);                                                                              \
    }                                                                                              \
    COMBGPU__WARM_BEGIN                                                                            \
    COMBGPU__PRIVATE void name(combgpu__worker *worker)                                            \
    {                                                                                              \
        if (worker->simd)                                                                          \
            name##_avx2(worker);                                                                   \
        else                                                                                       \
            body(worker);                                                                          \
    }                                                                                              \
    COMBGPU__WARM_END
#else
#define COMBGPU__SOLVER_FORMS(name, body)                                                          \
    COMBGPU__PRIVATE void name(combgpu__worker *worker)                                            \
    {                                                                                              \
        body(worker);                                                                              \
    }
#endif

/* A solver in its two forms. */
typedef struct combgpu__kernel {
    const char *name; /* in the list of kernels; NULL = C only, on the CPU */
    void (*solve)(combgpu__worker *worker);
    int lanes_per_worker;   /* lanes that share one task; a power of 2, at most 256 */
    int lanes_per_block;    /* preferred block (work-group) size, a multiple of the above */
    int left_per_worker;    /* most tasks that a worker may spill in a slice */
    uint32_t first_budget;  /* budget of the first slice, before measurements */
    uint32_t slice_ms;      /* aim of a slice where the caller gives none; 0 = 50 */
    uint32_t starved_share; /* a starved slice's least budget, as one in so many; 0 = 16 */
    const char
        *opencl_source; /* a caller's function, inserted before the kernel text; NULL = none */
    const void *cuda_function; /* a caller's kernel; NULL = the one in the list */
} combgpu__kernel;

/* The description of a job: zeroed, then filled in by name. Name and callbacks are set before
   combgpu__job_create, the rest before combgpu__job_start, which checks the whole. Tasks and
   records are arrays of 32-bit words. */
typedef struct combgpu__job_desc {
    const char *name; /* of the search, in checkpoints and messages */

    /* Pushes all tasks with combgpu__push, in an order that depends only on the parameters. */
    combgpu_status (*frontier)(combgpu_job *job);
    /* Delivers a record: CONTINUE, STOP, ENOUGH, LATER or a failure. Each record comes once. NULL,
       like validate_record: the search has no records. */
    combgpu__result (*record)(combgpu_job *job, const uint32_t *record);
    /* Called after each slice, before its records; may be NULL. Reads the kernel's results from the
       device's work memory and adds to `sums`. Returns FOUND at the caller's limit. */
    combgpu_status (*slice_done)(combgpu_job *job, const combgpu__executor *executor,
                                 uint64_t *accumulators);
    /* Returns the share of the search done, 0 to 1; NULL = the engine estimates it. */
    double (*fraction)(const combgpu_job *job);
    /* Returns the solutions so far, for progress; NULL = none to report. */
    uint64_t (*solutions)(const combgpu_job *job);
    /* Check an untrusted task or record from a checkpoint; return 0 if it cannot occur in this
       job. */
    int (*validate_task)(combgpu_job *job, uint32_t *task);
    int (*validate_record)(combgpu_job *job, const uint32_t *record);
    /* Adds the accumulators of another part of the search: a shard, or verified tasks. NULL = add
       word by word. */
    void (*merge)(const combgpu_job *job, uint64_t *accumulators, const uint64_t *more);
    /* Returns the share of the search, above 0 to 1, whose tasks exist; NULL = all. */
    double (*coverage)(const combgpu_job *job);
    /* Called before a checkpoint, with all tasks in the reserve: adds pending records for state in
       neither tasks nor accumulators; the engine removes them afterwards. May be NULL. */
    combgpu_status (*saving)(combgpu_job *job);
    /* Called step by step while it returns RUNNING, then OK; only then the job starts. NULL = the begin has
       prepared all. Until then the job has no tasks, devices or checkpoints. */
    combgpu_status (*prepare)(combgpu_job *job);
    /* Completes `parameters` that take long to compute, before their first use; may be NULL. */
    void (*identify)(combgpu_job *job);
    /* Frees what the state owns, also after a failed begin; may be NULL. */
    void (*release)(combgpu_job *job);

    combgpu__kernel kernel;
    uint32_t task_words, record_words;
    uint32_t record_capacity; /* records per slice, at most; 0 = 1 */
    uint32_t most_tasks;      /* most tasks at any time; 0 = unknown */
    int left_on_device;       /* kernel.left_per_worker outside the CPU backend; 0 = the same */
    size_t work_bytes_per_worker, work_bytes_shared; /* work memory; the shared part first */
    size_t cpu_work_bytes_per_worker;                /* on the CPU; 0 = as elsewhere */
    size_t work_bytes_on_device;                     /* extra shared part outside the CPU backend */
    combgpu__memory caller_work;                     /* if set, the work memory; not released */
    uint64_t memory_aim;    /* bytes to stay below by a smaller pool and fewer workers; 0 = none */
    int one_device;         /* devices cannot share the tasks */
    int unsteady;           /* a task's results depend on other tasks */
    int range_tasks;        /* a task is [begin, end), two words each, and may be split */
    int slice_accumulators; /* slice_done adds the work memory's contents to the accumulators */
    int records_repeat;     /* a task always gives the same records: verify compares them */
    char parameters[512];   /* identifies the job; jobs with equal text are equal */
} combgpu__job_desc;

/* ---- For C solvers. */

/* Returns nonzero once the worker has spent its budget or must end: it then spills its tasks. */
COMBGPU__PRIVATE int combgpu__spent(const combgpu__worker *worker);
/* Returns the next task, or NULL without tasks or budget. */
COMBGPU__PRIVATE const uint32_t *combgpu__take(combgpu__worker *worker);
/* Spills a task, at most kernel.left_per_worker in a slice. */
COMBGPU__PRIVATE void combgpu__give(combgpu__worker *worker, const uint32_t *task);
/* The same for a range, in a search whose tasks are ranges (4 words). */
COMBGPU__PRIVATE void combgpu__give_range(combgpu__worker *worker, uint64_t begin, uint64_t end);
/* Stores a record and returns 1. Returns 0 if the buffer is full, which ends the slice for all
   workers: the solver then leaves the record uncounted and spills a task that finds it again. */
COMBGPU__PRIVATE int combgpu__emit(combgpu__worker *worker, const uint32_t *record);
/* Returns a zeroed record to fill in; NULL where combgpu__emit returns 0. */
COMBGPU__PRIVATE uint32_t *combgpu__new_record(combgpu__worker *worker);

/* ---- Entry points: one table of functions each, which src/engine/search.c calls.
   combgpu_NAME_begin checks the description once and drafts it: copies what the job needs into a
   struct of the problem. The first method that wants the draft makes the job. combgpu_NAME_end calls
   the method's end. Samples, or the job's `fraction`, estimate its duration. */

/* One way to solve a search. */
typedef struct combgpu__method {
    /* Returns whether it takes a draft refused by all rows above; NULL = always. */
    int (*wants)(const void *draft);
    combgpu__job_desc (*describe)(void); /* name and callbacks */
    size_t state_bytes;
    /* Completes state, description and tables. RUNNING = leave the draft to a row below. */
    combgpu_status (*begin)(combgpu_job *job, const void *draft);
    void (*solve)(combgpu__worker *worker); /* NULL = describe or begin sets kernel.solve */
    /* Completes the job after its start or resume, without a draft if it had to be prepared; may be NULL. */
    combgpu_status (*begun)(combgpu_job *job, const void *draft);
    /* Fills in a zeroed result except its run, and *checksum. Returns OK, or a failure if the job's
       accumulators are impossible. */
    combgpu_status (*end)(combgpu_job *job, void *result, uint64_t *checksum);
} combgpu__method;

/* Defines NAME, a method's wants, which returns whether CONDITION holds for a draft of this type. */
#define COMBGPU__WANTS(name, type, condition)                                                      \
    COMBGPU__PRIVATE int name(const void *from)                                                    \
    {                                                                                              \
        const type *draft = (const type *)from;                                                    \
        return condition;                                                                          \
    }

typedef struct combgpu__search {
    const char *name;          /* "combgpu_no3" */
    size_t run;                /* offset of the run in the caller's description */
    size_t result_bytes, info; /* of the result; the offset of its run */
    size_t draft_bytes;
    /* Checks the description and fills in a zeroed draft. */
    combgpu_status (*check)(combgpu_context *ctx, const void *desc, void *draft);
    /* After the begin: moves to the job the parts of the draft that it keeps; may be NULL. */
    combgpu_status (*keep)(combgpu_job *job, void *draft);
    /* Frees what the draft still owns, even after a failure; may be NULL. */
    void (*forget)(combgpu_context *ctx, void *draft);
    const combgpu__method *methods; /* the last row wants everything */
} combgpu__search;

COMBGPU__PRIVATE combgpu_status combgpu__search_begin(const combgpu__search *search,
                                                      combgpu_context *ctx, const void *desc,
                                                      combgpu_job **out);
COMBGPU__PRIVATE combgpu_status combgpu__search_end(const combgpu__search *search, combgpu_job *job,
                                                    void *result);
COMBGPU__PRIVATE combgpu_status combgpu__search_once(const combgpu__search *search,
                                                     combgpu_context *ctx, const void *desc,
                                                     void *result);
/* Begins by one method, with a checked run and draft. */
COMBGPU__PRIVATE combgpu_status combgpu__method_begin(combgpu_context *ctx,
                                                      const combgpu__search *search,
                                                      const combgpu__method *method,
                                                      const combgpu_run_desc *run,
                                                      const void *draft, combgpu_job **out);

/* The first fields of a search's table, and its public functions: combgpu_NAME, _begin, _end. */
#define COMBGPU__SEARCH_OF(name)                                                                   \
    "combgpu_" #name, offsetof(combgpu_##name##_desc, run), sizeof(combgpu_##name##_result),       \
        offsetof(combgpu_##name##_result, run)
#define COMBGPU__SEARCH_CALLS(name, table)                                                         \
    COMBGPU__DEF combgpu_status combgpu_##name##_begin(                                            \
        combgpu_context *ctx, const combgpu_##name##_desc *desc, combgpu_job **job)                \
    {                                                                                              \
        return combgpu__search_begin(&(table), ctx, desc, job);                                    \
    }                                                                                              \
    COMBGPU__DEF combgpu_status combgpu_##name##_end(combgpu_job *job,                             \
                                                     combgpu_##name##_result *result)              \
    {                                                                                              \
        combgpu_##name##_result unused;                                                            \
        return combgpu__search_end(&(table), job, result ? result : &unused);                      \
    }                                                                                              \
    COMBGPU__DEF combgpu_status combgpu_##name(                                                    \
        combgpu_context *ctx, const combgpu_##name##_desc *desc, combgpu_##name##_result *result)  \
    {                                                                                              \
        combgpu_##name##_result unused;                                                            \
        return combgpu__search_once(&(table), ctx, desc, result ? result : &unused);               \
    }

/* Checks that the context is open; checks the caller's run description. */
COMBGPU__PRIVATE combgpu_status combgpu__check_open(combgpu_context *ctx);
COMBGPU__PRIVATE combgpu_status combgpu__check_run(combgpu_context *ctx,
                                                   const combgpu_run_desc *run);

/* ---- Beginning a job, as combgpu__method_begin does: create, fill in, start. */

/* Makes an empty job with a zeroed state and a copy of the description. */
COMBGPU__PRIVATE combgpu_status combgpu__job_create(combgpu_context *ctx,
                                                    const combgpu__job_desc *desc,
                                                    size_t state_bytes, const combgpu_run_desc *run,
                                                    combgpu_job **out);
/* Returns the description, which must be complete before the job starts. */
COMBGPU__PRIVATE combgpu__job_desc *combgpu__describe(combgpu_job *job);
/* Allocate the tables, constant data for C solvers and kernels, zeroed or uninitialised. A job may
   have none. */
COMBGPU__PRIVATE combgpu_status combgpu__job_tables(combgpu_job *job, size_t words);
COMBGPU__PRIVATE combgpu_status combgpu__job_raw_tables(combgpu_job *job, size_t words);
/* Uses only the first `words` words of the tables. */
COMBGPU__PRIVATE void combgpu__job_trim_tables(combgpu_job *job, size_t words);
/* Makes the frontier or resumes, and prepares the devices. */
COMBGPU__PRIVATE combgpu_status combgpu__job_start(combgpu_job *job);
/* Ends a begin: frees the job on failure, sets *out on success. Returns the status. */
COMBGPU__PRIVATE combgpu_status combgpu__job_begun(combgpu_job *job, combgpu_status status,
                                                   combgpu_job **out);

/* ---- A job's contents. */

COMBGPU__PRIVATE combgpu_context *combgpu__context(const combgpu_job *job);
COMBGPU__PRIVATE const combgpu__job_desc *combgpu__desc(const combgpu_job *job);
/* The problem's state, freed by the engine after the description's release. */
COMBGPU__PRIVATE void *combgpu__state(const combgpu_job *job);
COMBGPU__PRIVATE uint32_t *combgpu__tables(const combgpu_job *job);
/* Returns the COMBGPU__ACCUMULATORS accumulators of results: the engine adds slices' totals to the first
   COMBGPU__TOTALS, the problem adds to the others. */
COMBGPU__PRIVATE uint64_t *combgpu__accumulators(const combgpu_job *job);
/* Nonzero in the first slice, also of a run that resumes. */
COMBGPU__PRIVATE int combgpu__first_slice(const combgpu_job *job);

/* This job's part of the search is shard combgpu__shard of combgpu__shards, at least 1. */
COMBGPU__PRIVATE int combgpu__shard(const combgpu_job *job);
COMBGPU__PRIVATE int combgpu__shards(const combgpu_job *job);
/* Returns how the search ended, STOPPED if it still runs; ignores that its last checkpoint could
   not be written. */
COMBGPU__PRIVATE combgpu_status combgpu__outcome(const combgpu_job *job);
/* Zeroes all accumulators: earlier work does not count. */
COMBGPU__PRIVATE void combgpu__forget_accumulators(combgpu_job *job);
/* Returns the steps since this process began or resumed the job. */
COMBGPU__PRIVATE uint64_t combgpu__steps_here(const combgpu_job *job);

/* ---- Tasks. */

/* Adds a task to the frontier; keeps it if it belongs to this shard. */
COMBGPU__PRIVATE combgpu_status combgpu__push(combgpu_job *job, const uint32_t *task);
/* Adds a task to the frontier and keeps it in every shard. */
COMBGPU__PRIVATE combgpu_status combgpu__push_mine(combgpu_job *job, const uint32_t *task);
/* For tasks that are ranges of 64-bit numbers (four words): pushes [begin, end) in equal chunks;
   the last may be shorter. */
COMBGPU__PRIVATE combgpu_status combgpu__push_range(combgpu_job *job, uint64_t begin, uint64_t end,
                                                    uint64_t chunks);
/* Returns the number of tasks pushed so far, for all shards. */
COMBGPU__PRIVATE uint64_t combgpu__pushed(const combgpu_job *job);
/* Returns the number of tasks waiting on host and devices; counts a running slice's initial
   tasks. */
COMBGPU__PRIVATE uint64_t combgpu__tasks_left(const combgpu_job *job);
/* Returns the reserve, oldest task first. Valid until tasks are added. */
COMBGPU__PRIVATE uint32_t *combgpu__reserve(const combgpu_job *job, size_t *count);
/* Makes room for `more` tasks on the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__reserve_room(combgpu_job *job, size_t more);
/* Puts a task from outside the frontier on the reserve at index `at`; the task there becomes the
   last. */
COMBGPU__PRIVATE combgpu_status combgpu__reserve_put(combgpu_job *job, size_t at,
                                                     const uint32_t *task);
/* Defers a task from outside the frontier in the reserve: no slice takes it before the job's kernel
   changes. Only for unsteady searches, whose tasks are not verified. */
COMBGPU__PRIVATE combgpu_status combgpu__defer(combgpu_job *job, const uint32_t *task);
/* Removes all tasks from the reserve. */
COMBGPU__PRIVATE void combgpu__reserve_clear(combgpu_job *job);
/* Waits for the devices and spills all their tasks to the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__gather(combgpu_job *job);

/* ---- Records. */

/* Returns the pending records. Valid until records are added. */
COMBGPU__PRIVATE uint32_t *combgpu__pending(const combgpu_job *job, size_t *count);
/* Makes room for `more` records behind the pending ones. */
COMBGPU__PRIVATE combgpu_status combgpu__pending_room(combgpu_job *job, size_t more);
/* Adds a record behind the pending ones, which must have room. */
COMBGPU__PRIVATE void combgpu__pending_add(combgpu_job *job, const uint32_t *record);
/* Removes all pending records. */
COMBGPU__PRIVATE void combgpu__pending_clear(combgpu_job *job);
/* Called by the description's record: delivers the same record again in the next step. */
COMBGPU__PRIVATE void combgpu__deliver_again(combgpu_job *job);
/* Called after each solution with the number delivered: nonzero once it reaches the limit. A job
   resumed there gets as many more. */
COMBGPU__PRIVATE int combgpu__is_enough(combgpu_job *job, uint64_t limit, uint64_t done);

/* ---- Slices and executors. */

/* Get and set the budget of the first executor's workers in the next slice. */
COMBGPU__PRIVATE uint32_t combgpu__budget(const combgpu_job *job);
COMBGPU__PRIVATE void combgpu__set_budget(combgpu_job *job, uint32_t budget);
/* Raises the budgets of all executors to at least `least`. */
COMBGPU__PRIVATE void combgpu__raise_budgets(combgpu_job *job, uint32_t least);
/* Changes the job's kernel from its next step on, on devices that have it; only the first change
   counts. */
COMBGPU__PRIVATE void combgpu__change_kernel(combgpu_job *job, const combgpu__kernel *kernel);
/* Changes part of the tables: on the host at once, on each device before its next slice. */
COMBGPU__PRIVATE void combgpu__change_tables(combgpu_job *job, size_t at, const uint32_t *words,
                                             size_t count);
/* Fills the beginning of the work memory of all devices. */
COMBGPU__PRIVATE combgpu_status combgpu__fill_work(combgpu_job *job, const void *from,
                                                   size_t bytes);
/* Return the most workers of any executor, and the capacity of the first executor's pool. */
COMBGPU__PRIVATE uint32_t combgpu__most_workers(const combgpu_job *job);
COMBGPU__PRIVATE uint32_t combgpu__pool_room(const combgpu_job *job);
/* For slice_done: return whether the executor is the CPU, and its number of workers. */
COMBGPU__PRIVATE int combgpu__slice_on_cpu(const combgpu__executor *executor);
COMBGPU__PRIVATE uint32_t combgpu__slice_workers(const combgpu__executor *executor);
/* For slice_done: copy from and to the executor's work memory. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_read(const combgpu__executor *executor, void *to,
                                                    size_t offset, size_t bytes);
COMBGPU__PRIVATE combgpu_status combgpu__slice_write(const combgpu__executor *executor,
                                                     const void *from, size_t bytes);
/* For slice_done: copies the tasks of the executor's pool; `to` has room for combgpu__pool_room
   tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_tasks(const combgpu_job *job,
                                                     const combgpu__executor *executor,
                                                     uint32_t *to, uint32_t *count);

/* ---- The context. */

COMBGPU__PRIVATE int combgpu__is_cpu(const combgpu_context *ctx);
COMBGPU__PRIVATE const combgpu_device *combgpu__device(const combgpu_context *ctx);
/* Returns the context of device i, 0 = ctx itself; NULL beyond the last. */
COMBGPU__PRIVATE const combgpu_context *combgpu__device_context(const combgpu_context *ctx, int i);
/* Returns whether its kernels' lanes exchange registers (COMBGPU_SHUFFLE). */
COMBGPU__PRIVATE int combgpu__shuffles(const combgpu_context *ctx);
/* Returns whether its kernels compute with doubles (COMBGPU__DOUBLES). */
COMBGPU__PRIVATE int combgpu__doubles(const combgpu_context *ctx);
/* Returns the SIMD level of the CPU, COMBGPU__SIMD_...; ctx may be NULL. */
COMBGPU__PRIVATE int combgpu__simd(const combgpu_context *ctx);
/* Return the free device memory, and the bytes a job may use: memory_limit or half; 0 = no
   limit. */
COMBGPU__PRIVATE uint64_t combgpu__free_bytes(const combgpu_context *ctx);
COMBGPU__PRIVATE uint64_t combgpu__memory_limit(const combgpu_context *ctx);
/* Get and set data, by tag and key, that a problem keeps in the context for its next jobs; NULL =
   none. The context owns `data` and frees it. */
COMBGPU__PRIVATE void *combgpu__kept(const combgpu_context *ctx, const char *tag, int key);
COMBGPU__PRIVATE void combgpu__keep(combgpu_context *ctx, const char *tag, int key, void *data);
/* Checks the caller's device memory, argument `name`, and sets *to, whose bytes begin at *shift. */
COMBGPU__PRIVATE combgpu_status combgpu__device_adopt(combgpu_context *ctx, const char *name,
                                                      const combgpu_device_memory *from,
                                                      combgpu__memory *to, size_t *shift);
/* Allocate, release and copy memory of the context's device. */
COMBGPU__PRIVATE combgpu_status combgpu__memory_allocate(combgpu_context *ctx, size_t bytes,
                                                         combgpu__memory *memory);
COMBGPU__PRIVATE void combgpu__memory_release(combgpu_context *ctx, combgpu__memory *memory);
COMBGPU__PRIVATE combgpu_status combgpu__memory_upload(combgpu_context *ctx, combgpu__memory *to,
                                                       size_t offset, const void *from,
                                                       size_t bytes);
COMBGPU__PRIVATE combgpu_status combgpu__memory_download(combgpu_context *ctx, void *to,
                                                         const combgpu__memory *from, size_t offset,
                                                         size_t bytes);

/* ---- End of a job. */

/* Fills in the part of a result common to all searches. */
COMBGPU__PRIVATE void combgpu__run_info(const combgpu_job *job, uint64_t checksum,
                                        combgpu_run_info *info);
/* Runs a job to its end; for the one-shot forms. */
COMBGPU__PRIVATE void combgpu__run(combgpu_job *job);
/* The first line of a checkpoint; "problem " and the job's name follow. */
#define COMBGPU__CHECKPOINT_HEAD "combgpu checkpoint 1\n"
/* Reads the beginning of the checkpoint to resume, or of the first to merge; "" if unreadable. */
COMBGPU__PRIVATE void combgpu__checkpoint_head(combgpu_context *ctx, const combgpu_run_desc *run,
                                               char *head, size_t room);
