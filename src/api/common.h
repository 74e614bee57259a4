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
    COMBGPU_OK = 0,      /* complete: the answer is exact and final */
    COMBGPU_FOUND = 1,   /* ended early: the caller's limit of solutions is reached */
    COMBGPU_STOPPED = 2, /* ended early: a callback returned nonzero, or the time limit passed */
    COMBGPU_RUNNING = 3, /* combgpu_step: there is more to do */
    COMBGPU_INVALID_ARGUMENT = -1, /* the message names argument, value and what it may be */
    COMBGPU_OUT_OF_MEMORY = -2,    /* host memory */
    COMBGPU_DEVICE_OUT_OF_MEMORY = -3,
    COMBGPU_NO_DEVICE = -4, /* no such backend in this build, or no such device in this machine */
    COMBGPU_DEVICE_ERROR = -5, /* the driver reported an error; the context should be closed */
    COMBGPU_FILE_ERROR = -6,   /* a file cannot be opened, read or written */
    COMBGPU_BAD_FILE = -7,     /* a file's contents are wrong; the message gives line and reason */
    COMBGPU_WRONG_JOB = -8,    /* a checkpoint belongs to a job with other parameters */
    COMBGPU_UNSUPPORTED = -9,  /* valid, but not supported by this version; the message says what */
    COMBGPU_WRONG_RESULT = -10 /* a device computed a wrong answer */
} combgpu_status;

typedef enum combgpu_backend {
    COMBGPU_BACKEND_AUTO = 0, /* CUDA if there is a device, else an OpenCL GPU, else the CPU */
    COMBGPU_BACKEND_CPU = 1,
    COMBGPU_BACKEND_CUDA = 2,
    COMBGPU_BACKEND_OPENCL = 3 /* a kernel that a device cannot run (local memory, work-groups), or
                                  with which its driver is known to go wrong, is left to the CPU with
                                  a warning to the logger, or is UNSUPPORTED where that cannot be */
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

/* Host memory. allocate returns NULL if there is none; release gets what allocate returned. */
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
    /* Several devices: every search shares its tasks among them, each as fast as it is. Then
       `device` is 0. Held-Karp tables and permutations written out take the first one alone; branch
       and bound begins on the CPU. A device may be listed twice. The list need not persist. */
    const combgpu_device_id *devices;
    int device_count;   /* 0 to COMBGPU_MAX_DEVICES */
    void *opencl_queue; /* OPENCL: a cl_command_queue of the caller's: the context then works on its
                           device and in its cl_context, so that buffers can be shared (`device` has
                           no meaning). Not used after combgpu_open. NULL = a cl_context of its own */
} combgpu_context_desc;

typedef struct combgpu_context combgpu_context;
typedef struct combgpu_job combgpu_job;

/* "0.3.0", of the compiled implementation (the macro is that of the header). */
COMBGPU_API const char *combgpu_version(void);

/* The name of a status, backend: "out of memory", "cuda". Never NULL. */
COMBGPU_API const char *combgpu_status_string(combgpu_status status);
COMBGPU_API const char *combgpu_backend_string(combgpu_backend backend);

/* Lists the devices of every backend in this build, CPU first. At most `capacity` are written to
   `devices` (may be NULL if capacity is 0); *count gets the number that exist. Needs no context.
   Errors: INVALID_ARGUMENT. A backend without driver or device adds none. */
COMBGPU_API combgpu_status combgpu_devices(combgpu_device *devices, int capacity, int *count);

/* Opens a context on one device. desc may be NULL for all defaults. As with sqlite3_open, *ctx is
   set even on failure where memory allows: then it serves only combgpu_message and combgpu_close.
   Errors: INVALID_ARGUMENT, NO_DEVICE, DEVICE_ERROR, OUT_OF_MEMORY (then *ctx is NULL). */
COMBGPU_API combgpu_status combgpu_open(combgpu_context **ctx, const combgpu_context_desc *desc);

/* Frees the context; NULL is allowed. Its jobs must have ended. */
COMBGPU_API void combgpu_close(combgpu_context *ctx);

/* Returns a sentence that says why the last failed call on this context failed; "" if none failed.
   The text lives until the next call on the context. NULL ctx: "out of memory". */
COMBGPU_API const char *combgpu_message(const combgpu_context *ctx);

/* Tells which device the context uses. */
COMBGPU_API void combgpu_context_device(const combgpu_context *ctx, combgpu_device *device);

/* Runs a known answer through every kernel (but branch and bound's) on the context's device, in
   well under a second once the kernels are built; on each of its devices in turn. Order 6 in parts
   is left out where a job may not use 36 MiB. Errors: WRONG_RESULT with the kernel's name, and all
   device errors. */
COMBGPU_API combgpu_status combgpu_self_test(combgpu_context *ctx);

/* ---- device memory that the caller owns, for results that stay on the device

   A piece of it: from combgpu_device_allocate, or filled in by hand for memory of your own. */
typedef struct combgpu_device_memory {
    combgpu_backend backend; /* whose it is: must be the context's. 0 = the context's, if that is
                                CUDA or OPENCL */
    void *memory;  /* CUDA: a device pointer, of memory on the context's device. OPENCL: a cl_mem of
                     the context's cl_context (combgpu_context_desc.opencl_queue). CPU: host memory */
    size_t offset; /* bytes from there to where the piece begins */
    size_t bytes;  /* its size */
    void *queue;   /* CUDA: a cudaStream_t, NULL = the default stream. OPENCL: a cl_command_queue,
                      NULL = none. What it holds when a job begins is done before the job writes. When
                      a call returns, what it wrote is there, for every stream and queue */
} combgpu_device_memory;

/* Device memory of the context's backend (CPU: host memory). The caller gives it back with
   combgpu_device_release before combgpu_close; an empty one is allowed. Errors: INVALID_ARGUMENT
   (ctx or memory NULL, 0 bytes), DEVICE_OUT_OF_MEMORY, OUT_OF_MEMORY (CPU). */
COMBGPU_API combgpu_status combgpu_device_allocate(combgpu_context *ctx, size_t bytes,
                                                   combgpu_device_memory *memory);
COMBGPU_API void combgpu_device_release(combgpu_context *ctx, combgpu_device_memory *memory);

/* Copies `bytes` bytes, from byte `at` of the piece on, to host memory. Errors: INVALID_ARGUMENT
   (NULL, past the piece's end, memory of another backend), device errors. */
COMBGPU_API combgpu_status combgpu_device_read(combgpu_context *ctx,
                                               const combgpu_device_memory *memory, size_t at,
                                               void *to, size_t bytes);

/* Sets every byte of the piece to `value`. *seconds (may be NULL) gets the time it took on the
   device: cudaMemsetAsync, clEnqueueFillBuffer, on the CPU non-temporal stores where the compiler
   has them. That is what writing can be measured by. Errors: as combgpu_device_read. */
COMBGPU_API combgpu_status combgpu_device_fill(combgpu_context *ctx,
                                               const combgpu_device_memory *memory, int value,
                                               double *seconds);

/* ---- Runs: what all four searches have in common. */

/* The work of one device for a job. */
typedef struct combgpu_device_report {
    combgpu_backend backend;
    int index; /* as combgpu_device.index */
    int lost;  /* nonzero: it failed or hung; the others took its tasks */
    char name[64];
    double steps_per_s; /* lately, here; 0 = not known */
    double seconds;     /* inside kernels */
    uint64_t steps;     /* includes work that had to be repeated */
    uint64_t slices;
    uint64_t tasks_left; /* in its memory */
    uint64_t verified;   /* tasks whose result a second run confirmed (run.verify) */
    uint64_t mismatches; /* wrong results, found by a second run */
    uint64_t errors;     /* of the driver; hangs */
} combgpu_device_report;

/* The progress of a job. */
typedef struct combgpu_progress {
    double fraction;          /* part of the search's steps that is done, 0 to 1; it never falls,
                            and is at most 0.999 before the end; 0 while it is not known.
                            Estimated from samples of the tasks that are left where a search does
                            not know it: 5 % of the first ten seconds and 1 % of the others go
                            there, if somebody asks */
    double elapsed_s;         /* wall-clock seconds, those before a resume included */
    double remaining_s;       /* estimate; negative = not known yet */
    double remaining_error_s; /* half of the estimate's 95 % interval; negative = not known */
    uint64_t steps;           /* elementary steps so far (each search says what one is) */
    double steps_per_s;       /* since this process began */
    uint64_t solutions;       /* found so far, as the search's result counts them */
    uint64_t tasks_left;      /* tasks waiting, here and on the devices */
    const combgpu_device_report *devices; /* valid until the next call for this job */
    int device_count;
} combgpu_progress;

/* Called between slices, at most every progress_interval_s. Nonzero stops the run. */
typedef int (*combgpu_progress_fn)(const combgpu_progress *progress, void *user);

/* How to run a search; part of every description. Zero-initialised: to the end, in one piece. */
typedef struct combgpu_run_desc {
    int shard_index;      /* 0 .. shard_count-1: work on this part of the search only */
    int shard_count;      /* 0 or 1 = the whole. The parts' counts and checksums add up */
    double time_limit_s;  /* stop after this many seconds of this call; 0 = no limit */
    double slice_ms;      /* aim of one slice, 1 to 500; 0 = 50. Bounds the stop latency */
    double slice_limit_s; /* a slice that has not ended after this time: the device hangs; 0 = 60;
                             600 where the device is a CPU, which other programs may slow down */
    combgpu_progress_fn progress;
    void *progress_user;
    double progress_interval_s;   /* 0 = 0.1 */
    const char *checkpoint_path;  /* NULL = none. Written at intervals and when the run ends; the
                                     one before is kept as PATH.bak. PATH.lock is locked while the
                                     job lives: a second one is refused with FILE_ERROR. PATH.new
                                     is there while the file is written. The run touches no other
                                     file, and is refused if one of these four is not its own. PATH
                                     must not itself end in .bak, .lock or .new; a link at PATH is
                                     followed. Copied, need not persist. A relative one is looked up
                                     at each writing: a process that changes its working directory
                                     needs an absolute one */
    double checkpoint_interval_s; /* 0 = 60. One that fails is logged as an error and counted, and
                                     the run goes on. Negative: the run itself writes none, not
                                     even at its end; combgpu_checkpoint writes it */
    int resume;                   /* nonzero: resume checkpoint_path if it exists. Zero: an existing
                                     file there is an error; it is never overwritten */
    const void *resume_data;      /* or resume this copy of what combgpu_save wrote */
    size_t resume_bytes;
    const char *const *merge_paths; /* instead of searching, adds up the finished checkpoints of all
                                       merge_count shards, in any order; shard_count must be 0. Calls
                                       no solution callback. A shard that is missing, unfinished,
                                       given twice or of another job is an error. Read during begin */
    int merge_count;
    /* Silent errors of a device. self_test: combgpu_self_test of every device before the search
       begins; one that fails ends it with WRONG_RESULT. verify: tasks chosen at random are computed
       twice, on their device and on another if there is one (a second time on the same one if not),
       and if that is no CPU a small part of them on the CPU too. Results that differ are logged as an
       error that names device and task, and counted; a third run, on the CPU, decides. Some
       searches cannot be verified, and log a warning that says so before they begin: branch and
       bound and Held-Karp (the host checks the length of the tour, not that none is shorter),
       searches for a best value that prune, permutations written out or shown in order, and lists
       of normal magic squares of order 5. Run those twice, on two devices, and compare. */
    int self_test, verify;
    double verify_share; /* part of the slices, above 0 to 1; 0 = 0.01. 1: everything is verified */
} combgpu_run_desc;

/* How a run went; part of every result. */
typedef struct combgpu_run_info {
    combgpu_status status;   /* OK, FOUND or STOPPED */
    combgpu_backend backend; /* the one that did the work */
    char device[128];        /* its device's name */
    double seconds;          /* wall clock, those before a resume included */
    double device_seconds;   /* of it, inside kernels (CPU: inside the C solvers), this process */
    uint64_t steps;          /* elementary steps; equal on every backend for a complete search */
    uint64_t slices;
    uint64_t tasks_left; /* 0 when complete */
    uint64_t checksum;   /* order-independent; equal where the answers are equal */
    uint64_t checkpoints, checkpoint_errors; /* files written; those that could not be written */
    uint64_t verified, mismatches;           /* run.verify: sums over the devices */
    uint64_t device_errors;
    int device_count; /* devices that took part */
    combgpu_device_report devices[COMBGPU_MAX_DEVICES];
} combgpu_run_info;

/* Does one slice of work, about slice_ms long. RUNNING: call again. OK, FOUND, STOPPED: call the
   search's _end, which refuses the job of another one and leaves it as it is. After an error, too,
   _end frees the job. A STOPPED or FOUND job may be stepped on: it continues where it was. So may a
   job with FILE_ERROR (its last checkpoint could not be written): combgpu_save works, too, and _end
   returns FILE_ERROR, but with the result, whose run.status says how the search ended. Callbacks
   may call the library, for other jobs of the context, too; their own job they can neither step,
   estimate nor end, and one that receives solutions cannot save it (INVALID_ARGUMENT), nor may they
   cancel it: they return nonzero, and the caller does so. */
COMBGPU_API combgpu_status combgpu_step(combgpu_job *job);

/* Reports progress as the progress callback gets it. Can take a few milliseconds, for samples. */
COMBGPU_API combgpu_status combgpu_job_progress(combgpu_job *job, combgpu_progress *progress);

/* How to estimate a job; zero-initialise it. */
typedef struct combgpu_estimate_desc {
    uint64_t seed;      /* of the samples; the same seed gives the same steps and steps_error */
    int samples;        /* how often the tree is sampled, 2 to 100000; 0 = 64 */
    double calibrate_s; /* how long the job is run to see how fast the device is; 0 = 1 */
} combgpu_estimate_desc;

/* How long a job will take; for a shard, this shard alone. */
typedef struct combgpu_estimate {
    double steps;         /* expected steps of the whole job, those already done included; negative
                             = not known: the samples see too little of the tree */
    double steps_error;   /* its standard error; 0 = exact; negative = not known */
    double steps_per_s;   /* of this context's device(s), measured */
    double seconds;       /* expected time from the call on, calibration included; < 0: not known */
    double seconds_error; /* its standard error; negative = not known */
    double steps_low, steps_high;     /* 95 % interval of the steps; negative = not known */
    double seconds_low, seconds_high; /* the same of the time: that of the steps, at the fastest and
                            the slowest speed that was measured; on a busy machine the fastest is that
                            by processor time */
    uint64_t tasks;                   /* tasks waiting at the call */
    int samples;                      /* used; 0 = none was needed or possible */
    int done; /* the job ended in the calibration: steps and seconds are measured */
} combgpu_estimate;

/* Estimates how long a job takes, before a long run: begin the job, call this, then step it on (the
   calibration was part of its work) or cancel it. A sample goes from a random part of the tasks
   down the tree: each task is worked for some steps, what it gives back is thinned again at random,
   and the steps are weighted by what was left out (D. E. Knuth 1975; P. C. Chen 1992); the mean
   over all trees is exact, and the samples' spread gives the error. A few samples before them show
   which tasks are large: these are kept more often. The interval is wider above than below, and
   wider where single samples are far off: trees with a few very large branches need more samples
   than the default. If their spread shows that the samples miss the
   largest parts of the tree, the answer is "not known": steps and the fields after it are negative.
   Searches that know their size (permutations) give it without an error. Branch and bound cannot be
   sampled: its steps come from its own fraction, with the error not known. Sampling uses
   the CPU's threads. The progress callback is called between samples, and can stop them, as the time
   limit does; in the calibration it and the solution callback are called. desc may be NULL. Errors:
   INVALID_ARGUMENT, OUT_OF_MEMORY, STOPPED or FOUND (the job ended early; `samples` is 0 if before
   the estimate was known), device errors. */
COMBGPU_API combgpu_status combgpu_job_estimate(combgpu_job *job, const combgpu_estimate_desc *desc,
                                                combgpu_estimate *estimate);

/* Writes a checkpoint of the job to memory: everything that run.resume_data needs, on any backend.
   *needed gets its size in bytes; nothing is written if `bytes` is less (call it with NULL, 0 to
   ask). Errors: INVALID_ARGUMENT (too small), OUT_OF_MEMORY, device errors. */
COMBGPU_API combgpu_status combgpu_save(combgpu_job *job, void *data, size_t bytes, size_t *needed);

/* Writes the file run.checkpoint_path now, between two steps or in the progress callback: before the
   power goes, say, or when solutions that the caller only collects are safe elsewhere. A resumed run
   delivers again what came after it. Errors: INVALID_ARGUMENT (there is no such path),
   OUT_OF_MEMORY, FILE_ERROR, device errors; after the first three the job can go on. */
COMBGPU_API combgpu_status combgpu_checkpoint(combgpu_job *job);

/* Ends a job whose result is not wanted; NULL is allowed. The _end functions call it: a search's
   _end frees the job whatever it returns, unless the job is of another search. In the _end
   functions and one-shot forms `result` may be NULL: then only the status tells the outcome. */
COMBGPU_API void combgpu_job_cancel(combgpu_job *job);
