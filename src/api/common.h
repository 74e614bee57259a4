/* ======================================================================== SECTION 1: common == */

#define COMBGPU_VERSION_MAJOR 0
#define COMBGPU_VERSION_MINOR 3
#define COMBGPU_VERSION_PATCH 0
#define COMBGPU_VERSION_STRING "0.3.0"

#if defined(COMBGPU_STATIC) && !defined(COMBGPU__IMPLEMENTED) /* not linked from elsewhere */
#ifdef __GNUC__
#define COMBGPU_API static __attribute__((unused))
#else
#define COMBGPU_API static
#endif
#elif !defined(COMBGPU_API)
#define COMBGPU_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. Negative values are failures; the numbers are stable. */
typedef enum combgpu_status {
    COMBGPU_OK = 0,      /* complete: the answer is exact */
    COMBGPU_FOUND = 1,   /* ended early: the caller's limit of solutions was reached */
    COMBGPU_STOPPED = 2, /* ended early: a callback returned nonzero, or the time limit passed */
    COMBGPU_RUNNING = 3, /* combgpu_step: there is more to do */
    COMBGPU_INVALID_ARGUMENT = -1, /* the message gives argument, value and valid values */
    COMBGPU_OUT_OF_MEMORY = -2,    /* host memory */
    COMBGPU_DEVICE_OUT_OF_MEMORY = -3,
    COMBGPU_NO_DEVICE = -4,    /* backend missing from this build, or device missing from this
                               machine */
    COMBGPU_DEVICE_ERROR = -5, /* the driver reported an error; close the context */
    COMBGPU_FILE_ERROR = -6,   /* a file cannot be opened, read or written */
    COMBGPU_BAD_FILE = -7,     /* invalid file contents; the message gives line and reason */
    COMBGPU_WRONG_JOB = -8,    /* the checkpoint belongs to a job with other parameters */
    COMBGPU_UNSUPPORTED = -9,  /* valid, but this version does not support it; the message names
                                  it */
    COMBGPU_WRONG_RESULT = -10 /* a device computed a wrong answer */
} combgpu_status;

typedef enum combgpu_backend {
    COMBGPU_BACKEND_AUTO = 0, /* the first available: CUDA, an OpenCL GPU, the CPU */
    COMBGPU_BACKEND_CPU = 1,
    COMBGPU_BACKEND_CUDA = 2,
    COMBGPU_BACKEND_OPENCL = 3 /* the CPU replaces kernels that a device cannot run (local memory,
                                  work-groups) or whose driver is known to fail, and the logger gets
                                  a warning; where the CPU cannot, the call is UNSUPPORTED */
} combgpu_backend;

/* 128-bit unsigned integer: hi * 2^64 + lo */
typedef struct combgpu_u128 {
    uint64_t lo, hi;
} combgpu_u128;

/* A device that combgpu_open can use. */
typedef struct combgpu_device {
    combgpu_backend backend;
    int index;             /* combgpu_context_desc.device that opens it (counted per backend) */
    int is_gpu;            /* 0 for CPUs, also for OpenCL on a CPU */
    int compute_units;     /* threads (CPU), multiprocessors (CUDA), compute units (OpenCL) */
    uint64_t memory_bytes; /* 0 if unknown */
    char name[128];        /* as the driver gives it */
    char capability[64];   /* "sm_90", "OpenCL 1.2 ...", "C99, SIMD avx2" */
} combgpu_device;

/* A device in a list of several (combgpu_context_desc.devices). */
#define COMBGPU_MAX_DEVICES 32
typedef struct combgpu_device_id {
    combgpu_backend backend; /* AUTO = combgpu_context_desc.backend */
    int index;               /* as combgpu_device.index */
} combgpu_device_id;

/* Host memory. allocate returns NULL on failure; release gets what allocate returned. */
typedef struct combgpu_allocator {
    void *(*allocate)(size_t bytes, void *user); /* NULL = malloc */
    void (*release)(void *memory, void *user);   /* NULL = free */
    void *user;
} combgpu_allocator;

typedef enum combgpu_log_level {
    COMBGPU_LOG_ERROR = 0,
    COMBGPU_LOG_WARNING = 1,
    COMBGPU_LOG_INFO = 2
} combgpu_log_level;

/* Receives one sentence without a newline; called on the thread that called the library. */
typedef struct combgpu_logger {
    void (*log)(combgpu_log_level level, const char *message, void *user); /* NULL = no log */
    void *user;
} combgpu_logger;

/* How to open a context; zero-initialise it, then set what you need. */
typedef struct combgpu_context_desc {
    combgpu_backend backend;
    int device;  /* index in the backend's list of devices (combgpu_devices); 0 = first */
    int threads; /* CPU threads, 1 to 4096; 0 = OMP_NUM_THREADS of the environment, or else
                              one for each processor that the process may use */
    uint64_t memory_limit; /* bytes to use at most on each device; 0 = half of what is free */
    combgpu_allocator allocator;
    combgpu_logger logger;
    /* Several devices share the tasks of every search according to their speed. `device` is then 0.
       Held-Karp tables and written permutations use only the first device; branch and bound begins
       on the CPU. A device may be listed twice. The list need not persist. */
    const combgpu_device_id *devices;
    int device_count;   /* 0 to COMBGPU_MAX_DEVICES */
    void *opencl_queue; /* OPENCL: the caller's cl_command_queue: the context uses its device and
                           cl_context, so buffers can be shared, and ignores `device`. Not used
                           after combgpu_open. NULL = the context creates a cl_context */
} combgpu_context_desc;

typedef struct combgpu_context combgpu_context;
typedef struct combgpu_job combgpu_job;

/* "0.3.0": the version of the compiled implementation (the macro gives the header's). */
COMBGPU_API const char *combgpu_version(void);

/* The name of a status or backend: "out of memory", "cuda". Never NULL. */
COMBGPU_API const char *combgpu_status_string(combgpu_status status);
COMBGPU_API const char *combgpu_backend_string(combgpu_backend backend);

/* Lists the devices of every backend in this build, CPU first. At most `capacity` are written to
   `devices` (may be NULL if capacity is 0); *count gets the number that exist. Needs no context.
   Errors: INVALID_ARGUMENT. A backend without a driver adds no device. */
COMBGPU_API combgpu_status combgpu_devices(combgpu_device *devices, int capacity, int *count);

/* Opens a context on one device. A NULL desc means all defaults. As with sqlite3_open, a failed
   call still sets *ctx, for combgpu_message and combgpu_close only, if memory allows.
   Errors: INVALID_ARGUMENT, NO_DEVICE, DEVICE_ERROR, OUT_OF_MEMORY (then *ctx is NULL). */
COMBGPU_API combgpu_status combgpu_open(combgpu_context **ctx, const combgpu_context_desc *desc);

/* Frees the context; NULL is allowed. End its jobs first. */
COMBGPU_API void combgpu_close(combgpu_context *ctx);

/* Returns a sentence that explains the last failure on this context; "" if no call has failed.
   The text lives until the next call on the context. NULL ctx: "out of memory". */
COMBGPU_API const char *combgpu_message(const combgpu_context *ctx);

/* Tells which device the context uses. */
COMBGPU_API void combgpu_context_device(const combgpu_context *ctx, combgpu_device *device);

/* Tests every kernel except branch and bound's against a known answer, on each of the context's
   devices in turn: well under a second once the kernels are built. Skips the configurations of
   order 6 where a job may use less than 36 MiB. Errors: WRONG_RESULT with the kernel's name,
   UNSUPPORTED (COMBGPU_NO_SELF_TEST), and all device errors. */
COMBGPU_API combgpu_status combgpu_self_test(combgpu_context *ctx);

/* ---- device memory that the caller owns, for results that stay on the device: fill in the struct
   by hand or by combgpu_device_allocate */
typedef struct combgpu_device_memory {
    combgpu_backend backend; /* must be the context's; 0 = the context's, if that is CUDA or
                                OPENCL */
    void *memory;  /* CUDA: a pointer to memory of the context's device. OPENCL: a cl_mem of the
                     context's cl_context (combgpu_context_desc.opencl_queue). CPU: host memory */
    size_t offset; /* bytes from there to the first byte used */
    size_t bytes;  /* its size */
    void *queue;   /* CUDA: a cudaStream_t, NULL = the default stream. OPENCL: a cl_command_queue,
                      NULL = none. A job writes only after the work queued here when it began. When
                      a call returns, its results are visible to every stream and queue */
} combgpu_device_memory;

/* Device memory of the context's backend (CPU: host memory). Release it with
   combgpu_device_release, which allows an empty struct, before combgpu_close. Errors:
   INVALID_ARGUMENT (ctx or memory NULL, 0 bytes), DEVICE_OUT_OF_MEMORY, OUT_OF_MEMORY (CPU). */
COMBGPU_API combgpu_status combgpu_device_allocate(combgpu_context *ctx, size_t bytes,
                                                   combgpu_device_memory *memory);
COMBGPU_API void combgpu_device_release(combgpu_context *ctx, combgpu_device_memory *memory);

/* Copies `bytes` bytes, from byte `at` on, to host memory. Errors: INVALID_ARGUMENT (NULL, past the
   end, memory of another backend), device errors. */
COMBGPU_API combgpu_status combgpu_device_read(combgpu_context *ctx,
                                               const combgpu_device_memory *memory, size_t at,
                                               void *to, size_t bytes);

/* Sets every byte to `value`. *seconds (may be NULL) gets the device's time (cudaMemsetAsync,
   clEnqueueFillBuffer, on the CPU non-temporal stores where the compiler has them), a yardstick for
   searches that write. Errors: as combgpu_device_read. */
COMBGPU_API combgpu_status combgpu_device_fill(combgpu_context *ctx,
                                               const combgpu_device_memory *memory, int value,
                                               double *seconds);

/* ---- Runs: common to all four searches. */

/* One device's work for a job. */
typedef struct combgpu_device_report {
    combgpu_backend backend;
    int index; /* as combgpu_device.index */
    int lost;  /* nonzero: it failed or hung; other devices took its tasks */
    char name[64];
    double steps_per_s; /* recent speed in this process; 0 = unknown */
    double seconds;     /* inside kernels */
    uint64_t steps;     /* includes repeated work */
    uint64_t slices;
    uint64_t tasks_left; /* in its memory */
    uint64_t verified;   /* tasks whose result a second run confirmed (run.verify) */
    uint64_t mismatches; /* wrong results found by a second run */
    uint64_t errors;     /* driver errors and hangs */
} combgpu_device_report;

/* The progress of a job. */
typedef struct combgpu_progress {
    double fraction;          /* share of the search's steps done, 0 to 1; 0 while unknown. Never
                            falls; at most 0.999 before the end. Where a search cannot tell, samples
                            of the waiting tasks estimate it. They cost 5 % of the first ten seconds
                            and 1 % later, if somebody asks */
    double elapsed_s;         /* wall clock, including time before a resume */
    double remaining_s;       /* estimate; negative = unknown yet */
    double remaining_error_s; /* half of the estimate's 95 % interval; negative = unknown */
    uint64_t steps;           /* elementary steps so far (each search defines its own) */
    double steps_per_s;       /* since this process began */
    uint64_t solutions;       /* found so far, as the search's result counts them */
    uint64_t tasks_left;      /* tasks waiting on host and devices */
    const combgpu_device_report *devices; /* valid until the next call for this job */
    int device_count;
} combgpu_progress;

/* Called between slices, at most every progress_interval_s. Nonzero stops the run. */
typedef int (*combgpu_progress_fn)(const combgpu_progress *progress, void *user);

/* How to run a search; part of every description. All zeros: run the whole search to its end. */
typedef struct combgpu_run_desc {
    int shard_index;      /* 0 .. shard_count-1: search this part only */
    int shard_count;      /* 0 or 1 = the whole. The parts' counts and checksums add up */
    double time_limit_s;  /* stop after this many seconds of this call; 0 = no limit */
    double slice_ms;      /* aim of one slice, 1 to 500; 0 = 50 (250 for batches from 16 cities on).
                             Bounds the stop latency */
    double slice_limit_s; /* treat a device as hung when a slice takes longer; 0 = 60, or 600 for a
                             CPU, which other programs may slow down */
    combgpu_progress_fn progress;
    void *progress_user;
    double progress_interval_s;   /* 0 = 0.1 */
    const char *checkpoint_path;  /* NULL = none. Written at intervals and when the run ends;
                                     PATH.bak keeps the previous one. PATH.new exists during a
                                     write. PATH.lock is locked while the job lives; a second job
                                     gets FILE_ERROR. The run touches no other file, and refuses to
                                     start if one of these four is foreign. PATH must not end in
                                     .bak, .lock or .new; a link at PATH is followed. Copied, need
                                     not persist. A relative path is resolved at each write: use an
                                     absolute one if the process changes its working directory */
    double checkpoint_interval_s; /* 0 = 60. A failed write is logged as an error and counted; the
                                     run continues. Negative: only combgpu_checkpoint writes the
                                     file */
    int resume;                   /* nonzero: resume checkpoint_path if it exists. Zero: an existing
                                     file is an error, and is never overwritten */
    const void *resume_data;      /* or resume from these bytes of combgpu_save */
    size_t resume_bytes;
    const char *const *merge_paths; /* instead of searching, adds up the finished checkpoints of all
                                       merge_count shards, in any order; shard_count must be 0. Calls
                                       no solution callback. A missing, unfinished, repeated or
                                       foreign shard is an error. Read during begin */
    int merge_count;
    /* Against silent device errors. self_test: runs combgpu_self_test on every device before the
       search; a failure ends it with WRONG_RESULT. verify: recomputes randomly chosen tasks on
       another device, or on the same one if it is alone, and a few of a GPU's tasks on the CPU. A
       difference is counted and logged as an error that names device and task; a third run, on the
       CPU, decides. These searches cannot be verified and log a warning at the start: branch and
       bound and Held-Karp (the host checks the tour's length, not that none is shorter), searches
       for a best value that prune, permutations written out or shown in order, and lists of normal
       magic squares of order 5. Run those on two devices and compare. */
    int self_test, verify;
    double verify_share; /* share of the slices, above 0 to 1; 0 = 0.01. 1 verifies everything */
} combgpu_run_desc;

/* How a run went; part of every result. */
typedef struct combgpu_run_info {
    combgpu_status status;   /* OK, FOUND or STOPPED */
    combgpu_backend backend; /* that did the work */
    char device[128];        /* its device's name */
    double seconds;          /* wall clock, including time before a resume */
    double device_seconds;   /* in kernels (CPU: in the C solvers), this process only */
    uint64_t steps;          /* elementary steps; a complete search takes equally many on every
                                backend */
    uint64_t slices;
    uint64_t tasks_left; /* 0 when complete */
    uint64_t checksum;   /* order-independent; equal where the answers are equal */
    uint64_t checkpoints, checkpoint_errors; /* files written; failed writes */
    uint64_t verified, mismatches;           /* run.verify: sums over the devices */
    uint64_t device_errors;
    int device_count; /* devices that took part */
    combgpu_device_report devices[COMBGPU_MAX_DEVICES];
} combgpu_run_info;

/* Does one slice of work, about slice_ms long. RUNNING: call again. OK, FOUND, STOPPED: call the
   search's _end, which frees the job, even after an error. Another search's _end refuses the job
   and leaves it unchanged. A STOPPED or FOUND job may be stepped again: it continues. So may a job
   with FILE_ERROR (its last checkpoint could not be written): combgpu_save still works, and _end
   returns FILE_ERROR with the result, whose run.status says how the search ended. Callbacks may
   call the library, also for other jobs of the context; they must not step, estimate, end or cancel
   their own job, and one that receives solutions cannot save it (INVALID_ARGUMENT). To cancel,
   return nonzero and let the caller do it. */
COMBGPU_API combgpu_status combgpu_step(combgpu_job *job);

/* Reports what the progress callback gets. Sampling can take a few milliseconds. */
COMBGPU_API combgpu_status combgpu_job_progress(combgpu_job *job, combgpu_progress *progress);

/* How to estimate a job; zero-initialise it. */
typedef struct combgpu_estimate_desc {
    uint64_t seed;      /* for the samples; equal seeds give equal steps and steps_error */
    int samples;        /* samples of the tree, 2 to 100000; 0 = 64 */
    double calibrate_s; /* seconds of the job's work to measure the device's speed; 0 = 1 */
} combgpu_estimate_desc;

/* How long a job will take; for a shard, that shard alone. */
typedef struct combgpu_estimate {
    double steps;         /* expected steps of the whole job, including those done; negative =
                             unknown: the samples see too little of the tree */
    double steps_error;   /* its standard error; 0 = exact; negative = unknown */
    double steps_per_s;   /* measured on the context's device(s) */
    double seconds;       /* expected time from the call on, with calibration; negative = unknown */
    double seconds_error; /* its standard error; negative = unknown */
    double steps_low, steps_high;     /* 95 % interval of the steps; negative = unknown */
    double seconds_low, seconds_high; /* the same for the time, from the fastest and the slowest
                            speed measured; on a busy machine the fastest is by processor time */
    uint64_t tasks;                   /* tasks waiting at the call */
    int samples;                      /* used; 0 = unnecessary or impossible */
    int done; /* the job ended during calibration: steps and seconds are measured */
} combgpu_estimate;

/* Estimates how long a job takes. Before a long run, begin the job, call this, then step it (the
   calibration did part of its work) or cancel it. A sample follows a random part of the tasks down
   the tree: it works each task for some steps, thins the tasks spilled at random again, and weights
   the steps by what it left out (D. E. Knuth 1975; P. C. Chen 1992). The mean over all samples is
   unbiased, and their spread gives the error. A few pilot samples find the large tasks, which are
   then kept more often. The interval is wider above than below, and wider where single samples are
   far off: trees with a few very large branches need more samples than the default. If the spread
   shows that the samples miss the largest parts of the tree, the answer is "unknown": steps and the
   fields after it are negative. Searches that know their size (permutations) give it without error.
   Branch and bound cannot be sampled: its steps come from its own fraction, with unknown error.
   Sampling uses the CPU's threads. Between samples the progress callback is called; it and the time
   limit can stop them. The calibration calls it and the solution callback. desc may be NULL.
   Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, STOPPED or FOUND (the job ended early; `samples` is 0 if
   no estimate was reached), device errors. */
COMBGPU_API combgpu_status combgpu_job_estimate(combgpu_job *job, const combgpu_estimate_desc *desc,
                                                combgpu_estimate *estimate);

/* Writes a checkpoint of the job to memory: run.resume_data resumes it on any backend. *needed gets
   its size; a smaller `bytes` writes nothing (ask with NULL, 0). Errors: INVALID_ARGUMENT (too
   small), OUT_OF_MEMORY, device errors. */
COMBGPU_API combgpu_status combgpu_save(combgpu_job *job, void *data, size_t bytes, size_t *needed);

/* Writes the file run.checkpoint_path now, between two steps or in the progress callback: before a
   power cut, say, or once the caller has stored its solutions. A resumed run delivers later
   solutions again. Errors: INVALID_ARGUMENT (no path is set), OUT_OF_MEMORY, FILE_ERROR, device
   errors; after the first three the job can continue. */
COMBGPU_API combgpu_status combgpu_checkpoint(combgpu_job *job);

/* Ends a job without a result; NULL is allowed. A search's _end frees the job whatever it returns,
   unless the job belongs to another search. In _end and one-shot calls `result` may be NULL: the
   status alone then tells the outcome. */
COMBGPU_API void combgpu_job_cancel(combgpu_job *job);
